/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stress test: workers and the data that they share.
 */
#ifndef _KTAP_TESTS_STRESS_H
#define _KTAP_TESTS_STRESS_H

#include <linux/irq_work.h>
#include <linux/stddef.h>

#include "data/agg.h"
#include "data/object.h"
#include "data/table.h"
#include "tests/build.h"

#define SHARED_KEYS	7	/* all workers add to them */
#define OWN_KEYS	11	/* for each worker */
#define KINDS		5	/* of numbers, kept by key */
#define PERMANENT	50	/* entries that stay */
#define KEY_ROOM	32
#define COMMON		U32_MAX	/* not a worker */

enum { GLOBAL_SUM, GLOBAL_TEXT, GLOBAL_KIND, GLOBAL_PER_CPU };
enum { R_RESULT, R_KEY, R_VALUE, R_LAST, R_OBJECT, NR_REGS };

/* A value includes its writer, and shows whether it is complete. */
struct stress_text {
	u32 writer;
	u32 key;
	u32 version;
	u8 filling[180];
};

struct stress;

/**
 * struct stress_worker - a worker, which uses the shared data
 * @s: the shared data
 * @vm: its activation
 * @task: its thread, or NULL
 * @irq: its interrupt
 * @next: the worker that its thread interrupts
 * @cpu: its CPU
 * @id: its number, from 0
 * @random: state of its random numbers
 * @rounds: number of its finished rounds
 * @added: by shared entry: the sum that it has added to it
 * @sum: of its numbers, which it has added to each aggregation and to two globals
 * @own: by own entry: the sum that it has added to it
 * @version: of the text in its entries; 0: there is none
 * @inserted: number of entries that it has inserted and not deleted
 * @wrong: the first check that failed, or NULL
 * @done: its thread has finished its rounds
 */
struct stress_worker {
	struct stress *s;
	struct ktap_vm *vm;
	struct task_struct *task;
	struct irq_work irq;
	struct stress_worker *next;
	int cpu;
	u32 id;
	u32 random;
	u64 rounds;
	u64 added[SHARED_KEYS];
	u64 sum;
	u64 own[OWN_KEYS];
	u32 version[OWN_KEYS];
	u32 inserted;
	const char *wrong;
	bool done;
};

typedef void (*stress_operation)(struct stress_worker *w);

/**
 * struct stress - the data that all workers share
 * @test: the test
 * @vm: activation of the test itself
 * @operations: the operations of workers
 * @noperations: number of @operations
 * @available: free memory at the start
 * @seen: the global that is kept per CPU, as it was last read
 * @torn: readings of aggregations that were inconsistent, and were counted
 * @sums: all workers add to the same entries
 * @steady_sums: the same, in a steady table
 * @own: each worker has entries of its own
 * @texts: the same, with text that changes
 * @grown: gets more and more entries
 * @order: some entries are permanent, others are inserted and deleted
 * @cleared: is cleared again and again
 * @objects: holds tables that are made and deleted
 * @stats: aggregations by key
 * @count: has a shard for each CPU
 * @hist: has a shard for each CPU
 * @emptied: has a shard for each CPU, and keys; is cleared again and again
 * @single: has one shard
 * @keyed: has keys
 * @nworkers: number of workers; each second one is an interrupt
 * @workers: the workers
 */
struct stress {
	struct kunit *test;
	struct ktap_vm *vm;
	const stress_operation *operations;
	u32 noperations;
	size_t available;
	u64 seen;
	long torn;
	struct ktap_table *sums;
	struct ktap_table *steady_sums;
	struct ktap_table *own;
	struct ktap_table *texts;
	struct ktap_table *grown;
	struct ktap_table *order;
	struct ktap_table *cleared;
	struct ktap_table *objects;
	struct ktap_table *stats;
	struct ktap_agg *count;
	struct ktap_agg *hist;
	struct ktap_agg *emptied;
	struct ktap_agg *single;
	struct ktap_agg *keyed;
	u32 nworkers;
	struct stress_worker *workers;
};

/* A random number of the worker, below @n. */
u32 stress_pick(struct stress_worker *w, u32 n);

/* Record the first check that failed. */
void stress_expect(struct stress_worker *w, bool right, const char *wrong);

/* Make the text that @writer stores at @key. */
struct ktap_value stress_make_text(struct stress_text *text, u32 writer, u32 key, u32 version);
/* Return true if some worker has made this text for this key. */
bool stress_is_text(const struct ktap_value *v, u32 key);
bool stress_is_version(const struct ktap_value *v, u32 writer, u32 key, u32 version);

/* Every other one is a string: blobs have memory of their own. */
struct ktap_value stress_key_of(char *buf, size_t size, u32 writer, u32 n);

/* The next entry, in registers. */
bool stress_next_of_the_order(struct stress *s, struct ktap_vm *vm, struct ktap_iter *it);

/* The operations of workers */
void stress_add_to_a_shared_entry(struct stress_worker *w);
void stress_add_to_an_own_entry(struct stress_worker *w);
void stress_change_an_own_text(struct stress_worker *w);
void stress_read_a_text_of_another(struct stress_worker *w);
void stress_add_a_number(struct stress_worker *w);
void stress_change_the_global_text(struct stress_worker *w);
void stress_change_the_kind_of_a_global(struct stress_worker *w);
void stress_insert_for_good(struct stress_worker *w);
void stress_disturb_the_order(struct stress_worker *w);
void stress_look_around(struct stress_worker *w);
void stress_fill_what_is_cleared(struct stress_worker *w);
void stress_add_to_what_is_emptied(struct stress_worker *w);
void stress_replace_an_object(struct stress_worker *w);

#endif /* _KTAP_TESTS_STRESS_H */
