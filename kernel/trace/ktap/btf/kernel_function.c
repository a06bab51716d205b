// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of functions of the kernel by their prototypes.
 */
#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/string_choices.h>
#include <linux/uaccess.h>
#include <asm/sections.h>

#ifdef CONFIG_X86_KERNEL_IBT
#include <asm/cpufeature.h>
#include <asm/ibt.h>
#endif

#include "btf/btf.h"
#include "btf/btf_read.h"
#include "btf/ksym.h"
#include "data/heap.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/kernel_call.h"
#include "vm/kernel_function.h"

/**
 * DOC: Calls by prototype
 *
 * No check makes such a call safe: a wrong pointer crashes the kernel as it would from a
 * module.  So a call needs the rights and the consent that acting on the system needs
 * (lib/act.c), and an option of its own.  These checks prevent mistakes:
 *
 * - The prototype is that of BTF.  Each argument is one integer or pointer in a register; it
 *   is converted to the type of its parameter, and the result from its type.
 * - The context is that of the session's thread, or of the task that loads the script.  No
 *   lock of an interrupted task can be held there, and the function may sleep.
 * - The name is that of one function, which ftrace can trace.  Code that is notrace or
 *   noinstr relies on its caller, and ktap itself is notrace.
 * - Some names are refused because such a function does not return, or returns with a lock
 *   or a count that nothing releases.
 *
 * The address is found once, when the script is loaded, and its module is pinned then.
 */

/* Room for a prototype in messages */
#define FUNCTION_TEXT	256

/* Patterns of names that are refused */
static const char * const denied[] = {
	/* They do not return. */
	"do_exit", "do_group_exit", "kthread_exit", "kthread_complete_and_exit",
	"make_task_dead", "rewind_stack_and_make_dead", "*panic*", "die", "die_*", "__die*",
	"oops_*", "*crash_kexec*", "kernel_kexec", "machine_*", "native_machine_*",
	"emergency_restart", "kernel_halt", "kernel_power_off", "kernel_restart*", "stop_this_cpu",
	"cpu_startup_entry", "do_idle",
	/* The scheduler: it expects a state of the task, or changes the count of preemption. */
	"schedule", "schedule_idle", "schedule_preempt_disabled", "schedule_rtlock",
	"schedule_tail", "__schedule*", "preempt_*", "finish_task_switch", "migrate_disable",
	"migrate_enable", "local_bh_*", "__local_bh_*",
	/* Locks and RCU: a handler could take them and end. */
	"*_lock", "*_lock_*", "*_unlock*", "*_trylock*", "mutex_*", "rt_mutex_*", "down", "down_*",
	"up", "up_*", "__down*", "__up*", "percpu_down_*", "percpu_up_*", "lock_*", "__lock_*",
	"lockdep_*", "queued_*",
};

static bool function_is_denied(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(denied); i++) {
		if (glob_match(denied[i], name))
			return true;
	}
	return false;
}

/*
 * With IBT of x86 an indirect call must land on ENDBR.  The kernel overwrites those of
 * functions whose address nothing takes.
 */
static bool function_can_be_target(unsigned long address)
{
#ifdef CONFIG_X86_KERNEL_IBT
	u32 insn;

	if (cpu_feature_enabled(X86_FEATURE_IBT))
		return !get_kernel_nofault(insn, (u32 *)address) && insn == gen_endbr();
#endif
	return true;
}

static bool function_was_for_booting(const struct ktap_kernel_function *fn)
{
	return fn->mod ? within_module_init(fn->address, fn->mod) :
			 init_section_contains((void *)fn->address, 1);
}

static bool function_is_traceable(unsigned long address)
{
	return ftrace_location(address) &&
	       !(IS_ENABLED(CONFIG_KPROBES) && within_kprobe_blacklist(address));
}

/* Return why the function cannot be called, NULL if it can. */
static const char *function_forbidden(const struct ktap_kernel_function *fn, const char *name)
{
	if (!kernel_text_address(fn->address))
		return "it is no function";
	if (function_was_for_booting(fn))
		return "it existed only while the kernel booted or the module was loaded";
	if (function_is_denied(name))
		return "it does not return, or belongs to the scheduler, to locks or to RCU";
	if (!function_is_traceable(fn->address))
		return "it is notrace or noinstr";
	if (!function_can_be_target(fn->address))
		return "this CPU allows no indirect call of it (IBT)";
	return NULL;
}

/* A count of the functions that have a name */
struct function_count {
	const char *name;
	unsigned int n;
};

static int function_count_one(void *data, const char *name, unsigned long address)
{
	struct function_count *c = data;

	c->n += !strcmp(name, c->name);
	return 0;
}

static unsigned int function_count_all(const char *name)
{
	struct function_count c = { .name = name, .n = ktap_symbol_count(name) };

	/* A function of the kernel has precedence, as it has in kallsyms_lookup_name(). */
	if (!c.n && IS_ENABLED(CONFIG_MODULES))
		module_kallsyms_on_each_symbol(NULL, function_count_one, &c);
	return c.n;
}

static int function_unknown(struct ktap_diag *diag, const struct ktap_program *prog, u32 pc,
			    const char *name)
{
	const char *near = ktap_near_kernel_call(name) ?: ktap_btf_near_function(name);

	if (near)
		ktap_diag_at(diag, prog, pc,
			     "ffi.C: this kernel has no function '%s'; did you mean '%s'?", name,
			     near);
	else
		ktap_diag_at(diag, prog, pc, "ffi.C: this kernel has no function '%s'", name);
	return -ENOENT;
}

/* Find the address, and pin the module. */
static int function_find_address(struct ktap_kernel_function *fn, const struct ktap_program *prog,
				 u32 pc, const char *name, struct ktap_diag *diag)
{
	unsigned int n = function_count_all(name);
	const char *why;

	fn->address = kallsyms_lookup_name(name);
	if (!fn->address)
		return function_unknown(diag, prog, pc, name);
	if (n > 1) {
		ktap_diag_at(diag, prog, pc,
			     "ffi.C: %u functions are called '%s': only one with a name of its own can be called",
			     n, name);
		return -EINVAL;
	}
	if (!ktap_symbol_count(name)) {
		fn->mod = ktap_symbol_pin(fn->address);
		/* It may have been replaced by another module meanwhile. */
		if (!fn->mod || kallsyms_lookup_name(name) != fn->address)
			return function_unknown(diag, prog, pc, name);
	}
	why = function_forbidden(fn, name);
	if (!why)
		return 0;
	ktap_diag_at(diag, prog, pc, "ffi.C: '%s' cannot be called: %s", name, why);
	return -EINVAL;
}

/* Find the prototype, and compare it with the call. */
static int function_find_prototype(struct ktap_kernel_function *fn, struct ktap_program *prog,
				   u32 pc, const char *name, struct ktap_diag *diag)
{
	char text[FUNCTION_TEXT];
	const char *why;
	u32 proto;

	proto = ktap_btf_function(fn->mod ? module_name(fn->mod) : "", name, &prog->types);
	if (!proto) {
		ktap_diag_at(diag, prog, pc,
			     "ffi.C: '%s' cannot be called: BTF does not have its prototype", name);
		return -EINVAL;
	}
	why = ktap_btf_prototype(proto, &fn->prototype);
	ktap_btf_prototype_text(proto, name, text, sizeof(text));
	if (why) {
		ktap_diag_at(diag, prog, pc, "ffi.C: '%s' cannot be called: %s", text, why);
		return -EINVAL;
	}
	if (prog->code[pc].b == fn->prototype.n)
		return 0;
	ktap_diag_at(diag, prog, pc, "ffi.C: '%s' takes %u argument%s, got %u", text,
		     fn->prototype.n, str_plural(fn->prototype.n), prog->code[pc].b);
	return -EINVAL;
}

static int function_find(struct ktap_program *prog, u32 pc, struct ktap_diag *diag)
{
	struct ktap_kernel_function **fn = &prog->functions[prog->code[pc].d];
	const char *name = prog->strings[prog->code[pc].d].blob;
	int err;

	if (!*fn) {
		*fn = kvcalloc(1, sizeof(**fn), KTAP_GFP);
		if (!*fn)
			return -ENOMEM;
		err = function_find_address(*fn, prog, pc, name, diag);
		if (err)
			return err;
		prog->nfunctions++;
	}
	return function_find_prototype(*fn, prog, pc, name, diag);
}

static int function_begin(struct ktap_program *prog, u32 pc, struct ktap_diag *diag)
{
	int err = ktap_btf_begin();

	if (err) {
		ktap_diag_at(diag, prog, pc, "ffi.C: %s", err == -EPERM ?
			     "nobody may read the memory of this kernel (lockdown)" :
			     "this kernel has no types (CONFIG_DEBUG_INFO_BTF)");
		return err;
	}
	prog->functions = kvcalloc(prog->nstrings, sizeof(*prog->functions), KTAP_GFP);
	if (!prog->functions)
		return -ENOMEM;
	/* Results may be pointers with a type. */
	prog->uses |= KTAP_USES_TYPES;
	return 0;
}

int ktap_kernel_functions_find(struct ktap_program *prog, struct ktap_diag *diag)
{
	int err = 0;
	u32 pc;

	for (pc = 0; pc < prog->ninsns && !err; pc++) {
		if (prog->code[pc].op != KTAP_OP_KANY)
			continue;
		/* A lookup takes long, and there may be many. */
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		if (!prog->functions)
			err = function_begin(prog, pc, diag);
		if (!err)
			err = function_find(prog, pc, diag);
	}
	return err;
}

void ktap_kernel_functions_put(struct ktap_program *prog)
{
	u32 i;

	for (i = 0; prog->functions && i < prog->nstrings; i++) {
		if (prog->functions[i])
			module_put(prog->functions[i]->mod);
		kvfree(prog->functions[i]);
	}
	kvfree(prog->functions);
	prog->functions = NULL;
}

/* Convert @x to the type, as in C, and extend it to a register. */
static u64 function_convert(const struct ktap_load *load, u64 x, bool is_signed)
{
	unsigned int unused = 64 - load->size * 8;

	if (load->bits)
		return (u8)x & 1;
	return is_signed ? (u64)((s64)(x << unused) >> unused) : x << unused >> unused;
}

static int function_argument(struct ktap_vm *vm, const char *name, const struct ktap_load *load,
			     const struct ktap_value *r, unsigned int i, unsigned long *x)
{
	const struct ktap_value *v = &r[i];
	u64 value = v->tag == KTAP_NIL ? 0 : v->u;

	if (v->tag != KTAP_INT && v->tag != KTAP_BOOL && v->tag != KTAP_PTR && v->tag != KTAP_NIL)
		return ktap_vm_error(vm, -EINVAL, "%s: argument %u is %s, which it does not take",
				     name, i + 1, ktap_type_name(v));
	if (load->bits)
		value = !!value;
	/* RISC-V and LoongArch extend each 32-bit value by its sign. */
	*x = function_convert(load, value, load->kind == KTAP_LOAD_SIGNED ||
			      (load->size == sizeof(u32) && (IS_ENABLED(CONFIG_RISCV) ||
							     IS_ENABLED(CONFIG_LOONGARCH))));
	return 0;
}

/* Each argument is in one register, and none is narrower than that: their types are alike. */
static unsigned long function_call(unsigned long address, unsigned int n, const unsigned long *x)
{
	typedef unsigned long word;
	const void *fn = (const void *)address;

	switch (n) {
	case 0:
		return ((word (*)(void))fn)();
	case 1:
		return ((word (*)(word))fn)(x[0]);
	case 2:
		return ((word (*)(word, word))fn)(x[0], x[1]);
	case 3:
		return ((word (*)(word, word, word))fn)(x[0], x[1], x[2]);
	case 4:
		return ((word (*)(word, word, word, word))fn)(x[0], x[1], x[2], x[3]);
	case 5:
		return ((word (*)(word, word, word, word, word))fn)(x[0], x[1], x[2], x[3], x[4]);
	default:
		return ((word (*)(word, word, word, word, word, word))fn)(x[0], x[1], x[2], x[3],
									  x[4], x[5]);
	}
}

static struct ktap_value function_result(const struct ktap_load *load, u64 x)
{
	if (load->kind == KTAP_LOAD_NONE)
		return KTAP_VALUE_NIL;
	x = function_convert(load, x, load->kind == KTAP_LOAD_SIGNED);
	if (load->bits)
		return KTAP_VALUE_BOOL(x);
	if (load->kind != KTAP_LOAD_POINTER)
		return KTAP_VALUE_INT(x);
	return x ? KTAP_VALUE_TYPED(x, load->type) : KTAP_VALUE_NIL;
}

int ktap_kernel_function_call(struct ktap_vm *vm, u32 string, struct ktap_value *r,
			      unsigned int n)
{
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_kernel_function *fn = prog->functions ? prog->functions[string] : NULL;
	const char *name = prog->strings[string].blob;
	unsigned long x[KTAP_PROTOTYPE_PARAMS];
	unsigned int i;
	int err;

	if (!fn || n != fn->prototype.n)
		return ktap_vm_error(vm, -EINVAL, "%s was not looked up", name);
	if (vm->level != KTAP_LEVEL_PROCESS)
		return ktap_vm_error(vm, -EPERM,
				     "%s works in trace_begin, trace_end, tick and at the top level",
				     name);
	for (i = 0; i < n; i++) {
		err = function_argument(vm, name, &fn->prototype.params[i], r, i, &x[i]);
		if (err)
			return err;
	}
	r[0] = function_result(&fn->prototype.result, function_call(fn->address, n, x));
	return 0;
}
