#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A few tests of everything, for kernels that are slow due to debugging checks.

. "$(dirname "$0")/lib.sh"
plan 25
seconds=300
cd "$here" || exit 1

for name in arith_wraps recursion table_compound_keys string_survives_many_others \
	for_pairs_while_deleting printf_directives histogram_layout; do
	run -q "cases/$name.kp"
	[ "$code" = 0 ] && cmp -s "cases/$name.out" "$tmp/out"
	result $? "$name"
done

run -q errors/remainder_by_zero.kp
[ "$code" = 1 ] && matches "$tmp/err" '^errors/remainder_by_zero\.kp:3:[0-9]+: error: '
result $? run_time_error
run -q load/unknown_event.kp
[ "$code" = 2 ] && matches "$tmp/err" '^load/unknown_event\.kp:3:[0-9]+: error: '
result $? load_time_error

run -q -e 'trace syscalls:sys_*_getppid /execname == "workload"/ { s[probename, pid] += 1 n += 1 }
trace_end { print(len(s), n) }' -- "$workload" getppid 1000
out syscalls_by_name_and_process '2\t2000\n'

run -q -e 'tick-50ms { n += 1 if (n == 3) { print("three") exit() } }'
out ticks 'three\n'

run -q -e 'trace profile-100hz /execname == "workload"/ { n += 1 } trace_end { print(n > 0) }' -- \
	"$workload" burn 300
out profiles 'true\n'

run -q -e 'trace probe:vfs_write, probe:vfs_write%return /execname == "workload" && arg2 == 13/ { n[retval == 13] += 1 }
trace_end { print(n[true], n[false]) }' -- "$workload" write 13 1000
out functions '1000\t1000\n'

if has fprobes; then
	# Not the returns of many functions: the unwinder of x86 warns if an interrupt in
	# return_to_handler takes a stack, as KASAN does.
	start -e 'trace probe:vfs_* { s[probefunc] += 1 t[kstack(3)] += 1 }
	trace ftrace:function /ip == *page*/ { n += 1 } trace_end { print(len(s) > 0, n > 0) }'
	"$workload" fork 20
	stop
	[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = "true	true" ]
	result $? many_functions
else
	skip many_functions "this kernel has no fprobes"
fi

# All events of the machine under load for ten seconds, then detached. With lockdep these
# include the events of every lock: they would use a whole CPU, and the session would be
# stopped.
"$workload" bursts 2 &
load=$!
start --max-overhead 50 -e 'trace *:* { s[probename] += 1 n += 1 }
trace sched:*, syscalls:sys_enter_* { t[nsecs] = execname .. argstr }
trace_end { print(len(s) > 10, n > 10000) print_hist(s, 3) }'
result $? all_events_attach
"$workload" spin 1 &
spinner=$!
"$workload" fork 10000000 &
forker=$!
sleep 10
kill -KILL $spinner $forker
wait $spinner $forker 2>/dev/null
stop
[ "$code" = 0 ] && [ "$(head -n 1 "$tmp/out")" = "true	true" ] && [ "$(wc -l <"$tmp/out")" = 6 ]
result $? all_events_under_load
wait_until no_sessions
result $? all_events_detach

# kill -9, a hundred times, unless KTAP_DIVIDE says less
kill_rounds 1 3000 'trace *:* { s[probename] += 1 }'
kill_rounds 49 300 'trace syscalls:sys_*_getppid { s[probename] += 1 t[pid, nsecs] = "some text " .. nsecs }
tick-1ms { print_hist(s, 3) }'
kill_rounds 30 300 'trace sched:sched_switch { print(argstr) }'
kill_rounds 5 1000 'trace probe:vfs_* { s[probefunc] += 1 } trace ftrace:function /ip == vfs_*/ { n += 1 }'
kill_rounds 15 300 'for (i = 1, 10000000) { t[i] = {i} }'
[ $hits -ge $((kills / 3)) ] && [ $hits != 0 ]
result $? many_had_a_session
echo "# $hits of $kills"
kill -KILL $load
wait $load 2>/dev/null
wait_until no_sessions
result $? killed_tools_leave_nothing

# The session file; truncated, wrong and random chunks; a session over a socket
for program in session bad_chunks session_over_socket; do
	code=0
	KTAP_FUZZ_ROUNDS=$(divided 300) KTAP_SESSIONS=$(divided 200) "./$program" >"$tmp/out" 2>&1 || code=$?
	if [ "$code" = $skip_all ]; then
		skip "$program" "$(sed -n 's/^1\.\.0 # SKIP //p' "$tmp/out")"
		continue
	fi
	grep '^# ' "$tmp/out" >"$tmp/err"
	sed -i '/ OK \|RUN /d' "$tmp/err"
	: >"$tmp/out"
	result "$code" "$program"
done

run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- "$workload" getppid 100
out all_works_afterwards '100\n'
no_leaks nothing_is_leaked
no_complaints kernel_did_not_complain

finish
