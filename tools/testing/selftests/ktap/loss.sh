#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What is lost is counted and told, and costs no exit code.

. "$(dirname "$0")/lib.sh"
plan 9

# told NUMBER: the sum of the numbers in the notes
told() {
	sed -n 's/^ktap: [^0-9]*\([0-9][0-9]*\) .*/\1/p' "$tmp/err" | awk '{ n += $1 } END { print n + 0 }'
}

run -q -e 't = table.new(0, 10)
for (i = 1, 25) { t[i] = i }
print(len(t), t[10], t[11])'
out full_table_keeps_what_it_has '10\t10\tnil\n'
is full_table_counts_what_it_dropped "$(told)" 15

run -q -e 't = table.new(0, 1)
trace syscalls:sys_enter_getppid { t[nsecs] = 1 n += 1 }
trace_end { print(len(t), n) }' -- "$workload" getppid 300
out full_table_in_a_handler '1\t300\n'
is full_table_in_a_handler_is_counted "$(told)" 299

# Nobody reads while this prints: ktap is stopped, then goes on.
start -q -e 'trace syscalls:sys_enter_getppid { n += 1 print(n, "a line of some length, to fill the buffer soon") }
trace_end { print("total", n) }'
kill -STOP "$tracer"
"$workload" getppid 200000
kill -CONT "$tracer"
seconds=120
stop
[ "$code" = 0 ] && [ "$(told)" -gt 0 ]
result $? exit_code_after_a_loss
total=$(sed -n 's/^total.\([0-9]*\)$/\1/p' "$tmp/out")
lines=$(grep -c 'a line of' "$tmp/out")
is every_event_was_handled "$total" 200000
[ "$lines" -gt 100 ] && [ "$lines" -lt 200000 ]
result $? output_was_lost
is lost_output_is_counted "$(($(told) + lines))" 200000

run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- "$workload" getppid 1000
is nothing_lost_nothing_said "$(cat "$tmp/out" "$tmp/err")" 1000

finish
