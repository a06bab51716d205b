#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test --cgroup and --comm: the cgroup of a path, and of a name that is searched for.
#
#	tests/cgroup_path.sh KTAP FAKESESSION

ktap=${1:?usage: cgroup_path.sh KTAP FAKESESSION}
fake=${2:?usage: cgroup_path.sh KTAP FAKESESSION}
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
script='x = 1'
export KTAP_CGROUPFS="$dir/cgroup"
long=docker-3f2a91c0.scope
mkdir -p "$KTAP_CGROUPFS/system.slice/ssh.service" "$KTAP_CGROUPFS/system.slice/$long" \
	"$KTAP_CGROUPFS/user.slice/a/twice" "$KTAP_CGROUPFS/user.slice/twice"
: >"$KTAP_CGROUPFS/system.slice/cgroup.procs"

# goes_as NAME WRITTEN PATH: the kernel gets PATH for what was WRITTEN
goes_as() {
	play 'exit 0\n' --cgroup "$2" -e "$script"
	[ "$code" = 0 ] && grep -qxF "cgroup $3" "$dir/setup"
	result $? "$1"
}

goes_as path_below_the_mount /system.slice/ssh.service /system.slice/ssh.service
goes_as path_without_a_slash system.slice/ssh.service system.slice/ssh.service
goes_as path_with_the_mount "$KTAP_CGROUPFS/user.slice/a" /user.slice/a
goes_as the_root / /
goes_as the_mount_itself "$KTAP_CGROUPFS" /
goes_as name_of_a_service ssh.service /system.slice/ssh.service
goes_as name_of_a_container "$long" "/system.slice/$long"
goes_as name_at_the_top user.slice user.slice

play 'exit 0\n' --cgroup 3f2a -e "$script"
expect part_of_a_name 2 "error: --cgroup 3f2a: there is no such cgroup below $KTAP_CGROUPFS\$"
said_too the_name_is_proposed "did you mean /system.slice/$long?"
play 'exit 0\n' --cgroup twice -e "$script"
expect name_of_two 2 'error: --cgroup twice: 2 cgroups have this name: write the path of one$'
said_too one_is_proposed 'did you mean /user.slice/a/twice?'
said_too the_other_too 'did you mean /user.slice/twice?'
for wrong in /ssh.service cgroup.procs system.slice/cgroup.procs none; do
	play 'exit 0\n' --cgroup "$wrong" -e "$script"
	expect "$(echo "no_cgroup_$wrong" | tr ./ __)" 2 "error: --cgroup $wrong: there is no such cgroup"
done
i=0
while [ $i -lt 12 ]; do
	mkdir "$KTAP_CGROUPFS/user.slice/part$i"
	i=$((i + 1))
done
play 'exit 0\n' --cgroup part -e "$script"
said_too others_are_counted '^ktap: there are 7 more$'
play 'exit 0\n' --cgroup '' -e "$script"
goes_as empty_path_is_the_root '' /

play 'exit 0\n' --comm 'a b' -C 0 --cgroup / -T -e "$script"
printf 'frames\nstream\narg -e\ncgroup /\ncomm a b\ncpus 0\ntimes\n' | cmp -s - "$dir/setup"
result $? lines_of_all_filters
run --comm '' -e "$script"
expect name_of_a_thread_is_not_empty 2 "error: --comm '': names of threads have 1 to 15 bytes"
run --comm 1234567890123456 -e "$script"
expect nor_is_it_long 2 "error: --comm '1234567890123456': names of threads have 1 to 15 bytes"
run --comm 'a
unsafe' -e "$script"
expect name_has_no_newline 2 '--comm: the name has a newline in it'
run --cgroup / -l 'sched:*'
expect lists_are_not_filtered 2 '-l and --cgroup exclude each other'
run --comm x --replay "$dir/none"
expect recordings_are_not_filtered 2 '--replay and --comm exclude each other'
finish
