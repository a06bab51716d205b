// SPDX-License-Identifier: GPL-2.0
/*
 * Which functions of the kernel and of its modules does a clause mean?
 *
 * They are looked up when the clause comes to life and kept by address.  What is
 * not to be traced at all (notrace, noinstr, ktap itself) ftrace does not know:
 * the handlers are never entered from there.
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

#include "function.h"
#include "output.h"

void ktap_kfns_free(struct ktap_kfns *fns)
{
	unsigned int i;

	for (i = 0; i < fns->n; i++)
		module_put(fns->fn[i].mod);
	kvfree(fns->fn);
	kvfree(fns->names);
	*fns = (struct ktap_kfns){};
}

static int make_room(struct ktap_kfns *fns, size_t len)
{
	size_t size = max(2 * fns->names_size, 64);
	unsigned int n = max(2 * fns->size, 1);
	void *p;

	if (fns->n == fns->size) {
		p = kvrealloc(fns->fn, array_size(n, sizeof(*fns->fn)), GFP_KERNEL_ACCOUNT);
		if (!p)
			return -ENOMEM;
		fns->fn = p;
		fns->size = n;
	}
	size = max(size, fns->names_len + len);
	if (fns->names_len + len > fns->names_size) {
		p = kvrealloc(fns->names, size, GFP_KERNEL_ACCOUNT);
		if (!p)
			return -ENOMEM;
		fns->names = p;
		fns->names_size = size;
	}
	return 0;
}

/**
 * ktap_kfns_add() - Adds a function
 * @fns: what it is added to
 * @name: its name
 * @ip: where a probe enters it
 *
 * One whose module is on its way out is left away.
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int ktap_kfns_add(struct ktap_kfns *fns, const char *name, unsigned long ip)
{
	struct module *mod = NULL;
	size_t len = strlen(name);
	int err = make_room(fns, len);

	if (err)
		return err;
	guard(rcu)();
	if (!core_kernel_text(ip)) {
		mod = __module_text_address(ip);
		if (!mod)
			return 0;
	}
	/* It goes away. */
	if (!try_module_get(mod))
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
 * struct finder - what is looked for
 * @fns: what is found
 * @pattern: names match it,
 * @words: or each of these; "!PATTERN": they do not
 */
struct finder {
	struct ktap_kfns *fns;
	const char *pattern;
	char **words;
};

static bool is_wanted(const struct finder *f, const char *name)
{
	char **word;

	if (f->pattern)
		return glob_match(f->pattern, name);
	for (word = f->words; *word; word++) {
		bool not = **word == '!';

		if (glob_match(*word + not, name) == not)
			return false;
	}
	return true;
}

/* Where a probe enters the function at @addr; 0: it cannot. */
static unsigned long entry_of(unsigned long addr)
{
	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
		return ftrace_location(addr);
	/* Without kprobes, too, nothing can: that is told later, and better. */
	return IS_ENABLED(CONFIG_KPROBES) && within_kprobe_blacklist(addr) ? 0 : addr;
}

/*
 * fprobe.c has its functions in a resizable hash table.  A lookup begins anew as long
 * as the list that it follows is just being moved: a lookup because of a function
 * that is called by who moves it, between two steps, would never end.  There
 * rht_assign_unlock() calls the first one where preempt counts are checked or traced,
 * and the others, with lockdep, while somebody waits for the tracepoint lock_release;
 * the event's own functions are notrace, and src_tracepoint.c runs no handler there.
 */
static bool moves_probes(const char *name)
{
	static const char * const calls[] = {
		"preempt_count_sub",
		"__traceiter_lock_release",
		"__probestub_lock_release",
	};

	return IS_ENABLED(CONFIG_FPROBE) && match_string(calls, ARRAY_SIZE(calls), name) >= 0;
}

static int check_symbol(struct finder *f, const char *name, unsigned long addr)
{
	unsigned long ip;

	if (!kernel_text_address(addr))
		return 0;
	/* ftrace:function, which is about words, needs no lookup. */
	ip = f->pattern && moves_probes(name) ? 0 : entry_of(addr);
	if (ip)
		return ktap_kfns_add(f->fns, name, ip);
	/* The padding in front of a function has a name, too. */
	if (!strstarts(name, "__pfx_"))
		f->fns->skipped++;
	return 0;
}

static int find_symbol(void *data, const char *name, unsigned long addr)
{
	struct finder *f = data;

	return is_wanted(f, name) ? check_symbol(f, name, addr) : 0;
}

static int find_exact(void *data, unsigned long addr)
{
	struct finder *f = data;

	return check_symbol(f, f->pattern, addr);
}

static int by_ip(const void *a, const void *b)
{
	const struct ktap_kfn *x = a, *y = b;

	return x->ip < y->ip ? -1 : x->ip > y->ip;
}

/* By address, each one once. */
void ktap_kfns_tidy(struct ktap_kfns *fns)
{
	unsigned int i, n = 0;

	sort(fns->fn, fns->n, sizeof(*fns->fn), by_ip, NULL);
	for (i = 0; i < fns->n; i++) {
		if (n && fns->fn[n - 1].ip == fns->fn[i].ip)
			module_put(fns->fn[i].mod);
		else
			fns->fn[n++] = fns->fn[i];
	}
	fns->n = n;
}

static int find_functions(struct finder *f, const char *module, bool exact)
{
	int err = 0;

	if (!module && exact)
		err = kallsyms_on_each_match_symbol(find_exact, f->pattern, f);
	else if (!module)
		err = kallsyms_on_each_symbol(find_symbol, f);
	if (!err && IS_ENABLED(CONFIG_MODULES))
		err = module_kallsyms_on_each_symbol(module, find_symbol, f);
	ktap_kfns_tidy(f->fns);
	return err;
}

static int check_found(struct ktap_vm *vm, const struct ktap_kfns *fns, const char *module,
		       const char *name, bool exact)
{
	if (exact && fns->n > 1)
		return ktap_vm_error(vm, -EADDRNOTAVAIL,
				     "%u functions are called '%s': none of them is meant alone",
				     fns->n, name);
	if (fns->n)
		return 0;
	if (fns->skipped) {
		const char *why = "notrace, or not a function";

		if (moves_probes(name))
			why = "fprobe itself calls it; ftrace:function can";
		return ktap_vm_error(vm, -EINVAL, "%s '%s' cannot be traced: %s",
				     exact ? "function" : "what matches", name, why);
	}
	if (module)
		return ktap_vm_error(vm, -ENOENT, "no function '%s' in a module '%s'", name,
				     module);
	return ktap_vm_error(vm, -ENOENT, exact ? "no function '%s'" : "no function matches '%s'",
			     name);
}

static void note_skipped(const struct ktap_probe *probe, const struct ktap_kfns *fns)
{
	if (fns->skipped)
		ktap_output_note(&probe->session->output,
				 "skipped %u functions of '%s' that cannot be traced",
				 fns->skipped, probe->event);
}

/**
 * ktap_kfns_find() - Finds the functions that a clause names
 * @vm: for errors
 * @probe: the clause
 * @spec: a name or a pattern
 * @fns: gets them; to be freed also after an error
 *
 * Return: 0, or an error that is set.
 */
int ktap_kfns_find(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_kfn_spec *spec,
		   struct ktap_kfns *fns)
{
	struct finder f = { .fns = fns, .pattern = spec->function };
	int err = find_functions(&f, spec->module, spec->exact);

	if (err)
		return ktap_event_error(vm, probe->event, err);
	err = check_found(vm, fns, spec->module, spec->function, spec->exact);
	if (!err && !spec->exact)
		note_skipped(probe, fns);
	return err;
}

/**
 * ktap_kfns_find_words() - Finds the functions that some patterns leave
 * @vm: for errors
 * @probe: the clause
 * @words: "PATTERN" and "!PATTERN", all of which must be true
 * @fns: gets them; to be freed also after an error
 *
 * Return: 0, or an error that is set.
 */
int ktap_kfns_find_words(struct ktap_vm *vm, struct ktap_probe *probe, const char *words,
			 struct ktap_kfns *fns)
{
	struct finder f = { .fns = fns };
	int err;

	f.words = argv_split(GFP_KERNEL_ACCOUNT, words, NULL);
	if (!f.words)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	err = find_functions(&f, NULL, false);
	argv_free(f.words);
	if (err)
		return ktap_event_error(vm, probe->event, err);
	return check_found(vm, fns, NULL, skip_spaces(words), false);
}

/* 0, or a negative errno with the error set: nobody may, or nothing would come. */
int ktap_kfns_check_allowed(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	int err = security_locked_down(LOCKDOWN_KPROBES);

	if (err)
		return ktap_vm_error(vm, err, "'%s': the kernel is locked down", probe->event);
	/* As for perf's probes: arguments are addresses of the kernel. */
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
/* Their addresses, to be freed by kvfree(); NULL if there is no memory. */
unsigned long *ktap_kfns_ips(const struct ktap_kfns *fns)
{
	unsigned long *ips = kvmalloc_array(fns->n, sizeof(*ips), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	if (!ips)
		return NULL;
	for (i = 0; i < fns->n; i++)
		ips[i] = fns->fn[i].ip;
	return ips;
}
#endif
