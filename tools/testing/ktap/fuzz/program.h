/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A chunk as separate arrays, which can be changed and written as a chunk again.  The
 * header and the table of sections of that chunk are always valid.
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
#define MAX_TYPES	48
#define MAX_MEMBERS	96
#define MAX_BYTES	16384	/* of all strings */

/**
 * struct program - the contents of a chunk, in host byte order
 * @flags: enum ktap_chunk_flags
 * @main: the top level
 * @lines: the chunk has a section of lines and a file
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
	u32 ntypes;
	u32 nmembers;
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
	struct ktap_type types[MAX_TYPES];
	struct ktap_member members[MAX_MEMBERS];
	char bytes[MAX_BYTES];
};

/* Read a chunk, up to the sizes of the arrays. Returns false if it has no header. */
bool program_take(struct program *p, const u8 *chunk, size_t len);

/* Write a chunk. Returns its size in bytes, or 0 if it is larger than @max. */
size_t program_put(const struct program *p, u8 *chunk, size_t max);

/* Return the index of a string, which is added if it is new; 0 if there is no room. */
u32 program_string(struct program *p, const char *s, size_t len);

/*
 * strings.c: strings for programs: formats, keys, and names of events, fields, types and
 * symbols.
 */
extern const char * const fuzz_strings[];
extern const unsigned int fuzz_nstrings;

#endif /* _KTAP_FUZZ_PROGRAM_H */
