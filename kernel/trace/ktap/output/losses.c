// SPDX-License-Identifier: GPL-2.0
/*
 * Messages about data that a session has lost.
 */
#include <linux/kernel.h>

#include "data/agg.h"
#include "data/table.h"
#include "output/losses.h"
#include "output/speculation.h"
#include "vm/env.h"
#include "vm/global.h"

/* Maximum length of a line */
#define LINE	256

struct losses_listener {
	ktap_tell_fn fn;
	void *priv;
};

static __printf(3, 4) void losses_tell(const struct losses_listener *to, u64 n, const char *fmt,
				       ...)
{
	char line[LINE];
	va_list args;

	va_start(args, fmt);
	vscnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	to->fn(to->priv, n, line);
}

static const struct {
	size_t offset;
	const char *fmt;
} losses[] = {
#define LOSS(counter, fmt)	{ offsetof(struct ktap_counters, counter), fmt }
	LOSS(lost_records, "lost %ld output records: they were not read fast enough"),
	LOSS(no_speculation, "refused %ld speculations: too many were open"),
	LOSS(speculative,
	     "dropped %ld pieces of output: their speculation was full, over, none or cut short"),
	LOSS(lost_signals,
	     "did not send %ld signals: to a kernel thread or init, or one was still on its way"),
	LOSS(unlogged,
	     "did not log %ld messages of printk or dump_stack: sessions may log 10 in 5 seconds"),
	LOSS(full_threads, "dropped %ld fields of threads: too many threads have some"),
	LOSS(nmi_busy,	   "dropped %ld updates that interrupted another one"),
	LOSS(no_user_stack, "could not read %ld stacks of programs"),
	LOSS(no_user_file,
	     "%ld frames of programs are shown as addresses: their files were not found"),
	LOSS(cut_strings,  "cut %ld strings that were too long"),
	LOSS(left_out,
	     "left out %ld entries of tables: strings grew while these were printed or sorted"),
	LOSS(bad_reads,	   "%ld reads of memory failed"),
	LOSS(unknown_calls,
	     "missed %ld events of system calls that only 32-bit or x32 programs have; "
	     "raw_syscalls has them"),
#undef LOSS
};

static struct ktap_table *losses_table_of(struct ktap_env *env, u32 global)
{
	struct ktap_value v;

	ktap_global_peek(env, global, &v);
	return ktap_value_table(&v);
}

/* Report the losses of the table that a global holds; return their number. */
static unsigned long losses_tell_table(struct ktap_env *env, u32 global,
				       const struct losses_listener *to)
{
	struct ktap_table *t = losses_table_of(env, global);
	unsigned long n;
	u32 i;

	/* If several globals hold the table, it is reported by the name of the first one. */
	for (i = 0; i < global; i++) {
		if (losses_table_of(env, i) == t)
			return 0;
	}
	n = t ? ktap_table_dropped(t) : 0;
	if (n)
		losses_tell(to, n,
			    "dropped %lu entries of '%.64s', which was full (%u entries; %s)", n,
			    env->prog->globals[global], ktap_table_max(t),
			    "table.new(n) makes room for n");
	return n;
}

static void losses_tell_tables(struct ktap_env *env, const struct losses_listener *to)
{
	unsigned long all = atomic_long_read(&env->counters.full_table), named = 0;
	u32 i;

	for (i = 0; i < env->prog->nglobals && all; i++)
		named += losses_tell_table(env, i, to);
	if (named < all)
		losses_tell(to, all - named,
			    "dropped %lu entries of tables that no global holds, which were full",
			    all - named);
}

static void losses_tell_memory(struct ktap_env *env, const struct losses_listener *to)
{
	long n = atomic_long_read(&env->counters.no_memory);

	if (n && ktap_heap_was_denied(&env->heap))
		losses_tell(to, n,
			    "dropped %ld values: the system or its memory cgroup had no memory left (%zu of %zu KiB were there)",
			    n, env->heap.bytes >> 10, env->heap.max >> 10);
	else if (n)
		losses_tell(to, n,
			    "dropped %ld values: the session had no memory left (of %zu KiB; %s)",
			    n, env->heap.max >> 10, "-m for more");
}

static void losses_tell_speculations(struct ktap_env *env, const struct losses_listener *to)
{
	unsigned int n = ktap_speculations_open(env);

	if (n)
		losses_tell(to, n, "discarded %u speculations: neither committed nor discarded", n);
}

void ktap_tell_losses(struct ktap_env *env, ktap_tell_fn fn, void *priv)
{
	const struct losses_listener to = { fn, priv };
	const atomic_long_t *counter;
	unsigned int i;
	long n;

	if (env->globals)
		losses_tell_tables(env, &to);
	losses_tell_memory(env, &to);
	losses_tell_speculations(env, &to);
	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		counter = (void *)&env->counters + losses[i].offset;
		n = atomic_long_read(counter);
		if (n)
			losses_tell(&to, n, losses[i].fmt, n);
	}
}
