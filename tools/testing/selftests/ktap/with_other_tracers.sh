#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Other tracers of an event get as many hits as without a script, and the script gets none
# of their hits.

. "$(dirname "$0")/lib.sh"
plan 11

n=50
events=$tracefs/dynamic_events
group=ktap_beside

# defined EVENT: define "t:GROUP/NAME TRACEPOINT" and enable it
defined() {
	echo "$1" >>"$events" 2>/dev/null || return
	# The name that a line of the trace file begins with is "<...>" now and then.
	echo 'COMM == "workload"' >"$tracefs/events/$group/filter"
	echo 1 >"$tracefs/events/$group/enable"
}

# beside NAME EVENT PROBE: both count the forks of a program
beside() {
	if ! defined "$2"; then
		skip "$1 exactly" "this kernel has no such dynamic events"
		skip "$1 and afterwards" "this kernel has no such dynamic events"
		return
	fi
	echo >"$tracefs/trace"
	run -q -e "trace $3 { n += 1 } trace_end { print(n) }" -- "$workload" fork $n
	theirs=$(grep -c " other: " "$tracefs/trace")
	is "$1 exactly" "$code $(cat "$tmp/out") $theirs" "0 $n $n"
	echo >"$tracefs/trace"
	"$workload" fork $n
	theirs=$(grep -c " other: " "$tracefs/trace")
	is "$1 and afterwards" "$theirs" "$n"
	echo 0 >"$tracefs/events/$group/enable"
	echo "-:$group/other" >>"$events"
}

echo 1 >"$tracefs/tracing_on"
beside "tracepoint probe and raw tracepoint:" "t:$group/other sched_process_fork" rawtp:sched_process_fork
beside "tracepoint probe and tracepoint:" "t:$group/other sched_process_fork" sched:sched_process_fork
beside "kprobe and function:" "p:$group/other wake_up_new_task" probe:wake_up_new_task

# An event probe gives its records to one user only
if echo "e:$group/other sched/sched_process_fork pid=\$child_pid" >>"$events" 2>/dev/null; then
	refused event_probes_are_refused "$group:other" \
		"^-e:2:[0-9]+: error: event '$group:other' cannot be traced: it is made of another event: trace that one"
	echo "-:$group/other" >>"$events"
else
	skip event_probes_are_refused "this kernel has no event probes"
fi

# perf has an event of programs for itself alone
has_counter() { readlink "/proc/$1/fd/"* | grep -q 'anon_inode:\[perf_event\]'; }
if can_wait && echo "p:$group/user $here/utarget:0x1000" >>"$events" 2>/dev/null; then
	"$workload" counter "$(cat "$tracefs/events/$group/user/id")" wait page <&9 >/dev/null &
	counter=$!
	wait_until has_counter $counter
	refused event_that_perf_counts_is_refused "$group:user" \
		"^-e:2:[0-9]+: error: event '$group:user' cannot be attached: perf uses it\$"
	! grep -q 'did you mean' "$tmp/err"
	result $? event_that_perf_counts_gets_no_other_name
	refused event_of_a_pattern_is_named "$group:*" "error: event 'user' cannot be attached: perf uses it\$"
	go_on
	wait $counter
	run -q -e "trace $group:user { n += 1 } trace_end { print(n) }" -- true
	is event_is_free_afterwards "$code $(cat "$tmp/out")" "0 nil"
	echo "-:$group/user" >>"$events"
else
	skip event_that_perf_counts_is_refused "this kernel has no uprobe events"
	skip event_that_perf_counts_gets_no_other_name "this kernel has no uprobe events"
	skip event_of_a_pattern_is_named "this kernel has no uprobe events"
	skip event_is_free_afterwards "this kernel has no uprobe events"
fi

finish
