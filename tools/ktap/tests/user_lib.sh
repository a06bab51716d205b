# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# Functions of the tests user_*.sh. Their arguments are KTAP FAKESESSION [CC]. They run in
# $dir, which has the program "marked"; its path is in $marked.

ktap=${1:?usage: $(basename "$0") KTAP FAKESESSION [CC]}
fake=${2:?usage: $(basename "$0") KTAP FAKESESSION [CC]}
cc=${3:-cc}
# The kernel cannot probe Thumb code, which has separate tests.
case $(uname -m) in
arm*)
	compiler=$cc cc=compile
	compile() { "$compiler" -marm "$@"; }
	;;
esac
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../testing/selftests/ktap
# these tests use the sources of the selftests
[ -d "$sources" ] || { echo "1..0 # SKIP there is no $sources"; exit; }
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1

# list PATTERN...: run ktap -l
list() {
	code=0
	timeout 60 "$ktap" -l "$@" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
}

# lists NAME TEXT: the last list was exactly TEXT
lists() {
	printf "$2" | cmp -s - "$dir/out" && [ "$code" = 0 ]
	result $? "$1"
}

# lists_not NAME MESSAGE: the last list was empty, with this error
lists_not() {
	[ "$code" = 1 ] && [ ! -s "$dir/out" ] && [ "$(cat "$dir/err")" = "ktap: error: $2" ]
	result $? "$1"
}

# answers NAME EVENT LINES: these are the set-up lines for the event
answers() {
	play 'exit 0\n' -q -e "trace '$2' { x = 1 } print(x)"
	printf "frames\nstream\narg -e\n$3" | cmp -s - "$dir/setup"
	result $? "$1"
}

# refuses NAME EVENT MESSAGE: the runner sends no place for the event, but this message
refuses() {
	play 'exit 1\n' -q -e "trace '$2' { x = 1 }"
	sed -n 's/^unresolved [^ ]* //p' setup | sed 's/\\040/ /g' >got
	echo "$3" | cmp -s - got
	result $? "$1"
}

# at NAME: print the offset of the function of "marked" in its file
at() { ./marked where "$1"; }

# id_of FILE: print its build id
id_of() { readelf -nW "$1" | sed -n 's/.*Build ID: //p'; }

# hex NUMBER [MORE]: print the sum
hex() { printf '%x' $(($1 + ${2:-0})); }

# mark FILE ID OFFSET: print a mark of the kernel
mark() { printf '\\036@KEY@\\035%s\\035%s\\035%s\\037' "$1" "$2" "$3"; }

"$cc" -O2 -o marked "$sources/marked.c" || exit 1
marked=$dir/marked
# a process id without a process
gone=4194303
# names with a control character and with a newline
escape=$(printf '\033]0;x') line=$(printf 'a\nuprobe:/bin/sh:b')
