/* SPDX-License-Identifier: GPL-2.0 */
/* Types of programs: structures that the debug information declares, and the script does not. */
#ifndef KTAP_PROGRAM_TYPES_H
#define KTAP_PROGRAM_TYPES_H

#include "compiler/ast.h"

struct program_word;
struct program_answer;

/**
 * struct program_types - what the script says about its names
 * @members: names of members that it reads
 * @tags: names of structures that it declares, or that are the kernel's in it
 * @answers: what was asked before
 */
struct program_types {
	struct compiler *cc;
	struct program_word *members;
	struct program_word *tags;
	struct program_answer *answers;
};

/* Begin after the script's own declarations were parsed. */
void program_types_init(struct program_types *p, struct compiler *cc);
void program_types_read(struct program_types *p, const char *member);
/* Handlers of the kernel's events have this name of a type. */
void program_types_take(struct program_types *p, const char *tag);

/* Is it an event of a program? */
bool program_types_is_event(const char *event);

/**
 * struct program_name - a name whose type is asked for: one of these, the others are NULL
 */
struct program_name {
	const char *param;	/* of the function */
	const char *tag;	/* a type */
	const char *symbol;
	unsigned int number;	/* of an argument, from 1 */
};

/* The name as the script has it, for messages */
const char *program_name_text(const struct program_name *name);

/*
 * Get the type of a name in the program of @event, and declare what it needs. False: it is not
 * known, or there was an error.
 */
bool program_types_get(struct program_types *p, struct pos pos, const char *event,
		       const struct program_name *name, struct ktap_user_type *type);

/* Have the two answers the same type and offset? */
bool program_types_same(const struct ktap_user_type *x, const struct ktap_user_type *y);

/* Use the types of programs in the handlers of their events. */
void program_types_apply(struct compiler *cc);

#endif
