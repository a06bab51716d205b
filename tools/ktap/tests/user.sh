#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test events and addresses of programs: the addresses that the runner sends to the kernel,
# and the names by which it replaces the marks of the kernel in the output.
#
#	tests/user.sh KTAP FAKESESSION [CC]

ktap=${1:?usage: user.sh KTAP FAKESESSION [CC]}
fake=${2:?usage: user.sh KTAP FAKESESSION [CC]}
cc=${3:-cc}
# The kernel cannot probe Thumb code, which has separate tests.
case $(uname -m) in
arm*)
	compiler=$cc cc=compile
	compile() { "$compiler" -marm "$@"; }
	;;
esac
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../testing/selftests/ktap
# these tests use the sources of the selftests
[ -d "$sources" ] || { echo "1..0 # SKIP there is no $sources"; exit; }
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1

# list PATTERN...: run ktap -l
list() {
	code=0
	timeout 60 "$ktap" -l "$@" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
}

# lists NAME TEXT: the last list was exactly TEXT
lists() {
	printf "$2" | cmp -s - "$dir/out" && [ "$code" = 0 ]
	result $? "$1"
}

# lists_not NAME MESSAGE: the last list was empty, with this error
lists_not() {
	[ "$code" = 1 ] && [ ! -s "$dir/out" ] && [ "$(cat "$dir/err")" = "ktap: error: $2" ]
	result $? "$1"
}

# answers NAME EVENT LINES: these are the set-up lines for the event
answers() {
	play 'exit 0\n' -q -e "trace '$2' { x = 1 } print(x)"
	printf "frames\nstream\narg -e\n$3" | cmp -s - "$dir/setup"
	result $? "$1"
}

at() { ./marked where "$1"; }

"$cc" -O2 -o marked "$sources/marked.c" || exit 1
marked=$dir/marked

# functions
answers a_function_of_a_program "probe:$marked:alpha" \
	"uprobe probe:$marked:alpha $marked\nat $(at alpha) 0x0 alpha\n"
answers a_uprobe_is_the_same "uprobe:$marked:alpha" \
	"uprobe uprobe:$marked:alpha $marked\nat $(at alpha) 0x0 alpha\n"
answers a_return "probe:$marked:alpha%return" \
	"uprobe probe:$marked:alpha%%return $marked\nat $(at alpha) 0x0 alpha\n"
answers a_uretprobe "uretprobe:$marked:alpha" \
	"uprobe uretprobe:$marked:alpha $marked\nat $(at alpha) 0x0 alpha\n"
answers an_offset_in_a_function "uprobe:$marked:alpha+4" \
	"uprobe uprobe:$marked:alpha+4 $marked\nat $(printf '0x%x' $(($(at alpha) + 4))) 0x0 alpha\n"
case $(uname -m) in
arm* | mips*)
	skip an_offset_in_a_file_of_that_path_needs_no_answer "code may be of two forms here"
	;;
*)
	answers an_offset_in_a_file_of_that_path_needs_no_answer "uprobe:$marked:$(at alphabet)" ''
	;;
esac
answers an_offset_in_the_file "uprobe:./marked:$(at alphabet)" \
	"uprobe uprobe:./marked:$(at alphabet) $marked\nat $(at alphabet) 0x0 alphabet\n"
answers a_decimal_offset "uprobe:./marked:$(($(at alphabet)))" \
	"uprobe uprobe:./marked:$(($(at alphabet))) $marked\nat $(at alphabet) 0x0 alphabet\n"
answers another_name_of_the_function "uprobe:$marked:alpha_again" \
	"uprobe uprobe:$marked:alpha_again $marked\nat $(at alpha) 0x0 alpha_again\n"
answers a_relative_path uprobe:./marked:alpha \
	"uprobe uprobe:./marked:alpha $marked\nat $(at alpha) 0x0 alpha\n"
cp marked 'has blank'
answers a_path_with_a_blank "uprobe:$dir/has blank:alpha" \
	"uprobe uprobe:$dir/has\\\\040blank:alpha $dir/has\\\\040blank\nat $(at alpha) 0x0 alpha\n"
cp marked big
truncate -s 3G big
answers a_file_of_more_than_2_GiB "uprobe:$dir/big:alpha" \
	"uprobe uprobe:$dir/big:alpha $dir/big\nat $(at alpha) 0x0 alpha\n"
rm big
cp marked 'a:b'
answers a_path_with_a_colon "uprobe:$dir/a:b:alpha" \
	"uprobe uprobe:$dir/a:b:alpha $dir/a:b\nat $(at alpha) 0x0 alpha\n"
ln -s marked link
answers a_link_is_followed "uprobe:$dir/link:alpha" \
	"uprobe uprobe:$dir/link:alpha $marked\nat $(at alpha) 0x0 alpha\n"

# static programs, and those at a fixed address, have other addresses
for how in -static -no-pie; do
	"$cc" -O2 $how -o fixed "$sources/marked.c" || exit 1
	answers "a_function_of_a_program_linked_$how" "uprobe:$dir/fixed:alpha" \
		"uprobe uprobe:$dir/fixed:alpha $dir/fixed\nat $(./fixed where alpha) 0x0 alpha\n"
done

# patterns
list 'uprobe:./marked:alpha*'
sort -o out out
lists a_pattern_takes_each_place_once 'uprobe:./marked:alpha\nuprobe:./marked:alphabet\n'
list 'uprobe:./marked:alpha[^a-z]*'
lists a_pattern_of_the_second_name 'uprobe:./marked:alpha_again\n'
list 'uprobe:./mark?d:alphabe?'
lists a_pattern_of_paths 'uprobe:./marked:alphabet\n'
list 'uretprobe:./marked:alphabe[t]'
lists a_pattern_of_returns 'uretprobe:./marked:alphabet\n'
play 'exit 0\n' -q -e "trace uprobe:$marked:* { x = 1 }"
[ "$(grep -c '^at ' setup)" -gt 10 ] && [ "$(sed -n 's/^at \([^ ]*\) .*/\1/p' setup | sort | uniq -d | wc -l)" = 0 ]
result $? all_functions_of_a_program
play 'exit 0\n' -q -e "trace uprobe:$marked:alpha { x = 1 } trace uprobe:$marked:alpha { y = 1 }
trace uprobe:$marked:alphabet { z = 1 } trace sched:sched_switch { x = 2 }"
[ "$(grep -c '^uprobe ' setup)" = 2 ]
result $? an_event_of_two_clauses_is_looked_up_once
play 'exit 0\n' -q -e "kdebug.probe('uprobe:$marked:alpha', function () { }) print('x:y', 'probe:vfs_read')"
printf "frames\nstream\narg -e\nuprobe uprobe:$marked:alpha $marked\nat $(at alpha) 0x0 alpha\n" | cmp -s - setup
result $? an_event_in_a_string
play 'exit 0\n' -q -e 'trace ($1) { x = $2 }' uprobe:$marked:alpha x:y
printf "frames\nstream\narg -e\narg uprobe:$marked:alpha\narg x:y\nuprobe uprobe:$marked:alpha $marked\nat $(at alpha) 0x0 alpha\n" |
	cmp -s - setup
result $? an_event_in_an_argument
echo 'trace ("probe:" .. getopt("f", "") .. "%return") { x = 1 }' >option.kp
play 'exit 0\n' -q option.kp --f=$marked:alpha
sed -n 's/^uprobe //p' setup | sort >got
printf "$marked:alpha $marked\nprobe:$marked:alpha $marked\nprobe:$marked:alpha%%return $marked\n" | cmp -s - got
result $? an_event_made_of_an_option
play 'exit 0\n' -q -e 'trace (strstr($1, ":") ? $1 : "probe:" .. $1) { x = 1 }' libc:str*
grep -q '^uprobe libc:str\* /' setup
result $? functions_of_a_library_where_events_are_taken_too
mkdir -p events/libc
play 'exit 0\n' -q -e 'trace (strstr($1, ":") ? $1 : "probe:" .. $1) { x = 1 }' libc:str*
! grep -q '^uprobe libc:str' setup
result $? events_of_the_kernel_come_before_functions_of_a_library
rmdir events/libc
play 'exit 0\n' -q -e 'trace probe:vfs_read { x = 1 } trace syscalls:* { x = 2 } trace probe:ext4:ext4_sync_file { x = 3 }'
printf 'frames\nstream\narg -e\n' | cmp -s - setup
result $? events_of_the_kernel_are_left_alone

# C++ and Rust
if "$ktap" -l 'uprobe:./marked:ns::add(int)' >/dev/null 2>&1; then
	answers a_name_of_cpp "uprobe:$marked:ns::add(int)" \
		"uprobe uprobe:$marked:ns::add(int) $marked\nat $(at add_int) 0x0 ns::add(int)\n"
	answers a_name_of_cpp_as_the_linker_has_it "uprobe:$marked:_ZN2ns3addEl" \
		"uprobe uprobe:$marked:_ZN2ns3addEl $marked\nat $(at add_long) 0x0 ns::add(long)\n"
	list 'uprobe:./marked:ns::add'
	sort -o out out
	lists a_name_without_parameters_is_all_overloads \
		'uprobe:./marked:ns::add(int)\nuprobe:./marked:ns::add(long)\n'
	list 'uprobe:./marked:ns::*( long )'
	[ "$code" = 1 ]
	result $? a_pattern_has_blanks_that_count
	list 'uprobe:./marked:ns::add( long )'
	lists blanks_of_a_name_do_not_count 'uprobe:./marked:ns::add(long)\n'
	list 'uprobe:./marked:*::add(l*)'
	lists a_pattern_of_plain_names 'uprobe:./marked:ns::add(long)\n'
	list 'uprobe:./marked:_ZN2ns*i'
	lists a_pattern_of_mangled_names 'uprobe:./marked:ns::add(int)\n'
	list 'uprobe:./marked:core::fmt::write'
	lists a_name_of_rust 'uprobe:./marked:core::fmt::write\n'
	list 'uprobe:./marked:mycrate::*'
	lists a_name_of_newer_rust 'uprobe:./marked:mycrate::foo\n'
	list 'uprobe:./marked:ns::ad'
	lists_not plain_names_are_suggested "./marked has no function 'ns::ad'; did you mean 'ns::add'?"
else
	skip names_of_cpp_and_rust "built without libiberty"
fi

# libraries
cat >lib.c <<'C'
int twice(int n) { return n * 2; }
int twice_before(int n) { return n + n; }
__asm__(".symver twice_before,twofold@V0");
static int third(void) { return 3; }
int (*choose(void))(void) { return third; }
int chosen(void) __attribute__((ifunc("choose")));
C
echo 'V0 { global: twofold; }; V1 { global: twice; chosen; choose; local: twice_before; } V0;' >versions
"$cc" -O2 -shared -fPIC -Wl,-soname,libtest.so.3 -Wl,--version-script=versions -o libtest.so.3 lib.c ||
	exit 1
cp libtest.so.3 libtest.so.1
ln -s libtest.so.3 libtest.so
echo 'not a library' >libtext.so
export LD_LIBRARY_PATH=$dir
list 'uprobe:libtest:twic[e]'
lists a_library_by_its_short_name "uprobe:$dir/libtest.so.3:twice\n"
list 'probe:libtest.so.1:twice'
lists a_library_by_its_file_name "uprobe:$dir/libtest.so.1:twice\n"
list 'probe:libtest:twice%return'
lists a_library_in_a_probe_of_returns "uretprobe:$dir/libtest.so.3:twice\n"
list 'uprobe:libtest:*@*'
[ "$code" = 1 ]
result $? versions_are_no_part_of_names
list 'uprobe:libtest:twofold'
lists a_version_that_is_no_longer_linked_with "uprobe:$dir/libtest.so.3:twofold\n"
list 'uprobe:libtext:x'
lists_not a_library_is_an_elf_file "no library and no program is called 'libtext'; write its path"
list 'uprobe:libtest:*'
grep -q :twice out && ! grep -q :cho out
result $? patterns_leave_out_what_is_chosen_at_the_start
play 'exit 0\n' -e 'trace uprobe:libtest:chosen { x = 1 }' 
grep -q "^ktap: 'chosen' is an indirect function" err && grep -q '^at .* chosen$' setup
result $? what_is_chosen_at_the_start_is_told
list uprobe:libtest:chosen
grep -q "^ktap: 'chosen' is an indirect function" err
result $? what_is_chosen_at_the_start_is_told_beside_a_list
play 'exit 0\n' -q -e 'trace probe:libnothing:twice { x = 1 }'
printf 'frames\nstream\narg -e\n' | cmp -s - setup
result $? a_name_of_no_library_may_be_a_module
unset LD_LIBRARY_PATH
list 'uprobe:libc:mall?c'
grep -q '^uprobe:/.*/libc\.so\.[0-9]*:malloc$' out || grep -q ' Thumb code' err
result $? the_c_library_by_its_short_name
list 'uprobe:sh:*'
[ "$code" = 0 ] || grep -q 'has no symbols' err
result $? a_program_of_the_path
play 'exit 0\n' -e 'trace uprobe:libc:* { x = 1 }'
[ "$(grep -c '^at ' setup)" -gt 1000 ] || grep -q Thumb setup err
result $? thousands_of_functions

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
refuses() {
	play 'exit 1\n' -q -e "trace '$2' { x = 1 }"
	sed -n 's/^unresolved [^ ]* //p' setup | sed 's/\\040/ /g' >got
	echo "$3" | cmp -s - got
	result $? "$1"
}
refuses no_such_file uprobe:/no/such/file:f "no file '/no/such/file'"
refuses no_elf_file "uprobe:$dir/lib.c:f" "$dir/lib.c is not an ELF file, so neither a program nor a library"
refuses no_file_but_a_folder "uprobe:$dir:f" "$dir is not a regular file"
refuses no_such_function "uprobe:$marked:alhpa" "$marked has no function 'alhpa'; did you mean 'alpha'?"
refuses nothing_like_it "uprobe:$marked:xyzzy_plugh_plover" "$marked has no function 'xyzzy_plugh_plover'"
refuses nothing_matches "uprobe:$marked:xyz*" "$marked has no function that matches 'xyz*'"
refuses no_such_pattern_of_paths "uprobe:/no/such/*:f" "no file matches '/no/such/*'"
refuses no_name uprobe:/bin/sh 'write it as uprobe:PATH:FUNCTION, or uprobe:PATH:0xOFFSET'
refuses the_header_of_a_file_is_no_code "uprobe:$marked:0xa" "$marked has no code at 0xa"
refuses nor_is_what_lies_behind_its_end "uprobe:$marked:0xffffff" "$marked has no code at 0xffffff"
refuses no_code_there uprobe:./marked:0xffffff "./marked has no code at 0xffffff"
refuses behind_the_function "uprobe:$marked:alpha+0x10000" "'alpha' has $((0x$(
	readelf -sW marked | awk '$8 == "alpha" { printf "%x", $3; exit }'))) bytes only"
refuses an_offset_of_a_return "uretprobe:$marked:alpha+4" 'a return has no offset'
refuses an_offset_of_a_pattern "uprobe:$marked:alpha*+4" 'an offset needs the name of one function'
refuses all_files_need_a_process 'uprobe:*:f' "'*' means all files of a process; say which with -p PID"
refuses no_such_marker "usdt:$marked:demo:plani" "$marked has no marker 'demo:plani'; did you mean 'demo:plain'?"
refuses no_markers_at_all "usdt:$dir/libtest.so.3:x" "$dir/libtest.so.3 has no markers"
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

# markers
spot() { # NAME: print the link-time addresses of the marker
	readelf -nW marked | awk -v name="$1" '$1 == "Name:" { is = $2 == name }
		is && $1 == "Location:" { sub(",", "", $2); print $2 }'
}
offset_of() { # ADDRESS: print the offset in the file
	readelf -lW marked | awk '$1 == "LOAD" { print $2, $3, $5 }' | while read -r o a s; do
		[ $(($1)) -ge $((a)) ] && [ $(($1)) -lt $((a + s)) ] && printf '0x%x' $(($1 - a + o))
	done
}
places=
for a in $(spot plain); do
	places="${places}at $(offset_of $a) 0x0 demo:plain\n"
done
answers a_marker_in_two_places "usdt:$marked:demo:plain" \
	"uprobe usdt:$marked:demo:plain $marked\n$places"
answers a_marker_without_its_provider "sdt:$marked:plain" "uprobe sdt:$marked:plain $marked\n$places"
semaphore=$(offset_of "0x$(readelf -sW marked | awk '$8 == "guarded_semaphore" { print $2; exit }')")
play 'exit 0\n' -q -e "trace usdt:$marked:*:guarded { x = 1 }"
grep -q "^at $(offset_of $(spot guarded)) $semaphore demo:guarded 8@" setup
result $? a_marker_with_a_semaphore
list "usdt:./marked:*"
sort -o out out
grep -q '^usdt:./marked:demo:args$' out && [ "$(grep -c :plain out)" = 1 ]
result $? a_pattern_of_markers
case $(uname -m) in
x86_64)
	counter=$(readelf -sW marked | awk '$8 == "counter" { print $2; exit }')
	play 'exit 0\n' -q -e "trace usdt:$marked:demo:far { x = 1 }"
	grep -q " demo:far -4@$((0x$counter - $(spot far)))(%ip)\$" setup
	result $? an_argument_in_a_variable
	play 'exit 0\n' -q -e "trace usdt:$marked:demo:args { x = 1 }"
	grep -Eq ' demo:args 8@%[a-z0-9]+ -4@-?[0-9]+\(%[a-z]+\) 8@\$42 8@%[a-z0-9]+ 1@%[a-z0-9]+$' setup
	result $? arguments_of_all_kinds
	;;
*)
	skip an_argument_in_a_variable "written for x86"
	skip arguments_of_all_kinds "written for x86"
	;;
esac

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
	result $? what_a_pattern_leaves_out_is_told
	sort -o out out
	lists a_pattern_leaves_out_short_code 'uprobe:./short:long_one\nuprobe:./short:mips_one\n'
	play 'exit 0\n' -e 'trace uprobe:./short:*_one { x = 1 }'
	grep -q "^ktap: left out of '\*_one': 1 in " err && [ "$(grep -c '^at ' setup)" = 2 ]
	result $? what_a_pattern_of_a_script_leaves_out_is_told
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
	result $? a_marker_in_short_code_as_well_is_told
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

# names with control characters or newlines
escape=$(printf '\033]0;x') line=$(printf 'a\nuprobe:/bin/sh:b')
objcopy --redefine-sym "alpha_again=alpha_$escape" --redefine-sym "alphabet=$line" marked unclean
list 'uprobe:./unclean:alpha*'
lists functions_with_clean_names 'uprobe:./unclean:alpha\n'
list "uprobe:./unclean:alpha_$escape"
lists an_unclean_name_is_shown_clean 'uprobe:./unclean:alpha_?]0;x\n'
list "uprobe:./unclean:alpha_]0;x"
lists_not no_unclean_name_is_suggested "./unclean has no function 'alpha_]0;x'"
LC_ALL=C sed 's/demo\x00plain/demo\x00pla\nn/; s/demo\x00args/demo\x00a\o33gs/' marked >unclean
list 'usdt:./unclean:*'
grep -q '^usdt:./unclean:demo:guarded$' out && [ "$(grep -cv '^usdt:./unclean:demo:[a-z_]*$' out)" = 0 ]
result $? markers_with_clean_names
list 'usdt:./unclean:demo:argss'
lists_not no_unclean_marker_is_suggested "./unclean has no marker 'demo:argss'"

# stripped files
strip -o stripped marked
refuses a_stripped_program "uprobe:$dir/stripped:alpha" "$dir/stripped has no symbols, it is stripped; \
install its debug symbols, or write an offset: 0xOFFSET"
id_of() { readelf -nW "$1" | sed -n 's/.*Build ID: //p'; }
id=$(id_of marked)
mkdir -p "debug/.build-id/$(echo $id | cut -c 1-2)"
debug=debug/.build-id/$(echo $id | cut -c 1-2)/$(echo $id | cut -c 3-).debug
export KTAP_DEBUG=$dir/debug
if [ -n "$id" ]; then
	objcopy --only-keep-debug marked "$debug"
	list "uprobe:./stripped:alphabet"
	lists symbols_in_a_debug_file 'uprobe:./stripped:alphabet\n'
	cp "$debug" good
	"$cc" -O2 -o other -x c - <<'C'
int alphabet(void) { return 1; }
int main(void) { return alphabet(); }
C
	objcopy --only-keep-debug other "$debug"
	list "uprobe:./stripped:alphabet"
	[ "$code" = 1 ]
	result $? a_debug_file_of_another_build_is_ignored
	cp good "$debug"
else
	skip symbols_in_a_debug_file "no build ids"
	skip a_debug_file_of_another_build_is_ignored "no build ids"
fi
unset KTAP_DEBUG
if command -v xz >/dev/null; then
	objcopy -S --keep-symbol=alphabet marked packed.debug
	xz -c packed.debug >packed.xz
	objcopy --add-section .gnu_debugdata=packed.xz stripped packed
	list "uprobe:./packed:alphabet"
	lists symbols_in_gnu_debugdata 'uprobe:./packed:alphabet\n'
	head -c 300 packed.xz >cut.xz
	objcopy --add-section .gnu_debugdata=cut.xz stripped packed
	list "uprobe:./packed:alphabet"
	[ "$code" = 1 ] && grep -q '^ktap: error: ./packed has no' err
	result $? a_damaged_gnu_debugdata_has_none
else
	skip symbols_in_gnu_debugdata "no xz"
	skip a_damaged_gnu_debugdata_has_none "no xz"
fi

# one process
sleep 60 &
sleeper=$!
list "uprobe:sleep:*" -p $sleeper
[ "$code" = 0 ] || grep -q 'has no symbols' err
result $? the_program_of_a_process
list "uprobe:*:mall?c" -p $sleeper
grep -q '/libc[-.].*:malloc$' out || grep -q ' Thumb code' err
result $? all_files_of_a_process
kill $sleeper
gone=4194303
list uprobe:libc:malloc -p $gone
lists_not a_process_that_is_not_there "no process $gone"
play 'exit 0\n' -q -p $gone -e "trace uprobe:$marked:0x10 { x = 1 }"
grep -qx "unresolved uprobe:$marked:0x10 no.040process.040$gone" setup
result $? a_process_that_is_not_there_has_no_offsets
list uprobe:libnothing:f -p $gone
lists_not a_library_of_a_process_that_is_not_there "no process $gone"
if [ "$(id -u)" = 0 ] && setpriv --reuid 4242 --clear-groups test -x "$ktap" 2>/dev/null; then
	code=0
	setpriv --reuid 4242 --clear-groups "$ktap" -l uprobe:libc:malloc -p 1 >out 2>err || code=$?
	lists_not a_process_of_somebody_else \
		"cannot see the files of process 1: Permission denied: try sudo"
else
	skip a_process_of_somebody_else "not root"
fi
mkdir -p root/lib
cp marked root/marked
ln -s /marked root/lib/link
if [ "$(id -u)" = 0 ] && "$cc" -O2 -static -o root/sleeper -x c - <<'C'
#include <unistd.h>
int main(void) { return sleep(60); }
C
then
	chroot root /sleeper &
	sleeper=$!
	# wait until it has changed its root
	for i in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(readlink /proc/$sleeper/root)" != / ] && break
		sleep 0.1
	done
	play 'exit 0\n' -q -p $sleeper -e 'trace uprobe:/marked:alpha { x = 1 } trace uprobe:/lib/link:alphabet { x = 1 }'
	grep -qx "uprobe uprobe:/marked:alpha \(/proc/self/fd/[0-9]*\|$dir/root\)/marked" setup &&
		grep -qx "uprobe uprobe:/lib/link:alphabet \(/proc/self/fd/[0-9]*\|$dir/root\)/marked" setup
	result $? paths_of_a_process_with_another_root
	list "uprobe:/etc/passwd:f" -p $sleeper
	lists_not files_outside_of_its_root_are_not_there \
		"no file '/etc/passwd' where the process has its files"
	mkdir root/etc
	mkfifo root/etc/ld.so.cache
	list "uprobe:libnothing:f" -p $sleeper
	lists_not a_pipe_for_a_cache_of_libraries_does_not_stop_us \
		"no library and no program is called 'libnothing'; write its path"
	kill $sleeper
else
	skip paths_of_a_process_with_another_root "not root"
	skip files_outside_of_its_root_are_not_there "not root"
	skip a_pipe_for_a_cache_of_libraries_does_not_stop_us "not root"
fi
wait 2>/dev/null

# a chunk that was compiled before
if [ -x "$(dirname "$ktap")/ktapc" ]; then
	"$(dirname "$ktap")/ktapc" -e "trace uprobe:$marked:alpha { x = 1 } print(x)" -o chunk
	play 'exit 0\n' -q chunk
	printf "frames\nstream\narg chunk\nuprobe uprobe:$marked:alpha $marked\nat $(at alpha) 0x0 alpha\n" | cmp -s - setup
	result $? events_of_a_chunk_are_looked_up_where_it_runs
else
	skip events_of_a_chunk_are_looked_up_where_it_runs "no ktapc"
fi

# marks in the output
play 'exit 0\n' -q -e 'trace uprobe:/x:0x1 { print(ustack) }'
grep -q ^symbols setup
result $? marks_are_asked_for_if_there_are_user_stacks
play 'exit 0\n' -q --no-symbols -e 'trace uprobe:/x:0x1 { print(ustack) }'
grep -q ^symbols setup
[ $? = 1 ]
result $? marks_are_not_asked_for_if_the_user_wants_none
play 'exit 0\n' -q -e 'trace probe:vfs_read { print(kstack) }'
grep -q ^symbols setup
[ $? = 1 ]
result $? marks_are_not_asked_for_without
hex() { printf '%x' $(($1 + ${2:-0})); }
a=$(at alpha) b=$(at alphabet)
mark() { printf '\\036@KEY@\\035%s\\035%s\\035%s\\037' "$1" "$2" "$3"; }
play "out in $(mark $marked "$id" $(hex $a 3)).\nexit 0\n" -q -e 'x = ustack'
output a_place_in_a_file_has_a_name 'in alpha+0x3 (marked).\n'
play "split\nout $(mark $marked "$id" $(hex $a))$(mark $marked "$id" $(hex $b 1))\nexit 0\n" -q -e 'x = ustack'
output marks_may_come_byte_by_byte 'alpha+0x0 (marked)alphabet+0x1 (marked)\n'
play "out $(mark "$dir/fixed" "$(id_of fixed)" $(hex "$(./fixed where alpha)" 2))\nexit 0\n" -q -e 'x = ustack'
output a_place_in_a_program_at_a_fixed_address 'alpha+0x2 (fixed)\n'
size=$(readelf -sW marked | awk '$8 == "alpha" { print $3; exit }')
play "out $(mark $marked "$id" $(hex $a $size)r)\nexit 0\n" -q -e 'x = ustack'
output a_call_at_the_end_belongs_to_the_caller "alpha+0x$(hex $size) (marked)\n"
objcopy --redefine-sym "alpha=al${escape}pha" marked unclean
cp unclean "un${escape}clean"
play "out $(mark "$dir/un${escape}clean" "$id" $(hex $a))\nout $(mark "/no/${escape}clean" '' 1f)\nexit 0\n" -q -e 'x = ustack'
output places_are_shown_by_clean_names 'al?]0;xpha+0x0 (un?]0;xclean)\n/no/?]0;xclean+0x1f\n'
play "out $(mark $marked 00112233 $(hex $a))\nexit 0\n" -q -e 'x = ustack'
output another_build_has_no_names "$marked+$a\n"
"$cc" -O2 -Wl,--build-id=none -o plain "$sources/marked.c" || exit 1
play "out $(mark "$dir/plain" '' $(hex "$(./plain where alpha)"))\nexit 0\n" -q -e 'x = ustack'
output a_file_without_a_build_id_has_names 'alpha+0x0 (plain)\n'
if [ -n "$id" ]; then
	play "out $(mark $marked '' $(hex $a))\nexit 0\n" -q -e 'x = ustack'
	output a_file_with_a_build_id_is_not_one_without "$marked+$a\n"
else
	skip a_file_with_a_build_id_is_not_one_without "no build ids"
fi
play "out $(mark $marked "$id" $(hex $a))\nout $(mark $marked '' $(hex $a))\nexit 0\n" -q -p $gone -e 'x = ustack'
output of_a_process_that_is_not_there_builds_have_names "alpha+0x0 (marked)\n$marked+$a\n"
play "out $(mark '/no/such file' '' 1f)\nexit 0\n" -q -e 'x = ustack'
output a_file_that_is_gone_has_no_names '/no/such file+0x1f\n'
play "out $(mark "$marked (deleted)" "$id" $(hex $a))$(mark "$marked (deleted)" '' $(hex $a))\nexit 0\n" -q -e 'x = ustack'
output a_deleted_file_that_is_back "alpha+0x0 (marked (deleted))$marked (deleted)+$a\n"
play "out $(mark "$dir/has\\\\040blank" "$id" $(hex $a 1))\nexit 0\n" -q -e 'x = ustack'
output names_of_files_may_have_anything "alpha+0x1 (has\\\\040blank)\n"
if "$ktap" -l 'uprobe:./marked:ns::add(int)' >/dev/null 2>&1; then
	play "out $(mark $marked "$id" $(hex $(at add_int)))\nout $(mark $marked "$id" $(hex $(at rust_legacy)))\nexit 0\n" -q -e 'x = ustack'
	output names_are_those_of_the_source 'ns::add(int)+0x0 (marked)\ncore::fmt::write+0x0 (marked)\n'
else
	skip names_are_those_of_the_source "built without libiberty"
fi
almost='\036no mark\037 \036@KEY@\037 \036@KEY@\035a\035g\0351\037 \036@KEY@\035a\035\035\037 \036@KEY@\035a\035\0351x\037\n'
play "out ${almost}exit 0\n" -q -e 'x = ustack'
output what_is_no_mark_passes "$(printf '%s' "$almost" | sed "s/@KEY@/$(sed -n 's/^symbols //p' setup)/g")"
play "out \\036$marked\\035\\035$(hex $a)\\037 \\0360123456789abcdef\\035$marked\\035\\035$(hex $a)\\037\nexit 0\n" \
	-q -e 'x = ustack'
output a_mark_of_somebody_else_is_none \
	"\\036$marked\\035\\035$(hex $a)\\037 \\0360123456789abcdef\\035$marked\\035\\035$(hex $a)\\037\n"
play "out \\036open\nout \\036\\036x\nraw \\036\nbulk 9000\nraw end\\036\nexit 0\n" -q -e 'x = ustack'
long=$(head -c 9000 /dev/zero | tr '\0' x)
output what_only_begins_like_a_mark_passes "\\036open\n\\036\\036x\n\\036${long}end\\036"
play "out \\036x$(mark $marked "$id" $(hex $a))\nexit 0\n" -q -e 'x = ustack'
output a_mark_behind_what_is_none '\036xalpha+0x0 (marked)\n'
play "bulk 65530\nout $(mark $marked "$id" $(hex $a))\nbulk 70000\nout $(mark $marked "$id" $(hex $b))\nexit 0\n" -q -e 'x = ustack'
[ "$(tr -d x <out)" = "$(printf 'alpha+0$ (marked)\nalphabet+0$ (marked)\n' | sed 's/0\$/00/; s/x//' )" ]
result $? marks_among_much_output

# code that programs generate at run time
pid=4194303
printf '1000 100 first\n1100 10 old\n1100 20 new\nbad line\n2000 8 with blanks (x)\n' >/tmp/perf-$pid.map
play "out $(mark $pid '' 1010)\nout $(mark $pid '' 1104)\nout $(mark $pid '' 2008r)\nout $(mark $pid '' 3000)\nexit 0\n" -q -e 'x = ustack'
output a_map_of_compiled_code \
	"first+0x10 (perf-$pid.map)\nnew+0x4 (perf-$pid.map)\nwith blanks (x)+0x8 (perf-$pid.map)\n0x3000\n"
rm -f /tmp/perf-$pid.map
echo '1000 100 first' >map
ln -s "$dir/map" /tmp/perf-$pid.map
play "out $(mark $pid '' 1010)\nexit 0\n" -q -e 'x = ustack'
output a_map_that_is_a_link_is_not_read '0x1010\n'
rm -f /tmp/perf-$pid.map

# a missing map is searched for again only after 0.1 s; on a busy machine one try may take
# longer, so try several times
for try in 1 2 3 4 5 6 7 8 9 10; do
	rm -f /tmp/perf-$pid.map
	play "out $(mark $pid '' 1010)\nsystem echo 1000 100 first >/tmp/perf-$pid.map
out $(mark $pid '' 1010)\nsystem sleep 0.2\nout $(mark $pid '' 1010)\nexit 0\n" -q --unsafe -e 'x = ustack'
	[ "$(sed -n 2p out)" != 0x1010 ] || break
done
output a_map_that_is_not_there_is_not_looked_for_each_time "0x1010\n0x1010\nfirst+0x10 (perf-$pid.map)\n"

# a map that grows, or is replaced; an incomplete line is ignored
printf '1000 100 first\n3000 10 unfin' >/tmp/perf-$pid.map
play "out $(mark $pid '' 1010)\nout $(mark $pid '' 3000)\nsystem echo ished >>/tmp/perf-$pid.map
out $(mark $pid '' 3000)\nsystem echo 2000 1 new >/tmp/perf-$pid.map
out $(mark $pid '' 2000)\nout $(mark $pid '' 1010)\nexit 0\n" -q --unsafe -e 'x = ustack'
output a_map_that_changes "first+0x10 (perf-$pid.map)\n0x3000\nunfinished+0x0 (perf-$pid.map)
new+0x0 (perf-$pid.map)\n0x1010\n"
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%x 10 f%d\n", 65536 + 16 * ((i * 7) % 3000), i
	print "10000 5 again" }' >/tmp/perf-$pid.map
play "out $(mark $pid '' 10000)\nout $(mark $pid '' 10008)\nout $(mark $pid '' 1007f)
system echo 10000 20 last >>/tmp/perf-$pid.map\nout $(mark $pid '' 9000)\nout $(mark $pid '' 10018)
exit 0\n" -q --unsafe -e 'x = ustack'
output a_map_of_many_functions "again+0x0 (perf-$pid.map)\nf0+0x8 (perf-$pid.map)\nf1+0xf (perf-$pid.map)
0x9000\nlast+0x18 (perf-$pid.map)\n"
{
	head -c 100000 /dev/zero | tr '\0' 9
	printf '\n1000 100 one\033two\n'
} >/tmp/perf-$pid.map
play "out $(mark $pid '' 1010)\nexit 0\n" -q -e 'x = ustack'
output a_map_with_what_is_no_text "one?two+0x10 (perf-$pid.map)\n"
printf '1000 100 first\n2000 100 sec\0ond\n3000 100 third\n' >/tmp/perf-$pid.map
play "out $(mark $pid '' 3010)\nout $(mark $pid '' 2010)\nexit 0\n" -q -e 'x = ustack'
output a_map_goes_on_behind_a_byte_of_zero "third+0x10 (perf-$pid.map)\n0x2010\n"
echo 1000 100 first >/tmp/perf-$pid.map
play "out $(mark $pid '' 1010)\nsystem echo 1000 100 better >>/tmp/perf-$pid.map; sleep 0.2
out $(mark $pid '' 1010)\nsystem echo 1000 100 best >/tmp/perf-$pid.map; sleep 0.2
out $(mark $pid '' 1010)\nexit 0\n" -q --unsafe -e 'x = ustack'
output code_that_is_compiled_anew "first+0x10 (perf-$pid.map)\nbetter+0x10 (perf-$pid.map)
best+0x10 (perf-$pid.map)\n"
echo 1000 100 other >/tmp/perf-$pid.map
play "out $(mark $pid '' 1010)\nsystem echo 1000 100 equal >/tmp/perf-$pid.map; sleep 0.2
out $(mark $pid '' 1010)\nexit 0\n" -q --unsafe -e 'x = ustack'
output a_map_that_is_made_anew_as_large "other+0x10 (perf-$pid.map)\nequal+0x10 (perf-$pid.map)\n"
awk 'BEGIN { print "1000 100 first"; for (i = 0; i < 9; i++) print "2000 10 f" i }' >/tmp/perf-$pid.map
play "out $(mark $pid '' 1010)\nsystem seq -f '1%%g00 100 longer' 0 9 >/tmp/perf-$pid.map; sleep 0.2
out $(mark $pid '' 1010)\nsystem echo 1000 100 grown >>/tmp/perf-$pid.map; sleep 0.2
out $(mark $pid '' 1010)\nexit 0\n" -q --unsafe -e 'x = ustack'
output a_map_that_is_made_anew_and_larger "first+0x10 (perf-$pid.map)\nlonger+0x10 (perf-$pid.map)
grown+0x10 (perf-$pid.map)\n"
echo 1000 100 equal >/tmp/perf-$pid.map
# a large map is read again only after seconds, and never beyond the limit of its size
truncate -s 60M /tmp/perf-$pid.map
play "out $(mark $pid '' 1010)\nsystem echo 2000 100 new >/tmp/perf-$pid.map; sleep 0.2
out $(mark $pid '' 2010)\nout $(mark $pid '' 1010)\nexit 0\n" -q --unsafe -e 'x = ustack'
output a_large_map_is_not_read_again_at_once "equal+0x10 (perf-$pid.map)\n0x2010\nequal+0x10 (perf-$pid.map)\n"
{
	echo 1000 100 first
	head -c 70000000 /dev/zero
	printf '\n2000 100 last\n'
} >/tmp/perf-$pid.map
play "out $(mark $pid '' 1010)\nout $(mark $pid '' 2010)\nexit 0\n" -q -e 'x = ustack'
output a_map_is_not_read_without_end "first+0x10 (perf-$pid.map)\n0x2010\n"
# many processes, most of them without a map
echo 1000 100 first >/tmp/perf-$pid.map
play "$(awk -v pid=$pid 'BEGIN { for (i = 0; i < 2400; i++)
	printf "raw \\036@KEY@\\035%d\\035\\0351010%s\\037 \n", i % 3 ? pid - i : pid, i % 2 ? "r" : "" }')\nout\nexit 0\n" \
	-q -e 'x = ustack'
[ "$(tr ' ' '\n' <out | grep -c 'first+0x10')" = 800 ]
result $? maps_of_many_processes

# a map is used only if root or the owner of the process has created it
foreign=4242
if [ "$(id -u)" = 0 ] && chown $foreign /tmp/perf-$pid.map 2>/dev/null; then
	play "out $(mark $pid '' 1010)\nexit 0\n" -q -e 'x = ustack'
	output a_map_of_somebody_else_is_not_read '0x1010\n'
else
	skip a_map_of_somebody_else_is_not_read "not root"
fi
rm -f /tmp/perf-$pid.map
if [ "$(id -u)" = 0 ] && setpriv --reuid $foreign true 2>/dev/null; then
	setpriv --reuid $foreign sleep 60 &
	sleeper=$!
	until [ "$(cat /proc/$sleeper/comm)" = sleep ]; do
		sleep 0.1
	done
	echo 1000 100 first >/tmp/perf-$sleeper.map
	chown $foreign /tmp/perf-$sleeper.map
	play "out $(mark $sleeper '' 1010)\nsystem kill $sleeper; sleep 0.2
out $(mark $sleeper '' 1010)\nexit 0\n" -q --unsafe -e 'x = ustack'
	output a_map_of_the_owner_of_a_process "first+0x10 (perf-$sleeper.map)\nfirst+0x10 (perf-$sleeper.map)\n"
	setpriv --reuid $foreign sleep 60 &
	rm -f /tmp/perf-$sleeper.map
	sleeper=$!
	until [ "$(cat /proc/$sleeper/comm)" = sleep ]; do
		sleep 0.1
	done
	echo 1000 100 first >/tmp/perf-$sleeper.map
	chown $((foreign + 1)) /tmp/perf-$sleeper.map
	play "out $(mark $sleeper '' 1010)\nexit 0\n" -q -e 'x = ustack'
	output a_map_of_neither_root_nor_the_owner_is_not_read '0x1010\n'
	rm -f /tmp/perf-$sleeper.map
	kill $sleeper
else
	skip a_map_of_the_owner_of_a_process "not root"
	skip a_map_of_neither_root_nor_the_owner_is_not_read "not root"
fi
wait 2>/dev/null

# damaged files give a message or a list, never a crash or a report of a sanitizer
survived() {
	[ "$code" -le 1 ] && { [ ! -s err ] || grep -q '^ktap: ' err; } &&
		! grep -q -e Sanitizer -e 'runtime error' err
}
bad=0
size=$(wc -c <marked)
n=0
while [ $n -lt "$size" ]; do
	head -c $n marked >./cut
	list "uprobe:./cut:*"
	survived || bad=1
	n=$((n + 331))
done
result $bad cut_files_are_survived
bad=0 n=0 seed=1
while [ $n -lt 300 ]; do
	cp marked mutant
	for i in 1 2 3 4; do
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		# most headers and tables are at the beginning and at the end
		case $((seed / 65536 % 4)) in
		0) where=$((seed / 16 % 64)) ;;
		1) where=$((64 + seed / 16 % 800)) ;;
		2) where=$((size - 1 - seed / 16 % 2400)) ;;
		*) where=$((seed / 16 % size)) ;;
		esac
		printf "\\$(printf %o $((seed / 1048576 % 256)))" |
			dd of=mutant bs=1 seek=$where conv=notrunc 2>/dev/null
	done
	for event in 'uprobe:./mutant:*' 'usdt:./mutant:*'; do
		list "$event"
		survived || bad=1
	done
	n=$((n + 1))
done
result $bad mutants_are_survived

# files whose reader may use too much memory or time
limited() {
	(
		ulimit -v $limit
		"$@"
		exit $code
	)
	code=$?
}
limit=1000000
# sanitizers need more address space
! grep -q __asan_init "$ktap" || limit=unlimited
case $(uname -m) in
x86_64)
	"$cc" -O2 -o hostile "$here/hostile.c" || exit 1
	for kind in names endless tables notes wide mangled; do
		./hostile $kind >big
		limited list "uprobe:./big:fin*"
		lists "a_hostile_file_of_$kind" 'uprobe:./big:fine\n'
	done
	# one file with many names, then many files, one after the other
	if [ $limit != unlimited ]; then
		./hostile names >big
		steps='' names=''
		for i in $(seq 60); do
			ln big big.$i
			steps="${steps}out $(mark "$dir/big.$i" '' 1000)\n"
			names="${names}fine+0x0 (big.$i)\n"
		done
		limit=300000
		limited play "${steps}exit 0\n" -q -e 'x = ustack'
		output names_of_one_file_share_its_symbols "$names"
		rm -f big.*
		limit=1000000 steps='' names=''
		for i in $(seq 30); do
			steps="${steps}system cp big big.$i\nout $(mark "$dir/big.$i" '' 1000)\nsystem rm big.$i\n"
			names="${names}fine+0x0 (big.$i)\n"
		done
		limited play "${steps}system cp big big.1\nout $(mark "$dir/big.1" '' 1000)\nexit 0\n" --unsafe -q -e 'x = ustack'
		output symbols_of_many_files_are_dropped "${names}fine+0x0 (big.1)\n"
		rm -f big.*
	else
		skip names_of_one_file_share_its_symbols "memory is not limited"
		skip symbols_of_many_files_are_dropped "memory is not limited"
	fi
	./hostile names >big
	marks='' names=''
	for i in 1 2 3 4 5 6 7 8; do
		cp big big.$i
		marks="$marks $(mark "$dir/big.$i" '' 1000)"
		names="$names fine+0x0 (big.$i)"
	done
	play "out$marks\npause\nsignal 15\nstop\nremove $dir/big.8\nexit 0\n" -q -e 'x = ustack'
	names=${names% fine*}
	output signals_are_heard_while_symbols_are_read "${names# } $dir/big.8+0x1000\n"
	rm -f big.*
	./hostile notes >big
	limited play 'exit 0\n' -q -e 'trace usdt:./big:nothing { x = 1 }'
	grep -q "has.no.marker\|has\\\\040no" setup
	result $? hostile_markers_are_survived
	./hostile wide >big
	limited play 'exit 0\n' -q -e 'trace usdt:./big:* { x = 1 }'
	grep -q '^at .* p:fine ' setup && ! grep -q xxxx setup
	result $? a_marker_whose_name_fits_no_line_is_none
	./hostile sparse >big
	limited list "uprobe:./big:fin*"
	[ "$code" = 1 ] && grep -q 'has no symbols' err
	result $? sections_that_no_program_has_are_not_read
	./hostile sections >big
	limited list "uprobe:./big:fin*"
	[ "$code" = 1 ] && grep -q 'is not an ELF file' err
	result $? a_file_of_too_many_sections_is_none
	rm -f big
	;;
*)
	skip hostile_files "written for x86"
	;;
esac

finish
