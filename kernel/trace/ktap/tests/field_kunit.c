// SPDX-License-Identifier: GPL-2.0
/*
 * Fields that point to a string of the kernel, as no event that everybody has shows
 * what becomes of one that is long, or gone; and what it costs to read long ones.
 */
#include <linux/string.h>

#include "../../trace.h"
#include "event/field.h"
#include "tests/build.h"
#include "vm/env.h"
#include "vm/vm.h"

#define MOST	255	/* bytes that are read at most */

static struct ktap_vm *an_activation(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	vm->budget = 1000;
	return vm;
}

struct record {
	struct trace_entry ent;
	const char *s;
};

static struct ktap_value get(struct ktap_vm *vm, const char *string)
{
	static const struct ftrace_event_field field = {
		.name = "s",
		.type = "const char *",
		.filter_type = FILTER_PTR_STRING,
		.offset = offsetof(struct record, s),
		.size = sizeof(string),
	};
	const struct record rec = { .s = string };
	struct ktap_value v = KTAP_VALUE_INT(1);
	struct ktap_field f;

	ktap_field_init(&f, &field);
	ktap_field_get(vm, &f, &rec, &v);
	return v;
}

static void expect_losses(struct kunit *test, const struct ktap_vm *vm, long cut, long bad)
{
	KUNIT_EXPECT_EQ(test, cut, atomic_long_read(&vm->env->counters.cut_strings));
	KUNIT_EXPECT_EQ(test, bad, atomic_long_read(&vm->env->counters.bad_reads));
	KUNIT_EXPECT_EQ(test, 0, vm->error);
}

static void strings_are_read_through_a_pointer(struct kunit *test)
{
	struct ktap_vm *vm = an_activation(test);
	char *text = kunit_kzalloc(test, MOST + 2, GFP_KERNEL);
	struct ktap_value v;

	KUNIT_ASSERT_NOT_NULL(test, text);
	v = get(vm, "");
	KUNIT_EXPECT_EQ(test, v.tag, KTAP_STR);
	KUNIT_EXPECT_EQ(test, v.len, 0);

	memset(text, 'x', MOST);
	v = get(vm, text);
	KUNIT_EXPECT_EQ(test, v.tag, KTAP_STR);
	KUNIT_EXPECT_EQ(test, v.len, MOST);
	KUNIT_EXPECT_MEMEQ(test, v.blob, text, MOST);
	expect_losses(test, vm, 0, 0);

	text[MOST] = 'y';
	v = get(vm, text);
	KUNIT_EXPECT_EQ(test, v.len, MOST);
	KUNIT_EXPECT_MEMEQ(test, v.blob, text, MOST);
	expect_losses(test, vm, 1, 0);
}

static void null_is_nil_and_bad_pointers_are_counted(struct kunit *test)
{
	struct ktap_vm *vm = an_activation(test);

	/* NULL is common and is not counted as a loss. */
	KUNIT_EXPECT_EQ(test, get(vm, NULL).tag, KTAP_NIL);
	expect_losses(test, vm, 0, 0);
	KUNIT_EXPECT_EQ(test, get(vm, (const char *)-PAGE_SIZE).tag, KTAP_NIL);
	expect_losses(test, vm, 0, 1);
}

struct long_record {
	struct trace_entry ent;
	char chars[320];
	u32 ints[320];
	const char *s;
};

/* Each read is charged, and without budget it fails. */
static void long_fields_are_charged(struct kunit *test)
{
	static const struct ftrace_event_field fields[] = {
		{
			.type = "char[320]", .filter_type = FILTER_STATIC_STRING,
			.offset = offsetof(struct long_record, chars),
			.size = sizeof_field(struct long_record, chars),
		}, {
			.type = "u32[320]", .filter_type = FILTER_OTHER,
			.offset = offsetof(struct long_record, ints),
			.size = sizeof_field(struct long_record, ints), .len = 320,
		}, {
			.type = "const char *", .filter_type = FILTER_PTR_STRING,
			.offset = offsetof(struct long_record, s),
			.size = sizeof_field(struct long_record, s),
		},
	};
	static const enum ktap_tag tags[] = { KTAP_STR, KTAP_ARRAY, KTAP_STR };
	struct long_record *rec = kunit_kzalloc(test, sizeof(*rec), GFP_KERNEL);
	struct ktap_vm *vm = an_activation(test);
	struct ktap_value v;
	struct ktap_field f;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, rec);
	memset(rec->chars, 'x', sizeof(rec->chars));
	rec->s = "text";
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		ktap_field_init(&f, &fields[i]);
		vm->budget = 1000;
		ktap_field_get(vm, &f, rec, &v);
		KUNIT_EXPECT_EQ_MSG(test, v.tag, tags[i], "%s", fields[i].type);
		KUNIT_EXPECT_EQ(test, vm->error, 0);
		/* an iteration of a small loop reads no more than 100 of them */
		KUNIT_EXPECT_LE_MSG(test, vm->budget, 1000 - 3, "%s", fields[i].type);

		vm->budget = 1;
		ktap_field_get(vm, &f, rec, &v);
		KUNIT_EXPECT_EQ_MSG(test, v.tag, KTAP_NIL, "%s", fields[i].type);
		KUNIT_EXPECT_EQ(test, vm->error, -ETIME);
		vm->error = 0;
	}
}

/* Both functions read the same of all integers, or ktap_field_get_quickly() reads none. */
static void integers_of_all_sizes(struct kunit *test)
{
	static const struct {
		int size;
		bool is_signed;
		s64 value;
		bool quick;
	} cases[] = {
		{ 1, true, -1, false }, { 1, false, 0xff, false },
		{ 2, true, -1, false }, { 2, false, 0xffff, false },
		{ 4, true, -1, true }, { 4, false, 0xffffffff, true },
		{ 8, true, -1, true }, { 8, false, -1, true },
	};
	struct ktap_vm *vm = an_activation(test);
	struct ktap_value v, quick;
	struct ktap_field f;
	unsigned int i;
	u8 rec[16];

	memset(rec, 0xff, sizeof(rec));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct ftrace_event_field field = {
			.type = "int", .filter_type = FILTER_OTHER, .offset = 3,
			.size = cases[i].size, .is_signed = cases[i].is_signed,
		};

		ktap_field_init(&f, &field);
		ktap_field_get(vm, &f, rec, &v);
		KUNIT_EXPECT_EQ(test, v.tag, KTAP_INT);
		KUNIT_EXPECT_EQ(test, v.i, cases[i].value);
		KUNIT_ASSERT_EQ(test, ktap_field_get_quickly(&f, rec, &quick), cases[i].quick);
		if (!cases[i].quick)
			continue;
		KUNIT_EXPECT_EQ(test, quick.tag, KTAP_INT);
		KUNIT_EXPECT_EQ(test, quick.i, cases[i].value);
	}
}

/* A string ends at its NUL or with its array, wherever the array begins. */
static void strings_of_all_lengths(struct kunit *test)
{
	struct ktap_vm *vm = an_activation(test);
	unsigned int size, len, start;
	struct ktap_value v, quick;
	struct ktap_field f;
	char rec[40];
	bool is_quick;

	for (size = 1; size <= 24; size++) {
		for (len = 0; len <= size; len++) {
			const struct ftrace_event_field field = {
				.type = "char[]", .filter_type = FILTER_STATIC_STRING,
				.offset = len % 9, .size = size,
			};

			start = len % 9;
			memset(rec, 'y', sizeof(rec));
			memset(rec + start, 0x80 + len, len);
			if (len < size)
				rec[start + len] = '\0';
			ktap_field_init(&f, &field);
			ktap_field_get(vm, &f, rec, &v);
			KUNIT_EXPECT_EQ(test, v.tag, KTAP_STR);
			KUNIT_EXPECT_EQ_MSG(test, v.len, len, "%u bytes", size);
			KUNIT_EXPECT_PTR_EQ(test, v.blob, rec + start);
			/* It ends in the first word, or in the second one if that is whole. */
			is_quick = size >= (len / sizeof(long) + 1) * sizeof(long) &&
				   len < 2 * sizeof(long) && !IS_ENABLED(CONFIG_KMSAN);
			KUNIT_EXPECT_EQ(test, is_quick, ktap_field_get_quickly(&f, rec, &quick));
			if (!is_quick)
				continue;
			KUNIT_EXPECT_EQ(test, quick.tag, KTAP_STR);
			KUNIT_EXPECT_EQ_MSG(test, quick.len, len, "%u bytes", size);
			KUNIT_EXPECT_PTR_EQ(test, quick.blob, rec + start);
		}
	}
}

static struct kunit_case field_cases[] = {
	KUNIT_CASE(strings_are_read_through_a_pointer),
	KUNIT_CASE(null_is_nil_and_bad_pointers_are_counted),
	KUNIT_CASE(long_fields_are_charged),
	KUNIT_CASE(integers_of_all_sizes),
	KUNIT_CASE(strings_of_all_lengths),
	{}
};

static struct kunit_suite field_suite = {
	.name = "ktap_field",
	.test_cases = field_cases,
};

kunit_test_suite(field_suite);
