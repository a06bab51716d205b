#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Many processes do random operations on sessions, with valid and damaged chunks, and kill
# -9 at any time (hammer_session.c). Nothing leaks, and the kernel does not complain. Runs
# for SECONDS_ seconds; SEED repeats a run, as far as races allow.

. "$(dirname "$0")/lib.sh"
. "$here/chunks.sh"
plan 8
code=0
seed=${SEED:-1}
make_chunks

# in its own memory cgroup, if the kernel has them
root=$tmp/cgroup group=
mkdir "$root"
if mount -t cgroup2 none "$root" 2>/dev/null; then
	if { echo +memory >"$root/cgroup.subtree_control" && mkdir "$root/ktap_hammer"; } 2>/dev/null; then
		group=$root/ktap_hammer
	else
		umount "$root"
	fi
fi

# events of all kinds occur all the time
"$workload" bursts 2 &
load=$!
while :; do "$here/utarget" add 20; done >/dev/null 2>&1 &
calls=$!

(
	[ -z "$group" ] || echo 0 >"$group/cgroup.procs"
	exec "$here/hammer_session" "$chunks" "$seed" "${SECONDS_:-20}"
) >"$tmp/out" 2>"$tmp/err" || code=$?
[ $code = 0 ]
result $? "every_process_ended_when_it_was_killed"
sed 's/^/# /' "$tmp/out"

# how_often NAME: print how often hammer_session did that
how_often() {
	t=$(value "$1")
	echo "${t:-0}"
}

each_was_done() {
	for kind in opened lines damaged_lines loads damaged_loads truncated in_pieces reads polls \
		stops junk closes dups forks passed execs odd_calls listings events kills; do
		[ "$(how_often $kind)" -gt 0 ] || { echo "# none: $kind"; return 1; }
	done
}
each_was_done
result $? "everything_was_done"
[ "$(how_often loaded)" -gt 0 ] && [ "$(how_often damaged_loaded)" -gt 0 ] && [ "$(how_often refused)" -gt 0 ] &&
	[ "$(how_often bytes)" -gt 0 ]
result $? "chunks_were_taken_and_refused_and_said_something"
echo "# seed $seed"

kill -KILL $calls $load 2>/dev/null
wait $calls $load 2>/dev/null
wait_until no_sessions
result $? no_session_is_left

# memory that is freed after a grace period, and memory that belongs to no session
charged() { sed -n 's/^kernel //p' "$group/memory.stat"; }
given_back() { [ "$(charged)" -le $((2 << 20)) ]; }
if [ -n "$group" ]; then
	wait_until given_back
	result $? memory_is_given_back
	echo "# $(charged) bytes of the cgroup's are charged"
	rmdir "$group"
	umount "$root"
else
	skip memory_is_given_back "the system has no memory cgroup"
fi

run -q -e 'trace sched:sched_process_fork /execname == "workload"/ { n += 1 } trace_end { print(n) }' -- "$workload" fork 100
out all_works_afterwards '100\n'
no_leaks nothing_is_leaked
no_complaints kernel_did_not_complain

finish
