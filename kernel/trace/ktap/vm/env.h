/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The environment: what all activations of a session share.
 */
#ifndef _KTAP_ENV_H
#define _KTAP_ENV_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/types.h>

#include "data/heap.h"
#include "vm/native.h"
#include "vm/program.h"

struct pid_namespace;

/**
 * struct ktap_counters - losses, reported when the session ends
 * @full_table: inserts dropped because the table was full
 * @full_threads: fields dropped because too many threads had some
 * @no_memory: inserts and copies dropped for lack of memory
 * @nmi_busy: operations on tables, aggregations, globals and task fields
 *	skipped because the event interrupted one on this CPU (data/lock.h); and
 *	aggregations read in the middle of a write
 * @no_user_stack: user stacks that could not be read
 * @no_user_file: frames of user stacks shown as addresses because their file
 *	was not found: the mappings were changing, or the session had too many
 *	files
 * @cut_strings: strings cut to KTAP_MAX_STRLEN
 * @left_out: entries not copied when a table was printed or sorted, because
 *	other entries had grown meanwhile
 * @bad_reads: reads of memory that was not present or not readable
 * @unknown_calls: system calls of 32-bit and x32 tasks that have no event
 * @lost_records: output dropped because the reader was too slow
 * @no_speculation: speculations not begun because too many were open
 * @speculative: output dropped because its speculation was full, closed, or
 *	did not exist, or because its commit had no budget or no memory
 * @lost_signals: signals that were not sent
 * @unlogged: messages that were not added to the log of the kernel
 * @errors: handler runs ended by a run-time error
 */
struct ktap_counters {
	atomic_long_t full_table;
	atomic_long_t full_threads;
	atomic_long_t no_memory;
	atomic_long_t nmi_busy;
	atomic_long_t no_user_stack;
	atomic_long_t no_user_file;
	atomic_long_t cut_strings;
	atomic_long_t left_out;
	atomic_long_t bad_reads;
	atomic_long_t unknown_calls;
	atomic_long_t lost_records;
	atomic_long_t no_speculation;
	atomic_long_t speculative;
	atomic_long_t lost_signals;
	atomic_long_t unlogged;
	atomic_long_t errors;
};

/**
 * struct ktap_tap - results of the tests in a script (lib/tap.c)
 * @plan: number of results that the script planned, plus 1; 0: it has no plan
 * @plan_pc: instruction that planned them
 * @results: results so far
 * @failed: those that failed
 * @skipped: those that were skipped
 * @shown: results that the reader has numbered
 * @begun: the reader has the first line
 *
 * The counters are exact even if the reader lost lines.  Only the reader uses the last two.
 */
struct ktap_tap {
	atomic_long_t plan;
	u32 plan_pc;
	atomic_long_t results;
	atomic_long_t failed;
	atomic_long_t skipped;
	unsigned long shown;
	bool begun;
};

/**
 * struct ktap_env - state that all activations of a session share
 * @prog: the program
 * @steady: its tables are steady (data/table_recent.h)
 * @stripes: locks of tables; each table has its own set, until they run out
 *	and tables share them
 * @next_stripes: set of the next table, modulo KTAP_STRIPE_SETS
 * @heap: memory of tables and globals
 * @globals: globals of the program (vm/global.c)
 * @condition_changed: called when a global that is the condition of a probe has become
 *	true, or no longer is, or a probe was switched; in any context
 * @dead: objects that no slot refers to any more (data/object.c)
 * @ndead: approximate length of @dead
 * @round: number of sweeps so far; written by the reaper only
 * @sharded: aggregations with per-CPU memory (data/agg.c)
 * @self: task fields (vm/task_fields.c); NULL if the program uses none
 * @found: members found by name (btf/btf_read.c); NULL if the program uses no
 *	types
 * @speculations: open speculations (output/speculation.c); NULL if the program
 *	uses none
 * @options: text given for each option of the program, NULL if none was given;
 *	NULL if the program takes no options (lib/getopt.c)
 * @ufiles: files that contain user code (data/ustack_file.c); NULL if the
 *	program does not refer to user code
 * @mark_key: secret word that marks user code in the text, so that the reader
 *	can replace it by symbols.  Only the reader knows the word: a traced
 *	string cannot fake a mark.  NULL if the reader does not do this
 * @json: output is JSON (output/json.h)
 * @tables_shown: number of tables that were output as JSON; written in process context only
 * @native: native code of functions of the program
 * @native_bytes: memory of that code
 * @jit_outcome: result of the last ktap_jit_compile()
 * @jit_forbidden: nothing is compiled
 * @jit_always: nothing is interpreted: CONFIG_KTAP_JIT_ALWAYS, except in tests
 * @fenced: a barrier is before each instruction (vm/fenced.c)
 * @secret: random words for the hash of table keys (data/table_lookup.h)
 * @wall_offset: wall time minus CLOCK_MONOTONIC at the session's start, in
 *	nanoseconds.  It is fixed, so that a moment is always shown the same
 * @utc_offset: local time minus UTC, in nanoseconds
 * @first: numbers with which first() was called (lib/event.c)
 * @switched_on: probes of the program that are switched on (vm/switch.h)
 * @deleted: probes of the program that are deleted
 * @counters: losses
 * @tap: results of tests
 * @pid_ns: namespace of processes of the session's opener, for ns_pid; NULL: that of the
 *	current thread
 * @max_insns: budget of a run in event context, in units
 */
struct ktap_env {
	struct ktap_program *prog;
	bool steady;
	struct ktap_stripe stripes[KTAP_STRIPE_SETS][KTAP_STRIPES];
	atomic_t next_stripes;
	struct ktap_heap heap;
	struct ktap_global *globals;
	void (*condition_changed)(struct ktap_env *env);
	struct llist_head dead;
	atomic_t ndead;
	u32 round;
	struct hlist_head sharded;
	struct ktap_self *self;
	struct ktap_found *found;
	struct ktap_speculations *speculations;
	const char **options;
	struct ktap_ustack_files *ufiles;
	const char *mark_key;
	bool json;
	u32 tables_shown;
	struct ktap_native *native;
	size_t native_bytes;
	enum ktap_jit_outcome jit_outcome;
	bool jit_forbidden;
	bool jit_always;
	bool fenced;
	u64 secret[2];
	s64 wall_offset;
	s64 utc_offset;
	DECLARE_BITMAP(first, KTAP_MAX_PROBES);
	DECLARE_BITMAP(switched_on, KTAP_MAX_PROBES);
	DECLARE_BITMAP(deleted, KTAP_MAX_PROBES);
	struct ktap_counters counters;
	struct ktap_tap tap;
	struct pid_namespace *pid_ns;
	u64 max_insns;
};

/* env.c.  Context: process, may sleep.  ktap_env_init() returns 0 or a negative errno. */
int ktap_env_init(struct ktap_env *env, struct ktap_program *prog, size_t max_memory,
		  void (*low)(struct ktap_heap *heap));
void ktap_env_destroy(struct ktap_env *env);

/* btf/btf_read.c: allocate memory for members that are looked up at run time, if not done yet. */
int ktap_members_init(struct ktap_env *env);
void ktap_members_destroy(struct ktap_env *env);

/* output/speculation.c: allocate them if the program uses them.  Context: process. */
int ktap_speculations_init(struct ktap_env *env);
void ktap_speculations_destroy(struct ktap_env *env);

/* lib/getopt.c */
void ktap_options_destroy(struct ktap_env *env);

#endif /* _KTAP_ENV_H */
