#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test detached sessions with a fake session, and the limits of a run.
#
#	tests/detach.sh KTAP FAKESESSION

ktap=${1:?usage: detach.sh KTAP FAKESESSION}
fake=${2:?usage: detach.sh KTAP FAKESESSION}
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
script='x = 1'
export KTAP_RUN="$dir/run"

# wait_until COMMAND...
wait_until() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 400 ] || return 1
		sleep 0.05
	done
}

# sessions: the names of the sessions
sessions() {
	"$ktap" --sessions | sed '1d; s/ .*//'
}
has_session() { sessions | grep -qx "$1"; }
has_no_session() { [ -z "$(sessions)" ] && [ -z "$(ls "$KTAP_RUN")" ]; }
# field NAME N: a column of the list
field() {
	"$ktap" --sessions | awk -v name="$1" -v n="$2" '$1 == name { print $n }'
}
field_is() { [ "$(field "$1" "$2")" = "$3" ]; }

text() {
	printf 'out {"time":1,"type":"text","text":"%s\\\\n"}\\n' "$1"
}

# the session has ended: its output waits
play "$(text one)note lost 2 records\\nexit 3\\n" --detach first -e "$script"
expect detach_returns_when_the_session_is_armed 0
[ ! -s "$dir/out" ] && [ "$(stat -c %a "$KTAP_RUN/first")" = 600 ]
result $? only_the_owner_may_attach
[ "$(stat -c %a "$KTAP_RUN/.lock")" = 600 ]
result $? only_the_owner_may_lock_the_folder
grep -qx 'format json' "$dir/setup"
result $? detached_output_is_json
wait_until field_is first 4 ended
result $? list_shows_that_it_has_ended
"$ktap" --sessions >"$dir/out"
grep -Eq "^first +$(id -un) +[0-9]+ ended +0:00:[0-9]+ +1 +0 +1k +- -e\$" "$dir/out"
result $? list_shows_owner_age_and_memory
run --detach first -e "$script"
expect name_is_taken 2 "there is a session 'first': ktap --attach first shows it"
run --attach first
expect attach_ends_as_the_session 3 '^ktap: lost 2 records$'
output attach_shows_the_output 'one\n'
wait_until has_no_session
result $? output_that_was_shown_is_gone
run --attach first
expect no_such_session_to_show 2 "there is no session 'first': ktap --sessions lists them"
run --stop first
expect no_such_session_to_stop 2 "there is no session 'first'"

# a running session: attach twice, stop
(play "$(text a)$(text b)pause\\nstop\\n$(text end)exit 0\\n" --detach run -e "$script") &
player=$!
wait_until field_is run 6 2
result $? list_counts_lines
"$ktap" --attach run >"$dir/attached" 2>"$dir/err" &
reader=$!
wait_until grep -qs b "$dir/attached"
result $? attach_shows_output_of_a_running_session
kill $reader
wait $reader 2>/dev/null
run -f json --stop run
[ "$code" = 0 ] && [ "$(grep -o '"text":"[a-z]*' "$dir/out" | cut -c 9- | tr '\n' ' ')" = 'a b end ' ]
result $? stop_shows_all_output
wait $player
wait_until has_no_session
result $? stopped_session_is_gone

# SIGTERM to the keeper, kill -9 to the keeper, kill -9 to the runner
(play 'pause\nstop\nexit 0\n' --detach term -e "$script") &
player=$!
wait_until has_session term
kill "$(field term 3)"
wait $player
wait_until has_no_session
result $? keeper_ends_by_sigterm
: >"$dir/unknown"
(play "remove $dir/unknown\\npause\\ngone\\n" --detach killed -e "$script"; exit "$code") &
player=$!
wait_until has_session killed
# until the fake session knows who has it
wait_until [ ! -e "$dir/unknown" ]
kill -9 "$(field killed 3)"
wait $player
result $? session_of_a_killed_keeper_ends
[ -e "$KTAP_RUN/killed" ] && ! has_session killed && [ ! -e "$KTAP_RUN/killed" ]
result $? list_shows_no_killed_keeper
play "$(text kept)pause\\nsignal 9\\ngone\\n" --detach broken -e "$script"
wait_until field_is broken 4 ended
result $? list_shows_that_the_runner_has_ended
run --attach broken
expect output_of_a_killed_runner_is_cut_off 1 'broken: the recording is cut off'
output output_of_a_killed_runner_is_shown 'kept\n'

# the oldest output is overwritten, and counted
lines=20000
awk -v n=$lines 'BEGIN { for (i = 1; i <= n; i++) printf "out {\"time\":%d,\"type\":\"text\",\"text\":\"%d\\n\"}\n", i, i; print "exit 0" }' |
	timeout 60 "$fake" "$dir" "$ktap" --keep 64k --detach small -e "$script" >"$dir/out" 2>"$dir/err"
wait_until field_is small 4 ended
run --attach small
lost=$(sed -n 's/^ktap: overwrote \([0-9]*\) older lines of output: --keep SIZE keeps more than 65536 bytes$/\1/p' "$dir/err")
[ "$lost" -gt 0 ] && [ "$(tail -n 1 "$dir/out")" = $lines ] && [ "$(head -n 1 "$dir/out")" = $((lost + 1)) ] &&
	[ "$(wc -l <"$dir/out")" = $((lines - lost)) ]
result $? overwritten_output_is_counted

# scripts that are refused, options
run --detach bad -e 'x = = 1'
expect refused_script_is_reported 2 '^-e:1:5: error:'
has_no_session
result $? refused_script_leaves_no_session
awk 'BEGIN { for (i = 0; i < 50; i++) printf "x = \"%04000d\"\n", i }' >"$dir/large.kp"
play "loading 1/1\\n$(text top)pause\\nerr large.kp:1:3: error: bad\\nrefuse\\n" --detach bad "$dir/large.kp"
if [ "$code" = 93 ]; then
	skip script_refused_by_the_kernel_leaves_no_session 'no way to hold the loading of a chunk'
else
	expect script_refused_by_the_kernel_is_reported 2 '^large.kp:1:3: error: bad'
	has_no_session
	result $? script_refused_by_the_kernel_leaves_no_session
fi
for name in '' .x a/b "$(printf 'a\nb')" "$(printf '%065d' 1)"; do
	run --detach "$name" -e "$script"
	expect "name_'$(echo "$name" | tr '\n' ' ' | head -c 5)'_is_refused" 2 'a name of a session has 1 to 64 letters'
done
run --detach x -e "$script" -- true
expect detach_takes_no_command 2 '--detach takes no command'
run --keep 1k --detach x -e "$script"
expect little_memory_is_refused 2 '--keep needs at least 64k'
run --keep 1M -e "$script"
expect keep_needs_detach 2 '--keep needs --detach NAME'
run --attach x -e "$script"
expect attach_excludes_a_script 2 '--attach and -e exclude each other'
run --attach x script.kp
expect attach_takes_no_script 2 'take no script'
run --detach x -f csv -e "$script"
expect detach_keeps_no_csv 2 'ktap -f csv --attach NAME makes it'
KTAP_RUN=/proc/no run --detach x -e "$script"
expect folder_cannot_be_made 2 'cannot make the folder /proc/no'
if [ "$(id -u)" = 0 ]; then
	chmod 755 "$dir"
	mkdir -p "$dir/of_root"
	(play 'pause\nstop\nexit 0\n' --detach mine -e "$script") &
	player=$!
	wait_until has_session mine
	chmod 755 "$KTAP_RUN"
	code=0
	# the folder of the tool may be closed to others
	cp "$ktap" "$dir/copy"
	setpriv --reuid 65534 --clear-groups env KTAP_RUN="$KTAP_RUN" "$dir/copy" --stop mine 2>"$dir/err" || code=$?
	expect session_of_another_user 2 "the session 'mine' belongs to root"
	"$ktap" -q --stop mine
	wait $player
else
	skip session_of_another_user 'needs root'
fi

# sessions that began at boot: an ordinary file stands for that of the kernel, so that the
# line "stop" replaces its beginning
export KTAP_TRACEFS="$dir/boot"
mkdir -p "$KTAP_TRACEFS/ktap/boot"
cat >"$KTAP_TRACEFS/ktap/sessions" <<'EOT'
7 1 swapper/0 /boot/my\040chunk.ktap running events=9 lost=12 memory=2047 overhead=0.00% attached=1/1 boot=early
  sched:sched_switch hits=9 filtered=0 missed=0 skipped=0 errors=0 time=0 code=native boot=no
8 99 ktap other.kp running events=0 lost=0 memory=1 overhead=0.00% attached=1/1
EOT
"$ktap" --sessions >"$dir/out"
[ "$(wc -l <"$dir/out")" = 2 ] &&
	grep -Eq '^early +\(boot\) +- running +[0-9]+:[0-9]{2}:[0-9]{2} +- +12 +- +2k /boot/my.040chunk.ktap$' "$dir/out"
result $? sessions_of_the_boot_are_listed
echo "one two" >"$KTAP_TRACEFS/ktap/boot/early"
run --attach early
expect sessions_of_the_boot_can_be_shown 0
output as_they_are 'one two\n'
run --attach early -o "$dir/file"
[ "$code" = 0 ] && [ "$(cat "$dir/file")" = "one two" ]
result $? their_output_goes_to_a_file
run --attach early -f json
expect they_have_only_text 2 "the session 'early' began at boot, and has only text: attach to it without -f"
run --attach early --flame "$dir/file.svg"
expect they_have_no_stacks 2 "the session 'early' began at boot, and has only text: attach to it without --flame"
run --attach early -o "$dir/no/file"
expect file_for_them_cannot_be_made 2 'cannot open .*/no/file: No such file'
run --stop early
[ "$code" = 0 ] && grep -qx stop "$KTAP_TRACEFS/ktap/boot/early"
result $? they_can_be_stopped
output and_are_shown_to_the_end 'wo\n'
mkdir "$KTAP_TRACEFS/ktap/boot/folder"
run --attach folder
expect they_are_files 2 "cannot open the session 'folder', which began at boot: Is a directory"
run --stop late
expect no_such_session_of_the_boot 2 "there is no session 'late': ktap --sessions lists them"
if [ -w /dev/full ]; then
	code=0
	"$ktap" --attach early >/dev/full 2>"$dir/err" || code=$?
	expect full_output_is_an_error 1 'cannot write the output: No space left'
else
	skip full_output_is_an_error 'there is no /dev/full'
fi
unset KTAP_TRACEFS

# dumps: by the script, before and at its end, and by a signal
replays() { [ -s "$1" ] && [ "$("$ktap" --replay "$1" 2>"$dir/notes")" = "$(printf "$2")" ]; }
(play "$(text a)dump too\\tslow\n$(text b)$(text c)pause\nstop\n$(text d)dump dump()\nexit 0\n" \
	--detach dumps --dump "$dir/dumped" -e "$script") &
player=$!
wait_until [ -s "$dir/dumped.1" ] && wait_until replays "$dir/dumped.1" 'a\n'
result $? dump_writes_what_is_kept
grep -qx 'ktap: dump: too slow' "$dir/notes" && [ "$(stat -c %a "$dir/dumped.1")" = 600 ]
result $? dump_has_its_reason
wait_until field_is dumps 6 3
kill -USR1 "$(field dumps 3)"
wait_until [ -s "$dir/dumped.2" ] && wait_until replays "$dir/dumped.2" 'b\nc\n'
result $? signal_dumps_what_came_since
run --stop dumps
wait $player
[ "$code" = 0 ] && [ "$(tr '\n' ' ' <"$dir/out")" = 'a b c d ' ]
result $? dumped_output_is_kept_as_well
grep -qx "ktap: dump: wrote $dir/dumped.1: too slow" "$dir/err" && grep -q "wrote $dir/dumped.2: SIGUSR1" "$dir/err"
result $? dumps_are_reported
wait_until replays "$dir/dumped.3" 'd\n'
result $? dump_at_the_end_is_written
seq 20000 | sed 's/.*/out {"time":&,"type":"text","text":"&\\n"}/
	$a dump it\nexit 0' | timeout 60 "$fake" "$dir" "$ktap" --keep 64k --detach dumps --dump "$dir/small" -e "$script" >"$dir/out" 2>"$dir/err"
wait_until field_is dumps 4 ended
run --stop dumps
"$ktap" --replay "$dir/small.1" >"$dir/out" 2>"$dir/notes"
lost=$(sed -n 's/^ktap: overwrote \([0-9]*\) older lines.*/\1/p' "$dir/notes")
[ "$lost" -gt 0 ] && [ "$(wc -l <"$dir/out")" = $((20000 - lost)) ]
result $? dump_counts_what_was_overwritten
"$ktap" -q -f json --replay "$dir/small.1" 2>/dev/null | head -n 2 >"$dir/out"
[ "$(sed -n 's/^{"time":\([0-9]*\),"type":"loss".*/\1/p' "$dir/out")" = $((lost + 1)) ]
result $? loss_has_the_time_of_the_next_line
for n in $(seq 16); do : >"$dir/full.$n"; done
play "dump one\ndump two\nexit 0\n" --detach dumps --dump "$dir/full" -e "$script"
run --stop dumps
expect many_dumps_stop_further_ones 0 "dump: not written: there are $dir/full.1 to $dir/full.16; remove"
[ "$(grep -c 'not written' "$dir/err")" = 1 ] && [ ! -e "$dir/full.17" ] && [ ! -s "$dir/full.16" ]
result $? this_is_said_once
play "dump one\nexit 0\n" --detach dumps --dump "$dir/no/file" -e "$script"
run --stop dumps
expect dump_that_fails_is_reported 0 "dump: cannot write $dir/no/file.1: No such file or directory"
# what a dump could not write is in the next one
if mkdir "$dir/disk" && mount -t tmpfs -o size=16k tmpfs "$dir/disk" 2>/dev/null; then
	(awk 'BEGIN { for (i = 1; i <= 400; i++) printf "out {\"time\":%d,\"type\":\"text\",\"text\":\"%d\\n\"}\n", i, i
		print "dump first\nout {\"time\":401,\"type\":\"text\",\"text\":\"401\\n\"}\npause\nstop\nexit 3" }' |
		timeout 60 "$fake" "$dir" "$ktap" --detach dumps --dump "$dir/disk/d" -e "$script" >"$dir/out" 2>"$dir/err") &
	player=$!
	wait_until field_is dumps 6 401
	"$ktap" --attach dumps >"$dir/attached" 2>"$dir/notes" &
	reader=$!
	wait_until grep -q 'cannot write' "$dir/notes" && [ ! -e "$dir/disk/d.1" ]
	result $? a_file_that_is_not_complete_is_removed
	mount -o remount,size=1m "$dir/disk"
	kill -USR1 "$(field dumps 3)"
	all_again() { "$ktap" --replay "$dir/disk/d.1" 2>/dev/null | cmp -s - "$dir/wanted"; }
	seq 401 >"$dir/wanted"
	wait_until all_again
	result $? the_next_dump_has_all
	run --stop dumps
	expect dump_that_failed_is_reported 3 "dump: cannot write $dir/disk/d.1: No space left"
	wait $player $reader
	umount "$dir/disk"
else
	for name in a_file_that_is_not_complete_is_removed the_next_dump_has_all dump_that_failed_is_reported; do
		skip $name 'no permission to mount a tmpfs'
	done
fi
# a session that has ended, and text without a newline
play "raw part\\ndump \\001\\nexit 3\\n" -f text --detach dumps --dump "$dir/ended" -e "$script"
wait_until field_is dumps 4 ended
kill -USR1 "$(field dumps 3)"
wait_until replays "$dir/ended.2" ''
run --stop dumps
run --replay "$dir/ended.2"
expect dump_of_an_ended_session_has_its_exit_code 3
run --replay "$dir/ended.1"
output text_without_a_newline_is_dumped 'part'
if [ -e /dev/full ]; then
	ln -s /dev/full "$dir/link.1"
	play "dump one\nexit 0\n" --detach dumps --dump "$dir/link" -e "$script"
	run --stop dumps
	[ -h "$dir/link.1" ] && [ -s "$dir/link.2" ]
	result $? dump_does_not_follow_links
fi
play "dump one\ndump two\nexit 0\n" --detach dumps -e "$script"
run --stop dumps
expect dump_needs_a_file 0 'dump() writes nothing: only ktap --detach NAME --dump FILE keeps output for it'
play "dump one\ndump two\nout end\nexit 0\n" -e "$script"
expect dump_without_a_keeper_is_reported 0 'dump() writes nothing'
[ "$(grep -c 'writes nothing' "$dir/err")" = 1 ] && [ "$(cat "$dir/out")" = end ]
result $? this_is_reported_once
# a dump that is due when another one is asked for would be one with it
play "$(text a)dump one\\nawait $dir/again.1\\ndump two\\ndump two\\nexit 0\\n" --detach dumps --dump "$dir/again" -e "$script"
run --stop dumps
expect dump_without_new_output_is_reported 0 "dump: not written, as no output came since $dir/again.1: two"
[ "$(grep -c 'not written' "$dir/err")" = 1 ] && [ ! -e "$dir/again.2" ]
result $? it_is_not_written
run --dump x -e "$script"
expect dump_needs_detach 2 '--dump needs --detach NAME'

# a name that was stopped is free
reused=0
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	play "$(text $n)exit 0\n" -f text --detach reused -e "$script"
	[ "$code" = 0 ] || break
	run --stop reused
	[ "$code" = 0 ] && grep -q "\"text\":\"$n" "$dir/out" || break
	reused=$n
done
[ $reused = 20 ]
result $? a_name_is_free_at_once

# limits, which need no keeper
play "$(text 1)$(text 2)stop\\n$(text 3)exit 0\\n" -f json --until 2 -e "$script"
[ "$code" = 0 ] && [ "$(wc -l <"$dir/out")" = 3 ]
result $? until_ends_after_these_lines
play 'stop\nout end\nexit 0\n' --for 1 -e "$script"
output for_ends_after_this_time 'end\n'
for time in 0 1x s 5ms 999999999 -1; do
	run --for "$time" -e "$script"
	expect "time_${time}_is_refused" 2 "--for '$time': not a time (try 30s, 10m or 2h)"
done

finish
