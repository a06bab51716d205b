#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test which files `make install` installs, that ktap finds them, and that `make uninstall`
# removes them.
#
#	tests/install.sh PREFIX LIBRARY MANDIR RST2MAN

[ $# = 4 ] || { echo 'usage: install.sh PREFIX LIBRARY MANDIR RST2MAN' >&2; exit 2; }
prefix=$1 library=$2 mandir=$3 rst2man=$4
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# run PROGRAM ARGS...: run an installed program in $dir/empty
run() {
	program=$1
	shift
	code=0
	(cd "$dir/empty" && KTAP_LIBRARY="$dir/root$library" timeout 20 "$dir/root$prefix/bin/$program" "$@") \
		>"$dir/out" 2>"$dir/err" </dev/null || code=$?
}

mkdir "$dir/empty"
make -s --no-print-directory -C "$here/.." install DESTDIR="$dir/root" RST2MAN="$rst2man" >"$dir/out" 2>"$dir/err"
result $? install_succeeds
run ktapc -V && run ktap -V && [ "$code" = 0 ] && grep -q '^ktap [0-9]' "$dir/out"
result $? programs_run

wrong=
for file in "$here"/../scripts/*.kp; do
	name=$(basename "$file" .kp)
	run ktap "$name" -h
	[ "$code" = 0 ] && grep -Eq "^Options of .*/tools/$name.kp:|/tools/$name.kp has no options" "$dir/out" ||
		wrong="$wrong $name"
done
[ -z "$wrong" ]
result $? "every_tool_is_found_by_its_name$wrong"
run ktap syscount.kp -h
[ "$code" = 0 ] && grep -q '^Options of .*/tools/syscount.kp:' "$dir/out"
result $? so_it_is_by_that_of_its_file
printf '# Mine\nx = getopt("n", 1)\n' >"$dir/empty/syscount"
run ktap syscount -h
[ "$code" = 0 ] && grep -q '^Options of .*/tools/syscount.kp:' "$dir/out" &&
	grep -q '^ktap: syscount is the tool of that name; the file is ./syscount$' "$dir/err"
result $? tool_comes_before_a_file_in_the_folder
run ktap ./syscount -h
[ "$code" = 0 ] && grep -q '^Mine' "$dir/out"
result $? file_in_the_folder_by_its_path
mv "$dir/empty/syscount" "$dir/empty/syscount.kp"
run ktap syscount.kp -h
[ "$code" = 0 ] && grep -q '^Mine' "$dir/out"
result $? file_with_an_ending_comes_before_the_tool
run ktap ./opensnoop -h
[ "$code" = 2 ] && grep -q '^ktap: error: cannot read ./opensnoop: No such file' "$dir/err"
result $? path_is_no_name_of_a_tool
run ktap opensnop
[ "$code" = 2 ] && grep -q '^ktap: error: cannot read opensnop: No such file' "$dir/err"
result $? unknown_tool_is_reported
run ktapc -e 'include "lib/tcp.kp" x = 1' -o x.ktap
[ "$code" = 0 ] && [ -s "$dir/empty/x.ktap" ]
result $? scripts_include_from_the_library
ends=0
for test in "$dir/root$library"/tests/*.kp; do
	[ -x "$test" ] && run ktapc "$test" -o x.ktap && [ "$code" = 0 ] || ends=1
done
result $ends tests_of_the_kernel_are_installed

# The manual pages are made if rst2man is available. Otherwise existing pages are installed:
# the files of these tests are not real pages.
if command -v "$rst2man" >/dev/null; then
	missing=$(for name in ktap ktapc ktap-language-server; do
		grep -q '^\.TH' "$dir/root$mandir/man1/$name.1" || printf ' %s' "$name"
	done)
	[ -z "$missing" ]
	result $? manual_is_made_and_installed
else
	skip manual_is_made_and_installed "there is no $rst2man"
fi
missing=$(for tool in "$here"/../scripts/*.kp; do
	grep -q '^\.TH' "$dir/root$mandir/man8/ktap-$(basename "$tool" .kp).8" || printf ' %s' "$(basename "$tool")"
done)
[ -z "$missing" ]
result $? "each_tool_has_a_page$missing"
installed() { (cd "$dir/root" && find . -type f | sort) >"$dir/files"; }
installed
missing=$(for file in complete editors/vscode/package.json editors/vscode/extension.js editors/vscode/syntaxes/ktap.tmLanguage.json \
	editors/tree-sitter-ktap/grammar.js editors/tree-sitter-ktap/queries/highlights.scm; do
	[ -s "$dir/root$library/$file" ] || printf ' %s' "$file"
done)
[ -z "$missing" ]
result $? "library_has_completion_and_files_for_editors$missing"
# where the directories are those of PREFIX
missing=$(for file in share/bash-completion/completions/ktap share/bash-completion/completions/ktapc \
	share/zsh/site-functions/_ktap share/fish/vendor_completions.d/ktap.fish \
	share/fish/vendor_completions.d/ktapc.fish share/vim/vimfiles/syntax/ktap.vim \
	share/vim/vimfiles/ftdetect/ktap.vim share/vim/vimfiles/ftplugin/ktap.vim \
	share/emacs/site-lisp/ktap-mode.el; do
	[ -s "$dir/root$prefix/$file" ] || printf ' %s' "$file"
done)
[ -z "$missing" ]
result $? "shells_and_editors_find_their_files$missing"
! grep -r -l '@[a-z]*;\|@library@\|@rows' "$dir/root$prefix/share" \
	"$dir/root$prefix/bin/ktap-language-server" >"$dir/out"
result $? no_placeholder_is_left
if command -v python3 >/dev/null; then
	timeout 20 "$dir/root$prefix/bin/ktap-language-server" --help >"$dir/out" 2>"$dir/err" &&
		grep -q '^usage: ktap-language-server' "$dir/out"
	result $? language_server_runs
else
	skip language_server_runs "there is no python3"
fi
KTAP_LIBRARY="$dir/root$library" PATH="$dir/root$prefix/bin:$PATH" \
	sh "$dir/root$library/complete" ktap opensn >"$dir/out" 2>"$dir/err"
grep -q '^opensnoop	Which files' "$dir/out" && [ ! -s "$dir/err" ]
result $? installed_completion_finds_the_tools

mkdir "$dir/made"
cp "$dir/root$prefix/bin/ktap" "$dir/root$prefix/bin/ktapc" "$dir/made"
install_made() {
	make -s --no-print-directory -C "$here/.." install O="$dir/made" DESTDIR="$dir/manual" \
		RST2MAN=/no/such/rst2man -o "$dir/made/ktap" -o "$dir/made/ktapc" \
		>"$dir/out" 2>"$dir/err"
}
install_made && [ -x "$dir/manual$prefix/bin/ktap" ] && [ ! -e "$dir/manual$mandir/man1" ]
result $? manual_is_not_needed
[ "$(grep -c '/no/such/rst2man the pages of the programs are not installed' "$dir/out")" = 1 ]
result $? but_missed
for name in ktap ktapc ktap-language-server; do
	echo "page of $name" >"$dir/made/$name.1"
done
install_made && [ ! -s "$dir/out" ] && missing=$(for name in ktap ktapc ktap-language-server; do
	cmp -s "$dir/made/$name.1" "$dir/manual$mandir/man1/$name.1" || printf ' %s' "$name"
done) && [ -z "$missing" ]
result $? manual_is_installed

echo mine >"$dir/root$library/tools/mine.kp"
make -s --no-print-directory -C "$here/.." uninstall DESTDIR="$dir/root" RST2MAN="$rst2man" >"$dir/out" 2>"$dir/err"
installed
[ "$(cat "$dir/files")" = ".$library/tools/mine.kp" ] && [ ! -e "$dir/root$library/lib" ]
result $? uninstall_removes_what_was_installed

finish
