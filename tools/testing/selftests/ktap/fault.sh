#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Inject failures of each single memory allocation and user access (fault_session.c): each
# failure is reported, nothing leaks, and the next session works. With FULL=1 for all
# chunks, otherwise for a few.

. "$(dirname "$0")/lib.sh"
. "$here/chunks.sh"
debug=/sys/kernel/debug
[ -e /proc/self/fail-nth ] && [ -e $debug/failslab/require-start ] ||
	lacks "this kernel cannot inject faults by stack traces"
plan 14
code=0
kinds="failslab fail_page_alloc fail_usercopy"

# also allocations that may sleep, and single pages
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
# All chunks that end by themselves. The kernel warns if it cannot remove a kprobe at the
# beginning of a function without memory (__disarm_kprobe_ftrace()), so chunks with fetch
# arguments and kretprobes are left out. A kprobe within a function has no such warning.
cp "$chunks"/* "$all"
rm "$all"/endless.* "$all"/kprobe.*
[ -z "${FULL:-}" ] || some=$all

# the kernel's lists of probes
probes() {
	cat $debug/kprobes/list "$tracefs/enabled_functions" "$tracefs/dynamic_events" \
		"$tracefs/uprobe_profile" 2>/dev/null
}
probes >"$tmp/before"

# fault NAME ARGS...: inject all failures, and print the messages of the sessions
fault() {
	name=$1
	shift
	code=0
	"$here/fault_session" "$@" >"$tmp/out" 2>"$tmp/err" || code=$?
	grep -v '^! ' "$tmp/out" | sed 's/^/# /'
	[ $code = 0 ] && [ "$(value all)" -gt 0 ]
	result $? "$name"
}

# text NAME...: print the first address of these functions and the one after them
text() {
	awk -v names=" $* " '{ print $1, index(names, " " $3 " ") ? "in" : "out" }' /proc/kallsyms |
		sort | awk '$2 == "in" { if (!from) from = $1; to = "" } $2 == "out" && from && !to { to = $1 }
			END { print from, to }'
}

# These functions exist: a fault that is injected below an unknown name hits nothing.
unknown=
for name in load_output_work session_refill_work; do
	grep -q " [tT] $name\$" /proc/kallsyms || unknown="$unknown $name"
done
is functions_exist "$unknown" ""

fault refused_or_works_while_it_is_loaded load "$some"
fault works_or_says_so_while_it_is_used use "$some"
fault thread_goes_on thread "$some"
fault kthreadd_makes_no_thread create "$some"
# in the session's thread, which has fail-nth only after it is created
fault ring_buffer_has_no_objects site failslab $(text load_output_work) "$some"
fault ring_buffer_has_no_pages site fail_page_alloc $(text load_output_work) "$some"

# anywhere FUNCTIONS PERCENT: this share of the allocations below them fails
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

# growing the memory of a session in the background fails
anywhere session_refill_work 50
run -e 'trace syscalls:sys_enter_getppid /execname == "workload"/ { n += 1 t[n] = "text " .. n }
trace_end { print(len(t), n) }' -- "$workload" getppid 20000
nowhere
left=$(cut -f 1 "$tmp/out") tried=$(cut -f 2 "$tmp/out")
# too many entries, and values without memory
dropped=$(sed -n 's/.*dropped \([0-9]*\) .*/\1/p' "$tmp/err" | awk '{ n += $1 } END { print n + 0 }')
[ "$code" = 0 ] && [ "$tried" = 20000 ] && [ $((left + dropped)) = 20000 ] &&
	grep -q 'values: the system or its memory cgroup had no memory left' "$tmp/err"
result $? failed_growth_of_memory_is_reported
echo "# $left of $tried entries, dropped $dropped"

# all at once, in all functions of ktap and below them
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
