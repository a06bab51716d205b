// SPDX-License-Identifier: GPL-2.0
/* Probes and statements of bpftrace in ktap's language. */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/lexer.h"

static void bt_block(struct bt_script *s, const struct bt_node *block);

static void bt_comment(struct bt_script *s, const char *comment, struct pos pos)
{
	size_t len;

	for (; comment && *comment; comment += len + (comment[len] == '\n')) {
		len = strcspn(comment, "\n");
		bt_put(s, pos, "%.*s", (int)len, comment);
		bt_line(s);
	}
}

static struct bt_var *bt_var_new(struct bt_script *s, const char *name)
{
	struct bt_var *var = pool_alloc(&s->cc->pool, sizeof(*var));

	var->name = name;
	var->ours = bt_our_name(s, name, "_var");
	var->outer = s->vars;
	s->vars = var;
	return var;
}

static void bt_tuple_names(struct bt_script *s, struct pos pos, const struct bt_var *var)
{
	for (unsigned int i = 0; i < var->items; i++)
		bt_put(s, pos, i ? ", %s_%u" : "%s_%u", var->ours, i);
}

/* $x = value; the first one in a block declares it */
static void bt_var_set(struct bt_script *s, const struct bt_node *n, const char *name,
		       const struct bt_node *value, bool declare)
{
	struct bt_var *var = declare ? NULL : bt_var_find(s, name);
	unsigned int items = value && value->kind == BN_TUPLE ? bt_list_length(value->a) : 0;
	enum bt_type type = value ? bt_type_of(s, value) : BT_ANY;
	bool known = var;

	/* the value may use another variable of that name */
	if (!known) {
		bt_put(s, n->pos, "var ");
		var = pool_alloc(&s->cc->pool, sizeof(*var));
		*var = (struct bt_var) {
			.name = name, .ours = bt_our_name(s, name, "_var"), .items = items,
			.outer = s->vars,
		};
	}
	if (var->items != items || var->loop) {
		bt_error(s, n->pos, NULL, "$%s changes between a tuple and a single value", name);
		return;
	}
	if (!known || var->type == BT_ANY)
		var->type = type;
	if (items)
		bt_tuple_names(s, n->pos, var);
	else
		bt_put(s, n->pos, "%s", var->ours);
	bt_put(s, n->pos, " = ");
	if (items)
		bt_values(s, value->a, false);
	else if (value)
		bt_value(s, value);
	else
		bt_put(s, n->pos, "0");
	if (!known)
		s->vars = var;
}

static void bt_aggregate(struct bt_script *s, const struct bt_node *n, enum bt_map_kind kind)
{
	static const unsigned char arguments[][2] = {
		[BM_COUNT] = { 0, 0 }, [BM_SUM] = { 1, 1 }, [BM_AVG] = { 1, 1 },
		[BM_MIN] = { 1, 1 }, [BM_MAX] = { 1, 1 }, [BM_STATS] = { 1, 1 },
		[BM_HIST] = { 1, 2 }, [BM_LHIST] = { 4, 4 },
	};
	const struct bt_node *call = n->b;
	unsigned int count = bt_list_length(call->a);

	if (count < arguments[kind][0] || count > arguments[kind][1]) {
		bt_error(s, call->pos, NULL, "%s() takes %u argument%s, %u given", call->text,
			 arguments[kind][0], arguments[kind][0] == 1 ? "" : "s", count);
		return;
	}
	bt_place_of(s, n->a);
	bt_put(s, n->pos, kind <= BM_SUM ? " += " : " <<< ");
	if (kind == BM_COUNT)
		bt_put(s, call->pos, "1");
	else
		bt_number(s, call->a, 0);
}

static void bt_map_set(struct bt_script *s, const struct bt_node *n)
{
	enum bt_map_kind kind;

	if (n->b && n->b->kind == BN_CALL && bt_map_function(n->b->text, &kind)) {
		bt_aggregate(s, n, kind);
		return;
	}
	bt_place_of(s, n->a);
	if (!n->b) {
		bt_put(s, n->pos, "%s", n->op);
	} else if (strcmp(n->op, "=")) {
		bt_put(s, n->pos, " %s ", n->op);
		bt_number(s, n->b, 0);
	} else if (n->b->kind == BN_TUPLE) {
		bt_put(s, n->pos, " = {");
		bt_values(s, n->b->a, false);
		bt_put(s, n->pos, "}");
	} else {
		bt_put(s, n->pos, " = ");
		bt_value(s, n->b);
	}
}

static void bt_assign(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_var *var;

	if (n->a->kind == BN_MAP) {
		bt_map_set(s, n);
		return;
	}
	if (n->b && !strcmp(n->op, "=")) {
		bt_var_set(s, n->a, n->a->text, n->b, false);
		return;
	}
	var = bt_var_find(s, n->a->text);
	if (!var || var->items || var->loop) {
		bt_error(s, n->a->pos, NULL, "$%s has no value here that '%s' could change",
			 n->a->text, n->op);
		return;
	}
	bt_put(s, n->a->pos, "%s", var->ours);
	bt_put(s, n->pos, n->b ? " %s " : "%s", n->op);
	if (n->b)
		bt_number(s, n->b, 0);
}

/* "{", the statements, "}" */
static void bt_braces(struct bt_script *s, const struct bt_node *block)
{
	bt_put(s, block->pos, "{");
	s->indent++;
	bt_block(s, block);
	s->indent--;
	bt_line(s);
	bt_put(s, block->pos, "}");
}

static void bt_if(struct bt_script *s, const struct bt_node *n)
{
	bt_put(s, n->pos, "if (");
	bt_truth(s, n->a);
	bt_put(s, n->pos, ") ");
	bt_braces(s, n->b);
	if (!n->c)
		return;
	bt_put(s, n->c->pos, " else ");
	if (n->c->kind == BN_IF)
		bt_if(s, n->c);
	else
		bt_braces(s, n->c);
}

static void bt_for_map(struct bt_script *s, const struct bt_node *n)
{
	struct bt_map *map = bt_map_of(s, n->a);
	struct bt_var *outer = s->vars, *var;

	if (!map || map->keys <= 0) {
		bt_error(s, n->a->pos, NULL, "@%s has no keys", n->a->text);
		return;
	}
	var = bt_var_new(s, n->text);
	var->loop = map;
	bt_put(s, n->pos, "for (%s_key, %s_value in ", var->ours, var->ours);
	bt_put(s, n->a->pos, "%s", map->ours);
	bt_put(s, n->pos, ") ");
	bt_braces(s, n->b);
	s->vars = outer;
}

static void bt_for_range(struct bt_script *s, const struct bt_node *n)
{
	struct bt_var *outer = s->vars, *var;
	struct bt_node last = { .kind = BN_BINARY, .pos = n->c->pos, .op = "-", .text = "" };
	struct bt_node one = { .kind = BN_INT, .pos = n->c->pos, .op = "", .text = "1" };

	bt_put(s, n->pos, "for (%s = ", bt_our_name(s, n->text, "_var"));
	bt_number(s, n->a, 0);
	bt_put(s, n->pos, ", ");
	last.a = n->c;
	last.b = &one;
	if (n->c->kind == BN_INT)
		bt_put(s, n->c->pos, "%lld", (long long)n->c->value - 1);
	else
		bt_number(s, &last, 0);
	bt_put(s, n->pos, ") ");
	var = bt_var_new(s, n->text);
	var->type = BT_INTEGER;
	bt_braces(s, n->b);
	s->vars = outer;
}

/* A call, or a choice between two. */
static void bt_effect(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *yes = n->b, *no = n->c;

	if (n->kind == BN_CALL) {
		bt_call(s, n, true);
		return;
	}
	if (n->kind != BN_CHOICE || yes->kind != BN_CALL) {
		bt_error(s, n->pos, NULL, "this statement does nothing");
		return;
	}
	bt_put(s, n->pos, "if (");
	bt_truth(s, n->a);
	bt_put(s, n->pos, ") { ");
	bt_effect(s, yes);
	bt_put(s, n->pos, " }");
	if (no->kind != BN_CALL && no->kind != BN_CHOICE)
		return;
	bt_put(s, n->pos, " else { ");
	bt_effect(s, no);
	bt_put(s, n->pos, " }");
}

static void bt_statement(struct bt_script *s, const struct bt_node *n)
{
	switch (n->kind) {
	case BN_EXPR:
		bt_effect(s, n->a);
		break;
	case BN_ASSIGN:
		bt_assign(s, n);
		break;
	case BN_LET:
		if (n->b && n->b->kind == BN_CALL && !strcmp(n->b->text, "count"))
			bt_error(s, n->b->pos, NULL, "count() is assigned to a map");
		else
			bt_var_set(s, n, n->text, n->b, true);
		break;
	case BN_IF:
		bt_if(s, n);
		break;
	case BN_WHILE:
		bt_put(s, n->pos, "while (");
		bt_truth(s, n->a);
		bt_put(s, n->pos, ") ");
		bt_braces(s, n->b);
		break;
	case BN_UNROLL:
		bt_put(s, n->pos, "for (_round = 1, ");
		bt_number(s, n->a, 0);
		bt_put(s, n->pos, ") ");
		bt_braces(s, n->b);
		break;
	case BN_FOR:
		bt_for_map(s, n);
		break;
	case BN_RANGE:
		bt_for_range(s, n);
		break;
	case BN_JUMP:
		bt_put(s, n->pos, "%s", n->op);
		break;
	default:
		bt_braces(s, n);
	}
}

static void bt_block(struct bt_script *s, const struct bt_node *block)
{
	struct bt_var *outer = s->vars;

	for (const struct bt_node *n = block->a; n; n = n->next) {
		bt_line(s);
		bt_comment(s, n->comment, n->pos);
		bt_statement(s, n);
	}
	s->vars = outer;
}

/* Does the list use this built-in value? */
static bool bt_uses(const struct bt_node *n, const char *name)
{
	for (; n; n = n->next)
		if ((n->kind == BN_NAME && !strcmp(n->text, name)) || bt_uses(n->a, name) ||
		    bt_uses(n->b, name) || bt_uses(n->c, name))
			return true;
	return false;
}

/* An event of these needs no quotes. */
static const char bt_plain_characters[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:./*?+-[]!@~";

/* Write an event; names that are no words of ktap's events are strings. */
static void bt_put_event(struct bt_script *s, const struct bt_event *event, const char *text,
			 bool first)
{
	bool plain = *text == '(';

	if (!plain)
		plain = !text[strspn(text, bt_plain_characters)];
	bt_put(s, event->pos, plain ? "%s%s" : "%s\"%s\"", first ? "" : ", ", text);
}

static void bt_probe_body(struct bt_script *s, const struct bt_probe *probe, bool filter)
{
	if (filter) {
		bt_put(s, probe->filter->pos, " /");
		s->filter = true;
		bt_truth(s, probe->filter);
		s->filter = false;
		bt_put(s, probe->filter->pos, "/");
	}
	bt_put(s, probe->body->pos, " {");
	s->indent = 1;
	if (probe->filter && !filter) {
		bt_line(s);
		bt_put(s, probe->filter->pos, "if (");
		bt_truth(s, probe->filter);
		bt_put(s, probe->filter->pos, ") ");
		bt_braces(s, probe->body);
	} else {
		bt_block(s, probe->body);
	}
	s->indent = 0;
	bt_line(s);
	bt_put(s, probe->body->pos, "}\n");
}

/*
 * Events of one block have one probe, unless its text depends on the event; ticks
 * and others that are no events have their own.
 */
static void bt_probe(struct bt_script *s, const struct bt_probe *probe)
{
	bool alone = bt_uses(probe->filter, "probe") || bt_uses(probe->body, "probe");
	const struct bt_event *event = probe->events, *next;
	bool filter = probe->filter && bt_fits_filter(probe->filter);

	bt_line(s);
	bt_comment(s, probe->comment, event->pos);
	for (; event; event = next) {
		const char *text = bt_event(s, event, &s->place);
		enum bt_place place = s->place, other;
		bool clock, trace, fixed;

		next = event->next;
		if (!text)
			continue;
		/* ktap has filters of events only that the compiler knows */
		fixed = *text != '(';
		clock = !strncmp(text, "tick-", 5) || !strncmp(text, "profile-", 8);
		trace = !clock && strncmp(text, "trace_", 6);
		if (trace)
			bt_put(s, event->pos, "trace ");
		bt_put_event(s, event, text, true);
		while (trace && fixed && next && !alone) {
			text = bt_event(s, next, &other);
			if (!text || other != place || !strncmp(text, "profile-", 8) ||
			    *text == '(')
				break;
			bt_put_event(s, next, text, false);
			next = next->next;
		}
		s->place = place;
		bt_probe_body(s, probe, filter && fixed && place == BT_IN_EVENT);
		if (next)
			bt_line(s);
	}
}

/* The number of keys that a map has room for; 0: as ktap does it */
static int64_t bt_limit_of(const struct bt_script *s, const struct bt_map *map)
{
	for (const struct bt_node *n = s->limits; n; n = n->next)
		if (!strcmp(n->text, map->name))
			return n->value;
	return s->max_keys;
}

/* Write the top level: types, addresses, distributions. */
static void bt_prelude(struct bt_script *s)
{
	for (const struct bt_node *type = s->types; type; type = type->next)
		bt_put(s, type->pos, "cdef [[\n%s\n]]\n", type->text);
	for (const struct bt_node *n = s->symbols; n; n = n->next)
		bt_put(s, n->pos, "kaddr_%.*s = kaddr(%s)\n", (int)strcspn(n->text + 1, "\""),
		       n->text + 1, n->text);
	for (const struct bt_map *map = s->maps; map; map = map->next) {
		if (map->kind >= BM_HIST) {
			bt_put(s, map->pos, "%s = %s(", map->ours,
			       map->kind == BM_HIST ? "hist" : "lhist");
			bt_values(s, map->shape, false);
			bt_put(s, map->pos, ")\n");
		} else if (map->keys > 0 && bt_limit_of(s, map) > 0) {
			bt_put(s, map->pos, "%s = table.new(%lld)\n", map->ours,
			       (long long)bt_limit_of(s, map));
		}
	}
}

void bt_lower(struct bt_script *s)
{
	bt_prelude(s);
	for (const struct bt_probe *probe = s->probes; probe; probe = probe->next)
		bt_probe(s, probe);
	bt_print_end(s);
	bt_print_helpers(s);
}
