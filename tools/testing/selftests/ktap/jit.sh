#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Native code: which handlers have it, that they do the same as the interpreter does, that
# the switches of the BPF JIT apply, and that the code is freed.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
jit=$tracefs/ktap/jit
[ -e "$jit" ] || lacks "this kernel cannot compile scripts: it has no ktap/jit"
{ echo 1 >"$jit" && echo 0 >"$jit" && echo 1 >"$jit"; } 2>/dev/null ||
	lacks "this kernel has no interpreter: jit_always.sh tests that"
plan 60

session=$tracefs/ktap/session
enter=syscalls:sys_enter_getppid
exit=syscalls:sys_exit_getppid
sum='var x = 0 for (i = 1, 10) { x += i } n += x'
code=0

# Restore all switches at the end.
core=/proc/sys/net/core
mode=$(stat -c %a "$session")
shared=
for name in enable harden kallsyms limit; do
	[ ! -e $core/bpf_jit_$name ] || cat $core/bpf_jit_$name >"$tmp/$name"
done
restore() {
	for name in enable harden kallsyms limit; do
		[ ! -e "$tmp/$name" ] || cat "$tmp/$name" >$core/bpf_jit_$name
	done
	echo 1 >"$jit"
}
trap 'restore; [ -z "$shared" ] || share 0 700 "$mode"; rm -rf "$tmp"' EXIT

# switch NAME VALUE: set net.core.bpf_jit_NAME; fails if this kernel does not allow that
switch() {
	[ -e "$tmp/$1" ] && { echo "$2" >$core/bpf_jit_$1; } 2>/dev/null &&
		[ "$(cat $core/bpf_jit_$1)" = "$2" ]
}

# share GROUP MODE MODE_OF_SESSION: give the files to a group
share() { mount -o "remount,gid=$1,mode=$2" "$tracefs" && chmod "$3" "$session"; }

# compiled EVENT: print what "code=" says of it, as shown by -v
compiled() {
	sed -n "s/^ktap:  *$1 .* code=\([^ ]*\)\$/\1/p" "$tmp/err"
}

# names ID: the lines of the native code of this session in kallsyms
names() {
	grep -E "_ktap_$1	\[bpf\]\$" /proc/kallsyms
}
no_names() { ! names '([0-9]+_[0-9]+|main|sort)' >/dev/null; }
has_names() { names "$1" >/dev/null; }

# both ARGS...: run it as native code, then as bytecode. The first run's output is in
# $tmp/native.out and .err, its exit code in $native; the second one's where run has it
both() {
	run "$@"
	native=$code
	mv "$tmp/out" "$tmp/native.out"
	mv "$tmp/err" "$tmp/native.err"
	echo 0 >"$jit"
	run "$@"
	echo 1 >"$jit"
}

# The file
is file_has_its_mode "$(stat -c %a "$jit")" 640
is scripts_are_compiled_by_default "$(cat "$jit")" 1
wrong=
for value in 2 -1 x 1x ''; do
	{ echo "$value" >"$jit"; } 2>/dev/null && wrong="$wrong '$value'"
done
is other_values_are_refused "$wrong" ""
is and_change_nothing "$(cat "$jit")" 1
matches "$tracefs/ktap/features" '^jit: 1$'
result $? features_file_has_it

# Handlers
counts="trace $enter { $sum } trace $exit { m += 1 } trace_end { print(n, m) }"
run -v -e "$counts" -- "$workload" getppid 100
out native_code_counts '5500\t100\n'
is handler_with_a_loop_is_native "$(compiled $enter)" native
is short_handler_is_native "$(compiled $exit)" native
run -v -e "trace $enter { n += 1 } trace $exit { } trace_end { print(n) }" -- "$workload" getppid 100
out empty_handler_beside_another '100\n'
is empty_handler_is_interpreted "$(compiled $enter) $(compiled $exit)" 'native bytecode(short)'
run -v -e "function f(x) { var y = 1 while (y < x) { y += y } return y == 128 }
trace $enter /f(100)/ { n += 1 } trace_end { print(n) }" -- "$workload" getppid 100
out native_filter_counts '100\n'
is short_handler_with_a_long_filter_is_native "$(compiled $enter)" native

start -q -e "$counts"
echo 0 >"$jit"
run -v -e "$counts" -- "$workload" getppid 100
out interpreted_code_counts_the_same '5500\t100\n'
is interpreted_if_switched_off "$(compiled $enter)" 'bytecode(off)'
matches "$tracefs/ktap/sessions" "^  $enter .* code=native\$"
result $? older_session_stays_native
kill -KILL "$tracer"
wait "$tracer" 2>/dev/null
echo 1 >"$jit"
run -v -e "$counts" -- "$workload" getppid 100
is native_if_switched_on_again "$code $(compiled $enter)" '0 native'

# Handlers that cannot be compiled. repeated N: print a handler with N additions
repeated() {
	echo "n = 0 trace $enter { var x = 1 var y = 1"
	yes 'x += y + n' | head -n "$1"
	echo "m += x } trace_end { print(m) }"
}
repeated 8000 >"$tmp/long.kp"
run -v "$tmp/long.kp" -- "$workload" getppid 2
out long_handler_works '16002\n'
is long_handler_is_interpreted "$(compiled $enter)" 'bytecode(long)'
repeated 1000 >"$tmp/large.kp"
run -v -m 256k "$tmp/large.kp" -- "$workload" getppid 2
out handler_without_memory_works '2002\n'
is handler_without_memory_is_interpreted "$(compiled $enter)" 'bytecode(memory)'
run -v "$tmp/large.kp" -- "$workload" getppid 2
is and_native_with_more "$code $(cat "$tmp/out") $(compiled $enter)" '0 2002 native'

# The name
if switch harden 0 && switch kallsyms 1; then
	start -q -e "trace $exit { } trace $enter { $sum }"
	id=$(sed -n "s/^\([0-9]*\) $tracer .*/\1/p" "$tracefs/ktap/sessions")
	is code_has_the_name_of_its_probe "$(names "${id}_[0-9]+" | sed 's/.*\(ktap_[0-9_]*\).*/\1/')" "ktap_${id}_2"
	stop
	wait_until no_names
	result $? and_none_after_the_end
	named=1
else
	skip code_has_the_name_of_its_probe "this kernel shows no names of programs of BPF"
	skip and_none_after_the_end "this kernel shows no names of programs of BPF"
	named=
fi

# Switches of the BPF JIT
sample=$(ls "$here"/cases/*.kp | awk -v every=$((16 * ${KTAP_DIVIDE:-1})) 'NR % every == 1')
if switch harden 2; then
	wrong=
	for script in $sample; do
		run -q "$script"
		[ "$code" = 0 ] && cmp -s "$tmp/out" "${script%.kp}.out" || wrong="$wrong ${script##*/}"
	done
	is blinded_constants_give_the_same "$wrong" ""
	run -v -e "trace $enter { var x = 0 for (i = 1, 10) { x ^= i * 305419896 } n += x }
trace_end { print(n) }" -- "$workload" getppid 1
	out blinded_handler_counts '2235536008\n'
	is blinded_handler_is_native "$(compiled $enter)" native
else
	for name in blinded_constants_give_the_same blinded_handler_counts blinded_handler_is_native; do
		skip $name "this kernel has no net.core.bpf_jit_harden"
	done
fi
restore
if switch enable 0; then
	run -v -e "$counts" -- "$workload" getppid 100
	out works_without_the_bpf_jit '5500\t100\n'
	is interpreted_without_the_bpf_jit "$(compiled $enter)" 'bytecode(off)'
else
	skip works_without_the_bpf_jit "the BPF JIT is always on"
	skip interpreted_without_the_bpf_jit "the BPF JIT is always on"
fi
restore
# The limit applies to users without CAP_BPF: 38 is CAP_PERFMON
nobody=65534 shared=1
if share $nobody 750 660 && switch limit 1; then
	code=0
	"$workload" with 38 $nobody "$KTAP" -v -e "$counts" -- "$workload" getppid 100 \
		>"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
	out works_above_bpf_jit_limit '5500\t100\n'
	is interpreted_above_bpf_jit_limit "$(compiled $enter)" 'bytecode(refused)'
else
	skip works_above_bpf_jit_limit "this kernel has no net.core.bpf_jit_limit"
	skip interpreted_above_bpf_jit_limit "this kernel has no net.core.bpf_jit_limit"
fi
restore
# Stacks go only through code that has a symbol.
if share $nobody 750 660 && switch harden 0 && switch kallsyms 1; then
	"$workload" with 38 $nobody "$KTAP" -q \
		-e "trace $exit { } trace $enter { for (i = 1, 1000) { n += i } }" >"$tmp/out" 2>"$tmp/err" </dev/null &
	user=$!
	wait_until has_names '[0-9]+_2'
	result $? code_of_users_without_cap_bpf_has_a_symbol
	if has profiles; then
		run -q -e 'profile-1ms /execname == "workload"/ { s[kstack()] += 1 } trace_end { print(s) }' -- \
			"$workload" getppid 2000
		# a stack that ends there has a colon
		grep -q 'bpf_prog_ktap_[0-9]*_2+[^:]*$' "$tmp/out"
		result $? and_stacks_go_through_it
	else
		skip and_stacks_go_through_it "this kernel has no samples"
	fi
	kill -INT $user
	wait $user
	wait_until no_names
	result $? and_no_symbol_after_the_end
else
	for name in code_of_users_without_cap_bpf_has_a_symbol and_stacks_go_through_it and_no_symbol_after_the_end; do
		skip $name "this kernel shows no names of programs of BPF"
	done
fi
restore

# Stacks and errors of handlers
same() {
	[ "$native" = "$code" ] && cmp -s "$tmp/native.out" "$tmp/out"
}
both -q -e "trace $enter { $sum print(kstack()) }" -- "$workload" getppid 1
same && [ -s "$tmp/out" ] && ! grep -q ktap "$tmp/out"
result $? stack_of_an_event_is_the_same
f=$(call_function getppid)
if has functions && [ -n "$f" ]; then
	both -q -e "trace probe:$f { $sum print(kstack()) }" -- "$workload" getppid 1
	same && [ -s "$tmp/out" ] && ! grep -q ktap "$tmp/out"
	result $? stack_of_a_function_is_the_same
else
	skip stack_of_a_function_is_the_same "this kernel cannot trace the function"
fi
both -q -e "
function f(x) {
	while (x > 0) { x -= 1 }
	return 10 / x
}
trace $enter { $sum
	print(n)
	print(f(3))
	print('never') }
trace_end { print('end') }" -- "$workload" getppid 1
same && [ "$code" = 1 ] && cmp -s "$tmp/native.err" "$tmp/err"
result $? error_is_the_same
matches "$tmp/native.err" '^-e:4:[0-9]+: error: division by zero$' '^  in f \(-e:4\)$' \
	"^  in trace $enter \\(-e:8\\)\$"
result $? error_has_its_place_and_backtrace
is what_comes_before_is_printed "$(cat "$tmp/native.out")" "55
end"
both -q -e "trace $enter { var t = nil for (i = 1, 3) { n += 1 } t.x = 1 }" -- "$workload" getppid 1
same && [ "$code" = 1 ] && cmp -s "$tmp/native.err" "$tmp/err" && matches "$tmp/err" '^-e:1:[0-9]+: error: '
result $? so_has_an_error_of_a_table
both -q -e "trace $enter { while (1) { n += 1 } } trace_end { print(n) }" -- "$workload" getppid 1
same && [ "$code" = 1 ] && cmp -s "$tmp/native.err" "$tmp/err" && matches "$tmp/err" '^-e:1:[0-9]+: error: '
result $? budget_ends_both_at_the_same_place

# Functions that a built-in calls
order='function by_digits(x, y) {
	var a = 0 var b = 0
	for (i = 1, x) { a = (a + 7) % 10 }
	for (i = 1, y) { b = (b + 7) % 10 }
	return a < b
}'
both -q -e "$order
for (i = 1, 9) { t[i] = i }
trace_end { for (k, v in sort_pairs(t, by_digits)) { printf('%d ', v) } }"
same && [ "$(cat "$tmp/out")" = '3 6 9 2 5 8 1 4 7 ' ]
result $? native_function_decides_the_order

# The listing
native=$tracefs/ktap/native
is listing_has_its_mode "$(stat -c %a "$native")" 400
is listing_is_empty_without_sessions "$(cat "$native")" ''
run -q --dump-jit -e "$order t = {1, 2} trace $enter { $sum } trace $exit { }
trace_end { for (k, v in sort_pairs(t, by_digits)) { m = v } }"
is listing_succeeds "$code $(cat "$tmp/err")" '0 '
matches "$tmp/out" "^ktap_[0-9]*_1 $enter: native code\$" \
	"^ktap_[0-9]*_2 $exit: interpreted: native code would not be faster\$"
result $? listing_says_which_handlers_are_native
matches "$tmp/out" '^ktap_[0-9]*_1 insns=[0-9]* bytes=[0-9]* address=0x[0-9a-f]*$' '^ktap_sort insns=' \
	'^ *0: \(bf\) (r6 = r1|dst=r6 src=r1 off=0 imm=0)$' '^  00000000: [0-9a-f ]*$' &&
	! grep -q '^ktap_[0-9]*_2 insns=' "$tmp/out"
result $? listing_has_the_code
# each instruction has its number; those before it are fewer
insns=$(sed -n 's/^ktap_[0-9]*_1 insns=\([0-9]*\) .*/\1/p' "$tmp/out")
is listing_is_complete "$(sed -n "/^ktap_[0-9]*_1 insns=/,/^  00000000/s/^ *\([0-9]*\): (.*/\1/p" "$tmp/out" | tail -n 1)" \
	$((insns - 1))
code=0	# CAP_SYS_ADMIN and CAP_BPF
"$workload" without 21 "$workload" without 39 "$KTAP" -q --dump-jit -e "$counts" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
[ "$code" = 1 ] && matches "$tmp/err" 'only root sees it, with CAP_BPF' && ! grep -q 'insns=' "$tmp/out"
result $? listing_needs_a_capability
restrict=/proc/sys/kernel/kptr_restrict
if [ -e $restrict ]; then
	before=$(cat $restrict)
	echo 2 >$restrict
	run -q --dump-jit -e "$counts"
	echo "$before" >$restrict
	[ "$code" = 1 ] && matches "$tmp/err" 'kernel.kptr_restrict' && ! grep -q 'insns=' "$tmp/out"
	result $? listing_needs_addresses_in_kallsyms
else
	skip listing_needs_addresses_in_kallsyms "this kernel has no kernel.kptr_restrict"
fi
echo 0 >"$jit"
run -q --dump-jit -e "$counts"
echo 1 >"$jit"
matches "$tmp/out" "^ktap_[0-9]*_1 $enter: interpreted: ktap/jit or net.core.bpf_jit_enable is 0\$" &&
	! grep -q 'insns=' "$tmp/out"
result $? listing_says_why_there_is_no_code
# handlers do not run: so m stays nil
is listing_runs_only_the_end "$code $(tail -n 1 "$tmp/out")" "0 nil	nil"

# Sessions that are killed while native code runs in a loop
begun() { has_names "([0-9]+_1|main)" || ! kill -0 "$1" 2>/dev/null; }
# killed NAME SCRIPT
killed() {
	if [ -z "$named" ]; then
		skip "$1" "this kernel shows no names of programs of BPF"
		return
	fi
	"$KTAP" -q -e "$2" >"$tmp/out" 2>"$tmp/err" </dev/null &
	victim=$!
	wait_until begun $victim && kill -KILL $victim
	status=$?
	wait $victim 2>/dev/null
	[ $status = 0 ] && wait_until no_sessions && wait_until no_names
	result $? "$1"
}
switch kallsyms 1
switch harden 0
killed killed_at_the_top_level 'while (1) { n += 1 }'
killed killed_in_trace_begin 'trace_begin { while (1) { n += 1 } }'
killed killed_in_a_tick 'tick-1ms { while (1) { n += 1 } }'
"$workload" bursts 1 &
load=$!
killed killed_while_events_are_handled "trace $enter { $sum }"
kill -KILL $load
wait $load 2>/dev/null

# Many sessions
printf '%s\n' "for (i = 1, 10) { n += i } trace $enter { $sum } trace $exit { $sum }" >"$tmp/many.kp"
"$KTAPC" -o "$tmp/many.ktap" "$tmp/many.kp" 2>"$tmp/err"
many=$(divided 200) i=0 native=0
while [ $i -lt "$many" ]; do
	exec 3<>"$session"
	cat "$tmp/many.ktap" >&3 || break
	native=$((native + $(grep -c 'code=native$' "$tracefs/ktap/sessions")))
	exec 3>&-
	i=$((i + 1))
done
exec 3>&-
is many_sessions_have_native_code "$i $native" "$many $((2 * many))"
wait_until no_sessions && wait_until no_names
result $? no_code_remains
run -v -e "$counts" -- "$workload" getppid 100
out all_works_afterwards '5500\t100\n'
no_leaks nothing_is_leaked
no_complaints kernel_did_not_complain

finish
