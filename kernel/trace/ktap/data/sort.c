// SPDX-License-Identifier: GPL-2.0
/*
 * Sorted copies of tables, for output.
 */
#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "data/agg.h"
#include "data/table_priv.h"
#include "vm/env.h"
#include "vm/vm.h"

/* Entries, and approximate bytes of blobs, copied while interrupts are off. */
#define SORT_PIECE		64
#define PIECE_BYTES	(16U << 10)

static int sort_by_key(const void *a, const void *b)
{
	const struct ktap_pair *x = a, *y = b;

	return ktap_compare(&x->key, &y->key);
}

static int sort_by_value(const void *a, const void *b)
{
	const struct ktap_pair *x = a, *y = b;
	int c = 0;

	if (x->numeric != y->numeric)
		return y->numeric - x->numeric;
	if (x->numeric)
		c = ktap_int128_compare(y->number, x->number);
	return c ?: sort_by_key(a, b);
}

typedef int (*compare_fn)(const void *a, const void *b);

static const compare_fn compare_fns[] = {
	[KTAP_BY_KEY]	= sort_by_key,
	[KTAP_BY_VALUE]	= sort_by_value,
};

/* Read the number of a value once: it must not change while it is sorted. */
static void sort_read_number(struct ktap_env *env, struct ktap_pair *pair)
{
	struct ktap_total total;

	pair->numeric = pair->value.tag == KTAP_INT || pair->value.tag == KTAP_AGG;
	if (pair->value.tag == KTAP_INT) {
		pair->number = ktap_int128(pair->value.i);
	} else if (pair->value.tag == KTAP_AGG) {
		ktap_agg_read(env, ktap_agg_of(&pair->value), &total);
		pair->number = ktap_agg_number(ktap_agg_of(&pair->value), &total);
	}
}

/* Memory for copies of blobs. */
struct sort_blobs {
	char *p;
	size_t room;
};

static bool sort_copy(struct sort_blobs *blobs, struct ktap_value *v, const struct ktap_value *slot)
{
	size_t size;

	if (!ktap_slot_copy(v, slot, blobs->p, blobs->room))
		return false;
	if (ktap_is_blob(v)) {
		size = min(ALIGN((size_t)v->len, 8), blobs->room);
		blobs->p += size;
		blobs->room -= size;
	}
	return true;
}

/* Copy some entries after the last one copied.  Return false after the last entry. */
static bool sort_copy_piece(struct ktap_env *env, struct ktap_table *t, u32 max, u64 end,
			    struct ktap_iter *it, struct sort_blobs *blobs, struct ktap_sorted *out)
{
	const struct ktap_value *key = out->n ? &out->entries[out->n - 1].key : &KTAP_VALUE_NIL;
	struct ktap_entry *e, *last = NULL;
	size_t room = blobs->room;
	unsigned long flags;
	bool found, more = false;
	u32 cost;
	int i;

	if (!ktap_table_lock(t, &flags))
		return false;
	found = ktap_table_after(env, t, it, key, &e, &cost);
	if (!found) {
		ktap_table_unlock(t, flags);
		return true;
	}
	for (i = 0; e && e->seq <= end; i++, e = e->next) {
		struct ktap_pair *pair = &out->entries[out->n];

		more = i == SORT_PIECE || room - blobs->room >= PIECE_BYTES;
		if (more)
			break;
		if (out->n == max || !sort_copy(blobs, &pair->key, &e->key) ||
		    !sort_copy(blobs, &pair->value, &e->value)) {
			/* Strings have grown.  Some of the rest may be deleted by now. */
			out->dropped = max - out->n;
			break;
		}
		last = e;
		out->n++;
	}
	ktap_table_move(t, it, more ? last : NULL);
	ktap_table_unlock(t, flags);
	return more;
}

int ktap_charge_sort(struct ktap_vm *vm, const struct ktap_table *t)
{
	return ktap_vm_charge(vm, t ? ktap_table_len(t) : 0);
}

int ktap_table_sort(struct ktap_vm *vm, struct ktap_table *t, enum ktap_order order,
		    struct ktap_sorted *out)
{
	struct ktap_env *env = vm->env;
	struct sort_blobs blobs;
	struct ktap_iter it = {};
	unsigned long flags;
	size_t bytes;
	u64 end;
	u32 max, i;
	int err;

	*out = (struct ktap_sorted){ .env = env };
	if (!t)
		return 0;
	if (!ktap_table_lock(t, &flags))
		return -EBUSY;
	max = t->count;
	end = t->seq;
	bytes = atomic_long_read(&t->blob_bytes);
	ktap_table_unlock(t, flags);
	/* Strings may grow before they are copied. */
	blobs.room = bytes + ALIGN(bytes / 8, 8) + min_t(size_t, bytes, KTAP_MAX_STRLEN);
	if (!max)
		return 0;

	out->entries = kvmalloc_array(max, sizeof(*out->entries), KTAP_GFP);
	out->blobs = kvmalloc(blobs.room ?: 8, KTAP_GFP);
	if (!out->entries || !out->blobs) {
		ktap_sorted_free(out);
		return -ENOMEM;
	}
	blobs.p = out->blobs;
	/* ktap_vm_out_of_budget() reschedules, and fails when the session ends. */
	do {
		err = ktap_vm_out_of_budget(vm, 0);
	} while (!err && sort_copy_piece(env, t, max, end, &it, &blobs, out));
	if (err) {
		/* The entries hold no references yet. */
		out->n = 0;
		ktap_sorted_free(out);
		return err;
	}
	atomic_long_add(out->dropped, &env->counters.left_out);
	/* No object was freed since it was copied: the reaper does not run during this call. */
	for (i = 0; i < out->n; i++) {
		if (ktap_is_object(&out->entries[i].value))
			ktap_object_enter(ktap_object_of(&out->entries[i].value));
		sort_read_number(env, &out->entries[i]);
		cond_resched();
	}
	if (order != KTAP_AS_INSERTED)
		sort_nonatomic(out->entries, out->n, sizeof(*out->entries), compare_fns[order],
			       NULL);
	return 0;
}

int ktap_sort_failed(struct ktap_vm *vm, int err)
{
	return err == -ENOMEM ? ktap_vm_error(vm, err, "no memory to sort the table") : err;
}

void ktap_sorted_free(struct ktap_sorted *sorted)
{
	u32 i;

	for (i = 0; i < sorted->n; i++) {
		if (ktap_is_object(&sorted->entries[i].value))
			ktap_object_leave(sorted->env, ktap_object_of(&sorted->entries[i].value));
		cond_resched();
	}
	kvfree(sorted->entries);
	kvfree(sorted->blobs);
	memset(sorted, 0, sizeof(*sorted));
}
