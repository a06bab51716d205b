// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of functions of the kernel.
 */
#include <linux/string.h>
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/env.h"
#include "vm/kernel_call.h"

/* f(R[0], ...): return NAME(R[0], ...).  The types of its arguments are not known. */
static struct test_chunk *kernel_call(struct kunit *test, const char *name, u8 nargs)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "f", nargs, 2);
	test_insn(c, KTAP_OP_CALLK, 0, nargs, 0, test_string(c, name));
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 1));
	TEST_RET(c);
	return c;
}

static s64 result_of(struct kunit *test, const char *name, enum ktap_level level)
{
	return test_chunk_run(kernel_call(test, name, 0), level).i;
}

static void every_function_has_a_row_and_its_name(struct kunit *test)
{
	const struct ktap_builtin *fn;
	u32 i, call;

	for (i = 0; i < KTAP_NR_KERNEL_CALLS; i++) {
		fn = &ktap_kernel_calls[i];
		KUNIT_ASSERT_NOT_NULL(test, fn->fn);
		KUNIT_EXPECT_EQ(test, fn->min, fn->max);
		KUNIT_EXPECT_LE(test, fn->max, ARRAY_SIZE(fn->args));
		KUNIT_EXPECT_TRUE_MSG(test, ktap_find_kernel_call(fn->name, &call) && call == i,
				      "%s", fn->name);
		/* A function whose contexts are limited needs a test of that. */
		KUNIT_EXPECT_EQ_MSG(test, KTAP_ANYWHERE, fn->levels & KTAP_ANYWHERE, "%s",
				    fn->name);
	}
	KUNIT_EXPECT_FALSE(test, ktap_find_kernel_call("", &call));
	KUNIT_EXPECT_FALSE(test, ktap_find_kernel_call("printk ", &call));
}

/* Each function without arguments that does not act, in each context */
static void functions_without_arguments_give_values(struct kunit *test)
{
	const struct ktap_builtin *fn;
	struct ktap_value v;
	u32 i, level;

	for (i = 0; i < KTAP_NR_KERNEL_CALLS; i++) {
		fn = &ktap_kernel_calls[i];
		if (fn->max || fn->levels & KTAP_UNSAFE)
			continue;
		for (level = 0; level < KTAP_NR_LEVELS; level++) {
			v = test_chunk_run(kernel_call(test, fn->name, 0), level);
			KUNIT_EXPECT_TRUE_MSG(test, BIT(v.tag) & fn->result, "%s", fn->name);
			KUNIT_EXPECT_GE_MSG(test, v.i, 0, "%s", fn->name);
		}
	}
}

static void integers_are_converted_as_in_c(struct kunit *test)
{
	const struct {
		const char *name;
		s64 arg;
		s64 want;
	} cases[] = {
		{ "swab16", 0x1234, 0x3412 },
		{ "swab16", 0x7f1234, 0x3412 },
		{ "swab16", -1, 0xffff },
		{ "swab32", 0x12345678, 0x78563412 },
		{ "swab32", 0x55512345678, 0x78563412 },
		{ "swab32", 0x000000ff, 0xff000000 },
		{ "swab64", 0x0102030405060708, 0x0807060504030201 },
		{ "ntohs", (__force s64)cpu_to_be16(443), 443 },
		{ "ntohs", (__force s64)cpu_to_be16(0xfff0) | ~0xffffLL, 0xfff0 },
		{ "ntohl", (__force s64)cpu_to_be32(0x7f000001), 0x7f000001 },
		{ "ntohl", (__force s64)cpu_to_be32(0xfffffff0) | 5LL << 32, 0xfffffff0 },
		{ "fls64", 0, 0 },
		{ "fls64", -1, 64 },
		{ "hweight64", 0x8000000000000101, 3 },
		{ "int_sqrt64", 99, 9 },
		{ "int_sqrt64", -1, U32_MAX },
	};
	struct ktap_value arg, v;
	struct ktap_vm *vm;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		arg = KTAP_VALUE_INT(cases[i].arg);
		vm = test_vm(test, test_load(kernel_call(test, cases[i].name, 1)),
			     KTAP_LEVEL_NMI);
		v = test_run(test, vm, &arg, 1);
		KUNIT_EXPECT_EQ(test, KTAP_INT, v.tag);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].want, v.i, "%s, case %d", cases[i].name, i);
	}
}

static void contexts_are_those_of_the_event(struct kunit *test)
{
	static const struct {
		const char *name;
		u8 levels;
	} cases[] = {
		{ "in_task", KTAP_IN(TASK) | KTAP_IN(PROCESS) },
		{ "in_serving_softirq", KTAP_IN(SOFTIRQ) },
		{ "in_hardirq", KTAP_IN(HARDIRQ) },
		{ "in_nmi", KTAP_IN(NMI) },
	};
	int i, level;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (level = 0; level < KTAP_NR_LEVELS; level++)
			KUNIT_EXPECT_EQ_MSG(test, !!(cases[i].levels & BIT(level)),
					    result_of(test, cases[i].name, level),
					    "%s at level %d", cases[i].name, level);
	}
}

static void a_cpu_may_not_exist(struct kunit *test)
{
	static const s64 none[] = { -1, S32_MAX, 1 << 20, S64_MAX };
	struct ktap_value arg = KTAP_VALUE_INT(raw_smp_processor_id()), v;
	struct ktap_vm *vm;
	int i;

	vm = test_vm(test, test_load(kernel_call(test, "cpu_online", 1)), KTAP_LEVEL_TASK);
	KUNIT_EXPECT_EQ(test, 1, test_run(test, vm, &arg, 1).i);
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		arg = KTAP_VALUE_INT(none[i]);
		v = test_run(test, vm, &arg, 1);
		KUNIT_EXPECT_EQ(test, KTAP_BOOL, v.tag);
		KUNIT_EXPECT_EQ(test, 0, v.i);
	}
	vm = test_vm(test, test_load(kernel_call(test, "cpu_to_node", 1)), KTAP_LEVEL_TASK);
	arg = KTAP_VALUE_INT(-1);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, &arg, 1, &v));
	KUNIT_EXPECT_STREQ(test, "cpu_to_node: there is no CPU -1", vm->message);
}

/* The verifier does not know the types of parameters. */
static void types_of_arguments_are_checked_at_run_time(struct kunit *test)
{
	struct ktap_value arg = KTAP_VALUE_STR("x", 1), v;
	struct ktap_vm *vm;

	vm = test_vm(test, test_load(kernel_call(test, "swab32", 1)), KTAP_LEVEL_TASK);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, &arg, 1, &v));
	KUNIT_EXPECT_NOT_NULL(test, strstr(vm->message, "swab32"));
}

/* 20 calls without a loop: each of them uses the budget. */
static void calls_are_charged(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	int i;

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	for (i = 0; i < 20; i++)
		test_insn(c, KTAP_OP_CALLK, 0, 1, 0, test_string(c, "swab32"));
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	vm->env->max_insns = 15;
	KUNIT_EXPECT_EQ(test, -ETIME, ktap_vm_run(vm, 0, NULL, 0, NULL));
	vm->env->max_insns = 40;
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
}

static struct kunit_case kernel_call_cases[] = {
	KUNIT_CASE(every_function_has_a_row_and_its_name),
	KUNIT_CASE(functions_without_arguments_give_values),
	KUNIT_CASE(integers_are_converted_as_in_c),
	KUNIT_CASE(contexts_are_those_of_the_event),
	KUNIT_CASE(a_cpu_may_not_exist),
	KUNIT_CASE(types_of_arguments_are_checked_at_run_time),
	KUNIT_CASE(calls_are_charged),
	{}
};

static struct kunit_suite kernel_call_suite = {
	.name = "ktap_kernel_call",
	.test_cases = kernel_call_cases,
};

kunit_test_suite(kernel_call_suite);
