#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test lines of source files: those of events, and those that the runner adds to names.
#
#	tests/user_lines.sh KTAP FAKESESSION [CC]

. "$(dirname "$0")/user_lib.sh"

run --lines -e 'x = 1' --dry-run
if grep -q 'built without libdw' err; then
	expect lines_need_libdw 2 '--lines: this ktap was built without libdw'
	refuses events_of_lines_need_libdw "uprobe:$marked@lines.c:1" \
		'built without libdw, ktap knows no lines of source files'
	finish
	exit
fi
cat >lines.h <<'END'
static inline __attribute__((always_inline)) int twice(int x)
{
	__asm__ volatile(".globl in_twice\nin_twice: nop");
	return x * 2;
}

static inline __attribute__((always_inline)) int fourfold(int x)
{
	return twice(x) * 2;
}
END
echo '#include "lines.h"' >lines.c
cat >>lines.c <<'END'

__attribute__((noinline)) int work(int n)
{
	__asm__ volatile(".globl in_work\nin_work: nop");
	n = fourfold(n);
	return n + 1;
}

static inline __attribute__((always_inline)) void often(void)
{
	__asm__ volatile("nop");
}

__attribute__((noinline)) int more(int n)
{
	often();
	return n - 1;
}

struct pair { long a[4]; };

__attribute__((noinline)) long mixed(unsigned char c, const char *s, struct pair p, short last)
{
	__asm__ volatile("" : : "r"(s));
	return p.a[0] + c + last;
}

int main(int argc, char **argv)
{
	often();
	mixed(argc, argv[0], (struct pair){ { argc } }, argc);
	return work(argc) + more(argc);
}
END
"$cc" -g -O1 -o lines "$dir/lines.c" || exit 1
id=$(id_of lines)
# the address of a symbol, which is the offset in the file of code in programs of these linkers
addr() { echo "0x$(nm "$2" | sed -n "s/^0*\([0-9a-f]*\) . $1$/\1/p")"; }
work=$(addr work lines) main=$(addr main lines) more=$(addr more lines)
in_work=$(hex "$(addr in_work lines)" -$work) in_twice=$(hex "$(addr in_twice lines)" -$work)

# names
marks="$(mark "$dir/lines" "$id" $(hex $work 0x$in_work)) $(mark "$dir/lines" "$id" $(hex $work 0x$in_twice))"
play "out $marks\nexit 0\n" -q --lines -e 'x = ustack'
output names_have_lines \
	"work+0x$in_work (lines) at $dir/lines.c:5 work+0x$in_twice (lines) at $dir/lines.h:3 in twice, inlined at $dir/lines.h:9 in fourfold, inlined at $dir/lines.c:6\n"
play "out $marks\nexit 0\n" -q -e 'x = ustack'
output only_if_wanted "work+0x$in_work (lines) work+0x$in_twice (lines)\n"
play "out $marks\nexit 0\n" -q --bt --lines -e 'BEGIN { print(ustack); }'
output in_scripts_of_bpftrace_those_of_the_function \
	"work+$((0x$in_work))@$dir/lines.c:5 work+$((0x$in_twice))@$dir/lines.c:6\n"
play "out $marks\nexit 0\n" -q --bt -e 'config = { show_debug_info = true } BEGIN { print(ustack); }'
output or_by_the_config_of_the_script "work+$((0x$in_work))@$dir/lines.c:5 work+$((0x$in_twice))@$dir/lines.c:6\n"
play "out $marks\nexit 0\n" -q --bt -e 'BEGIN { print(ustack); }'
output only_if_wanted_there_as_well "work+$((0x$in_work)) work+$((0x$in_twice))\n"
play "out $(mark $marked "$(id_of marked)" $(hex "$(at alpha)" 2))\nexit 0\n" -q --lines -e 'x = ustack'
output names_without_debug_information 'alpha+0x2 (marked)\n'
play "out $(mark "$dir/lines" "$id" $(hex $work 0x$in_twice)r)\nexit 0\n" -q --lines -e 'x = ustack'
output an_address_after_a_call_has_the_line_of_the_call "work+0x$in_twice (lines) at $dir/lines.c:5\n"

# events
answers a_line "uprobe:$dir/lines@lines.c:5" \
	"uprobe uprobe:$dir/lines@lines.c:5 $dir/lines\nat $(addr in_work lines) 0x0 work\n"
answers a_line_of_an_inlined_function "uprobe:./lines@lines.h:3" \
	"uprobe uprobe:./lines@lines.h:3 $dir/lines\nat $(addr in_twice lines) 0x0 work\n"
answers the_line_of_a_function_is_its_entry "probe:$dir/lines@./lines.c:4" \
	"uprobe probe:$dir/lines@./lines.c:4 $dir/lines\nat $work 0x0 work\n"
answers a_path_of_a_source_file "uprobe:$dir/lines@$dir/lines.c:5:2" \
	"uprobe uprobe:$dir/lines@$dir/lines.c:5:2 $dir/lines\nat $(addr in_work lines) 0x0 work\n"
play 'exit 0\n' -q -e "trace 'uprobe:$dir/lines@lines.c:12' { x = 1 } print(x)"
[ "$(sed -n 's/^at .* //p' setup | sort | tr '\n' ' ')" = 'main more ' ]
result $? each_function_that_a_line_is_inlined_into
cp lines 'x@y.c:3'
answers a_path_that_looks_like_a_line "uprobe:$dir/x@y.c:3:work" \
	"uprobe uprobe:$dir/x@y.c:3:work $dir/x@y.c:3\nat $work 0x0 work\n"
refuses a_line_without_code "uprobe:$dir/lines@lines.c:2" \
	"$dir/lines has no statement that begins at line 2 of 'lines.c'; the next one is at line 4"
refuses a_column_without_code "uprobe:$dir/lines@lines.c:5:77" \
	"$dir/lines has no statement that begins at line 5 and this column of 'lines.c'; write no column to trace the first one"
refuses a_line_after_the_end "uprobe:$dir/lines@lines.c:500" \
	"$dir/lines has no code of line 500 of 'lines.c', nor of a later one"
refuses a_file_of_another_program "uprobe:$dir/lines@ines.c:5" \
	"$dir/lines was not compiled from a file 'ines.c', by its debug information"
refuses a_program_without_debug_information "uprobe:$marked@marked.c:5" \
	"$marked has no debug information (DWARF), so no lines; compile it with -g, or name a function: uprobe:PATH:FUNCTION"
refuses the_return_of_a_line "uretprobe:$dir/lines@lines.c:5" \
	'a line has no return; name a function: uretprobe:PATH:FUNCTION'

# parameters
list "uprobe:$dir/lines:m*" -v
lists parameters_have_types "uprobe:$dir/lines:more\n    int n\n    int retval\nuprobe:$dir/lines:mixed\n    unsigned char c\n    const char *s\n    struct pair p\n    short int last\n    long int retval\nuprobe:$dir/lines:main\n    int argc\n    char **argv\n    int retval\n"
list "uretprobe:$dir/lines:work" -v
lists a_return_has_a_result "uretprobe:$dir/lines:work\n    int retval\n"
list "uprobe:$marked:alpha" -v
lists parameters_need_debug_information "uprobe:$marked:alpha\n"

params() { # params NAME SCRIPT LINES: the lines for named arguments of the script
	play 'exit 0\n' -q -e "$2"
	[ "$(sed -n 's/^param //p' setup | sort | tr '\n' ';')" = "$3" ]
	result $? "$1"
}
word=$(getconf LONG_BIT)
word=$((word / 8))
params arguments_have_names "trace uprobe:$dir/lines:mixed { x = args.c; y = args.s }" "c 0 1;s 1 $word;"
params a_structure_is_no_argument "trace uprobe:$dir/lines:mixed { x = args.p }" ''
params bare_names_in_filters_are_none "trace uprobe:$dir/lines:more /n == 3/ { n += 1 }" ''
case $(uname -m) in
x86_64)
	# which is on the stack there
	params what_comes_after_it "trace uprobe:$dir/lines:mixed { x = args.last }" 'last 2 -2;'
	;;
*) skip what_comes_after_it "depends on the machine" ;;
esac
params of_functions_that_match "trace uprobe:$dir/lines:m* { x = args.n; y = args.argv }" "argv 1 $word;n 0 -4;"
params at_a_return "trace uretprobe:$dir/lines:work { x = args.n }" 'n 0 -4;'
params not_inside_of_a_function "trace uprobe:$dir/lines@lines.c:6 { x = args.n }" ''

# debug files, and damaged ones
if [ -n "$id" ]; then
	mkdir -p "debug/.build-id/$(echo "$id" | cut -c1-2)"
	objcopy --only-keep-debug lines "debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug"
	strip lines
	export KTAP_DEBUG="$dir/debug"
	play "out $(mark "$dir/lines" "$id" $(hex $work 0x$in_work))\nexit 0\n" -q --lines -e 'x = ustack'
	output lines_of_a_debug_file "work+0x$in_work (lines) at $dir/lines.c:5\n"
	answers an_event_by_a_debug_file "uprobe:$dir/lines@lines.c:5" \
		"uprobe uprobe:$dir/lines@lines.c:5 $dir/lines\nat $(hex $work 0x$in_work | sed s/^/0x/) 0x0 work\n"
	unset KTAP_DEBUG
else
	skip lines_of_a_debug_file "no build ids"
	skip an_event_by_a_debug_file "no build ids"
fi
"$cc" -g -O1 -o lines "$dir/lines.c"
size=$(stat -c %s lines) bad=0
# a program says where more of its debug information is: that is not opened
mkfifo pipe
printf 'pipe\0\1\2\3\4\5\6\7\10' >alt
objcopy --add-section .gnu_debugaltlink=alt lines altlink
list "uprobe:$dir/altlink:work" -v
lists files_that_a_program_names_are_not_opened "uprobe:$dir/altlink:work\n"
if "$cc" -g -gsplit-dwarf -O1 -o split "$dir/lines.c" 2>/dev/null; then
	refuses split_debug_information "uprobe:$dir/split@lines.c:5" \
		"$dir/split has split debug information, which ktap does not read; compile it without -gsplit-dwarf"
else
	skip split_debug_information "the compiler cannot split it"
fi
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	damage lines "$size" "$seed"
	play "out $(mark "$dir/damaged" "$id" $(hex $work 0x$in_twice))\nexit 0\n" -q --lines -e 'x = ustack'
	[ "$code" = 0 ] || bad=$((bad + 1))
	play 'exit 0\n' -q -e "trace 'uprobe:$dir/damaged@lines.c:5' { x = 1 } print(x)"
	[ "$code" -le 2 ] || bad=$((bad + 1))
	list "uprobe:$dir/damaged:*" -v
	[ "$code" -le 2 ] || bad=$((bad + 1))
done
[ $bad = 0 ]
result $? damaged_debug_information_does_no_harm

finish
