#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Profiles and perf counters: their frequency, their CPUs, and the registers that they
# show.

. "$(dirname "$0")/lib.sh"
needs profiles
plan 29

n=300

# between NAME NUMBER LEAST MOST
between() {
	[ -n "$2" ] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]
	result $? "$1"
}

# profiles: a busy host may lose some samples, but there are never too many
run -q -e 'profile-100hz { n[cpu] += 1 } tick-2s { exit() }
trace_end { for (c, k in pairs(n)) { if (k > 60 && k < 230) { cpus += 1 } } print(cpus) }'
out profile_fires_on_every_cpu "$cpus\n"
run -q -e 'profile:hz:100 { n += 1 } tick-1s { exit() } trace_end { print(n) }'
between profile_with_colons "$(cat "$tmp/out")" $((30 * cpus)) $((130 * cpus))
run -q -e 'timer.profile("10ms", function () { n += 1 }) tick-1s { print(n) exit() }'
between timer_profile "$(cat "$tmp/out")" $((30 * cpus)) $((130 * cpus))
run -q -e 'profile-10ms { a += 1 } profile-40ms { b += 1 } tick-1s { print(a > b, b > 0) exit() }'
out two_profiles 'true\ttrue\n'
run -q -e 'profile-10ms { s[name, probename] += 1 } tick-200ms { exit() }
trace_end { print(len(s), s["profile-10ms", "profile-10ms"] > 0) }'
out profile_has_a_name '1\ttrue\n'
run -q -e 'profile-10ms /cpu == 0/ { printf("text:\n%s|\n", argstr) exit() }'
out profile_has_no_text 'text:\n|\n'

# The state of the interrupted code.  50 samples take a twentieth of a second, unless the
# host is busy.
run -q -e 'profile-1ms /execname == "workload"/ { n[pid == $1, tid == pid, arg0 == 0, arg1 != 0] += 1 }
tick-10ms { if (n[false, true, true, true] > 50) { exit() } }
trace_end { print(n[false, true, true, true] > 50) }' 1 -- "$workload" burn 10000
out profile_interrupts_a_program 'true\n'
run -q -e 'profile-1ms /execname == "workload" && arg1 != 0/ { if (args.ip == arg1) { n += 1 } s[kstack(1)] += 1 }
tick-10ms { if (n > 50) { exit() } }
trace_end { print(n > 50, len(s)) }' -- "$workload" burn 10000
out profile_of_user_mode_has_no_kernel_stack 'true\t1\n'
run -q -e 'profile-1ms /arg1 != 0/ { u[ustack(1)] += 1 } trace_end { print(len(u) > 0) print(u) }' -- \
	"$workload" burn 300
frame='.*\(workload\)'
has user_files || frame='0x[0-9a-f]+'
[ "$(head -n 1 "$tmp/out")" = true ] && matches "$tmp/out" "^ +$frame: [0-9]+$"
result $? profile_has_user_stacks
run -q -e 'profile-1ms /execname == "dd" && arg0 != 0/ { print(kstack) }' -- \
	dd if=/dev/zero of=/dev/null bs=1M count=2000
matches "$tmp/out" 'vfs_read' && ! grep -E 'ktap_perf|perf_swevent_hrtimer' "$tmp/out" >"$tmp/err"
result $? profile_stack_begins_where_it_was_interrupted
"$workload" burn 60000 &
burner=$!
run -q -e 'profile-1ms /pid == $1/ { n += 1 } tick-10ms { if (n > 20) { exit() } }
trace_end { print(n > 20) }' $burner
out profile_filters_by_process 'true\n'
kill -KILL $burner
wait $burner 2>/dev/null

# CPUs that go offline and online
online=/sys/devices/system/cpu/cpu1/online
if [ -e $online ]; then
	start -q -e 'profile-10ms { last[cpu] = elapsed first[cpu] = first[cpu] ? first[cpu] : elapsed }
trace_end {
	for (c, t in pairs(last)) { if (elapsed - t < 500ms) { on += 1 } else { off += 1 } }
	print(on, off)
}'
	sleep 0.5
	echo 0 >$online
	sleep 1
	stop
	out profile_survives_a_cpu_that_goes_offline "$((cpus - 1))\t1\n"
	start -q -e 'profile-10ms { last[cpu] = elapsed }
trace_end { for (c, t in pairs(last)) { if (elapsed - t < 500ms) { on += 1 } } print(on) }'
	sleep 0.3
	echo 1 >$online
	sleep 0.7
	stop
	out profile_includes_a_cpu_that_goes_online "$cpus\n"
else
	skip profile_survives_a_cpu_that_goes_offline "no CPU can go offline"
	skip profile_includes_a_cpu_that_goes_online "no CPU can go offline"
fi

# above the limit set by the administrator
rate=/proc/sys/kernel/perf_event_max_sample_rate
was=$(cat $rate)
echo 200 >$rate
run -q -e 'profile-100us { n += 1 } tick-500ms { exit() } trace_end { print(n > 0) }'
echo "$was" >$rate
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = true ] &&
	matches "$tmp/err" "^ktap: missed events of 'profile-100us': it was stopped until the next tick, [1-9][0-9]* times; sysctl kernel.perf_event_max_sample_rate allows no more$"
result $? profile_above_the_limit_of_perf_is_reported

# counters
mine="addr $at_2000"
run -q -e "trace software:faults:1 /$mine/ { n += 1 } trace_end { print(n) }" -- "$workload" fault $n
out faults_are_counted_exactly "$n\n"
run -q -e "trace software:page-faults:1, software:minor-faults:1 /$mine/ { n[probename] += 1 }
trace_end { print(n) }" -- "$workload" fault $n
out counters_under_their_names "software:minor-faults:1: $n\nsoftware:page-faults:1: $n\n"
run -q -e "trace software:major-faults:1 /$mine/ { n += 1 } trace_end { print(n) }" -- "$workload" fault $n
out faults_without_a_disk_are_minor 'nil\n'
run -q -e "trace software:faults:1 /$mine/ { c[execname, kstack(1), arg1 != 0] += 1 a[args.addr % 4096] += 1 }
trace_end { print(len(c), a) }" -- "$workload" fault $n
[ "$code" = 0 ] && matches "$tmp/out" "^1" "0: $n"
result $? fault_has_an_address_and_is_of_its_program
run -q -e 'profile-1ms { n[args["addr"] == nil, args.ip != nil] += 1 } tick-200ms { exit() }
trace_end { for (k, v in pairs(n)) { print(k) } }'
out profile_has_no_address 'true, true\n'
run -q -e 'trace software:faults:10 { n += 1 } tick-300ms { exit() } trace_end { print(n > 0) }'
[ "$code" = 0 ]
result $? period_of_a_counter
run -q -e 'trace software:cs:1 { n += 1 } tick-300ms { print(n > 0) exit() }'
out context_switches 'true\n'

# lacks_part NAME EVENT PART PATTERN: no event of the probe has what the handler reads
lacks_part() {
	run -q -e "trace $2 { print($3) }"
	[ "$code" = 2 ] && matches "$tmp/err" "^-e:1:[0-9]+: error: $2 has no $4\$"
	result $? "$1"
}
lacks_part field_that_no_counter_has software:faults:1 args.address "field 'address'"
lacks_part address_of_a_profile profile-10ms args.addr "field 'addr'"
lacks_part third_argument_of_a_sample software:faults:1 arg2 'arg2: the last one is arg1'

refused counter_without_period software:faults "^-e:2:7: error: 'software:faults' needs a period"
refused period_of_zero software:faults:0 "^-e:2:7: error: 'software:faults:0': a period is a number from 1 on"
refused unknown_counter software:fualts:1 "^-e:2:7: error: no event 'software:fualts:1'" \
	"did you mean 'software:faults:1'"
refused profile_too_often profile-1us "^-e:2:7: error: 'profile-1us' is too often"
run -q -e '
trace hardware:cache-references:1000000 { n += 1 } tick-100ms { print("counts") exit() }'
[ "$(cat "$tmp/out")" = counts ] || {
	[ "$code" = 2 ] && matches "$tmp/err" \
		"^-e:2:7: error: event 'hardware:cache-references:1000000': this machine has no such counter that interrupts" &&
		! grep -q 'did you mean' "$tmp/err"
}
result $? hardware_counter_works_or_reports_an_error

finish
