#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Paths of cgroups: of the thread's own and of any other, in each context; of long names, and
# of cgroups that are removed.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 16

n=50
root=$tmp/cgroup
group=$root/ktap_paths
inner=$group/inner.slice
# the number of the inode in that of the cgroup: on 32-bit machines the lower half
inode=0xffffffffffffffff
[ "$half" = 32 ] || inode=0xffffffff
half=
mkdir "$root"
mount -t cgroup2 none "$root" 2>/dev/null
if ! mkdir "$group" "$inner" 2>/dev/null; then
	umount "$root" 2>/dev/null
	for name in own_path others_have_paths samples_have_paths each_context_has_paths \
		path_has_a_number mount_point_is_left_out path_without_a_cgroup cgroupid_of_bpftrace \
		root_is_a_slash numbers_without_a_cgroup path_is_text structures_have_numbers \
		bpftrace_adds_unified search_is_charged long_paths_are_cut removed_cgroup_has_none; do
		skip $name "the system has no cgroups"
	done
	finish
fi
trap 'remove_all; umount "$root"; rm -rf "$tmp"' EXIT

# remove_all: remove the cgroups; each is empty
remove_all() {
	for top in "$half" "$group"; do
		[ -z "$top" ] || find "$top" -depth -type d -exec rmdir {} \; 2>/dev/null
		umount "$half" 2>/dev/null
	done
}

# in_group COMMAND...: run the command in the inner cgroup
in_group() {
	sh -c 'echo 0 >"$0/cgroup.procs"; exec "$@"' "$inner" "$@"
}

id=$(stat -c %i "$inner")
calls='trace syscalls:sys_enter_getppid /execname == "workload"/'

start -q -e "$calls { of[cgroup_path(cgroup)] += 1 } trace_end { print(of) }"
in_group "$workload" getppid $n
stop
out own_path "/ktap_paths/inner.slice: $n\n"
run -q -e "$calls { of[cgroup_path(\$1)] += 1 } trace_end { print(of) }" "$id" -- "$workload" getppid $n
out others_have_paths "/ktap_paths/inner.slice: $n\n"
if has profiles; then
	run -q -e 'profile-200hz { of[cgroup_path($1)] = 1 } tick-1s { exit() } trace_end { print(of) }' "$id" \
		-- "$workload" spin 1
	out samples_have_paths '/ktap_paths/inner.slice: 1\n'
else
	skip samples_have_paths "this kernel has no profiles"
fi
run -q -e 'print(cgroup_path($1)) tick-1ms { print(cgroup_path($1)) exit() } trace_end { print(cgroup_path($1)) }' "$id"
out each_context_has_paths '/ktap_paths/inner.slice\n/ktap_paths/inner.slice\n/ktap_paths/inner.slice\n'

run -q -e 'inner = cgroup_id("/ktap_paths/inner.slice")
	trace syscalls:sys_enter_getppid /cgroup == inner/ { n += 1 }
	trace_end { print(n, inner & $2 == $1) }' "$id" "$inode" -- sh -c \
	'"$0" getppid 7; echo 0 >"$1/cgroup.procs"; exec "$0" getppid "$2"' "$workload" "$inner" $n
out path_has_a_number "$n\ttrue\n"
run -q -e 'print(cgroup_id("/sys/fs/cgroup/ktap_paths/inner.slice") & $2 == $1,
	cgroup_id("/sys/fs/cgroup") & $2, cgroup_id("ktap_paths//inner.slice/") & $2 == $1)' "$id" "$inode"
out mount_point_is_left_out 'true\t1\ttrue\n'
wrong=0
for path in /ktap_paths/outer /ktap_paths/inner.slice/cgroup.procs /sys/fs/cgroups/ktap_paths; do
	run -q -e "id = cgroup_id('$path') $calls { n += 1 }"
	[ "$code" = 1 ] && grep -Fq "error: cgroup_id: there is no cgroup (v2) '$path'" "$tmp/err" ||
		wrong=1
done
result $wrong path_without_a_cgroup
run -q --bt -e 'tracepoint:syscalls:sys_enter_getppid
	/cgroup == cgroupid("/sys/fs/cgroup/ktap_paths/inner.slice")/ { @n = count(); }' -- sh -c \
	'"$0" getppid 7; echo 0 >"$1/cgroup.procs"; exec "$0" getppid "$2"' "$workload" "$inner" $n
out cgroupid_of_bpftrace "\n\n@n: $n\n"

run -q -e 'print(cgroup_path($1))' "$(stat -c %i "$root")"
out root_is_a_slash '/\n'
run -q -e "$calls { print(cgroup_path(0), cgroup_path(-1), cgroup_path(1 << 40), cgroup_path(nil)) exit() }" \
	-- "$workload" getppid 1
out numbers_without_a_cgroup 'nil\tnil\tnil\tnil\n'
run -q -e "$calls { print(len(\"in \" .. cgroup_path(\$1)), cgroup_path(\$1) ~ \"*/inner.*\") exit() }" "$id" \
	-- "$workload" getppid 1
out path_is_text '26\ttrue\n'
# as of a memory cgroup that has run out of memory
if [ -e /sys/kernel/btf/vmlinux ]; then
	start -q -e "$calls { of[cgroup_path(curtask.cgroups.dfl_cgrp.kn.id)] += 1 } trace_end { print(of) }"
	in_group "$workload" getppid $n
	stop
	out structures_have_numbers "/ktap_paths/inner.slice: $n\n"
else
	skip structures_have_numbers "this kernel has no types"
fi
run -q --bt -e 'BEGIN { printf("%s|%s|", cgroup_path($1), cgroup_path(99999999));
	printf("%s|%s\n", cgroup_path($1, "uni*"), cgroup_path($1, "memory")); exit(); }
	END { @[cgroup_path($1)] = 1; }' "$id"
out bpftrace_adds_unified 'unified:/ktap_paths/inner.slice||unified:/ktap_paths/inner.slice|\n\n\n@[unified:/ktap_paths/inner.slice]: 1\n'

# a search that visits more cgroups than the budget allows ends the handler
i=0
while [ $i -lt 300 ]; do
	mkdir "$group/$i"
	i=$((i + 1))
done
max_insns=$tracefs/ktap/max_insns
was=$(cat "$max_insns")
echo 200 >"$max_insns"
run -q -e "$calls { print(cgroup_path(1 << 40)) }" -- "$workload" getppid 1
echo "$was" >"$max_insns"
[ "$code" = 1 ] && [ ! -s "$tmp/out" ] &&
	matches "$tmp/err" 'error: the handler used up its budget: max_insns is 200$'
result $? search_is_charged
rmdir "$group"/[0-9]*

# 20 names of 250 bytes; the shell gets to the last ones by another mount
names=$(printf '%0250d' 0) half=$tmp/half
names=$names/$names/$names/$names/$names names=$names/$names
mkdir "$half"
mkdir -p "$inner/$names" && mount -o bind "$inner/$names" "$half" && mkdir -p "$half/$names"
run -e "$calls { var path = cgroup_path(\$1) print(len(path), path ~ \"/ktap_paths/inner.slice/0*0/0*\") }" \
	"$(stat -c %i "$half/$names")" -- "$workload" getppid 1
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = '4096	true' ] && matches "$tmp/err" 'cut 1 string'
result $? long_paths_are_cut

remove_all
gone() { [ "$("$KTAP" -q -e 'print(cgroup_path($1))' "$id" </dev/null 2>&1)" = nil ]; }
wait_until gone
result $? removed_cgroup_has_none

finish
