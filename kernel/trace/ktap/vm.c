// SPDX-License-Identifier: GPL-2.0
/*
 * The interpreter.  It is the definition of the bytecode.
 *
 * The verifier has seen to it that every register, constant, global, field,
 * function and jump target an instruction names exists, and that a register is
 * written before it is read.  All these are numbers of the program, which do
 * not change and cannot be steered by an event: there is nothing here for
 * array_index_nospec().  What is left for run time are the types of values,
 * the room on the stack, division by zero, and the budget.
 */
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/sched/signal.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#include "builtin.h"
#include "table.h"

/* Units between two looks around in process context. */
#define KTAP_PROCESS_SLICE	1024

int ktap_vm_error(struct ktap_vm *vm, int err, const char *fmt, ...)
{
	va_list args;

	/* The first one is the cause. */
	if (vm->error)
		return vm->error;
	vm->error = err;
	va_start(args, fmt);
	vscnprintf(vm->message, sizeof(vm->message), fmt, args);
	va_end(args);
	return err;
}

int ktap_vm_out_of_budget(struct ktap_vm *vm)
{
	if (vm->level != KTAP_LEVEL_PROCESS)
		return ktap_vm_error(vm, -ETIME, "the handler ran more than %llu instructions",
				     vm->env->max_insns);
	vm->budget = KTAP_PROCESS_SLICE;
	cond_resched();
	if ((vm->abort && READ_ONCE(*vm->abort)) || fatal_signal_pending(current))
		return ktap_vm_error(vm, -EINTR, "the session ends");
	return 0;
}

static int bad_operand(struct ktap_vm *vm, const struct ktap_value *v)
{
	return ktap_vm_error(vm, -EINVAL, "arithmetic on %s", ktap_type_name(v));
}

static bool is_number(const struct ktap_value *v)
{
	return v->tag == KTAP_INT || v->tag == KTAP_NIL;
}

static s64 number(const struct ktap_value *v)
{
	return v->tag == KTAP_INT ? v->i : 0;
}

static noinline int two_numbers(struct ktap_vm *vm, const struct ktap_value *x,
				const struct ktap_value *y, s64 *i, s64 *j)
{
	if (!is_number(x))
		return bad_operand(vm, x);
	if (!is_number(y))
		return bad_operand(vm, y);
	*i = number(x);
	*j = number(y);
	return 0;
}

static int by_zero(struct ktap_vm *vm)
{
	return ktap_vm_error(vm, -EDOM, "division by zero");
}

/* INT64_MIN / -1 wraps; some machines trap on it. */
static int divide(struct ktap_vm *vm, s64 x, s64 y, s64 *quotient)
{
	if (!y)
		return by_zero(vm);
	*quotient = y == -1 ? (s64)-(u64)x : div64_s64(x, y);
	return 0;
}

static int modulo(struct ktap_vm *vm, s64 x, s64 y, s64 *rest)
{
	if (!y)
		return by_zero(vm);
	*rest = y == -1 ? 0 : x - div64_s64(x, y) * y;
	return 0;
}

/* ARGSTR is a string that is not made before somebody looks at it. */
static int make_comparable(struct ktap_vm *vm, struct ktap_value *x, struct ktap_value *y)
{
	int err;

	err = ktap_make_text(vm, x);
	return err ?: ktap_make_text(vm, y);
}

static noinline int equal(struct ktap_vm *vm, struct ktap_value *x, struct ktap_value *y,
			  bool *result)
{
	int err = 0;

	if (x->tag != y->tag && (x->tag == KTAP_STR || y->tag == KTAP_STR))
		err = make_comparable(vm, x, y);
	*result = ktap_equal(x, y);
	return err;
}

static noinline int less(struct ktap_vm *vm, struct ktap_value *x, struct ktap_value *y,
			 bool or_equal, bool *result)
{
	int err, c;

	*result = false;
	if (x->tag == KTAP_NIL || y->tag == KTAP_NIL)
		return 0;
	err = make_comparable(vm, x, y);
	if (err)
		return err;
	if (x->tag != y->tag || (x->tag != KTAP_INT && x->tag != KTAP_STR))
		return ktap_vm_error(vm, -EINVAL, "%s and %s have no order",
				     ktap_type_name(x), ktap_type_name(y));
	c = ktap_compare(x, y);
	*result = or_equal ? c <= 0 : c < 0;
	return 0;
}

/* Text of what `..` converts; @buf has room for an integer. */
static int concat_part(struct ktap_vm *vm, const struct ktap_value *v, char *buf, size_t size,
		       const char **text, size_t *len)
{
	switch (v->tag) {
	case KTAP_STR:
		*text = v->blob;
		*len = v->len;
		return 0;
	case KTAP_INT:
		*text = buf;
		*len = scnprintf(buf, size, "%lld", v->i);
		return 0;
	case KTAP_BOOL:
		*text = v->i ? "true" : "false";
		*len = strlen(*text);
		return 0;
	case KTAP_NIL:
		*text = "nil";
		*len = 3;
		return 0;
	default:
		return ktap_vm_error(vm, -EINVAL, "'..' on %s", ktap_type_name(v));
	}
}

static int concat(struct ktap_vm *vm, struct ktap_value *dst, struct ktap_value *src,
		  unsigned int n)
{
	size_t len, total = 0, used = 0;
	const char *text;
	unsigned int i;
	char buf[24];
	char *p;
	int err;

	for (i = 0; i < n; i++) {
		err = ktap_make_text(vm, &src[i]);
		if (!err)
			err = concat_part(vm, &src[i], buf, sizeof(buf), &text, &len);
		if (err)
			return err;
		total += len;
	}
	if (total > KTAP_MAX_STRLEN) {
		total = KTAP_MAX_STRLEN;
		atomic_long_inc(&vm->env->counters.cut_strings);
	}
	/* Copying costs; building a long string byte by byte must not be free. */
	err = ktap_vm_charge(vm, total / 64);
	if (err)
		return err;
	p = ktap_arena_alloc(vm, total);
	if (!p)
		return vm->error;
	for (i = 0; i < n; i++) {
		concat_part(vm, &src[i], buf, sizeof(buf), &text, &len);
		len = min(len, total - used);
		memcpy(p + used, text, len);
		used += len;
	}
	*dst = KTAP_VALUE_STR(p, total);
	return 0;
}

static int check_key_part(struct ktap_vm *vm, struct ktap_value *v)
{
	switch (v->tag) {
	case KTAP_ARGSTR:
		return ktap_make_text(vm, v);
	case KTAP_FUNC:
	case KTAP_TABLE:
	case KTAP_EVENT:
		return ktap_vm_error(vm, -EINVAL, "%s cannot be a table key", ktap_type_name(v));
	default:
		return 0;
	}
}

static int make_tuple(struct ktap_vm *vm, struct ktap_value *dst, struct ktap_value *src,
		      unsigned int n)
{
	size_t size = 0;
	unsigned int i;
	void *p, *end;
	int err;

	for (i = 0; i < n; i++) {
		err = check_key_part(vm, &src[i]);
		if (err)
			return err;
		size += ktap_tuple_item_size(&src[i]);
	}
	if (size > KTAP_MAX_STRLEN)
		return ktap_vm_error(vm, -E2BIG, "a compound key of %zu bytes; %u is the most",
				     size, KTAP_MAX_STRLEN);
	p = ktap_arena_alloc(vm, size);
	if (!p)
		return vm->error;
	end = p;
	for (i = 0; i < n; i++)
		end = ktap_tuple_put(end, &src[i]);
	*dst = (struct ktap_value){ .blob = p, .tag = KTAP_TUPLE, .len = size };
	return 0;
}

/*
 * Table instructions.  A key stands in a register, where text can be made of
 * it and the arena can find it, or is a constant.
 */
static int want_table(struct ktap_vm *vm, const struct ktap_value *v)
{
	if (likely(v->tag == KTAP_TABLE))
		return 0;
	return ktap_vm_error(vm, -EINVAL, "%s is indexed, only a table can be",
			     ktap_type_name(v));
}

static int readable_key(struct ktap_vm *vm, const struct ktap_value *table, struct ktap_value *key)
{
	int err;

	err = want_table(vm, table);
	if (err || key->tag == KTAP_NIL)
		return err;
	return check_key_part(vm, key);
}

static int table_get(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *table,
		     struct ktap_value *key)
{
	int err;

	err = readable_key(vm, table, key);
	return err ?: ktap_table_get(vm, table->table, key, dst);
}

static int table_has(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *table,
		     struct ktap_value *key)
{
	int err;

	err = readable_key(vm, table, key);
	if (!err)
		*dst = KTAP_VALUE_BOOL(ktap_table_has(vm, table->table, key));
	return err;
}

static int writable_key(struct ktap_vm *vm, struct ktap_value *key)
{
	if (key->tag == KTAP_NIL)
		return ktap_vm_error(vm, -EINVAL, "nil cannot be a table key");
	return check_key_part(vm, key);
}

static int table_set(struct ktap_vm *vm, const struct ktap_value *table, struct ktap_value *key,
		     struct ktap_value *v)
{
	int err;

	err = want_table(vm, table);
	if (!err)
		err = writable_key(vm, key);
	return err ?: ktap_table_set(vm, table->table, key, v);
}

static int table_add(struct ktap_vm *vm, const struct ktap_value *table, struct ktap_value *key,
		     const struct ktap_value *n)
{
	int err;

	err = want_table(vm, table);
	if (!err)
		err = writable_key(vm, key);
	return err ?: ktap_table_add(vm, table->table, key, n);
}

static void event_field(struct ktap_vm *vm, u32 field, struct ktap_value *dst)
{
	*dst = KTAP_VALUE_NIL;
	if (vm->event && vm->event->ops->field && field != KTAP_NONE)
		vm->event->ops->field(vm, field, dst);
}

static int get_by_name(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *object,
		       u32 string)
{
	const struct ktap_program *prog = vm->env->prog;
	int err;

	if (object->tag == KTAP_EVENT) {
		event_field(vm, prog->string_field[string], dst);
		return vm->error;
	}
	err = want_table(vm, object);
	return err ?: ktap_table_get(vm, object->table, &prog->strings[string], dst);
}

/*
 * An iteration keeps its place in two registers the program does not know of:
 * the serial number of the last entry, and its key.  Whatever bytecode puts
 * there makes it skip or repeat entries, and no more.
 */
static int iter_begin(struct ktap_vm *vm, struct ktap_value *r)
{
	if (r[0].tag != KTAP_TABLE)
		return ktap_vm_error(vm, -EINVAL, "iteration over %s, only a table has pairs",
				     ktap_type_name(&r[0]));
	r[1] = KTAP_VALUE_INT(0);
	r[2] = KTAP_VALUE_NIL;
	return 0;
}

/* Gives 1, 0 at the end, or a negative errno. */
static int iter_next(struct ktap_vm *vm, struct ktap_value *r)
{
	struct ktap_iter it;
	int ret;

	if (r[0].tag != KTAP_TABLE || r[1].tag != KTAP_INT)
		return ktap_vm_error(vm, -EINVAL, "broken iteration");
	it.seq = r[1].u;
	ret = ktap_table_next(vm, r[0].table, &it, &r[2], &r[3], &r[4]);
	if (ret > 0) {
		r[1] = KTAP_VALUE_INT(it.seq);
		r[2] = r[3];
	}
	return ret;
}

/*
 * A counting loop knows how many rounds are left before it begins, so that it
 * ends at the largest integer too.  R[a] is the value, R[a + 1] becomes the
 * number of rounds to come, R[a + 2] is the step.
 */
static noinline int for_begin(struct ktap_vm *vm, struct ktap_value *r, bool *enter)
{
	u64 distance, step;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (!is_number(&r[i]))
			return ktap_vm_error(vm, -EINVAL, "'for' counts integers, not %s",
					     ktap_type_name(&r[i]));
		r[i] = KTAP_VALUE_INT(number(&r[i]));
	}
	if (!r[2].i)
		return ktap_vm_error(vm, -EINVAL, "the step of 'for' is zero");
	*enter = r[2].i > 0 ? r[0].i <= r[1].i : r[0].i >= r[1].i;
	distance = r[2].i > 0 ? r[1].u - r[0].u : r[0].u - r[1].u;
	step = r[2].i > 0 ? r[2].u : -r[2].u;
	r[1].u = *enter ? div64_u64(distance, step) : 0;
	r[3] = r[0];
	return 0;
}

static int for_next(struct ktap_vm *vm, struct ktap_value *r, bool *again)
{
	if (unlikely(r[0].tag != KTAP_INT || r[1].tag != KTAP_INT || r[2].tag != KTAP_INT))
		return ktap_vm_error(vm, -EINVAL, "broken loop");
	*again = r[1].u;
	if (*again) {
		r[1].u--;
		r[0].u += r[2].u;
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
		if (fn->args[i] && !(fn->args[i] & BIT(r[i].tag)))
			return ktap_vm_error(vm, -EINVAL, "%s: argument %u is %s, which it does not take",
					     fn->name, i + 1, ktap_type_name(&r[i]));
	}
	return fn->fn(vm, r, n);
}

/* Makes the frame of @func, whose register 0 is stack value @base. */
static int enter(struct ktap_vm *vm, const struct ktap_func *func, u32 base, unsigned int nargs)
{
	unsigned int i;

	if (base + func->nregs > vm->stack_size)
		return ktap_vm_error(vm, -ENOSPC, "calls nest too deep: no room on the stack");
	for (i = nargs; i < func->nparams; i++)
		vm->stack[base + i] = KTAP_VALUE_NIL;
	vm->top = base + func->nregs;
	vm->func = func;
	return 0;
}

static int push_call(struct ktap_vm *vm, u32 base, u32 pc, u8 dst, u8 nresults)
{
	if (vm->ncalls == vm->max_calls)
		return ktap_vm_error(vm, -ENOSPC, "calls nest too deep: %u is the most",
				     vm->max_calls);
	vm->calls[vm->ncalls++] = (struct ktap_call){
		.func = vm->func,
		.base = base,
		.pc = pc,
		.dst = dst,
		.nresults = nresults,
	};
	return 0;
}

/* Results move down: their place begins at or below the callee's frame. */
static void give_results(struct ktap_value *dst, unsigned int wanted,
			 const struct ktap_value *src, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < wanted; i++)
		dst[i] = i < n ? src[i] : KTAP_VALUE_NIL;
}

static s16 immediate(const struct ktap_code *insn)
{
	return (s16)(insn->b | insn->c << 8);
}

#define A	R[insn->a]
#define B	R[insn->b]
#define C	R[insn->c]
#define D	(insn->d)

#define DISPATCH()							\
	do {							\
		insn = pc++;					\
		goto *jumptable[insn->op];			\
	} while (0)

/* @expr may be a call that returns 0 or an errno. */
#define TRY(expr)						\
	do {							\
		err = (expr);					\
		if (unlikely(err))				\
			goto error;				\
	} while (0)

#define DO(expr)						\
	do {							\
		TRY(expr);					\
		DISPATCH();						\
	} while (0)

/* Only a jump back can make a loop. */
#define JUMP_IF(cond)						\
	do {							\
		if (cond) {					\
			if (D < 0)				\
				TRY(ktap_vm_charge(vm, 1));	\
			pc += D;				\
		}						\
		DISPATCH();						\
	} while (0)

#define NUMBERS()						\
	do {							\
		if (likely(B.tag == KTAP_INT && C.tag == KTAP_INT)) {	\
			x = B.i;				\
			y = C.i;				\
		} else {					\
			TRY(two_numbers(vm, &B, &C, &x, &y));	\
		}						\
	} while (0)

#define NUMBER()						\
	do {							\
		if (unlikely(!is_number(&B)))			\
			TRY(bad_operand(vm, &B));		\
		x = number(&B);					\
		y = D;						\
	} while (0)

#define ARITH(expr)						\
	do {							\
		NUMBERS();					\
		A = KTAP_VALUE_INT(expr);			\
		DISPATCH();						\
	} while (0)

#define ARITH_IMM(expr)						\
	do {							\
		NUMBER();					\
		A = KTAP_VALUE_INT(expr);			\
		DISPATCH();						\
	} while (0)

#define LESS(x_, y_, or_equal, op)				\
	do {							\
		if (likely((x_).tag == KTAP_INT && (y_).tag == KTAP_INT))	\
			cond = (x_).i op (y_).i;		\
		else						\
			TRY(less(vm, &(x_), &(y_), or_equal, &cond));	\
	} while (0)

/* R[a] against an immediate; nil has no order. */
#define LESS_IMM(op)						\
	do {							\
		if (unlikely(!is_number(&A)))			\
			TRY(no_order_imm(vm, &A));		\
		cond = A.tag == KTAP_INT && A.i op immediate(insn);	\
	} while (0)

#define EQUAL(x_, y_)						\
	do {							\
		if (likely((x_).tag == KTAP_INT && (y_).tag == KTAP_INT))	\
			cond = (x_).i == (y_).i;		\
		else						\
			TRY(equal(vm, &(x_), &(y_), &cond));	\
	} while (0)

static noinline int no_order_imm(struct ktap_vm *vm, const struct ktap_value *v)
{
	return ktap_vm_error(vm, -EINVAL, "%s and an integer have no order", ktap_type_name(v));
}

__diag_push();
__diag_ignore_all("-Woverride-init", "a jump table with a default");

static int interpret(struct ktap_vm *vm)
{
#define LABEL(op)	[KTAP_OP_##op] = &&op_##op
	static const void * const jumptable[256] __annotate_jump_table = {
		[0 ... 255] = &&unknown,
		LABEL(NIL), LABEL(BOOL), LABEL(INT), LABEL(INTK), LABEL(STR), LABEL(FUNC),
		LABEL(MOV), LABEL(GETG), LABEL(SETG), LABEL(ADDG),
		LABEL(ADD), LABEL(SUB), LABEL(MUL), LABEL(DIV), LABEL(MOD),
		LABEL(AND), LABEL(OR), LABEL(XOR), LABEL(SHL), LABEL(SHR),
		LABEL(ADDI), LABEL(SUBI), LABEL(MULI), LABEL(DIVI), LABEL(MODI),
		LABEL(ANDI), LABEL(ORI), LABEL(XORI), LABEL(SHLI), LABEL(SHRI),
		LABEL(NEG), LABEL(BNOT), LABEL(NOT), LABEL(CONCAT), LABEL(TUPLE),
		LABEL(EQ), LABEL(LT), LABEL(LE),
		LABEL(JMP), LABEL(JT), LABEL(JF), LABEL(JNIL), LABEL(JNNIL),
		LABEL(JEQ), LABEL(JNE), LABEL(JLT), LABEL(JLE), LABEL(JNLT), LABEL(JNLE),
		LABEL(JEQI), LABEL(JNEI), LABEL(JLTI), LABEL(JLEI), LABEL(JGTI), LABEL(JGEI),
		LABEL(JNLTI), LABEL(JNLEI), LABEL(JNGTI), LABEL(JNGEI),
		LABEL(NEWT), LABEL(TGET), LABEL(TGETS), LABEL(TGETI),
		LABEL(TSET), LABEL(TSETS), LABEL(TSETI),
		LABEL(TADD), LABEL(TADDS), LABEL(TADDI), LABEL(THAS),
		LABEL(ITER), LABEL(NEXT), LABEL(FORPREP), LABEL(FORLOOP),
		LABEL(CALL), LABEL(CALLV), LABEL(CALLB), LABEL(RET),
		LABEL(FIELD), LABEL(ARG),
	};
#undef LABEL
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_code *pc = prog->code + vm->func->first;
	const struct ktap_func *func;
	const struct ktap_code *insn;
	struct ktap_value *R = vm->stack;
	struct ktap_value tmp;
	unsigned int i;
	bool cond;
	s64 x, y;
	u32 base;
	int err;

	DISPATCH();

op_NIL:
	for (i = insn->a; i <= insn->b; i++)
		R[i] = KTAP_VALUE_NIL;
	DISPATCH();
op_BOOL:
	A = KTAP_VALUE_BOOL(insn->b);
	DISPATCH();
op_INT:
	A = KTAP_VALUE_INT(D);
	DISPATCH();
op_INTK:
	A = KTAP_VALUE_INT(prog->ints[D]);
	DISPATCH();
op_STR:
	A = prog->strings[D];
	DISPATCH();
op_FUNC:
	A = (struct ktap_value){ .u = D, .tag = KTAP_FUNC };
	DISPATCH();
op_MOV:
	A = B;
	DISPATCH();

op_GETG:
	DO(ktap_global_get(vm, D, &A));
op_SETG:
	DO(ktap_global_set(vm, D, &A));
op_ADDG:
	DO(ktap_global_add(vm, D, &A));

op_ADD:
	ARITH((u64)x + (u64)y);
op_SUB:
	ARITH((u64)x - (u64)y);
op_MUL:
	ARITH((u64)x * (u64)y);
op_DIV:
	NUMBERS();
	TRY(divide(vm, x, y, &x));
	A = KTAP_VALUE_INT(x);
	DISPATCH();
op_MOD:
	NUMBERS();
	TRY(modulo(vm, x, y, &x));
	A = KTAP_VALUE_INT(x);
	DISPATCH();
op_AND:
	ARITH(x & y);
op_OR:
	ARITH(x | y);
op_XOR:
	ARITH(x ^ y);
op_SHL:
	ARITH((u64)x << (y & 63));
op_SHR:
	ARITH(x >> (y & 63));

op_ADDI:
	ARITH_IMM((u64)x + (u64)y);
op_SUBI:
	ARITH_IMM((u64)x - (u64)y);
op_MULI:
	ARITH_IMM((u64)x * (u64)y);
op_DIVI:
	NUMBER();
	TRY(divide(vm, x, y, &x));
	A = KTAP_VALUE_INT(x);
	DISPATCH();
op_MODI:
	NUMBER();
	TRY(modulo(vm, x, y, &x));
	A = KTAP_VALUE_INT(x);
	DISPATCH();
op_ANDI:
	ARITH_IMM(x & y);
op_ORI:
	ARITH_IMM(x | y);
op_XORI:
	ARITH_IMM(x ^ y);
op_SHLI:
	ARITH_IMM((u64)x << (y & 63));
op_SHRI:
	ARITH_IMM(x >> (y & 63));

op_NEG:
	ARITH_IMM(-(u64)x);
op_BNOT:
	ARITH_IMM(~x);
op_NOT:
	A = KTAP_VALUE_BOOL(!ktap_is_true(&B));
	DISPATCH();
op_CONCAT:
	DO(concat(vm, &A, &B, insn->c));
op_TUPLE:
	DO(make_tuple(vm, &A, &B, insn->c));
op_EQ:
	EQUAL(B, C);
	A = KTAP_VALUE_BOOL(cond);
	DISPATCH();
op_LT:
	LESS(B, C, false, <);
	A = KTAP_VALUE_BOOL(cond);
	DISPATCH();
op_LE:
	LESS(B, C, true, <=);
	A = KTAP_VALUE_BOOL(cond);
	DISPATCH();

op_JMP:
	JUMP_IF(true);
op_JT:
	JUMP_IF(ktap_is_true(&A));
op_JF:
	JUMP_IF(!ktap_is_true(&A));
op_JNIL:
	JUMP_IF(A.tag == KTAP_NIL);
op_JNNIL:
	JUMP_IF(A.tag != KTAP_NIL);
op_JEQ:
	EQUAL(A, B);
	JUMP_IF(cond);
op_JNE:
	EQUAL(A, B);
	JUMP_IF(!cond);
op_JLT:
	LESS(A, B, false, <);
	JUMP_IF(cond);
op_JLE:
	LESS(A, B, true, <=);
	JUMP_IF(cond);
op_JNLT:
	LESS(A, B, false, <);
	JUMP_IF(!cond);
op_JNLE:
	LESS(A, B, true, <=);
	JUMP_IF(!cond);
op_JEQI:
	JUMP_IF(A.tag == KTAP_INT && A.i == immediate(insn));
op_JNEI:
	JUMP_IF(A.tag != KTAP_INT || A.i != immediate(insn));
op_JLTI:
	LESS_IMM(<);
	JUMP_IF(cond);
op_JLEI:
	LESS_IMM(<=);
	JUMP_IF(cond);
op_JGTI:
	LESS_IMM(>);
	JUMP_IF(cond);
op_JGEI:
	LESS_IMM(>=);
	JUMP_IF(cond);
op_JNLTI:
	LESS_IMM(<);
	JUMP_IF(!cond);
op_JNLEI:
	LESS_IMM(<=);
	JUMP_IF(!cond);
op_JNGTI:
	LESS_IMM(>);
	JUMP_IF(!cond);
op_JNGEI:
	LESS_IMM(>=);
	JUMP_IF(!cond);

op_NEWT:
	DO(ktap_table_new(vm, D, &A));
op_TGET:
	DO(table_get(vm, &A, &B, &C));
op_TGETS:
	DO(get_by_name(vm, &A, &B, D));
op_TGETI:
	tmp = KTAP_VALUE_INT(D);
	DO(table_get(vm, &A, &B, &tmp));
op_TSET:
	DO(table_set(vm, &A, &B, &C));
op_TSETS:
	tmp = prog->strings[D];
	DO(table_set(vm, &A, &tmp, &C));
op_TSETI:
	tmp = KTAP_VALUE_INT(D);
	DO(table_set(vm, &A, &tmp, &C));
op_TADD:
	DO(table_add(vm, &A, &B, &C));
op_TADDS:
	tmp = prog->strings[D];
	DO(table_add(vm, &A, &tmp, &C));
op_TADDI:
	tmp = KTAP_VALUE_INT(D);
	DO(table_add(vm, &A, &tmp, &C));
op_THAS:
	DO(table_has(vm, &A, &B, &C));
op_ITER:
	DO(iter_begin(vm, &A));
op_NEXT:
	err = iter_next(vm, &A);
	if (err < 0)
		goto error;
	JUMP_IF(!err);
op_FORPREP:
	TRY(for_begin(vm, &A, &cond));
	JUMP_IF(!cond);
op_FORLOOP:
	TRY(for_next(vm, &A, &cond));
	JUMP_IF(cond);

op_CALL:
	TRY(ktap_vm_charge(vm, 1));
	func = &prog->funcs[D];
	base = R - vm->stack;
	TRY(push_call(vm, base, pc - prog->code, insn->a, insn->c));
	base += insn->a;
	goto call;
op_CALLV:
	TRY(ktap_vm_charge(vm, 1));
	if (unlikely(A.tag != KTAP_FUNC)) {
		err = ktap_vm_error(vm, -EINVAL, "%s is called, only a function can be",
				    ktap_type_name(&A));
		goto error;
	}
	func = &prog->funcs[A.u];
	base = R - vm->stack;
	TRY(push_call(vm, base, pc - prog->code, insn->a, insn->c));
	base += insn->a + 1;
call:
	err = enter(vm, func, base, insn->b);
	if (unlikely(err)) {
		vm->ncalls--;
		goto error;
	}
	R = vm->stack + base;
	pc = prog->code + func->first;
	DISPATCH();
op_CALLB:
	vm->pc = insn - prog->code;	/* a built-in may want to know its line */
	DO(call_builtin(vm, &ktap_builtins[D], &A, insn->b));
op_RET:
	if (vm->ncalls) {
		const struct ktap_call *call = &vm->calls[--vm->ncalls];

		give_results(vm->stack + call->base + call->dst, call->nresults, &A, insn->b);
		R = vm->stack + call->base;
		pc = prog->code + call->pc;
		vm->func = call->func;
		vm->top = call->base + call->func->nregs;
		DISPATCH();
	}
	give_results(vm->stack, 1, &A, insn->b);
	return 0;

op_FIELD:
	event_field(vm, D, &A);
	DO(vm->error);
op_ARG:
	A = KTAP_VALUE_NIL;
	if (vm->event && vm->event->ops->arg)
		vm->event->ops->arg(vm, D, &A);
	DO(vm->error);

unknown:
	WARN_ON_ONCE(1);
	err = ktap_vm_error(vm, -EINVAL, "unknown instruction");
error:
	vm->pc = insn - prog->code;
	return err;
}

__diag_pop();

int ktap_vm_run(struct ktap_vm *vm, u32 func, const struct ktap_value *args,
		unsigned int nargs, struct ktap_value *result)
{
	const struct ktap_func *f = &vm->env->prog->funcs[func];
	int err;

	vm->error = 0;
	vm->message[0] = '\0';
	vm->pc = f->first;
	vm->ncalls = 0;
	vm->top = 0;
	vm->fresh = NULL;
	vm->arena.cur = 0;
	vm->arena.used = 0;
	vm->budget = vm->level == KTAP_LEVEL_PROCESS ? KTAP_PROCESS_SLICE : vm->env->max_insns;

	nargs = min_t(unsigned int, nargs, f->nparams);
	err = enter(vm, f, 0, nargs);
	if (!err) {
		if (nargs)
			memcpy(vm->stack, args, nargs * sizeof(*args));
		err = interpret(vm);
	}
	vm->error = err;
	if (result) {
		*result = err ? KTAP_VALUE_NIL : vm->stack[0];
		if (result->tag == KTAP_TABLE)
			*result = KTAP_VALUE_BOOL(true);
	}
	ktap_tables_end_run(vm);
	return err;
}

/* Lines of a backtrace; of a deeper one the outermost calls are left out. */
#define BACKTRACE_MAX	16

static size_t put_frame(const struct ktap_program *prog, const struct ktap_func *func, u32 pc,
			char *buf, size_t size)
{
	char place[KTAP_PLACE_SIZE];

	if (ktap_program_place(prog, pc, false, place, sizeof(place)))
		return scnprintf(buf, size, "  in %s (%s)\n", func->name, place);
	return scnprintf(buf, size, "  in %s\n", func->name);
}

size_t ktap_vm_backtrace(const struct ktap_vm *vm, char *buf, size_t size)
{
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_call *call;
	unsigned int lines;
	char place[KTAP_PLACE_SIZE];
	size_t len;
	u32 i;

	if (!ktap_program_place(prog, vm->pc, true, place, sizeof(place)))
		strscpy(place, "ktap");
	len = scnprintf(buf, size, "%s: error: %s\n", place, vm->message);
	len += put_frame(prog, vm->func, vm->pc, buf + len, size - len);
	for (i = vm->ncalls, lines = 1; i && lines < BACKTRACE_MAX; i--, lines++) {
		call = &vm->calls[i - 1];
		len += put_frame(prog, call->func, call->pc - 1, buf + len, size - len);
	}
	if (i)
		len += scnprintf(buf + len, size - len, "  and %u more\n", i);
	return len;
}
