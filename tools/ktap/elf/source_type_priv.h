/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by source_types.c, which finds types, and source_type_text.c, which writes them. */
#ifndef KTAP_SOURCE_TYPE_PRIV_H
#define KTAP_SOURCE_TYPE_PRIV_H

#include <dwarf.h>
#include <stdio.h>

#include "elf/source_priv.h"
#include "elf/source_types.h"

#define MAX_TYPE_STEPS		32	/* types of types */
#define MAX_TYPE_DEPTH		16	/* structures in structures */
#define MAX_TYPE_CHILDREN	65536	/* of a DIE */

/**
 * struct source_other - another DIE in a file, of a structure of the same name
 * @done: its members were compared with those of the first one
 */
struct source_other {
	Dwarf_Die die;
	bool done;
	struct source_other *next;
};

/**
 * struct source_type - a structure that is declared
 * @tag: "struct x"
 * @text: its members, as they are declared; NULL: not yet
 * @die: its DIE in the file that is read now, if it was found there
 * @open: its members are being written
 * @done: those of @die were written, or compared with those of another program
 * @searched: all structures of this name in the file are among @others
 * @others: other DIEs in that file
 * @nothers: number of @others
 * @path: the file in which it was first
 */
struct source_type {
	const char *tag;
	const char *text;
	Dwarf_Die die;
	bool open;
	bool done;
	bool searched;
	struct source_other *others;
	unsigned int nothers;
	const char *path;
	struct source_type *next;
};

/* struct source_index_entry - a structure, union or typedef of a unit, by its name */
struct source_index_entry {
	uint32_t hash;
	Dwarf_Off die;
};

/**
 * struct source_types - the structures of all programs of a script
 * @types: latest first
 * @lines: the debug information that is read now
 * @serial: the one of @lines
 * @path: its file
 * @index: names that its units declare, sorted
 * @nindex: number of them
 * @indexed: they were read
 * @index_good: they are all
 * @query: the question
 * @out: gets the declarations
 * @error: why this cannot be declared, or NULL
 * @word: bytes of an address in the program
 * @ntypes: number of @types
 * @nmembers: number of members that were written
 * @nread: number of members that were read for this question
 * @depth: structures around the one that is written
 * @indent: tabs before its members
 */
struct source_types {
	struct pool pool;
	struct source_type *types;
	struct source_lines *lines;
	uint64_t serial;
	const char *path;
	struct source_index_entry *index;
	size_t nindex;
	bool indexed;
	bool index_good;
	const struct ktap_user_query *query;
	FILE *out;
	const char *error;
	uint8_t word;
	unsigned int ntypes;
	unsigned int nmembers;
	unsigned int nread;
	unsigned int depth;
	unsigned int indent;
};

bool source_types_is_name(const char *name);
/* "struct" or "union"; NULL: it is something else. */
const char *source_types_keyword(Dwarf_Die *die);
/* "struct x"; NULL: it has no name. @name: that of the typedef, or NULL */
const char *source_types_tag(struct source_types *t, Dwarf_Die *die, const char *name);
/* Note the error, unless there is one; returns false. */
bool source_types_fail(struct source_types *t, const char *error);

/*
 * Go from a DIE with a type to that type, without typedefs and qualifiers; false: void. @name:
 * that of the last typedef, if not NULL
 */
bool source_types_next(Dwarf_Die *die, const char **name);

/* Note that a structure must be declared; its members are written later. */
struct source_type *source_types_want(struct source_types *t, Dwarf_Die *die, const char *tag);

/* The name in C of the target of a pointer. @follow: the script may read what it has. */
const char *source_types_target(struct source_types *t, Dwarf_Die *die, const char *name,
				bool follow);

/* Write the declaration of a structure, unless that was done; false: it contains itself. */
bool source_types_write(struct source_types *t, struct source_type *type);

/* source_type_text.c: the members of a structure; NULL: it has no size. */
const char *source_types_members(struct source_types *t, Dwarf_Die *die);

/*
 * Declare @name with the type of @die, from the name outwards; NULL: ktap has no such type.
 * @follow: the script may read what a pointer points to
 */
const char *source_types_declare(struct source_types *t, const Dwarf_Die *die, const char *name,
				 bool follow);

#endif
