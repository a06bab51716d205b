#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Print the share of the instructions that native code replaces, in the scripts of the tests
# and in the tools; fail if it is less than 99 %.  The others are those of functions that cannot
# be compiled, and of those that they call.
# Usage: coverage_jit.sh BUILD [-v]
#
# With -v: the share of each script, too.

build=$1 verbose=$2
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# share NAME SCRIPT...: print the sum; fails if there is no script, or if it is too small
share() {
	name=$1
	shift
	for script; do
		# the compiler must refuse some of them
		"$build/compiler/ktapc" -o "$tmp/chunk" "$script" 2>"$tmp/err" || continue
		"$build/ktapvm" -u -j "$tmp/chunk" 2>"$tmp/err" | sed "s|\$| of ${script##*/}|"
	done >"$tmp/list"
	[ -z "$verbose" ] || cat "$tmp/list"
	awk -v name="$name" '
		{ native += $2; all += $4 }
		END {
			if (!all)
				exit 1
			printf "%s: %d of %d instructions are native, %.1f %%\n", name, native, all, 100 * native / all
			exit 100 * native < 99 * all
		}' "$tmp/list"
}

selftests=$here/../selftests/ktap
share tests "$selftests"/cases/*.kp "$selftests"/errors/*.kp "$here"/events/*.kp "$here"/types/*.kp &&
	share tools "$here"/../../ktap/scripts/*.kp
