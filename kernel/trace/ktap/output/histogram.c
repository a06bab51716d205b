// SPDX-License-Identifier: GPL-2.0
/*
 * Bar charts: of a table of numbers, largest first, and of the buckets of an
 * aggregation, in their order.
 *
 *            value ----- Distribution ----- count
 *  rcu_utilization |@@@@@                   54960
 *   hrtimer_cancel |@@@                     32739
 *              ... |
 *
 * A bar's length is the share of its entry in the sum of all entries, including those
 * that have no line ("...").  If the scale is logarithmic, it is the number of bits of its
 * entry, compared to that of the largest one.  A divisor for the shown numbers changes
 * neither order nor bars.  Entries that hold no number are left out.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/ktap.h>

#include "data/agg.h"
#include "data/heap.h"
#include "data/table.h"
#include "output/text.h"
#include "vm/vm.h"

static const char distribution[] = "----- Distribution -----";
static const char log_distribution[] = "-- Distribution (log) --";

static_assert(sizeof(log_distribution) == sizeof(distribution));

/* Compared to its header, a bar starts one column later and ends one column earlier. */
#define BAR		((int)sizeof(distribution) - 2)
#define MIN_KEY		10
#define MAX_KEY		48

/**
 * struct histogram_chart - a chart being made
 * @t: destination
 * @line: for the text of a key
 * @rows: keys and numbers
 * @n: number of @rows
 * @shown: number of rows that get a line
 * @log: the scale is logarithmic
 * @whole: the longest possible bar stands for it: the sum of all positive numbers, or
 *	the bits of the largest one
 * @divisor: of the table: shown numbers are divided by it
 * @width: of the column of keys
 */
struct histogram_chart {
	struct ktap_text *t;
	struct ktap_text *line;
	const struct ktap_pair *rows;
	u32 n;
	u32 shown;
	bool log;
	struct ktap_int128 whole;
	s64 divisor;
	int width;
};

/* Write a key to @buf, of MAX_KEY bytes, on one line.  Return its length. */
static int histogram_key_text(struct ktap_text *line, const struct ktap_value *key, char *buf)
{
	size_t i, len;

	seq_buf_clear(line->s);
	ktap_text_value(line, key);
	len = seq_buf_used(line->s);
	memcpy(buf, line->s->buffer, min_t(size_t, len, MAX_KEY));
	if (len > MAX_KEY) {
		len = MAX_KEY;
		memcpy(buf + len - 3, "...", 3);
	}
	/* The frames of a stack are on one line here. */
	for (i = 0; i < len; i++) {
		if (buf[i] == '\n')
			buf[i] = ' ';
	}
	return len;
}

static int histogram_key_width(const struct histogram_chart *c, char *buf)
{
	int width = MIN_KEY;
	u32 i;

	for (i = 0; i < c->shown && !c->t->err; i++) {
		width = max(width, histogram_key_text(c->line, &c->rows[i].key, buf));
		ktap_text_look_around(c->t);
	}
	return width;
}

static struct ktap_int128 histogram_sum_of(const struct histogram_chart *c)
{
	struct ktap_int128 sum = { };
	u32 i;

	for (i = 0; i < c->n; i++) {
		if (c->rows[i].number.hi >= 0)
			sum = ktap_int128_add(sum, c->rows[i].number);
	}
	return sum;
}

static u32 histogram_bits_of(struct ktap_int128 n)
{
	if (n.hi < 0)
		return 0;
	return n.hi ? 64 + fls64(n.hi) : fls64(n.lo);
}

static u32 histogram_most_bits(const struct histogram_chart *c)
{
	u32 i, most = 0;

	for (i = 0; i < c->n; i++)
		most = max(most, histogram_bits_of(c->rows[i].number));
	return most;
}

static struct ktap_int128 histogram_half(struct ktap_int128 x)
{
	return (struct ktap_int128){ .lo = x.lo >> 1 | (u64)x.hi << 63, .hi = x.hi >> 1 };
}

static int histogram_bar_length(struct ktap_int128 n, struct ktap_int128 sum)
{
	if (n.hi < 0)
		return 0;
	while (sum.hi) {
		n = histogram_half(n);
		sum = histogram_half(sum);
	}
	return sum.lo ? mul_u64_u64_div_u64(n.lo, BAR, sum.lo) : 0;
}

/* A number above 0 always has a bar. */
static int histogram_log_bar_length(u32 bits, u32 most)
{
	return bits ? DIV_ROUND_UP(BAR * bits, most) : 0;
}

/* As print(): an object's own divisor precedes that of the table; counts are not divided. */
static s64 histogram_divisor_of(const struct histogram_chart *c, const struct ktap_value *v)
{
	if (v->tag == KTAP_AGG && ktap_agg_shape(ktap_agg_of(v))->kind == KTAP_AGG_COUNT)
		return 0;
	return ktap_divisor_of(v, c->divisor);
}

static void histogram_text_row(const struct histogram_chart *c, const struct ktap_pair *row,
			       char *buf)
{
	int len = histogram_key_text(c->line, &row->key, buf);
	struct ktap_text *t = c->t;
	int bar;

	if (c->log)
		bar = histogram_log_bar_length(histogram_bits_of(row->number), c->whole.lo);
	else
		bar = histogram_bar_length(row->number, c->whole);
	ktap_text_put(t, "\n", 1);
	ktap_text_fill(t, ' ', c->width - len);
	ktap_text_put(t, buf, len);
	ktap_text_put(t, " |", 2);
	ktap_text_fill(t, '@', bar);
	ktap_text_fill(t, ' ', BAR - bar + 1);
	ktap_text_int128(t, row->number, histogram_divisor_of(c, &row->value));
}

static void histogram_text_chart(struct histogram_chart *c)
{
	char buf[MAX_KEY];
	u32 i;

	c->whole = c->log ? ktap_int128(histogram_most_bits(c)) : histogram_sum_of(c);
	c->shown = min(c->shown, c->n);
	c->width = histogram_key_width(c, buf);
	ktap_text_fill(c->t, ' ', c->width - 5);
	ktap_text_printf(c->t, "value %s count", c->log ? log_distribution : distribution);
	for (i = 0; i < c->shown && !c->t->err; i++) {
		histogram_text_row(c, &c->rows[i], buf);
		ktap_text_look_around(c->t);
	}
	if (c->shown < c->n) {
		ktap_text_put(c->t, "\n", 1);
		ktap_text_fill(c->t, ' ', c->width - 3);
		ktap_text_put(c->t, "... |", 5);
	}
}

static void histogram_show(struct histogram_chart *c)
{
	const struct ktap_chart *chart = c->t->chart;
	struct ktap_text line = {
		.s = &(struct seq_buf){ },
		.env = c->t->vm->env,
		.columns = true,
	};
	char *mem = kvmalloc(KTAP_MAX_STRLEN, KTAP_GFP);

	if (!mem) {
		c->t->err = ktap_vm_error(c->t->vm, -ENOMEM, "no memory for output");
		return;
	}
	seq_buf_init(line.s, mem, KTAP_MAX_STRLEN);
	c->line = &line;
	c->shown = chart ? chart->rows : U32_MAX;
	c->log = chart && chart->log;
	histogram_text_chart(c);
	kvfree(mem);
}

void ktap_text_hist(struct ktap_text *t, struct ktap_table *table, s64 divisor)
{
	struct histogram_chart c = { .t = t, .divisor = divisor };
	struct ktap_sorted sorted;

	t->err = ktap_charge_sort(t->vm, table);
	if (t->err)
		return;
	t->err = ktap_table_sort(t->vm, table, KTAP_BY_VALUE, &sorted);
	if (t->err) {
		t->err = ktap_sort_failed(t->vm, t->err);
		return;
	}
	/* Entries with numbers come first. */
	c.rows = sorted.entries;
	while (c.n < sorted.n && sorted.entries[c.n].numeric)
		c.n++;
	histogram_show(&c);
	ktap_sorted_free(&sorted);
}

/* Longest name of a bucket: "< -9223372036854775808". */
#define ROW_NAME	24

/* Names of the first and the last bucket of an lhist(), which are not numbers */
struct end_names {
	char below[ROW_NAME];
	char above[ROW_NAME];
};

static struct ktap_value histogram_row_name(const struct ktap_agg_shape *shape, u32 bucket,
					    struct end_names *names)
{
	if (shape->kind == KTAP_AGG_LHIST && !bucket)
		return KTAP_VALUE_STR(names->below, scnprintf(names->below, ROW_NAME, "< %lld",
							      shape->min));
	if (shape->kind == KTAP_AGG_LHIST && bucket == shape->nbuckets - 1)
		return KTAP_VALUE_STR(names->above, scnprintf(names->above, ROW_NAME, ">= %lld",
							      shape->max));
	return KTAP_VALUE_INT(ktap_agg_row(shape, bucket));
}

/* Make rows from the first bucket that is not empty to the last one. */
static u32 histogram_make_rows(const struct ktap_agg_shape *shape, const u64 *buckets,
			       struct ktap_pair *rows, struct end_names *names)
{
	u32 i, first = 0, end = shape->nbuckets;

	while (first < end && !buckets[first])
		first++;
	while (end > first && !buckets[end - 1])
		end--;
	for (i = first; i < end; i++)
		rows[i - first] = (struct ktap_pair){
			.key = histogram_row_name(shape, i, names),
			.number.lo = buckets[i],
		};
	return end - first;
}

void ktap_text_agg_hist(struct ktap_text *t, const struct ktap_agg *agg)
{
	const struct ktap_agg_shape *shape = ktap_agg_shape(agg);
	struct histogram_chart c = { .t = t };
	struct end_names names;
	struct ktap_pair *rows;
	u64 *buckets;

	rows = kvmalloc_array(shape->nbuckets, sizeof(*rows), KTAP_GFP);
	buckets = kvcalloc(shape->nbuckets, sizeof(*buckets), KTAP_GFP);
	if (!rows || !buckets)
		t->err = ktap_vm_error(t->vm, -ENOMEM, "no memory for output");
	else
		t->err = t->err ?: ktap_agg_read_buckets(t->vm, agg, buckets);
	if (!t->err) {
		c.rows = rows;
		c.n = histogram_make_rows(shape, buckets, rows, &names);
		histogram_show(&c);
	}
	kvfree(rows);
	kvfree(buckets);
}
