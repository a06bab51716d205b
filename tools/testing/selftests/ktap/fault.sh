#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Memory that runs out, and pages of the user that cannot be reached, at each single
# place (fault_session.c): whatever fails says so, nothing of it stays behind, and the next
# session works.  FULL=1 sweeps over all chunks, otherwise over a few.

. "$(dirname "$0")/lib.sh"
. "$here/chunks.sh"
debug=/sys/kernel/debug
[ -e /proc/self/fail-nth ] && [ -e $debug/failslab/require-start ] ||
	lacks "this kernel injects no faults by stack traces"
plan 13
code=0
kinds="failslab fail_page_alloc fail_usercopy"

# also what may wait for memory, and is one page
for kind in $kinds; do
	echo 0 >$debug/$kind/probability
	echo 0 >$debug/$kind/verbose
done
echo 0 >$debug/failslab/ignore-gfp-wait
echo 0 >$debug/fail_page_alloc/ignore-gfp-wait
echo 0 >$debug/fail_page_alloc/ignore-gfp-highmem
echo 0 >$debug/fail_page_alloc/min-order

make_chunks
some=$tmp/some all=$tmp/all
mkdir "$some" "$all"
for name in control syscalls uprobe rawtp; do
	cp "$chunks/$name".* "$some"
done
# All that come to an end.  The kernel warns when a kprobe at the beginning of a function
# cannot be taken out for want of memory (__disarm_kprobe_ftrace()): fetch arguments are
# left out, and what returns with such.  A kprobe inside of a function is none of these.
cp "$chunks"/* "$all"
rm "$all"/endless.* "$all"/kprobe.*
[ -z "${FULL:-}" ] || some=$all

# what others see of probes
probes() {
	cat $debug/kprobes/list "$tracefs/enabled_functions" "$tracefs/dynamic_events" \
		"$tracefs/uprobe_profile" 2>/dev/null
}
probes >"$tmp/before"

# fault NAME ARGS...: a sweep, and what the sessions said
fault() {
	name=$1
	shift
	code=0
	"$here/fault_session" "$@" >"$tmp/out" 2>"$tmp/err" || code=$?
	grep -v '^! ' "$tmp/out" | sed 's/^/# /'
	[ $code = 0 ] && [ "$(value all)" -gt 0 ]
	result $? "$name"
}

# text NAME...: where the functions begin, and where what is behind them does
text() {
	awk -v names=" $* " '{ print $1, index(names, " " $3 " ") ? "in" : "out" }' /proc/kallsyms |
		sort | awk '$2 == "in" { if (!from) from = $1; to = "" } $2 == "out" && from && !to { to = $1 }
			END { print from, to }'
}

fault refused_or_works_while_it_is_loaded load "$some"
fault works_or_says_so_while_it_is_used use "$some"
fault thread_goes_on thread "$some"
fault kthreadd_makes_no_thread create "$some"
# in the session's thread, which has no fail-nth before there is one
fault ring_buffer_has_no_objects site failslab $(text output_work) "$some"
fault ring_buffer_has_no_pages site fail_page_alloc $(text output_work) "$some"

# anywhere FUNCTION... -- PERCENT: allocations below them fail that often
anywhere() {
	range=$(text $1)
	for kind in failslab fail_page_alloc; do
		echo 0x"${range% *}" >$debug/$kind/require-start
		echo 0x"${range#* }" >$debug/$kind/require-end
		echo 32 >$debug/$kind/stacktrace-depth
		echo 0 >$debug/$kind/space
		echo -1 >$debug/$kind/times
		echo "$2" >$debug/$kind/probability
	done
}
nowhere() {
	for kind in failslab fail_page_alloc; do
		echo 0 >$debug/$kind/probability
		echo 0 >$debug/$kind/require-start
		echo 0xffffffffffffffff >$debug/$kind/require-end
	done
}

# the memory of a script grows behind its handlers: it may not
anywhere refill_work 50
run -e 'trace syscalls:sys_enter_getppid /execname == "workload"/ { n += 1 t[n] = "text " .. n }
trace_end { print(len(t), n) }' -- "$workload" getppid 20000
nowhere
left=$(cut -f 1 "$tmp/out") tried=$(cut -f 2 "$tmp/out")
# entries of which there are too many, and values for which there was no memory
dropped=$(sed -n 's/.*dropped \([0-9]*\) .*/\1/p' "$tmp/err" | awk '{ n += $1 } END { print n + 0 }')
[ "$code" = 0 ] && [ "$tried" = 20000 ] && [ $((left + dropped)) = 20000 ] &&
	grep -q 'values: the system or its memory cgroup had no memory left' "$tmp/err"
result $? segments_are_missing_and_that_is_told
echo "# $left of $tried entries, dropped $dropped"

# all at once, in all of ktap and below it
symbols=$(sed -n 's/^[0-9a-f]* T \(ktap_[a-z_0-9]*\)$/\1/p' /proc/kallsyms)
anywhere "$symbols" 10
code=0
"$here/hammer_session" "$chunks" "${SEED:-1}" "${SECONDS_:-20}" >"$tmp/out" 2>"$tmp/err" || code=$?
nowhere
[ $code = 0 ] && [ "$(value refused)" -gt 0 ]
result $? anything_fails_at_any_time
sed 's/^/# /' "$tmp/out"

wait_until no_sessions
result $? no_session_is_left
probes >"$tmp/out"
cmp -s "$tmp/before" "$tmp/out"
result $? no_probe_is_left
run -q -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }' -- "$workload" getppid 100
out all_works_afterwards '100\n'
no_leaks nothing_is_leaked
no_complaints kernel_did_not_complain

finish
