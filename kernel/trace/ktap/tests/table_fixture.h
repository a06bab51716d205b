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
