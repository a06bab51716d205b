/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output as JSON: one object per line, after the session's line "format json".
 */
#ifndef _KTAP_JSON_H
#define _KTAP_JSON_H

#include <linux/seq_buf.h>
#include <linux/types.h>

struct ktap_env;
struct ktap_value;
struct ktap_vm;

/* A byte of text becomes at most this many bytes. */
#define KTAP_JSON_ESCAPE	6
/* Room for an object without its text */
#define KTAP_JSON_HEAD		128

/**
 * struct ktap_json - a line that is being made
 * @s: the line.  If it overflows, the line is useless
 * @plain: memory for texts before they are escaped; NULL: there are none
 * @env: of the session; may be NULL
 * @vm: an activation of KTAP_LEVEL_PROCESS.  If NULL, objects are not shown
 * @err: 0, or an error of the activation, which makes the line useless
 */
struct ktap_json {
	struct seq_buf *s;
	struct seq_buf *plain;
	const struct ktap_env *env;
	struct ktap_vm *vm;
	int err;
};

/* json.c.  Context: process, sleeps. */

/* Begin the object of a line, and end it and the line. */
void ktap_json_begin(struct ktap_json *j, u64 ts, const char *type);
void ktap_json_end(struct ktap_json *j);
/* Add a member with this name. */
void ktap_json_name(struct ktap_json *j, const char *name);
void ktap_json_number(struct ktap_json *j, const char *name, u64 n);
/* Add the member "text"; and "cut" if @cut. */
void ktap_json_text(struct ktap_json *j, const char *text, size_t len, bool cut);
/* Add the member "values". */
void ktap_json_values(struct ktap_json *j, const struct ktap_value *v, unsigned int n);

/*
 * Put a string, which may be any bytes; a value, whose numbers are divided by @divisor.  The
 * entries of an object are not put.
 */
void ktap_json_string(struct ktap_json *j, const char *p, size_t len);
void ktap_json_value(struct ktap_json *j, const struct ktap_value *v, s64 divisor);
/* Put the parts of a key, with a comma before each but the first of the array. */
void ktap_json_key(struct ktap_json *j, const struct ktap_value *key, bool first);
void ktap_json_unsigned(struct ktap_json *j, u64 n);
/* Put bytes as they are. */
void ktap_json_put(struct ktap_json *j, const char *text);
/* The value cannot be shown. */
void ktap_json_omitted(struct ktap_json *j);

/* Return the number of bytes at the end of @p that begin a character of UTF-8 or a mark. */
size_t ktap_json_rest(const struct ktap_env *env, const char *p, size_t len);

/*
 * json_print.c: output lines.  @vm is an activation of KTAP_LEVEL_PROCESS.  Return 0, or a
 * negative errno with the error set.
 */

/* Text; print(); print_hist(), with its entries sorted by number; and a global variable. */
int ktap_json_put_text(struct ktap_vm *vm, const char *text, size_t len);
int ktap_json_print(struct ktap_vm *vm, const struct ktap_value *v, unsigned int n);
int ktap_json_print_hist(struct ktap_vm *vm, const struct ktap_value *v);
int ktap_json_print_variable(struct ktap_vm *vm, const char *name, const struct ktap_value *v);

#endif /* _KTAP_JSON_H */
