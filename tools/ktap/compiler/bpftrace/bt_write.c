// SPDX-License-Identifier: GPL-2.0
/* Write the text of the ktap script, and where its pieces come from. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"

static void bt_mark(struct bt_script *s, struct pos pos)
{
	struct translation *t = s->out;

	t->marks = pool_grow(&s->cc->pool, t->marks, t->nmarks, &s->max_marks,
			     sizeof(*t->marks));
	t->marks[t->nmarks++] = (struct translation_mark) { .at = t->len, .pos = pos };
}

static void bt_append(struct bt_script *s, const char *text, size_t len)
{
	struct translation *t = s->out;
	char *bigger;

	if (len > s->max_text - t->len) {
		s->max_text = (t->len + len) * 2 + 4096;
		bigger = pool_alloc(&s->cc->pool, s->max_text);
		if (t->len)
			memcpy(bigger, t->text, t->len);
		t->text = bigger;
	}
	memcpy(t->text + t->len, text, len);
	t->len += len;
}

void bt_put(struct bt_script *s, struct pos pos, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = pool_vprintf(&s->cc->pool, fmt, ap);
	va_end(ap);
	bt_mark(s, pos);
	bt_append(s, text, strlen(text));
}

void bt_line(struct bt_script *s)
{
	bt_append(s, "\n", 1);
	for (unsigned int i = 0; i < s->indent; i++)
		bt_append(s, "\t", 1);
}

void bt_error(struct bt_script *s, struct pos pos, const char *note, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(&s->cc->diag, pos, "%s", pool_vprintf(&s->cc->pool, fmt, ap));
	va_end(ap);
	if (note)
		diag_note(&s->cc->diag, "%s", note);
}
