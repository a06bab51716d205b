// SPDX-License-Identifier: GPL-2.0
/*
 * Native code of random functions, compared with the interpreter.
 */
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "data/table.h"
#include "jit/jit.h"
#include "load/rewrite.h"
#include "tests/build.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/run.h"

/**
 * DOC: Random functions
 *
 * The fuzzer in user space compares native code for all of the language, but executes the
 * eBPF by an interpreter.  This test has the BPF JIT of the machine compile it.  So it is
 * about what a BPF JIT does: arithmetic, comparisons, jumps, loops, loads and stores, calls
 * within the program, and calls of functions of C.
 *
 * Each program runs by the interpreter and as native code, with the same arguments and
 * budgets.  Results, errors with their places, the rest of the budget, registers and globals
 * must be the same.  The entries of the table are compared where functions read them.
 *
 * Variables of a function have always an integer, or anything.  The verifier does not know
 * the types of the latter, since they come from a global, an argument or a call.
 */

/* Programs that are compared; more programs find more bugs. */
static unsigned long programs = 250;
module_param(programs, ulong, 0400);

/* The programs of a seed are the same on each machine. */
static unsigned long seed = 1;
module_param(seed, ulong, 0400);

#ifdef CONFIG_KTAP_JIT

#define MAX_PARAMS	2
#define MAX_DEPTH	3	/* of statements in each other */
#define INTEGERS	4	/* variables that are integers */
#define OTHERS		4	/* variables that may be anything, parameters aside */
#define LOOP		4	/* registers of a loop */
#define TEMPORARY	6	/* registers that a statement may use */
#define NR_REGS		(MAX_PARAMS + INTEGERS + OTHERS + MAX_DEPTH * LOOP + TEMPORARY)
#define MOST_INSNS	700	/* then only functions end */
#define RUNS		3	/* of each function */
#define BARRIER		32	/* programs, after which the code of former ones is freed */

/* Globals */
enum { ANYTHING, NUMBER, SUM, TABLE };

/**
 * struct random_maker - a program being made
 * @c: the program
 * @diag: why it is refused
 * @fenced: which of both ways has barriers
 * @random: state of the random numbers
 * @nfuncs: number of its functions, with the top level
 * @nparams: parameters of the function being made
 * @depth: statements that contain the one being made
 * @loops: how many of these are loops
 */
struct random_maker {
	struct test_chunk *c;
	struct ktap_diag *diag;
	u8 fenced;
	u64 random;
	u32 nfuncs;
	u8 nparams;
	u8 depth;
	u8 loops;
};

/* Both ways to run a program */
struct random_run {
	struct ktap_env env;
	struct ktap_vm vm;
};

static const s64 random_numbers[] = {
	0, 1, -1, 2, -2, 63, 64, 0x7f, -0x80, 0xffff, S32_MAX, S32_MIN, U32_MAX, 1LL << 32,
	-(1LL << 32), S64_MAX, S64_MIN, S64_MAX - 1, S64_MIN + 1, 0x123456789abcdefLL,
};

/* A random number less than @n. */
static u32 pick(struct random_maker *m, u32 n)
{
	m->random = m->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(m->random >> 33) % n;
}

static s64 pick_number(struct random_maker *m)
{
	s64 n = random_numbers[pick(m, ARRAY_SIZE(random_numbers))];

	return pick(m, 4) ? n : (s64)((u64)n + pick(m, 200) - 100);
}

static u32 emit(struct random_maker *m, u8 op, u8 a, u8 b, u8 c, s32 d)
{
	return test_insn(m->c, op, a, b, c, d);
}

/* Jump from @from to the next instruction. */
static void land(struct random_maker *m, u32 from)
{
	m->c->insns[from].d = m->c->ninsns - from - 1;
}

/* Registers */

static u8 integer(struct random_maker *m)
{
	return m->nparams + pick(m, INTEGERS);
}

static u8 anything(struct random_maker *m)
{
	u8 n = pick(m, m->nparams + OTHERS);

	return n < m->nparams ? n : INTEGERS + n;
}

static u8 loop_register(const struct random_maker *m, u8 loop)
{
	return m->nparams + INTEGERS + OTHERS + loop * LOOP;
}

static u8 temporary(const struct random_maker *m)
{
	return loop_register(m, MAX_DEPTH);
}

/* One to read; an integer in most cases */
static u8 operand(struct random_maker *m)
{
	if (m->loops && !pick(m, 3))
		return loop_register(m, pick(m, m->loops)) + LOOP - 1;
	return pick(m, 8) ? integer(m) : anything(m);
}

/* One to write an integer to */
static u8 target(struct random_maker *m)
{
	return pick(m, 4) ? integer(m) : anything(m);
}

/* Statements */

static void make_statements(struct random_maker *m, u32 n);

static void make_constant(struct random_maker *m)
{
	u8 to = target(m);

	if (pick(m, 2))
		emit(m, KTAP_OP_INTK, to, 0, 0, pick(m, ARRAY_SIZE(random_numbers)));
	else
		emit(m, KTAP_OP_INT, to, 0, 0, (s32)pick_number(m));
}

/* The verifier does not know what is in a global. */
static void make_anything(struct random_maker *m)
{
	u8 from = temporary(m);

	switch (pick(m, 7)) {
	case 0:
		emit(m, KTAP_OP_NIL, from, from, 0, 0);
		break;
	case 1:
		emit(m, KTAP_OP_BOOL, from, pick(m, 2), 0, 0);
		break;
	case 2:
		emit(m, KTAP_OP_STR, from, 0, 0, pick(m, m->c->nstrings));
		break;
	case 3:
		emit(m, KTAP_OP_FUNC, from, 0, 0, pick(m, m->nfuncs));
		break;
	case 4:
		emit(m, KTAP_OP_MOV, from, operand(m), 0, 0);
		emit(m, KTAP_OP_MOV, from + 1, operand(m), 0, 0);
		emit(m, KTAP_OP_CONCAT, from, from, 2, 0);
		break;
	default:
		from = operand(m);
	}
	emit(m, KTAP_OP_SETG, from, 0, 0, ANYTHING);
	emit(m, KTAP_OP_GETG, anything(m), 0, 0, ANYTHING);
}

static void make_arithmetic(struct random_maker *m)
{
	u8 op = KTAP_OP_ADD + pick(m, KTAP_OP_SHR - KTAP_OP_ADD + 1);

	emit(m, op, target(m), operand(m), operand(m), 0);
}

static void make_arithmetic_with_constant(struct random_maker *m)
{
	u8 op = KTAP_OP_ADDI + pick(m, KTAP_OP_SHRI - KTAP_OP_ADDI + 1);

	/* A divisor is not 0. */
	emit(m, op, target(m), operand(m), 0, (s32)pick_number(m) ?: 3);
}

static void make_unary(struct random_maker *m)
{
	static const u8 ops[] = { KTAP_OP_NEG, KTAP_OP_BNOT };

	if (pick(m, 3))
		emit(m, ops[pick(m, ARRAY_SIZE(ops))], target(m), operand(m), 0, 0);
	else
		emit(m, KTAP_OP_NOT, temporary(m), pick(m, 2) ? operand(m) : anything(m), 0, 0);
}

/* Comparisons and jumps are about equal numbers often enough. */
static void make_nearly_equal(struct random_maker *m, u8 to, u8 from)
{
	if (to != from && !pick(m, 3))
		emit(m, KTAP_OP_ADDI, to, from, 0, (s32)pick(m, 3) - 1);
}

static void make_comparison(struct random_maker *m)
{
	static const u8 ops[] = { KTAP_OP_EQ, KTAP_OP_LT, KTAP_OP_LE };
	u8 a = integer(m), b = operand(m), to = temporary(m);

	make_nearly_equal(m, a, b);
	emit(m, ops[pick(m, ARRAY_SIZE(ops))], to, a, b, 0);
	emit(m, KTAP_OP_SETG, to, 0, 0, ANYTHING);
	emit(m, KTAP_OP_GETG, anything(m), 0, 0, ANYTHING);
}

static void make_copy(struct random_maker *m)
{
	if (pick(m, 2))
		emit(m, KTAP_OP_MOV, integer(m), integer(m), 0, 0);
	else
		emit(m, KTAP_OP_MOV, anything(m), operand(m), 0, 0);
}

static void make_global(struct random_maker *m)
{
	switch (pick(m, 4)) {
	case 0:
		emit(m, KTAP_OP_SETG, integer(m), 0, 0, NUMBER);
		break;
	case 1:
		emit(m, KTAP_OP_ADDG, operand(m), 0, 0, NUMBER);
		break;
	case 2:
		emit(m, KTAP_OP_ADDG, operand(m), 0, 0, SUM);
		break;
	default:
		emit(m, KTAP_OP_GETG, anything(m), 0, 0, pick(m, 2) ? NUMBER : SUM);
	}
}

static void make_entry(struct random_maker *m)
{
	u8 table = temporary(m);

	emit(m, KTAP_OP_GETG, table, 0, 0, TABLE);
	switch (pick(m, 6)) {
	case 0:
		emit(m, KTAP_OP_TSETI, table, 0, operand(m), pick(m, 12));
		break;
	case 1:
		emit(m, KTAP_OP_TADDI, table, 0, operand(m), pick(m, 12));
		break;
	case 2:
		emit(m, KTAP_OP_TADD, table, operand(m), operand(m), 0);
		break;
	case 3:
		emit(m, KTAP_OP_TGET, anything(m), table, operand(m), 0);
		break;
	case 4:
		emit(m, KTAP_OP_TADDS, table, 0, operand(m), pick(m, m->c->nstrings));
		break;
	default:
		emit(m, KTAP_OP_TGETI, anything(m), table, 0, pick(m, 12));
	}
}

static void make_call(struct random_maker *m)
{
	u8 first = temporary(m), n = pick(m, MAX_PARAMS + 2), i;
	bool value = !pick(m, 4), tail = !pick(m, 8);
	u8 op = value ? KTAP_OP_CALLV : KTAP_OP_CALL;
	u32 func = 1 + pick(m, m->nfuncs - 1);

	if (value)
		emit(m, KTAP_OP_FUNC, first, 0, 0, func);
	for (i = 0; i < n; i++)
		emit(m, KTAP_OP_MOV, first + value + i, operand(m), 0, 0);
	emit(m, op, first, n, tail ? KTAP_MULTI : 1, value ? 0 : func);
	if (tail)
		emit(m, KTAP_OP_RET, first, KTAP_MULTI, 0, 0);
	else
		emit(m, KTAP_OP_MOV, anything(m), first, 0, 0);
}

static void make_return(struct random_maker *m)
{
	emit(m, KTAP_OP_RET, operand(m), pick(m, 8) ? 1 : 0, 0, 0);
}

/* A conditional jump, which is to land() */
static u32 make_jump(struct random_maker *m)
{
	u8 op = KTAP_OP_JT + pick(m, KTAP_OP_JNGEI - KTAP_OP_JT + 1);
	u8 a = integer(m), b = operand(m);

	if (op < KTAP_OP_JEQ)
		return emit(m, op, anything(m), 0, 0, 0);
	if (op >= KTAP_OP_JEQI)
		return emit(m, op, operand(m), pick(m, 256), pick(m, 2) ? 0 : pick(m, 256), 0);
	make_nearly_equal(m, a, b);
	return emit(m, op, a, b, 0, 0);
}

static void make_if(struct random_maker *m)
{
	u32 over = make_jump(m), end;

	make_statements(m, 3);
	if (pick(m, 2)) {
		end = emit(m, KTAP_OP_JMP, 0, 0, 0, 0);
		land(m, over);
		make_statements(m, 3);
		over = end;
	}
	land(m, over);
}

static void make_for(struct random_maker *m)
{
	u8 loop = loop_register(m, m->loops++);
	u32 begin;

	emit(m, KTAP_OP_INT, loop, 0, 0, (s32)pick(m, 20) - 10);
	if (pick(m, 3))
		emit(m, KTAP_OP_INT, loop + 1, 0, 0, pick(m, 12));
	else
		emit(m, KTAP_OP_MOV, loop + 1, operand(m), 0, 0);
	emit(m, KTAP_OP_INT, loop + 2, 0, 0, pick(m, 8) ? 1 + pick(m, 4) : -1 - pick(m, 3));
	begin = emit(m, KTAP_OP_FORPREP, loop, 0, 0, 0);
	make_statements(m, 4);
	emit(m, KTAP_OP_FORLOOP, loop, 0, 0, begin - m->c->ninsns);
	land(m, begin);
	m->loops--;
}

static void make_while(struct random_maker *m)
{
	u32 begin = m->c->ninsns, out = make_jump(m);

	make_statements(m, 3);
	emit(m, KTAP_OP_JMP, 0, 0, 0, begin - m->c->ninsns - 1);
	land(m, out);
}

static void make_try(struct random_maker *m)
{
	u32 first = m->c->ninsns, end, over;

	make_statements(m, 3);
	end = m->c->ninsns;
	over = emit(m, KTAP_OP_JMP, 0, 0, 0, 0);
	if (end > first && m->c->ntries < TEST_MAX)
		test_try(m->c, first, end, m->c->ninsns, temporary(m));
	make_statements(m, 2);
	land(m, over);
}

typedef void (*random_statement)(struct random_maker *m);

static const random_statement simple[] = {
	make_constant, make_anything, make_arithmetic, make_arithmetic, make_arithmetic,
	make_arithmetic_with_constant, make_arithmetic_with_constant, make_unary, make_comparison,
	make_copy, make_global, make_entry,
};

static const random_statement nested[] = {
	make_if, make_if, make_for, make_while, make_try, make_call, make_return,
};

/* Up to @n statements */
static void make_statements(struct random_maker *m, u32 n)
{
	n = pick(m, n + 1);
	while (n-- && m->c->ninsns < MOST_INSNS) {
		if (m->depth == MAX_DEPTH || pick(m, 3)) {
			simple[pick(m, ARRAY_SIZE(simple))](m);
			continue;
		}
		m->depth++;
		nested[pick(m, ARRAY_SIZE(nested))](m);
		m->depth--;
	}
}

/* Functions */

/* A register of a short function: a parameter, or one of two integers */
static u8 short_register(struct random_maker *m)
{
	return pick(m, m->nparams + 2);
}

/* Native code has no frame for a short function that calls nothing. */
static void make_short_function(struct random_maker *m)
{
	u32 i, n = 1 + pick(m, 7);
	u8 op;

	test_func(m->c, "short", m->nparams, NR_REGS);
	for (i = 0; i < 2; i++)
		emit(m, KTAP_OP_INTK, m->nparams + i, 0, 0, pick(m, ARRAY_SIZE(random_numbers)));
	for (i = 0; i < n; i++) {
		op = KTAP_OP_ADD + pick(m, KTAP_OP_SHR - KTAP_OP_ADD + 1);
		if (pick(m, 3))
			emit(m, op, short_register(m), short_register(m), short_register(m), 0);
		else
			emit(m, KTAP_OP_JLT + pick(m, 4), short_register(m), short_register(m), 0,
			     pick(m, n - i));
	}
	emit(m, KTAP_OP_RET, short_register(m), 1, 0, 0);
}

static void make_long_function(struct random_maker *m)
{
	u8 i;

	if (pick(m, 8))
		test_func(m->c, "long", m->nparams, NR_REGS);
	else
		test_variadic(m->c, "variadic", m->nparams, NR_REGS);
	for (i = 0; i < INTEGERS; i++)
		emit(m, KTAP_OP_INTK, m->nparams + i, 0, 0, pick(m, ARRAY_SIZE(random_numbers)));
	for (i = 0; i < OTHERS; i++)
		emit(m, KTAP_OP_GETG, m->nparams + INTEGERS + i, 0, 0, ANYTHING);
	make_statements(m, 16);
	emit(m, KTAP_OP_RET, operand(m), 1, 0, 0);
}

static void make_function(struct random_maker *m)
{
	m->nparams = pick(m, MAX_PARAMS + 1);
	if (pick(m, 3))
		make_long_function(m);
	else
		make_short_function(m);
}

/* The top level makes the table. */
static void make_program(struct random_maker *m)
{
	static const char *const names[] = { "anything", "number", "sum", "table", "", "12" };
	struct test_chunk *c = m->c;
	u32 i;

	memset(c->bytes, 0, c->string_bytes);
	memset(&c->nstrings, 0, offsetof(struct test_chunk, max_insns) -
				offsetof(struct test_chunk, nstrings));
	for (i = 0; i < TABLE + 1; i++)
		test_global(c, names[i]);
	for (; i < ARRAY_SIZE(names); i++)
		test_string(c, names[i]);
	for (i = 0; i < ARRAY_SIZE(random_numbers); i++)
		test_int(c, random_numbers[i]);
	m->nfuncs = 2 + pick(m, 4);
	test_func(c, "main", 0, 1);
	emit(m, KTAP_OP_NEWT, 0, 0, 0, 0);
	emit(m, KTAP_OP_SETG, 0, 0, 0, TABLE);
	TEST_RET(c);
	for (i = 1; i < m->nfuncs; i++)
		make_function(m);
}

/* Comparison */

static void end_run(struct random_run *run)
{
	struct ktap_program *prog = run->env.prog;

	ktap_vm_destroy(&run->vm);
	ktap_env_destroy(&run->env);
	ktap_program_free(prog);
}

/* Load a program and run its top level.  Returns false if it is refused. */
static bool begin_run(struct random_maker *m, struct random_run *run, bool native)
{
	struct kunit *test = m->c->test;
	struct ktap_program *prog;
	size_t len;
	void *p = test_bytes(m->c, &len);
	u32 i;

	m->diag->len = 0;
	prog = ktap_program_load(p, len, m->diag);
	if (IS_ERR(prog)) {
		kvfree(p);
		return false;
	}
	KUNIT_ASSERT_EQ(test, 0, ktap_env_init(&run->env, prog, 4 << 20, NULL));
	run->env.jit_always = false;
	run->env.fenced = m->fenced & (native ? 1 : 2);
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_init(&run->vm, &run->env, KTAP_LEVEL_TASK));
	memset(run->vm.stack, 0x5a, run->vm.stack_size * sizeof(*run->vm.stack));
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(&run->vm, 0, NULL, 0, NULL));
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	ktap_jit_enabled = native;
	test_compile(test, &run->env);
	if (native && !prog->funcs[1].native) {
		end_run(run);
		kunit_skip(test, "the BPF JIT is switched off");
	}
	for (i = 1; i < prog->nfuncs; i++)
		KUNIT_EXPECT_EQ(test, native, !!prog->funcs[i].native);
	return true;
}

static bool is_same(const struct ktap_value *x, const struct ktap_value *y)
{
	if (x->tag != y->tag)
		return false;
	switch (x->tag) {
	case KTAP_BOOL:
	case KTAP_INT:
	case KTAP_FUNC:
		return x->u == y->u;
	case KTAP_STR:
		return ktap_equal(x, y);
	default:
		return true;
	}
}

/* A string in a register may be one of a former run, whose bytes are gone. */
static bool is_same_register(const struct ktap_value *x, const struct ktap_value *y)
{
	return x->tag == y->tag && (x->tag == KTAP_STR || is_same(x, y));
}

static bool is_same_global(struct ktap_vm *x, struct ktap_vm *y, u32 n)
{
	struct ktap_value v, w;

	if (n == SUM) {
		/* Adding up the sums of all CPUs costs something. */
		x->budget = U64_MAX;
		y->budget = U64_MAX;
		return !ktap_global_get(x, n, &v) && !ktap_global_get(y, n, &w) && is_same(&v, &w);
	}
	ktap_global_peek(x->env, n, &v);
	ktap_global_peek(y->env, n, &w);
	if (n == TABLE)
		return ktap_table_len(v.table) == ktap_table_len(w.table);
	return is_same(&v, &w);
}

/* NULL, or how the two differ. */
static const char *difference(struct ktap_vm *x, struct ktap_vm *y)
{
	u32 i;

	if (x->error != y->error || strcmp(x->message, y->message))
		return "the error";
	if (x->fault.pc != y->fault.pc || x->fault.ncalls != y->fault.ncalls)
		return "the place of the error";
	if (x->budget != y->budget || x->rest != y->rest)
		return "the budget";
	if (!is_same(&x->result, &y->result))
		return "the result";
	for (i = 0; i < x->stack_size; i++) {
		if (!is_same_register(&x->stack[i], &y->stack[i]))
			return "a register";
	}
	for (i = ANYTHING; i <= TABLE; i++) {
		if (!is_same_global(x, y, i))
			return "a global";
	}
	return NULL;
}

static void run_function(struct ktap_vm *vm, u32 func, const struct ktap_value *args, u64 budget)
{
	vm->env->max_insns = budget;
	preempt_disable();
	ktap_vm_run(vm, func, args, MAX_PARAMS, NULL);
	preempt_enable();
}

static void report(struct random_maker *m, u64 first, u32 func, const char *what)
{
	struct test_chunk *c = m->c;
	u32 i;

	KUNIT_FAIL(c->test, "function %u of seed %llu: %s differs", func, first, what);
	for (i = 0; i < c->nfuncs; i++)
		kunit_info(c->test, "function %u begins at %u", i, le32_to_cpu(c->funcs[i].first));
	for (i = 0; i < c->ninsns; i++)
		kunit_info(c->test, "%u: op %u a %u b %u c %u d %d", i, c->insns[i].op,
			   c->insns[i].a, c->insns[i].b, c->insns[i].c, c->insns[i].d);
}

/* Returns false if a function of the program differs. */
static bool compare_runs(struct random_maker *m, struct random_run *native,
			 struct random_run *interpreted, u64 first)
{
	struct ktap_value args[MAX_PARAMS];
	const char *what;
	u64 budget;
	u32 i, n;

	for (i = RUNS; i < RUNS * m->nfuncs; i++) {
		for (n = 0; n < MAX_PARAMS; n++)
			args[n] = pick(m, 4) ? KTAP_VALUE_INT(pick_number(m)) :
					       KTAP_VALUE_STR("text", 4);
		budget = pick(m, 2) ? 1 + pick(m, 300) : 3000;
		run_function(&native->vm, i / RUNS, args, budget);
		run_function(&interpreted->vm, i / RUNS, args, budget);
		what = difference(&native->vm, &interpreted->vm);
		if (what) {
			report(m, first, i / RUNS, what);
			return false;
		}
	}
	return true;
}

static void native_code_does_what_the_interpreter_does(struct kunit *test)
{
	struct random_run *runs = kunit_kzalloc(test, 2 * sizeof(*runs), GFP_KERNEL);
	struct random_maker m = {
		.c = test_large_chunk(test, MOST_INSNS + 300),
		.diag = test_diag(test),
	};
	unsigned long i, accepted = 0;
	bool same = true;

	KUNIT_ASSERT_NOT_NULL(test, runs);
	test_enable_jit(test, true);
	for (i = 0; i < programs && same; i++) {
		m.random = seed + i;
		m.fenced = (seed + i) % 4;
		make_program(&m);
		if (!begin_run(&m, &runs[0], true))
			continue;
		KUNIT_ASSERT_TRUE(test, begin_run(&m, &runs[1], false));
		accepted++;
		same = compare_runs(&m, &runs[0], &runs[1], seed + i);
		end_run(&runs[0]);
		end_run(&runs[1]);
		if (!(accepted % BARRIER))
			rcu_barrier();
		cond_resched();
	}
	kunit_info(test, "%lu programs, of which the verifier accepted %lu", i, accepted);
	KUNIT_EXPECT_GT(test, 2 * accepted, i);
}

static struct kunit_case jit_random_cases[] = {
	KUNIT_CASE_SLOW(native_code_does_what_the_interpreter_does),
	{}
};

#else

static void native_code_is_not_built(struct kunit *test)
{
	kunit_skip(test, "CONFIG_KTAP_JIT is not set");
}

static struct kunit_case jit_random_cases[] = {
	KUNIT_CASE(native_code_is_not_built),
	{}
};

#endif

static struct kunit_suite jit_random_suite = {
	.name = "ktap_jit_random",
	.test_cases = jit_random_cases,
};

kunit_test_suite(jit_random_suite);
