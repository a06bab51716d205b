// SPDX-License-Identifier: GPL-2.0
/* Functions of bpftrace in ktap's language. */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

#define BT_ACTION(n, lo, hi, t)	\
	{ .name = n, .min = lo, .max = hi, .text = t, .statement = true }
#define BT_RESULT(n, lo, hi, t, r) \
	{ .name = n, .min = lo, .max = hi, .text = t, .type = r }
#define BT_MAYBE(n, lo, hi, t, r) \
	{ .name = n, .min = lo, .max = hi, .text = t, .type = r, .fails = true }
#define BT_REFUSED(n, a)	{ .name = n, .advice = a }

/**
 * struct bt_function - a function
 * @min: number of its arguments
 * @max: the largest number
 * @text: how ktap writes it: %1 is the first argument, %* are all; NULL: with code
 * @type: of the result
 * @fails: it may give nil
 * @statement: it has no result
 * @advice: not supported, and what to use instead
 */
static const struct bt_function {
	const char *name;
	unsigned int min, max;
	const char *text;
	enum bt_type type;
	bool fails;
	bool statement;
	const char *advice;
} bt_functions[] = {
	BT_ACTION("printf", 1, 32, NULL),
	BT_ACTION("errorf", 1, 32, NULL),
	BT_ACTION("warnf", 1, 32, NULL),
	BT_ACTION("print", 1, 3, NULL),
	BT_ACTION("clear", 1, 1, NULL),
	BT_ACTION("zero", 1, 1, NULL),
	BT_ACTION("delete", 1, 2, NULL),
	BT_ACTION("exit", 0, 1, "exit(%*)"),
	BT_ACTION("time", 0, 1, NULL),
	BT_ACTION("join", 1, 2, NULL),
	BT_ACTION("cat", 1, 32, NULL),
	BT_ACTION("system", 1, 32, "system(%*)"),
	BT_ACTION("signal", 1, 1, "signal(%1)"),
	BT_ACTION("override", 1, 1, "set_retval(%1)"),
	BT_RESULT("len", 1, 1, NULL, BT_INTEGER),
	BT_RESULT("has_key", 2, 2, NULL, BT_BOOLEAN),
	BT_MAYBE("str", 1, 2, NULL, BT_STRING),
	BT_MAYBE("buf", 2, 2, "buf(%*)", BT_STRING),
	BT_MAYBE("ksym", 1, 1, "ksym(%1)", BT_STRING),
	BT_RESULT("usym", 1, 1, "usym(%1)", BT_ANY),
	BT_RESULT("kaddr", 1, 1, NULL, BT_INTEGER),
	BT_RESULT("kstack", 0, 2, NULL, BT_STACK),
	BT_RESULT("ustack", 0, 2, NULL, BT_STACK),
	BT_RESULT("nsecs", 0, 1, NULL, BT_INTEGER),
	BT_RESULT("ntop", 1, 2, "ntop(%*)", BT_STRING),
	BT_RESULT("macaddr", 1, 1, "macaddr(%1)", BT_STRING),
	BT_RESULT("strftime", 2, 2, "strftime(%*)", BT_STRING),
	BT_RESULT("strncmp", 3, 3, "strcmp(substr(%1, 0, %3), substr(%2, 0, %3))", BT_INTEGER),
	BT_RESULT("strcontains", 2, 2, "(strstr(%1, %2) != nil)", BT_BOOLEAN),
	BT_RESULT("strlen", 1, 1, "strlen(%1)", BT_INTEGER),
	BT_RESULT("sizeof", 1, 1, "sizeof(%1)", BT_INTEGER),
	BT_RESULT("offsetof", 2, 2, "offsetof(%*)", BT_INTEGER),
	BT_RESULT("kptr", 1, 1, "(%1)", BT_ANY),
	BT_RESULT("uptr", 1, 1, "(%1)", BT_ANY),
	BT_REFUSED("uaddr", "an event of the program, uprobe:PATH:NAME"),
	BT_REFUSED("reg",
		   "argN, retval, or a script of ktap: trace probe:f x=%di { print(args.x) }"),
	BT_REFUSED("tseries",
		   "@n = count() and interval:s:1 { print(@n); clear(@n) }"),
	BT_REFUSED("strerror", "the number"),
	BT_REFUSED("cgroupid", "the number: stat -c %i /sys/fs/cgroup/NAME"),
	BT_REFUSED("cgroup_path", "cgroup, a number: find /sys/fs/cgroup -inum NUMBER"),
	BT_REFUSED("path", "the members of the path, such as args.file.f_path.dentry"),
	BT_REFUSED("pton", "ntop(ADDRESS) == \"127.0.0.1\""),
	BT_REFUSED("bswap", "shifts: (x & 255) << 8 | x >> 8"),
	BT_REFUSED("skboutput", "tcpdump"),
	BT_REFUSED("socket_cookie", "the address of the socket"),
	BT_REFUSED("percpu_kaddr", "a script of ktap: `name` is the variable of this CPU"),
	BT_REFUSED("unwatch", "nothing: there are no watchpoints"),
	BT_REFUSED("strstr", "strcontains(TEXT, PART)"),
	BT_REFUSED("syscall_name", "tracepoint:syscalls:sys_enter_* and probe"),
	BT_REFUSED("debugf", "printf"),
	BT_REFUSED("fail", "printf and exit(1)"),
	BT_REFUSED("assert", "if (!CONDITION) { exit(1) }"),
	BT_REFUSED("comm", "comm, which is that of the thread"),
	BT_REFUSED("pid", "pid, which is the number in the first namespace"),
	BT_REFUSED("tid", "tid, which is the number in the first namespace"),
	BT_REFUSED("getopt", "$1, $2: positional parameters"),
	BT_REFUSED("typeof", "the type itself"),
};

static const struct bt_function *bt_function(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(bt_functions); i++)
		if (!strcmp(bt_functions[i].name, name))
			return &bt_functions[i];
	return NULL;
}

enum bt_type bt_call_type(const char *name)
{
	const struct bt_function *f = bt_function(name);

	return f ? f->type : BT_ANY;
}

bool bt_call_may_fail(const char *name)
{
	const struct bt_function *f = bt_function(name);

	return f && f->fails;
}

unsigned int bt_list_length(const struct bt_node *n)
{
	unsigned int count = 0;

	for (; n; n = n->next)
		count++;
	return count;
}

static const struct bt_node *bt_argument(const struct bt_node *n, unsigned int i)
{
	for (n = n->a; i; i--)
		n = n->next;
	return n;
}

static void bt_call_template(struct bt_script *s, const struct bt_node *n, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "%");

		if (len)
			bt_put(s, n->pos, "%.*s", (int)len, text);
		text += len;
		if (!*text)
			break;
		if (text[1] == '*')
			bt_values(s, n->a, false);
		else
			bt_value(s, bt_argument(n, text[1] - '1'));
		text += 2;
	}
}

/*
 * The format is the same except for these.  Returns false after an error; notes for each
 * argument whether it is printed as text.
 */
static bool bt_format(struct bt_script *s, const struct bt_node *format, bool *texts,
		      unsigned int max)
{
	unsigned int arg = 0;

	if (format->kind != BN_STR) {
		bt_error(s, format->pos, NULL, "the format of printf is a string in quotes");
		return false;
	}
	for (const char *p = format->text; (p = strchr(p, '%')); p++) {
		if (*++p == '%')
			continue;
		p += strspn(p, "-+ 0#123456789.hlzjt");
		if (*p == '*' || *p == 'r') {
			bt_error(s, format->pos, *p == '*' ? "write the width as a number" :
				 "%s, or read(ADDRESS, SIZE) and %x",
				 "'%%%c' in a format is not supported", *p);
			return false;
		}
		if (!*p)
			break;
		if (arg < max)
			texts[arg] = *p == 's';
		arg++;
	}
	return true;
}

/* @before: text of a format that is printed first; then a newline is printed last. */
static void bt_printf(struct bt_script *s, const struct bt_node *n, const char *function,
		      const char *before)
{
	bool texts[32] = { false };
	unsigned int i = 0;
	size_t len;

	if (!bt_format(s, n->a, texts, ARRAY_SIZE(texts)))
		return;
	/* The text of the format without its quotes */
	len = strlen(n->a->text) - 2;
	bt_put(s, n->pos, "%s(\"%s%.*s", function, before ? before : "", (int)len, n->a->text + 1);
	if (before && (len < 2 || strncmp(n->a->text + len - 1, "\\n", 2)))
		bt_put(s, n->pos, "\\n");
	bt_put(s, n->pos, "\"");
	for (const struct bt_node *arg = n->a->next; arg; arg = arg->next, i++) {
		bt_put(s, arg->pos, ", ");
		if (i < ARRAY_SIZE(texts) && texts[i] && arg->kind == BN_MAP &&
		    bt_type_of(s, arg) == BT_ANY) {
			bt_number(s, arg, 2);
			bt_put(s, arg->pos, " || \"\"");
		} else {
			bt_value(s, arg);
		}
	}
	bt_put(s, n->pos, ")");
}

/* errorf(), warnf(): with the place in the script before */
static void bt_message(struct bt_script *s, const struct bt_node *n)
{
	const char *name = s->cc->diag.files[0].name;
	const char *kind = *n->text == 'e' ? "ERROR" : "WARNING", *escaped = "";

	for (; name && *name; name++) {
		const char *c = *name == '%' ? "%%" : strchr("\"\\\n", *name) ? "?" : NULL;

		escaped = pool_printf(&s->cc->pool, "%s%.*s", escaped, c ? (int)strlen(c) : 1,
				      c ? c : name);
	}
	bt_printf(s, n, "printf", pool_printf(&s->cc->pool, "%s:%u:%u: %s: ", escaped,
					      n->pos.line, n->pos.col, kind));
}

static const struct bt_map *bt_map_argument(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map = bt_map_of(s, n->a);

	if (!map)
		bt_error(s, n->a->pos, NULL, "%s() takes a map", n->text);
	return map;
}

static void bt_clear(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map = bt_map_argument(s, n);

	if (!map)
		return;
	if (n->a->a)
		bt_error(s, n->a->pos, "delete(@NAME[KEY])", "%s() takes a whole map", n->text);
	else if (map->keys <= 0 && map->kind <= BM_SUM)
		bt_put(s, n->pos, "%s = %s", map->ours, *n->text == 'z' ? "0" : "nil");
	else if (*n->text == 'z' && map->kind <= BM_SUM)
		bt_put(s, n->pos, "for (key in %s) { %s[key] = 0 }", map->ours, map->ours);
	else
		bt_put(s, n->pos, "clear(%s)", map->ours);
}

static void bt_delete(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map = bt_map_argument(s, n);
	const struct bt_node *key = n->a->a ? n->a->a : n->a->next;

	if (!map)
		return;
	if (!key) {
		if (map->keys > 0)
			bt_error(s, n->pos, "clear(@NAME) deletes all",
				 "delete() of a map with keys takes a key");
		else
			bt_clear(s, n);
		return;
	}
	if (key->kind == BN_TUPLE)
		key = key->a;
	if ((int)bt_list_length(key) != map->keys)
		bt_error(s, key->pos, NULL, "@%s has %d parts in its key", map->name, map->keys);
	bt_put(s, n->pos, "delete %s[", map->ours);
	bt_values(s, key, true);
	bt_put(s, n->pos, "]");
}

static void bt_has_key(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map = bt_map_argument(s, n);
	const struct bt_node *key = n->a->next;

	if (!map)
		return;
	bt_put(s, n->pos, "(%s[", map->ours);
	bt_values(s, key->kind == BN_TUPLE ? key->a : key, true);
	bt_put(s, n->pos, "] != nil)");
}

/* str($1) is text even if it looks like a number */
static void bt_str(struct bt_script *s, const struct bt_node *n)
{
	if (n->a->kind == BN_PARAM && n->a->value > 0)
		bt_put(s, n->pos, "($%d == nil ? \"\" : tostring($%d))", (int)n->a->value,
		       (int)n->a->value);
	else
		bt_call_template(s, n, "str(%*)");
}

/* kstack(perf, 5), kstack(5) */
static void bt_stack(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *mode = n->a;

	if (mode && mode->kind == BN_NAME) {
		if (strcmp(mode->text, "perf") && strcmp(mode->text, "bpftrace"))
			bt_error(s, mode->pos, NULL,
				 "there is one format of stacks, not '%s'", mode->text);
		mode = mode->next;
	}
	bt_put(s, n->pos, "%s", n->text);
	if (mode) {
		bt_put(s, n->pos, "(");
		bt_values(s, mode, false);
		bt_put(s, n->pos, ")");
	}
}

static void bt_kaddr(struct bt_script *s, const struct bt_node *n)
{
	if (n->a->kind == BN_STR)
		bt_put(s, n->pos, "kaddr_%.*s", (int)strcspn(n->a->text + 1, "\""),
		       n->a->text + 1);
	else
		bt_error(s, n->a->pos, NULL, "kaddr() takes a name in quotes");
}

static void bt_other_call(struct bt_script *s, const struct bt_node *n)
{
	if (!strcmp(n->text, "printf")) {
		bt_printf(s, n, "printf", NULL);
	} else if (!strcmp(n->text, "errorf") || !strcmp(n->text, "warnf")) {
		bt_message(s, n);
	} else if (!strcmp(n->text, "print")) {
		bt_print(s, n);
	} else if (!strcmp(n->text, "clear") || !strcmp(n->text, "zero")) {
		bt_clear(s, n);
	} else if (!strcmp(n->text, "delete")) {
		bt_delete(s, n);
	} else if (!strcmp(n->text, "has_key")) {
		bt_has_key(s, n);
	} else if (!strcmp(n->text, "str")) {
		bt_str(s, n);
	} else if (!strcmp(n->text, "kstack") || !strcmp(n->text, "ustack")) {
		bt_stack(s, n);
	} else if (!strcmp(n->text, "kaddr")) {
		bt_kaddr(s, n);
	} else if (!strcmp(n->text, "time")) {
		bt_put(s, n->pos, "%s", n->a ? "printf(\"%s\", strftime(" :
		       "print(strftime(\"%H:%M:%S\"");
		bt_values(s, n->a, false);
		bt_put(s, n->pos, "))");
	} else if (!strcmp(n->text, "nsecs")) {
		if (n->a && (n->a->kind != BN_NAME || strcmp(n->a->text, "monotonic")))
			bt_error(s, n->a->pos, NULL, "there is one clock, nsecs(monotonic)");
		bt_put(s, n->pos, "nsecs");
	} else if (!strcmp(n->text, "join")) {
		if (n->a->next)
			bt_error(s, n->a->next->pos, "join(ADDRESS)",
				 "join() has blanks between, no other text");
		bt_call_template(s, n, "print(join(%1) || \"\")");
	} else if (!strcmp(n->text, "cat")) {
		bt_put(s, n->pos, "cat(");
		if (n->a->next)
			bt_printf(s, n, "format", NULL);
		else
			bt_value(s, n->a);
		bt_put(s, n->pos, ")");
	} else if (bt_map_of(s, n->a)) {
		bt_put(s, n->pos, "len(%s)", bt_map_of(s, n->a)->ours);
	} else {
		bt_call_template(s, n, "len(%1)");
	}
}

void bt_call(struct bt_script *s, const struct bt_node *n, bool statement)
{
	const struct bt_function *f = bt_function(n->text);
	unsigned int count = bt_list_length(n->a);
	enum bt_map_kind kind;

	if (bt_map_function(n->text, &kind)) {
		bt_error(s, n->pos, NULL, "%s() is assigned to a map: @NAME = %s(...)", n->text,
			 n->text);
	} else if (!f) {
		bt_error(s, n->pos, NULL, "'%s' is no function of bpftrace that is supported",
			 n->text);
	} else if (f->advice) {
		bt_error(s, n->pos, pool_printf(&s->cc->pool, "instead: %s", f->advice),
			 "%s() is not supported", n->text);
	} else if (count < f->min || count > f->max) {
		bt_error(s, n->pos, NULL, "%s() takes %s%u argument%s, %u given", n->text,
			 f->min == f->max ? "" : count < f->min ? "at least " : "at most ",
			 count < f->min ? f->min : f->max,
			 (count < f->min ? f->min : f->max) == 1 ? "" : "s", count);
	} else if (f->statement && !statement) {
		bt_error(s, n->pos, NULL, "%s() has no value", n->text);
	} else if (f->text) {
		bt_call_template(s, n, f->text);
	} else {
		bt_other_call(s, n);
	}
}
