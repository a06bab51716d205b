#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the samples and tests of a checkout of the first ktap, versions 0.1 to 0.4 or later.
# A script passes if it runs as it did there, or differs as documented
# (Documentation/trace/ktap-language.rst, "Coming from an older ktap").
# Usage: old_scripts.sh [--compile] DIR
#
#   scripts/**.kp, samples/**.kp	run for a second, with some work; none may have an error
#   test/*.kp				run to their end; they print "failed", or nothing
#   test/*.t				scripts with the output that is expected
#
# --compile only compiles them, and needs no kernel. The exit code is 1 if something differs in
# another way.

KTAP=${KTAP:-ktap}
KTAPC=${KTAPC:-ktapc}
run=1
if [ "$1" = --compile ]; then
	run=
	shift
fi
dir=$1
if [ $# != 1 ] || [ ! -d "$dir/test" ]; then
	echo "usage: old_scripts.sh [--compile] DIR, a checkout of the first ktap: it has a folder 'test'" >&2
	exit 2
fi
command -v "$KTAPC" >/dev/null || { echo "old_scripts.sh: there is no program $KTAPC; KTAPC= says where" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
same=0 differs=0 other=0
echo "TAP version 13"

# documented NAME WHAT: print the difference that explains the result, as documented
documented() {
	case $2 in
	*'got failed'*) ;;
	*"'ffi' has no function 'new'"*)
		echo "ffi.new: a table has the members" ;;
	*"no function '"* | *"no function matches '"* | *"no file '"* | *' cannot be traced: '* | *'cannot run ./ktap'*)
		echo "this system has no such function or file" ;;
	*' has no arg1: '* | *' has arg1: '*)
		echo "arg1 at the return of a system call: retval" ;;
	*'printk() takes 1 argument'*)
		echo "ffi.C.printk: use format()" ;;
	*'this kernel was built without CONFIG_KTAP_CALL'*)
		echo "this kernel has no CONFIG_KTAP_CALL" ;;
	*"is not in the list of functions that need no ktap --unsafe"* | *'ffi_test_'*'is the most'*)
		echo "ffi.C: other functions need --unsafe; they have at most 6 arguments" ;;
	*'the depth of a stack is 1 to 127'*)
		echo "stack(-1): a depth" ;;
	*': probes are allowed only at the top level'*)
		echo "trace in a handler: an error of compilation" ;;
	*'takes at most '*' is one more'* | *'takes no arguments'*)
		echo "arguments that the script does not read: an error" ;;
	*'calls nest too deep'* | *'error: division by zero'*)
		echo "the same error in other words" ;;
	*'expected , got '*': '*)
		echo "globals are printed at the end" ;;
	*)
		case $1 in
		*deadloop.t*) echo "an endless loop at the top level: it ends with the script" ;;
		*if.t*) echo "0 is false" ;;
		*tcp_ipaddr.kp) grep -q 'write include "lib/net.kp"' "$work/err" && echo "net: lib/net.kp" ;;
		esac ;;
	esac
}

# result STATUS NAME WHAT: print the result; WHAT is different if it differs
result() {
	n=$((same + differs + other + 1))
	reason=
	[ "$1" = 0 ] || reason=$(documented "$2" "$3")
	if [ "$1" = 0 ]; then
		same=$((same + 1))
		echo "ok $n - $2"
	elif [ -n "$reason" ]; then
		differs=$((differs + 1))
		echo "ok $n - $2 # differs: $reason"
	else
		other=$((other + 1))
		echo "not ok $n - $2"
		echo "# $3"
	fi
}

# first_error: the first message of the last run
first_error() {
	grep -h -m 1 'error:' "$work/err" "$work/out" 2>/dev/null || head -n 1 "$work/err"
}

# compiles FILE NAME: report an error of compilation
compiles() {
	if ! "$KTAPC" -o "$work/chunk" "$1" >"$work/out" 2>"$work/err"; then
		result 1 "$2" "$(first_error)"
		return 1
	fi
	[ -n "$run" ] || result 0 "$2"
}

# A script that traces: let it work for a second, then stop it.
sample() {
	compiles "$1" "${1#"$dir"/}" && [ -n "$run" ] || return 0
	"$KTAP" -q "$1" >"$work/out" 2>"$work/err" </dev/null &
	pid=$!
	sleep 1
	ls -l /proc/self /dev >/dev/null 2>&1
	sh -c 'cat /proc/self/status; sleep 0.1' >/dev/null 2>&1
	kill -TERM $pid 2>/dev/null
	( sleep 20; kill -KILL $pid ) >/dev/null 2>&1 &
	dog=$!
	code=0
	wait $pid 2>/dev/null || code=$?
	kill $dog 2>/dev/null
	wait $dog 2>/dev/null
	result $code "${1#"$dir"/}" "exit code $code; $(first_error)"
}

# A test that prints "failed", and then ends with an error
test_script() {
	compiles "$1" "${1#"$dir"/}" && [ -n "$run" ] || return 0
	code=0
	set -- "$1"
	[ "${1##*/}" != arg.kp ] || set -- "$1" 1 testing "2 3 4"
	timeout -s KILL 20 "$KTAP" -q "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
	! grep -q failed "$work/out" || code=1
	result $code "${1#"$dir"/}" "exit code $code; $(first_error)"
}

# Split a .t file: N.src, N.args, N.opts, N.out, N.like, N.name, N.err, N.ret
split_tests() {
	rm -rf "$work/t"
	mkdir "$work/t"
	awk -v to="$work/t/" '
	/^=== / { n++; part = ""; sub(/^=== /, ""); print >(to n ".name"); next }
	/^--- / && n {
		value = $0
		sub(/^--- [a-z_ ]*:? */, "", value)
		part = $2
		sub(/:.*/, "", part)
		if (part == "out_like")
			part = "like"
		if (value != "")
			print value >(to n "." part)
		else
			printf "" >(to n "." part)
		next
	}
	n && part != "" { print >(to n "." part) }' "$1"
}

# like FILE PATTERN_FILE: the output matches a regular expression of Perl, of the kind that
# these tests have
like() {
	awk -v patterns="$2" '
	BEGIN {
		while ((getline line <patterns) > 0)
			if (line != "" || p == "")
				p = p (p == "" ? "" : "\n") line
		sub(/^qr\//, "", p)
		sub(/\/[a-z]*[ \n]*$/, "", p)
		# one of ffi_test.t escapes nothing at its end
		sub(/\\$/, "", p)
		gsub(/\.\*\?/, ".*", p)
		gsub(/\\d/, "[0-9]", p)
		gsub(/\\S/, "[^ \t\n]", p)
		gsub(/\\s/, "[ \t\n]", p)
		# a variable of time.t: seconds since 1970
		gsub(/\$::SecPattern/, "[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]", p)
	}
	{ text = text (NR > 1 ? "\n" : "") $0 }
	# the end of a pattern may stand before the last newline
	END { exit text !~ p && text "\n" !~ p }' "$1"
}

# An error that the first ktap reported when it ran may be one of compilation here.
test_compiles() {
	if "$KTAPC" -o "$work/chunk" "$t.kp" >"$work/out" 2>"$work/err" ||
	   cat "$t.out" "$t.like" "$t.err" 2>/dev/null | grep -q 'error:\|unexpected'; then
		result 0 "$name"
	else
		result 1 "$name" "$(first_error)"
	fi
}

# one_test FILE N
one_test() {
	t=$work/t/$2
	name="${1#"$dir"/}: $(cat "$t.name")"
	opts=$(cat "$t.opts" 2>/dev/null)
	args=$(cat "$t.args" 2>/dev/null)
	if [ -e "$t.src" ]; then
		cp "$t.src" "$t.kp"
		if [ -z "$run" ]; then
			test_compiles
			return
		fi
		set_command="\"$KTAP\" $opts $t.kp $args"
	else
		[ -n "$run" ] || return 0
		set_command="\"$KTAP\" $opts $args"
	fi
	code=0
	(cd "$dir" && eval "timeout -s KILL 20 $set_command") >"$work/out" 2>"$work/err" </dev/null || code=$?
	# the first ktap printed blanks where this one prints tabs or none, and wrote errors to its output
	if [ -e "$t.out" ]; then
		grep -v '^$' "$t.out" >"$work/want"
		grep -v '^$' "$work/out" | cmp -s - "$work/want"
		status=$?
		what="expected $(head -n 2 "$work/want" | tr '\n' '|'), got $(head -n 2 "$work/out" | tr '\n' '|') $(first_error)"
	elif [ -e "$t.like" ]; then
		like "$work/out" "$t.like"
		status=$?
		what="no output like $(head -n 1 "$t.like"), but $(head -n 2 "$work/out" | tr '\n' '|') $(first_error)"
	else
		status=$code
		what="exit code $code; $(first_error)"
	fi
	result $status "$name" "$what"
}

for folder in scripts samples; do
	[ -d "$dir/$folder" ] || continue
	for script in $(find "$dir/$folder" -name '*.kp' | sort); do
		sample "$script"
	done
done
for script in $(find "$dir/test" -name '*.kp' | sort); do
	test_script "$script"
done
for file in "$dir"/test/*.t; do
	[ -e "$file" ] || continue
	split_tests "$file"
	part=1
	while [ -e "$work/t/$part.name" ]; do
		one_test "$file" $part
		part=$((part + 1))
	done
done
echo "1..$((same + differs + other))"
echo "# $same run as they did, $differs differ as documented, $other in another way"
[ $other = 0 ] && [ $same != 0 ]
