// SPDX-License-Identifier: GPL-2.0
/*
 * The symbols of a small kernel and of a module, and their memory.
 */
#include <string.h>

#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <asm/sections.h>

#include "symbols.h"
#include "types.h"

#define TEXT		KERNEL(0x81000000)
#define DATA		KERNEL(0x82000000)
#define PERCPU		KERNEL(0x84000000)
#define INIT		KERNEL(0x85000000)
#define MODULE_PERCPU	KERNEL(0x86000000)

static struct module module = {
	.name = "module",
	.percpu = (void *)MODULE_PERCPU,
	.percpu_size = 0x1000,
};

static const char kernel_string[] = "of the kernel";

/* More symbols follow "little" directly, without padding. */
static const u8 integers[] = {
	0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88,
	0xfe, 0xff, 0xff, 0xff, 0xfd, 0xff, 0xff, 0xff,
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
	0x11, 0x12, 0x13, 0x80, 0x15, 0x16, 0x17, 0x18,
};

/* The data of CPU 0. */
static const struct {
	u64 task;
	int number;
	int of_the_module;
} percpu = { TYPES_ADDRESS, 0, -3 };

static const struct {
	const char *name;
	u64 address;
	unsigned long size;		/* up to the next one */
	struct module *mod;
} symbols[] = {
	{ "function", TEXT, 0x1000, &module },
	/* machine.c: frame 4 of a stack returns to the end of "caller". */
	{ "caller", 0x4800, 0x800 },
	{ "after_caller", 0x5000, 0x800 },
	{ "jiffies", DATA, 8 },
	{ "nr_threads", DATA + 8, 4 },
	{ "not_aligned", DATA + 12, 12 },
	{ "padded", DATA + 24, 2 },
	{ "behind_it", DATA + 26, 1 },
	{ "little", DATA + 27, 5 },
	{ "wide_number", DATA + 0x100, 16 },
	{ "gone", KERNEL(0x8f000000), 4 },
	{ "twice", DATA, 8 },
	{ "twice", DATA + 8, 4 },
	{ "current_task", PERCPU, 8 },
	{ "cpu_number", PERCPU + 8, 8 },
	{ "for_booting", INIT, 8 },
	{ "sample_first", 0, 64, &module },
	{ "sample_percpu", MODULE_PERCPU + 12, 4, &module },
};

static u64 address_of(unsigned int i)
{
	return symbols[i].address ?: types_sample();
}

void *shim_static_percpu(void *p, int cpu)
{
	if ((unsigned long)p - PERCPU >= 0x1000 && (unsigned long)p - MODULE_PERCPU >= 0x1000)
		return NULL;
	return p + 0x10000 * (cpu + 1);
}

const void *symbols_memory(u64 from, size_t *size)
{
	static const struct {
		u64 address;
		const void *data;
		size_t size;
	} memory[] = {
		{ TEXT, kernel_string, sizeof(kernel_string) },
		{ DATA, integers, sizeof(integers) },
		{ PERCPU + 0x10000, &percpu, sizeof(percpu) },
		{ MODULE_PERCPU + 0x10000, &percpu, sizeof(percpu) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(memory); i++) {
		if (from - memory[i].address < memory[i].size) {
			*size = memory[i].address + memory[i].size - from;
			return memory[i].data + (from - memory[i].address);
		}
	}
	return NULL;
}

int symbols_pins(void)
{
	return module.users;
}

unsigned long kallsyms_lookup_name(const char *name)
{
	const char *colon = strchr(name, ':');
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		if (colon && (!symbols[i].mod ||
			      strncmp(name, symbols[i].mod->name, colon - name)))
			continue;
		if (!strcmp(symbols[i].name, colon ? colon + 1 : name))
			return address_of(i);
	}
	return 0;
}

int kallsyms_on_each_match_symbol(int (*fn)(void *data, unsigned long address),
				  const char *name, void *data)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(symbols) && !err; i++) {
		if (!symbols[i].mod && !strcmp(symbols[i].name, name))
			err = fn(data, address_of(i));
	}
	return err;
}

static int symbol_at(unsigned long address)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		if (address - address_of(i) < symbols[i].size)
			return i;
	}
	return -1;
}

int kallsyms_lookup_size_offset(unsigned long address, unsigned long *size, unsigned long *offset)
{
	int i = symbol_at(address);

	if (i < 0)
		return 0;
	*size = symbols[i].size;
	*offset = address - address_of(i);
	return 1;
}

const char *kallsyms_lookup(unsigned long address, unsigned long *size, unsigned long *offset,
			    char **modname, char *name)
{
	int i = symbol_at(address);

	if (!kallsyms_lookup_size_offset(address, size, offset))
		return NULL;
	*modname = symbols[i].mod ? (char *)symbols[i].mod->name : NULL;
	return strcpy(name, symbols[i].name);
}

bool kernel_text_address(unsigned long address)
{
	return address - TEXT < 0x1000;
}

bool init_section_contains(void *address, size_t size)
{
	return (unsigned long)address - INIT < 0x1000;
}

struct module *find_module(const char *name)
{
	return strcmp(name, module.name) ? NULL : &module;
}

struct module *__module_address(unsigned long address)
{
	return address == TEXT || address == types_sample() ? &module : NULL;
}

bool within_module_init(unsigned long address, const struct module *mod)
{
	return false;
}

bool try_module_get(struct module *mod)
{
	mod->users++;
	return true;
}

void module_put(struct module *mod)
{
	if (mod)
		mod->users--;
}
