// SPDX-License-Identifier: GPL-2.0
/*
 * The table of built-in functions.
 */
#include <linux/bits.h>

#include "vm/builtin.h"
#include "vm/program.h"
#include "vm/tag_bits.h"

#define PTR		ktap_bit(PTR)
#define STACK		(KSTACK | USTACK)
#define AGG		ktap_bit(AGG)
#define OBJECT		(TABLE | AGG)
#define ADDRESS		(INT | PTR | NIL)
#define USYM		ktap_bit(USYM)
#define EVENT		ktap_bit(EVENT)
#define ARRAY		ktap_bit(ARRAY)
#define KSTACK		ktap_bit(KSTACK)
#define USTACK		ktap_bit(USTACK)
#define KEY		(NIL | BOOL | INT | PTR | STRING | STACK | USYM | ktap_bit(TUPLE))

#define FN(id, _name, _fn, _min, _max, _levels, _uses, _reads, _result, ...) \
	[KTAP_FN_##id] = {						\
		.name = _name,						\
		.fn = ktap_fn_##_fn,					\
		.min = _min,						\
		.max = _max,						\
		.levels = KTAP_##_levels,				\
		.uses = _uses,						\
		.reads = _reads,					\
		.result = _result,					\
		.args = { __VA_ARGS__ },				\
	},

#define VALUE(id, _name, _result)					\
	FN(id, #_name, _name, 0, 0, ANYWHERE, 0, 0, _result)

const struct ktap_builtin ktap_builtins[KTAP_NR_FUNCTIONS] = {
#include "vm/builtin_list.h"
};
