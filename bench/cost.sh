#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, whose clock counts instructions: see bench/run and lab/cost.
# Prints a line for each operation: NAME<tab>NUMBER, the machine instructions of a handler
# that repeats it until its budget ends.  The first line is the plain loop, to which all
# others are compared.  A handler that did not end by its budget has an error instead of
# the number.
#
# shellcheck disable=SC2016 # scripts of ktap
#
# usage: cost.sh [PATTERN]	only the operations whose names match it, and the plain loop

tracing=/sys/kernel/tracing
only=${1:-*}
echo $((256 << 20)) >$tracing/ktap/max_memory

# op NAME SETUP BEFORE OP: SETUP runs at the top level, BEFORE once in the handler, and then
# OP in a loop.  one.c describes the event.
op() {
	# shellcheck disable=SC2254 # it is a pattern
	case $1 in
	'plain loop' | $only) ;;
	*) return ;;
	esac
	arg=
	case $4 in
	*'$1'*) arg=4096 ;;
	esac
	ktap -q -w --unsafe -m 128M -o /dev/null -e "$2
		trace syscalls:sys_enter_openat /execname == \"one\"/ { $3
			while (true) { $4
			}
		}" ${arg:+"$arg"} -- sh -c 'exec /bench/one >/tmp/ns' 2>/tmp/err
	if grep -q 'error: the handler used up its budget' /tmp/err; then
		printf '%s\t%d\n' "$1" "$(cat /tmp/ns)"
	else
		printf '%s\t%s\n' "$1" "$(head -n 1 /tmp/err)"
	fi
}

# ops BEFORE OP...: operations that need no setup, each named by itself
ops() {
	before=$1
	shift
	for it; do
		op "$it" "$strings" "$before" "$it"
	done
}

# s: a string of the largest size; h: 1500 bytes of it
strings='x = "a" while (len(x) < 4096) { x = x .. x } s = x h = substr(s, 0, 1500)'
two='var x = s var y = h var z = h'
# rep N TEXT: repeat the text N times
rep() {
	yes "$2" | head -n "$1" | tr '\n' ' '
}
# straight BEFORE OP...: many in a row, so that the jumps back cost almost nothing
straight() {
	before=$1
	shift
	for it; do
		op "64 x $it" "t = {1} u = {name = 1} s = stats()" "$before" "$(rep 64 "$it")"
	done
}
# entries NAME N VALUE: a table of N entries
entries() {
	echo "$1 = table.new($2) for (i = 1, $2) { $1[i] = $3 }"
}

op 'plain loop' '' '' 'i += 1 last = nsecs'

# --- instructions in a row
a=abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz
straight "var x = 7 var a = \"$a\" .. \"x\" var b = \"$a\" .. \"y\"" 'x += 1' 'x = x / 3 + 99' 'x = (x << 3) % 5' \
	'if (x == 0) { break }' 'if (a == b) { break }' 'if (b < a) { break }' 'n += 1' 'n = x' 't[1] += 1' \
	't[1] = x' 'x = t[1]' 'u.name += 1' 'if (5 in t) { break }' 'self.f += 1' 'self.f = x' 'x = self.f' \
	'x = arg1' 'x = args.flags' 'x = `jiffies`' 'var c = "a" .. "b"' 'var c = a .. b' 't[1, x] += 1' \
	's <<< x' 's[1] <<< x' 'var c = {}' 'x = len("a")' 'x = pid'

# --- operators, strings
op 'concatenation, 2 x 1500 bytes' "$strings" "$two" 'var c = y .. z'
op 'concatenation, 16 integers' '' 'var a = 1 << 60' \
	'var c = a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a'
op '== of 4096 bytes' "$strings" 'var x = s var y = s' 'if (x != y) { break }'
op '< of 4096 bytes' "$strings" 'var x = s var y = s' 'if (x < y) { break }'
op 'global = 4096 bytes' "$strings" 'var x = s' 'g = x'
op '= global of 4096 bytes' "$strings" '' 'var x = s'
op 'self.f = 4096 bytes' "$strings" 'var x = s' 'self.f = x'
op '= self.f of 4096 bytes' "$strings" 'self.f = s' 'var x = self.f'
op 'self.f = nil, self.f = 1' '' '' 'self.f = nil self.f = 1'
ops "$two" 'var c = substr(x, 1)' 'var c = strlen(x)' 'var c = strcmp(x, y .. z)' \
	'var c = toupper(x)' 'var c = tolower(x)' 'var c = tostring(nsecs)'
op 'strstr, 4096 bytes in which all may begin' "$strings" \
	'var x = s var y = substr(s, 0, 2000) .. "b"' 'var c = strstr(x, y)'
op 'glob, 4096 bytes that nearly match' "$strings" 'var x = s' 'if (x ~ "*a*a*a*aaaaaaaab") { break }'
op 'glob, 4096 bytes that match' "$strings" 'var x = s' 'if (!(x ~ "a*")) { break }'
op 'glob, a short one' '' '' 'if (execname ~ "x*") { break }'
op 'glob, a class' '' '' 'if (execname ~ "[a-eg-np-z]*") { break }'
op 'tonumber, 4096 digits' 'x = "0" while (len(x) < 4096) { x = x .. x } s = x' 'var x = s' \
	'var c = tonumber(x)'
op 'ntop, 16 bytes' '' '' 'var c = ntop("0123456789abcdef")'
op 'macaddr' '' '' 'var c = macaddr("012345")'
op 'error, caught' "$strings" 'var x = s' 'try { error(x) } catch (e) { }'
op 'error 60 calls down, caught' 'function f(n) { if (n == 0) { error("x") } f(n - 1) return 1 }' '' \
	'try { f(60) } catch (e) { }'
op 'calls, 60 deep' 'function f(n) { if (n > 0) { f(n - 1) } return 1 }' '' 'f(60)'

# --- text
op 'format, 30 x %512d' '' '' "var c = format(\"$(yes '%512d' | head -n 30 | tr -d '\n')\"$(yes ', 1' | head -n 30 | tr -d '\n'))"
op 'format, 8 x %-512s' '' '' "var c = format(\"$(yes '%-512s' | head -n 8 | tr -d '\n')\"$(yes ', 1' | head -n 8 | tr -d '\n'))"
op 'format, 8 x %0512x' '' '' "var c = format(\"$(yes '%0512x' | head -n 8 | tr -d '\n')\"$(yes ', 1' | head -n 8 | tr -d '\n'))"
op 'format, %512d' '' '' 'var c = format("%512d", 1)'
op 'format, %d' '' '' 'var c = format("%d", 1)'
op 'format, 30 x %d of 64 bits' '' 'var a = 1 << 63' "var c = format(\"$(yes '%d' | head -n 30 | tr -d '\n')\"$(yes ', a' | head -n 30 | tr -d '\n'))"
op 'format, 30 strings of 4096 bytes' "$strings" 'var x = s' "var c = format(\"$(yes '%s' | head -n 30 | tr -d '\n')\"$(yes ', x' | head -n 30 | tr -d '\n'))"
op 'format, 2048 x %%' 'x = "%%" while (len(x) < 4096) { x = x .. x } s = x' 'var x = s' 'var c = format(x)'
op 'format of a key of 12 parts' 't[1, 2, 3, 4, 5, 6, "a", "b", "c", 1 << 63, 11, 12] = 1' \
	'var key = nil for (k, v in pairs(t)) { key = k }' 'var c = format("%40s", key)'
for d in F T s N Y B %; do
	op "strftime, 2048 x %$d" "x = \"%$d\" while (len(x) < 4096) { x = x .. x } s = x" 'var x = s' \
		'var c = strftime(x)'
done
op 'strftime, 4096 bytes of text' "$strings" 'var x = s' 'var c = strftime(x)'
op 'strftime, %F %T' '' '' 'var c = strftime("%F %T", nsecs)'
ops '' 'var c = walltime'

# --- output
op 'print, 1500 bytes' "$strings" "$two" 'print(y)'
op 'print, 4096 bytes' "$strings" "$two" 'print(x)'
op 'print, 30 integers' '' '' "print(1$(yes ', 1' | head -n 29 | tr -d '\n'))"
op 'print, nothing' '' '' 'print()'
op 'printf, 30 x %512d' '' '' "printf(\"$(yes '%512d' | head -n 30 | tr -d '\n')\"$(yes ', 1' | head -n 30 | tr -d '\n'))"
op 'printf, 1500 bytes' "$strings" "$two" 'printf("%s", y)'
ops '' 'print(kstack)' 'print(ustack(127))' 'print(argstr)'
op 'speculation, 64 KiB, commit' '' \
	'var x = format("%512d", 1)' \
	'var n = speculation() speculate(n) for (j = 1, 120) { print(x) } commit(n)'
op 'speculation, many records, commit' '' '' \
	'var n = speculation() speculate(n) for (j = 1, 1000) { print(j) } commit(n)'
op 'speculation, discard' '' '' 'var n = speculation() discard(n)'

# --- the event, the thread, the machine
ops 'var p = arg1' 'var c = argstr' 'var c = argstr .. ""' 'var c = probename' 'var c = probefunc' \
	'var c = args.filename' 'var c = arg3' \
	'var c = pid' 'var c = tid' 'var c = ppid' 'var c = uid' 'var c = gid' 'var c = cpu' \
	'var c = numa_node' 'var c = execname' 'var c = nsecs' 'var c = elapsed' 'var c = cgroup' \
	'var c = rand' 'var c = curtask' 'var c = gettimeofday_ns' 'var c = gettimeofday_s' \
	'var c = num_cpus' 'var c = arch' 'var c = kernel_v' 'var c = in_interrupt' 'var c = in_iowait' \
	'var c = $1' ''
op 'signal' '' '' 'signal("CONT")'
op 'getopt' 'option = getopt("n", "")' '' 'var c = getopt("n", 5)'
op 'args.filename == "x"' '' '' 'if (args.filename == "x") { break }'
op 'args.filename == 4096 bytes' "$strings" 'var x = s' 'if (args.filename == x) { break }'

# --- stacks and symbols
ops 'var p = arg1 var k = kstack' 'var c = kstack(127)' 'var c = kstack' 'var c = ustack(127)' \
	'var c = ustack' 'var c = usym(p)' 'var c = ksym(ipof(k))' 'var c = ksym(5)' 'var c = stringof(p)' \
	'var c = ipof(k)' 't[ustack(127)] += 1' 't[kstack] += 1' 'if (ustack(127) == ustack(127)) { i += 1 }'

# --- memory
ops 'var p = arg1 var a = arg3' 'var c = user_string(p)' 'var c = user_string(16)' 'var c = str(p)' \
	'var c = str(16)' 'var c = buf(p, 4096)' 'var c = buf(16, 4096)' 'var c = read(p, 8)' \
	'var c = read(16, 8)' 'var c = join(a)' 'var c = join(16)' 'var c = kernel_string(curtask, 4096)' \
	'var c = kernel_string(16)' 'var c = `jiffies`' 'var c = user_string(p + 1, 4000)'

# --- tables
ops '' 'var t = {}' 'var t = table.new(10)' 'var t = table.new(131072)' 'var t = table.new(1048576)' \
	'var t = {1, 2, 3, 4, 5, 6, 7, 8}' 'var t = {{{{{}}}}}'
op 'g = {}' '' '' 'g = {}'
op 't[i] = i' '' 'i = 0' 'i += 1 t[i] = i'
op 't[i] = i, t[i] = nil' '' 'var i = 0' 'i += 1 t[i] = i t[i] = nil'
op 't[i] = i, t[i - 1000] = nil' '' 'var i = 0' 'i += 1 t[i] = i t[i - 1000] = nil'
op 't[4096 bytes] = 1, nil' "$strings" "$two" 't[x] = 1 t[x] = nil'
op 't[4096 bytes] += 1' "$strings" "$two" 't[x] += 1'
op 't[1] = 4096 bytes' "$strings" "$two" 't[1] = x'
op '= t[1], 4096 bytes' "$strings t = {s}" '' 'var c = t[1]'
op 't[key of 4 x 1000 bytes] += 1' "$strings" 'var x = substr(s, 0, 1000)' 't[x, x, x, x] += 1'
op 't[key of 12 integers] += 1' '' 'var i = 0' 't[i, i, i, i, i, i, i, i, i, i, i, i] += 1'
op 't[i] <<< i, t[i] = nil' '' 'var i = 0' 'i += 1 t[i] <<< i t[i] = nil'
op 't[i] = {}, t[i] = nil' '' 'var i = 0' 'i += 1 t[i] = {} t[i] = nil'
op 'count(t, i)' 't = {}' 'var i = 0' 'i += 1 count(t, i)'
op 'len(t)' 't = {}' '' 'var c = len(t)'
op 'insertion into a full table' "$(entries t 1000 1)" 'var i = 1000' 'i += 1 t[i] = 1'
op 'clear, 300000 entries' "$(entries t 300000 i)" '' 'clear(t)'
op 'clear, 300000 entries, their keys strings' \
	't = table.new(300000) for (i = 1, 300000) { t["key " .. i] = "value " .. i }' '' 'clear(t)'
op 'clear, 300000 aggregations' 't = table.new(300000) for (i = 1, 300000) { t[i] <<< i }' '' 'clear(t)'
op 'clear, 100 entries' 't = {}' '' 'for (i = 1, 100) { t[i] = i } clear(t)'
op 'clear, no entries' 't = {}' '' 'clear(t)'
op 'iteration, 10000 entries' "$(entries t 10000 i)" '' 'for (k, v in pairs(t)) { }'
op 'iteration, 4096 bytes' "$strings t = {s, s, s, s, s, s, s, s}" '' 'for (k, v in pairs(t)) { }'
op 'iteration with delete, 100000 entries' "$(entries t 100000 i)" '' 'for (k, v in pairs(t)) { t[k] = nil }'
op 'iterations begun, 10000 entries' "$(entries t 10000 i)" '' 'for (k, v in pairs(t)) { break }'
op 'ten iterations at once' "$(entries t 10000 i)" '' \
	'for (a, v in pairs(t)) { for (b, v in pairs(t)) { for (c, v in pairs(t)) { for (d, v in pairs(t)) {
	for (e, v in pairs(t)) { for (f, v in pairs(t)) { for (g, v in pairs(t)) { for (h, v in pairs(t)) {
	for (k, v in pairs(t)) { for (l, v in pairs(t)) { t[l] = nil t[k] = nil } } } } } } } } } }'

# --- aggregations
full='h = hist(4) l = lhist(0, 1000, 1) s = stats() for (i = 0, 1000) { l <<< i h <<< 1 << (i % 63) s <<< i }'
op 'stats <<<' "$full" '' 's <<< nsecs'
op 'hist <<<' "$full" '' 'h <<< nsecs'
op 'lhist <<<' "$full" '' 'l <<< nsecs'
op 'stats[i] <<<' "$full" 'var i = 0' 'i += 1 s[i] <<< i'
op 'hist[i] <<<' "$full" 'var i = 0' 'i += 1 h[i] <<< i'
op 'lhist[i] <<<, new rows' "$full" 'var i = 0' 'i += 17 l[1] <<< i % 1000'
op 'hist[i] <<<, i = nil' "$full" 'var i = 0' 'i += 1 h[i] <<< i clear(h)'
ops '' 'var a = count()' 'var a = stats()' 'var a = hist(4)' 'var a = lhist(0, 1000, 1)'
op 'clear(hist)' "$full" '' 'clear(h)'
op 'clear(hist of one key, all rows)' "$full"' for (i = 0, 999) { l[1] <<< i }' 'var a = l[1]' \
	'for (i = 0, 99) { a <<< i * 10 } clear(a)'
for f in count min max avg; do
	op "$f(hist)" "$full" '' "var c = $f(h)"
done
for f in sum avg stddev; do
	op "$f(lhist)" "$full" '' "var c = $f(l)"
done
op 'stddev of large numbers' 's = stats() s <<< 1 << 62 s <<< -(1 << 62) s <<< 5' '' 'var c = stddev(s)'
op 'max of 30' '' 'var a = 1' "var c = max(a$(yes ', a' | head -n 29 | tr -d '\n'))"
op 'quantile(hist)' "$full" '' 'var c = quantile(h, 99)'
op 'quantile(lhist)' "$full" '' 'var c = quantile(l, 99)'
op 'quantile(lhist of one key)' "$full for (i = 0, 999) { l[1] <<< i }" '' 'var c = quantile(l[1], 99)'
op 'normalize' "$full" '' 'normalize(h, 5)'
