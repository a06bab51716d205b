#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test the files for editors: they have all words of the language, and editors load them.
#
#	tests/editors.sh MADE

made=${1:?usage: editors.sh MADE}
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

vim=editors/vim/syntax/ktap.vim
emacs=editors/emacs/ktap-mode.el
code_of_vs=editors/vscode/syntaxes/ktap.tmLanguage.json
grammar=editors/tree-sitter-ktap/grammar.js
queries=editors/tree-sitter-ktap/queries/highlights.scm
list=$(realpath "$here/../../kernel/trace/ktap/vm/builtin_list.h" 2>/dev/null)

# words KIND...: of these kinds
words() {
	for kind; do
		sed -n "s/^$kind	\([^	]*\).*/\1/p" "$made/words.txt"
	done
}

# has NAME FILE KIND...: the file has all words of these kinds
has() {
	name=$1 file=$2
	shift 2
	missing=$(words "$@" | while read -r word; do
		case $word in
		[a-zA-Z]*) grep -qw -- "$word" "$made/$file" ;;
		# without the escapes of regular expressions
		*) sed 's/\\//g' "$made/$file" | grep -qF -- "$word" ;;
		esac || printf ' %s' "$word"
	done)
	[ -z "$missing" ]
	result $? "$name$missing"
}

missing=
for kind in keyword operator bracket function value space; do
	[ -n "$(words $kind)" ] || missing="$missing $kind"
done
[ -z "$missing" ]
result $? "there_are_words_of_all_kinds$missing"
has vim_has_all_words $vim keyword contextual operator bracket function value space
has emacs_has_all_words $emacs keyword contextual operator bracket function value space
has code_has_all_words $code_of_vs keyword contextual operator bracket function value space
has grammar_has_all_words $grammar keyword operator bracket
has queries_have_all_built_ins $queries contextual function value space
has completion_has_all_words completion/complete keyword function value
has language_server_has_all_words language_server/ktap-language-server keyword contextual function value space

# a word that is new to the language
{
	cat "$made/words.txt"
	printf 'keyword\tnewkeyword\nfunction\tnewfunction\nvalue\tnewvalue\n'
} >"$dir/words"
# gets NAME TEMPLATE WORD...
gets() {
	name=$1
	awk -f "$here/generate/fill.awk" "$dir/words" "$here/$2.in" >"$dir/out" 2>"$dir/err"
	shift 2
	for word; do
		grep -qw "$word" "$dir/out" || name="$name $word"
	done
	[ "$name" = "${name% *}" ] && [ ! -s "$dir/err" ]
	result $? "$name"
}
gets new_words_are_in_vim $vim newkeyword newfunction newvalue
gets new_words_are_in_emacs $emacs newkeyword newfunction newvalue
gets new_words_are_in_code $code_of_vs newkeyword newfunction newvalue
gets new_keyword_is_in_the_grammar $grammar newkeyword
gets new_built_ins_are_in_the_queries $queries newfunction newvalue
gets new_words_are_completed completion/complete newkeyword newfunction newvalue
echo '@keywords; @' >"$dir/template"
! awk -f "$here/generate/fill.awk" "$dir/words" "$dir/template" >"$dir/out" 2>"$dir/err" &&
	grep -q 'template:1: there are no words of the kind keywords$' "$dir/err"
result $? unknown_kind_of_words_is_an_error

# The compiler calls these functions of the kernel under other names.
if [ -e "$list" ]; then
	missing=$(sed -n 's/^FN([A-Z_]*, "\([^"]*\)".*/\1/p; s/^VALUE([A-Z_]*,[	 ]*\([a-z_]*\),.*/\1/p' "$list" |
		grep -vx 'trace\|field\|first\|.*\..*' | sort -u | while read -r name; do
		words function value | grep -qx "$name" || printf ' %s' "$name"
	done)
	[ -z "$missing" ] && [ "$(grep -c '^FN(\|^VALUE(' "$list")" -gt 50 ]
	result $? "words_have_the_built_ins_of_the_kernel$missing"
else
	skip words_have_the_built_ins_of_the_kernel "tools/ktap is alone"
fi

cat >"$dir/sample.kp" <<'SAMPLE'
#!/usr/bin/env ktap
n = "a\n" // text
trace sched:sched_switch, uprobe:/bin/sh:main /pid == 1/ {
	t[comm] += 0x1f; print(args.in) /* no keyword */
}
SAMPLE

if vim --version 2>/dev/null | grep -q '+syntax' && vim --version | grep -q '+eval'; then
	mkdir "$dir/vim"
	cp -R "$here/editors/vim/." "$dir/vim"
	cp "$made/$vim" "$dir/vim/syntax"
	cat >"$dir/check.vim" <<VIM
set nomore
syntax on
filetype plugin on
edit $dir/sample.kp
let out = ["type " .. &filetype .. " " .. &commentstring]
for [line, text] in [[2, 'n'], [2, '"a'], [2, '\\'], [2, 'text'], [3, 'trace'], [3, 'sched:'], [3, 'main'],
			\ [3, 'pid'], [3, '=='], [4, 'comm'], [4, '0x1f'], [4, 'print'], [4, 'in)'], [4, 'no'], [4, '[']]
	let out += [text .. " " .. synIDattr(synID(line, stridx(getline(line), text) + 1, 1), "name")]
endfor
call writefile(out + ["errors " .. v:errmsg], "$dir/vim.out")
quitall!
VIM
	timeout 60 vim -N -u NONE -i NONE -n -es --cmd "set rtp^=$dir/vim" -S "$dir/check.vim" \
		>"$dir/out" 2>"$dir/err" </dev/null
	cat >"$dir/wanted" <<'WANTED'
type ktap # %s
n 
"a ktapString
\ ktapEscape
text ktapComment
trace ktapKeyword
sched: ktapEvent
main ktapEvent
pid ktapValue
== ktapOperator
comm ktapValue
0x1f ktapNumber
print ktapFunction
in) ktapField
no ktapComment
[ ktapBracket
errors 
WANTED
	diff "$dir/wanted" "$dir/vim.out" >"$dir/out" 2>&1
	result $? vim_highlights
	printf '#!/usr/bin/env ktap\nx = 1\n' >"$dir/sample"
	timeout 60 vim -N -u NONE -i NONE -n -es --cmd "set rtp^=$dir/vim" -c 'filetype on' -c "edit $dir/sample" \
		-c "call writefile([&filetype], '$dir/out')" -c 'quitall!' </dev/null >"$dir/err" 2>&1
	[ "$(cat "$dir/out")" = ktap ]
	result $? vim_knows_a_script_by_its_first_line
else
	skip vim_highlights "there is no vim with syntax"
	skip vim_knows_a_script_by_its_first_line "there is no vim with syntax"
fi

if command -v emacs >/dev/null; then
	cp "$made/$emacs" "$dir/ktap-mode.el"
	# face TEXT: the face at its beginning
	cat >"$dir/check.el" <<'LISP'
(find-file (expand-file-name "sample.kp" (getenv "DIR")))
(font-lock-ensure)
(princ (format "%s\n" major-mode))
(dolist (text '("a" "text" "trace" "sched:" "main" "pid" "comm" "print" "in)" "no"))
  (goto-char (point-min))
  (forward-line)
  (search-forward text)
  (princ (format "%s %s\n" text (get-text-property (match-beginning 0) 'face))))
(indent-region (point-min) (point-max))
(princ (format "%s\n" (if (buffer-modified-p) "indented" "as it was")))
LISP
	DIR=$dir HOME=$dir timeout 60 emacs -Q --batch -l "$dir/ktap-mode.el" -l "$dir/check.el" \
		>"$dir/out" 2>"$dir/err" </dev/null
	cat >"$dir/wanted" <<'WANTED'
ktap-mode
a font-lock-string-face
text font-lock-comment-face
trace font-lock-keyword-face
sched: font-lock-type-face
main font-lock-type-face
pid font-lock-variable-name-face
comm font-lock-variable-name-face
print font-lock-builtin-face
in) default
no font-lock-comment-face
as it was
WANTED
	cmp -s "$dir/wanted" "$dir/out"
	result $? emacs_highlights_and_indents
	HOME=$dir timeout 60 emacs -Q --batch --eval '(setq byte-compile-error-on-warn t)' \
		-f batch-byte-compile "$dir/ktap-mode.el" >"$dir/out" 2>"$dir/err" </dev/null &&
		[ -s "$dir/ktap-mode.elc" ]
	result $? emacs_compiles
else
	skip emacs_highlights_and_indents "there is no emacs"
	skip emacs_compiles "there is no emacs"
fi

is_json() {
	if command -v python3 >/dev/null; then
		python3 -m json.tool "$1"
	else
		node -p 'JSON.parse(fs.readFileSync(process.argv[1], "utf8"))' "$1"
	fi
}

for file in "$made/$code_of_vs" "$here"/editors/vscode/*.json "$here"/editors/tree-sitter-ktap/*.json; do
	name=$(basename "$file" .json)_is_json
	if ! command -v python3 >/dev/null && ! command -v node >/dev/null; then
		skip "$name" "there is no python3 and no node"
		continue
	fi
	is_json "$file" >"$dir/out" 2>"$dir/err"
	result $? "$name"
done

if command -v node >/dev/null; then
	node "$here/tests/check_grammar.js" "$made/$grammar" "$here"/scripts/*.kp "$here"/tests/golden/*.kp \
		>"$dir/out" 2>"$dir/err" && words keyword operator bracket | sort >"$dir/wanted" &&
		sort -u "$dir/out" | comm -23 "$dir/wanted" - >"$dir/err" && [ ! -s "$dir/err" ]
	result $? grammar_has_the_tokens_of_all_scripts
else
	skip grammar_has_the_tokens_of_all_scripts "there is no node"
fi

if command -v node >/dev/null; then
	node "$here/tests/check_extension.js" "$here/editors/vscode/extension.js" >"$dir/out" 2>"$dir/err"
	result $? extension_of_code_starts_the_server
else
	skip extension_of_code_starts_the_server "there is no node"
fi

finish
