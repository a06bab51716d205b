# SPDX-License-Identifier: GPL-2.0
# Shared by permissions.sh, lockdown.sh and signed.sh: the permission table of the guide, with
# openers of a session as columns and operations of scripts as rows, and the test of a
# cell.
#
# A cell is yes, no, or ks: yes if /proc/kallsyms has addresses for the opener, else no.

table=$here/permissions.table
perfmon=38 sys_admin=21 nobody=65534
paranoid=/proc/sys/kernel/perf_event_paranoid
session=$tracefs/ktap/session
kptr=/proc/sys/kernel/kptr_restrict
tab=$(printf '\t')
# an address of the kernel, and the largest length of a watch there
kernel_word=0xffffffff81000000:8
[ "$half" = 32 ] || kernel_word=0xc1000000:4

# everybody GID MODE SESSION_MODE: give the files to a group, as the tool advises
everybody() { mount -o "remount,gid=$1,mode=$2" "$tracefs" && chmod "$3" "$session"; }

# print "ROW CELL" of a column
column() {
	awk -F '  +' -v column="$1" '
		NR == 1 { for (i = 2; i <= NF; i++) if ($i == column) n = i }
		NR > 1 && n { print $1 "\t" $n }' "$table"
}
nrows=$(sed 1d "$table" | grep -c .)

# the offset of an instruction of vfs_write() that is not the first one
for inside in 4 5 8 9 12; do
	! "$KTAP" -q -e "trace probe:vfs_write+$inside { } trace_begin { exit() }" >/dev/null 2>&1 || break
done

! has addresses || addresses=1

# scripts ROW: print one script per line; none if this kernel lacks the feature
scripts() {
	case $1 in
	'printing, timers')
		cat <<'E'
print(1)
trace tick-1s { print(pid) }
E
		;;
	'system calls')
		cat <<'E'
trace syscalls:sys_enter_openat { n[args.filename, argstr] += 1 }
trace syscalls:sys_exit_openat { n[args.ret] += 1 }
trace syscalls:*getppid { n[probename, execname, pid, uid, cgroup] += 1 }
E
		;;
	'other events with fields')
		cat <<'E'
trace sched:sched_switch { n[args.prev_comm] += 1 }
trace sched:sched_process_* { n += 1 }
trace raw_syscalls:sys_enter { n[args.id] += 1 }
E
		;;
	'stacks of programs')
		cat <<'E'
trace syscalls:sys_enter_getppid { n[ustack] += 1 }
trace syscalls:sys_enter_getppid { n[usym(1)] += 1 }
E
		;;
	'stacks of the kernel')
		cat <<'E'
trace syscalls:sys_enter_getppid { n[kstack] += 1 }
print(called_from(1))
E
		;;
	'profiles and counters')
		cat <<'E'
trace profile-10ms { n += 1 }
trace software:faults:1 { n += 1 }
E
		;;
	'``reg()`` in the kernel')
		# on other machines no register has this name
		case $(uname -m) in
		x86_64 | aarch64) echo 'profile-10ms { print(reg("sp")) }' ;;
		esac
		;;
	'watches of the kernel')
		! has watches || echo "trace watch:$kernel_word:w { n += 1 }"
		;;
	'``ksym()``')
		cat <<'E'
print(ksym(1))
print(stringof(1))
E
		;;
	'``kaddr()``')
		echo 'print(kaddr("vfs_write"))'
		;;
	'memory of programs')
		cat <<'E'
trace syscalls:sys_enter_getppid { print(user_string(1)) }
trace syscalls:sys_enter_getppid { print(join(1)) }
E
		;;
	'memory of the kernel')
		cat <<'E'
print(kernel_string(1))
print(`jiffies`)
E
		[ -z "$addresses" ] || cat <<'E'
print(str(1))
print(buf(1, 1))
print(read(1, 1))
E
		;;
	'members of types')
		[ ! -e /sys/kernel/btf/vmlinux ] || cat <<'E'
print(curtask.comm)
print(cast("struct task_struct", 1))
E
		;;
	'functions, ``rawtp:``')
		cat <<E
trace probe:vfs_write { n += 1 }
trace kretprobe:vfs_write { n += 1 }
trace probe:vfs_write+$inside { n += 1 }
E
		! has ftrace || echo 'trace ftrace:function /ip == vfs_write/ { n += 1 }'
		! has fprobes || echo 'trace rawtp:sched_switch { n += 1 }'
		;;
	iterators)
		echo 'trace iter:task { n += 1 }'
		echo 'trace ("iter:" .. "task_file") { n += 1 }'
		;;
	'fetch arguments')
		cat <<'E'
trace probe:vfs_write a=$comm { n += 1 }
trace kretprobe:vfs_write a=$retval { n += 1 }
E
		;;
	'programs')
		cat <<E
trace uprobe:$here/utarget:0x1000 { n += 1 }
trace uretprobe:$here/utarget:0x1000 { n += 1 }
E
		;;
	'acting on the system')
		cat <<'E'
trace syscalls:sys_enter_getppid { signal("CONT") }
trace syscalls:sys_enter_getppid { system("true") }
E
		! grep -q '^set_retval: 1' "$tracefs/ktap/features" ||
			echo "trace probe:$(call_function getppid) { set_retval(-1) }"
		;;
	esac
}

# options for each run: the process of a session of own processes
only=

# options ROW: print the options of ktap
options() {
	[ "$1" != 'acting on the system' ] || echo --unsafe
}

# with COMMAND...: run it like run
with() {
	code=0
	timeout -s KILL "${seconds:-60}" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
}

# verdict CODE FILE: print yes, no or the error; a refusal names the required permission.
verdict() {
	if [ "$1" = 0 ]; then
		echo yes
	elif matches "$2" 'error: cannot open .*/ktap/session: (Operation not permitted|Permission denied)$' \
			'^ktap: .*(needs CAP_PERFMON: try|belongs to root: try|in a user namespace|is locked down)' >/dev/null ||
		matches "$2" 'error: (.*CAP_PERFMON is needed|symbols of addresses need CAP_PERFMON|the opener of the session sees no addresses|.*lockdown|.*locked down|unsafe: .*CAP_SYS_ADMIN|.*CAP_SYS_ADMIN is needed)' >/dev/null; then
		echo no
	else
		echo "exit code $1: $(head -n 1 "$2")"
	fi
}

# tried ROW OPENER...: run the scripts of the row; print their common verdict
tried() {
	row=$1
	shift
	scripts "$row" >"$tmp/scripts"
	while read -r script; do
		# shellcheck disable=SC2046,SC2086 # no option has a blank
		with "$@" "$KTAP" $(options "$row") $only -q -e "$script trace_begin { exit() }"
		verdict $code "$tmp/err"
	done <"$tmp/scripts" | sort -u
}

# cell NAME ROW EXPECTED OPENER...
cell() {
	name="$1: $2" row=$2 expected=$3
	shift 3
	code=-
	if [ -z "$(scripts "$row")" ]; then
		skip "$name" "this kernel lacks this feature"
		return
	fi
	if [ "$expected" != ks ]; then
		is "$name" "$(tried "$row" "$@")" "$expected"
		return
	fi
	old_kptr=$(cat $kptr) old_paranoid=$(cat $paranoid)
	[ "$old_paranoid" = -1 ] || echo 1 >$paranoid
	echo 0 >$kptr
	shown=$(tried "$row" "$@")
	echo 2 >$kptr
	hidden=$(tried "$row" "$@")
	echo "$old_kptr" >$kptr
	echo "$old_paranoid" >$paranoid
	is "$name" "$shown $hidden" "yes no"
}
