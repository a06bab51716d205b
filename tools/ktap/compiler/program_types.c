// SPDX-License-Identifier: GPL-2.0
/*
 * Types of programs: structures that the debug information declares, and the script does not.
 *
 * They exist in handlers of which all events are of programs. There args.x.member is
 * cast("struct x", args.x).member, and cast() knows the structures of the program. In all other
 * handlers, and in functions, a structure that the script does not declare is one of the kernel.
 */
#include <string.h>

#include "compiler/builtins.h"
#include "compiler/cdef.h"
#include "compiler/program_types.h"
#include "compiler/util.h"

#define OWN_NAME "declare in the script, by another name, the structure that this handler reads"

struct program_word {
	const char *text;
	enum ktap_user_tag state;
	struct program_word *next;
};

/* The answer to a question, which is asked once: @type has no declarations */
struct program_answer {
	const char *event;
	struct program_name name;
	bool found;
	struct ktap_user_type type;
	struct program_answer *next;
};

static struct program_word *program_types_find(struct program_word *word, const char *text)
{
	while (word && strcmp(word->text, text))
		word = word->next;
	return word;
}

static void program_types_add(struct program_types *p, struct program_word **list,
			      const char *text, enum ktap_user_tag state)
{
	struct program_word *word;

	if (program_types_find(*list, text))
		return;
	word = pool_alloc(&p->cc->pool, sizeof(*word));
	*word = (struct program_word){ .text = text, .state = state, .next = *list };
	*list = word;
}

void program_types_init(struct program_types *p, struct compiler *cc)
{
	*p = (struct program_types){ .cc = cc };
	if (!cc->cdefs)
		return;
	for (const struct cdef_type *type = cc->cdefs->tags; type; type = type->next)
		program_types_add(p, &p->tags, type->name, KTAP_USER_TAG_DECLARED);
	for (const struct cdef_name *name = cc->cdefs->names; name; name = name->next)
		program_types_add(p, &p->tags, name->name, KTAP_USER_TAG_DECLARED);
}

void program_types_read(struct program_types *p, const char *member)
{
	program_types_add(p, &p->members, member, KTAP_USER_TAG_FREE);
}

void program_types_take(struct program_types *p, const char *tag)
{
	program_types_add(p, &p->tags, tag, KTAP_USER_TAG_TAKEN);
}

bool program_types_is_event(const char *event)
{
	static const char * const prefixes[] = {
		"uprobe:", "uretprobe:", "usdt:", "sdt:", "probe:/", "probe:.",
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(event, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static bool program_types_follows(void *ctx, const char *member)
{
	const struct program_types *p = ctx;

	return program_types_find(p->members, member);
}

static enum ktap_user_tag program_types_state(void *ctx, const char *tag)
{
	const struct program_types *p = ctx;
	const struct program_word *word = program_types_find(p->tags, tag);

	return word ? word->state : KTAP_USER_TAG_FREE;
}

const char *program_name_text(const struct program_name *name)
{
	return name->param ? name->param : name->tag ? name->tag :
	       name->symbol ? name->symbol : "args";
}

bool program_types_same(const struct ktap_user_type *x, const struct ktap_user_type *y)
{
	return x->stars == y->stars && x->offset == y->offset && !strcmp(x->name, y->name) &&
	       !strcmp(x->param ? x->param : "", y->param ? y->param : "");
}

static bool program_types_is_text(const char *x, const char *y)
{
	return x == y || (x && y && !strcmp(x, y));
}

static const struct program_answer *program_types_answer(const struct program_types *p,
							 const char *event,
							 const struct program_name *name)
{
	const struct program_answer *a = p->answers;

	while (a && (strcmp(a->event, event) || a->name.number != name->number ||
		     !program_types_is_text(a->name.param, name->param) ||
		     !program_types_is_text(a->name.tag, name->tag) ||
		     !program_types_is_text(a->name.symbol, name->symbol)))
		a = a->next;
	return a;
}

/* Ask for the type of a name; true: it is known, or cannot be declared. */
static bool program_types_ask(struct program_types *p, const char *event,
			      const struct program_name *name, struct ktap_user_type *type)
{
	const struct ktap_compile_opts *opts = p->cc->opts;
	const struct ktap_user_query query = {
		.event = event, .param = name->param, .tag = name->tag, .symbol = name->symbol,
		.number = name->number,
		.follows = program_types_follows, .tag_state = program_types_state, .ctx = p,
	};
	const struct program_answer *before = program_types_answer(p, event, name);
	struct program_answer *a;

	if (before) {
		*type = before->type;
		return before->found;
	}
	if (!opts->user_type)
		return false;
	a = pool_alloc(&p->cc->pool, sizeof(*a));
	*a = (struct program_answer){ .event = event, .name = *name, .next = p->answers };
	a->found = opts->user_type(opts->user_ctx, &query, type);
	if (a->found)
		a->type = *type;
	a->type.declarations = "";
	p->answers = a;
	return a->found;
}

static bool program_types_is_structure(const struct ktap_user_type *type)
{
	return !type->stars && (!strncmp(type->name, "struct ", 7) ||
				!strncmp(type->name, "union ", 6));
}

bool program_types_get(struct program_types *p, struct pos pos, const char *event,
		       const struct program_name *name, struct ktap_user_type *type)
{
	unsigned int errors = p->cc->diag.nerrors;

	if (!program_types_ask(p, event, name, type))
		return false;
	if (type->error) {
		diag_error(&p->cc->diag, pos, "'%s': %s", program_name_text(name), type->error);
		if (!name->symbol)
			diag_note(&p->cc->diag, OWN_NAME);
		return false;
	}
	if (name->param && program_types_is_structure(type)) {
		diag_error(&p->cc->diag, pos,
			   "'%s' is a structure and no pointer to one: it is no argument of the event",
			   name->param);
		return false;
	}
	if (*type->declarations)
		cdef_parse_text(p->cc, type->declarations, pos);
	return p->cc->diag.nerrors == errors;
}

/*
 * The handlers of a script of ktap
 *
 * @events: those of the handler that is walked, or NULL
 */
struct program_walk {
	struct program_types types;
	const struct node *events;
	bool collects;
};

static void program_types_walk(struct program_walk *w, struct node *n);

static void program_types_walk_list(struct program_walk *w, struct node *list)
{
	for (; list; list = list->next)
		program_types_walk(w, list);
}

/* The first argument of cast(), sizeof(), offsetof(), also those of ffi; NULL: another call */
static struct node *program_types_named(const struct node *n)
{
	static const char * const functions[] = { "cast", "sizeof", "offsetof" };
	const struct builtin *bi = n->kind == N_CALL ? node_builtin(n->a) : NULL;
	const char *name = bi && bi->kind == BI_FUNCTION ? bi->name : NULL;

	if (n->kind == N_CALL && n->a->kind == N_FIELD) {
		bi = node_builtin(n->a->a);
		name = bi && bi->kind == BI_SPACE && !strcmp(bi->name, "ffi") ? n->a->str : NULL;
	}
	for (size_t i = 0; name && i < ARRAY_SIZE(functions); i++)
		if (!strcmp(name, functions[i]))
			return n->list && n->list->kind == N_STR ? n->list : NULL;
	return NULL;
}

/* "struct x", without the '*' of ffi.cast() */
static const char *program_types_tag(struct program_types *p, const struct node *string)
{
	size_t len = string->len;

	while (len && (string->str[len - 1] == '*' || string->str[len - 1] == ' '))
		len--;
	return pool_strndup(&p->cc->pool, string->str, len);
}

/* The name of x in args.x; NULL: it is something else. */
static const char *program_types_argument(const struct node *n)
{
	const struct builtin *bi = n && n->kind == N_FIELD ? node_builtin(n->a) : NULL;

	return bi && bi->kind == BI_ARGS ? n->str : NULL;
}

/* The type that all events of the handler give; false: none */
static bool program_types_of_events(struct program_walk *w, struct pos pos,
				    const struct program_name *name, struct ktap_user_type *type)
{
	struct ktap_user_type one;
	bool first = true;

	for (const struct node *event = w->events; event; event = event->next) {
		if (!program_types_get(&w->types, pos, event->str, name, &one))
			return false;
		if (!first && !program_types_same(&one, type)) {
			diag_error(&w->types.cc->diag, pos,
				   "'%s' differs between the events of this handler",
				   program_name_text(name));
			return false;
		}
		*type = one;
		first = false;
	}
	return !first;
}

/* The name for cast(): the target of a pointer to a pointer gets one. */
static const char *program_types_target(struct program_types *p, struct pos pos,
					const struct ktap_user_type *type)
{
	const char *name = type->name;
	struct pool *pool = &p->cc->pool;
	char *alias;

	if (type->stars == 1)
		return name;
	alias = pool_printf(pool, "%s_pointer_%u", name, type->stars - 1);
	for (char *c = alias; *c; c++)
		*c = *c == ' ' ? '_' : *c;
	if (!cdef_find_type(p->cc, alias))
		cdef_parse_text(p->cc, pool_printf(pool, "typedef %s %.*s%s;", name,
						   (int)type->stars - 1, "********", alias), pos);
	return alias;
}

/* args.x.member, args.x[i]: cast("struct x", args.x).member */
static void program_types_argument_of(struct program_walk *w, struct node *n)
{
	const struct program_name name = { .param = program_types_argument(n->a) };
	struct compiler *cc = w->types.cc;
	struct ktap_user_type type;
	struct node *call, *string;
	const char *target;

	if (!name.param || !program_types_of_events(w, n->a->pos, &name, &type) ||
	    !type.stars || type.stars > 8 || (type.stars == 1 && !strcmp(type.name, "void")))
		return;
	target = program_types_target(&w->types, n->a->pos, &type);
	call = node_new(cc, N_CALL, n->a->pos);
	call->a = node_new(cc, N_NAME, n->a->pos);
	call->a->str = "cast";
	call->a->sym = sym_get(cc, call->a);
	string = node_str(cc, n->a->pos, target);
	call->list = string;
	string->next = n->a;
	call->height = n->a->height + 1;
	n->a = call;
}

static void program_types_cast(struct program_walk *w, struct node *n)
{
	struct node *string = program_types_named(n);
	struct ktap_user_type type;
	struct program_name name = { 0 };

	if (!string)
		return;
	name.tag = program_types_tag(&w->types, string);
	if (!w->events && w->collects) {
		program_types_take(&w->types, name.tag);
		return;
	}
	if (w->collects || !w->events || cdef_find_type(w->types.cc, name.tag) ||
	    !program_types_of_events(w, string->pos, &name, &type) ||
	    !strcmp(name.tag, type.name))
		return;
	/* the structure that a typedef names */
	string->str = pool_printf(&w->types.cc->pool, "%s%s", type.name,
				  string->str + strlen(name.tag));
	string->len = strlen(string->str);
}

/* The address of the event, reg("pc"); if one of them is a return, that of the function, args.ip */
static struct node *program_types_place(struct program_walk *w, struct pos pos)
{
	struct compiler *cc = w->types.cc;
	bool returns = false;
	struct node *n;

	for (const struct node *event = w->events; event; event = event->next)
		returns |= !strncmp(event->str, "uretprobe:", 10);
	n = node_new(cc, returns ? N_FIELD : N_CALL, pos);
	n->a = node_new(cc, N_NAME, pos);
	n->a->str = returns ? "args" : "reg";
	n->a->sym = sym_get(cc, n->a);
	if (returns)
		n->str = "ip";
	else
		n->list = node_str(cc, pos, "pc");
	return n;
}

/* uaddr("x"): reg("pc") + OFFSET */
static void program_types_address(struct program_walk *w, struct node *n)
{
	const struct builtin *bi = n->kind == N_CALL ? node_builtin(n->a) : NULL;
	struct program_name name = { 0 };
	struct compiler *cc = w->types.cc;
	struct ktap_user_type type;

	if (!bi || strcmp(bi->name, "uaddr") || !n->list || n->list->kind != N_STR || n->list->next)
		return;
	name.symbol = n->list->str;
	if (!program_types_of_events(w, n->pos, &name, &type))
		return;
	n->kind = N_BINARY;
	n->op = OP_ADD;
	n->list = NULL;
	n->a = program_types_place(w, n->pos);
	n->b = node_int(cc, n->pos, type.offset);
}

/* Are all events those of programs, and constant? */
static bool program_types_all_events(const struct node *event)
{
	for (; event; event = event->next)
		if (event->kind != N_STR || strlen(event->str) != event->len ||
		    !program_types_is_event(event->str))
			return false;
	return true;
}

static void program_types_walk(struct program_walk *w, struct node *n)
{
	const struct node *outer = w->events;

	if (!n)
		return;
	if (n->kind == S_TRACE)
		w->events = program_types_all_events(n->list) ? n->list : NULL;
	else if (n->kind == S_FUNC)
		w->events = NULL;
	if (n->func && n->func->body)
		program_types_walk_list(w, n->func->body);
	program_types_walk(w, n->a);
	program_types_walk(w, n->b);
	program_types_walk(w, n->c);
	program_types_walk_list(w, n->list);
	program_types_walk_list(w, n->list2);
	program_types_cast(w, n);
	if (n->kind == N_FIELD && w->collects)
		program_types_read(&w->types, n->str);
	else if ((n->kind == N_FIELD || n->kind == N_INDEX) && w->events)
		program_types_argument_of(w, n);
	else if (w->events && !w->collects)
		program_types_address(w, n);
	w->events = outer;
}

void program_types_apply(struct compiler *cc)
{
	struct program_walk w = { .collects = true };

	if (!cc->opts->user_type || cc->translation || cc->diag.nerrors)
		return;
	program_types_init(&w.types, cc);
	program_types_walk_list(&w, cc->main->body);
	w.collects = false;
	program_types_walk_list(&w, cc->main->body);
}
