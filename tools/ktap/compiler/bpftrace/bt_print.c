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
	HELPER_JSON_ROWS = 1 << 6,
	HELPER_JSON_POWER = 1 << 7,
	HELPER_JSON_STEP = 1 << 8,
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
	  "function bt_power_row(value, bits) {\n"
	  "\tvar row = 1\n"
	  "\tif (value < 0) {\n\t\treturn 0\n\t}\n"
	  "\twhile (value >> bits + 1) {\n\t\tvalue >>= 1\n\t\trow += 1 << bits\n\t}\n"
	  "\treturn row + value\n"
	  "}\n\n"
	  "function bt_power_from(row, bits) {\n"
	  "\tvar i, half = row - 1, 1 << bits\n"
	  "\treturn i < half ? i : (i & half - 1) + half << (i >> bits) - 1\n"
	  "}\n\n"
	  "function bt_power(n) {\n"
	  "\tvar unit = 0\n"
	  "\twhile (n && unit < 4 && !(n & 1023)) {\n\t\tn >>= 10\n\t\tunit++\n\t}\n"
	  "\treturn n .. substr(\"KMGT\", unit - 1, unit ? 1 : 0)\n"
	  "}\n\n"
	  "function bt_power_label(row, bits) {\n"
	  "\tvar from, to = bt_power_from(row, bits), bt_power_from(row + 1, bits)\n"
	  "\tif (!row) {\n\t\treturn \"(..., 0)\"\n\t}\n"
	  "\treturn to == from + 1 ? \"[\" .. from .. \"]\" :\n"
	  "\t\t\"[\" .. bt_power(from) .. \", \" .. bt_power(to) .. \")\"\n"
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
	{ HELPER_ROWS | HELPER_JSON_ROWS,
	  "function bt_count_rows(h, row_of, low, high, step) {\n"
	  "\tvar rows, n, i, first, last = {}, count(h), 1, nil, -1\n"
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
	  "\t\tfirst = first == nil ? row : first\n"
	  "\t\tlast = row\n"
	  "\t\ti = from + 1\n"
	  "\t}\n"
	  "\treturn rows, first || 0, last\n"
	  "}\n" },
	{ HELPER_ROWS,
	  "function bt_rows(h, row_of, label, divisor, low, high, step) {\n"
	  "\tvar rows, first, last = bt_count_rows(h, row_of, low, high, step)\n"
	  "\tvar most = 1\n"
	  "\tfor (row = first, last) {\n\t\tmost = max(most, rows[row] || 0)\n\t}\n"
	  "\tvar bar = \"@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\"\n"
	  "\tfor (row = first, last) {\n"
	  "\t\tprintf(\"%-16s%8d |%-52s|\\n\", label(row, low, high, step), rows[row] / divisor,\n"
	  "\t\t\tsubstr(bar, 0, rows[row] * 52 / most))\n"
	  "\t}\n"
	  "\tprint()\n"
	  "}\n" },
	{ HELPER_JSON_POWER,
	  "function bt_power_ends(row, bits) {\n"
	  "\tif (!row) {\n\t\treturn nil, -1\n\t}\n"
	  "\treturn bt_power_from(row, bits), bt_power_from(row + 1, bits) - 1\n"
	  "}\n" },
	{ HELPER_JSON_STEP,
	  "function bt_step_ends(row, low, high, step) {\n"
	  "\tvar from = low + (row - 1) * step\n"
	  "\treturn row ? from : nil, row && from >= high ? nil : from + step - 1\n"
	  "}\n" },
	{ HELPER_JSON_ROWS,
	  "function bt_json_rows(h, row_of, ends, divisor, low, high, step) {\n"
	  "\tvar rows, first, last = bt_count_rows(h, row_of, low, high, step)\n"
	  "\tprint(\"bt+\", \"[\")\n"
	  "\tfor (row = first, last) {\n"
	  "\t\tvar from, to = ends(row, low, high, step)\n"
	  "\t\tprint(\"bt+\", row == first ? \"{\" : \",{\")\n"
	  "\t\tif (from != nil) {\n\t\t\tprint(\"bt+\", '\"min\": %, ', from)\n\t\t}\n"
	  "\t\tif (to != nil) {\n\t\t\tprint(\"bt+\", '\"max\": %, ', to)\n\t\t}\n"
	  "\t\tprint(\"bt+\", '\"count\": %}', rows[row] / divisor)\n"
	  "\t}\n"
	  "\tprint(\"bt+\", \"]\")\n"
	  "}\n" },
};

static const char *bt_shown_format(struct bt_script *s, const struct bt_map *map)
{
	if (map->kind == BM_STATS)
		return s->json ? "{\"count\": %, \"average\": %, \"total\": %}" :
		       "{ .count = %d, .average = %d, .total = %d }";
	if (s->json)
		return bt_json_format(s, bt_type_of_map(map));
	return bt_text_format(s, bt_type_of_map(map));
}

/* Write the arguments of that format: what is shown of the value @of. */
static void bt_put_shown_args(struct bt_script *s, struct pos pos, const struct bt_map *map,
			      const char *of, const char *divided)
{
	const struct bt_node whole = { .kind = BN_MAP, .pos = pos, .text = map->name, .op = "" };
	const struct bt_source src = {
		.n = map->keys > 0 || !bt_is_compound(map->type) ? NULL : &whole, .name = of,
		.first = 1, .type = bt_type_of_map(map),
	};

	switch (map->kind) {
	case BM_STATS:
		bt_put(s, pos, ", count(%s), avg(%s) || 0, sum(%s)", of, of, of);
		break;
	case BM_AVG:
	case BM_MIN:
	case BM_MAX:
		bt_put(s, pos, ", %s(%s)%s", map->kind == BM_AVG ? "avg" :
		       map->kind == BM_MIN ? "min" : "max", of, divided);
		break;
	default:
		if (map->kind || src.type->kind == BT_INTEGER)
			bt_put(s, pos, ", %s%s", of, *divided ? divided : s->json ? " || 0" : "");
		else if (s->json)
			bt_json_args(s, pos, &src);
		else
			bt_text_args(s, pos, &src);
	}
}

/* Write the call that shows a distribution. */
static void bt_put_rows(struct bt_script *s, struct pos pos, const struct bt_map *map,
			const char *of, const char *divisor)
{
	const char *which = map->kind == BM_HIST ? "power" : "step";
	const struct bt_node *shape = map->shape;

	s->helpers |= map->kind == BM_HIST ? HELPER_POWERS : HELPER_STEPS;
	s->helpers |= !s->json ? HELPER_ROWS : HELPER_JSON_ROWS |
		      (map->kind == BM_HIST ? HELPER_JSON_POWER : HELPER_JSON_STEP);
	bt_put(s, pos, s->json ? "bt_json_rows(%s, bt_%s_row, bt_%s_ends, %s, " :
	       "bt_rows(%s, bt_%s_row, bt_%s_label, %s, ", of, which, which, divisor);
	if (map->kind == BM_HIST && !shape)
		bt_put(s, pos, "0");
	bt_leaves(s, shape, false);
	bt_put(s, pos, map->kind == BM_HIST ? ", 0, 0)" : ")");
}

/* In the JSON of bpftrace it is a string without blanks */
const char *bt_key_format(struct bt_script *s, const struct bt_map *map)
{
	const struct bt_type *t = map->key ? map->key : &bt_any;
	const char *text = bt_text_format(s, t), *plain = "";
	size_t len = strlen(text);

	if (len > 2 && *text == '(')
		text = pool_strndup(&s->cc->pool, text + 1, len - 2);
	if (!s->json)
		return text;
	for (; *text; text++) {
		if (*text == '%')
			text++;
		if (text[-1] == '%' || *text != ' ')
			plain = pool_printf(&s->cc->pool, "%s%c", plain,
					    text[-1] == '%' ? '$' : *text);
	}
	return plain;
}

void bt_put_key_args(struct bt_script *s, struct pos pos, const struct bt_map *map,
		     const char *key)
{
	const struct bt_source src = { .name = key, .type = map->key ? map->key : &bt_any };

	bt_text_args(s, pos, &src);
}

/* The name of the values in the JSON of bpftrace */
static const char *bt_json_kind(const struct bt_map *map)
{
	return map->kind >= BM_HIST ? "hist" : map->kind == BM_AVG || map->kind == BM_STATS ?
	       "stats" : "map";
}

static void bt_put_shown_json(struct bt_script *s, struct pos pos, const struct bt_map *map,
			      const char *of, const char *divided, bool key)
{
	const char *begin = pool_printf(&s->cc->pool, "{\"type\": \"%s\", \"data\": {\"@%s\": ",
					bt_json_kind(map), map->name);

	if (key)
		bt_put(s, pos, "print(\"bt+\", first ? '%s{\"%s\": ' : ', \"%s\": '", begin,
		       bt_key_format(s, map), bt_key_format(s, map));
	else
		bt_put(s, pos, "print(\"bt+\", '%s'", begin);
	if (key)
		bt_put_key_args(s, pos, map, "key");
	bt_put(s, pos, ")");
	bt_line(s);
	if (map->kind < BM_HIST) {
		bt_put(s, pos, "print(\"bt+\", '%s'", bt_shown_format(s, map));
		bt_put_shown_args(s, pos, map, of, divided);
		bt_put(s, pos, ")");
	} else {
		bt_put_rows(s, pos, map, of, *divided ? "divisor" : "1");
	}
	bt_line(s);
	bt_put(s, pos, key ? "first = false" : "print(\"bt\", \"}}\")");
}

/* Write statements that show one value: "@name[%s]: ..." */
static void bt_put_shown(struct bt_script *s, struct pos pos, const struct bt_map *map,
			 const char *of, bool key, bool limited)
{
	const char *label, *divided = limited ? " / divisor" : "";

	if (s->json) {
		bt_put_shown_json(s, pos, map, of, divided, key);
		return;
	}
	label = key ? pool_printf(&s->cc->pool, "@%s[%s]:", map->name, bt_key_format(s, map)) :
		pool_printf(&s->cc->pool, "@%s:", map->name);
	bt_put(s, pos, "printf(\"%s%s%s\\n\"", label, map->kind < BM_HIST ? " " : "",
	       map->kind < BM_HIST ? bt_shown_format(s, map) : "");
	if (key)
		bt_put_key_args(s, pos, map, "key");
	if (map->kind < BM_HIST)
		bt_put_shown_args(s, pos, map, of, divided);
	bt_put(s, pos, ")");
	if (map->kind < BM_HIST)
		return;
	bt_line(s);
	bt_put_rows(s, pos, map, of, limited ? "divisor" : "1");
}

/* The function that shows a map with keys, the smallest value first. */
static void bt_put_function(struct bt_script *s, const struct bt_map *map)
{
	enum bt_type_kind type = map->kind ? BT_INTEGER : map->type->kind;
	const char *less = map->kind >= BM_HIST ? "bt_less_count" :
			   map->kind >= BM_AVG ? "bt_less_average" : "bt_less";
	bool sorted = map->kind || type == BT_INTEGER || type == BT_STRING || type == BT_ENUM;

	s->helpers |= !sorted ? 0 : map->kind >= BM_HIST ? HELPER_COUNTS :
		      map->kind >= BM_AVG ? HELPER_AVERAGES : HELPER_VALUES;
	bt_put(s, map->pos, "function bt_print_%s(%s) {", map->ours,
	       map->limited ? "top, divisor" : "");
	s->indent = 1;
	if (s->json) {
		bt_line(s);
		bt_put(s, map->pos, "var first = true");
	}
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
	if (s->json) {
		bt_line(s);
		bt_put(s, map->pos, "if (!first) { print(\"bt\", \"}}}\") }");
	}
	s->indent = 0;
	bt_line(s);
	bt_put(s, map->pos, "}\n");
}

static void bt_print_map(struct bt_script *s, const struct bt_node *n, const struct bt_map *map)
{
	const struct bt_node *top = n->a->next, *divisor = top ? top->next : NULL;

	if (map->kind == BM_TSERIES && (top || s->place != BT_IN_PROCESS)) {
		bt_error(s, n->pos, "print(@NAME) in interval:s:1, BEGIN or END",
			 "a graph is printed as a whole, and not by the handler of an event");
	} else if (map->kind == BM_TSERIES) {
		bt_put(s, n->pos, "bt_print_%s()", map->ours);
	} else if (map->keys <= 0) {
		if (top)
			bt_error(s, top->pos, NULL, "@%s has no keys: print(@%s)", map->name,
				 map->name);
		bt_put_shown(s, n->pos, map, map->ours, false, false);
	} else if (s->place == BT_IN_PROCESS || s->json) {
		bt_put(s, n->pos, "bt_print_%s(", map->ours);
		if (map->limited) {
			bt_put(s, n->pos, top ? "" : "0");
			bt_leaves(s, top, false);
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

void bt_print(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map = bt_map_of(s, n->a);
	const struct bt_source src = { .n = n->a, .type = bt_type_of(s, n->a) };

	if (n->a->next && !(map && !n->a->a)) {
		bt_error(s, n->a->next->pos, NULL, "only print(@NAME) takes a number of entries");
	} else if (map && !n->a->a) {
		bt_print_map(s, n, map);
	} else if (map && map->kind >= BM_STATS) {
		bt_error(s, n->pos, "print(@NAME)",
			 "stats and distributions are printed with the whole map");
	} else if (s->json) {
		bt_put(s, n->pos, "print(\"bt\", '{\"type\": \"value\", \"data\": %s}'",
		       bt_json_format(s, src.type));
		bt_json_args(s, n->pos, &src);
		bt_put(s, n->pos, ")");
	} else if (bt_has_format(src.type)) {
		bt_put(s, n->pos, "printf(\"%s\\n\"", bt_text_format(s, src.type));
		bt_text_args(s, n->pos, &src);
		bt_put(s, n->pos, ")");
	} else {
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

static bool bt_has_end(const struct bt_script *s)
{
	const char *rest, *kind;

	for (const struct bt_probe *probe = s->probes; probe; probe = probe->next)
		for (const struct bt_event *event = probe->events; event; event = event->next) {
			kind = bt_event_kind(event, &rest);
			if (kind && !strcmp(kind, "END"))
				return true;
		}
	return false;
}

/*
 * ktap prints the globals of a script that has printed nothing and has no trace_end: maps whose
 * printing is off, and what the translation has added.
 */
static void bt_hide_globals(struct bt_script *s)
{
	const struct pos pos = s->probes->events->pos;

	if ((!s->maps && !s->symbols && !s->cgroups && !s->unwatches && !s->helpers) ||
	    bt_has_end(s))
		return;
	bt_line(s);
	bt_put(s, pos, "// nothing is printed at the end");
	bt_line(s);
	bt_put(s, pos, "trace_end {\n}\n");
}

void bt_print_end(struct bt_script *s)
{
	const struct pos pos = s->probes->events->pos;
	const struct bt_map *map;

	if (!bt_prints_at_end(s) && !s->ends) {
		bt_hide_globals(s);
		return;
	}
	bt_line(s);
	bt_put(s, pos, "// bpftrace prints all maps at the end");
	bt_line(s);
	bt_put(s, pos, "trace_end {");
	s->indent = 1;
	if (s->ends) {
		bt_line(s);
		bt_put(s, pos, "print(\"\\n\")");
	}
	map = bt_prints_at_end(s) ? bt_map_after(s, NULL) : NULL;
	for (; map; map = bt_map_after(s, map->name)) {
		bt_line(s);
		if (map->kind == BM_TSERIES && map->keys <= 0) {
			bt_put(s, map->pos, "if (%s != nil) { bt_print_%s() }", map->ours,
			       map->ours);
			continue;
		}
		if (map->keys > 0) {
			bt_put(s, map->pos, "bt_print_%s(%s)", map->ours,
			       map->limited ? "0, 1" : "");
			continue;
		}
		bt_put(s, map->pos, s->json && map->kind >= BM_HIST ? "{" :
		       map->kind >= BM_AVG ? "if (count(%s)) {" : "if (%s != nil) {",
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
	bt_put(s, pos, "}\n");
}

/* The function for the value of delete(): was there an entry? */
static void bt_put_delete(struct bt_script *s, const struct bt_map *map)
{
	const char *params = "", *entry = map->ours;

	for (int i = 0; i < map->keys; i++)
		params = pool_printf(&s->cc->pool, "%s%sk%d", params, i ? ", " : "", i);
	if (map->keys > 0)
		entry = pool_printf(&s->cc->pool, "%s[%s]", map->ours, params);
	bt_put(s, map->pos,
	       "\nfunction bt_delete_%s(%s) {\n\tvar found = %s != nil\n\t%s%s%s\n\treturn found\n}\n",
	       map->ours, params, entry, map->keys > 0 ? "delete " : "", entry,
	       map->keys > 0 ? "" : " = nil");
}

void bt_print_helpers(struct bt_script *s)
{
	for (const struct bt_map *map = s->maps; map; map = map->next) {
		if (map->taken)
			bt_put_delete(s, map);
		if (map->keys <= 0 || map->kind == BM_TSERIES ||
		    (!map->printed && !bt_prints_at_end(s)))
			continue;
		bt_line(s);
		bt_put_function(s, map);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bt_helpers); i++)
		if (s->helpers & bt_helpers[i].bit)
			bt_put(s, s->probes->events->pos, "\n%s", bt_helpers[i].text);
	bt_series_functions(s);
	bt_text_helpers(s);
	if (s->counts_params)
		bt_put(s, s->probes->events->pos,
		       "\nfunction bt_arguments() {\n\tvar n = 0\n"
		       "\twhile (arg[n + 1] != nil) {\n\t\tn++\n\t}\n\treturn n\n}\n");
}
