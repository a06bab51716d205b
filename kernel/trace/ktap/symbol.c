// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of the kernel, and what else a program wants of it by name.
 */
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "btf.h"
#include "builtin.h"

/* The name, an offset, and the name of a module. */
static_assert(KSYM_NAME_LEN + sizeof("+0x0123456789abcdef []") + MODULE_NAME_LEN <=
	      KTAP_MAX_SYMBOL);

size_t ktap_symbol_text(u64 address, char *buf)
{
	unsigned long size, offset = 0;
	char *module = NULL;
	size_t len;

	/* Modules stay for so long. */
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

u64 ktap_symbol_here(const struct ktap_symbol *sym)
{
	unsigned long address = sym->address;

	if (sym->percpu)
		address = (unsigned long)per_cpu_ptr((void __percpu __force *)address,
						     raw_smp_processor_id());
	return address;
}

static bool is_percpu(unsigned long address)
{
	return IS_ENABLED(CONFIG_SMP) && address >= (unsigned long)__per_cpu_start &&
	       address < (unsigned long)__per_cpu_end;
}

/* How many there are of a name, modules left out. */
static int count_one(void *data, unsigned long address)
{
	unsigned int *n = data;

	++*n;
	return 0;
}

static unsigned int count_symbols(const char *name)
{
	unsigned int n = 0;

	kallsyms_on_each_match_symbol(count_one, name, &n);
	return n;
}

static int no_symbol(struct ktap_diag *diag, const struct ktap_program *prog, u32 pc,
		     const char *name)
{
	const char *advice = "/proc/kallsyms lists those there are";

	if (!IS_ENABLED(CONFIG_KALLSYMS))
		advice = "this kernel has no list of them (CONFIG_KALLSYMS)";
	else if (!IS_ENABLED(CONFIG_KALLSYMS_ALL))
		advice = "of variables this kernel has no list (CONFIG_KALLSYMS_ALL)";
	else if (strchr(name, ':'))
		advice = "is the module loaded?";
	ktap_diag_at(diag, prog, pc, "there is no kernel symbol '%s': %s", name, advice);
	return -ENOENT;
}

/* Why its value cannot be read, if it cannot. */
static int check_variable(struct ktap_diag *diag, const struct ktap_program *prog, u32 pc,
			  const char *name, unsigned long address)
{
	unsigned int n = count_symbols(name);

	if (n > 1) {
		ktap_diag_at(diag, prog, pc, "there are %u kernel symbols '%s'", n, name);
		return -ENOENT;
	}
	if (kernel_text_address(address)) {
		ktap_diag_at(diag, prog, pc,
			     "'%s' is a function of the kernel: kaddr(\"%s\") is its address",
			     name, name);
		return -ENOENT;
	}
	if (!is_percpu(address) && init_section_contains((void *)address, 1)) {
		ktap_diag_at(diag, prog, pc, "'%s' was there while the kernel booted only", name);
		return -ENOENT;
	}
	return 0;
}

/*
 * The list of symbols knows no types: what it is depends on how far it is to
 * the next symbol.  Small integers are flags mostly, those of 32 bits counters.
 */
static void guess_type(struct ktap_symbol *sym, unsigned long room)
{
	if (room >= sizeof(long))
		sym->size = sizeof(long);
	else if (room >= 4)
		sym->size = 4;
	else
		sym->size = room >= 2 ? 2 : 1;
	sym->is_signed = sym->size >= 4;
}

static int find_symbol(struct ktap_program *prog, u32 pc, struct ktap_diag *diag)
{
	u32 string = prog->code[pc].d;
	const char *name = prog->strings[string].blob;
	unsigned long address, room = 0, offset = 0;
	struct ktap_symbol *sym;
	s64 value;
	int err;

	if (!prog->symbols)
		prog->symbols = kvcalloc(prog->nstrings, sizeof(*prog->symbols),
					 GFP_KERNEL_ACCOUNT);
	if (!prog->symbols)
		return -ENOMEM;
	sym = &prog->symbols[string];
	if (sym->found)
		return 0;

	address = kallsyms_lookup_name(name);
	/* Enumerators have names, too. */
	if (!address && !ktap_btf_enumerator(name, &value)) {
		sym->address = value;
		sym->found = true;
		return 0;
	}
	if (!address)
		return no_symbol(diag, prog, pc, name);
	err = check_variable(diag, prog, pc, name, address);
	if (err)
		return err;
	if (!kallsyms_lookup_size_offset(address, &room, &offset) || !room)
		room = sizeof(long);
	sym->address = address;
	sym->percpu = is_percpu(address);
	guess_type(sym, room);
	sym->found = true;
	return 0;
}

/* By what name an instruction reads the kernel's memory; NULL if it does not. */
static const char *reads_kernel(const struct ktap_code *insn)
{
	if (insn->op == KTAP_OP_SYMBOL)
		return "`symbol`";
	if (insn->op != KTAP_OP_CALLB)
		return NULL;
	switch (insn->d) {
	case KTAP_FN_STR:
	case KTAP_FN_KERNEL_STRING:
	case KTAP_FN_BUF:
	case KTAP_FN_READ:
		return ktap_builtins[insn->d].name;
	default:
		return NULL;
	}
}

static bool gives_address(const struct ktap_code *insn)
{
	return insn->op == KTAP_OP_CALLB && insn->d == KTAP_FN_KADDR;
}

/* Is it the address that decides whose memory is read? */
static bool goes_by_address(const struct ktap_code *insn)
{
	return insn->op == KTAP_OP_CALLB && insn->d != KTAP_FN_KERNEL_STRING;
}

static int check_reading(struct ktap_program *prog, u32 pc, const char *name,
			 struct ktap_diag *diag)
{
	const char *advice = prog->code[pc].op == KTAP_OP_CALLB &&
			     prog->code[pc].d == KTAP_FN_STR ?
			     ": user_string() reads that of processes" : "";

	if (goes_by_address(&prog->code[pc]) &&
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
		name = reads_kernel(&prog->code[pc]);
		if (!prog->reader && (name || gives_address(&prog->code[pc])))
			prog->reader = pc + 1;
		if (!name)
			continue;
		/* To look for a name takes long, and there may be many. */
		if (fatal_signal_pending(current))
			return -EINTR;
		err = check_reading(prog, pc, name, diag);
		if (!err && prog->code[pc].op == KTAP_OP_SYMBOL)
			err = find_symbol(prog, pc, diag);
	}
	return err;
}
