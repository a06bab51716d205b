// SPDX-License-Identifier: GPL-2.0
/*
 * A table copied and sorted, for output.
 */
#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "slot.h"

/* Entries copied while interrupts are off. */
#define PIECE		64

static int by_key(const void *a, const void *b)
{
	const struct ktap_pair *x = a, *y = b;

	return ktap_compare(&x->key, &y->key);
}

static int by_value(const void *a, const void *b)
{
	const struct ktap_pair *x = a, *y = b;
	bool xi = x->value.tag == KTAP_INT, yi = y->value.tag == KTAP_INT;

	if (xi != yi)
		return yi - xi;
	if (xi && x->value.i != y->value.i)
		return x->value.i < y->value.i ? 1 : -1;
	return by_key(a, b);
}

/* The place for copies of blobs. */
struct blobs {
	char *p;
	size_t room;
};

static bool copy(struct blobs *blobs, struct ktap_value *v, const struct ktap_value *slot)
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

/* Copies some entries behind the last one copied; false: that was all. */
static bool copy_piece(struct ktap_env *env, struct ktap_table *t, u32 max, u64 end, u64 *seq,
		       struct blobs *blobs, struct ktap_sorted *out)
{
	const struct ktap_value *key = out->n ? &out->entries[out->n - 1].key : &KTAP_VALUE_NIL;
	struct ktap_entry *e;
	unsigned long flags;
	u32 steps;
	int i;

	if (!ktap_lock(&t->lock, &flags))
		return false;
	e = ktap_table_after(env, t, *seq, key, &steps);
	for (i = 0; i < PIECE && e && e->seq <= end; i++, e = e->next) {
		struct ktap_pair *pair = &out->entries[out->n];

		*seq = e->seq;
		if (out->n < max && copy(blobs, &pair->key, &e->key) &&
		    copy(blobs, &pair->value, &e->value))
			out->n++;
		else
			out->dropped++;
	}
	ktap_unlock(&t->lock, flags);
	return i == PIECE;
}

int ktap_table_sort(struct ktap_env *env, struct ktap_table *t, enum ktap_order order,
		    struct ktap_sorted *out)
{
	struct blobs blobs;
	unsigned long flags;
	u64 end, seq = 0;
	u32 max;

	memset(out, 0, sizeof(*out));
	if (!ktap_lock(&t->lock, &flags))
		return -EBUSY;
	max = t->count;
	end = t->seq;
	/* Values may get longer before they are copied. */
	blobs.room = ALIGN(t->blob_bytes + t->blob_bytes / 8, 8) + KTAP_MAX_STRLEN;
	ktap_unlock(&t->lock, flags);
	if (!max)
		return 0;

	out->entries = kvmalloc_array(max, sizeof(*out->entries), GFP_KERNEL_ACCOUNT);
	out->blobs = kvmalloc(blobs.room, GFP_KERNEL_ACCOUNT);
	if (!out->entries || !out->blobs) {
		ktap_sorted_free(out);
		return -ENOMEM;
	}
	blobs.p = out->blobs;
	while (copy_piece(env, t, max, end, &seq, &blobs, out))
		cond_resched();
	sort_nonatomic(out->entries, out->n, sizeof(*out->entries),
		       order == KTAP_BY_KEY ? by_key : by_value, NULL);
	return 0;
}

void ktap_sorted_free(struct ktap_sorted *sorted)
{
	kvfree(sorted->entries);
	kvfree(sorted->blobs);
	memset(sorted, 0, sizeof(*sorted));
}
