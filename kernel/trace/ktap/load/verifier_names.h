/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache of the names that the verifier has looked up in the kernel's types.
 */
#ifndef _KTAP_VERIFIER_NAMES_H
#define _KTAP_VERIFIER_NAMES_H

#include "vm/program.h"

/* Different names that a program may use. */
#define KTAP_MAX_NAMES		1024

#define KTAP_NAME_BUCKETS	256

enum ktap_name_kind {
	KTAP_NAME_TYPE,
	KTAP_NAME_SYMBOL,
};

/**
 * struct ktap_name - result of the search for a name
 * @text: the name
 * @kind: enum ktap_name_kind
 * @next: index of the next name of the bucket plus 1; 0: none
 * @err: 0, or the reason why the search failed
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
 * A search visits all types of the kernel, and the verifier may visit an
 * instruction several times.  So each name is looked up only once, even if
 * several constants of the program are equal.
 *
 * @names: memory for KTAP_MAX_NAMES names
 * @n: number of names, and of searches
 * @first: by hash: index of the first name of the bucket plus 1; 0: empty
 */
struct ktap_names {
	struct ktap_name *names;
	u32 n;
	u16 first[KTAP_NAME_BUCKETS];
};

/* 0 or -ENOMEM; the caller must call ktap_names_end() in any case. */
int ktap_names_begin(struct ktap_names *names);
void ktap_names_end(struct ktap_names *names);

/**
 * ktap_name_find() - Find or add a name in the cache
 * @names: names
 * @kind: kind of the name
 * @text: the name, a string constant of the program
 * @new: set if it was added: the caller must look it up and fill in the rest
 *
 * Return: the name; NULL if there are too many.
 */
struct ktap_name *ktap_name_find(struct ktap_names *names, enum ktap_name_kind kind,
				 const struct ktap_value *text, bool *new);

#endif /* _KTAP_VERIFIER_NAMES_H */
