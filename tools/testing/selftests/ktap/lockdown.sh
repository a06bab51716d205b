#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Who may not, and what a kernel that is locked down refuses. Only a reboot undoes
# that: it is done where the tests are told that they may, and last.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid functions
plan 19

perfmon=38 sys_admin=21
sysctl=/proc/sys/kernel/perf_event_paranoid
paranoid=$(cat $sysctl)
lockdown=/sys/kernel/security/lockdown

# with COMMAND...: run it, as run does
with() {
	code=0
	timeout -s KILL "${seconds:-60}" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
}
# unprivileged ARGS...: ktap as root without the capabilities that matter
unprivileged() {
	with "$workload" without $perfmon "$workload" without $sys_admin "$KTAP" "$@"
}
# says NAME CODE PATTERN...: on stderr, and nothing else
says() {
	name=$1 wanted=$2
	shift 2
	[ "$code" = "$wanted" ] && [ ! -s "$tmp/out" ] && matches "$tmp/err" "$@"
	status=$?
	result $status "$name"
	[ $status = 0 ] || echo "# expected exit code $wanted"
}

not_permitted='error: cannot open .*/ktap/session: (Operation not permitted|Permission denied)'
needs='^ktap: tracing needs CAP_PERFMON, and a kernel that is not locked down: see /sys/.*/lockdown$'

# without CAP_PERFMON
echo 2 >$sysctl
with "$workload" as 65534 "$KTAP" -e 'print(1)'
says users_may_not_open_it 2 'error: cannot open .*/ktap/session: Permission denied' \
	'^ktap: tracing needs CAP_PERFMON and tracefs: try sudo$'
unprivileged -e 'print(1)'
says nor_may_root_without_the_capability 2 "$not_permitted" "$needs"
echo 1 >$sysctl
unprivileged -e 'print(1)'
says kernel_profiling_must_be_allowed 2 "$not_permitted" "$needs"
echo -1 >$sysctl
unprivileged -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- \
	"$workload" getppid 100
out events_are_for_who_may_profile '100\n'
for event in probe:vfs_write kretprobe:vfs_write probe:vfs_write+0x1 rawtp:sched_switch \
	'ftrace:function /ip == vfs_write/'; do
	unprivileged -q -e "
trace $event { n += 1 }"
	says "functions_are_not: $event" 2 "^-e:2:7: error: '.*': only who has CAP_PERFMON may trace functions"
done
unprivileged -q -e 'print(kernel_string(1))'
says nor_is_the_memory_of_the_kernel 2 'error: only who has CAP_PERFMON may read the memory of the kernel'
echo "$paranoid" >$sysctl

[ -e $lockdown ] || mount -t securityfs none /sys/kernel/security 2>/dev/null
if [ "$KTAP_MAY_LOCK_DOWN" != 1 ] || ! grep -q '\[none\]' $lockdown 2>/dev/null; then
	while [ $count -lt "$planned" ]; do
		skip lockdown "KTAP_MAY_LOCK_DOWN is not 1, or there is no lockdown, or it is locked down"
	done
	finish
fi

# integrity: whoever only looks may go on
echo integrity >$lockdown
everything='trace syscalls:sys_enter_getppid { a += 1 }
trace probe:__x64_sys_getppid { b += 1 }
trace_begin { print(kernel_string(kaddr("linux_banner")) != nil) }
trace_end { print(a, b) }'
run -q -e "$everything" -- "$workload" getppid 100
out integrity_lets_look 'true\n100\t100\n'
exec 3<>"$tracefs/ktap/session"
echo unsafe >&3 2>/dev/null && code=0 || code=1
cat <&3 >"$tmp/err" 2>&1
exec 3>&-
: >"$tmp/out"
says integrity_lets_nothing_be_acted_on 1 'error: unsafe: the kernel is locked down'

# confidentiality: what is open stays open, but gets no more than that
"$KTAPC" -w -o "$tmp/function.ktap" -e '
trace probe:vfs_write { n += 1 }' 2>"$tmp/err"
"$KTAPC" -w -o "$tmp/rawtp.ktap" -e '
trace rawtp:sched_switch { n += 1 }' 2>"$tmp/err"
"$KTAPC" -w -o "$tmp/read.ktap" -e '
print(kernel_string(1))' 2>"$tmp/err"
"$KTAPC" -w -o "$tmp/count.ktap" -e 'trace syscalls:sys_enter_getppid /execname == "workload"/ { n += 1 }' \
	2>"$tmp/err"
exec 3<>"$tracefs/ktap/session" 4<>"$tracefs/ktap/session" 5<>"$tracefs/ktap/session"
exec 6<>"$tracefs/ktap/session"
cat "$tmp/count.ktap" >&6
echo confidentiality >$lockdown
run -e 'print(1)'
says confidentiality_lets_nothing_be_opened 2 "$not_permitted" "$needs"

# loaded FD FILE: what the session says to that chunk
loaded() {
	: >"$tmp/out"
	code=0
	{ cat "$2" >&"$1" || code=1; } 2>/dev/null
	cat <&"$1" >"$tmp/err" 2>&1
}
loaded 3 "$tmp/function.ktap"
says confidentiality_has_no_functions 1 ":2:7: error: 'probe:vfs_write': the kernel is locked down"
loaded 4 "$tmp/rawtp.ktap"
says confidentiality_has_no_raw_tracepoints 1 ":2:7: error: 'rawtp:sched_switch': the kernel is locked down"
loaded 5 "$tmp/read.ktap"
says confidentiality_has_no_memory 1 ':2:7: error: kernel_string: nobody may read the memory of this kernel'
"$workload" getppid 100
echo stop >&6
cat <&6 >"$tmp/out"
code=0
out what_ran_goes_on 'n: 100\n'
exec 3>&- 4>&- 5>&- 6>&-

# what the last words of an unprivileged user are, then
with "$workload" as 65534 "$KTAP" -e 'print(1)'
says users_may_not_open_it_either 2 'error: cannot open .*/ktap/session: Permission denied' 'try sudo$'
no_complaints no_complaints

finish
