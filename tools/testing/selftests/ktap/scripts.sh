#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The library of tools: each has a help text and compiles without a warning, counts a
# known load correctly, and prints lines like those in its help.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 86

find_scripts
. "$(dirname "$0")/scripts_lib.sh"

# Every tool: warnings are errors, even for its help.
wrong=
for file in "$scripts"/*.kp; do
	name=${file##*/}
	run -Werror "$file" -h
	[ "$code" = 0 ] && [ ! -s "$tmp/err" ] && matches "$tmp/out" '^[A-Z]' "ktap $name" 'Cost: ' \
		"^Options of .*/$name:$|^.*/$name has no options" || wrong="$wrong $name"
done
is every_tool_compiles_and_has_a_help "$wrong" ""
[ "$(ls "$scripts"/*.kp | wc -l)" -ge 40 ]
result $? there_are_forty_tools

# Options
script='print(getopt("pid", 0), getopt("name", "x"), getopt("all", false), arg[1], arg[2])'
run -e "$script" one --pid=7 --all two --name=5
out options_are_no_arguments '7\t5\ttrue\tone\ttwo\n'
run -e "$script" one --nmae=5
[ "$code" = 2 ] && matches "$tmp/err" \
	"^ktap: error: the script has no option '--nmae'; it has --name, --pid, --all$"
result $? unknown_option_is_refused
run -e "$script" one --pid
[ "$code" = 1 ] && matches "$tmp/err" "^-e:1:7: error: option --pid needs a value$"
result $? option_without_its_value_is_an_error
run -e "$script" --pid=7 one
out option_after_e_is_for_the_script '7\tx\tfalse\tone\tnil\n'
run -e "$script" one --pid=seven
[ "$code" = 1 ] && matches "$tmp/err" "^-e:1:7: error: option --pid is an integer, not 'seven'$"
result $? option_of_a_wrong_type_is_an_error
run -e 'print(arg[2])' one --nmae=5
out without_getopt_there_are_no_options '--nmae=5\n'
"$KTAPC" -e "$script" -o "$tmp/options.ktap"
exec 3<>"$tracefs/ktap/session"
{ printf 'arg name\narg --pid=3\narg --\narg --all\n' && cat "$tmp/options.ktap"; } >&3
code=0
cat <&3 >"$tmp/out"
exec 3>&-
out options_without_the_tool '3\tx\tfalse\t--all\tnil\n'

# System calls
tool syscount -- "$workload" getppid 1000
counted syscount '^getppid +1000$' 1
tool syscount --by-process -- "$workload" getppid 1000
between syscount_by_process "$(column ' workload ' 3)" 1000 1050
tool syslat --call=clock_nanosleep -- "$workload" nap 10 5
[ "$(sum)" = 5 ] && [ "$(column '^clock_nanosleep' 4)" -ge 10000 ] && [ "$code" = 0 ]
result $? syslat
tool errsnoop --errno=ENOENT -- "$workload" stat /no/such 4
counted errsnoop '^[0-9]+ +workload +(newfstatat|fstatat64) +ENOENT$' 4
tool errsnoop --count -- "$workload" stat /no/such 7
counted errsnoop_counts '^workload +(newfstatat|fstatat64) +ENOENT +7$' 1
tool opensnoop -- "$workload" open /proc/self/comm 3
counted opensnoop '^[0-9]+ +workload +3 +/proc/self/comm$' 3
tool opensnoop --failed --file=such -- "$workload" open /no/such 1
is opensnoop_of_failures "$code $(lines .) $(lines '^[0-9]+ +workload +ENOENT +/no/such$')" '0 2 1'
tool execsnoop -- sh -c "'$workload' getppid 1; '$workload' open / 2"
is execsnoop "$code $(lines "^[0-9]+ +[0-9]+ +0 +$workload getppid 1$") $(lines "0 +$workload open / 2$") $(lines .)" \
	'0 1 1 4'
tool exitsnoop -- sh -c "'$workload' fork 2; sh -c 'kill -9 \$\$'; exit 3"
is exitsnoop "$code $(lines ' workload +[0-9]+ exit 0$') $(lines ' sh +[0-9]+ SIGKILL$') $(lines ' sh +- exit 3$')" \
	'0 3 1 1'
tool killsnoop -- sh -c 'trap : USR1; kill -USR1 $$; kill -TERM 4194303'
is killsnoop "$code $(lines '^[0-9]+ +sh +SIGUSR1 +[0-9]+ +0$') $(lines ' sh +SIGTERM +4194303 +ESRCH$') $(lines .)" \
	'0 1 1 3'
tool statsnoop -- "$workload" stat / 5
counted statsnoop '^[0-9]+ +workload +0 +/$' 5
tool statsnoop --failed -- "$workload" stat /no/such 5
counted statsnoop_of_failures '^[0-9]+ +workload +ENOENT +/no/such$' 5
tool readsize --comm=workload -- "$workload" read 512 10
[ "$(sum 'read, bytes')" = 10 ] && matches "$tmp/out" ' 512 \|@+ +10$'
result $? readsize
tool syncsnoop -- sync
counted syncsnoop '^[0-9]+ +sync +sync +[0-9]+ +0$' 1
set -- "$tracefs"/events/syscalls/sys_enter_mmap*
if [ -e "$1" ]; then
	tool mmapsnoop -- "$workload" map 5
	counted mmapsnoop "^[0-9]+ +workload +$((5 * page)) +r--p +- +0x[0-9a-f]+$" 5
else
	skip mmapsnoop "mmap() of this machine has one argument, which points to the others"
fi
tool futexlat -- "$workload" futex 20 3
[ "$(sum workload)" = 3 ] && ! grep -Eq ' (1|2|4|8|[0-9]{2,3}|1024|2048|4096|8192) \|@' "$tmp/out"
result $? futexlat
tool filelife -- sh -c "echo x >'$tmp/life'; sleep 0.1; rm '$tmp/life'"
between filelife "$(column "rm +[0-9]+ $tmp/life" 3)" 100 5000
tool rwtop -- "$workload" read 4096 100
counted rwtop '^[0-9]+ +workload +400 +0$' 1

# Functions
tool vfslatency -- "$workload" read 512 10
is vfslatency "$code $(sum 'vfs_read by workload')" '0 10'
if has fprobes; then
	tool vfscount -- "$workload" read 512 10
	counted vfscount '^vfs_read +10$' 1
else
	skip vfscount "without fprobes a probe has one function, not vfs_*"
fi
tool vfsstat -- "$workload" write 512 10
is vfsstat "$code $(column '^ +[0-9]' 2)" '0 10'
tool dcsnoop -- "$workload" stat /not_in_the_cache 1
counted dcsnoop '^[0-9]+ +workload +not_in_the_cache$' 1
tool capable -- chroot / true
counted capable '^[0-9]+ +0 +chroot +CAP_SYS_CHROOT +granted$' 1
tool funccount vfs_read -- "$workload" read 512 20
counted funccount '^vfs_read +20$' 1
tool funccount 'syscalls:sys_enter_getp*' -- "$workload" getppid 30
counted funccount_of_events '^sys_enter_getppid +30$' 1
tool funccount no_such_function
[ "$code" = 2 ] && matches "$tmp/err" "error: .*'?no_such_function'?"
result $? missing_function_is_named
loader=$(readlink -f "$here/loader")
library=$(readlink -f "$here/libktapshared.so.1")
if has programs && "$loader" load "$library" 1 2>/dev/null; then
	seconds=240 tool funccount 'libc:str*' -- "$loader" load "$library" 1
	[ "$code" = 0 ] && matches "$tmp/out" '^FUNCTION +CALLS$' '^str[a-z0-9_]+ +[1-9][0-9]*$'
	result $? funccount_of_a_library
else
	skip funccount_of_a_library "programs cannot be traced, or no dynamic C library is installed"
fi
tool funccount
[ "$code" = 2 ] && matches "$tmp/out" '^funccount.kp PATTERN: '
result $? missing_argument_is_reported
tool funclatency vfs_read --us -- "$workload" read 512 20
is funclatency_in_us "$code $(sum 'vfs_read, us')" '0 20'
tool funclatency vfs_read -- "$workload" read 512 20
is funclatency "$code $(sum 'vfs_read, ns')" '0 20'
tool stackcount vfs_read -- "$workload" read 512 20
[ "$code" = 0 ] && matches "$tmp/out" '^ +vfs_read\+' '^ +20$'
result $? stackcount
tool tracefunc vfs_read --args=2 -- "$workload" read 512 5
counted tracefunc_of_two '^[0-9]+ +workload +vfs_read +512 +[0-9]+ 0x[0-9a-f]+ 0x[0-9a-f]+$' 5
tool tracefunc vfs_read -- "$workload" read 512 5
counted tracefunc '^[0-9]+ +workload +vfs_read +512 +[0-9]+ 0x[0-9a-f]+ 0x[0-9a-f]+ 0x200$' 5
tool tracefunc vfs_fstatat --failed -- "$workload" stat /no/such 5
counted tracefunc_of_failed_calls '^[0-9]+ +workload +vfs_fstatat +-2 ' 5
tool argdist vfs_read --arg=2 -- "$workload" read 512 20
[ "$(sum)" = 20 ] && matches "$tmp/out" ' 512 \|@+ +20$'
result $? argdist
tool argdist vfs_read --result --values -- "$workload" read 300 20
counted argdist_of_results ' 300 \|@+ +20$' 1
tool argdist vfs_fstatat --result --values -- "$workload" stat /no/such 20
counted argdist_of_errors ' -2 \|@+ +20$' 1

# Processes and memory
tool pidpersec -- "$workload" fork 5
is pidpersec "$code $(column '^[0-9]' 2)" '0 5'
tool forksnoop -- "$workload" fork 3
counted forksnoop '^[0-9]+ +workload +[0-9]+$' 3
tool pagefaults -- "$workload" fault 2000
between pagefaults "$(column ' workload ' 3)" 2000 2200
tool kmallocsize --sizes -- "$workload" message 1000 10
counted kmallocsize '^load_msg\+0x[0-9a-f]+ +10 +10[0-9]+ +[0-9]+$' 1
tool profile -- "$workload" burn 600
between profile "$(column '^ +[0-9]+$' 1)" 15 200
tool profile --user -- "$workload" burn 600
between profile_of_programs "$(column '^ +[0-9]+$' 1)" 15 200
tool cpuprofile -- "$workload" burn 600
between cpuprofile "$(column '^.program.' 2)" 15 200

# The scheduler: all of the machine, all at once
begin runqlat
begin runqlen
begin cpudist --by-program
begin offcputime --rows=500
begin wakeuptime --rows=500
begin ctxsw
begin switches --rows=8000
begin migrations --rows=8000
begin softirqs
begin timerlat
begin sigsnoop
begin lockcontention
all_run
"$workload" nap 20 25 & napper=$!
for burner in 1 2 3; do
	taskset 2 "$workload" burn 700 &
done
"$workload" hop 10 & hopper=$!
"$workload" fork 5 & forker=$!
for writer in 1 2 3 4; do
	dd if=/dev/zero of="$tmp/same" bs=16384 count=300 conv=notrunc oflag=append 2>/dev/null &
done
wait $napper $hopper $forker
sleep 0.5
done_all
wait

of runqlat
between runqlat "$(sum)" 50 1000000
of runqlen
between runqlen "$(awk '/ 2 \|@/ { print $NF; found = 1 } END { if (!found) print 0 }' "$tmp/out")" 15 1000
of cpudist
between cpudist "$(sum workload)" 25 10000
of offcputime
between offcputime "$(awk '/nanosleep/ { inside = 1 } inside && /^ +[0-9]+$/ { sum += $1; inside = 0 }
	END { print sum + 0 }' "$tmp/out")" 450000 5000000
of wakeuptime
between wakeuptime "$(column '^workload +workload ' 3)" 1 10000000
of ctxsw
between ctxsw "$(column '^[0-9]' 2)" 50 1000000
of switches
# a task may be preempted while it yields
gave_up=$(column "^$napper +workload " 3)
[ "$code" = 0 ] && [ "$gave_up" -le 40 ] && [ $((gave_up + $(column "^$napper +workload " 4))) -ge 25 ]
result $? switches
of migrations
between migrations "$(column "^$hopper +workload " 3)" 10 14
of softirqs
between softirqs "$(column '^(TIMER|SCHED|RCU|HRTIMER) ' 2)" 1 1000000
of timerlat
between timerlat "$(column '^hrtimer_wakeup' 2)" 25 1000
of sigsnoop
counted sigsnoop "^[0-9]+ +workload +SIGCHLD +$forker +workload" 5
of lockcontention
between lockcontention "$(column '^(mutex|rwsem|spinlock|percpu|rt) .*[0-9]$' 2)" 1 1000000

# one command; the task that it waits for runs among others
run -q -a "$scripts/offcputime.kp" --comm=workload -- "$workload" nap 20 25
between offcputime_of_a_command "$(awk '/nanosleep/ { inside = 1 } inside && /^ +[0-9]+$/ { sum += $1; inside = 0 }
	END { print sum + 0 }' "$tmp/out")" 450000 5000000
run -q "$scripts/offcputime.kp" -- "$workload" nap 5 3
[ "$code" = 0 ] && matches "$tmp/out" 'try ktap -a offcputime -- COMMAND' && [ "$(lines .)" = 2 ]
result $? offcputime_of_what_ends_elsewhere_has_advice
# keeps TOOL TABLE: threads that have ended are not in its table
keeps() {
	{
		cat "$scripts/$1.kp"
		echo "trace_end { printf(\"kept %d\\n\", len($2)) }"
	} >"$tmp/kept.kp"
	run -q -a "$tmp/kept.kp" -- sh -c 'i=0; while [ $i -lt 300 ]; do '"$workload"' getppid 0; i=$((i + 1)); done'
	between "$1_forgets_ended_threads" "$(sed -n 's/^kept //p' "$tmp/out")" 1 200
}
keeps offcputime left
keeps wakeuptime blocked
run -q -a "$scripts/runqlat.kp" --comm=workload -- "$workload" nap 20 25
between runqlat_of_a_command "$(sum)" 20 1000

# Disks
if [ -b $disk ]; then
	mkdir "$tmp/disk" && mke2fs -q $disk >/dev/null && mount $disk "$tmp/disk" &&
		dd if=/dev/zero of="$tmp/disk/file" bs="$page" count=64 2>/dev/null && sync
	tool majorfaults -- "$workload" major "$tmp/disk/file" 20
	counted majorfaults '^[0-9]+ +workload +20$' 1
	for name in biolatency biosnoop bitesize hardirqs workqlat writeback; do
		begin $name
	done
	all_run
	"$workload" direct $disk 4096 5
	echo x >"$tmp/disk/file"
	sync
	sleep 0.2
	done_all
	umount "$tmp/disk"
	of biolatency
	between biolatency "$(sum)" 6 1000
	of biosnoop
	# on s390 a worker of the kernel issues them
	by=workload
	[ "$(uname -m)" != s390x ] || by='kworker[^ ]*'
	counted biosnoop "^[0-9]+ +$by"' +[0-9]+:[0-9]+ +R[A-Z]* +[0-9]+ +4096 +[0-9]+$' 5
	of bitesize
	# direct reads may first write back the page cache
	if [ "$by" = workload ]; then
		counted bitesize ' 4096 \|@+ +5$' 1
	else
		between bitesize "$(column '^ +4096 ' 3)" 5 20
	fi
	of hardirqs
	between hardirqs "$(column '^(virtio|AIO)' 2)" 5 1000
	of workqlat
	between workqlat "$(column '^wb_workfn' 2)" 1 100
	of writeback
	[ "$code" = 0 ] && matches "$tmp/out" '^[0-9]+:[0-9]+ +sync +(all|[0-9]+) +[0-9]+$'
	result $? writeback
else
	for name in majorfaults biolatency biosnoop bitesize hardirqs workqlat writeback; do
		skip $name "there is no $disk"
	done
fi

# The network
for name in tcpconnect tcpaccept tcplife tcpstates; do
	begin $name
done
! has packets || for name in pkttop tcpflags; do
	begin $name
done
all_run
port=$("$workload" connect 100 3)
sleep 0.2
done_all
lo=127\\.0\\.0\\.1
of tcpconnect
counted tcpconnect "^[0-9]+ +workload +$lo +$lo:$port$" 3
of tcpaccept
counted tcpaccept "^[0-9]+ +workload +$lo:$port +$lo:[0-9]+$" 3
of tcplife
counted tcplife "^[0-9]+ +[a-z]+.* $lo:$port +$lo:[0-9]+ +[0-9]+$|$lo:[0-9]+ +$lo:$port +[0-9]+$" 6
of tcpstates
counted tcpstates "^$lo:[0-9]+ +$lo:$port +SYN_SENT +ESTABLISHED +[0-9]+$" 3
if has packets; then
	of pkttop
	counted pkttop "^(in|out) +$lo +$lo +$port +6 +[0-9]+ +[0-9]+$" 2
	of tcpflags
	counted tcpflags "^out +SYN +$lo:[0-9]+ +$lo:$port$" 3
else
	skip pkttop "this kernel has no packets as events"
	skip tcpflags "this kernel has no packets as events"
fi

# No memory
group=/sys/fs/cgroup/ktap-oom
if echo +memory >/sys/fs/cgroup/cgroup.subtree_control && mkdir $group; then
	echo 4M >$group/memory.max
	begin oomkill
	all_run
	sh -c "echo \$\$ >$group/cgroup.procs; exec '$workload' fault 5000"
	done_all
	rmdir $group
	of oomkill
	counted oomkill '^[0-9]+ +workload +[0-9]+ +[0-9]+ workload \([0-9]+\)$' 1
else
	skip oomkill "the system has no cgroup with a memory limit"
fi 2>/dev/null

# The first tools
start -q "$scripts/histogram.kp"
"$workload" getppid 2000
stop
[ "$code" = 0 ] && matches "$tmp/out" " sys_enter \|$bar_of_calls +[0-9]+\$"
result $? histogram

like_their_help
finish
