#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The language, as the kernel runs it. Three sets of files, here and in big/, which is
# written by big.sh:
#   cases/NAME.kp prints exactly cases/NAME.out
#   errors/NAME.kp ends with a run-time error and exit code 1
#   load/NAME.kp is refused by compiler or kernel, exit code 2
# Each line of an .err file is an extended regular expression that must match
# a line of standard error.
#
# And the examples of the documentation, as written by examples.sh: their .err is the
# exact message.

. "$(dirname "$0")/lib.sh"
cd "$here" || exit 1

own=25
plan $(($(ls cases/*.kp errors/*.kp load/*.kp big/*/*.kp examples/*.kp | wc -l) + own))

# run_each SCRIPT...: run four at a time; the results are in $got/SCRIPT.out, .err and
# .code
run_each() {
	started=0
	for script; do
		{
			run_code=0
			timeout -s KILL 60 "$KTAP" -q "$script" >"$got/$script.out" \
				2>"$got/$script.err" </dev/null || run_code=$?
			echo $run_code >"$got/$script.code"
		} &
		started=$((started + 1))
		[ $((started % 4)) != 0 ] || wait
	done
	wait
}

# gave SCRIPT STATUS NAME: report its result
gave() {
	if [ "$2" != 0 ]; then
		cp "$got/$1.out" "$tmp/out"
		cp "$got/$1.err" "$tmp/err"
	fi
	result "$2" "$3"
}

# A kernel without the interpreter refuses what is too long for the BPF JIT.
too_long() {
	[ "$code" = 2 ] && matches "$got/$1.err" \
		"^$1:[0-9]+:[0-9]+: error: main cannot be compiled, and this kernel interprets no scripts: it is too long"
}

# prints SCRIPT: its output is exactly the expected one
prints() {
	read -r code <"$got/$1.code"
	if [ "$dir" = "$here/big" ] && too_long "$1"; then
		skip "${1%.kp}" "this kernel interprets no scripts, and this one is too long to be compiled"
		return
	fi
	[ "$code" = 0 ] && cmp -s "${1%.kp}.out" "$got/$1.out" && [ ! -s "$got/$1.err" ]
	status=$?
	gave "$1" $status "${1%.kp}"
	[ $status = 0 ] || diff "${1%.kp}.out" "$got/$1.out" | head -n 20 | sed 's/^/# /'
}

# said SCRIPT: each pattern of its .err matches a line of stderr
said() {
	[ -s "${1%.kp}.err" ] || return 1
	while read -r pattern; do
		matches "$got/$1.err" "$pattern" || return 1
	done <"${1%.kp}.err"
}

# fails SCRIPT: it fails as expected
fails() {
	want=1
	[ "${1%%/*}" = errors ] || want=2
	read -r code <"$got/$1.code"
	[ "$code" = "$want" ] && said "$1" && ! grep -q 'after\|never' "$got/$1.out"
	gave "$1" $? "${1%.kp}"
}

for dir in "$here" "$here/big"; do
	cd "$dir" || exit 1
	got=$tmp/got
	mkdir "$got" "$got/cases" "$got/errors" "$got/load" || exit 1
	run_each cases/*.kp errors/*.kp load/*.kp
	for script in cases/*.kp; do prints "$script"; done
	for script in errors/*.kp load/*.kp; do fails "$script"; done
	rm -r "$got"
done

# example NAME: one without expected output has probes, and ends with its command
example() {
	if [ -e "$1.out" ] || [ -e "$1.err" ]; then
		run -q "$1.kp"
	else
		run -q "$1.kp" -- true
		: >"$tmp/out"
		# a handler is interrupted and the interrupt wakes a task, mostly on
		# PREEMPT_RT (activation.c)
		sed -i "/^ktap: '.*' missed [0-9]* events\$/d" "$tmp/err"
		# 32-bit programs may use the frame register for any value
		[ "$half" = 32 ] ||
			sed -i '/^ktap: [0-9]* frames of programs are shown as addresses: /d' "$tmp/err"
	fi
	if lacks_events "$tmp/err" && ! lacks_events "$1.err" 2>/dev/null; then
		skip "examples/$1" "this kernel lacks a feature that it needs"
		return
	fi
	want=0
	! grep -q error: "$tmp/err" || want=2
	! grep -q '^  in ' "$tmp/err" || want=1
	for stream in out err; do
		expected=$1.$stream
		[ -e "$expected" ] || expected=/dev/null
		tr '\t' ' ' <"$expected" >"$tmp/expected"
		tr '\t' ' ' <"$tmp/$stream" | cmp -s - "$tmp/expected" || want=other
	done
	[ "$code" = "$want" ]
	result $? "examples/$1"
}

cd "$here/examples" || exit 1
for script in *.kp; do example "${script%.kp}"; done
cd "$here" || exit 1

run -q -e 'for (i = 1, 5000) { print(i, "0123456789012345678901234567890123456789") } print("last")'
is top_level_may_print_much "$(wc -l <"$tmp/out") $(tail -n 1 "$tmp/out")" "5001 last"
# ktap reads while it runs
run -q -e 'for (i = 1, 100000) { print(i, "0123456789012345678901234567890123456789") } print("last")'
is top_level_may_print_as_much_as_trace_end "$code $(wc -l <"$tmp/out") $(tail -n 1 "$tmp/out")" "0 100001 last"
# the others read after it has ended; so does ktap with output after its command
much='for (i = 1, 100000) { print(i, "0123456789012345678901234567890123456789") }'
run -q --unsafe -e "system('echo ran') $much"
[ "$code" = 1 ] && [ "$(head -n 1 "$tmp/out")" = ran ] &&
	matches "$tmp/err" '^-e:1:[0-9]+: error: printed more than 1024 KiB before'
result $? top_level_with_too_much_output_and_a_command_is_reported
"$KTAPC" -e "$much" -o "$tmp/much.ktap"
exec 3<>"$tracefs/ktap/session"
cat "$tmp/much.ktap" >&3
cat <&3 >"$tmp/out"
exec 3>&-
[ "$(head -n 1 "$tmp/out" | cut -c 1-3)" = "1	0" ] &&
	matches "$tmp/out" '^<command line>:1:[0-9]+: error: printed more than 1024 KiB before'
result $? top_level_with_too_much_output_for_a_file_is_reported
# with all debugging checks of the kernel that takes minutes
seconds=300 run -q -e 'trace_end { for (i = 1, 50000) { print(i, "0123456789012345678901234567890123456789") } print("last") }'
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
# interrupted SCRIPT: set $ended to whether it began, its exit code, and the remaining
# sessions
interrupted() {
	"$KTAP" -q -e "$1" >"$tmp/out" 2>"$tmp/err" </dev/null &
	tracer=$!
	reaches "$tracer" loading && began=$?
	seconds=20 stop
	ended="$began $code $(wait_until no_sessions && echo none)"
}
interrupted 'while (1) { }'
is endless_top_level_can_be_interrupted "$ended" "0 0 none"
interrupted 'function f(n) { return f(n + 1) } f(1)'
is endless_tail_calls_can_be_interrupted "$ended" "0 0 none"
run -q -Werror -e 'print(never_assigned)'
is warnings_can_be_errors "$code" 2
run -q -e 'function f() { var unused = 1 } f() print("ran")'
out warnings_stop_nothing 'ran\n'
matches "$tmp/err" "^-e:1:20: warning: 'unused' is never used$"
result $? warnings_have_a_place
run -q -w -e 'function f() { var unused = 1 } f() print(unassigned)'
is warnings_can_be_left_out "$code $(cat "$tmp/out" "$tmp/err")" "0 nil"

mkdir "$tmp/lib" "$tmp/beside"
echo 'print("of the library")' >"$tmp/lib/one.kp"
echo 'print("beside")' >"$tmp/beside/one.kp"
echo 'include "one.kp"' >"$tmp/beside/script.kp"
run -q -I "$tmp/lib" -e 'include "one.kp"'
out include_from_the_library 'of the library\n'
KTAP_LIBRARY=$tmp/lib "$KTAP" -q -e 'include "one.kp"' >"$tmp/out" 2>"$tmp/err" </dev/null
code=$?
out include_from_the_library_of_the_environment 'of the library\n'
run -q -I "$tmp/lib" "$tmp/beside/script.kp"
out include_from_beside_the_script 'beside\n'

printf 'one\ntwo\n' >"$tmp/shown"
run -q -e 'print("before") cat($1) print("after")' "$tmp/shown"
out cat_shows_a_file_in_its_place 'before\none\ntwo\nafter\n'
run -q -e 'cat($1) print("after")' "$tmp/missing"
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = after ] &&
	matches "$tmp/err" "^ktap: cat: $tmp/missing: No such file or directory$"
result $? cat_of_a_missing_file_is_reported

finish
