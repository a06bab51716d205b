// SPDX-License-Identifier: GPL-2.0
/* Print maps as bpftrace does: generated functions, and what they need. */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

enum {
	HELPER_VALUES = 1 << 0,
	HELPER_AVERAGES = 1 << 1,
	HELPER_COUNTS = 1 << 2,
	HELPER_ROWS = 1 << 3,
	HELPER_POWERS = 1 << 4,
	HELPER_STEPS = 1 << 5,
};

/*
 * The rows of a distribution are found by the values at their ends: the quantile
 * i/n is in the row of the i-th of n values.
 */
static const struct {
	unsigned int bit;
	const char *text;
} bt_helpers[] = {
	{ HELPER_VALUES, "function bt_less(a, b) { return a < b }\n" },
	{ HELPER_AVERAGES, "function bt_less_average(a, b) { return avg(a) < avg(b) }\n" },
	{ HELPER_COUNTS, "function bt_less_count(a, b) { return count(a) < count(b) }\n" },
	{ HELPER_POWERS,
	  "function bt_power_row(value) {\n"
	  "\tif (value < 2) {\n\t\treturn value < 0 ? 0 : value + 1\n\t}\n"
	  "\tvar row = 2\n"
	  "\twhile (value > 1) {\n\t\tvalue >>= 1\n\t\trow++\n\t}\n"
	  "\treturn row\n"
	  "}\n\n"
	  "function bt_power(n) {\n"
	  "\tvar unit = min(n / 10, 4)\n"
	  "\treturn (1 << n - 10 * unit) .. substr(\"KMGT\", unit - 1, unit ? 1 : 0)\n"
	  "}\n\n"
	  "function bt_power_label(row) {\n"
	  "\tif (row < 3) {\n\t\treturn row ? \"[\" .. row - 1 .. \"]\" : \"(..., 0)\"\n\t}\n"
	  "\treturn \"[\" .. bt_power(row - 2) .. \", \" .. bt_power(row - 1) .. \")\"\n"
	  "}\n" },
	{ HELPER_STEPS,
	  "function bt_step_row(value, low, high, step) {\n"
	  "\treturn value < low ? 0 : (min(value, high) - low) / step + 1\n"
	  "}\n\n"
	  "function bt_size(n) {\n"
	  "\tif (!n || n % 1024) {\n\t\treturn tostring(n)\n\t}\n"
	  "\treturn n % 1048576 ? n / 1024 .. \"K\" : n / 1048576 .. \"M\"\n"
	  "}\n\n"
	  "function bt_step_label(row, low, high, step) {\n"
	  "\tvar from = low + (row - 1) * step\n"
	  "\tif (!row) {\n\t\treturn \"(..., \" .. bt_size(low) .. \")\"\n\t}\n"
	  "\tif (from >= high) {\n\t\treturn \"[\" .. bt_size(high) .. \", ...)\"\n\t}\n"
	  "\treturn \"[\" .. bt_size(from) .. \", \" .. bt_size(from + step) .. \")\"\n"
	  "}\n" },
	{ HELPER_ROWS,
	  "function bt_rows(h, row_of, label, divisor, low, high, step) {\n"
	  "\tvar rows, n, i, most, first, last = {}, count(h), 1, 0\n"
	  "\twhile (i <= n) {\n"
	  "\t\tvar row, from, to = row_of(quantile(h, i, n), low, high, step), i, n\n"
	  "\t\twhile (from < to) {\n"
	  "\t\t\tvar middle = (from + to + 1) / 2\n"
	  "\t\t\tif (row_of(quantile(h, middle, n), low, high, step) == row) {\n"
	  "\t\t\t\tfrom = middle\n"
	  "\t\t\t} else {\n"
	  "\t\t\t\tto = middle - 1\n"
	  "\t\t\t}\n"
	  "\t\t}\n"
	  "\t\trows[row] = from - i + 1\n"
	  "\t\tmost = max(most, rows[row])\n"
	  "\t\tfirst = first == nil ? row : first\n"
	  "\t\tlast = row\n"
	  "\t\ti = from + 1\n"
	  "\t}\n"
	  "\tvar bar = \"@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\"\n"
	  "\tfor (row = first || 0, n ? last : -1) {\n"
	  "\t\tprintf(\"%-16s%8d |%-52s|\\n\", label(row, low, high, step), rows[row] / divisor,\n"
	  "\t\t\tsubstr(bar, 0, rows[row] * 52 / max(most, 1)))\n"
	  "\t}\n"
	  "\tprint()\n"
	  "}\n" },
};

/* Is the distribution shown as bpftrace does it?  hist(v, bits) is not. */
static bool bt_has_rows(const struct bt_map *map)
{
	return map->kind == BM_LHIST || (map->kind == BM_HIST && !map->shape);
}

static const char *bt_shown_format(const struct bt_map *map)
{
	if (map->kind == BM_STATS)
		return "{ .count = %d, .average = %d, .total = %d }";
	if (map->items)
		return map->items == 2 ? "(%s, %s)" : "(%s, %s, %s)";
	return map->kind || map->type == BT_INTEGER ? "%d" : "%s";
}

/* The arguments of that format: what is shown of the value @of. */
static const char *bt_shown(struct bt_script *s, const struct bt_map *map, const char *of,
			    const char *divided)
{
	struct pool *pool = &s->cc->pool;

	switch (map->kind) {
	case BM_STATS:
		return pool_printf(pool, "count(%s), avg(%s), sum(%s)", of, of, of);
	case BM_AVG:
		return pool_printf(pool, "avg(%s)%s", of, divided);
	case BM_MIN:
		return pool_printf(pool, "min(%s)%s", of, divided);
	case BM_MAX:
		return pool_printf(pool, "max(%s)%s", of, divided);
	default:
		if (map->items)
			return pool_printf(pool, map->items == 2 ? "%s[1], %s[2]" :
					   "%s[1], %s[2], %s[3]", of, of, of);
		return pool_printf(pool, "%s%s", of, map->type == BT_INTEGER ? divided : "");
	}
}

/* Write the call that shows a distribution. */
static void bt_put_rows(struct bt_script *s, struct pos pos, const struct bt_map *map,
			const char *of, const char *divisor)
{
	const struct bt_node *shape = map->shape;

	if (!bt_has_rows(map)) {
		bt_put(s, pos, "print(%s)", of);
		return;
	}
	s->helpers |= HELPER_ROWS | (map->kind == BM_HIST ? HELPER_POWERS : HELPER_STEPS);
	if (map->kind == BM_HIST) {
		bt_put(s, pos, "bt_rows(%s, bt_power_row, bt_power_label, %s, 0, 0, 0)", of,
		       divisor);
		return;
	}
	bt_put(s, pos, "bt_rows(%s, bt_step_row, bt_step_label, %s, ", of, divisor);
	bt_values(s, shape, false);
	bt_put(s, pos, ")");
}

/* Write statements that show one value: "@name[%s]: ..." */
static void bt_put_shown(struct bt_script *s, struct pos pos, const struct bt_map *map,
			 const char *of, bool key, bool limited)
{
	const char *label = pool_printf(&s->cc->pool, key ? "@%s[%%s]:" : "@%s:", map->name);

	if (map->kind < BM_HIST) {
		bt_put(s, pos, "printf(\"%s %s\\n\", %s%s)", label, bt_shown_format(map),
		       key ? "key, " : "", bt_shown(s, map, of, limited ? " / divisor" : ""));
		return;
	}
	bt_put(s, pos, "printf(\"%s\\n\"%s)", label, key ? ", key" : "");
	bt_line(s);
	bt_put_rows(s, pos, map, of, limited ? "divisor" : "1");
}

/* The function that shows a map with keys, the smallest value first. */
static void bt_put_function(struct bt_script *s, const struct bt_map *map)
{
	const char *less = map->kind >= BM_HIST ? "bt_less_count" :
			   map->kind >= BM_AVG ? "bt_less_average" : "bt_less";
	bool sorted = map->kind || map->type == BT_INTEGER || map->type == BT_STRING;

	s->helpers |= !sorted ? 0 : map->kind >= BM_HIST ? HELPER_COUNTS :
		      map->kind >= BM_AVG ? HELPER_AVERAGES : HELPER_VALUES;
	bt_put(s, map->pos, "function bt_print_%s(%s) {", map->ours,
	       map->limited ? "top, divisor" : "");
	s->indent = 1;
	if (map->limited) {
		bt_line(s);
		bt_put(s, map->pos, "var skip = top ? len(%s) - top : 0", map->ours);
	}
	bt_line(s);
	if (sorted)
		bt_put(s, map->pos, "for (key, value in sort_pairs(%s, %s)) {", map->ours, less);
	else
		bt_put(s, map->pos, "for (key, value in %s) {", map->ours);
	s->indent = 2;
	if (map->limited) {
		bt_line(s);
		bt_put(s, map->pos, "if (skip > 0) { skip--; continue }");
	}
	bt_line(s);
	bt_put_shown(s, map->pos, map, "value", true, map->limited);
	s->indent = 1;
	bt_line(s);
	bt_put(s, map->pos, "}");
	s->indent = 0;
	bt_line(s);
	bt_put(s, map->pos, "}\n");
}

static void bt_print_map(struct bt_script *s, const struct bt_node *n, const struct bt_map *map)
{
	const struct bt_node *top = n->a->next, *divisor = top ? top->next : NULL;

	if (map->keys <= 0) {
		if (top)
			bt_error(s, top->pos, NULL, "@%s has no keys: print(@%s)", map->name,
				 map->name);
		bt_put_shown(s, n->pos, map, map->ours, false, false);
	} else if (s->place == BT_IN_PROCESS) {
		bt_put(s, n->pos, "bt_print_%s(", map->ours);
		if (map->limited) {
			bt_put(s, n->pos, top ? "" : "0");
			bt_values(s, top, false);
			bt_put(s, n->pos, divisor ? "" : ", 1");
		}
		bt_put(s, n->pos, ")");
	} else if (map->kind >= BM_HIST || top) {
		bt_error(s, n->pos, "put it into interval:s:1, BEGIN or END",
			 "a handler of an event may not sort, nor print distributions");
	} else {
		bt_put(s, n->pos, "for (key, value in %s) { ", map->ours);
		bt_put_shown(s, n->pos, map, "value", true, false);
		bt_put(s, n->pos, " }");
	}
}

/* print(@map[key]) */
static void bt_print_entry(struct bt_script *s, const struct bt_node *n, const struct bt_map *map)
{
	const struct bt_node *key = n->a->a;

	if (map->kind >= BM_STATS || map->items) {
		bt_error(s, n->pos, "print(@NAME)",
			 "stats, distributions and tuples are printed with the whole map");
		return;
	}
	bt_put(s, n->pos, "printf(\"@%s[", map->name);
	for (const struct bt_node *k = key; k; k = k->next)
		bt_put(s, n->pos, k->next ? "%%s, " : "%%s]: %%s\\n\", ");
	bt_values(s, key, false);
	bt_put(s, n->pos, ", ");
	bt_value(s, n->a);
	bt_put(s, n->pos, ")");
}

/* print((1, 2)), print($kv), print($tuple) */
static bool bt_print_tuple(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_var *var = n->a->kind == BN_VAR ? bt_var_find(s, n->a->text) : NULL;
	unsigned int items = n->a->kind == BN_TUPLE ? bt_list_length(n->a->a) :
			     var && var->loop ? 2 : var ? var->items : 0;

	if (!items)
		return false;
	bt_put(s, n->pos, "printf(\"(");
	for (unsigned int i = 1; i <= items; i++)
		bt_put(s, n->pos, i < items ? "%%s, " : "%%s)\\n\", ");
	if (n->a->kind == BN_TUPLE)
		bt_values(s, n->a->a, false);
	for (unsigned int i = 0; n->a->kind == BN_VAR && i < items; i++) {
		struct bt_node item = {
			.kind = BN_FIELD, .pos = n->pos, .a = n->a, .value = i,
			.op = "", .text = "",
		};

		bt_put(s, n->pos, i ? ", " : "");
		bt_value(s, &item);
	}
	bt_put(s, n->pos, ")");
	return true;
}

void bt_print(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map = bt_map_of(s, n->a);

	if (n->a->next && !(map && !n->a->a)) {
		bt_error(s, n->a->next->pos, NULL, "only print(@NAME) takes a number of entries");
		return;
	}
	if (map && n->a->a) {
		bt_print_entry(s, n, map);
	} else if (map) {
		bt_print_map(s, n, map);
	} else if (!bt_print_tuple(s, n)) {
		bt_put(s, n->pos, "print(");
		bt_value(s, n->a);
		bt_put(s, n->pos, ")");
	}
}

static bool bt_prints_at_end(const struct bt_script *s)
{
	return s->maps && !s->silent;
}

/* The first map by name after that of @name; NULL: none.  bpftrace prints them in this order. */
static const struct bt_map *bt_map_after(const struct bt_script *s, const char *name)
{
	const struct bt_map *next = NULL;

	for (const struct bt_map *map = s->maps; map; map = map->next)
		if ((!name || strcmp(map->name, name) > 0) &&
		    (!next || strcmp(map->name, next->name) < 0))
			next = map;
	return next;
}

void bt_print_end(struct bt_script *s)
{
	const struct bt_map *map;

	if (!bt_prints_at_end(s))
		return;
	bt_line(s);
	bt_put(s, s->maps->pos, "// bpftrace prints all maps at the end");
	bt_line(s);
	bt_put(s, s->maps->pos, "trace_end {");
	s->indent = 1;
	for (map = bt_map_after(s, NULL); map; map = bt_map_after(s, map->name)) {
		bt_line(s);
		if (map->keys > 0) {
			bt_put(s, map->pos, "bt_print_%s(%s)", map->ours,
			       map->limited ? "0, 1" : "");
			continue;
		}
		bt_put(s, map->pos, map->kind >= BM_AVG ? "if (count(%s)) {" : "if (%s != nil) {",
		       map->ours);
		s->indent = 2;
		bt_line(s);
		bt_put_shown(s, map->pos, map, map->ours, false, false);
		s->indent = 1;
		bt_line(s);
		bt_put(s, map->pos, "}");
	}
	s->indent = 0;
	bt_line(s);
	bt_put(s, s->maps->pos, "}\n");
}

void bt_print_helpers(struct bt_script *s)
{
	for (const struct bt_map *map = s->maps; map; map = map->next) {
		if (map->keys <= 0 || (!map->printed && !bt_prints_at_end(s)))
			continue;
		bt_line(s);
		bt_put_function(s, map);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bt_helpers); i++)
		if (s->helpers & bt_helpers[i].bit)
			bt_put(s, s->maps->pos, "\n%s", bt_helpers[i].text);
	if (s->counts_params)
		bt_put(s, s->probes->events->pos,
		       "\nfunction bt_arguments() {\n\tvar n = 0\n"
		       "\twhile (arg[n + 1] != nil) {\n\t\tn++\n\t}\n\treturn n\n}\n");
}
