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
#include "vm/frame.h"

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

/* They have no use for b and c.  A cost that does not fit there is computed in each round. */
void ktap_rewrite_loops(struct ktap_program *prog)
{
	struct ktap_code *insn;
	u32 pc, cost;

	for (pc = 0; pc < prog->ninsns; pc++) {
		insn = &prog->code[pc];
		if ((insn->op != KTAP_OP_FORLOOP && insn->op != KTAP_OP_JMP) || insn->d >= 0)
			continue;
		cost = 1 + ktap_straight_cost(prog, pc + 1 + insn->d, pc + 1);
		if (cost > U16_MAX)
			continue;
		insn->b = cost;
		insn->c = cost >> 8;
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

/*
 * Mark the globals that other functions read, or set to a value, and the conditions of
 * probes: SUM does not notice that a condition becomes true.
 */
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
	for (i = 0; i < prog->nprobe_defs; i++) {
		if (prog->probe_defs[i].condition != KTAP_NONE)
			used[prog->probe_defs[i].condition] = true;
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

/* Does it write its register without reading it? */
static bool rewrite_is_alternative(const struct ktap_code *insn)
{
	return insn->op == KTAP_OP_VALUE || insn->op == KTAP_OP_GETG;
}

void ktap_rewrite_missing_field(struct ktap_program *prog, struct ktap_func *func, u32 pc)
{
	struct ktap_code *field = &prog->code[pc], *test = field + 1, *other = field + 2;

	/* No function ends with FIELD or JNNIL. */
	if (field->op != KTAP_OP_FIELD || field->b != KTAP_NEED_NOTHING ||
	    test->op != KTAP_OP_JNNIL || test->a != field->a ||
	    !rewrite_is_alternative(other) || other->a != field->a)
		return;
	/* The budget does not change: straight code is charged as a whole. */
	*field = (struct ktap_code){ .op = KTAP_OP_JMP, .d = 1 };
	if (field == func->code)
		func->code = other;
}

void ktap_find_roles(const struct ktap_program *prog, u8 *roles)
{
	const struct ktap_probe_def *def;
	const struct ktap_code *insn;
	u32 i;

	roles[prog->main] |= KTAP_ROLE_TOP_LEVEL;
	for (i = 0; i < prog->nprobe_defs; i++) {
		def = &prog->probe_defs[i];
		roles[def->handler] |= rewrite_is_in_process(def) ? KTAP_ROLE_PROCESS :
								    KTAP_ROLE_HANDLER;
		if (def->filter != KTAP_NONE)
			roles[def->filter] |= rewrite_is_in_process(def) ? KTAP_ROLE_PROCESS :
									   KTAP_ROLE_FILTER;
	}
	for (i = 0; i < prog->ninsns; i++) {
		insn = &prog->code[i];
		if (ktap_opdefs[insn->op].d == KTAP_X_FUNC)
			roles[insn->d] |= KTAP_ROLE_CALLED;
	}
}

/* Such a handler has no caller, and follows no filter any more when it returns. */
static void rewrite_handler(struct ktap_code *insn, const struct ktap_code *end)
{
	struct ktap_code *next;

	for (; insn < end; insn++) {
		next = insn + 1;
		if (insn->op == KTAP_OP_RET && !insn->b)
			insn->op = KTAP_OP_END;
		if (insn->op != KTAP_OP_INT || next == end || next->op != KTAP_OP_SUM ||
		    next->a != insn->a)
			continue;
		insn->op = KTAP_OP_SUMI;
		if (next + 1 < end && next[1].op == KTAP_OP_RET && !next[1].b)
			insn->op = KTAP_OP_SUMEND;
	}
}

/*
 * The instruction that does the work of these: an integer, its comparison by @cmp with the
 * register that @reg gets, and, with @not, the opposite.  0 if there is none.
 */
static u8 rewrite_test(const struct ktap_code *integer, const struct ktap_code *cmp, bool not,
		       u8 *reg)
{
	bool first = cmp->b == integer->a;

	if (first ? cmp->c == integer->a : cmp->c != integer->a)
		return 0;
	*reg = first ? cmp->c : cmp->b;
	switch (cmp->op) {
	case KTAP_OP_EQ:
		return not ? KTAP_OP_TESTNE : KTAP_OP_TESTEQ;
	case KTAP_OP_LT:
		if (first)
			return not ? KTAP_OP_TESTLE : KTAP_OP_TESTGT;
		return not ? KTAP_OP_TESTGE : KTAP_OP_TESTLT;
	case KTAP_OP_LE:
		if (first)
			return not ? KTAP_OP_TESTLT : KTAP_OP_TESTGE;
		return not ? KTAP_OP_TESTGT : KTAP_OP_TESTLE;
	default:
		return 0;
	}
}

/* A filter that ends with the comparison of a register with an integer, or its opposite */
static void rewrite_filter_end(struct ktap_code *integer, const struct ktap_code *end)
{
	struct ktap_code *cmp = integer + 1, *ret = integer + 2;
	bool not = false;
	u8 op, reg;

	if (ret < end && ret->op == KTAP_OP_NOT && ret->a == ret->b && ret->b == cmp->a) {
		not = true;
		ret++;
	}
	if (ret >= end || ret->op != KTAP_OP_DECIDE || ret->a != cmp->a)
		return;
	op = rewrite_test(integer, cmp, not, &reg);
	if (op) {
		integer->op = op;
		integer->b = reg;
	}
}

/* Such a filter has no caller. */
static void rewrite_filter(struct ktap_code *first, const struct ktap_code *end)
{
	struct ktap_code *insn;

	for (insn = first; insn < end; insn++) {
		if (insn->op == KTAP_OP_RET && insn->b == 1)
			insn->op = KTAP_OP_DECIDE;
	}
	for (insn = first; insn < end; insn++) {
		if (insn->op == KTAP_OP_INT)
			rewrite_filter_end(insn, end);
	}
}

/*
 * Mark the globals that may get something else than an integer while events are delivered, and
 * the fields of threads that ever get something else than an integer or nil; and those that
 * are added to.
 */
static void rewrite_find_others(const struct ktap_program *prog, const u8 *roles, u8 *globals,
				u8 *fields)
{
	const struct ktap_code *insn;
	u32 i, pc;

	for (i = 0; i < prog->nfuncs; i++) {
		for (pc = prog->funcs[i].first; pc < prog->funcs[i].first + prog->funcs[i].ninsns;
		     pc++) {
			insn = &prog->code[pc];
			if (insn->op == KTAP_OP_ADDG || insn->op == KTAP_OP_SUM)
				globals[insn->d] = true;
			else if (insn->op == KTAP_OP_SETG && roles[i] != KTAP_ROLE_TOP_LEVEL)
				globals[insn->d] |= !ktap_is_int(prog, pc, KTAP_OTHER_A);
			else if (insn->op == KTAP_OP_SETSELF)
				fields[insn->d] |= !ktap_is_int(prog, pc, KTAP_NO_NUMBER);
			else if (insn->op == KTAP_OP_ADDSELF)
				fields[insn->d] = true;
		}
	}
	for (i = 0; i < prog->nprobe_defs; i++) {
		if (prog->probe_defs[i].condition != KTAP_NONE)
			globals[prog->probe_defs[i].condition] = true;
	}
}

/* The others need no lock: vm/global.h, vm/task_fields.c. */
static void rewrite_sets(struct ktap_program *prog, const u8 *globals, const u8 *fields)
{
	struct ktap_code *insn;
	u32 pc;

	for (pc = 0; pc < prog->ninsns; pc++) {
		insn = &prog->code[pc];
		if (insn->op == KTAP_OP_SETG && !globals[insn->d])
			insn->op = KTAP_OP_SETGN;
		else if (insn->op == KTAP_OP_SETSELF && !fields[insn->d])
			insn->op = KTAP_OP_SETSELFN;
	}
}

/* Mark the globals that may change after the top level, or that are kept per CPU. */
static void rewrite_find_changed(const struct ktap_program *prog, const u8 *roles, u8 *changed)
{
	const struct ktap_code *insn, *end;
	bool again;
	u32 i;

	for (i = 0; i < prog->nfuncs; i++) {
		insn = prog->code + prog->funcs[i].first;
		end = insn + prog->funcs[i].ninsns;
		again = roles[i] != KTAP_ROLE_TOP_LEVEL;
		for (; insn < end; insn++) {
			if ((insn->op == KTAP_OP_SETG && again) || insn->op == KTAP_OP_ADDG ||
			    insn->op == KTAP_OP_SUM)
				changed[insn->d] = true;
		}
	}
}

static void rewrite_constants(struct ktap_program *prog, const u8 *changed)
{
	u32 pc;

	for (pc = 0; pc < prog->ninsns; pc++) {
		if (prog->code[pc].op == KTAP_OP_GETG && !changed[prog->code[pc].d])
			prog->code[pc].op = KTAP_OP_GETC;
	}
}

int ktap_rewrite_events(struct ktap_program *prog)
{
	u8 *roles = kvzalloc(prog->nfuncs + 2 * prog->nglobals + prog->nstrings, KTAP_GFP);
	u8 *changed, *globals, *fields;
	struct ktap_code *first;
	u32 i;

	if (!roles)
		return -ENOMEM;
	changed = roles + prog->nfuncs;
	globals = changed + prog->nglobals;
	fields = globals + prog->nglobals;
	ktap_find_roles(prog, roles);
	rewrite_find_changed(prog, roles, changed);
	rewrite_constants(prog, changed);
	/* An integer must be a single store. */
	if (IS_ENABLED(CONFIG_64BIT)) {
		rewrite_find_others(prog, roles, globals, fields);
		rewrite_sets(prog, globals, fields);
	}
	for (i = 0; i < prog->nfuncs; i++) {
		first = prog->code + prog->funcs[i].first;
		if (roles[i] == KTAP_ROLE_HANDLER)
			rewrite_handler(first, first + prog->funcs[i].ninsns);
		else if (roles[i] == KTAP_ROLE_FILTER)
			rewrite_filter(first, first + prog->funcs[i].ninsns);
	}
	kvfree(roles);
	return 0;
}
