// SPDX-License-Identifier: GPL-2.0
/* Parse a script of bpftrace: probes, statements, and what stands beside probes. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/lexer.h"
#include "compiler/suggest.h"
#include "compiler/util.h"

static struct bt_node *bt_parse_statement(struct bt_parser *p);

void bt_next(struct bt_parser *p)
{
	if (p->failed)
		return;
	p->last = bt_lex_pos(&p->lx);
	bt_lex_next(&p->lx, &p->tok);
}

void bt_fail(struct bt_parser *p, struct pos pos, const char *note, const char *fmt, ...)
{
	va_list ap;

	if (p->failed)
		return;
	p->failed = true;
	va_start(ap, fmt);
	diag_error(&p->cc->diag, pos, "%s", pool_vprintf(&p->cc->pool, fmt, ap));
	va_end(ap);
	if (note)
		diag_note(&p->cc->diag, "%s", note);
}

bool bt_is(const struct bt_parser *p, const char *op)
{
	return !p->failed && p->tok.kind == BT_OP && !strcmp(p->tok.op, op);
}

bool bt_accept(struct bt_parser *p, const char *op)
{
	if (!bt_is(p, op))
		return false;
	bt_next(p);
	return true;
}

void bt_expect(struct bt_parser *p, const char *op)
{
	if (!bt_accept(p, op))
		bt_fail(p, p->tok.pos, NULL, p->tok.kind == BT_END ?
			"expected '%s', but the script ends" : "expected '%s', found '%s'",
			op, bt_found(p));
}

const char *bt_found(const struct bt_parser *p)
{
	const struct bt_token *t = &p->tok;

	return pool_strndup(&p->cc->pool, p->lx.text + t->start, t->end - t->start);
}

bool bt_is_word(const struct bt_parser *p, const char *word)
{
	return !p->failed && p->tok.kind == BT_NAME && !strcmp(p->tok.text, word);
}

bool bt_enter(struct bt_parser *p)
{
	if (++p->depth > BT_MAX_DEPTH)
		bt_fail(p, p->tok.pos, NULL, "nested more than %u levels deep", BT_MAX_DEPTH);
	return !p->failed;
}

struct bt_node *bt_node(struct bt_parser *p, enum bt_kind kind, struct pos pos)
{
	struct bt_node *n = pool_alloc(&p->cc->pool, sizeof(*n));

	n->kind = kind;
	n->pos = pos;
	n->op = "";
	n->text = "";
	return n;
}

struct bt_node *bt_parse_block(struct bt_parser *p)
{
	struct bt_node *n = bt_node(p, BN_BLOCK, p->tok.pos), **last = &n->a;

	bt_expect(p, "{");
	if (!bt_enter(p))
		return n;
	while (!p->failed && !bt_is(p, "}") && p->tok.kind != BT_END) {
		if (bt_accept(p, ";"))
			continue;
		*last = bt_parse_statement(p);
		last = &(*last)->next;
	}
	p->depth--;
	bt_expect(p, "}");
	return n;
}

struct bt_node *bt_parse_condition(struct bt_parser *p, enum bt_kind kind)
{
	struct bt_node *n = bt_node(p, kind, p->tok.pos);

	bt_next(p);
	if (bt_is_word(p, "comptime"))
		bt_next(p);
	n->a = bt_parse_expr(p);
	n->b = bt_parse_block(p);
	return n;
}

static struct bt_node *bt_parse_if(struct bt_parser *p)
{
	struct bt_node *n = bt_parse_condition(p, BN_IF);

	if (!bt_is_word(p, "else"))
		return n;
	bt_next(p);
	if (!bt_is_word(p, "if"))
		n->c = bt_parse_block(p);
	else if (bt_enter(p))
		n->c = bt_parse_if(p);
	return n;
}

static struct bt_node *bt_parse_while(struct bt_parser *p, enum bt_kind kind)
{
	struct bt_node *n = bt_node(p, kind, p->tok.pos);

	bt_next(p);
	n->a = bt_parse_expr(p);
	n->b = bt_parse_block(p);
	return n;
}

/* Parse a token of this kind and return its text; @what: the name of it in the message */
static const char *bt_parse_word(struct bt_parser *p, enum bt_token_kind kind, const char *note,
				 const char *what)
{
	const char *text = p->tok.text;

	if (p->tok.kind != kind)
		bt_fail(p, p->tok.pos, note, "expected %s, found '%s'", what, bt_found(p));
	bt_next(p);
	return text;
}

/* for ($kv : @map) { }, for ($i : 0..10) { } */
static struct bt_node *bt_parse_for(struct bt_parser *p)
{
	struct bt_node *n = bt_node(p, BN_FOR, p->tok.pos);
	bool paren;

	bt_next(p);
	paren = bt_accept(p, "(");
	n->text = bt_parse_word(p, BT_VAR, "write for ($kv : @map) { } or for ($i : 0..10) { }",
				"a variable of the loop");
	bt_expect(p, ":");
	n->a = bt_parse_expr(p);
	if (bt_accept(p, "..")) {
		n->kind = BN_RANGE;
		n->c = bt_parse_expr(p);
	} else if (n->a->kind != BN_MAP || n->a->a) {
		bt_fail(p, n->a->pos, NULL, "a loop is over a map or a range");
	}
	if (paren)
		bt_expect(p, ")");
	n->b = bt_parse_block(p);
	return n;
}

/* The size of an array in the type of a variable: it is that of the value. */
static void bt_parse_array_suffix(struct bt_parser *p)
{
	if (p->tok.kind == BT_INT)
		bt_next(p);
	bt_expect(p, "]");
}

static struct bt_node *bt_parse_let(struct bt_parser *p)
{
	struct bt_node *n = bt_node(p, BN_LET, p->tok.pos);

	bt_next(p);
	n->pos = p->tok.pos;
	n->text = bt_parse_word(p, BT_VAR, NULL, "a variable after 'let'");
	if (bt_accept(p, ":")) {
		n->c = bt_parse_type_argument(p);
		if (bt_accept(p, "["))
			bt_parse_array_suffix(p);
	}
	if (bt_accept(p, "="))
		n->b = bt_parse_expr(p);
	return n;
}

static bool bt_is_assignment(const struct bt_parser *p)
{
	static const char * const ops[] = {
		"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=",
	};

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (bt_is(p, ops[i]))
			return true;
	return false;
}

static bool bt_at_step(const struct bt_parser *p)
{
	return bt_is(p, "++") || bt_is(p, "--");
}

/* A call, an assignment, ++ or --. */
static struct bt_node *bt_parse_simple(struct bt_parser *p)
{
	struct bt_node *n = bt_node(p, BN_ASSIGN, p->tok.pos);
	const struct bt_token first = p->tok;
	struct bt_lexer lx = p->lx;

	if (bt_at_step(p)) {
		n->op = p->tok.op;
		bt_next(p);
		n->a = bt_parse_unary(p);
	} else {
		n->a = bt_parse_unary(p);
		if (bt_at_step(p) || bt_is_assignment(p)) {
			n->op = p->tok.op;
			n->pos = p->tok.pos;
			bt_next(p);
			if (n->op[0] != n->op[1] || n->op[2])
				n->b = bt_parse_expr(p);
		} else if (!p->failed) {
			/* again, as an expression */
			p->lx = lx;
			p->tok = first;
			n->kind = BN_EXPR;
			n->a = bt_parse_expr(p);
			return n;
		}
	}
	if (n->a->kind != BN_MAP && n->a->kind != BN_VAR)
		bt_fail(p, n->a->pos, NULL,
			"only a map or a variable can be assigned to: scripts write no memory");
	return n;
}

static struct bt_node *bt_parse_jump(struct bt_parser *p)
{
	struct bt_node *n = bt_node(p, BN_JUMP, p->tok.pos), *value;

	n->op = p->tok.text;
	bt_next(p);
	if (strcmp(n->op, "return") || bt_is(p, ";") || bt_is(p, "}"))
		return n;
	value = bt_parse_expr(p);
	/* nobody gets the value that a probe returns */
	n->a = p->fn ? value : NULL;
	return n;
}

/* _ = VALUE */
static struct bt_node *bt_parse_unused(struct bt_parser *p)
{
	struct bt_node *n = bt_node(p, BN_EXPR, p->tok.pos);

	bt_next(p);
	bt_expect(p, "=");
	n->a = bt_parse_expr(p);
	return n;
}

static struct bt_node *bt_parse_statement(struct bt_parser *p)
{
	const char *comment = p->tok.comment;
	struct bt_node *n;
	bool block = true;

	if (bt_is(p, "{")) {
		n = bt_parse_block(p);
	} else if (bt_is_word(p, "if")) {
		n = bt_parse_if(p);
	} else if (bt_is_word(p, "while")) {
		n = bt_parse_while(p, BN_WHILE);
	} else if (bt_is_word(p, "unroll")) {
		n = bt_parse_while(p, BN_UNROLL);
	} else if (bt_is_word(p, "for")) {
		n = bt_parse_for(p);
	} else {
		block = false;
		if (bt_is_word(p, "let"))
			n = bt_parse_let(p);
		else if (bt_is_word(p, "break") || bt_is_word(p, "continue") ||
			 bt_is_word(p, "return"))
			n = bt_parse_jump(p);
		else if (bt_is_word(p, "_"))
			n = bt_parse_unused(p);
		else
			n = bt_parse_simple(p);
	}
	n->comment = comment;
	if (n->kind == BN_EXPR)
		n->value = bt_is(p, "}");
	if (!bt_accept(p, ";") && !block && !bt_is(p, "}"))
		bt_fail(p, p->tok.pos, NULL, p->tok.kind == BT_END ?
			"the script ends before the '}' of a block" :
			"expected ';' after the statement, found '%s'", bt_found(p));
	return n;
}

/*
 * Does the event, of which @colons were read, end at a '/'?  The '/' of a path is
 * before its second colon.
 */
static bool bt_event_has_path(const char *event, unsigned int colons)
{
	static const char * const kinds[] = {
		"uprobe:", "uretprobe:", "usdt:", "u:", "ur:", "U:", "watchpoint:",
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(event, kinds[i], strlen(kinds[i])))
			return colons < 2;
	return false;
}

/* "$1", "BEG$1": parameters in the kind of an event are known when the script is compiled. */
static const char *bt_event_kind_of_param(struct bt_parser *p, const char *text)
{
	char *const *args = p->cc->opts->bpftrace_args;
	size_t kind = strcspn(text, ":"), at = strcspn(text, "$");
	unsigned long long number;
	char *end;

	if (!args || at >= kind)
		return text;
	number = strtoull(text + at + 1, &end, 10);
	for (unsigned long long i = 1; i < number && *args; i++)
		args++;
	if (!number || !*args)
		return text;
	if (number > p->script->params)
		p->script->params = number;
	return pool_printf(&p->cc->pool, "%.*s%s%s", (int)at, text, *args, end);
}

/* Events are no tokens: the current token is the first word of one. */
static void bt_parse_event(struct bt_parser *p, struct bt_event *event)
{
	struct bt_lexer *lx = &p->lx;
	unsigned int colons = 0;
	char *text;
	size_t n = 0;

	lx->at = p->tok.start;
	event->pos = p->tok.pos;
	lx->line = p->tok.pos.line;
	lx->line_start = lx->at - (p->tok.pos.col - 1);
	text = pool_alloc(&p->cc->pool, lx->len - lx->at + 1);
	for (bool quoted = false; lx->at < lx->len; lx->at++) {
		char c = lx->text[lx->at];

		if (c == '"') {
			quoted = !quoted;
			continue;
		}
		if (c == '\n' || (!quoted && (strchr(" \t\r,{", c) ||
					      (c == '/' && !bt_event_has_path(text, colons)))))
			break;
		colons += c == ':';
		text[n++] = c;
	}
	/* name=kprobe:f: the name means nothing */
	n = strcspn(text, ":=/");
	event->text = bt_event_kind_of_param(p, text[n] == '=' ? text + n + 1 : text);
	bt_next(p);
}

/* The offset of the '/' that ends a filter: the last one before its block; 0: none. */
static size_t bt_filter_end(const struct bt_lexer *lx)
{
	size_t last = 0;
	bool quoted = false;

	for (size_t at = lx->at; at < lx->len && (quoted || lx->text[at] != '{'); at++) {
		if (lx->text[at] == '\\' && quoted)
			at++;
		else if (lx->text[at] == '"')
			quoted = !quoted;
		else if (lx->text[at] == '/' && !quoted)
			last = at;
	}
	return last;
}

/* All other '/' divide: the lexer ends at the last one for a while. */
static struct bt_node *bt_parse_filter(struct bt_parser *p)
{
	size_t end = bt_filter_end(&p->lx), len = p->lx.len;
	struct bt_node *n;

	if (!end)
		bt_fail(p, p->tok.pos, NULL, "this filter has no '/' at its end");
	else
		p->lx.len = end;
	bt_next(p);
	n = bt_parse_expr(p);
	if (p->tok.kind != BT_END)
		bt_fail(p, p->tok.pos, NULL, "expected '/' after the filter, found '%s'",
			bt_found(p));
	p->lx.len = len;
	if (!p->failed)
		p->lx.at = end + 1;
	bt_next(p);
	return n;
}

static struct bt_probe *bt_parse_probe(struct bt_parser *p)
{
	struct bt_probe *probe = pool_alloc(&p->cc->pool, sizeof(*probe));
	struct bt_event **last = &probe->events;

	probe->comment = p->tok.comment;
	do {
		*last = pool_alloc(&p->cc->pool, sizeof(**last));
		if (p->tok.kind == BT_END || bt_is(p, "{") || bt_is(p, "/"))
			bt_fail(p, p->tok.pos, NULL, "expected an event");
		else
			bt_parse_event(p, *last);
		last = &(*last)->next;
	} while (bt_accept(p, ","));
	if (bt_is(p, "/"))
		probe->filter = bt_parse_filter(p);
	probe->body = bt_parse_block(p);
	return probe;
}

/* The end of __attribute__((...)) after a structure, or that of the structure */
static void bt_parse_attributes(struct bt_parser *p, struct bt_node *n)
{
	unsigned int open = 0;

	while (!p->failed && bt_is_word(p, "__attribute__")) {
		do {
			open += bt_is(p, "(");
			open -= bt_is(p, ")");
			n->text = pool_printf(&p->cc->pool, "%s %s", n->text, bt_found(p));
			bt_next(p);
		} while (!p->failed && p->tok.kind != BT_END && (open || bt_is(p, "(")));
	}
}

/* Bit-fields have no sign in bpftrace: the text of the member, from @member on, says so here. */
static size_t bt_put_unsigned(struct bt_parser *p, struct bt_node *n, size_t from, size_t member)
{
	static const char * const words[] = { "int ", "short ", "long ", "char " };
	const char *text = p->lx.text + member;

	for (size_t i = 0; member >= from && i < ARRAY_SIZE(words); i++) {
		if (p->lx.len - member < strlen(words[i]) ||
		    strncmp(text, words[i], strlen(words[i])))
			continue;
		n->text = pool_printf(&p->cc->pool, "%s%.*sunsigned ", n->text,
				      (int)(member - from), p->lx.text + from);
		return member;
	}
	return from;
}

/* struct x { ... }; bpftrace needs no ';' after the last member, and after the structure. */
static struct bt_node *bt_parse_struct(struct bt_parser *p)
{
	struct bt_node *n = bt_node(p, BN_STR, p->tok.pos);
	bool is_enum = bt_is_word(p, "enum"), is_type = bt_is_word(p, "typedef"), ended = true;
	size_t from = p->tok.start, member = from;
	unsigned int braces = 0;

	while (!p->failed && p->tok.kind != BT_END) {
		bool last = !is_type && braces == 1 && bt_is(p, "}");

		if (bt_is(p, "}") && !is_enum && !ended) {
			n->text = pool_printf(&p->cc->pool, "%s%.*s; ", n->text,
					      (int)(p->tok.start - from), p->lx.text + from);
			from = p->tok.start;
		}
		if (ended)
			member = p->tok.start;
		if (bt_is(p, ":")) {
			from = bt_put_unsigned(p, n, from, member);
			member = 0;
		}
		ended = bt_is(p, ";") || bt_is(p, "{");
		braces += bt_is(p, "{");
		braces -= braces && bt_is(p, "}");
		last |= !braces && bt_is(p, ";");
		if (last)
			n->text = pool_printf(&p->cc->pool, "%s%.*s", n->text,
					      (int)(p->tok.end - from), p->lx.text + from);
		bt_next(p);
		if (last)
			break;
	}
	bt_parse_attributes(p, n);
	bt_accept(p, ";");
	if (!*n->text || n->text[strlen(n->text) - 1] != ';')
		n->text = pool_printf(&p->cc->pool, "%s;", n->text);
	return n;
}

void bt_add_macro(struct bt_script *s, struct bt_macro *macro)
{
	*s->last_macro = macro;
	s->last_macro = &macro->next;
}

/* macro name($variable, @map, expression) { ... } */
static struct bt_macro *bt_parse_macro(struct bt_parser *p)
{
	struct bt_macro *macro = pool_alloc(&p->cc->pool, sizeof(*macro));
	struct bt_node **last = &macro->params;

	bt_next(p);
	bt_fn_check_macro(p, p->tok.text);
	macro->name = bt_parse_word(p, BT_NAME, NULL, "the name of a macro");
	bt_expect(p, "(");
	while (!p->failed && !bt_is(p, ")")) {
		*last = bt_node(p, p->tok.kind == BT_VAR ? BN_VAR : p->tok.kind == BT_MAP ? BN_MAP :
				BN_NAME, p->tok.pos);
		(*last)->text = p->tok.text;
		if (p->tok.kind != BT_VAR && p->tok.kind != BT_MAP && p->tok.kind != BT_NAME)
			bt_fail(p, p->tok.pos, "a parameter is $variable, @map, or a name",
				"expected a parameter of the macro, found '%s'", bt_found(p));
		last = &(*last)->next;
		bt_next(p);
		if (!bt_accept(p, ","))
			break;
	}
	bt_expect(p, ")");
	macro->body = bt_parse_block(p);
	return macro;
}

/* let @map = hash(100); */
static struct bt_node *bt_parse_limit(struct bt_parser *p)
{
	struct bt_node *n = bt_node(p, BN_MAP, p->tok.pos);

	bt_next(p);
	n->text = bt_parse_word(p, BT_MAP, NULL, "a map after 'let'");
	bt_expect(p, "=");
	if (bt_is_word(p, "lruhash") || bt_is_word(p, "percpulruhash"))
		n->item = p->tok.text;
	else if (!bt_is_word(p, "hash") && !bt_is_word(p, "percpuhash"))
		bt_fail(p, p->tok.pos, "hash(N), lruhash(N)",
			"'%s' is no kind of map that is supported", bt_found(p));
	bt_next(p);
	bt_expect(p, "(");
	n->value = p->tok.value;
	if (p->tok.kind != BT_INT || n->value < 1)
		bt_fail(p, p->tok.pos, NULL, "expected the largest number of keys, found '%s'",
			bt_found(p));
	bt_next(p);
	bt_expect(p, ")");
	bt_accept(p, ";");
	return n;
}

static void bt_append_type(struct bt_script *s, struct bt_node *type)
{
	*s->last_type = type;
	s->last_type = &type->next;
}

static void bt_append_limit(struct bt_script *s, struct bt_node *limit)
{
	*s->last_limit = limit;
	s->last_limit = &limit->next;
}

static void bt_append_probe(struct bt_script *s, struct bt_probe *probe)
{
	struct bt_event **event = &probe->events;

	while (*event) {
		if (!bt_event_is_left_out(s, *event))
			event = &(*event)->next;
		else
			*event = (*event)->next;
	}
	s->left_out |= !probe->events;
	if (!probe->events)
		return;
	*s->last_probe = probe;
	s->last_probe = &probe->next;
}

static void bt_parse_item(struct bt_parser *p)
{
	struct bt_script *s = p->script;

	if (bt_is_word(p, "struct") || bt_is_word(p, "union") || bt_is_word(p, "enum") ||
	    bt_is_word(p, "typedef")) {
		bt_append_type(s, bt_parse_struct(p));
	} else if (bt_is_word(p, "import")) {
		bt_import(p);
	} else if (p->header) {
		bt_fail(p, p->tok.pos, NULL, "a header declares types only, found '%s'",
			bt_found(p));
	} else if (bt_is_word(p, "let")) {
		bt_append_limit(s, bt_parse_limit(p));
	} else if (bt_is_word(p, "macro")) {
		bt_add_macro(s, bt_parse_macro(p));
	} else if (bt_is_word(p, "fn")) {
		bt_fn_parse(p);
	} else if (bt_is_word(p, "subprog")) {
		bt_fail(p, p->tok.pos, "fn NAME($x : int64) : int64 { return $x; }",
			"'subprog' is not supported");
	} else if (bt_is_word(p, "config")) {
		if (p->lx.file)
			bt_fail(p, p->tok.pos, NULL, "only the script itself has 'config'");
		bt_parse_config(p);
	} else {
		bt_append_probe(s, bt_parse_probe(p));
	}
}

void bt_parse_items(struct bt_parser *p)
{
	while (!p->failed && p->tok.kind != BT_END) {
		if (bt_is(p, "#"))
			bt_parse_directive(p);
		else
			bt_parse_item(p);
	}
}

void bt_parse(struct bt_script *s)
{
	struct bt_parser p = { .cc = s->cc, .script = s };

	s->last_probe = &s->probes;
	s->last_macro = &s->macros;
	s->last_function = &s->functions;
	s->last_limit = &s->limits;
	s->last_type = &s->types;
	bt_lex_init(&p.lx, s->cc, 0);
	bt_import_given(&p);
	bt_next(&p);
	bt_parse_items(&p);
	if (!p.failed && !s->probes)
		bt_error(s, (struct pos) { .line = 1, .col = 1 }, s->left_out ?
			 "bpftrace runs blocks of bench and test with --bench and --test only" :
			 NULL, "the script has no probe");
}
