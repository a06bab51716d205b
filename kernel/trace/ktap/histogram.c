// SPDX-License-Identifier: GPL-2.0
/*
 * print_hist: a table of numbers as a bar chart, largest first.
 *
 *            value ----- Distribution ----- count
 *  rcu_utilization |@@@@@                   54960
 *   hrtimer_cancel |@@@                     32739
 *              ... |
 *
 * A bar's length is its share of the sum of all entries, also of those behind
 * the "..." line.  Entries that hold no integer are left out.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "record.h"
#include "table.h"

static const char distribution[] = "----- Distribution -----";

/* It starts a column later than its header, and ends a column earlier. */
#define BAR		((int)sizeof(distribution) - 2)
#define MIN_KEY		10
#define MAX_KEY		48

/* Bytes of a key on its line; it is written to @buf, of MAX_KEY bytes. */
static int key_text(struct ktap_text *line, const struct ktap_value *key, char *buf)
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
	/* Frames of a stack stand on one line here. */
	for (i = 0; i < len; i++) {
		if (buf[i] == '\n')
			buf[i] = ' ';
	}
	return len;
}

static int key_width(struct ktap_text *t, struct ktap_text *line,
		     const struct ktap_sorted *sorted, u32 rows, char *buf)
{
	int width = MIN_KEY;
	u32 i;

	for (i = 0; i < rows && !t->err; i++) {
		width = max(width, key_text(line, &sorted->entries[i].key, buf));
		ktap_text_look_around(t);
	}
	return width;
}

/* The sum of the positive numbers; a table can hold more than 64 bits of it. */
static u64 sum_of(const struct ktap_sorted *sorted, u32 n)
{
	u64 sum = 0, value;
	u32 i;

	for (i = 0; i < n; i++) {
		value = max_t(s64, sorted->entries[i].value.i, 0);
		if (check_add_overflow(sum, value, &sum))
			return U64_MAX;
	}
	return sum;
}

static int bar_length(s64 value, u64 sum)
{
	if (value <= 0)
		return 0;
	return mul_u64_u64_div_u64(value, BAR, sum);
}

static void text_row(struct ktap_text *t, struct ktap_text *line, const struct ktap_pair *pair,
		     u64 sum, int width, char *buf)
{
	int len = key_text(line, &pair->key, buf);
	int bar = bar_length(pair->value.i, sum);

	ktap_text_fill(t, ' ', width - len);
	ktap_text_put(t, buf, len);
	ktap_text_put(t, " |", 2);
	ktap_text_fill(t, '@', bar);
	ktap_text_fill(t, ' ', BAR - bar);
	ktap_text_printf(t, " %lld\n", pair->value.i);
}

int ktap_text_hist(struct ktap_text *t, struct ktap_table *table, u32 rows)
{
	struct ktap_text line = { .s = &(struct seq_buf){ } };
	struct ktap_sorted sorted;
	char buf[MAX_KEY], *mem;
	u32 i, n = 0;
	int width;
	u64 sum;

	mem = kvmalloc(KTAP_MAX_STRLEN, GFP_KERNEL_ACCOUNT);
	if (!mem || ktap_table_sort(t->vm->env, table, KTAP_BY_VALUE, &sorted)) {
		kvfree(mem);
		return -ENOMEM;
	}
	seq_buf_init(line.s, mem, KTAP_MAX_STRLEN);

	/* Integers come first. */
	while (n < sorted.n && sorted.entries[n].value.tag == KTAP_INT)
		n++;
	sum = sum_of(&sorted, n);
	rows = min(rows, n);
	width = key_width(t, &line, &sorted, rows, buf);

	ktap_text_fill(t, ' ', width - 5);
	ktap_text_printf(t, "value %s count\n", distribution);
	for (i = 0; i < rows && !t->err; i++) {
		text_row(t, &line, &sorted.entries[i], sum, width, buf);
		ktap_text_look_around(t);
	}
	if (rows < n) {
		ktap_text_fill(t, ' ', width - 3);
		ktap_text_printf(t, "... |\n");
	}
	ktap_sorted_free(&sorted);
	kvfree(mem);
	return t->err;
}
