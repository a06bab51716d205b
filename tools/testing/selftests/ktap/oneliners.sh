#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Eleven one-liners that users of other tracers try first, unchanged except for the
# process that they trace.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 14
sysctl=/proc/sys/kernel/randomize_va_space

sleeps() { grep -q '(workload) S' "/proc/$1/stat"; }

# waiting COMMAND...: the workload does that after go; its pid is in $worker
waiting() {
	mkfifo "$tmp/fifo"
	"$workload" wait "$@" <"$tmp/fifo" &
	worker=$!
	exec 9>"$tmp/fifo"
	rm "$tmp/fifo"
	wait_until sleeps $worker
}

go() {
	echo >&9
	wait $worker
	exec 9>&-
}

# value NAME KEY: print a value of a table that was printed as a global
value() {
	awk -v name="$1:" -v key="  $2: " '
		$0 !~ /^ / { inside = $0 == name }
		inside && index($0, key) == 1 { print substr($0, length(key) + 1) }' "$tmp/out"
}

# more NAME N LINE KEY COMMAND: the count of LINE for that key is N larger after `COMMAND
# N` than after `COMMAND 0`
more() {
	run -q -e "$3" -- "$workload" $5 0
	before=$(value s "$4")
	run -q -e "$3" -- "$workload" $5 "$2"
	is "$1" "$(($(value s "$4") - before))" "$2"
}

# samples: print the number of samples in a chart or table
samples() { awk '/\|@* *[0-9]+$/ || /: [0-9]+$/ { n += $NF } END { print n + 0 }' "$tmp/out"; }

# How long does a read of one process take?
waiting read 512 100
start -q -e "h = hist()  trace kprobe:vfs_read /pid == $worker/ { self.t = nsecs }  trace kretprobe:vfs_read /self.t/ { h <<< nsecs - self.t; self.t = nil }"
go
stop
is latency_of_reads "$code $(samples)" "0 100"

# Which programs start, with which arguments?
run -q -e 'trace syscalls:sys_enter_execve { print(join(args.argv)) }' -- \
	sh -c "'$workload' getppid 1; '$workload' read 0 2; :"
out programs_that_start "sh -c '$workload' getppid 1; '$workload' read 0 2; :
$workload getppid 1
$workload read 0 2
"

# Which files are opened, by which programs?
run -q -e 'trace syscalls:sys_enter_openat { printf("%s %s\n", comm, args.filename) }' -- \
	"$workload" open /proc/self/comm 3
out files_that_are_opened 'workload /proc/self/comm\nworkload /proc/self/comm\nworkload /proc/self/comm\n'

# How many system calls, by program? Which ones? And by process?
more calls_by_program 1000 'trace raw_syscalls:sys_enter { s[comm] += 1 }' workload getppid
run -q -e 'trace syscalls:sys_enter_* { s[name] += 1 }' -- "$workload" getppid 1000
is calls_by_name "$(value s sys_enter_getppid)" 1000
waiting getppid 1000
start -q -e 'trace raw_syscalls:sys_enter { s[pid, comm] += 1 }'
go
stop
calls=$(value s "$worker, workload")
# it also reads the newline, and exits
[ "$code" = 0 ] && [ "${calls:-0}" -ge 1000 ] && [ "$calls" -lt 1020 ]
result $? calls_by_process

# How many bytes were read, by program?
run -q -e 'trace syscalls:sys_exit_read /retval > 0/ { s[comm] += retval }' -- "$workload" read 512 100
is bytes_that_were_read "$code $(value s workload)" "0 51200"

# Which requests go to disks?
disk=/dev/vda
if [ -b $disk ]; then
	waiting direct $disk 4096 3
	start -q -e 'trace block:block_rq_issue { printf("%d %s %d\n", pid, comm, args.bytes) }'
	go
	stop
	line="$worker workload 4096\n"
	# on s390 a worker of the kernel issues them
	if [ "$(uname -m)" = s390x ]; then
		sed -i "s/^[0-9]* kworker[^ ]* /$worker workload /" "$tmp/out"
	fi
	out requests_to_disks "$line$line$line"

	# Who waits for pages that have to be read?
	mke2fs -q $disk >/dev/null && mkdir "$tmp/disk" && mount $disk "$tmp/disk" &&
		dd if=/dev/zero of="$tmp/disk/file" bs=4096 count=64 2>/dev/null
	run -q -e 'trace software:major-faults:1 { s[comm] += 1 }' -- \
		"$workload" major "$tmp/disk/file" 50
	out major_faults 's:\n  workload: 50\n'
	umount "$tmp/disk"
else
	skip requests_to_disks "there is no $disk"
	skip major_faults "there is no $disk"
fi

# Who makes page faults? Their number is constant if all addresses are.
random=$(cat $sysctl)
echo 0 >$sysctl
more faults 2000 'trace software:faults:1 { s[comm] += 1 }' workload fault
echo "$random" >$sysctl

# Where does one process spend its time?
"$workload" burn 60000 &
worker=$!
start -q -e "trace profile:hz:99 /pid == $worker/ { s[ustack] += 1 }"
sleep 1
stop
[ "$code" = 0 ] && [ "$(samples)" -ge 20 ] && [ "$(samples)" -le 250 ]
result $? profile_counts_the_time
frame='[^ ].*\(workload\)'
has user_files || frame='0x[0-9a-f]+'
matches "$tmp/out" '^s:$' "^ +$frame" &&
	! grep -Evq '^s:$|^ +((0x[0-9a-f]+|\[vdso\]\+0x[0-9a-f]+|[^ ]+ \(workload\))(: [0-9]+)?)?$' "$tmp/out"
result $? profile_has_stacks_of_the_process
kill -KILL $worker
wait $worker 2>/dev/null

# The profile has neither other processes nor idle time.
waiting getppid 1
start -q -e "trace profile:hz:99 /pid == $worker/ { s[ustack] += 1 }"
sleep 0.3
stop
is profile_of_an_idle_process_is_empty "$(samples)" 0
go
start -q -e "h = hist()  trace kprobe:vfs_read /pid == $worker/ { self.t = nsecs }  trace kretprobe:vfs_read /self.t/ { h <<< nsecs - self.t; self.t = nil }"
"$workload" read 512 10
stop
is reads_of_others_do_not_count "$(samples)" 0

finish
