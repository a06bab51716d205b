// SPDX-License-Identifier: GPL-2.0
/*
 * Fields of threads.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "data/object.h"
#include "tests/build.h"
#include "vm/env.h"
#include "vm/ops.h"
#include "vm/task_fields.h"
#include "vm/vm.h"

#define EVENT	KTAP_LEVEL_TASK

/* String constants that are names of fields. */
struct names {
	u32 x;
	u32 y;
};

static struct ktap_vm *vm_at_work(struct kunit *test, struct names *names)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 8);
	names->y = test_string(c, "y");
	names->x = test_string(c, "x");
	test_insn(c, KTAP_OP_NIL, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_SETSELF, 0, 0, 0, names->x);
	test_insn(c, KTAP_OP_GETSELF, 0, 0, 0, names->y);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	vm->top = 8;
	vm->budget = U32_MAX;
	return vm;
}

static struct ktap_thread thread(unsigned long id)
{
	return (struct ktap_thread){ .id = (void *)id };
}

static void write_int(struct ktap_vm *vm, struct ktap_thread thread, u32 name, s64 i)
{
	struct ktap_value v = KTAP_VALUE_INT(i);

	ktap_self_write(vm, thread, name, &v, false);
}

static void write_nil(struct ktap_vm *vm, struct ktap_thread thread, u32 name)
{
	struct ktap_value v = KTAP_VALUE_NIL;

	ktap_self_write(vm, thread, name, &v, false);
}

static struct ktap_value get(struct ktap_vm *vm, struct ktap_thread thread, u32 name)
{
	ktap_self_read(vm, thread, name, &vm->stack[7]);
	return vm->stack[7];
}

static void fields_are_of_the_current_thread(struct kunit *test)
{
	struct names names;
	struct ktap_vm *vm = vm_at_work(test, &names);
	size_t available = vm->env->heap.available;
	struct ktap_value *r = vm->stack;
	char text[] = "text";

	KUNIT_EXPECT_EQ(test, 0, ktap_self_get(vm, names.x, &r[0]));
	KUNIT_EXPECT_EQ(test, r[0].tag, KTAP_NIL);
	r[0] = KTAP_VALUE_STR(text, 4);
	KUNIT_EXPECT_EQ(test, 0, ktap_self_set(vm, names.x, &r[0]));
	/* It owns a copy. */
	memset(text, 'x', 4);
	KUNIT_EXPECT_EQ(test, 0, ktap_self_get(vm, names.x, &r[1]));
	KUNIT_EXPECT_EQ(test, r[1].tag, KTAP_STR);
	KUNIT_EXPECT_EQ(test, 0, memcmp(r[1].blob, "text", 4));
	KUNIT_EXPECT_EQ(test, 0, ktap_self_get(vm, names.y, &r[2]));
	KUNIT_EXPECT_EQ(test, r[2].tag, KTAP_NIL);
	/* Another thread, which has another address, has no fields. */
	KUNIT_EXPECT_EQ(test, get(vm, thread(1), names.x).tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, 0, memcmp(r[1].blob, "text", 4));

	ktap_self_end(vm->env, ktap_current_thread().id);
	KUNIT_EXPECT_EQ(test, 0, ktap_self_get(vm, names.x, &r[0]));
	KUNIT_EXPECT_EQ(test, r[0].tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

static void adding_to_a_missing_field_starts_at_0(struct kunit *test)
{
	struct names names;
	struct ktap_vm *vm = vm_at_work(test, &names);
	struct ktap_value *r = vm->stack;

	r[0] = KTAP_VALUE_INT(5);
	KUNIT_EXPECT_EQ(test, 0, ktap_self_add(vm, names.y, &r[0]));
	KUNIT_EXPECT_EQ(test, 0, ktap_self_add(vm, names.y, &r[0]));
	r[0] = KTAP_VALUE_NIL;
	KUNIT_EXPECT_EQ(test, 0, ktap_self_add(vm, names.y, &r[0]));
	KUNIT_EXPECT_EQ(test, 0, ktap_self_get(vm, names.y, &r[1]));
	test_expect_int(test, 10, r[1]);

	r[0] = KTAP_VALUE_BOOL(true);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_self_add(vm, names.y, &r[0]));
	KUNIT_EXPECT_STREQ(test, vm->message, "arithmetic on a boolean");
	vm->error = 0;
	KUNIT_EXPECT_EQ(test, 0, ktap_self_set(vm, names.y, &r[0]));
	r[0] = KTAP_VALUE_INT(5);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_self_add(vm, names.y, &r[0]));
	KUNIT_EXPECT_STREQ(test, vm->message, "arithmetic on a boolean");
}

static void expect_own_fields(struct kunit *test, struct ktap_vm *vm, struct names names)
{
	unsigned long i;

	for (i = 1; i <= 1000; i++) {
		write_int(vm, thread(i * 64), names.x, i);
		write_int(vm, thread(i * 64), names.y, -(s64)i);
	}
	for (i = 1; i <= 1000; i++) {
		test_expect_int(test, i, get(vm, thread(i * 64), names.x));
		test_expect_int(test, -(s64)i, get(vm, thread(i * 64), names.y));
	}
	for (i = 1; i <= 1000; i += 2)
		ktap_self_end(vm->env, thread(i * 64).id);
	for (i = 1; i <= 1000; i++) {
		if (i % 2)
			KUNIT_EXPECT_EQ(test, get(vm, thread(i * 64), names.x).tag, KTAP_NIL);
		else
			test_expect_int(test, i, get(vm, thread(i * 64), names.x));
	}
	for (i = 2; i <= 1000; i += 2)
		ktap_self_end(vm->env, thread(i * 64).id);
}

static void threads_have_fields_of_their_own(struct kunit *test)
{
	struct names names;
	struct ktap_vm *vm = vm_at_work(test, &names);
	size_t available;

	expect_own_fields(test, vm, names);
	/* Chains do not get shorter, but are used again. */
	available = vm->env->heap.available;
	expect_own_fields(test, vm, names);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

/* The next thread with this address has no fields, and nothing leaks. */
static void an_exiting_thread_gets_no_new_fields(struct kunit *test)
{
	struct names names;
	struct ktap_vm *vm = vm_at_work(test, &names);
	struct ktap_thread t = thread(64);
	size_t available = vm->env->heap.available;

	write_int(vm, t, names.x, 1);
	t.ends = true;
	/* Existing fields remain until then, and can be changed. */
	write_int(vm, t, names.x, 2);
	write_int(vm, t, names.y, 3);
	test_expect_int(test, 2, get(vm, t, names.x));
	test_expect_int(test, 3, get(vm, t, names.y));
	ktap_self_end(vm->env, t.id);
	write_int(vm, t, names.x, 4);
	t.ends = false;
	KUNIT_EXPECT_EQ(test, get(vm, t, names.x).tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.full_threads), 0);
}

static void nil_takes_no_memory(struct kunit *test)
{
	struct names names;
	struct ktap_vm *vm = vm_at_work(test, &names);
	size_t available = vm->env->heap.available;

	write_nil(vm, thread(64), names.x);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

/* More threads than there is room for: threads that have deleted all fields make room. */
static void too_many_threads_are_counted(struct kunit *test)
{
	const unsigned long n = 2 * KTAP_SELF_BUCKETS * KTAP_SELF_CHAIN;
	unsigned long i, kept = 0, lost;
	struct names names;
	struct ktap_vm *vm = vm_at_work(test, &names);

	vm->level = KTAP_LEVEL_PROCESS;
	vm->env->heap.max = 64 << 20;
	for (i = 1; i <= n; i++)
		write_int(vm, thread(i * 64), names.x, i);
	lost = atomic_long_read(&vm->env->counters.full_threads);
	for (i = 1; i <= n; i++)
		kept += get(vm, thread(i * 64), names.x).tag == KTAP_INT;
	KUNIT_EXPECT_EQ(test, kept + lost, n);
	KUNIT_EXPECT_LE(test, kept, n / 2);
	KUNIT_EXPECT_GT(test, kept, n / 4);

	for (i = 1; i <= n; i++)
		write_nil(vm, thread(i * 64), names.x);
	for (i = n + 1; i <= n + n / 4; i++)
		write_int(vm, thread(i * 64), names.x, i);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.full_threads), lost);
	for (i = n + 1; i <= n + n / 4; i++)
		test_expect_int(test, i, get(vm, thread(i * 64), names.x));
}

static void no_memory_is_counted(struct kunit *test)
{
	struct names names;
	struct ktap_vm *vm = vm_at_work(test, &names);

	while (ktap_heap_alloc(&vm->env->heap, 16))
		;
	write_int(vm, thread(64), names.x, 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 1);
	KUNIT_EXPECT_EQ(test, get(vm, thread(64), names.x).tag, KTAP_NIL);
}

static void interrupting_a_lock_holder_gives_up(struct kunit *test)
{
	struct names names;
	struct ktap_vm *vm = vm_at_work(test, &names);
	struct ktap_value *r = vm->stack, x, y;
	struct ktap_lock lock;
	unsigned long flags;

	write_int(vm, thread(64), names.x, 1);
	r[0] = KTAP_VALUE_STR("text", 4);
	KUNIT_EXPECT_EQ(test, 0, ktap_self_set(vm, names.y, &r[0]));
	ktap_lock_init(&lock);
	KUNIT_ASSERT_TRUE(test, ktap_lock(&lock, &flags));
	write_int(vm, thread(64), names.x, 2);
	/* Only the memory of a blob may be changing. */
	x = get(vm, thread(64), names.x);
	KUNIT_EXPECT_EQ(test, 0, ktap_self_get(vm, names.y, &r[1]));
	y = r[1];
	ktap_unlock(&lock, flags);
	test_expect_int(test, 1, x);
	KUNIT_EXPECT_EQ(test, y.tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.nmi_busy), 2);
	test_expect_int(test, 1, get(vm, thread(64), names.x));
	KUNIT_EXPECT_EQ(test, 0, ktap_self_get(vm, names.y, &r[1]));
	KUNIT_EXPECT_EQ(test, r[1].tag, KTAP_STR);
}

/* Each type replaces each other one, and nothing leaks. */
static void a_field_takes_any_type(struct kunit *test)
{
	struct names names;
	struct ktap_vm *vm = vm_at_work(test, &names);
	size_t available = vm->env->heap.available;
	struct ktap_value *r = vm->stack, values[] = {
		KTAP_VALUE_INT(-1), KTAP_VALUE_STR("text", 4), KTAP_VALUE_NIL,
		KTAP_VALUE_BOOL(true), KTAP_VALUE_STR("other text", 10),
		KTAP_VALUE_TYPED(1, 2), KTAP_VALUE_NIL,
	};
	int i, j;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &r[6]));
	values[ARRAY_SIZE(values) - 1] = r[6];
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			r[0] = values[i];
			KUNIT_EXPECT_EQ(test, 0, ktap_self_set(vm, names.x, &r[0]));
			r[0] = values[j];
			KUNIT_EXPECT_EQ(test, 0, ktap_self_set(vm, names.x, &r[0]));
			KUNIT_EXPECT_EQ(test, 0, ktap_self_get(vm, names.x, &r[1]));
			KUNIT_EXPECT_TRUE(test, ktap_equal(&values[j], &r[1]));
			KUNIT_EXPECT_EQ(test, values[j].len, r[1].len);
		}
	}
	ktap_self_end(vm->env, ktap_current_thread().id);
	r[6] = KTAP_VALUE_NIL;
	ktap_objects_end_run(vm);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

/* For concurrent threads, each of which acts as many.  KUnit ends a test after five minutes. */
#define THREADS	((IS_ENABLED(CONFIG_KCSAN) ? 2 : 4) * KTAP_SELF_BUCKETS * KTAP_SELF_KEPT)
#define CPUS	3

struct field_user {
	struct ktap_vm vm;
	struct ktap_value stack[8];
	struct names names;
	struct task_struct *task;
	unsigned long first;
	unsigned long wrong;
	bool done;
};

/* Set, check and end; threads of other CPUs use the same chains. */
static int use_fields(void *data)
{
	struct field_user *u = data;
	unsigned long i;

	for (i = u->first; i < THREADS; i += CPUS) {
		preempt_disable();
		write_int(&u->vm, thread(i * 64), u->names.x, i);
		/* Half of the threads keep it. */
		if (i % 2) {
			write_int(&u->vm, thread(i * 64), u->names.y, i);
			write_nil(&u->vm, thread(i * 64), u->names.x);
			u->wrong += get(&u->vm, thread(i * 64), u->names.y).i != i;
			write_nil(&u->vm, thread(i * 64), u->names.y);
			u->wrong += get(&u->vm, thread(i * 64), u->names.y).tag != KTAP_NIL;
			ktap_self_end(u->vm.env, thread(i * 64).id);
		}
		preempt_enable();
	}
	for (i = u->first; i < THREADS; i += CPUS) {
		preempt_disable();
		if (i % 2)
			u->wrong += get(&u->vm, thread(i * 64), u->names.x).tag != KTAP_NIL;
		else
			u->wrong += get(&u->vm, thread(i * 64), u->names.x).i != i;
		ktap_self_end(u->vm.env, thread(i * 64).id);
		preempt_enable();
	}
	WRITE_ONCE(u->done, true);
	while (!kthread_should_stop())
		cond_resched();
	return 0;
}

static void threads_share_chains_at_once(struct kunit *test)
{
	struct field_user *users = kunit_kzalloc(test, CPUS * sizeof(*users), GFP_KERNEL);
	struct names names;
	struct ktap_vm *vm = vm_at_work(test, &names);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, users);
	vm->env->heap.max = 64 << 20;
	vm->level = KTAP_LEVEL_PROCESS;
	vm->env->heap.goal = 8 << 20;
	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(&vm->env->heap));
	for (i = 0; i < CPUS; i++) {
		users[i].vm.env = vm->env;
		users[i].vm.level = EVENT;
		users[i].vm.stack = users[i].stack;
		users[i].vm.budget = U64_MAX;
		users[i].names = names;
		users[i].first = i + 1;
		users[i].task = kthread_run(use_fields, &users[i], "ktap-test");
		KUNIT_ASSERT_FALSE(test, IS_ERR(users[i].task));
	}
	for (i = 0; i < CPUS; i++) {
		while (!READ_ONCE(users[i].done))
			cond_resched();
		kthread_stop(users[i].task);
		KUNIT_EXPECT_EQ(test, users[i].wrong, 0);
	}
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.full_threads), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.nmi_busy), 0);
}

static void objects_in_fields_are_not_swept(struct kunit *test)
{
	struct names names;
	struct ktap_vm *vm = vm_at_work(test, &names);
	size_t available = vm->env->heap.available;
	struct ktap_value *r = vm->stack;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &r[0]));
	r[1] = KTAP_VALUE_INT(7);
	ktap_table_set(vm, r[0].table, &r[1], &r[1]);
	KUNIT_EXPECT_EQ(test, 0, ktap_self_write(vm, thread(64), names.x, &r[0], false));
	ktap_objects_end_run(vm);
	KUNIT_EXPECT_EQ(test, ktap_table_len(get(vm, thread(64), names.x).table), 1);
	ktap_self_end(vm->env, thread(64).id);
	ktap_objects_reap(vm->env);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

/* self.x = 5; self.x += 2; return self.x */
static void bytecode_reads_and_writes_fields(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_value result;
	struct ktap_vm *vm;
	u32 x;

	test_func(c, "main", 0, 2);
	x = test_string(c, "x");
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 5);
	test_insn(c, KTAP_OP_SETSELF, 0, 0, 0, x);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 2);
	test_insn(c, KTAP_OP_ADDSELF, 0, 0, 0, x);
	test_insn(c, KTAP_OP_GETSELF, 1, 0, 0, x);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &result));
	test_expect_int(test, 7, result);
}

static struct kunit_case self_cases[] = {
	KUNIT_CASE(fields_are_of_the_current_thread),
	KUNIT_CASE(adding_to_a_missing_field_starts_at_0),
	KUNIT_CASE(threads_have_fields_of_their_own),
	KUNIT_CASE(an_exiting_thread_gets_no_new_fields),
	KUNIT_CASE(nil_takes_no_memory),
	KUNIT_CASE(too_many_threads_are_counted),
	KUNIT_CASE(no_memory_is_counted),
	KUNIT_CASE(interrupting_a_lock_holder_gives_up),
	KUNIT_CASE(a_field_takes_any_type),
	KUNIT_CASE(threads_share_chains_at_once),
	KUNIT_CASE(objects_in_fields_are_not_swept),
	KUNIT_CASE(bytecode_reads_and_writes_fields),
	{}
};

static struct kunit_suite self_suite = {
	.name = "ktap_self",
	.test_cases = self_cases,
};

kunit_test_suite(self_suite);
