#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test the documents, without a kernel: every listing is an example, or the document says
# why not; each script in a command is compiled; commands with ktapc are run; the section
# about a tool is the same as its help. tools/testing/selftests/ktap/listings.sh runs all
# examples on a booted kernel.
#
#	tests/listings.sh KTAPC KTAP

ktapc=${1:?usage: listings.sh KTAPC KTAP}
ktap=${2:?usage: listings.sh KTAPC KTAP}
here=$(cd "$(dirname "$0")" && pwd)
scripts=$here/../scripts
top=$here/../../..
examples=$top/tools/testing/selftests/ktap/examples.sh
if [ ! -e "$examples" ]; then
	echo "1..0 # SKIP tools/ktap is alone: the documents are not here"
	exit
fi
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Replacement for ktap in listings: it only compiles the script, which is a text, a file or
# the name of a tool. Its output is empty.
ktap() {
	text="" list=""
	while [ $# -gt 0 ]; do
		case $1 in
		-e) text=$2; shift ;;
		-l | -lv) list=1; shift ;;
		-o | --flame) : >"$2"; shift ;;
		-[IpCmf] | --live | --metrics | --heatmap | --interval | --color | --for) shift ;;
		-?*) ;;
		*) break ;;
		esac
		shift
	done
	[ -z "$list" ] || return 0
	if [ -n "$text" ]; then
		"$ktapc" -Werror -o "$dir/x.ktap" -e "$text"
	else
		[ -e "$1" ] || set -- "$scripts/$1.kp"
		"$ktapc" -Werror -o "$dir/x.ktap" "$1"
	fi
}

ktapc() {
	"$ktapc" "$@" >"$dir/listed" && { [ "$1" != -d ] || [ -s "$dir/listed" ]; }
}

words() { tr -s ' \t\n' '\n' | grep . | sort; }

# section TOOL: print the words of the section about it, sorted
section() {
	awk -v name="$1" '
		# The end of a page ends its last section, as a title does
		FNR == 1 {
			lines[n += 2] = "==="
			next
		}
		{ lines[++n] = $0 }
		END {
			for (i = 2; i <= n; i++)
				if (lines[i - 1] == name && lines[i] ~ /^--+$/)
					break
			for (i++; i <= n && lines[i + 1] !~ /^(---+|===+)$/; i++)
				if (lines[i] != "::")
					print lines[i]
		}' "$top"/Documentation/trace/ktap-tools*.rst | sed 's/\\//g; s/``//g' | words
}

# help TOOL: print the words of its help, without the line of its options' title
help() {
	"$ktap" "$scripts/$1.kp" -h | sed '/^Options of .*:$/d; / has no options of its own\.$/d' | words
}

"$examples" "$dir/examples" "$top"/Documentation/trace/ktap*.rst "$here"/../Documentation/*.rst \
	>"$dir/out" 2>&1
result $? every_listing_is_an_example_or_excused
mkdir -p "$dir/examples/tools/ktap"
ln -s "$(cd "$scripts" && pwd)" "$dir/examples/tools/ktap/scripts"
cd "$dir/examples" || exit 1
# scripts that other listings name
cp compiled/*.kp . || exit 1

for listing in *.sh; do
	# this listing uses only a shell
	! grep -q '^exec ' "$listing" || continue
	(set -e && . "./$listing") >"$dir/out" 2>&1
	result $? "${listing%.sh}"
done

tools=$top/Documentation/trace/ktap-tools.rst
wrong=
for kp in "$scripts"/*.kp; do
	name=$(basename "$kp" .kp)
	section "$name" >"$dir/section"
	help "$name" >"$dir/help"
	grep -q "^$name  " "$tools" && [ -s "$dir/help" ] && diff "$dir/section" "$dir/help" >"$dir/out" ||
		wrong="$wrong $name"
done
[ -z "$wrong" ]
result $? "what_is_said_of_a_tool_is_its_help$wrong"

finish
