#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Trace only the threads of a cgroup, or of a name; and the time before each line of output.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 26

n=50
calls='trace syscalls:sys_enter_getppid { n += 1 } trace_end { print(n) }'
other=$tmp/other_name
ln -s "$(readlink -f "$workload")" "$other"

# names
run -q --comm workload -e "$calls" -- sh -c '"$0" getppid "$1"; "$2" getppid 7' "$workload" $n "$other"
out threads_of_a_name "$n\n"
run -q --comm other_name -e "$calls" -- sh -c '"$0" getppid "$1"; "$2" getppid 7' "$workload" $n "$other"
out threads_of_another_name '7\n'
run -q --comm workloa -e "$calls" -- "$workload" getppid $n
out a_part_is_not_the_name 'nil\n'
run -q --comm workloads -e "$calls" -- "$workload" getppid $n
out a_longer_one_is_not_the_name 'nil\n'
run -q -a --comm workload -e 'trace syscalls:sys_enter_* { of[execname] += 1 } trace_end { print(len(of), of["workload"] > 50) }' \
	-- "$workload" getppid $n
out names_of_a_pattern '1\ttrue\n'
run -q -a --comm workload -e 'trace sched:sched_switch { of[args.prev_comm] = 1 } trace_end { print(of) }' -- "$workload" nap 5 1000
out the_task_is_that_of_the_event 'workload: 1\n'
mkfifo "$tmp/go"
"$workload" wait getppid 1 <"$tmp/go" &
worker=$!
exec 4>"$tmp/go"
run -q --comm workload -e 'trace iter:task { n += 1 last = tid } trace_end { print(n) }'
out iterators_see_these_threads '1\n'
echo >&4
wait $worker
exec 4>&-
run --comm nobody -e "$calls" -- "$workload" getppid 5
matches "$tmp/err" "^ktap: no event of 'syscalls:sys_enter_getppid' happened where it is traced: in the process and its children, in threads named 'nobody'\$"
result $? no_event_of_the_name
run -q --comm workload -C "$(awk '/^cpu[0-9]/ { print substr($1, 4); exit }' /proc/stat)" -e "$calls" -- \
	"$workload" pin "$(awk '/^cpu[0-9]/ { print substr($1, 4); exit }' /proc/stat)" getppid $n
out name_and_cpu "$n\n"

# lines
line_is_refused 'comm ' "'' is no name of a thread: it has 1 to 15 bytes"
result $? empty_name_is_refused
line_is_refused 'comm 1234567890123456' "'1234567890123456' is no name of a thread: it has 1 to 15 bytes"
result $? long_name_is_refused

# cgroups
root=$tmp/cgroup
group=$root/ktap_filter
inner=$group/inner.slice
mkdir "$root"
mount -t cgroup2 none "$root" 2>/dev/null
if ! mkdir "$group" "$inner" "$root/ktap_other" 2>/dev/null; then
	umount "$root" 2>/dev/null
	for name in threads_of_a_cgroup cgroup_by_its_name cgroup_below_the_mount cgroup_of_another \
		threads_that_come threads_that_leave cgroup_and_process cgroup_and_name \
		functions_of_a_cgroup samples_of_a_cgroup iterators_of_a_cgroup the_root_has_all \
		removed_cgroup; do
		skip $name "the system has no cgroups"
	done
	line_is_refused 'cgroup /x' "(there is no cgroup \\(v2\\) '/x'|cgroup: this kernel was built without CONFIG_CGROUPS)"
	result $? no_such_cgroup
else
	trap 'rmdir "$inner" "$group" "$root/ktap_other" 2>/dev/null; umount "$root"; rm -rf "$tmp"' EXIT

	# in_group DIR COMMAND...: run the command in this cgroup
	in_group() {
		sh -c 'echo 0 >"$0/cgroup.procs"; exec "$@"' "$@"
	}

	# calls_in CGROUP: count the calls of processes in and outside of the inner cgroup
	calls_in() {
		start -q --cgroup "$1" -e "$calls"
		in_group "$inner" "$workload" getppid $n
		"$workload" getppid 7
		in_group "$root/ktap_other" "$workload" getppid 9
		stop
	}

	calls_in "$group"
	out threads_of_a_cgroup "$n\n"
	calls_in inner.slice
	out cgroup_by_its_name "$n\n"
	calls_in ktap_filter/inner.slice
	out cgroup_below_the_mount "$n\n"
	calls_in /ktap_other
	out cgroup_of_another '9\n'
	calls_in /
	is the_root_has_all "$([ "$(cat "$tmp/out")" -ge $((n + 16)) ] && echo yes)" yes
	run -q --cgroup "$inner" -e "$calls" -- sh -c \
		'"$0" getppid 7; echo 0 >"$1/cgroup.procs"; exec "$0" getppid "$2"' "$workload" "$inner" $n
	out threads_that_come "$n\n"
	run -q --cgroup "$inner" -e "$calls" -- sh -c \
		'echo 0 >"$1/cgroup.procs"; "$0" getppid 7; echo 0 >"$2/cgroup.procs"; exec "$0" getppid "$3"' \
		"$workload" "$inner" "$root" $n
	out threads_that_leave '7\n'
	exec 4<>"$tmp/go"
	sh -c 'echo 0 >"$0/cgroup.procs"; exec "$@"' "$inner" "$workload" wait getppid $n <"$tmp/go" &
	worker=$!
	wait_until grep -q . "$inner/cgroup.procs"
	start -q --cgroup "$inner" -p $worker -e "$calls"
	in_group "$inner" "$workload" getppid 7
	echo >&4
	wait $worker
	exec 4>&-
	stop
	out cgroup_and_process "$n\n"
	run -q --cgroup "$inner" --comm other_name -e "$calls" -- sh -c \
		'echo 0 >"$0/cgroup.procs"; "$1" getppid 7; "$2" getppid "$3"' "$inner" "$workload" "$other" $n
	out cgroup_and_name "$n\n"
	if has functions; then
		start -q --cgroup "$inner" -e 'trace probe:__task_pid_nr_ns { of[execname] = 1 } trace_end { print(of["other_name"], len(of) < 3) }'
		in_group "$inner" "$other" getppid $n
		"$workload" getppid $n
		stop
		out functions_of_a_cgroup '1\ttrue\n'
	else
		skip functions_of_a_cgroup "this kernel has no function events"
	fi
	if has profiles; then
		run -q -a --cgroup "$inner" -e 'profile-200hz { of[execname] = 1 } tick-2s { exit() } trace_end { print(of) }' \
			-- sh -c '"$1" spin 1 & echo $! >"$3"; echo 0 >"$0/cgroup.procs"; exec "$2" spin 1' \
			"$inner" "$workload" "$other" "$tmp/spinner"
		kill "$(cat "$tmp/spinner")"
		grep -q '^other_name: 1$' "$tmp/out" && ! grep -q workload "$tmp/out"
		result $? samples_of_a_cgroup
	else
		skip samples_of_a_cgroup "this kernel has no profiles"
	fi
	exec 4<>"$tmp/go"
	in_group "$inner" "$workload" wait getppid 1 <"$tmp/go" &
	worker=$!
	wait_until grep -q . "$inner/cgroup.procs"
	run -q --cgroup "$inner" -e 'trace iter:task { n += 1 } trace_end { print(n) }'
	out iterators_of_a_cgroup '1\n'
	echo >&4
	wait $worker
	exec 4>&-
	start -q --cgroup "$inner" -e "$calls"
	in_group "$inner" "$workload" getppid $n
	rmdir "$inner"
	"$workload" getppid 7
	stop
	out removed_cgroup "$n\n"
	line_is_refused 'cgroup /ktap_filter/none' "there is no cgroup \\(v2\\) '/ktap_filter/none'"
	result $? no_such_cgroup
fi

# times
run -q -T -e 'trace syscalls:sys_enter_getppid { n += 1 print(n) if (n == 3) { exit() } } trace_end { print(n) print_hist({a = 1}) }' \
	-- "$workload" getppid 3
[ "$(wc -l <"$tmp/out")" -ge 6 ] && ! grep -vqE '^[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6} ' "$tmp/out" &&
	cut -d' ' -f1 "$tmp/out" | sort -c
result $? each_line_has_its_time

finish
