// SPDX-License-Identifier: GPL-2.0
/*
 * Optimisations that need the whole function: shorten chains of jumps, and
 * remove unreachable code.
 */
#include <string.h>

#include <linux/ktap.h>

#include "compiler/codegen.h"
#include "compiler/util.h"

#define MAX_ROUNDS	10	/* one round makes work for the next, but seldom much */
#define MAX_HOPS	100	/* of a jump to a jump to a jump */

/* The function that is being optimised. */
struct flow {
	struct func *f;
	unsigned int *target;	/* by instruction: its jump target */
	unsigned char *mark;	/* by instruction: MARK flags */
	unsigned int *todo;	/* instructions to follow */
	unsigned int *place;	/* by instruction: its new index */
};

#define TARGET		1
#define REACHED		2
#define DROPPED		4

static bool is_branch(int op)
{
	return op > KTAP_OP_JMP && op <= KTAP_OP_JNGEI;
}

static bool is_jump(int op)
{
	return op == KTAP_OP_JMP || is_branch(op) || op == KTAP_OP_NEXT ||
	       op == KTAP_OP_FORPREP || op == KTAP_OP_FORLOOP;
}

/*
 * Is it a branch that only tests the truth of a register, or whether it is nil?
 */
static bool is_test(int op)
{
	return op >= KTAP_OP_JT && op <= KTAP_OP_JNNIL;
}

static int opposite_jump(int op)
{
	static const unsigned char pairs[][2] = {
		{ KTAP_OP_JT, KTAP_OP_JF }, { KTAP_OP_JNIL, KTAP_OP_JNNIL },
		{ KTAP_OP_JEQ, KTAP_OP_JNE }, { KTAP_OP_JLT, KTAP_OP_JNLT },
		{ KTAP_OP_JLE, KTAP_OP_JNLE }, { KTAP_OP_JEQI, KTAP_OP_JNEI },
		{ KTAP_OP_JLTI, KTAP_OP_JNLTI }, { KTAP_OP_JLEI, KTAP_OP_JNLEI },
		{ KTAP_OP_JGTI, KTAP_OP_JNGTI }, { KTAP_OP_JGEI, KTAP_OP_JNGEI },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		if (pairs[i][0] == op)
			return pairs[i][1];
		if (pairs[i][1] == op)
			return pairs[i][0];
	}
	return 0;
}

/*
 * @jump was taken, and leads to @test of the same register. Returns 1 if the
 * test jumps as well, 0 if not, -1 if unknown.
 */
static int jump_outcome(const struct insn *jump, const struct insn *test)
{
	if (!is_test(jump->op) || !is_test(test->op) || jump->a != test->a)
		return -1;
	if (jump->op == test->op)
		return 1;
	if (test->op == opposite_jump(jump->op))
		return 0;
	/* nil is false, and a true value is not nil */
	if (jump->op == KTAP_OP_JNIL)
		return test->op == KTAP_OP_JF;
	if (jump->op == KTAP_OP_JT)
		return test->op == KTAP_OP_JNNIL;
	return -1;
}

/* Follow jumps from `to` to their final target. */
static unsigned int follow_jumps(const struct flow *fl, const struct insn *jump, unsigned int to)
{
	const struct insn *code = fl->f->code;
	int hops, taken;

	for (hops = 0; hops < MAX_HOPS; hops++) {
		taken = code[to].op == KTAP_OP_JMP ? 1 : jump ? jump_outcome(jump, &code[to]) : -1;
		if (taken < 0)
			break;
		to = taken ? fl->target[to] : to + 1;
	}
	return to;
}

static void thread_jumps(struct flow *fl)
{
	struct func *f = fl->f;
	unsigned int i;

	for (i = 0; i < f->ninsns; i++) {
		struct insn *insn = &f->code[i];

		if (!is_jump(insn->op))
			continue;
		fl->target[i] = follow_jumps(fl, insn, fl->target[i]);
		/* a jump to the end of the function ends it */
		if (insn->op == KTAP_OP_JMP && f->code[fl->target[i]].op == KTAP_OP_RET)
			*insn = f->code[fl->target[i]];
	}
	for (i = 0; i < f->ntries; i++)
		f->tries[i].handler = follow_jumps(fl, NULL, f->tries[i].handler);
}

static void flow_mark_targets(struct flow *fl)
{
	struct func *f = fl->f;
	unsigned int i;

	memset(fl->mark, 0, f->ninsns);
	for (i = 0; i < f->ninsns; i++)
		if (is_jump(f->code[i].op))
			fl->mark[fl->target[i]] |= TARGET;
	for (i = 0; i < f->ntries; i++)
		fl->mark[f->tries[i].handler] |= TARGET;
}

/* Turn a branch around a jump into one branch: "if (x) break". */
static void turn_branches(struct flow *fl)
{
	struct func *f = fl->f;
	unsigned int i;

	flow_mark_targets(fl);
	for (i = 0; i + 2 < f->ninsns; i++) {
		struct insn *insn = &f->code[i];

		if (!is_branch(insn->op) || fl->target[i] != i + 2 ||
		    insn[1].op != KTAP_OP_JMP || (fl->mark[i + 1] & TARGET))
			continue;
		insn->op = opposite_jump(insn->op);
		fl->target[i] = fl->target[i + 1];
		fl->target[i + 1] = i + 2;
	}
}

static void flow_reach(struct flow *fl, unsigned int i, unsigned int *n)
{
	if (i >= fl->f->ninsns || (fl->mark[i] & REACHED))
		return;
	fl->mark[i] |= REACHED;
	fl->todo[(*n)++] = i;
}

static void reach_all(struct flow *fl, unsigned int from)
{
	unsigned int n = 0;

	flow_reach(fl, from, &n);
	while (n) {
		unsigned int i = fl->todo[--n];
		int op = fl->f->code[i].op;

		if (is_jump(op))
			flow_reach(fl, fl->target[i], &n);
		if (op != KTAP_OP_JMP && op != KTAP_OP_RET)
			flow_reach(fl, i + 1, &n);
	}
}

/* A handler is reachable if an instruction that it covers is. */
static bool reach_handlers(struct flow *fl)
{
	bool more = false;
	unsigned int i, j;

	for (i = 0; i < fl->f->ntries; i++) {
		const struct try *t = &fl->f->tries[i];

		if (fl->mark[t->handler] & REACHED)
			continue;
		for (j = t->first; j < t->end && !(fl->mark[j] & REACHED); j++)
			;
		if (j == t->end)
			continue;
		reach_all(fl, t->handler);
		more = true;
	}
	return more;
}

/* Mark the instructions to remove; false if there are none. */
static bool mark_dead(struct flow *fl)
{
	struct func *f = fl->f;
	bool any = false;
	unsigned int i, next;

	memset(fl->mark, 0, f->ninsns);
	reach_all(fl, 0);
	while (reach_handlers(fl))
		;
	for (i = f->ninsns, next = f->ninsns; i-- > 0; ) {
		int op = f->code[i].op;

		if (!(fl->mark[i] & REACHED) ||
		    ((op == KTAP_OP_JMP || is_test(op)) && fl->target[i] > i &&
		     fl->target[i] <= next)) {
			fl->mark[i] |= DROPPED;
			any = true;
		} else {
			next = i;
		}
	}
	return any;
}

/* Move the remaining instructions together, and update all references. */
static void remove_dead(struct flow *fl)
{
	struct func *f = fl->f;
	unsigned int i, n = 0;

	for (i = 0; i < f->ninsns; i++) {
		fl->place[i] = n;
		n += !(fl->mark[i] & DROPPED);
	}
	fl->place[i] = n;
	for (i = 0, n = 0; i < f->ninsns; i++) {
		if (fl->mark[i] & DROPPED)
			continue;
		f->code[n] = f->code[i];
		fl->target[n] = fl->place[fl->target[i]];
		n++;
	}
	f->ninsns = n;
	for (i = 0, n = 0; i < f->ntries; i++) {
		struct try t = f->tries[i];

		t.first = fl->place[t.first];
		t.end = fl->place[t.end];
		t.handler = fl->place[t.handler];
		if (t.first < t.end)
			f->tries[n++] = t;
	}
	f->ntries = n;
}

static void get_targets(struct flow *fl)
{
	unsigned int i;

	for (i = 0; i < fl->f->ninsns; i++)
		fl->target[i] = is_jump(fl->f->code[i].op) ? i + 1 + fl->f->code[i].d : 0;
}

static void set_targets(struct flow *fl)
{
	unsigned int i;

	for (i = 0; i < fl->f->ninsns; i++)
		if (is_jump(fl->f->code[i].op))
			fl->f->code[i].d = (int32_t)fl->target[i] - (int32_t)i - 1;
}

void optimise(struct compiler *cc, struct func *f)
{
	size_t n = f->ninsns + 1;
	struct flow fl = {
		.f = f,
		.target = pool_alloc(&cc->pool, n * sizeof(*fl.target)),
		.mark = pool_alloc(&cc->pool, n),
		.todo = pool_alloc(&cc->pool, n * sizeof(*fl.todo)),
		.place = pool_alloc(&cc->pool, n * sizeof(*fl.place)),
	};
	unsigned int round;

	get_targets(&fl);
	for (round = 0; round < MAX_ROUNDS; round++) {
		thread_jumps(&fl);
		turn_branches(&fl);
		if (!mark_dead(&fl))
			break;
		remove_dead(&fl);
	}
	set_targets(&fl);
}
