#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Trace only some processes, and only some CPUs.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 42

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
out births_and_exits_are_reported "300\t301\n"

# siblings and unrelated processes
"$workload" daemon write 77 100000 &
stranger=$!
run -q -e "$writes $end" -- "$workload" daemon write 77 $n
kill $stranger 2>/dev/null
wait $stranger 2>/dev/null
out unrelated_processes_are_not_followed "$n\n"
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
out children_are_followed_only_on_request 'nil\n'

# Handlers of $reader read the file's name, so their events cannot be handled at that level.
# missed ARGS...: print how many events of this a session with ARGS has missed
touch "$tmp/file"
missed() {
	start -q "$@" -e 'trace probe:strncpy_from_user_nofault { n += 1 }'
	"$workload" open "$tmp/file" $n
	stop
	sed -n "s/.*missed \([0-9]*\) events$/\1/p" "$tmp/err"
}
"$KTAP" -q -e 'trace syscalls:sys_enter_openat /execname == "workload"/ { s = user_string(arg1) }' \
	>"$tmp/read" 2>&1 </dev/null &
reader=$!
if reaches $reader running && [ "$(missed)" = $n ]; then
	sleep 1000 &
	sleeper=$!
	is events_of_others_are_not_missed "$(missed -p $sleeper)" ''
	kill $sleeper
	wait $sleeper 2>/dev/null
else
	skip events_of_others_are_not_missed "user_string() makes no event of this kernel"
fi
kill -INT $reader
wait $reader

# existing children
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
is existing_descendants_are_followed "$code $(cat "$tmp/out")" "0 $n"

# deep DEPTH: the last of DEPTH generations of processes writes on request
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

# The session ends with its process, as if stop had been written
end_of_session="$writes trace_end { print(n, 'end') }"
# worker WORD...: start $worker, which waits for a line from fifo 4
worker() {
	"$workload" "$@" <"$tmp/go" &
	worker=$!
	exec 4>"$tmp/go"
}

worker wait write 77 $n
start -q -p $worker -e "$end_of_session"
echo >&4
wait $worker
reap
out session_ends_with_its_process "$n\tend\n"
worker wait threads 20
start -q -p $worker -e 'trace sched:sched_process_exit { n += 1 } trace_end { print(n) }'
echo >&4
wait $worker
reap
out with_all_that_its_end_does '21\n'
worker second wait write 77 $n
wait_until grep -q '^State:.Z' /proc/$worker/status
start -q -p $worker -e "$end_of_session"
echo >&4
wait $worker
reap
out with_the_last_of_its_threads "$n\tend\n"
worker wait write 77 $n
start -q -p $worker -e "$end_of_session"
kill -KILL $worker
wait $worker 2>/dev/null
reap
out with_one_that_is_killed 'nil\tend\n'
exec 4>&-

sh -c "$workload wait write 77 $n <$tmp/go2 & exec $workload wait write 77 1 <$tmp/go" &
worker=$!
exec 4>"$tmp/go" 5>"$tmp/go2"
start -q -p $worker --follow -e "$end_of_session"
echo >&4
wait $worker
sleep 0.2
is descendants_continue_without_it "$(state "$tracer")" running
echo >&5
reap
out with_the_last_that_is_followed "$((n + 1))\tend\n"
exec 4>&- 5>&-
run -q -e 'trace sched:sched_process_exit { n += 1 } trace_end { print(n) }' -- \
	"$workload" fork 200
out many_that_are_followed_end '201\n'

# the same without the program ktap
# to_its_end: read all output of the session, with the exit code of the reader
to_its_end() {
	code=0
	timeout -s KILL 60 cat <&3 >"$tmp/out" 2>"$tmp/err" || code=$?
	exec 3>&- 4>&-
}

"$KTAPC" -o "$tmp/end.ktap" -e "$end_of_session"
for name in end_without_a_command process_that_ends_before_the_chunk_comes; do
	worker wait write 77 $n
	exec 3<>"$tracefs/ktap/session"
	echo "pid $worker" >&3
	[ $name = end_without_a_command ] || { echo >&4; wait $worker; }
	cat "$tmp/end.ktap" >&3
	[ $name != end_without_a_command ] || { echo >&4; wait $worker; }
	to_its_end
	wanted=nil
	[ $name != end_without_a_command ] || wanted=$n
	out $name "$wanted\tend\n"
done

if unshare -p -f true 2>/dev/null; then
	code=0
	unshare -p -f sh -c "exec 3<>$tracefs/ktap/session
		$workload wait write 77 $n <$tmp/go &
		exec 4>$tmp/go
		echo pid \$! >&3
		cat $tmp/end.ktap >&3
		echo >&4
		exec timeout -s KILL 60 cat <&3" >"$tmp/out" 2>"$tmp/err" || code=$?
	out number_is_of_the_writers_namespace "$n\tend\n"

	code=0
	calls='trace syscalls:sys_enter_getppid /execname == "workload"/'
	print='print(ns_pid, pid == ns_pid)'
	# shellcheck disable=SC2016 # the shells inside expand it
	unshare -p -f "$KTAP" -q -o "$tmp/out" -e "$print $calls { $print print(ns_tid) }" -- \
		sh -c 'echo $$ >"$0"; exec "$1" getppid 1' "$tmp/own" "$workload" || code=$?
	own=$(cat "$tmp/own")
	[ "$own" -lt 10 ] && out ns_pid_is_the_number_inside "1\tfalse\n$own\tfalse\n$own\n"

	unshare -p -f "$KTAP" -q -o "$tmp/out" -e "trace_begin { print(ns_pid, ns_tid) }
		$calls { print(ns_pid, ns_tid) exit() }" &
	inner=$!
	wait_until grep -q 0 "$tmp/out"
	"$workload" getppid 1
	code=0
	wait $inner || code=$?
	out no_ns_pid_outside_of_the_namespace '0\t0\n0\t0\n'

	code=0
	unshare -p -f "$KTAP" --bt -q -e 'BEGIN { printf("%d %d %d\n", pid, tid(curr_ns), pid(init) > 1); }
		tracepoint:syscalls:sys_enter_getppid /pid == cpid/ {
			printf("%d %d\n", pid == pid(curr_ns) && tid == tid(curr_ns), pid == pid(init)); }' \
		-- "$workload" getppid 1 >"$tmp/out" 2>"$tmp/err" || code=$?
	out pid_of_bpftrace_is_the_number_inside '1 1 1\n1 0\n\n\n'
else
	for name in number_is_of_the_writers_namespace ns_pid_is_the_number_inside \
		no_ns_pid_outside_of_the_namespace pid_of_bpftrace_is_the_number_inside; do
		skip $name "this kernel has no pid namespaces"
	done
fi

# no_process NAME NUMBER TEXT: the line is refused with this text
no_process() {
	code=0
	(
		exec 3<>"$tracefs/ktap/session"
		echo "pid $2" >&3
		exec cat <&3
	) >"$tmp/out" 2>"$tmp/err"
	matches "$tmp/err" 'No such process' && matches "$tmp/out" "error: $3\$"
	result $? "$1"
}

no_process number_of_nobody_is_refused 4194304 'there is no process 4194304'
"$workload" getppid 1 &
worker=$!
wait $worker
no_process number_of_one_that_was_is_refused $worker "there is no process $worker"
sh -c "$workload nap 60000 1 & echo \$! >$tmp/zombie; exec sleep 60" &
worker=$!
wait_until [ -s "$tmp/zombie" ]
zombie=$(cat "$tmp/zombie")
kill -KILL "$zombie"
wait_until grep -q '^State:.Z' "/proc/$zombie/status"
no_process zombie_is_refused "$zombie" "there is no process $zombie"
kill $worker
wait $worker 2>/dev/null
worker second wait getppid 1
wait_until grep -q '^State:.Z' /proc/$worker/status
for thread in "/proc/$worker/task"/*; do
	thread=${thread##*/}
	[ "$thread" != $worker ] || continue
	no_process thread_is_refused "$thread" "$thread is a thread of process $worker"
done
echo >&4
exec 4>&-
wait $worker

# reused process numbers
max=$(cat /proc/sys/kernel/pid_max)
echo 400 >/proc/sys/kernel/pid_max
"$workload" spin 1 &
spinner=$!
# a thousand processes take long with all debugging checks of the kernel
seconds=300
run -q -e "$writes trace syscalls:sys_enter_getppid /pid == $spinner/ { wrong += 1 }
trace_end { print(n, wrong) }" -- sh -c "$workload fork 1000; $workload daemon write 77 $n"
seconds=60
kill $spinner
wait $spinner 2>/dev/null
out reused_numbers_are_other_processes "$n\tnil\n"

# The process that loads a script counts as its reader until another one reads. A new
# process with the same number does not
# takes_number NUMBER: write as a process with that number
takes_number() {
	for try in 1 2 3 4; do
		i=0
		while [ $i -lt 400 ]; do
			sh -c "[ \$\$ != $1 ] || exec $workload write 77 $n; exit 1" && return
			i=$((i + 1))
		done
	done
	return 1
}

exec 3<>"$tracefs/ktap/session"
cat "$tmp/end.ktap" >&3 &
reader=$!
wait $reader
if takes_number $reader; then
	echo stop >&3
	to_its_end
	out reused_number_of_an_ended_reader_is_another_process "$n\tend\n"
else
	exec 3>&-
	skip reused_number_of_an_ended_reader_is_another_process "process numbers are not reused"
fi
echo "$max" >/proc/sys/kernel/pid_max

# CPUs
if [ "$(nproc)" -lt 2 ]; then
	while [ $count -lt $planned ]; do
		skip of_several_cpus "the machine has only one CPU"
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
run -q -C 0 -e 'trace software:cpu-clock:1000000 { t[cpu] += 1 } trace tick-10ms /t[0] > 50/ { exit() } trace_end { print(t[0] > 50, len(t)) }' -- \
	"$workload" pin 0 burn 20000
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
result $? decreasing_range_is_refused
run -q -C 0,,1 -e "$writes $end" -- true
[ "$code" = 0 ] || matches "$tmp/err" 'CPUs'
result $? list_is_read_as_the_kernel_reads_lists
run -q -C 99999999999 -e "$writes"
[ "$code" = 2 ] && matches "$tmp/err" "error: .*CPUs"
result $? number_out_of_range_is_refused

finish
