// SPDX-License-Identifier: GPL-2.0
/*
 * Types of programs, by their debug information, in the blocks of their events: those of args.NAME,
 * and structures that the script does not declare. They are declared before the types of maps and
 * variables are found.
 */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/cdef.h"
#include "compiler/program_types.h"

/* The type of an argument in the events of a block */
struct bt_argument {
	const struct bt_probe *probe;
	const char *name;
	const struct bt_type *type;	/* NULL: it is not known */
	struct bt_argument *next;
};

/**
 * struct bt_program - the search for types
 * @types: those that the compiler has found
 * @collects: the first walk: find the names that the script uses
 */
struct bt_program {
	struct program_types types;
	struct bt_script *s;
	bool collects;
};

/* The event in ktap's spelling, which differs only in the kind; NULL: it is none of a program. */
static const char *bt_program_event(struct bt_script *s, const struct bt_event *event)
{
	const char *rest, *kind = bt_event_kind(event, &rest), *text;

	if (!kind || strchr(event->text, '$'))
		return NULL;
	text = pool_printf(&s->cc->pool, "%s:%s", kind, rest);
	return program_types_is_event(text) ? text : NULL;
}

static bool bt_is_of_programs(struct bt_script *s, const struct bt_probe *probe)
{
	for (const struct bt_event *event = probe->events; event; event = event->next)
		if (!bt_program_event(s, event))
			return false;
	return true;
}

/* A declaration needs those before it. */
static void bt_program_declare(struct bt_script *s, struct pos pos, const char *text)
{
	struct bt_node *declared = pool_alloc(&s->cc->pool, sizeof(*declared)), **last = &s->types;

	*declared = (struct bt_node) { .kind = BN_STR, .pos = pos, .text = text };
	while (*last)
		last = &(*last)->next;
	*last = declared;
}

/* The type that all events of the block give; false: none */
static bool bt_program_get(struct bt_program *p, struct pos pos,
			   const struct program_name *name, struct ktap_user_type *type)
{
	struct bt_script *s = p->s;
	struct ktap_user_type one;
	bool first = true;

	for (const struct bt_event *event = s->probe->events; event; event = event->next) {
		if (!program_types_get(&p->types, pos, bt_program_event(s, event), name, &one))
			return false;
		if (*one.declarations)
			bt_program_declare(s, pos, one.declarations);
		if (!first && !program_types_same(&one, type)) {
			bt_error(s, pos, "a block for each event",
				 "'%s' differs between the events of this block",
				 program_name_text(name));
			return false;
		}
		*type = one;
		first = false;
	}
	return !first;
}

static const struct bt_argument *bt_argument(const struct bt_script *s, const char *name)
{
	const struct bt_argument *a = s->arguments;

	while (a && (a->probe != s->probe || strcmp(a->name, name)))
		a = a->next;
	return a;
}

const struct bt_type *bt_program_argument(const struct bt_script *s, const char *name)
{
	const struct bt_argument *a = bt_argument(s, name);

	return a ? a->type : NULL;
}

static void bt_program_read(struct bt_program *p, const struct bt_node *n)
{
	struct ktap_user_type type;
	struct bt_argument *a;

	if (bt_argument(p->s, n->text))
		return;
	a = pool_alloc(&p->s->cc->pool, sizeof(*a));
	*a = (struct bt_argument) {
		.probe = p->s->probe, .name = n->text, .next = p->s->arguments,
	};
	/* a truth value is an integer of the event */
	if (bt_program_get(p, n->pos, &(struct program_name){ .param = n->text }, &type) &&
	    strcmp(type.name, "bool"))
		a->type = bt_type_named(p->s, type.name, type.stars);
	p->s->arguments = a;
}

/* Is it the name of a type that the script does not declare, nor bpftrace? */
static bool bt_program_is_tag(struct bt_script *s, const char *name)
{
	if (strchr(name, ' '))
		return !strncmp(name, "struct ", 7) || !strncmp(name, "union ", 6);
	return *name && strcmp(name, "void") && strcmp(name, "string") &&
	       bt_type_named(s, name, 0)->kind == BT_ANY;
}

static void bt_program_type(struct bt_program *p, struct bt_node *n, bool of_program)
{
	struct ktap_user_type type;

	if (!bt_program_is_tag(p->s, n->text))
		return;
	if (p->collects && !of_program)
		program_types_take(&p->types, n->text);
	else if (!p->collects && of_program &&
		 bt_program_get(p, n->pos, &(struct program_name){ .tag = n->text }, &type))
		n->text = type.name;
}

static struct bt_node *bt_program_node(struct bt_script *s, const struct bt_node *at,
				       enum bt_kind kind, const char *text)
{
	struct bt_node *n = pool_alloc(&s->cc->pool, sizeof(*n));

	*n = (struct bt_node) { .kind = kind, .pos = at->pos, .op = "", .text = text, .value = -1 };
	return n;
}

/* uaddr("x"): (TYPE *)(reg("pc") + OFFSET) */
static void bt_program_address(struct bt_program *p, struct bt_node *n)
{
	struct bt_script *s = p->s;
	struct program_name name = { 0 };
	struct bt_node *sum, *offset;
	struct ktap_user_type type;
	uint64_t distance;

	if (!n->a || n->a->kind != BN_STR || n->a->next)
		return;
	name.symbol = pool_strndup(&s->cc->pool, n->a->text + 1, strlen(n->a->text) - 2);
	if (!bt_program_get(p, n->pos, &name, &type))
		return;
	distance = type.offset < 0 ? -(uint64_t)type.offset : (uint64_t)type.offset;
	offset = bt_program_node(s, n, BN_INT,
				 pool_printf(&s->cc->pool, "%llu", (unsigned long long)distance));
	offset->value = distance;
	sum = bt_program_node(s, n, BN_BINARY, "");
	sum->op = type.offset < 0 ? "-" : "+";
	sum->a = bt_program_node(s, n, BN_CALL, "reg");
	sum->a->a = bt_program_node(s, n, BN_STR, "\"pc\"");
	sum->b = offset;
	n->kind = BN_CAST;
	n->text = type.name;
	n->stars = type.stars;
	n->a = sum;
}

static void bt_program_walk(struct bt_program *p, struct bt_node *n, bool of_program)
{
	for (; n; n = n->next) {
		bt_program_walk(p, n->a, of_program);
		bt_program_walk(p, n->b, of_program);
		bt_program_walk(p, n->c, of_program);
		if (n->kind == BN_CAST || n->kind == BN_TYPE)
			bt_program_type(p, n, of_program);
		else if (n->kind == BN_CALL && of_program && !p->collects &&
			 !strcmp(n->text, "uaddr"))
			bt_program_address(p, n);
		if (n->kind != BN_FIELD || !n->text)
			continue;
		if (p->collects)
			program_types_read(&p->types, n->text);
		else if (of_program && n->a->kind == BN_NAME && !strcmp(n->a->text, "args"))
			bt_program_read(p, n);
	}
}

static void bt_program_walk_all(struct bt_program *p, bool collects)
{
	struct bt_script *s = p->s;

	p->collects = collects;
	for (struct bt_probe *probe = s->probes; probe; probe = probe->next) {
		bool of_program = bt_is_of_programs(s, probe);

		s->probe = probe;
		bt_program_walk(p, probe->filter, of_program);
		bt_program_walk(p, probe->body, of_program);
	}
	s->probe = NULL;
}

void bt_program_types(struct bt_script *s)
{
	struct bt_program p = { .s = s };

	if (!s->cc->opts->user_type)
		return;
	program_types_init(&p.types, s->cc);
	bt_program_walk_all(&p, true);
	bt_program_walk_all(&p, false);
}
