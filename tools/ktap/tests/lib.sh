# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Functions of all tests, and $dir, a temporary folder of this test.

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
count=0 failed=0 code='' quiet=''

# result STATUS NAME: print the next result; with $quiet only failures. A failure is
# printed with the output of the last command.
result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		[ "$quiet" ] || echo "ok $count $2"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $count $2"
	for said in out err setup; do
		[ ! -s "$dir/$said" ] || head -n 40 "$dir/$said" | sed "s/^/# $said: /"
	done
	[ -z "$code" ] || echo "# exit code: $code"
}

# run ARGS...: run ktap without a session
run() {
	code=0
	timeout 20 "${ktap:?}" "$@" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
}

# expect NAME CODE [PATTERN]: the exit code of the last run, and a pattern of its stderr
expect() {
	[ "$code" = "$2" ] && { [ -z "$3" ] || grep -q -e "$3" "$dir/err"; }
	result $? "$1"
}

# said_too NAME PATTERN: another pattern of the stderr of the last run
said_too() {
	grep -q -e "$2" "$dir/err"
	result $? "$1"
}

# skip NAME WHY
skip() {
	count=$((count + 1))
	echo "ok $count $1 # SKIP $2"
}

# finish: print the number of results; its status is the exit code of the test
finish() {
	[ "$quiet" ] || echo "1..$count"
	echo "$((count - failed)) passed, $failed failed"
	[ "$failed" = 0 ]
}

# play STEPS ARGS...: run ktap with these arguments and a fake session that does the steps
play() {
	steps=$1
	shift
	code=0
	# shellcheck disable=SC2059,SC2154 # steps have escapes; the test sets fake and ktap
	printf "$steps" | timeout 60 "$fake" "$dir" "$ktap" "$@" >"$dir/out" 2>"$dir/err" ||
		code=$?
}

# output NAME TEXT: the last stdout was exactly TEXT
output() {
	# shellcheck disable=SC2059 # the text has escapes
	printf "$2" | cmp -s - "$dir/out"
	result $? "$1"
}

# damage FILE SIZE SEED: copy FILE, which has SIZE bytes, to "damaged" and change ten of them where
# the debug information is, in the second half of such a file
damage() {
	cp "$1" damaged
	for i in 1 2 3 4 5 6 7 8 9 10; do
		printf "\\$(printf %o $(($3 * 13 * i % 256)))" | dd of=damaged bs=1 conv=notrunc \
			seek=$(($2 / 5 + ($3 * 7919 + i * 104729) % ($2 / 2))) 2>/dev/null
	done
}
