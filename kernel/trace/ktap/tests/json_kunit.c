// SPDX-License-Identifier: GPL-2.0
/*
 * Output as JSON: strings, values, and the lines of records.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "output/json.h"
#include "output/record.h"
#include "tests/format_fixture.h"
#include "vm/env.h"

#define KEY	"0123456789abcdef"
#define MARK	"\x1e" KEY "\x1d/bin/x\x1d\x1d\x31\x30\x1f"

static const struct {
	const char *text;
	const char *want;
} strings[] = {
	{ "", "\"\"" },
	{ "plain ~", "\"plain ~\"" },
	{ "\"\\\n\t\r\x01\x1f\x7f", "\"\\\"\\\\\\n\\t\\u000d\\u0001\\u001f\\u007f\"" },
	/* characters of two to four bytes, the smallest that are shown, and the largest */
	{ "\xc2\xa0\xdf\xbf", "\"\xc2\xa0\xdf\xbf\"" },
	{ "\xe0\xa0\x80\xef\xbf\xbf", "\"\xe0\xa0\x80\xef\xbf\xbf\"" },
	{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"" },
	/* no characters */
	{ "\x80|", "\"\\ufffd|\"" },
	/* control characters, which terminals obey, and the next character */
	{ "\xc2\x80|\xc2\x9b|\xc2\x9f|\xc2\xa0", "\"\\u0080|\\u009b|\\u009f|\xc2\xa0\"" },
	{ "\xc1\xbf", "\"\\ufffd\\ufffd\"" },
	{ "\xc3", "\"\\ufffd\"" },
	{ "\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\"" },
	{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },
	{ "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
	{ "\xf5\x80", "\"\\ufffd\\ufffd\"" },
	{ "\xe2\x82|", "\"\\ufffd\\ufffd|\"" },
};

static void json_begin_test(struct kunit *test, struct ktap_json *j, struct seq_buf *s)
{
	char *buf = kunit_kzalloc(test, TEST_TEXT + 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, buf);
	seq_buf_init(s, buf, TEST_TEXT);
	*j = (struct ktap_json){ .s = s };
}

static const char *json_end_test(struct ktap_json *j)
{
	j->s->buffer[seq_buf_used(j->s)] = '\0';
	return j->s->buffer;
}

static void strings_are_characters(struct kunit *test)
{
	struct ktap_json j;
	struct seq_buf s;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(strings); i++) {
		json_begin_test(test, &j, &s);
		ktap_json_string(&j, strings[i].text, strlen(strings[i].text));
		KUNIT_EXPECT_STREQ(test, json_end_test(&j), strings[i].want);
	}
	json_begin_test(test, &j, &s);
	ktap_json_string(&j, "a\0b", 3);
	KUNIT_EXPECT_STREQ(test, json_end_test(&j), "\"a\\u0000b\"");
}

/* Only marks with the key of the session are not escaped. */
static void marks_of_user_code_stay(struct kunit *test)
{
	struct ktap_env *env = test_text_vm(test, KTAP_LEVEL_TASK)->env;
	struct ktap_json j;
	struct seq_buf s;

	json_begin_test(test, &j, &s);
	j.env = env;
	ktap_json_string(&j, MARK, strlen(MARK));
	KUNIT_EXPECT_EQ(test, json_end_test(&j)[1], '\\');
	env->mark_key = KEY;
	json_begin_test(test, &j, &s);
	j.env = env;
	ktap_json_string(&j, "\"" MARK "\"", strlen(MARK) + 2);
	KUNIT_EXPECT_STREQ(test, json_end_test(&j), "\"\\\"" MARK "\\\"\"");
	/* a part of it */
	json_begin_test(test, &j, &s);
	j.env = env;
	ktap_json_string(&j, MARK, strlen(MARK) - 1);
	KUNIT_EXPECT_EQ(test, json_end_test(&j)[1], '\\');
	/* another character where it begins */
	json_begin_test(test, &j, &s);
	j.env = env;
	ktap_json_string(&j, "\n" KEY "\x1d\x1f", strlen(KEY) + 3);
	KUNIT_EXPECT_STREQ(test, json_end_test(&j), "\"\\n" KEY "\\u001d\\u001f\"");
	env->mark_key = NULL;
}

static void the_rest_of_a_text_begins_a_character(struct kunit *test)
{
	static const struct ktap_env none;
	const struct ktap_env *env = &none;

	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, "", 0), 0);
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, "ab", 2), 0);
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, "a\xc3", 2), 1);
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, "\xc3\xa4", 2), 0);
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, "\xf0\x9f\x98", 3), 3);
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, "\xf0\x9f\x98\x80", 4), 0);
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, "\x80\x80\x80\x80", 4), 0);
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, "\xff", 1), 0);
}

static void the_rest_of_a_text_begins_a_mark(struct kunit *test)
{
	static const struct ktap_env with = { .mark_key = KEY };
	const struct ktap_env *env = &with;
	char *longest = kunit_kzalloc(test, 2 * 8192, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, longest);
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, "a" MARK, strlen(MARK) + 1), 0);
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, "a" MARK, strlen(MARK)), strlen(MARK) - 1);
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, "a" MARK, 2), 1);
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, MARK MARK, strlen(MARK) + 3), 3);
	/* Something must be output. */
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, MARK, strlen(MARK) - 1), 0);
	/* The tool does not wait for the end of a longer one. */
	memset(longest, 'x', 2 * 8192);
	longest[8192] = KTAP_MARK_BEGIN[0];
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, longest, 2 * 8192), 8192);
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, longest + 1, 2 * 8192 - 1), 8192);
	longest[8192] = 'x';
	longest[8191] = KTAP_MARK_BEGIN[0];
	KUNIT_EXPECT_EQ(test, ktap_json_rest(env, longest, 2 * 8192), 0);
}

/* The line of a record, in @room bytes */
static const char *line_of(struct kunit *test, enum ktap_record_type type,
			   const struct ktap_value *args, unsigned int n, struct ktap_json *j,
			   struct seq_buf *s)
{
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_TASK);
	size_t size = ktap_record_size(vm, args, n);
	struct ktap_record *rec = kunit_kzalloc(test, size, GFP_KERNEL);
	char *plain = kunit_kzalloc(test, KTAP_RECORD_TEXT, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	ktap_record_write(vm, rec, size, type, args, n);
	json_begin_test(test, j, s);
	ktap_record_json(s, plain, vm->env, rec, size, U64_MAX);
	return json_end_test(j);
}

#define HEAD	"{\"time\":18446744073709551615,\"type\":"
#define PRINT	HEAD "\"print\",\"values\":"

static void records_are_lines(struct kunit *test)
{
	const s64 ints[] = { 1, S64_MIN };
	const struct ktap_value args[] = {
		S("%d|%s\n"), I(S64_MAX), { .tag = KTAP_NIL }, KTAP_VALUE_BOOL(1),
		KTAP_VALUE_PTR(U64_MAX), KTAP_VALUE_ARRAY(ints, 2),
	};
	struct ktap_json j;
	struct seq_buf s;

	KUNIT_EXPECT_STREQ(test, line_of(test, KTAP_REC_PRINT, args, 4, &j, &s),
			   PRINT "[\"%d|%s\\n\",9223372036854775807,null,true]}\n");
	KUNIT_EXPECT_STREQ(test, line_of(test, KTAP_REC_PRINT, args + 4, 2, &j, &s),
			   PRINT "[\"0xffffffffffffffff\",[1,-9223372036854775808]]}\n");
	KUNIT_EXPECT_STREQ(test, line_of(test, KTAP_REC_PRINT, args, 0, &j, &s),
			   PRINT "[]}\n");
	KUNIT_EXPECT_STREQ(test, line_of(test, KTAP_REC_PRINTF, args, 3, &j, &s),
			   HEAD "\"text\",\"text\":\"9223372036854775807|nil\\n\"}\n");
	/* an empty text has no line */
	KUNIT_EXPECT_STREQ(test, line_of(test, KTAP_REC_PRINTF, &(struct ktap_value)S(""), 1, &j,
					 &s), "");
}

static void a_line_that_does_not_fit_overflows(struct kunit *test)
{
	char text[TEST_TEXT / 2];
	struct ktap_value v = KTAP_VALUE_STR(text, sizeof(text));
	struct ktap_json j;
	struct seq_buf s;

	memset(text, 'x', sizeof(text));
	line_of(test, KTAP_REC_PRINT, &v, 1, &j, &s);
	KUNIT_EXPECT_FALSE(test, seq_buf_has_overflowed(&s));
	/* each byte becomes six */
	memset(text, 0xff, sizeof(text));
	line_of(test, KTAP_REC_PRINT, &v, 1, &j, &s);
	KUNIT_EXPECT_TRUE(test, seq_buf_has_overflowed(&s));
}

static struct kunit_case json_cases[] = {
	KUNIT_CASE(strings_are_characters),
	KUNIT_CASE(marks_of_user_code_stay),
	KUNIT_CASE(the_rest_of_a_text_begins_a_character),
	KUNIT_CASE(the_rest_of_a_text_begins_a_mark),
	KUNIT_CASE(records_are_lines),
	KUNIT_CASE(a_line_that_does_not_fit_overflows),
	{}
};

static struct kunit_suite json_suite = {
	.name = "ktap_json",
	.test_cases = json_cases,
};

kunit_test_suite(json_suite);
