// SPDX-License-Identifier: GPL-2.0
/*
 * Statements and functions of generated programs.
 *
 * A function writes its variables first, so that no register is read before it is
 * written.  Registers of expressions and loops follow the variables, and are written
 * before they are read, too.  So the verifier refuses a program only for its types, which
 * is rare.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "exec.h"
#include "generate.h"
#include "vm/builtin.h"
#include "vm/opcode.h"

#define MAX_BLOCKS	5
#define MAX_STATEMENTS	6
#define SHORT_REGS	4	/* that a short function uses */
#define RESERVE		96	/* instructions that the end of a program needs */

static void statements(struct gen *g);

static void end_jump(struct gen *g, u32 at)
{
	g->p->code[at].d = g->p->ncode - at - 1;
}

static void jump_back(struct gen *g, u8 op, u8 a, u32 to)
{
	emit(g, op, a, 0, 0, (s32)to - (s32)g->p->ncode - 1);
}

static void assign(struct gen *g)
{
	u8 from = g->top, to = any_variable(g);

	gen_value(g, 0);
	emit(g, KTAP_OP_MOV, to, from, 0, 0);
}

static void set_global(struct gen *g)
{
	u8 from = g->top;

	if (pick(g, 2)) {
		gen_value(g, ktap_bit(INT));
		emit(g, KTAP_OP_ADDG, from, 0, 0, any_global(g));
		return;
	}
	gen_value(g, 0);
	/* the first three are the tables and the aggregation that the top level creates */
	emit(g, KTAP_OP_SETG, from, 0, 0, once_in(g, 16) ? any_global(g) :
						3 + pick(g, g->p->nglobals - 3));
}

static void set_entry(struct gen *g)
{
	static const u8 ops[] = { KTAP_OP_TSET, KTAP_OP_TADD, KTAP_OP_TAGG };
	u8 table = g->top, op = ops[pick(g, ARRAY_SIZE(ops))];
	u16 key = ktap_bit(INT) | ktap_bit(STR) | ktap_bit(BOOL) | ktap_bit(PTR);

	gen_value(g, ktap_bit(TABLE));
	switch (pick(g, 3)) {
	case 0:
		gen_value(g, once_in(g, 8) ? 0 : key | ktap_bit(TUPLE) | ktap_bit(KSTACK));
		gen_value(g, op == KTAP_OP_TSET ? 0 : ktap_bit(INT));
		emit(g, op, table, table + 1, table + 2, 0);
		break;
	case 1:
		gen_value(g, pick(g, 2) ? 0 : ktap_bit(INT));
		emit(g, pick(g, 2) ? KTAP_OP_TSETS : KTAP_OP_TADDS, table, 0, table + 1,
		     any_string(g));
		break;
	default:
		gen_value(g, pick(g, 2) ? 0 : ktap_bit(INT));
		emit(g, pick(g, 2) ? KTAP_OP_TSETI : KTAP_OP_TADDI, table, 0, table + 1,
		     pick(g, 12));
	}
}

static void aggregate(struct gen *g)
{
	u8 agg = g->top;

	gen_value(g, ktap_bit(AGG));
	gen_value(g, ktap_bit(INT));
	emit(g, KTAP_OP_AGG, agg, 0, agg + 1, 0);
}

static void set_self(struct gen *g)
{
	u8 from = g->top, op = pick(g, 2) ? KTAP_OP_SETSELF : KTAP_OP_ADDSELF;

	gen_value(g, op == KTAP_OP_SETSELF ? 0 : ktap_bit(INT));
	emit(g, op, from, 0, 0, any_string(g));
}

static bool may_call(struct gen *g, u32 id)
{
	switch (id) {
	case KTAP_FN_EXIT:
	case KTAP_FN_STOP:
	case KTAP_FN_ERROR:
		return once_in(g, 32);
	default:
		return !(ktap_builtins[id].levels & KTAP_UNSAFE) ||
		       g->p->flags & KTAP_CHUNK_UNSAFE;
	}
}

static void call_builtin(struct gen *g)
{
	u32 id = pick(g, KTAP_NR_FUNCTIONS);

	while (!ktap_builtins[id].fn)
		id = (id + 1) % KTAP_NR_FUNCTIONS;
	if (may_call(g, id))
		gen_builtin(g, id);
}

static void print(struct gen *g)
{
	static const u8 functions[] = { KTAP_FN_PRINT, KTAP_FN_PRINTF, KTAP_FN_PRINT_HIST,
					KTAP_FN_PRINTA };

	gen_builtin(g, functions[pick(g, ARRAY_SIZE(functions))]);
}

static void speculate(struct gen *g)
{
	u8 number = g->top;

	gen_builtin(g, KTAP_FN_SPECULATION);
	emit(g, KTAP_OP_MOV, number + 1, number, 0, 0);
	emit(g, KTAP_OP_CALLB, number + 1, 1, 0, KTAP_FN_SPECULATE);
	g->top += 2;
	print(g);
	g->top = number + 1;
	emit(g, KTAP_OP_CALLB, number, 1, 0, pick(g, 2) ? KTAP_FN_COMMIT : KTAP_FN_DISCARD);
}

/* Let a function decide the order of a few entries. */
static void sort_by_function(struct gen *g)
{
	u8 table = g->top, i;

	emit(g, KTAP_OP_NEWT, g->top++, 0, 0, 0);
	for (i = 0; i < 4; i++) {
		gen_value(g, ktap_bit(INT));
		emit(g, KTAP_OP_TSETI, table, 0, table + 1, i);
		g->top = table + 1;
	}
	emit(g, KTAP_OP_FUNC, table + 1, 0, 0, any_function(g));
	emit(g, KTAP_OP_CALLB, table, 2, 0, KTAP_FN_SORT);
	emit(g, KTAP_OP_SETG, table, 0, 0, 0);
}

/* Some values, then all results of a call or all variable arguments. */
static void open_values(struct gen *g)
{
	u8 first = g->top, giver, n = pick(g, 3), i;
	u32 taker = pick(g, 5);

	/* the register before the values has the called function, or the table */
	if (taker == 3)
		gen_value(g, ktap_bit(FUNC));
	if (taker == 4)
		gen_value(g, ktap_bit(TABLE));
	for (i = 0; i < n; i++)
		gen_value(g, 0);
	giver = g->top++;
	/* RET of nothing but the results of a call: the call is a tail call */
	if (taker == 2 && n == 1) {
		emit(g, KTAP_OP_CALL, first, n, KTAP_MULTI, any_function(g));
		emit(g, KTAP_OP_RET, first, KTAP_MULTI, 0, 0);
		return;
	}
	if (taker == 3 && n == 1) {
		emit(g, KTAP_OP_CALLV, first, n, KTAP_MULTI, 0);
		emit(g, KTAP_OP_RET, first, KTAP_MULTI, 0, 0);
		return;
	}
	if (g->f->flags & KTAP_FUNC_VARIADIC && pick(g, 2))
		emit(g, KTAP_OP_VARG, giver, 0, KTAP_MULTI, 0);
	else
		emit(g, KTAP_OP_CALL, giver, 0, KTAP_MULTI, any_function(g));
	switch (taker) {
	case 0:
		emit(g, KTAP_OP_CALLB, first, KTAP_MULTI, 0, KTAP_FN_PRINT);
		break;
	case 1:
		emit(g, KTAP_OP_CALL, first, KTAP_MULTI, pick(g, 3), any_function(g));
		break;
	case 2:
		emit(g, KTAP_OP_RET, first, KTAP_MULTI, 0, 0);
		break;
	case 3:
		emit(g, KTAP_OP_CALLV, first, KTAP_MULTI, 1, 0);
		break;
	default:
		emit(g, KTAP_OP_TSETM, first, first + 1, 0, pick(g, 20));
	}
}

static void return_values(struct gen *g)
{
	u8 first = g->top, n = pick(g, 4), i;

	for (i = 0; i < n; i++)
		gen_value(g, 0);
	emit(g, KTAP_OP_RET, first, n, 0, 0);
}

/* A conditional jump. end_jump() sets its target. */
static u32 jump(struct gen *g)
{
	u8 a = g->top, op = KTAP_OP_JT + pick(g, KTAP_OP_JNGEI - KTAP_OP_JT + 1);
	u16 tags = once_in(g, 8) ? 0 : ktap_bit(INT);

	if (op <= KTAP_OP_JNNIL) {
		gen_value(g, 0);
		return emit(g, op, a, 0, 0, 0);
	}
	gen_value(g, tags);
	if (op >= KTAP_OP_JEQI)
		return emit(g, op, a, pick(g, 20), once_in(g, 4) ? 0xff : 0, 0);
	gen_value(g, tags);
	return emit(g, op, a, a + 1, 0, 0);
}

static void if_statement(struct gen *g)
{
	u8 top = g->top;
	u32 over = jump(g), end;

	g->top = top;
	statements(g);
	if (pick(g, 2)) {
		end = emit(g, KTAP_OP_JMP, 0, 0, 0, 0);
		end_jump(g, over);
		statements(g);
		over = end;
	}
	end_jump(g, over);
}

static void while_loop(struct gen *g)
{
	u8 top = g->top;
	u32 begin = g->p->ncode, out = jump(g);

	g->top = top;
	statements(g);
	jump_back(g, KTAP_OP_JMP, 0, begin);
	end_jump(g, out);
}

static void for_loop(struct gen *g)
{
	u8 loop = g->top;
	u32 prep;

	emit(g, KTAP_OP_INT, loop, 0, 0, pick(g, 20) - 10);
	g->top = loop + 1;
	if (once_in(g, 4))
		gen_value(g, ktap_bit(INT));
	else
		emit(g, KTAP_OP_INT, g->top++, 0, 0, pick(g, 20));
	emit(g, KTAP_OP_INT, g->top++, 0, 0, once_in(g, 16) ? -(s32)pick(g, 3) : 1 + pick(g, 4));
	g->top = loop + 4;
	prep = emit(g, KTAP_OP_FORPREP, loop, 0, 0, 0);
	statements(g);
	jump_back(g, KTAP_OP_FORLOOP, loop, prep + 1);
	end_jump(g, prep);
}

static void iteration(struct gen *g)
{
	u8 loop = g->top;
	u32 next;

	gen_value(g, ktap_bit(TABLE));
	emit(g, KTAP_OP_ITER, loop, 0, 0, 0);
	next = emit(g, KTAP_OP_NEXT, loop, 0, 0, 0);
	g->top = loop + 5;
	statements(g);
	jump_back(g, KTAP_OP_JMP, 0, next);
	end_jump(g, next);
}

static void try_statement(struct gen *g)
{
	struct ktap_try t = { .first = g->p->ncode, .reg = g->top++ };
	u32 over;

	statements(g);
	t.end = g->p->ncode;
	over = emit(g, KTAP_OP_JMP, 0, 0, 0, 0);
	t.handler = g->p->ncode;
	if (g->p->ntries < MAX_TRIES)
		g->p->tries[g->p->ntries++] = t;
	statements(g);
	end_jump(g, over);
}

static void (* const plain[])(struct gen *g) = {
	assign, set_global, set_entry, aggregate, set_self, call_builtin, call_builtin, print,
	sort_by_function, speculate, open_values, return_values, set_entry, aggregate,
};

static void (* const blocks[])(struct gen *g) = {
	if_statement, while_loop, for_loop, iteration, try_statement, try_statement,
};

static void statement(struct gen *g)
{
	u8 top = g->top;

	if (g->depth < MAX_BLOCKS && g->top < NR_REGS - 24 && once_in(g, 3)) {
		g->depth++;
		blocks[pick(g, ARRAY_SIZE(blocks))](g);
		g->depth--;
	} else {
		u32 depth = g->depth;

		g->depth = 0;
		plain[pick(g, ARRAY_SIZE(plain))](g);
		g->depth = depth;
	}
	g->top = top;
}

static void statements(struct gen *g)
{
	u32 n = pick(g, MAX_STATEMENTS);

	while (n-- && g->data < g->end && g->p->ncode < MAX_CODE - 512)
		statement(g);
}

/* Create the globals and register the probes. */
static void begin_main(struct gen *g)
{
	u8 top = g->top;
	u32 i;

	emit(g, KTAP_OP_NEWT, top, 0, 0, pick(g, 2) ? pick(g, 20) : 0);
	emit(g, KTAP_OP_SETG, top, 0, 0, 0);
	emit(g, KTAP_OP_NEWT, top, 0, 0, 0);
	emit(g, KTAP_OP_SETG, top, 0, 0, 1);
	emit(g, KTAP_OP_CALLB, top, 0, 0, KTAP_FN_NEW_STATS);
	emit(g, KTAP_OP_SETG, top, 0, 0, 2);
	for (i = 0; i < g->p->nprobes; i++) {
		emit(g, KTAP_OP_INT, top, 0, 0, i);
		emit(g, KTAP_OP_CALLB, top, 1, 0, KTAP_FN_TRACE);
	}
}

/* A few instructions without calls: native code contains it in place of its calls. */
static void short_function(struct gen *g)
{
	static const u8 ops[] = {
		KTAP_OP_ADD, KTAP_OP_MUL, KTAP_OP_DIV, KTAP_OP_SHR, KTAP_OP_LT, KTAP_OP_NOT,
		KTAP_OP_MOV, KTAP_OP_BOOL, KTAP_OP_JEQI, KTAP_OP_JLTI, KTAP_OP_JNLT, KTAP_OP_JMP,
	};
	u32 i, n = pick(g, 7);
	u8 op;

	for (i = g->f->nparams; i < SHORT_REGS; i++)
		emit(g, KTAP_OP_INT, i, 0, 0, pick(g, 20));
	for (i = 0; i < n; i++) {
		op = ops[pick(g, ARRAY_SIZE(ops))];
		emit(g, op, op == KTAP_OP_JMP ? 0 : pick(g, SHORT_REGS), 0, 0, 0);
		if (op >= KTAP_OP_JMP)
			g->p->code[g->p->ncode - 1].d = pick(g, n - i);
		if (op != KTAP_OP_JMP && op != KTAP_OP_BOOL)
			g->p->code[g->p->ncode - 1].b = pick(g, SHORT_REGS);
		if (op < KTAP_OP_NOT)
			g->p->code[g->p->ncode - 1].c = pick(g, SHORT_REGS);
	}
	emit(g, KTAP_OP_RET, pick(g, 2), pick(g, 3), 0, 0);
	g->f->ninsns = g->p->ncode - g->f->first;
}

/*
 * Half of the jumps to a jump go where that one goes, as the compiler makes them: so a loop
 * inside another one ends by a jump back.
 */
static void thread_jumps(struct gen *g)
{
	struct ktap_insn *code = g->p->code;
	u32 i, to;

	for (i = g->f->first; i < g->p->ncode; i++) {
		if (ktap_opdefs[code[i].op].d != KTAP_X_JUMP || code[i].op == KTAP_OP_FORLOOP)
			continue;
		to = i + 1 + code[i].d;
		if (i % 2 && to < g->p->ncode && code[to].op == KTAP_OP_JMP)
			code[i].d = to + code[to].d - i;
	}
}

static void function(struct gen *g, u32 i)
{
	u32 v;

	g->f = &g->p->funcs[i];
	g->f->first = g->p->ncode;
	if (i != g->p->main && once_in(g, 4)) {
		short_function(g);
		return;
	}
	g->top = g->f->nparams + NR_VARS;
	for (v = 0; v < NR_VARS; v++)
		emit(g, KTAP_OP_GETG, g->f->nparams + v, 0, 0, v % g->p->nglobals);
	if (i == g->p->main)
		begin_main(g);
	do
		statements(g);
	while (i == g->p->nfuncs - 1 && g->data < g->end && g->p->ncode < MAX_CODE - 512);
	thread_jumps(g);
	emit(g, KTAP_OP_RET, g->top - 1, pick(g, 2), 0, 0);
	g->f->ninsns = g->p->ncode - g->f->first;
}

/* Function 0 is the top level. */
static void declare_functions(struct gen *g)
{
	static const char * const names[] = { "main", "f", "handler" };
	u32 i, n = 1 + pick(g, 5);

	g->p->nfuncs = n;
	for (i = 0; i < n; i++)
		g->p->funcs[i] = (struct ktap_function){
			.name = program_string(g->p, names[i % 3], strlen(names[i % 3])),
			.nparams = i ? pick(g, 4) : 0,
			.nregs = NR_REGS,
			.flags = once_in(g, 4) ? KTAP_FUNC_VARIADIC : 0,
		};
}

static void declare_probes(struct gen *g)
{
	static const char * const events[] = { "a:b", "sched:*", "trace_begin", "tick-1s",
					       "trace_end" };
	u32 i, n = pick(g, 5), func, filter;
	const char *event;

	for (i = 0; i < n; i++) {
		event = events[pick(g, ARRAY_SIZE(events))];
		func = any_function(g);
		filter = any_function(g);
		if (g->p->funcs[func].nparams > 1)
			g->p->funcs[func].nparams = 1;
		g->p->probes[g->p->nprobes++] = (struct ktap_probe_desc){
			.event = program_string(g->p, event, strlen(event)),
			.filter = once_in(g, 4) && !g->p->funcs[filter].nparams ? filter :
										  KTAP_NONE,
			.handler = func,
			.condition = once_in(g, 4) ? KTAP_PROBE_SWITCHED :
				     g->p->nglobals && once_in(g, 4) ?
				     pick(g, g->p->nglobals) + 1 : 0,
		};
	}
}

static void declare_names(struct gen *g)
{
	static const char * const fields[] = { "number", "text", "zero", "long", "numbers",
					       "none", "address", "there is not" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		g->p->fields[g->p->nfields++] = program_string(g->p, fields[i], strlen(fields[i]));
	g->p->nglobals = 4 + pick(g, 4);
	for (i = 0; i < g->p->nglobals; i++)
		g->p->globals[i] = program_string(g->p, "g", 1);
	for (i = pick(g, 2); i; i--)
		g->p->options[g->p->noptions++] = (struct ktap_option){
			.name = program_string(g->p, "option", 6),
			.help = KTAP_NONE,
			.value = KTAP_NONE,
		};
}

void generate(struct program *p, const u8 *data, size_t size)
{
	struct gen g = { .p = p, .data = data, .end = data + size };
	u32 i;

	/* Clear the counters only: the arrays are large. */
	memset(p, 0, offsetof(struct program, code));
	p->flags = once_in(&g, 4) ? KTAP_CHUNK_UNSAFE : 0;
	p->lines = once_in(&g, 4);
	declare_functions(&g);
	declare_names(&g);
	declare_probes(&g);
	for (i = 0; i < p->nfuncs; i++)
		function(&g, i);
}

/* The fuzzer */

static struct program program;
static u8 chunk[64 << 10] __aligned(8);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_settings set;
	size_t len;

	if (size < FUZZ_SETTINGS)
		return -1;
	set = fuzz_settings_of(data);
	generate(&program, data + FUZZ_SETTINGS, size - FUZZ_SETTINGS);
	len = program_put(&program, chunk, sizeof(chunk));
	if (!len)
		fuzz_fail("no room for a generated program");
	fuzz_chunk(chunk, len, &set);
	return 0;
}
