#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Scripts that are tests: their lines and exit codes, with results of all CPUs and of
# interrupts.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 27

only='/execname == "workload"/'
getppid="trace syscalls:sys_enter_getppid $only"
program=$(command -v "$KTAP")

# lines NAME CODE TEXT: the run had this exit code and exactly this output
lines() {
	printf "$3" >"$tmp/wanted"
	[ "$code" = "$2" ] && cmp -s "$tmp/wanted" "$tmp/out"
	result $? "$1"
}

# numbered N: the output has N results, which are numbered in order
numbered() {
	awk -v n="$1" '
	/^(not )?ok / { sub(/^not /, ""); if ($2 != ++last) bad = 1 }
	END { exit bad || last != n }' "$tmp/out"
}

# A script with its program in the first line is a program.
cat >"$tmp/passes" <<SCRIPT
#!$program
test.plan(3)
test.ok(1, "one")
trace_begin { test.is(1 + 1, 2, "two") }
trace_end { test.skip("three", "no reason") }
SCRIPT
chmod +x "$tmp/passes"
code=0
"$tmp/passes" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
lines a_script_is_a_test_program 0 \
	'TAP version 13\n1..3\nok 1 - one\nok 2 - two\nok 3 - three # SKIP no reason\n'
[ ! -s "$tmp/err" ]
result $? a_test_that_passes_says_nothing_else

run -q -e 'test.plan(2)
test.is(2 + 2, 5, "a sum")
test.ok(1)'
lines a_failure_is_exit_code_1 1 \
	'TAP version 13\n1..2\nnot ok 1 - a sum\n# at -e:2\n#        got: 4\n#   expected: 5\nok 2\n'
run -q -e 'test.skip("a", "b") test.skip("c")'
lines skipping_each_test_is_exit_code_4 4 \
	'TAP version 13\nok 1 - a # SKIP b\nok 2 - c # SKIP\n1..2\n'
run -q -e 'test.plan(0, "no such device") exit()'
lines skipping_all_tests_is_exit_code_4 4 'TAP version 13\n1..0 # SKIP no such device\n'
run -q -e 'test.plan(3) test.ok(1) test.ok(1)'
lines missing_results_are_exit_code_1 1 'TAP version 13\n1..3\nok 1\nok 2\n'
matches "$tmp/err" '^-e:1:6: error: tests planned: 3, tests run: 2$'
result $? missing_results_are_reported
run -q -e "$getppid { test.ok(1) }" -- true
[ "$code" = 1 ] && [ ! -s "$tmp/out" ] && matches "$tmp/err" '^-e:1:[0-9]+: error: no test ran: '
result $? no_result_is_exit_code_1
run -q -e 'test.plan(2) test.ok(1) x = 1 / zero zero = 0'
[ "$code" = 1 ] && matches "$tmp/err" 'error: division by zero$' &&
	! grep -q 'tests planned' "$tmp/err"
result $? an_error_of_the_script_is_exit_code_1
run -q -e 'test.ok(0) exit(0)'
lines a_failure_replaces_exit_code_0 1 'TAP version 13\nnot ok 1\n# at -e:1\n1..1\n'
run -q -e 'test.ok(0) exit(3)'
lines another_exit_code_remains 3 'TAP version 13\nnot ok 1\n# at -e:1\n1..1\n'

# assert
run -q -e "$getppid { n += 1 assert(n < 3, n .. ' calls') } trace_end { print(n) }" -- \
	"$workload" getppid 10
[ "$code" = 1 ] && matches "$tmp/err" '^-e:1:[0-9]+: error: assertion failed: 3 calls$' \
	'^  in trace syscalls:sys_enter_getppid '
result $? a_failed_assert_ends_the_session
is trace_end_runs_after_it "$(cat "$tmp/out")" 3

# Handlers
run -q -e "test.plan(100)
$getppid { test.is(execname, 'workload', probename) }" -- "$workload" getppid 100
[ "$code" = 0 ] && numbered 100 && matches "$tmp/out" '^ok 100 - sys_enter_getppid$'
result $? results_of_a_handler
run -q -e "trace syscalls:sys_enter_getppid /test.is(execname, 'workload')/ { }
trace_end { print('end') }" -- "$workload" getppid 10
[ "$code" = 0 ] && numbered 10 && [ "$(tail -n 2 "$tmp/out" | tr '\n' ' ')" = 'end 1..10 ' ]
result $? results_of_a_filter

total=$((cpus * 400))
start -q -e "test.plan($total)
$getppid { test.ok(pid, 'call') }"
on_all_cpus getppid 400
stop
[ "$code" = 0 ] && numbered $total
result $? results_of_all_cpus_have_numbers_in_order
grep -Evq '^(TAP version 13|1\.\.[0-9]+|ok [0-9]+ - call)$' "$tmp/out"
is each_of_them_is_a_line $? 1

if has profiles; then
	run -q -e 'profile-200hz { test.ok(in_interrupt, "interrupt") n += 1 }
tick-1s { test.ok(!in_interrupt, "task") exit() }'
	[ "$code" = 0 ] && matches "$tmp/out" '^ok [0-9]+ - task$' '^ok [0-9]+ - interrupt$' &&
		numbered "$(sed -n 's/^1\.\.//p' "$tmp/out")"
	result $? results_of_interrupts
else
	skip results_of_interrupts 'no profiles'
fi

# A reader that does not read: lines are lost, results are not.  With pages of 64 KiB a pipe has
# room for 1 MiB.
calls=20000 long=$(printf '%0400d' 0)
mkfifo "$tmp/pipe"
exec 9<>"$tmp/pipe" 8<"$tmp/pipe"
"$KTAP" -q -e "$getppid { n += 1 test.ok(n != $calls, '$long') }" \
	>"$tmp/pipe" 2>"$tmp/err" </dev/null 8<&- 9<&- &
tracer=$!
exec 9<&-
reaches "$tracer" running
"$workload" getppid $calls
cat <&8 >"$tmp/out" &
cat=$!
exec 8<&-
stop
wait $cat
is a_failure_counts_even_if_lines_are_lost "$code" 1
matches "$tmp/err" '^ktap: lost [0-9]+ output records'
result $? lines_were_lost
is all_results_are_counted "$(sed -n 's/^1\.\.//p' "$tmp/out")" $calls
shown=$(grep -Ec '^(not )?ok ' "$tmp/out")
[ "$shown" -lt $calls ] && numbered "$shown"
result $? remaining_lines_have_numbers_in_order

# The file of the session itself, as text
"$KTAPC" -e 'test.ok(1, "x") test.ok(0, "y")' -o "$tmp/t.ktap"
exec 3<>"$tracefs/ktap/session"
cat "$tmp/t.ktap" >&3
code=0
cat <&3 >"$tmp/out"
exec 3>&-
matches "$tmp/out" '^TAP version 13$' '^ok 1 - x$' '^not ok 2 - y$' '^1\.\.2$'
result $? results_are_in_the_text_of_a_session

run -q -e "$getppid { s = speculation() speculate(s) test.ok(1, 'kept') print('dropped') discard(s) }" \
	-- "$workload" getppid 1
lines speculations_hold_back_no_results 0 'TAP version 13\nok 1 - kept\n1..1\n'

# The library for the order of events: each return follows a call, and the last call none
find_scripts
if [ -n "$scripts" ]; then
	mkdir "$tmp/library"
	ln -s "$scripts/lib" "$tmp/library/lib"
	export KTAP_LIBRARY="$tmp/library"
	order='include "lib/order.kp" waits = {} took = stats()'
	calls="trace syscalls:sys_enter_getppid $only"
	returns="trace syscalls:sys_exit_getppid $only"
	run -q -e "$order $calls { order_begin(waits, tid) } $returns { order_end(waits, tid, took) }
trace_end { order_test(waits, took, 1h, 'returns') test.is(count(took), 1000, 'all') }" \
		-- "$workload" getppid 1000
	lines events_that_follow_pass 0 'TAP version 13\nok 1 - returns\nok 2 - all\n1..2\n'
	run -q -e "$order $returns { order_begin(waits, tid) } $calls { order_end(waits, tid, took) }
trace_end { test.ok(count(took) == 999) order_test(waits, took, 1ns, 'calls') }" -- "$workload" getppid 1000
	[ "$code" = 1 ] && matches "$tmp/out" '^ok 1$' '^not ok 2 - calls$' \
		'^# 999 events followed, the slowest after [0-9]+ ns$' \
		'^# 1 events are missing for more than 1 ns$'
	result $? late_and_missing_events_fail
	run -q -e "$order trace_end { order_test(waits, took, 1h, 'none') }"
	[ "$code" = 1 ] && matches "$tmp/out" '^not ok 1 - none$' '^# 0 events followed'
	result $? order_without_events_fails
else
	for name in events_that_follow_pass late_and_missing_events_fail order_without_events_fails; do
		skip "$name" "there are no tools"
	done
fi

finish
