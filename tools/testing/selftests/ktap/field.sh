#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Fields of every kind: those of the kernel's sample trace events, whose values are known,
# and others, compared with the text of the same event.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 44

# refused NAME SCRIPT PATTERN: at load, with this message
refused() {
	run -e "$2"
	[ "$code" = 2 ] && matches "$tmp/err" "$3" && [ ! -s "$tmp/out" ]
	result $? "$1"
}

# Fields that no event of a probe has
refused misspelled_field '# nothing of it runs
trace sched:sched_switch { n += args.prev_pidd }' \
	"^-e:2:[0-9]+: error: sched:sched_switch has no field 'prev_pidd'; did you mean 'prev_pid'\?$"
refused misspelled_field_in_a_filter 'trace syscalls:sys_enter_openat /filenme == "x"/ { n += 1 }' \
	"^-e:1:34: error: syscalls:sys_enter_openat has no field 'filenme'.*; did you mean 'filename'\?$"
refused misspelled_field_of_the_event 'trace syscalls:sys_enter_openat function (e) { print(e.filenme) }' \
	"^-e:1:[0-9]+: error: syscalls:sys_enter_openat has no field 'filenme'; did you mean 'filename'\?$"
refused misspelled_name_in_a_handler 'trace sched:sched_switch { print(next_com) }' \
	"error: sched:sched_switch has no field 'next_com', and there is no variable 'next_com'; did you mean 'next_comm'\?$"
refused misspelled_variable 'counts = 1 trace sched:sched_switch { print(count_s) }' "did you mean 'counts'\?$"
refused name_of_a_filter_alone_is_no_field 'trace sched:sched_switch { print(args.comm) }' \
	"error: sched:sched_switch has no field 'comm'$"
refused field_that_no_event_of_a_pattern_has 'trace syscalls:sys_enter_* { print(args.fdd) }' \
	"error: no event of 'syscalls:sys_enter_\*' has a field 'fdd'; did you mean 'fd'\?$"
refused field_that_none_of_several_events_has \
	'trace syscalls:sys_enter_getppid, sched:sched_switch { print(args.fdd) }' \
	"^-e:1:[0-9]+: error: none of these 2 events has a field 'fdd'"
refused field_of_an_event_from_an_argument 'x = "sched:sched_switch" trace (x) { print(args.foo) }' \
	"error: sched:sched_switch has no field 'foo'$"
refused field_of_a_registered_handler 'kdebug.probe("sched:sched_switch", function (e) { print(e.foo) })' \
	"error: sched:sched_switch has no field 'foo'$"
refused result_at_an_entry 'trace syscalls:sys_enter_getppid { print(retval) }' \
	"error: syscalls:sys_enter_getppid has no 'retval': only returns"
refused result_in_a_filter_at_an_entry 'trace sched:sched_switch /retval < 0/ { n += 1 }' \
	"error: sched:sched_switch has no 'retval': only returns"
refused tenth_argument_of_seven 'trace sched:sched_switch { print(arg9) }' \
	"error: sched:sched_switch has no arg9: the last one is arg6$"
refused argument_of_a_call_without_any 'trace syscalls:sys_enter_getppid { print(arg0) }' \
	"error: syscalls:sys_enter_getppid has no arguments, so no arg0$"
refused field_in_a_tick 'trace tick-1s { print(args.x) }' "error: tick-1s has no field 'x'$"
refused argument_in_a_tick 'tick-1s { print(arg0) }' "error: tick-1s has no arguments, so no arg0$"
refused field_at_the_end 'trace_end { print(args.x) }' "error: trace_end has no field 'x'$"
refused result_at_the_beginning 'trace_begin { print(retval) }' "error: trace_begin has no 'retval'"
refused result_that_is_no_field 'trace kretprobe:vfs_read function (e) { print(e.retval) }' \
	"error: kretprobe:vfs_read has no field 'retval': write retval alone$"

# Fields that only one of them has, or that may be missing
run -q -e 'trace syscalls:sys_enter_* /execname == "workload" && fd != nil/ { n[args.fd == fd, name] += 1 }
trace_end { print(n[true, "sys_enter_write"]) }' -- "$workload" write 7 50
out field_of_only_one_event_of_a_pattern '50\n'
run -q -e 'trace syscalls:sys_enter_write, syscalls:sys_exit_write /execname == "workload"/ { n[args.count, retval] += 1 }
trace_end { print(n[7, nil], n[nil, 7], len(n)) }' -- "$workload" write 7 50
out each_of_several_events_has_its_own '50\t50\t2\n'
run -q -e 'trace syscalls:sys_enter_write /args["no_such"] == nil && execname == "workload"/ { n[args["count"], args["fdd"]] += 1 }
trace_end { print(n[7, nil]) }' -- "$workload" write 7 50
out field_that_may_be_missing '50\n'
run -q -e 'function f(e) { n[e.fdd, args.fddd, retval, arg9] += 1 }
trace syscalls:sys_enter_getppid function (e) { f(e) }
trace_end { print(n[nil, nil, nil, nil]) }' -- "$workload" getppid 50
out functions_may_meet_any_event '50\n'
run -q -e 'try { trace syscalls:sys_enter_getppid { bad += 1 print(args.foo) } } catch (m) { print(m) }
trace syscalls:sys_enter_getppid { n += 1 }
trace_end { print(n, bad) }' -- "$workload" getppid 50
out optional_probe "syscalls:sys_enter_getppid has no field 'foo'\\n50\\tnil\\n"
run -q -e 'try { trace syscalls:sys_enter_getppid, syscalls:sys_exit_getppid { print(args.foo) } } catch { print("not there") }' -- \
	"$workload" getppid 50
[ "$code" = 0 ] && matches "$tmp/out" '^not there$'
result $? optional_probe_of_several_events
# One name has one meaning in a probe
refused variable_that_is_a_field_in_the_filter 'count = 7 trace syscalls:sys_enter_write /count == 7/ { n[count] += 1 }' \
	"^-e:1:[0-9]+: error: 'count' is a field of syscalls:sys_enter_write in this filter, but a variable in the handler: write args\.count, or rename the variable$"
refused value_that_is_a_field_in_the_filter 'trace sched:sched_wakeup /comm == "x"/ { n[comm] += 1 }' \
	"^-e:1:[0-9]+: error: 'comm' is a field of sched:sched_wakeup in this filter, but a built-in value in the handler: write args\.comm or comm\(\)$"
run -q -e 'trace sched:sched_process_exit /pid() > 0 && args.comm == "true"/ { n[pid == args.pid] += 1 }
trace_end { print(n[true], n[false]) }' -- true
out written_out_they_are_two '1\tnil\n'
run -q -e 'count_of = 7 trace syscalls:sys_enter_write /count == count_of && execname == "workload"/ { var fd = 5 n[fd, filedes, count_of] += 1 filedes = 3 }
trace_end { print(n[5, nil, 7], n[5, 3, 7]) }' -- "$workload" write 7 50
out variables_come_before_fields_in_a_handler '1\t49\n'

# As wide as their types
run -q -e 'trace syscalls:sys_enter_openat /execname == "cat" && dfd == -100/ { n[args.dfd, arg0, dfd < 0] += 1 }
trace_end { print(n[-100, -100, true] > 0, len(n)) }' -- cat /proc/version
matches "$tmp/out" '^true	1$'
result $? argument_of_a_system_call_has_a_sign
run -q -e 'trace syscalls:sys_enter_fcntl /execname == "workload"/ { n += 1 }
trace syscalls:sys_enter_kill /execname == "sh"/ { print(args.pid, arg0, args.sig) }' -- sh -c 'kill -0 -77777 2>/dev/null; true'
out process_id_of_a_system_call_has_a_sign '-77777\t-77777\t0\n'
run -q -e 'trace syscalls:sys_enter_umask /execname == "sh"/ { print(args.mask) }' -- sh -c 'umask 077'
[ "$code" = 0 ] && matches "$tmp/out" '^63$'
result $? unsigned_argument

# raw_syscalls has an array whose type has a fixed length
run -q -e 'trace syscalls:sys_enter_getppid function (e) { print(e.sc_nr) exit() }' -- "$workload" getppid 1
nr=$(cat "$tmp/out")
run -q -e '
trace raw_syscalls:sys_enter /id == '"$nr"'/ { n += 1 last = args.args }
trace_end { print(n, len(last), last[6], last[-1]) }' -- "$workload" getppid 10
out array_has_its_length '10\t6\tnil\tnil\n'
run -q -e '
trace syscalls:sys_enter_openat { self.a = arg1 }
trace raw_syscalls:sys_enter /(args[0] & 0xffffffff) == 0xffffff9c/ { n += 1 seen[args.args[1]] = args.args[2] }
trace_end { print(n > 0, len(seen) > 0) }' -- cat /proc/version
matches "$tmp/out" '^true	true$' && [ "$code" = 0 ]
result $? elements_of_an_array_in_a_filter

# narrow and signed ones
run -q -e '
trace sched:sched_switch {
	if (args.prev_prio < 0 || args.prev_prio > 140 || args.prev_pid < 0 || args.next_pid < 0) { bad += 1 }
	t = argstr
	if (strstr(t, "next_comm=" .. args.next_comm .. " next_pid=" .. args.next_pid) == nil) { bad += 1 }
	n += 1
	if (n == 50) { exit() }
}
trace_end { print(n, bad) }'
out integers_and_strings_agree_with_the_text '50\tnil\n'
run -q -e 'trace signal:signal_generate /sig == 10/ { print(args.sig, args.errno, args.code < 1) exit() }' -- \
	sh -c 'trap : USR1; kill -USR1 $$; sleep 0.1'
out signed_fields '10\t0\ttrue\n'

wanted='foo_bar_by_name foo_bar_by_number arrays_and_masks strings relative_ones a_filter_on_an_element
	an_array_is_kept an_array_is_a_key'
ko=/lib/modules/$(uname -r)/kernel/samples/trace_events/trace-events-sample.ko
[ -e "$ko" ] || ko=/ktap/modules/trace-events-sample.ko
if [ ! -e "$ko" ]; then
	for name in $wanted; do skip "$name" "no trace-events-sample.ko (CONFIG_SAMPLE_TRACE_EVENTS=m)"; done
	finish
fi
insmod "$ko"

# The values that its thread sets in round @bar
cat >"$tmp/known.kp" <<'EOF'
function number(i) { var t = {"Mother Goose", "Snoopy", "Gandalf", "Frodo", "One ring to rule them all"} return t[i + 1] }
function check(what, is, wanted) {
	checks[what] += 1
	if (is != wanted) { wrong[what .. ": " .. tostring(is) .. ", not " .. tostring(wanted)] += 1 }
}
trace sample-trace:foo_bar {
	var cnt = args.bar
	var n = cnt % 5
	check("foo", args.foo, "hello")
	check("list", len(args.list), n)
	for (i = 0, n - 1) { check("element", args.list[i], i + 1) }
	check("past_the_end", args.list[n], nil)
	check("str", args.str, number(n))
	check("vstr", args.vstr, "iter=" .. cnt)
	check("lstr", args.lstr, substr("hello", 0, min(cnt / 2, 5)))
	check("cpus", args.cpus[0], all)
	check("cpum", args.cpum[0], all)
	rounds += 1
}
trace sample-trace:foo_bar function (e) {
	check("field(1)", e.field(1), "hello")
	check("field(2)", e.field(2), e.bar)
	check("field(3)", e.field(3) == e.list, true)
	check("arg0", arg0, "hello")
}
trace sample-trace:foo_rel_loc {
	check("rel foo", args.foo, "Hello __rel_loc")
	check("rel bitmask", args.bitmask[0], 0xdeadbeef)
	check("rel cpumask", args.cpumask[0], all)
	check("rel text", strstr(argstr, "foo_rel_loc Hello __rel_loc, " .. args.bar .. ", ") != nil, true)
}
trace sample-trace:foo_bar /list[0] == 1/ { filtered += 1 }
trace sample-trace:foo_bar {
	kept = args.list
	s[args.list] += 1
	if (len(args.list)) { nonempty += 1 }
	if (rounds == 6) { exit() }
}
trace_end {
	for (what, n in checks) { printf("checked %s %d\n", what, n) }
	for (what, n in wrong) { printf("wrong %s\n", what) }
	printf("rounds %d filtered %d nonempty %d keys %d kept %d\n", rounds, filtered, nonempty, len(s), kept[0] == nil || kept[len(kept) - 1] == len(kept))
	print(s)
}
EOF
all=$(printf '%d' "0x$(sed -n 's/^Cpus_allowed:	0*\([0-9a-f]*\)$/\1/p' /proc/self/status)")
sed -i "1i all = $all" "$tmp/known.kp"
run -q "$tmp/known.kp"
checked() { # NAME WHAT...: each was checked and is right
	checked_name=$1
	shift
	status=0
	for what; do
		grep -q "^checked $what [1-9]" "$tmp/out" && ! grep -q "^wrong $what:" "$tmp/out" || status=1
	done
	[ "$code" = 0 ] || status=1
	result $status "$checked_name"
}
checked foo_bar_by_name foo str
checked foo_bar_by_number 'field(1)' 'field(2)' 'field(3)' arg0
checked arrays_and_masks list element past_the_end cpus cpum
checked strings vstr lstr
checked relative_ones 'rel foo' 'rel bitmask' 'rel cpumask' 'rel text'
set -- $(sed -n 's/^rounds \([0-9]*\) filtered \([0-9]*\) nonempty \([0-9]*\) keys \([0-9]*\) .*/\1 \2 \3 \4/p' "$tmp/out")
[ "$1" = 6 ] && [ "$2" = "$3" ] && [ "$2" -ge 4 ]
result $? a_filter_on_an_element
matches "$tmp/out" '^rounds .* kept 1$'
result $? an_array_is_kept
[ "$4" = 5 ] && matches "$tmp/out" '^\{1, 2\}: [12]$' '^\{\}: [12]$'
result $? an_array_is_a_key
rmmod trace_events_sample
finish
