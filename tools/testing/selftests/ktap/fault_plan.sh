#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Failures on purpose: numbers of calls, callers, the plans of lib/fault.kp, and tests of the
# kernel that use them. These tests pass here, and fail if the kernel does something wrong.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 30

only='/execname == "workload"/'
getppid="trace syscalls:sys_enter_getppid $only"
find_scripts
tests=$scripts/../tests
# not installed
if [ -e "$scripts/tests" ]; then
	tests=$scripts/tests
	export KTAP_LIBRARY="$scripts"
fi
fault='include "lib/fault.kp"'

# Numbers

total=$((cpus * 400))
start -q -e "t = {} $getppid { seen[count(t, 'n')] += 1 }
trace_end {
	for (i = 1, $total) { if (seen[i] != 1) { wrong += 1 } }
	print(t.n, len(seen), wrong)
}"
on_all_cpus getppid 400
stop
out each_call_gets_a_number_of_its_own "$total\t$total\tnil\n"

# Callers

run -q -e "trace probe:vfs_read $only {
	n += 1
	for (i = 1, 3) { if (called_from(ipof(kstack(1, i)) - 1)) { found[i] += 1 } }
	if (called_from(nowhere) || called_from(0)) { wrong += 1 }
}
nowhere = kaddr('vfs_write')
trace_end { print(n, found[1], found[2], found[3], wrong) }" -- "$workload" read 1 7
out callers_are_found '7\t7\t7\t7\tnil\n'
# ksys_read(), or what it is a part of
"$KTAP" -q -e "trace probe:vfs_read $only { print(kstack(1, 1)) exit() }" -- "$workload" read 1 1 >"$tmp/caller"
caller=$(sed -n '1s/^ *\([A-Za-z0-9_]*\)+0x.*/\1/p' "$tmp/caller")
if [ -n "$caller" ]; then
	run -q -e "caller = kaddr('$caller')
trace probe:vfs_read $only { n += 1 if (called_from(caller)) { found += 1 } }
trace_end { print(n, found) }" -- "$workload" read 1 7
	out caller_by_its_name '7\t7\n'
else
	skip caller_by_its_name "this kernel has no name for the caller"
fi
run -q -e "$getppid { print(called_from(kaddr('no_such_function'))) }" -- "$workload" getppid 1
[ "$code" = 2 ] && matches "$tmp/err" 'error: kaddr\(\) works in .* at the top level, not in a handler of an event$'
result $? address_is_looked_up_at_the_top_level

if [ -z "$scripts" ]; then
	while [ $count -lt "$planned" ]; do skip fault "there are no tools"; done
	finish
fi

if ! grep -q '^set_retval: 1$' "$tracefs/ktap/features"; then
	why="this kernel was built without CONFIG_KTAP_SET_RETVAL"
	while [ $count -lt "$planned" ]; do skip set_retval "$why"; done
	finish
fi

# Plans

run -q --unsafe -e "$fault p = fault_plan({times = 10})
$getppid { if (fault_due(p)) { due += 1 } }
trace_end { print(p.calls, p.failed, due) }" -- sh -c '
	for i in 1 2 3 4 5 6 7 8; do "$0" getppid 400 & done
	wait' "$workload"
out number_of_failures_is_exact '3200\t10\t10\n'
run -q --unsafe -e "$fault p = fault_plan({probability = 50}) none = fault_plan({probability = 0})
$getppid { fault_due(p) fault_due(none) }
trace_end { print(p.calls, p.failed > 350 && p.failed < 650, none.failed) }" -- "$workload" getppid 1000
out failures_at_random '1000\ttrue\t0\n'
run -q --unsafe -e "$fault p = fault_plan({comm = 'other'}) q = fault_plan({comm = 'workload', from = 'vfs_write'})
$getppid { fault_due(p) fault_due(q) n += 1 }
trace_end { print(p.calls, q.calls, n) print(fault_text(p)) }" -- "$workload" getppid 5
out calls_of_others_are_not_counted '0\t0\t5\n0 calls, 0 failed on purpose\n'

# refused_plan NAME PATTERN OPTIONS
refused_plan() {
	run -q --unsafe -e "$fault p = fault_plan($3) trace syscalls:sys_enter_getppid { fault_due(p) }" -- true
	[ "$code" = 1 ] && matches "$tmp/err" "error: fault_plan: $2\$"
	result $? "$1"
}
refused_plan unknown_option_is_named "there is no option 'tiems'" '{tiems = 1}'
refused_plan number_out_of_range_is_named 'probability is a number from 0 to 100' '{probability = 101}'
refused_plan text_is_no_number 'every is a number from 1 to [0-9]*' '{every = "3"}'
refused_plan unknown_caller_is_named "the kernel has no function 'no_such_function'" '{from = "no_such_function"}'

openat=$(call_function openat)
run -q --unsafe -e "$fault p = fault_plan({after = 1, every = 3, times = 2})
trace probe:$openat $only { fault_fail(p, -13) }
trace syscalls:sys_exit_openat $only { n += 1 if (retval == -13) { print(n) } }
trace_end { print(fault_text(p)) }" -- sh -c '
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do "$0" open /dev/null 1; done' "$workload"
out calls_fail_as_planned '4\n7\n12 calls, 2 failed on purpose\n'
not_loaded function_that_cannot_be_replaced \
	"error: 'probe:vfs_read': set_retval: the kernel allows it for those of error_injection/list" \
	--unsafe -e "$fault p = fault_plan({}) trace probe:vfs_read { fault_fail(p, -5) }"
not_loaded failing_needs_unsafe 'set_retval can change the running system: to allow it, write ktap --unsafe' \
	-e "$fault p = fault_plan({}) trace probe:$openat { fault_fail(p, -5) }"

# Allocations

# allocations NAME FUNCTION OPTION CALL EVENT WORKLOAD...: with this option of the kernel EVENT
# returns ENOMEM, otherwise the script says which option is missing
allocations() {
	name=$1 function=$2 option=$3 call=$4 event=$5
	shift 5
	run -q --unsafe -e "include 'lib/fault_alloc.kp' p = $call
trace $event $only { if (retval == -12) { seen += 1 } } trace_end { print(p.failed > 0, seen) }" -- "$workload" "$@"
	if grep -q " [tT] $function\$" /proc/kallsyms; then
		[ "$code" = 0 ] && matches "$tmp/out" '^true	[1-9]'
	else
		[ "$code" = 1 ] && matches "$tmp/err" "error: no allocation can fail on purpose: this kernel was built without $option\$"
	fi
	result $? "$name"
}
allocations objects_fail should_failslab CONFIG_FAILSLAB \
	'fault_slab({comm = "workload", from = "do_sys_openat2"})' syscalls:sys_exit_openat open /dev/null 1
allocations pages_fail should_fail_alloc_page CONFIG_FAIL_PAGE_ALLOC \
	'fault_pages({comm = "workload", from = "copy_process"})' 'syscalls:sys_exit_clone*' fork 1
# sizes: those that the command asks for, counted first
from='comm = "workload", from = "do_sys_openat2"'
sized='include "lib/fault_alloc_size.kp"'
if grep -q ' [tT] should_failslab$' /proc/kallsyms && [ -e /sys/kernel/btf/vmlinux ]; then
	run -q --unsafe -e "$sized var from = kaddr('do_sys_openat2')
trace probe:should_failslab $only { if (called_from(from)) { n[fault_object_size(arg0)] += 1 } }
trace_end { for (size, times in n) { printf('%d %d\n', size, times) } }" -- "$workload" open /dev/null 5
	read -r size times <"$tmp/out"
	sort -n "$tmp/out" >"$tmp/sizes"
	largest=$(tail -n 1 "$tmp/sizes" | cut -d' ' -f1)
	[ "$code" = 0 ] && [ "$largest" -gt 0 ]
	result $? objects_have_sizes
	run -q --unsafe -e "$sized p = fault_slab({$from, min_size = $size, max_size = $size, after = 1000})
trace_end { print(p.calls) }" -- "$workload" open /dev/null 5
	out objects_of_one_size "$times\n"
	run -q --unsafe -e "$sized p = fault_slab({$from, min_size = $((largest + 1))})
trace_end { print(fault_text(p)) }" -- "$workload" open /dev/null 5
	out larger_objects_do_not_exist '0 calls, 0 failed on purpose\n'
	run -q --unsafe -e "$sized p = fault_slab({$from, min_size = $largest})
trace syscalls:sys_exit_openat $only { if (retval == -12) { n += 1 } } trace_end { print(n > 0, p.failed > 0) }" -- \
		"$workload" open /dev/null 1
	out the_largest_objects_fail 'true\ttrue\n'
else
	for name in objects_have_sizes objects_of_one_size larger_objects_do_not_exist the_largest_objects_fail; do
		skip $name "this kernel has no CONFIG_FAILSLAB, or no types"
	done
fi
run -q --unsafe -e "include 'lib/fault_alloc.kp' p = fault_slab({$from, min_size = 1})"
[ "$code" = 1 ] && matches "$tmp/err" 'error: the size of an object is in types of the kernel: include "lib/fault_alloc_size.kp"$'
result $? sizes_need_types
if grep -q ' [tT] should_fail_alloc_page$' /proc/kallsyms; then
	run -q --unsafe -e "include 'lib/fault_alloc.kp' p = fault_pages({comm = 'workload', max_size = 0})
trace_end { print(fault_text(p)) }" -- "$workload" fork 3
	out no_allocation_has_no_pages '0 calls, 0 failed on purpose\n'
	run -q --unsafe -e "include 'lib/fault_alloc.kp' p = fault_pages({comm = 'workload', min_size = 1, after = 1 << 40})
trace_end { print(p.calls > 0) }" -- "$workload" fork 3
	out and_all_have_one 'true\n'
else
	for name in no_allocation_has_no_pages and_all_have_one; do
		skip $name "this kernel has no CONFIG_FAIL_PAGE_ALLOC"
	done
fi
run -q --unsafe -e 'include "lib/fault_alloc.kp" p = fault_slab({times = 1})'
[ "$code" = 1 ] && matches "$tmp/err" 'error: (no allocation can fail|allocations of the whole system must not fail)'
result $? allocations_of_the_whole_system_never_fail

# Tests of the kernel

seconds=120
# passes NAME SCRIPT PATTERN: the test passes on this kernel
passes() {
	run --unsafe "$tests/$2.kp"
	if [ "$code" = 4 ]; then
		skip "$1" "$(sed -n 's/^1\.\.0 # SKIP //p' "$tmp/out")"
		return
	fi
	[ "$code" = 0 ] && ! grep -q '^not ok' "$tmp/out" && matches "$tmp/out" "$3"
	result $? "$1"
}

# detects NAME SCRIPT PATTERN CALL PROGRAM ERROR: it fails while another script makes that
# system call of the program return another error
detects() {
	wrong=$(call_function "$4")
	"$KTAP" --unsafe -q -e "trace probe:$wrong /execname == '$5'/ { set_retval($6) }" \
		>"$tmp/wrong.out" 2>&1 </dev/null &
	tracer=$!
	reaches "$tracer" running
	run --unsafe "$tests/$2.kp"
	kill -TERM "$tracer"
	wait "$tracer"
	if [ "$code" = 4 ]; then
		skip "$1" "$(sed -n 's/^1\.\.0 # SKIP //p' "$tmp/out")"
		return
	fi
	[ "$code" = 1 ] && matches "$tmp/out" "$3"
	result $? "$1"
}

eio='fsync\(\) of that data returns EIO$'
passes file_system_passes ext4_fsync "^ok 2 - $eio"
detects file_system_that_is_wrong_fails ext4_fsync "^not ok 2 - $eio" fsync dd -28
eio='the read of the device returns EIO$'
passes driver_passes loop_read "^ok 2 - $eio"
detects driver_that_is_wrong_fails loop_read "^not ok 2 - $eio" read dd -22
passes network_passes tcp_loss '^ok 2 - the data are sent again$'
detects network_that_is_wrong_fails tcp_loss '^not ok 1 - a packet with data is lost$' connect nc -101

finish
