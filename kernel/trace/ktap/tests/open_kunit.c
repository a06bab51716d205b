// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier: open values.
 */
#include <asm/byteorder.h>

#include "build.h"

#define NREGS	10

/* A function of two registers that gives what it likes, and one with a giver in it. */
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
			/* All that is in front is written. */
			c->insns[1].b = NREGS - 1;
			KUNIT_EXPECT_NOT_NULL_MSG(test, test_load(c), "%d, %d", i, j);
			/* Something between them. */
			c = chunk_with_giver(test, givers[i],
					     (struct ktap_code){ .op = KTAP_OP_NIL });
			test_refused(c, -EINVAL, "instruction 3 does not take the open values");
			/* Somebody else in front. */
			c = chunk_with_giver(test, (struct ktap_code){ .op = KTAP_OP_NIL },
					     takers[j]);
			test_refused(c, -EINVAL,
				     "instruction 3 takes open values, the one before gives none");
		}
	}
}

/* What stands before it in the code may be of another function. */
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

static void open_values_begin_where_they_are_taken_or_behind(struct kunit *test)
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

static void values_in_front_of_open_ones_are_written(struct kunit *test)
{
	const struct ktap_code takers[] = {
		TAKER(CALL, 3, 1, 0), TAKER(CALLV, 3, 1, 0), TAKER(CALLB, 3, 0, KTAP_FN_PRINT),
		TAKER(RET, 3, 0, 0), { .op = KTAP_OP_TSETM, .b = 3 },
	};
	struct test_chunk *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(takers); i++) {
		/* 0 to 4 are. */
		c = chunk_with_giver(test, GIVER(VARG, 5), takers[i]);
		KUNIT_EXPECT_NOT_NULL(test, test_load(c));
		c = chunk_with_giver(test, GIVER(VARG, 6), takers[i]);
		test_refused(c, -EINVAL, "instruction 3 reads register 5");
	}
}

static void open_values_are_not_there_afterwards(struct kunit *test)
{
	struct test_chunk *c;
	u32 ret = 4;

	/* A giver spoils all from its first register on. */
	c = chunk_with_giver(test, GIVER(VARG, 2), TAKER(CALLB, 2, 0, KTAP_FN_PRINT));
	c->insns[ret].a = 3;
	c->insns[ret].b = 1;
	test_refused(c, -EINVAL, "instruction 4 reads register 3");
	c->insns[ret].a = 2;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	/* A built-in also what it takes in front of them. */
	c = chunk_with_giver(test, GIVER(VARG, 2), TAKER(CALLB, 0, 0, KTAP_FN_PRINT));
	c->insns[ret].a = 1;
	c->insns[ret].b = 1;
	test_refused(c, -EINVAL, "instruction 4 reads register 1");
	/* TSETM leaves alone what is not open. */
	c = chunk_with_giver(test, GIVER(VARG, 2),
			     (struct ktap_code){ .op = KTAP_OP_TSETM, .b = 1 });
	c->insns[ret].b = 2;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	c->insns[ret].b = 3;
	test_refused(c, -EINVAL, "instruction 4 reads register 2");
	/* A number of variable arguments spoils nothing. */
	c = chunk_with_giver(test, GIVER(VARG, 2), (struct ktap_code){ .op = KTAP_OP_NIL });
	c->insns[2].c = 1;
	c->insns[ret].b = 5;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
}

static void who_takes_open_values_is_not_jumped_to(struct kunit *test)
{
	struct test_chunk *c = chunk_with_giver(test, GIVER(VARG, 0), TAKER(RET, 0, 0, 0));
	u32 jump = 4;

	c->insns[jump] = (struct ktap_code){ .op = KTAP_OP_JMP, .d = -2 };
	test_refused(c, -EINVAL, "instruction 3 takes open values, and is jumped to");
	c->insns[jump].d = -3;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	/* Nor is it where errors are caught. */
	test_try(c, 1, 2, 3, 0);
	test_refused(c, -EINVAL, "instruction 3 takes open values, and is jumped to");
}

static void variable_arguments_are_of_variadic_functions(struct kunit *test)
{
	struct test_chunk *c = chunk_with_giver(test, GIVER(VARG, 0), TAKER(RET, 0, 0, 0));

	c->funcs[1].flags = 0;
	test_refused(c, -EINVAL, "function main has no variable arguments");
}

static struct kunit_case open_cases[] = {
	KUNIT_CASE(open_values_are_taken_by_the_next_instruction),
	KUNIT_CASE(open_values_come_from_the_same_function),
	KUNIT_CASE(open_values_begin_where_they_are_taken_or_behind),
	KUNIT_CASE(values_in_front_of_open_ones_are_written),
	KUNIT_CASE(open_values_are_not_there_afterwards),
	KUNIT_CASE(who_takes_open_values_is_not_jumped_to),
	KUNIT_CASE(variable_arguments_are_of_variadic_functions),
	{}
};

static struct kunit_suite open_suite = {
	.name = "ktap_verifier_open",
	.test_cases = open_cases,
};

kunit_test_suite(open_suite);
