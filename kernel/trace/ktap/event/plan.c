// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of an event that a probe may read, found by a search of the functions that
 * it may execute.
 */
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/cleanup.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "event/source.h"
#include "session.h"
#include "vm/builtin.h"
#include "vm/opcode.h"

/* State of a function in the search of plan_find() */
enum plan_reach {
	NOT_CALLED,
	CALLED,
	SEARCHED,
};

static void plan_mark_called(u8 *reach, u32 func)
{
	if (reach[func] == NOT_CALLED)
		reach[func] = CALLED;
}

/* Mark the functions that an instruction names and, unless @sure, those it may call. */
static void plan_mark_callees(const struct ktap_program *prog, const struct ktap_code *insn,
			      u8 *reach, bool sure)
{
	const struct ktap_opdef *op = &ktap_opdefs[insn->op];
	u32 i;

	if (op->d == KTAP_X_FUNC)
		plan_mark_called(reach, insn->d);
	/* The value may be any function. */
	if (!(op->flags & KTAP_OPF_BY_VALUE) || sure ||
	    !memchr(reach, NOT_CALLED, prog->nfuncs))
		return;
	for (i = 0; i < prog->nfuncs; i++)
		plan_mark_called(reach, i);
}

/* Mark the callees of a function; true if it has a wanted instruction. */
static bool plan_search(const struct ktap_program *prog, u32 func, u8 *reach, bool sure,
			ktap_wanted_fn wanted, void *data)
{
	const struct ktap_code *insn = prog->code + prog->funcs[func].first;
	const struct ktap_code *end = insn + prog->funcs[func].ninsns;

	reach[func] = SEARCHED;
	for (; insn < end; insn++) {
		if (wanted(insn, data))
			return true;
		plan_mark_callees(prog, insn, reach, sure);
	}
	return false;
}

static bool plan_find(const struct ktap_probe *probe, bool sure, ktap_wanted_fn wanted,
		      void *data)
{
	u8 *reach __free(kvfree) = kvzalloc(probe->session->env.prog->nfuncs, KTAP_GFP);
	const struct ktap_program *prog = probe->session->env.prog;
	const u8 *next;

	if (!reach)
		return !sure;
	plan_mark_called(reach, probe->handler);
	if (probe->filter != KTAP_NONE)
		plan_mark_called(reach, probe->filter);
	while ((next = memchr(reach, CALLED, prog->nfuncs))) {
		if (plan_search(prog, next - reach, reach, sure, wanted, data))
			return true;
		cond_resched();
	}
	return false;
}

/**
 * ktap_probe_reaches() - May a probe execute an instruction of some kind?
 * @probe: the probe
 * @wanted: returns true for an instruction of that kind
 * @data: passed to @wanted
 *
 * Context: process, may sleep.
 * Return: true if it may, or if memory is short; false if not: then @wanted was called
 * for all instructions that the probe may execute.
 */
bool ktap_probe_reaches(const struct ktap_probe *probe, ktap_wanted_fn wanted, void *data)
{
	return plan_find(probe, false, wanted, data);
}

/* Like ktap_probe_reaches(), but do not follow calls of functions that are values. */
bool ktap_probe_calls(const struct ktap_probe *probe, ktap_wanted_fn wanted, void *data)
{
	return plan_find(probe, true, wanted, data);
}

/* Visitor for ktap_probe_reaches(): record what @insn reads; always continue. */
static bool plan_note_read(const struct ktap_code *insn, void *data)
{
	struct ktap_probe *probe = data;
	struct ktap_plan *plan = &probe->plan;
	u32 field;

	switch (insn->op) {
	case KTAP_OP_FIELD:
		__set_bit(insn->d, plan->fields);
		break;
	case KTAP_OP_TGETS:
		field = probe->session->env.prog->string_field[insn->d];
		if (field != KTAP_NONE)
			__set_bit(field, plan->fields);
		break;
	case KTAP_OP_ARG:
		plan->event = true;
		if (insn->d < BITS_PER_TYPE(plan->args))
			plan->args |= BIT(insn->d);
		break;
	default:
		plan->nth |= insn->op == KTAP_OP_CALLB && insn->d == KTAP_FN_EVENT_FIELD;
		plan->event |= ktap_insn_reads(insn) & KTAP_READS_EVENT;
		plan->retval |= ktap_insn_reads(insn) & KTAP_READS_RETVAL;
	}
	return false;
}

static bool plan_is_register(u8 operand)
{
	return operand >= KTAP_X_READ && operand <= KTAP_X_OWN;
}

/* May the instruction read or write the first register, or a range from there on? */
static bool plan_names_first(const struct ktap_code *insn)
{
	const struct ktap_opdef *def = &ktap_opdefs[insn->op];

	if (insn->op == KTAP_OP_VALUE || insn->op == KTAP_OP_KERNEL || insn->op == KTAP_OP_KANY ||
	    insn->op == KTAP_OP_SUM || insn->op == KTAP_OP_PRINTF)
		return !insn->a;
	if (!def->name)
		return !insn->a || !insn->b || !insn->c;
	/* b and c are numbers of values. */
	if (def->flags & KTAP_OPF_TAKES_OPEN)
		return !insn->a && (insn->op != KTAP_OP_RET || insn->b);
	return (!insn->a && plan_is_register(def->a)) ||
	       (!insn->b && plan_is_register(def->b)) ||
	       (!insn->c && plan_is_register(def->c));
}

/* The first register of a handler with a parameter holds the event. */
static bool plan_takes_event(const struct ktap_program *prog, const struct ktap_func *handler)
{
	const struct ktap_code *insn = prog->code + handler->first, *end = insn + handler->ninsns;

	if (handler->variadic)
		return true;
	for (; insn < end && handler->nparams; insn++) {
		if (plan_names_first(insn))
			return true;
	}
	return false;
}

/*
 * Set &ktap_probe.plan; return 0 or -ENOMEM.  Functions that the handler calls get the
 * event from the handler, or read it by instructions of their own.  A filter has no
 * parameters.
 */
int ktap_plan_make(struct ktap_probe *probe)
{
	const struct ktap_program *prog = probe->session->env.prog;
	struct ktap_plan *plan = &probe->plan;

	plan->fields = bitmap_zalloc(prog->nfields, KTAP_GFP);
	if (!plan->fields || ktap_probe_reaches(probe, plan_note_read, probe))
		return -ENOMEM;
	plan->event |= plan_takes_event(prog, &prog->funcs[probe->handler]);
	return 0;
}
