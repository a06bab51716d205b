#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The policy "signed-only". Only a reboot undoes it: the test runs only if
# KTAP_MAY_LOCK_DOWN is set, and no test of ktap can follow. See signed.sh.

. "$(dirname "$0")/lib.sh"
signed=${KTAP_SIGNED:-$here/signed_chunks}
policy=$tracefs/ktap/policy
[ -e "$policy" ] || lacks "this kernel verifies no signatures"
[ -e "$signed/trusted.ktap" ] || lacks "there is no chunk that a key of this kernel has signed"
[ -n "$KTAP_MAY_LOCK_DOWN" ] || lacks "only a reboot undoes it; KTAP_MAY_LOCK_DOWN=1 allows it"
plan 7

only='^ktap: error: all users may run only signed scripts \(ktap/policy\): '
start -q -e 'tick-1s { } trace_end { print("goes on") }'
echo signed-only >"$policy"
is it_is_chosen "$(cat "$policy")" "permissions signed [signed-only]"
stop
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = "goes on" ]
result $? loaded_sessions_go_on
run -q -e 'print(1)'
[ "$code" = 2 ] && matches "$tmp/err" "${only}it is not signed \\(ktapc --sign signs it\\)\$"
result $? root_is_refused
run -q "$signed/unknown.ktap"
[ "$code" = 2 ] && matches "$tmp/err" "${only}no key that this kernel trusts has signed it "
result $? keys_must_be_trusted
run -q "$signed/trusted.ktap"
[ "$code" = 0 ] && [ "$(cat "$tmp/out")" = "signed	true" ]
result $? signed_scripts_run
for name in permissions signed; do
	echo $name >"$policy" 2>/dev/null && echo "# $name was chosen"
done | grep . ; [ $? = 1 ]
result $? it_cannot_be_undone
is and_is_still_chosen "$(cat "$policy")" "permissions signed [signed-only]"

finish
