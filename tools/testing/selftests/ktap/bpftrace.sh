#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Scripts of bpftrace: they run, and print what bpftrace prints.

. "$(dirname "$0")/lib.sh"
plan 24
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
	out calls_are_counted_by_program "@[workload]: $n\n@total: $n\n"
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
	out distributions_have_all_rows '@h:
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
	[ "$code" = 0 ] && matches "$tmp/out" '^@\[' "\\]: $n\$"
	result $? stacks_are_keys
	bt 't:syscalls:sys_enter_getppid { @a = avg(5); @b = min(7); @c[1] = max(9); @d[1, "x"] = sum(3); }
END { printf("%d %d %d %d %d\n", @a, @b, @c[1], @d[1, "x"], @d[2, "y"]); }' -- "$workload" getppid $n
	out aggregations_are_values '5 7 9 60 0\n@a: 5\n@b: 7\n@c[1]: 9\n@d[1, x]: 60\n'
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
	out functions_and_returns "@n: $n\n@r[13]: $n\n@size[vfs_write, 13]: $n\n"
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
else
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
out begin_end_and_parameters 'hello me 7 2\nbye\n'
bt 'BEGIN { printf("%d|%s|\n", $1, str($2)); exit(); }'
out missing_parameters_are_0_and_empty '0||\n'
bt 'interval:ms:20 { @n++; @m[@n % 3] = @n; if (@n == 6) { print(@m, 2); for ($kv : @m) { @sum += $kv.1; } exit(3); } }
END { clear(@m); }'
printf '@m[2]: 5\n@m[0]: 6\n@n: 6\n@sum: 15\n' >"$tmp/wanted"
[ "$code" = 3 ] && cmp -s "$tmp/wanted" "$tmp/out"
result $? loop_over_a_map_and_exit_code
bt 'BEGIN { @x["a"] = 3; @x["b"] = 1; @x["c"] = 2; $i = 0; while ($i < 3) { $i++; if ($i == 2) { continue; } printf("%d ", $i); }
	for ($j : 0..3) { printf("%d ", $j); } unroll(2) { printf("u "); } printf("\n"); delete(@x["c"]); exit(); }'
out maps_are_sorted_by_value '1 3 0 1 2 u u \n@x[b]: 1\n@x[a]: 3\n'
bt 'config = { print_maps_on_exit = 0 } BEGIN { @x = 1; $t = (1, "two"); print($t); printf("%s\n", $t.1); exit(); }'
out maps_may_be_silent '(1, two)\ntwo\n'
bt 'let @m = hash(1);
macro add(@to, key, n) { @to[key] += n; }
macro twice(x) { $y = x; $y * 2 }
BEGIN { $y = 5; add(@m, "a", twice($y)); add(@m, "b", 1); printf("%d %d\n", twice(3), $y);
	warnf("%d", cpu() < 0); print({ let $y = 1; $y + 1 }); exit(); }'
out macros_and_blocks_have_values '6 5\n-e:5:2: WARNING: 0\n2\n@m[a]: 10\n'

# errors have their place in the script
bt 'BEGIN { @x = 1; }
tracepoint:sched:no_such_event { @y = 1; }'
[ "$code" = 2 ] && matches "$tmp/err" '^-e:2:1: error: .*no_such_event'
result $? a_missing_event_has_its_place
bt 'tracepoint:sched:sched_switch {
	@[args.no_such_field] = count(); }'
[ "$code" = 2 ] && matches "$tmp/err" '^-e:2:[0-9]+: error: .*no_such_field' '^[[:space:]]+@\[args\.no_such_field\]'
result $? a_missing_field_has_its_place
bt 'BEGIN {
	@x = 5 / $1;
}'
[ "$code" = 1 ] && matches "$tmp/err" '^-e:2:[0-9]+: error: division by zero'
result $? a_run_time_error_has_its_place
bt 'BEGIN { system("date"); }'
[ "$code" = 2 ] && matches "$tmp/err" '^-e:1:9: error: system acts on the system: that needs ktap --unsafe'
result $? system_needs_unsafe
bt 'BEGIN { $x = reg("ip"); }'
[ "$code" = 2 ] && matches "$tmp/err" '^-e:1:14: error: reg\(\) is not supported' '^note: instead: '
result $? an_unsupported_function_has_advice
finish
