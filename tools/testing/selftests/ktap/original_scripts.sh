#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The example scripts of the first ktap, unchanged.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 8
tab=$(printf '\t')
load='{ cat /proc/self/status; ls /proc/self /sys/kernel; sleep 0.1; ls /dev; } >/dev/null'

# CPU PID COMM EVENT, one a line, entries and exits
cat >"$tmp/syscalls.kp" <<'SCRIPT'
function eventfun (e) {
	printf("%d %d\t%s\t%s", cpu(), pid(), execname(), e.tostring())
}

kdebug.probe("tp:syscalls", eventfun)

kdebug.probe_end(function () {
	printf("probe end\n")
})
SCRIPT
run -q "$tmp/syscalls.kp" -- sh -c "$load"
[ "$code" = 0 ] &&
	matches "$tmp/out" "^[0-9]+ [0-9]+${tab}[a-z]+${tab}sys_[a-z0-9_]+\(.*fd: .*\)$" \
		"^[0-9]+ [0-9]+${tab}[a-z]+${tab}sys_[a-z0-9_]+ -> 0x0$" &&
	[ "$(tail -n 1 "$tmp/out")" = 'probe end' ]
result $? syscalls_with_kdebug_probe
is every_line_of_it_is_an_event "$(grep -Evc "^[0-9]+ [0-9]+${tab}[^${tab}]+${tab}sys_[a-z0-9_]+(\(.*\)| -> 0x[0-9a-f]+)$" \
	"$tmp/out")" 1

run -q -e 'trace "syscalls:*" function (e) { print(e) }' -- sh -c "$load"
[ "$code" = 0 ] &&
	matches "$tmp/out" '^sys_[a-z0-9_]+\(.*\)$' '^sys_[a-z0-9_]+ -> 0x[0-9a-f]+$' &&
	! grep -q '^$' "$tmp/out"
result $? one_liner_prints_events

cat >"$tmp/histogram.kp" <<'SCRIPT'
# showing all tracepoints in histogram style
hist = {}

function eventfun (e) {
	count(hist, e.name)
}

kdebug.probe("tp:", eventfun)

kdebug.probe_end(function () {
	histogram(hist)
})
SCRIPT
start "$tmp/histogram.kp"
"$workload" getppid 3000
sleep 1
stop
[ "$code" = 0 ] &&
	head -n 1 "$tmp/out" | grep -Eq '^ *value -+ Distribution -+ count *$' &&
	matches "$tmp/out" "^ *sys_enter +\|$bar_of_calls +[0-9]+ *\$"
result $? histogram_of_all_tracepoints
awk 'NR > 1 && NF >= 3 { if (rows && $NF > last + 0) wrong = 1; last = $NF; rows++ }
END { exit wrong || rows < 5 }' "$tmp/out"
result $? histogram_is_sorted
matches "$tmp/err" '^ktap: total enabled [0-9]+ events$' '^Press Control-C to stop\.$'
result $? number_of_events_is_reported

cat >"$tmp/table.kp" <<'SCRIPT'
tbl = {}
tbl[0] = 1
tbl[-1] = "-1"
tbl["key"] = "value"
tbl[execname()] = tbl[execname()] + 1
SCRIPT
run -q "$tmp/table.kp"
out table_of_mixed_keys 'tbl:\n  -1: -1\n  0: 1\n  key: value\n  ktap: 1\n'

sum=0
for by in execname probename; do
	run -q -e "trace syscalls:sys_enter_* { s[$by] += 1 } trace_end { print_hist(s) }" -- \
		"$workload" getppid 1000
	pattern='^ *workload +\|@+ +1[0-9][0-9][0-9] *$'
	[ $by = execname ] || pattern='^ *sys_enter_getppid +\|@+ +1000 *$'
	[ "$code" = 0 ] && matches "$tmp/out" '^ *value -+ Distribution -+ count *$' "$pattern" &&
		sum=$((sum + 1))
done
is print_hist_by_execname_and_by_probename $sum 2

finish
