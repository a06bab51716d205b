/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Speculations: output that is held back until the script has decided.
 */
#ifndef _KTAP_SPECULATION_H
#define _KTAP_SPECULATION_H

#include <linux/types.h>
#include <uapi/linux/ktap.h>

struct ktap_env;
struct ktap_vm;

/* Number of speculations of a session, and limits of their size, a part of its memory */
#define KTAP_SPECULATIONS	16
#define KTAP_SPECULATION_MIN	4096
#define KTAP_SPECULATION_MAX	65536

/* Return the number of speculations that were neither committed nor discarded. */
unsigned int ktap_speculations_open(struct ktap_env *env);

/*
 * The output of a run that speculates, for put.c: the speculation gets it, or it is dropped and
 * counted.  ktap_speculation_reserve() holds the lock of the speculation until
 * ktap_speculation_commit().
 */
void *ktap_speculation_reserve(struct ktap_vm *vm, size_t size);
void ktap_speculation_commit(struct ktap_vm *vm);
int ktap_speculation_text(struct ktap_vm *vm, enum ktap_channel channel, const char *text,
			  size_t len);

#endif /* _KTAP_SPECULATION_H */
