#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Static markers of programs: exact counts, their arguments, their semaphores.

. "$(dirname "$0")/lib.sh"
needs programs
plan 22

marked=$(readlink -f "$here/marked")
pie=$(readlink -f "$here/marked-pie")
n=150
end='trace_end { print(n) }'
string=str
has addresses || string=user_string

run -q -e "trace usdt:$marked:demo:plain { n[probename, probefunc] += 1 } $end" -- "$marked" fire $n
matches "$tmp/out" "demo:plain.*: $((2 * n))$" && [ "$(wc -l <"$tmp/out")" = 1 ] && [ "$code" = 0 ]
result $? marker_in_two_places_is_counted_exactly
run -q -e "trace sdt:$marked:plain { n += 1 } $end" -- "$marked" fire $n
out provider_may_be_left_out "$((2 * n))\n"
run -q -e "trace usdt:$pie:demo:plain { n += 1 } $end" -- "$pie" fire $n
out marker_of_a_program_at_any_address "$((2 * n))\n"

# arguments: a register, memory with a negative offset, a constant, a string, a byte of a
# word
run -q -e "function sixth() { return arg5 }
trace usdt:$marked:demo:args { n += 1 a += arg0 b += arg1 c[arg2] += 1 d[$string(arg3)] += 1 e[arg4] += 1
	f[sixth() == nil] += 1 }
trace_end { print(n, a, b) print(c) print(d) print(e) print(f) }" -- "$marked" fire $n
sum=$((n * (n + 1) / 2))
out arguments_of_all_kinds "$n\t$((3 * sum))\t-$sum\n42: $n\na string of the program: $n\n240: $n\ntrue: $n\n"
run -q -e "trace usdt:$pie:demo:args /arg0 == 9 && arg1 == -3/ { print(arg0, arg1, arg2) }" -- "$pie" fire $n
out arguments_in_a_filter '9\t-3\t42\n'
if [ "$(uname -m)" = x86_64 ]; then
	run -q -e "trace usdt:$marked:demo:far { n[arg0] += 1 } trace usdt:$pie:demo:far { n[arg0] += 1 } $end" -- \
		sh -c "$marked fire $n; $pie fire $n"
	out argument_in_a_variable "100: $((2 * n))\n"
else
	skip argument_in_a_variable "written for x86"
fi

# semaphores: without a listener the marker is not passed
run -q -e "trace uprobe:$marked:fire { n += 1 } $end" -- "$marked" fire $n
out program_runs_without_listeners "$n\n"
run -q -e "trace usdt:$marked:demo:guarded { n += 1 s += arg0 } trace_end { print(n, s) }" -- "$marked" fire $n
out guarded_marker_is_counted_exactly "$n\t$sum\n"
run -q -e "trace usdt:$pie:demo:guarded { n += 1 } $end" -- "$pie" fire $n
out guarded_marker_of_a_program_at_any_address "$n\n"
can_wait
timeout 60 "$marked" wait $n <&9 &
waiting=$!
start -q -e "trace usdt:$marked:demo:guarded { n += 1 } $end"
go_on
wait $waiting
status=$?
stop
out running_program_sees_its_semaphore_set "$n\n"
[ $status = 0 ]
result $? program_was_not_harmed
! timeout 2 "$marked" wait 1 2>/dev/null
result $? semaphore_is_down_after_the_end
start -q -e "trace usdt:$marked:demo:guarded { n += 1 } $end"
first=$tracer
mv "$tmp/out" "$tmp/out1"
run -q -e "trace usdt:$marked:demo:guarded { n += 1 } $end" -- "$marked" fire $n
cp "$tmp/out" "$tmp/out2"
"$marked" fire $n
tracer=$first
stop
is two_sessions_of_a_marker "$(cat "$tmp/out1" "$tmp/out2" | tr '\n' ' ')" "$((2 * n)) $n "

# patterns
run -q -e "trace usdt:$marked:* { n[probefunc] += 1 } trace_end { print(n['demo:plain'], n['demo:args'], n['demo:guarded']) }" -- \
	"$marked" fire $n
out all_markers_of_a_program "$((2 * n))\t$n\t$n\n"
run -q -e "trace usdt:$marked:d*:g* { n += 1 } $end" -- "$marked" fire $n
out pattern_of_providers_and_names "$n\n"
start -q -p 1 -e "trace usdt:$marked:demo:plain { n += 1 } $end"
"$marked" fire $n
stop
out other_processes_are_not_traced 'nil\n'

run -q -e "$(printf '\ntrace usdt:%s:demo:plani { n += 1 }' "$marked")" -- true
[ "$code" = 2 ] && matches "$tmp/err" "^-e:2:7: error: .* no marker 'demo:plani'; did you mean 'demo:plain'\?"
result $? no_such_marker
run -q -e "$(printf '\ntrace usdt:%s:x { n += 1 }' "$here/workload")" -- true
[ "$code" = 2 ] && matches "$tmp/err" "^-e:2:7: error: .* has no marker"
result $? no_such_marker_in_another_program

# lacks_part NAME MARKER PART PATTERN: the marker has no such part
lacks_part() {
	run -q -e "trace usdt:$marked:$2 { print($3) }" -- true
	[ "$code" = 2 ] && matches "$tmp/err" "^-e:1:[0-9]+: error: $4\$"
	result $? "$1"
}
lacks_part sixth_argument_of_five demo:args arg5 'usdt:.* has no arg5: the last one is arg4'
lacks_part argument_of_a_marker_without_any demo:plain arg0 "no event of 'usdt:.*' has arguments, so no arg0"
lacks_part field_of_a_marker demo:args args.c \
	"usdt:.* has no field 'c': arguments of a marker have no names, arg0 is the first one"

no_complaints kernel_did_not_complain
finish
