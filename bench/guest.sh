#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest: see bench/run. A line a result: NAME, instructions, and how
# many times the first one of its part that is.

tracing=/sys/kernel/tracing
events=20000

# Prints what stands on standard input as a table: lines of NAME<tab>NUMBER.
table() {
	awk -F '\t' -v part="$1" '
		BEGIN { printf "%-44s %12s %9s\n", part, "instructions", "ratio" }
		!reference { reference = $2 > 0 ? $2 : 1 }
		{ printf "%-44s %12d %9.2f\n", "  " $1, $2, $2 / reference }'
	echo
}

# script FILE: its own measurements, on one CPU in process context
script() {
	ktap -q -w "/bench/$1.kp" | table "$2"
}

# Nanoseconds, that is instructions, of $events calls of getppid().
calls() {
	/ktap/selftests/workload timed getppid $events
}

# What the calls cost more than before is the price of an event.
without=$(calls)
cost() {
	printf '%s\t%d\n' "$1" $((($(calls) - without) / events))
}

# ktap_cost NAME SCRIPT: the session runs and is read by another process
ktap_cost() {
	ktap -q -w -o /dev/null -e "$2" 2>/tmp/err &
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
	ktap_cost 'nothing' 'trace syscalls:sys_enter_getppid { }'
	ktap_cost 'n += 1' 'trace syscalls:sys_enter_getppid { n += 1 }'
	ktap_cost 's[pid] += 1' 'trace syscalls:sys_enter_getppid { s[pid] += 1 }'
	ktap_cost 's[execname] += 1' 'trace syscalls:sys_enter_getppid { s[execname] += 1 }'
	ktap_cost 's[pid, execname] += 1' 'trace syscalls:sys_enter_getppid { s[pid, execname] += 1 }'
	ktap_cost 'h <<< nsecs' 'h = hist() trace syscalls:sys_enter_getppid { h <<< nsecs }'
	ktap_cost 'h[pid] <<< nsecs' 'h = hist() trace syscalls:sys_enter_getppid { h[pid] <<< nsecs }'
	ktap_cost 'filter that is false' 'trace syscalls:sys_enter_getppid /pid == 1/ { n += 1 }'
	ktap_cost 'printf of two values' 'trace syscalls:sys_enter_getppid { printf("%d %s\n", pid, execname) }'
	ktap_cost 'all syscalls: n += 1' 'trace raw_syscalls:sys_enter { n += 1 }'
}

for part; do
	case $part in
	vm) script vm 'the virtual machine' ;;
	table) script table 'tables, 1000 entries' ;;
	event) event_costs | table 'an event, the bare system call apart' ;;
	esac
done
