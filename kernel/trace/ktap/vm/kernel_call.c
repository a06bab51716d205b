// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the kernel's functions that scripts can call.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/string.h>

#include "data/suggest.h"
#include "vm/kernel_call.h"
#include "vm/tag_bits.h"

#define KERNEL_CALL_ARGS(...)	((const u16[]){ 0, ##__VA_ARGS__ })
#define KERNEL_CALL_NARGS(...)	(ARRAY_SIZE(KERNEL_CALL_ARGS(__VA_ARGS__)) - 1)

#define CALL(_name, _levels, _uses, _result, ...)			\
	[KTAP_KERNEL_##_name] = {					\
		.name = #_name,						\
		.fn = ktap_kernel_##_name,				\
		.min = KERNEL_CALL_NARGS(__VA_ARGS__),			\
		.max = KERNEL_CALL_NARGS(__VA_ARGS__),			\
		.levels = KTAP_##_levels,				\
		.uses = _uses,						\
		.result = _result,					\
		.args = { __VA_ARGS__ },				\
	},

const struct ktap_builtin ktap_kernel_calls[KTAP_NR_KERNEL_CALLS] = {
#include "vm/kernel_call_list.h"
};

/* The types of its arguments are checked at run time. */
const struct ktap_builtin ktap_kernel_any = {
	.name = "a function of the kernel",
	.max = KTAP_PROTOTYPE_PARAMS,
	.levels = KTAP_UNSAFE | KTAP_IN_PROCESS,
	.result = ktap_bit(INT) | ktap_bit(BOOL) | ktap_bit(PTR) | ktap_bit(NIL),
};

bool ktap_find_kernel_call(const char *name, u32 *call)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ktap_kernel_calls); i++) {
		if (strcmp(ktap_kernel_calls[i].name, name))
			continue;
		*call = i;
		return true;
	}
	return false;
}

const char *ktap_near_kernel_call(const char *name)
{
	struct ktap_suggest near;
	u32 i;

	ktap_suggest_begin(&near, name);
	for (i = 0; i < ARRAY_SIZE(ktap_kernel_calls); i++)
		ktap_suggest_look(&near, ktap_kernel_calls[i].name);
	return near.best;
}
