// SPDX-License-Identifier: GPL-2.0
/*
 * Events whose handler is one simple act: it adds to an entry, to an aggregation or to a sum, or
 * sets an integer.  The act is done at once if that takes no memory and no search.  All others are
 * runs.
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
#include "vm/simple_part.h"
#include "vm/task_fields.h"
#include "vm/value.h"

/* Memory for a key, not set */
struct fire_act_key {
	char names[KTAP_QUICK_PARTS][TASK_COMM_LEN] __aligned(8);
	char tuple[KTAP_QUICK_PARTS * KTAP_SIMPLE_PART] __aligned(8);
};

/* Set @v, to the copy in @name if it is the task's; that has TASK_COMM_LEN bytes. */
static __always_inline bool fire_act_value(const struct ktap_quick_operand *o,
					   const struct ktap_event *ev, char *name,
					   struct ktap_value *v)
{
	if (o->value == KTAP_QUICK_FIELD)
		return ev->ops->field_quickly(ev, o->field, v);
	if (o->value == KTAP_QUICK_NAME)
		*v = KTAP_VALUE_STR(name, ktap_copy_task_name(name));
	else
		*v = KTAP_VALUE_INT(fire_value(o->value));
	return true;
}

static noinline bool fire_act_pair(const struct ktap_quick *quick, const struct ktap_event *ev,
				   struct fire_act_key *memory, struct ktap_value *v)
{
	struct ktap_value part __uninitialized;
	void *end = memory->tuple;
	unsigned int i;

	for (i = 0; i < KTAP_QUICK_PARTS; i++) {
		if (!fire_act_value(&quick->parts[i], ev, memory->names[i], &part) ||
		    !ktap_put_simple_part(&end, &part))
			return false;
	}
	*v = (struct ktap_value){
		.blob = memory->tuple,
		.tag = KTAP_TUPLE,
		.len = end - (void *)memory->tuple,
	};
	return true;
}
NOKPROBE_SYMBOL(fire_act_pair);

static __always_inline bool fire_act_keyed(const struct ktap_quick *quick,
					   const struct ktap_event *ev, s64 n)
{
	struct fire_act_key memory __uninitialized;
	struct ktap_value key __uninitialized;
	bool found;

	if (quick->key.value == KTAP_QUICK_PAIR)
		found = fire_act_pair(quick, ev, &memory, &key);
	else
		found = fire_act_value(&quick->key, ev, memory.names[0], &key);
	if (unlikely(!found))
		return false;
	if (quick->act == KTAP_QUICK_AGG_KEYED)
		return ktap_agg_try_keyed(quick->agg, &key, n);
	return ktap_recent_put(quick->table, &key, n, quick->act == KTAP_QUICK_ADD);
}

static __always_inline bool fire_act_field(u32 field, const struct ktap_event *ev, s64 *n)
{
	struct ktap_value v __uninitialized;

	if (!ev->ops->field_quickly(ev, field, &v) || v.tag != KTAP_INT)
		return false;
	*n = v.i;
	return true;
}

static __always_inline bool fire_act_number(const struct ktap_quick *quick,
					    const struct ktap_event *ev, s64 *n)
{
	enum ktap_quick_value value = quick->number.value;

	if (value == KTAP_QUICK_FIELD)
		return fire_act_field(quick->number.field, ev, n);
	if (value == KTAP_QUICK_CONSTANT)
		*n = quick->constant;
	else
		*n = value == KTAP_QUICK_TIME ? ktime_get_mono_fast_ns() : fire_value(value);
	return true;
}

/*
 * Return false, and do nothing, if it needs a run.  Only the field of a thread may have got its
 * number even then, if an interrupt has written the same field: the run sets it again, unless the
 * overhead limit skips it.
 */
static __always_inline bool fire_act_do(struct ktap_vm *vm, const struct ktap_quick *quick,
					const struct ktap_event *ev)
{
	s64 n __uninitialized;

	if (unlikely(!fire_act_number(quick, ev, &n)))
		return false;
	if (quick->key.value)
		return fire_act_keyed(quick, ev, n);
	if (quick->act == KTAP_QUICK_STORE)
		return ktap_global_set_int(quick->global, n);
	if (quick->act == KTAP_QUICK_AGG)
		return ktap_agg_try(quick->agg, n);
	if (quick->act == KTAP_QUICK_SELF)
		return ktap_self_set_int(vm->env->self, quick->self_field, n);
	return ktap_global_sum_int(vm, quick->global, n);
}

/* Its calls cause no event, even if somebody traces that: this CPU is inside a run. */
enum fire_rest ktap_fire_act(struct ktap_probe *probe, const struct ktap_event *ev)
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
	done = ktap_overhead_may_pass(overhead, &countdown) &&
	       fire_act_do(vm, &probe->quick, ev);
	if (likely(done)) {
		ktap_overhead_pass(overhead, countdown);
		ktap_tally_inc(&probe->stats->hits);
	}
	fire_leave(KTAP_LEVEL_TASK);
	return done ? FIRE_DONE : FIRE_RUN;
}
NOKPROBE_SYMBOL(ktap_fire_act);
