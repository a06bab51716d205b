# SPDX-License-Identifier: GPL-2.0
# Helpers of the tests: TAP output, and running ktap with its output in files. For any
# POSIX shell with the tools of busybox.

KTAP=${KTAP:-ktap}
KTAPC=${KTAPC:-ktapc}
tracefs=${KTAP_TRACEFS:-/sys/kernel/tracing}
here=$(cd "$(dirname "$0")" && pwd)
workload=$here/workload
cpus=$(grep -c '^processor' /proc/cpuinfo)

# half of the bits of a program's long. Known addresses of the tests are 0x2000 or 0x3000,
# shifted left by this number; with 16 bits fewer digits identify them
half=$(($("$workload" bits 2>/dev/null || echo 64) / 2))
at_2000='>> 32 == 0x2000' at_3000='>> 32 == 0x3000'
[ "$half" = 32 ] || at_2000='>> 24 == 0x20' at_3000='>> 24 == 0x30'

# With lockdep, taking a lock is an event: these events dominate a chart of all
# tracepoints, and tracing everything takes ten times as long.
bar_of_calls='@+' tenth=1
[ ! -e "$tracefs/events/lock" ] || bar_of_calls='@*' tenth=10

planned=0 count=0 failed=0 skipped=0
skip_all=4 lacking=

# has THING: the kernel has an event SYSTEM:NAME; a kind of probes; its own types (BTF);
# waiting for user memory when a system call begins; arguments at the return of a
# program's function; addresses that show whether they are of user or kernel memory, for
# str(), buf() and read(); little-endian numbers; files in which frames of programs are
# found; or stacks of the kernel, or of programs, that show the caller of a function
# which has not set up its frame yet
has() {
	case $1 in
	callers) case $(uname -m) in x86_64 | s390x | ppc64*) ;; *) false ;; esac ;;
	user_callers) case $(uname -m) in aarch64 | s390x) false ;; esac ;;
	little_end) [ "$(printf '\001\000' | od -An -d | tr -d ' ')" = 1 ] ;;
	user_files) ! grep -q '^user_files: 0$' "$tracefs/ktap/features" ;;
	functions) [ -e "$tracefs/available_filter_functions" ] ;;
	types) [ -e /sys/kernel/btf/vmlinux ] ;;
	fprobes) grep -q '^sources:.* fprobe' "$tracefs/ktap/features" 2>/dev/null ;;
	rawtp) grep -q '^sources:.* rawtp' "$tracefs/ktap/features" 2>/dev/null ;;
	ftrace) grep -q '^sources:.* ftrace' "$tracefs/ktap/features" 2>/dev/null ;;
	programs) grep -q uprobe "$tracefs/ktap/features" 2>/dev/null ;;
	packets) grep -q '^sources:.* packet' "$tracefs/ktap/features" 2>/dev/null ;;
	watches) grep -q '^sources:.* watch' "$tracefs/ktap/features" 2>/dev/null ;;
	profiles) [ -e /proc/sys/kernel/perf_event_paranoid ] ;;
	waits_for_strings) ! grep -q '^waits_for_strings: 0$' "$tracefs/ktap/features" ;;
	return_arguments) ! grep -q '^return_arguments: 0$' "$tracefs/ktap/features" ;;
	addresses) ! "$KTAP" -q -e 'str(1)' 2>&1 </dev/null | grep -q 'an address does not tell whether' ;;
	*) grep -qx "$1" "$tracefs/available_events" 2>/dev/null ;;
	esac
}

# lacks_events FILE: this kernel lacks an event of this script of the documents
lacks_events() {
	words='has no source for|this kernel has no |this kernel keeps no |without fprobes this kernel'
	words="$words|an address does not tell whether"
	has syscalls:sys_enter_getppid || words="$words|no event (matches )?'syscalls:"
	# the documents use the names of x86-64
	[ "$(uname -m)" = x86_64 ] || words="$words|Invalid register name"
	grep -qE "$words" "$1"
}

# needs THING...: call it before plan; the test is skipped if one of them is missing
needs() {
	for thing; do
		has "$thing" || lacks "this kernel has no $thing"
	done
}

# lacks WHY: skip the test for a reason that has() does not cover
lacks() {
	lacking=$1
}

# skip_test WHY: skip all of the test
skip_test() {
	echo "1..0 # SKIP $1"
	exit $skip_all
}

# plan N: N results will follow
plan() {
	planned=$1
	echo "TAP version 13"
	[ -e "$tracefs/ktap/session" ] || skip_test "this kernel has no ktap"
	[ -w "$tracefs/ktap/session" ] || skip_test "only root may run this"
	[ -z "$lacking" ] || skip_test "$lacking"
	command -v "$KTAP" >/dev/null || skip_test "the program ktap is not installed"
	command -v "$KTAPC" >/dev/null || skip_test "the program ktapc is not installed"
	echo "1..$planned"
	tmp=$(mktemp -d) || exit 1
	trap 'rm -rf "$tmp"' EXIT
}

# result STATUS NAME: print the next result; for a failure also the output of the last run
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

# End the test with its exit code: a test without a run is skipped.
finish() {
	[ "$count" = "$planned" ] || echo "# planned $planned results, gave $count"
	echo "# $((count - failed - skipped)) passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] && [ "$count" = "$planned" ] || exit 1
	[ "$skipped" != "$planned" ] || exit $skip_all
	exit 0
}

# For a load of events only: on a slow kernel with all debugging checks, the default limit
# of 90 % would end handlers. With this overhead limit they do not end, and none is
# skipped.
all_of_it="--max-overhead 100"

# run ARGS...: run ktap to its end; sets $tmp/out, $tmp/err and $code
run() {
	code=0
	timeout -s KILL "${seconds:-60}" "$KTAP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
}

# line_is_refused LINE MESSAGE: a new session does not take the line, for this reason, an
# extended regular expression
line_is_refused() {
	exec 3<>"$tracefs/ktap/session"
	taken=n
	! echo "$1" >&3 2>/dev/null || taken=y
	cat <&3 >"$tmp/out"
	exec 3>&-
	[ $taken = n ] && matches "$tmp/out" "^ktap: error: $2\$"
}

# call_function NAME: print the kernel's function of a system call; on 64 bits not that of
# __ia32_
call_function() {
	for prefix in __x64_ __arm64_ __riscv_ __s390x_ __ia32_ ''; do
		! grep -q " [Tt] ${prefix}sys_$1\$" /proc/kallsyms || { echo "${prefix}sys_$1"; break; }
	done
}

# find_scripts: set $scripts to the directory of the tools that ktap has
find_scripts() {
	for scripts in "$KTAP_SCRIPTS" "$here/../scripts" "$here/../../../ktap/scripts" \
		/usr/local/share/ktap/tools /usr/share/ktap/tools; do
		[ -z "$scripts" ] || [ ! -e "$scripts/syscount.kp" ] || return 0
	done
	echo "# there are no tools; KTAP_SCRIPTS=, in the environment, says where"
	scripts=
}

# start ARGS...: start ktap in the background, and wait until it has attached; $tracer is
# its pid
start() {
	"$KTAP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
	tracer=$!
	reaches "$tracer" running
}

# stop: end the ktap of start
stop() {
	kill -TERM "$tracer" 2>/dev/null
	reap
}

# reap: wait for the ktap of start; it is killed if it does not end
reap() {
	( sleep "${seconds:-60}"; kill -KILL "$tracer" ) >/dev/null 2>&1 &
	watchdog=$!
	code=0
	wait "$tracer" || code=$?
	kill "$watchdog" 2>/dev/null
	wait "$watchdog" 2>/dev/null
}

# A program that reads from file descriptor 9 waits there until a line is written.
can_wait() {
	mkfifo "$tmp/go" && exec 9<>"$tmp/go"
}
go_on() { echo go >&9; }

# state PID: print the state of the session that this process opened
state() {
	sed -n "s/^[0-9]* $1 .* \([a-z]*\) events=.*/\1/p" "$tracefs/ktap/sessions"
}

# memory_of PID: print the memory of that session in bytes
memory_of() {
	sed -n "s/^[0-9]* $1 .* memory=\([0-9]*\).*/\1/p" "$tracefs/ktap/sessions"
}

# probe_is EVENT WORDS: the line of the event in ktap/sessions has these words
probe_is() {
	grep -qE "^  $1 .* $2 " "$tracefs/ktap/sessions"
}
# listed_with NAME FIELDS ARGS...: ktap/sessions has this after the number of events of a script
# with one event
listed_with() {
	name=$1 fields=$2
	shift 2
	start -q "$@"
	grep -q "^[0-9]* $tracer .* attached=1/1$fields\$" "$tracefs/ktap/sessions"
	listed=$?
	stop
	result $((listed + code)) "$name"
}
# traced FUNCTION: the function tracer has patched it
traced() { grep -q "^$1 " "$tracefs/enabled_functions"; }
untraced() { ! traced "$1"; }

is_or_dead() { [ "$(state "$1")" = "$2" ] || ! kill -0 "$1" 2>/dev/null; }
no_sessions() { [ -z "$(cat "$tracefs/ktap/sessions")" ]; }

# wait_until COMMAND...: for as long as a run may take
wait_until() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt $((${seconds:-60} * 20)) ] || return 1
		sleep 0.05
	done
}

# reaches PID STATE: wait until its session has this state; fails if the process ends
# before
reaches() {
	wait_until is_or_dead "$1" "$2"
	[ "$(state "$1")" = "$2" ]
}

# out NAME TEXT: the run succeeded, with exactly this output (printf escapes)
out() {
	printf "$2" >"$tmp/wanted"
	[ "$code" = 0 ] && cmp -s "$tmp/wanted" "$tmp/out"
	status=$?
	result $status "$1"
	[ $status = 0 ] || printf "$2" | sed 's/^/# expected: /'
}

# out_kept NAME TEXT: the same for a script that reads arguments at the return of a
# program's function; a kernel that does not keep them refuses it with a message
out_kept() {
	if has return_arguments; then
		out "$@"
	elif [ "$code" = 2 ] && matches "$tmp/err" ': this kernel keeps no arguments until'; then
		skip "$1" "this kernel keeps no arguments until a function returns"
	else
		result 1 "$1"
	fi
}

# out_device NAME TEXT: the same for a run of utarget device
out_device() {
	if "$here/utarget" device 0 2>/dev/null; then
		out "$@"
	else
		skip "$1" "no memory is mapped like a device, or no memory can be before it"
	fi
}

# matches FILE PATTERN...: each extended regular expression matches a line of it
matches() {
	file=$1
	shift
	for pattern; do
		grep -Eq -e "$pattern" "$file" || { echo "# no line like: $pattern"; return 1; }
	done
}

# refused NAME EVENT PATTERN...: at load, with the position of the event
refused() {
	name=$1 event=$2
	shift 2
	run -q -e "
trace $event { n += 1 }"
	[ "$code" = 2 ] && matches "$tmp/err" "$@"
	result $? "$name"
}

# not_loaded NAME PATTERN ARGS...: the kernel refuses to load the script, before it prints
not_loaded() {
	name=$1 pattern=$2
	shift 2
	run "$@"
	[ "$code" = 2 ] && matches "$tmp/err" "$pattern" && [ ! -s "$tmp/out" ]
	result $? "$name"
}

# value NAME: the value that the script printed for it
value() {
	sed -n "s/^$1	//p" "$tmp/out"
}

# on_all_cpus LOAD N: run this load in a process on each CPU
on_all_cpus() {
	pids=
	cpu=0
	while [ $cpu -lt "$cpus" ]; do
		taskset $(printf '%x' $((1 << cpu))) "$workload" "$1" "$2" &
		pids="$pids $!"
		cpu=$((cpu + 1))
	done
	wait $pids
}

# divided NUMBER: print how often to repeat something: NUMBER / $KTAP_DIVIDE times, rounded up
divided() { echo $((($1 + ${KTAP_DIVIDE:-1} - 1) / ${KTAP_DIVIDE:-1})); }

# kill_rounds NUMBER MS SCRIPT: kill -9 ktap within MS milliseconds after its start, NUMBER
# times, or less often (see divided); $kills counts them, and $hits those that had a session
seed=$$ hits=0 kills=0
kill_rounds() {
	round=0 rounds_due=$(divided "$1")
	while [ $round -lt "$rounds_due" ]; do
		"$KTAP" -e "$3" >/dev/null 2>&1 </dev/null &
		victim=$!
		# simple pseudo-random numbers
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		sleep "$(printf '%d.%03d' $((seed / 65536 % $2 / 1000)) $((seed / 65536 % $2 % 1000)))"
		[ -z "$(state $victim)" ] || hits=$((hits + 1))
		kill -KILL $victim 2>/dev/null
		wait $victim 2>/dev/null
		round=$((round + 1)) kills=$((kills + 1))
	done
}

# no_leaks NAME: kmemleak reports no leak of ktap
no_leaks() {
	kmemleak=/sys/kernel/debug/kmemleak
	if ! { echo scan >$kmemleak; } 2>/dev/null; then
		skip "$1" "no kmemleak, or it is off: boot with kmemleak=on"
		return
	fi
	# objects are reported from an age of five seconds on; memory that waits for a
	# grace period is no leak: only the last scan counts
	for scan in 1 2; do
		sleep 6
		echo scan >$kmemleak
	done
	awk 'BEGIN { RS = "unreferenced object" } /ktap/ { print RS $0 }' $kmemleak >"$tmp/err"
	: >"$tmp/out"
	[ ! -s "$tmp/err" ]
	result $? "$1"
}

# no_complaints NAME: the kernel has printed no warning
no_complaints() {
	dmesg >"$tmp/out" 2>"$tmp/err"
	[ -s "$tmp/out" ] &&
		! grep -E 'WARNING:|BUG:|Oops|KASAN|UBSAN|INFO: task' "$tmp/out" >"$tmp/err"
	status=$?
	: >"$tmp/out"
	result $status "$1"
}
