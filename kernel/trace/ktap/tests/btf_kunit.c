// SPDX-License-Identifier: GPL-2.0
/*
 * Functions by the types that the kernel has of itself: where their parameters are,
 * and what they return.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include <kunit/test.h>

#include "btf/btf.h"
#include "data/suggest.h"

struct in_memory {
	u64 words[3];
};

static noinline __noclone int btf_kunit_plain(int first, const char *second)
{
	return first + !second;
}

static noinline __noclone struct in_memory btf_kunit_in_memory(u64 first)
{
	return (struct in_memory){ { first } };
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

static struct kunit_case btf_cases[] = {
	KUNIT_CASE(parameters),
	KUNIT_CASE(parameters_by_number),
	KUNIT_CASE(structure_returned_in_memory),
	KUNIT_CASE(result_of_64_bits),
	{}
};

static struct kunit_suite btf_suite = {
	.name = "ktap_btf",
	.test_cases = btf_cases,
};

kunit_test_suite(btf_suite);

MODULE_DESCRIPTION("KUnit tests of ktap's types of functions");
MODULE_LICENSE("GPL");
