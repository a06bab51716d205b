# SPDX-License-Identifier: GPL-2.0
# Fill in a template: print it with lists of words instead of its placeholders.
#
#	awk -v library=DIR -f fill.awk WORDS TEMPLATE
#
# WORDS has lines with a kind, a word and more, and tabs between them. In the template,
#
#	@KIND;SEPARATOR@	are the words of that kind, with a separator between them
#	@KIND;SEPARATOR;QUOTE@	each between two quotes
#	@rows KIND@		alone in a line are the rest of all lines of that kind
#	@library@		is the directory of the library
#
# If QUOTE is "regex", words are escaped for a regular expression in a string of JSON.

BEGIN { FS = "\t" }

function escaped(word)
{
	gsub(/[][*+?.^$|(){}\\]/, "\\\\\\\\&", word)
	return word
}

function joined(kind, separator, quote,		i, text)
{
	if (!(kind in count))
		fail("there are no words of the kind " kind)
	for (i = 1; i <= count[kind]; i++) {
		text = text (i > 1 ? separator : "")
		if (quote == "regex")
			text = text escaped(words[kind, i])
		else
			text = text quote words[kind, i] quote
	}
	return text
}

function fail(why)
{
	print FILENAME ":" FNR ": " why >"/dev/stderr"
	failed = 1
	exit 1
}

NR == FNR {
	words[$1, ++count[$1]] = $2
	row[$1, count[$1]] = substr($0, length($1) + 2)
	next
}

/^@rows [a-z-]+@$/ {
	kind = substr($0, 7, length($0) - 7)
	if (!(kind in count))
		fail("there are no rows of the kind " kind)
	for (i = 1; i <= count[kind]; i++)
		print row[kind, i]
	next
}

{
	out = ""
	while (match($0, /@(library|[a-z]+;[^@;]*(;[^@;]*)?)@/)) {
		out = out substr($0, 1, RSTART - 1)
		placeholder = substr($0, RSTART + 1, RLENGTH - 2)
		$0 = substr($0, RSTART + RLENGTH)
		if (placeholder == "library") {
			out = out library
		} else {
			split(placeholder, part, ";")
			out = out joined(part[1], part[2], part[3])
		}
	}
	print out $0
}

END { exit failed }
