#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Programs that disappear while they are traced: their files are deleted or truncated,
# their code is unmapped, they execute other programs, or are killed. The calls of the
# remaining ones are counted exactly, and no probe remains after the session.

. "$(dirname "$0")/lib.sh"
needs programs
plan 12

target=$here/utarget
n=300

mkfifo "$tmp/go"
# places FUNCTION FILE: print the events of its entry and return
places() {
	offset=$("$target" offset "$1")
	both="trace uprobe:$2:$offset { n += 1 } trace uretprobe:$2:$offset { m += 1 } trace_end { print(n, m) }"
}

# the file of the program is deleted while it waits
cp "$target" "$tmp/deleted"
places add "$tmp/deleted"
"$tmp/deleted" wait add $n <"$tmp/go" &
worker=$!
exec 4>"$tmp/go"
start -q -e "$both"
rm "$tmp/deleted"
echo >&4
wait $worker
ended=$?
stop
out file_deleted_while_it_runs "$n\t$n\n"
is its_program_ended_well $ended 0
run -q -e "$both"
[ "$code" = 2 ] && matches "$tmp/err" "error: .*$tmp/deleted"
result $? and_the_file_is_gone

# the file of a library is truncated while it is mapped: its user dies, as without tracing
cp "$target" "$tmp/lib"
places leaf "$tmp/lib"
"$target" map "$tmp/lib" "$offset" 10 <"$tmp/go" 2>/dev/null &
worker=$!
exec 4>"$tmp/go"
wait_until grep -q "$tmp/lib" /proc/$worker/maps
start -q -e "$both"
"$target" map "$tmp/lib" "$offset" 10 </dev/null
: >"$tmp/lib"
echo >&4
wait $worker 2>/dev/null
ended=$?
stop
out file_truncated_while_it_is_mapped '10\t10\n'
# SIGBUS
is its_caller_is_killed $ended 135
run -q -e "trace uprobe:$tmp/lib:$offset { n += 1 }"
[ "$code" = 2 ] && matches "$tmp/err" "error: .*$tmp/lib"
result $? and_its_address_is_gone

# code that is mapped and unmapped
cp "$target" "$tmp/lib"
run -q -e "$both" -- "$target" remap "$tmp/lib" "$offset" $n
out code_mapped_and_unmapped "$n\t$n\n"

# execve() within a function, which never returns
places become "$target"
run -q -e "$both" -- "$target" become 20
out execve_within_a_function '20\tnil\n'

# killed within functions that other programs continue to call
places add "$target"
start -q -e "$both"
round=0
while [ $round -lt 20 ]; do
	"$target" add 100000000 &
	victim=$!
	sleep 0.1
	kill -KILL $victim
	wait $victim 2>/dev/null
	round=$((round + 1))
done
stop
[ "$code" = 0 ] && awk '{ exit !($1 > 0 && $2 <= $1 && $1 - $2 <= 20) }' "$tmp/out"
result $? killed_within_a_function
run -q -e "$both" -- "$target" add $n
out all_works_afterwards "$n\t$n\n"
"$target" intact
is nothing_stays_in_the_program $? 0
exec 4>&-
no_complaints no_complaints

finish
