#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Stacks of programs: file and offset of each frame, in all contexts, also if the process
# exits and the file is replaced.

. "$(dirname "$0")/lib.sh"
needs user_files syscalls:sys_enter_getppid programs functions profiles
plan 39

me=$(readlink -f "$here/frames")
n=50
chains="addr $at_3000"
session=$tracefs/ktap/session

"$me" tell >"$tmp/tell" || { echo "Bail out! frames does not run"; exit 1; }
{ read -r first last; read -r second; read -r third; read -r build_id; } <"$tmp/tell"

# follow SCRIPT COMMAND...: run the script as long as the command, without the tool, which
# would find symbols. The kernel's own messages are in $tmp/err
follow() {
	printf '%s\n' "$1" >"$tmp/script.kp"
	shift
	rm -f "$tmp/chunk"
	code=0
	"$KTAPC" -w -o "$tmp/chunk" "$tmp/script.kp" 2>"$tmp/err" || code=$?
	: >"$tmp/out"
	[ $code = 0 ] || return
	exec 3<>"$session"
	[ -z "$setup" ] || echo "$setup" >&3
	cat "$tmp/chunk" >&3
	"$@" >"$tmp/said" 3>&- || code=$?
	echo stop >&3
	timeout -s KILL 20 cat <&3 >"$tmp/all" || code=$?
	exec 3>&-
	grep -v '^ktap:' "$tmp/all" >"$tmp/out"
	grep '^ktap:' "$tmp/all" | grep -v ' total enabled ' >"$tmp/err"
}
setup=

# line N: print this line of the output
line() { sed -n "$1p" "$tmp/out"; }

# in_inner LINE PATH: the line is a frame in the innermost function
in_inner() {
	offset=${1##*+0x}
	[ "${1%+0x*}" = "        $2" ] && case $offset in *[!0-9a-f]*) false ;; esac &&
		[ $((0x$offset)) -ge $((0x$first)) ] &&
		[ $((0x$offset)) -lt $((0x$last)) ]
}

# has_frames PATH [LINE]: the output from that line on is the stack of frames chain
has_frames() {
	from=${2:-1}
	in_inner "$(line "$from")" "$1" &&
		[ "$(line $((from + 1)))" = "        $1+0x$second" ] &&
		[ "$(line $((from + 2)))" = "        $1+0x$third${3:-}" ]
}

# the process has exited when its stack is printed, so its addresses mean nothing
follow "trace software:faults:1 /$chains/ { s[ustack(3)] += 1 } trace_end { print(s) }" "$me" chain $n
[ "$code" = 0 ] && has_frames "$me" 1 ": $n" && [ "$(wc -l <"$tmp/out")" = 3 ]
result $? frames_are_offsets_in_their_file
follow "trace software:faults:1 /$chains/ { print(ustack(3)) }" "$me" chain 1
[ "$code" = 0 ] && has_frames "$me"
result $? frames_in_a_record
follow "trace software:faults:1 /$chains/ { s[ustack] += 1 } trace_end { print(s) }" "$me" chain $n
[ "$code" = 0 ] && has_frames "$me" && [ "$(grep -c ": $n\$" "$tmp/out")" = 1 ]
result $? whole_stack

follow "trace software:faults:1 /$chains/ { print(ustack(2, 1)) print(ustack(1, 2)) }" "$me" chain 1
[ "$code" = 0 ] && [ "$(line 1)" = "        $me+0x$second" ] &&
	[ "$(line 2)" = "        $me+0x$third" ] && [ "$(line 3)" = "$(line 2)" ]
result $? frames_are_skipped
follow "trace software:faults:1 /$chains/ { print(len(ustack(3)), len(ustack(2, 1)), len(ustack(127, 127))) }" \
	"$me" chain 1
out length_of_a_stack '3\t2\t0\n'

# loaded at any address
random=$(cat /proc/sys/kernel/randomize_va_space)
echo 2 >/proc/sys/kernel/randomize_va_space
follow "trace software:faults:1 /$chains/ { s[ustack(3)] += 1 u[arg1] += 1 } trace_end { print(len(s), len(u) > 1) print(s) }" \
	sh -c "'$me' chain $n; '$me' chain $n; '$me' chain $n"
echo "$random" >/proc/sys/kernel/randomize_va_space
[ "$code" = 0 ] && [ "$(line 1)" = "1	true" ] && has_frames "$me" 2 ": $((3 * n))"
result $? runs_of_a_program_are_one_key

# programs that follow each other in one process, and in processes that get its memory
cp "$me" "$tmp/other"
follow "trace software:faults:1 /$chains/ { s[ustack(3)] += 1 } trace_end { print(len(s)) print(s) }" \
	sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do "$1" chain 10; "$2" chain 10; done' sh "$me" "$tmp/other"
rm "$tmp/other"
[ "$code" = 0 ] && [ "$(line 1)" = 2 ] && [ ! -s "$tmp/err" ] &&
	[ "$(grep -c "+0x$third: 100\$" "$tmp/out")" = 2 ]
result $? programs_one_by_one_are_different_keys
# the depth has an end, whether or not the stack has
follow "trace software:faults:1 /$chains/ { print(len(ustack(1)), len(ustack(2)), len(ustack) >= 3) }" "$me" chain 1
out depth_of_a_stack '1\t2\ttrue\n'

# files that are deleted, change or have odd names
cp "$me" "$tmp/other"
mkfifo "$tmp/go"
"$tmp/other" wait chain $n <"$tmp/go" &
waiting=$!
is_other() { [ "$(cat /proc/$waiting/comm)" = other ]; }
# goes_on: its file is deleted, and it continues
goes_on() {
	rm "$tmp/other"
	echo >&4
	exec 4>&-
	wait $waiting
}
exec 4>"$tmp/go"
wait_until is_other
follow "trace software:faults:1 /$chains/ { s[ustack(3)] += 1 } trace_end { print(s) }" goes_on
[ "$code" = 0 ] && has_frames "$tmp/other (deleted)" 1 ": $n"
result $? deleted_program
# replaced: it runs, then another file with its name runs
replaced() {
	cp "$me" "$tmp/other"
	"$tmp/other" chain $n
	cp "$me" "$tmp/new"
	mv "$tmp/new" "$tmp/other"
	"$tmp/other" chain 3
	rm "$tmp/other"
}
follow "trace software:faults:1 /$chains/ { s[ustack(3)] += 1 } trace_end { print(len(s)) print(s) }" replaced
[ "$code" = 0 ] && [ "$(line 1)" = 2 ] && matches "$tmp/out" ": $n\$" ': 3$'
result $? replaced_program_is_another_one
odd=$(printf 'odd \\ \n\036\037name')
cp "$me" "$tmp/$odd"
follow "trace software:faults:1 /$chains/ { print(ustack(3)) }" "$tmp/$odd" chain 1
[ "$code" = 0 ] && has_frames "$tmp/odd \\134 \\012\\036\\037name"
result $? odd_names_are_escaped
rm "$tmp/$odd"

# let_go: the files of named frames are released while the script runs
let_go() {
	mkdir "$tmp/mnt" && mount -t tmpfs none "$tmp/mnt" && cp "$me" "$tmp/mnt/frames" || return
	"$tmp/mnt/frames" chain $n
	wait_until umount "$tmp/mnt" 2>/dev/null
}
follow "trace software:faults:1 /$chains/ { s[ustack(3)] += 1 } trace_end { print(s) }" let_go
[ "$code" = 0 ] && has_frames "$tmp/mnt/frames" 1 ": $n" && ! grep -qF "$tmp/mnt" /proc/mounts
result $? files_are_not_held

# the other contexts
follow 'trace profile-1ms /execname == "frames" && arg1 != 0/ { s[ustack(3)] += 1 } trace_end { print(s) }' \
	"$me" burn 300
[ "$code" = 0 ] && [ ! -s "$tmp/err" ] && matches "$tmp/out" "^        $me\\+0x$second\$" \
	"^        $me\\+0x$third: [0-9]+\$"
result $? profile
# burns: it has started long ago, so that its mappings do not change
burns() { [ "$(cut -d ' ' -f 14 /proc/$burner/stat)" -ge 20 ]; }
# nmis: every other CPU shows its stack while the program runs
nmis() {
	"$me" burn 60000 &
	burner=$!
	wait_until burns
	level=$(cut -f 1 /proc/sys/kernel/printk)
	dmesg -n 1
	round=0
	while [ $round -lt 20 ]; do
		echo l >/proc/sysrq-trigger
		sleep 0.02
		round=$((round + 1))
	done
	dmesg -n "$level"
	kill -KILL $burner
	wait $burner 2>/dev/null
	true
}
if ! has nmi:nmi_handler; then
	skip nmi "NMIs are not traced on this machine"
elif [ "$cpus" -gt 1 ]; then
	follow 'trace nmi:nmi_handler /execname == "frames"/ { s[ustack(3)] += 1 } trace_end { print(s) }' nmis
	[ "$code" = 0 ] && [ ! -s "$tmp/err" ] && matches "$tmp/out" "^        $me\\+0x$second\$" \
		"^        $me\\+0x$third: [0-9]+\$"
	result $? nmi
else
	skip nmi "the machine has only one CPU"
fi
# waits: it waits for a line, so that its mappings do not change
waits() { { sleep 0.3; echo; } | "$me" wait chain 1; }
follow 'trace sched:sched_switch /execname == "frames" && args.prev_state == 1/ { s[ustack(3)] += 1 }
trace_end { print(s) }' waits
# the innermost frame is in the C library, which is a separate file on these machines
code_of=$me
case $(uname -m) in s390x | ppc64* | riscv64) code_of='/[^ ]*' ;; esac
[ "$code" = 0 ] && [ ! -s "$tmp/err" ] && matches "$tmp/out" "^        $code_of\\+0x"
result $? with_interrupts_off
# a worker must name a file
gives_work() { "$workload" getppid 1; sleep 0.5; }
follow 'trace workqueue:workqueue_execute_start { s[ustack] += 1 }
trace syscalls:sys_enter_getppid { u = ustack(1) } trace_end { print(len(s)) print(s) }' gives_work
[ "$code" = 0 ] && [ "$(line 1)" = 1 ] && matches "$tmp/out" '^: [0-9]+$' && [ ! -s "$tmp/err" ]
result $? threads_of_the_kernel_have_none
run -q -e 'x = ustack  trace_begin { print(ustack, "begin") } trace_end { print(ustack, "end") }'
out no_user_stack_in_the_top_level '\tbegin\n\tend\n'

# in the program: before a function has set up its frame, and at its return
if ! has user_callers; then
	depth=2 caller=
else
	depth=3 caller="        $me+0x$second
"
fi
outer=$third frames=2 returned="        $me+0x$second
        $me+0x$third"
# perf takes the register of the return address for one more frame on riscv
if [ "$(uname -m)" = riscv64 ]; then
	depth=2 caller='' outer=$second frames=1 returned="        $me+0x$second"
fi
follow "trace uprobe:$me:0x$first { s[ustack($depth)] += 1 } trace_end { print(s) }" "$me" chain $n
is entry_of_a_function "$(cat "$tmp/out")" "        $me+0x$first
$caller        $me+0x$outer: $n"
follow "trace uretprobe:$me:0x$first { s[ustack($frames)] += 1 } trace_end { print(s) }" "$me" chain $n
is return_of_a_function "$(cat "$tmp/out")" "$returned: $n"

# no file
follow 'trace syscalls:sys_enter_getppid /execname == "frames"/ { print(ustack(2)) print(usym(ipof(ustack))) }' \
	"$me" jit
if [ "$code" = 4 ]; then
	skip code_without_a_file "only for x86-64"
	skip code_in_shared_memory "only for x86-64"
	skip files_are_many "only for x86-64"
	skip frames_without_a_file_are_counted "only for x86-64"
	skip mappings_that_come_and_go "only for x86-64"
	skip files_at_the_same_address "only for x86-64"
else
	page=$(cat "$tmp/said")
	frame=$(printf %x $((0x$page + 11)))
	[ "$(line 1)" = "        0x$frame" ] && [ "$(line 3)" = "0x$frame" ] &&
		line 2 | grep -Eq "^        $me\\+0x[0-9a-f]+\$"
	result $? code_without_a_file
	follow 'trace syscalls:sys_enter_getppid /execname == "frames"/ { print(ustack(1)) }' \
		"$me" jit shared
	[ "$code" = 0 ] && [ "$(line 1)" = "        0x$(printf %x $((0x$(cat "$tmp/said") + 11)))" ]
	result $? code_in_shared_memory
	follow 'trace syscalls:sys_enter_getppid /execname == "frames"/ { s[ustack(1)] += 1 } trace_end { print(len(s)) print(s) }' \
		"$me" many "$tmp" 900
	[ "$code" = 0 ] && [ "$(line 1)" = 900 ] && [ ! -s "$tmp/err" ] &&
		[ "$(grep -c "^        $tmp/code-.* (deleted)+0xb: 1\$" "$tmp/out")" = 900 ]
	result $? files_are_many
	follow 'trace syscalls:sys_enter_getppid /execname == "frames"/ { s[ustack(1)] += 1 }
trace_end { n = 0 for (k, v in pairs(s)) { n += v } print(n, len(s) > 1024) }' "$me" many "$tmp" 1100
	[ "$(cat "$tmp/out")" = "1100	true" ] &&
		matches "$tmp/err" '^ktap: 76 frames of programs are shown as addresses: '
	result $? frames_without_a_file_are_counted
	follow 'trace syscalls:sys_enter_getppid /execname == "frames"/ { n += 1 s[ustack] += 1 }
trace profile-1ms /execname == "frames"/ { s[ustack] += 1 t[usym(arg1)] += 1 }
trace_end { print(n > 100) }' "$me" churn 200 4
	[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = true ]
	result $? mappings_that_come_and_go
	follow 'trace syscalls:sys_enter_getppid /execname == "frames"/ { s[ustack(1)] += 1 }
trace_end { print(len(s)) print(s) }' "$me" swap "$tmp" 500
	[ "$code" = 0 ] && [ "$(line 1)" = 2 ] && [ ! -s "$tmp/err" ] &&
		[ "$(grep -c "^        $tmp/code-.* (deleted)+0xb: 500\$" "$tmp/out")" = 2 ]
	result $? files_at_the_same_address
fi
follow 'trace profile-1ms /execname == "frames" && arg1 != 0/ { s[usym(arg1)] += 1 } trace_end { print(s) }' \
	"$me" vdso 10000000
[ "$code" = 0 ] && matches "$tmp/out" '^\[vdso\]\+0x[0-9a-f]+: [0-9]+$'
result $? code_that_the_kernel_maps
# the thread itself holds the lock of its mappings
follow 'trace kprobe:mmap_region /execname == "workload"/ { n += 1 s[ustack(1)] += 1 } trace_end { print(n) print(s) }' \
	"$workload" map 20
[ "$code" = 0 ] && [ "$(line 1)" -ge 20 ] && ! grep -q '+0x' "$tmp/out" &&
	matches "$tmp/err" "^ktap: $(line 1) frames of programs are shown as addresses"
result $? frames_during_a_change_of_mappings_are_counted

# 32-bit programs
if "$here/frames32" >"$tmp/frames" 2>/dev/null; then
	follow 'trace raw_syscalls:sys_enter /execname == "frames32" && id == 64/ { s[ustack(3)] += 1 } trace_end { print(s) }' \
		"$here/frames32"
	expected=$(while read -r address; do
		printf '        %s+0x%x\n' "$(readlink -f "$here/frames32")" $((0x$address - 0x8048000))
	done <"$tmp/frames")
	is frames_of_a_32_bit_program "$(cat "$tmp/out")" "$expected: 10"
else
	skip frames_of_a_32_bit_program "the program was not built, or does not run on this machine"
fi

# symbols
follow "trace software:faults:1 /$chains/ { s[usym(arg1)] += 1 t[usym(arg1), 1] += 1 u[ustack(1)] += 1 }
trace_end { print(len(s), len(t), len(u)) print(s) print_hist(s) }" "$me" chain $n
[ "$code" = 0 ] && [ "$(line 1)" = "1	1	1" ] && in_inner "        $(line 2 | sed 's/: .*//')" "$me" &&
	line 2 | grep -q ": $n\$" && matches "$tmp/out" "$me\\+0x[0-9a-f]+ \|@+ +$n\$"
result $? symbol_is_a_key_on_one_line
follow "trace software:faults:1 /$chains/ { print(ipof(ustack), usym(ipof(ustack)), usym(nil), usym(5), usym(-1)) }" \
	"$me" chain 1
out frame_in_a_file_has_no_address 'nil\tnil\tnil\t0x5\t0x7fffffffffffffff\n'
run -q -e "trace software:faults:1 /$chains/ { tostring(usym(arg1)) }" -- "$me" chain 1
[ "$code" = 1 ] && matches "$tmp/err" 'error: tostring of a user symbol works in trace_begin'
result $? symbol_has_no_text_in_a_handler
run -q -e "trace software:faults:1 /$chains/ { print(ipof(usym(arg1))) }" -- "$me" chain 1
[ "$code" = 1 ] && matches "$tmp/err" 'error: ipof: argument 1 is a user symbol'
result $? symbol_has_no_address
run -q -e 'trace syscalls:sys_enter_getppid { print(ustack(0)) }' -- "$workload" getppid 1
[ "$code" = 1 ] && matches "$tmp/err" 'error: the depth of a stack is 1 to 127'
result $? depth_of_zero
run -q -e 'trace syscalls:sys_enter_getppid { print(ustack(1, 128)) }' -- "$workload" getppid 1
[ "$code" = 1 ] && matches "$tmp/err" 'error: a stack can skip 0 to 127 frames'
result $? too_many_frames_are_skipped

# the data for the tool to find the symbols
# both: code of a file, and code without a file
both() { "$me" chain $n && "$me" jit; }
setup='symbols 0123456789abcdef'
follow "trace software:faults:1 /$chains/ { s[ustack(3)] += 1 u[usym(arg1)] += 1 }"'
trace syscalls:sys_enter_getppid /execname == "frames"/ { j[ustack(1)] += pid }
trace_end { print(s) print(j) print_hist(u) }' both
tr '\035\036\037' '|<>' <"$tmp/out" >"$tmp/keyed"
[ "$(tr -dc '<' <"$tmp/keyed" | wc -c)" = "$(grep -o '<0123456789abcdef|' "$tmp/keyed" | wc -l)" ] &&
	grep -q '<' "$tmp/keyed"
result $? marks_have_the_key
sed 's/<0123456789abcdef|/</g' "$tmp/keyed" >"$tmp/marks"
matches "$tmp/marks" "^        <$me\\|$build_id\\|[0-9a-f]+>\$" "^        <$me\\|$build_id\\|${second}r>\$" \
	"^        <$me\\|$build_id\\|${third}r>: $n\$"
result $? marks_have_path_build_id_and_offset
page=$(cat "$tmp/said")
if [ -z "$page" ]; then
	skip marks_of_addresses_have_the_process "only for x86-64"
else
	pid=$(sed -n 's/^        <[0-9]*||[0-9a-f]*>: \([0-9]*\)$/\1/p' "$tmp/marks")
	grep -qF "        <$pid||$(printf %x $((0x$page + 11)))>: $pid" "$tmp/marks"
	result $? marks_of_addresses_have_the_process
fi
matches "$tmp/marks" "^ *$me\\+0x[0-9a-f]+ \|@"
result $? columns_have_no_symbol_marks

no_complaints the_kernel_is_content
finish
