/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names that the verifier looks for in the kernel's types.
 */
#ifndef _KTAP_NAMES_H
#define _KTAP_NAMES_H

#include "program.h"

/* Names that a program may have looked for. */
#define KTAP_MAX_NAMES		1024

#define KTAP_NAME_BUCKETS	256

/* What a name is of. */
enum ktap_name_kind {
	KTAP_NAME_TYPE,
	KTAP_NAME_SYMBOL,
};

/**
 * struct ktap_name - what became of the search for a name
 * @text: the name
 * @kind: enum ktap_name_kind
 * @next: next one of the bucket, from 1; 0: it is the last
 * @err: 0, or why there is nothing else
 * @type: KTAP_NAME_TYPE: the type
 * @load: KTAP_NAME_SYMBOL: how to read the variable
 */
struct ktap_name {
	const struct ktap_value *text;
	u8 kind;
	u16 next;
	int err;
	u32 type;
	struct ktap_load load;
};

/**
 * struct ktap_names - the names of a program
 *
 * To look for one takes a walk over all types of the kernel, and may have to be
 * done for each instruction, several times: so each is looked for once, however
 * often, and as however many constants, the program has it.
 *
 * @names: memory for KTAP_MAX_NAMES of them
 * @n: number of them: so many searches there were
 * @first: by hash: the first one of the bucket, from 1; 0: it is empty
 */
struct ktap_names {
	struct ktap_name *names;
	u32 n;
	u16 first[KTAP_NAME_BUCKETS];
};

/* 0 or -ENOMEM; ktap_names_end() is due in any case. */
int ktap_names_begin(struct ktap_names *names);
void ktap_names_end(struct ktap_names *names);

/**
 * ktap_name_find() - Finds a name among those that were looked for
 * @names: names
 * @kind: what it is of
 * @text: the name, a string constant of the program
 * @new: set if it was not there: the caller looks for it, and fills in the rest
 *
 * Return: the name; NULL if there are too many.
 */
struct ktap_name *ktap_name_find(struct ktap_names *names, enum ktap_name_kind kind,
				 const struct ktap_value *text, bool *new);

#endif /* _KTAP_NAMES_H */
