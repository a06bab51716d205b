# SPDX-License-Identifier: GPL-2.0
# The steps of lab/check and lab/check-arch: each is run, logged and counted, and with --resume
# it is not run again after it has passed. The caller sources lib.sh first.
# shellcheck shell=bash disable=SC2154 # variables of lib.sh

# begin_steps FOLDER RESUME [MINUTES]: the logs go to this folder; RESUME is not empty with
# --resume; after MINUTES no step begins
begin_steps() {
	logs=$1 resume=$2 minutes=${3:-} began=$SECONDS
	# The name of what is tested; it is nothing that a later run could find again if files differ.
	commit=$(git rev-parse --short=12 HEAD 2>/dev/null) || commit=unknown
	[ -z "$(git status --porcelain 2>/dev/null | head -n 1)" ] || commit=$commit-changed
	case $resume$commit${KSRC:+-changed} in
	1unknown | 1*-changed)
		die "--resume needs a commit, without changes in the work tree, and no KSRC" \
			"git commit, or leave it out" ;;
	esac
	commit="$commit, Linux $(base_version)"
	[ -n "$resume" ] || rm -rf "$logs"
	mkdir -p "$logs"
	# what this run has printed, and every step that was ever run, by commit
	rm -f "$logs"/{results,left-out} "$logs"/kernel-*
	touch "$logs"/{results,left-out,runs}
	alike=''
	[ -z "$resume" ] || alike=$(commits_alike | paste -sd' ') || true
}

# Files that decide no result of a guest. It has the other documents, whose examples it runs; in
# this one only the recorded results may differ.
results_document=Documentation/trace/ktap-testing.rst
not_tested=(":!$results_document" ':!README.md' ':!pictures' ':!bench/*.md' ':!bench/results.tsv'
	':!lab/results.tsv' ':!series/checked')

# without_results COMMIT: print that document as it is there, without the recorded results
without_results() {
	git show "$1:$results_document" 2>/dev/null | sed '/^\.\. begin lab/,/^\.\. end lab/d'
}

# commits_alike: print the commits with results that have the same files as this one, except those
commits_alike() {
	local other
	{ cut -c 1-12 "$logs/runs"; cut -f 7 lab/results.tsv; } 2>/dev/null |
		grep -xE '[0-9a-f]{12}' | sort -u | while read -r other; do
			git diff --quiet "$other" HEAD -- . "${not_tested[@]}" 2>/dev/null || continue
			[ "$(without_results "$other")" != "$(without_results HEAD)" ] || echo "$other"
		done
}

# time_left: print the seconds in which steps may begin; nothing without a limit
time_left() {
	[ -z "$minutes" ] || echo $((60 * minutes - SECONDS + began))
}

# time_is_up: may no step begin any more?
time_is_up() {
	[ -n "$minutes" ] && [ "$(time_left)" -le 0 ]
}

# leave_out NAME: there is no time for it
leave_out() {
	printf '\n==== %s\nleft out: the %d minutes are over\n' "$1" "$minutes"
	echo "$1" >>"$logs/left-out"
	printf '0\t0\t1\t%s\n' "$1" >>"$logs/results"
}

# log_of NAME: the file with the output of a step
log_of() {
	echo "$logs/$(tr -c 'a-zA-Z0-9\n' - <<<"$1").log"
}

# has_passed NAME: print its numbers if --resume need not run it again. A step that skipped all it
# has did not pass: what it lacked may be there now. Results of guests count from
# another commit, too, if its files are alike; they may be recorded, from another machine.
has_passed() {
	local recorded=lab/results.tsv
	[ -n "$resume" ] || return 0
	[ -f "$recorded" ] || recorded=/dev/null
	awk -F '\t' -v commit="$commit" -v name="$1" -v linux="$(base_version)" -v alike=" $alike " '
		function counts(hash) { return name ~ /^((KUnit|selftests) on|compile) / && index(alike, " " hash " ") }
		NF == 8 && $1 == name && $2 == "-" && $6 == linux && counts($7) {
			found = $4 || !$3 ? "" : $3 " " $5 " " $8
		}
		NF == 6 && $5 == name && ($1 == commit || ($1 ~ ", Linux " linux "$" && counts(substr($1, 1, 12)))) {
			found = $3 || !$2 ? "" : $2 " " $4 " " $6
		}
		END { if (found) print found }' "$recorded" "$logs/runs"
}

# due NAME...: is one of these steps to be run?
due() {
	local name
	for name; do
		[ -n "$(has_passed "$name")" ] || return 0
	done
	return 1
}

# step NAME COMMAND...: run it, add its last line to the sums
step() {
	local name=$1 log p f s date rc=0 start=$SECONDS verdict cpu
	shift
	read -r p s date < <(has_passed "$name") || true
	if [ -n "$p" ]; then
		printf '\n==== %s\nok: %d passed, %d skipped (on %s)\n' "$name" "$p" "$s" "$date"
		printf '%d\t0\t%d\t%s\n' "$p" "$s" "$name" >>"$logs/results"
		return
	fi
	! time_is_up || { leave_out "$name"; return; }
	log=$(log_of "$name")
	date=$(date -u +%Y-%m-%dT%H:%MZ)
	printf '# %s, %s\n' "$commit" "$date" >"$log"
	cpu=$({
		TIMEFORMAT=%0U+%0S
		time "$@" </dev/null >>"$log" 2>&1
	} 2>&1) || rc=$?
	# a step may have several parts, each with its own last line
	read -r p f s < <(sed -nE 's/^([^ ]+: )?([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?.*/\2 \3 \5/p' "$log" |
		awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
	[ "$rc" != 0 ] || [ $((p + f + s)) != 0 ] || p=1
	[ "$rc" = 0 ] || [ "$f" != 0 ] || f=1
	if [ "$rc" = 0 ] && [ "$f" = 0 ]; then
		verdict=$(printf 'ok: %d passed, %d skipped (%d s, %d s of CPUs)' "$p" "$s" \
			$((SECONDS - start)) $((cpu)))
	else
		# a complaint of the kernel may stand far before the end
		verdict=$(sed -n '/ complained /,$p' "$log" | head -n 60
			grep -vE '^ *ok ' "$log" | tail -n 100
			printf 'FAILED (status %d, %d s), all of it: %s' "$rc" $((SECONDS - start)) "$log")
	fi
	# one write: the other lane may print at the same time
	printf '\n==== %s\n%s\n' "$name" "$verdict"
	printf '%d\t%d\t%d\t%s\n' "$p" "$f" "$s" "$name" >>"$logs/results"
	# what has not run as a whole has not passed: --resume runs it again
	if grep -q '^# left out: ' "$log"; then
		sed -n "s/^# left out: \(.*\)/\1, of $name/p" "$log" >>"$logs/left-out"
	else
		printf '%s\t%d\t%d\t%d\t%s\t%s\n' "$commit" "$p" "$f" "$s" "$name" "$date" >>"$logs/runs"
	fi
	[ "$f" = 0 ]
}

# too_late_to_build: is more than half of the minutes over? The tests have need of the rest.
too_late_to_build() {
	[ -n "$minutes" ] && [ $((SECONDS - began)) -gt $((30 * minutes)) ]
}

# kernel CONFIG STEP...: build it, unless none of the steps that boot it must be run.  A
# build is never skipped for having passed: another commit may have been built since. Returns 1
# if there is no kernel.
kernel() {
	local config=$1 name="build $1${BASE:+, Linux $BASE}" rc=0
	shift
	due "$@" || return 0
	if too_late_to_build; then
		for name in "$name" "$@"; do leave_out "$name"; done
		return 1
	fi
	resume='' step "$name" lab/build --config "$config" || rc=$?
	return $rc
}

# selftests_on CONFIG [TEST...]: name of that step
selftests_on() {
	local where=$1${BASE:+, Linux $BASE}

	echo "selftests on $where${2:+: ${*:2}}"
}

# selftests CONFIG TIMEOUT [TEST...]: run them in a guest. If the time is limited, no test of
# them begins in the last $RESERVE seconds of it (default 0).
selftests() {
	local timeout=$2 seconds='' left
	left=$(time_left)
	if [ -n "$left" ]; then
		left=$((left > ${RESERVE:-0} ? left - ${RESERVE:-0} : 0))
		seconds="KTAP_SECONDS=$left "
		# the last test that begins may take minutes on a slow machine
		[ "$timeout" -le $((left + 300)) ] || timeout=$((left + 300))
	fi
	step "$(selftests_on "$1" "${@:3}")" lab/run --config "$1" --one-thread --smp 4 --timeout "$timeout" \
		--append "${APPEND:-}" -- "$seconds${GUEST_ENV:-}/ktap/selftests/run_all.sh ${*:3}" || true
}

# on CONFIG COMMAND...: when this kernel has been built, run the command; nothing if it does not
# build
on() {
	until [ -e "$logs/kernel-$1" ]; do sleep 1; done
	[ "$(cat "$logs/kernel-$1")" = 0 ] || return 0
	"${@:2}"
}

# take FILE: print the number in it, and add one
take() {
	local i
	exec 9<"$1"
	flock 9
	read -r i <&9
	echo $((i + 1)) >"$1"
	echo "$i"
}

# two_lanes COMMAND...: run these, each of words with a space in between, in two lanes: one that
# is free takes the next command, so that no CPU of the machine is idle although a guest whose
# CPUs take turns uses one. The first command gets what others wait for.
two_lanes() {
	local next=$logs/next lanes=() command i
	echo 0 >"$next"
	for _ in 1 2; do
		while i=$(take "$next") && [ "$i" -lt $# ]; do
			read -ra command <<<"${@:i + 1:1}"
			"${command[@]}"
		done &
		lanes+=($!)
	done
	wait "${lanes[@]}" || true
}

# print_failures: the steps that have failed, each with its first failed tests. A report may show
# only the end of what this prints.
print_failures() {
	local failed name gap=$'\n'
	while IFS=$'\t' read -r _ failed _ name; do
		[ "$failed" != 0 ] || continue
		printf '%sfailed: %s\n' "$gap" "$name"
		gap=
		grep -hE -m 5 -A 3 '^ *(not ok|FAIL)' "$(log_of "$name")" |
			grep -vE '^( *ok .*|--)$' | sed 's/^/  /' || true
	done <"$logs/results"
}

# finish: print the sums, and exit by them
finish() {
	local passed failed skipped
	read -r passed failed skipped < <(awk -F '\t' '{ p += $1; f += $2; s += $3 }
		END { print p + 0, f + 0, s + 0 }' "$logs/results")
	print_failures
	if [ -s "$logs/left-out" ]; then
		printf '\nleft out, because %d minutes were over:\n' "$minutes"
		sed 's/^/  /' "$logs/left-out"
	fi
	printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
	[ "$failed" = 0 ]
	exit
}
