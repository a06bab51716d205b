// SPDX-License-Identifier: GPL-2.0
/*
 * Values of several parts: tuples, structures and arrays.
 *
 * ktap has no such values. The parts that have no parts are the leaves of a value. A
 * variable becomes a variable for each leaf, a value of a map a table with the leaves, and in a
 * key each leaf is a part. Only the types say what belongs together. A structure in memory is
 * a pointer, until its leaves are read.
 */
#include <string.h>

#include "compiler/bpftrace/bt.h"

/* Leaves that depend on a variable index: the number is @n times @step. */
struct bt_dynamic {
	const struct bt_node *n;
	unsigned int step;
	const struct bt_dynamic *next;
};

bool bt_is_stored(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_var *var;

	switch (n->kind) {
	case BN_TUPLE:
	case BN_MAP:
	case BN_CALL:
		return true;
	case BN_VAR:
		var = bt_var_find(s, n->text);
		return var && (var->loop || var->stored);
	case BN_FIELD:
	case BN_INDEX:
		return bt_is_compound(bt_type_of(s, n->a)) && bt_is_stored(s, n->a);
	case BN_CHOICE:
		return bt_is_stored(s, n->b);
	case BN_CAST:
		return n->array;
	default:
		return false;
	}
}

const struct bt_type *bt_leaf_type(const struct bt_type *t, unsigned int i)
{
	const struct bt_item *item;

	while (bt_is_compound(t)) {
		if (t->kind == BT_ARRAY) {
			i %= t->of->leaves;
			t = t->of;
			continue;
		}
		for (item = t->items; i >= item->type->leaves; item = item->next)
			i -= item->type->leaves;
		t = item->type;
	}
	return t;
}

/* The members and indexes from a structure in memory to its leaf */
static void bt_memory_path(struct bt_script *s, struct pos pos, const struct bt_type *t,
			   unsigned int i)
{
	const struct bt_item *item;

	while (bt_is_compound(t)) {
		if (t->kind == BT_ARRAY) {
			bt_put(s, pos, "[%u]", i / t->of->leaves);
			i %= t->of->leaves;
			t = t->of;
			continue;
		}
		for (item = t->items; i >= item->type->leaves; item = item->next)
			i -= item->type->leaves;
		if (item->name)
			bt_put(s, pos, ".%s", item->name);
		t = item->type;
	}
}

/* A leaf that is missing is this in bpftrace. */
static const char *bt_leaf_default(const struct bt_type *t)
{
	switch (t->kind) {
	case BT_STRING:
	case BT_BYTES:
		return " || \"\"";
	case BT_BOOLEAN:
		return " || false";
	case BT_STACK:
		return "";
	default:
		return " || 0";
	}
}

/* "+ index * step" for each index that is not constant */
static void bt_put_dynamic(struct bt_script *s, struct pos pos, const struct bt_dynamic *d)
{
	for (; d; d = d->next) {
		bt_put(s, pos, " + ");
		bt_number(s, d->n, LEVEL_PRODUCT);
		if (d->step > 1)
			bt_put(s, pos, " * %u", d->step);
	}
}

static void bt_map_leaf(struct bt_script *s, const struct bt_node *n, const struct bt_type *t,
			unsigned int i, const struct bt_dynamic *d)
{
	bt_put(s, n->pos, "(");
	bt_place_of(s, n);
	if (t->leaves > 1) {
		bt_put(s, n->pos, " && ");
		bt_place_of(s, n);
		bt_put(s, n->pos, "[%u", i + 1);
		bt_put_dynamic(s, n->pos, d);
		bt_put(s, n->pos, "]");
	}
	bt_put(s, n->pos, "%s)", bt_leaf_default(bt_leaf_type(t, i)));
}

const char *bt_entry_leaf(struct bt_script *s, const struct bt_map *map, const char *key,
			  const char *value, unsigned int i)
{
	static const char * const functions[] = {
		[BM_AVG] = "avg", [BM_MIN] = "min", [BM_MAX] = "max",
	};
	unsigned int keys = map->key ? map->key->leaves : 1;
	const struct bt_type *t = bt_type_of_map(map);

	if (i < keys)
		return keys == 1 ? key : pool_printf(&s->cc->pool, "%s[%u]", key, i);
	if (map->kind >= BM_AVG && map->kind <= BM_MAX)
		return pool_printf(&s->cc->pool, "%s(%s)", functions[map->kind], value);
	if (map->kind >= BM_STATS)
		bt_error(s, map->pos, "print(@NAME)", "stats and distributions are no values");
	return t->leaves == 1 ? value : pool_printf(&s->cc->pool, "%s[%u]", value, i - keys + 1);
}

static void bt_var_leaf(struct bt_script *s, const struct bt_node *n, unsigned int i)
{
	const struct bt_var *var = bt_var_find(s, n->text);

	if (var->loop)
		bt_put(s, n->pos, "%s",
		       bt_entry_leaf(s, var->loop,
				     pool_printf(&s->cc->pool, "%s_key", var->ours),
				     pool_printf(&s->cc->pool, "%s_value", var->ours), i));
	else
		bt_put(s, n->pos, "%s_%u", var->ours, i);
}

/* An element of (int8[8])x, (int8[])"text" */
static void bt_cast_leaf(struct bt_script *s, const struct bt_node *n, unsigned int i)
{
	const struct bt_type *of = bt_type_of(s, n)->of;
	const char *sign = of->is_unsigned || of->kind == BT_BOOLEAN ? "u" : "s";
	enum bt_type_kind from = bt_type_of(s, n->a)->kind;

	if (of->kind == BT_BOOLEAN)
		bt_put(s, n->pos, "(");
	if (of->size < 8)
		bt_put(s, n->pos, "%s%u(", sign, 8 * of->size);
	if (from == BT_STRING || from == BT_BYTES) {
		bt_put(s, n->pos, "(");
		bt_value(s, n->a);
		bt_put(s, n->pos, ")[%u]", i);
		if (of->size != 1)
			bt_error(s, n->pos, "(int8[])x", "text is an array of bytes only");
	} else {
		bt_number(s, n->a, LEVEL_SHIFT);
		if (i)
			bt_put(s, n->pos, " >> %u", 8 * of->size * i);
	}
	bt_put(s, n->pos, of->size < 8 ? ")" : "");
	if (of->kind == BT_BOOLEAN)
		bt_put(s, n->pos, " ? true : false)");
}

static void bt_stored_leaf(struct bt_script *s, const struct bt_node *n, unsigned int i,
			   const struct bt_dynamic *d);

static void bt_tuple_leaf(struct bt_script *s, const struct bt_node *n, unsigned int i)
{
	const struct bt_node *item = n->a;

	for (; item; item = item->next) {
		unsigned int leaves = bt_type_of(s, item)->leaves;

		if (i < leaves)
			break;
		i -= leaves;
	}
	if (item)
		bt_leaf(s, item, i);
}

static void bt_part_leaf(struct bt_script *s, const struct bt_node *n, unsigned int i,
			 const struct bt_dynamic *d)
{
	const struct bt_node *index = n->kind == BN_FIELD ? n : n->b;
	const struct bt_type *t = bt_type_of(s, n->a);
	struct bt_node constant = { .kind = BN_INT, .pos = n->pos };
	const struct bt_item *item;
	struct bt_dynamic more;
	unsigned int leaf;

	if (n->kind == BN_INDEX && bt_constant_value(n->b, &constant.value))
		index = &constant;
	if (t->kind != BT_ARRAY) {
		item = index->kind == BN_FIELD || index->kind == BN_INT ?
			bt_type_item(t, index, &leaf) : NULL;
		if (item)
			bt_stored_leaf(s, n->a, leaf + i, d);
		else if (index->kind == BN_FIELD && index->value < 0)
			bt_error(s, n->pos, NULL, "this value has no member '%s'", n->text);
		else if (index->kind == BN_FIELD || index->kind == BN_INT)
			bt_error(s, n->pos, NULL, "this is no tuple with an item %d",
				 (int)index->value);
		else
			bt_error(s, n->pos, NULL, "the index of a tuple is a constant");
	} else if (index->kind != BN_INT) {
		more = (struct bt_dynamic) { .n = index, .step = t->of->leaves, .next = d };
		bt_stored_leaf(s, n->a, i, &more);
	} else if (bt_check_index(s, n, t, index->value)) {
		bt_stored_leaf(s, n->a, index->value * t->of->leaves + i, d);
	}
}

static void bt_stored_leaf(struct bt_script *s, const struct bt_node *n, unsigned int i,
			   const struct bt_dynamic *d)
{
	if (d && n->kind != BN_MAP && n->kind != BN_FIELD && n->kind != BN_INDEX) {
		bt_error(s, d->n->pos, "assign the array to a map before",
			 "the index of this array is a constant");
		return;
	}
	switch (n->kind) {
	case BN_TUPLE:
		bt_tuple_leaf(s, n, i);
		break;
	case BN_MAP:
		bt_map_leaf(s, n, bt_type_of(s, n), i, d);
		break;
	case BN_VAR:
		bt_var_leaf(s, n, i);
		break;
	case BN_FIELD:
	case BN_INDEX:
		bt_part_leaf(s, n, i, d);
		break;
	case BN_CHOICE:
		bt_put(s, n->pos, "(");
		bt_expr(s, n->a, LEVEL_CHOICE + 1);
		bt_put(s, n->pos, " ? ");
		bt_leaf(s, n->b, i);
		bt_put(s, n->pos, " : ");
		bt_leaf(s, n->c, i);
		bt_put(s, n->pos, ")");
		break;
	case BN_CALL: {
		unsigned char bytes[16] = { 0 };

		bt_pton(s, n, bytes);
		bt_put(s, n->pos, "%u", bytes[i % sizeof(bytes)]);
		break;
	}
	default:
		bt_cast_leaf(s, n, i);
	}
}

void bt_leaf(struct bt_script *s, const struct bt_node *n, unsigned int i)
{
	const struct bt_type *t = bt_type_of(s, n);

	if (!bt_is_compound(t)) {
		bt_value(s, n);
	} else if (bt_is_stored(s, n)) {
		bt_stored_leaf(s, n, i, NULL);
	} else {
		bool truth = bt_leaf_type(t, i)->kind == BT_BOOLEAN;

		bt_put(s, n->pos, truth ? "(" : "");
		bt_expr(s, n, LEVEL_POSTFIX);
		bt_memory_path(s, n->pos, t, i);
		bt_put(s, n->pos, truth ? " ? true : false)" : "");
	}
}

static const struct bt_node *bt_item_named(const struct bt_node *record, const char *name)
{
	const struct bt_node *item = record->a;

	while (item && (!item->item || strcmp(item->item, name)))
		item = item->next;
	return item;
}

const struct bt_node *bt_in_order(struct bt_script *s, const struct bt_node *value,
				  const struct bt_type *t)
{
	struct bt_node *record, **last;

	if (value->kind != BN_TUPLE || t->kind != BT_TUPLE || bt_list_length(value->a) != t->count)
		return value;
	for (const struct bt_item *i = t->items; i; i = i->next)
		if (!i->name || !bt_item_named(value, i->name))
			return value;
	record = pool_alloc(&s->cc->pool, sizeof(*record));
	*record = *value;
	last = &record->a;
	for (const struct bt_item *i = t->items; i; i = i->next) {
		*last = pool_alloc(&s->cc->pool, sizeof(**last));
		**last = *bt_item_named(value, i->name);
		last = &(*last)->next;
		*last = NULL;
	}
	return record;
}

/* The default of a key that may be nil: nil is no key, only a part of one. */
static const char *bt_key_default(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *type = bt_type_of(s, n);

	/* threads of the kernel have no stack of a program */
	if (type->kind == BT_STACK)
		return *n->text == 'u' ? " || \"\"" : "";
	if (type->kind != BT_ANY || (n->kind == BN_NAME && !strncmp(n->text, "arg", 3)))
		return "";
	return " || 0";
}

void bt_leaves(struct bt_script *s, const struct bt_node *list, bool keys)
{
	bool single = keys && list && !list->next && bt_type_of(s, list)->leaves == 1;

	for (; list; list = list->next) {
		unsigned int leaves = bt_type_of(s, list)->leaves;

		for (unsigned int i = 0; i < leaves; i++) {
			bt_leaf(s, list, i);
			if (list->next || i + 1 < leaves)
				bt_put(s, list->pos, ", ");
		}
		if (single)
			bt_put(s, list->pos, "%s", bt_key_default(s, list));
	}
}

bool bt_stored_part(struct bt_script *s, const struct bt_node *n)
{
	if (!bt_is_compound(bt_type_of(s, n->a)) || !bt_is_stored(s, n->a))
		return false;
	bt_part_leaf(s, n, 0, NULL);
	return true;
}

const struct bt_type *bt_key_type(struct bt_script *s, const struct bt_node *keys)
{
	struct bt_type *t;

	if (!keys)
		return NULL;
	if (!keys->next)
		return bt_type_of(s, keys);
	t = bt_type_new(s, BT_TUPLE);
	for (; keys; keys = keys->next)
		bt_type_add(s, t, NULL, bt_type_of(s, keys));
	return t;
}
