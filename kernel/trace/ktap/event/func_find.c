// SPDX-License-Identifier: GPL-2.0
/*
 * Find the functions of the kernel and its modules that a probe names.
 *
 * They are looked up when the probe is registered, and kept by address.  ftrace has
 * no location for functions that must not be traced (notrace, noinstr, ktap itself),
 * so these are never found.
 */
#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "event/func_event.h"
#include "host/module.h"
#include "session.h"
#include "session_output.h"

void ktap_kfns_free(struct ktap_kfns *fns)
{
	unsigned int i;

	for (i = 0; i < fns->n; i++)
		module_put(fns->fn[i].mod);
	kvfree(fns->fn);
	kvfree(fns->names);
	*fns = (struct ktap_kfns){};
}

/*
 * Make room for @need elements of @bytes in @array, of which *@size are allocated.
 * Return the new array; or NULL, and @array is unchanged.
 */
void *ktap_kfns_grow(void *array, size_t *size, size_t need, size_t bytes)
{
	size_t n = max(2 * *size, need);

	if (need <= *size)
		return array;
	array = kvrealloc(array, array_size(n, bytes), KTAP_GFP);
	if (array)
		*size = n;
	return array;
}

/**
 * ktap_kfns_add() - Add a function and pin its module
 * @fns: the functions
 * @name: its name
 * @ip: its ftrace location, or the address of the kprobe
 *
 * A function of a module that is being loaded or unloaded is skipped.
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int ktap_kfns_add(struct ktap_kfns *fns, const char *name, unsigned long ip)
{
	struct module *mod = NULL;
	size_t len = strlen(name);
	struct ktap_kfn *fn;
	char *names;

	fn = ktap_kfns_grow(fns->fn, &fns->size, fns->n + 1, sizeof(*fn));
	if (!fn)
		return -ENOMEM;
	fns->fn = fn;
	names = ktap_kfns_grow(fns->names, &fns->names_size, fns->names_len + len, 1);
	if (!names)
		return -ENOMEM;
	fns->names = names;

	guard(rcu)();
	if (!core_kernel_text(ip)) {
		mod = __module_text_address(ip);
		if (!mod)
			return 0;
	}
	if (!ktap_module_get(mod))
		return 0;
	memcpy(fns->names + fns->names_len, name, len);
	fns->fn[fns->n++] = (struct ktap_kfn){
		.ip = ip,
		.mod = mod,
		.name = fns->names_len,
		.len = len,
	};
	fns->names_len += len;
	return 0;
}

/**
 * struct func_search - a search for functions
 * @spec: the names to find
 * @fns: gets the functions found
 */
struct func_search {
	const struct ktap_kfn_spec *spec;
	struct ktap_kfns *fns;
};

static bool func_find_is_wanted(const struct ktap_kfn_spec *spec, const char *name)
{
	char **word;

	if (!spec->words)
		return glob_match(spec->function, name);
	for (word = spec->words; *word; word++) {
		bool not = **word == '!';

		if (glob_match(*word + not, name) == not)
			return false;
	}
	return true;
}

/* Return the address to probe for the function at @addr, 0 if it cannot be probed. */
static unsigned long func_find_entry_of(unsigned long addr)
{
	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
		return ftrace_location(addr);
	/* Without kprobes, ktap_kprobe_add() reports the error. */
	return IS_ENABLED(CONFIG_KPROBES) && within_kprobe_blacklist(addr) ? 0 : addr;
}

/*
 * kernel/trace/fprobe.c keeps its functions in a resizable hash table.  A lookup
 * restarts as long as the chain that it follows is being moved.  A function that the
 * mover calls between two steps must not cause a lookup: it would never end.  There
 * rht_assign_unlock() calls the first function if preempt counts are checked or
 * traced, and the others, with lockdep, if the tracepoint lock_release is enabled.
 * The trace event's own functions are notrace, and tracepoint.c runs no handler there.
 */
static bool func_find_moves_probes(const char *name)
{
	static const char * const calls[] = {
		"preempt_count_sub",
		"__traceiter_lock_release",
		"__probestub_lock_release",
	};

	return IS_ENABLED(CONFIG_FPROBE) && match_string(calls, ARRAY_SIZE(calls), name) >= 0;
}

static int func_find_check_symbol(struct func_search *f, const char *name, unsigned long addr)
{
	unsigned long ip;

	if (!kernel_text_address(addr))
		return 0;
	/* ftrace:function, which uses words, needs no lookup in fprobe.c. */
	ip = !f->spec->words && func_find_moves_probes(name) ? 0 : func_find_entry_of(addr);
	if (ip)
		return ktap_kfns_add(f->fns, name, ip);
	/* The padding before a function has a name, too. */
	if (!strstarts(name, "__pfx_"))
		f->fns->skipped++;
	return 0;
}

static int func_find_symbol(void *data, const char *name, unsigned long addr)
{
	struct func_search *f = data;

	return func_find_is_wanted(f->spec, name) ? func_find_check_symbol(f, name, addr) : 0;
}

static int func_find_exact(void *data, unsigned long addr)
{
	struct func_search *f = data;

	return func_find_check_symbol(f, f->spec->function, addr);
}

static int func_find_by_ip(const void *a, const void *b)
{
	const struct ktap_kfn *x = a, *y = b;

	return x->ip < y->ip ? -1 : x->ip > y->ip;
}

/* Sort the functions by address and drop duplicates. */
void ktap_kfns_tidy(struct ktap_kfns *fns)
{
	unsigned int i, n = 0;

	sort(fns->fn, fns->n, sizeof(*fns->fn), func_find_by_ip, NULL);
	for (i = 0; i < fns->n; i++) {
		if (n && fns->fn[n - 1].ip == fns->fn[i].ip)
			module_put(fns->fn[i].mod);
		else
			fns->fn[n++] = fns->fn[i];
	}
	fns->n = n;
}

static int func_find_functions(const struct ktap_kfn_spec *spec, struct ktap_kfns *fns)
{
	struct func_search f = { .spec = spec, .fns = fns };
	int err = 0;

	if (!spec->module && spec->exact)
		err = kallsyms_on_each_match_symbol(func_find_exact, spec->function, &f);
	else if (!spec->module)
		err = kallsyms_on_each_symbol(func_find_symbol, &f);
	if (!err && IS_ENABLED(CONFIG_MODULES) && !spec->no_modules)
		err = module_kallsyms_on_each_symbol(spec->module, func_find_symbol, &f);
	ktap_kfns_tidy(fns);
	return err;
}

static int func_find_check_found(struct ktap_vm *vm, const struct ktap_kfn_spec *spec,
				 const struct ktap_kfns *fns)
{
	const char *name = spec->function;

	if (spec->exact && fns->n > 1)
		return ktap_vm_error(vm, -EADDRNOTAVAIL,
				     "%u functions are called '%s': the name is ambiguous",
				     fns->n, name);
	if (fns->n)
		return 0;
	if (fns->skipped) {
		const char *why = "notrace, or not a function";

		if (func_find_moves_probes(name))
			why = "fprobe itself calls it; ftrace:function can";
		return ktap_vm_error(vm, -EINVAL, "%s '%s' cannot be traced: %s",
				     spec->exact ? "function" : "what matches", name, why);
	}
	if (spec->exact && strstarts(name, "0x"))
		return ktap_vm_error(vm, -ENOENT,
				     "no function '%s': write FUNCTION+OFFSET for an address; print(ksym(%s)) shows it",
				     name, name);
	if (spec->module)
		return ktap_vm_error(vm, -ENOENT, "no function '%s' in a module '%s'", name,
				     spec->module);
	if (spec->no_modules)
		return ktap_vm_error(vm, -ENOENT,
				     "no function '%s' in 'vmlinux', the kernel without its modules",
				     name);
	return ktap_vm_error(vm, -ENOENT,
			     spec->exact ? "no function '%s'" : "no function matches '%s'", name);
}

/**
 * ktap_kfns_find() - Find the functions that a probe names
 * @vm: for errors
 * @probe: the probe
 * @spec: the names to find
 * @fns: gets the functions; the caller frees them even after an error
 *
 * Return: 0, or a negative errno with the error set in @vm.
 */
int ktap_kfns_find(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_kfn_spec *spec,
		   struct ktap_kfns *fns)
{
	int err = func_find_functions(spec, fns);

	if (err)
		return ktap_event_error(vm, probe->event, err);
	err = func_find_check_found(vm, spec, fns);
	if (!err && !spec->exact && !spec->words && fns->skipped)
		ktap_output_note(&probe->session->output,
				 "skipped %u functions of '%s' that cannot be traced",
				 fns->skipped, probe->event);
	return err;
}

/*
 * Check that the session may trace functions and that ftrace is enabled.
 * Return 0, or a negative errno with the error set in @vm.
 */
int ktap_kfns_check_allowed(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	int err = security_locked_down(LOCKDOWN_KPROBES);

	if (err)
		return ktap_vm_error(vm, err, "'%s': the kernel is locked down", probe->event);
	/* Arguments may be kernel addresses; perf's probes need the same capability. */
	if (!probe->session->perfmon)
		return ktap_vm_error(vm, -EPERM,
				     "'%s': CAP_PERFMON is needed to trace functions",
				     probe->event);
#ifdef CONFIG_FUNCTION_TRACER
	if (!ftrace_enabled)
		return ktap_vm_error(vm, -EBUSY, "'%s': sysctl kernel.ftrace_enabled is 0",
				     probe->event);
#endif
	return 0;
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/* Return an array of the addresses, or NULL.  The caller frees it with kvfree(). */
unsigned long *ktap_kfns_ips(const struct ktap_kfns *fns)
{
	unsigned long *ips = kvmalloc_array(fns->n, sizeof(*ips), KTAP_GFP);
	unsigned int i;

	if (!ips)
		return NULL;
	for (i = 0; i < fns->n; i++)
		ips[i] = fns->fn[i].ip;
	return ips;
}
#endif
