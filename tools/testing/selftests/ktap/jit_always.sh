#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A kernel without the interpreter (CONFIG_KTAP_JIT_ALWAYS): everything is native code, and
# what cannot be compiled is refused.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
jit=$tracefs/ktap/jit
[ -e "$jit" ] || lacks "this kernel cannot compile scripts: it has no ktap/jit"
if { echo 0 >"$jit"; } 2>/dev/null; then
	echo 1 >"$jit"
	lacks "this kernel has the interpreter: CONFIG_KTAP_JIT_ALWAYS is not set"
fi
plan 13

enter=syscalls:sys_enter_getppid
enable=/proc/sys/net/core/bpf_jit_enable
code=0

is native_code_cannot_be_switched_off "$(cat "$jit")" 1

run -v -e "trace $enter { n += 1 } trace_end { print(n) }" -- "$workload" getppid 100
out short_handler_counts '100\n'
is short_handler_is_native "$(grep -c 'code=native$' "$tmp/err") $(grep -c 'code=bytecode' "$tmp/err")" '2 0'

run -q -e 'print("top") trace_end { print("end") } exit()'
out what_was_not_attached_is_compiled 'top\nend\n'
run -q -e 'tick-1ms { n += 1 if (n == 3) { exit() } } trace_begin { print("begin") } trace_end { print(n) }'
out process_context_is_compiled 'begin\n3\n'
run -q -e 't = {3, 1, 2} for (k, v in sort_pairs(t, function (x, y) { return x < y })) { print(v) }'
out functions_that_sort_are_compiled '1\n2\n3\n'
divide='function f(x) { return 6 / x }'
run -q -e "$divide try { f(0) } catch (e) { print(e) } print(f(2))"
out errors_are_caught 'division by zero\n3\n'
run -q -e "$divide print(f('x'))"
[ "$code" = 1 ] && matches "$tmp/err" '^-e:1:[0-9]+: error: arithmetic on a string'
result $? errors_have_their_place

# repeated N: print a handler with N additions
repeated() {
	echo "n = 0
trace $enter { var x = 1 var y = 1"
	yes 'x += y + n' | head -n "$1"
	echo "m += x } trace_end { print(m) }"
}
repeated 8000 >"$tmp/long.kp"
run "$tmp/long.kp" -- "$workload" getppid 2
[ "$code" = 2 ] && matches "$tmp/err" "long.kp:2:[0-9]+: error: trace $enter cannot be compiled.*: it is too long"
result $? long_handler_is_refused
repeated 1000 >"$tmp/large.kp"
run -m 256k "$tmp/large.kp" -- "$workload" getppid 2
[ "$code" = 2 ] && matches "$tmp/err" "large.kp:2:[0-9]+: error: .* cannot be compiled.*: try -m"
result $? handler_without_memory_is_refused
run -q "$tmp/large.kp" -- "$workload" getppid 2
out and_not_with_more '2002\n'
if [ -e $enable ] && before=$(cat $enable) && { echo 0 >$enable; } 2>/dev/null; then
	run -e "trace $enter { n += 1 }"
	echo "$before" >$enable
	[ "$code" = 2 ] && matches "$tmp/err" 'cannot be compiled.*net.core.bpf_jit_enable'
	result $? scripts_are_refused_without_the_bpf_jit
else
	skip scripts_are_refused_without_the_bpf_jit "the BPF JIT is always on"
fi
no_complaints kernel_did_not_complain

finish
