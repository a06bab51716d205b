#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Insert and delete ten million entries, or PAIRS: new entries reuse the memory of deleted ones.
# Nothing is dropped, and the session does not grow.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 13

pairs=${PAIRS:-$(divided 10000000)}
seconds=600

# Keys are distinct, and an entry is deleted when its CPU has 200 newer ones. The CPUs do
# nothing else, for longer than the default overhead limit allows.
cat >"$tmp/handlers.kp" <<'E2'
var live = 200
var each = 100
t = table.new(0, $1 * (live + 1))
next_key = {}
trace syscalls:sys_enter_getppid /execname == "workload"/ {
	var first = next_key[cpu] + (cpu << 40)
	for (key = first, first + each - 1) {
		t[key] = cpu
		t[key - live] = nil
	}
	next_key[cpu] += each
}
trace_end {
	var wrong = 0
	for (key, v in pairs(t)) {
		if (v != key >> 40) { wrong += 1 }
	}
	var n = 0
	for (c, v in pairs(next_key)) { n += v }
	print("inserted", n)
	print("left", len(t))
	print("wrong", wrong)
}
E2
calls=$((pairs / 100 / cpus))
start -q -m 1M $all_of_it "$tmp/handlers.kp" "$cpus"
on_all_cpus getppid 100
memory=$(memory_of "$tracer")
on_all_cpus getppid $((calls - 100))
is handlers_take_no_more_memory "$(memory_of "$tracer")" "$memory"
stop
is handlers_inserted_all "$(value inserted)" $((calls * cpus * 100))
is handlers_deleted_all_but_the_last "$(value left) $(value wrong)" "$((200 * cpus)) 0"
is handlers_lost_nothing "$(cat "$tmp/err")" ""

# The same with values that have memory of their own: strings of many lengths, compound
# keys, aggregations, and tables in entries. Together they would take many times the
# memory of the session. Tables and aggregations are freed after a delay, so they are made
# in bursts. The delay depends on the load of the machine: there is a pause after some of
# the bursts.
cat >"$tmp/kinds.kp" <<'E2'
var live = 20
n = 0
t = table.new(0, 100)
a = stats()
trace syscalls:sys_enter_getppid /execname == "workload"/ {
	var key = n
	n += 1
	t["key " .. key] = "value " .. key
	t["key " .. (key - live)] = nil
	t[key, "a"] <<< key
	t[key - live, "a"] = nil
	t[key] = { key }
	t[key - live] = nil
	a[key] <<< key
	if (n % 100 == 0) { clear(a) }
}
trace_end {
	print("n", n)
	print("left", len(t), len(a))
}
E2
start -q -m 2M "$tmp/kinds.kp"
bursts=$((pairs / 20000))
burst=0
while [ $burst -lt $bursts ]; do
	"$workload" getppid 100
	burst=$((burst + 1))
	[ $((burst % 5)) != 0 ] || sleep 0.1
done
stop
is all_kinds_were_inserted "$(value n)" $((bursts * 100))
is all_kinds_were_deleted "$(value left)" "60	0"
is all_kinds_lost_nothing "$(cat "$tmp/err")" ""

# Tables in tables in tables: after the outermost one is deleted, all are freed a moment
# later. Together they would take ten times the memory of the session. The first ones are
# short, as the memory for more is added while handlers run.
chains=200
run -q -m 16M -e 'trace syscalls:sys_enter_clock_nanosleep /execname == "workload"/ {
	var t = {}
	g = t
	for (i = 1, (n || 0) < 40 ? 20 * (n || 0) : 800) {
		t[1] = {}
		t = t[1]
	}
	g = nil
	n += 1
}
trace_end { print("n", n) }' -- "$workload" nap 50 $chains
is chains_of_tables_were_made "$(value n)" $chains
is chains_of_tables_lost_nothing "$code $(cat "$tmp/err")" "0 "

cat >"$tmp/top.kp" <<'E2'
var live = 1000
t = table.new(0, live + 1)
for (i = 1, $1) {
	t[i] = i
	t[i - live] = nil
}
var wrong = 0
for (key, v in pairs(t)) {
	if (v != key) { wrong += 1 }
}
print("left", len(t))
print("wrong", wrong)
E2
run -q -m 1M "$tmp/top.kp" $((pairs / 4))
is top_level_deleted_all_but_the_last "$(value left) $(value wrong)" "1000 0"
is top_level_lost_nothing "$code $(cat "$tmp/err")" "0 "

# Control: without the deletions the session runs out of memory.
sed 's/^	t\[i - live\] = nil$//' "$tmp/top.kp" >"$tmp/full.kp"
run -q -m 1M "$tmp/full.kp" 2000
is without_deletions_it_is_full "$(value left) $(value wrong)" "1001 0"
[ -s "$tmp/err" ]
result $? and_that_is_reported

finish
