#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Each kind of value reaches the memory limit of the session: the script continues, and
# the kept and the lost values add up to the requested ones.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 39

# dropped: print the number in the message about lack of memory
dropped() {
	sed -n 's/^ktap: dropped \([0-9]*\) values: the session had no memory left (of [0-9]* KiB; -m for more)$/\1/p' \
		"$tmp/err"
}

# pool NAME SCRIPT [ARGS...]: the script prints how many values it kept, and of how many
limit='-m 512K'
pool() {
	name=$1 script=$2
	shift 2
	# shellcheck disable=SC2086 # an option and its value
	run -q $limit -e 's = "0123456789abcdef"
for (i = 1, 4) { s = s .. s }
'"$script" "$@"
	has user_files || sed -i '/ frames of programs are shown as addresses: /d' "$tmp/err"
	kept=$(cut -f 1 "$tmp/out") wanted=$(cut -f 2 "$tmp/out") lost=$(dropped)
	is "$name" "$code $((kept + ${lost:-0})) $(wc -l <"$tmp/err")" "0 $wanted 1"
	[ "$kept" -gt 0 ] && [ "${lost:-0}" -gt 0 ]
	result $? "${name}_some_of_each"
}

event='trace syscalls:sys_enter_getppid'
pool strings 't = table.new(4000)
for (i = 1, 4000) { t[i] = s .. i }
print(len(t), 4000)'
pool keys 't = table.new(4000)
for (i = 1, 4000) { t[s .. i] = i }
print(len(t), 4000)'
pool compound_keys 't = table.new(4000)
for (i = 1, 4000) { t[i, s .. i, cpu] = i }
print(len(t), 4000)'
pool tables 't = table.new(4000)
for (i = 1, 4000) { t[i] = table.new(16) }
print(len(t), 4000)'
pool statistics 'a = stats()
for (i = 1, 4000) { a[s .. i] <<< i }
print(len(a), 4000)'
pool histograms 'h = hist()
for (i = 1, 4000) { h[i] <<< i }
print(len(h), 4000)'
pool aggregations 't = table.new(4000)
for (i = 1, 4000) { t[i] = hist() }
print(len(t), 4000)'
pool strings_of_handlers "t = table.new(4000)
$event { n += 1 t[n] = s .. n }
trace_end { print(len(t), n) }" -- "$workload" getppid 4000
pool stacks_of_the_kernel "t = table.new(8000)
$event { n += 1 t[n] = kstack }
trace_end { print(len(t), n) }" -- "$workload" getppid 8000
pool stacks_of_programs "t = table.new(8000)
$event { n += 1 t[n] = ustack }
trace_end { print(len(t), n) }" -- "$workload" getppid 8000

# with a table that has nearly all of the memory
full='t = table.new(4000)
for (i = 1, 4000) { t[i] = s .. i }
t[1] = nil'
pool globals "$full
for (i = 1, 100) { g = s .. s .. i if (g == s .. s .. i) { kept += 1 } }
print(len(t) + kept + 1, 4100)"
pool fields_of_threads "$full
$event { n += 1 self.x = s .. n if (self.x == s .. n) { kept += 1 } self.y = s .. n if (self.y == s .. n) { kept += 1 } }
trace_end { print(len(t) + kept + 1, 4000 + 2 * n) }" -- "$workload" getppid 100

# Aggregations of the top level have memory for each CPU, together a quarter of the
# session's. Those without it add up in one place, and lose no number. A snapshot has as
# much memory as its aggregation.
run -q -m 16M -e 't = table.new(2100)
for (i = 1, 2100) { t[i] = hist() t[i] <<< i }
for (i = 1, 2100) { if (count(t[i]) == 1 && sum(t[i]) == i) { n += 1 } }
print(n, len(t))
try { c = snapshot(t[1]) print(c) } catch (e) { print(e) }
c = snapshot(t[2100])
print(sum(c), count(t[2100]))
t[1] = nil
c = snapshot(t[2])
print(sum(c))'
out memory_of_cpus '2100\t2100\nno memory for a snapshot\n2100\t0\n2\n'
is memory_of_cpus_loses_nothing "$(cat "$tmp/err")" ''

# The memory of probes has its own counter and limit: it is not part of the small limit of
# the tables here.
probes=
for i in 1 2 3 4 5 6 7 8 9 10; do
	probes="$probes$(printf 'trace probe:* { n += 1 }\n%.0s' 1 2 3 4 5 6 7 8 9 10)
"
done
said="error: no memory for 'probe:\\*': the probes of a session may take 32768 KiB \\(-m for more\\), and [0-9]+ have taken [0-9]+ KiB\$"
if has fprobes; then
	run -q -m 1M -e "$probes"
	[ "$code" = 2 ] && matches "$tmp/err" "^-e:[0-9]+:7: $said"
	result $? functions_of_a_hundred_probes_are_refused
	start -q -m 1M -e 'trace probe:vfs_read /false/ { n += 1 }'
	few=$(memory_of "$tracer")
	stop
	start -q -m 1M -e 'trace probe:s* /false/ { n += 1 }'
	many=$(memory_of "$tracer")
	stop
	[ "$code" = 0 ] && [ "${few:-0}" -gt 0 ] && [ "${many:-0}" -gt $((few + (128 << 10))) ]
	result $? memory_of_functions_is_shown
else
	for name in functions_of_a_hundred_probes_are_refused memory_of_functions_is_shown; do
		skip $name "this kernel has no fprobes"
	done
fi

# The limit of all sessions
max_memory=$tracefs/ktap/max_memory
was=$(cat "$max_memory")
trap 'echo "$was" >"$max_memory"; rm -rf "$tmp"' EXIT
echo 524288 >"$max_memory"
limit=
pool strings_below_max_memory 't = table.new(4000)
for (i = 1, 4000) { t[i] = s .. i }
print(len(t), 4000)'
matches "$tmp/err" ' \(of 512 KiB; -m for more\)$'
result $? max_memory_is_the_limit
run -q -m 1M -e 'print(1)'
[ "$code" = 2 ] && matches "$tmp/err" 'error: memory is at most 524288 bytes here \(see ktap/max_memory\)$'
result $? no_session_is_above_it

# with_limit_at_load LINE: lower the limit after the session was opened and LINE written;
# print the answer to the chunk that is loaded then
"$KTAPC" -o "$tmp/strings.ktap" -e 's = "0123456789abcdef"
for (i = 1, 4) { s = s .. s }
t = table.new(4000)
for (i = 1, 4000) { t[i] = s .. i }
print("done")'
with_limit_at_load() {
	echo 16777216 >"$max_memory"
	exec 3<>"$tracefs/ktap/session"
	[ -z "$1" ] || echo "$1" >&3
	echo 524288 >"$max_memory"
	cat "$tmp/strings.ktap" >&3
	cat <&3
	exec 3>&-
}
for name in limit_is_that_at_load line_is_cut_to_it; do
	line=
	[ $name = limit_is_that_at_load ] || line='memory 16777216'
	with_limit_at_load "$line" >"$tmp/err"
	matches "$tmp/err" '^done$' ' \(of 512 KiB; -m for more\)$'
	result $? $name
done
echo "$was" >"$max_memory"

# Tables made from other tables: without memory a copy fails, and a sorted iteration drops
# its table.
taken='s = "0123456789abcdef"
for (i = 1, 4) { s = s .. s }
t = table.new(4000)
for (i = 1, 4000) { t[i] = s .. i }'
run -q -m 512K -e "$taken
trace_end { print(1) }
c = snapshot(t)"
[ "$code" = 1 ] && matches "$tmp/err" '^-e:6:[0-9]+: error: no memory for a snapshot$'
result $? copy_is_an_error
run -q -m 512K -e "$taken
for (k, v in sort_pairs(t)) { n += 1 }
print(n, len(t))"
kept=$(sed -n 's/^nil	//p' "$tmp/out")
is order_is_dropped "$code $(dropped)" "0 $((4000 - ${kept:-0} + 1))"
run -q -e "$event { for (i = 1, 100) { id = speculation() if (id) { kept += 1 speculate(id) print(i) } n += 1 } }
trace_end { print(kept, n) }" -- "$workload" getppid 2
is speculations "$(cat "$tmp/out" "$tmp/err")" "16	200
ktap: discarded 16 speculations: neither committed nor discarded
ktap: refused 184 speculations: too many were open"
# the code of a script is charged to its session
awk 'BEGIN {
	print "trace sched:sched_process_fork { } function unused(t) {"
	for (i = 0; i < 2000; i++)
		printf "t[%d] = \"%0400d\"\n", i, i
	print "}"
}' >"$tmp/large.kp"
start -q -w "$tmp/large.kp"
large=$(memory_of "$tracer")
stop
start -q -e 'trace sched:sched_process_fork { }'
small=$(memory_of "$tracer")
stop
[ "$small" -gt 0 ] && [ $((large - small)) -gt 800000 ]
result $? code_counts
no_complaints no_complaints

finish
