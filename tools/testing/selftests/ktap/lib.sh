# SPDX-License-Identifier: GPL-2.0
# What the tests share: TAP output, and running ktap with its output kept.
# For any POSIX shell with the tools of busybox.

KTAP=${KTAP:-ktap}
KTAPC=${KTAPC:-ktapc}
tracefs=${KTAP_TRACEFS:-/sys/kernel/tracing}
here=$(cd "$(dirname "$0")" && pwd)
workload=$here/workload

planned=0 count=0 failed=0 skipped=0
skip_all=4

# plan N: as many results will follow
plan() {
	planned=$1
	echo "TAP version 13"
	if [ ! -e "$tracefs/ktap/session" ]; then
		echo "1..0 # SKIP this kernel has no ktap"
		exit $skip_all
	fi
	if [ "${2:-tools}" = tools ] && ! command -v "$KTAP" >/dev/null; then
		echo "1..0 # SKIP there is no program ktap"
		exit $skip_all
	fi
	echo "1..$planned"
	tmp=$(mktemp -d) || exit 1
	trap 'rm -rf "$tmp"' EXIT
}

# result STATUS NAME: the next result; what the last run said goes with a failure
result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count $2"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $count $2"
	[ ! -e "$tmp/out" ] || head -n 40 "$tmp/out" | sed 's/^/# out: /'
	[ ! -e "$tmp/err" ] || head -n 40 "$tmp/err" | sed 's/^/# err: /'
	echo "# exit code: $code"
}

# skip NAME WHY
skip() {
	count=$((count + 1))
	skipped=$((skipped + 1))
	echo "ok $count $1 # SKIP $2"
}

# is NAME ACTUAL EXPECTED
is() {
	[ "$2" = "$3" ]
	status=$?
	result $status "$1"
	[ $status = 0 ] || echo "# got '$2', expected '$3'"
}

# Ends the test with its exit code.
finish() {
	[ "$count" = "$planned" ] || echo "# planned $planned results, gave $count"
	echo "# $((count - failed - skipped)) passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] && [ "$count" = "$planned" ]
	exit
}

# run ARGS...: ktap to its end, with $tmp/out, $tmp/err and $code
run() {
	code=0
	timeout -s KILL "${seconds:-60}" "$KTAP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
}

# start ARGS...: ktap in the background, until it has attached; $tracer is its pid
start() {
	"$KTAP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
	tracer=$!
	wait_until is_running "$tracer"
}

# stop: ends what start began
stop() {
	kill -TERM "$tracer" 2>/dev/null
	reap
}

# reap: waits for what start began; killed if it does not end
reap() {
	( sleep "${seconds:-60}"; kill -KILL "$tracer" ) 2>/dev/null &
	watchdog=$!
	code=0
	wait "$tracer" || code=$?
	kill "$watchdog" 2>/dev/null
	wait "$watchdog" 2>/dev/null
}

# state PID: of the session that this process opened
state() {
	sed -n "s/^[0-9]* $1 .* \([a-z]*\) events=.*/\1/p" "$tracefs/ktap/sessions"
}

is_running() { [ "$(state "$1")" = running ]; }
no_sessions() { [ -z "$(cat "$tracefs/ktap/sessions")" ]; }

# wait_until COMMAND...: up to ten seconds
wait_until() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || return 1
		sleep 0.05
	done
}

# out NAME TEXT: the run succeeded, with exactly this output (printf escapes)
out() {
	printf "$2" >"$tmp/wanted"
	[ "$code" = 0 ] && cmp -s "$tmp/wanted" "$tmp/out"
	status=$?
	result $status "$1"
	[ $status = 0 ] || printf "$2" | sed 's/^/# expected: /'
}

# matches FILE PATTERN...: each extended regular expression matches a line of it
matches() {
	file=$1
	shift
	for pattern; do
		grep -Eq -e "$pattern" "$file" || { echo "# no line like: $pattern"; return 1; }
	done
}

has_event() { [ -d "$tracefs/events/$(echo "$1" | tr : /)" ]; }
