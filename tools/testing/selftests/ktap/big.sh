#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Make scripts of the largest sizes that the language allows, and one more, which are too
# large to be kept as files. Writes DIR/cases, DIR/errors and DIR/load, for the same use
# as the directories of these names next to this file.
# Usage: big.sh DIR

dir=${1:?usage: big.sh DIR}
rm -rf "$dir"
mkdir -p "$dir/cases" "$dir/errors" "$dir/load" || exit 1

# prints NAME OUTPUT: the script on stdin prints this line
prints() {
	cat >"$dir/cases/$1.kp"
	printf '%b\n' "$2" >"$dir/cases/$1.out"
}

# refused NAME MESSAGE: the script is refused with a message like this
refused() {
	cat >"$dir/load/$1.kp"
	echo "^load/$1\\.kp:([0-9]+:[0-9]+:)? error: $2" >"$dir/load/$1.err"
}

# fails NAME MESSAGE: the script fails at run time
fails() {
	cat >"$dir/errors/$1.kp"
	echo "^errors/$1\\.kp:[0-9]+:[0-9]+: error: $2" >"$dir/errors/$1.err"
}

# list COUNT TEXT [SEPARATOR]: repeat TEXT; # in it becomes the number
list() {
	awk -v n="$1" -v text="$2" -v sep="$3" 'BEGIN {
		parts = split(text, part, "#")
		for (i = 1; i <= n; i++) {
			printf "%s", part[1]
			for (p = 2; p <= parts; p++)
				printf "%d%s", i, part[p]
			printf "%s", i < n ? sep : ""
		}
	}'
}

# lines COUNT TEXT: the same with a line each
lines() {
	list "$1" "$2" '\n'
}

# Limits of a function

prints two_hundred_locals 20100 <<EOF
function f() {
$(lines 200 'var v# = #')
return $(list 200 'v#' ' + ')
}
print(f())
EOF

refused too_many_locals '.*more than 250 registers' <<EOF
function f() {
$(lines 251 'var v# = #')
return $(list 251 'v#' ' + ')
}
print("never", f())
EOF

prints concatenation_of_many 600 <<EOF
s = "x"
print(len($(list 600 's' ' .. ')))
EOF

prints sum_of_many 900 <<EOF
x = 1
print($(list 900 'x' ' + '))
EOF

refused expression_too_long 'this expression is too long' <<EOF
x = 1
print($(list 1100 'x' ' + '), "never")
EOF

prints alternatives_of_many 5 <<EOF
x = 0
print($(list 900 'x' ' || ') || 5)
EOF

prints conditional_of_many 150 <<EOF
x = 150
print($(list 150 'x == # ? # : ')0)
EOF

prints else_if_of_many 'is 1\tis 250\tis 500\tnone' <<EOF
function f(x) {
$(lines 500 'if (x == #) { return "is #" } else')
{ return "none" }
}
print(f(1), f(250), f(500), f(501))
EOF

# Nesting

prints calls_nested_in_arguments 7 <<EOF
function second(a, b) { return b }
print($(list 190 'second(#, ')7$(list 190 ')'))
EOF

prints parentheses_nested_deep 191 <<EOF
x = 1
print($(list 190 '(x + ')x$(list 190 ')'))
EOF

prints blocks_nested_deep inside <<EOF
$(list 180 'if (1) { ')
print("inside")
$(list 180 '}')
EOF

refused blocks_nested_too_deep 'nested too deeply: at most 200 levels' <<EOF
$(list 210 'if (1) { ')
print("never")
$(list 210 '}')
EOF

prints loops_nested_deep 2 <<EOF
$(list 60 'for (i# = 1, 1) { ')
n += i1 + i60
$(list 60 '}')
print(n)
EOF

prints tries_nested_deep "x$(list 59 '#')" <<EOF
$(list 60 'try { ')
error("x")
$(lines 59 '} catch (e) { error(e .. "#") }')
} catch (e) { print(e) }
EOF

# Calls

prints thirty_two_parameters 33 <<EOF
function f($(list 32 'p#' ', ')) { return p1 + p32 }
print(f($(list 32 '#' ', ')))
EOF

refused too_many_parameters 'a function has at most 32 parameters' <<EOF
function f($(list 33 'p#' ', ')) { }
print("never")
EOF

refused too_many_arguments 'a call has at most 32 arguments' <<EOF
print($(list 33 '"never"' ', '))
EOF

prints thirty_two_results 32 <<EOF
function f() { return $(list 32 '#' ', ') }
print(len({f()}))
EOF

refused too_many_results 'at most 32 values can be returned' <<EOF
function f() { return $(list 33 '#' ', ') }
print("never")
EOF

prints nineteen_hundred_calls_deep 1900 <<EOF
function f(n) { return n == 0 ? 0 : 1 + f(n - 1) }
print(f(1900))
EOF

fails too_many_calls_deep 'calls nest too deep: 2000 is the most' <<EOF
function f(n) { return n == 0 ? 0 : 1 + f(n - 1) }
print(f(2100), "never")
EOF

fails too_many_registers_deep 'calls nest too deep: no room on the stack' <<EOF
function f(n) {
$(lines 100 'var v# = n')
return n == 0 ? 0 : $(list 100 'v#' ' + ') + f(n - 1)
}
print(f(1000), "never")
EOF

# The whole script

prints four_thousand_functions 8002000 <<EOF
$(lines 4000 'function f#(x) { return x + # }')
n = 0
$(lines 4000 'n = f#(n)')
print(n)
EOF

refused too_many_functions '.*4096' <<EOF
$(lines 4100 'function f#() { }')
print("never")
EOF

prints four_thousand_globals 6001 <<EOF
$(lines 4000 'g# = #')
print(g1 + g2000 + g4000)
EOF

refused too_many_globals '.*4096' <<EOF
$(lines 4100 'g# = 1')
print("never")
EOF

prints four_thousand_tries 4000 <<EOF
$(lines 4000 'try { n += 1 } catch { }')
print(n)
EOF

refused too_many_tries '.*4096' <<EOF
$(lines 4200 'try { n += 1 } catch { }')
print("never", n)
EOF

prints one_thousand_probes 500500 <<EOF
$(lines 1000 'trace_begin { n += # }')
trace_end { print(n) }
EOF

refused too_many_probes '.*1024' <<EOF
$(lines 1030 'trace_begin { n += # }')
trace_end { print("never") }
EOF

mkdir "$dir/cases/included" "$dir/load/included"
i=1
while [ $i -le 64 ]; do
	echo 'n += 1' | tee "$dir/cases/included/f$i.kp" >"$dir/load/included/f$i.kp"
	i=$((i + 1))
done

prints sixty_three_files_more 63 <<EOF
$(lines 63 'include "included/f#.kp"')
print(n)
EOF

refused too_many_files 'a script has at most 64 files' <<EOF
$(lines 64 'include "included/f#.kp"')
print("never", n)
EOF

prints twenty_thousand_statements 20000 <<EOF
$(lines 20000 'n += 1')
print(n)
EOF

refused too_many_instructions 'the script is too large: more than 65536 instructions' <<EOF
$(lines 40000 'n += 1')
print("never", n)
EOF

prints jumps_far '3\t40000' <<EOF
i = 0
while (i < 3) {
$(lines 10000 'n += 1')
i += 1
if (i == 2) continue
$(lines 5000 'n += 1')
}
print(i, n)
EOF

# Constants and tables

prints string_of_the_greatest_length 4096 <<EOF
s = "$(list 4096 x)"
print(len(s))
EOF

refused string_too_long 'a string has at most 4096 bytes' <<EOF
s = "$(list 4097 x)"
print("never")
EOF

prints thirty_thousand_strings '15000\tvalue 1\tvalue 15000' <<EOF
t = table.new(0, 20000)
$(lines 15000 't["key number #"] = "value #"')
print(len(t), t["key number 1"], t["key number 15000"])
EOF

prints large_integers 0 <<EOF
t = {}
$(lines 8000 't[#] = 0x7000000000000000 + #')
print(t[1] - t[8000] + 7999)
EOF

prints constructor_of_many '8000\t1\t4000\t8000' <<EOF
t = {$(list 8000 '#' ', ')}
print(len(t), t[1], t[4000], t[8000])
EOF

prints constructor_of_many_names '5000\t1\t5000' <<EOF
t = {
$(lines 5000 'k# = "#",')
}
print(len(t), t.k1, t.k5000)
EOF

prints thirty_tables_deep 5 <<EOF
t = $(list 30 '{')5$(list 30 '}')
print(t$(list 30 '[1]'))
EOF

prints thirty_tables_deep_are_made '5\t5' <<EOF
t$(list 30 '.f#') = 5
print(t$(list 30 '.f#'), t$(list 29 '["f#"]').f30)
EOF

prints key_of_thirty_two_parts '5\t1' <<EOF
t[$(list 32 '#' ', ')] = 5
print(t[$(list 32 '#' ', ')], len(t))
EOF

refused key_of_too_many_parts 'a key has at most 32 parts' <<EOF
t[$(list 33 '#' ', ')] = "never"
EOF

# Text

prints a_megabyte_of_comments after <<EOF
$(lines 20000 '// a comment that says nothing, on and on')
print("after")
EOF

prints a_long_line 'long line' <<EOF
print("long line") /*$(list 100000 ' ')*/
EOF

printf 'x = 1\r\nif (x)\r\n{\r\n\tprint("carriage returns") # too\r\n}\r\n' |
	prints lines_end_in_carriage_return 'carriage returns'
printf 's = [[\r\na\r\nb]]\r\nprint(len(s))\r\n' | prints raw_string_keeps_carriage_returns 4

lines 100 'x = = #' | refused errors_are_limited '.*expected an expression'
echo 'too many errors, the rest is not shown$' >>"$dir/load/errors_are_limited.err"
