# SPDX-License-Identifier: GPL-2.0
# Chunks of scripts that together use every feature, for hammer.sh and fault.sh: every
# source, every kind of value and output, every function of the session's thread.

# chunk NAME [LINE...]: compile the script on stdin to $chunks/NAME.ktap, with these
# set-up lines
chunk() {
	name=$1
	shift
	cat >"$tmp/$name.kp"
	"$KTAPC" -o "$chunks/$name.ktap" "$tmp/$name.kp" 2>"$tmp/err" || {
		sed 's/^/# /' "$tmp/err"
		echo "Bail out! ktapc makes no chunk of $name"
		exit 1
	}
	rm "$tmp/$name.kp"
	[ $# = 0 ] || printf '%s\n' "$@" >"$chunks/$name.lines"
}

# instruction_of_vfs_write: set $inside to the offset of an instruction that is not
# patched by ftrace; empty if there are no such probes. ftrace patches offset 0, or the
# one after a landing pad.
instruction_of_vfs_write() {
	for inside in 5 9 12 ''; do
		[ -n "$inside" ] || return
		"$KTAP" -q -e "trace probe:vfs_write+$inside { n += 1 } trace_begin { exit() }" \
			>/dev/null 2>&1 </dev/null && return
	done
}

# make_chunks: write all of them to $chunks
make_chunks() {
	# an address shows whether it is of the user or of the kernel, but not on all
	# machines
	bytes='str(args.buf, 8), read(arg2, 1)'
	has addresses || bytes='user_string(args.buf, 8), kernel_string(arg2, 1)'
	chunks=$tmp/chunks
	mkdir "$chunks"
	target=$here/utarget

	chunk control <<-'E2'
	print("control")
	E2
	chunk top <<-'E2'
	t = {}
	for (i = 1, 200) { t[i] = "text " .. i }
	s = stats()
	for (k, v in pairs(t)) { s <<< len(v) }
	for (k, v in sort_pairs(t)) { last = k }
	print(last, avg(s), format("%-5s|%x", "a", 255), substr("abcdef", 2, 3))
	print(arg[1], ksym(kaddr("vfs_write")))
	try { error("caught") } catch (e) { print(e) }
	E2
	chunk error <<-'E2'
	function f(x) { return 10 / x }
	print(f(0))
	E2
	chunk options 'arg script' 'arg --n=3' 'arg rest' <<-'E2'
	n = getopt("n", 1)
	print(n, arg[1])
	E2
	chunk endless <<-'E2'
	trace_begin { while (1) { t[n] = { n } n += 1 } }
	E2
	chunk tracepoint <<-'E2'
	trace sched:sched_switch, sched:sched_wakeup { n[probename, execname] += 1 t[nsecs] = argstr }
	trace sched:sched_process_fork, sched:sched_process_exit { print(probename, argstr, pid) }
	trace irq:*, timer:hrtimer_* { s[probename] += 1 }
	trace_end { print_hist(s) print(len(n)) }
	E2
	chunk syscalls <<-'E2'
	trace syscalls:sys_*_getppid, syscalls:sys_enter_close { s[probename] += 1 t[pid, nsecs] = "text " .. nsecs }
	trace syscalls:sys_enter_openat { print(args.filename, args.flags) f[args.filename] += 1 }
	trace raw_syscalls:sys_exit /id == 39/ { m += 1 }
	trace_end { print_hist(s) print(len(f), m) }
	E2
	chunk every_syscall <<-'E2'
	trace syscalls:* { s[probename] <<< 1 self.last = nsecs }
	tick-20ms { print_hist(s, 3) clear(s) }
	E2
	chunk rawtp <<-'E2'
	trace rawtp:sched_switch, rawtp:sched_waking { n[arg1 != 0] += 1 k[kstack(4)] += 1 }
	trace_end { print(n) }
	E2
	chunk function <<-'E2'
	trace probe:vfs_write, probe:vfs_read { self.start = nsecs }
	trace probe:vfs_write%return /self.start/ { h <<< nsecs - self.start self.start = nil }
	trace kretprobe:ksys_read { n[retval] += 1 }
	trace_end { print(h) }
	E2
	chunk kprobe <<-'E2'
	trace probe:vfs_write size=%dx:u64 who=$comm { n[args.size] += 1 f[args.who] += 1 }
	trace kretprobe:vfs_read done=$retval { m[args.done] += 1 }
	E2
	instruction_of_vfs_write
	[ -z "$inside" ] || chunk instruction <<-E2
	trace probe:vfs_write+$inside { n[execname] += 1 k[kstack(3)] += 1 }
	trace_end { print(len(n), len(k)) }
	E2
	chunk ftrace <<-'E2'
	trace ftrace:function /ip == vfs_*/ { n[probefunc] += 1 }
	trace_end { print_hist(n) }
	E2
	chunk profile <<-'E2'
	trace software:cs:1 { c[execname] += 1 }
	profile-2ms { k[kstack(8)] += 1 u[ustack(8)] += 1 n[usym(arg1)] += 1 }
	tick-10ms { normalize(k, 2) print(len(k), len(u)) trunc(k, 5) }
	E2
	chunk uprobe <<-E2
	trace uprobe:$target:$("$target" offset add) { n[arg0, arg9] += 1 print(ustack(3)) }
	trace uretprobe:$target:$("$target" offset add) { m[retval] += 1 }
	E2
	chunk usdt "uprobe usdt:/x:p:m $target" \
		"at $("$target" offset add) $("$target" offset semaphore) p:m 4@%di -8@%si 8@8(%sp)" <<-'E2'
	trace usdt:/x:p:m { n[arg0, arg1] += 1 print(usym(arg2)) }
	E2
	chunk thread <<-'E2'
	t = table.new(0, 50)
	trace_begin { for (i = 1, 100) { print("begin", i) t[i] = format("%d", i) } }
	tick-1ms { n += 1 t[n] = { n } c = snapshot(t) print(len(c), len(t)) }
	tick-5ms { clear(t) a <<< rand print(a) }
	trace_end { print_hist(a) while (i < 100) { print(i, strftime("%H", nsecs)) i += 1 } }
	E2
	chunk speculation <<-'E2'
	trace syscalls:sys_enter_getppid { self.s = speculation() speculate(self.s) print("held back", nsecs) }
	trace syscalls:sys_exit_getppid /self.s/ { if (rand & 1) { commit(self.s) } else { discard(self.s) } self.s = nil }
	E2
	chunk output <<-'E2'
	trace syscalls:sys_enter_getppid { for (i = 1, 20) { printf("%-40s %10d %x\n", execname, i, nsecs) } cat("/proc/version") }
	E2
	chunk memory 'memory 262144' <<-'E2'
	trace sched:*, syscalls:sys_enter_* { t[nsecs, cpu] = { execname, pid } a[nsecs] <<< 1 if (len(t) > 500) { clear(a) } }
	trace_end { print(len(t), len(a)) }
	E2
	chunk ends <<-'E2'
	trace sched:sched_switch { n += 1 if (n > 50) { exit(3) } }
	trace_end { print(n) }
	E2
	chunk fails <<-'E2'
	function f(x) { return 1 / x }
	trace syscalls:sys_enter_getppid { n += 1 f(n - 20) }
	trace_end { print(n) }
	E2
	chunk refused <<-'E2'
	trace sched:sched_switch { n += 1 }
	trace sched:no_such_event { n += 1 }
	E2
	chunk filters 'pid 1' 'follow' 'cpus 0-1' 'frames' <<-E2
	trace sched:sched_switch /prev_pid > 1/ { n[args.prev_comm] += 1 }
	trace syscalls:sys_enter_write /count > 3 && execname != "x"/ { print($bytes) }
	E2
}
