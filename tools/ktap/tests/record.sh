#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test recordings: what is kept, how it is shown, and what is wrong with a file.
#
#	tests/record.sh KTAP FAKESESSION

ktap=${1:?usage: record.sh KTAP FAKESESSION}
fake=${2:?usage: record.sh KTAP FAKESESSION}
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
script='x = 1'

# line TIME TYPE MEMBERS: a step that prints this line of JSON
line() {
	printf 'out {"time":%s,"type":"%s",%s}\\n' "$1" "$2" "$3"
}

table='"values":[{"table":1}]'
all="$(line 1 text '"text":"5 x\\n"')$(line 2 print '"values":[1,"two",nil,true]' | sed s/nil/null/)"
all="$all$(line 3 print '"values":["t",{"table":1},"end"]')"
all="$all$(line 3 entry '"table":1,"key":["a",2],"value":7')$(line 4 text '"text":"other\\n"')"
all="$all$(line 3 entry '"table":1,"key":["b",3],"value":{"count":2,"sum":4,"min":1,"max":3,"avg":2}')"
all="$all$(line 5 print_hist '"values":[{"table":2}]')"
all="$all$(line 5 entry '"table":2,"key":["big"],"value":3')$(line 5 entry '"table":2,"key":["small"],"value":1')"
all="$all$(line 6 variable '"name":"v","value":{"table":3}')$(line 6 entry '"table":3,"name":"v","key":[1],"value":{}')"
all="$all$(line 7 variable '"name":"n","value":5')"
play "${all}note lost 3 records\\nexit 3\\n" --record "$dir/a.rec" -e "$script"
expect recording_ends_as_the_session 3 '^ktap: lost 3 records$'
[ ! -s "$dir/out" ] && grep -q '^ktap: recorded 12 lines: ktap --replay ' "$dir/err"
result $? recording_prints_nothing_but_messages
grep -qx 'format json' "$dir/setup"
result $? recording_is_made_of_json
run --replay "$dir/a.rec"
expect replay_ends_as_the_session 3 '^ktap: lost 3 records$'
output replay_shows_text '5 x
1	two	nil	true
t	a, 2: 7
b, 3: count 2, sum 4, min 1, max 3, avg 2	end
other
     value ----- Distribution ----- count
       big |@@@@@@@@@@@@@@@@@       3
     small |@@@@@                   1
v:
  1: {}
n: 5
'
run -f json --replay "$dir/a.rec"
# shellcheck disable=SC2059 # steps have escapes
printf "$all" | sed 's/^out //' | cmp -s - "$dir/out"
result $? replay_as_json_shows_the_lines
run --replay "$dir/a.rec" -f csv
grep -qx '3,1,a,2,7' "$dir/out"
result $? options_may_follow_the_recordings
play "split\\n${all}exit 0\\n" --record "$dir/b.rec" -e "$script"
run --replay "$dir/b.rec"
expect recording_of_single_bytes_is_whole 0
[ "$(grep -c . "$dir/out")" = 11 ]
result $? replay_joins_lines
stacks="$(line 1 print "$table")$(line 1 entry '"table":1,"key":["x",["f+0x1","g+0x2"]],"value":2')"
play "${stacks}exit 0\\n" --record "$dir/s.rec" -e "$script"
run --folded --flame "$dir/f.svg" --replay "$dir/s.rec"
output replay_folds_stacks 'x;g;f 2\n'
grep -q '<title>all (2, 100' "$dir/f.svg"
result $? replay_draws_flame_graphs
run --replay "$dir/s.rec"
output replay_shows_stacks 'x, \n        f+0x1\n        g+0x2: 2\n'
run -o "$dir/file" --replay "$dir/a.rec"
[ ! -s "$dir/out" ] && grep -qx 'n: 5' "$dir/file"
result $? replay_writes_to_a_file

# text, and histograms
play 'raw a\033b\nnote skipped 1\nexit 0\n' -f text --record "$dir/text.rec" -e "$script"
run -q --replay "$dir/text.rec"
output text_is_shown_as_it_was 'a\033b'
[ ! -s "$dir/err" ]
result $? quiet_replay_leaves_out_notes
run -f json --replay "$dir/text.rec"
expect text_is_no_json 2 'text.rec: it was recorded as text'
run --replay "$dir/a.rec" "$dir/text.rec"
expect text_is_not_merged 2 'text.rec: it was recorded as text, which has no times'
play "$(line 1 text '"text":"\\u001b[31m\\n"')exit 0\\n" --record "$dir/e.rec" -e "$script"
run --replay "$dir/e.rec"
output replay_does_not_command_the_terminal '?[31m\n'
chart='{"count":4,"sum":9,"min":1,"max":4,"avg":2,"buckets":[{"from":1,"count":1},{"from":4,"count":3}]}'
play "$(line 1 print "\"values\":[$chart]")exit 0\\n" --record "$dir/h.rec" -e "$script"
run --replay "$dir/h.rec"
output replay_shows_charts '     value ----- Distribution ----- count
         1 |@@@@@                   1
         4 |@@@@@@@@@@@@@@@@@       3
'
hidden="$(line 1 print '"values":["ktap:live","h",{"table":1}]')"
hidden="$hidden$(line 1 entry "\"table\":1,\"key\":[7],\"value\":$chart")$(line 1 print '"values":["ktap:live"]')"
hidden="$hidden$(line 2 print '"values":["seen"]')"
play "${hidden}exit 0\\n" --record "$dir/i.rec" --interval 1 -e 'h = hist()'
run --replay "$dir/i.rec"
output variables_for_other_views_are_hidden 'seen\n'
run --heatmap - --replay "$dir/i.rec"
expect replay_draws_heat_maps 0
grep -q '^h\[7\], a column' "$dir/out"
result $? heat_map_has_its_title
run --metrics "$dir/m.prom" --replay "$dir/i.rec"
grep -q '^ktap_h_count{script="-e",key1="7"} 4' "$dir/m.prom"
result $? replay_writes_metrics
echo old >"$dir/victim"
code=0
# shellcheck disable=SC2016 # the process id is that of ktap
sh -c 'ln -s "$2" "$1.$$.new" && exec "$0" --metrics "$1" --replay "$3"' \
	"$ktap" "$dir/n.prom" "$dir/victim" "$dir/i.rec" >"$dir/out" 2>"$dir/err" || code=$?
[ "$code" = 0 ] && [ "$(cat "$dir/victim")" = old ] && [ ! -L "$dir/n.prom" ] &&
	cmp -s "$dir/m.prom" "$dir/n.prom"
result $? metrics_are_not_written_through_a_link
run --heatmap - --replay "$dir/a.rec"
expect heat_map_needs_the_interval 2 'need --record FILE --interval SECONDS'

# several recordings: a.rec is of one boot, the other one of a clock that is 5 ns ahead
header() {
	printf 'ktap-recording 1\nformat json\nscript %s\nhost %s\nboot %s\nwall %s\nmonotonic %s\n\n' "$@"
}
# frame TEXT: a frame of output with a newline
frame() {
	# shellcheck disable=SC2059 # the format has an octal number
	printf "\\$(printf %o $((${#1} + 1)))\\0\\0\\0\\1\\0\\0\\0%s\n" "$1"
}
end='\4\0\0\0\4\0\0\0\0\0\0\0'
{
	header one a b1 1000 100
	frame '{"time":10,"type":"print","values":[{"table":1}]}'
	frame '{"time":10,"type":"entry","table":1,"key":["\"table\":1"],"value":1}'
	frame '{"time":30,"type":"text","text":"late\n"}'
	printf '%b' "$end"
} >"$dir/one.rec"
{
	header two b b2 1000 105
	frame '{"time":20,"type":"print","values":[{"table":1}]}'
	frame '{"time":20,"type":"entry","table":1,"key":["k"],"value":2}'
	printf '%b' "$end"
} >"$dir/two.rec"
run -f json --replay "$dir/one.rec" "$dir/two.rec"
expect clocks_of_recordings_are_reported 0 'two.rec: host b: -0.000000 s are added to its times'
cat >"$dir/wanted" <<'END'
{"time":10,"host":"a","boot":"b1","script":"one","type":"print","values":[{"table":2}]}
{"time":10,"host":"a","boot":"b1","script":"one","type":"entry","table":2,"key":["\"table\":1"],"value":1}
{"time":15,"host":"b","boot":"b2","script":"two","type":"print","values":[{"table":3}]}
{"time":15,"host":"b","boot":"b2","script":"two","type":"entry","table":3,"key":["k"],"value":2}
{"time":30,"host":"a","boot":"b1","script":"one","type":"text","text":"late\n"}
END
cmp -s "$dir/wanted" "$dir/out"
result $? recordings_are_merged_by_time
run -q --replay "$dir/two.rec" "$dir/one.rec"
output merged_recordings_are_shown_as_text '"table":1: 1\nk: 2\nlate\n'
[ ! -s "$dir/err" ]
result $? quiet_merge_says_nothing
run --metrics "$dir/m.prom" --replay "$dir/i.rec" "$dir/i.rec"
expect metrics_are_of_one_recording 2 'show one recording'

# what is wrong with a file
run --replay "$dir/no-such-file"
expect missing_recording_is_reported 2 'cannot open .*/no-such-file: No such file'
: >"$dir/x.rec"
run --replay "$dir/x.rec"
expect empty_recording_is_reported 2 'x.rec: it is empty'
run --replay "$dir/a.rec" "$0"
expect other_file_is_no_recording 2 'record.sh: it is no recording: ktap --record FILE makes one'
printf 'ktap-recording 2\nnew\n\n' >"$dir/x.rec"
run --replay "$dir/x.rec"
expect newer_recording_is_reported 2 'x.rec: it has version 2, and this ktap reads version 1'
printf 'ktap-recording 1\nformat xml\n\n' >"$dir/x.rec"
run --replay "$dir/x.rec"
expect unknown_format_is_reported 2 'no format that is known'
head -c 30 "$dir/a.rec" >"$dir/x.rec"
run --replay "$dir/x.rec"
expect cut_header_is_reported 2 'x.rec: it is cut off in its header'
size=$(($(wc -c <"$dir/a.rec")))
for cut in 1 12 13 30; do
	head -c $((size - cut)) "$dir/a.rec" >"$dir/x.rec"
	run --replay "$dir/x.rec"
	expect "cut_of_${cut}_bytes_is_reported" 1 'x.rec: the recording is cut off: its end is missing'
	[ "$(head -n 1 "$dir/out")" = '5 x' ]
	result $? "cut_of_${cut}_bytes_shows_the_rest"
done
header s h b 1 1 >"$dir/x.rec"
printf '\2\0\0\0\1\0\0\0x\n\1\0\0\0\77\0\0\0z' >>"$dir/x.rec"
run --replay "$dir/x.rec"
expect damaged_line_is_reported 1 'x.rec: the recording is damaged'
header s h b 1 1 >"$dir/x.rec"
printf '\1\0\0\0\77\0\0\0z' >>"$dir/x.rec"
run --replay "$dir/x.rec"
expect unknown_channel_is_reported 1 'x.rec: the recording is damaged'

# options, files, failures of the script
run --replay "$dir/a.rec" -p 1
expect replay_excludes_p 2 '--replay and -p exclude each other'
run --replay "$dir/a.rec" -- true
expect replay_takes_no_command 2 '--replay takes no command'
run --record "$dir/x.rec" -o file -e "$script"
expect record_excludes_o 2 '--record and -o exclude each other'
run --record "$dir/x.rec" -f csv -e "$script"
expect record_keeps_no_csv 2 'ktap -f csv --replay FILE makes it'
run --record "$dir/x.rec" -f text --interval 1 -e "$script"
expect variables_are_not_kept_as_text 2 '--interval cannot keep the variables as text'
run --interval 1 -e "$script"
expect interval_has_its_options 2 '--interval is for --metrics FILE, --heatmap FILE, --record FILE and --detach NAME'
run --record "$dir/none/x.rec" -e "$script"
expect recording_needs_its_folder 2 'cannot write to .*/none/x.rec: No such file'
play 'exit 0\n' --record /dev/full -e "$script"
expect full_disk_is_reported 1 'cannot write to /dev/full: No space left'
echo old >"$dir/old.rec"
run --record "$dir/old.rec" -e 'x = = 1'
[ "$code" = 2 ] && [ "$(cat "$dir/old.rec")" = old ]
result $? refused_script_keeps_the_old_file
echo old >"$dir/shared.rec"
chmod 644 "$dir/shared.rec"
(umask 0; play 'exit 0\n' -q --record "$dir/own.rec" -e "$script")
play 'exit 0\n' -q --record "$dir/shared.rec" -e "$script"
[ "$(stat -c %a "$dir/own.rec" "$dir/shared.rec" | tr '\n' ' ')" = '600 644 ' ] &&
	head -n 1 "$dir/shared.rec" | grep -q '^ktap-recording 1$'
result $? recording_is_only_for_its_user
ln -s "$dir/linked.rec" "$dir/link.rec"
play 'exit 0\n' -q --record "$dir/link.rec" -e "$script"
[ "$code" = 0 ] && [ "$(stat -c %a "$dir/linked.rec")" = 600 ]
result $? recording_may_be_a_link
(umask 0; play 'exit 0\n' -q -o "$dir/plain" -e "$script")
[ "$(stat -c %a "$dir/plain")" = 666 ]
result $? output_has_the_mode_of_a_redirection
if [ "$(id -u)" = 0 ]; then
	echo old >"$dir/theirs.rec"
	chmod 666 "$dir/theirs.rec"
	chown 4242 "$dir/theirs.rec"
	play 'exit 0\n' -q --record "$dir/theirs.rec" -e "$script"
	expect recording_replaces_no_file_of_others 2 'theirs.rec belongs to another user: name another file'
	[ "$(cat "$dir/theirs.rec")" = old ]
	result $? file_of_others_is_kept
else
	skip recording_replaces_no_file_of_others "not root"
	skip file_of_others_is_kept "not root"
fi
play 'pause\nsignal 15\nstop\nout {"time":1,"type":"text","text":"x"}\nexit 0\n' -q --record "$dir/x.rec" -e "$script"
run --replay "$dir/x.rec"
output stopped_recording_is_whole x

finish
