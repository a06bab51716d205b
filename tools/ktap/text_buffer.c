// SPDX-License-Identifier: GPL-2.0
/* Text that grows at its end and is taken from its beginning. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_buffer.h"

void text_put(struct text_buffer *t, const char *text, size_t len)
{
	size_t size = t->size ? t->size : 4096;
	char *more;

	while (size < t->len + len)
		size *= 2;
	if (size != t->size) {
		more = realloc(t->text, size);
		if (!more) {
			t->no_memory = true;
			return;
		}
		t->text = more;
		t->size = size;
	}
	memcpy(t->text + t->len, text, len);
	t->len += len;
}

void text_puts(struct text_buffer *t, const char *text)
{
	text_put(t, text, strlen(text));
}

void text_printf(struct text_buffer *t, const char *fmt, ...)
{
	char line[512];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (n > 0)
		text_put(t, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

size_t text_take(struct text_buffer *t, char *to, size_t room)
{
	size_t n = t->len - t->at < room ? t->len - t->at : room;

	if (n)
		memcpy(to, t->text + t->at, n);
	t->at += n;
	if (t->at == t->len) {
		t->at = 0;
		t->len = 0;
	}
	return n;
}

void text_free(struct text_buffer *t)
{
	free(t->text);
	memset(t, 0, sizeof(*t));
}
