/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Native code as the virtual machine sees it: how it is run and freed.  jit/ makes it.
 */
#ifndef _KTAP_NATIVE_H
#define _KTAP_NATIVE_H

#include <linux/types.h>

struct bpf_insn;
struct bpf_prog;
struct ktap_env;
struct ktap_func;
struct ktap_vm;

/**
 * enum ktap_jit_outcome - whether functions were compiled, or why not
 * @KTAP_JIT_NONE: not tried yet; without CONFIG_KTAP_JIT it never is
 * @KTAP_JIT_NATIVE: they are native code
 * @KTAP_JIT_SHORT: that would not be faster, as for an empty handler (ktap_jit_pays())
 * @KTAP_JIT_OFF: ktap/jit or net.core.bpf_jit_enable is 0
 * @KTAP_JIT_FORBIDDEN: the session is of a user who may not have native code
 * @KTAP_JIT_LONG: more than EMIT_MAX instructions of eBPF
 * @KTAP_JIT_MEMORY: no memory, or native code has its share of the session's
 * @KTAP_JIT_REFUSED: the BPF JIT has failed
 */
enum ktap_jit_outcome {
	KTAP_JIT_NONE,
	KTAP_JIT_NATIVE,
	KTAP_JIT_SHORT,
	KTAP_JIT_OFF,
	KTAP_JIT_FORBIDDEN,
	KTAP_JIT_LONG,
	KTAP_JIT_MEMORY,
	KTAP_JIT_REFUSED,
};

/**
 * struct ktap_native - native code of a handler, and of the functions it may call
 * @run: the code.  It takes the activation, whose first frame is made, and returns what
 *	ktap_interpret() returns
 * @insns: what the code was made from; an interpreter of BPF needs it
 * @prog: the program of BPF that owns the code
 * @filter: the filter that runs first, or NULL
 * @handler: the function that runs first, or after @filter
 * @ninsns: instructions of bytecode that it replaces
 * @bytes: memory charged to the session
 * @next: another one of the session
 */
struct ktap_native {
	unsigned int (*run)(const void *vm, const struct bpf_insn *insns);
	const struct bpf_insn *insns;
	struct bpf_prog *prog;
	const struct ktap_func *filter;
	const struct ktap_func *handler;
	u32 ninsns;
	size_t bytes;
	struct ktap_native *next;
};

/*
 * Run native code, whose first frame is made.  Returns as ktap_interpret().  There is none
 * without CONFIG_KTAP_JIT.
 */
static __always_inline int ktap_native_run(const struct ktap_native *native, struct ktap_vm *vm)
{
	return native->run(vm, native->insns);
}

#ifdef CONFIG_KTAP_JIT
/* jit/program.c: free all code of a session, of which nothing runs any more. */
void ktap_jit_free(struct ktap_env *env);
#else
static inline void ktap_jit_free(struct ktap_env *env)
{
}
#endif

#endif /* _KTAP_NATIVE_H */
