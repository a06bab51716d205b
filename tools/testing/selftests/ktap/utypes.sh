#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Structures and variables of programs, by their debug information.

. "$(dirname "$0")/lib.sh"
needs programs
plan 16

typed=$(readlink -f "$here/typed")
pie=$(readlink -f "$here/typed-pie")
run -q --lines -e 'x = 1' --dry-run
if grep -q 'built without libdw' "$tmp/err"; then
	while [ $count -lt 16 ]; do skip types_of_programs "built without libdw"; done
	finish
fi

# reads NAME EXPRESSIONS TEXT: the values at the entry of the function
reads() {
	run -q -e "trace uprobe:$typed:handle { print($2) }" -- "$typed"
	out "$1" "$3\n"
}
bt() { # bt NAME STATEMENTS TEXT: the same by a script of bpftrace
	run -q --bt -e "uprobe:$typed:handle { $2 }" -- "$typed"
	# and the lines before the maps at the end
	out "$1" "$3\n\n\n"
}

reads members 'args.item.id, args.item.name, args.item.list[2], args.item.small' '11\thello\t9\t0'
reads bit_fields 'args.item.kind, args.item.flags, args.item.wide' '5\t17\t54321'
reads structures_in_structures \
	'args.item.points[1].y, args.item.pair.right, args.item.bytes' '-4\t44\tA'
reads targets_of_pointers \
	'args.item.next.id, args.item.next.small, args.item.all[1].id, str(args.item.next.label)' \
	'22\t-2\t22\tsecond'
reads packed_structures 'args.tight.i, args.tight.l' '55\t66'
reads other_pointers 'args.number[0], args.text[5], args.pair.left' '13\t116\t33'
tight=13
[ "$half" = 32 ] || tight=9
reads casts 'cast("struct item", arg0).pair.left, cast("struct pair", arg4).right, sizeof("struct tight")' \
	"33\t44\t$tight"
reads variables 'read(uaddr("counter"), 4), cast("short", uaddr("little"))[0]' '19088743\t-3'
run -q -e "trace uprobe:$pie:handle { print(read(uaddr(\"counter\"), 4), args.item.id) }" -- "$pie"
out variables_of_a_program_at_any_address '19088743\t11\n'
run -q -e "trace uretprobe:$pie:handle { print(read(uaddr(\"counter\"), 4)) }" -- "$pie"
out variables_at_a_return '19088743\n'
run -q -e "trace uprobe:$typed:handle /args.item.id == 11/ { n += 1 } trace_end { print(n) }" -- "$typed"
out filters '1\n'

bt members_of_bpftrace 'printf("%d %s %d\n", args.item->id, args.item->name, *args.number);' \
	'11 hello 13'
bt arrays_of_bpftrace 'print(args.item->list);' '[7,8,9]'
bt casts_of_bpftrace 'print(((struct item *)arg0)->next->id); print(((struct pair *)arg4)->right);' '22\n44'
# in bpftrace's language pointers have 64 bits
element='args.item->all[1]->id'
[ "$half" = 32 ] || element='args.item->next->id'
bt variables_of_bpftrace "printf(\"0x%x %d\\n\", *uaddr(\"counter\"), $element);" \
	'0x1234567 22'

run -q --bt -e "uprobe:$typed:handle { @ = args; print(@.number); print(args); }" -- "$typed"
record='\{ \.item = 0x[0-9a-f]+, \.tight = 0x[0-9a-f]+, \.number = 0x[0-9a-f]+, \.text = 0x[0-9a-f]+, \.pair = 0x[0-9a-f]+ \}'
matches "$tmp/out" '^0x[0-9a-f]+$' "^$record\$" "^@: $record\$"
result $? arguments_are_a_value

finish
