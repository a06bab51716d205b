// SPDX-License-Identifier: GPL-2.0
/*
 * Are the tables of a program steady?  data/table_recent.h says what that is, and what it is
 * good for.
 */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "data/heap.h"
#include "load/rewrite.h"
#include "load/verifier.h"
#include "vm/builtin.h"

/**
 * struct steady - what the functions of a program do to entries
 * @loses: they remove entries, or may change the type of a value
 * @sets: they set an entry
 * @aggregates: they make an entry whose value is an aggregation
 */
struct steady {
	bool loses;
	bool sets;
	bool aggregates;
};

/* In process context it waits until nobody uses an entry that it removes. */
static bool steady_removes(const struct ktap_code *insn)
{
	return insn->op == KTAP_OP_CALLB &&
	       (insn->d == KTAP_FN_CLEAR || insn->d == KTAP_FN_TRUNC);
}

/* Mark the functions that @func names; true if one was not marked yet. */
static bool steady_mark_callees(const struct ktap_program *prog, const struct ktap_func *func,
				bool *marked)
{
	const struct ktap_code *insn = prog->code + func->first, *end = insn + func->ninsns;
	bool again = false;

	for (; insn < end; insn++) {
		if (ktap_opdefs[insn->op].d != KTAP_X_FUNC || marked[insn->d])
			continue;
		marked[insn->d] = true;
		again = true;
	}
	return again;
}

/* Mark the functions that an event may run.  A value may be called by any other function. */
static void steady_find_event_funcs(const struct ktap_program *prog, const u8 *roles, bool *event)
{
	bool again;
	u32 i;

	for (i = 0; i < prog->nfuncs; i++)
		event[i] = prog->funcs[i].is_value ||
			   roles[i] & (KTAP_ROLE_HANDLER | KTAP_ROLE_FILTER);
	do {
		again = false;
		for (i = 0; i < prog->nfuncs; i++) {
			if (event[i])
				again |= steady_mark_callees(prog, &prog->funcs[i], event);
		}
	} while (again);
}

static void steady_look(struct steady *s, const struct ktap_program *prog, u32 pc, u8 roles,
			bool event)
{
	const struct ktap_code *insn = &prog->code[pc];

	switch (insn->op) {
	case KTAP_OP_TSET:
	case KTAP_OP_TSETS:
	case KTAP_OP_TSETI:
		/* The top level ends before any event is delivered. */
		if (roles == KTAP_ROLE_TOP_LEVEL)
			break;
		s->sets = true;
		s->loses |= !ktap_is_int(prog, pc, KTAP_OTHER_C);
		break;
	case KTAP_OP_TSETM:
		s->loses |= roles != KTAP_ROLE_TOP_LEVEL;
		break;
	case KTAP_OP_TAGG:
		s->aggregates = true;
		break;
	case KTAP_OP_CALLB:
		s->loses |= event && steady_removes(insn);
		break;
	default:
		break;
	}
}

int ktap_find_steady(struct ktap_program *prog)
{
	struct steady s = { };
	u32 i, pc, end;
	bool *event;
	u8 *roles;

	/* Integers are added to as longs. */
	if (!IS_ENABLED(CONFIG_64BIT))
		return 0;
	roles = kvcalloc(prog->nfuncs, sizeof(*roles) + sizeof(*event), KTAP_GFP);
	if (!roles)
		return -ENOMEM;
	event = (bool *)(roles + prog->nfuncs);
	ktap_find_roles(prog, roles);
	steady_find_event_funcs(prog, roles, event);
	for (i = 0; i < prog->nfuncs; i++) {
		pc = prog->funcs[i].first;
		for (end = pc + prog->funcs[i].ninsns; pc < end; pc++)
			steady_look(&s, prog, pc, roles[i], event[i]);
	}
	/* An aggregation must not become an integer, either. */
	prog->steady = !s.loses && !(s.sets && s.aggregates);
	kvfree(roles);
	return 0;
}
