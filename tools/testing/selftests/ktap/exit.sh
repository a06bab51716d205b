#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# exit(N) from wherever a script runs: it ends there, trace_end runs, and N is the
# program's exit code.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 18

# ends NAME CODE OUTPUT ARGS...
ends() {
	name=$1 wanted=$2 text=$3
	shift 3
	run -q -w "$@"
	# shellcheck disable=SC2059 # escapes are meant
	printf "$text" >"$tmp/wanted"
	[ "$code" = "$wanted" ] && cmp -s "$tmp/wanted" "$tmp/out" && ! grep -v ' missed ' "$tmp/err"
	status=$?
	result $status "$name"
	[ $status = 0 ] || echo "# expected exit code $wanted"
}

end='trace_end { print("end", n) }'
# where another CPU may be in the middle of the same
end_of_some='trace_end { print("end", n > 0 && n < 100) }'
# leave CODE: nothing behind it may run
leave() { echo "n += 1 exit($1) print(\"after\") n += 100"; }

ends top_level 11 'before\n' -e 'print("before") exit(11) print("after")'
ends top_level_in_a_function 12 'end\tnil\n' -e "$end
function f() { for (i = 1, 10) { if (i == 5) { exit(12) } } }
f() print(\"after\")"
ends trace_begin 13 'end\t1\n' -e "trace_begin { $(leave 13) }
trace_begin { print(\"second\") } trace syscalls:* { n += 100 } $end"
ends trace_end 14 'end\n' -e 'trace_end { print("end") exit(14) print("after") }'
ends trace_end_has_the_last_word 15 'end\n' -e 'tick-1ms { exit(1) } trace_end { print("end") exit(15) }'
ends tick 16 'end\t1\n' -e "tick-1ms { $(leave 16) } $end"
ends task 17 'end\t1\n' -e "trace syscalls:sys_enter_getppid { $(leave 17) } $end" -- "$workload" getppid 100
ends function_of_a_handler 18 'end\t1\n' -e "function g() { $(leave 18) }
function f() { g() print(\"after\") }
trace syscalls:sys_enter_getppid { f() print(\"after\") } $end" -- "$workload" getppid 100
ends filter 19 'end\t1\n' -e "function f() { $(leave 19) return 1 }
trace syscalls:sys_enter_getppid /f()/ { print(\"handler\") } $end" -- "$workload" getppid 100
ends return_of_a_function 20 'end\t1\n' -e "trace kretprobe:vfs_write { $(leave 20) } $end" -- \
	"$workload" write 1 100
ends softirq 21 'end\ttrue\n' -e "trace irq:softirq_entry { $(leave 21) } $end_of_some"
ends hardirq 22 'end\ttrue\n' -e "trace timer:hrtimer_expire_entry { $(leave 22) } $end_of_some"
ends profile 23 'end\ttrue\n' -e "profile-1ms { $(leave 23) } $end_of_some"
if [ "$cpus" -gt 1 ] && [ -e /proc/sysrq-trigger ] && has nmi:nmi_handler; then
	level=$(cut -f 1 /proc/sys/kernel/printk)
	dmesg -n 1
	start -q -w -e "trace nmi:nmi_handler { $(leave 24) } $end_of_some"
	while [ "$(state "$tracer")" = running ]; do
		echo l >/proc/sysrq-trigger
	done
	reap
	is nmi "$code $(cat "$tmp/out")" "24 end	true"
	dmesg -n "$level"
else
	skip nmi "there is one CPU, or this machine's are no events"
fi

# All CPUs at once: one of them decides, and none of the others changes that
round=0 wrong=0
while [ $round -lt 20 ]; do
	run -q -e 'trace syscalls:sys_enter_getppid /execname == "workload"/ { t[cpu] += 1 exit(100 + cpu) }
trace_end { print(len(t) > 0) }' -- "$workload" cpus "$cpus" getppid 1000
	first=$((code - 100))
	[ $first -ge 0 ] && [ $first -lt "$cpus" ] && grep -q '^true' "$tmp/out" || wrong=$((wrong + 1))
	round=$((round + 1))
done
is one_of_several_cpus_decides $wrong 0

# what the number becomes
ends no_number_is_success 0 '' -e 'exit()'
ends large_numbers_lose_their_upper_bits 44 '' -e 'exit(300)'
ends negative_numbers_too 255 '' -e 'exit(-1)'

finish
