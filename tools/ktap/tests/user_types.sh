#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test types of programs: structures that the debug information of a program declares.
#
#	tests/user_types.sh KTAP FAKESESSION [CC]

. "$(dirname "$0")/user_lib.sh"

ktapc=$(dirname "$ktap")/ktapc
run --lines -e 'x = 1' --dry-run
if grep -q 'built without libdw' err; then
	skip types_of_programs "built without libdw"
	finish
	exit
fi

cat >types.h <<'END_OF_FILE'
#include <stddef.h>
#include <stdint.h>

enum colour { RED, GREEN = 5 };
struct inner { short x; char name[8]; };
typedef struct { int left; long right; } pair_t;
struct later;
struct item {
	int id;
	unsigned char kind : 3, flags : 5;
	unsigned int wide : 20;
	unsigned long long far : 37;
	const volatile struct inner inner;
	struct inner table[2][3];
	union { long number; double ratio; char bytes[4]; };
	union { char odd[5]; short even; } sizes;
	enum colour colour;
	float weight;
	double many[100];
	int list[3];
	const char *label;
	struct item *next;
	struct item **all;
	pair_t pair;
	pair_t *other;
	void (*call)(int);
	struct later *opaque;
	_Bool good;
	signed char small;
	uint16_t tail[];
};
struct __attribute__((packed)) tight { char c; int i; long l; short s : 3; };
struct __attribute__((aligned(32))) wide { char c; };
struct holder { char c; struct wide w; };
END_OF_FILE
cat >types.c <<'END_OF_FILE'
#include "types.h"

__attribute__((noinline)) int work(struct item *item, struct tight *tight, struct holder *holder,
				   int *n, char *text, pair_t *pair)
{
	__asm__ volatile("" : : "r"(item), "r"(tight), "r"(holder), "r"(text), "r"(pair));
	return item->id + *n;
}

__attribute__((noinline)) int again(struct item *item)
{
	__asm__ volatile("");
	return item->id;
}

__attribute__((noinline)) int differs(long item)
{
	__asm__ volatile("");
	return item;
}

unsigned int global = 42;
short little = 1;

int main(int argc, char **argv)
{
	static struct item item;
	struct tight tight = { 0 };
	struct holder holder = { 0 };
	pair_t pair = { 0 };

	return work(&item, &tight, &holder, &argc, argv[0], &pair) + again(&item) + differs(argc);
}
END_OF_FILE
"$cc" -g -O1 -o types "$dir/types.c" || exit 1
event=uprobe:$dir/types

# A program prints where members are, and which bits bit-fields have. Declared by ktap and by the
# source they are the same.
cat >layout.h <<'END_OF_FILE'
#include <stdio.h>
#include <string.h>

#define AT(type, member)	printf(#type "." #member " %zu %zu\n", offsetof(type, member), \
				       sizeof(((type *)0)->member))
#define BITS(type, member)	do { \
		type x; \
		memset(&x, 0, sizeof(x)); \
		x.member = ~0ULL; \
		printf(#type "." #member); \
		for (size_t i = 0; i < sizeof(x); i++) \
			if (((unsigned char *)&x)[i]) \
				printf(" %zu:%x", i, ((unsigned char *)&x)[i]); \
		puts(""); \
	} while (0)

int main(void)
{
	AT(struct item, id); BITS(struct item, kind); BITS(struct item, flags);
	BITS(struct item, wide); BITS(struct item, far); AT(struct item, inner);
	AT(struct item, table); AT(struct item, table[1][2].name); AT(struct item, number);
	AT(struct item, bytes); AT(struct item, sizes); AT(struct item, sizes.odd);
	AT(struct item, colour); AT(struct item, list); AT(struct item, label);
	AT(struct item, next); AT(struct item, all); AT(struct item, pair.right);
	AT(struct item, other); AT(struct item, call); AT(struct item, opaque);
	AT(struct item, good); AT(struct item, small);
	printf("%zu\n", offsetof(struct item, tail));
	AT(struct tight, c); AT(struct tight, i); AT(struct tight, l); BITS(struct tight, s);
	AT(struct holder, w); AT(struct holder, w.c);
	printf("%zu %zu %zu %zu\n", sizeof(struct item), sizeof(struct inner),
	       sizeof(struct tight), sizeof(struct holder));
	return 0;
}
END_OF_FILE
script="$event:work { print(args.item->id); print(args.tight->c); print(args.holder->c); }"
"$ktap" --bt --to-ktap -e "$script" >translated 2>err
sed -n '/^cdef \[\[/,/^]]/p' translated | grep -v '^cdef\|^]]' >declared.h
printf '#include <stddef.h>\n#include <stdbool.h>\n#define __packed __attribute__((packed))\n#include "declared.h"\n#include "layout.h"\n' >declared.c
printf '#include "types.h"\n#include "layout.h"\n' >original.c
"$cc" -w -o declared "$dir/declared.c" && "$cc" -w -o original "$dir/original.c" &&
	./declared >declared.out && ./original >original.out && diff original.out declared.out
result $? members_are_where_the_program_has_them
if "$cc" -gdwarf-2 -gstrict-dwarf -O1 -o dwarf2 "$dir/types.c" 2>/dev/null; then
	"$ktap" --bt --to-ktap -e "$script" >translated 2>err
	"$ktap" --bt --to-ktap -e "$(echo "$script" | sed 's|/types:|/dwarf2:|')" >old 2>err
	sed 's|/dwarf2:|/types:|' old | cmp -s - translated
	result $? of_dwarf_2_as_well
else
	skip of_dwarf_2_as_well "the compiler does not write DWARF 2"
fi
grep -q 'weight\|many;\|ratio' declared.h
[ $? = 1 ]
result $? floating_point_numbers_are_left_out

# compiles SCRIPT: compile it with the runner; its chunk is listed in "listing"
compiles() {
	rm -f chunk listing
	play 'exit 0\n' -q "$@"
	[ -f chunk ] && "$ktapc" -d chunk >listing
}
listed() { # listed NAME PATTERN...: lines of the listing
	name=$1 bad=0
	shift
	for pattern; do
		grep -q "$pattern" listing || { echo "no $pattern"; bad=1; }
	done
	result $bad "$name"
}
listed_not() { # listed_not NAME PATTERN
	[ -f listing ] && ! grep -q "$2" listing
	result $? "$1"
}
wrong() { # wrong NAME MESSAGE: the runner refuses the script
	[ "$code" = 2 ] && grep -qF "$2" err
	result $? "$1" || cat err
}

compiles -e "trace $event:work { print(args.item.id, args.pair.right, args.n[0]) }"
listed members_of_arguments 'STR .*"struct item"' 'FIELD .*, item$' 'CALLB .*cast/2' \
	'TGETS .*"id"' 'structure struct item' 'STR .*"struct pair_t"' 'STR .*"int"'
listed_not pointers_that_nothing_follows 'member next: type [0-9]*.*struct'
compiles -e "trace $event:work { x = args.item }"
listed_not an_argument_alone_is_an_integer 'CALLB .*cast/2'
compiles -e "trace $event:work { print(args.item.all[0].next.id) }"
listed pointers_to_pointers 'TGETS .*"all"' 'TGETI' 'TGETS .*"next"'
compiles -e "trace uretprobe:$dir/types:work { print(args.text[2]) }"
listed at_a_return_and_of_text 'STR .*"char"' 'TGETI .*, 2'
compiles -e "trace $event:work { print(cast(\"struct inner\", arg1).x, cast(\"pair_t\", arg5).left) }"
listed casts_to_types_of_the_program 'structure struct inner' 'structure struct pair_t'
compiles -e "trace $event:work { print(sizeof(\"struct tight\"), offsetof(\"struct tight\", \"l\")) }"
listed sizes_of_them 'structure struct tight'
compiles -e "trace $event:work, $event:again { print(args.item.id) }"
listed events_with_the_same_type 'structure struct item'
compiles -e "cdef [[ struct item { long own; }; ]]
trace $event:work { print(args.item.own) }"
listed the_declaration_of_the_script_wins 'member own' 'STR .*"struct item"'
listed_not and_replaces_that_of_the_program 'member id'
compiles -e "trace $event:work { print(args.unknown.id) }"
listed_not what_is_no_argument_stays 'CALLB .*cast/2'
compiles -e "function f(p) { return cast(\"struct item\", p).id }
trace $event:work { print(f(arg0)) }"
listed_not functions_know_types_of_the_kernel 'structure struct item'
cp types stripped && strip stripped
compiles -e "trace uprobe:$dir/types:main { x = 1 } trace uprobe:$dir/stripped:0x1000 { print(args.item.id) }"
listed_not without_debug_information_there_are_none 'CALLB .*cast/2'

play 'exit 0\n' -q -e "trace $event:work { print(args.item.id) } trace probe:vfs_read { print(cast(\"struct item\", arg0).id) }"
wrong a_name_with_two_meanings "'struct item' is a type of the kernel elsewhere in this script"
play 'exit 0\n' -q -e "trace $event:work, $event:differs { print(args.item.id) }"
wrong events_with_other_types "'item' differs between the events of this handler"
play 'exit 0\n' -q --bt -e "$event:work,$event:differs { print(args.item->id); }"
wrong events_with_other_types_in_scripts_of_bpftrace \
	"'item' differs between the events of this block"
sed 's/int id;/long id;/' types.h >other.h
sed 's/types.h/other.h/' types.c >other.c
"$cc" -g -O1 -o other "$dir/other.c"
play 'exit 0\n' -q -e "trace $event:work { print(args.item.id) } trace uprobe:$dir/other:work { print(args.item.id) }"
wrong programs_with_other_structures "'struct item' of $dir/other is not the one of $dir/types"
cp types copy
compiles -e "trace $event:work { print(args.item.id) } trace uprobe:$dir/copy:work { print(args.item.id) }"
listed programs_with_the_same_structures 'structure struct item'
{
	echo 'struct huge {'
	i=0
	while [ $i -lt 5000 ]; do echo "	int m$i;"; i=$((i + 1)); done
	echo '}; int use(struct huge *huge) { return huge->m0; } int main(void) { return 0; }'
} >huge.c
"$cc" -g -O0 -o huge "$dir/huge.c"
play 'exit 0\n' -q -e "trace uprobe:$dir/huge:use { print(args.huge.m0) }"
wrong a_structure_that_is_too_large 'struct huge has more than 4096 members'

# scripts of bpftrace
translated() { # translated NAME SCRIPT LINE...: the translation has these lines
	name=$1 bad=0
	"$ktap" --bt --to-ktap -e "$2" >translated 2>err || { cat err; bad=1; }
	shift 2
	for line; do
		grep -qF "$line" translated || { echo "no $line"; bad=1; }
	done
	result $bad "$name"
}
translated members_of_bpftrace "$event:work { print(args.item->next->id); print(*args.n); }" \
	'print(cast("struct item", args.item).next.id)' 'print(read(args.n, -4))'
translated arrays_and_text_of_bpftrace \
	"$event:work { print(args.item.list); print(args.item->inner.name); }" \
	'printf("[%d,%d,%d]\n", cast("struct item", args.item).list[0],' \
	'print(cast("struct item", args.item).inner.name)'
translated casts_of_bpftrace \
	"$event:work { print(((struct tight *)arg1)->l); print(((pair_t *)arg5)->left); }" \
	'print(cast("struct tight", arg1).l)' 'print(cast("struct pair_t", arg5).left)'
translated filters_of_bpftrace "$event:work /args.item->id == 1/ { @ = count(); }" \
	'/cast("struct item", args.item).id == 1/'
translated structures_of_bpftrace "$event:work { \$p = args.pair; print(*\$p); }" \
	'printf("{ .left = %d, .right = %d }\n", p.left, p.right)'

translated arguments_as_a_value \
	"$event:work { print(args); @ = args; print(@.n); print(args.item->id); }" \
	'printf("{ .item = 0x%x, .tight = 0x%x, .holder = 0x%x, .n = 0x%x, .text = 0x%x, .pair = 0x%x }\n", cast("struct item", args.item), args.tight,' \
	'map = {cast("struct item", args.item), args.tight, args.holder, args.n, args.text, args.pair}' \
	'print(cast("struct item", args.item).id)'
translated signed_arguments_as_a_value "$event:differs,$event:differs { @[args] = 1; }" \
	'map[args.item] = 1' 'printf("@[{ .item = %d }]: %d\n"'
translated arguments_of_two_functions "$event:work,$event:differs { print(args); }" \
	'printf("{ .item = 0x%x, .tight = 0x%x, ' 'printf("{ .item = %d }\n", args.item)'

declares() { # declares EVENT EXPRESSION TEXT: a script of bpftrace that reads it has this text
	"$ktap" --bt --to-ktap -e "$1 { \$e = $2; print(1); }" >translated 2>err || cat err
	case $(cat translated) in
	*"$3"*) ;;
	*) cat translated; return 1 ;;
	esac
}

# lists
list "uprobe:$dir/types:work" --bt -v
lists parameters_as_bpftrace_shows_them "uprobe:$dir/types:work\n    struct item* item\n    struct tight* tight\n    struct holder* holder\n    int* n\n    char* text\n    pair_t* pair\n    int retval\n"
list "uprobe:$dir/types:again" -v
lists parameters_in_c "uprobe:$dir/types:again\n    struct item *item\n    int retval\n"

# addresses of symbols
away() { # away SYMBOL FUNCTION: the distance between them
	echo $((0x$(nm types | sed -n "s/ . $1$//p") - 0x$(nm types | sed -n "s/ . $2$//p")))
}
compiles -e "trace $event:work { print(cast(\"int\", uaddr(\"global\"))[0]) }"
listed addresses_of_variables 'STR .*"pc"' 'CALLB .*reg/1' "ADD.* $(away global work)$"
compiles -e "trace $event:work { print(usym(uaddr(\"again\"))) }"
listed addresses_of_functions "$(away again work)$"
translated addresses_of_bpftrace "$event:work { print(*uaddr(\"global\")); print(*uaddr(\"little\")); }" \
	"print(read(reg(\"pc\") + $(away global work), 4))" \
	"print(read(reg(\"pc\") + $(away little work), 2))"
play 'exit 0\n' -q -e "trace $event:work { print(uaddr(\"nosuch\")) }"
wrong a_symbol_that_is_not_there "'nosuch': $dir/types has no such symbol"
compiles -e "trace uretprobe:$dir/types:work { print(uaddr(\"global\")) }"
listed addresses_at_a_return 'FIELD .*, ip' "ADD.* $(away global work)$"
translated addresses_of_bpftrace_at_a_return \
	"uretprobe:$dir/types:work { print(*uaddr(\"global\")); }" \
	"print(read(args.ip + $(away global work), 4))"
play 'exit 0\n' -q -e "trace $event:* { print(uaddr(\"global\")) }"
wrong addresses_at_several_functions ' places, name one function'
play 'exit 0\n' -q -e "trace $event:work, $event:again { print(uaddr(\"global\")) }"
wrong addresses_at_several_events "'global' differs between the events of this handler"
echo 'static int counter = 1; int *other(void); int main(void) { return counter + *other(); }' >first.c
echo 'static int counter = 2; int *other(void) { return &counter; }' >second.c
"$cc" -O0 -o counters first.c second.c || exit 1
play 'exit 0\n' -q -e "trace uprobe:$dir/counters:main { print(uaddr(\"counter\")) }"
wrong a_symbol_of_two_files "'counter': $dir/counters has several symbols of this name"
play 'exit 0\n' -q -e "trace probe:vfs_read { print(uaddr(\"global\")) }"
wrong addresses_need_a_program 'uaddr() needs a program: uaddr("NAME") in a handler of uprobe, uretprobe or usdt'

# debug information that C does not make: some of the assembler's text is changed
cat >crafted.c <<'END_OF_FILE'
typedef struct { int x; } unnamed_t;
struct item { int id; int second; int list[3]; int last; unnamed_t *unnamed; };
__attribute__((noinline)) int work(struct item *item, long renamed, long b)
{
	__asm__ volatile("" : : "r"(renamed));
	return item->id + b;
}

int main(int argc, char **argv)
{
	struct item item = { 0 };

	return work(&item, argc, 1);
}
END_OF_FILE
"$cc" -gdwarf-5 -O1 -S -dA -o crafted.s "$dir/crafted.c" || exit 1
# craft NAME EXPRESSION...: make a program of that text; false if it is the same
craft() {
	program=$1
	shift
	sed "$@" crafted.s >"$program.s"
	! cmp -s crafted.s "$program.s" && "$cc" -o "$program" "$program.s"
}
if craft evil '/string.*"renamed"/s/renamed/b} system(str(arg1)) x = {args.b/' &&
	craft digit '/string.*"renamed"/s/renamed/9lives/' &&
	craft twice '/string.*"renamed"/s/renamed/b/' &&
	craft word '/string.*"renamed"/s/renamed/end/'; then
	for program in evil digit; do
		translated names_that_are_none_$program "uprobe:$dir/$program:work { print(args); }" \
			'printf("{ .item = 0x%x, .b = %d }\n", args.item, args.b)'
	done
	translated names_that_occur_twice "uprobe:$dir/twice:work { print(args); }" \
		'printf("{ .item = 0x%x, .b = %d }\n", args.item, args.b)'
	translated names_that_are_keywords "uprobe:$dir/word:work { print(args); }" \
		'{ .item = 0x%x, .end = %d, .b = %d }\n", args.item, args.end, args.b)'
else
	skip names_of_parameters "the assembler has no names"
fi
if craft swapped -e '/byte.*DW_AT_data_member_location/s/0x4\b/0x10/' \
	-e '/byte.*DW_AT_data_member_location/s/0x8\b/0x4/'; then
	declares "uprobe:$dir/swapped:work" 'args.item->id' '	int id;
	int list[3];
	int second;
	int last;'
	result $? members_in_the_order_of_their_places
else
	skip members_in_the_order_of_their_places "the assembler has no places"
fi
if craft fortran -e '/byte.*DW_AT_language/s/0x[0-9a-f]*/0x22/' \
	-e '/byte.*DW_AT_upper_bound/s/0x2\b/0x3/'; then
	declares "uprobe:$dir/fortran:work" 'args.item->last' '	int list[3];
	int last;'
	result $? arrays_that_begin_at_1
else
	skip arrays_that_begin_at_1 "the assembler has no languages"
fi
if craft short -e '/byte.*DW_AT_byte_size/s/0x20\b/0x8/'; then
	declares "uprobe:$dir/short:work" 'args.item->id' '	int id;
	int second;
}'
	result $? members_beyond_the_structure
else
	skip members_beyond_the_structure "the assembler has no sizes"
fi
# a declaration without a name is one of anything
awk '/\(TAG: /{ unnamed = /structure_type/ } /DW_AT_name/{ unnamed = 0 }
	unnamed && /byte.*[^x0-9]0$/ { print ".uleb128 0x3c"; print ".uleb128 0x19"; unnamed = 0 }
	{ print }' crafted.s >nameless.s
if ! cmp -s crafted.s nameless.s && "$cc" -o nameless nameless.s; then
	declares "uprobe:$dir/nameless:work" 'args.item->unnamed; $x = args.item->id' \
		'	void *unnamed;'
	result $? declarations_without_a_name
else
	skip declarations_without_a_name "the assembler has no types"
fi

cat >odd.c <<'END_OF_FILE'
struct huge { char bytes[300000000]; };
#ifndef __clang__
struct __attribute__((scalar_storage_order("big-endian"))) big { int one; };
struct __attribute__((scalar_storage_order("little-endian"))) small { int one; };
#else
struct big { char one; };
struct small { char one; };
#endif
struct odd {
	int bool, __packed, restricted, __private, u32;
	int __filler8;
	char c;
	struct big big;
	struct small small;
	struct huge *large;
	struct value { int x; } value;
};

int use(struct odd *odd, struct value value) { return odd->restricted + value.x; }
int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k)
{
	return a + b + c + d + e + f + g + h + i + j + k;
}

int main(void)
{
	static struct odd odd;
	struct value value = { 0 };

	return use(&odd, value) + many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
}
END_OF_FILE
"$cc" -std=gnu11 -g -O0 -o odd "$dir/odd.c" || exit 1
declares "uprobe:$dir/odd:use" 'args.odd->large; $x = args.odd->restricted' \
	'	unsigned long long : 64;
	int restricted;
	unsigned long long : 32;
	int u32;
	unsigned long long : 32;
	signed char c;'
[ "$?" = 0 ] && grep -q '	void \*large;' translated
result $? names_that_no_member_can_have
grep -c '	int one;' translated >got
echo 1 | cmp -s - got
result $? integers_in_the_other_order_of_bytes
translated only_arguments_that_the_kernel_knows "uprobe:$dir/odd:many { print(args); }" \
	'.j = %d }\n'
refused() { # refused NAME EVENT EXPRESSION MESSAGE: also in a script of bpftrace
	"$ktap" --bt --to-ktap -e "uprobe:$dir/$2 { print($3); }" >translated 2>err
	code=$?
	wrong "$1" "$4"
}
refused structures_by_value odd:use args.value.x \
	"'value' is a structure and no pointer to one: it is no argument of the event"
play 'exit 0\n' -q -e "trace uprobe:$dir/odd:use { print(args.value.x) }"
wrong structures_by_value_in_ktap \
	"'value' is a structure and no pointer to one: it is no argument of the event"

# structures of one name
cat >one.c <<'END_OF_FILE'
struct in { char a; int b; long c; };
struct other;
struct item { struct in *next; struct other *other; };
int take_one(struct item *item) { return item->next->a; }
int take_two(void *item);
int take_none(void *item);
int main(void)
{
	static struct item item;

	return take_one(&item) + take_two(&item) + take_none(&item);
}
END_OF_FILE
cat >two.c <<'END_OF_FILE'
struct in { int a; char b; long c; };
struct other { struct in *next; };
int take_two(struct other *other) { return other->next->a; }
END_OF_FILE
echo 'int take_none(void *item) { return !item; }' >none.c
"$cc" -g -O0 -o two one.c two.c none.c
refused structures_of_one_name two:take_one 'args.item->next->a + args.item->other->next->a' \
	"$dir/two has two structures 'struct in'"
refused structures_of_one_name_by_a_pattern 'two:take_*' '((struct in *)arg0)->a' \
	"$dir/two has two structures 'struct in'"
refused structures_of_one_name_elsewhere two:take_none '((struct in *)arg0)->a' \
	"$dir/two has two structures 'struct in'"
translated the_structure_of_the_own_unit \
	"uprobe:$dir/two:take_two { print(((struct in *)arg0)->a); }" \
	'	signed char b;' 'print(cast("struct in", arg0).a)'
cat >space.cc <<'END_OF_FILE'
namespace a { struct Item; }
struct Item { int x; int y; };
extern "C" int take(a::Item *p, Item *q) { return p ? q->x : q->y; }
int main() { Item item = { 1, 2 }; return take((a::Item *)&item, &item); }
END_OF_FILE
if "$cc" -g -O0 -o space space.cc 2>/dev/null; then
	"$ktap" --bt --to-ktap -e "uprobe:$dir/space:take { print(args.p->x); }" >translated 2>err
	! grep -q 'struct Item' translated
	result $? a_namespace_has_its_own_structures
else
	skip a_namespace_has_its_own_structures "there is no compiler of C++"
fi
{
	echo 'struct large {'
	i=0
	while [ $i -lt 3000 ]; do echo "	int m$i;"; i=$((i + 1)); done
	echo '};'
	for i in 0 1 2 3 4 5; do echo "int use$i(struct large *large) { return large->m$i; }"; done
	echo 'int main(void) { static struct large l; return use0(&l) + use1(&l); }'
} >large.c
"$cc" -g -O0 -o large large.c
translated members_count_once "uprobe:$dir/large:use* { print(args.large->m0); }
uprobe:$dir/large:use1 { print(args.large->m1); print(args.large->m2); }" \
	'	int m2999;' 'print(cast("struct large", args.large).m2)'

# damaged debug information
size=$(stat -c %s types) bad=0
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	damage types "$size" "$seed"
	play 'exit 0\n' -q -e "trace uprobe:$dir/damaged:work { print(args.item.next.id, args.pair.left) }"
	[ "$code" -le 2 ] || bad=$((bad + 1))
done
[ $bad = 0 ]
result $? damaged_types_do_no_harm

finish
