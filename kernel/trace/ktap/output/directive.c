// SPDX-License-Identifier: GPL-2.0
/*
 * Formats of printf: their directives.
 */
#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/heap.h"
#include "output/format.h"
#include "output/record.h"
#include "output/text.h"
#include "vm/opcode.h"

/**
 * DOC: Split formats
 *
 * Nearly every format is a constant.  The loader looks at each call of printf() and
 * format(): if the last instruction before it that writes the register of the format loads
 * a string constant, the loader checks this format and splits it into its pieces.
 * &ktap_program.format_at has the number of the split form by instruction.  A handler then
 * checks only the types of the arguments; its record has the number instead of the text, and
 * the reader does not parse it either.
 *
 * If a call of printf() has all arguments, the loader replaces it by KTAP_OP_PRINTF, which
 * has the number as well.  This instruction does all that is common in one pass over the
 * arguments (ktap_print_split()), and otherwise calls printf().
 *
 * The loader does not follow jumps.  So another value can be in the register when the call
 * is made: ktap_is_format() compares it with the constant.  All other formats, and those with
 * an error, are parsed at each call.
 *
 * Split forms never change, and are freed with the program.  The program outlives all
 * records: it is freed when the session is closed, and then nobody can read.
 */

/* Pieces of a format that is split: each argument has a directive, and text before it. */
#define FORMAT_PIECES	(2 * KTAP_MAX_ARGS)

static const char *directive_number(const char *p, const char *end, s16 *n)
{
	*n = 0;
	while (p < end && isdigit(*p)) {
		*n = min(*n * 10 + (*p - '0'), KTAP_MAX_WIDTH + 1);
		p++;
	}
	return p;
}

static const char *directive_flags(const char *p, const char *end, struct ktap_directive *d)
{
	for (; p < end; p++) {
		switch (*p) {
		case '-':
			d->minus = true;
			break;
		case '+':
			d->plus = true;
			break;
		case ' ':
			d->space = true;
			break;
		case '0':
			d->zero = true;
			break;
		case '#':
			d->alt = true;
			break;
		case '@':
			/* Not needed: an aggregation is known by its type. */
			break;
		default:
			return p;
		}
	}
	return p;
}

/* The length modifiers of C are ignored: all integers have 64 bits. */
static bool directive_is_modifier(char c)
{
	switch (c) {
	case 'h':
	case 'l':
	case 'q':
	case 'j':
	case 'z':
	case 't':
		return true;
	default:
		return false;
	}
}

bool ktap_takes_number(char conv)
{
	switch (conv) {
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
	case 'c':
	case 'p':
		return true;
	default:
		return false;
	}
}

bool ktap_next_directive(const char **pos, const char *end, struct ktap_directive *d)
{
	const char *p = *pos;

	if (p == end)
		return false;
	*d = (struct ktap_directive){ .precision = -1, .text = p };
	if (*p != '%') {
		while (p < end && *p != '%')
			p++;
		d->len = p - *pos;
		*pos = p;
		return true;
	}
	p = directive_number(directive_flags(p + 1, end, d), end, &d->width);
	if (p < end && *p == '.')
		p = directive_number(p + 1, end, &d->precision);
	d->plain = p == *pos + 1;
	while (p < end && directive_is_modifier(*p))
		p++;
	d->conv = p < end ? *p++ : '?';
	d->len = p - *pos;
	*pos = p;
	return true;
}

static bool directive_is_correct(const struct ktap_directive *d)
{
	if (!d->conv || d->conv == '%')
		return true;
	return d->width <= KTAP_MAX_WIDTH && d->precision <= KTAP_MAX_WIDTH &&
	       (d->conv == 's' || ktap_takes_number(d->conv));
}

/* Return the number of pieces; 0 if the format is empty, has an error, or too many. */
static u32 directive_count(const struct ktap_value *v)
{
	const char *p = ktap_blob_of(v), *end = p + v->len;
	struct ktap_directive d;
	u32 n = 0;

	while (ktap_next_directive(&p, end, &d)) {
		if (n == FORMAT_PIECES || !directive_is_correct(&d))
			return 0;
		n++;
	}
	return n;
}

/*
 * If nothing is cut, a record with the format in it has room for a u64 beside each blob: see
 * ktap_record_plain_size().
 */
static u32 directive_room(u32 len)
{
	return max_t(int, KTAP_RECORD_MAX - sizeof(struct ktap_record_arg) -
			  (KTAP_MAX_ARGS + 1) * sizeof(u64) - ALIGN((size_t)len, 8), 0);
}

static void directive_split(struct ktap_format *f, const struct ktap_value *v)
{
	const char *p = ktap_blob_of(v), *end = p + v->len;
	struct ktap_directive *d;

	f->text = v->blob;
	f->len = v->len;
	f->cost = v->len / 64 + KTAP_DIRECTIVE_COST * f->npieces;
	f->room = directive_room(v->len);
	for (d = f->pieces; ktap_next_directive(&p, end, d); d++) {
		if (!d->conv || d->conv == '%')
			continue;
		if (ktap_takes_number(d->conv) && f->nargs < KTAP_MAX_ARGS)
			f->numbers |= BIT(f->nargs);
		f->nargs++;
	}
}

static bool directive_is_call(const struct ktap_code *insn)
{
	return insn->op == KTAP_OP_CALLB &&
	       (insn->d == KTAP_FN_PRINTF || insn->d == KTAP_FN_FORMAT);
}

/* Instructions before a call among which its format is searched */
#define FORMAT_DISTANCE		256

/* Find the constant that becomes the first argument of a call; NULL if there is none. */
static const struct ktap_value *directive_find_format(const struct ktap_program *prog, u32 pc)
{
	u32 first = pc - min(pc, FORMAT_DISTANCE), i;
	u8 reg = prog->code[pc].a;

	for (i = pc; i-- > first;) {
		if (prog->code[i].op == KTAP_OP_STR && prog->code[i].a == reg)
			return &prog->strings[prog->code[i].d];
	}
	return NULL;
}

/* Split the constant; 0: it is not split. */
static int directive_add(struct ktap_program *prog, const struct ktap_value *v)
{
	u32 n = directive_count(v);
	struct ktap_format *f;

	if (!n || prog->nformats == KTAP_MAX_FORMATS)
		return 0;
	f = kvzalloc(struct_size(f, pieces, n), KTAP_GFP);
	if (!f)
		return -ENOMEM;
	f->npieces = n;
	directive_split(f, v);
	prog->bytes += struct_size(f, pieces, n);
	prog->formats[prog->nformats++] = f;
	return prog->nformats;
}

/* See KTAP_OP_PRINTF.  @n: number of the split form */
static void directive_replace_call(const struct ktap_program *prog, u32 pc, u32 n)
{
	struct ktap_code *insn = &prog->code[pc];

	if (insn->d != KTAP_FN_PRINTF || insn->b == KTAP_MULTI ||
	    insn->b <= prog->formats[n]->nargs)
		return;
	insn->op = KTAP_OP_PRINTF;
	insn->d = n;
}

/* @split has for each string constant the number of its split form, plus 1; or 0. */
static int directive_load(struct ktap_program *prog, u32 pc, u16 *split)
{
	const struct ktap_value *v = directive_find_format(prog, pc);
	u16 *known;
	int n;

	if (!v)
		return 0;
	known = &split[v - prog->strings];
	n = *known ?: directive_add(prog, v);
	if (n <= 0)
		return n;
	*known = n;
	prog->format_at[pc] = n;
	directive_replace_call(prog, pc, n - 1);
	return 0;
}

static int directive_load_calls(struct ktap_program *prog)
{
	u16 *split = kvcalloc(prog->nstrings ?: 1, sizeof(*split), KTAP_GFP);
	int err = split ? 0 : -ENOMEM;
	u32 pc;

	for (pc = 0; pc < prog->ninsns && !err; pc++) {
		if (!directive_is_call(&prog->code[pc]))
			continue;
		err = directive_load(prog, pc, split);
		cond_resched();
	}
	kvfree(split);
	return err;
}

int ktap_formats_load(struct ktap_program *prog)
{
	u32 pc, calls = 0;

	for (pc = 0; pc < prog->ninsns; pc++)
		calls += directive_is_call(&prog->code[pc]);
	if (!calls)
		return 0;
	calls = min(calls, KTAP_MAX_FORMATS);
	prog->formats = kvcalloc(calls, sizeof(*prog->formats), KTAP_GFP);
	prog->format_at = kvcalloc(prog->ninsns, sizeof(*prog->format_at), KTAP_GFP);
	if (!prog->formats || !prog->format_at)
		return -ENOMEM;
	prog->bytes += calls * sizeof(*prog->formats) + prog->ninsns * sizeof(*prog->format_at);
	return directive_load_calls(prog);
}

void ktap_formats_free(struct ktap_program *prog)
{
	u32 i;

	for (i = 0; i < prog->nformats; i++)
		kvfree(prog->formats[i]);
	kvfree(prog->formats);
	kvfree(prog->format_at);
}
