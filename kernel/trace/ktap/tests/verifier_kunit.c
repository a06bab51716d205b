// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier: invalid programs are refused, valid ones accepted.
 */
#include <linux/string.h>
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/opcode.h"

#define NREGS	10

/*
 * One of everything an index can name, and a main whose registers are all
 * written.  The string is the name of a variable of the kernel.
 */
static struct test_chunk *chunk_with_main(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_int(c, 1);
	test_global(c, "jiffies");
	test_field(c, "f");
	test_func(c, "main", 0, NREGS);
	test_insn(c, KTAP_OP_NIL, 0, NREGS - 1, 0, 0);
	return c;
}

/* A valid instruction of this opcode; jumps go to the next one. */
static struct ktap_code right_insn(u8 op)
{
	const struct ktap_opdef *def = &ktap_opdefs[op];
	struct ktap_code insn = { .op = op };

	if (op == KTAP_OP_CONCAT || op == KTAP_OP_TUPLE)
		insn.c = 2;
	if (op == KTAP_OP_CALLB)
		insn.d = KTAP_FN_PID;
	if (op == KTAP_OP_TSETM)
		insn.b = 3;
	if (def->d == KTAP_X_DIVISOR)
		insn.d = 1;
	return insn;
}

static struct test_chunk *chunk_with_insn(struct kunit *test, const struct ktap_code *insn)
{
	struct test_chunk *c = chunk_with_main(test);

	if (insn->op == KTAP_OP_VARG || insn->op == KTAP_OP_TSETM)
		c->funcs[0].flags = cpu_to_le16(KTAP_FUNC_VARIADIC);
	if (insn->op == KTAP_OP_TSETM)
		test_insn(c, KTAP_OP_VARG, insn->b, 0, KTAP_MULTI, 0);
	test_insn(c, insn->op, insn->a, insn->b, insn->c,
		  insn->op == KTAP_OP_CALLK ? test_string(c, "in_task") : insn->d);
	TEST_RET(c);
	return c;
}

static void every_opcode_is_accepted(struct kunit *test)
{
	struct ktap_code insn;
	unsigned int op;

	for (op = 0; op < 256; op++) {
		if (!ktap_opdefs[op].name)
			continue;
		insn = right_insn(op);
		if (op == KTAP_OP_SYMBOL && !IS_ENABLED(CONFIG_KALLSYMS_ALL)) {
			test_refused(chunk_with_insn(test, &insn), -ENOENT,
				     "this kernel lists functions only");
			continue;
		}
		KUNIT_EXPECT_NOT_NULL_MSG(test, test_load(chunk_with_insn(test, &insn)), "%s",
					  ktap_opdefs[op].name);
	}
}

static void an_unknown_kernel_variable_is_refused(struct kunit *test)
{
	struct test_chunk *c = chunk_with_main(test);

	test_insn(c, KTAP_OP_SYMBOL, 0, 0, 0, test_string(c, "no such variable"));
	TEST_RET(c);
	test_refused(c, -ENOENT, "there is no kernel symbol 'no such variable'");
}

static void unknown_opcodes_are_refused(struct kunit *test)
{
	struct ktap_code insn = { };
	unsigned int op;

	for (op = 0; op < 256; op++) {
		insn.op = op;
		if (!ktap_opdefs[op].name)
			test_refused(chunk_with_insn(test, &insn), -EINVAL, "no instruction");
	}
}

static void unused_operands_must_be_zero(struct kunit *test)
{
	const struct ktap_opdef *def;
	struct ktap_code insn;
	unsigned int op;

	for (op = 0; op < 256; op++) {
		def = &ktap_opdefs[op];
		if (!def->name)
			continue;
		insn = right_insn(op);
		insn.a = 1;
		if (def->a == KTAP_X_NONE)
			test_refused(chunk_with_insn(test, &insn), -EINVAL, "does not use");
		insn = right_insn(op);
		insn.b = 1;
		if (def->b == KTAP_X_NONE)
			test_refused(chunk_with_insn(test, &insn), -EINVAL, "does not use");
		insn = right_insn(op);
		insn.c = 1;
		if (def->c == KTAP_X_NONE)
			test_refused(chunk_with_insn(test, &insn), -EINVAL, "does not use");
		insn = right_insn(op);
		insn.d = 1;
		if (def->d == KTAP_X_NONE)
			test_refused(chunk_with_insn(test, &insn), -EINVAL, "does not use");
	}
}

static bool is_register(u8 kind)
{
	return kind == KTAP_X_READ || kind == KTAP_X_WRITE || kind == KTAP_X_REG;
}

static void registers_must_be_in_the_function(struct kunit *test)
{
	const struct ktap_opdef *def;
	struct ktap_code insn;
	unsigned int op;

	for (op = 0; op < 256; op++) {
		def = &ktap_opdefs[op];
		if (!def->name)
			continue;
		insn = right_insn(op);
		insn.a = NREGS;
		if (is_register(def->a))
			test_refused(chunk_with_insn(test, &insn), -EINVAL, "register 10 of 10");
		insn = right_insn(op);
		insn.b = NREGS;
		if (is_register(def->b))
			test_refused(chunk_with_insn(test, &insn), -EINVAL, "register 10 of 10");
		insn = right_insn(op);
		insn.c = 255;
		if (is_register(def->c))
			test_refused(chunk_with_insn(test, &insn), -EINVAL, "register 255 of 10");
	}
}

static void implied_registers_must_be_in_the_function(struct kunit *test)
{
	static const struct ktap_code wrong[] = {
		{ .op = KTAP_OP_NIL, .a = 0, .b = NREGS },
		{ .op = KTAP_OP_MOV, .a = NREGS, .b = 0 },
		{ .op = KTAP_OP_CONCAT, .a = 0, .b = 9, .c = 2 },
		{ .op = KTAP_OP_TUPLE, .a = 0, .b = 0, .c = 11 },
		{ .op = KTAP_OP_ITER, .a = 6 },
		{ .op = KTAP_OP_NEXT, .a = 6 },
		{ .op = KTAP_OP_FORPREP, .a = 7 },
		{ .op = KTAP_OP_FORLOOP, .a = 7 },
		{ .op = KTAP_OP_CALL, .a = 9, .b = 2 },
		{ .op = KTAP_OP_CALL, .a = 9, .c = 2 },
		{ .op = KTAP_OP_CALL, .a = 10 },
		{ .op = KTAP_OP_CALLV, .a = 9, .b = 1 },
		{ .op = KTAP_OP_CALLV, .a = 10 },
		{ .op = KTAP_OP_RET, .a = 9, .b = 2 },
		{ .op = KTAP_OP_RET, .a = 10 },
		{ .op = KTAP_OP_VARG, .a = 10 },
		{ .op = KTAP_OP_VARG, .a = 9, .c = 2 },
		{ .op = KTAP_OP_VARG, .a = 10, .c = KTAP_MULTI },
		{ .op = KTAP_OP_CALL, .a = 10, .c = KTAP_MULTI },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		test_refused(chunk_with_insn(test, &wrong[i]), -EINVAL, "of 10 in instruction 1");
}

static void empty_ranges_are_refused(struct kunit *test)
{
	static const struct ktap_code wrong[] = {
		{ .op = KTAP_OP_NIL, .a = 1, .b = 0 },
		{ .op = KTAP_OP_CONCAT },
		{ .op = KTAP_OP_TUPLE, .c = 1 },
		{ .op = KTAP_OP_BOOL, .b = 2 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		test_refused(chunk_with_insn(test, &wrong[i]), -EINVAL, "in");
}

static void indexes_must_be_in_range(struct kunit *test)
{
	static const struct {
		u8 op;
		u32 n;
	} indexed[] = {
		{ KTAP_OP_INTK, 1 }, { KTAP_OP_STR, 3 }, { KTAP_OP_FUNC, 1 },
		{ KTAP_OP_GETG, 1 }, { KTAP_OP_SETG, 1 }, { KTAP_OP_ADDG, 1 },
		{ KTAP_OP_TGETS, 3 }, { KTAP_OP_TSETS, 3 }, { KTAP_OP_TADDS, 3 },
		{ KTAP_OP_CALL, 1 }, { KTAP_OP_FIELD, 1 },
		{ KTAP_OP_NEWT, KTAP_TABLE_LIMIT + 1 },
	};
	struct ktap_code insn;
	int i;

	for (i = 0; i < ARRAY_SIZE(indexed); i++) {
		insn = right_insn(indexed[i].op);
		insn.d = indexed[i].n;
		test_refused(chunk_with_insn(test, &insn), -EINVAL, " of ");
		insn.d = -1;
		test_refused(chunk_with_insn(test, &insn), -EINVAL, "-1 of ");
		insn.d = indexed[i].n - 1;
		KUNIT_EXPECT_NOT_NULL(test, test_load(chunk_with_insn(test, &insn)));
	}
	insn = right_insn(KTAP_OP_ARG);
	insn.d = -1;
	test_refused(chunk_with_insn(test, &insn), -EINVAL, "argument -1");
	insn = right_insn(KTAP_OP_DIVI);
	insn.d = 0;
	test_refused(chunk_with_insn(test, &insn), -EINVAL, "division by zero");
}

static void jumps_must_stay_in_the_function(struct kunit *test)
{
	static const s32 wrong[] = { 1, -3, S32_MAX, -S32_MAX - 1 };
	static const s32 right[] = { 0, -1, -2 };
	struct ktap_code insn;
	unsigned int op;
	int i;

	for (op = 0; op < 256; op++) {
		if (ktap_opdefs[op].d != KTAP_X_JUMP)
			continue;
		insn = right_insn(op);
		for (i = 0; i < ARRAY_SIZE(wrong); i++) {
			insn.d = wrong[i];
			test_refused(chunk_with_insn(test, &insn), -EINVAL, "jump out of");
		}
		for (i = 0; i < ARRAY_SIZE(right); i++) {
			insn.d = right[i];
			KUNIT_EXPECT_NOT_NULL(test, test_load(chunk_with_insn(test, &insn)));
		}
	}
}

static void a_function_ends_with_ret_or_jmp(struct kunit *test)
{
	struct test_chunk *c = chunk_with_main(test);

	test_refused(c, -EINVAL, "has no end");
	test_insn(c, KTAP_OP_JT, 0, 0, 0, -1);
	test_refused(c, -EINVAL, "has no end");
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -1);
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
}

/* For every register an opcode reads: it must have been written. */
static void registers_are_written_before_they_are_read(struct kunit *test)
{
	const struct ktap_opdef *def;
	struct ktap_code insn;
	struct test_chunk *c;
	unsigned int op, i;

	for (op = 0; op < 256; op++) {
		def = &ktap_opdefs[op];
		for (i = 0; def->name && i < 3; i++) {
			insn = right_insn(op);
			if (i == 0 && def->a == KTAP_X_READ)
				insn.a = 1;
			else if (i == 1 && def->b == KTAP_X_READ)
				insn.b = 1;
			else if (i == 2 && def->c == KTAP_X_READ)
				insn.c = 1;
			else
				continue;
			c = chunk_with_insn(test, &insn);
			/* Register 0 only. */
			c->insns[0].b = 0;
			test_refused(c, -EINVAL, "reads register 1");
		}
	}
}

static void implied_registers_are_written_before_they_are_read(struct kunit *test)
{
	static const struct ktap_code wrong[] = {
		{ .op = KTAP_OP_CONCAT, .b = 0, .c = 2 },
		{ .op = KTAP_OP_TUPLE, .b = 0, .c = 2 },
		{ .op = KTAP_OP_ITER, .a = 1 },
		{ .op = KTAP_OP_NEXT, .a = 0 },
		{ .op = KTAP_OP_FORPREP, .a = 0 },
		{ .op = KTAP_OP_FORLOOP, .a = 0 },
		{ .op = KTAP_OP_CALL, .a = 0, .b = 2 },
		{ .op = KTAP_OP_CALLV, .a = 1 },
		{ .op = KTAP_OP_CALLV, .a = 0, .b = 1 },
		{ .op = KTAP_OP_RET, .a = 0, .b = 2 },
	};
	struct test_chunk *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		c = chunk_with_insn(test, &wrong[i]);
		c->insns[0].b = 0;
		test_refused(c, -EINVAL, "reads register 1");
	}
}

static void a_register_must_be_written_on_every_path(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	u32 skip;

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_BOOL, 0, 1, 0, 0);
	skip = test_insn(c, KTAP_OP_JT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	test_refused(c, -EINVAL, "instruction 3 reads register 1");
	/* The other path writes it, too. */
	c->insns[skip].d = 0;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
}

static void a_loop_body_may_be_skipped(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_JGEI, 0, 5, 0, 3);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 7);
	test_insn(c, KTAP_OP_ADDI, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -4);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	test_refused(c, -EINVAL, "reads register 1");
}

static void the_second_iteration_of_a_loop_is_verified(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 4);
	test_insn(c, KTAP_OP_NIL, 0, 3, 0, 0);
	test_insn(c, KTAP_OP_MOV, 0, 1, 0, 0);
	test_insn(c, KTAP_OP_CALL, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -3);
	test_refused(c, -EINVAL, "instruction 1 reads register 1");
	c->insns[2].c = 1;
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
}

/* Types written late in a loop reach its start only in the second pass. */
static void type_sets_grow_to_a_fixed_point(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_NIL, 0, 2, 0, 0);
	/* loop: len(R[2]); its chance comes with R[2] = R[1], R[1] = R[0], R[0] = "s" */
	test_insn(c, KTAP_OP_MOV, 2, 1, 0, 0);
	test_insn(c, KTAP_OP_MOV, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_CALLB, 2, 1, 0, KTAP_FN_LEN);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -5);
	/* In the first round R[2] is nil and nothing else. */
	test_refused(c, -EINVAL, "len");
	c->insns[1] = c->insns[2];
	c->insns[1].a = 2;
	c->insns[1].b = 0;
	test_refused(c, -EINVAL, "len");
	c->insns[1].op = KTAP_OP_GETG;
	c->insns[1].b = 0;
	test_global(c, "g");
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
}

static void unreachable_code_may_read_anything(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 2);
	TEST_RET(c);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	c->insns[1].a = 2;
	test_refused(c, -EINVAL, "register");
}

static void built_in_arguments_are_verified(struct kunit *test)
{
	static const struct {
		struct ktap_code insn;
		const char *words;
	} wrong[] = {
		{ { .op = KTAP_OP_CALLB, .d = 0 }, "no built-in" },
		{ { .op = KTAP_OP_CALLB, .d = KTAP_NR_FUNCTIONS - 1 }, "no built-in" },
		{ { .op = KTAP_OP_CALLB, .d = KTAP_NR_FUNCTIONS }, "no built-in" },
		{ { .op = KTAP_OP_CALLB, .d = -1 }, "no built-in" },
		{ { .op = KTAP_OP_CALLB, .b = 1, .d = KTAP_FN_PID }, "pid takes" },
		{ { .op = KTAP_OP_CALLB, .b = 0, .d = KTAP_FN_LEN }, "len takes" },
		{ { .op = KTAP_OP_CALLB, .b = 2, .d = KTAP_FN_LEN }, "len takes" },
		{ { .op = KTAP_OP_CALLB, .b = 1, .d = KTAP_FN_COUNT }, "count takes" },
		/* All registers are nil. */
		{ { .op = KTAP_OP_CALLB, .b = 1, .d = KTAP_FN_LEN }, "argument 1 is nil" },
		{ { .op = KTAP_OP_CALLB, .b = 1, .d = KTAP_FN_CLEAR }, "argument 1 is nil" },
	};
	struct ktap_code insn;
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		test_refused(chunk_with_insn(test, &wrong[i].insn), -EINVAL, wrong[i].words);
	insn = (struct ktap_code){ .op = KTAP_OP_CALLB, .a = 9, .b = 2, .d = KTAP_FN_PRINT };
	test_refused(chunk_with_insn(test, &insn), -EINVAL, "register");
}

static void after_a_call_only_its_results_are_defined(struct kunit *test)
{
	struct test_chunk *c = chunk_with_main(test);
	u32 call, ret;

	call = test_insn(c, KTAP_OP_CALL, 2, 1, 2, 0);
	ret = test_insn(c, KTAP_OP_RET, 0, 4, 0, 0);
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	c->insns[ret].b = 5;
	test_refused(c, -EINVAL, "reads register 4");
	c->insns[call].b = KTAP_MAX_ARGS + 1;
	test_refused(c, -EINVAL, "33 arguments");
	/* A built-in leaves its result and the registers that are not arguments. */
	c->insns[call] = (struct ktap_code){ .op = KTAP_OP_CALLB, .a = 2, .b = 3,
					     .d = KTAP_FN_PRINT };
	c->insns[ret] = (struct ktap_code){ .op = KTAP_OP_RET, .a = 5, .b = 5 };
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	c->insns[ret].a = 3;
	test_refused(c, -EINVAL, "reads register 3");
}

static void parameters_count_as_written(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_func(c, "f", 3, 4);
	test_insn(c, KTAP_OP_RET, 0, 3, 0, 0);
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	c->insns[1].b = 4;
	test_refused(c, -EINVAL, "reads register 3");
}

static void long_functions_are_verified(struct kunit *test)
{
	struct test_chunk *c = test_large_chunk(test, KTAP_MAX_INSNS);
	u32 i;

	test_func(c, "main", 0, 20);
	test_insn(c, KTAP_OP_NIL, 0, 19, 0, 0);
	/* A loop around branches, the most there is room for. */
	for (i = 0; i < KTAP_MAX_INSNS / 2 - 2; i++) {
		test_insn(c, KTAP_OP_JT, i % 20, 0, 0, 1);
		test_insn(c, KTAP_OP_INT, i % 19, 0, 0, i);
	}
	test_insn(c, KTAP_OP_JT, 0, 0, 0, -(s32)c->ninsns);
	TEST_RET(c);
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
}

/* For values that may be an event: the text exists only if it was requested. */
static void uses_of_event_text_are_recorded(struct kunit *test)
{
	static const u32 ids[] = {
		KTAP_FN_PRINT, KTAP_FN_PRINTF, KTAP_FN_FORMAT, KTAP_FN_TOSTRING,
		KTAP_FN_STRINGOF, KTAP_FN_SYSTEM,
	};
	struct ktap_program *prog;
	struct test_chunk *c;
	bool two;
	int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		two = ktap_builtins[ids[i]].max > 1;
		c = test_chunk(test);
		test_func(c, "main", 0, 1);
		TEST_RET(c);
		test_func(c, "f", 1, 3);
		test_insn(c, KTAP_OP_STR, 1, 0, 0, test_string(c, "%s"));
		test_insn(c, KTAP_OP_MOV, two ? 2 : 1, 0, 0, 0);
		test_insn(c, KTAP_OP_CALLB, 1, 1 + two, 0, ids[i]);
		TEST_RET(c);
		prog = test_load(c);
		KUNIT_ASSERT_NOT_NULL(test, prog);
		KUNIT_EXPECT_EQ_MSG(test, prog->uses & KTAP_USES_ARGSTR, KTAP_USES_ARGSTR,
				    "case %d", i);
	}
}

static void uses_of_a_program_are_recorded(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_program *prog;
	u32 insn;

	test_func(c, "main", 0, 2);
	insn = test_insn(c, KTAP_OP_NIL, 0, 1, 0, 0);
	test_insn(c, KTAP_OP_NIL, 0, 1, 0, 0);
	TEST_RET(c);
	prog = test_load(c);
	KUNIT_EXPECT_EQ(test, prog->uses, 0);
	c->insns[insn] = (struct ktap_code){ .op = KTAP_OP_NEWT };
	prog = test_load(c);
	KUNIT_EXPECT_EQ(test, prog->uses, KTAP_USES_HEAP);
	c->insns[insn] = (struct ktap_code){ .op = KTAP_OP_CALLB,
					     .d = KTAP_FN_ARGSTR };
	prog = test_load(c);
	KUNIT_EXPECT_EQ(test, prog->uses, KTAP_USES_ARGSTR);
	c->insns[insn] = (struct ktap_code){ .op = KTAP_OP_NIL };
	c->insns[insn + 1] = (struct ktap_code){ .op = KTAP_OP_CALLB, .b = 1,
						 .d = KTAP_FN_STDDEV };
	prog = test_load(c);
	KUNIT_EXPECT_EQ(test, prog->uses, KTAP_USES_SQUARES);
	/* A parameter may be an event. */
	c->insns[insn + 1] = (struct ktap_code){ .op = KTAP_OP_NIL };
	test_func(c, "f", 1, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_PRINT);
	TEST_RET(c);
	prog = test_load(c);
	KUNIT_EXPECT_EQ(test, prog->uses, KTAP_USES_ARGSTR);
}

static void errors_have_their_line(struct kunit *test)
{
	struct ktap_code insn = { .op = KTAP_OP_MOV, .a = 0, .b = NREGS };
	struct test_chunk *c = chunk_with_insn(test, &insn);

	test_lines(c);
	c->lines[1].column = cpu_to_le16(5);
	test_refused(c, -EINVAL, "test.kp:2:5: error: register 10");
}

static struct kunit_case verifier_cases[] = {
	KUNIT_CASE(every_opcode_is_accepted),
	KUNIT_CASE(unknown_opcodes_are_refused),
	KUNIT_CASE(an_unknown_kernel_variable_is_refused),
	KUNIT_CASE(unused_operands_must_be_zero),
	KUNIT_CASE(registers_must_be_in_the_function),
	KUNIT_CASE(implied_registers_must_be_in_the_function),
	KUNIT_CASE(empty_ranges_are_refused),
	KUNIT_CASE(indexes_must_be_in_range),
	KUNIT_CASE(jumps_must_stay_in_the_function),
	KUNIT_CASE(a_function_ends_with_ret_or_jmp),
	KUNIT_CASE(registers_are_written_before_they_are_read),
	KUNIT_CASE(implied_registers_are_written_before_they_are_read),
	KUNIT_CASE(a_register_must_be_written_on_every_path),
	KUNIT_CASE(a_loop_body_may_be_skipped),
	KUNIT_CASE(the_second_iteration_of_a_loop_is_verified),
	KUNIT_CASE(type_sets_grow_to_a_fixed_point),
	KUNIT_CASE(unreachable_code_may_read_anything),
	KUNIT_CASE(built_in_arguments_are_verified),
	KUNIT_CASE(after_a_call_only_its_results_are_defined),
	KUNIT_CASE(parameters_count_as_written),
	KUNIT_CASE(long_functions_are_verified),
	KUNIT_CASE(uses_of_event_text_are_recorded),
	KUNIT_CASE(uses_of_a_program_are_recorded),
	KUNIT_CASE(errors_have_their_line),
	{}
};

static struct kunit_suite verifier_suite = {
	.name = "ktap_verifier",
	.test_cases = verifier_cases,
};

kunit_test_suite(verifier_suite);
