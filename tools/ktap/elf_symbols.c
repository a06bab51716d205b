// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of ELF files: those of .symtab and .dynsym, of the compressed image
 * in .gnu_debugdata, and of the debug file; merged, sorted by address.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "elf_debug.h"
#include "elf_file.h"
#include "util.h"

/* Ranks: a size, a type, and being known outside make a good name of a place. */
enum {
	RANK_UNDERSCORES	= 7,
	RANK_LOCAL		= 1 << 3,
	RANK_NO_TYPE		= 1 << 4,
	RANK_NO_SIZE		= 1 << 5,
};

/* So many places before an address are looked at for a function that has it. */
#define MAX_NESTED	64

static uint8_t rank_of(const char *name, const GElf_Sym *sym)
{
	size_t underscores = strspn(name, "_");

	return (underscores < RANK_UNDERSCORES ? underscores : RANK_UNDERSCORES) |
	       (GELF_ST_BIND(sym->st_info) == STB_LOCAL ? RANK_LOCAL : 0) |
	       (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? RANK_NO_TYPE : 0) |
	       (sym->st_size ? 0 : RANK_NO_SIZE);
}

static bool in_code(Elf *elf, const GElf_Sym *sym)
{
	Elf_Scn *scn = elf_getscn(elf, sym->st_shndx);
	GElf_Shdr shdr;

	return scn && gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_EXECINSTR;
}

/*
 * The first instruction that runs however the function is called: machines
 * keep more in a symbol than its address.
 */
static uint64_t entry_of(const struct elf_file *f, Elf *elf, const GElf_Sym *sym)
{
	const unsigned char *opd;
	uint64_t addr = sym->st_value, at = 0, entry = 0;
	size_t len;

	switch (f->machine) {
	case EM_ARM:
	case EM_MIPS:
		return addr & ~1ULL;	/* the bit of the instruction set */
	case EM_PPC64:
		if (!f->big_endian)
			return addr + PPC64_LOCAL_ENTRY_OFFSET(sym->st_other);
		opd = elf_section(elf, ".opd", &len, &at);
		if (!opd || addr < at || len < 8 || addr - at > len - 8)
			return addr;
		for (int i = 0; i < 8; i++)
			entry = entry << 8 | opd[addr - at + i];
		return entry;
	}
	return addr;
}

static void add_symbol(struct elf_file *f, Elf *elf, const GElf_Sym *sym, const char *name)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	struct elf_symbol s = { .size = sym->st_size, .type = type };

	/* '$' begins marks of the assembler: data in code, another instruction set */
	if (sym->st_shndx == SHN_UNDEF || !*name || *name == '$')
		return;
	s.name = arena_strndup(&f->arena, name, strcspn(name, "@"));
	if (!*s.name)
		return;
	if (type == STT_OBJECT) {
		s.addr = sym->st_value;
		f->objects = arena_grow(&f->arena, f->objects, f->nobjects, &f->max_objects,
					sizeof(s));
		f->objects[f->nobjects++] = s;
		return;
	}
	if (type != STT_FUNC && type != STT_GNU_IFUNC &&
	    (type != STT_NOTYPE || !in_code(elf, sym)))
		return;
	s.addr = entry_of(f, elf, sym);
	s.rank = rank_of(name, sym);
	f->functions = arena_grow(&f->arena, f->functions, f->nfunctions, &f->max_functions,
				  sizeof(s));
	f->functions[f->nfunctions++] = s;
}

void elf_add_symbols(struct elf_file *f, void *handle)
{
	Elf_Scn *scn = NULL;
	Elf *elf = handle;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		GElf_Shdr shdr;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &shdr) ||
		    (shdr.sh_type != SHT_SYMTAB && shdr.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
			const char *name = elf_strptr(elf, shdr.sh_link, sym.st_name);

			if (name)
				add_symbol(f, elf, &sym, name);
		}
	}
}

static int compare_symbols(const void *pa, const void *pb)
{
	const struct elf_symbol *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	return strcmp(a->name, b->name);
}

/* Where one name says that a function is to be chosen, no other name is more. */
static void mark_choices(struct elf_file *f)
{
	for (unsigned int i = 0, end; i < f->nfunctions; i = end) {
		bool choice = false;

		for (end = i; end < f->nfunctions &&
			      f->functions[end].addr == f->functions[i].addr; end++)
			choice |= f->functions[end].type == STT_GNU_IFUNC;
		for (unsigned int j = i; choice && j < end; j++)
			f->functions[j].type = STT_GNU_IFUNC;
	}
}

static void sort_symbols(struct elf_file *f)
{
	unsigned int n = 0;

	if (!f->nfunctions)
		return;
	qsort(f->functions, f->nfunctions, sizeof(*f->functions), compare_symbols);
	/* most stand in two tables */
	for (unsigned int i = 0; i < f->nfunctions; i++) {
		if (n && !compare_symbols(&f->functions[n - 1], &f->functions[i]))
			continue;
		f->functions[n++] = f->functions[i];
	}
	f->nfunctions = n;
	mark_choices(f);
}

static bool has_symtab(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB)
			return true;
	}
	return false;
}

void elf_read_symbols(struct elf_file *f, const char *root)
{
	struct elf_file *debug;

	if (!f->handle || f->nfunctions)
		return;
	elf_add_symbols(f, f->handle);
	if (!has_symtab(f->handle)) {
		elf_add_packed_symbols(f);
		debug = elf_debug_file(f->build_id, f->build_id_len, root);
		if (debug) {
			elf_add_symbols(f, debug->handle);
			elf_file_close(debug);
		}
	}
	sort_symbols(f);
}

const struct elf_symbol *elf_function_at(const struct elf_file *f, uint64_t addr)
{
	const struct elf_symbol *all = f->functions, *nearest = NULL, *label = NULL;
	unsigned int low = 0, high = f->nfunctions;

	/* the first one behind the address */
	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (all[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	/*
	 * A label may stand inside of a function, and one function inside of
	 * another: the nearest that reaches so far.  What has no size reaches
	 * as far as to the next one.
	 */
	for (unsigned int i = low, tries = MAX_NESTED; i-- > 0 && tries--;) {
		while (i && all[i - 1].addr == all[i].addr)
			i--;	/* the best name of a place comes first */
		if (addr - all[i].addr < all[i].size)
			return &all[i];
		if (!all[i].size && !label)
			label = &all[i];
		if (!nearest)
			nearest = &all[i];
	}
	return label == nearest ? label : NULL;
}
