/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Native code for functions of a script.
 *
 * The interpreter (vm/vm.c) defines what an instruction does.  This folder lowers
 * verified bytecode to eBPF, which the BPF JIT of the architecture compiles.
 */
#ifndef _KTAP_JIT_H
#define _KTAP_JIT_H

#include <linux/types.h>

#include "vm/native.h"

struct ktap_diag;
struct ktap_env;
struct ktap_func;
struct mutex;

/* Bytes of the name of native code, with its NUL: BPF_OBJ_NAME_LEN */
#define KTAP_JIT_NAME	16

#ifdef CONFIG_KTAP_JIT

/* Protects the lists &ktap_env.native: they change in process context only. */
extern struct mutex ktap_native_lock;

/* The file ktap/jit: 0 if functions of new sessions are not to be compiled. */
extern unsigned long ktap_jit_enabled;

/**
 * ktap_jit_compile() - Compile a handler, its filter, and the functions they may call
 * @env: the environment of the session; nothing of it runs
 * @filter: the filter, or NULL
 * @handler: the handler
 * @name: name of the code in kallsyms and in backtraces
 *
 * Compiled code cannot follow a later change of the bytecode.
 * Context: process, may sleep.
 * Return: the code, which lives as long as @env; the same one for the same functions.
 * NULL if they will be interpreted; &ktap_env.jit_outcome says why.
 */
const struct ktap_native *ktap_jit_compile(struct ktap_env *env, const struct ktap_func *filter,
					   const struct ktap_func *handler, const char *name);

/*
 * Does it pay to compile a function?  It does if it has a loop or a call; and if it is not
 * empty, unless it runs @once.  If &ktap_env.jit_always, each function is compiled.
 */
bool ktap_jit_pays(const struct ktap_env *env, const struct ktap_func *f, bool once);

/*
 * Compile the top level, and the functions that built-ins may call, if that pays.  0, or the
 * result of ktap_jit_refuse().
 */
int ktap_jit_compile_main(struct ktap_env *env, struct ktap_diag *diag);
int ktap_jit_compile_values(struct ktap_env *env, struct ktap_diag *diag);

/*
 * ktap_jit_compile() of @f has failed, and &ktap_env.jit_always: say so in @diag, with the
 * reason.  Returns -EOPNOTSUPP.
 */
int ktap_jit_refuse(const struct ktap_env *env, const struct ktap_func *f,
		    struct ktap_diag *diag);

#else

static inline const struct ktap_native *ktap_jit_compile(struct ktap_env *env,
							 const struct ktap_func *filter,
							 const struct ktap_func *handler,
							 const char *name)
{
	return NULL;
}

/* The length of a function does not matter here: ktap_jit_compile() always fails. */
static inline bool ktap_jit_pays(const struct ktap_env *env, const struct ktap_func *f, bool once)
{
	return true;
}

static inline int ktap_jit_compile_main(struct ktap_env *env, struct ktap_diag *diag)
{
	return 0;
}

static inline int ktap_jit_compile_values(struct ktap_env *env, struct ktap_diag *diag)
{
	return 0;
}

static inline int ktap_jit_refuse(const struct ktap_env *env, const struct ktap_func *f,
				  struct ktap_diag *diag)
{
	return 0;
}

#endif /* CONFIG_KTAP_JIT */

#endif /* _KTAP_JIT_H */
