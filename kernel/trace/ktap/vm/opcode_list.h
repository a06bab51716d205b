/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The instruction set.  Included by opcode.c and vm.c only, which define
 *
 *	OP(name, a, b, c, d, result, work, uses, flags)
 *	MADE(name, a, d, work, flags)
 *
 * a to d are enum ktap_operand without the prefix; result, work, uses and flags
 * are fields of struct ktap_opdef.  work is
 *
 *	 1	at most a few memory accesses
 *	 2	arithmetic, a comparison that gives a boolean, a cast or the call of a
 *		built-in function, which charges the rest itself
 *	 8	a search of the fields of an event
 *	10	a lock that may be contended
 *	16	measuring and copying of the operands
 *	20	finding an entry under a lock
 *	32	locking a whole table, or a search of the buckets of a distribution
 *	96	making a table, and freeing it
 */

OP(NIL,		REG,	REG,	NONE,	NONE,	NIL,	1,	0, 0)
OP(BOOL,	WRITE,	BOOL,	NONE,	NONE,	BOOL,	1,	0, 0)
OP(INT,		WRITE,	NONE,	NONE,	IMM,	INT,	1,	0, 0)
OP(INTK,	WRITE,	NONE,	NONE,	INT,	INT,	1,	0, 0)
OP(STR,		WRITE,	NONE,	NONE,	STR,	STR,	1,	0, 0)
OP(FUNC,	WRITE,	NONE,	NONE,	FUNC,	FUNC,	1,	0, 0)
OP(MOV,		REG,	READ,	NONE,	NONE,	0,	1,	0, 0)

OP(GETG,	WRITE,	NONE,	NONE,	GLOBAL,	STORED,	10,	0, 0)
OP(SETG,	READ,	NONE,	NONE,	GLOBAL,	0,	10,	0, 0)
OP(ADDG,	READ,	NONE,	NONE,	GLOBAL,	0,	10,	0, 0)

OP(ADD,		WRITE,	READ,	READ,	NONE,	INT,	2,	0, 0)
OP(SUB,		WRITE,	READ,	READ,	NONE,	INT,	2,	0, 0)
OP(MUL,		WRITE,	READ,	READ,	NONE,	INT,	2,	0, 0)
OP(DIV,		WRITE,	READ,	READ,	NONE,	INT,	2,	0, 0)
OP(MOD,		WRITE,	READ,	READ,	NONE,	INT,	2,	0, 0)
OP(AND,		WRITE,	READ,	READ,	NONE,	INT,	2,	0, 0)
OP(OR,		WRITE,	READ,	READ,	NONE,	INT,	2,	0, 0)
OP(XOR,		WRITE,	READ,	READ,	NONE,	INT,	2,	0, 0)
OP(SHL,		WRITE,	READ,	READ,	NONE,	INT,	2,	0, 0)
OP(SHR,		WRITE,	READ,	READ,	NONE,	INT,	2,	0, 0)

OP(ADDI,	WRITE,	READ,	NONE,	IMM,	INT,	2,	0, 0)
OP(SUBI,	WRITE,	READ,	NONE,	IMM,	INT,	2,	0, 0)
OP(MULI,	WRITE,	READ,	NONE,	IMM,	INT,	2,	0, 0)
OP(DIVI,	WRITE,	READ,	NONE,	DIVISOR, INT,	2,	0, 0)
OP(MODI,	WRITE,	READ,	NONE,	DIVISOR, INT,	2,	0, 0)
OP(ANDI,	WRITE,	READ,	NONE,	IMM,	INT,	2,	0, 0)
OP(ORI,		WRITE,	READ,	NONE,	IMM,	INT,	2,	0, 0)
OP(XORI,	WRITE,	READ,	NONE,	IMM,	INT,	2,	0, 0)
OP(SHLI,	WRITE,	READ,	NONE,	IMM,	INT,	2,	0, 0)
OP(SHRI,	WRITE,	READ,	NONE,	IMM,	INT,	2,	0, 0)

OP(NEG,		WRITE,	READ,	NONE,	NONE,	INT,	2,	0, 0)
OP(BNOT,	WRITE,	READ,	NONE,	NONE,	INT,	2,	0, 0)
OP(NOT,		WRITE,	READ,	NONE,	NONE,	BOOL,	2,	0, 0)
OP(CONCAT,	WRITE,	OWN,	OWN,	NONE,	STR,	16,	0, 0)
OP(TUPLE,	WRITE,	OWN,	OWN,	NONE,	TUPLE,	16,	0, 0)
OP(EQ,		WRITE,	READ,	READ,	NONE,	BOOL,	2,	0, 0)
OP(LT,		WRITE,	READ,	READ,	NONE,	BOOL,	2,	0, 0)
OP(LE,		WRITE,	READ,	READ,	NONE,	BOOL,	2,	0, 0)

OP(JMP,		NONE,	NONE,	NONE,	JUMP,	0,	1,	0, ENDS)
OP(JT,		READ,	NONE,	NONE,	JUMP,	0,	1,	0, 0)
OP(JF,		READ,	NONE,	NONE,	JUMP,	0,	1,	0, 0)
OP(JNIL,	READ,	NONE,	NONE,	JUMP,	0,	1,	0, 0)
OP(JNNIL,	READ,	NONE,	NONE,	JUMP,	0,	1,	0, 0)
OP(JEQ,		READ,	READ,	NONE,	JUMP,	0,	1,	0, 0)
OP(JNE,		READ,	READ,	NONE,	JUMP,	0,	1,	0, 0)
OP(JLT,		READ,	READ,	NONE,	JUMP,	0,	1,	0, 0)
OP(JLE,		READ,	READ,	NONE,	JUMP,	0,	1,	0, 0)
OP(JNLT,	READ,	READ,	NONE,	JUMP,	0,	1,	0, 0)
OP(JNLE,	READ,	READ,	NONE,	JUMP,	0,	1,	0, 0)
OP(JEQI,	READ,	IMM,	IMM,	JUMP,	0,	1,	0, 0)
OP(JNEI,	READ,	IMM,	IMM,	JUMP,	0,	1,	0, 0)
OP(JLTI,	READ,	IMM,	IMM,	JUMP,	0,	1,	0, 0)
OP(JLEI,	READ,	IMM,	IMM,	JUMP,	0,	1,	0, 0)
OP(JGTI,	READ,	IMM,	IMM,	JUMP,	0,	1,	0, 0)
OP(JGEI,	READ,	IMM,	IMM,	JUMP,	0,	1,	0, 0)
OP(JNLTI,	READ,	IMM,	IMM,	JUMP,	0,	1,	0, 0)
OP(JNLEI,	READ,	IMM,	IMM,	JUMP,	0,	1,	0, 0)
OP(JNGTI,	READ,	IMM,	IMM,	JUMP,	0,	1,	0, 0)
OP(JNGEI,	READ,	IMM,	IMM,	JUMP,	0,	1,	0, 0)

OP(NEWT,	WRITE,	NONE,	NONE,	SIZE,	NIL | TABLE, 96, KTAP_USES_HEAP, 0)
OP(TGET,	WRITE,	READ,	READ,	NONE,	STORED,	20,	0, 0)
OP(TGETS,	WRITE,	READ,	NONE,	STR,	ANY,	20,	0, 0)
OP(TGETI,	WRITE,	READ,	NONE,	IMM,	STORED,	20,	0, 0)
OP(TSET,	READ,	READ,	READ,	NONE,	0,	20,	0, 0)
OP(TSETS,	READ,	NONE,	READ,	STR,	0,	20,	0, 0)
OP(TSETI,	READ,	NONE,	READ,	IMM,	0,	20,	0, 0)
OP(TADD,	READ,	READ,	READ,	NONE,	0,	20,	0, 0)
OP(TADDS,	READ,	NONE,	READ,	STR,	0,	20,	0, 0)
OP(TADDI,	READ,	NONE,	READ,	IMM,	0,	20,	0, 0)
OP(THAS,	WRITE,	READ,	READ,	NONE,	BOOL,	20,	0, 0)
OP(ITER,	ITER,	NONE,	NONE,	NONE,	0,	32,	0, 0)
OP(NEXT,	ITER,	NONE,	NONE,	JUMP,	STORED,	32,	0, 0)
OP(FORPREP,	FOR,	NONE,	NONE,	JUMP,	INT,	1,	0, 0)
OP(FORLOOP,	FOR,	NONE,	NONE,	JUMP,	INT,	1,	0, 0)
OP(TAGG,	READ,	READ,	READ,	NONE,	0,	32,	0, 0)

OP(CALL,	REG,	OWN,	OWN,	FUNC,	ANY,	1,	0, GIVES_OPEN | TAKES_OPEN | CALLS)
OP(CALLV,	REG,	OWN,	OWN,	NONE,	ANY,	1,	0, GIVES_OPEN | TAKES_OPEN | BY_VALUE)
OP(CALLB,	REG,	OWN,	NONE,	OWN,	0,	2,	0, TAKES_OPEN)
OP(RET,		REG,	OWN,	NONE,	NONE,	0,	1,	0, TAKES_OPEN | ENDS)
OP(VARG,	REG,	NONE,	OWN,	NONE,	ANY,	1,	0, GIVES_OPEN)
OP(TSETM,	READ,	REG,	NONE,	IMM,	0,	20,	0, ONLY_OPEN)

OP(AGG,		READ,	NONE,	READ,	NONE,	0,	32,	0, 0)

OP(FIELD,	WRITE,	NEED,	NONE,	FIELD,	ANY,	8,	0, 0)
OP(ARG,		WRITE,	NONE,	NONE,	ARG,	ANY,	8,	0, 0)

OP(SYMBOL,	WRITE,	NONE,	NONE,	STR,	NIL | INT, 8,	0, 0)

OP(CALLK,	REG,	OWN,	NONE,	STR,	0,	2,	0, 0)

OP(GETSELF,	WRITE,	NONE,	NONE,	STR,	STORED,	20,	KTAP_USES_SELF, 0)
OP(SETSELF,	READ,	NONE,	NONE,	STR,	0,	20,	KTAP_USES_SELF | KTAP_USES_HEAP, 0)
OP(ADDSELF,	READ,	NONE,	NONE,	STR,	0,	20,	KTAP_USES_SELF | KTAP_USES_HEAP, 0)

/*
 * Instructions that the loader substitutes for others, after it has verified them
 * (load/rewrite.c; for accesses by pointers of known type, load/verifier_types.c).  They
 * have no name, as no chunk contains them.  Those without work are substituted after the
 * work has been added up.
 */
MADE(KANY,	REG,	OWN,	32, 0)	/* CALLK of a function that is not in that list */
MADE(KERNEL,	REG,	OWN,	2, 0)	/* CALLK; d indexes ktap_kernel_calls */
MADE(SETGN,	READ,	GLOBAL,	0, 0)	/* SETG of a global that only gets integers */
MADE(SETSELFN,	READ,	STR,	0, 0)	/* SETSELF, likewise, or nil */
MADE(GETC,	WRITE,	GLOBAL,	0, 0)	/* GETG of a global that does not change any more */
MADE(SUMI,	WRITE,	IMM,	0, 0)	/* INT, and the SUM of that integer that follows */
MADE(SUMEND,	WRITE,	IMM,	0, 0)	/* INT, and the SUM and END that follow */
MADE(END,	NONE,	NONE,	0, ENDS)	/* RET without values of a handler */
MADE(DECIDE,	READ,	NONE,	0, ENDS)	/* RET of the value of a filter */
/* INT, the comparison of R[b] with that integer, and the DECIDE of the result */
MADE(TESTEQ,	WRITE,	IMM,	0, 0)
MADE(TESTNE,	WRITE,	IMM,	0, 0)
MADE(TESTLT,	WRITE,	IMM,	0, 0)
MADE(TESTLE,	WRITE,	IMM,	0, 0)
MADE(TESTGT,	WRITE,	IMM,	0, 0)
MADE(TESTGE,	WRITE,	IMM,	0, 0)
MADE(VALUE,	WRITE,	OWN,	32, 0)	/* R[a] = built-in value d: CALLB without checks */
MADE(SUM,	READ,	GLOBAL,	0, 0)	/* ADDG for a global that is kept per CPU */
MADE(MEMBER,	WRITE,	OWN,	0, 0)	/* R[a] = member of R[b]; d indexes @accesses */
MADE(ELEM,	WRITE,	NONE,	0, 0)	/* R[a] = element R[c] of the array at R[b] */
MADE(ELEMI,	WRITE,	IMM,	0, 0)	/* R[a] = element d of the array at R[b] */
MADE(CAST,	WRITE,	OWN,	0, 0)	/* R[a] = R[a + 1] as a pointer to type d */
MADE(TAIL,	REG,	FUNC,	0, CALLS)	/* CALL, and RET of all its results */
MADE(TAILV,	REG,	NONE,	0, BY_VALUE)	/* CALLV, and RET of all its results */
MADE(PRINTF,	REG,	OWN,	0, 0)	/* CALLB of printf; d indexes @formats */
