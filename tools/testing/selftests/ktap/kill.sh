#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kill -9 of the tool at any moment: nothing stays behind, neither a session nor
# memory. A probe that stayed would run on freed memory, which the load of system
# calls that goes on all the time brings to light at once.

. "$(dirname "$0")/lib.sh"
plan 5
rounds=${KILL_ROUNDS:-100}
kmemleak=/sys/kernel/debug/kmemleak
code=0

"$workload" spin 2 &
spinner=$!

everything='trace syscalls:* { s[probename] += 1 t[pid, nsecs] = "some text " .. nsecs }
trace sched:*, irq:*, timer:* { s[probename] += 1 }
tick-10ms { print_hist(s, 3) }
trace_end { print_hist(s) }'

# Milliseconds up to 400, from the shell's own poor randomness
delay() {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	printf '0.%03d' $((seed / 65536 % 400))
}

seed=$$
i=0
while [ $i -lt "$rounds" ]; do
	"$KTAP" -e "$everything" >/dev/null 2>&1 </dev/null &
	victim=$!
	sleep "$(delay)"
	kill -KILL $victim 2>/dev/null
	wait $victim 2>/dev/null
	i=$((i + 1))
done
wait_until no_sessions
result $? no_session_survives_its_tool

i=0
while [ $i -lt 10 ]; do
	"$KTAP" -q -e "$everything" -- sleep 1 >/dev/null 2>&1 </dev/null &
	victim=$!
	sleep "$(delay)"
	kill -KILL $victim 2>/dev/null
	wait $victim 2>/dev/null
	i=$((i + 1))
done
wait_until no_sessions
result $? no_session_survives_with_a_command

run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- "$workload" getppid 100
out all_works_afterwards '100\n'

kill -KILL $spinner
wait $spinner 2>/dev/null

if [ -e $kmemleak ]; then
	# what is freed after a grace period is not leaked: only the second scan tells
	echo clear >$kmemleak
	sleep 6
	echo scan >$kmemleak
	sleep 6
	echo scan >$kmemleak
	grep -A 12 ktap $kmemleak >"$tmp/err"
	[ ! -s "$tmp/err" ]
	result $? nothing_is_leaked
else
	skip nothing_is_leaked "no kmemleak"
fi

! dmesg 2>/dev/null | grep -E 'WARNING:|BUG:|Oops|KASAN|UBSAN|INFO: task' >"$tmp/err"
result $? kernel_did_not_complain

finish
