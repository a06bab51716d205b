#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test ktap -l: which events of the kernel a pattern matches. The lists are invented, and so
# are the types of functions.
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
refuses iterators_of_a_kernel_without_them 'iter:*' "no event matches 'iter:*'"
printf 'abi: 1.0\nsources: tracepoint packet perf\n' >"$dir/tracefs/ktap/features"
lists packets 'packet:*' packet:in packet:out packet:forward
printf 'abi: 1.0\nsources: tracepoint packet iter perf\n' >"$dir/tracefs/ktap/features"
lists iterators 'iter:task_*' iter:task_file iter:task_vma
cat >"$dir/wanted" <<'ITERATORS'
iter:task_file
    struct task_struct *task
    int fd
    struct file *file
iter:task_vma
    struct task_struct *task
    struct vm_area_struct *vma
ITERATORS
for spelling in '' --bt; do
	code=0
	# shellcheck disable=SC2086 # it may be empty
	"$ktap" $spelling -lv 'iter:task_*' >"$dir/out" 2>"$dir/err" || code=$?
	[ "$code" = 0 ] && cmp -s "$dir/wanted" "$dir/out"
	result $? "fields_of_iterators${spelling:+_of_bpftrace}"
done
lists a_kind_of_packets packet:f* packet:forward
printf 'abi: 1.0\nsources: tracepoint packet perf\ncalls: printk swab32 unknown_one\n' >"$dir/tracefs/ktap/features"
lists functions_that_can_be_called 'ffi:*' 'ffi.C: u32 swab32(u32 x);' 'ffi.C: int printk(const char *fmt, ...); needs --unsafe'
lists a_function_that_can_be_called 'ffi:swab*' 'ffi.C: u32 swab32(u32 x);'
refuses functions_that_this_kernel_lacks 'ffi:sched_clock' "no event matches 'ffi:sched_clock'"
refuses unknown_packets packet:inn "no event matches 'packet:inn'"
lists the_function_tracer ftrace:function ftrace:function
lists the_end trace_end trace_end

refuses a_system_that_is_not_there 'nope:*' "no event matches 'nope:*'"
refuses a_function_that_is_not_there probe:nope "no event matches 'probe:nope'"
refuses what_cannot_come_after_a_function 'probe:vfs_read%nope' "no event matches 'probe:vfs_read%nope'"
lists a_name_alone sched_switch sched:sched_switch rawtp:sched_switch
lists a_system_call_alone read syscalls:sys_enter_read
lists a_function_alone vfs_read probe:vfs_read
lists names_of_all_kinds '*switch' sched:sched_switch rawtp:sched_switch probe:__probestub_sched_switch
lists names_of_systems 'sched?sched_w*' sched:sched_wakeup
lists counters_by_their_name '*minor*' software:minor-faults:1
lists words_alone 'tr*' trace_begin trace_end
refuses a_name_of_nothing nope "no event matches 'nope': try '*' before and after the name"
refuses a_pattern_of_nothing 'nope*' "no event matches 'nope*'"
lists counters 'software:c*s' software:context-switches:1 software:cs:1 software:cpu-migrations:1 \
	software:cgroup-switches:1
lists counters_of_the_machine hardware:cycles hardware:cycles:1000000
refuses a_counter_that_is_not_there software:nope "no event matches 'software:nope'"
list '*' && cp "$dir/out" "$dir/all"
printf '%s\n' trace_end tick-1s packet:out ftrace:function software:faults:1 hardware:cycles:1000000 \
	sched:sched_wakeup rawtp:sched_switch probe:ext4_open >"$dir/some"
[ "$(grep -cxFf "$dir/some" "$dir/all")" = 9 ]
result $? all_kinds_are_listed
for options in -l '-l -p 1'; do
	code=0
	# shellcheck disable=SC2086 # words
	"$ktap" $options >"$dir/out" 2>"$dir/err" || code=$?
	[ "$code" = 0 ] && cmp -s "$dir/all" "$dir/out" && [ ! -s "$dir/err" ]
	result $? "no_pattern_is_all:$options"
done
refuses ticks 'tick-*' "there is no list of 'tick-*': a tick is like tick-10ms (s, ms, us, ns, hz)"
refuses watches 'watch:*' \
	"there is no list of 'watch:*': a watch on memory is like watch:jiffies:8:w or watch:0x1000:4:rw"
refuses profiles profile-99hz \
	"there is no list of 'profile-99hz': a timer on each CPU is like profile-99hz or profile-1ms"

# of a script of bpftrace: events that are no patterns are listed as they are written
lists_script() {
	name=$1 code=0
	"$ktap" --bt -l -e "$2" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
	shift 2
	printf '%s\n' "$@" | cmp -s - "$dir/out" && [ "$code" = 0 ] && [ ! -s "$dir/err" ]
	result $? "$name"
}
lists_script events_of_a_script 'BEGIN { } t:sched:sched_s*, kfunc:vfs_read { } kr:vfs_* { } self:signal:SIGUSR1 { } END { }' \
	tracepoint:sched:sched_switch fentry:vmlinux:vfs_read kretprobe:vfs_read kretprobe:vfs_write
lists_script timers_of_a_script 'interval:s:1 { } interval:1s { } i:ms:10 { } p:hz:99 { }' \
	interval:s: interval:1s interval:ms: profile:hz:
lists_script counters_of_a_script 's:faults:1 { } hardware:cycles:1e6 { } software:c*s { }' \
	software:faults: hardware:cycles: software:context-switches: software:cs: \
	software:cpu-migrations:
lists_script watchpoints_and_parameters_of_a_script 'w:0x1000:8:w { } asyncwatchpoint:$1:4:w { } kprobe:$2 { } kprobe:vmlinux:$2 { }' \
	watchpoint:0x1000:8:w 'asyncwatchpoint:$1:4:w' 'kprobe:$2' 'kprobe:vmlinux:$2'
lists_script an_iterator_of_a_script 'it:task_file { } END { }' iter:task_file
code=0
"$ktap" --bt -l -e 'BEGIN { } END { }' >"$dir/out" 2>"$dir/err" || code=$?
[ "$code" = 0 ] && [ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]
result $? no_event_of_a_script
for event in 'kprobe:nope=no event matches .kprobe:nope.' 'software:nope:1=no event matches .software:nope:1.' \
	'interval:x:1=stdin:1:11: ERROR: .interval:x:1. is no timer' 'iter=stdin:1:11: ERROR: .iter.: iter has at least 1 part' \
	'nope:x=stdin:1:11: ERROR: .nope. is no kind of event of bpftrace'; do
	code=0
	"$ktap" --bt -l -e "BEGIN { } ${event%%=*} { }" >"$dir/out" 2>"$dir/err" || code=$?
	[ ! -s "$dir/out" ]
	result $? "nothing_is_listed_of_${event%%[:=]*}"
	expect "a_script_with_a_wrong_${event%%[:=]*}" 1 "${event#*=}"
done
code=0
"$ktap" --bt -l 'iter:*' >"$dir/out" 2>"$dir/err" || code=$?
[ "$code" = 0 ] && printf 'iter:%s\n' task task_file task_vma | cmp -s - "$dir/out"
result $? iterators_in_the_spelling_of_bpftrace
code=0
"$ktap" --bt -l missing.bt >"$dir/out" 2>"$dir/err" || code=$?
expect a_missing_script_is_a_pattern 0 "WARNING: It appears that 'missing.bt' is a filename"
code=0
KTAP_TRACEFS=$dir/nothing "$ktap" --bt -l missing.bt >"$dir/out" 2>"$dir/err" || code=$?
expect a_missing_script_without_tracefs_is_an_error 1 'tracefs is not mounted'

# Write 32-bit words, and the name of a type: its place in $names
word() {
	for number; do
		for shift in $shifts; do
			printf '%b' "\\0$(printf %03o $((number >> shift & 255)))"
		done
	done
}
shifts='0 8 16 24'
[ "$(printf '\001\000' | od -An -td2 | tr -d ' ')" = 1 ] || shifts='24 16 8 0'
at() {
	before=${names%%" $1 "*}
	set -- $before
	place=1
	for name; do place=$((place + ${#name} + 1)); done
	echo "$place"
}
# type NAME KIND PARTS TYPE [WORD...]
type() {
	name=0
	[ "$1" = - ] || name=$(at "$1")
	info=$(($2 << 24 | $3))
	shift 3
	word "$name" $info "$@"
}
names=' int char file count path fn vfs_read vfs_write __traceiter_sched_switch '
names="$names""__data prev cookie ext4_open port byte bytes address in to sock "
names="$names""why lost full pair left right vfs_pair "
set -- $names
strings=1
for name; do strings=$((strings + ${#name} + 1)); done
{
	type int 1 0 4 32		# 1
	type char 1 0 1 8		# 2
	type - 10 0 2			# 3: const char
	type - 2 0 3			# 4: its pointer
	type file 4 0 0			# 5: struct file
	type - 2 0 5			# 6
	type - 13 2 1 0 1 0 0		# 7: int (int, ...)
	type - 2 0 7			# 8
	type - 3 0 0 8 1 4		# 9: an array of these
	type - 10 0 8			# 10: a constant pointer
	type - 13 4 1 "$(at file)" 6 "$(at path)" 4 "$(at fn)" 9 "$(at cookie)" 10	# 11
	type vfs_read 12 0 11		# 12
	type - 2 0 0			# 13: void *
	type - 13 2 0 "$(at __data)" 13 "$(at prev)" 6	# 14: no result
	type __traceiter_sched_switch 12 0 14	# 15
	type count 8 0 1		# 16: typedef
	type - 13 2 16 "$(at count)" 16 0 0	# 17: more parameters
	type vfs_write 12 0 17		# 18
	type port 1 0 2 16		# 19: an integer of two bytes
	type byte 1 0 1 8		# 20
	type - 3 0 0 20 1 16		# 21: 16 of these
	type - 5 1 16 "$(at bytes)" 21 0	# 22: a union without a name
	type address 4 1 16 "$(at in)" 22 0	# 23
	type - 4 1 2 "$(at port)" 19 0	# 24: a structure without a name
	type sock 4 3 32 0 24 0 "$(at to)" 23 64 "$(at file)" 6 192	# 25
	type why 6 2 4 "$(at lost)" 3 "$(at full)" 4294967295	# 26: not signed
	type pair 4 2 8 "$(at left)" 19 0 "$(at right)" 6 64	# 27
	type - 2 0 27			# 28
	type - 13 1 1 "$(at left)" 28	# 29
	type vfs_pair 12 0 29		# 30
} >"$dir/types"
{ printf '\0'; for name; do printf '%s\0' "$name"; done; } >"$dir/strings"
mkdir -p "$dir/btf" "$dir/tracefs/events/sched/sched_switch"
# btf FILE: the words of the header, then types and strings
btf() {
	[ "$shifts" = '0 8 16 24' ] && printf '\237\353\001\000' || printf '\353\237\001\000'
	length=$(wc -c <"$dir/types")
	word 24 0 "$length" "$length" "$(wc -c <"$dir/strings")"
	cat "$dir/types" "$dir/strings"
}
btf >"$dir/btf/vmlinux"
# the types of a module follow those of the kernel
names=' ext4_open inode '
first=$(wc -c <"$dir/strings")
{
	type - 13 1 5 $((first + 11)) 6
	word $((first + 1)) $((12 << 24)) 31
} >"$dir/types"
printf '\0ext4_open\0inode\0' >"$dir/strings"
btf >"$dir/btf/ext4"
printf '\tfield:%s;\toffset:0;\tsize:4;\tsigned:1;\n' 'int common_pid' 'char prev_comm[16]' \
	'pid_t prev_pid' '__data_loc char[] file' 'const char * name' 'enum why why' 'enum none none' \
	>"$dir/tracefs/events/sched/sched_switch/format"
mkdir -p "$dir/tracefs/events/syscalls/sys_enter_nap"
printf '\tfield:%s;\toffset:0;\tsize:8;\tsigned:0;\n' 'int __syscall_nr' \
	'const struct times * time' 'const char * name' >"$dir/tracefs/events/syscalls/sys_enter_nap/format"
export KTAP_BTF="$dir/btf"

# details NAME PATTERN TEXT: the list with details
details() {
	code=0
	"$ktap" -lv "$2" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
	printf '%s\n' "$3" | cmp -s - "$dir/out" && [ "$code" = 0 ] && [ ! -s "$dir/err" ]
	result $? "$1"
}
details fields_of_a_tracepoint sched:sched_switch 'sched:sched_switch
    char prev_comm[16]
    pid_t prev_pid
    char[] file
    const char * name
    enum why why
    enum none none'
read='    struct file *file
    const char *path
    int (*fn[4])(int, ...)
    int (*const cookie)(int, ...)
    int retval'
"$ktap" --bt --to-ktap -e 'fentry:vfs_read { print(args); }' >"$dir/translated" 2>"$dir/err"
code=$?
grep -q 'printf("{ \.file = 0x%x' "$dir/translated"
result $? a_script_of_bpftrace_has_parameters_of_the_kernel
details parameters_of_a_function probe:vfs_read "probe:vfs_read
$read"
details parameters_of_functions 'vfs*' "probe:vfs_read
$read
probe:vfs_write
    count count
    ...
    count retval"
details the_result_of_a_function kretprobe:vfs_read 'probe:vfs_read%return
    int retval'
details no_parameters_of_an_instruction probe:vfs_read+4 probe:vfs_read+4
details parameters_of_a_raw_tracepoint rawtp:sched_switch 'rawtp:sched_switch
    struct file *prev'
details parameters_of_a_module probe:ext4:ext4_open 'probe:ext4:ext4_open
    struct file *inode
    struct file retval'
"$ktap" -v -l probe:vfs_read >"$dir/out" 2>"$dir/err" && grep -q 'struct file' "$dir/out"
result $? details_by_two_options

# has_lines TEXT...: $dir/out has each of these
has_lines() {
	for text; do
		grep -q -F -e "$text" "$dir/out" || { echo "no '$text'"; return 1; }
	done
}

# members of structures in a script of bpftrace have the types of the kernel
members='kprobe:f {
	$s = (struct sock *)arg0; $p = $s.port; print(bswap($p)); print(bswap($s.none));
	print(ntop($s.to.in.bytes)); print((uint64)$s.file);
}
t:syscalls:sys_enter_nap { $t = args.time; print($t.sec); print(args.name); }'
"$ktap" --bt --to-ktap -e "$members" >"$dir/out" 2>"$dir/err" && [ ! -s "$dir/err" ] &&
	has_lines 'bswap16(p)' 'bswap64(s.none)' 'ntop(buf(s.to.in.bytes, 16) || 0)' \
		'bt_integer(s.file)' 'cast("struct times", args.time)' 'print(args.name)'
result $? members_have_the_types_of_the_kernel

# imported files are searched in the folders of -I
mkdir -p "$dir/folder"
echo 'struct imported { int a; };' >"$dir/folder/imported.h"
"$ktap" --bt -I "$dir/folder" --to-ktap -e 'import "imported.h"; BEGIN { print(sizeof(struct imported)); }' \
	>"$dir/out" 2>"$dir/err" && has_lines 'struct imported { int a; };'
result $? imported_files_are_found

# whole structures and enumerators
whole='fentry:vfs_pair { print(*args.left); $p = *args.left; @[$p] = count(); print($p.right); }
f:vfs_read { print(*args.file); }
tracepoint:sched:sched_switch { print(args.why); print(args.none); print(args.prev_pid); }'
"$ktap" --bt --to-ktap -e "$whole" >"$dir/out" 2>"$dir/err" && [ ! -s "$dir/err" ] &&
	has_lines '"{ .left = %d, .right = 0x%x }\n", args.left[0].left, args.left[0].right)' \
		'map[p.left, p.right] += 1' 'printf("0x%x\n", p.right)' 'print(args.file[0])' \
		'bt_enum_1(args.why)' 'bt_enum_2(args.none)' 'if (value == 3)' 'return "lost"' \
		'if (value == 4294967295)' 'return "full"' 'print(args.prev_pid)'
result $? structures_and_enumerators_of_the_kernel_are_known

# events of one block, whose arguments have other types, have blocks of their own
several='f:vfs_pair, f:vfs_read /args.left/ { $p = args.left; @[$p.right]++; print(*args.left); }
f:vfs_pair, f:vfs_pair { print(*args.left); }
t:sched:sched_switch, t:syscalls:sys_enter_nap { print(args.why); }'
"$ktap" --bt --to-ktap -e "$several" >"$dir/out" 2>"$dir/err" && [ ! -s "$dir/err" ] &&
	has_lines 'trace probe:vfs_pair /args.left/ {' 'trace probe:vfs_read /args.left/ {' \
		'trace probe:vfs_pair, probe:vfs_pair {' 'trace sched:sched_switch {' \
		'bt_enum_1(args.why)' 'trace syscalls:sys_enter_nap {' 'print(args.why)' &&
	[ "$(grep -c -F 'args.left[0].left' "$dir/out")" = 2 ]
result $? events_with_other_types_have_their_own_block

# damaged types: a list, and no crash
bad=0 size=$(wc -c <"$dir/btf/vmlinux") n=0
cp "$dir/btf/vmlinux" "$dir/whole"
while [ $n -lt "$size" ]; do
	head -c $n "$dir/whole" >"$dir/btf/vmlinux"
	"$ktap" -lv 'vfs*' >"$dir/out" 2>"$dir/err" || bad=1
	printf '\377\017' >>"$dir/btf/vmlinux"
	tail -c +$((n + 3)) "$dir/whole" >>"$dir/btf/vmlinux"
	"$ktap" -lv 'vfs*' >"$dir/out" 2>"$dir/err" || bad=1
	grep -qx probe:vfs_write "$dir/out" || bad=1
	"$ktap" --bt --to-ktap -e "$members" >"$dir/out" 2>"$dir/err" || bad=1
	"$ktap" --bt --to-ktap -e "$whole" >"$dir/out" 2>"$dir/err" || bad=1
	n=$((n + 7))
done
result $bad damaged_types_are_survived
rm -r "$dir/btf"
"$ktap" --bt --to-ktap -e "$members" >"$dir/out" 2>"$dir/err" && grep -q -F 'bswap64(p)' "$dir/out"
result $? members_have_no_types_without_those_of_the_kernel
code=0
"$ktap" -lv probe:vfs_read >"$dir/out" 2>"$dir/err" || code=$?
[ "$code" = 0 ] && [ "$(cat "$dir/out")" = probe:vfs_read ] &&
	grep -q '^ktap: this kernel has no types of functions (ktap --explain btf)$' "$dir/err"
result $? a_kernel_without_types
lists no_message_without_details probe:vfs_read probe:vfs_read

code=0
"$ktap" -l 'sched:*' >/dev/full 2>"$dir/err" || code=$?
[ "$code" = 1 ] && grep -q 'cannot write to standard output: No space left' "$dir/err"
result $? list_to_a_full_disk

export KTAP_TRACEFS="$dir/nowhere"
for pattern in 'sched:*' 'probe:vfs_*' 'rawtp:*'; do
	refuses "no_tracefs_for_$pattern" "$pattern" "tracefs is not mounted
ktap: try: mount -t tracefs nodev $dir/nowhere (ktap --explain tracefs)"
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
