// SPDX-License-Identifier: GPL-2.0
/*
 * Names of events.
 */
#include <linux/string.h>

#include <kunit/test.h>

#include "event/func_event.h"
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

static struct kunit_case source_cases[] = {
	KUNIT_CASE(periods_are_parsed),
	KUNIT_CASE(function_events_are_parsed),
	KUNIT_CASE(malformed_functions_are_refused),
	{}
};

static struct kunit_suite source_suite = {
	.name = "ktap_source",
	.test_cases = source_cases,
};

kunit_test_suite(source_suite);
