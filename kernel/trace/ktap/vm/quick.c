// SPDX-License-Identifier: GPL-2.0
/*
 * Find out whether a probe needs no run for what it does.
 */
#include <linux/kernel.h>

#include "data/agg.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/opcode.h"
#include "vm/program.h"
#include "vm/quick.h"
#include "vm/value.h"

static enum ktap_quick_value quick_value_of(u32 fn)
{
	switch (fn) {
	case KTAP_FN_PID:
		return KTAP_QUICK_PID;
	case KTAP_FN_TID:
		return KTAP_QUICK_TID;
	case KTAP_FN_CPU:
		return KTAP_QUICK_CPU;
	case KTAP_FN_EXECNAME:
		return KTAP_QUICK_NAME;
	default:
		return KTAP_QUICK_NO_VALUE;
	}
}

/* The numbers from @first to @last, or all others */
static void quick_set_range(struct ktap_quick *quick, s64 first, s64 last, bool negated)
{
	quick->first = first;
	quick->span = (u64)last - (u64)first;
	quick->negated = negated;
}

static void quick_set_relation(struct ktap_quick *quick, u8 op, s64 n)
{
	switch (op) {
	case KTAP_OP_TESTEQ:
		quick_set_range(quick, n, n, false);
		break;
	case KTAP_OP_TESTNE:
		quick_set_range(quick, n, n, true);
		break;
	case KTAP_OP_TESTLT:
		quick_set_range(quick, n, S64_MAX, true);
		break;
	case KTAP_OP_TESTLE:
		quick_set_range(quick, S64_MIN, n, false);
		break;
	case KTAP_OP_TESTGT:
		quick_set_range(quick, S64_MIN, n, true);
		break;
	case KTAP_OP_TESTGE:
		quick_set_range(quick, n, S64_MAX, false);
		break;
	}
}

/* A filter that begins with a value, and ends with its comparison */
static void quick_find_test(struct ktap_quick *quick, const struct ktap_func *filter)
{
	const struct ktap_code *value = filter->code, *test = value + 1;

	if (filter->ninsns < 2 || value->op != KTAP_OP_VALUE || test->b != value->a)
		return;
	if (test->op < KTAP_OP_TESTEQ || test->op > KTAP_OP_TESTGE || value->d == KTAP_FN_EXECNAME)
		return;
	quick->value = quick_value_of(value->d);
	quick_set_relation(quick, test->op, test->d);
}

static bool quick_find_count(struct ktap_quick *quick, const struct ktap_env *env,
			     const struct ktap_code *code)
{
	if (code->op == KTAP_OP_END) {
		quick->act = KTAP_QUICK_NOTHING;
		return true;
	}
	if (code->op != KTAP_OP_SUMEND)
		return false;
	quick->act = KTAP_QUICK_SUM;
	quick->global = &env->globals[code[1].d];
	quick->number = code->d;
	return true;
}

/* Does the instruction do nothing but set R[a] to an operand of an act? */
static bool quick_is_operand(const struct ktap_code *insn)
{
	if (insn->op == KTAP_OP_VALUE)
		return quick_value_of(insn->d) || insn->d == KTAP_FN_NSECS;
	return insn->op == KTAP_OP_GETC || insn->op == KTAP_OP_INT;
}

/**
 * struct quick_operands - the beginning of a handler
 * @env: state of the session
 * @first: its first instruction
 * @end: the one after the operands
 */
struct quick_operands {
	const struct ktap_env *env;
	const struct ktap_code *first;
	const struct ktap_code *end;
};

/* The instruction that sets a register, if it is @op */
static const struct ktap_code *quick_operand(const struct quick_operands *o, u8 reg, u8 op)
{
	const struct ktap_code *insn;

	for (insn = o->end; insn-- > o->first;) {
		if (insn->a == reg)
			return insn->op == op ? insn : NULL;
	}
	return NULL;
}

static bool quick_find_number(struct ktap_quick *quick, const struct quick_operands *o, u8 reg)
{
	const struct ktap_code *value = quick_operand(o, reg, KTAP_OP_VALUE);
	const struct ktap_code *number = quick_operand(o, reg, KTAP_OP_INT);

	quick->timed = value && value->d == KTAP_FN_NSECS;
	if (number)
		quick->number = number->d;
	return number || quick->timed;
}

static bool quick_find_key(struct ktap_quick *quick, const struct quick_operands *o, u8 reg)
{
	const struct ktap_code *value = quick_operand(o, reg, KTAP_OP_VALUE);

	quick->key = value ? quick_value_of(value->d) : KTAP_QUICK_NO_VALUE;
	return quick->key;
}

/* A global that does not change any more */
static bool quick_find_object(struct ktap_quick *quick, const struct quick_operands *o, u8 reg,
			      u8 tag)
{
	const struct ktap_code *global = quick_operand(o, reg, KTAP_OP_GETC);
	const struct ktap_value *v = global ? &o->env->globals[global->d].value : NULL;

	if (!v || v->tag != tag)
		return false;
	if (tag == KTAP_TABLE)
		quick->table = v->table;
	else
		quick->agg = v->agg;
	return true;
}

/* What does the instruction after the operands do? */
static enum ktap_quick_act quick_act_of(struct ktap_quick *quick, const struct quick_operands *o)
{
	const struct ktap_code *insn = o->end;
	bool steady = o->env->steady;

	switch (insn->op) {
	case KTAP_OP_SETGN:
		quick->global = &o->env->globals[insn->d];
		return quick_find_number(quick, o, insn->a) ? KTAP_QUICK_STORE : KTAP_QUICK_NO_ACT;
	case KTAP_OP_AGG:
		return quick_find_object(quick, o, insn->a, KTAP_AGG) &&
		       ktap_agg_may_try(quick->agg, false) &&
		       quick_find_number(quick, o, insn->c) ? KTAP_QUICK_AGG : KTAP_QUICK_NO_ACT;
	case KTAP_OP_TAGG:
		return steady && quick_find_object(quick, o, insn->a, KTAP_AGG) &&
		       ktap_agg_may_try(quick->agg, true) &&
		       quick_find_key(quick, o, insn->b) &&
		       quick_find_number(quick, o, insn->c) ? KTAP_QUICK_AGG_KEYED :
							      KTAP_QUICK_NO_ACT;
	case KTAP_OP_TADD:
	case KTAP_OP_TSET:
		if (!steady || !quick_find_object(quick, o, insn->a, KTAP_TABLE) ||
		    !quick_find_key(quick, o, insn->b) || !quick_find_number(quick, o, insn->c))
			return KTAP_QUICK_NO_ACT;
		return insn->op == KTAP_OP_TADD ? KTAP_QUICK_ADD : KTAP_QUICK_SET;
	default:
		return KTAP_QUICK_NO_ACT;
	}
}

/* Operands, one instruction that uses them, and the end: find out what the handler does. */
static void quick_find_act(struct ktap_quick *quick, const struct ktap_env *env,
			   const struct ktap_func *handler)
{
	struct quick_operands o = { .env = env, .first = handler->code, .end = handler->code };
	const struct ktap_code *end = env->prog->code + handler->first + handler->ninsns;

	if (quick_find_count(quick, env, handler->code))
		return;
	/* All functions end with an instruction that is no operand. */
	while (quick_is_operand(o.end))
		o.end++;
	if (o.end + 1 < end && o.end[1].op == KTAP_OP_END)
		quick->act = quick_act_of(quick, &o);
}

void ktap_quick_init(struct ktap_quick *quick, const struct ktap_env *env,
		     const struct ktap_func *filter, const struct ktap_func *handler)
{
	*quick = (struct ktap_quick){ .way = KTAP_FIRE_PLAIN };
	if (filter)
		quick_find_test(quick, filter);
	if (filter && !quick->value)
		return;
	quick_find_act(quick, env, handler);
	if (filter)
		quick->way = KTAP_FIRE_TEST;
	else if (ktap_quick_counts(quick))
		quick->way = KTAP_FIRE_COUNT;
	else if (quick->act)
		quick->way = KTAP_FIRE_ACT;
}
