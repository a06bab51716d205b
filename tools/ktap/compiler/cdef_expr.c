// SPDX-License-Identifier: GPL-2.0
/* C declarations: integer constants. */
#include "compiler/cdef.h"
#include "compiler/util.h"

static int64_t cdef_ternary(struct cdef_parser *p);

static const struct {
	int tok;
	int level;
} binaries[] = {
	{ C_OR, 1 }, { C_AND, 2 }, { '|', 3 }, { '^', 4 }, { '&', 5 }, { C_EQ, 6 }, { C_NE, 6 },
	{ '<', 7 }, { '>', 7 }, { C_LE, 7 }, { C_GE, 7 }, { C_SHL, 8 }, { C_SHR, 8 },
	{ '+', 9 }, { '-', 9 }, { '*', 10 }, { '/', 10 }, { '%', 10 },
};

static int64_t cdef_primary(struct cdef_parser *p)
{
	const struct cdef_name *n;
	int64_t value = p->tok.value;

	if (cdef_accept(p, C_INT))
		return value;
	if (cdef_accept(p, '(')) {
		value = cdef_ternary(p);
		cdef_expect(p, ')');
		return value;
	}
	if (p->tok.kind != C_NAME) {
		cdef_unexpected(p, "an integer");
		return 0;
	}
	n = cdef_find_name(p->cc, p->tok.str);
	if (n && n->what == CDEF_IS_CONSTANT) {
		cdef_next(&p->lx, &p->tok);
		return n->value;
	}
	if (cdef_at_word(p, "sizeof") || cdef_at_word(p, "offsetof"))
		cdef_error(p, p->tok.pos,
			   "%s depends on the machine: sizes here are integers and enumerators",
			   p->tok.str);
	else
		cdef_error(p, p->tok.pos, "unknown constant '%s'", p->tok.str);
	return 0;
}

static int64_t cdef_unary(struct cdef_parser *p)
{
	int op = p->tok.kind;
	int64_t x;

	if (op != '-' && op != '+' && op != '~' && op != '!')
		return cdef_primary(p);
	cdef_next(&p->lx, &p->tok);
	if (!cdef_enter(p))
		return 0;
	x = cdef_unary(p);
	p->depth--;
	switch (op) {
	case '-':
		return (int64_t)-(uint64_t)x;
	case '~':
		return ~x;
	case '!':
		return !x;
	default:
		return x;
	}
}

static int64_t cdef_compute(struct cdef_parser *p, struct pos pos, int op, int64_t x, int64_t y)
{
	uint64_t a = x, b = y;

	switch (op) {
	case '/':
	case '%':
		if (!y || (y == -1 && x == INT64_MIN)) {
			cdef_error(p, pos, "the result of this division is not defined");
			return 0;
		}
		return op == '/' ? x / y : x % y;
	case C_OR: return x || y;
	case C_AND: return x && y;
	case '|': return x | y;
	case '^': return x ^ y;
	case '&': return x & y;
	case C_EQ: return x == y;
	case C_NE: return x != y;
	case '<': return x < y;
	case '>': return x > y;
	case C_LE: return x <= y;
	case C_GE: return x >= y;
	case C_SHL: return (int64_t)(a << (b & 63));
	case C_SHR: return x >> (b & 63);
	case '+': return (int64_t)(a + b);
	case '-': return (int64_t)(a - b);
	default: return (int64_t)(a * b);
	}
}

static int64_t cdef_binary(struct cdef_parser *p, int level)
{
	int64_t x = cdef_unary(p);
	struct pos pos;
	size_t i = 0;
	int op;

	while (i < ARRAY_SIZE(binaries)) {
		if (binaries[i].tok != p->tok.kind || binaries[i].level < level) {
			i++;
			continue;
		}
		op = p->tok.kind;
		pos = p->tok.pos;
		cdef_next(&p->lx, &p->tok);
		x = cdef_compute(p, pos, op, x, cdef_binary(p, binaries[i].level + 1));
		i = 0;
	}
	return x;
}

static int64_t cdef_ternary(struct cdef_parser *p)
{
	int64_t x = 0, y, z;

	if (!cdef_enter(p))
		return 0;
	x = cdef_binary(p, 1);
	if (cdef_accept(p, '?')) {
		y = cdef_ternary(p);
		cdef_expect(p, ':');
		z = cdef_ternary(p);
		x = x ? y : z;
	}
	p->depth--;
	return x;
}

int64_t cdef_constant(struct cdef_parser *p)
{
	return cdef_ternary(p);
}
