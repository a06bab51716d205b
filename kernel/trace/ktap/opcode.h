/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fields of each instruction mean.
 */
#ifndef _KTAP_OPCODE_H
#define _KTAP_OPCODE_H

#include <linux/types.h>

struct ktap_code;

/**
 * enum ktap_operand - what a field of an instruction is
 * @KTAP_X_NONE: not used, zero
 * @KTAP_X_READ: a register that is read
 * @KTAP_X_WRITE: a register that is written
 * @KTAP_X_OWN: the opcode has a rule of its own in the verifier
 * @KTAP_X_IMM: any number; b and c together are a 16-bit one
 * @KTAP_X_DIVISOR: a number but zero
 * @KTAP_X_INT: integer constant
 * @KTAP_X_STR: string constant
 * @KTAP_X_FUNC: function
 * @KTAP_X_GLOBAL: global
 * @KTAP_X_FIELD: event field
 * @KTAP_X_JUMP: distance of a jump
 */
enum ktap_operand {
	KTAP_X_NONE,
	KTAP_X_READ,
	KTAP_X_WRITE,
	KTAP_X_OWN,
	KTAP_X_IMM,
	KTAP_X_DIVISOR,
	KTAP_X_INT,
	KTAP_X_STR,
	KTAP_X_FUNC,
	KTAP_X_GLOBAL,
	KTAP_X_FIELD,
	KTAP_X_JUMP,
};

/**
 * struct ktap_opdef - an opcode's definition
 * @name: as listings write it; NULL: there is no such opcode
 * @a: enum ktap_operand of the field
 * @b: same
 * @c: same
 * @d: same
 * @result: tags of what it writes to R[a], a bit mask
 */
struct ktap_opdef {
	const char *name;
	u8 a;
	u8 b;
	u8 c;
	u8 d;
	u16 result;
};

/*
 * Instructions that the verifier puts into the place of others when it knows what
 * a pointer points to.  No chunk has them: they are in no table.
 */
enum ktap_made_opcode {
	KTAP_OP_MEMBER	= 248,	/* R[a] = member of R[b]; d is of &ktap_program.accesses */
	KTAP_OP_ELEM	= 249,	/* R[a] = what stands R[c] places behind R[b] */
	KTAP_OP_ELEMI	= 250,	/* R[a] = what stands d places behind R[b] */
	KTAP_OP_CAST	= 251,	/* R[a] = R[a + 1], a pointer to type d */
};

extern const struct ktap_opdef ktap_opdefs[256];

#define KTAP_UNIT_WORK	32	/* a unit of the budget */

/* What an instruction may take at worst, without what it pays for itself. */
unsigned int ktap_insn_work(const struct ktap_code *insn);

/* Name of an opcode, NULL if there is none. */
const char *ktap_opcode_name(u8 op);

#endif /* _KTAP_OPCODE_H */
