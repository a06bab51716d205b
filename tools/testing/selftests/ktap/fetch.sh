#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Probes with the kernel's own fetch arguments.

. "$(dirname "$0")/lib.sh"
plan 22

n=500
# the registers of the first, the second and the third argument
case $(uname -m) in
x86_64) a0=%di a1=%si a2=%dx ;;
i?86) a0=%ax a1=%dx a2=%cx ;;
s390x) a0=%r2 a1=%r3 a2=%r4 ;;
aarch64) a0=%x0 a1=%x1 a2=%x2 ;;
riscv64) a0=%a0 a1=%a1 a2=%a2 ;;
ppc64*) a0=%gpr3 a1=%gpr4 a2=%gpr5 ;;
*) a0= ;;
esac
if ! [ -e "$tracefs/kprobe_events" ] || [ -z "$a0" ]; then
	for i in $(seq $planned); do skip "fetch_$i" "no kprobe events, or other registers"; done
	finish
fi

events() { grep -c . "$tracefs/dynamic_events"; }

run -q -e "trace probe:vfs_write size=$a2 /size == 13/ { n += 1 } trace_end { print(n) }" -- "$workload" write 13 $n
out argument_in_a_filter "$n\n"
# the return address is on the stack, except on s390, whose calls use no stack
top='args.top != 0'
[ "$(uname -m)" != s390x ] || top='args.top != nil'
run -q -e "trace probe:vfs_write size=$a2"' top=+0($stack):u64 who=$comm {
	n[args.size, '"$top"', args.who == execname, args["nothing"] == nil] += 1
}
trace_end { print(n[13, true, true, true]) }' -- "$workload" write 13 $n
out arguments_by_name "$n\n"
run -q -e "trace probe:vmlinux:vfs_write size=$a2 /size == 13/ { n += 1 } trace_end { print(n) }" -- \
	"$workload" write 13 $n
out argument_of_a_function_of_the_kernel_itself "$n\n"
run -q -e "trace probe:vfs_write size=$a2:u8 /size == 1/ function (e) { n[e.size, e.name, name, probefunc] += 1 }
trace_end { print(n) }" -- "$workload" write 257 $n
out argument_with_a_type "1, vfs_write, vfs_write, vfs_write: $n\n"
run -q -e 'trace kprobe:vfs_write%return done=$retval /done == 13/ { n[args.done] += 1 } trace_end { print(n) }' -- \
	"$workload" write 13 $n
out return_value "13: $n\n"
run -q -e 'trace kretprobe:vfs_write done=$retval /done == 13/ { n[args.done] += 1 } trace_end { print(n) }' -- \
	"$workload" write 13 $n
out return_value_of_a_kretprobe "13: $n\n"
run -q -e "trace probe:do_sys_openat2 dfd=$a0:s32 file=+0($a1):ustring { f[args.file, args.dfd] += 1 }"'
trace_end { print(f["/proc/version", -100]) }' -- "$workload" open /proc/version $n
out string_of_the_program "$n\n"
run -q -e "trace probe:vfs_write size=$a2:u32 /size == 13/ { print(argstr) }" -- "$workload" write 13 2
[ "$(sed 's/^vfs_write_[0-9]*_0: (vfs_write+0x[0-9a-f]*\/0x[0-9a-f]*) //' "$tmp/out")" = 'size=13
size=13' ]
result $? text_equals_the_trace_file
# frame pointers do not show a caller before its frame is set up
caller='ksys_write\+'
has callers || caller='sys_write\+'
run -q -e "trace probe:vfs_write size=$a2 /size == 13/ { print(kstack(2)) }" -- "$workload" write 13 1
[ "$(sed -n '1s/+.*//; 1s/ *//p' "$tmp/out")" = vfs_write ] && matches "$tmp/out" "$caller"
result $? stack_begins_with_the_function
run -q -e 'trace kretprobe:vfs_write done=$retval /done == 13/ { print(kstack(1)) }' -- "$workload" write 13 1
[ "$(sed -n '1s/+.*//; 1s/ *//p' "$tmp/out")" = ksys_write ]
result $? stack_of_a_return_begins_with_the_caller
run -q -e "trace probe:vfs_write a=$a2 /a == 13/ { x += 1 } trace probe:vfs_write b=$a2 /b == 13/ { y += 1 }
trace_end { print(x, y) }" -- "$workload" write 13 $n
out two_probes "$n\t$n\n"

# each probe has one line
start -q -e "trace (\"probe:vfs_write a=$a0\\nb=$a2\") { n += 1 }"
is one_line_for_each_kind_of_event "$(grep -c "^  probe:vfs_write a=$a0.012b=$a2 hits=" "$tracefs/ktap/sessions")" 1
stop

# they exist as long as the session
start -q -e "trace probe:vfs_write a=$a0"' { n += 1 } trace kretprobe:vfs_read b=$retval { n += 1 }'
during=$(events)
stop
wait_until no_sessions
is events_exist_as_long_as_the_session "$during $(events)" '2 0'
kill_rounds 10 500 "trace probe:vfs_write a=$a0 b=+0($a1):ustring { s[args.b] += 1 }"
wait_until no_sessions
is killed_tools_leave_no_event "$(events)" 0

# the kernel watches 10 returns at a time, or two for each CPU
start -e 'trace probe:futex_wait { calls += 1 } trace kretprobe:futex_wait done=$retval { returns += 1 }
trace_end { print(calls - returns) }'
crowd=
last=$(sed 's/.*-//' /sys/devices/system/cpu/possible)
for i in $(seq $((2 * last + 30))); do
	"$workload" futex 3000 1 &
	crowd="$crowd $!"
done
wait $crowd
shown=$(sed -n 's/^  kretprobe:futex_wait .* missed=\([0-9]*\) .*/\1/p' "$tracefs/ktap/sessions")
stop
missed=$(sed -n "s/^ktap: 'kretprobe:futex_wait done=.retval' missed \\([0-9]*\\) events\$/\\1/p" "$tmp/err")
[ "${missed:-0}" -gt 0 ] && [ "$(cat "$tmp/out")" = "$missed" ]
result $? returns_beyond_those_that_the_kernel_watches_are_counted
is missed_returns_are_shown_while_it_runs "$shown" "$missed"

refused unknown_register "probe:vfs_write a=$a0   b=%foo" "^-e:2:7: error: Invalid register name: '%foo'"
refused unknown_type "probe:vfs_write a=$a0:u33" "^-e:2:7: error: Unknown type is specified: 'u33'"
refused nothing_to_fetch 'probe:vfs_write a=' '^-e:2:7: error: No argument expression at the end'
refused unknown_function "probe:vfs_wriet a=$a0" "^-e:2:7: error: no function 'vfs_wriet'" "did you mean 'vfs_write'"
refused pattern "probe:vfs_* a=$a0" '^-e:2:7: error: .* fetch arguments need the name of one function'
is refused_ones_leave_no_event "$(wait_until no_sessions; events)" 0

finish
