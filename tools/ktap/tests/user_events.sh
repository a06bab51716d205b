#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test events of programs: the places that the runner sends to the kernel for functions,
# patterns and markers.
#
#	tests/user_events.sh KTAP FAKESESSION [CC]

. "$(dirname "$0")/user_lib.sh"

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
result $? an_event_of_two_probes_is_looked_up_once
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

# a chunk that was compiled before
if [ -x "$(dirname "$ktap")/ktapc" ]; then
	"$(dirname "$ktap")/ktapc" -e "trace uprobe:$marked:alpha { x = 1 } print(x)" -o chunk
	play 'exit 0\n' -q chunk
	printf "frames\nstream\narg chunk\nuprobe uprobe:$marked:alpha $marked\nat $(at alpha) 0x0 alpha\n" | cmp -s - setup
	result $? events_of_a_chunk_are_looked_up_where_it_runs
else
	skip events_of_a_chunk_are_looked_up_where_it_runs "no ktapc"
fi

finish
