// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions of bpftrace in ktap's language.
 *
 * A missing entry, a pointer that is NULL, and a string that cannot be read are nil
 * in ktap, and 0 or "" in bpftrace. `&&`, `||` and comparisons give no integers.
 * Names in a filter are fields first. Operators bind differently.
 */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

/* Levels of ktap's operators, the tightest last. */
enum {
	LEVEL_ANY, LEVEL_CHOICE, LEVEL_OR, LEVEL_AND, LEVEL_EQUAL, LEVEL_ORDER, LEVEL_BIT_OR,
	LEVEL_XOR, LEVEL_BIT_AND, LEVEL_CONCAT, LEVEL_SHIFT, LEVEL_SUM, LEVEL_PRODUCT,
	LEVEL_UNARY, LEVEL_POSTFIX,
};

static const struct {
	const char *op;
	unsigned int level;
} bt_operator_levels[] = {
	{ "||", LEVEL_OR }, { "&&", LEVEL_AND }, { "==", LEVEL_EQUAL }, { "!=", LEVEL_EQUAL },
	{ "<", LEVEL_ORDER }, { "<=", LEVEL_ORDER }, { ">", LEVEL_ORDER }, { ">=", LEVEL_ORDER },
	{ "|", LEVEL_BIT_OR }, { "^", LEVEL_XOR }, { "&", LEVEL_BIT_AND },
	{ "<<", LEVEL_SHIFT }, { ">>", LEVEL_SHIFT }, { "+", LEVEL_SUM }, { "-", LEVEL_SUM },
	{ "*", LEVEL_PRODUCT }, { "/", LEVEL_PRODUCT }, { "%", LEVEL_PRODUCT },
};

/* Values that are built in. @call: a name in a filter is a field unless it is called. */
static const struct bt_builtin {
	const char *name;
	const char *ours;	/* NULL: not supported */
	enum bt_type type;
	bool call;
	const char *advice;
} bt_builtins[] = {
	{ "pid", "pid", BT_INTEGER, true, NULL },
	{ "tid", "tid", BT_INTEGER, true, NULL },
	{ "ppid", "ppid", BT_INTEGER, true, NULL },
	{ "uid", "uid", BT_INTEGER, true, NULL },
	{ "gid", "gid", BT_INTEGER, true, NULL },
	{ "cpu", "cpu", BT_INTEGER, true, NULL },
	{ "ncpus", "num_cpus", BT_INTEGER, true, NULL },
	{ "numaid", "numa_node", BT_INTEGER, true, NULL },
	{ "comm", "comm", BT_STRING, true, NULL },
	{ "nsecs", "nsecs", BT_INTEGER, true, NULL },
	{ "elapsed", "elapsed", BT_INTEGER, true, NULL },
	{ "cgroup", "cgroup", BT_INTEGER, true, NULL },
	{ "rand", "rand", BT_INTEGER, true, NULL },
	{ "func", "func", BT_STRING, true, NULL },
	{ "probe", "", BT_STRING, false, NULL },
	{ "retval", "retval", BT_ANY, true, NULL },
	{ "curtask", "curtask", BT_ANY, true, NULL },
	{ "kstack", "kstack", BT_STACK, true, NULL },
	{ "ustack", "ustack", BT_STACK, true, NULL },
	{ "jiffies", "`jiffies`", BT_INTEGER, false, NULL },
	{ "arg0", "arg0", BT_ANY, false, NULL }, { "arg1", "arg1", BT_ANY, false, NULL },
	{ "arg2", "arg2", BT_ANY, false, NULL }, { "arg3", "arg3", BT_ANY, false, NULL },
	{ "arg4", "arg4", BT_ANY, false, NULL }, { "arg5", "arg5", BT_ANY, false, NULL },
	{ "arg6", "arg6", BT_ANY, false, NULL }, { "arg7", "arg7", BT_ANY, false, NULL },
	{ "arg8", "arg8", BT_ANY, false, NULL }, { "arg9", "arg9", BT_ANY, false, NULL },
	{ "args", NULL, BT_ANY, false, "a field of the event: args.NAME" },
	{ "username", NULL, BT_ANY, false, "uid" },
	{ "cpid", NULL, BT_ANY, false,
	  "pid: with 'ktap FILE.bt -- COMMAND' only the command is traced" },
	{ "usermode", NULL, BT_ANY, false, "arg1 in profile: an address in the program, or 0" },
	{ "probetype", NULL, BT_ANY, false, "probe" },
};

static const struct bt_builtin *bt_builtin(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(bt_builtins); i++)
		if (!strcmp(bt_builtins[i].name, name))
			return &bt_builtins[i];
	return NULL;
}

bool bt_is_builtin(const char *name)
{
	return bt_builtin(name);
}

static unsigned int bt_level(const char *op)
{
	for (size_t i = 0; i < ARRAY_SIZE(bt_operator_levels); i++)
		if (!strcmp(bt_operator_levels[i].op, op))
			return bt_operator_levels[i].level;
	return LEVEL_UNARY;
}

struct bt_var *bt_var_find(const struct bt_script *s, const char *name)
{
	struct bt_var *var = s->vars;

	while (var && strcmp(var->name, name))
		var = var->outer;
	return var;
}

static bool bt_is_logic(const struct bt_node *n)
{
	unsigned int level = n->kind == BN_BINARY ? bt_level(n->op) : LEVEL_ANY;

	return (level >= LEVEL_OR && level <= LEVEL_ORDER) ||
	       (n->kind == BN_UNARY && *n->op == '!') || n->kind == BN_BOOL;
}

enum bt_type bt_type_of(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_builtin *bi;
	const struct bt_map *map;
	const struct bt_var *var;

	if (bt_is_logic(n))
		return BT_BOOLEAN;
	switch (n->kind) {
	case BN_STR:
		return BT_STRING;
	case BN_INT:
	case BN_UNARY:
	case BN_BINARY:
		return BT_INTEGER;
	case BN_TUPLE:
		return BT_TUPLE;
	case BN_CAST:
		return n->pointer ? BT_ANY : strcmp(n->text, "bool") ? BT_INTEGER : BT_BOOLEAN;
	case BN_CHOICE:
		return bt_type_of(s, n->b);
	case BN_MAP:
		map = bt_map_of(s, n);
		return map && map->set ? map->type : BT_ANY;
	case BN_VAR:
		var = bt_var_find(s, n->text);
		return var ? var->type : BT_ANY;
	case BN_NAME:
		bi = bt_builtin(n->text);
		return bi ? bi->type : BT_ANY;
	case BN_CALL:
		return bt_call_type(n->text);
	default:
		return BT_ANY;
	}
}

/* Can this be nil, where bpftrace has 0 or ""? */
static bool bt_may_be_nil(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map;

	switch (n->kind) {
	case BN_MAP:
		map = bt_map_of(s, n);
		return map && map->kind <= BM_SUM && map->type != BT_STACK;
	case BN_CALL:
		return bt_call_may_fail(n->text) && n->a && n->a->kind != BN_PARAM;
	case BN_CAST:
		return n->pointer || bt_may_be_nil(s, n->a);
	default:
		return false;
	}
}

/* Pointers are members of others, or cast; those that are NULL are nil. */
static bool bt_may_be_null(const struct bt_node *n)
{
	if (n->kind == BN_CAST)
		return n->pointer;
	return n->kind == BN_FIELD || n->kind == BN_INDEX ||
	       (n->kind == BN_NAME && (!strcmp(n->text, "retval") || !strcmp(n->text, "curtask")));
}

static void bt_expr(struct bt_script *s, const struct bt_node *n, unsigned int level);

/* The default of a key that may be nil: nil is no key, only a part of one. */
static const char *bt_key_default(struct bt_script *s, const struct bt_node *n)
{
	enum bt_type type = bt_type_of(s, n);

	/* threads of the kernel have no stack of a program */
	if (type == BT_STACK)
		return *n->text == 'u' ? " || \"\"" : "";
	if (type != BT_ANY || (n->kind == BN_NAME && !strncmp(n->text, "arg", 3)))
		return "";
	return " || 0";
}

void bt_values(struct bt_script *s, const struct bt_node *list, bool keys)
{
	bool single = keys && list && !list->next;

	for (; list; list = list->next) {
		bt_value(s, list);
		bt_put(s, list->pos, "%s", single ? bt_key_default(s, list) :
		       list->next ? ", " : "");
	}
}

void bt_place_of(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map = bt_map_of(s, n);

	bt_put(s, n->pos, "%s", map ? map->ours : "nil");
	if (!n->a)
		return;
	bt_put(s, n->pos, "[");
	bt_values(s, n->a, true);
	bt_put(s, n->pos, "]");
}

static void bt_map_read(struct bt_script *s, const struct bt_node *n)
{
	static const char * const functions[] = {
		[BM_AVG] = "avg", [BM_MIN] = "min", [BM_MAX] = "max",
	};
	const struct bt_map *map = bt_map_of(s, n);

	if (!map)
		return;
	if (map->keys > 0 && !n->a) {
		bt_error(s, n->pos, NULL, "@%s has keys: @%s[KEY]", n->text, n->text);
	} else if (map->kind >= BM_STATS) {
		bt_error(s, n->pos, "print(@NAME)", "stats and distributions are no values");
	} else if (map->kind >= BM_AVG && n->a) {
		bt_put(s, n->pos, "(");
		bt_place_of(s, n);
		bt_put(s, n->pos, " && %s(", functions[map->kind]);
		bt_place_of(s, n);
		bt_put(s, n->pos, ") || 0)");
	} else if (map->kind >= BM_AVG) {
		bt_put(s, n->pos, "%s(%s)", functions[map->kind], map->ours);
	} else {
		bt_place_of(s, n);
	}
}

static void bt_var_read(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_var *var = bt_var_find(s, n->text);

	if (!var)
		bt_error(s, n->pos, "a variable exists in the block that assigns to it first; before the block write: let $NAME",
			 "$%s has no value here", n->text);
	else if (var->items || var->loop)
		bt_error(s, n->pos, NULL, "$%s is a tuple: write $%s.0 or $%s.1", n->text,
			 n->text, n->text);
	else
		bt_put(s, n->pos, "%s", var->ours);
}

/* Is it a constant of an enum in the script, and not one of the kernel? */
static bool bt_is_declared(const struct bt_script *s, const char *name)
{
	for (const struct bt_node *type = s->types; type; type = type->next)
		if (strstr(type->text, name))
			return true;
	return false;
}

static void bt_name_read(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_builtin *bi = bt_builtin(n->text);

	if (!bi && !strncmp(n->text, "arg", 3) && n->text[3] >= '0' && n->text[3] <= '9')
		bt_error(s, n->pos, NULL, "'%s': there are arg0 to arg9", n->text);
	else if (!bi && !strncmp(n->text, "sarg", 4))
		bt_error(s, n->pos, "argN", "'%s': there are no arguments on the stack", n->text);
	else if (!bi)
		bt_put(s, n->pos, bt_is_declared(s, n->text) ? "%s" : "`%s`", n->text);
	else if (!bi->ours)
		bt_error(s, n->pos, pool_printf(&s->cc->pool, "instead: %s", bi->advice),
			 "'%s' is not supported", n->text);
	else if (!*bi->ours)
		bt_put(s, n->pos, "%s", s->probe_text);
	else
		bt_put(s, n->pos, "%s%s", bi->ours, s->filter && bi->call ? "()" : "");
}

/* $kv.0, $tuple.1 */
static bool bt_item_read(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_var *var = n->a->kind == BN_VAR ? bt_var_find(s, n->a->text) : NULL;
	const struct bt_map *map = bt_map_of(s, n->a);

	if (n->value < 0)
		return false;
	if (var && var->loop && n->value < 2) {
		if (n->value && var->loop->kind >= BM_STATS)
			bt_error(s, n->pos, "print(@NAME)",
				 "stats and distributions are no values");
		else if (n->value && var->loop->kind >= BM_AVG)
			bt_put(s, n->pos, "%s(%s_value)", var->loop->kind == BM_AVG ? "avg" :
			       var->loop->kind == BM_MIN ? "min" : "max", var->ours);
		else
			bt_put(s, n->pos, "%s_%s", var->ours, n->value ? "value" : "key");
	} else if (var && n->value < var->items) {
		bt_put(s, n->pos, "%s_%d", var->ours, (int)n->value);
	} else if (map && n->value < map->items) {
		bt_put(s, n->pos, "(");
		bt_place_of(s, n->a);
		bt_put(s, n->pos, " && ");
		bt_place_of(s, n->a);
		bt_put(s, n->pos, "[%d])", (int)n->value + 1);
	} else if (n->a->kind == BN_FIELD && n->a->value >= 0) {
		bt_error(s, n->pos, "use a map for each part, or print $kv.0 as a whole",
			 "a key of several parts cannot be taken apart");
	} else {
		bt_error(s, n->pos, NULL, "this is no tuple with an item %d", (int)n->value);
	}
	return true;
}

static void bt_field_read(struct bt_script *s, const struct bt_node *n)
{
	if (bt_item_read(s, n))
		return;
	if (n->a->kind == BN_NAME && !strcmp(n->a->text, "args"))
		bt_put(s, n->pos, "args");
	else
		bt_expr(s, n->a, LEVEL_POSTFIX);
	bt_put(s, n->pos, ".%s", n->text);
}

static const struct bt_width {
	const char *type;
	const char *ours;
	int bytes;
} bt_widths[] = {
	{ "int8", "s8", -1 }, { "int16", "s16", -2 }, { "int32", "s32", -4 }, { "int64", "", 8 },
	{ "uint8", "u8", 1 }, { "uint16", "u16", 2 }, { "uint32", "u32", 4 }, { "uint64", "", 8 },
	{ "int8_t", "s8", -1 }, { "int16_t", "s16", -2 }, { "int32_t", "s32", -4 },
	{ "int64_t", "", 8 }, { "uint8_t", "u8", 1 }, { "uint16_t", "u16", 2 },
	{ "uint32_t", "u32", 4 }, { "uint64_t", "", 8 },
	{ "s8", "s8", -1 }, { "s16", "s16", -2 }, { "s32", "s32", -4 }, { "s64", "", 8 },
	{ "u8", "u8", 1 }, { "u16", "u16", 2 }, { "u32", "u32", 4 }, { "u64", "", 8 },
	{ "char", "s8", 1 }, { "short", "s16", -2 }, { "int", "s32", -4 },
	{ "unsigned char", "u8", 1 }, { "unsigned short", "u16", 2 },
	{ "unsigned int", "u32", 4 }, { "unsigned", "u32", 4 }, { "long long", "", 8 },
	{ "unsigned long long", "", 8 }, { "long", "", 0 }, { "unsigned long", "", 0 },
	{ "size_t", "", 0 }, { "ssize_t", "", 0 },
};

static const struct bt_width *bt_width(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(bt_widths); i++)
		if (!strcmp(bt_widths[i].type, type))
			return &bt_widths[i];
	return NULL;
}

static void bt_cast(struct bt_script *s, const struct bt_node *n, unsigned int level)
{
	const struct bt_width *width = n->pointer ? NULL : bt_width(n->text);

	if (n->pointer && !strcmp(n->text, "void")) {
		bt_expr(s, n->a, level);
	} else if (n->pointer) {
		bt_put(s, n->pos, "cast(\"%s\", ", n->text);
		bt_value(s, n->a);
		bt_put(s, n->pos, ")");
	} else if (!strcmp(n->text, "bool")) {
		bt_put(s, n->pos, "(");
		bt_expr(s, n->a, LEVEL_CHOICE + 1);
		bt_put(s, n->pos, " ? true : false)");
	} else if (!width && strncmp(n->text, "enum ", 5)) {
		bt_error(s, n->pos, "(uint32)x, (struct NAME *)x", "no cast to '%s'", n->text);
	} else if (!width || !*width->ours) {
		bt_number(s, n->a, level);
	} else {
		bt_put(s, n->pos, "%s(", width->ours);
		bt_number(s, n->a, LEVEL_ANY);
		bt_put(s, n->pos, ")");
	}
}

/* *(uint32 *)p, *kaddr("name"), *p */
static void bt_deref(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *of = n->a;
	const struct bt_width *width = of->kind == BN_CAST && of->pointer ?
		bt_width(of->text) : NULL;

	if (width && width->bytes) {
		bt_put(s, n->pos, "read(");
		bt_value(s, of->a);
		bt_put(s, n->pos, ", %d)", width->bytes);
		return;
	}
	bt_expr(s, of, LEVEL_POSTFIX);
	bt_put(s, n->pos, "[0]");
}

static void bt_unary(struct bt_script *s, const struct bt_node *n)
{
	bt_put(s, n->pos, "%s", n->op);
	if (*n->op == '!')
		bt_expr(s, n->a, LEVEL_UNARY);
	else
		bt_number(s, n->a, LEVEL_UNARY + (n->a->kind == BN_UNARY));
}

static bool bt_is_zero(const struct bt_node *n)
{
	return n->kind == BN_INT && !n->value;
}

/* Write an operand of a comparison: nil is not equal to 0, nor less than 1. */
static void bt_compared(struct bt_script *s, const struct bt_node *n, const struct bt_node *other,
			unsigned int level)
{
	enum bt_type type = bt_type_of(s, other);
	bool mixed = (bt_type_of(s, n) == BT_BOOLEAN) != (type == BT_BOOLEAN);

	if (bt_may_be_nil(s, n) && type != BT_STRING && bt_type_of(s, n) != BT_STRING) {
		bt_put(s, n->pos, "(");
		bt_expr(s, n, LEVEL_OR);
		bt_put(s, n->pos, " || 0)");
	} else if (mixed) {
		bt_number(s, n, level);
	} else {
		bt_expr(s, n, level);
	}
}

static void bt_comparison(struct bt_script *s, const struct bt_node *n, unsigned int level)
{
	/* bits are compared in parentheses: that is how it is read */
	unsigned int inner = LEVEL_CONCAT;

	if (level == LEVEL_EQUAL && bt_is_zero(n->b) && bt_may_be_null(n->a)) {
		/* a pointer that is NULL is nil */
		bt_put(s, n->pos, "%s", *n->op == '=' ? "!" : "!!");
		bt_expr(s, n->a, LEVEL_UNARY);
		return;
	}
	bt_compared(s, n->a, n->b, inner);
	bt_put(s, n->pos, " %s ", n->op);
	bt_compared(s, n->b, n->a, inner);
}

static void bt_binary(struct bt_script *s, const struct bt_node *n, unsigned int level)
{
	if (level <= LEVEL_AND) {
		bt_expr(s, n->a, level);
		bt_put(s, n->pos, " %s ", n->op);
		bt_expr(s, n->b, level + 1);
	} else if (level <= LEVEL_ORDER) {
		bt_comparison(s, n, level);
	} else {
		bt_number(s, n->a, level);
		bt_put(s, n->pos, " %s ", n->op);
		bt_number(s, n->b, level + 1);
	}
}

static unsigned int bt_node_level(const struct bt_node *n)
{
	switch (n->kind) {
	case BN_CHOICE:
		return LEVEL_CHOICE;
	case BN_BINARY:
		return bt_level(n->op);
	case BN_UNARY:
		return LEVEL_UNARY;
	case BN_INT:
		return n->value < 0 ? LEVEL_UNARY : LEVEL_POSTFIX;
	default:
		return LEVEL_POSTFIX;
	}
}

static void bt_param(struct bt_script *s, const struct bt_node *n)
{
	if (n->value < 0)
		bt_put(s, n->pos, "bt_arguments()");
	else
		bt_put(s, n->pos, "($%d || 0)", (int)n->value);
}

/* Write what needs no parentheses. */
static void bt_inner(struct bt_script *s, const struct bt_node *n)
{
	unsigned int level = bt_node_level(n);

	switch (n->kind) {
	case BN_INT:
	case BN_STR:
	case BN_BOOL:
		bt_put(s, n->pos, "%s", n->text);
		break;
	case BN_PARAM:
		bt_param(s, n);
		break;
	case BN_MAP:
		bt_map_read(s, n);
		break;
	case BN_VAR:
		bt_var_read(s, n);
		break;
	case BN_NAME:
		bt_name_read(s, n);
		break;
	case BN_CALL:
		bt_call(s, n, false);
		break;
	case BN_FIELD:
		bt_field_read(s, n);
		break;
	case BN_INDEX:
		bt_expr(s, n->a, LEVEL_POSTFIX);
		bt_put(s, n->pos, "[");
		bt_value(s, n->b);
		bt_put(s, n->pos, "]");
		break;
	case BN_CAST:
		bt_cast(s, n, LEVEL_POSTFIX);
		break;
	case BN_DEREF:
		bt_deref(s, n);
		break;
	case BN_UNARY:
		bt_unary(s, n);
		break;
	case BN_CHOICE:
		bt_expr(s, n->a, LEVEL_CHOICE + 1);
		bt_put(s, n->pos, " ? ");
		bt_value(s, n->b);
		bt_put(s, n->pos, " : ");
		bt_value(s, n->c);
		break;
	case BN_TUPLE:
		bt_error(s, n->pos, "assign it to a variable, or use it as a key",
			 "a tuple is no operand");
		break;
	default:
		bt_binary(s, n, level);
	}
}

static void bt_expr(struct bt_script *s, const struct bt_node *n, unsigned int level)
{
	/* a division in a filter would end it */
	bool paren = bt_node_level(n) < level || (s->filter && n->kind == BN_BINARY &&
						  *n->op == '/');

	if (paren)
		bt_put(s, n->pos, "(");
	bt_inner(s, n);
	if (paren)
		bt_put(s, n->pos, ")");
}

void bt_number(struct bt_script *s, const struct bt_node *n, unsigned int level)
{
	if (bt_type_of(s, n) != BT_BOOLEAN) {
		bt_expr(s, n, level);
	} else if (n->kind == BN_BOOL) {
		bt_put(s, n->pos, "%d", *n->text == 't');
	} else {
		bt_put(s, n->pos, "(");
		bt_expr(s, n, LEVEL_CHOICE + 1);
		bt_put(s, n->pos, " ? 1 : 0)");
	}
}

void bt_truth(struct bt_script *s, const struct bt_node *n)
{
	bt_expr(s, n, LEVEL_ANY);
}

void bt_value(struct bt_script *s, const struct bt_node *n)
{
	unsigned int level = bt_node_level(n);
	bool nil = bt_may_be_nil(s, n) && !(n->kind == BN_CAST && n->pointer);
	enum bt_type type = bt_type_of(s, n);

	if (level == LEVEL_OR || level == LEVEL_AND) {
		/* the value of && is an operand in ktap */
		bt_expr(s, n, LEVEL_CHOICE + 1);
		bt_put(s, n->pos, " ? true : false");
	} else if (nil && (type == BT_INTEGER || type == BT_STRING)) {
		bt_expr(s, n, LEVEL_OR);
		bt_put(s, n->pos, type == BT_STRING ? " || \"\"" : " || 0");
	} else {
		bt_expr(s, n, LEVEL_ANY);
	}
}

bool bt_fits_filter(const struct bt_node *n)
{
	for (; n; n = n->next) {
		if (n->kind == BN_MAP || n->kind == BN_VAR || n->kind == BN_PARAM)
			return false;
		if (!bt_fits_filter(n->a) || !bt_fits_filter(n->b) || !bt_fits_filter(n->c))
			return false;
	}
	return true;
}
