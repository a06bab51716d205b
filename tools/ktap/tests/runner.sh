#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test whole runs and their messages with a fake session, without ktap in the kernel.
#
#	tests/runner.sh KTAP FAKESESSION

ktap=${1:?usage: runner.sh KTAP FAKESESSION}
fake=${2:?usage: runner.sh KTAP FAKESESSION}
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
script='x = 1'
echo 'BEGIN { @x = 1; exit(); }' >"$dir/script.bt"

# setup NAME TEXT: the set-up lines of the last run were exactly TEXT
setup() {
	printf "$2" | cmp -s - "$dir/setup"
	result $? "$1"
}

# A kernel is older or newer than ktap: its features file says so
mkdir -p "$dir/ktap"
features() { printf 'abi: %s\nsources: tracepoint\nnew in this kernel: 1\n\nno row\n' "$1" >"$dir/ktap/features"; }
features 1.7
play 'out hello\nexit 0\n' -e "$script"
expect newer_kernel_runs_older_chunks 0
output output_of_a_newer_kernel_is_shown 'hello\n'
for abi in 0.9 2.0; do
	features $abi
	play 'gone\n' -e "$script"
	expect "kernel_of_version_${abi}_is_refused" 2 "^ktap: error: -e: needs ktap version 1\.0, this kernel has $abi\$"
	grep -q '^ktap: compile the script with the ktapc that belongs to this kernel' "$dir/err"
	result $? "and_what_to_do_about_$abi"
done
printf 'abi: nothing\n' >"$dir/ktap/features"
play 'exit 0\n' -e "$script"
expect features_without_a_version_are_no_reason_to_refuse 0
rm "$dir/ktap/features"

play 'exit 0\n' -e "$script"
setup setup_lines_of_a_plain_run 'frames\nstream\narg -e\n'
play 'exit 0\n' -p 7 --follow -C 0,2-3 --unsafe --self -m 256k --max-overhead 5 -e 'x = $3' one 'two words' -3
setup setup_lines_of_all_options \
	'frames\nstream\narg -e\narg one\narg two words\narg -3\npid 7\nfollow\ncpus 0,2-3\nunsafe\nself\nmemory 262144\noverhead 5\n'
# the time zone, if the script asks for it and is not in London in winter
export TZ=IST-5:30
play 'exit 0\n' -e 'print(utc_offset)'
setup offset_of_local_time 'frames\nstream\narg -e\nutc_offset 19800\n'
play 'exit 0\n' -e "$script"
setup no_offset_without_need 'frames\nstream\narg -e\n'
TZ=BRT3
play 'exit 0\n' -e 'print(utc_offset)'
setup west_of_greenwich 'frames\nstream\narg -e\nutc_offset -10800\n'
TZ=UTC
play 'exit 0\n' -e 'print(utc_offset)'
setup no_offset 'frames\nstream\narg -e\n'
unset TZ
play 'exit 0\n' -e "$script" --max-overhead=100
setup value_of_a_long_option_after_an_equals_sign 'frames\nstream\narg -e\noverhead 100\n'
options='x = getopt("pid", 0) y = getopt("self", 0) z = $3'
play 'exit 0\n' -e "$options" --pid=5 one -p 7
setup options_that_ktap_lacks_are_the_scripts 'frames\nstream\narg -e\narg --pid=5\narg one\narg -p\narg 7\n'
play 'exit 0\n' -e "$options" --pid 68 one --self -3 --pid
setup value_of_an_option_may_be_the_next_word 'frames\nstream\narg -e\narg --pid=68\narg one\narg --self=-3\narg --pid\n'
play 'exit 0\n' -e 'x = getopt("all", false) y = getopt("deep", true) z = getopt("to", nil) w = $2' --all one --deep two --to --all
setup an_option_that_is_true_or_false_takes_no_word 'frames\nstream\narg -e\narg --all\narg one\narg --deep\narg two\narg --to\narg --all\n'
play 'exit 0\n' -e "$options" -p 7 --self --pid
setup options_that_ktap_has_are_not 'frames\nstream\narg -e\narg --pid\npid 7\nself\n'
run -e 'x = $1' "$(printf 'a\nb')"
expect argument_with_newline_is_refused 2 'newline'
name=$dir/$(printf 'a\nunsafe')
echo 'x = 1' >"$name"
play 'exit 0\n' "$name"
expect script_whose_name_has_a_newline_is_refused 2 'the name of the script has a newline'
rm "$name"
play 'out hello\nexit 0\n' "$dir/script.bt"
output a_script_of_bpftrace_runs 'hello\n'
play 'out hello\nexit 0\n' -e "$script"
output output_frames_go_to_stdout 'hello\n'
play 'split\nout hello\nout world\nexit 0\n' -e "$script"
output frames_may_come_byte_by_byte 'hello\nworld\n'
play 'out hello\nexit 0\n' -o "$dir/file" -e "$script"
output option_o_leaves_stdout_alone ''
cp "$dir/file" "$dir/out"
output option_o_writes_the_file 'hello\n'
printf 'something longer\n' >"$dir/file"
play 'out hello\nexit 0\n' -o "$dir/file" -e "$script"
cp "$dir/file" "$dir/out"
output option_o_replaces_what_was_there 'hello\n'
play 'exit 0\n' -o "$dir/file" -e "$script"
cp "$dir/file" "$dir/out"
output option_o_of_no_output_is_an_empty_file ''
printf 'kept\n' >"$dir/file"
KTAP_TRACEFS=$dir/nowhere run -o "$dir/file" -e "$script"
cp "$dir/file" "$dir/out"
output option_o_without_a_session_leaves_the_file 'kept\n'
printf 'x = 1\n' >"$dir/s.kp"
printf 'include "s.kp"\n' >"$dir/i.kp"
for s in s i; do
	play 'out hello\nexit 0\n' -o "$dir/s.kp" "$dir/$s.kp"
	expect "output_onto_the_script_is_refused_$s" 2 'the output would replace the script'
	cp "$dir/s.kp" "$dir/out"
	output "script_is_kept_$s" 'x = 1\n'
done

# "stop" must be the first line that the session gets
code=0
printf 'out hello\nerr oops\nnote lost 5 events\npause\nsignal 2\nstop\nexit 0\n' |
	timeout 60 "$fake" "$dir" "$ktap" -v -e "$script" >"$dir/out" 2>&- || code=$?
expect messages_to_a_closed_stream_are_not_said_to_the_session 0
code=0
printf 'err oops\nnote lost 5 events\npause\nsignal 2\nstop\nexit 0\n' |
	timeout 60 "$fake" "$dir" "$ktap" -v -e "$script" >&- 2>&- || code=$?
expect messages_to_closed_streams_are_not_said_to_the_session 0
code=0
printf 'out hello\npause\nstop\nexit 0\n' |
	timeout 60 "$fake" "$dir" "$ktap" -v -e "$script" >&- 2>"$dir/err" || code=$?
expect output_to_a_closed_stream_is_an_error 1 'cannot write to standard output: Bad file'
code=0
"$ktap" -V >&- 2>"$dir/err" || code=$?
expect version_to_a_closed_stream_is_an_error 1 'cannot write to standard output: Bad file'
if unshare -rm mount -t tmpfs none /dev 2>/dev/null; then
	# shellcheck disable=SC2016 # variables of the inner shell
	bare='mount -t tmpfs none /dev && exec "$1" -V'
	code=0
	unshare -rm sh -c "$bare" - "$ktap" >"$dir/out" 2>"$dir/err" || code=$?
	expect open_streams_need_no_dev_null 0
	code=0
	unshare -rm sh -c "$bare <&-" - "$ktap" >"$dir/out" 2>"$dir/err" || code=$?
	expect closed_streams_need_dev_null 2 'ktap: error: cannot open /dev/null for a closed stream'
else
	skip open_streams_need_no_dev_null "no namespaces"
	skip closed_streams_need_dev_null "no namespaces"
fi
# JSON: the kernel makes the lines of the script, ktap those of files and commands
play 'exit 0\n' -f json -e "$script"
setup format_json_is_a_setup_line 'frames\nstream\narg -e\nformat json\n'
play 'exit 0\n' --format=text -e "$script"
setup format_text_needs_no_setup_line 'frames\nstream\narg -e\n'
play 'exit 0\n' -fjson -e "$script"
setup value_of_a_short_option_in_its_word 'frames\nstream\narg -e\nformat json\n'
run -f yaml -e "$script"
expect unknown_format_is_an_error 2 "-f 'yaml': there is no such format: there are text, json and csv"
timeless() {
	sed 's/"time":[1-9][0-9]*,//' "$dir/out" >"$dir/timeless"
	cp "$dir/timeless" "$dir/out"
}
printf 'a "file"\n\377\303\n' >"$dir/shown"
play "out {}\\ncat $dir/shown\\nout []\\nexit 0\\n" -f json -e "$script"
timeless
output cat_in_json_is_a_line '{}\n{"type":"cat","text":"a \\"file\\"\\n\\ufffd\\ufffd\\n"}\n[]\n'
play "out {}\\nsystem echo in; echo \\\\\"x; exit 3\\nout []\\nsystem :\\nsystem echo again\\nexit 0\\n" \
	--unsafe --format json -e "$script"
timeless
output system_in_json_is_a_line \
	'{}\n{"type":"system","text":"in\\n\\"x\\n"}\n[]\n{"type":"system","text":"again\\n"}\n'
expect exit_code_of_a_command_in_json_is_told 0 '^ktap: system: exit code 3: '
# characters of two bytes, at odd places in the pieces that are read
{ printf x; head -c 100000 /dev/zero | sed 's/\x00/\xc3\xa4/g'; } >"$dir/shown"
play "cat $dir/shown\\nexit 0\\n" -f json -e "$script"
! grep -q ufffd "$dir/out" && [ "$(sed 's/.*"text":"//; s/"}$//' "$dir/out" | tr -d '\n' | wc -c)" -eq 200001 ]
result $? characters_of_a_large_file_in_json_are_complete
play 'note would attach 2 events\nexit 0\n' --dry-run -e "$script"
setup dry_run_is_a_setup_line 'frames\nstream\narg -e\ndry\n'
expect dry_run_shows_notes 0 '^ktap: would attach 2 events$'
play "system touch $dir/made\\nexit 0\\n" --dry-run --unsafe -e "$script"
expect dry_run_runs_no_commands 0 '^ktap: system: not run with --dry-run: touch'
[ ! -e "$dir/made" ]
result $? dry_run_makes_nothing
play 'pause\nexit 0\n' --dry-run -e "$script" -- touch "$dir/made"
expect dry_run_starts_no_command 0
[ ! -e "$dir/made" ]
result $? command_of_a_dry_run_did_not_run
run --dry-run --folded -e "$script"
expect dry_run_has_no_stacks 2 '--dry-run and --folded exclude each other'

# events as other tracers spell them
for pair in syscalls:read=syscalls:sys_enter_read syscall:read:return=syscalls:sys_exit_read \
	syscall::read:entry=syscalls:sys_enter_read fbt::vfs_read:return=kretprobe:vfs_read \
	fbt:vfs_read=probe:vfs_read kfunc:vfs_read=probe:vfs_read fexit:vmlinux:f=kretprobe:f \
	t:sched:sched_switch=tp:sched:sched_switch p:vfs_read=kprobe:vfs_read p:hz:99=profile:hz:99 \
	r:vfs_read=kretprobe:vfs_read cycles=hardware:cycles:1000000 \
	page-faults=software:page-faults:1 timer:1s=tick-1s 'timer.ms(100)=tick-100ms' \
	timer.profile=profile-99hz syscall.read=syscalls:sys_enter_read \
	syscall.read.return=syscalls:sys_exit_read pid1:libc:malloc:entry=uprobe:libc:malloc \
	'pid$target:libc:free:return=uretprobe:libc:free' dtrace:::BEGIN=BEGIN end=END; do
	play "err -e:1:1: error: no event matches '${pair%%=*}'\\nexit 2\\n" -e "$script"
	expect "${pair%%=*}_is_advised" 2 "^note: did you mean '${pair#*=}'?\$"
done

# stacks of tables
entry='{"time":1,"type":"entry","table":1,"key":'
stacks="out {\"time\":1,\"type\":\"text\",\"text\":\"entry\"}\\n"
stacks="${stacks}out ${entry}[\"a;b <&>\",[\"leaf+0x1/0x2 [mod]\",\"mid+0x3 (libc.so)\",\"0x12\"]],\"value\":3}\\n"
stacks="${stacks}out ${entry}[7,[\"x\\\\\"y\",\"+0x1\"],[\"k1+0x2/0x4\",\"k2\"]],\"value\":{\"count\":5,\"sum\":9}}\\n"
stacks="${stacks}out ${entry}[\"no stack\"],\"value\":3}\\nout ${entry}[[]],\"value\":3}\\nout ${entry}[[\"z\"]],\"value\":-3}\\n"
stacks="${stacks}out ${entry}[\"a;b <&>\",[\"leaf+0x9/0x9\",\"mid\",\"0x12\"]],\"value\":4}\\nexit 0\\n"
play "$stacks" --folded -e "$script"
setup folded_asks_for_json 'frames\nstream\narg -e\nformat json\n'
output stacks_are_folded '7;+0x1;x"y;k2;k1 5\na:b <&>;0x12;mid;leaf 7\n'
play "split\\n$stacks" --folded -o "$dir/file" -e "$script"
cp "$dir/file" "$dir/out"
output folded_stacks_go_where_the_output_goes '7;+0x1;x"y;k2;k1 5\na:b <&>;0x12;mid;leaf 7\n'
play "$stacks" --flame "$dir/one.svg" -e "$script"
output flame_graph_alone_prints_nothing ''
play "$stacks" --folded --flame="$dir/two.svg" -e "$script"
output flame_graph_and_folded_stacks '7;+0x1;x"y;k2;k1 5\na:b <&>;0x12;mid;leaf 7\n'
cmp -s "$dir/one.svg" "$dir/two.svg"
result $? flame_graphs_are_the_same
for box in 'all (12, 100.00%)' 'a:b &lt;&amp;&gt; (7, 58.33%)' 'leaf (7, 58.33%)' 'k1 (5, 41.67%)'; do
	grep -q -F "<title>$box</title>" "$dir/one.svg"
	result $? "flame_graph_has_a_box_$box"
done
if command -v python3 >/dev/null; then
	python3 "$(dirname "$0")/check_flame.py" "$dir/one.svg" 2>"$dir/err"
	result $? flame_graph_is_correct
else
	skip flame_graph_is_correct "no python3"
fi
play 'exit 0\n' --flame "$dir/one.svg" -e "$script"
expect missing_stacks_are_told 0 'no table with stacks as keys was printed'
play "$stacks" --flame "$dir/nowhere/x.svg" -e "$script"
expect flame_graph_that_cannot_be_written_is_an_error 2 "cannot write to $dir/nowhere/x.svg: No such file"
echo old >"$dir/old.svg"
play 'err oops\nexit 2\n' --flame "$dir/old.svg" -e 'x = = 1'
[ "$(cat "$dir/old.svg")" = old ]
result $? file_of_the_flame_graph_is_kept_until_the_end
run --folded -f json -e "$script"
expect folded_is_a_format_of_its_own 2 'exclude each other'
printf 'from a file\n' >"$dir/shown"
play "out before\\ncat $dir/shown\\nout after\\nexit 0\\n" -e "$script"
output cat_shows_a_file_in_its_place 'before\nfrom a file\nafter\n'
play "split\\ncat $dir/shown\\nexit 0\\n" -o "$dir/file" -e "$script"
cp "$dir/file" "$dir/out"
output cat_goes_where_the_output_goes 'from a file\n'
play "cat $dir/no-such-file\\nout after\\nexit 0\\n" -e "$script"
expect cat_of_a_missing_file_is_reported 0 "^ktap: cat: $dir/no-such-file: No such file"
output cat_of_a_missing_file_does_not_stop 'after\n'
play "out before\\ncat $dir/file\\npause\\nout after\\nexit 0\\n" -o "$dir/file" -e "$script"
expect cat_of_the_output_is_refused 0 "^ktap: cat: $dir/file: is the output\$"
cp "$dir/file" "$dir/out"
output cat_of_the_output_shows_nothing 'before\nafter\n'
# such bytes may come from a traced process
play 'cat /nowhere/\033[2Jx\nsystem exit 3 #\033[2Jx\nexit 0\n' --unsafe -e "$script"
expect message_of_cat_shows_no_escapes 0 '^ktap: cat: /nowhere/[?]\[2Jx: No such file'
expect message_of_system_shows_no_escapes 0 '^ktap: system: exit code 3: exit 3 #[?]\[2Jx$'
head -c 300000 /dev/zero | tr '\\0' x >"$dir/shown"
play "bulk 100000\\ncat $dir/shown\\nbulk 100000\\nexit 0\\n" -e "$script"
[ "$(wc -c <"$dir/out")" -eq 500000 ]
result $? cat_of_a_large_file_is_complete
play 'out before\nsystem echo in; cat\nout after\nsystem echo again\nexit 0\n' --unsafe -e "$script"
output commands_run_in_their_place 'before\nin\nafter\nagain\n'
play 'split\nsystem echo in a file\nexit 0\n' --unsafe -o "$dir/file" -e "$script"
cp "$dir/file" "$dir/out"
output command_prints_where_the_output_goes 'in a file\n'
play "out before\\nsystem touch $dir/made\\nout after\\nexit 0\\n" -e "$script"
expect command_without_unsafe_is_told 0 "^ktap: system: not run without --unsafe: touch $dir/made\$"
output command_without_unsafe_does_not_stop 'before\nafter\n'
[ ! -e "$dir/made" ]
result $? command_without_unsafe_does_not_run
play 'system exit 3\nsystem kill -9 $$\nout after\nexit 0\n' --unsafe -e "$script"
expect exit_code_of_a_command_is_told 0 '^ktap: system: exit code 3: exit 3$'
expect signal_that_ends_a_command_is_told 0 '^ktap: system: ended by signal 9: kill -9 \$\$$'
output failed_command_does_not_stop 'after\n'
play 'out before\nsystem sleep 100\npause\nsignal 15\nstop\nout last\nexit 0\n' --unsafe -e "$script"
expect signal_ends_the_command_too 0 '^ktap: system: ended by signal 15: sleep 100$'
output output_after_the_command_comes 'before\nlast\n'
play 'system sleep 100\npause\nsignal 2\npause\nsignal 2\nstop\n' --unsafe -e "$script"
[ "$code" = 0 ] || [ "$code" = 130 ]
result $? command_does_not_keep_us_from_ending
play 'system sleep 100\nsystem echo one\npause\nsignal 15\nstop\nsystem sleep 0.2; echo two\nsystem echo three\nexit 0\n' \
	--unsafe -e "$script"
expect signal_ends_one_command 0 'ended by signal 15: sleep 100'
output signal_does_not_end_those_after_it 'one\ntwo\nthree\n'
play 'system stty sane </dev/tty\nsystem read x </dev/tty\nout after\nexit 0\n' --unsafe -e "$script"
expect command_that_sets_the_terminal_is_ended 0 '^ktap: system: ended because it tried to use the terminal: stty sane'
expect command_that_reads_the_terminal_is_ended 0 '^ktap: system: ended because it tried to use the terminal: read x'
output what_wants_the_terminal_does_not_stop 'after\n'
play 'system trap "" TERM; kill -STOP $$; kill -STOP $$\nout after\nexit 0\n' --unsafe -e "$script"
expect command_that_stops_itself_is_ended 0 '^ktap: system: ended because it was stopped by signal [0-9]*: trap'
[ "$(grep -c system: "$dir/err")" = 1 ]
result $? end_of_a_stopped_command_is_told_once
play 'system trap "exit 3" TERM; kill -STOP $$; sleep 10\nsystem trap : TERM; kill -STOP $$; echo on\nexit 0\n' --unsafe -e "$script"
expect exit_code_of_a_stopped_command_is_told 0 '^ktap: system: exit code 3: trap'
[ "$(grep -c 'ended because' "$dir/err")" = 2 ] && [ "$(grep -c system: "$dir/err")" = 3 ]
result $? stopped_command_is_told_to_end
output stopped_command_may_go_on 'on\n'
play 'system trap : TERM; sh -c "kill -STOP \$\$"\npause\nsignal 15\nstop\nout after\nexit 0\n' --unsafe -e "$script"
output signal_ends_what_is_stopped_in_a_command 'after\n'
long=$(printf 'echo %04090d' 0)
play "system $long\\nexit 0\\n" --unsafe -e "$script"
[ "$(wc -c <"$dir/out")" -eq 4091 ]
result $? command_of_4095_bytes_runs
play "system ${long}1\\nout after\\nexit 0\\n" --unsafe -e "$script"
expect command_that_may_be_cut_does_not_run 0 'not run: it is too long and was truncated: echo 0*1$'
output command_that_may_be_cut_does_not_stop 'after\n'
printf 'shown\n' >"$dir/shown"
path=$(printf '%4096s' "$dir/shown" | tr ' ' /)
play "cat ${path#/}\\nexit 0\\n" -e "$script"
output cat_of_a_path_of_4095_bytes 'shown\n'
play "cat ${path}1\\ncat $path\\nexit 0\\n" -e "$script"
expect cat_of_a_path_that_may_be_cut 0 'File name too long'
output cat_of_a_path_that_may_be_cut_shows_nothing ''
play "cat /dev/zero\\npause\\nsignal 2\\nstop\\ncat $dir/shown\\nexit 3\\n" -o /dev/null -e "$script"
expect interrupt_ends_a_file_without_end 3 '^ktap: cat: /dev/zero: stopped$'
play 'pause\ncontrol-c\nstop\nout end\nexit 0\n' -e "$script"
output control_c_stops 'end\n'
real=$ktap
ktap=$dir/deaf
# ktap ignores the signal; timeout must not, as it would not pass it on
printf '#!/bin/sh\ntrap "" INT\nexec "%s" "$@"\n' "$real" >"$ktap"
chmod +x "$ktap"
play 'pause\ncontrol-c\npause\nsignal 2\nstop\npause\nout end\nexit 0\n' -e "$script"
expect control_c_is_ignored_by_who_was_told_to 0
output and_an_interrupt_of_its_own_stops 'end\n'
sed -i 's/INT/HUP PIPE/' "$ktap"
play 'system kill -HUP $$; kill -PIPE $$; echo alive\nsystem sleep 100\npause\nsignal 1\nsignal 2\nstop\nexit 0\n' \
	--unsafe -e "$script"
expect ignored_hangup_is_ignored 0 'ended by signal 2: sleep 100'
output commands_ignore_what_was_ignored 'alive\n'
ktap=$real
play 'system kill -HUP $$; echo alive\nexit 0\n' --unsafe -e "$script"
expect commands_ignore_nothing_else 0 'ended by signal 1:'
play 'bulk 300000\nexit 0\n' -e "$script"
[ "$(wc -c <"$dir/out")" -eq 300000 ]
result $? bulk_output_is_complete
play 'exit 42\n' -e "$script"
expect exit_code_is_the_sessions 42
probes='pause\nloading 2/2\nprobe a:b hits=7 time=9 code=native\nprobe a:c hits=8 time=0 code=bytecode(short)\n'
play "${probes}pause\\nexit 0\\n" -v -e "$script"
[ "$code" = 0 ] && [ "$(grep '^ktap:  ' "$dir/err")" = 'ktap:   a:b hits=7 time=9 code=native
ktap:   a:c hits=8 time=0 code=bytecode(short)' ]
result $? probes_and_their_code_are_shown_at_the_end
play "${probes}pause\\nexit 0\\n" -e "$script"
! grep -q 'a:[bc]' "$dir/err"
result $? but_only_with_v
play 'err t.kp:1:1: error: boom\nexit 1\n' -e "$script"
expect error_frames_go_to_stderr 1 '^t.kp:1:1: error: boom'
play 'err -e:1:3: error: boom\nexit 1\n' -e "$script"
expect error_shows_its_source_line 1 'x = 1'
printf 'x = $1 y = getopt("event", "")\n' >"$dir/tool.kp"
play "err $dir/tool.kp:1:5: error: no function 'vfs_raed'\nexit 2\n" "$dir/tool.kp" vfs_raed
grep -q "^ktap tool: error: argument 1: no function 'vfs_raed'$" "$dir/err" && ! grep -q 'x = ' "$dir/err"
result $? error_of_an_argument_points_to_it
play "err $dir/tool.kp:1:5: error: no event 'probe:a:b%%return'\nexit 2\n" "$dir/tool.kp" --event=a:b none
expect error_of_an_option_points_to_it 2 "^ktap tool: error: option --event: no event 'probe:a:b%return'\$"
play "err $dir/tool.kp:1:5: error: 'profile-0hz': a profile is like profile-99hz\nexit 2\n" "$dir/tool.kp" --event=0
expect error_of_a_period_points_to_its_option 2 "^ktap tool: error: option --event: 'profile-0hz': a profile"
play "err $dir/tool.kp:1:5: error: 'profile-99hz': no such timer\nexit 2\n" "$dir/tool.kp" --event=9
expect part_of_a_number_is_not_that_of_the_option 2 "^$dir/tool.kp:1:5: error: 'profile-99hz'"
types='this kernel has no types (CONFIG_DEBUG_INFO_BTF)'
mkdir -p "$dir/library/tools"
cp "$dir/tool.kp" "$dir/library/tools/installed.kp"
export KTAP_LIBRARY="$dir/library"
play "err $dir/library/tools/installed.kp:1:5: error: member of a parameter: $types\\nexit 2\\n" installed
[ "$(grep -v Press "$dir/err")" = 'ktap installed: error: this tool reads structures of the kernel, and needs one with CONFIG_DEBUG_INFO_BTF=y (ktap --info)' ]
result $? tool_that_needs_types_names_the_option_of_the_kernel
play "err $dir/tool.kp:1:5: error: member of a parameter: $types\\nexit 2\\n" "$dir/tool.kp"
expect script_that_needs_types_has_its_position 2 "^$dir/tool.kp:1:5: error: member of a parameter: this"
run installed --pid=9999999
expect option_pid_of_a_tool_names_a_process 2 '^ktap: error: option --pid: there is no process 9999999$'
run installed --pid=99999999999
expect number_is_too_large_for_a_process 2 '^ktap: error: option --pid: there is no process 99999999999$'
run "$dir/library/../library/tools/installed.kp" --pid=9999999
expect option_pid_of_a_tool_by_its_path_does 2 '^ktap: error: option --pid: there is no process 9999999$'
run "$dir/tool.kp" --pid=9999999
! grep -q 'there is no process' "$dir/err"
result $? option_pid_of_another_script_may_be_anything
for pid in "$$" 0 x; do
	run installed "--pid=$pid"
	! grep -q 'there is no process' "$dir/err"
	result $? "option_pid_${pid#"$$"}_is_passed_on"
done
unset KTAP_LIBRARY
play 'err t.kp:1:1: error: this kernel has no built-in function 57\nexit 2\n' -e "$script"
expect function_that_the_kernel_lacks_has_a_name 2 "^note: that is '.*': this kernel is older than this ktap\$"
play 'err t.kp:1:1: error: this kernel has no built-in function 9999\nexit 2\n' -e "$script"
! grep -q '^note: that is' "$dir/err"
result $? function_that_nobody_knows_has_none
play "err ktap: error: 'times' is no line to set up a session with\\nexit 2\\n" -T -e "$script"
expect option_that_the_kernel_lacks_is_named 2 "^note: that is for '-T': this kernel is older than this ktap\$"
play "err ktap: error: 'cgroup /' is no line to set up a session with\\nexit 2\\n" --cgroup / -e "$script"
expect option_with_a_value_that_the_kernel_lacks_is_named 2 "^note: that is for '--cgroup': this kernel is"
run ''
expect script_without_a_name_cannot_be_read 2 "^ktap: error: cannot read '': No such file"
play "err $dir/tool.kp:1:5: error: option --event needs a value\nerr   in main ($dir/tool.kp:1)\nexit 1\n" "$dir/tool.kp" --event none
[ "$(grep -v Press "$dir/err")" = 'ktap tool: error: option --event needs a value' ]
result $? error_of_an_option_has_no_place_in_the_tool
play "err $dir/tool.kp:1:5: error: no function 'vfs_read'\nexit 2\n" "$dir/tool.kp" vfs
expect error_of_something_else_has_its_place 2 "^$dir/tool.kp:1:5: error: no function 'vfs_read'\$"
play "err -e:1:5: error: no function 'vfs_raed'\nexit 2\n" -e 'x = $1' vfs_raed
expect error_of_a_script_on_the_command_line_has_its_place 2 "^-e:1:5: error: no function"
play 'err t.kp:1:1: error: b\033oo\302\233m\nnote lost\tand\033found\nexit 1\n' -e "$script"
expect errors_do_not_command_the_terminal 1 '^t.kp:1:1: error: b?oo?m$'
expect notes_do_not_command_the_terminal 1 "^ktap: lost$(printf '\t')and?found\$"
play 'note a\2332Jb\340\202\233c\233\nnote \333\233 \342\202\233 \360\237\223\210 \344\nexit 0\n' -q -e "$script"
{
	printf 'ktap: a?2Jb\340??c?\n'
	printf 'ktap: \333\233 \342\202\233 \360\237\223\210 \344\n'
} | cmp -s - "$dir/err"
result $? bytes_that_command_other_terminals_are_shown_in_characters_only
run -e 'include "a\033b\nc\302\233d.kp"'
expect names_in_errors_do_not_command_the_terminal 2 "error: cannot include 'a?b?c?d.kp'"
play 'note total enabled 956 events\nnote lost 5 events\nexit 0\n' -e "$script"
expect notes_are_shown 0 '^ktap: total enabled 956 events'
expect losses_are_shown 0 '^ktap: lost 5 events'
expect stop_hint_is_shown 0 '^Press Control-C to stop.'
play 'note total enabled 956 events\nnote lost 5 events\nexit 0\n' -q -e "$script"
printf 'ktap: lost 5 events\n' | cmp -s - "$dir/err"
result $? quiet_shows_losses_alone
play 'out one\npause\nsignal 2\nstop\nout two\nexit 0\n' -q -e "$script"
expect interrupt_stops_and_succeeds 0
output output_after_stop_is_shown 'one\ntwo\n'
play 'pause\nsignal 15\nstop\nexit 0\n' -q -e "$script"
expect sigterm_stops_and_succeeds 0
play 'pause\nsignal 15\nsignal 1\nsignal 2\nstop\nout end\nexit 0\n' -q -e "$script"
expect signals_of_one_request_are_one 0
output and_output_after_them_comes 'end\n'
# on a busy machine the echo may come so late that it is a request of its own
for _ in 1 2 3 4 5; do
	play 'pause\nsignal 2\nstop\nsignal 2\nout end\nexit 0\n' -q -e "$script"
	[ "$code" != 0 ] || break
done
expect echo_of_a_signal_is_no_second_one 0
play 'pause\nsignal 2\nstop\nexit 0\n' -e "$script"
expect first_interrupt_says_what_happens 0 '^ktap: stopping; press Control-C again to end at once$'
play 'pause\nsignal 15\nstop\nexit 0\n' -e "$script"
! grep -q Control-C\ again "$dir/err"
result $? other_signals_need_no_hint
play 'pause\nsignal 2\nstop\npause\nsignal 2\npause\n' -q -e "$script"
expect second_interrupt_ends_at_once 130 '^ktap: ended at once: some output is missing$'
! grep -q stopping "$dir/err"
result $? quiet_stops_without_a_word
play 'pause\nsignal 2\nstop\npause\nsignal 2\npause\n' -e "$script trace_end { print(1) }"
expect second_interrupt_says_what_it_cuts 130 '^ktap: ended at once: trace_end was cut off, or did not run$'
play 'pause\nsignal 2\nstop\nsystem sleep 100\nout one\npause\nsignal 2\npause\n' --unsafe -e "$script"
[ "$code" = 130 ] && [ ! -s "$dir/out" ]
result $? second_interrupt_does_not_wait_for_a_command
play "pause\nsignal 2\nstop\nbulk 200000\npause\nsignal 2\npause\n" -e "$script"
[ "$code" = 130 ] && [ "$(wc -c <"$dir/out")" = 200000 ]
result $? what_was_printed_before_the_second_interrupt_is_shown
held=second_interrupt_is_heard_while_the_first_is_obeyed
play 'pause\nhold\nsignal 2\npause\nsignal 2\npause\nexit 3\n' -q -e "$script"
if [ "$code" = 93 ]; then
	skip $held 'no way to hold ktap'
else
	expect $held 130
fi
# Progress of loading, on the terminal of ktap. In the fake session, only a large chunk
# takes long to load.
awk 'BEGIN { for (i = 0; i < 50; i++) printf "x = \"%04000d\"\n", i }' >"$dir/large.kp"
# shellcheck disable=SC2016 # arguments of the inner script
printf '#!/bin/sh\nexec "%s" "$@" 2>/dev/tty\n' "$real" >"$dir/on_terminal"
chmod +x "$dir/on_terminal"
# loads STEPS ARGS...: load the large script with messages on the terminal, do the steps
# meanwhile
loads() {
	steps=$1
	shift
	ktap=$dir/on_terminal
	play "$steps"'load\nout loaded\nshows loaded\nexit 0\n' "$@" -o /dev/tty "$dir/large.kp"
	ktap=$real
	tr '\r' '\n' <"$dir/terminal" | grep . | uniq >"$dir/err"
}
# On the terminal, control characters of traced programs are shown as "?"; a character may come in
# two pieces. What a script writes on purpose is kept, and so is all that is for a file.
play 'raw a\033[2Jb\302\233c\t\342\202\nraw \254 \340\nraw \202\233\001\nshows ??\nexit 0\n' -q -o /dev/tty -e "$script"
printf 'a?[2Jb\302?c\t\342\202\254 \340???' >"$dir/wanted"
[ "$code" = 0 ] && cmp "$dir/wanted" "$dir/terminal"
result $? output_does_not_command_the_terminal
play 'raw a\033[2J\nshows [2J\nexit 0\n' -q -o /dev/tty -e 'printf("\e[1mno")'
[ "$code" = 0 ] && printf 'a\033[2J' | cmp - "$dir/terminal"
result $? output_of_a_script_that_commands_the_terminal_is_kept
play 'raw a\033\302\233\nexit 0\n' -q -e "$script"
printf 'a\033\302\233' | cmp - "$dir/out"
result $? output_for_a_file_is_kept
# the session waits for a file that is written after the time
rm -f "$dir/later"
(sleep 2; : >"$dir/later") &
loads "loading 1/25000\\nawait $dir/later\\n" -q --for 1
if [ "$code" = 93 ]; then
	skip attaching_is_no_part_of_the_time 'no way to hold the loading of a chunk'
else
	[ "$code" = 0 ] && grep -qx loaded "$dir/err"
	result $? attaching_is_no_part_of_the_time
fi
late='ktap: the time of --for was over before the top level of the script had ended'
loads "loading 0/0\\nshows $late\\n" -q --for 1
if [ "$code" = 93 ]; then
	skip top_level_is_part_of_the_time 'no way to hold the loading of a chunk'
else
	expect top_level_is_part_of_the_time 0 "^$late"
fi
attaching='shows ktap: attaching'
progress=progress_is_shown_on_a_terminal
loads "loading 100/25000\\n$attaching 100 of 25000 events ... \\nloading 20000/25000\\n$attaching 20000 of 25000 events ... \\n"
if [ "$code" = 93 ]; then
	for name in $progress progress_is_removed progress_of_few_events_is_not_shown quiet_shows_no_progress \
		progress_is_not_written_to_a_file; do
		skip "$name" 'no way to hold the loading of a chunk'
	done
else
	{
		printf 'ktap: attaching 100 of 25000 events ... \n'
		printf 'ktap: attaching 20000 of 25000 events ... \n'
		printf '\033[Kloaded\n'
	} >"$dir/wanted"
	[ "$code" = 0 ] && head -n 2 "$dir/wanted" >"$dir/some" && head -n 2 "$dir/err" | cmp -s - "$dir/some"
	result $? $progress
	cmp -s "$dir/wanted" "$dir/err"
	result $? progress_is_removed
	loads 'loading 9/99\npause\npause\n'
	[ "$code" = 0 ] && [ "$(cat "$dir/err")" = loaded ]
	result $? progress_of_few_events_is_not_shown
	loads 'loading 100/25000\npause\npause\n' -q
	[ "$code" = 0 ] && [ "$(cat "$dir/err")" = loaded ]
	result $? quiet_shows_no_progress
	play 'loading 100/25000\npause\npause\nload\nexit 0\n' "$dir/large.kp"
	[ "$code" = 0 ] && [ ! -s "$dir/err" ]
	result $? progress_is_not_written_to_a_file
fi
# The native code. In the fake session, the files are there before the end of loading only if
# the chunk is large.
code_of="loading 1/1\\nprobe a:b hits=0 code=native\\nprobe a:c hits=0 code=bytecode(short)\\nprobe a:d hits=0 code=bytecode(new)\\n"
native="native 1 ktap_1_1 insns=1 bytes=1\\nnative   0: exit\\nnative 12 ktap_12_1 insns=1\\nnative   0: other\\nnative 1 ktap_sort insns=2\\n"
play "${code_of}${native}pause\\nload\\nstop\\nout last\\nexit 0\\n" --dump-jit "$dir/large.kp"
if [ "$code" = 93 ]; then
	for name in native_code_is_listed native_code_needs_the_file; do
		skip "$name" 'no way to hold the loading of a chunk'
	done
else
	output native_code_is_listed 'ktap_1_1 a:b: native code
ktap_1_2 a:c: interpreted: native code would not be faster
ktap_1_3 a:d: bytecode(new)

ktap_1_1 insns=1 bytes=1
  0: exit

ktap_sort insns=2
last
'
	play "${code_of}remove $dir/ktap/native\\npause\\nload\\nstop\\nexit 0\\n" --dump-jit "$dir/large.kp"
	expect native_code_needs_the_file 1 'CONFIG_KTAP_JIT=y'
fi

# A command waits for the end of loading, and so does all output after it: what the session
# has sent by then, and what was read together with the command.
play "loading 1/1\\nsystem echo one\\npause\\nout two\\nremove $dir/ktap/sessions\\nload\\nexit 0\\n" \
	--unsafe "$dir/large.kp"
if [ "$code" = 93 ]; then
	for name in output_after_a_command_that_waited refused_script_runs_no_command \
		error_after_a_command_that_waited; do
		skip "$name" 'no way to hold the loading of a chunk'
	done
else
	output output_after_a_command_that_waited 'one\ntwo\n'
	# signals 19 and 18 stop and continue ktap, so that it reads both frames at once
	play "loading 1/1\\npause\\nsignal 19\\nsystem echo one\\nerr t.kp:1:1: error: boom\\nsignal 18\\nrefuse\\n" \
		--unsafe "$dir/large.kp"
	expect refused_script_runs_no_command 2 'ktap: system: not run, as the script was refused: echo one'
	said_too error_after_a_command_that_waited '^t.kp:1:1: error: boom$'
fi
play 'pause\nout traced\nstop\nout end\nexit 0\n' -e "$script" -- sh -c 'exit 7'
expect exit_code_of_the_command_is_not_ours 0
output session_stops_when_the_command_exits 'traced\nend\n'
sed 's/^pid .*/pid N/' "$dir/setup" >"$dir/out"
output command_is_traced_with_its_children 'frames\nstream\narg -e\npid N\nfollow\n'
play 'pause\nstop\nexit 0\n' -a -e "$script" -- true
setup all_are_traced_while_the_command_runs 'frames\nstream\narg -e\n'
play 'pause\n' -e "$script" -- "$dir/no-such-command"
expect command_that_cannot_run_is_reported 127 "cannot run $dir/no-such-command: No such file"
play 'bulk 100000\nexit 0\n' -o /dev/full -e "$script"
expect full_disk_is_reported 1 'cannot write to /dev/full: No space left'

code=0
printf 'bulk 300000\npause\nout more\nexit 0\n' |
	{ timeout 20 "$fake" "$dir" "$ktap" -q -e "$script" 2>"$dir/err"; echo $? >"$dir/code"; } |
	head -c 10 >"$dir/out"
code=$(cat "$dir/code")
expect closed_pipe_ends_quietly 0
[ ! -s "$dir/err" ]
result $? closed_pipe_is_no_error

cat >"$dir/help.kp" <<'SCRIPT'
#!/usr/bin/env ktap
# SPDX-License-Identifier: GPL-2.0
#
# What it does.
#
#	how it is called

# not this
x = getopt("pid", 0, "only this process") + len(getopt("dir", "", "where"))
y = getopt("all", false, "all of it")
SCRIPT
cat >"$dir/help" <<'TEXT'
What it does.

	how it is called

Options of help.kp:
  --pid=VALUE          only this process (default 0)
  --dir=VALUE          where
  --all                all of it
TEXT
sed "4s/\$/\r/; s/What it/What\o33 it/; s/where/wh\o33ere/" "$dir/help.kp" >"$dir/unclean.kp"
run "$dir/unclean.kp" -h
[ "$(sed -n 1p "$dir/out")" = 'What? it does.' ] && grep -q '  wh?ere' "$dir/out" && ! grep -q "$(printf '\033')" "$dir/out"
result $? help_of_a_script_does_not_command_the_terminal
for option in -h --help; do
	run "$dir/help.kp" $option --pid=3
	sed -i "s,$dir/,," "$dir/out"
	output help_of_a_script_by_$option "$(cat "$dir/help")\n"
done
sed -i 's/^x = .*/x = = 1/' "$dir/help.kp"
run "$dir/help.kp" -h
expect help_of_a_wrong_script_is_an_error 2 'help.kp:9:5: error:'
printf '# Only a comment\nx = 1\n' >"$dir/help.kp"
run "$dir/help.kp" -h
sed -i "s,$dir/,," "$dir/out"
output help_without_options 'Only a comment\n\nhelp.kp has no options of its own.\n'
play 'exit 0\n' -e 'x = $2' x -h
setup h_after_an_argument_is_one 'frames\nstream\narg -e\narg x\narg -h\n'

printf 'i = 1 x = arg[i]\n' >"$dir/script.kp"
play 'exit 0\n' "$dir/script.kp" arg
sed 's/^arg .*script.kp/arg S/' "$dir/setup" >"$dir/out"
output script_file_and_its_argument 'frames\nstream\narg S\narg arg\n'
play 'exit 0\n' "$dir/script.kp" one -p 123
expect option_after_the_script_is_reported 0 '^ktap: -p is an argument of the script, as it comes after the script$'
play 'exit 0\n' -q "$dir/script.kp" one -p 123
[ ! -s "$dir/err" ]
result $? quiet_reports_no_such_option
play 'exit 0\n' "$dir/script.kp" -5 - -x -pot --none
! grep -q 'after the script' "$dir/err"
result $? other_arguments_are_not_reported
printf 'x = getopt("pid", 0)\n' >"$dir/script.kp"
run "$dir/script.kp" -p 123
expect option_of_ktap_after_the_script_is_refused 2 "script.kp takes no arguments: '-p' is one\$"
said_too option_of_ktap_stands_before_the_script "^ktap: options of ktap go before the script: ktap -p ... $dir/script.kp\$"
run "$dir/script.kp" -t
said_too options_of_the_script_are_named '^ktap: options of the script: --pid$'
run "$dir/script.kp" --for 3
said_too option_with_a_value_stands_before_the_script "^ktap: options of ktap go before the script: ktap --for ... $dir/script.kp\$"
run "$dir/script.kp" --pid=3 word
expect option_is_no_argument 2 "takes no arguments: 'word' is one\$"
run "$dir/script.kp" 500
said_too options_are_named_after_an_argument_too '^ktap: options of the script: --pid$'

# takes NAME SCRIPT ARGS...: the script takes these arguments, but not one more
takes() {
	name=$1 text=$2
	shift 2
	play 'exit 0\n' -e "$text" "$@"
	[ "$code" = 0 ] && [ "$(grep -c '^arg' "$dir/setup")" = $(($# + 1)) ]
	result $? "$name"
	run -e "$text" "$@" more
	expect "${name}_and_no_more" 2 "^ktap: error: this script takes .*: 'more' is one"
}
takes script_without_arguments 'x = 1'
takes script_of_one_argument 'x = $1' one
takes script_of_the_third_argument 'x = arg[3]' one two three
takes argument_in_a_function 'function f() { return $2 } trace sched:* { print(f()) }' one two
echo 'function f() { return $2 }' >"$dir/inc.kp"
takes argument_in_an_included_file "include \"$dir/inc.kp\" x = \$1 y = f()" one two
run -e "$script" ls -l
expect command_without_its_dashes_is_refused 2 "^ktap: error: this script takes no arguments: 'ls' is one\$"
said_too what_to_write_for_a_command "^ktap: to run and trace a command: ktap -e '...' -- ls -l\$"
run -e 'x = $1' one ls -l
said_too what_to_write_for_a_command_after_an_argument "^ktap: .* ktap -e '...' one -- ls -l\$"
for text in 'i = 1 x = arg[i]' 'x = arg[$1]' 'x = arg[$1 ? 5 : 2]' \
	'try { error("e") } catch (e) { print(arg[e]) }'; do
	play 'exit 0\n' -e "$text" 1 2 3 4 5 6 7
	expect "any_number_of_arguments_for_$text" 0
done
"${ktap%/*}/ktapc" -o "$dir/args.ktap" -e 'x = $1'
play 'exit 0\n' "$dir/args.ktap" one
expect argument_of_a_chunk 0
run "$dir/args.ktap" one more
expect one_too_many_of_a_chunk 2 "args.ktap takes at most 1 argument: 'more' is one more"

finish
