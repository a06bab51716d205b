# SPDX-License-Identifier: GPL-2.0
# A part of lab/selftest: lab/overlay and lab/series
# shellcheck shell=bash disable=SC2016,SC2034,SC2154,SC2317 # as lab/selftest; its variables
# --- lab/overlay, on a small tree and a copy of the lab
repo=$tmp/repo tree=$tmp/tree
mkdir -p "$repo/lab" "$repo/kernel/trace/ktap" "$repo/series/patches" "$tree/kernel/trace"
cp "$top"/lab/{lib.sh,apt.sh,fetch,overlay,backport} "$repo/lab/"
git -C "$repo" init -q
echo '*.o' >"$repo/.gitignore"
echo 'new' >"$repo/kernel/trace/ktap/new.c"
echo 'object' >"$repo/kernel/trace/ktap/new.o"
printf 'VERSION = 7\nPATCHLEVEL = 2\n' >"$tree/Makefile"
touch "$tree/Kbuild"
seq 1 30 >"$tree/kernel/trace/Makefile"
seq 1 30 >"$tree/kernel/trace/Kconfig"
cp -r "$tree" "$tmp/pristine"

# patch_of NAME FILE SED: write a patch that makes this edit
patch_of() {
	mkdir -p "$tmp/w/a/$(dirname "$2")" "$tmp/w/b/$(dirname "$2")"
	cp "$tmp/pristine/$2" "$tmp/w/a/$2"
	sed "$3" "$tmp/pristine/$2" >"$tmp/w/b/$2"
	(cd "$tmp/w" && ! diff -u "a/$2" "b/$2") >"$repo/series/patches/$1"
}
overlay() { KSRC=$tree "$repo/lab/overlay" "$@" >"$tmp/out" 2>"$tmp/err"; }
snapshot() { (cd "$tree" && find . -path ./.ktap -prune -o -type f -printf '%p %T@ ' -exec cksum {} \; | sort); }
unchanged_by() { # COMMAND...: it does not change the tree
	local before
	before=$(snapshot)
	"$@" || true
	[ "$before" = "$(snapshot)" ]
}
fails() { ! "$@"; }
has() { grep -qx -- "$2" "$tree/$1"; }
missing() { [ ! -e "$tree/$1" ]; }

patch_of 0001-a.patch kernel/trace/Makefile 's/^5$/five/'
patch_of 0002-b.patch kernel/trace/Kconfig 's/^9$/nine/'
ok "overlay works" overlay
ok "new files are there" has kernel/trace/ktap/new.c new
ok "build products are not" missing kernel/trace/ktap/new.o
ok "the first patch is in" has kernel/trace/Makefile five
ok "the second one too" has kernel/trace/Kconfig nine
ok "again changes nothing, time stamps included" unchanged_by overlay
patch_of 0003-bad.patch kernel/trace/Makefile 's/^20$/twenty/'
sed -i 's/^-20$/-2O/; s/^ 19$/ 1X/' "$repo/series/patches/0003-bad.patch"
echo 'newer' >"$repo/kernel/trace/ktap/new.c"
ok "a patch that does not fit is refused" fails overlay
ok "by name" err_has 0003-bad.patch
ok "and hunk" err_has 'Hunk #1 FAILED'
ok "and changes nothing at all" unchanged_by overlay
printf '%s\n' 0001-a.patch >"$repo/series/series"
ok "series/series decides which patches" overlay
ok "one that is gone is taken back" has kernel/trace/Kconfig 9
ok "the other stays" has kernel/trace/Makefile five
ok "a changed file is copied" has kernel/trace/ktap/new.c newer
mkdir -p "$repo/series/backport-7.2"
(cd "$repo" && diff -u kernel/trace/ktap/new.c /dev/stdin <<<"older" |
	sed '1s|.*|--- a/kernel/trace/ktap/new.c|; 2s|.*|+++ b/kernel/trace/ktap/new.c|') >"$repo/series/backport-7.2/0001-old.patch" || true
ok "a backport's patch may change new files" overlay
ok "and does" has kernel/trace/ktap/new.c older
: >"$repo/series/backport-7.2/0001-a.patch"
ok "an empty patch of a backport" overlay
ok "replaces one that is not needed" has kernel/trace/Makefile 5

# all of that as one patch
mkdir -p "$repo/series/steps" "$repo/tools/left"
printf 'Subject\n\nleave this alone\n---\nleave tools/left/**\n' >"$repo/series/steps/left"
echo left >"$repo/tools/left/one"
printf 'some\0bytes' >"$repo/kernel/trace/ktap/bytes"
sed 's/^7$/seven/' "$tmp/pristine/kernel/trace/Makefile" |
	(cd "$tmp/pristine" && diff -u --label a/kernel/trace/Makefile --label b/kernel/trace/Makefile kernel/trace/Makefile -) \
	>"$repo/series/backport-7.2/0001-a.patch" || true
one_patch() { KSRC=$tree "$repo/lab/backport" >"$tmp/out" 2>"$tmp/err"; }
gives_the_same() {
	cp -r "$tmp/pristine" "$tmp/one" && git -C "$tmp/one" init -q &&
		git -C "$tmp/one" apply "$(cat "$tmp/out")" &&
		diff -r --exclude=.git --exclude=.ktap --exclude=tools "$tree" "$tmp/one"
}
ok "all of it can be had as one patch" one_patch
ok "the tree has what the series leaves out" has tools/left/one left
ok "the patch gives the same tree" gives_the_same
ok "without these files" [ ! -e "$tmp/one/tools" ]
rm -r "$repo/series/steps" "$repo/tools" "$repo/kernel/trace/ktap/bytes"
rm -r "$repo/series/backport-7.2" "$repo/kernel/trace/ktap"

# The patches of a backport must apply to our files. The kernel's own files exist only
# when it is built.
fits() {
	local p
	for p in "$top"/series/backport-*/*ktap-for-Linux*.patch; do
		git -C "$top" apply --check "$p" || { echo "refresh $p"; return 1; }
	done
}
ok "the backports apply to our files" fits
ok "a file is removed from the repository" overlay
ok "and from the tree" missing kernel/trace/ktap
sed -i 's/^five$/mine/' "$tree/kernel/trace/Makefile"
ok "a patched file changed by hand" fails overlay
ok "is left alone" has kernel/trace/Makefile mine
sed -i 's/^mine$/five/' "$tree/kernel/trace/Makefile"
mkdir -p "$repo/kernel/trace"
echo mine >"$repo/kernel/trace/Kconfig"
ok "a new file over an existing one is refused" fails overlay
rm "$repo/kernel/trace/Kconfig"
ok "--remove works" overlay --remove
ok "and leaves the pristine tree" diff -r "$tree" "$tmp/pristine"

in_tree() { git -C "$tree" -c user.name=lab -c user.email=lab@localhost "$@"; }
in_tree init -q
in_tree add -A
in_tree commit -qm one
ok "a git tree works" overlay
in_tree checkout -q -f HEAD
sed -i 's/^20$/twenty/' "$tree/kernel/trace/Makefile"
in_tree commit -qam two
ok "also with a new commit" overlay
ok "with its new content" has kernel/trace/Makefile twenty
ok "and the patch" has kernel/trace/Makefile five
ok "--remove" overlay --remove
ok "restores the new commit" in_tree diff --quiet HEAD

# --- the git tree of the series
ok "changes go to the commits of the git tree that they belong to" python3 "$top/series/test_branch.py"
ok "steps of the series that have passed are known" python3 "$top/series/test_check.py"

# --- lab/series, on a copy of the repository and the tree of lab/fetch, always for the
# default base
if [ -f "$build/linux-$default_base/Makefile" ]; then
	copy=$tmp/copy
	mkdir -p "$copy/build"
	git -C "$top" ls-files -co --exclude-standard -z |
		(cd "$top" && tar --null --ignore-failed-read -T - -c 2>/dev/null) | tar -x -C "$copy"
	ln -s "$build/linux-$default_base" "$copy/build/"
	in_copy() { git -C "$copy" -c user.name=lab -c user.email=lab@localhost "$@"; }
	in_copy init -q
	in_copy add -A
	in_copy commit -qm one
	series() { env -u BASE -u KSRC "$copy/lab/series" "$@"; }
	plan_says() { # TEXT, COMMAND: it fails with this text
		if series "${@:2}" >"$tmp/out" 2>"$tmp/err"; then
			return 1
		fi
		err_has "$1"
	}
	ok "the series ends in the tree of the overlay" series make
	a_patch_for_each_step() {
		local n
		n=$(series list | grep -vc '^\[')
		patches=("$copy"/build/series/[0-9]*.patch "$copy"/build/series/*/*/[0-9]*.patch)
		letters=("$copy"/build/series/0000-*.patch "$copy"/build/series/later/*/0000-*.patch)
		echo "${#patches[@]} patches of $n steps, ${#letters[@]} of them letters"
		[ "$n" -gt 1 ] && [ ${#letters[@]} -gt 1 ] && [ ${#patches[@]} = $((n + ${#letters[@]})) ]
	}
	ok "and has a patch for each step, and cover letters" a_patch_for_each_step
	later_letters_say_what_they_need() {
		local letter
		for letter in "$copy"/build/series/later/*/0000-*.patch; do
			grep -q 'on top of the core' "$letter" || return 1
		done
	}
	ok "those of later sets say what they are on top of" later_letters_say_what_they_need
	unmailed() { ! compgen -G "$copy/build/series/tree/*/0000-*.patch" >/dev/null; }
	ok "and what is not mailed has none" unmailed
	fixes_stand_alone() {
		[ "$(echo "$copy"/build/series/fixes/*/0001-*.patch | wc -w)" = 7 ] || return 1
		! grep -hv -e '^From: ' -e ftracetest-ktap "$copy"/build/series/fixes/*/*.patch | grep -w ktap
	}
	ok "fixes are in folders of their own, and do not mention ktap" fixes_stand_alone
	fixes_say_since_when() {
		local fix
		for fix in "$copy"/build/series/fixes/*/*.patch; do
			grep -qE -e '^Since Linux [0-9]' -e '^Subject: .* selftests/' "$fix" || return 1
		done
	}
	ok "they say since when the bug is there" fixes_say_since_when
	ok "unknown steps are refused" plan_says "'0-3' is no list of steps" check 0-3
	echo >"$copy/kernel/trace/ktap/new.c"
	ok "a file that no step adds is named" plan_says kernel/trace/ktap/new.c make
	rm "$copy/kernel/trace/ktap/new.c"
	echo 'part kernel/trace/ktap/vm/vm.c no_such_thing' >>"$copy/series/steps/perf"
	ok "so is a part that matches nothing" plan_says no_such_thing make
	in_copy checkout -q .
	echo 'part kernel/trace/ktap/vm/vm.c ^static|[|(]|no_such_thing' >>"$copy/series/steps/perf"
	ok "and one of its alternatives that does" plan_says 'vm.c no_such_thing: matches nothing' make
	in_copy checkout -q .
	echo 'add kernel/trace/ktap/gone_*.c' >>"$copy/series/steps/perf"
	ok "and a pattern that matches no file" plan_says gone_ make
	in_copy checkout -q .
	echo 'leave tools/ktap/left_*' >>"$copy/series/steps/perf"
	ok "also for files that are left out" plan_says left_ make
	in_copy checkout -q .
	sed -i 's/@step:files@/@step:nothing@/' "$copy/series/cover"
	ok "a step of the cover letter that the series lacks is named" plan_says nothing make
	in_copy checkout -q .
	sed -i 's/@result:n += 1@/@result:no such row@/' "$copy/series/cover"
	ok "so is a row that the benchmark lacks" plan_says 'no such row' make
	in_copy checkout -q .
	results_in_cover() {
		grep -qE '^  n \+= 1 +[0-9]+ +[0-9]+ +[0-9.]+ ' "$copy"/build/series/0000-*.patch
	}
	ok "the cover letter has the numbers of the benchmark" results_in_cover
	sed -i '/^perf$/d' "$copy/series/series"
	ok "a step that is in no line is named" plan_says series/steps/perf make
	in_copy checkout -q .
	sed -i "s/^---\$/$(printf '%080d' 0)\\n---/" "$copy/series/steps/perf"
	ok "a line of a message that is too long is named" plan_says 'perf: a line of the message has 80' make
	in_copy checkout -q .
	sed -i 's/^perf$/tables/' "$copy/series/series"
	ok "a step that is in two lines is refused" plan_says tables make
	in_copy checkout -q .
	sed -i 's/^perf$/[fixes\/perf]\nperf/' "$copy/series/series"
	ok "a set that is sent alone is refused after the series" plan_says fixes/perf make
	in_copy checkout -q .
	sed -i 's/^\(\[later.* needs\) [a-z/, ]*;/\1 later\/nothing;/' "$copy/series/series"
	ok "so is a later set that needs one that is not there" plan_says later/nothing make
	in_copy checkout -q .
	sed -i 's/^\(\[later.*\]\) needs [a-z/, ]*;/\1/' "$copy/series/series"
	ok "one that uses another must need it" plan_says 'with what it needs' make
	in_copy checkout -q .
	rm "$copy/series/covers/boot"
	ok "a later set without a cover letter is named" plan_says series/covers/boot make
	in_copy checkout -q .
	sed -i '/^    later\/boot /d' "$copy/series/README"
	ok "so is the command that writes the table of the sets" plan_says 'table --document' make
	in_copy checkout -q .
	sed -i '/ktap_session_error/d' "$copy/series/steps/session"
	ok "a name that is used before its step is named" plan_says 'uses ktap_session_error' make
else
	skip "the series ends in the tree of the overlay" "there is no Linux $default_base"
fi
