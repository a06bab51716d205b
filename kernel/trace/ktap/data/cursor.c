// SPDX-License-Identifier: GPL-2.0
/*
 * Iteration over the entries of a table.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "data/table_priv.h"
#include "vm/vm.h"

/**
 * DOC: Cursors
 *
 * An iteration holds no lock, only the serial number and the key of the last entry
 * it returned (struct ktap_iter).  The next entry is the one with the least serial
 * number above that.  So an entry that is present all the time is returned once.
 * Entries that are inserted meanwhile are not returned: others may insert them faster than
 * the iteration goes on, which would never end then.
 *
 * A table has KTAP_CURSORS cursors to find the next entry without a search, even if
 * the last one was removed.  Each cursor points to the next entry of one position.
 * The removal of an entry moves the cursors that point to it on.
 *
 * A handler may end in the middle of a loop, so an iteration cannot release its
 * cursor.  An iteration that finds no free cursor takes the one that has not moved
 * for longest.  An iteration that has lost its cursor looks up its last entry by the
 * key.  If that entry is gone, it searches for the position from both ends of the
 * list, and is charged for that.
 *
 * A search may have to walk along half the table, so it is done in pieces, and the
 * table is unlocked between them.  Only the first piece also walks from the end of
 * the list.  After it the search has a cursor like an iteration, so that it can
 * resume after the entry it has reached, whatever is inserted or removed meanwhile.
 * A search that loses its cursor starts again, which could repeat for ever with many
 * iterations.  Hence cursors of searches are taken last, and among those the one that
 * has progressed least.  A search is considered abandoned when other cursors have moved
 * PATIENCE times since its last piece.  Once the position is found, the cursor of the
 * search becomes the one of the iteration.
 */

/* Entries that a search visits from either end while interrupts are off. */
#define CURSOR_PIECE		256
#define PATIENCE	1024

static_assert(BIT(32 - KTAP_ITER_END_BITS) >= KTAP_CURSORS);

static struct ktap_cursor *cursor_of(struct ktap_table *t, const struct ktap_iter *it)
{
	struct ktap_cursor *c = &t->cursors[it->cursor % KTAP_CURSORS];

	return it->seq && c->seq == it->seq ? c : NULL;
}

static u32 cursor_age_of(const struct ktap_table *t, const struct ktap_cursor *c)
{
	return t->cursor_clock - c->used;
}

static bool cursor_is_search(const struct ktap_table *t, const struct ktap_cursor *c)
{
	return c->searches && cursor_age_of(t, c) < PATIENCE;
}

/* Return true if @a is taken before @b.  Among searches, the one that loses least. */
static bool cursor_is_taken_before(const struct ktap_table *t, const struct ktap_cursor *a,
				   const struct ktap_cursor *b)
{
	if (cursor_is_search(t, a) != cursor_is_search(t, b))
		return cursor_is_search(t, b);
	return cursor_is_search(t, a) ? a->seq < b->seq : cursor_age_of(t, a) > cursor_age_of(t, b);
}

/* Return a free cursor, or the one that is taken first. */
static u32 cursor_pick(const struct ktap_table *t)
{
	const struct ktap_cursor *c = t->cursors;
	u32 i, pick = 0;

	for (i = 0; i < KTAP_CURSORS; i++) {
		if (!c[i].seq)
			return i;
		if (cursor_is_taken_before(t, &c[i], &c[pick]))
			pick = i;
	}
	return pick;
}

void ktap_cursors_leave(struct ktap_table *t, const struct ktap_entry *e)
{
	u32 i;

	ktap_assert_locked();
	for (i = 0; i < KTAP_CURSORS; i++) {
		if (t->cursors[i].next == e)
			t->cursors[i].next = e->next;
	}
}

void ktap_cursors_forget(struct ktap_table *t)
{
	ktap_assert_locked();
	memset(t->cursors, 0, sizeof(t->cursors));
	t->ncursors = 0;
}

void ktap_table_move(struct ktap_table *t, struct ktap_iter *it, const struct ktap_entry *e)
{
	struct ktap_cursor *c = cursor_of(t, it);

	ktap_assert_locked();
	if (!c && e) {
		it->cursor = cursor_pick(t);
		c = &t->cursors[it->cursor];
		t->ncursors += !c->seq;
	}
	if (e) {
		*c = (struct ktap_cursor){
			.seq = e->seq,
			.used = ++t->cursor_clock,
			.next = e->next,
		};
		it->seq = e->seq;
	} else if (c) {
		*c = (struct ktap_cursor){};
		t->ncursors--;
	}
}

/* Find the entry after number @seq near either end.  Return false if it is in between. */
static bool cursor_search_ends(struct ktap_table *t, u64 seq, struct ktap_entry **e, u32 *steps)
{
	struct ktap_entry *back = t->last;

	for (*e = t->first; *e && *steps < CURSOR_PIECE;
	     *e = (*e)->next, back = back->prev, ++*steps) {
		if ((*e)->seq > seq)
			return true;
		if (back->seq <= seq) {
			*e = back->next;
			return true;
		}
	}
	return !*e;
}

/* Find the entry after number @seq from *@e on.  Return false if there is more to search. */
static bool cursor_search_on(u64 seq, struct ktap_entry **e, u32 *steps)
{
	for (; *e && *steps < CURSOR_PIECE; *e = (*e)->next, ++*steps) {
		if ((*e)->seq > seq)
			return true;
	}
	return !*e;
}

/* Search a piece.  Return true if the entry was found, which ends the search. */
static bool cursor_search(struct ktap_table *t, struct ktap_iter *it, struct ktap_entry **e,
			  u32 *steps)
{
	struct ktap_iter reached = { .seq = it->reached, .cursor = it->cursor };
	struct ktap_cursor *c = cursor_of(t, &reached);
	bool found;

	if (c) {
		*e = c->next;
		found = cursor_search_on(it->seq, e, steps);
	} else {
		found = cursor_search_ends(t, it->seq, e, steps);
	}
	if (!found) {
		ktap_table_move(t, &reached, (*e)->prev);
		t->cursors[reached.cursor].searches = true;
		it->reached = reached.seq;
		it->cursor = reached.cursor;
		return false;
	}
	if (c) {
		c->seq = it->seq;
		c->next = *e;
		c->searches = false;
	}
	it->reached = 0;
	return true;
}

bool ktap_table_after(struct ktap_env *env, struct ktap_table *t, struct ktap_iter *it,
		      const struct ktap_value *key, struct ktap_entry **e, u32 *cost)
{
	const struct ktap_cursor *c = it->reached ? NULL : cursor_of(t, it);
	u32 steps = 0;
	bool found;

	ktap_assert_locked();
	*cost = 0;
	if (!it->seq) {
		*e = t->first;
		return true;
	}
	if (c) {
		*e = c->next;
		return true;
	}
	if (!it->reached) {
		*cost = ktap_is_blob(key) ? key->len / 64 : 0;
		*e = ktap_table_find(env, t, key);
		if (*e && (*e)->seq == it->seq) {
			*e = (*e)->next;
			return true;
		}
	}
	found = cursor_search(t, it, e, &steps);
	*cost += steps / 16;
	return found;
}

/*
 * Was the entry inserted after the iteration began?  At most 2^KTAP_ITER_END_BITS insertions since
 * then count; after more, the iteration may return some of them.
 */
static bool cursor_is_past(const struct ktap_table *t, const struct ktap_iter *it,
			   const struct ktap_entry *e)
{
	u64 since = (t->seq - it->end) & GENMASK_ULL(KTAP_ITER_END_BITS - 1, 0);

	return e->seq > t->seq - since;
}

/* Allocate memory for a blob in a register, so that the arena keeps it. */
static int cursor_hold(struct ktap_vm *vm, struct ktap_value *reg, u32 need)
{
	u32 size = reg->len;
	void *mem = ktap_slot_make_room(vm, &size, need);

	if (!mem)
		return vm->error;
	*reg = KTAP_VALUE_STR(mem, size);
	return 0;
}

int ktap_table_next(struct ktap_vm *vm, struct ktap_table *t, struct ktap_iter *it,
		    struct ktap_value *last_key, struct ktap_value *key, struct ktap_value *v)
{
	struct ktap_value key_copy, v_copy;
	bool found, has_key = false, has_v = false, done;
	struct ktap_entry *e;
	unsigned long flags;
	u32 cost;
	int err;

	*key = KTAP_VALUE_NIL;
	*v = KTAP_VALUE_NIL;
	for (;;) {
		if (!ktap_table_lock(t, &flags)) {
			ktap_count_busy(vm->env);
			e = NULL;
			break;
		}
		if (!it->seq)
			it->end = t->seq;
		found = ktap_table_after(vm->env, t, it, last_key, &e, &cost);
		if (found && e && cursor_is_past(t, it, e))
			e = NULL;
		if (found && e) {
			has_key = ktap_slot_copy(&key_copy, &e->key, (void *)key->blob, key->len);
			has_v = ktap_slot_copy(&v_copy, &e->value, (void *)v->blob, v->len);
		}
		done = found && (!e || (has_key && has_v));
		if (done)
			ktap_table_move(t, it, e);
		ktap_table_unlock(t, flags);
		err = ktap_vm_charge(vm, cost);
		if (err)
			return err;
		if (done)
			break;
		if (!found)
			continue;
		err = has_key ? 0 : cursor_hold(vm, key, key_copy.len);
		if (!err && !has_v)
			err = cursor_hold(vm, v, v_copy.len);
		if (err)
			return err;
	}
	if (!e) {
		*key = KTAP_VALUE_NIL;
		*v = KTAP_VALUE_NIL;
		return 0;
	}
	*key = key_copy;
	*v = v_copy;
	return 1;
}
