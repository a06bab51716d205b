#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Numbers are exact: what a script counts on all CPUs at once, in any context,
# is compared with what a program did, or with what the kernel counted apart
# from the script. Equal, not close.

. "$(dirname "$0")/lib.sh"
plan 12

cpus=$(grep -c '^processor' /proc/cpuinfo)
calls=5000

# on_all_cpus: each CPU has a process of its own that makes its calls
on_all_cpus() {
	pids=
	cpu=0
	while [ $cpu -lt "$cpus" ]; do
		taskset $((1 << cpu)) "$workload" getppid $calls &
		pids="$pids $!"
		cpu=$((cpu + 1))
	done
	wait $pids
}

# value NAME: what the script printed of it
value() {
	sed -n "s/^$1	//p" "$tmp/out"
}

# counts NAME VALUE: exactly the calls of all processes
counts() {
	is "$1" "$(value "$2")" $((calls * cpus))
}

cat >"$tmp/task.kp" <<'E2'
g = 0
x = 0
c = count()
s = stats()
h = hist()
function sum_of(t) {
	var sum = 0
	for (k, v in pairs(t)) {
		sum += v
	}
	return sum
}
trace syscalls:sys_enter_getppid /execname == "workload"/ {
	g += 1
	x++
	one["key"] += 1
	by_pid[pid] += 1
	by_both[pid, cpu] += 1
	nested[cpu][execname] += 1
	c <<< 1
	s <<< 3
	h <<< cpu
	keyed[execname] <<< 1
}
trace_end {
	print("global", g)
	print("increment", x)
	print("one", one["key"])
	print("by_pid", sum_of(by_pid))
	print("by_both", sum_of(by_both))
	var n = 0
	for (k, v in pairs(nested)) {
		n += v["workload"]
	}
	print("nested", n)
	print("count", count(c))
	print("sum", sum(s) / 3)
	print("hist", count(h))
	print("keyed", count(keyed["workload"]))
}
E2
start -q "$tmp/task.kp"
on_all_cpus
stop
counts global global
counts increment increment
counts entry_that_all_share one
counts entries_by_pid by_pid
counts entries_with_compound_keys by_both
counts entries_of_nested_tables nested
counts aggregation_count count
counts aggregation_sum sum
counts aggregation_hist hist
counts keyed_aggregation keyed

# Task, softirq, hardirq and NMI at once, into the same three places; the hits
# of the probes are the kernel's own count of the handlers that ran. An NMI that
# interrupts an update is missed as a whole.
cat >"$tmp/any.kp" <<'E2'
g = 0
c = count()
trace syscalls:sys_enter_getppid, syscalls:sys_exit_getppid { g += 1 t["k"] += 1 c <<< 1 }
trace irq:softirq_entry, irq:softirq_exit { g += 1 t["k"] += 1 c <<< 1 }
trace timer:hrtimer_expire_entry, timer:hrtimer_expire_exit { g += 1 t["k"] += 1 c <<< 1 }
trace nmi:nmi_handler { g += 1 t["k"] += 1 c <<< 1 }
trace_end {
	print("updates", g + t["k"] + count(c))
}
E2

# nmis N: every other CPU shows its stack, in NMI, so many times
nmis() {
	round=0
	while [ $round -lt "$1" ]; do
		echo l >/proc/sysrq-trigger
		round=$((round + 1))
	done
}

"$KTAPC" -w -o "$tmp/any.ktap" "$tmp/any.kp" 2>"$tmp/err"
code=$?
exec 3<>"$tracefs/ktap/session"
cat "$tmp/any.ktap" >&3
level=$(cut -f 1 /proc/sys/kernel/printk)
dmesg -n 1
nmis 30 &
on_all_cpus
wait
# now they interrupt nothing of ours
nmis 10
dmesg -n "$level"
echo stop >&3
cat <&3 >"$tmp/out"
awk '/ hits=/ && $1 != "trace_end" { name = $1; sub(".* hits=", ""); n += $1; if (name ~ /^nmi:/) nmis = $1 }
	END { print "hits", n + 0; print "nmis", nmis + 0 }' "$tracefs/ktap/sessions" |
	tr ' ' '\t' >>"$tmp/out"
exec 3>&-
is updates_of_all_contexts "$(value updates)" $((3 * $(value hits)))
[ "$(value nmis)" -ge $((10 * (cpus - 1))) ]
result $? there_were_nmis

finish
