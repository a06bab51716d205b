#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Calls of functions of the kernel by the prototypes of BTF: widths and signs, contexts,
# refusals, and the module of a function.

. "$(dirname "$0")/lib.sh"
calls() { grep -q "^call: $1\$" "$tracefs/ktap/features" 2>/dev/null; }

if calls 0; then
	plan 2
	not_loaded option_is_named "^-e:1:7: error: ffi.C: scripts cannot call 'msleep': this kernel was built without CONFIG_KTAP_CALL$" \
		--unsafe -e 'ffi.C.msleep(1)'
	not_loaded nearest_name_is_known "^-e:2:7: error: ffi.C: scripts cannot call 'swb32' .*; did you mean 'swab32'\?$" \
		--unsafe -e 'cdef [[ u32 swb32(u32 x); ]]
ffi.C.swb32(1)'
	finish
fi
plan 23

# Functions that every kernel has

run -q --unsafe -e 'print(ffi.C.lcm(4, 6), ffi.C.gcd(12, 18), ffi.C.int_pow(3, 4))'
out numbers '12\t6\t81\n'
run -q --unsafe -e 'before = nsecs ffi.C.msleep(30) print(nsecs - before >= 30ms)'
out function_may_sleep 'true\n'
run -q --unsafe -e 'ns = ffi.C.task_active_pid_ns(curtask) print(ns.level)'
out pointer_has_a_type '0\n'
run -q --unsafe -e 'tick-10ms { n += 1 sum += ffi.C.gcd(n, n) if (n == 3) { exit() } }
trace_begin { print(ffi.C.gcd(8, 12)) } trace_end { print(n, sum, ffi.C.gcd(9, 6)) }'
out handlers_in_process_context '4\n3\t6\t3\n'

# Those of the unit tests

if grep -q ' ktap_kunit_s8$' /proc/kallsyms; then
	run -q --unsafe -e 'before = ffi.C.ktap_kunit_calls()
print(ffi.C.ktap_kunit_s8(0x1ff), ffi.C.ktap_kunit_u8(0x1ff), ffi.C.ktap_kunit_s16(0x8000),
	ffi.C.ktap_kunit_u16(-1), ffi.C.ktap_kunit_s32(0x80000000), ffi.C.ktap_kunit_u32(-1),
	ffi.C.ktap_kunit_u64(-1), ffi.C.ktap_kunit_bool(256), ffi.C.ktap_kunit_enum(-2),
	ffi.C.ktap_kunit_pointer(nil), ffi.C.ktap_kunit_void())
print(ffi.C.ktap_kunit_calls() - before)'
	out widths_and_signs '-1\t255\t-32768\t65535\t-2147483648\t4294967295\t-1\ttrue\t-2\tnil\tnil\n11\n'
	if [ -w "$tracefs/ktap/jit" ]; then
		was=$(cat "$tracefs/ktap/jit")
		for on in 0 1; do
			echo $on >"$tracefs/ktap/jit" 2>"$tmp/none" || on=unchanged
			run -q --unsafe -e 'function sum(n) {
	var s = 0
	for (i = 1, n) { s = s + ffi.C.ktap_kunit_u8(i) }
	return s
}
trace_begin { print(sum(300)) }'
			out loop_jit_$on '33630\n'
		done
		echo "$was" >"$tracefs/ktap/jit"
	else
		skip loop_jit_0 "this kernel has no native code"
		skip loop_jit_1 "this kernel has no native code"
	fi
	not_loaded wrong_number_shows_the_prototype \
		"^-e:1:7: error: ffi.C: 'u8 ktap_kunit_u8\(u8 x\)' takes 1 argument, got 2$" \
		--unsafe -e 'ffi.C.ktap_kunit_u8(1, 2)'
	not_loaded structure_is_no_argument "'int ktap_kunit_structure\(struct ktap_kunit_pair pair\)' cannot be called" \
		--unsafe -e 'ffi.C.ktap_kunit_structure(1)'
else
	for name in widths_and_signs loop_jit_0 loop_jit_1 wrong_number_shows_the_prototype structure_is_no_argument; do
		skip $name "this kernel has no unit tests of ktap"
	done
fi
run -q --unsafe -e 's = "x" try { ffi.C.gcd(1, s) } catch (e) { print(e) }'
out string_is_no_argument 'gcd: argument 2 is a string, which it does not take\n'

# Refusals

not_loaded call_needs_unsafe "^-e:1:7: error: ffi.C: 'msleep' is not in the list of functions that need no ktap --unsafe" \
	-e 'ffi.C.msleep(1)'
not_loaded event_is_no_place "^-e:1:[0-9]*: error: 'msleep' is no function for handlers of events: call it at the top level" \
	--unsafe -e 'trace syscalls:sys_enter_getppid { ffi.C.msleep(1) }'
not_loaded filter_is_no_place "error: 'gcd' is no function for handlers of events" \
	--unsafe -e 'trace profile-99hz /ffi.C.gcd(1, 2) == 1/ { }'
not_loaded callee_of_a_handler "^-e:1:22: error: 'msleep' is no function for handlers" \
	--unsafe -e 'function f() { ffi.C.msleep(1) } trace profile-99hz { f() }'
not_loaded unknown_function "^-e:1:7: error: ffi.C: this kernel has no function 'mslep'; did you mean 'msleep'\?" \
	--unsafe -e 'ffi.C.mslep(1)'
not_loaded function_that_never_returns "'do_exit' cannot be called: it does not return" \
	--unsafe -e 'ffi.C.do_exit(0)'
not_loaded lock "'_raw_spin_lock' cannot be called" --unsafe -e 'ffi.C._raw_spin_lock(1)'
not_loaded function_of_ktap "'ktap_session_load' cannot be called: it is notrace" \
	--unsafe -e 'ffi.C.ktap_session_load(1)'
not_loaded variable "'init_pid_ns' cannot be called: it is no function" --unsafe -e 'ffi.C.init_pid_ns()'
not_loaded name_of_several "functions are called '[a-z_]*': only one with a name of its own" --unsafe \
	-e "ffi.C.$(awk '$2 ~ /[tT]/ && NF == 3 && $3 ~ /^[a-z_]+$/ && seen[$3]++ { print $3; exit }' /proc/kallsyms)()"

# Modules

name=trace-events-sample
ko=/lib/modules/$(uname -r)/kernel/samples/trace_events/$name.ko
[ -e "$ko" ] || ko=/ktap/modules/$name.ko
if insmod "$ko" 2>"$tmp/none"; then
	start --unsafe -q -e 'trace_begin { print("came", ffi.C.foo_bar_reg()) } trace_end { ffi.C.foo_bar_unreg() }
tick-1s { n += 1 }'
	wait_until grep -q came "$tmp/out"
	rmmod trace_events_sample 2>"$tmp/none"
	grep -q '^trace_events_sample ' /proc/modules
	held=$?
	grep -q ' attached=1/1 acts=call calls=2$' "$tracefs/ktap/sessions"
	listed=$?
	stop
	rmmod trace_events_sample 2>"$tmp/none"
	grep -q '^trace_events_sample ' /proc/modules
	is session_holds_the_module "$held $code $? $(cat "$tmp/out")" "0 0 1 came	0"
	is sessions_have_the_number_of_functions $listed 0
else
	skip sessions_have_the_number_of_functions "no module"
	skip session_holds_the_module "there is no $name.ko (CONFIG_SAMPLE_TRACE_EVENTS=m)"
fi
not_loaded functions_of_no_module "this kernel has no function 'foo_bar_reg'" --unsafe -e 'ffi.C.foo_bar_reg()'
finish
