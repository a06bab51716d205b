#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Probes with a condition: they are attached only while a global is true.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid syscalls:sys_enter_openat fprobes
plan 29
seconds=60

# A call of openat for this file turns the global on or off.
touch "$tmp/on" "$tmp/off"
turn() { "$workload" open "$tmp/$1" 1; }
control='trace syscalls:sys_enter_openat /args.filename == "'$tmp'/on"/ { on = true }
trace syscalls:sys_enter_openat /args.filename == "'$tmp'/off"/ { on = false }'

# switches NAME EVENT [SHOWN]: the probe is attached when the condition becomes true, and only
# then sees events; SHOWN is the event in ktap/sessions
switches() {
	shown=${3:-$2}
	start -q --max-overhead 100 -e "on = nil n = 0 $control
trace $2 if (on) { n += 1 } trace_end { print(n) }"
	before=$(probe_is "$shown" 'on=0 times=0' && echo off)
	"$workload" getppid 100
	turn on
	wait_until probe_is "$shown" 'on=1 times=1'
	"$workload" getppid 10
	turn off
	"$workload" getppid 100
	wait_until probe_is "$shown" 'on=0 times=1'
	"$workload" getppid 100
	turn on
	wait_until probe_is "$shown" 'on=1 times=2'
	"$workload" getppid 20
	stop
	is "$1" "$before $code $(cat "$tmp/out")" "off 0 30"
}
f=$(call_function getppid)
switches system_call syscalls:sys_enter_getppid
switches end_of_a_system_call syscalls:sys_exit_getppid
switches function "probe:$f"
switches return_of_a_function "probe:$f%return"
if has ftrace; then
	switches function_tracer "ftrace:function /ip == $f/" "ftrace:function $f"
else
	skip function_tracer "this kernel has no function tracer with arguments"
fi
# an instruction after the entry, where a kprobe is the only way
offset=0
for o in 1 2 3 4 5 6 7 8 9 10 11 12; do
	run -q -e "trace probe:$f+$o { n += 1 }" -- true
	[ "$code" = 0 ] && offset=$o && [ "$o" -gt 4 ] && break
done
if [ "$offset" -gt 0 ]; then
	switches instruction "probe:$f+$offset" "probe:${f}[+]$offset"
else
	skip instruction "this kernel has no kprobes"
fi

# counted NAME EVENT: events of any program come, but none while the condition is false
counted() {
	start -q --max-overhead 100 -e "on = 0 n = 0 seen = 0 $control
trace $2 if (on) { n += 1 } trace syscalls:sys_enter_getppid { seen = n } trace_end { print(seen < n, n > 0) }"
	before=$(probe_is "$2" 'on=0 times=0' && echo off)
	turn on
	wait_until probe_is "$2" 'on=1 times=1'
	"$workload" fork 5
	turn off
	wait_until probe_is "$2" 'on=0 times=1'
	"$workload" getppid 1
	"$workload" fork 5
	stop
	is "$1" "$before $code $(cat "$tmp/out")" "off 0 $(printf 'false\ttrue')"
}
counted tracepoint sched:sched_process_fork
counted raw_tracepoint rawtp:sched_process_fork
counted raw_tracepoint_with_an_argument rawtp:sched_process_exit

# really detached: nothing of the kernel is patched
start -q -e "on = false $control
trace probe:vfs_mkdir if (on) { n += 1 }"
is function_is_not_patched_at_the_beginning "$(traced vfs_mkdir || echo untraced)" untraced
turn on
wait_until traced vfs_mkdir
result $? function_is_patched_while_the_condition_is_true
turn off
wait_until untraced vfs_mkdir
result $? function_is_not_patched_afterwards
matches "$tracefs/ktap/sessions" ' attached=2/3$'
result $? number_of_attached_events
stop

# A true condition at the top level, and in trace_begin
run -q -e "on = 1 trace syscalls:sys_enter_getppid if (on) { n += 1 exit() }
tick-2s { exit(3) }" -- "$workload" getppid 1
[ "$code" = 0 ]
result $? condition_of_the_top_level
run -q -e 'trace_begin { on = "yes" } trace syscalls:sys_enter_getppid if (on) { n += 1 } trace_end { print(n) }' \
	-- "$workload" getppid 7
is condition_of_trace_begin "$code $(cat "$tmp/out")" "0 7"

# the filter, and a handler that ends the condition itself: exact at once
run -q -e 'left = 5 trace syscalls:sys_enter_getppid /pid > 1/ if (left) { left -= 1 n += 1 }
trace_end { print(n, left) }' -- "$workload" getppid 100
is handler_that_ends_its_condition "$code $(cat "$tmp/out")" "0 5	0"

# probes of one system call run in the order of the script, wherever the one in the middle
start -q -e "on = false $control
trace syscalls:sys_enter_getppid { o = \"a\" }
trace syscalls:sys_enter_getppid if (on) { o = o .. \"b\" }
trace syscalls:sys_enter_getppid { o = o .. \"c\" r[o] += 1 }
trace_end { print(r[\"ac\"], r[\"abc\"]) }"
"$workload" getppid 3
turn on
wait_until probe_is syscalls:sys_enter_getppid 'on=1 times=1'
"$workload" getppid 4
stop
is order_of_system_calls "$code $(cat "$tmp/out")" "0 3	4"

# user data of a system call is there for a probe that is attached later
touch "$tmp/name"
start -q -e "on = false $control
trace syscalls:sys_enter_openat if (on) { s[args.filename] += 1 }
trace_end { print(s[\"$tmp/name\"]) }"
turn on
wait_until probe_is syscalls:sys_enter_openat 'on=1 times=1'
"$workload" open "$tmp/name" 9
stop
is user_data "$code $(cat "$tmp/out")" "0 9"

# pattern
start -q -e "on = false $control
trace probe:vfs_* if (on) { n += 1 } trace_end { print(n > 0) }"
turn on
wait_until traced vfs_read
cat /proc/uptime >/dev/null
turn off
wait_until untraced vfs_read
result $? pattern_is_detached
stop
is pattern "$code $(cat "$tmp/out")" "0 true"

# errors
run -q -e 'on = 1
tick-1s if (on) { n += 1 }'
[ "$code" = 2 ] && matches "$tmp/err" "^-e:2:1: error: 'tick-1s' cannot have a condition: only tracepoints, system calls and functions of the kernel can"
result $? timer_has_no_condition
run -q -e 'on = 1
trace profile-99hz if (on) { n += 1 }'
[ "$code" = 2 ] && matches "$tmp/err" "^-e:2:7: error: 'profile-99hz' cannot have a condition"
result $? profile_has_no_condition

# found only when it is attached
run -q -e "on = false
trace probe:$f+1 if (on) { n += 1 }
tick-100ms { on = true }"
[ "$code" = 1 ] && matches "$tmp/err" "^-e:2:7: error: event 'probe:${f}[+]1' cannot be attached: no instruction begins there"
result $? event_that_cannot_be_attached

# note
run -e 'trace syscalls:sys_enter_getppid if (on) { n += 1 } trace syscalls:sys_exit_getppid /on/ { on = false }' \
	-- "$workload" getppid 1
matches "$tmp/err" "^ktap: no event of 'syscalls:sys_enter_getppid' was traced: its condition 'on' was never true"
result $? note_that_it_was_never_attached

# A storm of changes on all CPUs, in every handler: at most ten times a second
start -q --max-overhead 100 -e 'on = 0 wrong = 0
trace syscalls:sys_enter_getppid { on = !on }
trace syscalls:sys_exit_getppid if (on) { a += 1 }
trace sched:sched_switch if (on) { b += 1 }
trace probe:schedule if (on) { c += 1 }
trace_end { print("ended") }'
"$workload" spin "$cpus" &
load=$!
sleep 5
times=$(sed -n 's/^  sched:sched_switch .* times=\([0-9]*\) .*/\1/p' "$tracefs/ktap/sessions")
kill $load
wait $load 2>/dev/null
stop
echo "# attached $times times in five seconds"
[ "$times" -gt 0 ] && [ "$code" = 0 ] && [ "$(cat "$tmp/out")" = ended ]
result $? storm_of_changes
[ "$times" -le 200 ]
result $? storm_does_not_attach_at_each_change

# kill -9 while it switches
"$workload" spin "$cpus" &
load=$!
kill_rounds "${KILL_ROUNDS:-20}" 700 "trace syscalls:sys_enter_getppid { on = !on }
trace sched:*, syscalls:sys_exit_*, probe:vfs_*, probe:schedule%return, probe:$f+4 if (on) { s[probename] += 1 }"
kill $load
wait $load 2>/dev/null
wait_until no_sessions
result $? killed_while_it_switches
is nothing_remains "$(traced vfs_read || traced schedule || echo nothing)" nothing
no_complaints no_complaints

finish
