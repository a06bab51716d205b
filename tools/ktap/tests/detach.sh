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
(play 'pause\ngone\n' --detach killed -e "$script"; exit "$code") &
player=$!
wait_until has_session killed
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
