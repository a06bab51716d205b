/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types that a script declares.
 */
#ifndef _KTAP_DECLARE_H
#define _KTAP_DECLARE_H

#include "vm/program.h"

/**
 * struct ktap_declarations - declarations in a chunk
 * @types: types
 * @members: their members
 * @ntypes: number of @types
 * @nmembers: number of @members
 */
struct ktap_declarations {
	const struct ktap_type *types;
	const struct ktap_member *members;
	u32 ntypes;
	u32 nmembers;
};

/**
 * ktap_declare() - Check the types that a program declares, and lay them out
 * @prog: the program, whose strings are loaded; gets &ktap_program.declared, which
 *	ktap_declare_free() frees, also after an error
 * @d: the declarations
 * @diag: gets the reason of a failure
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL, -E2BIG, -ENOMEM or -EINTR.
 */
int ktap_declare(struct ktap_program *prog, const struct ktap_declarations *d,
		 struct ktap_diag *diag);
void ktap_declare_free(struct ktap_program *prog);

#endif /* _KTAP_DECLARE_H */
