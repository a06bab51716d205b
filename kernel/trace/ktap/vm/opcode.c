// SPDX-License-Identifier: GPL-2.0
/*
 * The instruction set as a table for the verifier and ktap/features.
 */
#include <linux/bits.h>
#include <uapi/linux/ktap.h>

#include "vm/opcode.h"
#include "vm/program.h"
#include "vm/tag_bits.h"

#define ANY		GENMASK(KTAP_NR_TAGS - 1, 0)
/* An event is valid in its handler only: it and its unformatted text are never stored. */
#define STORED		(ANY & ~(ktap_bit(EVENT) | ktap_bit(ARGSTR)))
#define STR		ktap_bit(STR)
#define TUPLE		ktap_bit(TUPLE)

#define GIVES_OPEN	KTAP_OPF_GIVES_OPEN
#define TAKES_OPEN	KTAP_OPF_TAKES_OPEN
#define ONLY_OPEN	KTAP_OPF_ONLY_OPEN
#define ENDS		KTAP_OPF_ENDS
#define CALLS		KTAP_OPF_CALLS
#define BY_VALUE	(KTAP_OPF_CALLS | KTAP_OPF_BY_VALUE)

#define OP(op, _a, _b, _c, _d, _result, _work, _uses, _flags)	\
	[KTAP_OP_##op] = {					\
		.name = #op,					\
		.a = KTAP_X_##_a,				\
		.b = KTAP_X_##_b,				\
		.c = KTAP_X_##_c,				\
		.d = KTAP_X_##_d,				\
		.result = _result,				\
		.work = _work,					\
		.uses = _uses,					\
		.flags = _flags,				\
	},

#define MADE(op, _a, _d, _work, _flags)				\
	[KTAP_OP_##op] = {					\
		.a = KTAP_X_##_a,				\
		.d = KTAP_X_##_d,				\
		.work = _work,					\
		.flags = _flags,				\
	},

const struct ktap_opdef ktap_opdefs[256] = {
#include "vm/opcode_list.h"
};

unsigned int ktap_insn_work(const struct ktap_code *insn)
{
	unsigned int work = ktap_opdefs[insn->op].work;

	if (insn->op == KTAP_OP_NIL)
		work += (insn->b - insn->a) / 8;
	return work;
}
