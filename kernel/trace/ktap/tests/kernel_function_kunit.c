// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of functions by their prototypes: conversions of arguments and results, and the
 * functions that are refused.
 */
#include <linux/string.h>
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/env.h"
#include "vm/kernel_call.h"
#include "vm/kernel_function.h"

enum ktap_kunit_signed_enum { KTAP_KUNIT_LESS = -2, KTAP_KUNIT_MORE = 2 };

struct ktap_kunit_pair {
	long x[3];
};

/* Names of their own: the selftests call these functions, too. */
int ktap_kunit_calls(void);
s8 ktap_kunit_s8(s8 x);
u8 ktap_kunit_u8(u8 x);
s16 ktap_kunit_s16(s16 x);
u16 ktap_kunit_u16(u16 x);
s32 ktap_kunit_s32(s32 x);
u32 ktap_kunit_u32(u32 x);
u64 ktap_kunit_u64(u64 x);
bool ktap_kunit_bool(bool x);
enum ktap_kunit_signed_enum ktap_kunit_enum(enum ktap_kunit_signed_enum x);
const char *ktap_kunit_pointer(const void *x);
void ktap_kunit_void(void);
long ktap_kunit_six(u8 a, s16 b, u32 c, long d, bool e, void *f);
int ktap_kunit_seven(int a, int b, int c, int d, int e, int f, int g);
int ktap_kunit_variadic(int a, ...);
int ktap_kunit_structure(struct ktap_kunit_pair pair);
struct ktap_kunit_pair ktap_kunit_gives_structure(int x);
notrace int ktap_kunit_notrace(void);

static int kunit_calls;

#define KTAP_KUNIT_SAME(_type, _name)				\
	noinline __noclone _type ktap_kunit_##_name(_type x)	\
	{							\
		kunit_calls++;					\
		return x;					\
	}

KTAP_KUNIT_SAME(s8, s8)
KTAP_KUNIT_SAME(u8, u8)
KTAP_KUNIT_SAME(s16, s16)
KTAP_KUNIT_SAME(u16, u16)
KTAP_KUNIT_SAME(s32, s32)
KTAP_KUNIT_SAME(u32, u32)
KTAP_KUNIT_SAME(u64, u64)
KTAP_KUNIT_SAME(bool, bool)
KTAP_KUNIT_SAME(enum ktap_kunit_signed_enum, enum)

noinline __noclone int ktap_kunit_calls(void)
{
	return kunit_calls;
}

noinline __noclone const char *ktap_kunit_pointer(const void *x)
{
	kunit_calls++;
	return x;
}

noinline __noclone void ktap_kunit_void(void)
{
	kunit_calls++;
}

/* Each argument has a decimal digit of its own. */
noinline __noclone long ktap_kunit_six(u8 a, s16 b, u32 c, long d, bool e, void *f)
{
	kunit_calls++;
	return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * (long)f;
}

noinline __noclone int ktap_kunit_seven(int a, int b, int c, int d, int e, int f, int g)
{
	return a + b + c + d + e + f + g;
}

noinline __noclone int ktap_kunit_variadic(int a, ...)
{
	return a;
}

noinline __noclone int ktap_kunit_structure(struct ktap_kunit_pair pair)
{
	return pair.x[0];
}

noinline __noclone struct ktap_kunit_pair ktap_kunit_gives_structure(int x)
{
	return (struct ktap_kunit_pair){ { x } };
}

notrace noinline __noclone int ktap_kunit_notrace(void)
{
	return kunit_calls;
}

/* f(R[0], ...): return NAME(R[0], ...) */
static struct ktap_program *call_of(struct kunit *test, const char *name, u8 nargs)
{
	struct test_chunk *c = test_chunk(test);

	c->header.flags = cpu_to_le32(KTAP_CHUNK_UNSAFE);
	test_func(c, "f", nargs, max(nargs, 1));
	test_insn(c, KTAP_OP_CALLK, 0, nargs, 0, test_string(c, name));
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 1));
	TEST_RET(c);
	return test_load(c);
}

static struct ktap_vm *vm_that_calls(struct kunit *test, const char *name, u8 nargs)
{
	struct ktap_diag *diag = test_diag(test);
	struct ktap_program *prog = call_of(test, name, nargs);

	KUNIT_ASSERT_EQ_MSG(test, 0, ktap_kernel_functions_find(prog, diag), "%s", diag->text);
	return test_vm(test, prog, KTAP_LEVEL_PROCESS);
}

static void values_are_converted_both_ways(struct kunit *test)
{
	static const struct {
		const char *name;
		u64 arg;
		u8 tag;
		s64 want;
	} cases[] = {
		{ "ktap_kunit_s8", 0x1ff, KTAP_INT, -1 },
		{ "ktap_kunit_s8", 0x17f, KTAP_INT, 0x7f },
		{ "ktap_kunit_u8", 0x1ff, KTAP_INT, 0xff },
		{ "ktap_kunit_s16", 0x18000, KTAP_INT, -0x8000 },
		{ "ktap_kunit_u16", 0x18000, KTAP_INT, 0x8000 },
		{ "ktap_kunit_s32", 0x180000000, KTAP_INT, S32_MIN },
		{ "ktap_kunit_u32", 0x180000000, KTAP_INT, 0x80000000 },
		{ "ktap_kunit_u64", U64_MAX, KTAP_INT, -1 },
		{ "ktap_kunit_bool", 0, KTAP_BOOL, 0 },
		{ "ktap_kunit_bool", 0x100, KTAP_BOOL, 1 },
		{ "ktap_kunit_enum", (u64)KTAP_KUNIT_LESS, KTAP_INT, KTAP_KUNIT_LESS },
		{ "ktap_kunit_pointer", 0x1000, KTAP_PTR, 0x1000 },
		{ "ktap_kunit_pointer", 0, KTAP_NIL, 0 },
	};
	int i, before = kunit_calls;
	struct ktap_value arg, v;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		arg = KTAP_VALUE_INT(cases[i].arg);
		v = test_run(test, vm_that_calls(test, cases[i].name, 1), &arg, 1);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].tag, v.tag, "%s, case %d", cases[i].name, i);
		if (v.tag != KTAP_NIL)
			KUNIT_EXPECT_EQ_MSG(test, cases[i].want, v.i, "%s, case %d", cases[i].name,
					    i);
	}
	KUNIT_EXPECT_EQ(test, before + (int)ARRAY_SIZE(cases), kunit_calls);
}

static void all_arguments_arrive(struct kunit *test)
{
	struct ktap_value args[] = {
		KTAP_VALUE_INT(0x101), KTAP_VALUE_INT(-2), KTAP_VALUE_INT(0x100000003),
		KTAP_VALUE_INT(-4), KTAP_VALUE_BOOL(true), KTAP_VALUE_PTR(6),
	};
	struct ktap_vm *vm;
	int before;

	if (IS_ENABLED(CONFIG_S390))
		kunit_skip(test, "there are five registers for arguments");
	vm = vm_that_calls(test, "ktap_kunit_six", 6);
	KUNIT_EXPECT_EQ(test, 1 - 20 + 300 - 4000 + 10000 + 600000,
			test_run(test, vm, args, 6).i);
	args[5] = KTAP_VALUE_NIL;
	KUNIT_EXPECT_EQ(test, 1 - 20 + 300 - 4000 + 10000, test_run(test, vm, args, 6).i);

	before = kunit_calls;
	KUNIT_EXPECT_EQ(test, KTAP_NIL,
			test_run(test, vm_that_calls(test, "ktap_kunit_void", 0), NULL, 0).tag);
	KUNIT_EXPECT_EQ(test, before + 1, kunit_calls);
	KUNIT_EXPECT_EQ(test, before + 1,
			test_run(test, vm_that_calls(test, "ktap_kunit_calls", 0), NULL, 0).i);
}

/* No argument is a string, and no event calls a function. */
static void wrong_values_and_contexts_are_errors(struct kunit *test)
{
	struct ktap_value arg = KTAP_VALUE_STR("x", 1), v;
	int level, before = kunit_calls;
	struct ktap_vm *vm;

	vm = vm_that_calls(test, "ktap_kunit_s32", 1);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, &arg, 1, &v));
	KUNIT_EXPECT_STREQ(test, "ktap_kunit_s32: argument 1 is a string, which it does not take",
			   vm->message);
	arg = KTAP_VALUE_INT(1);
	for (level = 0; level < KTAP_NR_LEVELS; level++) {
		if (level == KTAP_LEVEL_PROCESS)
			continue;
		vm = vm_that_calls(test, "ktap_kunit_s32", 1);
		vm->level = level;
		KUNIT_EXPECT_EQ(test, -EPERM, ktap_vm_run(vm, 0, &arg, 1, &v));
	}
	KUNIT_EXPECT_EQ(test, before, kunit_calls);
	/* Nothing has looked the function up. */
	vm = test_vm(test, call_of(test, "ktap_kunit_s32", 1), KTAP_LEVEL_PROCESS);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, &arg, 1, &v));
	KUNIT_EXPECT_EQ(test, before, kunit_calls);
}

static void functions_that_cannot_be_called_are_refused(struct kunit *test)
{
	static const struct {
		const char *name;
		u8 nargs;
		int err;
		const char *why;
	} cases[] = {
		{ "ktap_kunit_s33", 1, -ENOENT, "no function 'ktap_kunit_s33'; did you mean" },
		{ "", 0, -ENOENT, "no function ''" },
		{ "ktap_kunit_six", 5, -EINVAL,
		  "u8 a, s16 b, u32 c, long int d, bool e, void *f)' takes 6 arguments, got 5" },
		{ "ktap_kunit_void", 1, -EINVAL,
		  "'void ktap_kunit_void(void)' takes 0 arguments, got 1" },
		{ "ktap_kunit_seven", 6, -EINVAL, "not all of its arguments are in registers" },
		{ "ktap_kunit_variadic", 1, -EINVAL,
		  "ktap_kunit_variadic(int a, ...)' cannot be called: it takes a variable" },
		{ "ktap_kunit_structure", 1, -EINVAL, "a parameter is no integer" },
		{ "ktap_kunit_gives_structure", 1, -EINVAL, "its result is no integer" },
		{ "ktap_kunit_notrace", 0, -EINVAL, "it is notrace or noinstr" },
		{ "ktap_vm_run", 5, -EINVAL, "it is notrace or noinstr" },
		{ "do_exit", 1, -EINVAL, "it does not return" },
		{ "panic", 1, -EINVAL, "it does not return" },
		{ "_raw_spin_lock", 1, -EINVAL, "it does not return, or belongs to" },
		{ "schedule", 0, -EINVAL, "it does not return, or belongs to the scheduler" },
		{ "jiffies", 0, -EINVAL, "it is no function" },
		{ "start_kernel", 0, -EINVAL, "'start_kernel' cannot be called" },
	};
	struct ktap_diag *diag = test_diag(test);
	int i, err;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		diag->len = 0;
		diag->text[0] = '\0';
		err = ktap_kernel_functions_find(call_of(test, cases[i].name, cases[i].nargs),
						 diag);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].err, err, "%s: %s", cases[i].name, diag->text);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(diag->text, cases[i].why), "%s: %s",
					  cases[i].name, diag->text);
	}
}

static void calls_need_unsafe(struct kunit *test)
{
	struct ktap_diag *diag = test_diag(test);
	struct ktap_program *prog;
	char text[KTAP_ACTS_TEXT];

	prog = call_of(test, "ktap_kunit_void", 0);
	KUNIT_EXPECT_EQ(test, -EPERM, ktap_check_unsafe(prog, false, diag));
	KUNIT_EXPECT_NOT_NULL(test, strstr(diag->text, "'ktap_kunit_void' is not in the list"));
	KUNIT_EXPECT_EQ(test, 0, ktap_check_unsafe(prog, true, diag));
	ktap_acts_text(prog->acts, text);
	KUNIT_EXPECT_STREQ(test, text, "call");
	diag->len = 0;
	KUNIT_EXPECT_EQ(test, -EPERM,
			ktap_check_unsafe(call_of(test, "swb32", 1), false, diag));
	KUNIT_EXPECT_NOT_NULL(test, strstr(diag->text, "did you mean 'swab32'?"));
	prog->flags = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_check_unsafe(prog, true, diag));
}

static struct kunit_case kernel_function_cases[] = {
	KUNIT_CASE(values_are_converted_both_ways),
	KUNIT_CASE(all_arguments_arrive),
	KUNIT_CASE(wrong_values_and_contexts_are_errors),
	KUNIT_CASE(functions_that_cannot_be_called_are_refused),
	KUNIT_CASE(calls_need_unsafe),
	{}
};

static struct kunit_suite kernel_function_suite = {
	.name = "ktap_kernel_function",
	.test_cases = kernel_function_cases,
};

kunit_test_suite(kernel_function_suite);
