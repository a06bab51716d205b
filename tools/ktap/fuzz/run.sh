#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Called by the Makefile in this directory, which documents the variables.
# Usage: run.sh check|merge|regress ENTRY...

MAX_FILES=95	# in the corpus of each kind
what=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../../..
each=$((TIME / $#))
[ $each -gt 0 ] || each=1
passed=0 failed=0

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

cat >"$work/empty.c" <<-'END'
	int LLVMFuzzerTestOneInput(const char *data, unsigned long size);
	int LLVMFuzzerTestOneInput(const char *data, unsigned long size)
	{
		return !data && size;
	}
END
if ! $CLANG -fsanitize=fuzzer,address,undefined -o "$work/empty" "$work/empty.c" 2>"$work/log"; then
	echo "skipped: $CLANG cannot build fuzzers (Debian: clang, libclang-rt-dev)"
	head -n 3 "$work/log"
	echo "0 passed, 0 failed, $# skipped"
	exit 0
fi
$MAKE --no-print-directory -C "$here" O="$O" all || exit 1

found=${CORPUS:-$work/found}
mkdir -p "$work/scripts" "$work/chunks" "$work/choices" "$work/bpftrace"

# kind ENTRY: print the kind of its inputs
kind() {
	case $1 in
	fuzz_generate) echo choices ;;
	fuzz_chunk) echo chunks ;;
	fuzz_bpftrace) echo bpftrace ;;
	*) echo scripts ;;
	esac
}

# Copy all scripts of the repository, and compile them.
collect() {
	find "$top/tools" "$top/Documentation" -name build -prune -o -name '*.kp' -print |
		while read -r kp; do
			name=$(echo "$kp" | cksum | tr ' ' -)
			cp "$kp" "$work/scripts/$name"
			"$O/tool/ktapc" -w -o "$work/chunks/$name" "$kp" 2>/dev/null
		done
	for bt in "$top"/tools/ktap/tests/bpftrace/*.bt "$top"/tools/ktap/tests/bpftrace/errors/*.bt; do
		cp "$bt" "$work/bpftrace/$(echo "$bt" | cksum | tr ' ' -)"
	done
	for script in "$here"/corpus/scripts/* "$here"/regress/scripts/*; do
		"$O/tool/ktapc" -w -o "$work/chunks/${script##*/}" "$script" 2>/dev/null
	done
}

# fuzz ENTRY [OPTION...]: run it on all inputs of its kind; new inputs go to $found
fuzz() {
	entry=$1
	kind=$(kind "$entry")
	shift
	mkdir -p "$found/$kind"
	for dir in "$found" "$here/corpus" "$here/regress" "$work"; do
		[ ! -d "$dir/$kind" ] || set -- "$@" "$dir/$kind"
	done
	"$O/$entry" -max_len=4096 -dict="$O/ktap.dict" -timeout=10 -rss_limit_mb=2048 -reload=0 \
		-artifact_prefix="$work/" -print_final_stats=1 "$@" >"$work/log" 2>&1
}

# show_failure ENTRY: print the end of the log, and keep the failing inputs
show_failure() {
	echo "not ok $1"
	tail -n 60 "$work/log"
	for input in "$work"/crash-* "$work"/timeout-* "$work"/oom-* "$work"/leak-*; do
		[ -e "$input" ] || continue
		kept=$O/$1-${input##*/}
		mv "$input" "$kept"
		echo "The input, kept as $kept:"
		od -A d -t x1z "$kept" | head -n 64
	done
}

check() {
	for entry; do
		if fuzz "$entry" "$limit" -seed="${SEED:-0}"; then
			passed=$((passed + 1))
			echo "ok $entry: $(sed -n 's/^stat::number_of_executed_units: *//p' \
				"$work/log") runs"
		else
			failed=$((failed + 1))
			show_failure "$entry"
		fi
	done
	echo "$passed passed, $failed failed"
	[ $failed = 0 ]
}

# Make a new corpus: inputs that reach code which no script of the repository reaches.
merge() {
	for entry in fuzz_compile fuzz_generate fuzz_chunk; do
		kind=$(kind "$entry")
		mkdir -p "$found/$kind" "$here/corpus/$kind" "$work/base" "$work/new"
		cp "$work/$kind"/* "$here/regress/$kind"/* "$work/base" 2>/dev/null
		ls "$work/base" >"$work/old"
		"$O/$entry" -merge=1 -use_counters=0 -max_len=1024 -timeout=10 "$work/base" \
			"$here/corpus/$kind" "$found/$kind" >"$work/log" 2>&1 ||
			{ tail -n 20 "$work/log"; return 1; }
		(cd "$work/base" && xargs rm -f) <"$work/old"
		# drop inputs whose code the later ones reach as well
		"$O/$entry" -set_cover_merge=1 -use_counters=0 -max_len=1024 -timeout=10 \
			"$work/new" "$work/base" >"$work/log" 2>&1 ||
			{ tail -n 20 "$work/log"; return 1; }
		rm -rf "${here:?}/corpus/$kind" "$work/base"
		mv "$work/new" "$here/corpus/$kind"
		# larger inputs reach more code
		# shellcheck disable=SC2012 # the names are hashes
		(cd "$here/corpus/$kind" && ls -S | tail -n +$((MAX_FILES + 1)) | xargs rm -f)
		echo "$kind: $(find "$here/corpus/$kind" -type f | wc -l) files"
	done
}

collect
case $what in
merge)
	merge
	;;
regress)
	limit=-runs=0
	check "$@"
	;;
*)
	limit=-max_total_time=$each
	check "$@"
	;;
esac
