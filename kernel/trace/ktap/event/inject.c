// SPDX-License-Identifier: GPL-2.0
/*
 * set_retval(): a function returns at once what the script says.
 */
#include <linux/err.h>
#include <linux/error-injection.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "function.h"

/**
 * DOC: Replacing functions
 *
 * What may be replaced, and by what, is said where a function is defined, by
 * ALLOW_ERROR_INJECTION(): its callers are known to cope.  All system calls are
 * among them.
 *
 * It takes a kprobe at the first instruction: its handler can have the function
 * return, which those of fprobes and tracepoints cannot.  So a clause from which
 * set_retval() can be reached gets a kprobe where others get an fprobe.  Whether
 * it is reached is known for sure unless functions are called that are values;
 * then the call itself finds out.
 */

static bool sets_retval(const struct ktap_code *insn, void *unused)
{
	return insn->op == KTAP_OP_CALLB && insn->d == KTAP_FN_SET_RETVAL;
}

/* Why nothing can be injected there; NULL if it can. */
static const char *unfit(const struct ktap_kfn_spec *spec, const struct ktap_kfns *fns, bool fetch)
{
	if (fetch)
		return "it needs a probe without fetch arguments";
	if (spec->ret)
		return "when a function returns it has done its work: it needs the entry";
	if (spec->offset)
		return "inside of a function it is too late: it needs the entry";
	if (!spec->exact)
		return "it needs the name of one function, not a pattern";
	if (!within_error_injection_list(fns->fn[0].ip))
		return "the kernel allows it for those of error_injection/list (debugfs) only";
	return NULL;
}

/**
 * ktap_inject_wanted() - Does the clause want a function to be replaced?
 * @vm: for errors
 * @probe: the clause
 * @fns: the functions it waits for
 * @spec: what the script says
 * @fetch: with fetch arguments
 *
 * Return: 1 if it may and can; 0 if it does not; or an error that is set.
 */
int ktap_inject_wanted(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_kfns *fns,
		       const struct ktap_kfn_spec *spec, bool fetch)
{
	const char *why;

	if (!ktap_clause_reaches(probe, sets_retval, NULL))
		return 0;
	why = unfit(spec, fns, fetch);
	if (!why) {
		probe->injects = true;
		return 1;
	}
	if (!ktap_clause_calls(probe, sets_retval, NULL))
		return 0;
	return ktap_vm_error(vm, -EINVAL, "'%s': set_retval: %s", probe->event, why);
}

/* The function behind a system call, whose name depends on the machine. */
static bool syscall_function(const char *event, char *name, size_t size)
{
	static const char enter[] = "sys_enter_";
	static const char * const prefixes[] = {
		"__x64_", "__arm64_", "__riscv_", "__s390x_", "__ia32_", "",
	};
	const char *syscall = strstr(event, enter);
	unsigned int i;

	for (i = 0; syscall && i < ARRAY_SIZE(prefixes); i++) {
		snprintf(name, size, "%ssys_%s", prefixes[i], syscall + strlen(enter));
		if (kallsyms_lookup_name(name))
			return true;
	}
	return false;
}

/* 0; or, set, the error that a clause calls set_retval() for no function. */
int ktap_inject_check(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	char name[KSYM_NAME_LEN];

	if (probe->injects || !ktap_clause_calls(probe, sets_retval, NULL))
		return 0;
	if (syscall_function(probe->event, name, sizeof(name)))
		return ktap_vm_error(vm, -EINVAL,
				     "'%s': set_retval works at the entry of a function: probe:%s",
				     probe->event, name);
	return ktap_vm_error(vm, -EINVAL,
			     "'%s': set_retval works at the entry of a function: probe:FUNCTION",
			     probe->event);
}

static bool is_errno(s64 value)
{
	return value < 0 && value >= -MAX_ERRNO;
}

/* What a function may return; NULL: @value is it. */
static const char *unfit_value(int type, s64 value)
{
	switch (type) {
	case EI_ETYPE_NULL:
		return value ? "0 (NULL)" : NULL;
	case EI_ETYPE_ERRNO:
		return is_errno(value) ? NULL : "an error: -1 to -4095";
	case EI_ETYPE_ERRNO_NULL:
		return !value || is_errno(value) ? NULL : "0 (NULL) or an error: -1 to -4095";
	case EI_ETYPE_TRUE:
		return value == 1 ? NULL : "1 (true)";
	default:
		return "nothing else";
	}
}

/* &ktap_event_ops.set_retval of functions. */
int ktap_kfn_inject(struct ktap_vm *vm, s64 value)
{
	const struct ktap_kfn_hit *h =
		container_of(ktap_hit_of(vm->event), struct ktap_kfn_hit, hit);
	const char *why;

	if (!h->injection)
		return ktap_vm_error(vm, -EOPNOTSUPP,
				     "set_retval: this function cannot be replaced here");
	why = unfit_value(h->injection->type, value);
	if (why)
		return ktap_vm_error(vm, -EINVAL,
				     "set_retval(%lld): what this function may return is %s",
				     value, why);
	h->injection->wanted = true;
	h->injection->value = value;
	return 0;
}

/* Of the function at @addr: see &ktap_injection.type. */
int ktap_inject_type(unsigned long addr)
{
	return get_injectable_error_type(addr);
}

/* From a kprobe's handler, whose return value this is. */
int ktap_inject(const struct ktap_injection *injection, struct pt_regs *regs)
{
	if (!injection->wanted)
		return 0;
	regs_set_return_value(regs, injection->value);
	override_function_with_return(regs);
	return 1;
}

NOKPROBE_SYMBOL(ktap_inject);
