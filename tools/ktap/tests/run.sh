#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests of the compiler: listings, error texts, the command line, damaged input.
# Usage: run.sh KTAPC [--update]; the latter writes what is expected anew.

ktapc=$1
update=$2
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

# Compares output with the expected file; the exit status must be $3.
compare() {
	if [ "$status" != "$3" ]; then
		echo "exit status $status instead of $3"
		check "$1" 1
		return
	fi
	[ "$update" = --update ] && cp "$tmp/out" "$2"
	diff -u "$2" "$tmp/out"
	check "$1" $?
}

# 0 if the command ends with the exit status $1.
ends_with() {
	want=$1
	shift
	"$@" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null
	status=$?
	[ $status = "$want" ]
}

for kp in golden/*.kp; do
	"$ktapc" -d -w "$kp" >"$tmp/out" 2>&1
	status=$?
	compare "$kp" "${kp%.kp}.list" 0
done
for kp in errors/*.kp; do
	"$ktapc" -d --werror "$kp" >"$tmp/out" 2>&1
	status=$?
	compare "$kp" "${kp%.kp}.err" 2
done

for kp in ../scripts/*.kp; do
	"$ktapc" --werror "$kp" -o "$tmp/tool.ktap"
	check "$kp" $?
done

ends_with 0 "$ktapc" -e 'print(1)' -o "$tmp/a.ktap"
check option_e_writes_output $?
ends_with 0 "$ktapc" -d "$tmp/a.ktap" && grep -q 'CALLB   r0, print/1' "$tmp/stdout"
check chunk_is_disassembled $?
cp golden/tables.kp "$tmp/t.kp"
ends_with 0 "$ktapc" "$tmp/t.kp" && [ -s "$tmp/t.ktap" ]
check default_output_name $?
"$ktapc" -d -w golden/tables.kp >"$tmp/1" && "$ktapc" -w golden/tables.kp -o "$tmp/b.ktap" &&
	"$ktapc" -d "$tmp/b.ktap" | cmp -s - "$tmp/1"
check script_and_chunk_list_alike $?
ends_with 2 "$ktapc" -e 'x = ' -o "$tmp/none.ktap" && [ ! -e "$tmp/none.ktap" ]
check errors_leave_no_output $?
ends_with 2 "$ktapc" "$tmp/nosuch.kp"
check missing_input_is_reported $?
ends_with 2 "$ktapc" -e 'x = 1' -o "$tmp/no/such/dir" && [ -s "$tmp/stderr" ]
check unwritable_output_is_reported $?
ends_with 2 "$ktapc"
check usage_without_arguments $?
ends_with 2 "$ktapc" "$tmp/a.ktap"
check chunk_is_not_compiled_again $?
ends_with 0 "$ktapc" -h
check help_option $?
ends_with 0 "$ktapc" -V
check version_option $?
ends_with 0 "$ktapc" -d -e 'print(unassigned)' && grep -q 'warning: .unassigned' "$tmp/stderr"
check unassigned_name_is_a_warning $?
ends_with 2 "$ktapc" -d -Werror -e 'print(unassigned)' && grep -q 'error: .unassigned' "$tmp/stderr"
check werror_makes_it_an_error $?
ends_with 0 "$ktapc" -d -w -e 'print(unassigned)' && [ ! -s "$tmp/stderr" ]
check no_warnings_option $?
echo 'print("in")' | "$ktapc" -d - >"$tmp/out" 2>&1 && grep -q '<stdin>:1' "$tmp/out"
check script_from_standard_input $?
ends_with 0 "$ktapc" -d -e '' && grep -q RET "$tmp/stdout"
check empty_script_compiles $?

# What is included: beside the script, in the folders of -I, in the library.
mkdir "$tmp/lib" "$tmp/more"
echo 'print("lib")' >"$tmp/lib/a.kp"
echo 'print("more")' >"$tmp/more/b.kp"
echo 'include "a.kp" include "b.kp"' >"$tmp/inc.kp"
KTAP_LIBRARY=$tmp/lib "$ktapc" -d -I "$tmp/more" "$tmp/inc.kp" >"$tmp/out" 2>&1 &&
	grep -q "; $tmp/lib/a.kp:1: print" "$tmp/out" && grep -q "; $tmp/more/b.kp:1" "$tmp/out"
check include_searches_folders_and_library $?
echo 'print("beside")' >"$tmp/a.kp"
KTAP_LIBRARY=$tmp/lib "$ktapc" -d -I "$tmp/more" "$tmp/inc.kp" >"$tmp/out" 2>&1 &&
	grep -q "; $tmp/a.kp:1: print" "$tmp/out" && ! grep -q "lib/a.kp" "$tmp/out"
check include_prefers_what_is_beside_the_script $?
(cd "$tmp/lib" && ends_with 0 "$ktapc" -d -e 'include "a.kp"' && grep -q '; a.kp:1: print' "$tmp/stdout")
check include_from_the_command_line_is_relative_to_the_folder $?
ends_with 2 env KTAP_LIBRARY="$tmp/lib" "$ktapc" -d -I "$tmp/more" -e 'include "none.kp"' &&
	grep -q "cannot include 'none.kp': No such file" "$tmp/stderr" &&
	grep -q "searched in ., $tmp/more, $tmp/lib, /" "$tmp/stderr"
check include_says_where_it_searched $?
ends_with 2 "$ktapc" -d -e "include '/none.kp'" &&
	grep -q "cannot include '/none.kp': No such file" "$tmp/stderr" &&
	! grep -q searched "$tmp/stderr"
check include_of_an_absolute_path_does_not_search $?
mkdir "$tmp/folder.kp"
(cd "$tmp" && ends_with 2 "$ktapc" -d -e 'include "folder.kp"') &&
	grep -q "cannot include 'folder.kp': Is a directory" "$tmp/stderr"
check include_of_a_folder_is_an_error $?
(cd "$tmp" && ends_with 2 "$ktapc" -d -e 'include "b.ktap"') &&
	grep -q "'b.ktap' is a compiled chunk" "$tmp/stderr"
check include_of_a_chunk_is_an_error $?
echo 'include "self.kp" print(1)' >"$tmp/self.kp"
ln -s self.kp "$tmp/alias.kp"
ends_with 0 "$ktapc" -d "$tmp/alias.kp" && [ "$(grep -c print/1 "$tmp/stdout")" = 1 ]
check include_of_itself_is_ignored $?
n=1
while [ $n -lt 65 ]; do
	echo "include \"f$((n + 1)).kp\" print($n)" >"$tmp/f$n.kp"
	n=$((n + 1))
done
echo 'print(65)' >"$tmp/f65.kp"
ends_with 2 "$ktapc" -d "$tmp/f1.kp" && grep -q 'f64.kp:1:9: error: a script has at most 64 files' "$tmp/stderr"
check more_than_64_files_are_refused $?
ends_with 0 "$ktapc" -d "$tmp/f2.kp" && grep -q "; $tmp/f65.kp:1" "$tmp/stdout"
check there_may_be_64_files $?

# Large scripts: they work, or the message says where it was too much.
fails_with() {
	ends_with 2 "$ktapc" -d "$tmp/big.kp" && grep -q "big.kp:$1: error: $2" "$tmp/stderr"
}
awk 'BEGIN { for (i = 0; i < 10000; i++) print "a" i % 1000 " = a" (i + 7) % 1000 " + " i }' >"$tmp/big.kp"
ends_with 0 "$ktapc" -d "$tmp/big.kp"
check ten_thousand_lines_compile $?
awk 'BEGIN { for (i = 0; i < 40000; i++) print "x = " i }' >"$tmp/big.kp"
fails_with 32769:5 'the script is too large: more than 65536 instructions'
check too_many_instructions $?
awk 'BEGIN { for (i = 0; i < 5000; i++) print "g" i " = 1" }' >"$tmp/big.kp"
fails_with 4097:1 'the script is too large: more than 4096 globals'
check too_many_globals $?
awk 'BEGIN { for (i = 0; i < 5000; i++) print "function f" i "() { }" }' >"$tmp/big.kp"
fails_with 4096:10 'the script is too large: more than 4096 functions'
check too_many_functions $?
awk 'BEGIN { for (i = 0; i < 2000; i++) print "trace a:b" i " f" ; print "function f() { }" }' >"$tmp/big.kp"
fails_with 1025:7 'the script is too large: more than 1024 probes'
check too_many_probes $?
awk 'BEGIN { print "trace a:b {"; for (i = 0; i < 2000; i++) print "x = args.f" i; print "}" }' >"$tmp/big.kp"
fails_with 1026:3 'the script is too large: more than 1024 event fields'
check too_many_event_fields $?
awk 'BEGIN { for (i = 0; i < 4100; i++) print "try { print(1) } catch { }" }' >"$tmp/big.kp"
fails_with 1:1 'the script is too large: more than 4096 try statements'
check too_many_try_statements $?
awk 'BEGIN { for (i = 0; i < 66000; i++) printf "%sprint(\"s%d\")\n", i % 16 ? "" : "", i }' >"$tmp/big.kp"
fails_with '[0-9]*:[0-9]*' 'the script is too large: more than 65536'
check too_many_strings $?
awk 'BEGIN { for (i = 0; i < 1500; i++) printf "print(\"%04096d\")\n", i }' >"$tmp/big.kp"
fails_with 1:1 'the script is too large: its chunk would have .* bytes, at most 4194304'
check too_large_a_chunk $?
awk 'BEGIN { printf "x = \""; for (i = 0; i < 1048576; i++) printf "a"; print "\"" }' >"$tmp/big.kp"
fails_with 1:5 'a string has at most 4096 bytes'
check a_string_of_a_megabyte $?
awk 'BEGIN { printf "x = [["; for (i = 0; i < 20000; i++) print "line"; print "]] y = )" }' >"$tmp/big.kp"
fails_with 20001:8 'expected an expression'
check a_raw_string_of_many_lines $?
awk 'BEGIN { printf "x = "; for (i = 0; i < 30; i++) printf "{a = "; printf "1";
	for (i = 0; i < 30; i++) printf ", 2}"; print "" }' >"$tmp/big.kp"
ends_with 0 "$ktapc" -d "$tmp/big.kp"
check tables_thirty_deep $?
awk 'BEGIN { printf "x = "; for (i = 0; i < 500; i++) printf "{"; print "" }' >"$tmp/big.kp"
fails_with '1:[0-9]*' 'nested too deeply: at most 200 levels'
check tables_too_deep $?
awk 'BEGIN { print "function f() {"; for (i = 0; i < 200; i++) print "var v" i " = " i;
	for (i = 0; i < 200; i++) print "print(v" i ")"; print "}" }' >"$tmp/big.kp"
ends_with 0 "$ktapc" -d "$tmp/big.kp" && [ ! -s "$tmp/stderr" ]
check two_hundred_locals $?
awk 'BEGIN { print "function f() {"; for (i = 0; i < 300; i++) print "var _v" i " = " i; print "}" }' >"$tmp/big.kp"
fails_with 252:5 "too many locals: 'f' needs more than 250 registers"
check too_many_locals $?
awk 'BEGIN { print "function f() {"; for (i = 0; i < 300; i++) print "{ var v" i " = " i " print(v" i ") }"; print "}" }' >"$tmp/big.kp"
ends_with 0 "$ktapc" -d "$tmp/big.kp" && grep -q '(0 params, 2 registers)' "$tmp/stdout"
check locals_of_dead_blocks_give_their_registers_back $?
awk 'BEGIN { printf "f = print(1)\nx = "; for (i = 0; i < 190; i++) printf "t[1] + ("; printf "1";
	for (i = 0; i < 190; i++) printf ")"; print " t[1] = 1" }' >"$tmp/big.kp"
ends_with 0 "$ktapc" -d "$tmp/big.kp"
check nearly_two_hundred_temporaries $?
awk 'BEGIN { print "t[1] = 1"; printf "x = "; for (i = 0; i < 150; i++) printf "f(t[1], t[1], "; printf "1";
	for (i = 0; i < 150; i++) printf ")"; print " function f(a, b, c) { return a + b + c }" }' >"$tmp/big.kp"
fails_with 2:3 "'main' needs more than 250 registers: too many locals, or too large an expression"
check too_many_temporaries $?
awk 'BEGIN { for (i = 0; i < 300; i++) printf "%sx", i ? ", " : ""; print " = 1" }' >"$tmp/big.kp"
fails_with 1:751 'an assignment has at most 250 variables'
check too_many_variables_in_an_assignment $?
awk 'BEGIN { for (i = 0; i < 10000; i++) print "print(unknown" i ")" }' >"$tmp/big.kp"
ends_with 0 "$ktapc" -d "$tmp/big.kp" &&
	[ "$(grep -c "is read but never assigned" "$tmp/stderr")" = 50 ] &&
	grep -q 'big.kp: too many warnings, 9950 are not shown' "$tmp/stderr"
check warnings_are_capped $?

# Damaged chunks: an error message or a listing, never a crash.
size=$(wc -c <"$tmp/b.ktap")
bad=0
n=0
while [ $n -lt "$size" ]; do
	head -c $n "$tmp/b.ktap" >"$tmp/cut.ktap"
	ends_with 2 "$ktapc" -d "$tmp/cut.ktap" || [ $status = 0 ] || bad=1
	head -c $n "$tmp/b.ktap" >"$tmp/hole.ktap"
	printf '\377\376' >>"$tmp/hole.ktap"
	tail -c +$((n + 3)) "$tmp/b.ktap" >>"$tmp/hole.ktap"
	ends_with 2 "$ktapc" -d "$tmp/hole.ktap" || [ $status = 0 ] || bad=1
	n=$((n + 37))
done
check damaged_chunks_are_survived $bad

# Scripts that end anywhere.
bad=0
for kp in golden/*.kp; do
	size=$(wc -c <"$kp")
	n=1
	while [ $n -lt "$size" ]; do
		head -c $n "$kp" >"$tmp/cut.kp"
		ends_with 2 "$ktapc" -d "$tmp/cut.kp" || [ $status = 0 ] || bad=1
		n=$((n + 41))
	done
done
check truncated_scripts_are_survived $bad

echo "$passed passed, $failed failed"
[ $failed = 0 ]
