/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields of threads.
 */
#ifndef _KTAP_SELF_H
#define _KTAP_SELF_H

#include "vm.h"

/* Threads that can have fields at once, if they spread evenly. */
#define KTAP_SELF_BUCKETS	2048
#define KTAP_SELF_CHAIN		32
/* Names of fields that a script may have: a record is a block of the heap. */
#define KTAP_SELF_FIELDS	1000

/*
 * For env.c: if the program uses them.  Context: process, may sleep.  0, -ENOMEM, or
 * -E2BIG: there are more than KTAP_SELF_FIELDS names.
 */
int ktap_self_init(struct ktap_env *env);
void ktap_self_destroy(struct ktap_env *env);

/**
 * struct ktap_thread - a thread
 * @id: is of no other one until ktap_self_end() was called for it
 * @ends: that may have happened: it gets no fields any more
 */
struct ktap_thread {
	const void *id;
	bool ends;
};

/* thread.c: the current one. */
struct ktap_thread ktap_current_thread(void);

/* A thread ends: its fields do.  Context: that thread. */
void ktap_self_end(struct ktap_env *env, const void *id);

/*
 * What ktap_self_get() and its kin (ops.h) do, which is for the current thread.
 * @owned is a value that a slot can own; if it is added, an integer.
 */
int ktap_self_read(struct ktap_vm *vm, struct ktap_thread thread, u32 string,
		   struct ktap_value *v);
int ktap_self_write(struct ktap_vm *vm, struct ktap_thread thread, u32 string,
		    struct ktap_value *owned, bool add);

#endif /* _KTAP_SELF_H */
