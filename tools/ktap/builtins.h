/* SPDX-License-Identifier: GPL-2.0 */
/* The names the language itself defines. */
#ifndef KTAP_BUILTINS_H
#define KTAP_BUILTINS_H

#include <stdbool.h>
#include <stddef.h>

enum builtin_kind {
	BI_VALUE,	/* may be read without () */
	BI_FUNCTION,	/* must be called */
	BI_ARG,		/* arg0 to arg9; id is the number */
	BI_ARGS,	/* args.field */
	BI_SCRIPTARGS,	/* arg[n] */
	BI_SPACE,	/* kdebug., timer., table.: known by their members */
	BI_MISSING,	/* of the language, but not in this version */
};

enum builtin_type {
	TYPE_ANY,
	TYPE_INT,
	TYPE_STRING,
	TYPE_TABLE,
	TYPE_BOOL,
	TYPE_FUNCTION,
	TYPE_NIL,
};

struct builtin {
	const char *name;
	unsigned char kind;
	unsigned char id;	/* enum ktap_function_id */
	unsigned char min, max;	/* arguments */
	unsigned char type;	/* of its result */
	unsigned char arg0;	/* of its first argument */
};

extern const struct builtin builtins[];
extern const size_t nbuiltins;

const struct builtin *builtin_find(const char *name);
/* The name of a builtin by its id, or NULL. */
const char *builtin_name(unsigned int id);
const char *type_name(enum builtin_type type);

#endif
