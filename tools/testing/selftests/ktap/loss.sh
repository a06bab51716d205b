#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Losses are counted and reported, and do not change the exit code.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 21

# reported: print the sum of the numbers in the messages
reported() {
	sed -n 's/^ktap: [^0-9]*\([0-9][0-9]*\) .*/\1/p' "$tmp/err" | awk '{ n += $1 } END { print n + 0 }'
}

run -q -e 't = table.new(0, 10)
for (i = 1, 25) { t[i] = i }
print(len(t), t[10], t[11])'
out full_table_keeps_what_it_has '10\t10\tnil\n'
is full_table_counts_what_it_dropped "$(reported)" 15

run -q -e 't = table.new(0, 1)
trace syscalls:sys_enter_getppid { t[nsecs] = 1 n += 1 }
trace_end { print(len(t), n) }' -- "$workload" getppid 300
out full_table_in_a_handler '1\t300\n'
is full_table_in_a_handler_is_counted "$(reported)" 299

# The message names the table and the number, also for keys of an aggregation and for a
# table in another one.
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
out no_memory_is_not_an_error 'true\n'
grep -q '^ktap: dropped [0-9]* values: the session had no memory left (of 512 KiB; -m for more)$' "$tmp/err"
result $? no_memory_is_reported

# A table without memory: the handler continues.
run -q -m 512K -e 'n = 0
trace syscalls:sys_enter_getppid { t[n] = { n, n + 1 } t[n].more = n n += 1 }
trace_end { print(n, len(t) > 100, len(t) < 5000) }' -- "$workload" getppid 20000
out no_memory_for_tables_does_not_end_handlers '20000\ttrue\ttrue\n'
grep -q '^ktap: dropped [0-9]* values: the session had no memory left (of 512 KiB; -m for more)$' "$tmp/err"
result $? no_memory_for_tables_is_reported
run -q -m 512K -e 't = {}
for (i = 1, 20000) { x = {} if (x == nil) { n += 1 a = ipof(x) } else { t[i] = x } }
print(n > 0, a, len(t) > 100)'
out built_ins_return_nil_without_memory 'true\tnil\ttrue\n'

# Output without a reader: ktap is stopped meanwhile, then continued.
start -q -e 'trace syscalls:sys_enter_getppid { n += 1 print(n, "a line of some length, to fill the buffer soon") }
trace_end { print("total", n) }'
kill -STOP "$tracer"
"$workload" getppid 200000
kill -CONT "$tracer"
seconds=120
stop
[ "$code" = 0 ] && [ "$(reported)" -gt 0 ]
result $? exit_code_after_a_loss
total=$(sed -n 's/^total.\([0-9]*\)$/\1/p' "$tmp/out")
lines=$(grep -c 'a line of' "$tmp/out")
is every_event_was_handled "$total" 200000
[ "$lines" -gt 100 ] && [ "$lines" -lt 200000 ]
result $? output_was_lost
is lost_output_is_counted "$(($(reported) + lines))" 200000

run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- "$workload" getppid 1000
is nothing_lost_nothing_reported "$(cat "$tmp/out" "$tmp/err")" 1000

# when no record was received
idle='trace syscalls:sys_enter_getppid'
run -e "$idle { n += 1 }" -- true
[ "$(cat "$tmp/out")" = 'n: 0' ] && matches "$tmp/err" "^ktap: no event of 'syscalls:sys_enter_getppid' happened where it is traced: in the process and its children\$"
result $? no_event_is_reported
run -e "$idle /execname == \"nobody\"/ { n += 1 }" -- "$workload" getppid 5
matches "$tmp/err" "^ktap: no event of 'syscalls:sys_enter_getppid' passed the filter: 5 did not\$"
result $? no_event_passing_the_filter_is_reported
run -e "$idle { n += 1 } trace syscalls:sys_enter_getpgid { m += 1 }" -- "$workload" getppid 5
[ "$(tr '\n' ' ' <"$tmp/out")" = 'n: 5 m: 0 ' ] && ! grep 'no event' "$tmp/err"
result $? not_reported_if_some_events_occurred
run -q -e "$idle { n += 1 }" -- true
is quiet_does_not_report_it "$(cat "$tmp/out" "$tmp/err")" 'n: 0'
run -e "$idle { n += 1 } exit()"
! grep 'no event' "$tmp/err"
result $? not_reported_for_a_script_that_has_not_run

finish
