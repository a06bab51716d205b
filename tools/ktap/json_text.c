// SPDX-License-Identifier: GPL-2.0
/*
 * Text as JSON. The kernel makes the lines of a script; ktap adds those for
 * files and commands, and the names of user code.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "compiler/clean_text.h"
#include "json_text.h"

static size_t json_escape_byte(char *out, unsigned char c)
{
	static const char bytes[] = "\"\\\n\t", escapes[] = "\"\\nt";
	const char *found = c ? strchr(bytes, c) : NULL;

	if (!found)
		return sprintf(out, c < 0x80 ? "\\u%04x" : "\\ufffd", c);
	out[0] = '\\';
	out[1] = escapes[found - bytes];
	return 2;
}

size_t json_escape(char *out, const char *text, size_t len)
{
	char *begin = out;

	while (len) {
		unsigned char c = *text;
		size_t n = utf8_length((const unsigned char *)text, len);

		if (n == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0) {
			/* U+0080 to U+009F, which terminals obey */
			out += sprintf(out, "\\u%04x", (unsigned char)text[1]);
		} else if (n > 1 || (c >= ' ' && c < 127 && c != '"' && c != '\\')) {
			memcpy(out, text, n);
			out += n;
		} else {
			out += json_escape_byte(out, c);
		}
		text += n;
		len -= n;
	}
	return out - begin;
}

size_t json_line(char *out, const char *type, const char *text, size_t len)
{
	struct timespec now;
	size_t n;

	clock_gettime(CLOCK_MONOTONIC, &now);
	n = sprintf(out, "{\"time\":%lld,\"type\":\"%s\",\"text\":\"",
		    now.tv_sec * 1000000000LL + now.tv_nsec, type);
	n += json_escape(out + n, text, len);
	memcpy(out + n, "\"}\n", 3);
	return n + 3;
}

/* Bytes of the character that begins with @c; 1 if none does */
static size_t json_size(unsigned char c)
{
	if (c < 0xc2 || c > 0xf4)
		return 1;
	return c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

size_t json_rest(const char *text, size_t len)
{
	for (size_t i = 1; i <= 3 && i <= len; i++) {
		unsigned char c = text[len - i];

		if ((c & 0xc0) == 0x80)
			continue;
		return i < json_size(c) ? i : 0;
	}
	return 0;
}
