# SPDX-License-Identifier: GPL-2.0
# What bench/peers and bench/profile have in common.
# shellcheck shell=bash disable=SC2154 # of lab/lib.sh, lab/apt.sh

# the suite of Debian whose bpftrace is measured
suite=${PEERS_SUITE:-sid}
out=$build/bench
peer=$out/bpftrace-$suite

# usage_of SCRIPT: print its usage, which is the end of its first comment
usage_of() {
	sed -n '/^# usage:/,/^[^#]/s/^# \{0,1\}//p' "$1"
}

# Unpack bpftrace and all libraries that it needs below build/, from Debian's packages.
# Nothing is installed. rm -r "$peer" fetches them again.
fetch_bpftrace() {
	local deb name path root log=$tmp/fetch.log
	[ ! -e "$peer/version" ] || return 0
	need apt-get apt-cache dpkg-deb
	note "fetching bpftrace ($suite)"
	enter_suite "$suite" || { tail -n 5 "$log" >&2; die "no packages of Debian's $suite" "is the network there?"; }
	mkdir -p "$tmp/archives/partial" "$tmp/root" "$peer.new/lib"
	# as if nothing was installed, so that all of its libraries are downloaded
	: >"$tmp/status"
	apt-get "${apt_opts[@]}" -o "Dir::State::status=$tmp/status" -o "Dir::Cache::archives=$tmp/archives" \
		-o Debug::NoLocking=1 -o APT::Keep-Downloaded-Packages=1 \
		-q -y --no-install-recommends --download-only install bpftrace >>"$log" 2>&1 ||
		{ tail -n 20 "$log" >&2; die "bpftrace of Debian's $suite cannot be downloaded"; }
	for deb in "$tmp"/archives/*.deb; do
		dpkg-deb -x "$deb" "$tmp/root" || die "$deb cannot be unpacked" "is the disk full?"
	done
	root=$tmp/root/usr
	while read -r name _ path _; do
		case $path in
		"$root"/*) cp -L "$path" "$peer.new/lib/${name##*/}" ;;
		esac
	done < <("$root"/lib64/ld-linux-x86-64.so.2 --library-path "$root/lib/x86_64-linux-gnu" \
		--list "$root/bin/bpftrace")
	cp "$root/bin/bpftrace" "$peer.new/"
	dpkg-deb -f "$tmp"/archives/bpftrace_*.deb Version >"$peer.new/version"
	rm -rf "$peer"
	mv "$peer.new" "$peer"
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

# guest MODE [OPTION...]: do the jobs in $tmp/jobs. The loader is that of bpftrace's C library,
# which can also load programs of older ones.
guest() {
	"$top/lab/run" --config btf --icount --mem 2048 --timeout 7200 "${@:2}" \
		--file "$peer:/bpftrace" \
		--file "$peer/lib/ld-linux-x86-64.so.2:/lib64/ld-linux-x86-64.so.2" \
		--file "$out/calls:/bench/calls" \
		--file "$top/bench/peers.sh:/bench/peers.sh" --file "$tmp/jobs:/bench/jobs" \
		-- "/bench/peers.sh $1 </bench/jobs"
}
