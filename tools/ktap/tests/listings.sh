#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The documents, as far as no kernel is needed: every listing in them is an example or
# says why it is none; each script that someone types is compiled, and ktapc does what
# is shown; what is said of a tool is what its help says. A booted kernel runs them all:
# tools/testing/selftests/ktap/listings.sh.
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

# What stands for ktap in a listing: its script is compiled, be it text, a file or the
# name of a tool.
ktap() {
	text="" list=""
	while [ $# -gt 0 ]; do
		case $1 in
		-e) text=$2; shift ;;
		-l) list=1; shift ;;
		-[oIpCm]) shift ;;
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

# section TOOL: the words of what the document says of it, in any order
section() {
	awk -v name="$1" '
		# A page ends its last section, as a title does
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

# help TOOL: those of its help, but for what it is called there
help() {
	"$ktap" "$scripts/$1.kp" -h | sed '/^Options of .*:$/d; / has no options of its own\.$/d' | words
}

"$examples" "$dir/examples" "$top"/Documentation/trace/ktap*.rst "$here"/../Documentation/*.rst \
	>"$dir/out" 2>&1
result $? every_listing_is_an_example_or_excused
mkdir -p "$dir/examples/tools/ktap"
ln -s "$(cd "$scripts" && pwd)" "$dir/examples/tools/ktap/scripts"
cd "$dir/examples" || exit 1

for listing in *.sh; do
	# a shell alone is at work there
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
