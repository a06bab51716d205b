/* SPDX-License-Identifier: GPL-2.0 */
/* Fields and parameters of listed events, with their types. */
#ifndef KTAP_LIST_DETAILS_H
#define KTAP_LIST_DETAILS_H

#include <stdbool.h>

#include "elf/resolve.h"

struct btf_file;

enum listed_kind {
	LISTED_OTHER,		/* an event without fields */
	LISTED_TRACEPOINT,
	LISTED_RAW_TRACEPOINT,
	LISTED_FUNCTION,
	LISTED_ITERATOR,
};

/**
 * struct details - state of a list with details
 * @wanted: print them
 * @bpftrace: print the types of programs as bpftrace does: "struct x* NAME"
 * @files: types that were read
 * @no_types: a function was listed, and the kernel has no types
 */
struct details {
	bool wanted;
	bool bpftrace;
	struct btf_file *files;
	bool no_types;
};

/*
 * Print fields or parameters, one a line, if they are wanted. @group: system of the
 * event, or module of the function; @ret: it is a return.
 */
void details_put(struct details *d, enum listed_kind kind, const char *group, const char *name,
		 bool ret);

/* The same of place @number of an event of programs, as far as there is debug information. */
void details_put_place(const struct details *d, struct resolver *r, struct answer *a,
		       unsigned int number);

/* Print what was missing, and free memory. */
void details_end(struct details *d);

#endif
