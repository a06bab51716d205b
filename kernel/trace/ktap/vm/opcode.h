/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Properties of the instructions.
 */
#ifndef _KTAP_OPCODE_H
#define _KTAP_OPCODE_H

#include <linux/bits.h>
#include <linux/types.h>

struct ktap_code;

/**
 * enum ktap_operand - meaning of a field of an instruction
 * @KTAP_X_NONE: not used, zero
 * @KTAP_X_READ: a register that is read
 * @KTAP_X_WRITE: a register that is written
 * @KTAP_X_REG: a register; the verifier has a rule of this opcode for what is read
 *	and written
 * @KTAP_X_ITER: the first of the five registers of an iteration; likewise
 * @KTAP_X_FOR: the first of the four registers of a numeric loop; likewise
 * @KTAP_X_OWN: the verifier has a rule of this opcode for its range
 * @KTAP_X_BOOL: 0 or 1
 * @KTAP_X_NEED: enum ktap_field_need
 * @KTAP_X_IMM: any number; b and c form a 16-bit one
 * @KTAP_X_DIVISOR: any number except zero
 * @KTAP_X_INT: integer constant
 * @KTAP_X_STR: string constant
 * @KTAP_X_FUNC: function
 * @KTAP_X_GLOBAL: global
 * @KTAP_X_FIELD: event field
 * @KTAP_X_ARG: number of an argument
 * @KTAP_X_SIZE: size of a table
 * @KTAP_X_JUMP: distance of a jump
 */
enum ktap_operand {
	KTAP_X_NONE,
	KTAP_X_READ,
	KTAP_X_WRITE,
	KTAP_X_REG,
	KTAP_X_ITER,
	KTAP_X_FOR,
	KTAP_X_OWN,
	KTAP_X_BOOL,
	KTAP_X_NEED,
	KTAP_X_IMM,
	KTAP_X_DIVISOR,
	KTAP_X_INT,
	KTAP_X_STR,
	KTAP_X_FUNC,
	KTAP_X_GLOBAL,
	KTAP_X_FIELD,
	KTAP_X_ARG,
	KTAP_X_SIZE,
	KTAP_X_JUMP,
};

/* An instruction with KTAP_MULTI in c leaves open values (vm/frame.c). */
#define KTAP_OPF_GIVES_OPEN	BIT(0)
/* An instruction with KTAP_MULTI in b consumes the open values before it. */
#define KTAP_OPF_TAKES_OPEN	BIT(1)
/* The instruction always consumes the open values before it, from R[b] on. */
#define KTAP_OPF_ONLY_OPEN	BIT(2)
/* Control never continues at the next instruction. */
#define KTAP_OPF_ENDS		BIT(3)
/* The instruction calls a function of the program: the one with number d, */
#define KTAP_OPF_CALLS		BIT(4)
/* or the one that is the value of R[a]. */
#define KTAP_OPF_BY_VALUE	BIT(5)

/**
 * struct ktap_opdef - definition of an opcode
 * @name: name in listings; NULL: no chunk can contain it
 * @a: enum ktap_operand of the field
 * @b: enum ktap_operand of the field
 * @c: enum ktap_operand of the field
 * @d: enum ktap_operand of the field
 * @work: cost, in 1/KTAP_UNIT_WORK units, see ktap_insn_work()
 * @uses: KTAP_USES_* that a program with it needs
 * @flags: KTAP_OPF_*
 * @result: tags of the values that it writes to R[a], a bit mask
 */
struct ktap_opdef {
	const char *name;
	u8 a;
	u8 b;
	u8 c;
	u8 d;
	u8 work;
	u8 uses;
	u8 flags;
	u16 result;
};

/* Opcodes of the instructions that only the loader makes (opcode_list.h). */
enum ktap_made_opcode {
	KTAP_OP_SETSELFN = 231,
	KTAP_OP_SETGN	= 232,
	KTAP_OP_KANY	= 233,
	KTAP_OP_KERNEL	= 234,
	KTAP_OP_GETC	= 235,
	KTAP_OP_SUMI	= 236,
	KTAP_OP_SUMEND	= 237,
	KTAP_OP_END	= 238,
	KTAP_OP_DECIDE	= 239,
	KTAP_OP_TESTEQ	= 240,
	KTAP_OP_TESTNE	= 241,
	KTAP_OP_TESTLT	= 242,
	KTAP_OP_TESTLE	= 243,
	KTAP_OP_TESTGT	= 244,
	KTAP_OP_TESTGE	= 245,
	KTAP_OP_VALUE	= 246,
	KTAP_OP_SUM	= 247,
	KTAP_OP_MEMBER	= 248,
	KTAP_OP_ELEM	= 249,
	KTAP_OP_ELEMI	= 250,
	KTAP_OP_CAST	= 251,
	KTAP_OP_TAIL	= 252,
	KTAP_OP_TAILV	= 253,
	KTAP_OP_PRINTF	= 254,
};

extern const struct ktap_opdef ktap_opdefs[256];

#define KTAP_UNIT_WORK	32	/* a unit of the budget */

/* Worst-case work of an instruction, except what it charges itself. */
unsigned int ktap_insn_work(const struct ktap_code *insn);

#endif /* _KTAP_OPCODE_H */
