#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Build, check and install the tool from a tarball that has only tools/ktap and the header
# of the ABI. `make clean` leaves only the files of the tarball.
#
#	tests/tarball.sh

top=$(cd "$(dirname "$0")/../../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# in_it ARGS...: run make in the unpacked tool, without the variables of a calling make
in_it() {
	(unset MAKEFLAGS MAKELEVEL O && make -C "$dir/alone/tools/ktap" "$@") >"$dir/out" 2>&1 </dev/null
}

contents() { (cd "$dir/alone" && find . -type f | sort); }

mkdir "$dir/alone"
tar -c -C "$top" --exclude=fuzz/build tools/ktap include/uapi/linux/ktap.h |
	tar -x -C "$dir/alone" && in_it clean
result $? tarball_is_unpacked
contents >"$dir/before"
in_it WERROR=1
result $? builds_alone
in_it check WERROR=1 && grep -q ' passed, 0 failed$' "$dir/out" && ! grep -q '^not ok\|^FAIL' "$dir/out"
code=$?
# only the beginning of the output of a failed test is shown
[ "$code" = 0 ] || { grep -A 20 '^not ok\|^FAIL\|\*\*\*' "$dir/out" >"$dir/failed"; mv "$dir/failed" "$dir/out"; }
result "$code" checks_alone
wanted="bin/ktap bin/ktapc share/ktap/tools/opensnoop.kp share/ktap/lib/tcp.kp"
if command -v rst2man >/dev/null; then
	in_it man
	result $? manual_is_made_alone
	wanted="$wanted share/man/man1/ktap.1 share/man/man1/ktapc.1"
else
	echo "ok $((count += 1)) manual_is_made_alone # SKIP there is no rst2man"
fi
in_it install DESTDIR="$dir/root" PREFIX=/usr && missing=$(
	for file in $wanted; do [ -s "$dir/root/usr/$file" ] || echo "$file"; done) && [ -z "$missing" ]
result $? "installs_alone $missing"
"$dir/root/usr/bin/ktapc" -e 'trace sched:sched_switch { n += 1 }' -o "$dir/x.ktap" >"$dir/out" 2>&1 &&
	[ -s "$dir/x.ktap" ]
result $? what_was_installed_compiles
in_it clean && contents | diff "$dir/before" - >"$dir/out"
result $? clean_leaves_what_was_there

finish
