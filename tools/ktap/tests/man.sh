#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test the manual pages: they have the options of the programs, and rst2man, if it is
# installed, reports no error. Documentation/trace/ktap-cmdline.rst includes the same text.
#
#	tests/man.sh RST2MAN PROGRAM...

rst2man=${1:?usage: man.sh RST2MAN PROGRAM...}
shift
pages=$(cd "$(dirname "$0")/../Documentation" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Print one option per line, with its second name and its value: "-o, --output=FILE"
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

# alike A B: are these files the same? The differences go to $dir/out.
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
