#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Paths of files: in mounts, bind mounts and other namespaces, of files that are deleted or
# in no directory, in each context; of long paths, and of what is no path.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
names='path_of_a_file path_in_a_mount path_in_a_bind_mount path_of_a_deleted_file path_of_a_pipe
path_of_a_file_in_memory path_of_a_namespace path_in_another_mount_namespace path_of_a_changed_root path_in_process_context path_in_a_sample
long_paths_lose_their_beginning deep_paths_lose_their_beginning other_pointers_are_errors
other_addresses_are_nil path_in_bpftrace'
plan 16

if [ ! -e /sys/kernel/btf/vmlinux ]; then
	run -e 'print(path(curtask))'
	[ "$code" = 2 ] && matches "$tmp/err" '^-e:1:7: error: path: this kernel has no types \(CONFIG_DEBUG_INFO_BTF\)$'
	result $? path_without_types
	for name in $names; do
		[ $count -ge $planned ] || skip "$name" "this kernel has no types"
	done
	finish
fi
if ! has functions; then
	for name in $names; do
		skip "$name" "this kernel has no functions"
	done
	finish
fi

half=
mkdir "$tmp/mount" "$tmp/bound" "$tmp/dir"
mount -t tmpfs inner "$tmp/mount" || exit 1
trap 'umount "$half" "$tmp/bound" "$tmp/mount" 2>/dev/null; rm -rf "$tmp"' EXIT
mkdir "$tmp/mount/a"
mount -o bind "$tmp/mount/a" "$tmp/bound" || exit 1

# The shells write 77 bytes.
writes='trace probe:vfs_write /arg2 == 77/'
text=$(printf '%076d' 0)
count_paths="$writes { of[path(args.file.f_path)] += 1 } trace_end { print(of) }"

# path_of NAME PATH SCRIPT: the shell's script writes to it
path_of() {
	run -q -o "$tmp/paths" -e "$count_paths" -- sh -c "$3" sh "$tmp" "$text"
	mv "$tmp/paths" "$tmp/out"
	out "$1" "$2: 1\n"
}

path_of path_of_a_file "$tmp/dir/file" 'echo "$2" >"$1/dir/file"'
path_of path_in_a_mount "$tmp/mount/a/file" 'echo "$2" >"$1/mount/a/file"'
path_of path_in_a_bind_mount "$tmp/bound/other" 'echo "$2" >"$1/bound/other"'
path_of path_of_a_deleted_file "$tmp/dir/gone (deleted)" \
	'exec 3>"$1/dir/gone"; rm "$1/dir/gone"; echo "$2" >&3'
run -q -o "$tmp/paths" -e "$writes { print(path(args.file.f_path) ~ 'pipe:*[0-9]*') }" -- \
	sh -c 'echo "$0" | wc -c >/dev/null' "$text"
mv "$tmp/paths" "$tmp/out"
out path_of_a_pipe 'true\n'
run -q -e "$count_paths" -- "$workload" memfd ktap 77
out path_of_a_file_in_memory '/memfd:ktap (deleted): 1\n'
run -q -e 'trace probe:vfs_open { var p = path(arg0) if (p ~ "nsfs:*") { print(p) } }' -- \
	sh -c 'exec 3</proc/self/ns/mnt'
out path_of_a_namespace "nsfs:[$(stat -L -c %i /proc/self/ns/mnt)]\n"
if unshare -m true 2>/dev/null; then
	path_of path_in_another_mount_namespace "$tmp/dir/inner/file" \
		'unshare -m sh -c '\''mkdir "$1/dir/inner"; mount -t tmpfs x "$1/dir/inner"
			echo "$2" >"$1/dir/inner/file"'\'' sh "$1" "$2"'
else
	skip path_in_another_mount_namespace "this kernel has no mount namespaces"
fi
# a path is one of the namespace, also after chroot
mkdir "$tmp/root"
cp "$workload" "$tmp/root/workload"
run -q -e 'trace syscalls:sys_enter_getppid /execname == "workload"/ {
	print(path(curtask.fs.root), path(curtask.fs.pwd)) exit() }' -- chroot "$tmp/root" /workload getppid 1
if [ "$code" = 127 ] || [ "$code" = 126 ] || [ ! -s "$tmp/out" ]; then
	skip path_of_a_changed_root "the program needs libraries"
else
	out path_of_a_changed_root "$tmp/root\t$tmp/root\n"
fi
code=0
( cd "$tmp/mount/a" && exec "$KTAP" -q -e 'print(path(curtask.fs.pwd), path(curtask.fs.root), path(nil))' ) \
	>"$tmp/out" 2>"$tmp/err" || code=$?
out path_in_process_context "$tmp/mount/a\t/\tnil\n"
if has profiles; then
	run -q -e 'profile-200hz /execname == "workload"/ { of[path(curtask.fs.pwd)] = 1 } tick-1s { exit() } trace_end { print(of) }' \
		-- sh -c 'cd "$1/mount/a" && exec "$0" spin 1' "$workload" "$tmp"
	out path_in_a_sample "$tmp/mount/a: 1\n"
else
	skip path_in_a_sample "this kernel has no profiles"
fi

# 20 names of 250 bytes; the shell gets to the last ones by another mount
long=$(printf '%0250d' 0) half=$tmp/half
long=$long/$long/$long/$long/$long long=$long/$long
mkdir "$half"
mkdir -p "$tmp/mount/$long/$long" 2>/dev/null ||
	{ mkdir -p "$tmp/mount/$long" && ( cd -P "$tmp/mount/$long" && mkdir -p "$long" ); }
run -e "$writes { var p = path(args.file.f_path) print(len(p), p ~ '*/0*0/file') }" -- \
	sh -c 'cd -P "$0" && cd -P "$1" && echo "$2" >file' "$tmp/mount/$long" "$long" "$text"
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = '4096	true' ] && matches "$tmp/err" 'cut 1 string'
result $? long_paths_lose_their_beginning
deep=a/a/a/a/a/a/a/a/a/a deep=$deep/$deep/$deep/$deep/$deep deep=$deep/$deep/$deep/$deep/$deep/$deep
mkdir -p "$tmp/mount/$deep"
run -e "$writes { var p = path(args.file.f_path) print(len(p), p ~ '/a/a*/a/file') }" -- \
	sh -c 'echo "$1" >"$0/file"' "$tmp/mount/$deep" "$text"
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = "$((2 * 255 + 5))	true" ] && matches "$tmp/err" 'cut 1 string'
result $? deep_paths_lose_their_beginning

run -q -e "$writes { print(path(args.file)) }" -- sh -c 'echo "$1" >"$0"' "$tmp/dir/file" "$text"
[ "$code" = 1 ] && matches "$tmp/err" \
	'error: path: takes a pointer to struct path, such as file.f_path, not to struct file$'
result $? other_pointers_are_errors
run -e 'print(path(0), path(8), path(-1), path(kaddr("jiffies")) == 1)'
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = 'nil	nil	nil	false' ] && matches "$tmp/err" ' reads? '
result $? other_addresses_are_nil
run -q --bt -o "$tmp/paths" -e 'kprobe:vfs_write /arg2 == 77/ { $f = (struct file *)arg0;
	printf("%s %s\n", path($f.f_path), path($f.f_path, 6)); }' -- \
	sh -c 'echo "$1" >"$0"' "$tmp/dir/file" "$text"
mv "$tmp/paths" "$tmp/out"
out path_in_bpftrace "$tmp/dir/file /file\n\n\n"

finish
