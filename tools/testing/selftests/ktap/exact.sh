#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Numbers are exact: the counts of a script on all CPUs at once, in any context, equal the
# numbers of a program, or those that the kernel counts independently.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 30

calls=5000

# counts NAME VALUE: VALUE equals the calls of all processes
counts() {
	is "$1" "$(value "$2")" $((calls * cpus * ${batches:-1}))
}

# until_ticks: make calls until the script has printed that some ticks ran between them
until_ticks() {
	batches=0
	until grep -q '^ticked$' "$tmp/out" || [ $batches = 100 ]; do
		on_all_cpus getppid $calls
		batches=$((batches + 1))
	done
}

# lost: print all losses except ticks that came before the last one had finished
lost() {
	sed "/^ktap: 'tick-.*' missed [0-9]* events$/d" "$tmp/err"
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
start -q $all_of_it "$tmp/task.kp"
on_all_cpus getppid $calls
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

# Handlers that are one simple act need no run.  Those with a filter by name do: the last one must
# count the same.
cat >"$tmp/act.kp" <<'E2'
h = hist()
s = stats()
trace syscalls:sys_enter_getppid { by_name[execname] += 1 }
trace syscalls:sys_enter_getppid { by_both[execname, cpu] += 1 }
trace syscalls:sys_enter_getppid { h[execname] <<< nsecs }
trace syscalls:sys_enter_getppid { s[execname, pid] <<< 3 }
trace syscalls:sys_enter_getppid { self.t = nsecs }
trace syscalls:sys_exit_getppid /execname == "workload"/ { if (self.t > 0) { timed += 1 } self.t = 0 }
trace raw_syscalls:sys_enter { by_id[args.id, execname] += 1 }
trace raw_syscalls:sys_enter /execname == "workload"/ { run[args.id] += 1 }
trace_end {
	print("by_name", by_name["workload"])
	for (k, v in pairs(by_both)) { if (k[0] == "workload") { both += v } }
	print("by_both", both)
	print("hist", count(h["workload"]))
	for (k, v in pairs(s)) { if (k[0] == "workload") { stats_sum += sum(v) } }
	print("stats", stats_sum / 3)
	print("timed", timed)
	for (k, v in pairs(by_id)) { if (k[1] == "workload" && run[k[0]] != v) { differ += 1 } }
	for (k, v in pairs(run)) { if (by_id[k, "workload"] != v) { differ += 1 } }
	print("differ", len(run) > 0, differ)
}
E2
start -q $all_of_it "$tmp/act.kp"
on_all_cpus getppid $calls
stop
counts entries_by_name_without_a_run by_name
counts entries_with_compound_keys_without_a_run by_both
counts histograms_by_name_without_a_run hist
counts aggregations_with_compound_keys_without_a_run stats
counts fields_of_threads_are_set_without_a_run timed
is entries_by_field_are_those_of_runs "$(value differ)" 'true	nil'

# Snapshots while other CPUs add: each number is in exactly one snapshot or in the rest at
# the end.
cat >"$tmp/snapshot.kp" <<'E2'
c = count()
h = hist()
k = stats()
t = {}
n = 0
before = 0
function take() {
	counted += count(snapshot(c))
	summed += sum(snapshot(h))
	for (key, v in pairs(snapshot(k))) { keyed += count(v) }
	for (key, v in pairs(snapshot(t))) { entries += v }
}
trace syscalls:sys_enter_getppid /execname == "workload"/ {
	c <<< 1
	h <<< 2
	k[n % 10] <<< 1
	t[cpu, n % 100] += 1
	n += 1
}
tick-20ms {
	take()
	if (n != before) { ticks += 1 }
	before = n
	if (ticks == 3) { print("ticked") }
}
trace_end {
	take()
	print("count", counted)
	print("hist", summed / 2)
	print("keyed", keyed)
	print("entries", entries)
	print("left", count(c), len(k), len(t))
}
E2
start -q $all_of_it "$tmp/snapshot.kp"
until_ticks
stop
counts snapshots_of_a_count count
counts snapshots_of_a_hist hist
counts snapshots_of_keyed_aggregations keyed
counts snapshots_of_a_table entries
is snapshots_leak_nothing "$(value left)" "0	0	0"
grep -q '^ticked$' "$tmp/out"
result $? snapshots_were_taken_meanwhile
is snapshots_lost_nothing "$(lost)" ""

# All CPUs add and delete entries of a table during iterations: each iteration visits an
# entry that always exists exactly once, in order.
cat >"$tmp/grow.kp" <<'E2'
var live = 3000
t = table.new(0, 200 + $1 * (live + 1))
next_key = {}
n = 0
before = 0
for (i = 0, 99) { t[i] = i }
trace syscalls:sys_enter_getppid /execname == "workload"/ {
	var key = next_key[cpu] + (cpu + 1 << 32)
	next_key[cpu] += 1
	t[key] += cpu
	t[key % 100] += 0
	if (key % 3 == 0) { t[key] = nil }
	t[key - live] = nil
	n += 1
}
tick-20ms {
	var expected = 0
	for (key, v in pairs(t)) {
		if (key == expected) { expected += 1 } else if (key < 100) { wrong += 1 }
	}
	if (expected != 100) { wrong += 1 }
	if (n != before) { passes += 1 }
	before = n
	if (passes == 3) { print("ticked") }
}
trace_end {
	var there_are = 100
	for (c, end in pairs(next_key)) {
		for (i = end - live, end - 1) {
			var key = i + (c + 1 << 32)
			var there = key in t
			if (there != (key % 3 != 0)) { misplaced += 1 }
			if (there) { there_are += 1 }
		}
		calls += end
	}
	print("calls", calls)
	print("misplaced", misplaced, len(t) - there_are)
	print("wrong", wrong)
}
E2
start -q $all_of_it "$tmp/grow.kp" "$cpus"
until_ticks
stop
counts calls_beside_a_table_that_grows calls
is entries_of_a_table_that_grows "$(value misplaced)" "nil	0"
grep -q '^ticked$' "$tmp/out"
result $? the_table_was_iterated_meanwhile
is entries_that_stay_are_met_once "$(value wrong)" nil
is growth_lost_nothing "$(lost)" ""
batches=

# Task, softirq, hardirq and NMI update the same three slots at once; the hits of the
# probes count the handlers that ran. An NMI that interrupts an update misses its event
# completely.
cat >"$tmp/any.kp" <<'E2'
g = 0
c = count()
trace syscalls:sys_enter_getppid, syscalls:sys_exit_getppid { g += 1 t["k"] += 1 c <<< 1 }
trace irq:softirq_entry, irq:softirq_exit { g += 1 t["k"] += 1 c <<< 1 }
trace timer:hrtimer_expire_entry, timer:hrtimer_expire_exit { g += 1 t["k"] += 1 c <<< 1 }
trace_end {
	print("updates", g + t["k"] + count(c))
}
E2
! has nmi:nmi_handler || echo 'trace nmi:nmi_handler { g += 1 t["k"] += 1 c <<< 1 }' >>"$tmp/any.kp"

# nmis N: make every other CPU show its stack in NMI, N times
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
on_all_cpus getppid $calls
wait
# now no handler is interrupted
nmis 10
dmesg -n "$level"
echo stop >&3
cat <&3 >"$tmp/out"
awk '/ hits=/ && $1 != "trace_end" { name = $1; sub(".* hits=", ""); n += $1; if (name ~ /^nmi:/) nmis = $1 }
	END { print "hits", n + 0; print "nmis", nmis + 0 }' "$tracefs/ktap/sessions" |
	tr ' ' '\t' >>"$tmp/out"
exec 3>&-
is updates_of_all_contexts "$(value updates)" $((3 * $(value hits)))
if has nmi:nmi_handler; then
	[ "$(value nmis)" -ge $((10 * (cpus - 1))) ]
	result $? nmis_occurred
else
	skip nmis_occurred "NMIs are not traced on this machine"
fi

finish
