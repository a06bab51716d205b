// SPDX-License-Identifier: GPL-2.0
/*
 * The instruction set as a table: verifier and ktap/features read it.
 */
#include <linux/bits.h>
#include <uapi/linux/ktap.h>

#include "opcode.h"
#include "program.h"
#include "value.h"

#define ANY		GENMASK(KTAP_NR_TAGS - 1, 0)
/* An event dies with its handler: neither it nor its unmade text is ever stored. */
#define STORED		(ANY & ~(ktap_bit(EVENT) | ktap_bit(ARGSTR)))

#define OP(op, _a, _b, _c, _d, _result)			\
	[KTAP_OP_##op] = {				\
		.name = #op,				\
		.a = KTAP_X_##_a,			\
		.b = KTAP_X_##_b,			\
		.c = KTAP_X_##_c,			\
		.d = KTAP_X_##_d,			\
		.result = _result,			\
	}

#define ARITH(op)	OP(op, WRITE, READ, READ, NONE, ktap_bit(INT))
#define ARITH_IMM(op)	OP(op, WRITE, READ, NONE, IMM, ktap_bit(INT))
#define JUMP_IMM(op)	OP(op, READ, IMM, IMM, JUMP, 0)

const struct ktap_opdef ktap_opdefs[256] = {
	OP(NIL,		OWN,	OWN,	NONE,	NONE,	ktap_bit(NIL)),
	OP(BOOL,	WRITE,	OWN,	NONE,	NONE,	ktap_bit(BOOL)),
	OP(INT,		WRITE,	NONE,	NONE,	IMM,	ktap_bit(INT)),
	OP(INTK,	WRITE,	NONE,	NONE,	INT,	ktap_bit(INT)),
	OP(STR,		WRITE,	NONE,	NONE,	STR,	ktap_bit(STR)),
	OP(FUNC,	WRITE,	NONE,	NONE,	FUNC,	ktap_bit(FUNC)),
	OP(MOV,		OWN,	READ,	NONE,	NONE,	0),

	OP(GETG,	WRITE,	NONE,	NONE,	GLOBAL,	STORED),
	OP(SETG,	READ,	NONE,	NONE,	GLOBAL,	0),
	OP(ADDG,	READ,	NONE,	NONE,	GLOBAL,	0),

	ARITH(ADD), ARITH(SUB), ARITH(MUL), ARITH(DIV), ARITH(MOD),
	ARITH(AND), ARITH(OR), ARITH(XOR), ARITH(SHL), ARITH(SHR),

	ARITH_IMM(ADDI), ARITH_IMM(SUBI), ARITH_IMM(MULI),
	OP(DIVI,	WRITE,	READ,	NONE,	DIVISOR, ktap_bit(INT)),
	OP(MODI,	WRITE,	READ,	NONE,	DIVISOR, ktap_bit(INT)),
	ARITH_IMM(ANDI), ARITH_IMM(ORI), ARITH_IMM(XORI),
	ARITH_IMM(SHLI), ARITH_IMM(SHRI),

	OP(NEG,		WRITE,	READ,	NONE,	NONE,	ktap_bit(INT)),
	OP(BNOT,	WRITE,	READ,	NONE,	NONE,	ktap_bit(INT)),
	OP(NOT,		WRITE,	READ,	NONE,	NONE,	ktap_bit(BOOL)),
	OP(CONCAT,	WRITE,	OWN,	OWN,	NONE,	ktap_bit(STR)),
	OP(TUPLE,	WRITE,	OWN,	OWN,	NONE,	ktap_bit(TUPLE)),
	OP(EQ,		WRITE,	READ,	READ,	NONE,	ktap_bit(BOOL)),
	OP(LT,		WRITE,	READ,	READ,	NONE,	ktap_bit(BOOL)),
	OP(LE,		WRITE,	READ,	READ,	NONE,	ktap_bit(BOOL)),

	OP(JMP,		NONE,	NONE,	NONE,	JUMP,	0),
	OP(JT,		READ,	NONE,	NONE,	JUMP,	0),
	OP(JF,		READ,	NONE,	NONE,	JUMP,	0),
	OP(JNIL,	READ,	NONE,	NONE,	JUMP,	0),
	OP(JNNIL,	READ,	NONE,	NONE,	JUMP,	0),
	OP(JEQ,		READ,	READ,	NONE,	JUMP,	0),
	OP(JNE,		READ,	READ,	NONE,	JUMP,	0),
	OP(JLT,		READ,	READ,	NONE,	JUMP,	0),
	OP(JLE,		READ,	READ,	NONE,	JUMP,	0),
	OP(JNLT,	READ,	READ,	NONE,	JUMP,	0),
	OP(JNLE,	READ,	READ,	NONE,	JUMP,	0),
	JUMP_IMM(JEQI), JUMP_IMM(JNEI),
	JUMP_IMM(JLTI), JUMP_IMM(JLEI), JUMP_IMM(JGTI), JUMP_IMM(JGEI),
	JUMP_IMM(JNLTI), JUMP_IMM(JNLEI), JUMP_IMM(JNGTI), JUMP_IMM(JNGEI),

	OP(NEWT,	WRITE,	NONE,	NONE,	OWN,	ktap_bit(NIL) | ktap_bit(TABLE)),
	OP(TGET,	WRITE,	READ,	READ,	NONE,	STORED),
	OP(TGETS,	WRITE,	READ,	NONE,	STR,	ANY),
	OP(TGETI,	WRITE,	READ,	NONE,	IMM,	STORED),
	OP(TSET,	READ,	READ,	READ,	NONE,	0),
	OP(TSETS,	READ,	NONE,	READ,	STR,	0),
	OP(TSETI,	READ,	NONE,	READ,	IMM,	0),
	OP(TADD,	READ,	READ,	READ,	NONE,	0),
	OP(TADDS,	READ,	NONE,	READ,	STR,	0),
	OP(TADDI,	READ,	NONE,	READ,	IMM,	0),
	OP(THAS,	WRITE,	READ,	READ,	NONE,	ktap_bit(BOOL)),
	OP(TAGG,	READ,	READ,	READ,	NONE,	0),
	OP(ITER,	OWN,	NONE,	NONE,	NONE,	0),
	OP(NEXT,	OWN,	NONE,	NONE,	JUMP,	STORED),
	OP(FORPREP,	OWN,	NONE,	NONE,	JUMP,	ktap_bit(INT)),
	OP(FORLOOP,	OWN,	NONE,	NONE,	JUMP,	ktap_bit(INT)),

	OP(CALL,	OWN,	OWN,	OWN,	FUNC,	ANY),
	OP(CALLV,	OWN,	OWN,	OWN,	NONE,	ANY),
	OP(CALLB,	OWN,	OWN,	NONE,	OWN,	0),
	OP(RET,		OWN,	OWN,	NONE,	NONE,	0),
	OP(VARG,	OWN,	NONE,	OWN,	NONE,	ANY),
	OP(TSETM,	READ,	OWN,	NONE,	IMM,	0),

	OP(AGG,		READ,	NONE,	READ,	NONE,	0),

	OP(FIELD,	WRITE,	NONE,	NONE,	FIELD,	ANY),
	OP(ARG,		WRITE,	NONE,	NONE,	OWN,	ANY),

	OP(SYMBOL,	WRITE,	NONE,	NONE,	STR,	ktap_bit(NIL) | ktap_bit(INT)),

	OP(GETSELF,	WRITE,	NONE,	NONE,	STR,	STORED),
	OP(SETSELF,	READ,	NONE,	NONE,	STR,	0),
	OP(ADDSELF,	READ,	NONE,	NONE,	STR,	0),
};

const char *ktap_opcode_name(u8 op)
{
	return ktap_opdefs[op].name;
}

unsigned int ktap_insn_work(const struct ktap_code *insn)
{
	switch (insn->op) {
	/* Writes that many registers. */
	case KTAP_OP_NIL:
		return 1 + (insn->b - insn->a) / 8;
	/* Take locks, which others may hold; or go through the fields of an event. */
	case KTAP_OP_GETG ... KTAP_OP_ADDG:
	case KTAP_OP_TGET ... KTAP_OP_THAS:
	case KTAP_OP_ITER ... KTAP_OP_NEXT:
	case KTAP_OP_TSETM:
	case KTAP_OP_FIELD ... KTAP_OP_ADDSELF:
	/* Measure and copy their parts. */
	case KTAP_OP_CONCAT:
	case KTAP_OP_TUPLE:
		return KTAP_UNIT_WORK / 4;
	/* Go through the pieces of a distribution, or make something. */
	case KTAP_OP_NEWT:
	case KTAP_OP_TAGG:
	case KTAP_OP_AGG:
		return KTAP_UNIT_WORK;
	default:
		return 1;
	}
}
