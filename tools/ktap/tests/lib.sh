# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What the tests share: a folder of their own, $dir, and results.

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
count=0 failed=0 code='' quiet=''

# result STATUS NAME: the next result, unless it is good and nobody wants to know; what
# was said last goes with a failure
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

# skip NAME WHY
skip() {
	count=$((count + 1))
	echo "ok $count $1 # SKIP $2"
}

# finish: behind the last result; what it gives is the exit code
finish() {
	[ "$quiet" ] || echo "1..$count"
	echo "$((count - failed)) passed, $failed failed"
	[ "$failed" = 0 ]
}

# play STEPS COMMAND...: ktap with a session that goes by the steps
play() {
	steps=$1
	shift
	code=0
	# shellcheck disable=SC2059,SC2154 # steps have escapes; fake and ktap are the test's
	printf "$steps" | timeout 60 "$fake" "$dir" "$ktap" "$@" >"$dir/out" 2>"$dir/err" ||
		code=$?
}

# output NAME TEXT: exactly this on stdout
output() {
	# shellcheck disable=SC2059 # so has the text
	printf "$2" | cmp -s - "$dir/out"
	result $? "$1"
}
