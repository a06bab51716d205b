#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Watches on memory of the kernel and of programs, by hardware breakpoints; and the registers
# of events.

. "$(dirname "$0")/lib.sh"
needs watches
plan 38

n=200
sysctl=/proc/sys/kernel/panic	# the int panic_timeout
was=$(cat $sysctl)
variable=0x$(awk '$3 == "panic_timeout" { print $1 }' /proc/kallsyms)

# write_it N, read_it N: write the variable, or read it
write_it() {
	i=0
	while [ $i -lt "$1" ]; do
		echo "$was" >$sysctl
		i=$((i + 1))
	done
}
read_it() {
	i=0
	while [ $i -lt "$1" ]; do
		read -r line <$sysctl
		i=$((i + 1))
	done
	: "$line"
}
mine="tid == $$"

# the kernel's memory
start -q -e "trace watch:panic_timeout:4:w /$mine/ { n += 1 } trace_end { print(n) }"
write_it $n
read_it 10
stop
out writes_are_counted "$n\n"
start -q -e "trace watch:panic_timeout:4:rw /$mine/ { n += 1 } trace_end { print(n) }"
read_it $n
stop
[ "$(cat "$tmp/out")" -ge $n ]
result $? reads_are_counted
start -q -e "trace watch:$variable:4 /$mine/ { n += 1 } trace_end { print(n) }"
write_it 7
stop
out address_and_default_mode '7\n'
start -q -e "trace watch:panic_timeout+2:2 /$mine/ { n += 1 } trace_end { print(n) }"
write_it 7
stop
out part_of_a_variable '7\n'
start -q -e "trace watch:panic_timeout:4 /$mine/ {
	n[args.addr == $variable, probename, args.ip == ipof(kstack(1)), execname == \"$(cat /proc/$$/comm)\"] += 1
} trace_end { print(n) }"
write_it 7
stop
out fields_of_a_watch 'true, watch:panic_timeout:4, true, true: 7\n'
start -q -e "trace watch:panic_timeout:4 /$mine/ { n[kstack(20)] += 1 } trace_end { print(n) }"
write_it 7
stop
sed -n 2p "$tmp/out" >"$tmp/err"
matches "$tmp/out" 'proc_sys_call_handler' 'vfs_write' && ! grep -qE 'ktap|perf_|exc_debug|asm_exc' "$tmp/out"
result $? stack_begins_at_the_access
start -q -e "trace watch:panic_timeout:4 { n[cpu] += 1 } trace_end { print(len(n)) }"
# shellcheck disable=SC2016 # of the inner shell
"$workload" cpus "$cpus" as 0 sh -c 'echo $1 >$0' $sysctl "$was"
stop
out each_cpu_watches "$cpus\n"
other=/proc/sys/kernel/panic_on_oops
start -q -e "trace watch:panic_timeout:4, watch:panic_on_oops:4 /$mine/ { n[probename] += 1 }
trace_end { print(n) }"
write_it 3
read -r line <$other
echo "$line" >$other
stop
out two_watches 'watch:panic_on_oops:4: 1\nwatch:panic_timeout:4: 3\n'
start -q -e "trace watch:panic_timeout:4:rw /$mine/ { n += 1 v = \`panic_timeout\` }
trace_end { print(n > 0, v == $was) }"
write_it 3
stop
out handler_may_touch_what_it_watches 'true\ttrue\n'
is and_causes_no_event "$(cat "$tmp/err")" ""
run -q -e 'trace watch:jiffies { n += 1 s[kstack(2)] += 1 } tick-500ms { exit() } trace_end { print(n > 0, len(s) > 0) }'
out jiffies_change 'true\ttrue\n'
if has functions; then
	run -q -e 'trace watch:__do_sys_getppid:8:x /execname == "workload"/ { n += 1 } trace_end { print(n) }' \
		-- "$workload" getppid $n
	if [ "$code" = 0 ]; then
		out execution_is_counted "$n\n"
	else
		run -q -e 'trace watch:__x64_sys_getppid:8:x /execname == "workload"/ { n += 1 } trace_end { print(n) }' \
			-- "$workload" getppid $n
		out execution_is_counted "$n\n"
	fi
else
	skip execution_is_counted "this kernel has no list of functions"
fi

# ktap's own work: events in it are missed or not its own, and nothing stops
run -q -e 'trace watch:ktap_inside:8:w { n += 1 } tick-100ms { exit() }'
[ "$code" = 2 ]
result $? data_of_each_cpu_is_refused
first=$("$KTAP" -q -e 'print(kaddr("activation_lock"))')
run -q -e 'trace watch:activation_lock:4:rw { n += 1 } trace syscalls:sys_enter_getppid { t[pid] += 1 }
tick-200ms { exit() }' -- "$workload" getppid 1000
[ "$code" = 0 ] && [ -n "$first" ]
result $? data_of_ktap_can_be_watched

# CPUs that go offline and online
online=/sys/devices/system/cpu/cpu1/online
if [ -e $online ]; then
	echo 0 >$online
	start -q -e 'trace watch:panic_timeout:4 { n[cpu] += 1 } trace_end { print(n[1]) }'
	echo 1 >$online
	# a work item creates the breakpoint
	sleep 1
	# shellcheck disable=SC2016 # of the inner shell
	"$workload" pin 1 as 0 sh -c 'echo $1 >$0' $sysctl "$was"
	echo 0 >$online
	echo 1 >$online
	sleep 1
	# shellcheck disable=SC2016 # of the inner shell
	"$workload" pin 1 as 0 sh -c 'echo $1 >$0' $sysctl "$was"
	stop
	out cpu_that_comes_online_watches '2\n'
else
	skip cpu_that_comes_online_watches "no CPU can go offline"
fi

# a machine has few of them, which are free again after the session
four='watch:panic_timeout:1, watch:panic_timeout+1:1, watch:panic_timeout+2:1, watch:panic_timeout+3:1'
for i in 1 2 3; do
	run -q -e "trace $four { n += 1 } tick-10ms { exit() }"
	[ "$code" = 0 ] || break
done
[ "$code" = 0 ]
result $? slots_are_free_again
run -q -e "
trace $four { n += 1 }
trace watch:panic_timeout:4 { n += 1 }"
[ "$code" = 2 ] && matches "$tmp/err" \
	"^-e:3:7: error: event 'watch:panic_timeout:4': all hardware breakpoints are in use: a CPU has 4"
result $? all_slots_are_in_use

# addresses without memory
run -q -e "trace watch:0x0:8 { n += 1 }" -- true
[ "$code" = 2 ] && matches "$tmp/err" \
	"^-e:1:7: error: 'watch:0x0:8': the first page is no memory: is that a NULL pointer?"
result $? null_pointer_is_refused
if [ "$half" = 16 ]; then
	skip address_of_nothing_is_refused "32 bits have no gap between programs and the kernel"
else
	run -q -e "trace watch:0x4000000000000000:8 { n += 1 }"
	[ "$code" = 2 ] && matches "$tmp/err" \
		"^-e:1:7: error: 'watch:0x4000000000000000:8': that is no address"
	result $? address_of_nothing_is_refused
fi

# programs
word=0x200000000000
[ "$half" = 32 ] || word=0x20000000
run -q -e "trace watch:$word { n += 1 } trace_end { print(n) }" -- "$workload" store $n
out stores_of_a_program "$n\n"
run -q --bt -e "watchpoint:$word:4:w { @n = count(); if (@n == 3) { unwatch($word); } }" -- \
	"$workload" store $n
out unwatched_stores_are_no_events '\n\n@n: 3\n'
run -q -e "trace watch:$word:4:rw { n[args.addr == $word, user_string(1), execname] += 1 } trace_end { print(n) }" \
	-- "$workload" store $n
out reads_of_a_program "true, nil, workload: $((2 * n))\n"
run -q -e "trace watch:$word { n += 1 } trace_end { print(n) }" -- "$workload" second store $n
out threads_inherit_the_watch "$n\n"
run -q -e "trace watch:$word { n += 1 } trace_end { print(n) }" -- \
	sh -c "$workload store $n; $workload store $n; true"
out children_inherit_the_watch "$((2 * n))\n"
mkfifo "$tmp/fifo"
"$workload" second wait store $n <"$tmp/fifo" &
pid=$!
exec 9>"$tmp/fifo"
start -q -p $pid -e "trace watch:$word { n[tid != pid] += 1 } trace_end { print(n) }"
"$workload" store $n
go_on
wait $pid
stop
exec 9>&-
out threads_of_a_process "true: $n\n"
run -q -e "trace watch:$word { s[ustack(1), kstack(1)] += 1 } trace_end { print(len(s)) }" -- "$workload" store $n
out stack_of_a_program '1\n'

refused unknown_symbol watch:no_such_variable "^-e:2:7: error: 'watch:no_such_variable': there is no kernel symbol 'no_such_variable'"
refused not_aligned watch:panic_timeout+2:4 "^-e:2:7: error: 'watch:panic_timeout\+2:4': 0x[0-9a-f]* is no multiple of 4"
refused program_without_a_process watch:0x1000 "^-e:2:7: error: 'watch:0x1000': that is an address of a program: name the process"
refused reads_alone watch:panic_timeout:4:r "^-e:2:7: error: event 'watch:panic_timeout:4:r': this machine cannot watch reads alone"
refused text_of_the_kernel_for_no_probes watch:asm_exc_debug:8:x "^-e:2:7: error: event 'watch:asm_exc_debug:8:x': this machine cannot watch that address"
"$workload" with 38 12345 "$KTAP" -q -e 'trace watch:panic_timeout:4 { n += 1 }' >"$tmp/out" 2>"$tmp/err"
code=$?
[ "$code" != 0 ] && matches "$tmp/err" 'error: '
result $? needs_admin

# registers
ip=ip first=di
[ "$(uname -m)" = x86_64 ] || ip=
if [ -n "$ip" ]; then
	start -q -e "trace watch:panic_timeout:4 /$mine/ { n[reg(\"ip\") == args.ip] += 1 } trace_end { print(n) }"
	write_it 7
	stop
	out registers_of_a_watch 'true: 7\n'
	run -q -e "trace probe:vfs_read /execname == \"workload\"/ { n[reg(\"$first\") == arg0, reg(\"dx\") == arg2, ksym(reg(\"ip\")) ~ \"vfs_read*\"] += 1 }
trace_end { print(n) }" -- "$workload" read 16 $n
	matches "$tmp/out" "^true, true, true: [0-9]*$"
	result $? registers_of_a_function
	run -q -e 'profile-1ms /execname == "workload"/ { n[reg("ip") == args.ip && reg("pc") == args.ip] += 1 } tick-300ms { exit() }
trace_end { print(n[false], n[true] > 0) }' -- "$workload" burn 2000
	out registers_of_a_sample 'nil\ttrue\n'
	refuses_part() {
		run -q -e "trace $2 { print(reg(\"$3\")) }"
		[ "$code" = 2 ] && matches "$tmp/err" "^-e:1:[0-9]+: error: $4"
		result $? "$1"
	}
	refuses_part register_that_is_not_there probe:vfs_read eip "this machine \(x86_64\) has no register 'eip'"
	refuses_part tracepoints_have_no_registers sched:sched_switch ip 'sched:sched_switch has no registers'
	refuses_part returns_have_no_registers 'kretprobe:vfs_read' ip 'kretprobe:vfs_read has no registers'
else
	for name in registers_of_a_watch registers_of_a_function registers_of_a_sample \
		register_that_is_not_there tracepoints_have_no_registers returns_have_no_registers; do
		skip $name "the names are those of x86-64"
	done
fi

finish
