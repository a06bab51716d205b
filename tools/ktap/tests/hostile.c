// SPDX-License-Identifier: GPL-2.0
/*
 * hostile: write a small ELF file whose reader may use too much memory or time.
 *
 *	hostile KIND >FILE
 *
 * Each also has one good function, "fine".
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../compiler/util.h"

#define LOAD		0x1000		/* offset and address of the code */
#define MAX_FILE	(32UL << 20)
#define MAX_SECTIONS	60000

static unsigned char *file;
static size_t len = LOAD + 0x1000;
static Elf64_Shdr sections[MAX_SECTIONS];
static unsigned int nsections = 1;
static unsigned int name_section;

static size_t add(const void *bytes, size_t n)
{
	size_t at = (len + 15) & ~15UL;

	if (at + n > MAX_FILE)
		exit(2);
	if (bytes)
		memcpy(file + at, bytes, n);
	len = at + n;
	return at;
}

static unsigned int section(unsigned int type, size_t at, size_t size)
{
	sections[nsections] = (Elf64_Shdr) {
		.sh_type = type, .sh_offset = at, .sh_size = size, .sh_addralign = 4,
		.sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0,
	};
	return nsections++;
}

/* Add @n symbols of functions after that of "fine"; @name returns the offset of a name. */
static void symbols(unsigned int n, unsigned int strings, unsigned int good,
		    unsigned int (*name)(unsigned int i))
{
	Elf64_Sym *sym = calloc(n + 2, sizeof(*sym));

	if (!sym)
		exit(2);
	for (unsigned int i = 1; i < n + 2; i++)
		sym[i] = (Elf64_Sym) {
			.st_name = i == 1 ? good : name(i), .st_shndx = 1, .st_size = 1,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_value = i == 1 ? LOAD : LOAD + 16 + i % 1024,
		};
	section(SHT_SYMTAB, add(sym, (n + 2) * sizeof(*sym)), (n + 2) * sizeof(*sym));
	sections[nsections - 1].sh_link = strings;
	free(sym);
}

static unsigned int same_name(unsigned int i)
{
	(void)i;
	return 6;
}

/* Add the strings "fine" and @n times 'a'. @ends: a NUL ends the last string. */
static unsigned int long_string(size_t n, int ends)
{
	size_t at = add(NULL, n + 7);

	memcpy(file + at, "\0fine", 6);
	memset(file + at + 6, 'a', n);
	file[at + 6 + n] = ends ? 0 : 'a';
	return section(SHT_STRTAB, at, n + 7);
}

/* Write a note of a marker. Returns its size. */
static size_t marker(unsigned char *note, const char *provider, const char *name)
{
	uint64_t places[3] = { LOAD, 0, 0 };
	Elf64_Nhdr header = { .n_namesz = 8, .n_type = 3 };
	size_t desc = sizeof(places);
	char *p = (char *)note + sizeof(header) + 8;

	memcpy(p, places, sizeof(places));
	desc += sprintf(p + desc, "%s", provider) + 1;
	desc += sprintf(p + desc, "%s", name) + 1;
	desc += sprintf(p + desc, "8@%%rax") + 1;
	header.n_descsz = desc;
	memcpy(note, &header, sizeof(header));
	memcpy(note + sizeof(header), "stapsdt", 8);
	return sizeof(header) + 8 + ((desc + 3) & ~3UL);
}

/* All symbols have the same long name. */
static void names(void)
{
	symbols(200000, long_string(7000, 1), 1, same_name);
}

/* No name has an end: a reader searches the whole section for each. */
static void endless(void)
{
	symbols(200000, long_string(16 << 20, 0), 1, same_name);
}

/* All sections share the same symbols. */
static void tables(void)
{
	symbols(200000, long_string(8, 1), 1, same_name);
	while (nsections < MAX_SECTIONS) {
		sections[nsections] = sections[nsections - 1];
		nsections++;
	}
}

/* All sections share the same markers. */
static void notes(void)
{
	static unsigned char note[256];
	size_t size = marker(note, "p", "m"), at = add(NULL, 20000 * size);

	for (unsigned int i = 0; i < 20000; i++)
		memcpy(file + at + i * size, note, size);
	symbols(0, long_string(8, 1), 1, same_name);
	while (nsections < MAX_SECTIONS)
		section(SHT_NOTE, at, 20000 * size);
}

/* The name of a marker is longer than any line. */
static void wide(void)
{
	static unsigned char note[16384];
	static char name[8192];
	size_t size;

	memset(name, 'x', sizeof(name) - 1);
	size = marker(note, "p", name);
	size += marker(note + size, "p", "fine");
	section(SHT_NOTE, add(note, size), size);
	symbols(0, long_string(8, 1), 1, same_name);
}

/* A short mangled name: demangled it would have 2^60 bytes. */
static void mangled(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char text[2048] = "\0fine\0_Z1f1PIiiE";
	size_t n = 6 + strlen(text + 6), at;

	for (unsigned int i = 0; i < 60; i++) {
		char number[4] = "";

		snprintf(number, sizeof(number), "%s%c", i < 36 ? "" : "1", digits[i % 36]);
		n += sprintf(text + n, "S_IS%s_S%s_E", number, number);
	}
	at = add(text, n + 1);
	symbols(1, section(SHT_STRTAB, at, n + 1), 1, same_name);
}

/*
 * Another one: each type has the type before it twice as an argument, and a pack of them is
 * searched for in all 2^60. It stands for "void f<>()".
 */
static void folded(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const unsigned int levels = 60;
	char text[2048] = "\0fine\0_Z1fIJEEvDp1YI1XI";
	size_t n = 6 + strlen(text + 6), at;

	for (unsigned int i = 1; i < levels; i++)
		n += sprintf(text + n, "S1_I");
	n += sprintf(text + n, "iiE");
	for (unsigned int i = 2; i <= levels; i++)
		n += sprintf(text + n, "S%s%c_E", i < 36 ? "" : "1", digits[i % 36]);
	n += sprintf(text + n, "T_E");
	at = add(text, n + 1);
	symbols(1, section(SHT_STRTAB, at, n + 1), 1, same_name);
}

/* Sections of 64 GiB in a sparse file. */
static void sparse(void)
{
	symbols(200000, long_string(8, 1), 1, same_name);
	sections[nsections - 1].sh_size = 1UL << 36;
	sections[1].sh_size = 1UL << 36;
}

/* Add a section of debug information; returns its header. */
static Elf64_Shdr *debug_section(const char *name, const void *bytes, size_t n)
{
	static const char names[] =
		"\0.debug_info\0.debug_abbrev\0.debug_ranges\0.debug_str\0.zdebug_str";
	Elf64_Shdr *added;

	if (!name_section)
		name_section = section(SHT_STRTAB, add(names, sizeof(names)), sizeof(names));
	added = &sections[section(SHT_PROGBITS, add(bytes, n), n)];
	added->sh_name = (char *)memmem(names, sizeof(names), name, strlen(name) + 1) - names;
	return added;
}

/* Add debug information with that many units, whose code is at the same @n ranges. */
static void debug_units(unsigned int units, unsigned int n)
{
	static const unsigned char abbrev[] = { 1, 0x11, 0, 0x55, 0x17, 0, 0, 0 };
	static const unsigned char unit[16] = { 12, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1 };
	unsigned char *info = malloc(units * sizeof(unit));
	uint64_t *range = calloc(n + 1, 2 * sizeof(*range));

	if (!info || !range)
		exit(2);
	for (unsigned int i = 0; i < units; i++)
		memcpy(info + i * sizeof(unit), unit, sizeof(unit));
	for (unsigned int i = 0; i < n; i++) {
		range[2 * i] = LOAD + i;
		range[2 * i + 1] = LOAD + i + 1;
	}
	debug_section(".debug_info", info, units * sizeof(unit));
	debug_section(".debug_abbrev", abbrev, sizeof(abbrev));
	debug_section(".debug_ranges", range, (n + 1) * 2 * sizeof(*range));
	free(info);
	free(range);
}

/* All units share the same list of ranges. */
static void ranges(void)
{
	debug_units(100000, 4000);
}

/* A large section of debug information, and small ones that are large when they are unpacked */
static void large(void)
{
	debug_units(1, 1);
	debug_section(".debug_str", "", 1)->sh_size = (1UL << 29) + 1;
}

static void packed(void)
{
	Elf64_Chdr header = {
		.ch_type = ELFCOMPRESS_ZLIB, .ch_size = 1UL << 30, .ch_addralign = 1,
	};

	debug_units(1, 1);
	debug_section(".debug_str", &header, sizeof(header))->sh_flags = SHF_COMPRESSED;
}

static void packed_before(void)
{
	static const unsigned char header[12] = { 'Z', 'L', 'I', 'B', 0, 0, 0, 0, 0x40 };

	debug_units(1, 1);
	debug_section(".zdebug_str", header, sizeof(header));
}

static const struct {
	const char *name;
	void (*make)(void);
} kinds[] = {
	{ "names", names }, { "endless", endless }, { "tables", tables }, { "notes", notes },
	{ "wide", wide }, { "mangled", mangled }, { "folded", folded }, { "sparse", sparse },
	{ "sections", NULL }, { "ranges", ranges }, { "large", large }, { "packed", packed },
	{ "packed_before", packed_before },
};

static void finish(int many)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)file;
	Elf64_Phdr *load = (Elf64_Phdr *)(header + 1);

	*header = (Elf64_Ehdr) {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_phoff = sizeof(*header), .e_ehsize = sizeof(*header), .e_phnum = 1,
		.e_phentsize = sizeof(*load), .e_shentsize = sizeof(*sections),
	};
	*load = (Elf64_Phdr) {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = LOAD, .p_vaddr = LOAD,
		.p_filesz = 0x1000, .p_memsz = 0x1000, .p_align = 0x1000,
	};
	/* a number of sections that is too large for the header is in section 0 */
	sections[0].sh_size = many ? 1UL << 28 : 0;
	header->e_shoff = add(sections, nsections * sizeof(*sections));
	header->e_shnum = many ? 0 : nsections;
	header->e_shstrndx = name_section;
}

int main(int argc, char **argv)
{
	const char *kind = argc == 2 ? argv[1] : "";
	size_t i = 0;

	while (i < ARRAY_SIZE(kinds) && strcmp(kinds[i].name, kind))
		i++;
	file = calloc(1, MAX_FILE);
	if (i == ARRAY_SIZE(kinds) || !file) {
		fprintf(stderr, "usage: hostile KIND >FILE\n");
		return 2;
	}
	if (kinds[i].make)
		kinds[i].make();
	finish(!kinds[i].make);
	if (fwrite(file, 1, len, stdout) != len || fflush(stdout))
		return 1;
	/* extend the file to the sizes in the headers; holes take no space */
	if (kinds[i].make == sparse || kinds[i].make == large || !kinds[i].make)
		return ftruncate(STDOUT_FILENO, 1L << 37) ? 1 : 0;
	return 0;
}
