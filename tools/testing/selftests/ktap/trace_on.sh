#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Probes that the script turns on and off while it runs, and deletes: trace_on().

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid syscalls:sys_enter_openat fprobes
plan 30
seconds=60

# A call of openat for one of these files does something with the probe p.
touch "$tmp/make" "$tmp/on" "$tmp/off" "$tmp/delete" "$tmp/end"
turn() { "$workload" open "$tmp/$1" 1; }
control() { # EVENT BODY
	echo 'p = nil n = 0
function make() { p = trace_on("'"$1"'", function (e) { '"$2"' }) }
trace syscalls:sys_enter_openat {
	local f = args.filename
	if (f == "'$tmp'/make") { make() }
	if (f == "'$tmp'/on") { p.on() }
	if (f == "'$tmp'/off") { p.off() }
	if (f == "'$tmp'/delete") { p.delete() }
	if (f == "'$tmp'/end") { exit() }
}'
}

# switches NAME EVENT [SHOWN]: the handler sees events while the probe is on, and no others;
# SHOWN is the event in ktap/sessions
switches() {
	shown=${3:-$2}
	start -q --max-overhead 100 -e "$(control "$2" "n += 1")
trace_end { print(n) }"
	before=$(probe_is "$shown" 'on=0 times=0' && echo off)
	"$workload" getppid 100
	turn make
	wait_until probe_is "$shown" 'on=1 times=1'
	"$workload" getppid 10
	turn off
	"$workload" getppid 100
	wait_until probe_is "$shown" 'on=0 times=1'
	"$workload" getppid 100
	turn on
	wait_until probe_is "$shown" 'on=1 times=2'
	"$workload" getppid 20
	turn delete
	"$workload" getppid 100
	wait_until probe_is "$shown" 'on=0 times=2 deleted=1'
	"$workload" getppid 100
	stop
	is "$1" "$before $code $(cat "$tmp/out")" "off 0 30"
}
f=$(call_function getppid)
switches system_call syscalls:sys_enter_getppid
switches end_of_a_system_call syscalls:sys_exit_getppid
switches function "probe:$f"
switches return_of_a_function "probe:$f%return"
if has ftrace; then
	switches function_tracer "ftrace:function $f"
else
	skip function_tracer "this kernel has no function tracer with arguments"
fi

# counted NAME EVENT: events of any program come, but none while the probe is off
counted() {
	start -q --max-overhead 100 -e "$(control "$2" "n += 1")
seen = 0 trace syscalls:sys_enter_getppid { seen = n } trace_end { print(seen < n, n > 0) }"
	before=$(probe_is "$2" 'on=0 times=0' && echo off)
	turn make
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

# Really detached: nothing of the kernel is patched. The points of a deleted probe are freed.
start -q -e "$(control 'probe:vfs_*' "n += 1")"
is functions_are_not_patched_at_the_beginning "$(traced vfs_mkdir || echo untraced)" untraced
turn make
wait_until traced vfs_mkdir
result $? functions_are_patched_while_it_is_on
turn off
wait_until untraced vfs_mkdir
result $? functions_are_not_patched_while_it_is_off
turn on
wait_until traced vfs_mkdir
result $? functions_are_patched_again
before=$(memory_of "$tracer")
turn delete
wait_until untraced vfs_mkdir
result $? functions_are_not_patched_after_it_was_deleted
wait_until grep -q ' attached=1/1$' "$tracefs/ktap/sessions"
result $? events_of_a_deleted_probe_are_gone
after=$(memory_of "$tracer")
echo "# memory $before before, $after after"
[ "$after" -lt "$before" ]
result $? memory_of_a_deleted_probe_is_freed
stop

# At the top level, in trace_begin, and again
run -q -e 'trace_on("syscalls:sys_enter_getppid", function (e) { n += 1 exit() })
tick-2s { exit(3) }' -- "$workload" getppid 1
[ "$code" = 0 ]
result $? top_level
run -q -e 'function on() { return trace_on("syscalls:sys_enter_getppid", function (e) { n += 1 }) }
trace_begin { a = on() a.off() b = on() print(a == b, !!a) }
trace_end { print(n) }' -- "$workload" getppid 7
is trace_begin "$code $(cat "$tmp/out")" "0 $(printf 'true\ttrue\n7')"

# A handler that switches its own probe: exact at once
for how in off delete; do
	run -q -e 'p = trace_on("syscalls:sys_enter_getppid", function (e) {
	n += 1
	if (n == 5) { p.'$how'() }
}) trace_end { print(n) }' -- "$workload" getppid 100
	is "handler_that_calls_$how" "$code $(cat "$tmp/out")" "0 5"
done

# All probes of a script were deleted before it begins: nothing is left to wait for.
run -q -e 'p = trace_on("syscalls:sys_enter_getppid", function (e) { n += 1 }) p.delete()
trace_end { print("end") }'
is deleted_at_the_top_level "$code $(cat "$tmp/out")" "0 end"

# fails NAME MESSAGE CODE SCRIPT: the script ends with this error
fails() {
	run -q -e "$4"
	[ "$code" = "$3" ] && matches "$tmp/err" "$2"
	result $? "$1"
}
event='"syscalls:sys_enter_getppid"'
fails deleted_probe_stays_deleted "^-e:2:3: error: on: the probe of 'syscalls:sys_enter_getppid' was deleted" 1 \
	"p = trace_on($event, function (e) { n += 1 }) p.delete() p.off() p.delete()
p.on()"
fails another_number "^-e:2:3: error: off: 7 is no probe of trace_on[(][)]" 1 \
	"trace_on($event, function (e) { n += 1 }) x = 7
x.off()"
fails unknown_event "^-e:2:14: error: no event 'syscalls:nothing'" 2 \
	"function never() {
p = trace_on('syscalls:nothing', function (e) { n += 1 })
} trace_begin { if (p) { never() } }"
only="cannot be switched by trace_on[(][)]: only tracepoints, system calls and functions"
fails timer "^-e:1:10: error: 'tick-1s' $only" 2 'trace_on("tick-1s", function (e) { n += 1 })'
fails profile "^-e:1:10: error: 'profile-99hz' $only" 2 \
	'trace_on("profile-99hz", function (e) { n += 1 })'

# note
run -e 'function never() { return trace_on("syscalls:sys_enter_getppid", function (e) { n += 1 }) }
trace syscalls:sys_exit_getppid /on/ { on = never() }' -- "$workload" getppid 1
matches "$tmp/err" "^ktap: no event of 'syscalls:sys_enter_getppid' was traced: its trace_on"
result $? note_that_it_was_never_on

# 2000 switches with all CPUs busy. The handler runs only after on(), never after off(), and
# sees each event when it is attached for good.
start -q $all_of_it -e "$(control syscalls:sys_exit_getppid "if (p_off && !last) { wrong += 1 } n += 1")
p_off = false wrong = 0 k = 0 last = 0
trace syscalls:sys_enter_getppid {
	if (k < 2000) {
		k += 1
		if (k % 2 == 0) { p.off() p_off = true } else { p_off = false p.on() }
	} else { last = last || n }
}
trace_end { print(k, wrong, n - last) }"
loads=
while [ "$(echo "$loads" | wc -w)" -lt "$cpus" ]; do
	"$workload" burn 600000 &
	loads="$loads $!"
done
turn make
wait_until probe_is syscalls:sys_exit_getppid 'on=1 times=1'
round=0
while [ $round -lt 40 ]; do
	# odd: it is on and off by turns while nothing happens
	"$workload" getppid 51
	sleep 0.2
	round=$((round + 1))
done
turn off
wait_until probe_is syscalls:sys_exit_getppid 'on=0 times=[0-9]*'
"$workload" getppid 100
turn on
turn on
wait_until probe_is syscalls:sys_exit_getppid 'on=1 times=[0-9]*'
"$workload" getppid 100
times=$(sed -n 's/^  syscalls:sys_exit_getppid .* times=\([0-9]*\) .*/\1/p' "$tracefs/ktap/sessions")
turn end
reap
for load in $loads; do
	kill "$load"
	wait "$load" 2>/dev/null
done
echo "# attached $times times"
is storm_of_switches "$code $(cat "$tmp/out")" "0 $(printf '2000\t0\t100')"
[ "$times" -gt 1 ] && [ "$times" -le 400 ]
result $? storm_does_not_attach_at_each_switch

# kill -9 while it switches and deletes, and somebody reads ktap/sessions
"$workload" spin "$cpus" &
load=$!
while [ ! -e "$tmp/enough" ]; do cat "$tracefs/ktap/sessions"; done >/dev/null &
reader=$!
kill_rounds "${KILL_ROUNDS:-20}" 700 "n = 0
p = trace_on('probe:vfs_*', function (e) { s[probename] += 1 })
q = trace_on('probe:schedule%return', function (e) { s[probename] += 1 })
r = trace_on('sched:*', function (e) { s[probename] += 1 })
trace syscalls:sys_enter_getppid {
	n += 1
	if (n % 2) { p.on() q.off() } else { p.off() q.on() }
	if (n == 50000) { r.delete() }
}"
touch "$tmp/enough"
kill $load
wait $load $reader 2>/dev/null
wait_until no_sessions
result $? killed_while_it_switches
is nothing_remains "$(traced vfs_read || traced schedule || echo nothing)" nothing
no_complaints no_complaints

finish
