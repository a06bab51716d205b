#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A chunk is the same, byte for byte, on whatever machine it is made: portable.md5 has the
# checksums of many. It also does the same: the chunks of cases/ print exactly cases/NAME.out
# here; with KTAP_DIVIDE=N every Nth of them, as language.sh runs all scripts. scripts.sh runs
# the tools.
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
plan 5
find_scripts
ktapc=${KTAPC:-ktapc}

# prints_something_else SCRIPT: is the output of its chunk, $tmp/chunk, another one?
prints_something_else() {
	run -q "$tmp/chunk"
	[ "$code" = 0 ] && cmp -s "${1%.kp}.out" "$tmp/out" && return 1
	echo "# $1: exit code $code"
	diff "${1%.kp}.out" "$tmp/out" | head -n 20 | sed 's/^/# /'
}

compared=0 different=0 tools=0 cases=0 ran=0 wrong=0
while read -r sum script; do
	case $script in
	scripts/*)
		[ "$scripts" ] || continue
		tools=$((tools + 1))
		script=$scripts/${script#*/}
		;;
	esac
	compared=$((compared + 1))
	if [ "$(checksum_of "$script")" != "$sum" ]; then
		different=$((different + 1))
		echo "# $script: the chunk is another one"
		continue
	fi
	[ -e "${script%.kp}.out" ] || continue
	cases=$((cases + 1))
	[ $((cases % ${KTAP_DIVIDE:-1})) = 0 ] || continue
	ran=$((ran + 1))
	prints_something_else "$script" && wrong=$((wrong + 1))
done <portable.md5
is no_chunk_differs "$different" 0
is no_output_differs "$wrong" 0
echo "# $compared chunks, $ran of them with their output"
[ "$compared" -ge 500 ]
result $? many_were_compared
[ "$ran" -ge "$(divided 500)" ]
result $? many_of_them_ran
if [ "$scripts" ]; then
	[ $tools -ge 50 ]
	result $? among_them_those_of_the_tools
else
	skip among_them_those_of_the_tools "there are no tools"
fi
finish
