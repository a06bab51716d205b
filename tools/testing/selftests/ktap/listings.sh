#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the commands of the documents and manual pages, which examples.sh has extracted. A
# command that does not end by itself is stopped after some work. It succeeds, or fails
# with the error of the document; its output has the form that the document shows, or is
# that output if the document says so.

. "$(dirname "$0")/lib.sh"
plan $(ls "$here"/examples/*.sh | wc -l)
find_scripts

# their current directory, and a program that commands trace
cp "$here"/examples/*.kp "$here"/examples/compiled/*.kp "$here"/examples/*.sh "$tmp/" || exit 1
mkdir -p "$tmp/bin" "$tmp/tools/ktap" "$tmp/library"
ln -s "$scripts" "$tmp/tools/ktap/scripts"
ln -s "$scripts" "$tmp/library/tools"
ln -s "$scripts/lib" "$tmp/library/lib"
cat >"$tmp/bin/make" <<'SCRIPT'
#!/bin/sh
cat /proc/self/status /no/such.conf
for program in "${0%/*}"/../linked/*; do
	[ ! -x "$program" ] || "$program" allocate 1000 10
done
sleep 0.2
exit 0
SCRIPT
chmod +x "$tmp/bin/make"
# a program of the tutorial
ln -s "$here/marked" "$tmp/bin/marked"
# programs of the documents that use the C library
linked=
mkdir "$tmp/linked"
if "$here/loader" allocate 1 1 2>/dev/null; then
	linked=1
	for name in ktapc ls md5sum sort; do
		ln -s "$(readlink -f "$here/loader")" "$tmp/linked/$name"
	done
fi
export PATH="$tmp/bin:$PATH" KTAP_LIBRARY="$tmp/library"
program=$(command -v "$KTAP")
compiler=$(command -v "$KTAPC")
"$compiler" -o "$tmp/forks.ktap" "$tmp/forks.kp"

# Its replacement in a listing
ktap() {
	case " $* " in
	*" -- "* | *" -l "* | *" -h "*)
		timeout -s KILL 180 "$program" "$@"
		return
		;;
	esac
	"$program" "$@" &
	tracer=$!
	! reaches "$tracer" running || make >/dev/null 2>&1
	# it prints once a second
	[ "$1" != forks.kp ] || wait_until test -s "$tmp/out" || :
	# the exit code of stop is not that of the listing
	stop || :
	return $code
}

ktapc() { timeout -s KILL 60 "$compiler" "$@"; }

# Lines without the parts that differ from run to run: numbers, the bytes and strings of
# arguments, names in rows of charts and tables, names of system calls, functions of
# programs except malloc() of the C library, and the name of a call on 32-bit machines
shape() {
	sed -E -e 's/[[:blank:]]+/ /g; s/^ //; s/ $//' \
		-e 's/ \([0-9a-f:]+(, \.\.\.)?\)//g; s/ "[^"]*"(\.\.\.)?//g' \
		-e 's/clock_nanosleep_time32/clock_nanosleep/; s/0x[0-9a-f]+/N/g; s/[0-9]+/N/g' \
		-e 's/^N [^ ]+ sys_[a-zN_]+/N NAME CALL/' \
		-e 's/\([a-z_]+: N(, [a-z_]+: N)*\)/(ARGUMENTS)/' \
		-e 's/^[^ ]+ \|@* ?N$/NAME |N/' \
		-e 's/^(__libc_)?malloc\+N \(libc\.so\.N\)/MALLOC/; s/^[^ ]+\+N( \([^ ]+\))?(: N)?$/PLACE\2/' \
		-e 's/^[^ ,]+, [^ ,]+ N$/NAME, NAME N/' "$@"
}

# looks_like NAME: each line that the document shows has the form of a printed one, on
# stdout or stderr; "..." matches any lines
looks_like() {
	shape "$here/examples/$1.shown" | sort -u >"$tmp/wanted"
	shape "$tmp/out" "$tmp/err" | sort -u >"$tmp/like"
	unlike=0
	while IFS= read -r line; do
		[ "$line" = ... ] || grep -Fqxe "$line" "$tmp/like" ||
			{ unlike=1; echo "# no line like: $line"; }
	done <"$tmp/wanted"
	return $unlike
}

# listing NAME: run its commands, up to the first one that fails
listing() {
	messages=$tmp/err exact=$here/examples/$1.exact
	: >"$tmp/out"
	: >"$tmp/err"
	# output and messages, in their order
	[ ! -e "$exact" ] || messages=$tmp/out
	(cd "$tmp" || exit; set -e; . "./$1.sh"; wait) >>"$tmp/out" 2>>"$messages" </dev/null
	code=$?
	if lacks_events "$messages"; then
		skip "$1" "this kernel lacks some of its events"
	elif [ -z "$linked" ] && grep -q uprobe:libc "$tmp/$1.sh"; then
		skip "$1" "no dynamic C library is installed"
	elif [ "${1%_kstack*}" != "$1" ] && ! has callers; then
		skip "$1" "stacks of this machine lack the caller of a function that begins"
	elif [ "$1" = ustack ] && ! has user_files; then
		skip "$1" "this kernel does not find the files of frames"
	elif [ -e "$exact" ]; then
		tr '\t' ' ' <"$exact" >"$tmp/wanted"
		tr '\t' ' ' <"$tmp/out" | cmp -s - "$tmp/wanted" && [ "$code" = 0 ]
		result $? "$1"
	elif [ -e "$here/examples/$1.said" ]; then
		[ "$code" != 0 ]
		status=$?
		while IFS= read -r line; do
			grep -Fqxe "$line" "$tmp/err" || { status=1; echo "# no line: $line"; }
		done <"$here/examples/$1.said"
		result $status "$1"
	else
		! grep -q 'error:' "$tmp/err" && [ "$code" = 0 ] &&
			{ [ ! -e "$here/examples/$1.shown" ] || looks_like "$1"; }
		result $? "$1"
	fi
}

for file in "$here"/examples/*.sh; do
	name=$(basename "$file" .sh)
	case $name in
	tools* | *_tool) [ -n "$scripts" ] || { skip "$name" "the tools of ktap are not installed"; continue; } ;;
	esac
	listing "$name"
done

finish
