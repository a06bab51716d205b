// SPDX-License-Identifier: GPL-2.0
/*
 * Speculative output.
 */
#include <linux/string.h>

#include "data/lock.h"
#include "output/put.h"
#include "output/speculation.h"
#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/env.h"

#define EVENT	KTAP_LEVEL_TASK

static struct ktap_vm *vm_at_work(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 8);
	test_insn(c, KTAP_OP_CALLB, 0, 0, 0, KTAP_FN_SPECULATION);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	vm->top = 8;
	vm->budget = U32_MAX;
	return vm;
}

/* 0: no speculation was free. */
static s64 begin(struct kunit *test, struct ktap_vm *vm)
{
	struct ktap_value r;

	KUNIT_EXPECT_EQ(test, 0, ktap_fn_speculation(vm, &r, 0));
	return r.tag == KTAP_INT ? r.i : 0;
}

static void discard(struct ktap_vm *vm, s64 id)
{
	struct ktap_value r = KTAP_VALUE_INT(id);

	ktap_fn_discard(vm, &r, 1);
}

static void speculate(struct ktap_vm *vm, s64 id)
{
	struct ktap_value r = KTAP_VALUE_INT(id);

	ktap_fn_speculate(vm, &r, 1);
}

static bool put(struct ktap_vm *vm, size_t size)
{
	void *rec = ktap_put_reserve(vm, size);

	if (!rec)
		return false;
	memset(rec, 0, size);
	ktap_put_commit(vm, rec);
	return true;
}

static void speculation_ids_are_not_reused(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test);
	s64 id, last = 0;
	int i;

	for (i = 0; i < 1000; i++) {
		id = begin(test, vm);
		KUNIT_EXPECT_GT(test, id, last);
		last = id;
		discard(vm, id);
		/* The speculation has ended: this does nothing. */
		discard(vm, id);
	}
	KUNIT_EXPECT_EQ(test, 0, ktap_speculations_open(vm->env));
}

static void open_speculations_are_limited(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test);
	s64 id[KTAP_SPECULATIONS];
	int i;

	for (i = 0; i < KTAP_SPECULATIONS; i++) {
		id[i] = begin(test, vm);
		KUNIT_EXPECT_GT(test, id[i], 0);
	}
	KUNIT_EXPECT_EQ(test, begin(test, vm), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_speculation), 1);
	KUNIT_EXPECT_EQ(test, KTAP_SPECULATIONS, ktap_speculations_open(vm->env));

	discard(vm, id[5]);
	KUNIT_EXPECT_EQ(test, id[5] + KTAP_SPECULATIONS, begin(test, vm));
}

static void speculative_output_beyond_the_limit_is_counted(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test);
	s64 id = begin(test, vm), other = begin(test, vm);
	unsigned int n = 0;

	speculate(vm, id);
	while (n < 100000 && put(vm, 64))
		n++;
	KUNIT_EXPECT_GE(test, n, KTAP_SPECULATION_MIN / 64);
	KUNIT_EXPECT_LE(test, n, KTAP_SPECULATION_MAX / 64);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.speculative), 1);
	/* Other speculations have their own memory. */
	speculate(vm, other);
	KUNIT_EXPECT_TRUE(test, put(vm, 64));

	discard(vm, id);
	speculate(vm, begin(test, vm));
	while (n && put(vm, 64))
		n--;
	KUNIT_EXPECT_EQ(test, n, 0);
	KUNIT_EXPECT_FALSE(test, put(vm, 64));
}

static void output_to_an_ended_speculation_is_dropped(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test), *vm2 = test_vm_of(test, vm->env, EVENT);
	static const s64 wrong[] = { 0, -1, -16, 17, 1LL << 40, S64_MAX, S64_MIN };
	s64 id = begin(test, vm);
	int i;

	/* Another run ends it: this run still speculates. */
	speculate(vm, id);
	discard(vm2, id);
	KUNIT_EXPECT_FALSE(test, put(vm, 64));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		speculate(vm, wrong[i]);
		KUNIT_EXPECT_EQ_MSG(test, 0, put(vm, 64), "%lld", wrong[i]);
	}
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.speculative),
			1 + ARRAY_SIZE(wrong));
}

static void ending_a_speculation_ends_speculating(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test);
	s64 id = begin(test, vm), other = begin(test, vm);

	speculate(vm, id);
	discard(vm, other);
	KUNIT_EXPECT_EQ(test, vm->speculation, id);
	discard(vm, id);
	KUNIT_EXPECT_EQ(test, vm->speculation, 0);
}

static void speculating_inside_a_lock_writes_nothing(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test);
	s64 id = begin(test, vm), other;
	struct ktap_lock lock;
	unsigned long flags;
	bool written;

	speculate(vm, id);
	ktap_lock_init(&lock);
	KUNIT_ASSERT_TRUE(test, ktap_lock(&lock, &flags));
	written = put(vm, 64);
	other = begin(test, vm);
	ktap_unlock(&lock, flags);
	KUNIT_EXPECT_FALSE(test, written);
	KUNIT_EXPECT_EQ(test, other, 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.nmi_busy), 1);
	KUNIT_EXPECT_TRUE(test, put(vm, 64));
}

/* The records are of other events: the error of the run that commits does not tell of them. */
static void records_that_are_not_committed_are_counted(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test);
	s64 id = begin(test, vm);
	struct ktap_value r = KTAP_VALUE_INT(id);
	int i;

	speculate(vm, id);
	for (i = 0; i < 30; i++)
		KUNIT_EXPECT_TRUE(test, put(vm, 64));
	vm->budget = 1;
	vm->rest = 0;
	KUNIT_EXPECT_EQ(test, -ETIME, ktap_fn_commit(vm, &r, 1));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.speculative), 30);
	KUNIT_EXPECT_EQ(test, ktap_speculations_open(vm->env), 0);
}

static struct kunit_case speculation_cases[] = {
	KUNIT_CASE(speculation_ids_are_not_reused),
	KUNIT_CASE(open_speculations_are_limited),
	KUNIT_CASE(speculative_output_beyond_the_limit_is_counted),
	KUNIT_CASE(output_to_an_ended_speculation_is_dropped),
	KUNIT_CASE(ending_a_speculation_ends_speculating),
	KUNIT_CASE(speculating_inside_a_lock_writes_nothing),
	KUNIT_CASE(records_that_are_not_committed_are_counted),
	{}
};

static struct kunit_suite speculation_suite = {
	.name = "ktap_speculation",
	.test_cases = speculation_cases,
};

kunit_test_suite(speculation_suite);
