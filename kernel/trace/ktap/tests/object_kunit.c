// SPDX-License-Identifier: GPL-2.0
/*
 * The lifetime of objects.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "data/agg.h"
#include "data/table_priv.h"
#include "tests/build.h"
#include "vm/global.h"
#include "vm/vm.h"

#define EVENT	KTAP_LEVEL_TASK
#define PROCESS	KTAP_LEVEL_PROCESS

/* No losses, and the heap has not grown. */
static void expect_flat(struct kunit *test, const struct ktap_vm *vm, size_t available)
{
	KUNIT_EXPECT_EQ(test, vm->env->heap.bytes, KTAP_HEAP_INITIAL);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
}

/*
 * R[0] = {}; then R[1] = {} again and again, each time followed by @insn; and then whether
 * R[0] still has its contents.
 */
static struct ktap_vm *forgetful(struct kunit *test, enum ktap_level level, u32 rounds,
				 struct ktap_code insn)
{
	struct test_chunk *c = test_chunk(test);

	test_global(c, "g");
	test_global(c, "other");
	test_func(c, "main", 0, 5);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 42);
	test_insn(c, KTAP_OP_TSETI, 0, 0, 2, 7);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, rounds);
	/* round: */
	test_insn(c, KTAP_OP_NEWT, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_TSETI, 1, 0, 2, 1);
	test_insn(c, insn.op, insn.a, insn.b, insn.c, insn.d);
	test_insn(c, KTAP_OP_SUBI, 2, 2, 0, 1);
	test_insn(c, KTAP_OP_JGTI, 2, 0, 0, -5);
	test_insn(c, KTAP_OP_TGETI, 3, 0, 0, 7);
	test_insn(c, KTAP_OP_RET, 3, 1, 0, 0);
	return test_vm(test, test_load(c), level);
}

static unsigned int low_calls;

static void count_low(struct ktap_heap *heap)
{
	low_calls++;
}

static const struct ktap_code nothing = { .op = KTAP_OP_MOV, .a = 3, .b = 2 };

/* As many rounds as the budget of an event nearly pays for */
#define ROUNDS		9000

static void unreachable_objects_do_not_accumulate(struct kunit *test)
{
	struct ktap_vm *vm = forgetful(test, PROCESS, 100000, nothing);
	size_t available = vm->env->heap.available;

	/* Few objects exist at a time: no refill is needed. */
	low_calls = 0;
	vm->env->heap.low = count_low;
	test_expect_int(test, 42, test_run(test, vm, NULL, 0));
	expect_flat(test, vm, available);
	KUNIT_EXPECT_EQ(test, low_calls, 0);

	vm = forgetful(test, EVENT, ROUNDS, nothing);
	available = vm->env->heap.available;
	test_expect_int(test, 42, test_run(test, vm, NULL, 0));
	expect_flat(test, vm, available);
}

static void sweeping_is_charged(struct kunit *test)
{
	struct ktap_vm *vm = forgetful(test, EVENT, ROUNDS, nothing);
	u64 paid;

	test_run(test, vm, NULL, 0);
	paid = vm->env->max_insns - vm->budget;
	/* Each iteration costs a jump, a table and an entry; the rest is sweeping. */
	KUNIT_EXPECT_GT(test, paid, 9 * ROUNDS + ROUNDS / 64);
	KUNIT_EXPECT_LT(test, paid, 11 * ROUNDS);
}

/* For 16 of the registers in use and the new objects, a unit */
static void a_sweep_costs_what_it_visits(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value v;
	u64 budget;
	u32 n, i;

	for (n = 1; n < 60; n++) {
		for (i = 0; i < n; i++)
			KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 1, &v));
		budget = vm->budget;
		KUNIT_EXPECT_TRUE(test, ktap_objects_sweep(vm));
		KUNIT_EXPECT_EQ(test, (vm->top + n) / 16, budget - vm->budget);
	}
	/* The slice has 1 unit, which is not enough: the rest of the budget pays 3 of 4. */
	for (i = 0; i < 64 - vm->top; i++)
		KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 1, &v));
	vm->budget = 1;
	vm->rest = 10;
	KUNIT_EXPECT_TRUE(test, ktap_objects_sweep(vm));
	KUNIT_EXPECT_EQ(test, 0, vm->budget);
	KUNIT_EXPECT_EQ(test, 7, vm->rest);
}

/* g = t releases the previous table, which is dead then and must be freed. */
static void dead_objects_do_not_accumulate_in_a_long_run(struct kunit *test)
{
	struct ktap_code store = { .op = KTAP_OP_SETG, .a = 1 };
	struct ktap_vm *vm = forgetful(test, PROCESS, 20000, store);

	test_expect_int(test, 42, test_run(test, vm, NULL, 0));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
	KUNIT_EXPECT_LE(test, vm->env->heap.bytes, 2 * KTAP_HEAP_INITIAL);
}

/* A list: each table refers to the previous one. */
static void reachable_objects_are_not_swept(struct kunit *test)
{
	struct ktap_code link = { .op = KTAP_OP_TSETI, .a = 1, .c = 3, .d = 2 };
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	u32 i;

	test_func(c, "main", 0, 5);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 400);
	test_insn(c, KTAP_OP_NEWT, 3, 0, 0, 0);
	/* round: R[1] = { R[3] }; R[3] = R[1] */
	test_insn(c, KTAP_OP_NEWT, 1, 0, 0, 0);
	test_insn(c, link.op, link.a, link.b, link.c, link.d);
	test_insn(c, KTAP_OP_MOV, 3, 1, 0, 0);
	test_insn(c, KTAP_OP_SUBI, 2, 2, 0, 1);
	test_insn(c, KTAP_OP_JGTI, 2, 0, 0, -5);
	/* round: down the list */
	test_insn(c, KTAP_OP_TGETI, 1, 3, 0, 2);
	test_insn(c, KTAP_OP_JNIL, 1, 0, 0, 3);
	test_insn(c, KTAP_OP_MOV, 3, 1, 0, 0);
	test_insn(c, KTAP_OP_ADDI, 2, 2, 0, 1);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -5);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	for (i = 0; i < 2; i++) {
		vm = test_vm(test, test_load(c), i ? EVENT : PROCESS);
		test_expect_int(test, 400, test_run(test, vm, NULL, 0));
	}
}

/* f(n) { t = {}; t[1] = n; if (n > 0) f(n - 1) else forget many; return t[1] } */
static void registers_of_callers_are_roots(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 4);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 500);
	test_insn(c, KTAP_OP_CALL, 0, 1, 1, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "f", 1, 5);
	test_insn(c, KTAP_OP_NEWT, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_TSETI, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_JLEI, 0, 0, 0, 3);
	test_insn(c, KTAP_OP_SUBI, 3, 0, 0, 1);
	test_insn(c, KTAP_OP_CALL, 3, 1, 1, 1);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, 4);
	/* forget: */
	test_insn(c, KTAP_OP_INT, 3, 0, 0, 10000);
	test_insn(c, KTAP_OP_NEWT, 4, 0, 0, 0);
	test_insn(c, KTAP_OP_SUBI, 3, 3, 0, 1);
	test_insn(c, KTAP_OP_JGTI, 3, 0, 0, -3);
	test_insn(c, KTAP_OP_TGETI, 2, 1, 0, 1);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	vm = test_vm(test, test_load(c), PROCESS);
	test_expect_int(test, 500, test_run(test, vm, NULL, 0));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
}

static struct ktap_vm *vm_at_work(struct kunit *test, enum ktap_level level)
{
	struct ktap_vm *vm = forgetful(test, level, 1, nothing);

	vm->top = 8;
	vm->budget = U32_MAX;
	memset(vm->stack, 0, vm->top * sizeof(*vm->stack));
	return vm;
}

static void a_failed_allocation_sweeps(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test, EVENT);
	struct ktap_value key = KTAP_VALUE_INT(1), *kept = &vm->stack[3], v;
	void *all = NULL, *block;
	int i;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, kept));
	for (i = 0; i < 20; i++)
		KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &v));
	KUNIT_EXPECT_EQ(test, vm->fresh.n, 21);
	while ((block = ktap_heap_alloc(&vm->env->heap, 16))) {
		*(void **)block = all;
		all = block;
	}
	v = KTAP_VALUE_STR("a string that needs memory", 26);
	KUNIT_EXPECT_EQ(test, 0, ktap_table_set(vm, kept->table, &key, &v));
	KUNIT_EXPECT_EQ(test, ktap_table_len(kept->table), 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
	KUNIT_EXPECT_EQ(test, vm->fresh.n, 1);
	ktap_objects_end_run(vm);
}

/* An NMI that interrupted a lock holder frees nothing, but nothing leaks. */
static void objects_are_freed_later_if_the_lock_is_held(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test, EVENT);
	size_t available = vm->env->heap.available;
	struct ktap_lock lock;
	unsigned long flags;
	struct ktap_value v;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &v));
	ktap_lock_init(&lock);
	KUNIT_ASSERT_TRUE(test, ktap_lock(&lock, &flags));
	ktap_objects_end_run(vm);
	ktap_unlock(&lock, flags);
	KUNIT_EXPECT_LT(test, vm->env->heap.available, available);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

static void aggregations_live_as_tables_do(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test, PROCESS);
	size_t available = vm->env->heap.available, bytes = vm->env->heap.bytes;
	struct ktap_value *r = vm->stack;
	struct ktap_value key = KTAP_VALUE_INT(1), nil = KTAP_VALUE_NIL;

	/* No slot holds it. */
	KUNIT_ASSERT_EQ(test, 0, ktap_agg_new(vm, &ktap_agg_hist, &r[0]));
	KUNIT_ASSERT_EQ(test, r[0].tag, KTAP_AGG);
	KUNIT_EXPECT_GT(test, vm->env->heap.outside, 0);
	ktap_objects_end_run(vm);
	KUNIT_EXPECT_EQ(test, vm->env->heap.outside, 0);
	KUNIT_EXPECT_EQ(test, vm->env->heap.bytes, bytes);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);

	/* A table in a global holds it. */
	KUNIT_ASSERT_EQ(test, 0, ktap_agg_new(vm, &ktap_agg_hist, &r[0]));
	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &r[1]));
	ktap_table_set(vm, r[1].table, &key, &r[0]);
	ktap_global_set(vm, 0, &r[1]);
	ktap_agg_add(vm, r[0].agg, 5);
	ktap_objects_end_run(vm);
	KUNIT_EXPECT_GT(test, vm->env->heap.outside, 0);
	ktap_table_get(vm, r[1].table, &key, &r[2]);
	KUNIT_EXPECT_TRUE(test, ktap_equal(&r[0], &r[2]));

	/* The table is freed, and in the next round the objects in it. */
	ktap_global_set(vm, 0, &nil);
	ktap_objects_end_run(vm);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.outside, 0);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

static void keyed_aggregations_are_freed_with_their_parent(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test, EVENT);
	size_t available = vm->env->heap.available;
	struct ktap_value *r = vm->stack;
	struct ktap_table *keyed;
	struct ktap_agg *agg;

	KUNIT_ASSERT_EQ(test, 0, ktap_agg_new(vm, &ktap_agg_stats, &r[0]));
	keyed = ktap_agg_make_keyed(vm, r[0].agg);
	KUNIT_ASSERT_NOT_NULL(test, keyed);
	KUNIT_EXPECT_PTR_EQ(test, keyed, ktap_agg_make_keyed(vm, r[0].agg));
	r[1] = KTAP_VALUE_INT(1);
	KUNIT_EXPECT_EQ(test, 0, ktap_agg_in_table(vm, keyed, &r[1], &ktap_agg_stats, &agg));
	KUNIT_EXPECT_NOT_NULL(test, agg);
	ktap_objects_end_run(vm);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

/* g = { { { ... } } }, with an aggregation by key in each; gives the innermost table. */
static struct ktap_table *nest(struct kunit *test, struct ktap_vm *vm, int depth)
{
	struct ktap_value key = KTAP_VALUE_INT(1), sums = KTAP_VALUE_INT(2);
	struct ktap_value *r = vm->stack;
	struct ktap_agg *agg;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 16, &r[0]));
	ktap_global_set(vm, 0, &r[0]);
	while (depth--) {
		KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 16, &r[1]));
		KUNIT_ASSERT_EQ(test, r[1].tag, KTAP_TABLE);
		ktap_table_set(vm, r[0].table, &key, &r[1]);
		ktap_agg_in_table(vm, r[0].table, &sums, &ktap_agg_stats, &agg);
		KUNIT_ASSERT_NOT_NULL(test, agg);
		r[0] = r[1];
	}
	r[1] = KTAP_VALUE_NIL;
	ktap_objects_end_run(vm);
	return r[0].table;
}

static void forget_global(struct ktap_vm *vm)
{
	struct ktap_value nil = KTAP_VALUE_NIL;

	vm->stack[0] = nil;
	ktap_global_set(vm, 0, &nil);
}

static void nested_objects_are_freed_in_one_round(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test, EVENT);
	size_t available = vm->env->heap.available;

	nest(test, vm, 300);
	KUNIT_EXPECT_LT(test, vm->env->heap.available, available);
	forget_global(vm);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
}

/* A slot outside of dead objects holds it. */
static void a_nested_object_in_a_slot_stays(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test, EVENT);
	size_t available = vm->env->heap.available;
	struct ktap_value key = KTAP_VALUE_INT(1), *r = vm->stack;

	nest(test, vm, 10);
	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 16, &r[2]));
	ktap_table_set(vm, r[2].table, &key, &r[0]);
	ktap_global_set(vm, 1, &r[2]);
	ktap_table_set(vm, r[0].table, &key, &key);
	ktap_objects_end_run(vm);
	forget_global(vm);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, 0, ktap_table_get(vm, r[2].table, &key, &r[3]));
	KUNIT_ASSERT_EQ(test, r[3].tag, KTAP_TABLE);
	KUNIT_EXPECT_EQ(test, ktap_table_len(r[3].table), 1);
	r[2] = KTAP_VALUE_NIL;
	r[3] = KTAP_VALUE_NIL;
	ktap_global_set(vm, 1, &r[2]);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

/* A slot released it during the grace period: a handler may use it since then. */
static void a_released_nested_object_waits_for_a_grace_period(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test, EVENT);
	size_t available = vm->env->heap.available;
	struct ktap_table *inner = nest(test, vm, 10);

	inner->object.left = vm->env->round + 1;
	forget_global(vm);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_LT(test, vm->env->heap.available, available);
	KUNIT_EXPECT_EQ(test, atomic_read(&vm->env->ndead), 1);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

/* A run may have read the slot before it was released. */
static void a_released_object_is_freed_after_all_runs(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test, EVENT);
	size_t available = vm->env->heap.available;
	struct test_long_run *run;

	nest(test, vm, 10);
	forget_global(vm);
	run = test_begin_long_run(test);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_TRUE(test, test_long_run_has_ended(run));
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

/* A nested object in a register of process context remains for the rest of its run. */
static void a_nested_object_in_a_register_stays(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test, PROCESS);
	size_t available = vm->env->heap.available;
	struct ktap_value key = KTAP_VALUE_INT(1), nil = KTAP_VALUE_NIL;
	struct ktap_value *r = vm->stack;

	nest(test, vm, 10);
	ktap_global_set(vm, 0, &nil);
	KUNIT_EXPECT_TRUE(test, ktap_objects_sweep(vm));
	ktap_table_set(vm, r[0].table, &key, &key);
	KUNIT_EXPECT_EQ(test, ktap_table_len(r[0].table), 1);
	r[0] = nil;
	ktap_objects_end_run(vm);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

/* No slot holds it, so nothing but its register keeps it: the next reaper frees it. */
static void a_released_object_in_a_register_is_freed_later(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test, PROCESS);
	size_t available = vm->env->heap.available;
	struct ktap_value *r = vm->stack, nil = KTAP_VALUE_NIL;
	int i;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 16, &r[0]));
	ktap_global_set(vm, 0, &r[0]);
	ktap_global_set(vm, 0, &nil);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, ktap_objects_sweep(vm));
		KUNIT_EXPECT_LT(test, vm->env->heap.available, available);
		KUNIT_EXPECT_EQ(test, atomic_read(&vm->env->ndead), 1);
	}
	r[0] = nil;
	KUNIT_EXPECT_TRUE(test, ktap_objects_sweep(vm));
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
	KUNIT_EXPECT_EQ(test, atomic_read(&vm->env->ndead), 0);
}

/* A sorted copy keeps the objects of entries that are deleted meanwhile. */
static void a_sorted_copy_holds_its_objects(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test, PROCESS);
	size_t available = vm->env->heap.available;
	struct ktap_value key = KTAP_VALUE_INT(1), nil = KTAP_VALUE_NIL;
	struct ktap_value *r = vm->stack;
	struct ktap_sorted sorted;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &r[0]));
	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &r[1]));
	ktap_table_set(vm, r[1].table, &key, &key);
	ktap_table_set(vm, r[0].table, &key, &r[1]);
	KUNIT_ASSERT_EQ(test, 0, ktap_table_sort(vm, r[0].table, KTAP_BY_KEY, &sorted));
	KUNIT_ASSERT_EQ(test, sorted.n, 1);
	r[1] = nil;
	ktap_table_set(vm, r[0].table, &key, &nil);
	ktap_objects_end_run(vm);
	KUNIT_EXPECT_EQ(test, ktap_table_len(sorted.entries[0].value.table), 1);
	ktap_sorted_free(&sorted);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

/* The tags are masked without a branch: see ktap_table_of(). */
static void other_values_have_no_pointer(struct kunit *test)
{
	struct ktap_value v = { .object = (void *)&v };

	for (v.tag = KTAP_NIL; v.tag < KTAP_NR_TAGS; v.tag++) {
		KUNIT_EXPECT_PTR_EQ(test, (void *)ktap_table_of(&v),
				    v.tag == KTAP_TABLE ? (void *)&v : NULL);
		KUNIT_EXPECT_PTR_EQ(test, (void *)ktap_agg_of(&v),
				    v.tag == KTAP_AGG ? (void *)&v : NULL);
		KUNIT_EXPECT_PTR_EQ(test, (void *)ktap_object_of(&v),
				    ktap_is_object(&v) ? (void *)&v : NULL);
		KUNIT_EXPECT_PTR_EQ(test, (void *)ktap_blob_of(&v),
				    ktap_is_blob(&v) ? (void *)&v : NULL);
	}
}

static void a_masked_index_is_in_range_or_none(struct kunit *test)
{
	static const u32 wrong[] = { 5, 6, S32_MAX, 1U << 31, U32_MAX };
	u32 i, n;

	for (n = 0; n < 5; n++) {
		i = n;
		KUNIT_EXPECT_TRUE(test, ktap_index(&i, 5));
		KUNIT_EXPECT_EQ(test, i, n);
	}
	for (n = 0; n < ARRAY_SIZE(wrong); n++) {
		i = wrong[n];
		KUNIT_EXPECT_FALSE(test, ktap_index(&i, 5));
		KUNIT_EXPECT_EQ(test, i, wrong[n]);
	}
	i = 0;
	KUNIT_EXPECT_FALSE(test, ktap_index(&i, 0));
}

/* The sum of table + n takes the table's register, but not before the table has been used. */
static void a_table_is_a_root_until_its_sum_is_known(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value key = KTAP_VALUE_INT(7), one = KTAP_VALUE_INT(1), *r = vm->stack;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 8, &r[0]));
	while (ktap_heap_alloc(&vm->env->heap, 16))
		;
	/* Without memory for the entry, unreachable objects are freed. */
	KUNIT_EXPECT_EQ(test, 0, ktap_table_add_and_get(vm, ktap_table_of(&r[0]), &key, &one,
							&r[0]));
	KUNIT_EXPECT_EQ(test, vm->fresh.sweeps, 1);
	KUNIT_EXPECT_EQ(test, vm->fresh.n, 1);
	KUNIT_EXPECT_EQ(test, r[0].tag, KTAP_NIL);
}

static struct kunit_case object_cases[] = {
	KUNIT_CASE(other_values_have_no_pointer),
	KUNIT_CASE(a_masked_index_is_in_range_or_none),
	KUNIT_CASE(unreachable_objects_do_not_accumulate),
	KUNIT_CASE(sweeping_is_charged),
	KUNIT_CASE(a_sweep_costs_what_it_visits),
	KUNIT_CASE(dead_objects_do_not_accumulate_in_a_long_run),
	KUNIT_CASE(reachable_objects_are_not_swept),
	KUNIT_CASE(registers_of_callers_are_roots),
	KUNIT_CASE(a_failed_allocation_sweeps),
	KUNIT_CASE(objects_are_freed_later_if_the_lock_is_held),
	KUNIT_CASE(aggregations_live_as_tables_do),
	KUNIT_CASE(keyed_aggregations_are_freed_with_their_parent),
	KUNIT_CASE(nested_objects_are_freed_in_one_round),
	KUNIT_CASE(a_nested_object_in_a_slot_stays),
	KUNIT_CASE(a_released_nested_object_waits_for_a_grace_period),
	KUNIT_CASE(a_released_object_is_freed_after_all_runs),
	KUNIT_CASE(a_nested_object_in_a_register_stays),
	KUNIT_CASE(a_released_object_in_a_register_is_freed_later),
	KUNIT_CASE(a_sorted_copy_holds_its_objects),
	KUNIT_CASE(a_table_is_a_root_until_its_sum_is_known),
	{}
};

static struct kunit_suite object_suite = {
	.name = "ktap_object",
	.test_cases = object_cases,
};

kunit_test_suite(object_suite);
