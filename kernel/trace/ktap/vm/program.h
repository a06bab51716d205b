/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A chunk once loaded: bounds checked, in host byte order, verified.
 * load/chunk.c makes it, load/verifier.c verifies it, later code only reads it.
 */
#ifndef _KTAP_PROGRAM_H
#define _KTAP_PROGRAM_H

#include <linux/bits.h>
#include <linux/nospec.h>
#include <linux/stdarg.h>
#include <linux/types.h>
#include <uapi/linux/ktap.h>

#include "btf/btf.h"
#include "vm/value.h"

struct ktap_access;
struct ktap_declared;
struct ktap_format;
struct ktap_kernel_function;
struct ktap_native;
struct module;

/**
 * struct ktap_code - struct ktap_insn in host byte order
 * @op: enum ktap_opcode
 * @a: mostly the register that is written
 * @b: mostly a register that is read
 * @c: mostly a register that is read
 * @d: an immediate integer, an index, or a jump distance
 */
struct ktap_code {
	u8 op;
	u8 a;
	u8 b;
	u8 c;
	s32 d;
};

/**
 * struct ktap_func - a function
 * @name: its name, for messages
 * @code: its first instruction
 * @first: index of its first instruction
 * @ninsns: number of its instructions
 * @cost: units of its straight code, charged when it is entered
 * @nparams: number of parameters
 * @nregs: number of registers
 * @variadic: it takes more arguments than parameters
 * @plain_args: from this number of arguments on, its frame needs no more than room;
 *	U8_MAX if it is variadic
 * @is_value: some instruction loads it as a value
 * @native: its native code, if runs begin with it (ktap_vm_run(), ktap_vm_call())
 */
struct ktap_func {
	const char *name;
	const struct ktap_code *code;
	u32 first;
	u32 ninsns;
	u32 cost;
	u8 nparams;
	u8 nregs;
	bool variadic;
	u8 plain_args;
	bool is_value;
	const struct ktap_native *native;
};

/* A struct ktap_try; &ktap_program.try_at has the instructions it covers. */
struct ktap_catch {
	u32 handler;			/* instruction */
	u8 reg;				/* gets the message */
};

struct ktap_probe_def {
	const struct ktap_value *event;	/* a string constant */
	u32 filter;			/* function or KTAP_NONE */
	u32 handler;			/* function */
	u32 condition;			/* global or KTAP_NONE */
	bool switched;			/* off until it is switched on (vm/switch.h) */
};

/**
 * struct ktap_symbol - a variable of the kernel that a program reads
 * @address: its address, or the value of a constant
 * @load: how to read it; KTAP_LOAD_NONE for a constant
 * @mod: its module, pinned; or NULL
 * @percpu: each CPU has its own
 * @found: it was looked up
 */
struct ktap_symbol {
	u64 address;
	struct ktap_load load;
	struct module *mod;
	bool percpu;
	bool found;
};

/* Parts of a session that a program needs, found while loading. */
#define KTAP_USES_HEAP		BIT(0)	/* tables, aggregations, globals */
#define KTAP_USES_ARGSTR	BIT(1)	/* an event's text */
#define KTAP_USES_SELF		BIT(2)	/* task fields */
#define KTAP_USES_TYPES		BIT(3)	/* types of pointers */
#define KTAP_USES_SPECULATION	BIT(4)	/* speculations */
#define KTAP_USES_USER_CODE	BIT(5)	/* user stacks and symbols */
#define KTAP_USES_SQUARES	BIT(6)	/* sums of squares of aggregations */

/* Fields of iterators (event/iter.c) */
enum ktap_iter_field {
	KTAP_ITER_TASK,
	KTAP_ITER_FD,
	KTAP_ITER_FILE,
	KTAP_ITER_VMA,
	KTAP_ITER_FIELDS
};

/**
 * struct ktap_program - a loaded chunk
 * @chunk: the bytes that were written; strings point into it
 * @len: bytes of @chunk
 * @bytes: memory of all of it, roughly
 * @flags: enum ktap_chunk_flags
 * @main: function that is the top level
 * @uses: KTAP_USES_*
 * @acts: functions by which it can act on the system, a bit mask (lib/act.c)
 * @ninsns: entries of @code and @lines
 * @nstrings: entries of @strings and @string_field
 * @nints: entries of @ints
 * @nfuncs: entries of @funcs
 * @nprobe_defs: entries of @probe_defs
 * @nglobals: entries of @globals
 * @nfields: entries of @fields
 * @nown_fields: entries of @fields from the chunk's own section
 * @nfiles: entries of @files
 * @ntries: entries of @tries
 * @noptions: entries of @options
 * @nformats: entries of @formats
 * @nfunctions: functions in @functions
 * @code: all instructions
 * @work: by instruction, and after the last one: sum of ktap_insn_work() of all
 *	instructions before it
 * @strings: constants, ready to be moved into a register; NUL-terminated
 * @ints: constants
 * @funcs: functions
 * @probe_defs: probes that KTAP_FN_TRACE can attach
 * @globals: names, by global
 * @fields: names of event fields, by field.  Those of the chunk's own section
 *	come first; the constant keys of TGETS, which may meet an event, follow,
 *	even those that the section has too: e.name is the event's own name,
 *	args.name is a field
 * @string_field: field of a string constant that is such a key, or KTAP_NONE
 * @symbols: by string constant: variable that SYMBOL reads; NULL if there is none
 * @functions: by string constant: function that KANY calls (kernel_function.h); NULL if there
 *	is none
 * @types: modules whose types it uses; changed in process context
 * @iter_types: the types that fields of iterators point to; 0 if it has none, or if there are
 *	no types
 * @declared: types that it declares (btf/type.h); NULL if there are none
 * @accesses: members that instructions read (btf/btf_read.h); NULL if there are none
 * @lines: position of each instruction; NULL if the chunk has none
 * @files: name of each source file
 * @tries: handlers of errors
 * @options: names of the options of the script
 * @try_at: by instruction: index in @tries of the handler of its errors plus 1,
 *	or 0.  NULL if there are none
 * @steady: no entry is removed, or gets a value of another type, while handlers of events
 *	can use it (load/steady.c)
 * @others: by instruction: KTAP_OTHER_* of its operands; NULL without native code
 * @formats: formats of printf that are constants (output/format.h)
 * @format_at: by instruction: index in @formats of the constant that it is likely to
 *	call printf with plus 1, or 0.  NULL if there are none
 */
struct ktap_program {
	void *chunk;
	size_t len;
	size_t bytes;
	u32 flags;
	u32 main;
	u32 uses;
	u32 acts;

	u32 ninsns;
	u32 nstrings;
	u32 nints;
	u32 nfuncs;
	u32 nprobe_defs;
	u32 nglobals;
	u32 nfields;
	u32 nown_fields;
	u32 nfiles;
	u32 ntries;
	u32 noptions;
	u32 nformats;
	u32 nfunctions;

	struct ktap_code *code;
	u32 *work;
	struct ktap_value *strings;
	s64 *ints;
	struct ktap_func *funcs;
	struct ktap_probe_def *probe_defs;
	const char **globals;
	const struct ktap_value **fields;
	u32 *string_field;
	struct ktap_symbol *symbols;
	struct ktap_kernel_function **functions;
	struct ktap_btf_set types;
	u32 iter_types[KTAP_ITER_FIELDS];
	struct ktap_declared *declared;
	struct ktap_access *accesses;
	const struct ktap_line *lines;
	const char **files;
	struct ktap_catch *tries;
	const char **options;
	u16 *try_at;
	struct ktap_format **formats;
	u16 *format_at;
	bool steady;
	u8 *others;
};

/*
 * The verifier has not proven that the register is an integer before the instruction.  For
 * FORPREP and FORLOOP these are the registers a to a + 3.
 */
#define KTAP_OTHER_A	BIT(0)
#define KTAP_OTHER_B	BIT(1)
#define KTAP_OTHER_C	BIT(2)
#define KTAP_OTHER_LOOP	BIT(3)
/* R[a] may be neither an integer nor nil. */
#define KTAP_NO_NUMBER	BIT(4)

/* Is a register an integer before instruction @pc?  @operand: KTAP_OTHER_* */
static inline bool ktap_is_int(const struct ktap_program *prog, u32 pc, u8 operand)
{
	return !(prog->others[pc] & operand);
}

/**
 * ktap_index() - Check an index from a chunk, or from a value of a script
 * @i: the index; masked if it is in range
 * @n: number of entries
 *
 * Return: true if @i is in range.  If the CPU mispredicts that, speculative
 * execution continues with 0, and reads nothing out of range.
 */
static inline bool ktap_index(u32 *i, u32 n)
{
	if (*i >= n)
		return false;
	*i = array_index_nospec(*i, n);
	return true;
}

/*
 * The function of a value.  Masked, because speculative execution may take an
 * integer, which may come from an event, for a function.
 */
static inline const struct ktap_func *ktap_func_of(const struct ktap_program *prog,
						   const struct ktap_value *v)
{
	return &prog->funcs[array_index_nospec((u32)v->u, prog->nfuncs)];
}

/* The handler of an instruction's errors in its own function, or NULL. */
static inline struct ktap_catch *ktap_catch_at(const struct ktap_program *prog, u32 pc)
{
	u32 n = prog->ntries ? prog->try_at[pc] : 0;

	return n ? &prog->tries[n - 1] : NULL;
}

/**
 * struct ktap_diag - reason of a refusal, as text for the user
 * @len: bytes in @text, without its NUL; 0: nothing was refused
 * @text: lines, each ended by a newline
 */
struct ktap_diag {
	unsigned int len;
	char text[1024];
};

/**
 * ktap_diag() - Report an error of a chunk as a whole
 * @diag: filled with "ktap: error: MESSAGE"
 * @fmt: message without newline
 *
 * The first message stays; later ones are dropped.
 */
__printf(2, 3) void ktap_diag(struct ktap_diag *diag, const char *fmt, ...);

/**
 * ktap_diag_at() - Report an error with its position in the script
 * @diag: filled with "FILE:LINE:COLUMN: error: MESSAGE"
 * @prog: program; if it has no line for @pc, the same as ktap_diag()
 * @pc: index of the instruction
 * @fmt: message without newline
 */
__printf(4, 5) void ktap_diag_at(struct ktap_diag *diag, const struct ktap_program *prog,
				 u32 pc, const char *fmt, ...);

/* Room for a position in messages; a longer file name loses its beginning. */
#define KTAP_POSITION_SIZE		160

/* ktap_diag_at() with a va_list. */
__printf(4, 0) void ktap_vdiag_at(struct ktap_diag *diag, const struct ktap_program *prog,
				  u32 pc, const char *fmt, va_list args);

/**
 * ktap_program_position() - Format the position of an instruction in the script
 * @prog: program
 * @pc: index of the instruction
 * @column: the column too
 * @buf: gets "FILE:LINE" or "FILE:LINE:COLUMN"
 * @size: bytes of @buf
 *
 * Return: bytes written, without the NUL; 0 if the position is unknown.
 */
size_t ktap_program_position(const struct ktap_program *prog, u32 pc, bool column,
			     char *buf, size_t size);

/**
 * ktap_program_load() - Make a program from the bytes of a chunk
 * @chunk: kvmalloc'ed bytes; belongs to the program on success only
 * @len: number of bytes, as in the header
 * @diag: gets the reason of a failure
 *
 * Checks and verifies everything: the returned program is safe to run.
 * Context: process, may sleep.
 * Return: the program, to be freed by ktap_program_free(); ERR_PTR(-EINVAL) if
 * the chunk is malformed or unsafe, -EPROTONOSUPPORT if it is of another ABI,
 * -E2BIG over a limit, -ENOMEM, -EINTR if the process is killed meanwhile.
 */
struct ktap_program *ktap_program_load(void *chunk, size_t len, struct ktap_diag *diag);
void ktap_program_free(struct ktap_program *prog);

/* load/verifier.c, called by ktap_program_load(): 0 or -EINVAL, -E2BIG, -ENOMEM, -EINTR */
int ktap_verify(struct ktap_program *prog, struct ktap_diag *diag);

/*
 * btf/ksym.c: find the kernel variables of a verified program, and check the
 * permission to read them.  0, -EINTR or, with @diag filled, -ENOENT, -EPERM,
 * -ENOMEM.
 */
int ktap_program_link(struct ktap_program *prog, struct ktap_diag *diag);
/* Release the variables.  Does nothing if the program is not linked. */
void ktap_program_unlink(struct ktap_program *prog);

/*
 * output/directive.c: split the constant formats of a verified program.  0 or -ENOMEM;
 * ktap_formats_free() cleans up in any case.
 */
int ktap_formats_load(struct ktap_program *prog);
void ktap_formats_free(struct ktap_program *prog);

#endif /* _KTAP_PROGRAM_H */
