// SPDX-License-Identifier: GPL-2.0
/*
 * Lowering of accesses to tables and aggregations.
 *
 * Most scripts keep these in globals that do not change any more when events are delivered.
 * Then the code contains the address of the object, and calls the function that is right for
 * it and for the operands.  All other accesses are left to the functions that the
 * interpreter calls.
 */
#include "data/agg.h"
#include "data/table.h"
#include "jit/call.h"
#include "jit/lower.h"
#include "load/verifier.h"
#include "vm/builtin.h"
#include "vm/global.h"
#include "vm/ops.h"
#include "vm/vm.h"

/* Instructions before an access that are searched for the one that has written an operand */
#define OBJECT_DISTANCE	32

static bool object_is_written(const struct ktap_code *insn, u8 reg)
{
	switch (ktap_opdefs[insn->op].a) {
	case KTAP_X_NONE:
	case KTAP_X_READ:
		return false;
	case KTAP_X_WRITE:
		return insn->a == reg;
	default:
		/* It may write registers from this one on. */
		return insn->a <= reg;
	}
}

/*
 * The instruction that has written register @reg before instruction @u->pc, whichever way led
 * there; NULL if it is not known.
 */
static const struct ktap_code *object_writer(const struct ktap_unit *u, u8 reg)
{
	const struct ktap_code *insn;
	u32 pc = u->pc, n;

	for (n = 0; n < OBJECT_DISTANCE; n++) {
		if (pc == u->func->first || u->insns[pc].joined || u->insns[pc].entry)
			return NULL;
		insn = &u->prog->code[--pc];
		if (ktap_opdefs[insn->op].flags & KTAP_OPF_ENDS)
			return NULL;
		if (object_is_written(insn, reg))
			return insn;
	}
	return NULL;
}

/* The object in register @reg, if it is known; otherwise NULL */
static const struct ktap_value *object_in(const struct ktap_unit *u, u8 reg)
{
	const struct ktap_code *insn = object_writer(u, reg);
	const struct ktap_value *v;

	if (!insn || insn->op != KTAP_OP_GETC)
		return NULL;
	v = &u->env->globals[insn->d].value;
	return ktap_is_object(v) ? v : NULL;
}

static struct ktap_table *object_table(const struct ktap_unit *u, u8 reg)
{
	const struct ktap_value *v = object_in(u, reg);

	return v && v->tag == KTAP_TABLE ? ktap_table_of(v) : NULL;
}

static struct ktap_agg *object_agg(const struct ktap_unit *u, u8 reg)
{
	const struct ktap_value *v = object_in(u, reg);

	return v && v->tag == KTAP_AGG ? ktap_agg_of(v) : NULL;
}

static bool object_is_name(const struct ktap_unit *u, u8 reg)
{
	const struct ktap_code *insn = object_writer(u, reg);

	return insn && insn->op == KTAP_OP_VALUE && insn->d == KTAP_FN_EXECNAME;
}

/* Is the operand a key that needs no check and costs nothing? */
static bool object_key_is_simple(const struct ktap_unit *u, const struct ktap_code *insn,
				 u8 operand)
{
	switch (operand) {
	case LOWER_INTEGER:
		return true;
	case LOWER_STRING:
		return u->prog->strings[insn->d].len < KTAP_SIMPLE_KEY;
	case LOWER_B:
		return lower_is_int(u, KTAP_OTHER_B) || object_is_name(u, insn->b);
	case LOWER_C:
		return lower_is_int(u, KTAP_OTHER_C) || object_is_name(u, insn->c);
	default:
		return false;
	}
}

/* Call @fn(vm, @object, key, other operand). */
static void object_call(struct ktap_unit *u, const struct ktap_code *insn, const void *fn,
			const void *object, u8 key, u8 other)
{
	struct ktap_emit *e = &u->emit;

	ktap_emit_mov(e, R1, VM);
	ktap_emit_address(e, R2, object);
	ktap_lower_operand(u, insn, key, R3);
	ktap_lower_operand(u, insn, other, R4);
	ktap_emit_call(e, fn);
	ktap_emit_jump_if_int(e, BPF_JNE, R0, 0, ktap_unit_fail(u));
}

/*
 * Call @quick(@object, key, R[c]) before @op->fn.  If R[c] is no integer, the interpreter
 * executes the instruction.
 */
static void object_call_quick(struct ktap_unit *u, const struct ktap_code *insn,
			      const struct lower_op *op, const void *quick, const void *object)
{
	lower_want_int(u, insn->c, KTAP_OTHER_C);
	ktap_emit_address(&u->emit, R1, object);
	ktap_lower_operand(u, insn, op->operands[1], R2);
	lower_load(u, R3, insn->c);
	ktap_lower_call_quick(u, insn, op, quick);
}

void ktap_lower_get(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	struct ktap_table *t = object_table(u, insn->b);

	if (t && object_key_is_simple(u, insn, op->operands[2]))
		object_call(u, insn, ktap_table_get, t, op->operands[2], LOWER_A);
	else
		ktap_lower_call_c(u, insn, op);
}

/* Is R[c] nil, and not a placeholder for a lost object? */
static bool object_value_is_nil(const struct ktap_unit *u, const struct ktap_code *insn)
{
	const struct ktap_code *writer = object_writer(u, insn->c);

	return writer && writer->op == KTAP_OP_NIL && writer->b >= insn->c;
}

void ktap_lower_set(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	struct ktap_table *t = object_table(u, insn->a);
	bool simple = t && object_key_is_simple(u, insn, op->operands[1]);
	bool is_int = lower_is_int(u, KTAP_OTHER_C);

	if (t && is_int && u->env->steady)
		object_call_quick(u, insn, op, ktap_jit_set_recent, t);
	else if (simple && is_int)
		object_call(u, insn, ktap_table_set, t, op->operands[1], LOWER_C);
	else if (simple && object_value_is_nil(u, insn))
		object_call(u, insn, ktap_table_delete, t, op->operands[1], LOWER_NONE);
	else
		ktap_lower_call_c(u, insn, op);
}

void ktap_lower_add(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	struct ktap_table *t = object_table(u, insn->a);

	if (t && u->env->steady)
		object_call_quick(u, insn, op, ktap_jit_add_recent, t);
	else if (t && lower_is_int(u, KTAP_OTHER_C) &&
		 object_key_is_simple(u, insn, op->operands[1]))
		object_call(u, insn, ktap_table_add, t, op->operands[1], LOWER_C);
	else
		ktap_lower_call_c(u, insn, op);
}

void ktap_lower_aggregate(struct ktap_unit *u, const struct ktap_code *insn,
			  const struct lower_op *op)
{
	struct ktap_agg *agg = object_agg(u, insn->a);
	struct ktap_emit *e = &u->emit;

	if (!agg) {
		ktap_lower_call_c(u, insn, op);
		return;
	}
	lower_want_int(u, insn->c, KTAP_OTHER_C);
	ktap_emit_mov(e, R1, VM);
	ktap_emit_address(e, R2, agg);
	lower_load(u, R3, insn->c);
	ktap_emit_call(e, ktap_agg_adder(agg));
	ktap_emit_jump_if_int(e, BPF_JNE, R0, 0, ktap_unit_fail(u));
}

void ktap_lower_aggregate_keyed(struct ktap_unit *u, const struct ktap_code *insn,
				const struct lower_op *op)
{
	struct ktap_agg *agg = object_agg(u, insn->a);
	struct ktap_emit *e = &u->emit;

	if (!agg || !u->env->steady) {
		ktap_lower_call_c(u, insn, op);
		return;
	}
	lower_want_int(u, insn->c, KTAP_OTHER_C);
	ktap_emit_mov(e, R1, VM);
	ktap_emit_address(e, R2, agg);
	ktap_lower_operand(u, insn, op->operands[1], R3);
	lower_load(u, R4, insn->c);
	ktap_lower_call_quick(u, insn, op, ktap_agg_add_recent);
}
