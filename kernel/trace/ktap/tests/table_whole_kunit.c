// SPDX-License-Identifier: GPL-2.0
/*
 * Whole tables: iteration, exchange, clear, sorting, and when they are freed.
 */
#include <linux/string.h>

#include "tests/table_fixture.h"
#include "vm/global.h"
#include "vm/ops.h"

/* Iterates to the end; each value is a digit of the result. */
static s64 digits(struct kunit *test, struct ktap_vm *vm, struct ktap_table *t,
		  void (*between)(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value key))
{
	struct ktap_value *r = vm->stack;
	struct ktap_iter it = { };
	s64 all = 0;
	int n;

	r[2] = KTAP_VALUE_NIL;
	for (n = 0; n < 100 && ktap_table_next(vm, t, &it, &r[2], &r[3], &r[4]) > 0; n++) {
		r[2] = r[3];
		all = all * 10 + r[4].i;
		if (between)
			between(vm, t, r[3]);
	}
	KUNIT_EXPECT_LT(test, n, 100);
	KUNIT_EXPECT_EQ(test, r[3].tag, KTAP_NIL);
	return all;
}

static struct ktap_table *table_of(struct kunit *test, struct ktap_vm *vm, int n)
{
	struct ktap_table *t = test_table(test, vm, 0);
	int i;

	for (i = 1; i <= n; i++)
		set(vm, t, KTAP_VALUE_INT(i), KTAP_VALUE_INT(i));
	return t;
}

static void delete_it(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value key)
{
	set(vm, t, key, KTAP_VALUE_NIL);
}

static void delete_it_and_the_next(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value key)
{
	set(vm, t, key, KTAP_VALUE_NIL);
	set(vm, t, KTAP_VALUE_INT(key.i + 1), KTAP_VALUE_NIL);
}

static void delete_it_then_one_before(struct ktap_vm *vm, struct ktap_table *t,
				      struct ktap_value key)
{
	set(vm, t, key, KTAP_VALUE_NIL);
	if (key.i == 4)
		set(vm, t, KTAP_VALUE_INT(key.i + 3), KTAP_VALUE_NIL);
}

static void change_it(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value key)
{
	set(vm, t, key, KTAP_VALUE_INT(9));
}

/* A new entry is the last one, and not visited. */
static void move_it_to_the_end(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value key)
{
	set(vm, t, key, KTAP_VALUE_NIL);
	if (key.i <= 3)
		set(vm, t, KTAP_VALUE_INT(key.i + 5), KTAP_VALUE_INT(key.i + 5));
}

static void replace_the_last(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value key)
{
	if (key.i != 5)
		return;
	set(vm, t, key, KTAP_VALUE_NIL);
	set(vm, t, KTAP_VALUE_INT(6), KTAP_VALUE_INT(6));
}

static void iteration_follows_insertion(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);

	KUNIT_EXPECT_EQ(test, digits(test, vm, test_table(test, vm, 0), NULL), 0);
	KUNIT_EXPECT_EQ(test, digits(test, vm, table_of(test, vm, 5), NULL), 12345);
}

static void iteration_survives_changes(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t;

	t = table_of(test, vm, 7);
	KUNIT_EXPECT_EQ(test, digits(test, vm, t, delete_it), 1234567);
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 0);
	t = table_of(test, vm, 7);
	KUNIT_EXPECT_EQ(test, digits(test, vm, t, delete_it_and_the_next), 1357);
	t = table_of(test, vm, 7);
	KUNIT_EXPECT_EQ(test, digits(test, vm, t, delete_it_then_one_before), 123456);
	t = table_of(test, vm, 7);
	KUNIT_EXPECT_EQ(test, digits(test, vm, t, change_it), 1234567);
	KUNIT_EXPECT_EQ(test, digits(test, vm, t, NULL), 9999999);
	t = table_of(test, vm, 5);
	KUNIT_EXPECT_EQ(test, digits(test, vm, t, move_it_to_the_end), 12345);
	t = table_of(test, vm, 5);
	KUNIT_EXPECT_EQ(test, digits(test, vm, t, replace_the_last), 12345);
}

/* A loop keeps the low bits of the number of the last insertion before it. */
static void a_loop_sees_all_entries_of_an_old_table(struct kunit *test)
{
	const u64 turn = 1ULL << KTAP_ITER_END_BITS;
	const u64 insertions[] = { turn - 2, turn, turn + 1, 2 * turn - 1, 5 * turn };
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value *r = vm->stack;
	struct ktap_table *t;
	s64 keys;
	int i, n;

	for (i = 0; i < ARRAY_SIZE(insertions); i++) {
		t = test_table(test, vm, 0);
		t->seq = insertions[i];
		for (n = 1; n <= 3; n++)
			set(vm, t, KTAP_VALUE_INT(n), KTAP_VALUE_INT(n));
		r[0] = (struct ktap_value){ .table = t, .tag = KTAP_TABLE };
		KUNIT_EXPECT_EQ(test, 0, ktap_op_iter(vm, r));
		for (keys = 0; keys < 1000 && ktap_op_next(vm, r) > 0;)
			keys = keys * 10 + r[3].i;
		KUNIT_EXPECT_EQ(test, 123, keys);
	}
}

/* The exchange ends iterations: entries that are inserted later are left out. */
static void an_exchanged_table_starts_empty(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = table_of(test, vm, 5), *to = test_table(test, vm, 0);
	size_t available = vm->env->heap.available;
	struct ktap_value *r = vm->stack;
	struct ktap_iter it = { .seq = 3, .end = 5 };
	int i;

	/* The position is between two entries that will be removed. */
	delete_it(vm, t, KTAP_VALUE_INT(3));
	KUNIT_EXPECT_TRUE(test, ktap_table_exchange(t, to));
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 0);
	KUNIT_EXPECT_EQ(test, ktap_table_len(to), 4);
	ktap_table_clear(vm, to);
	KUNIT_EXPECT_GT(test, vm->env->heap.available, available);
	r[2] = KTAP_VALUE_INT(3);
	KUNIT_EXPECT_EQ(test, 0, ktap_table_next(vm, t, &it, &r[2], &r[3], &r[4]));
	set(vm, t, KTAP_VALUE_INT(7), str("new"));
	KUNIT_EXPECT_EQ(test, 0, ktap_table_next(vm, t, &it, &r[2], &r[3], &r[4]));
	it = (struct ktap_iter){ };
	KUNIT_EXPECT_EQ(test, 1, ktap_table_next(vm, t, &it, &r[2], &r[3], &r[4]));
	test_expect_int(test, 7, r[3]);

	/* A table that has grown to several pages. */
	for (i = 0; i < 1000; i++)
		set(vm, t, KTAP_VALUE_INT(i), KTAP_VALUE_INT(i));
	KUNIT_EXPECT_TRUE(test, ktap_table_exchange(t, to));
	for (i = 0; i < 1000; i++) {
		KUNIT_EXPECT_EQ(test, get(vm, t, KTAP_VALUE_INT(i)).tag, KTAP_NIL);
		test_expect_int(test, i, get(vm, to, KTAP_VALUE_INT(i)));
		set(vm, t, KTAP_VALUE_INT(i), KTAP_VALUE_INT(-i));
	}
	for (i = 0; i < 1000; i++)
		test_expect_int(test, -i, get(vm, t, KTAP_VALUE_INT(i)));
}

/* The cursor points to an entry that the other table has now. */
static void an_exchange_ends_an_iteration_that_has_a_cursor(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = table_of(test, vm, 5), *to = test_table(test, vm, 0);
	struct ktap_value *r = vm->stack;
	struct ktap_iter it = { };
	int i;

	r[2] = KTAP_VALUE_NIL;
	for (i = 1; i <= 3; i++) {
		KUNIT_ASSERT_EQ(test, 1, ktap_table_next(vm, t, &it, &r[2], &r[3], &r[4]));
		test_expect_int(test, i, r[3]);
		r[2] = r[3];
	}
	KUNIT_ASSERT_TRUE(test, ktap_table_exchange(t, to));
	KUNIT_EXPECT_EQ(test, 0, ktap_table_next(vm, t, &it, &r[2], &r[3], &r[4]));
	KUNIT_EXPECT_EQ(test, digits(test, vm, to, NULL), 12345);
}

static void iteration_gives_copies(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_value *r = vm->stack;
	struct ktap_iter it = { };
	int i;

	set(vm, t, str("first"), str(""));
	set(vm, t, str(""), str("second"));
	for (i = 0; i < 500; i++) {
		/* The arena runs full and moves meanwhile. */
		it.seq = 0;
		r[2] = KTAP_VALUE_NIL;
		KUNIT_ASSERT_EQ(test, 1, ktap_table_next(vm, t, &it, &r[2], &r[3], &r[4]));
		test_expect_str(test, "first", r[3]);
		test_expect_str(test, "", r[4]);
		r[2] = r[3];
		KUNIT_ASSERT_EQ(test, 1, ktap_table_next(vm, t, &it, &r[2], &r[3], &r[4]));
		test_expect_str(test, "", r[3]);
		test_expect_str(test, "second", r[4]);
		test_expect_str(test, "first", r[2]);
	}
}

static void clear_empties(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 0);
	int i;

	for (i = 0; i < 1000; i++)
		set(vm, t, KTAP_VALUE_INT(i), str("some value"));
	ktap_table_clear(vm, t);
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 0);
	KUNIT_EXPECT_EQ(test, digits(test, vm, t, NULL), 0);
	KUNIT_EXPECT_EQ(test, get(vm, t, KTAP_VALUE_INT(7)).tag, KTAP_NIL);
}

/* When the budget ends, the oldest entries are deleted, and the others are unchanged. */
static void clear_is_charged_step_by_step(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	size_t available = vm->env->heap.available;
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_value *r = vm->stack;
	struct ktap_iter it = { };
	int i, left;

	for (i = 0; i < 1000; i++)
		set(vm, t, KTAP_VALUE_INT(i), str("some value"));
	vm->budget = 1000;
	vm->rest = 0;
	KUNIT_EXPECT_EQ(test, -ETIME, ktap_table_clear(vm, t));
	left = ktap_table_len(t);
	KUNIT_EXPECT_GE(test, left, 300);
	KUNIT_EXPECT_LE(test, left, 600);

	vm->error = 0;
	vm->budget = U32_MAX;
	KUNIT_EXPECT_EQ(test, get(vm, t, KTAP_VALUE_INT(999 - left)).tag, KTAP_NIL);
	r[2] = KTAP_VALUE_NIL;
	for (i = 1000 - left; i < 1000; i++) {
		test_expect_str(test, "some value", get(vm, t, KTAP_VALUE_INT(i)));
		KUNIT_ASSERT_EQ(test, 1, ktap_table_next(vm, t, &it, &r[2], &r[3], &r[4]));
		test_expect_int(test, i, r[3]);
		r[2] = r[3];
	}
	KUNIT_EXPECT_EQ(test, 0, ktap_table_next(vm, t, &it, &r[2], &r[3], &r[4]));
	KUNIT_EXPECT_EQ(test, 0, ktap_table_clear(vm, t));
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 0);
	KUNIT_EXPECT_GE(test, U32_MAX - vm->budget, 2 * left);
	ktap_objects_end_run(vm);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

static void an_unreferenced_table_is_freed_at_the_end_of_the_run(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	size_t available = vm->env->heap.available;
	struct ktap_table *t = test_table(test, vm, 0);

	set(vm, t, str("key"), str("value"));
	KUNIT_EXPECT_LT(test, vm->env->heap.available, available);
	ktap_objects_end_run(vm);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

static void a_table_in_a_slot_stays(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	size_t available = vm->env->heap.available;
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_value *r = vm->stack;

	set(vm, t, str("key"), KTAP_VALUE_INT(7));
	r[0] = (struct ktap_value){ .table = t, .tag = KTAP_TABLE };
	ktap_global_set(vm, 0, &r[0]);
	ktap_objects_end_run(vm);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, 0, ktap_global_get(vm, 0, &r[1]));
	KUNIT_ASSERT_EQ(test, r[1].tag, KTAP_TABLE);
	test_expect_int(test, 7, get(vm, r[1].table, str("key")));
	/* The slot releases it: it remains for the rest of this run, and is freed then. */
	r[0] = KTAP_VALUE_NIL;
	ktap_global_set(vm, 0, &r[0]);
	test_expect_int(test, 7, get(vm, r[1].table, str("key")));
	ktap_objects_end_run(vm);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

static void a_table_may_be_released_and_stored_again(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	size_t available = vm->env->heap.available;
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_value *r = vm->stack;
	int i;

	for (i = 0; i < 5; i++) {
		r[0] = (struct ktap_value){ .table = t, .tag = KTAP_TABLE };
		ktap_global_set(vm, i % 2, &r[0]);
		r[1] = KTAP_VALUE_INT(i);
		ktap_global_set(vm, (i + 1) % 2, &r[1]);
	}
	r[0] = KTAP_VALUE_NIL;
	ktap_global_set(vm, 0, &r[0]);
	r[0] = (struct ktap_value){ .table = t, .tag = KTAP_TABLE };
	ktap_global_set(vm, 0, &r[0]);
	ktap_objects_end_run(vm);
	ktap_objects_reap(vm->env);
	set(vm, t, str("key"), KTAP_VALUE_INT(7));
	test_expect_int(test, 7, get(vm, t, str("key")));
	r[0] = KTAP_VALUE_NIL;
	ktap_global_set(vm, 0, &r[0]);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

static void nested_tables_are_freed_together(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	size_t available = vm->env->heap.available;
	struct ktap_table *outer = test_table(test, vm, 0);
	struct ktap_table *inner = test_table(test, vm, 0);

	set(vm, inner, str("key"), str("value"));
	set(vm, outer, str("inner"), (struct ktap_value){ .table = inner, .tag = KTAP_TABLE });
	set(vm, outer, str("again"), (struct ktap_value){ .table = inner, .tag = KTAP_TABLE });
	ktap_objects_end_run(vm);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

static void a_table_in_itself_does_no_harm(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);

	set(vm, t, str("self"), (struct ktap_value){ .table = t, .tag = KTAP_TABLE });
	KUNIT_EXPECT_PTR_EQ(test, get(vm, t, str("self")).table, t);
	ktap_objects_end_run(vm);
	ktap_objects_reap(vm->env);
	/* It lives as long as the session. */
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 1);
}

static void interrupting_a_lock_holder_gives_up(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = table_of(test, vm, 3);
	struct ktap_value *r = vm->stack;
	struct ktap_iter it = { };
	struct ktap_value nil;
	struct ktap_lock lock;
	unsigned long flags;
	int next;

	r[0] = KTAP_VALUE_INT(5);
	r[2] = KTAP_VALUE_NIL;
	ktap_global_set(vm, 0, &r[0]);
	ktap_lock_init(&lock);
	KUNIT_ASSERT_TRUE(test, ktap_lock(&lock, &flags));
	set(vm, t, KTAP_VALUE_INT(1), KTAP_VALUE_INT(7));
	add(vm, t, KTAP_VALUE_INT(1), 7);
	delete_it(vm, t, KTAP_VALUE_INT(1));
	nil = get(vm, t, KTAP_VALUE_INT(1));
	ktap_table_clear(vm, t);
	next = ktap_table_next(vm, t, &it, &r[2], &r[3], &r[4]);
	ktap_global_add(vm, 0, &r[0]);
	ktap_global_set(vm, 0, &r[2]);
	ktap_unlock(&lock, flags);

	KUNIT_EXPECT_EQ(test, vm->error, 0);
	KUNIT_EXPECT_EQ(test, nil.tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, next, 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.nmi_busy), 8);
	KUNIT_EXPECT_EQ(test, digits(test, vm, t, NULL), 123);
	KUNIT_EXPECT_EQ(test, 0, ktap_global_get(vm, 0, &r[0]));
	test_expect_int(test, 5, r[0]);
}

static void sorting_orders_by_key_or_value(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_sorted s;

	set(vm, t, KTAP_VALUE_BOOL(true), KTAP_VALUE_INT(2));
	set(vm, t, str("b"), KTAP_VALUE_INT(2));
	set(vm, t, str("ab"), str("no number"));
	set(vm, t, KTAP_VALUE_INT(10), KTAP_VALUE_INT(3));
	set(vm, t, KTAP_VALUE_INT(-9), KTAP_VALUE_INT(-1));
	KUNIT_ASSERT_EQ(test, 0, ktap_table_sort(vm, t, KTAP_BY_KEY, &s));
	KUNIT_ASSERT_EQ(test, s.n, 5);
	test_expect_int(test, -9, s.entries[0].key);
	test_expect_int(test, 10, s.entries[1].key);
	test_expect_str(test, "ab", s.entries[2].key);
	test_expect_str(test, "no number", s.entries[2].value);
	test_expect_str(test, "b", s.entries[3].key);
	KUNIT_EXPECT_EQ(test, s.entries[4].key.tag, KTAP_BOOL);
	ktap_sorted_free(&s);
	KUNIT_ASSERT_EQ(test, 0, ktap_table_sort(vm, t, KTAP_BY_VALUE, &s));
	KUNIT_ASSERT_EQ(test, s.n, 5);
	test_expect_int(test, 3, s.entries[0].value);
	test_expect_str(test, "b", s.entries[1].key);
	KUNIT_EXPECT_EQ(test, s.entries[2].key.tag, KTAP_BOOL);
	test_expect_int(test, -1, s.entries[3].value);
	test_expect_str(test, "ab", s.entries[4].key);
	ktap_sorted_free(&s);
}

static void sorting_copies_all(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_sorted s;
	char key[24];
	int i;

	for (i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "%05d%.*s", 4999 - i, i % 10, "..........");
		set(vm, t, str(key), str(key));
	}
	KUNIT_ASSERT_EQ(test, 0, ktap_table_sort(vm, t, KTAP_BY_KEY, &s));
	KUNIT_ASSERT_EQ(test, s.n, 5000);
	KUNIT_EXPECT_EQ(test, s.dropped, 0);
	for (i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "%05d%.*s", i, (4999 - i) % 10, "..........");
		test_expect_str(test, key, s.entries[i].key);
		test_expect_str(test, key, s.entries[i].value);
	}
	ktap_sorted_free(&s);
}

static void growth_during_a_sort_is_counted(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_sorted s;
	long bytes;

	set(vm, t, KTAP_VALUE_INT(1), KTAP_VALUE_INT(1));
	set(vm, t, KTAP_VALUE_INT(2), str("text"));
	set(vm, t, KTAP_VALUE_INT(3), KTAP_VALUE_INT(3));
	/* As if the text was inserted just then. */
	bytes = atomic_long_xchg(&t->blob_bytes, 0);
	KUNIT_ASSERT_EQ(test, 0, ktap_table_sort(vm, t, KTAP_BY_KEY, &s));
	atomic_long_set(&t->blob_bytes, bytes);
	KUNIT_EXPECT_EQ(test, s.n, 1);
	KUNIT_EXPECT_EQ(test, s.dropped, 2);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.left_out), 2);
	ktap_sorted_free(&s);
}

static void sorting_ends_with_the_session(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 0);
	bool abort = true;
	struct ktap_sorted s;

	set(vm, t, KTAP_VALUE_INT(1), str("text"));
	vm->abort = &abort;
	KUNIT_EXPECT_EQ(test, -EINTR, ktap_table_sort(vm, t, KTAP_BY_KEY, &s));
	KUNIT_EXPECT_STREQ(test, vm->message, "the session ends");
	KUNIT_EXPECT_EQ(test, s.n, 0);
	vm->abort = NULL;
}

static struct kunit_case table_whole_cases[] = {
	KUNIT_CASE(iteration_follows_insertion),
	KUNIT_CASE(iteration_survives_changes),
	KUNIT_CASE(a_loop_sees_all_entries_of_an_old_table),
	KUNIT_CASE(an_exchanged_table_starts_empty),
	KUNIT_CASE(an_exchange_ends_an_iteration_that_has_a_cursor),
	KUNIT_CASE(iteration_gives_copies),
	KUNIT_CASE(clear_empties),
	KUNIT_CASE(clear_is_charged_step_by_step),
	KUNIT_CASE(an_unreferenced_table_is_freed_at_the_end_of_the_run),
	KUNIT_CASE(a_table_in_a_slot_stays),
	KUNIT_CASE(a_table_may_be_released_and_stored_again),
	KUNIT_CASE(nested_tables_are_freed_together),
	KUNIT_CASE(a_table_in_itself_does_no_harm),
	KUNIT_CASE(interrupting_a_lock_holder_gives_up),
	KUNIT_CASE(sorting_orders_by_key_or_value),
	KUNIT_CASE(sorting_copies_all),
	KUNIT_CASE(growth_during_a_sort_is_counted),
	KUNIT_CASE(sorting_ends_with_the_session),
	{}
};

static struct kunit_suite table_whole_suite = {
	.name = "ktap_table_whole",
	.test_cases = table_whole_cases,
};

kunit_test_suite(table_whole_suite);
