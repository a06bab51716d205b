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
# usage: cost.sh [plain | types] [PATTERN]
#	the operations that need no types of the kernel (the default), or those that do;
#	with a pattern only those whose names match it, and always the plain loop
#	ENOUGH=N: an operation that costs less than N plain loops is measured only once
# usage: cost.sh scripts DIR
#	write the scripts of all operations into the directory, without running them

tracing=/sys/kernel/tracing
mode=${1:-plain} only=${2:-*} ops=0
[ "$mode" = scripts ] || echo $((256 << 20)) >$tracing/ktap/max_memory
# Units of the budget are those of the interpreter: native code takes no longer for any of them.
[ ! -e $tracing/ktap/jit ] || [ "$mode" = scripts ] || echo 0 >$tracing/ktap/jit

# Where the handler runs, what that adds to names of operations, and what one.c does to make
# the event
event='' at='' call='' loop=''
opening() {
	event=syscalls:sys_enter_openat at='' call=open
}
opening
# what the operations need that follow
need=plain

# measure NAME SETUP BEFORE BODY: SETUP runs at the top level, BEFORE once in the handler, and
# then BODY in a loop.  It is measured twice: what another task does until the handler's call
# returns, a refill of the heap for example, is no part of the price.
measure() {
	name=$1$at
	script="$2
		trace $event /execname == \"one\"/ function (e) { $3
			while (true) { $4
			}
		}"
	if [ "$mode" = scripts ]; then
		ops=$((ops + 1))
		echo "$script" >"$only/$ops.kp"
		return
	fi
	# shellcheck disable=SC2254 # it is a pattern
	case $need/$name in
	*/'plain loop' | $mode/$only) ;;
	*) return ;;
	esac
	arg=
	case $4 in
	*'$1'*) arg=4096 ;;
	esac
	least=
	for _ in 1 2; do
		ktap -q -w --unsafe -m 128M -o /dev/null -e "$script" ${arg:+"$arg"} -- \
			sh -c "exec /bench/one $call >/tmp/ns" 2>/tmp/err
		if ! grep -q 'error: the handler used up its budget' /tmp/err; then
			least=$(head -n 1 /tmp/err)
			break
		fi
		[ "$least" ] && [ "$least" -le "$(cat /tmp/ns)" ] || least=$(cat /tmp/ns)
		[ -z "$ENOUGH" ] || [ -z "$loop" ] || [ "$least" -ge $((ENOUGH * loop)) ] || break
	done
	case $name/$least in
	'plain loop/'*[!0-9]*) ;;
	'plain loop/'*) loop=$least ;;
	esac
	printf '%s\t%s\n' "$name" "$least"
}

# rep N TEXT: repeat the text N times
rep() {
	yes "$2" | head -n "$1" | tr '\n' ' '
}

# op NAME SETUP BEFORE OP: several in a row, because a jump back costs less than it is charged
op() {
	measure "$1" "$2" "$3" "$(rep 8 "$4")"
}

# large NAME SETUP BEFORE OP: one that is charged much.  Without a jump in between, the arena
# has no room for several large strings.
large() {
	measure "$@"
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
# straight BEFORE OP...: many in a row, for instructions that cost less than a unit
straight() {
	before=$1
	shift
	for it; do
		measure "64 x $it" "t = {1} u = {name = 1} s = stats() function f() { return 1 }" "$before" "$(rep 64 "$it")"
	done
}
# entries NAME N VALUE: a table of N entries
entries() {
	echo "$1 = table.new($2) for (i = 1, $2) { $1[i] = $3 }"
}

# A handler could read i, so it is not kept per CPU: a unit of the budget stays what it was.
measure 'plain loop' 'function i_is() { return i }' '' 'i += 1 last = nsecs'

# --- instructions in a row
a=abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz
straight "var x = 7 var a = \"$a\" .. \"x\" var b = \"$a\" .. \"y\"" 'x += 1' 'x = x / 3 + 99' 'x = (x << 3) % 5' \
	'if (x == 0) { break }' 'if (a == b) { break }' 'if (b < a) { break }' 'n += 1' 'n = x' 't[1] += 1' \
	't[1] = x' 'x = t[1]' 'u.name += 1' 'if (5 in t) { break }' 'self.f += 1' 'self.f = x' 'x = self.f' \
	'x = arg1' 'x = args.flags' 'x = `jiffies`' 'var c = "a" .. "b"' 'var c = a .. b' 't[1, x] += 1' \
	's <<< x' 's[1] <<< x' 'var c = {}' 'x = len("a")' 'x = pid'
straight 'var x = 7 var y = 3' 'x = x + y' 'x = x - y' 'x = x * y' 'x = x / y' 'x = x % y' 'x = x & y' \
	'x = x | y' 'x = x ^ y' 'x = x << y' 'x = x >> y' 'x -= 1' 'x *= 3' 'x &= 5' 'x |= 5' 'x ^= 5' 'x >>= 1' \
	'x = -x' 'x = ~x' 'x = s8(x)' 'x = s32(x)' 'x = u8(x)' 'x = u32(x)' 'var c = !x' 'var c = nil' 'var c = true' \
	'var c = 1 << 40' 'var c = "a"' 'var c = f' 'var c = x' 'var c = x == y' 'var c = x < y' 'var c = x <= y'
straight 'var x = 7 var y = 3 var z = nil' 'if (x == y) { break }' 'if (x != x) { break }' 'if (x < y) { break }' \
	'if (x <= y) { break }' 'if (x != 7) { break }' 'if (x < 5) { break }' 'if (x <= 5) { break }' \
	'if (x > 9) { break }' 'if (x >= 9) { break }' 'if (z) { break }' 'if (!x) { break }' 'var c = z || x' \
	'if (z != nil) { break }' 'if (x == nil) { break }' 'if (!(x == y)) { x = 7 }' 'if (!(y < x)) { break }' \
	'if (!(y <= x)) { break }' 'if (!(x < 8)) { break }' 'if (!(x <= 8)) { break }' 'if (!(x > 5)) { break }' \
	'if (!(x >= 5)) { break }'
straight 'var x = 7 var k = 5' 'x = t[k]' 'x = t[7]' 't[k] = x' 't[k] += 1' 't.name = x' 'x = t.name' 'x = args["flags"]'

# --- operators, strings
large 'concatenation, 2 x 1500 bytes' "$strings" "$two" 'var c = y .. z'
op 'concatenation, 16 integers' '' 'var a = 1 << 60' \
	'var c = a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a .. a'
op '== of 4096 bytes' "$strings" 'var x = s var y = s' 'if (x != y) { break }'
op '< of 4096 bytes' "$strings" 'var x = s var y = s' 'if (x < y) { break }'
op 'global = 4096 bytes' "$strings" 'var x = s' 'g = x'
large '= global of 4096 bytes' "$strings" '' 'var x = s'
op 'self.f = 4096 bytes' "$strings" 'var x = s' 'self.f = x'
large '= self.f of 4096 bytes' "$strings" 'self.f = s' 'var x = self.f'
op 'self.f = nil, self.f = 1' '' '' 'self.f = nil self.f = 1'
for it in 'var c = substr(x, 1)' 'var c = toupper(x)' 'var c = tolower(x)'; do
	large "$it" "$strings" "$two" "$it"
done
ops "$two" 'var c = strlen(x)' 'var c = strcmp(x, y .. z)' 'var c = tostring(nsecs)' 'var c = ntop(5)'
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
parameters=p1$(seq 2 32 | sed 's/^/, p/' | tr -d '\n')
more=$(yes ', 1' | head -n 31 | tr -d '\n')
ones="1$more"
op 'call, 32 arguments' "function f($parameters) { return 1 }" '' "f($ones)"
op 'call of a value, 32 parameters, no argument' "function f($parameters) { return 1 }" 'var g = f' 'g()'
op 'call of a value, 32 arguments' "function f($parameters) { return 1 }" 'var g = f' "g($ones)"
op 'call, 32 variable arguments' 'function f(...) { return 1 }' '' "f($ones)"
op '32 variable arguments, passed on' \
	"function f(...) { return 1 } function g(...) { f(...) return 1 }" '' "g($ones)"
op '32 variable arguments as a table' 'function f(...) { var t = {...} return 1 }' '' "f($ones)"
op '32 results' "function f() { return $ones } function g() { return f() }" '' 'print(g())'
op 'tail calls' 'function f(n) { if (n == 0) { return 1 } return f(n - 1) }' '' 'f(1000000)'
op 'tail calls, 32 arguments' \
	"function f($parameters) { if (p1 == 0) { return 1 } return f(p1 - 1$more) }" '' "f(1000000$more)"
op 'tail calls of a value, 32 parameters, 2 arguments' \
	"function f($parameters) { if (p1 == 0) { return 1 } return p2(p1 - 1, p2) }" \
	'var g = f' 'g(1000000, g)'
op 'tail calls of a value' 'function f(n, g) { if (n == 0) { return 1 } return g(n - 1, g) }' '' 'f(1000000, f)'
op 'tail calls, variable arguments' \
	'function f(n, ...) { if (n == 0) { return 1 } return f(n - 1, ...) }' '' \
	"f(1000000$more)"
op 'for' '' '' 'for (i = 1, 1000000) { }'

# --- text
large 'format, 30 x %512d' '' '' "var c = format(\"$(yes '%512d' | head -n 30 | tr -d '\n')\"$(yes ', 1' | head -n 30 | tr -d '\n'))"
large 'format, 8 x %-512s' '' '' "var c = format(\"$(yes '%-512s' | head -n 8 | tr -d '\n')\"$(yes ', 1' | head -n 8 | tr -d '\n'))"
large 'format, 8 x %0512x' '' '' "var c = format(\"$(yes '%0512x' | head -n 8 | tr -d '\n')\"$(yes ', 1' | head -n 8 | tr -d '\n'))"
op 'format, %512d' '' '' 'var c = format("%512d", 1)'
op 'format, %d' '' '' 'var c = format("%d", 1)'
op 'format, 30 x %d of 64 bits' '' 'var a = 1 << 63' "var c = format(\"$(yes '%d' | head -n 30 | tr -d '\n')\"$(yes ', a' | head -n 30 | tr -d '\n'))"
large 'format, 30 strings of 4096 bytes' "$strings" 'var x = s' "var c = format(\"$(yes '%s' | head -n 30 | tr -d '\n')\"$(yes ', x' | head -n 30 | tr -d '\n'))"
large 'format, 2048 x %%' 'x = "%%" while (len(x) < 4096) { x = x .. x } s = x' 'var x = s' 'var c = format(x)'
op 'format of a key of 12 parts' 't[1, 2, 3, 4, 5, 6, "a", "b", "c", 1 << 63, 11, 12] = 1' \
	'var key = nil for (k, v in pairs(t)) { key = k }' 'var c = format("%40s", key)'
for d in F T s N Y B %; do
	large "strftime, 2048 x %$d" "x = \"%$d\" while (len(x) < 4096) { x = x .. x } s = x" 'var x = s' \
		'var c = strftime(x)'
done
large 'strftime, 4096 bytes of text' "$strings" 'var x = s' 'var c = strftime(x)'
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
ops "$two" 'cat(x)' 'cat("x")' 'dump(x)' 'dump()'
ops "$two" 'try { test.plan(1) } catch { }' 'test.ok(1, x)' 'test.ok(0, x)' 'test.is(x, y)' 'test.isnt(x, x)' \
	'test.skip(x, y)' 'test.diag(x)'

# --- the event, the thread, the machine
ops 'var p = arg1' 'var c = argstr' 'var c = argstr .. ""' 'var c = probename' 'var c = probefunc' \
	'var c = args.filename' 'var c = arg3' \
	'var c = pid' 'var c = tid' 'var c = ns_pid' 'var c = ns_tid' 'var c = ppid' 'var c = uid' 'var c = gid' 'var c = cpu' \
	'var c = numa_node' 'var c = execname' 'var c = nsecs' 'var c = elapsed' 'var c = cgroup' 'var c = cgroup_path(1)' \
	'var c = rand' 'var c = curtask' 'var c = gettimeofday_ns' 'var c = gettimeofday_us' \
	'var c = gettimeofday_ms' 'var c = gettimeofday_s' \
	'var c = utc_offset' 'var c = num_cpus' 'var c = arch' 'var c = kernel_v' 'var c = syscall_name(1)' 'var c = in_interrupt' 'var c = in_iowait' \
	'var c = $1'
ops '' 'var c = ffi.C.ktime_get_ns()' 'var c = ffi.C.nr_context_switches()' \
	'var c = ffi.C.si_mem_available()' 'var c = ffi.C.int_sqrt64(-1)' 'ffi.C.printk("x")' \
	'ffi.C.trace_printk("some text")' 'ffi.C.dump_stack()'
measure 'nothing' '' '' ''
switched='p = trace_on("syscalls:sys_enter_getpgid", function (e) { })'
op 'on' "$switched" 'var q = p' 'q.on()'
op 'on and off' "$switched" 'var q = p' 'q.off() q.on()'
op 'delete' "$switched" 'var q = p' 'q.delete()'
op 'signal' '' '' 'signal("CONT")'
op 'signal, one of the last names' '' '' 'signal("SIGWINCH")'
op 'system, 2048 bytes' "$strings" 'var x = ": " .. substr(s, 0, 2046)' 'system("%s", x)'
op 'system, 2048 bytes of format' "$strings" 'var x = ": " .. substr(s, 0, 2046)' 'system(x)'
op 'system, a short one' '' '' 'system(":")'
op 'stop' '' '' 'stop()'
ops '' 'var c = e.field(1)' 'var c = e.field(5)' 'var c = e.field(6)' 'var c = e.sc_nr' 'var c = e.sc_arg6' \
	'var c = e["name"]'
event=syscalls:sys_exit_openat at=', at a return'
ops '' 'var c = retval' 'var c = arg0' 'var c = e.field(2)' 'var c = e.field(3)'
event=probe:__x64_sys_openat at=', at a function'
ops '' 'set_retval(-1)' 'e.set_retval(-4095)' 'var c = arg0' 'var c = probefunc' 'var c = e.field(2)'
event="\"probe:do_file_open $(seq 1 100 | sed 's/.*/a&=%di/' | tr '\n' ' ')\""
at=', of 102 fields'
ops '' 'var c = e.field(102)' 'var c = e.field(1 << 40)' 'var c = args.a100' 'var c = arg9'
event=sock:inet_sock_set_state at=', at a tracepoint' call=connect
ops '' 'var c = e.field(11)' 'var c = e.field(12)' 'var c = arg9' 'var c = args.saddr_v6' 'var c = argstr .. ""'
straight 'var x = 7' 'x = arg9' 'x = args.newstate'
event=packet:out at=', at a packet' call=connect
ops '' 'verdict("accept")' 'verdict("drop")' 'var c = args.length' 'var c = args.device' 'var c = args.saddr' \
	'var c = args.payload' 'var c = arg9'
opening
op 'getopt' 'option = getopt("n", "")' '' 'var c = getopt("n", 5)'
op 'args.filename == "x"' '' '' 'if (args.filename == "x") { break }'
op 'args.filename == 4096 bytes' "$strings" 'var x = s' 'if (args.filename == x) { break }'

# --- stacks and symbols
ops 'var p = arg1 var k = kstack' 'var c = kstack(127)' 'var c = kstack' 'var c = ustack(127)' \
	'var c = ustack' 'var c = usym(p)' 'var c = ksym(ipof(k))' 'var c = ksym(5)' 'var c = stringof(p)' \
	'var c = ipof(k)' 't[ustack(127)] += 1' 't[kstack] += 1' 'if (ustack(127) == ustack(127)) { i += 1 }' \
	'var c = kstack(127, 127)' 'var c = ustack(127, 127)' 'var c = kstack(1, 127)' 'var c = ustack(1, 127)'
op called_from 'f = kaddr("vfs_read")' 'var a = f' 'var c = called_from(a)'
event=probe:tcp_rcv_state_process at=', a deep stack' call=connect
ops 'var k = kstack(127)' 'var c = kstack(127)' 'var c = kstack(64)' 'var c = kstack' 'var c = kstack(1, 30)' 't[kstack(127)] += 1' \
	'print(kstack(127))' 'var c = len(k)'
op called_from 'f = kaddr("vfs_read")' 'var a = f' 'var c = called_from(a)'
opening

# --- memory
before='var p = arg1 var a = arg3'
for it in 'user_string(p)' 'user_string(p + 1, 4000)' 'str(p)' 'buf(p, 4096)' 'buf(16, 4096)' 'join(a)' 'join(16)'; do
	large "$it" '' "$before" "var c = $it"
done
ops "$before" 'var c = user_string(16)' 'var c = str(16)' 'var c = read(p, 8)' 'var c = read(p, -4)' \
	'var c = read(16, 8)' 'var c = kernel_string(curtask, 4096)' 'var c = kernel_string(16)' 'var c = `jiffies`'
# The argument is a structure that begins with the address of the name.
event=probe:do_file_open at=', of the kernel'
for it in 'kernel_string(p)' 'kernel_string(p, 4000)' 'str(p)' 'buf(p, 4096)'; do
	large "$it" '' 'var p = read(arg1, 8)' "var c = $it"
done
opening

# --- tables
ops '' 'var t = {}' 'var t = table.new(10)' 'var t = table.new(131072)' 'var t = table.new(1048576)' \
	'var n = 1048576 var t = table.new(n)' 'var n = 524288 var t = table.new(n, n)' \
	'var t = {1, 2, 3, 4, 5, 6, 7, 8}' 'var t = {{{{{}}}}}'
op 'g = {}' '' '' 'g = {}'
op 't[i] = i' '' 'i = 0' 'i += 1 t[i] = i'
op 't[i] = i, t[i] = nil' '' 'var i = 0' 'i += 1 t[i] = i t[i] = nil'
op 't[i] = i, t[i - 1000] = nil' '' 'var i = 0' 'i += 1 t[i] = i t[i - 1000] = nil'
op 't[4096 bytes] = 1, nil' "$strings" "$two" 't[x] = 1 t[x] = nil'
op 't[4096 bytes] += 1' "$strings" "$two" 't[x] += 1'
op 't[1] = 4096 bytes' "$strings" "$two" 't[1] = x'
large '= t[1], 4096 bytes' "$strings t = {s}" '' 'var c = t[1]'
op 't[key of 4 x 1000 bytes] += 1' "$strings" 'var x = substr(s, 0, 1000)' 't[x, x, x, x] += 1'
op 't[key of 12 integers] += 1' '' 'var i = 0' 't[i, i, i, i, i, i, i, i, i, i, i, i] += 1'
op 't[i] <<< i, t[i] = nil' '' 'var i = 0' 'i += 1 t[i] <<< i t[i] = nil'
op 't[i] = {}, t[i] = nil' '' 'var i = 0' 'i += 1 t[i] = {} t[i] = nil'
op 'count(t, i)' 't = {}' 'var i = 0' 'i += 1 count(t, i)'
op '= count(t, i, i)' 't = {}' 'var i = 0' 'i += 1 var c = count(t, i, i)'
op '= count(t, 4096 bytes)' "$strings t = {}" "$two" 'var c = count(t, x)'
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
large 'ten iterations at once' "$(entries t 10000 i)" '' \
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
# numbers that fall into all blocks of rows of a hist(4)
hist='k = (k + 1) % 60 h[1] <<< 1 << k h[1] <<< -(1 << k)'
op 'hist(4)[i] <<<, all rows' "$full" 'var k = 0' "$hist"
op 'quantile(hist(4) of one key, all rows)' "$full for (k = 1, 60) { h[1] <<< 1 << k h[1] <<< -(1 << k) }" \
	'var a = h[1]' 'var c = quantile(a, 99)'
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

# --- types of the kernel
need=types
ops 'var p = curtask g = p' 'var c = cast("struct file", p)' 'var c = cast("struct file", 5)' \
	'var c = sizeof("struct task_struct")' 'var c = offsetof("struct task_struct", "se.vruntime")' \
	'var c = p.pid' 'var c = p.comm' 'var c = p.mm' 'var c = p.se' 'var c = p.mm.total_vm' 'var c = p.sched_contributes_to_load' \
	'var c = p.se.avg.util_avg' 'var c = g.pid' 'var c = g.comm' 'var c = g.sched_contributes_to_load' \
	'var c = cast("struct task_struct", 16).pid' 'var c = cast("struct task_struct", 16).comm'
ops 'var p = curtask.fs.pwd' 'var c = path(p)' 'var c = path(16)'
straight 'var p = curtask' 'x = p.pid' 'x = p.mm' 'x = p.se' 'var c = cast("struct file", p)'
ops 'var p = cast("unsigned long", curtask) var i = 3 g = p' 'var c = p[i]' 'var c = p[3]' 'var c = g[i]' 'var c = g[3]' \
	'var c = `runqueues`' 'var c = `runqueues`.nr_running'
# The argument has the address of the name: 4095 bytes.
event=probe:do_file_open at=', of the kernel'
large 'characters, 4096 bytes' '' \
	'var p = cast("struct linux_dirent", read(arg1, 8) - offsetof("struct linux_dirent", "d_name"))' 'var c = p.d_name'
opening
op 'no such member' '' 'g = curtask' 'try { var c = g.thred } catch (why) { }'
op 'no such member, of a pointer without a type' '' 'g = arg1 + 0' 'try { var c = g.thread } catch (why) { }'
# Places of members are kept as long as there is room for them: read enough of them that there is
# none for the last one of the list, which is the last one of its structure, too.
fill=$(awk '$1 != of { of = $1; printf "p = cast(\"struct %s\", curtask) ", of } { printf "x = p.%s ", $2 }' \
	/bench/members 2>/dev/null)
op 'a member that is found by name, and not kept' "$fill" 'g = curtask' 'var c = g.thread'
