// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of built-in functions.  A call that exceeds the budget of the run, or
 * that is charged while the session ends, fails.
 */
#include <linux/string.h>

#include "data/object.h"
#include "tests/agg_fixture.h"
#include "vm/builtin.h"
#include "vm/env.h"

#define LONG_TEXT	200	/* bytes */
#define ENTRIES		20
#define ELEMENTS	200
#define MOST		2000	/* units that a call in this file costs at most */

/*
 * A letter is an argument: i and m are integers, 1 and the most entries of a table;
 * s is a long string; f is a format; p is an address; r is an array; t is a table;
 * a is an aggregation.
 */
struct cost_case {
	u32 id;
	const char *args;
};

static char long_text[LONG_TEXT + 1];
static s64 elements[ELEMENTS];

static struct ktap_value cost_argument(struct kunit *test, struct ktap_vm *vm, char letter)
{
	struct ktap_value v = KTAP_VALUE_NIL, k;
	int i;

	switch (letter) {
	case 'i':
		return KTAP_VALUE_INT(1);
	case 'm':
		return KTAP_VALUE_INT(KTAP_TABLE_LIMIT);
	case 's':
		return KTAP_VALUE_STR(long_text, LONG_TEXT);
	case 'f':
		return KTAP_VALUE_STR("%5d%s", 5);
	case 'p':
		return KTAP_VALUE_PTR((unsigned long)long_text);
	case 'r':
		return (struct ktap_value){
			.blob = elements, .tag = KTAP_ARRAY, .len = sizeof(elements),
		};
	case 't':
		KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &v));
		KUNIT_ASSERT_EQ(test, v.tag, KTAP_TABLE);
		for (i = 0; i < ENTRIES; i++) {
			k = KTAP_VALUE_INT(i);
			ktap_table_set(vm, v.table, &k, &k);
		}
		return v;
	case 'a':
		KUNIT_ASSERT_EQ(test, 0, ktap_agg_new(vm, &ktap_agg_hist, &v));
		KUNIT_ASSERT_EQ(test, v.tag, KTAP_AGG);
		for (i = 0; i < ENTRIES; i++)
			ktap_agg_add(vm, v.agg, 1 << i);
		return v;
	}
	KUNIT_FAIL(test, "unknown argument %c", letter);
	return v;
}

/* Call a function that has @budget units left, and no more. */
static int cost_call(struct kunit *test, struct ktap_vm *vm, const struct cost_case *c,
		     u32 budget)
{
	struct ktap_value *r = vm->stack;
	unsigned int n = strlen(c->args), i;
	int err;

	vm->error = 0;
	vm->budget = U32_MAX;
	vm->rest = 0;
	for (i = 0; i < n; i++)
		r[i] = cost_argument(test, vm, c->args[i]);
	vm->budget = budget;
	err = ktap_builtins[c->id].fn(vm, r, n);
	KUNIT_EXPECT_EQ_MSG(test, err, vm->error, "%s with %u units left",
			    ktap_builtins[c->id].name, budget);
	memset(r, 0, n * sizeof(*r));
	ktap_objects_end_run(vm);
	return err;
}

/* Return the cost of a function: with less it fails with @want. */
static u32 cost_check(struct kunit *test, struct ktap_vm *vm, const struct cost_case *c,
		      int want)
{
	const char *name = ktap_builtins[c->id].name;
	u32 budget = 1;
	int err;

	while ((err = cost_call(test, vm, c, budget)) == want && budget < MOST)
		budget++;
	KUNIT_EXPECT_EQ_MSG(test, err, 0, "%s with %u units left", name, budget);
	KUNIT_EXPECT_GE_MSG(test, budget, 2, "%s costs nothing", name);
	return budget - 1;
}

static struct ktap_vm *cost_vm(struct kunit *test, enum ktap_level level)
{
	struct ktap_vm *vm = test_vm_at_work(test, level);

	memset(long_text, 'a', LONG_TEXT);
	vm->top = KTAP_MAX_ARGS;
	memset(vm->stack, 0, vm->top * sizeof(*vm->stack));
	return vm;
}

static void a_used_up_budget_ends_a_built_in(struct kunit *test)
{
	static const struct cost_case cases[] = {
		{ KTAP_FN_MIN, "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii" },
		{ KTAP_FN_MAX, "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii" },
		{ KTAP_FN_STDDEV, "a" },
		{ KTAP_FN_QUANTILE, "ai" },
		{ KTAP_FN_COUNT, "tm" },
		{ KTAP_FN_COUNT, "ts" },
		{ KTAP_FN_CLEAR, "t" },
		{ KTAP_FN_TABLE_NEW, "m" },
		{ KTAP_FN_FORMAT, "fii" },
		{ KTAP_FN_FORMAT, "fis" },
		{ KTAP_FN_FORMAT, "s" },
		{ KTAP_FN_SUBSTR, "si" },
		{ KTAP_FN_STRSTR, "ss" },
		{ KTAP_FN_STRCMP, "ss" },
		{ KTAP_FN_GLOB, "ss" },
		{ KTAP_FN_TOUPPER, "s" },
		{ KTAP_FN_TOLOWER, "s" },
		{ KTAP_FN_TONUMBER, "s" },
		{ KTAP_FN_STRFTIME, "s" },
		{ KTAP_FN_NTOP, "i" },
		{ KTAP_FN_KSYM, "p" },
		{ KTAP_FN_STRINGOF, "p" },
		{ KTAP_FN_KERNEL_STRING, "p" },
		{ KTAP_FN_STR, "p" },
		{ KTAP_FN_BUF, "pi" },
		{ KTAP_FN_JOIN, "p" },
	};
	struct ktap_vm *vm = cost_vm(test, EVENT);
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		cost_check(test, vm, &cases[i], -ETIME);
}

/* In a process the budget is a slice.  At its end the run tests whether the session ends. */
static void the_end_of_the_session_ends_a_built_in(struct kunit *test)
{
	static const struct cost_case cases[] = {
		{ KTAP_FN_CLEAR, "t" },
		{ KTAP_FN_TABLE_NEW, "m" },
		{ KTAP_FN_FORMAT, "fis" },
		{ KTAP_FN_GLOB, "ss" },
		{ KTAP_FN_SNAPSHOT, "a" },
	};
	struct ktap_vm *vm = cost_vm(test, PROCESS);
	bool abort = true;
	int i;

	vm->abort = &abort;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		cost_check(test, vm, &cases[i], -EINTR);
}

/* These tests have no session that takes output. */
static void output_is_charged_before_it_is_written(struct kunit *test)
{
	static const struct cost_case cases[] = {
		{ KTAP_FN_PRINT, "s" },
		{ KTAP_FN_PRINTF, "fis" },
		{ KTAP_FN_CAT, "s" },
		{ KTAP_FN_DUMP, "s" },
		{ KTAP_FN_TEST_PLAN, "i" },
		{ KTAP_FN_TEST_OK, "is" },
		{ KTAP_FN_TEST_IS, "iis" },
		{ KTAP_FN_TEST_ISNT, "iis" },
		{ KTAP_FN_TEST_SKIP, "ss" },
		{ KTAP_FN_TEST_DIAG, "s" },
	};
	struct ktap_vm *vm = cost_vm(test, EVENT);
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test, -ETIME, cost_call(test, vm, &cases[i], 1));
}

/* A result takes as much of the arena as it has bytes, whatever was reserved for it. */
static void unused_room_in_the_arena_is_returned(struct kunit *test)
{
	static const struct cost_case cases[] = {
		{ KTAP_FN_JOIN, "p" },
		{ KTAP_FN_STR, "p" },
		{ KTAP_FN_KERNEL_STRING, "p" },
		{ KTAP_FN_KSYM, "p" },
		{ KTAP_FN_TOSTRING, "i" },
		{ KTAP_FN_FORMAT, "fis" },
		{ KTAP_FN_STRFTIME, "s" },
	};
	struct ktap_vm *vm = cost_vm(test, EVENT);
	u32 used;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		used = vm->arena.used;
		KUNIT_EXPECT_EQ(test, 0, cost_call(test, vm, &cases[i], MOST));
		KUNIT_EXPECT_LE_MSG(test, vm->arena.used - used, LONG_TEXT + 32, "%s",
				    ktap_builtins[cases[i].id].name);
	}
}

static void each_element_of_an_array_costs_a_unit(struct kunit *test)
{
	static const struct cost_case cases[] = {
		{ KTAP_FN_TOSTRING, "r" },
		{ KTAP_FN_FORMAT, "fir" },
	};
	struct ktap_vm *vm = cost_vm(test, EVENT);
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_GE(test, cost_check(test, vm, &cases[i], -ETIME), ELEMENTS);
}

static struct kunit_case builtin_cost_cases[] = {
	KUNIT_CASE(a_used_up_budget_ends_a_built_in),
	KUNIT_CASE(the_end_of_the_session_ends_a_built_in),
	KUNIT_CASE(output_is_charged_before_it_is_written),
	KUNIT_CASE(unused_room_in_the_arena_is_returned),
	KUNIT_CASE(each_element_of_an_array_costs_a_unit),
	{}
};

static struct kunit_suite builtin_cost_suite = {
	.name = "ktap_builtin_cost",
	.test_cases = builtin_cost_cases,
};

kunit_test_suite(builtin_cost_suite);
