#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# exit(N) in every context of a script ends it there, trace_end runs, and N is the exit
# code of ktap. And Control-C, once and twice.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 33

# ends NAME CODE OUTPUT ARGS...
ends() {
	name=$1 wanted=$2 text=$3
	shift 3
	run -q -w "$@"
	# shellcheck disable=SC2059 # escapes are meant
	printf "$text" >"$tmp/wanted"
	[ "$code" = "$wanted" ] && cmp -s "$tmp/wanted" "$tmp/out" && ! grep -v ' missed ' "$tmp/err"
	status=$?
	result $status "$name"
	[ $status = 0 ] || echo "# expected exit code $wanted"
}

end='trace_end { print("end", n) }'
# another CPU may run the same handler at this time
end_of_some='trace_end { print("end", n > 0 && n < 100) }'
# leave CODE: a handler in which nothing after exit(CODE) may run
leave() { echo "n += 1 exit($1) print(\"after\") n += 100"; }

ends top_level 11 'before\n' -e 'print("before") exit(11) print("after")'
ends top_level_in_a_function 12 'end\tnil\n' -e "$end
function f() { for (i = 1, 10) { if (i == 5) { exit(12) } } }
f() print(\"after\")"
ends trace_begin 13 'end\t1\n' -e "trace_begin { $(leave 13) }
trace_begin { print(\"second\") } trace syscalls:* { n += 100 } $end"
ends trace_end 14 'end\n' -e 'trace_end { print("end") exit(14) print("after") }'
ends trace_end_has_the_last_word 15 'end\n' -e 'tick-1ms { exit(1) } trace_end { print("end") exit(15) }'
ends tick 16 'end\t1\n' -e "tick-1ms { $(leave 16) } $end"
ends task 17 'end\t1\n' -e "trace syscalls:sys_enter_getppid { $(leave 17) } $end" -- "$workload" getppid 100
ends function_of_a_handler 18 'end\t1\n' -e "function g() { $(leave 18) }
function f() { g() print(\"after\") }
trace syscalls:sys_enter_getppid { f() print(\"after\") } $end" -- "$workload" getppid 100
ends filter 19 'end\t1\n' -e "function f() { $(leave 19) return 1 }
trace syscalls:sys_enter_getppid /f()/ { print(\"handler\") } $end" -- "$workload" getppid 100
ends return_of_a_function 20 'end\t1\n' -e "trace kretprobe:vfs_write { $(leave 20) } $end" -- \
	"$workload" write 1 100
ends softirq 21 'end\ttrue\n' -e "trace irq:softirq_entry { $(leave 21) } $end_of_some"
ends hardirq 22 'end\ttrue\n' -e "trace timer:hrtimer_expire_entry { $(leave 22) } $end_of_some"
ends profile 23 'end\ttrue\n' -e "profile-1ms { $(leave 23) } $end_of_some"
if [ "$cpus" -gt 1 ] && [ -e /proc/sysrq-trigger ] && has nmi:nmi_handler; then
	level=$(cut -f 1 /proc/sys/kernel/printk)
	dmesg -n 1
	start -q -w -e "trace nmi:nmi_handler { $(leave 24) } $end_of_some"
	while [ "$(state "$tracer")" = running ]; do
		echo l >/proc/sysrq-trigger
	done
	reap
	is nmi "$code $(cat "$tmp/out")" "24 end	true"
	dmesg -n "$level"
else
	skip nmi "the machine has one CPU, or NMIs are not traced on it"
fi

# All CPUs at once: the first one sets the exit code
round=0 wrong=0
while [ $round -lt 20 ]; do
	run -q -e 'trace syscalls:sys_enter_getppid /execname == "workload"/ { t[cpu] += 1 exit(100 + cpu) }
trace_end { print(len(t) > 0) }' -- "$workload" cpus "$cpus" getppid 1000
	first=$((code - 100))
	[ $first -ge 0 ] && [ $first -lt "$cpus" ] && grep -q '^true' "$tmp/out" || wrong=$((wrong + 1))
	round=$((round + 1))
done
is one_of_several_cpus_decides $wrong 0

ends no_number_is_success 0 '' -e 'exit()'
ends a_negative_number_is_one_of_8_bits 255 '' -e 'exit(-1)'
ends largest_number 255 '' -e 'exit(tonumber("255"))'
for number in 256 300 -129 4294967296; do
	run -q -e "n = $number exit(n)"
	[ "$code" = 1 ] &&
		grep -q "^-e:1:[0-9]*: error: exit: $number is no exit code, which is -128 to 255\$" "$tmp/err"
	result $? "number_that_is_no_exit_code_$number"
done

# Control-C.  SIGINT is ignored in these background jobs when they start: kill -INT still
# ends them.
stopping='ktap: stopping; press Control-C again to end at once'
ended='ktap: ended at once: trace_end was cut off, or did not run'

# printed: wait until the job has printed something
printed() { [ -s "$tmp/out" ]; }
# interrupted SCRIPT: run it as a job and send SIGINT when it has printed something
interrupted() {
	# the job truncates them, too, but maybe later
	: >"$tmp/out"
	: >"$tmp/err"
	"$KTAP" -e "$1" >"$tmp/out" 2>"$tmp/err" </dev/null &
	tracer=$!
	wait_until printed
	kill -INT "$tracer"
}
# again: send the second SIGINT after the first one was handled
heard() { grep -q "^$stopping\$" "$tmp/err"; }
again() {
	wait_until heard
	sleep 0.1
	kill -INT "$tracer"
}

interrupted 'print("hello") while (true) { n += 1 }'
reap
is endless_top_level_ends_at_the_first "$code $(cat "$tmp/out" "$tmp/err")" "0 hello
$stopping"
interrupted 'print("hello") trace syscalls:* { n += 1 } trace_end { print("end") } while (true) { m += 1 }'
reap
is trace_end_runs_where_the_top_level_was_ended "$code $(cat "$tmp/out")" "0 hello
end"
interrupted 'while (true) { print("a line of its own") }'
reap
is lines_of_an_endless_top_level "$code $(sort -u "$tmp/out")" '0 a line of its own'
interrupted 'print("hello") try { while (true) { n += 1 } } catch (e) { print("caught", e) }'
reap
is end_of_the_top_level_is_not_caught "$code $(cat "$tmp/out")" '0 hello'
# printed by trace_begin: the top level ends at the first signal, and trace_begin does not run then
interrupted 'trace_begin { print("hello") while (true) { n += 1 } } trace_end { print("end") }'
again
reap
is endless_trace_begin_ends_at_the_second "$code $(cat "$tmp/out" "$tmp/err")" "130 hello
$stopping
$ended"
interrupted 'tick-1ms { print("tick") while (true) { n += 1 } } trace_end { print("end") }'
again
reap
is endless_tick_ends_at_the_second "$code $(cat "$tmp/out") $(grep -v Press "$tmp/err")" "130 tick $stopping
$ended"
interrupted 'tick-1ms { if (!n) { print("tick") } n += 1 } trace_end { print("end") while (true) { m += 1 } }'
again
reap
is endless_trace_end_ends_at_the_second "$code $(cat "$tmp/out") $(grep -v Press "$tmp/err")" "130 tick
end $stopping
$ended"
interrupted 'print("hello") tick-1s { n += 1 } trace_end { print("end") }'
reap
is trace_end_runs_at_the_first "$code $(cat "$tmp/out") $(grep -v Press "$tmp/err")" "0 hello
end $stopping"

# while events are attached: ktap reports that it waits
attached() { sed -n "s/^[0-9]* $1 .* attached=\([0-9/]*\)\$/\1/p" "$tracefs/ktap/sessions"; }
some_attached() { [ "$(attached "$tracer" | cut -d / -f 1)" -gt 0 ]; } 2>/dev/null
start -q -e 'trace sched:sched_switch, sched:sched_wakeup { n += 1 }'
is number_of_attached_events_is_reported "$(attached "$tracer")" 2/2
stop
if has fprobes; then
	# on one CPU: if the host is busy, attaching takes longer as well
	taskset 1 "$KTAP" -v -e 'print("hello") trace probe:* { n += 1 } trace_end { print("end") }' \
		>"$tmp/out" 2>"$tmp/err" </dev/null &
	tracer=$!
	wait_until some_attached
	kill -INT "$tracer"
	before=$(attached "$tracer")
	reap
	# if all was attached, the message has the number of events
	[ "$code $(tr '\n' ' ' <"$tmp/out")" = '0 hello end ' ] && heard && ! grep 'total enabled' "$tmp/err"
	result $? attaching_ends_at_the_first
	# Functions are attached in batches of thousands: only the current batch is completed.
	after=$(sed -n 's/^ktap: .* attached=\([0-9]*\)\/[0-9]*$/\1/p' "$tmp/err")
	[ -n "$after" ] && [ -n "$before" ] && [ "$after" -le $((${before%/*} + 4096)) ] &&
		[ "$after" -lt "${before#*/}" ]
	result $? attaching_ends_soon
	echo "# attached=$before at the signal, $after at the end"
else
	skip attaching_ends_at_the_first "this kernel has no fprobes"
	skip attaching_ends_soon "this kernel has no fprobes"
fi

finish
