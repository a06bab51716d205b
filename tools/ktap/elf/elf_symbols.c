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

/* What no program has: longer names, more of them, more bytes of them. */
#define MAX_NAME	8192
#define MAX_SYMBOLS	(4U << 20)
#define MAX_NAMES	(512UL << 20)

/* Bits of symbols of MIPS, of the two shorter forms of its instructions. */
#define MIPS_ISA	0xc0
#define MIPS_MICROMIPS	0x80
#define MIPS_MIPS16	0xf0

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

/**
 * struct table - the symbols of one section, on their way into a file's
 * @strings: their names
 * @opd: on machines that have it: what symbols of functions point to
 * @opd_addr: where that is
 * @budget: bytes that names may take.  An honest table has few names twice, and
 *	most names are its own strings.
 */
struct table {
	struct elf_file *f;
	Elf *elf;
	const Elf_Data *strings;
	const unsigned char *opd;
	size_t opd_len;
	uint64_t opd_addr;
	size_t budget;
};

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
static uint64_t entry_of(const struct table *t, const GElf_Sym *sym)
{
	uint64_t addr = sym->st_value, entry = 0;

	switch (t->f->machine) {
	case EM_ARM:
	case EM_MIPS:
		return addr & ~1ULL;	/* see is_short_code() */
	case EM_PPC64:
		if (!t->f->big_endian)
			return addr + PPC64_LOCAL_ENTRY_OFFSET(sym->st_other);
		if (!t->opd || addr < t->opd_addr || t->opd_len < 8 ||
		    addr - t->opd_addr > t->opd_len - 8)
			return addr;
		for (int i = 0; i < 8; i++)
			entry = entry << 8 | t->opd[addr - t->opd_addr + i];
		return entry;
	}
	return addr;
}

/* The bit is in the address, or, as linkers of MIPS do, only beside it. */
static bool is_short_code(const struct table *t, const GElf_Sym *sym)
{
	switch (t->f->machine) {
	case EM_ARM:
		return sym->st_value & 1;
	case EM_MIPS:
		return sym->st_value & 1 || (sym->st_other & MIPS_ISA) == MIPS_MICROMIPS ||
		       (sym->st_other & MIPS_MIPS16) == MIPS_MIPS16;
	}
	return false;
}

/* A copy without a version; NULL if it is none that can be had. */
static const char *take_name(struct table *t, const char *name)
{
	size_t len = strcspn(name, "@");

	/* '$' begins marks of the assembler: data in code, another instruction set */
	if (!len || *name == '$' || len >= t->budget)
		return NULL;
	t->budget -= len + 1;
	return arena_strndup(&t->f->arena, name, len);
}

static void add_object(struct elf_file *f, struct elf_symbol s)
{
	if (f->nobjects == MAX_SYMBOLS)
		return;
	f->objects = arena_grow(&f->arena, f->objects, f->nobjects, &f->max_objects, sizeof(s));
	f->objects[f->nobjects++] = s;
}

static void add_function(struct elf_file *f, struct elf_symbol s)
{
	if (f->nfunctions == MAX_SYMBOLS)
		return;
	f->functions = arena_grow(&f->arena, f->functions, f->nfunctions, &f->max_functions,
				  sizeof(s));
	f->functions[f->nfunctions++] = s;
}

static void add_symbol(struct table *t, const GElf_Sym *sym, const char *name)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	struct elf_symbol s = { .size = sym->st_size, .type = type };

	if (sym->st_shndx == SHN_UNDEF)
		return;
	if (type != STT_OBJECT && type != STT_FUNC && type != STT_GNU_IFUNC &&
	    (type != STT_NOTYPE || !in_code(t->elf, sym)))
		return;
	s.name = take_name(t, name);
	if (!s.name)
		return;
	if (type == STT_OBJECT) {
		s.addr = sym->st_value;
		add_object(t->f, s);
	} else {
		s.addr = entry_of(t, sym);
		s.rank = rank_of(name, sym);
		s.short_code = is_short_code(t, sym);
		add_function(t->f, s);
	}
}

static void add_table(struct table *t, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = shdr->sh_size <= MAX_SECTION ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;

	t->strings = elf_strings(t->elf, shdr->sh_link);
	if (!data || !t->strings)
		return;
	t->budget = 4 * (data->d_size + t->strings->d_size);
	if (t->budget > MAX_NAMES)
		t->budget = MAX_NAMES;
	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_string(t->strings, sym.st_name, MAX_NAME);

		if (name)
			add_symbol(t, &sym, name);
	}
}

void elf_add_symbols(struct elf_file *f, void *handle)
{
	struct table t = { .f = f, .elf = handle };
	bool seen[2] = { false, false };
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (f->machine == EM_PPC64 && f->big_endian)
		t.opd = elf_section(handle, ".opd", &t.opd_len, &t.opd_addr);
	while ((scn = elf_nextscn(handle, scn))) {
		if (!gelf_getshdr(scn, &shdr) ||
		    (shdr.sh_type != SHT_SYMTAB && shdr.sh_type != SHT_DYNSYM))
			continue;
		/* a file has one of each at most */
		if (!seen[shdr.sh_type == SHT_DYNSYM])
			add_table(&t, scn, &shdr);
		seen[shdr.sh_type == SHT_DYNSYM] = true;
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

/*
 * Where one name says that a function is to be chosen, no other name is more; nor
 * does a label at the beginning of a function say what its code is.
 */
static void let_names_agree(struct elf_file *f)
{
	for (unsigned int i = 0, end; i < f->nfunctions; i = end) {
		uint64_t addr = f->functions[i].addr;
		bool choice = false, short_code = false;

		for (end = i; end < f->nfunctions && f->functions[end].addr == addr; end++) {
			choice |= f->functions[end].type == STT_GNU_IFUNC;
			short_code |= f->functions[end].short_code;
		}
		for (unsigned int j = i; j < end; j++) {
			if (choice)
				f->functions[j].type = STT_GNU_IFUNC;
			f->functions[j].short_code = short_code;
		}
	}
}

static int compare_names(const void *pa, const void *pb)
{
	const struct elf_symbol *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

static void sort_symbols(struct elf_file *f)
{
	unsigned int n = 0;

	if (f->nobjects)
		qsort(f->objects, f->nobjects, sizeof(*f->objects), compare_names);
	if (!f->nfunctions)
		return;
	qsort(f->functions, f->nfunctions, sizeof(*f->functions), compare_symbols);
	let_names_agree(f);
	/* most stand in two tables */
	for (unsigned int i = 0; i < f->nfunctions; i++) {
		if (n && !compare_symbols(&f->functions[n - 1], &f->functions[i]))
			continue;
		f->functions[n++] = f->functions[i];
	}
	f->nfunctions = n;
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

const struct elf_symbol *elf_object(const struct elf_file *f, const char *name, size_t len)
{
	struct elf_symbol wanted = { 0 };
	const struct elf_symbol *found = NULL;
	char *copy = strndup(name, len);

	wanted.name = copy;
	if (copy && f->nobjects)
		found = bsearch(&wanted, f->objects, f->nobjects, sizeof(wanted), compare_names);
	free(copy);
	return found;
}

/* The first function behind the address. */
static unsigned int first_behind(const struct elf_file *f, uint64_t addr)
{
	unsigned int low = 0, high = f->nfunctions;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (f->functions[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct elf_symbol *elf_function_at(const struct elf_file *f, uint64_t addr)
{
	const struct elf_symbol *all = f->functions, *nearest = NULL, *label = NULL;

	/*
	 * A label may stand inside of a function, and one function inside of
	 * another: the nearest that reaches so far.  What has no size reaches
	 * as far as to the next one.
	 */
	for (unsigned int i = first_behind(f, addr), tries = MAX_NESTED; i-- > 0 && tries--;) {
		/* the best name of a place comes first */
		i = all[i].addr ? first_behind(f, all[i].addr - 1) : 0;
		if (addr - all[i].addr < all[i].size)
			return &all[i];
		if (!all[i].size && !label)
			label = &all[i];
		if (!nearest)
			nearest = &all[i];
	}
	return label == nearest ? label : NULL;
}
