// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers of the thread and its process in namespaces of processes.
 */
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/env.h"
#include "vm/vm.h"

static const enum ktap_level levels[] = {
	KTAP_LEVEL_PROCESS, KTAP_LEVEL_TASK, KTAP_LEVEL_HARDIRQ, KTAP_LEVEL_NMI,
};

static void expect_numbers(struct kunit *test, struct pid_namespace *ns, s64 pid, s64 tid)
{
	const s64 wanted[] = { pid, tid };
	struct test_chunk *c = test_chunk(test);
	struct ktap_program *prog;
	struct ktap_value number;
	struct ktap_vm *vm;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		test_func(c, "f", 0, 1);
		test_insn(c, KTAP_OP_CALLB, 0, 0, 0, KTAP_FN_NS_PID + i);
		test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	}
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 1));
	TEST_RET(c);
	prog = test_load(c);
	for (i = 0; i < ARRAY_SIZE(levels) * ARRAY_SIZE(wanted); i++) {
		vm = test_vm(test, prog, levels[i / ARRAY_SIZE(wanted)]);
		vm->env->pid_ns = ns;
		KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, i % ARRAY_SIZE(wanted), NULL, 0, &number));
		KUNIT_EXPECT_EQ(test, KTAP_INT, number.tag);
		KUNIT_EXPECT_EQ(test, wanted[i % ARRAY_SIZE(wanted)], number.i);
	}
}

static void the_first_namespace_has_the_usual_numbers(struct kunit *test)
{
	expect_numbers(test, &init_pid_ns, current->tgid, current->pid);
	expect_numbers(test, NULL, current->tgid, current->pid);
}

/* The thread is in no inner namespace, and in no other one of the same level. */
static void other_namespaces_have_none(struct kunit *test)
{
	struct pid_namespace *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, other);
	expect_numbers(test, other, 0, 0);
	other->level = 1;
	expect_numbers(test, other, 0, 0);
}

static struct kunit_case ns_pid_cases[] = {
	KUNIT_CASE(the_first_namespace_has_the_usual_numbers),
	KUNIT_CASE(other_namespaces_have_none),
	{}
};

static struct kunit_suite ns_pid_suite = {
	.name = "ktap_ns_pid",
	.test_cases = ns_pid_cases,
};

kunit_test_suite(ns_pid_suite);
