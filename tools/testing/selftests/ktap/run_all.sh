#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the named tests (without .sh), or all except smoke, and print the sums. The name
# "interpreted" stands for smoke and all those that may run differently without native code.
# KTAP_JIT=0: no handler is compiled, except by the tests of native code.
# KTAP_SECONDS=N: no test begins later than N seconds from now; those are named, as skipped.
# KTAP_DIVIDE=N: tests that repeat something often do it N times less often (lib.sh).
cd "$(dirname "$0")" || exit 1

all="session bad_chunks session_over_socket tracefs_files minimal exact language portable"
all="$all arguments tracepoint user_events field probe_order condition trace_on memory act speculation testing"
all="$all json list dry record"
all="$all fault_plan pid_and_cpu_filters thread_filters oneliners listings original_scripts timer perf watch iter packet"
all="$all scripts scripts_io scripts_system scripts_programs"
all="$all function btf bpftrace cdef cgroup path ffi_call ffi_any fetch uprobe ustack usym utypes usdt ulib absent disappearing_programs"
all="$all session_by_hand detach kept_session loss memory_limit memcg self with_other_tracers compat"
all="$all exit permissions signed overhead jit jit_always module hotplug churn kill"
all="$all hammer fault storm"
# the last one: it locks down the kernel
all="$all lockdown"
# Those that do the same with native code and without: no handler runs, or language runs the
# same scripts (portable), or they choose between the two themselves (jit, jit_always).
indifferent="session_over_socket tracefs_files signed portable jit jit_always"
[ $# -gt 0 ] || set -- $all
if [ "$*" = interpreted ]; then
	set -- smoke
	for name in $all; do
		case " $indifferent " in
		*" $name "*) ;;
		*) set -- "$@" "$name" ;;
		esac
	done
fi
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.code"' EXIT
passed=0 failed=0 skipped=0
jit=/sys/kernel/tracing/ktap/jit
uptime() { cut -d. -f1 /proc/uptime; }
end=${KTAP_SECONDS:+$(($(uptime) + KTAP_SECONDS))}

for name; do
	if [ -n "$end" ] && [ "$(uptime)" -ge "$end" ]; then
		echo "# left out: $name"
		skipped=$((skipped + 1))
		continue
	fi
	test=./$name
	[ -f "$test" ] || test=./$name.sh
	echo "# $name"
	begin=$(uptime)
	case ${KTAP_JIT:-1}$name in
	0jit | 0jit_always) echo 1 >"$jit" ;;
	0*) echo 0 >"$jit" ;;
	esac
	{
		code=0
		"$test" 2>&1 || code=$?
		echo $code >"$log.code"
	} | tee "$log"
	code=$(cat "$log.code")
	p=$(grep -E '^ok ' "$log" | grep -vc '# SKIP')
	s=$(grep -Ec '^ok .*# SKIP|^1\.\.0 # SKIP' "$log")
	f=$(grep -Ec '^not ok ' "$log")
	# a test that dies has failed, whatever it printed
	[ "$code" = 0 ] || [ "$code" = 4 ] || [ "$f" != 0 ] || f=1
	[ "$f$p$s" = 000 ] && f=1
	[ "$code" = 0 ] || [ "$code" = 4 ] || echo "# $name: exit code $code"
	echo "# $name: $(($(uptime) - begin)) s"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
