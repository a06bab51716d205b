#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, whose clock counts instructions: see lab/cost.  Measure whether an
# overhead limit of one percent holds if each event clears a table of 300000 entries.
# Prints three numbers: the share of the handlers in the CPU time, in millionths; their
# time in nanoseconds; and the time that ktap/sessions shows.

tracing=/sys/kernel/tracing
tables=5
# enough to clear a table in one run
echo 1000000 >$tracing/ktap/max_insns
echo $((256 << 20)) >$tracing/ktap/max_memory

uptime_us() {
	read -r up _ </proc/uptime
	echo "${up%.*}$(echo "${up#*.}0000" | head -c 6)"
}

ktap -q -w -m 240M --max-overhead 1 -o /dev/null -e "
	all = {}
	for (k = 1, $tables) {
		var t = table.new(300000)
		for (i = 1, 300000) { t[i] = i }
		all[k] = t
	}
	trace syscalls:sys_enter_getppid /execname == \"workload\"/ {
		n += 1
		clear(all[n])
	}" 2>/tmp/err &
tracer=$!
while ! grep -q ' running ' $tracing/ktap/sessions; do
	kill -0 $tracer || { cat /tmp/err >&2; exit 1; }
	usleep 10000
done

# The share refers to the time from the first to the last clear, without the last one.
cleared=0 taken=0 begin=0
while :; do
	now=$(uptime_us)
	ns=$(/ktap/selftests/workload timed getppid 1)
	if [ "$ns" -gt 1000000 ]; then
		[ $cleared -gt 0 ] || begin=$now
		cleared=$((cleared + 1))
		[ $cleared -lt $tables ] || break
		taken=$((taken + ns))
	fi
	usleep 50000
done
shown=$(sed -n 's/^.*sys_enter_getppid.* time=\([0-9]*\).*/\1/p' $tracing/ktap/sessions)
echo $((taken * 1000 / (now - begin))) $((taken + ns)) "$shown"
kill -INT $tracer
wait $tracer
