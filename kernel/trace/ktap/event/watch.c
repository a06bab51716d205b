// SPDX-License-Identifier: GPL-2.0
/*
 * Watches on memory: the processor interrupts at an access to an address, by a hardware
 * breakpoint.  perf has them as counters, see perf.c.
 *
 * In the kernel the interrupt is as an NMI on x86, and may come anywhere: in a lock of ktap,
 * whose event is missed as that of another NMI (activation.c), or in a handler.  While it is
 * handled the architecture turns breakpoints off.  It does not for an access in user mode: if
 * the handler reads the watched memory, that is an event of an NMI which interrupts it, and
 * what that handler reads is none.  The architecture refuses breakpoints on the memory that
 * the entry to the handler itself uses.
 */
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/hw_breakpoint.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "btf/ksym.h"
#include "event/perf.h"
#include "event/source.h"
#include "session.h"
#include "vm/program.h"

static const char watch_no_length[] = "a length is 1, 2, 4 or 8 bytes";
static const char watch_no_mode[] = "a mode is w, rw, r or x";
static const char watch_no_address[] = "that is no address";
static const char watch_no_memory[] = "the first page is no memory: is that a NULL pointer?";

/* Modes, with the types of the kernel */
static const struct {
	const char *name;
	unsigned int type;
} watch_modes[] = {
	{ "w",	HW_BREAKPOINT_W },
	{ "r",	HW_BREAKPOINT_R },
	{ "rw",	HW_BREAKPOINT_RW },
	{ "wr",	HW_BREAKPOINT_RW },
	{ "x",	HW_BREAKPOINT_X },
};

/* Return 0 if there is no such mode. */
static unsigned int watch_find_mode(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(watch_modes); i++) {
		if (!strcmp(watch_modes[i].name, name))
			return watch_modes[i].type;
	}
	return 0;
}

/* "ADDRESS", or "NAME", or "NAME+OFFSET" */
static const char *watch_parse_place(char *place, struct ktap_watch_spec *spec)
{
	char *offset;

	if (isdigit(*place)) {
		if (kstrtou64(place, 0, &spec->address))
			return watch_no_address;
		return spec->address < PAGE_SIZE ? watch_no_memory : NULL;
	}
	if (!*place || *place == '+')
		return "the name of a variable, or an address, is missing";
	spec->symbol = place;
	offset = strchr(place, '+');
	if (!offset)
		return NULL;
	*offset++ = '\0';
	return isdigit(*offset) && !kstrtou64(offset, 0, &spec->address) ?
	       NULL : "an offset is a number";
}

/**
 * ktap_watch_parse() - Parse the name of a watch
 * @text: the name without its prefix; it is changed
 * @spec: gets the parts; the symbol is a part of @text
 *
 * Return: NULL, or what is wrong.
 */
const char *ktap_watch_parse(char *text, struct ktap_watch_spec *spec)
{
	char *length = strchr(text, ':'), *mode;
	const char *why;

	*spec = (struct ktap_watch_spec){ .type = HW_BREAKPOINT_W };
	/* "MODULE:NAME": a length begins with a digit, and a mode is after it. */
	if (length && !isdigit(*text) && (isalpha(length[1]) || length[1] == '_') &&
	    !watch_find_mode(length + 1))
		length = strchr(length + 1, ':');
	if (length)
		*length++ = '\0';
	why = watch_parse_place(text, spec);
	if (why || !length)
		return why;
	mode = strchr(length, ':');
	if (mode)
		*mode++ = '\0';
	if (kstrtouint(length, 10, &spec->length) || !spec->length || spec->length > 8 ||
	    !is_power_of_2(spec->length))
		return watch_no_length;
	if (mode)
		spec->type = watch_find_mode(mode);
	return spec->type ? NULL : watch_no_mode;
}

/* Replace the offset from the symbol by the address. */
static int watch_find_symbol(struct ktap_vm *vm, struct ktap_probe *probe,
			     struct ktap_watch_spec *spec)
{
	const char *name = spec->symbol;
	struct ktap_symbol symbol;
	unsigned int n;

	/* As kaddr() does. */
	if (!probe->session->addresses)
		return ktap_vm_error(vm, -EPERM,
				     "'%s': the opener of the session sees no addresses in /proc/kallsyms (kptr_restrict, CAP_SYSLOG)",
				     probe->event);
	if (ktap_symbol_find(name, &symbol))
		return ktap_vm_error(vm, -ENOENT, "'%s': there is no kernel symbol '%s'%s",
				     probe->event, name, IS_ENABLED(CONFIG_KALLSYMS_ALL) ? "" :
				     ": this kernel lists functions only (CONFIG_KALLSYMS_ALL)");
	/* The probe has no other module. */
	probe->mod = symbol.mod;
	n = symbol.mod ? 1 : ktap_symbol_count(name);
	if (n > 1)
		return ktap_vm_error(vm, -ENOENT, "'%s': there are %u kernel symbols '%s'",
				     probe->event, n, name);
	if (symbol.percpu)
		return ktap_vm_error(vm, -EINVAL,
				     "'%s': each CPU has its own '%s': watch the address of one",
				     probe->event, name);
	if (ktap_symbol_was_for_booting(&symbol))
		return ktap_vm_error(vm, -ENOENT, "'%s': '%s' existed only while the kernel booted",
				     probe->event, name);
	spec->address += symbol.address;
	return 0;
}

static bool watch_is_of_program(const struct ktap_watch_spec *spec)
{
	return spec->address < TASK_SIZE_MAX;
}

/* Is it in the gap between programs and the kernel?  The kernel would accept it. */
static bool watch_is_of_nothing(const struct ktap_watch_spec *spec)
{
	return IS_ENABLED(CONFIG_64BIT) && !watch_is_of_program(spec) && (s64)spec->address >= 0;
}

/*
 * As the kernel does when it creates the breakpoint; but that of a CPU that comes online later is
 * created by a kernel thread.
 */
static int watch_check_kernel(struct ktap_vm *vm, const struct ktap_probe *probe,
			      const struct perf_event_attr *attr)
{
	return probe->session->admin ? 0 : ktap_watch_error(vm, probe->event, attr, -EPERM);
}

/* As uprobes (policy.c). */
static int watch_check_program(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	const struct ktap_session *s = probe->session;

	if (!s->programs)
		return ktap_vm_error(vm, -EPERM,
				     "'%s': CAP_PERFMON is needed to trace programs%s",
				     probe->event,
				     s->perfmon ? ", by signed scripts, too" : "");
	if (!s->filter.pid)
		return ktap_vm_error(vm, -EINVAL,
				     "'%s': that is an address of a program: name the process with -p, or a command after --",
				     probe->event);
	return 0;
}

/* "ADDRESS:8:w", "jiffies", ... */
int ktap_parse_watch(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	char *text __free(kfree) = kstrdup(rest, KTAP_GFP);
	struct ktap_watch_spec spec;
	struct perf_event_attr attr;
	bool of_program;
	const char *why;
	int err = 0;

	if (!text)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	why = ktap_watch_parse(text, &spec);
	if (why)
		return ktap_vm_error(vm, -EINVAL, "'%s': %s", probe->event, why);
	if (spec.symbol)
		err = watch_find_symbol(vm, probe, &spec);
	if (err)
		return err;
	of_program = watch_is_of_program(&spec);
	err = of_program ? watch_check_program(vm, probe) : 0;
	if (err)
		return err;
	if (spec.address > ULONG_MAX || watch_is_of_nothing(&spec))
		return ktap_vm_error(vm, -EINVAL, "'%s': %s", probe->event, watch_no_address);
	/* An instruction has no length, but the kernel wants this one. */
	if (!spec.length || spec.type == HW_BREAKPOINT_X)
		spec.length = sizeof(long);
	if (spec.type != HW_BREAKPOINT_X && spec.address & (spec.length - 1))
		return ktap_vm_error(vm, -EINVAL,
				     "'%s': 0x%llx is no multiple of %u: an address must be one of the length",
				     probe->event, spec.address, spec.length);
	hw_breakpoint_init(&attr);
	attr.bp_addr = spec.address;
	attr.bp_len = spec.length;
	attr.bp_type = spec.type;
	attr.disabled = 1;
	err = of_program ? 0 : watch_check_kernel(vm, probe, &attr);
	return err ?: ktap_perf_add(vm, probe, &attr, of_program);
}

/* Set the message that breakpoints cannot be created; return @err. */
int ktap_watch_error(struct ktap_vm *vm, const char *event, const struct perf_event_attr *attr,
		     int err)
{
	switch (err) {
	case -ENOSPC:
		return ktap_vm_error(vm, err,
				     "event '%s': all hardware breakpoints are in use: a CPU has %d, debuggers use them, too",
				     event,
				     hw_breakpoint_slots(attr->bp_type == HW_BREAKPOINT_X ?
							 TYPE_INST : TYPE_DATA));
	case -EINVAL:
	case -EOPNOTSUPP:
		if (attr->bp_type == HW_BREAKPOINT_R)
			return ktap_vm_error(vm, err,
					     "event '%s': this machine cannot watch reads alone: rw is reads and writes",
					     event);
		return ktap_vm_error(vm, err,
				     "event '%s': this machine cannot watch that address with %u bytes",
				     event, (unsigned int)attr->bp_len);
	case -EACCES:
	case -EPERM:
		return ktap_vm_error(vm, err,
				     "event '%s': CAP_SYS_ADMIN is needed to watch the memory of the kernel",
				     event);
	}
	return ktap_event_error(vm, event, err);
}
