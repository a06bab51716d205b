/* SPDX-License-Identifier: GPL-2.0 */
/* Events of user space: the places that they are, for the kernel and for a list. */
#ifndef KTAP_RESOLVE_H
#define KTAP_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "arena.h"
#include "target.h"
#include "user_event.h"

#define MAX_PLACES	16384	/* of one event */

/**
 * struct place - where an event happens
 * @file: number of its file in the answer
 * @offset: of the instruction in the file
 * @semaphore: offset in the file of what counts the listeners, or 0
 * @name: of the function, or "provider:name"
 * @args: of a marker in the kernel's words, each with a blank before it
 */
struct place {
	unsigned int file;
	uint64_t offset;
	uint64_t semaphore;
	const char *name;
	const char *args;
};

/**
 * struct answer - what an event means
 * @message: why it means nothing, or NULL
 * @kernels: it can only be the kernel's
 * @note: more that the user wants to know, or NULL
 * @nleft_out: places that are none, as the kernel cannot probe them
 * @left_out: what is there
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
	const struct short_code *left_out;
};

/**
 * struct resolver - looks events up
 * @arena: where answers live
 * @files: those that are open, with their symbols
 */
struct resolver {
	struct arena arena;
	struct target target;
	struct elf_file **files;
	unsigned int nfiles;
	unsigned int max_files;
};

void resolver_init(struct resolver *r, const struct target *target);
void resolver_free(struct resolver *r);

/* @text is the event as it stands in the script. */
void resolve(struct resolver *r, const char *text, struct answer *answer);

/*
 * The set-up lines for all events of user space that the chunk names, or that
 * it may make of its arguments, without the last newline; to be freed with
 * free(), NULL if there are none.  Notes go to @notes, unless that is NULL.
 */
char *resolve_chunk(struct resolver *r, const void *chunk, size_t len, char **args,
		    FILE *notes);

#endif
