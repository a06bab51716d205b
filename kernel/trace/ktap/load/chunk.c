// SPDX-License-Identifier: GPL-2.0
/*
 * The loader: makes a program from the bytes of a chunk.
 *
 * The bytes are not trusted.  Each number is checked before it is used, in 64
 * bits or by subtraction, so that no sum can wrap, and decoded into host order
 * once.  Offsets and indexes are masked after the check, against speculative
 * execution.  The verifier checks the instructions.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "data/heap.h"
#include "load/declare.h"
#include "vm/kernel_function.h"
#include "vm/program.h"

/* Sections of a chunk, including unknown ones. */
#define MAX_SECTIONS	32
#define NR_SECTIONS	(KTAP_SEC_MEMBERS + 1)

/* A section, in host order. */
struct chunk_section {
	u32 type;
	u32 flags;
	u32 offset;
	u32 size;
	u32 count;
};

/**
 * struct chunk_loader - a chunk being loaded
 * @prog: the program
 * @diag: gets the error
 * @data: the chunk
 * @sections: by type, without unknown ones; size 0 if there is none
 */
struct chunk_loader {
	struct ktap_program *prog;
	struct ktap_diag *diag;
	const u8 *data;
	struct chunk_section sections[NR_SECTIONS];
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
	/* see load/signature.c */
	[KTAP_SEC_SIGNATURE] = { "entries of the signature", 0, 0, true },
	[KTAP_SEC_TYPES] = { "types", sizeof(struct ktap_type), KTAP_MAX_TYPES },
	[KTAP_SEC_MEMBERS] = { "members", sizeof(struct ktap_member), KTAP_MAX_MEMBERS },
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

static __printf(3, 0) void diag_text(struct ktap_diag *diag, const char *position, const char *fmt,
				     va_list args)
{
	size_t size = sizeof(diag->text);

	if (diag->len)
		return;
	diag->len = scnprintf(diag->text, size, "%s: error: ", position);
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
#define POSITION_NUMBERS	20

size_t ktap_program_position(const struct ktap_program *prog, u32 pc, bool column,
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
	/* Cut a long name at its beginning. */
	name = prog->files[array_index_nospec(le16_to_cpu(line->file), prog->nfiles)];
	len = strlen(name);
	if (len > size - POSITION_NUMBERS)
		name += len - (size - POSITION_NUMBERS);
	len = scnprintf(buf, size, "%s:%u", name, le32_to_cpu(line->line));
	if (column && line->column)
		len += scnprintf(buf + len, size - len, ":%u", le16_to_cpu(line->column));
	return len;
}

void ktap_vdiag_at(struct ktap_diag *diag, const struct ktap_program *prog, u32 pc,
		   const char *fmt, va_list args)
{
	char position[KTAP_POSITION_SIZE] = "ktap";

	ktap_program_position(prog, pc, true, position, sizeof(position));
	diag_text(diag, position, fmt, args);
}

void ktap_diag_at(struct ktap_diag *diag, const struct ktap_program *prog, u32 pc,
		  const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ktap_vdiag_at(diag, prog, pc, fmt, args);
	va_end(args);
}

/* Refuse a chunk that no compiler writes. */
#define malformed(l, fmt, ...)						\
	({								\
		ktap_diag((l)->diag, "malformed chunk: " fmt, ##__VA_ARGS__);	\
		-EINVAL;						\
	})

static int chunk_load_header(struct chunk_loader *l, size_t len, u32 *nsections)
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

static int chunk_check_place(struct chunk_loader *l, struct chunk_section *s, size_t len,
			     u32 nsections)
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

static int chunk_check_kind(struct chunk_loader *l, struct chunk_section *s)
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

static bool chunk_overlap(const struct chunk_section *x, const struct chunk_section *y)
{
	return x->offset < y->offset + y->size && y->offset < x->offset + x->size;
}

static int chunk_load_sections(struct chunk_loader *l, size_t len, u32 n)
{
	const struct ktap_section *raw = (const void *)(l->data + sizeof(struct ktap_header));
	struct chunk_section all[MAX_SECTIONS];
	u32 i, j;
	int err;

	for (i = 0; i < n; i++) {
		all[i] = (struct chunk_section){
			.type = le32_to_cpu(raw[i].type),
			.flags = le32_to_cpu(raw[i].flags),
			.offset = le32_to_cpu(raw[i].offset),
			.size = le32_to_cpu(raw[i].size),
			.count = le32_to_cpu(raw[i].count),
		};
		if (raw[i].reserved || all[i].flags & ~KTAP_SEC_OPTIONAL)
			return malformed(l, "section %u has unknown flags", all[i].type);
		err = chunk_check_place(l, &all[i], len, n);
		if (err)
			return err;
		for (j = 0; j < i; j++) {
			if (all[j].type == all[i].type)
				return malformed(l, "section %u exists twice", all[i].type);
			if (chunk_overlap(&all[j], &all[i]))
				return malformed(l, "sections %u and %u overlap", all[j].type,
						 all[i].type);
		}
		err = chunk_check_kind(l, &all[i]);
		if (err)
			return err;
	}
	for (i = 0; i < NR_SECTIONS; i++) {
		if (kinds[i].required && !l->sections[i].count)
			return malformed(l, "there is no %s", kinds[i].name);
	}
	return 0;
}

static const void *chunk_section_data(const struct chunk_loader *l, unsigned int type)
{
	return l->data + l->sections[type].offset;
}

/* Allocate an array for the decoded entries of a section, even if there are none. */
static void *chunk_alloc_entries(const struct chunk_loader *l, unsigned int type, size_t size,
				 u32 *n)
{
	*n = l->sections[type].count;
	l->prog->bytes += *n * size;
	return kvcalloc(*n ?: 1, size, KTAP_GFP);
}

static int chunk_load_strings(struct chunk_loader *l)
{
	const struct ktap_string *raw = chunk_section_data(l, KTAP_SEC_STRINGS);
	u32 size = l->sections[KTAP_SEC_STRINGS].size;
	struct ktap_program *prog = l->prog;
	u32 i, offset, len, start;

	prog->strings =
		chunk_alloc_entries(l, KTAP_SEC_STRINGS, sizeof(*prog->strings), &prog->nstrings);
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
static int chunk_name_of(struct chunk_loader *l, const char *what, u32 owner, u32 string,
			 const char **name)
{
	if (!ktap_index(&string, l->prog->nstrings))
		return malformed(l, "%s %u: its name is string %u of %u", what, owner, string,
				 l->prog->nstrings);
	*name = l->prog->strings[string].blob;
	return 0;
}

static int chunk_load_ints(struct chunk_loader *l)
{
	const __le64 *raw = chunk_section_data(l, KTAP_SEC_INTS);
	struct ktap_program *prog = l->prog;
	u32 i;

	prog->ints = chunk_alloc_entries(l, KTAP_SEC_INTS, sizeof(*prog->ints), &prog->nints);
	if (!prog->ints)
		return -ENOMEM;
	for (i = 0; i < prog->nints; i++)
		prog->ints[i] = le64_to_cpu(raw[i]);
	return 0;
}

static int chunk_load_code(struct chunk_loader *l)
{
	const struct ktap_insn *raw = chunk_section_data(l, KTAP_SEC_CODE);
	struct ktap_program *prog = l->prog;
	u32 i;

	prog->code = chunk_alloc_entries(l, KTAP_SEC_CODE, sizeof(*prog->code), &prog->ninsns);
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

static int chunk_load_func(struct chunk_loader *l, u32 i, const struct ktap_function *raw,
			   u8 *taken)
{
	struct ktap_program *prog = l->prog;
	struct ktap_func *f = &prog->funcs[i];
	u32 pc;
	int err;

	err = chunk_name_of(l, "function", i, le32_to_cpu(raw->name), &f->name);
	if (err)
		return err;
	f->first = le32_to_cpu(raw->first);
	f->ninsns = le32_to_cpu(raw->ninsns);
	f->nparams = raw->nparams;
	f->nregs = raw->nregs;
	f->variadic = le16_to_cpu(raw->flags) & KTAP_FUNC_VARIADIC;
	f->plain_args = f->variadic ? U8_MAX : f->nparams;
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
	f->code = prog->code + f->first;
	/* Each instruction is verified once: it belongs to one function. */
	for (pc = f->first; pc < f->first + f->ninsns; pc++) {
		if (taken[pc])
			return malformed(l, "function %u overlaps another", i);
		taken[pc] = 1;
	}
	return 0;
}

static int chunk_load_funcs(struct chunk_loader *l)
{
	const struct ktap_function *raw = chunk_section_data(l, KTAP_SEC_FUNCS);
	struct ktap_program *prog = l->prog;
	u8 *taken;
	u32 i;
	int err = 0;

	prog->funcs = chunk_alloc_entries(l, KTAP_SEC_FUNCS, sizeof(*prog->funcs), &prog->nfuncs);
	if (!prog->funcs)
		return -ENOMEM;
	taken = kvzalloc(prog->ninsns, KTAP_GFP);
	if (!taken)
		return -ENOMEM;
	for (i = 0; i < prog->nfuncs && !err; i++)
		err = chunk_load_func(l, i, &raw[i], taken);
	/* The verifier skips code outside of functions, but later scans of the code do not. */
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

static int chunk_load_probe_def(struct chunk_loader *l, u32 i, const struct ktap_probe_desc *raw)
{
	struct ktap_program *prog = l->prog;
	struct ktap_probe_def *c = &prog->probe_defs[i];
	u32 event = le32_to_cpu(raw->event);

	c->filter = le32_to_cpu(raw->filter);
	c->handler = le32_to_cpu(raw->handler);
	c->condition = KTAP_NONE;
	if (!ktap_index(&event, prog->nstrings))
		return malformed(l, "probe %u: its event is string %u of %u", i, event,
				 prog->nstrings);
	c->event = &prog->strings[event];
	if (!ktap_index(&c->handler, prog->nfuncs) || prog->funcs[c->handler].nparams > 1)
		return malformed(l, "probe %u: function %u is no handler", i, c->handler);
	if (c->filter != KTAP_NONE &&
	    (!ktap_index(&c->filter, prog->nfuncs) || prog->funcs[c->filter].nparams))
		return malformed(l, "probe %u: function %u is no filter", i, c->filter);
	c->switched = le32_to_cpu(raw->condition) == KTAP_PROBE_SWITCHED;
	if (!raw->condition || c->switched)
		return 0;
	c->condition = le32_to_cpu(raw->condition) - 1;
	if (!ktap_index(&c->condition, prog->nglobals))
		return malformed(l, "probe %u: its condition is global %u of %u", i,
				 c->condition, prog->nglobals);
	return 0;
}

static int chunk_load_probe_defs(struct chunk_loader *l)
{
	const struct ktap_probe_desc *raw = chunk_section_data(l, KTAP_SEC_PROBES);
	struct ktap_program *prog = l->prog;
	u32 i;
	int err = 0;

	prog->probe_defs = chunk_alloc_entries(l, KTAP_SEC_PROBES, sizeof(*prog->probe_defs),
					       &prog->nprobe_defs);
	if (!prog->probe_defs)
		return -ENOMEM;
	for (i = 0; i < prog->nprobe_defs && !err; i++)
		err = chunk_load_probe_def(l, i, &raw[i]);
	return err;
}

static int chunk_load_globals(struct chunk_loader *l)
{
	const __le32 *raw = chunk_section_data(l, KTAP_SEC_GLOBALS);
	struct ktap_program *prog = l->prog;
	u32 i;
	int err = 0;

	prog->globals =
		chunk_alloc_entries(l, KTAP_SEC_GLOBALS, sizeof(*prog->globals), &prog->nglobals);
	if (!prog->globals)
		return -ENOMEM;
	for (i = 0; i < prog->nglobals && !err; i++)
		err = chunk_name_of(l, "global", i, le32_to_cpu(raw[i]), &prog->globals[i]);
	return err;
}

static int chunk_load_fields(struct chunk_loader *l)
{
	const __le32 *raw = chunk_section_data(l, KTAP_SEC_FIELDS);
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
	/* Constant keys that may meet an event; the verifier judges them later. */
	for (i = 0; i < prog->ninsns; i++) {
		string = prog->code[i].d;
		if (prog->code[i].op != KTAP_OP_TGETS || !ktap_index(&string, prog->nstrings) ||
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

static int chunk_load_files(struct chunk_loader *l)
{
	const struct ktap_file *raw = chunk_section_data(l, KTAP_SEC_FILES);
	u32 size = l->sections[KTAP_SEC_FILES].size;
	struct ktap_program *prog = l->prog;
	u32 i, text, len, start;
	int err;

	prog->files = chunk_alloc_entries(l, KTAP_SEC_FILES, sizeof(*prog->files), &prog->nfiles);
	if (!prog->files)
		return -ENOMEM;
	start = prog->nfiles * sizeof(*raw);
	for (i = 0; i < prog->nfiles; i++) {
		err = chunk_name_of(l, "file", i, le32_to_cpu(raw[i].name), &prog->files[i]);
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

static int chunk_load_lines(struct chunk_loader *l)
{
	const struct ktap_line *raw = chunk_section_data(l, KTAP_SEC_LINES);
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

static int chunk_load_try(struct chunk_loader *l, u32 i, const struct ktap_try *raw)
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

static int chunk_load_tries(struct chunk_loader *l)
{
	const struct ktap_try *raw = chunk_section_data(l, KTAP_SEC_TRIES);
	struct ktap_program *prog = l->prog;
	u32 i;
	int err = 0;

	prog->tries = chunk_alloc_entries(l, KTAP_SEC_TRIES, sizeof(*prog->tries), &prog->ntries);
	if (!prog->tries)
		return -ENOMEM;
	if (!prog->ntries)
		return 0;
	prog->try_at = kvcalloc(prog->ninsns, sizeof(*prog->try_at), KTAP_GFP);
	if (!prog->try_at)
		return -ENOMEM;
	/* The first entry that covers an instruction counts. */
	for (i = prog->ntries; i && !err; i--)
		err = chunk_load_try(l, i - 1, &raw[i - 1]);
	return err;
}

/* Is it KTAP_NONE or a string for the help text? */
static bool chunk_is_text(const struct chunk_loader *l, __le32 raw)
{
	return le32_to_cpu(raw) == KTAP_NONE || le32_to_cpu(raw) < l->prog->nstrings;
}

static int chunk_load_options(struct chunk_loader *l)
{
	const struct ktap_option *raw = chunk_section_data(l, KTAP_SEC_OPTIONS);
	struct ktap_program *prog = l->prog;
	u32 i, j;
	int err;

	prog->options = chunk_alloc_entries(l, KTAP_SEC_OPTIONS, sizeof(*prog->options),
					    &prog->noptions);
	if (!prog->options)
		return -ENOMEM;
	for (i = 0; i < prog->noptions; i++) {
		err = chunk_name_of(l, "option", i, le32_to_cpu(raw[i].name), &prog->options[i]);
		if (err)
			return err;
		if (raw[i].flags)
			return malformed(l, "option %u has unknown flags", i);
		if (!chunk_is_text(l, raw[i].help) || !chunk_is_text(l, raw[i].value))
			return malformed(l, "option %u has no such text", i);
		for (j = 0; j < i; j++) {
			if (!strcmp(prog->options[j], prog->options[i]))
				return malformed(l, "option %u exists twice", i);
		}
	}
	return 0;
}

static int chunk_load_types(struct chunk_loader *l)
{
	struct ktap_declarations d = {
		.types = chunk_section_data(l, KTAP_SEC_TYPES),
		.members = chunk_section_data(l, KTAP_SEC_MEMBERS),
		.ntypes = l->sections[KTAP_SEC_TYPES].count,
		.nmembers = l->sections[KTAP_SEC_MEMBERS].count,
	};

	return ktap_declare(l->prog, &d, l->diag);
}

/* In this order: names are strings, and functions cover code. */
static int (*const loaders[])(struct chunk_loader *l) = {
	chunk_load_strings, chunk_load_ints,	chunk_load_code,    chunk_load_funcs,
	chunk_load_globals, chunk_load_probe_defs, chunk_load_fields,  chunk_load_files,
	chunk_load_lines,   chunk_load_tries,	chunk_load_options, chunk_load_types,
};

static int chunk_load_all(struct chunk_loader *l, size_t len)
{
	u32 i, nsections;
	int err;

	err = chunk_load_header(l, len, &nsections);
	if (!err)
		err = chunk_load_sections(l, len, nsections);
	/* Each loader takes linear time, except that of tries: milliseconds. */
	for (i = 0; i < ARRAY_SIZE(loaders) && !err; i++) {
		err = loaders[i](l);
		cond_resched();
	}
	if (!err)
		err = ktap_verify(l->prog, l->diag);
	if (!err)
		err = ktap_program_link(l->prog, l->diag);
	if (!err)
		err = ktap_formats_load(l->prog);
	if (err == -ENOMEM)
		ktap_diag(l->diag, "no memory for the program");
	return err;
}

struct ktap_program *ktap_program_load(void *chunk, size_t len, struct ktap_diag *diag)
{
	struct chunk_loader l = { .diag = diag, .data = chunk };
	int err;

	diag->len = 0;
	diag->text[0] = '\0';
	l.prog = kvcalloc(1, sizeof(*l.prog), KTAP_GFP);
	if (!l.prog) {
		ktap_diag(diag, "no memory for the program");
		return ERR_PTR(-ENOMEM);
	}
	err = chunk_load_all(&l, len);
	if (err) {
		ktap_program_free(l.prog);
		return ERR_PTR(err);
	}
	l.prog->chunk = chunk;
	l.prog->len = len;
	l.prog->bytes += len;
	return l.prog;
}

void ktap_program_free(struct ktap_program *prog)
{
	if (!prog)
		return;
	ktap_program_unlink(prog);
	ktap_kernel_functions_put(prog);
	ktap_declare_free(prog);
	ktap_btf_release(&prog->types);
	kvfree(prog->chunk);
	kvfree(prog->code);
	kvfree(prog->work);
	kvfree(prog->strings);
	kvfree(prog->ints);
	kvfree(prog->funcs);
	kvfree(prog->probe_defs);
	kvfree(prog->globals);
	kvfree(prog->fields);
	kvfree(prog->string_field);
	kvfree(prog->accesses);
	kvfree(prog->files);
	kvfree(prog->tries);
	kvfree(prog->options);
	kvfree(prog->try_at);
	kvfree(prog->others);
	ktap_formats_free(prog);
	kvfree(prog);
}
