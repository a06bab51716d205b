#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Speculations: output that is committed or discarded later.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 17

only='/execname == "workload"/'

# Only failed opens are printed, which is the usual use.
run -q -e "trace syscalls:sys_enter_openat $only {
	self.s = speculation()
	speculate(self.s)
	printf(\"%s\n\", args.filename)
}
trace syscalls:sys_exit_openat /self.s/ {
	if (retval < 0) { commit(self.s) } else { discard(self.s) }
	self.s = nil
}" -- sh -c '"$0" open /dev/null 50; "$0" open /no/such/file 1; "$0" open /dev/zero 50; "$0" open /no/other 1' "$workload"
out only_what_was_committed '/no/such/file\n/no/other\n'
is discarded_output_is_not_reported "$(cat "$tmp/err")" ''

# Every third of many, by a thread on each CPU at once.
script="trace syscalls:sys_enter_getppid $only {
	self.n += 1
	self.s = speculation()
	if (!self.s) { n += 1 }
	speculate(self.s)
	print(tid, self.n, 'enter')
}
trace syscalls:sys_exit_getppid /self.n/ {
	speculate(self.s)
	print(tid, self.n, 'exit')
	if (self.n % 3 == 0) { commit(self.s) } else { discard(self.s) }
}
trace_end { print('none', n) }"
run -q -e "$script" -- "$workload" getppid 3000
is one_thread "$(grep -c enter "$tmp/out") $(grep -c exit "$tmp/out") $(tail -n 1 "$tmp/out")" "1000 1000 none	nil"
run -q -e "$script" -- "$workload" cpus 4 getppid 3000
is all_cpus "$(grep -c enter "$tmp/out") $(grep -c exit "$tmp/out") $(tail -n 1 "$tmp/out") $(cat "$tmp/err")" \
	"4000 4000 none	nil "
# the two lines of a number are adjacent, and the numbers are right
[ "$(awk '$2 % 3 == 0 { n[$1 " " $2]++ } END { for (i in n) if (n[i] == 2) good++; print good }' "$tmp/out")" = 4000 ]
result $? committed_output_is_complete_and_correct

# All CPUs and an interrupt write to one speculation, which another CPU commits.
run -q -e "s = speculation()
trace syscalls:sys_enter_getppid $only { n += 1 speculate(s) print('task') }
trace_end { commit(s) print('n', n) }" -- "$workload" cpus 4 getppid 100
is all_cpus_into_one "$(grep -c task "$tmp/out") $(tail -n 1 "$tmp/out")" "400 n	400"
# perf stops a profile that is too fast for a slow machine, and ktap reports it.
seconds=240 run -q -e "s = speculation() n = 0 i = 0
trace syscalls:sys_enter_getppid $only { if (n < 200) { n += 1 speculate(s) print('task') } }
trace profile-1000hz /n > 0 && i < 200/ { i += 1 speculate(s) print('timer') }
trace_end { commit(s) print('n', n, i) }" -- "$workload" getppid 100000
[ "$(grep -c task "$tmp/out")	$(grep -c timer "$tmp/out")" = "$(sed -n 's/^n	//p' "$tmp/out")" ] &&
	[ "$(grep -c timer "$tmp/out")" -gt 0 ] &&
	! grep -qv "^ktap: missed events of 'profile-1000hz': it was stopped until the next tick" "$tmp/err"
result $? task_and_interrupt_into_one

# Limits
run -q -e 'while (speculation()) { n += 1 } print(n)'
out sixteen_speculations_at_a_time '16\n'
[ "$(wc -l <"$tmp/err")" = 2 ] && matches "$tmp/err" '^ktap: refused 1 speculations: too many were open$' \
	'^ktap: discarded 16 speculations: neither committed nor discarded$'
result $? speculations_open_at_the_end_are_reported
is features_file_has_their_number "$(sed -n 's/^speculations: //p' "$tracefs/ktap/features")" 16
run -q -e 's = speculation()
trace syscalls:sys_enter_getppid { speculate(s) print(1) n += 1 }
trace_end { commit(s) print("n", n) }' -- "$workload" getppid 5000
kept=$(grep -c '^1$' "$tmp/out")
dropped=$(sed -n 's/^ktap: dropped \([0-9]*\) pieces of output: their speculation was full, over, none or cut short$/\1/p' "$tmp/err")
is full_ones_are_counted "$((kept + dropped)) $(tail -n 1 "$tmp/out")" "5000 n	5000"
run -q -m 1M -e 's = speculation()
trace syscalls:sys_enter_getppid { speculate(s) print(1) }
trace_end { commit(s) }' -- "$workload" getppid 5000
lines=$(grep -c '^1$' "$tmp/out")
is less_memory_less_room "$((lines > 0 && lines < kept))" 1
run -q -e 's = speculation() discard(s)
trace syscalls:sys_enter_getppid { speculate(s) print("over") speculate(nil) print("none") }
trace_end { print("end") }' -- "$workload" getppid 7
out output_of_a_released_speculation_is_dropped 'end\n'
matches "$tmp/err" '^ktap: dropped 14 pieces of output'
result $? and_that_is_counted

# Files and commands, which are no text, take effect at the commit, or never.
echo shown >"$tmp/shown"
run -q --unsafe -e "trace syscalls:sys_enter_getppid $only {
	n += 1
	s = speculation()
	speculate(s)
	cat('$tmp/shown')
	system('echo %d', n)
	if (n == 2) { commit(s) } else { discard(s) }
	print('handler', n)
}" -- "$workload" getppid 3
out files_and_commands 'handler\t1\nshown\n2\nhandler\t2\nhandler\t3\n'

run -q -e 's = speculation() speculate(s) for (i = 1, 100) { print(i) } t = speculation() speculate(t) print("no") discard(t) commit(s)'
out top_level "$(seq 1 100 | tr '\n' '~' | sed 's/~/\\n/g')"
no_complaints the_kernel_is_content
finish
