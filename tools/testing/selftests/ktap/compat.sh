#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A system call of a 32-bit program hits the event of its name, not the event that has its
# number in 64-bit programs. Calls without an event are counted.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 18

n=200

# x32: numbers of 64-bit programs, or from 512 on, with the x32 bit
getppid=110 readv=515
if "$workload" x32 1 $getppid; then
	run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- "$workload" x32 $n $getppid
	[ "$(cat "$tmp/out")" = nil ] && matches "$tmp/err" "^ktap: missed $n events of system calls"
	result $? x32_calls_are_counted
	run -q -e 'trace syscalls:sys_exit_readv { n += 1 } trace_end { print(n) }' -- "$workload" x32 $n $readv
	[ "$(cat "$tmp/out")" = nil ] && matches "$tmp/err" "^ktap: missed $n events of system calls"
	result $? so_are_those_with_other_numbers
	run -q -e 'trace syscalls:sys_enter_getuid { n += 1 } trace_end { print(n) }' -- "$workload" x32 $n $getppid
	[ "$(cat "$tmp/out")" = nil ] && [ ! -s "$tmp/err" ]
	result $? x32_calls_of_other_events_are_not_counted
	run -q -e 'trace syscalls:sys_*_getuid { n += 1 } trace_end { print(n) }' -- "$workload" x32 $n $readv
	[ "$(cat "$tmp/out")" = nil ] && [ ! -s "$tmp/err" ]
	result $? nor_those_with_other_numbers
else
	for name in x32_calls_are_counted so_are_those_with_other_numbers x32_calls_of_other_events_are_not_counted \
		nor_those_with_other_numbers; do
		skip $name "this kernel runs no x32 programs"
	done
fi

if ! "$workload" compat 1 20 2>/dev/null; then
	echo "# this kernel runs no 32-bit programs with numbers of their own"
	while [ $count -lt "$planned" ]; do skip compat "no int 0x80"; done
	finish
fi

# numbers of i386; 64-bit programs call semget() by 64 and preadv() by 295
getppid=64 openat=295 fallocate=324 getuid16=24 stat64=195 waitpid=7

# without x32 support a number with its bit is no system call
run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- \
	"$workload" compat $n $((0x40000000 | 110))
[ "$(cat "$tmp/out")" = nil ] && ! grep -q missed "$tmp/err"
result $? no_number_is_an_x32_one

run -q -e "trace syscalls:sys_enter_getppid, syscalls:sys_exit_getppid, syscalls:sys_*_semget {
	n[probename] += 1
}
trace_end { print(n) }" -- "$workload" compat $n $getppid
out counted_under_their_name "sys_enter_getppid: $n\nsys_exit_getppid: $n\n"

cat >"$tmp/openat.kp" <<'E2'
trace syscalls:sys_enter_openat /args.filename == "/nowhere"/ function (e) {
	n[e.sc_compat, args.dfd, args.flags, args.filename, str(arg1), e.sc_nr == args.nr] += 1
}
trace syscalls:sys_exit_openat /execname == "workload"/ function (e) { ret[e.sc_compat, retval] += 1 }
trace_end { print(n) print(ret[true, -2]) }
E2
run -q "$tmp/openat.kp" -- "$workload" compat $n $openat -100 /nowhere 0
out arguments_are_those_of_the_event "true, -100, 0, /nowhere, /nowhere, true: $n\n$n\n"
run -q "$tmp/openat.kp" -- "$workload" open /nowhere 1
matches "$tmp/out" '^false, -100, 0, /nowhere, /nowhere, true: 1$'
result $? calls_of_64_bit_programs_are_distinguished
run -q -e "trace syscalls:sys_enter_preadv { n += 1 } trace_end { print(n) }" -- \
	"$workload" compat $n $openat -100 /nowhere 0
out never_confused_with_another_one 'nil\n'

run -q -e 'trace syscalls:sys_enter_openat /args.filename == "/nowhere"/ { print(argstr) }' -- \
	"$workload" compat 1 $openat -100 /nowhere 0
name=/nowhere
has waits_for_strings || name='filename: '
[ "$code" = 0 ] && matches "$tmp/out" "sys_openat\\(dfd: .*$name"
result $? text_of_the_event

run -q -e 'trace syscalls:sys_enter_getuid { n += 1 } trace_end { print(n) }' -- \
	"$workload" compat $n $getuid16
out names_with_a_suffix "$n\n"
run -q -e 'trace syscalls:sys_enter_newstat { n[args.filename] += 1 } trace_end { print(n) }' -- \
	"$workload" compat $n $stat64 /nowhere 0
out other_names_of_the_same "/nowhere: $n\n"

# 64-bit arguments in two registers
run -q -e 'trace syscalls:sys_enter_fallocate function (e) { n[e.sc_compat, args.offset, arg2, e.sc_arg3] += 1 }
trace_end { print(n) }' -- "$workload" compat $n $fallocate -1 1 2 3 4
out arguments_that_differ_are_nil "true, nil, nil, nil: $n\n"
run -q -e 'trace syscalls:sys_enter_fallocate { print(argstr) s = argstr } trace_end { print(len(s)) }' -- \
	"$workload" compat 1 $fallocate -1 1 2 3 4
out no_text_without_arguments '\n0\n'

# waitpid: only 32-bit programs have it
run -q -e 'trace syscalls:sys_enter_wait* { n[probename] += 1 } trace_end { print(n["sys_enter_waitpid"]) }' \
	-- "$workload" compat $n $waitpid -1 0 1
[ "$code" = 0 ] && matches "$tmp/err" "^ktap: missed $n events of system calls"
result $? calls_without_an_event_are_counted
run -q -e 'trace syscalls:sys_exit_* { n += 1 }' -- "$workload" compat $n $waitpid -1 0 1
[ "$code" = 0 ] && matches "$tmp/err" "^ktap: missed $n events of system calls"
result $? so_are_returns
run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' \
	-- "$workload" compat $n $waitpid -1 0 1
[ "$code" = 0 ] && [ ! -s "$tmp/err" ]
result $? calls_of_other_events_are_not_counted
run -q -e "trace raw_syscalls:sys_enter /id == $waitpid && execname == \"workload\"/ { n += 1 }
trace_end { print(n) }" -- "$workload" compat $n $waitpid -1 0 1
out raw_syscalls_has_them "$n\n"

finish
