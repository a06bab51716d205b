// SPDX-License-Identifier: GPL-2.0
/*
 * Operations of the workers of the stress test.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "tests/stress.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/ops.h"
#include "vm/vm.h"

#define OBJECT_KEYS	3
#define MAX_INSERTED	100	/* by each worker, for good */
#define STEPS		20	/* of a worker's iteration */
#define MANY_DEAD	64	/* objects */

u32 stress_pick(struct stress_worker *w, u32 n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 17;
	w->random ^= w->random << 5;
	return w->random % n;
}

void stress_expect(struct stress_worker *w, bool right, const char *wrong)
{
	if (!right && !w->wrong)
		w->wrong = wrong;
}

static u32 text_len(u32 writer, u32 key, u32 version)
{
	return offsetof(struct stress_text, filling) +
	       (writer * 31 + key * 17 + version * 7) % sizeof_field(struct stress_text, filling);
}

struct ktap_value stress_make_text(struct stress_text *text, u32 writer, u32 key, u32 version)
{
	u32 len = text_len(writer, key, version), i;

	text->writer = writer;
	text->key = key;
	text->version = version;
	for (i = 0; i < len - offsetof(struct stress_text, filling); i++)
		text->filling[i] = writer + key + version + i;
	return KTAP_VALUE_STR(text, len);
}

bool stress_is_text(const struct ktap_value *v, u32 key)
{
	struct stress_text is, made;

	if (v->tag != KTAP_STR || v->len < offsetof(struct stress_text, filling) ||
	    v->len > sizeof(is))
		return false;
	memcpy(&is, v->blob, v->len);
	if (is.key != key || v->len != text_len(is.writer, key, is.version))
		return false;
	stress_make_text(&made, is.writer, key, is.version);
	return !memcmp(&is, &made, v->len);
}

bool stress_is_version(const struct ktap_value *v, u32 writer, u32 key, u32 version)
{
	struct stress_text made;
	struct ktap_value want = stress_make_text(&made, writer, key, version);

	return ktap_equal(v, &want);
}

struct ktap_value stress_key_of(char *buf, size_t size, u32 writer, u32 n)
{
	if (n % 2)
		return KTAP_VALUE_INT((u64)writer << 32 | n);
	return KTAP_VALUE_STR(buf, scnprintf(buf, size, "key %u of %u", n, writer));
}

/* The operations of workers */

void stress_add_to_a_shared_entry(struct stress_worker *w)
{
	u32 n = stress_pick(w, SHARED_KEYS);
	struct ktap_value v = KTAP_VALUE_INT(stress_pick(w, 100)), key, steady;
	char buf[KEY_ROOM];

	key = stress_key_of(buf, sizeof(buf), COMMON, n);
	ktap_table_add(w->vm, w->s->sums, &key, &v);
	w->added[n] += v.i;
	steady = (struct ktap_value){ .table = w->s->steady_sums, .tag = KTAP_TABLE };
	/* With and without the lock */
	if (v.i % 4)
		ktap_op_add(w->vm, &steady, &key, &v);
	else
		ktap_table_add_and_get(w->vm, w->s->steady_sums, &key, &v,
				       &w->vm->stack[R_RESULT]);
}

void stress_add_to_an_own_entry(struct stress_worker *w)
{
	struct ktap_value *result = &w->vm->stack[R_RESULT];
	u32 n = stress_pick(w, OWN_KEYS);
	struct ktap_value v = KTAP_VALUE_INT(1 + stress_pick(w, 100)), key;
	char buf[KEY_ROOM];

	key = stress_key_of(buf, sizeof(buf), w->id, n);
	ktap_table_add(w->vm, w->s->own, &key, &v);
	w->own[n] += v.i;
	ktap_table_get(w->vm, w->s->own, &key, result);
	stress_expect(w, result->tag == KTAP_INT && result->u == w->own[n],
		      "an entry of its own has another sum");
}

void stress_change_an_own_text(struct stress_worker *w)
{
	struct ktap_value *result = &w->vm->stack[R_RESULT];
	u32 n = stress_pick(w, OWN_KEYS);
	struct ktap_value key, v;
	char buf[KEY_ROOM];
	struct stress_text text;

	key = stress_key_of(buf, sizeof(buf), w->id, n);
	ktap_table_get(w->vm, w->s->texts, &key, result);
	if (w->version[n])
		stress_expect(w, stress_is_version(result, w->id, n, w->version[n]),
			      "an entry of its own has another text");
	else
		stress_expect(w, result->tag == KTAP_NIL, "a deleted entry is there");
	stress_expect(w, ktap_table_has(w->vm, w->s->texts, &key) == !!w->version[n],
		      "an entry of its own is there, or not");
	w->version[n] = stress_pick(w, 3) ? stress_pick(w, 1000) + 1 : 0;
	v = w->version[n] ? stress_make_text(&text, w->id, n, w->version[n]) : KTAP_VALUE_NIL;
	ktap_table_set(w->vm, w->s->texts, &key, &v);
}

void stress_read_a_text_of_another(struct stress_worker *w)
{
	struct ktap_value *result = &w->vm->stack[R_RESULT];
	u32 n = stress_pick(w, OWN_KEYS);
	struct ktap_value key;
	char buf[KEY_ROOM];

	key = stress_key_of(buf, sizeof(buf), stress_pick(w, w->s->nworkers), n);
	ktap_table_get(w->vm, w->s->texts, &key, result);
	stress_expect(w, result->tag == KTAP_NIL || stress_is_text(result, n),
		      "another's entry is torn");
}

void stress_add_a_number(struct stress_worker *w)
{
	u32 n = stress_pick(w, 1000);
	struct ktap_value v = KTAP_VALUE_INT(n), key = KTAP_VALUE_INT(n % KINDS), base;

	ktap_agg_add(w->vm, w->s->count, n);
	ktap_agg_add(w->vm, w->s->hist, n);
	ktap_agg_add(w->vm, w->s->single, n);
	ktap_global_add(w->vm, GLOBAL_SUM, &v);
	if (!ktap_global_sum(w->vm, &w->vm->env->globals[GLOBAL_PER_CPU], &v))
		ktap_global_add(w->vm, GLOBAL_PER_CPU, &v);
	base = (struct ktap_value){ .table = w->s->stats, .tag = KTAP_TABLE };
	ktap_op_taggregate(w->vm, &base, &key, &v);
	base = (struct ktap_value){ .agg = w->s->keyed, .tag = KTAP_AGG };
	ktap_op_taggregate(w->vm, &base, &key, &v);
	w->sum += n;
}

void stress_change_the_global_text(struct stress_worker *w)
{
	struct ktap_value *result = &w->vm->stack[R_RESULT];
	struct stress_text text;
	struct ktap_value v;

	ktap_global_get(w->vm, GLOBAL_TEXT, result);
	stress_expect(w, stress_is_text(result, 0), "the global's text is torn");
	v = stress_make_text(&text, w->id, 0, stress_pick(w, 1000));
	ktap_global_set(w->vm, GLOBAL_TEXT, &v);
}

/* Both halves of a value belong together, whatever is written meanwhile. */
void stress_change_the_kind_of_a_global(struct stress_worker *w)
{
	struct ktap_value *result = &w->vm->stack[R_RESULT];
	struct ktap_value v;

	ktap_global_get(w->vm, GLOBAL_KIND, result);
	stress_expect(w, result->tag == KTAP_NIL ||
		      (result->tag == KTAP_INT && result->u < w->s->nworkers) ||
		      (result->tag == KTAP_PTR && ~result->u < w->s->nworkers),
		      "the global's value is torn");
	v = stress_pick(w, 2) ? KTAP_VALUE_INT(w->id) : KTAP_VALUE_PTR(~(u64)w->id);
	ktap_global_set(w->vm, GLOBAL_KIND, &v);
}

/* The table grows while all workers use it. */
void stress_insert_for_good(struct stress_worker *w)
{
	struct ktap_value *result = &w->vm->stack[R_RESULT];
	struct ktap_value key, v;
	char buf[KEY_ROOM];
	u32 n;

	if (w->inserted < MAX_INSERTED) {
		key = stress_key_of(buf, sizeof(buf), w->id, w->inserted);
		v = KTAP_VALUE_INT(w->inserted++);
		ktap_table_set(w->vm, w->s->grown, &key, &v);
	}
	n = stress_pick(w, w->inserted);
	key = stress_key_of(buf, sizeof(buf), w->id, n);
	ktap_table_get(w->vm, w->s->grown, &key, result);
	stress_expect(w, result->tag == KTAP_INT && result->i == n,
		      "an entry is not where it belongs");
}

/* Insert and delete entries between permanent ones. */
void stress_disturb_the_order(struct stress_worker *w)
{
	struct ktap_value key = KTAP_VALUE_INT((u64)(w->id + 1) << 32 | stress_pick(w, OWN_KEYS));
	struct ktap_value v = stress_pick(w, 2) ? KTAP_VALUE_INT(w->id) : KTAP_VALUE_NIL;
	struct stress_text text;

	ktap_table_set(w->vm, w->s->order, &key, &v);
	key = KTAP_VALUE_INT(stress_pick(w, PERMANENT));
	v = stress_make_text(&text, w->id, key.i, stress_pick(w, 1000));
	ktap_table_set(w->vm, w->s->order, &key, &v);
}

bool stress_next_of_the_order(struct stress *s, struct ktap_vm *vm, struct ktap_iter *it)
{
	struct ktap_value *r = vm->stack;

	return ktap_table_next(vm, s->order, it, &r[R_LAST], &r[R_KEY], &r[R_VALUE]) == 1;
}

void stress_look_around(struct stress_worker *w)
{
	struct ktap_value *r = w->vm->stack;
	struct ktap_iter it = { };
	s64 last = -1;
	int i;

	for (i = 0; i < STEPS; i++) {
		if (!stress_next_of_the_order(w->s, w->vm, &it))
			break;
		r[R_LAST] = r[R_KEY];
		if (r[R_KEY].u >= PERMANENT)
			continue;
		stress_expect(w, stress_is_text(&r[R_VALUE], r[R_KEY].u),
			      "an entry that stays is torn");
		stress_expect(w, r[R_KEY].i > last, "entries are not in order");
		last = r[R_KEY].i;
	}
}

void stress_fill_what_is_cleared(struct stress_worker *w)
{
	struct ktap_value key, v;
	char buf[KEY_ROOM];
	struct stress_text text;
	u32 n;

	for (n = 0; n < OWN_KEYS; n++) {
		key = stress_key_of(buf, sizeof(buf), w->id, n);
		v = stress_make_text(&text, w->id, n, n);
		ktap_table_set(w->vm, w->s->cleared, &key, &v);
	}
	if (!stress_pick(w, 4))
		ktap_table_clear(w->vm, w->s->cleared);
}

/* Dead tables wait for the thread of the test. */
static bool has_room_for_objects(const struct stress_worker *w)
{
	return atomic_read(&w->vm->env->ndead) < MANY_DEAD;
}

void stress_add_to_what_is_emptied(struct stress_worker *w)
{
	struct ktap_value base = { .agg = w->s->emptied, .tag = KTAP_AGG };
	u32 n = stress_pick(w, 1000);
	struct ktap_value v = KTAP_VALUE_INT(n), key = KTAP_VALUE_INT(n % KINDS);

	ktap_agg_add(w->vm, w->s->emptied, n);
	if (has_room_for_objects(w))
		ktap_op_taggregate(w->vm, &base, &key, &v);
	if (!stress_pick(w, 4))
		ktap_agg_clear(w->vm, w->s->emptied);
}

/* Replace the previous table by a new one. */
static void put_an_object(struct stress_worker *w, const struct ktap_value *key)
{
	struct ktap_value *made = &w->vm->stack[R_RESULT], one = KTAP_VALUE_INT(1), v;
	struct stress_text text;

	ktap_table_new(w->vm, 10, made);
	stress_expect(w, made->tag == KTAP_TABLE, "there is no table");
	if (made->tag != KTAP_TABLE)
		return;
	v = stress_make_text(&text, w->id, 0, stress_pick(w, 1000));
	ktap_table_set(w->vm, made->table, &one, &v);
	v = *made;
	ktap_table_set(w->vm, w->s->objects, key, &v);
}

/*
 * A table that nothing holds any more lives as long as a run looks at it, and on if
 * that puts it somewhere.
 */
void stress_replace_an_object(struct stress_worker *w)
{
	struct ktap_value *object = &w->vm->stack[R_OBJECT], *result = &w->vm->stack[R_RESULT];
	struct ktap_value key = KTAP_VALUE_INT(stress_pick(w, OBJECT_KEYS));
	struct ktap_value one = KTAP_VALUE_INT(1), v;

	ktap_table_get(w->vm, w->s->objects, &key, object);
	if (has_room_for_objects(w))
		put_an_object(w, &key);
	if (object->tag != KTAP_TABLE)
		return;
	ktap_table_get(w->vm, object->table, &one, result);
	stress_expect(w, stress_is_text(result, 0), "a table that was replaced lost its entry");
	key = KTAP_VALUE_INT(2);
	ktap_table_add(w->vm, object->table, &key, &one);
	if (!stress_pick(w, 3)) {
		key = KTAP_VALUE_INT(stress_pick(w, OBJECT_KEYS));
		v = *object;
		ktap_table_set(w->vm, w->s->objects, &key, &v);
	}
}
