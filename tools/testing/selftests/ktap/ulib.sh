#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Libraries: by their short names, loaded later, thousands of functions.

. "$(dirname "$0")/lib.sh"

loader=$(readlink -f "$here/loader")
library=$(readlink -f "$here/libktapshared.so.1")
"$loader" load "$library" 1 2>/dev/null || lacks "no dynamic C library is installed"
needs programs
plan 13

n=150
sum=$((n * (n + 1) / 2))
end='trace_end { print(n) }'

run -q -e "trace uprobe:libc:malloc /arg0 == 12345/ { n[probefunc] += 1 } $end" -- "$loader" allocate 12345 $n
out function_of_the_c_library "malloc: $n\n"
run -q -e "trace probe:libc:malloc /arg0 == 12345/ { n += 1 } trace probe:libc:malloc%return /arg0 == 12345/ { m[retval > 0] += 1 }
trace_end { print(n) print(m) }" -- "$loader" allocate 12345 $n
out_kept entry_and_return "$n\ntrue: $n\n"
run -q -e "trace uprobe:libc.so.6:mall?c /arg0 == 12345/ { n += 1 } $end" -- "$loader" allocate 12345 $n
out file_name_and_a_pattern "$n\n"
LD_LIBRARY_PATH=$here run -q -e "trace uprobe:libktapshared:shared_twice { n += 1 s += arg0 } trace_end { print(n, s) }" -- \
	"$loader" load "$library" $n
out library_of_a_folder "$n\t$sum\n"

# attached before the library is loaded, and before the process starts
start -q -e "trace uprobe:$library:shared_twice { n += 1 } trace usdt:$library:library:called { m += 1 s += arg0 }
trace_end { print(n, m, s) }"
"$loader" load "$library" $n
"$loader" load "$library" $n
stop
out library_that_is_loaded_later "$((2 * n))\t$((2 * n))\t$((2 * sum))\n"
mkfifo "$tmp/go"
"$loader" wait load "$library" $n <"$tmp/go" &
waiting=$!
exec 9>"$tmp/go"
start -q -p $waiting -e "trace uprobe:$library:shared_twice { n += 1 } trace usdt:$library:called { m += 1 } trace_end { print(n, m) }"
"$loader" load "$library" $n
echo >&9
wait $waiting
stop
exec 9>&-
out library_that_one_process_loads_later "$n\t$n\n"
"$loader" wait allocate 54321 $n <"$tmp/go" &
waiting=$!
exec 9>"$tmp/go"
wait_until grep -q libc "/proc/$waiting/maps"
start -q -p $waiting -e "trace uprobe:libc:malloc /arg0 == 54321/ { n += 1 } $end"
echo >&9
wait $waiting
stop
exec 9>&-
out library_that_a_process_has "$n\n"

# stacks include it
run -q -e "trace uprobe:libc:malloc /arg0 == 12345/ { print(ustack(1)) }" -- "$loader" allocate 12345 1
frame='(__libc_)?malloc\+0x0 \(libc\.so\.6\)'
has user_files || frame='0x[0-9a-f]+'
matches "$tmp/out" "^ *$frame\$"
result $? names_in_the_library

# all functions of it
functions=$("$KTAP" -l 'uprobe:libc:*' | wc -l)
echo "# $functions functions"
seconds=240
run -e "trace uprobe:libc:* { n[probefunc] += 1 } trace_end { print(n.malloc >= $n) }" -- "$loader" allocate 12345 $n
out all_functions_of_the_c_library 'true\n'
total=$(sed -n 's/^ktap: total enabled \([0-9]*\) events$/\1/p' "$tmp/err")
[ "$functions" -gt 1000 ] && [ "${total:-0}" -gt $((functions * 9 / 10)) ]
result $? as_many_as_are_listed
run -q -e "trace uprobe:libc:str*%return { n += 1 } trace_end { print(n > 0) }" -- "$loader" load "$library" 1
out returns_of_many_functions 'true\n'
"$loader" load "$library" 1
result $? program_is_as_it_was

no_complaints kernel_did_not_complain
finish
