#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The share of a CPU that handlers may use: with an overhead limit events are skipped and
# counted; without one all are handled, unless a script holds a CPU for seconds.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 26

enter=syscalls:sys_enter_getppid
exit=syscalls:sys_exit_getppid
# far longer than a system call
work='var x = 0 for (i = 1, 1000) { x += i }'
calls=3000

# skipped EVENT: print how many were skipped, from the message that the guide has
advice='a filter or a shorter handler costs less'
skipped() {
	sed -n "s/^ktap: '$1' skipped \([0-9]*\) events to stay below --max-overhead ([0-9]*%): $advice\$/\1/p" "$tmp/err"
}

# number EVENT NAME: print this number of the event in ktap/sessions, as shown by -v
number() {
	sed -n "s/^ktap:  *$1 .*$2=\([0-9]*\).*/\1/p" "$tmp/err"
}

# With an overhead limit
run -q --max-overhead 1 -e "trace $enter { $work n += 1 } trace $exit { m += 1 }
trace_end { print('entered', n) print('exited', m) }" -- "$workload" getppid $calls
is skipping_is_no_error "$code" 0
ran=$(value entered)
[ "$ran" -gt 0 ] && [ "$ran" -lt $calls ]
result $? some_events_are_handled
is skipped_and_handled_are_all $((ran + $(skipped $enter))) $calls
is each_probe_has_its_own_count $(($(value exited) + $(skipped $exit))) $calls

# Filters count as handlers. Events are counted as filtered even if none passes.
run -v --max-overhead 1 -e "function no() { $work return false }
trace $enter /no()/ { n += 1 } trace_end { print(n) }" -- "$workload" getppid $calls
out false_filter 'nil\n'
[ "$(number $enter skipped)" -gt 0 ] && [ "$(number $enter filtered)" -gt 0 ]
result $? false_filter_counts_as_overhead
is skipped_and_filtered_are_all $(($(number $enter skipped) + $(number $enter filtered))) $calls
is message_equals_the_sessions_file "$(skipped $enter)" "$(number $enter skipped)"
[ "$(number $enter time)" -gt 0 ] && matches "$tmp/err" '^ktap: .* ended .* overhead=[0-9]+\.[0-9][0-9]% attached=1/1$'
result $? sessions_file_has_its_time

# The top level runs in process context; it is neither measured nor skipped.
run -v --max-overhead 1 -e "trace_begin { print('begin') } trace $enter { $work n += 1 }
tick-10ms { $work ticks += 1 if (ticks == 30) { exit() } }
trace_end { $work print('end', ticks) }" -- "$workload" spin 1
out begin_tick_and_end_are_not_skipped 'begin\nend\t30\n'
is ticks_are_not_measured "$(number tick-10ms hits) $(number tick-10ms skipped) $(number tick-10ms time)" "30 0 0"
[ "$(skipped $enter)" -gt 0 ]
result $? but_events_meanwhile_are_traced

run -q --max-overhead 1 -e "profile-1ms { $work n += 1 } tick-1s { exit() }
trace_end { print(n > 0) }" -- "$workload" burn 30000
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = true ] && [ "$(skipped profile-1ms)" -gt 0 ]
result $? profile_is_skipped

# The limit is per CPU: a CPU at its limit does not affect the other one. If the host was
# busy, a few events may be skipped.
if [ "$cpus" -ge 2 ]; then
	start -q --max-overhead 10 -e "trace $enter /execname == 'workload'/ { ran[cpu] += 1 if (cpu == 0) { $work } }
trace_end { print('first', ran[0]) print('second', ran[1]) }"
	"$workload" pin 0 spin 1 &
	load=$!
	round=0
	while [ $round -lt 50 ]; do
		"$workload" pin 1 getppid 1
		usleep 20000
		round=$((round + 1))
	done
	kill -KILL $load
	wait $load 2>/dev/null
	stop
	[ "$(skipped $enter)" -gt 0 ] && [ "$(value first)" -gt 0 ] && [ "$(value second)" -ge 25 ]
	result $? cpus_are_independent
else
	skip cpus_are_independent "there is one"
fi

# Without an overhead limit
run -q -e "trace $enter { $work n += 1 } trace_end { print(n) }" -- "$workload" getppid 50
out nothing_is_skipped '50\n'
is and_no_message_is_printed "$(cat "$tmp/err")" ""

# repeated N WORD: print the word N times
repeated() {
	yes "$2" | head -n "$1"
}

# held NAME EVENTS HANDLER COMMAND...: a session that holds CPU 0 is ended. The handlers
# leave almost no time to others: otherwise the time in which the guest does not run would
# mostly fall into the rest.
held() {
	name=$1 probes=
	for event in $2; do
		probes="$probes trace $event { $3 n += 1 }"
	done
	shift 3
	seconds=240 run -q -C 0 -e "$probes trace_end { print('the end', n > 0) }" -- "$@"
	[ "$code" = 1 ] && [ "$(cat "$tmp/out")" = "the end	true" ] && matches "$tmp/err" \
		'^-e:1:[0-9]+: error: the handlers held more than 90% of CPU 0 for three seconds: try a filter, fewer events, or --max-overhead PCT, which skips some$' \
		'^  in trace '
	result $? "$name"
}

# as long as possible; a real-time kernel ends them sooner
max_insns=$tracefs/ktap/max_insns
was=$(cat "$max_insns")
trap 'echo "$was" >"$max_insns"; rm -rf "$tmp"' EXIT
echo 100000 >"$max_insns"
held handlers_that_loop $enter 'var x = 0 while (x < 40000) { x += 1 }' "$workload" pin 0 spin 1
held handlers_that_end "$(repeated 10 $enter)" 'var x = 0 while (x < 2000) { x += 1 }' \
	"$workload" pin 0 spin 1
# clear() of a large table is measured in pieces, as loops are
held handlers_that_clear $enter 'for (i = 1, 9000) { t[i] = i } clear(t)' \
	"$workload" pin 0 spin 1

# rounds_for SECONDS EVENT COMMAND...: set $rounds and max_insns so that 400 handlers that count
# to it take this time; the command causes the event for a second.
rounds_for() {
	seconds_in_all=$1 event=$2
	shift 2
	run -v -C 0 -e "trace $event { var x = 0 while (x < 10000) { x += 1 } }
tick-1s { exit() }" -- "$@"
	time=$(sed -n 's/^ktap: .* hits=[1-9].* time=\([1-9][0-9]*\) .*/\1/p' "$tmp/err")
	hits=$(sed -n 's/^ktap: .* hits=\([1-9][0-9]*\) .* time=[1-9].*/\1/p' "$tmp/err")
	rounds=$((seconds_in_all * 25000000 / (time / hits / 1000 + 1)))
	echo "# $rounds rounds in each of 400 handlers"
	echo $((rounds + 10000)) >"$max_insns"
}

# In interrupts, so that nothing else runs on this CPU.
timer=timer:hrtimer_expire_entry
if "$KTAP" -l $timer 2>/dev/null | grep -q .; then
	rounds_for 1 $timer "$workload" pin 0 burn 1000000
	held all_the_time_in_interrupts "$(repeated 400 $timer)" \
		"var x = 0 while (x < $rounds) { x += 1 }" "$workload" pin 0 burn 1000000
else
	skip all_the_time_in_interrupts "this kernel has no $timer"
fi
# If handlers take long in an interrupt, the kernel delays the next one by 100 ms: such pauses
# do not start the three seconds again. Here between calls whose handlers take two seconds.
nap='syscalls:sys_enter_clock_nanosleep*'
rounds_for 2 "$nap" "$workload" pin 0 nap 10 1000000
held handlers_with_pauses "$(repeated 400 "$nap")" "var x = 0 while (x < $rounds) { x += 1 }" \
	"$workload" pin 0 nap 100 1000000
echo "$was" >"$max_insns"

run -q -e "trace $enter { n += 1 } trace_end { print(n) }" -- "$workload" pin 0 getppid 1000
out all_works_afterwards '1000\n'

# 100 means neither a limit nor an end of the session
run -q --max-overhead 100 -e "trace $enter { $work n += 1 } tick-5s { exit() }
trace_end { print(n > 0) }" -- "$workload" pin 0 spin 1
out full_overhead_limit_never_ends_the_session 'true\n'
is and_nothing_is_skipped "$(cat "$tmp/err")" ""

# Lines of the session
wrong=
for line in 'overhead 0' 'overhead 101' 'overhead 1.5' 'overhead -1' 'overhead 5%' 'overhead x' 'overhead '; do
	line_is_refused "$line" \
		"overhead '${line#overhead }': a percentage is a whole number from 1 to 100; 100 is no limit" ||
		wrong="$wrong '$line'"
done
is invalid_percentage_is_reported "$wrong" ""
line_is_refused overhead "'overhead' is no line to set up a session with"
result $? percentage_out_of_range

finish
