// SPDX-License-Identifier: GPL-2.0
/*
 * Text of values: print, printf, tables.
 *
 * Where it is made of records, it is cut at the end of the buffer.  In process
 * context it is given away whenever the buffer is full, so that a table of any
 * size can be printed.
 *
 * A table is printed sorted by key, one entry a line, "KEY: VALUE"; the parts
 * of a compound key stand with ", " between.  A table in it follows its "KEY:"
 * on lines of its own, two spaces further in.  An empty one is "{}".
 */
#include <linux/ctype.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>

#include "output.h"
#include "table.h"

/* Tables in tables that are printed: each takes some 200 bytes of kernel stack. */
#define MAX_DEPTH		20

void ktap_text_flush(struct ktap_text *t)
{
	size_t len = seq_buf_used(t->s);

	if (!len || !t->vm)
		return;
	t->middle = t->s->buffer[len - 1] != '\n';
	if (!t->err)
		t->err = ktap_out_text(t->vm, t->s->buffer, len);
	seq_buf_clear(t->s);
}

void ktap_text_put(struct ktap_text *t, const char *p, size_t len)
{
	size_t room;
	char *to;

	while (len) {
		room = min(seq_buf_get_buf(t->s, &to), len);
		if (room) {
			memcpy(to, p, room);
			seq_buf_commit(t->s, room);
			p += room;
			len -= room;
		} else if (t->vm && !t->hold) {
			ktap_text_flush(t);
		} else {
			seq_buf_set_overflow(t->s);
			return;
		}
	}
}

void ktap_text_printf(struct ktap_text *t, const char *fmt, ...)
{
	char buf[128];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vscnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	ktap_text_put(t, buf, len);
}

void ktap_text_fill(struct ktap_text *t, char c, int n)
{
	while (n-- > 0)
		ktap_text_put(t, &c, 1);
}

static bool in_middle(const struct ktap_text *t)
{
	size_t len = seq_buf_used(t->s);

	return len ? t->s->buffer[len - 1] != '\n' : t->middle;
}

/* Every frame has a line of its own. */
static void text_stack(struct ktap_text *t, const struct ktap_value *v)
{
	const unsigned long *frames = v->blob;
	u32 i, n = v->len / sizeof(*frames);
	char symbol[KSYM_SYMBOL_LEN];

	for (i = 0; i < n; i++) {
		if (in_middle(t))
			ktap_text_put(t, "\n", 1);
		if (v->tag == KTAP_KSTACK)
			sprint_symbol(symbol, frames[i]);
		else
			snprintf(symbol, sizeof(symbol), "0x%lx", frames[i]);
		ktap_text_put(t, "        ", 8);
		ktap_text_put(t, symbol, strlen(symbol));
	}
}

static void text_event(struct ktap_text *t, const struct ktap_value *v)
{
	size_t len;

	if (v->blob)
		ktap_event_format(t->s, v->blob, v->len);
	len = seq_buf_used(t->s);
	if (len && t->s->buffer[len - 1] == '\n' && !seq_buf_has_overflowed(t->s))
		seq_buf_pop(t->s);
}

static void text_tuple(struct ktap_text *t, const struct ktap_value *v)
{
	struct ktap_value part;
	size_t pos = 0;

	while (ktap_tuple_next(v, &pos, &part)) {
		ktap_text_value(t, &part);
		if (pos < v->len)
			ktap_text_put(t, ", ", 2);
	}
}

static void text_function(struct ktap_text *t, const struct ktap_value *v)
{
	const char *name = t->vm ? t->vm->env->prog->funcs[v->u].name : "";

	ktap_text_put(t, "function ", 9);
	ktap_text_put(t, name, strlen(name));
}

/* What fits a line; a table does not. */
static void text_flat(struct ktap_text *t, const struct ktap_value *v)
{
	switch (v->tag) {
	case KTAP_NIL:
		return ktap_text_put(t, "nil", 3);
	case KTAP_BOOL:
		return ktap_text_printf(t, "%s", v->i ? "true" : "false");
	case KTAP_INT:
		return ktap_text_printf(t, "%lld", v->i);
	case KTAP_PTR:
		return ktap_text_printf(t, "0x%llx", v->u);
	case KTAP_FUNC:
		return text_function(t, v);
	case KTAP_EVENT:
	case KTAP_ARGSTR:
		return text_event(t, v);
	case KTAP_STR:
		return ktap_text_put(t, v->blob, v->len);
	case KTAP_TUPLE:
		return text_tuple(t, v);
	case KTAP_KSTACK:
	case KTAP_USTACK:
		return text_stack(t, v);
	}
}

/* A table that is being printed, and the one it stands in. */
struct printed {
	const struct ktap_table *table;
	const struct printed *outer;
	unsigned int depth;
};

static void text_table(struct ktap_text *t, struct ktap_table *table,
		       const struct printed *outer);

/* A table that holds itself would never end; a deep one would use up the stack. */
static bool is_shown(const struct ktap_table *table, const struct printed *outer)
{
	if (outer && outer->depth >= MAX_DEPTH)
		return false;
	for (; outer; outer = outer->outer) {
		if (outer->table == table)
			return false;
	}
	return true;
}

static void text_entry(struct ktap_text *t, const struct ktap_value *v,
		       const struct printed *outer)
{
	if (v->tag != KTAP_TABLE || !ktap_table_len(v->table)) {
		ktap_text_put(t, " ", 1);
		if (v->tag == KTAP_TABLE)
			ktap_text_put(t, "{}", 2);
		else
			text_flat(t, v);
	} else if (!is_shown(v->table, outer)) {
		ktap_text_put(t, " {...}", 6);
	} else {
		ktap_text_put(t, "\n", 1);
		text_table(t, v->table, outer);
	}
}

void ktap_text_look_around(struct ktap_text *t)
{
	cond_resched();
	if (!t->err && t->vm->abort && READ_ONCE(*t->vm->abort))
		t->err = ktap_vm_error(t->vm, -EINTR, "the session ends");
}

/* No newline behind the last entry: print adds it. */
static void text_table(struct ktap_text *t, struct ktap_table *table,
		       const struct printed *outer)
{
	struct printed here = {
		.table = table,
		.outer = outer,
		.depth = outer ? outer->depth + 1 : 0,
	};
	struct ktap_sorted sorted;
	u32 i;

	if (!t->vm || ktap_table_sort(t->vm->env, table, KTAP_BY_KEY, &sorted)) {
		ktap_text_put(t, "{...}", 5);
		return;
	}
	if (!sorted.n)
		ktap_text_put(t, "{}", 2);
	for (i = 0; i < sorted.n && !t->err; i++) {
		if (i)
			ktap_text_put(t, "\n", 1);
		ktap_text_fill(t, ' ', 2 * here.depth);
		text_flat(t, &sorted.entries[i].key);
		ktap_text_put(t, ":", 1);
		text_entry(t, &sorted.entries[i].value, &here);
		ktap_text_look_around(t);
	}
	if (sorted.dropped)
		ktap_text_printf(t, "\n(%u more changed meanwhile)", sorted.dropped);
	ktap_sorted_free(&sorted);
}

void ktap_text_value(struct ktap_text *t, const struct ktap_value *v)
{
	if (v->tag == KTAP_TABLE)
		text_table(t, v->table, NULL);
	else
		text_flat(t, v);
}

void ktap_text_print(struct ktap_text *t, const struct ktap_value *args, unsigned int nargs)
{
	unsigned int i;

	for (i = 0; i < nargs; i++) {
		if (i)
			ktap_text_put(t, "\t", 1);
		ktap_text_value(t, &args[i]);
	}
	ktap_text_put(t, "\n", 1);
}

void ktap_text_variable(struct ktap_text *t, const char *name, const struct ktap_value *v)
{
	ktap_text_put(t, name, strlen(name));
	ktap_text_put(t, ":", 1);
	text_entry(t, v, &(struct printed){});
	ktap_text_put(t, "\n", 1);
}

/**
 * struct directive - a piece of a printf's format
 * @minus: left-aligned
 * @plus: a sign also if positive
 * @space: a space where the sign would be
 * @zero: filled up with zeroes
 * @alt: 0x or 0 in front
 * @width: least bytes
 * @precision: least digits or most bytes, -1: none was given
 * @conv: the letter; 0: it is text, from @text
 * @text: its first byte
 * @len: bytes of the piece
 */
struct directive {
	bool minus;
	bool plus;
	bool space;
	bool zero;
	bool alt;
	int width;
	int precision;
	char conv;
	const char *text;
	size_t len;
};

static const char *parse_number(const char *p, const char *end, int *n)
{
	*n = 0;
	while (p < end && isdigit(*p)) {
		*n = min(*n * 10 + (*p - '0'), KTAP_MAX_WIDTH + 1);
		p++;
	}
	return p;
}

static const char *parse_flags(const char *p, const char *end, struct directive *d)
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
		default:
			return p;
		}
	}
	return p;
}

/* Gives the next piece and moves *@pos behind it; false at the end. */
static bool next_directive(const char **pos, const char *end, struct directive *d)
{
	const char *p = *pos;

	if (p == end)
		return false;
	*d = (struct directive){ .precision = -1, .text = p };
	if (*p != '%') {
		while (p < end && *p != '%')
			p++;
		d->len = p - *pos;
		*pos = p;
		return true;
	}
	p = parse_flags(p + 1, end, d);
	p = parse_number(p, end, &d->width);
	if (p < end && *p == '.')
		p = parse_number(p + 1, end, &d->precision);
	/* All integers have 64 bits: C's sizes may be given, and mean nothing. */
	while (p < end && strchr("hlqjzt", *p))
		p++;
	d->conv = p < end ? *p++ : '?';
	d->len = p - *pos;
	*pos = p;
	return true;
}

static bool takes_number(char conv)
{
	return conv && strchr("diuxXocp", conv);
}

static int check_directive(struct ktap_vm *vm, const struct directive *d,
			   const struct ktap_value *args, unsigned int nargs, unsigned int arg)
{
	int len = min_t(size_t, d->len, 16);

	if (d->width > KTAP_MAX_WIDTH || d->precision > KTAP_MAX_WIDTH)
		return ktap_vm_error(vm, -EINVAL, "printf: a width or precision over %d",
				     KTAP_MAX_WIDTH);
	if (d->conv != 's' && !takes_number(d->conv))
		return ktap_vm_error(vm, -EINVAL, "printf: there is no directive %.*s",
				     len, d->text);
	if (arg >= nargs)
		return ktap_vm_error(vm, -EINVAL, "printf: %.*s (argument %u) has no argument",
				     len, d->text, arg + 1);
	if (d->conv == 's')
		return 0;
	switch (args[arg].tag) {
	case KTAP_NIL:
	case KTAP_BOOL:
	case KTAP_INT:
	case KTAP_PTR:
		return 0;
	default:
		return ktap_vm_error(vm, -EINVAL,
				     "printf: %.*s (argument %u) takes an integer, got %s",
				     len, d->text, arg + 1, ktap_type_name(&args[arg]));
	}
}

int ktap_check_format(struct ktap_vm *vm, const struct ktap_value *args, unsigned int nargs)
{
	const char *p = args[0].blob, *end = p + args[0].len;
	struct directive d;
	unsigned int arg = 1;
	int err;

	while (next_directive(&p, end, &d)) {
		if (!d.conv || d.conv == '%')
			continue;
		err = check_directive(vm, &d, args, nargs, arg++);
		if (err)
			return err;
	}
	return 0;
}

static void put_padded(struct ktap_text *t, const struct directive *d, const char *p, int len)
{
	if (!d->minus)
		ktap_text_fill(t, ' ', d->width - len);
	ktap_text_put(t, p, len);
	if (d->minus)
		ktap_text_fill(t, ' ', d->width - len);
}

static unsigned int base_of(char conv)
{
	switch (conv) {
	case 'x':
	case 'X':
	case 'p':
		return 16;
	case 'o':
		return 8;
	default:
		return 10;
	}
}

static const char *prefix_of(const struct directive *d, const struct ktap_value *v)
{
	if (d->conv == 'd' || d->conv == 'i') {
		if (v->i < 0)
			return "-";
		return d->plus ? "+" : d->space ? " " : "";
	}
	if (d->conv == 'p' || (d->conv == 'x' && d->alt && v->u))
		return "0x";
	if (d->conv == 'X' && d->alt && v->u)
		return "0X";
	return d->conv == 'o' && d->alt && v->u ? "0" : "";
}

static void text_number(struct ktap_text *t, const struct directive *d, const struct ktap_value *v)
{
	const char *digits = d->conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	bool is_signed = d->conv == 'd' || d->conv == 'i';
	const char *prefix = prefix_of(d, v);
	int ndigits, zeroes, blanks;
	u64 u = is_signed && v->i < 0 ? -v->u : v->u;
	char buf[24], *p = buf + sizeof(buf);
	u32 digit;

	while (u || (p == buf + sizeof(buf) && d->precision != 0)) {
		u = div_u64_rem(u, base_of(d->conv), &digit);
		*--p = digits[digit];
	}
	ndigits = buf + sizeof(buf) - p;
	zeroes = max(d->precision - ndigits, 0);
	blanks = max(d->width - (int)strlen(prefix) - zeroes - ndigits, 0);
	if (d->zero && !d->minus && d->precision < 0) {
		zeroes = blanks;
		blanks = 0;
	}
	if (!d->minus)
		ktap_text_fill(t, ' ', blanks);
	ktap_text_put(t, prefix, strlen(prefix));
	ktap_text_fill(t, '0', zeroes);
	ktap_text_put(t, p, ndigits);
	if (d->minus)
		ktap_text_fill(t, ' ', blanks);
}

/* What has no length before it is made: padded when it stands there. */
static void text_padded(struct ktap_text *t, const struct directive *d, const struct ktap_value *v)
{
	size_t start, len;

	if (seq_buf_buffer_left(t->s) < KTAP_TEXT_BUFFER / 2)
		ktap_text_flush(t);
	t->hold = true;
	start = t->s->len;
	text_flat(t, v);
	if (!seq_buf_has_overflowed(t->s)) {
		len = t->s->len - start;
		if (d->precision >= 0 && len > d->precision) {
			len = d->precision;
			t->s->len = start + len;
		}
		ktap_text_fill(t, ' ', d->width - (int)len);
		if (!d->minus && d->width > len && !seq_buf_has_overflowed(t->s)) {
			memmove(t->s->buffer + start + d->width - len, t->s->buffer + start, len);
			memset(t->s->buffer + start, ' ', d->width - len);
		}
	}
	t->hold = false;
}

static void text_directive(struct ktap_text *t, const struct directive *d,
			   const struct ktap_value *v)
{
	struct ktap_value number;
	char c;

	if (d->conv != 's') {
		/* The format was checked before it was cut to fit its record. */
		if (!takes_number(d->conv) || v->tag > KTAP_PTR) {
			ktap_text_put(t, d->text, d->len);
			return;
		}
		number = v->tag == KTAP_NIL ? KTAP_VALUE_INT(0) : *v;
		c = number.u;
		if (d->conv == 'c')
			put_padded(t, d, &c, 1);
		else
			text_number(t, d, &number);
		return;
	}
	switch (v->tag) {
	case KTAP_STR:
		put_padded(t, d, v->blob,
			   d->precision < 0 ? v->len : min_t(u32, v->len, d->precision));
		break;
	case KTAP_TABLE:
	case KTAP_KSTACK:
	case KTAP_USTACK:
		ktap_text_value(t, v);
		break;
	default:
		if (d->width || d->precision >= 0)
			text_padded(t, d, v);
		else
			text_flat(t, v);
	}
}

void ktap_text_printf_args(struct ktap_text *t, const struct ktap_value *args, unsigned int nargs)
{
	const char *p = args[0].blob, *end = p + args[0].len;
	unsigned int arg = 1;
	struct directive d;

	while (next_directive(&p, end, &d) && !t->err) {
		if (d.conv == '%')
			ktap_text_put(t, "%", 1);
		else if (!d.conv)
			ktap_text_put(t, d.text, d.len);
		else if (arg < nargs)
			text_directive(t, &d, &args[arg++]);
	}
}
