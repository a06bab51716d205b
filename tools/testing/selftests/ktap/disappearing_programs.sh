#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Programs that go while they are traced: their files are deleted or cut, their code
# is unmapped, they become other programs, or are killed. Whoever remains is counted
# exactly, and nothing is left behind.

. "$(dirname "$0")/lib.sh"
needs programs
plan 12

target=$here/utarget
n=300

mkfifo "$tmp/go"
# places FUNCTION FILE: its entry and return
places() {
	offset=$("$target" offset "$1")
	both="trace uprobe:$2:$offset { n += 1 } trace uretprobe:$2:$offset { m += 1 } trace_end { print(n, m) }"
}

# its own file is deleted while it waits
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
result $? and_there_is_no_such_file_any_more

# the file of a library is cut while it is mapped: its user dies of that, as he would
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
out file_cut_while_it_is_mapped '10\t10\n'
# SIGBUS
is who_called_it_is_killed $ended 135
run -q -e "trace uprobe:$tmp/lib:$offset { n += 1 }"
[ "$code" = 2 ] && matches "$tmp/err" "error: .*$tmp/lib"
result $? and_has_no_such_place_any_more

# code that comes and goes
cp "$target" "$tmp/lib"
run -q -e "$both" -- "$target" remap "$tmp/lib" "$offset" $n
out code_mapped_and_unmapped "$n\t$n\n"

# another program from within a function, which never returns
places become "$target"
run -q -e "$both" -- "$target" become 20
out execve_within_a_function '20\tnil\n'

# killed inside of functions, of which others go on
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
result $? killed_inside
run -q -e "$both" -- "$target" add $n
out all_works_afterwards "$n\t$n\n"
"$target" intact
is nothing_stays_in_the_program $? 0
exec 4>&-
no_complaints no_complaints

finish
