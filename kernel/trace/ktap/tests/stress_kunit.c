// SPDX-License-Identifier: GPL-2.0
/*
 * Tables, aggregations, globals and memory, used by all CPUs at once.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "tests/stress.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/vm.h"

/**
 * DOC: Stress test
 *
 * Each CPU has two workers: a thread, and an interrupt that the thread of another
 * CPU sends.  In each of its rounds a worker does a few random operations on shared
 * data, and keeps a record of them.  It checks the values that it reads: an entry that
 * no other worker writes must have the value that it has stored there.  An entry that
 * others write must have a complete value that one of them has stored.  At the end the
 * sums must be those of all records.  After everything is deleted, all memory must be
 * free again.
 *
 * Meanwhile the thread of the test iterates over tables, reads aggregations, clears
 * them, and frees dead objects.
 */

/* Rounds of a worker; more rounds find more bugs. */
static unsigned long rounds = 600;
module_param(rounds, ulong, 0400);

/* Entries inserted and deleted again, one by one. */
static unsigned long churn = 100000;
module_param(churn, ulong, 0400);

#define MAX_CPUS	16

/* Workers */

static void one_round(struct stress_worker *w)
{
	struct ktap_vm *vm = w->vm;

	preempt_disable();
	memset(vm->stack, 0, NR_REGS * sizeof(*vm->stack));
	vm->arena.used = 0;
	vm->budget = U64_MAX;
	w->s->operations[stress_pick(w, w->s->noperations)](w);
	w->rounds++;
	stress_expect(w, !vm->error, "an operation ended in an error");
	ktap_objects_end_run(vm);
	preempt_enable();
}

static void interrupt(struct irq_work *irq)
{
	one_round(container_of(irq, struct stress_worker, irq));
}

static int work(void *data)
{
	struct stress_worker *w = data;
	unsigned long i;

	for (i = 0; i < rounds; i++) {
		one_round(w);
		irq_work_queue_on(&w->next->irq, w->next->cpu);
		cond_resched();
	}
	WRITE_ONCE(w->done, true);
	while (!kthread_should_stop())
		cond_resched();
	return 0;
}

static void start(struct stress *s)
{
	struct stress_worker *w;
	u32 i;

	/* No assertion may end the test from here on. */
	for (i = 0; i < s->nworkers; i += 2) {
		w = &s->workers[i];
		w->task = kthread_run_on_cpu(work, w, w->cpu, "ktap-stress/%u");
		if (IS_ERR(w->task)) {
			w->task = NULL;
			w->done = true;
			KUNIT_FAIL(s->test, "there is no thread");
		}
	}
}

static bool all_done(const struct stress *s)
{
	u32 i;

	for (i = 0; i < s->nworkers; i += 2) {
		if (!READ_ONCE(s->workers[i].done))
			return false;
	}
	return true;
}

static void stop(struct stress *s)
{
	struct stress_worker *w;
	u32 i;

	/* No thread is left that could send another one. */
	for (i = 1; i < s->nworkers; i += 2)
		irq_work_sync(&s->workers[i].irq);
	for (i = 0; i < s->nworkers; i += 2) {
		w = &s->workers[i];
		if (w->task)
			kthread_stop(w->task);
	}
	for (i = 0; i < s->nworkers; i++) {
		w = &s->workers[i];
		KUNIT_EXPECT_NULL_MSG(s->test, w->wrong, "worker %u: %s", i, w->wrong);
		KUNIT_EXPECT_GT(s->test, w->rounds, 0);
	}
}

/* Setting up */

static struct ktap_table *new_table(struct stress *s)
{
	struct ktap_value *v = &s->vm->stack[s->vm->top++];

	KUNIT_ASSERT_EQ(s->test, 0, ktap_table_new(s->vm, 0, v));
	KUNIT_ASSERT_EQ(s->test, v->tag, KTAP_TABLE);
	return v->table;
}

/* A table that never loses entries but by ktap_table_clear() in process context */
static struct ktap_table *new_steady_table(struct stress *s)
{
	struct ktap_table *t;

	s->vm->env->steady = IS_ENABLED(CONFIG_64BIT);
	t = new_table(s);
	s->vm->env->steady = false;
	return t;
}

static struct ktap_agg *new_agg(struct stress *s, const struct ktap_agg_shape *shape)
{
	struct ktap_value *v = &s->vm->stack[s->vm->top++];

	KUNIT_ASSERT_EQ(s->test, 0, ktap_agg_new(s->vm, shape, v));
	KUNIT_ASSERT_EQ(s->test, v->tag, KTAP_AGG);
	return v->agg;
}

/* Handlers cannot refill the heap: all memory is allocated at the start. */
static void fill_heap(struct kunit *test, struct ktap_heap *heap)
{
	heap->goal = heap->max;
	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
}

static struct ktap_vm *vm_at_work(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, NR_REGS);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	TEST_RET(c);
	test_func(c, "add", 1, 1);
	test_insn(c, KTAP_OP_ADDG, 0, 0, 0, GLOBAL_PER_CPU);
	TEST_RET(c);
	test_global(c, "sum");
	test_global(c, "text");
	test_global(c, "kind");
	test_global(c, "per_cpu");
	vm = test_vm(test, test_load(c), KTAP_LEVEL_PROCESS);
	vm->env->steady = false;
	vm->top = NR_REGS;
	vm->budget = U64_MAX;
	memset(vm->stack, 0, vm->stack_size * sizeof(*vm->stack));
	fill_heap(test, &vm->env->heap);
	return vm;
}

static void init_worker(struct stress *s, u32 id, int cpu)
{
	bool irq = id % 2;
	struct stress_worker *w = &s->workers[id];

	w->s = s;
	w->vm = test_vm_of(s->test, s->vm->env, irq ? KTAP_LEVEL_HARDIRQ : KTAP_LEVEL_TASK);
	w->vm->top = NR_REGS;
	w->irq = IRQ_WORK_INIT_HARD(interrupt);
	w->next = &s->workers[(id + 3) % s->nworkers];
	w->cpu = cpu;
	w->id = id;
	w->random = 0x9e3779b9 * (id + 1);
}

static void init_workers(struct stress *s)
{
	u32 id = 0;
	int cpu;

	s->nworkers = 2 * min_t(u32, num_online_cpus(), MAX_CPUS);
	s->workers = kunit_kzalloc(s->test, s->nworkers * sizeof(*s->workers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(s->test, s->workers);
	for_each_online_cpu(cpu) {
		if (id == s->nworkers)
			break;
		init_worker(s, id++, cpu);
		init_worker(s, id++, cpu);
	}
	KUNIT_ASSERT_EQ(s->test, id, s->nworkers);
}

static void init_permanent(struct stress *s)
{
	struct ktap_value key, v;
	struct stress_text text;
	u32 i;

	for (i = 0; i < PERMANENT; i++) {
		key = KTAP_VALUE_INT(i);
		v = stress_make_text(&text, COMMON, i, 0);
		KUNIT_ASSERT_EQ(s->test, 0, ktap_table_set(s->vm, s->order, &key, &v));
	}
	v = stress_make_text(&text, COMMON, 0, 0);
	KUNIT_ASSERT_EQ(s->test, 0, ktap_global_set(s->vm, GLOBAL_TEXT, &v));
}

static struct stress *new_stress(struct kunit *test, const stress_operation *operations, u32 n)
{
	struct stress *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->test = test;
	s->operations = operations;
	s->noperations = n;
	s->vm = vm_at_work(test);
	s->available = s->vm->env->heap.available;
	s->sums = new_table(s);
	s->steady_sums = new_steady_table(s);
	s->own = new_table(s);
	s->texts = new_table(s);
	s->grown = new_table(s);
	s->order = new_table(s);
	s->cleared = new_table(s);
	s->objects = new_table(s);
	s->stats = new_table(s);
	s->count = new_agg(s, &ktap_agg_count);
	s->hist = new_agg(s, &ktap_agg_hist);
	s->emptied = new_agg(s, &ktap_agg_hist);
	s->keyed = new_agg(s, &ktap_agg_stats);
	s->single = ktap_agg_make(s->vm, &ktap_agg_hist);
	KUNIT_ASSERT_NOT_NULL(test, s->single);
	init_permanent(s);
	init_workers(s);
	return s;
}

/* Work of the test's own thread during the rounds */

/* Each permanent entry is seen once, in order. */
static void go_through_the_order(struct stress *s)
{
	struct ktap_value *r = s->vm->stack;
	struct ktap_iter it = { };
	u32 seen = 0;

	r[R_LAST] = KTAP_VALUE_NIL;
	while (stress_next_of_the_order(s, s->vm, &it)) {
		r[R_LAST] = r[R_KEY];
		if (r[R_KEY].u >= PERMANENT)
			continue;
		KUNIT_EXPECT_EQ(s->test, r[R_KEY].u, seen);
		KUNIT_EXPECT_TRUE(s->test, stress_is_text(&r[R_VALUE], r[R_KEY].u));
		seen++;
	}
	KUNIT_EXPECT_EQ(s->test, seen, PERMANENT);
}

static void sort_the_order(struct stress *s)
{
	struct ktap_sorted sorted;
	u32 i, seen = 0;

	KUNIT_EXPECT_EQ(s->test, 0, ktap_table_sort(s->vm, s->order, KTAP_BY_KEY, &sorted));
	for (i = 0; i < sorted.n && sorted.entries[i].key.u < PERMANENT; i++) {
		KUNIT_EXPECT_EQ(s->test, sorted.entries[i].key.u, seen);
		KUNIT_EXPECT_TRUE(s->test, stress_is_text(&sorted.entries[i].value, seen));
		seen++;
	}
	KUNIT_EXPECT_EQ(s->test, seen, PERMANENT);
	ktap_sorted_free(&sorted);
}

static long busy(const struct stress *s)
{
	return atomic_long_read(&s->vm->env->counters.nmi_busy);
}

/* Return false and count it if the result was inconsistent. */
static bool read_total(struct stress *s, const struct ktap_agg *agg, struct ktap_total *total)
{
	long before = busy(s);

	ktap_agg_read(s->vm->env, agg, total);
	s->torn += busy(s) - before;
	return busy(s) == before;
}

static void read_aggregations(struct stress *s)
{
	const struct ktap_agg *aggs[] = { s->count, s->hist, s->emptied, s->single };
	struct ktap_total total;
	u32 i;

	/* Numbers are from 0 to 999. */
	for (i = 0; i < ARRAY_SIZE(aggs); i++) {
		if (!read_total(s, aggs[i], &total))
			continue;
		KUNIT_EXPECT_LE(s->test, total.sum.lo, total.count * 999);
		KUNIT_EXPECT_LE(s->test, total.min, total.max);
		KUNIT_EXPECT_LE(s->test, total.max, 999);
	}
}

/* Workers only add to it. */
static void read_the_sum(struct stress *s)
{
	struct ktap_value *result = &s->vm->stack[R_RESULT];
	u64 before = s->seen;

	KUNIT_EXPECT_EQ(s->test, 0, ktap_global_get(s->vm, GLOBAL_PER_CPU, result));
	s->seen = result->tag == KTAP_INT ? result->u : 0;
	KUNIT_EXPECT_GE(s->test, s->seen, before);
}

static void look_on(struct stress *s)
{
	do {
		s->vm->budget = U64_MAX;
		go_through_the_order(s);
		sort_the_order(s);
		read_aggregations(s);
		read_the_sum(s);
		ktap_table_clear(s->vm, s->cleared);
		ktap_objects_reap(s->vm->env);
		cond_resched();
	} while (!all_done(s));
}

/* The end */

static u64 sum_of(struct stress *s, struct ktap_table *t, u32 writer, u32 n)
{
	struct ktap_value *r = s->vm->stack, key;
	char buf[KEY_ROOM];

	key = stress_key_of(buf, sizeof(buf), writer, n);
	KUNIT_EXPECT_EQ(s->test, 0, ktap_table_get(s->vm, t, &key, &r[R_RESULT]));
	return r[R_RESULT].tag == KTAP_INT ? r[R_RESULT].u : 0;
}

static void expect_entries(struct stress *s)
{
	struct stress_worker *w;
	u64 added;
	u32 i, n;

	for (n = 0; n < SHARED_KEYS; n++) {
		added = 0;
		for (i = 0; i < s->nworkers; i++)
			added += s->workers[i].added[n];
		KUNIT_EXPECT_EQ(s->test, sum_of(s, s->sums, COMMON, n), added);
		KUNIT_EXPECT_EQ(s->test, sum_of(s, s->steady_sums, COMMON, n), added);
	}
	for (i = 0; i < s->nworkers; i++) {
		w = &s->workers[i];
		for (n = 0; n < OWN_KEYS; n++)
			KUNIT_EXPECT_EQ(s->test, sum_of(s, s->own, w->id, n), w->own[n]);
	}
}

static void expect_grown(struct stress *s)
{
	u32 i, n, there = 0;
	struct stress_worker *w;

	for (i = 0; i < s->nworkers; i++) {
		w = &s->workers[i];
		for (n = 0; n < w->inserted; n++)
			KUNIT_EXPECT_EQ(s->test, sum_of(s, s->grown, w->id, n), n);
		there += w->inserted;
	}
	KUNIT_EXPECT_EQ(s->test, ktap_table_len(s->grown), there);
}

static void expect_texts(struct stress *s)
{
	struct ktap_value *result = &s->vm->stack[R_RESULT], key;
	u32 i, n, there = 0;
	struct stress_worker *w;
	char buf[KEY_ROOM];

	for (i = 0; i < s->nworkers; i++) {
		w = &s->workers[i];
		for (n = 0; n < OWN_KEYS; n++) {
			key = stress_key_of(buf, sizeof(buf), w->id, n);
			ktap_table_get(s->vm, s->texts, &key, result);
			there += !!w->version[n];
			KUNIT_EXPECT_TRUE(s->test, w->version[n] ?
					  stress_is_version(result, w->id, n, w->version[n]) :
					  result->tag == KTAP_NIL);
		}
	}
	KUNIT_EXPECT_EQ(s->test, ktap_table_len(s->texts), there);
}

static void expect_total(struct stress *s, const struct ktap_agg *agg, u64 sum)
{
	u32 i, n = ktap_agg_shape(agg)->nbuckets;
	struct ktap_total total;
	u64 *buckets, count = 0;

	ktap_agg_read(s->vm->env, agg, &total);
	KUNIT_EXPECT_EQ(s->test, total.sum.lo, sum);
	if (!n)
		return;
	buckets = kunit_kzalloc(s->test, n * sizeof(*buckets), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(s->test, buckets);
	KUNIT_EXPECT_EQ(s->test, 0, ktap_agg_read_buckets(s->vm, agg, buckets));
	for (i = 0; i < n; i++)
		count += buckets[i];
	KUNIT_EXPECT_EQ(s->test, count, total.count);
}

/* Return the sum of the aggregations in @t. */
static u64 sum_by_key(struct stress *s, struct ktap_table *t)
{
	struct ktap_value *result = &s->vm->stack[R_RESULT], key;
	struct ktap_total total;
	u64 sum = 0;
	u32 i;

	for (i = 0; t && i < KINDS; i++) {
		key = KTAP_VALUE_INT(i);
		ktap_table_get(s->vm, t, &key, result);
		if (result->tag != KTAP_AGG)
			continue;
		ktap_agg_read(s->vm->env, result->agg, &total);
		sum += total.sum.lo;
	}
	return sum;
}

static void expect_numbers(struct stress *s)
{
	struct ktap_value *result = &s->vm->stack[R_RESULT];
	u64 sum = 0;
	u32 i;

	for (i = 0; i < s->nworkers; i++)
		sum += s->workers[i].sum;
	expect_total(s, s->count, sum);
	expect_total(s, s->hist, sum);
	expect_total(s, s->single, sum);
	KUNIT_EXPECT_EQ(s->test, sum_by_key(s, s->stats), sum);
	KUNIT_EXPECT_EQ(s->test, sum_by_key(s, ktap_agg_keyed(s->keyed)), sum);
	KUNIT_EXPECT_EQ(s->test, 0, ktap_global_get(s->vm, GLOBAL_SUM, result));
	KUNIT_EXPECT_EQ(s->test, result->tag == KTAP_INT ? result->u : 0, sum);
	read_the_sum(s);
	KUNIT_EXPECT_EQ(s->test, s->seen, sum);
}

/* All operations were done, and no memory is in use after them. */
static void expect_nothing_lost(struct stress *s)
{
	struct ktap_env *env = s->vm->env;
	struct ktap_value nil = KTAP_VALUE_NIL;

	KUNIT_EXPECT_EQ(s->test, atomic_long_read(&env->counters.full_table), 0);
	KUNIT_EXPECT_EQ(s->test, atomic_long_read(&env->counters.no_memory), 0);
	KUNIT_EXPECT_EQ(s->test, busy(s), s->torn);

	ktap_global_set(s->vm, GLOBAL_TEXT, &nil);
	KUNIT_EXPECT_TRUE(s->test, ktap_agg_free(env, s->single, NULL));
	ktap_objects_end_run(s->vm);
	/* The objects that held others are freed; now free these. */
	ktap_objects_reap(env);
	KUNIT_EXPECT_EQ(s->test, env->heap.available, s->available);
}

static void run(struct kunit *test, const stress_operation *operations, u32 n)
{
	struct stress *s = new_stress(test, operations, n);

	start(s);
	look_on(s);
	stop(s);
	expect_entries(s);
	expect_grown(s);
	expect_texts(s);
	expect_numbers(s);
	expect_nothing_lost(s);
}

static const stress_operation all_operations[] = {
	stress_add_to_a_shared_entry,
	stress_add_to_an_own_entry,
	stress_change_an_own_text,
	stress_read_a_text_of_another,
	stress_add_a_number,
	stress_change_the_global_text,
	stress_change_the_kind_of_a_global,
	stress_insert_for_good,
	stress_disturb_the_order,
	stress_look_around,
	stress_fill_what_is_cleared,
	stress_add_to_what_is_emptied,
	stress_replace_an_object,
};

static void all_at_once(struct kunit *test)
{
	run(test, all_operations, ARRAY_SIZE(all_operations));
}

/* Each operation alone: it runs faster, and a failure has a name. */
#define ALONE(op)								\
	static void only_##op(struct kunit *test)				\
	{									\
		static const stress_operation operations[] = { stress_##op };	\
										\
		run(test, operations, 1);					\
	}

ALONE(add_to_a_shared_entry)
ALONE(add_to_an_own_entry)
ALONE(change_an_own_text)
ALONE(add_a_number)
ALONE(change_the_global_text)
ALONE(change_the_kind_of_a_global)
ALONE(insert_for_good)
ALONE(disturb_the_order)
ALONE(fill_what_is_cleared)
ALONE(add_to_what_is_emptied)
ALONE(replace_an_object)

/* Memory of deleted entries is reused: the heap does not grow. */

#define LIVE	1000		/* entries */
#define PERIOD	(3 * LIVE)	/* then keys and values have the same lengths again */

static struct ktap_value churn_key(char *buf, size_t size, u32 n)
{
	if (n % 2)
		return KTAP_VALUE_INT(n);
	return KTAP_VALUE_STR(buf, scnprintf(buf, size, "%010u%.*s", n, n % LIVE % 40,
					     "........................................"));
}

static void insert_and_delete(struct ktap_vm *vm, struct ktap_table *t, u32 n)
{
	struct ktap_value key, v;
	char buf[64];

	key = churn_key(buf, sizeof(buf), n);
	v = n % 3 ? KTAP_VALUE_INT(n) : key;
	ktap_table_set(vm, t, &key, &v);
	if (n < LIVE)
		return;
	key = churn_key(buf, sizeof(buf), n - LIVE);
	v = KTAP_VALUE_NIL;
	ktap_table_set(vm, t, &key, &v);
}

static void churn_takes_no_memory(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test);
	struct ktap_heap *heap = &vm->env->heap;
	struct ktap_value *v = &vm->stack[vm->top++];
	size_t available, bytes;
	u32 n = 0;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, LIVE + 1, v));
	KUNIT_ASSERT_EQ(test, v->tag, KTAP_TABLE);
	for (; n < 2 * PERIOD; n++)
		insert_and_delete(vm, v->table, n);
	available = heap->available;
	bytes = heap->bytes;
	for (; n < churn || n % PERIOD; n++) {
		insert_and_delete(vm, v->table, n);
		if (!(n % 4096))
			cond_resched();
	}
	KUNIT_EXPECT_EQ(test, ktap_table_len(v->table), LIVE);
	KUNIT_EXPECT_EQ(test, heap->available, available);
	KUNIT_EXPECT_EQ(test, heap->bytes, bytes);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.full_table), 0);
	ktap_objects_end_run(vm);
}

static struct kunit_case stress_cases[] = {
	KUNIT_CASE(only_add_to_a_shared_entry),
	KUNIT_CASE(only_add_to_an_own_entry),
	KUNIT_CASE(only_change_an_own_text),
	KUNIT_CASE(only_add_a_number),
	KUNIT_CASE(only_change_the_global_text),
	KUNIT_CASE(only_change_the_kind_of_a_global),
	KUNIT_CASE(only_insert_for_good),
	KUNIT_CASE_SLOW(only_disturb_the_order),
	KUNIT_CASE_SLOW(only_fill_what_is_cleared),
	KUNIT_CASE(only_add_to_what_is_emptied),
	KUNIT_CASE(only_replace_an_object),
	KUNIT_CASE_SLOW(all_at_once),
	KUNIT_CASE_SLOW(churn_takes_no_memory),
	{}
};

static struct kunit_suite stress_suite = {
	.name = "ktap_stress",
	.test_cases = stress_cases,
};

kunit_test_suite(stress_suite);
