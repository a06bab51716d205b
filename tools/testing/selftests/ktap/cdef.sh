#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Types that scripts declare in C: they need no types of the kernel.

. "$(dirname "$0")/lib.sh"

# refused NAME SCRIPT PATTERN: before it runs, with this message
refused() {
	run -e "$2"
	[ "$code" = 2 ] && matches "$tmp/err" "$3" && [ ! -s "$tmp/out" ]
	result $? "$1"
}

plan 6
run -e 'cdef [[
	struct inner { char c; long n; };
	struct outer { struct inner in[2]; void *p; unsigned a : 3, b : 7; enum { ONE = 1, TEN = 10 } e; };
]]
long = sizeof("void *")
print(sizeof("struct outer") == 5 * long + 8, offsetof("struct outer", "p") == 4 * long,
	offsetof("struct outer", "e") == 5 * long + 4, TEN)'
out sizes_are_those_of_the_machine 'true\ttrue\ttrue\t10\n'
refused member_that_is_not_declared 'cdef [[ struct pair { int first, second; }; ]]
print(cast("struct pair", 1).frist)' \
	"^-e:2:[0-9]+: error: struct pair has no member 'frist'; did you mean 'first'\\?"
refused declaration_with_an_error 'cdef [[ struct pair { int first; itn second; }; ]]' \
	"^-e:1:[0-9]+: error: unknown type 'itn'"
refused function_cannot_be_called 'ffi.cdef [[ long schedule_timeout(long timeout); ]]
ffi.C.schedule_timeout(1)' "^-e:2:7: error: ffi.C: (scripts cannot call 'schedule_timeout'|'schedule_timeout' is not in the list)"
if has functions; then
	# open() passes these flags on: O_WRONLY | O_CREAT | O_TRUNC, and the mode 0666.
	run -q -e 'cdef [[ struct open_how { u64 flags; u64 mode, resolve; }; ]]
trace probe:do_sys_openat2 {
	var how = ffi.cast("struct open_how *", arg2)
	if ((how.flags & 0x241) == 0x241 && how.mode == 0666) { n[execname, how.resolve] += 1 }
}
trace_end { print(n["sh", 0]) }' -- sh -c ": >'$tmp/file'"
	out members_of_an_argument_are_read '1\n'
else
	skip members_of_an_argument_are_read "this kernel has no functions"
fi
# an array without a NUL, at the end of a page: the next one is not read
if has syscalls:sys_enter_read && has addresses; then
	run -q -e 'cdef [[ struct name { char text[16]; }; ]]
trace syscalls:sys_enter_read /count == 16/ { n[cast("struct name", arg1).text] += 1 }
trace_end { print(n["xxxxxxxxxxxxxxxx"]) }' -- "$workload" brink 16 3
	out array_of_characters_is_read_to_its_end '0\n3\n'
else
	skip array_of_characters_is_read_to_its_end "no calls, or an address does not tell whose it is"
fi
finish
