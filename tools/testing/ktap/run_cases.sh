#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the KUnit tests, the language tests without a kernel, and the tests of handlers, with
# an invented event: once as native code, and once interpreted. Then the fuzzer has all their chunks.
# Usage: run_cases.sh BUILD
#
# The expectations are those of ../selftests/ktap/language.sh:
#   cases/NAME.kp prints exactly cases/NAME.out
#   errors/NAME.kp ends with a run-time error and exit code 1
#   load/NAME.kp is refused by compiler or virtual machine, exit code 2
# for the files in that directory, those written by its big.sh, and the examples of the
# documentation
# and for events/NAME.kp here, whose handlers run once at two levels:
#   prints exactly NAME.out, exit code 0, or 1 if NAME.err has an error.
# bpftrace/NAME.bt prints exactly bpftrace/NAME.out
# types/NAME.kp does the same, without events, with the invented types of types.c.
# types/load/NAME.kp has them, too, and is refused.
# The cases, the errors and the events run again with ktapvm_moving, with MOVING=interpreted
# not as native code; and once with ktapvm_checked.  MOVING=none leaves both out.
# Each line of an .err file is an extended regular expression that must match
# a line of standard error; without it there must be none. That of an example is the exact
# message.

build=$1
vm=$build/ktapvm
ktapc=$build/compiler/ktapc
mutants=${MUTANTS:-20000}
seed=${SEED:-1}
here=$(cd "$(dirname "$0")" && pwd)
selftests=$here/../selftests/ktap
documents="$here/../../../Documentation/trace/ktap*.rst $here/../../ktap/Documentation/*.rst"
passed=0 failed=0 skipped=0
# what is special about the present run
aside=

# a separate one, as two runs may be in parallel
chunks=$(mktemp -d) || exit 1
trap 'rm -rf "$chunks"' EXIT
trap 'exit 1' HUP INT TERM
out=$chunks/out err=$chunks/err
into=$chunks

# result STATUS NAME
result() {
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAIL $2$aside (exit code $code)"
	head -n 20 "$out" | cut -c 1-200 | sed 's/^/  out: /'
	head -n 40 "$err" | sed 's/^/  err: /'
}

# skip NAME WHY
skip() {
	skipped=$((skipped + 1))
	echo "skipped $1: $2"
}

# compile SCRIPT: write $chunk, unless that was done before
compile() {
	chunk=$into/$(echo "${1%.kp}" | tr / _).ktap
	code=0
	: >"$out"
	if [ -e "$chunk.said" ]; then
		cp "$chunk.said" "$err"
		return
	fi
	"$ktapc" -o "$chunk" "$1" 2>"$err" || code=$?
	[ $code != 0 ] || cp "$err" "$chunk.said"
	return $code
}

# run [OPTIONS]: run $chunk; its output is appended to that of the compiler. Its argument
# is the level of its handlers, if it has some
level=
run() {
	code=0
	timeout -s KILL 20 "$vm" "$@" "$chunk" $level >"$out" 2>>"$err" </dev/null || code=$?
}

# said FILE: each of its patterns matches a line of standard error
said() {
	while read -r pattern; do
		grep -Eq -e "$pattern" "$err" || { echo "no line like: $pattern"; return 1; }
	done <"$1"
}

# Print why a script needs the kernel; nothing if it does not.
needs() {
	if grep -Eq '^[^#]*\b(trace|kdebug\.probe)[ (]*["'\'']?[a-z_]*:|\b(tick|profile)-|\btimer\.' "$1"; then
		echo "needs events of the kernel"
	elif grep -q '\\^\$$' "${1%.kp}.err" 2>/dev/null; then
		echo "it is the runner that shows the source line"
	fi
}

prints_what_it_should() {
	compile "$1" && run && [ "$code" = 0 ] && cmp "$out" "${1%.kp}.out" >&2 && [ ! -s "$err" ]
}

bpftrace_script_prints() {
	compile "$1" && run && [ "$code" = 0 ] && cmp "$out" "${1%.bt}.out" >&2 && [ ! -s "$err" ]
}

fails_as_it_should() {
	compile "$1" && run && [ "$code" = 1 ] && said "${1%.kp}.err" &&
		! grep -q 'after\|never' "$out"
}

is_refused() {
	compile "$1" || { [ "$code" = 2 ] && said "${1%.kp}.err"; return; }
	run
	[ "$code" = 2 ] && said "${1%.kp}.err" && ! grep -q 'after\|never' "$out"
}

# The lines of the source are shown by the runner, at run time.
without_source() {
	grep -E '^([^ ]|  in |  \(tail)' "$1"
}

# One that needs events is only compiled; the others have output, except those of tables,
# which end without a message.
example_holds() {
	want=0 said=${1%.kp}.err printed=${1%.kp}.out
	if compile "$1"; then
		[ -z "$(needs "$1")" ] || return 0
		if [ "$(head -n 1 "$1")" = "# rows of a table" ]; then
			run && [ "$code" = 0 ] && [ ! -s "$err" ]
			return
		fi
		[ -e "$said" ] || [ -e "$printed" ] || return
		run
	fi
	! grep -q error: "$err" || want=2
	! grep -q '^  in ' "$err" || want=1
	[ -e "$said" ] || said=/dev/null
	[ -e "$printed" ] || printed=/dev/null
	without_source "$said" >"$chunks/said"
	tr '\t' ' ' <"$printed" >"$chunks/printed"
	[ "$code" = $want ] && without_source "$err" | cmp - "$chunks/said" >&2 &&
		tr '\t' ' ' <"$out" | cmp - "$chunks/printed" >&2
}

# handles_event SCRIPT [OPTIONS]
handles_event() {
	want=0
	printed=${1%.kp}.out
	expected=${1%.kp}.err
	compile "$1" || return
	shift
	run "$@" && cmp "$out" "$printed" >&2 || return
	if [ ! -e "$expected" ]; then
		[ ! -s "$err" ] || return
	else
		said "$expected" || return
		! grep -q error "$expected" || want=1
	fi
	[ "$code" = $want ]
}

# each DIRECTORY TEST
each() {
	for script in "$1"/*.kp; do
		[ -e "$script" ] || break
		why=$(needs "$script")
		# scripts that the compiler or the verifier refuses need no events
		if [ -n "$why" ] && [ "$1" != types/load ] &&
			{ [ "$1" != load ] || compile "$script"; }; then
			skip "$script" "$why"
			continue
		fi
		"$2" "$script"
		result $? "$script"
	done
}

unit_tests() {
	code=0
	"$build/kunit" >"$out" 2>"$err" || code=$?
	passed=$((passed + $(grep '^ok ' "$out" | grep -vc ' # SKIP ')))
	skipped=$((skipped + $(grep -c '^ok .* # SKIP ' "$out")))
	failed=$((failed + $(grep -c '^not ok ' "$out")))
	# only tests of native code are skipped for want of it
	grep -q ' # SKIP no native code$' "$out"
	[ $? = "$KTAP_JIT" ]
	result $? "tests of native code, with KTAP_JIT=$KTAP_JIT"
	[ $code != 0 ] || return 0
	grep -v '^ok ' "$out"
	head -n 40 "$err"
	# after a crash a test has no line
	grep -q '^not ok ' "$out" || result $code kunit
}

scripts() {
	for dir in "$chunks/big" "$selftests"; do
		cd "$dir" || exit 1
		# the big ones would take the fuzzer too long
		into=$chunks
		[ "$dir" = "$selftests" ] || into=$dir
		each cases prints_what_it_should
		each errors fails_as_it_should
		each load is_refused
	done
	cd "$chunks/examples" || exit 1
	for script in *.kp; do
		example_holds "$script"
		result $? "examples/$script"
	done
	for script in compiled/*.kp; do
		compile "$script"
		result $? "examples/$script"
	done
	cd "$here" || exit 1
	for script in events/*.kp; do
		for level in task hardirq; do
			handles_event "$script" -E -u -l $level
			result $? "$script at level $level"
		done
	done
	level=
	for script in types/*.kp; do
		handles_event "$script" -E
		result $? "$script"
	done
	each types/load is_refused
	for script in bpftrace/*.bt; do
		bpftrace_script_prints "$script"
		result $? "$script"
	done
}

# again PROGRAM WHAT: scripts print the same with a special build
again() {
	vm=$build/$1 aside=", $2"
	into=$chunks
	cd "$selftests" || exit 1
	each cases prints_what_it_should
	each errors fails_as_it_should
	cd "$here" || exit 1
	for script in events/*.kp; do
		handles_event "$script" -E -u -l task
		result $? "$script"
	done
	vm=$build/ktapvm aside=
}

"$selftests/big.sh" "$chunks/big" || exit 1
code=0
"$selftests/examples.sh" "$chunks/examples" $documents >"$out" 2>"$err" || code=$?
result $code "examples of the documentation"
all_passed=$passed all_failed=$failed all_skipped=0
for KTAP_JIT in 1 0; do
	export KTAP_JIT
	passed=0 failed=0 skipped=0
	unit_tests
	way=native
	[ $KTAP_JIT = 1 ] || way=interpreted
	scripts
	[ "${MOVING:-$way}" != $way ] || again ktapvm_moving 'memory moves'
	[ $way = native ] || [ "$MOVING" = none ] ||
		again ktapvm_checked 'registers are compared'
	echo "$way: $passed passed, $failed failed, $skipped skipped"
	all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed))
	all_skipped=$((all_skipped + skipped))
done
unset KTAP_JIT
passed=$all_passed failed=$all_failed skipped=$all_skipped

code=0
"$build/fuzz" -n "$mutants" -s "$seed" -o "$build" "$chunks"/*.ktap >"$out" 2>"$err" || code=$?
grep '^[a-z ]*: ' "$out"
result $code fuzz

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
