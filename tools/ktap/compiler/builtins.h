/* SPDX-License-Identifier: GPL-2.0 */
/* The names the language itself defines. */
#ifndef KTAP_BUILTINS_H
#define KTAP_BUILTINS_H

#include <stdbool.h>
#include <stddef.h>

enum builtin_kind {
	BI_VALUE,	/* may be read without () */
	BI_FUNCTION,	/* must be called */
	BI_ITERATOR,	/* pairs, sort_pairs: stand in for ... in only */
	BI_ARG,		/* arg0 to arg9; id is the number */
	BI_ARGS,	/* args.field */
	BI_SCRIPTARGS,	/* arg[n] */
	BI_SELF,	/* self.name */
	BI_SPACE,	/* kdebug., timer., ...: known by their members */
	BI_MISSING,	/* of the language, but not in this version */
};

/* What a value may be: a set of these. */
enum builtin_type {
	TYPE_NIL	= 1 << 0,
	TYPE_BOOL	= 1 << 1,
	TYPE_INT	= 1 << 2,
	TYPE_STRING	= 1 << 3,
	TYPE_TABLE	= 1 << 4,
	TYPE_AGG	= 1 << 5,
	TYPE_FUNCTION	= 1 << 6,
	TYPE_STACK	= 1 << 7,
	TYPE_POINTER	= 1 << 8,
	TYPE_EVENT	= 1 << 9,
	TYPE_ANY	= (1 << 10) - 1,
};

#define BUILTIN_ARGS	3	/* whose types are told apart */

struct builtin {
	const char *name;
	unsigned char kind;
	unsigned char id;	/* enum ktap_function_id */
	unsigned char min, max;	/* arguments */
	bool statement;		/* called even where no () stands behind it */
	bool acts;		/* on the system: with --unsafe only */
	unsigned short type;	/* of its result */
	unsigned short args[BUILTIN_ARGS];	/* 0: any; the last is that of all behind it */
};

extern const struct builtin builtins[];
extern const size_t nbuiltins;

/* The first of that name. */
const struct builtin *builtin_find(const char *name);
/* The most arguments that one of the same name takes. */
unsigned int builtin_max(const struct builtin *bi);
/* What it takes as its argument n, from 0. */
unsigned int builtin_takes(const struct builtin *bi, unsigned int n);
/* The name of a builtin by its id, or NULL. */
const char *builtin_name(unsigned int id);

#endif
