#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The probes of an event run in the order of the script, for each kind of event.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 21

n=50
getppid=$(call_function getppid)
target=$here/utarget
marked=$here/marked
mine='/execname == "workload"/'
call="$workload getppid $n"

# steps EVENT [FILTER [EVENT [EVENT]]]: three probes, each of which checks and increments
# the step of the previous one
steps() {
	echo "step = 0
trace $1 $2 { a[step] += 1 step = 1 }
trace ${3:-$1} $2 { b[step] += 1 step = 2 }
trace ${4:-$1} $2 { c[step] += 1 step = 0 }
trace_end { print(a) print(b) print(c) }"
}

# in_order NAME THING SCRIPT COMMAND...: if the kernel has the thing
in_order() {
	name=$1 thing=$2
	echo "$3" >"$tmp/script.kp"
	shift 3
	if [ "$thing" ] && ! has "$thing"; then
		skip "$name" "this kernel has no $thing"
		return
	fi
	run -q "$tmp/script.kp" -- "$@"
	out "$name" "0: $n\n1: $n\n2: $n\n"
}

# functions of the kernel
in_order entries functions "$(steps "kprobe:$getppid" "$mine")" $call
in_order returns functions "$(steps "kretprobe:$getppid" "$mine")" $call
in_order a_pattern_between_names fprobes \
	"$(steps "kprobe:$getppid" "$mine" "kprobe:*${getppid#_}")" $call
in_order a_pattern_of_returns_between_names fprobes \
	"$(steps "kretprobe:$getppid" "$mine" "kretprobe:*${getppid#_}")" $call
in_order an_event_of_several fprobes "$(steps "kprobe:$getppid" "$mine" "kprobe:vfs_read, kprobe:$getppid")" $call
in_order the_function_tracer ftrace \
	"$(steps ftrace:function "/probefunc == \"$getppid\" && execname == \"workload\"/")" $call
if has functions; then
	offset=0
	for o in 1 2 3 4 5 6 7 8 9 10 11 12; do
		run -q -e "trace kprobe:vfs_write+$o { n += 1 }" -- true
		[ "$code" = 0 ] && offset=$o && [ $o -gt 4 ] && break
	done
	in_order instructions '' "$(steps "kprobe:vfs_write+$offset" "$mine")" "$workload" write 13 $n
	run -q -e "trace kprobe:$getppid $mine { self.n = 1 }
trace kprobe:$getppid /self.n/ { n += 1 self.n = nil } trace kretprobe:$getppid /self.n/ { m += 1 }
trace_end { print(n, m) }" -- $call
	out self_of_one_probe_is_read_by_the_next "$n\tnil\n"
else
	skip instructions "this kernel has no kprobes"
	skip self_of_one_probe_is_read_by_the_next "this kernel has no kprobes"
fi
if [ -e "$tracefs/kprobe_events" ] && has functions; then
	in_order fetch_arguments '' "$(steps "kprobe:$getppid a=\$comm" "$mine")" $call
	in_order fetch_arguments_of_returns '' "$(steps "kprobe:$getppid%return a=\$retval" "$mine")" $call
else
	skip fetch_arguments "this kernel has no kprobe events"
	skip fetch_arguments_of_returns "this kernel has no kprobe events"
fi

# functions and markers of programs
add="$target:$("$target" offset add 2>/dev/null)"
in_order entries_in_a_program programs "$(steps "uprobe:$add")" "$target" add $n
in_order returns_in_a_program programs "$(steps "uretprobe:$add")" "$target" add $n
in_order patterns_in_a_program programs "$(steps "uprobe:$marked:alpha" '' "uprobe:$marked:alph?")" "$marked" call alpha $n
in_order markers programs "$(steps "usdt:$marked:demo:guarded")" "$marked" fire $n

# tracepoints, and counters
in_order system_calls '' "$(steps syscalls:sys_enter_getppid "$mine")" $call
in_order returns_of_system_calls '' "$(steps syscalls:sys_exit_getppid "$mine")" $call
in_order a_pattern_of_system_calls '' "$(steps syscalls:sys_enter_getppid "$mine" 'syscalls:sys_enter_getpp*')" $call
in_order a_tracepoint '' "$(steps sched:sched_process_fork "$mine")" "$workload" fork $n
in_order a_raw_tracepoint fprobes "$(steps rawtp:sched_process_fork "$mine")" "$workload" fork $n
in_order a_counter profiles "$(steps software:faults:1 "/addr $at_2000 && execname == \"workload\"/")" \
	"$workload" fault $n

# the beginning and the end
run -q -e 'trace_begin { printf("1 ") } trace BEGIN { printf("2 ") } trace_end { printf("3 ") } trace END { print(4) }'
out the_beginning_and_the_end '1 2 3 4\n'

finish
