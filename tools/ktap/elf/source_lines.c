// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of source files, with libdw if it is available.
 *
 * libdw checks the bounds of what it reads, but a file can have much DWARF, and it is made by
 * whoever made the program. So it is read only where lines are asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/source_lines.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <unistd.h>

#include "elf/elf_debug.h"
#include "elf/source_priv.h"

/* Ranges of addresses of all units, which take 32 bytes each */
#define MAX_RANGES		(8U << 20)

#define MAX_SECTION_NAME	64

const bool source_lines_can_read = true;

static int compare_ranges(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Call @fn with the DIE of each compilation unit, and the bytes of the unit. */
static void each_unit(struct source_lines *s,
		      void (*fn)(void *ctx, Dwarf_Die *die, size_t bytes), void *ctx)
{
	Dwarf_Off at = 0, next;
	size_t header;

	while (!dwarf_nextcu(s->dwarf, at, &next, &header, NULL, NULL, NULL) && next > at) {
		Dwarf_Die die;

		/* libdw would open the other file, whatever that is */
		if (!dwarf_offdie(s->dwarf, at + header, &die))
			;
		else if (dwarf_hasattr(&die, DW_AT_dwo_name) ||
			 dwarf_hasattr(&die, DW_AT_GNU_dwo_name))
			s->split = true;
		else
			fn(ctx, &die, next - at);
		at = next;
	}
}

static void add_ranges(void *ctx, Dwarf_Die *die, size_t bytes)
{
	struct source_lines *s = ctx;
	struct unit_range range = { .die = dwarf_dieoffset(die), .bytes = bytes };
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &begin, &end)) > 0 && s->more) {
		s->more--;
		range.begin = begin;
		range.end = end;
		s->ranges = pool_grow(&s->pool, s->ranges, s->nranges, &s->max_ranges,
				      sizeof(range));
		s->ranges[s->nranges++] = range;
	}
}

static void source_lines_end(struct source_lines *s)
{
	dwarf_end(s->dwarf);
	elf_end(s->elf);
	if (s->fd >= 0)
		close(s->fd);
	s->dwarf = NULL;
	s->elf = NULL;
	s->fd = -1;
}

static bool source_lines_read(struct source_lines *s, const struct elf_file *f, const char *root);

static struct source_lines *source_lines_new(const struct elf_file *f, const char *root)
{
	struct source_lines *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->fd = -1;
	s->machine = f->machine;
	if (source_lines_read(s, f, root))
		return s;
	source_lines_close(s);
	return NULL;
}

/*
 * Some files share a part of their DWARF, which is in a file of its own. libdw would open
 * whatever the program says: a file that its build id does not find is not taken. Returns
 * false if there should be one.
 */
static bool source_lines_read_alt(struct source_lines *s, const struct elf_file *f,
				  const char *root)
{
	const unsigned char *link, *id;
	struct elf_file *debug;
	uint64_t addr;
	size_t len;

	link = elf_section(f->handle, ".gnu_debugaltlink", &len, &addr);
	if (!link)
		return true;
	id = memchr(link, 0, len);
	if (!id || s->alt)
		return false;
	id++;
	debug = elf_debug_file(id, link + len - id, root);
	/* and that file has no such part */
	if (debug && !elf_section(debug->handle, ".gnu_debugaltlink", &len, &addr))
		s->alt = source_lines_new(debug, root);
	elf_file_close(debug);
	if (!s->alt)
		return false;
	dwarf_setalt(s->dwarf, s->alt->dwarf);
	return true;
}

/* The bytes of a section, when it is unpacked */
static uint64_t section_size(const struct elf_file *f, const GElf_Shdr *shdr, const char *name)
{
	/* in ".zdebug_", the older form: "ZLIB", and a number with the highest byte first */
	size_t at = 4, word = 8;
	unsigned char header[16];
	bool big_endian = true;
	uint64_t size;

	if (name[1] != 'z') {
		if (!(shdr->sh_flags & SHF_COMPRESSED))
			return shdr->sh_size;
		/* Elf32_Chdr or Elf64_Chdr */
		word = gelf_getclass(f->handle) == ELFCLASS64 ? 8 : 4;
		at = word;
		big_endian = f->big_endian;
	}
	if (pread(f->fd, header, at + word, shdr->sh_offset) != (ssize_t)(at + word))
		return shdr->sh_size;
	size = elf_number(header + at, word, big_endian);
	return size > shdr->sh_size ? size : shdr->sh_size;
}

/*
 * libdw takes as much memory as the file claims for its sections: false if one is too large.
 * Otherwise set the number of ranges that the file has room for.
 */
static bool source_lines_measure(struct source_lines *s, const struct elf_file *f)
{
	const Elf_Data *names;
	Elf_Scn *scn = NULL;
	size_t index;

	if (elf_getshdrstrndx(f->handle, &index))
		return false;
	names = elf_strings(f->handle, index);
	while ((scn = elf_nextscn(f->handle, scn))) {
		GElf_Shdr shdr;
		const char *name;
		uint64_t size;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
			continue;
		name = elf_string(names, shdr.sh_name, MAX_SECTION_NAME);
		/* .debug_*, .zdebug_*, .gnu.debuglto_.debug_* */
		if (!name || !strstr(name, "debug_"))
			continue;
		size = section_size(f, &shdr, name);
		if (size > MAX_SECTION)
			return false;
		/* the shortest forms of a range in each of them */
		if (strstr(name, "_info") || strstr(name, "_ranges"))
			s->more += size / 8;
		else if (strstr(name, "_rng"))
			s->more += size / 3;
	}
	if (s->more > MAX_RANGES)
		s->more = MAX_RANGES;
	return true;
}

/* The DWARF of an open file; false if there is none. @f may be closed afterwards. */
static bool source_lines_read(struct source_lines *s, const struct elf_file *f, const char *root)
{
	Dwarf_Off next;
	size_t header;

	s->fd = source_lines_measure(s, f) ? dup(f->fd) : -1;
	s->elf = s->fd >= 0 ? elf_begin(s->fd, ELF_C_READ, NULL) : NULL;
	s->dwarf = s->elf ? dwarf_begin_elf(s->elf, DWARF_C_READ, NULL) : NULL;
	if (s->dwarf && !dwarf_nextcu(s->dwarf, 0, &next, &header, NULL, NULL, NULL) &&
	    source_lines_read_alt(s, f, root))
		return true;
	source_lines_end(s);
	return false;
}

struct source_lines *source_lines_open(const struct elf_file *f, const char *root)
{
	static uint64_t serial;
	struct source_lines *s = source_lines_new(f, root);
	struct elf_file *debug = NULL;

	if (!s) {
		debug = elf_debug_file(f->build_id, f->build_id_len, root);
		s = debug ? source_lines_new(debug, root) : NULL;
		elf_file_close(debug);
	}
	if (!s)
		return NULL;
	s->serial = ++serial;
	each_unit(s, add_ranges, s);
	if (s->nranges)
		qsort(s->ranges, s->nranges, sizeof(*s->ranges), compare_ranges);
	return s;
}

void source_lines_close(struct source_lines *s)
{
	if (!s)
		return;
	source_lines_end(s);
	source_lines_close(s->alt);
	source_forget_functions(&s->unit);
	pool_free(&s->pool);
	free(s);
}

struct source_unit *source_unit_at(struct source_lines *s, uint64_t addr)
{
	unsigned int n = source_ranges_until(s->ranges, s->nranges, sizeof(*s->ranges), addr);
	const struct unit_range *range = n ? &s->ranges[n - 1] : NULL;
	Dwarf_Die die;

	if (!range || addr >= range->end || !dwarf_offdie(s->dwarf, range->die, &die))
		return NULL;
	if (!s->unit.die.addr || dwarf_dieoffset(&s->unit.die) != range->die)
		source_read_functions(&s->unit, &die, range->bytes);
	return &s->unit;
}

/* The file and line where a function is inlined */
static bool call_of(Dwarf_Die *unit, Dwarf_Die *inlined, struct source_line *at)
{
	Dwarf_Attribute attr;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t n;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &file) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &line) ||
	    dwarf_getsrcfiles(unit, &files, &n) || file >= n)
		return false;
	*at = (struct source_line){
		.file = dwarf_filesrc(files, file, NULL, NULL), .line = line,
	};
	return at->file;
}

unsigned int source_lines_at(struct source_lines *s, uint64_t addr,
			     struct source_line at[MAX_INLINED])
{
	struct source_unit *unit = s ? source_unit_at(s, addr) : NULL;
	Dwarf_Line *line = unit ? dwarf_getsrc_die(&unit->die, addr) : NULL;
	unsigned int n = 0;
	int number, i;

	if (!line || dwarf_lineno(line, &number) || number <= 0)
		return 0;
	at[0] = (struct source_line){
		.file = dwarf_linesrc(line, NULL, NULL), .line = number,
	};
	if (!at[0].file)
		return 0;
	for (i = source_function_at(unit, addr); i >= 0 && n < MAX_INLINED - 1;
	     i = unit->functions[i].parent) {
		Dwarf_Die die;

		if (!unit->functions[i].inlined ||
		    !dwarf_offdie(s->dwarf, unit->functions[i].die, &die) ||
		    !call_of(&unit->die, &die, &at[n + 1]))
			break;
		at[n].function = dwarf_diename(&die);
		if (!at[n].function)
			break;
		n++;
	}
	return n + 1;
}

/**
 * struct statement - where a statement of the line begins
 * @function: offset of the DIE of the innermost function, or of its unit
 */
struct statement {
	Dwarf_Off function;
	uint64_t addr;
};

/**
 * struct line_search - a search for the statements of a line
 * @next: the nearest line with another statement that is not before it, or 0
 * @has_file: a unit has the file
 */
struct line_search {
	struct source_lines *s;
	const struct source_place *place;
	struct pool pool;
	struct statement *statements;
	unsigned int n;
	unsigned int max;
	unsigned int next;
	bool has_file;
};

/* Is @wanted the name, or the end of it after a slash? */
static bool is_file(const char *name, const char *wanted)
{
	size_t len = strlen(name), end = strlen(wanted);

	if (!strncmp(wanted, "./", 2))
		return is_file(name, wanted + 2);
	return len >= end && !strcmp(name + len - end, wanted) &&
	       (len == end || name[len - end - 1] == '/');
}

static void take_statement(struct line_search *search, Dwarf_Die *die, size_t bytes, uint64_t addr)
{
	struct source_unit *unit = &search->s->unit;
	struct statement statement = { .function = dwarf_dieoffset(die), .addr = addr };
	int i;

	if (!unit->die.addr || dwarf_dieoffset(&unit->die) != statement.function)
		source_read_functions(unit, die, bytes);
	i = source_function_at(unit, addr);
	if (i >= 0)
		statement.function = unit->functions[i].die;
	search->statements = pool_grow(&search->pool, search->statements, search->n, &search->max,
				       sizeof(statement));
	search->statements[search->n++] = statement;
}

static void find_in_unit(void *ctx, Dwarf_Die *unit, size_t bytes)
{
	struct line_search *search = ctx;
	const struct source_place *place = search->place;
	const char *last = NULL;
	Dwarf_Lines *lines;
	bool same = false;
	size_t n;

	if (dwarf_getsrclines(unit, &lines, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		const char *file = dwarf_linesrc(line, NULL, NULL);
		int number = 0, column = 0;
		bool begins, ends;
		Dwarf_Addr addr;

		/* the same string for all lines of a file */
		if (file != last)
			same = file && is_file(file, place->file);
		last = file;
		search->has_file |= same;
		if (!same || dwarf_lineno(line, &number) || dwarf_lineaddr(line, &addr) ||
		    dwarf_linebeginstatement(line, &begins) || !begins ||
		    dwarf_lineendsequence(line, &ends) || ends || number <= 0)
			continue;
		if ((unsigned int)number == place->line &&
		    (!place->column || (!dwarf_linecol(line, &column) &&
					(unsigned int)column == place->column)))
			take_statement(search, unit, bytes, addr);
		else if ((unsigned int)number >= place->line &&
			 (!search->next || (unsigned int)number < search->next))
			search->next = number;
	}
}

/* By function; its first statement first. */
static int compare_statements(const void *a, const void *b)
{
	const struct statement *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

int source_lines_find(struct source_lines *s, const struct source_place *place,
		      bool (*found)(void *ctx, uint64_t addr), void *ctx)
{
	struct line_search search = { .s = s, .place = place };

	each_unit(s, find_in_unit, &search);
	if (search.n)
		qsort(search.statements, search.n, sizeof(*search.statements), compare_statements);
	for (unsigned int i = 0; i < search.n; i++) {
		if ((!i || search.statements[i].function != search.statements[i - 1].function) &&
		    !found(ctx, search.statements[i].addr))
			break;
	}
	pool_free(&search.pool);
	if (search.n)
		return 0;
	return search.next ? (int)search.next : search.has_file ? -1 : s->split ? -3 : -2;
}
#else
const bool source_lines_can_read;

struct source_lines *source_lines_open(const struct elf_file *f, const char *root)
{
	(void)f;
	(void)root;
	return NULL;
}

void source_lines_close(struct source_lines *s)
{
	(void)s;
}

unsigned int source_lines_at(struct source_lines *s, uint64_t addr,
			     struct source_line at[MAX_INLINED])
{
	(void)s;
	(void)addr;
	(void)at;
	return 0;
}

int source_lines_find(struct source_lines *s, const struct source_place *place,
		      bool (*found)(void *ctx, uint64_t addr), void *ctx)
{
	(void)s;
	(void)place;
	(void)found;
	(void)ctx;
	return -1;
}
#endif
