// SPDX-License-Identifier: GPL-2.0
/*
 * Types of programs, by their debug information, in the blocks of their events: those of args.NAME,
 * and structures that the script does not declare. They are declared before the types of maps and
 * variables are found.
 */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/cdef.h"
#include "compiler/lexer.h"
#include "compiler/program_types.h"

/* The type of an argument in the events of a block */
struct bt_argument {
	const struct bt_probe *probe;
	const char *name;
	const struct bt_type *type;	/* NULL: it is not known */
	struct bt_argument *next;
};

/*
 * First find the names that the script uses, then the types of those; a list of all arguments
 * takes the types of those whose members are read.
 */
enum bt_program_walk { BT_COLLECTS_NAMES, BT_FINDS_TYPES, BT_MAKES_RECORDS, BT_PROGRAM_WALKS };

/**
 * struct bt_program - the search for types
 * @types: those that the compiler has found
 * @walk: the script is walked several times
 */
struct bt_program {
	struct program_types types;
	struct bt_script *s;
	enum bt_program_walk walk;
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

/* Note the type of an argument in this block, NULL: not known; it is asked for once. */
static void bt_program_note(struct bt_script *s, const char *name, const struct bt_type *type)
{
	struct bt_argument *a = pool_alloc(&s->cc->pool, sizeof(*a));

	*a = (struct bt_argument) {
		.probe = s->probe, .name = name, .type = type, .next = s->arguments,
	};
	s->arguments = a;
}

static void bt_program_read(struct bt_program *p, const struct bt_node *n)
{
	const struct program_name name = { .param = n->text };
	const struct bt_type *bt_type = NULL;
	struct ktap_user_type type;

	if (bt_argument(p->s, n->text))
		return;
	/* a truth value is an integer of the event */
	if (bt_program_get(p, n->pos, &name, &type) && strcmp(type.name, "bool"))
		bt_type = bt_type_named(p->s, type.name, type.stars);
	bt_program_note(p->s, n->text, bt_type);
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
	const struct program_name name = { .tag = n->text };
	struct ktap_user_type type;

	if (!bt_program_is_tag(p->s, n->text))
		return;
	if (p->walk == BT_COLLECTS_NAMES && !of_program)
		program_types_take(&p->types, n->text);
	else if (p->walk == BT_FINDS_TYPES && of_program &&
		 bt_program_get(p, n->pos, &name, &type))
		n->text = type.name;
}

static struct bt_node *bt_program_node(struct bt_script *s, const struct bt_node *at,
				       enum bt_kind kind, const char *text)
{
	struct bt_node *n = pool_alloc(&s->cc->pool, sizeof(*n));

	*n = (struct bt_node) { .kind = kind, .pos = at->pos, .op = "", .text = text, .value = -1 };
	return n;
}

/* The address of the event: that of the function, if it returns */
static struct bt_node *bt_program_place(struct bt_script *s, const struct bt_node *at)
{
	bool returns = false;
	struct bt_node *n;
	const char *rest;

	for (const struct bt_event *event = s->probe->events; event; event = event->next)
		returns |= !strcmp(bt_event_kind(event, &rest), "uretprobe");
	n = bt_program_node(s, at, returns ? BN_FIELD : BN_CALL, returns ? "ip" : "reg");
	n->a = returns ? bt_program_node(s, at, BN_NAME, "args") :
	       bt_program_node(s, at, BN_STR, "\"pc\"");
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
	sum->a = bt_program_place(s, n);
	sum->b = offset;
	n->kind = BN_CAST;
	n->text = type.name;
	n->stars = type.stars;
	n->a = sum;
}

/*
 * The function of "fentry:FUNCTION", the tracepoint as "SYSTEM/EVENT", and the function of a raw
 * one, whose first parameter is no argument; NULL: another event, or a pattern
 */
static const char *bt_program_kernel(struct bt_script *s, unsigned int *skipped)
{
	const char *rest, *kind = bt_event_kind(s->probe->events, &rest);
	const char *colon = strchr(rest, ':');

	*skipped = 0;
	if (!kind || s->probe->events->next || strpbrk(rest, "*?[$"))
		return NULL;
	if (!strcmp(kind, "fentry") || !strcmp(kind, "kfunc") || !strcmp(kind, "fexit") ||
	    !strcmp(kind, "kretfunc"))
		return rest;
	if (!strcmp(kind, "tracepoint") && colon)
		return pool_printf(&s->cc->pool, "%.*s/%s", (int)(colon - rest), rest, colon + 1);
	if (strcmp(kind, "rawtracepoint"))
		return NULL;
	*skipped = 1;
	return pool_printf(&s->cc->pool, "__traceiter_%s", colon ? colon + 1 : rest);
}

static bool bt_program_is_whole(const struct ktap_member_type *type)
{
	return type->number || !strncmp(type->name, "struct ", 7) ||
	       !strncmp(type->name, "union ", 6);
}

/*
 * The name of argument @i of the events of the block, whose type is noted; NULL: it has fewer. The
 * name comes from debug information, and may be none that a script can have.
 */
static const char *bt_program_nth(struct bt_program *p, struct pos pos, unsigned int i,
				  bool of_program)
{
	const struct ktap_compile_opts *opts = p->s->cc->opts;
	const struct program_name nth = { .number = i + 1 };
	const char *function, *name = NULL;
	struct ktap_member_type kernel;
	unsigned int skipped;
	struct ktap_user_type type;

	if (of_program) {
		if (!bt_program_get(p, pos, &nth, &type))
			return NULL;
		if (!bt_argument(p->s, type.param) && is_name(type.param))
			bt_program_note(p->s, type.param, strcmp(type.name, "bool") ?
					bt_type_named(p->s, type.name, type.stars) : NULL);
		return type.param;
	}
	function = bt_program_kernel(p->s, &skipped);
	if (!function || !opts->parameter_type ||
	    !opts->parameter_type(opts->member_ctx, function, skipped + i, &name, &kernel))
		return NULL;
	/* a structure that is passed by value is no argument in ktap */
	if (!kernel.stars && !strchr(function, '/') && bt_program_is_whole(&kernel))
		return "";
	name = pool_strndup(&p->s->cc->pool, name, strlen(name));
	if (kernel.stars && !bt_argument(p->s, name) &&
	    bt_type_of_argument(p->s, p->s->probe->events, name)->kind == BT_ANY)
		bt_program_note(p->s, name, bt_type_named(p->s, "void", 1));
	return name;
}

/* args as a value: (x=args.x, y=args.y) */
static void bt_program_record(struct bt_program *p, struct bt_node *n, bool of_program)
{
	struct bt_node *first = NULL, **last = &first, *item;
	struct bt_script *s = p->s;
	const char *name;

	for (unsigned int i = 0, items = 0;; i++) {
		name = bt_program_nth(p, n->pos, i, of_program);
		if (!name)
			break;
		if (!is_name(name))
			continue;
		if (items++ == BT_MAX_LEAVES) {
			bt_error(s, n->pos, "args.NAME, one of them",
				 "'args' has more than %u fields here", BT_MAX_LEAVES);
			return;
		}
		item = bt_program_node(s, n, BN_FIELD, name);
		item->a = bt_program_node(s, n, BN_NAME, "args");
		item->item = name;
		*last = item;
		last = &item->next;
	}
	if (!first)
		return;
	n->kind = BN_TUPLE;
	n->text = "";
	n->a = first;
}

static bool bt_program_is_args(const struct bt_node *n)
{
	return n->kind == BN_NAME && !strcmp(n->text, "args");
}

static void bt_program_walk(struct bt_program *p, struct bt_node *n, bool of_program)
{
	for (; n; n = n->next) {
		if (n->kind != BN_FIELD || !bt_program_is_args(n->a))
			bt_program_walk(p, n->a, of_program);
		bt_program_walk(p, n->b, of_program);
		bt_program_walk(p, n->c, of_program);
		if (n->kind == BN_CAST || n->kind == BN_TYPE)
			bt_program_type(p, n, of_program);
		else if (n->kind == BN_CALL && of_program && p->walk == BT_FINDS_TYPES &&
			 !strcmp(n->text, "uaddr"))
			bt_program_address(p, n);
		else if (p->walk == BT_MAKES_RECORDS && bt_program_is_args(n))
			bt_program_record(p, n, of_program);
		if (n->kind != BN_FIELD || !n->text)
			continue;
		if (p->walk == BT_COLLECTS_NAMES)
			program_types_read(&p->types, n->text);
		else if (p->walk == BT_FINDS_TYPES && of_program && bt_program_is_args(n->a))
			bt_program_read(p, n);
	}
}

static void bt_program_walk_all(struct bt_program *p)
{
	struct bt_script *s = p->s;

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

	program_types_init(&p.types, s->cc);
	for (p.walk = BT_COLLECTS_NAMES; p.walk < BT_PROGRAM_WALKS; p.walk++)
		bt_program_walk_all(&p);
}
