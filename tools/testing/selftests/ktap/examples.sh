#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Takes the examples out of a document, so that they can be run.
# Usage: examples.sh DOCUMENT DIR
#
# A comment of the document names the literal block that follows:
#
#	.. ktap: NAME.kp	a script; what stands behind "#> " in it is what it
#				prints, a line each
#	.. ktap: NAME.out	what it prints, if that does not suit into comments
#	.. ktap: NAME.err	what it says on standard error
#	.. ktap: none		a block that is no example
#
# A tab of the output stands as a blank.  A script with neither .out nor .err is
# compiled, and loaded where there is a kernel to load it.  A literal block
# without such a name is an error, so that no example stays untested.

doc=${1:?usage: examples.sh DOCUMENT DIR}
dir=${2:?usage: examples.sh DOCUMENT DIR}
rm -rf "$dir"
mkdir -p "$dir" || exit 1

awk -v dir="$dir" '
function complain(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what >"/dev/stderr"
	bad = 1
}

# A line of the block, its indentation taken off
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
	if (file == "none")
		return
	print text >(dir "/" file)
	at = index(text, "#> ")
	if (at && file ~ /\.kp$/) {
		print substr(text, at + 3) >(dir "/" base ".out")
		seen[base ".out"] = 1
	}
}

function begin_block() {
	if (file == "") {
		complain("this block has no \".. ktap:\" before it")
		file = "none"
	}
	if (file != "none" && file in seen)
		complain(file " stands here twice")
	seen[file] = 1
	base = file
	sub(/\.[a-z]*$/, "", base)
	inside = 1
	started = blank = 0
}

inside && /^($| )/ {
	put($0)
	next
}

inside {
	inside = 0
	close(dir "/" file)
	close(dir "/" base ".out")
	file = ""
}

/^\.\. ktap: / {
	if (file != "")
		complain(file " has no block")
	file = $3
	if (file !~ /^[a-z0-9_]+\.(kp|out|err)$/ && file != "none")
		complain("what is " file "?")
	next
}

/::$/ && !/^\.\. / {
	begin_block()
}

END {
	if (file != "" && !inside)
		complain(file " has no block")
	exit bad
}' "$doc"
