/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Short names for operations on tables, for the KUnit tests of tables.
 */
#ifndef _KTAP_TESTS_TABLE_FIXTURE_H
#define _KTAP_TESTS_TABLE_FIXTURE_H

#include <linux/string.h>

#include "data/table_priv.h"
#include "tests/build.h"
#include "vm/vm.h"

#define EVENT	KTAP_LEVEL_TASK
#define PROCESS	KTAP_LEVEL_PROCESS

/* An activation whose first registers are in use, as in a built-in. */
static inline struct ktap_vm *vm_at_work(struct kunit *test, enum ktap_level level)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 8);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	TEST_RET(c);
	test_global(c, "a");
	test_global(c, "b");
	vm = test_vm(test, test_load(c), level);
	vm->top = 8;
	vm->budget = U32_MAX;
	return vm;
}

static inline struct ktap_table *new_table(struct kunit *test, struct ktap_vm *vm, u32 max)
{
	struct ktap_value v;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, max, &v));
	KUNIT_ASSERT_EQ(test, v.tag, KTAP_TABLE);
	/* In a register, where the sweep finds it. */
	vm->stack[vm->top++] = v;
	return v.table;
}

static inline struct ktap_value str(const char *s)
{
	return KTAP_VALUE_STR(s, strlen(s));
}

static inline void set(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value key,
		       struct ktap_value v)
{
	ktap_table_set(vm, t, &key, &v);
}

/* Through a register, where the arena finds it. */
static inline struct ktap_value get(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value key)
{
	ktap_table_get(vm, t, &key, &vm->stack[7]);
	return vm->stack[7];
}

static inline void add(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value key, s64 n)
{
	struct ktap_value v = KTAP_VALUE_INT(n);

	ktap_table_add(vm, t, &key, &v);
}

#endif /* _KTAP_TESTS_TABLE_FIXTURE_H */
