#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Events that programs make (Documentation/trace/user_events.rst). They must not be deleted
# while a session refers to them.

. "$(dirname "$0")/lib.sh"
[ -e "$tracefs/user_events_data" ] || lacks "this kernel has no user_events"
plan 7

# begin N: let a program register the event, in the background
begin() {
	: >"$tmp/ready"
	rm -f "$tmp/go"
	"$here/user_event" "$1" "$tmp/go" >"$tmp/ready" &
	program=$!
	wait_until grep -q ready "$tmp/ready"
}

# The program ends first: only the session uses the event then.
begin 5
start -q -e 'trace user_events:ktap_test { n += 1 sum += args.value } trace_end { print(n, sum) }'
touch "$tmp/go"
wait $program
is program_writes_its_event $? 0
stop
is events_of_a_program "$code $(cat "$tmp/out")" "0 5	15"

# A program that is killed, and a session that has not enabled the event yet
begin 3
start -q -e 'on = false trace user_events:ktap_test if (on) { n += 1 } trace_end { print(n) }'
kill -9 $program
wait $program 2>/dev/null
stop
is program_is_killed "$code $(cat "$tmp/out")" "0 nil"

# The event is still there, or comes again.
begin 4
start -q -e 'trace user_events:* { n += 1 } trace_end { print(n) }'
touch "$tmp/go"
wait $program
stop
is events_of_the_next_program "$code $(cat "$tmp/out")" "0 4"
gone() { ! [ -d "$tracefs/events/user_events/ktap_test" ]; }
wait_until gone
result $? event_is_deleted_when_nobody_refers_to_it

# An event that stays is deleted by hand, but not while a session refers to it.
echo 'u:ktap_kept u32 value' >>"$tracefs/dynamic_events"
start -q -e 'on = false trace user_events:ktap_kept if (on) { n += 1 } trace_end { print(1) }'
! echo '-:user_events/ktap_kept u32 value' >>"$tracefs/dynamic_events" 2>/dev/null
result $? event_in_use_is_not_deleted
stop
echo '-:user_events/ktap_kept u32 value' >>"$tracefs/dynamic_events"
result $? event_is_deleted_afterwards
finish
