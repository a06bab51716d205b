// SPDX-License-Identifier: GPL-2.0
/* The code generator: statements and probes. */
#include <linux/ktap.h>

#include "compiler/chunk_write.h"
#include "compiler/codegen.h"

static bool gen_stmt(struct gen *g, const struct node *n);

/* Generate the statements of a scope; the caller closes it. */
static bool gen_stmts(struct gen *g, const struct node *list)
{
	/* statements after return or break are unreachable */
	for (; list; list = list->next)
		if (!gen_stmt(g, list))
			return false;
	return true;
}

static void close_scope(struct gen *g, const struct regs *before)
{
	g->regs->locals = before->locals;
	g->regs->top = before->top;
}

bool gen_block(struct gen *g, const struct node *list)
{
	struct regs before = *g->regs;
	bool goes_on = gen_stmts(g, list);

	close_scope(g, &before);
	return goes_on;
}

static void loop_begin(struct gen *g, struct loop *loop)
{
	*loop = (struct loop) {
		.outer = g->loop, .breaks = NO_JUMPS, .continues = NO_JUMPS,
	};
	g->loop = loop;
}

/* Returns true if the loop has a break. */
static bool loop_end(struct gen *g)
{
	bool broken = g->loop->breaks.last >= 0;

	jumps_here(g, &g->loop->breaks);
	g->loop = g->loop->outer;
	return broken;
}

static bool gen_if(struct gen *g, const struct node *n)
{
	struct jumps end = NO_JUMPS;
	const struct node *arm;
	bool goes_on = false;

	for (arm = n->list; arm; arm = arm->next) {
		struct jumps next = NO_JUMPS;
		bool always = !arm->a || (is_const(arm->a) && const_truth(arm->a));
		bool reached;

		if (arm->a && is_const(arm->a) && !always)
			continue;
		if (!always)
			gen_condition(g, arm->a, false, &next);
		reached = gen_block(g, arm->list);
		goes_on |= reached;
		if (always) {
			jumps_here(g, &end);
			return goes_on;
		}
		if (reached && arm->next) {
			g->pos = arm->next->pos;
			emit_jump(g, KTAP_OP_JMP, 0, 0, 0, &end);
		}
		jumps_here(g, &next);
	}
	jumps_here(g, &end);
	return true;
}

static bool gen_while(struct gen *g, const struct node *n)
{
	bool forever = is_const(n->a) && const_truth(n->a), broken;
	unsigned int top = g->f->ninsns;
	struct loop loop;

	if (is_const(n->a) && !forever)
		return true;
	loop_begin(g, &loop);
	if (!forever)
		gen_condition(g, n->a, false, &loop.breaks);
	if (gen_block(g, n->list))
		emit_jump_back(g, n, KTAP_OP_JMP, 0, top);
	jumps_to(g, &loop.continues, top);
	broken = loop_end(g);
	return !forever || broken;
}

static bool gen_repeat(struct gen *g, const struct node *n)
{
	struct jumps again = NO_JUMPS;
	unsigned int top = g->f->ninsns;
	struct regs before = *g->regs;
	bool tested, broken;
	struct loop loop;

	loop_begin(g, &loop);
	tested = gen_stmts(g, n->list);
	tested |= loop.continues.last >= 0;
	jumps_here(g, &loop.continues);
	if (tested)
		gen_condition(g, n->a, false, &again);
	jumps_to(g, &again, top);
	close_scope(g, &before);
	broken = loop_end(g);
	return broken || (tested && !(is_const(n->a) && !const_truth(n->a)));
}

static bool gen_for_num(struct gen *g, const struct node *n)
{
	struct regs before = *g->regs;
	struct loop loop;
	unsigned int top;
	int reg;

	/* * the vm uses value, limit and step; the script may change the variable */
	reg = regs_take(g->regs, 1);
	gen_to(g, n->a, reg);
	gen_to(g, n->b, regs_take(g->regs, 1));
	if (n->c)
		gen_to(g, n->c, regs_take(g->regs, 1));
	else
		gen_int(g, regs_take(g->regs, 1), 1);
	regs_take(g->regs, 1);
	regs_bind(g->regs, 4);
	n->list2->var->reg = reg + 3;
	loop_begin(g, &loop);
	g->pos = n->pos;
	emit_jump(g, KTAP_OP_FORPREP, reg, 0, 0, &loop.breaks);
	top = g->f->ninsns;
	if (gen_block(g, n->list) || loop.continues.last >= 0) {
		jumps_here(g, &loop.continues);
		emit_jump_back(g, n, KTAP_OP_FORLOOP, reg, top);
	}
	loop_end(g);
	close_scope(g, &before);
	return true;
}

static bool gen_for_c(struct gen *g, const struct node *n)
{
	bool forever = !n->b || (is_const(n->b) && const_truth(n->b)), broken;
	struct regs before = *g->regs;
	struct loop loop;
	unsigned int top;

	if (n->a)
		gen_stmt(g, n->a);
	top = g->f->ninsns;
	loop_begin(g, &loop);
	if (!forever)
		gen_condition(g, n->b, false, &loop.breaks);
	if (gen_block(g, n->list) || loop.continues.last >= 0) {
		jumps_here(g, &loop.continues);
		gen_stmts(g, n->list2);
		emit_jump_back(g, n, KTAP_OP_JMP, 0, top);
	}
	broken = loop_end(g);
	close_scope(g, &before);
	return !forever || broken;
}

static bool gen_for_in(struct gen *g, const struct node *n)
{
	struct regs before = *g->regs;
	struct loop loop;
	unsigned int top;
	int reg;

	/* registers: the table, two for the vm, the key and the value */
	reg = regs_take(g->regs, 1);
	gen_to(g, n->a, reg);
	regs_take(g->regs, 4);
	regs_bind(g->regs, 5);
	n->list2->var->reg = reg + 3;
	if (n->list2->next)
		n->list2->next->var->reg = reg + 4;
	loop_begin(g, &loop);
	g->pos = n->pos;
	emit(g, KTAP_OP_ITER, reg, 0, 0, 0);
	top = g->f->ninsns;
	emit_jump(g, KTAP_OP_NEXT, reg, 0, 0, &loop.breaks);
	if (gen_block(g, n->list))
		emit_jump_back(g, n, KTAP_OP_JMP, 0, top);
	jumps_to(g, &loop.continues, top);
	loop_end(g);
	close_scope(g, &before);
	return true;
}

static void gen_return(struct gen *g, const struct node *n)
{
	unsigned int count = 1;
	int reg = 0;

	if (n->list && !n->list->next && !is_open(n->list))
		reg = gen_operand(g, n->list, -1);
	else
		reg = gen_open_list(g, n->list, &count);
	if (!count)
		reg = 0;
	g->pos = n->pos;
	emit(g, KTAP_OP_RET, reg, count, 0, 0);
}

static int32_t add_probe(struct gen *g, const struct node *n, const struct node *event,
			 struct func *handler)
{
	return chunk_probe(g->cc, &(struct probe) {
		.event = event->str, .len = event->len, .filter = n->func, .handler = handler,
		.condition = n->b ? n->b->sym : NULL,
	}, event->pos);
}

static void gen_trace(struct gen *g, const struct node *n)
{
	struct func *handler = static_func(n->a);
	const struct node *event;
	int reg;

	for (event = n->list; event; event = event->next) {
		unsigned int top = g->regs->top;

		reg = regs_take(g->regs, 1);
		if (event->kind == N_STR && handler) {
			g->pos = n->pos;
			emit(g, KTAP_OP_INT, reg, 0, 0, add_probe(g, n, event, handler));
			g->pos = event->pos;
			emit(g, KTAP_OP_CALLB, reg, 1, 0, KTAP_FN_TRACE);
		} else {
			gen_to(g, event, reg);
			gen_to(g, n->a, regs_take(g->regs, 1));
			g->pos = event->pos;
			emit(g, KTAP_OP_CALLB, reg, 2, 0, KTAP_FN_PROBE);
		}
		regs_release(g->regs, top);
	}
}

static bool gen_try(struct gen *g, const struct node *n)
{
	unsigned int first = g->f->ninsns, end;
	struct regs before = *g->regs;
	struct jumps out = NO_JUMPS;
	struct func *f = g->f;
	bool goes_on, caught;
	int reg;

	g->tries++;
	goes_on = gen_block(g, n->list);
	g->tries--;
	end = f->ninsns;
	if (goes_on)
		emit_jump(g, KTAP_OP_JMP, 0, 0, 0, &out);
	/* the handler reads no temporaries of the body */
	reg = regs_take(g->regs, 1);
	if (n->a) {
		n->a->var->reg = reg;
		regs_bind(g->regs, 1);
	}
	f->tries = pool_grow(&g->cc->pool, f->tries, f->ntries, &f->max_tries,
			     sizeof(*f->tries));
	f->tries[f->ntries++] = (struct try) {
		.first = first, .end = end, .handler = f->ninsns, .reg = reg,
		.pos = n->pos,
	};
	caught = gen_block(g, n->list2);
	close_scope(g, &before);
	jumps_here(g, &out);
	return goes_on || caught;
}

/* Returns false if the statements after it are unreachable. */
static bool gen_call_stmt(struct gen *g, const struct node *n)
{
	struct jumps holds = NO_JUMPS;

	/* assert() */
	if (n->kind == N_OR) {
		gen_condition(g, n->a, true, &holds);
		gen_results(g, n->b, 0);
		jumps_here(g, &holds);
		return true;
	}
	if (n->kind == N_CALL)
		gen_results(g, n, 0);
	return n->kind != N_CALL || n->call != CALL_BUILTIN ||
	       (n->ival != KTAP_FN_EXIT && n->ival != KTAP_FN_ERROR);
}

static bool gen_stmt_body(struct gen *g, const struct node *n)
{
	unsigned int top = g->regs->top;
	bool goes_on = true;

	g->pos = n->pos;
	switch (n->kind) {
	case S_LOCAL:
	case S_ASSIGN:
		gen_assign(g, n);
		return true;
	case S_OPASSIGN:
		gen_op_assign(g, n);
		return true;
	case S_AGGREGATE:
		gen_aggregate(g, n);
		return true;
	case S_CALL:
		goes_on = gen_call_stmt(g, n->a);
		break;
	case S_IF:
		return gen_if(g, n);
	case S_WHILE:
		return gen_while(g, n);
	case S_REPEAT:
		return gen_repeat(g, n);
	case S_FORNUM:
		return gen_for_num(g, n);
	case S_FORC:
		return gen_for_c(g, n);
	case S_FORIN:
		return gen_for_in(g, n);
	case S_TRY:
		return gen_try(g, n);
	case S_BREAK:
		emit_jump(g, KTAP_OP_JMP, 0, 0, 0, &g->loop->breaks);
		return false;
	case S_CONTINUE:
		emit_jump(g, KTAP_OP_JMP, 0, 0, 0, &g->loop->continues);
		return false;
	case S_RETURN:
		gen_return(g, n);
		return false;
	case S_DELETE:
		gen_delete(g, n);
		break;
	case S_BLOCK:
		return gen_block(g, n->list);
	case S_TRACE:
		gen_trace(g, n);
		break;
	default:
		break;		/* S_FUNC: functions are generated separately */
	}
	regs_release(g->regs, top);
	return goes_on;
}

static bool gen_stmt(struct gen *g, const struct node *n)
{
	bool goes_on;

	g->cc->pos = n->pos;
	goes_on = gen_stmt_body(g, n);
	if (g->regs->overflow && !g->overflow) {
		g->overflow = true;
		diag_error(&g->cc->diag, n->pos,
			   "'%s' needs more than %u registers: too many locals, or too large an expression",
			   g->f->name, KTAP_MAX_REGS);
	}
	return goes_on;
}
