#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The memory of a session is charged to the memory cgroup of its opener, not of its
# writer, and uncharged at the end. At the limit of the group the session gets an error,
# and no process is killed.

. "$(dirname "$0")/lib.sh"
plan 25

root=$tmp/cgroup
group=$root/ktap_test
writers=$root/ktap_writers
printers=$root/ktap_printers
small=$root/ktap_small
mkdir "$root"
mount -t cgroup2 none "$root" 2>/dev/null
if ! { [ -e "$root/cgroup.controllers" ] && echo +memory >"$root/cgroup.subtree_control" &&
	mkdir "$group" "$writers" "$printers" "$small"; } 2>/dev/null; then
	umount "$root" 2>/dev/null
	for name in memory_is_charged all_of_it memory_is_given_back writer_is_not_charged \
		opener_is_charged_for_a_writer memory_of_a_writer_is_given_back limit_is_an_error \
		limit_is_reported limit_of_handlers limit_of_handlers_is_reported limit_of_text \
		limit_of_text_is_reported many_sessions memory_of_many memory_of_many_is_given_back \
		functions_are_refused functions_are_refused_for_memory points_are_refused \
		names_are_refused lines_are_refused states_of_the_verifier_are_refused \
		chunks_at_once_are_refused_or_run one_runs_after_those_that_were_refused \
		no_process_was_killed kernel_is_content; do
		skip $name "the system has no memory cgroup"
	done
	finish
fi

# in_group COMMAND...: replace this shell by the command, in the group
in_group() {
	echo 0 >"$group/cgroup.procs"
	exec "$@"
}

# keeps_open LOAD: open a session in the group, into which LOAD writes the chunk; without
# the tool, so that only the session is charged
keeps_open() {
	rm -f "$tmp/up" "$tmp/down"
	(in_group sh -c "exec 3<>$tracefs/ktap/session; $1 && echo up >$tmp/up; cat $tmp/stop; exec 3>&-; echo down >$tmp/down; cat $tmp/stop" 2>"$tmp/err") &
	wait_until [ -e "$tmp/up" ]
}

# closes NAME: all memory is uncharged, except what is freed after a grace period, and
# pages of the shell
closes() {
	echo >"$tmp/stop"
	wait_until [ -e "$tmp/down" ]
	wait_until charged_at_most $((1 << 20))
	result $? "$1"
	echo >"$tmp/stop"
	wait
}

charged() {
	awk '$1 == "percpu" || $1 == "kernel" { print $2 + 0 }' "$group/memory.stat" | head -n 1
}

charged_at_most() { [ "$(charged)" -le "$1" ]; }

cat >"$tmp/t.kp" <<'E2'
t = table.new(100000)
for (i = 1, 20000) { t[i] = i }
trace syscalls:sys_enter_getppid { t[0] += 1 }
E2
"$KTAPC" -o "$tmp/t.ktap" "$tmp/t.kp"
code=0
mkfifo "$tmp/stop"
keeps_open "cat $tmp/t.ktap >&3"
used=$(charged)
# the table, 2 MB, and the smallest ring buffers
cpus=$(nproc)
[ "$used" -gt $(((2 << 20) + cpus * (96 << 10))) ]
result $? memory_is_charged
memory=$(sed -n 's/.* memory=\([0-9]*\).*/\1/p' "$tracefs/ktap/sessions" | tail -n 1)
[ "$used" -ge "${memory:-0}" ] && [ "${memory:-0}" -gt $((2 << 20)) ]
result $? all_of_it
closes memory_is_given_back

# The opener is in another group, which has too little memory
echo 1M >"$writers/memory.max"
keeps_open "(echo 0 >$writers/cgroup.procs; exec cat $tmp/t.ktap >&3)"
result $? writer_is_not_charged
[ "$(charged)" -gt $((2 << 20)) ]
result $? opener_is_charged_for_a_writer
closes memory_of_a_writer_is_given_back

# The writer and the reader are not in the group: what was allocated may go only after a grace
# period, and a process that needs memory until then may be killed. Another process stays there.
(in_group sleep 1000) &
bystander=$!
echo 1M >"$group/memory.max"
(in_group sh -c "exec 3<>$tracefs/ktap/session; echo 0 >$root/cgroup.procs; cat $tmp/t.ktap >&3; cat <&3" \
	>"$tmp/out" 2>"$tmp/err")
code=$?
kill $bystander
wait $bystander 2>/dev/null
! grep -q '^up' "$tmp/out" && grep -q 'Cannot allocate memory\|Out of memory' "$tmp/err"
result $? limit_is_an_error
grep -q '^ktap: error: .*memory' "$tmp/out"
result $? limit_is_reported

# Handlers reach the limit: their values are dropped and counted
echo max >"$group/memory.max"
"$KTAPC" -w -o "$tmp/fill.ktap" -e 't = table.new(100000) s = "0123456789abcdef"
for (i = 1, 4) { s = s .. s }
trace syscalls:sys_enter_getppid /execname == "workload"/ { n += 1 t[n] = s .. n }
trace_end { print(n, len(t)) }' 2>"$tmp/err"
rm -f "$tmp/up"
(in_group sh -c "exec 3<>$tracefs/ktap/session; cat $tmp/fill.ktap >&3; echo up >$tmp/up; cat $tmp/stop; echo stop >&3; cat <&3" >"$tmp/out" 2>"$tmp/err") &
holder=$!
wait_until [ -e "$tmp/up" ]
echo $(($(cat "$group/memory.current") + (1 << 20))) >"$group/memory.max"
"$workload" getppid 20000
# for the readers of its output, who also need memory
echo max >"$group/memory.max"
echo >"$tmp/stop"
wait $holder
code=$?
kept=$(sed -n 's/^20000	//p' "$tmp/out")
[ "${kept:-0}" -gt 0 ] && [ "$kept" -lt 20000 ]
result $? limit_of_handlers
is limit_of_handlers_is_reported "$code $(sed -n 's/^ktap: dropped \([0-9]*\) values: the system or its memory cgroup had no memory left .*/\1/p' "$tmp/out")" "0 $((20000 - kept))"

# Text that waits for the reader reaches the limit: the script can print no more. The
# group has no process then.
"$KTAPC" -w -o "$tmp/print.ktap" -e 't = table.new(100000) s = "0123456789abcdef"
for (i = 1, 7) { s = s .. s }
trace syscalls:sys_enter_getppid { n += 1 }
trace_end {
	for (i = 1, 20000) { t[i] = s .. i }
	for (i = 1, 450) { print(s) }
}' 2>"$tmp/err"
code=0
(
	echo 0 >"$printers/cgroup.procs"
	exec 3<>"$tracefs/ktap/session"
	echo 0 >"$root/cgroup.procs"
	cat "$tmp/print.ktap" >&3
	echo $(($(cat "$printers/memory.current") + (1 << 20))) >"$printers/memory.max"
	echo stop >&3
	wait_until grep -q ' ended events=' "$tracefs/ktap/sessions"
	exec cat <&3
) >"$tmp/text" 2>"$tmp/err" || code=$?
grep ': error: \|^ktap: ' "$tmp/text" >"$tmp/out"
[ "$code" = 0 ] && [ "$(grep -c '^0123456789' "$tmp/text")" -lt 450 ]
result $? limit_of_text
matches "$tmp/out" ': error: no memory for output$' \
	'^ktap: dropped [0-9]* values: the system or its memory cgroup had no memory left '
result $? limit_of_text_is_reported

# Two hundred at once
rm -f "$tmp/up" "$tmp/down"
(in_group sh -c "$here/session -t two_hundred_at_once_miss_nothing; cat $tmp/stop" >"$tmp/out" 2>"$tmp/err") &
holder=$!
most=0
until grep -q '^# Totals' "$tmp/out"; do
	now=$(charged)
	[ "$now" -le $most ] || most=$now
	sleep 0.2
done
code=0
grep -q '^# Totals: pass:1 fail:0' "$tmp/out"
result $? many_sessions
# each has ring buffers of more than a megabyte
[ $most -gt $((50 << 20)) ]
result $? memory_of_many
wait_until charged_at_most $((1 << 20))
result $? memory_of_many_is_given_back
echo >"$tmp/stop"
wait $holder

# A small group, in which another process has four megabytes: a session that does not fit
# is refused, and no process is killed.
mkfifo "$tmp/leave"
bystander_comes() {
	rm -f "$tmp/up"
	echo 12M >"$small/memory.max"
	(
		echo 0 >"$small/cgroup.procs"
		exec sh -c "x=\$(head -c 2000000 /dev/zero | tr '\0' x); y=\$x; echo up >$tmp/up; cat $tmp/leave; echo \${#y}"
	) >"$tmp/bystander" 2>/dev/null &
	bystander=$!
	killed=$(sed -n 's/^oom_kill //p' "$small/memory.events")
	wait_until [ -e "$tmp/up" ]
}

# bystander_goes STATUS NAME: report the result; fails if a process was killed
bystander_goes() {
	echo max >"$small/memory.max"
	status=$1
	[ "$(sed -n 's/^oom_kill //p' "$small/memory.events")" = "$killed" ] || status=1
	kill -0 $bystander 2>/dev/null && echo >"$tmp/leave"
	wait $bystander
	[ "$(tr -d '\n' <"$tmp/bystander")" = 2000000 ] || status=1
	result $status "$2"
}

was_refused() {
	grep -q 'Cannot allocate memory\|Out of memory' "$tmp/err" && grep -q "$1" "$tmp/out"
}

"$KTAPC" -o "$tmp/small.ktap" -e "$(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	echo "trace probe:* { n += $i }"
done)"
code=0
# a pattern needs fprobes
if has fprobes; then
	bystander_comes
	(
		echo 0 >"$small/cgroup.procs"
		exec 3<>"$tracefs/ktap/session"
		cat "$tmp/small.ktap" >&3
		exec cat <&3
	) >"$tmp/out" 2>"$tmp/err"
	was_refused 'error: '
	bystander_goes $? functions_are_refused
	matches "$tmp/out" "^<command line>:[0-9]+:7: error: no memory for 'probe:\*': the system or its memory cgroup has none left; [0-9]+ probes have taken [0-9]+ KiB\$"
	result $? functions_are_refused_for_memory
else
	skip functions_are_refused "this kernel has no fprobes"
	skip functions_are_refused_for_memory "this kernel has no fprobes"
fi

# small_load FILE KIB: load FILE with KIB left in the group; prints loaded, refused or
# wrong. The writer is not in the group, as a process that needs memory may be killed
small_load() {
	echo $(($(cat "$small/memory.current") + ($2 << 10))) >"$small/memory.max"
	(
		exec 2>"$tmp/err"
		echo 0 >"$small/cgroup.procs"
		exec 3<>"$tracefs/ktap/session"
		echo 0 >"$root/cgroup.procs"
		cat "$1" >&3 && echo stop >&3
		exec cat <&3
	) >"$tmp/out"
	if was_refused 'error: .*memory'; then
		echo refused
	elif [ -s "$tmp/err" ]; then
		echo wrong
	else
		echo loaded
	fi
}

# small_loads NAME FILE: load FILE with each small amount of memory, up to enough
small_loads() {
	verdicts=
	bystander_comes
	for kib in 700 1000 1500 2000 2500 3000 4000 5000 6000 8000 60000; do
		verdicts="$verdicts $(small_load "$2" $kib)"
	done
	case $verdicts in
	*wrong*) status=1 ;;
	' refused'*' loaded') status=0 ;;
	*) status=1 ;;
	esac
	bystander_goes $status "$1"
	[ $status = 0 ] || echo "#$verdicts"
}

# all fields of events; one with a '_' is no keyword
find "$tracefs/events" -path "*/ftrace/*" -o -name format -exec cat {} + |
	sed -n 's/^\tfield:[^;]*[ *]\([a-z0-9_]*\)\(\[[^;]*\)\{0,1\};\toffset.*/\1/p' | grep _ |
	grep -v '^common_\|^__' | sort -u | awk '
	BEGIN { print "trace *:* function (e) {" }
	{ print "x = e." $1 }
	END { print "}" }' >"$tmp/points.kp"
awk 'BEGIN {
	print "x = `jiffies` t = table.new(16)"
	for (i = 0; i < 20000; i++)
		printf "t[\"name%d\"] = 1\n", i
}' >"$tmp/names.kp"
awk 'BEGIN {
	print "function f(x) {"
	for (i = 0; i < 200; i++)
		printf "local a%d = x\n", i
	for (i = 0; i < 10000; i++)
		printf "if (x) { a%d = 1 }\n", i % 200
	print "}"
	print "print(1)"
}' >"$tmp/states.kp"
for name in points names states; do
	"$KTAPC" -w -o "$tmp/$name.ktap" "$tmp/$name.kp"
done
"$KTAPC" -o "$tmp/one.ktap" -e 'print(1)'
{
	awk 'BEGIN {
		for (line = "x"; length(line) < 3900; line = line "x")
			;
		print "arg lines"
		for (i = 1; i < 256; i++)
			print "arg " line
		for (i = 0; i < 1000; i++)
			print "unresolved sdt:" i " " line
	}'
	cat "$tmp/one.ktap"
} >"$tmp/lines.ktap"
small_loads points_are_refused "$tmp/points.ktap"
small_loads names_are_refused "$tmp/names.ktap"
small_loads lines_are_refused "$tmp/lines.ktap"

# Ten thousand times as many registers: visiting them uses the budget
bystander_comes
[ "$(small_load "$tmp/states.ktap" 2500)" = refused ]
bystander_goes $? states_of_the_verifier_are_refused

# twenty at once
bystander_comes
echo max >"$small/memory.max"
"$KTAPC" -o "$tmp/small.ktap" -e 'trace syscalls:sys_enter_getppid { n += 1 } trace_begin { print("runs") }'
loaders=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	(
		echo 0 >"$small/cgroup.procs"
		exec 3<>"$tracefs/ktap/session"
		echo 0 >"$root/cgroup.procs"
		echo opened >"$tmp/small.$i.opened"
		wait_until [ -e "$tmp/small.begin" ]
		cat "$tmp/small.ktap" >&3 2>/dev/null
		echo loaded >"$tmp/small.$i.loaded"
		wait_until [ -e "$tmp/small.end" ]
		echo stop >&3 2>/dev/null
		exec cat <&3
	) >"$tmp/small.$i" 2>&1 &
	loaders="$loaders $!"
done
# a process that needs memory in a full group may be killed: all have left it here
all_opened() { [ "$(ls "$tmp"/small.*.opened 2>/dev/null | wc -l)" = 20 ]; }
wait_until all_opened
echo $(($(cat "$small/memory.current") + (10 << 20))) >"$small/memory.max"
echo >"$tmp/small.begin"
all_loaded() { [ "$(ls "$tmp"/small.*.loaded 2>/dev/null | wc -l)" = 20 ]; }
wait_until all_loaded
echo >"$tmp/small.end"
wait $loaders
run=$(grep -l '^runs$' "$tmp"/small.[0-9] "$tmp"/small.[0-9][0-9] | wc -l)
refused=$(grep -l 'error: .*memory' "$tmp"/small.[0-9] "$tmp"/small.[0-9][0-9] | wc -l)
[ $((run + refused)) = 20 ] && [ "$refused" -gt 0 ]
bystander_goes $? chunks_at_once_are_refused_or_run
# If each of them takes a part of the memory, there is not enough for any.
echo "# $run ran, $refused were refused"
is one_runs_after_those_that_were_refused "$(small_load "$tmp/small.ktap" 10240)" loaded

is no_process_was_killed "$(sed -n 's/^oom_kill //p' "$group/memory.events")" 0
no_complaints kernel_is_content

rmdir "$group" "$writers" "$printers" "$small"
umount "$root"
finish
