#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The language, as the kernel runs it. Three sets of files:
#   cases/NAME.kp prints exactly cases/NAME.out
#   errors/NAME.kp ends with a run-time error and exit code 1
#   load/NAME.kp is refused by compiler or kernel, exit code 2
# Each line of an .err file is an extended regular expression that must match
# a line of standard error.

. "$(dirname "$0")/lib.sh"
cd "$here" || exit 1

own=14
plan $(($(ls cases/*.kp errors/*.kp load/*.kp | wc -l) + own))

for script in cases/*.kp; do
	name=$(basename "$script" .kp)
	run -q "$script"
	[ "$code" = 0 ] && cmp -s "cases/$name.out" "$tmp/out" && [ ! -s "$tmp/err" ]
	status=$?
	result $status "$name"
	[ $status = 0 ] || diff "cases/$name.out" "$tmp/out" | head -n 20 | sed 's/^/# /'
done

# said FILE: each pattern of the file matches a line of stderr
said() {
	[ -s "$1" ] || return 1
	while read -r pattern; do
		matches "$tmp/err" "$pattern" || return 1
	done <"$1"
}

for script in errors/*.kp load/*.kp; do
	name=$(basename "$script" .kp)
	want=1
	[ "$(dirname "$script")" = errors ] || want=2
	run -q "$script"
	[ "$code" = "$want" ] && said "${script%.kp}.err" && ! grep -q 'after\|never' "$tmp/out"
	result $? "$(dirname "$script")_$name"
done

run -q -e 'for (i = 1, 5000) { print(i, "0123456789012345678901234567890123456789") } print("last")'
is top_level_may_print_much "$(wc -l <"$tmp/out") $(tail -n 1 "$tmp/out")" "5001 last"
# it runs before anybody can read
run -q -e 'for (i = 1, 100000) { print(i, "0123456789012345678901234567890123456789") }'
[ "$code" = 1 ] && [ "$(head -n 1 "$tmp/out" | cut -c 1-3)" = "1	0" ] &&
	matches "$tmp/err" '^-e:1:[0-9]+: error: printed more than'
result $? top_level_that_prints_too_much_is_told_so
run -q -e 'trace_end { for (i = 1, 50000) { print(i, "0123456789012345678901234567890123456789") } print("last") }'
is trace_end_may_print_much "$(wc -l <"$tmp/out") $(tail -n 1 "$tmp/out")" "50001 last"

run -q -e 'print($1 + 1, arg[2] .. "!", $3, arg[4])' 41 word 0x10
out arguments_of_the_script '42\tword!\t16\tnil\n'
run -q -e 'print("a")
exit(7)'
is exit_code_of_the_script "$code" 7
is output_before_exit_is_kept "$(cat "$tmp/out")" a
run -q -e 'n = 5 trace_end { exit(n) }'
is globals_are_not_printed_with_a_trace_end "$code $(cat "$tmp/out")" "5 "
run -q -e 'trace_end { print("end") } x = 1 / (y + 0)' -w
is trace_end_runs_after_an_error "$code $(cat "$tmp/out")" "1 end"
printf 'print("from stdin")\n' | "$KTAP" -q - >"$tmp/out" 2>"$tmp/err"
code=$?
out script_from_standard_input 'from stdin\n'
printf '#!/usr/bin/env ktap\nprint("line two", $1)\n' >"$tmp/s.kp"
run -q "$tmp/s.kp" arg
out first_line_may_name_the_interpreter 'line two\targ\n'
"$KTAPC" -o "$tmp/s.ktap" "$tmp/s.kp" 2>"$tmp/err"
run -q "$tmp/s.ktap" chunk
out chunk_runs_like_its_script 'line two\tchunk\n'
run -q -o "$tmp/file" -e 'print("to a file")'
mv "$tmp/file" "$tmp/out"
out output_may_go_to_a_file 'to a file\n'
"$KTAP" -q -e 'while (1) { }' >"$tmp/out" 2>"$tmp/err" </dev/null &
tracer=$!
reaches "$tracer" loading && began=$?
seconds=20 stop
is endless_top_level_can_be_interrupted "$began $code $(wait_until no_sessions && echo none)" "0 143 none"
run -q -Werror -e 'print(never_assigned)'
is warnings_can_be_errors "$code" 2

finish
