#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A little of everything, for kernels that are slow because they check much.

. "$(dirname "$0")/lib.sh"
plan 12
seconds=120
cd "$here" || exit 1

for name in arith_wraps recursion table_compound_keys string_survives_many_others \
	for_pairs_while_deleting printf_directives; do
	run -q "cases/$name.kp"
	[ "$code" = 0 ] && cmp -s "cases/$name.out" "$tmp/out"
	result $? "$name"
done

run -q errors/remainder_by_zero.kp
[ "$code" = 1 ] && matches "$tmp/err" 'errors/remainder_by_zero\.kp:3:[0-9]+: error: '
result $? run_time_error

run -q -e 'trace syscalls:sys_*_getppid { s[probename, pid] += 1 } trace_end { print(len(s)) }' -- \
	"$workload" getppid 100
out syscalls_by_name_and_process '2\n'

run -q -e 'tick-50ms { n += 1 if (n == 3) { print("three") exit() } }'
out ticks 'three\n'

"$workload" spin 2 &
spinner=$!
start -q -e 'trace *:* { s[probename, execname] += 1 t[nsecs] = argstr }
trace_end { print(len(s) > 0) print_hist(s, 3) }'
sleep 3
stop
[ "$code" = 0 ] && [ "$(head -n 1 "$tmp/out")" = true ]
result $? all_events_under_load

i=0
while [ $i -lt 5 ]; do
	"$KTAP" -e 'trace *:* { s[probename] += 1 }' >/dev/null 2>&1 </dev/null &
	victim=$!
	sleep "0.$i"
	kill -KILL $victim 2>/dev/null
	wait $victim 2>/dev/null
	i=$((i + 1))
done
kill -KILL $spinner
wait_until no_sessions
result $? killed_tools_leave_nothing

code=0
./session >"$tmp/out" 2>&1 || code=$?
[ "$code" = 0 ]
result $? session_file

finish
