// SPDX-License-Identifier: GPL-2.0
/*
 * The loader: a program of the bytes of a chunk.
 *
 * The bytes may come from anybody.  Each number is judged before it is used,
 * in 64 bits or by subtraction, so that no sum can wrap; what is used later is
 * decoded into host order once.  Those that say where something is are masked
 * then, since the CPU may go on with others before the judgement is there.  What
 * instructions say is the verifier's business.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "heap.h"
#include "program.h"

/* Sections of a chunk, unknown ones included. */
#define MAX_SECTIONS	32
#define NR_SECTIONS	(KTAP_SEC_OPTIONS + 1)

/* A section, in host order. */
struct section {
	u32 type;
	u32 flags;
	u32 offset;
	u32 size;
	u32 count;
};

/**
 * struct loader - a chunk being loaded
 * @prog: what it becomes
 * @diag: what is wrong with it
 * @data: the chunk
 * @sections: by type; unknown ones are not kept; size 0 if there is none
 */
struct loader {
	struct ktap_program *prog;
	struct ktap_diag *diag;
	const u8 *data;
	struct section sections[NR_SECTIONS];
};

static const struct {
	const char *name;
	u32 entry;		/* bytes of an entry */
	u32 max;		/* entries */
	bool data;		/* bytes follow the entries */
	bool required;
} kinds[NR_SECTIONS] = {
	[KTAP_SEC_STRINGS] = { "strings", sizeof(struct ktap_string), KTAP_MAX_STRINGS, true },
	[KTAP_SEC_INTS] = { "integers", sizeof(__le64), KTAP_MAX_INTS },
	[KTAP_SEC_FUNCS] = { "functions", sizeof(struct ktap_function), KTAP_MAX_FUNCS,
			     false, true },
	[KTAP_SEC_CODE] = { "code", sizeof(struct ktap_insn), KTAP_MAX_INSNS, false, true },
	[KTAP_SEC_PROBES] = { "probes", sizeof(struct ktap_probe_desc), KTAP_MAX_PROBES },
	[KTAP_SEC_GLOBALS] = { "globals", sizeof(__le32), KTAP_MAX_GLOBALS },
	[KTAP_SEC_FIELDS] = { "fields", sizeof(__le32), KTAP_MAX_FIELDS },
	[KTAP_SEC_LINES] = { "lines", sizeof(struct ktap_line), KTAP_MAX_INSNS },
	[KTAP_SEC_FILES] = { "files", sizeof(struct ktap_file), KTAP_MAX_FILES, true },
	[KTAP_SEC_TRIES] = { "tries", sizeof(struct ktap_try), KTAP_MAX_TRIES },
	[KTAP_SEC_OPTIONS] = { "options", sizeof(struct ktap_option), KTAP_MAX_OPTIONS },
};

static_assert(sizeof(struct ktap_header) == 24);
static_assert(sizeof(struct ktap_section) == 24);
static_assert(sizeof(struct ktap_string) == 8);
static_assert(sizeof(struct ktap_function) == 16);
static_assert(sizeof(struct ktap_probe_desc) == 16);
static_assert(sizeof(struct ktap_line) == 8);
static_assert(sizeof(struct ktap_file) == 16);
static_assert(sizeof(struct ktap_try) == 16);
static_assert(sizeof(struct ktap_option) == 16);
static_assert(sizeof(struct ktap_insn) == 8);
static_assert(sizeof(struct ktap_code) == 8);

/* struct ktap_program.try_at */
static_assert(KTAP_MAX_TRIES <= U16_MAX);

static __printf(3, 0) void diag_text(struct ktap_diag *diag, const char *place, const char *fmt,
				     va_list args)
{
	size_t size = sizeof(diag->text);

	if (diag->len)
		return;
	diag->len = scnprintf(diag->text, size, "%s: error: ", place);
	diag->len += vscnprintf(diag->text + diag->len, size - diag->len - 1, fmt, args);
	diag->len += scnprintf(diag->text + diag->len, size - diag->len, "\n");
}

void ktap_diag(struct ktap_diag *diag, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	diag_text(diag, "ktap", fmt, args);
	va_end(args);
}

/* Bytes of ":LINE:COLUMN" and the NUL. */
#define PLACE_NUMBERS	20

size_t ktap_program_place(const struct ktap_program *prog, u32 pc, bool column,
			  char *buf, size_t size)
{
	const struct ktap_line *line;
	const char *name;
	size_t len;

	if (!prog->lines || pc >= prog->ninsns)
		return 0;
	line = &prog->lines[pc];
	if (!line->line)
		return 0;
	/* Of a name that is too long the end says more than the beginning. */
	name = prog->files[array_index_nospec(le16_to_cpu(line->file), prog->nfiles)];
	len = strlen(name);
	if (len > size - PLACE_NUMBERS)
		name += len - (size - PLACE_NUMBERS);
	len = scnprintf(buf, size, "%s:%u", name, le32_to_cpu(line->line));
	if (column && line->column)
		len += scnprintf(buf + len, size - len, ":%u", le16_to_cpu(line->column));
	return len;
}

void ktap_vdiag_at(struct ktap_diag *diag, const struct ktap_program *prog, u32 pc,
		   const char *fmt, va_list args)
{
	char place[KTAP_PLACE_SIZE] = "ktap";

	ktap_program_place(prog, pc, true, place, sizeof(place));
	diag_text(diag, place, fmt, args);
}

void ktap_diag_at(struct ktap_diag *diag, const struct ktap_program *prog, u32 pc,
		  const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ktap_vdiag_at(diag, prog, pc, fmt, args);
	va_end(args);
}

/* A chunk as a compiler would never write it. */
#define malformed(l, fmt, ...)						\
	({								\
		ktap_diag((l)->diag, "malformed chunk: " fmt, ##__VA_ARGS__);	\
		-EINVAL;						\
	})

static int load_header(struct loader *l, size_t len, u32 *nsections)
{
	const struct ktap_header *h = (const void *)l->data;
	u32 major, minor;

	if (len < sizeof(*h))
		return malformed(l, "%zu bytes hold no header", len);
	if (memcmp(h->magic, KTAP_MAGIC, KTAP_MAGIC_LEN))
		return malformed(l, "this is no chunk (wrong magic)");
	major = le16_to_cpu(h->major);
	minor = le16_to_cpu(h->minor);
	if (major != KTAP_ABI_MAJOR || minor > KTAP_ABI_MINOR) {
		ktap_diag(l->diag, "the chunk needs ABI %u.%u, this kernel has %u.%u",
			  major, minor, KTAP_ABI_MAJOR, KTAP_ABI_MINOR);
		return -EPROTONOSUPPORT;
	}
	if (len > KTAP_MAX_CHUNK) {
		ktap_diag(l->diag, "a chunk of %zu bytes; %u is the most", len, KTAP_MAX_CHUNK);
		return -E2BIG;
	}
	if (le32_to_cpu(h->length) != len)
		return malformed(l, "length %u in the header, %zu bytes came",
				 le32_to_cpu(h->length), len);
	l->prog->flags = le32_to_cpu(h->flags);
	if (l->prog->flags & ~KTAP_CHUNK_UNSAFE)
		return malformed(l, "unknown flags 0x%x", l->prog->flags);
	l->prog->main = le32_to_cpu(h->main);

	*nsections = le32_to_cpu(h->nsections);
	if (*nsections > MAX_SECTIONS)
		return malformed(l, "%u sections; %u is the most", *nsections, MAX_SECTIONS);
	*nsections = array_index_nospec(*nsections, MAX_SECTIONS + 1);
	if (len - sizeof(*h) < *nsections * sizeof(struct ktap_section))
		return malformed(l, "no room for %u sections", *nsections);
	return 0;
}

static int check_place(struct loader *l, struct section *s, size_t len, u32 nsections)
{
	u32 start = sizeof(struct ktap_header) + nsections * sizeof(struct ktap_section);

	if (s->offset % 8)
		return malformed(l, "section %u is not aligned", s->type);
	if (s->offset < start || s->offset > len || s->size > len - s->offset)
		return malformed(l, "section %u lies outside", s->type);
	s->offset = array_index_nospec(s->offset, (u32)len + 1);
	s->size = array_index_nospec(s->size, (u32)len - s->offset + 1);
	return 0;
}

static int check_kind(struct loader *l, struct section *s)
{
	size_t entries;

	if (!ktap_index(&s->type, NR_SECTIONS) || !kinds[s->type].name) {
		if (s->flags & KTAP_SEC_OPTIONAL)
			return 0;
		return malformed(l, "unknown section %u", s->type);
	}
	if (s->count > kinds[s->type].max) {
		ktap_diag(l->diag, "too many %s: %u; %u is the most", kinds[s->type].name,
			  s->count, kinds[s->type].max);
		return -E2BIG;
	}
	s->count = array_index_nospec(s->count, kinds[s->type].max + 1);
	entries = (size_t)s->count * kinds[s->type].entry;
	if (kinds[s->type].data ? s->size < entries : s->size != entries)
		return malformed(l, "%s: %u entries in %u bytes", kinds[s->type].name,
				 s->count, s->size);
	l->sections[s->type] = *s;
	return 0;
}

static bool overlap(const struct section *x, const struct section *y)
{
	return x->offset < y->offset + y->size && y->offset < x->offset + x->size;
}

static int load_sections(struct loader *l, size_t len, u32 n)
{
	const struct ktap_section *raw = (const void *)(l->data + sizeof(struct ktap_header));
	struct section all[MAX_SECTIONS];
	u32 i, j;
	int err;

	for (i = 0; i < n; i++) {
		all[i] = (struct section){
			.type = le32_to_cpu(raw[i].type),
			.flags = le32_to_cpu(raw[i].flags),
			.offset = le32_to_cpu(raw[i].offset),
			.size = le32_to_cpu(raw[i].size),
			.count = le32_to_cpu(raw[i].count),
		};
		if (raw[i].reserved || all[i].flags & ~KTAP_SEC_OPTIONAL)
			return malformed(l, "section %u has unknown flags", all[i].type);
		err = check_place(l, &all[i], len, n);
		if (err)
			return err;
		for (j = 0; j < i; j++) {
			if (all[j].type == all[i].type)
				return malformed(l, "section %u stands twice", all[i].type);
			if (overlap(&all[j], &all[i]))
				return malformed(l, "sections %u and %u overlap", all[j].type,
						 all[i].type);
		}
		err = check_kind(l, &all[i]);
		if (err)
			return err;
	}
	for (i = 0; i < NR_SECTIONS; i++) {
		if (kinds[i].required && !l->sections[i].count)
			return malformed(l, "there is no %s", kinds[i].name);
	}
	return 0;
}

static const void *section_data(const struct loader *l, unsigned int type)
{
	return l->data + l->sections[type].offset;
}

/* An array for what the entries of a section become, also if there are none. */
static void *alloc_entries(const struct loader *l, unsigned int type, size_t size, u32 *n)
{
	*n = l->sections[type].count;
	return kvcalloc(*n ?: 1, size, KTAP_GFP);
}

static int load_strings(struct loader *l)
{
	const struct ktap_string *raw = section_data(l, KTAP_SEC_STRINGS);
	u32 size = l->sections[KTAP_SEC_STRINGS].size;
	struct ktap_program *prog = l->prog;
	u32 i, offset, len, start;

	prog->strings = alloc_entries(l, KTAP_SEC_STRINGS, sizeof(*prog->strings), &prog->nstrings);
	if (!prog->strings)
		return -ENOMEM;
	start = prog->nstrings * sizeof(*raw);
	for (i = 0; i < prog->nstrings; i++) {
		offset = le32_to_cpu(raw[i].offset);
		len = le32_to_cpu(raw[i].len);
		if (len > KTAP_MAX_STRLEN) {
			ktap_diag(l->diag, "a string of %u bytes; %u is the most", len,
				  KTAP_MAX_STRLEN);
			return -E2BIG;
		}
		/* One byte more: the NUL. */
		if (offset < start || offset > size || len >= size - offset)
			return malformed(l, "string %u lies outside", i);
		offset = array_index_nospec(offset, size);
		len = array_index_nospec(len, size - offset);
		if (((const u8 *)raw)[offset + len])
			return malformed(l, "string %u has no end", i);
		prog->strings[i] = KTAP_VALUE_STR((const char *)raw + offset, len);
	}
	return 0;
}

/* A string that serves as a name. */
static int name_of(struct loader *l, const char *what, u32 owner, u32 string, const char **name)
{
	if (!ktap_index(&string, l->prog->nstrings))
		return malformed(l, "%s %u: its name is string %u of %u", what, owner, string,
				 l->prog->nstrings);
	*name = l->prog->strings[string].blob;
	return 0;
}

static int load_ints(struct loader *l)
{
	const __le64 *raw = section_data(l, KTAP_SEC_INTS);
	struct ktap_program *prog = l->prog;
	u32 i;

	prog->ints = alloc_entries(l, KTAP_SEC_INTS, sizeof(*prog->ints), &prog->nints);
	if (!prog->ints)
		return -ENOMEM;
	for (i = 0; i < prog->nints; i++)
		prog->ints[i] = le64_to_cpu(raw[i]);
	return 0;
}

static int load_code(struct loader *l)
{
	const struct ktap_insn *raw = section_data(l, KTAP_SEC_CODE);
	struct ktap_program *prog = l->prog;
	u32 i;

	prog->code = alloc_entries(l, KTAP_SEC_CODE, sizeof(*prog->code), &prog->ninsns);
	if (!prog->code)
		return -ENOMEM;
	for (i = 0; i < prog->ninsns; i++)
		prog->code[i] = (struct ktap_code){
			.op = raw[i].op,
			.a = raw[i].a,
			.b = raw[i].b,
			.c = raw[i].c,
			.d = le32_to_cpu(raw[i].d),
		};
	return 0;
}

static int load_func(struct loader *l, u32 i, const struct ktap_function *raw, u8 *taken)
{
	struct ktap_program *prog = l->prog;
	struct ktap_func *f = &prog->funcs[i];
	u32 pc;
	int err;

	err = name_of(l, "function", i, le32_to_cpu(raw->name), &f->name);
	if (err)
		return err;
	f->first = le32_to_cpu(raw->first);
	f->ninsns = le32_to_cpu(raw->ninsns);
	f->nparams = raw->nparams;
	f->nregs = raw->nregs;
	f->variadic = le16_to_cpu(raw->flags) & KTAP_FUNC_VARIADIC;
	if (le16_to_cpu(raw->flags) & ~KTAP_FUNC_VARIADIC)
		return malformed(l, "function %u has unknown flags", i);
	if (!f->nregs || f->nregs > KTAP_MAX_REGS || f->nparams > f->nregs ||
	    f->nparams > KTAP_MAX_ARGS)
		return malformed(l, "function %u: %u parameters, %u registers", i, f->nparams,
				 f->nregs);
	if (!f->ninsns || f->first > prog->ninsns || f->ninsns > prog->ninsns - f->first)
		return malformed(l, "function %u lies outside the code", i);
	f->first = array_index_nospec(f->first, prog->ninsns);
	f->ninsns = array_index_nospec(f->ninsns, prog->ninsns - f->first + 1);
	/* Each instruction is verified once: it belongs to one function. */
	for (pc = f->first; pc < f->first + f->ninsns; pc++) {
		if (taken[pc])
			return malformed(l, "function %u overlaps another", i);
		taken[pc] = 1;
	}
	return 0;
}

static int load_funcs(struct loader *l)
{
	const struct ktap_function *raw = section_data(l, KTAP_SEC_FUNCS);
	struct ktap_program *prog = l->prog;
	u8 *taken;
	u32 i;
	int err = 0;

	prog->funcs = alloc_entries(l, KTAP_SEC_FUNCS, sizeof(*prog->funcs), &prog->nfuncs);
	if (!prog->funcs)
		return -ENOMEM;
	taken = kvzalloc(prog->ninsns, GFP_KERNEL);
	if (!taken)
		return -ENOMEM;
	for (i = 0; i < prog->nfuncs && !err; i++)
		err = load_func(l, i, &raw[i], taken);
	/* Code of no function is not verified: whoever scans all code must not meet it. */
	for (i = 0; i < prog->ninsns && !err; i++) {
		if (!taken[i])
			err = malformed(l, "instruction %u belongs to no function", i);
	}
	kvfree(taken);
	if (err)
		return err;
	if (!ktap_index(&prog->main, prog->nfuncs))
		return malformed(l, "the top level is function %u of %u", prog->main,
				 prog->nfuncs);
	if (prog->funcs[prog->main].nparams)
		return malformed(l, "the top level takes parameters");
	return 0;
}

static int load_clause(struct loader *l, u32 i, const struct ktap_probe_desc *raw)
{
	struct ktap_program *prog = l->prog;
	struct ktap_clause *c = &prog->clauses[i];
	u32 event = le32_to_cpu(raw->event);

	c->filter = le32_to_cpu(raw->filter);
	c->handler = le32_to_cpu(raw->handler);
	if (raw->flags)
		return malformed(l, "probe %u has unknown flags", i);
	if (!ktap_index(&event, prog->nstrings))
		return malformed(l, "probe %u: its event is string %u of %u", i, event,
				 prog->nstrings);
	c->event = &prog->strings[event];
	if (!ktap_index(&c->handler, prog->nfuncs) || prog->funcs[c->handler].nparams > 1)
		return malformed(l, "probe %u: function %u is no handler", i, c->handler);
	if (c->filter != KTAP_NONE &&
	    (!ktap_index(&c->filter, prog->nfuncs) || prog->funcs[c->filter].nparams))
		return malformed(l, "probe %u: function %u is no filter", i, c->filter);
	return 0;
}

static int load_clauses(struct loader *l)
{
	const struct ktap_probe_desc *raw = section_data(l, KTAP_SEC_PROBES);
	struct ktap_program *prog = l->prog;
	u32 i;
	int err = 0;

	prog->clauses = alloc_entries(l, KTAP_SEC_PROBES, sizeof(*prog->clauses), &prog->nclauses);
	if (!prog->clauses)
		return -ENOMEM;
	for (i = 0; i < prog->nclauses && !err; i++)
		err = load_clause(l, i, &raw[i]);
	return err;
}

static int load_globals(struct loader *l)
{
	const __le32 *raw = section_data(l, KTAP_SEC_GLOBALS);
	struct ktap_program *prog = l->prog;
	u32 i;
	int err = 0;

	prog->globals = alloc_entries(l, KTAP_SEC_GLOBALS, sizeof(*prog->globals), &prog->nglobals);
	if (!prog->globals)
		return -ENOMEM;
	for (i = 0; i < prog->nglobals && !err; i++)
		err = name_of(l, "global", i, le32_to_cpu(raw[i]), &prog->globals[i]);
	return err;
}

/* Constant keys that may meet an event; the verifier judges them later. */
static bool names_field(const struct ktap_code *insn)
{
	return insn->op == KTAP_OP_TGETS;
}

static int load_fields(struct loader *l)
{
	const __le32 *raw = section_data(l, KTAP_SEC_FIELDS);
	struct ktap_program *prog = l->prog;
	u32 i, string, max;

	prog->nown_fields = l->sections[KTAP_SEC_FIELDS].count;
	max = prog->nown_fields + min(prog->nstrings, prog->ninsns);
	prog->fields = kvcalloc(max + 1, sizeof(*prog->fields), KTAP_GFP);
	prog->string_field = kvmalloc_array(prog->nstrings + 1, sizeof(*prog->string_field),
					    KTAP_GFP);
	if (!prog->fields || !prog->string_field)
		return -ENOMEM;

	for (i = 0; i < prog->nown_fields; i++) {
		string = le32_to_cpu(raw[i]);
		if (!ktap_index(&string, prog->nstrings))
			return malformed(l, "field %u: its name is string %u of %u", i, string,
					 prog->nstrings);
		prog->fields[prog->nfields++] = &prog->strings[string];
	}
	for (i = 0; i < prog->nstrings; i++)
		prog->string_field[i] = KTAP_NONE;
	for (i = 0; i < prog->ninsns; i++) {
		string = prog->code[i].d;
		if (!names_field(&prog->code[i]) || !ktap_index(&string, prog->nstrings) ||
		    prog->string_field[string] != KTAP_NONE)
			continue;
		prog->string_field[string] = prog->nfields;
		prog->fields[prog->nfields++] = &prog->strings[string];
	}
	if (prog->nfields > KTAP_MAX_FIELDS) {
		ktap_diag(l->diag, "too many names of fields: %u; %u is the most",
			  prog->nfields, KTAP_MAX_FIELDS);
		return -E2BIG;
	}
	return 0;
}

static int load_files(struct loader *l)
{
	const struct ktap_file *raw = section_data(l, KTAP_SEC_FILES);
	u32 size = l->sections[KTAP_SEC_FILES].size;
	struct ktap_program *prog = l->prog;
	u32 i, text, len, start;
	int err;

	prog->files = alloc_entries(l, KTAP_SEC_FILES, sizeof(*prog->files), &prog->nfiles);
	if (!prog->files)
		return -ENOMEM;
	start = prog->nfiles * sizeof(*raw);
	for (i = 0; i < prog->nfiles; i++) {
		err = name_of(l, "file", i, le32_to_cpu(raw[i].name), &prog->files[i]);
		if (err)
			return err;
		text = le32_to_cpu(raw[i].text);
		len = le32_to_cpu(raw[i].len);
		if (raw[i].reserved)
			return malformed(l, "file %u has unknown flags", i);
		if (len && (text < start || text > size || len > size - text))
			return malformed(l, "the text of file %u lies outside", i);
	}
	return 0;
}

static int load_lines(struct loader *l)
{
	const struct ktap_line *raw = section_data(l, KTAP_SEC_LINES);
	struct ktap_program *prog = l->prog;
	u32 i, n = l->sections[KTAP_SEC_LINES].count;

	if (!n)
		return 0;
	if (n != prog->ninsns)
		return malformed(l, "%u lines for %u instructions", n, prog->ninsns);
	for (i = 0; i < n; i++) {
		if (raw[i].line && le16_to_cpu(raw[i].file) >= prog->nfiles)
			return malformed(l, "line of instruction %u: file %u of %u", i,
					 le16_to_cpu(raw[i].file), prog->nfiles);
	}
	prog->lines = raw;
	return 0;
}

static int load_try(struct loader *l, u32 i, const struct ktap_try *raw)
{
	u32 first = le32_to_cpu(raw->first), end = le32_to_cpu(raw->end), pc;
	struct ktap_program *prog = l->prog;
	struct ktap_catch *catch = &prog->tries[i];

	if (memchr_inv(raw->reserved, 0, sizeof(raw->reserved)))
		return malformed(l, "try %u has unknown flags", i);
	*catch = (struct ktap_catch){
		.handler = le32_to_cpu(raw->handler),
		.reg = raw->reg,
	};
	if (first > end || end > prog->ninsns || !ktap_index(&catch->handler, prog->ninsns))
		return malformed(l, "try %u lies outside the code", i);
	end = array_index_nospec(end, prog->ninsns + 1);
	first = array_index_nospec(first, end + 1);
	for (pc = first; pc < end; pc++)
		prog->try_at[pc] = i + 1;
	cond_resched();
	return 0;
}

static int load_tries(struct loader *l)
{
	const struct ktap_try *raw = section_data(l, KTAP_SEC_TRIES);
	struct ktap_program *prog = l->prog;
	u32 i;
	int err = 0;

	prog->tries = alloc_entries(l, KTAP_SEC_TRIES, sizeof(*prog->tries), &prog->ntries);
	if (!prog->tries)
		return -ENOMEM;
	if (!prog->ntries)
		return 0;
	prog->try_at = kvcalloc(prog->ninsns, sizeof(*prog->try_at), KTAP_GFP);
	if (!prog->try_at)
		return -ENOMEM;
	/* Of those that cover an instruction the first one counts. */
	for (i = prog->ntries; i && !err; i--)
		err = load_try(l, i - 1, &raw[i - 1]);
	return err;
}

/* A string that only a help shows. */
static bool is_text(const struct loader *l, __le32 raw)
{
	return le32_to_cpu(raw) == KTAP_NONE || le32_to_cpu(raw) < l->prog->nstrings;
}

static int load_options(struct loader *l)
{
	const struct ktap_option *raw = section_data(l, KTAP_SEC_OPTIONS);
	struct ktap_program *prog = l->prog;
	u32 i, j;
	int err;

	prog->options = alloc_entries(l, KTAP_SEC_OPTIONS, sizeof(*prog->options),
				      &prog->noptions);
	if (!prog->options)
		return -ENOMEM;
	for (i = 0; i < prog->noptions; i++) {
		err = name_of(l, "option", i, le32_to_cpu(raw[i].name), &prog->options[i]);
		if (err)
			return err;
		if (raw[i].flags)
			return malformed(l, "option %u has unknown flags", i);
		if (!is_text(l, raw[i].help) || !is_text(l, raw[i].value))
			return malformed(l, "option %u has no such text", i);
		for (j = 0; j < i; j++) {
			if (!strcmp(prog->options[j], prog->options[i]))
				return malformed(l, "option %u stands twice", i);
		}
	}
	return 0;
}

/* In this order: names are strings, and functions cover code. */
static int (* const loaders[])(struct loader *l) = {
	load_strings, load_ints, load_code, load_funcs, load_clauses, load_globals,
	load_fields, load_files, load_lines, load_tries, load_options,
};

static int load_all(struct loader *l, size_t len)
{
	u32 i, nsections;
	int err;

	err = load_header(l, len, &nsections);
	if (!err)
		err = load_sections(l, len, nsections);
	/* Each goes over what it loads once, but for tries: milliseconds. */
	for (i = 0; i < ARRAY_SIZE(loaders) && !err; i++) {
		err = loaders[i](l);
		cond_resched();
	}
	if (!err)
		err = ktap_verify(l->prog, l->diag);
	if (!err)
		err = ktap_program_link(l->prog, l->diag);
	if (err == -ENOMEM)
		ktap_diag(l->diag, "no memory for the program");
	return err;
}

struct ktap_program *ktap_program_load(void *chunk, size_t len, struct ktap_diag *diag)
{
	struct loader l = { .diag = diag, .data = chunk };
	int err;

	diag->len = 0;
	diag->text[0] = '\0';
	l.prog = kvcalloc(1, sizeof(*l.prog), KTAP_GFP);
	if (!l.prog) {
		ktap_diag(diag, "no memory for the program");
		return ERR_PTR(-ENOMEM);
	}
	err = load_all(&l, len);
	if (err) {
		ktap_program_free(l.prog);
		return ERR_PTR(err);
	}
	l.prog->chunk = chunk;
	l.prog->len = len;
	return l.prog;
}

void ktap_program_free(struct ktap_program *prog)
{
	if (!prog)
		return;
	ktap_program_unlink(prog);
	ktap_btf_release(&prog->types);
	kvfree(prog->chunk);
	kvfree(prog->code);
	kvfree(prog->work);
	kvfree(prog->strings);
	kvfree(prog->ints);
	kvfree(prog->funcs);
	kvfree(prog->clauses);
	kvfree(prog->globals);
	kvfree(prog->fields);
	kvfree(prog->string_field);
	kvfree(prog->accesses);
	kvfree(prog->files);
	kvfree(prog->tries);
	kvfree(prog->options);
	kvfree(prog->try_at);
	kvfree(prog);
}
