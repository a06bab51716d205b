#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests of ktapc --fmt and ktapc --ast.
# Usage: layout.sh KTAPC FMTCHECK
#
#   fmt/NAME.kp has the layout fmt/NAME.out
#   ast/NAME.kp has the tree ast/NAME.ast
#   and the layout of each script of the repository has the properties of all layouts

ktapc=$1
fmtcheck=$2
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")" || exit 1
quiet=yes

# compare NAME EXPECTED COMMAND...
compare() {
	name=$1
	expected=$2
	shift 2
	"$@" >"$dir/out" 2>&1 </dev/null && diff -u "$expected" "$dir/out"
	result $? "$name"
}

# ends_with STATUS COMMAND...
ends_with() {
	want=$1
	shift
	"$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	[ $status = "$want" ]
}

for kp in fmt/*.kp; do
	compare "$kp" "${kp%.kp}.out" "$ktapc" --fmt "$kp"
done
for kp in ast/*.kp; do
	compare "$kp" "${kp%.kp}.ast" "$ktapc" --ast "$kp"
done

find ../.. -name build -prune -o -name '*.kp' -print >"$dir/scripts"
xargs "$fmtcheck" <"$dir/scripts"
result $? layouts_are_canonical_and_keep_the_meaning

# Indentation, empty lines and blanks at the ends of lines do not change the layout, except
# in scripts with tokens or comments of several lines.
bad=0
while read -r kp; do
	grep -q '\[\[\|/\*\|\\$' "$kp" && continue
	"$ktapc" --fmt "$kp" >"$dir/plain" 2>/dev/null || continue
	for change in 's/^[ \t]*//' 's/$/ \t/' 's/$/\r/' 's/^$/\n\n/' 's/^\([ \t]*\)/\1\1 /'; do
		sed "$change" "$kp" >"$dir/changed.kp"
		"$ktapc" --fmt "$dir/changed.kp" 2>&1 | diff -u "$dir/plain" - && continue
		echo "$kp, changed by $change"
		bad=1
	done
done <"$dir/scripts"
result $bad indentation_and_empty_lines_do_not_matter

kp=fmt/statements.kp
ends_with 0 "$ktapc" --fmt -o "$dir/new.kp" "$kp" && [ ! -s "$dir/out" ] &&
	cmp "$dir/new.kp" "${kp%.kp}.out"
result $? fmt_writes_to_a_file
cp "$kp" "$dir/same.kp"
chmod 751 "$dir/same.kp"
ends_with 0 "$ktapc" --fmt -o "$dir/same.kp" "$dir/same.kp" &&
	cmp "$dir/same.kp" "${kp%.kp}.out" && [ "$(stat -c %a "$dir/same.kp")" = 751 ]
result $? fmt_in_place_keeps_the_mode
"$ktapc" --fmt - <"$kp" >"$dir/out" && cmp "$dir/out" "${kp%.kp}.out"
result $? fmt_reads_standard_input
ends_with 0 "$ktapc" --fmt -e 'a=1;b=2' && printf 'a = 1\nb = 2\n' | cmp - "$dir/out"
result $? fmt_takes_a_script_from_the_command_line
printf 'a=1\nb = = 2\n' >"$dir/bad.kp"
ends_with 2 "$ktapc" --fmt "$dir/bad.kp" && [ ! -s "$dir/out" ] &&
	grep -q 'bad.kp:2:5: error: expected an expression' "$dir/err"
result $? fmt_refuses_syntax_errors
ends_with 2 "$ktapc" --fmt -o "$dir/bad.kp" "$dir/bad.kp" && [ "$(wc -l <"$dir/bad.kp")" = 2 ]
result $? fmt_leaves_a_bad_script_alone
ends_with 0 "$ktapc" --fmt -e 'nosuchfunction(a..1)' && grep -q 'nosuchfunction(a .. 1)' "$dir/out"
result $? fmt_asks_for_no_more_than_syntax
ends_with 0 "$ktapc" --fmt -e '' && [ ! -s "$dir/out" ]
result $? fmt_of_nothing_is_nothing
ends_with 2 "$ktapc" --ast "$dir/bad.kp" && [ ! -s "$dir/out" ] && [ -s "$dir/err" ]
result $? ast_refuses_syntax_errors
mkfifo "$dir/fifo"
cat "$dir/fifo" >"$dir/out" &
ends_with 0 "$ktapc" --fmt -o "$dir/fifo" "$kp"
result $? fmt_writes_to_a_pipe
wait
[ -p "$dir/fifo" ]
result $? output_replaces_no_special_file

finish
