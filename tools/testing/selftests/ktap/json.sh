#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Output as JSON. The values themselves are tested in user space (tools/testing/ktap/json).

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 21

only='/execname == "workload"/'

# The lines without their times
timeless() {
	sed 's/"time":[1-9][0-9]*,//' "$tmp/out" >"$tmp/timeless"
	cp "$tmp/timeless" "$tmp/out"
}

run -q -f json -e 'print("a\"b\n\x01\xff", 9223372036854775807, nil) printf("%d %s\n", 5, "x")
	t = {a = 1, b = {c = 2}} print(t)'
is top_level_ends_well "$code" 0
timeless
out top_level_prints_lines '{"type":"print","values":["a\\"b\\n\\u0001\\ufffd",9223372036854775807,null]}
{"type":"text","text":"5 x\\n"}
{"type":"print","values":[{"table":1}]}
{"type":"entry","table":1,"key":["a"],"value":1}
{"type":"entry","table":1,"key":["b","c"],"value":2}
'

run -q -f json -e "trace syscalls:sys_enter_getppid $only { n += 1; s[probename, execname] += 1 }" \
	-- "$workload" getppid 50
timeless
out globals_are_lines '{"type":"variable","name":"n","value":50}
{"type":"variable","name":"s","value":{"table":1}}
{"type":"entry","table":1,"name":"s","key":["sys_enter_getppid","workload"],"value":50}
'

counts="trace syscalls:sys_enter_getppid $only { n += 1; s[probename, execname] <<< 3 }"
run -q -f csv -e "$counts" -- "$workload" getppid 50
sed 's/^[1-9][0-9]*,/T,/' "$tmp/out" >"$tmp/timeless"
cp "$tmp/timeless" "$tmp/out"
out csv_has_the_same_values 'time,name,value
T,n,50

time,name,key1,key2,count,sum,min,max,avg
T,s,sys_enter_getppid,workload,50,150,3,3,3
'

run -q -f csv -e 'print(50, "a, b", nil)'
sed 's/^[1-9][0-9]*,/T,/' "$tmp/out" >"$tmp/timeless"
cp "$tmp/timeless" "$tmp/out"
out csv_quotes_what_has_a_comma 'time,value1,value2,value3
T,50,"a, b",
'

run -q --live 1000 -e "$counts" -- "$workload" getppid 50
tr -s ' ' <"$tmp/out" >"$tmp/narrow"
cp "$tmp/narrow" "$tmp/out"
out screens_have_the_same_values 'n 50
s: 1
 sys_enter_getppid, workload 50 avg 3, max 3
'

run -q --metrics "$tmp/m.prom" --interval 1000 -e "$counts" -- "$workload" getppid 50
grep -v '^#' "$tmp/m.prom" >"$tmp/out"
out metrics_have_the_same_values 'ktap_n{script="-e"} 50
ktap_s_sum{script="-e",key1="sys_enter_getppid",key2="workload"} 150
ktap_s_count{script="-e",key1="sys_enter_getppid",key2="workload"} 50
ktap_s_min{script="-e",key1="sys_enter_getppid",key2="workload"} 3
ktap_s_max{script="-e",key1="sys_enter_getppid",key2="workload"} 3
ktap_running{script="-e"} 0
ktap_omitted_values{script="-e"} 0
'

run -q --heatmap - --interval 1000 -e "h = hist() trace syscalls:sys_enter_getppid $only { h <<< 5 }" \
	-- "$workload" getppid 50
out heat_map_has_the_same_values '\nh, a column for each 1000 s, at most 50\n                   4 |@|\n'

run -q -f json -e "trace syscalls:sys_enter_getppid $only { print(pid, argstr, stack()) printf(\"%s\n\", execname) }" \
	-- "$workload" getppid 100
is records_of_handlers_are_lines "$(grep -cE '^\{"time":[0-9]+,"type":"print","values":\[[0-9]+,"[^"]+",\[("[^"]+",?)+\]\]\}$' "$tmp/out")" 100
is printf_of_handlers_are_lines "$(grep -cE '^\{"time":[0-9]+,"type":"text","text":"workload\\n"\}$' "$tmp/out")" 100
is there_are_no_other_lines "$(grep -c '' "$tmp/out")" 200
sed 's/.*"time":\([0-9]*\),.*/\1/' "$tmp/out" >"$tmp/times"
sort -n "$tmp/times" | cmp -s - "$tmp/times"
result $? times_are_in_order

run -q -f json -e 'trace_begin { h = 1; print(1 / (h - 1)) }'
is run_time_error_has_its_exit_code "$code" 1
matches "$tmp/out" '^\{"time":[0-9]+,"type":"error","text":"-e:1:[0-9]+: error: [^"]*\\n  in trace_begin[^"]*"\}$'
result $? run_time_error_is_a_line
matches "$tmp/err" '^-e:1:[0-9]+: error: '
result $? run_time_error_is_shown_too

run -f json -e 't = table.new(2) trace_begin { for (i = 1, 5) { t[i] = i } print("end") }'
matches "$tmp/out" '^\{"time":[0-9]+,"type":"loss","count":3,"text":"dropped 3 entries of .*"\}$'
result $? losses_have_their_number

# stacks, of the kernel and of the program
run -q --folded --flame "$tmp/flame.svg" \
	-e "trace syscalls:sys_enter_getppid $only { s[comm, ustack(), stack()] += 1 }" -- "$workload" getppid 50
is stacks_are_folded "$(sed 's/.* //' "$tmp/out" | awk '{ n += $1 } END { print n }')" 50
matches "$tmp/out" '^workload;([^; ]+;)+[^; ]*sys[^; ]* [0-9]+$'
result $? folded_stacks_begin_with_the_outermost_frame
matches "$tmp/flame.svg" '^<g><title>all \(50, 100\.00%\)</title><rect ' '^</svg>$'
result $? flame_graph_has_all_of_them

# without the tool, and without frames
echo 'print("x", 1) cat("/etc/passwd")' >"$tmp/chunk.kp"
"$KTAPC" -o "$tmp/chunk" "$tmp/chunk.kp"
exec 3<>"$tracefs/ktap/session"
printf 'format json\n' >&3
cat "$tmp/chunk" >&3
cat <&3 >"$tmp/out" &
reader=$!
echo stop >&3 2>/dev/null
wait $reader
exec 3>&-
timeless
out plain_readers_get_lines '{"type":"print","values":["x",1]}
{"type":"note","text":"cat: only the ktap tool can show files"}
'

exec 3<>"$tracefs/ktap/session"
printf 'format xml\n' >&3 2>/dev/null
timeout 10 cat <&3 >"$tmp/out"
exec 3>&-
matches "$tmp/out" "there is no format 'xml': there are json and text"
result $? unknown_format_is_refused

finish
