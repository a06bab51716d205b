// SPDX-License-Identifier: GPL-2.0
/* The code generator: instructions, jumps, and functions as a whole. */
#include <linux/ktap.h>

#include "compiler/chunk_write.h"
#include "compiler/codegen.h"

unsigned int emit(struct gen *g, int op, int a, int b, int c, int32_t d)
{
	struct func *f = g->f;

	f->code = pool_grow(&g->cc->pool, f->code, f->ninsns, &f->max, sizeof(*f->code));
	f->code[f->ninsns] = (struct insn) {
		.op = op, .a = a, .b = b, .c = c, .d = d, .pos = g->pos,
	};
	return f->ninsns++;
}

void emit_jump(struct gen *g, int op, int a, int b, int c, struct jumps *jumps)
{
	jumps->last = emit(g, op, a, b, c, jumps->last);
}

void emit_jump_back(struct gen *g, const struct node *loop, int op, int a, unsigned int target)
{
	unsigned int at = g->f->ninsns;

	g->pos = loop->pos;
	emit(g, op, a, 0, 0, (int32_t)target - (int32_t)at - 1);
}

void jumps_to(struct gen *g, struct jumps *jumps, unsigned int target)
{
	while (jumps->last >= 0) {
		struct insn *i = &g->f->code[jumps->last];
		int at = jumps->last;

		jumps->last = i->d;
		i->d = (int32_t)target - at - 1;
	}
}

void jumps_here(struct gen *g, struct jumps *jumps)
{
	jumps_to(g, jumps, g->f->ninsns);
}

/* Initialise globals before the first statement. */
static void gen_prologue(struct gen *g)
{
	const struct sym *s;
	int reg;

	for (s = g->cc->syms; s; s = s->next) {
		if (!s->automatic && !(s->func && s->global))
			continue;
		reg = regs_take(g->regs, 1);
		if (s->automatic && s->aggregated)
			emit(g, KTAP_OP_CALLB, reg, 0, 0, KTAP_FN_NEW_STATS);
		else if (s->automatic)
			emit(g, KTAP_OP_NEWT, reg, 0, 0, 0);
		else
			emit(g, KTAP_OP_FUNC, reg, 0, 0, s->func->index);
		emit(g, KTAP_OP_SETG, reg, 0, 0, s->index);
		regs_release(g->regs, reg);
	}
}

/* Register the probes of all trace_on(): they are off. */
static void gen_switched(struct gen *g)
{
	int reg = regs_take(g->regs, 1);
	unsigned int i;

	for (i = 0; i < g->cc->nprobes; i++) {
		g->pos = g->cc->probes[i].pos;
		emit(g, KTAP_OP_INT, reg, 0, 0, i);
		emit(g, KTAP_OP_CALLB, reg, 1, 0, KTAP_FN_TRACE);
	}
	regs_release(g->regs, reg);
}

/* All calls of the handler but one return at once. */
static void gen_once(struct gen *g)
{
	int reg = regs_take(g->regs, 1);
	struct jumps go_on = NO_JUMPS;

	g->pos = g->f->pos;
	emit(g, KTAP_OP_INT, reg, 0, 0, g->f->once - 1);
	emit(g, KTAP_OP_CALLB, reg, 1, 0, KTAP_FN_FIRST);
	emit_jump(g, KTAP_OP_JT, reg, 0, 0, &go_on);
	emit(g, KTAP_OP_RET, 0, 0, 0, 0);
	jumps_here(g, &go_on);
	regs_release(g->regs, reg);
}

static void gen_func(struct compiler *cc, struct func *f)
{
	struct gen g = { .cc = cc, .f = f, .regs = &f->regs };
	struct node *n;
	int reg;

	if (f->nparams)
		regs_take(&f->regs, f->nparams);
	regs_bind(&f->regs, f->nparams);
	for (n = f->params, reg = 0; n; n = n->next)
		n->var->reg = reg++;
	if (f == cc->main)
		gen_prologue(&g);
	if (f == cc->main && cc->nprobes)
		gen_switched(&g);
	if (f->once)
		gen_once(&g);
	gen_block(&g, f->body);
	g.pos = (struct pos) { .file = f->pos.file };
	emit(&g, KTAP_OP_RET, 0, 0, 0, 0);
	optimise(cc, f);
}

void generate(struct compiler *cc)
{
	unsigned int insns = 0, tries = 0;
	struct func *f;

	for (f = cc->main; f && !cc->diag.nerrors; f = f->next) {
		chunk_limit(cc, f->pos, f->index, KTAP_MAX_FUNCS, "functions");
		gen_func(cc, f);
		if (insns + f->ninsns > KTAP_MAX_INSNS)
			chunk_limit(cc, f->code[KTAP_MAX_INSNS - insns].pos, KTAP_MAX_INSNS,
				    KTAP_MAX_INSNS, "instructions");
		if (tries + f->ntries > KTAP_MAX_TRIES)
			chunk_limit(cc, f->tries[KTAP_MAX_TRIES - tries].pos, KTAP_MAX_TRIES,
				    KTAP_MAX_TRIES, "try statements");
		insns += f->ninsns;
		tries += f->ntries;
	}
}
