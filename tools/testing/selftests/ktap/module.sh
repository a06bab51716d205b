#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Events and functions of a module that is loaded and unloaded: a session that traces it
# prevents its unloading.

. "$(dirname "$0")/lib.sh"
plan 25

no_fprobes="this kernel has no fprobes"
name=trace-events-sample
module=$(echo $name | tr - _)
ko=/lib/modules/$(uname -r)/kernel/samples/trace_events/$name.ko
[ -e "$ko" ] || ko=/ktap/modules/$name.ko

if [ ! -e "$ko" ]; then
	echo "# there is no $name.ko (CONFIG_SAMPLE_TRACE_EVENTS=m)"
	while [ $count -lt "$planned" ]; do skip module "no module"; done
	finish
fi
load() { insmod "$ko"; }
unload() { rmmod "$module" 2>/dev/null; }
is_loaded() { grep -q "^$module " /proc/modules; }
unload

# absent
refused_at() { # NAME EVENT PATTERN...
	refused_name=$1 event=$2
	shift 2
	run -q -e "
trace $event { n += 1 }"
	[ "$code" = 2 ] && matches "$tmp/err" "$@"
	result $? "$refused_name"
}
absent="^-e:2:7: error: no event matches 'sample-trace:\*': no event system 'sample-trace'; a module adds"
refused_at pattern_of_an_absent_module 'sample-trace:*' "$absent"
refused_at event_of_an_absent_module sample-trace:foo_bar \
	"^-e:2:7: error: no event 'sample-trace:foo_bar': no event system 'sample-trace'; a module adds"
refused_at function_of_an_absent_module "probe:$module:simple_thread" \
	"^-e:2:7: error: no function 'simple_thread' in a module '$module'"
if has fprobes; then
	refused_at tracepoint_of_an_absent_module rawtp:foo_bar "^-e:2:7: error: no tracepoint 'foo_bar'"
else
	skip tracepoint_of_an_absent_module "$no_fprobes"
fi

# The function that its thread calls once a second, with a possible suffix of the compiler
load
f=$(sed -n "s/.* t \(do_simple_thread_func[^	]*\)	\[$module\]/\1/p" /proc/kallsyms)
# the offset of its second instruction
for offset in 4 5 8 12; do
	run -q -e "trace probe:$module:$f+$offset { exit() } tick-1ms { exit() }"
	[ "$code" != 0 ] || break
done
unload
seconds=20

# held_until_stop: set $stayed to 0 if the module cannot be unloaded while the session runs,
# and $gone to 0 if it can be afterwards
held_until_stop() {
	unload
	is_loaded
	stayed=$?
	stop
	unload
	gone=0
	! is_loaded || gone=1
}

# holds NAME EVENT: a session with this event holds the module
holds() {
	load
	start -q -e "trace $2 { n += 1 if (n == 1) { print(\"came\") } }"
	wait_until grep -q came "$tmp/out"
	came=$?
	held_until_stop
	is "$1" "$came $stayed $code $gone" "0 0 0 0"
	unload
}
holds tracepoints_hold_it 'sample-trace:*'
holds instructions_hold_it "probe:$module:$f+$offset"
holds returns_hold_it "kretprobe:$module:$f"
holds fetch_arguments_hold_it "probe:$module:$f a=\$comm"
pattern='' raw=''
if has fprobes; then
	pattern=", probe:$module:*" raw=', rawtp:foo_*'
	holds functions_hold_it "probe:$module:do_*"
	holds raw_tracepoints_hold_it rawtp:foo_bar
else
	skip functions_hold_it "$no_fprobes"
	skip raw_tracepoints_hold_it "$no_fprobes"
fi
if has ftrace; then
	holds function_tracer_holds_it 'ftrace:function /ip == do_simple_thread_func*/'
else
	skip function_tracer_holds_it "this kernel has no function tracer with arguments"
fi

# The symbols of a module are compared one by one, so each of them costs a part of the budget.
symbols_in_budget() { # FUNCTION CALL
	run -q -e "ip = kaddr('$1')
trace syscalls:sys_enter_getppid { while (true) { $2 n += 1 } }
trace_end { print(n) }" -- "$workload" getppid 1
	[ "$code" = 1 ] && matches "$tmp/err" 'error: the handler used up its budget' && cat "$tmp/out"
}
load
for call in ksym called_from; do
	of_kernel=$(symbols_in_budget schedule "$call(ip)")
	of_module=$(symbols_in_budget "$f" "$call(ip)")
	echo "# budget for $call(): $of_kernel symbols of the kernel, $of_module of the module"
	# the name of the module costs a little, too
	[ "${of_module:-0}" -gt 0 ] && [ "$of_module" -lt $((${of_kernel:-0} * 95 / 100)) ]
	result $? "${call}_of_a_module_costs_more"
done
unload

# A probe that its condition has never attached holds it as well.
load
start -q -e "on = false trace sample-trace:*, kretprobe:$module:$f if (on) { n += 1 } tick-1s { on = n }"
held_until_stop
is probes_that_are_not_attached_hold_it "$stayed $code $gone" "0 0 0"

# A probe of trace_on() holds it while it is off, until it is deleted: then the session goes on
# without the module.
deleted_probe() { # NAME BODY EXPECTED
	load
	touch "$tmp/off" "$tmp/delete"
	start -q -e "p = trace_on('sample-trace:*', function (e) { n += 1 $2 })
q = trace_on('kretprobe:$module:$f', function (e) { n += 1 })
trace syscalls:sys_enter_openat {
	local f = args.filename
	if (f == '$tmp/off') { p.off() q.off() }
	if (f == '$tmp/delete') { p.delete() q.delete() }
}"
	"$workload" open "$tmp/off" 1
	wait_until grep -q '^  sample-trace.* on=0 ' "$tracefs/ktap/sessions"
	unload
	while_off=$(is_loaded && echo held)
	"$workload" open "$tmp/delete" 1
	wait_until grep -q '^  sample-trace.* on=0 .*deleted=1 ' "$tracefs/ktap/sessions"
	unload_soon
	when_deleted=$(is_loaded && echo held || echo gone)
	running=$(state "$tracer")
	held_until_stop
	is "$1" "$while_off $when_deleted $running $code $gone" "held $3 running 0 0"
}
# The points are freed a grace period after the probe was deleted.
unload_soon() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		unload
		is_loaded || return
		sleep 0.2
	done
}
deleted_probe deleted_probe_lets_go "" gone
deleted_probe deleted_probe_holds_it_for_texts "if (n == 1) { print(argstr) }" held

# The same under load: switched, deleted, and the module goes while the session is killed
load
"$workload" spin "$cpus" &
load=$!
kill_rounds 10 500 "n = 0 p = trace_on('sample-trace:*', function (e) { n += 1 })
q = trace_on('kretprobe:$module:$f', function (e) { n += 1 })
tick-1ms { n += 1 if (n % 2) { p.on() q.off() } else { p.off() q.on() }
	if (n == 100) { p.delete() } if (n == 150) { q.delete() } }"
kill $load
wait $load 2>/dev/null
wait_until no_sessions
unload
is killed_while_it_switches "$(is_loaded || echo unloaded)" unloaded

# their fields
load
run -q -e 'trace sample-trace:foo_bar { print(args.foo, args.bar >= 0, execname) exit() }'
out fields_of_a_module "hello\ttrue\tevent-sample\n"
run -q -e 'trace sample-trace:foo_bar { print(argstr) exit() }'
matches "$tmp/out" '^foo_bar: foo hello [0-9]'
result $? text_of_a_module
run -q -e "trace probe:$module:$f { print(probefunc, execname, ksym(args.ip)) exit() }"
# some machines have the probe a few instructions after the beginning
sed -i 's/+0x[48] / /' "$tmp/out"
out function_of_a_module "$f\tevent-sample\t$f [$module]\n"
run -q -e "trace probe:$module:$f a=\$comm { print(probefunc, args.a) exit() }"
out fetch_arguments_of_a_module "$f\tevent-sample\n"

# A session that ends with unread records: the type number of a record remains that of the
# event while a reader may format it.
"$KTAPC" -w -o "$tmp/text.ktap" -e 'trace sample-trace:foo_bar { print(argstr) exit() }' 2>"$tmp/err"
exec 3<>"$tracefs/ktap/session"
cat "$tmp/text.ktap" >&3
wait_until grep -q ' ended events=' "$tracefs/ktap/sessions"
is unread_session_pins_the_module "$(unload; is_loaded && echo "held")" held
cat <&3 >"$tmp/out"
exec 3>&-
matches "$tmp/out" '^foo_bar: foo hello [0-9]'
result $? and_its_records_have_their_text
unload

# All at once, repeatedly: sessions start with and without the module
come_and_go() {
	while [ ! -e "$tmp/enough" ]; do
		load 2>/dev/null
		unload
	done
}
come_and_go &
comer=$!
round=0 found=0 other=0
rounds=$(divided 30)
while [ $round -lt "$rounds" ]; do
	run -q -e "trace sample-trace:*, kretprobe:$module:simple_thread$pattern$raw {
		n += 1
}
tick-1ms { exit() }"
	case $code in
	0) found=$((found + 1)) ;;
	2) ;;
	*) other=$((other + 1)) ;;
	esac
	round=$((round + 1))
done
touch "$tmp/enough"
wait $comer
echo "# $found of $round sessions found it"
unload
is_loaded
is churn_leaks_nothing "$other $?" "0 1"
no_complaints no_complaints

finish
