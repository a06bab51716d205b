// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of the verifier, one by one, by their names in
 * Documentation/trace/ktap-bytecode.rst: code that is accepted, a change that
 * breaks this rule and no other, and the message for it.
 */
#include <linux/string.h>
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/builtin.h"

#define NREGS	10
#define OPEN	KTAP_MULTI

/**
 * struct rule - a case of a rule of the verifier
 * @name: as in the documentation; after a dot, the case of the rule
 * @message: the error message, without "ktap: error: "
 * @right: code of main after instruction 0, which writes its registers; RET follows if
 *	it is missing
 * @wrong: replaces one of these instructions
 * @at: which of them
 * @nregs: registers of main, if not NREGS
 * @nwritten: number of registers that main writes, if not all
 * @plain: main takes no variable arguments
 * @try: instructions, first and end, handler and register; end 0: none
 * @wrong_try: replaces @try
 */
struct rule {
	const char *name;
	const char *message;
	struct ktap_code right[6];
	struct ktap_code wrong;
	u8 at;
	u8 nregs;
	u8 nwritten;
	bool plain;
	u8 try[4];
	u8 wrong_try[4];
};

#define I(_op, _a, _b, _c, _d)	\
	{ .op = KTAP_OP_##_op, .a = _a, .b = _b, .c = _c, .d = _d }
#define NOP	I(JMP, 0, 0, 0, 0)

/* Strings: functions of the kernel, and names of none */
#define IN_TASK	4
#define SWAB32	5
#define SWB32	6
#define NOTHING	7

/* Main is function 0, mostly of variable arguments; function 1 returns. */
static const struct rule rules[] = {
	{ "opcode", "this kernel has no instruction 255", { NOP }, { .op = 255 } },
	{ "opcode.made", "this kernel has no instruction 248", { NOP }, { .op = 248 } },
	{ "opcode.resolved", "this kernel has no instruction 234", { NOP }, { .op = 234 } },

	{ "unused.a", "instruction 1 (JMP) sets a field that it does not use",
	  { NOP }, I(JMP, 1, 0, 0, 0) },
	{ "unused.b", "instruction 1 (INT) sets a field that it does not use",
	  { I(INT, 0, 0, 0, 1) }, I(INT, 0, 1, 0, 1) },
	{ "unused.c", "instruction 1 (MOV) sets a field that it does not use",
	  { I(MOV, 0, 1, 0, 0) }, I(MOV, 0, 1, 1, 0) },
	{ "unused.d", "instruction 1 (MOV) sets a field that it does not use",
	  { I(MOV, 0, 1, 0, 0) }, I(MOV, 0, 1, 0, 1) },

	{ "register.written", "register 10 of 10 in instruction 1",
	  { I(INT, 9, 0, 0, 0) }, I(INT, 10, 0, 0, 0) },
	{ "register.a", "register 10 of 10 in instruction 1",
	  { I(JT, 9, 0, 0, 0) }, I(JT, 10, 0, 0, 0) },
	{ "register.b", "register 10 of 10 in instruction 1",
	  { I(ADD, 0, 9, 0, 0) }, I(ADD, 0, 10, 0, 0) },
	{ "register.c", "register 10 of 10 in instruction 1",
	  { I(ADD, 0, 0, 9, 0) }, I(ADD, 0, 0, 10, 0) },
	{ "register.NIL", "register 10 of 10 in instruction 1",
	  { I(NIL, 0, 9, 0, 0) }, I(NIL, 0, 10, 0, 0) },
	{ "register.MOV", "register 10 of 10 in instruction 1",
	  { I(MOV, 9, 0, 0, 0) }, I(MOV, 10, 0, 0, 0) },
	{ "register.CONCAT", "register 10 of 10 in instruction 1",
	  { I(CONCAT, 0, 8, 2, 0) }, I(CONCAT, 0, 9, 2, 0) },
	{ "register.TUPLE", "register 10 of 10 in instruction 1",
	  { I(TUPLE, 0, 0, 10, 0) }, I(TUPLE, 0, 0, 11, 0) },
	{ "register.ITER", "register 10 of 10 in instruction 1",
	  { I(ITER, 5, 0, 0, 0) }, I(ITER, 6, 0, 0, 0) },
	{ "register.NEXT", "register 10 of 10 in instruction 1",
	  { I(NEXT, 5, 0, 0, 0) }, I(NEXT, 6, 0, 0, 0) },
	{ "register.FORPREP", "register 10 of 10 in instruction 1",
	  { I(FORPREP, 6, 0, 0, 0) }, I(FORPREP, 7, 0, 0, 0) },
	{ "register.FORLOOP", "register 10 of 10 in instruction 1",
	  { I(FORLOOP, 6, 0, 0, 0) }, I(FORLOOP, 7, 0, 0, 0) },
	{ "register.CALL", "register 10 of 10 in instruction 1",
	  { I(CALL, 9, 0, 0, 1) }, I(CALL, 10, 0, 0, 1) },
	{ "register.CALL_arguments", "register 10 of 10 in instruction 1",
	  { I(CALL, 9, 1, 0, 1) }, I(CALL, 9, 2, 0, 1) },
	{ "register.CALL_results", "register 10 of 10 in instruction 1",
	  { I(CALL, 9, 0, 1, 1) }, I(CALL, 9, 0, 2, 1) },
	{ "register.CALLV", "register 10 of 10 in instruction 1",
	  { I(CALLV, 9, 0, 0, 0) }, I(CALLV, 10, 0, 0, 0) },
	{ "register.CALLV_arguments", "register 10 of 10 in instruction 1",
	  { I(CALLV, 8, 1, 0, 0) }, I(CALLV, 9, 1, 0, 0) },
	{ "register.CALLB", "register 10 of 10 in instruction 1",
	  { I(CALLB, 9, 0, 0, KTAP_FN_PID) }, I(CALLB, 10, 0, 0, KTAP_FN_PID) },
	{ "register.CALLB_arguments", "register 10 of 10 in instruction 1",
	  { I(CALLB, 8, 2, 0, KTAP_FN_PRINT) }, I(CALLB, 9, 2, 0, KTAP_FN_PRINT) },
	{ "register.CALLK", "register 10 of 10 in instruction 1",
	  { I(CALLK, 9, 0, 0, IN_TASK) }, I(CALLK, 10, 0, 0, IN_TASK) },
	{ "register.CALLK_arguments", "register 10 of 10 in instruction 2",
	  { I(INT, 9, 0, 0, 0), I(CALLK, 9, 1, 0, SWAB32) }, I(CALLK, 10, 1, 0, SWAB32), .at = 1 },
	{ "register.RET", "register 10 of 10 in instruction 1",
	  { I(RET, 9, 0, 0, 0) }, I(RET, 10, 0, 0, 0) },
	{ "register.RET_results", "register 10 of 10 in instruction 1",
	  { I(RET, 9, 1, 0, 0) }, I(RET, 9, 2, 0, 0) },
	{ "register.VARG", "register 10 of 10 in instruction 1",
	  { I(VARG, 9, 0, 1, 0) }, I(VARG, 9, 0, 2, 0) },
	{ "register.VARG_open", "register 10 of 10 in instruction 1",
	  { I(VARG, 9, 0, OPEN, 0), I(RET, 9, OPEN, 0, 0) }, I(VARG, 10, 0, OPEN, 0) },
	{ "register.catch", "register 10 of 10 in instruction 1",
	  { NOP }, NOP, .try = { 1, 2, 2, 9 }, .wrong_try = { 1, 2, 2, 10 } },

	{ "range", "instruction 1: registers 1 to 0", { I(NIL, 0, 0, 0, 0) }, I(NIL, 1, 0, 0, 0) },
	{ "parts.CONCAT", "instruction 1: 0 parts",
	  { I(CONCAT, 0, 0, 1, 0) }, I(CONCAT, 0, 0, 0, 0) },
	{ "parts.TUPLE", "instruction 1: 1 parts",
	  { I(TUPLE, 0, 0, 2, 0) }, I(TUPLE, 0, 0, 1, 0) },

	{ "index.boolean", "boolean 2 of 2 in instruction 1",
	  { I(BOOL, 0, 1, 0, 0) }, I(BOOL, 0, 2, 0, 0) },
	{ "index.integer", "integer 1 of 1 in instruction 1",
	  { I(INTK, 0, 0, 0, 0) }, I(INTK, 0, 0, 0, 1) },
	{ "index.string", "string 8 of 8 in instruction 1",
	  { I(STR, 0, 0, 0, 7) }, I(STR, 0, 0, 0, 8) },
	{ "index.below_0", "string -1 of 8 in instruction 1",
	  { I(STR, 0, 0, 0, 0) }, I(STR, 0, 0, 0, -1) },
	{ "index.function", "function 2 of 2 in instruction 1",
	  { I(FUNC, 0, 0, 0, 1) }, I(FUNC, 0, 0, 0, 2) },
	{ "index.callee", "function 2 of 2 in instruction 1",
	  { I(CALL, 0, 0, 0, 1) }, I(CALL, 0, 0, 0, 2) },
	{ "index.global", "global 1 of 1 in instruction 1",
	  { I(GETG, 0, 0, 0, 0) }, I(GETG, 0, 0, 0, 1) },
	/* A string that is the key of a TGETS, and a field too, is not in the section of fields. */
	{ "index.field", "field 1 of 1 in instruction 2",
	  { I(TGETS, 0, 0, 0, 1), I(FIELD, 0, 0, 0, 0) }, I(FIELD, 0, 0, 0, 1), .at = 1 },
	{ "index.need_of_a_field", "need of a field 3 of 3 in instruction 1",
	  { I(FIELD, 0, 2, 0, 0) }, I(FIELD, 0, 3, 0, 0) },
	{ "index.table_size", "table size 1048577 of 1048577 in instruction 1",
	  { I(NEWT, 0, 0, 0, 1048576) }, I(NEWT, 0, 0, 0, 1048577) },
	{ "index.argument", "argument -1 of 2147483647 in instruction 1",
	  { I(ARG, 0, 0, 0, 0) }, I(ARG, 0, 0, 0, -1) },
	{ "divisor.DIVI", "division by zero", { I(DIVI, 0, 0, 0, 1) }, I(DIVI, 0, 0, 0, 0) },
	{ "divisor.MODI", "division by zero", { I(MODI, 0, 0, 0, 1) }, I(MODI, 0, 0, 0, 0) },

	{ "jump.behind", "jump out of function main in instruction 1",
	  { I(JT, 0, 0, 0, 0) }, I(JT, 0, 0, 0, 1) },
	{ "jump.in_front", "jump out of function main in instruction 1",
	  { I(JT, 0, 0, 0, -2) }, I(JT, 0, 0, 0, -3) },
	{ "jump.far", "jump out of function main in instruction 1",
	  { I(JT, 0, 0, 0, 0) }, I(JT, 0, 0, 0, S32_MAX) },

	{ "builtin", "this kernel has no built-in function 191",
	  { I(CALLB, 0, 0, 0, KTAP_FN_PID) }, I(CALLB, 0, 0, 0, 191) },
	{ "builtin.behind", "this kernel has no built-in function 192",
	  { I(CALLB, 0, 0, 0, KTAP_FN_PID) }, I(CALLB, 0, 0, 0, 192) },
	{ "builtin.below_0", "this kernel has no built-in function -1",
	  { I(CALLB, 0, 0, 0, KTAP_FN_PID) }, I(CALLB, 0, 0, 0, -1) },
#ifndef CONFIG_KTAP_CALL
	{ "kernel-function",
	  "ffi.C: scripts cannot call 'nothing_like_it': this kernel was built without CONFIG_KTAP_CALL",
	  { I(CALLK, 0, 0, 0, IN_TASK) }, I(CALLK, 0, 0, 0, NOTHING) },
	{ "kernel-function.near",
	  "ffi.C: scripts cannot call 'swb32' (others need CONFIG_KTAP_CALL); did you mean 'swab32'?",
	  { I(CALLK, 0, 0, 0, IN_TASK) }, I(CALLK, 0, 0, 0, SWB32) },
#else
	{ "arity.CALLK_more", "a function of the kernel takes 0 to 6 arguments, got 7",
	  { I(NIL, 0, 6, 0, 0), I(CALLK, 0, 6, 0, NOTHING) }, I(CALLK, 0, 7, 0, NOTHING),
	  .at = 1, .nregs = 8 },
#endif
	{ "arity.CALLK_fewer", "swab32 takes 1 to 1 arguments, got 0",
	  { I(INT, 0, 0, 0, 0), I(CALLK, 0, 1, 0, SWAB32) }, I(CALLK, 0, 0, 0, SWAB32), .at = 1 },
	{ "arity.CALLK_open", "in_task takes 0 to 0 arguments, got 255",
	  { I(CALLK, 0, 0, 0, IN_TASK) }, I(CALLK, 0, OPEN, 0, IN_TASK) },
	{ "arity.fewer", "count takes 2 to 3 arguments, got 1",
	  { I(NEWT, 0, 0, 0, 0), I(CALLB, 0, 2, 0, KTAP_FN_COUNT) },
	  I(CALLB, 0, 1, 0, KTAP_FN_COUNT), .at = 1 },
	{ "arity.more", "pid takes 0 to 0 arguments, got 1",
	  { I(CALLB, 0, 0, 0, KTAP_FN_PID) }, I(CALLB, 0, 1, 0, KTAP_FN_PID) },
	{ "arity.CALL", "a call with 33 arguments; 32 is the most",
	  { I(CALL, 0, 32, 0, 1) }, I(CALL, 0, 33, 0, 1), .nregs = 40 },
	{ "arity.CALLV", "a call with 33 arguments; 32 is the most",
	  { I(CALLV, 0, 32, 0, 0) }, I(CALLV, 0, 33, 0, 0), .nregs = 40 },

	{ "variadic", "function main has no variable arguments",
	  { NOP }, I(VARG, 0, 0, 1, 0), .plain = true },

	{ "open-taken", "instruction 2 does not take the open values before it",
	  { I(CALL, 0, 0, OPEN, 1), I(RET, 0, OPEN, 0, 0) }, I(RET, 0, 0, 0, 0), .at = 1 },
	{ "open-taken.CALLV", "instruction 2 does not take the open values before it",
	  { I(CALLV, 0, 0, OPEN, 0), I(RET, 0, OPEN, 0, 0) }, I(RET, 0, 0, 0, 0), .at = 1 },
	{ "open-taken.VARG", "instruction 2 does not take the open values before it",
	  { I(VARG, 0, 0, OPEN, 0), I(RET, 0, OPEN, 0, 0) }, I(RET, 0, 0, 0, 0), .at = 1 },
	{ "open-given.RET", "instruction 2 takes open values, the one before gives none",
	  { I(VARG, 0, 0, OPEN, 0), I(RET, 0, OPEN, 0, 0) }, I(VARG, 0, 0, 0, 0) },
	{ "open-given.CALL", "instruction 2 takes open values, the one before gives none",
	  { I(VARG, 0, 0, OPEN, 0), I(CALL, 0, OPEN, 0, 1) }, I(VARG, 0, 0, 0, 0) },
	{ "open-given.CALLV", "instruction 2 takes open values, the one before gives none",
	  { I(VARG, 1, 0, OPEN, 0), I(CALLV, 0, OPEN, 0, 0) }, I(VARG, 1, 0, 0, 0) },
	{ "open-given.CALLB", "instruction 2 takes open values, the one before gives none",
	  { I(VARG, 0, 0, OPEN, 0), I(CALLB, 0, OPEN, 0, KTAP_FN_PRINT) },
	  I(VARG, 0, 0, 0, 0) },
	{ "open-given.TSETM", "instruction 2 takes open values, the one before gives none",
	  { I(VARG, 1, 0, OPEN, 0), I(TSETM, 0, 1, 0, 1) }, I(VARG, 1, 0, 0, 0) },
	{ "open-place", "instruction 2 takes values from register 3 on, the open ones begin at 2",
	  { I(VARG, 2, 0, OPEN, 0), I(RET, 2, OPEN, 0, 0) }, I(RET, 3, OPEN, 0, 0), .at = 1 },
	{ "open-place.CALLV",
	  "instruction 2 takes values from register 3 on, the open ones begin at 2",
	  { I(VARG, 2, 0, OPEN, 0), I(CALLV, 1, OPEN, 0, 0) }, I(CALLV, 2, OPEN, 0, 0),
	  .at = 1 },
	{ "open-place.TSETM",
	  "instruction 2 takes values from register 3 on, the open ones begin at 2",
	  { I(VARG, 2, 0, OPEN, 0), I(TSETM, 0, 2, 0, 1) }, I(TSETM, 0, 3, 0, 1), .at = 1 },
	{ "open-way", "instruction 2 takes open values, and is jumped to",
	  { I(VARG, 0, 0, OPEN, 0), I(CALL, 0, OPEN, 0, 1), NOP }, I(JMP, 0, 0, 0, -2),
	  .at = 2 },
	{ "open-way.catch", "instruction 2 takes open values, and is jumped to",
	  { I(VARG, 0, 0, OPEN, 0), I(CALL, 0, OPEN, 0, 1), NOP }, NOP, .at = 2,
	  .try = { 3, 4, 4, 0 }, .wrong_try = { 3, 4, 2, 0 } },

	{ "catch", "errors of instruction 1 are caught outside of function main",
	  { NOP }, NOP, .try = { 1, 2, 2, 0 }, .wrong_try = { 1, 2, 3, 0 } },
	{ "end", "function main has no end", { I(RET, 0, 0, 0, 0) }, I(JT, 0, 0, 0, -1) },

	{ "unwritten", "instruction 2 reads register 1, which may be unwritten",
	  { I(INT, 1, 0, 0, 0), I(JT, 1, 0, 0, 0) }, I(INT, 2, 0, 0, 0), .nwritten = 1 },
	{ "unwritten.b", "instruction 2 reads register 1, which may be unwritten",
	  { I(INT, 1, 0, 0, 0), I(ADD, 0, 1, 0, 0) }, I(INT, 2, 0, 0, 0), .nwritten = 1 },
	{ "unwritten.c", "instruction 2 reads register 1, which may be unwritten",
	  { I(INT, 1, 0, 0, 0), I(ADD, 0, 0, 1, 0) }, I(INT, 2, 0, 0, 0), .nwritten = 1 },
	{ "unwritten.range", "instruction 2 reads register 1, which may be unwritten",
	  { I(INT, 1, 0, 0, 0), I(CONCAT, 0, 0, 2, 0) }, I(INT, 2, 0, 0, 0), .nwritten = 1 },
	{ "unwritten.CALLK", "instruction 2 reads register 1, which may be unwritten",
	  { I(INT, 1, 0, 0, 0), I(CALLK, 1, 1, 0, SWAB32) }, I(INT, 2, 0, 0, 0), .nwritten = 1 },
	{ "unwritten.ITER", "instruction 2 reads register 1, which may be unwritten",
	  { I(INT, 1, 0, 0, 0), I(ITER, 1, 0, 0, 0) }, I(INT, 2, 0, 0, 0), .nwritten = 1 },
	{ "unwritten.NEXT", "instruction 2 reads register 1, which may be unwritten",
	  { I(ITER, 0, 0, 0, 0), I(NEXT, 0, 0, 0, 0) }, NOP, .nwritten = 1 },
	{ "unwritten.FORPREP", "instruction 2 reads register 2, which may be unwritten",
	  { I(INT, 2, 0, 0, 1), I(FORPREP, 0, 0, 0, 0) }, NOP, .nwritten = 2 },
	{ "unwritten.FORLOOP", "instruction 2 reads register 2, which may be unwritten",
	  { I(INT, 2, 0, 0, 1), I(FORLOOP, 0, 0, 0, 0) }, NOP, .nwritten = 2 },
	{ "unwritten.argument", "instruction 2 reads register 1, which may be unwritten",
	  { I(INT, 1, 0, 0, 0), I(CALL, 0, 2, 0, 1) }, I(INT, 2, 0, 0, 0), .nwritten = 1 },
	{ "unwritten.callee", "instruction 2 reads register 1, which may be unwritten",
	  { I(INT, 1, 0, 0, 0), I(CALLV, 1, 0, 0, 0) }, I(INT, 2, 0, 0, 0), .nwritten = 1 },
	{ "unwritten.before_open", "instruction 2 reads register 1, which may be unwritten",
	  { I(VARG, 1, 0, OPEN, 0), I(CALLB, 0, OPEN, 0, KTAP_FN_PRINT) },
	  I(VARG, 2, 0, OPEN, 0), .nwritten = 1 },
	{ "unwritten.before_TSETM", "instruction 2 reads register 1, which may be unwritten",
	  { I(VARG, 1, 0, OPEN, 0), I(TSETM, 0, 1, 0, 0) },
	  I(VARG, 2, 0, OPEN, 0), .nwritten = 1 },
	{ "unwritten.result", "instruction 2 reads register 1, which may be unwritten",
	  { I(INT, 1, 0, 0, 0), I(RET, 0, 2, 0, 0) }, I(INT, 2, 0, 0, 0), .nwritten = 1 },
	{ "unwritten.one_way", "instruction 3 reads register 1, which may be unwritten",
	  { I(JT, 0, 0, 0, 0), I(INT, 1, 0, 0, 0), I(JT, 1, 0, 0, 0) },
	  I(JT, 0, 0, 0, 1), .nwritten = 1 },
	{ "unwritten.loop", "instruction 1 reads register 1, which may be unwritten",
	  { I(JT, 1, 0, 0, 0), I(CALL, 1, 0, 1, 1), I(JMP, 0, 0, 0, -3) },
	  I(CALL, 1, 0, 0, 1), .at = 1 },
	{ "unwritten.after_CALL", "instruction 2 reads register 3, which may be unwritten",
	  { I(CALL, 2, 1, 2, 1), I(JT, 3, 0, 0, 0) }, I(CALL, 2, 1, 1, 1) },
	{ "unwritten.after_CALLB", "instruction 2 reads register 3, which may be unwritten",
	  { I(CALLB, 2, 1, 0, KTAP_FN_PRINT), I(JT, 3, 0, 0, 0) },
	  I(CALLB, 2, 2, 0, KTAP_FN_PRINT) },
	{ "unwritten.after_open", "instruction 3 reads register 4, which may be unwritten",
	  { I(VARG, 5, 0, OPEN, 0), I(CALLB, 3, OPEN, 0, KTAP_FN_PRINT), I(JT, 3, 0, 0, 0) },
	  I(JT, 4, 0, 0, 0), .at = 2 },
	{ "unwritten.try", "instruction 3 reads register 1, which may be unwritten",
	  { I(INT, 1, 0, 0, 0), NOP, I(JT, 1, 0, 0, 0) }, NOP, .at = 1, .nwritten = 1,
	  .try = { 2, 3, 3, 0 }, .wrong_try = { 1, 2, 3, 0 } },
	{ "unwritten.try_CALL", "instruction 3 reads register 5, which may be unwritten",
	  { I(CALL, 6, 0, 0, 1), I(RET, 0, 0, 0, 0), I(JT, 5, 0, 0, 0) },
	  I(CALL, 5, 0, 0, 1), .try = { 1, 2, 3, 0 } },
	{ "unwritten.try_CALLB", "instruction 3 reads register 5, which may be unwritten",
	  { I(CALLB, 4, 1, 0, KTAP_FN_PRINT), I(RET, 0, 0, 0, 0), I(JT, 5, 0, 0, 0) },
	  I(CALLB, 4, 2, 0, KTAP_FN_PRINT), .try = { 1, 2, 3, 0 } },
	{ "unwritten.try_NEXT", "instruction 3 reads register 6, which may be unwritten",
	  { I(NEXT, 1, 0, 0, 0), I(RET, 0, 0, 0, 0), I(JT, 6, 0, 0, 0) },
	  I(NEXT, 2, 0, 0, 0), .try = { 1, 2, 3, 0 } },

	{ "type", "len: argument 1 is nil, which it does not take",
	  { I(STR, 0, 0, 0, 0), I(CALLB, 0, 1, 0, KTAP_FN_LEN) }, NOP },
	{ "type.third", "substr: argument 3 is nil, which it does not take",
	  { I(STR, 0, 0, 0, 0), I(INT, 1, 0, 0, 0), I(INT, 2, 0, 0, 0),
	    I(CALLB, 0, 3, 0, KTAP_FN_SUBSTR) }, NOP, .at = 2 },
	{ "type.result", "len: argument 1 is an integer, which it does not take",
	  { I(CALLB, 0, 0, 0, KTAP_FN_EXECNAME), I(CALLB, 0, 1, 0, KTAP_FN_LEN) },
	  I(CALLB, 0, 0, 0, KTAP_FN_PID) },
	{ "type.of_two", "clear: argument 1 is nil or a kernel stack, which it does not take",
	  { I(CALLB, 0, 0, 0, KTAP_FN_NEW_STATS), I(CALLB, 0, 1, 0, KTAP_FN_CLEAR) },
	  I(CALLB, 0, 0, 0, KTAP_FN_KSTACK) },
	{ "type.CALLK", "swab32: argument 1 is a string, which it does not take",
	  { I(INT, 0, 0, 0, 0), I(CALLK, 0, 1, 0, SWAB32) }, I(STR, 0, 0, 0, 0) },
	{ "type.of_two_strings", "clear: argument 1 is nil or a string, which it does not take",
	  { I(CALLB, 0, 0, 0, KTAP_FN_NEW_STATS), I(CALLB, 0, 1, 0, KTAP_FN_CLEAR) },
	  I(CALLB, 0, 0, 0, KTAP_FN_PROBENAME) },
};

static bool ends(const struct ktap_code *insn)
{
	return insn->op == KTAP_OP_RET || (insn->op == KTAP_OP_JMP && insn->d < 0);
}

static void set_try(struct test_chunk *c, const u8 *try)
{
	c->ntries = 0;
	if (try[1])
		test_try(c, try[0], try[1], try[2], try[3]);
}

/* Main and its instructions, the last of which ends it. */
static void add_main(struct test_chunk *c, const struct rule *rule)
{
	u8 nregs = rule->nregs ?: NREGS;
	const struct ktap_code *insn;

	test_variadic(c, "main", 0, nregs);
	if (rule->plain)
		c->funcs[0].flags = 0;
	test_insn(c, KTAP_OP_NIL, 0, (rule->nwritten ?: nregs) - 1, 0, 0);
	for (insn = rule->right; insn < rule->right + ARRAY_SIZE(rule->right) && insn->op; insn++)
		test_insn(c, insn->op, insn->a, insn->b, insn->c, insn->d);
	if (!ends(insn - 1))
		TEST_RET(c);
}

static void a_rule_is_kept(struct kunit *test)
{
	const struct rule *rule = test->param_value;
	struct test_chunk *c = test_chunk(test);
	char message[128];

	add_main(c, rule);
	test_func(c, "f", 0, 1);
	TEST_RET(c);
	test_int(c, 1);
	test_global(c, "g");
	test_field(c, "h");
	test_string(c, "in_task");
	test_string(c, "swab32");
	test_string(c, "swb32");
	test_string(c, "nothing_like_it");
	set_try(c, rule->try);
	KUNIT_ASSERT_NOT_NULL(test, test_load(c));
	c->insns[1 + rule->at] = rule->wrong;
	set_try(c, rule->wrong_try[1] ? rule->wrong_try : rule->try);
	snprintf(message, sizeof(message), "ktap: error: %s", rule->message);
	test_refused_as(c, -EINVAL, message);
}

KUNIT_ARRAY_PARAM_DESC(rules, rules, name);

/* It has no previous instruction; the one before it belongs to another function. */
static void a_function_starts_without_open_values(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "f", 0, 1);
	test_insn(c, KTAP_OP_CALL, 0, 0, 0, 1);
	TEST_RET(c);
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 1));
	TEST_RET(c);
	KUNIT_ASSERT_NOT_NULL(test, test_load(c));
	c->insns[2].b = KTAP_MULTI;
	test_refused_as(c, -EINVAL,
			"ktap: error: instruction 2 takes open values, the one before gives none");
	/* It is verified before that function, too. */
	c->funcs[0].first = cpu_to_le32(1);
	c->funcs[1].first = cpu_to_le32(0);
	c->funcs[0].ninsns = cpu_to_le32(2);
	c->funcs[1].ninsns = cpu_to_le32(1);
	c->insns[0] = c->insns[2];
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_RET };
	test_refused_as(c, -EINVAL,
			"ktap: error: instruction 0 takes open values, the one before gives none");
}

/* 4194304 sets are kept: of 128 registers at 32768 places, the entry among them. */
static void complexity_of_a_function_is_bounded(struct kunit *test)
{
	struct test_chunk *c = test_large_chunk(test, KTAP_MAX_INSNS);
	u32 i;

	test_func(c, "main", 0, 128);
	test_insn(c, KTAP_OP_NIL, 0, 127, 0, 0);
	for (i = 0; i < 32767; i++)
		test_insn(c, KTAP_OP_JT, 0, 0, 0, 0);
	TEST_RET(c);
	KUNIT_EXPECT_NOT_NULL(test, test_load(c));
	c->funcs[0].nregs = 129;
	test_refused_as(c, -E2BIG, "ktap: error: function main is too complex");
	c->funcs[0].nregs = 128;
	c->insns[c->ninsns - 1] = (struct ktap_code){ .op = KTAP_OP_JT };
	TEST_RET(c);
	test_refused_as(c, -E2BIG, "ktap: error: function main is too complex");
}

/*
 * Each round of the loop moves the types of the first register on by one register, and
 * the verifier looks at all the rest again: @n instructions, those of @rest in turn.
 */
static struct test_chunk *slow_loop(struct kunit *test, const struct ktap_code *rest, u32 nrest,
				    u32 n)
{
	struct test_chunk *c = test_large_chunk(test, KTAP_MAX_INSNS);
	u32 i;

	test_variadic(c, "main", 0, KTAP_MAX_REGS);
	test_global(c, "g");
	test_insn(c, KTAP_OP_NIL, 0, KTAP_MAX_REGS - 1, 0, 0);
	for (i = 200; i; i--)
		test_insn(c, KTAP_OP_MOV, i, i - 1, 0, 0);
	test_insn(c, KTAP_OP_GETG, 0, 0, 0, 0);
	for (i = 0; i < n; i++) {
		const struct ktap_code *insn = &rest[i % nrest];

		test_insn(c, insn->op, insn->a, insn->b, insn->c, insn->d);
	}
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -(s32)c->ninsns);
	return c;
}

static void complexity_of_a_chunk_is_bounded(struct kunit *test)
{
	static const struct {
		struct ktap_code rest[2];
		u32 nrest;
		u32 n;
	} wide[] = {
		{ { I(NIL, 201, 249, 0, 0) }, 1, 60000 },
		{ { I(CONCAT, 249, 0, 248, 0) }, 1, 60000 },
		{ { I(CALLV, 201, 0, 1, 0) }, 1, 60000 },
		{ { I(VARG, 201, 0, 1, 0) }, 1, 60000 },
		/* An instruction of few registers comes before each TSETM. */
		{ { I(VARG, 249, 0, KTAP_MULTI, 0), I(TSETM, 0, 100, 0, 1) }, 2, 60000 },
		{ { I(JT, 0, 0, 0, 0) }, 1, 16000 },
	};
	static const struct ktap_code narrow[] = {
		I(MOV, 249, 0, 0, 0),
		I(VARG, 249, 0, KTAP_MULTI, 0), I(TSETM, 0, 240, 0, 1),
	};
	struct test_chunk *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(wide); i++) {
		c = slow_loop(test, wide[i].rest, wide[i].nrest, wide[i].n);
		test_refused_as(c, -E2BIG, "ktap: error: function main is too complex");
	}
	/* The maximum number of instructions is accepted if they read few registers. */
	KUNIT_EXPECT_NOT_NULL(test, test_load(slow_loop(test, narrow, 1, 60000)));
	KUNIT_EXPECT_NOT_NULL(test, test_load(slow_loop(test, narrow + 1, 2, 60000)));
}

/* A loop writes its own registers: earlier types are discarded. */
static void a_loop_defines_its_registers(struct kunit *test)
{
	static const struct ktap_code loops[] = { I(FORPREP, 0, 0, 0, 0), I(FORLOOP, 0, 0, 0, 0),
						  I(NEXT, 0, 0, 0, 0) };
	struct test_chunk *c;
	int i, reg;

	for (i = 0; i < ARRAY_SIZE(loops); i++) {
		for (reg = 0; reg < 5; reg++) {
			c = test_chunk(test);
			test_func(c, "main", 0, NREGS);
			test_insn(c, KTAP_OP_NIL, 0, NREGS - 1, 0, 0);
			test_insn(c, loops[i].op, 0, 0, 0, 0);
			test_insn(c, KTAP_OP_MOV, 6, reg, 0, 0);
			test_insn(c, KTAP_OP_STR, 5, 0, 0, 0);
			/* substr("main", R[reg]) */
			test_insn(c, KTAP_OP_CALLB, 5, 2, 0, KTAP_FN_SUBSTR);
			TEST_RET(c);
			if ((loops[i].op == KTAP_OP_NEXT && !reg) ||
			    (loops[i].op != KTAP_OP_NEXT && reg == 4))
				test_refused_as(c, -EINVAL,
						"ktap: error: substr: argument 2 is nil, which it does not take");
			else
				KUNIT_EXPECT_NOT_NULL(test, test_load(c));
		}
	}
}

static struct kunit_case verifier_rules_cases[] = {
	KUNIT_CASE_PARAM(a_rule_is_kept, rules_gen_params),
	KUNIT_CASE(a_function_starts_without_open_values),
	KUNIT_CASE(complexity_of_a_function_is_bounded),
	KUNIT_CASE_SLOW(complexity_of_a_chunk_is_bounded),
	KUNIT_CASE(a_loop_defines_its_registers),
	{}
};

static struct kunit_suite verifier_rules_suite = {
	.name = "ktap_verifier_rules",
	.test_cases = verifier_rules_cases,
};

kunit_test_suite(verifier_rules_suite);
