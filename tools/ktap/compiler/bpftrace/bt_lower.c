// SPDX-License-Identifier: GPL-2.0
/* Probes and statements of bpftrace in ktap's language. */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/lexer.h"
#include "compiler/util.h"

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
	var->type = &bt_any;
	var->outer = s->vars;
	return var;
}

/* The names of a variable: one, or those of its leaves */
static void bt_var_names(struct bt_script *s, struct pos pos, const struct bt_var *var)
{
	if (!var->stored)
		bt_put(s, pos, "%s", var->ours);
	for (unsigned int i = 0; var->stored && i < var->type->leaves; i++)
		bt_put(s, pos, i ? ", %s_%u" : "%s_%u", var->ours, i);
}

/* The value of a variable that has none yet */
static void bt_var_empty(struct bt_script *s, struct pos pos, const struct bt_var *var)
{
	enum bt_type_kind kind;

	for (unsigned int i = 0; i < (var->stored ? var->type->leaves : 1); i++) {
		kind = var->stored ? bt_leaf_type(var->type, i)->kind : var->type->kind;
		bt_put(s, pos, "%s%s", i ? ", " : "", kind == BT_STRING || kind == BT_BYTES ?
		       "\"\"" : kind == BT_BOOLEAN ? "false" : "0");
	}
}

/* $x = value; the first one in a block declares it, @n is that statement */
static void bt_var_set(struct bt_script *s, const struct bt_node *n, const char *name,
		       const struct bt_node *value, bool declare)
{
	struct bt_var *var = declare ? NULL : bt_var_find(s, name);
	const struct bt_type *type = value ? bt_type_of(s, value) : NULL;
	bool known = var;

	/* the value may use another variable of that name */
	if (!known) {
		bt_put(s, n->pos, "var ");
		var = bt_var_new(s, name);
		var->type = n->type ? n->type : &bt_any;
		/* structures in memory stay there */
		var->stored = bt_is_compound(var->type) && (!value || bt_is_stored(s, value));
	}
	if (var->loop || (value && bt_is_compound(type) && bt_is_stored(s, value) != var->stored) ||
	    (value && var->stored && type->leaves != var->type->leaves)) {
		bt_error(s, n->pos, NULL, "$%s changes between a tuple and a single value", name);
		return;
	}
	if (value)
		value = bt_in_order(s, value, var->type);
	bt_var_names(s, n->pos, var);
	bt_put(s, n->pos, " = ");
	if (!value)
		bt_var_empty(s, n->pos, var);
	else if (var->stored)
		bt_leaves(s, value, false);
	else
		bt_value(s, value);
	if (!known)
		s->vars = var;
}

/* The declaration of a map with a number of keys, or NULL */
static const struct bt_node *bt_declared(const struct bt_script *s, const char *name)
{
	const struct bt_node *n = s->limits;

	while (n && strcmp(n->text, name))
		n = n->next;
	return n;
}

/* A full map of @kind "lruhash" loses its oldest key. */
static void bt_make_room(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *declared = bt_declared(s, n->text);
	const struct bt_map *map = bt_map_of(s, n);

	if (!map || !n->a || !declared || !declared->item)
		return;
	bt_put(s, n->pos, "if (");
	bt_place_of(s, n);
	bt_put(s, n->pos, " == nil) { bt_make_room(%s, %lld) }", map->ours,
	       (long long)declared->value);
	bt_line(s);
	s->helpers |= BT_HELP_ROOM;
}

static void bt_aggregate(struct bt_script *s, const struct bt_node *n, enum bt_map_kind kind)
{
	static const unsigned char arguments[][2] = {
		[BM_COUNT] = { 0, 0 }, [BM_SUM] = { 1, 1 }, [BM_AVG] = { 1, 1 },
		[BM_MIN] = { 1, 1 }, [BM_MAX] = { 1, 1 }, [BM_STATS] = { 1, 1 },
		[BM_HIST] = { 1, 2 }, [BM_LHIST] = { 4, 4 },
		[BM_TSERIES] = { 3, 4 },
	};
	const struct bt_node *call = n->b;
	unsigned int count = bt_list_length(call->a);

	if (count < arguments[kind][0] || count > arguments[kind][1]) {
		bt_error(s, call->pos, NULL, "%s() takes %u argument%s, %u given", call->text,
			 arguments[kind][0], arguments[kind][0] == 1 ? "" : "s", count);
		return;
	}
	if (kind == BM_TSERIES && s->no_series)
		bt_error(s, call->pos, "unstable_tseries = enable",
			 "the config does not allow tseries()");
	bt_make_room(s, n->a);
	if (kind == BM_TSERIES) {
		bt_series_add(s, n);
		return;
	}
	bt_place_of(s, n->a);
	bt_put(s, n->pos, kind <= BM_SUM ? " += " : " <<< ");
	if (kind == BM_COUNT)
		bt_put(s, call->pos, "1");
	else
		bt_number(s, call->a, 0);
}

/* @p += 1 of a pointer */
static bool bt_step_pointer(struct bt_script *s, const struct bt_node *n,
			    const struct bt_type *type)
{
	const char *step = bt_pointer_step(s, type);
	const char *op = n->b ? n->op : *n->op == '+' ? "+=" : "-=";

	if (!step || !strcmp(step, "1") || (*op != '+' && *op != '-') ||
	    type->of->kind == BT_STRUCT)
		return false;
	bt_put(s, n->pos, " %s ", op);
	if (n->b)
		bt_number(s, n->b, LEVEL_PRODUCT);
	bt_put(s, n->pos, n->b ? " * %s" : "%s", step);
	return true;
}

/* $p++ of a pointer to a structure is $p = $p + 1. */
static bool bt_step_struct(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *type = bt_type_of(s, n->a);
	struct bt_node one = { .kind = BN_INT, .pos = n->pos, .op = "", .text = "1", .value = 1 };
	struct bt_node sum = {
		.kind = BN_BINARY, .pos = n->pos, .op = *n->op == '+' ? "+" : "-", .text = "",
		.a = n->a, .b = n->b ? n->b : &one,
	};

	if (type->kind != BT_POINTER || type->of->kind != BT_STRUCT ||
	    (*n->op != '+' && *n->op != '-'))
		return false;
	bt_put(s, n->pos, " = ");
	bt_value(s, &sum);
	return true;
}

static void bt_map_set(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map = bt_map_of(s, n->a);
	enum bt_map_kind kind;
	bool parts;

	if (n->b && n->b->kind == BN_CALL && bt_map_function(n->b->text, &kind)) {
		bt_aggregate(s, n, kind);
		return;
	}
	bt_make_room(s, n->a);
	bt_place_of(s, n->a);
	if (strcmp(n->op, "=")) {
		if (bt_step_struct(s, n) || bt_step_pointer(s, n, bt_type_of(s, n->a)))
			return;
		bt_put(s, n->pos, n->b ? " %s " : "%s", n->op);
		if (n->b)
			bt_number(s, n->b, 0);
		return;
	}
	parts = map && bt_is_compound(map->type);
	if (parts && bt_type_of(s, n->b)->leaves != map->type->leaves) {
		bt_error(s, n->b->pos, NULL, "the values of @%s have %u parts, this one has %u",
			 map->name, map->type->leaves, bt_type_of(s, n->b)->leaves);
		return;
	}
	parts = parts && map->type->leaves > 1;
	bt_put(s, n->pos, parts ? " = {" : " = ");
	if (map && bt_is_compound(map->type))
		bt_leaves(s, bt_in_order(s, n->b, map->type), false);
	else
		bt_value(s, n->b);
	bt_put(s, n->pos, parts ? "}" : "");
}

static void bt_assign(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_var *var;

	if (n->a->kind == BN_MAP) {
		bt_map_set(s, n);
		return;
	}
	if (n->b && !strcmp(n->op, "=")) {
		bt_var_set(s, n, n->a->text, n->b, false);
		return;
	}
	var = bt_var_find(s, n->a->text);
	if (!var || var->stored || var->loop) {
		bt_error(s, n->a->pos, NULL, "$%s has no value here that '%s' could change",
			 n->a->text, n->op);
		return;
	}
	bt_put(s, n->a->pos, "%s", var->ours);
	if (bt_step_struct(s, n) || bt_step_pointer(s, n, var->type))
		return;
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
	s->vars = var;
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
	var->type = &bt_integer;
	s->vars = var;
	bt_braces(s, n->b);
	s->vars = outer;
}

static bool bt_calls(const struct bt_node *n)
{
	for (; n; n = n->next)
		if (n->kind == BN_CALL || bt_calls(n->a) || bt_calls(n->b) || bt_calls(n->c))
			return true;
	return false;
}

/* A call, a choice between two, or a value that is not used. */
static void bt_effect(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *yes = n->b, *no = n->c;

	if (n->kind == BN_CALL && !bt_call_has_value(s, n)) {
		bt_call(s, n, true);
		return;
	}
	if (n->kind != BN_CHOICE || yes->kind != BN_CALL) {
		if (bt_is_compound(bt_type_of(s, n)) || !bt_calls(n))
			return;
		bt_put(s, n->pos, "var _unused = ");
		bt_value(s, n);
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

static void bt_check_unroll(struct bt_script *s, const struct bt_node *n)
{
	int64_t value;

	if (!bt_constant_value(n, &value))
		return;
	if (value > 100)
		bt_error(s, n->pos, "for ($i : 0..N) { }", "unroll maximum value is 100");
	else if (value < 1)
		bt_error(s, n->pos, NULL, "unroll minimum value is 1");
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
		bt_check_unroll(s, n->a);
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
		if (s->fn && *n->op == 'r')
			bt_fn_return(s, n);
		else
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

/* A path that does not begin with '/' or '.' is in quotes. */
static bool bt_is_relative(const char *text)
{
	const char *path = strchr(text, ':');

	return path && path[1] != '/' && path[1] != '.' && strchr(path, '/');
}

/* Write an event; names that are no words of ktap's events are strings. */
static void bt_put_event(struct bt_script *s, const struct bt_event *event, const char *text,
			 bool first)
{
	bool plain = *text == '(';

	if (!plain)
		plain = !text[strspn(text, bt_plain_characters)] && !bt_is_relative(text);
	bt_put(s, event->pos, plain ? "%s%s" : "%s\"%s\"", first ? "" : ", ", text);
}

/* @filter: that of the block is one of the event; @fixed: the event may have a filter */
static void bt_probe_body(struct bt_script *s, const struct bt_probe *probe, bool filter,
			  bool fixed)
{
	if (filter) {
		bt_put(s, probe->filter->pos, " /");
		s->filter = true;
		bt_truth(s, probe->filter);
		s->filter = false;
		bt_put(s, probe->filter->pos, "/");
	} else if (s->event_filter && fixed) {
		bt_put(s, probe->body->pos, " /%s/", s->event_filter);
	}
	bt_put(s, probe->body->pos, " {");
	s->indent = 1;
	if (s->event_filter && !fixed) {
		bt_line(s);
		bt_put(s, probe->body->pos, "if (!(%s)) { return }", s->event_filter);
	}
	if (s->watched) {
		bt_line(s);
		bt_put(s, probe->body->pos, "if (bt_unwatched[%s]) { return }", s->watched);
	}
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
	static const char * const of_event[] = { "probe", "probetype", "usermode" };
	bool alone = false;
	const struct bt_event *event = probe->events, *next;
	bool filter = probe->filter && bt_fits_filter(s, probe->filter);

	s->probe = probe;
	for (size_t i = 0; i < ARRAY_SIZE(of_event); i++)
		alone |= bt_uses(probe->filter, of_event[i]) || bt_uses(probe->body, of_event[i]);
	bt_line(s);
	bt_comment(s, probe->comment, event->pos);
	for (; event; event = next) {
		const char *text = bt_event(s, event, &s->place);
		const char *own = s->event_filter, *watched = s->watched;
		enum bt_place place = s->place, other;
		bool clock, trace, fixed, looked = false;

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
		while (trace && fixed && next && !alone && !own && !watched) {
			text = bt_event(s, next, &other);
			looked = true;
			if (!text || s->event_filter || s->watched || other != place ||
			    !strncmp(text, "profile-", 8) || *text == '(')
				break;
			bt_put_event(s, next, text, false);
			next = next->next;
		}
		/* the block is that of this event, not of the last one that was looked at */
		if (looked)
			bt_event(s, event, &s->place);
		bt_probe_body(s, probe, filter && fixed && place == BT_IN_EVENT && !own, fixed);
		if (next)
			bt_line(s);
	}
}

static void bt_fn(struct bt_script *s, const struct bt_fn *fn)
{
	struct bt_var *outer = s->vars, *var;

	s->probe = bt_fn_probe(s, fn);
	s->place = BT_IN_EVENT;
	s->edge = false;
	s->fn = fn;
	for (const struct bt_node *param = fn->params; param; param = param->next) {
		var = bt_var_new(s, param->text);
		var->type = param->type;
		s->vars = var;
	}
	bt_line(s);
	bt_comment(s, fn->comment, fn->pos);
	bt_fn_head(s, fn);
	s->indent = 1;
	bt_block(s, fn->body);
	s->indent = 0;
	bt_line(s);
	bt_put(s, fn->body->pos, "}\n");
	s->fn = NULL;
	s->vars = outer;
}

/* The number of keys that a map has room for; 0: as ktap does it */
static int64_t bt_limit_of(const struct bt_script *s, const struct bt_map *map)
{
	const struct bt_node *n = bt_declared(s, map->name);

	return n ? n->value : s->max_keys;
}

/* Write the top level: types, addresses, cgroups, distributions. */
static void bt_prelude(struct bt_script *s)
{
	for (const struct bt_node *type = s->types; type; type = type->next)
		bt_put(s, type->pos, "cdef [[\n%s\n]]\n", type->text);
	for (const struct bt_node *n = s->symbols; n; n = n->next)
		bt_put(s, n->pos, "kaddr_%.*s = kaddr(%s)\n", (int)strcspn(n->text + 1, "\""),
		       n->text + 1, n->text);
	for (const struct bt_node *n = s->cgroups; n; n = n->next)
		bt_put(s, n->within->pos, "cgroup_id_%d = cgroup_id(%s)\n", (int)n->value, n->text);
	if (s->unwatches)
		bt_put(s, s->probes->events->pos, "bt_unwatched = {}\n");
	for (const struct bt_map *map = s->maps; map; map = map->next) {
		if (map->kind == BM_TSERIES) {
			bt_series_declare(s, map);
		} else if (map->kind >= BM_HIST) {
			bt_put(s, map->pos, "%s = %s(", map->ours,
			       map->kind == BM_HIST ? "hist" : "lhist");
			bt_leaves(s, map->shape, false);
			bt_put(s, map->pos, ")\n");
		} else if (map->keys > 0 && bt_limit_of(s, map) > 0) {
			bt_put(s, map->pos, "%s = table.new(%lld)\n", map->ours,
			       (long long)bt_limit_of(s, map));
		}
	}
}

/* kaddr() of a name that the kernel does not have ends the script before it does anything. */
static void bt_check_symbols(struct bt_script *s)
{
	bool found = false;

	for (const struct bt_node *n = s->symbols; n; n = n->next) {
		int len = strcspn(n->text + 1, "\"");

		if (!n->within || s->json)
			continue;
		bt_put(s, n->pos, found ? "" : "\ntrace_begin {\n");
		bt_put(s, n->pos, "\tif (kaddr_%.*s == nil) {\n\t\tprintf(\"%s: ERROR: ", len,
		       n->text + 1, bt_place_text(s, n->within));
		bt_put(s, n->pos, "Failed to resolve kernel symbol: %.*s\\n%s\")\n", len,
		       n->text + 1, bt_underlined(s, n->within));
		bt_put(s, n->pos, "\t\texit(1)\n\t}\n");
		found = true;
	}
	if (found)
		bt_put(s, s->symbols->pos, "}\n");
}

/* Declarations of maps that nothing uses */
static void bt_check_declared(struct bt_script *s)
{
	for (const struct bt_node *n = s->limits; n; n = n->next)
		if (!bt_map_find(s, n->text))
			diag_warn(&s->cc->diag, n->pos, "Unused map: @%s", n->text);
}

void bt_lower(struct bt_script *s)
{
	bt_check_declared(s);
	bt_prelude(s);
	bt_check_symbols(s);
	bt_put_calls(s);
	for (const struct bt_fn *fn = s->functions; fn; fn = fn->next)
		bt_fn(s, fn);
	for (const struct bt_probe *probe = s->probes; probe; probe = probe->next)
		bt_probe(s, probe);
	bt_check_options(s);
	s->place = BT_IN_PROCESS;
	bt_print_end(s);
	bt_print_helpers(s);
}
