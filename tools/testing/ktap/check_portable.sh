#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Compare the checksums of chunks in the selftests with those of this compiler.
# Usage: check_portable.sh KTAPC [--update]
here=$(cd "$(dirname "$0")" && pwd)
selftests=$here/../selftests/ktap
list=$selftests/portable.md5
new=$(mktemp) || exit 1
trap 'rm -f "$new"' EXIT
sh "$selftests/portable.sh" --print "$1" "$(cd "$here/../../ktap/scripts" && pwd)" >"$new" || exit 1
if [ "$2" = --update ]; then
	cp "$new" "$list"
elif ! diff "$list" "$new"; then
	echo "check_portable.sh: the compiler makes other chunks: if that is right, run make -C tools/testing/ktap portable"
	echo "0 passed, 1 failed"
	exit 1
fi
echo "$(wc -l <"$list") passed, 0 failed"
