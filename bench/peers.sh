#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, whose clock counts instructions: see bench/peers and bench/profile.
#
# usage: peers.sh measure <JOBS
#	measure each job, a line ROW<tab>TOOL<tab>WORKLOAD<tab>SCRIPT, and print the results
#	that bench/peers.py reads
# usage: peers.sh profile <JOBS
#	make the calls of each job without it, and with it, for the plugin that counts them;
#	print a line profile<tab>ROW<tab>TOOL<tab>OPERATIONS, and then the addresses of all
#	functions, as in /proc/kallsyms

tracing=/sys/kernel/tracing
tab=$(printf '\t')
bare=/tmp/bare
mode=$1
mkdir -p $bare

# per_chunk WORKLOAD: the number of operations
per_chunk() {
	case $1 in
	yield | output | reader) echo 200 ;;
	*) echo 500 ;;
	esac
}

# workload NAME: instructions of one operation
workload() {
	case $1 in
	reader)
		before=$(/bench/calls cpu "$tool")
		/bench/calls output 200 >/dev/null
		# until all is read
		sleep 2
		after=$(/bench/calls cpu "$tool")
		# 40 chunks and one to warm up
		awk "BEGIN { printf \"%.2f\n\", ($after - $before) / (200 * 41) }"
		;;
	*) /bench/calls "$1" "$(per_chunk "$1")" ;;
	esac
}

# wait_for COMMAND...: until it succeeds, as long as the tool runs, and at most a minute
wait_for() {
	tries=0
	while ! "$@" >/dev/null 2>&1; do
		kill -0 "$tool" 2>/dev/null || return
		tries=$((tries + 1))
		[ $tries -lt 6000 ] || { echo 'it does not begin to trace' >>/tmp/err; return 1; }
		usleep 10000
	done
}

# start TOOL SCRIPT: run it; returns when it traces
start() {
	case $1 in
	ktap*)
		ktap -q -w -e "$2" >/tmp/out 2>/tmp/err &
		tool=$!
		wait_for grep -q ' running ' $tracing/ktap/sessions
		;;
	bpftrace*)
		LD_LIBRARY_PATH=/bpftrace/lib /bpftrace/bpftrace -e "$2" >/tmp/out 2>/tmp/err &
		tool=$!
		wait_for grep -q '^Attached' /tmp/err
		;;
	ftrace)
		echo "$2" | sed 's/; /\n/g' >/tmp/ftrace
		cat $tracing/trace_pipe >/tmp/out 2>/tmp/err &
		tool=$!
		while read -r file text; do
			echo "$text" >>"$tracing/$file" || return
		done </tmp/ftrace 2>/tmp/err
		;;
	esac
}

# undo FILE TEXT: take back what was written to a file of ftrace
undo() {
	case $1 in
	*/enable) set -- "$1" 0 ;;
	dynamic_events) set -- "$1" "-:$(echo "${2#*:}" | cut -d ' ' -f 1)" ;;
	*) set -- "$1" "!$2" ;;
	esac
	echo "$2" >>"$tracing/$1"
}

# stop TOOL: stop it, and fail if it failed or lost something
stop() {
	kill -INT "$tool" 2>/dev/null
	if [ "$1" = ftrace ]; then
		{ kill "$tool"; wait "$tool"; } 2>/dev/null
		tac /tmp/ftrace | while read -r file text; do
			undo "$file" "$text" || return
		done 2>/tmp/err || return
	else
		wait "$tool" || return
	fi
	! grep -i -E 'error|lost' /tmp/err /tmp/out >/tmp/lost || { cat /tmp/lost >>/tmp/err; return 1; }
}

# bare WORKLOAD: without a tool, measured once
bare() {
	[ "$1" != reader ] || { echo 0; return; }
	if [ ! -f "$bare/$1" ]; then
		workload "$1" >"$bare/$1"
		printf 'bare\t%s\t%s\n' "$1" "$(cat "$bare/$1")" >&3
	fi
	cat "$bare/$1"
}

# failed ROW TOOL: print what the tool said
failed() {
	printf 'cost\t%s\t%s\t%s\n' "$1" "$2" "$(tr -s '\n\t' '  ' </tmp/err)"
}

# measure_start ROW TOOL SCRIPT: how long it takes to start
measure_start() {
	case $2 in
	ktap) set -- "$1" "$2" running ktap -q -w -e "$3" ;;
	*) set -- "$1" "$2" Attached /bpftrace/bpftrace -e "$3" ;;
	esac
	row=$1 name=$2
	shift 2
	if took=$(LD_LIBRARY_PATH=/bpftrace/lib /bench/calls start "$@" 2>/tmp/err); then
		printf 'start\t%s\t%s\t%s\n' "$row" "$name" "$(echo "$took" | tr ' ' '\t')"
	else
		failed "$row" "$name"
	fi
}

# measure ROW TOOL WORKLOAD SCRIPT
measure() {
	if [ "$3" = start ]; then
		measure_start "$1" "$2" "$4"
		return
	fi
	: >/tmp/out
	: >/tmp/err
	without=$(bare "$3")
	if start "$2" "$4" && with=$(workload "$3") && stop "$2"; then
		# all events cost more than that
		awk -v row="$1" -v tool="$2" "BEGIN { cost = $with - $without
			printf \"cost\t%s\t%s\t\", row, tool
			if (cost > 20) printf \"%.2f\n\", cost; else print \"nothing is traced\" }"
	else
		failed "$1" "$2"
		stop "$2" 2>/dev/null
	fi
}

# profile ROW TOOL WORKLOAD SCRIPT
profile() {
	: >/tmp/out
	: >/tmp/err
	workload "$3" >/dev/null
	if ! start "$2" "$4" || ! workload "$3" >/dev/null; then
		cat /tmp/err >&2
		exit 1
	fi
	printf 'profile\t%s\t%s\t%d\n' "$1" "$2" $((40 * $(per_chunk "$3")))
	cat /proc/kallsyms
	stop "$2"
}

exec 3>&1
if [ "$mode" = measure ]; then
	printf 'version\tLinux\t%s\n' "$(uname -r)"
	printf 'version\tktap\t%s\n' "$(ktap --version | sed 's/ktap //')"
fi
# in the first seconds after boot a switch of tasks costs less
sleep 5
echo 1 >/proc/sys/net/core/bpf_jit_enable
echo 1 >/proc/sys/net/core/bpf_jit_kallsyms
echo 0 >/proc/sys/kernel/kptr_restrict
while IFS=$tab read -r row name what script; do
	"$mode" "$row" "$name" "$what" "$script" </dev/null
done
