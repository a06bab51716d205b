// SPDX-License-Identifier: GPL-2.0
/* Does a constant format of printf fit to the arguments? */
#include <string.h>

#include "ast.h"
#include "builtins.h"

struct directive {
	const char *text;	/* from its '%' on */
	size_t len;
	char conv;		/* 0: not one of ours */
};

static size_t skip(const char *s, size_t i, size_t len, const char *set)
{
	while (i < len && s[i] && strchr(set, s[i]))
		i++;
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
	i = skip(s, i, fmt->len, "-+ 0#");
	i = skip(s, i, fmt->len, "0123456789");
	if (i < fmt->len && s[i] == '.')
		i = skip(s, i + 1, fmt->len, "0123456789");
	i = skip(s, i, fmt->len, "lhzjt");
	d->conv = i < fmt->len && s[i] && strchr("diuxXocsp%", s[i]) ? s[i] : 0;
	if (i < fmt->len)
		i++;
	d->len = s + i - d->text;
	*at = i;
	return true;
}

static void bad_directive(struct compiler *cc, struct pos pos, const struct directive *d)
{
	char last = d->text[d->len - 1];

	if (d->len == 1 || (last >= '0' && last <= '9'))
		diag_error(&cc->diag, pos,
			   "printf: the format ends within '%.*s'; write %%%% for a percent sign",
			   (int)d->len, d->text);
	else if (strchr("eEfFgGaA", last))
		diag_error(&cc->diag, pos, "printf: '%.*s': ktap has no floating point",
			   (int)d->len, d->text);
	else if (last == '*')
		diag_error(&cc->diag, pos, "printf: '%.*s': a width must be written as a number",
			   (int)d->len, d->text);
	else
		diag_error(&cc->diag, pos,
			   "printf: unknown directive '%.*s'; write %%%% for a percent sign",
			   (int)d->len, d->text);
}

void check_format(struct compiler *cc, const struct node *call)
{
	const struct node *fmt = call->list, *arg;
	unsigned int n = 0, extra;
	struct directive d;
	size_t at = 0;

	if (!fmt || fmt->kind != N_STR)
		return;
	arg = fmt->next;
	while (next_directive(fmt, &at, &d)) {
		int type;

		if (!d.conv) {
			bad_directive(cc, fmt->pos, &d);
			return;
		}
		if (d.conv == '%')
			continue;
		n++;
		if (!arg) {
			diag_error(&cc->diag, fmt->pos,
				   "printf: '%.*s' (directive %u) has no argument",
				   (int)d.len, d.text, n);
			return;
		}
		type = static_type(arg);
		if (d.conv != 's' && type != TYPE_INT && type != TYPE_ANY && type != TYPE_NIL)
			diag_error(&cc->diag, arg->pos,
				   "printf: '%.*s' (directive %u) takes an integer, not %s",
				   (int)d.len, d.text, n, type_name(type));
		arg = arg->next;
	}
	extra = list_len(arg);
	if (extra)
		diag_error(&cc->diag, arg->pos,
			   "printf: the format has %u directive%s, but %u argument%s",
			   n, n == 1 ? "" : "s", n + extra, n + extra == 1 ? "" : "s");
}
