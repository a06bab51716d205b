#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test signatures of chunks as openssl sees them. tools/testing/selftests/ktap/signed.sh
# tests them as the kernel does.
#
#	tests/sign.sh KTAPC

ktapc=${1:?usage: sign.sh KTAPC}
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

if ! command -v openssl >/dev/null; then
	echo "1..0 # SKIP openssl is not installed"
	exit
fi

# key NAME OPTIONS...: make NAME.key, NAME.crt and NAME.pem, which has both
key() {
	name=$1
	shift
	openssl req -new -x509 -nodes -days 36500 -subj "/CN=$name" "$@" -keyout "$dir/$name.key" \
		-out "$dir/$name.crt" 2>"$dir/err" && cat "$dir/$name.key" "$dir/$name.crt" >"$dir/$name.pem"
}
key rsa -newkey rsa:2048 && key ec -newkey ec -pkeyopt ec_paramgen_curve:prime256v1
result $? keys_are_made

# sign ARGS...: run ktapc --sign; sets $code
sign() {
	code=0
	"$ktapc" "$@" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
}

# le32 FILE OFFSET: print a number of the file
le32() { od -An -tu4 --endian=little -j "$2" -N 4 "$1" | tr -d ' '; }

# verified FILE NAME: is the last section, which ends the file, a signature of all before it?
verified() {
	last=$((24 * $(le32 "$1" 16)))
	at=$(le32 "$1" $((last + 8))) size=$(le32 "$1" $((last + 12)))
	[ "$(le32 "$1" "$last")" = 12 ] && [ $((at + size)) = "$(stat -c %s "$1")" ] || return 1
	head -c "$at" "$1" >"$dir/content"
	tail -c "$size" "$1" >"$dir/signature"
	openssl cms -verify -binary -inform DER -in "$dir/signature" -content "$dir/content" \
		-certfile "$dir/$2.crt" -CAfile "$dir/$2.crt" -purpose any -out /dev/null 2>"$dir/err"
}

sign --sign "$dir/rsa.pem" -o "$dir/a.ktap" -e 'print("text")'
[ "$code" = 0 ] && verified "$dir/a.ktap" rsa
result $? a_script_is_signed
! verified "$dir/a.ktap" ec
result $? by_this_key_only
"$ktapc" -o "$dir/plain.ktap" -e 'print("text")'
"$ktapc" -d "$dir/plain.ktap" >"$dir/plain.list"
"$ktapc" -d "$dir/a.ktap" | cmp -s - "$dir/plain.list"
result $? the_program_stays_the_same

# ECDSA signatures have several lengths
round=0 wrong=
while [ $round -lt 10 ]; do
	sign --sign "$dir/ec.key" --cert "$dir/ec.crt" -o "$dir/b.ktap" "$dir/plain.ktap"
	[ "$code" = 0 ] && verified "$dir/b.ktap" ec || wrong="$wrong $round"
	round=$((round + 1))
done
[ -z "$wrong" ]
result $? a_chunk_is_signed_by_a_key_with_separate_certificate

sign --sign "$dir/rsa.pem" "$dir/b.ktap"
[ "$code" = 0 ] && verified "$dir/b.ktap" rsa && cmp -s "$dir/b.ktap" "$dir/a.ktap"
result $? a_signature_is_replaced_in_place

# refused NAME MESSAGE ARGS...: the last line of the messages is this one, and nothing is written
refused() {
	name=$1 message=$2
	shift 2
	rm -f "$dir/none.ktap"
	sign "$@" -o "$dir/none.ktap"
	[ "$code" = 2 ] && [ ! -e "$dir/none.ktap" ] && [ ! -s "$dir/out" ] &&
		[ "$(tail -n 1 "$dir/err")" = "ktapc: error: $message" ]
	result $? "$name"
}
not_made='the chunk was not signed: openssl failed (see above)'
refused a_missing_key "$not_made" --sign "$dir/missing.pem" -e 'print(1)'
refused a_key_without_certificate "$not_made" --sign "$dir/rsa.key" -e 'print(1)'
refused the_certificate_of_another_key "$not_made" --sign "$dir/rsa.key" --cert "$dir/ec.crt" -e 'print(1)'
refused a_certificate_without_key '--cert belongs to --sign' --cert "$dir/rsa.crt" -e 'print(1)'
mkdir "$dir/empty"
env PATH="$dir/empty" "$ktapc" --sign "$dir/rsa.pem" -o "$dir/none.ktap" -e 'print(1)' >"$dir/out" 2>"$dir/err"
[ "$(cat "$dir/err")" = "ktapc: error: the chunk was not signed: openssl: No such file or directory (install the package openssl)" ] &&
	[ ! -e "$dir/none.ktap" ]
result $? openssl_is_missing
head -c 100 "$dir/plain.ktap" >"$dir/cut.ktap"
refused a_cut_chunk 'the chunk was not signed: the chunk is cut off' --sign "$dir/rsa.pem" "$dir/cut.ktap"
for option in -d --fmt --ast; do
	sign $option --sign "$dir/rsa.pem" "$dir/plain.ktap"
	[ "$code" = 2 ] && grep -q -- "--sign" "$dir/err"
	result $? "not_with_$option"
done

finish
