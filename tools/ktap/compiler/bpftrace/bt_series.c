// SPDX-License-Identifier: GPL-2.0
/*
 * tseries(VALUE, INTERVAL, NUMBER): the values of the last intervals of time, as a graph.
 *
 * The map has the number of the last interval that has a value, since 1970. A table beside it has
 * the values by key and interval; for an average another one has their numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

#define BT_MAX_INTERVALS	1000000

/* The third argument after the value: how the values of an interval become one */
enum bt_series_kind { BT_LAST, BT_AVG, BT_MAX, BT_MIN, BT_SUM };

static enum bt_series_kind bt_series_kind(struct bt_script *s, const struct bt_map *map)
{
	static const char * const names[] = {
		[BT_AVG] = "\"avg\"", [BT_MAX] = "\"max\"", [BT_MIN] = "\"min\"",
		[BT_SUM] = "\"sum\"",
	};
	const struct bt_node *n = map->shape->next->next;

	for (size_t i = BT_AVG; n && i < ARRAY_SIZE(names); i++)
		if (n->kind == BN_STR && !strcmp(n->text, names[i]))
			return i;
	if (n)
		bt_error(s, n->pos, NULL,
			 "the last argument of tseries() is \"avg\", \"max\", \"min\" or \"sum\"");
	return BT_LAST;
}

/* "k0, k1, " of a map with keys */
static const char *bt_series_params(struct bt_script *s, const struct bt_map *map)
{
	const char *text = "";

	for (int i = 0; i < map->keys; i++)
		text = pool_printf(&s->cc->pool, "%sk%d, ", text, i);
	return text;
}

/* The same for the parts of the key that a loop gives */
static const char *bt_series_parts(struct bt_script *s, const struct bt_map *map)
{
	const char *text = "";

	if (map->keys == 1)
		return "key, ";
	for (int i = 0; i < map->keys; i++)
		text = pool_printf(&s->cc->pool, "%skey[%d], ", text, i);
	return text;
}

static bool bt_series_check(struct bt_script *s, const struct bt_map *map)
{
	const struct bt_node *interval = map->shape, *number = interval ? interval->next : NULL;
	int64_t value = 0;

	if (!number)
		return false;
	if (!bt_constant_value(interval, &value) || value < 1)
		bt_error(s, interval->pos, "tseries(@n, 100ms, 5)",
			 "the interval of tseries() is a constant above 0");
	if (!bt_constant_value(number, &value) || value < 1 || value > BT_MAX_INTERVALS)
		bt_error(s, number->pos, "tseries(@n, 100ms, 5)",
			 "the number of intervals is a constant from 1 to %d", BT_MAX_INTERVALS);
	return true;
}

void bt_series_add(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map = bt_map_of(s, n->a);

	if (!map || !bt_series_check(s, map))
		return;
	bt_put(s, n->pos, "bt_add_%s(", map->ours);
	if (n->a->a) {
		bt_leaves(s, n->a->a, true);
		bt_put(s, n->pos, ", ");
	}
	bt_number(s, n->b->a, LEVEL_ANY);
	bt_put(s, n->pos, ")");
}

void bt_series_clear(struct bt_script *s, const struct bt_node *n, const struct bt_map *map)
{
	bt_put(s, n->pos, "clear(bt_values_%s)", map->ours);
	bt_line(s);
	if (map->shape && map->shape->next && bt_series_kind(s, map) == BT_AVG) {
		bt_put(s, n->pos, "clear(bt_counts_%s)", map->ours);
		bt_line(s);
	}
	if (map->keys <= 0)
		bt_put(s, n->pos, "%s = %s", map->ours, *n->text == 'z' ? "0" : "nil");
	else if (*n->text == 'z')
		bt_put(s, n->pos, "for (key in %s) { %s[key] = 0 }", map->ours, map->ours);
	else
		bt_put(s, n->pos, "clear(%s)", map->ours);
}

void bt_series_declare(struct bt_script *s, const struct bt_map *map)
{
	if (map->keys > 0)
		bt_put(s, map->pos, "%s = {}\n", map->ours);
	bt_put(s, map->pos, "bt_values_%s = {}\n", map->ours);
	if (bt_series_check(s, map) && bt_series_kind(s, map) == BT_AVG)
		bt_put(s, map->pos, "bt_counts_%s = {}\n", map->ours);
}

/* The current time: for tests, the value of a map, which this variable names */
static const char *bt_series_time(struct bt_script *s)
{
	const char *name = getenv("BPFTRACE_DUMMY_TS_MAP");
	const struct bt_map *map = name && *name == '@' ? bt_map_find(s, name + 1) : NULL;

	return map && map->keys <= 0 ? pool_printf(&s->cc->pool, "(%s || 0)", map->ours) :
	       "ffi.C.ktime_get_real_ns()";
}

/* The function that adds a value, and forgets old ones */
static void bt_series_put_add(struct bt_script *s, const struct bt_map *map)
{
	const char *params = bt_series_params(s, map), *name = map->ours, *last = name, *at;
	enum bt_series_kind kind = bt_series_kind(s, map);
	struct pos pos = map->pos;
	int64_t interval = 1, number = 1;

	bt_constant_value(map->shape, &interval);
	bt_constant_value(map->shape->next, &number);
	if (map->keys > 0)
		last = pool_printf(&s->cc->pool, "%s[%.*s]", name, (int)strlen(params) - 2, params);
	at = pool_printf(&s->cc->pool, "%s[%snow]", name, params);
	bt_put(s, pos, "\nfunction bt_add_%s(%svalue) {\n", name, params);
	bt_put(s, pos, "\tvar now, last = %s / %lld, %s\n", bt_series_time(s),
	       (long long)interval, last);
	bt_put(s, pos, "\tif (last == nil || now > last) {\n");
	bt_put(s, pos, "\t\tfor (old = (last || now) - %lld, min(last || 0, now - %lld)) {\n",
	       (long long)number - 1, (long long)number);
	bt_put(s, pos, "\t\t\tdelete bt_values_%s[%sold]\n", name, params);
	if (kind == BT_AVG)
		bt_put(s, pos, "\t\t\tdelete bt_counts_%s[%sold]\n", name, params);
	bt_put(s, pos, "\t\t}\n\t\t%s = now\n\t}\n", last);
	if (kind == BT_MIN || kind == BT_MAX) {
		bt_put(s, pos, "\tvar old = bt_values_%s\n", at);
		bt_put(s, pos, "\tif (old == nil || value %c old) {\n", kind == BT_MIN ? '<' : '>');
		bt_put(s, pos, "\t\tbt_values_%s = value\n\t}\n", at);
	} else {
		bt_put(s, pos, "\tbt_values_%s %s value\n", at, kind == BT_LAST ? "=" : "+=");
	}
	if (kind == BT_AVG)
		bt_put(s, pos, "\tbt_counts_%s += 1\n", at);
	bt_put(s, pos, "}\n");
}

/* Write the call that shows the values of a key, or of the only one. */
static void bt_series_put_rows(struct bt_script *s, const struct bt_map *map, const char *parts)
{
	enum bt_series_kind kind = bt_series_kind(s, map);
	int64_t interval = 1, number = 1;

	bt_constant_value(map->shape, &interval);
	bt_constant_value(map->shape->next, &number);
	bt_put(s, map->pos, "var rows = {}");
	bt_line(s);
	bt_put(s, map->pos, "for (i = newest - %lld, newest) { rows[i] = bt_values_%s[%si]",
	       (long long)number - 1, map->ours, parts);
	if (kind == BT_AVG)
		bt_put(s, map->pos, "; if (rows[i] != nil) { rows[i] /= bt_counts_%s[%si] }",
		       map->ours, parts);
	bt_put(s, map->pos, " }");
	bt_line(s);
	bt_put(s, map->pos, "bt_series(rows, newest - %lld, newest, %lld, %s)",
	       (long long)number - 1, (long long)interval,
	       map->type->kind == BT_INTEGER && map->type->is_unsigned ? "true" : "false");
	bt_line(s);
}

/* The function that shows the map, the key that was changed last at the end */
static void bt_series_put_print(struct bt_script *s, const struct bt_map *map)
{
	struct pos pos = map->pos;
	const char *json = pool_printf(&s->cc->pool, "{\"type\": \"tseries\", \"data\": {\"@%s\": ",
				       map->name);

	bt_put(s, pos, "\nfunction bt_print_%s() {", map->ours);
	s->indent = 1;
	bt_line(s);
	if (map->keys <= 0) {
		bt_put(s, pos, "var newest = %s || 0", map->ours);
		bt_line(s);
		if (s->json)
			bt_put(s, pos, "print(\"bt+\", '%s')", json);
		else
			bt_put(s, pos, "print(\"@%s:\")", map->name);
		bt_line(s);
		bt_series_put_rows(s, map, "");
		bt_put(s, pos, s->json ? "print(\"bt\", \"}}\")" : "print()");
	} else {
		bt_put(s, pos, "var newest, first = 0, true");
		bt_line(s);
		bt_put(s, pos, "for (key, value in %s) { newest = max(newest, value) }", map->ours);
		bt_line(s);
		bt_put(s, pos, "for (key, value in sort_pairs(%s, bt_less_interval)) {", map->ours);
		s->indent = 2;
		bt_line(s);
		if (s->json)
			bt_put(s, pos, "print(\"bt+\", first ? '%s{\"%s\": ' : ', \"%s\": '", json,
			       bt_key_format(s, map), bt_key_format(s, map));
		else
			bt_put(s, pos, "printf(\"@%s[%s]:\\n\"", map->name, bt_key_format(s, map));
		bt_put_key_args(s, pos, map, "key");
		bt_put(s, pos, ")");
		bt_line(s);
		bt_series_put_rows(s, map, bt_series_parts(s, map));
		bt_put(s, pos, s->json ? "first = false" : "print()");
		s->indent = 1;
		bt_line(s);
		bt_put(s, pos, "}");
		bt_line(s);
		bt_put(s, pos, s->json ? "if (!first) { print(\"bt\", \"}}}\") }" : "");
	}
	s->indent = 0;
	bt_line(s);
	bt_put(s, pos, "}\n");
}

static const char bt_series_text[] =
	"\nfunction bt_series_time(form, ns) {\n"
	"\treturn strftime(form, nsecs + ns - ns % 1000000000 + 500000000 - ffi.C.ktime_get_real_ns())\n"
	"}\n"
	"\nfunction bt_less_interval(a, b) {\n\treturn a < b\n}\n";

static const char bt_series_json[] =
	"\nfunction bt_series(rows, first, last, ns, unsigned) {\n"
	"\tvar comma = \"\"\n"
	"\tprint(\"bt+\", \"[\")\n"
	"\tfor (i = first, last) {\n"
	"\t\tif (rows[i] != nil) {\n"
	"\t\t\tvar time = bt_series_time(\"%F %T\", i * ns) .. format(\".%09d\", i * ns % 1000000000)\n"
	"\t\t\tprint(\"bt+\", comma .. '{\"interval_start\": %, \"value\": %}', time, rows[i])\n"
	"\t\t\tcomma = \",\"\n"
	"\t\t}\n"
	"\t}\n"
	"\tprint(\"bt+\", \"]\")\n"
	"}\n";

static const char bt_series_graph[] =
	"\nfunction bt_put_at(line, at, what) {\n"
	"\treturn substr(line, 0, at) .. what .. substr(line, at + 1)\n"
	"}\n"
	"\nfunction bt_series(rows, first, last, ns, unsigned) {\n"
	"\tvar low, high\n"
	"\tfor (i = last, first, -1) {\n"
	"\t\tif (rows[i] != nil) {\n"
	"\t\t\tlow = low == nil ? rows[i] : min(low, rows[i])\n"
	"\t\t\thigh = high == nil ? rows[i] : max(high, rows[i])\n"
	"\t\t}\n"
	"\t}\n"
	"\tif (low == nil) {\n\t\tprint(\"<no data>\")\n\t\treturn\n\t}\n"
	"\tif (low == high) {\n\t\tlow -= low || !unsigned ? 1 : 0\n\t\thigh++\n\t}\n"
	"\tvar part = ns % 1000 ? 1 : ns % 1000000 ? 1000 : ns % 1000000000 ? 1000000 : 0\n"
	"\tvar digits = part == 1 ? \".%09d\" : part == 1000 ? \".%06d\" : \".%03d\"\n"
	"\tvar unit = part == 1 ? \".ns       \" : part == 1000 ? \".us    \" : part ? \".ms \" : \"\"\n"
	"\tvar margin = substr(\"                   \", 0, len(unit) + 9)\n"
	"\tvar bar = \"___________________________________________________\"\n"
	"\tvar blank = \"|                                                   |\"\n"
	"\tprintf(\"%s%-21d%32d\\n\", margin, low, high)\n"
	"\tprintf(\"hh:mm:ss%s |%s|\\n\", unit, bar)\n"
	"\tvar found = false\n"
	"\tfor (i = first, last) {\n"
	"\t\tvar value, line = rows[i], blank\n"
	"\t\tfound = found || value != nil\n"
	"\t\tif (!found) {\n\t\t\tcontinue\n\t\t}\n"
	"\t\tif (low < 0 && high > 0) {\n\t\t\tline = bt_put_at(line, 53 * -low / (high - low), \".\")\n\t\t}\n"
	"\t\tif (value != nil) {\n\t\t\tline = bt_put_at(line, 52 * (value - low) / (high - low), \"*\")\n\t\t}\n"
	"\t\tprintf(\"%s%s %s %s\\n\", bt_series_time(\"%T\", i * ns),\n"
	"\t\t\tpart ? format(digits, i * ns % 1000000000 / part) : \"\", line,\n"
	"\t\t\tvalue == nil ? \"-\" : tostring(value))\n"
	"\t}\n"
	"\tprintf(\"%sv%sv\\n\", margin, bar)\n"
	"\tprintf(\"%s%-21d%32d\\n\", margin, low, high)\n"
	"}\n";

void bt_series_functions(struct bt_script *s)
{
	const struct pos pos = s->probes->events->pos;
	bool found = false;

	for (const struct bt_map *map = s->maps; map; map = map->next) {
		if (map->kind != BM_TSERIES || !bt_series_check(s, map))
			continue;
		bt_series_put_add(s, map);
		bt_series_put_print(s, map);
		found = true;
	}
	if (!found)
		return;
	bt_put(s, pos, "%s", bt_series_text);
	bt_put(s, pos, "%s", s->json ? bt_series_json : bt_series_graph);
}
