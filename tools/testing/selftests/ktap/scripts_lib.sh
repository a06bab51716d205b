# SPDX-License-Identifier: GPL-2.0
# Helpers for tests of the tools, after those of lib.sh: run tools, look at their output, and
# compare its form with the sample in their help.

disk=/dev/vda
page=$("$workload" page)

# sample NAME: print the sample output in its help
sample() {
	awk '/^#\tktap / { part = 1 }
		/^#$/ && part == 1 { part = 2 }
		part == 2 && /^# / { exit }
		part == 2 && /^#\t/ { print substr($0, 3) }' "$scripts/$1.kp" | grep -Fvx "$(printf '\t...\n        ...')"
}

# shape: normalize lines. Titles keep their words; in rows, charts and stacks each column
# becomes its kind: a number, an address, a symbol of the kernel, a name; bars of charts
# lose their length
shape() {
	awk '$1 ~ /^[A-Z][A-Z]+,?$/ && $2 ~ /^[A-Z]/ || /Distribution/ {
			$1 = $1
			gsub(/[0-9]+/, "N")
			print
			next
		}
		NF {
			line = ""
			for (i = 1; i <= NF; i++) {
				t = $i
				if (t ~ /^\|@*$/) t = "|"
				else if (t ~ /^0x[0-9a-f]+$/) t = "ADDRESS"
				else if (t ~ /^[0-9]+(\.[0-9]+)+(:[0-9]+)?$/) gsub(/[0-9]+/, "N", t)
				else if (t ~ /^-?[0-9]+([:.][0-9]+)*[,:]?$/) gsub(/-?[0-9]+/, "N", t)
				else if (t ~ /^\([0-9]+\)$/) t = "(N)"
				else if (t ~ /\+0x[0-9a-f]+/) { sub(/^[^+]*/, "PLACE", t); gsub(/0x[0-9a-f]+/, "N", t) }
				else if (t !~ /:$/) t = "NAME"
				line = line (i > 1 ? " " : "") t
			}
			print line
		}' | sort -u
}

# seen NAME: $tmp/out is output of that tool, with any option
ran=''
seen() {
	ran="$ran $1"
	shape <"$tmp/out" >>"$tmp/$1.shapes"
}

# tool NAME ARGS...: run it to its end
tool() {
	script=$1
	shift
	run -q -Werror "$scripts/$script.kp" "$@"
	seen "$script"
}

# lines PATTERN: print how many lines match
lines() { grep -Ec -e "$1" "$tmp/out"; }

# counted NAME PATTERN N: the run succeeded, and N lines match
counted() { is "$1" "$code $(lines "$2")" "0 $3"; }

# sum [SECTION]: print the sum of the counts of a chart, after a line with SECTION if
# given
sum() {
	awk -v section="$1" 'section != "" && /:$/ { outside = !index($0, section) }
		!outside && /\|@* *[0-9]+$/ { n += $NF } END { print n + 0 }' "$tmp/out"
}

# column PATTERN N: the sum of column N of the lines that match
column() {
	awk -v pattern="$1" -v n="$2" '$0 ~ pattern { sum += $n } END { print sum + 0 }' "$tmp/out"
}

# between NAME N LEAST MOST
between() {
	[ "$code" = 0 ] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]
	status=$?
	result $status "$1"
	[ $status = 0 ] || echo "# $2 is not from $3 to $4"
}

# begin NAME ARGS...: start a tool in the background, one of several; done_all ends them
tracers=
begin() {
	name=$1
	shift
	"$KTAP" -q "$scripts/$name.kp" "$@" >"$tmp/$name.out" 2>"$tmp/$name.err" </dev/null &
	tracers="$tracers $name:$!"
}

all_run() {
	for t in $tracers; do
		reaches "${t#*:}" running || echo "# ${t%:*} does not run: $(cat "$tmp/${t%:*}.err")"
	done
}

done_all() {
	for t in $tracers; do
		kill -INT "${t#*:}" 2>/dev/null
	done
	for t in $tracers; do
		code=0
		wait "${t#*:}" || code=$?
		echo $code >"$tmp/${t%:*}.code"
	done
	tracers=
}

# of NAME: the following tests are about that tool
of() {
	cp "$tmp/$1.out" "$tmp/out"
	cp "$tmp/$1.err" "$tmp/err"
	code=$(cat "$tmp/$1.code")
	seen "$1"
}

# like_their_help: each tool that has run printed lines like those of the sample in its help
like_their_help() {
	wrong=
	for name in $(printf '%s\n' $ran | sort -u); do
		# of programs they have names
		case $name in profile | threadsnoop | deadlock) has user_files || continue ;; esac
		sample "$name" | shape >"$tmp/shown"
		while IFS= read -r line; do
			grep -Fqxe "$line" "$tmp/$name.shapes" ||
				{ wrong="$wrong $name"; echo "# $name printed no line like: $line"; }
		done <"$tmp/shown"
	done
	is tools_print_lines_like_their_help "$wrong" ""
}
