// SPDX-License-Identifier: GPL-2.0
/*
 * The loader: the program that it makes of a chunk, and that no bytes do harm.  The errors
 * for malformed chunks are in chunk_rules_kunit.c.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "tests/build.h"

static void a_complete_chunk_is_decoded(struct kunit *test)
{
	struct ktap_program *prog = test_load(test_full_chunk(test));

	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_EXPECT_EQ(test, prog->ninsns, 8);
	KUNIT_EXPECT_EQ(test, prog->nfuncs, 3);
	KUNIT_EXPECT_EQ(test, prog->ints[0], S64_MIN);
	KUNIT_EXPECT_STREQ(test, prog->globals[0], "g");
	KUNIT_EXPECT_STREQ(test, prog->funcs[1].name, "handler");
	KUNIT_EXPECT_EQ(test, prog->funcs[1].nparams, 1);
	KUNIT_EXPECT_EQ(test, prog->probe_defs[0].handler, 1);
	KUNIT_EXPECT_EQ(test, prog->probe_defs[0].filter, 2);
	KUNIT_EXPECT_EQ(test, prog->probe_defs[0].condition, KTAP_NONE);
	KUNIT_EXPECT_STREQ(test, prog->probe_defs[0].event->blob, "sched:sched_switch");
	KUNIT_EXPECT_STREQ(test, prog->files[0], "test.kp");
	KUNIT_EXPECT_NULL(test, ktap_catch_at(prog, 0));
	KUNIT_EXPECT_PTR_EQ(test, ktap_catch_at(prog, 1), &prog->tries[0]);
	KUNIT_EXPECT_NULL(test, ktap_catch_at(prog, 2));
	KUNIT_EXPECT_EQ(test, prog->tries[0].handler, 2);
	KUNIT_EXPECT_EQ(test, prog->tries[0].reg, 1);
	KUNIT_EXPECT_EQ(test, prog->noptions, 2);
	KUNIT_EXPECT_STREQ(test, prog->options[1], "min");
	KUNIT_EXPECT_EQ(test, prog->uses, KTAP_USES_HEAP);
}

static void keys_used_on_an_event_become_fields(struct kunit *test)
{
	struct ktap_program *prog = test_load(test_full_chunk(test));
	u32 field;

	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_EXPECT_EQ(test, prog->nown_fields, 1);
	KUNIT_ASSERT_EQ(test, prog->nfields, 2);
	KUNIT_EXPECT_STREQ(test, prog->fields[0]->blob, "prev_pid");
	KUNIT_EXPECT_STREQ(test, prog->fields[1]->blob, "next_pid");
	field = prog->string_field[prog->fields[1] - prog->strings];
	KUNIT_EXPECT_EQ(test, field, 1);
	field = prog->string_field[prog->fields[0] - prog->strings];
	KUNIT_EXPECT_EQ(test, field, KTAP_NONE);
}

static void a_wrong_number_of_sections_is_refused(struct kunit *test)
{
	static const u32 wrong[] = { 0, 1, 33, 1000, 0x0aaaaaab, U32_MAX };
	struct ktap_header *h;
	size_t len;
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		h = test_bytes(test_full_chunk(test), &len);
		h->nsections = cpu_to_le32(wrong[i]);
		test_bytes_refused(test, h, len, -EINVAL, "malformed");
	}
}

static void a_chunk_cut_anywhere_is_refused(struct kunit *test)
{
	struct test_chunk *c = test_full_chunk(test);
	struct ktap_header *h;
	size_t len, n;
	void *cut;

	h = test_bytes(c, &len);
	for (n = 0; n < len; n++) {
		/* An exact allocation, so that KASAN reports reads beyond the end. */
		cut = kvmalloc(n ?: 1, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, cut);
		memcpy(cut, h, n);
		test_bytes_refused(test, cut, n, -EINVAL, "malformed");
		if (n < sizeof(*h))
			continue;
		cut = kvmalloc(n, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, cut);
		memcpy(cut, h, n);
		((struct ktap_header *)cut)->length = cpu_to_le32(n);
		test_bytes_refused(test, cut, n, -EINVAL, "malformed");
	}
	kvfree(h);
}

/* Loading may fail or succeed, but must do no harm. */
static void flipping_any_byte_does_no_harm(struct kunit *test)
{
	static const u8 flips[] = { 0x01, 0x80, 0xff };
	struct test_chunk *c = test_full_chunk(test);
	struct ktap_program *prog;
	struct ktap_diag *diag;
	size_t len, i, j;
	u8 *whole, *bytes;

	diag = test_diag(test);
	whole = test_bytes(c, &len);
	for (i = 0; i < len * ARRAY_SIZE(flips); i++) {
		bytes = kvmalloc(len, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, bytes);
		memcpy(bytes, whole, len);
		j = i / ARRAY_SIZE(flips);
		bytes[j] ^= flips[i % ARRAY_SIZE(flips)];
		prog = ktap_program_load(bytes, len, diag);
		if (IS_ERR(prog)) {
			KUNIT_EXPECT_NE_MSG(test, diag->len, 0, "byte %zu: no reason", j);
			kvfree(bytes);
		} else {
			ktap_program_free(prog);
		}
	}
	kvfree(whole);
}

static void unknown_optional_sections_are_skipped(struct kunit *test)
{
	struct ktap_program *prog;
	struct ktap_diag *diag;
	struct ktap_section *s;
	size_t len;
	void *p;

	diag = test_diag(test);
	p = test_bytes(test_full_chunk(test), &len);
	/* Lines refer to files. */
	s = test_section(p, KTAP_SEC_LINES);
	s->type = cpu_to_le32(77);
	s->flags = cpu_to_le32(KTAP_SEC_OPTIONAL);
	s->count = cpu_to_le32(U32_MAX);
	prog = ktap_program_load(p, len, diag);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(prog), "%s", diag->text);
	KUNIT_EXPECT_NULL(test, prog->lines);
	ktap_program_free(prog);
}

static void a_try_range_may_be_empty(struct kunit *test)
{
	struct test_chunk *c = test_full_chunk(test);
	struct ktap_program *prog;

	c->tries[0].end = cpu_to_le32(1);
	prog = test_load(c);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_EXPECT_NULL(test, ktap_catch_at(prog, 1));
}

static void the_first_matching_try_catches(struct kunit *test)
{
	struct test_chunk *c = test_full_chunk(test);
	struct ktap_program *prog;

	test_try(c, 0, 3, 2, 0);
	prog = test_load(c);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_EXPECT_PTR_EQ(test, ktap_catch_at(prog, 0), &prog->tries[1]);
	KUNIT_EXPECT_PTR_EQ(test, ktap_catch_at(prog, 1), &prog->tries[0]);
	KUNIT_EXPECT_PTR_EQ(test, ktap_catch_at(prog, 2), &prog->tries[1]);
	KUNIT_EXPECT_NULL(test, ktap_catch_at(prog, 3));
}

static void variadic_functions_are_marked(struct kunit *test)
{
	struct test_chunk *c = test_full_chunk(test);
	struct ktap_program *prog;

	c->funcs[1].flags = cpu_to_le16(KTAP_FUNC_VARIADIC);
	prog = test_load(c);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_EXPECT_FALSE(test, prog->funcs[0].variadic);
	KUNIT_EXPECT_TRUE(test, prog->funcs[1].variadic);
}

/* The numbers always fit: 20 bytes are left for them. */
static void a_long_file_name_loses_its_beginning(struct kunit *test)
{
	char name[KTAP_POSITION_SIZE], position[KTAP_POSITION_SIZE], want[KTAP_POSITION_SIZE];
	const size_t most = KTAP_POSITION_SIZE - 20;
	struct ktap_program *prog;
	struct test_chunk *c;
	size_t len;
	int i;

	for (len = most - 1; len < most + 3; len++) {
		for (i = 0; i < len; i++)
			name[i] = 'a' + i % 26;
		name[len] = '\0';
		c = test_full_chunk(test);
		c->files[0].name = cpu_to_le32(test_string(c, name));
		c->lines[1].line = cpu_to_le32(U32_MAX);
		c->lines[1].column = cpu_to_le16(U16_MAX);
		c->lines[2].line = 0;
		prog = test_load(c);
		scnprintf(want, sizeof(want), "%s:4294967295:65535",
			  name + (len > most ? len - most : 0));
		KUNIT_EXPECT_EQ(test, strlen(want),
				ktap_program_position(prog, 1, true, position, sizeof(position)));
		KUNIT_EXPECT_STREQ(test, position, want);
		*strrchr(want, ':') = '\0';
		KUNIT_EXPECT_EQ(test, strlen(want),
				ktap_program_position(prog, 1, false, position, sizeof(position)));
		KUNIT_EXPECT_STREQ(test, position, want);
		/* An instruction without a line, and none at all */
		KUNIT_EXPECT_EQ(test, 0,
				ktap_program_position(prog, 2, true, position, sizeof(position)));
		KUNIT_EXPECT_EQ(test, 0, ktap_program_position(prog, prog->ninsns, true, position,
							       sizeof(position)));
	}
}

static struct kunit_case chunk_cases[] = {
	KUNIT_CASE(a_complete_chunk_is_decoded),
	KUNIT_CASE(keys_used_on_an_event_become_fields),
	KUNIT_CASE(a_wrong_number_of_sections_is_refused),
	KUNIT_CASE(a_chunk_cut_anywhere_is_refused),
	KUNIT_CASE(flipping_any_byte_does_no_harm),
	KUNIT_CASE(unknown_optional_sections_are_skipped),
	KUNIT_CASE(a_try_range_may_be_empty),
	KUNIT_CASE(the_first_matching_try_catches),
	KUNIT_CASE(variadic_functions_are_marked),
	KUNIT_CASE(a_long_file_name_loses_its_beginning),
	{}
};

static struct kunit_suite chunk_suite = {
	.name = "ktap_chunk",
	.test_cases = chunk_cases,
};

kunit_test_suite(chunk_suite);
