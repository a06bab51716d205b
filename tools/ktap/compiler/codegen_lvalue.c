// SPDX-License-Identifier: GPL-2.0
/* The code generator: globals, fields and elements that are written to. */
#include <string.h>

#include <linux/ktap.h>

#include "compiler/chunk_write.h"
#include "compiler/codegen.h"

void lvalue_get(struct gen *g, const struct lvalue *p, int reg)
{
	static const unsigned char ops[] = {
		[PLACE_GLOBAL] = KTAP_OP_GETG, [PLACE_SELF] = KTAP_OP_GETSELF,
		[PLACE_KEY] = KTAP_OP_TGET, [PLACE_STRING] = KTAP_OP_TGETS,
		[PLACE_INTEGER] = KTAP_OP_TGETI,
	};

	g->pos = p->pos;
	emit(g, ops[p->kind], reg, p->table, p->key, p->d);
}

/* Elements have the value in c and the register of the key in b. */
static void lvalue_write(struct gen *g, const struct lvalue *p, int op, int reg)
{
	g->pos = p->pos;
	if (p->kind == PLACE_GLOBAL || p->kind == PLACE_SELF)
		emit(g, op, reg, 0, 0, p->d);
	else
		emit(g, op, p->table, p->key, reg, p->d);
}

void lvalue_set(struct gen *g, const struct lvalue *p, int reg)
{
	static const unsigned char ops[] = {
		[PLACE_GLOBAL] = KTAP_OP_SETG, [PLACE_SELF] = KTAP_OP_SETSELF,
		[PLACE_KEY] = KTAP_OP_TSET, [PLACE_STRING] = KTAP_OP_TSETS,
		[PLACE_INTEGER] = KTAP_OP_TSETI,
	};

	lvalue_write(g, p, ops[p->kind], reg);
}

void lvalue_add(struct gen *g, const struct lvalue *p, int reg)
{
	static const unsigned char ops[] = {
		[PLACE_GLOBAL] = KTAP_OP_ADDG, [PLACE_SELF] = KTAP_OP_ADDSELF,
		[PLACE_KEY] = KTAP_OP_TADD, [PLACE_STRING] = KTAP_OP_TADDS,
		[PLACE_INTEGER] = KTAP_OP_TADDI,
	};

	lvalue_write(g, p, ops[p->kind], reg);
}

static bool is_element(const struct node *n)
{
	return n->kind == N_INDEX || n->kind == N_FIELD;
}

/*
 * Find the table to write into.
 *
 * If it is an element itself, t[a] of t[a][b], or a field of the thread, and is
 * nil, store a new table there and read it back: another CPU may have stored
 * one at the same time. If it is still nil, there was no room, which the kernel
 * has counted; drop the assignment.
 */
static int gen_container(struct gen *g, const struct node *n, struct jumps *dropped)
{
	struct jumps there = NO_JUMPS;
	struct lvalue outer;
	int reg;

	if (!is_element(n) && n->kind != N_SELF)
		return gen_operand(g, n, -1);
	reg = regs_take(g->regs, 1);
	gen_lvalue(g, n, &outer);
	*dropped = outer.dropped;
	lvalue_get(g, &outer, reg);
	emit_jump(g, KTAP_OP_JNNIL, reg, 0, 0, &there);
	emit(g, KTAP_OP_NEWT, reg, 0, 0, 0);
	lvalue_set(g, &outer, reg);
	lvalue_get(g, &outer, reg);
	emit_jump(g, KTAP_OP_JNIL, reg, 0, 0, dropped);
	jumps_here(g, &there);
	regs_release(g->regs, reg + 1);
	return reg;
}

/* A constant key is part of the instruction, unless a register is needed. */
static void gen_key(struct gen *g, const struct node *n, bool in_register, struct lvalue *p)
{
	struct node name = { .kind = N_STR, .pos = n->pos, .str = n->str };
	const struct node *key = n->list;

	if (n->kind == N_FIELD) {
		name.len = strlen(n->str);
		key = &name;
	}
	p->kind = PLACE_KEY;
	p->key = 0;
	p->d = 0;
	if (key->next) {
		p->key = gen_tuple(g, key);
	} else if (key->kind == N_STR && !in_register) {
		p->kind = PLACE_STRING;
		p->d = chunk_string(g->cc, key->str, key->len);
	} else if (fits_imm32(key) && !in_register) {
		p->kind = PLACE_INTEGER;
		p->d = key->ival;
	} else {
		p->key = gen_operand(g, key, -1);
	}
	p->pos = n->pos;
	g->pos = n->pos;
}

void gen_lvalue(struct gen *g, const struct node *n, struct lvalue *p)
{
	*p = (struct lvalue) { .dropped = NO_JUMPS, .pos = n->pos };
	if (n->kind == N_NAME) {
		p->kind = PLACE_GLOBAL;
		p->d = n->sym->index;
	} else if (n->kind == N_SELF) {
		p->kind = PLACE_SELF;
		p->d = chunk_string(g->cc, n->str, strlen(n->str));
	} else {
		p->table = gen_container(g, n->a, &p->dropped);
		gen_key(g, n, false, p);
	}
}

/* delete t[k] frees the element; delete(t) empties the table. */
void gen_delete(struct gen *g, const struct node *n)
{
	struct jumps none = NO_JUMPS;
	unsigned int top = g->regs->top;
	struct lvalue lvalue;
	int reg;

	if (!is_element(n->a) && n->a->kind != N_SELF) {
		reg = regs_take(g->regs, 1);
		gen_to(g, n->a, reg);
		g->pos = n->pos;
		emit(g, KTAP_OP_CALLB, reg, 1, 0, KTAP_FN_CLEAR);
		regs_release(g->regs, top);
		return;
	}
	if (n->a->kind == N_SELF) {
		gen_lvalue(g, n->a, &lvalue);
	} else {
		lvalue.table = gen_operand(g, n->a->a, -1);
		g->pos = n->pos;
		/* without t[a] there is no t[a][b] either */
		if (is_element(n->a->a) || n->a->a->kind == N_SELF)
			emit_jump(g, KTAP_OP_JNIL, lvalue.table, 0, 0, &none);
		gen_key(g, n->a, false, &lvalue);
	}
	reg = regs_take(g->regs, 1);
	emit(g, KTAP_OP_NIL, reg, reg, 0, 0);
	lvalue_set(g, &lvalue, reg);
	jumps_here(g, &none);
	regs_release(g->regs, top);
}

void gen_aggregate(struct gen *g, const struct node *n)
{
	unsigned int top = g->regs->top;
	struct lvalue lvalue = { .dropped = NO_JUMPS };
	int value;

	if (is_element(n->a)) {
		lvalue.table = gen_container(g, n->a->a, &lvalue.dropped);
		gen_key(g, n->a, true, &lvalue);
	} else {
		lvalue.table = gen_operand(g, n->a, -1);
	}
	value = gen_operand(g, n->b, -1);
	g->pos = n->pos;
	if (is_element(n->a))
		emit(g, KTAP_OP_TAGG, lvalue.table, lvalue.key, value, 0);
	else
		emit(g, KTAP_OP_AGG, lvalue.table, 0, value, 0);
	jumps_here(g, &lvalue.dropped);
	regs_release(g->regs, top);
}
