// SPDX-License-Identifier: GPL-2.0
/* Replace control characters in text from elsewhere. */
#include <string.h>

#include "compiler/clean_text.h"

size_t utf8_length(const unsigned char *p, size_t left)
{
	size_t len = p[0] < 0xc2 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 1;

	if (len > left)
		return 1;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
	}
	/* overlong forms, surrogates, and values above U+10FFFF */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90))
		return 1;
	return len;
}

/*
 * Is the character at @text a control character? *@len gets its length. The
 * controls 0x80 to 0x9f are two bytes in UTF-8, and one byte for terminals
 * without UTF-8.
 */
static bool is_control(const char *text, size_t left, size_t *len)
{
	const unsigned char *p = (const unsigned char *)text;

	*len = utf8_length(p, left);
	if (*len == 1)
		return p[0] < ' ' || (p[0] >= 127 && p[0] < 0xa0);
	return p[0] == 0xc2 && p[1] < 0xa0;
}

bool is_clean(const char *name)
{
	size_t left = strlen(name), n;

	for (; left; left -= n, name += n) {
		if (is_control(name, left, &n))
			return false;
	}
	return true;
}

bool has_controls(const char *text, size_t len)
{
	size_t n;

	for (; len; len -= n, text += n) {
		if (is_control(text, len, &n) && *text != '\n' && *text != '\t')
			return true;
	}
	return false;
}

void make_clean(char *name)
{
	size_t left = strlen(name), n;
	char *to = name;

	for (; left; left -= n, name += n) {
		if (is_control(name, left, &n)) {
			*to++ = '?';
		} else {
			memmove(to, name, n);
			to += n;
		}
	}
	*to = '\0';
}

void put_clean(FILE *out, const char *text, size_t len)
{
	size_t n;

	for (; len; len -= n, text += n) {
		if (is_control(text, len, &n) && *text != '\t')
			fputc('?', out);
		else
			fwrite(text, 1, n, out);
	}
}

/* Can @c follow the byte that begins a character, or, if that is 0, a later one of it? */
static bool is_continued(unsigned int first, unsigned char c)
{
	return (c & 0xc0) == 0x80 && !(first == 0xc2 && c < 0xa0) && !(first == 0xe0 && c < 0xa0) &&
	       !(first == 0xed && c >= 0xa0) && !(first == 0xf0 && c < 0x90) &&
	       !(first == 0xf4 && c >= 0x90);
}

/* *@rest: the number of bytes that are to come, and, before the second one, the first << 8 */
void clean_part(char *text, size_t len, unsigned int *rest)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = text[i];

		if (*rest && is_continued(*rest >> 8, c)) {
			*rest = (*rest & 3) - 1;
			continue;
		}
		*rest = c < 0xc2 || c > 0xf4 ? 0 : c << 8 | (c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3);
		if ((c < ' ' && c != '\n' && c != '\t') || (c >= 127 && c < 0xa0))
			text[i] = '?';
	}
}
