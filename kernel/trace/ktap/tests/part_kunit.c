// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of strings, compound keys and kernel stacks.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "tests/build.h"
#include "vm/ops.h"
#include "vm/vm.h"

#define EVENT	KTAP_LEVEL_TASK

static void parts_of_keys_strings_and_stacks_are_indexed(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value *r = vm->stack, i, v, whole;
	unsigned long frames[] = { 0x1000, (unsigned long)-1 };

	r[0] = KTAP_VALUE_STR("a\0\xff", 3);
	r[1] = KTAP_VALUE_NIL;
	r[2] = KTAP_VALUE_INT(-7);
	KUNIT_ASSERT_EQ(test, 0, ktap_op_tuple(vm, &whole, r, 3));
	i = KTAP_VALUE_INT(0);
	KUNIT_EXPECT_EQ(test, 0, ktap_op_get(vm, &v, &whole, &i));
	KUNIT_ASSERT_EQ(test, v.tag, KTAP_STR);
	KUNIT_EXPECT_EQ(test, v.len, 3);
	i = KTAP_VALUE_INT(1);
	KUNIT_EXPECT_EQ(test, 0, ktap_op_get(vm, &v, &whole, &i));
	KUNIT_EXPECT_EQ(test, v.tag, KTAP_NIL);
	i = KTAP_VALUE_INT(2);
	KUNIT_EXPECT_EQ(test, 0, ktap_op_get(vm, &v, &whole, &i));
	test_expect_int(test, -7, v);
	/* The bytes of a string have no sign. */
	KUNIT_EXPECT_EQ(test, 0, ktap_op_get(vm, &v, &r[0], &i));
	test_expect_int(test, 255, v);
	whole = (struct ktap_value){ .blob = frames, .tag = KTAP_KSTACK, .len = sizeof(frames) };
	i = KTAP_VALUE_INT(1);
	KUNIT_EXPECT_EQ(test, 0, ktap_op_get(vm, &v, &whole, &i));
	test_expect_int(test, (s64)frames[1], v);
	/* The result may replace what is indexed. */
	KUNIT_EXPECT_EQ(test, 0, ktap_op_get(vm, &r[0], &r[0], &i));
	test_expect_int(test, 0, r[0]);
}

/* They do not refer to the block of the key, which the arena may move. */
static void parts_of_keys_are_copies(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value *r = vm->stack, i = KTAP_VALUE_INT(0);
	char text[100];
	unsigned int n;

	memset(text, 'x', sizeof(text));
	r[0] = KTAP_VALUE_STR(text, sizeof(text));
	r[1] = KTAP_VALUE_INT(7);
	KUNIT_ASSERT_EQ(test, 0, ktap_op_tuple(vm, &r[2], r, 2));
	for (n = 0; n < 2000; n++) {
		KUNIT_ASSERT_EQ(test, 0, ktap_op_get(vm, &r[3], &r[2], &i));
		KUNIT_ASSERT_EQ(test, r[3].tag, KTAP_STR);
		KUNIT_ASSERT_EQ(test, r[3].len, sizeof(text));
		/* A long text, whose memory compaction makes free. */
		r[4] = r[3];
		r[5] = KTAP_VALUE_INT(n);
		KUNIT_ASSERT_EQ(test, 0, ktap_op_concat(vm, &r[6], &r[4], 2));
		KUNIT_ASSERT_EQ(test, r[3].tag, KTAP_STR);
		KUNIT_ASSERT_EQ(test, 0, memcmp(r[3].blob, text, sizeof(text)));
		KUNIT_ASSERT_EQ(test, 0, memcmp(r[6].blob, text, sizeof(text)));
	}
}

static void parts_after_the_end_are_nil(struct kunit *test)
{
	static const s64 indexes[] = { 2, -1, S64_MAX, S64_MIN, 1LL << 32 };
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value *r = vm->stack, key, v, x[3];
	unsigned long frames[2] = { 0 };
	int i, j;

	r[0] = KTAP_VALUE_STR("ab", 2);
	r[1] = KTAP_VALUE_INT(5);
	KUNIT_ASSERT_EQ(test, 0, ktap_op_tuple(vm, &x[0], r, 2));
	x[1] = r[0];
	x[2] = (struct ktap_value){ .blob = frames, .tag = KTAP_KSTACK, .len = sizeof(frames) };
	for (i = 0; i < ARRAY_SIZE(indexes); i++) {
		for (j = 0; j < ARRAY_SIZE(x); j++) {
			key = KTAP_VALUE_INT(indexes[i]);
			KUNIT_EXPECT_EQ(test, 0, ktap_op_get(vm, &v, &x[j], &key));
			KUNIT_EXPECT_EQ(test, v.tag, KTAP_NIL);
		}
	}
	/* Only an integer is an index. */
	key = KTAP_VALUE_STR("ab", 2);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_op_get(vm, &v, &x[1], &key));
	KUNIT_EXPECT_STREQ(test, vm->message, "the index of a string is an integer, not a string");
}

static int event_text(struct ktap_vm *vm, struct ktap_value *v)
{
	return ktap_make_string(vm, "text", 4, v);
}

/* The text of an event is formatted first.  The result may replace the index. */
static void bytes_of_the_text_of_an_event(struct kunit *test)
{
	static const struct ktap_event_ops ops = { .text = event_text };
	static const struct ktap_event event = { .ops = &ops };
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value *r = vm->stack;

	vm->event = &event;
	r[0] = (struct ktap_value){ .tag = KTAP_ARGSTR };
	r[1] = KTAP_VALUE_INT(2);
	KUNIT_EXPECT_EQ(test, 0, ktap_op_get(vm, &r[1], &r[0], &r[1]));
	test_expect_int(test, 'x', r[1]);
	r[1] = KTAP_VALUE_INT(4);
	KUNIT_EXPECT_EQ(test, 0, ktap_op_get(vm, &r[1], &r[0], &r[1]));
	KUNIT_EXPECT_EQ(test, r[1].tag, KTAP_NIL);
}

static struct kunit_case part_cases[] = {
	KUNIT_CASE(parts_of_keys_strings_and_stacks_are_indexed),
	KUNIT_CASE(parts_of_keys_are_copies),
	KUNIT_CASE(parts_after_the_end_are_nil),
	KUNIT_CASE(bytes_of_the_text_of_an_event),
	{}
};

static struct kunit_suite part_suite = {
	.name = "ktap_part",
	.test_cases = part_cases,
};

kunit_test_suite(part_suite);
