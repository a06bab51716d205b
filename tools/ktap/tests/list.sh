#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test ktap -l: which events of the kernel a pattern matches. The lists are invented.
#
#	tests/list.sh KTAP

ktap=${1:?usage: list.sh KTAP}
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

mkdir -p "$dir/tracefs/ktap"
cat >"$dir/tracefs/available_events" <<'LIST'
sched:sched_switch
sched:sched_wakeup
syscalls:sys_enter_read
LIST
cat >"$dir/tracefs/available_filter_functions" <<'LIST'
vfs_read
vfs_write
__ftrace_invalid_address___128
__probestub_sched_switch
ext4_open [ext4]
LIST
export KTAP_TRACEFS="$dir/tracefs"

list() {
	code=0
	"$ktap" -l "$1" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
}

# lists NAME PATTERN EVENT...: the pattern matches exactly these events, in this order
lists() {
	name=$1
	list "$2"
	shift 2
	printf '%s\n' "$@" | cmp -s - "$dir/out" && [ "$code" = 0 ] && [ ! -s "$dir/err" ]
	result $? "$name"
}

# refuses NAME PATTERN MESSAGE: the pattern is an error
refuses() {
	list "$2"
	[ "$code" = 1 ] && [ ! -s "$dir/out" ] && [ "$(cat "$dir/err")" = "ktap: error: $3" ]
	result $? "$1"
}

lists events_of_a_system 'sched:*' sched:sched_switch sched:sched_wakeup
lists a_system_and_nothing sched: sched:sched_switch sched:sched_wakeup
lists an_event_of_any_system '*:*_read' syscalls:sys_enter_read
lists every_tracepoint tp: sched:sched_switch sched:sched_wakeup syscalls:sys_enter_read
lists a_system_after_tp tp:sched sched:sched_switch sched:sched_wakeup
lists an_event_after_tracepoint tracepoint:sched:sched_w* sched:sched_wakeup
lists functions 'probe:vfs_*' probe:vfs_read probe:vfs_write
lists a_kprobe kprobe:vfs_read probe:vfs_read
lists returns 'probe:vfs_*%return' 'probe:vfs_read%return' 'probe:vfs_write%return'
lists a_kretprobe kretprobe:vfs_read 'probe:vfs_read%return'
lists an_instruction probe:vfs_read+0x10 probe:vfs_read+0x10
lists a_function_with_fetch_arguments 'probe:vfs_read a=%di' probe:vfs_read
lists functions_of_a_module 'probe:ext4:*' probe:ext4:ext4_open
lists functions_of_the_kernel_itself 'probe:vmlinux:*' probe:vmlinux:vfs_read probe:vmlinux:vfs_write \
	probe:vmlinux:__probestub_sched_switch
lists a_function_of_all_modules 'probe:*:*_[or]*' probe:vmlinux:vfs_read probe:ext4:ext4_open
lists a_function_of_any_module probe:ext4_open probe:ext4_open
lists functions_that_are_there 'probe:[!_]*' probe:vfs_read probe:vfs_write probe:ext4_open
lists raw_tracepoints 'rawtp:*' rawtp:sched_switch
refuses packets_of_a_kernel_without_them 'packet:*' "no event matches 'packet:*'"
printf 'abi: 1.0\nsources: tracepoint packet perf\n' >"$dir/tracefs/ktap/features"
lists packets 'packet:*' packet:in packet:out packet:forward
lists a_kind_of_packets packet:f* packet:forward
refuses unknown_packets packet:inn "no event matches 'packet:inn'"
lists the_function_tracer ftrace:function ftrace:function
lists the_end trace_end trace_end

refuses a_system_that_is_not_there 'nope:*' "no event matches 'nope:*'"
refuses a_function_that_is_not_there probe:nope "no event matches 'probe:nope'"
refuses what_cannot_come_after_a_function 'probe:vfs_read%nope' "no event matches 'probe:vfs_read%nope'"
refuses a_name_alone sched_switch \
	"no event matches 'sched_switch': an event is like SYSTEM:EVENT, a function like probe:FUNCTION"
refuses ticks 'tick-*' "there is no list of 'tick-*': a tick is like tick-10ms (s, ms, us, ns, hz)"
refuses profiles profile-99hz \
	"there is no list of 'profile-99hz': a timer on each CPU is like profile-99hz or profile-1ms"
refuses counters 'software:*' \
	"there is no list of 'software:*': counters are like software:faults:1; 'perf list sw' names them"
refuses counters_of_the_machine 'hardware:*' \
	"there is no list of 'hardware:*': counters are like hardware:cycles:1000000; 'perf list hw' names them"

code=0
"$ktap" -l 'sched:*' >/dev/full 2>"$dir/err" || code=$?
[ "$code" = 1 ] && grep -q 'cannot write to standard output: No space left' "$dir/err"
result $? list_to_a_full_disk

export KTAP_TRACEFS="$dir/nowhere"
for pattern in 'sched:*' 'probe:vfs_*' 'rawtp:*'; do
	refuses "no_tracefs_for_$pattern" "$pattern" "tracefs is not mounted
ktap: try: mount -t tracefs nodev $dir/nowhere"
done
lists what_needs_no_tracefs trace_end trace_end
export KTAP_TRACEFS="$dir/tracefs"

printf 'made:up\033event\nmade:event\n' >>"$dir/tracefs/available_events"
lists events_with_clean_names 'made:*' made:event
rm "$dir/tracefs/available_events"
mkdir "$dir/tracefs/available_events"
refuses a_list_that_cannot_be_read 'sched:*' \
	"cannot read $dir/tracefs/available_events: Is a directory"

# another user reads a list that only root may read
chmod 755 "$dir"
chmod 700 "$dir/tracefs"
cp "$ktap" "$dir/ktap"
user=
[ "$(id -u)" != 0 ] || user='setpriv --reuid 12345 --clear-groups'
# shellcheck disable=SC2086 # words
if [ "$user" ] && $user true 2>/dev/null; then
	code=0
	$user "$dir/ktap" -l 'sched:*' >"$dir/out" 2>"$dir/err" || code=$?
	[ "$code" = 1 ] && grep -q 'available_events: Permission denied' "$dir/err" &&
		grep -q '^ktap: tracefs belongs to root: try sudo' "$dir/err"
	result $? a_list_of_root_has_advice
else
	skip a_list_of_root_has_advice "it takes root and setpriv"
fi
finish
