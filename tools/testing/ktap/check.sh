#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# check.sh BUILD KTAPC SCRIPTS: the KUnit tests, then the scripts that need no
# event: SCRIPTS/cases/NAME.kp prints exactly NAME.out; errors/NAME.kp ends with
# code 1, load/NAME.kp with 2, and each line of NAME.err is a pattern that a
# line of standard error matches.

build=$1
ktapc=$2
scripts=$3
passed=0
failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

result() {
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $2"
	fi
}

# run SCRIPT: sets $code; output is in $tmp
run() {
	code=2
	"$ktapc" -o "$tmp/chunk" "$1" >"$tmp/out" 2>"$tmp/err" || return
	"$build/ktapvm" "$tmp/chunk" >"$tmp/out" 2>>"$tmp/err"
	code=$?
}

said() {
	while read -r pattern; do
		grep -Eq -e "$pattern" "$tmp/err" || return 1
	done <"$1"
}

"$build/kunit" >"$tmp/kunit"
grep -v '^ok ' "$tmp/kunit"
passed=$((passed + $(grep -c '^ok ' "$tmp/kunit")))
failed=$((failed + $(grep -c '^not ok ' "$tmp/kunit")))
# A crash leaves no line of its own.
tail -n 1 "$tmp/kunit" | grep -q '^# done$'
result $? kunit

cd "$scripts" || exit 1
for script in cases/*.kp; do
	run "$script"
	[ "$code" = 0 ] && cmp -s "${script%.kp}.out" "$tmp/out"
	status=$?
	result $status "$script"
	[ $status = 0 ] || diff "${script%.kp}.out" "$tmp/out" | head -n 20
	[ $status = 0 ] || head -n 20 "$tmp/err"
done
for script in errors/*.kp load/*.kp; do
	want=1
	[ "${script%%/*}" = errors ] || want=2
	run "$script"
	[ "$code" = $want ] && said "${script%.kp}.err" && ! grep -q 'after\|never' "$tmp/out"
	status=$?
	result $status "$script"
	[ $status = 0 ] || { echo "code $code"; head -n 20 "$tmp/err"; cat "${script%.kp}.err"; }
done

echo "$passed passed, $failed failed"
[ $failed = 0 ]
