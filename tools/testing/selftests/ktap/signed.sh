#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Signed scripts: the policy "signed". $KTAP_SIGNED is a directory with trusted.ktap, a
# chunk signed by a key that this kernel trusts, program.ktap, another one, and unknown.ktap,
# signed by another key; lab/build makes them. See signed_only.sh for the policy "signed-only".

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/permission_table.sh"
signed=${KTAP_SIGNED:-$here/signed_chunks}
policy=$tracefs/ktap/policy
[ -e "$policy" ] || lacks "this kernel verifies no signatures"
[ -e "$signed/trusted.ktap" ] || lacks "there is no chunk that a key of this kernel has signed"
needs syscalls:sys_enter_getppid
plan 29

was=$(cat $paranoid)
mode=$(stat -c %a "$session")
trap 'echo permissions >"$policy"; everybody 0 700 "$mode"; echo "$was" >$paranoid; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cp "$signed"/*.ktap "$tmp/"
chmod 644 "$tmp"/*.ktap

user() { with "$workload" as $nobody "$KTAP" "$@"; }
# runs NAME: the signed script was run
runs() {
	[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = "signed	true" ]
	result $? "$1"
}
# says NAME PATTERN...: refused, and these lines are the only output
says() {
	name=$1
	shift
	[ "$code" = 2 ] && [ ! -s "$tmp/out" ] && matches "$tmp/err" "$@"
	result $? "$name"
}
only='^ktap: error: users without CAP_PERFMON may run only signed scripts \(ktap/policy\): '

is permissions_are_the_default "$(cat "$policy")" "[permissions] signed signed-only"
for name in '' sign SIGNED 'signed signed' signed-onlyyyyyyyyyyyyyyyyyyyy; do
	echo "$name" >"$policy" 2>/dev/null && echo "# '$name' was taken"
done | grep . ; [ $? = 1 ]
result $? other_words_are_refused
is and_change_nothing "$(cat "$policy")" "[permissions] signed signed-only"

echo 2 >$paranoid
run -q "$tmp/trusted.ktap"
runs who_may_run_all_may_run_signed_scripts
run -q "$tmp/unknown.ktap"
runs their_signatures_are_not_verified
everybody $nobody 750 660
user -q "$tmp/trusted.ktap"
says permissions_decide '^ktap: error: CAP_PERFMON is needed to trace all processes: '

echo signed >"$policy"
is signed_is_chosen "$(cat "$policy")" "permissions [signed] signed-only"
user -q "$tmp/trusted.ktap"
runs users_may_run_signed_scripts
user -q "$tmp/unknown.ktap"
says keys_must_be_trusted "${only}no key that this kernel trusts has signed it \\(see .builtin_trusted_keys\\)\$"
user -q -e 'print(1)'
says other_scripts_are_refused "${only}it is not signed \\(ktapc --sign signs it\\)\$"
user -q --unsafe "$tmp/trusted.ktap"
says signed_scripts_may_not_act 'error: unsafe: the opener of the session has no CAP_SYS_ADMIN$'
if has programs; then
	user -q "$tmp/program.ktap"
	says nor_trace_programs "error: 'uprobe:/bin/busybox:0x1000': CAP_PERFMON is needed to trace programs, by signed scripts, too\$"
else
	skip nor_trace_programs "this kernel has no probes in programs"
fi
run -q -e 'print("signed", true)'
runs root_may_run_other_scripts
run -q "$tmp/unknown.ktap"
runs root_may_use_other_keys

# Each changed byte is noticed, wherever it is: every 23rd is tried, or fewer (KTAP_DIVIDE).
size=$(stat -c %s "$tmp/trusted.ktap")
offset=24 accepted=
while [ $offset -lt "$size" ]; do
	cp "$tmp/trusted.ktap" "$tmp/changed.ktap"
	byte=$(od -An -tu1 -j $offset -N 1 "$tmp/changed.ktap" | tr -d ' ')
	# the next value, by its octal digits
	printf "\\$(printf %o $(((byte + 1) % 256)))" |
		dd of="$tmp/changed.ktap" bs=1 seek=$offset conv=notrunc 2>/dev/null
	user -q "$tmp/changed.ktap"
	[ "$code" = 2 ] && [ ! -s "$tmp/out" ] && grep -Eq "$only" "$tmp/err" || accepted="$accepted $offset"
	offset=$((offset + 23 * ${KTAP_DIVIDE:-1}))
done
is changed_bytes_are_noticed "$accepted" ""
# a byte of the signed text, changed
sed 's/signed/Signed/' "$tmp/trusted.ktap" >"$tmp/changed.ktap"
user -q "$tmp/changed.ktap"
says changed_text_is_named "${only}its signature does not match: it was changed after it was signed\$"
# the signature's last byte is missing: so is the chunk's
head -c $((size - 1)) "$tmp/trusted.ktap" >"$tmp/changed.ktap"
user -q "$tmp/changed.ktap"
says cut_chunks_are_refused 'a damaged chunk: it says [0-9]* bytes, not [0-9]*$'

# Perf's setting allows users what it allowed them before.
echo -1 >$paranoid
user -q -e 'print("signed", true)'
runs perf_event_paranoid_still_counts
user -q -e 'print("signed", kernel_string(1) == nil)'
says and_gives_no_more 'error: CAP_PERFMON is needed to read the memory of the kernel'
user -q "$tmp/trusted.ktap"
runs signed_scripts_may_do_more
echo 2 >$paranoid

# Only CAP_SYS_ADMIN chooses, even if the file's mode is wider.
chmod 666 "$policy"
with "$workload" as $nobody sh -c "echo permissions >$policy"
[ "$code" != 0 ] && grep -q 'not permitted' "$tmp/err"
result $? choosing_needs_cap_sys_admin
chmod 640 "$policy"

# Those who look at the sessions see which one has its rights from a signature.
printf '%s\n' "exec 3<>$session || exit 1" "cat $tmp/trusted.ktap >&3" 'read go' >"$tmp/signed.sh"
can_wait
"$workload" as $nobody sh "$tmp/signed.sh" <&9 >"$tmp/out" 2>"$tmp/err" &
shown=$!
listed() { grep -q ' attached=[0-9]*/[0-9]* signed=1$' "$tracefs/ktap/sessions"; }
wait_until listed
result $? sessions_show_the_signature
go_on
wait $shown
"$KTAP" -q -e "trace_begin { print(1) } trace_end { system('cat $tracefs/ktap/sessions') }" --unsafe >"$tmp/out" 2>"$tmp/err" </dev/null
! grep -q signed= "$tmp/out" && grep -q ' attached=0/0' "$tmp/out"
result $? and_of_no_other_one

# The policy at the time of loading counts, too.
printf '%s\n' "exec 3<>$session || exit 1" 'read go' "cat $tmp/trusted.ktap >&3 2>/dev/null" \
	'cat <&3' >"$tmp/late.sh"
"$workload" as $nobody sh "$tmp/late.sh" <&9 >"$tmp/out" 2>"$tmp/err" &
late=$!
opened() { grep -q ' open events=' "$tracefs/ktap/sessions"; }
wait_until opened
result $? session_is_open
echo permissions >"$policy"
go_on
wait $late
matches "$tmp/out" '^ktap: error: CAP_PERFMON is needed: ktap/policy has been changed since the session was opened$'
result $? policy_counts_when_the_script_is_loaded

# A session of own processes, which the policy allows no more
"$KTAPC" -o "$tmp/own.ktap" -e 'print(1)'
chmod 644 "$tmp/own.ktap"
printf '%s\n' "exec 3<>$session || exit 1" 'echo "pid $$" >&3' 'read go' \
	"cat $tmp/own.ktap >&3 2>/dev/null" 'cat <&3' >"$tmp/late.sh"
for policy_now in permissions signed; do
	"$workload" as $nobody sh "$tmp/late.sh" <&9 >"$tmp/out" 2>"$tmp/err" &
	late=$!
	wait_until opened
	result $? "own_session_is_open, $policy_now"
	echo $policy_now >"$policy"
	go_on
	wait $late
	if [ $policy_now = signed ]; then
		matches "$tmp/out" '^ktap: error: CAP_PERFMON is needed: ktap/policy has been changed since the session was opened$'
	else
		[ "$(head -n 1 "$tmp/out")" = 1 ]
	fi
	result $? "policy_counts_for_own_processes, $policy_now"
done

finish
