#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest: see lab/bpftrace-tests. Prints a line for each test: @test, its number,
# the exit code (or timeout, skipped), and what its command printed, in base64.

cd /bt || exit 1
sessions=/sys/kernel/tracing/ktap/sessions
mkdir -p /bt/bin
PATH=/bt/bin:$PATH
export PATH
# Under this name ktap has the options of bpftrace; tests look for a process with it, too.
cp "$(command -v ktap)" /bt/bin/bpftrace

one() {
	dir=/bt/tests/$1
	limit=$(cat "$dir/timeout")
	if [ -e "$dir/requires" ] && ! timeout 5 sh "$dir/requires" >/dev/null 2>&1; then
		echo "@test $1 skipped"
		return
	fi
	[ ! -e "$dir/setup" ] || timeout 10 sh "$dir/setup" >/dev/null 2>&1
	befores=''
	for before in "$dir"/before.*; do
		[ -e "$before" ] || continue
		# shellcheck disable=SC2046
		setsid $(cat "$before") >/dev/null 2>&1 &
		befores="$befores $!"
	done
	[ -z "$befores" ] || sleep 0.3
	command=$(cat "$dir/command")
	if [ "$befores" ]; then
		name=$(awk '{ print $NF }' "$dir/before.0")
		pid=$(pidof "$(basename "$name")" | awk '{ print $1 }')
		command=$(printf '%s' "$command" | sed "s/{{BEFORE_PID}}/$pid/g")
	fi
	[ ! -e "$dir/env" ] || command="$(cat "$dir/env"); $command"
	# the session of the last test may not have ended
	running=$(grep -c ' running ' $sessions)
	timeout -k 2 -s TERM "$limit" sh -c "$command" >/tmp/out 2>&1 </dev/null &
	job=$!
	after=''
	if [ -e "$dir/after" ]; then
		n=0
		while [ $n -lt 40 ] && kill -0 $job 2>/dev/null &&
			[ "$(grep -c ' running ' $sessions)" -le "$running" ]; do
			sleep 0.05
			n=$((n + 1))
		done
		setsid sh "$dir/after" >/dev/null 2>&1 &
		after=$!
	fi
	wait $job
	status=$?
	[ $status != 143 ] && [ $status != 137 ] || status=timeout
	for pid in $befores $after; do
		kill -9 -"$pid" 2>/dev/null || kill -9 "$pid" 2>/dev/null
	done
	[ ! -e "$dir/cleanup" ] || timeout 10 sh "$dir/cleanup" >/dev/null 2>&1
	echo "@test $1 $status $(head -c 60000 /tmp/out | base64 | tr -d '\n')"
}

for dir in /bt/tests/*; do
	one "${dir##*/}"
done
