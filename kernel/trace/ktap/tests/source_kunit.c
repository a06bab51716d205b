// SPDX-License-Identifier: GPL-2.0
/*
 * What events are called.
 */
#include <linux/fprobe.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "../function.h"
#include "../source.h"

static void periods(struct kunit *test)
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

static void functions(struct kunit *test)
{
	static const struct {
		const char *text;
		const char *module;
		const char *function;
		unsigned long offset;
		bool ret;
		bool exact;
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
	}
}

static void no_functions(struct kunit *test)
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

#ifdef CONFIG_FPROBE
/* More than there is an array for, of which the page allocator would warn. */
static void too_many_functions(struct kunit *test)
{
	static const struct ktap_kfn_spec spec = { .function = "*" };
	struct ktap_vm *vm = kunit_kzalloc(test, sizeof(*vm), GFP_KERNEL);
	struct ktap_kfns fns = { .n = KMALLOC_MAX_SIZE / sizeof(struct fprobe_hlist_node) };
	static const char event[] = "probe:*";
	struct ktap_probe *probe = kunit_kzalloc(test, struct_size(probe, event, sizeof(event)),
						 GFP_KERNEL);
	char *message = kunit_kzalloc(test, 128, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, vm);
	KUNIT_ASSERT_NOT_NULL(test, probe);
	KUNIT_ASSERT_NOT_NULL(test, message);
	memcpy(probe->event, event, sizeof(event));
	scnprintf(message, 128, "'probe:*' is %u functions: at most %u can be traced by one clause",
		  fns.n, fns.n - 2);
	KUNIT_EXPECT_EQ(test, -E2BIG, ktap_fprobe_add(vm, probe, &fns, &spec));
	KUNIT_EXPECT_STREQ(test, vm->message, message);
}
#endif

static struct kunit_case source_cases[] = {
	KUNIT_CASE(periods),
	KUNIT_CASE(functions),
	KUNIT_CASE(no_functions),
#ifdef CONFIG_FPROBE
	KUNIT_CASE(too_many_functions),
#endif
	{}
};

static struct kunit_suite source_suite = {
	.name = "ktap_source",
	.test_cases = source_cases,
};

kunit_test_suite(source_suite);
