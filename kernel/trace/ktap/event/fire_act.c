// SPDX-License-Identifier: GPL-2.0
/*
 * Events whose handler is one simple act: it adds to an entry or to an aggregation, or sets an
 * integer.  The act is done at once if that takes no memory and no search.  All others are runs.
 */
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/timekeeping.h>

#include "data/agg.h"
#include "data/table_recent.h"
#include "event/fire.h"
#include "host/task_name.h"
#include "probe.h"
#include "session.h"
#include "vm/global.h"
#include "vm/overhead.h"
#include "vm/quick.h"
#include "vm/value.h"

/* Set @key to that of the act; @name has TASK_COMM_LEN bytes. */
static __always_inline void fire_act_key(const struct ktap_quick *quick, struct ktap_value *key,
					 char *name)
{
	if (quick->key == KTAP_QUICK_NAME)
		*key = KTAP_VALUE_STR(name, ktap_copy_task_name(name));
	else
		*key = KTAP_VALUE_INT(fire_value(quick->key));
}

static __always_inline bool fire_act_keyed(const struct ktap_quick *quick, s64 n)
{
	char name[TASK_COMM_LEN] __aligned(8);
	struct ktap_value key;

	fire_act_key(quick, &key, name);
	if (quick->act == KTAP_QUICK_AGG_KEYED)
		return ktap_agg_try_keyed(quick->agg, &key, n);
	return ktap_recent_put(quick->table, &key, n, quick->act == KTAP_QUICK_ADD);
}

/* Return false, and do nothing, if it needs a run. */
static __always_inline bool fire_act_do(const struct ktap_quick *quick)
{
	s64 n = quick->timed ? ktime_get_mono_fast_ns() : quick->number;

	if (quick->key)
		return fire_act_keyed(quick, n);
	if (quick->act == KTAP_QUICK_AGG)
		return ktap_agg_try(quick->agg, n);
	return ktap_global_set_int(quick->global, n);
}

/* Its calls cause no event, even if somebody traces that: this CPU is inside a run. */
enum fire_rest ktap_fire_act(struct ktap_probe *probe)
{
	struct ktap_session *s = probe->session;
	struct ktap_overhead *overhead;
	struct ktap_vm *vm;
	u32 countdown;
	bool done;

	if (!fire_delivers(s) || !fire_take(KTAP_LEVEL_TASK, probe))
		return FIRE_DONE;
	/* Interrupts see whose run this is. */
	vm = &__this_cpu_read(ktap_activations)->levels[KTAP_LEVEL_TASK].vm;
	overhead = fire_join(vm, s);
	done = ktap_overhead_may_pass(overhead, &countdown) && fire_act_do(&probe->quick);
	if (likely(done)) {
		ktap_overhead_pass(overhead, countdown);
		this_cpu_inc(probe->stats->hits);
	}
	fire_leave(KTAP_LEVEL_TASK);
	return done ? FIRE_DONE : FIRE_RUN;
}
NOKPROBE_SYMBOL(ktap_fire_act);
