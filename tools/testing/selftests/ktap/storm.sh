#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Events of all kinds at once, from every context including NMI, while another session
# counts exactly. The kernel neither complains nor stalls, and nothing remains attached.
# With STORM=SECONDS every function and every tracepoint, each kind for this time, and
# then all of them.

. "$(dirname "$0")/lib.sh"
needs fprobes
storm=${STORM:-0}
[ "$storm" = 0 ] && plan 7 || plan 13

seconds=$((300 + 10 * storm))
n=500

# distinguishes its calls from those of the counted workload
noise=$tmp/noise
cp "$workload" "$noise"

# nmi: make every other CPU show its stack, in NMI
nmi() { echo l >/proc/sysrq-trigger; }
level=$(cut -f 1 /proc/sys/kernel/printk)
dmesg -n 1
trap 'dmesg -n "$level"; rm -rf "$tmp"' EXIT

# hits_of PID: print the hits of all probes of its session
hits_of() {
	awk -v pid="$1" '/^[0-9]/ { mine = $2 == pid }
		mine && sub(/.* hits=/, "") { n += $1 }
		END { print n + 0 }' "$tracefs/ktap/sessions"
}

# storm NAME SCRIPT: run it under loads of all kinds while a second session counts
nmis=', nmi:*'
has nmi:nmi_handler || nmis=

storm() {
	name=$1
	"$KTAP" -q -e "$2" >"$tmp/storm.out" 2>"$tmp/storm.err" </dev/null &
	stormer=$!
	reaches $stormer running
	running=$?
	"$noise" bursts 2 &
	loader=$!
	end=$(($(date +%s) + storm))
	rounds=0 counted=
	while [ $rounds -lt 1 ] || [ "$(date +%s)" -lt $end ]; do
		rounds=$((rounds + 1))
		nmi
		"$noise" fork 5
		"$noise" open /proc/version 20
		run -q -e 'trace syscalls:sys_enter_getppid /execname == "workload"/ { n += 1 }
trace_end { print(n) }' -- "$workload" getppid $n
		counted=$(printf '%s\n' $counted "$code:$(cat "$tmp/out" "$tmp/err")" | sort -u)
	done
	hits=$(hits_of $stormer)
	kill -KILL $loader
	wait $loader 2>/dev/null
	tracer=$stormer
	stop
	cp "$tmp/storm.out" "$tmp/out"
	cp "$tmp/storm.err" "$tmp/err"
	echo "# $name: $hits events in $rounds rounds"
	[ "$running $code" = "0 0" ] && [ "$hits" -gt 1000 ]
	result $? "$name"
	is "${name}_and_others_count_exactly" "$counted" "0:$n"
}

if [ "$storm" = 0 ]; then
	storm some_functions 'trace probe:vfs_*, probe:*_lock { s[probefunc] += 1 }
trace probe:vfs_*%return { t[retval] += 1 } trace ftrace:function /ip == vfs_*/ { f += 1 }'
	storm some_tracepoints 'trace sched:*, irq:*, timer:*, syscalls:*'"$nmis"' { s[probename] += 1 k[kstack(4)] += 1 }
trace profile-1ms { k[kstack] += 1 }'
else
	storm all_functions 'trace probe:* { s[probefunc] += 1 }'
	storm all_returns 'trace probe:*%return { s[probefunc] += 1 t[retval] += 1 }'
	storm function_tracer 'trace ftrace:function { s[ip] += 1 }'
	storm all_tracepoints 'trace *:* { s[probename] += 1 k[kstack(4)] += 1 }'
	storm all_kinds 'trace probe:* { s[probefunc] += 1 } trace probe:*%return { a <<< retval }
trace ftrace:function { f += 1 } trace *:* { e += 1 } trace profile-1ms { k[kstack] += 1 } a = stats()'
fi

wait_until no_sessions
# powerpc has a kprobe at the trampoline of kretprobes
is nothing_stays_attached "$(wc -l <"$tracefs/enabled_functions") $(grep -vc arch_rethook_trampoline /sys/kernel/debug/kprobes/list)" "0 0"

# Handlers in NMI run as often as /proc/interrupts counts. If a CPU is not idle, its
# registers are shown by a traced function.
count_nmis() { awk '$1 == "NMI:" { for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' /proc/interrupts; }
before=$(count_nmis)
nmi
if [ "$(count_nmis)" -gt "$before" ]; then
	"$noise" spin $cpus &
	loader=$!
	start -q -e 'trace nmi:nmi_handler { t[args.handler] += 1 n += 1 if (in_interrupt) { i += 1 } }
trace probe:show_regs { shown += 1 }
trace_end { most = 0 for (k, v in pairs(t)) { most = max(most, v) } print(most, i == n, shown > 0) }'
	before=$(count_nmis)
	for round in 1 2 3 4 5 6 7 8 9 10; do nmi; done
	after=$(count_nmis)
	kill -KILL $loader
	wait $loader 2>/dev/null
	stop
	out handlers_in_nmi "$((after - before))\ttrue\ttrue\n"
else
	skip handlers_in_nmi "no NMI came"
fi

dmesg -n "$level"
no_complaints no_complaints

finish
