// SPDX-License-Identifier: GPL-2.0
/*
 * The loader: what is malformed is refused, with a reason.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "build.h"

/* A chunk that has every section. */
static struct test_chunk *full_chunk(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	u32 handler, filter;

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_INTK, 0, 0, 0, test_int(c, S64_MIN));
	test_insn(c, KTAP_OP_SETG, 0, 0, 0, test_global(c, "g"));
	TEST_RET(c);
	handler = test_func(c, "handler", 1, 2);
	test_insn(c, KTAP_OP_FIELD, 1, 0, 0, test_field(c, "prev_pid"));
	test_insn(c, KTAP_OP_TGETS, 1, 0, 0, test_string(c, "next_pid"));
	TEST_RET(c);
	filter = test_func(c, "filter", 0, 1);
	test_insn(c, KTAP_OP_BOOL, 0, 1, 0, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_probe(c, "sched:sched_switch", filter, handler);
	test_try(c, 1, 2, 2, 1);
	test_option(c, "pid");
	test_option(c, "min");
	test_lines(c);
	return c;
}

static void a_whole_chunk_is_decoded(struct kunit *test)
{
	struct ktap_program *prog = test_load(full_chunk(test));

	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_EXPECT_EQ(test, prog->ninsns, 8);
	KUNIT_EXPECT_EQ(test, prog->nfuncs, 3);
	KUNIT_EXPECT_EQ(test, prog->ints[0], S64_MIN);
	KUNIT_EXPECT_STREQ(test, prog->globals[0], "g");
	KUNIT_EXPECT_STREQ(test, prog->funcs[1].name, "handler");
	KUNIT_EXPECT_EQ(test, prog->funcs[1].nparams, 1);
	KUNIT_EXPECT_EQ(test, prog->clauses[0].handler, 1);
	KUNIT_EXPECT_EQ(test, prog->clauses[0].filter, 2);
	KUNIT_EXPECT_STREQ(test, prog->clauses[0].event->blob, "sched:sched_switch");
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

static void keys_that_may_meet_an_event_are_fields(struct kunit *test)
{
	struct ktap_program *prog = test_load(full_chunk(test));
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

static void a_wrong_header_is_refused(struct kunit *test)
{
	struct test_chunk *c;
	int i;

	for (i = 0; i < KTAP_MAGIC_LEN; i++) {
		c = full_chunk(test);
		c->header.magic[i] ^= 1;
		test_refused(c, -EINVAL, "magic");
	}
	c = full_chunk(test);
	c->header.major = cpu_to_le16(KTAP_ABI_MAJOR + 1);
	test_refused(c, -EPROTONOSUPPORT, "ABI");
	c = full_chunk(test);
	c->header.minor = cpu_to_le16(KTAP_ABI_MINOR + 1);
	test_refused(c, -EPROTONOSUPPORT, "ABI");
	c = full_chunk(test);
	c->header.flags = cpu_to_le32(KTAP_CHUNK_UNSAFE << 1);
	test_refused(c, -EINVAL, "unknown flags");
	c = full_chunk(test);
	c->header.main = cpu_to_le32(3);
	test_refused(c, -EINVAL, "top level");
	c = full_chunk(test);
	c->header.main = cpu_to_le32(1);
	test_refused(c, -EINVAL, "takes parameters");
}

static void a_wrong_number_of_sections_is_refused(struct kunit *test)
{
	static const u32 wrong[] = { 0, 1, 33, 1000, 0x0aaaaaab, U32_MAX };
	struct ktap_header *h;
	size_t len;
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		h = test_bytes(full_chunk(test), &len);
		h->nsections = cpu_to_le32(wrong[i]);
		test_bytes_refused(test, h, len, -EINVAL, "malformed");
	}
}

static void a_chunk_cut_anywhere_is_refused(struct kunit *test)
{
	struct test_chunk *c = full_chunk(test);
	struct ktap_header *h;
	size_t len, n;
	void *cut;

	h = test_bytes(c, &len);
	for (n = 0; n < len; n++) {
		/* Exactly that long, so that KASAN sees who reads behind. */
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

/* Whether they are refused or not: nothing bad may happen. */
static void any_byte_may_be_wrong(struct kunit *test)
{
	static const u8 flips[] = { 0x01, 0x80, 0xff };
	struct test_chunk *c = full_chunk(test);
	struct ktap_program *prog;
	struct ktap_diag *diag;
	size_t len, i, j;
	u8 *whole, *bytes;

	diag = kunit_kzalloc(test, sizeof(*diag), GFP_KERNEL);
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

struct section_case {
	const char *words;
	u32 type;
	u32 field;		/* of the five of struct section, as a number */
	u32 value;
	int err;
};

static void a_wrong_section_is_refused(struct kunit *test)
{
	static const struct section_case cases[] = {
		{ "unknown section", KTAP_SEC_FILES, 0, KTAP_SEC_OPTIONS + 1, -EINVAL },
		{ "unknown section", KTAP_SEC_FILES, 0, 0, -EINVAL },
		{ "stands twice", KTAP_SEC_FILES, 0, KTAP_SEC_STRINGS, -EINVAL },
		{ "unknown flags", KTAP_SEC_INTS, 1, 2, -EINVAL },
		{ "not aligned", KTAP_SEC_INTS, 2, 252, -EINVAL },
		{ "lies outside", KTAP_SEC_INTS, 2, 0, -EINVAL },
		{ "lies outside", KTAP_SEC_INTS, 2, 0xfffffff8, -EINVAL },
		{ "lies outside", KTAP_SEC_INTS, 3, 0xfffffff8, -EINVAL },
		{ "lies outside", KTAP_SEC_INTS, 3, U32_MAX, -EINVAL },
		{ "integers: 2 entries", KTAP_SEC_INTS, 4, 2, -EINVAL },
		{ "integers: 0 entries", KTAP_SEC_INTS, 4, 0, -EINVAL },
		{ "too many integers", KTAP_SEC_INTS, 4, U32_MAX, -E2BIG },
		{ "too many integers", KTAP_SEC_INTS, 4, 0x20000001, -E2BIG },
		{ "strings: ", KTAP_SEC_STRINGS, 4, 60000, -EINVAL },
		{ "unknown flags", KTAP_SEC_INTS, 5, 1, -EINVAL },
	};
	struct ktap_section *s;
	size_t len;
	void *p;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		p = test_bytes(full_chunk(test), &len);
		s = test_section(p, cases[i].type);
		KUNIT_ASSERT_NOT_NULL(test, s);
		((__le32 *)s)[cases[i].field] = cpu_to_le32(cases[i].value);
		test_bytes_refused(test, p, len, cases[i].err, cases[i].words);
	}
}

static void sections_that_overlap_are_refused(struct kunit *test)
{
	struct ktap_section *s;
	size_t len;
	void *p;

	p = test_bytes(full_chunk(test), &len);
	s = test_section(p, KTAP_SEC_FIELDS);
	s->offset = test_section(p, KTAP_SEC_GLOBALS)->offset;
	test_bytes_refused(test, p, len, -EINVAL, "overlap");
}

static void unknown_optional_sections_are_skipped(struct kunit *test)
{
	struct ktap_program *prog;
	struct ktap_diag *diag;
	struct ktap_section *s;
	size_t len;
	void *p;

	diag = kunit_kzalloc(test, sizeof(*diag), GFP_KERNEL);
	p = test_bytes(full_chunk(test), &len);
	/* Without the files, the lines have nothing to refer to. */
	s = test_section(p, KTAP_SEC_LINES);
	s->type = cpu_to_le32(77);
	s->flags = cpu_to_le32(KTAP_SEC_OPTIONAL);
	s->count = cpu_to_le32(U32_MAX);
	prog = ktap_program_load(p, len, diag);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(prog), "%s", diag->text);
	KUNIT_EXPECT_NULL(test, prog->lines);
	ktap_program_free(prog);
}

static void required_sections_must_be_there(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_refused(c, -EINVAL, "there is no functions");
	c = test_chunk(test);
	test_func(c, "main", 0, 1);
	test_refused(c, -EINVAL, "there is no code");
}

static void wrong_strings_are_refused(struct kunit *test)
{
	struct test_chunk *c;

	c = full_chunk(test);
	c->strings[0].len = cpu_to_le32(le32_to_cpu(c->strings[0].len) - 1);
	test_refused(c, -EINVAL, "has no end");
	c = full_chunk(test);
	c->strings[0].offset = cpu_to_le32(c->string_bytes);
	test_refused(c, -EINVAL, "lies outside");
	c = full_chunk(test);
	c->strings[0].offset = cpu_to_le32(-8);
	test_refused(c, -EINVAL, "lies outside");
	c = full_chunk(test);
	c->strings[0].len = cpu_to_le32(c->string_bytes);
	test_refused(c, -EINVAL, "lies outside");
	c = full_chunk(test);
	c->strings[0].len = cpu_to_le32(KTAP_MAX_STRLEN + 1);
	test_refused(c, -E2BIG, "string");
}

static void wrong_functions_are_refused(struct kunit *test)
{
	struct test_chunk *c;

	c = full_chunk(test);
	c->funcs[0].name = cpu_to_le32(c->nstrings);
	test_refused(c, -EINVAL, "its name");
	c = full_chunk(test);
	c->funcs[0].flags = cpu_to_le16(KTAP_FUNC_VARIADIC << 1);
	test_refused(c, -EINVAL, "unknown flags");
	c = full_chunk(test);
	c->funcs[0].nregs = 0;
	test_refused(c, -EINVAL, "0 registers");
	c = full_chunk(test);
	c->funcs[0].nregs = KTAP_MAX_REGS + 1;
	test_refused(c, -EINVAL, "registers");
	c = full_chunk(test);
	c->funcs[1].nparams = 3;
	test_refused(c, -EINVAL, "3 parameters");
	c = full_chunk(test);
	c->funcs[0].ninsns = 0;
	test_refused(c, -EINVAL, "outside the code");
	c = full_chunk(test);
	c->funcs[2].ninsns = cpu_to_le32(3);
	test_refused(c, -EINVAL, "outside the code");
	c = full_chunk(test);
	c->funcs[2].first = cpu_to_le32(U32_MAX);
	test_refused(c, -EINVAL, "outside the code");
	c = full_chunk(test);
	c->funcs[1].first = cpu_to_le32(2);
	test_refused(c, -EINVAL, "overlaps");
}

static void wrong_probes_are_refused(struct kunit *test)
{
	struct test_chunk *c;

	c = full_chunk(test);
	c->probes[0].event = cpu_to_le32(c->nstrings);
	test_refused(c, -EINVAL, "its event");
	c = full_chunk(test);
	c->probes[0].flags = cpu_to_le32(1);
	test_refused(c, -EINVAL, "unknown flags");
	c = full_chunk(test);
	c->probes[0].handler = cpu_to_le32(KTAP_NONE);
	test_refused(c, -EINVAL, "no handler");
	c = full_chunk(test);
	c->funcs[1].nparams = 2;
	test_refused(c, -EINVAL, "no handler");
	c = full_chunk(test);
	c->probes[0].filter = cpu_to_le32(3);
	test_refused(c, -EINVAL, "no filter");
	c = full_chunk(test);
	c->probes[0].filter = cpu_to_le32(1);
	test_refused(c, -EINVAL, "no filter");
}

static void wrong_names_are_refused(struct kunit *test)
{
	struct test_chunk *c;

	c = full_chunk(test);
	c->globals[0] = cpu_to_le32(c->nstrings);
	test_refused(c, -EINVAL, "global 0: its name");
	c = full_chunk(test);
	c->fields[0] = cpu_to_le32(U32_MAX);
	test_refused(c, -EINVAL, "field 0: its name");
	c = full_chunk(test);
	c->files[0].name = cpu_to_le32(U32_MAX);
	test_refused(c, -EINVAL, "file 0: its name");
}

static void wrong_lines_and_files_are_refused(struct kunit *test)
{
	struct test_chunk *c;

	c = full_chunk(test);
	c->nlines--;
	test_refused(c, -EINVAL, "7 lines for 8 instructions");
	c = full_chunk(test);
	c->lines[7].file = cpu_to_le16(1);
	test_refused(c, -EINVAL, "file 1 of 1");
	c = full_chunk(test);
	c->files[0].reserved = cpu_to_le32(1);
	test_refused(c, -EINVAL, "unknown flags");
	c = full_chunk(test);
	c->files[0].text = cpu_to_le32(16);
	c->files[0].len = cpu_to_le32(1);
	test_refused(c, -EINVAL, "text of file 0");
	c = full_chunk(test);
	c->files[0].text = cpu_to_le32(U32_MAX);
	c->files[0].len = cpu_to_le32(2);
	test_refused(c, -EINVAL, "text of file 0");
}

static void wrong_tries_are_refused(struct kunit *test)
{
	struct ktap_program *prog;
	struct test_chunk *c;

	c = full_chunk(test);
	c->tries[0].reserved[2] = 1;
	test_refused(c, -EINVAL, "try 0 has unknown flags");
	c = full_chunk(test);
	c->tries[0].first = cpu_to_le32(3);
	test_refused(c, -EINVAL, "try 0 lies outside");
	c = full_chunk(test);
	c->tries[0].end = cpu_to_le32(9);
	test_refused(c, -EINVAL, "try 0 lies outside");
	c = full_chunk(test);
	c->tries[0].end = cpu_to_le32(U32_MAX);
	test_refused(c, -EINVAL, "try 0 lies outside");
	c = full_chunk(test);
	c->tries[0].handler = cpu_to_le32(8);
	test_refused(c, -EINVAL, "try 0 lies outside");
	/* Nothing is covered: nothing is caught. */
	c = full_chunk(test);
	c->tries[0].end = cpu_to_le32(1);
	prog = test_load(c);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_EXPECT_NULL(test, ktap_catch_at(prog, 1));
}

static void of_tries_the_first_one_counts(struct kunit *test)
{
	struct test_chunk *c = full_chunk(test);
	struct ktap_program *prog;

	test_try(c, 0, 3, 2, 0);
	prog = test_load(c);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_EXPECT_PTR_EQ(test, ktap_catch_at(prog, 0), &prog->tries[1]);
	KUNIT_EXPECT_PTR_EQ(test, ktap_catch_at(prog, 1), &prog->tries[0]);
	KUNIT_EXPECT_PTR_EQ(test, ktap_catch_at(prog, 2), &prog->tries[1]);
	KUNIT_EXPECT_NULL(test, ktap_catch_at(prog, 3));
}

static void wrong_options_are_refused(struct kunit *test)
{
	struct test_chunk *c;

	c = full_chunk(test);
	c->options[1].name = cpu_to_le32(c->nstrings);
	test_refused(c, -EINVAL, "option 1: its name is string");
	c = full_chunk(test);
	c->options[1].name = c->options[0].name;
	test_refused(c, -EINVAL, "option 1 stands twice");
	c = full_chunk(test);
	c->options[0].help = cpu_to_le32(c->nstrings);
	test_refused(c, -EINVAL, "option 0 has no such text");
	c = full_chunk(test);
	c->options[0].value = cpu_to_le32(KTAP_NONE - 1);
	test_refused(c, -EINVAL, "option 0 has no such text");
	c = full_chunk(test);
	c->options[0].flags = cpu_to_le32(1);
	test_refused(c, -EINVAL, "option 0 has no such text");
}

static void variadic_functions_are_known(struct kunit *test)
{
	struct test_chunk *c = full_chunk(test);
	struct ktap_program *prog;

	c->funcs[1].flags = cpu_to_le16(KTAP_FUNC_VARIADIC);
	prog = test_load(c);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_EXPECT_FALSE(test, prog->funcs[0].variadic);
	KUNIT_EXPECT_TRUE(test, prog->funcs[1].variadic);
}

static struct kunit_case chunk_cases[] = {
	KUNIT_CASE(a_whole_chunk_is_decoded),
	KUNIT_CASE(keys_that_may_meet_an_event_are_fields),
	KUNIT_CASE(a_wrong_header_is_refused),
	KUNIT_CASE(a_wrong_number_of_sections_is_refused),
	KUNIT_CASE(a_chunk_cut_anywhere_is_refused),
	KUNIT_CASE(any_byte_may_be_wrong),
	KUNIT_CASE(a_wrong_section_is_refused),
	KUNIT_CASE(sections_that_overlap_are_refused),
	KUNIT_CASE(unknown_optional_sections_are_skipped),
	KUNIT_CASE(required_sections_must_be_there),
	KUNIT_CASE(wrong_strings_are_refused),
	KUNIT_CASE(wrong_functions_are_refused),
	KUNIT_CASE(wrong_probes_are_refused),
	KUNIT_CASE(wrong_names_are_refused),
	KUNIT_CASE(wrong_lines_and_files_are_refused),
	KUNIT_CASE(wrong_tries_are_refused),
	KUNIT_CASE(of_tries_the_first_one_counts),
	KUNIT_CASE(wrong_options_are_refused),
	KUNIT_CASE(variadic_functions_are_known),
	{}
};

static struct kunit_suite chunk_suite = {
	.name = "ktap_chunk",
	.test_cases = chunk_cases,
};

kunit_test_suite(chunk_suite);
