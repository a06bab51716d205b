#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Scripts that run at boot. The kernel must have been booted with the scripts of boot_scripts/,
# compiled, in /boot of the initramfs, and with the parameters of one of these cases, which
# BOOT_CASE names. lab/boot does that.

. "$(dirname "$0")/lib.sh"
folder=$tracefs/ktap/boot

# logged TEXT: the kernel's log has a line that ends with it
logged() {
	dmesg | sed 's/^\[[^]]*\] //' | grep -qxF "ktap: boot $1"
	result $? "$2"
}
is_listed() { grep -q " boot=$1\$" "$tracefs/ktap/sessions"; }
boot_state() { sed -n "s/.* \([a-z]*\) events=.* boot=$1\$/\1/p" "$tracefs/ktap/sessions"; }
has_ended() { [ "$(boot_state "$1")" = ended ]; }
# read_some NAME: read what is there, of a session that goes on
read_some() { timeout 2 cat "$folder/$1" >"$tmp/out"; }

# count_losses MESSAGE: each event of counts.kp in $tmp/out is a line, or it is counted
count_losses() {
	counted=$(sed -n 's/^counted \([0-9]*\) with .*/\1/p' "$tmp/out")
	lost=$(sed -n "s/^ktap: $1/\1/p" "$tmp/out")
	lines=$(grep -c '^[0-9]\{32\}$' "$tmp/out")
	[ "${counted:-0}" -ge 20000 ]
	result $? all_events_came
	[ "${lost:-0}" -gt 0 ] && [ "$lines" -gt 1000 ]
	result $? not_all_fits
	is what_is_lost_is_counted "$((lines + lost))" "$counted"
}

in_order() {
	plan 34
	is loaded_scripts_have_files "$(echo "$folder"/*)" \
		"$folder/counts $folder/done $folder/fails $folder/first_second"
	is state_is_running "$(boot_state first_second)" running
	is mode_is_that_of_sessions "$(stat -c %a "$folder/counts")" 600

	! "$workload" without 21 "$workload" without 38 cat "$folder/counts" >"$tmp/out" 2>"$tmp/err" &&
		grep -q 'Operation not permitted' "$tmp/err"
	result $? mode_is_not_enough

	# errors
	logged "script /boot/none.ktap: there is no file /boot/none.ktap in the initramfs" no_such_file
	logged "script /boot/text.ktap: /boot/text.ktap is no compiled script: ktapc makes one" no_chunk
	logged "script /boot/refused.ktap: refused.kp:4:7: error: no event 'sched:no_such_event'" refused
	dmesg | grep -q 'boot script /boot/unsafe.ktap: unsafe.kp:3:18: error: system can change the running system: to allow it, write'
	result $? unsafe
	dmesg | grep -q 'boot script /boot/cut.ktap: /boot/cut.ktap has 100 bytes, and the chunk in it [0-9]*: copy it again'
	result $? cut
	logged "script /boot/more/counts.ktap: there is a session 'counts' already: choose another name" twice
	dmesg | grep -q "boot script /boot/a:b.ktap: the name of the file, which the session gets, has 1 to 64 letters"
	result $? bad_name
	dmesg | grep -q 'boot script /boot/fails.ktap: fails.kp:4:15: error: not today'
	result $? run_time_error
	dmesg | grep -q 'boot script /boot/first_second.ktap: 4 events, output in ktap/boot/first_second of tracefs'
	result $? success_is_logged

	# output that waited, and the end
	has_ended "done"
	result $? a_script_without_events_is_over
	is its_output_waits "$(cat "$folder/done")" "hello from /boot/done.ktap"
	[ ! -e "$folder/done" ] && ! is_listed "done"
	result $? it_is_gone_after_it_was_read
	cat "$folder/fails" >"$tmp/out"
	grep -q 'fails.kp:4:15: error: not today' "$tmp/out"
	result $? the_error_is_in_the_output_too

	# counts: all that is lost is counted
	"$workload" pin 0 getppid 20000
	! echo go >"$folder/counts" 2>"$tmp/err" && grep -q 'Invalid argument' "$tmp/err"
	result $? stop_is_the_only_command
	is_listed counts && [ "$(boot_state counts)" = running ]
	result $? others_do_no_harm
	echo stop >"$folder/counts"
	wait_until has_ended counts || true
	[ -e "$folder/counts" ]
	result $? output_stays_after_stop
	exec 9<"$folder/counts"
	cat "$folder/counts" >"$tmp/out"
	[ -e "$folder/counts" ]
	result $? the_last_user_removes_it
	exec 9<&-
	[ ! -e "$folder/counts" ]
	result $? when_it_closes_the_file
	is nobody_is_listed "$(is_listed counts && echo yes)" ""
	count_losses 'lost \([0-9]*\) output records: .*'
	grep -q "with /boot/counts.ktap nil nil" "$tmp/out"
	result $? argument_0_is_the_file
	grep -q "'go' is no command: there is 'stop'" "$tmp/out"
	result $? errors_of_commands_are_there_too

	# a session that is read while it runs
	read_some first_second
	grep -q '^ktap: total enabled 4 events$' "$tmp/out"
	result $? it_can_be_read_while_it_runs
	[ -e "$folder/first_second" ] && [ "$(boot_state first_second)" = running ]
	result $? and_goes_on
	echo stop >"$folder/first_second"
	cat "$folder/first_second" >"$tmp/out"
	result $? trace_end_runs
	[ ! -e "$folder/first_second" ]
	result $? all_was_read

	# of the log: those that began after the script did
	calls=$(dmesg | sed -n '/ktap: boot script .*first_second/,$p' |
		sed -nE 's/.*\] initcall ([^ +]*)(\+.*)? returned .*/\1/p' | grep -vc '^boot_init$')
	is all_later_initcalls_are_counted "$(sed -n 's/^\([0-9]*\) initcalls$/\1/p' "$tmp/out")" "$calls"
	[ "$calls" -gt 100 ] && grep -q '^[a-z_0-9]* *[0-9]*$' "$tmp/out" && grep -q 'swapper/' "$tmp/out"
	result $? they_have_names
}

too_many() {
	plan 3
	is eight_are_loaded "$(echo "$folder"/* | wc -w)" 8
	logged "script /boot/done9.ktap: at most 8 scripts run at boot" the_ninth_is_not
	cat "$folder"/* >"$tmp/out"
	[ "$(grep -c '^hello from /boot/done[1-8].ktap$' "$tmp/out")" = 8 ] && no_sessions
	result $? all_are_gone_after_they_were_read
}

# near_ends: the 100th and the last time in $tmp/out
near_ends() { sed -n '/^[0-9]\{32\}$/p' "$tmp/out" | sed -n '100p;$p' | tr '\n' ' '; }

of_bootconfig() {
	plan 27
	is loaded_scripts_have_files "$(cd "$folder" && echo *)" "acts json newest oldest twice"
	logged "session no_chunk (bootconfig): it has no chunk: chunk = FILE" no_chunk
	logged "session missing (bootconfig): there is no file /boot/none.ktap in the initramfs" no_such_file
	dmesg | grep -q "boot session colour (bootconfig): 'colour' is no setting: there are chunk, args, "
	result $? no_such_setting
	logged "session all (bootconfig): cannot keep 'all' records: there are oldest and newest" wrong_value
	logged "session lines (bootconfig): args has a value of more than one line" two_lines
	dmesg | grep -q "boot session no_number (bootconfig): memory is a number of bytes, at least "
	result $? no_number
	dmesg | grep -q 'boot session refused_json (bootconfig): {"time":.*"type":"error"'
	result $? error_in_json_is_logged
	logged "session several (bootconfig): cpus has more than one value: put a text with commas into quotes" several
	logged "session twice (bootconfig): there is a session 'twice' already: choose another name" twice
	is unsafe_is_a_setting "$(boot_state acts)" running
	grep -q '^{"time":.*"values":\["hello from /boot/done.ktap"\]}$' "$folder/json"
	result $? format_is_a_setting

	"$KTAP" --sessions >"$tmp/out"
	grep -Eq '^acts +\(boot\) +- running .* /boot/unsafe.ktap$' "$tmp/out" &&
		grep -Eq '^twice +\(boot\) +- ended ' "$tmp/out"
	result $? the_tool_lists_them
	run --attach twice
	[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = "hello from /boot/more/twice.ktap" ]
	result $? the_tool_attaches
	run --attach twice
	[ "$code" = 2 ] && grep -q "there is no session 'twice'" "$tmp/err"
	result $? once
	run --stop acts
	[ "$code" = 0 ] && [ ! -e "$folder/acts" ]
	result $? the_tool_stops_them
	code=0
	"$workload" without 21 "$workload" without 38 "$KTAP" --attach oldest >"$tmp/out" 2>"$tmp/err" || code=$?
	[ "$code" = 2 ] && grep -q "cannot open the session 'oldest', which began at boot: Operation not permitted" "$tmp/err"
	result $? the_tool_needs_permissions
	run --attach oldest -f json
	[ "$code" = 2 ] && is_listed oldest
	result $? forms_of_output_are_refused_early

	"$workload" pin 0 getppid 20000
	echo stop >"$folder/oldest"
	cat "$folder/oldest" >"$tmp/out"
	count_losses 'lost \([0-9]*\) output records: .*'
	oldest=$(near_ends)
	echo stop >"$folder/newest"
	wait_until has_ended newest
	sed -n 's/.* lost=\([0-9]*\) .* boot=newest$/\1/p' "$tracefs/ktap/sessions" >"$tmp/listed"
	cat "$folder/newest" >"$tmp/out"
	count_losses 'overwrote \([0-9]*\) output records by newer ones'
	is overwritten_records_are_listed "$(cat "$tmp/listed")" "$lost"
	newest=$(near_ends)
	# shellcheck disable=SC2086 # two words each
	set -- $oldest $newest
	[ "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" = "$1 $2 $3 $4 " ] && [ "$2" != "$3" ]
	result $? the_oldest_or_the_newest_are_kept
	grep -q '^counted [0-9]* with /boot/counts.ktap 5 two words$' "$tmp/out"
	result $? args_are_arguments
}

# A kernel that is locked down has no tracefs.
locked_down() {
	tracefs=/nowhere
	echo "TAP version 13"
	echo "1..1"
	planned=1 tmp=/nowhere
	dmesg | grep -q 'boot script /boot/counts.ktap: refused, error -1: is the kernel locked down?'
	result $? a_kernel_that_is_locked_down_refuses
}

# The built-in script runs from the initcalls of subsystems on, without any file.
built_in() {
	plan 8
	is built_in_scripts_have_files "$(echo "$folder"/*)" "$folder/again $folder/built-in"
	is built_in_script_runs "$(boot_state built-in)" running
	dmesg | grep -q 'boot script built-in: 1 events, output in ktap/boot/built-in of tracefs'
	result $? built_in_script_is_logged
	echo stop >"$folder/built-in"
	cat "$folder/built-in" >"$tmp/out"
	is the_first_event_is_the_initcall_that_begins_it "$(head -n 1 "$tmp/out")" boot_init_built_in
	grep -qx ktap_init "$tmp/out" && grep -qx populate_rootfs "$tmp/out"
	result $? it_sees_what_comes_before_the_initramfs
	is command_line_has_no_arguments "$(tail -n 1 "$tmp/out")" 'argument none'
	echo stop >"$folder/again"
	is bootconfig_has_arguments "$(tail -n 1 "$folder/again")" 'argument seen'
	dmesg | grep -q 'boot session refused (bootconfig): .*memory'
	result $? wrong_setting_is_refused
}

# While another session uses fprobes, functions stay patched until their fprobe is gone.
pci_functions() { grep -c '^pci_' "$tracefs/enabled_functions"; }
init_functions() {
	plan 3
	start -q -e 'trace probe:vfs_* { n += 1 }'
	[ "$(pci_functions)" -gt 10 ]
	result $? functions_are_patched
	echo stop >"$folder/init"
	is functions_of_init_memory_are_traced "$(tail -n 1 "$folder/init")" 'true	true'
	is functions_are_not_patched_afterwards "$(pci_functions)" 0
	stop
}

case $BOOT_CASE in
cmdline) in_order ;;
many) too_many ;;
config) of_bootconfig ;;
locked) locked_down ;;
built_in) built_in ;;
init) init_functions ;;
*) skip_test "BOOT_CASE says how the kernel was booted" ;;
esac
finish
