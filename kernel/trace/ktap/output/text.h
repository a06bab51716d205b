/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text of values.
 */
#ifndef _KTAP_TEXT_H
#define _KTAP_TEXT_H

#include <linux/seq_buf.h>

#include "data/int128.h"

struct ktap_agg;
struct ktap_env;
struct ktap_table;
struct ktap_value;
struct ktap_vm;

/* Maximum width and precision of a directive of printf */
#define KTAP_MAX_WIDTH		512

/**
 * struct ktap_chart - how charts are drawn
 * @rows: maximum number of rows
 * @log: the length of a bar is the number's bits, not its share of the sum
 */
struct ktap_chart {
	u32 rows;
	bool log;
};

/**
 * struct ktap_text - text being made
 * @s: the buffer
 * @vm: if set, an activation of KTAP_LEVEL_PROCESS: a full @s is passed to
 *	ktap_out_text().  If NULL, the text is cut
 * @env: without @vm: of the session, for the files of user stacks; may be NULL
 * @keep: the text becomes a value: it is not output, and @vm may be of any level
 * @hold: do not output @s now: the start of the text will still be moved
 * @middle: the last byte that was output is not a newline
 * @columns: the width of the text is the number of its bytes: it has no marks
 * @chart: how aggregations are shown; NULL: all rows, and bars are shares
 * @divisor: printf divides the numbers in an object by it; 0: by 1
 * @number: the number of an aggregation by which it was sorted, which may have changed since;
 *	NULL: read it
 * @err: error of ktap_out_text()
 */
struct ktap_text {
	struct seq_buf *s;
	struct ktap_vm *vm;
	const struct ktap_env *env;
	bool keep;
	bool hold;
	bool middle;
	bool columns;
	const struct ktap_chart *chart;
	s64 divisor;
	const struct ktap_int128 *number;
	int err;
};

/* Size of &ktap_text.s if &ktap_text.vm is set */
#define KTAP_TEXT_BUFFER	8192

void ktap_text_put(struct ktap_text *t, const char *p, size_t len);
__printf(2, 3) void ktap_text_printf(struct ktap_text *t, const char *fmt, ...);
void ktap_text_fill(struct ktap_text *t, char c, int n);
/* Put an integer in decimal. */
void ktap_text_decimal(struct ktap_text *t, s64 i);
void ktap_text_flush(struct ktap_text *t);
/* The same before further text: in JSON, a character that is incomplete stays. */
void ktap_text_flush_part(struct ktap_text *t);
/* Call often, because tables are large: reschedules, and sets @err if the session ends. */
void ktap_text_look_around(struct ktap_text *t);

/* The buffer is full and cannot be output: further text is lost. */
static inline bool ktap_text_is_cut(const struct ktap_text *t)
{
	return t->keep && seq_buf_has_overflowed(t->s);
}

/* Is the text in the middle of a line? */
bool ktap_text_in_middle(const struct ktap_text *t);

/* A value as print shows it; and if its numbers are divided by @divisor (0: by 1). */
void ktap_text_value(struct ktap_text *t, const struct ktap_value *v);
void ktap_text_divided(struct ktap_text *t, const struct ktap_value *v, s64 divisor);
/* Return the divisor of the numbers in a value; @outer is that of the surrounding value. */
s64 ktap_divisor_of(const struct ktap_value *v, s64 outer);
/* Print an integer, divided by @divisor. */
void ktap_text_int128(struct ktap_text *t, struct ktap_int128 x, s64 divisor);

/*
 * Text of a print, of a printf, and of a variable.  The blob of ARGSTR and EVENT must be the
 * bytes that &ktap_event_ops.save wrote.
 */
void ktap_text_print(struct ktap_text *t, const struct ktap_value *args, unsigned int nargs);
void ktap_text_printf_args(struct ktap_text *t, const struct ktap_value *args, unsigned int nargs);
void ktap_text_variable(struct ktap_text *t, const char *name, const struct ktap_value *v);

/*
 * ustack_text.c: write a stack, with each frame on a line of its own; or a symbol, on the
 * current line.
 */
void ktap_text_ustack(struct ktap_text *t, const struct ktap_value *v);
void ktap_text_usym(struct ktap_text *t, const struct ktap_value *v);
/* Write frame @i of a user stack; false if there is none. */
bool ktap_text_uframe(struct ktap_text *t, const struct ktap_value *v, u32 i);

/* Delimiters of the parts of a mark.  The program that reads the output replaces marks. */
#define KTAP_MARK_BEGIN	"\x1e"
#define KTAP_MARK_NEXT	"\x1d"
#define KTAP_MARK_END	"\x1f"

/*
 * histogram.c: charts of the entries of a table, and of the buckets of an aggregation,
 * without a newline at the end; @t has its vm.
 */
void ktap_text_hist(struct ktap_text *t, struct ktap_table *table, s64 divisor);
void ktap_text_agg_hist(struct ktap_text *t, const struct ktap_agg *agg);

/**
 * ktap_check_format() - Check the arguments of a printf
 * @vm: the activation; gets the error, which names the directive
 * @name: of the built-in function, for the error
 * @args: the format and its arguments
 * @nargs: number of @args, the format included
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int ktap_check_format(struct ktap_vm *vm, const char *name, const struct ktap_value *args,
		      unsigned int nargs);

/* Event sources: write the text of what &ktap_event_ops.save wrote. */
void ktap_event_format(struct seq_buf *s, const void *saved, size_t len);

#endif /* _KTAP_TEXT_H */
