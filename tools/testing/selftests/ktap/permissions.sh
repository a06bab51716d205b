#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Permissions: each cell of the table in the guide (for lockdown see lockdown.sh), and the
# permissions of the opener apply, not those of the user of the session
# (session_over_socket.c tests sessions that are passed on).

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/permission_table.sh"
needs syscalls:sys_enter_getppid functions
plan $((9 * nrows + 53 + $([ ! -e "$tracefs/ktap/jit" ]; echo $?)))

was=$(cat $paranoid)

mode=$(stat -c %a "$session")
max=$(cat /proc/sys/kernel/pid_max)
started=
trap 'kill $started 2>/dev/null; everybody 0 700 "$mode"; echo "$was" >$paranoid
	echo "$max" >/proc/sys/kernel/pid_max; rm -rf "$tmp"' EXIT
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
echo 3 >$paranoid
with "$workload" as $nobody "$KTAP" -e 'print(1)'
says mode_is_not_enough 'error: cannot open .*/ktap/session: Operation not permitted$' \
	'^ktap: tracing needs CAP_PERFMON: try sudo, or setcap cap_perfmon\+ep of ktap, or sysctl kernel.perf_event_paranoid=-1, or 2 for own processes [(]ktap --explain permission[)]$'
echo 2 >$paranoid
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
# a process of the user, which waits
"$workload" as $nobody sleep 100000 &
started=$!
wait_until grep -q "^Uid:.$nobody" /proc/$started/status
wait_until grep -q sleep /proc/$started/comm
only="-p $started"
for level in 0 2; do
	tried_all "own, $level" own $level "$workload" as $nobody
done
only=
tried_all "group, 3" group 3 "$workload" as $nobody
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

# Own processes
# own ARGS...: run ktap as a user who may trace only those
own() { with "$workload" as $nobody "$KTAP" -q "$@"; }
calls='trace syscalls:sys_enter_write /args.count == 77/ { n += 1 } trace_end { print(n) }'
target=$here/utarget
# the command of a fifo that this script holds open as file 9
can_wait
# begin USER COMMAND...: start a process of this user, which waits for a line from file $line;
# $waiter is its pid
line=9
begin() {
	user=$1
	shift
	"$workload" as "$user" "$@" <&$line &
	waiter=$!
	wait_until executes $waiter "$1 $2"
}
# executes PID COMMAND
executes() { tr '\0' ' ' <"/proc/$1/cmdline" | grep -q "^$2 "; }
has_owner() { [ "$(stat -c %u "/proc/$1")" = "$2" ]; }

with "$workload" as $nobody "$KTAP" --info
grep -q 'own processes only (ktap -p PID, ktap -- COMMAND)' "$tmp/out"
result $? info_says_own_processes_only
own -e "$calls"
says a_process_must_be_named '^ktap: error: CAP_PERFMON is needed to trace all processes: this user may trace own ones [(]ktap -p PID, ktap -- COMMAND[)]$'
own -a -e "$calls" -- true
says also_with_a_command_that_is_not_the_only_one '^ktap: error: CAP_PERFMON is needed to trace all processes: '
own -e "$calls" -- "$workload" write 77 50
out own_commands_are_traced '50\n'
own -e "$calls" -- sh -c "$workload write 77 7; $workload daemon write 77 8"
out with_their_descendants '15\n'
begin $nobody "$workload" wait write 77 50
"$workload" as $nobody "$KTAP" -q -p $waiter -e "$calls" >"$tmp/out" 2>"$tmp/err" </dev/null &
tracer=$!
reaches $tracer running
grep -q ' attached=1/1 own=1$' "$tracefs/ktap/sessions"
result $? sessions_show_it
if [ -e "$tracefs/ktap/jit" ]; then
	code='bytecode(forbidden)'
	[ "$(cat /proc/sys/kernel/unprivileged_bpf_disabled 2>/dev/null)" != 0 ] || code=native
	grep 'sys_enter_write' "$tracefs/ktap/sessions" | grep -qF " code=$code"
	result $? own_processes_have_native_code_as_bpf_allows_it
fi
go_on
wait $waiter
reap
out own_processes_are_traced '50\n'
run -q -e "trace_begin { print(1) } trace_end { system('cat $tracefs/ktap/sessions') }" --unsafe
! grep -q own= "$tmp/out" && grep -q ' attached=0/0' "$tmp/out"
result $? and_not_of_other_sessions
# a round takes one unit at least
long='trace syscalls:sys_enter_write /args.count == 77/ { for (i = 1, 20000) { n += 1 } }'
own -e "$long" -- "$workload" write 77 1
[ "$code" = 1 ] && grep -q 'error: the handler used up its budget: max_insns is 10000$' "$tmp/err"
result $? own_processes_have_a_small_budget
own -p $started -e 'trace sched:* { n += 1 }'
says only_system_calls_are_events "^-e:1:7: error: 'sched:[*]': CAP_PERFMON is needed [(]for tracepoints and profiles kernel.perf_event_paranoid=-1 is enough[)]: this user may trace system calls of own processes\$"

# processes of others
refusal='belongs to another user, is privileged, or may not be attached to [(]ptrace[)]$'
own -p 1 -e "$calls"
says not_init "^ktap: error: CAP_PERFMON is needed to trace process 1: it $refusal"
begin 1 "$workload" wait write 77 1
own -p $waiter -e "$calls"
says not_another_users_process "^ktap: error: CAP_PERFMON is needed to trace process $waiter: it $refusal"
go_on
wait $waiter
begin $nobody "$workload" dump 0 wait write 77 1
wait_until has_owner $waiter 0
own -p $waiter -e "$calls"
says not_one_that_does_not_want_it "^ktap: error: CAP_PERFMON is needed to trace process $waiter: it $refusal"
go_on
wait $waiter
"$workload" with $perfmon $nobody sleep 100000 &
started="$started $!"
wait_until grep -q sleep /proc/$!/comm
own -p $! -e "$calls"
says not_one_with_a_capability "^ktap: error: CAP_PERFMON is needed to trace process $!: it $refusal"

# what becomes of a process
own -e "$calls" -- sh -c "$workload write 77 7; $lender write 77 50; $workload write 77 5"
out setuid_programs_are_not_seen '12\n'
own -e "$calls" -- sh -c "$lender as 1 $workload write 77 50; $workload write 77 5"
out nor_programs_of_another_user '5\n'
own -e "$calls" -- sh -c "$lender as $nobody $workload write 77 50; $workload write 77 5"
out a_process_that_is_its_users_again_is_seen '55\n'
own -e "$calls" -- sh -c "$workload dump 0 write 77 50; $workload write 77 5"
out a_process_that_does_not_want_it_is_not_seen '5\n'
own -e "$calls" -- "$workload" dump 0 dump 1 write 77 50
out until_it_wants_it '50\n'
own -e 'trace syscalls:sys_*_execve { of[probename, execname] += 1 } trace_end { print(of["sys_enter_execve", "sh"], of["sys_exit_execve", "lender"]) }' -- \
	sh -c "$lender write 77 1; true"
out not_even_the_end_of_its_exec '1\tnil\n'
cp "$workload" "$tmp/unreadable"
chmod 711 "$tmp/unreadable"
own -e "$calls" -- sh -c "$tmp/unreadable write 77 50; $workload write 77 5"
out nor_programs_that_the_user_cannot_read '5\n'

# numbers of processes that were followed
mkdir -m 777 "$tmp/open"
echo 400 >/proc/sys/kernel/pid_max
seconds=300
"$workload" as $nobody "$KTAP" -q -e "$calls" -- \
	sh -c "$workload fork 500; $workload write 77 3; echo >$tmp/open/born; exec $workload wait write 77 2" <&9 >"$tmp/out" 2>"$tmp/err" &
tracer=$!
reaches $tracer running
wait_until [ -e "$tmp/open/born" ]
i=0
while [ $i -lt 400 ]; do
	"$workload" write 77 1
	i=$((i + 1))
done
go_on
reap
seconds=60
out reused_numbers_are_not_traced '5\n'
echo "$max" >/proc/sys/kernel/pid_max

# memory of programs
own -e 'trace tick-1ms { print(user_string($1), len(ustack), execname == "workload") exit() }' $((0x400000)) -- "$workload" nap 1000 1
out ticks_have_no_memory 'nil\t0\tfalse\n'
own -e 'print(user_string(1), kstack)' -- true
says no_kernel_stack '^-e:1:.* error: CAP_PERFMON is needed for stacks of the kernel, or kernel.perf_event_paranoid -1$'
own -e "trace uprobe:$target:add { n += 1 }" -- "$target" add 1
says no_programs "^-e:1:7: error: 'uprobe:.*': CAP_PERFMON is needed to trace programs\$"
own -e 'trace tick-999us { n += 1 }' -- true
says ticks_are_rare "^-e:1:7: error: 'tick-999us' is too often: at most every 1ms without CAP_PERFMON\$"
own -e "$(yes 'trace tick-1s { n += 1 }' | head -n 17)" -- true
says ticks_are_few "^-e:17:7: error: 'tick-1s': at most 16 ticks without CAP_PERFMON\$"
own -e 'print(cgroup_path(1))' -- true
says no_other_cgroups '^-e:1:.* error: CAP_PERFMON is needed for other cgroups, or kernel.perf_event_paranoid -1$'
own --cgroup / -e "$calls" -- true
says nor_by_name '^ktap: error: CAP_PERFMON is needed to name a cgroup$'
own -e 'trace sched:nosuch { n += 1 }' -- true
says names_of_events_are_not_told "^-e:1:7: error: 'sched:nosuch': CAP_PERFMON is needed "
# a user has 16 sessions; those of others do not count
cat >"$tmp/many.sh" <<E
for i in 1 2; do
	(exec 3<>$session 4<>$session 5<>$session 6<>$session 7<>$session 8<>$session 9<>$session
		echo >$tmp/open/many\$i
		exec sleep 100) &
	holders="\$holders \$!"
done
until [ -e $tmp/open/many1 ] && [ -e $tmp/open/many2 ]; do sleep 0.1; done
exec 3<>$session
$KTAP -q -e '$calls' -- $workload write 77 1
exec 4<>$session
$KTAP -q -e '$calls' -- $workload write 77 1 || echo refused
kill \$holders
E
with "$workload" as $nobody sh "$tmp/many.sh"
[ "$(cat "$tmp/out")" = "1
refused" ] && matches "$tmp/err" '^ktap: error: cannot open .*/ktap/session: Too many users$' \
	'^ktap: this user has as many sessions as are allowed without CAP_PERFMON: end one of them$'
result $? sessions_are_few
own -e "$calls" -- "$workload" write 77 2
out until_one_is_closed '2\n'

# programs with more rights that write for the user
"$KTAPC" -w -o "$tmp/top.ktap" -e 'print(user_string(1), len(ustack))' 2>"$tmp/err"
chmod 644 "$tmp/top.ktap"
with "$workload" as $nobody sh -c "exec 4<>$session; echo pid \$\$ >&4; $lender as 0 cat $tmp/top.ktap >&4; cat <&4 >&2"
is_refused '^ktap: error: CAP_PERFMON is needed to load a script from a process of another user, or a privileged one$'
result $? the_top_level_is_not_lent
with "$workload" as $nobody sh -c "exec 4<>$session; $lender as 0 sh -c 'echo pid \$\$ >&4'; cat <&4 >&2"
is_refused '^ktap: error: CAP_PERFMON is needed to trace process [0-9]*: it belongs to another user'
result $? nor_is_the_process_that_writes

no_complaints no_complaints

finish
