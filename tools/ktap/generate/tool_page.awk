# SPDX-License-Identifier: GPL-2.0
# Make the manual page of a tool from its help: the comment at the head of the script, and
# its options.
#
#	ktap TOOL.kp -h | awk -v tool=TOOL -v version=TEXT -v library=DIR -f tool_page.awk
#
# The comment has paragraphs: what the tool is for, in a sentence; how it is called, after a
# tab; a sample of its output, after a tab; and the description. Names of scripts become
# those of commands, "ktap TOOL", and of pages, "ktap-OTHER(8)".

# safe - what roff prints as this text, wherever it stands in a line
function safe(text)
{
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/'/, "\\(aq", text)
	gsub(/`/, "\\(ga", text)
	gsub(/\^/, "\\(ha", text)
	gsub(/~/, "\\(ti", text)
	return (text ~ /^\./ ? "\\&" : "") text
}

# prose - the text with commands and pages instead of names of scripts
function prose(text,	out, name, command)
{
	while (match(text, /[a-z0-9]+\.kp/)) {
		name = substr(text, RSTART, RLENGTH - 3)
		# options may stand between the program and the tool
		command = substr(text, 1, RSTART - 1) ~ /(^|[^a-z])ktap( -[^ ]+( [0-9]+)?)* $/
		out = out substr(text, 1, RSTART - 1)
		out = out (name == tool || command ? name : "ktap-" name "(8)")
		if (name != tool && !(name in seen)) {
			seen[name] = 1
			others[++nothers] = name
		}
		text = substr(text, RSTART + RLENGTH)
	}
	return out text
}

function fail(why)
{
	print tool ": " why >"/dev/stderr"
	failed = 1
	exit 1
}

/^Options of .*:$/ || / has no options of its own\.$/ { in_options = 1; next }

in_options {
	if (!match($0, /^  --[^ =]+(=VALUE)? */))
		fail("this is no option: " $0)
	name = substr($0, 5, RLENGTH - 4)
	sub(/ *$/, "", name)
	takes_value[++noptions] = sub(/=VALUE$/, "", name)
	option[noptions] = name
	help[noptions] = substr($0, RLENGTH + 1)
	next
}

$0 == "" { kind = ""; next }

# a paragraph begins
kind == "" {
	if (/^\t/)
		kind = nusage ? "sample" : "usage"
	else
		kind = purpose == "" ? "purpose" : "text"
	if (kind == "sample" && nsample)
		sample[++nsample] = ""
	if (kind == "text" && ntext)
		text[++ntext] = ""
}

kind == "purpose" { purpose = purpose (purpose == "" ? "" : " ") $0 }
kind == "usage" { sub(/^\t/, ""); usage[++nusage] = $0 }
kind == "sample" { sub(/^\t/, ""); sample[++nsample] = $0 }
kind == "text" { text[++ntext] = $0 }

END {
	if (failed)
		exit 1
	if (purpose == "" || !nusage || !nsample || !ntext || !in_options)
		fail("the head lacks its purpose, its call, a sample or the description")
	printf ".\\\" Made from %s.kp by tool_page.awk\n", tool
	printf ".TH KTAP-%s 8 \"\" \"%s\" \"Tools of ktap\"\n", toupper(tool), version
	sub(/\.$/, "", purpose)
	printf ".SH NAME\nktap\\-%s \\- %s\n", tool, safe(prose(purpose))

	print ".SH SYNOPSIS\n.nf"
	for (i = 1; i <= nusage; i++) {
		calls = calls " " usage[i]
		line = usage[i]
		sub("^ktap " tool "\\.kp", "ktap " tool, line)
		gsub(/\t/, "        ", line)
		print safe(line)
	}

	print ".fi\n.SH DESCRIPTION"
	for (i = 1; i <= ntext; i++)
		print text[i] == "" ? ".PP" : safe(prose(text[i]))

	if (noptions)
		print ".SH OPTIONS"
	for (i = 1; i <= noptions; i++) {
		printf ".TP\n\\fB%s\\fR", safe("--" option[i])
		value = "VALUE"
		# the call says what the value is
		if (match(calls, "--" option[i] "=[^] ]+")) {
			value = substr(calls, RSTART, RLENGTH)
			sub(/^[^=]*=/, "", value)
		}
		print takes_value[i] ? "=\\fI" safe(value) "\\fR" : ""
		print help[i] == "" ? "\\&" : safe(help[i])
	}
	print ".PP\nOptions of\n.BR ktap (1)\nstand before the name of the tool."

	print ".SH OUTPUT\n.nf"
	for (i = 1; i <= nsample; i++)
		print safe(sample[i])
	print ".fi"

	printf ".SH FILES\n.I %s\n", safe(library "/tools/" tool ".kp")
	print ".SH SEE ALSO"
	for (i = 1; i <= nothers; i++)
		printf ".BR ktap\\-%s (8),\n", others[i]
	print ".BR ktap (1)"
}
