// SPDX-License-Identifier: GPL-2.0
/*
 * The life of native code: from a unit to a program of BPF, and its end.
 */
#include <linux/bpf.h>
#include <linux/errno.h>
#include <linux/filter.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/heap.h"
#include "jit/jit.h"
#include "jit/unit.h"
#include "vm/builtin.h"
#include "vm/opcode.h"

unsigned long ktap_jit_enabled = 1;

/* The native code of all sessions, while it is shown */
DEFINE_MUTEX(ktap_native_lock);

/*
 * Native code with its symbol.  bpf_prog_kallsyms_add() would add none for a user without
 * CAP_BPF, and every stack that goes through the code would end there: the stack walkers
 * take only what has a symbol for code.  /proc/kallsyms decides who sees it, and its address.
 */
struct native_made {
	struct ktap_native native;
	struct bpf_ksym symbol;
	struct rcu_head rcu;
};

static void native_add_symbol(struct native_made *made, const char *name)
{
	const struct bpf_prog *prog = made->native.prog;

	made->symbol.start = (unsigned long)prog->bpf_func;
	made->symbol.end = made->symbol.start + prog->jited_len;
	snprintf(made->symbol.name, sizeof(made->symbol.name), "bpf_prog_%s", name);
	INIT_LIST_HEAD(&made->symbol.lnode);
	bpf_ksym_add(&made->symbol);
}

static void native_free_rcu(struct rcu_head *rcu)
{
	struct native_made *made = container_of(rcu, struct native_made, rcu);

	bpf_prog_free(made->native.prog);
	kfree(made);
}

/* Backtraces of other CPUs may still look for the name of the code. */
static void native_free(struct native_made *made)
{
	bpf_ksym_del(&made->symbol);
	call_rcu(&made->rcu, native_free_rcu);
}

/*
 * The program does not go through the verifier of BPF: it is made from bytecode that the
 * verifier of ktap has accepted, by code of the kernel.  Code for which there is no @room
 * is not even compiled: many handlers may call the same large function.
 */
static enum ktap_jit_outcome native_make_prog(struct ktap_unit *u, const char *name, size_t room,
					      struct bpf_prog **made)
{
	struct bpf_prog *prog;
	u32 n;
	int err;

	ktap_unit_emit(u);
	n = u->emit.n;
	if (n > EMIT_MAX)
		return KTAP_JIT_LONG;
	if (bpf_prog_size(n) > room)
		return KTAP_JIT_MEMORY;
	prog = bpf_prog_alloc(bpf_prog_size(n), KTAP_GFP);
	if (!prog)
		return KTAP_JIT_MEMORY;
	/* net.core.bpf_jit_enable */
	if (!prog->jit_requested) {
		bpf_prog_free(prog);
		return KTAP_JIT_OFF;
	}
	u->emit.insns = prog->insnsi;
	ktap_unit_emit(u);
	WARN_ON_ONCE(u->emit.n != n);
	prog->len = n;
	prog->type = BPF_PROG_TYPE_KPROBE;
	prog->gpl_compatible = true;
	prog->aux->stack_depth = u->emit.stack ? EMIT_STACK : 0;
	strscpy(prog->aux->name, name);
	prog = bpf_prog_select_runtime(prog, &err);
	/* The interpreter of BPF would be slower than that of ktap. */
	if (err || !prog->jited) {
		bpf_prog_free(prog);
		return KTAP_JIT_REFUSED;
	}
	*made = prog;
	return KTAP_JIT_NATIVE;
}

/* Native code may take an eighth of the session's memory; functions beyond are interpreted. */
static size_t native_room(const struct ktap_env *env)
{
	return env->heap.max / 8 - env->native_bytes;
}

static bool native_charge(struct ktap_env *env, struct ktap_native *native)
{
	native->bytes = sizeof(struct native_made) + bpf_prog_size(native->prog->len) +
			native->prog->jited_len;
	if (native->bytes > native_room(env))
		return false;
	WRITE_ONCE(env->native_bytes, env->native_bytes + native->bytes);
	return true;
}

static struct ktap_native *native_make(struct ktap_env *env, const struct ktap_func *filter,
				       const struct ktap_func *handler, const char *name)
{
	struct native_made *made = kzalloc(sizeof(*made), KTAP_GFP);
	struct ktap_native *native;
	struct ktap_unit u;

	env->jit_outcome = KTAP_JIT_MEMORY;
	if (!made)
		return NULL;
	native = &made->native;
	if (!ktap_unit_init(&u, env, filter, handler))
		env->jit_outcome = native_make_prog(&u, name, native_room(env), &native->prog);
	native->filter = filter;
	native->handler = handler;
	native->ninsns = u.ninsns;
	ktap_unit_destroy(&u);
	if (native->prog && !native_charge(env, native)) {
		bpf_prog_free(native->prog);
		native->prog = NULL;
		env->jit_outcome = KTAP_JIT_MEMORY;
	}
	if (!native->prog) {
		kfree(made);
		return NULL;
	}
	native->run = native->prog->bpf_func;
	native->insns = native->prog->insnsi;
	native_add_symbol(made, name);
	return native;
}

const struct ktap_native *ktap_jit_compile(struct ktap_env *env, const struct ktap_func *filter,
					   const struct ktap_func *handler, const char *name)
{
	struct ktap_native *native;

	env->jit_outcome = KTAP_JIT_FORBIDDEN;
	if (env->jit_forbidden)
		return NULL;
	env->jit_outcome = KTAP_JIT_OFF;
	if (!READ_ONCE(ktap_jit_enabled) && !env->jit_always)
		return NULL;
	env->jit_outcome = KTAP_JIT_NATIVE;
	for (native = env->native; native; native = native->next) {
		if (native->filter == filter && native->handler == handler)
			return native;
	}
	native = native_make(env, filter, handler, name);
	if (!native)
		return NULL;
	mutex_lock(&ktap_native_lock);
	native->next = env->native;
	env->native = native;
	mutex_unlock(&ktap_native_lock);
	return native;
}

bool ktap_jit_pays(const struct ktap_env *env, const struct ktap_func *f, bool once)
{
	const struct ktap_code *insn = env->prog->code + f->first, *end = insn + f->ninsns;

	/* Native code takes as long to begin and end as one instruction of bytecode. */
	if (env->jit_always || (!once && f->ninsns > 1))
		return true;
	for (; insn < end; insn++) {
		if (ktap_opdefs[insn->op].d == KTAP_X_JUMP && insn->d < 0)
			return true;
		if (ktap_opdefs[insn->op].flags & KTAP_OPF_CALLS)
			return true;
	}
	return false;
}

int ktap_jit_refuse(const struct ktap_env *env, const struct ktap_func *f,
		    struct ktap_diag *diag)
{
	static const char * const reasons[] = {
		[KTAP_JIT_OFF] = "the BPF JIT is switched off by net.core.bpf_jit_enable",
		[KTAP_JIT_FORBIDDEN] =
			"kernel.unprivileged_bpf_disabled forbids code of users without CAP_PERFMON",
		[KTAP_JIT_LONG] = "it is too long, with the functions that it calls",
		[KTAP_JIT_MEMORY] = "it needs more memory than there is for native code: try -m",
		[KTAP_JIT_REFUSED] = "the BPF JIT has failed: see net.core.bpf_jit_limit",
	};

	ktap_diag_at(diag, env->prog, f->first,
		     "%s cannot be compiled, and this kernel interprets no scripts: %s",
		     f->name, reasons[env->jit_outcome]);
	return -EOPNOTSUPP;
}

static int native_compile_func(struct ktap_env *env, struct ktap_func *f, bool once,
			       const char *name, struct ktap_diag *diag)
{
	if (!ktap_jit_pays(env, f, once))
		return 0;
	f->native = ktap_jit_compile(env, NULL, f, name);
	return f->native || !env->jit_always ? 0 : ktap_jit_refuse(env, f, diag);
}

int ktap_jit_compile_main(struct ktap_env *env, struct ktap_diag *diag)
{
	return native_compile_func(env, &env->prog->funcs[env->prog->main], true, "ktap_main",
				   diag);
}

/* sort_pairs() takes a function, which decides the order. */
static bool native_calls_values(const struct ktap_program *prog)
{
	const struct ktap_code *insn = prog->code, *end = insn + prog->ninsns;

	for (; insn < end; insn++) {
		if (insn->op == KTAP_OP_CALLB && insn->d == KTAP_FN_SORT && insn->b != 1)
			return true;
	}
	return false;
}

int ktap_jit_compile_values(struct ktap_env *env, struct ktap_diag *diag)
{
	struct ktap_program *prog = env->prog;
	struct ktap_func *f, *end = prog->funcs + prog->nfuncs;
	int err = 0;

	if (!native_calls_values(prog))
		return 0;
	for (f = prog->funcs; f < end && !err; f++) {
		if (f->is_value)
			err = native_compile_func(env, f, false, "ktap_sort", diag);
	}
	return err;
}

/* Functions that have it as their code are interpreted from now on. */
static void native_forget(struct ktap_program *prog, const struct ktap_native *native)
{
	u32 i;

	for (i = 0; i < prog->nfuncs; i++) {
		if (prog->funcs[i].native == native)
			prog->funcs[i].native = NULL;
	}
}

void ktap_jit_free(struct ktap_env *env)
{
	struct ktap_native *native;

	while (env->native) {
		native = env->native;
		mutex_lock(&ktap_native_lock);
		env->native = native->next;
		mutex_unlock(&ktap_native_lock);
		native_forget(env->prog, native);
		WRITE_ONCE(env->native_bytes, env->native_bytes - native->bytes);
		native_free(container_of(native, struct native_made, native));
	}
}
