// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of cgroups by their numbers, and numbers by paths: of the thread, the root, and none.
 */
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/env.h"
#include "vm/vm.h"

/* main(id): cgroup_path(id); own(): cgroup */
static struct ktap_vm *paths(struct kunit *test, enum ktap_level level)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "f", 1, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_CGROUP_PATH);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "own", 0, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 0, 0, KTAP_FN_CGROUP);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 1));
	TEST_RET(c);
	return test_vm(test, test_load(c), level);
}

static const enum ktap_level levels[] = {
	KTAP_LEVEL_PROCESS, KTAP_LEVEL_TASK, KTAP_LEVEL_HARDIRQ, KTAP_LEVEL_NMI,
};

static void the_own_cgroup_has_a_path(struct kunit *test)
{
	struct ktap_value id, v;
	struct ktap_vm *vm;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		vm = paths(test, levels[i]);
		KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 1, NULL, 0, &id));
		v = test_run(test, vm, &id, 1);
		if (!IS_ENABLED(CONFIG_CGROUPS)) {
			KUNIT_EXPECT_EQ(test, KTAP_NIL, id.tag);
			KUNIT_EXPECT_EQ(test, KTAP_NIL, v.tag);
			continue;
		}
		KUNIT_EXPECT_EQ(test, KTAP_INT, id.tag);
		KUNIT_ASSERT_EQ(test, KTAP_STR, v.tag);
		KUNIT_ASSERT_LT(test, 0, v.len);
		KUNIT_EXPECT_EQ(test, *(const char *)v.blob, '/');
	}
}

/* The number of the root is that of the first node of its file system. */
static void the_root_is_a_slash(struct kunit *test)
{
	const struct ktap_value root = KTAP_VALUE_INT(1);
	unsigned int i;

	if (!IS_ENABLED(CONFIG_CGROUPS))
		kunit_skip(test, "this kernel has no cgroups");
	for (i = 0; i < ARRAY_SIZE(levels); i++)
		test_expect_str(test, "/", test_run(test, paths(test, levels[i]), &root, 1));
}

/* The memory for the path is given back. */
static void other_numbers_have_none(struct kunit *test)
{
	const struct ktap_value others[] = {
		KTAP_VALUE_INT(0), KTAP_VALUE_INT(-1), KTAP_VALUE_INT(S64_MIN),
		KTAP_VALUE_INT(S64_MAX), KTAP_VALUE_INT((1LL << 33) + 1), KTAP_VALUE_NIL,
	};
	struct ktap_vm *vm = paths(test, KTAP_LEVEL_TASK);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		KUNIT_EXPECT_EQ(test, KTAP_NIL, test_run(test, vm, &others[i], 1).tag);
		KUNIT_EXPECT_LT(test, vm->arena.used, 64);
	}
}

static void expect_number(struct kunit *test, const char *path, int err, s64 id)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_value v;

	test_func(c, "f", 0, 1);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, test_string(c, path));
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_CGROUP_ID);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 1));
	TEST_RET(c);
	KUNIT_EXPECT_EQ(test, err, ktap_vm_run(test_vm(test, test_load(c), KTAP_LEVEL_PROCESS), 0,
					       NULL, 0, &v));
	if (!err)
		KUNIT_EXPECT_EQ(test, id, v.i);
}

static void paths_have_numbers(struct kunit *test)
{
	/* The number of an inode, and its generation if that number has 32 bits */
	const s64 root = sizeof(ino_t) < sizeof(u64) ? (1LL << 32) + 1 : 1;

	if (!IS_ENABLED(CONFIG_CGROUPS)) {
		expect_number(test, "/", -EOPNOTSUPP, 0);
		return;
	}
	expect_number(test, "/", 0, root);
	expect_number(test, "/no cgroup", -ENOENT, 0);
	expect_number(test, "/..", -ENOENT, 0);
}

static struct kunit_case cgroup_cases[] = {
	KUNIT_CASE(the_own_cgroup_has_a_path),
	KUNIT_CASE(the_root_is_a_slash),
	KUNIT_CASE(other_numbers_have_none),
	KUNIT_CASE(paths_have_numbers),
	{}
};

static struct kunit_suite cgroup_suite = {
	.name = "ktap_cgroup",
	.test_cases = cgroup_cases,
};

kunit_test_suite(cgroup_suite);
