#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Scripts of bpftrace: they run, and print what bpftrace prints.

. "$(dirname "$0")/lib.sh"
plan 72
n=20

# bt SCRIPT ARGS...: run a script of bpftrace
bt() {
	script=$1
	shift
	run -q --bt -e "$script" "$@"
}

if has syscalls:sys_enter_getppid; then
	bt 'tracepoint:syscalls:sys_enter_getppid { @[comm] = count(); @total++; }' -- \
		"$workload" getppid $n
	out calls_are_counted_by_program "\n\n@[workload]: $n\n@total: $n\n"
	bt 'tracepoint:syscalls:sys_enter_getp* /comm == "workload" && probe != ""/ { @[probe] = count(); }' -- \
		"$workload" getppid $n
	matches "$tmp/out" "^@\\[tracepoint:syscalls:sys_enter_getppid\\]: $n\$"
	result $? probe_is_the_whole_name
	bt 't:syscalls:sys_enter_getppid { @start[tid] = nsecs; }
t:syscalls:sys_exit_getppid /@start[tid]/ {
	@ns = hist(nsecs - @start[tid]); @n++; delete(@start[tid]);
}
END { clear(@start); printf("%d\n", @n); clear(@n); }' -- "$workload" getppid $n
	[ "$code" = 0 ] && matches "$tmp/out" "^$n\$" '^@ns:$' '^\[[0-9]+[KM]?, [0-9]+[KM]?\) +[0-9]+ \|@{52}\|$' &&
		! grep -q -e '@start' -e '@n:' "$tmp/out" &&
		[ "$(awk '/^\[/ { n += $3 } END { print n }' "$tmp/out")" = $n ]
	result $? a_latency_is_a_distribution
	# a file selects the language by its name
	echo 'tracepoint:raw_syscalls:sys_enter /comm == "workload"/ { @calls = count(); }' >"$tmp/calls.bt"
	run -q "$tmp/calls.bt" -- "$workload" getppid $n
	[ "$code" = 0 ] && [ "$(sed -n 's/^@calls: //p' "$tmp/out")" -ge $n ]
	result $? a_file_is_known_by_its_name
	"$KTAPC" --bt -o "$tmp/count.ktap" -e 'tracepoint:syscalls:sys_enter_getppid { @ = count(); }'
	run -q "$tmp/count.ktap" -- "$workload" getppid $n
	out a_chunk_is_an_ordinary_one "@: $n\n"
	# many values: each is in its row
	bt 't:syscalls:sys_enter_getppid { $i = @i; @h = hist($i); @k[comm] = lhist($i, 5, 15, 5); @s[comm] = stats($i); @i++; }
END { clear(@i); }' -- "$workload" getppid $n
	out distributions_have_all_rows '

@h:
[0]                    1 |@@@@@@                                              |
[1]                    1 |@@@@@@                                              |
[2, 4)                 2 |@@@@@@@@@@@@@                                       |
[4, 8)                 4 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
[8, 16)                8 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
[16, 32)               4 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |

@k[workload]:
(..., 5)               5 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
[5, 10)                5 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
[10, 15)               5 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
[15, ...)              5 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|

@s[workload]: { .count = 20, .average = 9, .total = 190 }
'
	bt 't:syscalls:sys_enter_getppid { @[kstack(2)] = count(); @u[ustack(2)] = count(); }' -- \
		"$workload" getppid $n
	[ "$code" = 0 ] && matches "$tmp/out" '^@\[$' "^\\]: $n\$"
	result $? stacks_are_keys
	bt 't:syscalls:sys_enter_getppid { @a = avg(5); @b = min(7); @c[1] = max(9); @d[1, "x"] = sum(3); }
END { printf("%d %d %d %d %d\n", @a, @b, @c[1], @d[1, "x"], @d[2, "y"]); }' -- "$workload" getppid $n
	out aggregations_are_values '5 7 9 60 0\n\n\n@a: 5\n@b: 7\n@c[1]: 9\n@d[1, x]: 60\n'
else
	for name in calls_are_counted_by_program probe_is_the_whole_name a_latency_is_a_distribution \
		a_file_is_known_by_its_name a_chunk_is_an_ordinary_one distributions_have_all_rows \
		stacks_are_keys aggregations_are_values; do
		skip $name "this kernel has no events of system calls"
	done
fi

f=$(call_function write)
if has functions && [ -n "$f" ]; then
	bt 'kprobe:vfs_write /comm == "workload" && arg2 == 13/ { @n++; @size[func, arg2] = count(); }
kretprobe:vfs_write /comm == "workload" && retval == 13/ { @r[retval]++ }' -- "$workload" write 13 $n
	out functions_and_returns "\n\n@n: $n\n@r[13]: $n\n@size[vfs_write, 13]: $n\n"
	bt 'kprobe:$1 /comm == "workload"/ { @[probe, $2]++ }' "$f" 5 -- "$workload" write 13 $n
	[ "$code" = 0 ] && matches "$tmp/out" "^@\\[kprobe:$f, 5\\]: [0-9]+\$"
	result $? an_event_may_be_a_parameter
	bt 'k:vfs_write, kr:vfs_write /comm == "workload"/ { @[(int8)@n]++; @n += 300; exit(7); } END { clear(@); clear(@n); printf("end\n"); }' -- \
		"$workload" write 13 $n
	[ "$code" = 7 ] && [ "$(cat "$tmp/out")" = end ]
	result $? exit_has_a_code
else
	for name in functions_and_returns an_event_may_be_a_parameter exit_has_a_code; do
		skip $name "functions of this kernel cannot be traced"
	done
fi
if has functions && [ -e /sys/kernel/btf/vmlinux ]; then
	bt 'fentry:vfs_write /comm == "workload" && args.count == 13/ { @[args->count] = count(); @p[args.pos == 0] = count(); }
fexit:vfs_write /comm == "workload"/ { @r[retval == args.count] = count(); }' -- "$workload" write 13 $n
	matches "$tmp/out" "^@\\[13\\]: $n\$" "^@p\\[(true|false)\\]: $n\$" "^@r\\[true\\]: [0-9]+\$"
	result $? parameters_have_names
	bt 'fentry:vfs_write /comm == "workload"/ { print(args); @ = args; @m[args] = 1; print(@.count); exit(); }' -- \
		"$workload" write 13 1
	record='\{ \.file = 0x[0-9a-f]+, \.buf = 0x[0-9a-f]+, \.count = 13, \.pos = 0x[0-9a-f]+ \}'
	matches "$tmp/out" "^$record\$" '^13$' "^@: $record\$" "^@m\\[$record\\]: 1\$"
	result $? parameters_are_a_value
	bt 'fexit:vfs_write, t:syscalls:sys_enter_write /comm == "workload"/ { print(args); if (@n++) { exit(); } }
rawtracepoint:sys_enter { @raw = args; }' -- "$workload" write 13 2
	matches "$tmp/out" "^$record\$" '^@raw: \{ \.regs = 0x[0-9a-f]+, \.id = [0-9]+ \}$' \
		'^\{ \.__syscall_nr = [0-9]+, \.fd = [0-9]+, \.buf = 0x[0-9a-f]+, \.count = 13(, .*)? \}$'
	result $? arguments_of_other_events_are_a_value
else
	skip parameters_are_a_value "this kernel has no types"
	skip arguments_of_other_events_are_a_value "this kernel has no types"
	skip parameters_have_names "this kernel has no types"
fi
if has profiles; then
	bt 'profile:hz:99 { @[cpu] = count(); @u[ustack] = count(); } interval:ms:500 { @ticks++; if (@ticks == 2) { exit(); } }'
	[ "$code" = 0 ] && matches "$tmp/out" '^@ticks: 2$'
	result $? profiles_run
else
	skip profiles_run "this kernel has no profiles"
fi

bt 'BEGIN { printf("hello %s %d %d\n", str($1), $2, $#); } END { printf("bye\n"); } interval:ms:10 { exit(); }' me 7
out begin_end_and_parameters 'hello me 7 2\nbye\n\n\n'
bt 'BEGIN { printf("%d|%s|\n", $1, str($2)); exit(); }'
out missing_parameters_are_0_and_empty '0||\n\n\n'
bt 'interval:ms:20 { @n++; @m[@n % 3] = @n; if (@n == 6) { print(@m, 2); for ($kv : @m) { @sum += $kv.1; } exit(3); } }
END { clear(@m); }'
printf '@m[2]: 5\n@m[0]: 6\n\n\n@n: 6\n@sum: 15\n' >"$tmp/wanted"
[ "$code" = 3 ] && cmp -s "$tmp/wanted" "$tmp/out"
result $? loop_over_a_map_and_exit_code
bt 'BEGIN { @x["a"] = 3; @x["b"] = 1; @x["c"] = 2; $i = 0; while ($i < 3) { $i++; if ($i == 2) { continue; } printf("%d ", $i); }
	for ($j : 0..3) { printf("%d ", $j); } unroll(2) { printf("u "); } printf("\n"); delete(@x["c"]); exit(); }'
out maps_are_sorted_by_value '1 3 0 1 2 u u \n\n\n@x[b]: 1\n@x[a]: 3\n'
bt 'config = { print_maps_on_exit = 0 } BEGIN { @x = 1; $t = (1, "two"); print($t); printf("%s\n", $t.1); exit(); }'
out maps_may_be_silent '(1, two)\ntwo\n\n\n'
bt 'let @m = hash(1);
macro add(@to, key, n) { @to[key] += n; }
macro twice(x) { $y = x; $y * 2 }
BEGIN { $y = 5; add(@m, "a", twice($y)); add(@m, "b", 1); printf("%d %d\n", twice(3), $y);
	warnf("%d", cpu() < 0); print({ let $y = 1; $y + 1 }); exit(); }'
out macros_and_blocks_have_values '6 5\nstdin:5:2-24: WARNING: 0\n2\n\n\n@m[a]: 10\n'

bt 'enum Colour { RED = 1, GREEN };
BEGIN {
	$t = (1, ("two", RED)); print($t); print($t.1.0); @t[$t] = (GREEN, $t); @e[RED] = GREEN; print(@t[$t].1.1);
	for ($kv : @t) { print($kv.0.1.0); delete(@t, $kv.0); print(len(@t)); }
	$r = (a=1, b=(2, true)); print($r); print((int8[4])0x04030201); printf("%s %hhx %r\n", GREEN, 0x1234, buf("a\0", 2));
	print(((int8[])"abc")[1]); print("abc"[2]); $i = 5; while ($i-- > 3) { printf("%d ", $i); } print(sizeof($r)); exit();
}'
out values_of_several_parts '(1, (two, RED))
two
(two, RED)
two
0
{ .a = 1, .b = (2, true) }
[1,2,3,4]
GREEN 34 a\\x00
98
99
4 3 3


@e[RED]: GREEN
'
bt 'struct Uts { char name[6]; uint8_t more[3]; };
BEGIN { $u = (struct Uts *)kaddr("linux_banner"); print(*$u); @u = *$u; @k[$u.name, $u.more] = $u.more; exit(); }'
out structures_are_copied '{ .name = Linux , .more = [118,101,114] }


@k[Linux , [118,101,114]]: [118,101,114]
@u: { .name = Linux , .more = [118,101,114] }
'
bt 'let @old = lruhash(2);
BEGIN { @old[1] = 1; @old[2] = 2; @old[3] = 3; @p = (int32 *)16; @p += 2; if (delete(@old, 2)) { print(delete(@old, 2)); }
	$n = 13; print(strerror(2)); print(strerror($n)); print(bswap((uint16)0x1234)); print(ntop(2, pton("10.1.2.3"))); print(strncmp("ab", "ac", 1)); exit(); }'
out functions_of_the_standard_library 'false
No such file or directory
Permission denied
13330
10.1.2.3
0


@old[3]: 3
@p: 0x18
'
run -q --bt -f json -e 'BEGIN { @m["a \"b\"", 2] = (1, "x"); @h = hist(3); @h = hist(16); @s = stats(4); printf("hi\n"); print((true, -1)); print(@s); exit(); }'
out json_is_that_of_bpftrace '{"type": "printf", "data": "hi\\n"}
{"type": "value", "data": [true,-1]}
{"type": "stats", "data": {"@s": {"count": 1, "average": 4, "total": 4}}}
{"type": "hist", "data": {"@h": [{"min": 2, "max": 3, "count": 1},{"min": 4, "max": 7, "count": 0},{"min": 8, "max": 15, "count": 0},{"min": 16, "max": 31, "count": 1}]}}
{"type": "map", "data": {"@m": {"a \\"b\\",2": [1,"x"]}}}
{"type": "stats", "data": {"@s": {"count": 1, "average": 4, "total": 4}}}
'
run --bt -e 'BEGIN { exit(); } interval:s:1 { } END { }'
[ "$code" = 0 ] && matches "$tmp/err" '^Attached 3 probes$'
result $? attached_probes_are_counted
run --bt -f json -e 'BEGIN { exit(); }'
matches "$tmp/out" '^[{]"type": "attached_probes", "count": 1, "data": [{]"probes": 1[}][}]$'
result $? attached_probes_are_counted_in_json
echo 'i:ms:5 { } s:cpu:10 { }' >"$tmp/events.bt"
run --bt -l "$tmp/events.bt"
out events_of_a_script_are_listed 'interval:ms:\nsoftware:cpu:\n'
run --bt -l 't:raw_syscalls:*,interval:s'
matches "$tmp/out" '^interval:s:$'
result $? events_have_the_names_of_bpftrace
run --bt -l 'nothing:*'
[ "$code" = 1 ] && matches "$tmp/err" "'nothing' is no kind of event of bpftrace"
result $? an_unknown_kind_is_reported

bt 'BEGIN { printf("%d %d\n", 7 / $1, 7 % $1); exit(); }'
text='This can lead to unexpected results. 1 is being used as the result.'
out what_is_divided_by_zero_is_1 "stdin:1:29: WARNING: Divide or modulo by 0 detected. $text
stdin:1:37: WARNING: Divide or modulo by 0 detected. $text
1 1


"
bt 'BEGIN { $old = nsecs; printf("%d %d %d %s\n", nsecs(boot) >= $old, nsecs(tai) > $old, -EPERM, username); exit(); }'
matches "$tmp/out" "^1 1 -1 [^ ]+\$"
result $? clocks_errors_and_users_have_names

run -q -w --bt -e 'BEGIN { warnf("a"); warnf("b"); errorf("c"); exit(); }'
out warnings_of_a_script_can_be_silenced 'stdin:1:33-44: ERROR: c\n\n\n'

# intervals of a clock that the test sets
cat >"$tmp/series.bt" <<'END'
BEGIN { @t = 100ms; $i = 0; while ($i < 4) { @["a"] = tseries($i - 1, 100ms, 3, "sum"); @t += 100ms; $i++; }
	@n = tseries(7, 1s, 9); @t += 1s; @n = tseries(9, 1s, 9); clear(@t); exit(); }
END
BPFTRACE_DUMMY_TS_MAP=@t run -q "$tmp/series.bt"
out a_series_is_a_graph '

@[a]:
             0                                                   2
hh:mm:ss.ms  |___________________________________________________|
00:00:00.200 *                                                   | 0
00:00:00.300 |                         *                         | 1
00:00:00.400 |                                                   * 2
             v___________________________________________________v
             0                                                   2

@n:
         7                                                   9
hh:mm:ss |___________________________________________________|
00:00:00 *                                                   | 7
00:00:01 |                                                   * 9
         v___________________________________________________v
         7                                                   9

'
BPFTRACE_DUMMY_TS_MAP=@t run -q -f json "$tmp/series.bt"
out a_series_in_json '{"type": "tseries", "data": {"@": {"a": [{"interval_start": "1970-01-01 00:00:00.200000000", "value": 0},{"interval_start": "1970-01-01 00:00:00.300000000", "value": 1},{"interval_start": "1970-01-01 00:00:00.400000000", "value": 2}]}}}
{"type": "tseries", "data": {"@n": [{"interval_start": "1970-01-01 00:00:00.000000000", "value": 7},{"interval_start": "1970-01-01 00:00:01.000000000", "value": 9}]}}
'
bt 'BEGIN { @ = tseries(3, 100ms, 5); exit(); }'
matches "$tmp/out" '^[0-9:.]{12} \|.*\* .*\| 3$'
result $? a_series_has_the_time

if has rawtp; then
	bt 'rawtracepoint:sys_enter /comm == "workload" && arg1 == __NR_getppid/ { @ = count(); }' -- \
		"$workload" getppid $n
	out a_system_call_has_its_number "\n\n@: $n\n"
	bt 'BEGIN { print(SYS_no_such_call); }'
	[ "$code" = 1 ] && matches "$tmp/out" \
		"^stdin:1:15: ERROR: there is no system call 'no_such_call'\$"
	result $? a_missing_system_call_ends_the_script
else
	skip a_system_call_has_its_number "this kernel has no raw tracepoints"
	skip a_missing_system_call_ends_the_script "this kernel has no raw tracepoints"
fi
if has syscalls:sys_enter_execve && [ "$half" = 32 ]; then
	bt 't:syscalls:sys_enter_execve { join(args.argv, ", "); }' -- \
		sh -c '"$0" getppid 1; :' "$workload"
	[ "$code" = 0 ] && matches "$tmp/out" '/workload, getppid, 1$'
	result $? strings_are_joined_by_a_text
else
	skip strings_are_joined_by_a_text "this kernel has no events of system calls, or addresses of 32 bits"
fi

# what does not exist, or is left out
bt 'config = { missing_probes = "warn" }
t:sched:no_such_event { exit(); } kprobe:no_such_function, interval:ms:10 { exit(); }'
[ "$code" = 0 ] && matches "$tmp/err" '^stdin:2:1: WARNING: No matches for tracepoint sched:no_such_event. Skipping.$' \
	'WARNING: No matches for kprobe no_such_function. Skipping.$' \
	'WARNING: no_such_function is not traceable ' 'WARNING: Probe has no valid attach points.'
result $? missing_events_may_be_skipped
bt 'config = { missing_probes = "ignore" } t:sched:no_such_event { exit(); }'
[ "$code" = 2 ] && [ "$(cat "$tmp/err")" = 'No probes to attach' ]
result $? a_script_without_events_has_nothing_to_attach
bt 'interval:ms:10, kprobe:no_such_function* { exit(); }'
[ "$code" = 0 ] && [ ! -s "$tmp/err" ]
result $? a_pattern_may_match_nothing_beside_other_events
run -q --bt --probe-filter ':2' -e 'BEGIN { printf("begin\n"); } i:ms:10 { printf("10\n"); } i:ms:20 { printf("20\n"); exit(); }'
out events_are_left_out_by_a_filter 'begin\n20\n\n\n'
bt 'let @m = hash(1); BEGIN { @m[1] = 1; @m[2] = 1; exit(); }'
matches "$tmp/err" "^WARNING: Map full; can't update element\."
result $? a_full_map_is_reported

frames() {
	bt "config = { stack_mode = $1 } uprobe:$target:add { @[ustack(1)] = count(); }" -- \
		"$target" add $n
}

target=$(readlink -f "$here/utarget")
if has programs && has user_files; then
	frames bpftrace
	matches "$tmp/out" '^ +add\+0$' '^\]: 20$'
	result $? a_frame_is_a_name
	frames perf
	matches "$tmp/out" '^ +[0-9a-f]+ add\+0 \(/.*/utarget\)$' '^\]: 20$'
	result $? a_frame_has_its_address_and_file
	frames raw
	matches "$tmp/out" '^[0-9a-f]+$'
	result $? a_frame_is_an_address
	frames build_id
	matches "$tmp/out" '^([0-9a-f]+ |.*/utarget\+)0x[0-9a-f]+$'
	result $? a_frame_has_the_identifier_of_its_file
	bt "uprobe:$target:add {
	print(ustack(perf, 1)); printf(\"%s-%s-\", ustack(raw, 1), ustack(1)); print((1, ustack(build_id, 1)));
	@perf[ustack(perf, 1)] = 1; @name = ustack(1); exit();
}
END { @raw[ustack(raw, 1)] = 1; print(@name); clear(@name); }" -- "$target" add 1
	perf='[0-9a-f]+ add\+0 \(/.*/utarget\)'
	[ "$code" = 0 ] && [ "$(grep -cE "^ +$perf\$" "$tmp/out")" = 2 ] &&
		[ "$(grep -cE '^ +add\+0$' "$tmp/out")" = 2 ] &&
		[ "$(grep -cE '^[0-9a-f]+$' "$tmp/out")" = 1 ] &&
		[ "$(grep -cE '^([0-9a-f]+ |.*/utarget\+)0x[0-9a-f]+\)$' "$tmp/out")" = 1 ] &&
		! grep -q "$(printf '[\036\037]')" "$tmp/out"
	result $? each_stack_has_its_own_format
else
	for name in a_frame_is_a_name a_frame_has_its_address_and_file a_frame_is_an_address \
		a_frame_has_the_identifier_of_its_file each_stack_has_its_own_format; do
		skip $name "this kernel has no events of programs, or does not find the files of frames"
	done
fi

# what the program ktap knows: the command, signals to itself, options and arguments
if has syscalls:sys_enter_getppid; then
	bt 't:syscalls:sys_enter_getppid /pid == cpid/ { @++; }' -- "$workload" getppid $n
	out the_process_of_the_command_is_known "\n\n@: $n\n"
else
	skip the_process_of_the_command_is_known "this kernel has no events of system calls"
fi
# under the name bpftrace, with its options; -c limits only what belongs to a process
ln -sf "$(command -v "$KTAP")" "$tmp/bpftrace"
named() {
	code=0
	timeout -s KILL "${seconds:-60}" "$tmp/bpftrace" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
}
named -e 'BEGIN { printf("%d %s %d\n", $1, getopt("name", "none"), getopt("flag")); exit(); }' 7 -q -- --name=x --flag
out the_name_bpftrace_has_its_options '7 x 1\n\n\n'
if has syscalls:sys_enter_getppid; then
	# each run of the program has page faults and system calls
	(while :; do "$workload" getppid 100; done) &
	other=$!
	named -q -c "sleep 1" -e 't:syscalls:sys_enter_getppid { @[pid == cpid] = count(); }
		software:page-faults:1 { @faults[pid == cpid] = count(); }'
	kill $other
	wait $other 2>/dev/null
	[ "$code" = 0 ] && matches "$tmp/out" '^@\[false\]: [1-9][0-9]*$' '^@faults\[true\]: [1-9]' &&
		! grep -q '^@faults\[false\]' "$tmp/out"
	result $? a_command_limits_only_what_belongs_to_a_process
else
	skip a_command_limits_only_what_belongs_to_a_process "this kernel has no events of system calls"
fi
if has signal:signal_generate; then
	bt 'self:signal:SIGUSR1 { @[comm] = count(); exit(); }' -- \
		sh -c 'kill -USR1 $PPID; sleep 30'
	[ "$code" = 0 ] && matches "$tmp/out" '^@\[sh\]: 1$'
	result $? a_signal_to_ktap_is_an_event
else
	skip a_signal_to_ktap_is_an_event "this kernel has no events of signals"
fi
bt 'BEGIN { print(kaddr("no_such_symbol")); exit(); }'
[ "$code" = 1 ] && matches "$tmp/out" \
	'^stdin:1:15-38: ERROR: Failed to resolve kernel symbol: no_such_symbol$' \
	'^              ~~~~~~~~~~~~~~~~~~~~~~~$' && ! grep -q nil "$tmp/out"
result $? a_missing_symbol_ends_the_script
bt 'struct s { int x[4]; } BEGIN { $i = 4; $s = (struct s *)curtask; $v = $s.x[$i];
	printf("%d\n", $v == $s.x[0]); exit(); }'
[ "$code" = 0 ] && matches "$tmp/out" '^stdin:1:[0-9]+: WARNING: Array access out of bounds' '^1$'
result $? an_index_out_of_bounds_is_that_of_the_first
if [ -e /sys/kernel/btf/vmlinux ]; then
	bt 'BEGIN { $f = curtask.fs; $a = (uint64)$f - 8; printf("%d %d\n", $a + 8 == (uint64)curtask.fs, (uint32)$f == (uint32)(uint64)$f); exit(); }'
	out a_pointer_may_be_cast_to_a_number '1 1\n\n\n'
else
	skip a_pointer_may_be_cast_to_a_number "this kernel has no types"
fi
if [ -e /sys/kernel/btf/vmlinux ] && has syscalls:sys_enter_clock_nanosleep; then
	bt 't:syscalls:sys_enter_clock_nanosleep /comm == "workload"/ { $t = args.rqtp; @[$t.tv_nsec] = count(); }' -- \
		"$workload" nap 2 5
	out an_argument_has_the_members_of_its_type '\n\n@[2000000]: 5\n'
else
	skip an_argument_has_the_members_of_its_type "this kernel has no types or events of system calls"
fi
if [ -e /sys/kernel/btf/vmlinux ] && has functions && [ -n "$(call_function write)" ] &&
	"$workload" connect 1 1 >"$tmp/port"; then
	bt 'kprobe:tcp_connect /comm == "workload"/ {
	$c = ((struct sock *)arg0).__sk_common; $port = $c.skc_dport;
	printf("to %s %d %d\n", ntop($c.skc_daddr), bswap($port), sizeof($port)); }' -- \
		"$workload" connect 1 1
	port=$(grep -x '[0-9]*' "$tmp/out" | head -n 1)
	[ "$code" = 0 ] && matches "$tmp/out" "^to 127\.0\.0\.1 $port 2\$"
	result $? a_member_has_its_width
else
	skip a_member_has_its_width "this kernel has no types, functions or connections"
fi
options='BEGIN { print((getopt("size", 10, "bytes"), getopt("all"))); exit(); }'
echo "$options" >"$tmp/options.bt"
run -q "$tmp/options.bt" --size=0xffffffffffffffff --all=True
big=$(cat "$tmp/out")
run -q "$tmp/options.bt" --sizes --any=1
matches "$tmp/err" '^ERROR: unexpected program command line options: --sizes, --any$' \
	'^HINT: expected program options: --size, --all$'
result $? unknown_options_are_named
code_unknown=$code
run -q "$tmp/options.bt" --size=ten
[ "$big" = "(18446744073709551615, true)" ] && [ "$code_unknown" = 2 ] && [ "$code" = 2 ] &&
	matches "$tmp/err" '^ERROR: program command line option --size invalid integer \(value: ten\)$'
result $? an_option_has_a_type
run -q --bt -e '$1 { print("tick"); exit(); }' interval:ms:1
out the_kind_of_an_event_is_an_argument 'tick\n\n\n'
if [ -e /sys/kernel/btf/vmlinux ]; then
	run --bt -lv 'struct list_head'
	out structures_are_listed 'vmlinux: struct list_head {
	struct list_head *next;
	struct list_head *prev;
};
'
else
	skip structures_are_listed "this kernel has no types"
fi

run -q --bt -e 'BEGIN { $jiffies = kaddr("jiffies"); @later = *$jiffies > 1000; exit(); }'
out an_address_is_read_as_a_number '\n\n@later: true\n'
run -q --bt -e 'tracepoint:raw_syscalls:sys_enter /pid == cpid/ { @[syscall_name(args.id)] = count(); }
	BEGIN { printf("%s\n", syscall_name(-5)); }' -- "$workload" getppid $n
matches "$tmp/out" '^unknown system call$' "^@\[getppid\]: $n\$"
result $? numbers_of_system_calls_have_names

# word N: the four bytes of a number, for printf
word() {
	printf '\\%03o' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255))
}

# A file of types with three enumerations; "a", "b" and "c" are at 1, 3 and 5 of its strings.
# Kind 6 has numbers of 32 bits, 19 of 64; bit 31: they are signed.
types() {
	printf '\237\353\001\000'
	printf "$(for n in 24 0 64 64 7 \
		1 $((6 << 24 | 1)) 4 1 $((1 << 31)) \
		3 $((6 << 24 | 1 << 31 | 1)) 4 3 -2 \
		5 $((19 << 24 | 1)) 8 5 7 $((1 << 31)); do word "$n"; done)"
	printf '\000a\000b\000c\000'
}
if [ -e /sys/kernel/btf/vmlinux ] && [ "$(printf '\001\000' | od -An -td2 | tr -d ' ')" = 1 ]; then
	mkdir "$tmp/btf"
	types >"$tmp/btf/vmlinux"
	mount -o bind "$tmp/btf" /sys/kernel/btf
	run --bt -lv 'enum *'
	umount /sys/kernel/btf
	out enumerators_of_all_sizes_are_listed 'vmlinux: enum a {
	a = 2147483648,
};
vmlinux: enum b {
	b = -2,
};
vmlinux: enum c {
	c = 9223372036854775815,
};
'
else
	skip enumerators_of_all_sizes_are_listed "the file of the test is of another byte order, or this kernel has no types"
fi

# errors have their place in the script
bt 'BEGIN { @x = 1; }
tracepoint:sched:no_such_event { @y = 1; }'
[ "$code" = 2 ] && matches "$tmp/err" '^stdin:2:1: ERROR: No matches for tracepoint sched:no_such_event\.$'
result $? a_missing_event_has_its_place
if has functions; then
	at=0x$(sed -n 's/^\([0-9a-f]*\) T vfs_read$/\1/p' /proc/kallsyms)
	bt "BEGIN { @x = 1; }
kprobe:$at { @y = 1; }"
	[ "$code" = 2 ] && matches "$tmp/err" '^stdin:2:1: ERROR: Unable to attach probe: kprobe:[0-9]+\.$' \
		"^note: kprobe:FUNCTION\+OFFSET, which ktap -e 'print\(ksym\($at\)\)' shows\$"
	result $? an_address_is_no_function
else
	skip an_address_is_no_function "this kernel has no functions"
fi
bt 'tracepoint:sched:sched_switch {
	@[args.no_such_field] = count(); }'
[ "$code" = 2 ] && matches "$tmp/err" '^-e:2:[0-9]+: error: .*no_such_field' '^[[:space:]]+@\[args\.no_such_field\]'
result $? a_missing_field_has_its_place
bt 'BEGIN {
	@x = 5; @x /= $1;
}'
[ "$code" = 1 ] && matches "$tmp/err" '^-e:2:[0-9]+: error: division by zero'
result $? a_run_time_error_has_its_place
bt 'BEGIN { system("date"); }'
[ "$code" = 2 ] && matches "$tmp/err" '^-e:1:9: error: system can change the running system: to allow it, write ktap --unsafe'
result $? system_needs_unsafe
if [ "$(uname -m)" = x86_64 ]; then
	bt 'kprobe:vfs_read { printf("%s %d\n", ksym(reg("ip")), reg("di") == arg0); exit(); }' -- "$workload" read 16 1
	[ "$code" = 0 ] && matches "$tmp/out" '^vfs_read 1$'
	result $? registers_and_names_without_offsets
else
	skip registers_and_names_without_offsets "the names of registers are those of x86-64"
fi
bt 'BEGIN { $x = uaddr("x"); }'
[ "$code" = 2 ] && matches "$tmp/err" '^stdin:1:14: ERROR: uaddr\(\) is not supported' '^note: instead: '
result $? an_unsupported_function_has_advice
finish
