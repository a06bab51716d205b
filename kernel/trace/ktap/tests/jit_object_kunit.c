// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses to objects whose addresses are in native code: the interpreter does the same.
 */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "data/agg.h"
#include "data/table.h"
#include "jit/call.h"
#include "load/rewrite.h"
#include "tests/build.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/native.h"
#include "vm/ops.h"
#include "vm/run.h"

#define EVENT	KTAP_LEVEL_TASK
#define PROCESS	KTAP_LEVEL_PROCESS

#define HANDLER	1

/* Globals, named for their objects */
enum { TABLE, HIST, STATS, LHIST, PARTS, NGLOBALS };

static void make_object(struct test_chunk *c, u32 global, u32 function, unsigned int nargs)
{
	test_insn(c, KTAP_OP_CALLB, 0, nargs, 0, function);
	test_insn(c, KTAP_OP_SETG, 0, 0, 0, global);
}

/* The top level makes the objects. */
static void make_objects(struct test_chunk *c)
{
	static const char *const names[] = { "t", "h", "s", "l", "p" };
	unsigned int i;

	for (i = 0; i < NGLOBALS; i++)
		test_global(c, names[i]);
	test_func(c, "main", 0, 4);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_SETG, 0, 0, 0, TABLE);
	make_object(c, HIST, KTAP_FN_NEW_HIST, 0);
	make_object(c, STATS, KTAP_FN_NEW_STATS, 0);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, -5);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 50);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 10);
	make_object(c, LHIST, KTAP_FN_NEW_LHIST, 3);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 2);
	make_object(c, PARTS, KTAP_FN_NEW_HIST, 1);
	TEST_RET(c);
}

/* The handler does more than add.  With KEYED and SETS, the tables are not steady. */
enum { KEYED = 1, SETS = 2, LOSES = 4 };

/* To each aggregation, add an integer and the argument R[1]; and with the key in R[0]. */
static void add_to_aggregations(struct test_chunk *c, unsigned int what)
{
	u32 i;

	for (i = HIST; i <= PARTS; i++) {
		test_insn(c, KTAP_OP_GETG, 2, 0, 0, i);
		test_insn(c, KTAP_OP_INT, 3, 0, 0, 42 - i);
		test_insn(c, KTAP_OP_AGG, 2, 0, 3, 0);
		test_insn(c, KTAP_OP_AGG, 2, 0, 1, 0);
		if (!(what & KEYED))
			continue;
		test_insn(c, KTAP_OP_CALLB, 4, 0, 0, KTAP_FN_EXECNAME);
		test_insn(c, KTAP_OP_TAGG, 2, 4, 3, 0);
		test_insn(c, KTAP_OP_TAGG, 2, 0, 3, 0);
		test_insn(c, KTAP_OP_TAGG, 2, 0, 1, 0);
	}
}

static void change_table(struct test_chunk *c, u32 short_name, u32 long_name, unsigned int what)
{
	test_insn(c, KTAP_OP_GETG, 2, 0, 0, TABLE);
	test_insn(c, KTAP_OP_INT, 3, 0, 0, 7);
	test_insn(c, KTAP_OP_TADD, 2, 0, 3, 0);
	test_insn(c, KTAP_OP_TADD, 2, 0, 1, 0);
	test_insn(c, KTAP_OP_TADDS, 2, 0, 3, short_name);
	test_insn(c, KTAP_OP_TADDS, 2, 0, 3, long_name);
	test_insn(c, KTAP_OP_TADDI, 2, 0, 3, -9);
	test_insn(c, KTAP_OP_CALLB, 4, 0, 0, KTAP_FN_EXECNAME);
	test_insn(c, KTAP_OP_TADD, 2, 4, 3, 0);
	test_insn(c, KTAP_OP_CALLB, 4, 0, 0, KTAP_FN_PID);
	test_insn(c, KTAP_OP_TADD, 2, 4, 3, 0);
	test_insn(c, KTAP_OP_TUPLE, 5, 3, 2, 0);
	test_insn(c, KTAP_OP_TADD, 2, 5, 3, 0);
	if (what & SETS) {
		test_insn(c, KTAP_OP_TSETI, 2, 0, 3, 1 << 20);
		test_insn(c, KTAP_OP_TSETS, 2, 0, 3, short_name);
	}
	test_insn(c, KTAP_OP_TGETI, 6, 2, 0, 1 << 20);
	test_insn(c, KTAP_OP_TADDI, 2, 0, 6, 5);
	test_insn(c, KTAP_OP_TGET, 6, 2, 4, 0);
	test_insn(c, KTAP_OP_TADDI, 2, 0, 6, 6);
	test_insn(c, KTAP_OP_TGET, 6, 2, 0, 0);
}

/* The table is not steady. */
static void lose_entries(struct test_chunk *c)
{
	test_insn(c, KTAP_OP_GETG, 2, 0, 0, TABLE);
	test_insn(c, KTAP_OP_STR, 7, 0, 0, 0);
	test_insn(c, KTAP_OP_TSETI, 2, 0, 7, 3);
	test_insn(c, KTAP_OP_TSETI, 2, 0, 3, 4);
	test_insn(c, KTAP_OP_TSET, 2, 4, 3, 0);
	test_insn(c, KTAP_OP_NIL, 7, 8, 0, 0);
	test_insn(c, KTAP_OP_TSETI, 2, 0, 8, 4);
	test_insn(c, KTAP_OP_TSET, 2, 4, 8, 0);
	test_insn(c, KTAP_OP_TSET, 2, 0, 8, 0);
	/* Only one of the ways to the next instruction makes R[8] nil. */
	test_insn(c, KTAP_OP_INT, 8, 0, 0, 5);
	test_insn(c, KTAP_OP_JNNIL, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_NIL, 8, 8, 0, 0);
	test_insn(c, KTAP_OP_GETG, 2, 0, 0, TABLE);
	test_insn(c, KTAP_OP_TSETI, 2, 0, 8, 8);
}

/* Only one of the ways to the access makes the register the table. */
static void access_another_object(struct test_chunk *c)
{
	test_insn(c, KTAP_OP_GETG, 9, 0, 0, HIST);
	test_insn(c, KTAP_OP_JNNIL, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_GETG, 9, 0, 0, LHIST);
	test_insn(c, KTAP_OP_AGG, 9, 0, 3, 0);
	test_insn(c, KTAP_OP_MOV, 9, 2, 0, 0);
	test_insn(c, KTAP_OP_TADD, 9, 4, 3, 0);
}

static struct test_chunk *objects(struct kunit *test, unsigned int what)
{
	struct test_chunk *c = test_chunk(test);
	u32 text = test_string(c, "short"), words;
	char bytes[80];

	memset(bytes, 'x', sizeof(bytes));
	words = test_string_of(c, bytes, sizeof(bytes));
	make_objects(c);
	test_func(c, "handler", 2, 10);
	add_to_aggregations(c, what);
	change_table(c, text, words, what);
	access_another_object(c);
	if (what & LOSES)
		lose_entries(c);
	test_insn(c, KTAP_OP_RET, 6, 1, 0, 0);
	return c;
}

/* The activation of an event, after the top level has run */
static struct ktap_vm *event_vm(struct test_chunk *c, bool native)
{
	struct kunit *test = c->test;
	struct ktap_vm *vm;

	test_enable_jit(test, native);
	vm = test_vm(test, test_load(c), PROCESS);
	test_run(test, vm, NULL, 0);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(vm->env->prog));
	test_compile(test, vm->env);
	if (native && !vm->env->prog->funcs[HANDLER].native)
		kunit_skip(test, "there is no native code");
	KUNIT_ASSERT_EQ(test, !native, !vm->env->prog->funcs[HANDLER].native);
	return test_vm_of(test, vm->env, EVENT);
}

#ifdef CONFIG_KTAP_JIT
/* How often does the code of the handler call a function? */
static unsigned int calls_of(struct ktap_vm *vm, const void *fn)
{
	const struct bpf_prog *prog = vm->env->prog->funcs[HANDLER].native->prog;
	unsigned int i, n = 0;

	for (i = 0; i < prog->len; i++)
		n += prog->insnsi[i].code == (BPF_JMP | BPF_CALL) &&
		     prog->insnsi[i].imm == BPF_CALL_IMM(fn);
	return n;
}

static void expect_calls(struct kunit *test, struct ktap_vm *vm, unsigned int what)
{
	unsigned int n = vm->env->steady ? 1 : 0;

	KUNIT_EXPECT_EQ(test, 10 * n, calls_of(vm, ktap_jit_add_recent));
	KUNIT_EXPECT_EQ(test, what & SETS ? 2 * n : 0, calls_of(vm, ktap_jit_set_recent));
	KUNIT_EXPECT_EQ(test, what & KEYED ? 12 * n : 0, calls_of(vm, ktap_agg_add_recent));
	KUNIT_EXPECT_GE(test, calls_of(vm, ktap_table_get), 2);
	KUNIT_EXPECT_EQ(test, what & LOSES ? 2 : 0, calls_of(vm, ktap_table_delete));
	/* Only the last one, of an object that is not known */
	KUNIT_EXPECT_EQ(test, 1, calls_of(vm, ktap_op_aggregate));
}
#else
static void expect_calls(struct kunit *test, struct ktap_vm *vm, unsigned int what)
{
}
#endif

static int run_handler(struct ktap_vm *vm, const struct ktap_value *args, struct ktap_value *v)
{
	int err;

	*v = KTAP_VALUE_NIL;
	preempt_disable();
	err = ktap_vm_run(vm, HANDLER, args, 2, v);
	preempt_enable();
	return err;
}

static void expect_same_totals(struct kunit *test, struct ktap_vm *x_vm, struct ktap_vm *y_vm,
			       const struct ktap_agg *x, const struct ktap_agg *y)
{
	u32 n = ktap_agg_shape(x)->nbuckets;
	u64 *buckets = kunit_kzalloc(test, (2 * n + 1) * sizeof(*buckets), GFP_KERNEL);
	struct ktap_total x_total, y_total;

	KUNIT_ASSERT_NOT_NULL(test, buckets);
	ktap_agg_read(x_vm->env, x, &x_total);
	ktap_agg_read(y_vm->env, y, &y_total);
	KUNIT_EXPECT_GT(test, x_total.count, 0);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&x_total, &y_total, sizeof(x_total)));
	if (!n)
		return;
	KUNIT_EXPECT_EQ(test, 0, ktap_agg_read_buckets(x_vm, x, buckets));
	KUNIT_EXPECT_EQ(test, 0, ktap_agg_read_buckets(y_vm, y, buckets + n));
	KUNIT_EXPECT_EQ(test, 0, memcmp(buckets, buckets + n, n * sizeof(*buckets)));
}

/* Both tables have the same entries in the same order. */
static void expect_same_tables(struct kunit *test, struct ktap_vm *x_vm, struct ktap_vm *y_vm,
			       struct ktap_table *x, struct ktap_table *y)
{
	struct ktap_value x_key = KTAP_VALUE_NIL, y_key = KTAP_VALUE_NIL, x_v, y_v;
	struct ktap_iter x_it = { }, y_it = { };
	int more;

	KUNIT_EXPECT_EQ(test, ktap_table_len(x), ktap_table_len(y));
	for (;;) {
		x_vm->budget = U32_MAX;
		y_vm->budget = U32_MAX;
		more = ktap_table_next(x_vm, x, &x_it, &x_key, &x_key, &x_v);
		KUNIT_ASSERT_EQ(test, more, ktap_table_next(y_vm, y, &y_it, &y_key, &y_key, &y_v));
		if (more <= 0)
			break;
		KUNIT_EXPECT_TRUE(test, ktap_equal(&x_key, &y_key));
		KUNIT_ASSERT_EQ(test, x_v.tag, y_v.tag);
		if (x_v.tag == KTAP_AGG)
			expect_same_totals(test, x_vm, y_vm, x_v.agg, y_v.agg);
		else
			KUNIT_EXPECT_TRUE(test, ktap_equal(&x_v, &y_v));
	}
	KUNIT_EXPECT_EQ(test, 0, more);
}

static void expect_same_objects(struct kunit *test, struct ktap_vm *x, struct ktap_vm *y)
{
	const struct ktap_value *x_v, *y_v;
	struct ktap_table *keyed;
	u32 i;

	expect_same_tables(test, x, y, x->env->globals[TABLE].value.table,
			   y->env->globals[TABLE].value.table);
	for (i = HIST; i <= PARTS; i++) {
		x_v = &x->env->globals[i].value;
		y_v = &y->env->globals[i].value;
		expect_same_totals(test, x, y, x_v->agg, y_v->agg);
		keyed = ktap_agg_keyed(x_v->agg);
		KUNIT_EXPECT_EQ(test, !keyed, !ktap_agg_keyed(y_v->agg));
		if (keyed)
			expect_same_tables(test, x, y, keyed, ktap_agg_keyed(y_v->agg));
	}
}

static void expect_same_runs(struct kunit *test, unsigned int what)
{
	static const char text[] =
		"a text of more bytes than a key has that costs the script nothing";
	const struct ktap_value keys[] = {
		KTAP_VALUE_INT(1), KTAP_VALUE_INT(S64_MIN), KTAP_VALUE_STR("", 0),
		KTAP_VALUE_STR("name", 4), KTAP_VALUE_STR(text, 16), KTAP_VALUE_STR(text, 17),
		KTAP_VALUE_STR(text, sizeof(text)), KTAP_VALUE_BOOL(true), KTAP_VALUE_PTR(1),
		KTAP_VALUE_NIL, (struct ktap_value){ .tag = KTAP_FUNC },
	};
	const struct ktap_value numbers[] = {
		KTAP_VALUE_INT(-1), KTAP_VALUE_INT(1LL << 40), KTAP_VALUE_NIL,
		KTAP_VALUE_BOOL(true),
	};
	struct test_chunk *c = objects(test, what);
	struct ktap_vm *native = event_vm(c, true), *vm = event_vm(c, false);
	struct ktap_value args[2], x, y;
	unsigned int i, n, round;
	int err;

	KUNIT_EXPECT_EQ(test, IS_ENABLED(CONFIG_64BIT) && what <= SETS, native->env->steady);
	expect_calls(test, native, what);
	for (i = 0; i < ARRAY_SIZE(keys) * ARRAY_SIZE(numbers); i++) {
		n = i % ARRAY_SIZE(numbers);
		/* The second time, the entries are recent ones. */
		for (round = 0; round < 2; round++) {
			args[0] = keys[i / ARRAY_SIZE(numbers)];
			args[1] = numbers[n];
			err = run_handler(native, args, &x);
			KUNIT_EXPECT_EQ_MSG(test, err, run_handler(vm, args, &y), "case %u", i);
			KUNIT_EXPECT_EQ(test, x.tag, y.tag);
			KUNIT_EXPECT_TRUE(test, ktap_equal(&x, &y));
			KUNIT_EXPECT_EQ_MSG(test, vm->budget, native->budget, "case %u", i);
			if (err)
				KUNIT_EXPECT_EQ(test, vm->fault.pc, native->fault.pc);
			KUNIT_EXPECT_STREQ(test, vm->message, native->message);
		}
	}
	expect_same_objects(test, native, vm);
}

static void steady_objects_change_as_in_the_interpreter(struct kunit *test)
{
	expect_same_runs(test, KEYED);
	expect_same_runs(test, SETS);
}

static void other_objects_change_as_in_the_interpreter(struct kunit *test)
{
	expect_same_runs(test, KEYED | SETS);
	expect_same_runs(test, KEYED | SETS | LOSES);
}

static struct kunit_case jit_object_cases[] = {
	KUNIT_CASE(steady_objects_change_as_in_the_interpreter),
	KUNIT_CASE(other_objects_change_as_in_the_interpreter),
	{}
};

static struct kunit_suite jit_object_suite = {
	.name = "ktap_jit_object",
	.test_cases = jit_object_cases,
};

kunit_test_suite(jit_object_suite);
