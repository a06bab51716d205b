// SPDX-License-Identifier: GPL-2.0
/* Strings for generated and changed programs. */
#include <linux/kernel.h>

#include "program.h"

const char * const fuzz_strings[] = {
	"", "a", "b", "key", "some text", "17", "-0x10", "9223372036854775807", "%",
	/* formats */
	"%d", "%s\n", "%5d|%-8s|%x\n", "%08lx %c %%", "%.3s %*d", "%511d", "%u %o %X %i",
	"%d %s %d %s %d %s\n", "%p", "%@d", "%-20@d %s\n", "%2$d", "%ld %hhd", "%t %Y-%m-%d",
	"%H:%M:%S %y %j %%", "%A", "%.0s%513d", "%k", "%ys", "\x1b[1m\t\n", "\xff\xfe\x80",
	/* events, and functions */
	"trace_begin", "trace_end", "tick-1s", "made:up", "sched:*", "x:y", "main", "f",
	/* fields */
	"number", "text", "zero", "empty", "address", "long", "numbers", "none", "name",
	/* types and their members */
	"struct task_struct", "task_struct", "struct mm_struct", "struct list_head", "int",
	"pid_t", "u32", "numbers_t", "struct sample", "module:struct sample", "void *",
	"enum state", "pid", "comm", "parent", "mm", "owner", "total_vm", "children.next",
	"children", "next", "bytes", "in_execve", "sign", "low", "wide", "lo", "hi", "both",
	"matrix", "lists", "state", "ok", "opaque", "fn", "big", "missing", "bad", "mms",
	"policy", "ntail", "tail", "full", "nice", "flags", "task",
	/* symbols */
	"jiffies", "nr_threads", "not_aligned", "padded", "little", "gone", "twice",
	"current_task", "cpu_number", "for_booting", "function", "module:sample_first",
	"module:sample_percpu",
	/* functions of the kernel */
	"ktime_get_ns", "swab32", "cpu_to_node", "dump_stack", "printk",
	/* arguments of functions */
	"inet", "inet6", "127.0", "SIGUSR1", "KILL", "log", "linear", "us", "/proc/self/stat",
	"option", "abcdefghijklmnopqrstuvwxyz0123456789", "123456", "1234567890123456",
};

const unsigned int fuzz_nstrings = ARRAY_SIZE(fuzz_strings);
