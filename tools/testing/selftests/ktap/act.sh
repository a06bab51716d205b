#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Acting on the system: signals, commands, replaced functions; the permissions for these;
# and the end of a session by stop.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 58

only='/execname == "workload"/'
getppid="trace syscalls:sys_enter_getppid $only"

# Permissions

not_loaded signal_needs_unsafe '^-e:1:45: error: signal can change the running system: to allow it, write ktap --unsafe' \
	-e "trace syscalls:sys_enter_getppid { print(1) signal(9) }"
not_loaded system_needs_unsafe '^-e:1:1: error: system can change the running system: to allow it, write ktap --unsafe' \
	-e "system('touch $tmp/made')"
[ ! -e "$tmp/made" ]
result $? nothing_has_run_without_unsafe
not_loaded set_retval_needs_unsafe '^-e:1:[0-9]*: error: set_retval can change the running system: to allow it, write ktap --unsafe' \
	-e 'trace probe:vfs_read { set_retval(-1) }'
# CAP_SYS_ADMIN
code=0
"$workload" without 21 "$KTAP" --unsafe -e 'system("echo never")' >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
[ "$code" = 2 ] && matches "$tmp/err" 'unsafe: the opener of the session has no CAP_SYS_ADMIN' && [ ! -s "$tmp/out" ]
result $? unsafe_needs_the_capability
code=0
"$workload" without 21 "$KTAP" -q -e 'print("safe")' >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
out without_it_a_script_that_does_not_act_runs 'safe\n'
# a chunk that does not declare that it acts on the system
"$KTAPC" -o "$tmp/a.ktap" -e 'system("echo never")'
"$KTAPC" -d "$tmp/a.ktap" >"$tmp/out" 2>"$tmp/err"
matches "$tmp/out" '^unsafe: it may act on the system$'
result $? listing_has_it
{ head -c 12 "$tmp/a.ktap"; printf '\0'; tail -c +14 "$tmp/a.ktap"; } >"$tmp/b.ktap"
not_loaded chunk_must_say_that_it_acts 'error: system can change the running system, but the chunk is not marked as unsafe: compile it again' \
	--unsafe "$tmp/b.ktap"

# All others see which sessions can act, and how, even if they have not done it.
listed_with sessions_say_how_they_act ' acts=signal,system' --unsafe \
	-e "trace syscalls:sys_enter_getppid /pid == -1/ { system('true') signal(9) system('true') }"
listed_with calls_of_the_kernel_that_act ' acts=printk,dump_stack' --unsafe \
	-e "trace syscalls:sys_enter_getppid /pid == -1/ { ffi.C.dump_stack() ffi.C.printk('x') }"
listed_with script_that_does_not_act '' --unsafe -e 'trace syscalls:sys_enter_getppid { n += 1 }'

# Signals

# killed NAME PATTERN SIGNAL SCRIPT WORKLOAD...: the workload ends by that signal
killed() {
	name=$1 number=$2 script=$3
	shift 3
	run -q --unsafe -e "$script" -- sh -c '"$0" "$@"; echo "exit code $?"' "$workload" "$@"
	[ "$code" = 0 ] && matches "$tmp/out" "^exit code $((128 + number))\$"
	result $? "$name"
}

killed signal_by_number 9 "$getppid { signal(9) }" getppid 1000
killed signal_by_name 15 "$getppid { signal('TERM') }" getppid 1000
killed signal_by_its_whole_name 10 "$getppid { signal('SIGUSR1') }" getppid 1000
killed signal_is_there_before_the_call_returns 9 \
	"$getppid { n += 1 ok = signal(9) } trace_end { print(n, ok) }" getppid 1000
matches "$tmp/out" "^1	true\$"
result $? signal_returns_that_it_was_sent
killed signal_from_an_interrupt 15 \
	"trace profile-1000hz $only { if (in_interrupt) { signal(15) } }" burn 100000
killed signal_of_a_function 15 "trace kprobe:do_sys_openat2 $only { signal(15) }" \
	open /dev/null 1000
run -q --unsafe -e 'trace sched:sched_switch /tid == 0/ {
	n += 1
	if (signal(9)) { sent += 1 }
	if (n == 5) { stop }
}
trace_end { print(n >= 5, sent) }'
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = "true	nil" ] &&
	matches "$tmp/err" '^ktap: did not send [0-9]* signals: to a kernel thread or init, '
result $? threads_of_the_kernel_get_none
run -q --unsafe -e 'trace syscalls:sys_enter_getppid { signal(arg[1]) }' 77 -- "$workload" getppid 1
[ "$code" = 1 ] && matches "$tmp/err" 'error: signal: 77 is none: from 1 to 64$'
result $? number_of_no_signal
run -q --unsafe -e 'trace syscalls:sys_enter_getppid { signal(arg[1]) }' FOO -- "$workload" getppid 1
[ "$code" = 1 ] && matches "$tmp/err" "error: signal: there is no signal 'FOO'\$"
result $? name_that_is_no_signal
run -q --unsafe -e 'tick-10ms { signal(9) }'
[ "$code" = 1 ] && matches "$tmp/err" 'error: signal works in a handler of an event$'
result $? process_context_cannot_send_signals

# Commands

run -q --unsafe -e 'print("before") system("echo in; echo err >&2") print("after")'
out command_prints_in_its_place 'before\nin\nafter\n'
is command_has_the_standard_error "$(cat "$tmp/err")" err
run -q --unsafe -e 'system("echo %s-%d; cat", "a b", 3)'
out command_is_a_format 'a b-3\n'
run -q --unsafe -e "$getppid { n += 1 print('n', n) system('echo command %d', n) }" -- "$workload" getppid 3
out commands_of_a_handler 'n\t1\ncommand 1\nn\t2\ncommand 2\nn\t3\ncommand 3\n'
run -q --unsafe -e 'trace_begin { system("echo begin") } trace_end { system("echo end") } tick-10ms { exit() }'
out commands_of_begin_and_end 'begin\nend\n'
run -q --unsafe -o "$tmp/file" -e 'system("echo there")'
cp "$tmp/file" "$tmp/out"
out command_prints_to_the_output 'there\n'
run -q --unsafe -e 'system("exit 3") print("after")'
out command_that_fails_ends_nothing 'after\n'
is command_that_fails_is_reported "$(cat "$tmp/err")" 'ktap: system: exit code 3: exit 3'
run -q --unsafe -e 'system("kill -9 $$")'
is command_that_is_killed_is_reported "$(cat "$tmp/err")" 'ktap: system: ended by signal 9: kill -9 $$'
run -q --unsafe -e "system('touch $tmp/made') trace no:such { }"
[ "$code" = 2 ] && [ ! -e "$tmp/made" ] && matches "$tmp/err" '^ktap: system: not run, as the script was refused: touch '
result $? command_of_a_refused_script
run -q --unsafe -e "$getppid { system('%s', argstr .. \"\\0\") }" -- "$workload" getppid 1
[ "$code" = 1 ] && matches "$tmp/err" 'error: system: a command with a NUL byte$'
result $? command_with_a_nul
run -q --unsafe -e 's = "0123456789abcdef" for (i = 1, 7) { s = s .. s } system("echo %s", s)'
[ "$code" = 1 ] && ! grep -q '^0123' "$tmp/out" && matches "$tmp/err" 'error: system: a command of more than 2048 bytes$'
result $? command_is_never_cut
seconds=20
start --unsafe -q -e 'trace_begin { print("long") system("sleep 1000") }
trace syscalls:sys_enter_getppid { } trace_end { print("end") }'
wait_until grep -q long "$tmp/out"
stop
out stop_ends_the_command 'long\nend\n'
matches "$tmp/err" '^ktap: system: (ended by signal 15|exit code 143): sleep 1000$'
result $? stopped_command_is_reported
seconds=60
# the reader of the text output cannot run a command, nor write a dump
"$KTAPC" -o "$tmp/a.ktap" -e 'print("before") system("echo %d", 5) dump("seen") print("after")'
code=0
: >"$tmp/err"
{
	exec 3<>"$tracefs/ktap/session"
	{ printf 'unsafe\narg t\n'; cat "$tmp/a.ktap"; } >&3
	cat <&3 >"$tmp/out"
	exec 3>&-
}
out reader_of_text_gets_a_message 'before\nktap: system: echo 5: only the ktap tool can run commands\nktap: dump: seen: only the ktap tool can write dumps\nafter\n'

# stop

run -q -e "$getppid { n += 1 if (n == 3) { stop } m += 1 } trace_end { print(n, m) }" -- "$workload" getppid 10
out handler_runs_to_its_end '3\t3\n'
run -q -e 'trace_begin { print("begin") stop print("goes on") }
trace_begin { print("never") } trace syscalls:sys_enter_getppid { } trace_end { print("end") }'
out stop_in_trace_begin 'begin\ngoes on\nend\n'
run -q -e 'trace_end { stop print("end") } tick-10ms { n += 1 if (n == 2) { stop() } }'
out stop_in_a_tick 'end\n'

# Functions that are replaced

if ! grep -q '^set_retval: 1$' "$tracefs/ktap/features"; then
	while [ $count -lt 57 ]; do skip set_retval "this kernel was built without CONFIG_KTAP_SET_RETVAL"; done
else
	openat=$(call_function openat)
	run -q --unsafe -e "trace probe:$openat $only { n += 1 set_retval(-13) }
trace kprobe:do_sys_openat2 $only { inside += 1 }
trace syscalls:sys_exit_openat $only { if (retval == -13) { seen += 1 } }
trace_end { print(n, inside, seen) }" -- "$workload" cpus 1 open /dev/null 1
	is function_returns_the_value_of_the_script "$(cat "$tmp/out")" "1	nil	1"
	run -q --unsafe -e "trace probe:$openat /execname == 'cat'/ function (e) { e.set_retval(-1) }" \
		-- sh -c 'cat /dev/null 2>&1'
	matches "$tmp/out" 'Operation not permitted'
	result $? caller_sees_the_error
	run -q --unsafe -e "trace probe:$openat $only { n += 1 if (n % 2 == 0) { set_retval(-2) } }
trace kprobe:do_sys_openat2 $only { inside += 1 }
trace_end { print(n, inside) }" -- sh -c 'for i in 1 2 3 4; do "$0" open /dev/null 1; done' "$workload"
	out only_if_the_chunk_declares_it '4\t2\n'
	run -q --unsafe -e "trace probe:$openat $only { set_retval(5) }" -- "$workload" open /dev/null 1
	[ "$code" = 1 ] && matches "$tmp/err" 'error: set_retval\(5\): the function may return only an error: -1 to -4095$'
	result $? value_that_is_no_error
	run -q --unsafe -e "trace probe:$openat $only { set_retval(-2) error('changed its mind') }" -- \
		sh -c '"$0" open /dev/null 1 && echo opened' "$workload"
	is run_that_fails_afterwards_changes_nothing "$code $(cat "$tmp/out")" "1 opened"
	"$workload" open /dev/null 100
	result $? afterwards_everything_is_as_before
	start -q --unsafe -e "trace probe:$openat $only { set_retval(-2) }"
	! "$workload" open /dev/null 1
	replaced=$?
	kill -KILL "$tracer"
	reap
	wait_until no_sessions
	[ $replaced = 0 ] && "$workload" open /dev/null 100
	result $? killed_session_replaces_nothing
	not_loaded function_that_is_not_marked "^-e:1:[0-9]*: error: 'probe:vfs_read': set_retval: the kernel allows it for those of error_injection/list" \
		--unsafe -e 'trace probe:vfs_read { set_retval(-5) }'
	not_loaded return_is_too_late "'probe:$openat%return': set_retval: when a function returns it has done its work" \
		--unsafe -e "trace probe:$openat%return { set_retval(-5) }"
	not_loaded pattern_of_functions "set_retval: it needs the name of one function, not a pattern" \
		--unsafe -e 'trace probe:should_fail* { set_retval(-5) }'
	not_loaded system_call_is_its_function "'syscalls:sys_enter_openat': set_retval works at the entry of a function: probe:$openat\$" \
		--unsafe -e 'function f() { set_retval(-2) } trace syscalls:sys_enter_openat { f() }'
	# a probe that failed leaves nothing in the memory that the next probe gets
	set -- "$workload" cold open /dev/null 20
	has waits_for_strings || set -- "$workload" open /dev/null 20
	run -q --unsafe -e "try { kdebug.probe('syscalls:sys_enter_openat', function () { set_retval(-2) }) } catch (e) { caught = true }
kdebug.probe('syscalls:sys_enter_openat', function () { if (user_string(arg1) == '/dev/null') { n += 1 } })
trace_end { print(caught, n) }" -- "$@"
	out probe_after_one_that_failed 'true\t20\n'
	run -q --unsafe -e "f = { function () { set_retval(-5) } } trace syscalls:sys_enter_getppid { f[1]() }" -- "$workload" getppid 1
	[ "$code" = 1 ] && matches "$tmp/err" 'error: set_retval works at the entry of a function: probe:FUNCTION$'
	result $? call_by_value_fails_at_run_time
	run -q --unsafe -e "f = { function () { set_retval(-5) }, function () { n += 1 } }
trace probe:vfs_read $only { f[2]() } trace_end { print(n) }" -- "$workload" read 1 7
	out function_that_may_but_does_not '7\n'

	listed_with sessions_say_that_they_replace ' acts=set_retval' --unsafe \
		-e "trace probe:$openat /pid == -1/ { set_retval(-2) }"

	# together with a kprobe of another tracer, whichever is first
	events=$tracefs/kprobe_events mine=$tracefs/events/kprobes/ktap_act
	inject="trace probe:$openat $only { n += 1 set_retval(-1) } trace_end { print(n) }"
	if [ ! -e "$events" ]; then
		skip with_a_kprobe_that_exists "no kprobe events"
		skip with_a_kprobe_that_is_added_later "no kprobe events"
	else
		echo "p:ktap_act $openat" >>"$events" && echo 1 >"$mine/enable"
		run -q --unsafe -e "$inject" -- "$workload" open /dev/null 1
		out with_a_kprobe_that_exists '1\n'
		echo 0 >"$mine/enable"
		echo -:ktap_act >>"$events"
		run -q --unsafe -e "$inject" -- sh -c 'echo "p:ktap_act $2" >>"$1"; echo 1 >"$3/enable"
			"$0" open /dev/null 1; echo 0 >"$3/enable"' "$workload" "$events" "$openat" "$mine"
		out with_a_kprobe_that_is_added_later '1\n'
		echo -:ktap_act >>"$events"
	fi
fi
no_complaints the_kernel_is_content
finish
