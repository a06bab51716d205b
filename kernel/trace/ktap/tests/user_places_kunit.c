// SPDX-License-Identifier: GPL-2.0
/*
 * What the program ktap says of places in programs: lines, and recipes of arguments.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "../answers.h"

#ifdef CONFIG_HAVE_REGS_AND_STACK_ACCESS_API
/* Names of two registers, wherever this runs. */
static const char * const candidates[] = { "ax", "bx", "x1", "x2", "a1", "a2", "r1", "r2", "gpr3",
					   "gpr4" };

struct two {
	const char *name[2];
	int offset[2];
};

static struct two registers(struct kunit *test)
{
	struct two two = {};
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(candidates) && n < 2; i++) {
		two.name[n] = candidates[i];
		two.offset[n] = regs_query_register_offset(candidates[i]);
		n += two.offset[n] >= 0;
	}
	KUNIT_ASSERT_EQ(test, n, 2);
	return two;
}

static void set_register(struct pt_regs *regs, int offset, unsigned long value)
{
#ifdef CONFIG_S390
	/* Its offsets are the registers' numbers. */
	regs->gprs[offset] = value;
#else
	*(unsigned long *)((char *)regs + offset) = value;
#endif
}

/* What is called "ip": on arm it is the twelfth register. */
static void set_ip(struct pt_regs *regs, unsigned long value)
{
#ifdef CONFIG_ARM
	regs->ARM_ip = value;
#else
	instruction_pointer_set(regs, value);
#endif
}

#endif

/* Memory of a process that has a byte at each address: the lowest of the address. */
#define HOLE	0x5000

static u64 read_from;

static int read_bytes(void *to, u64 from, size_t size)
{
	u8 *bytes = to;
	size_t i;

	read_from = from;
	if (from == HOLE)
		return -EFAULT;
	for (i = 0; i < size; i++)
		bytes[i] = from + i;
	return 0;
}

static int get(struct kunit *test, const char *text, struct pt_regs *regs, unsigned int pointer,
	       s64 *value)
{
	struct ktap_recipe r;
	const char *why = ktap_recipe_parse(text, &r);

	KUNIT_EXPECT_NULL_MSG(test, why, "%s", text);
	if (why)
		return -EINVAL;
	return ktap_recipe_get(&r, regs, pointer, read_bytes, value);
}

static void expect(struct kunit *test, const char *text, struct pt_regs *regs, s64 wanted)
{
	s64 value = 0;

	KUNIT_EXPECT_EQ_MSG(test, 0, get(test, text, regs, 8, &value), "%s", text);
	KUNIT_EXPECT_EQ_MSG(test, wanted, value, "%s", text);
}

static void constants(struct kunit *test)
{
	struct pt_regs regs = {};
	s64 value;

	expect(test, "4@$5", &regs, 5);
	expect(test, "-4@$-5", &regs, -5);
	expect(test, "4@$-5", &regs, 0xfffffffb);
	expect(test, "1@$0x1ff", &regs, 0xff);
	expect(test, "-1@$0x80", &regs, -128);
	expect(test, "-2@$0x8000", &regs, S16_MIN);
	expect(test, "-8@$-9223372036854775808", &regs, S64_MIN);
	expect(test, "8@$0xffffffffffffffff", &regs, -1);
	expect(test, "1@$0x1234>>8", &regs, 0x12);
	KUNIT_EXPECT_EQ(test, -ENODATA, get(test, "!8@%xmm0", &regs, 8, &value));
}

#ifdef CONFIG_HAVE_REGS_AND_STACK_ACCESS_API
static void registers_and_their_parts(struct kunit *test)
{
	struct two two = registers(test);
	struct pt_regs regs = {};
	char text[64];

	set_register(&regs, two.offset[0], 0x1234f678);
	snprintf(text, sizeof(text), "8@%%%s", two.name[0]);
	expect(test, text, &regs, 0x1234f678);
	snprintf(text, sizeof(text), "-2@%%%s", two.name[0]);
	expect(test, text, &regs, (s16)0xf678);
	snprintf(text, sizeof(text), "1@%%%s>>8", two.name[0]);
	expect(test, text, &regs, 0xf6);
	set_ip(&regs, 0x4000);
	expect(test, "8@%ip", &regs, 0x4000);
}

static void expect_address(struct kunit *test, struct pt_regs *regs, unsigned int pointer,
			   const char *text, u64 address)
{
	s64 value = 0;

	read_from = 0;
	KUNIT_EXPECT_EQ_MSG(test, 0, get(test, text, regs, pointer, &value), "%s", text);
	KUNIT_EXPECT_EQ_MSG(test, address, read_from, "%s", text);
	KUNIT_EXPECT_EQ_MSG(test, address & 0xff, value & 0xff, "%s", text);
}

static void memory(struct kunit *test)
{
	struct two two = registers(test);
	struct pt_regs regs = {};
	char text[64];
	s64 value;

	set_register(&regs, two.offset[0], 0x1010);
	set_register(&regs, two.offset[1], 0x22);
	snprintf(text, sizeof(text), "1@(%%%s)", two.name[0]);
	expect_address(test, &regs, 8, text, 0x1010);
	snprintf(text, sizeof(text), "1@-16(%%%s)", two.name[0]);
	expect_address(test, &regs, 8, text, 0x1000);
	snprintf(text, sizeof(text), "1@0x10(%%%s,%%%s)", two.name[0], two.name[1]);
	expect_address(test, &regs, 8, text, 0x1042);
	snprintf(text, sizeof(text), "1@8(%%%s,%%%s,4)", two.name[0], two.name[1]);
	expect_address(test, &regs, 8, text, 0x10a0);
	set_ip(&regs, 0x4000);
	expect_address(test, &regs, 8, "1@0x100(%ip)", 0x4100);
	/* Addresses of a small process wrap early. */
	snprintf(text, sizeof(text), "1@0xfffffff0(%%%s)", two.name[0]);
	expect_address(test, &regs, 4, text, 0x1000);

	/* Its bytes, and not more. */
	snprintf(text, sizeof(text), "1@(%%%s)", two.name[0]);
	expect(test, text, &regs, 0x10);
	snprintf(text, sizeof(text), "-1@0x7f(%%%s)", two.name[0]);
	expect(test, text, &regs, (s8)0x8f);
	set_register(&regs, two.offset[0], HOLE);
	KUNIT_EXPECT_EQ(test, -EFAULT, get(test, text, &regs, 8, &value) ?:
			get(test, "1@0x1000(%ip)", &regs, 8, &value));
}
#endif

static void no_recipes(struct kunit *test)
{
	static const char * const texts[] = {
		"", "4", "4@", "@$1", "3@$1", "16@$1", "-@$1", "4@$", "4@$x", "4@$1 ", "4@$1x",
		"4@1", "4@%", "4@%nosuch", "4@%averylongregister", "4@()", "4@(ip)", "4@(%ip",
		"4@8%ip", "4@(%ip,)", "4@(%ip,%ip,3)", "4@(%ip,%ip,)", "4@(%ip,8)", "4@(%ip)x",
		"4@$1>", "4@$1>>", "4@$1>>64", "4@$1>>-1", "4@$18446744073709551616",
		"4@$-9223372036854775809", "--4@$1", "4@@$1", "0x4@%ip>8",
		"99999999999999999999@$1",
	};
	struct ktap_recipe r;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, ktap_recipe_parse(texts[i], &r), "%s", texts[i]);
}

typedef int (*line_fn)(struct ktap_answers *answers, char *line, const char **why);

static int feed(struct ktap_answers *answers, line_fn fn, const char *text)
{
	const char *why = NULL;
	char line[256];
	int err;

	strscpy(line, text);
	err = fn(answers, line, &why);
	return err && !why ? 1 : err;
}

static void free_answers(void *answers)
{
	ktap_answers_free(answers);
}

static struct ktap_answers *no_answers(struct kunit *test)
{
	struct ktap_answers *answers = kunit_kzalloc(test, sizeof(*answers), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, answers);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_answers, answers));
	return answers;
}

static void lines_become_places(struct kunit *test)
{
	struct ktap_answers *answers = no_answers(test);
	const struct ktap_answer *a;

	KUNIT_EXPECT_EQ(test, 0, feed(answers, ktap_answer_uprobe, "probe:libc:m* /lib/a\\040b"));
	KUNIT_EXPECT_EQ(test, 0, feed(answers, ktap_answer_at, "0x10 0 malloc"));
	KUNIT_EXPECT_EQ(test, 0, feed(answers, ktap_answer_at, "0x20 0x30 p:m\\012 4@$1 !x"));
	KUNIT_EXPECT_EQ(test, 0, feed(answers, ktap_answer_unresolved,
				      "uprobe:/b:f no such\\040thing"));
	KUNIT_EXPECT_EQ(test, 0, feed(answers, ktap_answer_uprobe, "probe:libc:m* /lib/c"));
	KUNIT_EXPECT_EQ(test, 0, feed(answers, ktap_answer_at, "7 0 x"));

	a = ktap_answer_find(answers, NULL, "probe:libc:m*");
	KUNIT_ASSERT_TRUE(test, a);
	KUNIT_EXPECT_STREQ(test, a->path, "/lib/a b");
	KUNIT_ASSERT_TRUE(test, a->places);
	KUNIT_EXPECT_EQ(test, a->places->offset, 0x10);
	KUNIT_EXPECT_EQ(test, a->places->semaphore, 0);
	KUNIT_EXPECT_STREQ(test, a->places->name, "malloc");
	KUNIT_EXPECT_EQ(test, a->places->name_len, 6);
	KUNIT_EXPECT_EQ(test, a->places->nargs, 0);
	KUNIT_ASSERT_TRUE(test, a->places->next);
	KUNIT_EXPECT_EQ(test, a->places->next->semaphore, 0x30);
	KUNIT_EXPECT_STREQ(test, a->places->next->name, "p:m\n");
	KUNIT_EXPECT_EQ(test, a->places->next->nargs, 2);
	KUNIT_EXPECT_EQ(test, a->places->next->args[0].kind, KTAP_RECIPE_CONST);
	KUNIT_EXPECT_EQ(test, a->places->next->args[1].kind, KTAP_RECIPE_NONE);
	KUNIT_EXPECT_TRUE(test, !a->places->next->next);
	a = ktap_answer_find(answers, a, "probe:libc:m*");
	KUNIT_ASSERT_TRUE(test, a);
	KUNIT_EXPECT_STREQ(test, a->path, "/lib/c");
	KUNIT_EXPECT_TRUE(test, !ktap_answer_find(answers, a, "probe:libc:m*"));

	a = ktap_answer_find(answers, NULL, "uprobe:/b:f");
	KUNIT_ASSERT_TRUE(test, a);
	KUNIT_EXPECT_TRUE(test, !a->path);
	KUNIT_EXPECT_STREQ(test, a->message, "no such thing");
	KUNIT_EXPECT_TRUE(test, !ktap_answer_find(answers, NULL, "uprobe:/b"));
}

static void more_arguments_than_a_script_can_ask_for(struct kunit *test)
{
	static const char line[] = "1 0 a:b 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1";
	struct ktap_answers *answers = no_answers(test);

	KUNIT_EXPECT_EQ(test, 0, feed(answers, ktap_answer_uprobe, "usdt:/a:b /a"));
	KUNIT_EXPECT_EQ(test, 0, feed(answers, ktap_answer_at, line));
	KUNIT_EXPECT_EQ(test, answers->first->places->nargs, KTAP_USER_ARGS);
}

static void no_lines(struct kunit *test)
{
	static const struct {
		line_fn fn;
		const char *text;
	} cases[] = {
		{ ktap_answer_uprobe, "" },
		{ ktap_answer_uprobe, "e" },
		{ ktap_answer_uprobe, "e " },
		{ ktap_answer_uprobe, " e /p" },
		{ ktap_answer_uprobe, "e p" },
		{ ktap_answer_uprobe, "e /p x" },
		{ ktap_answer_uprobe, "e /p " },
		{ ktap_answer_uprobe, "e  /p" },
		{ ktap_answer_uprobe, "e /p\\" },
		{ ktap_answer_uprobe, "e /p\\4" },
		{ ktap_answer_uprobe, "e /p\\048" },
		{ ktap_answer_uprobe, "e /p\\000" },
		{ ktap_answer_uprobe, "e /p\\777" },
		{ ktap_answer_unresolved, "e" },
		{ ktap_answer_unresolved, "e " },
		{ ktap_answer_unresolved, "e a\\" },
		{ ktap_answer_at, "" },
		{ ktap_answer_at, "0x10" },
		{ ktap_answer_at, "0x10 0" },
		{ ktap_answer_at, "x 0 f" },
		{ ktap_answer_at, "-1 0 f" },
		{ ktap_answer_at, "0x10 y f" },
		{ ktap_answer_at, "0x8000000000000000 0 f" },
		{ ktap_answer_at, "1 0x8000000000000000 f" },
		{ ktap_answer_at, "0x10 0 f " },
		{ ktap_answer_at, "0x10 0 f 4@$1 " },
		{ ktap_answer_at, "0x10 0 f 4@$1  4@$1" },
		{ ktap_answer_at, "0x10 0 f rubbish" },
		{ ktap_answer_at, "1 0 f !a !b !c !d !e !f !g !h !i !j rubbish" },
	};
	struct ktap_answers *answers = no_answers(test);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, -EINVAL, feed(answers, ktap_answer_at, "0x10 0 f"));
	KUNIT_EXPECT_EQ(test, 0, feed(answers, ktap_answer_unresolved, "e why"));
	KUNIT_EXPECT_EQ(test, -EINVAL, feed(answers, ktap_answer_at, "0x10 0 f"));
	KUNIT_EXPECT_EQ(test, 0, feed(answers, ktap_answer_uprobe, "e /p"));
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, feed(answers, cases[i].fn, cases[i].text), "%s",
				    cases[i].text);
	KUNIT_EXPECT_EQ(test, answers->nanswers, 2);
	KUNIT_EXPECT_EQ(test, answers->nplaces, 0);
}

static void there_is_an_end_to_it(struct kunit *test)
{
	struct ktap_answers *answers = no_answers(test);
	size_t before;
	unsigned int i;

	for (i = 0; i < KTAP_MAX_ANSWERS; i++)
		KUNIT_ASSERT_EQ(test, 0, feed(answers, ktap_answer_uprobe, "e /p"));
	KUNIT_EXPECT_EQ(test, -E2BIG, feed(answers, ktap_answer_uprobe, "e /p"));
	KUNIT_EXPECT_EQ(test, -E2BIG, feed(answers, ktap_answer_unresolved, "e why"));
	before = answers->bytes;
	for (i = 0; i < KTAP_MAX_PLACES; i++)
		KUNIT_ASSERT_EQ(test, 0, feed(answers, ktap_answer_at, "1 0 f"));
	KUNIT_EXPECT_EQ(test, -E2BIG, feed(answers, ktap_answer_at, "1 0 f"));
	KUNIT_EXPECT_GT(test, answers->bytes, before + KTAP_MAX_PLACES * sizeof(struct ktap_place));

	ktap_answers_free(answers);
	KUNIT_EXPECT_EQ(test, 0, feed(answers, ktap_answer_uprobe, "e /p"));
	answers->bytes = KTAP_MAX_ANSWER_BYTES - sizeof(struct ktap_place) - 1;
	KUNIT_EXPECT_EQ(test, -E2BIG, feed(answers, ktap_answer_at, "1 0 f"));
	answers->bytes--;
	KUNIT_EXPECT_EQ(test, 0, feed(answers, ktap_answer_at, "1 0 f"));
	KUNIT_EXPECT_EQ(test, answers->bytes, KTAP_MAX_ANSWER_BYTES);
	KUNIT_EXPECT_EQ(test, -E2BIG, feed(answers, ktap_answer_at, "1 0 f"));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(constants),
#ifdef CONFIG_HAVE_REGS_AND_STACK_ACCESS_API
	KUNIT_CASE(registers_and_their_parts),
	KUNIT_CASE(memory),
#endif
	KUNIT_CASE(no_recipes),
	KUNIT_CASE(lines_become_places),
	KUNIT_CASE(more_arguments_than_a_script_can_ask_for),
	KUNIT_CASE(no_lines),
	KUNIT_CASE(there_is_an_end_to_it),
	{}
};

static struct kunit_suite suite = {
	.name = "ktap_answers",
	.test_cases = cases,
};

kunit_test_suite(suite);
