#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests of the compiler: listings, error texts, the command line, damaged input.
# Usage: run.sh KTAPC [--update]; --update replaces the expected files by the output.

ktapc=$1
update=$2
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")" || exit 1
quiet=yes

# compare NAME FILE STATUS: the output is that of FILE, and $status is STATUS
compare() {
	if [ "$status" != "$3" ]; then
		echo "exit status $status instead of $3"
		result 1 "$1"
		return
	fi
	[ "$update" = --update ] && cp "$dir/out" "$2"
	diff -u "$2" "$dir/out"
	result $? "$1"
}

# ends_with STATUS COMMAND...: does the command end with this exit status?
ends_with() {
	want=$1
	shift
	"$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	[ $status = "$want" ]
}

for kp in golden/*.kp; do
	"$ktapc" -d -w "$kp" >"$dir/out" 2>&1
	status=$?
	compare "$kp" "${kp%.kp}.list" 0
done
for kp in errors/*.kp; do
	"$ktapc" -d --werror "$kp" >"$dir/out" 2>&1
	status=$?
	compare "$kp" "${kp%.kp}.err" 2
done

# scripts of bpftrace: the text in ktap's language, which compiles, and so does the script
for bt in bpftrace/*.bt; do
	"$ktapc" --to-ktap "$bt" >"$dir/out" 2>&1
	status=$?
	compare "$bt" "${bt%.bt}.kp" 0
	ends_with 0 "$ktapc" --werror "$bt" -o "$dir/bt.ktap" && [ ! -s "$dir/err" ] && [ -s "$dir/bt.ktap" ]
	result $? "$bt compiles"
	ends_with 0 "$ktapc" --fmt "${bt%.bt}.kp" && cmp -s "$dir/out" "${bt%.bt}.kp"
	result $? "$bt has the layout of --fmt"
done
for bt in bpftrace/errors/*.bt; do
	"$ktapc" -d --werror "$bt" >"$dir/out" 2>&1
	status=$?
	compare "$bt" "${bt%.bt}.err" 2
done
one_liner='tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }'
ends_with 0 "$ktapc" --bt -d -e "$one_liner" && grep -q '<command line>:1: tracepoint:raw_syscalls' "$dir/out"
result $? bpftrace_from_the_command_line_keeps_its_text
echo "$one_liner" >"$dir/plain"
ends_with 0 "$ktapc" --bt --to-ktap -o "$dir/plain.kp" "$dir/plain" &&
	ends_with 0 "$ktapc" -d "$dir/plain.kp" && grep -q 'map\[comm\] += 1' "$dir/plain.kp"
result $? bpftrace_is_written_to_a_file
mkfifo "$dir/fifo.bt"
printf 'import "fifo.bt";\nBEGIN { print(1); }\n' >"$dir/imports_fifo.bt"
ends_with 2 timeout 20 "$ktapc" -d "$dir/imports_fifo.bt" && grep -q 'no regular file' "$dir/err"
result $? bpftrace_imports_regular_files_only
ends_with 2 "$ktapc" --to-ktap golden/tables.kp && grep -q 'scripts of bpftrace' "$dir/err"
result $? only_bpftrace_is_translated
ends_with 2 "$ktapc" --fmt bpftrace/maps.bt && grep -q 'see --to-ktap' "$dir/err"
result $? bpftrace_has_no_layout

for kp in ../scripts/*.kp ../scripts/tests/*.kp; do
	"$ktapc" --werror "$kp" -o "$dir/tool.ktap"
	result $? "$kp"
done

ends_with 0 "$ktapc" -e 'print(1)' -o "$dir/a.ktap"
result $? option_e_writes_output
ends_with 0 "$ktapc" -d "$dir/a.ktap" && grep -q 'CALLB   r0, print/1' "$dir/out"
result $? chunk_is_disassembled
cp golden/tables.kp "$dir/t.kp"
ends_with 0 "$ktapc" "$dir/t.kp" && [ -s "$dir/t.ktap" ]
result $? default_output_name
"$ktapc" -d -w golden/tables.kp >"$dir/1" && "$ktapc" -w golden/tables.kp -o "$dir/b.ktap" &&
	"$ktapc" -d "$dir/b.ktap" | cmp -s - "$dir/1"
result $? script_and_chunk_list_alike
ends_with 2 "$ktapc" -e 'x = ' -o "$dir/none.ktap" && [ ! -e "$dir/none.ktap" ]
result $? errors_leave_no_output
ends_with 2 "$ktapc" "$dir/nosuch.kp"
result $? missing_input_is_reported
ends_with 2 "$ktapc" -e 'x = 1' -o "$dir/no/such/dir" && [ -s "$dir/err" ]
result $? unwritable_output_is_reported
ends_with 2 "$ktapc"
result $? usage_without_arguments
ends_with 2 "$ktapc" "$dir/a.ktap"
result $? chunk_is_not_compiled_again
ends_with 0 "$ktapc" -h
result $? help_option
ends_with 0 "$ktapc" -V
result $? version_option
ends_with 0 "$ktapc" -d -e 'print(unassigned)' && grep -q 'warning: .unassigned' "$dir/err"
result $? unassigned_name_is_a_warning
ends_with 2 "$ktapc" -d -Werror -e 'print(unassigned)' && grep -q 'error: .unassigned' "$dir/err"
result $? werror_makes_it_an_error
for hidden in 'x = strlen(1/0)' 'exit() calls(3)' 'a, b = 1, 2, unassigned'; do
	ends_with 2 "$ktapc" -d -e "$hidden" && grep -q ': error: ' "$dir/err" &&
		! grep -q ': warning: ' "$dir/err"
	result $? "warning_hides_no_error: $hidden"
done
ends_with 0 "$ktapc" -d -w -e 'print(unassigned)' && [ ! -s "$dir/err" ]
result $? no_warnings_option
ends_with 2 "$ktapc" -d -w -e 'pirnt(1) print(arg11)' &&
	[ "$(grep note: "$dir/err")" = "note: did you mean 'print'?" ]
result $? note_of_a_warning_that_is_not_shown_is_not_either
echo 'print("in")' | "$ktapc" -d - >"$dir/out" 2>&1 && grep -q '<stdin>:1' "$dir/out"
result $? script_from_standard_input
# Lines that end in carriage return and newline
printf 'x = "a\\\r\nb" print(x, [[\r\nc]])\r\n# a comment\r\ny = )\r\n' >"$dir/crlf.kp"
ends_with 2 "$ktapc" -d "$dir/crlf.kp" && [ "$(cat "$dir/err")" = "$dir/crlf.kp:5:5: error: expected an expression, found ')'
 y = )
     ^" ]
result $? lines_may_end_in_carriage_returns
sed 's/^y.*//' "$dir/crlf.kp" >"$dir/good.kp"
ends_with 0 "$ktapc" -d "$dir/good.kp" && grep -q '"ab"' "$dir/out" && grep -q '"c"' "$dir/out"
result $? a_string_goes_on_after_a_carriage_return
for byte in 000 015; do
	printf 'x = "\\x\'$byte'"\n' >"$dir/byte.kp"
	ends_with 2 "$ktapc" -d "$dir/byte.kp" && grep -q "1:6: error: '.x' needs one or two" "$dir/err"
	result $? "an_escape_has_digits_before_$byte"
done
printf '\357\273\277#!/usr/bin/ktap\nprint(1) y = )\n' >"$dir/bom.kp"
ends_with 2 "$ktapc" -d "$dir/bom.kp" && [ "$(cat "$dir/err")" = "$dir/bom.kp:2:14: error: expected an expression, found ')'
 print(1) y = )
              ^" ]
result $? a_mark_of_utf_8_is_skipped
printf '\357\273\277print(1) y = )\n' >"$dir/bom.kp"
"$ktapc" -d - <"$dir/bom.kp" 2>"$dir/err"
grep -q '^<stdin>:1:14: error:' "$dir/err"
result $? a_mark_of_utf_8_takes_no_column
for order in '\376\377\000p\000r big' '\377\376p\000r\000 little'; do
	printf "${order% *}" >"$dir/utf16.kp"
	printf 'i\000n\000t\000(\000)\000\n\000)\000\n\000' >>"$dir/utf16.kp"
	ends_with 2 "$ktapc" -d "$dir/utf16.kp" && [ "$(cat "$dir/err")" = "$dir/utf16.kp: error: \
this is a text in UTF-16; save it as UTF-8, or try: iconv -f UTF-16 -t UTF-8" ]
	result $? "utf_16_of_${order#* }_endian_is_told"
done
awk 'BEGIN { printf "x = \""; for (i = 0; i < 100; i++) printf "\303\244"; print "\" y = )" }' >"$dir/wide.kp"
shown=$(awk 'BEGIN { for (i = 0; i < 37; i++) printf "\303\244" }')
ends_with 2 "$ktapc" -d "$dir/wide.kp" && [ "$(cat "$dir/err")" = "$dir/wide.kp:1:212: error: expected an expression, found ')'
 ...$shown\" y = )
$(printf '%47s' '')^" ]
result $? a_part_of_a_long_line_is_shown
ends_with 2 "$ktapc" -d /bin/sh && [ "$(cat "$dir/err")" = "/bin/sh: error: this is a program, not a script" ]
result $? a_program_is_no_script
ends_with 0 "$ktapc" -d -e '# nothing' && grep -q RET "$dir/out"
result $? script_without_statements_compiles
ends_with 2 "$ktapc" -d -e ' ' && [ "$(cat "$dir/err")" = 'ktapc: the script of -e is empty' ]
result $? empty_script_is_an_error
ends_with 0 "$ktapc" -d -I "$dir/nosuch" -I "$dir" -e 'x = 1' &&
	[ "$(cat "$dir/err")" = "ktapc: warning: -I '$dir/nosuch': there is no such folder" ]
result $? missing_folder_to_include_from_is_a_warning
ends_with 0 "$ktapc" -d -w -I "$dir/nosuch" -e 'x = 1' && [ ! -s "$dir/err" ]
result $? which_w_leaves_out
# C types: those that the kernel would refuse have an error with a position
members() { echo 'cdef [[ struct n {'; seq -f 'int m%.0f;' "$1"; echo '}; ]] print(sizeof("struct n"))'; }
members 4097 >"$dir/many.kp"
ends_with 2 "$ktapc" -d "$dir/many.kp" &&
	grep -q 'many.kp:4098:5: error: struct n has more than 4096 members$' "$dir/err"
result $? members_of_a_type_are_limited
members 4096 >"$dir/most.kp"
ends_with 0 "$ktapc" -d "$dir/most.kp"
result $? and_as_many_are_allowed
ends_with 2 "$ktapc" -d -e "print(sizeof(\"$(printf 'u8%126s' '')\"))" &&
	grep -q '1:14: error: the name of a type has at most 127 bytes$' "$dir/err"
result $? the_name_of_a_type_is_limited
ends_with 0 "$ktapc" -d -e "print(sizeof(\"$(printf 'u8%125s' '')\"))"
result $? and_a_shorter_one_is_allowed

# The chunk never overwrites the script, and is written into existing files and links.
replaces() {
	grep -q "$1: the chunk would replace the script" "$dir/err" && [ "$(cat "$1")" = 'x = 1' ]
}
echo 'x = 1' >"$dir/named.ktap"
ends_with 2 "$ktapc" "$dir/named.ktap" && replaces "$dir/named.ktap"
result $? script_named_as_its_chunk_is_kept
ends_with 2 "$ktapc" -o "$dir/named.ktap" "$dir/named.ktap" && replaces "$dir/named.ktap"
result $? output_onto_the_script_is_refused
ln "$dir/named.ktap" "$dir/second.kp"
ends_with 2 "$ktapc" -o "$dir/second.kp" "$dir/named.ktap" && replaces "$dir/second.kp"
result $? output_onto_another_name_of_the_script_is_refused
"$ktapc" -o "$dir/named.ktap" - <"$dir/named.ktap" 2>"$dir/err"
[ $? = 2 ] && replaces "$dir/named.ktap"
result $? output_onto_the_script_of_standard_input_is_refused
echo 'include "named.ktap"' >"$dir/outer.kp"
ends_with 2 "$ktapc" -o "$dir/named.ktap" "$dir/outer.kp" && replaces "$dir/named.ktap"
result $? output_onto_what_is_included_is_refused
echo 'x=1' >"$dir/loose.kp"
ends_with 0 "$ktapc" --fmt -o "$dir/loose.kp" "$dir/loose.kp" && [ "$(cat "$dir/loose.kp")" = 'x = 1' ]
result $? layout_may_replace_the_script
is_chunk() {
	"$ktapc" -d "$1" >/dev/null 2>&1 && [ "$(head -c 1 "$1")" != x ]
}
echo old >"$dir/target" && chmod 640 "$dir/target" && ln -s target "$dir/link"
ends_with 0 "$ktapc" -e 'x = 1' -o "$dir/link" && [ -L "$dir/link" ] && is_chunk "$dir/target" &&
	[ "$(stat -c %a "$dir/target")" = 640 ]
result $? output_goes_where_a_link_leads
ln -s new "$dir/dangling"
ends_with 0 "$ktapc" -e 'x = 1' -o "$dir/dangling" && [ -L "$dir/dangling" ] && is_chunk "$dir/new"
result $? output_makes_what_a_link_leads_to
echo 'x=1' >"$dir/target"
ends_with 0 "$ktapc" --fmt -o "$dir/link" "$dir/link" && [ -L "$dir/link" ] &&
	[ "$(cat "$dir/target")" = 'x = 1' ]
result $? layout_keeps_a_link
echo old >"$dir/one" && ln "$dir/one" "$dir/two"
ends_with 0 "$ktapc" -e 'x = 1' -o "$dir/one" && cmp -s "$dir/one" "$dir/two"
result $? output_keeps_all_names_of_a_file
if chown 12345:54321 "$dir/target" 2>/dev/null; then
	ends_with 0 "$ktapc" -e 'x = 1' -o "$dir/target" && is_chunk "$dir/target" &&
		[ "$(stat -c %u:%g:%a "$dir/target")" = 12345:54321:640 ]
	result $? output_keeps_owner_and_mode
fi
long=$(printf '%0250d' 0)
ends_with 0 "$ktapc" -e 'x = 1' -o "$dir/$long" && is_chunk "$dir/$long" &&
	ends_with 0 "$ktapc" -e 'y = 1' -o "$dir/$long" && "$ktapc" -d "$dir/$long" | grep -q y
result $? output_may_have_a_long_name
mkdir "$dir/locked" && echo old >"$dir/locked/a" && chmod 666 "$dir/locked/a" && chmod 555 "$dir/locked"
if [ "$(id -u)" != 0 ]; then
	ends_with 0 "$ktapc" -e 'x = 1' -o "$dir/locked/a" && is_chunk "$dir/locked/a"
	result $? output_in_a_folder_that_takes_no_other
elif setpriv --reuid 12345 --clear-groups true 2>/dev/null; then
	chmod 755 "$dir" && cp "$ktapc" "$dir/ktapc"
	ends_with 0 setpriv --reuid 12345 --clear-groups "$dir/ktapc" -e 'x = 1' -o "$dir/locked/a" &&
		is_chunk "$dir/locked/a"
	result $? output_in_a_folder_that_takes_no_other
fi
chmod 755 "$dir/locked"
# Arguments of these "sh -c": the compiler, and a folder to mount in
# shellcheck disable=SC2016 # variables of the inner shell
crowded='mount -t tmpfs -o size=16k none "$2" && cd "$2" &&
	awk "BEGIN { while (i < 240) print \"if(1){x=\" i++ \";y=2}\" }" >s.kp && ln s.kp second &&
	{ cat /dev/zero >fill 2>/dev/null || : ; } && cp s.kp "$3/s.kp" &&
	! "$1" --fmt -o s.kp s.kp && cmp s.kp "$3/s.kp" &&
	rm fill && "$1" --fmt -o s.kp s.kp && "$1" --fmt "$3/s.kp" | cmp - second'
# shellcheck disable=SC2016
bound='cd "$3" && echo "x=1" >real && touch seen && mount --bind real seen &&
	"$1" --fmt -o seen seen && [ "$(cat real)" = "x = 1" ] && ! ls seen.* 2>/dev/null'
mkdir "$dir/mnt"
if unshare -rm mount -t tmpfs none "$dir/mnt" 2>/dev/null; then
	ends_with 0 unshare -rm sh -c "$crowded" - "$ktapc" "$dir/mnt" "$dir" &&
		grep -q 'No space left' "$dir/err"
	result $? what_finds_no_room_in_place_leaves_the_old_text
	ends_with 0 unshare -rm sh -c "$bound" - "$ktapc" "$dir/mnt" "$dir"
	result $? output_goes_into_a_mounted_file
fi
ln -s /dev/stdout "$dir/stdout"
{ "$ktapc" -e 'x = 1' -o "$dir/stdout" && echo after; } >"$dir/out" 2>"$dir/err" &&
	[ -L "$dir/stdout" ] && tail -n 1 "$dir/out" | grep -q 'after$' && is_chunk "$dir/out"
result $? standard_output_by_a_name_is_written_on

# Options that exclude each other
excludes() {
	ends_with 2 "$ktapc" "$@" -e 'x = 1' && [ ! -e "$dir/not" ] &&
		grep -q 'exclude each other' "$dir/err"
	result $? "options_$*_exclude_each_other"
}
excludes -d -o "$dir/not"
excludes -d --fmt
excludes -d --ast
excludes --fmt --ast
excludes --ast -o "$dir/not"
excludes --bt --fmt
excludes --bt --to-ktap --ast
excludes -w -Werror
excludes -w --werror
ends_with 2 "$ktapc" -d -e 'x = 1' -e 'y = 1' && grep -q -e '-e is given twice' "$dir/err"
result $? two_scripts_are_refused
ends_with 2 "$ktapc" -o "$dir/not" -o "$dir/not" -e 'x = 1' && grep -q -e '-o is given twice' "$dir/err"
result $? two_outputs_are_refused
ends_with 2 "$ktapc" -d -e 'x = 1' t.kp && grep -q "only one script .* 't.kp' is another" "$dir/err"
result $? script_and_file_are_refused

# Full disks and closed streams
for how in -h -V '-d golden/tables.kp' '--fmt golden/tables.kp' '--ast golden/tables.kp' \
	'-o /dev/stdout golden/tables.kp'; do
	# shellcheck disable=SC2086 # words
	"$ktapc" -w $how >/dev/full 2>"$dir/err"
	[ $? = 2 ] && grep -q 'No space left' "$dir/err"
	result $? "full_disk_is_reported_by_$how"
done
"$ktapc" -e 'x = ' -o "$dir/not" <&- >&- 2>&-
[ $? = 2 ] && [ ! -e "$dir/not" ] && "$ktapc" -e 'print(unknown)' -o "$dir/b.ktap" <&- >&- 2>&- &&
	! grep -q warning "$dir/b.ktap" && is_chunk "$dir/b.ktap"
result $? closed_streams_are_no_files
bad=0
for how in -h -V '-d golden/tables.kp' '--fmt golden/tables.kp'; do
	# shellcheck disable=SC2086 # words
	"$ktapc" -w $how >&- 2>"$dir/err"
	[ $? = 2 ] && grep -q 'cannot write to standard output' "$dir/err" || bad=1
done
result $bad a_closed_output_is_reported

# Included files: in the folder of the script, in the folders of -I, in the library
mkdir "$dir/lib" "$dir/more"
echo 'print("lib")' >"$dir/lib/a.kp"
echo 'print("more")' >"$dir/more/b.kp"
echo 'include "a.kp" include "b.kp"' >"$dir/inc.kp"
KTAP_LIBRARY=$dir/lib "$ktapc" -d -I "$dir/more" "$dir/inc.kp" >"$dir/out" 2>&1 &&
	grep -q "; $dir/lib/a.kp:1: print" "$dir/out" && grep -q "; $dir/more/b.kp:1" "$dir/out"
result $? include_searches_folders_and_library
echo 'print("beside")' >"$dir/a.kp"
KTAP_LIBRARY=$dir/lib "$ktapc" -d -I "$dir/more" "$dir/inc.kp" >"$dir/out" 2>&1 &&
	grep -q "; $dir/a.kp:1: print" "$dir/out" && ! grep -q "lib/a.kp" "$dir/out"
result $? include_prefers_what_is_beside_the_script
(cd "$dir/lib" && ends_with 0 "$ktapc" -d -e 'include "a.kp"' && grep -q '; a.kp:1: print' "$dir/out")
result $? include_from_the_command_line_is_relative_to_the_folder
ends_with 2 env KTAP_LIBRARY="$dir/lib" "$ktapc" -d -I "$dir/more" -e 'include "none.kp"' &&
	grep -q "cannot include 'none.kp': No such file" "$dir/err" &&
	grep -q "searched in ., $dir/more, $dir/lib, /" "$dir/err"
result $? include_says_where_it_searched
ends_with 2 "$ktapc" -d -e "include '/none.kp'" &&
	grep -q "cannot include '/none.kp': No such file" "$dir/err" &&
	! grep -q searched "$dir/err"
result $? include_of_an_absolute_path_does_not_search
mkdir "$dir/folder.kp"
(cd "$dir" && ends_with 2 "$ktapc" -d -e 'include "folder.kp"') &&
	grep -q "cannot include 'folder.kp': Is a directory" "$dir/err"
result $? include_of_a_folder_is_an_error
(cd "$dir" && ends_with 2 "$ktapc" -d -e 'include "b.ktap"') &&
	grep -q "'b.ktap' is a compiled chunk" "$dir/err"
result $? include_of_a_chunk_is_an_error
echo 'include "self.kp" print(1)' >"$dir/self.kp"
ln -s self.kp "$dir/alias.kp"
ends_with 0 "$ktapc" -d "$dir/alias.kp" && [ "$(grep -c print/1 "$dir/out")" = 1 ]
result $? include_of_itself_is_ignored
mkdir "$dir/dash"
(cd "$dir/dash" && echo 'print("stdin")' | "$ktapc" -d -e 'include "-"' 2>"$dir/err")
[ $? = 2 ] && grep -q "cannot include '-': No such file" "$dir/err"
result $? include_does_not_read_standard_input
echo 'print("dash")' >"$dir/dash/-"
(cd "$dir/dash" && ends_with 0 "$ktapc" -d -e 'include "-"') && grep -q '; ./-:1: print' "$dir/out"
result $? include_of_a_file_named_as_standard_input
n=1
while [ $n -lt 65 ]; do
	echo "include \"f$((n + 1)).kp\" print($n)" >"$dir/f$n.kp"
	n=$((n + 1))
done
echo 'print(65)' >"$dir/f65.kp"
ends_with 2 "$ktapc" -d "$dir/f1.kp" && grep -q 'f64.kp:1:9: error: a script has at most 64 files' "$dir/err"
result $? more_than_64_files_are_refused
ends_with 0 "$ktapc" -d "$dir/f2.kp" && grep -q "; $dir/f65.kp:1" "$dir/out"
result $? there_may_be_64_files
# functions that are written in ktap are in one more
echo 'print(strerror(2))' >>"$dir/f65.kp"
ends_with 2 "$ktapc" -d "$dir/f2.kp" &&
	grep -q 'f65.kp:2:7: error: a script that calls strerror() has at most 63 files: ktap adds one' "$dir/err"
result $? functions_written_in_ktap_are_a_file

# Large scripts: they work, or the message has the position where the limit was exceeded.
fails_with() {
	ends_with 2 "$ktapc" -d "$dir/big.kp" && grep -q "big.kp:$1: error: $2" "$dir/err"
}
awk 'BEGIN { for (i = 0; i < 10000; i++) print "a" i % 1000 " = a" (i + 7) % 1000 " + " i }' >"$dir/big.kp"
ends_with 0 "$ktapc" -d "$dir/big.kp"
result $? ten_thousand_lines_compile
awk 'BEGIN { for (i = 0; i < 40000; i++) print "x = " i }' >"$dir/big.kp"
fails_with 32769:5 'the script is too large: more than 65536 instructions'
result $? too_many_instructions
awk 'BEGIN { for (i = 0; i < 5000; i++) print "g" i " = 1" }' >"$dir/big.kp"
fails_with 4097:1 'the script is too large: more than 4096 globals'
result $? too_many_globals
awk 'BEGIN { for (i = 0; i < 5000; i++) print "function f" i "() { }" }' >"$dir/big.kp"
fails_with 4096:10 'the script is too large: more than 4096 functions'
result $? too_many_functions
awk 'BEGIN { for (i = 0; i < 2000; i++) print "trace a:b" i " f" ; print "function f() { }" }' >"$dir/big.kp"
fails_with 1025:7 'the script is too large: more than 1024 probes'
result $? too_many_probes
awk 'BEGIN { print "trace a:b {"; for (i = 0; i < 2000; i++) print "x = args.f" i; print "}" }' >"$dir/big.kp"
fails_with 1026:3 'the script is too large: more than 1024 event fields'
result $? too_many_event_fields
awk 'BEGIN { for (i = 0; i < 100000; i++) print "x = getopt(\"o" i "\", " i ", \"h\")" }' >"$dir/big.kp"
ends_with 2 timeout 120 "$ktapc" -d "$dir/big.kp" &&
	grep -q 'big.kp:65:12: error: the script is too large: more than 64 options' "$dir/err"
result $? too_many_options
awk 'BEGIN { for (i = 0; i < 4100; i++) print "try { print(1) } catch { }" }' >"$dir/big.kp"
fails_with 4097:1 'the script is too large: more than 4096 try statements'
result $? too_many_try_statements
awk 'BEGIN { for (i = 0; i < 66000; i++) printf "%sprint(\"s%d\")\n", i % 16 ? "" : "", i }' >"$dir/big.kp"
fails_with '[0-9]*:[0-9]*' 'the script is too large: more than 65536'
result $? too_many_strings
awk 'BEGIN { for (i = 0; i < 1500; i++) printf "print(\"%04096d\")\n", i }' >"$dir/big.kp"
fails_with 1:1 'the script is too large: its chunk would have .* bytes, at most 4194304'
result $? too_large_a_chunk
awk 'BEGIN { printf "x = \""; for (i = 0; i < 1048576; i++) printf "a"; print "\"" }' >"$dir/big.kp"
fails_with 1:5 'a string has at most 4096 bytes'
result $? a_string_of_a_megabyte
awk 'BEGIN { printf "x = [["; for (i = 0; i < 20000; i++) print "line"; print "]] y = )" }' >"$dir/big.kp"
fails_with 20001:8 'expected an expression'
result $? a_raw_string_of_many_lines
awk 'BEGIN { printf "x = "; for (i = 0; i < 30; i++) printf "{a = "; printf "1";
	for (i = 0; i < 30; i++) printf ", 2}"; print "" }' >"$dir/big.kp"
ends_with 0 "$ktapc" -d "$dir/big.kp"
result $? tables_thirty_deep
awk 'BEGIN { printf "x = "; for (i = 0; i < 500; i++) printf "{"; print "" }' >"$dir/big.kp"
fails_with '1:[0-9]*' 'nested too deeply: at most 200 levels'
result $? tables_too_deep
awk 'BEGIN { print "function f() {"; for (i = 0; i < 200; i++) print "var v" i " = " i;
	for (i = 0; i < 200; i++) print "print(v" i ")"; print "}" }' >"$dir/big.kp"
ends_with 0 "$ktapc" -d "$dir/big.kp" && [ ! -s "$dir/err" ]
result $? two_hundred_locals
awk 'BEGIN { print "function f() {"; for (i = 0; i < 300; i++) print "var _v" i " = " i; print "}" }' >"$dir/big.kp"
fails_with 252:5 "too many locals: 'f' needs more than 250 registers"
result $? too_many_locals
awk 'BEGIN { print "function f() {"; for (i = 0; i < 300; i++) print "{ var v" i " = " i " print(v" i ") }"; print "}" }' >"$dir/big.kp"
ends_with 0 "$ktapc" -d "$dir/big.kp" && grep -q '(0 params, 2 registers)' "$dir/out"
result $? locals_of_dead_blocks_give_their_registers_back
awk 'BEGIN { printf "f = print(1)\nx = "; for (i = 0; i < 190; i++) printf "t[1] + ("; printf "1";
	for (i = 0; i < 190; i++) printf ")"; print " t[1] = 1" }' >"$dir/big.kp"
ends_with 0 "$ktapc" -d "$dir/big.kp"
result $? nearly_two_hundred_temporaries
awk 'BEGIN { print "t[1] = 1"; printf "x = "; for (i = 0; i < 150; i++) printf "f(t[1], t[1], "; printf "1";
	for (i = 0; i < 150; i++) printf ")"; print " function f(a, b, c) { return a + b + c }" }' >"$dir/big.kp"
fails_with 2:3 "'main' needs more than 250 registers: too many locals, or too large an expression"
result $? too_many_temporaries
awk 'BEGIN { for (i = 0; i < 300; i++) printf "%sx", i ? ", " : ""; print " = 1" }' >"$dir/big.kp"
fails_with 1:751 'an assignment has at most 250 variables'
result $? too_many_variables_in_an_assignment
awk 'BEGIN { for (i = 0; i < 10000; i++) print "print(unknown" i ")" }' >"$dir/big.kp"
ends_with 0 "$ktapc" -d "$dir/big.kp" &&
	[ "$(grep -c "is read but never assigned" "$dir/err")" = 50 ] &&
	grep -q 'big.kp: too many warnings, 9950 are not shown' "$dir/err"
result $? warnings_are_capped

awk 'BEGIN { for (i = 0; i < 400000; i++) print "x = 1" }' >"$dir/big.kp"
fails_with '[0-9]*:[0-9]*' 'the script is too large: more than 1048576 names, constants and signs'
result $? too_many_tokens
# at the limit, the first token of what the compiler adds is one more
awk 'BEGIN { print "errno_name(-2)"; for (i = 0; i < 262142; i++) print "x=1;" }' >"$dir/big.kp"
ends_with 2 "$ktapc" -d "$dir/big.kp" && grep -q 'error: the script is too large: more than 1048576 names' "$dir/err"
result $? too_many_tokens_of_what_is_added
echo 'include "big.kp" x = )' >"$dir/small.kp"
ends_with 2 "$ktapc" -d "$dir/small.kp" && grep -q 'big.kp:.*: error: the script is too large' "$dir/err" &&
	[ "$(grep -c error: "$dir/err")" = 1 ]
result $? too_many_tokens_of_what_is_included
awk 'BEGIN { print "x = = {"; for (i = 0; i < 400000; i++) print "(1 +" }' >"$dir/big.kp"
fails_with '[0-9]*:[0-9]*' 'the script is too large'
result $? too_many_tokens_after_an_error
awk 'BEGIN { for (i = 0; i < 1048576; i++) print "# none" i % 10 }' >"$dir/big.kp"
ends_with 0 "$ktapc" -d "$dir/big.kp" && [ ! -s "$dir/err" ]
result $? eight_megabytes_are_read
echo >>"$dir/big.kp"
ends_with 2 "$ktapc" -d "$dir/big.kp" && grep -q 'it has more than 8 MiB' "$dir/err"
result $? more_are_not
echo 'include "big.kp"' >"$dir/small.kp"
ends_with 2 "$ktapc" -d "$dir/small.kp" && grep -q "small.kp:1:9: error: cannot include '.*': it has more than 8 MiB" "$dir/err"
result $? more_are_not_included

# Damaged chunks give an error message or a listing, never a crash.
size=$(wc -c <"$dir/b.ktap")
bad=0
n=0
while [ $n -lt "$size" ]; do
	head -c $n "$dir/b.ktap" >"$dir/cut.ktap"
	ends_with 2 "$ktapc" -d "$dir/cut.ktap" || [ $status = 0 ] || bad=1
	head -c $n "$dir/b.ktap" >"$dir/hole.ktap"
	printf '\377\376' >>"$dir/hole.ktap"
	tail -c +$((n + 3)) "$dir/b.ktap" >>"$dir/hole.ktap"
	ends_with 2 "$ktapc" -d "$dir/hole.ktap" || [ $status = 0 ] || bad=1
	n=$((n + 37))
done
result $bad damaged_chunks_are_survived

# Scripts that were cut at any byte
bad=0
for kp in golden/*.kp; do
	size=$(wc -c <"$kp")
	n=1
	while [ $n -lt "$size" ]; do
		head -c $n "$kp" >"$dir/cut.kp"
		ends_with 2 "$ktapc" -d "$dir/cut.kp" || [ $status = 0 ] || bad=1
		n=$((n + 41))
	done
done
result $bad truncated_scripts_are_survived

finish
