// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the kernel that scripts can call.  The kernel has its own list, with the
 * contexts (kernel/trace/ktap/vm/kernel_call_list.h).
 */
#include <string.h>

#include "compiler/kernel_calls.h"
#include "compiler/suggest.h"
#include "compiler/util.h"

#define INT	TYPE_INT
#define BOOL	TYPE_BOOL
#define NIL	TYPE_NIL
#define STRING	TYPE_STRING

/* type of the result, name, parameters as in C; types of result and arguments */
#define CALL(c, n, p, t, ...) \
	{ c " " #n "(" p ")", { .name = #n, .kind = BI_FUNCTION, .type = t, \
	  .min = sizeof((int []) { 0, ##__VA_ARGS__ }) / sizeof(int) - 1, \
	  .max = sizeof((int []) { 0, ##__VA_ARGS__ }) / sizeof(int) - 1, \
	  .args = { __VA_ARGS__ } } }
/* The same; it acts on the system. */
#define ACTION(c, n, p, t, ...) \
	{ c " " #n "(" p ")", { .name = #n, .kind = BI_FUNCTION, .type = t, .acts = true, \
	  .min = sizeof((int []) { 0, ##__VA_ARGS__ }) / sizeof(int) - 1, \
	  .max = sizeof((int []) { 0, ##__VA_ARGS__ }) / sizeof(int) - 1, \
	  .args = { __VA_ARGS__ } } }

const struct kernel_call kernel_calls[] = {
	CALL("u64", ktime_get_ns, "void", INT),
	CALL("u64", ktime_get_boottime_ns, "void", INT),
	CALL("u64", ktime_get_real_ns, "void", INT),
	CALL("u64", ktime_get_clocktai_ns, "void", INT),
	CALL("u64", ktime_get_raw_ns, "void", INT),
	CALL("time64_t", ktime_get_real_seconds, "void", INT),
	CALL("u64", local_clock, "void", INT),
	CALL("u64", sched_clock, "void", INT),
	CALL("unsigned int", jiffies_to_msecs, "unsigned long j", INT, INT),
	CALL("unsigned long", msecs_to_jiffies, "unsigned int m", INT, INT),

	CALL("unsigned long long", nr_context_switches, "void", INT),
	CALL("unsigned int", nr_iowait, "void", INT),
	CALL("int", nr_processes, "void", INT),
	CALL("unsigned int", nr_running, "void", INT),
	CALL("unsigned long", nr_free_pages, "void", INT),
	CALL("long", si_mem_available, "void", INT),
	CALL("unsigned long", totalram_pages, "void", INT),

	CALL("bool", cpu_online, "unsigned int cpu", BOOL, INT),
	CALL("int", cpu_to_node, "int cpu", INT, INT),
	CALL("unsigned int", num_online_cpus, "void", INT),
	CALL("unsigned int", num_possible_cpus, "void", INT),
	CALL("int", raw_smp_processor_id, "void", INT),
	CALL("bool", in_hardirq, "void", BOOL),
	CALL("bool", in_nmi, "void", BOOL),
	CALL("bool", in_serving_softirq, "void", BOOL),
	CALL("bool", in_task, "void", BOOL),

	CALL("int", fls64, "u64 x", INT, INT),
	CALL("unsigned long", hweight64, "u64 w", INT, INT),
	CALL("u32", int_sqrt64, "u64 x", INT, INT),
	CALL("u16", swab16, "u16 x", INT, INT),
	CALL("u32", swab32, "u32 x", INT, INT),
	CALL("u64", swab64, "u64 x", INT, INT),
	CALL("u16", ntohs, "__be16 x", INT, INT),
	CALL("u32", ntohl, "__be32 x", INT, INT),

	ACTION("void", dump_stack, "void", NIL),
	ACTION("int", printk, "const char *fmt, ...", INT, STRING),
	ACTION("int", trace_printk, "const char *fmt, ...", INT, STRING),
};

const size_t nkernel_calls = ARRAY_SIZE(kernel_calls);

const struct kernel_call *kernel_call_find(const char *name)
{
	for (size_t i = 0; i < nkernel_calls; i++)
		if (!strcmp(kernel_calls[i].fn.name, name))
			return &kernel_calls[i];
	return NULL;
}

const char *kernel_call_near(const char *name)
{
	unsigned int distance = edit_limit(name) + 1, d;
	const char *best = NULL;

	for (size_t i = 0; i < nkernel_calls; i++) {
		d = edit_distance(name, kernel_calls[i].fn.name);
		if (d < distance) {
			distance = d;
			best = kernel_calls[i].fn.name;
		}
	}
	return best;
}
