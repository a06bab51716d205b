#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest: see lab/bpftrace-tools. Prints a line for each run of a tool: @tool, the
# name of the tool, who ran it, "attached" or "refused", the exit code, and what was printed to
# stdout and stderr, in base64.

work=/bt/work
calls=/ktap/selftests/workload
export work calls
echo /usr/lib/x86_64-linux-gnu >/etc/ld.so.conf
ldconfig

# attached WHO PID: wait until it has attached its probes; fails if it ends without
attached() {
	tries=0
	until grep -q '^Attached' "/tmp/$1.err"; do
		kill -0 "$2" 2>/dev/null && [ $tries -lt 600 ] || return
		tries=$((tries + 1))
		usleep 100000
	done
}

# report WHO PID HOW: wait for its end, and print what it has printed
report() {
	wait "$2"
	code=$?
	echo "@tool $name $1 $3 $code $(base64 <"/tmp/$1.out" | tr -d '\n'). $(base64 <"/tmp/$1.err" | tr -d '\n')."
}

one() {
	cd "$1" || return
	name=${1##*/}
	for who in ktap bpftrace; do
		: >/tmp/$who.out
		: >/tmp/$who.err
	done
	[ ! -e before ] || sh before >/tmp/before 2>&1 || cat /tmp/before >&2
	LD_LIBRARY_PATH=/bpftrace/lib /bpftrace/bpftrace tool.bt >/tmp/bpftrace.out 2>/tmp/bpftrace.err &
	bpftrace=$!
	how_bpftrace=attached
	attached bpftrace $bpftrace || how_bpftrace=refused
	ktap tool.bt >/tmp/ktap.out 2>/tmp/ktap.err &
	ktap=$!
	how_ktap=attached
	attached ktap $ktap || how_ktap=refused
	sh work >/tmp/work 2>&1
	# both have printed and counted what was traced
	sleep 1
	for pid in $ktap $bpftrace; do
		kill -INT "$pid" 2>/dev/null
	done
	report bpftrace $bpftrace $how_bpftrace
	report ktap $ktap $how_ktap
	[ ! -e after ] || sh after >/tmp/after 2>&1 || cat /tmp/after >&2
}

for dir in /bt/tools/*; do
	one "$dir"
done
