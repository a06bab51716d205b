#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Sessions that run without a terminal: ktap --detach, --attach, --stop, --sessions; and the
# limits of a run.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 21

only='/execname == "workload"/'
export KTAP_RUN="$tmp/run"

# field NAME N: a column of the list
field() {
	"$KTAP" --sessions | awk -v name="$1" -v n="$2" '$1 == name { print $n }'
}
field_is() { [ "$(field "$1" "$2")" = "$3" ]; }
nothing_is_left() { no_sessions && [ -z "$(ls "$KTAP_RUN")" ]; }

# Load that goes on; then exactly 1000 calls of another program. All is counted once.
"$workload" fork 10000000 &
load=$!
run -q --detach counts -e "trace syscalls:sys_enter_getppid $only { n += 1 print(\"call\") } trace_end { print(n) }"
is detach_returns "$code" 0
"$workload" getppid 1000
is session_runs "$(field counts 4)" running
[ "$(field counts 9)" != - ] && [ -n "$(field counts 9)" ]
result $? list_has_kernel_memory
wait_until field_is counts 6 1000
result $? list_counts_lines
timeout 5 "$KTAP" -q --attach counts >"$tmp/attached"
is attach_shows_the_lines "$(grep -c call "$tmp/attached")" 1000
"$workload" getppid 500
run -q --stop counts
is stop_shows_all_lines "$(grep -c call "$tmp/out")" 1500
is stop_runs_trace_end "$(tail -n 1 "$tmp/out")" 1500
kill -KILL $load
wait $load 2>/dev/null
wait_until nothing_is_left
result $? stopped_session_leaves_nothing

# More output than is kept: what is shown and what was overwritten are all of it.
run -q --keep 64k --detach small -e "trace syscalls:sys_enter_getppid $only { n += 1 print(n) }
	trace_end { print(\"last\", n) }"
"$workload" getppid 5000
run --stop small
# there may be a message for what was overwritten before, and others for what is since
lost=$(sed -n 's/^ktap: overwrote \([0-9]*\) older lines .*/\1/p' "$tmp/err" |
	awk '{ n += $1 } END { print n + 0 }')
[ "$lost" -gt 0 ] && [ $(($(grep -c '^[0-9]' "$tmp/out") + lost)) = 5000 ]
result $? overwritten_output_is_counted
is newest_output_is_kept "$(tail -n 1 "$tmp/out")" "last	5000"

# A flight recorder: the script finds that the call 3000 is the one to look at.
run -q --keep 64k --dump "$tmp/flight" --detach flight -e "trace syscalls:sys_enter_getppid $only {
		n += 1
		print(n)
		if (n == 3000) dump(\"at \" .. n)
	}
	trace_end { dump(\"at the end\") }"
"$workload" getppid 4000
wait_until [ -s "$tmp/flight.1" ]
run -q --stop flight
wait_until nothing_is_left
"$KTAP" --replay "$tmp/flight.1" >"$tmp/out" 2>"$tmp/err"
is dump_ends_at_its_reason "$(tail -n 1 "$tmp/out") $(tail -n 1 "$tmp/err")" "3000 ktap: dump: at 3000"
# there may be a message for what was overwritten before, and others for what is since
lost=$(sed -n 's/^ktap: overwrote \([0-9]*\) older lines .*/\1/p' "$tmp/err" |
	awk '{ n += $1 } END { print n + 0 }')
[ "$lost" -gt 0 ] && [ $(($(wc -l <"$tmp/out") + lost)) = 3000 ]
result $? dump_counts_what_was_overwritten
"$KTAP" --replay "$tmp/flight.2" >"$tmp/out" 2>"$tmp/err"
is dump_has_the_output_since_the_last_one "$(head -n 1 "$tmp/out") $(tail -n 1 "$tmp/out")" "3001 4000"
is trace_end_may_dump "$(tail -n 1 "$tmp/err")" "ktap: dump: at the end"

# The keeper is killed, and then the runner.
run -q --detach killed -e "trace syscalls:sys_enter_getppid { n += 1 }"
kill -KILL "$(field killed 3)"
wait_until no_sessions
result $? session_of_a_killed_keeper_ends
is list_shows_no_killed_keeper "$(field killed 1)" ''
run -q --detach cut -e 'trace_begin { print("begun") } tick-10ms { n += 1 }'
wait_until field_is cut 6 1
kill -KILL "$(sed -n 's/^[0-9]* \([0-9]*\) .* running events=.*/\1/p' "$tracefs/ktap/sessions")"
wait_until field_is cut 4 ended
run -q --attach cut
[ "$code" = 1 ] && grep -qx begun "$tmp/out" && matches "$tmp/err" 'the recording is cut off'
result $? output_of_a_killed_runner_is_kept

# Limits
run -q --for 1 --detach timed -e "tick-10ms { n += 1 } trace_end { print(n > 0) exit(3) }"
wait_until field_is timed 4 ended
run -q --attach timed
[ "$code" = 3 ] && [ "$(cat "$tmp/out")" = true ]
result $? time_ends_the_session
run -q --until 5 -e 'tick-10ms { n += 1 print(n) } trace_end { print("end") }'
[ "$(head -n 5 "$tmp/out" | tr '\n' ' ')" = '1 2 3 4 5 ' ] && [ "$(tail -n 1 "$tmp/out")" = end ]
result $? lines_end_the_session

run -q --detach wrong -e 'trace no:such { n += 1 }'
[ "$code" = 2 ] && matches "$tmp/err" "^-e:1:7: error: no event 'no:such'|error: .*no:such" && [ -z "$(ls "$KTAP_RUN")" ]
result $? refused_script_leaves_nothing
no_complaints kernel_did_not_complain

finish
