// SPDX-License-Identifier: GPL-2.0
/*
 * printf: formats, and the text that their directives make of values.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "data/agg.h"
#include "data/object.h"
#include "output/format.h"
#include "output/text.h"
#include "vm/env.h"
#include "vm/integer.h"
#include "vm/vm.h"

static int format_check_directive(struct ktap_vm *vm, const char *name,
				  const struct ktap_directive *d, const struct ktap_value *args,
				  unsigned int nargs, unsigned int arg)
{
	int len = min_t(size_t, d->len, 16);

	if (d->width > KTAP_MAX_WIDTH || d->precision > KTAP_MAX_WIDTH)
		return ktap_vm_error(vm, -EINVAL, "%s: a width or precision over %d",
				     name, KTAP_MAX_WIDTH);
	if (d->conv != 's' && !ktap_takes_number(d->conv))
		return ktap_vm_error(vm, -EINVAL, "%s: there is no directive %.*s",
				     name, len, d->text);
	if (arg >= nargs)
		return ktap_vm_error(vm, -EINVAL, "%s: %.*s (argument %u) has no argument",
				     name, len, d->text, arg + 1);
	arg = array_index_nospec(arg, nargs);
	if (d->conv == 's')
		return 0;
	if (BIT(args[arg].tag) & KTAP_NUMBER_TAGS)
		return 0;
	return ktap_vm_error(vm, -EINVAL, "%s: %.*s (argument %u) takes an integer, got %s",
			     name, len, d->text, arg + 1, ktap_type_name(&args[arg]));
}

int ktap_check_format(struct ktap_vm *vm, const char *name, const struct ktap_value *args,
		      unsigned int nargs)
{
	const char *p = ktap_blob_of(&args[0]), *end = p + args[0].len;
	struct ktap_directive d;
	unsigned int arg = 1;
	int err;

	err = ktap_vm_charge(vm, args[0].len / 64);
	while (!err && ktap_next_directive(&p, end, &d)) {
		err = ktap_vm_charge(vm, KTAP_DIRECTIVE_COST);
		if (!err && d.conv && d.conv != '%')
			err = format_check_directive(vm, name, &d, args, nargs, arg++);
	}
	return err;
}

static void format_put_padded(struct ktap_text *t, const struct ktap_directive *d, const char *p,
			      int len)
{
	if (!d->minus)
		ktap_text_fill(t, ' ', d->width - len);
	ktap_text_put(t, p, len);
	if (d->minus)
		ktap_text_fill(t, ' ', d->width - len);
}

static unsigned int format_base_of(char conv)
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

static bool format_is_signed(const struct ktap_directive *d)
{
	return d->conv == 'd' || d->conv == 'i';
}

static const char *format_prefix_of(const struct ktap_directive *d, struct ktap_int128 x)
{
	bool alt = d->alt && (x.hi || x.lo);

	if (format_is_signed(d)) {
		if (x.hi < 0)
			return "-";
		return d->plus ? "+" : d->space ? " " : "";
	}
	if (d->conv == 'p' || (d->conv == 'x' && alt))
		return "0x";
	if (d->conv == 'X' && alt)
		return "0X";
	return "";
}

static void format_text_number(struct ktap_text *t, const struct ktap_directive *d,
			       struct ktap_int128 x)
{
	const char *digits = d->conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	const char *prefix = format_prefix_of(d, x);
	char buf[KTAP_WIDE_TEXT + 2], *end = buf + sizeof(buf), *p;
	struct ktap_int128 size;
	int ndigits, zeroes, blanks;

	size = format_is_signed(d) ? ktap_int128_abs(x) : x;
	if (format_base_of(d->conv) == 10 && !size.hi && size.lo)
		p = ktap_decimal_digits(size.lo, end);
	else
		p = ktap_int128_digits(size, format_base_of(d->conv), digits, end);
	if (p == end && d->precision)
		*--p = '0';
	ndigits = end - p;
	zeroes = max(d->precision - ndigits, 0);
	/* '#' makes the first digit of an octal number 0, if it is not 0 already. */
	if (d->conv == 'o' && d->alt && !zeroes && (!ndigits || *p != '0'))
		zeroes = 1;
	blanks = max(d->width - (int)strlen(prefix) - zeroes - ndigits, 0);
	if (d->zero && !d->minus && d->precision < 0) {
		zeroes += blanks;
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

/* The divisor is for numbers in objects; the parts of a key stay as they are. */
static void format_text_arg(struct ktap_text *t, const struct ktap_value *v)
{
	ktap_text_divided(t, v, ktap_is_object(v) ? t->divisor : 0);
}

/* Values without a length: they are padded after they were written to the buffer. */
static void format_text_padded(struct ktap_text *t, const struct ktap_directive *d,
			       const struct ktap_value *v)
{
	size_t start, len;

	if (seq_buf_buffer_left(t->s) < KTAP_TEXT_BUFFER / 2)
		ktap_text_flush_part(t);
	t->hold = true;
	t->columns = true;
	start = t->s->len;
	format_text_arg(t, v);
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
	/* Text that did not fit is lost.  With @keep the caller counts that at the end. */
	if (seq_buf_has_overflowed(t->s) && t->vm && !t->keep)
		atomic_long_inc(&t->vm->env->counters.cut_strings);
	t->hold = false;
	t->columns = false;
}

/* Get the number that a directive for numbers shows; false if the value has none. */
static bool format_number_of(const struct ktap_text *t, const struct ktap_directive *d,
			     const struct ktap_value *v, struct ktap_int128 *x)
{
	struct ktap_total total;
	s64 divisor;

	*x = (struct ktap_int128){ };
	if (v->tag == KTAP_AGG && t->vm) {
		if (t->number) {
			*x = *t->number;
		} else {
			ktap_agg_read(t->vm->env, ktap_agg_of(v), &total);
			*x = ktap_agg_number(ktap_agg_of(v), &total);
		}
		divisor = ktap_divisor_of(v, t->divisor);
		if (divisor > 1 && ktap_agg_shape(ktap_agg_of(v))->kind != KTAP_AGG_COUNT)
			*x = ktap_int128_div(*x, divisor);
	} else if (v->tag <= KTAP_PTR) {
		if (v->tag != KTAP_NIL)
			*x = ktap_int128(v->i);
	} else {
		return false;
	}
	/* Unsigned directives show 64 bits, unless the number needs more. */
	if (!format_is_signed(d) && ktap_int128_fits(*x))
		x->hi = 0;
	return true;
}

static void format_text_directive_number(struct ktap_text *t, const struct ktap_directive *d,
					 const struct ktap_value *v)
{
	struct ktap_int128 x;
	char c;

	/* The format was checked, but then it may have been cut to fit its record. */
	if (!ktap_takes_number(d->conv) || !format_number_of(t, d, v, &x)) {
		ktap_text_put(t, d->text, d->len);
		return;
	}
	c = x.lo;
	if (d->conv == 'c')
		format_put_padded(t, d, &c, 1);
	else
		format_text_number(t, d, x);
}

static bool format_is_chart(const struct ktap_value *v)
{
	return v->tag == KTAP_AGG && ktap_agg_shape(ktap_agg_of(v))->nbuckets;
}

/* A chart is on lines of its own. */
static void format_text_directive_chart(struct ktap_text *t, const struct ktap_value *v,
					bool at_end)
{
	if (ktap_text_in_middle(t))
		ktap_text_put(t, "\n", 1);
	format_text_arg(t, v);
	if (!at_end)
		ktap_text_put(t, "\n", 1);
}

static void format_text_directive(struct ktap_text *t, const struct ktap_directive *d,
				  const struct ktap_value *v)
{
	if (d->conv != 's') {
		format_text_directive_number(t, d, v);
		return;
	}
	switch (v->tag) {
	case KTAP_STR:
		format_put_padded(t, d, ktap_blob_of(v),
				  d->precision < 0 ? v->len : min_t(u32, v->len, d->precision));
		break;
	case KTAP_TABLE:
	case KTAP_KSTACK:
	case KTAP_USTACK:
		format_text_arg(t, v);
		break;
	default:
		/* A value with keys has several lines: it is not padded. */
		if ((d->width || d->precision >= 0) && !ktap_value_table(v))
			format_text_padded(t, d, v);
		else
			format_text_arg(t, v);
	}
}

static void format_text_value(struct ktap_text *t, const struct ktap_directive *d,
			      const struct ktap_value *v, const char *end)
{
	const char *after = d->text + d->len;

	/* Most directives are like these. */
	if (d->plain && d->conv == 's' && v->tag == KTAP_STR)
		ktap_text_put(t, ktap_blob_of(v), v->len);
	else if (d->plain && format_is_signed(d) && v->tag == KTAP_INT)
		ktap_text_decimal(t, v->i);
	else if (format_is_chart(v))
		format_text_directive_chart(t, v, after < end && *after == '\n');
	else
		format_text_directive(t, d, v);
}

/* Text of a piece.  @arg is the next argument, before @last; return the one after it. */
static const struct ktap_value *format_text_piece(struct ktap_text *t,
						  const struct ktap_directive *d,
						  const struct ktap_value *arg,
						  const struct ktap_value *last, const char *end)
{
	if (!d->conv)
		ktap_text_put(t, d->text, d->len);
	else if (d->conv == '%')
		ktap_text_put(t, "%", 1);
	else if (arg < last)
		format_text_value(t, d, arg++, end);
	return arg;
}

void ktap_text_printf_args(struct ktap_text *t, const struct ktap_value *args, unsigned int nargs)
{
	const char *p = ktap_blob_of(&args[0]), *end = p + args[0].len;
	const struct ktap_value *arg = args + 1;
	struct ktap_directive d;

	while (ktap_next_directive(&p, end, &d) && !t->err && !ktap_text_is_cut(t))
		arg = format_text_piece(t, &d, arg, args + nargs, end);
}

void ktap_text_format(struct ktap_text *t, const struct ktap_format *f,
		      const struct ktap_value *args, unsigned int nargs)
{
	const struct ktap_directive *d = f->pieces, *end = d + f->npieces;
	const struct ktap_value *arg = args, *last = args + nargs;

	for (; d < end && !t->err && !ktap_text_is_cut(t); d++)
		arg = format_text_piece(t, d, arg, last, f->text + f->len);
}
