// SPDX-License-Identifier: GPL-2.0
/* The code generator: assignments. */
#include <string.h>

#include <linux/ktap.h>

#include "chunk.h"
#include "codegen.h"

/* An element of a table, all of it evaluated. */
struct place {
	int table;
	enum { KEY_REGISTER, KEY_STRING, KEY_INTEGER } kind;
	int key;		/* register */
	int32_t d;		/* string or integer */
	struct jumps dropped;	/* taken when there is no room for its table */
	struct pos pos;
};

static void place_get(struct gen *g, const struct place *p, int reg)
{
	static const unsigned char ops[] = { KTAP_OP_TGET, KTAP_OP_TGETS, KTAP_OP_TGETI };

	g->pos = p->pos;
	emit(g, ops[p->kind], reg, p->table, p->key, p->d);
}

/* These take the value in c, the register of a key in b. */
static void place_set(struct gen *g, const struct place *p, int reg)
{
	static const unsigned char ops[] = { KTAP_OP_TSET, KTAP_OP_TSETS, KTAP_OP_TSETI };

	g->pos = p->pos;
	emit(g, ops[p->kind], p->table, p->key, reg, p->d);
}

static void place_add(struct gen *g, const struct place *p, int reg)
{
	static const unsigned char ops[] = { KTAP_OP_TADD, KTAP_OP_TADDS, KTAP_OP_TADDI };

	g->pos = p->pos;
	emit(g, ops[p->kind], p->table, p->key, reg, p->d);
}

static void gen_place(struct gen *g, const struct node *n, struct place *p);

/*
 * The table to write into.  When it is itself an element, t[a] of t[a][b], and
 * nil, a new table is put there; it is then read back, as another CPU may have
 * done the same at the same time.  If there is none then either, there was no
 * room, which the machine has counted, and the assignment is dropped.
 */
static int gen_container(struct gen *g, const struct node *n, struct jumps *dropped)
{
	struct jumps there = NO_JUMPS;
	struct place outer;
	int reg;

	if (n->kind != N_INDEX && n->kind != N_FIELD)
		return gen_operand(g, n, -1);
	reg = regs_take(g->regs, 1);
	gen_place(g, n, &outer);
	*dropped = outer.dropped;
	place_get(g, &outer, reg);
	emit_jump(g, KTAP_OP_JNNIL, reg, 0, 0, &there);
	emit(g, KTAP_OP_NEWT, reg, 0, 0, 0);
	place_set(g, &outer, reg);
	place_get(g, &outer, reg);
	emit_jump(g, KTAP_OP_JNIL, reg, 0, 0, dropped);
	jumps_here(g, &there);
	regs_release(g->regs, reg + 1);
	return reg;
}

static void gen_key(struct gen *g, const struct node *n, struct place *p)
{
	const struct node *key = n->list;

	p->kind = KEY_REGISTER;
	p->key = 0;
	p->d = 0;
	p->pos = n->pos;
	g->pos = n->pos;
	if (n->kind == N_FIELD || (!key->next && key->kind == N_STR)) {
		p->kind = KEY_STRING;
		p->d = n->kind == N_FIELD ? chunk_string(g->cc, n->str, strlen(n->str)) :
					    chunk_string(g->cc, key->str, key->len);
	} else if (!key->next && fits_imm32(key)) {
		p->kind = KEY_INTEGER;
		p->d = key->ival;
	} else {
		p->key = key->next ? gen_tuple(g, key) : gen_operand(g, key, -1);
	}
}

static void gen_place(struct gen *g, const struct node *n, struct place *p)
{
	p->dropped = NO_JUMPS;
	p->table = gen_container(g, n->a, &p->dropped);
	gen_key(g, n, p);
}

/* Writing a value piece by piece would destroy a variable that is read later on. */
static bool needs_temporary(const struct node *value, const struct var *v)
{
	return (value->kind == N_AND || value->kind == N_OR || value->kind == N_COND ||
		value->kind == N_TABLE) && mentions(value, v);
}

static void gen_assign_one(struct gen *g, const struct node *target, const struct node *value,
			   struct pos pos)
{
	struct place place;
	int reg;

	if (target->kind == N_NAME && target->var) {
		if (needs_temporary(value, target->var)) {
			reg = regs_take(g->regs, 1);
			gen_to(g, value, reg);
			emit(g, KTAP_OP_MOV, target->var->reg, reg, 0, 0);
		} else {
			gen_to(g, value, target->var->reg);
		}
	} else if (target->kind == N_NAME) {
		reg = gen_operand(g, value, -1);
		g->pos = pos;
		emit(g, KTAP_OP_SETG, reg, 0, 0, target->sym->index);
	} else {
		gen_place(g, target, &place);
		reg = gen_operand(g, value, -1);
		place_set(g, &place, reg);
		jumps_here(g, &place.dropped);
	}
}

/* Values for n variables into n new temporaries; a call at the end fills the rest. */
static int gen_values(struct gen *g, const struct node *values, unsigned int n)
{
	int first = g->regs->top;
	unsigned int have;

	for (; values; values = values->next) {
		have = g->regs->top - first;
		if (!values->next && values->kind == N_CALL && have + 1 < n)
			gen_call(g, values, n - have);
		else
			gen_to(g, values, regs_take(g->regs, 1));
	}
	have = g->regs->top - first;
	if (have < n) {
		int rest = regs_take(g->regs, n - have);

		emit(g, KTAP_OP_NIL, rest, rest + n - have - 1, 0, 0);
	}
	return first;
}

static void gen_local(struct gen *g, const struct node *n)
{
	unsigned int count = list_len(n->list);
	const struct node *name;
	int reg;

	g->pos = n->pos;
	reg = gen_values(g, n->list2, count);
	for (name = n->list; name; name = name->next)
		name->var->reg = reg++;
	regs_bind(g->regs, count);
}

/*
 * a, t[a] = x, y: tables and keys are evaluated first, then the values, and
 * nothing is written before that.  Elements are written before variables, whose
 * registers may hold their tables and keys.
 */
static void gen_assign_many(struct gen *g, const struct node *n)
{
	unsigned int count = list_len(n->list), i;
	struct place *places = arena_alloc(&g->cc->arena, count * sizeof(*places));
	const struct node *target;
	int reg;

	for (i = 0, target = n->list; target; target = target->next, i++) {
		if (target->kind != N_NAME)
			gen_place(g, target, &places[i]);
	}
	reg = gen_values(g, n->list2, count);
	for (i = 0, target = n->list; target; target = target->next, i++) {
		if (target->kind == N_NAME)
			continue;
		place_set(g, &places[i], reg + i);
	}
	for (i = 0, target = n->list; target; target = target->next, i++) {
		if (target->kind != N_NAME)
			continue;
		g->pos = n->pos;
		if (target->var)
			emit(g, KTAP_OP_MOV, target->var->reg, reg + i, 0, 0);
		else
			emit(g, KTAP_OP_SETG, reg + i, 0, 0, target->sym->index);
	}
	for (i = 0, target = n->list; target; target = target->next, i++) {
		if (target->kind != N_NAME)
			jumps_here(g, &places[i].dropped);
	}
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

/* What is to be added; for -= it is negated. */
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
	bool add = n->op == OP_ADD || n->op == OP_SUB;
	unsigned int top = g->regs->top;
	struct place place;
	int reg;

	g->pos = n->pos;
	if (n->a->kind == N_NAME && n->a->var) {
		gen_modify(g, n, n->a->var->reg);
	} else if (n->a->kind == N_NAME && add) {
		reg = gen_addend(g, n);
		g->pos = n->pos;
		emit(g, KTAP_OP_ADDG, reg, 0, 0, n->a->sym->index);
	} else if (n->a->kind == N_NAME) {
		reg = regs_take(g->regs, 1);
		emit(g, KTAP_OP_GETG, reg, 0, 0, n->a->sym->index);
		gen_modify(g, n, reg);
		emit(g, KTAP_OP_SETG, reg, 0, 0, n->a->sym->index);
	} else {
		gen_place(g, n->a, &place);
		place.pos = n->pos;
		if (add) {
			place_add(g, &place, gen_addend(g, n));
		} else {
			reg = regs_take(g->regs, 1);
			place_get(g, &place, reg);
			gen_modify(g, n, reg);
			place_set(g, &place, reg);
		}
		jumps_here(g, &place.dropped);
	}
	regs_release(g->regs, top);
}

/* delete t[k] frees the element; delete(t) empties the table. */
void gen_delete(struct gen *g, const struct node *n)
{
	struct jumps none = NO_JUMPS;
	unsigned int top = g->regs->top;
	struct place place;
	int reg;

	if (n->a->kind != N_INDEX && n->a->kind != N_FIELD) {
		reg = regs_take(g->regs, 1);
		gen_to(g, n->a, reg);
		g->pos = n->pos;
		emit(g, KTAP_OP_CALLB, reg, 1, 0, KTAP_FN_CLEAR);
	} else {
		place.table = gen_operand(g, n->a->a, -1);
		g->pos = n->pos;
		/* without t[a] there is no t[a][b] either */
		if (n->a->a->kind == N_INDEX || n->a->a->kind == N_FIELD)
			emit_jump(g, KTAP_OP_JNIL, place.table, 0, 0, &none);
		gen_key(g, n->a, &place);
		reg = regs_take(g->regs, 1);
		emit(g, KTAP_OP_NIL, reg, reg, 0, 0);
		place_set(g, &place, reg);
		jumps_here(g, &none);
	}
	regs_release(g->regs, top);
}
