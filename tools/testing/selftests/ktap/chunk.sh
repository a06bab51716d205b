#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A session without the tool: a chunk is written with cat, the output read with
# cat. Only ktapc makes the chunks, which could have come from any machine.

. "$(dirname "$0")/lib.sh"
plan 13
session=$tracefs/ktap/session
code=0

# compile SCRIPT: into $tmp/chunk
compile() {
	printf '%s\n' "$1" >"$tmp/script.kp"
	"$KTAPC" -o "$tmp/chunk" "$tmp/script.kp" 2>"$tmp/err"
}

# reads what the session says until its end
read_all() {
	code=0
	timeout -s KILL 20 cat <&3 >"$tmp/out" || code=$?
}

compile 'print("hello", 1 + 1)'
exec 3<>"$session"
cat "$tmp/chunk" >&3
read_all
exec 3>&-
out chunk_by_cat_prints_its_output 'hello\t2\n'

compile 'trace sched:sched_process_fork { n += 1 } trace_end { print(n > 0) }'
exec 3<>"$session"
cat "$tmp/chunk" >&3
sh -c 'cat /dev/null; true'
echo stop >&3
read_all
exec 3>&-
out stop_runs_trace_end 'true\n'

compile 'print(arg[1], arg[2], arg[0])'
exec 3<>"$session"
printf 'arg name\narg 42\narg two words\n' >&3
cat "$tmp/chunk" >&3
read_all
exec 3>&-
out arguments_come_before_the_chunk '42\ttwo words\tname\n'

compile 'print("in pieces")'
exec 3<>"$session"
dd if="$tmp/chunk" bs=1 2>/dev/null >&3
read_all
exec 3>&-
out chunk_may_come_byte_by_byte 'in pieces\n'

exec 3<>"$session"
{ printf 'arg name\narg glued\n'; cat "$tmp/chunk"; } >"$tmp/both"
cat "$tmp/both" >&3
read_all
exec 3>&-
out lines_and_chunk_in_one_write 'in pieces\n'

compile 'x = 0
y = 1 / x'
exec 3<>"$session"
cat "$tmp/chunk" >&3 2>/dev/null
read_all
exec 3>&-
matches "$tmp/out" '^(ktap: )?.*script\.kp:2:[0-9]+: error: .*zero'
result $? error_is_told_in_the_text

compile 'trace sched:no_such_event { }'
exec 3<>"$session"
cat "$tmp/chunk" >&3 2>/dev/null
is refused_chunk_fails_the_write "$?" 1
read_all
exec 3>&-
matches "$tmp/out" 'script\.kp:1:[0-9]+: error: .*no_such_event'
result $? refusal_names_the_position

exec 3<>"$session"
echo 'nonsense line' >&3 2>/dev/null
is unknown_line_fails_the_write "$?" 1
read_all
exec 3>&-
matches "$tmp/out" '^ktap: error: '
result $? unknown_line_is_told

compile 'trace sched:sched_process_fork { n += 1 }'
exec 3<>"$session"
cat "$tmp/chunk" >&3
matches "$tracefs/ktap/sessions" "script\.kp running events=[0-9]+ lost=0 memory=[0-9]+$" \
	'^  sched:sched_process_fork hits=[0-9]+ filtered=0 missed=0 errors=0$'
result $? sessions_lists_it
exec 3>&-
wait_until no_sessions
result $? close_ends_the_session

matches "$tracefs/ktap/features" '^abi: 1\.[0-9]+$' '^sources: ' '^opcodes: ' '^functions: .*print'
result $? features_tell_the_version

finish
