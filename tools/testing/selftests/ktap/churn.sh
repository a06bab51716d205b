#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Entries that come and go, ten million of them: what those that are gone have left
# is enough for those that come. Nothing is dropped, and no memory is added.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 11

pairs=${PAIRS:-10000000}
seconds=600

# Keys are distinct, and an entry is deleted when 200 younger ones of its CPU are
# there. All that the CPUs do is that, for longer than a script may without saying so.
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

# The same with strings of many lengths, compound keys and aggregations, all of
# which have memory of their own, and tables in entries. Tables and aggregations are
# freed a while later: in bursts, so that there is a while. All of them together
# would take many times the memory that there is. How long the while is depends on what
# else the machine does: there is a pause behind some of the bursts.
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

# The control: without the deletions it would have been noticed.
sed 's/^	t\[i - live\] = nil$//' "$tmp/top.kp" >"$tmp/full.kp"
run -q -m 1M "$tmp/full.kp" 2000
is without_deletions_it_is_full "$(value left) $(value wrong)" "1001 0"
[ -s "$tmp/err" ]
result $? and_that_is_told

finish
