#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# CPUs go offline and online while a script runs: counts remain exact, their output is not
# lost, and they are traced again when they are back.

. "$(dirname "$0")/lib.sh"
plan 14

n=500
online=/sys/devices/system/cpu/cpu1/online
if ! { echo 0 >$online; } 2>/dev/null; then
	echo "# no CPU can go offline"
	while [ $count -lt "$planned" ]; do skip hotplug "no CPU can go offline"; done
	finish
fi
echo 1 >$online
down() { echo 0 >$online; }
up() { echo 1 >$online; }
on_one() { "$workload" pin 1 "$@"; }

# toggle_while PID: CPU 1 goes offline and online while the process runs, at least four
# times
toggle_while() {
	toggles=0
	while kill -0 "$1" 2>/dev/null || [ $toggles -lt 4 ]; do
		down
		up
		toggles=$((toggles + 1))
	done
	wait "$1"
}

# counts, per-CPU aggregations, and tables
start -q -e 'c = count() h = hist() s = stats()
trace syscalls:sys_enter_getppid /execname == "workload"/ {
	g += 1
	c <<< 1
	h <<< 3
	s <<< 2
	t[cpu] += 1
	k["key"] <<< 1
}
trace_end {
	for (cpu, v in pairs(t)) { all += v }
	print(g, count(c), sum(h) / 3, sum(s) / 2, all, count(k["key"]))
}'
four="$workload getppid 50000"
sh -c "$four & $four & $four & $four & wait" &
toggle_while $!
stop
echo "# CPU 1 went and came $toggles times"
total=200000
out counts_are_exact "$total\t$total\t$total\t$total\t$total\t$total\n"
is nothing_is_lost "$(cat "$tmp/err")" ""

# by_hand: open a session as file descriptor 3, without a reader
by_hand() {
	"$KTAPC" -w -o "$tmp/print.ktap" -e 'trace syscalls:sys_enter_getppid /execname == "workload"/ {
	n += 1
	print(cpu, n)
}' 2>"$tmp/err"
	code=$?
	exec 3<>"$tracefs/ktap/session"
	cat "$tmp/print.ktap" >&3
}
read_by_hand() {
	echo stop >&3
	cat <&3 >"$tmp/out"
	exec 3>&-
}
wanted=$(i=1; while [ $i -le $n ]; do echo "1	$i"; i=$((i + 1)); done)

by_hand
on_one getppid $n
down
read_by_hand
is output_of_a_cpu_that_is_gone "$(cat "$tmp/out")" "$wanted"

by_hand
up
on_one getppid $n
read_by_hand
is output_of_a_cpu_that_goes_online "$(cat "$tmp/out")" "$wanted"

by_hand
on_one getppid $((n / 2))
down
up
on_one getppid $((n - n / 2))
read_by_hand
is output_of_a_cpu_that_goes_offline_and_online "$(cat "$tmp/out")" "$wanted"

# perf counters are made again a moment after the CPU is online: wait for them
cp "$workload" "$tmp/herald"
counters="trace software:faults:1 {
	if (args.addr $at_2000) {"'
		n += 1
		t[cpu] += 1
	} else if (cpu == 1 && execname == "herald") {
		print("here")
	}
}
trace_end { print(n, t[1]) }'
# shellcheck disable=SC2317 # wait_until calls it
counted() {
	"$tmp/herald" pin 1 getppid 1
	grep -q here "$tmp/out"
}
start -q -e "$counters"
on_one fault $n
down
up
wait_until counted
on_one fault $n
stop
is counters_of_a_cpu_that_goes_offline_and_online "$(tail -n 1 "$tmp/out")" "$((2 * n))	$((2 * n))"
down
start -q -e "$counters"
up
wait_until counted
on_one fault $n
stop
is counters_of_a_cpu_that_goes_online "$(tail -n 1 "$tmp/out")" "$n	$n"

# ticks continue on another CPU
start -q -e 'tick-10ms { print("tick") }'
for round in 1 2 3; do
	down
	lines=$(wc -l <"$tmp/out")
	# shellcheck disable=SC2317 # wait_until calls it
	more() { [ "$(wc -l <"$tmp/out")" -gt $((lines + 5)) ]; }
	wait_until more || break
	up
done
went_on=$?
up
stop
is ticks_continue "$went_on $code" "0 0"

# with -C
down
run -q -C 1 -e 'profile-1ms { n += 1 } tick-50ms { print(n) exit() }'
out session_of_a_cpu_that_is_gone 'nil\n'
start -q -C 1 -e 'profile-1ms { if (!n) { print("came", cpu) } n += 1 }
trace syscalls:sys_enter_getppid /execname == "workload"/ { calls += 1 }
trace_end { print("calls", calls) }'
up
wait_until grep -q came "$tmp/out"
"$workload" pin 0 getppid $n
on_one getppid $n
stop
out session_of_a_cpu_that_goes_online "came\t1\ncalls\t$n\n"
down
run -q -e 'print(num_cpus)'
out number_of_cpus_counts_existing_ones "$((cpus - 1))\n"

# the session ends with CPUs offline; then all of it again
start -q -e 'profile-1ms { n += 1 } trace syscalls:sys_enter_getppid { m += 1 } tick-1ms { k += 1 }
trace_end { print(n > 0, k > 0) }'
sleep 0.3
up
down
stop
out end_without_a_cpu 'true\ttrue\n'
up

# Sessions are opened and closed while CPUs go offline and online
come_and_go() {
	while [ ! -e "$tmp/enough" ]; do
		down
		up
	done
}
come_and_go &
comer=$!
round=0 failures=0
while [ $round -lt 30 ]; do
	run -q -e 'profile-1ms { n += 1 } trace software:faults:1, sched:sched_switch, probe:vfs_write { m += 1 }
tick-2ms { exit() }'
	if [ "$code" != 0 ]; then
		failures=$((failures + 1))
		sed "s/^/# exit code $code: /" "$tmp/err"
	fi
	round=$((round + 1))
done
touch "$tmp/enough"
wait $comer
is churn_causes_no_errors $failures 0
no_complaints no_complaints

finish
