/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Built-in functions and values.
 */
#ifndef _KTAP_BUILTIN_H
#define _KTAP_BUILTIN_H

#include "vm.h"

/* Largest enum ktap_function_id, plus one. */
#define KTAP_NR_FUNCTIONS	128

#define KTAP_IN(level)		BIT(KTAP_LEVEL_##level)
#define KTAP_IN_PROCESS		KTAP_IN(PROCESS)
#define KTAP_IN_EVENT		(KTAP_IN(TASK) | KTAP_IN(SOFTIRQ) | KTAP_IN(HARDIRQ) | KTAP_IN(NMI))
#define KTAP_ANYWHERE		(KTAP_IN_EVENT | KTAP_IN_PROCESS)

/**
 * struct ktap_builtin - a built-in
 * @name: as the script writes it
 * @fn: does it: @r[0] to @r[@n - 1] are the arguments, @r[0] gets the result.
 *	@r lies on @vm's stack.  Returns 0 or what ktap_vm_error() returned
 * @min: least arguments
 * @max: most arguments
 * @levels: where it may run, BIT(enum ktap_level)
 * @args: tags each argument may have, a bit mask; 0 is any.  Checked before
 *	@fn is called, by the verifier where it can tell
 * @result: tags the result may have, a bit mask
 */
struct ktap_builtin {
	const char *name;
	int (*fn)(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
	u8 min;
	u8 max;
	u8 levels;
	u16 args[3];
	u16 result;
};

extern const struct ktap_builtin ktap_builtins[KTAP_NR_FUNCTIONS];

/* builtin_task.c: the machine and the thread */
int ktap_fn_pid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_tid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_ppid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_uid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_gid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_cpu(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_numa_node(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_execname(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_nsecs(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_cgroup(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_rand(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_curtask(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_kstack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_ustack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* session.c, source.c: the session */
int ktap_fn_elapsed(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_scriptarg(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_trace(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_probe(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_exit(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

#endif /* _KTAP_BUILTIN_H */
