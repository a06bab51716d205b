// SPDX-License-Identifier: GPL-2.0
/*
 * Names of events.
 */
#include <linux/hw_breakpoint.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "event/func_event.h"
#include "event/perf.h"
#include "event/source.h"

static void periods_are_parsed(struct kunit *test)
{
	static const struct {
		const char *text;
		u64 ns;
	} cases[] = {
		{ "1s",		NSEC_PER_SEC },
		{ "10ms",	10 * NSEC_PER_MSEC },
		{ "99hz",	NSEC_PER_SEC / 99 },
		{ "100us",	100 * NSEC_PER_USEC },
		{ "20000ns",	20000 },
		{ "999999999s",	999999999 * (u64)NSEC_PER_SEC },
		{ "1000000000s", 0 },
		{ "0hz",	0 },
		{ "1",		0 },
		{ "hz",		0 },
		{ "1m",		0 },
		{ "1hz2",	0 },
		{ "-1s",	0 },
		{ "",		0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, cases[i].ns, ktap_parse_period(cases[i].text), "%s",
				    cases[i].text);
}

static void function_events_are_parsed(struct kunit *test)
{
	static const struct {
		const char *text;
		const char *module;
		const char *function;
		unsigned long offset;
		bool ret;
		bool exact;
		bool no_modules;
	} cases[] = {
		{ "f",		NULL, "f", 0, false, true },
		{ "f+0x10",	NULL, "f", 16, false, true },
		{ "f+16",	NULL, "f", 16, false, true },
		{ "f+0",	NULL, "f", 0, false, true },
		{ "f%return",	NULL, "f", 0, true, true },
		{ "f+0%return",	NULL, "f", 0, true, true },
		{ "f.isra.0",	NULL, "f.isra.0", 0, false, true },
		{ "vfs_*",	NULL, "vfs_*", 0, false, false },
		{ "f?",		NULL, "f?", 0, false, false },
		{ "[a-z]f%return", NULL, "[a-z]f", 0, true, false },
		{ "ext4:f",	"ext4", "f", 0, false, true },
		{ "ext4:f*%return", "ext4", "f*", 0, true, false },
		{ "vmlinux:f",	NULL, "f", 0, false, true, true },
	};
	char text[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ktap_kfn_spec spec = {};

		strscpy(text, cases[i].text);
		KUNIT_EXPECT_NULL_MSG(test, ktap_kfn_parse(text, &spec), "%s", cases[i].text);
		KUNIT_EXPECT_STREQ(test, cases[i].module ?: "", spec.module ?: "");
		KUNIT_EXPECT_STREQ(test, cases[i].function, spec.function);
		KUNIT_EXPECT_EQ(test, cases[i].offset, spec.offset);
		KUNIT_EXPECT_EQ(test, cases[i].ret, spec.ret);
		KUNIT_EXPECT_EQ(test, cases[i].exact, spec.exact);
		KUNIT_EXPECT_EQ(test, cases[i].no_modules, spec.no_modules);
	}
}

static void malformed_functions_are_refused(struct kunit *test)
{
	static const char * const cases[] = {
		"", "%return", "m:", "f%", "f%ret", "f%return+4", "f+", "f+x", "f+0x", "f+-1",
		"f+4%return", "f*+4", "f+99999999999999999999",
	};
	char text[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ktap_kfn_spec spec = {};

		strscpy(text, cases[i]);
		KUNIT_EXPECT_NOT_NULL_MSG(test, ktap_kfn_parse(text, &spec), "%s", cases[i]);
	}
}

#if KTAP_CAN_WATCH
static void watches_are_parsed(struct kunit *test)
{
	static const struct {
		const char *text;
		const char *symbol;
		u64 address;
		unsigned int length;
		unsigned int type;
	} cases[] = {
		{ "jiffies",		"jiffies", 0, 0, HW_BREAKPOINT_W },
		{ "jiffies:4",		"jiffies", 0, 4, HW_BREAKPOINT_W },
		{ "jiffies:8:rw",	"jiffies", 0, 8, HW_BREAKPOINT_RW },
		{ "jiffies:1:wr",	"jiffies", 0, 1, HW_BREAKPOINT_RW },
		{ "v+0x10:2:r",		"v", 16, 2, HW_BREAKPOINT_R },
		{ "v+8",		"v", 8, 0, HW_BREAKPOINT_W },
		{ "ext4:v:8:x",		"ext4:v", 0, 8, HW_BREAKPOINT_X },
		{ "ext4:_v+4",		"ext4:_v", 4, 0, HW_BREAKPOINT_W },
		{ "x:8:x",		"x", 0, 8, HW_BREAKPOINT_X },
		{ "0x1000",		"", 0x1000, 0, HW_BREAKPOINT_W },
		{ "4096:8:w",		"", 4096, 8, HW_BREAKPOINT_W },
		{ "0xffffffffffffffff:1", "", U64_MAX, 1, HW_BREAKPOINT_W },
	};
	struct ktap_watch_spec spec;
	char text[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		strscpy(text, cases[i].text);
		KUNIT_EXPECT_NULL_MSG(test, ktap_watch_parse(text, &spec), "%s", cases[i].text);
		KUNIT_EXPECT_STREQ(test, cases[i].symbol, spec.symbol ?: "");
		KUNIT_EXPECT_EQ(test, cases[i].address, spec.address);
		KUNIT_EXPECT_EQ(test, cases[i].length, spec.length);
		KUNIT_EXPECT_EQ(test, cases[i].type, spec.type);
	}
}

static void malformed_watches_are_refused(struct kunit *test)
{
	static const char * const cases[] = {
		"", ":8", ":8:w", "0x", "1z", "0x10000000000000000", "v+", "v+x", "v+-1", "+8",
		"v:", "v:0", "v:3", "v:16", "v:8:", "v:8:q", "v:8:rwx", "v:8:wx", "v:8:w:", "v:rw",
		"v::w", "m:v:w", "4096:m:8", "0", "0x0:8", "8:8:rw", "0xfff:1",
	};
	struct ktap_watch_spec spec;
	char text[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		strscpy(text, cases[i]);
		KUNIT_EXPECT_NOT_NULL_MSG(test, ktap_watch_parse(text, &spec), "%s", cases[i]);
	}
}
#endif

static struct kunit_case source_cases[] = {
	KUNIT_CASE(periods_are_parsed),
	KUNIT_CASE(function_events_are_parsed),
	KUNIT_CASE(malformed_functions_are_refused),
#if KTAP_CAN_WATCH
	KUNIT_CASE(watches_are_parsed),
	KUNIT_CASE(malformed_watches_are_refused),
#endif
	{}
};

static struct kunit_suite source_suite = {
	.name = "ktap_source",
	.test_cases = source_cases,
};

kunit_test_suite(source_suite);
