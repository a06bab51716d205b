/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The virtual machine: an activation runs one handler for one event, or a
 * piece of a script in process context.
 *
 * What the Makefile calls the virtual machine touches nothing of the kernel but
 * memory and formatting, so that tools/testing/ktap can build it for user space.
 * What it needs of the rest of ktap is declared here, in builtin.h, memory.h,
 * signal.h and out.h.
 */
#ifndef _KTAP_VM_H
#define _KTAP_VM_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/types.h>

#include "heap.h"
#include "program.h"
#include "value.h"

struct ktap_meter;
struct ktap_vm;
struct ktap_event;
struct pt_regs;

/* Where an activation runs.  The first four are interrupt_context_level(). */
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
/* The same where it is promised that the CPU can be had soon: a fraction of a millisecond. */
#define KTAP_RT_BUDGET		10000
/* What an administrator may make of it: a second or so, which no lockup detector minds. */
#define KTAP_MAX_BUDGET		100000000

/**
 * struct ktap_event_ops - what a source tells of its events
 *
 * All of it is called in the context of the event, preemption disabled, and
 * must neither sleep nor take a lock.  A value that is a blob must live as
 * long as the activation: session memory, the event itself, or vm's arena.
 *
 * @name: gives the event's name as KTAP_STR
 * @field: gives field @index of &ktap_program.fields, nil if it has none
 * @nth: gives field @n in the order of the event's format, from 1, nil if none
 * @arg: gives positional argument @n, from 0, nil if none
 * @retval: gives what the syscall or function returned, nil if it is no return
 * @func: gives the name of the function the event stands in, nil if none
 * @regs: gives what the event interrupted, NULL if that is not known
 * @top: gives the code that the first frame of a kernel stack lies in: what is
 *	below it is of the tracing code
 * @text: makes the event's text, as ->trace() prints it, newline included, in
 *	the arena; 0 or a negative errno with the error set
 * @save: writes to @buf, of @size bytes, what ktap_event_format() needs to
 *	make that text later.  Returns the bytes needed; nothing is written if
 *	@size is less
 * @set_retval: lets the function that is entered return @value at once; 0 or a
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

/* What happened; a source embeds it.  There is none (NULL) in process context. */
struct ktap_event {
	const struct ktap_event_ops *ops;
};

/**
 * struct ktap_arena - memory of what a script makes, and forgets
 *
 * Two halves.  When one is full, what the registers still refer to moves to
 * the other: the stack is all there is to look at (arena.c).
 *
 * @half: the halves
 * @size: bytes of one
 * @used: bytes used of @half[@cur]
 * @cur: 0 or 1
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
	u32 pc;			/* where it goes on */
	u8 dst;			/* where in its registers the results go */
	u8 nresults;		/* KTAP_MULTI: as many as there are */
	u8 nvarargs;
};

/* Where an error happened; kept until somebody catches it. */
struct ktap_fault {
	const struct ktap_func *func;	/* NULL: nowhere yet */
	u32 pc;
	u32 ncalls;			/* of &ktap_vm.calls, to the function */
};

/**
 * struct ktap_counters - what was lost, for the session's last words
 * @full_table: inserts dropped since the table had its most entries
 * @full_threads: fields dropped since too many threads had some
 * @no_memory: inserts and copies dropped for want of memory
 * @nmi_busy: operations on tables, aggregations, globals and threads given up,
 *	since the event interrupted one on this CPU (see lock.h); and
 *	aggregations read in the middle of a write
 * @no_user_stack: stacks of programs that could not be read
 * @no_user_file: frames of them that are addresses since their file was not found:
 *	the mappings were being changed, or the session had too many files
 * @cut_strings: strings cut to KTAP_MAX_STRLEN
 * @left_out: entries that were not copied when a table was printed or sorted, since
 *	others had grown meanwhile
 * @bad_reads: reads of memory that was not there, or not to be read
 * @unknown_calls: system calls of 32-bit and x32 programs that have no event
 * @lost_records: output dropped since nobody read it fast enough
 * @no_speculation: speculations not begun since too many were open
 * @speculative: output dropped since its speculation was full, over, or none
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
 * struct ktap_env - what all activations of a session share
 * @prog: the program
 * @stripes: locks of tables, a set for each, until tables share them
 * @next_stripes: the set that the next table gets, modulo KTAP_STRIPE_SETS
 * @heap: memory of tables and globals
 * @globals: see ktap_global_*
 * @dead: objects that no slot refers to any more (object.c)
 * @ndead: about how many
 * @sharded: aggregations with memory per CPU (agg.c)
 * @self: fields of threads (self.c); NULL if the program uses none
 * @found: members found by name (member.c); NULL if the program uses no types
 *	that it knows of
 * @speculations: output that is held back (speculation.c); NULL if the program
 *	holds none back
 * @options: by option of the program: the text given for it, NULL if none was;
 *	NULL if the program takes no options (option.c)
 * @ufiles: files that user code lies in (ufile.c); NULL if the program looks at
 *	none
 * @mark_key: whoever reads the text finds the symbols of user code: it is marked, with
 *	this word, which only the reader knows: no string of a stranger is taken for a
 *	mark; or NULL
 * @seed: of the hash of table keys
 * @wall_offset: the time of the day less CLOCK_MONOTONIC, nanoseconds, as it was
 *	when the session began: so the same moment is always shown alike
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
	struct hlist_head sharded;
	struct ktap_self *self;
	struct ktap_found *found;
	struct ktap_speculations *speculations;
	const char **options;
	struct ktap_ufiles *ufiles;
	const char *mark_key;
	u32 seed;
	s64 wall_offset;
	struct ktap_counters counters;
	u64 max_insns;
};

/**
 * struct ktap_fresh - objects that an activation has made
 * @first: the youngest
 * @n: number of them
 * @limit: when there are so many it is time to look for forgotten ones
 * @sweeps: how often somebody looked
 */
struct ktap_fresh {
	struct ktap_object *first;
	u32 n;
	u32 limit;
	u32 sweeps;
};

/**
 * struct ktap_vm - an activation
 * @env: its session's environment
 * @event: what happened, NULL in process context
 * @level: where it runs
 * @stack: registers of all frames
 * @stack_size: values in @stack
 * @top: first value of @stack behind the running frame, open values included
 * @base: register 0 of the running function
 * @nvarargs: its variable arguments, in front of its frame
 * @open_end: first value of @stack behind the open values (frame.c)
 * @func: the running function
 * @calls: calls that have not returned
 * @max_calls: entries of @calls
 * @ncalls: used ones
 * @nested: functions that built-ins have called
 * @arena: strings made on the way
 * @fresh: objects made by this activation that nothing else refers to (object.c)
 * @speculation: the speculation that this run's output goes to; 0: it goes out
 * @irq_flags: while a record is written into one
 * @budget: units left; with a @meter, of this slice
 * @rest: and of the slices to come
 * @meter: measures the run, of KTAP_NR_EVENT_LEVELS only; or NULL
 * @abort: if not NULL and true, the run ends soon (process context: a stop or
 *	a fatal signal; set by the session)
 * @error: 0 or the negative errno that ends the run; see ktap_vm_error()
 * @pc: instruction of the error, or of the built-in that runs
 * @fault: where the error happened
 * @message: its text, without newline
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
	struct ktap_meter *meter;
	bool *abort;

	int error;
	u32 pc;
	struct ktap_fault fault;
	char message[256];
};

/**
 * ktap_vm_run() - Runs a function of the program to its end
 * @vm: an activation at rest: env, level, event, stack, calls, arena, abort, meter set
 * @func: index of the function
 * @args: arguments, copied; no blobs of @vm's arena
 * @nargs: number of them
 * @result: the first result, nil if there is none; its blob lives until the
 *	next run.  An object that nothing keeps ends with the run: one is
 *	given as true.  May be NULL
 *
 * Context: as @vm->level says.  In event context the caller has disabled
 * preemption and holds the only activation of this CPU and level.  In process
 * context it calls cond_resched() and looks at @vm->abort now and then.
 * Return: 0; -ECANCELED if the script called exit() (not an error; whoever has the
 * session has got the code from ktap_fn_exit()); or another negative errno,
 * @vm->error, with @vm->fault and @vm->message set.
 */
int ktap_vm_run(struct ktap_vm *vm, u32 func, const struct ktap_value *args,
		unsigned int nargs, struct ktap_value *result);

/**
 * ktap_vm_call() - Calls a function of the script out of a built-in
 * @vm: the activation, of KTAP_LEVEL_PROCESS
 * @func: the function
 * @args: arguments, copied before anything moves
 * @nargs: number of them
 * @result: gets the first result, nil if there is none.  Before it allocates,
 *	the caller puts it into a register if it still needs it
 *
 * What the registers of the built-in refer to stays, and moves as in
 * ktap_arena_alloc().
 * Context: process.
 * Return: 0, or an error that the built-in must return at once: a `try` inside
 * of the function has had its chance, one outside of the built-in has not.
 */
int ktap_vm_call(struct ktap_vm *vm, const struct ktap_func *func, const struct ktap_value *args,
		 unsigned int nargs, struct ktap_value *result);

/**
 * ktap_vm_error() - Ends the run with an error
 * @vm: the activation
 * @err: negative errno
 * @fmt: message for the user, without newline
 *
 * Context: any.
 * Return: @err, so that a built-in can return it.
 */
__printf(3, 4) int ktap_vm_error(struct ktap_vm *vm, int err, const char *fmt, ...);

/**
 * ktap_vm_backtrace() - Describes an error for the user
 * @vm: after ktap_vm_run() returned an error
 * @buf: gets "FILE:LINE:COLUMN: error: MESSAGE" and a line "  in FUNCTION
 *	(FILE:LINE)" for each call, innermost first
 * @size: bytes of @buf
 *
 * Return: bytes written, without the NUL.
 */
size_t ktap_vm_backtrace(const struct ktap_vm *vm, char *buf, size_t size);

/**
 * ktap_arena_alloc() - Takes memory that lives as long as a register refers to it
 * @vm: the activation
 * @size: bytes, at most KTAP_MAX_STRLEN
 *
 * May move all blobs of the arena that registers of the stack refer to: the
 * caller looks pointers up again in the registers afterwards.  What no register
 * refers to is gone.  A register refers to the first byte of a blob, never into
 * it.  8-byte aligned.  To move them costs, as ktap_vm_charge() has it.
 * Return: the memory, or NULL with the error set (-ENOMEM, or that of the charge).
 */
void *ktap_arena_alloc(struct ktap_vm *vm, size_t size);

/* Gives back what the last ktap_arena_alloc() took beyond @size bytes. */
void ktap_arena_trim(struct ktap_vm *vm, void *p, size_t size);

#define KTAP_TEXT_COST		32	/* units of an event's text */

/* What a run may take, as it begins. */
void ktap_vm_grant_budget(struct ktap_vm *vm);

/* What ktap_vm_charge() does when there is nothing left, or a slice is over. */
int ktap_vm_out_of_budget(struct ktap_vm *vm, u32 n);

/* Ends the run for what its meter has found.  -ETIME. */
int ktap_vm_held_cpu(struct ktap_vm *vm);

/**
 * ktap_vm_charge() - Pays for work out of the run's budget
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
 * A string of the arena with these bytes, which must not lie in the arena; cut and
 * counted over KTAP_MAX_STRLEN.
 */
int ktap_make_string(struct ktap_vm *vm, const char *s, size_t len, struct ktap_value *v);

/* Text of the event, newline included; empty if there is none. */
int ktap_event_text(struct ktap_vm *vm, struct ktap_value *v);

/* Makes a KTAP_ARGSTR a KTAP_STR in place (no newline at its end); others stay. */
int ktap_make_text(struct ktap_vm *vm, struct ktap_value *v);

/* Name of a type for messages: "a string". */
const char *ktap_type_name(const struct ktap_value *v);

/* Same type and content; tables and functions by identity. */
bool ktap_equal(const struct ktap_value *x, const struct ktap_value *y);

/*
 * Prints the globals that hold something, functions left out: "NAME: VALUE".
 * Context: process, sleeps; @vm is at rest.  0 or a negative errno.
 */
int ktap_print_globals(struct ktap_vm *vm);

/* env.c: globals, tables and counters of a session, at rest and gone. */
int ktap_env_init(struct ktap_env *env, struct ktap_program *prog, size_t max_memory,
		  void (*low)(struct ktap_heap *heap));
void ktap_env_destroy(struct ktap_env *env);

/*
 * An activation with memory of its own.  Sessions make that of process context; what
 * runs in event context shares that of its CPU and level (activation.c).
 */
int ktap_vm_init(struct ktap_vm *vm, struct ktap_env *env, enum ktap_level level);
void ktap_vm_destroy(struct ktap_vm *vm);

#endif /* _KTAP_VM_H */
