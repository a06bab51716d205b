#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Fields of every kind: those of the kernel's sample of trace events, whose
# values are known, and of others against the text of the same event.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 12

# raw_syscalls has an array in its records, of a length that is part of its type
run -q -e 'trace syscalls:sys_enter_getppid function (e) { print(e.sc_nr) exit() }' -- "$workload" getppid 1
nr=$(cat "$tmp/out")
run -q -e '
trace raw_syscalls:sys_enter /id == '"$nr"'/ { n += 1 last = args.args }
trace_end { print(n, len(last), last[6], last[-1]) }' -- "$workload" getppid 10
out array_has_its_length '10\t6\tnil\tnil\n'
run -q -e '
trace syscalls:sys_enter_openat { self.a = arg1 }
trace raw_syscalls:sys_enter /(args[0] & 0xffffffff) == 0xffffff9c/ { n += 1 seen[args.args[1]] = args.args[2] }
trace_end { print(n > 0, len(seen) > 0) }' -- cat /proc/version
matches "$tmp/out" '^true	true$' && [ "$code" = 0 ]
result $? elements_of_an_array_in_a_filter

# narrow and signed ones
run -q -e '
trace sched:sched_switch {
	if (args.prev_prio < 0 || args.prev_prio > 140 || args.prev_pid < 0 || args.next_pid < 0) { bad += 1 }
	t = argstr
	if (strstr(t, "next_comm=" .. args.next_comm .. " next_pid=" .. args.next_pid) == nil) { bad += 1 }
	n += 1
	if (n == 50) { exit() }
}
trace_end { print(n, bad) }'
out integers_and_strings_agree_with_the_text '50\tnil\n'
run -q -e 'trace signal:signal_generate /sig == 10/ { print(args.sig, args.errno, args.code < 1) exit() }' -- \
	sh -c 'trap : USR1; kill -USR1 $$; sleep 0.1'
out signed_fields '10\t0\ttrue\n'

wanted='foo_bar_by_name foo_bar_by_number arrays_and_masks strings relative_ones a_filter_on_an_element
	an_array_is_kept an_array_is_a_key'
ko=/lib/modules/$(uname -r)/kernel/samples/trace_events/trace-events-sample.ko
[ -e "$ko" ] || ko=/ktap/modules/trace-events-sample.ko
if [ ! -e "$ko" ]; then
	for name in $wanted; do skip "$name" "no trace-events-sample.ko (CONFIG_SAMPLE_TRACE_EVENTS=m)"; done
	finish
fi
insmod "$ko"

# As its thread makes them in round @bar
cat >"$tmp/known.kp" <<'EOF'
function number(i) { var t = {"Mother Goose", "Snoopy", "Gandalf", "Frodo", "One ring to rule them all"} return t[i + 1] }
function check(what, is, wanted) {
	checks[what] += 1
	if (is != wanted) { wrong[what .. ": " .. tostring(is) .. ", not " .. tostring(wanted)] += 1 }
}
trace sample-trace:foo_bar {
	var cnt = args.bar
	var n = cnt % 5
	check("foo", args.foo, "hello")
	check("list", len(args.list), n)
	for (i = 0, n - 1) { check("element", args.list[i], i + 1) }
	check("behind", args.list[n], nil)
	check("str", args.str, number(n))
	check("vstr", args.vstr, "iter=" .. cnt)
	check("lstr", args.lstr, substr("hello", 0, min(cnt / 2, 5)))
	check("cpus", args.cpus[0], all)
	check("cpum", args.cpum[0], all)
	rounds += 1
}
trace sample-trace:foo_bar function (e) {
	check("field(1)", e.field(1), "hello")
	check("field(2)", e.field(2), e.bar)
	check("field(3)", e.field(3) == e.list, true)
	check("arg0", arg0, "hello")
}
trace sample-trace:foo_rel_loc {
	check("rel foo", args.foo, "Hello __rel_loc")
	check("rel bitmask", args.bitmask[0], 0xdeadbeef)
	check("rel cpumask", args.cpumask[0], all)
	check("rel text", strstr(argstr, "foo_rel_loc Hello __rel_loc, " .. args.bar .. ", ") != nil, true)
}
trace sample-trace:foo_bar /list[0] == 1/ { filtered += 1 }
trace sample-trace:foo_bar {
	kept = args.list
	s[args.list] += 1
	if (len(args.list)) { nonempty += 1 }
	if (rounds == 6) { exit() }
}
trace_end {
	for (what, n in checks) { printf("checked %s %d\n", what, n) }
	for (what, n in wrong) { printf("wrong %s\n", what) }
	printf("rounds %d filtered %d nonempty %d keys %d kept %d\n", rounds, filtered, nonempty, len(s), kept[0] == nil || kept[len(kept) - 1] == len(kept))
	print(s)
}
EOF
all=$(printf '%d' "0x$(sed -n 's/^Cpus_allowed:	0*\([0-9a-f]*\)$/\1/p' /proc/self/status)")
sed -i "1i all = $all" "$tmp/known.kp"
run -q "$tmp/known.kp"
checked() { # NAME WHAT...: each was looked at, and was right
	checked_name=$1
	shift
	status=0
	for what; do
		grep -q "^checked $what [1-9]" "$tmp/out" && ! grep -q "^wrong $what:" "$tmp/out" || status=1
	done
	[ "$code" = 0 ] || status=1
	result $status "$checked_name"
}
checked foo_bar_by_name foo str
checked foo_bar_by_number 'field(1)' 'field(2)' 'field(3)' arg0
checked arrays_and_masks list element behind cpus cpum
checked strings vstr lstr
checked relative_ones 'rel foo' 'rel bitmask' 'rel cpumask' 'rel text'
set -- $(sed -n 's/^rounds \([0-9]*\) filtered \([0-9]*\) nonempty \([0-9]*\) keys \([0-9]*\) .*/\1 \2 \3 \4/p' "$tmp/out")
[ "$1" = 6 ] && [ "$2" = "$3" ] && [ "$2" -ge 4 ]
result $? a_filter_on_an_element
matches "$tmp/out" '^rounds .* kept 1$'
result $? an_array_is_kept
[ "$4" = 5 ] && matches "$tmp/out" '^\{1, 2\}: [12]$' '^\{\}: [12]$'
result $? an_array_is_a_key
rmmod trace_events_sample
finish
