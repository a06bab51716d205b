/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Built-in functions and values.
 */
#ifndef _KTAP_BUILTIN_H
#define _KTAP_BUILTIN_H

#include <linux/bits.h>
#include <linux/build_bug.h>

#include "vm/program.h"
#include "vm/vm.h"

struct ktap_diag;
struct ktap_program;
struct ktap_symbol;

/* Largest enum ktap_function_id, plus one. */
#define KTAP_NR_FUNCTIONS	192

#define KTAP_IN(level)		BIT(KTAP_LEVEL_##level)
#define KTAP_IN_PROCESS		KTAP_IN(PROCESS)
#define KTAP_IN_EVENT		(KTAP_IN(TASK) | KTAP_IN(SOFTIRQ) | KTAP_IN(HARDIRQ) | KTAP_IN(NMI))
#define KTAP_ANYWHERE		(KTAP_IN_EVENT | KTAP_IN_PROCESS)

/* A flag in addition to the levels: it acts on the system. */
#define KTAP_UNSAFE		BIT(7)
#define KTAP_UNSAFE_IN_EVENT	(KTAP_UNSAFE | KTAP_IN_EVENT)
#define KTAP_UNSAFE_ANYWHERE	(KTAP_UNSAFE | KTAP_ANYWHERE)

static_assert(KTAP_NR_LEVELS < 7);

/* Sources that a built-in reads besides its arguments.  Memory: at the given address. */
#define KTAP_READS_USER_STRING	BIT(0)
#define KTAP_READS_USER_BYTES	BIT(1)
#define KTAP_READS_USER_STRINGS	BIT(2)	/* an array of pointers to strings */
#define KTAP_READS_USER		GENMASK(2, 0)
#define KTAP_READS_KERNEL	BIT(3)	/* with KTAP_READS_USER: the address decides */
#define KTAP_READS_RETVAL	BIT(4)	/* the return value of the event */
#define KTAP_READS_TYPES	BIT(5)	/* types of the kernel */
#define KTAP_READS_EVENT	BIT(6)	/* any field of the event, or its text */
#define KTAP_READS_REGISTERS	BIT(7)	/* the registers of the event */

#ifdef CONFIG_KTAP_SET_RETVAL
#define KTAP_CAN_SET_RETVAL	1
#else
#define KTAP_CAN_SET_RETVAL	0
#endif

#ifdef CONFIG_KTAP_PACKET_VERDICT
#define KTAP_CAN_DROP_PACKETS	1
#else
#define KTAP_CAN_DROP_PACKETS	0
#endif

/*
 * A built-in: @r[0] to @r[@n - 1] are the arguments, @r[0] gets the result.  @r is
 * on @vm's stack.  Returns 0 or the error of ktap_vm_error().
 */
typedef int ktap_builtin_fn(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/**
 * struct ktap_builtin - a built-in
 * @name: name in scripts
 * @fn: the function
 * @min: least number of arguments
 * @max: largest number of arguments
 * @levels: contexts that it may run in, BIT(enum ktap_level); and KTAP_UNSAFE
 * @uses: KTAP_USES_* that a program with it needs; KTAP_USES_ARGSTR only if one of
 *	its arguments may be an event or its text, or if it takes none
 * @reads: KTAP_READS_*
 * @args: tags that each argument may have, a bit mask; 0 is any.  Checked before
 *	@fn is called, and where possible by the verifier
 * @result: tags the result may have, a bit mask
 */
struct ktap_builtin {
	const char *name;
	ktap_builtin_fn *fn;
	u8 min;
	u8 max;
	u8 levels;
	u8 uses;
	u8 reads;
	u16 args[3];
	u16 result;
};

extern const struct ktap_builtin ktap_builtins[KTAP_NR_FUNCTIONS];

#define FN(id, name, fn, ...)	ktap_builtin_fn ktap_fn_##fn;
#define VALUE(id, name, ...)	ktap_builtin_fn ktap_fn_##name;
#include "vm/builtin_list.h"
#undef FN
#undef VALUE

/* Returns what a built-in value, always an integer, is now. */
typedef u64 ktap_number_fn(void);

/* host/task.c: for native code, the function of a built-in value; NULL if it has none */
ktap_number_fn *ktap_builtin_number(u32 id);

/* KTAP_READS_* of an instruction, which may be unverified. */
static inline u8 ktap_insn_reads(const struct ktap_code *insn)
{
	u32 id = insn->d;

	if (insn->op != KTAP_OP_CALLB || !ktap_index(&id, KTAP_NR_FUNCTIONS))
		return 0;
	return ktap_builtins[id].reads;
}

/* lib/print.c: convert events and their unformatted text in registers to strings. */
int ktap_make_texts(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* lib/mem.c: the value of the kernel variable @sym, nil if it cannot be read. */
int ktap_symbol_get(struct ktap_vm *vm, const struct ktap_symbol *sym, struct ktap_value *v);

/* Frames of a stack, at most. */
#define KTAP_MAX_FRAMES		127

/*
 * lib/sym.c: arguments of kstack([depth [, skip]]) and ustack(): @depth frames after
 * the first @skip.  0, or -EINVAL with the error set.
 */
int ktap_stack_range(struct ktap_vm *vm, const struct ktap_value *r, unsigned int n,
		     unsigned int *depth, unsigned int *skip);
/* Number of frames of a stack. */
u32 ktap_stack_depth(const struct ktap_value *v);

/* lib/act.c: may a session that is @allowed to be unsafe or not run @prog? */
int ktap_check_unsafe(struct ktap_program *prog, bool allowed, struct ktap_diag *diag);

/* Bytes that are enough for the names of all functions that act */
#define KTAP_ACTS_TEXT		96

void ktap_acts_text(u32 acts, char text[KTAP_ACTS_TEXT]);

/*
 * Exit code of a process: 0 if exit() has no argument; -EINVAL with the error set.  A negative
 * one is that of exit(3) in C.
 */
static inline int ktap_exit_code(struct ktap_vm *vm, const struct ktap_value *r, unsigned int n)
{
	if (!n)
		return 0;
	if (r[0].i < -128 || r[0].i > 255)
		return ktap_vm_error(vm, -EINVAL,
				     "exit: %lld is no exit code, which is -128 to 255", r[0].i);
	return r[0].i & 0xff;
}

#endif /* _KTAP_BUILTIN_H */
