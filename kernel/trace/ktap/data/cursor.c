// SPDX-License-Identifier: GPL-2.0
/*
 * Going along the entries of a table.
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "entry.h"

/**
 * DOC: Cursors
 *
 * An iteration holds no lock, only the serial number and the key of the entry that
 * it got last (struct ktap_iter).  Whatever happens until it goes on, an entry that
 * is there all the time comes once: the next one is the one with the least number
 * above that.
 *
 * The table finds it without a search, also when the last entry is gone: it has
 * KTAP_CURSORS cursors, each of which knows the entry that is next of one place.
 * What takes an entry out of the list moves on the cursors that wait for it; what
 * puts one in gives it to those that wait for nothing.
 *
 * An iteration does not tell that it has ended (a handler may end anywhere), so that
 * cursors cannot be given out for good: one that finds none free takes the one that
 * has not moved for longest.  An iteration whose cursor was taken looks for its last
 * entry by the key, and if that is gone it searches for the place from both ends, and
 * pays.
 *
 * A search may have to go along half the table.  So it is done in pieces, between
 * which the table is unlocked.  From the end it is tried in the first one only; then
 * the search has a cursor as if it were an iteration itself, to which nothing is
 * given: whatever comes and goes meanwhile, it goes on behind the entry that it has
 * reached.  If that cursor is taken it begins anew, and might do so for ever where many
 * go along a table: so a cursor of a search is taken last, and of several the one that
 * has come least far, unless it was given up, which is when others have moved PATIENCE
 * times since.  When it has found the place, its cursor is that of the place.
 */

/* Entries that are gone along from either end while interrupts are off. */
#define PIECE		256
#define PATIENCE	1024

static struct ktap_cursor *cursor_of(struct ktap_table *t, const struct ktap_iter *it)
{
	struct ktap_cursor *c = &t->cursors[it->cursor % KTAP_CURSORS];

	return it->seq && c->seq == it->seq ? c : NULL;
}

static u32 age_of(const struct ktap_table *t, const struct ktap_cursor *c)
{
	return t->cursor_clock - c->used;
}

static bool is_search(const struct ktap_table *t, const struct ktap_cursor *c)
{
	return c->searches && age_of(t, c) < PATIENCE;
}

/* Is @a taken sooner than @b?  Of searches the one that loses least: the others end. */
static bool is_taken_before(const struct ktap_table *t, const struct ktap_cursor *a,
			    const struct ktap_cursor *b)
{
	if (is_search(t, a) != is_search(t, b))
		return is_search(t, b);
	return is_search(t, a) ? a->seq < b->seq : age_of(t, a) > age_of(t, b);
}

/* One that is nobody's, or the one that is taken first. */
static u32 pick_cursor(const struct ktap_table *t)
{
	const struct ktap_cursor *c = t->cursors;
	u32 i, pick = 0;

	for (i = 0; i < KTAP_CURSORS; i++) {
		if (!c[i].seq)
			return i;
		if (is_taken_before(t, &c[i], &c[pick]))
			pick = i;
	}
	return pick;
}

void ktap_cursors_see_new(struct ktap_table *t, struct ktap_entry *e)
{
	u32 i;

	for (i = 0; i < KTAP_CURSORS; i++) {
		if (t->cursors[i].seq && !t->cursors[i].next)
			t->cursors[i].next = e;
	}
}

void ktap_cursors_leave(struct ktap_table *t, const struct ktap_entry *e)
{
	u32 i;

	for (i = 0; i < KTAP_CURSORS; i++) {
		if (t->cursors[i].next == e)
			t->cursors[i].next = e->next;
	}
}

void ktap_cursors_forget(struct ktap_table *t)
{
	memset(t->cursors, 0, sizeof(t->cursors));
	t->ncursors = 0;
}

void ktap_table_move(struct ktap_table *t, struct ktap_iter *it, const struct ktap_entry *e)
{
	struct ktap_cursor *c = cursor_of(t, it);

	if (!c && e) {
		it->cursor = pick_cursor(t);
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

/* Gives the entry behind number @seq that is found near the ends; false: it is in between. */
static bool search_ends(struct ktap_table *t, u64 seq, struct ktap_entry **e, u32 *steps)
{
	struct ktap_entry *back = t->last;

	for (*e = t->first; *e && *steps < PIECE; *e = (*e)->next, back = back->prev, ++*steps) {
		if ((*e)->seq > seq)
			return true;
		if (back->seq <= seq) {
			*e = back->next;
			return true;
		}
	}
	return !*e;
}

/* The same from @e on. */
static bool search_on(u64 seq, struct ktap_entry **e, u32 *steps)
{
	for (; *e && *steps < PIECE; *e = (*e)->next, ++*steps) {
		if ((*e)->seq > seq)
			return true;
	}
	return !*e;
}

/* A piece of the search; where it is found, no search is under way any more. */
static bool search(struct ktap_table *t, struct ktap_iter *it, struct ktap_entry **e, u32 *steps)
{
	struct ktap_iter reached = { .seq = it->reached, .cursor = it->cursor };
	struct ktap_cursor *c = cursor_of(t, &reached);
	bool found;

	if (c) {
		*e = c->next;
		found = search_on(it->seq, e, steps);
	} else {
		found = search_ends(t, it->seq, e, steps);
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
	found = search(t, it, e, &steps);
	*cost += steps / 16;
	return found;
}

/* Memory for a blob, in a register so that the arena keeps it. */
static int hold(struct ktap_vm *vm, struct ktap_value *reg, u32 need)
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
		found = ktap_table_after(vm->env, t, it, last_key, &e, &cost);
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
		err = has_key ? 0 : hold(vm, key, key_copy.len);
		if (!err && !has_v)
			err = hold(vm, v, v_copy.len);
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
