// SPDX-License-Identifier: GPL-2.0
/*
 * How each instruction is lowered (unit.c has the overview).
 *
 * No register is tested for what the verifier has proven (&ktap_program.others).  A
 * load or a store reaches registers of the running function, &struct ktap_vm, globals that
 * only get integers, and two words of the native code's own stack, at offsets that are
 * constants.  All other memory is accessed by functions of C, which mask indexes and pointers
 * in values against speculative execution, as they do for the interpreter.  Objects whose
 * addresses are in the code need no mask (lower_object.c).
 */
#include <linux/stddef.h>

#include "btf/btf_read.h"
#include "data/table.h"
#include "jit/call.h"
#include "jit/lower.h"
#include "vm/builtin.h"
#include "vm/frame.h"
#include "vm/global.h"
#include "vm/kernel_function.h"
#include "vm/ops.h"
#include "vm/task_fields.h"
#include "vm/vm.h"

/* Constants and copies */

static void lower_nil(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	u32 i;

	for (i = insn->a; i <= insn->b; i++)
		lower_set_value(u, i, &KTAP_VALUE_NIL);
}

static void lower_boolean(struct ktap_unit *u, const struct ktap_code *insn,
			  const struct lower_op *op)
{
	lower_set_value(u, insn->a, &KTAP_VALUE_BOOL(insn->b));
}

static void lower_set_constant(struct ktap_unit *u, u32 reg, s64 x)
{
	struct ktap_emit *e = &u->emit;

	if (x == (s32)x) {
		ktap_emit_store_imm(e, BPF_DW, FRAME, lower_value(u, reg), x);
	} else {
		ktap_emit_u64(e, R1, x);
		ktap_emit_store(e, BPF_DW, FRAME, lower_value(u, reg), R1);
	}
	lower_set_int_tag(u, reg, KTAP_OTHER_A);
}

static void lower_int(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	lower_set_constant(u, insn->a, insn->d);
}

static void lower_intk(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	lower_set_constant(u, insn->a, u->prog->ints[insn->d]);
}

static void lower_str(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	lower_set_value(u, insn->a, &u->prog->strings[insn->d]);
}

static void lower_func(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	lower_set_value(u, insn->a, &(struct ktap_value){ .u = insn->d, .tag = KTAP_FUNC });
}

static void lower_mov(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;

	lower_load(u, R1, insn->b);
	if (u->clean && lower_is_int(u, KTAP_OTHER_B)) {
		lower_set_int(u, insn->a, R1, KTAP_OTHER_A);
		return;
	}
	ktap_emit_load(e, BPF_DW, R2, FRAME, lower_tag(u, insn->b));
	ktap_emit_store(e, BPF_DW, FRAME, lower_value(u, insn->a), R1);
	ktap_emit_store(e, BPF_DW, FRAME, lower_tag(u, insn->a), R2);
}

/* Arithmetic */

static void lower_arith(struct ktap_unit *u, const struct ktap_code *insn,
			const struct lower_op *op)
{
	lower_want_int(u, insn->b, KTAP_OTHER_B);
	lower_want_int(u, insn->c, KTAP_OTHER_C);
	lower_load(u, R1, insn->b);
	lower_load(u, R2, insn->c);
	if (op->op == BPF_LSH || op->op == BPF_ARSH)
		ktap_emit_alu_imm(&u->emit, BPF_AND, R2, 63);
	ktap_emit_alu(&u->emit, op->op, R1, R2);
	lower_set_int(u, insn->a, R1, KTAP_OTHER_A);
}

static void lower_arith_imm(struct ktap_unit *u, const struct ktap_code *insn,
			    const struct lower_op *op)
{
	s32 imm = insn->d;

	if (op->op == BPF_LSH || op->op == BPF_ARSH)
		imm &= 63;
	lower_want_int(u, insn->b, KTAP_OTHER_B);
	lower_load(u, R1, insn->b);
	ktap_emit_alu_imm(&u->emit, op->op, R1, imm);
	lower_set_int(u, insn->a, R1, KTAP_OTHER_A);
}

/* Division, of signed numbers.  The interpreter divides by 0 and -1. */
static void lower_divide(struct ktap_unit *u, const struct ktap_code *insn,
			 const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;

	lower_want_int(u, insn->b, KTAP_OTHER_B);
	lower_want_int(u, insn->c, KTAP_OTHER_C);
	lower_load(u, R1, insn->b);
	lower_load(u, R2, insn->c);
	ktap_emit_jump_if_imm(e, BPF_JEQ, R2, 0, ktap_unit_step(u));
	ktap_emit_jump_if_imm(e, BPF_JEQ, R2, -1, ktap_unit_step(u));
	ktap_emit(e, BPF_ALU64 | op->op | BPF_X, R1, R2, 1, 0);
	lower_set_int(u, insn->a, R1, KTAP_OTHER_A);
}

static void lower_divide_imm(struct ktap_unit *u, const struct ktap_code *insn,
			     const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;

	lower_want_int(u, insn->b, KTAP_OTHER_B);
	lower_load(u, R1, insn->b);
	/* The least integer has no quotient, which ktap_divide() wraps. */
	if (insn->d == -1 && op->op == BPF_DIV)
		ktap_emit(e, BPF_ALU64 | BPF_NEG, R1, 0, 0, 0);
	else if (insn->d == -1)
		ktap_emit_mov_imm(e, R1, 0);
	else
		ktap_emit(e, BPF_ALU64 | op->op | BPF_K, R1, 0, 1, insn->d);
	lower_set_int(u, insn->a, R1, KTAP_OTHER_A);
}

static void lower_neg(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	lower_want_int(u, insn->b, KTAP_OTHER_B);
	lower_load(u, R1, insn->b);
	ktap_emit(&u->emit, BPF_ALU64 | BPF_NEG, R1, 0, 0, 0);
	lower_set_int(u, insn->a, R1, KTAP_OTHER_A);
}

static void lower_bnot(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	lower_want_int(u, insn->b, KTAP_OTHER_B);
	lower_load(u, R1, insn->b);
	ktap_emit_alu_imm(&u->emit, BPF_XOR, R1, -1);
	lower_set_int(u, insn->a, R1, KTAP_OTHER_A);
}

static void lower_not(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;
	u32 nil, other, is_true;

	ktap_emit_load(e, BPF_W, R0, FRAME, lower_tag(u, insn->b));
	ktap_emit_mov_imm(e, R2, 1);
	nil = ktap_emit_ahead_if_imm(e, BPF_JEQ, R0, KTAP_NIL);
	ktap_emit_mov_imm(e, R2, 0);
	other = ktap_emit_ahead_if_imm(e, BPF_JGT, R0, KTAP_INT);
	lower_load(u, R1, insn->b);
	is_true = ktap_emit_ahead_if_imm(e, BPF_JNE, R1, 0);
	ktap_emit_mov_imm(e, R2, 1);
	ktap_emit_land(e, nil);
	ktap_emit_land(e, other);
	ktap_emit_land(e, is_true);
	lower_set_bool(u, insn->a, R2);
}

static void lower_compare(struct ktap_unit *u, const struct ktap_code *insn,
			  const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;
	u32 done;

	lower_want_int(u, insn->b, KTAP_OTHER_B);
	lower_want_int(u, insn->c, KTAP_OTHER_C);
	lower_load(u, R1, insn->b);
	lower_load(u, R2, insn->c);
	ktap_emit_mov_imm(e, R3, 1);
	done = ktap_emit_ahead_if(e, op->op, R1, R2);
	ktap_emit_mov_imm(e, R3, 0);
	ktap_emit_land(e, done);
	lower_set_bool(u, insn->a, R3);
}

/* Calls of functions of C */

static void lower_address(struct ktap_unit *u, u8 dst, u32 reg)
{
	ktap_emit_mov(&u->emit, dst, FRAME);
	if (reg)
		ktap_emit_alu_imm(&u->emit, BPF_ADD, dst, lower_value(u, reg));
}

/* Put the integer on the stack of the native code. */
static void lower_integer(struct ktap_unit *u, u8 dst, s32 d)
{
	struct ktap_emit *e = &u->emit;

	e->stack = true;
	ktap_emit_store_imm(e, BPF_DW, EMIT_FP, -EMIT_STACK, d);
	lower_set_tag(u, (s16)offsetof(struct ktap_value, tag) - EMIT_STACK, EMIT_FP, KTAP_INT);
	if (u->env->fenced)
		ktap_emit_fence(e);
	ktap_emit_mov(e, dst, EMIT_FP);
	ktap_emit_alu_imm(e, BPF_ADD, dst, -EMIT_STACK);
}

void ktap_lower_operand(struct ktap_unit *u, const struct ktap_code *insn, u8 operand, u8 dst)
{
	struct ktap_emit *e = &u->emit;

	switch (operand) {
	case LOWER_NONE:
		break;
	case LOWER_A:
		lower_address(u, dst, insn->a);
		break;
	case LOWER_A1:
		lower_address(u, dst, insn->a + 1);
		break;
	case LOWER_B:
		lower_address(u, dst, insn->b);
		break;
	case LOWER_C:
		lower_address(u, dst, insn->c);
		break;
	case LOWER_NB:
		ktap_emit_mov_imm(e, dst, insn->b);
		break;
	case LOWER_NC:
		ktap_emit_mov_imm(e, dst, insn->c);
		break;
	case LOWER_D:
		ktap_emit_mov_imm(e, dst, insn->d);
		break;
	case LOWER_INTEGER:
		lower_integer(u, dst, insn->d);
		break;
	case LOWER_STRING:
		ktap_emit_address(e, dst, &u->prog->strings[insn->d]);
		break;
	case LOWER_SYMBOL:
		ktap_emit_address(e, dst, &u->prog->symbols[insn->d]);
		break;
	case LOWER_GLOBAL:
		ktap_emit_address(e, dst, &u->env->globals[insn->d]);
		break;
	}
}

/* The activation, and the operands after it */
static void lower_set_arguments(struct ktap_unit *u, const struct ktap_code *insn,
				const struct lower_op *op)
{
	ktap_emit_mov(&u->emit, R1, VM);
	ktap_lower_operand(u, insn, op->operands[0], R2);
	ktap_lower_operand(u, insn, op->operands[1], R3);
	ktap_lower_operand(u, insn, op->operands[2], R4);
}

void ktap_lower_call_c(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;

	lower_set_arguments(u, insn, op);
	ktap_emit_call(e, op->fn);
	ktap_emit_jump_if_int(e, BPF_JNE, R0, 0, ktap_unit_fail(u));
}

void ktap_lower_call_quick(struct ktap_unit *u, const struct ktap_code *insn,
			   const struct lower_op *op, const void *quick)
{
	struct ktap_emit *e = &u->emit;
	u32 done;

	ktap_emit_call(e, quick);
	done = ktap_emit_ahead_if_int(e, BPF_JSGT, R0, 0);
	ktap_emit_jump_if_int(e, BPF_JNE, R0, 0, ktap_unit_fail(u));
	ktap_lower_call_c(u, insn, op);
	ktap_emit_land(e, done);
}

/* Most tuples are small: then the call of another function is saved. */
static void lower_tuple(struct ktap_unit *u, const struct ktap_code *insn,
			const struct lower_op *op)
{
	lower_set_arguments(u, insn, op);
	ktap_lower_call_quick(u, insn, op, op->quick);
}

/* Built-ins may report their line. */
static void lower_call_with_line(struct ktap_unit *u, const struct ktap_code *insn,
				 const struct lower_op *op)
{
	ktap_emit_store_imm(&u->emit, BPF_W, VM, offsetof(struct ktap_vm, pc), u->pc);
	ktap_lower_call_c(u, insn, op);
}

static void lower_builtin_value(struct ktap_unit *u, const struct ktap_code *insn,
				const struct lower_op *op)
{
	ktap_number_fn *number = ktap_builtin_number(insn->d);
	struct ktap_emit *e = &u->emit;

	if (number) {
		ktap_emit_call(e, number);
		lower_set_int(u, insn->a, R0, KTAP_OTHER_A);
		return;
	}
	ktap_emit_mov(e, R1, VM);
	lower_address(u, R2, insn->a);
	ktap_emit_mov_imm(e, R3, 0);
	ktap_emit_call(e, ktap_builtins[insn->d].fn);
	ktap_emit_jump_if_int(e, BPF_JNE, R0, 0, ktap_unit_fail(u));
}

static void lower_get_constant(struct ktap_unit *u, const struct ktap_code *insn,
			       const struct lower_op *op)
{
	struct ktap_value v;

	ktap_global_peek(u->env, insn->d, &v);
	if (ktap_is_blob(&v))
		ktap_lower_call_c(u, insn, op);
	else
		lower_set_value(u, insn->a, &v);
}

/* ktap_global_set_int(); some machines release no earlier stores by a store of eBPF */
static void lower_set_global_int(struct ktap_unit *u, const struct ktap_code *insn,
				 const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;

	if (!IS_ENABLED(CONFIG_X86) && !IS_ENABLED(CONFIG_S390)) {
		ktap_lower_call_c(u, insn, op);
		return;
	}
	ktap_emit_address(e, R1, &u->env->globals[insn->d].value);
	ktap_emit_load(e, BPF_W, R0, R1, offsetof(struct ktap_value, tag));
	ktap_emit_jump_if_imm(e, BPF_JNE, R0, KTAP_INT, ktap_unit_step(u));
	lower_load(u, R2, insn->a);
	ktap_emit_store(e, BPF_DW, R1, offsetof(struct ktap_value, i), R2);
}

/* A field of the current thread: its number is known. */
static void lower_self(struct ktap_unit *u, const struct ktap_code *insn,
		       const struct lower_op *op)
{
	bool sets = insn->op == KTAP_OP_SETSELFN;
	struct ktap_emit *e = &u->emit;

	if (sets && !lower_is_int(u, KTAP_OTHER_A)) {
		ktap_lower_call_c(u, insn, op);
		return;
	}
	ktap_emit_address(e, R1, u->env->self);
	ktap_emit_mov_imm(e, R2, ktap_self_field(u->env, insn->d));
	if (sets)
		lower_load(u, R3, insn->a);
	else
		lower_address(u, R3, insn->a);
	ktap_lower_call_quick(u, insn, op, op->quick);
}

/* Calls of functions of the script */

static void lower_call(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	const struct ktap_func *func = &u->prog->funcs[insn->d];
	struct ktap_emit *e = &u->emit;

	if (ktap_inline_call(u, insn))
		return;
	ktap_emit_mov(e, R1, VM);
	ktap_emit_address(e, R2, func);
	ktap_emit_address(e, R3, insn);
	ktap_emit_call(e, ktap_jit_enter);
	ktap_emit_jump_if_int(e, BPF_JNE, R0, 0, ktap_unit_fail(u));
	if (func->variadic)
		ktap_unit_reload_frame(u);
	else if (insn->a)
		ktap_emit_alu_imm(e, BPF_ADD, FRAME, lower_value(u, insn->a));
	ktap_emit_jump(e, u->insns[func->code - u->prog->code].start);
}

/* @op->fn returns where to continue. */
static void lower_call_and_find(struct ktap_unit *u, const struct ktap_code *insn,
				const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;

	ktap_emit_mov(e, R1, VM);
	lower_address(u, R2, insn->a);
	ktap_emit_address(e, R3, insn);
	ktap_emit_call(e, op->fn);
	ktap_unit_find(u);
}

/* The callee's frame begins at another register if it replaces the caller's. */
static void lower_tail_call(struct ktap_unit *u, const struct ktap_code *insn,
			    const struct lower_op *op)
{
	const struct ktap_func *func = &u->prog->funcs[insn->d];
	struct ktap_emit *e = &u->emit;

	ktap_emit_mov(e, R1, VM);
	ktap_emit_address(e, R2, func);
	ktap_emit_address(e, R3, insn);
	ktap_emit_call(e, ktap_jit_tail_call);
	ktap_emit_jump_if_int(e, BPF_JNE, R0, 0, ktap_unit_fail(u));
	ktap_unit_reload_frame(u);
	ktap_emit_jump(e, u->insns[func->code - u->prog->code].start);
}

static void lower_ret(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;

	/* It may end the filter; or its values are counted first. */
	if (u->func == u->filter || insn->b == KTAP_MULTI) {
		lower_call_and_find(u, insn, op);
		return;
	}
	ktap_emit_mov(e, R1, VM);
	lower_address(u, R2, insn->a);
	ktap_emit_mov_imm(e, R3, insn->b);
	ktap_emit_call(e, ktap_jit_return);
	ktap_unit_find(u);
}

static void lower_end(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	ktap_emit_mov_imm(&u->emit, R0, 0);
	ktap_emit_exit(&u->emit);
}

/* The filter is true: enter the handler. */
static void lower_enter_handler(struct ktap_unit *u)
{
	const struct ktap_func *handler = u->handler;
	struct ktap_emit *e = &u->emit;
	u32 entered;

	ktap_emit_mov(e, R1, VM);
	ktap_emit_call(e, ktap_jit_enter_handler);
	entered = ktap_emit_ahead_if_int(e, BPF_JEQ, R0, 0);
	ktap_emit_exit(e);
	ktap_emit_land(e, entered);
	if (handler->variadic)
		ktap_unit_reload_frame(u);
	ktap_emit_jump(e, u->insns[handler->code - u->prog->code].start);
}

static void lower_decide(struct ktap_unit *u, const struct ktap_code *insn,
			 const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;
	u32 nil, other, is_true;

	if (u->func != u->filter) {
		lower_call_and_find(u, insn, op);
		return;
	}
	ktap_emit_load(e, BPF_W, R0, FRAME, lower_tag(u, insn->a));
	nil = ktap_emit_ahead_if_imm(e, BPF_JEQ, R0, KTAP_NIL);
	other = ktap_emit_ahead_if_imm(e, BPF_JGT, R0, KTAP_INT);
	lower_load(u, R1, insn->a);
	is_true = ktap_emit_ahead_if_imm(e, BPF_JNE, R1, 0);
	ktap_emit_land(e, nil);
	lower_end(u, insn, op);
	ktap_emit_land(e, other);
	ktap_emit_land(e, is_true);
	lower_enter_handler(u);
}

/*
 * INT, a comparison, and the end of a filter: if R[b] is no integer, they are executed one
 * by one.
 */
static void lower_test(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;
	u32 other, is_true;

	if (u->func == u->filter) {
		ktap_emit_load(e, BPF_W, R0, FRAME, lower_tag(u, insn->b));
		other = ktap_emit_ahead_if_imm(e, BPF_JNE, R0, KTAP_INT);
		lower_load(u, R1, insn->b);
		is_true = ktap_emit_ahead_if_imm(e, op->op, R1, insn->d);
		lower_end(u, insn, op);
		ktap_emit_land(e, is_true);
		lower_enter_handler(u);
		ktap_emit_land(e, other);
	}
	lower_set_tag(u, lower_tag(u, insn->a), FRAME, KTAP_INT);
	ktap_emit_store_imm(e, BPF_DW, FRAME, lower_value(u, insn->a), insn->d);
}

static void lower_sum(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;

	if (!lower_is_int(u, KTAP_OTHER_A)) {
		ktap_lower_call_c(u, insn, op);
		return;
	}
	ktap_emit_mov(e, R1, VM);
	ktap_emit_address(e, R2, &u->env->globals[insn->d]);
	lower_load(u, R3, insn->a);
	ktap_emit_call(e, ktap_jit_sum_number);
	ktap_emit_jump_if_int(e, BPF_JNE, R0, 0, ktap_unit_fail(u));
}

/* INT, and the SUM of that integer that follows; if @op->op, the END after that, too. */
static void lower_sum_int(struct ktap_unit *u, const struct ktap_code *insn,
			  const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;
	u32 other;

	ktap_emit_address(e, R1, &u->env->globals[insn[1].d]);
	ktap_emit_mov_imm(e, R2, insn->d);
	ktap_emit_call(e, ktap_jit_sum_int);
	if (op->op) {
		other = ktap_emit_ahead_if_int(e, BPF_JEQ, R0, 0);
		lower_end(u, insn, op);
		ktap_emit_land(e, other);
		lower_set_constant(u, insn->a, insn->d);
	} else {
		lower_set_constant(u, insn->a, insn->d);
		ktap_emit_jump_if_int(e, BPF_JNE, R0, 0, u->insns[u->pc + 2].start);
	}
}

#define ROW(name, _lower, ...)	[KTAP_OP_##name] = { .lower = lower_##_lower, ##__VA_ARGS__ }
#define ROW_LOCAL(name, _lower, ...)	ROW(name, _lower, .local = true, ##__VA_ARGS__)
#define ROW_LOOP(name, _lower, ...)					\
	[KTAP_OP_##name] = { .lower = ktap_lower_##_lower, ##__VA_ARGS__ }
#define ROW_JUMP(name, _lower, ...)					\
	[KTAP_OP_##name] = { .lower = ktap_lower_##_lower, .local = true, ##__VA_ARGS__ }
#define ROW_ARITH(name, _op)						\
	ROW_LOCAL(name, arith, .op = _op), ROW_LOCAL(name##I, arith_imm, .op = _op)
#define ROW_DIVIDE(name, _op)						\
	ROW_LOCAL(name, divide, .op = _op), ROW_LOCAL(name##I, divide_imm, .op = _op)
#define ROW_C(name, _lower, _fn, ...)					\
	[KTAP_OP_##name] = {						\
		.lower = ktap_lower_##_lower, .fn = _fn, .operands = { __VA_ARGS__ }, \
	}
#define ROW_CALL(name, _fn, ...)	ROW_C(name, call_c, _fn, __VA_ARGS__)
#define ROW_LINE(name, _fn, ...)					\
	ROW(name, call_with_line, .fn = _fn, .operands = { __VA_ARGS__ })
#define ROW_KEYS(name, _lower, _fn)					\
	ROW_C(name, _lower, _fn, LOWER_A, LOWER_B, LOWER_C),		\
	ROW_C(name##S, _lower, _fn, LOWER_A, LOWER_STRING, LOWER_C),	\
	ROW_C(name##I, _lower, _fn, LOWER_A, LOWER_INTEGER, LOWER_C)

/* Every opcode is here. */
static const struct lower_op lower_ops[256] = {
	ROW_LOCAL(NIL, nil),
	ROW_LOCAL(BOOL, boolean),
	ROW_LOCAL(INT, int),
	ROW_LOCAL(INTK, intk),
	ROW_LOCAL(STR, str),
	ROW_LOCAL(FUNC, func),
	ROW_LOCAL(MOV, mov),

	ROW(GETC, get_constant, .fn = ktap_global_get, .operands = { LOWER_D, LOWER_A }),
	ROW_CALL(GETG, ktap_global_get, LOWER_D, LOWER_A),
	ROW_CALL(SETG, ktap_global_set, LOWER_D, LOWER_A),
	ROW(SETGN, set_global_int, .fn = ktap_jit_set_global, .operands = { LOWER_D, LOWER_A }),
	ROW_CALL(ADDG, ktap_global_add, LOWER_D, LOWER_A),
	ROW(SUM, sum, .fn = ktap_jit_sum, .operands = { LOWER_GLOBAL, LOWER_A }),
	ROW(SUMI, sum_int, .op = false),
	ROW(SUMEND, sum_int, .op = true),

	ROW_ARITH(ADD, BPF_ADD),
	ROW_ARITH(SUB, BPF_SUB),
	ROW_ARITH(MUL, BPF_MUL),
	ROW_ARITH(AND, BPF_AND),
	ROW_ARITH(OR, BPF_OR),
	ROW_ARITH(XOR, BPF_XOR),
	ROW_ARITH(SHL, BPF_LSH),
	ROW_ARITH(SHR, BPF_ARSH),
	ROW_DIVIDE(DIV, BPF_DIV),
	ROW_DIVIDE(MOD, BPF_MOD),
	ROW_LOCAL(NEG, neg),
	ROW_LOCAL(BNOT, bnot),
	ROW_LOCAL(NOT, not),
	ROW_CALL(CONCAT, ktap_op_concat, LOWER_A, LOWER_B, LOWER_NC),
	ROW(TUPLE, tuple, .quick = ktap_op_small_tuple, .fn = ktap_op_tuple,
	    .operands = { LOWER_A, LOWER_B, LOWER_NC }),
	ROW_LOCAL(EQ, compare, .op = BPF_JEQ),
	ROW_LOCAL(LT, compare, .op = BPF_JSLT),
	ROW_LOCAL(LE, compare, .op = BPF_JSLE),

	ROW_JUMP(JMP, jmp),
	ROW_JUMP(JT, jump_truth, .op = BPF_JNE),
	ROW_JUMP(JF, jump_truth, .op = BPF_JEQ),
	ROW_JUMP(JNIL, jump_nil, .op = BPF_JEQ),
	ROW_JUMP(JNNIL, jump_nil, .op = BPF_JNE),
	ROW_JUMP(JEQ, jump_order, .op = BPF_JEQ),
	ROW_JUMP(JNE, jump_order, .op = BPF_JNE),
	ROW_JUMP(JLT, jump_order, .op = BPF_JSLT),
	ROW_JUMP(JLE, jump_order, .op = BPF_JSLE),
	ROW_JUMP(JNLT, jump_order, .op = BPF_JSGE),
	ROW_JUMP(JNLE, jump_order, .op = BPF_JSGT),
	ROW_JUMP(JEQI, jump_equal_imm, .op = BPF_JEQ),
	ROW_JUMP(JNEI, jump_equal_imm, .op = BPF_JNE),
	ROW_JUMP(JLTI, jump_order_imm, .op = BPF_JSLT),
	ROW_JUMP(JLEI, jump_order_imm, .op = BPF_JSLE),
	ROW_JUMP(JGTI, jump_order_imm, .op = BPF_JSGT),
	ROW_JUMP(JGEI, jump_order_imm, .op = BPF_JSGE),
	ROW_JUMP(JNLTI, jump_order_imm, .op = BPF_JSGE),
	ROW_JUMP(JNLEI, jump_order_imm, .op = BPF_JSGT),
	ROW_JUMP(JNGTI, jump_order_imm, .op = BPF_JSLE),
	ROW_JUMP(JNGEI, jump_order_imm, .op = BPF_JSLT),

	ROW_CALL(NEWT, ktap_table_new, LOWER_D, LOWER_A),
	ROW_C(TGET, get, ktap_op_get, LOWER_A, LOWER_B, LOWER_C),
	ROW_CALL(TGETS, ktap_op_get_name, LOWER_A, LOWER_B, LOWER_D),
	ROW_C(TGETI, get, ktap_op_get, LOWER_A, LOWER_B, LOWER_INTEGER),
	ROW_KEYS(TSET, set, ktap_op_set),
	ROW_KEYS(TADD, add, ktap_op_add),
	ROW_CALL(THAS, ktap_op_has, LOWER_A, LOWER_B, LOWER_C),
	ROW_C(TAGG, aggregate_keyed, ktap_op_taggregate, LOWER_A, LOWER_B, LOWER_C),
	ROW_CALL(TSETM, ktap_op_set_open, LOWER_A, LOWER_D, LOWER_B),
	ROW_C(AGG, aggregate, ktap_op_aggregate, LOWER_A, LOWER_C),
	ROW_CALL(ITER, ktap_op_iter, LOWER_A),
	ROW_LOOP(NEXT, loop, .fn = ktap_op_next),
	ROW_LOOP(FORPREP, loop, .fn = ktap_jit_for),
	ROW_LOOP(FORLOOP, for_loop),

	ROW(CALL, call),
	ROW_LINE(CALLB, ktap_jit_call_builtin, LOWER_A, LOWER_D, LOWER_NB),
	ROW_LINE(PRINTF, ktap_jit_printf, LOWER_A, LOWER_D, LOWER_NB),
	ROW_LINE(KERNEL, ktap_jit_call_kernel, LOWER_A, LOWER_D, LOWER_NB),
	ROW_LINE(KANY, ktap_kernel_function_call, LOWER_D, LOWER_A, LOWER_NB),
	ROW(VALUE, builtin_value),
	ROW(CALLV, call_and_find, .fn = ktap_jit_call_value),
	ROW(TAIL, tail_call),
	ROW(TAILV, call_and_find, .fn = ktap_jit_tail_call_value),
	ROW(RET, ret, .fn = ktap_jit_return_any),
	ROW_CALL(VARG, ktap_frame_varargs, LOWER_A, LOWER_NC),
	ROW(END, end),
	ROW(DECIDE, decide, .fn = ktap_jit_decide),
	ROW(TESTEQ, test, .op = BPF_JEQ),
	ROW(TESTNE, test, .op = BPF_JNE),
	ROW(TESTLT, test, .op = BPF_JSLT),
	ROW(TESTLE, test, .op = BPF_JSLE),
	ROW(TESTGT, test, .op = BPF_JSGT),
	ROW(TESTGE, test, .op = BPF_JSGE),

	ROW_CALL(FIELD, ktap_jit_field, LOWER_D, LOWER_A),
	ROW_CALL(ARG, ktap_jit_arg, LOWER_D, LOWER_A),
	ROW_CALL(SYMBOL, ktap_symbol_get, LOWER_SYMBOL, LOWER_A),
	ROW(GETSELF, self, .quick = ktap_self_get_quickly, .fn = ktap_self_get,
	    .operands = { LOWER_D, LOWER_A }),
	ROW_CALL(SETSELF, ktap_self_set, LOWER_D, LOWER_A),
	ROW(SETSELFN, self, .quick = ktap_self_set_int, .fn = ktap_self_set_number,
	    .operands = { LOWER_D, LOWER_A }),
	ROW_CALL(ADDSELF, ktap_self_add, LOWER_D, LOWER_A),
	ROW_CALL(MEMBER, ktap_op_member, LOWER_A, LOWER_B, LOWER_D),
	ROW_CALL(ELEM, ktap_op_element, LOWER_A, LOWER_B, LOWER_C),
	ROW_CALL(ELEMI, ktap_op_element, LOWER_A, LOWER_B, LOWER_INTEGER),
	ROW_CALL(CAST, ktap_op_cast, LOWER_A, LOWER_A1, LOWER_D),
};

bool ktap_lowers_locally(const struct ktap_code *insn)
{
	return lower_ops[insn->op].local;
}

void ktap_lower(struct ktap_unit *u)
{
	const struct ktap_code *insn = &u->prog->code[u->pc];
	const struct lower_op *op = &lower_ops[insn->op];

	u->njumps = 0;
	if (u->env->fenced)
		ktap_emit_fence(&u->emit);
	op->lower(u, insn, op);
}
