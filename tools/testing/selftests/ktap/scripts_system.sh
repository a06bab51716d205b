#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The tools for processes, CPUs, locks and memory that scripts.sh does not run: each counts a
# known load, and prints lines like those in its help. Those for which a machine lacks what they
# trace say so.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 37

find_scripts
. "$(dirname "$0")/scripts_lib.sh"

# Calls
tool setuids --groups -- "$workload" as 1000 "$workload" getppid 1
counted setuids '^[0-9]+ +workload +0 +set(re|res)?uid +1000.* 0$' 1
counted setuids_of_groups '^[0-9]+ +workload +0 +set(re|res)?gid +1000.* 0$' 1
tool setuids --failed --groups -- "$workload" as 1000 "$workload" as 0 true
counted setuids_that_fail '^[0-9]+ +workload +1000 +set[a-z]+id +0.* EPERM$' 1
tool setuids --failed -- "$workload" as 1000 "$workload" getppid 1
counted setuids_that_do_not_fail 'workload' 0

mkdir "$tmp/at"
tool mountsnoop -- sh -c "mount -t tmpfs from '$tmp/at'; umount '$tmp/at'; mount -t nofs a '$tmp/at' 2>/dev/null"
counted mountsnoop "^[0-9]+ +(mount|sh) +mount +0 +tmpfs +from +$tmp/at$" 1
counted mountsnoop_of_umount "^[0-9]+ +(umount|sh) +umount +0 +- +- +$tmp/at$" 1
counted mountsnoop_of_failures "^[0-9]+ +(mount|sh) +mount +ENODEV +nofs +a +$tmp/at$" 1
tool mountsnoop -- "$workload" attach "$tmp/at"
counted mountsnoop_of_newer_calls \
	"^[0-9]+ +workload +(fsopen +[0-9]+ +tmpfs +- +-|move_mount +0 +- +- +$tmp/at)$" 2
umount "$tmp/at"
if has addresses; then
	tool naptime -- "$workload" nap 20 3
	counted naptime '^[0-9]+ +workload +[0-9]+ +20$' 3
	tool naptime --min=21 -- "$workload" nap 20 3
	counted naptime_of_longer_ones 'workload' 0
	tool loads -- sleep 2.5
	[ "$code" = 0 ] && [ "$(lines '^[0-9:]+ +[0-9]+\.[0-9][0-9] +[0-9]+\.[0-9][0-9] +[0-9]+\.[0-9][0-9] +[0-9]+ +[0-9]+$')" -ge 1 ]
	result $? loads
else
	for name in naptime naptime_of_longer_ones loads; do
		skip $name "this machine has no read()"
	done
fi
tool klockstat -- dd if=/dev/zero of=/dev/null bs=4096 count=1 2>/dev/null
[ "$code" = 0 ] && matches "$tmp/out" '^ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ [a-z_0-9.]+\+0x'
result $? klockstat
tool klockstat --pid=4194303 -- true
counted klockstat_of_another_process '\+0x' 0
tool slabratetop --rows=500 -- "$workload" open / 300
between slabratetop "$(column '^(filp|alloc_empty_file)[^ ]* ' 2)" 300 340
if has addresses; then
	tool memleak --rows=500 -- "$workload" message 1000 10
	[ "$code" = 0 ] && matches "$tmp/out" '^ +[0-9]+ +[0-9]+$' && ! grep -q 'load_msg+' "$tmp/out"
	result $? memleak_forgets_what_is_freed
	mount -t tmpfs none "$tmp/at"
	tool memleak --rows=500 -- \
		sh -c "for i in 1 2 3 4 5; do for j in 1 2 3 4 5; do : >'$tmp/at/'\$i\$j; done; done"
	between memleak_shows_what_is_kept "$(awk '/ alloc_inode\+/ { inode = 1 }
		/^ +[0-9]+ +[0-9]+$/ { if (inode) n += $1; inode = 0 }
		END { print n + 0 }' "$tmp/out")" 25 100
	umount "$tmp/at"
	tool memleak --rows=500 -- "$workload" map 200
	between memleak_forgets_what_rcu_frees "$(awk '/ (mas|mtree|__mas)_[a-z_]+\+/ { node = 1 }
		/^ +[0-9]+ +[0-9]+$/ { if (node) n += $1; node = 0 }
		END { print n + 0 }' "$tmp/out")" 0 100
	tool memleak --pid=4194303 -- "$workload" message 1000 10
	counted memleak_of_another_process '\+0x' 0
	tool memleak --older=600000 -- "$workload" message 1000 10
	counted memleak_of_what_is_older '\+0x' 0
else
	for name in forgets_what_is_freed shows_what_is_kept forgets_what_rcu_frees \
		of_another_process of_what_is_older; do
		skip memleak_$name "this machine has no read()"
	done
fi

# CPUs
tool cpuwalk --comm=workload -- taskset 2 "$workload" burn 600
if [ "$cpus" -gt 1 ]; then
	between cpuwalk "$(awk '$1 == 1 && /\|@+ / { n += $NF } END { print n + 0 }' "$tmp/out")" 1 200
	is cpuwalk_of_other_cpus "$(sum)" "$(awk '$1 == 1 && /\|@+ / { n += $NF } END { print n + 0 }' "$tmp/out")"
	begin runqslower --min=1000 --comm=workload
	begin offwaketime --comm=workload --rows=500
	all_run
	burners=
	for burner in 1 2 3; do
		taskset 2 "$workload" burn 700 &
		burners="$burners $!"
	done
	"$workload" nap 20 25
	wait $burners
	"$workload" fork 3
	done_all
	of runqslower
	between runqslower "$(lines '^[0-9]+ +workload +1 +[0-9]+ +[0-9]+ +workload$')" 3 100000
	is runqslower_shows_long_ones "$(awk '$2 == "workload" && $4 < 1000' "$tmp/out")" ''
	of offwaketime
	between offwaketime "$(awk '/^workload$/ { inside = 1 } /nanosleep/ { nap = inside }
		/^ +[0-9]+$/ { if (nap) sum += $1; inside = nap = 0 } END { print sum + 0 }' "$tmp/out")" \
		400000 5000000
	# the parent waits for its children
	[ "$code" = 0 ] && matches "$tmp/out" '^woken by workload$'
	result $? offwaketime_shows_who_wakes
	# threads that have ended wait no more
	printf '%s\n' "include \"$scripts/offwaketime.kp\"" \
		'trace_end { printf("waiting: %d\n", len(left)) }' \
		>"$tmp/waiting.kp"
	run -q -a "$tmp/waiting.kp" --comm=workload --rows=1 -- "$workload" fork 50
	between offwaketime_forgets_threads "$(sed -n 's/^waiting: //p' "$tmp/out")" 0 5
else
	for name in cpuwalk cpuwalk_of_other_cpus runqslower runqslower_shows_long_ones \
		offwaketime offwaketime_shows_who_wakes offwaketime_forgets_threads; do
		skip $name "there is only one CPU"
	done
fi

# Little memory, and swap
group=/sys/fs/cgroup/ktap-little
swap=
if [ -b $disk ] && mkswap $disk >/dev/null 2>&1 && swapon $disk 2>/dev/null; then
	swap=y
fi
if [ $swap ] && echo +memory >/sys/fs/cgroup/cgroup.subtree_control && mkdir $group; then
	echo 8M >$group/memory.max
	begin drsnoop
	begin vmscan
	begin swapin
	all_run
	sh -c "echo \$\$ >$group/cgroup.procs; exec '$workload' fault 4000"
	"$workload" getppid 1
	done_all
	of drsnoop
	[ "$code" = 0 ] && matches "$tmp/out" '^[0-9]+ +workload +cgroup +[0-9]+ +[0-9]+$'
	result $? drsnoop
	drsnoop_pages=$(column '^[0-9]+ +[^ ]+ +cgroup ' 4)
	of vmscan
	is vmscan_counts_the_same_pages "$code $(column '^[0-9:]+ +cgroup ' 6)" "0 $drsnoop_pages"
	of swapin
	between swapin "$(column '^[0-9]+ +[a-z]' 3)" 1 1000000
	begin drsnoop --min=60000000
	all_run
	sh -c "echo \$\$ >$group/cgroup.procs; exec '$workload' fault 4000"
	done_all
	of drsnoop
	counted drsnoop_of_what_takes_longer workload 0
	rmdir $group
else
	for name in drsnoop vmscan_counts_the_same_pages swapin drsnoop_of_what_takes_longer; do
		skip $name "the system has no cgroup with a memory limit, or no $disk to swap"
	done
fi 2>/dev/null
[ ! $swap ] || swapoff $disk

# what not every machine has
run -q "$scripts/llcstat.kp" -- "$workload" burn 300
if [ "$code" = 2 ]; then
	matches "$tmp/err" "error: .*this machine has no such counter|error: .*this kernel has no "
	result $? llcstat_says_what_is_missing
	skip llcstat "this machine has no counters of its caches"
elif grep -q '(emulated by qemu)' /proc/cpuinfo; then
	skip llcstat_says_what_is_missing "QEMU has these counters"
	skip llcstat "QEMU's counters of caches never count"
else
	skip llcstat_says_what_is_missing "this machine has counters of its caches"
	seen llcstat
	[ "$code" = 0 ] && matches "$tmp/out" '^[0-9]+ +workload +[0-9]+ +[0-9]+ +[0-9]+$'
	result $? llcstat
fi
run -q "$scripts/mdflush.kp" -- true
if grep -q ' md_flush_request' /proc/kallsyms; then
	is mdflush "$code $(lines '^PID +PROGRAM +STACK$')" '0 1'
else
	[ "$code" = 2 ] && matches "$tmp/err" "error: no function 'md_flush_request'"
	result $? mdflush
fi
run -q --dry-run "$scripts/numamove.kp" --all -- true
if has migrate:mm_migrate_pages_start; then
	is numamove "$code" 0
else
	[ "$code" = 2 ] && matches "$tmp/err" "error: no event 'migrate:mm_migrate_pages_start'"
	result $? numamove
fi

# Sockets of this machine
if has types; then
	tool undump -- "$workload" local hello 3
	counted undump '^[0-9]+ +workload +5 hello$' 3
	tool undump --bytes=2 -- "$workload" local hello 3
	counted undump_of_two_bytes '^[0-9]+ +workload +5 he$' 3
else
	not_loaded undump '^[^ ]+: error: .*: this kernel has no types \(CONFIG_DEBUG_INFO_BTF\)$' \
		-q "$scripts/undump.kp"
	skip undump_of_two_bytes "this kernel has no types"
fi

like_their_help

finish
