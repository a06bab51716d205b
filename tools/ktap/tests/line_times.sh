#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test -T: the time before each line, of a session and of recordings.
#
#	tests/line_times.sh KTAP FAKESESSION

ktap=${1:?usage: line_times.sh KTAP FAKESESSION}
fake=${2:?usage: line_times.sh KTAP FAKESESSION}
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
script='x = 1'
export TZ=UTC

# stamped: the output without its times, of which each must be one
stamped() {
	sed -E -e '/^$/b' -e 's/^[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6} /T /' "$dir/out"
}

# seconds N: the time of line N in seconds of the day
seconds() {
	sed -n "$1s/^\\([0-9]*\\):\\([0-9]*\\):\\([0-9.]*\\) .*/\\1 \\2 \\3/p" "$dir/out" |
		awk '{ printf "%.6f\n", ($1 * 60 + $2) * 60 + $3 }'
}

# between FIRST LAST: seconds from the time of one line to that of another, over midnight, too
between() {
	echo "$(seconds "$1") $(seconds "$2")" |
		awk '{ d = $2 - $1; printf "%.6f\n", d < 0 ? d + 86400 : d }'
}

play 'time 1000000000\nout a\ntime 2500001000\nout b\nexit 0\n' -T -e "$script"
expect a_session_has_times 0
[ "$(stamped)" = 'T a
T b' ]
result $? each_line_has_one
[ "$(between 1 2)" = 1.500001 ]
result $? they_are_those_of_the_records
grep -qx times "$dir/setup"
result $? the_kernel_is_asked_for_times
play 'split\ntime 1000000000\nout a\ntime 2500001000\nout b\nexit 0\n' --timestamps -e "$script"
[ "$(between 1 2)" = 1.500001 ]
result $? times_come_in_pieces
play 'time 1000\nraw a\ntime 5000001000\nout b\nout c\ntime 6\nout \nout \nout d\nexit 0\n' -T -e "$script"
[ "$(stamped)" = 'T ab
T c


T d' ] && [ "$(between 1 2)" = 5.000000 ]
result $? a_line_in_pieces_has_one_time
play 'time 1\nout a\ntime 2\nnote lost 1\nexit 0\n' -T -e "$script"
grep -qx 'ktap: lost 1' "$dir/err"
result $? messages_have_none
play 'time 1\nout a\nexit 0\n' -e "$script"
output without_the_option_there_are_none 'a\n'
! grep -q times "$dir/setup"
result $? nor_is_the_kernel_asked
play 'time 1\nout k ----- Distribution ----- n\nout x |@@ 2\nexit 0\n' -T --color always -e "$script"
[ "$(stamped | sed 's/\x1b\[[0-9]*m//g')" = 'T k ----- Distribution ----- n
T x |@@ 2' ] && grep -q '@@.*\[0m' "$dir/out"
result $? times_and_colours
play 'time 1\nbulk 3000000\nexit 0\n' -T -e "$script"
[ "$(wc -c <"$dir/out")" = 3000016 ] && stamped | grep -q '^T x*$'
result $? much_output_is_whole
echo 'of a file' >"$dir/file"
play "time 1\\nout a\\ncat $dir/file\\nexit 0\\n" -T -e "$script"
[ "$(stamped)" = 'T a
T of a file' ]
result $? files_have_times
play 'time 1\nout a\nexit 0\n' -T -o "$dir/written" -e "$script"
grep -qE '^[0-9:.]{15} a$' "$dir/written"
result $? a_file_has_times

# line TIME TYPE MEMBERS: a step that prints this line of JSON
line() {
	printf 'out {"time":%s,"type":"%s",%s}\\n' "$1" "$2" "$3"
}

# of_recording STEPS: a recording of a session that began at midnight of 2026-11-28, at second 5
of_recording() {
	play "$1exit 0\\n" --record "$dir/a.rec" -e "$script"
	sed -i -e 's/^wall .*/wall 1795824000000000000/' -e 's/^monotonic .*/monotonic 5000000000/' "$dir/a.rec"
}

of_recording "$(line 5000000000 text '"text":"one\\ntwo"')$(line 6000000000 text '"text":"\\nthree\\n"')"
run -T --replay "$dir/a.rec"
output recordings_have_dates '2026-11-28 00:00:00.000000 one
2026-11-28 00:00:00.000000 two
2026-11-28 00:00:01.000000 three
'
TZ=EST+5 run -T --replay "$dir/a.rec"
[ "$(head -n 1 "$dir/out")" = '2026-11-27 19:00:00.000000 one' ]
result $? of_the_own_zone
of_recording "$(line 4000000000 text '"text":"before\\n"')"
run -T --replay "$dir/a.rec"
output times_before_the_beginning '2026-11-27 23:59:59.000000 before\n'
of_recording "$(line 5000000000 print '"values":["t",{"table":1},"end"]')$(line 5000000000 entry \
	'"table":1,"key":["a"],"value":7')$(line 6000000000 text '"text":"other\\n"')$(line 5000000000 entry \
	'"table":1,"key":["b"],"value":8')$(line 7000000000 print_hist '"values":[{"table":2}]')$(line 7000000000 entry \
	'"table":2,"key":["big"],"value":3')$(line 9000000000 variable '"name":"n","value":5')"
run -T --replay "$dir/a.rec"
output tables_have_times '2026-11-28 00:00:00.000000 t	a: 7
2026-11-28 00:00:00.000000 b: 8	end
2026-11-28 00:00:01.000000 other
2026-11-28 00:00:02.000000      value ----- Distribution ----- count
2026-11-28 00:00:02.000000        big |@@@@@@@@@@@@@@@@@@@@@@@ 3
2026-11-28 00:00:04.000000 n: 5
'
run --replay "$dir/a.rec"
output without_the_option_recordings_have_none 't	a: 7
b: 8	end
other
     value ----- Distribution ----- count
       big |@@@@@@@@@@@@@@@@@@@@@@@ 3
n: 5
'
many=$(i=0; while [ $i -lt 3000 ]; do line 5000000000 text '"text":"a line of some length\\n"'; i=$((i + 1)); done)
of_recording "$many"
run -T --replay "$dir/a.rec"
[ "$(sort -u "$dir/out")" = '2026-11-28 00:00:00.000000 a line of some length' ] &&
	[ "$(wc -l <"$dir/out")" = 3000 ]
result $? long_recordings_have_times

run -T -f json -e "$script"
expect json_has_times_of_its_own 2 '-T is for text: json and csv have the time in each line$'
run -T -f csv --replay "$dir/a.rec"
expect so_has_csv 2 '-T is for text'
run -T --record "$dir/b.rec" -e "$script"
expect recordings_keep_times_anyway 2 'ktap -T --replay FILE shows them'
run -T --detach name -e "$script"
expect so_do_detached_sessions 2 'ktap -T --attach NAME shows them'
run -T --flame "$dir/x.svg" -e "$script"
expect pictures_have_no_lines 2 '-T'
play 'raw text\nexit 0\n' -f text --record "$dir/text.rec" -e "$script"
run -T --replay "$dir/text.rec"
expect text_was_recorded_without_times 2 'it was recorded as text, which has no times'
finish
