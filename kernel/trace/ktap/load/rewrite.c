// SPDX-License-Identifier: GPL-2.0
/*
 * Replace instructions of a verified program by others that do the same at less cost.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/heap.h"
#include "load/rewrite.h"
#include "load/verifier.h"
#include "vm/builtin.h"

/*
 * A built-in value works everywhere, takes no arguments and needs nothing.  So the
 * interpreter need not check anything before it calls the function.
 */
static bool rewrite_is_value(const struct ktap_code *insn)
{
	const struct ktap_builtin *fn;

	if (insn->op != KTAP_OP_CALLB)
		return false;
	fn = &ktap_builtins[insn->d];
	return !insn->b && !fn->max &&
	       fn->levels == KTAP_ANYWHERE && !fn->uses && !fn->reads;
}

/* To be called before the work of the instructions is added up. */
void ktap_rewrite_values(struct ktap_program *prog)
{
	u32 pc;

	for (pc = 0; pc < prog->ninsns; pc++) {
		if (rewrite_is_value(&prog->code[pc]))
			prog->code[pc].op = KTAP_OP_VALUE;
	}
}

/*
 * Does the function return all results of this call and do nothing else after
 * it?  It does more if it catches errors of the call.
 */
static bool rewrite_is_tail_call(const struct ktap_program *prog, u32 pc)
{
	const struct ktap_code *insn = &prog->code[pc], *next = insn + 1;

	return (insn->op == KTAP_OP_CALL || insn->op == KTAP_OP_CALLV) &&
	       ktap_gives_open(insn) && next->op == KTAP_OP_RET && next->a == insn->a &&
	       !ktap_catch_at(prog, pc);
}

/* An instruction that leaves open values is never the last one. */
void ktap_rewrite_tail_calls(struct ktap_program *prog)
{
	u32 pc;

	for (pc = 0; pc < prog->ninsns; pc++) {
		if (rewrite_is_tail_call(prog, pc))
			prog->code[pc].op = prog->code[pc].op == KTAP_OP_CALL ? KTAP_OP_TAIL :
										KTAP_OP_TAILV;
	}
}

static const struct {
	const char *prefix;
	bool whole;
} rewrite_process_events[] = {
#define PROCESS_EVENT(_prefix, _whole, _parse)	{ _prefix, _whole },
#include "vm/process_event_list.h"
#undef PROCESS_EVENT
};

/* An event of user code may have such a name, too: then less is rewritten. */
static bool rewrite_is_in_process(const struct ktap_probe_def *def)
{
	const char *event = def->event->blob;
	unsigned int i;
	size_t len;

	for (i = 0; i < ARRAY_SIZE(rewrite_process_events); i++) {
		len = strlen(rewrite_process_events[i].prefix);
		if (strncmp(event, rewrite_process_events[i].prefix, len))
			continue;
		if (!rewrite_process_events[i].whole || !event[len])
			return true;
	}
	return false;
}

/* Mark the functions that run in process context, unless a handler calls them. */
static void rewrite_find_process(const struct ktap_program *prog, bool *process)
{
	const struct ktap_probe_def *def;
	u32 i;

	process[prog->main] = true;
	for (i = 0; i < prog->nprobe_defs; i++) {
		def = &prog->probe_defs[i];
		if (!rewrite_is_in_process(def))
			continue;
		process[def->handler] = true;
		if (def->filter != KTAP_NONE)
			process[def->filter] = true;
	}
}

/* Mark the globals that other functions read, or set to a value. */
static void rewrite_find_used(const struct ktap_program *prog, const bool *process, bool *used)
{
	const struct ktap_code *insn, *end;
	u32 i;

	for (i = 0; i < prog->nfuncs; i++) {
		insn = prog->code + prog->funcs[i].first;
		end = insn + prog->funcs[i].ninsns;
		for (; insn < end && !process[i]; insn++) {
			if (insn->op == KTAP_OP_GETG || insn->op == KTAP_OP_SETG)
				used[insn->d] = true;
		}
	}
}

/*
 * Globals to which handlers only add are kept per CPU (vm/global.c).  For others that
 * would be correct as well, but slow: a reader adds up the sums of all CPUs.
 */
int ktap_rewrite_sums(struct ktap_program *prog)
{
	bool *process = kvcalloc(prog->nfuncs + prog->nglobals, sizeof(*process), KTAP_GFP);
	struct ktap_code *insn;
	bool *used;
	u32 pc;

	if (!process)
		return -ENOMEM;
	used = process + prog->nfuncs;
	rewrite_find_process(prog, process);
	rewrite_find_used(prog, process, used);
	for (pc = 0; pc < prog->ninsns; pc++) {
		insn = &prog->code[pc];
		if (insn->op == KTAP_OP_ADDG && !used[insn->d])
			insn->op = KTAP_OP_SUM;
	}
	kvfree(process);
	return 0;
}
