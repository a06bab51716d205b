// SPDX-License-Identifier: GPL-2.0
/*
 * The interpreter.  It is the definition of the bytecode.
 *
 * The verifier has checked that every register, constant, global, field,
 * function and jump target of an instruction exists, and that a register is
 * written before it is read.  These numbers are constants of the program, which
 * an event cannot change; the verifier has masked them against speculative
 * execution.  Indexes and pointers in registers are masked here: a function
 * that is a value by ktap_func_of(), a table or an aggregation by
 * ktap_table_of().  Checked at run time are the types of values, the number of
 * open values, the room on the stack, division by zero, and the budget.
 *
 * An error ends the instruction at once, without further writes.  Execution
 * continues at the `try` that catches the error, if any (frame.c).
 */
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/string_choices.h>

#include "btf/btf_read.h"
#include "data/table.h"
#include "vm/arith.h"
#include "vm/env.h"
#include "vm/frame.h"
#include "vm/global.h"
#include "vm/kernel_call.h"
#include "vm/kernel_function.h"
#include "vm/opcode.h"
#include "vm/ops.h"
#include "vm/run.h"

/* Compilers write the second half of a compound literal twice. */
static __always_inline void vm_set_int(struct ktap_value *v, s64 x)
{
	v->i = x;
	v->tag = KTAP_INT;
	v->len = 0;
}

static noinline int vm_broken_loop(struct ktap_vm *vm)
{
	return ktap_vm_error(vm, -EINVAL, "broken loop");
}

/* Is it an integer as FORPREP makes it?  The state of a NEXT has a length. */
static __always_inline bool vm_counts(const struct ktap_value *v)
{
	return v->tag == KTAP_INT && !v->len;
}

static const char *vm_level_names(u8 levels)
{
	return levels == KTAP_IN_PROCESS ? "in trace_begin, trace_end, tick and at the top level" :
					   "in a handler of an event";
}

static noinline int vm_refuse_argument(struct ktap_vm *vm, const struct ktap_builtin *fn,
				       const struct ktap_value *v, unsigned int i)
{
	bool counter = fn == &ktap_builtins[KTAP_FN_CLEAR] && v->tag == KTAP_INT;
	char types[96];

	ktap_name_types(fn->args[i], types, sizeof(types));
	return ktap_vm_error(vm, -EINVAL,
			     "%s: argument %u is %s, which it does not take: it takes %s%s",
			     fn->name, i + 1, ktap_type_name(v), types,
			     counter ? "; to clear a number, write n = 0" : "");
}

static noinline int vm_wrong_argument(struct ktap_vm *vm, const struct ktap_builtin *fn,
				      struct ktap_value *r, unsigned int i)
{
	if (!ktap_is_lost(&r[i]) || !(fn->args[i] & (ktap_bit(TABLE) | ktap_bit(AGG))))
		return vm_refuse_argument(vm, fn, &r[i], i);
	r[0] = KTAP_VALUE_LOST;
	return ktap_op_drop(vm);
}

static int vm_call_builtin(struct ktap_vm *vm, const struct ktap_builtin *fn, struct ktap_value *r,
			   unsigned int n)
{
	unsigned int i;
	int err;

	err = ktap_vm_charge(vm, 1);
	if (err)
		return err;
	if (unlikely(!(fn->levels & BIT(vm->level))))
		return ktap_vm_error(vm, -EPERM, "%s works %s", fn->name,
				     vm_level_names(fn->levels));
	for (i = 0; i < n && i < ARRAY_SIZE(fn->args); i++) {
		if (unlikely(fn->args[i] && !(fn->args[i] & BIT(r[i].tag))))
			return vm_wrong_argument(vm, fn, r, i);
	}
	return fn->fn(vm, r, n);
}

static int vm_wrong_number(struct ktap_vm *vm, const struct ktap_builtin *fn, unsigned int n)
{
	if (fn->min == fn->max)
		return ktap_vm_error(vm, -EINVAL, "%s takes %u argument%s, got %u", fn->name,
				     fn->min, str_plural(fn->min), n);
	return ktap_vm_error(vm, -EINVAL, "%s takes %u to %u arguments, got %u", fn->name,
			     fn->min, fn->max, n);
}

/* Call a built-in with open values as the last arguments. */
static noinline int vm_call_builtin_open(struct ktap_vm *vm, const struct ktap_builtin *fn,
					 struct ktap_value *r)
{
	unsigned int n;
	int err;

	err = ktap_open_values(vm, r - vm->stack, &n);
	if (err)
		return err;
	if (n < fn->min || n > fn->max)
		return vm_wrong_number(vm, fn, n);
	err = vm_call_builtin(vm, fn, r, n);
	vm->top = vm->base + vm->func->nregs;
	return err;
}

static noinline int vm_no_function(struct ktap_vm *vm, const struct ktap_value *v)
{
	return ktap_vm_error(vm, -EINVAL, "%s is called, only a function can be",
			     ktap_type_name(v));
}

static s16 vm_immediate(const struct ktap_code *insn)
{
	return (s16)(insn->b | insn->c << 8);
}

#define A	R[insn->a]
#define B	R[insn->b]
#define C	R[insn->c]
#define D	(insn->d)
#define PROG	(vm->env->prog)

/*
 * jit/step.c includes this file to execute one instruction, and returns the number of the
 * one to continue at.  The interpreter continues there itself.  So does that of vm/fenced.c,
 * after a barrier.  FENCE() is also between a value that an instruction makes and its use.
 */
#define EXECUTE()							\
	do {								\
		goto *jumptable[insn->op];				\
	} while (0)
#ifdef KTAP_STEP
#define FENCE()								\
	do {								\
		if (unlikely(vm->env->fenced))				\
			barrier_nospec();				\
	} while (0)
#define DISPATCH()							\
	do {								\
		return insn - PROG->code;				\
	} while (0)
#define FINISH()							\
	do {								\
		return KTAP_STEP_DONE;					\
	} while (0)
#else
#ifdef KTAP_FENCED
#define FENCE()		barrier_nospec()
#else
#define FENCE()		do { } while (0)
#endif
#define DISPATCH()							\
	do {								\
		FENCE();						\
		EXECUTE();						\
	} while (0)
#define FINISH()							\
	do {								\
		return 0;						\
	} while (0)
#endif

/* Execute the instruction after @insn; or that one, unless there is an error. */
#define NEXT()								\
	do {								\
		insn++;							\
		DISPATCH();						\
	} while (0)
#define CHECK()								\
	do {								\
		if (unlikely(err))					\
			goto error;					\
		NEXT();							\
	} while (0)

__diag_push();
__diag_ignore_all("-Woverride-init", "a jump table with a default");

/*
 * The frame of @vm->func is made.  Most runs are a few instructions: so this begins with as
 * little as possible, and an instruction that needs the program loads its address.
 */
#ifdef KTAP_STEP
static int step_execute(struct ktap_vm *vm, struct ktap_value *R, const struct ktap_code *insn)
#elif defined(KTAP_FENCED)
int ktap_interpret_fenced(struct ktap_vm *vm, struct ktap_value *R, const struct ktap_code *insn)
#else
int ktap_interpret(struct ktap_vm *vm, struct ktap_value *R, const struct ktap_code *insn)
#endif
{
#define OP(op, ...)	[KTAP_OP_##op] = &&op_##op,
#define MADE		OP
	static const void * const jumptable[256] __annotate_jump_table = {
		[0 ... 255] = &&unknown,
#include "vm/opcode_list.h"
	};
#undef OP
#undef MADE
	const struct ktap_func *func;
	int err;
	/* Compilers that set variables to zero would do that in each run. */
	struct ktap_value tmp __uninitialized;
	unsigned int i __uninitialized;
	struct ktap_value *r __uninitialized;
	u64 cost __uninitialized;
	bool cond __uninitialized;
	struct ktap_sum __percpu *sums;
	u32 to __uninitialized;
	s64 x __uninitialized;
	s64 y __uninitialized;

	FENCE();
	EXECUTE();

	/* Ends of instructions that can fail, or jump. */
checked_jump_unless:
	if (unlikely(err))
		goto error;
	if (cond)
		NEXT();
	goto jump;
checked_jump:
	if (unlikely(err))
		goto error;
	if (!cond)
		NEXT();
jump:
	/* Only a backward jump can make a loop. */
	if (D < 0) {
		to = insn + 1 - PROG->code;
		err = ktap_vm_charge(vm, 1 + ktap_straight_cost(PROG, to + D, to));
		if (unlikely(err))
			goto error;
	}
	insn += D;
	NEXT();
	/* Nil has no order: a relation with it is false, the opposite is true. */
unordered:
	if (err < 0)
		goto error;
	NEXT();
unordered_jump:
	if (err < 0)
		goto error;
	goto jump;

	/*
	 * The first of two or three instructions that do their work together
	 * (load/rewrite.c).  If this is not possible, they do it one by one.
	 */
op_SUMI:
	sums = READ_ONCE(vm->env->globals[insn[1].d].adding);
	if (unlikely(!sums))
		goto op_INT;
	vm_set_int(&A, D);
	ktap_sum_add(sums, D);
	insn += 2;
	DISPATCH();
op_SUMEND:
	sums = READ_ONCE(vm->env->globals[insn[1].d].adding);
	if (unlikely(!sums))
		goto op_INT;
	ktap_sum_add(sums, D);
	FINISH();

#define TEST(op, relation)						\
op_TEST##op:								\
	if (unlikely(B.tag != KTAP_INT))				\
		goto op_INT;						\
	if (B.i relation D)						\
		goto tested;						\
	FINISH()

	TEST(EQ, ==);
	TEST(NE, !=);
	TEST(LT, <);
	TEST(LE, <=);
	TEST(GT, >);
	TEST(GE, >=);
tested:
	if (unlikely(!vm->handler))
		goto op_INT;
	goto enter_handler;

	/* Instructions of the same form: those that cannot fail, */
#define LOAD(op, value)							\
op_##op:								\
	A = value;							\
	NEXT()

	/* those that are one call that can, */
#define CALL(op, call)							\
op_##op:								\
	err = call;							\
	CHECK()

	/* and jumps. */
#define JUMP_IF(op, condition)						\
op_##op:								\
	if (condition)							\
		goto jump;						\
	NEXT()

op_NIL:
	for (i = insn->a; i <= insn->b; i++)
		R[i] = KTAP_VALUE_NIL;
	NEXT();
	LOAD(BOOL, KTAP_VALUE_BOOL(insn->b));
op_INT:
	vm_set_int(&A, D);
	NEXT();
	LOAD(INTK, KTAP_VALUE_INT(PROG->ints[D]));
	LOAD(STR, PROG->strings[D]);
	LOAD(FUNC, ((struct ktap_value){ .u = D, .tag = KTAP_FUNC }));
	LOAD(MOV, B);

op_GETC:
	/* Its text would have to be copied. */
	if (unlikely(ktap_is_blob(&vm->env->globals[D].value)))
		goto op_GETG;
	A = vm->env->globals[D].value;
	NEXT();
op_GETG:
	if (likely(ktap_global_read(&vm->env->globals[D], &tmp))) {
		A = tmp;
		NEXT();
	}
	err = ktap_global_get(vm, D, &A);
	CHECK();
	CALL(SETG, ktap_global_set(vm, D, &A));
op_SETGN:
	if (likely(ktap_global_set_int(&vm->env->globals[D], A.i)))
		NEXT();
	err = ktap_global_set(vm, D, &A);
	CHECK();
	CALL(ADDG, ktap_global_add(vm, D, &A));
op_SUM:
	if (likely(ktap_global_sum(vm, &vm->env->globals[D], &A)))
		NEXT();
	err = ktap_global_add(vm, D, &A);
	CHECK();

	/* Arithmetic on two registers, and on a register and an immediate. */
#define ARITH(op, result)						\
op_##op:								\
	err = ktap_two_numbers(vm, &B, &C, &x, &y);			\
	if (unlikely(err))						\
		goto error;						\
	vm_set_int(&A, result);					\
	NEXT();							\
op_##op##I:								\
	err = ktap_one_number(vm, &B, &x);				\
	if (unlikely(err))						\
		goto error;						\
	y = D;								\
	vm_set_int(&A, result);					\
	NEXT()

	ARITH(ADD, (u64)x + (u64)y);
	ARITH(SUB, (u64)x - (u64)y);
	ARITH(MUL, (u64)x * (u64)y);
	ARITH(AND, x & y);
	ARITH(OR, x | y);
	ARITH(XOR, x ^ y);
	ARITH(SHL, (u64)x << (y & 63));
	ARITH(SHR, x >> (y & 63));

#define DIVIDE(op, divide)						\
op_##op:								\
	err = ktap_two_numbers(vm, &B, &C, &x, &y);			\
	if (!err)							\
		err = divide(vm, x, y, &x);				\
	if (unlikely(err))						\
		goto error;						\
	vm_set_int(&A, x);						\
	NEXT();							\
op_##op##I:								\
	err = ktap_one_number(vm, &B, &x);				\
	if (!err)							\
		err = divide(vm, x, D, &x);				\
	if (unlikely(err))						\
		goto error;						\
	vm_set_int(&A, x);						\
	NEXT()

	DIVIDE(DIV, ktap_divide);
	DIVIDE(MOD, ktap_modulo);

op_NEG:
	err = ktap_one_number(vm, &B, &x);
	if (unlikely(err))
		goto error;
	vm_set_int(&A, -(u64)x);
	NEXT();
op_BNOT:
	err = ktap_one_number(vm, &B, &x);
	if (unlikely(err))
		goto error;
	vm_set_int(&A, ~x);
	NEXT();
	LOAD(NOT, KTAP_VALUE_BOOL(!ktap_is_true(&B)));
	CALL(CONCAT, ktap_op_concat(vm, &A, &B, insn->c));
op_TUPLE:
	if (likely(ktap_op_small_tuple(vm, &A, &B, insn->c)))
		NEXT();
	err = ktap_op_tuple(vm, &A, &B, insn->c);
	CHECK();
op_EQ:
	err = ktap_quick_equal(vm, &B, &C, &cond);
	goto set_bool;
op_LT:
	err = ktap_quick_less(vm, &B, &C, false, &cond);
	goto set_bool;
op_LE:
	err = ktap_quick_less(vm, &B, &C, true, &cond);
set_bool:
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_BOOL(cond);
	NEXT();

op_JMP:
	if (D < 0)
		goto loop;
	insn += D;
	NEXT();
	JUMP_IF(JT, ktap_is_true(&A));
	JUMP_IF(JF, !ktap_is_true(&A));
	JUMP_IF(JNIL, A.tag == KTAP_NIL);
	JUMP_IF(JNNIL, A.tag != KTAP_NIL);
	JUMP_IF(JEQI, A.tag == KTAP_INT && A.i == vm_immediate(insn));
	JUMP_IF(JNEI, A.tag != KTAP_INT || A.i != vm_immediate(insn));

	/* By a relation of two registers, and by its opposite. */
#define JUMP_RELATION(op, opposite, relation)				\
op_##op:								\
	err = relation;							\
	goto checked_jump;						\
op_##opposite:								\
	err = relation;							\
	goto checked_jump_unless

	JUMP_RELATION(JEQ, JNE, ktap_quick_equal(vm, &A, &B, &cond));
	JUMP_RELATION(JLT, JNLT, ktap_quick_less(vm, &A, &B, false, &cond));
	JUMP_RELATION(JLE, JNLE, ktap_quick_less(vm, &A, &B, true, &cond));

	/* By the order of a register and an immediate, and by its opposite. */
#define JUMP_ORDER(order, relation)					\
op_J##order:								\
	err = ktap_ordered(vm, &A, &x);					\
	if (unlikely(err))						\
		goto unordered;						\
	if (x relation vm_immediate(insn))				\
		goto jump;						\
	NEXT();							\
op_JN##order:								\
	err = ktap_ordered(vm, &A, &x);					\
	if (unlikely(err))						\
		goto unordered_jump;					\
	if (!(x relation vm_immediate(insn)))				\
		goto jump;						\
	NEXT()

	JUMP_ORDER(LTI, <);
	JUMP_ORDER(LEI, <=);
	JUMP_ORDER(GTI, >);
	JUMP_ORDER(GEI, >=);

	CALL(NEWT, ktap_table_new(vm, D, &A));
	CALL(TGET, ktap_op_get(vm, &A, &B, &C));
	CALL(TGETS, ktap_op_get_name(vm, &A, &B, D));
op_TGETI:
	tmp = KTAP_VALUE_INT(D);
	FENCE();
	err = ktap_op_get(vm, &A, &B, &tmp);
	CHECK();

	/* The key is in a register, a string, or an immediate. */
#define WRITE_KEY(op, write)						\
op_##op:								\
	err = write(vm, &A, &B, &C);					\
	CHECK();							\
op_##op##S:								\
	tmp = PROG->strings[D];						\
	FENCE();							\
	err = write(vm, &A, &tmp, &C);					\
	CHECK();							\
op_##op##I:								\
	tmp = KTAP_VALUE_INT(D);					\
	FENCE();							\
	err = write(vm, &A, &tmp, &C);					\
	CHECK()

	WRITE_KEY(TSET, ktap_op_set);
	WRITE_KEY(TADD, ktap_op_add);
	CALL(THAS, ktap_op_has(vm, &A, &B, &C));
	CALL(TAGG, ktap_op_taggregate(vm, &A, &B, &C));
	CALL(ITER, ktap_op_iter(vm, &A));
op_NEXT:
	err = ktap_op_next(vm, &A);
	if (err < 0)
		goto error;
	if (!err)
		goto jump;
	NEXT();

op_FORPREP:
	err = ktap_op_for(vm, &A, &cond);
	goto checked_jump_unless;
op_FORLOOP:
	r = &A;
	if (unlikely(!vm_counts(&r[0]) || !vm_counts(&r[1]) || !vm_counts(&r[2]))) {
		err = vm_broken_loop(vm);
		goto error;
	}
	/* The verifier relies on the write of R[a + 3] even if the loop ends. */
	if (!r[1].u) {
		vm_set_int(&r[3], r[0].i);
		NEXT();
	}
	r[1].u--;
	r[0].u += r[2].u;
	vm_set_int(&r[3], r[0].i);
loop:
	/* The jump has its cost, unless that is too large (load/rewrite.c). */
	cost = (u16)vm_immediate(insn);
	if (unlikely(!cost || vm->budget <= cost))
		goto jump;
	vm->budget -= cost;
	insn += D + 1;
	DISPATCH();

op_CALLV:
	if (unlikely(A.tag != KTAP_FUNC)) {
		err = vm_no_function(vm, &A);
		goto error;
	}
	func = ktap_func_of(PROG, &A);
	to = vm->base + insn->a + 1;
	goto call;
op_CALL:
	func = &PROG->funcs[D];
	to = vm->base + insn->a;
call:
	if (likely(ktap_frame_enter_plain(vm, func, to, insn))) {
		R = vm->stack + to;
		insn = func->code;
		DISPATCH();
	}
	err = ktap_frame_enter(vm, func, to, insn);
called:
	if (unlikely(err))
		goto error;
	R = vm->stack + vm->base;
	insn = func->code;
	DISPATCH();
op_TAIL:
	func = &PROG->funcs[D];
	to = vm->base + insn->a;
	goto tail_call;
op_TAILV:
	if (unlikely(A.tag != KTAP_FUNC)) {
		err = vm_no_function(vm, &A);
		goto error;
	}
	func = ktap_func_of(PROG, &A);
	to = vm->base + insn->a + 1;
tail_call:
	/* The first frame of this interpreter has no caller to return to. */
	if (vm->ncalls == vm->floor)
		goto call;
	err = ktap_frame_replace(vm, func, to, insn->b);
	goto called;
op_CALLB:
	vm->pc = insn - PROG->code;	/* built-ins may report their line */
	if (unlikely(insn->b == KTAP_MULTI))
		err = vm_call_builtin_open(vm, &ktap_builtins[D], &A);
	else
		err = vm_call_builtin(vm, &ktap_builtins[D], &A, insn->b);
	CHECK();
	CALL(VALUE, ktap_builtins[D].fn(vm, &A, 0));
op_PRINTF:
	if (likely(ktap_print_split(vm, PROG->formats[D], D, &A, insn->b)))
		NEXT();
	vm->pc = insn - PROG->code;
	err = vm_call_builtin(vm, &ktap_builtins[KTAP_FN_PRINTF], &A, insn->b);
	CHECK();
op_CALLK:	/* the verifier has replaced it */
	goto unknown;
op_KERNEL:
	vm->pc = insn - PROG->code;
	err = vm_call_builtin(vm, &ktap_kernel_calls[D], &A, insn->b);
	CHECK();
op_KANY:
	vm->pc = insn - PROG->code;
	err = ktap_kernel_function_call(vm, D, &A, insn->b);
	CHECK();
op_RET:
	i = insn->b;
	if (unlikely(i == KTAP_MULTI)) {
		err = ktap_open_values(vm, &A - vm->stack, &i);
		if (unlikely(err))
			goto error;
	}
	if (vm->ncalls == vm->floor) {
		vm->result = i ? A : KTAP_VALUE_NIL;
		if (vm->handler && !vm->floor)
			goto filtered;
		FINISH();
	}
	R = ktap_frame_leave(vm, &A, i, &insn);
	NEXT();
op_END:
	FINISH();
op_DECIDE:
	if (unlikely(!vm->handler))
		goto op_RET;
	if (!ktap_is_true(&A))
		FINISH();
	goto enter_handler;
	CALL(VARG, ktap_frame_varargs(vm, &A, insn->c));
	CALL(TSETM, ktap_op_set_open(vm, &A, D, &B));

	CALL(AGG, ktap_op_aggregate(vm, &A, &C));

op_FIELD:
	ktap_op_field(vm, D, &A);
	err = vm->error;
	CHECK();
op_ARG:
	ktap_op_arg(vm, D, &A);
	err = vm->error;
	CHECK();

	CALL(SYMBOL, ktap_symbol_get(vm, &PROG->symbols[D], &A));

	CALL(GETSELF, ktap_self_get(vm, D, &A));
	CALL(SETSELF, ktap_self_set(vm, D, &A));
	CALL(SETSELFN, ktap_self_set_number(vm, D, &A));
	CALL(ADDSELF, ktap_self_add(vm, D, &A));

	CALL(MEMBER, ktap_op_member(vm, &A, &B, D));
	CALL(ELEM, ktap_op_element(vm, &A, &B, &C));
op_ELEMI:
	tmp = KTAP_VALUE_INT(D);
	FENCE();
	err = ktap_op_element(vm, &A, &B, &tmp);
	CHECK();
	CALL(CAST, ktap_op_cast(vm, &A, &R[insn->a + 1], D));

	/* The filter of a probe has ended. */
filtered:
	if (!ktap_is_true(&vm->result))
		FINISH();
enter_handler:
	func = vm->handler;
	err = ktap_vm_enter_handler(vm, func);
	if (unlikely(err))
		return err;
	R = vm->stack + vm->base;
	insn = func->code;
	DISPATCH();

unknown:
	WARN_ON_ONCE(1);
	err = ktap_vm_error(vm, -EINVAL, "unknown instruction");
error:
	err = ktap_frame_catch(vm, insn - PROG->code, err, &to);
	if (err)
		return err;
	R = vm->stack + vm->base;
	insn = PROG->code + to;
	DISPATCH();
}

__diag_pop();
