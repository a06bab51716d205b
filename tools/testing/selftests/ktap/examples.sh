#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Extract the examples of documents, so that they can be run.
# Usage: examples.sh DIR DOCUMENT...
#
# A comment of the document names the literal block that follows:
#
#	.. ktap: NAME.kp	a script; its lines of output follow "#> " in it
#	.. ktap: NAME.out	its output, if that does not fit in comments
#	.. ktap: NAME.err	its standard error
#	.. ktap: NAME.kp compiled WHY	a script that is not loaded, for that reason
#	.. ktap: NAME.sh	commands, after "# " or "$ ", and their output
#	.. ktap: NAME.sh exact	the same, with output that never differs
#	.. ktap: none WHY	a block that is not an example, for that reason
#
# Or it names the table that follows:
#
#	.. ktap: NAME.sh table	each of its rows ends with a command, ``ktap ...``, which
#				goes to NAME_NN.sh
#	.. ktap: NAME.kp table TEXT	its rows have pieces of a script, ``...``, in the last
#				column; TEXT, with each of them instead of %, is a line.
#				Their output is not shown
#
# A tab of the output is written as a blank. A script with neither .out nor .err is
# compiled, and loaded if a kernel is available; one that is not loaded goes to
# compiled/NAME.kp. For commands, NAME.sh has the input and NAME.shown the output, which
# differs from run to run; the error of a last command that fails is in NAME.said. If the
# output is exact, all of it is in NAME.exact. The help of a tool, which begins with
# "ktap TOOL.kp", needs no name. A literal block without a name is an error, and so is one
# that does not follow "::" or is not indented by blanks, so that every example is tested.

dir=${1:?usage: examples.sh DIR DOCUMENT...}
shift
rm -rf "$dir"
mkdir -p "$dir/compiled" || exit 1

awk -v dir="$dir" '
function complain(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what >"/dev/stderr"
	bad = 1
}

# A line of the block, without its indentation
function put(line) {
	if (line == "") {
		blank += started
		return
	}
	if (line !~ /^  /)
		complain("a block is indented by two blanks")
	for (; blank; blank--)
		store("")
	store(substr(line, 3))
	started = 1
}

function store(text,	at) {
	if (file == "" && !started && text !~ /^ktap [a-z0-9]+\.kp/)
		complain("this block has no \".. ktap:\" before it")
	if (file == "" || file == "none")
		return
	if (file ~ /\.sh$/) {
		store_command(text)
		return
	}
	print text >(dir "/" file)
	at = index(text, "#> ")
	if (at && file ~ /\.kp$/) {
		print substr(text, at + 3) >(dir "/" base ".out")
		seen[base ".out"] = 1
	}
}

# A command continues while a quote is open, and after a backslash at the end of a line;
# the other lines are output.
function store_command(text,	quotes) {
	quotes = gsub(/\047/, "&", text)
	if (quoted || goes_on || text ~ /^[#$] /) {
		if (failed)
			complain("a command after one that fails")
		print quoted || goes_on ? text : substr(text, 3) >(dir "/" file)
		quoted = quoted != quotes % 2
		goes_on = text ~ /\\$/
		return
	}
	if (!started)
		complain("a command begins with \"# \" or \"$ \"")
	if (text ~ /error:/ && !exact)
		failed = 1
	print text >(dir "/" base (exact ? ".exact" : failed ? ".said" : ".shown"))
}

# A row of a table, with pieces of a script in the last column
function store_pieces(text,	at) {
	text = substr(text, column)
	at = index(around, "%")
	if (!rows)
		print "# rows of a table" >(dir "/" table ".kp")
	for (; match(text, /``[^`]+``/); text = substr(text, RSTART + RLENGTH)) {
		print substr(around, 1, at - 1) substr(text, RSTART + 2, RLENGTH - 4) \
			substr(around, at + 1) >(dir "/" table ".kp")
		rows++
	}
}

# A row of a table, with the command in the last column
function store_row(text,	to) {
	if (around != "") {
		store_pieces(text)
		return
	}
	to = sprintf("%s/%s_%02d.sh", dir, table, ++rows)
	if (match(text, /``ktap .*``$/))
		print substr(text, RSTART + 2, RLENGTH - 4) >to
	else
		complain("a row without a command")
	close(to)
}

function end_table() {
	if (borders != 3 || !rows)
		complain("a table of examples has a head, and rows")
	if (around != "")
		close(dir "/" table ".kp")
	table = ""
}

function begin_block() {
	if (file != "none" && file != "" && file in seen)
		complain(file " stands here twice")
	seen[file] = 1
	base = file
	sub(/\.[a-z]*$/, "", base)
	inside = 1
	started = blank = quoted = goes_on = failed = 0
}

function end_block() {
	if (quoted || goes_on)
		complain("a command is not complete")
	if (!started)
		complain("a block without a line")
	inside = 0
	close(dir "/" file)
	close(dir "/" base ".out")
	close(dir "/" base ".exact")
	close(dir "/" base ".said")
	close(dir "/" base ".shown")
	file = ""
	exact = 0
}

/^\t/ {
	complain("a tab at the beginning of a line: blocks are indented by two blanks")
}

FNR == 1 {
	if (inside)
		end_block()
	if (file != "")
		complain(file " has no block")
	if (table != "")
		end_table()
	file = ""
}

inside && /^($| )/ {
	put($0)
	next
}

inside {
	end_block()
}

table != "" && /^==+ +==+$/ {
	column = length($1) + match(substr($0, length($1) + 1), /=/)
	if (++borders == 3)
		end_table()
	next
}

table != "" && borders && !/^$/ {
	if (borders == 2)
		store_row($0)
	next
}

table != "" && (borders || !/^$/) {
	end_table()
}

/^\.\. ktap: [a-z0-9_]+\.sh table$/ {
	table = substr($3, 1, length($3) - 3)
	if ((table "_01.sh") in seen)
		complain($3 " stands here twice")
	seen[table "_01.sh"] = 1
	around = ""
	borders = rows = 0
	next
}

/^\.\. ktap: [a-z0-9_]+\.kp table .*%/ {
	table = substr($3, 1, length($3) - 3)
	if ($3 in seen)
		complain($3 " stands here twice")
	seen[$3] = 1
	around = $0
	sub(/^.* table /, "", around)
	borders = rows = 0
	next
}

/^\.\. ktap: / {
	if (file != "")
		complain(file " has no block")
	file = $3
	if (file !~ /^[a-z0-9_]+\.(kp|out|err|sh)$/ && file != "none")
		complain("what is " file "?")
	if ($4 == "exact" && NF == 4 && file ~ /\.sh$/) {
		exact = 1
		next
	}
	if ((file == "none" || NF > 3) && (NF < 5 || file != "none" && $4 != "compiled"))
		complain("why is it " (file == "none" ? "none" : $4) "?")
	if (NF > 3 && file != "none")
		file = "compiled/" file
	next
}

# The manual pages are documents of their own
/^\.\. include:: \.\.\/\.\.\/tools\/ktap\/Documentation\/ktap[-a-z]*\.rst$/ {
	next
}

/^ *\.\. (code|code-block|sourcecode|parsed-literal|literalinclude|include|raw)::/ || /^ *>>> / {
	complain("this block is not tested: examples follow \"::\"")
}

/::$/ && !/^\.\. / {
	begin_block()
}

END {
	if (inside)
		end_block()
	if (file != "")
		complain(file " has no block")
	if (table != "")
		end_table()
	exit bad
}' "$@"
