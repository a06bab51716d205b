// SPDX-License-Identifier: GPL-2.0
/*
 * Read symbols of ELF files: those of .symtab and .dynsym, of the compressed
 * image in .gnu_debugdata, and of the debug file; merged and sorted by address.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/util.h"
#include "elf/elf_debug.h"
#include "elf/elf_file.h"
#include "elf/no_return.h"

/* Ranks: a good name of an address has a size and a type, and is global. */
enum {
	RANK_UNDERSCORES	= 7,
	RANK_LOCAL		= 1 << 3,
	RANK_NO_TYPE		= 1 << 4,
	RANK_NO_SIZE		= 1 << 5,
};

/* Limits: length of a name, number of names, and their bytes. */
#define MAX_SYMBOL_NAME	8192
#define MAX_SYMBOLS	(4U << 20)
#define MAX_NAMES	(512UL << 20)

/* Bits of MIPS symbols, for the two short forms of instructions. */
#define MIPS_ISA	0xc0
#define MIPS_MICROMIPS	0x80
#define MIPS_MIPS16	0xf0

/*
 * Number of symbols before an address that are searched for the function that
 * contains it.
 */
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
 * struct table - the symbols of one section while they are read
 * @strings: table of their names
 * @opd: function descriptors, on machines that have them
 * @opd_addr: address of @opd
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
 * The address of the first instruction; some machines keep more in a symbol
 * than its address.
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

/* The bit is in the address, or, with linkers of MIPS, only in the symbol. */
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

/*
 * On s390, functions of the C library begin with the instruction SVC, a byte 0x0a and the number
 * of the call. The kernel executes a copy of the instruction that has a probe. But vfork() and
 * its like go on in the copy in a second process, which has no such memory or does not leave
 * it; and exec and sigreturn replace what the kernel needs to leave the copy.
 */
static bool is_process_call(const struct elf_file *f, uint64_t addr)
{
	/* exit, fork, execve, sigreturn, clone, rt_sigreturn, vfork, exit_group */
	static const unsigned char calls[] = { 1, 2, 11, 119, 120, 173, 190, 248 };
	unsigned char insn[2];
	uint64_t offset;

	return f->machine == EM_S390 && elf_addr_to_offset(f, addr, true, &offset) &&
	       pread(f->fd, insn, sizeof(insn), offset) == sizeof(insn) &&
	       insn[0] == 0x0a && memchr(calls, insn[1], sizeof(calls));
}

/* Copy the name without its version; NULL if it is no usable name. */
static const char *take_name(struct table *t, const char *name)
{
	size_t len = strcspn(name, "@");

	/* '$' begins marks of the assembler, such as "data in code" */
	if (!len || *name == '$' || len >= t->budget)
		return NULL;
	t->budget -= len + 1;
	return pool_strndup(&t->f->pool, name, len);
}

static void add_object(struct elf_file *f, struct elf_symbol s)
{
	if (f->nobjects == MAX_SYMBOLS)
		return;
	f->objects = pool_grow(&f->pool, f->objects, f->nobjects, &f->max_objects, sizeof(s));
	f->objects[f->nobjects++] = s;
}

static void add_function(struct elf_file *f, struct elf_symbol s)
{
	if (f->nfunctions == MAX_SYMBOLS)
		return;
	f->functions = pool_grow(&f->pool, f->functions, f->nfunctions, &f->max_functions,
				 sizeof(s));
	f->functions[f->nfunctions++] = s;
}

static void add_symbol(struct table *t, const GElf_Sym *sym, const char *name)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	struct elf_symbol s = { .size = sym->st_size, .type = type };
	bool entry;

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
		if (t->f->machine == EM_PPC64 && !t->f->big_endian)
			s.skipped = s.addr - sym->st_value;
		s.rank = rank_of(name, sym);
		s.unprobed = is_short_code(t, sym) || is_process_call(t->f, s.addr);
		entry = t->f->entry && sym->st_value == t->f->entry;
		s.no_return = no_return_reason(entry ? NO_RETURN_ENTRY : s.name);
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
		const char *name = elf_string(t->strings, sym.st_name, MAX_SYMBOL_NAME);

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
		/* a file has at most one of each */
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
 * Make all symbols of an address agree. If one is an indirect function, it
 * decides; a label at the beginning of a function does not say what its code
 * is. If one may not be probed, none may.
 */
static void let_names_agree(struct elf_file *f)
{
	for (unsigned int i = 0, end; i < f->nfunctions; i = end) {
		uint64_t addr = f->functions[i].addr;
		bool choice = false, unprobed = false;
		const char *no_return = NULL;

		for (end = i; end < f->nfunctions && f->functions[end].addr == addr; end++) {
			choice |= f->functions[end].type == STT_GNU_IFUNC;
			unprobed |= f->functions[end].unprobed;
			if (f->functions[end].no_return)
				no_return = f->functions[end].no_return;
		}
		for (unsigned int j = i; j < end; j++) {
			if (choice)
				f->functions[j].type = STT_GNU_IFUNC;
			f->functions[j].unprobed = unprobed;
			f->functions[j].no_return = no_return;
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
	/* most symbols are in two tables */
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

/* Index of the first function after the address. */
static unsigned int first_after(const struct elf_file *f, uint64_t addr)
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
	 * Labels and functions may be nested: find the nearest one that
	 * contains the address. A symbol without a size ends at the next one.
	 */
	for (unsigned int i = first_after(f, addr), tries = MAX_NESTED; i-- > 0 && tries--;) {
		/* the best name of an address comes first */
		i = all[i].addr ? first_after(f, all[i].addr - 1) : 0;
		if (addr - all[i].addr < all[i].size)
			return &all[i];
		if (!all[i].size && !label)
			label = &all[i];
		if (!nearest)
			nearest = &all[i];
	}
	return label == nearest ? label : NULL;
}

uint64_t elf_probe_of_entry(const struct elf_file *f, uint64_t addr)
{
	const struct elf_symbol *s = f->functions + first_after(f, addr);

	for (; s < f->functions + f->nfunctions && s->addr - addr <= UINT8_MAX; s++) {
		if (s->skipped && s->skipped == s->addr - addr)
			return s->addr;
	}
	return addr;
}

uint64_t elf_entry_of_probe(const struct elf_file *f, uint64_t addr)
{
	for (unsigned int i = first_after(f, addr); i-- > 0 && f->functions[i].addr == addr;) {
		if (f->functions[i].skipped)
			return addr - f->functions[i].skipped;
	}
	return addr;
}

const char *elf_no_return_at(const struct elf_file *f, uint64_t addr)
{
	const struct elf_symbol *symbol = elf_function_at(f, addr);

	if (symbol && symbol->addr == addr)
		return symbol->no_return;
	return f->entry && f->entry == addr ? no_return_reason(NO_RETURN_ENTRY) : NULL;
}
