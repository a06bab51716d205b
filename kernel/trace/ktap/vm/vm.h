/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The virtual machine: an activation runs one handler for one event, or a
 * part of a script in process context.
 *
 * vm/, load/, data/, output/, lib/ and btf/ use only memory allocation and
 * formatting of the kernel, so that tools/testing/ktap can build them for user
 * space.  The functions that other folders provide to them are declared in
 * builtin.h, event.h and output_ops.h, and in host/.
 */
#ifndef _KTAP_VM_H
#define _KTAP_VM_H

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "vm/event.h"
#include "vm/value.h"

struct ktap_code;
struct ktap_env;
struct ktap_func;
struct ktap_object;
struct ktap_overhead;

/* Limits of an activation in event context, and in process context. */
#define KTAP_EVENT_STACK	1024	/* values */
#define KTAP_EVENT_CALLS	64	/* depth */
#define KTAP_EVENT_ARENA	16384	/* bytes of each half */
#define KTAP_PROCESS_STACK	32768
#define KTAP_PROCESS_CALLS	2000
#define KTAP_PROCESS_ARENA	(256 << 10)

#define KTAP_EXECNAME_SIZE	16	/* TASK_COMM_LEN */

#define KTAP_DEFAULT_BUDGET	100000	/* &ktap_env.max_insns */
/* Default with PREEMPT_RT: less than a millisecond, to keep latencies low. */
#define KTAP_RT_BUDGET		10000
/* Largest setting: about a second, which no lockup detector reports. */
#define KTAP_MAX_BUDGET		100000000

/**
 * struct ktap_arena - memory for the temporary strings of a script
 *
 * When one half is full, the blocks that registers still refer to move to the
 * other one.  The stack is the only root (arena.c).
 *
 * @half: the halves
 * @size: bytes of each half
 * @room: those of them that hold blocks
 * @used: bytes used in @half[@cur]
 * @cur: current half, 0 or 1
 */
struct ktap_arena {
	char *half[2];
	u32 size;
	u32 room;
	u32 used;
	u32 cur;
};

/* Work at the end of a run; most runs have none. */
#define KTAP_AFTER_OBJECTS	BIT(0)	/* free fresh objects */
#define KTAP_AFTER_MEASURE	BIT(1)	/* finish the measurement of &ktap_vm.overhead */

/* A call that has not returned. */
struct ktap_call {
	const struct ktap_func *func;	/* the caller */
	const struct ktap_code *insn;	/* its instruction: a, c: place and number of results */
	u32 base;		/* its register 0 on the stack */
	u8 nvarargs;
	bool tail;		/* the callee was replaced by a tail call */
};

/* Position of an error; kept until a `try` catches it. */
struct ktap_fault {
	const struct ktap_func *func;	/* NULL: no position yet */
	u32 pc;
	u32 ncalls;			/* depth of &ktap_vm.calls at the error */
	bool nil_key;			/* the instruction has nil as a key of a table */
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
 * @handler: the handler that follows the running filter if that is true; or NULL
 * @calls: calls that have not returned
 * @max_calls: size of @calls
 * @ncalls: used entries of @calls
 * @floor: calls that had not returned when the running interpreter began
 * @nested: functions that built-ins have called and that have not returned
 * @result: the first result of the function that the interpreter ran
 * @arena: temporary strings
 * @fresh: objects made by this activation that nothing else refers to
 *	(data/object.c)
 * @execname: name of the current task; it stays the same while a handler runs
 * @execname_len: its length; 0: not known yet
 * @error: 0 or the negative errno that ends the run; see ktap_vm_error()
 * @after: KTAP_AFTER_*: what the end of the run has to do; 0 between runs
 * @speculation: the speculation that takes this run's output, 0 if none
 * @irq_flags: saved while a record is written into a speculation
 * @budget: units left; of this slice only, if @overhead is set
 * @rest: units left after this slice
 * @overhead: measures runs in event context, or NULL
 * @abort: if not NULL and true, the run ends soon (process context: a stop or
 *	a fatal signal; set by the session)
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
	const struct ktap_func *handler;

	struct ktap_call *calls;
	u32 max_calls;
	u32 ncalls;
	u32 floor;
	u32 nested;
	struct ktap_value result;

	struct ktap_arena arena;
	struct ktap_fresh fresh;

	char execname[KTAP_EXECNAME_SIZE] __aligned(8);
	u32 execname_len;
	int error;
	u32 after;

	s64 speculation;
	unsigned long irq_flags;
	u64 budget;
	u64 rest;
	struct ktap_overhead *overhead;
	bool *abort;

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

/* Units between two checks for rescheduling and signals in process context. */
#define KTAP_PROCESS_SLICE	1024

/* Give a run @left units, of which it may use @slice before it is checked. */
static inline void ktap_vm_begin_slice(struct ktap_vm *vm, u64 left, u64 slice)
{
	vm->budget = min(left, slice);
	vm->rest = left - vm->budget;
}

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

/* Convert a KTAP_ARGSTR in place to a KTAP_STR without newline; keep other values. */
int ktap_make_text(struct ktap_vm *vm, struct ktap_value *v);

/* Name of a type for messages: "a string". */
const char *ktap_type_name(const struct ktap_value *v);

/* Names of the types of a bit mask: "nil, a boolean or an integer". */
void ktap_name_types(u16 set, char *buf, size_t size);

/* Same type and content; tables and functions by identity. */
bool ktap_equal(const struct ktap_value *x, const struct ktap_value *y);

/*
 * Print globals that are neither nil nor functions as "NAME: VALUE".
 * Context: process, sleeps; @vm is idle.  0 or a negative errno.
 */
int ktap_print_globals(struct ktap_vm *vm);

/*
 * An activation with its own memory.  A session has one for process context;
 * all sessions share those of event context, one for each CPU and level
 * (event/activation.c).
 */
int ktap_vm_init(struct ktap_vm *vm, struct ktap_env *env, enum ktap_level level);
void ktap_vm_destroy(struct ktap_vm *vm);

/* event/activation.c.  Context: any. */
u32 ktap_random(void);

#endif /* _KTAP_VM_H */
