// SPDX-License-Identifier: GPL-2.0
/* The code generator: assignments. */
#include <string.h>

#include <linux/ktap.h>

#include "compiler/codegen.h"

static void gen_assign_one(struct gen *g, const struct node *target, const struct node *value,
			   struct pos pos)
{
	struct lvalue lvalue;
	int reg;

	if (is_local(target)) {
		if (!needs_temporary(g, value, target->var->reg)) {
			gen_to(g, value, target->var->reg);
			return;
		}
		reg = regs_take(g->regs, 1);
		gen_to(g, value, reg);
		emit(g, KTAP_OP_MOV, target->var->reg, reg, 0, 0);
		return;
	}
	gen_lvalue(g, target, &lvalue);
	reg = gen_operand(g, value, -1);
	if (target->kind == N_NAME)
		lvalue.pos = pos;
	lvalue_set(g, &lvalue, reg);
	jumps_here(g, &lvalue.dropped);
}

/* Take n temporaries; those from `have` on are nil. */
static void gen_rest(struct gen *g, unsigned int have, unsigned int n)
{
	int rest;

	if (have >= n)
		return;
	rest = regs_take(g->regs, n - have);
	emit(g, KTAP_OP_NIL, rest, rest + n - have - 1, 0, 0);
}

static void gen_local(struct gen *g, const struct node *n)
{
	unsigned int count = list_len(n->list), have = 0;
	int reg = g->regs->top;
	struct node *i;

	for (i = n->list2; i; i = i->next, have++) {
		if (!i->next && is_open(i) && have + 1 < count) {
			gen_results(g, i, count - have);
			have = count;
			break;
		}
		gen_to(g, i, regs_take(g->regs, 1));
	}
	g->pos = n->pos;
	gen_rest(g, have, count);
	for (i = n->list; i; i = i->next)
		i->var->reg = reg++;
	regs_bind(g->regs, count);
}

/* One assignment of a multiple assignment. */
struct pair {
	const struct node *target;
	const struct node *value;	/* NULL: the next result of the value before it, or nil */
	struct lvalue lvalue;		/* for targets other than locals */
	int reg;			/* register of the value */
	bool done;
};

/*
 * A local value can be used in place, unless an earlier assignment overwrites
 * that local.
 */
static bool local_stays(const struct pair *pairs, unsigned int i)
{
	unsigned int j;

	if (!is_local(pairs[i].value))
		return false;
	for (j = 0; is_local(pairs[i].target) && j < i; j++)
		if (is_local(pairs[j].target) &&
		    pairs[j].target->var->reg == pairs[i].value->var->reg)
			return false;
	return true;
}

/* Can a local be written at once? Yes, unless another value still reads it. */
static bool writes_at_once(const struct gen *g, const struct pair *pairs, unsigned int n,
			   unsigned int i)
{
	const struct node *target = pairs[i].target;
	unsigned int j;

	if (g->tries || !is_local(target) || needs_temporary(g, pairs[i].value, target->var->reg))
		return false;
	for (j = 0; j < n; j++) {
		if (!is_local(pairs[j].target))
			return false;
		if (j == i)
			continue;
		if (pairs[j].target->var == target->var ||
		    (pairs[j].value && mentions(pairs[j].value, target->var->reg)))
			return false;
	}
	return true;
}

static void gen_pair_value(struct gen *g, struct pair *pairs, unsigned int n, unsigned int i)
{
	struct pair *p = &pairs[i];

	if (local_stays(pairs, i)) {
		p->reg = p->value->var->reg;
	} else if (writes_at_once(g, pairs, n, i)) {
		gen_to(g, p->value, p->target->var->reg);
		p->done = true;
	} else {
		p->reg = regs_take(g->regs, 1);
		gen_to(g, p->value, p->reg);
	}
}

static void gen_pair_values(struct gen *g, struct pair *pairs, unsigned int n)
{
	unsigned int i, rest;

	for (i = 0; i < n && pairs[i].value; i++) {
		if (i + 1 < n && !pairs[i + 1].value && is_open(pairs[i].value)) {
			rest = gen_results(g, pairs[i].value, n - i);
			for (; i < n; i++)
				pairs[i].reg = rest++;
			return;
		}
		gen_pair_value(g, pairs, n, i);
	}
	rest = g->regs->top;
	gen_rest(g, i, n);
	for (; i < n; i++)
		pairs[i].reg = rest++;
}

/*
 * a, t[a] = x, y: evaluate tables and keys first, then the values, then write.
 * Write elements before locals, whose registers may hold tables and keys.
 */
static void gen_assign_many(struct gen *g, const struct node *n)
{
	unsigned int count = list_len(n->list), i;
	struct pair *pairs = pool_alloc(&g->cc->pool, count * sizeof(*pairs));
	const struct node *target = n->list, *value = n->list2;

	for (i = 0; i < count; i++, target = target->next) {
		pairs[i].target = target;
		pairs[i].value = value;
		value = value ? value->next : NULL;
		if (is_local(target))
			continue;
		gen_lvalue(g, target, &pairs[i].lvalue);
		if (target->kind == N_NAME)
			pairs[i].lvalue.pos = n->pos;
	}
	gen_pair_values(g, pairs, count);
	for (i = 0; i < count; i++)
		if (!is_local(pairs[i].target))
			lvalue_set(g, &pairs[i].lvalue, pairs[i].reg);
	g->pos = n->pos;
	for (i = 0; i < count; i++)
		if (is_local(pairs[i].target) && !pairs[i].done &&
		    pairs[i].target->var->reg != pairs[i].reg)
			emit(g, KTAP_OP_MOV, pairs[i].target->var->reg, pairs[i].reg, 0, 0);
	for (i = 0; i < count; i++)
		if (!is_local(pairs[i].target))
			jumps_here(g, &pairs[i].lvalue.dropped);
}

void gen_assign(struct gen *g, const struct node *n)
{
	unsigned int top = g->regs->top;

	if (n->kind == S_LOCAL) {
		gen_local(g, n);
		return;
	}
	if (!n->list->next)
		gen_assign_one(g, n->list, n->list2, n->pos);
	else
		gen_assign_many(g, n);
	regs_release(g->regs, top);
}

/* Evaluate the addend; for -= it is negated. */
static int gen_addend(struct gen *g, const struct node *n)
{
	int reg;

	if (n->op == OP_ADD)
		return gen_operand(g, n->b, -1);
	reg = regs_take(g->regs, 1);
	g->pos = n->pos;
	if (n->b->kind == N_INT) {
		gen_int(g, reg, (int64_t)-(uint64_t)n->b->ival);
	} else {
		int r = gen_operand(g, n->b, reg);

		g->pos = n->pos;
		emit(g, KTAP_OP_NEG, reg, r, 0, 0);
	}
	return reg;
}

/* reg = reg op value; reg is the topmost temporary or a local. */
static void gen_modify(struct gen *g, const struct node *n, int reg)
{
	int first;

	g->pos = n->pos;
	if (n->op != OP_CONCAT) {
		gen_arith(g, n->op, reg, reg, n->b);
		return;
	}
	first = regs_take(g->regs, 1);
	emit(g, KTAP_OP_MOV, first, reg, 0, 0);
	gen_to(g, n->b, regs_take(g->regs, 1));
	g->pos = n->pos;
	emit(g, KTAP_OP_CONCAT, reg, first, 2, 0);
	regs_release(g->regs, first);
}

void gen_op_assign(struct gen *g, const struct node *n)
{
	unsigned int top = g->regs->top;
	struct lvalue lvalue;
	int reg;

	g->pos = n->pos;
	if (is_local(n->a)) {
		gen_modify(g, n, n->a->var->reg);
		return;
	}
	gen_lvalue(g, n->a, &lvalue);
	lvalue.pos = n->pos;
	if (n->op == OP_ADD || n->op == OP_SUB) {
		lvalue_add(g, &lvalue, gen_addend(g, n));
	} else {
		reg = regs_take(g->regs, 1);
		lvalue_get(g, &lvalue, reg);
		gen_modify(g, n, reg);
		lvalue_set(g, &lvalue, reg);
	}
	jumps_here(g, &lvalue.dropped);
	regs_release(g->regs, top);
}
