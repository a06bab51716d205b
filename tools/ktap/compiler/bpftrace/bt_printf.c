// SPDX-License-Identifier: GPL-2.0
/* printf() and its relatives: the formats of bpftrace in those of ktap. */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

/**
 * struct bt_directive - a directive of a format
 * @flags: with width and precision
 * @conv: the conversion
 * @bytes: of the integer that is printed, by the length modifier; 0: there is none
 * @end: the rest of the format
 */
struct bt_directive {
	const char *flags;
	size_t nflags;
	char conv;
	unsigned int bytes;
	const char *end;
};

static void bt_read_directive(const char *at, struct bt_directive *d)
{
	size_t n;

	d->flags = at;
	d->nflags = strspn(at, "-+ 0#123456789.");
	at += d->nflags;
	n = strspn(at, "hlzjt");
	d->bytes = !n ? 0 : *at == 'h' ? (n > 1 ? 1 : 2) : 8;
	at += n;
	d->conv = *at;
	at += !!*at;
	/* %rx, %rh: all bytes in hexadecimal */
	if (d->conv == 'r' && (*at == 'x' || *at == 'h'))
		d->conv = *at++ == 'x' ? 'R' : 'H';
	/* %gr: flags of an allocation by name */
	if (d->conv == 'g' && *at == 'r') {
		d->conv = 'G';
		at++;
	}
	d->end = at;
}

/* The result of a function of a program: a register, of which an int is the lower half */
static bool bt_is_user_result(const struct bt_script *s, const struct bt_node *n)
{
	const char *event = s->probe->events->text;

	return n->kind == BN_NAME && !strcmp(n->text, "retval") &&
	       (!strncmp(event, "uretprobe:", 10) || !strncmp(event, "ur:", 3));
}

/* "u8(" or another function for an integer with fewer bits than 64; "": as it is */
static const char *bt_cut_to(struct bt_script *s, const struct bt_directive *d,
			     const struct bt_node *arg)
{
	const struct bt_type *t = bt_type_of(s, arg);
	bool is_signed = d->conv == 'd' || d->conv == 'i';

	if (!is_signed && !strchr("uxXo", d->conv))
		return "";
	if (d->bytes == 1 || d->bytes == 2)
		return pool_printf(&s->cc->pool, "%c%u(", is_signed ? 's' : 'u', 8 * d->bytes);
	if (is_signed && !d->bytes && bt_is_user_result(s, arg))
		return "s32(";
	/* The width of an int, unless there are known to be no more bits */
	if (d->bytes || is_signed || (t->kind == BT_INTEGER && t->is_unsigned && t->size < 8) ||
	    (d->conv == 'u' && (t->kind != BT_INTEGER || t->size == 8)))
		return "";
	return "u32(";
}

/* Write the directive in ktap's spelling. A stack has its own lines in bpftrace. */
static void bt_put_directive(struct bt_script *s, struct pos pos, const struct bt_directive *d,
			     const struct bt_node *arg)
{
	const struct bt_type *t = arg ? bt_type_of(s, arg) : &bt_any;
	const char *length = d->flags + d->nflags;

	if (d->conv == 's' && t->kind == BT_STACK &&
	    (!t->raw || (t->name && s->place == BT_IN_EVENT))) {
		bt_put(s, pos, "%s", bt_stack_format(s, t, "\\n%s\\n"));
		return;
	}
	if (t->frames && d->conv == 's' && !d->nflags) {
		bt_put(s, pos, "%s", bt_stack_format(s, t, "%s"));
		return;
	}
	bt_put(s, pos, "%%%.*s", (int)d->nflags, d->flags);
	if (strchr("rRHG", d->conv))
		bt_put(s, pos, "s");
	else
		bt_put(s, pos, "%.*s%c", d->bytes == 8 ? (int)strspn(length, "lzjt") : 0, length,
		       d->conv);
}

/* One argument, as its directive needs it */
static void bt_printf_arg(struct bt_script *s, const struct bt_directive *d,
			  const struct bt_node *arg)
{
	const struct bt_type *t = bt_type_of(s, arg);
	const char *cut = bt_cut_to(s, d, arg);

	if (d->conv == 'R' || d->conv == 'H') {
		bt_put(s, arg->pos, "bt_hex(");
		bt_value(s, arg);
		bt_put(s, arg->pos, "%s", d->conv == 'R' ? ", \"\\\\x%02x\", \"\")" :
		       ", \"%02x\", \" \")");
		s->helpers |= BT_HELP_HEX;
	} else if (d->conv == 'G') {
		if (t->kind != BT_INTEGER && t->kind != BT_ENUM && t->kind != BT_ANY)
			bt_error(s, arg->pos, "%gr of args.gfp_flags",
				 "'%%gr' shows flags: it takes a number");
		bt_put(s, arg->pos, "bt_gfp(");
		bt_number(s, arg, LEVEL_ANY);
		bt_put(s, arg->pos, ")");
		s->helpers |= BT_HELP_GFP;
	} else if (d->conv == 's' && arg->kind == BN_MAP && t->kind == BT_ANY) {
		bt_number(s, arg, LEVEL_OR);
		bt_put(s, arg->pos, " || \"\"");
	} else if (d->conv == 's' || d->conv == 'r') {
		bt_text_value(s, arg);
	} else if (*cut) {
		bt_put(s, arg->pos, "%s", cut);
		bt_number(s, arg, LEVEL_ANY);
		bt_put(s, arg->pos, ")");
	} else {
		bt_value(s, arg);
	}
}

/* Write the format and its arguments.  Returns false after an error. */
static bool bt_put_format(struct bt_script *s, const struct bt_node *format, const char *before,
			  const char *after)
{
	const struct bt_node *arg;
	const char *text, *p, *next;
	struct bt_directive d;

	if (format->kind != BN_STR) {
		bt_error(s, format->pos, NULL, "the format of printf is a string in quotes");
		return false;
	}
	if (strchr(format->text, '*'))
		format = bt_fixed_format(s, format);
	if (!format)
		return false;
	arg = format->next;
	text = pool_printf(&s->cc->pool, "%.*s", (int)strlen(format->text) - 2, format->text + 1);
	bt_put(s, format->pos, "\"%s", before);
	for (p = text; (next = strchr(p, '%')); p = d.end) {
		bt_put(s, format->pos, "%.*s", (int)(next - p), p);
		bt_read_directive(next + 1, &d);
		bt_put_directive(s, format->pos, &d, arg);
		arg = arg && d.conv != '%' ? arg->next : arg;
	}
	arg = format->next;
	bt_put(s, format->pos, "%s%s\"", p, after);
	for (p = text; (next = strchr(p, '%')); p = d.end) {
		bt_read_directive(next + 1, &d);
		if (d.conv == '%' || !arg)
			continue;
		bt_put(s, arg->pos, ", ");
		bt_printf_arg(s, &d, arg);
		arg = arg->next;
	}
	for (; arg; arg = arg->next) {
		bt_put(s, arg->pos, ", ");
		bt_value(s, arg);
	}
	return true;
}

/* The value of a macro, or another string, instead of a format */
static bool bt_is_plain_text(struct bt_script *s, const struct bt_node *n)
{
	return n->kind != BN_STR && !n->next && bt_type_of(s, n)->kind == BT_STRING;
}

void bt_printf(struct bt_script *s, const struct bt_node *n, const char *function)
{
	bt_put(s, n->pos, "%s(", function);
	if (bt_is_plain_text(s, n->a)) {
		bt_put(s, n->pos, "\"%%s\", ");
		bt_value(s, n->a);
	} else {
		bt_put_format(s, n->a, "", "");
	}
	bt_put(s, n->pos, ")");
}

const char *bt_escaped_name(struct bt_script *s, struct pos pos)
{
	const char *name = s->cc->diag.files[pos.file].name, *escaped = "";

	if (name && !strcmp(name, "-e"))
		return "stdin";
	for (; name && *name; name++) {
		const char *c = *name == '%' ? "%%" : strchr("\"\\\n", *name) ? "?" : NULL;

		escaped = pool_printf(&s->cc->pool, "%s%.*s", escaped, c ? (int)strlen(c) : 1,
				      c ? c : name);
	}
	return escaped;
}

const char *bt_place_text(struct bt_script *s, const struct bt_node *n)
{
	return pool_printf(&s->cc->pool, "%s:%u:%u-%u", bt_escaped_name(s, n->pos), n->pos.line,
			   n->pos.col, n->end);
}

const char *bt_underlined(struct bt_script *s, const struct bt_node *n)
{
	const struct ktap_script *file = &s->cc->diag.files[n->pos.file];
	const char *line = file->text, *end = line + file->len;
	const char *text = "", *under = "";

	for (uint32_t i = 1; line && i < n->pos.line; i++) {
		line = memchr(line, '\n', end - line);
		line += !!line;
	}
	for (uint32_t col = 1; line && line < end && *line != '\n'; line++, col++) {
		bool in = col >= n->pos.col && col < n->end;

		text = pool_printf(&s->cc->pool, strchr("\"\\", *line) ? "%s\\%c" :
				   *line == '%' ? "%s%c%%" : "%s%c", text,
				   (unsigned char)*line < ' ' ? ' ' : *line);
		if (col < n->end)
			under = pool_printf(&s->cc->pool, "%s%c", under, in ? '~' : ' ');
	}
	return pool_printf(&s->cc->pool, "%s\\n%s\\n", text, under);
}

/* After a message of a macro: the calls that have become it */
static const char *bt_expanded_from(struct bt_script *s, const struct bt_node *n)
{
	const char *text = "";

	for (n = n->within; n; n = n->within)
		if (n->end)
			text = pool_printf(&s->cc->pool, "%s%s: ERROR: expanded from\\n%s", text,
					   bt_place_text(s, n), bt_underlined(s, n));
	return text;
}

/* The severity of warnf(), errorf(), fail() or assert() */
static const char *bt_severity(const struct bt_node *n)
{
	return *n->text == 'w' ? "WARNING" : "ERROR";
}

void bt_message(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *format = strstr(n->text, "assert") ? n->a->next : n->a;
	const char *what = format == n->a ? "" : "assert failed: ";
	size_t len = strlen(format->text);
	bool newline = len > 3 && !strncmp(format->text + len - 3, "\\n", 2);

	if (*n->text == 'w' && s->cc->opts->nowarn) {
		bt_put(s, n->pos, "var _unused = nil");
		return;
	}
	if (s->json) {
		bt_put(s, n->pos, "print(\"bt\", '{\"type\": \"%s\", \"msg\": %%, \"filename\": \"%s\", \"line\": %u, \"col\": %u}', format(",
		       *n->text == 'w' ? "warnf" : "errorf", bt_escaped_name(s, n->pos),
		       n->pos.line, n->pos.col);
		bt_put_format(s, format, what, "");
		bt_put(s, n->pos, "))");
		return;
	}
	bt_put(s, n->pos, "printf(");
	bt_put_format(s, format, pool_printf(&s->cc->pool, "%s: %s: %s", bt_place_text(s, n),
					     bt_severity(n), what),
		      pool_printf(&s->cc->pool, "%s%s", newline ? "" : "\\n",
				  *n->text == 'w' ? "" : bt_expanded_from(s, n)));
	bt_put(s, n->pos, ")");
}
