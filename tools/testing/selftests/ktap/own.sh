#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Users without permissions trace their own processes: the policy "own". A session sees these
# exactly, and no process of others or with more privileges; the column "own" of the permission
# table; programs; memory.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/permission_table.sh"
policy=$tracefs/ktap/policy
grep -q '^own: 1' "$tracefs/ktap/features" 2>/dev/null || lacks "this kernel has no policy 'own'"
needs syscalls:sys_enter_getppid programs
plan $((nrows + 51))

was=$(cat $paranoid)
mode=$(stat -c %a "$session")
scope=/proc/sys/kernel/yama/ptrace_scope
old_scope=$(cat $scope 2>/dev/null)
trap 'echo permissions >"$policy"; everybody 0 700 "$mode"; echo "$was" >$paranoid
[ -z "$old_scope" ] || echo "$old_scope" >$scope
rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
can_wait

user() { with "$workload" as $nobody "$KTAP" "$@"; }
# user_starts ARGS...: start it in the background, like start
user_starts() {
	"$workload" as $nobody "$KTAP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
	tracer=$!
	reaches "$tracer" running
}
# says NAME PATTERN...: refused, and these lines are the only output
says() {
	name=$1
	shift
	[ "$code" = 2 ] && [ ! -s "$tmp/out" ] && matches "$tmp/err" "$@"
	result $? "$name"
}
# copy NAME MODE [PROGRAM]: a copy of workload, which has that name in execname
copy() {
	cp "${3:-$workload}" "$tmp/$1"
	chmod "$2" "$tmp/$1"
}

echo 2 >$paranoid
[ -z "$old_scope" ] || echo 1 >$scope
everybody $nobody 750 660
user -q -e 'print(1)'
says off_by_default 'error: cannot open .*/ktap/session: Operation not permitted$' '^ktap: tracing needs CAP_PERFMON'
echo own >"$policy"
matches "$policy" '^permissions \[own\]( signed signed-only)?$'
result $? own_is_chosen

# Each program makes these calls while the session runs, and has a name of its own.
copy mine 755
copy others 755
copy setuid 4755
copy setgid 2755
copy unreadable 711
copy in_namespace 755
copy capable 755
calls() {
	"$workload" as $nobody "$tmp/mine" getppid 100
	"$tmp/others" getppid 100
	"$workload" as 1 "$tmp/others" getppid 100
	"$workload" as $nobody "$tmp/setuid" getppid 100
	"$workload" as $nobody "$tmp/setgid" getppid 100
	"$workload" as $nobody "$tmp/unreadable" getppid 100
	"$workload" as $nobody "$workload" userns "$tmp/in_namespace" getppid 100
	"$workload" with $perfmon $nobody "$tmp/capable" getppid 100
}
# seen NAME PROGRAM COUNT: the session has counted these calls of the program
seen() {
	is "$1" "$(sed -n "s/^$2: //p" "$tmp/out")" "$3"
}
# all_seen KIND: a session of the user has run during calls
all_seen() {
	seen "$1: own_processes_are_counted_exactly" mine 100
	seen "$1: processes_of_others_are_not_seen" others ''
	seen "$1: nor_setuid_programs" setuid ''
	seen "$1: nor_setgid_programs" setgid ''
	seen "$1: nor_programs_that_cannot_be_read" unreadable ''
	seen "$1: nor_root_of_a_namespace" in_namespace ''
	seen "$1: nor_programs_with_capabilities" capable ''
}
count_calls='{ n[execname] += 1 } trace_end { print(n) }'
user_starts -q -e "trace syscalls:sys_enter_getppid $count_calls"
grep -q ' own=1$' "$tracefs/ktap/sessions"
result $? sessions_show_it
nice=$(cat /proc/[0-9]*/stat 2>/dev/null | sed -n 's/^[0-9]* (ktap\/[0-9]*) //p' | cut -d' ' -f17)
is its_thread_has_the_lowest_priority "$nice" 19
calls
stop
all_seen syscalls
number=$("$workload" number getppid)
user_starts -q -e "trace raw_syscalls:sys_enter /args.id == $number/ $count_calls"
calls
stop
all_seen raw_syscalls
start -q -e "trace syscalls:sys_enter_getppid $count_calls"
calls
stop
seen root_sees_all_of_them others 200
user -q -e 'trace syscalls:sys_exit_getppid { n += 1 } trace_end { print(n) }' -- "$tmp/mine" getppid 100
out commands_are_counted_exactly '100\n'
user -q -e 'trace syscalls:sys_enter_openat { n[args.filename] += 1 u[user_string(arg1)] += 1 }
trace_end { print(n["/dev/null"], u["/dev/null"]) }' -- "$tmp/mine" open /dev/null 20
out strings_of_system_calls '20\t20\n'
user -q -e 'trace syscalls:* { n[probename] += 1 } trace_end { print(n["sys_enter_openat"], n["sys_exit_openat"]) }' -- \
	"$tmp/mine" open /dev/null 20
matches "$tmp/out" '^2[0-9]	2[0-9]$'
result $? all_system_calls_at_once
user -q -e 'trace tick-10ms { t += 1 if (t == 3) { exit() } } trace_end { print(t >= 3) }'
out ticks_and_the_end 'true\n'

# perf's setting allows users what it allowed them before
echo -1 >$paranoid
user_starts -q -e "trace syscalls:sys_enter_getppid $count_calls"
calls
stop
seen perf_event_paranoid_still_counts others 200
echo 2 >$paranoid

# the column of the table
tried_all own own 2 "$workload" as $nobody

# what is refused, and what would allow it
user -q -e "$(printf '\ntrace sched:sched_switch { }')"
says other_events_are_refused "^-e:2:7: error: 'sched:sched_switch': CAP_PERFMON is needed: without it a script has only system calls, programs and ticks [(]ktap/policy[)]\$"
user -q -e 'trace *:sys_enter_getppid { n += 1 } trace raw_*:* { n += 1 } trace_begin { exit() } trace_end { print(1) }'
out patterns_of_system_calls_are_allowed '1\n'
user -q -e 'trace s*:s* { n += 1 }'
says patterns_of_others_are_refused "^-e:1:7: error: 's\*:s\*': CAP_PERFMON is needed: "
user -q -e "$(printf 'trace syscalls:sys_enter_getppid {\n print(kstack) }')"
says functions_are_refused '^-e:2:[0-9]*: error: CAP_PERFMON is needed for kstack: without it a script sees only processes of its user [(]ktap/policy[)]$'
user -q -e 'print(ffi.C.sched_clock())'
says functions_of_the_kernel_are_refused 'error: CAP_PERFMON is needed for functions of the kernel: '
user -q --unsafe -e 'trace syscalls:sys_enter_getppid { signal("KILL") }'
says acting_is_refused '^ktap: error: unsafe: the opener of the session has no CAP_SYS_ADMIN$'
copy private.target 700 "$here/utarget"
user -q -e "trace uprobe:$tmp/private.target:0x1000 { n += 1 }"
says files_must_be_readable "error: '.*': CAP_PERFMON is needed: its user may not read '$tmp/private.target'\$"

# programs
copy target 755 "$here/utarget"
copy root_target 4755 "$here/utarget"
add=$("$here/utarget" offset add)
user_starts -q -e "trace uprobe:$tmp/target:$add { n[arg0] += 1 } trace uretprobe:$tmp/target:$add { m[retval] += 1 }
trace uprobe:$tmp/root_target:$add { r += 1 } trace_end { print(n) print(m) print(r) }"
"$workload" as $nobody "$tmp/target" add 300
"$tmp/target" add 200
"$workload" as 1 "$tmp/target" add 100
"$tmp/target" intact
result $? memory_of_root_is_not_changed
"$workload" as 1 "$tmp/target" intact
result $? nor_memory_of_another_user
! "$workload" as $nobody "$tmp/target" intact
result $? memory_of_the_user_is
"$workload" as $nobody "$tmp/root_target" intact
result $? but_not_of_a_setuid_program
"$workload" as $nobody "$tmp/root_target" add 50
stop
out programs_are_counted_exactly '1: 300\n55: 300\nnil\n'
user -q -e "trace uprobe:$tmp/target:* { n += 1 }"
says places_are_limited "error: '.*': more than 1024 places in programs in one script\$"
# processes that have mapped the file when the session begins
leaf=$("$here/utarget" offset leaf)
mkfifo "$tmp/go_root" && exec 8<>"$tmp/go_root"
"$workload" as $nobody "$tmp/target" map "$tmp/target" "$leaf" 10 <&9 &
of_user=$!
"$tmp/target" map "$tmp/target" "$leaf" 10 <&8 &
of_root=$!
# waits_for_input PID: it has mapped the file a second time, and called the code
waits_for_input() {
	[ "$(grep -c 'r-xp.*/target' "/proc/$1/maps")" = 2 ] && grep -q '^State:.*sleeping' "/proc/$1/status"
}
wait_until waits_for_input $of_user
wait_until waits_for_input $of_root
user_starts -q -e "trace uprobe:$tmp/target:$leaf { n += 1 } trace_end { print(n) }"
go_on
echo go >&8
wait $of_root
result $? programs_of_root_that_run_already_go_on
wait $of_user
result $? and_those_of_the_user
stop
out which_are_counted '10\n'
# the middle of an instruction: whatever that does to the user, nothing happens to others
user_starts -q -e "trace uprobe:$tmp/target:$((add + 1)) { n += 1 }"
"$tmp/target" add 100
result $? a_wrong_place_breaks_no_program_of_others
stop

# the script is loaded by one who could have made the session
"$KTAPC" -w -o "$tmp/who.ktap" -e 'print(pid)' 2>"$tmp/err"
chmod 644 "$tmp/who.ktap"
with "$workload" as $nobody sh -c "exec 4<>$session; $tmp/setuid as 0 cat $tmp/who.ktap >&4; cat <&4 >&2"
[ ! -s "$tmp/out" ] && matches "$tmp/err" 'error: CAP_PERFMON is needed to load a script by a process that the opener of the session could not trace$'
result $? programs_with_more_privileges_load_nothing

# memory
limited() {
	kib=$1
	shift
	with sh -c 'ulimit -l "$0" && exec "$@"' "$kib" "$workload" as $nobody "$KTAP" "$@"
}
limited 4096 -q -e 'print(1)'
out a_session_counts_4_mib '1\n'
limited 4095 -q -e 'print(1)'
says and_no_less '^ktap: error: no memory for a session of 2097152 bytes: twice of it must be left of RLIMIT_MEMLOCK of its user [(]ulimit -l, ktap -m[)]$'
limited 512 -q -m 256k -e 'print(1)'
out less_memory_is_enough '1\n'
for _ in 1 2 3 4 5; do
	limited 4096 -q -e 'print(1)'
	cat "$tmp/out"
done >"$tmp/five"
is memory_is_given_back "$(cat "$tmp/five")" "$(printf '1\n1\n1\n1\n1')"
user_starts -q -e 'trace syscalls:sys_enter_getppid { n += 1 }'
cp "$tmp/out" "$tmp/first"
limited 4096 -q -e 'print(1)'
says sessions_of_a_user_count_together 'error: no memory for a session of '
limited 8192 -q -e 'print(1)'
out two_of_them_fit '1\n'
stop

# a security module
if [ -n "$old_scope" ]; then
	echo 2 >$scope
	user -q -e 'print(1)'
	says security_modules_are_asked '^ktap: error: CAP_PERFMON is needed: a security module does not let the processes of this user trace each other [(]kernel.yama.ptrace_scope[)]$'
	echo 1 >$scope
else
	skip security_modules_are_asked "this kernel has no Yama"
fi

echo permissions >"$policy"
user -q -e 'print(1)'
says off_again 'error: cannot open .*/ktap/session: Operation not permitted$' '^ktap: tracing needs CAP_PERFMON'
no_complaints kernel_did_not_complain
finish
