#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Build the programs without the language of bpftrace, and as if no library were installed. They
# compile as the complete ones do, and refuse what they cannot do.
#
#	tests/small.sh 'CC' 'CFLAGS' 'LDFLAGS'

cc=${1:?usage: small.sh CC CFLAGS LDFLAGS} cflags=$2 ldflags=$3
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ktap=$dir/build/ktap ktapc=$dir/build/ktapc
missing='built without the language of bpftrace'

# headers that no compiler takes
mkdir -p "$dir/no/elfutils" "$dir/no/libiberty"
for header in libelf.h gelf.h lzma.h dwarf.h elfutils/libdw.h libiberty/demangle.h; do
	echo '#error missing' >"$dir/no/$header"
done
(unset MAKEFLAGS MAKELEVEL && make -C "$here/.." O="$dir/build" CC="$cc -I$dir/no" CFLAGS="$cflags" \
	LDFLAGS="$ldflags" BPFTRACE=0 "$ktap" "$ktapc") >"$dir/out" 2>&1 </dev/null
result $? builds_without_bpftrace_and_libraries
grep -q 'without libelf' "$dir/out"
result $? build_says_that_libelf_is_missing
: >"$dir/setup"
cd "$here" || exit
for kp in golden/*.kp; do
	"$ktapc" -d -w "$kp" 2>&1 | cmp -s - "${kp%.kp}.list" || echo "$kp" >>"$dir/setup"
done
[ ! -s "$dir/setup" ]
result $? listings_are_the_same
rm "$dir/setup"

refuses() { # NAME CODE COMMAND...
	name=$1 wanted=$2
	shift 2
	code=0
	timeout 20 "$@" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
	expect "$name" "$wanted" "$missing"
}
echo 'BEGIN { print(1); }' >"$dir/one.bt"
refuses ktapc_compiles_no_bpftrace 2 "$ktapc" "$dir/one.bt"
refuses ktapc_translates_no_bpftrace 2 "$ktapc" --to-ktap "$dir/one.bt"
refuses ktap_translates_no_bpftrace 2 "$ktap" --to-ktap "$dir/one.bt"
refuses ktap_lists_no_bpftrace 1 "$ktap" --bt -l 'kprobe:vfs_*'
ln -s ktap "$dir/build/bpftrace"
refuses name_of_bpftrace_is_refused 1 "$dir/build/bpftrace" -e 'BEGIN { print(1); }'
run -l "uprobe:$ktap:main"
expect events_of_programs_need_libelf 1 'built without libelf'

finish
