#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Read the memory of pointers by the kernel's own types (BTF). Without a type the script
# is refused, and the message has the position in the script.

. "$(dirname "$0")/lib.sh"

# refused NAME SCRIPT PATTERN: at load, with this message
refused() {
	run -e "$2"
	[ "$code" = 2 ] && matches "$tmp/err" "$3" && [ ! -s "$tmp/out" ]
	result $? "$1"
}

if [ ! -e /sys/kernel/btf/vmlinux ]; then
	plan 10
	none='this kernel has no types \(CONFIG_DEBUG_INFO_BTF\)'
	refused member_without_types 'print("never")
print(curtask.pid)' "^-e:2:[0-9]+: error: member of a pointer: $none\$"
	refused cast_without_types 'print(cast("struct sock", 1))' "^-e:1:[0-9]+: error: cast: $none"
	refused sizeof_without_types 'print(sizeof("struct sock"))' "error: sizeof: $none"
	refused offsetof_without_types 'print(offsetof("struct file", "f_mode"))' "error: offsetof: $none"
	if ! has functions; then
		for name in parameter_without_types named_parameter_without_types \
			result_of_int_without_types argument_of_a_tracepoint_without_types \
			everything_else_works_without_types tracepoint_without_types; do
			skip $name "this kernel has no functions"
		done
		finish
	fi
	refused parameter_without_types 'trace probe:vfs_read {
	print(args.file.f_mode)
}' "^-e:2:[0-9]+: error: member of a parameter: $none"
	refused argument_of_a_tracepoint_without_types 'trace rawtp:sched_switch { print(args.prev.pid) }' \
		"error: member of a parameter: $none"
	refused named_parameter_without_types 'trace probe:vfs_read { print(args.count) }' \
		"^-e:1:[0-9]+: error: probe:vfs_read has no field 'count': $none, arg0 is the first argument\$"
	run -q -e 'trace probe:vfs_read { n[args["file"], arg2] += 1 } x = curtask print(x == curtask)' -- true
	out everything_else_works_without_types 'true\n'
	run -q -e 'trace kretprobe:do_sys_openat2 /execname == "cat" && s32(retval) < 0/ { n[s32(arg0), s32(retval)] += 1 } trace_end { print(n) }' -- \
		sh -c 'cat /no/such; true'
	out result_of_int_without_types '-100, -2: 1\n'
	if has fprobes; then
		run -q -e "trace rawtp:sys_enter /execname == \"workload\" && arg1 == $("$workload" number getppid)/ { n += 1 }
trace_end { print(n) }" -- "$workload" getppid 7
		out tracepoint_without_types '7\n'
	else
		skip tracepoint_without_types "this kernel has no fprobes"
	fi
	finish
fi
plan 74

n=500

# members
run -q -e 'print(curtask.pid == tid, curtask.tgid == pid, curtask.comm == comm, curtask.real_parent.tgid == ppid)'
out members_of_the_current_task 'true\ttrue\ttrue\ttrue\n'
run -q -e 'trace probe:proc_pid_statm { print(args.task.mm.total_vm, args.task == curtask, curtask.mm.total_vm == args.task.mm.total_vm) }' -- \
	sh -c "cat /proc/self/statm >$tmp/statm"
out members_are_right "$(cut -d' ' -f1 "$tmp/statm")\ttrue\ttrue\n"
run -q -e 'print(curtask.nsproxy.uts_ns.name.nodename)'
out array_of_char_is_a_string "$(uname -n)\n"
run -q -e 'limit = 7 print(curtask.signal.rlim[7].rlim_cur, curtask.signal.rlim[limit].rlim_cur)'
out elements_of_an_array "$(ulimit -n)\t$(ulimit -n)\n"
run -q -e 'print(curtask.se.group_node.next != nil, curtask.thread_pid.numbers[0].nr == tid)'
out structures_in_structures 'true\ttrue\n'
# ktap loads a script in a thread, which is not on the list of processes
run -q -e 'print(curtask.children.next.prev == curtask.children,
	curtask.group_leader.tasks.next.prev == curtask.group_leader.tasks)'
out linked_lists_return_to_their_head 'true\ttrue\n'
run -q -e 'var p = cast("struct task_struct", ipof(curtask)) print(p == curtask, p.pid == tid)'
out cast_of_an_integer 'true\ttrue\n'
run -q -e 'print(kernel_string(ipof(curtask) + offsetof("struct task_struct", "comm")) == comm)'
out offset_of_a_member 'true\n'
run -q -e 'print(sizeof("struct list_head"), sizeof("u8"), sizeof("unsigned long"), sizeof("struct task_struct") > 1000)'
out sizes '16\t1\t8\ttrue\n'
run -q -e 'print(`PIDTYPE_TGID`, `TCP_ESTABLISHED`, `TCP_LISTEN`)'
out enumerators_by_name '1\t1\t10\n'
run -q -e 'print(enum_name("enum pid_type", `PIDTYPE_TGID`), enum_name("pid_type", 0), enum_name("pid_type", 77))'
out names_of_enumerators 'PIDTYPE_TGID\tPIDTYPE_PID\t77\n'
run -q -e 'print(enum_name("enum nosuch", 1))'
[ "$code" = 2 ] && matches "$tmp/err" "error: no enumeration 'enum nosuch' is known\$"
result $? enumeration_that_does_not_exist_is_refused
run -q -e 't = {curtask} function f(p) { return p.comm } print(t[1].pid == tid, f(t[1]) == comm, f(curtask.real_parent) != nil)'
out type_goes_with_the_pointer 'true\ttrue\ttrue\n'
run -q -e 't[curtask] = 1 t[cast("struct list_head", curtask)] += 1 print(len(t), t[curtask])'
out type_is_no_part_of_a_key '1\t2\n'
run -q -e 'function f(n) { var p = curtask while (n && p.pid != 1) { p = p.real_parent n-- } print(p.comm, p.pid) } f(100)'
[ "$code" = 0 ] && [ "$(cut -f2 "$tmp/out")" = 1 ]
result $? loop_over_pointers

# NULL, and unreadable addresses
run -q -e 'trace rawtp:sched_switch /args.next.pid == 0/ { n[args.next.mm, args.next.mm.total_vm, args.next.mm.owner.comm] += 1 }
trace_end { for (k, v in pairs(n)) print(k) }' -- "$workload" nap 5 1
out null_pointer_is_nil 'nil, nil, nil\n'
run -e 'print(cast("struct list_head", 0xffff000000000000).next, cast("struct task_struct", 8).comm, cast("struct file", 0))'
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = "$(printf 'nil\tnil\tnil')" ] && matches "$tmp/err" '2 reads of memory failed'
result $? bad_pointer_is_nil_and_counted

# parameters
mine='/execname == "workload" && arg2 == 13/'
run -q -e "trace probe:vfs_write $mine { n[args.count, args.count == arg2, args.buf == cast(\"char\", arg1), args.file.f_op != nil] += 1 }
trace_end { print(n) }" -- "$workload" write 13 $n
out parameters_at_the_entry "13, true, true, true: $n\n"
run -q -e "trace probe:vfs_write /execname == \"workload\" && count == 13/ { n += 1 } trace_end { print(n) }" -- "$workload" write 13 $n
out parameters_in_a_filter "$n\n"
run -q -e "trace probe:vfs_write $mine { n[kernel_string(args.file.f_path.dentry.d_name.name)] += 1 } trace_end { print(n) }" -- \
	"$workload" write 13 $n
out name_of_a_file "null: $n\n"
run -q -e 'trace kretprobe:vfs_write /execname == "workload" && retval == 13/ { n[args.count, args.file.f_inode.i_rdev] += 1 }
trace_end { print(n) }' -- "$workload" write 13 $n
out parameters_at_the_return "13, $((1 << 20 | 3)): $n\n"
: >"$tmp/there"
run -q -e "trace probe:do_sys_openat2 /execname == \"cat\" && user_string(args.filename) == \"$tmp/there\"/ { print(args.dfd, args.how.flags & 3) }" -- \
	cat "$tmp/there"
out negative_parameter '-100\t0\n'
run -q -e "trace probe:vfs_write $mine function (e) { n[e.name, args[\"nothing\"], e.count] += 1 } trace_end { print(n) }" -- "$workload" write 13 $n
out parameter_that_may_be_missing_is_nil "vfs_write, nil, 13: $n\n"
run -q -e 'trace probe:vfs_write, probe:vfs_read /execname == "workload" && args.count == 13/ { n[name, args.file.f_inode.i_rdev] += 1 }
trace_end { print(n) }' -- "$workload" write 13 $n
out several_functions_each_with_its_parameters "vfs_write, $((1 << 20 | 3)): $n\n"
run -q -e "trace probe:vfs_writ* $mine { n[args.count, args.file.f_inode.i_rdev] += 1 } trace_end { print(n) }" -- "$workload" write 13 $n
out each_function_of_a_pattern_has_its_parameters "13, $((1 << 20 | 3)): $n\n"
refused misspelled_parameter 'trace probe:vfs_read { print("never", args.cuont) }' \
	"^-e:1:[0-9]+: error: probe:vfs_read has no field 'cuont'; did you mean 'count'\?$"
refused misspelled_argument_of_a_tracepoint 'trace rawtp:sched_switch { print("never", args.nxet) }' \
	"error: rawtp:sched_switch has no field 'nxet'; did you mean 'next'\?$"
refused parameter_that_no_function_of_a_pattern_has 'trace probe:vfs_rea* { print("never", args.cuont) }' \
	"error: no event of 'probe:vfs_rea\*' has a field 'cuont'$"
run -q -e "trace probe:do_sys_openat2 /execname == \"cat\" && user_string(filename) == \"$tmp/there\"/ { print(dfd, arg0, arg0 == args.dfd) }" -- \
	cat "$tmp/there"
out argument_by_number_has_its_width '-100\t-100\ttrue\n'
run -q -e "trace probe:do_sys_opena* /execname == \"cat\" && user_string(arg1) == \"$tmp/there\"/ { print(args.dfd, arg0) }" -- \
	cat "$tmp/there"
out argument_of_a_pattern_has_its_width '-100\t-100\n'
run -q -e 'trace probe:vfs_write+0 { n[args.count] += 1 } trace probe:vfs_write count=$arg3 /args.count == 13 && execname == "workload"/ { m += 1 }
trace_end { print(m) }' -- "$workload" write 13 $n
out fetch_arguments_come_first "$n\n"

run -q -e 'kdebug.probe("probe:vfs_write", function (e) { n[e.count, e.file.f_inode.i_rdev] += 1 }) kdebug.probe_end(function () { print(n) })' -- \
	"$workload" write 13 $n
matches "$tmp/out" "13, $((1 << 20 | 3)): $n$"
result $? handler_that_was_registered_by_name

# a socket: its big-endian port, and its bit-fields
run -q -e 'trace probe:tcp_sendmsg /execname == "workload"/ {
	var sk = args.sk.__sk_common
	n[ntohs(sk.skc_dport), sk.skc_family, sk.skc_net_refcnt, sk.skc_ipv6only, sk.skc_state == `TCP_ESTABLISHED`, args.size] += 1
}
trace_end { print(n) }' -- sh -c "$workload connect 100 3 >$tmp/port"
out members_of_a_socket "$(cat "$tmp/port"), 2, 1, 0, true, 100: 3\n"
run -q -e 'trace probe:tcp_sendmsg /execname == "workload"/ {
	var inet = cast("struct inet_sock", args.sk)
	n[inet.sk == args.sk, inet.sk.sk_protocol, inet.inet_sport != 0, inet.sk.__sk_common.skc_num > 1024] += 1
}
trace_end { print(n) }' -- "$workload" connect 100 3 >/dev/null
[ "$code" = 0 ] && matches "$tmp/out" '^true, 6, true, true: 3$'
result $? cast_to_the_containing_struct
find_scripts
if [ "$scripts" ]; then
	mkdir "$tmp/library"
	ln -s "$scripts/lib" "$tmp/library/lib"
	export KTAP_LIBRARY="$tmp/library"
	run -q -e 'include "lib/net.kp"
trace probe:tcp_sendmsg /execname == "workload"/ {
	n[net.format_ip_addr(net.ip_sock_saddr(args.sk)), net.format_ip_addr(net.ip_sock_daddr(args.sk))] += 1
}
trace_end { print(n) }' -- sh -c "$workload connect 100 3 >$tmp/port"
	out addresses_of_a_socket_as_in_the_first_ktap '127.0.0.1, 127.0.0.1: 3\n'
else
	skip addresses_of_a_socket_as_in_the_first_ktap "there are no tools"
fi

# results
opener=do_file_open
grep -qw $opener /proc/kallsyms || opener=do_filp_open
run -q -e "trace kretprobe:$opener /execname == \"cat\" && kernel_string(retval.f_path.dentry.d_name.name) == \"there\"/ {
	n[retval.f_mode & 1, retval.f_inode.i_size] += 1 }
trace_end { print(n) }" -- cat "$tmp/there"
out result_is_a_pointer "1, 0: 1\n"
run -q -e "trace kretprobe:$opener"' /execname == "cat" && kernel_string(args.pathname.name) == "/no/such/file"/ {
	n[ipof(retval), ipof(retval) < 0] += 1 }
trace_end { print(n) }' -- cat /no/such/file
[ "$(cat "$tmp/out")" = '-2, true: 1' ]
result $? result_is_an_error_pointer
run -q -e 'trace probe:vfs_fstatat%return /execname == "workload"/ { n[retval, retval < 0] += 1 }
trace_end { print(n) }' -- "$workload" stat /no/such $n
out negative_result "-2, true: $n\n"
run -q -e 'trace kretprobe:vfs_fstatat /execname == "workload"/ { print("never", retval.x) }' -- "$workload" stat /no/such 1
[ "$code" = 1 ] && matches "$tmp/err" 'error: an integer is indexed' && [ ! -s "$tmp/out" ]
result $? result_that_is_no_pointer_has_no_members
run -q -e 'trace kretprobe:exit_files /execname == "cat"/ { n[retval == nil] += 1 } trace_end { print(n[true] > 0, n[false]) }' -- cat "$tmp/there"
out result_of_void_is_nil 'true\tnil\n'
run -q -e "trace kretprobe:vfs_fstata* /execname == \"workload\"/ { n[retval, retval < 0] += 1 } trace_end { print(n) }" -- \
	"$workload" stat /no/such $n
out result_of_a_pattern_has_its_width "-2, true: $n\n"
refused wrong_member_of_a_result "trace kretprobe:$opener"' { print("never", retval.f_moda) }' \
	"^-e:1:[0-9]+: error: struct file has no member 'f_moda'; did you mean 'f_mode'\?$"

# variables
if grep -qw current_task /proc/kallsyms; then
	run -q -e 'print(`current_task` == curtask, `current_task`.pid == tid, `cpu_number` == cpu)'
	out variables_of_each_cpu 'true\ttrue\ttrue\n'
elif grep -qw pcpu_hot /proc/kallsyms; then
	run -q -e 'print(`pcpu_hot`.current_task == curtask, `pcpu_hot`.current_task.pid == tid,
	`pcpu_hot`.cpu_number == cpu)'
	out variables_of_each_cpu 'true\ttrue\ttrue\n'
else
	skip variables_of_each_cpu "this machine keeps its current task elsewhere"
fi

# of a module
ko=/lib/modules/$(uname -r)/kernel/samples/trace_events/trace-events-sample.ko
[ -e "$ko" ] || ko=/ktap/modules/trace-events-sample.ko
if [ -e "$ko" ] && [ -e /sys/kernel/btf/vmlinux ]; then
	rmmod trace_events_sample 2>/dev/null
	insmod "$ko"
	run -q -e 'trace rawtp:foo_bar { print(kernel_string(args.foo), args.bar >= 0, args.lst[0] != nil, args.mask.bits[0] != 0) exit() }'
	out arguments_of_a_tracepoint_of_a_module 'hello\ttrue\ttrue\ttrue\n'
	# its thread starts with the first user of this event
	start -q -e 'trace probe:trace_events_sample:simple_thread_fn { print("began", args.arg, args["nothing"]) }
trace kretprobe:foo_bar_reg { print("gave", retval, retval == 0) }'
	"$KTAP" -q -e 'trace sample-trace:foo_bar_with_fn { } trace tick-10ms { exit() }'
	wait_until grep -q gave "$tmp/out"
	wait_until grep -q began "$tmp/out"
	stop
	is parameters_of_a_function_of_a_module "$(grep began "$tmp/out")" "$(printf 'began\tnil\tnil')"
	is result_of_a_function_of_a_module "$(grep gave "$tmp/out")" "$(printf 'gave\t0\ttrue')"
	refused wrong_member_of_an_argument_of_a_module 'trace rawtp:foo_bar { print("never", args.mask.bitz) }' \
		"error: .* has no member 'bitz'; did you mean 'bits'\?$"
	start -q -e 'trace probe:vfs_read { n = sizeof("struct trace_event_raw_foo_bar") } trace tick-10ms { print("runs") }'
	wait_until grep -q runs "$tmp/out"
	rmmod trace_events_sample
	result $? types_keep_no_module
	stop
else
	for name in arguments_of_a_tracepoint_of_a_module parameters_of_a_function_of_a_module \
		result_of_a_function_of_a_module wrong_member_of_an_argument_of_a_module types_keep_no_module; do
		skip $name "no trace-events-sample.ko (CONFIG_SAMPLE_TRACE_EVENTS=m)"
	done
fi

# raw tracepoints
mine='execname == "workload"'
nr=$("$workload" number getppid)
number=args.regs.orig_ax
[ "$(uname -m)" = x86_64 ] || number=args.id
run -q -e "trace rawtp:sys_enter /args.id == $nr && execname == \"workload\"/ { n[name, args.id == arg1, $number == $nr] += 1 }
trace_end { print(n) }" -- "$workload" getppid $n
out tracepoint_is_counted_exactly "sys_enter, true, true: $n\n"
run -q -e 'trace rawtp:sched_switch { n[args.prev == curtask, args.prev.pid == tid] += 1 } trace_end { for (k, v in pairs(n)) print(k) }' -- \
	"$workload" nap 5 1
out arguments_of_a_tracepoint 'true, true\n'
run -q -e 'trace rawtp:sched_switch /execname == "workload"/ { a += 1 } trace sched:sched_switch /execname == "workload"/ { b += 1 }
trace rawtp:sched_switch /execname == "workload"/ { c += 1 } trace_end { print(a == b, b == c, a > 0) }' -- "$workload" nap 20 1
out two_probes_of_a_tracepoint 'true\ttrue\ttrue\n'
start -q -e "trace rawtp:sys_enter /args.id == $nr && execname == \"workload\"/ { n += 1 } trace_end { print(n) }"
first=$tracer
mv "$tmp/out" "$tmp/out1"
run -q -e "trace rawtp:sys_enter /args.id == $nr && execname == \"workload\"/ { n += 1 } trace_end { print(n) }" -- "$workload" getppid $n
tracer=$first
stop
is two_sessions_of_one_tracepoint "$(cat "$tmp/out1" "$tmp/out" | sort -u)" $n
run -q -e 'trace rawtp:sched_* { n[name] += 1 } trace_end { print(n.sched_switch > 0, n.sched_process_exit, n.sys_enter) }' -- "$workload" nap 5 1
out pattern_of_tracepoints 'true\t1\tnil\n'
run -q -e "trace rawtp:sys_enter /args.id == $nr && execname == \"workload\"/ { print(kstack(1)) }" -- "$workload" getppid 1
[ "$code" = 0 ] && [ -s "$tmp/out" ] && ! grep -q 'probestub\|ktap' "$tmp/out"
result $? stack_begins_with_the_tracepoint
run -q -e "trace rawtp:sys_enter /$mine/ { n += 1 s[name, args.ip, kstack(2)] += 1 }
trace rawtp:sys_enter /$mine && args.id >= 0/ { m += 1 s[name, args.ip, kstack(2)] += 1 }
trace_end { for (k, v in pairs(s)) { if (v % 2 != 0) { odd += 1 } } print(n == m, n >= $n, odd, len(s) > 0) }" -- "$workload" getppid $n
out probes_that_read_no_argument_of_a_tracepoint 'true\ttrue\tnil\ttrue\n'
echo 't:ktap_test sys_enter' >>"$tracefs/dynamic_events" 2>/dev/null
run -q -e "trace rawtp:sys_enter /args.id == $nr && execname == \"workload\"/ { n += 1 } trace_end { print(n) }" -- "$workload" getppid $n
out beside_an_event_of_the_same_tracepoint "$n\n"
echo '-:ktap_test' >>"$tracefs/dynamic_events" 2>/dev/null
run -q -e 'trace rawtp:sched_switch { n[args.preempt == 0 || args.preempt == 1] += 1 } trace_end { for (k, v in pairs(n)) print(k) }' -- "$workload" nap 5 1
out boolean_is_an_integer 'true\n'

# in interrupts
run -q -e 'profile-99hz { n[curtask.pid == tid, curtask.comm == comm] += 1 } trace_end { for (k, v in pairs(n)) print(k) }' -- "$workload" burn 300
out types_in_interrupts 'true, true\n'
run -q -e 'profile-99hz { t[1] = curtask n[t[1].pid == tid, t[1].comm == comm] += 1 } trace_end { for (k, v in pairs(n)) print(k) }' -- \
	"$workload" burn 300
out types_in_interrupts_by_name 'true, true\n'

# errors
refused wrong_member 'print("never")
print(curtask.com)' "^-e:2:[0-9]+: error: struct task_struct has no member 'com'; did you mean 'comm'\?$"
refused wrong_member_of_a_parameter 'trace probe:vfs_read { print("never", args.file.f_moda) }' \
	"^-e:1:[0-9]+: error: struct file has no member 'f_moda'; did you mean 'f_mode'\?$"
refused wrong_parameter 'trace probe:vfs_read { print("never", args.fil.f_mode) }' \
	'^-e:1:[0-9]+: error: nil has no members: this function has no such parameter'
refused wrong_type 'print(cast("struct task_strukt", 1))' \
	"error: cast: this kernel has no type 'struct task_strukt'; did you mean 'struct task_struct'\?$"
refused type_without_its_kind 'print(sizeof("task_struct"))' "did you mean 'struct task_struct'\?$"
refused wrong_tracepoint 'trace rawtp:sched_swich { }' "error: no tracepoint 'sched_swich'$"
refused tracepoint_without_a_visible_stub 'trace rawtp:cpu_idle { }' \
	"error: tracepoint 'cpu_idle' cannot be seen: ftrace does not know its stub; its trace event, without 'rawtp:', can$"
refused tracepoints_without_visible_stubs 'trace rawtp:cpu_idl? { }' \
	"error: what matches 'cpu_idl\?' cannot be seen"
run -e 'trace rawtp:cpu* { } trace_begin { exit() }'
[ "$code" = 0 ] && matches "$tmp/err" "^ktap: skipped [1-9][0-9]* tracepoints of 'rawtp:cpu\*' that cannot be seen$"
result $? tracepoints_that_a_pattern_skips_are_reported
refused wrong_enumerator 'print(`TCP_NOTHING`)' "there is no kernel symbol 'TCP_NOTHING'"
refused element_outside 'print(curtask.comm, curtask.signal.rlim[99])' 'error: element 99 of an array of 16$'
refused void_pointer 'print(curtask.stack.x)' 'error: this pointer has no type'
run -e 't = {curtask}
print(t[1].com)'
[ "$code" = 1 ] && matches "$tmp/err" "^-e:2:[0-9]+: error: struct task_struct has no member 'com'$"
result $? wrong_member_at_run_time
run -e 'trace rawtp:sys_enter { t[1] = curtask print(t[1].comm.x) }' -- true
[ "$code" = 1 ] && matches "$tmp/err" 'error: the index of a string is an integer, not a string'
result $? error_in_a_handler

no_complaints the_kernel_is_quiet
finish
