#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test command lines of ktap that need no session: options and their errors, scripts by name,
# a kernel without ktap.
#
#	tests/options.sh KTAP

ktap=${1:?usage: options.sh KTAP}
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
script='x = 1'

run
expect no_script_is_a_usage_error 2 'no script given'
run --nonsense
expect unknown_option_is_a_usage_error 2 "unknown option --nonsense"
for option in --fromat=--format --heat-map=--heatmap --folow=--follow; do
	run "${option%%=*}" -e "$script"
	said_too "misspelt_${option%%=*}_gets_advice" "^ktap: did you mean '${option#*=}'?\$"
	run -e "$script" "${option%%=*}"
	said_too "misspelt_${option%%=*}_after_e_gets_advice" "^ktap: did you mean '${option#*=}'?\$"
done
for option in '--pid=-p PID' '--json=-f json' '--duration=--for TIME' '-x=-p PID'; do
	run "${option%%=*}" -e "$script"
	said_too "other_name_${option%%=*}_gets_advice" "^ktap: write ${option#*=}\$"
done
run --pid=123 -e "$script"
said_too other_name_with_a_value_gets_advice '^ktap: write -p PID$'
run --nonsense -e "$script"
! grep -q -e 'did you mean' -e '^ktap: write' "$dir/err"
result $? option_like_no_other_gets_no_advice
for option in '-d=ktapc -d SCRIPT' \
	'-f x=given by its name alone'; do
	# shellcheck disable=SC2086 # an option and its value
	run ${option%%=*} -e "$script"
	expect "option_${option%%=*}_of_others_has_advice" 2 "${option#*=}"
done
run -e
expect option_without_its_value_is_an_error 2 "no value for option -e"
bpftrace='BEGIN { @x = 1; exit(); }'
echo "$bpftrace" >"$dir/script.bt"
run --bt --to-ktap -e "$bpftrace"
[ "$code" = 0 ] && grep -qx '	x = 1' "$dir/out"
result $? bpftrace_is_translated
run --to-ktap "$dir/script.bt"
[ "$code" = 0 ] && grep -qx 'trace_begin {' "$dir/out"
result $? a_file_of_bpftrace_is_translated
run --to-ktap -e "$script"
expect only_bpftrace_is_translated 2 '--to-ktap is for scripts of bpftrace: FILE.bt, or --bt'
run --live 1 "$dir/script.bt"
expect live_needs_a_script_of_ktap 2 '--live needs a script of ktap'
run --live 1 --bt -e "$bpftrace"
expect live_and_bpftrace_exclude_each_other 2 'exclude each other'
run --bt -e 'BEGIN { @x = count(1); }'
expect errors_of_bpftrace_have_a_place 2 'stdin:1:14: ERROR: count() takes 0 arguments, 1 given'
run --bt --detach name -c true -e 'BEGIN { }'
expect a_command_is_not_detached 2 '--detach takes no command'
run --bt --to-ktap -c true -e 'uprobe:/bin/sh:0x10 { }'
expect a_translation_has_no_command 2 '--to-ktap takes no command'
run --to-ktap "$dir/script.bt" -- true
expect a_translation_has_no_command_after_dashes 2 '--to-ktap takes no command'
run --bt -c true --follow -e 'BEGIN { }'
expect a_command_of_bpftrace_is_not_followed 2 '-c and --follow exclude each other'
for option in --info --sessions '--attach x' '--stop x'; do
	# shellcheck disable=SC2086 # an option and its value
	run $option -c true "$dir/script.bt"
	expect "option_${option%% *}_has_no_command" 2 "${option%% *}.* takes\\? no script"
	# shellcheck disable=SC2086
	run $option -c true
	expect "option_${option%% *}_has_no_command_and_no_script" 2 '-c is for scripts of bpftrace'
done
run --replay x -c true
expect a_recording_has_no_command 2 '-c is for scripts of bpftrace'
run --explain x -c true "$dir/script.bt"
expect a_word_has_no_command 2 '--explain takes a word'
run -p zero -e "$script"
expect pid_must_be_a_number 2 "-p 'zero': not a number"
for pid in 'zero integer' '1x trailing bytes'; do
	run --bt -p "${pid%% *}" -e 'BEGIN { }'
	expect "pid_${pid%% *}_of_bpftrace" 2 "ERROR: Failed to parse pid: invalid ${pid#* }: ${pid%% *}"
done
run --bt -p 5000000 -e 'BEGIN { }'
expect pid_of_bpftrace_is_too_large 2 'ERROR: Pid out of range: 5000000'
run --bt -f xml -e 'BEGIN { }'
expect format_of_bpftrace_is_unknown 2 'ERROR: Invalid output format "xml"'
run nothing.bt
expect script_of_bpftrace_is_missing 2 "ERROR: failed to open file 'nothing.bt': No such file or directory"
run --bt -l -e 'kprobe:vfs_read, interval:s:1 { }' -v x
expect a_list_of_a_script_has_no_other_words 2 'no arguments of a script: x'
run --bt -l vfs_read -e 'kprobe:vfs_read { }'
expect a_list_of_a_script_has_no_pattern 2 '-l and -e exclude each other, except with --bt'
run --bt --probe-filter '[' -e 'BEGIN { }'
expect filter_of_events_is_no_expression 2 'ERROR: Invalid --probe-filter regex: '
mkdir "$dir/include"
run -l -I "$dir/include"
expect list_takes_no_folders 2 '-l and -I exclude each other, except with --bt'
echo 'BEGIN { }' >"$dir/listed.bt"
run --bt -l -I "$dir/include" "$dir/listed.bt"
result "$code" list_of_a_script_of_bpftrace_takes_folders
[ ! -s "$dir/err" ]
result $? and_warns_of_nothing
run -l a:b "$dir/listed.bt"
expect list_with_a_pattern_has_no_script 2 'takes one pattern'
for empty in '' ' ' '	'; do
	run -e "$empty"
	expect "script_'$empty'_is_empty" 2 '^ktap: error: -e: the script is empty: write, for example, trace '
done
: >"$dir/empty.kp"
run "$dir/empty.kp"
expect file_of_a_script_is_empty 2 'empty.kp: the script is empty'
run -I "$dir/include" -I "$dir/nosuch" -e "$script"
[ "$(grep -c 'warning: -I' "$dir/err")" = 1 ] &&
	grep -qx "ktap: warning: -I '$dir/nosuch': there is no such folder" "$dir/err"
result $? folder_to_include_from_is_missing
run -w -I "$dir/nosuch" -e "$script"
! grep 'warning' "$dir/err"
result $? missing_folder_is_a_warning
run --probe-filter x -e "$script"
expect filter_of_events_needs_bpftrace 2 '--probe-filter is for scripts of bpftrace'
run -p 0 -e "$script"
expect pid_must_be_above_zero 2 'not a number above 0'
run -m 12x -e "$script"
expect size_must_have_a_known_suffix 2 "-m '12x': not a size"
run -m 16m -e "$script"
expect suffix_in_the_wrong_case_gets_advice 2 "-m '16m': not a size: a number with k, M or G after it (256k, 16M)"
run -m 99999999999G -e "$script"
expect size_that_overflows_is_refused 2 'not a size'
for percent in 0 101 1.5 -1 5% x '' 18446744073709551621; do
	run --max-overhead "$percent" -e "$script"
	expect "overhead_'$percent'_is_no_percentage" 2 "--max-overhead '$percent': not a whole percentage from 1 to 100"
done
run --max-overheads=5 -e "$script"
expect long_option_is_its_whole_name 2 'unknown option --max-overheads=5'
run -C one -e "$script"
expect cpus_must_be_a_list 2 "-C 'one': not a list of CPUs"
run -C '' -e "$script"
expect list_of_cpus_is_not_empty 2 "-C '': not a list of CPUs"
run --follow -e "$script"
expect follow_needs_a_process 2 '--follow needs -p'
run -p 1 -e "$script" -- true
expect pid_and_command_exclude_each_other 2 'not both'
run -e "$script" --
expect empty_command_is_an_error 2 'no command after --'
run -a -e "$script"
expect all_needs_a_command 2 '-a needs a command'
run -e "$script" --folow -p 1
expect misspelt_option_after_e_is_an_error 2 'unknown option --folow, and the script has none'
run -e "$script" -z
expect short_option_after_e_is_one_of_ktap 2 'unknown option -z'
printf 'print("included")\n' >"$dir/inc.kp"
run -I "$dir" -e 'include "inc.kp" x = )'
expect option_I_names_a_folder_to_include_from 2 '^-e:1:22: error: expected an expression'
run -e 'include "inc.kp"'
expect include_says_where_it_searched 2 '^note: searched in ., '
run -h
expect help_succeeds 0
grep -q -e '^  -m SIZE' "$dir/out"
result $? help_lists_the_options
run -V
expect version_succeeds 0
for how in -h -V; do
	code=0
	"$ktap" $how >/dev/full 2>"$dir/err" || code=$?
	expect "full_disk_is_reported_by_$how" 1 'cannot write to standard output: No space left'
done
for other in '-e x' '-o file' --folded --flame=f '-I .' '-C 0' '-m 1M' -a --follow --self --unsafe --max-overhead=5 \
	--no-symbols --lines --dump-jit; do
	# shellcheck disable=SC2086 # words
	run -l 'sched:*' $other
	expect "list_excludes_$other" 2 "-l and ${other%%[= ]*} exclude each other"
done
run -l sched:sched_switch sched:sched_wakeup
expect list_takes_one_pattern 2 '-l takes one pattern, in quotes, and no script: sched:sched_wakeup'
run -l 'sched:*' -- true
expect list_takes_no_command 2 '-l takes no command'
run --info
expect info_needs_no_kernel_with_ktap 0
grep -q "^kernel  *$(uname -r) $(uname -m)\$" "$dir/out" &&
	grep -q '^user  *uid [0-9]*, \(has\|lacks\) CAP_PERFMON' "$dir/out"
result $? info_shows_kernel_and_user
run --info -e "$script"
expect info_takes_no_script 2 '--info and -e exclude each other'
run --info script.kp
expect info_takes_no_file 2 '--info takes no script'
mkdir -p "$dir/info/ktap"
echo 1 >"$dir/info/ktap/max_insns"
echo 0 >"$dir/info/ktap/jit"
echo 4096 >"$dir/info/ktap/panic_dump"
printf 'abi: 9.0\nsources: tracepoint timer uprobes\nset_retval: 0\njit: 1\n' >"$dir/info/ktap/features"
KTAP_TRACEFS=$dir/info run --info
expect info_with_a_features_file 0
for line in '^tracepoint  *yes: ' '^uprobe  *no: ' '-> build the kernel with CONFIG_UPROBES=y$' \
	'-> build the kernel with CONFIG_KTAP_SET_RETVAL=y$' '^native code  *yes$' \
	"-> switched off: echo 1 > $dir/info/ktap/jit\$" '^max_insns  *1 ' '^panic_dump  *4096 bytes ' \
	'-> use the ktap and ktapc that belong to this kernel$' \
	'^sessions  *not for this user: No such file'; do
	grep -q -e "$line" "$dir/out"
	result $? "info_has_a_line_like_$line"
done
KTAP_TRACEFS=$dir/nowhere run --info
grep -q '^ktap  *no: ' "$dir/out" && grep -q -e '-> build the kernel with CONFIG_KTAP=y$' "$dir/out"
result $? info_without_ktap_says_the_option
run -w -Werror -e "$script"
expect warnings_are_errors_or_nothing 2 '-w and -Werror exclude each other'
for twice in -e -o -l -p -m; do
	run $twice 1 $twice 2
	expect "option_${twice}_twice_is_refused" 2 "$twice is given twice"
done
run "$dir/missing.kp"
expect missing_script_is_named 2 "cannot read $dir/missing.kp: No such file"
run -e 'x = = 1'
expect compile_error_has_a_position 2 '^-e:1:[0-9]*: error: '
export KTAP_TRACEFS="$dir/nowhere"
run -e "$script"
expect missing_tracefs_is_reported 2 "cannot open $dir/nowhere/ktap/session"
mkdir "$dir/empty"
export KTAP_TRACEFS="$dir/empty"
run -e "$script"
expect kernel_without_ktap_is_reported 2 'CONFIG_KTAP'

# Scripts by name: ./NAME, a tool, or nothing
mkdir -p "$dir/library/tools" "$dir/here/folder" "$dir/here/folder.kp"
for tool in tool folder both.kp; do
	echo 'x = = 1' >"$dir/library/tools/${tool%.kp}.kp"
done
echo 'y = = 1' | tee "$dir/here/tool" "$dir/here/both.kp" >"$dir/here/own"

# finds NAME FILE: "ktap NAME" reports the error of FILE
finds() {
	code=0
	(cd "$dir/here" && KTAP_LIBRARY=$dir/library "$ktap" "$1" >"$dir/out" 2>"$dir/err") || code=$?
	[ "$code" = 2 ] && grep -q "^$2:1:5: error" "$dir/err"
	result $? "name_$1_is_that_of_$2"
}
library=$dir/library/tools
finds tool "$library/tool.kp"
grep -q '^ktap: tool is the tool of that name; the file is ./tool$' "$dir/err"
result $? file_that_a_tool_hides_is_told
finds ./tool ./tool
finds own own
finds both.kp both.kp
finds both "$library/both.kp"
finds tool.kp "$library/tool.kp"
finds folder "$library/folder.kp"
finds folder.kp "$library/folder.kp"
for name in tol tol.kp; do
	KTAP_LIBRARY=$dir/library run $name
	expect "unknown_name_${name}_is_told" 2 "^ktap: error: cannot read $name: No such file"
	grep -q "^note: there is no such tool in $library, /.*/tools\$" "$dir/err" &&
		grep -q "^note: did you mean 'tool'?" "$dir/err"
	result $? "${name}_is_looked_for_in_the_library"
done
KTAP_LIBRARY=$dir/library run "$dir/tol"
expect path_is_not_looked_for 2 "cannot read $dir/tol: No such file"
! grep -q note: "$dir/err"
result $? path_is_no_tool
unset KTAP_TRACEFS
if [ ! -e /sys/kernel/tracing/trace ] && [ ! -e /sys/kernel/debug/tracing/trace ]; then
	run -e "$script"
	expect unmounted_tracefs_gets_advice 2 'mount -t tracefs'
fi

finish
