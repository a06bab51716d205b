#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test the runner with damaged and hostile files of programs.
#
#	tests/user_damaged.sh KTAP FAKESESSION [CC]

. "$(dirname "$0")/user_lib.sh"

# damaged files give a message or a list, never a crash or a report of a sanitizer
survived() {
	[ "$code" -le 1 ] && { [ ! -s err ] || grep -q '^ktap: ' err; } &&
		! grep -q -e Sanitizer -e 'runtime error' err
}
bad=0
size=$(wc -c <marked)
n=0
while [ $n -lt "$size" ]; do
	head -c $n marked >./cut
	list "uprobe:./cut:*"
	survived || bad=1
	n=$((n + 331))
done
result $bad cut_files_are_survived
bad=0 n=0 seed=1
while [ $n -lt 300 ]; do
	cp marked mutant
	for i in 1 2 3 4; do
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		# most headers and tables are at the beginning and at the end
		case $((seed / 65536 % 4)) in
		0) where=$((seed / 16 % 64)) ;;
		1) where=$((64 + seed / 16 % 800)) ;;
		2) where=$((size - 1 - seed / 16 % 2400)) ;;
		*) where=$((seed / 16 % size)) ;;
		esac
		printf "\\$(printf %o $((seed / 1048576 % 256)))" |
			dd of=mutant bs=1 seek=$where conv=notrunc 2>/dev/null
	done
	for event in 'uprobe:./mutant:*' 'usdt:./mutant:*'; do
		list "$event"
		survived || bad=1
	done
	n=$((n + 1))
done
result $bad mutants_are_survived

# files whose reader may use too much memory or time
limited() {
	(
		ulimit -v $limit
		"$@"
		exit $code
	)
	code=$?
}
# arrays that cannot be doubled: by the number of elements, and by the number of bytes
"$cc" -O2 -iquote "$here/.." -o grow -x c - -x c "$here/../compiler/pool.c" <<'C' || exit 1
#include "compiler/pool.h"

int main(int argc, char **argv)
{
	struct pool pool = { 0 };
	unsigned int max = argc > 1 ? 1U << 31 : 1U << 30;

	(void)argv;
	pool_grow(&pool, &pool, max, &max, argc > 1 ? 1 : (size_t)-1 / (1U << 31) + 1);
	return 0;
}
C
for kind in '' elements; do
	code=0
	./grow $kind >out 2>err || code=$?
	expect "an_array_cannot_have_too_many_${kind:-bytes}" 2 '^ktap: out of memory$'
done
limit=1000000
# sanitizers need more address space
! grep -q __asan_init "$ktap" || limit=unlimited
case $(uname -m) in
x86_64)
	"$cc" -O2 -o hostile "$here/hostile.c" || exit 1
	for kind in names endless tables notes wide mangled folded; do
		./hostile $kind >big
		limited list "uprobe:./big:fin*"
		lists "a_hostile_file_of_$kind" 'uprobe:./big:fine\n'
	done
	# one file with many names, then many files, one after the other
	if [ $limit != unlimited ]; then
		./hostile names >big
		steps='' names=''
		for i in $(seq 60); do
			ln big big.$i
			steps="${steps}out $(mark "$dir/big.$i" '' 1000)\n"
			names="${names}fine+0x0 (big.$i)\n"
		done
		limit=300000
		limited play "${steps}exit 0\n" -q -e 'x = ustack'
		output names_of_one_file_share_its_symbols "$names"
		rm -f big.*
		limit=1000000 steps='' names=''
		for i in $(seq 30); do
			steps="${steps}system cp big big.$i\nout $(mark "$dir/big.$i" '' 1000)\nsystem rm big.$i\n"
			names="${names}fine+0x0 (big.$i)\n"
		done
		limited play "${steps}system cp big big.1\nout $(mark "$dir/big.1" '' 1000)\nexit 0\n" --unsafe -q -e 'x = ustack'
		output symbols_of_many_files_are_dropped "${names}fine+0x0 (big.1)\n"
		rm -f big.*
	else
		skip names_of_one_file_share_its_symbols "memory is not limited"
		skip symbols_of_many_files_are_dropped "memory is not limited"
	fi
	./hostile names >big
	marks='' names=''
	for i in 1 2 3 4 5 6 7 8; do
		cp big big.$i
		marks="$marks $(mark "$dir/big.$i" '' 1000)"
		names="$names fine+0x0 (big.$i)"
	done
	play "out$marks\npause\nsignal 15\nstop\nremove $dir/big.8\nexit 0\n" -q -e 'x = ustack'
	names=${names% fine*}
	output signals_are_heard_while_symbols_are_read "${names# } $dir/big.8+0x1000\n"
	rm -f big.*
	./hostile notes >big
	limited play 'exit 0\n' -q -e 'trace usdt:./big:nothing { x = 1 }'
	grep -q "has.no.marker\|has\\\\040no" setup
	result $? hostile_markers_are_survived
	./hostile wide >big
	limited play 'exit 0\n' -q -e 'trace usdt:./big:* { x = 1 }'
	grep -q '^at .* p:fine ' setup && ! grep -q xxxx setup
	result $? a_marker_whose_name_fits_no_line_is_none
	./hostile sparse >big
	limited list "uprobe:./big:fin*"
	[ "$code" = 1 ] && grep -q 'has no symbols' err
	result $? sections_that_no_program_has_are_not_read
	./hostile sections >big
	limited list "uprobe:./big:fin*"
	[ "$code" = 1 ] && grep -q 'is not an ELF file' err
	result $? a_file_of_too_many_sections_is_none
	run --lines -e 'x = 1' --dry-run
	if ! grep -q 'built without libdw' err; then
		./hostile ranges >big
		limited list "uprobe:./big@a.c:1"
		lists_not units_may_not_share_their_ranges \
			"./big was not compiled from a file 'a.c', by its debug information"
		for kind in large packed packed_before; do
			./hostile $kind >big
			limited list "uprobe:./big@a.c:1"
			[ "$code" = 1 ] && grep -q 'has no debug information (DWARF)' err
			result $? "debug_information_that_is_${kind}_is_not_read"
		done
	else
		skip hostile_debug_information "built without libdw"
	fi
	rm -f big
	;;
*)
	skip hostile_files "written for x86"
	;;
esac

finish
