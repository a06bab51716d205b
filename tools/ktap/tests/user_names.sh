#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test the names by which the runner replaces the marks of the kernel in the output.
#
#	tests/user_names.sh KTAP FAKESESSION [CC]

. "$(dirname "$0")/user_lib.sh"

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
id=$(id_of marked)
"$cc" -O2 -no-pie -o fixed "$sources/marked.c" || exit 1
cp marked 'has blank'
a=$(at alpha) b=$(at alphabet)
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
play "out \\0362\\037$(mark $marked "$id" $(hex $a 3)) \\0361\\037$(mark $marked "$id" $(hex $a 3)) \\0369\\037\nexit 0\n" \
	-q --bt -e 'BEGIN { print(ustack(perf)); print(ustack); }'
output a_stack_of_bpftrace_has_a_format_of_its_own \
	"$(hex $a 3) alpha+3 ($marked) alpha+3 $(printf '\0369\037')\n"
play "out \\0362\\037$(mark $marked "$id" $(hex $a 3))\nexit 0\n" -q --bt -e 'BEGIN { print(ustack); }'
output only_if_the_script_has_several_formats "$(printf '\0362\037')alpha+3\n"
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
output a_mark_after_what_is_none '\036xalpha+0x0 (marked)\n'
play "bulk 65530\nout $(mark $marked "$id" $(hex $a))\nbulk 70000\nout $(mark $marked "$id" $(hex $b))\nexit 0\n" -q -e 'x = ustack'
[ "$(tr -d x <out)" = "$(printf 'alpha+0$ (marked)\nalphabet+0$ (marked)\n' | sed 's/0\$/00/; s/x//' )" ]
result $? marks_among_much_output

# code that programs generate at run time
pid=$gone
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
output a_map_goes_on_after_a_byte_of_zero "third+0x10 (perf-$pid.map)\n0x2010\n"
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

finish
