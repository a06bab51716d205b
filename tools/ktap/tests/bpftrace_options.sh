#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test the command line of bpftrace, which ktap has under that name, and -c, with a fake session.
#
#	tests/bpftrace_options.sh KTAP FAKESESSION

program=${1:?usage: bpftrace_options.sh KTAP FAKESESSION}
fake=${2:?usage: bpftrace_options.sh KTAP FAKESESSION}
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ln -s "$program" "$dir/bpftrace"
ktap=$dir/bpftrace
script='BEGIN { print(1); }'
echo "$script" >"$dir/script"

# setup NAME LINES: the set-up lines of the last run were these
setup() {
	[ "$code" = 0 ] && printf "frames\nstream\n$2" | cmp -s - "$dir/setup"
	result $? "$1"
}

# printed NAME TEXT: standard output of the last run, which had success
printed() {
	[ "$code" = 0 ] && printf "$2" | cmp -s - "$dir/out"
	result $? "$1"
}

run
expect a_script_is_needed 1 "^ERROR: USAGE: filename or -e 'program' required"
run -e
expect a_value_is_needed 1 'requires an argument'
run --nonsense
expect an_unknown_option_is_an_error 1 "unrecognized option '--nonsense'"
run -h
[ "$code" = 0 ] && grep -q '^  -c, --cmd COMMAND ' "$dir/out" && ! grep -q -e --detach "$dir/out"
result $? help_shows_the_options_of_bpftrace
run --version
[ "$code" = 0 ] && grep -q '^bpftrace v0\.[0-9]* (ktap [0-9.]*)$' "$dir/out"
result $? the_version_is_that_of_the_language
for option in --aot=x '-d ast' --fmt --emit-elf=x --emit-llvm=x --mode=bench --test --bench --dwarf-pid=1; do
	# shellcheck disable=SC2086 # an option and its value
	run $option -e "$script"
	expect "option_${option%%[= ]*}_is_refused_with_its_reason" 1 \
		"^ERROR: ${option%%[= ]*} is not supported: \|^ERROR: --debug is not supported: "
done
run -B some -e "$script"
expect a_wrong_buffer_mode_is_an_error 1 "-B must be either 'line', 'full', or 'none', not some"
run -c true -p 1 -e "$script"
expect a_command_and_a_process_exclude_each_other 1 'Cannot use both -c and -p'
run -p 1x -e "$script"
expect a_process_is_a_number 1 'ERROR: Failed to parse pid'
run -f csw -e "$script"
expect a_format_must_exist 1 'Invalid output format "csw"'
run -l a b
expect a_list_has_one_pattern 1 '-l takes one pattern or one script, not also b'
run -l -e "$script" a
expect a_list_has_a_pattern_or_a_script 1 'not also a '
run -e "$script" -c ' '
expect messages_have_the_name_of_the_program 1 '^bpftrace: error: no command in -c'
expect advice_has_the_name_of_the_program 1 "^Try 'bpftrace -h'\.$"
run --info -c true
expect a_command_cannot_be_beside_info 1 '--info takes no command'
run -e 'BEGIN { print($1); }' a sleep 1
expect a_command_is_given_by_c 1 "^bpftrace: to run and trace a command: bpftrace -c 'sleep 1' -e '\.\.\.' a$"
run -e "$script" -- --foo
expect a_script_without_options 1 'before --, and the script has none of its own: it does not call getopt()'
run -e 'BEGIN { print(getopt("aa", 1)); }' -- -q
expect a_script_with_other_options 1 '^bpftrace: options of the script: --aa'
run -e 'BEGIN { exit(2 }'
expect a_script_with_errors_has_the_code_of_bpftrace 1 '^stdin:1:16: ERROR: '
run "$dir/missing.bt"
expect a_missing_script_has_the_code_of_bpftrace 1 "^ERROR: failed to open file "

play 'exit 2\n' -q -e 'BEGIN { exit(2); }'
expect a_script_has_its_own_exit_code 2
play 'exit 0\n' -q -e "$script"
setup a_script_needs_no_option_to_be_one_of_bpftrace "arg -e\n"
# options may come after the script, as getopt has them
play 'exit 0\n' -e 'BEGIN { print($1); exit(); }' one --quiet --unsafe
setup options_may_follow_the_script 'arg -e\narg one\nunsafe\n'
play 'exit 0\n' -q -e 'BEGIN { print(($1, getopt("aa", 1), getopt("unsafe"))); exit(); }' p1 -- --aa=20 --unsafe
setup options_of_the_script_follow_the_dashes 'arg -e\narg p1\narg --aa=20\narg --unsafe\n'
play 'exit 0\n' --pid 7 --quiet "$dir/script"
setup a_process_is_traced "arg $dir/script\npid 7\n"
play 'out 1\nexit 0\n' --output "$dir/file" -q "$dir/script"
[ "$code" = 0 ] && [ "$(cat "$dir/file")" = 1 ]
result $? output_goes_to_a_file
play 'exit 0\n' --dry-run -q "$dir/script"
setup nothing_is_attached "arg $dir/script\ndry\n"

# what changes nothing
for option in -b --usdt-file-activation --no-feature=kprobe_multi --verify-llvm-ir '-B none' '-B line' '-B full'; do
	# shellcheck disable=SC2086 # an option and its value
	play 'out 1\nexit 0\n' $option -q "$dir/script"
	[ "$code" = 0 ] && [ ! -s "$dir/err" ] && [ "$(cat "$dir/out")" = 1 ]
	result $? "option_${option}_is_known"
done
for option in -k --traceable-functions=x; do
	play 'out 1\nexit 0\n' $option -q "$dir/script"
	[ "$(cat "$dir/out")" = 1 ]
	expect "option_${option%%=*}_changes_nothing_and_says_so" 0 "^WARNING: ${option%%=*} is not supported: "
done
for options in '-k --no-warnings' '--no-warnings --traceable-functions=x'; do
	# shellcheck disable=SC2086 # two options
	play 'exit 0\n' $options -q "$dir/script"
	[ "$code" = 0 ] && [ ! -s "$dir/err" ]
	result $? "no_warning_with_$options"
done

# colour of messages
export BPFTRACE_COLOR=always
run -e 'BEGIN { nothing(); }'
grep -q "$(printf '\033')" "$dir/err"
result $? colour_of_the_environment
BPFTRACE_COLOR=never
run -e 'BEGIN { nothing(); }'
[ "$code" = 1 ] && ! grep -q "$(printf '\033')" "$dir/err"
result $? no_colour_of_the_environment
BPFTRACE_COLOR=some
run -e "$script"
expect a_wrong_colour_is_an_error 1 '^ERROR: BPFTRACE_COLOR must be auto, always or never, not some'
unset BPFTRACE_COLOR

# shown MODE: what is in the output a moment after the script has printed "one"
shown() {
	: >"$dir/marker"
	: >"$dir/out"
	{
		printf 'out one\npause\nremove %s\n' "$dir/marker"
		while [ -e "$dir/marker" ]; do sleep 0.02; done
		for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s "$dir/out" ] || sleep 0.05; done
		cp "$dir/out" "$dir/early"
		printf 'exit 0\n'
	} | timeout 60 "$fake" "$dir" "$ktap" -B "$1" -q "$dir/script" >"$dir/out" 2>"$dir/err"
	cat "$dir/early"
}
[ "$(shown line)" = one ] && [ "$(shown none)" = one ]
result $? a_line_is_shown_when_it_comes
[ -z "$(shown full)" ] && [ "$(cat "$dir/out")" = one ]
result $? a_buffer_is_shown_when_it_is_full_or_at_the_end
play 'out one\nsystem echo two\nout three\nexit 0\n' -B full -q --unsafe "$dir/script"
printed a_command_of_the_script_waits_for_full_buffers 'one\ntwo\nthree\n'

# the command: not only its events, except of what belongs to a process
play 'exit 0\n' -q -c "touch $dir/a $dir/b" -e 'kprobe:f { @ = count(); }'
[ -e "$dir/a" ] && [ -e "$dir/b" ]
setup all_processes_are_traced_with_a_command "arg -e\n"
# alone, events of a process limit the session to it, without its children; beside others they do
# not (the selftest bpftrace.sh sees what they limit then)
for event in uprobe:/bin/sh:0x10 profile:hz:99 software:faults:1 hardware:cycles:1000 watchpoint:0x1000:8:w; do
	play 'exit 0\n' -q -c true -e "$event { print(cpid); exit(); } interval:s:1 { }"
	grep -q '^pid [0-9]*$' "$dir/setup" && ! grep -q follow "$dir/setup"
	result $? "${event%%:*}_is_that_of_the_command"
	play 'exit 0\n' -q -c true -e "$event { print(cpid); exit(); } kprobe:f { }"
	! grep -q '^pid ' "$dir/setup"
	expect "${event%%:*}_does_not_limit_others" 0
done
run -e 'BEGIN { print(cpid); }'
expect a_command_has_a_number 1 "^note: ktap --bt -c 'COMMAND' FILE.bt, or ktap FILE.bt -- COMMAND"
play 'exit 0\n' -q -e 'BEGIN { if (has_cpid) { print(cpid); } }'
expect a_script_may_ask_for_the_command 0 "WARNING: there is no command: 'cpid' is 0"
play 'exit 0\n' -q -c true -e 'BEGIN { if (has_cpid) { print(cpid); } }'
[ "$code" = 0 ] && [ ! -s "$dir/err" ]
result $? a_command_is_there
# an iterator is alone
play 'exit 0\n' -q -c true -e 'BEGIN { print(cpid); } iter:task { print(pid); }'
grep -q '^pid [0-9]*$' "$dir/setup" && ! grep -q follow "$dir/setup"
result $? iter_is_that_of_the_command
play 'exit 0\n' -q -c 'no_such_program_exists -x' -e "$script"
expect a_missing_program_is_an_error 1 'cannot run no_such_program_exists: '
run -c ' ' -e "$script"
expect a_command_has_a_word 1 'no command in -c'

# other files
echo 'struct foo { int a; int b; };' >"$dir/foo.h"
mkdir "$dir/folder"
echo 'struct bar { char a; };' >"$dir/folder/bar.h"
play 'exit 0\n' -q --include "$dir/foo.h" -I "$dir/folder" --include bar.h \
	-e 'BEGIN { print((sizeof(struct foo), sizeof(struct bar))); }'
expect files_are_included_first 0
# a file in this folder comes before that in a folder of -I, and none is beside the script
echo 'struct wrong { int a; };' >"$dir/folder/foo.h"
mkdir "$dir/scripts"
echo 'BEGIN { print((sizeof(struct foo), sizeof(struct bar))); }' >"$dir/scripts/script"
cp "$dir/folder/foo.h" "$dir/scripts/foo.h"
cp "$dir/folder/foo.h" "$dir/scripts/bar.h"
cd "$dir" || exit
play 'exit 0\n' -q --include foo.h -I folder --include bar.h scripts/script
expect files_are_found_as_clang_does 0
run --include folder "$dir/script"
expect a_folder_is_not_included 1 'ERROR: --include folder: Is a directory'
cd - >/dev/null || exit
# so is the script whose events are listed
echo 'import "more.bt"; BEGIN { print(sizeof(struct bar)); }' >"$dir/scripts/list"
echo 'profile:hz:3 { }' >"$dir/folder/more.bt"
run -l "$dir/scripts/list"
expect a_list_needs_imported_scripts 1 "cannot include 'more.bt'"
run -l -I "$dir/folder" "$dir/scripts/list"
printed a_list_has_folders 'profile:hz:\n'
echo 'interval:s:4 { }' >"$dir/first.bt"
run -l -I "$dir/folder" --include "$dir/first.bt" "$dir/scripts/list"
printed a_list_has_included_files 'interval:s:\nprofile:hz:\n'
echo 'BEGIN { }' >"$dir/wrong.h"
run --include "$dir/wrong.h" "$dir/script"
expect an_included_header_has_types_only 1 'wrong.h:1:1: ERROR: a header declares types only'
run $(for _ in $(seq 33); do echo --include x; done) "$dir/script"
expect there_are_few_files_to_include 1 'too many --include'
# shellcheck disable=SC2046 # words
run $(for _ in $(seq 33); do echo --debuginfo x; done) "$dir/script"
expect there_are_few_folders_of_debug_files 1 'too many --debuginfo'
play 'exit 0\n' -q --include errno.h "$dir/script"
expect headers_of_the_system_are_named 0 '^WARNING: --include errno.h: there is no such file'
play 'exit 0\n' -q --no-warnings --include errno.h "$dir/script"
[ "$code" = 0 ] && [ ! -s "$dir/err" ]
result $? warnings_can_be_off

# ktap under its own name has -c only
ktap=$program
run -c 'sleep 1' -e 'x = 1'
expect a_command_needs_a_script_of_bpftrace 2 '-c is for scripts of bpftrace; .* after --: ktap SCRIPT -- sleep 1'
run --bt -c true -e "$script" -- true
expect there_is_one_command 2 'either -c or -- has the command'
play 'exit 0\n' -q --bt -c true -e 'kprobe:f { @ = count(); }'
setup ktap_has_the_command_of_bpftrace "arg -e\n"
play 'exit 0\n' -q --bt -e 'kprobe:f { @ = count(); }' -- true
grep -q '^pid ' "$dir/setup" && grep -qx follow "$dir/setup"
result $? a_command_after_dashes_is_traced_alone
finish
