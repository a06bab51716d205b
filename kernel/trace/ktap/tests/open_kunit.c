// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier: open values.
 */
#include <asm/byteorder.h>

#include "tests/build.h"

#define NREGS	10

/* A function with any number of results, and a function that makes open values. */
static struct test_chunk *chunk_with_giver(struct kunit *test, struct ktap_code giver,
					   struct ktap_code taker)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "f", 0, 2);
	TEST_RET(c);
	test_variadic(c, "main", 0, NREGS);
	test_insn(c, KTAP_OP_NIL, 0, 4, 0, 0);
	test_insn(c, giver.op, giver.a, giver.b, giver.c, giver.d);
	test_insn(c, taker.op, taker.a, taker.b, taker.c, taker.d);
	TEST_RET(c);
	c->header.main = cpu_to_le32(1);
	return c;
}

#define GIVER(_op, _a)		((struct ktap_code){ .op = KTAP_OP_##_op, .a = (_a), \
						     .c = KTAP_MULTI })
#define TAKER(_op, _a, _c, _d)	((struct ktap_code){ .op = KTAP_OP_##_op, .a = (_a), \
						     .b = KTAP_MULTI, .c = (_c), .d = (_d) })

static void open_values_are_taken_by_the_next_instruction(struct kunit *test)
{
	const struct ktap_code givers[] = {
		GIVER(CALL, 4), GIVER(CALLV, 4), GIVER(VARG, 4), GIVER(VARG, 9),
	};
	const struct ktap_code takers[] = {
		TAKER(CALL, 0, 1, 0), TAKER(CALL, 4, 1, 0), TAKER(CALLV, 3, 1, 0),
		TAKER(CALLB, 0, 0, KTAP_FN_PRINT), TAKER(RET, 4, 0, 0),
		{ .op = KTAP_OP_TSETM, .a = 0, .b = 4, .d = -1 },
	};
	struct test_chunk *c;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(givers); i++) {
		for (j = 0; j < ARRAY_SIZE(takers); j++) {
			c = chunk_with_giver(test, givers[i], takers[j]);
			/* All registers before the open values are written. */
			c->insns[1].b = NREGS - 1;
			KUNIT_EXPECT_NOT_NULL_MSG(test, test_load(c), "%d, %d", i, j);
			/* An instruction in between. */
			c = chunk_with_giver(test, givers[i],
					     (struct ktap_code){ .op = KTAP_OP_NIL });
			test_refused(c, -EINVAL, "instruction 3 does not take the open values");
			/* Another instruction before. */
			c = chunk_with_giver(test, (struct ktap_code){ .op = KTAP_OP_NIL },
					     takers[j]);
			test_refused(c, -EINVAL,
				     "instruction 3 takes open values, the one before gives none");
		}
	}
}

/* The previous instruction may belong to another function. */
static void open_values_come_from_the_same_function(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_CALL, 0, 0, KTAP_MULTI, 0);
	test_insn(c, KTAP_OP_RET, 0, KTAP_MULTI, 0, 0);
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	c->funcs[0].ninsns = cpu_to_le32(1);
	test_func(c, "f", 0, 1);
	c->funcs[1].first = cpu_to_le32(1);
	c->funcs[1].ninsns = cpu_to_le32(1);
	test_refused(c, -EINVAL, "has no end");
	c->insns[0] = (struct ktap_code){ .op = KTAP_OP_JMP, .d = -1 };
	test_refused(c, -EINVAL, "instruction 1 takes open values");
}

static void open_values_start_at_or_after_the_first_argument(struct kunit *test)
{
	const struct ktap_code right[] = {
		TAKER(CALL, 3, 1, 0), TAKER(CALLV, 2, 1, 0), TAKER(CALLB, 3, 0, KTAP_FN_PRINT),
		TAKER(RET, 3, 0, 0), { .op = KTAP_OP_TSETM, .b = 3 },
	};
	struct ktap_code wrong;
	struct test_chunk *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(right); i++) {
		c = chunk_with_giver(test, GIVER(VARG, 3), right[i]);
		KUNIT_EXPECT_NOT_NULL(test, test_load(c));
		wrong = right[i];
		if (wrong.op == KTAP_OP_TSETM)
			wrong.b++;
		else
			wrong.a++;
		c = chunk_with_giver(test, GIVER(VARG, 3), wrong);
		test_refused(c, -EINVAL,
			     "takes values from register 4 on, the open ones begin at 3");
	}
}

static void values_before_open_ones_must_be_written(struct kunit *test)
{
	const struct ktap_code takers[] = {
		TAKER(CALL, 3, 1, 0), TAKER(CALLV, 3, 1, 0), TAKER(CALLB, 3, 0, KTAP_FN_PRINT),
		TAKER(RET, 3, 0, 0), { .op = KTAP_OP_TSETM, .b = 3 },
	};
	struct test_chunk *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(takers); i++) {
		/* Registers 0 to 4 are written. */
		c = chunk_with_giver(test, GIVER(VARG, 5), takers[i]);
		KUNIT_EXPECT_NOT_NULL(test, test_load(c));
		c = chunk_with_giver(test, GIVER(VARG, 6), takers[i]);
		test_refused(c, -EINVAL, "instruction 3 reads register 5");
	}
}

static void open_values_are_undefined_after_their_use(struct kunit *test)
{
	struct test_chunk *c;
	u32 ret = 4;

	/*
	 * An instruction that makes open values leaves all registers from its
	 * first on undefined.
	 */
	c = chunk_with_giver(test, GIVER(VARG, 2), TAKER(CALLB, 2, 0, KTAP_FN_PRINT));
	c->insns[ret].a = 3;
	c->insns[ret].b = 1;
	test_refused(c, -EINVAL, "instruction 4 reads register 3");
	c->insns[ret].a = 2;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	/* A built-in also leaves the arguments before them undefined. */
	c = chunk_with_giver(test, GIVER(VARG, 2), TAKER(CALLB, 0, 0, KTAP_FN_PRINT));
	c->insns[ret].a = 1;
	c->insns[ret].b = 1;
	test_refused(c, -EINVAL, "instruction 4 reads register 1");
	/* TSETM does not change the other registers. */
	c = chunk_with_giver(test, GIVER(VARG, 2),
			     (struct ktap_code){ .op = KTAP_OP_TSETM, .b = 1 });
	c->insns[ret].b = 2;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	c->insns[ret].b = 3;
	test_refused(c, -EINVAL, "instruction 4 reads register 2");
	/* Reading a fixed number of variable arguments leaves other registers defined. */
	c = chunk_with_giver(test, GIVER(VARG, 2), (struct ktap_code){ .op = KTAP_OP_NIL });
	c->insns[2].c = 1;
	c->insns[ret].b = 5;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
}

static void no_jump_leads_between_open_values_and_their_use(struct kunit *test)
{
	struct test_chunk *c = chunk_with_giver(test, GIVER(VARG, 0), TAKER(RET, 0, 0, 0));
	u32 jump = 4;

	c->insns[jump] = (struct ktap_code){ .op = KTAP_OP_JMP, .d = -2 };
	test_refused(c, -EINVAL, "instruction 3 takes open values, and is jumped to");
	c->insns[jump].d = -3;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	/* Nor is it the target of a catch. */
	test_try(c, 1, 2, 3, 0);
	test_refused(c, -EINVAL, "instruction 3 takes open values, and is jumped to");
}

static void only_variadic_functions_have_variable_arguments(struct kunit *test)
{
	struct test_chunk *c = chunk_with_giver(test, GIVER(VARG, 0), TAKER(RET, 0, 0, 0));

	c->funcs[1].flags = 0;
	test_refused(c, -EINVAL, "function main has no variable arguments");
}

static struct kunit_case open_cases[] = {
	KUNIT_CASE(open_values_are_taken_by_the_next_instruction),
	KUNIT_CASE(open_values_come_from_the_same_function),
	KUNIT_CASE(open_values_start_at_or_after_the_first_argument),
	KUNIT_CASE(values_before_open_ones_must_be_written),
	KUNIT_CASE(open_values_are_undefined_after_their_use),
	KUNIT_CASE(no_jump_leads_between_open_values_and_their_use),
	KUNIT_CASE(only_variadic_functions_have_variable_arguments),
	{}
};

static struct kunit_suite open_suite = {
	.name = "ktap_verifier_open",
	.test_cases = open_cases,
};

kunit_test_suite(open_suite);
