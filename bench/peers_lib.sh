# SPDX-License-Identifier: GPL-2.0
# What bench/peers and bench/profile have in common.
# shellcheck shell=bash disable=SC2154 # of lab/lib.sh, lab/bpftrace.sh

out=$build/bench

# usage_of SCRIPT: print its usage, which is the end of its first comment
usage_of() {
	sed -n '/^# usage:/,/^[^#]/s/^# \{0,1\}//p' "$1"
}

# Compile the workloads, with frame pointers, so that stacks can be walked, and at addresses
# that no other program of the guest uses, for bench/profile
build_calls() {
	mkdir -p "$out"
	gcc -Wall -Wextra -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -static -no-pie \
		-Wl,-Ttext-segment=0x60000000 -o "$out/calls" "$top/bench/calls.c"
}

# The address of a function of the workloads, and its offset in the file
address_of() {
	nm "$out/calls" | awk -v name="$1" '$3 == name { print "0x" $1 }'
}
offset_of() {
	local at type offset address size
	at=$(address_of "$1")
	while read -r type offset address _ size _; do
		[ "$type" != LOAD ] || ! ((at >= address && at < address + size)) ||
			printf '%#x\n' $((at - address + offset))
	done < <(readelf -lW "$out/calls")
}

# Compile the plugin of QEMU that counts instructions; fails if QEMU has no plugins.
# plugin OPTIONS: what to give to QEMU
build_plugin() {
	local flags
	grep -q '^-plugin' <<<"$(qemu-system-x86_64 -help)" || return
	flags=$(pkg-config --cflags glib-2.0 2>/dev/null || true)
	# shellcheck disable=SC2086 # flags are words
	gcc -Wall -Wextra -O2 -shared -fPIC $flags -o "$tmp/icount.so" "$top/bench/icount.c" ||
		die "bench/icount.c does not compile" "is the header qemu-plugin.h that of another QEMU?"
}
plugin() {
	echo "$tmp/icount.so,begin=$(address_of measure_begin),end=$(address_of measure_end),write=$(address_of measure_write),$1"
}

# guest MODE [OPTION...]: do the jobs in $tmp/jobs
guest() {
	"$top/lab/run" --config btf --icount --mem 2048 --timeout 7200 "${@:2}" \
		"${peer_files[@]}" \
		--file "$out/calls:/bench/calls" --file "$top/bench/bt:/bench/bt" \
		--file "$top/bench/peers.sh:/bench/peers.sh" --file "$tmp/jobs:/bench/jobs" \
		-- "/bench/peers.sh $1 </bench/jobs"
}
