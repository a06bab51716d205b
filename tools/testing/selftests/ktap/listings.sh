#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the documents and the manual say that someone types, typed: the commands that
# examples.sh has found in them. What has no end of its own is stopped when there has
# been some work. It succeeds, or says of the error what the document says; what it
# prints looks like what the document shows.

. "$(dirname "$0")/lib.sh"
plan $(ls "$here"/examples/*.sh | wc -l)
find_scripts

# the folder that they are typed in, and a program that commands trace
cp "$here"/examples/*.kp "$here"/examples/*.sh "$tmp/" || exit 1
mkdir -p "$tmp/bin" "$tmp/tools/ktap" "$tmp/library"
ln -s "$scripts" "$tmp/tools/ktap/scripts"
ln -s "$scripts" "$tmp/library/tools"
ln -s "$scripts/lib" "$tmp/library/lib"
cat >"$tmp/bin/make" <<'SCRIPT'
#!/bin/sh
cat /proc/self/status /no/such.conf
sleep 0.2
exit 0
SCRIPT
chmod +x "$tmp/bin/make"
export PATH="$tmp/bin:$PATH" KTAP_LIBRARY="$tmp/library"
program=$(command -v "$KTAP")
compiler=$(command -v "$KTAPC")
"$compiler" -o "$tmp/forks.ktap" "$tmp/forks.kp"

# What stands for it in a listing
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
	# what it prints comes by the second
	[ "$1" != forks.kp ] || wait_until test -s "$tmp/out" || :
	# whatever stop itself ends with is no failure of the listing
	stop || :
	return $code
}

ktapc() { timeout -s KILL 60 "$compiler" "$@"; }

# Lines without what differs from run to run: numbers, the bytes and strings that
# arguments point to, who it was in rows of charts and tables, which system call it was
shape() {
	sed -E -e 's/[[:blank:]]+/ /g; s/^ //; s/ $//' \
		-e 's/ \([0-9a-f:]+(, \.\.\.)?\)//g; s/ "[^"]*"(\.\.\.)?//g' \
		-e 's/0x[0-9a-f]+/N/g; s/[0-9]+/N/g' \
		-e 's/^N [^ ]+ sys_[a-zN_]+/N NAME CALL/' \
		-e 's/\([a-z_]+: N(, [a-z_]+: N)*\)/(ARGUMENTS)/' \
		-e 's/^[^ ]+ \|@* ?N$/NAME |N/' \
		-e 's/^[^ ,]+, [^ ,]+ N$/NAME, NAME N/' "$@"
}

# looks_like NAME: each line that the document shows is like one that was printed, on
# whichever of the two files; "..." stands for others
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

# listing NAME: all of its commands, or those up to the one that fails
listing() {
	(cd "$tmp" || exit; set -e; . "./$1.sh"; wait) >"$tmp/out" 2>"$tmp/err" </dev/null
	code=$?
	if lacks_events "$tmp/err"; then
		skip "$1" "this kernel has not all of its events"
	elif [ -e "$here/examples/$1.said" ]; then
		[ "$code" != 0 ]
		told=$?
		while IFS= read -r line; do
			grep -Fqxe "$line" "$tmp/err" || { told=1; echo "# no line: $line"; }
		done <"$here/examples/$1.said"
		result $told "$1"
	else
		! grep -q 'error:' "$tmp/err" && [ "$code" = 0 ] &&
			{ [ ! -e "$here/examples/$1.shown" ] || looks_like "$1"; }
		result $? "$1"
	fi
}

for file in "$here"/examples/*.sh; do
	name=$(basename "$file" .sh)
	case $name in
	tools* | *_tool) [ -n "$scripts" ] || { skip "$name" "there are no tools"; continue; } ;;
	esac
	listing "$name"
done

finish
