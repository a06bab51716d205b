/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of source files, by the DWARF of a program. */
#ifndef KTAP_SOURCE_LINES_H
#define KTAP_SOURCE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_file.h"

/* Functions that are inlined into each other */
#define MAX_INLINED	16

struct source_lines;

/**
 * struct source_line - a line of a source file
 * @function: the function that it belongs to, if that is inlined there; otherwise NULL
 * @file: name of the file, as the compiler was given it
 * @line: its number, from 1
 */
struct source_line {
	const char *function;
	const char *file;
	unsigned int line;
};

/**
 * struct source_place - a line of a source file, as an event names it
 * @file: name of the file, or the end of it after a slash
 * @line: its number, from 1
 * @column: from 1; 0: any
 */
struct source_place {
	const char *file;
	unsigned int line;
	unsigned int column;
};

/* Was this built with libdw? */
extern const bool source_lines_can_read;

/*
 * Open the DWARF of @f, whose handle is open: its own, or that of its debug file, which is
 * searched below @root first. NULL if there is none.
 */
struct source_lines *source_lines_open(const struct elf_file *f, const char *root);
void source_lines_close(struct source_lines *s);

/*
 * Find the lines of the instruction at @addr: where it is, then where that function is inlined,
 * and so on up to a function that is called. Returns their number, 0 if it is not known. The
 * strings live as long as @s.
 */
unsigned int source_lines_at(struct source_lines *s, uint64_t addr,
			     struct source_line at[MAX_INLINED]);

/*
 * Call @found with the first instruction of a statement that begins at @place: once for each
 * function that it is in, or is inlined into, until it returns false. Returns 0 after a call;
 * otherwise the nearest line that has a statement and is not before @place: its own line if only
 * the column is wrong. -1: there is none; -2: there is no such file; -3: it may be in debug
 * information that is split into files of its own, which is not read.
 */
int source_lines_find(struct source_lines *s, const struct source_place *place,
		      bool (*found)(void *ctx, uint64_t addr), void *ctx);

/**
 * struct source_param - a parameter of a function
 * @name: its name, "" if it has none, NULL for the result
 * @decl: its declaration in C; that of the result is one of "retval"
 * @number: of the argument that it is in, from 0; -1: it is not known, or not in one
 * @size: in bytes: 1, 2, 4 or 8; negative: it is signed; 0: no integer, address or enumerator
 */
struct source_param {
	const char *name;
	const char *decl;
	int number;
	int size;
};

typedef void (*source_param_fn)(void *ctx, const struct source_param *param);

/*
 * source_params.c: call @put with each parameter of the function whose entry is @addr, and then
 * with its result, if it has one.
 */
void source_params(struct source_lines *s, uint64_t addr, source_param_fn put, void *ctx);

#endif
