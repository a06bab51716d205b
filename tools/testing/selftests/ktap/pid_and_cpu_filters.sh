#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Events of some processes only, and of some CPUs only.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 23

n=50
writes='trace syscalls:sys_enter_write /count == 77/ { n += 1 }'
end='trace_end { print(n) }'

# children
run -q -e "$writes $end" -- "$workload" daemon write 77 $n
out daemon_of_a_command_is_followed "$n\n"
run -q -e "$writes $end" -- "$workload" daemon daemon daemon write 77 $n
out daemon_of_a_daemon_is_followed "$n\n"
run -q -e "$writes $end" -- sh -c "$workload write 77 $n; ($workload write 77 $n &) ; $workload daemon write 77 $n; sleep 1"
out all_descendants_are_followed "$((3 * n))\n"
run -q -e 'trace sched:sched_process_fork { forks += 1 } trace sched:sched_process_exit { exits += 1 }
trace_end { print(forks, exits) }' -- "$workload" fork 300
out births_and_ends_are_told "300\t301\n"

# siblings and strangers
"$workload" daemon write 77 100000 &
stranger=$!
run -q -e "$writes $end" -- "$workload" daemon write 77 $n
kill $stranger 2>/dev/null
wait $stranger 2>/dev/null
out strangers_are_not_followed "$n\n"
mkfifo "$tmp/go" "$tmp/go2"
"$workload" wait daemon write 77 $n <"$tmp/go" &
worker=$!
"$workload" wait daemon write 77 1000 <"$tmp/go2" &
sibling=$!
exec 4>"$tmp/go" 5>"$tmp/go2"
start -q -p $worker --follow -e "$writes $end"
echo >&4
echo >&5
wait $worker $sibling
stop
out siblings_are_not_followed "$n\n"
"$workload" wait daemon write 77 $n <"$tmp/go" &
worker=$!
start -q -p $worker -e "$writes $end"
echo >&4
wait $worker
stop
out children_are_followed_only_if_asked_for 'nil\n'

# those who were children before
follow_worker() {
	start -q -p $worker --follow -e "$writes $end"
	echo >&4
	wait $worker
	stop
}

sh -c "$workload wait write 77 $n <&3 & echo >$tmp/born; wait" 3<"$tmp/go" &
worker=$!
wait_until [ -s "$tmp/born" ]
follow_worker
is descendants_of_before_are_followed "$code $(cat "$tmp/out")" "0 $n"

# deep DEPTH: the last of so many generations writes when it is told
deep() {
	if [ "$1" -gt 0 ]; then
		(deep $(($1 - 1)); true)
	else
		echo >"$tmp/deep"
		"$workload" wait write 77 $n
	fi
}

deep 200 <"$tmp/go" &
worker=$!
wait_until [ -s "$tmp/deep" ]
follow_worker
is the_last_of_many_generations_is_followed "$code $(cat "$tmp/out")" "0 $n"
exec 4>&- 5>&-

# numbers of processes that come again
max=$(cat /proc/sys/kernel/pid_max)
echo 400 >/proc/sys/kernel/pid_max
"$workload" spin 1 &
spinner=$!
# a thousand processes take long with all of the kernel's checks on
seconds=300
run -q -e "$writes trace syscalls:sys_enter_getppid /pid == $spinner/ { wrong += 1 }
trace_end { print(n, wrong) }" -- sh -c "$workload fork 1000; $workload daemon write 77 $n"
seconds=60
kill $spinner
wait $spinner 2>/dev/null
echo "$max" >/proc/sys/kernel/pid_max
out numbers_that_come_again_are_others "$n\tnil\n"

# CPUs
if [ "$(nproc)" -lt 2 ]; then
	while [ $count -lt $planned ]; do
		skip of_several_cpus "there is one CPU"
	done
	finish
fi
both="$workload pin 0 write 77 $n; $workload pin 1 write 77 $n"
by_cpu='trace syscalls:sys_enter_write /count == 77/ { t[cpu] += 1 }
trace_end { print(t[0], t[1]) }'
run -q -e "$by_cpu" -- sh -c "$both"
out all_cpus "$n\t$n\n"
run -q -C 0 -e "$by_cpu" -- sh -c "$both"
out events_of_one_cpu "$n\tnil\n"
run -q -C 1 -e "$by_cpu" -- sh -c "$both"
out events_of_another_cpu "nil\t$n\n"
run -q -C 0-1 -e "$by_cpu" -- sh -c "$both"
out events_of_a_range "$n\t$n\n"
run -q -v -C 1 -e "$writes $end" -- sh -c "$both"
[ "$code" = 0 ] && matches "$tmp/err" " hits=$n filtered=[0-9]+ missed=0 "
result $? events_of_other_cpus_are_not_missed
run -q -C 1 -e 'trace profile-1ms { t[cpu] += 1 } trace tick-300ms { exit() } trace_end { print(t[0], t[1] > 0, len(t)) }' -- \
	"$workload" pin 1 burn 2000
out profile_of_one_cpu 'nil\ttrue\t1\n'
run -q -C 0 -e 'trace software:cpu-clock:1000000 { t[cpu] += 1 } trace tick-300ms { exit() } trace_end { print(t[0] > 50, len(t)) }' -- \
	"$workload" pin 0 burn 2000
out counter_of_one_cpu 'true\t1\n'
run -q -C 1 -e 'trace kprobe:vfs_write /arg2 == 77/ { n += 1 } trace_end { print(n) }' -- sh -c "$both"
out functions_of_one_cpu "$n\n"
run -q -C 1 -e 'trace_begin { print("begin") } trace tick-1ms { print("tick") exit() } trace_end { print("end") }'
out process_context_is_of_no_cpu 'begin\ntick\nend\n'
run -q -C 0,99 -e "$writes"
[ "$code" = 2 ] && matches "$tmp/err" "error: not all of the CPUs '0,99' exist: there are 0-[0-9]+\$"
result $? cpu_that_does_not_exist_is_refused
run -q -C 3-1 -e "$writes"
[ "$code" = 2 ] && matches "$tmp/err" "error: '3-1' is no list of CPUs like 0,2-3\$"
result $? range_that_goes_down_is_refused
run -q -C 0,,1 -e "$writes $end" -- true
[ "$code" = 0 ] || matches "$tmp/err" 'CPUs'
result $? list_is_read_as_the_kernel_reads_lists
run -q -C 99999999999 -e "$writes"
[ "$code" = 2 ] && matches "$tmp/err" "error: .*CPUs"
result $? number_out_of_range_is_refused

finish
