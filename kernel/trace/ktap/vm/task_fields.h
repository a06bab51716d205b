/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Task fields: self.x in a script.
 */
#ifndef _KTAP_TASK_FIELDS_H
#define _KTAP_TASK_FIELDS_H

#include <linux/types.h>

struct ktap_env;
struct ktap_self;
struct ktap_value;
struct ktap_vm;

/*
 * Threads that can have fields at once, if they hash evenly: 2048 * 40.  In each chain at
 * most 8 threads keep memory while all of their fields are nil.
 */
#define KTAP_SELF_BUCKETS	2048
#define KTAP_SELF_CHAIN		40
#define KTAP_SELF_KEPT		8
/* Field names of a script: their slots must fit into a block of the heap. */
#define KTAP_SELF_FIELDS	1000

/*
 * Called by env.c; does nothing if the program uses no task fields.
 * Context: process, may sleep.  0, -ENOMEM, or -E2BIG if there are more than
 * KTAP_SELF_FIELDS names.
 */
int ktap_self_init(struct ktap_env *env);
void ktap_self_destroy(struct ktap_env *env);

/**
 * struct ktap_thread - a thread
 * @id: unique until ktap_self_end() is called for it
 * @ends: ktap_self_end() may have been called: no new record
 */
struct ktap_thread {
	const void *id;
	bool ends;
};

/* follow.c: the current thread. */
struct ktap_thread ktap_current_thread(void);

/* Free the fields of a thread that ends.  Context: that thread. */
void ktap_self_end(struct ktap_env *env, const void *id);

/*
 * ktap_self_get(), ktap_self_set() and ktap_self_add() (ops.h) for any thread.
 * @owned is a value that a slot can own; with @add, an integer.
 */
int ktap_self_read(struct ktap_vm *vm, struct ktap_thread thread, u32 string,
		   struct ktap_value *v);
int ktap_self_write(struct ktap_vm *vm, struct ktap_thread thread, u32 string,
		    struct ktap_value *owned, bool add);

/*
 * For native code: the number of the field whose name is string constant @string; and reading
 * a field of the current thread, or setting one that only gets integers and nil to an integer.
 * They return 1, or 0 if ktap_self_get() or ktap_self_set_number() has to do it.
 */
u32 ktap_self_field(const struct ktap_env *env, u32 string);
int ktap_self_get_quickly(struct ktap_self *self, u32 field, struct ktap_value *v);
int ktap_self_set_int(struct ktap_self *self, u32 field, s64 n);

#endif /* _KTAP_TASK_FIELDS_H */
