#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Calls of functions of the kernel: their results, in interpreted and native code; the
# permission to act, and the limit of messages in the log.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 22

only='/execname == "workload"/'
getppid="trace syscalls:sys_enter_getppid $only"

# Numbers that /proc has, too

run -q -e 'print(ffi.C.num_online_cpus())'
out cpus_that_are_online "$(grep -c '^processor' /proc/cpuinfo)\n"
run -q -e "print(ffi.C.totalram_pages() * $("$workload" page) / 1024)"
out memory_of_the_machine "$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)\n"
before=$(sed -n 's/^ctxt //p' /proc/stat)
run -q -e 'print(ffi.C.nr_context_switches())'
after=$(sed -n 's/^ctxt //p' /proc/stat)
n=$(cat "$tmp/out")
[ "$code" = 0 ] && [ "$before" -le "$n" ] && [ "$n" -le "$after" ]
result $? context_switches
before=$(date +%s)
run -q -e 'print(ffi.C.ktime_get_real_seconds())'
after=$(date +%s)
n=$(cat "$tmp/out")
[ "$code" = 0 ] && [ "$before" -le "$n" ] && [ "$n" -le "$after" ]
result $? wall_time
run -q -e 'print(ffi.C.nr_processes() > 1, ffi.C.nr_running() > 0, ffi.C.nr_free_pages() > 0,
	ffi.C.si_mem_available() > 0, ffi.C.si_mem_available() < ffi.C.totalram_pages())
print(ffi.C.cpu_online(0), ffi.C.cpu_online(-1), ffi.C.cpu_online(1 << 30), ffi.C.cpu_to_node(0) >= 0,
	ffi.C.raw_smp_processor_id() < ffi.C.num_possible_cpus())
print(ffi.C.jiffies_to_msecs(ffi.C.msecs_to_jiffies(1000)), ffi.C.int_sqrt64(10000), ffi.C.swab32(1))'
out numbers_of_the_machine 'true\ttrue\ttrue\ttrue\ttrue\ntrue\tfalse\tfalse\ttrue\ttrue\n1000\t100\t16777216\n'
run -e 'try { ffi.C.cpu_to_node(1 << 20) } catch (e) { print(e) }'
out missing_cpu_is_an_error 'cpu_to_node: there is no CPU 1048576\n'

# Handlers, interpreted and, where there is native code, native

script="$getppid { n += 1 bytes = ffi.C.swab16(0x1234) task = ffi.C.in_task()
	if (ffi.C.ktime_get_ns() <= 0) { wrong += 1 } }
trace_end { print(n, bytes, task, wrong || 0) }"
if [ -w "$tracefs/ktap/jit" ]; then
	was=$(cat "$tracefs/ktap/jit")
	for on in 0 1; do
		echo $on >"$tracefs/ktap/jit" 2>"$tmp/none" || on=unchanged
		run -q -e "$script" -- "$workload" getppid 1000
		out "handler_jit_$on" '1000\t13330\ttrue\t0\n'
	done
	echo "$was" >"$tracefs/ktap/jit"
else
	run -q -e "$script" -- "$workload" getppid 1000
	out handler_jit_0 '1000\t13330\ttrue\t0\n'
	skip handler_jit_1 "this kernel has no native code"
fi
run -q -e "trace profile-1000hz {
	if (ffi.C.in_hardirq() || ffi.C.in_nmi()) { n += 1 }
	if (ffi.C.in_task() || ffi.C.in_serving_softirq()) { others += 1 }
}
trace_end { print(n > 0, others || 0) }" -- "$workload" burn 20000
out interrupts_are_seen 'true\t0\n'

# Acting

not_loaded printk_needs_unsafe '^-e:1:7: error: printk can change the running system: to allow it, write ktap --unsafe' \
	-e 'ffi.C.printk("never")'
not_loaded dump_stack_needs_unsafe '^-e:1:[0-9]*: error: dump_stack can change the running system' \
	-e "$getppid { ffi.C.dump_stack() }"
not_loaded trace_printk_needs_unsafe '^-e:1:7: error: trace_printk can change the running system' \
	-e 'ffi.C.trace_printk("never")'
! dmesg | grep -q 'ktap: never'
result $? nothing_was_printed
# the text is no format, and sets no level
run -q --unsafe -e 'print(ffi.C.printk("marked %s%n\n") > 0) ffi.C.printk("\x013 marked level")'
out printk_gives_a_length 'true\n'
dmesg | grep -q 'ktap: marked %s%n$'
result $? printk_is_in_the_log
dmesg -r 2>"$tmp/none" | grep 'marked level' >"$tmp/line" || dmesg | grep 'marked level' >"$tmp/line"
! grep -q '^<3>' "$tmp/line" && [ -s "$tmp/line" ]
result $? printk_has_level_info
# more than the limit for any session
run -q --unsafe -e "$getppid { if (ffi.C.printk(\"flood\") > 0) { n += 1 } } trace_end { print(n || 0) }" \
	-- "$workload" getppid 1000
n=$(cat "$tmp/out")
[ "$code" = 0 ] && [ "$n" -lt 1000 ] && matches "$tmp/err" "did not log $((1000 - n)) messages of printk"
result $? messages_are_limited_and_counted
[ "$(dmesg | grep -c 'ktap: flood')" = "$n" ]
result $? log_has_those_that_were_not_dropped
# the window of the limit is over when a message is logged again
run -q --unsafe -e "tick-1s { if (ffi.C.printk(\"again\") > 0) { exit() } }"
[ "$code" = 0 ]
result $? limit_ends
run -q --unsafe -e "$getppid { ffi.C.dump_stack() }" -- "$workload" getppid 1
dmesg | grep -q 'ktap: CPU: [0-9]* PID: [0-9]* Comm: workload$' && dmesg | grep -q 'ktap:  .*+0x'
result $? stack_is_in_the_log
run -q --unsafe -e 'ffi.C.trace_printk("marked %d") ffi.C.trace_printk("") ffi.C.trace_printk("line\n")'
grep -q ': marked %d$' "$tracefs/trace" && grep -q ': line$' "$tracefs/trace"
result $? trace_printk_is_in_the_trace

# Lists

"$KTAP" -l 'ffi:*' >"$tmp/out" 2>"$tmp/err"
sed -n 's/^calls: //p' "$tracefs/ktap/features" | tr ' ' '\n' | sort >"$tmp/kernel"
sed 's/^ffi\.C: .*[ *]\([a-z0-9_]*\)(.*/\1/' "$tmp/out" | sort >"$tmp/tool"
cmp -s "$tmp/kernel" "$tmp/tool" && matches "$tmp/out" '^ffi\.C: u64 ktime_get_ns\(void\);$' \
	'^ffi\.C: int printk\(.*\); needs --unsafe$'
result $? all_functions_are_listed
finish
