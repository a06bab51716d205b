// SPDX-License-Identifier: GPL-2.0
/*
 * Iterations over tables while entries are inserted and deleted.
 */
#include <linux/string.h>

#include "data/table_priv.h"
#include "tests/build.h"
#include "vm/vm.h"

#define ENTRIES		4000
#define BUDGET		1000000

/* An activation whose first registers are in use, and a table of 1 to ENTRIES. */
static struct ktap_vm *vm_with_table(struct kunit *test, struct ktap_table **t)
{
	struct ktap_vm *vm = test_vm_at_work(test, KTAP_LEVEL_TASK);
	int i;

	vm->budget = BUDGET;
	*t = test_table(test, vm, 0);
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

/* All positions and deleted entries are in the middle, where a search takes long. */
static void an_iteration_with_a_cursor_needs_no_search(struct kunit *test)
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

static void an_iteration_without_its_cursor_searches_and_is_charged(struct kunit *test)
{
	struct ktap_iter it[KTAP_CURSORS + 1] = { };
	struct ktap_table *t;
	struct ktap_vm *vm = vm_with_table(test, &t);
	int i, middle = ENTRIES / 2;

	for (i = 0; i < KTAP_CURSORS; i++)
		walk_to(vm, t, &it[i], middle - 1);
	/* Now the second iteration has not moved for the longest time. */
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
	/* The first iteration lost its cursor, but its entry still exists. */
	vm->budget = BUDGET;
	KUNIT_EXPECT_EQ(test, step(vm, t, &it[0]), middle + 2);
	KUNIT_EXPECT_EQ(test, vm->budget, BUDGET);
}

/* One piece of a search: its cost while the table is locked is bounded. */
static bool search_piece(struct kunit *test, struct ktap_vm *vm, struct ktap_table *t,
			 struct ktap_iter *it, struct ktap_entry **e)
{
	unsigned long flags;
	bool found;
	u32 cost;

	KUNIT_ASSERT_TRUE(test, ktap_table_lock(t, &flags));
	found = ktap_table_after(vm->env, t, it, &KTAP_VALUE_NIL, e, &cost);
	ktap_table_unlock(t, flags);
	KUNIT_EXPECT_LE(test, cost, 256 / 16);
	return found;
}

/* Changes between two pieces of a search. */
enum meanwhile {
	NOTHING,
	REACHED_GOES,	/* the reached entry and the one after it are deleted */
	NEXT_GOES,	/* the entry to be found is deleted */
	OTHERS_MOVE,	/* more other iterations than cursors move */
	CURSOR_GOES,	/* more of them than that: this search counts as abandoned */
	ALL_GO,
	NR_MEANWHILE
};

static void happen(struct ktap_vm *vm, struct ktap_table *t, enum meanwhile what,
		   const struct ktap_iter *it, int middle)
{
	struct ktap_iter other;
	int i;

	switch (what) {
	case REACHED_GOES:
		for (i = 0; i < 3; i++)
			delete(vm, t, it->reached + i);
		break;
	case NEXT_GOES:
		for (i = 0; i < 3; i++)
			delete(vm, t, middle + i);
		break;
	case OTHERS_MOVE:
	case CURSOR_GOES:
		for (i = 0; i < (what == CURSOR_GOES ? 1100 : 3 * KTAP_CURSORS); i++) {
			other = (struct ktap_iter){ .seq = middle + 1000, .end = ENTRIES };
			step(vm, t, &other);
		}
		break;
	case ALL_GO:
		ktap_table_clear(vm, t);
		break;
	default:
		break;
	}
	ktap_table_set(vm, t, &KTAP_VALUE_INT(77777), &KTAP_VALUE_INT(77777));
}

static void a_search_is_split_into_bounded_pieces(struct kunit *test)
{
	static const s64 next[] = {
		[NOTHING]	= ENTRIES / 2 + 1,
		[REACHED_GOES]	= ENTRIES / 2 + 1,
		[NEXT_GOES]	= ENTRIES / 2 + 4,
		[OTHERS_MOVE]	= ENTRIES / 2 + 1,
		[CURSOR_GOES]	= ENTRIES / 2 + 1,
	};
	struct ktap_entry *e = NULL;
	int pieces, what, middle = ENTRIES / 2;
	struct ktap_table *t;
	struct ktap_vm *vm;

	for (what = NOTHING; what < NR_MEANWHILE; what++) {
		struct ktap_iter it = { .seq = middle, .end = ENTRIES };

		vm = vm_with_table(test, &t);
		delete(vm, t, middle);
		for (pieces = 1; !search_piece(test, vm, t, &it, &e); pieces++) {
			KUNIT_ASSERT_LT(test, pieces, 2 * middle);
			/* One restart is enough. */
			happen(vm, t, pieces == 1 || what != CURSOR_GOES ? what : NOTHING, &it,
			       middle + 1);
		}
		KUNIT_EXPECT_EQ(test, it.reached, 0);
		if (what == ALL_GO) {
			KUNIT_EXPECT_NULL(test, e);
			continue;
		}
		KUNIT_ASSERT_NOT_NULL(test, e);
		KUNIT_EXPECT_EQ_MSG(test, e->value.i, next[what], "case %d", what);
		if (what == NOTHING || what == OTHERS_MOVE)
			KUNIT_EXPECT_EQ(test, pieces, 1 + (middle - 1) / 256);
		else if (what == CURSOR_GOES)
			KUNIT_EXPECT_EQ(test, pieces, 2 + (middle - 1) / 256);
		/* No further search is needed, and one cursor is in use. */
		KUNIT_EXPECT_EQ(test, t->ncursors,
				what == CURSOR_GOES || what == OTHERS_MOVE ? KTAP_CURSORS : 1);
		vm->budget = BUDGET;
		KUNIT_EXPECT_EQ(test, step(vm, t, &it), next[what]);
		KUNIT_EXPECT_EQ(test, step(vm, t, &it), next[what] + 1);
		KUNIT_EXPECT_EQ(test, vm->budget, BUDGET);
	}
}

/* The searches take turns by pieces; none restarts forever. */
static void more_searches_than_cursors_all_end(struct kunit *test)
{
	unsigned int i, rounds, ended = 0, middle = ENTRIES / 2;
	struct ktap_iter it[3 * KTAP_CURSORS];
	bool found[3 * KTAP_CURSORS] = { };
	struct ktap_table *t;
	struct ktap_vm *vm = vm_with_table(test, &t);
	struct ktap_entry *e;

	delete(vm, t, middle);
	for (i = 0; i < ARRAY_SIZE(it); i++)
		it[i] = (struct ktap_iter){ .seq = middle, .end = ENTRIES };
	for (rounds = 0; ended < ARRAY_SIZE(it); rounds++) {
		KUNIT_ASSERT_LT(test, rounds, 100);
		for (i = 0; i < ARRAY_SIZE(it); i++) {
			if (found[i])
				continue;
			found[i] = search_piece(test, vm, t, &it[i], &e);
			if (!found[i])
				continue;
			KUNIT_EXPECT_EQ(test, e->value.i, middle + 1);
			ended++;
		}
	}
}

/* One iteration more than cursors, each deleting the entries it returns. */
static void more_iterations_than_cursors_miss_nothing(struct kunit *test)
{
	struct ktap_iter it[KTAP_CURSORS + 1] = { };
	struct ktap_table *t;
	struct ktap_vm *vm = vm_with_table(test, &t);
	u8 *times = kunit_kzalloc(test, ENTRIES + 1, GFP_KERNEL);
	unsigned int i, j, ended = 0, wrong = 0;
	s64 n, last[KTAP_CURSORS + 1];

	KUNIT_ASSERT_NOT_NULL(test, times);
	/* They are far from both ends and from each other. */
	for (i = 0; i <= KTAP_CURSORS; i++) {
		while (step(vm, t, &it[i]) < 1000 + 100 * i)
			;
		last[i] = 1;
	}
	vm->budget = U32_MAX;
	for (j = 0; ended <= KTAP_CURSORS; j++) {
		i = j % (KTAP_CURSORS + 1);
		if (!last[i])
			continue;
		n = step(vm, t, &it[i]);
		last[i] = n;
		if (!n) {
			ended++;
			continue;
		}
		if (n % 4 != 1)
			delete(vm, t, n);
		else
			times[n]++;
	}
	KUNIT_EXPECT_EQ(test, vm->error, 0);
	/* Each remaining entry was returned by all iterations before it. */
	for (n = 1; n <= ENTRIES; n += 4) {
		j = n <= 1000 ? 0 : min((n - 1001) / 100 + 1, KTAP_CURSORS + 1);
		wrong += times[n] != j;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static void an_iteration_at_the_end_frees_its_cursor(struct kunit *test)
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

static void new_entries_are_not_returned(struct kunit *test)
{
	struct ktap_iter it = { };
	unsigned int n;
	struct ktap_table *t;
	struct ktap_vm *vm = vm_with_table(test, &t);

	walk_to(vm, t, &it, ENTRIES);
	delete(vm, t, ENTRIES);
	ktap_table_set(vm, t, &KTAP_VALUE_INT(5000), &KTAP_VALUE_INT(5000));
	ktap_table_set(vm, t, &KTAP_VALUE_INT(5001), &KTAP_VALUE_INT(5001));
	delete(vm, t, 5000);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 0);
	it = (struct ktap_iter){ };
	walk_to(vm, t, &it, ENTRIES - 1);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 5001);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 0);

	/* Others insert entries faster than the iteration returns them: it ends. */
	it = (struct ktap_iter){ };
	for (n = 0; step(vm, t, &it); n++) {
		KUNIT_ASSERT_LT(test, n, ENTRIES);
		ktap_table_set(vm, t, &KTAP_VALUE_INT(6000 + n), &KTAP_VALUE_INT(1));
		delete(vm, t, 6000 + n - 1);
	}
	KUNIT_EXPECT_EQ(test, n, ENTRIES);

	/* Clearing a table ends the iterations. */
	it = (struct ktap_iter){ };
	walk_to(vm, t, &it, 7);
	ktap_table_clear(vm, t);
	ktap_table_set(vm, t, &KTAP_VALUE_INT(1), &KTAP_VALUE_INT(1));
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 0);
}

/* After an exchange, the other table may free the entries. */
static void exchanging_tables_resets_cursors(struct kunit *test)
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
	/* It has ended, though the table has entries again. */
	ktap_table_set(vm, t, &KTAP_VALUE_INT(77), &KTAP_VALUE_INT(77));
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 0);
}

/* More numbers than those of which an iteration keeps all bits */
static void the_end_is_known_after_many_insertions(struct kunit *test)
{
	struct ktap_iter it = { };
	struct ktap_table *t;
	struct ktap_vm *vm = vm_with_table(test, &t);

	t->seq = BIT_ULL(40) - 2;
	ktap_table_set(vm, t, &KTAP_VALUE_INT(5001), &KTAP_VALUE_INT(5001));
	walk_to(vm, t, &it, ENTRIES);
	ktap_table_set(vm, t, &KTAP_VALUE_INT(5002), &KTAP_VALUE_INT(5002));
	ktap_table_set(vm, t, &KTAP_VALUE_INT(5003), &KTAP_VALUE_INT(5003));
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 5001);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 0);
	it = (struct ktap_iter){ };
	walk_to(vm, t, &it, ENTRIES);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 5001);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 5002);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 5003);
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 0);
}

/* Bytecode may set any value: only existing entries are returned. */
static void any_cursor_number_is_safe(struct kunit *test)
{
	struct ktap_iter it = { .seq = 5, .cursor = U32_MAX, .end = 6 };
	struct ktap_table *t;
	struct ktap_vm *vm = vm_with_table(test, &t);

	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 6);
	it = (struct ktap_iter){ .seq = U64_MAX, .cursor = 77 };
	KUNIT_EXPECT_EQ(test, step(vm, t, &it), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(an_iteration_with_a_cursor_needs_no_search),
	KUNIT_CASE(an_iteration_without_its_cursor_searches_and_is_charged),
	KUNIT_CASE(a_search_is_split_into_bounded_pieces),
	KUNIT_CASE(more_searches_than_cursors_all_end),
	KUNIT_CASE(more_iterations_than_cursors_miss_nothing),
	KUNIT_CASE(an_iteration_at_the_end_frees_its_cursor),
	KUNIT_CASE(new_entries_are_not_returned),
	KUNIT_CASE(exchanging_tables_resets_cursors),
	KUNIT_CASE(the_end_is_known_after_many_insertions),
	KUNIT_CASE(any_cursor_number_is_safe),
	{ }
};

static struct kunit_suite suite = {
	.name = "ktap_cursor",
	.test_cases = cases,
};

kunit_test_suite(suite);
