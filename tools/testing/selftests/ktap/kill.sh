#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kill -9 of the tool at any time leaks neither a session nor memory. A probe that
# remained would use freed memory, which the constant load of system calls would show at
# once.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 10
rounds=${KILL_ROUNDS:-100}
code=0

# a light load: attaching interrupts each CPU often
"$workload" bursts 2 &
load=$!

# Attaching to everything is slow: a few rounds of it, most rounds attach to little
few=$((rounds / 20))
some=$(((rounds - few) / 5))
kill_rounds $few 1500 'trace *:* { s[probename] += 1 t[nsecs] = argstr }'
is no_session_with_all_events_survives_its_tool "$(wait_until no_sessions && echo none)" none
kill_rounds $some 150 'trace syscalls:sys_*_getppid { s[probename] += 1 t[pid, nsecs] = "some text " .. nsecs }
trace_end { print_hist(s) }'
kill_rounds $some 150 'trace sched:* { print(probename, argstr) }'
kill_rounds $some 150 'trace irq:*, timer:* { s[probename] += 1 }
tick-1ms { print_hist(s, 3) }'
kill_rounds $some 150 'trace_begin { while (1) { t[n] = {n} n += 1 } }'
kill_rounds $((rounds - few - 4 * some)) 150 'for (i = 1, 10000000) { t[i] = "text " .. i }'
wait_until no_sessions
result $? no_session_survives_its_tool
[ $hits -ge $((kills / 3)) ] && [ $hits != 0 ]
result $? many_had_a_session
echo "# $hits of $kills"

# during a long attach, and later
begun() { [ -n "$(state "$1")" ] || ! kill -0 "$1" 2>/dev/null; }
many='trace *:* { } trace *:* { }'
has fprobes && many="$many trace rawtp:* { }"
i=0 during=0
while [ $i -lt 5 ]; do
	"$KTAP" -q -e "$many" >/dev/null 2>&1 </dev/null &
	victim=$!
	wait_until begun $victim
	sleep 0.$((2 * i))
	[ "$(state $victim)" != loading ] || during=$((during + 1))
	kill -KILL $victim 2>/dev/null || break
	wait $victim 2>/dev/null
	wait_until no_sessions || break
	i=$((i + 1))
done
is killed_while_it_attaches "$i $(wait_until no_sessions && echo none)" "5 none"
echo "# $during of $i"

# while trace_end runs, after SIGINT
i=0
while [ $i -lt 5 ]; do
	start -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { while (1) { m += n } }'
	kill -TERM "$tracer"
	reaches "$tracer" stopping || break
	kill -KILL "$tracer"
	wait "$tracer" 2>/dev/null
	i=$((i + 1))
done
is killed_in_trace_end "$i $(wait_until no_sessions && echo none)" "5 none"

i=0
while [ $i -lt 5 ]; do
	start -q -e 'trace syscalls:* { s[probename] += 1 }' -- sleep 20 || break
	kill -KILL "$tracer"
	wait "$tracer" 2>/dev/null
	i=$((i + 1))
done
is killed_with_a_command "$i $(wait_until no_sessions && echo none)" "5 none"

run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- "$workload" getppid 100
out all_works_afterwards '100\n'

kill -KILL $load
wait $load 2>/dev/null
wait_until no_sessions
result $? no_session_at_the_end
no_leaks nothing_is_leaked
no_complaints kernel_did_not_complain

finish
