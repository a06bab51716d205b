#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs the tests named (without .sh), or all but smoke, and adds up.
cd "$(dirname "$0")" || exit 1

all="session bad_chunks sent files minimal exact language tracepoint field memory act speculation only oneliners listings scripts wordforword timer"
all="$all perf function btf fetch uprobe ustack usym usdt ulib vanish chunk detach loss pools memcg self beside compat exit"
all="$all whomay overhead module hotplug churn kill hammer fault storm"
# the last one: it leaves a kernel that refuses much
all="$all lockdown"
[ $# -gt 0 ] || set -- $all
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.code"' EXIT
passed=0 failed=0 skipped=0

for name; do
	test=./$name
	[ -e "$test" ] || test=./$name.sh
	echo "# $name"
	{
		code=0
		"$test" 2>&1 || code=$?
		echo $code >"$log.code"
	} | tee "$log"
	code=$(cat "$log.code")
	p=$(grep -E '^ok ' "$log" | grep -vc '# SKIP')
	s=$(grep -Ec '^ok .*# SKIP|^1\.\.0 # SKIP' "$log")
	f=$(grep -Ec '^not ok ' "$log")
	# a test that dies has failed, whatever it said before
	[ "$code" = 0 ] || [ "$code" = 4 ] || [ "$f" != 0 ] || f=1
	[ "$f$p$s" = 000 ] && f=1
	[ "$code" = 0 ] || [ "$code" = 4 ] || echo "# $name: exit code $code"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
