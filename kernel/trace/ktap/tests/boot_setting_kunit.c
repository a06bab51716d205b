// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that begin at boot: list of files, names, settings of the bootconfig.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <kunit/test.h>

#include "load/boot_setting.h"

static const char no_setting[] __initconst =
	" is no setting: there are chunk, args, cpus, format, keep, memory and overhead, which";

static void __init files_are_separated_by_commas(struct kunit *test)
{
	char text[] = ",/a.ktap,,/b.ktap,c,", none[] = ",", *list = text;

	KUNIT_EXPECT_STREQ(test, "/a.ktap", ktap_boot_next_file(&list));
	KUNIT_EXPECT_STREQ(test, "/b.ktap", ktap_boot_next_file(&list));
	KUNIT_EXPECT_STREQ(test, "c", ktap_boot_next_file(&list));
	KUNIT_EXPECT_NULL(test, ktap_boot_next_file(&list));
	KUNIT_EXPECT_NULL(test, ktap_boot_next_file(&list));
	list = none;
	KUNIT_EXPECT_NULL(test, ktap_boot_next_file(&list));
}

static void __init expect_name(struct kunit *test, const char *wanted, const char *path,
			       const char *given)
{
	char name[KTAP_MAX_BOOT_NAME + 1] = "unchanged";
	bool good = ktap_boot_name(name, path, given);

	KUNIT_EXPECT_EQ_MSG(test, good, !!wanted, "%s, %s", path, given ?: "-");
	KUNIT_EXPECT_STREQ(test, name, wanted ?: "unchanged");
}

static void __init the_name_is_that_of_the_file(struct kunit *test)
{
	expect_name(test, "run_1-a.b", "/boot/x.ktap/run_1-a.b.ktap", NULL);
	expect_name(test, "run.kp", "run.kp", NULL);
	expect_name(test, NULL, "/boot/.ktap", NULL);
	expect_name(test, NULL, "/boot/", NULL);
	expect_name(test, NULL, "/boot/..", NULL);
	expect_name(test, NULL, "a:b.ktap", NULL);
}

static void __init a_given_name_is_not_changed(struct kunit *test)
{
	expect_name(test, "a.ktap", "/boot/b.ktap", "a.ktap");
	expect_name(test, NULL, "/boot/b.ktap", "a/b");
	expect_name(test, NULL, "/boot/b.ktap", "");
}

static void __init a_name_has_64_characters_at_most(struct kunit *test)
{
	char longest[KTAP_MAX_BOOT_NAME + 2];

	memset(longest, 'n', sizeof(longest));
	longest[KTAP_MAX_BOOT_NAME + 1] = '\0';
	expect_name(test, NULL, "b", longest);
	longest[KTAP_MAX_BOOT_NAME] = '\0';
	expect_name(test, longest, "b", longest);
}

static void __init expect_word(struct kunit *test, const char *wanted, const char *key, int nvalues)
{
	char error[KTAP_BOOT_ERROR] = "";

	KUNIT_EXPECT_STREQ(test, wanted, ktap_boot_setting(key, nvalues, error) ?: error);
	KUNIT_EXPECT_STREQ(test, error, "");
}

static void __init settings_are_lines_of_the_session(struct kunit *test)
{
	expect_word(test, "cpus", "cpus", 1);
	expect_word(test, "format", "format", 1);
	expect_word(test, "keep", "keep", 1);
	expect_word(test, "memory", "memory", 1);
	expect_word(test, "overhead", "overhead", 1);
	expect_word(test, "unsafe", "unsafe", 0);
	expect_word(test, "", "chunk", 1);
}

static void __init args_may_have_several_values(struct kunit *test)
{
	expect_word(test, "arg", "args", 1);
	expect_word(test, "arg", "args", 300);
}

/* @rest: what follows @wanted in the message, or the beginning of that */
static void __init expect_error(struct kunit *test, const char *wanted, const char *rest,
				const char *key, int nvalues)
{
	char error[KTAP_BOOT_ERROR] = "";

	KUNIT_EXPECT_NULL(test, ktap_boot_setting(key, nvalues, error));
	KUNIT_EXPECT_TRUE_MSG(test, str_has_prefix(error, wanted) &&
			      str_has_prefix(error + strlen(wanted), rest), "%s", error);
}

static void __init other_settings_have_one_value(struct kunit *test)
{
	static const char why[] __initconst =
		" has more than one value: put a text with commas into quotes";

	expect_error(test, "cpus", why, "cpus", 2);
	expect_error(test, "chunk", why, "chunk", 2);
	expect_error(test, "colour", why, "colour", 2);
}

static void __init an_unknown_setting_is_named(struct kunit *test)
{
	char key[256], quoted[sizeof(key) + 2];

	expect_error(test, "'colour'", no_setting, "colour", 1);
	expect_error(test, "''", no_setting, "", 1);
	expect_error(test, "'arg'", no_setting, "arg", 1);
	/* The bootconfig has keys of at most 255 bytes. */
	memset(key, 'k', sizeof(key));
	key[sizeof(key) - 1] = '\0';
	snprintf(quoted, sizeof(quoted), "'%s'", key);
	expect_error(test, quoted, no_setting, key, 1);
}

static void __init so_is_one_with_a_wrong_number_of_values(struct kunit *test)
{
	expect_error(test, "'keep'", no_setting, "keep", 0);
	expect_error(test, "'args'", no_setting, "args", 0);
	expect_error(test, "'chunk'", no_setting, "chunk", 0);
	expect_error(test, "'unsafe'", no_setting, "unsafe", 1);
}

static void __init so_is_one_with_keys_of_its_own(struct kunit *test)
{
	expect_error(test, "'unsafe'", no_setting, "unsafe", -1);
	expect_error(test, "'args'", no_setting, "args", -1);
	expect_error(test, "'chunk'", no_setting, "chunk", -1);
}

static void __init a_value_is_one_line(struct kunit *test)
{
	char error[KTAP_BOOT_ERROR] = "";

	KUNIT_EXPECT_TRUE(test, ktap_boot_value("args", "", error));
	KUNIT_EXPECT_TRUE(test, ktap_boot_value("args", "two words", error));
	KUNIT_EXPECT_STREQ(test, error, "");
	KUNIT_EXPECT_FALSE(test, ktap_boot_value("args", "one\ntwo", error));
	KUNIT_EXPECT_STREQ(test, error, "args has a value of more than one line");
	KUNIT_EXPECT_FALSE(test, ktap_boot_value("keep", "\n", error));
	KUNIT_EXPECT_STREQ(test, error, "keep has a value of more than one line");
}

/* Results are shown after the boot: the suite and the cases are no init data. */
static struct kunit_case __refdata boot_setting_cases[] = {
	KUNIT_CASE(files_are_separated_by_commas),
	KUNIT_CASE(the_name_is_that_of_the_file),
	KUNIT_CASE(a_given_name_is_not_changed),
	KUNIT_CASE(a_name_has_64_characters_at_most),
	KUNIT_CASE(settings_are_lines_of_the_session),
	KUNIT_CASE(args_may_have_several_values),
	KUNIT_CASE(other_settings_have_one_value),
	KUNIT_CASE(an_unknown_setting_is_named),
	KUNIT_CASE(so_is_one_with_a_wrong_number_of_values),
	KUNIT_CASE(so_is_one_with_keys_of_its_own),
	KUNIT_CASE(a_value_is_one_line),
	{ }
};

static struct kunit_suite boot_setting_suite = {
	.name = "ktap_boot_setting",
	.test_cases = boot_setting_cases,
};

kunit_test_init_section_suite(boot_setting_suite);
