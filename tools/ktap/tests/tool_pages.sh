#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test the manual pages of the tools: each tool has one with all its options, what formats
# pages reports nothing, and no text of a script is taken for a request to it.
#
#	tests/tool_pages.sh KTAP PAGES

[ $# = 2 ] || { echo 'usage: tool_pages.sh KTAP PAGES' >&2; exit 2; }
ktap=$1 pages=$2
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
quiet=1

# format PAGE: print it as plain text; messages go to stderr
format() {
	if [ "$formatter" = groff ]; then
		groff -man -ww -Tascii -P-cbou "$1"
	else
		mandoc -Tascii "$1" | col -b
	fi
}

formatter=
for program in mandoc groff; do
	! command -v "$program" >/dev/null || formatter=$program
done

# page NAME VERSION: make the page of the help in $dir/help
page() {
	awk -v tool="$1" -v version='ktap 0' -v library=/lib -f "$here/../generate/tool_page.awk" \
		"$dir/help" >"$dir/$1.8" 2>"$dir/err"
}

for script in "$here"/../scripts/*.kp; do
	tool=$(basename "$script" .kp)
	page=$pages/ktap-$tool.8
	"$ktap" "$script" -h >"$dir/help"
	sed -n '/^Options of /,$ s/^  \(--[^ =]*\).*/\1/p' "$dir/help" >"$dir/options"
	sed -n 's/^\\fB\(\\-\\-[^=\\]*\(\\-[^=\\]*\)*\)\\fR.*/\1/p' "$page" | sed 's/\\-/-/g' |
		diff "$dir/options" - >"$dir/out"
	result $? "page_of_${tool}_has_its_options"
	grep -q "^ktap\\\\-$tool \\\\- [A-Z].*[^.]\$" "$page"
	result $? "page_of_${tool}_says_what_it_is_for"
	grep -q "^ktap $tool" "$page" && ! sed '/^\.SH FILES/,$d; 1d' "$page" | grep '\.kp' >"$dir/out"
	result $? "page_of_${tool}_names_commands"
	missing=$(sed -n 's/^\.BR ktap\\-\([a-z0-9]*\) (8).*/\1/p' "$page" | while read -r other; do
		[ -e "$here/../scripts/$other.kp" ] || printf ' %s' "$other"
	done)
	[ -z "$missing" ]
	result $? "page_of_${tool}_names_others$missing"
	if [ "$formatter" ]; then
		format "$page" >"$dir/text" 2>"$dir/err" && [ ! -s "$dir/err" ] &&
			grep -q "ktap-$tool  *-  *[A-Z]" "$dir/text"
		result $? "page_of_${tool}_is_formatted"
	fi
	if command -v mandoc >/dev/null; then
		# pages have no date, so that a build can be repeated
		mandoc -Tlint -Wwarning "$page" 2>&1 | grep -v ': missing date, using "": TH$' >"$dir/out"
		[ ! -s "$dir/out" ]
		result $? "page_of_${tool}_is_correct"
	fi
done

# what roff would take for requests, escapes and quotes
cat >"$dir/help" <<'END'
What \fBroff\fR takes for its own.

	ktap hostile.kp [--first=X\Y]

	.sample \n(yr
	'sample - `a' ^ ~
	        ...

.text that begins with a dot
'text that begins with a quote \
"quoted" and a\\b - c, see other.kp, ktap -p 3 third.kp

Options of hostile.kp:
  --first=VALUE        .value (default \n)
  --without=VALUE      
  --yes                'flag
END
page hostile
result $? page_of_any_text_is_made
cat >"$dir/expected" <<'END'
What \fBroff\fR takes for its own
ktap hostile [--first=X\Y]
.text that begins with a dot 'text that begins with a quote \ "quoted" and a\\b - c, see ktap-other(8), ktap -p 3 third
--first=X\Y .value (default \n)
--without=VALUE
--yes 'flag
.sample \n(yr
'sample - `a' ^ ~
...
ktap-other(8), ktap-third(8), ktap(1)
END
if [ "$formatter" ]; then
	# one space, and no ends of lines, wherever the lines end
	format "$dir/hostile.8" 2>"$dir/err" | tr -s '\n ' ' ' >"$dir/text"
	wrong=$(while read -r line; do
		grep -qF -e "$line" "$dir/text" || printf '%s\n' "$line"
	done <"$dir/expected")
	[ -z "$wrong" ] && [ ! -s "$dir/err" ]
	result $? "text_of_the_script_is_kept_${wrong}"
else
	skip text_of_the_script_is_kept 'there is neither groff nor mandoc'
fi
grep -q '^\\&\.text' "$dir/hostile.8" && grep -q '^\\(aqtext' "$dir/hostile.8" &&
	grep -q 'a\\e\\eb \\- c' "$dir/hostile.8"
result $? text_is_escaped

# a head that lacks a part makes no page
for lacks in nothing purpose call sample description; do
	{
		[ $lacks = purpose ] || printf 'Purpose.\n\n'
		[ $lacks = call ] || printf '\tktap x.kp\n\n'
		[ $lacks = sample ] || printf '\tOUTPUT\n\n'
		[ $lacks = description ] || printf 'Cost: none.\n\n'
		echo 'x.kp has no options of its own.'
	} >"$dir/help"
	if [ $lacks = nothing ]; then
		page x && ! grep -q '^\.SH OPTIONS' "$dir/x.8"
	else
		! page x && grep -q '^x: the head lacks ' "$dir/err"
	fi
	result $? "head_that_lacks_$lacks"
done

quiet=
finish
