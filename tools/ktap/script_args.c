// SPDX-License-Identifier: GPL-2.0
/*
 * Count the arguments that a script takes. The code of the chunk is examined,
 * as there may be no source: $1 and arg[1] load a constant and call a built-in
 * function.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "compiler/chunk_read.h"
#include "script_args.h"

#define INSN_SIZE	sizeof(struct ktap_insn)

static bool args_is_jump(unsigned char op)
{
	return (op >= KTAP_OP_JMP && op <= KTAP_OP_JNGEI) || op == KTAP_OP_NEXT ||
	       op == KTAP_OP_FORPREP || op == KTAP_OP_FORLOOP;
}

/* Mark jump targets. */
static void args_mark_targets(const struct chunk *chunk, unsigned char *target)
{
	const struct chunk_section *tries = &chunk->sections[KTAP_SEC_TRIES];
	const struct chunk_section *code = &chunk->sections[KTAP_SEC_CODE];
	uint32_t i, handler;

	for (i = 0; i < code->count; i++) {
		const unsigned char *insn = code->data + i * INSN_SIZE;
		int64_t to = (int64_t)i + 1 + (int32_t)get_le32(insn + 4);

		if (args_is_jump(insn[0]) && to >= 0 && to < code->count)
			target[to] = 1;
	}
	for (i = 0; i < tries->count; i++) {
		handler = get_le32(tries->data + i * sizeof(struct ktap_try) + 8);
		if (handler < code->count)
			target[handler] = 1;
	}
}

static bool reads_argument(const unsigned char *insn)
{
	return insn[0] == KTAP_OP_CALLB && get_le32(insn + 4) == KTAP_FN_SCRIPTARG;
}

/* Number of the argument that the instruction at @at reads; -1: any. */
static int64_t argument_at(const struct chunk *chunk, const unsigned char *target, uint32_t at)
{
	const struct chunk_section *code = &chunk->sections[KTAP_SEC_CODE];
	const unsigned char *insn = code->data + at * INSN_SIZE, *load = insn - INSN_SIZE;
	int32_t number;

	if (!at || target[at] || load[0] != KTAP_OP_INT || load[1] != insn[1])
		return -1;
	number = get_le32(load + 4);
	return number < 0 ? 0 : number;
}

int64_t ktap_max_args(const void *data, size_t len)
{
	const struct chunk_section *code;
	unsigned char *target;
	int64_t most = 0, number;
	struct chunk chunk;
	uint32_t i;

	/* the kernel reports the error */
	if (chunk_read(&chunk, data, len))
		return -1;
	code = &chunk.sections[KTAP_SEC_CODE];
	target = calloc(code->count + 1, 1);
	if (!target)
		return -1;
	args_mark_targets(&chunk, target);
	for (i = 0; i < code->count && most >= 0; i++) {
		if (!reads_argument(code->data + i * INSN_SIZE))
			continue;
		number = argument_at(&chunk, target, i);
		most = number < 0 || number > most ? number : most;
	}
	free(target);
	return most;
}
