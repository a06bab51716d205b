#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Refusals without capabilities, and by kernel lockdown. Only a reboot undoes a lockdown:
# this test is the last one, and runs only if KTAP_MAY_LOCK_DOWN is set.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/permission_table.sh"
needs syscalls:sys_enter_getppid functions
plan $((17 + 3 * nrows))

was=$(cat $paranoid)
lockdown=/sys/kernel/security/lockdown

# unprivileged ARGS...: run ktap as root without the capabilities that it needs
unprivileged() {
	with "$workload" without $perfmon "$workload" without $sys_admin "$KTAP" "$@"
}
# says NAME CODE PATTERN...: the only output is these lines on stderr
says() {
	name=$1 wanted=$2
	shift 2
	[ "$code" = "$wanted" ] && [ ! -s "$tmp/out" ] && matches "$tmp/err" "$@"
	status=$?
	result $status "$name"
	[ $status = 0 ] || echo "# expected exit code $wanted"
}

not_permitted='error: cannot open .*/ktap/session: (Operation not permitted|Permission denied)'
needs='^ktap: tracing needs CAP_PERFMON: try sudo, '
locked='^ktap: the kernel is locked down: to trace it, boot without lockdown=confidentiality [(]ktap --explain lockdown[)]$'

# without CAP_PERFMON
echo 2 >$paranoid
with "$workload" as 65534 "$KTAP" -e 'print(1)'
says users_may_not_open_it 2 'error: cannot open .*/ktap/session: Permission denied' \
	"^ktap: tracefs belongs to root: try sudo, or give it to a group: "
echo 3 >$paranoid
unprivileged -e 'print(1)'
says nor_may_root_without_the_capability 2 "$not_permitted" "$needs"
echo 1 >$paranoid
unprivileged -e 'print(1)'
says kernel_profiling_must_be_allowed 2 '^ktap: error: CAP_PERFMON is needed to trace all processes: '
echo -1 >$paranoid
unprivileged -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- \
	"$workload" getppid 100
out events_need_no_capability_if_perf_needs_none '100\n'
for event in probe:vfs_write kretprobe:vfs_write probe:vfs_write+0x1 rawtp:sched_switch \
	'ftrace:function /ip == vfs_write/'; do
	case $event in
	rawtp:*)
		has fprobes || { skip "functions_need_perfmon: $event" "this kernel has no fprobes"; continue; } ;;
	ftrace:*)
		has ftrace || { skip "functions_need_perfmon: $event" "ktap of this kernel has no ftrace: events"; continue; } ;;
	esac
	unprivileged -q -e "
trace $event { n += 1 }"
	says "functions_need_perfmon: $event" 2 "^-e:2:7: error: '.*': CAP_PERFMON is needed to trace functions"
done
unprivileged -q -e 'print(kernel_string(1))'
says nor_is_the_memory_of_the_kernel 2 'error: CAP_PERFMON is needed to read the memory of the kernel'
echo "$was" >$paranoid

[ -e $lockdown ] || mount -t securityfs none /sys/kernel/security 2>/dev/null
if [ "$KTAP_MAY_LOCK_DOWN" != 1 ] || ! grep -q '\[none\]' $lockdown 2>/dev/null; then
	while [ $count -lt "$planned" ]; do
		skip lockdown "KTAP_MAY_LOCK_DOWN is not 1, or there is no lockdown, or it is locked down"
	done
	finish
fi

# integrity: reading is still permitted
"$KTAPC" -w -o "$tmp/act.ktap" -e 'trace syscalls:sys_enter_getppid { signal("CONT") }' 2>"$tmp/err"
exec 3<>"$tracefs/ktap/session"
echo unsafe >&3
echo integrity >$lockdown
cat "$tmp/act.ktap" >&3 2>/dev/null && code=0 || code=1
cat <&3 >"$tmp/err" 2>&1
exec 3>&-
: >"$tmp/out"
says integrity_is_checked_when_a_script_is_loaded 1 \
	'error: signal can change the running system, which a kernel that is locked down never allows'
everything="trace syscalls:sys_enter_getppid { a += 1 }
trace probe:$(call_function getppid) { b += 1 }
trace_begin { print(kernel_string(kaddr('linux_banner')) != nil) }
trace_end { print(a, b) }"
run -q -e "$everything" -- "$workload" getppid 100
out integrity_permits_reading 'true\n100\t100\n'
exec 3<>"$tracefs/ktap/session"
echo unsafe >&3 2>/dev/null && code=0 || code=1
cat <&3 >"$tmp/err" 2>&1
exec 3>&-
: >"$tmp/out"
says integrity_permits_no_changes 1 'error: unsafe: the kernel is locked down'

column integrity >"$tmp/column"
while IFS=$tab read -r row expected <&3; do
	cell integrity "$row" "$expected"
done 3<"$tmp/column"

# keep N OPTION: open a session that loads script N when $tmp/now has a writer
keep() {
	exec 4<>"$tracefs/ktap/session"
	: >"$tmp/$1.open"
	: <"$tmp/now"
	code=0
	{ echo "${2:-frames}" | sed 's/^--//' >&4 && cat "$tmp/$1.ktap" >&4; } 2>/dev/null || code=1
	cat <&4 >"$tmp/$1.says"
	verdict $code "$tmp/$1.says" >"$tmp/$1.verdict"
}
mkfifo "$tmp/now"
column held >"$tmp/column"
while IFS=$tab read -r row expected; do
	scripts "$row" | sed "s/^/$row$tab/"
done <"$tmp/column" >"$tmp/held"
n=0
while IFS=$tab read -r row script <&3; do
	n=$((n + 1))
	"$KTAPC" -w -o "$tmp/$n.ktap" -e "$script trace_begin { exit() }" 2>"$tmp/err"
	keep $n "$(options "$row")" 3<&- &
	wait_until [ -e "$tmp/$n.open" ]
done 3<"$tmp/held"

# confidentiality: open sessions remain, without new permissions
"$KTAPC" -w -o "$tmp/count.ktap" -e 'trace syscalls:sys_enter_getppid /execname == "workload"/ { n += 1 }' \
	2>"$tmp/err"
exec 6<>"$tracefs/ktap/session"
cat "$tmp/count.ktap" >&6
echo confidentiality >$lockdown
run -e 'print(1)'
says confidentiality_permits_no_new_session 2 "$not_permitted" "$locked"
column conf >"$tmp/column"
while IFS=$tab read -r row expected <&3; do
	cell conf "$row" "$expected"
done 3<"$tmp/column"

# the lockdown is checked again when a script is loaded
exec 8>"$tmp/now"
wait
exec 8>&-
column held >"$tmp/column"
while IFS=$tab read -r row expected <&3; do
	# a session of root, opened when addresses were still shown
	[ "$expected" != ks ] || expected=yes
	if [ -z "$(scripts "$row")" ]; then
		skip "held: $row" "this kernel lacks this feature"
		continue
	fi
	is "held: $row" "$(awk -F "$tab" -v row="$row" '$1 == row { print NR }' "$tmp/held" |
		while read -r n; do cat "$tmp/$n.verdict"; done | sort -u)" "$expected"
done 3<"$tmp/column"

"$workload" getppid 100
echo stop >&6
cat <&6 >"$tmp/out"
code=0
out running_sessions_continue 'n: 100\n'
exec 6>&-

# the error for an unprivileged user during a lockdown
with "$workload" as 65534 "$KTAP" -e 'print(1)'
says users_may_not_open_it_either 2 'error: cannot open .*/ktap/session: Permission denied' "$locked"
no_complaints no_complaints

finish
