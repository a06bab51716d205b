#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Detaching waits for a few grace periods, which are slow. Their number depends neither on
# the number of events nor on other users of them.

. "$(dirname "$0")/lib.sh"
# the grace periods are counted by fprobes
needs fprobes
plan 9

seconds=300

# left N: wait until N sessions are left
left() { [ "$(grep -c '^[0-9]' "$tracefs/ktap/sessions")" = "$1" ]; }

# waits SCRIPT [OTHER]: set $waits to the grace periods of a session that is killed, while
# OTHER, which was opened later, continues
waits() {
	start -q -w -e "$1"
	killed=$tracer
	other=
	if [ -n "$2" ]; then
		start -q -w -e "$2"
		other=$tracer
	fi
	start -q -e 'trace probe:synchronize_rcu, probe:synchronize_srcu, probe:synchronize_rcu_expedited
	/pid == $1/ { n += 1 } trace_end { print(n) }' $killed
	kill -KILL $killed
	wait $killed 2>/dev/null
	wait_until left $((other ? 2 : 1))
	stop
	waits=$(cat "$tmp/out")
	[ -z "$other" ] || { kill -INT "$other"; wait "$other"; }
	wait_until no_sessions
}

# few NAME: a small number of grace periods, but not 0
few() {
	[ "$code" = 0 ] && [ "$waits" -gt 0 ] && [ "$waits" -le 20 ]
	status=$?
	result $status "$1"
	[ $status = 0 ] || echo "# it waited $waits times"
}

all='trace *:* { }'
run -e "$all trace_begin { exit() }"
[ "$(sed -n 's/^ktap: total enabled \([0-9]*\) events$/\1/p' "$tmp/err")" -gt 200 ]
result $? there_are_many_events
waits "$all"
few all_events
waits "$all $all"
few all_events_twice
waits "$all" "$all"
few all_events_first_of_two_sessions
waits "$all $all" "$all"
few all_events_twice_first_of_two_sessions
waits 'trace rawtp:* { }' 'trace rawtp:* { }'
few all_raw_tracepoints_first_of_two_sessions
waits "trace rawtp:* { } $all trace rawtp:* { }" "$all trace rawtp:* { }"
few all_of_both_kinds_first_of_two_sessions
waits 'trace probe:vfs_* { } trace probe:vfs_*%return { } trace probe:vfs_read, probe:vfs_write { } tick-1s { } profile-10hz { }'
few functions
no_complaints kernel_did_not_complain
finish
