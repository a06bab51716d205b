// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that the script switches: trace_on(), and on(), off() and delete() of its result.
 *
 * The kernel looks up events when it loads the script. So each trace_on() is one probe of the
 * chunk, which is registered first and is off. The value of trace_on() is the number of that
 * probe plus 1, and the call, wherever it is, turns the probe on. The filter of the probe asks
 * whether it is on.
 */
#include <string.h>

#include <linux/ktap.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"
#include "compiler/chunk_write.h"
#include "compiler/util.h"

bool switch_is_used(const struct compiler *cc)
{
	const struct sym *s;

	for (s = cc->syms; s; s = s->next)
		if (s->builtin && s->builtin->switches)
			return !s->global && !s->func;
	return false;
}

static struct node *make_call(struct compiler *cc, struct pos pos, int id, int64_t number)
{
	struct node *n = node_new(cc, N_CALL, pos);

	n->call = CALL_BUILTIN;
	n->ival = id;
	n->list = node_int(cc, pos, number);
	return n;
}

/* The filter: is probe @number on? */
static struct func *make_filter(struct compiler *cc, const struct node *event, int64_t number)
{
	struct func *f = func_new(cc, cc->main, NULL, event->pos);

	f->name = pool_printf(&cc->pool, "filter %s", event->str);
	f->filter = true;
	f->body = node_new(cc, S_RETURN, event->pos);
	f->body->list = make_call(cc, event->pos, KTAP_FN_PROBE_IS_ON, number);
	return f;
}

static bool check_arguments(struct compiler *cc, const struct node *event, struct node *handler)
{
	unsigned int errors = cc->diag.nerrors;

	if (event->kind != N_STR) {
		diag_error(&cc->diag, event->pos,
			   "the event of trace_on() is a constant string: it is looked up when the script is loaded");
		diag_note(&cc->diag,
			  "write a trace_on() for each event, or a pattern: trace_on(\"sched:*\", ...)");
		return false;
	}
	check_handler(cc, handler);
	if (cc->diag.nerrors == errors && !static_func(handler))
		diag_error(&cc->diag, handler->pos,
			   "the handler of trace_on() is a function that is known at compile time");
	return cc->diag.nerrors == errors;
}

void check_trace_on(struct compiler *cc, struct node *n)
{
	struct node *event = n->list, *handler = event->next;
	struct func *f;
	int32_t probe;

	if (!check_arguments(cc, event, handler))
		return;
	event_normalise(cc, event);
	f = static_func(handler);
	if (handler->kind == N_FUNC) {
		f->in_event = true;
		f->handler = true;
	}
	probe = chunk_probe(cc, &(struct probe) {
		.event = event->str, .len = event->len, .handler = f, .switched = true,
		.pos = event->pos,
	}, event->pos);
	cc->probes[probe].filter = make_filter(cc, event, probe + 1);
	n->ival = KTAP_FN_PROBE_ON;
	n->list = node_int(cc, n->pos, probe + 1);
}

bool check_switch(struct compiler *cc, struct node *n)
{
	static const struct {
		const char *name;
		int id;
	} methods[] = {
		{ "on", KTAP_FN_PROBE_ON },
		{ "off", KTAP_FN_PROBE_OFF },
		{ "delete", KTAP_FN_PROBE_DELETE },
	};
	struct node *object = n->a->a;
	size_t i = 0;

	while (cc->switches && i < ARRAY_SIZE(methods) && strcmp(methods[i].name, n->a->str))
		i++;
	if (!cc->switches || i == ARRAY_SIZE(methods))
		return false;
	check_expr(cc, object);
	check_exprs(cc, n->list);
	check_arity(cc, n, n->a->str, 0, 0);
	if (!(static_type(object) & TYPE_INT))
		diag_error(&cc->diag, object->pos,
			   "%s() is for what trace_on() returns, not for %s", n->a->str,
			   type_text(cc, static_type(object)));
	n->call = CALL_BUILTIN;
	n->ival = methods[i].id;
	n->builtin = builtin_find("trace_on");
	object->single = true;
	object->next = NULL;
	n->list = object;
	return true;
}
