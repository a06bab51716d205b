#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test events of programs that the runner refuses: mistakes, returns and instructions that
# cannot be probed.
#
#	tests/user_refused.sh KTAP FAKESESSION [CC]

. "$(dirname "$0")/user_lib.sh"

# functions whose return cannot be probed, whatever name is used
cat >keeps.c <<'C'
int __sigsetjmp(void *env, int mask) { return env && mask; }
int remember(void *env, int mask) __attribute__((alias("__sigsetjmp")));
int plain(int n) { return n + 1; }
int where_it_begins(int n) { return n + 2; }
C
"$cc" -O2 -shared -fPIC -nostdlib -Wl,-e,where_it_begins -o keeps "$dir/keeps.c" || exit 1
keeps=$dir/keeps
place() { # NAME: print the offset of the function in the file
	play 'exit 0\n' -q -e "trace uprobe:$keeps:$1 { x = 1 }"
	sed -n 's/^at \([^ ]*\) .*/\1/p' setup
}
begin=$(place where_it_begins)
play 'exit 0\n' -e "trace uretprobe:$keeps:* { x = 1 }"
[ "$(grep '^at ' setup | sed 's/.* //')" = plain ] &&
	grep -q "^ktap: left out of '\*': 2 whose return cannot be probed without a crash, like " err
result $? patterns_leave_out_returns_that_kill_the_program
play 'exit 0\n' -e "trace uprobe:$keeps:* { x = 1 }"
[ "$(grep -c '^at ' setup)" = 3 ] && ! grep -q 'left out' err
result $? entries_of_the_same_are_taken
play 'exit 0\n' -e "trace uretprobe:$marked:* { x = 1 }"
grep -q '^at .* alpha$' setup && ! grep -q '^at .* _start$' setup && grep -q "like '_start'" err
result $? a_pattern_leaves_out_what_a_program_begins_with
list "uretprobe:$keeps:*"
lists a_list_of_returns_has_none_of_them "uretprobe:$keeps:plain\n"
play 'exit 0\n' --unsafe -q -e "trace uretprobe:$keeps:* { x = 1 } trace uretprobe:$keeps:remember { y = 1 }"
[ "$(grep '^at ' setup | sed 's/.* //' | tr '\n' ' ')" = 'plain remember ' ]
result $? unsafe_takes_what_is_named
play 'exit 0\n' --unsafe -q -e "trace uretprobe:$keeps:$begin { x = 1 }"
! grep -q '^un*resolved\|^uprobe' setup
result $? or_given_by_its_offset

# errors
refuses no_such_file uprobe:/no/such/file:f "no file '/no/such/file'"
refuses no_elf_file "uprobe:$dir/keeps.c:f" "$dir/keeps.c is not an ELF file, so neither a program nor a library"
refuses no_file_but_a_folder "uprobe:$dir:f" "$dir is not a regular file"
refuses no_such_function "uprobe:$marked:alhpa" "$marked has no function 'alhpa'; did you mean 'alpha'?"
refuses nothing_like_it "uprobe:$marked:xyzzy_plugh_plover" "$marked has no function 'xyzzy_plugh_plover'"
refuses nothing_matches "uprobe:$marked:xyz*" "$marked has no function that matches 'xyz*'"
refuses no_such_pattern_of_paths "uprobe:/no/such/*:f" "no file matches '/no/such/*'"
refuses no_name uprobe:/bin/sh 'write it as uprobe:PATH:FUNCTION, :0xOFFSET, or uprobe:PATH@FILE:LINE'
refuses the_header_of_a_file_is_no_code "uprobe:$marked:0xa" "$marked has no code at 0xa"
refuses nor_is_what_comes_after_its_end "uprobe:$marked:0xffffff" "$marked has no code at 0xffffff"
refuses no_code_there uprobe:./marked:0xffffff "./marked has no code at 0xffffff"
refuses after_the_function "uprobe:$marked:alpha+0x10000" "'alpha' has $((0x$(
	readelf -sW marked | awk '$8 == "alpha" { printf "%x", $3; exit }'))) bytes only"
refuses an_offset_of_a_return "uretprobe:$marked:alpha+4" 'a return has no offset'
refuses an_offset_of_a_pattern "uprobe:$marked:alpha*+4" 'an offset needs the name of one function'
refuses all_files_need_a_process 'uprobe:*:f' "'*' means all files of a process; say which with -p PID"
refuses no_such_marker "usdt:$marked:demo:plani" "$marked has no marker 'demo:plani'; did you mean 'demo:plain'?"
refuses no_markers_at_all "usdt:$keeps:x" "$keeps has no markers"
refuses no_name_of_a_marker usdt:/bin/sh 'write it as usdt:PATH:PROVIDER:NAME, or usdt:PATH:NAME'
dies='; with --unsafe it is probed if it is named, and the program may crash'
refuses a_return_that_is_kept "uretprobe:$keeps:__sigsetjmp" \
	"the return of '__sigsetjmp' cannot be probed: it saves its return address, and the program jumps there later$dies"
refuses the_same_by_another_name "probe:$keeps:remember%return" \
	"the return of 'remember' cannot be probed: it saves its return address, and the program jumps there later$dies"
refuses what_a_program_begins_with "uretprobe:$keeps:where_it_begins" \
	"the return of 'where_it_begins' cannot be probed: a program begins there, and it has no return address$dies"
refuses the_same_by_its_offset "uretprobe:$keeps:$begin" \
	"the return of 'where_it_begins' cannot be probed: a program begins there, and it has no return address$dies"
refuses a_pattern_of_nothing_else "uretprobe:$keeps:r*" \
	"the return of 'remember' cannot be probed: it saves its return address, and the program jumps there later$dies"
mkfifo pipe
refuses a_pipe_does_not_stop_us "uprobe:$dir/pipe:f" "$dir/pipe is not a regular file"
cp marked foreign
printf '\026\000' | dd of=foreign bs=1 seek=18 conv=notrunc 2>/dev/null
refuses another_machine "uprobe:$dir/foreign:alpha" "$dir/foreign is for s390, which is not this machine"

# short instructions, which the kernel would misinterpret: the header of a file gets the
# number of a machine that has them, and a preloaded library makes ktap read this file
# instead of its own
cat >believe.c <<'C'
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int open(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	if (!strcmp(path, "/proc/self/exe"))
		path = getenv("BELIEVED");
	return syscall(SYS_openat, -100, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
C
cat >short.c <<'C'
#include "marker.h"

#define FUNCTION(name, at) __asm__(".globl " #name "\n.type " #name ", %function\n" \
	".size " #name ", 8\n.set " #name ", " #at "\n")

MARKER_BASE();
__asm__(".text\n.balign 64\ncode: .fill 64, 1, 0\n.globl label\n.set label, code + 20\n");
FUNCTION(long_one, code);
FUNCTION(short_one, code + 9);
FUNCTION(short_two, code + 17);
FUNCTION(two_again, code + 16);
FUNCTION(mips_one, code + 32);
FUNCTION(mips_two, code + 48);

void fire_long(void)
{
	MARKER("demo", "both", "0", "");
	MARKER("demo", "long", "0", "");
}

void fire_short(void)
{
	MARKER("demo", "both", "0", "");
	MARKER("demo", "short", "0", "");
}
FUNCTION(fire_shorter, fire_short + 1);
C
"$cc" -O2 -shared -fPIC -o believe.so believe.c && "$cc" -O2 -shared -fPIC -nostdlib \
	-I"$sources" -o short short.c || exit 1
number() { # OFFSET: print the byte
	od -An -v -tu1 -j"$1" -N1 short | tr -d ' '
}
byte() { # OFFSET VALUE: set the byte
	printf "\\$(printf %o "$2")" | dd of=short bs=1 seek="$1" conv=notrunc 2>/dev/null
}
machine() { # NUMBER: set the machine, less than 256
	byte 18 0
	byte 19 0
	byte $((17 + $(number 5))) "$1"
}
other() { # SYMBOL VALUE: set st_other of the symbol
	symtab=$(readelf -SW short | sed -n 's/.* \.symtab  *SYMTAB  *[^ ]*  *\([^ ]*\) .*/\1/p')
	index=$(readelf -sW short | sed -n '/symtab/,$p' |
		awk -v name="$1" '$8 == name { sub(":", "", $1); print $1 }')
	case $(number 4) in
	1) byte $((0x$symtab + 16 * index + 13)) "$2" ;;
	2) byte $((0x$symtab + 24 * index + 5)) "$2" ;;
	esac
}
value() { # SYMBOL: print its address
	readelf -sW short | awk -v name="$1" '$8 == name { print "0x" $2; exit }'
}
offset() { # SYMBOL: print its offset in the file
	readelf -lW short | awk '$1 == "LOAD" && / R E / { print $2, $3 }' | {
		read -r o a
		printf '0x%x' $(($(value "$1") - a + o))
	}
}
other mips_one $((0x80))
other mips_two $((0xf0))
EM_MIPS=8 EM_ARM=40
machine $EM_ARM
export LD_PRELOAD="$dir/believe.so" BELIEVED="$dir/short"
export ASAN_OPTIONS="verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
list uprobe:./short:long_one
if [ "$code" = 0 ]; then
	it='is Thumb code, which the kernel cannot probe; build it with -marm'
	list 'uprobe:./short:*_one'
	grep -qx "ktap: left out of '\*_one': 1 in Thumb code, which the kernel cannot probe" err
	result $? what_a_pattern_leaves_out_is_reported
	sort -o out out
	lists a_pattern_leaves_out_short_code 'uprobe:./short:long_one\nuprobe:./short:mips_one\n'
	play 'exit 0\n' -e 'trace uprobe:./short:*_one { x = 1 }'
	grep -q "^ktap: left out of '\*_one': 1 in " err && [ "$(grep -c '^at ' setup)" = 2 ]
	result $? what_a_pattern_of_a_script_leaves_out_is_reported
	for what in short_one short_one+4 two_again label; do
		list "uprobe:./short:$what"
		lists_not "short_code_of_$what" "'$what' $it"
	done
	list "uprobe:./short:$(offset two_again)"
	lists_not an_offset_in_short_code "'$(offset two_again)' $it"
	list 'uprobe:./short:short*'
	lists_not short_code_of_a_pattern "all that matches 'short*' $it"
	list uprobe:./short:sort_one
	lists_not short_code_is_suggested \
		"./short has no function 'sort_one'; did you mean 'short_one'?"
	refuses a_return_of_short_code "uretprobe:$dir/short:short_one" "'short_one' $it"
	refuses an_offset_in_short_code_by_path "uprobe:$dir/short:$(offset two_again)" \
		"'$(offset two_again)' $it"
	answers an_offset_beside_short_code "uprobe:$dir/short:$(offset long_one)" "uprobe \
uprobe:$dir/short:$(offset long_one) $dir/short\nat $(offset long_one) 0x0 long_one\n"
	list usdt:./short:demo:short
	lists_not a_marker_in_short_code "'demo:short' $it"
	list usdt:./short:demo:both
	grep -qx "ktap: left out of 'demo:both': 1 in Thumb code, which the kernel cannot probe" err
	result $? a_marker_in_short_code_as_well_is_reported
	lists a_marker_in_short_code_as_well 'usdt:./short:demo:both\n'
	machine $EM_MIPS
	it='is MIPS16 or microMIPS code, which the kernel cannot probe; build it with -mno-mips16 -mno-micromips'
	for what in short_one mips_one mips_two; do
		list "uprobe:./short:$what"
		lists_not "short_code_of_mips_$what" "'$what' $it"
	done
else
	skip short_code "this ktap does not believe to run elsewhere"
fi
unset LD_PRELOAD BELIEVED

finish
