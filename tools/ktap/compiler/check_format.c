// SPDX-License-Identifier: GPL-2.0
/* Check constant formats against the types of their arguments. */
#include <string.h>

#include <linux/ktap.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"

#define MAX_WIDTH	512	/* KTAP_MAX_WIDTH of the kernel */
#define FLAGS		"-+ 0#@"
#define NUMBERS		(TYPE_INT | TYPE_BOOL | TYPE_NIL | TYPE_POINTER | TYPE_AGG)

struct directive {
	const char *text;	/* begins with its '%' */
	size_t len;
	char conv;		/* 0: unknown */
	bool wide;		/* wider than the kernel supports */
};

static size_t format_skip(const char *s, size_t i, size_t len, const char *set)
{
	while (i < len && s[i] && strchr(set, s[i]))
		i++;
	return i;
}

static size_t format_skip_number(const char *s, size_t i, size_t len, bool *wide)
{
	unsigned int n = 0;

	for (; i < len && s[i] >= '0' && s[i] <= '9'; i++)
		if (n <= MAX_WIDTH)
			n = n * 10 + s[i] - '0';
	*wide |= n > MAX_WIDTH;
	return i;
}

static bool next_directive(const struct node *fmt, size_t *at, struct directive *d)
{
	const char *s = fmt->str;
	size_t i = *at;

	while (i < fmt->len && s[i] != '%')
		i++;
	if (i == fmt->len)
		return false;
	d->text = s + i++;
	i = format_skip(s, i, fmt->len, FLAGS);
	d->wide = false;
	i = format_skip_number(s, i, fmt->len, &d->wide);
	if (i < fmt->len && s[i] == '.')
		i = format_skip_number(s, i + 1, fmt->len, &d->wide);
	i = format_skip(s, i, fmt->len, "hlqjzt");
	d->conv = i < fmt->len && s[i] && strchr("diuxXocsp%", s[i]) ? s[i] : 0;
	if (i < fmt->len)
		i++;
	d->len = s + i - d->text;
	*at = i;
	return true;
}

static void bad_directive(struct compiler *cc, const char *name, struct pos pos,
			  const struct directive *d)
{
	char last = d->text[d->len - 1];

	if (d->len == 1 || (last >= '0' && last <= '9'))
		diag_error(&cc->diag, pos,
			   "%s: the format ends within '%.*s'; write %%%% for a percent sign",
			   name, (int)d->len, d->text);
	else if (strchr("eEfFgGaA", last))
		diag_error(&cc->diag, pos, "%s: '%.*s': ktap has no floating point",
			   name, (int)d->len, d->text);
	else if (last == '*')
		diag_error(&cc->diag, pos, "%s: '%.*s': a width must be written as a number",
			   name, (int)d->len, d->text);
	else
		diag_error(&cc->diag, pos,
			   "%s: unknown directive '%.*s'; write %%%% for a percent sign",
			   name, (int)d->len, d->text);
}

static void check_argument(struct compiler *cc, const char *name, const struct node *arg,
			   const struct directive *d, unsigned int n)
{
	unsigned int type = static_type(arg);

	/* %s shows anything */
	if (d->conv == 's' || (type & NUMBERS))
		return;
	diag_error(&cc->diag, arg->pos, "%s: '%.*s' (directive %u) takes an integer, not %s",
		   name, (int)d->len, d->text, n, type_text(cc, type));
}

/*
 * printf(), system() and format() take arguments, printa() takes them in a
 * table.
 */
void check_format(struct compiler *cc, const struct node *call)
{
	const struct node *fmt = call->list, *arg = fmt->next;
	bool table = call->ival == KTAP_FN_PRINTA, open = list_is_open(call->list);
	const char *name = call->builtin->name;
	unsigned int n = 0, extra;
	struct directive d;
	size_t at = 0;

	if (fmt->kind != N_STR)
		return;
	while (next_directive(fmt, &at, &d)) {
		if (!d.conv) {
			bad_directive(cc, name, fmt->pos, &d);
			return;
		}
		if (d.wide) {
			diag_error(&cc->diag, fmt->pos, "%s: '%.*s': a width or precision over %d",
				   name, (int)d.len, d.text, MAX_WIDTH);
			return;
		}
		if (d.conv == '%' || table)
			continue;
		n++;
		if (!arg && open)
			continue;
		if (!arg) {
			diag_error(&cc->diag, fmt->pos,
				   "%s: '%.*s' (directive %u) has no argument", name,
				   (int)d.len, d.text, n);
			return;
		}
		check_argument(cc, name, arg, &d, n);
		arg = arg->next;
	}
	extra = list_len(arg);
	if (table || !extra || (extra == 1 && open))
		return;
	diag_error(&cc->diag, arg->pos,
		   "%s: the format has %u directive%s, but %u argument%s", name,
		   n, n == 1 ? "" : "s", n + extra, n + extra == 1 ? "" : "s");
}

void check_time_format(struct compiler *cc, const struct node *call)
{
	const struct node *fmt = call->list;
	size_t i;

	if (fmt->kind != N_STR)
		return;
	for (i = 0; i < fmt->len; i++) {
		if (fmt->str[i] != '%')
			continue;
		if (++i < fmt->len && fmt->str[i] && strchr("YmdHMSfNjyebBaAFTsZz%", fmt->str[i]))
			continue;
		diag_error(&cc->diag, fmt->pos,
			   "strftime: unknown directive '%%%.*s'; write %%%% for a percent sign",
			   i < fmt->len, fmt->str + i);
		return;
	}
}
