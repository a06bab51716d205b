// SPDX-License-Identifier: GPL-2.0
/*
 * Lost objects, whose allocation failed: using them is not an error.  And other losses.
 */
#include <linux/string.h>
#include <asm/byteorder.h>

#include "data/agg.h"
#include "data/object.h"
#include "output/losses.h"
#include "output/speculation.h"
#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/run.h"

/* R[0] is a lost object; run @code; return R[1]. */
static struct ktap_vm *without_memory(struct kunit *test, u32 op, u32 fn,
				      const struct ktap_code *code, int n)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	int i;

	test_string(c, "key");
	test_global(c, "g");
	test_func(c, "main", 0, 10);
	if (op == KTAP_OP_CALLB)
		test_insn(c, op, 0, 0, 0, fn);
	else
		test_insn(c, op, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 42);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 7);
	for (i = 0; i < n; i++)
		test_insn(c, code[i].op, code[i].a, code[i].b, code[i].c, code[i].d);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	while (ktap_heap_alloc(&vm->env->heap, 8))
		;
	return vm;
}

static long drops(const struct ktap_vm *vm)
{
	return atomic_long_read(&vm->env->counters.no_memory);
}

/* The object and each value written to it are counted. */
static void expect_drops(struct kunit *test, u32 op, u32 fn, struct ktap_code code, long n)
{
	struct ktap_vm *vm = without_memory(test, op, fn, &code, 1);
	struct ktap_value v = test_run(test, vm, NULL, 0);

	KUNIT_EXPECT_EQ(test, v.tag, KTAP_INT);
	KUNIT_EXPECT_EQ(test, v.i, 42);
	KUNIT_EXPECT_EQ(test, drops(vm), n);
}

#define INSN(o, x, y, z, n)	((struct ktap_code){ KTAP_OP_##o, x, y, z, n })

static void writes_to_a_lost_object_are_counted(struct kunit *test)
{
	expect_drops(test, KTAP_OP_NEWT, 0, INSN(MOV, 3, 0, 0, 0), 1);
	expect_drops(test, KTAP_OP_NEWT, 0, INSN(TSET, 0, 2, 1, 0), 2);
	expect_drops(test, KTAP_OP_NEWT, 0, INSN(TSETI, 0, 0, 1, 1), 2);
	expect_drops(test, KTAP_OP_NEWT, 0, INSN(TSETS, 0, 0, 1, 0), 2);
	expect_drops(test, KTAP_OP_NEWT, 0, INSN(TADD, 0, 2, 1, 0), 2);
	expect_drops(test, KTAP_OP_NEWT, 0, INSN(TADDS, 0, 0, 1, 0), 2);
	expect_drops(test, KTAP_OP_NEWT, 0, INSN(TAGG, 0, 2, 1, 0), 2);
	expect_drops(test, KTAP_OP_CALLB, KTAP_FN_NEW_STATS, INSN(AGG, 0, 0, 1, 0), 2);
	expect_drops(test, KTAP_OP_CALLB, KTAP_FN_NEW_COUNT, INSN(TAGG, 0, 2, 1, 0), 2);
}

static void reads_of_a_lost_object_give_nil(struct kunit *test)
{
	const struct ktap_code get[] = { INSN(TGET, 1, 0, 2, 0) };
	const struct ktap_code has[] = { INSN(THAS, 1, 0, 2, 0) };
	const struct ktap_code loop[] = {
		INSN(MOV, 5, 0, 0, 0), INSN(ITER, 5, 0, 0, 0), INSN(NEXT, 5, 0, 0, 1),
		INSN(INT, 1, 0, 0, 13),
	};
	const struct ktap_code len[] = {
		INSN(MOV, 1, 0, 0, 0), INSN(CALLB, 1, 1, 0, KTAP_FN_LEN),
	};
	const struct ktap_code delete[] = {
		INSN(NIL, 3, 3, 0, 0), INSN(TSET, 0, 2, 3, 0),
	};
	struct ktap_vm *vm;

	vm = without_memory(test, KTAP_OP_NEWT, 0, get, 1);
	KUNIT_EXPECT_EQ(test, test_run(test, vm, NULL, 0).tag, KTAP_NIL);
	vm = without_memory(test, KTAP_OP_NEWT, 0, has, 1);
	KUNIT_EXPECT_FALSE(test, test_run(test, vm, NULL, 0).i);
	vm = without_memory(test, KTAP_OP_NEWT, 0, loop, ARRAY_SIZE(loop));
	KUNIT_EXPECT_EQ(test, test_run(test, vm, NULL, 0).i, 42);
	vm = without_memory(test, KTAP_OP_NEWT, 0, len, ARRAY_SIZE(len));
	KUNIT_EXPECT_EQ(test, test_run(test, vm, NULL, 0).tag, KTAP_NIL);
	vm = without_memory(test, KTAP_OP_NEWT, 0, delete, ARRAY_SIZE(delete));
	test_run(test, vm, NULL, 0);
	/* Deleting an entry is no loss. */
	KUNIT_EXPECT_EQ(test, drops(vm), 1);
}

/* g = {}, and g[7] = 42 of a later event. */
static void a_lost_object_stays_lost_in_a_global(struct kunit *test)
{
	const struct ktap_code code[] = {
		INSN(SETG, 0, 0, 0, 0), INSN(GETG, 3, 0, 0, 0), INSN(TSET, 3, 2, 1, 0),
	};
	struct ktap_vm *vm = without_memory(test, KTAP_OP_NEWT, 0, code, ARRAY_SIZE(code));

	KUNIT_EXPECT_EQ(test, test_run(test, vm, NULL, 0).i, 42);
	KUNIT_EXPECT_EQ(test, drops(vm), 2);
}

/* A lost value does not delete the entry. */
static void a_lost_value_does_not_replace_an_entry(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_value result = KTAP_VALUE_NIL, lost = KTAP_VALUE_LOST;
	struct ktap_value key = KTAP_VALUE_INT(7), v;
	struct ktap_vm *vm;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_func(c, "set", 2, 8);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 7);
	test_insn(c, KTAP_OP_TSET, 0, 2, 1, 0);
	test_insn(c, KTAP_OP_TGET, 3, 0, 2, 0);
	test_insn(c, KTAP_OP_RET, 3, 1, 0, 0);
	test_global(c, "g");
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	vm->budget = 100;
	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &v));
	KUNIT_ASSERT_EQ(test, 0, ktap_global_set(vm, 0, &v));
	KUNIT_ASSERT_EQ(test, 0, ktap_table_set(vm, v.table, &key, &KTAP_VALUE_INT(3)));
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 1, (struct ktap_value[]){ v, lost }, 2, &result));
	KUNIT_EXPECT_EQ(test, result.tag, KTAP_INT);
	KUNIT_EXPECT_EQ(test, result.i, 3);
	/* An ordinary nil deletes it. */
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 1, (struct ktap_value[]){ v, KTAP_VALUE_NIL }, 2,
					     &result));
	KUNIT_EXPECT_EQ(test, result.tag, KTAP_NIL);
}

/* Arguments of built-ins whose tags are checked. */
#define MAX_TESTED	ARRAY_SIZE(((struct ktap_builtin *)NULL)->args)

/* An example value for the tags that an argument may have. */
static struct ktap_value good_argument(struct kunit *test, struct ktap_vm *vm, u32 tags,
				       unsigned int directives)
{
	struct ktap_value v = KTAP_VALUE_INT(1);

	if (!tags || tags & ktap_bit(INT))
		return v;
	if (tags & ktap_bit(STR))
		return KTAP_VALUE_STR("%s%s%s", 2 * directives);
	KUNIT_ASSERT_TRUE(test, tags & ktap_bit(TABLE));
	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &v));
	return v;
}

/* Call @fn with @v as argument @at (from 0), inside a speculation. */
static int call_with(struct kunit *test, struct ktap_vm *vm, const struct ktap_builtin *fn,
		     struct ktap_value v, unsigned int at, struct ktap_value *result)
{
	unsigned int n = max(at + 1, fn->min), i;
	struct ktap_value *r = vm->stack, id;
	int err;

	vm->error = 0;
	vm->message[0] = '\0';
	ktap_vm_grant_budget(vm, ktap_vm_slice(vm));
	ktap_fn_speculation(vm, &id, 0);
	KUNIT_ASSERT_EQ(test, id.tag, KTAP_INT);
	r[0] = id;
	ktap_fn_speculate(vm, r, 1);
	for (i = 0; i < n; i++)
		r[i] = i == at ? v : good_argument(test, vm, fn->args[i], n - 1);
	err = fn->fn(vm, r, n);
	*result = err ? KTAP_VALUE_NIL : r[0];
	ktap_fn_discard(vm, &id, 1);
	return err;
}

/* For a built-in that takes nil as this argument. */
static void expect_as_nil(struct kunit *test, struct ktap_vm *vm, const struct ktap_builtin *fn,
			  unsigned int at)
{
	struct ktap_value *want = &vm->stack[MAX_TESTED], *got = want + 1;
	char message[sizeof(vm->message)];
	int err;

	vm->top = MAX_TESTED + 2;
	memset(vm->stack, 0, vm->top * sizeof(*vm->stack));
	err = call_with(test, vm, fn, KTAP_VALUE_NIL, at, want);
	strscpy(message, vm->message);
	KUNIT_EXPECT_EQ_MSG(test, err, call_with(test, vm, fn, KTAP_VALUE_LOST, at, got),
			    "%s, argument %u", fn->name, at);
	KUNIT_EXPECT_STREQ_MSG(test, message, vm->message, "%s, argument %u", fn->name, at);
	KUNIT_EXPECT_TRUE_MSG(test, ktap_equal(want, got), "%s, argument %u: %s, not %s",
			      fn->name, at, ktap_type_name(got), ktap_type_name(want));
}

/* Results of tests are output even in a speculation, and there is no session to output them. */
static bool needs_a_session(unsigned int id)
{
	return id >= KTAP_FN_TEST_PLAN && id <= KTAP_FN_TEST_DIAG;
}

/* Built-ins that take nil also get lost objects, whose length field is not 0. */
static void built_ins_treat_a_lost_object_as_nil(struct kunit *test)
{
	static const enum ktap_level levels[] = { KTAP_LEVEL_TASK, KTAP_LEVEL_PROCESS };
	struct test_chunk *c = test_chunk(test);
	const struct ktap_builtin *fn;
	unsigned int i, l, at, called = 0;
	struct ktap_vm *vm;

	test_func(c, "main", 0, 8);
	/* A session allocates memory for these only if they are used. */
	test_insn(c, KTAP_OP_CALLB, 0, 0, 0, KTAP_FN_SPECULATION);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	TEST_RET(c);
	test_option(c, "zero");
	test_option(c, "one");
	for (l = 0; l < ARRAY_SIZE(levels); l++) {
		vm = test_vm(test, test_load(c), levels[l]);
		test_run(test, vm, NULL, 0);
		for (i = 0; i < KTAP_NR_FUNCTIONS; i++) {
			fn = &ktap_builtins[i];
			if (!fn->name || needs_a_session(i) || !(fn->levels & BIT(levels[l])))
				continue;
			for (at = 0; at < fn->max && at < MAX_TESTED; at++) {
				if (fn->args[at] && !(fn->args[at] & ktap_bit(NIL)))
					continue;
				expect_as_nil(test, vm, fn, at);
				called++;
			}
		}
		ktap_objects_end_run(vm);
	}
	KUNIT_EXPECT_GT(test, called, 50);
}

/* An ordinary nil is not a table. */
static void indexing_an_ordinary_nil_is_an_error(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_value result;
	struct ktap_vm *vm;

	test_func(c, "main", 0, 4);
	test_insn(c, KTAP_OP_NIL, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_TSET, 0, 1, 1, 0);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, NULL, 0, &result));
	KUNIT_EXPECT_STREQ(test, vm->message, "nil is indexed, only a table can be");
}

static void keep_line(void *priv, u64 n, const char *line)
{
	strscpy(priv, line, 256);
}

/* Either the session's limit is reached, or the system had no memory. */
static void the_report_says_whose_memory_ran_out(struct kunit *test)
{
	const struct ktap_code code[] = { INSN(TSET, 0, 2, 1, 0) };
	struct ktap_vm *vm = without_memory(test, KTAP_OP_NEWT, 0, code, 1);
	struct ktap_heap *heap = &vm->env->heap;
	char line[256] = "";

	test_run(test, vm, NULL, 0);
	ktap_tell_losses(vm->env, keep_line, line);
	KUNIT_EXPECT_STREQ(test, line,
			   "dropped 2 values: the session had no memory left (of 4096 KiB; -m for more)");
	heap->denied = true;
	ktap_tell_losses(vm->env, keep_line, line);
	KUNIT_EXPECT_STREQ(test, line,
			   "dropped 2 values: the system or its memory cgroup had no memory left (512 of 4096 KiB were there)");
	/* The heap has grown to its limit since then. */
	heap->bytes = heap->max;
	ktap_tell_losses(vm->env, keep_line, line);
	KUNIT_EXPECT_STREQ(test, line,
			   "dropped 2 values: the session had no memory left (of 4096 KiB; -m for more)");
}

/* An entry that does not fit into the table is lost and counted: count() gives nil. */
static void count_gives_the_sum_or_nil_if_it_is_lost(struct kunit *test)
{
	static const struct {
		s64 key, n, sum;
		bool lost;
	} steps[] = {
		{ 7, 1, 1 },
		{ 7, 5, 6 },
		{ 8, 1, .lost = true },
		{ 7, -7, -1 },
	};
	struct test_chunk *c = test_chunk(test);
	struct ktap_value args[2], v;
	struct ktap_vm *vm;
	unsigned int i;
	u32 t;

	t = test_global(c, "t");
	test_func(c, "f", 2, 6);
	test_insn(c, KTAP_OP_GETG, 2, 0, 0, t);
	test_insn(c, KTAP_OP_MOV, 3, 0, 0, 0);
	test_insn(c, KTAP_OP_MOV, 4, 1, 0, 0);
	test_insn(c, KTAP_OP_CALLB, 2, 3, 0, KTAP_FN_COUNT);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 1));
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_TABLE_NEW);
	test_insn(c, KTAP_OP_SETG, 0, 0, 0, t);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 1, NULL, 0, NULL));
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		args[0] = KTAP_VALUE_INT(steps[i].key);
		args[1] = KTAP_VALUE_INT(steps[i].n);
		v = test_run(test, vm, args, 2);
		KUNIT_EXPECT_EQ(test, steps[i].lost ? KTAP_NIL : KTAP_INT, v.tag);
		if (!steps[i].lost)
			KUNIT_EXPECT_EQ(test, steps[i].sum, v.i);
	}
	KUNIT_EXPECT_EQ(test, 1, atomic_long_read(&vm->env->counters.full_table));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(writes_to_a_lost_object_are_counted),
	KUNIT_CASE(reads_of_a_lost_object_give_nil),
	KUNIT_CASE(a_lost_object_stays_lost_in_a_global),
	KUNIT_CASE(a_lost_value_does_not_replace_an_entry),
	KUNIT_CASE(built_ins_treat_a_lost_object_as_nil),
	KUNIT_CASE(indexing_an_ordinary_nil_is_an_error),
	KUNIT_CASE(count_gives_the_sum_or_nil_if_it_is_lost),
	KUNIT_CASE(the_report_says_whose_memory_ran_out),
	{ }
};

static struct kunit_suite suite = {
	.name = "ktap_no_memory",
	.test_cases = cases,
};

kunit_test_suite(suite);
