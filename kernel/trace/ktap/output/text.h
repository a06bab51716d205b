/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How text is made of values.
 */
#ifndef _KTAP_TEXT_H
#define _KTAP_TEXT_H

#include <linux/seq_buf.h>

#include "data/int128.h"
#include "vm/vm.h"

/* Widest column, highest precision of a printf. */
#define KTAP_MAX_WIDTH		512

/**
 * struct ktap_chart - how charts are drawn
 * @rows: how many are shown at most
 * @log: a bar is as long as the number has bits, not a share of the sum
 */
struct ktap_chart {
	u32 rows;
	bool log;
};

/**
 * struct ktap_text - text being made
 * @s: where it goes
 * @vm: if set, an activation of KTAP_LEVEL_PROCESS: @s is given to
 *	ktap_out_text() whenever it is full.  Else the text is cut
 * @env: without @vm: of the session, for the files of user stacks; may be NULL
 * @keep: it is a value: nothing is given away, and @vm may be of any level
 * @hold: it must not be given away now: its start is still to be moved
 * @middle: the last byte given away was no newline
 * @columns: it is to take as much room as it has bytes: no marks in it
 * @chart: how aggregations are shown; NULL: all rows, and bars are shares
 * @divisor: printf divides the numbers in an object by it; 0: by 1
 * @err: what ktap_out_text() returned
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
	int err;
};

/* Bytes of &ktap_text.s with &ktap_text.vm set. */
#define KTAP_TEXT_BUFFER	8192

void ktap_text_put(struct ktap_text *t, const char *p, size_t len);
__printf(2, 3) void ktap_text_printf(struct ktap_text *t, const char *fmt, ...);
void ktap_text_fill(struct ktap_text *t, char c, int n);
void ktap_text_flush(struct ktap_text *t);
/* Tables are large, and somebody may want the session to end: then @err is set. */
void ktap_text_look_around(struct ktap_text *t);

/* It is full, and not given away: what comes is lost. */
static inline bool ktap_text_is_cut(const struct ktap_text *t)
{
	return t->keep && seq_buf_has_overflowed(t->s);
}

/* Is the text in the middle of a line? */
bool ktap_text_in_middle(const struct ktap_text *t);

/* A value as print shows it; and if its numbers are divided by @divisor (0: by 1). */
void ktap_text_value(struct ktap_text *t, const struct ktap_value *v);
void ktap_text_divided(struct ktap_text *t, const struct ktap_value *v, s64 divisor);
/* What the numbers in a value are divided by, if those around it are by @outer. */
s64 ktap_divisor_of(const struct ktap_value *v, s64 outer);
/* An integer, divided. */
void ktap_text_int128(struct ktap_text *t, struct ktap_int128 x, s64 divisor);

/*
 * The whole of a print, a printf, and a variable.  ARGSTR and EVENT need the
 * bytes that &ktap_event_ops.save wrote as their blob.
 */
void ktap_text_print(struct ktap_text *t, const struct ktap_value *args, unsigned int nargs);
void ktap_text_printf_args(struct ktap_text *t, const struct ktap_value *args, unsigned int nargs);
void ktap_text_variable(struct ktap_text *t, const char *name, const struct ktap_value *v);

/*
 * histogram.c: charts, without a newline at the end; @t has its vm.  Of the
 * entries of a table, and of the buckets of an aggregation.
 */
void ktap_text_hist(struct ktap_text *t, struct ktap_table *table, s64 divisor);
void ktap_text_agg_hist(struct ktap_text *t, const struct ktap_agg *agg);

/**
 * ktap_check_format() - Judges the arguments of a printf
 * @vm: the activation; gets the error, which names the directive
 * @name: of the built-in, for the error
 * @args: the format and its arguments
 * @nargs: number of them, the format included
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int ktap_check_format(struct ktap_vm *vm, const char *name, const struct ktap_value *args,
		      unsigned int nargs);

/* Given by the event sources: text of what &ktap_event_ops.save wrote. */
void ktap_event_format(struct seq_buf *s, const void *saved, size_t len);

#endif /* _KTAP_TEXT_H */
