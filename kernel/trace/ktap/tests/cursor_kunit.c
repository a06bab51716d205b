// SPDX-License-Identifier: GPL-2.0
/*
 * Going along the entries of a table while they come and go.
 */
#include <linux/string.h>

#include "../entry.h"
#include "build.h"

#define ENTRIES		4000
#define BUDGET		1000000

/* An activation whose first registers are in use, and a table of 1 to ENTRIES. */
static struct ktap_vm *vm_with_table(struct kunit *test, struct ktap_table **t)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_value v;
	struct ktap_vm *vm;
	int i;

	test_func(c, "main", 0, 8);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	vm->top = 8;
	vm->budget = BUDGET;
	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &v));
	KUNIT_ASSERT_EQ(test, v.tag, KTAP_TABLE);
	vm->stack[vm->top++] = v;
	*t = v.table;
	for (i = 1; i <= ENTRIES; i++)
		ktap_table_set(vm, *t, &KTAP_VALUE_INT(i), &KTAP_VALUE_INT(i));
	return vm;
}

static void delete(struct ktap_vm *vm, struct ktap_table *t, int i)
{
	ktap_table_set(vm, t, &KTAP_VALUE_INT(i), &KTAP_VALUE_NIL);
}

/* Number of the next entry, 0 at the end. */
static s64 step(struct ktap_vm *vm, struct ktap_table *t, struct ktap_iter *it)
{
	struct ktap_value *r = vm->stack;

	r[2] = KTAP_VALUE_INT((s64)it->seq);
	return ktap_table_next(vm, t, it, &r[2], &r[3], &r[4]) > 0 ? r[4].i : 0;
}

static void walk_to(struct ktap_vm *vm, struct ktap_table *t, struct ktap_iter *it, s64 end)
{
	s64 i;

	do {
		i = step(vm, t, it);
	} while (i && i < end);
}

/* Each is in the middle, and so is what goes away: a search would be long. */
static void places_are_not_searched(struct kunit *test)
{
	struct ktap_iter it[KTAP_CURSORS] = { };
	struct ktap_table *t;
	struct ktap_vm *vm = vm_with_table(test, &t);
	int i, first = ENTRIES / 2 - KTAP_CURSORS / 2;

	for (i = 0; i < KTAP_CURSORS; i++)
		walk_to(vm, t, &it[i], first + i);
	for (i = 0; i <= KTAP_CURSORS; i++)
		delete(vm, t, first + i);
	vm->budget = BUDGET;
	for (i = 0; i < KTAP_CURSORS; i++) {
		KUNIT_EXPECT_EQ(test, step(vm, t, &it[i]), first + KTAP_CURSORS + 1);
		KUNIT_EXPECT_EQ(test, step(vm, t, &it[i]), first + KTAP_CURSORS + 2);
	}
	KUNIT_EXPECT_EQ(test, vm->budget, BUDGET);
}

static void a_place_that_was_taken_is_searched_and_paid_for(struct kunit *test)
{
	struct ktap_iter it[KTAP_CURSORS + 1] = { };
	struct ktap_table *t;
	struct ktap_vm *vm = vm_with_table(test, &t);
	int i, middle = ENTRIES / 2;

	for (i = 0; i < KTAP_CURSORS; i++)
		walk_to(vm, t, &it[i], middle - 1);
	/* Now the second one has not moved for longest. */
	step(vm, t, &it[0]);
	walk_to(vm, t, &it[KTAP_CURSORS], middle);
	delete(vm, t, middle - 1);
	delete(vm, t, middle);
	vm->budget = BUDGET;
	for (i = 0; i <= KTAP_CURSORS; i++) {
		if (i != 1)
			KUNIT_EXPECT_EQ(test, step(vm, t, &it[i]), middle + 1);
	}
	KUNIT_EXPECT_EQ(test, vm->budget, BUDGET);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it[1]), middle + 1);
	KUNIT_EXPECT_LT(test, vm->budget, BUDGET - middle / 32);
	KUNIT_EXPECT_GT(test, vm->budget, BUDGET - middle / 8);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it[1]), middle + 2);
	/* The first one has lost its place to it; but its entry is there. */
	vm->budget = BUDGET;
	KUNIT_EXPECT_EQ(test, step(vm, t, &it[0]), middle + 2);
	KUNIT_EXPECT_EQ(test, vm->budget, BUDGET);
}

static void who_is_at_the_end_needs_no_cursor(struct kunit *test)
{
	struct ktap_iter stays = { }, goes;
	struct ktap_table *t;
	struct ktap_vm *vm = vm_with_table(test, &t);
	int i, middle = ENTRIES / 2;

	walk_to(vm, t, &stays, middle);
	for (i = 0; i < 3 * KTAP_CURSORS; i++) {
		goes = (struct ktap_iter){ };
		walk_to(vm, t, &goes, ENTRIES);
		KUNIT_EXPECT_EQ(test, t->ncursors, 2);
		KUNIT_EXPECT_EQ(test, step(vm, t, &goes), 0);
		KUNIT_EXPECT_EQ(test, t->ncursors, 1);
	}
	delete(vm, t, middle);
	vm->budget = BUDGET;
	KUNIT_EXPECT_EQ(test, step(vm, t, &stays), middle + 1);
	KUNIT_EXPECT_EQ(test, vm->budget, BUDGET);
}

static void behind_the_last_entry_comes_the_new_one(struct kunit *test)
{
	struct ktap_iter it = { };
	struct ktap_table *t;
	struct ktap_vm *vm = vm_with_table(test, &t);

	walk_to(vm, t, &it, ENTRIES);
	delete(vm, t, ENTRIES);
	ktap_table_set(vm, t, &KTAP_VALUE_INT(5000), &KTAP_VALUE_INT(5000));
	ktap_table_set(vm, t, &KTAP_VALUE_INT(5001), &KTAP_VALUE_INT(5001));
	delete(vm, t, 5000);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 5001);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 0);

	/* What is emptied takes the places with it, to what comes then. */
	it = (struct ktap_iter){ };
	walk_to(vm, t, &it, 7);
	ktap_table_clear(vm, t);
	ktap_table_set(vm, t, &KTAP_VALUE_INT(1), &KTAP_VALUE_INT(1));
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 1);
}

/* Entries that another table has got may be freed there. */
static void an_exchange_takes_no_cursors_along(struct kunit *test)
{
	struct ktap_iter it = { };
	struct ktap_table *t, *to;
	struct ktap_vm *vm = vm_with_table(test, &t);
	struct ktap_value v;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &v));
	vm->stack[vm->top++] = v;
	to = v.table;
	walk_to(vm, t, &it, 10);
	KUNIT_EXPECT_TRUE(test, ktap_table_exchange(t, to));
	KUNIT_EXPECT_EQ(test, t->ncursors, 0);
	KUNIT_EXPECT_EQ(test, to->ncursors, 0);
	ktap_table_clear(vm, to);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 0);
	ktap_table_set(vm, t, &KTAP_VALUE_INT(77), &KTAP_VALUE_INT(77));
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 77);
}

/* Whatever bytecode makes of it: no entry that is not there. */
static void any_number_is_a_cursor(struct kunit *test)
{
	struct ktap_iter it = { .seq = 5, .cursor = U32_MAX };
	struct ktap_table *t;
	struct ktap_vm *vm = vm_with_table(test, &t);

	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 6);
	it = (struct ktap_iter){ .seq = U64_MAX, .cursor = 77 };
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(places_are_not_searched),
	KUNIT_CASE(a_place_that_was_taken_is_searched_and_paid_for),
	KUNIT_CASE(who_is_at_the_end_needs_no_cursor),
	KUNIT_CASE(behind_the_last_entry_comes_the_new_one),
	KUNIT_CASE(an_exchange_takes_no_cursors_along),
	KUNIT_CASE(any_number_is_a_cursor),
	{ }
};

static struct kunit_suite suite = {
	.name = "ktap_cursor",
	.test_cases = cases,
};

kunit_test_suite(suite);
