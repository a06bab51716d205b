/* SPDX-License-Identifier: GPL-2.0 */
/* Text that grows at its end and is taken from its beginning. */
#ifndef KTAP_TEXT_BUFFER_H
#define KTAP_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct text_buffer - the text
 * @text: its bytes, or NULL
 * @len: their number
 * @size: size of @text
 * @at: bytes that were taken
 * @no_memory: a part is missing
 */
struct text_buffer {
	char *text;
	size_t len;
	size_t size;
	size_t at;
	bool no_memory;
};

/* Append bytes; without memory, only @no_memory is set. */
void text_put(struct text_buffer *t, const char *text, size_t len);

/* Append a string, or formatted text. */
void text_puts(struct text_buffer *t, const char *text);
void text_printf(struct text_buffer *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Take up to @room bytes; returns their number. */
size_t text_take(struct text_buffer *t, char *to, size_t room);

void text_free(struct text_buffer *t);

#endif
