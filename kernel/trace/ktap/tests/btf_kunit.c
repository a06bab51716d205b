// SPDX-License-Identifier: GPL-2.0
/*
 * Functions by the types that the kernel has of itself: where their parameters are,
 * and what they return.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include <kunit/test.h>

#include "../btf.h"

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

/* The prototype; the test is skipped if the kernel does not tell. */
static u32 proto_of(struct kunit *test, const char *name)
{
	struct ktap_btf_set set = {};
	u32 proto = ktap_btf_begin() ? 0 : ktap_btf_function("", name, &set);

	/* The kernel's own types stay. */
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

/* Its address comes before the parameters, if it has no register of its own. */
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

/* It has two registers on 32-bit machines. */
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
