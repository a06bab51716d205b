// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier: errors that are caught.
 */
#include <asm/byteorder.h>

#include "tests/build.h"

#define NREGS	10

/* f(): the instruction 2 is tried, and the handler, 4, returns register 0. */
static struct test_chunk *chunk_with_try(struct kunit *test, struct ktap_code insn)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "f", 0, 2);
	TEST_RET(c);
	test_func(c, "main", 0, NREGS);
	test_insn(c, KTAP_OP_NIL, 0, 8, 0, 0);
	test_insn(c, insn.op, insn.a, insn.b, insn.c, insn.d);
	TEST_RET(c);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_try(c, 2, 3, 4, 8);
	c->header.main = cpu_to_le32(1);
	return c;
}

static void errors_are_caught_in_their_function(struct kunit *test)
{
	struct test_chunk *c = chunk_with_try(test, (struct ktap_code){ .op = KTAP_OP_ADD });

	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	c->tries[0].handler = cpu_to_le32(0);
	test_refused(c, -EINVAL, "errors of instruction 2 are caught outside of function main");
	c->tries[0].handler = cpu_to_le32(4);
	c->tries[0].reg = NREGS;
	test_refused(c, -EINVAL, "register 10 of 10 in instruction 2");
	c->tries[0].reg = 8;
	c->tries[0].first = cpu_to_le32(0);
	test_refused(c, -EINVAL, "errors of instruction 0 are caught outside of function f");
	/* From there on only the message is defined for the handler. */
	c->tries[0].first = cpu_to_le32(1);
	c->insns[4].a = 8;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
}

static void a_catch_handler_gets_the_types_after_a_failed_instruction(struct kunit *test)
{
	static const struct {
		struct ktap_code insn;
		u8 first;		/* registers that are spoiled */
		u8 end;
	} cases[] = {
		{ { .op = KTAP_OP_DIV, .a = 2 }, 0, 0 },
		{ { .op = KTAP_OP_GETG, .a = 2 }, 0, 0 },
		{ { .op = KTAP_OP_CALL, .a = 2, .b = 1, .c = 3 }, 2, 8 },
		{ { .op = KTAP_OP_CALLV, .a = 3, .c = 1 }, 3, 8 },
		{ { .op = KTAP_OP_CALLB, .a = 2, .b = 3, .d = KTAP_FN_PRINT }, 2, 5 },
		{ { .op = KTAP_OP_CALLB, .a = 2, .d = KTAP_FN_PID }, 2, 3 },
		{ { .op = KTAP_OP_NEXT, .a = 1 }, 1, 6 },
	};
	struct test_chunk *c;
	unsigned int reg;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (reg = 0; reg < 9; reg++) {
			c = chunk_with_try(test, cases[i].insn);
			test_global(c, "g");
			c->insns[4].a = reg;
			if (reg >= cases[i].first && reg < cases[i].end)
				test_refused(c, -EINVAL, "instruction 4 reads register");
			else
				KUNIT_EXPECT_NOT_NULL_MSG(test, test_load(c), "%d, register %u",
							  i, reg);
		}
	}
}

static void a_catch_handler_may_read_registers_written_before_the_try(struct kunit *test)
{
	const struct ktap_code insn = { .op = KTAP_OP_INT, .a = 9 };
	struct test_chunk *c = chunk_with_try(test, insn);

	/* An instruction may fail before it writes; so may the previous one. */
	c->insns[4].a = 9;
	test_refused(c, -EINVAL, "instruction 4 reads register 9");
	c->insns[1].b = 9;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	c->tries[0].first = cpu_to_le32(1);
	test_refused(c, -EINVAL, "instruction 4 reads register 9");
	/* The message is always defined, and is a string. */
	c->insns[4].a = 8;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	c->insns[4] = (struct ktap_code){ .op = KTAP_OP_CALLB, .a = 8, .b = 1,
					  .d = KTAP_FN_CLEAR };
	TEST_RET(c);
	test_refused(c, -EINVAL, "clear: argument 1 is a string");
	/* All other registers have an unknown type. */
	c->tries[0].first = cpu_to_le32(2);
	c->insns[4].a = 7;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
}

/* The handler of a try in a loop: types of the second iteration count, too. */
static void types_at_a_catch_handler_reach_a_fixed_point(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 4);
	test_insn(c, KTAP_OP_NIL, 0, 3, 0, 0);
	test_insn(c, KTAP_OP_ADD, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_CALL, 2, 0, 0, 0);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -3);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	test_try(c, 1, 2, 4, 3);
	test_refused(c, -EINVAL, "instruction 4 reads register 2");
	c->insns[2].c = 1;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
}

static struct kunit_case catch_cases[] = {
	KUNIT_CASE(errors_are_caught_in_their_function),
	KUNIT_CASE(a_catch_handler_gets_the_types_after_a_failed_instruction),
	KUNIT_CASE(a_catch_handler_may_read_registers_written_before_the_try),
	KUNIT_CASE(types_at_a_catch_handler_reach_a_fixed_point),
	{}
};

static struct kunit_suite catch_suite = {
	.name = "ktap_verifier_catch",
	.test_cases = catch_cases,
};

kunit_test_suite(catch_suite);
