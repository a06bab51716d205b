#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Reading memory of processes, also if it is not resident, and of the kernel; symbols, and
# values of the machine.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 40

n=100
word=$((half / 4))
end='trace_end { print(n, len(t)) }'
! has addresses || addresses=1

# by_address NAME: skip the test and fail if this machine has no str(), buf() and read()
by_address() {
	[ -z "$addresses" ] || return 0
	skip "$1" "addresses do not show whether they are of user or kernel memory on this machine"
	return 1
}
getppid='trace syscalls:sys_enter_getppid'

# cold NAME: memory that was not resident was read, or this kernel cannot do that
cold() {
	if has waits_for_strings; then
		[ "$code" = 0 ] && [ "$(cut -f 1 "$tmp/out")" = $n ] && ! grep -q 'reads of memory' "$tmp/err"
		result $? "$1"
	elif [ "$code" = 0 ] && [ "$(cut -f 1 "$tmp/out")" = nil ] && matches "$tmp/err" 'reads of memory failed$'; then
		skip "$1" "this kernel does not wait for memory when a system call begins"
	else
		result 1 "$1"
	fi
}

# Names on pages that are not resident: other events cannot read them.
run -q -e 'trace kprobe:do_sys_openat2 { if (user_string(arg1) == nil) { n += 1 } } trace_end { print(n) }' \
	-- "$workload" cold open /dev/null $n
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = $n ] && matches "$tmp/err" "^ktap: $n reads of memory failed\$"
result $? pages_are_not_resident_before
run -q -e "trace syscalls:sys_enter_openat { if (args.filename == \"/dev/null\") { n += 1 } else { t[args.filename || arg1] += 1 } } $end" \
	-- "$workload" cold open /dev/null $n
cold field_of_a_name_that_is_not_resident
for name in 'str(arg1)' 'user_string(arg1)' 'buf(arg1, 9)' 'args.filename' 'str(args.filename)'; do
	test=name_that_is_not_resident_by_$(echo "$name" | tr -c 'a-z0-9\n' _)
	case $name in
	str* | buf*) by_address "$test" || continue ;;
	esac
	run -q -e "trace syscalls:sys_enter_openat { if ($name == \"/dev/null\") { n += 1 } else { t[arg1] += 1 } } $end" \
		-- "$workload" cold open /dev/null $n
	cold "$test"
done
run -q -e "function name(a) { return user_string(a) } f = {name}
trace syscalls:sys_enter_openat /f[1](arg1) == \"/dev/null\"/ { n += 1 } trace_end { print(n) }" \
	-- "$workload" cold open /dev/null $n
cold name_read_by_a_function_of_a_filter
run -q -e "trace syscalls:sys_enter_execve { if (join(args.argv) == \"cold /etc/passwd\") { n += 1 } else { t[arg1] += 1 } } $end" \
	-- "$workload" cold exec /etc/passwd $n
cold argv_that_is_not_resident
if by_address pointers_that_are_not_resident; then
	run -q -e "trace syscalls:sys_enter_execve { if (args.filename == \"/etc/passwd\" && str(read(arg1, $word)) == \"cold\") { n += 1 } else { t[arg1] += 1 } } $end" \
		-- "$workload" cold exec /etc/passwd $n
	cold pointers_that_are_not_resident
fi
if by_address memory_after_a_buffer_is_not_accessed; then
	run -q -e 'trace syscalls:sys_enter_read /execname == "workload"/ { if (buf(arg1, 16) == "xxxxxxxxxxxxxxxx") { n += 1 } }
trace_end { print(n) }' -- "$workload" brink 16 $n
	out memory_after_a_buffer_is_not_accessed "0\n$n\n"
fi
run -q -e 'trace syscalls:sys_enter_read /execname == "utarget" && arg2 == 16/ {
	if (user_string(arg1 + 32, 1) == nil) { n += 1 } else { m += 1 }
}
trace_end { print(n, m) }' -- "$here/utarget" device $n
out_device buffer_on_a_device_is_not_touched "$((4 * n))\t$((4 * n))\n"
run -q -e 'trace syscalls:sys_enter_openat /execname == "workload" && user_string(arg1) == ""/ { n += 1 }
trace_end { print(n) }' -- "$workload" open "" 1
is empty_string_is_not_an_error "$(cat "$tmp/out" "$tmp/err")" 1
if "$workload" tagged /dev/null 1; then
	run -q -e 'trace syscalls:sys_enter_openat /str(arg1) == "/dev/null" && buf(arg1, 9) == "/dev/null"/ { n += 1 }
trace_end { print(n) }' -- "$workload" tagged /dev/null $n
	out pointers_may_have_a_tag "$n\n"
else
	skip pointers_may_have_a_tag "this machine has no tagged addresses"
fi

# system calls whose records have no data
run -q -e 'trace syscalls:sys_enter_*stat* {
	if (args.filename == "/no/such/file") { n += 1 }
}
trace_end { print(n > 0) }' -- stat /no/such/file
out path_of_a_stat 'true\n'
if grep -q sys_enter_newstat "$tracefs/available_events"; then
	run -q -e 'trace syscalls:sys_enter_newstat { if (args.filename == "/dev/null") { n += 1 } }
trace_end { print(n) }' -- "$workload" cold stat /dev/null $n
	cold path_that_is_not_resident_of_a_stat
else
	skip path_that_is_not_resident_of_a_stat "this machine has no such system call"
fi

# the contents of a write, from its buffer
if by_address buffer_of_a_write; then
	run -q -e "trace syscalls:sys_enter_write { s = buf(args.buf, args.count) if (s == \"xxxxx\") { n += 1 } }
trace_end { print(n) }" -- "$workload" write 5 $n
	out buffer_of_a_write "$n\n"
fi

# unreadable addresses: s390 has memory of the kernel at 0
if [ -n "$addresses" ]; then
	reads='user_string(16), kernel_string(16), join(8), read(-1, 8), buf(0, 4096), str(1 << 62)'
	nils='nil\tnil\tnil\tnil\tnil\tnil' fails=6
else
	reads='user_string(16), kernel_string(-16), join(8)' nils='nil\tnil\tnil' fails=3
fi
run -q -e "$getppid { print($reads) exit() }" -- "$workload" getppid 1
[ "$(cat "$tmp/out")" = "$(printf "$nils")" ] && matches "$tmp/err" "^ktap: $fails reads of memory failed\$"
result $? reads_that_fail_give_nil_and_are_counted
run -q -e "trace_begin { print(user_string(\$1)) }" 0x400000
[ "$(cat "$tmp/out")" = nil ] && matches "$tmp/err" '^ktap: 1 reads of memory failed$'
result $? thread_of_the_kernel_has_no_user_memory
sized=buf
[ -n "$addresses" ] || sized=kernel_string
run -q -e "$getppid { print(kernel_string(curtask, 0) == \"\", $sized(curtask, n)) }
n = -1" -- "$workload" getppid 1
[ "$code" = 1 ] && matches "$tmp/err" "error: $sized: a string of -1 bytes\$"
result $? negative_size_is_an_error

# the kernel's
run -q -e 'print(kernel_string(kaddr("linux_banner"), 13))'
out string_of_the_kernel 'Linux version\n'
if by_address kernel_by_address; then
	run -q -e 'print(str(kaddr("linux_banner"), 5), read(kaddr("linux_banner"), 1), len(kernel_string(kaddr("linux_banner"))) > 20)'
	out kernel_by_address 'Linux\t76\ttrue\n'
fi
# the kernel lets its low 32 bits overflow five minutes after boot: until then it is below
# 0
positive='a > 0'
[ "$half" = 32 ] || positive='a != 0'
run -q -e "a = \`jiffies\` trace tick-100ms { print($positive, \`jiffies\` - a >= 5, \`jiffies\` - a < 1000) exit() }"
out variable_of_the_kernel 'true\ttrue\ttrue\n'
# without types a number reaches to the next symbol, if it is no longer than a long
room=$(sort /proc/kallsyms | awk '{ at = substr($1, length($1) - 7) }
begin != "" && at != begin { print "0x" at " - 0x" begin; exit }
$3 == "panic_timeout" { begin = at }')
[ -e /sys/kernel/btf/vmlinux ] || [ $((room)) = 4 ] || far="in this kernel something else follows 'panic_timeout'"
if ! has little_end; then
	skip variables_of_32_bits "the test needs a little-endian machine"
elif [ -n "${far:-}" ]; then
	skip variables_of_32_bits "$far"
else
	run -q -e 'print(`nr_cpu_ids`, `nr_threads` > 3, `nr_threads` < 10000, `panic_timeout`)'
	[ "$code" = 0 ] && matches "$tmp/out" "^[1-8]	true	true	$(cat /proc/sys/kernel/panic)\$"
	result $? variables_of_32_bits
fi
if [ -n "${far:-}" ]; then
	skip negative_variable "$far"
else
	echo -7 >/proc/sys/kernel/panic
	run -q -e 'print(`panic_timeout`)'
	echo 0 >/proc/sys/kernel/panic
	out negative_variable '\055\067\n'
fi
if grep -qw cpu_number /proc/kallsyms; then
	run -q -e 'trace profile-1ms { t[cpu] = `cpu_number` == cpu } trace tick-300ms { for (k, v in pairs(t)) { all = v } print(len(t) > 0, all) exit() }'
else
	own=this_cpu_off
	grep -qw $own /proc/kallsyms || own=ksoftirqd
	run -q -e "trace profile-1ms { t[\`$own\`] = cpu n[cpu] = 1 } trace tick-300ms { print(len(t) > 0, len(t) == len(n)) exit() }"
fi
out variable_of_each_cpu 'true\ttrue\n'
run -q -e 'x = 1
y = `jiffiez`'
[ "$code" = 2 ] && matches "$tmp/err" "^-e:2:5: error: there is no kernel symbol 'jiffiez': /proc/kallsyms"
result $? unknown_variable_is_refused_with_its_place
run -q -e 'print(`vfs_read`)'
[ "$code" = 2 ] && matches "$tmp/err" "^-e:1:7: error: 'vfs_read' is a function of the kernel: kaddr\(\"vfs_read\"\)"
result $? function_is_not_a_variable
run -q -e 'print(`nomod:var`)'
[ "$code" = 2 ] && matches "$tmp/err" "error: there is no kernel symbol 'nomod:var': is the module loaded\?"
result $? variable_of_a_module_that_is_not_loaded

# symbols of a module, which cannot be unloaded meanwhile; and of its addresses after it
# is unloaded
ko=/lib/modules/$(uname -r)/kernel/samples/trace_events/trace-events-sample.ko
[ -e "$ko" ] || ko=/ktap/modules/trace-events-sample.ko
mod=trace_events_sample
loaded() { grep -q "^$mod " /proc/modules; }
if [ -e "$ko" ]; then
	rmmod $mod 2>/dev/null
	insmod "$ko"
	run -q -e "print(\`$mod:simple_thread_cnt\`, \`simple_thread_cnt\`)"
	out variable_of_a_module '0\t0\n'
	run -q -e "print(\`$mod:simple_thread_fn\`)"
	[ "$code" = 2 ] && matches "$tmp/err" "error: '$mod:simple_thread_fn' is a function of the kernel"
	result $? function_of_a_module_is_not_a_variable
	start -q -e "print(\`simple_thread_cnt\`) trace tick-1s { }"
	rmmod $mod 2>/dev/null
	loaded
	result $? variable_keeps_its_module
	stop
	start -q -e "a = kaddr(\"$mod:simple_thread_fn\") trace tick-20ms { print(ksym(a), ksym(a + 1)) }"
	wait_until grep -q "^simple_thread_fn \[$mod\]	simple_thread_fn+0x1 \[$mod\]$" "$tmp/out"
	rmmod $mod
	! loaded
	result $? address_does_not_pin_its_module
	wait_until grep -Eq '^0x[0-9a-f]+	0x[0-9a-f]+$' "$tmp/out"
	stop
	[ "$code" = 0 ] && matches "$tmp/out" '^0x[0-9a-f]+	0x[0-9a-f]+$'
	result $? address_of_an_unloaded_module
else
	for name in variable_of_a_module function_of_a_module_is_not_a_variable variable_keeps_its_module \
		address_does_not_pin_its_module address_of_an_unloaded_module; do
		skip $name "no trace-events-sample.ko (CONFIG_SAMPLE_TRACE_EVENTS=m)"
	done
fi

# symbols
run -q -e 'a = kaddr("vfs_read") print(ksym(a), ksym(a + 16), stringof(a), ksym(5), kaddr("no_such_thing"), ipof(a) == a)'
out symbols_of_addresses 'vfs_read\tvfs_read+0x10\tvfs_read\t0x5\tnil\ttrue\n'
run -q -e 'trace kprobe:vfs_write { print(ksym(ipof(kstack)), substr(ksym(arg0), 0, 2)) exit() }' -- "$workload" write 1 100
[ "$code" = 0 ] && matches "$tmp/out" '^vfs_write(\+0x[0-9a-f]+)?	0x$'
result $? symbols_in_a_handler

# time and machine
now=$(date +%s)
run -q -e 'print(gettimeofday_s - $1 < 30, gettimeofday_ms / 1000 - gettimeofday_s <= 0, gettimeofday_us - gettimeofday_ns / 1000 < 1000000,
	substr(walltime, 0, 10), arch, kernel_v, num_cpus, in_interrupt, in_iowait)' "$now"
out time_and_machine "true\ttrue\ttrue\t$(date -u +%F)\t$(uname -m)\t$(uname -r)\t$(nproc)\tfalse\tfalse\n"

# A user who may open the file, but has no other privilege, cannot read memory of the
# kernel.
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
mode=$(stat -c %a "$tracefs/ktap/session")
echo -1 >/proc/sys/kernel/perf_event_paranoid
of_root=$(stat -c %a "$tracefs") of_ktap=$(stat -c %a "$tracefs/ktap")
chmod 666 "$tracefs/ktap/session"
chmod 755 "$tracefs" "$tracefs/ktap"
as_user() {
	code=0
	timeout -s KILL 60 "$workload" as 65534 "$KTAP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
}
as_user -q -e 'print(kaddr("linux_banner"))'
[ "$code" = 2 ] && matches "$tmp/err" ':1:[0-9]*: error: CAP_PERFMON is needed for addresses of the kernel$'
result $? other_users_get_no_address
as_user -q -e 'print(`jiffies`)'
[ "$code" = 2 ] && matches "$tmp/err" 'error: CAP_PERFMON is needed'
result $? other_users_read_no_memory
as_user -q -e 'print(1 + 1)'
out other_users_may_do_the_rest '2\n'
chmod "$of_root" "$tracefs"
chmod "$of_ktap" "$tracefs/ktap"
chmod "$mode" "$tracefs/ktap/session"
echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid

finish
