#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Arguments of a script: integers with the syntax of a script, and events in every
# spelling that a script may use.

. "$(dirname "$0")/lib.sh"
plan 10

# integers
run -q -e 'print($1 == 0xffffffff81000000, $2 == 0xffffffffffffffff, $3, $4, $5, $6, $7)' \
	0xffffffff81000000 0xffffffffffffffff 0x8000000000000000 -0x10 0b101 0755 1_000
out arguments_are_integers_as_in_a_script 'true\ttrue\t-9223372036854775808\t-16\t5\t493\t1000\n'
run -q -e 'print($1, $2, $3, $4, $5, $6)' 0x10000000000000000 9223372036854775808 089 10ms 1. ' 5'
out whatever_else_is_a_string '0x10000000000000000\t9223372036854775808\t089\t10ms\t1.\t 5\n'
run -q -e 'print(getopt("a", 0) == 0xffffffff81000000, getopt("b", nil) == 5)' --a=0xffffffff81000000 --b=0b101
out so_are_options 'true\ttrue\n'
run -q -e 'print(getopt("a", 0))' --a=0x1ffffffffffffffff
[ "$code" = 1 ] && matches "$tmp/err" "error: option --a is an integer, not '0x1ffffffffffffffff'"
result $? too_many_bits_are_none
run -q -e 'print(ksym($1) == ksym(0xffffffff81000000))' 0xffffffff81000000
out kernel_address_is_an_integer 'true\n'

# events: the event ends the script
ends() {
	run -q -e "trace ($1) { print(\"here\") exit() }" "$2"
	[ "$code" = 0 ] && [ "$(sort -u "$tmp/out")" = here ] || { echo "# $2"; wrong="$wrong $2"; }
}
wrong=
for event in tick-10ms tick:10ms tick:ms:10 interval:ms:10 interval:10ms interval:hz:100 interval:us:10000; do
	ends '$1' "$event"
done
is ticks_in_every_spelling "$wrong" ''
wrong=
if has profiles; then
	for event in profile-99hz profile:hz:99 profile:1ms profile:ms:10; do
		ends '$1' "$event"
	done
fi
is profiles_in_every_spelling "$wrong" ''
wrong=
for event in trace_begin BEGIN trace_end END; do
	run -q -e 'trace ($1) { print("here") } trace_begin { exit() }' "$event"
	[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = here ] || wrong="$wrong $event"
done
is beginning_and_end_in_every_spelling "$wrong" ''
run -q -e 'kdebug.probe($1, function () { print("here") exit() })' interval:ms:10
out events_of_a_function_as_well 'here\n'
wrong=
for event in interval:ms interval:10 interval:ms:0 interval:10ms:5 profile:hz:99:1 \
	interval:ms:10000000000000000000000000000000000000000000000; do
	run -q -e 'trace ($1) { }' "$event"
	[ "$code" = 2 ] && grep -q "error: '$event': a \(tick\|profile\) is like \|has no source" "$tmp/err" ||
		wrong="$wrong $event"
done
is wrong_timers_are_refused "$wrong" ''

finish
