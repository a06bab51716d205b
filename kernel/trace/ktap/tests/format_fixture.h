/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats, texts and records for the KUnit tests.
 */
#ifndef _KTAP_TESTS_FORMAT_FIXTURE_H
#define _KTAP_TESTS_FORMAT_FIXTURE_H

#include <linux/seq_buf.h>
#include <linux/string.h>

#include "output/record.h"
#include "output/text.h"
#include "tests/build.h"
#include "vm/vm.h"

/* Bytes of a text; one more for its NUL */
#define TEST_TEXT	1024

#define I(x)		{ .i = (x), .tag = KTAP_INT }
#define S(x)		{ .blob = (x), .tag = KTAP_STR, .len = sizeof(x) - 1 }

/* A format with one argument, and the text that they make */
struct test_printf_case {
	const char *fmt;
	struct ktap_value arg;
	const char *want;
};

extern const struct test_printf_case test_printf_cases[];
extern const unsigned int test_nprintf_cases;

static inline struct ktap_value test_str(const char *s)
{
	return KTAP_VALUE_STR(s, strlen(s));
}

/* An activation of any program that has a heap. */
struct ktap_vm *test_text_vm(struct kunit *test, enum ktap_level level);

void test_text_begin(struct ktap_text *t, struct seq_buf *s, char *buf, struct ktap_vm *vm);
const char *test_text_end(struct ktap_text *t);

/* Write a record and format it, in exactly the reserved bytes. */
const char *test_record_text(struct kunit *test, struct ktap_vm *vm, enum ktap_record_type type,
			     const struct ktap_value *args, unsigned int n, struct seq_buf *s);

#endif /* _KTAP_TESTS_FORMAT_FIXTURE_H */
