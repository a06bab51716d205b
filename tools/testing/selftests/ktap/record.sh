#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Recordings: the text that --replay makes is the text of a live session.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 15

only='/execname == "workload"/'

# alike NAME SCRIPT [COMMAND...]: a session and the replay of a recording show the same
alike() {
	name=$1 text=$2
	shift 2
	run -q -e "$text" "$@"
	live=$code
	cp "$tmp/out" "$tmp/live"
	run -q --record "$tmp/rec" -e "$text" "$@"
	[ "$code" = "$live" ] && [ ! -s "$tmp/out" ]
	result $? "${name}_is_recorded"
	run -q --replay "$tmp/rec"
	[ "$code" = "$live" ] && [ -s "$tmp/live" ] && cmp -s "$tmp/live" "$tmp/out"
	status=$?
	result $status "${name}_is_replayed"
	[ $status = 0 ] || sed 's/^/# live: /' "$tmp/live"
}

alike values 'print(1, "two", nil, true, -5, "tab\tand \\ \" end") printf("%5d|%s\n", 3, "x")
	t = {a = 1, b = "two"} print("t", t, "end") print({}) u = t exit(3)'
alike tables "trace syscalls:sys_enter_getppid $only { n[execname, probename] += 1; one[1] = {} }
	trace_end { print(n) print(one) print_hist(n) print(\"after\") }" -- "$workload" getppid 50
alike globals "trace syscalls:sys_enter_getppid $only { n += 1; c[execname] += 2; s[execname] <<< 3 }" \
	-- "$workload" getppid 50
alike charts "h = hist() trace syscalls:sys_enter_getppid $only { n += 1 h <<< 1 + n % 2 c[n % 3] += 1 }
	trace_end { print(h) print_hist(c) }" -- "$workload" getppid 60

# a record for each event, merged with those of another session of the same clock
records="trace syscalls:sys_enter_getppid $only { print(pid) }"
run -q --record "$tmp/one" -e "$records" -- "$workload" getppid 1000
run -q --record "$tmp/two" -e "$records" -- "$workload" getppid 1000
run --replay "$tmp/one" "$tmp/two"
is merged_recordings_have_all_lines "$(wc -l <"$tmp/out")" 2000
matches "$tmp/err" '/two: host .*: it has the clock of the first one$'
result $? clocks_of_one_boot_are_the_same
run -q -f json --replay "$tmp/two" "$tmp/one"
sed 's/.*"time":\([0-9]*\),.*/\1/' "$tmp/out" >"$tmp/times"
[ "$(wc -l <"$tmp/times")" = 2000 ] && sort -n "$tmp/times" | cmp -s - "$tmp/times"
result $? merged_recordings_are_in_order

# user code has its names where it was recorded
run -q --record "$tmp/rec" -e "trace syscalls:sys_enter_getppid $only { s[ustack(), stack()] += 1 }" \
	-- "$workload" getppid 50
KTAP_TRACEFS=/nowhere run -q --folded --flame "$tmp/flame.svg" --replay "$tmp/rec"
is recorded_stacks_are_folded "$(sed 's/.* //' "$tmp/out" | awk '{ n += $1 } END { print n }')" 50
matches "$tmp/flame.svg" '^<g><title>all \(50, 100\.00%\)</title><rect '
result $? recorded_stacks_make_a_flame_graph

# a recorder that is killed
rm "$tmp/rec"
"$KTAP" -q --record "$tmp/rec" -e 'tick-10ms { print("line") }' 2>/dev/null &
tracer=$!
wait_until grep -qs '"line"' "$tmp/rec"
kill -KILL $tracer
wait $tracer 2>/dev/null
run --replay "$tmp/rec"
[ "$code" = 1 ] && matches "$tmp/out" '^line$' && matches "$tmp/err" 'the recording is cut off'
result $? recording_of_a_killed_tool_is_shown

run --record "$tmp/rec" -e 't = table.new(2) trace_begin { for (i = 1, 5) { t[i] = i } print("end") }'
run -q --replay "$tmp/rec"
matches "$tmp/err" 'dropped 3 entries'
result $? losses_are_recorded

finish
