#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the documents and the manual say that someone types, typed: the commands that
# examples.sh has found in them. What has no end of its own is stopped when there has
# been some work. It succeeds, or says of the error what the document says.

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
		timeout -s KILL 60 "$program" "$@"
		return
		;;
	esac
	"$program" "$@" &
	tracer=$!
	! reaches "$tracer" running || make >/dev/null 2>&1
	# whatever stop itself ends with is no failure of the listing
	stop || :
	return $code
}

ktapc() { timeout -s KILL 60 "$compiler" "$@"; }

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
		! grep -q 'error:' "$tmp/err" && [ "$code" = 0 ]
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
