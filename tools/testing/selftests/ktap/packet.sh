#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Packets: over loopback, and from one network namespace through this one to another.

. "$(dirname "$0")/lib.sh"
needs packets
plan 47

on_lo='args.device == "lo"'

# watch SCRIPT COMMAND...: run the command while the script runs, then end the script
watch() {
	script=$1
	shift
	start -q -e "$script" && "$@" >"$tmp/done" 2>&1
	worked=$?
	stop
	[ $worked = 0 ] || { echo "# failed: $*"; code=$worked; }
}

# The list

"$KTAP" -l 'packet:*' >"$tmp/out" 2>"$tmp/err"
code=$?
out list 'packet:in\npacket:out\npacket:forward\n'

# Loopback: a packet goes out, and then comes in. Each ping is answered.

watch "trace packet:in /$on_lo && args.protocol == 1/ { i += 1 }
trace packet:out /$on_lo && args.protocol == 1/ { o += 1 }
trace packet:forward { f += 1 }
trace_end { print(i, o, f) }" ping -c 3 127.0.0.1
out every_packet_is_seen '6\t6\tnil\n'

watch 'n = 0 trace packet:out /args.daddr == "127.0.0.1" && !n/ {
	n = 1
	print(name, args.device, args.out_device, args.version, args.protocol, args.saddr, args.daddr)
	print(args.length, args.ttl, args.fragment, args.sport, args.dport, args.flags)
	print(args.payload_length, len(args.payload), args.mark)
}' ping -c 1 -s 100 127.0.0.1
out fields_of_a_ping 'out\tlo\tlo\t4\t1\t127.0.0.1\t127.0.0.1\n128\t64\tfalse\tnil\tnil\tnil\n108\t108\t0\n'

watch 'n = 0 trace packet:in /args.protocol == 58 && args.device == "lo" && !n/ {
	n = 1
	print(name, args.device, args.out_device, args.version, args.saddr, args.daddr, args.length)
}' ping6 -c 1 -s 100 ::1
out fields_of_a_ping_over_ipv6 'in\tlo\tnil\t6\t::1\t::1\t148\n'

watch 'trace packet:out /args.protocol == 6/ {
	bytes += args.payload_length
	if (args.flags & 2) { syn[args.flags] += 1 }
	if (args.payload_length) { text = substr(args.payload, 0, 3) ports[args.dport] += 1 }
}
trace_end { print(bytes, syn[2], syn[18], len(text), len(ports)) }' "$workload" connect 1000 2
out connections_and_bytes_of_tcp '2000\t2\t2\t3\t1\n'

watch 'trace packet:out /args.dport == 9/ { print(args.protocol, args.length, args.payload) }
trace packet:in /args.protocol == 17 && args.dport == 9/ { n += 1 } trace_end { print(n) }' \
	"$workload" datagram 127.0.0.1 5 2
out payload_of_udp '17\t33\txxxxx\n17\t33\txxxxx\n2\n'

watch 'trace packet:out /args.dport == 9/ { print(len(args.payload), args.payload_length) }' \
	"$workload" datagram 127.0.0.1 3000 1
out payload_is_limited '1024\t3000\n'

watch 'trace packet:* /args.dport == 9/ function (e) {
	n[e.name] += 1
	print(e.name, e.dport, arg0, arg9, e.field(1), e.field(16))
}' "$workload" datagram 127.0.0.1 1 1
out pattern_and_positions 'out\t9\tlo\t9\tlo\tnil\nin\t9\tlo\t9\tlo\tnil\n'

watch 'trace packet:out /args.dport == 9/ { a[1] = "first" print(1) }
trace packet:out /args.dport == 9/ { print(2, a[1]) }
trace packet:out /args.dport == 9/ { print(3) }' "$workload" datagram 127.0.0.1 1 1
out probes_run_in_the_order_of_the_script '1\n2\tfirst\n3\n'

run -q -e 'trace packet:out /args.dport == 9/ { print(execname, pid == tid) }' -- \
	"$workload" datagram 127.0.0.1 1 2
out process_that_sends 'workload\ttrue\nworkload\ttrue\n'

watch 'trace packet:out /args.dport == 9/ { print(kstack(1)) }' "$workload" datagram 127.0.0.1 1 1
if grep -q ' nf_hook_slow$' /proc/kallsyms; then
	[ "$code" = 0 ] && matches "$tmp/out" nf_hook_slow
	result $? stack_begins_with_netfilter
else
	skip stack_begins_with_netfilter "netfilter's function is not known"
fi

# Sessions do not see each other's probes twice, and end one by one.
start -q -e 'trace packet:out /args.dport == 9/ { n += 1 } trace_end { print(n) }'
first=$tracer
run -q -e 'trace packet:out /args.dport == 9/ { n += 1 } trace_end { print(n) }' -- \
	"$workload" datagram 127.0.0.1 1 4
out second_session '4\n'
"$workload" datagram 127.0.0.1 1 3
tracer=$first
stop
[ "$code" = 0 ]
result $? first_session_ends

# A handler that fails does not stop the packet.
"$KTAP" -q -e 'trace packet:in /args.dport == 9/ { print("arrived") exit() }' >"$tmp/other" 2>&1 </dev/null &
tracer=$!
reaches "$tracer" running
run -q -e 'trace packet:out /args.dport == 9/ { error("no") }' -- "$workload" datagram 127.0.0.1 1 1
failed_with=$code
reap
[ "$failed_with" = 1 ] && matches "$tmp/err" 'error: no' && matches "$tmp/other" '^arrived$'
result $? packet_passes_after_an_error

# Errors

refused no_such_event packet:inn \
	"^-e:2:[0-9]*: error: no event 'packet:inn': there are packet:in, packet:out and packet:forward\$"
refused no_pattern_matches 'packet:x*' "error: no event 'packet:x\*': there are"
run -q -e 'trace packet:in { print(args.sadr) }'
[ "$code" = 2 ] &&
	matches "$tmp/err" "^-e:1:[0-9]*: error: packet:in has no field 'sadr'; did you mean 'saddr'\?"
result $? no_such_field
run -q -e 'trace packet:in { print(args.wavelength_of_light) }'
[ "$code" = 2 ] && matches "$tmp/err" "has no field 'wavelength_of_light': a packet has device, length, "
result $? fields_are_listed
run -q -e 'trace packet:in { print(retval) }'
[ "$code" = 2 ] && matches "$tmp/err" "error: packet:in has no 'retval'"
result $? no_retval
code=0
"$workload" without 12 "$KTAP" -q -e 'trace packet:in { n += 1 }' >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
[ "$code" = 2 ] && matches "$tmp/err" "error: 'packet:in': CAP_NET_ADMIN is needed to see packets\$"
result $? capability_is_needed
run -q -e 'for (i = 1, 65) { kdebug.probe("packet:in", function () { n += 1 }) }'
[ "$code" = 2 ] && matches "$tmp/err" 'error: more than 64 packet events in one script'
result $? number_of_events_is_limited
run -q -e 'for (i = 1, 64) { kdebug.probe("packet:out", function (e) { if (e.dport == 9) { n += 1 } }) }
trace_end { print(n) }' -- "$workload" datagram 127.0.0.1 1 10
out many_probes '640\n'

# Verdicts

if grep -q '^verdict: 1$' "$tracefs/ktap/features"; then
	# started_to_drop SCRIPT: start a script that acts
	started_to_drop() { start -q --unsafe -e "$1"; }

	run -e 'trace packet:in { verdict("drop") }'
	[ "$code" = 2 ] && matches "$tmp/err" '^-e:1:[0-9]*: error: verdict can change the running system: to allow it, write ktap --unsafe'
	result $? verdict_needs_unsafe
	run --unsafe -e 'trace sched:sched_switch { verdict("drop") }'
	[ "$code" = 2 ] && matches "$tmp/err" "'sched:sched_switch': verdict works at packets: packet:in, packet:out, packet:forward\$"
	result $? verdict_needs_a_packet

	listed_with sessions_say_that_they_decide ' acts=verdict' --unsafe \
		-e 'trace packet:in /args.dport == 9/ { verdict("drop") }'

	started_to_drop 'trace packet:out /args.dport == 9/ { n += 1 verdict("drop") } trace_end { print(n) }'
	! "$workload" datagram 127.0.0.1 1 1 && ! "$workload" datagram 127.0.0.1 1 1
	sent=$?
	stop
	[ $sent = 0 ] && [ "$(cat "$tmp/out")" = 2 ] && "$workload" datagram 127.0.0.1 1 1
	result $? sender_gets_an_error_until_the_session_ends

	started_to_drop 'trace packet:in /args.protocol == 1/ { verdict("drop") }'
	! ping -c 1 -W 1 127.0.0.1 >/dev/null 2>&1
	lost=$?
	stop
	[ $lost = 0 ] && ping -c 1 -W 5 127.0.0.1 >/dev/null 2>&1
	result $? received_packet_is_dropped

	started_to_drop 'trace packet:in /args.protocol == 1/ { verdict("drop") }'
	! ping -c 1 -W 1 127.0.0.1 >/dev/null 2>&1
	lost=$?
	kill -KILL "$tracer"
	reap
	wait_until no_sessions
	[ $lost = 0 ] && ping -c 1 -W 5 127.0.0.1 >/dev/null 2>&1
	result $? killed_session_drops_nothing

	started_to_drop 'trace packet:in /args.protocol == 1/ { verdict("drop") error("after it") }
trace packet:in /args.protocol == 1/ { n += 1 } trace_end { print(n) }'
	ping -c 1 -W 5 127.0.0.1 >/dev/null 2>&1
	passed=$?
	stop
	[ $passed = 0 ] && [ "$code" = 1 ] && matches "$tmp/err" 'error: after it'
	result $? packet_passes_after_a_later_error

	started_to_drop 'trace packet:in /args.protocol == 1/ { verdict("drop") verdict("accept") n += 1 }
trace_end { print(n) }'
	ping -c 2 -W 5 127.0.0.1 >/dev/null 2>&1
	passed=$?
	stop
	[ $passed = 0 ] && [ "$(cat "$tmp/out")" = 4 ]
	result $? last_verdict_counts

	started_to_drop 'trace packet:in /args.protocol == 1/ { verdict("reject") }'
	ping -c 1 -W 5 127.0.0.1 >/dev/null 2>&1
	passed=$?
	stop
	[ $passed = 0 ] && matches "$tmp/err" "error: verdict: 'reject' is not a verdict: use drop, accept or queue:N .0 to 65535."
	result $? unknown_verdict

	# with_queue N VERDICT: start a program that reads queue 7
	with_queue() {
		: >"$tmp/queue"
		./queue 7 "$1" "$2" >"$tmp/queue" 2>&1 &
		reader=$!
		wait_until grep -q ready "$tmp/queue"
	}
	to_queue='trace packet:in /args.protocol == 1/ { verdict("queue:7") }'
	started_to_drop "$to_queue"
	ping -c 1 -W 5 127.0.0.1 >/dev/null 2>&1
	passed=$?
	stop
	[ $passed = 0 ] && [ "$code" = 0 ]
	result $? packet_for_a_queue_without_a_program_passes

	if [ -e /proc/net/netfilter/nfnetlink_queue ]; then
		started_to_drop "$to_queue"
		# request and answer
		with_queue 2 accept
		ping -c 1 -W 5 127.0.0.1 >/dev/null 2>&1
		passed=$?
		wait "$reader"
		decided=$?
		stop
		[ $passed = 0 ] && [ $decided = 0 ] && [ "$code" = 0 ]
		result $? program_of_a_queue_accepts

		started_to_drop "$to_queue"
		with_queue 1 drop
		! ping -c 1 -W 1 127.0.0.1 >/dev/null 2>&1
		lost=$?
		wait "$reader"
		decided=$?
		stop
		[ $lost = 0 ] && [ $decided = 0 ] && ping -c 1 -W 5 127.0.0.1 >/dev/null 2>&1
		result $? program_of_a_queue_drops

		started_to_drop "$to_queue"
		with_queue 0 leave
		ping -c 1 -W 1 127.0.0.1 >/dev/null 2>&1
		waiting=$(awk '$1 == 7 { print $3 }' /proc/net/netfilter/nfnetlink_queue)
		stop
		left=$(awk '$1 == 7 { print $3 }' /proc/net/netfilter/nfnetlink_queue)
		kill "$reader"
		wait "$reader" 2>/dev/null
		[ "$waiting" = 1 ] && [ "$left" = 0 ] && [ "$code" = 0 ]
		result $? session_that_ends_empties_its_queue
	else
		for name in accepts drops is_emptied; do
			skip "queue_$name" "this kernel was built without CONFIG_NETFILTER_NETLINK_QUEUE"
		done
	fi

	# the function is a value: the call itself checks
	run -q --unsafe -e 'f = { function () { verdict("drop") } }
trace syscalls:sys_enter_getppid { f[1]() }' -- "$workload" getppid 1
	[ "$code" = 1 ] && matches "$tmp/err" 'error: verdict works at packets: packet:in, packet:out, packet:forward$'
	result $? verdict_in_a_value

	started_to_drop 'trace packet:out /args.dport == 9/ { a += 1 verdict("drop") }
trace packet:out /args.dport == 9/ { b += 1 } trace_end { print(a, b) }'
	"$workload" datagram 127.0.0.1 1 1
	stop
	out dropped_packet_has_no_further_event '1\tnil\n'

	if find_scripts && [ "$scripts" ]; then
		start -q --unsafe "$scripts/pktdrop.kp" --percent=100 --port=9
		"$workload" datagram 127.0.0.1 1 1
		"$workload" datagram 127.0.0.1 1 1
		stop
		[ "$code" = 0 ] && matches "$tmp/out" '^WAY +SEEN +DROPPED$' '^out +2 +2$'
		result $? tool_drops_packets
	else
		skip tool_drops_packets "there are no tools"
	fi
else
	while [ $count -lt 38 ]; do skip verdict "this kernel was built without CONFIG_KTAP_PACKET_VERDICT"; done
fi

# Network namespaces: a and b have a device each, whose other end is here

# hold: start a process in a new network namespace; $held is its pid
hold() {
	unshare -n sleep 1000 >/dev/null 2>&1 &
	held=$!
	wait_until other_namespace "$held"
}
other_namespace() {
	[ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}
in_a() { nsenter -t "$a" -n "$@"; }
in_b() { nsenter -t "$b" -n "$@"; }

# join_namespace PID NAME NET: connect the namespace of PID with a pair of devices: NET.2 there, NET.1
# here
join_namespace() {
	ip link add name "ktap$2" type veth &&
		other=$(ip link | sed -n "s/^[0-9]*: \(veth[0-9]*\)@ktap$2:.*/\1/p") &&
		ip link set "$other" netns "$1" && ip addr add "$3.1/24" dev "ktap$2" &&
		ip link set "ktap$2" up &&
		nsenter -t "$1" -n sh -c "ip link set $other name eth0 && ip addr add $3.2/24 dev eth0 &&
			ip link set lo up && ip link set eth0 up && ip route add default via $3.1"
}

in_namespaces=5
set_up() {
	hold && a=$held && hold && b=$held && join_namespace "$a" a 10.97.1 &&
		join_namespace "$b" b 10.97.2 && echo 1 >/proc/sys/net/ipv4/ip_forward
}
if ! set_up >"$tmp/set_up" 2>&1; then
	sed 's/^/# /' "$tmp/set_up"
	while [ $count -lt $((38 + in_namespaces)) ]; do skip namespaces "no namespaces joined by veth"; done
else
	# the first packet waits for an address
	in_a ping -c 1 10.97.2.2 >/dev/null 2>&1
	watch 'trace packet:forward /args.protocol == 1/ {
		n[args.device, args.out_device, args.saddr, args.daddr] += 1
	}
	trace packet:in /args.protocol == 1/ { n["in"] += 1 }
	trace packet:out /args.protocol == 1/ { n["out"] += 1 }
	trace_end { for (k, v in sort_pairs(n)) { print(k, v) } }' in_a ping -c 4 10.97.2.2
	[ "$code" = 0 ] && [ "$(wc -l <"$tmp/out")" = 2 ] && matches "$tmp/out" \
		'^.*ktapa.*ktapb.*10.97.1.2.*10.97.2.2.*	4$' '^.*ktapb.*ktapa.*10.97.2.2.*10.97.1.2.*	4$'
	result $? forwarded_packets

	# datagrams are fragmented where they leave, and forwarded as fragments
	watch 'trace packet:forward /args.protocol == 17/ {
		n += 1
		print(args.fragment, args.dport, args.payload_length)
	}' in_a "$workload" datagram 10.97.2.2 4000 1
	out forwarded_fragments 'true\t9\t1472\ntrue\tnil\tnil\ntrue\tnil\tnil\n'
	# the session in b sees the datagram as a whole
	nsenter -t "$b" -n "$KTAP" -q -e 'trace packet:in /args.protocol == 17/ {
		print(args.device, args.fragment, args.dport, args.payload_length)
		exit()
	}' >"$tmp/out" 2>"$tmp/err" </dev/null &
	tracer=$!
	reaches "$tracer" running
	in_a "$workload" datagram 10.97.2.2 4000 1
	reap
	out fragments_are_joined_where_they_arrive 'eth0\tfalse\t9\t4000\n'

	# a session sees its own namespace only
	nsenter -t "$a" -n "$KTAP" -q -e 'trace packet:out /args.protocol == 1/ {
		n[args.device] += 1
	} trace_end { print(n["lo"], n["eth0"], len(n)) }' >"$tmp/out" 2>"$tmp/err" </dev/null &
	tracer=$!
	reaches "$tracer" running
	ping -c 2 127.0.0.1 >/dev/null
	ping -c 2 10.97.2.2 >/dev/null
	in_a ping -c 2 10.97.2.2 >/dev/null
	stop
	out a_session_sees_its_namespace 'nil\t2\t1\n'

	# the example in the documents; nothing listens, so a packet that passes is answered at once
	firewall=$here/examples/compiled/firewall.kp
	if [ -e "$firewall" ] && grep -q '^verdict: 1$' "$tracefs/ktap/features"; then
		start -q --unsafe "$firewall"
		for port in 443 445; do
			in_a timeout 2 nc 10.97.1.1 $port </dev/null >"$tmp/none" 2>&1
		done
		stop
		[ "$code" = 0 ] && matches "$tmp/out" '10\.97\.1\.2.*\<445\>' &&
			! grep -q '10\.97\.1\.2.*\<443\>' "$tmp/out"
		result $? firewall_of_the_documents
	else
		skip firewall_of_the_documents "there are no examples, or scripts cannot drop packets"
	fi
fi

# The session does not keep the namespace: here no process except the one that loads the
# script is in it.
"$KTAPC" -o "$tmp/chunk" -e 'trace packet:* { n += 1 } trace_end { print("end") }'
exec 3<>"$tracefs/ktap/session"
unshare -n sh -c 'cat "$0" >&3' "$tmp/chunk"
code=$?
sleep 1
echo stop >&3
timeout -s KILL 20 cat <&3 >"$tmp/out" 2>"$tmp/err" || code=$?
exec 3>&-
matches "$tmp/out" "'packet:out': the network namespace ended before the session"
result $? namespace_ends_before_the_session

# Ends

kill_rounds 12 600 'trace packet:* { n[args.device, args.dport] += 1 print(args.saddr) }' &
killer=$!
ping -c 5 -i 0.5 127.0.0.1 >/dev/null 2>&1
wait $killer
wait_until no_sessions
result $? killed_sessions_are_gone
ping -c 1 127.0.0.1 >"$tmp/out" 2>"$tmp/err"
result $? packets_pass_after_that
[ ! "$a$b" ] || kill "$a" "$b" 2>/dev/null
no_complaints kernel_has_no_complaint
finish
