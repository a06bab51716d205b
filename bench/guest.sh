#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest: see bench/run. Each result is a line: name, instructions, and the
# ratio to the first line of its part; those of attaching have more columns.

tracing=/sys/kernel/tracing
events=20000

# Print standard input, lines of NAME<tab>NUMBER, as a table.
table() {
	awk -F '\t' -v part="$1" '
		BEGIN { printf "%-44s %12s %9s\n", part, "instructions", "ratio" }
		!reference { reference = $2 > 0 ? $2 : 1 }
		{ printf "%-44s %12d %9.2f\n", "  " $1, $2, $2 / reference }'
	echo
}

# script FILE TITLE: the measurements that it makes itself, on one CPU in process context
script() {
	ktap -q -w "/bench/$1.kp" | table "$2"
}

# Nanoseconds, that is instructions, of $events calls of getppid().
calls() {
	/ktap/selftests/workload timed getppid $events
}

# The cost of an event is the difference to the calls without it.
without=$(calls)
cost() {
	printf '%s\t%d\n' "$1" $((($(calls) - without) / events))
}

# ktap_cost NAME SCRIPT [OPTION]: the session runs and is read by another process
ktap_cost() {
	ktap -q -w -o /dev/null ${3:+"$3"} -e "$2" 2>/tmp/err &
	tracer=$!
	while ! grep -q ' running ' $tracing/ktap/sessions; do
		kill -0 $tracer 2>/dev/null || { cat /tmp/err >&2; exit 1; }
		usleep 1000
	done
	cost "$1"
	kill -INT $tracer
	wait $tracer
}

# trigger_cost NAME TRIGGER: ftrace's own histogram
trigger_cost() {
	trigger=$tracing/events/syscalls/sys_enter_getppid/trigger
	echo "$2" >$trigger 2>/dev/null || return
	cost "$1"
	echo "!$2" >$trigger
}

event_costs() {
	enable=$tracing/events/syscalls/sys_enter_getppid/enable
	echo 1 >$enable
	cost 'ftrace: the event in its ring buffer'
	echo 0 >$enable
	trigger_cost 'ftrace: hist trigger by pid' 'hist:keys=common_pid'
	trigger_cost 'ftrace: hist trigger by pid and name' 'hist:keys=common_pid.execname'
	ktap_cost 'nothing' 'trace syscalls:sys_enter_getppid { }'
	ktap_cost 'n += 1' 'trace syscalls:sys_enter_getppid { n += 1 }'
	# without the option about one run in 16 is measured, which has a part of this cost
	ktap_cost 'n += 1, each one measured' 'trace syscalls:sys_enter_getppid { n += 1 }' --max-overhead=99
	ktap_cost 's[pid] += 1' 'trace syscalls:sys_enter_getppid { s[pid] += 1 }'
	ktap_cost 's[execname] += 1' 'trace syscalls:sys_enter_getppid { s[execname] += 1 }'
	ktap_cost 's[pid, execname] += 1' 'trace syscalls:sys_enter_getppid { s[pid, execname] += 1 }'
	ktap_cost 'h <<< nsecs' 'h = hist() trace syscalls:sys_enter_getppid { h <<< nsecs }'
	ktap_cost 'h[pid] <<< nsecs' 'h = hist() trace syscalls:sys_enter_getppid { h[pid] <<< nsecs }'
	ktap_cost 'filter that is false' 'trace syscalls:sys_enter_getppid /pid == 1/ { n += 1 }'
	ktap_cost 'printf of two values' 'trace syscalls:sys_enter_getppid { printf("%d %s\n", pid, execname) }'
	ktap_cost 'all syscalls: n += 1' 'trace raw_syscalls:sys_enter { n += 1 }'
	ktap_cost 'raw tracepoint: n += 1' 'trace rawtp:sys_enter { n += 1 }'
	ktap_cost 'function: n += 1' 'trace probe:*_sys_getppid { n += 1 }'
	ktap_cost 'function, its return: n += 1' 'trace probe:*_sys_getppid%return { n += 1 }'
	ktap_cost 'entry and exit: h <<< nsecs - self.t' 'h = hist() trace syscalls:sys_enter_getppid { self.t = nsecs }
		trace syscalls:sys_exit_getppid { h <<< nsecs - self.t }'
	# an event that is not traced costs nothing, with another session and after one
	ktap_cost 'a session with another event' 'trace sched:sched_process_exec { n += 1 }'
	cost 'no session'
}

# The same on all CPUs at once: prints lines of NAME<tab>NUMBER, for bench/run.
cpus=$(grep -c '^processor' /proc/cpuinfo)
each=20000

# Nanoseconds, that is instructions, of a call on average over all CPUs.
calls_on_cpus() {
	echo $(($(/ktap/selftests/workload timed cpus "$cpus" getppid $each) / (each * cpus)))
}

cpus_cost() {
	ktap -q -w -m 16M -o /dev/null -e "$2" 2>/tmp/err &
	tracer=$!
	while ! grep -q ' running ' $tracing/ktap/sessions; do
		kill -0 $tracer 2>/dev/null || { cat /tmp/err >&2; exit 1; }
		usleep 1000
	done
	# the second time the entries exist
	calls_on_cpus >/dev/null
	printf '%s\t%d\n' "$1" $(($(calls_on_cpus) - without_on_cpus))
	kill -INT $tracer
	wait $tracer
}

cpus_costs() {
	event='trace syscalls:sys_enter_getppid'
	without_on_cpus=$(calls_on_cpus)
	cpus_cost 'nothing' "$event { }"
	# from an empty table; each CPU has its own keys
	cpus_cost 'insert, 100 events later delete' \
		"t = table.new(0, 2000) n = {} $event { var i = n[cpu] + (cpu << 32) t[i] = i t[i - 100] = nil n[cpu] += 1 }"
	cpus_cost 'the same without table' "n = {} $event { var i = n[cpu] + (cpu << 32) n[cpu] += 1 }"
	cpus_cost 't[pid] = 1: a key for each CPU' "$event { t[pid] = 1 }"
	cpus_cost 't[pid] += 1: a key for each CPU' "$event { t[pid] += 1 }"
	cpus_cost 't[0] += 1: one key for all' "$event { t[0] += 1 }"
	cpus_cost 'g += 1' "$event { g += 1 }"
	cpus_cost 's <<< pid' "s = stats() $event { s <<< pid }"
	cpus_cost 's[pid] <<< 1: a key for each CPU' "s = stats() $event { s[pid] <<< 1 }"
	cpus_cost 's[0] <<< 1: one key for all' "s = stats() $event { s[0] <<< 1 }"
}

# Attaching and detaching: instructions of the thread that does it (bench/attach.c), and
# how often it patches the kernel's text and waits for a grace period.
columns='%-34s %6s %9s %9s %7s %7s %5s %5s'

# counted COMMAND...: run it while a session counts its patches and waits
counted() {
	ktap -q -w -o /tmp/counts -e 'trace probe:smp_text_poke_batch_finish, probe:synchronize_rcu,
	probe:synchronize_srcu, probe:synchronize_rcu_tasks, probe:synchronize_rcu_tasks_rude
	/execname == "attach" || execname == "detach"/ {
		if (probefunc == "smp_text_poke_batch_finish") { patches[execname] += 1 } else { waits[execname] += 1 }
	}
	trace_end {
		print(patches["attach"] + 0, patches["detach"] + 0, waits["attach"] + 0, waits["detach"] + 0)
	}' &
	counter=$!
	while ! grep -q ' running ' $tracing/ktap/sessions; do
		kill -0 $counter 2>/dev/null || exit 1
		usleep 1000
	done
	"$@" >/dev/null
	kill -INT $counter
	wait $counter
}

# attaching NAME COMMAND...: run it once to measure and once to count
attaching() {
	name=$1
	shift
	"$@" >/dev/null
	cost=$("$@")
	counted "$@"
	# shellcheck disable=SC2046,SC2059,SC2086 # three numbers, then four
	printf "$columns\n" "$name" $cost $(cat /tmp/counts)
}

# by_ktap NAME SCRIPT [OTHER]
by_ktap() {
	ktapc -w -e "$2" -o /tmp/chunk
	attaching "  $1" /bench/attach session /tmp/chunk ${3:+"$3"}
}

by_ftrace() {
	name=$1
	shift
	attaching "    ftrace: $name" /bench/attach write "$@"
}

attaching_costs() {
	cd $tracing || exit 1
	# shellcheck disable=SC2059 # the columns
	printf "$columns\n" 'attaching and detaching' events attach detach patches patches waits waits
	by_ktap 'a session without events' 'trace_end { }'
	by_ktap 'syscalls:*' 'trace syscalls:* { }'
	by_ftrace 'events/syscalls/enable' set_event events/syscalls/enable 1 0
	by_ktap '*:*' 'trace *:* { }'
	by_ftrace 'events/enable' set_event events/enable 1 0
	by_ktap '*:*, and it once more' 'trace *:* { } trace *:* { }'
	by_ktap '*:*, as the first of two sessions' 'trace *:* { }' /tmp/chunk
	functions=$(grep -Ex 'vfs_[a-z0-9_]*' available_filter_functions | sort | uniq -u)
	by_ktap 'kprobe:vfs_*' 'trace kprobe:vfs_* { }'
	by_ftrace 'set_ftrace_filter, function' enabled_functions set_ftrace_filter 'vfs_*' '' \
		current_tracer function nop
	by_ftrace 'kprobe_events' kprobe_events \
		kprobe_events "$(echo "$functions" | sed 's/.*/p:&/; s/p:\(.*\)/p:bench\/\1 \1/')" '' \
		events/bench/enable 1 0
	by_ktap 'kprobe:[a-c]*' 'trace kprobe:[a-c]* { }'
	by_ftrace 'set_ftrace_filter, function' enabled_functions set_ftrace_filter '[a-c]*' '' \
		current_tracer function nop
	by_ktap 'kretprobe:[a-c]*' 'trace kretprobe:[a-c]* { }'
	by_ktap 'of all kinds' 'trace sched:*, syscalls:*, kprobe:vfs_*, kretprobe:vfs_*, kprobe:vfs_read+0x4 { }
		trace rawtp:sched_switch { } trace profile-99hz { } tick-1s { }'
	echo
}

for part; do
	case $part in
	attach) attaching_costs ;;
	vm) script vm 'the virtual machine' ;;
	table) script table 'tables, 1000 entries' ;;
	cpus) cpus_costs ;;
	event) event_costs | table 'an event, the bare system call apart' ;;
	esac
done
