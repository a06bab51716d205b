// SPDX-License-Identifier: GPL-2.0
/*
 * Output as JSON in process context: print, print_hist, and the globals at the end.
 *
 * A line that shows a table has the number of that table; each entry follows on a line of its
 * own, with this number and its key.  So no line is long, and a table can have any number of
 * entries.  Tables in tables have no number: their entries have the keys of all tables.
 *
 * A line is made in memory and output at once: no record of a handler is in the middle of it.
 * If the memory is too small, the line is made again in twice as much.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "data/agg.h"
#include "data/object.h"
#include "data/table.h"
#include "output/json.h"
#include "output/put.h"
#include "output/text.h"
#include "vm/env.h"
#include "vm/vm.h"

/* Maximum length of a line */
#define JSON_MAX_LINE		1048576
/* Tables in tables are shown down to this depth. */
#define JSON_MAX_DEPTH		32

/**
 * struct json_level - a table whose entries are being output
 * @object: its object
 * @sorted: its entries
 * @next: index of the next entry
 * @divisor: of its numbers
 */
struct json_level {
	const struct ktap_object *object;
	struct ktap_sorted sorted;
	u32 next;
	s64 divisor;
};

/**
 * struct json_walk - the entries of a table, and of the tables in it
 * @name: of the global variable; NULL if it is none
 * @number: of the table
 * @order: of the entries of the outermost table
 * @depth: number of @level that are used
 * @level: the tables, the outermost one first
 */
struct json_walk {
	const char *name;
	u32 number;
	enum ktap_order order;
	u32 depth;
	struct json_level level[JSON_MAX_DEPTH];
};

/**
 * struct json_line - what is on a line
 * @ts: its time
 * @type: the type of its object
 * @name: of a global variable; NULL if it is none
 * @text: a text; NULL: @values
 * @len: bytes of @text
 * @values: the values, or the value of an entry
 * @n: number of @values
 * @tables: those of @values whose entries follow, a bit mask; they may change meanwhile
 * @walk: the keys of an entry; NULL if it is none
 * @left_out: number of entries that are not shown; 0: none
 */
struct json_line {
	u64 ts;
	const char *type;
	const char *name;
	const char *text;
	size_t len;
	const struct ktap_value *values;
	unsigned int n;
	u32 tables;
	const struct json_walk *walk;
	u32 left_out;
};

static void json_print_entry(struct ktap_json *j, const struct json_walk *walk)
{
	const struct json_level *level;
	u32 i;

	ktap_json_number(j, "table", walk->number);
	if (walk->name) {
		ktap_json_name(j, "name");
		ktap_json_string(j, walk->name, strlen(walk->name));
	}
	ktap_json_name(j, "key");
	ktap_json_put(j, "[");
	for (i = 0; i < walk->depth; i++) {
		level = &walk->level[i];
		ktap_json_key(j, &level->sorted.entries[level->next - 1].key, !i);
	}
	ktap_json_put(j, "]");
}

static bool json_print_is_around(const struct json_walk *walk, const struct ktap_value *v)
{
	u32 i;

	for (i = 0; i < walk->depth; i++) {
		if (walk->level[i].object == v->object)
			return true;
	}
	return false;
}

static bool json_print_has_entries(const struct ktap_value *v)
{
	struct ktap_table *t = ktap_value_table(v);

	return t && ktap_table_len(t);
}

/* The value of an entry; tables with entries have lines of their own, unless that is omitted. */
static void json_print_entry_value(struct ktap_json *j, const struct json_walk *walk,
				   const struct ktap_value *v)
{
	ktap_json_name(j, "value");
	if (json_print_has_entries(v))
		ktap_json_omitted(j);
	else
		ktap_json_value(j, v, ktap_divisor_of(v, walk->level[walk->depth - 1].divisor));
}

/* Put value @i; or, if its entries follow, the next number of a table after *@number. */
static void json_print_value(struct ktap_json *j, const struct json_line *line, unsigned int i,
			     u32 *number)
{
	if (!(line->tables & BIT(i)))
		return ktap_json_value(j, &line->values[i], ktap_divisor_of(&line->values[i], 0));
	ktap_json_put(j, "{\"table\":");
	ktap_json_unsigned(j, ++*number);
	ktap_json_put(j, "}");
}

static void json_print_values(struct ktap_json *j, const struct json_line *line)
{
	u32 number = j->env->tables_shown;
	unsigned int i;

	ktap_json_name(j, "values");
	ktap_json_put(j, "[");
	for (i = 0; i < line->n; i++) {
		if (i)
			ktap_json_put(j, ",");
		json_print_value(j, line, i, &number);
	}
	ktap_json_put(j, "]");
}

static void json_print_make(struct ktap_json *j, const struct json_line *line)
{
	static const char left_out[] = "entries changed meanwhile and are not shown";
	u32 number = j->env->tables_shown;

	ktap_json_begin(j, line->ts, line->type);
	if (line->left_out) {
		ktap_json_number(j, "count", line->left_out);
		ktap_json_number(j, "table", line->walk->number);
		ktap_json_text(j, left_out, strlen(left_out), false);
	} else if (line->walk) {
		json_print_entry(j, line->walk);
		json_print_entry_value(j, line->walk, line->values);
	} else if (line->text) {
		ktap_json_text(j, line->text, line->len, false);
	} else if (line->name) {
		ktap_json_name(j, "name");
		ktap_json_string(j, line->name, strlen(line->name));
		ktap_json_name(j, "value");
		json_print_value(j, line, 0, &number);
	} else {
		json_print_values(j, line);
	}
	ktap_json_end(j);
}

/* Make a line in memory of @size bytes and output it; -EFBIG if it is longer. */
static int json_print_try(struct ktap_vm *vm, const struct json_line *line, size_t size)
{
	char *mem = kvmalloc(size + KTAP_TEXT_BUFFER, KTAP_GFP);
	struct seq_buf s, plain;
	struct ktap_json j = { .s = &s, .plain = &plain, .env = vm->env, .vm = vm };
	int err = -EFBIG;

	if (!mem)
		return ktap_vm_error(vm, -ENOMEM, "no memory for output");
	seq_buf_init(&s, mem, size);
	seq_buf_init(&plain, mem + size, KTAP_TEXT_BUFFER);
	json_print_make(&j, line);
	if (j.err)
		err = j.err;
	else if (!seq_buf_has_overflowed(&s))
		err = ktap_put_text(vm, KTAP_CH_OUTPUT, mem, seq_buf_used(&s));
	kvfree(mem);
	return err;
}

static int json_print_line(struct ktap_vm *vm, const struct json_line *line)
{
	size_t size = KTAP_TEXT_BUFFER;
	int err;

	do {
		err = json_print_try(vm, line, size);
		size *= 2;
	} while (err == -EFBIG && size <= JSON_MAX_LINE);
	if (err != -EFBIG)
		return err;
	atomic_long_inc(&vm->env->counters.cut_strings);
	return 0;
}

/* Begin to output the entries of a value; 0 if they cannot be shown. */
static int json_print_begin(struct ktap_vm *vm, struct json_walk *walk, const struct ktap_value *v,
			    s64 divisor)
{
	struct ktap_table *table = ktap_value_table(v);
	enum ktap_order order = walk->depth ? KTAP_BY_KEY : walk->order;
	struct json_level *level;
	int err;

	if (walk->depth == JSON_MAX_DEPTH || json_print_is_around(walk, v))
		return 0;
	err = ktap_charge_sort(vm, table);
	if (err)
		return err;
	level = &walk->level[walk->depth];
	err = ktap_table_sort(vm, table, order, &level->sorted);
	if (err && walk->depth)
		return err == -EINTR ? err : 0;
	if (err)
		return ktap_sort_failed(vm, err);
	level->object = v->object;
	level->next = 0;
	level->divisor = ktap_divisor_of(v, divisor);
	walk->depth++;
	return 1;
}

static int json_print_end(struct ktap_vm *vm, struct json_walk *walk, u64 ts)
{
	struct ktap_sorted *sorted = &walk->level[walk->depth - 1].sorted;
	struct json_line line = {
		.ts = ts,
		.type = "loss",
		.walk = walk,
		.left_out = sorted->dropped,
	};
	int err = line.left_out ? json_print_line(vm, &line) : 0;

	ktap_sorted_free(sorted);
	walk->depth--;
	return err;
}

/* Output the next entry, or begin to output those of the table in it. */
static int json_print_next(struct ktap_vm *vm, struct json_walk *walk, u64 ts)
{
	struct json_level *level = &walk->level[walk->depth - 1];
	const struct ktap_pair *pair = &level->sorted.entries[level->next++];
	struct json_line line = {
		.ts = ts,
		.type = "entry",
		.values = &pair->value,
		.walk = walk,
	};
	int ret = 0;

	cond_resched();
	if (vm->abort && READ_ONCE(*vm->abort))
		return ktap_vm_error(vm, -EINTR, "the session ends");
	if (json_print_has_entries(&pair->value))
		ret = json_print_begin(vm, walk, &pair->value, level->divisor);
	return ret ? min(ret, 0) : json_print_line(vm, &line);
}

/* Output the entries of a value, if it has some. */
static int json_print_entries(struct ktap_vm *vm, struct json_walk *walk,
			      const struct ktap_value *v, u64 ts)
{
	int ret = json_print_begin(vm, walk, v, 0);

	while (ret >= 0 && walk->depth) {
		if (walk->level[walk->depth - 1].next < walk->level[walk->depth - 1].sorted.n)
			ret = json_print_next(vm, walk, ts);
		else
			ret = json_print_end(vm, walk, ts);
	}
	while (walk->depth)
		ktap_sorted_free(&walk->level[--walk->depth].sorted);
	return min(ret, 0);
}

/* Output a line, and then the entries of the tables that it shows. */
static int json_print_all(struct ktap_vm *vm, struct json_line *line, enum ktap_order order)
{
	struct json_walk *walk;
	unsigned int i;
	int err;

	for (i = 0; i < line->n; i++) {
		if (json_print_has_entries(&line->values[i]))
			line->tables |= BIT(i);
	}
	err = json_print_line(vm, line);
	if (err || !line->tables)
		return err;
	walk = kvcalloc(1, sizeof(*walk), KTAP_GFP);
	if (!walk)
		return ktap_vm_error(vm, -ENOMEM, "no memory for output");
	walk->name = line->name;
	walk->order = order;
	for (i = 0; i < line->n && !err; i++) {
		if (!(line->tables & BIT(i)))
			continue;
		walk->number = ++vm->env->tables_shown;
		err = json_print_entries(vm, walk, &line->values[i], line->ts);
	}
	kvfree(walk);
	return err;
}

static_assert(KTAP_MAX_ARGS <= 32);

int ktap_json_put_text(struct ktap_vm *vm, const char *text, size_t len)
{
	const struct json_line line = {
		.ts = ktime_get_mono_fast_ns(),
		.type = "text",
		.text = text,
		.len = len,
	};

	return json_print_line(vm, &line);
}

int ktap_json_print(struct ktap_vm *vm, const struct ktap_value *v, unsigned int n)
{
	struct json_line line = {
		.ts = ktime_get_mono_fast_ns(),
		.type = "print",
		.values = v,
		.n = n,
	};

	return json_print_all(vm, &line, KTAP_BY_KEY);
}

int ktap_json_print_hist(struct ktap_vm *vm, const struct ktap_value *v)
{
	struct json_line line = {
		.ts = ktime_get_mono_fast_ns(),
		.type = "print_hist",
		.values = v,
		.n = 1,
	};

	return json_print_all(vm, &line, KTAP_BY_VALUE);
}

int ktap_json_print_variable(struct ktap_vm *vm, const char *name, const struct ktap_value *v)
{
	struct json_line line = {
		.ts = ktime_get_mono_fast_ns(),
		.type = "variable",
		.name = name,
		.values = v,
		.n = 1,
	};

	return json_print_all(vm, &line, KTAP_BY_KEY);
}
