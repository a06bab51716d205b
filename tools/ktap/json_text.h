/* SPDX-License-Identifier: GPL-2.0 */
/* Text as JSON: strings, and objects that are lines of the output. */
#ifndef KTAP_JSON_TEXT_H
#define KTAP_JSON_TEXT_H

#include <stddef.h>

#define JSON_ESCAPE	6	/* the longest escape of a byte */
#define JSON_HEAD	96	/* room for an object without its text */

/*
 * Escape @len bytes for a string of JSON; returns the length of the result in
 * @out, which has JSON_ESCAPE * @len bytes. A byte that is not part of a
 * character in UTF-8 becomes U+FFFD.
 */
size_t json_escape(char *out, const char *text, size_t len);

/*
 * Make a line with a text of this type and the present time; returns its length.
 * @out has JSON_HEAD + JSON_ESCAPE * @len bytes.
 */
size_t json_line(char *out, const char *type, const char *text, size_t len);

/* The number of bytes at the end of @text that begin a character. */
size_t json_rest(const char *text, size_t len);

#endif
