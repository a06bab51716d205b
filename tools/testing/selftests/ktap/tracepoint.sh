#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tracepoints and system calls: exact counts, and exact contents, compared with the
# kernel's own trace file for the same events.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 61

n=500

# counts
run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- "$workload" getppid $n
out enter_of_a_syscall_is_counted_exactly "$n\n"
run -q -e 'trace syscalls:sys_exit_getppid { n += 1 } trace_end { print(n) }' -- "$workload" getppid $n
out exit_of_a_syscall_is_counted_exactly "$n\n"
run -q -e "trace raw_syscalls:sys_enter /id == $("$workload" number getppid)/ { n += 1 }
trace_end { print(n) }" -- "$workload" getppid $n
out raw_syscalls_are_counted_exactly "$n\n"
run -q -e 'trace sched:sched_process_fork { n += 1 } trace_end { print(n) }' -- "$workload" fork 20
out forks_are_counted_exactly '20\n'
run -q -e 'trace sched:sched_process_exit { n += 1 } trace_end { print(n) }' -- "$workload" fork 20
out descendants_of_the_command_are_traced '21\n'
run -q -e 'trace syscalls:sys_*_getppid { s[probename] += 1 }
trace_end { print(s.sys_enter_getppid, s.sys_exit_getppid, len(s)) }' -- "$workload" getppid $n
out wildcard_attaches_all_that_match "$n\t$n\t2\n"
run -q -e 'trace syscalls:sys_enter_getppid, sched:sched_process_exit { s[name] += 1 }
trace_end { print(s.sys_enter_getppid, s.sched_process_exit) }' -- "$workload" getppid $n
out one_probe_has_several_events "$n\t1\n"
run -q -e 'trace tp:syscalls:sys_enter_getppid { a += 1 }
trace tracepoint:syscalls:sys_enter_getppid { b += 1 }
trace syscalls:sys_enter_getpp?d { c += 1 }
trace syscalls:sys_enter_getpp[a-j]d { d += 1 }
trace_end { print(a, b, c, d) }' -- "$workload" getppid $n
out all_spellings_of_an_event "$n\t$n\t$n\t$n\n"

# once, and not for events that the filter drops
run -q -e "trace syscalls:sys_enter_write /execname == 'workload' && count == 7/ once { n += 1 size = args.count }
trace_end { print(n, size) }" -- "$workload" write 7 $n
out probe_runs_once '1\t7\n'
run -q -e 'trace syscalls:sys_enter_getppid, syscalls:sys_exit_getppid once { n += 1 name = probename }
trace syscalls:sys_enter_getppid once { m += 1 }
trace_end { print(n, m, name) }' -- "$workload" getppid $n
out probe_of_several_events_runs_once '1\t1\tsys_enter_getppid\n'
# from many threads on all CPUs
run -q -e 'trace syscalls:sys_enter_getppid once { n += 1 } trace syscalls:sys_enter_getppid { all += 1 }
trace_end { print(n, all) }' -- "$workload" threads 50
out threads_run_it_once '1\t50\n'

# filters
run -q -e 'trace syscalls:sys_enter_write /count == 7/ { n += 1 } trace_end { print(n) }' -- "$workload" write 7 $n
out filter_on_a_field_passes "$n\n"
run -q -e 'trace syscalls:sys_enter_write /count == 8/ { n += 1 } trace_end { print(n) }' -- "$workload" write 7 $n
out filter_on_a_field_rejects 'nil\n'
run -q -e 'trace syscalls:sys_enter_* /execname == "workload" && probename == "sys_enter_getppid"/ { n += 1 }
trace_end { print(n) }' -- "$workload" getppid $n
out filter_on_values "$n\n"
run -q -e 'trace syscalls:sys_enter_getppid { if (args["no_such_field"] == nil) { n += 1 } } trace_end { print(n) }' -- \
	"$workload" getppid $n
out field_that_may_be_missing_is_nil "$n\n"

# An event makes no record if its probe reads no field of it
mine='execname == "workload"'
run -q -e "trace raw_syscalls:sys_enter /$mine/ { n += 1 }
trace raw_syscalls:sys_enter /$mine && id >= 0/ { o += 1 }
trace raw_syscalls:sys_enter /$mine && id == $("$workload" number getppid)/ { m += 1 }
trace_end { print(n == o, n > m, m) }" -- "$workload" getppid $n
out events_with_and_without_a_record_are_the_same "true\ttrue\t$n\n"
run -q -e 'trace sched:sched_process_fork { a[name, kstack(1)] += 1 }
trace sched:sched_process_fork { if (args.child_pid > 0) { a[name, kstack(1)] += 1 } }
trace_end { for (k, v in a) { print(v) } }' -- "$workload" fork 20
out name_and_stack_without_a_record '40\n'
run -q -e 'function f() { return args["child_pid"] } function g(x) { return x() }
trace sched:sched_process_fork { if (g(f) > 0) { n += 1 } }
trace sched:sched_process_fork { if (argstr ~ "*child_pid=*") { n += 1 } }
trace sched:sched_process_fork function (e) { if (e.child_pid > 0 && e.field(1) != nil) { n += 1 } }
trace sched:sched_process_fork { if (arg0 != nil) { n += 1 } }
trace_end { print(n) }' -- "$workload" fork 20
out record_is_made_for_all_that_reads_it '80\n'

# The arguments of a system call are fetched if a probe of the call reads them
for reads in 'args.count == 7' 'arg2 == 7' 'f() == 7' 'e.sc_arg3 == 7' 'e.field(4) == 7' 'argstr ~ "*count: *7*"'; do
	run -q -e "function f() { return args[\"count\"] }
trace syscalls:sys_enter_write function (e) { if ($reads) { n += 1 } } trace_end { print(n) }" -- \
		"$workload" write 7 $n
	[ "$(cat "$tmp/out")" = $n ] || break
done
out arguments_are_fetched_for_all_that_reads_them "$n\n"
# so are strings of the program that it reads by a number only
nth_string() { # NAME EVENT COMMAND...
	nth=$1 event=$2
	shift 2
	# a call of print() could show an event, whose text needs the string
	run -q -e "trace $event function (e) { s[e.field(3)] += 1 }" -- "$@"
	[ "$code" = 0 ] && matches "$tmp/out" '^  /no-such-file: 1$'
	result $? "$nth"
}
nth_string string_by_a_number syscalls:sys_enter_openat "$workload" open /no-such-file 1
if has syscalls:sys_enter_newfstatat; then
	nth_string string_that_is_not_recorded_by_a_number syscalls:sys_enter_newfstatat \
		"$workload" stat /no-such-file 1
else
	skip string_that_is_not_recorded_by_a_number 'no such system call'
fi
run -q -e "trace syscalls:sys_enter_write /$mine/ { n += 1 } trace syscalls:sys_enter_write /count == 7/ { m += 1 }
trace syscalls:sys_enter_write /$mine/ { o += 1 } trace_end { print(n >= $n, n == o, m) }" -- "$workload" write 7 $n
out probes_of_one_call_read_more_or_less_of_it "true\ttrue\t$n\n"

# probes within the top level
probe='trace syscalls:sys_enter_getppid { n += 1 }'
run -q -e "if (\$1 == 1) { $probe } else { trace syscalls:sys_enter_getppid { n += 1000000 } }
trace_end { print(n) }" 1 -- "$workload" getppid $n
out probe_within_if "$n\n"
run -q -e "for (i = 1, 3) { $probe } trace_end { print(n) }" -- "$workload" getppid $n
out probe_within_for_is_registered_each_time "$((3 * n))\n"
run -q -e 'function f(e) { n += 1 } kdebug.probe("syscalls:sys_" .. $1 .. "_getppid", f)
trace_end { print(n) }' enter -- "$workload" getppid $n
out event_name_may_be_computed "$n\n"
run -q -e "if (0) { $probe } trace_end { print(n) }" -w
out probe_that_is_not_reached_is_not_registered 'nil\n'

# ends of a session
run -q -e 'trace syscalls:sys_enter_getppid { n += 1 if (n == 10) { print("ten") exit(5) } }
trace_end { print("end") }' -- "$workload" getppid $n
is exit_in_a_handler_ends_it "$code $(echo $(cat "$tmp/out"))" "5 ten end"
run -q -e 'trace syscalls:sys_enter_getppid {
	var t = 5
	t.x = 1
}
trace_end { print("end") }' -- "$workload" getppid $n
[ "$code" = 1 ] && [ "$(cat "$tmp/out")" = end ] && matches "$tmp/err" '^-e:3:[0-9]+: error: ' '^  in .*getppid'
result $? error_in_a_handler_ends_it
run -q -e 'trace syscalls:sys_enter_getppid { while (1) { n += 1 } } trace_end { print("end") }' -- \
	"$workload" getppid 1
[ "$code" = 1 ] && [ "$(cat "$tmp/out")" = end ] && matches "$tmp/err" 'error: the handler used up its budget: max_insns is [0-9]'
result $? endless_handler_is_stopped
run -q -e "$probe" -- "$workload" getppid $n
out globals_are_printed_without_other_output "n: $n\n"

# on all CPUs at once; the shell also calls getppid()
four="$workload getppid 20000"
four="$four & $four & $four & $four & wait"
only='/execname == "workload"/'
run -q $all_of_it -e "trace syscalls:sys_enter_getppid $only { n += 1 } trace_end { print(n) }" -- sh -c "$four"
out no_update_of_a_global_is_lost '80000\n'
run -q $all_of_it -e "trace syscalls:sys_enter_getppid $only { t[1] += 1 t['a', 2] += 2 u[pid] += 1 }
trace_end { print(t[1], t['a', 2], len(u)) }" -- sh -c "$four"
out no_update_of_a_table_is_lost '80000\t160000\t4\n'
run -q $all_of_it -e "trace syscalls:sys_enter_getppid $only { t[tid] = 1 t[tid] = nil n += 1 }
trace_end { print(len(t), n) }" -- sh -c "$four"
out deleted_entries_make_room '0\t80000\n'

# by process, without a command
mkfifo "$tmp/go"
"$workload" wait getppid $n <"$tmp/go" &
worker=$!
exec 4>"$tmp/go"
start -q -e 'trace syscalls:sys_enter_getppid /pid == $1/ { n += 1 } trace_end { print(n) }' $worker
echo >&4
wait $worker
exec 4>&-
"$workload" getppid 100
stop
out filter_on_pid_counts_one_process "$n\n"

"$workload" wait getppid $n <"$tmp/go" &
worker=$!
exec 4>"$tmp/go"
start -q -p $worker -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }'
echo >&4
wait $worker
exec 4>&-
"$workload" getppid 100
stop
out option_p_counts_one_process "$n\n"

# The same numbers by simple acts and by a run
"$workload" wait getppid $n <"$tmp/go" &
worker=$!
exec 4>"$tmp/go"
start -q -e 'l = lhist(0, 64, 3) s = stats()
trace raw_syscalls:sys_enter /pid == $1/ { total += args.id }
trace raw_syscalls:sys_enter /pid == $1/ { l <<< args.id }
trace raw_syscalls:sys_enter /pid == $1/ { s <<< args.id }
trace raw_syscalls:sys_enter /pid == $1/ { by_id[args.id] += 1 }
trace raw_syscalls:sys_enter /pid == $1/ { n += 1 ids[args.id] += 1 }
trace_end {
	for (id, times in pairs(ids)) {
		want += id * times
		if (by_id[id] != times) { differ += 1 }
	}
	print(n >= $2, count(l) == n, count(s) == n, total == want, sum(s) == want, differ)
}' $worker $n
echo >&4
wait $worker
exec 4>&-
stop
out acts_read_fields "true\ttrue\ttrue\ttrue\ttrue\tnil\n"
run -q -e 'trace raw_syscalls:sys_enter { by[syscall_name(args.id)] += 1 }
trace raw_syscalls:sys_exit { if (syscall_name(args.id) == nil) { unknown += 1 } }
trace_end { print(by["getppid"] >= $1, unknown, syscall_name(-1), syscall_name(1 << 20)) }' $n -- "$workload" getppid $n
out numbers_of_system_calls_have_names 'true\tnil\tnil\tnil\n'
run -q -e 'trace sched:sched_process_fork { n[args.child_comm] += 1 }
trace sched:sched_process_fork { m[args.parent_comm, execname] += 1 }
trace sched:sched_process_fork { h[args.child_comm, pid] <<< args.parent_pid }
trace sched:sched_process_fork { self.t = nsecs }
trace sched:sched_process_fork { if (self.t != nil) { set += 1 } }
h = hist()
trace_end {
	for (k, v in pairs(h)) { keys += 1 most = max(v) least = min(v) whose = k[1] }
	print(n["workload"], len(n), m["workload", "workload"], len(m), keys, most == least, most == whose, set)
}' -- "$workload" fork 20
out acts_have_string_and_compound_keys '20\t1\t20\t1\t1\ttrue\ttrue\t20\n'

# fields and arguments
run -q -e 'trace syscalls:sys_enter_write { n[args.count, args.fd > 2] += 1 }
trace_end { print(n[13, true], len(n)) }' -- "$workload" write 13 $n
out arguments_by_name "$n\t1\n"
run -q -e 'trace syscalls:sys_enter_write { n[arg2] += 1 fd = arg0 == args.fd }
trace_end { print(n[13], len(n), fd) }' -- "$workload" write 13 $n
out arguments_by_position "$n\t1\ttrue\n"
run -q -e 'trace syscalls:sys_enter_write function (e) { n[e.count] += 1 }
trace_end { print(n[13], len(n)) }' -- "$workload" write 13 $n
out fields_of_the_event_object "$n\t1\n"
run -q -e 'trace syscalls:sys_exit_write { n[retval] += 1 } trace_end { print(n[13], len(n)) }' -- \
	"$workload" write 13 $n
out return_value_of_a_syscall "$n\t1\n"
run -q -e 'trace syscalls:sys_exit_getppid { if (retval == ppid && retval > 1) { n += 1 } }
trace_end { print(n) }' -- "$workload" getppid $n
out return_value_agrees_with_ppid "$n\n"
run -q -e 'trace syscalls:sys_enter_getppid, syscalls:sys_exit_getppid { if (retval == nil) { n += 1 } }
trace_end { print(n) }' -- "$workload" getppid $n
out entry_has_no_return_value "$n\n"
run -q -e 'trace sched:sched_process_fork /child_comm == "workload"/ { n[child_comm, child_comm == args.child_comm] += 1 }
trace_end { print(n["workload", true], len(n)) }' -- "$workload" fork 20
out bare_names_are_fields_in_the_handler_too '20\t1\n'
run -q -e 'trace sched:sched_process_fork { n[args.parent_comm .. " " .. args.child_comm] += 1 }
trace_end { print(n["workload workload"], len(n)) }' -- "$workload" fork 20
out string_fields "20\t1\n"
run -q -e 'trace sched:sched_process_fork function (e) {
	if (e.field(1) == e.parent_comm && e.field(2) == e.parent_pid && e.field(2) == pid &&
	    e.field(3) == e.child_comm && e.field(4) == e.child_pid && e.field(5) == nil) { n += 1 }
}
trace_end { print(n) }' -- "$workload" fork 20
out fields_by_number '20\n'
run -q -e 'trace sched:sched_process_fork { n[pid == tid, cpu >= 0, uid, gid, execname] += 1 }
trace_end { print(n[true, true, 0, 0, "workload"]) }' -- "$workload" fork 20
out values_of_the_thread '20\n'

# Trace the same events at the same time by ktap and by a trace instance.
instance=$tracefs/instances/ktap_test
mkdir "$instance" || exit 1
trap 'rmdir "$instance"; rm -rf "$tmp"' EXIT

# same NAME EVENT SCRIPT COMMAND...: the output of SCRIPT equals the text of the trace
# file
same() {
	name=$1 event=$2 script=$3
	shift 3
	files=$instance/events/$(echo "$event" | tr : /)
	echo >"$instance/trace"
	# The name that a line of the trace file begins with is "<...>" now and then.
	echo 'COMM == "workload"' >"$files/filter"
	echo 1 >"$files/enable"
	run -q -e "$script" -- "$@"
	echo 0 >"$files/enable"
	echo 0 >"$files/filter"
	# COMM-PID [CPU] FLAGS TIME: TEXT
	sed -n '/^#/d; s/^ *[^ ]*-[0-9]* *\[[0-9]*\] [^ ]* *[0-9.]*: //p' "$instance/trace" >"$tmp/wanted"
	sed -i '/^$/d' "$tmp/out"
	[ -s "$tmp/wanted" ] && cmp -s "$tmp/wanted" "$tmp/out"
	status=$?
	result $status "$name"
	[ $status = 0 ] || diff "$tmp/wanted" "$tmp/out" | head -n 6 | sed 's/^/# /'
}

# Other users of the same tracepoint: handlers that read no field, and handlers that do
fork=sched:sched_process_fork
both="trace $fork $only { a += 1 } trace $fork /parent_comm == \"workload\"/ { b += 1 }
trace_end { print(a, b) }"
forks="$instance/events/sched/sched_process_fork"
echo 1 >"$forks/enable"
run -q -e "$both" -- "$workload" fork 20
echo 0 >"$forks/enable"
out beside_the_file_of_an_instance '20\t20\n'
is file_of_an_instance_gets_all "$(grep -c ' sched_process_fork: comm=workload ' "$instance/trace")" 20
echo 'enable_event:sched:sched_process_fork if pid == 0' >"$instance/events/sched/sched_process_exec/trigger"
echo 'parent_pid == 0' >"$forks/filter"
soft=$(cat "$forks/enable")
run -q -e "$both" -- "$workload" fork 20
echo '!enable_event:sched:sched_process_fork' >"$instance/events/sched/sched_process_exec/trigger"
echo 0 >"$forks/filter"
out event_that_a_trigger_has_soft_disabled '20\t20\n'
is trigger_has_soft_disabled_it "$soft" '0*'

same argstr_is_what_the_trace_file_says sched:sched_process_fork \
	"trace sched:sched_process_fork $only { print(argstr) }" "$workload" fork 5
same argstr_of_a_syscall_is_the_same_too syscalls:sys_enter_openat \
	"trace syscalls:sys_enter_openat $only { print(argstr) }" "$workload" open /proc/self/status 5
same tostring_ends_its_line syscalls:sys_exit_write \
	"trace syscalls:sys_exit_write $only function (e) { printf(\"%s\", e.tostring()) }" "$workload" write 5 5
same print_of_the_event_is_argstr sched:sched_process_exit \
	"trace sched:sched_process_exit $only function (e) { print(e) }" "$workload" fork 5

# Sessions come and go while the events happen
"$workload" getppid 100000000 &
load=$!
came=0
for i in 1 2 3 4 5 6 7 8; do
	raw=
	! has fprobes || raw='trace rawtp:sys_enter { n += 1 }'
	run -q $all_of_it -e "trace raw_syscalls:sys_enter, raw_syscalls:sys_exit, sched:sched_switch { n += 1 } $raw
trace raw_syscalls:sys_enter { m += 1 } tick-20ms { if (n > 0 && m > 0) { exit(7) } }"
	[ "$code" = 7 ] && came=$((came + 1))
done
kill $load
wait $load 2>/dev/null
is detach_while_events_happen "$came" 8

# each byte of a pattern may cost time for each byte of each name, while others wait for events
run -q -e "kdebug.probe('sched:*[$(printf %250s '' | tr ' ' z)]', function () { n += 1 })"
[ "$code" != 0 ] && matches "$tmp/err" 'the name of a trace event has at most 256 bytes, also as a pattern$'
result $? long_pattern_is_refused

# everything
seconds=120
start -e 'trace *:* { s[probename] += 1 n += 1 } trace_end { print(n > 1000, len(s) > 10) }'
"$workload" getppid 2000
"$workload" fork 10
sleep 1
attached=$(state "$tracer")
stop
out all_events_at_once 'true\ttrue\n'
matches "$tmp/err" '^ktap: total enabled [0-9]+ events$'
result $? number_of_events_is_reported
is all_are_detached_at_the_end "$attached $(wait_until no_sessions && echo none)" "running none"

finish
