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

/* The session waits until nobody uses an entry that such a function removes. */
static bool steady_removes_all(const struct ktap_code *insn)
{
	return insn->op == KTAP_OP_CALLB &&
	       (insn->d == KTAP_FN_CLEAR || insn->d == KTAP_FN_TRUNC);
}

static void steady_look(struct steady *s, const struct ktap_program *prog, u32 pc, u8 roles)
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
		s->loses |= steady_removes_all(insn) &&
			    roles & ~(KTAP_ROLE_TOP_LEVEL | KTAP_ROLE_PROCESS);
		break;
	default:
		break;
	}
}

int ktap_find_steady(struct ktap_program *prog)
{
	struct steady s = { };
	u32 i, pc;
	u8 *roles;

	/* Integers are added to as longs. */
	if (!IS_ENABLED(CONFIG_64BIT))
		return 0;
	roles = kvzalloc(prog->nfuncs, KTAP_GFP);
	if (!roles)
		return -ENOMEM;
	ktap_find_roles(prog, roles);
	for (i = 0; i < prog->nfuncs; i++) {
		for (pc = prog->funcs[i].first; pc < prog->funcs[i].first + prog->funcs[i].ninsns; pc++)
			steady_look(&s, prog, pc, roles[i]);
	}
	/* An aggregation must not become an integer, either. */
	prog->steady = !s.loses && !(s.sets && s.aggregates);
	kvfree(roles);
	return 0;
}
