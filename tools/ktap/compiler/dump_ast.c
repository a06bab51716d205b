// SPDX-License-Identifier: GPL-2.0
/* Print the tree of a script, after binding and before checking. */
#include <inttypes.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"
#include "compiler/compile.h"
#include "compiler/util.h"

#define MAX_INDENT	100

/* The parts of a node, in the order in which they are printed. */
enum part { A, B, C, LIST, LIST2, FUNC, NPARTS };

/* Name of each kind of node, and the meaning of its parts. */
static const struct {
	const char *name;
	const char *roles[NPARTS];
	bool op;		/* has an operator */
	unsigned char first[3];	/* parts that are printed before the others, plus 1 */
} kinds[] = {
	[N_NIL] = { "nil" },
	[N_BOOL] = { "boolean" },
	[N_INT] = { "integer" },
	[N_STR] = { "string" },
	[N_NAME] = { "name" },
	[N_SCRIPTARG] = { "script argument" },
	[N_UNARY] = { "unary", .op = true },
	[N_BINARY] = { "binary", .op = true },
	[N_AND] = { "and" },
	[N_OR] = { "or" },
	[N_COND] = { "conditional", { [A] = "if", [B] = "then", [C] = "else" } },
	[N_INDEX] = { "index", { [A] = "of", [LIST] = "key" } },
	[N_FIELD] = { "field", { [A] = "of" } },
	[N_SYMBOL] = { "symbol" },
	[N_SELF] = { "self" },
	[N_CALL] = { "call", { [A] = "of", [LIST] = "argument" } },
	[N_VARG] = { "variable arguments" },
	[N_FUNC] = { "function value" },
	[N_TABLE] = { "table" },
	[N_ITEM] = { "item", { [LIST] = "key", [B] = "value" }, .first = { LIST + 1 } },
	[S_LOCAL] = { "local", { [LIST] = "variable", [LIST2] = "value" } },
	[S_ASSIGN] = { "assign", { [LIST] = "to", [LIST2] = "value" } },
	[S_OPASSIGN] = { "update", { [A] = "of", [B] = "by" }, .op = true },
	[S_AGGREGATE] = { "aggregate", { [A] = "into", [B] = "value" } },
	[S_CALL] = { "call statement" },
	[S_IF] = { "if" },
	[S_ARM] = { "arm", { [A] = "condition" } },
	[S_WHILE] = { "while", { [A] = "condition" } },
	[S_REPEAT] = { "repeat", { [A] = "until" }, .first = { LIST + 1 } },
	[S_FORNUM] = { "counting for", { [A] = "first", [B] = "last", [C] = "step",
		       [LIST2] = "variable" }, .first = { LIST2 + 1 } },
	[S_FORC] = { "for", { [A] = "before", [B] = "condition", [LIST2] = "after" },
		     .first = { A + 1, B + 1, LIST2 + 1 } },
	[S_FORIN] = { "for in", { [A] = "of", [LIST2] = "variable" }, .first = { LIST2 + 1 } },
	[S_TRY] = { "try", { [A] = "message", [LIST2] = "catch" }, .first = { LIST + 1 } },
	[S_BREAK] = { "break" },
	[S_CONTINUE] = { "continue" },
	[S_RETURN] = { "return" },
	[S_FUNC] = { "declaration", { [A] = "name" } },
	[S_DELETE] = { "delete" },
	[S_BLOCK] = { "block" },
	[S_TRACE] = { "trace", { [A] = "handler", [B] = "condition", [LIST] = "event",
				 [FUNC] = "filter" },
		      .first = { LIST + 1, FUNC + 1 } },
};

static const char * const operator_names[] = {
	[OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*", [OP_DIV] = "/", [OP_MOD] = "%",
	[OP_BAND] = "&", [OP_BOR] = "|", [OP_BXOR] = "^", [OP_SHL] = "<<", [OP_SHR] = ">>",
	[OP_CONCAT] = "..", [OP_EQ] = "==", [OP_NE] = "!=", [OP_LT] = "<", [OP_LE] = "<=",
	[OP_GT] = ">", [OP_GE] = ">=", [OP_IN] = "in", [OP_MATCH] = "~",
	[OP_NEG] = "-", [OP_BNOT] = "~", [OP_NOT] = "!",
};

struct dump {
	const struct compiler *cc;
	FILE *out;
	unsigned int depth;
};

static void dump_node(struct dump *d, const char *role, const struct node *n);

static void begin_line(struct dump *d, const char *role)
{
	/* limit the indentation of deep trees */
	fprintf(d->out, "%*s", 2 * (d->depth < MAX_INDENT ? (int)d->depth : MAX_INDENT), "");
	if (role)
		fprintf(d->out, "%s: ", role);
}

static void end_line(struct dump *d, struct pos pos)
{
	fprintf(d->out, " @");
	if (pos.file)
		fprintf(d->out, "%s:", d->cc->diag.files[pos.file].name);
	fprintf(d->out, "%u:%u\n", pos.line, pos.col);
}

static void dump_list(struct dump *d, const char *role, const struct node *list)
{
	for (; list; list = list->next)
		dump_node(d, role, list);
}

static void dump_func(struct dump *d, const char *role, const struct func *f)
{
	begin_line(d, role);
	fprintf(d->out, "function %s%s", f->name, f->variadic ? " (variadic)" : "");
	end_line(d, f->pos);
	d->depth++;
	dump_list(d, "parameter", f->params);
	dump_list(d, NULL, f->body);
	d->depth--;
}

static void dump_string(struct dump *d, const struct node *n)
{
	size_t i;

	fputs(" \"", d->out);
	for (i = 0; i < n->len; i++) {
		unsigned char c = n->str[i];

		if (c == '"' || c == '\\')
			fprintf(d->out, "\\%c", c);
		else if (c >= ' ' && c < 127)
			fputc(c, d->out);
		else
			fprintf(d->out, "\\x%02x", c);
	}
	fputc('"', d->out);
}

static const char *name_binding(const struct node *n)
{
	const struct builtin *bi = node_builtin(n);

	if (n->var)
		return n->var->constant ? "local function" : "local";
	if (bi)
		return bi->kind == BI_MISSING ? "missing builtin" : "builtin";
	if (!n->sym)
		return "unbound";
	if (n->sym->global)
		return n->sym->automatic ? "automatic global" : "global";
	return n->sym->func ? "function" : "unassigned";
}

/* Print the attributes of a node: its value, operator and name. */
static void dump_details(struct dump *d, const struct node *n)
{
	switch (n->kind) {
	case N_BOOL:
		fputs(n->ival ? " true" : " false", d->out);
		return;
	case N_INT:
	case N_SCRIPTARG:
		fprintf(d->out, " %" PRId64, n->ival);
		return;
	case N_STR:
		dump_string(d, n);
		return;
	case N_NAME:
		fprintf(d->out, " %s (%s)", n->str, name_binding(n));
		return;
	}
	if (kinds[n->kind].op)
		fprintf(d->out, " %s",
			n->op < ARRAY_SIZE(operator_names) ? operator_names[n->op] : "?");
	if (n->str)
		fprintf(d->out, " %s", n->str);
	if (n->single)
		fputs(" (single)", d->out);
}

static void dump_part(struct dump *d, const struct node *n, enum part part)
{
	const char *role = kinds[n->kind].roles[part];

	switch (part) {
	case A:
		dump_node(d, role, n->a);
		break;
	case B:
		dump_node(d, role, n->b);
		break;
	case C:
		dump_node(d, role, n->c);
		break;
	case LIST:
		dump_list(d, role, n->list);
		break;
	case LIST2:
		dump_list(d, role, n->list2);
		break;
	default:
		if (n->func)
			dump_func(d, role, n->func);
	}
}

static void dump_node(struct dump *d, const char *role, const struct node *n)
{
	unsigned int done = 0, i;

	if (!n)
		return;
	begin_line(d, role);
	if (kinds[n->kind].name)
		fputs(kinds[n->kind].name, d->out);
	else
		fprintf(d->out, "node %u", n->kind);
	dump_details(d, n);
	end_line(d, n->pos);
	d->depth++;
	for (i = 0; i < ARRAY_SIZE(kinds[0].first) && kinds[n->kind].first[i]; i++) {
		enum part part = kinds[n->kind].first[i] - 1;

		dump_part(d, n, part);
		done |= 1U << part;
	}
	for (i = 0; i < NPARTS; i++)
		if (!(done & 1U << i))
			dump_part(d, n, i);
	d->depth--;
}

int ktap_dump_ast(FILE *out, const struct ktap_script *src, const struct ktap_compile_opts *opts)
{
	struct compiler cc;
	struct dump d = { .cc = &cc, .out = out };
	unsigned int nerrors;

	compiler_begin(&cc, src, opts);
	parse_script(&cc);
	bind_names(&cc);
	scope_classify(&cc);
	nerrors = cc.diag.nerrors;
	if (!nerrors)
		dump_func(&d, NULL, cc.main);
	compiler_end(&cc);
	return nerrors ? -1 : 0;
}
