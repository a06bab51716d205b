/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stress sessions: all operations on the file ktap/session, in random order, by several
 * threads of several processes at once.
 *
 * Processes are started and killed. Each runs for a short time with a few threads, which
 * share a table of sessions: each thread picks one, and does something to it while others
 * read it, close it, or replace it by another one. Then the process is killed, at any
 * point. The operations of its threads, and its life time, depend on the seed and on the
 * number of the process, which is printed after an error; the results depend on races.
 *
 * No session permits unsafe functions, so no chunk can do harm, changed or not.
 */
#ifndef _KTAP_HAMMER_H
#define _KTAP_HAMMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "chunks.h"

/* Counted operations. */
#define COUNTED(X)									\
	X(opened) X(lines) X(damaged_lines) X(loads) X(damaged_loads) X(loaded)		\
	X(damaged_loaded) X(refused) X(truncated) X(in_pieces) X(reads) X(bytes) X(polls)	\
	X(stops) X(junk) X(closes) X(dups) X(forks) X(passed) X(execs) X(odd_calls)	\
	X(listings) X(events) X(kills) X(processes)
#define AS_ENUM(name)	N_##name,
enum counted { COUNTED(AS_ENUM) NR_COUNTED };

/**
 * struct hammer_chunks - the chunks that are written to sessions
 * @life: milliseconds until a process is killed, at most
 * @next: writes a chunk to @data, which has MAX_CHUNK bytes and is aligned to 8, and returns
 *	its length.  Sets @lines to set-up lines before it, or NULL; and @changed, if it is not
 *	a chunk as the compiler made it.
 * @tried: if set, called by the same thread after the chunk was written, truncated or not,
 *	with whether the session has loaded it
 *
 * Threads call them at the same time, and may be killed in them.
 */
struct hammer_chunks {
	unsigned int life;
	size_t (*next)(struct rng *rng, unsigned char *data, const char **lines, bool *changed);
	void (*tried)(struct rng *rng, bool loaded);
};

/*
 * hammer_processes.c: run for some seconds, and then, for at most @patience seconds, until
 * each operation was done once.  Prints how often each was done.  Returns false if a process
 * did not end when it was killed, or ended in another way.
 */
bool hammer(const struct hammer_chunks *chunks, uint64_t seed, unsigned int seconds,
	    unsigned int patience);

/* How often it was done so far. */
unsigned long hammer_count(enum counted what);

/* hammer_actions.c: what a process does until it is killed. */
void hammer_act(const struct hammer_chunks *chunks, uint64_t seed);

/*
 * The operations execute the program that calls hammer(), with one argument, which it passes
 * to this function.  Never returns, except for an argument of another kind.
 */
void hammer_use_inherited(const char *arg);

/* Count an operation. */
void hammer_did(enum counted what, unsigned long n);

/* The process dies with its parent, also after execve(). */
void hammer_dies_with(pid_t parent);

/* Sleep. */
void hammer_nap(uint64_t us);

#endif /* _KTAP_HAMMER_H */
