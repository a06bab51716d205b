#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The manual pages: their options are those of the programs, and so are those of the
# guide; rst2man, where there is one, finds no mistake in them.
#
#	tests/man.sh RST2MAN PROGRAM...

rst2man=${1:?usage: man.sh RST2MAN PROGRAM...}
shift
pages=$(cd "$(dirname "$0")/../Documentation" && pwd)
guide=$pages/../../../Documentation/trace/ktap.rst
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# An option a line, with its other name and its value, as "-o, --output=FILE"
options_of_help() {
	"$1" -h | sed -n 's/^   *\(-.*[^ ]\)   *[^ ].*/\1/p' | sort
}

options_of_page() {
	sed -n '/^OPTIONS$/,/^EXIT STATUS$/ { s/^\(\*\*-.*\)/\1/; t found
		d
		: found
		s/\*//g
		s/\\ //g
		p }' "$1" | sort
}

# The same of a chapter of the guide, without the values, and only the first name of each
options_of_guide() {
	awk -v title="The program $1" '
		$0 == title { inside = 1 }
		inside && /^Errors and losses$|^The program / && $0 != title { inside = 0 }
		inside && /^``-/ {
			gsub(/`/, "")
			n = split($0, terms, ", ")
			for (i = 1; i <= n; i++) {
				split(terms[i], words, " ")
				print words[1]
			}
		}' "$guide" | sort
}

# alike A B: two lists; what differs is said
alike() {
	diff -u "$dir/$1" "$dir/$2" >"$dir/out"
}

for program; do
	name=$(basename "$program")
	options_of_help "$program" >"$dir/help"
	options_of_page "$pages/$name.rst" >"$dir/page"
	[ -s "$dir/help" ] && alike help page
	result $? "options_of_${name}_are_those_of_its_page"
	grep -q "^| \*\*$name\*\*" "$pages/$name.rst"
	result $? "page_of_${name}_has_a_synopsis"
done

if [ -e "$guide" ]; then
	for program; do
		[ "$(basename "$program")" = ktap ] || continue
		options_of_help "$program" | tr -d , | tr ' ' '\n' | grep '^-' |
			grep -vx -e --help -e --version | sort >"$dir/help"
		options_of_guide ktap | grep -vx -e -- >"$dir/guide"
		alike help guide
		result $? options_of_ktap_are_those_of_the_guide
	done
fi

if command -v "$rst2man" >/dev/null; then
	for program; do
		name=$(basename "$program")
		"$rst2man" --strict "$pages/$name.rst" "$dir/$name.1" >"$dir/out" 2>&1 &&
			grep -q '^\.SH EXAMPLES' "$dir/$name.1"
		result $? "page_of_${name}_is_made"
	done
else
	skip pages_are_made "there is no $rst2man"
fi

finish
