// SPDX-License-Identifier: GPL-2.0
/*
 * The table of files of user code, and text of its frames.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "data/ustack_file.h"
#include "output/text.h"
#include "tests/build.h"
#include "vm/env.h"
#include "vm/vm.h"

#define TEXT	256

/* An activation of a program that looks at user code. */
static struct ktap_vm *any_vm(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 0, 0, KTAP_FN_USTACK);
	TEST_RET(c);
	return test_vm(test, test_load(c), KTAP_LEVEL_PROCESS);
}

static struct ktap_ustack_file_key key(u64 ino)
{
	return (struct ktap_ustack_file_key){ .ino = ino, .dev = 3, .generation = 4 };
}

static int number_of(struct ktap_vm *vm, struct ktap_ustack_file_key k)
{
	return ktap_ustack_file_get(vm->env->ufiles, &k);
}

/* A file whose name is known. */
static u64 frame_in(struct kunit *test, struct ktap_vm *vm, u64 ino, const char *path, u64 offset)
{
	int number = number_of(vm, key(ino));
	struct ktap_ustack_file *file;

	KUNIT_ASSERT_TRUE(test, number >= 0);
	file = &vm->env->ufiles->files[number];
	file->path = kstrdup(path, GFP_KERNEL);
	file->state = KTAP_UFILE_KNOWN;
	return ktap_frame_in_file(number, offset);
}

static struct ktap_value code(enum ktap_tag tag, const u64 *frames, unsigned int n)
{
	return (struct ktap_value){ .blob = frames, .tag = tag, .len = n * sizeof(*frames) };
}

static void expect_text(struct kunit *test, struct ktap_vm *vm, bool columns,
			const struct ktap_value *v, const char *want)
{
	char buf[TEXT + 1];
	struct seq_buf s;
	struct ktap_text t = { .s = &s, .env = vm->env, .columns = columns };

	seq_buf_init(&s, buf, TEXT);
	ktap_text_value(&t, v);
	buf[s.len] = '\0';
	KUNIT_EXPECT_STREQ(test, buf, want);
}

static void a_file_keeps_its_index(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_ustack_file_key other = key(1);
	int first = number_of(vm, key(1)), second = number_of(vm, key(2));

	KUNIT_EXPECT_NE(test, first, second);
	KUNIT_EXPECT_EQ(test, first, number_of(vm, key(1)));
	KUNIT_EXPECT_EQ(test, second, number_of(vm, key(2)));
	/* All parts of the key are compared. */
	other.dev++;
	KUNIT_EXPECT_EQ(test, 2, number_of(vm, other));
	other.generation++;
	KUNIT_EXPECT_EQ(test, 3, number_of(vm, other));
	other.inode++;
	KUNIT_EXPECT_EQ(test, 4, number_of(vm, other));
	KUNIT_EXPECT_EQ(test, 5, number_of(vm, key(1 + BIT_ULL(32))));
	KUNIT_EXPECT_EQ(test, 6, vm->env->ufiles->n);
}

static void a_full_table_takes_no_more(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	u64 i;

	for (i = 1; i <= KTAP_MAX_UFILES; i++)
		KUNIT_ASSERT_EQ(test, i - 1, number_of(vm, key(i << 7)));
	KUNIT_EXPECT_EQ(test, -ENOSPC, number_of(vm, key(5)));
	for (i = 1; i <= KTAP_MAX_UFILES; i++)
		KUNIT_ASSERT_EQ(test, i - 1, number_of(vm, key(i << 7)));
}

static void no_file_is_added_inside_a_lock(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_lock lock;
	unsigned long flags;
	int known, new;

	KUNIT_EXPECT_EQ(test, 0, number_of(vm, key(1)));
	ktap_lock_init(&lock);
	KUNIT_ASSERT_TRUE(test, ktap_lock(&lock, &flags));
	known = number_of(vm, key(1));
	new = number_of(vm, key(2));
	ktap_unlock(&lock, flags);
	KUNIT_EXPECT_EQ(test, 0, known);
	KUNIT_EXPECT_EQ(test, -EBUSY, new);
	KUNIT_EXPECT_EQ(test, 1, number_of(vm, key(2)));
}

static void frames_are_file_offsets_or_addresses(struct kunit *test)
{
	u64 top = ktap_frame_in_file(KTAP_MAX_UFILES - 1, KTAP_FRAME_OFFSET);

	KUNIT_EXPECT_TRUE(test, ktap_frame_is_file(top));
	KUNIT_EXPECT_FALSE(test, ktap_frame_is_address(top));
	KUNIT_EXPECT_TRUE(test, ktap_frame_is_address(S64_MAX));
	KUNIT_EXPECT_FALSE(test, ktap_frame_is_file(S64_MAX));
	KUNIT_EXPECT_FALSE(test, ktap_frame_is_file(ktap_frame_process(U32_MAX)));
	KUNIT_EXPECT_FALSE(test, ktap_frame_is_address(ktap_frame_process(U32_MAX)));
}

static void text_is_path_and_offset(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	u64 frames[] = {
		frame_in(test, vm, 7, "/bin/a", 0x10), frame_in(test, vm, 8, "/lib/b", 0),
		0x7f0012345678, ktap_frame_process(42),
	};
	struct ktap_value v = code(KTAP_USTACK, frames, 4);

	expect_text(test, vm, false, &v,
		    "        /bin/a+0x10\n        /lib/b+0x0\n        0x7f0012345678");
	/* A cut record: the process of the address is missing. */
	v = code(KTAP_USTACK, frames, 3);
	expect_text(test, vm, false, &v,
		    "        /bin/a+0x10\n        /lib/b+0x0\n        0x7f0012345678");
	v = code(KTAP_USTACK, frames, 0);
	expect_text(test, vm, false, &v, "");
	v = code(KTAP_USYM, frames, 1);
	expect_text(test, vm, false, &v, "/bin/a+0x10");
	v = code(KTAP_USYM, &frames[2], 2);
	expect_text(test, vm, false, &v, "0x7f0012345678");
}

static void marks_include_all_data_for_symbol_lookup(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	u64 frames[] = {
		frame_in(test, vm, 7, "/bin/a", 0x1f), frame_in(test, vm, 8, "/lib/b", 0x20),
		0xabc, ktap_frame_process(42),
	};
	struct ktap_value v = code(KTAP_USTACK, frames, 4);
	struct ktap_ustack_file *b = &vm->env->ufiles->files[1];

	memcpy(b->build_id, "\x01\xab\xff", 3);
	b->build_id_len = 3;
	vm->env->mark_key = "secret00";
	/* All frames except the first are return addresses. */
	expect_text(test, vm, false, &v,
		    "        \036secret00\035/bin/a\035\0351f\037\n"
		    "        \036secret00\035/lib/b\03501abff\03520r\037\n"
		    "        \036secret00\03542\035\035abcr\037");
	v = code(KTAP_USYM, &frames[1], 1);
	expect_text(test, vm, false, &v, "\036secret00\035/lib/b\03501abff\03520\037");
	/* Without its process the address cannot be resolved. */
	v = code(KTAP_USYM, &frames[2], 1);
	expect_text(test, vm, false, &v, "0xabc");
	/* Padded text has no marks: a name of another length would break the columns. */
	v = code(KTAP_USYM, &frames[1], 1);
	expect_text(test, vm, true, &v, "/lib/b+0x20");
	v = code(KTAP_USYM, &frames[2], 2);
	expect_text(test, vm, true, &v, "0xabc");
}

static void a_file_without_a_name_is_printed_with_the_offset(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	u64 frame = ktap_frame_in_file(5, 0x30);
	struct ktap_value v = code(KTAP_USYM, &frame, 1);
	struct ktap_text t = { };
	char buf[TEXT + 1] = "";
	struct seq_buf s;

	/* A broken record: the file or the whole table does not exist. */
	expect_text(test, vm, false, &v, "?+0x30");
	vm->env->mark_key = "secret00";
	expect_text(test, vm, false, &v, "?+0x30");
	seq_buf_init(&s, buf, TEXT);
	t.s = &s;
	ktap_text_value(&t, &v);
	buf[s.len] = '\0';
	KUNIT_EXPECT_STREQ(test, buf, "?+0x30");
	/* The file was gone before its name was looked up. */
	frame = ktap_frame_in_file(number_of(vm, key(1)), 0x30);
	vm->env->ufiles->files[0].state = KTAP_UFILE_KNOWN;
	expect_text(test, vm, false, &v, "?+0x30");
}

static void the_same_code_is_the_same_key(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	u64 frames[] = { frame_in(test, vm, 7, "/bin/a", 0x10), 0x20, ktap_frame_process(1) };
	u64 same[ARRAY_SIZE(frames)], other[ARRAY_SIZE(frames)];
	struct ktap_value v = code(KTAP_USTACK, frames, 3), w = code(KTAP_USTACK, same, 3);
	struct ktap_value x = code(KTAP_USTACK, other, 3), y = code(KTAP_USYM, same, 3);

	memcpy(same, frames, sizeof(frames));
	memcpy(other, frames, sizeof(frames));
	other[2] = ktap_frame_process(2);
	KUNIT_EXPECT_TRUE(test, ktap_equal(&v, &w));
	KUNIT_EXPECT_EQ(test, 0, ktap_compare(&v, &w));
	/* The same address in another process is a different one. */
	KUNIT_EXPECT_FALSE(test, ktap_equal(&v, &x));
	KUNIT_EXPECT_NE(test, 0, ktap_compare(&v, &x));
	/* A symbol differs from a stack. */
	KUNIT_EXPECT_FALSE(test, ktap_equal(&v, &y));
	KUNIT_EXPECT_NE(test, 0, ktap_compare(&v, &y));
}

static void a_program_without_user_stacks_has_no_file_table(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	KUNIT_EXPECT_NULL(test, test_vm(test, test_load(c), KTAP_LEVEL_PROCESS)->env->ufiles);
}

static struct kunit_case ufile_cases[] = {
	KUNIT_CASE(a_file_keeps_its_index),
	KUNIT_CASE(a_full_table_takes_no_more),
	KUNIT_CASE(no_file_is_added_inside_a_lock),
	KUNIT_CASE(frames_are_file_offsets_or_addresses),
	KUNIT_CASE(text_is_path_and_offset),
	KUNIT_CASE(marks_include_all_data_for_symbol_lookup),
	KUNIT_CASE(a_file_without_a_name_is_printed_with_the_offset),
	KUNIT_CASE(the_same_code_is_the_same_key),
	KUNIT_CASE(a_program_without_user_stacks_has_no_file_table),
	{}
};

static struct kunit_suite ufile_suite = {
	.name = "ktap_ustack_file",
	.test_cases = ufile_cases,
};

kunit_test_suite(ufile_suite);
