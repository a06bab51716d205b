/* SPDX-License-Identifier: GPL-2.0 */
/* Resolving events of user space to offsets in files. */
#ifndef KTAP_RESOLVE_H
#define KTAP_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/compile.h"
#include "compiler/pool.h"
#include "elf/source_lines.h"
#include "elf/source_types.h"
#include "elf/target.h"
#include "elf/user_event.h"

#define MAX_PLACES	16384	/* of one event */

/**
 * struct place - one address of an event
 * @file: index of its file in the answer
 * @offset: offset of the instruction in the file
 * @semaphore: offset in the file of the counter of listeners, or 0
 * @name: name of the function, or "provider:name"
 * @args: arguments of a marker in the kernel's syntax, each after a blank
 * @params: lines with named arguments of a function, each after a newline
 */
struct place {
	unsigned int file;
	uint64_t offset;
	uint64_t semaphore;
	const char *name;
	const char *args;
	const char *params;
};

/**
 * struct answer - what an event resolves to
 * @message: why it cannot be resolved, or NULL
 * @kernels: it can only be an event of the kernel
 * @note: additional information for the user, or NULL
 * @nleft_out: number of functions in code that the kernel cannot probe
 * @left_out: the kind of that code
 * @nno_return: number of functions whose return cannot be probed
 * @no_return: name of the last of them
 * @no_return_reason: why it cannot be probed
 */
struct answer {
	struct user_event event;
	const char *message;
	const char *note;
	bool kernels;
	struct target_files files;
	struct place *places;
	unsigned int nplaces;
	unsigned int max_places;
	unsigned int nleft_out;
	const struct unprobed_code *left_out;
	unsigned int nno_return;
	const char *no_return;
	const char *no_return_reason;
};

/**
 * struct resolver - state of the resolver
 * @pool: memory of the answers
 * @files: open files, with their symbols
 * @unsafe: probe returns that may crash the program, if they are named
 * @lines: debug information of one file, or NULL
 * @lines_of: the path of that file; NULL: none was asked for
 * @fields: names that the script reads from events: arguments of functions may have them
 */
struct resolver {
	struct pool pool;
	struct target target;
	bool unsafe;
	struct source_lines *lines;
	const char *lines_of;
	const char **fields;
	unsigned int nfields;
	unsigned int max_fields;
	struct elf_file **files;
	unsigned int nfiles;
	unsigned int max_files;
};

void resolver_init(struct resolver *r, const struct target *target);
void resolver_free(struct resolver *r);

/* Resolve an event; @text is its text in the script. */
void resolve_event(struct resolver *r, const char *text, struct answer *answer);

/* Call @put with each parameter of the function at place @number, and with its result. */
void resolve_each_param(struct resolver *r, struct answer *a, unsigned int number,
			source_param_fn put, void *ctx);

/**
 * struct user_types - the types of the programs that a script traces
 * @pid: the process that is traced, or 0
 * @open: @resolver and @types are
 */
struct user_types {
	uint64_t pid;
	bool open;
	struct resolver resolver;
	struct source_types *types;
};

/* resolve_types.c: a ktap_user_type_fn; @ctx is a struct user_types */
bool user_types_find(void *ctx, const struct ktap_user_query *query, struct ktap_user_type *type);
/* Forget all, after a compilation. */
void user_types_free(struct user_types *u);

#endif
