#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A session without the tool: a chunk is written with cat, the output read with
# cat. Only ktapc makes the chunks, which could have come from any machine.

. "$(dirname "$0")/lib.sh"
plan 22
session=$tracefs/ktap/session
code=0

# compile SCRIPT: write its chunk to $tmp/chunk
compile() {
	printf '%s\n' "$1" >"$tmp/script.kp"
	rm -f "$tmp/chunk"
	"$KTAPC" -o "$tmp/chunk" "$tmp/script.kp" 2>"$tmp/err" && [ -s "$tmp/chunk" ] && return
	echo "Bail out! ktapc made no chunk"
	exit 1
}

# read the output of the session until its end
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

# a terminal obeys some bytes
escape=$(printf '\033]0;x\007')
compile 'kdebug.probe("sched:sched_process_for[k\x1b]", function () { n += 1 })'
exec 3<>"$session"
printf 'arg %s\n' "$escape" >&3
cat "$tmp/chunk" >&3
sed -n '/ running /,$p' "$tracefs/ktap/sessions" >"$tmp/listed"
exec 3>&-
[ "$(wc -l <"$tmp/listed")" = 2 ] && grep -q ' [\]033]0;x[\]007 ' "$tmp/listed" &&
	! LC_ALL=C grep -q '[^ -~]' "$tmp/listed"
result $? sessions_has_no_control_characters

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

# errors, with the position in the script if there is one
compile 'print("before")
x = 0
y = 1 / x
trace_end { print("end") }'
exec 3<>"$session"
cat "$tmp/chunk" >&3 2>/dev/null
is top_level_error_does_not_fail_the_write "$?" 0
read_all
exec 3>&-
matches "$tmp/out" '^before$' "^$tmp/script\\.kp:3:[0-9]+: error: division by zero$" \
	"^  in main \\($tmp/script\\.kp:3\\)$" && ! grep -q '^ktap: ' "$tmp/out"
result $? top_level_error_is_in_the_text

compile 'function f(x) { return 1 / x }
trace sched:sched_process_fork { f(0) }
trace_end { print("end") }'
exec 3<>"$session"
cat "$tmp/chunk" >&3
sh -c "cat /dev/null; true"
read_all
exec 3>&-
matches "$tmp/out" "^$tmp/script\\.kp:1:[0-9]+: error: division by zero$" "^  in f \\($tmp/script\\.kp:1\\)$" \
	'^end$' && ! grep -q '^ktap: ' "$tmp/out"
result $? handler_error_is_in_the_text

compile 't = table.new(0, 10)
for (i = 1, 25) { t[i] = i }
trace sched:sched_process_fork, sched:sched_process_exit { }
trace_end { print(len(t)) }'
exec 3<>"$session"
cat "$tmp/chunk" >&3
echo stop >&3
read_all
exec 3>&-
matches "$tmp/out" '^ktap: total enabled 2 events$' '^10$' "^ktap: dropped 15 entries of 't', which was full"
result $? messages_are_in_the_text

compile 'trace sched:no_such_event { }'
exec 3<>"$session"
cat "$tmp/chunk" >&3 2>/dev/null
is refused_chunk_fails_the_write "$?" 1
read_all
exec 3>&-
matches "$tmp/out" "^$tmp/script\\.kp:1:[0-9]+: error: .*no_such_event" && ! grep -q '^ktap: ' "$tmp/out"
result $? refusal_names_the_position

exec 3<>"$session"
echo 'nonsense line' >&3 2>/dev/null
is unknown_line_fails_the_write "$?" 1
read_all
exec 3>&-
out unknown_line_is_reported "ktap: error: 'nonsense line' is no line to set up a session with\n"

exec 3<>"$session"
echo 'symbols short' >&3 2>/dev/null
read_all
exec 3>&-
out a_short_key_is_reported "ktap: error: 'short' is no key of 8 to 32 letters and digits\n"

exec 3<>"$session"
head -c 40 "$tmp/chunk" >&3
read_all
exec 3>&-
out truncated_chunk_is_reported "ktap: error: the chunk is incomplete: 40 of $(wc -c <"$tmp/chunk") bytes\n"

exec 3<>"$session"
head -c 100000 /dev/zero >&3 2>/dev/null
is endless_line_fails_the_write "$?" 1
read_all
exec 3>&-
matches "$tmp/out" '^ktap: error: a line of more than '
result $? endless_line_is_reported

compile 'trace sched:sched_process_fork { n += 1 } trace_end { }'
exec 3<>"$session"
printf 'arg some name\n' >&3
cat "$tmp/chunk" >&3
sh -c 'cat /dev/null; true'
matches "$tracefs/ktap/sessions" \
	'^[0-9]+ [0-9]+ [a-z._]+ some\\040name running events=[1-9][0-9]* lost=0 memory=[1-9][0-9]* overhead=[0-9]+\.[0-9][0-9]% attached=1/1$' \
	'^  sched:sched_process_fork hits=[1-9][0-9]* filtered=0 missed=0 skipped=0 errors=0 time=[1-9][0-9]* code=(native|bytecode(\([a-z]+\))?)$'
result $? sessions_lists_it
exec 3>&-
wait_until no_sessions
result $? close_ends_the_session

exec 3<>"$session"
cat "$tmp/chunk" >&3
matches "$tracefs/ktap/sessions" '^[0-9]+ [0-9]+ [a-z._]+ - running '
result $? session_without_arguments_has_no_name
exec 3>&-

matches "$tracefs/ktap/features" '^abi: 1\.[0-9]+$' '^sources: ' '^opcodes: ' '^functions: .*print'
result $? features_file_has_the_version

finish
