/* SPDX-License-Identifier: GPL-2.0 */
/* Find known names that are similar to an unknown one. */
#ifndef KTAP_SUGGEST_H
#define KTAP_SUGGEST_H

#include <stdbool.h>

/* Edit distance of two names; swapped neighbours count once. */
unsigned int edit_distance(const char *a, const char *b);
/* The largest distance for a suggestion. */
unsigned int edit_limit(const char *name);

/*
 * event_names.c: the event of this machine whose name is nearest to an unknown one, or
 * NULL.  Valid until the next call.
 */
const char *ktap_suggest_event(const char *spec);

/*
 * The function of @module whose name is nearest to @name, or NULL.  "vmlinux" is the
 * kernel itself, NULL any.
 */
const char *ktap_suggest_function(const char *name, const char *module);

/* A counter of perf as in "software:faults", by its number from 0; NULL after the last. */
const char *ktap_counter(unsigned int number);

/* Names of iterators, without "iter:"; NULL-terminated */
extern const char * const ktap_iterators[];
bool ktap_is_iterator(const char *name);

/* The prefix of events in ktap, as in "probe:", for that of another tracer; or NULL. */
const char *ktap_foreign_prefix(const char *word);

/*
 * event_names.c: ktap's spelling of an event as DTrace, SystemTap, bpftrace and perf spell
 * it, or NULL.  Valid until the next call.
 */
const char *ktap_foreign_event(const char *spec);

#endif
