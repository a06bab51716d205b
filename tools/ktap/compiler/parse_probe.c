// SPDX-License-Identifier: GPL-2.0
/* The parser: probes. The text of an event is not made of tokens. */
#include <string.h>

#include "compiler/parser.h"
#include "compiler/util.h"

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool word_at(const struct lexer *lx, size_t off, const char *word)
{
	size_t n = strlen(word);

	return lx->len - lx->at >= off + n && !memcmp(lx->text + lx->at + off, word, n) &&
	       !is_name_char(lex_peek(lx, off + n));
}

/* Does `if (` begin here? A fetch argument may be called `if`, and is followed by '='. */
static bool condition_at(const struct lexer *lx, size_t off)
{
	if (!word_at(lx, off, "if"))
		return false;
	for (off += strlen("if"); is_blank(lex_peek(lx, off)); off++)
		;
	return lex_peek(lx, off) == '(';
}

/* Is the word "once" here, before a block? */
static bool once_at(const struct lexer *lx, size_t off)
{
	size_t n = off + strlen("once");

	if (!word_at(lx, off, "once"))
		return false;
	while (is_blank(lex_peek(lx, n)) || lex_peek(lx, n) == '\n')
		n++;
	return lex_peek(lx, n) == '{';
}

/* Does the text of the event end here, after a blank? */
static bool event_ends(const struct lexer *lx, size_t off)
{
	int c = lex_peek(lx, off);

	return !c || strchr("\n/{},;#", c) || word_at(lx, off, "function") ||
	       condition_at(lx, off) || once_at(lx, off);
}

/*
 * Does a handler, a filter or a condition begin here? `function f` is a declaration, no
 * handler, and an `if` in a new line may be a statement.
 */
static bool handler_follows(const struct lexer *lx, bool new_line)
{
	struct lexer ahead = *lx;
	int c = lex_peek(lx, 0);

	if ((!new_line && condition_at(lx, 0)) || once_at(lx, 0))
		return true;
	if (!word_at(lx, 0, "function"))
		return c == '/' || c == '{' || c == ',';
	ahead.at += strlen("function");
	lex_skip_blanks(&ahead);
	return lex_peek(&ahead, 0) == '(';
}

/* Skip the text of an event; a '/' belongs to it only within a path. */
static void skip_event(struct lexer *lx)
{
	bool path = false;
	int c, before = 0;

	for (; (c = lex_peek(lx, 0)); before = c, lx->at++) {
		if (strchr("\n{},;#\"'", c))
			return;
		if (c == '/') {
			/* a path begins with "/", "./" or "../" */
			if (!path && before != ':' && before != '.')
				return;
			path = true;
		} else if (is_blank(c)) {
			size_t n = 1;

			while (is_blank(lex_peek(lx, n)))
				n++;
			if (event_ends(lx, n))
				return;
			path = false;
		}
	}
}

/* "EVENT handler" at the end of a line: split off the name of the handler. */
static struct node *split_handler(struct parser *p, struct node *event)
{
	size_t n = event->len;
	struct node *name;

	while (n && is_name_char(event->str[n - 1]))
		n--;
	if (!n || n == event->len || !is_blank(event->str[n - 1]) ||
	    !is_name_start(event->str[n]))
		return NULL;
	name = node_new(p->cc, N_NAME, event->pos);
	name->pos.col += n;
	name->str = event->str + n;
	while (n && is_blank(event->str[n - 1]))
		n--;
	event->str = pool_strndup(&p->cc->pool, event->str, n);
	event->len = n;
	return name;
}

/* Only fetch arguments of functions, and paths, may contain blanks. */
static void check_blanks(struct parser *p, const struct node *event, bool has_handler)
{
	static const char * const prefixes[] = {
		"probe:", "kprobe:", "kretprobe:", "uprobe:", "uretprobe:", "sdt:", "usdt:",
	};
	struct pos pos = event->pos;
	size_t n = 0;
	bool note;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (!strncmp(event->str, prefixes[i], strlen(prefixes[i])))
			return;
	}
	while (n < event->len && !is_blank(event->str[n]))
		n++;
	while (n < event->len && is_blank(event->str[n]))
		n++;
	if (n == event->len)
		return;
	pos.col += n;
	note = !p->panic && !has_handler && p->tok.kind != T_LBRACE && p->tok.kind != T_SLASH;
	syntax_error(p, pos, "expected ',', '/' or '{' after the event");
	if (note)
		diag_note(p->diag, "a handler is written in braces: { %s }", event->str + n);
}

static struct node *parse_bare_event(struct parser *p, struct node **handler)
{
	struct lexer *lx = &p->lx;
	size_t start = lx->at, end;
	struct node *n = node_new(p->cc, N_STR, lex_pos(lx));

	skip_event(lx);
	for (end = lx->at; end > start && is_blank(lx->text[end - 1]); end--)
		;
	n->len = end - start;
	n->str = pool_strndup(&p->cc->pool, lx->text + start, n->len);
	if (p->layout)
		layout_add_event(p->layout, start, end);
	if (!handler_follows(lx, lex_skip_blanks(lx)))
		*handler = split_handler(p, n);
	parser_next(p);
	if (!n->len)
		syntax_error(p, n->pos, "expected the event to trace");
	check_blanks(p, n, *handler);
	return n;
}

static struct node *parse_event(struct parser *p, struct node **handler)
{
	struct node *n;
	int c;

	lex_skip_blanks(&p->lx);
	c = lex_peek(&p->lx, 0);
	if (c != '"' && c != '\'' && c != '(' && !(c == '[' && lex_peek(&p->lx, 1) == '['))
		return parse_bare_event(p, handler);
	p->head = true;
	p->lx.plain_slash = true;
	parser_next(p);
	n = parse_expr(p);
	p->head = false;
	p->lx.plain_slash = false;
	return n;
}

static struct func *parse_filter(struct parser *p, const char *event)
{
	struct func *f = func_new(p->cc, p->func, NULL, p->tok.pos), *outer = p->func;

	f->name = pool_printf(&p->cc->pool, "filter %s", event);
	f->filter = true;
	f->in_event = true;
	f->body = node_new(p->cc, S_RETURN, p->tok.pos);
	parser_mark(p, LAYOUT_FILTER);
	p->func = f;
	p->head = true;
	p->lx.plain_slash = true;
	parser_next(p);
	if (p->tok.kind == T_SLASH)
		syntax_error(p, p->tok.pos, "this filter is empty");
	f->body->list = parse_expr(p);
	p->head = false;
	p->lx.plain_slash = false;
	p->func = outer;
	if (p->tok.kind == T_ASSIGN)
		syntax_error(p, p->tok.pos, "'=' assigns; to compare write '=='");
	if (p->tok.kind != T_SLASH)
		parser_unexpected(p, "an operator or the '/' that ends the filter");
	parser_mark(p, LAYOUT_FILTER_END);
	parser_next(p);
	return f;
}

/* A filter that is true */
static struct func *condition_filter(struct parser *p, struct pos pos, const char *event)
{
	struct func *f = func_new(p->cc, p->func, NULL, pos);

	f->name = pool_printf(&p->cc->pool, "filter %s", event);
	f->filter = true;
	f->body = node_new(p->cc, S_RETURN, pos);
	return f;
}

/*
 * Parse `if (GLOBAL)`. The kernel attaches the probe some time after the global has become
 * true, and detaches it some time after it no longer is: that the handler runs only while
 * it is true is up to the filter.
 */
static void parse_probe_condition(struct parser *p, struct node *probe, const char *event)
{
	static const char use_filter[] = "to test each event, write a filter: /.../";
	struct node *name, *filter;

	parser_next(p);
	if (p->tok.kind != T_LPAREN)
		parser_unexpected(p, "'(' after 'if'");
	parser_next(p);
	if (p->tok.kind != T_NAME)
		syntax_error(p, p->tok.pos,
			     "the condition of a probe is the name of a global, as in: if (on); %s",
			     use_filter);
	name = node_new(p->cc, N_NAME, p->tok.pos);
	name->str = p->tok.str;
	/* not a field of the event */
	name->op = true;
	parser_next(p);
	if (p->tok.kind != T_RPAREN)
		syntax_error(p, p->tok.pos,
			     "expected ')': the condition of a probe is the name of a global; %s",
			     use_filter);
	parser_next(p);
	if (p->tok.kind == T_SLASH)
		syntax_error(p, p->tok.pos,
			     "the filter comes before the condition: /.../ if (%s)", name->str);
	probe->b = name;
	if (!probe->func) {
		probe->func = condition_filter(p, name->pos, event);
		probe->func->body->list = name;
		return;
	}
	filter = node_new(p->cc, N_AND, name->pos);
	filter->a = name;
	filter->b = probe->func->body->list;
	probe->func->body->list = filter;
}

/* kernel.function("f"), process("file").function("f") of SystemTap; @name: "trace EVENT" */
static void parse_note_function(struct parser *p, const char *name)
{
	const char *event = name + strlen("trace ");

	if (!strncmp(event, "process", strlen("process")))
		diag_note(p->diag, "write trace uprobe:/path/to/file:function { ... }");
	else if (!strncmp(event, "kernel.", strlen("kernel.")) ||
		 !strncmp(event, "module(", strlen("module(")))
		diag_note(p->diag, "write trace probe:vfs_read { ... }");
}

/* Parse a handler: a body in braces, a function, or its name. */
static struct node *parse_handler(struct parser *p, const char *name, bool event)
{
	struct node *n = node_new(p->cc, N_FUNC, p->tok.pos);
	const char *words = NULL;
	bool string;

	switch (p->tok.kind) {
	case T_LBRACE:
		n->func = func_new(p->cc, p->func, name, n->pos);
		/* the event is a parameter without a name */
		n->func->nparams = event;
		n->func->body = parse_func_body(p, n->func);
		break;
	case T_FUNCTION:
		parser_next(p);
		n->func = parse_function(p, NULL, n->pos);
		break;
	case T_NAME:
		n->kind = N_NAME;
		n->str = p->tok.str;
		parser_next(p);
		break;
	default:
		if (!event && p->tok.kind == T_IF)
			syntax_error(p, p->tok.pos, "'%s' cannot have a condition: test it inside",
				     name);
		string = p->tok.kind == T_STR && !p->panic;
		if (event && !p->panic)
			words = strchr(name + strlen("trace "), ' ');
		parser_unexpected(p, event ? "'/', '{' or a function after the event" :
				      "'{' or a function");
		if (event && string)
			parse_note_function(p, name);
		else if (words)
			diag_note(p->diag, "a handler is written in braces, { ... }; '%s' %s",
				  words + 1, "was taken for arguments of the event");
	}
	return n;
}

/* "once" before the body: of all events of the probe, the first one runs it. */
static bool parse_once(struct parser *p)
{
	struct lexer ahead = p->lx;

	if (p->tok.kind != T_NAME || strcmp(p->tok.str, "once"))
		return false;
	lex_skip_blanks(&ahead);
	if (lex_peek(&ahead, 0) != '{')
		return false;
	parser_next(p);
	return true;
}

static void check_place(struct parser *p, struct pos pos)
{
	if (p->func != p->cc->main && !p->panic)
		diag_error(p->diag, pos,
			   "probes are allowed only at the top level, not inside of a %s",
			   "function or another probe");
}

/* Parse a probe from the text of its first event; the lexer is before it. */
static struct node *parse_probe(struct parser *p, struct pos pos)
{
	struct node *n = node_new(p->cc, S_TRACE, pos), *handler = NULL;
	const char *first;
	struct list l;
	bool once;

	check_place(p, pos);
	list_init(&l);
	do {
		list_add(&l, parse_event(p, &handler));
	} while (p->tok.kind == T_COMMA && !handler);
	n->list = l.first;
	first = n->list->kind == N_STR ? n->list->str : "(event)";
	if (p->tok.kind == T_SLASH)
		n->func = parse_filter(p, first);
	if (p->tok.kind == T_IF && !handler)
		parse_probe_condition(p, n, first);
	once = !handler && parse_once(p);
	n->a = handler ? handler :
		parse_handler(p, pool_printf(&p->cc->pool, "trace %s", first), true);
	if (once && n->a->func)
		n->a->func->once = ++p->cc->nonce;
	return n;
}

struct node *parse_trace(struct parser *p)
{
	return parse_probe(p, p->tok.pos);
}

/* trace_begin and trace_end have no event. */
struct node *parse_trace_edge(struct parser *p, const char *event)
{
	struct node *n = node_new(p->cc, S_TRACE, p->tok.pos);

	check_place(p, n->pos);
	n->list = node_str(p->cc, n->pos, event);
	parser_next(p);
	n->a = parse_handler(p, event, false);
	return n;
}

/* Is the current token @name, before a block or a function? */
static bool is_edge(struct parser *p, const char *name)
{
	struct lexer ahead = p->lx;

	if (strcmp(p->tok.str, name))
		return false;
	lex_skip_blanks(&ahead);
	return lex_peek(&ahead, 0) == '{' || word_at(&ahead, 0, "function");
}

bool at_timer_event(struct parser *p)
{
	int c = lex_peek(&p->lx, 0), d = lex_peek(&p->lx, 1);
	const char *s = p->tok.str;

	if (p->tok.kind != T_NAME)
		return false;
	if (is_edge(p, "BEGIN") || is_edge(p, "END"))
		return true;
	if (c == '-' && is_digit(d))
		return !strcmp(s, "tick") || !strcmp(s, "profile");
	return c == ':' && is_name_char(d) &&
	       (!strcmp(s, "tick") || !strcmp(s, "profile") || !strcmp(s, "interval"));
}

struct node *parse_timer(struct parser *p)
{
	if (is_edge(p, "BEGIN"))
		return parse_trace_edge(p, "trace_begin");
	if (is_edge(p, "END"))
		return parse_trace_edge(p, "trace_end");
	/* go back to the start of the name, which is part of the event */
	p->lx.at = p->tok.start;
	return parse_probe(p, p->tok.pos);
}
