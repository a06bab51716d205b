# SPDX-License-Identifier: GPL-2.0
# bpftrace of Debian, for bench/peers, bench/profile and lab/bpftrace-tools. The caller sets $tmp,
# a directory.
# shellcheck shell=bash disable=SC2034,SC2154

# shellcheck source-path=SCRIPTDIR source=apt.sh
. "$top/lab/apt.sh"

# the suite whose bpftrace it is
suite=${PEERS_SUITE:-sid}
peer=$build/bench/bpftrace-$suite

# Options of lab/run for the files of the guest. The loader is that of bpftrace's C library, which can also
# load programs of older ones.
peer_files=(--file "$peer:/bpftrace"
	--file "$peer/lib/ld-linux-x86-64.so.2:/lib64/ld-linux-x86-64.so.2")

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
