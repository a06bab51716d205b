#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Test forms of the output and of messages that the runner makes: colours, comma-separated
# values, explanations, screens.
#
#	tests/output.sh KTAP FAKESESSION

ktap=${1:?usage: output.sh KTAP FAKESESSION}
fake=${2:?usage: output.sh KTAP FAKESESSION}
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
script='x = 1'
unset NO_COLOR
escape=$(printf '\033')

# messages NAME TEXT: the last stderr was exactly this text
messages() {
	printf %b "$2" | cmp -s - "$dir/err"
	result $? "$1"
}

red='\033[1;31m' violet='\033[1;35m' cyan='\033[1;36m' green='\033[1;32m' line='\033[4m' off='\033[0m'
code=0
"$ktap" --color=always -e 'probe_rad = 1 trace foo:bar { n = prin(1) }' >"$dir/out" 2>"$dir/err" || code=$?
[ "$code" = 2 ]
result $? colour_does_not_change_the_exit_code
messages errors_have_colours "-e:1:35: ${red}error:$off unknown function 'prin'
 probe_rad = 1 trace foo:bar { n = ${line}prin$off(1) }
                                   $green^$off
${cyan}note:$off did you mean 'print'?
"
"$ktap" --color=always -Werror -w -e 'x = 1' >"$dir/out" 2>"$dir/err"
messages errors_of_the_command_line_have_none 'ktap: error: -w and -Werror exclude each other\n'
play 'exit 0\n' --color=always -q -e 'trace_end { print(y) }'
messages warnings_have_colours "-e:1:19: ${violet}warning:$off 'y' is read but never assigned
 trace_end { print(${line}y$off) }
                   $green^$off
"
play 'err -e:1:3: error: bad\nexit 1\n' --color=always -q -e "$script"
messages errors_of_the_kernel_have_colours "-e:1:3: ${red}error:$off bad
 x $line=$off 1
   $green^$off
"
play 'err -e:1:3: error: bad\nnote lost 5: error: no\nexit 1\n' -q -e "$script"
messages no_colour_in_a_file '-e:1:3: error: bad
 x = 1
   ^
ktap: lost 5: error: no
'
bar='\033[36m' title='\033[1m'
chart='out x@\nout       value ----- Distribution ----- count\nout           1 |@@@@@@@@    8 a@b\nout         ... |\nout -- Distribution (log) --\nexit 0\n'
play "$chart" --color=always -e "$script"
output charts_have_colours "x@
${title}      value ----- Distribution ----- count$off
          1 |$bar@@@@@@@@$off    8 a@b
        ... |
$title-- Distribution (log) --$off
"
plain='x@\n      value ----- Distribution ----- count\n          1 |@@@@@@@@    8 a@b\n        ... |\n-- Distribution (log) --\n'
for options in '' --color=auto --color=never '--color=always -f json'; do
	# shellcheck disable=SC2086 # words
	play "$chart" $options -e "$script"
	output "charts_in_a_pipe_have_none:$options" "$plain"
done
play "split\\n$chart" --color=always -e "$script"
sed "s/$escape\\[[0-9]*m//g" "$dir/out" >"$dir/bare"
# shellcheck disable=SC2059 # the text has escapes
printf "$plain" | cmp -s - "$dir/bare"
result $? colours_change_no_text
play "$chart" --color=always -o "$dir/file" -e "$script"
[ ! -s "$dir/out" ] && grep -q "$escape.36m@@" "$dir/file"
result $? always_is_for_a_file_too
awk 'BEGIN { for (i = 0; i < 20000; i++) print "out |@ " i; print "exit 0" }' |
	"$fake" "$dir" "$ktap" --color=always -e "$script" >"$dir/out" 2>"$dir/err"
sed "s/$escape\\[[0-9]*m//g" "$dir/out" >"$dir/bare"
awk 'BEGIN { for (i = 0; i < 20000; i++) print "|@ " i }' | cmp -s - "$dir/bare"
result $? much_output_with_colours_is_complete
code=0
"$ktap" --color=sometimes -e "$script" 2>"$dir/err" || code=$?
[ "$code" = 2 ] && grep -q "error: --color 'sometimes': not auto, always or never" "$dir/err"
result $? other_words_are_an_error

# on_terminal NAME WANTED COMMAND: does the command show colours on a terminal (0) or not (1)?
on_terminal() {
	script -qec "$3" "$dir/typescript" >"$dir/out" 2>&1 </dev/null
	grep -q 'expected an expression' "$dir/out" && {
		grep -q "$escape" "$dir/out"
		[ $? = "$2" ]
	}
	result $? "$1"
}
if command -v script >/dev/null; then
	bad="'$ktap' -e 'x = ('"
	on_terminal a_terminal_has_colours 0 "TERM=xterm $bad"
	on_terminal an_empty_no_color_is_none 0 "NO_COLOR= TERM=xterm $bad"
	on_terminal no_color_is_obeyed 1 "NO_COLOR=1 TERM=xterm $bad"
	on_terminal a_dumb_terminal_has_no_colour 1 "TERM=dumb $bad"
	on_terminal a_terminal_without_a_name_has_no_colour 1 "env -u TERM $bad"
	on_terminal never_is_never 1 "TERM=xterm '$ktap' --color=never -e 'x = ('"
	on_terminal always_is_always 0 "NO_COLOR=1 TERM=dumb '$ktap' --color=always -e 'x = ('"
	on_terminal auto_is_what_there_is_without_the_option 0 "TERM=xterm '$ktap' --color=auto -e 'x = ('"
else
	skip colours_of_a_terminal 'there is no script(1)'
fi

# json LINE...: steps that print these lines; printf(1) reads them once more
json() {
	for text; do
		printf '%s\n' "out $text" | sed 's/\\/\\\\/g; s/%/%%/g; s/$/\\n/' | tr -d '\n'
	done
	printf '%s' 'exit 0\n'
}

# csv NAME TEXT LINE...: these lines of JSON become this text, in any pieces
csv() {
	name=$1
	printf '%s\n' "$2" >"$dir/wanted"
	shift 2
	steps=$(json "$@")
	for split in '' 'split\n'; do
		play "$split$steps" -q -f csv -e "$script"
		cmp -s "$dir/wanted" "$dir/out" && [ "$code" = 0 ] && [ ! -s "$dir/err" ]
		result $? "$name${split:+_in_single_bytes}"
	done
}

play 'exit 0\n' -f csv -e "$script"
printf 'frames\nstream\narg -e\nformat json\n' | cmp -s - "$dir/setup"
result $? csv_is_made_of_json
csv print_is_a_row 'time,value1,value2
5,cat,7
6,,true' '{"time":5,"type":"print","values":["cat",7]}' '{"time":6,"type":"print","values":[null,true]}'
csv fields_are_quoted 'time,value1
5,"a,b"
6,"say ""x"""
7,"two
lines"
8, blanks 
9,""' '{"time":5,"type":"print","values":["a,b"]}' '{"time":6,"type":"print","values":["say \"x\""]}' \
	'{"time":7,"type":"print","values":["two\nlines"]}' '{"time":8,"type":"print","values":[" blanks "]}' \
	'{"time":9,"type":"print","values":[""]}'
csv strings_are_not_escaped 'time,value1
5,a\b?/\ud
6,€é?' '{"time":5,"type":"print","values":["a\\b\u001b/\\ud"]}' \
	'{"time":6,"type":"print","values":["\u20ac\u00e9\u009b"]}'
csv other_values_are_text 'time,value1,value2,value3,value4
5,vfs_read+0x1;main,table 3,"{""count"":2,""sum"":5}",...' \
	'{"time":5,"type":"print","values":[["vfs_read+0x1","main"],{"table":3},{"count":2,"sum":5},{"omitted":true}]}'
csv a_table_has_its_entries_only 'time,name,key1,key2,value
5,n,cat,1,2
5,n,a;b,3,-4

time,name,key1,value
6,1,x,y' '{"time":5,"type":"variable","name":"n","value":{"table":1}}' \
	'{"time":5,"type":"entry","table":1,"key":["cat",1],"value":2,"name":"n"}' \
	'{"time":5,"type":"entry","table":1,"key":[["a","b"],3],"value":-4,"name":"n"}' \
	'{"time":6,"type":"print","values":[{"table":1}]}' '{"time":6,"type":"print","values":[{}]}' \
	'{"time":6,"type":"entry","table":1,"key":["x"],"value":"y"}'
csv aggregations_have_columns 'time,name,key1,count,sum,min,max,avg
5,n,cat,2,5,1,4,2
5,n,x,0,,,,' '{"time":5,"type":"entry","table":1,"key":["cat"],"value":{"count":2,"sum":5,"min":1,"max":4,"avg":2},"name":"n"}' \
	'{"time":5,"type":"entry","table":1,"key":["x"],"value":{"count":0},"name":"n"}'
csv histograms_have_a_row_a_bucket 'time,name,bucket,count
5,h,<10,1
5,h,10,2
6,,1,2' '{"time":5,"type":"variable","name":"h","value":{"count":3,"sum":30,"min":1,"max":12,"avg":10,"buckets":[{"below":10,"count":1},{"from":10,"count":2}]}}' \
	'{"time":6,"type":"print_hist","values":[{"count":2,"sum":2,"buckets":[{"from":1,"count":2}]}]}'
csv text_has_no_newline_at_its_end 'time,text
5,100% of it
6,"one
"
7,a\n

time,cat
8,x' '{"time":5,"type":"text","text":"100% of it\n"}' '{"time":6,"type":"text","text":"one\n\n"}' \
	'{"time":7,"type":"text","text":"a\\n"}' '{"time":8,"type":"cat","text":"x"}'
csv messages_are_no_rows 'time,name,value
5,n,1
8,m,2' '{"time":5,"type":"variable","name":"n","value":1}' '{"time":6,"type":"loss","count":3,"text":"lost"}' \
	'{"time":6,"type":"error","text":"x"}' '{"time":7,"type":"unknown","values":[1]}' '{}' '[' '' \
	'{"time":8,"type":"variable","name":"m","value":2}'
awk 'BEGIN { for (i = 0; i < 30000; i++) printf "out {\"time\":%d,\"type\":\"print\",\"values\":[\"\\\"\\\"\\\"%d\"]}\n", i, i; print "exit 0" }' |
	"$fake" "$dir" "$ktap" -f csv -e "$script" >"$dir/out" 2>"$dir/err"
awk 'BEGIN { print "time,value1"; for (i = 0; i < 30000; i++) printf "%d,\"\"\"\"\"\"\"%d\"\n", i, i }' | cmp -s - "$dir/out"
result $? much_output_as_csv_is_complete
head -c 200000 /dev/zero | tr '\0' '"' >"$dir/shown"
play "cat $dir/shown\\nexit 0\\n" -f csv -e "$script"
[ "$(tr -dc '"' <"$dir/out" | wc -c)" -ge 400000 ] && [ "$(head -n 1 "$dir/out")" = time,cat ]
result $? a_file_as_csv_is_complete
code=0
"$ktap" -f csv --folded -e "$script" 2>"$dir/err" || code=$?
[ "$code" = 2 ] && grep -q 'exclude each other' "$dir/err"
result $? csv_has_no_stacks

# explained NAME TEXT WORD: the explanation of the text is that of the word
explained() {
	code=0
	"$ktap" --explain "$2" >"$dir/out" 2>"$dir/err" || code=$?
	[ "$code" = 0 ] && [ ! -s "$dir/err" ] && [ "$(head -n 1 "$dir/out")" = "$3" ] &&
		[ "$(grep -c '^Cause$\|^How to see it$\|^What to do$' "$dir/out")" = 3 ]
	result $? "$1"
}
explained a_word budget budget
explained a_word_in_capitals BTF btf
explained a_message "-e:1:4: error: the handler used up its budget: max_insns is 100" budget
explained a_note "ktap: lost 5 output records: they were not read fast enough" losses
explained a_message_of_the_tool 'ktap: tracefs is not mounted' tracefs
code=0
"$ktap" --explain "no$escape" >"$dir/out" 2>"$dir/err" || code=$?
[ "$code" = 1 ] && [ ! -s "$dir/out" ] && grep -q "^ktap: error: no explanation of 'no?': .* budget .* losses" "$dir/err"
result $? what_has_no_explanation
for others in x.kp '-- ls' '-e x' '-l x'; do
	code=0
	# shellcheck disable=SC2086 # words
	"$ktap" --explain budget $others >"$dir/out" 2>"$dir/err" || code=$?
	[ "$code" = 2 ] && [ ! -s "$dir/out" ]
	result $? "explanations_stand_alone:$others"
done

# each word that a message names is explained, and each explained message exists
sources=$(cd "$(dirname "$0")/.." && pwd)
cat "$sources"/*.c | grep -o 'ktap --explain [a-z][a-z]*' | sed 's/.* //' | sort -u >"$dir/named"
[ "$(wc -l <"$dir/named")" -ge 5 ]
result $? messages_name_words
sed -n '/^} explained/,/^};/s/^	{ "\(.*\)", "\([a-z]*\)" },$/\2	\1/p' "$sources/explain.c" >"$dir/table"
cut -f 1 "$dir/table" | sort -u - "$dir/named" >"$dir/words"
while read -r word; do
	explained "named_$word" "$word" "$word"
done <"$dir/words"
sed -n 's/^		"\([a-z]*\)",$/\1/p' "$sources/explain.c" | sort >"$dir/all"
cmp -s "$dir/words" "$dir/all"
result $? no_word_without_a_message
kernel=$sources/../../kernel/trace/ktap
if [ -d "$kernel" ]; then
	find "$kernel" -name '*.c' ! -path '*/tests/*' -exec cat {} + >"$dir/sources"
	cat "$sources"/[!e]*.c >>"$dir/sources"
	lost=
	while IFS= read -r row; do
		grep -qF -- "${row#*	}" "$dir/sources" || lost="$lost ${row#*	}"
	done <"$dir/table"
	[ -s "$dir/table" ] && [ -z "$lost" ]
	result $? "explained_messages_exist$lost"
else
	skip explained_messages_exist 'tools/ktap is alone'
fi
# messages of the kernel name their word on a terminal only
messages='err -e:1:3: error: bad is too complex\nnote lost 5 output records: they were not read fast enough\n'
play "${messages}exit 1\\n" -q -e "$script"
! grep -q explain "$dir/err"
result $? messages_in_a_file_name_no_word
real=$ktap
ktap=$dir/on_terminal
# shellcheck disable=SC2016 # arguments of the inner script
printf '#!/bin/sh\nexec "%s" "$@" 2>/dev/tty\n' "$real" >"$ktap"
chmod +x "$ktap"
play "${messages}note lost 6 output records: they were not read fast enough\\nout end\\nshows end\\nexit 1\\n" \
	--color=never -o /dev/tty -e "$script"
[ "$(grep -c 'explain complex' "$dir/terminal")" = 1 ] && [ "$(grep -c 'explain losses' "$dir/terminal")" = 1 ]
result $? messages_on_a_terminal_name_their_word
ktap=$real

# screens of variables
shown() { printf '{"time":%s000000000,"type":"print","values":["ktap:live"%s]}' "$1" "${2:+,$2}"; }
row() { printf '{"time":1,"type":"entry","table":%s,"key":%s,"value":%s}' "$1" "$2" "$3"; }
steps=$(json "$(shown 1 '"n",5')" "$(shown 1 '"t",{"table":1}')" "$(row 1 '["cat",3]' 5)" \
	"$(row 1 '["do\tg",[1,"f"]]' 7)" "$(row 1 '["text"]' '"x"')" "$(shown 1 '"s","text"')" \
	"$(shown 1 '"h",{"count":5,"avg":2,"max":3}')" "$(shown 1)" \
	'{"time":2,"type":"text","text":"hello\nworld"}' '{"time":2,"type":"print","values":["a",{"table":3}]}' \
	"$(row 3 '["k"]' 4)" "$(shown 3 '"n",15')" "$(shown 3 '"t",{"table":4}')" "$(row 4 '["do g",[1,"f"]]' 2)" \
	"$(row 4 '["new"]' 9)" "$(shown 3 '"h",{"count":9,"avg":-2,"max":3}')" "$(shown 3)")
# columns NUMBER TEXT: the text of a key
columns() { printf "%-$1s" "$2"; }
cat >"$dir/wanted" <<END
$(columns 92 n)              5
t: 2
$(columns 92 '  do g, 1, f')              7
$(columns 92 '  cat, 3')              5
$(columns 62 h)              5               avg 2, max 3

$(columns 92 n)             15        5.0/s
t: 2
$(columns 92 '  new')              9        4.5/s
$(columns 92 '  do g, 1, f')              2        1.0/s
$(columns 62 h)              9        2.0/s  avg -2, max 3
hello
worlda, table 3
k: 4
END
for split in '' 'split\n'; do
	play "$split$steps" -q --live 1 -e 'n = 5 # no newline after it'
	cmp -s "$dir/wanted" "$dir/out" && [ "$code" = 0 ] && [ ! -s "$dir/err" ]
	result $? "screens_in_a_file${split:+_in_single_bytes}"
done
printf 'frames\nstream\narg -e\nformat json\n' | cmp -s - "$dir/setup"
result $? screens_are_made_of_json
steps=$(json "$(shown 1 '"t",{"table":1}')" $(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; do row 1 "[$i]" $i; echo; done) "$(shown 1)")
play "$steps" -q --live 1 -e "$script"
[ "$(wc -l <"$dir/out")" = 22 ] && [ "$(tail -n 1 "$dir/out")" = '  ... and 2 more' ] && ! grep -q '^  2 ' "$dir/out"
result $? the_largest_are_shown
if command -v script >/dev/null; then
	# shellcheck disable=SC2059 # steps have escapes
	printf "$steps" >"$dir/steps"
	script -qec "stty rows 24 cols 60; TERM=xterm '$fake' '$dir' '$ktap' -q --live 1 -e 'x = 1' <'$dir/steps'" \
		"$dir/typescript" >"$dir/out" 2>&1 </dev/null
	[ "$(head -n 1 "$dir/out" | tr -d '\r')" = "$(printf '\033[2J\033[Ht: 22\033[K')" ] &&
		[ "$(grep -c / "$dir/out")" = 0 ] && grep -q '^  \.\.\. and 8 more' "$dir/out" && grep -q "$escape\\[J" "$dir/out"
	result $? a_screen_on_a_terminal
else
	skip a_screen_on_a_terminal 'there is no script(1)'
fi
ktapc=$(dirname "$ktap")/ktapc
if [ -x "$ktapc" ]; then
	"$ktapc" -o "$dir/x.ktap" -e 'x = 1'
	code=0
	"$ktap" --live 1 "$dir/x.ktap" >"$dir/out" 2>"$dir/err" || code=$?
	[ "$code" = 2 ] && grep -q 'error: --live needs a script, and .*x.ktap is compiled' "$dir/err"
	result $? a_chunk_has_no_screens
fi
for others in '-f csv' --folded --flame=x '--dry-run' '-l x'; do
	code=0
	# shellcheck disable=SC2086 # words
	"$ktap" --live 1 $others -e 'x = 1' >"$dir/out" 2>"$dir/err" || code=$?
	[ "$code" = 2 ] && grep -q 'exclude each other' "$dir/err"
	result $? "screens_exclude_$others"
done

# files for Prometheus
metrics=$dir/ktap.prom
steps=$(json "$(shown 1 '"n",5')" "$(shown 1 '"on",true')" "$(shown 1 '"t",{"table":1}')" "$(row 1 '["cat",3]' 5)" \
	"$(row 1 '["a\"\\b\nc",["x","y"]]' -7)" "$(row 1 '["text"]' '"x"')" "$(row 1 '["cat","3"]' 6)" "$(shown 1 '"s","text"')" \
	"$(shown 1 '"z",{"table":2}')" "$(row 2 '["p"]' '{"count":2,"sum":9,"min":4,"max":5,"avg":4}')" \
	"$(row 2 '["q"]' '{"count":0}')" \
	"$(shown 1 '"took",{"count":6,"sum":70,"min":-1,"max":40,"avg":11,"buckets":[{"below":0,"count":1},{"from":0,"count":2},{"from":32,"count":3}]}')" \
	'{"time":2,"type":"print","values":["a",7]}' "$(shown 1)")
cat >"$dir/wanted" <<'END'
# HELP ktap_n Variable n of a script of ktap.
# TYPE ktap_n gauge
ktap_n{script="-e"} 5
# HELP ktap_on Variable on of a script of ktap.
# TYPE ktap_on gauge
ktap_on{script="-e"} 1
# HELP ktap_t Variable t of a script of ktap.
# TYPE ktap_t gauge
ktap_t{script="-e",key1="a\"\\b c",key2="x, y"} -7
ktap_t{script="-e",key1="cat",key2="3"} 5
# HELP ktap_z Variable z of a script of ktap.
# TYPE ktap_z summary
ktap_z_sum{script="-e",key1="p"} 9
ktap_z_count{script="-e",key1="p"} 2
# HELP ktap_z_min Variable z of a script of ktap.
# TYPE ktap_z_min gauge
ktap_z_min{script="-e",key1="p"} 4
# HELP ktap_z_max Variable z of a script of ktap.
# TYPE ktap_z_max gauge
ktap_z_max{script="-e",key1="p"} 5
# HELP ktap_took Variable took of a script of ktap.
# TYPE ktap_took histogram
ktap_took_bucket{script="-e",le="-1.0"} 1
ktap_took_bucket{script="-e",le="31.0"} 3
ktap_took_bucket{script="-e",le="+Inf"} 6
ktap_took_sum{script="-e"} 70
ktap_took_count{script="-e"} 6
# HELP ktap_took_min Variable took of a script of ktap.
# TYPE ktap_took_min gauge
ktap_took_min{script="-e"} -1
# HELP ktap_took_max Variable took of a script of ktap.
# TYPE ktap_took_max gauge
ktap_took_max{script="-e"} 40
# HELP ktap_running Whether the script runs.
# TYPE ktap_running gauge
ktap_running{script="-e"} 0
# HELP ktap_omitted_values Values of variables that are not in this file.
# TYPE ktap_omitted_values gauge
ktap_omitted_values{script="-e"} 4
# EOF
END
for split in '' 'split\n'; do
	play "$split$steps" -q --metrics "$metrics" -e 'n = 5'
	cmp -s "$dir/wanted" "$metrics" && [ "$code" = 0 ] && [ ! -s "$dir/err" ] && [ "$(cat "$dir/out")" = 'a, 7' ]
	result $? "metrics${split:+_in_single_bytes}"
done
if command -v promtool >/dev/null; then
	promtool check metrics <"$metrics" >"$dir/out" 2>&1
	result $? metrics_pass_promtool
else
	skip metrics_pass_promtool 'there is no promtool'
fi
# the first file is seen while the script runs, and a later one has only later values
play "$steps$(json "$(shown 2 '"n",6')" "$(shown 2)")" -q --metrics "$metrics" -e 'n = 5'
grep -q '^ktap_n{script="-e"} 6$' "$metrics" && ! grep -q ktap_t "$metrics"
result $? metrics_are_the_latest
[ "$(ls "$dir"/ktap.prom*)" = "$metrics" ]
result $? no_other_file_is_left
play "$steps" -q --metrics "$dir/none/x" -e 'n = 5'
[ "$code" = 2 ] && grep -q "^ktap: error: cannot write to $dir/none/x: No such file or directory\$" "$dir/err"
result $? metrics_need_a_folder
rm "$metrics"
play 'err -e:1:1: error: made up\nexit 2\n' -q --metrics "$metrics" -e 'n = 5'
[ "$code" = 2 ] && grep -q '^ktap_running{script="-e"} 0$' "$metrics"
result $? a_script_that_is_refused_does_not_run
"$ktap" --interval 5 -e 'x = 1' >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && grep -q -e '--interval is for --metrics FILE, --heatmap FILE' "$dir/err"
result $? interval_needs_metrics
for others in '-f csv' '--live 1' '-l x'; do
	code=0
	# shellcheck disable=SC2086 # words
	"$ktap" --metrics "$metrics" $others -e 'x = 1' >"$dir/out" 2>"$dir/err" || code=$?
	[ "$code" = 2 ] && grep -q 'exclude each other' "$dir/err"
	result $? "metrics_exclude_$others"
done

# heat maps; a histogram that was cleared begins again
took() { shown "$1" '"took",{"count":6,"sum":70,"buckets":['"$2"']}'; }
of_cat='{"count":1,"sum":4,"buckets":[{"from":4,"count":1}]}'
steps=$(json "$(shown 1 '"n",5')" "$(took 1 '{"below":0,"count":1},{"from":0,"count":2},{"from":32,"count":3}')" \
	"$(shown 1 '"t",{"table":1}')" "$(row 1 '["cat<",3]' "$of_cat")" "$(shown 1)" '{"time":2,"type":"print","values":["a",7]}' \
	"$(took 2 '{"below":0,"count":1},{"from":0,"count":2},{"from":32,"count":13}')" "$(shown 2)" \
	"$(took 3 '{"from":8,"count":1}')" "$(shown 3)")
cat >"$dir/wanted" <<'END'
a, 7

took, a column for each 5 s, at most 10
                  32 |-@ |
                  16 |   |
                   8 |  .|
                   4 |   |
                   2 |   |
                   1 |   |
                   0 |-  |
                 < 0 |.  |

t[cat<, 3], a column for each 5 s, at most 1
                   4 |@  |
END
for split in '' 'split\n'; do
	play "$split$steps" -q --heatmap - --interval 5 -e 'n = 5'
	cmp -s "$dir/wanted" "$dir/out" && [ "$code" = 0 ] && [ ! -s "$dir/err" ]
	result $? "heat_map${split:+_in_single_bytes}"
done
heat=$dir/heat.svg
echo old >"$heat"
play "$steps" -q --heatmap "$heat" -e 'n = 5
	m = 1 < 2'
grep -q '>n = 5  m = 1 &lt; 2</text>' "$heat"
result $? title_of_a_heat_map_is_the_script
[ "$code" = 0 ] && [ ! -s "$dir/err" ] && [ "$(cat "$dir/out")" = 'a, 7' ]
result $? heat_map_goes_to_its_file
[ "$(grep -c '<rect x=' "$heat")" = 6 ] && grep -q '<title>1 s to 2 s, from 32: 10</title>' "$heat" &&
	grep -q '<title>0 s to 1 s, from &lt; 0: 1</title>' "$heat" && grep -q '>t\[cat&lt;, 3\], a column for each 1 s' "$heat"
result $? heat_map_has_a_box_for_each_count
if command -v python3 >/dev/null; then
	python3 -c 'import sys, xml.etree.ElementTree as x; assert x.parse(sys.argv[1]).getroot().tag.endswith("}svg")' "$heat" 2>"$dir/err"
	result $? heat_map_is_xml
else
	skip heat_map_is_xml 'there is no python3'
fi
# rows of lhist() are of one size
play "$(json "$(took 1 '{"from":-10,"count":1},{"from":5,"count":2},{"from":20,"count":2}')" "$(shown 1)")" -q --heatmap - -e 'n = 5'
cut -d'|' -f1 "$dir/out" | grep '^ ' | tr -d ' ' | paste -sd' ' | grep -qx '20 5 -10'
result $? heat_map_has_rows_of_one_size
play "$(json "$(took 1 '{"from":-10,"count":1},{"from":20,"count":2},{"from":35,"count":2}')" "$(shown 1)")" -q --heatmap - -e 'n = 5'
cut -d'|' -f1 "$dir/out" | grep '^ ' | tr -d ' ' | paste -sd' ' | grep -qx '35 20 5 -10'
result $? heat_map_shows_empty_rows
# those of hist(3) are of different sizes
play "$(json "$(took 1 '{"from":8,"count":1},{"from":9,"count":2},{"from":1152,"count":2}')" "$(shown 1)")" -q --heatmap - -e 'n = 5'
cut -d'|' -f1 "$dir/out" | grep '^ ' | tr -d ' ' | paste -sd' ' | grep -qx '1152 9 8'
result $? heat_map_makes_up_no_rows
# more columns than are drawn: each has three, and no count is lost
columns=0 many=
while [ $columns -lt 130 ]; do
	columns=$((columns + 1))
	many="$many$(json "$(took $columns "{\"from\":1,\"count\":$columns}")" "$(shown $columns)" | sed 's/exit 0.n$//')"
done
play "$many"'exit 0\n' -q --heatmap - -e 'n = 5'
grep -q '^took, a column for each 3 s, at most 3$' "$dir/out" && grep -Eq '^ *1 \|@{43}\.\|$' "$dir/out"
result $? heat_map_has_no_more_columns_than_fit
play "$(json "$(shown 1 '"n",5')" "$(shown 1)")" --heatmap - -e 'n = 5'
[ "$code" = 0 ] && grep -q 'no global variable is a histogram: write h = hist() at' "$dir/err"
result $? heat_map_needs_a_histogram
play "$steps" -q --heatmap "$dir/none/x" -e 'n = 5'
[ "$code" = 2 ] && grep -q "^ktap: error: cannot write to $dir/none/x: No such file or directory\$" "$dir/err"
result $? heat_map_needs_a_folder
play "$steps" -q --heatmap /dev/full -e 'n = 5'
[ "$code" = 1 ] && grep -q '^ktap: error: cannot write to /dev/full: ' "$dir/err"
result $? heat_map_that_cannot_be_written_is_an_error
for others in '-f csv' '--live 1' '--metrics x' '-l x'; do
	code=0
	# shellcheck disable=SC2086 # words
	"$ktap" --heatmap - $others -e 'x = 1' >"$dir/out" 2>"$dir/err" || code=$?
	[ "$code" = 2 ] && grep -q 'exclude each other' "$dir/err"
	result $? "heat_maps_exclude_$others"
done

finish
