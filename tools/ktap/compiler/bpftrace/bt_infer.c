// SPDX-License-Identifier: GPL-2.0
/*
 * Find out the types of maps and variables before anything is written.
 *
 * The script is walked several times, because a map may be read before the statement that
 * assigns to it. A variable has the type of all values that are assigned to it.
 */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

#define BT_ROUNDS	3

static void bt_infer_list(struct bt_script *s, struct bt_node *n);

static void bt_infer_key(struct bt_script *s, struct bt_map *map, const struct bt_node *keys)
{
	const struct bt_type *type = map && keys ? bt_key_type(s, keys) : NULL;

	/* a key with more or fewer parts is reported where it is written */
	if (type && (!map->key || map->key->leaves == type->leaves || map->key->kind == BT_ANY))
		map->key = bt_type_merge(s, map->key, type);
}

/* delete(@m, key), has_key(@m, key) are no assignments, but @m[key] is. */
static void bt_infer_map(struct bt_script *s, const struct bt_node *n, const struct bt_node *value)
{
	struct bt_map *map = bt_map_of(s, n->a);

	if (!map)
		return;
	bt_infer_key(s, map, n->a->a);
	if (map->kind == BM_TSERIES && value && value->kind == BN_CALL && value->a)
		map->type = bt_type_merge(s, map->type, bt_type_of(s, value->a));
	if (map->kind)
		return;
	if (!strcmp(n->op, "=") && value)
		map->type = bt_type_merge(s, map->type,
					  bt_type_of(s, bt_in_order(s, value, map->type)));
	else if (map->type->kind != BT_POINTER)
		map->type = bt_type_merge(s, map->type, &bt_integer);
}

static struct bt_var *bt_infer_var(struct bt_script *s, const char *name, struct bt_node *decl)
{
	struct bt_var *var = pool_alloc(&s->cc->pool, sizeof(*var));

	if (!decl->type)
		decl->type = &bt_any;
	*var = (struct bt_var) {
		.name = name, .ours = name, .type = decl->type, .decl = decl, .outer = s->vars,
	};
	return var;
}

/* As in bt_var_set(): the first assignment declares */
static void bt_infer_assign(struct bt_script *s, struct bt_node *n, const char *name,
			    struct bt_node *value, bool declare)
{
	struct bt_var *var = declare ? NULL : bt_var_find(s, name);
	bool known = var;

	if (!known)
		var = bt_infer_var(s, name, n);
	if (var->loop)
		return;
	if (value)
		var->type = bt_type_merge(s, var->type,
					  bt_type_of(s, bt_in_order(s, value, var->type)));
	if (declare && n->c)
		var->type = bt_type_merge(s, bt_type_of(s, n->c), var->type);
	var->decl->type = var->type;
	/* Are the parts of all values stored?  The last one decides. */
	if (value && bt_is_compound(var->type))
		var->stored = bt_is_stored(s, value);
	if (!known)
		s->vars = var;
}

static void bt_infer_for(struct bt_script *s, struct bt_node *n)
{
	struct bt_var *outer = s->vars, *var = bt_infer_var(s, n->text, n);

	bt_infer_list(s, n->a);
	bt_infer_list(s, n->c);
	if (n->kind == BN_FOR)
		var->loop = bt_map_of(s, n->a);
	else
		var->type = &bt_integer;
	s->vars = var;
	bt_infer_list(s, n->b);
	s->vars = outer;
}

static void bt_infer_statement(struct bt_script *s, struct bt_node *n)
{
	struct bt_var *outer = s->vars;

	switch (n->kind) {
	case BN_BLOCK:
		bt_infer_list(s, n->a);
		s->vars = outer;
		break;
	case BN_FOR:
	case BN_RANGE:
		bt_infer_for(s, n);
		break;
	case BN_LET:
		bt_infer_assign(s, n, n->text, n->b, true);
		break;
	case BN_ASSIGN:
		if (n->a->kind == BN_MAP)
			bt_infer_map(s, n, n->b);
		else if (n->b && !strcmp(n->op, "="))
			bt_infer_assign(s, n, n->a->text, n->b, false);
		break;
	default:
		/* A block in an expression was moved before its statement. */
		bt_infer_list(s, n->a);
		bt_infer_list(s, n->b);
		bt_infer_list(s, n->c);
		if (n->kind == BN_MAP)
			bt_infer_key(s, bt_map_of(s, n), n->a);
	}
}

static void bt_infer_list(struct bt_script *s, struct bt_node *n)
{
	for (; n; n = n->next)
		bt_infer_statement(s, n);
}

/* The parameters have the types that they are declared with. */
static void bt_infer_fn(struct bt_script *s, struct bt_fn *fn)
{
	struct bt_var *outer = s->vars;

	s->probe = bt_fn_probe(s, fn);
	for (struct bt_node *param = fn->params; param; param = param->next) {
		param->type = bt_fn_value_type(s, param->c);
		s->vars = bt_infer_var(s, param->text, param);
	}
	bt_infer_list(s, fn->body);
	s->vars = outer;
}

void bt_infer(struct bt_script *s)
{
	struct bt_var *none = s->vars;

	for (struct bt_map *map = s->maps; map; map = map->next)
		if (!map->type)
			map->type = &bt_any;
	for (unsigned int i = 0; i < BT_ROUNDS; i++) {
		for (struct bt_fn *fn = s->functions; fn; fn = fn->next)
			bt_infer_fn(s, fn);
		for (struct bt_probe *probe = s->probes; probe; probe = probe->next) {
			s->probe = probe;
			bt_infer_list(s, probe->filter);
			bt_infer_list(s, probe->body);
			s->vars = none;
		}
	}
}

/* Do both events of a block give the argument one type, in one way? */
static bool bt_infer_agree(struct bt_script *s, const struct bt_event *event,
			   const struct bt_event *other, const char *name)
{
	const struct bt_type *x = bt_type_of_argument(s, event, name);
	const struct bt_type *y = bt_type_of_argument(s, other, name);

	if (x->kind == BT_POINTER && !strstr(event->text, ":syscalls:") !=
				     !strstr(other->text, ":syscalls:"))
		return false;
	return bt_type_same(x, y);
}

/* Do all events of the block of @s agree about the arguments in the list? */
static bool bt_infer_agrees(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_event *first = s->probe->events;

	for (; n; n = n->next) {
		bool field = n->kind == BN_FIELD && n->text && bt_is_args(s, n->a);

		/* args as a value: each event has its own fields */
		if (bt_is_args(s, n) && first->next)
			return false;
		for (const struct bt_event *e = first->next; field && e; e = e->next)
			if (!bt_infer_agree(s, first, e, n->text))
				return false;
		if ((!field && !bt_infer_agrees(s, n->a)) || !bt_infer_agrees(s, n->b) ||
		    !bt_infer_agrees(s, n->c))
			return false;
	}
	return true;
}

void bt_split_probes(struct bt_script *s)
{
	struct bt_probe *own;

	for (struct bt_probe *probe = s->probes; probe; probe = probe->next) {
		s->probe = probe;
		if (!probe->events->next ||
		    (bt_infer_agrees(s, probe->filter) && bt_infer_agrees(s, probe->body)))
			continue;
		own = pool_alloc(&s->cc->pool, sizeof(*own));
		*own = *probe;
		own->events = probe->events->next;
		own->filter = bt_copy(s, probe->filter);
		own->body = bt_copy(s, probe->body);
		own->comment = NULL;
		probe->events->next = NULL;
		probe->next = own;
		if (s->cc->diag.nerrors)
			return;
	}
}
