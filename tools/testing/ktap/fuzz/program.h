/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A chunk taken to pieces, which can be changed and put together again: what a
 * compiler would hold.  Whatever is done to the pieces, the chunk that they make has
 * a right header and right sections.
 */
#ifndef _KTAP_FUZZ_PROGRAM_H
#define _KTAP_FUZZ_PROGRAM_H

#include <linux/types.h>
#include <uapi/linux/ktap.h>

#define MAX_CODE	1024
#define MAX_FUNCS	48
#define MAX_STRINGS	192
#define MAX_INTS	48
#define MAX_PROBES	48
#define MAX_GLOBALS	48
#define MAX_FIELDS	48
#define MAX_TRIES	48
#define MAX_OPTIONS	12
#define MAX_BYTES	16384	/* of all strings */

/**
 * struct program - the pieces, in host byte order
 * @flags: enum ktap_chunk_flags
 * @main: the top level
 * @lines: each instruction has a line, and there is a file
 */
struct program {
	u32 flags;
	u32 main;
	bool lines;

	u32 ncode;
	u32 nfuncs;
	u32 nstrings;
	u32 nints;
	u32 nprobes;
	u32 nglobals;
	u32 nfields;
	u32 ntries;
	u32 noptions;
	u32 nbytes;

	struct ktap_insn code[MAX_CODE];
	struct ktap_function funcs[MAX_FUNCS];
	struct ktap_string strings[MAX_STRINGS];	/* offsets are those in @bytes */
	s64 ints[MAX_INTS];
	struct ktap_probe_desc probes[MAX_PROBES];
	u32 globals[MAX_GLOBALS];
	u32 fields[MAX_FIELDS];
	struct ktap_try tries[MAX_TRIES];
	struct ktap_option options[MAX_OPTIONS];
	char bytes[MAX_BYTES];
};

/* Takes a chunk to pieces, as far as they fit; false: it has no header. */
bool program_take(struct program *p, const u8 *chunk, size_t len);

/* Puts it together; its bytes, or 0 if there is no room. */
size_t program_put(const struct program *p, u8 *chunk, size_t max);

/* A string constant, which may be there already; 0 if there is no room. */
u32 program_string(struct program *p, const char *s, size_t len);

/*
 * strings.c: what strings of scripts are: formats, keys, names of events, fields,
 * types and symbols.
 */
extern const char * const fuzz_strings[];
extern const unsigned int fuzz_nstrings;

#endif /* _KTAP_FUZZ_PROGRAM_H */
