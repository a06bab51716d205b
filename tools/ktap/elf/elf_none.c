// SPDX-License-Identifier: GPL-2.0
/* Stubs for builds without libelf. */
#include "elf/elf_file.h"

struct elf_file *elf_file_open(const char *path, const char **why)
{
	(void)path;
	*why = "cannot be read without libelf";
	return NULL;
}

void elf_read_symbols(struct elf_file *f, const char *root)
{
	(void)f;
	(void)root;
}

void elf_read_markers(struct elf_file *f)
{
	(void)f;
}

void elf_file_done(struct elf_file *f)
{
	(void)f;
}

void elf_file_close(struct elf_file *f)
{
	(void)f;
}

bool elf_is_native(const struct elf_file *f)
{
	(void)f;
	return true;
}

const char *elf_machine_name(unsigned int machine)
{
	(void)machine;
	return "";
}

bool elf_addr_to_offset(const struct elf_file *f, uint64_t addr, bool exec, uint64_t *offset)
{
	(void)f;
	(void)exec;
	*offset = addr;
	return false;
}

bool elf_offset_to_addr(const struct elf_file *f, uint64_t offset, uint64_t *addr)
{
	(void)f;
	*addr = offset;
	return false;
}

const struct elf_symbol *elf_function_at(const struct elf_file *f, uint64_t addr)
{
	(void)f;
	(void)addr;
	return NULL;
}

uint64_t elf_probe_of_entry(const struct elf_file *f, uint64_t addr)
{
	(void)f;
	return addr;
}

uint64_t elf_entry_of_probe(const struct elf_file *f, uint64_t addr)
{
	(void)f;
	return addr;
}

const char *elf_no_return_at(const struct elf_file *f, uint64_t addr)
{
	(void)f;
	(void)addr;
	return NULL;
}

const struct elf_symbol *elf_object(const struct elf_file *f, const char *name, size_t len)
{
	(void)f;
	(void)name;
	(void)len;
	return NULL;
}

struct elf_file *elf_debug_file(const unsigned char *build_id, size_t len, const char *root)
{
	(void)build_id;
	(void)len;
	(void)root;
	return NULL;
}

bool elf_add_debug_folders(const char *dirs)
{
	(void)dirs;
	return true;
}
