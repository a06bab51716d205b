#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Functions of the kernel: entry, return, instructions, patterns; exact counts.

. "$(dirname "$0")/lib.sh"
needs functions
plan 97

n=500
f=vfs_write
list=$tracefs/available_filter_functions
getppid=$(call_function getppid)
# only the writes of this program, none of the shell
mine='/execname == "workload" \&\& arg2 == 13/'
mine=$(echo "$mine" | sed 's/\\//g')

# entry and return
run -q -e "trace probe:$f $mine { n += 1 } trace_end { print(n) }" -- "$workload" write 13 $n
out entry_is_counted_exactly "$n\n"
run -q -e "trace kprobe:$f $mine { n += 1 } trace_end { print(n) }" -- "$workload" write 13 $n
out kprobe_is_the_same "$n\n"
run -q -e "trace probe:$f%return $mine { n += 1 } trace_end { print(n) }" -- "$workload" write 13 $n
out return_is_counted_exactly "$n\n"
run -q -e "trace kretprobe:$f $mine { n[retval] += 1 } trace_end { print(n) }" -- "$workload" write 13 $n
out kretprobe_is_the_same_and_has_the_value "13: $n\n"
open=do_file_open
grep -q " $open\$" /proc/kallsyms || open=do_filp_open
run -q -e "trace kretprobe:$open /execname == 'workload'/ { n[ptr_err(retval), errno_name(retval)] += 1 }
	trace_end { print(n[-2, \"ENOENT\"], n[nil, \"0\"], ptr_err(nil), ptr_err(5)) }" -- "$workload" open "$tmp/nosuch" 1
is error_pointers_have_numbers "$(cut -f 1,3,4 "$tmp/out")" "1	nil	nil"
# after the eighth they are on the stack, which some kernels cannot read
case $(uname -m) in
aarch64 | ppc* | riscv*) last=true number=7 ;;
*) last=false number=9 ;;
esac
run -q -e "trace probe:$getppid%return { n[retval == ppid, arg$number != nil] += 1 } trace_end { print(n) }" -- \
	"$workload" getppid $n
out return_value_and_arguments "true, true: $n\n"
run -q -e "trace probe:$f $mine { n[arg2, args[\"arg10\"] == nil] += 1 } trace_end { print(n) }" -- \
	"$workload" write 13 $n
out arguments_at_the_entry "13, true: $n\n"
run -q -e "function lacks(n) { return n == 7 ? arg7 == nil : n == 8 ? arg8 == nil : arg9 == nil }
trace probe:$f, probe:$f%return $mine { n[lacks(7), lacks(8), lacks(9)] += 1 }
trace_end { print(n) }" -- "$workload" write 13 $n
out arguments_not_available_on_the_machine_are_nil "false, $last, $last: $((2 * n))\n"
run -q -e "trace probe:$f { a[tid] = arg1 }
trace probe:$f%return $mine { if (a[tid] == arg1) { n += 1 } } trace_end { print(n) }" -- "$workload" write 13 $n
out arguments_at_the_return_are_those_of_the_entry "$n\n"
page=$("$workload" page)
run -q -e "trace probe:do_mmap /arg1 == 0x2000 << $half/ { print(arg2 / $page, arg3, arg6) }" -- "$workload" fault 3
out arguments_on_the_stack '3\t3\t0\n'
run -q -e "trace probe:$f $mine function (e) {
	n[name, probefunc, e.name, e.ip == e.field(1), e.parent_ip == e.field(2), args[\"nothing\"] == nil] += 1
}
trace_end { print(n) }" -- "$workload" write 13 $n
out names_and_fields "$f, $f, $f, true, true, true: $n\n"
run -q -e "trace probe:$f $mine { n += 1 } trace probe:$f $mine { m += 1 } trace kretprobe:$f $mine { r += 1 }
trace_end { print(n, m, r) }" -- "$workload" write 13 $n
out several_probes_of_one_function "$n\t$n\t$n\n"
start -q -e "trace probe:$f $mine { n += 1 } trace_end { print(n) }"
first=$tracer
mv "$tmp/out" "$tmp/out1"
run -q -e "trace probe:$f $mine { n += 1 } trace_end { print(n) }" -- "$workload" write 13 $n
tracer=$first
stop
is two_sessions_of_one_function "$(cat "$tmp/out1" "$tmp/out" | sort -u)" $n
run -q -e "trace probe:$f { n += 1 } trace_end { print(n) }" -p 1 -- "$workload" write 13 1 2>/dev/null
run -q -e "trace probe:$f { n += 1 } trace_end { print(n) }" -- "$workload" write 13 $n
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" -ge $n ] && [ "$(cat "$tmp/out")" -lt $((n + 20)) ]
result $? command_is_traced_alone
run -q -e "trace probe:$f%return $mine { print(argstr) } trace probe:$f $mine function (e) { printf('%s', e.tostring()) }" -- \
	"$workload" write 13 2
# a kprobe does not know its caller, nor does a stack by frame pointers show it
entry="$f <-ksys_write" caller='ksys_write\+'
has fprobes || entry=$f
has callers || caller='sys_write\+'
out text_of_a_function "$entry\n$f <-ksys_write\n$entry\n$f <-ksys_write\n"
run -q -e "trace probe:$f $mine { print(kstack(2)) }" -- "$workload" write 13 1
above=$caller
! has fprobes || above='^ *ksys_write\+'
[ "$(sed -n '1s/+.*//; 1s/ *//p' "$tmp/out")" = $f ] && matches "$tmp/out" "$above" && ! grep -q ktap "$tmp/out"
result $? stack_begins_with_the_function
if has fprobes; then
	# machines without static calls call the stub by __traceiter_sched_process_fork()
	run -q -e "trace rawtp:sched_process_fork /execname == 'workload'/ { print(kstack(2)) }" -- "$workload" fork 1
	matches "$tmp/out" '^ *kernel_clone\+' && ! grep -q 'probestub\|ktap\|ftrace' "$tmp/out"
	result $? stack_of_a_raw_tracepoint_has_its_function
else
	skip stack_of_a_raw_tracepoint_has_its_function "this kernel has no fprobes"
fi
run -q -e "trace probe:$f%return $mine { print(kstack(2)) }" -- "$workload" write 13 1
[ "$(sed -n '1s/+.*//; 1s/ *//p' "$tmp/out")" = ksys_write ]
result $? stack_of_a_return_begins_with_the_caller

# instructions
offset=0
for o in 1 2 3 4 5 6 7 8 9; do
	run -q -e "trace probe:$f+$o { n += 1 }" -- true
	[ "$code" = 0 ] && offset=$o && [ $o -gt 4 ] && break
done
run -q -e "function first() { return arg0 }
trace probe:$f+$offset /execname == 'workload'/ { n[first(), probefunc, args.ip != nil] += 1 } trace_end { print(n) }" -- \
	"$workload" write 13 $n
out instruction_is_counted_exactly_and_has_no_arguments "nil, $f, true: $n\n"
# the line is written by ktap, in the same function: it is no event, also at a breakpoint
optimization=/proc/sys/debug/kprobes-optimization
[ ! -e $optimization ] || { optimized=$(cat $optimization); echo 0 >$optimization; }
run -q -e "trace probe:$f+$offset /execname == 'ktap'/ { n += 1 print('again') }
trace probe:$f+$offset /execname == 'workload'/ { print('once') } trace_end { print(n) }" -- "$workload" write 13 1
[ ! -e $optimization ] || echo "$optimized" >$optimization
out own_writes_are_no_events_at_an_instruction 'once\nnil\n'
run -q -e "trace probe:$f+$offset { print(arg0) }"
[ "$code" = 2 ] && matches "$tmp/err" \
	"^-e:1:[0-9]+: error: probe:$f\+$offset has no arguments, so no arg0$"
result $? argument_at_an_instruction_is_refused
run -q -e "trace kprobe:$f+0 $mine { n += 1 } trace_end { print(n) }" -- "$workload" write 13 $n
out offset_zero_is_the_entry "$n\n"
pattern='vfs_writ?'
has fprobes || pattern=$f
run -q -e "trace probe:vmlinux:$f $mine { n += 1 } trace kprobe:vmlinux:$f+0 $mine { m += 1 }
trace kretprobe:vmlinux:$pattern $mine { r += 1 } trace_end { print(n, m, r) }" -- "$workload" write 13 $n
out functions_of_the_kernel_itself "$n\t$n\t$n\n"
# the code of powerpc has not saved the address of its caller yet
depth=2
case $(uname -m) in ppc64*) caller='system_call_exception\+' depth=3 ;; esac
run -q -e "trace probe:$f+$offset /execname == 'workload'/ { print(kstack($depth)) }" -- "$workload" write 13 1
[ "$(sed -n '1s/\/.*//; 1s/ *//p' "$tmp/out")" = "$f+0x$offset" ] && matches "$tmp/out" "$caller"
result $? stack_of_an_instruction
# skips EVENT [FILTER]: the stack with one frame skipped equals the rest of the stack
skips() {
	run -q -e "trace $1 ${2:-} {
	print(kstack(10)) print(\"skipped\") print(kstack(9, 1)) print(\"lengths\")
	print(len(kstack(10)) - len(kstack(9, 1)), len(kstack(1, 1)), len(kstack(127, 127)))
}" -- "$workload" write 13 1
	sed '/^skipped$/,$d' "$tmp/out" | tail -n +2 >"$tmp/rest"
	sed '1,/^skipped$/d; /^lengths$/,$d' "$tmp/out" >"$tmp/part"
	[ "$code" = 0 ] && [ -s "$tmp/part" ] && cmp "$tmp/rest" "$tmp/part" >&2 &&
		[ "$(sed '1,/^lengths$/d' "$tmp/out")" = "1	1	0" ]
}
skips "probe:$f" "$mine"
result $? frames_are_skipped_at_an_entry
skips "probe:$f+$offset" '/execname == "workload"/'
result $? frames_are_skipped_at_an_instruction
skips syscalls:sys_enter_write '/args.count == 13/'
result $? frames_are_skipped_at_a_tracepoint
# on s390 no address of code is odd
inside=0x1
[ "$(uname -m)" != s390x ] || inside=0x2
run -q -e "trace probe:$f+$offset { a += 1 } trace probe:$getppid+$inside { b += 1 }" -- true
[ "$code" = 0 ] || matches "$tmp/err" 'no instruction begins there'
result $? two_instructions_or_none

# without fprobes a probe is a kprobe for exactly one function
if ! has fprobes; then
	while [ $count -lt "$planned" ]; do skip many_functions "this kernel has no fprobes"; done
	finish
fi

# patterns
run -e "trace probe:vfs_* { n[probefunc] += 1 } trace_end { print(n.$f >= $n, len(n) > 1) }" -- "$workload" write 13 $n
out pattern_takes_all_that_match 'true\ttrue\n'
matches "$tmp/err" '^ktap: total enabled [0-9]+ events$'
result $? number_of_functions_is_reported
run -q -e "trace probe:vfs_wr?t[a-f] $mine { n[name] += 1 } trace_end { print(n) }" -- "$workload" write 13 $n
out pattern_of_all_kinds "$f: $n\n"
run -q -e "trace kretprobe:vfs_* /execname == 'workload' && retval == 13/ { n[probefunc] += 1 } trace_end { print(n) }" -- \
	"$workload" write 13 $n
out pattern_of_returns "$f: $n\n"

# Values that a sleeping task keeps for a closed session are not read by the next session,
# even if its probes reuse the memory, which is likely on one CPU. The first session keeps
# function returns traced all the time.
eight() {
	for i in 1 2 3 4 5 6 7 8; do
		echo "trace probe:$1 { n[probefunc, arg1] += 1 }"
	done
}
# brings_back NAME EVENT: a session that waits for the event gets no value
brings_back() {
	start -q -e "$(eight hrtimer_nanosleep%return)"
	"$workload" nap 1500 1 &
	sleeper=$!
	sleep 0.3
	stop
	start -q -e "$(eight "$2") trace_end { print(n) }"
	wait $sleeper
	stop
	out "$1" '{}\n'
}
taskset -p 1 $$ >/dev/null
start -q -e 'trace probe:ksys_sync%return { }'
first=$tracer
brings_back return_of_a_session_that_is_gone ksys_sync%return
brings_back return_is_no_entry ksys_sync
tracer=$first
stop
taskset -p "$(printf '%x' $(((1 << cpus) - 1)))" $$ >/dev/null

# The entry of one function may get an ftrace_ops of its own, of which there are few: with
# more probes, and in many sessions one after the other, each event is counted once.
others=$(grep -x "vfs_[a-z]*" "$list" | grep -vx $f | sort | uniq -u | head -n 20)
for other in $others; do
	echo "trace probe:$other { other[probefunc] += 1 }"
done >"$tmp/others"
for place in first last; do
	{
		[ $place = last ] || echo "trace probe:$f $mine { n += 1 }"
		cat "$tmp/others"
		[ $place = first ] || echo "trace probe:$f $mine { n += 1 }"
		echo "trace_end { print(n, other.$f) }"
	} >"$tmp/script.kp"
	run -q "$tmp/script.kp" -- "$workload" write 13 $n
	out "many_functions_of_which_it_is_the_$place" "$n\tnil\n"
done
run -q -e "trace probe:$f $mine { a += 1 } trace probe:vfs_wr?t[a-f] $mine { b += 1 }
trace ftrace:function /ip == $f/ { if (execname == 'workload' && arg2 == 13) { c += 1 } }
trace_end { print(a, b, c) }" -- "$workload" write 13 $n
out function_of_several_kinds_of_probes "$n\t$n\t$n\n"
wrong=0
for i in $(seq "$(divided 10)"); do
	run -q -e "trace probe:$f $mine { n[probefunc] += 1 } trace_end { print(n) }" -- "$workload" write 13 50
	[ "$(cat "$tmp/out")" = "$f: 50" ] || wrong=$((wrong + 1))
	run -q -e "trace probe:$getppid { n[probefunc] += 1 } trace_end { print(n) }" -- "$workload" getppid 50
	[ "$(cat "$tmp/out")" = "$getppid: 50" ] || wrong=$((wrong + 1))
	run -q -e "trace probe:$getppid%return { n[probefunc, retval == ppid] += 1 } trace_end { print(n) }" -- \
		"$workload" getppid 50
	[ "$(cat "$tmp/out")" = "$getppid, true: 50" ] || wrong=$((wrong + 1))
done
is sessions_one_after_the_other $wrong 0

# The return of one function may get a fgraph_ops of its own, if it is the only return of
# its session: there are two.
mine='/execname == "workload"/'
return="trace probe:$getppid%return $mine { n += 1 } trace_end { print(n) }"
run -q -e "$return" -- "$workload" getppid $n
out only_return_is_counted_exactly "$n\n"
run -q -e "trace probe:$getppid $mine { self.t = 1 e += 1 }
trace probe:$getppid%return $mine { r += self.t } trace_end { print(e, r) }" -- "$workload" getppid $n
out entry_and_only_return "$n\t$n\n"
run -q -e "trace probe:$getppid $mine { e += 1 } trace probe:$getppid $mine { f += 1 }
trace probe:$getppid%return $mine { r += 1 } trace_end { print(e, f, r) }" -- "$workload" getppid $n
out two_entries_and_only_return "$n\t$n\t$n\n"
for other in $others; do
	echo "trace probe:$other%return { other[probefunc] += 1 }"
done >"$tmp/others"
{ cat "$tmp/others"; echo "$return"; } >"$tmp/script.kp"
run -q "$tmp/script.kp" -- "$workload" getppid $n
out many_returns "$n\n"
# in four sessions at once, of which at most two have one
sessions=
for i in 1 2 3; do
	start -q -e "$return"
	sessions="$sessions $tracer"
	mv "$tmp/out" "$tmp/return$i"
done
run -q -e "$return" -- "$workload" getppid $n
for tracer in $sessions; do
	stop
done
is four_sessions_of_one_return "$(sort "$tmp/out" "$tmp/return1" "$tmp/return2" "$tmp/return3" | uniq -c | tr -s ' ')" \
	" 4 $n"
# a task enters for a session that is gone when it returns, and the next one waits for the
# return of the same function, without and with arguments of the entry
for key in name 'arg1 != nil'; do
	start -q -e "trace probe:hrtimer_nanosleep%return $mine { n[$key] += 1 }"
	"$workload" nap 1500 1 &
	sleeper=$!
	sleep 0.3
	stop
	start -q -e "trace probe:hrtimer_nanosleep%return $mine { n[$key] += 1 } trace_end { print(n) }"
	wait $sleeper
	"$workload" nap 1 3
	stop
	if [ "$key" = name ]; then
		out call_that_is_older_than_the_session 'hrtimer_nanosleep: 3\n'
	else
		out older_call_with_arguments 'true: 3\n'
	fi
done

# the function tracer
run -q -e "trace ftrace:function /ip == vfs_w*/ { if (arg2 == 13) { n[probefunc] += 1 } } trace_end { print(n) }" -- \
	"$workload" write 13 $n
out ftrace_with_a_pattern "$f: $n\n"
run -q -e "trace ftrace:function /probefunc == '$f'/ { if (arg2 == 13) { n += 1 } } trace_end { print(n) }" -- \
	"$workload" write 13 $n
out ftrace_with_a_name "$n\n"
run -q -e "trace ftrace:function /ip == *_write && execname == 'workload' && ip != ksys*/ { n[probefunc] += 1 }
trace_end { print(n.$f, n.ksys_write) }" -- "$workload" write 13 $n
out ftrace_with_patterns_and_a_filter "$n\tnil\n"
run -q -e "trace ftrace:function { n[probefunc] += 1 } trace_end { print(n.$f >= $n, len(n) > 50) }" -- \
	"$workload" write 13 $n
out ftrace_of_all_functions 'true\ttrue\n'
run -q -e "trace ftrace:function /ip == $f/ { print(argstr) }" -- "$workload" write 13 1
[ "$(sort -u "$tmp/out")" = "$f <-ksys_write" ]
result $? text_of_the_function_tracer
run -q -e "trace ftrace:function /ip == $f/ { print(retval) }"
[ "$code" = 2 ] && matches "$tmp/err" "^-e:1:[0-9]+: error: ftrace:function $f has no 'retval': only returns "
result $? result_of_the_function_tracer_is_refused

# misses are counted: calls by handlers.  On x86-64 the walk begins at registers
walk=stack_trace_save
[ "$(uname -m)" != x86_64 ] || walk=stack_trace_save_regs
run -e "trace syscalls:sys_enter_getppid { s = kstack } trace probe:$walk { n += 1 } trace_end { print(n) }" -- \
	"$workload" getppid $n
missed=$(sed -n "s/^ktap: 'probe:$walk' missed \\([0-9]*\\) events$/\\1/p" "$tmp/err")
[ "${missed:-0}" -ge $n ]
result $? handlers_calls_are_missed_and_counted
# fprobe does not count what handlers of its own call
if [ "$(uname -m)" = x86_64 ]; then
	run -e "trace probe:$getppid /execname == 'workload'/ { s = kstack m += 1 }
trace probe:$walk { n += 1 } trace_end { print(m) }" -- "$workload" getppid $n
	missed=$(sed -n "s/^ktap: 'probe:$walk' missed \\([0-9]*\\) events$/\\1/p" "$tmp/err")
	[ "$(cat "$tmp/out")" = $n ] && [ "${missed:-0}" -ge $n ]
	result $? calls_by_handlers_of_functions_are_missed_and_counted
else
	skip calls_by_handlers_of_functions_are_missed_and_counted "the guard of fprobe does not count"
fi
start -q -e "trace syscalls:sys_enter_getppid { s = kstack } trace probe:$walk { n += 1 }"
"$workload" getppid $n
missed=$(sed -n "s/^  probe:$walk hits=.*missed=\\([0-9]*\\) .*/\\1/p" "$tracefs/ktap/sessions")
stop
[ "${missed:-0}" -ge $n ]
result $? sessions_file_shows_misses
# also of lock_release, except for locks in the table of fprobes
if has lock:lock_release; then
	run -e "trace lock:lock_release /execname == 'workload'/ { s = kstack m += 1 }
trace probe:$walk { n += 1 } trace_end { print(m >= $n) }" -- "$workload" getppid $n
	missed=$(sed -n "s/^ktap: 'probe:$walk' missed \\([0-9]*\\) events$/\\1/p" "$tmp/err")
	[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = true ] && [ "${missed:-0}" -ge $n ]
	result $? so_are_those_of_lock_release
else
	skip so_are_those_of_lock_release "this kernel has no tracepoints of locks"
fi
# fprobe must not read its table while that is changed
if has lock:lock_release && grep -q ' fprobe_ip_table$' /proc/kallsyms; then
	run $all_of_it -e 'trace lock:lock_release { if (args.name == "rhashtable_bucket") { n += 1 } else { m += 1 } }
trace_end { print(n, m > 0) }' -- "$KTAP" -q -e 'trace probe:vfs_* { n += 1 }' -- "$workload" getppid 1
	missed=$(sed -n "s/^ktap: 'lock:lock_release' missed \\([0-9]*\\) events$/\\1/p" "$tmp/err")
	[ "$code" = 0 ] && [ "$(tail -n 1 "$tmp/out")" = "nil	true" ] &&
		[ "${missed:-0}" -ge "$(grep -c '^vfs_' "$list")" ]
	result $? locks_of_hash_tables_are_missed_and_counted
else
	skip locks_of_hash_tables_are_missed_and_counted "the locks of the table of fprobes are not traced"
fi

# all events at once, under load
seconds=180
start -e 'trace probe:* { s[probefunc] += 1 n += 1 } trace_end { print(n > 10000, len(s) > 200) }'
"$workload" fork "$(divided $((100 / tenth)))"
"$workload" write 13 "$(divided $((2000 / tenth)))"
stop
out all_entries_at_once 'true\ttrue\n'
matches "$tmp/err" "^ktap: skipped [0-9]+ functions of 'probe:\*' that cannot be traced$" '^ktap: total enabled [0-9]{4,} events$'
result $? skips_of_a_pattern_are_reported
start -q -e 'trace probe:*%return { s[probefunc] += 1 n += 1 } trace_end { print(n > 10000, len(s) > 200) }'
"$workload" fork "$(divided $((100 / tenth)))"
"$workload" write 13 "$(divided $((2000 / tenth)))"
stop
out all_returns_at_once 'true\ttrue\n'
# With all debugging checks of the kernel, patching would take hours, as the functions
# that do it are traced: there it is all entries, and of the other kinds the largest
# group.
if [ "$tenth" = 1 ]; then
	returns='*' functions='ftrace:function' events='*:*' profile=profile-1ms
else
	returns='*_lock' functions='ftrace:function /ip == *_lock/' events='sched:*, irq:*, timer:*' profile=profile-10ms
fi
start -q -e "trace probe:* { a += 1 } trace probe:$returns%return { b += 1 } trace $functions { c += 1 }
trace $events { d += 1 } $profile { e += 1 } trace_end { print(a > 1000, b > 1000, c > 1000, d > 100) }"
"$workload" fork "$(divided $((50 / tenth)))"
stop
out all_kinds_at_once 'true\ttrue\ttrue\ttrue\n'
wait_until no_sessions
# powerpc has one at the trampoline of kretprobes
is nothing_stays_attached "$(wc -l <"$tracefs/enabled_functions") $(grep -vc arch_rethook_trampoline /sys/kernel/debug/kprobes/list)" "0 0"
rounds=10
[ "$tenth" = 1 ] || rounds=3
kill_rounds $rounds 1500 'trace probe:* { s[probefunc] += 1 } trace probe:vfs_*%return { t[retval] += 1 }'
kill_rounds $rounds 500 "trace probe:$f { n += 1 } trace probe:$f%return { t[retval] += 1 }"
kill_rounds $rounds 500 'trace probe:*_lock* { s[kstack] += 1 } trace ftrace:function /ip == vfs*/ { n += 1 }'
wait_until no_sessions
is killed_tools_leave_no_probe "$(wc -l <"$tracefs/enabled_functions") $((hits > 0))" "0 1"
"$workload" fork 20
result $? machine_continues

refused unknown_function probe:vfs_wriet "^-e:2:7: error: no function 'vfs_wriet'" "did you mean 'vfs_write'"
# an address is no name, also one where a function begins
at=0x$(sed -n "s/^\([0-9a-f]*\) [Tt] $f\$/\1/p" /proc/kallsyms | head -n 1)
advice="write FUNCTION\\+OFFSET for an address; print\(ksym\($at\)\) shows it\$"
refused address_is_no_name "kprobe:$at" "^-e:2:7: error: no function '$at': $advice"
refused address_is_no_name_for_a_return "kretprobe:$at" "^-e:2:7: error: no function '$at': $advice"
run -q -e "print(ksym($at))"
out name_of_an_address_is_shown "$f\n"
refused pattern_without_match 'probe:no_such_*' "^-e:2:7: error: no function matches 'no_such_\*'"
refused ktap_itself probe:ktap_fire "^-e:2:7: error: function 'ktap_fire' cannot be traced: notrace"
if grep -qx preempt_count_sub "$tracefs/available_filter_functions"; then
	refused functions_called_by_fprobe probe:preempt_count_sub \
		"^-e:2:7: error: function 'preempt_count_sub' cannot be traced: fprobe itself calls it; ftrace:function can\$"
else
	skip functions_called_by_fprobe "fprobe calls no such function"
fi
if grep -qx __probestub_lock_release "$tracefs/available_filter_functions"; then
	refused functions_called_by_the_lock_of_fprobe rawtp:lock_release \
		"^-e:2:7: error: tracepoint 'lock_release' cannot be seen: fprobe itself calls it; its trace event, without 'rawtp:', can\$"
else
	skip functions_called_by_the_lock_of_fprobe "this kernel has no tracepoints of locks"
fi
refused function_alone vfs_read "^-e:2:7: error: no event 'vfs_read'" "did you mean 'probe:vfs_read'"
refused function_alone_misspelled vfs_raed "^-e:2:7: error: no event 'vfs_raed'" \
	"did you mean 'probe:vfs_read'"
for spelling in kfunc:=probe: fentry:=probe: kfunc:vmlinux:=probe: k:=kprobe: kretfunc:=kretprobe: \
	fexit:=kretprobe: kr:=kretprobe:; do
	refused "spelling_${spelling%%=*}" "${spelling%=*}vfs_read" "^-e:2:7: error: no event '" \
		"did you mean '${spelling#*=}vfs_read'"
done
for spelling in raw_tracepoint: rawtracepoint: rt:; do
	refused "spelling_$spelling" "${spelling}sched_switch" "^-e:2:7: error: no event '" \
		"did you mean 'rawtp:sched_switch'"
done
if grep -qx syscalls:sys_enter_openat "$tracefs/available_events"; then
	for name in openat syscalls:openat; do
		refused "system_call_$name" $name "^-e:2:7: error: no event '$name'" \
			"did you mean 'syscalls:sys_enter_openat'"
	done
else
	skip system_call_openat "this kernel has no events of system calls"
	skip system_call_syscalls:openat "this kernel has no events of system calls"
fi
refused offset_after_the_end "probe:$f+0x100000" "^-e:2:7: error: 'probe:$f\+0x100000': the function has [0-9]+ bytes"
refused offset_and_return "kretprobe:$f+4" "^-e:2:7: error: .* a return has no offset"
refused offset_and_pattern 'probe:vfs_*+4' "^-e:2:7: error: .* an offset needs the name of one function"
refused unknown_module probe:no_module:vfs_write "^-e:2:7: error: no function 'vfs_write' in a module 'no_module'"
# the module has no such function
! grep -q 'did you mean' "$tmp/err"
result $? only_existing_names_are_suggested
refused not_of_the_kernel_itself kprobe:vmlinux:vfs_writ \
	"^-e:2:7: error: no function 'vfs_writ' in 'vmlinux', the kernel without its modules" \
	"^note: did you mean 'vfs_write'[?]\$"
# places of functions that other ones have replaced have no name
twice=$(awk '!/^__ftrace_invalid_address__/ { print $1 }' "$list" | sort | uniq -d | head -n 1)
if [ -n "$twice" ]; then
	refused name_of_several_functions "probe:$twice" "^-e:2:7: error: [0-9]+ functions are called '$twice'"
else
	skip name_of_several_functions "each has its own"
fi

# The function graph tracer has at most 16 users. If fprobes do not use it, nothing is
# refused.
fill_graphs() {
	graphs=0
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		graph=$tracefs/instances/ktap_graph$i
		mkdir "$graph" && echo ksys_sync >"$graph/set_ftrace_filter" &&
			echo function_graph >"$graph/current_tracer" && graphs=$((graphs + 1))
	done 2>/dev/null
}
fill_graphs
if [ $graphs = 16 ] && grep -qw fprobe_fgraph_entry /proc/kallsyms; then
	refused no_room_for_returns probe:ksys_sync%return \
		"event 'probe:ksys_sync%return' cannot be attached: too many others wait for functions to return\$"
else
	skip no_room_for_returns "the function graph tracer could not be filled"
fi
rmdir "$tracefs"/instances/ktap_graph* 2>/dev/null
# two returns of a session are one user, to which other sessions add theirs
start -q -e 'trace probe:ksys_sync%return { } trace probe:vfs_fsync%return { }'
first=$tracer
fill_graphs
if [ $graphs = 15 ] && grep -qw fprobe_fgraph_entry /proc/kallsyms; then
	run -q -e "$return" -- "$workload" getppid $n
	out return_without_a_user_of_its_own "$n\n"
	run -q -e "trace probe:$f%return $mine { n[arg2] += 1 } trace_end { print(n[13]) }" -- "$workload" write 13 $n
	out return_with_arguments_without_a_user_of_its_own "$n\n"
else
	skip return_without_a_user_of_its_own "the function graph tracer could not be filled"
	skip return_with_arguments_without_a_user_of_its_own "the function graph tracer could not be filled"
fi
tracer=$first
stop
rmdir "$tracefs"/instances/ktap_graph* 2>/dev/null

echo 0 >/proc/sys/kernel/ftrace_enabled
refused tracing_is_switched_off "probe:$f" "^-e:2:7: error: 'probe:$f': sysctl kernel.ftrace_enabled is 0"
echo 1 >/proc/sys/kernel/ftrace_enabled

no_complaints kernel_did_not_complain
finish
