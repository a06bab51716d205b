/* SPDX-License-Identifier: GPL-2.0 */
/* Read lines of JSON that the kernel or ktap has made. */
#ifndef KTAP_JSON_READ_H
#define KTAP_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

/* A value in a line; what begins there ends before @end. */
struct span {
	const char *begin;
	const char *end;
};

/**
 * struct json_lines - collects parts of the output into lines
 * @line: the incomplete line
 * @len: its length
 * @size: size of @line
 * @lost: a part of this line is missing
 * @no_memory: a line is missing
 */
struct json_lines {
	char *line;
	size_t len;
	size_t size;
	bool lost;
	bool no_memory;
};

/*
 * Add output up to the end of a line; *@data and *@len become the rest. Returns
 * whether a line is complete. It is valid until the next call, and a NUL follows it.
 */
bool json_add(struct json_lines *j, const char **data, size_t *len, struct span *line);

void json_free(struct json_lines *j);

/*
 * Get the next element of an array, or the next member of an object with its name.
 * *@pos begins after the bracket of the array or object, which ends at @end.
 */
bool json_next(const char **pos, const char *end, struct span *value);

/* Get a member of an object. */
bool json_member(const struct span *object, const char *name, struct span *value);

/*
 * Get the next character of a string, in UTF-8, at most 3 bytes unless it is not escaped:
 * then it is one byte. Control characters except newlines and tabs become '?'.
 */
size_t json_character(const char **pos, const char *end, char *to);

/* Is the value this text? */
bool json_is(const struct span *value, const char *text);

#endif
