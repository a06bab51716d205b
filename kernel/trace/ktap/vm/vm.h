/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The virtual machine: an activation runs one handler for one event, or a
 * part of a script in process context.
 *
 * vm/, load/, data/, output/, lib/ and btf/ use only memory allocation and
 * formatting of the kernel, so that tools/testing/ktap can build them for user
 * space.  The functions that other folders provide to them are declared here,
 * in builtin.h and output_ops.h, and in host/.
 */
#ifndef _KTAP_VM_H
#define _KTAP_VM_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/types.h>

#include "data/heap.h"
#include "load/program.h"
#include "vm/value.h"

struct ktap_overhead;
struct ktap_reaper;
struct ktap_vm;
struct ktap_event;
struct pt_regs;

/* Context of an activation.  The first four are interrupt_context_level(). */
enum ktap_level {
	KTAP_LEVEL_TASK,
	KTAP_LEVEL_SOFTIRQ,
	KTAP_LEVEL_HARDIRQ,
	KTAP_LEVEL_NMI,
	KTAP_LEVEL_PROCESS,	/* top level, trace_begin, trace_end, tick: may sleep */
	KTAP_NR_LEVELS
};

#define KTAP_NR_EVENT_LEVELS	KTAP_LEVEL_PROCESS

/* Limits of an activation in event context, and in process context. */
#define KTAP_EVENT_STACK	1024	/* values */
#define KTAP_EVENT_CALLS	64	/* depth */
#define KTAP_EVENT_ARENA	16384	/* bytes of each half */
#define KTAP_PROCESS_STACK	32768
#define KTAP_PROCESS_CALLS	2000
#define KTAP_PROCESS_ARENA	(256 << 10)

#define KTAP_DEFAULT_BUDGET	100000	/* &ktap_env.max_insns */
/* Default with PREEMPT_RT: less than a millisecond, to keep latencies low. */
#define KTAP_RT_BUDGET		10000
/* Largest setting: about a second, which no lockup detector reports. */
#define KTAP_MAX_BUDGET		100000000

/**
 * struct ktap_event_ops - how handlers read the events of a source
 *
 * All of them are called in the context of the event, with preemption disabled,
 * and must neither sleep nor take a lock.  A value that is a blob must live as
 * long as the activation: in session memory, in the event, or in vm's arena.
 *
 * @name: the event's name as KTAP_STR
 * @field: field @index of &ktap_program.fields, nil if the event lacks it
 * @nth: field @n in the order of the event's format, from 1; nil if none
 * @arg: positional argument @n, from 0; nil if none
 * @retval: return value of the syscall or function; nil if it does not return
 * @func: name of the function that contains the event, nil if none
 * @regs: interrupted registers, NULL if unknown
 * @top: code range of the first interesting frame of a kernel stack: frames
 *	below it belong to the tracing code
 * @text: make the event's text in the arena, as ->trace() prints it, with the
 *	newline; 0 or a negative errno with the error set
 * @save: write to @buf, of @size bytes, the data from which ktap_event_format()
 *	makes that text later.  Return the bytes needed; write nothing if @size
 *	is smaller
 * @set_retval: make the entered function return @value at once; 0 or a
 *	negative errno with the error set
 */
struct ktap_event_ops {
	void (*name)(const struct ktap_event *ev, struct ktap_value *v);
	void (*field)(struct ktap_vm *vm, u32 index, struct ktap_value *v);
	void (*nth)(struct ktap_vm *vm, s64 n, struct ktap_value *v);
	void (*arg)(struct ktap_vm *vm, u32 n, struct ktap_value *v);
	void (*retval)(const struct ktap_event *ev, struct ktap_value *v);
	void (*func)(const struct ktap_event *ev, struct ktap_value *v);
	struct pt_regs *(*regs)(const struct ktap_event *ev);
	void (*top)(const struct ktap_event *ev, unsigned long *start, unsigned long *size);
	int (*text)(struct ktap_vm *vm, struct ktap_value *v);
	size_t (*save)(const struct ktap_event *ev, void *buf, size_t size);
	int (*set_retval)(struct ktap_vm *vm, s64 value);
};

/* One event; a source embeds it.  NULL in process context. */
struct ktap_event {
	const struct ktap_event_ops *ops;
};

/**
 * struct ktap_arena - memory for the temporary strings of a script
 *
 * When one half is full, the blocks that registers still refer to move to the
 * other one.  The stack is the only root (arena.c).
 *
 * @half: the halves
 * @size: bytes of each half
 * @used: bytes used in @half[@cur]
 * @cur: current half, 0 or 1
 */
struct ktap_arena {
	char *half[2];
	u32 size;
	u32 used;
	u32 cur;
};

/* A call that has not returned. */
struct ktap_call {
	const struct ktap_func *func;
	u32 base;		/* its register 0 on the stack */
	u32 pc;			/* next instruction after the return */
	u8 dst;			/* first register of the results */
	u8 nresults;		/* KTAP_MULTI: all of them */
	u8 nvarargs;
	bool tail;		/* the callee was replaced by a tail call */
};

/* Position of an error; kept until a `try` catches it. */
struct ktap_fault {
	const struct ktap_func *func;	/* NULL: no position yet */
	u32 pc;
	u32 ncalls;			/* depth of &ktap_vm.calls at the error */
};

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
 *	did not exist
 * @lost_signals: signals that were not sent
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
	atomic_long_t errors;
};

/**
 * struct ktap_env - state that all activations of a session share
 * @prog: the program
 * @stripes: locks of tables; each table has its own set, until they run out
 *	and tables share them
 * @next_stripes: set of the next table, modulo KTAP_STRIPE_SETS
 * @heap: memory of tables and globals
 * @globals: globals of the program (vm/global.c)
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
 * @seed: seed of the hash of table keys
 * @wall_offset: wall time minus CLOCK_MONOTONIC at the session's start, in
 *	nanoseconds.  It is fixed, so that a moment is always shown the same
 * @counters: losses
 * @max_insns: budget of a run in event context, in units
 */
struct ktap_env {
	struct ktap_program *prog;
	struct ktap_stripe stripes[KTAP_STRIPE_SETS][KTAP_STRIPES];
	atomic_t next_stripes;
	struct ktap_heap heap;
	struct ktap_global *globals;
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
	u32 seed;
	s64 wall_offset;
	struct ktap_counters counters;
	u64 max_insns;
};

/**
 * struct ktap_fresh - objects that an activation has made
 * @first: the youngest one
 * @n: number of objects
 * @limit: value of @n at which the next sweep takes place
 * @sweeps: number of sweeps so far
 */
struct ktap_fresh {
	struct ktap_object *first;
	u32 n;
	u32 limit;
	u32 sweeps;
};

/**
 * struct ktap_vm - an activation
 * @env: the environment of its session
 * @event: the event being handled, NULL in process context
 * @level: context of the run
 * @stack: registers of all frames
 * @stack_size: values in @stack
 * @top: first value of @stack after the running frame and its open values
 * @base: index of register 0 of the running function in @stack
 * @nvarargs: number of its variable arguments, which precede its frame
 * @open_end: first value of @stack after the open values (frame.c)
 * @func: the running function
 * @calls: calls that have not returned
 * @max_calls: size of @calls
 * @ncalls: used entries of @calls
 * @nested: functions that built-ins have called and that have not returned
 * @arena: temporary strings
 * @fresh: objects made by this activation that nothing else refers to
 *	(data/object.c)
 * @speculation: the speculation that takes this run's output, 0 if none
 * @irq_flags: saved while a record is written into a speculation
 * @budget: units left; of this slice only, if @overhead is set
 * @rest: units left after this slice
 * @overhead: measures runs in event context, or NULL
 * @abort: if not NULL and true, the run ends soon (process context: a stop or
 *	a fatal signal; set by the session)
 * @error: 0 or the negative errno that ends the run; see ktap_vm_error()
 * @pc: instruction of the error, or of the built-in that runs
 * @fault: position of the error
 * @message: text of the error, without newline
 */
struct ktap_vm {
	struct ktap_env *env;
	const struct ktap_event *event;
	enum ktap_level level;

	struct ktap_value *stack;
	u32 stack_size;
	u32 top;
	u32 base;
	u32 nvarargs;
	u32 open_end;
	const struct ktap_func *func;

	struct ktap_call *calls;
	u32 max_calls;
	u32 ncalls;
	u32 nested;

	struct ktap_arena arena;
	struct ktap_fresh fresh;

	s64 speculation;
	unsigned long irq_flags;
	u64 budget;
	u64 rest;
	struct ktap_overhead *overhead;
	bool *abort;

	int error;
	u32 pc;
	struct ktap_fault fault;
	char message[256];
};

/**
 * ktap_vm_run() - Run a function of the program to its end
 * @vm: an idle activation: env, level, event, stack, calls, arena, abort, overhead set
 * @func: index of the function
 * @args: arguments, copied; no blobs of @vm's arena
 * @nargs: number of arguments
 * @result: the first result, nil if there is none; its blob lives until the
 *	next run.  An object is returned as true, because it may be freed at
 *	the end of the run.  May be NULL
 *
 * Context: as @vm->level says.  In event context the caller has disabled
 * preemption and owns the activation of this CPU and level.  In process
 * context this function calls cond_resched() and checks @vm->abort regularly.
 * Return: 0; -ECANCELED if the script called exit(), which is not an error
 * (ktap_fn_exit() has passed the code to the session); or another negative
 * errno, @vm->error, with @vm->fault and @vm->message set.
 */
int ktap_vm_run(struct ktap_vm *vm, u32 func, const struct ktap_value *args,
		unsigned int nargs, struct ktap_value *result);

/**
 * ktap_vm_call() - Call a function of the script from a built-in
 * @vm: the activation, of KTAP_LEVEL_PROCESS
 * @func: the function
 * @args: arguments, copied before anything moves
 * @nargs: number of arguments
 * @result: gets the first result, nil if there is none.  If the caller needs
 *	it after an allocation, it must put it into a register first
 *
 * Blobs that the registers of the built-in refer to survive, but may move as in
 * ktap_arena_alloc().
 * Context: process.
 * Return: 0, or an error that no `try` inside the function has caught.  The
 * built-in must return it at once, so that a `try` around the built-in can.
 */
int ktap_vm_call(struct ktap_vm *vm, const struct ktap_func *func, const struct ktap_value *args,
		 unsigned int nargs, struct ktap_value *result);

/**
 * ktap_vm_error() - End the run with an error
 * @vm: the activation
 * @err: negative errno
 * @fmt: message for the user, without newline
 *
 * Context: any.
 * Return: @err, so that a built-in can return it.
 */
__printf(3, 4) int ktap_vm_error(struct ktap_vm *vm, int err, const char *fmt, ...);

/**
 * ktap_vm_backtrace() - Describe an error for the user
 * @vm: after ktap_vm_run() returned an error
 * @buf: gets "FILE:LINE:COLUMN: error: MESSAGE" and a line "  in FUNCTION
 *	(FILE:LINE)" for each call, innermost first
 * @size: bytes of @buf
 *
 * Return: bytes written, without the NUL.
 */
size_t ktap_vm_backtrace(const struct ktap_vm *vm, char *buf, size_t size);

/**
 * ktap_arena_alloc() - Allocate memory that lives as long as a register refers to it
 * @vm: the activation
 * @size: bytes, at most KTAP_MAX_STRLEN
 *
 * May move all blobs of the arena that registers of the stack refer to: the
 * caller must reload pointers from the registers afterwards.  Blobs that no
 * register refers to are freed.  A register must refer to the first byte of a
 * blob, never into it.  Moving is charged to the budget.
 * Return: memory with 8-byte alignment, or NULL with the error set (-ENOMEM, or
 * that of the charge).
 */
void *ktap_arena_alloc(struct ktap_vm *vm, size_t size);

/* Shrink the block of the last ktap_arena_alloc() to @size bytes. */
void ktap_arena_trim(struct ktap_vm *vm, void *p, size_t size);

#define KTAP_TEXT_COST		32	/* units of an event's text */

/* Set the budget at the start of a run. */
void ktap_vm_grant_budget(struct ktap_vm *vm);

/* Slow path of ktap_vm_charge(): the budget or its slice is used up. */
int ktap_vm_out_of_budget(struct ktap_vm *vm, u32 n);

/* End the run because handlers held the CPU for too long.  Always -ETIME. */
int ktap_vm_held_cpu(struct ktap_vm *vm);

/**
 * ktap_vm_charge() - Charge work to the budget of the run
 * @vm: the activation
 * @n: units; one is about an iteration of a small loop
 *
 * Return: 0 or, with the error set, -ETIME (event context: budget exhausted, or the
 * CPU was held for too long) or -EINTR (process context: the session is ending).
 */
static inline int ktap_vm_charge(struct ktap_vm *vm, u32 n)
{
	if (likely(vm->budget > n)) {
		vm->budget -= n;
		return 0;
	}
	return ktap_vm_out_of_budget(vm, n);
}

/*
 * Copy @s into a new string of the arena.  @s must not be in the arena itself.
 * A string longer than KTAP_MAX_STRLEN is cut and counted.
 */
int ktap_make_string(struct ktap_vm *vm, const char *s, size_t len, struct ktap_value *v);

/* Text of the event with its newline; empty if there is none. */
int ktap_event_text(struct ktap_vm *vm, struct ktap_value *v);

/* Convert a KTAP_ARGSTR in place to a KTAP_STR without newline; keep other values. */
int ktap_make_text(struct ktap_vm *vm, struct ktap_value *v);

/* Name of a type for messages: "a string". */
const char *ktap_type_name(const struct ktap_value *v);

/* Same type and content; tables and functions by identity. */
bool ktap_equal(const struct ktap_value *x, const struct ktap_value *y);

/*
 * Print globals that are neither nil nor functions as "NAME: VALUE".
 * Context: process, sleeps; @vm is idle.  0 or a negative errno.
 */
int ktap_print_globals(struct ktap_vm *vm);

/* env.c: globals, tables and counters of a session. */
int ktap_env_init(struct ktap_env *env, struct ktap_program *prog, size_t max_memory,
		  void (*low)(struct ktap_heap *heap));
void ktap_env_destroy(struct ktap_env *env);

/*
 * An activation with its own memory.  A session has one for process context;
 * all sessions share those of event context, one for each CPU and level
 * (event/activation.c).
 */
int ktap_vm_init(struct ktap_vm *vm, struct ktap_env *env, enum ktap_level level);
void ktap_vm_destroy(struct ktap_vm *vm);

#endif /* _KTAP_VM_H */
