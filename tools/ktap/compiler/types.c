// SPDX-License-Identifier: GPL-2.0
/* Types that an expression can have at run time. */
#include <string.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"
#include "compiler/util.h"

/* Types whose values are all true, and the type whose values are all false. */
#define ALWAYS_TRUE	(TYPE_ANY & ~(TYPE_NIL | TYPE_BOOL | TYPE_INT))
#define ALWAYS_FALSE	TYPE_NIL

static unsigned int binary_type(const struct node *n)
{
	if (n->op < OP_CONCAT)
		return TYPE_INT;
	return n->op == OP_CONCAT ? TYPE_STRING : TYPE_BOOL;
}

static unsigned int call_type(const struct node *n)
{
	switch (n->call) {
	case CALL_NEWT:
		return TYPE_TABLE;
	case CALL_BUILTIN:
	case CALL_KERNEL:
		return n->builtin ? n->builtin->type : TYPE_ANY;
	default:
		return TYPE_ANY;
	}
}

unsigned int static_type(const struct node *n)
{
	switch (n->kind) {
	case N_NIL:
		return TYPE_NIL;
	case N_BOOL:
		return TYPE_BOOL;
	case N_INT:
		return TYPE_INT;
	case N_STR:
		return TYPE_STRING;
	case N_TABLE:
		return TYPE_TABLE;
	case N_FUNC:
		return TYPE_FUNCTION;
	case N_NAME:
		return static_func(n) ? TYPE_FUNCTION : TYPE_ANY;
	case N_SYMBOL:
		return TYPE_INT | TYPE_NIL;
	case N_UNARY:
		return n->op == OP_NOT ? TYPE_BOOL : TYPE_INT;
	case N_BINARY:
		return binary_type(n);
	case N_AND:
		return (static_type(n->a) & ~ALWAYS_TRUE) | static_type(n->b);
	case N_OR:
		return (static_type(n->a) & ~ALWAYS_FALSE) | static_type(n->b);
	case N_COND:
		return static_type(n->b) | static_type(n->c);
	case N_CALL:
		return call_type(n);
	default:
		return TYPE_ANY;
	}
}

const char *type_text(struct compiler *cc, unsigned int types)
{
	static const struct {
		enum builtin_type type;
		const char *name;
	} names[] = {
		{ TYPE_INT, "an integer" },
		{ TYPE_STRING, "a string" },
		{ TYPE_BOOL, "a boolean" },
		{ TYPE_TABLE, "a table" },
		{ TYPE_AGG, "an aggregation" },
		{ TYPE_FUNCTION, "a function" },
		{ TYPE_STACK, "a stack" },
		{ TYPE_POINTER, "a pointer" },
		{ TYPE_EVENT, "an event" },
		{ TYPE_NIL, "nil" },
	};
	const char *text = "";
	size_t i;

	if (__builtin_popcount(types) > 4)
		return "a value";
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(types & names[i].type))
			continue;
		types &= ~names[i].type;
		text = pool_printf(&cc->pool, "%s%s%s", text,
				   !*text ? "" : types ? ", " : " or ", names[i].name);
	}
	return text;
}
