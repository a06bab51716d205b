#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Iterators: threads, open files and mappings; their fields, the process of the session, the
# end of a script, and errors.

. "$(dirname "$0")/lib.sh"
plan 42

types=
[ ! -e /sys/kernel/btf/vmlinux ] || types=y

# A process of five threads, of which one has files of its own
mkfifo "$tmp/hold" "$tmp/ready" || exit 1
"$workload" crowd 4 <"$tmp/hold" >"$tmp/ready" 4<"$0" 5<"$0" 7>"$tmp/seven" 2>/dev/null &
crowd=$!
exec 8>"$tmp/hold"
read -r line <"$tmp/ready"
is crowd_is_there "$line" ready

# only_of SCRIPT: run it for the process alone
only_of() { run -q -p $crowd -e "$1"; }

only_of 'trace iter:task { n += 1 } trace_end { print(n) }'
out threads_of_a_process '5\n'
only_of 'trace iter:task_file { n[args.fd] += 1 } trace_end { print(n[7], n[5], n[6]) }'
out files_once_for_all_that_share_them '2\t2\tnil\n'
only_of 'trace iter:task_file { n += 1 } trace_end { print(n) }'
out all_files "$((2 * $(find /proc/$crowd/fd -mindepth 1 | wc -l)))\n"
only_of 'trace iter:task_vma { if (args.vma) { n += 1 } } trace_end { print(n) }'
out mappings_of_a_process "$(grep -vc '\[vsyscall\]\|\[vectors\]' /proc/$crowd/maps)\n"
only_of 'trace iter:task function (e) { print(probename .. " " .. e.name) }'
[ "$(sort -u "$tmp/out")" = 'iter:task iter:task' ]
result $? name_of_an_iterator
only_of 'trace iter:task, iter:task_file, iter:task_vma { n[probename, args.task != nil] += 1 }
trace_end { print(n["iter:task", true], n["iter:task_file", true] > 9, n["iter:task_vma", true] > 5, len(n)) }'
out one_handler_of_all '5\ttrue\ttrue\t3\n'
only_of 'trace iter:task_file /args.fd == 7/ { n += 1 } trace_end { print(n) }'
out filter_of_fields '2\n'

# the whole system
run -q -e 'trace iter:task { n += 1 } trace_end { print(n) }'
few=$(find /proc/[0-9]*/task -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" -ge $((few * 3 / 4)) ] &&
	[ "$(cat "$tmp/out")" -le $((few * 3 / 2)) ]
result $? all_threads
run -q -e 'trace iter:task_vma { n += 1 } trace_end { print(n) }'
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" -ge 10 ]
result $? all_mappings
run -q -e 'trace iter:task_file { n += 1 } trace_end { print(n) }'
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" -ge 10 ]
result $? all_files_of_all
run -q -e 'trace iter:task { for (i = 1, 100) print(i, "a line that fills the output of the session") }'
[ "$code" = 0 ] && [ "$(wc -l <"$tmp/out")" -ge 2000 ]
result $? handlers_wait_for_the_reader

# the end
run -q -e 'trace iter:task { n += 1 exit(3) } trace_end { print(n) }'
[ "$code" = 3 ] && [ "$(cat "$tmp/out")" = 1 ]
result $? exit_ends_it
run -q -e 'trace_begin { print("first") } trace iter:task { n = 1 } trace_end { print(n) }'
out after_trace_begin 'first\n1\n'
# The first thread has more than six files: ticks come between two of them.
only_of 'trace iter:task_file { t = nsecs while (nsecs - t < 30000000) { } n += 1 if (n == 6) { exit() } }
tick-10ms { between += 1 } trace_end { print(between >= 2) }'
out ticks_come_in_between 'true\n'
start -q -e 'trace iter:task { n += 1 } tick-10ms { if (n) { ticks += 1 } } trace_end { print(ticks > 3) }'
sleep 1
stop
out ticks_go_on 'true\n'
run -q -e 'trace iter:task { error("no") }'
[ "$code" = 1 ] && matches "$tmp/err" '^-e:1:19: error: no$'
result $? error_ends_it
start -q -e 'trace iter:task_vma { while (true) {} }'
[ "$(state "$tracer")" = running ] && kill -KILL "$tracer"
reap
wait_until no_sessions
result $? killed_in_a_handler
start -q -e 'trace iter:task_vma { while (true) {} } trace_end { print("end") }'
kill -INT "$tracer"
sleep 0.2
kill -INT "$tracer"
reap
wait_until no_sessions
result $? stopped_in_a_handler
i=0
while [ $i -lt 20 ]; do
	"$KTAP" -q -e 'trace iter:task_vma, iter:task_file { n += 1 }' >/dev/null 2>&1 </dev/null &
	kill -KILL $!
	wait $! 2>/dev/null
	i=$((i + 1))
done
wait_until no_sessions
result $? killed_at_any_time

# a filter that leaves out the first thread of a process
mkfifo "$tmp/hold2"
"$workload" named ktap_second <"$tmp/hold2" >"$tmp/ready" 2>/dev/null &
named=$!
exec 6>"$tmp/hold2"
read -r line <"$tmp/ready"
run -q --comm ktap_second -e 'trace iter:task_file { n += 1 } trace_end { print(n) }'
out files_with_a_thread_that_is_not_the_first "$(find /proc/$named/fd -mindepth 1 | wc -l)\n"
run -q --comm ktap_second -e 'trace iter:task_vma { n += 1 } trace_end { print(n > 3) }'
out mappings_with_a_thread_that_is_not_the_first 'true\n'
exec 6>&-
wait $named

# processes that end meanwhile
"$workload" spin 3 &
spins=$!
start -q -p $spins -e 'trace iter:task_vma { if (!gone) { print("mapping") } while (!gone) { } }
trace sched:sched_process_exit { gone = true }'
wait_until grep -q mapping "$tmp/out"
kill -KILL $spins
wait $spins 2>/dev/null
stop
out process_ends_meanwhile 'mapping\n'
"$workload" spin 2 &
spins=$!
run -q --follow -p $spins -e 'trace iter:task { n += 1 } trace_end { print(n) }'
out process_and_its_children '2\n'
kill -KILL $spins
wait $spins 2>/dev/null
run -q -e 'trace iter:task { n += 1 } trace_end { print(n) }' -- sleep 0.3
out only_the_command '1\n'

# values that need no types, and those that an iterator lacks
only_of 'trace iter:task { n[pid == args.fd, retval, argstr, len(kstack) > 0, len(ustack)] += 1 }'
result $((code != 2)) no_such_values
only_of 'trace iter:task { n[tid > 0, execname ~ "ktap/*", kstack != nil] += 1 }
trace_end { print(n) }'
out values_of_the_thread_of_ktap 'true, true, true: 5\n'

# names
run -q -l 'iter:*'
out iterators_are_listed 'iter:task\niter:task_file\niter:task_vma\n'
run --dry-run -e 'trace iter:task { print("never") }'
[ "$code" = 0 ] && [ ! -s "$tmp/out" ]
result $? dry

# errors
refused() {
	run -e "$2"
	[ "$code" = 2 ] && matches "$tmp/err" "$3" && [ ! -s "$tmp/out" ]
	result $? "$1"
}
refused no_such_iterator 'trace iter:cgroup { }' "^-e:1:7: error: no iterator 'iter:cgroup'\$"
run -e 'trace ("iter:" .. arg[1]) { }' cgroup
[ "$code" = 2 ] && matches "$tmp/err" \
	"error: no iterator 'iter:cgroup': there are iter:task, iter:task_file and iter:task_vma\$"
result $? no_such_iterator_at_run_time
refused no_such_field 'trace iter:task { print(args.tusk) }' \
	"^-e:1:30: error: iter:task has no field 'tusk'; did you mean 'task'\?\$"
refused field_of_another 'trace iter:task { print(args.fd) }' "error: iter:task has no field 'fd'"
refused no_condition 'on = 1 trace iter:task if (on) { }' "'iter:task' cannot have a condition"
refused no_arguments 'trace iter:task { print(arg0) }' 'iter:task has no arguments, so no arg0$'

if [ "$types" ]; then
	only_of 'trace iter:task { n[args.task.comm, args.task.tgid] += 1 } trace_end { print(n) }'
	out members_of_a_thread "workload, $crowd: 5\n"
	only_of 'trace iter:task_file /args.fd == 7/ { print(path(args.file.f_path)) }'
	out path_of_a_file "$tmp/seven\n$tmp/seven\n"
	only_of 'trace iter:task_vma { printf("%x-%x\n", args.vma.vm_start, args.vma.vm_end) }'
	grep -v '\[vsyscall\]\|\[vectors\]' /proc/$crowd/maps | sed 's/ .*//; s/^0*\([^-]\)/\1/; s/-0*\(.\)/-\1/' \
		>"$tmp/maps"
	[ "$code" = 0 ] && cmp "$tmp/out" "$tmp/maps"
	result $? addresses_of_mappings
	run -q -p $crowd -e 'trace ("iter:" .. arg[1]) { n[args.task.comm] += 1 } trace_end { print(n) }' task
	out types_of_an_event_at_run_time 'workload: 5\n'
	# A reference of the handler to the file would keep it, and so the handler.
	for signal in KILL INT; do
		start -q -e 'trace iter:task_file { if (path(args.file.f_path) ~ "*/ktap/session") {
			print("found") while (true) {} } }'
		wait_until grep -q found "$tmp/out"
		kill -$signal "$tracer"
		sleep 0.2
		kill -$signal "$tracer" 2>/dev/null
		reap
		wait_until no_sessions && grep -q found "$tmp/out"
		result $? "file_of_the_session_and_SIG$signal"
	done
	run -q --bt -e 'iter:task /ctx.task.tgid == '$crowd'/ { @[ctx->task->comm] = count(); exit(); }'
	matches "$tmp/out" '^@\[workload\]: 5$'
	result $? iterators_of_bpftrace
else
	refused member_without_types 'trace iter:task { print(args.task.comm) }' \
		'member of a pointer: this kernel has no types \(CONFIG_DEBUG_INFO_BTF\)$'
	for name in path_of_a_file addresses_of_mappings types_of_an_event_at_run_time \
			file_of_the_session_and_SIGKILL file_of_the_session_and_SIGINT \
			iterators_of_bpftrace; do
		skip $name "this kernel has no types"
	done
fi

kill $crowd
wait $crowd 2>/dev/null
finish
