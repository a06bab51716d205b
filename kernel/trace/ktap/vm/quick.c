// SPDX-License-Identifier: GPL-2.0
/*
 * Find out whether a probe needs no activation for what it does.
 */
#include <linux/kernel.h>

#include "vm/env.h"
#include "vm/global.h"
#include "vm/opcode.h"
#include "vm/program.h"
#include "vm/quick.h"

static enum ktap_quick_value quick_value_of(u32 fn)
{
	switch (fn) {
	case KTAP_FN_PID:
		return KTAP_QUICK_PID;
	case KTAP_FN_TID:
		return KTAP_QUICK_TID;
	case KTAP_FN_CPU:
		return KTAP_QUICK_CPU;
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
	if (test->op < KTAP_OP_TESTEQ || test->op > KTAP_OP_TESTGE)
		return;
	quick->value = quick_value_of(value->d);
	quick_set_relation(quick, test->op, test->d);
}

static void quick_find_count(struct ktap_quick *quick, const struct ktap_env *env,
			     const struct ktap_func *handler)
{
	const struct ktap_code *code = handler->code;

	quick->counts = code->op == KTAP_OP_END || code->op == KTAP_OP_SUMEND;
	if (code->op != KTAP_OP_SUMEND)
		return;
	quick->global = &env->globals[code[1].d];
	quick->addend = code->d;
}

void ktap_quick_init(struct ktap_quick *quick, const struct ktap_env *env,
		     const struct ktap_func *filter, const struct ktap_func *handler)
{
	*quick = (struct ktap_quick){ .way = KTAP_FIRE_PLAIN };
	if (filter)
		quick_find_test(quick, filter);
	if (filter && !quick->value)
		return;
	quick_find_count(quick, env, handler);
	if (filter)
		quick->way = KTAP_FIRE_TEST;
	else if (quick->counts)
		quick->way = KTAP_FIRE_COUNT;
}
