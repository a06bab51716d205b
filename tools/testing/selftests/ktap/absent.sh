#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Memory of programs that is absent when an event reads it: what the kernel reads from a
# disk is waited for; who waits for a program that never answers (absent_page.c) does not keep
# the session from ending.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_openat programs waits_for_strings
plan 15

absent=$here/absent_page
reads="field_of_a_call memory_of_a_call memory_of_a_function"

# script READ: print what the last event has read
script() {
	call='syscalls:sys_enter_openat /execname == "absent_page"/'
	case $1 in
	field_of_a_call) event="$call { f = args.filename }" ;;
	memory_of_a_call) event="$call { f = user_string(arg1) }" ;;
	memory_of_a_function) event="probe:$absent:look { f = user_string(arg0) }" ;;
	esac
	echo "f = \"no event\" trace $event trace_end { print(f) }"
}

# The program itself waits until it is killed.
asked() { grep -q asked "$tmp/stuck" || ! kill -0 "$stuck" 2>/dev/null; }

# ends READ KIND [ARGS...]: the session ends while the program still waits
ends() {
	name=${1}_with_$2 read=$1
	shift
	: >"$tmp/stuck"
	start -q -w -e "$(script "$read")"
	"$absent" "$@" >"$tmp/stuck" 2>&1 &
	stuck=$!
	wait_until asked
	kill -TERM "$tracer"
	wait_until no_sessions && grep -q asked "$tmp/stuck" && kill -0 "$stuck"
	status=$?
	sed 's/^/# /' "$tmp/stuck"
	kill -KILL "$stuck"
	wait "$stuck" 2>/dev/null
	reap
	result $status "$name"
	out "${name}_without_the_page" 'nil\n'
}

# skip_ends KIND WHY
skip_ends() {
	for read in $reads; do
		skip "${read}_with_$1" "$2"
		skip "${read}_with_${1}_without_the_page" "$2"
	done
}

if [ -e /proc/sys/vm/unprivileged_userfaultfd ]; then
	for read in $reads; do
		ends "$read" userfault
	done
else
	skip_ends userfault "this kernel has no userfaultfd"
fi

if grep -qw fuse /proc/filesystems && [ -e /dev/fuse ]; then
	mkdir "$tmp/fuse"
	for read in $reads; do
		ends "$read" fuse "$tmp/fuse"
		umount -l "$tmp/fuse"
	done
else
	skip_ends fuse "this kernel has no FUSE"
fi

# The page is read from a disk before the handler runs.
mkdir "$tmp/disk"
dd if=/dev/zero of="$tmp/image" bs=1024 count=1024 2>/dev/null
if grep -qw ext2 /proc/filesystems && mke2fs -F "$tmp/image" >/dev/null 2>&1 &&
	mount -o loop "$tmp/image" "$tmp/disk" 2>"$tmp/err"; then
	# the path, and zeros to the end of a page
	{ printf /on/a/disk; head -c 5000 /dev/zero; } >"$tmp/disk/file"
	for read in $reads; do
		umount "$tmp/disk"
		mount -o loop "$tmp/image" "$tmp/disk"
		run -q -e "$(script "$read")" -- "$absent" file "$tmp/disk/file"
		out "${read}_from_a_disk" '/on/a/disk\n'
	done
	umount "$tmp/disk"
else
	for read in $reads; do
		skip "${read}_from_a_disk" "this kernel has no ext2, or no loop devices"
	done
fi
finish
