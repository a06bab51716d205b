#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The memory of a session is charged to the memory cgroup of whoever opened it, not
# of who writes to it, and given back; a group at its limit is told so, and nobody is
# killed.

. "$(dirname "$0")/lib.sh"
plan 17

root=$tmp/cgroup
group=$root/ktap_test
writers=$root/ktap_writers
printers=$root/ktap_printers
mkdir "$root"
mount -t cgroup2 none "$root" 2>/dev/null
if ! { [ -e "$root/cgroup.controllers" ] && echo +memory >"$root/cgroup.subtree_control" &&
	mkdir "$group" "$writers" "$printers"; } 2>/dev/null; then
	umount "$root" 2>/dev/null
	for name in memory_is_charged all_of_it memory_is_given_back writer_is_not_charged \
		opener_is_charged_for_a_writer memory_of_a_writer_is_given_back limit_is_an_error \
		limit_is_told limit_of_handlers limit_of_handlers_is_told limit_of_text \
		limit_of_text_is_told many_sessions memory_of_many memory_of_many_is_given_back \
		nobody_was_killed kernel_is_content; do
		skip $name "there is no memory cgroup"
	done
	finish
fi

# in_group COMMAND...: instead of this shell
in_group() {
	echo 0 >"$group/cgroup.procs"
	exec "$@"
}

# keeps_open LOAD: in the group, a session into which LOAD writes the chunk; no tool: what
# is charged is the session's
keeps_open() {
	rm -f "$tmp/up" "$tmp/down"
	(in_group sh -c "exec 3<>$tracefs/ktap/session; $1 && echo up >$tmp/up; cat $tmp/stop; exec 3>&-; echo down >$tmp/down; cat $tmp/stop" 2>"$tmp/err") &
	wait_until [ -e "$tmp/up" ]
}

# closes NAME: and gives all back, but what is freed behind a grace period, and pages of
# the shell
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

# The open file is another group's, which could not pay
echo 1M >"$writers/memory.max"
keeps_open "(echo 0 >$writers/cgroup.procs; exec cat $tmp/t.ktap >&3)"
result $? writer_is_not_charged
[ "$(charged)" -gt $((2 << 20)) ]
result $? opener_is_charged_for_a_writer
closes memory_of_a_writer_is_given_back

echo 1M >"$group/memory.max"
(in_group sh -c "exec 3<>$tracefs/ktap/session; cat $tmp/t.ktap >&3; cat <&3" >"$tmp/out" 2>"$tmp/err")
code=$?
! grep -q '^up' "$tmp/out" && grep -q 'Cannot allocate memory\|Out of memory' "$tmp/err"
result $? limit_is_an_error
grep -q '^ktap: error: .*memory' "$tmp/out"
result $? limit_is_told

# The limit is reached by handlers: what they want then is dropped, and counted
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
# for those who read what it says, who need some, too
echo max >"$group/memory.max"
echo >"$tmp/stop"
wait $holder
code=$?
kept=$(sed -n 's/^20000	//p' "$tmp/out")
[ "${kept:-0}" -gt 0 ] && [ "$kept" -lt 20000 ]
result $? limit_of_handlers
is limit_of_handlers_is_told "$code $(sed -n 's/^ktap: dropped \([0-9]*\) values: the system or its memory cgroup had no memory left .*/\1/p' "$tmp/out")" "0 $((20000 - kept))"

# It is reached by text that waits for the reader: the script may print no more.  Nobody
# is in the group then.
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
result $? limit_of_text_is_told

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
# each has a megabyte of ring buffers and more
[ $most -gt $((50 << 20)) ]
result $? memory_of_many
wait_until charged_at_most $((1 << 20))
result $? memory_of_many_is_given_back
echo >"$tmp/stop"
wait $holder

is nobody_was_killed "$(sed -n 's/^oom_kill //p' "$group/memory.events")" 0
no_complaints kernel_is_content

rmdir "$group" "$writers" "$printers"
umount "$root"
finish
