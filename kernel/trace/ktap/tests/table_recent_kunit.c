// SPDX-License-Identifier: GPL-2.0
/*
 * Steady tables: which programs have them, and entries that are found without a lock.
 */
#include <linux/string.h>

#include "data/agg.h"
#include "data/table_recent.h"
#include "tests/agg_fixture.h"
#include "tests/table_fixture.h"
#include "vm/env.h"
#include "vm/opcode.h"
#include "vm/ops.h"

#define KEYS	(20 * KTAP_RECENT)

static struct ktap_vm *steady_vm(struct kunit *test, enum ktap_level level)
{
	struct ktap_vm *vm = test_vm_at_work(test, level);

	if (!IS_ENABLED(CONFIG_64BIT))
		kunit_skip(test, "no table is steady on 32-bit machines");
	vm->env->steady = true;
	return vm;
}

static struct ktap_value value_of(struct ktap_table *t)
{
	return (struct ktap_value){ .table = t, .tag = KTAP_TABLE };
}

static void op_add(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value key, s64 n)
{
	struct ktap_value table = value_of(t), v = KTAP_VALUE_INT(n);

	ktap_op_add(vm, &table, &key, &v);
}

static void op_set(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value key, s64 n)
{
	struct ktap_value table = value_of(t), v = KTAP_VALUE_INT(n);

	ktap_op_set(vm, &table, &key, &v);
}

static bool is_recent(struct ktap_table *t, struct ktap_value key)
{
	return ktap_recent_find(t, &key);
}

/* The first addition inserts, the second one notes the entry, others find it. */
static void expect_recent(struct kunit *test, struct ktap_vm *vm, struct ktap_table *t,
			  struct ktap_value key)
{
	op_add(vm, t, key, 1);
	KUNIT_EXPECT_FALSE(test, is_recent(t, key));
	op_add(vm, t, key, 10);
	KUNIT_EXPECT_TRUE(test, is_recent(t, key));
	op_add(vm, t, key, 100);
	add(vm, t, key, 1000);
	test_expect_int(test, 1111, get(vm, t, key));
	op_set(vm, t, key, 5);
	test_expect_int(test, 5, get(vm, t, key));
	op_add(vm, t, key, -7);
	test_expect_int(test, -2, get(vm, t, key));
}

static void entries_are_found_by_most_keys(struct kunit *test)
{
	struct ktap_vm *vm = steady_vm(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	char bytes[KTAP_SHORT_KEY + 20];
	u64 words[32];
	u32 len;

	memset(bytes, 'x', sizeof(bytes));
	expect_recent(test, vm, t, KTAP_VALUE_INT(0));
	expect_recent(test, vm, t, KTAP_VALUE_INT(S64_MIN));
	for (len = 0; len <= sizeof(bytes); len++)
		expect_recent(test, vm, t, KTAP_VALUE_STR(bytes, len));
	for (len = 0; len < ARRAY_SIZE(words); len++)
		words[len] = len;
	for (len = 2; len <= ARRAY_SIZE(words); len++) {
		struct ktap_value key = {
			.blob = words, .tag = KTAP_TUPLE, .len = len * sizeof(u64),
		};

		expect_recent(test, vm, t, key);
		key.tag = KTAP_KSTACK;
		expect_recent(test, vm, t, key);
		key.tag = KTAP_USTACK;
		expect_recent(test, vm, t, key);
	}
}

/* They have no place, but the same values. */
static void other_keys_are_found_with_the_lock(struct kunit *test)
{
	struct ktap_vm *vm = steady_vm(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	unsigned long frames[33] = { 1, 2 };
	struct ktap_value keys[] = {
		KTAP_VALUE_BOOL(true), KTAP_VALUE_PTR(1),
		{ .blob = frames, .tag = KTAP_KSTACK, .len = sizeof(frames) },
		{ .blob = frames, .tag = KTAP_TUPLE, .len = sizeof(frames[0]) },
	};
	int i, round;

	for (round = 1; round <= 3; round++) {
		for (i = 0; i < ARRAY_SIZE(keys); i++) {
			op_add(vm, t, keys[i], round);
			KUNIT_EXPECT_FALSE(test, is_recent(t, keys[i]));
		}
	}
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		test_expect_int(test, 6, get(vm, t, keys[i]));
}

/* Each place has many keys, and the table grows meanwhile. */
static void many_keys_share_the_places(struct kunit *test)
{
	struct ktap_vm *vm = steady_vm(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	u32 i, found = 0;

	for (i = 0; i < 4 * KEYS; i++)
		op_add(vm, t, KTAP_VALUE_INT(i % KEYS), i % KEYS);
	for (i = 0; i < KEYS; i++) {
		test_expect_int(test, 4 * i, get(vm, t, KTAP_VALUE_INT(i)));
		found += is_recent(t, KTAP_VALUE_INT(i));
	}
	KUNIT_EXPECT_GT(test, found, KTAP_RECENT / 2);
	KUNIT_EXPECT_LE(test, found, KTAP_RECENT);
}

static void a_removed_entry_is_forgotten(struct kunit *test)
{
	struct ktap_vm *vm = steady_vm(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_value keys[] = { KTAP_VALUE_INT(1), str("one") };
	int i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		expect_recent(test, vm, t, keys[i]);
		set(vm, t, keys[i], KTAP_VALUE_NIL);
		KUNIT_EXPECT_FALSE(test, is_recent(t, keys[i]));
		op_add(vm, t, keys[i], 3);
		test_expect_int(test, 3, get(vm, t, keys[i]));
		op_add(vm, t, keys[i], 3);
		/* Its value is no integer any more. */
		set(vm, t, keys[i], str("text"));
		KUNIT_EXPECT_FALSE(test, is_recent(t, keys[i]));
	}
}

static void a_cleared_table_begins_anew(struct kunit *test)
{
	struct ktap_vm *vm = steady_vm(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 0);
	size_t available = vm->env->heap.available;

	expect_recent(test, vm, t, KTAP_VALUE_INT(1));
	expect_recent(test, vm, t, str("one"));
	KUNIT_EXPECT_EQ(test, 0, ktap_table_clear(vm, t));
	KUNIT_EXPECT_EQ(test, 0, ktap_table_len(t));
	KUNIT_EXPECT_EQ(test, available, vm->env->heap.available);
	KUNIT_EXPECT_FALSE(test, is_recent(t, KTAP_VALUE_INT(1)));
	KUNIT_EXPECT_FALSE(test, is_recent(t, str("one")));
	expect_recent(test, vm, t, KTAP_VALUE_INT(1));
	expect_recent(test, vm, t, str("one"));
	/* Without memory for a table that takes the entries, they are removed one by one. */
	while (ktap_heap_alloc(&vm->env->heap, 64))
		;
	vm->env->heap.max = 0;
	KUNIT_EXPECT_EQ(test, 0, ktap_table_clear(vm, t));
	KUNIT_EXPECT_EQ(test, 0, ktap_table_len(t));
	KUNIT_EXPECT_FALSE(test, is_recent(t, str("one")));
}

/* While entries are removed, none is noted. */
static void a_paused_table_adds_with_the_lock(struct kunit *test)
{
	struct ktap_vm *vm = steady_vm(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_value key = KTAP_VALUE_INT(1);

	KUNIT_ASSERT_TRUE(test, ktap_table_pause(vm, t));
	op_add(vm, t, key, 1);
	op_add(vm, t, key, 1);
	op_add(vm, t, key, 1);
	KUNIT_EXPECT_FALSE(test, is_recent(t, key));
	ktap_table_resume(t);
	op_add(vm, t, key, 1);
	KUNIT_EXPECT_TRUE(test, is_recent(t, key));
	test_expect_int(test, 4, get(vm, t, key));
}

/* A run of a handler may have found an entry before the table is paused. */
static void the_removal_of_entries_waits_for_runs(struct kunit *test)
{
	struct ktap_vm *vm = steady_vm(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 0);
	struct test_long_run *run;
	int clear;

	for (clear = 0; clear < 2; clear++) {
		expect_recent(test, vm, t, str("key"));
		run = test_begin_long_run(test);
		if (clear)
			KUNIT_EXPECT_EQ(test, 0, ktap_table_clear(vm, t));
		else
			KUNIT_EXPECT_TRUE(test, ktap_table_pause(vm, t));
		KUNIT_EXPECT_TRUE(test, test_long_run_has_ended(run));
		ktap_table_resume(t);
		set(vm, t, str("key"), KTAP_VALUE_NIL);
	}
}

/* The verifier does not let programs do this. */
static void no_event_clears_a_steady_table(struct kunit *test)
{
	struct ktap_vm *vm = steady_vm(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);

	expect_recent(test, vm, t, KTAP_VALUE_INT(1));
	KUNIT_EXPECT_EQ(test, 0, ktap_table_clear(vm, t));
	KUNIT_EXPECT_EQ(test, 1, ktap_table_len(t));
	KUNIT_EXPECT_EQ(test, 1, atomic_long_read(&vm->env->counters.nmi_busy));
}

static void an_exchange_takes_recent_entries_along(struct kunit *test)
{
	struct ktap_vm *vm = steady_vm(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 0), *to = test_table(test, vm, 0);
	struct ktap_value key = str("key");

	expect_recent(test, vm, t, key);
	KUNIT_ASSERT_TRUE(test, ktap_table_exchange(t, to));
	KUNIT_EXPECT_FALSE(test, is_recent(t, key));
	KUNIT_EXPECT_TRUE(test, is_recent(to, key));
	expect_recent(test, vm, t, key);
	op_set(vm, t, key, 9);
	test_expect_int(test, -2, get(vm, to, key));
}

static void tables_work_without_memory_for_places(struct kunit *test)
{
	struct ktap_vm *vm = steady_vm(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_value key = KTAP_VALUE_INT(1);

	op_add(vm, t, key, 1);
	while (ktap_heap_alloc(&vm->env->heap, 64))
		;
	op_add(vm, t, key, 2);
	op_add(vm, t, key, 4);
	KUNIT_EXPECT_NULL(test, t->recent);
	test_expect_int(test, 7, get(vm, t, key));
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&vm->env->counters.no_memory));
}

static void places_are_freed_with_the_table(struct kunit *test)
{
	struct ktap_vm *vm = steady_vm(test, EVENT);
	size_t before = vm->env->heap.available;
	struct ktap_table *t = ktap_table_make(vm, 100);

	KUNIT_ASSERT_NOT_NULL(test, t);
	expect_recent(test, vm, t, KTAP_VALUE_INT(1));
	KUNIT_EXPECT_NOT_NULL(test, t->recent);
	KUNIT_EXPECT_TRUE(test, ktap_table_free(vm->env, t, NULL));
	KUNIT_EXPECT_EQ(test, before, vm->env->heap.available);
}

static void aggregations_of_keys_are_found(struct kunit *test)
{
	struct ktap_vm *vm = steady_vm(test, EVENT);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_hist);
	struct ktap_value key = str("key");
	int i;

	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, 0, ktap_agg_add_keyed(vm, agg, &key, 7));
	KUNIT_EXPECT_TRUE(test, is_recent(ktap_agg_keyed(agg), key));
	test_expect_total(test, vm, get(vm, ktap_agg_keyed(agg), key).agg, 5, 35, 7, 7);
	/* It is no integer. */
	op_add(vm, ktap_agg_keyed(agg), key, 1);
	KUNIT_EXPECT_EQ(test, -EINVAL, vm->error);
}

/* Programs */

/* Does a program have steady tables whose probe of @event has a handler with these? */
static bool is_steady(struct kunit *test, const char *event, const struct ktap_code *code, int n)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_program *prog;
	int i;

	test_string(c, "key");
	test_func(c, "main", 0, 8);
	/* The top level may do anything to its tables. */
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_STR, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_TSET, 0, 1, 1, 0);
	TEST_RET(c);
	test_func(c, "handler", 1, 8);
	test_insn(c, KTAP_OP_NEWT, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 42);
	test_insn(c, KTAP_OP_STR, 3, 0, 0, 0);
	for (i = 0; i < n; i++)
		test_insn(c, code[i].op, code[i].a, code[i].b, code[i].c, code[i].d);
	TEST_RET(c);
	test_probe(c, event, KTAP_NONE, 1);
	prog = test_load(c);
	return prog && prog->steady;
}

#define INSN(o, x, y, z, n)	((struct ktap_code){ KTAP_OP_##o, x, y, z, n })

#define EXPECT_STEADY(wanted, event, ...)						\
	do {									\
		const struct ktap_code code[] = { __VA_ARGS__ };		\
										\
		KUNIT_EXPECT_EQ(test, (wanted) && IS_ENABLED(CONFIG_64BIT),		\
				is_steady(test, event, code, ARRAY_SIZE(code)));	\
	} while (0)

static void programs_that_keep_entries_are_steady(struct kunit *test)
{
	EXPECT_STEADY(true, "a:b", INSN(TADD, 1, 2, 2, 0));
	EXPECT_STEADY(true, "a:b", INSN(TADD, 1, 3, 3, 0), INSN(TADD, 1, 2, 2, 0));
	EXPECT_STEADY(true, "a:b", INSN(TGET, 4, 1, 2, 0));
	EXPECT_STEADY(true, "a:b", INSN(TAGG, 1, 2, 2, 0), INSN(TADD, 1, 2, 2, 0));
	EXPECT_STEADY(true, "tick-1s", INSN(CALLB, 1, 1, 0, KTAP_FN_CLEAR));
}

/* "show" clears a table; the handlers of "a:b" and of a tick may call it. */
static bool is_steady_with(struct kunit *test, bool event_calls, bool value)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_program *prog;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_func(c, "on event", 1, 2);
	if (event_calls)
		test_insn(c, KTAP_OP_CALL, 1, 0, 0, 3);
	TEST_RET(c);
	test_func(c, "on tick", 1, 2);
	test_insn(c, KTAP_OP_CALL, 1, 0, 0, 3);
	if (value)
		test_insn(c, KTAP_OP_FUNC, 1, 0, 0, 3);
	TEST_RET(c);
	test_func(c, "show", 0, 2);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_CLEAR);
	TEST_RET(c);
	test_probe(c, "a:b", KTAP_NONE, 1);
	test_probe(c, "tick-1s", KTAP_NONE, 2);
	prog = test_load(c);
	return prog && prog->steady;
}

static void only_events_matter_for_a_function(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, IS_ENABLED(CONFIG_64BIT), is_steady_with(test, false, false));
	KUNIT_EXPECT_FALSE(test, is_steady_with(test, true, false));
	/* The handler of the event might call the value. */
	KUNIT_EXPECT_FALSE(test, is_steady_with(test, false, true));
}

static void sets_of_integers_keep_types(struct kunit *test)
{
	EXPECT_STEADY(true, "a:b", INSN(TSET, 1, 2, 2, 0));
	EXPECT_STEADY(true, "tick-1s", INSN(TSETI, 1, 0, 2, 5));
}

static void programs_that_lose_entries_are_not_steady(struct kunit *test)
{
	EXPECT_STEADY(false, "a:b", INSN(CALLB, 1, 1, 0, KTAP_FN_CLEAR));
	EXPECT_STEADY(false, "a:b", INSN(NIL, 4, 4, 0, 0), INSN(TSET, 1, 2, 4, 0));
	EXPECT_STEADY(false, "tick-1s", INSN(NIL, 4, 4, 0, 0), INSN(TSET, 1, 2, 4, 0));
	/* A value that may be no integer */
	EXPECT_STEADY(false, "a:b", INSN(TSET, 1, 2, 3, 0));
	EXPECT_STEADY(false, "a:b", INSN(TGET, 4, 1, 2, 0), INSN(TSETI, 1, 0, 4, 1));
	EXPECT_STEADY(false, "a:b", INSN(TSET, 1, 2, 0, 0));
	/* An aggregation could become an integer. */
	EXPECT_STEADY(false, "a:b", INSN(TSET, 1, 2, 2, 0), INSN(TAGG, 1, 2, 2, 0));
}

static struct kunit_case table_recent_cases[] = {
	KUNIT_CASE(entries_are_found_by_most_keys),
	KUNIT_CASE(other_keys_are_found_with_the_lock),
	KUNIT_CASE(many_keys_share_the_places),
	KUNIT_CASE(a_removed_entry_is_forgotten),
	KUNIT_CASE(a_cleared_table_begins_anew),
	KUNIT_CASE(a_paused_table_adds_with_the_lock),
	KUNIT_CASE(the_removal_of_entries_waits_for_runs),
	KUNIT_CASE(no_event_clears_a_steady_table),
	KUNIT_CASE(an_exchange_takes_recent_entries_along),
	KUNIT_CASE(tables_work_without_memory_for_places),
	KUNIT_CASE(places_are_freed_with_the_table),
	KUNIT_CASE(aggregations_of_keys_are_found),
	KUNIT_CASE(programs_that_keep_entries_are_steady),
	KUNIT_CASE(only_events_matter_for_a_function),
	KUNIT_CASE(sets_of_integers_keep_types),
	KUNIT_CASE(programs_that_lose_entries_are_not_steady),
	{}
};

static struct kunit_suite table_recent_suite = {
	.name = "ktap_table_recent",
	.test_cases = table_recent_cases,
};

kunit_test_suite(table_recent_suite);
