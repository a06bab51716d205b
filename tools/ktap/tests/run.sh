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
