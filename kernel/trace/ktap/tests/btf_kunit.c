// SPDX-License-Identifier: GPL-2.0
/*
 * Functions by the types that the kernel has of itself: where their parameters are,
 * what they return, and how they are called.
 *
 * tools/testing/ktap/types.c has the types for the tests in user space.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "btf/btf.h"
#include "btf/btf_read.h"
#include "data/suggest.h"
#include "vm/value.h"

struct in_memory {
	u64 words[3];
};

struct small {
	int number;
};

struct two_registers {
	const void *pointer;
	bool flag : 1;
};

struct __packed not_aligned {
	u8 first;
	u64 second;
};

static noinline __noclone u64 btf_kunit_by_value(int first, struct two_registers pair, u32 fourth)
{
	return first + pair.flag + fourth;
}

static noinline __noclone u64 btf_kunit_on_stack(u64 a, u64 b, u64 c, u64 d, u64 e,
						 struct two_registers pair, u64 sixth, u64 last)
{
	return a + b + c + d + e + pair.flag + sixth + last;
}

static noinline __noclone u64 btf_kunit_packed(struct not_aligned packed, int second)
{
	return packed.second + second;
}

static noinline __noclone int btf_kunit_plain(int first, const char *second)
{
	return first + !second;
}

static noinline __noclone struct in_memory btf_kunit_in_memory(u64 first)
{
	return (struct in_memory){ { first } };
}

static noinline __noclone struct small btf_kunit_small(int first)
{
	return (struct small){ first };
}

static noinline __noclone u64 btf_kunit_wide(int first)
{
	return first;
}

/* Find the prototype; skip the test if the kernel has no BTF for it. */
static u32 proto_of(struct kunit *test, const char *name)
{
	struct ktap_btf_set set = {};
	u32 proto = ktap_btf_begin() ? 0 : ktap_btf_function("", name, &set);

	/* The kernel's own BTF needs no release. */
	ktap_btf_release(&set);
	if (!proto)
		kunit_skip(test, "the types of the test are not known");
	return proto;
}

static void parameters(struct kunit *test)
{
	u32 proto = proto_of(test, "btf_kunit_plain");
	struct ktap_load load;

	KUNIT_EXPECT_EQ(test, 3, btf_kunit_plain(3, ""));
	KUNIT_EXPECT_EQ(test, 0, ktap_btf_param(proto, "first", &load));
	KUNIT_EXPECT_EQ(test, KTAP_LOAD_SIGNED, load.kind);
	KUNIT_EXPECT_EQ(test, 4, load.size);
	KUNIT_EXPECT_EQ(test, 1, ktap_btf_param(proto, "second", &load));
	KUNIT_EXPECT_EQ(test, KTAP_LOAD_POINTER, load.kind);
	KUNIT_EXPECT_EQ(test, -ENOENT, ktap_btf_param(proto, "third", &load));
	KUNIT_EXPECT_TRUE(test, ktap_btf_result(proto, &load));
	KUNIT_EXPECT_EQ(test, KTAP_LOAD_SIGNED, load.kind);
}

static void parameters_by_number(struct kunit *test)
{
	u32 proto = proto_of(test, "btf_kunit_plain");
	struct ktap_load load = {};
	struct ktap_suggest near;

	ktap_btf_param_at(proto, 2, &load);
	KUNIT_EXPECT_EQ(test, 0, load.size);
	ktap_btf_param_at(proto, 0, &load);
	KUNIT_EXPECT_EQ(test, KTAP_LOAD_SIGNED, load.kind);
	KUNIT_EXPECT_EQ(test, 4, load.size);
	ktap_btf_param_at(proto, 1, &load);
	KUNIT_EXPECT_EQ(test, KTAP_LOAD_POINTER, load.kind);

	ktap_suggest_begin(&near, "frist");
	ktap_btf_near_param(proto, 0, &near);
	KUNIT_EXPECT_STREQ(test, "first", near.best);
	ktap_suggest_begin(&near, "frist");
	ktap_btf_near_param(proto, 1, &near);
	KUNIT_EXPECT_NULL(test, near.best);
}

/* x86-64 has a structure in two registers, or on the stack. */
static void structure_by_value(struct kunit *test)
{
	const int missing = IS_ENABLED(CONFIG_X86_64) ? 0 : -ENOENT;
	struct two_registers pair = { .flag = true };
	u32 proto = proto_of(test, "btf_kunit_by_value");
	struct not_aligned packed = { .second = 8 };
	struct ktap_load load = {};

	KUNIT_EXPECT_EQ(test, 11, btf_kunit_by_value(3, pair, 7));
	KUNIT_EXPECT_EQ(test, 0, ktap_btf_param(proto, "first", &load));
	KUNIT_EXPECT_EQ(test, -ENOENT, ktap_btf_param(proto, "pair", &load));
	KUNIT_EXPECT_EQ(test, missing ?: 3, ktap_btf_param(proto, "fourth", &load));
	ktap_btf_param_at(proto, 3, &load);
	KUNIT_EXPECT_EQ(test, missing ? KTAP_LOAD_SIGNED : KTAP_LOAD_UNSIGNED, load.kind);

	proto = proto_of(test, "btf_kunit_on_stack");
	KUNIT_EXPECT_EQ(test, 29, btf_kunit_on_stack(1, 2, 3, 4, 5, pair, 6, 7));
	KUNIT_EXPECT_EQ(test, missing ?: 5, ktap_btf_param(proto, "sixth", &load));
	KUNIT_EXPECT_EQ(test, -ENOENT, ktap_btf_param(proto, "last", &load));

	proto = proto_of(test, "btf_kunit_packed");
	KUNIT_EXPECT_EQ(test, 10, btf_kunit_packed(packed, 2));
	KUNIT_EXPECT_EQ(test, -ENOENT, ktap_btf_param(proto, "second", &load));
}

/* The address of the result is a hidden first parameter, unless it has its own register. */
static void structure_returned_in_memory(struct kunit *test)
{
	u32 proto = proto_of(test, "btf_kunit_in_memory");
	struct ktap_load load;

	KUNIT_EXPECT_EQ(test, 5, btf_kunit_in_memory(5).words[0]);
	KUNIT_EXPECT_EQ(test, IS_ENABLED(CONFIG_ARM64) ? 0 : -ENOENT,
			ktap_btf_param(proto, "first", &load));
	KUNIT_EXPECT_TRUE(test, ktap_btf_result(proto, &load));
	KUNIT_EXPECT_EQ(test, KTAP_LOAD_NONE, load.kind);
}

static void structure_returned_in_a_register(struct kunit *test)
{
	u32 proto = proto_of(test, "btf_kunit_small");
	struct ktap_load load;

	KUNIT_EXPECT_EQ(test, 6, btf_kunit_small(6).number);
	KUNIT_EXPECT_TRUE(test, ktap_btf_result(proto, &load));
	KUNIT_EXPECT_EQ(test, KTAP_LOAD_NONE, load.kind);
}

/* A 64-bit result uses two registers on 32-bit machines. */
static void result_of_64_bits(struct kunit *test)
{
	u32 proto = proto_of(test, "btf_kunit_wide");
	struct ktap_load load;

	KUNIT_EXPECT_EQ(test, 7, btf_kunit_wide(7));
	KUNIT_EXPECT_TRUE(test, ktap_btf_result(proto, &load));
	KUNIT_EXPECT_EQ(test, IS_ENABLED(CONFIG_64BIT) ? KTAP_LOAD_UNSIGNED : KTAP_LOAD_NONE,
			load.kind);
}

/* The other bits of the register are left over from something else. */
static void values_in_registers(struct kunit *test)
{
	static const struct {
		struct ktap_load load;
		unsigned long x;
		u8 tag;
		s64 want;
	} cases[] = {
		{ { .kind = KTAP_LOAD_UNSIGNED, .size = 1 }, 0x1ff, KTAP_INT, 0xff },
		{ { .kind = KTAP_LOAD_SIGNED, .size = 1 }, 0x17f, KTAP_INT, 0x7f },
		{ { .kind = KTAP_LOAD_SIGNED, .size = 1 }, 0x80, KTAP_INT, -128 },
		{ { .kind = KTAP_LOAD_UNSIGNED, .size = 2 }, 0xf0000, KTAP_INT, 0 },
		{ { .kind = KTAP_LOAD_UNSIGNED, .size = sizeof(long) }, ~0UL, KTAP_INT,
		  ~0UL },
		{ { .kind = KTAP_LOAD_SIGNED, .size = sizeof(long) }, ~0UL, KTAP_INT, -1 },
		{ { .kind = KTAP_LOAD_POINTER, .size = sizeof(long), .type = 3 }, ~0UL,
		  KTAP_PTR, ~0UL },
		{ { .kind = KTAP_LOAD_POINTER, .size = sizeof(long) }, 0, KTAP_NIL, 0 },
		{ { .kind = KTAP_LOAD_NONE, .size = sizeof(long) }, 1, KTAP_NIL, 0 },
	};
	struct ktap_value v;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ktap_load_register(&v, cases[i].x, &cases[i].load);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].tag, v.tag, "case %d", i);
		if (v.tag != KTAP_NIL)
			KUNIT_EXPECT_EQ_MSG(test, cases[i].want, v.i, "case %d", i);
		if (v.tag == KTAP_PTR)
			KUNIT_EXPECT_EQ(test, 3, v.type);
	}
}

#ifdef CONFIG_KTAP_BTF
static noinline __noclone unsigned int btf_kunit_variadic(int first, ...)
{
	return first;
}

static noinline __noclone bool btf_kunit_pointers(bool flag, const char * const *names,
						  int (*compare)(int x))
{
	return flag || !names || compare;
}

static noinline __noclone int btf_kunit_structure(struct two_registers pair)
{
	return pair.flag;
}

static noinline __noclone int btf_kunit_seven(int a, int b, int c, int d, int e, int f, int g)
{
	return a + b + c + d + e + f + g;
}

static noinline __noclone void btf_kunit_void(void)
{
	barrier();
}

#define PLAIN	"int btf_kunit_plain(int first, char *second)"

static void text_of_a_prototype(struct kunit *test)
{
	static const struct {
		const char *name;
		const char *want;
	} cases[] = {
		{ "btf_kunit_plain", PLAIN },
		{ "btf_kunit_by_value",
		  "u64 btf_kunit_by_value(int first, struct two_registers pair, u32 fourth)" },
		{ "btf_kunit_in_memory", "struct in_memory btf_kunit_in_memory(u64 first)" },
		{ "btf_kunit_variadic", "unsigned int btf_kunit_variadic(int first, ...)" },
		{ "btf_kunit_pointers",
		  "bool btf_kunit_pointers(bool flag, char **names, function *compare)" },
		{ "btf_kunit_void", "void btf_kunit_void(void)" },
	};
	char text[100];
	int i;

	KUNIT_EXPECT_EQ(test, 4, btf_kunit_variadic(4, 5));
	KUNIT_EXPECT_TRUE(test, btf_kunit_pointers(false, NULL, NULL));
	btf_kunit_void();
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ktap_btf_prototype_text(proto_of(test, cases[i].name), cases[i].name, text,
					sizeof(text));
		KUNIT_EXPECT_STREQ(test, text, cases[i].want);
	}
	ktap_btf_prototype_text(0, "unknown", text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, "unknown()");
}

static void text_of_a_prototype_is_cut(struct kunit *test)
{
	u32 proto = proto_of(test, "btf_kunit_plain");
	char text[sizeof(PLAIN) + 8], want[sizeof(PLAIN)];
	size_t size;

	for (size = 1; size <= sizeof(PLAIN); size++) {
		memset(text, '#', sizeof(text));
		ktap_btf_prototype_text(proto, "btf_kunit_plain", text, size);
		strscpy(want, PLAIN, size);
		KUNIT_EXPECT_STREQ(test, text, want);
		/* Nothing is written after the end of the buffer. */
		KUNIT_EXPECT_EQ(test, '#', text[size]);
		KUNIT_EXPECT_EQ(test, '#', text[size + 1]);
		KUNIT_EXPECT_EQ(test, '#', text[size + 2]);
	}
}

static void functions_that_can_be_called(struct kunit *test)
{
	struct ktap_prototype p;

	KUNIT_EXPECT_NULL(test, ktap_btf_prototype(proto_of(test, "btf_kunit_plain"), &p));
	KUNIT_EXPECT_EQ(test, 2, p.n);
	KUNIT_EXPECT_EQ(test, KTAP_LOAD_SIGNED, p.params[0].kind);
	KUNIT_EXPECT_EQ(test, 4, p.params[0].size);
	KUNIT_EXPECT_EQ(test, 0, p.params[0].bits);
	KUNIT_EXPECT_EQ(test, KTAP_LOAD_POINTER, p.params[1].kind);
	KUNIT_EXPECT_EQ(test, KTAP_LOAD_SIGNED, p.result.kind);

	KUNIT_EXPECT_NULL(test, ktap_btf_prototype(proto_of(test, "btf_kunit_pointers"), &p));
	KUNIT_EXPECT_EQ(test, 3, p.n);
	KUNIT_EXPECT_EQ(test, 1, p.params[0].bits);
	KUNIT_EXPECT_EQ(test, 0, p.params[1].bits);
	KUNIT_EXPECT_EQ(test, KTAP_LOAD_POINTER, p.params[2].kind);
	KUNIT_EXPECT_EQ(test, 1, p.result.bits);

	KUNIT_EXPECT_NULL(test, ktap_btf_prototype(proto_of(test, "btf_kunit_void"), &p));
	KUNIT_EXPECT_EQ(test, 0, p.n);
	KUNIT_EXPECT_EQ(test, KTAP_LOAD_NONE, p.result.kind);
}

static void functions_that_cannot_be_called(struct kunit *test)
{
	static const struct {
		const char *name;
		const char *why;
	} cases[] = {
		{ "btf_kunit_structure", "a parameter is no integer, boolean or pointer" },
		{ "btf_kunit_in_memory", "its result is no integer, boolean or pointer" },
		{ "btf_kunit_variadic", "it takes a variable number of arguments" },
		{ "btf_kunit_seven", "not all of its arguments are in registers" },
	};
	struct two_registers pair = { .flag = true };
	struct ktap_prototype p;
	const char *why;
	int i;

	KUNIT_EXPECT_EQ(test, 1, btf_kunit_structure(pair));
	KUNIT_EXPECT_EQ(test, 28, btf_kunit_seven(1, 2, 3, 4, 5, 6, 7));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		why = ktap_btf_prototype(proto_of(test, cases[i].name), &p);
		KUNIT_EXPECT_STREQ(test, why, cases[i].why);
	}
	KUNIT_EXPECT_STREQ(test, ktap_btf_prototype(0, &p), "its prototype is not known");
}

static void functions_with_similar_names(struct kunit *test)
{
	proto_of(test, "btf_kunit_variadic");
	KUNIT_EXPECT_STREQ(test, ktap_btf_near_function("btf_kunit_variable"),
			   "btf_kunit_variadic");
	KUNIT_EXPECT_NULL(test, ktap_btf_near_function("btf_kunit_has_no_such_function"));
}
#endif /* CONFIG_KTAP_BTF */

static struct kunit_case btf_cases[] = {
	KUNIT_CASE(parameters),
	KUNIT_CASE(parameters_by_number),
	KUNIT_CASE(structure_by_value),
	KUNIT_CASE(structure_returned_in_memory),
	KUNIT_CASE(structure_returned_in_a_register),
	KUNIT_CASE(result_of_64_bits),
	KUNIT_CASE(values_in_registers),
#ifdef CONFIG_KTAP_BTF
	KUNIT_CASE(text_of_a_prototype),
	KUNIT_CASE(text_of_a_prototype_is_cut),
	KUNIT_CASE(functions_that_can_be_called),
	KUNIT_CASE(functions_that_cannot_be_called),
	KUNIT_CASE(functions_with_similar_names),
#endif
	{}
};

static struct kunit_suite btf_suite = {
	.name = "ktap_btf",
	.test_cases = btf_cases,
};

kunit_test_suite(btf_suite);
