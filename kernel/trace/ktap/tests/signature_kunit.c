// SPDX-License-Identifier: GPL-2.0
/*
 * Signatures of chunks: where they are looked for, and that no bytes do harm.  That those
 * of trusted keys are accepted is tested by the selftest signed.sh.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "load/signature.h"
#include "tests/build.h"

/* Append an entry to the table of sections, for the last @size bytes of @len. */
static struct ktap_header *signature_append(struct kunit *test, size_t *len, size_t offset,
					    size_t size, unsigned int entries)
{
	struct ktap_header *h = test_bytes(test_full_chunk(test), len), *with;
	size_t table = sizeof(*h) + le32_to_cpu(h->nsections) * sizeof(struct ktap_section);
	size_t total = *len + entries * sizeof(struct ktap_section) + size;
	struct ktap_section *section;
	unsigned int i;

	with = kunit_kzalloc(test, total, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, with);
	memcpy(with, h, table);
	section = (void *)(with + 1);
	for (i = 0; i < le32_to_cpu(h->nsections); i++)
		le32_add_cpu(&section[i].offset, entries * sizeof(*section));
	section = (void *)with + table;
	for (i = 0; i < entries; i++) {
		section[i].type = cpu_to_le32(KTAP_SEC_SIGNATURE);
		section[i].flags = cpu_to_le32(KTAP_SEC_OPTIONAL);
		section[i].offset = cpu_to_le32(offset ?: total - size);
		section[i].size = cpu_to_le32(size);
	}
	memcpy(section + entries, (void *)h + table, *len - table);
	with->length = cpu_to_le32(total);
	with->nsections = cpu_to_le32(le32_to_cpu(h->nsections) + entries);
	kvfree(h);
	*len = total;
	return with;
}

static void expect_refused(struct kunit *test, const void *chunk, size_t len, int err,
			   const char *reason)
{
	const char *why = "";

	KUNIT_EXPECT_EQ(test, ktap_signature_check(chunk, len, &why), err);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(why, reason), "'%s'", why);
}

static void a_chunk_without_signature_has_none(struct kunit *test)
{
	size_t len;
	void *chunk = test_bytes(test_full_chunk(test), &len);

	expect_refused(test, chunk, len, -ENODATA, "it is not signed");
	expect_refused(test, chunk, 0, -ENODATA, "it is not signed");
	expect_refused(test, chunk, sizeof(struct ktap_header) - 1, -ENODATA, "it is not signed");
	kvfree(chunk);
}

static void the_table_must_lie_inside(struct kunit *test)
{
	static const u32 wrong[] = { 33, 0x0aaaaaab, 0x10000000, U32_MAX };
	struct ktap_header *h, *exact;
	size_t len;
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		h = test_bytes(test_full_chunk(test), &len);
		/* An exact allocation, so that KASAN reports reads beyond the end. */
		len = sizeof(*h) + 2 * sizeof(struct ktap_section);
		exact = kmalloc(len, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, exact);
		memcpy(exact, h, len);
		exact->nsections = cpu_to_le32(wrong[i]);
		expect_refused(test, exact, len, -ENODATA, "it is not signed");
		kfree(exact);
		kvfree(h);
	}
}

/* A chunk that is nothing but a table, whose last entry is that of an empty signature */
static void the_last_entry_may_end_the_chunk(struct kunit *test)
{
	struct {
		struct ktap_header header;
		struct ktap_section sections[2];
	} chunk = {
		.header.nsections = cpu_to_le32(2),
		.sections[1].type = cpu_to_le32(KTAP_SEC_SIGNATURE),
		.sections[1].offset = cpu_to_le32(sizeof(chunk)),
	};
	const char *why = NULL;
	int err = ktap_signature_check(&chunk, sizeof(chunk), &why);

	KUNIT_EXPECT_LT(test, err, 0);
	KUNIT_EXPECT_NE(test, err, -ENODATA);
	expect_refused(test, &chunk, sizeof(chunk) - 1, -ENODATA, "it is not signed");
	/* The bytes after the table are no entry. */
	chunk.header.nsections = cpu_to_le32(1);
	expect_refused(test, &chunk, sizeof(chunk), -ENODATA, "it is not signed");
}

static void a_signature_ends_the_chunk(struct kunit *test)
{
	size_t len;
	void *chunk = signature_append(test, &len, 0, 64, 1);
	static const char reason[] = "its signature is not the end of the chunk";

	expect_refused(test, chunk, len - 1, -EBADMSG, reason);
	chunk = signature_append(test, &len, 8, 64, 1);
	expect_refused(test, chunk, len, -EBADMSG, reason);
	chunk = signature_append(test, &len, U32_MAX, 64, 1);
	expect_refused(test, chunk, len, -EBADMSG, reason);
	chunk = signature_append(test, &len, U32_MAX - 63, 64, 1);
	expect_refused(test, chunk, len, -EBADMSG, reason);
}

static void bytes_that_are_no_signature_are_refused(struct kunit *test)
{
	static const size_t sizes[] = { 0, 1, 2, 64, 4096 };
	const char *why;
	size_t len;
	u8 *chunk;
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		chunk = (u8 *)signature_append(test, &len, 0, sizes[i], 1);
		why = NULL;
		KUNIT_EXPECT_LT(test, ktap_signature_check(chunk, len, &why), 0);
		KUNIT_EXPECT_NOT_NULL(test, why);
		/* the beginning of DER, with a length beyond the end */
		if (sizes[i] > 2) {
			memcpy(chunk + len - sizes[i], "\x30\x84\x7f\xff", 4);
			why = NULL;
			KUNIT_EXPECT_LT(test, ktap_signature_check(chunk, len, &why), 0);
			KUNIT_EXPECT_NOT_NULL(test, why);
		}
	}
}

static void a_chunk_has_one_signature(struct kunit *test)
{
	size_t len;
	void *twice = signature_append(test, &len, 0, 64, 2);
	void *chunk = kvmalloc(len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, chunk);
	memcpy(chunk, twice, len);
	test_bytes_refused(test, chunk, len, -EINVAL, "section 12 exists twice");
}

static struct kunit_case signature_cases[] = {
	KUNIT_CASE(a_chunk_without_signature_has_none),
	KUNIT_CASE(the_table_must_lie_inside),
	KUNIT_CASE(the_last_entry_may_end_the_chunk),
	KUNIT_CASE(a_signature_ends_the_chunk),
	KUNIT_CASE(bytes_that_are_no_signature_are_refused),
	KUNIT_CASE(a_chunk_has_one_signature),
	{}
};

static struct kunit_suite signature_suite = {
	.name = "ktap_signature",
	.test_cases = signature_cases,
};

kunit_test_suite(signature_suite);
