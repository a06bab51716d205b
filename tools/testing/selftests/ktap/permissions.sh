#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Permissions: each cell of the table in the guide (for lockdown see lockdown.sh), and the
# permissions of the opener apply, not those of the user of the session
# (session_over_socket.c tests sessions that are passed on).

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/permission_table.sh"
needs syscalls:sys_enter_getppid functions
plan $((9 * nrows + 19))

was=$(cat $paranoid)

mode=$(stat -c %a "$session")
trap 'everybody 0 700 "$mode"; echo "$was" >$paranoid; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"

# says NAME PATTERN...: refused, and these lines are the only output
says() {
	name=$1
	shift
	[ "$code" = 2 ] && [ ! -s "$tmp/out" ] && matches "$tmp/err" "$@"
	result $? "$name"
}

echo 2 >$paranoid
with "$workload" as $nobody "$KTAP" -e 'print(1)'
says mode_of_the_files_decides 'error: cannot open .*/ktap/session: Permission denied$' \
	"^ktap: tracefs belongs to root: try sudo, or give it to a group: mount -o remount,gid=GROUP,mode=750 $tracefs; chmod 660 $session [(]ktap --explain permission[)]\$"
everybody $nobody 750 660
result $? a_group_gets_them
with "$workload" as 1 "$KTAP" -e 'print(1)'
says other_users_do_not 'error: cannot open .*/ktap/session: Permission denied$' "^ktap: tracefs belongs to root"
with "$workload" as $nobody "$KTAP" -e 'print(1)'
says mode_is_not_enough 'error: cannot open .*/ktap/session: Operation not permitted$' \
	'^ktap: tracing needs CAP_PERFMON: try sudo, or setcap cap_perfmon\+ep of ktap, or sysctl kernel.perf_event_paranoid=-1 [(]ktap --explain permission[)]$'
with "$workload" as $nobody "$workload" userns "$KTAP" -e 'print(1)'
says root_of_a_namespace_is_nobody 'error: cannot open .*/ktap/session: Operation not permitted$' \
	"^ktap: tracing shows the whole machine, so it is not allowed in a user namespace, even for its root [(]ktap --explain permission[)]\$"
with "$workload" userns "$KTAP" -e 'print(1)'
says nor_is_a_namespace_of_roots 'error: cannot open .*/ktap/session: Operation not permitted$' 'in a user namespace'

# tried_all WHO COLUMN LEVEL OPENER...: test each row of that column, with
# kernel.perf_event_paranoid set to LEVEL
tried_all() {
	who=$1 level=$3
	column "$2" >"$tmp/column"
	shift 3
	while IFS=$tab read -r row expected <&3; do
		echo "$level" >$paranoid
		cell "$who" "$row" "$expected" "$@"
	done 3<"$tmp/column"
}

# The table
tried_all root root 2
tried_all cap cap 2 "$workload" with $perfmon $nobody
for level in 0 1 2; do
	tried_all "group, $level" group $level "$workload" as $nobody
done
tried_all all all -1 "$workload" as $nobody
tried_all userns userns 2 "$workload" as $nobody "$workload" userns

# CAP_SYS_ADMIN includes CAP_PERFMON; root of a user namespace is like any user
tried_all admin root 2 "$workload" with $sys_admin $nobody
tried_all 'userns, -1' all -1 "$workload" as $nobody "$workload" userns

# Without any permission: a script counts exactly
echo -1 >$paranoid
with "$workload" as $nobody "$KTAP" -q -e 'trace syscalls:sys_enter_getppid /execname == "workload"/ { n += 1 } trace_end { print(n) }' -- \
	"$workload" getppid 100
out others_count_exactly '100\n'

# without any permission: the data of a system call are those that perf shows
written() {
	with "$@" "$KTAP" -q -e '
trace syscalls:sys_enter_write /args.count == 200/ { n = len(args.__buf_val) }
trace_end { print(n) }' -- \
		sh -c 'printf %0200d 0 >/dev/null'
}
if has waits_for_strings; then
	written env
	out root_gets_all_written_data '200\n'
	written "$workload" as $nobody
	shown=$(cat "$tmp/out")
	# CONFIG_TRACE_SYSCALL_BUF_SIZE_DEFAULT is 165 at most
	[ "$code" = 0 ] && [ "$shown" -le 165 ]
	result $? other_users_get_the_data_of_perf
else
	skip root_gets_all_written_data "the events of this kernel do not have the data of write(2)"
	skip other_users_get_the_data_of_perf "the events of this kernel do not have the data of write(2)"
fi

# The credentials of the opener apply, not those of the writer or reader.
"$KTAPC" -w -o "$tmp/function.ktap" -e 'trace probe:vfs_write { n += 1 } trace_begin { exit(0) }' 2>"$tmp/err"
"$KTAPC" -w -o "$tmp/memory.ktap" -e 'print(kernel_string(kaddr("linux_banner"), 13))' 2>"$tmp/err"
"$KTAPC" -w -o "$tmp/signal.ktap" -e 'trace syscalls:sys_enter_getppid { signal("CONT") }' 2>"$tmp/err"
"$KTAPC" -w -o "$tmp/who.ktap" -e 'print(uid)' 2>"$tmp/err"
chmod 644 "$tmp"/*.ktap

# root opens, another user writes and reads
exec 4<>"$session"
with "$workload" as 1 sh -c "cat $tmp/memory.ktap >&4 && cat <&4"
exec 4>&-
out receiver_of_an_open_session_has_its_permissions 'Linux version\n'
exec 4<>"$session"
with "$workload" as 1 sh -c "{ echo unsafe; cat $tmp/signal.ktap; } >&4"
exec 4>&-
out permission_to_act_is_that_of_the_opener ''

# another user opens, and a program of root writes
lender=$tmp/lender
cp "$workload" "$lender"
chmod 4755 "$lender"
with "$workload" as $nobody "$lender" as 0 sh -c 'exec id -u'
out the_lender_is_root '0\n'
# lent FILE...: print the answer of a user's session to what root writes
lent() {
	with "$workload" as $nobody sh -c "exec 4<>$session; $lender as 0 cat $* >&4; cat <&4 >&2"
}
is_refused() { [ "$(cat "$tmp/out")" = "" ] && matches "$tmp/err" "$@"; }
lent "$tmp/function.ktap"
is_refused ":1:7: error: 'probe:vfs_write': CAP_PERFMON is needed to trace functions"
result $? root_lends_no_functions
lent "$tmp/memory.ktap"
is_refused ':1:[0-9]*: error: CAP_PERFMON is needed'
result $? and_no_memory
echo unsafe >"$tmp/unsafe"
lent "$tmp/unsafe" "$tmp/signal.ktap"
is_refused '^ktap: error: unsafe: the opener of the session has no CAP_SYS_ADMIN$'
result $? nor_the_right_to_act
with "$workload" as $nobody sh -c "exec 4<>$session; $lender as 0 cat $tmp/who.ktap >&4; cat <&4"
out the_script_runs_as_the_opener "$nobody\n"

# permissions of paths: a program in a directory of root
echo 2 >$paranoid
mkdir -m 700 "$tmp/private"
cp "$here/utarget" "$tmp/private/utarget"
"$KTAPC" -w -o "$tmp/private.ktap" -e "trace uprobe:$tmp/private/utarget:0x1000 { n += 1 } trace_begin { exit() }" 2>"$tmp/err"
chmod 644 "$tmp/private.ktap"
with "$workload" with $perfmon $nobody sh -c "exec 4<>$session; $lender as 0 cat $tmp/private.ktap >&4; cat <&4 >&2"
is_refused ":1:7: error: .*$tmp/private/utarget"
result $? nor_the_way_to_a_file
exec 4<>"$session"
cat "$tmp/private.ktap" >&4 && code=0 || code=1
cat <&4 >"$tmp/out"
exec 4>&-
out path_is_found_for_root 'n: 0\n'

no_complaints no_complaints

finish
