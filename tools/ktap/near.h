/* SPDX-License-Identifier: GPL-2.0 */
/* Names that are near to one that is not known. */
#ifndef KTAP_NEAR_H
#define KTAP_NEAR_H

/* Edit distance of two names, a swap of neighbours counting once. */
unsigned int edit_distance(const char *a, const char *b);
/* The largest distance at which a name is still worth suggesting. */
unsigned int edit_limit(const char *name);

/*
 * events.c: the event of this machine whose name is nearest to an unknown one, or
 * NULL.  Valid until the next call.
 */
const char *ktap_suggest_event(const char *spec);

/* The function of the kernel whose name is nearest to @name, or NULL. */
const char *ktap_suggest_function(const char *name);

#endif
