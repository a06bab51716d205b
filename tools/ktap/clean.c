// SPDX-License-Identifier: GPL-2.0
/* What of a text is for the eye, and what is not. */
#include <string.h>

#include "clean.h"

/*
 * The bytes of the control character that begins here, or 0.  Those of 0x80 to 0x9f
 * are two bytes in UTF-8.
 */
static size_t control(const char *text, size_t left)
{
	unsigned char c = text[0], next = left > 1 ? text[1] : 0;

	if (c < ' ' || c == 127)
		return 1;
	return c == 0xc2 && next >= 0x80 && next < 0xa0 ? 2 : 0;
}

bool is_clean(const char *name)
{
	for (size_t left = strlen(name); left; left--, name++) {
		if (control(name, left))
			return false;
	}
	return true;
}

void make_clean(char *name)
{
	size_t left = strlen(name), n;
	char *to = name;

	for (; left; left -= n, name += n) {
		n = control(name, left);
		*to++ = n ? '?' : *name;
		n += !n;
	}
	*to = '\0';
}

void put_clean(FILE *out, const char *text, size_t len)
{
	size_t n;

	for (; len; len -= n, text += n) {
		n = *text == '\t' ? 0 : control(text, len);
		putc(n ? '?' : *text, out);
		n += !n;
	}
}
