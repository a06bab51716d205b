// SPDX-License-Identifier: GPL-2.0
/* Find out what each map of the script holds, before anything is written. */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/builtins.h"
#include "compiler/cdef.h"
#include "compiler/lexer.h"
#include "compiler/util.h"

static const char * const bt_map_functions[] = {
	[BM_COUNT] = "count", [BM_SUM] = "sum", [BM_AVG] = "avg", [BM_MIN] = "min",
	[BM_MAX] = "max", [BM_STATS] = "stats", [BM_HIST] = "hist", [BM_LHIST] = "lhist",
	[BM_TSERIES] = "tseries",
};

bool bt_map_function(const char *name, enum bt_map_kind *kind)
{
	for (size_t i = BM_COUNT; i < ARRAY_SIZE(bt_map_functions); i++) {
		if (!strcmp(bt_map_functions[i], name)) {
			*kind = i;
			return true;
		}
	}
	return false;
}

struct bt_map *bt_map_find(const struct bt_script *s, const char *name)
{
	struct bt_map *map = s->maps;

	while (map && strcmp(map->name, name))
		map = map->next;
	return map;
}

struct bt_map *bt_map_of(const struct bt_script *s, const struct bt_node *n)
{
	return n && n->kind == BN_MAP ? bt_map_find(s, n->text) : NULL;
}

/* Words of ktap, and names of the text that is added. */
static bool bt_is_taken(const char *name)
{
	static const char * const words[] = {
		"catch", "include", "key", "skip", "top", "divisor", "try", "value",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], name))
			return true;
	for (unsigned int t = T_AND; t < T_AGGREGATE; t++)
		if (!strcmp(tok_name(t), name))
			return true;
	return !strncmp(name, "bt_", 3) || builtin_find(name);
}

/* Has a function, another map or a constant of the script this name? */
static bool bt_is_used(const struct bt_script *s, const char *name)
{
	const struct cdef_name *constant = cdef_find_name(s->cc, name);

	for (const struct bt_fn *fn = s->functions; fn; fn = fn->next)
		if (fn->ours && !strcmp(fn->ours, name))
			return true;
	for (const struct bt_map *map = s->maps; map; map = map->next)
		if (map->ours && !strcmp(map->ours, name))
			return true;
	return constant && constant->what == CDEF_IS_CONSTANT;
}

const char *bt_our_name(struct bt_script *s, const char *name, const char *suffix)
{
	if (!*name)
		name = "map";
	if (bt_is_taken(name))
		name = pool_printf(&s->cc->pool, "%s%s", name, suffix);
	while (bt_is_used(s, name))
		name = pool_printf(&s->cc->pool, "%s%s", name, suffix);
	return name;
}

/* Note the use of a map with @keys parts of a key, which may have parts themselves, or -1. */
static struct bt_map *bt_map_note(struct bt_script *s, const struct bt_node *n, int keys)
{
	struct bt_map *map = bt_map_find(s, n->text), **last = &s->maps;

	if (!map) {
		map = pool_alloc(&s->cc->pool, sizeof(*map));
		map->name = n->text;
		map->pos = n->pos;
		map->keys = -1;
		map->ours = bt_our_name(s, n->text, "_map");
		while (*last)
			last = &(*last)->next;
		*last = map;
	}
	if (keys >= 0 && map->keys < 0) {
		map->keys = keys;
		map->pos = n->pos;
	}
	return map;
}

static void bt_map_assigned(struct bt_script *s, const struct bt_node *n, const char *op,
			    const struct bt_node *value)
{
	struct bt_map *map = bt_map_note(s, n, bt_list_length(n->a));
	enum bt_map_kind kind = BM_VALUE;

	if (value && value->kind == BN_CALL && bt_map_function(value->text, &kind) &&
	    strcmp(op, "=")) {
		bt_error(s, value->pos, "write '='", "'%s' with %s()", op, value->text);
		return;
	}
	/* @x = count() and @x++ are the same kind */
	if (map->set && kind != map->kind && (kind > BM_SUM || map->kind > BM_SUM)) {
		bt_error(s, n->pos, NULL, "@%s is both %s and %s", n->text,
			 bt_map_functions[map->kind] ? bt_map_functions[map->kind] : "a value",
			 bt_map_functions[kind] ? bt_map_functions[kind] : "a value");
		return;
	}
	if (!map->set || kind != BM_VALUE)
		map->kind = kind;
	if (kind >= BM_HIST)
		map->shape = value->a ? value->a->next : NULL;
	map->set = true;
}

static void bt_maps_walk(struct bt_script *s, const struct bt_node *n);

/* Maps are arguments as a whole: print(@m), clear(@m) */
static bool bt_maps_call(struct bt_script *s, const struct bt_node *n)
{
	static const char * const whole[] = {
		"print", "clear", "zero", "len", "delete", "has_key",
	};
	struct bt_map *map;

	for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
		if (strcmp(n->text, whole[i]) || !n->a || n->a->kind != BN_MAP || n->a->a)
			continue;
		map = bt_map_note(s, n->a, -1);
		if (!i) {
			map->printed = true;
			map->limited |= !!n->a->next;
		}
		if (!strcmp(whole[i], "delete"))
			map->taken = true;
		bt_maps_walk(s, n->a->next);
		return true;
	}
	return false;
}

/* Add a name to a list, unless it has it. @call: of kaddr() or cgroupid(), or NULL */
static void bt_note_name(struct bt_script *s, struct bt_node **list, const struct bt_node *n,
			 const struct bt_node *call)
{
	struct bt_node *name = *list;

	while (name && strcmp(name->text, n->text))
		name = name->next;
	if (name)
		return;
	name = pool_alloc(&s->cc->pool, sizeof(*name));
	*name = *n;
	name->within = call;
	name->value = *list ? (*list)->value + 1 : 1;
	name->next = *list;
	*list = name;
}

/* The addresses that percpu_kaddr() needs */
static void bt_note_percpu(struct bt_script *s, const struct bt_node *n)
{
	struct bt_node offsets = {
		.kind = BN_STR, .pos = n->pos, .text = "\"__per_cpu_offset\"", .op = "",
	};

	if (!n->a || n->a->kind != BN_STR)
		return;
	bt_note_name(s, &s->symbols, n->a, NULL);
	bt_note_name(s, &s->symbols, &offsets, NULL);
}

/* Walk over a list. */
static void bt_maps_walk(struct bt_script *s, const struct bt_node *n)
{
	for (; n; n = n->next) {
		bool whole = n->kind == BN_CALL && bt_maps_call(s, n);

		if (whole)
			continue;
		if (n->kind == BN_CALL && !strcmp(n->text, "kaddr") && n->a &&
		    n->a->kind == BN_STR)
			bt_note_name(s, &s->symbols, n->a, n);
		if (n->kind == BN_CALL && !strcmp(n->text, "cgroupid") && n->a &&
		    n->a->kind == BN_STR)
			bt_note_name(s, &s->cgroups, n->a, n);
		if (n->kind == BN_FOR) {
			bt_map_note(s, n->a, -1);
			bt_maps_walk(s, n->b);
			continue;
		}
		if (n->kind == BN_MAP)
			bt_map_note(s, n, bt_list_length(n->a));
		if (n->kind == BN_CALL && !strcmp(n->text, "percpu_kaddr"))
			bt_note_percpu(s, n);
		if (n->kind == BN_NAME && bt_call_of_number(s, n->text))
			bt_note_name(s, &s->calls, n, n);
		if (n->kind == BN_CALL && !strcmp(n->text, "unwatch"))
			s->unwatches = true;
		if (n->kind == BN_PARAM && n->value < 0)
			s->counts_params = true;
		if (n->kind == BN_ASSIGN && n->a->kind == BN_MAP)
			bt_map_assigned(s, n->a, n->op, n->b);
		bt_maps_walk(s, n->a);
		bt_maps_walk(s, n->b);
		bt_maps_walk(s, n->c);
	}
}

/* The addresses that unwatch() may mean */
static void bt_note_watched(struct bt_script *s)
{
	struct bt_node name = { .kind = BN_STR, .op = "" };

	for (const struct bt_probe *probe = s->probes; probe; probe = probe->next) {
		for (const struct bt_event *event = probe->events; event; event = event->next) {
			name.text = bt_watch_symbol(s, event);
			name.pos = event->pos;
			if (name.text)
				bt_note_name(s, &s->symbols, &name, NULL);
		}
	}
}

void bt_find_maps(struct bt_script *s)
{
	for (const struct bt_fn *fn = s->functions; fn; fn = fn->next)
		bt_maps_walk(s, fn->body);
	for (const struct bt_probe *probe = s->probes; probe; probe = probe->next) {
		bt_maps_walk(s, probe->filter);
		bt_maps_walk(s, probe->body);
	}
	if (s->unwatches)
		bt_note_watched(s);
	for (const struct bt_map *map = s->maps; map; map = map->next)
		if (!map->set)
			bt_error(s, map->pos, NULL, "@%s is used, but nothing is assigned to it",
				 map->name);
	bt_infer(s);
	for (struct bt_map *map = s->maps; map; map = map->next)
		if (map->keys > 0 && map->key)
			map->keys = map->key->leaves;
}
