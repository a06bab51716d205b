// SPDX-License-Identifier: GPL-2.0
/*
 * The interpreter.  It is the definition of the bytecode.
 *
 * The verifier has seen to it that every register, constant, global, field,
 * function and jump target an instruction names exists, and that a register is
 * written before it is read.  All these are numbers of the program, masked when
 * they were judged, which do not change and cannot be steered by an event; the one
 * index that comes from a register, of a function that is a value, is masked here
 * (ktap_func_of()), and so is the table or aggregation that a value is said to be
 * (ktap_table_of()).  What is left for run time are the types of values, how many
 * open ones there are, the room on the stack, division by zero, and the budget.
 *
 * An error leaves the instruction at once, and goes on where the program
 * catches it, if it does (frame.c): what an instruction has not written by then
 * it does not write.
 */
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string_choices.h>

#include "arith.h"
#include "builtin.h"
#include "frame.h"
#include "global.h"
#include "member.h"
#include "opcode.h"
#include "ops.h"
#include "table.h"

static int for_next(struct ktap_vm *vm, struct ktap_value *r, bool *again)
{
	if (unlikely(r[0].tag != KTAP_INT || r[1].tag != KTAP_INT || r[2].tag != KTAP_INT))
		return ktap_vm_error(vm, -EINVAL, "broken loop");
	*again = r[1].u;
	if (*again) {
		/* Anew: what was an iteration's has a length (ktap-design.rst, Speculation). */
		r[1] = KTAP_VALUE_INT(r[1].u - 1);
		r[0] = KTAP_VALUE_INT(r[0].u + r[2].u);
	}
	/* Written in any case: the verifier counts on it. */
	r[3] = r[0];
	return 0;
}

static const char *level_names(u8 levels)
{
	return levels == KTAP_IN_PROCESS ? "in trace_begin, trace_end, tick and at the top level" :
					   "in a handler of an event";
}

static noinline int wrong_argument(struct ktap_vm *vm, const struct ktap_builtin *fn,
				   struct ktap_value *r, unsigned int i)
{
	if (!ktap_is_lost(&r[i]) || !(fn->args[i] & (ktap_bit(TABLE) | ktap_bit(AGG))))
		return ktap_vm_error(vm, -EINVAL, "%s: argument %u is %s, which it does not take",
				     fn->name, i + 1, ktap_type_name(&r[i]));
	r[0] = KTAP_VALUE_LOST;
	return ktap_op_drop(vm);
}

static int call_builtin(struct ktap_vm *vm, const struct ktap_builtin *fn, struct ktap_value *r,
			unsigned int n)
{
	unsigned int i;
	int err;

	err = ktap_vm_charge(vm, 1);
	if (err)
		return err;
	if (unlikely(!(fn->levels & BIT(vm->level))))
		return ktap_vm_error(vm, -EPERM, "%s works %s", fn->name, level_names(fn->levels));
	for (i = 0; i < n && i < ARRAY_SIZE(fn->args); i++) {
		if (unlikely(fn->args[i] && !(fn->args[i] & BIT(r[i].tag))))
			return wrong_argument(vm, fn, r, i);
	}
	return fn->fn(vm, r, n);
}

static int wrong_number(struct ktap_vm *vm, const struct ktap_builtin *fn, unsigned int n)
{
	if (fn->min == fn->max)
		return ktap_vm_error(vm, -EINVAL, "%s takes %u argument%s, got %u", fn->name,
				     fn->min, str_plural(fn->min), n);
	return ktap_vm_error(vm, -EINVAL, "%s takes %u to %u arguments, got %u", fn->name,
			     fn->min, fn->max, n);
}

/* The same, with open values as the last arguments. */
static noinline int call_builtin_open(struct ktap_vm *vm, const struct ktap_builtin *fn,
				      struct ktap_value *r)
{
	unsigned int n;
	int err;

	err = ktap_open_values(vm, r - vm->stack, &n);
	if (err)
		return err;
	if (n < fn->min || n > fn->max)
		return wrong_number(vm, fn, n);
	err = call_builtin(vm, fn, r, n);
	vm->top = vm->base + vm->func->nregs;
	return err;
}

static noinline int no_function(struct ktap_vm *vm, const struct ktap_value *v)
{
	return ktap_vm_error(vm, -EINVAL, "%s is called, only a function can be",
			     ktap_type_name(v));
}

static s16 immediate(const struct ktap_code *insn)
{
	return (s16)(insn->b | insn->c << 8);
}

#define A	R[insn->a]
#define B	R[insn->b]
#define C	R[insn->c]
#define D	(insn->d)

__diag_push();
__diag_ignore_all("-Woverride-init", "a jump table with a default");

/* Runs @vm->func, whose frame is made, until it returns or fails. */
int ktap_interpret(struct ktap_vm *vm, struct ktap_value *result)
{
	static const void * const jumptable[256] __annotate_jump_table = {
		[0 ... 255] = &&unknown,
		[KTAP_OP_NIL] = &&op_nil,
		[KTAP_OP_BOOL] = &&op_bool,
		[KTAP_OP_INT] = &&op_int,
		[KTAP_OP_INTK] = &&op_intk,
		[KTAP_OP_STR] = &&op_str,
		[KTAP_OP_FUNC] = &&op_func,
		[KTAP_OP_MOV] = &&op_mov,
		[KTAP_OP_GETG] = &&op_getg,
		[KTAP_OP_SETG] = &&op_setg,
		[KTAP_OP_ADDG] = &&op_addg,
		[KTAP_OP_ADD] = &&op_add,
		[KTAP_OP_SUB] = &&op_sub,
		[KTAP_OP_MUL] = &&op_mul,
		[KTAP_OP_DIV] = &&op_div,
		[KTAP_OP_MOD] = &&op_mod,
		[KTAP_OP_AND] = &&op_and,
		[KTAP_OP_OR] = &&op_or,
		[KTAP_OP_XOR] = &&op_xor,
		[KTAP_OP_SHL] = &&op_shl,
		[KTAP_OP_SHR] = &&op_shr,
		[KTAP_OP_ADDI] = &&op_addi,
		[KTAP_OP_SUBI] = &&op_subi,
		[KTAP_OP_MULI] = &&op_muli,
		[KTAP_OP_DIVI] = &&op_divi,
		[KTAP_OP_MODI] = &&op_modi,
		[KTAP_OP_ANDI] = &&op_andi,
		[KTAP_OP_ORI] = &&op_ori,
		[KTAP_OP_XORI] = &&op_xori,
		[KTAP_OP_SHLI] = &&op_shli,
		[KTAP_OP_SHRI] = &&op_shri,
		[KTAP_OP_NEG] = &&op_neg,
		[KTAP_OP_BNOT] = &&op_bnot,
		[KTAP_OP_NOT] = &&op_not,
		[KTAP_OP_CONCAT] = &&op_concat,
		[KTAP_OP_TUPLE] = &&op_tuple,
		[KTAP_OP_EQ] = &&op_eq,
		[KTAP_OP_LT] = &&op_lt,
		[KTAP_OP_LE] = &&op_le,
		[KTAP_OP_JMP] = &&op_jmp,
		[KTAP_OP_JT] = &&op_jt,
		[KTAP_OP_JF] = &&op_jf,
		[KTAP_OP_JNIL] = &&op_jnil,
		[KTAP_OP_JNNIL] = &&op_jnnil,
		[KTAP_OP_JEQ] = &&op_jeq,
		[KTAP_OP_JNE] = &&op_jne,
		[KTAP_OP_JLT] = &&op_jlt,
		[KTAP_OP_JLE] = &&op_jle,
		[KTAP_OP_JNLT] = &&op_jnlt,
		[KTAP_OP_JNLE] = &&op_jnle,
		[KTAP_OP_JEQI] = &&op_jeqi,
		[KTAP_OP_JNEI] = &&op_jnei,
		[KTAP_OP_JLTI] = &&op_jlti,
		[KTAP_OP_JLEI] = &&op_jlei,
		[KTAP_OP_JGTI] = &&op_jgti,
		[KTAP_OP_JGEI] = &&op_jgei,
		[KTAP_OP_JNLTI] = &&op_jnlti,
		[KTAP_OP_JNLEI] = &&op_jnlei,
		[KTAP_OP_JNGTI] = &&op_jngti,
		[KTAP_OP_JNGEI] = &&op_jngei,
		[KTAP_OP_NEWT] = &&op_newt,
		[KTAP_OP_TGET] = &&op_tget,
		[KTAP_OP_TGETS] = &&op_tgets,
		[KTAP_OP_TGETI] = &&op_tgeti,
		[KTAP_OP_TSET] = &&op_tset,
		[KTAP_OP_TSETS] = &&op_tsets,
		[KTAP_OP_TSETI] = &&op_tseti,
		[KTAP_OP_TADD] = &&op_tadd,
		[KTAP_OP_TADDS] = &&op_tadds,
		[KTAP_OP_TADDI] = &&op_taddi,
		[KTAP_OP_THAS] = &&op_thas,
		[KTAP_OP_TAGG] = &&op_tagg,
		[KTAP_OP_ITER] = &&op_iter,
		[KTAP_OP_NEXT] = &&op_next,
		[KTAP_OP_FORPREP] = &&op_forprep,
		[KTAP_OP_FORLOOP] = &&op_forloop,
		[KTAP_OP_CALL] = &&op_call,
		[KTAP_OP_CALLV] = &&op_callv,
		[KTAP_OP_CALLB] = &&op_callb,
		[KTAP_OP_RET] = &&op_ret,
		[KTAP_OP_VARG] = &&op_varg,
		[KTAP_OP_TSETM] = &&op_tsetm,
		[KTAP_OP_AGG] = &&op_agg,
		[KTAP_OP_FIELD] = &&op_field,
		[KTAP_OP_ARG] = &&op_arg,
		[KTAP_OP_SYMBOL] = &&op_symbol,
		[KTAP_OP_GETSELF] = &&op_getself,
		[KTAP_OP_SETSELF] = &&op_setself,
		[KTAP_OP_ADDSELF] = &&op_addself,
		[KTAP_OP_MEMBER] = &&op_member,
		[KTAP_OP_ELEM] = &&op_elem,
		[KTAP_OP_ELEMI] = &&op_elemi,
		[KTAP_OP_CAST] = &&op_cast,
	};
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_code *pc = prog->code + vm->func->first;
	const struct ktap_code *insn;
	const struct ktap_func *func;
	struct ktap_value *R = vm->stack + vm->base;
	const u32 floor = vm->ncalls;
	struct ktap_value tmp;
	unsigned int i;
	bool cond = false;
	s64 x, y;
	u32 to;
	int err;

next:
	insn = pc++;
	goto *jumptable[insn->op];

	/* Where instructions go on that can fail, or jump. */
check:
	if (likely(!err))
		goto next;
	goto error;
checked_jump:
	if (unlikely(err))
		goto error;
	if (!cond)
		goto next;
jump:
	/* Only a jump back can make a loop. */
	if (D < 0) {
		to = pc - prog->code;
		err = ktap_vm_charge(vm, 1 + ktap_straight_cost(prog, to + D, to));
		if (unlikely(err))
			goto error;
	}
	pc += D;
	goto next;
	/* Nil has no order: the relation is false, its opposite is true. */
unordered:
	if (err < 0)
		goto error;
	goto next;
unordered_jump:
	if (err < 0)
		goto error;
	goto jump;

op_nil:
	for (i = insn->a; i <= insn->b; i++)
		R[i] = KTAP_VALUE_NIL;
	goto next;
op_bool:
	A = KTAP_VALUE_BOOL(insn->b);
	goto next;
op_int:
	A = KTAP_VALUE_INT(D);
	goto next;
op_intk:
	A = KTAP_VALUE_INT(prog->ints[D]);
	goto next;
op_str:
	A = prog->strings[D];
	goto next;
op_func:
	A = (struct ktap_value){ .u = D, .tag = KTAP_FUNC };
	goto next;
op_mov:
	A = B;
	goto next;

op_getg:
	err = ktap_global_get(vm, D, &A);
	goto check;
op_setg:
	err = ktap_global_set(vm, D, &A);
	goto check;
op_addg:
	err = ktap_global_add(vm, D, &A);
	goto check;

op_add:
	err = ktap_two_numbers(vm, &B, &C, &x, &y);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT((u64)x + (u64)y);
	goto next;
op_sub:
	err = ktap_two_numbers(vm, &B, &C, &x, &y);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT((u64)x - (u64)y);
	goto next;
op_mul:
	err = ktap_two_numbers(vm, &B, &C, &x, &y);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT((u64)x * (u64)y);
	goto next;
op_div:
	err = ktap_two_numbers(vm, &B, &C, &x, &y);
	if (!err)
		err = ktap_divide(vm, x, y, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(x);
	goto next;
op_mod:
	err = ktap_two_numbers(vm, &B, &C, &x, &y);
	if (!err)
		err = ktap_modulo(vm, x, y, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(x);
	goto next;
op_and:
	err = ktap_two_numbers(vm, &B, &C, &x, &y);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(x & y);
	goto next;
op_or:
	err = ktap_two_numbers(vm, &B, &C, &x, &y);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(x | y);
	goto next;
op_xor:
	err = ktap_two_numbers(vm, &B, &C, &x, &y);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(x ^ y);
	goto next;
op_shl:
	err = ktap_two_numbers(vm, &B, &C, &x, &y);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT((u64)x << (y & 63));
	goto next;
op_shr:
	err = ktap_two_numbers(vm, &B, &C, &x, &y);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(x >> (y & 63));
	goto next;

op_addi:
	err = ktap_one_number(vm, &B, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT((u64)x + (u64)D);
	goto next;
op_subi:
	err = ktap_one_number(vm, &B, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT((u64)x - (u64)D);
	goto next;
op_muli:
	err = ktap_one_number(vm, &B, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT((u64)x * (u64)D);
	goto next;
op_divi:
	err = ktap_one_number(vm, &B, &x);
	if (!err)
		err = ktap_divide(vm, x, D, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(x);
	goto next;
op_modi:
	err = ktap_one_number(vm, &B, &x);
	if (!err)
		err = ktap_modulo(vm, x, D, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(x);
	goto next;
op_andi:
	err = ktap_one_number(vm, &B, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(x & D);
	goto next;
op_ori:
	err = ktap_one_number(vm, &B, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(x | D);
	goto next;
op_xori:
	err = ktap_one_number(vm, &B, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(x ^ D);
	goto next;
op_shli:
	err = ktap_one_number(vm, &B, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT((u64)x << (D & 63));
	goto next;
op_shri:
	err = ktap_one_number(vm, &B, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(x >> (D & 63));
	goto next;

op_neg:
	err = ktap_one_number(vm, &B, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(-(u64)x);
	goto next;
op_bnot:
	err = ktap_one_number(vm, &B, &x);
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_INT(~x);
	goto next;
op_not:
	A = KTAP_VALUE_BOOL(!ktap_is_true(&B));
	goto next;
op_concat:
	err = ktap_op_concat(vm, &A, &B, insn->c);
	goto check;
op_tuple:
	err = ktap_op_tuple(vm, &A, &B, insn->c);
	goto check;
op_eq:
	err = ktap_quick_equal(vm, &B, &C, &cond);
	goto set_bool;
op_lt:
	err = ktap_quick_less(vm, &B, &C, false, &cond);
	goto set_bool;
op_le:
	err = ktap_quick_less(vm, &B, &C, true, &cond);
set_bool:
	if (unlikely(err))
		goto error;
	A = KTAP_VALUE_BOOL(cond);
	goto next;

op_jmp:
	goto jump;
op_jt:
	if (ktap_is_true(&A))
		goto jump;
	goto next;
op_jf:
	if (!ktap_is_true(&A))
		goto jump;
	goto next;
op_jnil:
	if (A.tag == KTAP_NIL)
		goto jump;
	goto next;
op_jnnil:
	if (A.tag != KTAP_NIL)
		goto jump;
	goto next;
op_jeq:
	err = ktap_quick_equal(vm, &A, &B, &cond);
	goto checked_jump;
op_jne:
	err = ktap_quick_equal(vm, &A, &B, &cond);
	cond = !cond;
	goto checked_jump;
op_jlt:
	err = ktap_quick_less(vm, &A, &B, false, &cond);
	goto checked_jump;
op_jle:
	err = ktap_quick_less(vm, &A, &B, true, &cond);
	goto checked_jump;
op_jnlt:
	err = ktap_quick_less(vm, &A, &B, false, &cond);
	cond = !cond;
	goto checked_jump;
op_jnle:
	err = ktap_quick_less(vm, &A, &B, true, &cond);
	cond = !cond;
	goto checked_jump;
op_jeqi:
	if (A.tag == KTAP_INT && A.i == immediate(insn))
		goto jump;
	goto next;
op_jnei:
	if (A.tag != KTAP_INT || A.i != immediate(insn))
		goto jump;
	goto next;
op_jlti:
	err = ktap_ordered(vm, &A, &x);
	if (unlikely(err))
		goto unordered;
	if (x < immediate(insn))
		goto jump;
	goto next;
op_jlei:
	err = ktap_ordered(vm, &A, &x);
	if (unlikely(err))
		goto unordered;
	if (x <= immediate(insn))
		goto jump;
	goto next;
op_jgti:
	err = ktap_ordered(vm, &A, &x);
	if (unlikely(err))
		goto unordered;
	if (x > immediate(insn))
		goto jump;
	goto next;
op_jgei:
	err = ktap_ordered(vm, &A, &x);
	if (unlikely(err))
		goto unordered;
	if (x >= immediate(insn))
		goto jump;
	goto next;
op_jnlti:
	err = ktap_ordered(vm, &A, &x);
	if (unlikely(err))
		goto unordered_jump;
	if (x >= immediate(insn))
		goto jump;
	goto next;
op_jnlei:
	err = ktap_ordered(vm, &A, &x);
	if (unlikely(err))
		goto unordered_jump;
	if (x > immediate(insn))
		goto jump;
	goto next;
op_jngti:
	err = ktap_ordered(vm, &A, &x);
	if (unlikely(err))
		goto unordered_jump;
	if (x <= immediate(insn))
		goto jump;
	goto next;
op_jngei:
	err = ktap_ordered(vm, &A, &x);
	if (unlikely(err))
		goto unordered_jump;
	if (x < immediate(insn))
		goto jump;
	goto next;

op_newt:
	err = ktap_table_new(vm, D, &A);
	goto check;
op_tget:
	err = ktap_op_get(vm, &A, &B, &C);
	goto check;
op_tgets:
	err = ktap_op_get_name(vm, &A, &B, D);
	goto check;
op_tgeti:
	tmp = KTAP_VALUE_INT(D);
	err = ktap_op_get(vm, &A, &B, &tmp);
	goto check;
op_tset:
	err = ktap_op_set(vm, &A, &B, &C);
	goto check;
op_tsets:
	tmp = prog->strings[D];
	err = ktap_op_set(vm, &A, &tmp, &C);
	goto check;
op_tseti:
	tmp = KTAP_VALUE_INT(D);
	err = ktap_op_set(vm, &A, &tmp, &C);
	goto check;
op_tadd:
	err = ktap_op_add(vm, &A, &B, &C);
	goto check;
op_tadds:
	tmp = prog->strings[D];
	err = ktap_op_add(vm, &A, &tmp, &C);
	goto check;
op_taddi:
	tmp = KTAP_VALUE_INT(D);
	err = ktap_op_add(vm, &A, &tmp, &C);
	goto check;
op_thas:
	err = ktap_op_has(vm, &A, &B, &C);
	goto check;
op_tagg:
	err = ktap_op_taggregate(vm, &A, &B, &C);
	goto check;
op_iter:
	err = ktap_op_iter(vm, &A);
	goto check;
op_next:
	err = ktap_op_next(vm, &A);
	if (err < 0)
		goto error;
	if (!err)
		goto jump;
	goto next;

op_forprep:
	err = ktap_op_for(vm, &A, &cond);
	cond = !cond;
	goto checked_jump;
op_forloop:
	err = for_next(vm, &A, &cond);
	goto checked_jump;

op_call:
	func = &prog->funcs[D];
	to = vm->base + insn->a;
	goto call;
op_callv:
	if (unlikely(A.tag != KTAP_FUNC)) {
		err = no_function(vm, &A);
		goto error;
	}
	func = ktap_func_of(prog, &A);
	to = vm->base + insn->a + 1;
call:
	err = ktap_frame_enter(vm, func, to, insn, pc - prog->code);
	if (unlikely(err))
		goto error;
	R = vm->stack + vm->base;
	pc = prog->code + func->first;
	goto next;
op_callb:
	vm->pc = insn - prog->code;	/* a built-in may want to know its line */
	if (unlikely(insn->b == KTAP_MULTI))
		err = call_builtin_open(vm, &ktap_builtins[D], &A);
	else
		err = call_builtin(vm, &ktap_builtins[D], &A, insn->b);
	goto check;
op_ret:
	i = insn->b;
	if (unlikely(i == KTAP_MULTI)) {
		err = ktap_open_values(vm, &A - vm->stack, &i);
		if (unlikely(err))
			goto error;
	}
	if (vm->ncalls == floor) {
		*result = i ? A : KTAP_VALUE_NIL;
		return 0;
	}
	pc = prog->code + ktap_frame_leave(vm, &A, i);
	R = vm->stack + vm->base;
	goto next;
op_varg:
	err = ktap_frame_varargs(vm, &A, insn->c);
	goto check;
op_tsetm:
	err = ktap_op_set_open(vm, &A, D, &B);
	goto check;

op_agg:
	err = ktap_op_aggregate(vm, &A, &C);
	goto check;

op_field:
	ktap_op_field(vm, D, &A);
	err = vm->error;
	goto check;
op_arg:
	ktap_op_arg(vm, D, &A);
	err = vm->error;
	goto check;

op_symbol:
	err = ktap_symbol_get(vm, &prog->symbols[D], &A);
	goto check;

op_getself:
	err = ktap_self_get(vm, D, &A);
	goto check;
op_setself:
	err = ktap_self_set(vm, D, &A);
	goto check;
op_addself:
	err = ktap_self_add(vm, D, &A);
	goto check;

op_member:
	err = ktap_op_member(vm, &A, &B, D);
	goto check;
op_elem:
	err = ktap_op_element(vm, &A, &B, &C);
	goto check;
op_elemi:
	tmp = KTAP_VALUE_INT(D);
	err = ktap_op_element(vm, &A, &B, &tmp);
	goto check;
op_cast:
	err = ktap_op_cast(vm, &A, &R[insn->a + 1], D);
	goto check;

unknown:
	WARN_ON_ONCE(1);
	err = ktap_vm_error(vm, -EINVAL, "unknown instruction");
error:
	vm->pc = insn - prog->code;
	if (!vm->fault.func)
		vm->fault = (struct ktap_fault){
			.func = vm->func,
			.pc = vm->pc,
			.ncalls = vm->ncalls,
		};
	err = ktap_frame_catch(vm, err, floor, &to);
	if (err)
		return err;
	R = vm->stack + vm->base;
	pc = prog->code + to;
	goto next;
}

__diag_pop();
