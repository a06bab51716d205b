// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses in programs, as found by the program ktap: lines and argument descriptions.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "load/user_places.h"

#ifdef CONFIG_HAVE_REGS_AND_STACK_ACCESS_API
/* Names of two registers on each architecture. */
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

/* The register "ip", which is r12 on arm. */
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
	struct ktap_usdt_arg r;
	const char *why = ktap_usdt_arg_parse(text, &r);

	KUNIT_EXPECT_NULL_MSG(test, why, "%s", text);
	if (why)
		return -EINVAL;
	return ktap_usdt_arg_get(&r, regs, pointer, read_bytes, value);
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

	/* Read only the bytes of the argument. */
	snprintf(text, sizeof(text), "1@(%%%s)", two.name[0]);
	expect(test, text, &regs, 0x10);
	snprintf(text, sizeof(text), "-1@0x7f(%%%s)", two.name[0]);
	expect(test, text, &regs, (s8)0x8f);
	set_register(&regs, two.offset[0], HOLE);
	KUNIT_EXPECT_EQ(test, -EFAULT, get(test, text, &regs, 8, &value) ?:
			get(test, "1@0x1000(%ip)", &regs, 8, &value));
}
#endif

static void malformed_arguments_are_refused(struct kunit *test)
{
	static const char * const texts[] = {
		"", "4", "4@", "@$1", "3@$1", "16@$1", "-@$1", "4@$", "4@$x", "4@$1 ", "4@$1x",
		"4@1", "4@%", "4@%nosuch", "4@%averylongregister", "4@()", "4@(ip)", "4@(%ip",
		"4@8%ip", "4@(%ip,)", "4@(%ip,%ip,3)", "4@(%ip,%ip,)", "4@(%ip,8)", "4@(%ip)x",
		"4@$1>", "4@$1>>", "4@$1>>64", "4@$1>>-1", "4@$18446744073709551616",
		"4@$-9223372036854775809", "--4@$1", "4@@$1", "0x4@%ip>8",
		"99999999999999999999@$1",
	};
	struct ktap_usdt_arg r;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, ktap_usdt_arg_parse(texts[i], &r), "%s", texts[i]);
}

typedef int (*line_fn)(struct ktap_user_places *places, char *line, const char **why);

static int feed(struct ktap_user_places *places, line_fn fn, const char *text)
{
	const char *why = NULL;
	char line[256];
	int err;

	strscpy(line, text);
	err = fn(places, line, &why);
	return err && !why ? 1 : err;
}

static void free_user_places(void *places)
{
	ktap_user_places_free(places);
}

static struct ktap_user_places *no_user_places(struct kunit *test)
{
	struct ktap_user_places *places = kunit_kzalloc(test, sizeof(*places), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, places);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_user_places, places));
	return places;
}

static void lines_are_parsed_into_places(struct kunit *test)
{
	struct ktap_user_places *places = no_user_places(test);
	const struct ktap_user_event *a;

	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_event_found,
				      "probe:libc:m* /lib/a\\040b"));
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_place_at, "0x10 0 malloc"));
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_place_at, "0x20 0x30 p:m\\012 4@$1 !x"));
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_event_unresolved,
				      "uprobe:/b:f no such\\040thing"));
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_event_found, "probe:libc:m* /lib/c"));
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_place_at, "7 0 x"));

	a = ktap_user_event_find(places, NULL, "probe:libc:m*");
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
	KUNIT_EXPECT_EQ(test, a->places->next->args[0].kind, KTAP_USDT_ARG_CONST);
	KUNIT_EXPECT_EQ(test, a->places->next->args[1].kind, KTAP_USDT_ARG_NONE);
	KUNIT_EXPECT_TRUE(test, !a->places->next->next);
	a = ktap_user_event_find(places, a, "probe:libc:m*");
	KUNIT_ASSERT_TRUE(test, a);
	KUNIT_EXPECT_STREQ(test, a->path, "/lib/c");
	KUNIT_EXPECT_TRUE(test, !ktap_user_event_find(places, a, "probe:libc:m*"));

	a = ktap_user_event_find(places, NULL, "uprobe:/b:f");
	KUNIT_ASSERT_TRUE(test, a);
	KUNIT_EXPECT_TRUE(test, !a->path);
	KUNIT_EXPECT_STREQ(test, a->message, "no such thing");
	KUNIT_EXPECT_TRUE(test, !ktap_user_event_find(places, NULL, "uprobe:/b"));
}

static void arguments_beyond_the_last_readable_one_are_ignored(struct kunit *test)
{
	static const char line[] = "1 0 a:b 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1";
	struct ktap_user_places *places = no_user_places(test);

	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_event_found, "usdt:/a:b /a"));
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_place_at, line));
	KUNIT_EXPECT_EQ(test, places->first->places->nargs, KTAP_USER_ARGS);
}

static void named_arguments_belong_to_the_last_place(struct kunit *test)
{
	struct ktap_user_places *places = no_user_places(test);
	const struct ktap_user_param *param;
	unsigned int i;
	char line[16];

	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_event_found, "e /p"));
	KUNIT_EXPECT_EQ(test, -EINVAL, feed(places, ktap_user_param_of, "n 0 4"));
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_place_at, "1 0 f"));
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_place_at, "2 0 g"));
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_param_of, "n 0 4"));
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_param_of, "a\\040b 9 -8"));
	KUNIT_EXPECT_EQ(test, -EINVAL, feed(places, ktap_user_param_of, "n 1 4"));
	KUNIT_EXPECT_NULL(test, places->first->places->params);
	param = places->first->places->next->params;
	KUNIT_ASSERT_NOT_NULL(test, param);
	KUNIT_EXPECT_STREQ(test, param->name, "a b");
	KUNIT_EXPECT_EQ(test, param->n, 9);
	KUNIT_EXPECT_EQ(test, param->size, -8);
	KUNIT_ASSERT_NOT_NULL(test, param->next);
	KUNIT_EXPECT_STREQ(test, param->next->name, "n");
	for (i = 2; i <= KTAP_USER_ARGS; i++) {
		snprintf(line, sizeof(line), "n%u 0 1", i);
		KUNIT_EXPECT_EQ(test, i == KTAP_USER_ARGS ? -E2BIG : 0,
				feed(places, ktap_user_param_of, line));
	}
	/* An event that was not found has no place. */
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_event_unresolved, "e why"));
	KUNIT_EXPECT_EQ(test, -EINVAL, feed(places, ktap_user_param_of, "n 0 4"));
}

static void malformed_lines_are_refused(struct kunit *test)
{
	static const struct {
		line_fn fn;
		const char *text;
	} cases[] = {
		{ ktap_user_event_found, "" },
		{ ktap_user_event_found, "e" },
		{ ktap_user_event_found, "e " },
		{ ktap_user_event_found, " e /p" },
		{ ktap_user_event_found, "e p" },
		{ ktap_user_event_found, "e /p x" },
		{ ktap_user_event_found, "e /p " },
		{ ktap_user_event_found, "e  /p" },
		{ ktap_user_event_found, "e /p\\" },
		{ ktap_user_event_found, "e /p\\4" },
		{ ktap_user_event_found, "e /p\\048" },
		{ ktap_user_event_found, "e /p\\000" },
		{ ktap_user_event_found, "e /p\\777" },
		{ ktap_user_event_unresolved, "e" },
		{ ktap_user_event_unresolved, "e " },
		{ ktap_user_event_unresolved, "e a\\" },
		{ ktap_user_place_at, "" },
		{ ktap_user_place_at, "0x10" },
		{ ktap_user_place_at, "0x10 0" },
		{ ktap_user_place_at, "x 0 f" },
		{ ktap_user_place_at, "-1 0 f" },
		{ ktap_user_place_at, "0x10 y f" },
		{ ktap_user_place_at, "0x8000000000000000 0 f" },
		{ ktap_user_place_at, "1 0x8000000000000000 f" },
		{ ktap_user_place_at, "0x10 0 f " },
		{ ktap_user_place_at, "0x10 0 f 4@$1 " },
		{ ktap_user_place_at, "0x10 0 f 4@$1  4@$1" },
		{ ktap_user_place_at, "0x10 0 f rubbish" },
		{ ktap_user_place_at, "1 0 f !a !b !c !d !e !f !g !h !i !j rubbish" },
	};
	static const char * const params[] = {
		"", "n", "n 0", "n 0 4 ", "n 0 4 x", "n 10 4", "n -1 4", "n x 4", "n 0 3", "n 0 0",
		"n 0 -16", "n 0 128", "n 0 -128", "n\\ 0 4",
	};
	struct ktap_user_places *places = no_user_places(test);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, -EINVAL, feed(places, ktap_user_place_at, "0x10 0 f"));
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_event_unresolved, "e why"));
	KUNIT_EXPECT_EQ(test, -EINVAL, feed(places, ktap_user_place_at, "0x10 0 f"));
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_event_found, "e /p"));
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, feed(places, cases[i].fn, cases[i].text), "%s",
				    cases[i].text);
	KUNIT_EXPECT_EQ(test, places->nevents, 2);
	KUNIT_EXPECT_EQ(test, places->nplaces, 0);
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_place_at, "0x10 0 f"));
	for (i = 0; i < ARRAY_SIZE(params); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, feed(places, ktap_user_param_of, params[i]),
				    "%s", params[i]);
}

static void events_places_and_memory_are_limited(struct kunit *test)
{
	struct ktap_user_places *places = no_user_places(test);
	size_t before;
	unsigned int i;

	for (i = 0; i < KTAP_MAX_USER_EVENTS; i++)
		KUNIT_ASSERT_EQ(test, 0, feed(places, ktap_user_event_found, "e /p"));
	KUNIT_EXPECT_EQ(test, -E2BIG, feed(places, ktap_user_event_found, "e /p"));
	KUNIT_EXPECT_EQ(test, -E2BIG, feed(places, ktap_user_event_unresolved, "e why"));
	before = places->bytes;
	for (i = 0; i < KTAP_MAX_USER_PLACES; i++)
		KUNIT_ASSERT_EQ(test, 0, feed(places, ktap_user_place_at, "1 0 f"));
	KUNIT_EXPECT_EQ(test, -E2BIG, feed(places, ktap_user_place_at, "1 0 f"));
	KUNIT_EXPECT_GT(test, places->bytes,
			before + KTAP_MAX_USER_PLACES * sizeof(struct ktap_user_place));

	ktap_user_places_free(places);
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_event_found, "e /p"));
	places->bytes = KTAP_MAX_USER_PLACE_BYTES - sizeof(struct ktap_user_place) - 1;
	KUNIT_EXPECT_EQ(test, -E2BIG, feed(places, ktap_user_place_at, "1 0 f"));
	places->bytes--;
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_place_at, "1 0 f"));
	KUNIT_EXPECT_EQ(test, places->bytes, KTAP_MAX_USER_PLACE_BYTES);
	KUNIT_EXPECT_EQ(test, -E2BIG, feed(places, ktap_user_place_at, "1 0 f"));
}

static void memory_of_events_and_arguments_is_exact(struct kunit *test)
{
	struct ktap_user_places *places = no_user_places(test);
	size_t event = sizeof(struct ktap_user_event) + sizeof("e") + sizeof("/p"), before;

	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_event_found, "e /p"));
	KUNIT_EXPECT_EQ(test, event, places->bytes);
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_event_unresolved, "e why"));
	KUNIT_EXPECT_EQ(test, 2 * event + 1, places->bytes);
	places->bytes = KTAP_MAX_USER_PLACE_BYTES - event + 1;
	KUNIT_EXPECT_EQ(test, -E2BIG, feed(places, ktap_user_event_found, "e /p"));
	places->bytes--;
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_event_found, "e /p"));
	KUNIT_EXPECT_EQ(test, places->bytes, KTAP_MAX_USER_PLACE_BYTES);

	places->bytes = 0;
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_place_at, "1 0 f"));
	before = places->bytes;
	KUNIT_EXPECT_EQ(test, 0, feed(places, ktap_user_param_of, "size 0 4"));
	KUNIT_EXPECT_EQ(test, before + sizeof(struct ktap_user_param) + sizeof("size"),
			places->bytes);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(constants),
#ifdef CONFIG_HAVE_REGS_AND_STACK_ACCESS_API
	KUNIT_CASE(registers_and_their_parts),
	KUNIT_CASE(memory),
#endif
	KUNIT_CASE(malformed_arguments_are_refused),
	KUNIT_CASE(lines_are_parsed_into_places),
	KUNIT_CASE(arguments_beyond_the_last_readable_one_are_ignored),
	KUNIT_CASE(named_arguments_belong_to_the_last_place),
	KUNIT_CASE(malformed_lines_are_refused),
	KUNIT_CASE(events_places_and_memory_are_limited),
	KUNIT_CASE(memory_of_events_and_arguments_is_exact),
	{}
};

static struct kunit_suite suite = {
	.name = "ktap_user_places",
	.test_cases = cases,
};

kunit_test_suite(suite);
