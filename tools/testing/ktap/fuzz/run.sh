#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Called by ../Makefile, which documents the variables.
# Usage: run.sh check|fuzz|merge TARGET...

MAX_FILES=95	# in the corpus of each target
what=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../../../..
finds=$O/finds
executions=0 accepted=0 different=0 found=0

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# These options make the fuzzers faster. Run a failing input again without them.
fast=malloc_context_size=0:quarantine_size_mb=1:detect_stack_use_after_return=0
fast=$fast:allocator_release_to_os_interval_ms=-1

# Maximum length of inputs. In generate each byte is a choice, and long programs are slow.
# No chunk of a script is longer than the limit of mutate. raw runs cut chunks, too.
max_len() {
	case ${1#compare_} in
	generate) echo 400 ;;
	mutate) echo 16384 ;;
	*) echo 2048 ;;
	esac
}

# Compile all scripts of the repository: chunks alone, with settings, and with set-up lines.
collect() {
	mkdir -p "$work/raw" "$work/mutate"
	# relative paths, so that the chunks are the same in every directory
	(cd "$top" && find tools -name build -prune -o -name '*.kp' -print) |
		while read -r kp; do
			name=$(echo "$kp" | cksum | tr ' ' -)
			(cd "$top" && "$KTAPC" -w -o "$work/raw/$name" "$kp" 2>/dev/null) ||
				continue
			{ head -c 4 /dev/zero && cat "$work/raw/$name"; } >"$work/mutate/$name"
			{ set_up && cat "$work/raw/$name"; } >"$work/raw/$name.set-up"
		done
}

# All set-up lines, which are written before a chunk.
# shellcheck disable=SC2016 # what looks like a variable is a constant of an argument
set_up() {
	printf '%s\n' 'arg a' 'arg 17' 'arg --option=5' 'pid 5' follow 'cpus 0,2-3' self \
		'memory 0x100000' 'overhead 5' 'utc_offset -3600' 'comm a b' 'cgroup /' unsafe frames times stream "symbols 01234567" 'uprobe e /bin/p' \
		'keep newest' 'at 0x10 0 f 4@%ax -8@8(%bx,%sp,4)>>3 !x 2@$5' 'param n 1 -4' 'unresolved e2 \040no such'
}

# inputs TARGET: print the directories of its inputs; new inputs go to the first one
inputs() {
	set -- "${1#compare_}"
	for dir in "${CORPUS:-$work/new}/$1" "$here/corpus/$1" "$here/regress/$1" "$work/$1"; do
		[ ! -d "$dir" ] || echo "$dir"
	done
}

# count LOG: print the number of executions of libFuzzer or the driver
count() {
	sed -n -e 's/^stat::number_of_executed_units: *//p' -e 's/^\([0-9]*\) executions$/\1/p' \
		"$1" | awk '{ n += $1 } END { print n + 0 }'
}

# count_what LOG WORD: print the number of chunks that are accepted, or different
count_what() {
	sed -n "s/^\([0-9]*\) $2\$/\1/p" "$1" | awk '{ n += $1 } END { print n + 0 }'
}

# only_libfuzzer WHAT: exit without libFuzzer, as the driver has no time limit and no coverage
only_libfuzzer() {
	[ "$ENGINE" != libfuzzer ] || return 0
	echo "fuzz: $1 needs a clang with libFuzzer, and there is none" >&2
	exit 2
}

# libfuzzer TARGET JOB: run it for a time, or for a number of executions
libfuzzer() {
	target=$1 job=$work/$1.$2 seed=$((SEED + $2))
	mkdir -p "$job"
	set -- -max_len="$(max_len "$target")"
	[ ! -e "$here/$target.dict" ] || set -- "$@" -dict="$here/$target.dict"
	if [ -n "$RUNS" ]; then
		set -- "$@" -runs=$((RUNS / $(njobs)))
	else
		set -- "$@" -max_total_time="$each"
	fi
	# shellcheck disable=SC2046 # no blanks are in there
	ASAN_OPTIONS=$fast nice "$BUILD/fuzz_$target" "$@" -seed=$seed -entropic=0 \
		-timeout=20 -rss_limit_mb=2048 -reload=0 -print_final_stats=1 \
		-artifact_prefix="$job/" $(inputs "$target") >"$job/log" 2>&1
}

# driver TARGET JOB: the same without libFuzzer
driver() {
	job=$work/$1.$2
	mkdir -p "$job"
	# shellcheck disable=SC2046 # no blanks are in there
	ASAN_OPTIONS=$fast "$BUILD/fuzz_$1" -n $((${RUNS:-100000} / $(njobs))) \
		-s $((SEED + $2)) $(inputs "$1") >"$job/log" 2>&1
}

njobs() {
	echo "${JOBS:-1}"
}

# show TARGET DIRECTORY: print the log of a failure, and keep its inputs
show() {
	found=$((found + 1))
	mkdir -p "$finds"
	echo "$1: a find"
	grep -v '^INFO\|^#[0-9]\|NEW_FUNC' "$2/log" | head -n 60
	for input in "$2"/crash-* "$2"/timeout-* "$2"/oom-* "$2"/leak-*; do
		[ -e "$input" ] || continue
		mv "$input" "$finds/$1-${input##*/}"
		echo "the input is kept as $finds/$1-${input##*/}"
	done
}

fuzz() {
	for target; do
		[ -z "$CORPUS" ] || mkdir -p "$CORPUS/$target"
		mkdir -p "$work/new/$target"
		job=0 pids=
		while [ $job -lt "$(njobs)" ]; do
			"$ENGINE" "$target" $job &
			pids="$pids $!"
			job=$((job + 1))
		done
		job=0
		for pid in $pids; do
			failed=0
			wait "$pid" || failed=1
			[ $failed = 0 ] || show "$target" "$work/$target.$job"
			n=$(count "$work/$target.$job/log")
			m=$(count_what "$work/$target.$job/log" accepted)
			d=$(count_what "$work/$target.$job/log" different)
			[ "$d" = 0 ] && more= || more=", $d different"
			echo "$target: $n executions, $m accepted$more"
			executions=$((executions + n)) accepted=$((accepted + m))
			different=$((different + d))
			job=$((job + 1))
		done
	done
	echo "fuzz: $executions executions, $accepted accepted, $found finds"
	[ $found = 0 ] || return 1
	[ $different -lt "${LEAST:-0}" ] || return 0
	echo "fuzz: $different different programs are too few: the least is $LEAST"
	return 1
}

# Make a new corpus: inputs of the old one and of CORPUS that reach code which no other reaches.
merge() {
	for target; do
		mkdir -p "$here/corpus/$target" "$work/kept/$target"
		# shellcheck disable=SC2046 # no blanks are in there
		ASAN_OPTIONS=$fast "$BUILD/fuzz_$target" -set_cover_merge=1 -use_counters=0 \
			-max_len="$(max_len "$target")" "$work/kept/$target" $(inputs "$target") \
			>"$work/log" 2>&1 || { tail -n 20 "$work/log"; return 1; }
		rm -f "$here/corpus/$target"/*
		# larger inputs reach more code
		# shellcheck disable=SC2012 # the names are hashes
		(cd "$work/kept/$target" && ls -S | head -n $MAX_FILES | xargs -r mv -t \
			"$here/corpus/$target")
		echo "$target: $(find "$here/corpus/$target" -type f | wc -l) files"
	done
}

: "${SEED:=1}"
each=$((${TIME:-60} / $#))
[ $each -gt 0 ] || each=1
case $what in
check)
	fuzz "$@"
	;;
fuzz)
	[ -z "$TIME" ] || only_libfuzzer SECONDS=
	collect
	fuzz "$@"
	;;
merge)
	only_libfuzzer fuzzmerge
	collect
	merge "$@"
	;;
esac
