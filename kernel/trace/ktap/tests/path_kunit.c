// SPDX-License-Identifier: GPL-2.0
/*
 * path() gives what d_path() gives; and nil for memory that is no struct path.
 */
#include <linux/anon_inodes.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/pipe_fs_i.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "btf/btf.h"
#include "tests/build.h"
#include "vm/env.h"
#include "vm/vm.h"

static const enum ktap_level levels[] = {
	KTAP_LEVEL_PROCESS, KTAP_LEVEL_TASK, KTAP_LEVEL_HARDIRQ, KTAP_LEVEL_NMI,
};

/* main(p): path(p) */
static struct ktap_vm *path_vm(struct kunit *test, enum ktap_level level)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "f", 1, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_PATH);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 1));
	TEST_RET(c);
	return test_vm(test, test_load(c), level);
}

static void need_types(struct kunit *test)
{
	if (ktap_btf_begin())
		kunit_skip(test, "this kernel has no types");
}

static void expect_path(struct kunit *test, const struct path *path)
{
	const struct ktap_value p = KTAP_VALUE_INT((unsigned long)path);
	char *buf = kunit_kzalloc(test, PATH_MAX, GFP_KERNEL), *wanted;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	wanted = d_path(path, buf, PATH_MAX);
	KUNIT_ASSERT_FALSE(test, IS_ERR(wanted));
	for (i = 0; i < ARRAY_SIZE(levels); i++)
		test_expect_str(test, wanted, test_run(test, path_vm(test, levels[i]), &p, 1));
}

static void expect_path_of(struct kunit *test, struct file *file)
{
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	expect_path(test, &file->f_path);
	fput(file);
}

static void files_have_paths(struct kunit *test)
{
	static const char * const names[] = { "/", "/dev", "/dev/console", "/init" };
	unsigned int i, found = 0;
	struct file *file;

	need_types(test);
	expect_path(test, &current->fs->root);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		file = filp_open(names[i], O_PATH, 0);
		if (IS_ERR(file))
			continue;
		expect_path_of(test, file);
		found++;
	}
	KUNIT_EXPECT_LT(test, 0, found);
}

static const struct file_operations path_fops = {};

static void files_in_no_directory_have_names(struct kunit *test)
{
	struct file *pipe[2];

	need_types(test);
	KUNIT_ASSERT_EQ(test, 0, create_pipe_files(pipe, 0));
	expect_path_of(test, pipe[0]);
	expect_path_of(test, pipe[1]);
	expect_path_of(test, anon_inode_getfile("[path_kunit]", &path_fops, NULL, 0));
}

static void other_memory_has_none(struct kunit *test)
{
	struct path *empty = kunit_kzalloc(test, sizeof(*empty), GFP_KERNEL);
	struct path *wrong = kunit_kzalloc(test, sizeof(*wrong), GFP_KERNEL);
	struct ktap_value values[] = {
		KTAP_VALUE_NIL, KTAP_VALUE_INT(0), KTAP_VALUE_INT(-1), KTAP_VALUE_INT(8),
		KTAP_VALUE_INT((unsigned long)empty), KTAP_VALUE_INT((unsigned long)wrong),
		KTAP_VALUE_TYPED((unsigned long)empty, 0),
	};
	struct ktap_vm *vm;
	unsigned int i;

	need_types(test);
	KUNIT_ASSERT_NOT_NULL(test, empty);
	KUNIT_ASSERT_NOT_NULL(test, wrong);
	*wrong = current->fs->root;
	wrong->dentry = (void *)1;
	vm = path_vm(test, KTAP_LEVEL_TASK);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		KUNIT_EXPECT_EQ(test, KTAP_NIL, test_run(test, vm, &values[i], 1).tag);
		KUNIT_EXPECT_EQ(test, i, atomic_long_read(&vm->env->counters.bad_reads));
		KUNIT_EXPECT_LT(test, vm->arena.used, 64);
	}
}

static void pointers_to_other_types_are_errors(struct kunit *test)
{
	struct ktap_value result, task;
	struct ktap_vm *vm;

	need_types(test);
	task = KTAP_VALUE_TYPED((unsigned long)current, ktap_btf_task());
	vm = path_vm(test, KTAP_LEVEL_TASK);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, &task, 1, &result));
	KUNIT_EXPECT_NOT_NULL(test, strstr(vm->message, "not to struct task_struct"));
}

static struct kunit_case path_cases[] = {
	KUNIT_CASE(files_have_paths),
	KUNIT_CASE(files_in_no_directory_have_names),
	KUNIT_CASE(other_memory_has_none),
	KUNIT_CASE(pointers_to_other_types_are_errors),
	{}
};

static struct kunit_suite path_suite = {
	.name = "ktap_path",
	.test_cases = path_cases,
};

kunit_test_suite(path_suite);
