#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Fields of threads: each thread has its own, and they end with it.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 17

calls=2000
processes=400
threads=${THREADS:-$(divided 100000)}

# Twice as many processes as CPUs, so that they migrate and take turns.
cat >"$tmp/pairs.kp" <<'E2'
trace syscalls:sys_enter_getppid /execname == "workload"/ {
	if (self.t) { twice += 1 }
	self.t = tid
	self.name = execname .. tid
	self.n += 1
	self.longest = max(self.n, self.longest)
}
trace syscalls:sys_exit_getppid /execname == "workload"/ {
	if (self.t == tid && self.name == execname .. tid) { right += 1 } else { wrong += 1 }
	self.t = nil
	self.name = nil
	if (self.n == self.longest) { steps += 1 }
}
trace_end {
	print("right", right)
	print("wrong", wrong)
	print("twice", twice)
	print("steps", steps)
}
E2
start -q $all_of_it "$tmp/pairs.kp"
pids=
i=0
while [ $i -lt $((2 * cpus)) ]; do
	"$workload" getppid $calls &
	pids="$pids $!"
	i=$((i + 1))
done
wait $pids
stop
is fields_are_found_again "$(value right)" $((2 * cpus * calls))
is fields_of_other_threads_are_not "$(value wrong)$(value twice)" nilnil
is every_thread_counts_its_own "$(value steps)" $((2 * cpus * calls))
is nothing_is_lost "$(cat "$tmp/err")" ""

# The next process reuses the memory, and so the address, of the last one; and the session
# has too little memory for the fields of all.
cat >"$tmp/exit.kp" <<'E2'
text = "0123456789abcdef"
for (i = 1, 7) { text = text .. text }
trace syscalls:sys_exit_execve /execname == "workload"/ {
	if (self.seen or self.text or self.table) { again += 1 }
	self.seen = 1
	self.text = text
	self.table = { text, text }
	n += 1
}
trace sched:sched_process_exit /self.seen/ {
	if (self.text == text && len(self.table) == 2) { last += 1 }
}
trace_end {
	print("n", n)
	print("again", again)
	print("last", last)
}
E2
start -q -m 2M $all_of_it "$tmp/exit.kp"
i=0
while [ $i -lt $processes ]; do
	"$workload" getppid 1
	i=$((i + 1))
done
stop
is each_process_begins_without_fields "$(value again)" nil
is each_process_is_seen "$(value n)" $processes
is fields_exist_until_the_end "$(value last)" $processes
is fields_end_with_their_thread "$(cat "$tmp/err")" ""

# Threads start and exit: the memory of the first ones is reused for all.
cat >"$tmp/threads.kp" <<'E2'
trace syscalls:sys_enter_getppid /execname == "workload"/ {
	if (self.seen) { again += 1 }
	self.seen = tid
	self.text = "the text of thread " .. tid
	n += 1
}
trace sched:sched_process_exit /self.seen == tid/ { last += 1 }
trace_end {
	print("n", n)
	print("again", again)
	print("last", last)
}
E2
each=$((threads / cpus))
start -q -m 1M $all_of_it "$tmp/threads.kp"
on_all_cpus threads 100
memory=$(memory_of "$tracer")
on_all_cpus threads $((each - 100))
is threads_take_no_more_memory "$(memory_of "$tracer")" "$memory"
stop
is every_thread_was_seen "$(value n) $(value last)" "$((each * cpus)) $((each * cpus))"
is every_thread_begins_without_fields "$(value again)" nil
is threads_leak_nothing "$(cat "$tmp/err")" ""

# Fields set after the exit of a thread are not kept: its last context switch has the
# state dead (16) or zombie (32).
cat >"$tmp/late.kp" <<'E2'
trace sched:sched_process_exit /execname == "workload"/ { self.gone = 1 self.n += 1 }
trace sched:sched_switch /execname == "workload" && (prev_state == 16 || prev_state == 32)/ {
	if (self.gone or self.n) { kept += 1 }
	self.late = 1
	if (self.late) { kept += 1 }
	switches += 1
}
trace syscalls:sys_exit_execve /execname == "workload"/ {
	if (self.gone or self.late or self.n) { back += 1 }
	all += 1
}
trace_end { print(kept, back, all, switches > 0) }
E2
run -q "$tmp/late.kp" -- sh -c "i=0; while [ \$i -lt 100 ]; do $workload getppid 1; i=\$((i + 1)); done"
out late_fields_do_not_come_back 'nil\tnil\t100\ttrue\n'
is late_fields_are_not_counted_as_lost "$(cat "$tmp/err")" ""

# the largest number of fields
fields() {
	awk -v n="$1" 'BEGIN {
		print "trace syscalls:sys_enter_getppid {"
		for (i = 1; i <= n; i++) print "\tself.f" i " = " i
		print "\tlast = self.f" n
		print "}"
		print "trace_end { print(last) }"
	}' >"$tmp/fields.kp"
}
fields 1000
run -q "$tmp/fields.kp" -- "$workload" getppid 1
out a_thousand_fields_of_a_thread '1000\n'
fields 1001
run -q "$tmp/fields.kp" -- "$workload" getppid 1
[ "$code" = 2 ] && matches "$tmp/err" "error: .*more than 1000 fields of threads: names after 'self'$"
result $? more_fields_are_refused

no_complaints kernel_is_content
finish
