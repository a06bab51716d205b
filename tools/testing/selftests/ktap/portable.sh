#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A chunk is the same, byte for byte, on whatever machine it is made: portable.md5 has the
# checksums of many. language.sh and scripts.sh run these scripts, so
# chunks of another machine do the same here.
#
#	portable.sh --print KTAPC TOOLS	print that list; TOOLS is the folder of the tools

# checksum_of SCRIPT: of its chunk, in which no name of a file depends on the machine
checksum_of() {
	(cd "${1%/*}" && "$ktapc" -w -I . -o "$tmp/chunk" - <"${1##*/}" 2>"$tmp/err") &&
		md5sum <"$tmp/chunk" | cut -d " " -f 1
}

if [ "$1" = --print ]; then
	ktapc=$2 scripts=$3
	tmp=$(mktemp -d) || exit 1
	trap 'rm -rf "$tmp"' EXIT
	cd "$(dirname "$0")" || exit 1
	for script in cases/*.kp "$scripts"/*.kp; do
		# what includes a file beside it cannot come by standard input
		sum=$(checksum_of "$script") && echo "$sum ${script#"${scripts%/*}/"}"
	done
	exit
fi

. "$(dirname "$0")/lib.sh"
cd "$here" || exit 1
plan 3
find_scripts
ktapc=${KTAPC:-ktapc}

compared=0 different=0 tools=0
while read -r sum script; do
	case $script in
	scripts/*)
		[ "$scripts" ] || continue
		tools=$((tools + 1))
		script=$scripts/${script#*/}
		;;
	esac
	compared=$((compared + 1))
	[ "$(checksum_of "$script")" = "$sum" ] && continue
	different=$((different + 1))
	echo "# $script: the chunk is another one"
done <portable.md5
is no_chunk_differs "$different" 0
echo "# $compared chunks"
[ "$compared" -ge 500 ]
result $? many_were_compared
if [ "$scripts" ]; then
	[ $tools -ge 50 ]
	result $? among_them_those_of_the_tools
else
	skip among_them_those_of_the_tools "there are no tools"
fi
finish
