/* SPDX-License-Identifier: GPL-2.0 */
/* Names that the language defines. */
#ifndef KTAP_BUILTINS_H
#define KTAP_BUILTINS_H

#include <stdbool.h>
#include <stddef.h>

enum builtin_kind {
	BI_VALUE,	/* read without () */
	BI_FUNCTION,	/* must be called */
	BI_ITERATOR,	/* pairs, sort_pairs: only after `in` */
	BI_ARG,		/* arg0 to arg9; id is the number */
	BI_ARGS,	/* args.field */
	BI_SCRIPTARGS,	/* arg[n] */
	BI_SELF,	/* self.name */
	BI_WRITTEN,	/* a function that is written in ktap: see written.c */
	BI_SPACE,	/* kdebug., timer., ...: the names are those of their members */
	BI_MISSING,	/* uaddr(), where there is no program: see program_types.c */
};

#define BUILTIN_USE_UADDR \
	"uaddr(\"NAME\") in a handler of uprobe, uretprobe or usdt, in a script that ktap compiles"

/* Possible types of a value: a set of these. */
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

#define BUILTIN_ARGS	3	/* number of arguments with types of their own */

struct builtin {
	const char *name;
	unsigned char kind;
	unsigned char id;	/* enum ktap_function_id */
	unsigned char min, max;	/* arguments */
	signed char bits;	/* truncates an integer to that many bits, negative: signed; or 0 */
	bool statement : 1;	/* may be called without () as a statement */
	bool acts : 1;	/* acts on the system: needs --unsafe */
	bool waits : 1;	/* may wait: not allowed in handlers of events */
	bool asserts : 1;	/* becomes a call of error() if its first argument is false */
	bool constant : 1;	/* becomes a constant: an address of the network */
	bool declares : 1;	/* declares C types, and is no call */
	bool switches : 1;	/* makes a probe, and switches it on */
	unsigned short type;	/* type of its result */
	unsigned short args[BUILTIN_ARGS];	/* 0: any; the last is for the rest, too */
	const char *kernel;	/* this function of the kernel is called instead */
};

extern const struct builtin builtins[];
extern const size_t nbuiltins;

/* The first entry of that name. */
const struct builtin *builtin_find(const char *name);
/* The maximum number of arguments of all overloads. */
unsigned int builtin_max(const struct builtin *bi);
/* Allowed types of argument n, from 0. */
unsigned int builtin_takes(const struct builtin *bi, unsigned int n);
/* The name of a builtin by its id, or NULL. */
const char *builtin_name(unsigned int id);

#endif
