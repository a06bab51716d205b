// SPDX-License-Identifier: GPL-2.0
/* Values as text, and as JSON: formats by type, and their arguments. */
#define _GNU_SOURCE
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/cdef.h"
#include "compiler/util.h"

/* It stands for a leaf in the text that becomes JSON (tools/ktap/bpftrace_json.c). */
#define BT_JSON_VALUE	"%"

unsigned int bt_text_length(const struct bt_node *n)
{
	unsigned int length = 0;
	const char *p = n->text;

	for (p += *p == '"'; *p && *p != '"'; p++, length++)
		p += *p == '\\' && p[1];
	return length;
}

static bool bt_is_wide(const struct bt_type *t)
{
	return t->kind == BT_INTEGER && t->size == 8 && t->is_unsigned;
}

bool bt_has_format(const struct bt_type *t)
{
	return bt_is_compound(t) || bt_is_wide(t) || t->kind == BT_BYTES || t->kind == BT_ENUM ||
	       t->kind == BT_POINTER || t->raw || t->frames;
}

static const char *bt_leaf_format(struct bt_script *s, const struct bt_type *t)
{
	if (t->kind == BT_POINTER)
		return "0x%x";
	if (t->kind == BT_INTEGER)
		return bt_is_wide(t) ? "%u" : "%d";
	/* the last frame has its own line; addresses end with one */
	return bt_stack_format(s, t, t->kind == BT_STACK && !t->raw ? "%s\\n" : "%s");
}

/* Names of items are printed only if all of them have one. */
static bool bt_is_named(const struct bt_type *t)
{
	return t->items && t->items->name;
}

const char *bt_text_format(struct bt_script *s, const struct bt_type *t)
{
	struct pool *pool = &s->cc->pool;
	const char *text;

	if (!bt_is_compound(t))
		return bt_leaf_format(s, t);
	if (t->kind == BT_ARRAY) {
		text = "[";
		for (unsigned int i = 0; i < t->count; i++)
			text = pool_printf(pool, "%s%s%s", text, i ? "," : "",
					   bt_text_format(s, t->of));
		return pool_printf(pool, "%s]", text);
	}
	text = bt_is_named(t) ? "{ " : "(";
	for (const struct bt_item *item = t->items; item; item = item->next)
		text = pool_printf(pool, item->name ? "%s%s.%s = %s" : "%s%s%s%s", text,
				   item == t->items ? "" : ", ", item->name ? item->name : "",
				   bt_text_format(s, item->type));
	return pool_printf(pool, "%s%s", text, bt_is_named(t) ? " }" : ")");
}

const char *bt_json_format(struct bt_script *s, const struct bt_type *t)
{
	struct pool *pool = &s->cc->pool;
	bool named = bt_is_named(t);
	const char *text;

	if (!bt_is_compound(t))
		return BT_JSON_VALUE;
	text = t->kind != BT_ARRAY && named ? "{" : "[";
	for (unsigned int i = 0; t->kind == BT_ARRAY && i < t->count; i++)
		text = pool_printf(pool, "%s%s%s", text, i ? "," : "", bt_json_format(s, t->of));
	for (const struct bt_item *item = t->items; t->kind != BT_ARRAY && item; item = item->next)
		text = pool_printf(pool, named ? "%s%s\"%s\": %s" : "%s%s%s%s", text,
				   item == t->items ? "" : named ? ", " : ",",
				   named && item->name ? item->name : "",
				   bt_json_format(s, item->type));
	return pool_printf(pool, "%s%s", text, t->kind != BT_ARRAY && named ? "}" : "]");
}

static unsigned int bt_enum_number(struct bt_script *s, const struct bt_type *t)
{
	struct bt_enum *e = s->enums, **last = &s->enums;
	unsigned int number = 1;

	for (; e; e = e->next, number++) {
		if (e->type->c == t->c && (t->c || !strcmp(e->type->name, t->name)))
			return number;
		last = &e->next;
	}
	*last = pool_alloc(&s->cc->pool, sizeof(**last));
	**last = (struct bt_enum) { .type = t, .number = number };
	return number;
}

/* The text before and after a leaf that makes it text, or an argument of its format */
static void bt_wrap(struct bt_script *s, const struct bt_type *t, bool memory,
		    const char **before, const char **after)
{
	*before = "";
	*after = "";
	switch (t->kind) {
	case BT_ENUM:
		*before = pool_printf(&s->cc->pool, "bt_enum_%u(", bt_enum_number(s, t));
		*after = ")";
		break;
	case BT_BYTES:
		s->helpers |= BT_HELP_BYTES;
		*before = "bt_bytes(";
		*after = ")";
		break;
	case BT_STACK:
		/* a handler of an event can print a stack, but not change its text */
		if (!t->raw || (t->name && s->place == BT_IN_EVENT))
			break;
		s->helpers |= t->name ? BT_HELP_USTACK : BT_HELP_STACK;
		*before = t->name ? "bt_user_addresses(" : "bt_addresses(";
		*after = ")";
		break;
	case BT_BOOLEAN:
		if (!memory)
			break;
		*before = "(";
		*after = " ? true : false)";
		break;
	default:
		break;
	}
}

static void bt_source_leaf(struct bt_script *s, struct pos pos, const struct bt_source *src,
			   unsigned int i)
{
	if (src->n)
		bt_leaf(s, src->n, i);
	else if (src->type->leaves == 1)
		bt_put(s, pos, "%s", src->name);
	else
		bt_put(s, pos, "%s[%u]", src->name, src->first + i);
}

/* Is it a member in memory, where true is 1? */
static bool bt_is_memory(struct bt_script *s, const struct bt_source *src)
{
	return src->n && !bt_is_compound(src->type) && !bt_is_stored(s, src->n) &&
	       (src->n->kind == BN_FIELD || src->n->kind == BN_INDEX || src->n->kind == BN_DEREF);
}

void bt_text_args(struct bt_script *s, struct pos pos, const struct bt_source *src)
{
	bool memory = bt_is_memory(s, src);
	const char *before, *after;

	for (unsigned int i = 0; i < src->type->leaves; i++) {
		bt_wrap(s, bt_leaf_type(src->type, i), memory, &before, &after);
		bt_put(s, pos, ", %s", before);
		bt_source_leaf(s, pos, src, i);
		bt_put(s, pos, "%s", after);
	}
}

void bt_json_args(struct bt_script *s, struct pos pos, const struct bt_source *src)
{
	bool memory = bt_is_memory(s, src);
	const char *before, *after;

	for (unsigned int i = 0; i < src->type->leaves; i++) {
		const struct bt_type *t = bt_leaf_type(src->type, i);

		before = "";
		after = "";
		if (t->kind != BT_ENUM)
			bt_wrap(s, t, memory, &before, &after);
		if (bt_is_wide(t)) {
			before = "format(\"%u\", ";
			after = ")";
		} else if (t->kind == BT_POINTER) {
			before = "ipof(";
			after = ")";
		}
		bt_put(s, pos, ", %s", before);
		bt_source_leaf(s, pos, src, i);
		bt_put(s, pos, "%s", after);
	}
}

void bt_text_value(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_source src = { .n = n, .type = bt_type_of(s, n) };
	const char *before, *after;

	if (bt_is_compound(src.type) || bt_is_wide(src.type) || src.type->kind == BT_POINTER) {
		bt_put(s, n->pos, "format(\"%s\"", bt_text_format(s, src.type));
		bt_text_args(s, n->pos, &src);
		bt_put(s, n->pos, ")");
		return;
	}
	bt_wrap(s, src.type, bt_is_memory(s, &src), &before, &after);
	bt_put(s, n->pos, "%s", before);
	bt_value(s, n);
	bt_put(s, n->pos, "%s", after);
}

static void bt_put_enumerator(struct bt_script *s, int64_t value, const char *name)
{
	bt_put(s, s->probes->events->pos, "\tif (value == %lld) {\n\t\treturn \"%s\"\n\t}\n",
	       (long long)value, name);
}

/* The function that gives the name of an enumerator */
static void bt_put_enum(struct bt_script *s, const struct bt_enum *e)
{
	const struct ktap_compile_opts *opts = s->cc->opts;
	const struct pos pos = s->probes->events->pos;
	struct ktap_type_part part = { 0 };

	bt_put(s, pos, "\nfunction bt_enum_%u(value) {\n", e->number);
	for (const struct cdef_name *n = cdef_all(s->cc)->names; n && e->type->c; n = n->next)
		if (n->what == CDEF_IS_CONSTANT && n->type == e->type->c)
			bt_put_enumerator(s, n->value, n->name);
	for (unsigned int i = 0; !e->type->c && opts->type_part &&
	     opts->type_part(opts->member_ctx, e->type->name, part.number, i, &part); i++)
		bt_put_enumerator(s, part.value, part.name);
	bt_put(s, pos, "\treturn tostring(value || 0)\n}\n");
}

/* A function that gives the texts of signals, as the C library has them */
static void bt_put_signals(struct bt_script *s, struct pos pos)
{
	bt_put(s, pos, "\nbt_signal_names = {");
	for (int i = 1; i <= 64; i++)
		bt_put(s, pos, "%s[%d] = \"%s\"", i > 1 ? ", " : "", i, strsignal(i));
	bt_put(s, pos, "}\n\nfunction bt_signal_name(number) {\n");
	bt_put(s, pos, "\treturn bt_signal_names[number] || \"N/A\"\n}\n");
}

static const struct {
	unsigned int bit;
	const char *text;
} bt_text_functions[] = {
	{ BT_HELP_ROOM,
	  "function bt_make_room(map, most) {\n"
	  "\tif (len(map) < most) {\n\t\treturn\n\t}\n"
	  "\tfor (key in map) {\n\t\tdelete map[key]\n\t\tbreak\n\t}\n"
	  "}\n" },
	{ BT_HELP_INTEGER,
	  "function bt_integer(value) {\n"
	  "\treturn value == true ? 1 : value ? ipof(value) : 0\n"
	  "}\n" },
	{ BT_HELP_CALLS,
	  "function bt_call_number(name) {\n"
	  "\tfor (number = 0, 1023) {\n"
	  "\t\tif (syscall_name(number) == name) {\n\t\t\treturn number\n\t\t}\n"
	  "\t}\n"
	  "\treturn nil\n"
	  "}\n" },
	{ BT_HELP_JOIN,
	  "function bt_join(strings, between) {\n"
	  "\tvar text, from = \"\", ipof(strings) || 0\n"
	  "\tfor (i = 0, 31) {\n"
	  "\t\tvar string = from ? read(from + 8 * i, 8) : 0\n"
	  "\t\tif (!string) {\n\t\t\tbreak\n\t\t}\n"
	  "\t\ttext = text .. (i ? between : \"\") .. (str(string) || \"\")\n"
	  "\t}\n"
	  "\treturn text\n"
	  "}\n" },
	{ BT_HELP_STRSTR,
	  "function bt_strstr(text, part) {\n"
	  "\tvar rest = strstr(text, part)\n"
	  "\treturn rest == nil ? -1 : len(text) - len(rest)\n"
	  "}\n" },
	{ BT_HELP_KSYM,
	  "function bt_ksym(address) {\n"
	  "\tvar name = ksym(address) || \"\"\n"
	  "\treturn substr(name, 0, len(name) - len(strstr(name, \"+\") || \"\"))\n"
	  "}\n" },
	{ BT_HELP_CGROUP,
	  "function bt_cgroup_path(id) {\n"
	  "\tvar path = cgroup_path(id)\n"
	  "\treturn path == nil ? \"\" : \"unified:\" .. path\n"
	  "}\n" },
	{ BT_HELP_HEX,
	  "function bt_hex(bytes, form, between) {\n"
	  "\tvar text = \"\"\n"
	  "\tfor (i = 0, len(bytes || \"\") - 1) {\n"
	  "\t\ttext = text .. (i ? between : \"\") .. format(form, bytes[i])\n"
	  "\t}\n"
	  "\treturn text\n"
	  "}\n" },
	{ BT_HELP_BYTES,
	  "function bt_bytes(bytes) {\n"
	  "\tvar text = \"\"\n"
	  "\tfor (i = 0, len(bytes || \"\") - 1) {\n"
	  "\t\tvar byte = bytes[i]\n"
	  "\t\ttext = text .. format(byte < 32 || byte > 126 ? \"\\\\x%02x\" : \"%c\", byte)\n"
	  "\t}\n"
	  "\treturn text\n"
	  "}\n" },
	{ BT_HELP_DIVIDE,
	  "function bt_divide(a, b, place) {\n\treturn b ? a / b : bt_zero(place)\n}\n" },
	{ BT_HELP_MODULO,
	  "function bt_modulo(a, b, place) {\n\treturn b ? a % b : bt_zero(place)\n}\n" },
	{ BT_HELP_USTACK,
	  "function bt_user_addresses(stack) {\n"
	  "\tvar text, rest = \"\\n\", format(\"%s\", stack)\n"
	  "\twhile (len(rest || \"\") > 8) {\n"
	  "\t\tvar next = strstr(rest, \"\\n\")\n"
	  "\t\ttext = text .. substr(rest, 8, len(rest) - len(next || \"\") - 8) .. \"\\n\"\n"
	  "\t\trest = next == nil ? nil : substr(next, 1)\n"
	  "\t}\n"
	  "\treturn text\n"
	  "}\n" },
	{ BT_HELP_STACK,
	  "function bt_addresses(stack) {\n"
	  "\tvar text = \"\\n\"\n"
	  "\tfor (i = 0, len(stack) - 1) {\n"
	  "\t\ttext = text .. format(\"%x\\n\", stack[i])\n"
	  "\t}\n"
	  "\treturn text\n"
	  "}\n" },
};

/* str() with the largest length of the config */
static void bt_put_str(struct bt_script *s, struct pos pos)
{
	long long most = s->strlen;

	bt_put(s, pos, "\nfunction bt_str(address) {\n");
	bt_put(s, pos, "\tvar text = str(address, %lld) || \"\"\n", most + 1);
	bt_put(s, pos, "\tif (len(text) <= %lld) {\n\t\treturn text\n\t}\n", most);
	bt_put(s, pos, "\treturn substr(text, 0, %lld) .. \"%s\"\n}\n", most,
	       s->trailer ? s->trailer : "..");
}

/* The users of this machine */
static void bt_put_users(struct bt_script *s, struct pos pos)
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd *user;

	bt_put(s, pos, "\nbt_users = {}\n");
	while (f && (user = fgetpwent(f)))
		if (!strpbrk(user->pw_name, "\"\\"))
			bt_put(s, pos, "bt_users[%u] = \"%s\"\n", (unsigned int)user->pw_uid,
			       user->pw_name);
	if (f)
		fclose(f);
	bt_put(s, pos, "\nfunction bt_username() {\n\treturn bt_users[uid] || tostring(uid)\n}\n");
}

/* A division by 0 has the value 1. */
static void bt_put_zero(struct bt_script *s, struct pos pos)
{
	bt_put(s, pos, "\nfunction bt_zero(place) {\n");
	if (!s->json && !s->cc->opts->nowarn) {
		bt_put(s, pos, "\tprintf(\"%%s: WARNING: Divide or modulo by 0 detected. ");
		bt_put(s, pos, "This can lead to unexpected results. ");
		bt_put(s, pos, "1 is being used as the result.\\n\", place)\n");
	}
	bt_put(s, pos, "\treturn 1\n}\n");
}

/* An index after the end of an array is that of its first element. */
static void bt_put_within(struct bt_script *s, struct pos pos)
{
	bt_put(s, pos, "\nfunction bt_within(index, count, place) {\n");
	bt_put(s, pos, "\tif (index >= 0 && index < count) {\n\t\treturn index\n\t}\n");
	if (!s->json && !s->cc->opts->nowarn) {
		bt_put(s, pos, "\tprintf(\"%%s: WARNING: Array access out of bounds. ");
		bt_put(s, pos, "This can lead to unexpected results. ");
		bt_put(s, pos, "0 is being used as the index.\\n\", place)\n");
	}
	bt_put(s, pos, "\treturn 0\n}\n");
}

void bt_text_helpers(struct bt_script *s)
{
	const struct pos pos = s->probes->events->pos;

	for (const struct bt_enum *e = s->enums; e; e = e->next)
		bt_put_enum(s, e);
	for (size_t i = 0; i < ARRAY_SIZE(bt_text_functions); i++)
		if (s->helpers & bt_text_functions[i].bit)
			bt_put(s, pos, "\n%s", bt_text_functions[i].text);
	if (s->helpers & BT_HELP_USERS)
		bt_put_users(s, pos);
	if (s->helpers & BT_HELP_ZERO)
		bt_put_zero(s, pos);
	if (s->helpers & BT_HELP_WITHIN)
		bt_put_within(s, pos);
	if (s->helpers & BT_HELP_GFP)
		bt_put_gfp(s, pos);
	if (s->helpers & BT_HELP_STR)
		bt_put_str(s, pos);
	if (s->helpers & BT_HELP_SIGNALS)
		bt_put_signals(s, pos);
}
