#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Probes in programs by the offset in the file: entry, return, arguments; counts are
# exact, and the programs are not harmed.

. "$(dirname "$0")/lib.sh"
needs programs
plan 67

target=$here/utarget
pie=$here/utarget-pie
session=$tracefs/ktap/session
n=300
end='trace_end { print(n) }'

# any data that a script may read at the return
if has return_arguments; then
	kept='arg0, arg1' kept_values='1, 2' others='arg2, arg3' their_values='3, 4'
	first_kept=arg0 first_value=1 one='retval - arg0' kept_sum='arg0 + arg1 + arg2'
else
	kept=retval kept_values=55 others='retval - 1' their_values=54
	first_kept=retval first_value=55 one=1 kept_sum=retval
fi

# if an address does not show whether it is of user or kernel memory, only this function
# reads user memory
string=str beyond='buf(arg1 + 32, 1)' addresses=1
has addresses || string=user_string beyond='user_string(arg1 + 32, 1)' addresses=

# at FUNCTION [PROGRAM]: "PATH:OFFSET"
at() { echo "${2:-$target}:$("${2:-$target}" offset "$1")"; }

add=$(at add) say=$(at say) depth=$(at depth) leap=$(at leap) twice=$(at twice)

# entry and return
run -q -e "trace uprobe:$add { n += 1 } $end" -- "$target" add $n
out entry_is_counted_exactly "$n\n"
run -q -e "trace probe:$add { n += 1 } $end" -- "$target" add $n
out probe_of_a_path_is_the_same "$n\n"
run -q -e "trace uretprobe:$add { n[retval] += 1 } $end" -- "$target" add $n
out return_is_counted_exactly_and_has_the_value "55: $n\n"
run -q -e "trace uprobe:$add%return { n[retval] += 1 } $end" -- "$target" add $n
out percent_return_is_the_same "55: $n\n"
run -q -e "trace uprobe:$(at add "$pie") { n += 1 } trace uretprobe:$(at add "$pie") { m += 1 }
trace_end { print(n, m) }" -- "$pie" add $n
out program_at_any_address "$n\t$n\n"
decimal=$(($("$target" offset add)))
run -q -e "trace uprobe:$target:$decimal { n += 1 } $end" -- "$target" add $n
out offset_may_be_decimal "$n\n"

# arguments
run -q -e "trace uprobe:$add { n[arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7] += 1 m[arg8, arg9] += 1 }
trace_end { print(n) print(m) }" -- "$target" add $n
out ten_arguments "1, 2, 3, 4, 5, 6, 7, 8: $n\n9, 10: $n\n"
run -q -e "trace uretprobe:$add { n[arg1, retval] += 1 } $end" -- "$target" add $n
out_kept one_argument_at_the_return "2, 55: $n\n"
run -q -e "trace uretprobe:$add { n[arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7] += 1 m[arg8, arg9] += 1 }
trace_end { print(n) print(m) }" -- "$target" add $n
out_kept ten_arguments_at_the_return "1, 2, 3, 4, 5, 6, 7, 8: $n\n9, 10: $n\n"
run -q -e "trace uretprobe:$add { n[retval] += 1 } trace uprobe:$say { m = arg0 } $end" -- "$target" add $n
out arguments_of_another_probe "55: $n\n"
run -q -e "trace uprobe:$add /arg1 == 2 && arg9 == 10/ { n += 1 } trace uprobe:$add /arg1 == 3/ { m += 1 }
trace_end { print(n, m) }" -- "$target" add $n
out filters_see_arguments "$n\tnil\n"
if "$here/long32" 2>/dev/null; then
	run -q -e "trace uprobe:$here/long32:take { n[arg0 >> 32, arg1, arg2, arg3, arg4, arg5, arg6, join(arg0)] += 1 }
trace uretprobe:$here/long32:take { m[join(arg0), retval] += 1 } trace_end { print(n) print(m) }" -- "$here/long32"
	out_kept arguments_of_long_registers_and_short_pointers "0, 1234605616436508552, 3, 4, 5, 6, 68719476736, two words: 10
two words, 1234605685155985288: 10\n"
else
	skip arguments_of_long_registers_and_short_pointers "this kernel runs no x32 programs, or the program was not built"
fi

# lacks_part NAME EVENT PART PATTERN: no event of the probe has what the handler reads
lacks_part() {
	run -q -e "trace $2 { print($3) }" -- true
	[ "$code" = 2 ] && matches "$tmp/err" "^-e:1:[0-9]+: error: ${2%%:*}:.* has no $4"
	result $? "$1"
}
untyped="no debug information has an argument of this name, arg0 is the first argument\$"
lacks_part parameter_by_its_name "uprobe:$add" args.c "field 'c': $untyped"
lacks_part parameter_by_its_name_at_the_return "uretprobe:$add" args.c "field 'c': $untyped"
lacks_part result_at_the_entry "uprobe:$add" retval "'retval': only returns of functions "

# strings, also where the page is not there
run -q -e "trace uprobe:$say { n[$string(arg0)] += 1 } $end" -- "$target" say "some words" $n
out string_of_an_argument "some words: $n\n"
printf 'cold words' >"$tmp/text"
run -e "trace uprobe:$say { n[$string(arg0)] += 1 } $end" -- "$target" cold "$tmp/text" $n
out string_on_a_page_that_is_not_there "cold words: $n\n"
! grep -q 'reads of memory failed' "$tmp/err"
result $? no_read_failed
if [ -n "$addresses" ]; then
	run -q -e "trace uprobe:$say { n[buf(arg0, 4)] += 1 m[read(arg0, 1)] += 1 } trace_end { print(n) print(m) }" -- \
		"$target" cold "$tmp/text" $n
	out bytes_on_a_page_that_is_not_there "cold: $n\n99: $n\n"
	run -q -e "cdef [[ struct text { char first; char rest[4]; u8 last; }; ]]
trace uprobe:$say { var text = cast(\"struct text\", arg0)
	n[text.first, text.rest, text.last] += 1 } $end" -- "$target" say "a word" $n
	out members_in_memory_of_the_process "97,  wor, 100: $n\n"
	reads='user_string(arg1) buf(arg1,16) join(arg1)'
else
	skip bytes_on_a_page_that_is_not_there "addresses do not show whether they are of user or kernel memory on this machine"
	skip members_in_memory_of_the_process "addresses do not show whether they are of user or kernel memory on this machine"
	skip device_is_not_touched_for_buf "addresses do not show whether they are of user or kernel memory on this machine"
	reads='user_string(arg1) join(arg1)'
fi
for read in $reads; do
	run -q -e "trace uprobe:$depth {
	s = $read
	if ($beyond == nil) { n += 1 } else { m += 1 }
}
trace_end { print(n, m) }" -- "$target" device $n
	out_device "device_is_not_touched_for_${read%(*}" "$((4 * n))\t$((4 * n))\n"
done
run -q -e "trace uretprobe:$(at fill) { n[$string(arg0), retval] += 1 } $end" -- "$target" fill $n
out_kept buffer_that_was_filled_meanwhile "filled, 6: $n\n"
run -e "trace uprobe:$(at depth) { n[$string(arg0) == nil] += 1 } $end" -- "$target" depth 0 5
out bad_address_is_nil 'true: 5\n'
matches "$tmp/err" '^ktap: 5 reads of memory failed$'
result $? bad_address_is_counted

# nested calls, calls that do not return, or return twice
run -q -e "trace uprobe:$depth { n += 1 } trace uretprobe:$depth { m[arg1] += 1 r += retval - arg0 }
trace_end { print(n, r) print(m) }" -- "$target" depth 9 20
out_kept recursion '200\t200\n7: 200\n'
run -e "trace uprobe:$depth { n += 1 } trace uretprobe:$depth { m[arg1] += 1 } trace_end { print(n) print(m) }" -- \
	"$target" depth 70 1
out_kept recursion_that_is_too_deep_for_the_kernel '71\n7: 64\n'
run -e "trace uprobe:$depth { n += 1 } trace uretprobe:$depth { m += 1 } trace_end { print(n, m) }" -- "$target" depth 70 1
out the_same_without_arguments '71\t64\n'
matches "$tmp/err" "^ktap: 'uretprobe:$depth' missed 7 events\$"
result $? too_deep_calls_are_counted
run -q -e "trace uprobe:$leap { n += 1 } trace uretprobe:$leap { m[arg0, arg1] += 1 }
trace uretprobe:$depth { d[arg0, arg1] += 1 } trace_end { print(n, m) print(d) }" -- \
	sh -c "$target leap $n && $target depth 0 $n"
out_kept longjmp "$n\t{}\n0, 7: $n\n"
run -q -e "trace uprobe:$twice { n += 1 } trace uretprobe:$twice { m[retval, arg0, arg1] += 1 }
trace_end { print(n, m[3, 3, 4], m[4, 3, 4], len(m)) }" -- "$target" twice $n
out_kept fork_returns_twice "$n\t$n\t$n\t2\n"
run -q -e "trace uretprobe:$add { m[arg0 + arg1 + arg2 + arg3 + arg4 + arg5 + arg6 + arg7] += 1 }
trace uretprobe:$twice { w[retval, arg0] += 1 } trace_end { print(m) print(w[3, 3], w[4, 3], len(w)) }" -- "$target" both $n
out_kept fork_after_a_call_with_more_arguments "36: $n\n$n\t$n\t2\n"
# the unwinder of powerpc reads the code that a function returns to, and at a probed return
# the program may not read it: then an exception, and the end of a thread, kill the program
uncaught=3 quits='quit 2'
case $(uname -m) in ppc64*) uncaught=139 quits= ;; esac
if [ -n "$quits" ]; then
	run -q -e "trace uprobe:$(at quit) { n[arg0] += 1 } trace uretprobe:$(at quit) { m[arg0, arg1] += 1 }
trace_end { print(n) print(m) }" -- "$target" quit $n
	out_kept threads_that_end_inside "5: $n\n{}\n"
else
	skip threads_that_end_inside "the end of a thread kills the program on this machine"
fi

# all returns of a program, except those whose tracing would kill it
survived() { # COMMAND...: returns are counted, and the program ends as without tracing
	run -q -e "trace uretprobe:$target:* { n += 1 } trace_end { print(n > 10) }" -- \
		sh -c "$target $*; echo ended \$?"
	[ "$code" = 0 ] && [ "$(sort "$tmp/out" | tr '\n' ' ')" = 'ended 0 true ' ] || {
		echo "# $*"
		return 1
	}
}
run -q -e "trace uretprobe:$target:add { n += 1 } $end" -- "$target" add 1
if [ "$code" = 0 ]; then
	fails=0
	# the unwinder of riscv reads that code, too, in some of these functions
	ends=$quits
	[ "$(uname -m)" != riscv64 ] || ends=
	if grep -q '^Manufacturer: *QEMU' /proc/sysinfo 2>/dev/null; then
		# some functions of the C library begin with a comparison
		skip program_whose_returns_are_all_probed_continues \
			"this emulator of s390 loses the condition code of an instruction with a probe"
	else
		for command in 'leap 3' 'context 3' 'depth 9 2' 'exec 3' 'both 2' 'fork 2' 'threads 2 2' "$ends" 'spawn 2'; do
			[ -z "$command" ] || survived "$command" || fails=$((fails + 1))
		done
		is program_whose_returns_are_all_probed_continues $fails 0
		fails=0
	fi
	for function in _setjmp:leap getcontext:context swapcontext:context _start:add; do
		run -q -e "trace uretprobe:$target:${function%:*} { n += 1 } $end" -- "$target" ${function#*:} 1
		[ "$code" = 2 ] && matches "$tmp/err" ":1:7: error: the return of '${function%:*}' cannot be probed: " ||
			fails=$((fails + 1))
		run -q --unsafe -e "trace uretprobe:$target:${function%:*} { n += 1 } $end" -- true
		[ "$code" = 0 ] || fails=$((fails + 1))
	done
	if [ "$(uname -m)" = s390x ]; then
		run -q -e "trace uprobe:$target:vfork { n += 1 } $end" -- "$target" spawn 1
		[ "$code" = 2 ] && matches "$tmp/err" \
			":1:7: error: 'vfork' begins with a system call for processes, which the kernel cannot probe; " ||
			fails=$((fails + 1))
	fi
	is deadly_returns_are_refused_unless_unsafe $fails 0
else
	skip program_whose_returns_are_all_probed_continues "this kernel has no names of functions"
	skip deadly_returns_are_refused_unless_unsafe "this kernel has no names of functions"
fi
if "$target" unwind 2; then
	run -q -e "trace uprobe:$(at throws) { n += 1 } $end" -- sh -c "$target unwind 2; echo \$?"
	out exception_passes_a_function_whose_entry_is_probed '0\n2\n'
	run -q -e "trace uretprobe:$(at throws) { n += 1 } $end" -- sh -c "$target unwind 2; echo \$?"
	out exception_does_not_pass_one_whose_return_is_probed "$uncaught\nnil\n"
else
	skip exception_passes_a_function_whose_entry_is_probed "stacks cannot be unwound on this machine"
	skip exception_does_not_pass_one_whose_return_is_probed "stacks cannot be unwound on this machine"
fi

# processes and threads
run -q -e "trace uprobe:$add { n += 1 t[tid] += 1 } trace uretprobe:$add { m[arg0 + arg9] += 1 }
trace_end { print(n, len(t)) print(m) }" -- "$target" threads 8 1000
out_kept threads_at_once '8000\t8\n11: 8000\n'
run -q -e "trace uprobe:$add { n += 1 } $end" -- "$target" fork $n
out children "$n\n"
run -q -e "trace uprobe:$add { n += 1 } trace uprobe:$(at _start) { m += 1 } trace_end { print(n, m) }" -- "$target" exec 20
out programs_one_after_the_other_from_their_first_instruction '20\t21\n'
mkfifo "$tmp/go"
"$target" wait fork 20 <"$tmp/go" &
worker=$!
exec 4>"$tmp/go"
start -q -p $worker -e "trace uprobe:$add { n += 1 } trace_end { print(n) }"
echo >&4
wait $worker
stop
out children_are_not_traced_with_their_parent 'nil\n'
"$target" wait add $n <"$tmp/go" &
worker=$!
exec 4>"$tmp/go"
start -q -p $worker -e "trace uprobe:$add { n += 1 } $end"
"$target" add 10
"$target" intact
intact=$?
echo >&4
wait $worker
stop
out process_is_traced_alone "$n\n"
start -q -e "trace uprobe:$add { n += 1 } $end"
"$target" intact
intact=$intact,$?
stop
"$target" intact
is memory_of_other_processes_is_unchanged "$intact,$?" 0,1,0
"$target" wait exec 20 <"$tmp/go" &
worker=$!
exec 4>"$tmp/go"
start -q -p $worker -e "trace uprobe:$add { n += 1 } $end"
echo >&4
wait $worker
stop
out process_stays_traced_through_exec '20\n'
exec 4>&-

# several probes and sessions at one address
run -q -e "trace uprobe:$add { n += 1 } trace uprobe:$add { s += n } trace uretprobe:$add { r += 1 }
trace uretprobe:$add { t += r * arg0 } trace_end { print(n, s, r, t) }" -- "$target" add 100
out_kept probes_of_one_address_run_in_order '100\t5050\t100\t5050\n'
start -q -e "trace uprobe:$add { n += 1 } trace uretprobe:$add { m[$kept] += 1 } trace_end { print(n) print(m) }"
first=$tracer
mv "$tmp/out" "$tmp/out1"
run -q -e "trace uretprobe:$add { m[$others] += 1 } trace uprobe:$add { n += 1 } trace_end { print(n) print(m) }" -- \
	"$target" add $n
out second_session_of_one_place "$n\n$their_values: $n\n"
tracer=$first
stop
is first_session_of_one_place "$(cat "$tmp/out1")" "$n
$kept_values: $n"

# libraries that are replaced and deleted while they are used and traced
cp "$target" "$tmp/lib"
leaf=$("$target" offset leaf)
start -q -e "trace uprobe:$tmp/lib:$leaf { n += 1 } trace uretprobe:$tmp/lib:$leaf { m += $one } trace_end { print(n, m) }"
"$target" map "$tmp/lib" "$leaf" 10 <"$tmp/go" &
worker=$!
exec 4>"$tmp/go"
wait_until grep -q "$tmp/lib" /proc/$worker/maps
"$target" map "$tmp/lib" "$leaf" 10 </dev/null
cp "$target" "$tmp/new"
mv "$tmp/new" "$tmp/lib"
"$target" map "$tmp/lib" "$leaf" 10 </dev/null
rm "$tmp/lib"
echo >&4
wait $worker
ended=$?
exec 4>&-
stop
out library_replaced_and_deleted '30\t30\n'
is its_users_continue $ended 0

# the set-up lines of the program ktap, written by hand
# tell SCRIPT LINE...: open a session, and write these lines and the script
tell() {
	printf '%s\n' "$1" >"$tmp/script.kp"
	shift
	"$KTAPC" -o "$tmp/chunk" "$tmp/script.kp" 2>"$tmp/err" || return 1
	printf 'arg script\n' >"$tmp/lines"
	[ $# = 0 ] || printf '%s\n' "$@" >>"$tmp/lines"
	exec 3<>"$session"
	cat "$tmp/lines" "$tmp/chunk" >&3 2>/dev/null
}

# heard: read its output until its end
heard() {
	echo stop >&3 2>/dev/null
	code=0
	timeout -s KILL 20 cat <&3 >"$tmp/out" || code=$?
	exec 3>&-
}

tell "trace uprobe:$add function (e) { n[e.name, probefunc, probename, e.ip > 0, result() == nil, execname] += 1 } $end function result() { return retval }"
"$target" add $n
heard
offset=${add#*:}
out offset_is_a_name_without_the_program_ktap "$offset, $offset, $offset, true, true, utarget: $n\n"
tell "trace probe:libc:a* { n[probefunc, probename] += 1 } trace uretprobe:/x/y:z { m[probefunc, $first_kept] += 1 }
trace_end { print(n) print(m) }" "uprobe probe:libc:a* $target" "at $("$target" offset add) 0 add" \
	"at $("$target" offset leaf) 0 a\\040leaf" "uprobe uretprobe:/x/y:z $target" "at $("$target" offset add) 0 sum"
"$target" add $n
heard
out answers_give_places_and_names "ktap: total enabled 3 events\nadd, add: $n\nsum, $first_value: $n\n"
tell 'trace uprobe:/x:f { n[args.low == (arg0 & 255), args.narrow == ((arg0 & 255) ^ 128) - 128, args.whole == arg0] += 1 }
trace uretprobe:/x:f { m[args.whole != nil] += 1 } trace_end { print(n) print(m) }' "uprobe uprobe:/x:f $target" \
	"at $("$target" offset say) 0 say" 'param low 0 1' 'param narrow 0 -1' 'param whole 0 8' \
	"uprobe uretprobe:/x:f $target" "at $("$target" offset say) 0 say" 'param whole 0 8'
"$target" say word $n
heard
out_kept arguments_have_names_and_sizes "ktap: total enabled 2 events\ntrue, true, true: $n\ntrue: $n\n"
tell 'trace uprobe:/x:f* { n[probefunc, args.first] += 1 } trace_end { print(n) }' "uprobe uprobe:/x:f* $target" \
	"at $("$target" offset add) 0 add" 'param first 0 4' "at $("$target" offset say) 0 say"
"$target" both $n
"$target" say word $n
heard
[ "$(sed 1d "$tmp/out" | sort | tr '\n' ' ')" = "add, 1: $n say, nil: $n " ]
result $? an_argument_that_some_functions_have
if [ "$(uname -m)" = x86_64 ]; then
	tell 'trace usdt:/x:p:m { n[probefunc, arg0, arg1, arg2, arg3, arg4] += 1 m[arg5, seventh() == nil] += 1 } trace_end { print(n) print(m) } function seventh() { return arg6 }' \
		"uprobe usdt:/x:p:m $target" \
		"at $("$target" offset add) $("$target" offset semaphore) p:m 4@%di -8@%si 8@8(%sp) 8@(%sp,%di,8) -4@\$-3 !8@%xmm0"
	"$target" add $n
	"$target" watched
	watched=$?
	heard
	out arguments_of_a_marker "p:m, 1, 2, 7, 7, -3: $n\nnil, true: $n\n"
	"$target" watched
	is semaphore_is_raised_as_long_as_it_is_traced "$watched,$?" 0,1
else
	skip arguments_of_a_marker "its registers are those of x86_64"
	skip semaphore_is_raised_as_long_as_it_is_traced "as well"
fi
tell 'trace uprobe:/x:y* { n += 1 } trace_end { print(n) }' "uprobe uprobe:/x:y* $target" \
	"at $("$target" offset add) 0 add" "at 0x7fffffffff 0 far" "uprobe uprobe:/x:y* $(dirname "$target")/./utarget" \
	"at $("$target" offset add) 0 again"
"$target" add $n
heard
sort "$tmp/out" >"$tmp/sorted"
mv "$tmp/sorted" "$tmp/out"
out places_that_cannot_be_probed_are_skipped "$n\nktap: skipped 1 places of 'uprobe:/x:y*' that cannot be probed\n"
if bad=$("$target" offset privileged); then
	"$target" idle &
	idle=$!
	tell 'trace uprobe:/x:z* { n += 1 } trace_end { print(n) }' "uprobe uprobe:/x:z* $target" \
		"at $("$target" offset add) 0 add" "at $bad 0 bad" "at $("$target" offset say) 0 say"
	"$target" add $n
	heard
	kill $idle
	sort "$tmp/out" | tr '\n' ',' >"$tmp/sorted"
	is places_that_are_refused_are_not_counted "$(cat "$tmp/sorted")" \
		"$n,ktap: skipped 1 places of 'uprobe:/x:z*' that cannot be probed,ktap: total enabled 2 events,"
else
	skip places_that_are_refused_are_not_counted "its instruction is one of x86"
fi
base=$(($("$target" offset many))) i=0
{
	echo "uprobe uprobe:/x:many* $target"
	while [ $i -lt 1500 ]; do
		echo "at $((base + 16 * i)) 0 f$i"
		i=$((i + 1))
	done
} >"$tmp/many"
tell 'trace uprobe:/x:many* { n[probefunc] += 1 m += 1 } trace_end { print(m, len(n), n.f0, n.f1499) }' "$(cat "$tmp/many")"
"$target" many 3
heard
matches "$tmp/out" '^4500	1500	3	3$' '^ktap: total enabled 1500 events$'
result $? fifteen_hundred_functions

# errors
fails=0
# refused SCRIPT WORDS [LINE...]: refused with these words at its line
refused() {
	words=$2
	tell "$1" ${3:+"$3"} ${4:+"$4"}
	heard
	matches "$tmp/out" "$words" || { fails=$((fails + 1)); cat "$tmp/out"; }
}
refused "trace uprobe:/no/such/file:0x10 { }" 'script.kp:1:7: error: .*there is no file .*/no/such/file'
refused "trace uprobe:/proc/version/x:0x10 { }" 'script.kp:1:7: error: .*cannot be opened: a part of the path before a slash is no directory'
refused "trace uprobe:/:0x10 { }" "error: .*'/' is not a program, nor a library"
refused "trace uprobe:$target:0x7fffffffff { }" 'error: .*that is beyond the end of the file'
refused "trace uprobe:$target:add { }" 'error: .*by the program ktap; without it write the offset'
refused "x = 1
trace usdt:$target:p:m { }" 'script.kp:2:7: error: .*markers are looked up by the program ktap'
refused 'trace uprobe:/a:b { }' 'script.kp:1:7: error: .*no function b in it, did you mean c' \
	'unresolved uprobe:/a:b no function b in it, did you mean c'
refused 'trace usdt:/a:b:c%return { }' 'error: .*does not return' 'unresolved usdt:/a:b:c%return no'
refused "$(i=0; while [ $i -lt 11 ]; do echo "trace uprobe:/x:many* { }"; i=$((i + 1)); done)" \
	'script.kp:11:7: error: .*more than 16384 places' "$(cat "$tmp/many")"
refused 'print(1)' "error: the line 'at 0x10 0 f': there is no file before it" 'at 0x10 0 f'
refused 'print(1)' "error: the line 'at 0x10 0 f 3@.5': an argument has 1, 2, 4 or 8 bytes" 'uprobe e /p' 'at 0x10 0 f 3@$5'
refused 'print(1)' "error: the line 'uprobe e p': the path does not begin with" 'uprobe e p'
is impossible_events_are_refused_with_a_reason $fails 0

# A user who may open the file, but has no other privilege, cannot trace programs.
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
mode=$(stat -c %a "$session")
echo -1 >/proc/sys/kernel/perf_event_paranoid
of_root=$(stat -c %a "$tracefs") of_ktap=$(stat -c %a "$tracefs/ktap")
chmod 666 "$session"
chmod 755 "$tracefs" "$tracefs/ktap"
code=0
timeout -s KILL 60 "$workload" as 65534 "$KTAP" -q -e "trace uprobe:$add { n += 1 }" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
[ "$code" = 2 ] && matches "$tmp/err" ':1:7: error: .*CAP_PERFMON is needed to trace programs$'
result $? other_users_may_not
chmod "$of_root" "$tracefs"
chmod "$of_ktap" "$tracefs/ktap"
chmod "$mode" "$session"
echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid

# load: everything is attached, detached and killed while processes fork, execute programs
# and exit
# not on s390, where a program ends if its breakpoint is removed before the trap is
# handled
if [ "$(uname -m)" = s390x ]; then
	for name in values_under_load load_survives_the_death_of_its_tracers many_were_attached; do
		skip $name "on this machine a program dies if a uprobe is removed while it is hit"
	done
else
	"$target" busy 2 &
	busy=$!
	entries="trace uprobe:$add { n += 1 } trace uprobe:$(at quit) { q[arg0] += 1 } trace uprobe:$(at _start) { s += 1 }"
	quit_returns="trace uretprobe:$(at quit) { z += $kept_sum }"
	[ -n "$quits" ] || quit_returns=
	if has return_arguments; then
		all="$entries trace uretprobe:$add { m[arg0, arg9] += 1 } trace uretprobe:$depth { d[arg0, arg1] += 1 }
trace uretprobe:$leap { l[arg0] += 1 } trace uretprobe:$twice { w[arg0, arg1, retval] += 1 }
trace uretprobe:$(at fill) { f[$string(arg0)] += 1 } $quit_returns"
	else
		all="$entries trace uretprobe:$add { m[1, retval - 45] += 1 } trace uretprobe:$depth { d[retval] += 1 }
trace uretprobe:$leap { l[retval] += 1 } trace uretprobe:$twice { w[retval] += 1 }
trace uretprobe:$(at fill) { f.filled += 1 } $quit_returns"
	fi
	start -q -e "$all trace_end { print(n > 100, len(m), m[1, 10] > 100, l, len(w), f.filled > 1, q[5] > 1, z, s > 1) }"
	sleep 3
	stop
	out values_under_load 'true\t1\ttrue\t{}\t2\ttrue\ttrue\tnil\ttrue\n'
	kill_rounds 20 700 "$all"
	wait_until no_sessions
	kill -0 $busy
	result $? load_survives_the_death_of_its_tracers
	[ $hits -ge $((kills / 4)) ] && [ $hits != 0 ]
	result $? many_were_attached
	kill $busy
	wait $busy 2>/dev/null
fi
run -q -e "trace uprobe:$add { n += 1 } $end" -- "$target" add $n
out all_works_afterwards "$n\n"
"$target" intact
result $? nothing_stays_in_the_program
no_complaints no_complaints_of_the_kernel
finish
