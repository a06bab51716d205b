/* SPDX-License-Identifier: GPL-2.0 */
/* As much of KUnit as the tests of ktap use. */
#ifndef _SHIM_KUNIT_TEST_H
#define _SHIM_KUNIT_TEST_H

#include <setjmp.h>
#include <stdio.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

/* linux/limits.h of the kernel */
#ifndef S64_MIN
#define S64_MIN		INT64_MIN
#endif
#ifndef S64_MAX
#define S64_MAX		INT64_MAX
#endif
#ifndef S32_MIN
#define S32_MIN		INT32_MIN
#endif
#ifndef S16_MIN
#define S16_MIN		INT16_MIN
#endif
#ifndef U16_MAX
#define U16_MAX		UINT16_MAX
#endif

struct kunit_action;

struct kunit {
	const void *param_value;
	bool failed;
	char skipped[80];	/* why, or empty */
	jmp_buf abort;
	struct kunit_action *actions;
};

struct kunit_case {
	void (*run)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

#define KUNIT_CASE(fn)		{ .run = fn, .name = #fn }
#define KUNIT_CASE_SLOW(fn)	KUNIT_CASE(fn)

#define KUNIT_PARAM_DESC_SIZE	128
#define KUNIT_CASE_PARAM(fn, gen)					\
	{ .run = fn, .name = #fn, .generate_params = gen }
#define KUNIT_ARRAY_PARAM_DESC(name_, array, desc_member)		\
	static const void *name_##_gen_params(const void *prev, char *desc)	\
	{								\
		__typeof__((array)[0]) *next = prev;			\
									\
		next = prev ? next + 1 : (array);			\
		if (next == (array) + ARRAY_SIZE(array))		\
			return NULL;					\
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", next->desc_member);	\
		return next;						\
	}

void kunit_add_suite(struct kunit_suite *suite);
#define kunit_test_suite(suite)						\
	__attribute__((constructor)) static void add_##suite(void)	\
	{								\
		kunit_add_suite(&(suite));				\
	}
#define kunit_test_init_section_suite(suite)	kunit_test_suite(suite)

void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp);
int kunit_add_action_or_reset(struct kunit *test, void (*fn)(void *), void *arg);
#define KUNIT_DEFINE_ACTION_WRAPPER(wrapper, fn, type)			\
	static void wrapper(void *arg)					\
	{								\
		fn((type)arg);						\
	}

/* End the test if @end. */
__printf(6, 7) void kunit_fail(struct kunit *test, bool end, const char *file, int line,
			       const char *what, const char *fmt, ...);

/* End the test. */
#define kunit_skip(test, fmt, ...)						\
	do {									\
		snprintf((test)->skipped, sizeof((test)->skipped), fmt, ##__VA_ARGS__);	\
		longjmp((test)->abort, 1);					\
	} while (0)

#define kunit_info(test, fmt, ...)	((void)(test), printf("# " fmt "\n", ##__VA_ARGS__))

#define KUNIT_FAIL(test, fmt, ...)						\
	kunit_fail(test, false, __FILE__, __LINE__, "failed", fmt, ##__VA_ARGS__)

#define kunit_compare(test, end, l, op, r, fmt, ...)				\
	do {									\
		__typeof__(l) l_ = (l);						\
		__typeof__(r) r_ = (r);						\
										\
		if (!(l_ op r_))						\
			kunit_fail(test, end, __FILE__, __LINE__,		\
				   #l " " #op " " #r, "%lld, %lld " fmt,	\
				   (long long)l_, (long long)r_, ##__VA_ARGS__);	\
	} while (0)

#define expect_(test, l, op, r, ...)	kunit_compare(test, false, l, op, r, __VA_ARGS__)
#define assert_(test, l, op, r, ...)	kunit_compare(test, true, l, op, r, __VA_ARGS__)

#define KUNIT_EXPECT_EQ(test, l, r)	expect_(test, l, ==, r, "")
#define KUNIT_EXPECT_NE(test, l, r)	expect_(test, l, !=, r, "")
#define KUNIT_EXPECT_GT(test, l, r)	expect_(test, l, >, r, "")
#define KUNIT_EXPECT_GE(test, l, r)	expect_(test, l, >=, r, "")
#define KUNIT_EXPECT_LT(test, l, r)	expect_(test, l, <, r, "")
#define KUNIT_EXPECT_LE(test, l, r)	expect_(test, l, <=, r, "")
#define KUNIT_EXPECT_TRUE(test, x)	expect_(test, !!(x), ==, true, "")
#define KUNIT_EXPECT_FALSE(test, x)	expect_(test, !!(x), ==, false, "")
#define KUNIT_EXPECT_NULL(test, x)	expect_(test, (long)(x), ==, 0L, "")
#define KUNIT_EXPECT_NOT_NULL(test, x)	expect_(test, (long)(x), !=, 0L, "")
#define KUNIT_EXPECT_PTR_EQ(test, l, r)	expect_(test, (long)(l), ==, (long)(r), "")

#define KUNIT_EXPECT_EQ_MSG(test, l, r, ...)	expect_(test, l, ==, r, __VA_ARGS__)
#define KUNIT_EXPECT_NE_MSG(test, l, r, ...)	expect_(test, l, !=, r, __VA_ARGS__)
#define KUNIT_EXPECT_GE_MSG(test, l, r, ...)	expect_(test, l, >=, r, __VA_ARGS__)
#define KUNIT_EXPECT_LE_MSG(test, l, r, ...)	expect_(test, l, <=, r, __VA_ARGS__)
#define KUNIT_EXPECT_TRUE_MSG(test, x, ...)	expect_(test, !!(x), ==, true, __VA_ARGS__)
#define KUNIT_EXPECT_NULL_MSG(test, x, ...)	expect_(test, (long)(x), ==, 0L, __VA_ARGS__)
#define KUNIT_EXPECT_NOT_NULL_MSG(test, x, ...)	expect_(test, (long)(x), !=, 0L, __VA_ARGS__)

#define KUNIT_ASSERT_EQ(test, l, r)	assert_(test, l, ==, r, "")
#define KUNIT_ASSERT_PTR_NE(test, l, r)	assert_(test, (long)(l), !=, (long)(r), "")
#define KUNIT_ASSERT_LT(test, l, r)	assert_(test, l, <, r, "")
#define KUNIT_ASSERT_TRUE(test, x)	assert_(test, !!(x), ==, true, "")
#define KUNIT_ASSERT_FALSE(test, x)	assert_(test, !!(x), ==, false, "")
#define KUNIT_ASSERT_NULL(test, x)	assert_(test, (long)(x), ==, 0L, "")
#define KUNIT_ASSERT_NOT_NULL(test, x)	assert_(test, (long)(x), !=, 0L, "")
#define KUNIT_ASSERT_FALSE_MSG(test, x, ...)	assert_(test, !!(x), ==, false, __VA_ARGS__)

#define KUNIT_EXPECT_STREQ(test, l, r)	KUNIT_EXPECT_STREQ_MSG(test, l, r, "%s", "")
#define KUNIT_EXPECT_STREQ_MSG(test, l, r, fmt, ...)				\
	do {									\
		const char *l_ = (l), *r_ = (r);				\
										\
		if (strcmp(l_, r_))						\
			kunit_fail(test, false, __FILE__, __LINE__, #l " == " #r,	\
				   "\n--- is\n%s\n--- should be\n%s\n" fmt,	\
				   l_, r_, ##__VA_ARGS__);			\
	} while (0)

#endif /* _SHIM_KUNIT_TEST_H */
