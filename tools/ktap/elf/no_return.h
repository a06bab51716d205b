/* SPDX-License-Identifier: GPL-2.0 */
/* Functions whose return cannot be probed. */
#ifndef KTAP_NO_RETURN_H
#define KTAP_NO_RETURN_H

/* The entry point of a program counts as this name. */
#define NO_RETURN_ENTRY	"_start"

/* Why the return of a function of that name cannot be probed, or NULL. */
const char *no_return_reason(const char *name);

#endif
