// SPDX-License-Identifier: GPL-2.0
/* Read lines of JSON that the kernel or ktap has made. */
#include <stdlib.h>
#include <string.h>

#include "json_read.h"

/* The end of the string that begins at @p. */
static const char *json_skip_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++) {
		if (*p == '\\')
			p++;
	}
	return p < end ? p + 1 : end;
}

/* The end of the value that begins at @p. */
static const char *json_skip(const char *p, const char *end)
{
	int depth = 0;

	while (p < end) {
		if (!depth && (*p == ',' || *p == ']' || *p == '}'))
			break;
		if (*p == '"') {
			p = json_skip_string(p, end);
			continue;
		}
		depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
		p++;
	}
	return p;
}

bool json_next(const char **pos, const char *end, struct span *value)
{
	const char *p = *pos;

	if (p >= end || *p == ']' || *p == '}')
		return false;
	value->begin = p;
	value->end = json_skip(p, end);
	*pos = value->end < end && *value->end == ',' ? value->end + 1 : value->end;
	return true;
}

bool json_member(const struct span *object, const char *name, struct span *value)
{
	const char *pos = object->begin + 1;
	size_t len = strlen(name);

	if (object->begin == object->end || *object->begin != '{')
		return false;
	while (json_next(&pos, object->end, value)) {
		const char *p = value->begin;

		if (value->end - p < (long)len + 3 || *p != '"' || strncmp(p + 1, name, len) ||
		    strncmp(p + 1 + len, "\":", 2))
			continue;
		value->begin += len + 3;
		return true;
	}
	return false;
}

bool json_is(const struct span *value, const char *text)
{
	size_t len = strlen(text);

	return value->end - value->begin == (long)len && !memcmp(value->begin, text, len);
}

size_t json_character(const char **pos, const char *end, char *to)
{
	const char *p = *pos;
	unsigned long code;
	char hex[5] = "";

	/* U+0080 to U+009F, which terminals obey; the kernel writes them as \u */
	if (p + 1 < end && (unsigned char)p[0] == 0xc2 && (unsigned char)p[1] < 0xa0) {
		*to = '?';
		*pos = p + 2;
		return 1;
	}
	if (*p != '\\' || p + 1 >= end) {
		*to = *p;
		*pos = p + 1;
		return 1;
	}
	*pos = p + 2;
	if (p[1] != 'u' || end - p < 6) {
		*to = p[1] == 'n' ? '\n' : p[1] == 't' ? '\t' : p[1];
		return 1;
	}
	memcpy(hex, p + 2, 4);
	*pos = p + 6;
	code = strtoull(hex, NULL, 16);
	if (code < ' ' || (code >= 127 && code < 160)) {
		*to = '?';
		return 1;
	}
	if (code < 0x80) {
		*to = code;
		return 1;
	}
	if (code >= 0xd800 && code < 0xe000)
		code = 0xfffd;
	if (code < 0x800) {
		to[0] = 0xc0 | code >> 6;
		to[1] = 0x80 | (code & 0x3f);
		return 2;
	}
	to[0] = 0xe0 | code >> 12;
	to[1] = 0x80 | (code >> 6 & 0x3f);
	to[2] = 0x80 | (code & 0x3f);
	return 3;
}

/* Make room for more of a line; false without memory. */
static bool json_reserve(struct json_lines *j, size_t len)
{
	size_t size = j->size ? j->size : 256;
	char *line;

	while (size < len)
		size *= 2;
	line = size == j->size ? j->line : realloc(j->line, size);
	if (!line)
		return false;
	j->line = line;
	j->size = size;
	return true;
}

bool json_add(struct json_lines *j, const char **data, size_t *len, struct span *line)
{
	while (*len) {
		const char *newline = memchr(*data, '\n', *len);
		size_t n = newline ? (size_t)(newline - *data) : *len;
		bool lost;

		if (j->lost || !json_reserve(j, j->len + n + 1)) {
			j->no_memory = true;
			j->lost = true;
		} else {
			memcpy(j->line + j->len, *data, n);
			j->len += n;
			j->line[j->len] = '\0';
		}
		*data += n;
		*len -= n;
		if (!newline)
			break;
		++*data;
		--*len;
		*line = (struct span){ j->line, j->line + j->len };
		lost = j->lost;
		j->len = 0;
		j->lost = false;
		if (!lost)
			return true;
	}
	return false;
}

void json_free(struct json_lines *j)
{
	free(j->line);
	memset(j, 0, sizeof(*j));
}
