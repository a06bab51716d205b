/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Globals: state that a script keeps between events.
 */
#ifndef _KTAP_GLOBAL_H
#define _KTAP_GLOBAL_H

#include <linux/types.h>

struct ktap_env;
struct ktap_value;
struct ktap_vm;

/* Context: process, may sleep.  0 or -ENOMEM. */
int ktap_globals_init(struct ktap_env *env);

/* Each slot has a lock of its own and owns a copy of its value. */
int ktap_global_get(struct ktap_vm *vm, u32 n, struct ktap_value *v);
/* Return the value itself, not a copy.  The caller ensures that it does not change. */
void ktap_global_peek(struct ktap_env *env, u32 n, struct ktap_value *v);
int ktap_global_set(struct ktap_vm *vm, u32 n, struct ktap_value *v);
int ktap_global_add(struct ktap_vm *vm, u32 n, const struct ktap_value *v);

#endif /* _KTAP_GLOBAL_H */
