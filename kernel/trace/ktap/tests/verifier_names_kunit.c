// SPDX-License-Identifier: GPL-2.0
/*
 * Names of types and variables: each is looked up once.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "load/verifier_types.h"
#include "tests/build.h"
#include "vm/builtin.h"

#define MANY	(2 * KTAP_MAX_NAMES)

static struct ktap_names *begin(struct kunit *test)
{
	struct ktap_names *names = kunit_kzalloc(test, sizeof(*names), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, names);
	KUNIT_ASSERT_EQ(test, ktap_names_begin(names), 0);
	return names;
}

static void equal_strings_share_one_name(struct kunit *test)
{
	struct ktap_value x = KTAP_VALUE_STR("abc", 3), y = KTAP_VALUE_STR("abcd", 3),
			  other = KTAP_VALUE_STR("abcd", 4);
	struct ktap_names *names = begin(test);
	struct ktap_name *name;
	bool new;

	name = ktap_name_find(names, KTAP_NAME_TYPE, &x, &new);
	KUNIT_EXPECT_TRUE(test, new);
	KUNIT_EXPECT_PTR_EQ(test, ktap_name_find(names, KTAP_NAME_TYPE, &y, &new), name);
	KUNIT_EXPECT_FALSE(test, new);
	KUNIT_EXPECT_TRUE(test, ktap_name_find(names, KTAP_NAME_TYPE, &other, &new) != name);
	KUNIT_EXPECT_TRUE(test, new);
	KUNIT_EXPECT_TRUE(test, ktap_name_find(names, KTAP_NAME_SYMBOL, &x, &new) != name);
	KUNIT_EXPECT_TRUE(test, new);
	KUNIT_EXPECT_EQ(test, names->n, 3);
	ktap_names_end(names);
}

/* Fill the table with numbers as names, which match nothing. */
static struct ktap_value *fill(struct kunit *test, struct ktap_names *names)
{
	struct ktap_value *texts;
	bool new;
	u32 i;

	texts = kunit_kzalloc(test, KTAP_MAX_NAMES * sizeof(*texts), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, texts);
	for (i = 0; i < KTAP_MAX_NAMES; i++) {
		char *text = kunit_kzalloc(test, 8, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, text);
		texts[i] = KTAP_VALUE_STR(text, snprintf(text, 8, "%u", i));
		KUNIT_ASSERT_NOT_NULL(test, ktap_name_find(names, KTAP_NAME_TYPE, &texts[i], &new));
		KUNIT_ASSERT_TRUE(test, new);
	}
	return texts;
}

static void known_names_are_found_in_a_full_table(struct kunit *test)
{
	struct ktap_value one_more = KTAP_VALUE_STR("one more", 8), *texts;
	struct ktap_names *names = begin(test);
	bool new;
	u32 i;

	texts = fill(test, names);
	KUNIT_EXPECT_NULL(test, ktap_name_find(names, KTAP_NAME_TYPE, &one_more, &new));
	KUNIT_EXPECT_FALSE(test, new);
	for (i = 0; i < KTAP_MAX_NAMES; i++)
		KUNIT_EXPECT_PTR_EQ(test, ktap_name_find(names, KTAP_NAME_TYPE, &texts[i], &new),
				    &names->names[i]);
	KUNIT_EXPECT_EQ(test, names->n, KTAP_MAX_NAMES);
	ktap_names_end(names);
}

#ifdef CONFIG_KTAP_BTF
/**
 * struct sized - a program of nothing but sizeof(), and what the verifier would know
 * @prog: KTAP_MAX_INSNS times the built-in, of the argument in register 0
 * @strings: constants
 * @t: typing of it
 * @diag: what is wrong with it
 * @tags: set of the register's tags
 * @fact: its fact
 */
struct sized {
	struct ktap_program prog;
	struct ktap_value strings[5];
	struct ktap_typing t;
	struct ktap_diag diag;
	u16 tags;
	u32 fact;
};

static struct sized *begin_sized(struct kunit *test)
{
	static const char text[] = "struct list_head", same[] = "struct list_head";
	struct sized *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct ktap_program *prog = &s->prog;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->strings[0] = KTAP_VALUE_STR(text, strlen(text));
	s->strings[1] = KTAP_VALUE_STR(same, strlen(same));
	s->strings[2] = s->strings[0];
	s->strings[3] = KTAP_VALUE_STR("int", 3);
	s->strings[4] = KTAP_VALUE_STR("next", 4);
	prog->strings = s->strings;
	prog->nstrings = ARRAY_SIZE(s->strings);
	prog->ninsns = KTAP_MAX_INSNS;
	prog->nfuncs = 1;
	prog->code = kvcalloc(prog->ninsns, sizeof(*prog->code), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, prog->code);
	for (i = 0; i < prog->ninsns; i++)
		prog->code[i] = (struct ktap_code){
			.op = KTAP_OP_CALLB,
			.b = 1,
			.d = KTAP_FN_SIZEOF,
		};
	KUNIT_ASSERT_EQ(test, ktap_typing_begin(&s->t, prog, &s->diag), 0);
	KUNIT_ASSERT_EQ(test, s->t.err, 0);
	return s;
}

static int step(struct sized *s, u32 pc, u32 string)
{
	struct ktap_typed out = {};

	s->tags = ktap_bit(STR);
	s->fact = string + 1;
	return ktap_typing_step(&s->t, 0, pc, &s->tags, &s->fact, &out);
}

static void end_sized(struct sized *s)
{
	ktap_typing_end(&s->t);
	kvfree(s->prog.code);
}

static void a_type_is_looked_up_once(struct kunit *test)
{
	struct sized *s = begin_sized(test);
	u32 pc;

	for (pc = 0; pc < s->prog.ninsns - 1; pc++)
		KUNIT_ASSERT_EQ(test, step(s, pc, pc % 3), 0);
	KUNIT_EXPECT_EQ(test, s->t.names.n, 1);
	KUNIT_EXPECT_EQ(test, step(s, pc, 3), 0);
	KUNIT_EXPECT_EQ(test, s->t.names.n, 2);
	KUNIT_EXPECT_EQ(test, s->t.notes[0].d, 2 * sizeof(void *));
	KUNIT_EXPECT_EQ(test, s->t.notes[pc - 1].d, 2 * sizeof(void *));
	KUNIT_EXPECT_EQ(test, s->t.notes[pc].d, sizeof(int));
	end_sized(s);
}

/* Rule "names" */
static void names_beyond_the_limit_are_refused(struct kunit *test)
{
	struct sized *s = begin_sized(test);

	KUNIT_EXPECT_EQ(test, step(s, 0, 0), 0);
	s->t.names.n = 0;
	memset(s->t.names.first, 0, sizeof(s->t.names.first));
	fill(test, &s->t.names);
	KUNIT_EXPECT_EQ(test, step(s, 0, 0), -EINVAL);
	KUNIT_EXPECT_STREQ(test, s->diag.text,
			   "ktap: error: more than 1024 names of types and of the kernel's variables\n");
	end_sized(s);
}

static void member_lookups_are_counted(struct kunit *test)
{
	struct sized *s = begin_sized(test);
	struct ktap_typed out = {};
	u16 tags = ktap_bit(PTR);
	u32 fact;

	KUNIT_ASSERT_EQ(test, ktap_btf_find("struct list_head", &s->prog.types, &fact), 0);
	s->prog.code[0] = (struct ktap_code){ .op = KTAP_OP_TGETS, .d = 4 };
	KUNIT_EXPECT_EQ(test, ktap_typing_step(&s->t, 0, 0, &tags, &fact, &out), 0);
	KUNIT_EXPECT_EQ(test, s->t.work, 1);
	end_sized(s);
}

/* Searching for each of them would be too many lookups. */
static void a_chunk_may_have_many_of_one_type(struct kunit *test)
{
	struct test_chunk *c = test_large_chunk(test, 2 * MANY + 1);
	int i;

	test_string(c, "struct list_head");
	test_string(c, "struct list_head");
	test_func(c, "main", 0, 2);
	for (i = 0; i < MANY; i++) {
		test_insn(c, KTAP_OP_STR, 0, 0, 0, i % 2);
		test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_SIZEOF);
	}
	TEST_RET(c);
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
}
#endif

static struct kunit_case names_cases[] = {
	KUNIT_CASE(equal_strings_share_one_name),
	KUNIT_CASE(known_names_are_found_in_a_full_table),
#ifdef CONFIG_KTAP_BTF
	KUNIT_CASE(a_type_is_looked_up_once),
	KUNIT_CASE(names_beyond_the_limit_are_refused),
	KUNIT_CASE(member_lookups_are_counted),
	KUNIT_CASE(a_chunk_may_have_many_of_one_type),
#endif
	{}
};

static struct kunit_suite names_suite = {
	.name = "ktap_names",
	.test_cases = names_cases,
};

kunit_test_suite(names_suite);
