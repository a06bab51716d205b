#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests of ktapc --fmt and ktapc --ast.
# Usage: layout.sh KTAPC FMTCHECK
#
#   fmt/NAME.kp has the layout fmt/NAME.out
#   ast/NAME.kp has the tree ast/NAME.ast
#   and what holds of any layout holds of that of any script of the repository

ktapc=$1
fmtcheck=$2
cd "$(dirname "$0")" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0
failed=0

check() {
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $1"
	fi
}

# compare NAME EXPECTED COMMAND...
compare() {
	name=$1
	expected=$2
	shift 2
	"$@" >"$tmp/out" 2>&1 </dev/null && diff -u "$expected" "$tmp/out"
	check "$name" $?
}

# ends_with STATUS COMMAND...
ends_with() {
	want=$1
	shift
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ $status = "$want" ]
}

for kp in fmt/*.kp; do
	compare "$kp" "${kp%.kp}.out" "$ktapc" --fmt "$kp"
done
for kp in ast/*.kp; do
	compare "$kp" "${kp%.kp}.ast" "$ktapc" --ast "$kp"
done

find ../.. -name build -prune -o -name '*.kp' -print >"$tmp/scripts"
xargs "$fmtcheck" <"$tmp/scripts"
check layouts_are_canonical_and_keep_the_meaning $?

# What is between the lines and at their ends does not matter, unless a token or
# a comment goes over several of them.
bad=0
while read -r kp; do
	grep -q '\[\[\|/\*\|\\$' "$kp" && continue
	"$ktapc" --fmt "$kp" >"$tmp/plain" 2>/dev/null || continue
	for change in 's/^[ \t]*//' 's/$/ \t/' 's/$/\r/' 's/^$/\n\n/' 's/^\([ \t]*\)/\1\1 /'; do
		sed "$change" "$kp" >"$tmp/changed.kp"
		"$ktapc" --fmt "$tmp/changed.kp" 2>&1 | diff -u "$tmp/plain" - && continue
		echo "$kp, changed by $change"
		bad=1
	done
done <"$tmp/scripts"
check indentation_and_empty_lines_do_not_matter $bad

kp=fmt/statements.kp
ends_with 0 "$ktapc" --fmt -o "$tmp/new.kp" "$kp" && [ ! -s "$tmp/out" ] &&
	cmp "$tmp/new.kp" "${kp%.kp}.out"
check fmt_writes_to_a_file $?
cp "$kp" "$tmp/same.kp"
chmod 751 "$tmp/same.kp"
ends_with 0 "$ktapc" --fmt -o "$tmp/same.kp" "$tmp/same.kp" &&
	cmp "$tmp/same.kp" "${kp%.kp}.out" && [ "$(stat -c %a "$tmp/same.kp")" = 751 ]
check fmt_in_place_keeps_the_mode $?
"$ktapc" --fmt - <"$kp" >"$tmp/out" && cmp "$tmp/out" "${kp%.kp}.out"
check fmt_reads_standard_input $?
ends_with 0 "$ktapc" --fmt -e 'a=1;b=2' && printf 'a = 1\nb = 2\n' | cmp - "$tmp/out"
check fmt_takes_a_script_from_the_command_line $?
printf 'a=1\nb = = 2\n' >"$tmp/bad.kp"
ends_with 2 "$ktapc" --fmt "$tmp/bad.kp" && [ ! -s "$tmp/out" ] &&
	grep -q 'bad.kp:2:5: error: expected an expression' "$tmp/err"
check fmt_refuses_syntax_errors $?
ends_with 2 "$ktapc" --fmt -o "$tmp/bad.kp" "$tmp/bad.kp" && [ "$(wc -l <"$tmp/bad.kp")" = 2 ]
check fmt_leaves_a_bad_script_alone $?
ends_with 0 "$ktapc" --fmt -e 'nosuchfunction(a..1)' && grep -q 'nosuchfunction(a .. 1)' "$tmp/out"
check fmt_asks_for_no_more_than_syntax $?
ends_with 0 "$ktapc" --fmt -e '' && [ ! -s "$tmp/out" ]
check fmt_of_nothing_is_nothing $?
ends_with 2 "$ktapc" --ast "$tmp/bad.kp" && [ ! -s "$tmp/out" ] && [ -s "$tmp/err" ]
check ast_refuses_syntax_errors $?
mkfifo "$tmp/fifo"
cat "$tmp/fifo" >"$tmp/out" &
ends_with 0 "$ktapc" --fmt -o "$tmp/fifo" "$kp"
check fmt_writes_to_a_pipe $?
wait
[ -p "$tmp/fifo" ]
check output_replaces_no_special_file $?

echo "$passed passed, $failed failed"
[ $failed = 0 ]
