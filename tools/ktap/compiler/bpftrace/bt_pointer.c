// SPDX-License-Identifier: GPL-2.0
/*
 * Casts, and what pointers point to.
 *
 * A pointer to a structure is one of ktap, which reads members. Any other pointer is an
 * address: an integer, or a pointer of ktap if it was a member.
 */
#include <string.h>

#include "compiler/bpftrace/bt.h"

/* "", or the function of ktap that gives an integer fewer bits */
static const char *bt_width_function(const struct bt_type *t)
{
	static const char * const functions[][2] = {
		{ "s8", "u8" }, { "s16", "u16" }, { "s32", "u32" },
	};

	return t->size == 1 ? functions[0][t->is_unsigned] :
	       t->size == 2 ? functions[1][t->is_unsigned] :
	       t->size == 4 ? functions[2][t->is_unsigned] : "";
}

static bool bt_points_to_struct(const struct bt_type *t)
{
	return t->kind == BT_POINTER && t->of->kind == BT_STRUCT;
}

/* The pointers of a cast() are to structures that have a name. */
static void bt_cast_pointer(struct bt_script *s, const struct bt_node *n, unsigned int level)
{
	const struct bt_type *t = bt_type_of(s, n);

	if (!bt_points_to_struct(t) || !t->of->name) {
		bt_expr(s, n->a, level);
		return;
	}
	bt_put(s, n->pos, "cast(\"%s\", ", t->of->name);
	bt_value(s, n->a);
	bt_put(s, n->pos, ")");
}

/* An array as an integer: its bytes as they are in memory */
static void bt_cast_array(struct bt_script *s, const struct bt_node *n, const struct bt_type *to)
{
	const struct bt_type *t = bt_type_of(s, n->a);
	unsigned int size = t->of->size, count = t->count;

	if (!bt_is_stored(s, n->a)) {
		bt_put(s, n->pos, "read(");
		bt_expr(s, n->a, LEVEL_ANY);
		bt_put(s, n->pos, ", %s%u)", to->is_unsigned || to->size == 8 ? "" : "-",
		       to->size);
		return;
	}
	if (!size || (count > to->size / size))
		count = size ? to->size / size : 0;
	bt_put(s, n->pos, "%s(", bt_width_function(to));
	for (unsigned int i = 0; i < count; i++) {
		bt_put(s, n->pos, i ? " | (" : "(");
		bt_leaf(s, n->a, i);
		bt_put(s, n->pos, " & %#llx) << %u", size == 8 ? ~0ULL : (1ULL << 8 * size) - 1,
		       8 * size * i);
	}
	bt_put(s, n->pos, ")");
}

/*
 * Can this be a pointer of ktap? Arithmetic refuses them. The parameters of events are integers,
 * or have a type, and a filter has nothing else.
 */
static bool bt_may_be_pointer(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n);

	if (s->filter || (t->kind != BT_ANY && t->kind != BT_POINTER))
		return false;
	return t->kind == BT_POINTER || n->kind == BN_VAR ||
	       (n->kind == BN_FIELD && !bt_is_args(s, n->a));
}

/* An operand of a cast to an integer */
static void bt_cast_operand(struct bt_script *s, const struct bt_node *n, unsigned int level)
{
	if (!bt_may_be_pointer(s, n)) {
		bt_number(s, n, level);
		return;
	}
	bt_put(s, n->pos, "bt_integer(");
	bt_expr(s, n, LEVEL_ANY);
	bt_put(s, n->pos, ")");
	s->helpers |= BT_HELP_INTEGER;
}

void bt_cast(struct bt_script *s, const struct bt_node *n, unsigned int level)
{
	const struct bt_type *t = bt_type_of(s, n);

	if (n->c && (t->kind == BT_ANY || t->kind == bt_type_of(s, n->a)->kind) &&
	    t->kind != BT_INTEGER && t->kind != BT_POINTER) {
		/* (typeof(x))y: it has the type already, or there is none */
		bt_expr(s, n->a, level);
	} else if (t->kind == BT_ANY && !n->stars && !n->array && !strchr(n->text, ' ') &&
	    !bt_is_type_word(n->text)) {
		const char *advice = pool_printf(&s->cc->pool,
						 "at the beginning: typedef uint32_t %s;", n->text);

		bt_error(s, n->pos, advice, "'%s' is no type that is known", n->text);
	} else if (t->kind == BT_POINTER || n->stars) {
		bt_cast_pointer(s, n, level);
	} else if (t->kind == BT_BOOLEAN) {
		bt_put(s, n->pos, "(");
		bt_expr(s, n->a, LEVEL_CHOICE + 1);
		bt_put(s, n->pos, " ? true : false)");
	} else if (t->kind == BT_INTEGER && bt_type_of(s, n->a)->kind == BT_ARRAY &&
		   bt_is_compound(bt_type_of(s, n->a))) {
		bt_cast_array(s, n, t);
	} else if (t->kind == BT_ENUM || !strncmp(n->text, "enum ", 5)) {
		bt_number(s, n->a, level);
	} else if (t->kind != BT_INTEGER) {
		bt_error(s, n->pos, "(uint32)x, (struct NAME *)x", "no cast to '%s'",
			 n->c ? "this type" : n->text);
	} else if (!*bt_width_function(t)) {
		bt_cast_operand(s, n->a, level);
	} else {
		bt_put(s, n->pos, "%s(", bt_width_function(t));
		bt_cast_operand(s, n->a, LEVEL_ANY);
		bt_put(s, n->pos, ")");
	}
}

bool bt_is_pointer_cast(struct bt_script *s, const struct bt_node *n)
{
	return n->kind == BN_CAST && (n->stars || (n->c && bt_type_of(s, n)->kind == BT_POINTER));
}

/* Size and sign for read(); 0: such a value cannot be read */
static int bt_read_size(const struct bt_type *t)
{
	int size = t->kind == BT_INTEGER || t->kind == BT_BOOLEAN || t->kind == BT_ENUM ||
		   t->kind == BT_POINTER ? t->size : 0;

	return t->kind == BT_INTEGER && !t->is_unsigned && size < 8 ? -size : size;
}

/* Write the beginning of what is read; returns the number of parentheses to close. */
static unsigned int bt_begin_read(struct bt_script *s, struct pos pos, const struct bt_type *of)
{
	bool target = bt_points_to_struct(of) && of->of->name;

	if (target)
		bt_put(s, pos, "cast(\"%s\", ", of->of->name);
	bt_put(s, pos, "read(");
	return target;
}

static void bt_end_read(struct bt_script *s, struct pos pos, const struct bt_type *of,
			unsigned int close)
{
	bt_put(s, pos, ", %d)%s", bt_read_size(of), close ? ")" : "");
}

void bt_deref(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n->a), *of = t->kind == BT_POINTER ? t->of : NULL;
	unsigned int close;

	if (of && of->kind == BT_STRUCT) {
		bt_expr(s, n->a, LEVEL_POSTFIX);
		if (of->opaque)
			bt_put(s, n->pos, "[0]");
		return;
	}
	/* an address without a type, such as those of kaddr() and percpu_kaddr(): unsigned long */
	if (t->kind == BT_INTEGER)
		of = &bt_unsigned;
	if (!of || !bt_read_size(of)) {
		bt_expr(s, n->a, LEVEL_POSTFIX);
		bt_put(s, n->pos, "[0]");
		return;
	}
	close = bt_begin_read(s, n->pos, of);
	bt_value(s, bt_is_pointer_cast(s, n->a) ? n->a->a : n->a);
	bt_end_read(s, n->pos, of, close);
}

bool bt_check_index(struct bt_script *s, const struct bt_node *n, const struct bt_type *t,
		    int64_t index)
{
	if (index >= 0 && index < t->count)
		return true;
	bt_error(s, n->pos, t->count ? pool_printf(&s->cc->pool, "its last element is [%u]",
						   t->count - 1) : NULL,
		 "the index %lld is out of bounds for array of size %u", (long long)index,
		 t->count);
	return false;
}

void bt_index(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n->a);
	int64_t index = 0;
	bool constant = bt_constant_value(n->b, &index);
	unsigned int close;

	if (bt_stored_part(s, n))
		return;
	if (t->kind == BT_POINTER && t->of->kind != BT_STRUCT && bt_read_size(t->of)) {
		close = bt_begin_read(s, n->pos, t->of);
		if (n->a->kind == BN_CAST) {
			bt_number(s, n->a, LEVEL_SUM);
		} else {
			bt_put(s, n->a->pos, "ipof(");
			bt_value(s, n->a);
			bt_put(s, n->a->pos, ")");
		}
		bt_put(s, n->pos, " + ");
		bt_number(s, n->b, LEVEL_PRODUCT);
		bt_put(s, n->pos, " * %u", t->of->size);
		bt_end_read(s, n->pos, t->of, close);
		return;
	}
	if (t->kind == BT_ARRAY && t->count && constant)
		bt_check_index(s, n, t, index);
	bt_expr(s, n->a, LEVEL_POSTFIX);
	bt_put(s, n->pos, "[");
	if (t->kind == BT_ARRAY && t->count && !s->filter && !constant) {
		bt_put(s, n->pos, "bt_within(");
		bt_number(s, n->b, LEVEL_ANY);
		bt_put(s, n->pos, ", %u, \"%s:%u:%u\")", t->count, bt_escaped_name(s, n->pos),
		       n->pos.line, n->pos.col);
		s->helpers |= BT_HELP_WITHIN;
	} else {
		bt_value(s, n->b);
	}
	bt_put(s, n->pos, "]");
}

const char *bt_pointer_step(struct bt_script *s, const struct bt_type *t)
{
	if (t->kind != BT_POINTER)
		return NULL;
	if (bt_points_to_struct(t) && t->of->name)
		return pool_printf(&s->cc->pool, "sizeof(\"%s\")", t->of->name);
	return pool_printf(&s->cc->pool, "%u", t->of->size ? t->of->size : 1);
}

bool bt_pointer_sum(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n->a);
	const struct bt_node *pointer = n->a, *number = n->b;
	const char *step;
	bool typed;

	if (*n->op == '+' && t->kind != BT_POINTER) {
		pointer = n->b;
		number = n->a;
		t = bt_type_of(s, pointer);
	}
	step = (*n->op == '+' || *n->op == '-') && n->op[1] == 0 ? bt_pointer_step(s, t) : NULL;
	if (!step || t->of->kind == BT_ANY || bt_type_of(s, number)->kind == BT_POINTER)
		return false;
	typed = bt_points_to_struct(t) && t->of->name;
	if (typed)
		bt_put(s, n->pos, "cast(\"%s\", ", t->of->name);
	bt_put(s, n->pos, "ipof(");
	bt_value(s, pointer);
	bt_put(s, n->pos, ") %s ", n->op);
	bt_number(s, number, LEVEL_PRODUCT);
	if (strcmp(step, "1"))
		bt_put(s, n->pos, " * %s", step);
	bt_put(s, n->pos, typed ? ")" : "");
	return true;
}
