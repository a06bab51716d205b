#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Events that every kernel has: tracepoints of the scheduler, and ticks. Each fork of a
# shell is counted.

. "$(dirname "$0")/lib.sh"
plan 6

n=50
mine='/parent_comm == "busybox-forks"/'
# a shell with its own name; busybox then needs the name of the tool
cp "$(readlink -f /proc/$$/exe)" "$tmp/busybox-forks"
shell="$tmp/busybox-forks"
"$shell" -c : 2>/dev/null || shell="$shell sh"
loop="i=0; while [ \$i -lt $n ]; do (exit 3); i=\$((i + 1)); done"

run -q -e "trace sched:sched_process_fork $mine { n += 1 } trace_end { print(n) }" -- $shell -c "$loop"
out events_are_counted_exactly "$n\n"
run -q -e "trace sched:sched_process_fork $mine { t[args.child_pid] += 1 s[args.parent_pid] += 1 }
trace_end { for (k, v in pairs(s)) { print(len(t), v) } }" -- $shell -c "$loop"
out fields_are_keys "$n\t$n\n"
run -q -e "trace sched:sched_process_fork $mine { child[args.child_pid] = 1 }
trace sched:sched_process_exit /child[pid()]/ { n += 1 child[pid] = nil }
trace_end { print(n, len(child)) }" -- $shell -c "$loop"
out events_of_children_are_found "$n\t0\n"
run -q -e "h = hist() trace sched:sched_process_fork $mine { h <<< 1 } trace_end { print(count(h), sum(h)) }" -- \
	$shell -c "$loop"
out values_are_aggregated "$n\t$n\n"
run -q -e "trace sched:sched_process_fork $mine { n += 1 print(n) }" -- $shell -c "$loop"
is every_line_is_read "$(wc -l <"$tmp/out") $(tail -n 1 "$tmp/out")" "$n $n"
run -q -e 'trace sched:sched_switch { n += 1 } tick-10ms { t += 1 if (t == 5) { print(n > 0) exit() } }'
out ticks_and_switches 'true\n'

finish
