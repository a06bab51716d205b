#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Output that is held back until the script has decided.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 17

only='/execname == "workload"/'

# What was opened in vain, and nothing else: the way it is mostly used.
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
is nothing_is_told_of_what_was_discarded "$(cat "$tmp/err")" ''

# Each third of many; by one thread on each CPU at once.
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
# the two lines of a number belong together, and have numbers that are right
[ "$(awk '$2 % 3 == 0 { n[$1 " " $2]++ } END { for (i in n) if (n[i] == 2) good++; print good }' "$tmp/out")" = 4000 ]
result $? whole_and_the_right_ones

# All CPUs and an interrupt into one; committed elsewhere.
run -q -e "s = speculation()
trace syscalls:sys_enter_getppid $only { n += 1 speculate(s) print('task') }
trace_end { commit(s) print('n', n) }" -- "$workload" cpus 4 getppid 100
is all_cpus_into_one "$(grep -c task "$tmp/out") $(tail -n 1 "$tmp/out")" "400 n	400"
# perf stops a profile that a slow machine has no time for, and ktap tells.
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
out so_many_at_a_time '16\n'
[ "$(wc -l <"$tmp/err")" = 2 ] && matches "$tmp/err" '^ktap: refused 1 speculations: too many were open$' \
	'^ktap: discarded 16 speculations: neither committed nor discarded$'
result $? what_is_open_at_the_end_is_told
is features_tell_how_many "$(sed -n 's/^speculations: //p' "$tracefs/ktap/features")" 16
run -q -e 's = speculation()
trace syscalls:sys_enter_getppid { speculate(s) print(1) n += 1 }
trace_end { commit(s) print("n", n) }' -- "$workload" getppid 5000
kept=$(grep -c '^1$' "$tmp/out")
dropped=$(sed -n 's/^ktap: dropped \([0-9]*\) pieces of output: their speculation was full, over or none$/\1/p' "$tmp/err")
is full_ones_are_counted "$((kept + dropped)) $(tail -n 1 "$tmp/out")" "5000 n	5000"
run -q -m 1M -e 's = speculation()
trace syscalls:sys_enter_getppid { speculate(s) print(1) }
trace_end { commit(s) }' -- "$workload" getppid 5000
lines=$(grep -c '^1$' "$tmp/out")
is less_memory_less_room "$((lines > 0 && lines < kept))" 1
run -q -e 's = speculation() discard(s)
trace syscalls:sys_enter_getppid { speculate(s) print("over") speculate(nil) print("none") }
trace_end { print("end") }' -- "$workload" getppid 7
out what_is_over_holds_nothing 'end\n'
matches "$tmp/err" '^ktap: dropped 14 pieces of output'
result $? and_that_is_counted

# What is not text: files and commands come where they are committed, or never.
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
