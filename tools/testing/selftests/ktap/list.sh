#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Lists of the events of this kernel. Patterns are tested without one (tools/ktap/tests).

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 7

run -l
[ "$code" = 0 ] && [ ! -s "$tmp/err" ]
result $? all_events_are_listed
awk 'NR == FNR { seen[$0]; next } !($0 in seen)' "$tmp/out" "$tracefs/available_events" >"$tmp/missing"
is all_tracepoints_are_among_them "$(grep -c . "$tmp/missing")" 0
# in the order of the kernel, which puts the return first
run -l getppid
is a_system_call_is_found_by_its_name "$(sort "$tmp/out")" 'syscalls:sys_enter_getppid
syscalls:sys_exit_getppid'
run -lv syscalls:sys_exit_getppid
out a_system_call_has_fields 'syscalls:sys_exit_getppid
    int __syscall_nr
    long ret
'

# the kernel knows the names of the counters that ktap lists
run -l 'software:*'
events=$(tr '\n' ',' <"$tmp/out")
run -q --dry-run -e "trace ${events%,} { n += 1 }"
if has profiles; then
	[ "$events" ] && is counters_exist "$code" 0
else
	skip counters_exist 'this kernel has no counters'
fi

if has functions && [ -e /sys/kernel/btf/vmlinux ]; then
	run -lv probe:vfs_read
	out a_function_has_parameters 'probe:vfs_read
    struct file *file
    char *buf
    size_t count
    loff_t *pos
    ssize_t retval
'
	run -lv rawtp:sched_process_fork
	out a_raw_tracepoint_has_parameters 'rawtp:sched_process_fork
    struct task_struct *parent
    struct task_struct *child
'
else
	skip a_function_has_parameters 'this kernel has no types of functions'
	skip a_raw_tracepoint_has_parameters 'this kernel has no types of functions'
fi

finish
