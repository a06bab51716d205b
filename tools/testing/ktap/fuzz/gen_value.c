// SPDX-License-Identifier: GPL-2.0
/*
 * Values of generated programs.  Each value is written to the first free register.  Its
 * type is one that the verifier accepts where the value is used, in most cases.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "generate.h"
#include "vm/kernel_call.h"
#include "vm/opcode.h"

#define MAX_DEPTH	6

u32 emit(struct gen *g, u8 op, u8 a, u8 b, u8 c, s32 d)
{
	u32 pc = g->p->ncode;

	g->p->code[pc] = (struct ktap_insn){ .op = op, .a = a, .b = b, .c = c, .d = d };
	/* Programs are limited before the array is full; if not, the last entry is overwritten. */
	if (pc + 1 < MAX_CODE)
		g->p->ncode++;
	return pc;
}

u32 any_string(struct gen *g)
{
	const char *s = fuzz_strings[pick(g, fuzz_nstrings)];

	return program_string(g->p, s, strlen(s));
}

u32 any_function(struct gen *g)
{
	/* Rarely the top level: a second run of it ends early. */
	if (g->p->nfuncs > 1 && !once_in(g, 32))
		return 1 + pick(g, g->p->nfuncs - 1);
	return pick(g, g->p->nfuncs);
}

u32 any_global(struct gen *g)
{
	return pick(g, g->p->nglobals);
}

u8 any_variable(struct gen *g)
{
	return pick(g, g->f->nparams + NR_VARS);
}

/* One of the @n strings at @s. */
static void gen_one_of(struct gen *g, const char * const *s, u32 n)
{
	const char *one = s[pick(g, n)];

	emit(g, KTAP_OP_STR, g->top++, 0, 0, program_string(g->p, one, strlen(one)));
}

static void gen_nil(struct gen *g)
{
	emit(g, KTAP_OP_NIL, g->top, g->top, 0, 0);
	g->top++;
}

static void gen_bool(struct gen *g)
{
	static const u8 ops[] = { KTAP_OP_EQ, KTAP_OP_LT, KTAP_OP_LE, KTAP_OP_THAS };
	u8 to = g->top;
	u32 op = pick(g, 6);

	if (op == 4) {
		gen_value(g, 0);
		emit(g, KTAP_OP_NOT, to, to, 0, 0);
	} else if (op < 4) {
		gen_value(g, ops[op] == KTAP_OP_THAS ? ktap_bit(TABLE) : ktap_bit(INT));
		gen_value(g, once_in(g, 4) ? 0 : ktap_bit(INT));
		emit(g, ops[op], to, to, to + 1, 0);
	} else {
		emit(g, KTAP_OP_BOOL, to, pick(g, 2), 0, 0);
	}
	g->top = to + 1;
}

static void gen_constant(struct gen *g)
{
	static const s64 special[] = {
		0, -1, S64_MAX, S64_MIN, 0xffff888000001000LL, 0xffffffff81000010LL, 0x1000,
		0x3001, 0x400123, 1ULL << 33,
	};
	s64 n = special[pick(g, ARRAY_SIZE(special))];

	if (g->p->nints < MAX_INTS && pick(g, 2)) {
		g->p->ints[g->p->nints] = n;
		emit(g, KTAP_OP_INTK, g->top++, 0, 0, g->p->nints++);
		return;
	}
	emit(g, KTAP_OP_INT, g->top++, 0, 0, once_in(g, 4) ? (s32)n : (s32)pick(g, 300) - 20);
}

static void gen_arithmetic(struct gen *g)
{
	static const u8 ops[] = {
		KTAP_OP_ADD, KTAP_OP_SUB, KTAP_OP_MUL, KTAP_OP_DIV, KTAP_OP_MOD, KTAP_OP_AND,
		KTAP_OP_OR, KTAP_OP_XOR, KTAP_OP_SHL, KTAP_OP_SHR, KTAP_OP_ADDI, KTAP_OP_SUBI,
		KTAP_OP_MULI, KTAP_OP_DIVI, KTAP_OP_MODI, KTAP_OP_ANDI, KTAP_OP_ORI,
		KTAP_OP_XORI, KTAP_OP_SHLI, KTAP_OP_SHRI, KTAP_OP_NEG, KTAP_OP_BNOT,
	};
	u8 op = ops[pick(g, ARRAY_SIZE(ops))], to = g->top;
	s32 n;

	gen_value(g, once_in(g, 8) ? 0 : ktap_bit(INT));
	if (op < KTAP_OP_ADDI) {
		gen_value(g, ktap_bit(INT));
		emit(g, op, to, to, to + 1, 0);
	} else if (op < KTAP_OP_NEG) {
		n = (s32)pick(g, 512) - 256 ?: 1;
		emit(g, op, to, to, 0, n >= 192 ? -1 : n);
	} else {
		emit(g, op, to, to, 0, 0);
	}
	g->top = to + 1;
}

static void gen_int(struct gen *g)
{
	static const u8 functions[] = {
		KTAP_FN_PID, KTAP_FN_NSECS, KTAP_FN_RAND, KTAP_FN_LEN, KTAP_FN_STRLEN,
		KTAP_FN_STRCMP, KTAP_FN_COUNT_OF, KTAP_FN_SUM, KTAP_FN_MIN, KTAP_FN_MAX,
		KTAP_FN_SIZEOF, KTAP_FN_TONUMBER, KTAP_FN_READ, KTAP_FN_QUANTILE,
	};

	switch (pick(g, 4)) {
	case 1:
		gen_arithmetic(g);
		break;
	case 2:
		gen_builtin(g, functions[pick(g, ARRAY_SIZE(functions))]);
		break;
	default:
		gen_constant(g);
	}
}

/* Put two to four values into adjacent registers, and apply @op to them. */
static void gen_parts(struct gen *g, u8 op, u16 tags)
{
	u8 to = g->top, n = 2 + pick(g, 3), i;

	for (i = 0; i < n; i++)
		gen_value(g, tags);
	emit(g, op, to, to, n, 0);
	g->top = to + 1;
}

static void gen_text(struct gen *g)
{
	static const u8 functions[] = {
		KTAP_FN_EXECNAME, KTAP_FN_FORMAT, KTAP_FN_TOSTRING, KTAP_FN_SUBSTR,
		KTAP_FN_STRSTR, KTAP_FN_TOUPPER, KTAP_FN_NTOP, KTAP_FN_MACADDR, KTAP_FN_STRFTIME,
		KTAP_FN_STR, KTAP_FN_BUF, KTAP_FN_KSYM, KTAP_FN_STRINGOF, KTAP_FN_ARGSTR,
		KTAP_FN_JOIN, KTAP_FN_WALLTIME,
	};

	switch (pick(g, 4)) {
	case 1:
		gen_parts(g, KTAP_OP_CONCAT, ktap_bit(STR) | ktap_bit(INT));
		break;
	case 2:
		gen_builtin(g, functions[pick(g, ARRAY_SIZE(functions))]);
		break;
	default:
		emit(g, KTAP_OP_STR, g->top, 0, 0, any_string(g));
		g->top++;
	}
}

static void gen_tuple(struct gen *g)
{
	gen_parts(g, KTAP_OP_TUPLE, ktap_bit(INT) | ktap_bit(STR) | ktap_bit(BOOL) |
				    ktap_bit(NIL) | ktap_bit(KSTACK));
}

/* A pointer with a type. */
static void gen_pointer(struct gen *g)
{
	static const char * const types[] = { "struct task_struct", "struct mm_struct",
					      "module:struct sample", "int", "numbers_t" };
	u8 to = g->top;

	if (pick(g, 2)) {
		gen_builtin(g, KTAP_FN_CURTASK);
		return;
	}
	gen_one_of(g, types, ARRAY_SIZE(types));
	gen_value(g, ktap_bit(INT) | ktap_bit(NIL));
	emit(g, KTAP_OP_CALLB, to, 2, 0, KTAP_FN_CAST);
	g->top = to + 1;
}

static void gen_member(struct gen *g)
{
	static const char * const members[] = {
		"pid", "flags", "comm", "full", "nice", "bytes", "in_execve", "sign", "low",
		"wide", "lo", "hi", "both", "numbers", "matrix", "lists", "state", "ok",
		"opaque", "name", "fn", "missing", "mms", "policy", "ntail", "tail",
		"parent", "mm", "bad", "children", "big",
	};
	u8 to = g->top;
	u32 i;

	gen_builtin(g, KTAP_FN_CURTASK);
	for (i = pick(g, 3); i; i--)
		emit(g, KTAP_OP_TGETS, to, to, 0, program_string(g->p, "parent", 6));
	/* Use the last one rarely. */
	i = pick(g, ARRAY_SIZE(members) - !once_in(g, 64));
	emit(g, KTAP_OP_TGETS, to, to, 0, program_string(g->p, members[i], strlen(members[i])));
	if (once_in(g, 4) && i < 14 && (i == 5 || i == 13))
		emit(g, KTAP_OP_TGETI, to, to, 0, pick(g, 3));
}

static void gen_table(struct gen *g)
{
	switch (pick(g, 8)) {
	case 6:
		emit(g, KTAP_OP_NEWT, g->top++, 0, 0, pick(g, 2) ? pick(g, 64) : 0);
		break;
	case 7:
		gen_builtin(g, KTAP_FN_TABLE_NEW);
		break;
	default:
		/* the top level creates the tables of globals 0 and 1 */
		emit(g, KTAP_OP_GETG, g->top++, 0, 0, pick(g, 2));
	}
}

static void gen_agg(struct gen *g)
{
	u32 id = pick(g, 8);

	if (id < 4)
		gen_builtin(g, KTAP_FN_NEW_COUNT + id);
	else
		emit(g, KTAP_OP_GETG, g->top++, 0, 0, 2);
}

static void gen_func(struct gen *g)
{
	emit(g, KTAP_OP_FUNC, g->top++, 0, 0, any_function(g));
}

static void gen_kstack(struct gen *g)
{
	gen_builtin(g, KTAP_FN_KSTACK);
}

static void gen_ustack(struct gen *g)
{
	gen_builtin(g, KTAP_FN_USTACK);
}

static void gen_usym(struct gen *g)
{
	gen_builtin(g, KTAP_FN_USYM);
}

static void gen_field(struct gen *g)
{
	if (pick(g, 2))
		emit(g, KTAP_OP_FIELD, g->top++, 0, 0, pick(g, g->p->nfields));
	else
		emit(g, KTAP_OP_ARG, g->top++, 0, 0, pick(g, 10));
}

/* A value whose type the verifier does not know: read it from a global. */
static void gen_unknown(struct gen *g)
{
	u32 global = any_global(g);

	if (pick(g, 2))
		emit(g, KTAP_OP_SETG, any_variable(g), 0, 0, 3 + pick(g, g->p->nglobals - 3));
	emit(g, KTAP_OP_GETG, g->top++, 0, 0, global);
}

static void gen_parameter(struct gen *g)
{
	emit(g, KTAP_OP_MOV, g->top++, g->f->nparams ? pick(g, g->f->nparams) : any_variable(g),
	     0, 0);
}

static void gen_call(struct gen *g)
{
	bool value = once_in(g, 4);
	u32 i, n = pick(g, 4);
	u8 to = g->top;

	if (value)
		gen_func(g);
	for (i = 0; i < n; i++)
		gen_value(g, 0);
	if (value)
		emit(g, KTAP_OP_CALLV, to, n, 1, 0);
	else
		emit(g, KTAP_OP_CALL, to, n, 1, any_function(g));
	g->top = to + 1;
}

static void gen_symbol(struct gen *g)
{
	static const char * const symbols[] = { "jiffies", "nr_threads", "not_aligned",
						"current_task", "cpu_number", "sample_percpu",
						"module:sample_percpu" };
	u32 i = pick(g, 6 + once_in(g, 64));

	/* a symbol of a module needs the name of the module before it */
	emit(g, KTAP_OP_SYMBOL, g->top++, 0, 0,
	     program_string(g->p, symbols[i == 5 ? 6 : i], strlen(symbols[i == 5 ? 6 : i])));
}

/* A function of the kernel; without one of the arguments, or with another name, sometimes */
static void gen_kernel_call(struct gen *g)
{
	const struct ktap_builtin *fn = &ktap_kernel_calls[pick(g, KTAP_NR_KERNEL_CALLS)];
	const char *name = once_in(g, 64) ? "no_function" : fn->name;
	u32 i, n = once_in(g, 64) ? pick(g, 3) : fn->min;
	u8 to = g->top;

	if (fn->levels & KTAP_UNSAFE && !(g->p->flags & KTAP_CHUNK_UNSAFE)) {
		fn = &ktap_kernel_calls[KTAP_KERNEL_in_task];
		name = fn->name;
		n = 0;
	}
	for (i = 0; i < n; i++)
		gen_value(g, fn->args[i]);
	emit(g, KTAP_OP_CALLK, to, n, 0, program_string(g->p, name, strlen(name)));
	g->top = to + 1;
}

static void gen_self(struct gen *g)
{
	emit(g, KTAP_OP_GETSELF, g->top++, 0, 0, any_string(g));
}

static void gen_entry(struct gen *g)
{
	u8 to = g->top;

	gen_table(g);
	switch (pick(g, 3)) {
	case 0:
		gen_value(g, ktap_bit(INT) | ktap_bit(STR) | ktap_bit(TUPLE));
		emit(g, KTAP_OP_TGET, to, to, to + 1, 0);
		break;
	case 1:
		emit(g, KTAP_OP_TGETS, to, to, 0, any_string(g));
		break;
	default:
		emit(g, KTAP_OP_TGETI, to, to, 0, pick(g, 12));
	}
	g->top = to + 1;
}

/* Functions that make a value of one type, by that type. */
static void (* const of_type[KTAP_NR_TAGS])(struct gen *g) = {
	[KTAP_NIL] = gen_nil,
	[KTAP_BOOL] = gen_bool,
	[KTAP_INT] = gen_int,
	[KTAP_PTR] = gen_pointer,
	[KTAP_FUNC] = gen_func,
	[KTAP_TABLE] = gen_table,
	[KTAP_AGG] = gen_agg,
	[KTAP_STR] = gen_text,
	[KTAP_TUPLE] = gen_tuple,
	[KTAP_KSTACK] = gen_kstack,
	[KTAP_USTACK] = gen_ustack,
	[KTAP_USYM] = gen_usym,
};

/* Functions that make a value of any type. */
static void (* const of_any[])(struct gen *g) = {
	gen_field, gen_unknown, gen_parameter, gen_call, gen_entry, gen_self, gen_member,
	gen_symbol, gen_kernel_call, gen_int, gen_text, gen_table, gen_agg, gen_tuple, gen_pointer,
	gen_bool, gen_nil, gen_func, gen_kstack, gen_ustack, gen_usym,
};

void gen_value(struct gen *g, u16 tags)
{
	unsigned int tag = 0;
	u32 n;

	if (g->depth >= MAX_DEPTH || g->top >= NR_REGS - 12) {
		if (!tags || tags & ktap_bit(INT))
			emit(g, KTAP_OP_INT, g->top++, 0, 0, pick(g, 20));
		else
			emit(g, KTAP_OP_GETG, g->top++, 0, 0, any_global(g));
		return;
	}
	g->depth++;
	if (!tags) {
		of_any[pick(g, ARRAY_SIZE(of_any))](g);
	} else if (once_in(g, 16)) {
		gen_unknown(g);
	} else {
		for (n = pick(g, __builtin_popcount(tags)) + 1; n; tag++)
			n -= tags >> tag & 1;
		if (of_type[tag - 1])
			of_type[tag - 1](g);
		else
			gen_unknown(g);
	}
	g->depth--;
}

/* Arguments that must be constants, or one of a few values. Returns false for others. */
static bool gen_argument(struct gen *g, u32 id, u32 i)
{
	static const char * const types[] = { "struct task_struct", "int", "u32", "pid_t",
					      "struct list_head", "numbers_t" };
	static const char * const paths[] = { "pid", "children.next", "numbers", "parent" };
	static const char * const events[] = { "a:b", "trace_begin", "trace_end", "tick-1s" };

	switch (id << 8 | i) {
	case KTAP_FN_CAST << 8:
	case KTAP_FN_SIZEOF << 8:
		gen_one_of(g, types, ARRAY_SIZE(types));
		return true;
	case KTAP_FN_OFFSETOF << 8:
		gen_one_of(g, types, 1);
		return true;
	case KTAP_FN_OFFSETOF << 8 | 1:
		gen_one_of(g, paths, ARRAY_SIZE(paths));
		return true;
	case KTAP_FN_PROBE << 8:
		gen_one_of(g, events, ARRAY_SIZE(events));
		return true;
	case KTAP_FN_EVENT_FIELD << 8:
		gen_unknown(g);
		if (g->f->nparams)
			g->p->code[g->p->ncode - 1] = (struct ktap_insn){
				.op = KTAP_OP_MOV, .a = g->top - 1,
			};
		return true;
	case KTAP_FN_TRACE << 8:
	case KTAP_FN_GETOPT << 8:
		emit(g, KTAP_OP_INT, g->top++, 0, 0, pick(g, 3));
		return true;
	case KTAP_FN_READ << 8 | 1:
		emit(g, KTAP_OP_INT, g->top++, 0, 0, 1 << pick(g, 4));
		return true;
	case KTAP_FN_PRINTF << 8:
	case KTAP_FN_FORMAT << 8:
	case KTAP_FN_PRINTA << 8:
		/* the formats are after the first nine strings */
		gen_one_of(g, fuzz_strings + 9, 18);
		return true;
	}
	return false;
}

void gen_builtin(struct gen *g, u32 id)
{
	const struct ktap_builtin *fn = &ktap_builtins[id];
	u32 i, n = fn->min + pick(g, min(fn->max - fn->min, 4) + 1);
	u8 to = g->top;

	for (i = 0; i < n; i++) {
		if (!gen_argument(g, id, i))
			gen_value(g, i < ARRAY_SIZE(fn->args) ? fn->args[i] : 0);
	}
	emit(g, KTAP_OP_CALLB, to, n, 0, id);
	g->top = to + 1;
}
