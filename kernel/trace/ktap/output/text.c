// SPDX-License-Identifier: GPL-2.0
/*
 * Text of values: print, tables, aggregations.
 *
 * The text of a record is cut at the end of the buffer.  In process context the buffer is
 * output whenever it is full, so that a table of any size can be printed.
 *
 * A table is printed sorted by key, one entry a line, "KEY: VALUE"; the parts of a compound
 * key are separated by ", ".  If a value is a table, it follows "KEY:" on lines of its own,
 * indented by two more spaces.  An empty table is "{}".  An aggregation with keys is printed
 * like a table.  Any other aggregation is printed as its number, its totals, or a chart,
 * which begins on the next line.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/string_choices.h>

#include "data/agg.h"
#include "data/object.h"
#include "data/table.h"
#include "data/ustack_file.h"
#include "output/json.h"
#include "output/put.h"
#include "output/text.h"
#include "vm/env.h"
#include "vm/integer.h"
#include "vm/vm.h"

/* Output the text, except the last @rest bytes. */
static void text_flush_before(struct ktap_text *t, size_t rest)
{
	size_t len = seq_buf_used(t->s) - rest;

	if (!len || !t->vm || t->keep)
		return;
	t->middle = t->s->buffer[len - 1] != '\n';
	if (!t->err && t->vm->env->json)
		t->err = ktap_json_put_text(t->vm, t->s->buffer, len);
	else if (!t->err)
		t->err = ktap_put_text(t->vm, KTAP_CH_OUTPUT, t->s->buffer, len);
	memmove(t->s->buffer, t->s->buffer + len, rest);
	t->s->len = rest;
}

void ktap_text_flush(struct ktap_text *t)
{
	text_flush_before(t, 0);
}

void ktap_text_flush_part(struct ktap_text *t)
{
	const struct ktap_env *env = t->vm ? t->vm->env : NULL;
	bool json = env && env->json;

	text_flush_before(t, json ? ktap_json_rest(env, t->s->buffer, seq_buf_used(t->s)) : 0);
}

/* Return memory for up to @len bytes, and their number; 0: the text is cut. */
static noinline size_t text_make_room(struct ktap_text *t, size_t len, char **to)
{
	size_t room = seq_buf_get_buf(t->s, to);

	if (!room && t->vm && !t->hold && !t->keep) {
		ktap_text_flush_part(t);
		room = seq_buf_get_buf(t->s, to);
	}
	if (!room)
		seq_buf_set_overflow(t->s);
	return min(room, len);
}

static noinline void text_put_in_parts(struct ktap_text *t, const char *p, size_t len)
{
	size_t room;
	char *to;

	for (; len; len -= room, p += room) {
		room = text_make_room(t, len, &to);
		if (!room)
			return;
		memcpy(to, p, room);
		seq_buf_commit(t->s, room);
	}
}

void ktap_text_put(struct ktap_text *t, const char *p, size_t len)
{
	struct seq_buf *s = t->s;
	char *to = s->buffer + s->len;

	if (unlikely(s->len > s->size || len > s->size - s->len))
		return text_put_in_parts(t, p, len);
	s->len += len;
	memcpy(to, p, len);
}

void ktap_text_printf(struct ktap_text *t, const char *fmt, ...)
{
	char buf[128];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vscnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	ktap_text_put(t, buf, len);
}

void ktap_text_fill(struct ktap_text *t, char c, int n)
{
	size_t room;
	char *to;

	for (; n > 0; n -= room) {
		room = text_make_room(t, n, &to);
		if (!room)
			return;
		memset(to, c, room);
		seq_buf_commit(t->s, room);
	}
}

void ktap_text_decimal(struct ktap_text *t, s64 i)
{
	char buf[KTAP_INTEGER_TEXT] __uninitialized, *p;
	struct seq_buf *s = t->s;

	if (likely(s->len <= s->size && s->size - s->len >= KTAP_INTEGER_TEXT)) {
		p = s->buffer + s->len;
		s->len += ktap_decimal_append(i, p) - p;
		return;
	}
	ktap_text_put(t, buf, ktap_decimal_append(i, buf) - buf);
}

bool ktap_text_in_middle(const struct ktap_text *t)
{
	size_t len = seq_buf_used(t->s);

	return len ? t->s->buffer[len - 1] != '\n' : t->middle;
}

/* Each frame is on a line of its own. */
static void text_stack(struct ktap_text *t, const struct ktap_value *v)
{
	const unsigned long *frames = ktap_blob_of(v);
	u32 i, n = v->len / sizeof(*frames);
	char symbol[KSYM_SYMBOL_LEN];

	for (i = 0; i < n; i++) {
		if (ktap_text_in_middle(t))
			ktap_text_put(t, "\n", 1);
		sprint_symbol(symbol, frames[i]);
		ktap_text_put(t, "        ", 8);
		ktap_text_put(t, symbol, strlen(symbol));
	}
}

static void text_event(struct ktap_text *t, const struct ktap_value *v)
{
	size_t before = seq_buf_used(t->s), len;

	if (v->blob)
		ktap_event_format(t->s, ktap_argstr_of(v), v->len);
	len = seq_buf_used(t->s);
	/* Some events have no text. */
	if (len > before && t->s->buffer[len - 1] == '\n' && !seq_buf_has_overflowed(t->s))
		seq_buf_pop(t->s);
}

static void text_tuple(struct ktap_text *t, const struct ktap_value *v)
{
	struct ktap_value part;
	size_t pos = 0;

	while (ktap_tuple_next(v, &pos, &part)) {
		ktap_text_value(t, &part);
		if (pos < v->len)
			ktap_text_put(t, ", ", 2);
	}
}

static void text_array(struct ktap_text *t, const struct ktap_value *v)
{
	const s64 *ints = ktap_blob_of(v);
	u32 i, n = v->len / sizeof(*ints);

	ktap_text_put(t, "{", 1);
	for (i = 0; i < n; i++) {
		if (i)
			ktap_text_put(t, ", ", 2);
		ktap_text_decimal(t, ints[i]);
	}
	ktap_text_put(t, "}", 1);
}

static void text_function(struct ktap_text *t, const struct ktap_value *v)
{
	const char *name = t->vm ? ktap_func_of(t->vm->env->prog, v)->name : "";

	ktap_text_put(t, "function ", 9);
	ktap_text_put(t, name, strlen(name));
}

/* Values on one line, so no tables */
static void text_flat(struct ktap_text *t, const struct ktap_value *v)
{
	switch (v->tag) {
	case KTAP_NIL:
		return ktap_text_put(t, "nil", 3);
	case KTAP_BOOL:
		return ktap_text_put(t, str_true_false(v->i), strlen(str_true_false(v->i)));
	case KTAP_INT:
		return ktap_text_decimal(t, v->i);
	case KTAP_PTR:
		return ktap_text_printf(t, "0x%llx", v->u);
	case KTAP_FUNC:
		return text_function(t, v);
	case KTAP_EVENT:
	case KTAP_ARGSTR:
		return text_event(t, v);
	case KTAP_STR:
		return ktap_text_put(t, ktap_blob_of(v), v->len);
	case KTAP_TUPLE:
		return text_tuple(t, v);
	case KTAP_KSTACK:
		return text_stack(t, v);
	case KTAP_ARRAY:
		return text_array(t, v);
	case KTAP_USTACK:
		return ktap_text_ustack(t, v);
	case KTAP_USYM:
		return ktap_text_usym(t, v);
	}
}

void ktap_text_look_around(struct ktap_text *t)
{
	cond_resched();
	if (!t->err && t->vm->abort && READ_ONCE(*t->vm->abort))
		t->err = ktap_vm_error(t->vm, -EINTR, "the session ends");
}

void ktap_text_int128(struct ktap_text *t, struct ktap_int128 x, s64 divisor)
{
	char buf[KTAP_WIDE_TEXT], *p;

	if (divisor > 1)
		x = ktap_int128_div(x, divisor);
	p = ktap_int128_text(x, buf);
	ktap_text_put(t, p, strlen(p));
}

static void text_total(struct ktap_text *t, const char *name, struct ktap_int128 x, s64 divisor)
{
	ktap_text_put(t, name, strlen(name));
	ktap_text_int128(t, x, divisor);
}

static void text_stats(struct ktap_text *t, const struct ktap_agg *agg, s64 divisor)
{
	struct ktap_total total;

	ktap_agg_read(t->vm->env, agg, &total);
	ktap_text_printf(t, "count %llu", total.count);
	if (!total.count)
		return;
	text_total(t, ", sum ", total.sum, divisor);
	text_total(t, ", min ", ktap_int128(total.min), divisor);
	text_total(t, ", max ", ktap_int128(total.max), divisor);
	text_total(t, ", avg ", ktap_int128_div(total.sum, total.count), divisor);
}

static void text_count(struct ktap_text *t, const struct ktap_agg *agg)
{
	struct ktap_total total;

	if (t->number)
		total.count = t->number->lo;
	else
		ktap_agg_read(t->vm->env, agg, &total);
	ktap_text_printf(t, "%llu", total.count);
}

/* Return the table with the entries of a value; NULL if it has none. */
static struct ktap_table *text_entries_of(const struct ktap_value *v)
{
	struct ktap_table *t = ktap_value_table(v);

	return t && ktap_table_len(t) ? t : NULL;
}

static bool text_is_chart(const struct ktap_value *v)
{
	return v->tag == KTAP_AGG && ktap_agg_shape(ktap_agg_of(v))->nbuckets &&
	       !text_entries_of(v);
}

/* Sorting entries and making charts allocates memory. */
static bool text_may_sleep(const struct ktap_text *t)
{
	return t->vm && t->vm->level == KTAP_LEVEL_PROCESS;
}

/* Values without entries */
static void text_leaf(struct ktap_text *t, const struct ktap_value *v, s64 divisor)
{
	if (v->tag == KTAP_TABLE)
		return ktap_text_put(t, "{}", 2);
	if (v->tag == KTAP_INT && divisor > 1)
		return ktap_text_int128(t, ktap_int128(v->i), divisor);
	if (v->tag != KTAP_AGG)
		return text_flat(t, v);
	if (!text_may_sleep(t))
		return ktap_text_put(t, "{...}", 5);
	if (text_is_chart(v))
		return ktap_text_agg_hist(t, ktap_agg_of(v));
	if (ktap_agg_shape(ktap_agg_of(v))->kind == KTAP_AGG_COUNT)
		text_count(t, ktap_agg_of(v));
	else
		text_stats(t, ktap_agg_of(v), divisor);
}

/**
 * struct text_shown - a value with entries that is being printed
 * @outer: the value that contains it
 * @object: its object
 * @sorted: its entries
 * @next: index of the next entry
 * @depth: indentation of each entry, in pairs of spaces
 * @divisor: of its numbers
 *
 * It is allocated, and not on the kernel's stack: only memory limits the depth of tables
 * in tables.
 */
struct text_shown {
	struct text_shown *outer;
	const struct ktap_object *object;
	struct ktap_sorted sorted;
	u32 next;
	u32 depth;
	s64 divisor;
};

/* An object that contains itself would be printed without end. */
static bool text_is_around(const struct ktap_object *object, const struct text_shown *outer)
{
	for (; outer; outer = outer->outer) {
		if (outer->object == object)
			return true;
	}
	return false;
}

s64 ktap_divisor_of(const struct ktap_value *v, s64 outer)
{
	s64 own = ktap_is_object(v) ? READ_ONCE(ktap_object_of(v)->divisor) : 0;

	return own ?: outer;
}

/* If the value cannot be shown, print "{...}" and return NULL. */
static struct text_shown *text_begin_entries(struct ktap_text *t, const struct ktap_value *v,
					     struct text_shown *outer, u32 depth, s64 divisor)
{
	struct ktap_table *table = ktap_value_table(v);
	struct text_shown *s = NULL;
	int err;

	if (text_may_sleep(t) && !text_is_around(v->object, outer)) {
		t->err = t->err ?: ktap_charge_sort(t->vm, table);
		s = t->err ? NULL : kvmalloc(sizeof(*s), KTAP_GFP);
	}
	err = s ? ktap_table_sort(t->vm, table, KTAP_BY_KEY, &s->sorted) : -ENOMEM;
	if (err) {
		/* Continue without memory; -EINTR means that the session is ending. */
		if (err == -EINTR)
			t->err = err;
		kvfree(s);
		ktap_text_put(t, "{...}", 5);
		return NULL;
	}
	s->outer = outer;
	s->object = v->object;
	s->next = 0;
	s->depth = depth;
	s->divisor = divisor;
	if (!s->sorted.n)
		ktap_text_put(t, "{}", 2);
	return s;
}

static struct text_shown *text_end_entries(struct ktap_text *t, struct text_shown *s)
{
	struct text_shown *outer = s->outer;

	if (s->sorted.dropped)
		ktap_text_printf(t, "\n(%u more changed meanwhile)", s->sorted.dropped);
	ktap_sorted_free(&s->sorted);
	kvfree(s);
	return outer;
}

/* Print the value after a colon.  If it has entries, return these, to be printed next. */
static struct text_shown *text_after_colon(struct ktap_text *t, const struct ktap_value *v,
					   struct text_shown *outer, u32 depth, s64 divisor)
{
	bool entries = text_entries_of(v);
	bool lines = entries ? !text_is_around(v->object, outer) : text_is_chart(v);

	divisor = ktap_divisor_of(v, divisor);
	ktap_text_put(t, lines ? "\n" : " ", 1);
	if (entries)
		return text_begin_entries(t, v, outer, depth, divisor);
	text_leaf(t, v, divisor);
	return NULL;
}

/* Print no newline after the last entry: print() adds it. */
static void text_entries(struct ktap_text *t, struct text_shown *s)
{
	const struct ktap_pair *pair;
	struct text_shown *inner;

	while (s) {
		if (s->next == s->sorted.n || t->err) {
			s = text_end_entries(t, s);
			continue;
		}
		pair = &s->sorted.entries[s->next];
		if (s->next++)
			ktap_text_put(t, "\n", 1);
		ktap_text_fill(t, ' ', 2 * s->depth);
		text_flat(t, &pair->key);
		ktap_text_put(t, ":", 1);
		inner = text_after_colon(t, &pair->value, s, s->depth + 1, s->divisor);
		ktap_text_look_around(t);
		s = inner ?: s;
	}
}

void ktap_text_divided(struct ktap_text *t, const struct ktap_value *v, s64 divisor)
{
	divisor = ktap_divisor_of(v, divisor);
	if (text_entries_of(v))
		text_entries(t, text_begin_entries(t, v, NULL, 0, divisor));
	else
		text_leaf(t, v, divisor);
}

void ktap_text_value(struct ktap_text *t, const struct ktap_value *v)
{
	ktap_text_divided(t, v, 0);
}

void ktap_text_print(struct ktap_text *t, const struct ktap_value *args, unsigned int nargs)
{
	unsigned int i;

	for (i = 0; i < nargs; i++) {
		if (i)
			ktap_text_put(t, "\t", 1);
		ktap_text_value(t, &args[i]);
	}
	ktap_text_put(t, "\n", 1);
}

void ktap_text_variable(struct ktap_text *t, const char *name, const struct ktap_value *v)
{
	ktap_text_put(t, name, strlen(name));
	ktap_text_put(t, ":", 1);
	text_entries(t, text_after_colon(t, v, NULL, 1, 0));
	ktap_text_put(t, "\n", 1);
}
