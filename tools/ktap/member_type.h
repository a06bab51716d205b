/* SPDX-License-Identifier: GPL-2.0 */
/* Types of the running kernel, which scripts of bpftrace do not declare. */
#ifndef KTAP_MEMBER_TYPE_H
#define KTAP_MEMBER_TYPE_H

#include "compiler/compile.h"

/* A ktap_member_fn. @files: struct btf_file **, to be freed by btf_free() */
bool member_type_find(void *files, const char *name, uint32_t number, const char *member,
		      struct ktap_member_type *type);

/* A ktap_part_fn, with the same @files */
bool member_type_part(void *files, const char *name, uint32_t number, unsigned int i,
		      struct ktap_type_part *part);

/* A ktap_parameter_fn; @files as above */
bool member_type_parameter(void *files, const char *function, unsigned int number,
			   const char **name, struct ktap_member_type *type);

#endif
