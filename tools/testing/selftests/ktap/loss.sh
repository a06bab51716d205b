#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What is lost is counted and told, and costs no exit code.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 16

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

# Which table, and how many: also of the keys of an aggregation, and of a table
# that stands in another one.
run -q -e 'a = table.new(5) b = table.new(7) c = {}
for (i = 1, 10) { a[i] = i b[i] <<< i }
c.inner = table.new(1)
c.inner[1] = 1 c.inner[2] = 2
d = a
print(len(a), len(d), len(b))'
out full_tables_keep_what_they_have '5\t5\t7\n'
is full_tables_are_named "$(cat "$tmp/err")" \
"ktap: dropped 5 entries of 'a', which was full (5 entries; table.new(n) makes room for n)
ktap: dropped 3 entries of 'b', which was full (7 entries; table.new(n) makes room for n)
ktap: dropped 1 entries of tables that no global holds, which were full"
run -q -m 512K -e 't = table.new(100000) s = "0123456789abcdef"
for (i = 1, 4) { s = s .. s }
for (i = 1, 10000) { t[i] = s .. i }
print(len(t) < 10000)'
out no_memory_is_no_error 'true\n'
grep -q '^ktap: dropped [0-9]* values: the session had no memory left (of 512 KiB; -m for more)$' "$tmp/err"
result $? no_memory_is_told

# A table that there is no memory for: the handler goes on.
run -q -m 512K -e 'n = 0
trace syscalls:sys_enter_getppid { t[n] = { n, n + 1 } t[n].more = n n += 1 }
trace_end { print(n, len(t) > 100, len(t) < 5000) }' -- "$workload" getppid 20000
out no_memory_for_tables_ends_no_handler '20000\ttrue\ttrue\n'
grep -q '^ktap: dropped [0-9]* values: the session had no memory left (of 512 KiB; -m for more)$' "$tmp/err"
result $? no_memory_for_tables_is_told
run -q -m 512K -e 't = {}
for (i = 1, 20000) { x = {} if (x == nil) { n += 1 a = ipof(x) } else { t[i] = x } }
print(n > 0, a, len(t) > 100)'
out no_memory_is_nil_to_built_ins 'true\tnil\ttrue\n'

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
