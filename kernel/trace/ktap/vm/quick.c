// SPDX-License-Identifier: GPL-2.0
/*
 * Find out whether a probe needs no run for what it does.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "data/agg.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/opcode.h"
#include "vm/program.h"
#include "vm/quick.h"
#include "vm/task_fields.h"
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
	quick->act = KTAP_QUICK_COUNT;
	quick->global = &env->globals[code[1].d];
	quick->constant = code->d;
	return true;
}

/* Does the instruction do nothing but set R[a] to an operand of an act? */
static bool quick_is_operand(const struct ktap_code *insn)
{
	if (insn->op == KTAP_OP_VALUE)
		return quick_value_of(insn->d) || insn->d == KTAP_FN_NSECS;
	return insn->op == KTAP_OP_GETC || insn->op == KTAP_OP_INT ||
	       insn->op == KTAP_OP_FIELD || insn->op == KTAP_OP_TUPLE;
}

/**
 * struct quick_use - an instruction that uses registers
 * @env: state of the session
 * @fields: fields of the event can be operands
 * @first: the first instruction of the handler; those from there to @insn are operands
 * @insn: the instruction
 * @unused: the operands that have effects and that nothing has used yet, a bit each
 */
struct quick_use {
	const struct ktap_env *env;
	bool fields;
	const struct ktap_code *first;
	const struct ktap_code *insn;
	u32 unused;
};

/* The instruction that sets a register for its use */
static const struct ktap_code *quick_setter(struct quick_use *use, u8 reg)
{
	const struct ktap_code *insn;

	for (insn = use->insn; insn-- > use->first;) {
		if (insn->a != reg)
			continue;
		use->unused &= ~BIT(insn - use->first);
		return insn;
	}
	return NULL;
}

/* Set @o; return false if the register has another value than one of these. */
static bool quick_find_value(struct ktap_quick_operand *o, struct quick_use *use,
			     const struct ktap_code *setter)
{
	if (!setter)
		return false;
	if (setter->op == KTAP_OP_FIELD && use->fields) {
		o->value = KTAP_QUICK_FIELD;
		o->field = setter->d;
	} else if (setter->op == KTAP_OP_VALUE) {
		o->value = quick_value_of(setter->d);
	}
	return o->value;
}

static bool quick_find_number(struct ktap_quick *quick, struct quick_use *use, u8 reg)
{
	const struct ktap_code *setter = quick_setter(use, reg);

	if (setter && setter->op == KTAP_OP_INT) {
		quick->number.value = KTAP_QUICK_CONSTANT;
		quick->constant = setter->d;
		return true;
	}
	if (setter && setter->op == KTAP_OP_VALUE && setter->d == KTAP_FN_NSECS) {
		quick->number.value = KTAP_QUICK_TIME;
		return true;
	}
	return quick_find_value(&quick->number, use, setter) &&
	       quick->number.value != KTAP_QUICK_NAME;
}

static bool quick_find_key(struct ktap_quick *quick, struct quick_use *use, u8 reg)
{
	const struct ktap_code *act = use->insn, *setter = quick_setter(use, reg);
	unsigned int i;

	if (!setter || setter->op != KTAP_OP_TUPLE)
		return quick_find_value(&quick->key, use, setter);
	if (setter->c != KTAP_QUICK_PARTS)
		return false;
	use->insn = setter;
	for (i = 0; i < KTAP_QUICK_PARTS; i++) {
		if (!quick_find_value(&quick->parts[i], use, quick_setter(use, setter->b + i)))
			return false;
	}
	use->insn = act;
	quick->key.value = KTAP_QUICK_PAIR;
	return true;
}

/* A global that does not change any more */
static bool quick_find_object(struct ktap_quick *quick, struct quick_use *use, u8 reg, u8 tag)
{
	const struct ktap_code *setter = quick_setter(use, reg);
	const struct ktap_value *v;

	if (!setter || setter->op != KTAP_OP_GETC)
		return false;
	v = &use->env->globals[setter->d].value;
	if (v->tag != tag)
		return false;
	if (tag == KTAP_TABLE)
		quick->table = ktap_table_of(v);
	else
		quick->agg = ktap_agg_of(v);
	return true;
}

static bool quick_find_table(struct ktap_quick *quick, struct quick_use *use)
{
	return use->env->steady && quick_find_object(quick, use, use->insn->a, KTAP_TABLE) &&
	       quick_find_key(quick, use, use->insn->b) &&
	       quick_find_number(quick, use, use->insn->c);
}

static bool quick_find_agg(struct ktap_quick *quick, struct quick_use *use, bool keyed)
{
	return quick_find_object(quick, use, use->insn->a, KTAP_AGG) &&
	       ktap_agg_may_try(quick->agg, keyed) &&
	       (!keyed || (use->env->steady && quick_find_key(quick, use, use->insn->b))) &&
	       quick_find_number(quick, use, use->insn->c);
}

/* Return the act of an instruction. */
static enum ktap_quick_act quick_act_of(u8 op)
{
	switch (op) {
	case KTAP_OP_SUM:
		return KTAP_QUICK_SUM;
	case KTAP_OP_SETGN:
		return KTAP_QUICK_STORE;
	case KTAP_OP_SETSELFN:
		return KTAP_QUICK_SELF;
	case KTAP_OP_AGG:
		return KTAP_QUICK_AGG;
	case KTAP_OP_TAGG:
		return KTAP_QUICK_AGG_KEYED;
	case KTAP_OP_TADD:
		return KTAP_QUICK_ADD;
	case KTAP_OP_TSET:
		return KTAP_QUICK_SET;
	default:
		return KTAP_QUICK_NO_ACT;
	}
}

/* Can the act use its operands without a run?  If not, anything may be set. */
static bool quick_find_operands(struct ktap_quick *quick, struct quick_use *use,
				enum ktap_quick_act act)
{
	const struct ktap_code *insn = use->insn;

	switch (act) {
	case KTAP_QUICK_SUM:
	case KTAP_QUICK_STORE:
		quick->global = &use->env->globals[insn->d];
		return quick_find_number(quick, use, insn->a);
	case KTAP_QUICK_SELF:
		quick->self_field = ktap_self_field(use->env, insn->d);
		return quick_find_number(quick, use, insn->a);
	case KTAP_QUICK_AGG:
	case KTAP_QUICK_AGG_KEYED:
		return quick_find_agg(quick, use, act == KTAP_QUICK_AGG_KEYED);
	case KTAP_QUICK_ADD:
	case KTAP_QUICK_SET:
		return quick_find_table(quick, use);
	default:
		return false;
	}
}

/* Reading a field, or making a key, may fail, which is counted. */
static bool quick_has_effect(const struct ktap_code *insn)
{
	return insn->op == KTAP_OP_FIELD || insn->op == KTAP_OP_TUPLE;
}

/* Operands, one instruction that uses them, and the end: find out what the handler does. */
static void quick_find_act(struct ktap_quick *quick, struct quick_use *use,
			   const struct ktap_code *end)
{
	enum ktap_quick_act act;

	if (quick_find_count(quick, use->env, use->first))
		return;
	/* All functions end with an instruction that is no operand. */
	for (; quick_is_operand(use->insn); use->insn++) {
		if (use->insn - use->first == BITS_PER_TYPE(use->unused))
			return;
		if (quick_has_effect(use->insn))
			use->unused |= BIT(use->insn - use->first);
	}
	if (use->insn + 1 >= end || use->insn[1].op != KTAP_OP_END)
		return;
	act = quick_act_of(use->insn->op);
	if (quick_find_operands(quick, use, act) && !use->unused)
		quick->act = act;
}

void ktap_quick_init(struct ktap_quick *quick, const struct ktap_env *env,
		     const struct ktap_func *filter, const struct ktap_func *handler, bool fields)
{
	struct quick_use use = {
		.env = env,
		.fields = fields,
		.first = handler->code,
		.insn = handler->code,
	};

	*quick = (struct ktap_quick){ .way = KTAP_FIRE_PLAIN };
	if (filter)
		quick_find_test(quick, filter);
	if (filter && !quick->value)
		return;
	quick_find_act(quick, &use, env->prog->code + handler->first + handler->ninsns);
	/* A key is made and used without a barrier (vm/fenced.c). */
	if (env->fenced && quick->key.value)
		quick->act = KTAP_QUICK_NO_ACT;
	if (filter)
		quick->way = KTAP_FIRE_TEST;
	else if (ktap_quick_counts(quick))
		quick->way = KTAP_FIRE_COUNT;
	else if (quick->act)
		quick->way = KTAP_FIRE_ACT;
}
