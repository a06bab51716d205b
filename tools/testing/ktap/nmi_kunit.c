// SPDX-License-Identifier: GPL-2.0
/*
 * NMIs during updates: operations that are impossible then are counted, all others are
 * done. Only in user space can a test choose the points of NMIs.
 */
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/agg.h"
#include "data/object.h"
#include "data/table.h"
#include "tests/build.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/vm.h"

#define THREADS		3
#define ROUNDS		3000
#define KEYS		20
#define NR_REGS		8
#define EVERY		7	/* points an NMI */

/**
 * struct shared - data that all threads update
 * @t: a table
 * @sharded: an aggregation with a shard for each CPU, and for NMI
 * @single: one with a lock
 */
struct shared {
	struct ktap_table *t;
	struct ktap_agg *sharded;
	struct ktap_agg *single;
};

/* A thread, and the NMI that interrupts it. */
struct thread {
	struct shared *shared;
	struct ktap_vm *vm;
	struct ktap_vm *nmi_vm;
	struct task_struct *task;
	u64 rounds;
	u64 nmis;
	bool done;
};

static void update(struct shared *shared, struct ktap_vm *vm, u64 n)
{
	struct ktap_value one = KTAP_VALUE_INT(1), key = KTAP_VALUE_INT(n % KEYS);

	vm->budget = U64_MAX;
	ktap_table_add(vm, shared->t, &key, &one);
	ktap_agg_add(vm, shared->sharded, 1);
	ktap_agg_add(vm, shared->single, 1);
	ktap_global_add(vm, 0, &one);
}

/* A failure in an NMI must not use the text, or a part of it, as its own. */
static void change_text(struct shared *shared, struct ktap_vm *vm, u64 n)
{
	struct ktap_value key = KTAP_VALUE_INT(KEYS + n % KEYS);
	struct ktap_value v = KTAP_VALUE_STR("a text of some length", n % 22);

	ktap_table_set(vm, shared->t, &key, n % 3 ? &v : &KTAP_VALUE_NIL);
}

static void nmi(void *arg)
{
	struct thread *thread = arg;

	update(thread->shared, thread->nmi_vm, thread->nmis++);
	ktap_objects_end_run(thread->nmi_vm);
}

static int work(void *data)
{
	struct thread *thread = data;

	shim_set_nmi(nmi, thread, EVERY);
	for (; thread->rounds < ROUNDS; thread->rounds++) {
		preempt_disable();
		update(thread->shared, thread->vm, thread->rounds);
		change_text(thread->shared, thread->vm, thread->rounds);
		ktap_objects_end_run(thread->vm);
		preempt_enable();
	}
	shim_set_nmi(NULL, NULL, 0);
	WRITE_ONCE(thread->done, true);
	while (!kthread_should_stop())
		cond_resched();
	return 0;
}

static struct ktap_vm *vm_at_work(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, NR_REGS);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	TEST_RET(c);
	test_global(c, "sum");
	vm = test_vm(test, test_load(c), KTAP_LEVEL_PROCESS);
	vm->top = NR_REGS;
	vm->budget = U64_MAX;
	memset(vm->stack, 0, vm->top * sizeof(*vm->stack));
	return vm;
}

static void init_thread(struct kunit *test, struct thread *thread, struct shared *shared,
			struct ktap_env *env)
{
	thread->shared = shared;
	thread->vm = test_vm_of(test, env, KTAP_LEVEL_TASK);
	thread->nmi_vm = test_vm_of(test, env, KTAP_LEVEL_NMI);
}

static u64 sum_of(struct kunit *test, struct ktap_vm *vm, struct ktap_table *t)
{
	struct ktap_value *r = vm->stack, key;
	u64 sum = 0;
	s64 i;

	for (i = 0; i < KEYS; i++) {
		key = KTAP_VALUE_INT(i);
		KUNIT_EXPECT_EQ(test, 0, ktap_table_get(vm, t, &key, &r[0]));
		KUNIT_EXPECT_EQ(test, r[0].tag, KTAP_INT);
		sum += r[0].u;
	}
	return sum;
}

static u64 count_of(struct ktap_vm *vm, const struct ktap_agg *agg)
{
	struct ktap_total total;

	ktap_agg_read(vm->env, agg, &total);
	return total.count;
}

static void an_nmi_is_done_or_counted(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test);
	struct ktap_value *r = vm->stack;
	struct thread threads[THREADS] = { };
	u64 tried = 0, nmis = 0, table, single;
	struct shared shared;
	long busy;
	int i;

	vm->top += 2;
	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &r[NR_REGS]));
	shared.t = r[NR_REGS].table;
	KUNIT_ASSERT_EQ(test, 0, ktap_agg_new(vm, &ktap_agg_stats, &r[NR_REGS + 1]));
	shared.sharded = r[NR_REGS + 1].agg;
	shared.single = ktap_agg_make(vm, &ktap_agg_stats);
	KUNIT_ASSERT_NOT_NULL(test, shared.single);
	for (i = 0; i < THREADS; i++)
		init_thread(test, &threads[i], &shared, vm->env);
	for (i = 0; i < THREADS; i++)
		threads[i].task = kthread_run(work, &threads[i], "ktap-test");
	for (i = 0; i < THREADS; i++) {
		while (!READ_ONCE(threads[i].done))
			cond_resched();
		kthread_stop(threads[i].task);
		nmis += threads[i].nmis;
		tried += threads[i].nmis + threads[i].rounds;
	}

	/* An NMI that interrupts a lock holder cannot take a lock. */
	KUNIT_EXPECT_EQ(test, count_of(vm, shared.sharded), tried);
	KUNIT_EXPECT_EQ(test, 0, ktap_global_get(vm, 0, &r[1]));
	busy = atomic_long_read(&vm->env->counters.nmi_busy);
	table = sum_of(test, vm, shared.t);
	single = count_of(vm, shared.single);
	KUNIT_EXPECT_EQ(test, table + single + r[1].u + busy, 3 * tried);
	KUNIT_EXPECT_EQ(test, table, single);
	KUNIT_EXPECT_EQ(test, table, r[1].u);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
	/* Both kinds occur. */
	KUNIT_EXPECT_GT(test, busy, 0);
	KUNIT_EXPECT_LT(test, busy, 3 * nmis);
	KUNIT_EXPECT_TRUE(test, ktap_agg_free(vm->env, shared.single, NULL));
	ktap_objects_end_run(vm);
}

static struct kunit_case nmi_cases[] = {
	KUNIT_CASE(an_nmi_is_done_or_counted),
	{}
};

static struct kunit_suite nmi_suite = {
	.name = "ktap_nmi",
	.test_cases = nmi_cases,
};

kunit_test_suite(nmi_suite);
