#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, whose clock counts instructions: see bench/peers and bench/profile.
#
# usage: peers.sh measure <JOBS
#	measure each job, a line ROW<tab>TOOL<tab>WORKLOAD<tab>SCRIPT, and print the results
#	that bench/peers.py reads
# usage: peers.sh cpus <JOBS
#	the same for jobs whose workload is cpus or memory: all CPUs make the calls at once
# usage: peers.sh profile <JOBS
#	make the calls of each job without it, and with it, for the plugin that counts them;
#	print a line profile<tab>ROW<tab>TOOL<tab>OPERATIONS, and then the addresses of all
#	functions, as in /proc/kallsyms

tracing=/sys/kernel/tracing
tab=$(printf '\t')
bare=/tmp/bare
# how often bench/icount.c has written counts
written=/tmp/written
mode=$1
mkdir -p $bare
# more than its limit of 1024
export BPFTRACE_MAX_PROBES=10000

# per_chunk WORKLOAD: the number of operations
per_chunk() {
	case $1 in
	yield | output | reader | open) echo 200 ;;
	*) echo 500 ;;
	esac
}

# operations WORKLOAD: of all chunks, without the first; yield switches twice
operations() {
	case $1 in
	yield) echo $((40 * 2 * $(per_chunk yield))) ;;
	*) echo $((40 * $(per_chunk "$1"))) ;;
	esac
}

# workload NAME: instructions of one operation
workload() {
	echo $(($(cat $written) + 1)) >$written
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
	cpus) calls_on_cpus ;;
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

# do_ftrace TEXT: write what ftrace gets
do_ftrace() {
	echo "$1" | sed 's/; /\n/g' >/tmp/ftrace
	while read -r file text; do
		echo "$text" >>"$tracing/$file" || return
	done </tmp/ftrace
}

undo_ftrace() {
	tac /tmp/ftrace | while read -r file text; do
		undo "$file" "$text" || return
	done
}

# start TOOL SCRIPT: run it; returns when it traces. The script is a file or its text
start() {
	option=-e
	[ ! -e "$2" ] || option=
	case $1 in
	ktap.interpreted) echo 0 >$tracing/ktap/jit ;;
	ktap*) echo 1 >$tracing/ktap/jit ;;
	esac
	case $1 in
	ktap*)
		# shellcheck disable=SC2086 # no word without an option
		ktap -q -w $option "$2" >/tmp/out 2>/tmp/err &
		tool=$!
		wait_for grep -q ' running ' $tracing/ktap/sessions
		;;
	bpftrace*)
		LD_LIBRARY_PATH=/bpftrace/lib /bpftrace/bpftrace $option "$2" >/tmp/out 2>/tmp/err &
		tool=$!
		wait_for grep -q '^Attached' /tmp/err
		;;
	ftrace)
		cat $tracing/trace_pipe >/tmp/out 2>/tmp/err &
		tool=$!
		do_ftrace "$2" 2>/tmp/err
		;;
	esac
}

# undo FILE TEXT: take back what was written to a file of ftrace
undo() {
	case $1 in
	*/enable) set -- "$1" 0 ;;
	current_tracer) set -- "$1" nop ;;
	set_ftrace_filter) : >"$tracing/$1"; return ;;
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
		undo_ftrace 2>/tmp/err || return
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
		cp $written "$bare/$1.written"
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
	case $2,$3 in
	ktap,*.bt) set -- "$1" "$2" Attached ktap -w "$3" ;;
	bpftrace,*.bt) set -- "$1" "$2" Attached /bpftrace/bpftrace "$3" ;;
	ktap,*) set -- "$1" "$2" running ktap -q -w -e "$3" ;;
	ftrace,*) set -- "$1" "$2" running sh /bench/peers.sh ftrace "$3" ;;
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
		[ "$3" = reader ] || printf 'written\t%s\t%s\t%d\t%d\t%d\n' "$1" "$2" "$(operations "$3")" \
			"$(cat "$bare/$3.written")" "$(cat $written)"
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
	printf 'profile\t%s\t%s\t%d\n' "$1" "$2" "$(operations "$3")"
	cat /proc/kallsyms
	stop "$2"
}

# calls_on_cpus: instructions of a call on average over all CPUs, which make them at once
calls_on_cpus() {
	took=$(/ktap/selftests/workload timed cpus "$cpus" getppid 20000) || return
	echo $((took / (20000 * cpus)))
}

# kernel_memory: in KiB: slab, per CPU, vmalloc, and pages of the kernel of no other kind, which
# are neither free nor kept by a CPU as free pages
kernel_memory() {
	# what is freed after a grace period
	sleep 2
	echo 3 >/proc/sys/vm/drop_caches
	awk '$1 == "count:" { kept += 4 * $2 }
		FILENAME == "/proc/meminfo" { kib[$1] = $2 }
		END {
			slab = kib["Slab:"]; percpu = kib["Percpu:"]; vmalloc = kib["VmallocUsed:"]
			print slab, percpu, vmalloc, kib["MemTotal:"] - kib["MemFree:"] - kept - kib["Cached:"] -
				kib["Buffers:"] - kib["AnonPages:"] - kib["PageTables:"] - slab - percpu - vmalloc
		}' /proc/meminfo /proc/zoneinfo
}

# memory ROW TOOL SCRIPT: what the kernel has more for a session. The first one allocates what
# stays; the difference that two more make is divided by two, because memory for each CPU is
# allocated by pages, which sessions share.
memory() {
	start "$2" "$3" && calls_on_cpus >/dev/null || return
	tools=$tool
	before=$(kernel_memory)
	for _ in 1 2; do
		start "$2" "$3" && sleep 1 || return
		tools="$tools $tool"
	done
	calls_on_cpus >/dev/null || return
	after=$(kernel_memory)
	size=$(awk '$1 == "VmRSS:" { print $2 }' "/proc/$tool/status")
	for tool in $tools; do
		stop "$2" || return
	done
	# shellcheck disable=SC2086 # four numbers
	set -- "$1" "$2" $before $after
	printf 'memory\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\n' "$1" "$2" "$cpus" \
		$((($7 - $3) / 2)) $((($8 - $4) / 2)) $((($9 - $5) / 2)) $(((${10} - $6) / 2)) "$size"
}

# on_cpus ROW TOOL SCRIPT
on_cpus() {
	without=$(bare cpus)
	# the second time the entries exist
	start "$2" "$3" && calls_on_cpus >/dev/null && with=$(calls_on_cpus) && stop "$2" || return
	printf 'cpus\t%s\t%s\t%d\t%d\n' "$1" "$2" "$cpus" $((with - without))
}

# cpus ROW TOOL WORKLOAD SCRIPT
cpus() {
	: >/tmp/out
	: >/tmp/err
	case $3 in
	memory) memory "$1" "$2" "$4" ;;
	*) on_cpus "$1" "$2" "$4" ;;
	esac || failed "$1, $cpus CPUs" "$2"
}

if [ "$mode" = ftrace ]; then
	# a tool that is ready when it has written a line, and ends at a signal
	do_ftrace "$2" || exit
	trap 'kill $!; undo_ftrace && exit 0; exit 1' INT
	sleep 1000 &
	echo running
	wait
fi

exec 3>&1
echo 0 >$written
cpus=$(grep -c '^processor' /proc/cpuinfo)
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
