#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A system call of a 32-bit program hits the event of its name, not the event that has its
# number in 64-bit programs. Calls without an event are counted.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 20

n=200
calls=$here/compat_calls

# x32: numbers of 64-bit programs, or from 512 on, with the x32 bit
getppid=110 readv=515
if "$calls" x32 1 $getppid; then
	run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- "$calls" x32 $n $getppid
	[ "$(cat "$tmp/out")" = nil ] && matches "$tmp/err" "^ktap: missed $n events of system calls"
	result $? x32_calls_are_counted
	run -q -e 'trace syscalls:sys_exit_readv { n += 1 } trace_end { print(n) }' -- "$calls" x32 $n $readv
	[ "$(cat "$tmp/out")" = nil ] && matches "$tmp/err" "^ktap: missed $n events of system calls"
	result $? so_are_those_with_other_numbers
	run -q -e 'trace syscalls:sys_enter_getuid { n += 1 } trace_end { print(n) }' -- "$calls" x32 $n $getppid
	[ "$(cat "$tmp/out")" = nil ] && [ ! -s "$tmp/err" ]
	result $? x32_calls_of_other_events_are_not_counted
	run -q -e 'trace syscalls:sys_*_getuid { n += 1 } trace_end { print(n) }' -- "$calls" x32 $n $readv
	[ "$(cat "$tmp/out")" = nil ] && [ ! -s "$tmp/err" ]
	result $? nor_those_with_other_numbers
else
	for name in x32_calls_are_counted so_are_those_with_other_numbers x32_calls_of_other_events_are_not_counted \
		nor_those_with_other_numbers; do
		skip $name "this kernel runs no x32 programs"
	done
fi

if ! "$calls" compat 1 20 2>/dev/null; then
	echo "# this kernel runs no 32-bit programs with numbers of their own"
	while [ $count -lt "$planned" ]; do skip compat "no system calls of 32-bit programs"; done
	finish
fi

# Numbers of system calls of 32-bit programs.  $another: the event that has the number of
# getppid() in 64-bit programs; $confused: an event, with the number of the $confusing one.
# $alone: a system call that only 32-bit programs have; $like: a pattern for its event,
# which others match
mine='/execname == "compat_calls"/'
getppid=64 getuid16=24
if [ "$(uname -m)" = x86_64 ]; then
	openat=295 fallocate=324 another=semget confused=preadv confusing="$openat -100 /nowhere 0"
	stat=newstat stat64='195 /nowhere 0'
	alone=waitpid alone_nr=7 alone_args='-1 0 1' like='wait*'
else
	openat=322 fallocate=352 another=write confused=dup3 confusing=$getuid16
	stat=newfstatat stat64='327 -100 /nowhere 0 0'
	alone=getpgrp alone_nr=65 alone_args='' like='getp*'
fi

# without x32 support a number with its bit is no system call
if [ "$(uname -m)" = x86_64 ]; then
	run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- \
		"$calls" compat $n $((0x40000000 | 110))
	[ "$(cat "$tmp/out")" = nil ] && ! grep -q missed "$tmp/err"
	result $? no_number_is_an_x32_one
else
	skip no_number_is_an_x32_one "only x86 has x32"
fi

run -q -e "trace syscalls:sys_enter_getppid, syscalls:sys_exit_getppid, syscalls:sys_*_$another $mine {
	n[probename] += 1
}
trace_end { print(n) }" -- "$calls" compat $n $getppid
out counted_under_their_name "sys_enter_getppid: $n\nsys_exit_getppid: $n\n"

cat >"$tmp/openat.kp" <<'E2'
trace syscalls:sys_enter_openat /args.filename == "/nowhere"/ function (e) {
	n[e.sc_compat, args.dfd, args.flags, args.filename, str(arg1), e.sc_nr == args.nr] += 1
}
trace syscalls:sys_exit_openat /execname == "compat_calls"/ function (e) { ret[e.sc_compat, retval] += 1 }
trace_end { print(n) print(ret[true, -2]) }
E2
run -q "$tmp/openat.kp" -- "$calls" compat $n $openat -100 /nowhere 0
out arguments_are_those_of_the_event "true, -100, 0, /nowhere, /nowhere, true: $n\n$n\n"
run -q "$tmp/openat.kp" -- "$workload" open /nowhere 1
matches "$tmp/out" '^false, -100, 0, /nowhere, /nowhere, true: 1$'
result $? calls_of_64_bit_programs_are_distinguished
run -q -e "trace syscalls:sys_enter_$confused $mine { n += 1 } trace_end { print(n) }" -- \
	"$calls" compat $n $confusing
out never_confused_with_another_one 'nil\n'

run -q -e 'trace syscalls:sys_enter_openat /args.filename == "/nowhere"/ { print(argstr) }' -- \
	"$calls" compat 1 $openat -100 /nowhere 0
name=/nowhere
has waits_for_strings || name='filename: '
[ "$code" = 0 ] && matches "$tmp/out" "sys_openat\\(dfd: .*$name"
result $? text_of_the_event

run -q -e 'trace syscalls:sys_enter_getuid { n += 1 } trace_end { print(n) }' -- \
	"$calls" compat $n $getuid16
out names_with_a_suffix "$n\n"
run -q -e "trace syscalls:sys_enter_$stat $mine { n[args.filename] += 1 } trace_end { print(n) }" -- \
	"$calls" compat $n $stat64
out other_names_of_the_same "/nowhere: $n\n"

run -q -e "trace syscalls:sys_enter_lseek $mine { print(args.offset) }" -- "$calls" compat 1 19 -1 -10 2
out negative_arguments '-10\n'

# 64-bit arguments in two registers
run -q -e 'trace syscalls:sys_enter_fallocate function (e) { n[e.sc_compat, args.offset, arg2, e.sc_arg3] += 1 }
trace_end { print(n) }' -- "$calls" compat $n $fallocate -1 1 2 3 4
out arguments_that_differ_are_nil "true, nil, nil, nil: $n\n"
run -q -e 'trace syscalls:sys_enter_fallocate { print(argstr) s = argstr } trace_end { print(len(s)) }' -- \
	"$calls" compat 1 $fallocate -1 1 2 3 4
out no_text_without_arguments '\n0\n'

# a system call that only 32-bit programs have
run -q -e "trace syscalls:sys_enter_$like { n[probename] += 1 } trace_end { print(n[\"sys_enter_$alone\"]) }" \
	-- "$calls" compat $n $alone_nr $alone_args
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = nil ] && matches "$tmp/err" "^ktap: missed $n events of system calls"
result $? calls_without_an_event_are_counted
run -q -e 'trace syscalls:sys_exit_* { n += 1 }' -- "$calls" compat $n $alone_nr $alone_args
[ "$code" = 0 ] && matches "$tmp/err" "^ktap: missed $n events of system calls"
result $? so_are_returns
run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' \
	-- "$calls" compat $n $alone_nr $alone_args
[ "$code" = 0 ] && [ ! -s "$tmp/err" ]
result $? calls_of_other_events_are_not_counted
touch "$tmp/off"
start -q -e "on = true trace syscalls:sys_enter_$like if (on) { n += 1 }
trace syscalls:sys_enter_openat /args.filename == '$tmp/off'/ { on = false }"
"$calls" compat $n $alone_nr $alone_args
"$workload" open "$tmp/off" 1
wait_until probe_is "syscalls:sys_enter_$(echo "$like" | sed 's/[*]/[*]/')" 'on=0 times=1'
"$calls" compat $n $alone_nr $alone_args
stop
[ "$code" = 0 ] && matches "$tmp/err" "^ktap: missed $n events of system calls"
result $? only_while_the_probe_is_attached
run -q -e "trace raw_syscalls:sys_enter /id == $alone_nr && execname == 'compat_calls'/ { n += 1 }
trace_end { print(n) }" -- "$calls" compat $n $alone_nr $alone_args
out raw_syscalls_has_them "$n\n"

finish
