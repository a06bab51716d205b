// SPDX-License-Identifier: GPL-2.0
/*
 * set_retval(): make a function return a value instead of running.
 */
#include <linux/err.h>
#include <linux/error-injection.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "event/func_event.h"
#include "vm/program.h"

/**
 * DOC: Replacing functions
 *
 * ALLOW_ERROR_INJECTION() next to the definition of a function allows it to be
 * replaced, and says by which values: its callers handle these.  All system calls
 * have it.
 *
 * Replacing needs a kprobe at the entry, where the function has no frame yet: its
 * handler can make the function return, handlers of fprobes and tracepoints cannot.  So
 * a probe that may reach set_retval() gets a kprobe instead of an fprobe.  If a probe
 * calls functions that are values, it is not known beforehand whether it reaches
 * set_retval(): then the call itself checks.
 */

static bool inject_sets_retval(const struct ktap_code *insn, void *unused)
{
	return insn->op == KTAP_OP_CALLB && insn->d == KTAP_FN_SET_RETVAL;
}

/* Return why the functions cannot be replaced, or NULL if they can. */
static const char *inject_unfit(const struct ktap_kfn_spec *spec, const struct ktap_kfns *fns,
				bool fetch)
{
	if (fetch)
		return "it needs a probe without fetch arguments";
	if (spec->ret)
		return "when a function returns it has done its work: it needs the entry";
	if (spec->offset)
		return "it works at the entry of a function, not at an offset";
	if (!spec->exact)
		return "it needs the name of one function, not a pattern";
	if (!within_error_injection_list(fns->fn[0].ip))
		return "the kernel allows it for those of error_injection/list (debugfs) only";
	return NULL;
}

/**
 * ktap_inject_wanted() - May the probe replace its function?
 * @vm: for errors
 * @probe: the probe
 * @fns: the functions of its event
 * @spec: the event as the script names it
 * @fetch: the event has fetch arguments
 *
 * Return: 1 if the probe may call set_retval(), and its function can be replaced; 0 if
 * not; or a negative errno with the error set in @vm.
 */
int ktap_inject_wanted(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_kfns *fns,
		       const struct ktap_kfn_spec *spec, bool fetch)
{
	const char *why;

	if (!ktap_probe_reaches(probe, inject_sets_retval, NULL))
		return 0;
	why = inject_unfit(spec, fns, fetch);
	if (!why) {
		probe->injects = true;
		return 1;
	}
	if (!ktap_probe_calls(probe, inject_sets_retval, NULL))
		return 0;
	return ktap_vm_error(vm, -EINVAL, "'%s': set_retval: %s", probe->event, why);
}

/* Get the name of a system call's function, which depends on the architecture. */
static bool inject_syscall_function(const char *event, char *name, size_t size)
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

/* Refuse a probe that calls set_retval() but has no function that can be replaced. */
int ktap_inject_check(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	char name[KSYM_NAME_LEN];

	if (probe->injects || !ktap_probe_calls(probe, inject_sets_retval, NULL))
		return 0;
	if (inject_syscall_function(probe->event, name, sizeof(name)))
		return ktap_vm_error(vm, -EINVAL,
				     "'%s': set_retval works at the entry of a function: probe:%s",
				     probe->event, name);
	return ktap_vm_error(vm, -EINVAL,
			     "'%s': set_retval works at the entry of a function: probe:FUNCTION",
			     probe->event);
}

static bool inject_is_errno(s64 value)
{
	return value < 0 && value >= -MAX_ERRNO;
}

/* Return NULL if the function may return @value, or else the values it may return. */
static const char *inject_unfit_value(int type, s64 value)
{
	switch (type) {
	case EI_ETYPE_NULL:
		return value ? "0 (NULL)" : NULL;
	case EI_ETYPE_ERRNO:
		return inject_is_errno(value) ? NULL : "an error: -1 to -4095";
	case EI_ETYPE_ERRNO_NULL:
		return !value || inject_is_errno(value) ? NULL :
							  "0 (NULL) or an error: -1 to -4095";
	case EI_ETYPE_TRUE:
		return value == 1 ? NULL : "1 (true)";
	default:
		return "what it returns itself";
	}
}

/* &ktap_event_ops.set_retval of functions */
int ktap_kfn_inject(struct ktap_vm *vm, s64 value)
{
	const struct ktap_kfn_hit *h =
		container_of(ktap_hit_of(vm->event), struct ktap_kfn_hit, hit);
	const char *why;

	if (!h->injection)
		return ktap_vm_error(vm, -EOPNOTSUPP,
				     "set_retval: this function cannot be replaced here");
	why = inject_unfit_value(h->injection->type, value);
	if (why)
		return ktap_vm_error(vm, -EINVAL,
				     "set_retval(%lld): the function may return only %s",
				     value, why);
	h->injection->wanted = true;
	h->injection->value = value;
	return 0;
}

/* Called at the end of a kprobe's handler, which returns the result. */
int ktap_inject(const struct ktap_injection *injection, struct pt_regs *regs)
{
	if (!injection->wanted)
		return 0;
	regs_set_return_value(regs, injection->value);
	override_function_with_return(regs);
	return 1;
}
NOKPROBE_SYMBOL(ktap_inject);
