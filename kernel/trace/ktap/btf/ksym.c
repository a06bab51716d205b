// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of the kernel, and the variables that a program reads by name.
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kasan.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "btf/btf.h"
#include "btf/ksym.h"
#include "data/heap.h"
#include "host/module.h"
#include "vm/builtin.h"
#include "vm/program.h"

/* The name, an offset, and the name of a module. */
static_assert(KSYM_NAME_LEN + sizeof("+0x0123456789abcdef []") + MODULE_NAME_LEN <=
	      KTAP_MAX_SYMBOL);

size_t ktap_symbol_text(u64 address, char *buf)
{
	unsigned long size, offset = 0;
	char *module = NULL;
	size_t len;

	/* Keeps modules from being freed. */
	guard(preempt_notrace)();
	if ((unsigned long)address != address ||
	    !kallsyms_lookup(address, &size, &offset, &module, buf))
		return scnprintf(buf, KTAP_MAX_SYMBOL, "0x%llx", address);
	len = strlen(buf);
	if (offset)
		len += scnprintf(buf + len, KTAP_MAX_SYMBOL - len, "+0x%lx", offset);
	if (module)
		len += scnprintf(buf + len, KTAP_MAX_SYMBOL - len, " [%s]", module);
	return len;
}

u64 ktap_symbol_address(const char *name)
{
	return kallsyms_lookup_name(name);
}

unsigned long ktap_symbol_range(u64 address, unsigned long *start)
{
	unsigned long size = 0, offset = 0;

	/* Keeps modules from being freed. */
	guard(preempt_notrace)();
	if ((unsigned long)address != address ||
	    !kallsyms_lookup_size_offset(address, &size, &offset))
		return 0;
	*start = address - offset;
	return size;
}

/* Symbols of a module that are compared for a unit */
#define KSYM_A_UNIT	8

u32 ktap_symbol_cost(u64 address)
{
#if defined(CONFIG_MODULES) && defined(CONFIG_KALLSYMS)
	const struct mod_kallsyms *symbols;
	struct module *mod;

	guard(rcu)();
	mod = __module_address(address);
	symbols = mod ? rcu_dereference(mod->kallsyms) : NULL;
	if (symbols)
		return symbols->num_symtab / KSYM_A_UNIT;
#endif
	return 0;
}

u64 ktap_symbol_here(const struct ktap_symbol *sym)
{
	unsigned long address = sym->address;

	if (sym->percpu)
		address = (unsigned long)per_cpu_ptr((void __percpu __force *)address,
						     raw_smp_processor_id());
	return address;
}

static bool ksym_is_percpu(const struct module *mod, unsigned long address)
{
#if defined(CONFIG_MODULES) && defined(CONFIG_SMP)
	if (mod)
		return address - (unsigned long)mod->percpu < mod->percpu_size;
#endif
	return IS_ENABLED(CONFIG_SMP) && address >= (unsigned long)__per_cpu_start &&
	       address < (unsigned long)__per_cpu_end;
}

static int ksym_count_one(void *data, unsigned long address)
{
	unsigned int *n = data;

	++*n;
	return 0;
}

unsigned int ktap_symbol_count(const char *name)
{
	unsigned int n = 0;

	kallsyms_on_each_match_symbol(ksym_count_one, name, &n);
	return n;
}

static int ksym_no_symbol(struct ktap_diag *diag, const struct ktap_program *prog, u32 pc,
			  const char *name)
{
	const char *advice = "/proc/kallsyms lists those there are";

	if (!IS_ENABLED(CONFIG_KALLSYMS))
		advice = "this kernel has no list of them (CONFIG_KALLSYMS)";
	else if (!IS_ENABLED(CONFIG_KALLSYMS_ALL))
		advice = "this kernel lists functions only (CONFIG_KALLSYMS_ALL)";
	else if (strchr(name, ':'))
		advice = "is the module loaded?";
	ktap_diag_at(diag, prog, pc, "there is no kernel symbol '%s': %s", name, advice);
	return -ENOENT;
}

/* Split "module:variable" into @module and the result; @module is "" if there is none. */
static const char *ksym_split_module(const char *name, char *module)
{
	const char *colon = strchr(name, ':');

	*module = '\0';
	if (!colon || colon - name >= MODULE_NAME_LEN)
		return name;
	strscpy(module, name, colon - name + 1);
	return colon + 1;
}

static struct module *ksym_pin_module(const char *module)
{
#ifdef CONFIG_MODULES
	struct module *mod;

	guard(rcu)();
	mod = find_module(module);
	return mod && ktap_module_get(mod) ? mod : NULL;
#else
	return NULL;
#endif
}

struct module *ktap_symbol_pin(unsigned long address)
{
	struct module *mod;

	guard(rcu)();
	mod = __module_address(address);
	return mod && ktap_module_get(mod) ? mod : NULL;
}

/*
 * Pin the module of a symbol: sets @sym->mod.  A name without a module may also belong
 * to a module, if the address tells which one: that of a per-CPU variable does not.
 */
static int ksym_pin_owner(struct ktap_symbol *sym, const char *name, const char *module)
{
	if (!*module && ktap_symbol_count(name))
		return 0;
	sym->mod = *module ? ksym_pin_module(module) : ktap_symbol_pin(sym->address);
	/* The module may have been replaced by another one before it was pinned. */
	return sym->mod && kallsyms_lookup_name(name) == sym->address ? 0 : -ENOENT;
}

bool ktap_symbol_was_for_booting(const struct ktap_symbol *sym)
{
	if (sym->mod)
		return within_module_init(sym->address, sym->mod);
	return !sym->percpu && init_section_contains((void *)(unsigned long)sym->address, 1);
}

int ktap_symbol_find(const char *name, struct ktap_symbol *sym)
{
	char module[MODULE_NAME_LEN];
	int err;

	*sym = (struct ktap_symbol){ .address = kallsyms_lookup_name(name) };
	if (!sym->address)
		return -ENOENT;
	ksym_split_module(name, module);
	err = ksym_pin_owner(sym, name, module);
	if (err)
		module_put(sym->mod);
	else
		sym->percpu = ksym_is_percpu(sym->mod, sym->address);
	return err;
}

/* Refuse symbols whose value cannot be read. */
static int ksym_check_variable(struct ktap_diag *diag, const struct ktap_program *prog, u32 pc,
			       const char *name, const struct ktap_symbol *sym)
{
	unsigned int n = sym->mod ? 1 : ktap_symbol_count(name);

	if (n > 1) {
		ktap_diag_at(diag, prog, pc, "there are %u kernel symbols '%s'", n, name);
		return -ENOENT;
	}
	if (kernel_text_address(sym->address)) {
		ktap_diag_at(diag, prog, pc,
			     "'%s' is a function of the kernel: kaddr(\"%s\") is its address",
			     name, name);
		return -ENOENT;
	}
	if (ktap_symbol_was_for_booting(sym)) {
		ktap_diag_at(diag, prog, pc, "'%s' existed only while the kernel booted", name);
		return -ENOENT;
	}
	return 0;
}

/* Bytes from the variable to the next one, or fewer if KASAN has its end. */
static unsigned long ksym_room_of(const struct ktap_symbol *sym)
{
	unsigned long address = sym->address, room = 0, offset;

	/* Where modules have those of each CPU there are no symbols. */
	if ((sym->percpu && sym->mod) ||
	    !kallsyms_lookup_size_offset(address, &room, &offset) || !room)
		room = sizeof(long);
#ifdef CONFIG_KASAN_GENERIC
	/* KASAN puts variables apart, and has the end of each of them. */
	if (room > sizeof(long) && !sym->percpu) {
		s8 valid = *(s8 *)kasan_mem_to_shadow((void *)address);

		if (valid > 0)
			room = valid;
	}
#endif
	return room;
}

/*
 * The type is not known without BTF.  Assume the largest integer that fits before the next
 * symbol and is aligned to its own size.  Small integers are mostly flags, those of 32
 * bits mostly counters.
 */
static void ksym_guess_type(struct ktap_load *load, unsigned long address, unsigned long room)
{
	u32 size = sizeof(long);

	while (size > room || address % size)
		size /= 2;
	*load = (struct ktap_load){
		.size = size,
		.kind = size >= 4 ? KTAP_LOAD_SIGNED : KTAP_LOAD_UNSIGNED,
	};
}

bool ktap_symbol_type(struct ktap_program *prog, u32 string, struct ktap_load *load)
{
	char module[MODULE_NAME_LEN];
	const char *name = ksym_split_module(prog->strings[string].blob, module);

	/* A variable of the kernel has precedence over those of modules. */
	return ktap_btf_variable(*module || ktap_symbol_count(name) ? module : NULL, name,
				 &prog->types, load);
}

static int ksym_find_type(struct ktap_program *prog, u32 pc, struct ktap_diag *diag,
			  const char *name, struct ktap_symbol *sym)
{
	char module[MODULE_NAME_LEN];
	const char *variable = ksym_split_module(name, module);

	if (sym->mod)
		strscpy(module, module_name(sym->mod), sizeof(module));
	if (!ktap_btf_variable(module, variable, &prog->types, &sym->load))
		ksym_guess_type(&sym->load, sym->address, ksym_room_of(sym));
	if (sym->load.kind != KTAP_LOAD_NONE)
		return 0;
	ktap_diag_at(diag, prog, pc, "'%s' has a type without values in scripts", name);
	return -EINVAL;
}

static int ksym_find_variable(struct ktap_program *prog, u32 pc, struct ktap_diag *diag,
			      const char *name, struct ktap_symbol *sym)
{
	char module[MODULE_NAME_LEN];
	int err;

	ksym_split_module(name, module);
	if (ksym_pin_owner(sym, name, module)) {
		if (*module)
			return ksym_no_symbol(diag, prog, pc, name);
		ktap_diag_at(diag, prog, pc, "'%s' is of a module: write `MODULE:%s`", name, name);
		return -ENOENT;
	}
	sym->percpu = ksym_is_percpu(sym->mod, sym->address);
	err = ksym_check_variable(diag, prog, pc, name, sym);
	return err ?: ksym_find_type(prog, pc, diag, name, sym);
}

static int ksym_find_symbol(struct ktap_program *prog, u32 pc, struct ktap_diag *diag)
{
	u32 string = prog->code[pc].d;
	const char *name = prog->strings[string].blob;
	struct ktap_symbol *sym;
	s64 value;
	int err;

	if (!prog->symbols)
		prog->symbols = kvcalloc(prog->nstrings, sizeof(*prog->symbols),
					 KTAP_GFP);
	if (!prog->symbols)
		return -ENOMEM;
	sym = &prog->symbols[string];
	if (sym->found)
		return 0;

	sym->address = kallsyms_lookup_name(name);
	if (sym->address) {
		err = ksym_find_variable(prog, pc, diag, name, sym);
		if (err)
			return err;
	} else if (!ktap_btf_enumerator(name, &value)) {
		/* The name is that of an enumerator. */
		sym->address = value;
	} else {
		return ksym_no_symbol(diag, prog, pc, name);
	}
	sym->found = true;
	return 0;
}

/* How the script reads memory of the kernel by this instruction; NULL if it does not. */
static const char *ksym_reads_kernel(const struct ktap_code *insn)
{
	if (insn->op == KTAP_OP_SYMBOL)
		return "`symbol`";
	return ktap_insn_reads(insn) & KTAP_READS_KERNEL ? ktap_builtins[insn->d].name : NULL;
}

static int ksym_check_reading(struct ktap_program *prog, u32 pc, const char *name,
			      struct ktap_diag *diag)
{
	const char *advice = prog->code[pc].op == KTAP_OP_CALLB &&
			     prog->code[pc].d == KTAP_FN_STR ?
			     ": user_string() reads that of processes" : "";

	if (ktap_insn_reads(&prog->code[pc]) & KTAP_READS_USER &&
	    !IS_ENABLED(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE)) {
		ktap_diag_at(diag, prog, pc,
			     "%s: on this machine an address does not tell whether it is the kernel's: there are user_string() and kernel_string()",
			     name);
		return -EOPNOTSUPP;
	}
	if (!security_locked_down(LOCKDOWN_BPF_READ_KERNEL))
		return 0;
	ktap_diag_at(diag, prog, pc, "%s: nobody may read the memory of this kernel (lockdown)%s",
		     name, advice);
	return -EPERM;
}

int ktap_program_link(struct ktap_program *prog, struct ktap_diag *diag)
{
	const char *name;
	int err = 0;
	u32 pc;

	for (pc = 0; pc < prog->ninsns && !err; pc++) {
		cond_resched();
		name = ksym_reads_kernel(&prog->code[pc]);
		if (!name)
			continue;
		/* A lookup takes long, and there may be many. */
		if (fatal_signal_pending(current))
			return -EINTR;
		err = ksym_check_reading(prog, pc, name, diag);
		if (!err && prog->code[pc].op == KTAP_OP_SYMBOL)
			err = ksym_find_symbol(prog, pc, diag);
	}
	return err;
}

void ktap_program_unlink(struct ktap_program *prog)
{
	u32 i;

	for (i = 0; prog->symbols && i < prog->nstrings; i++)
		module_put(prog->symbols[i].mod);
	kvfree(prog->symbols);
	prog->symbols = NULL;
}
