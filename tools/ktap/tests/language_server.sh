#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test the language server: language_server.py is an editor that talks to it. The lists of
# events are invented.
#
#	tests/language_server.sh KTAPC KTAP MADE

[ $# = 3 ] || { echo 'usage: language_server.sh KTAPC KTAP MADE' >&2; exit 2; }
ktapc=$1 ktap=$2 made=$3
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 7))' 2>/dev/null; then
	skip language_server "there is no python3, or it is older than 3.7"
	finish
	exit
fi

mkdir -p "$dir/tracefs/events/sched/sched_switch" "$dir/tracefs/ktap" "$dir/library" "$dir/bin" "$dir/scripts"
cat >"$dir/tracefs/available_events" <<'LIST'
sched:sched_switch
sched:sched_wakeup
syscalls:sys_enter_read
LIST
echo vfs_read >"$dir/tracefs/available_filter_functions"
cat >"$dir/tracefs/events/sched/sched_switch/format" <<'LIST'
name: sched_switch
ID: 316
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;

	field:char prev_comm[16];	offset:8;	size:16;	signed:0;
	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;
LIST
cp "$ktapc" "$ktap" "$dir/bin"
cp -R "$made/completion/complete" "$here/scripts/lib" "$dir/library"
export KTAP_TRACEFS="$dir/tracefs" KTAP_LIBRARY="$dir/library"
export PATH="$dir/bin:$PATH" PYTHONDONTWRITEBYTECODE=1

python3 "$here/tests/language_server.py" "$made/language_server/ktap-language-server" \
	"$made/words.txt" "$dir/scripts" "$here/scripts" >"$dir/results" 2>"$dir/err"
code=$?
while read -r status name; do
	case $status in
	\#) echo "# $name" ;;
	*) result "$status" "$name" ;;
	esac
done <"$dir/results"
result $code every_test_of_the_server_was_run

finish
