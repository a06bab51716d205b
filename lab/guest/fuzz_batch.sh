#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The guest of lab/fuzz-guest: make the chunks, let the machine be saved, and wait for a line of
# input; then run a batch of the fuzzer, and check the machine. The line has the seed, the
# seconds, "leaks" if kmemleak is to scan the memory, and a fault for the test of all this.
# It is copied into the folder of the selftests.

# shellcheck source-path=SCRIPTDIR/../../tools/testing/selftests/ktap source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR/../../tools/testing/selftests/ktap source=chunks.sh
. "$here/chunks.sh"
plan 5
code=0
make_chunks
cp /fuzz/corpus/*.ktap "$chunks"

for port in /sys/class/virtio-ports/*; do
	[ "$(cat "$port/name")" != lab.input ] || exec 3<"/dev/${port##*/}"
done
echo "lab: save" >/dev/kmsg
read -r seed seconds leaks fault <&3

# following allocations takes most of the time: without a scan it is of no use
[ "$leaks" = leaks ] || { echo off >/sys/kernel/debug/kmemleak; } 2>/dev/null || :
# one of four batches runs without native code
[ $((seed % 4)) != 0 ] || [ ! -w "$tracefs/ktap/jit" ] || echo 0 >"$tracefs/ktap/jit"
timeout -s KILL $((seconds + 180)) /fuzz/fuzz_guest "$chunks" "$seed" "$seconds" \
	>"$tmp/out" 2>"$tmp/err" || code=$?
sed 's/^/# /' "$tmp/out"
[ $code = 0 ]
result $? every_process_ended_when_it_was_killed

case $fault in
warning) echo WARNING >/sys/kernel/debug/provoke-crash/DIRECT ;;
session) exec 4<>"$tracefs/ktap/session" ;;
hang) sleep 10000 ;;
esac

# wait_until() counts its attempts, which take several times as long on an emulated machine
seconds=15
wait_until no_sessions
result $? no_session_is_left
seconds=60
script='trace sched:sched_process_fork /execname == "workload"/ { n += 1 } trace_end { print(n) }'
run -q -e "$script" -- "$workload" fork 100
out a_script_runs_afterwards '100\n'
if [ "$leaks" = leaks ]; then
	no_leaks nothing_is_leaked
else
	skip nothing_is_leaked "this batch does not look for leaks"
fi
no_complaints kernel_did_not_complain
finish
