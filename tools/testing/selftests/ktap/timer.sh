#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Timers: how often they fire, and what their handlers may do.

. "$(dirname "$0")/lib.sh"
plan 12

# between NAME NUMBER LEAST MOST
between() {
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ]
	result $? "$1"
}

run -q -e 'tick-100ms { n += 1 if (n == 5) { print("five ticks") exit() } }'
out tick_fires_again_and_again 'five ticks\n'

run -q -e 'timer.ms(50, function () { n += 1 if (n == 3) { print("three") exit() } })'
out timer_ms_is_a_tick 'three\n'

run -q -e 'n = 0
function f() { n += 1 if (n == 2) { print("two") exit() } }
timer.ms(20, f)'
out timer_takes_a_named_function 'two\n'

run -q -e 'begin = 0
tick-200ms {
	if (begin == 0) { begin = elapsed }
	n += 1
	if (n == 6) { print((elapsed - begin) / 1000000) exit() }
}'
between tick_keeps_its_period "$(cat "$tmp/out")" 800 3000

run -q -e 'tick-10ms { a += 1 } tick-100ms { b += 1 if (b == 10) { print(a > b, b) exit() } }'
out two_timers_run_side_by_side 'true\t10\n'

run -q -e 't = {}
for (i = 1, 3000) { t[i] = i }
tick-50ms { for (k, v in pairs(t)) { sum += v } print(sum) print_hist(t, 3) exit() }'
is tick_may_work_long_and_print "$(head -n 1 "$tmp/out")" 4501500

# the interrupts of a tick whose handler takes ten periods
# shellcheck disable=SC2016 # of ktap
run -q -e 'trace timer:hrtimer_expire_entry /ksym(args.function) == "tick_timer"/ { fired += 1 }
tick-1ms {
	begin = nsecs
	while (nsecs - begin < 10000000) { }
	n += 1
	if (n == 20) { exit() }
}
trace_end { print(fired <= n + 1 or fired) }'
is slow_tick_does_not_interrupt_in_vain "$(cat "$tmp/out")" true

run -q -e 'tick-100ms { n += 1 } trace_end { print(n > 2) }' -- sleep 1
out tick_ends_with_the_session 'true\n'

# their thread is a kernel thread
echo 'for p in /proc/[0-9]*; do
	case $(cat "$p/comm" 2>/dev/null) in ktap/[0-9]*) cut -d " " -f 19 "$p/stat" ;; esac
done' >"$tmp/levels.sh"
# shellcheck disable=SC2016 # of that shell
sh -c 'renice -n 7 -p $$ >/dev/null && exec "$@"' - "$KTAP" -q -e 'tick-1s { }' -- \
	sh "$tmp/levels.sh" >"$tmp/out" 2>"$tmp/err" </dev/null
code=$?
out ticks_run_at_the_nice_level_of_ktap '7\n'

# local time
export TZ=IST-5:30
run -q -e 'print(utc_offset)'
out offset_of_local_time '19800000000000\n'
run -q -e 't = nsecs - gettimeofday_ns + 1500000000
print(strftime("%F %T", t) .. " " .. strftime("%F %T", t + utc_offset))'
out a_moment_in_local_time '1970-01-01 00:00:01 1970-01-01 05:30:01\n'
unset TZ
wrong=
for line in 'utc_offset 86400' 'utc_offset -86400' 'utc_offset -2147483648' \
		'utc_offset 1h' 'utc_offset '; do
	line_is_refused "$line" "'${line#utc_offset }' is no offset from UTC: a number of seconds, less than a day" ||
		wrong="$wrong '$line'"
done
is invalid_offset_is_reported "$wrong" ""

finish
