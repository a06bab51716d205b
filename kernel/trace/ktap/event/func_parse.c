// SPDX-License-Identifier: GPL-2.0
/*
 * "probe:" and "kretprobe:": parse the event, and choose between fprobes, kprobes
 * and dynamic events of the kernel.
 */
#include <linux/cleanup.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/heap.h"
#include "event/func_event.h"
#include "vm/builtin.h"

/* Name of the kernel in place of a module, as in perf and bpftrace */
static const char vmlinux[] = "vmlinux";

/**
 * ktap_kfn_parse() - Parse "[MODULE:]FUNCTION[+OFFSET][%return]"
 * @text: the text; it is split in place, and @spec points to its parts
 * @spec: gets the parts; @spec->ret stays true if it is
 *
 * Return: NULL, or a message about the syntax.
 */
const char *ktap_kfn_parse(char *text, struct ktap_kfn_spec *spec)
{
	char *percent = strchr(text, '%');
	char *plus, *colon;

	if (percent && strcmp(percent, "%return"))
		return "only %return may follow a function";
	if (percent)
		*percent = '\0';
	spec->ret |= !!percent;

	plus = strchr(text, '+');
	if (plus)
		*plus = '\0';
	if (plus && kstrtoul(plus + 1, 0, &spec->offset))
		return "the offset is not a number";

	colon = strchr(text, ':');
	if (colon)
		*colon = '\0';
	spec->no_modules = colon && !strcmp(text, vmlinux);
	spec->module = colon && !spec->no_modules ? text : NULL;
	spec->function = colon ? colon + 1 : text;
	spec->exact = !strpbrk(spec->function, "*?[");
	if (!*spec->function)
		return "the name of a function is missing";
	if (spec->offset && spec->ret)
		return "a return has no offset";
	if (spec->offset && !spec->exact)
		return "an offset needs the name of one function";
	return NULL;
}

/* Cut @text at the first blank; true if fetch arguments follow it. */
static bool func_parse_split_fetch(char *text)
{
	char *blank = strchr(text, ' ');

	if (!blank)
		return false;
	*blank = '\0';
	return *skip_spaces(blank + 1);
}

/* Visitor for ktap_probe_calls() */
static bool func_parse_reads_registers(const struct ktap_code *insn, void *unused)
{
	return ktap_insn_reads(insn) & KTAP_READS_REGISTERS;
}

/* A kprobe has all registers. */
static bool func_parse_needs_kprobe(const struct ktap_probe *probe,
				    const struct ktap_kfn_spec *spec)
{
	return IS_ENABLED(CONFIG_KPROBES) && spec->exact && !spec->ret &&
	       ktap_probe_calls(probe, func_parse_reads_registers, NULL);
}

static int func_parse_probe(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest,
			    bool ret)
{
	struct ktap_kfn_spec spec = { .ret = ret };
	struct ktap_kfns fns __free(ktap_kfns) = {};
	char *text __free(kfree) = NULL;
	const char *why;
	int err, injects;
	bool fetch;

	err = ktap_kfns_check_allowed(vm, probe);
	if (err)
		return err;
	text = kstrdup(rest, KTAP_GFP);
	if (!text)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	fetch = func_parse_split_fetch(text);

	why = ktap_kfn_parse(text, &spec);
	if (!why && fetch && !spec.exact)
		why = "fetch arguments need the name of one function";
	if (why)
		return ktap_vm_error(vm, -EINVAL, "'%s': %s", probe->event, why);
	err = ktap_kfns_find(vm, probe, &spec, &fns);
	if (err)
		return err;
	injects = ktap_inject_wanted(vm, probe, &fns, &spec, fetch);
	if (injects < 0)
		return injects;
	if (fetch) {
		/* Dynamic events do not accept "vmlinux:", and do not pin the module. */
		if (spec.no_modules)
			rest += strlen(vmlinux) + 1;
		swap(probe->mod, fns.fn[0].mod);
		return ktap_dynevent_add(vm, probe, rest, spec.ret);
	}
	if (spec.offset || func_parse_needs_kprobe(probe, &spec) || injects)
		return ktap_kprobe_add(vm, probe, &fns, &spec);
	return ktap_fprobe_add(vm, probe, &fns, &spec);
}

int ktap_parse_probe(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	return func_parse_probe(vm, probe, rest, false);
}

int ktap_parse_kretprobe(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	return func_parse_probe(vm, probe, rest, true);
}
