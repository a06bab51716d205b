/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktap: the data that a program and the kernel exchange through the file
 * ktap/session of tracefs.  The program writes the chunk (a compiled script), and
 * reads text, or frames if it asks for them.
 *
 * Not to be confused with KTAP, the Kernel Test Anything Protocol.
 */
#ifndef _UAPI_LINUX_KTAP_H
#define _UAPI_LINUX_KTAP_H

#include <linux/types.h>

/**
 * DOC: The chunk
 *
 * A chunk is one compiled script.  It is little-endian on every machine, has
 * fixed-width fields and holds offsets, never pointers, so that one file runs
 * on every architecture.
 *
 * It starts with a struct ktap_header, followed by &ktap_header.nsections
 * struct ktap_section.  Each section is 8-byte aligned, lies wholly inside the
 * chunk, and overlaps no other.  No two sections have the same type.  A section of
 * unknown type is skipped if its flags have %KTAP_SEC_OPTIONAL; otherwise the chunk
 * is invalid.  Every reserved field and every undefined flag must be zero.
 */

/* The first byte is not ASCII, so that a chunk can follow setup lines of text. */
#define KTAP_MAGIC		"\xcfktp"
#define KTAP_MAGIC_LEN		4

#define KTAP_ABI_MAJOR		1	/* a different one is refused */
#define KTAP_ABI_MINOR		0	/* one newer than the kernel's is refused */

#define KTAP_NONE		0xffffffffU	/* no such index */

/* Limits of the format.  A kernel may set lower ones (see ktap/features). */
#define KTAP_MAX_CHUNK		(4U << 20)	/* bytes of a chunk */
#define KTAP_MAX_INSNS		65536U		/* instructions of a chunk */
#define KTAP_MAX_FUNCS		4096U
#define KTAP_MAX_STRINGS	65536U
#define KTAP_MAX_INTS		65536U
#define KTAP_MAX_GLOBALS	4096U
#define KTAP_MAX_FIELDS		1024U
#define KTAP_MAX_PROBES		1024U
#define KTAP_MAX_FILES		64U
#define KTAP_MAX_REGS		250U		/* registers of a function */
#define KTAP_MAX_ARGS		32U		/* arguments of a call */
#define KTAP_MAX_STRLEN		4096U		/* bytes of a string at run time */
#define KTAP_MAX_TRIES		4096U
#define KTAP_MAX_OPTIONS	64U
#define KTAP_MAX_TYPES		4096U		/* types that a script declares */
#define KTAP_MAX_MEMBERS	16384U		/* members of these types */
#define KTAP_MAX_TYPE_MEMBERS	4096U		/* members of one of these types */
#define KTAP_MAX_TYPE_NAME	127U		/* bytes of their names */
#define KTAP_MAX_TYPE_SIZE	(1U << 28)	/* bytes of one of these types */
#define KTAP_MULTI		255U		/* as a number of registers: see below */

/**
 * struct ktap_header - the first bytes of a chunk
 * @magic: %KTAP_MAGIC
 * @major: %KTAP_ABI_MAJOR
 * @minor: the lowest %KTAP_ABI_MINOR that has everything that the chunk uses
 * @length: bytes of the whole chunk, this header included
 * @flags: enum ktap_chunk_flags
 * @nsections: number of struct ktap_section that follow
 * @main: index of the function that is the file's top level (no parameters)
 */
struct ktap_header {
	__u8	magic[KTAP_MAGIC_LEN];
	__le16	major;
	__le16	minor;
	__le32	length;
	__le32	flags;
	__le32	nsections;
	__le32	main;
};

/**
 * enum ktap_chunk_flags - &ktap_header.flags
 * @KTAP_CHUNK_UNSAFE: the script uses functions that act on the system.  A chunk that
 *	does so is refused without this flag, and in sessions that are not unsafe
 */
enum ktap_chunk_flags {
	KTAP_CHUNK_UNSAFE	= 1U << 0,
};

/**
 * enum ktap_section_type - what a section holds
 * @KTAP_SEC_STRINGS: &ktap_section.count struct ktap_string, then their bytes
 * @KTAP_SEC_INTS: &ktap_section.count __le64, the integers that fit no instruction
 * @KTAP_SEC_FUNCS: &ktap_section.count struct ktap_function
 * @KTAP_SEC_CODE: &ktap_section.count struct ktap_insn, of all functions
 * @KTAP_SEC_PROBES: &ktap_section.count struct ktap_probe_desc
 * @KTAP_SEC_GLOBALS: &ktap_section.count __le32, the name (string) of each global
 * @KTAP_SEC_FIELDS: &ktap_section.count __le32, event fields used, by name (string)
 * @KTAP_SEC_LINES: &ktap_section.count struct ktap_line, one per instruction
 * @KTAP_SEC_FILES: &ktap_section.count struct ktap_file, then source text
 * @KTAP_SEC_TRIES: &ktap_section.count struct ktap_try
 * @KTAP_SEC_OPTIONS: &ktap_section.count struct ktap_option
 * @KTAP_SEC_SIGNATURE: PKCS#7 (DER) of all bytes before it; the last section, with which the
 *	chunk ends.  It has no entries, and is %KTAP_SEC_OPTIONAL.
 * @KTAP_SEC_TYPES: &ktap_section.count struct ktap_type
 * @KTAP_SEC_MEMBERS: &ktap_section.count struct ktap_member, of all types
 */
enum ktap_section_type {
	KTAP_SEC_STRINGS	= 1,
	KTAP_SEC_INTS		= 2,
	KTAP_SEC_FUNCS		= 3,
	KTAP_SEC_CODE		= 4,
	KTAP_SEC_PROBES		= 5,
	KTAP_SEC_GLOBALS	= 6,
	KTAP_SEC_FIELDS		= 7,
	KTAP_SEC_LINES		= 8,
	KTAP_SEC_FILES		= 9,
	KTAP_SEC_TRIES		= 10,
	KTAP_SEC_OPTIONS	= 11,
	KTAP_SEC_SIGNATURE	= 12,
	KTAP_SEC_TYPES		= 13,
	KTAP_SEC_MEMBERS	= 14,
};

/* &ktap_section.flags: a kernel that does not know the type skips the section */
#define KTAP_SEC_OPTIONAL	(1U << 0)

/**
 * struct ktap_section - where a section lies
 * @type: enum ktap_section_type
 * @flags: %KTAP_SEC_OPTIONAL or 0
 * @offset: first byte, from the start of the chunk, a multiple of 8
 * @size: bytes
 * @count: number of its entries
 * @reserved: 0
 */
struct ktap_section {
	__le32	type;
	__le32	flags;
	__le32	offset;
	__le32	size;
	__le32	count;
	__le32	reserved;
};

/**
 * struct ktap_string - a constant string
 * @offset: first byte, from the start of the section; it is after the entries
 * @len: bytes, without the NUL that must follow them; the bytes are arbitrary
 */
struct ktap_string {
	__le32	offset;
	__le32	len;
};

/**
 * struct ktap_function - a function of the script
 * @name: string; the name in messages ("main", "eventfun", "trace syscalls:*")
 * @first: index of its first instruction
 * @ninsns: number of its instructions, at least 1
 * @nparams: parameters; they arrive in registers 0 to nparams - 1
 * @nregs: registers it uses, parameters included, 1 to %KTAP_MAX_REGS
 * @flags: enum ktap_function_flags
 */
struct ktap_function {
	__le32	name;
	__le32	first;
	__le32	ninsns;
	__u8	nparams;
	__u8	nregs;
	__le16	flags;
};

/**
 * enum ktap_function_flags - &ktap_function.flags
 * @KTAP_FUNC_VARIADIC: arguments after the parameters are kept, for VARG
 */
enum ktap_function_flags {
	KTAP_FUNC_VARIADIC	= 1U << 0,
};

/**
 * struct ktap_try - where a run-time error is caught
 * @first: index of the first instruction covered
 * @end: index of the first instruction after those covered
 * @handler: index of the instruction where the function continues
 * @reg: register that gets the message, a string
 * @reserved: 0
 *
 * The three instructions are of one function.  After an error in a covered
 * instruction, or in a function that it calls, execution continues at the handler.
 * If several entries cover an instruction, the first one counts: inner entries must
 * precede outer ones.  The end of the session or of the handler cannot be caught:
 * exit(), a stop, and the end of the budget.
 */
struct ktap_try {
	__le32	first;
	__le32	end;
	__le32	handler;
	__u8	reg;
	__u8	reserved[3];
};

/**
 * struct ktap_probe_desc - one `trace EVENT /FILTER/ if (GLOBAL) { BODY }` of the script
 * @event: string; the event as written ("syscalls:sys_enter_*", "tick-1s")
 * @filter: function without parameters whose first result decides, or %KTAP_NONE
 * @handler: function, called with the event as its only argument
 * @condition: global, plus 1, or 0.  While the global is nil, false or 0, the probe is not
 *	attached.  %KTAP_PROBE_SWITCHED: while the probe is off
 *
 * The probe starts when the top level executes the built-in %KTAP_FN_TRACE with its
 * index.  A thread attaches and detaches a probe with a condition, some time after the
 * global has changed: a handler that must not run meanwhile needs a filter that reads the
 * global.  A switched probe is off until %KTAP_FN_PROBE_ON; its filter calls
 * %KTAP_FN_PROBE_IS_ON.
 */
struct ktap_probe_desc {
	__le32	event;
	__le32	filter;
	__le32	handler;
	__le32	condition;
};

/* A &ktap_probe_desc.condition that is no global */
#define KTAP_PROBE_SWITCHED	0x80000000U

/**
 * struct ktap_line - source position of an instruction
 * @line: line, from 1; 0 if there is none
 * @column: column in bytes, from 1; 0 if there is none
 * @file: index into %KTAP_SEC_FILES
 */
struct ktap_line {
	__le32	line;
	__le16	column;
	__le16	file;
};

/**
 * struct ktap_file - a source file
 * @name: string
 * @text: first byte of its text, from the start of the section
 * @len: bytes of text; 0 if the text was left out
 * @reserved: 0
 */
struct ktap_file {
	__le32	name;
	__le32	text;
	__le32	len;
	__le32	reserved;
};

/**
 * struct ktap_option - an option of the script: an argument --NAME=VALUE
 * @name: string; no two options have the same name
 * @help: string; its description, or %KTAP_NONE
 * @value: string; its default as a help text shows it, or %KTAP_NONE
 * @flags: 0
 *
 * If a chunk has options, arguments that begin with "--" are options, up to one
 * that is "--".  An option that the chunk does not have is refused.
 */
struct ktap_option {
	__le32	name;
	__le32	help;
	__le32	value;
	__le32	flags;
};

/**
 * struct ktap_type - a C type that the script declares
 * @name: string; the name by which built-in functions find it ("struct request",
 *	"u32"), or %KTAP_NONE
 * @kind: enum ktap_type_kind
 * @size: %KTAP_TYPE_INT: bytes (1, 2, 4, 8), 0 with %KTAP_TYPE_LONG; structures, unions
 *	and typedefs: least alignment in bytes (a power of 2), or 0; otherwise 0
 * @flags: enum ktap_type_flags
 * @type: pointer: its target, or %KTAP_NONE for void and functions; array: its elements;
 *	typedef: its type, or %KTAP_NONE for void; structure and union: index of the first
 *	member in %KTAP_SEC_MEMBERS; otherwise 0
 * @count: array: number of elements, 0 if it is flexible; structure and union: number of
 *	members; otherwise 0
 *
 * A type contains only types before it: only pointers refer to any type.  The kernel lays
 * the types out as the C compiler of the machine does, so that one chunk runs on all.
 */
struct ktap_type {
	__le32	name;
	__u8	kind;
	__u8	size;
	__le16	flags;
	__le32	type;
	__le32	count;
};

/**
 * enum ktap_type_kind - &ktap_type.kind
 * @KTAP_TYPE_INT: integer, boolean, character or enumeration
 * @KTAP_TYPE_POINTER: pointer
 * @KTAP_TYPE_ARRAY: array
 * @KTAP_TYPE_STRUCT: structure
 * @KTAP_TYPE_UNION: union
 * @KTAP_TYPE_TYPEDEF: another name of a type
 */
enum ktap_type_kind {
	KTAP_TYPE_INT		= 1,
	KTAP_TYPE_POINTER	= 2,
	KTAP_TYPE_ARRAY		= 3,
	KTAP_TYPE_STRUCT	= 4,
	KTAP_TYPE_UNION		= 5,
	KTAP_TYPE_TYPEDEF	= 6,
};

/**
 * enum ktap_type_flags - &ktap_type.flags
 * @KTAP_TYPE_SIGNED: integer: it is signed
 * @KTAP_TYPE_CHAR: integer of 1 byte: an array of it is a string
 * @KTAP_TYPE_LONG: integer: as many bytes as a long of the machine
 * @KTAP_TYPE_PACKED: structure and union: members are not aligned
 * @KTAP_TYPE_INCOMPLETE: structure and union: the members are not known.  If the kernel
 *	has a type of this name, pointers point to that
 */
enum ktap_type_flags {
	KTAP_TYPE_SIGNED	= 1U << 0,
	KTAP_TYPE_CHAR		= 1U << 1,
	KTAP_TYPE_LONG		= 1U << 2,
	KTAP_TYPE_PACKED	= 1U << 3,
	KTAP_TYPE_INCOMPLETE	= 1U << 4,
};

/**
 * struct ktap_member - a member of a structure or union
 * @name: string; or %KTAP_NONE: the members of a structure or union without a name count
 *	as members of the outer one; other types are padding
 * @type: its type, which is before the structure
 * @bits: bit-field: its width; 0 aligns the next one
 * @align: least alignment in bytes (a power of 2), or 0
 * @flags: enum ktap_member_flags
 */
struct ktap_member {
	__le32	name;
	__le32	type;
	__u8	bits;
	__u8	align;
	__le16	flags;
};

/**
 * enum ktap_member_flags - &ktap_member.flags
 * @KTAP_MEMBER_BITS: it is a bit-field
 * @KTAP_MEMBER_PACKED: it is not aligned
 */
enum ktap_member_flags {
	KTAP_MEMBER_BITS	= 1U << 0,
	KTAP_MEMBER_PACKED	= 1U << 1,
};

/**
 * struct ktap_insn - one instruction
 * @op: enum ktap_opcode
 * @a: mostly the register that is written
 * @b: mostly a register that is read
 * @c: mostly a register that is read
 * @d: an immediate integer, an index, or a jump distance from the next instruction
 *
 * Fields that an opcode does not use must be zero.
 */
struct ktap_insn {
	__u8	op;
	__u8	a;
	__u8	b;
	__u8	c;
	__le32	d;
};

/**
 * DOC: The instructions
 *
 * R[x] is register x of the function's frame; d is the signed immediate; bc is
 * the signed 16-bit immediate whose low byte is b and high byte is c.
 * "jump" means: continue d instructions after the next one.
 * Arithmetic takes integers and nil (as 0), results in integers, and wraps; operands of
 * other types are a run-time error.  Shift counts are taken modulo 64, SHR is
 * arithmetic.  An order relation compares two integers or two strings; it is
 * false if either side is nil, and a run-time error between other types.
 *
 * If a call returns, or takes, a number of values that is known at run time only, its
 * number of registers is %KTAP_MULTI.  An instruction that returns such values leaves
 * them in R[a] and the registers after it, beyond the frame if need be.  The next
 * instruction must be one that takes them: CALL, CALLV, CALLB or RET with b, or
 * TSETM.  The values that it takes begin at or before them, and end with them.
 *
 * CALL or CALLV of that kind, and RET with the same a, are a tail call, unless an entry
 * of KTAP_SEC_TRIES covers the call: the frame of the function is freed before the called
 * function starts.  The outermost function, which no function has called, keeps its frame.
 *
 * The numbers are ABI.
 */
enum ktap_opcode {
	/* loads and moves */
	KTAP_OP_NIL	= 1,	/* R[a] to R[b] = nil, a <= b */
	KTAP_OP_BOOL	= 2,	/* R[a] = b != 0, b is 0 or 1 */
	KTAP_OP_INT	= 3,	/* R[a] = d */
	KTAP_OP_INTK	= 4,	/* R[a] = integer constant d */
	KTAP_OP_STR	= 5,	/* R[a] = string d */
	KTAP_OP_FUNC	= 6,	/* R[a] = function d */
	KTAP_OP_MOV	= 7,	/* R[a] = R[b] */

	/* globals: each one is read and written as a whole, ADDG loses no update */
	KTAP_OP_GETG	= 8,	/* R[a] = global d */
	KTAP_OP_SETG	= 9,	/* global d = R[a] */
	KTAP_OP_ADDG	= 10,	/* global d += R[a] */

	/* R[a] = R[b] op R[c] */
	KTAP_OP_ADD	= 16,
	KTAP_OP_SUB	= 17,
	KTAP_OP_MUL	= 18,
	KTAP_OP_DIV	= 19,	/* truncates; a division by zero is a run-time error */
	KTAP_OP_MOD	= 20,
	KTAP_OP_AND	= 21,
	KTAP_OP_OR	= 22,
	KTAP_OP_XOR	= 23,
	KTAP_OP_SHL	= 24,
	KTAP_OP_SHR	= 25,

	/* R[a] = R[b] op d */
	KTAP_OP_ADDI	= 32,
	KTAP_OP_SUBI	= 33,
	KTAP_OP_MULI	= 34,
	KTAP_OP_DIVI	= 35,	/* d != 0 */
	KTAP_OP_MODI	= 36,	/* d != 0 */
	KTAP_OP_ANDI	= 37,
	KTAP_OP_ORI	= 38,
	KTAP_OP_XORI	= 39,
	KTAP_OP_SHLI	= 40,
	KTAP_OP_SHRI	= 41,

	KTAP_OP_NEG	= 48,	/* R[a] = -R[b] */
	KTAP_OP_BNOT	= 49,	/* R[a] = ~R[b] */
	KTAP_OP_NOT	= 50,	/* R[a] = R[b] is nil, false or 0 */
	KTAP_OP_CONCAT	= 51,	/* R[a] = R[b] .. ... .. R[b + c - 1], c >= 1 */
	KTAP_OP_TUPLE	= 52,	/* R[a] = compound key R[b], ..., R[b + c - 1], c >= 2 */
	KTAP_OP_EQ	= 53,	/* R[a] = R[b] == R[c] */
	KTAP_OP_LT	= 54,	/* R[a] = R[b] < R[c] */
	KTAP_OP_LE	= 55,	/* R[a] = R[b] <= R[c] */

	/* jumps */
	KTAP_OP_JMP	= 64,
	KTAP_OP_JT	= 65,	/* if R[a] is not nil, false or 0 */
	KTAP_OP_JF	= 66,	/* if R[a] is nil, false or 0 */
	KTAP_OP_JNIL	= 67,	/* if R[a] is nil */
	KTAP_OP_JNNIL	= 68,	/* if R[a] is not nil */
	KTAP_OP_JEQ	= 69,	/* if R[a] == R[b] */
	KTAP_OP_JNE	= 70,
	KTAP_OP_JLT	= 71,	/* if R[a] < R[b] */
	KTAP_OP_JLE	= 72,
	KTAP_OP_JNLT	= 73,	/* if not R[a] < R[b] */
	KTAP_OP_JNLE	= 74,
	KTAP_OP_JEQI	= 75,	/* if R[a] == bc */
	KTAP_OP_JNEI	= 76,
	KTAP_OP_JLTI	= 77,
	KTAP_OP_JLEI	= 78,
	KTAP_OP_JGTI	= 79,
	KTAP_OP_JGEI	= 80,
	KTAP_OP_JNLTI	= 81,	/* if not R[a] < bc */
	KTAP_OP_JNLEI	= 82,
	KTAP_OP_JNGTI	= 83,
	KTAP_OP_JNGEI	= 84,

	/* tables: key in a register, a constant string, or an immediate integer */
	KTAP_OP_NEWT	= 96,	/* R[a] = new table for at most d entries, 0: the default */
	KTAP_OP_TGET	= 97,	/* R[a] = R[b][R[c]] */
	KTAP_OP_TGETS	= 98,	/* R[a] = R[b][string d]; of an event: its field */
	KTAP_OP_TGETI	= 99,	/* R[a] = R[b][d] */
	KTAP_OP_TSET	= 100,	/* R[a][R[b]] = R[c]; nil deletes */
	KTAP_OP_TSETS	= 101,	/* R[a][string d] = R[c] */
	KTAP_OP_TSETI	= 102,	/* R[a][d] = R[c] */
	KTAP_OP_TADD	= 103,	/* R[a][R[b]] += R[c], loses no update */
	KTAP_OP_TADDS	= 104,	/* R[a][string d] += R[c] */
	KTAP_OP_TADDI	= 105,	/* R[a][d] += R[c] */
	KTAP_OP_THAS	= 106,	/* R[a] = R[b][R[c]] is not nil */
	/*
	 * Iteration uses R[a] to R[a + 4]: the table, two hidden registers,
	 * the key and the value.
	 */
	KTAP_OP_ITER	= 107,	/* begin to iterate over the table in R[a] */
	KTAP_OP_NEXT	= 108,	/* R[a + 3], R[a + 4] = next; jump if there is none */
	/*
	 * Counting uses R[a] to R[a + 3]: first value, last value and step,
	 * which only the loop may use from then on, and the variable.  The loop
	 * also ends if the next value would wrap.
	 */
	KTAP_OP_FORPREP	= 109,	/* R[a + 3] = R[a]; jump if that is beyond the last */
	KTAP_OP_FORLOOP	= 110,	/* R[a + 3] = next value and jump, unless it was the last */
	KTAP_OP_TAGG	= 111,	/* R[a][R[b]] <<< R[c]: into the aggregation of that key */

	/*
	 * calls; a callee's register 0 is the caller's first argument.  The
	 * c results begin at R[a]; missing ones are nil, further ones are
	 * dropped.  Every register of the caller from R[a] on may be
	 * overwritten; those after the results count as not initialised.
	 */
	KTAP_OP_CALL	= 112,	/* function d, arguments R[a] to R[a + b - 1] */
	KTAP_OP_CALLV	= 113,	/* function in R[a], arguments R[a + 1] to R[a + b] */
	KTAP_OP_CALLB	= 114,	/* R[a] = built-in d, arguments R[a] to R[a + b - 1]; c is 0 */
	KTAP_OP_RET	= 115,	/* return R[a] to R[a + b - 1] */
	KTAP_OP_VARG	= 116,	/* R[a] to R[a + c - 1] = variable arguments, like results */
	KTAP_OP_TSETM	= 117,	/* R[a][d], R[a][d + 1], ... = the values from R[b] on */

	/* aggregations: loses no update */
	KTAP_OP_AGG	= 118,	/* R[a] <<< R[c] */

	/* the event */
	KTAP_OP_FIELD	= 120,	/* R[a] = field d (index in KTAP_SEC_FIELDS), nil if it has none */
				/* b: enum ktap_field_need */
	KTAP_OP_ARG	= 121,	/* R[a] = positional argument d, from 0, nil if it has none */

	/* the kernel */
	KTAP_OP_CALLK	= 122,	/* R[a] = its function named string d, b arguments from R[a] on */
	KTAP_OP_SYMBOL	= 123,	/* R[a] = its variable named string d, nil if unreadable */

	/* the current thread: its fields are freed when it ends */
	KTAP_OP_GETSELF	= 124,	/* R[a] = field named string d */
	KTAP_OP_SETSELF	= 125,	/* field named string d = R[a]; nil deletes */
	KTAP_OP_ADDSELF	= 126,	/* field named string d += R[a] */
};

/**
 * enum ktap_field_need - whether a script can do without a field (KTAP_OP_FIELD)
 * @KTAP_NEED_FIELD: no: an event of the probe must have it, or the script is refused
 * @KTAP_NEED_NAME: no; the script has only the name, and no variable has that name
 * @KTAP_NEED_NOTHING: yes, the field is nil then
 *
 * It has no effect in functions that are not only called as handlers.
 * The numbers are ABI.
 */
enum ktap_field_need {
	KTAP_NEED_FIELD		= 0,
	KTAP_NEED_NAME		= 1,
	KTAP_NEED_NOTHING	= 2,
};

/**
 * DOC: The built-in functions and values
 *
 * Arguments are written in brackets.  Values take none.  The numbers are ABI.
 */
enum ktap_function_id {
	/* values */
	KTAP_FN_PID		= 1,	/* process id (tgid), in the initial namespace */
	KTAP_FN_TID		= 2,	/* thread id */
	KTAP_FN_PPID		= 3,	/* process id of the parent */
	KTAP_FN_UID		= 4,
	KTAP_FN_GID		= 5,
	KTAP_FN_CPU		= 6,
	KTAP_FN_NUMA_NODE	= 7,
	KTAP_FN_EXECNAME	= 8,	/* the thread's comm */
	KTAP_FN_NSECS		= 9,	/* CLOCK_MONOTONIC, nanoseconds */
	KTAP_FN_ELAPSED		= 10,	/* nanoseconds since the session started */
	KTAP_FN_CGROUP		= 11,	/* id of the cgroup (v2) */
	KTAP_FN_RAND		= 12,	/* 32 random bits */
	KTAP_FN_PROBENAME	= 13,	/* name of the event */
	KTAP_FN_PROBEFUNC	= 14,	/* function that contains the event, nil if none */
	KTAP_FN_ARGSTR		= 15,	/* the event as the trace file prints it */
	KTAP_FN_RETVAL		= 16,	/* return value of a syscall or function, nil if none */
	KTAP_FN_CURTASK		= 17,	/* pointer to the current task */
	KTAP_FN_KSTACK		= 18,	/* kernel stack ([depth [, skip]]) */
	KTAP_FN_USTACK		= 19,	/* user stack ([depth [, skip]]) */
	KTAP_FN_SCRIPTARG	= 20,	/* (n): argument n of the script, from 1; 0: its name */
	KTAP_FN_GETTIMEOFDAY_NS	= 21,	/* time since 1970, UTC */
	KTAP_FN_GETTIMEOFDAY_US	= 22,
	KTAP_FN_GETTIMEOFDAY_MS	= 23,
	KTAP_FN_GETTIMEOFDAY_S	= 24,
	KTAP_FN_WALLTIME	= 25,	/* the same as text: "2013-05-21 10:11:12" */
	KTAP_FN_SYSCALL_NAME	= 26,	/* (n): name of system call n, nil if there is none */
	KTAP_FN_NUM_CPUS	= 27,	/* CPUs that are online */
	KTAP_FN_ARCH		= 28,	/* the machine, as uname -m has it */
	KTAP_FN_KERNEL_V	= 29,	/* the kernel, as uname -r has it */
	KTAP_FN_IN_INTERRUPT	= 30,	/* the event happened in an interrupt */
	KTAP_FN_IN_IOWAIT	= 31,	/* the thread waits for I/O */

	/* registration, at top level only */
	KTAP_FN_TRACE		= 32,	/* (n): start probe n of KTAP_SEC_PROBES */
	KTAP_FN_PROBE		= 33,	/* (event, handler) */

	KTAP_FN_GETOPT		= 34,	/* (n, default): option n of KTAP_SEC_OPTIONS */

	KTAP_FN_FIRST		= 35,	/* (n): is it the first call with this n, 0 to 1023? */

	/* (n): of probe n - 1 of KTAP_SEC_PROBES, which is switched; the first three give n */
	KTAP_FN_PROBE_ON	= 36,
	KTAP_FN_PROBE_OFF	= 37,
	KTAP_FN_PROBE_DELETE	= 38,	/* off for ever */
	KTAP_FN_PROBE_IS_ON	= 39,

	KTAP_FN_CGROUP_PATH	= 40,	/* (id): path of that cgroup (v2), nil if there is none */

	/* output */
	KTAP_FN_PRINT		= 48,	/* (...) */
	KTAP_FN_PRINTF		= 49,	/* (format, ...) */
	KTAP_FN_PRINT_HIST	= 50,	/* (table or aggregation[, rows[, scale]]) */
	KTAP_FN_FORMAT		= 51,	/* (format, ...): the text that printf would print */
	KTAP_FN_PRINTA		= 52,	/* (format, table or aggregation): its keys and values */
	KTAP_FN_JOIN		= 53,	/* (pointer): the strings of an argv, separated by blanks */
	KTAP_FN_CAT		= 54,	/* (path): the reader of the session shows that file */
	KTAP_FN_DUMP		= 55,	/* ([reason]): the reader writes what it kept to a file */

	/* numbers in the namespace of processes of the session's opener, 0 if there is none */
	KTAP_FN_NS_PID		= 56,
	KTAP_FN_NS_TID		= 57,

	KTAP_FN_CGROUP_ID	= 58,	/* (path): id of that cgroup (v2), an error if none */

	KTAP_FN_PATH		= 59,	/* (pointer to struct path): its path as text */

	/* more values */
	KTAP_FN_UTC_OFFSET	= 60,	/* nanoseconds that local time is ahead of UTC */
	KTAP_FN_REG		= 61,	/* (name): register of the event, nil if it has none */

	/* tables */
	KTAP_FN_COUNT		= 64,	/* (table, key[, n]): table[key] += n, the sum */
	KTAP_FN_LEN		= 65,	/* (table, aggregation, string, array or stack) */
	KTAP_FN_CLEAR		= 66,	/* (table or aggregation) */
	KTAP_FN_SORT		= 67,	/* (table or aggregation[, function]): a sorted table */
	KTAP_FN_TRUNC		= 68,	/* (table or aggregation, n): keep n largest, -n smallest */
	KTAP_FN_NORMALIZE	= 69,	/* (table or aggregation, n): divide shown numbers by n */
	KTAP_FN_TABLE_NEW	= 70,	/* (n[, m]): a new table for at most n + m entries */

	/* strings */
	KTAP_FN_TOSTRING	= 80,	/* (value); of an event: its line, newline included */
	KTAP_FN_SUBSTR		= 81,	/* (string, first[, n]): first from 0, or from the end */
	KTAP_FN_STRSTR		= 82,	/* (string, part): the rest from the part on, or nil */
	KTAP_FN_STRCMP		= 83,	/* (string, string): -1, 0 or 1 */
	KTAP_FN_STRLEN		= 84,	/* (string): bytes */
	KTAP_FN_TOUPPER		= 85,	/* (string): ASCII only */
	KTAP_FN_TOLOWER		= 86,	/* (string) */
	KTAP_FN_TONUMBER	= 87,	/* (value): a number as in scripts; nil if it is none */
	KTAP_FN_NTOP		= 88,	/* (address) or (family, address): IPv4 or IPv6 as text */
	KTAP_FN_MACADDR		= 89,	/* (6 bytes): as text */
	KTAP_FN_STRFTIME	= 90,	/* (format[, nsecs]): UTC */
	KTAP_FN_GLOB		= 95,	/* (string or nil, pattern): does it match all of it? */

	/* the event object */
	KTAP_FN_EVENT_FIELD	= 96,	/* (event, n): field n, from 1 */

	/* control */
	KTAP_FN_EXIT		= 112,	/* ([code]): end the session; the handler ends here */
	KTAP_FN_ERROR		= 113,	/* (message): a run-time error */
	KTAP_FN_STOP		= 114,	/* (): end the session; the handler continues to its end */

	/* acting on the system: for a chunk with KTAP_CHUNK_UNSAFE, in an unsafe session */
	KTAP_FN_SET_RETVAL	= 116,	/* ([event,] n): the function returns n and does nothing */
	KTAP_FN_SIGNAL		= 117,	/* (number or name): to the current process; was it sent? */
	KTAP_FN_SYSTEM		= 118,	/* (format, ...): the session's reader runs that command */
	KTAP_FN_VERDICT		= 119,	/* ("drop" or "accept"): what happens to the packet */

	/* output that is held back */
	KTAP_FN_SPECULATION	= 120,	/* (): number of a new one, nil if there are too many */
	KTAP_FN_SPECULATE	= 121,	/* (number): hold back the output of this handler there */
	KTAP_FN_COMMIT		= 122,	/* (number): output it now */
	KTAP_FN_DISCARD		= 123,	/* (number): drop it */

	/* aggregations */
	KTAP_FN_NEW_COUNT	= 128,	/* (): a new one; so do the next three */
	KTAP_FN_NEW_STATS	= 129,	/* () */
	KTAP_FN_NEW_HIST	= 130,	/* ([k]): by powers of two, each in 2^k parts */
	KTAP_FN_NEW_LHIST	= 131,	/* (min, max, step): by equal steps */
	KTAP_FN_COUNT_OF	= 132,	/* (aggregation): number of values */
	KTAP_FN_SUM		= 133,	/* (aggregation) */
	KTAP_FN_MIN		= 134,	/* (aggregation), nil if empty; (n, n, ...): the least */
	KTAP_FN_MAX		= 135,	/* likewise */
	KTAP_FN_AVG		= 136,	/* (aggregation): nil if it has no value */
	KTAP_FN_QUANTILE	= 137,	/* (aggregation, p[, scale]): nil if it has no value */
	KTAP_FN_STDDEV		= 138,	/* (aggregation): nil if it has no value */
	KTAP_FN_SNAPSHOT	= 139,	/* (table or aggregation): a new one with all of it */

	/* memory: nil if it cannot be read */
	KTAP_FN_STR		= 145,	/* (address[, n]): the string there, of at most n bytes */
	KTAP_FN_USER_STRING	= 146,	/* (address[, n]): of the current process */
	KTAP_FN_KERNEL_STRING	= 147,	/* (address[, n]): of the kernel */
	KTAP_FN_BUF		= 148,	/* (address, n): n bytes as a string */
	KTAP_FN_READ		= 149,	/* (address, size): an integer of 1, 2, 4 or 8 bytes */

	/* symbols of the kernel */
	KTAP_FN_KSYM		= 153,	/* (address): "name+0x10 [module]" */
	KTAP_FN_KADDR		= 154,	/* (name): its address, nil if there is none */
	KTAP_FN_STRINGOF	= 155,	/* (value): the symbol of an address, else as tostring */
	KTAP_FN_IPOF		= 156,	/* (value): address as an integer; of a stack the first */
	KTAP_FN_CALLED_FROM	= 157,	/* (address): is its function in the kernel's stack? */

	/* symbols of programs */
	KTAP_FN_USYM		= 158,	/* (address): code of the current process */

	/* types: their names are constants */
	KTAP_FN_CAST		= 160,	/* ("struct sock", address): pointer to this type */
	KTAP_FN_SIZEOF		= 161,	/* (type): its size in bytes */
	KTAP_FN_OFFSETOF	= 162,	/* ("struct sock", "a.b"): bytes before the member */

	/* tests: lines of the Test Anything Protocol; results are counted */
	KTAP_FN_TEST_PLAN	= 168,	/* (n[, reason]): n results will follow; 0: a reason */
	KTAP_FN_TEST_OK		= 169,	/* (value[, name]): is it true? */
	KTAP_FN_TEST_IS		= 170,	/* (got, expected[, name]): are they equal? */
	KTAP_FN_TEST_ISNT	= 171,	/* (got, unexpected[, name]): do they differ? */
	KTAP_FN_TEST_SKIP	= 172,	/* (name[, reason]): a test that cannot run here */
	KTAP_FN_TEST_DIAG	= 173,	/* (text): a comment */
};

/**
 * DOC: Frames
 *
 * read(2) of a session returns plain text; messages of the kernel itself are in lines
 * that begin with "ktap: ".  After the setup line "frames" it returns frames instead:
 * a struct ktap_frame, then its bytes, without padding.  A read may end anywhere, also
 * inside a frame.
 */

/**
 * enum ktap_channel - contents of a frame
 * @KTAP_CH_OUTPUT: output of the script
 * @KTAP_CH_ERROR: a load or run-time error, text lines
 * @KTAP_CH_NOTE: losses and other notes for the user, text lines
 * @KTAP_CH_EXIT: the last frame: the exit code, __le32
 * @KTAP_CH_CAT: a path: the reader shows the contents of that file here
 * @KTAP_CH_SYSTEM: a command for a shell: the reader shows its output here
 * @KTAP_CH_DUMP: a reason: the reader writes the output that it has kept to a file
 * @KTAP_CH_TIME: after the setup line "times", before each other frame but the last: the time of
 *	what it has, nanoseconds of CLOCK_MONOTONIC, __le64
 */
enum ktap_channel {
	KTAP_CH_OUTPUT	= 1,
	KTAP_CH_ERROR	= 2,
	KTAP_CH_NOTE	= 3,
	KTAP_CH_EXIT	= 4,
	KTAP_CH_CAT	= 5,
	KTAP_CH_SYSTEM	= 6,
	KTAP_CH_DUMP	= 7,
	KTAP_CH_TIME	= 8,
};

/**
 * struct ktap_frame - header of a frame
 * @len: bytes that follow
 * @channel: enum ktap_channel
 * @reserved: 0
 */
struct ktap_frame {
	__le32	len;
	__u8	channel;
	__u8	reserved[3];
};

#endif /* _UAPI_LINUX_KTAP_H */
