# SPDX-License-Identifier: GPL-2.0
# Add to the lines of built-ins what the tables of the language reference say about them.
#
#	signatures | awk -f reference.awk - [ktap-language.rst]
#
# In a table, the first column has names, as ``name`` or ``name(arguments)``. A row whose
# first column ends with a comma, and one with an empty second column, belong to the next or
# to the one before. The text is added as the last field of each line, in Markdown; without
# the reference it is empty.

# markdown - the text of a row, without what only reStructuredText has
function markdown(text)
{
	gsub(/``/, "`", text)
	text = without_links(text)
	gsub(/ +/, " ", text)
	sub(/^ /, "", text)
	sub(/ $/, "", text)
	return text
}

# without_links - the text, with links to other sections as their names
function without_links(text,	out, link)
{
	out = ""
	while (match(text, /`[A-Za-z][A-Za-z ]*`_|[A-Z][a-z]+_/)) {
		link = substr(text, RSTART, RLENGTH)
		gsub(/[`_]/, "", link)
		out = out substr(text, 1, RSTART - 1) link
		text = substr(text, RSTART + RLENGTH)
	}
	return out text
}

# finish - keep the text of the rows that were read for each name in their first column
function finish(	names, text, rest, name)
{
	names = first
	text = second
	first = second = ""
	rest = names
	gsub(/``[^`]*``/, "", rest)
	# a column of something else than names
	if (text == "" || rest ~ /[A-Za-z0-9]/)
		return
	rest = names
	while (match(rest, /``[^`]*``/)) {
		name = substr(rest, RSTART + 2, RLENGTH - 4)
		rest = substr(rest, RSTART + RLENGTH)
		sub(/(\(| \[|\.[A-Z]).*/, "", name)
		if (!(name in description))
			description[name] = markdown(names) ": " markdown(text)
	}
}

FILENAME == "-" {
	line[++count] = $0
	next
}

# the border of a table has two columns
/^=+ +=+$/ {
	finish()
	match($0, /^=+ +/)
	width = RLENGTH
	within = !within
	next
}

within {
	left = substr($0, 1, width)
	right = substr($0, width + 1)
	sub(/ +$/, "", left)
	if (left != "" && right != "" && first != "" && first !~ /,$/)
		finish()
	first = first (first == "" || left == "" ? "" : " ") left
	second = second " " right
}

END {
	for (i = 1; i <= count; i++) {
		split(line[i], field, "\t")
		print line[i] "\t" description[field[2]]
	}
}
