// SPDX-License-Identifier: GPL-2.0
/* Functions of bpftrace in ktap's language. */
#include <arpa/inet.h>
#include <string.h>

#include <linux/ktap.h>

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
 * @text: how ktap writes it: %1 is the first argument, %* are all; NULL: with code
 * @advice: not supported, and what to use instead
 * @min: number of its arguments
 * @max: the largest number
 * @type: of the result
 * @fails: it may give nil
 * @statement: it has no result
 */
static const struct bt_function {
	const char *name;
	const char *text;
	const char *advice;
	unsigned char min, max;
	unsigned char type;	/* enum bt_type_kind */
	bool fails;
	bool statement;
} bt_functions[] = {
	BT_ACTION("printf", 1, 32, NULL),
	BT_ACTION("errorf", 1, 32, NULL),
	BT_ACTION("warnf", 1, 32, NULL),
	BT_ACTION("print", 1, 3, NULL),
	BT_ACTION("clear", 1, 1, NULL),
	BT_ACTION("zero", 1, 1, NULL),
	BT_RESULT("delete", 1, 2, NULL, BT_BOOLEAN),
	BT_ACTION("exit", 0, 1, NULL),
	BT_ACTION("time", 0, 1, NULL),
	BT_ACTION("join", 1, 2, NULL),
	BT_ACTION("cat", 1, 32, NULL),
	BT_ACTION("system", 1, 32, "system(%*)"),
	BT_ACTION("signal", 1, 1, "signal(%1)"),
	BT_ACTION("override", 1, 1, "set_retval(%1)"),
	BT_RESULT("len", 1, 1, NULL, BT_INTEGER),
	BT_RESULT("has_key", 2, 2, NULL, BT_BOOLEAN),
	BT_MAYBE("str", 1, 2, NULL, BT_STRING),
	BT_MAYBE("path", 1, 2, NULL, BT_STRING),
	BT_MAYBE("buf", 1, 2, NULL, BT_BYTES),
	BT_RESULT("ksym", 1, 1, NULL, BT_STRING),
	BT_RESULT("usym", 1, 1, NULL, BT_ANY),
	BT_RESULT("kaddr", 1, 1, NULL, BT_INTEGER),
	BT_RESULT("kstack", 0, 2, NULL, BT_STACK),
	BT_RESULT("ustack", 0, 2, NULL, BT_STACK),
	BT_RESULT("nsecs", 0, 1, NULL, BT_INTEGER),
	BT_RESULT("ntop", 1, 2, NULL, BT_STRING),
	BT_RESULT("macaddr", 1, 1, "macaddr(%1)", BT_STRING),
	BT_RESULT("strftime", 2, 2, NULL, BT_STRING),
	BT_RESULT("strncmp", 3, 3, "(substr(%1, 0, %3) == substr(%2, 0, %3) ? 0 : 1)", BT_INTEGER),
	BT_RESULT("strcontains", 2, 2, "(strstr(%1, %2) != nil)", BT_BOOLEAN),
	BT_RESULT("strstr", 2, 2, NULL, BT_INTEGER),
	BT_RESULT("strlen", 1, 1, "strlen(%1)", BT_INTEGER),
	BT_RESULT("sizeof", 1, 1, NULL, BT_INTEGER),
	BT_RESULT("offsetof", 2, 2, NULL, BT_INTEGER),
	BT_RESULT("ppid", 1, 1, "%1.real_parent.tgid", BT_INTEGER),
	BT_RESULT("pcomm", 1, 1, "%1.real_parent.comm", BT_STRING),
	BT_RESULT("leader_comm", 1, 1, "%1.group_leader.comm", BT_STRING),
	BT_RESULT("leader_tid", 1, 1, "%1.group_leader.pid", BT_INTEGER),
	BT_RESULT("str_concat", 2, 2, "(%1 .. %2)", BT_STRING),
	BT_RESULT("is_str", 1, 1, NULL, BT_BOOLEAN),
	BT_RESULT("is_ptr", 1, 1, NULL, BT_BOOLEAN),
	BT_RESULT("is_array", 1, 1, NULL, BT_BOOLEAN),
	BT_RESULT("is_integer", 1, 1, NULL, BT_BOOLEAN),
	BT_RESULT("is_unsigned_integer", 1, 1, NULL, BT_BOOLEAN),
	BT_RESULT("is_literal", 1, 1, NULL, BT_BOOLEAN),
	BT_RESULT("kptr", 1, 1, "(%1)", BT_ANY),
	BT_RESULT("uptr", 1, 1, "(%1)", BT_ANY),
	BT_REFUSED("uaddr", "ktap, and uaddr(\"NAME\") in a block of uprobe, uretprobe or usdt"),
	BT_MAYBE("reg", 1, 1, "reg(%1)", BT_INTEGER),
	BT_RESULT("strerror", 1, 1, NULL, BT_STRING),
	BT_RESULT("signal_name", 1, 1, NULL, BT_STRING),
	BT_RESULT("syscall_name", 1, 1, "(syscall_name(%1) || \"unknown system call\")", BT_STRING),
	BT_RESULT("cgroupid", 1, 1, NULL, BT_INTEGER),
	BT_RESULT("cgroup_path", 1, 2, NULL, BT_STRING),
	BT_RESULT("is_err", 1, 1, NULL, BT_BOOLEAN),
	BT_RESULT("bswap", 1, 1, NULL, BT_ANY),
	BT_RESULT("pton", 1, 1, NULL, BT_ARRAY),
	BT_RESULT("getopt", 1, 3, NULL, BT_ANY),
	BT_RESULT("container_of", 3, 3, NULL, BT_ANY),
	BT_RESULT("percpu_kaddr", 1, 2, NULL, BT_INTEGER),
	BT_ACTION("assert", 2, 2, NULL),
	BT_ACTION("static_assert", 2, 2, NULL),
	BT_ACTION("fail", 1, 32, NULL),
	BT_REFUSED("skboutput", "tcpdump"),
	BT_REFUSED("socket_cookie", "the address of the socket"),
	BT_ACTION("unwatch", 1, 1, NULL),
	BT_REFUSED("debugf", "printf"),
	BT_REFUSED("signal_thread", "signal(), which is for the whole process"),
	BT_REFUSED("write_user", "nothing, as scripts write no memory of programs"),
	BT_REFUSED("config", "config().KEY, of one key"),
	BT_REFUSED("kfunc_exist", "nothing, as there is no BPF whose functions it is about"),
	BT_REFUSED("kfunc_allowed", "nothing, as there is no BPF whose functions it is about"),
	BT_REFUSED("typeinfo", "is_str(), is_integer() and others that ask for a type"),
	BT_REFUSED("dw_ustack", "ustack, of programs that have frame pointers"),
	BT_RESULT("comm", 1, 1, NULL, BT_STRING),
	BT_RESULT("pid", 1, 1, NULL, BT_INTEGER),
	BT_RESULT("tid", 1, 1, NULL, BT_INTEGER),
};

static const struct bt_function *bt_function(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(bt_functions); i++)
		if (!strcmp(bt_functions[i].name, name))
			return &bt_functions[i];
	return NULL;
}

bool bt_is_function(const char *name)
{
	enum bt_map_kind kind;

	return bt_function(name) || bt_map_function(name, &kind);
}

/* ntop(2, pton("127.0.0.1")): the address as it is in memory */
unsigned int bt_pton(struct bt_script *s, const struct bt_node *n, unsigned char *bytes)
{
	const char *text = n->a && n->a->kind == BN_STR ? n->a->text : NULL;
	char *plain;

	if (!text) {
		bt_error(s, n->pos, "pton(\"127.0.0.1\")", "pton() takes a string in quotes");
		return 0;
	}
	plain = pool_strndup(&s->cc->pool, text + 1, strlen(text) - 2);
	if (inet_pton(AF_INET, plain, bytes) == 1)
		return 4;
	if (inet_pton(AF_INET6, plain, bytes) == 1)
		return 16;
	bt_error(s, n->a->pos, NULL, "%s is no address of IPv4 or IPv6", text);
	return 0;
}

/* getopt("name", DEFAULT, "help"): without a default it is true or false */
static const struct bt_type *bt_type_of_option(const struct bt_node *n)
{
	const struct bt_node *value = n->a ? n->a->next : NULL;

	if (!value || value->kind == BN_BOOL)
		return &bt_boolean;
	return value->kind == BN_STR ? &bt_string : value->kind == BN_INT ? &bt_unsigned :
	       &bt_integer;
}

const struct bt_type *bt_type_of_call(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_function *f = bt_function(n->text);
	const struct bt_fn *fn = bt_fn_find(s, n->text);
	unsigned char bytes[16];
	int64_t value = 0;

	if (fn)
		return bt_fn_type(s, fn);
	if (!strcmp(n->text, "pton"))
		return bt_array_of(s, bt_type_named(s, "uint8", 0),
				   n->a && strchr(n->a->text, ':') ? sizeof(bytes) : 4);
	if (!strcmp(n->text, "getopt"))
		return bt_type_of_option(n);
	if (!strcmp(n->text, "bswap") && n->a)
		return bt_type_of(s, n->a);
	if (!strcmp(n->text, "container_of") && n->a && n->a->next)
		return bt_pointer_to(s, bt_type_of(s, n->a->next));
	if (!strcmp(n->text, "kstack") || !strcmp(n->text, "ustack"))
		return bt_stack_type(s, n->text, n->a);
	if ((!strcmp(n->text, "str") || !strcmp(n->text, "path")) && n->a && n->a->next &&
	    bt_constant_value(n->a->next, &value)) {
		struct bt_type *t = bt_type_new(s, BT_STRING);

		t->size = (uint64_t)value < KTAP_MAX_STRLEN ? value : KTAP_MAX_STRLEN;
		return t;
	}
	switch (f ? f->type : BT_ANY) {
	case BT_INTEGER:
		return &bt_integer;
	case BT_STRING:
		return &bt_string;
	case BT_BOOLEAN:
		return &bt_boolean;
	case BT_BYTES:
		return &bt_bytes;
	default:
		return &bt_any;
	}
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

void bt_call_template(struct bt_script *s, const struct bt_node *n, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "%");

		if (len)
			bt_put(s, n->pos, "%.*s", (int)len, text);
		text += len;
		if (!*text)
			break;
		if (text[1] == '*')
			bt_leaves(s, n->a, false);
		else
			bt_value(s, bt_argument(n, text[1] - '1'));
		text += 2;
	}
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
	else if (map->kind == BM_TSERIES)
		bt_series_clear(s, n, map);
	else if (map->keys <= 0 && map->kind <= BM_SUM)
		bt_put(s, n->pos, "%s = %s", map->ours, *n->text == 'z' ? "0" : "nil");
	else if (*n->text == 'z' && map->kind <= BM_SUM)
		bt_put(s, n->pos, "for (key in %s) { %s[key] = 0 }", map->ours, map->ours);
	else
		bt_put(s, n->pos, "clear(%s)", map->ours);
}

static const struct bt_node *bt_key_argument(const struct bt_node *key)
{
	return key && key->kind == BN_TUPLE && !key->next ? key->a : key;
}

static void bt_delete(struct bt_script *s, const struct bt_node *n, bool statement)
{
	const struct bt_map *map = bt_map_argument(s, n);
	const struct bt_node *key = bt_key_argument(n->a->a ? n->a->a : n->a->next);
	const struct bt_type *type = bt_key_type(s, key);

	if (!map)
		return;
	if (!key && map->keys > 0) {
		bt_error(s, n->pos, "clear(@NAME) deletes all",
			 "delete() of a map with keys takes a key");
		return;
	}
	if (key && (int)type->leaves != map->keys)
		bt_error(s, key->pos, NULL, "@%s has %d parts in its key", map->name, map->keys);
	if (map->kind == BM_TSERIES) {
		bt_error(s, n->pos, "clear(@NAME)", "delete() takes no map of tseries()");
	} else if (!statement) {
		bt_put(s, n->pos, "bt_delete_%s(", map->ours);
		bt_leaves(s, key, false);
		bt_put(s, n->pos, ")");
	} else if (!key) {
		bt_clear(s, n);
	} else {
		bt_put(s, n->pos, "delete %s[", map->ours);
		bt_leaves(s, key, true);
		bt_put(s, n->pos, "]");
	}
}

/* Report a key that no entry can have: text instead of a number, or a number instead of text. */
static void bt_check_key(struct bt_script *s, const struct bt_node *n, const struct bt_map *map,
			 const struct bt_node *key)
{
	const struct bt_type *own = bt_key_type(s, key), *wanted = map->key;
	bool differs = false;

	if (!own || !wanted || !bt_type_text(s, own) || !bt_type_text(s, wanted) ||
	    own->leaves != wanted->leaves)
		return;
	for (unsigned int i = 0; i < own->leaves; i++)
		differs |= (bt_leaf_type(own, i)->kind == BT_STRING) !=
			   (bt_leaf_type(wanted, i)->kind == BT_STRING);
	if (differs)
		bt_error(s, n->pos, NULL,
			 "Argument mismatch for @%s: trying to access with arguments: '%s' when map expects arguments: '%s'",
			 map->name, bt_type_text(s, own), bt_type_text(s, wanted));
}

static void bt_has_key(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map = bt_map_argument(s, n);

	if (map && map->keys <= 0)
		bt_error(s, n->a->pos, NULL,
			 "call to has_key() expects a map with explicit keys (non-scalar map)");
	if (!map || map->keys <= 0)
		return;
	bt_check_key(s, n, map, bt_key_argument(n->a->next));
	bt_put(s, n->pos, "(%s[", map->ours);
	bt_leaves(s, bt_key_argument(n->a->next), true);
	bt_put(s, n->pos, "] != nil)");
}

bool bt_constant_value(const struct bt_node *n, int64_t *value)
{
	int64_t x, y;

	if (n->kind == BN_INT) {
		*value = n->value;
		return true;
	}
	if (n->kind == BN_UNARY && *n->op == '-' && bt_constant_value(n->a, &x)) {
		*value = -(uint64_t)x;
		return true;
	}
	if (n->kind != BN_BINARY || n->op[1] || !strchr("+-*", *n->op) ||
	    !bt_constant_value(n->a, &x) || !bt_constant_value(n->b, &y))
		return false;
	*value = *n->op == '+' ? (uint64_t)x + y : *n->op == '-' ? (uint64_t)x - y :
		 (uint64_t)x * y;
	return true;
}

static void bt_bswap(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n->a);
	unsigned int size = t->kind == BT_INTEGER && t->size ? t->size : 8;

	bt_put(s, n->pos, size == 1 ? "u8(" : "bswap%u(", 8 * size);
	bt_number(s, n->a, LEVEL_ANY);
	bt_put(s, n->pos, ")");
}

static void bt_strerror(struct bt_script *s, const struct bt_node *n)
{
	bt_put(s, n->pos, "strerror(");
	bt_number(s, n->a, LEVEL_ANY);
	bt_put(s, n->pos, ")");
}

/* The text of the C library, which is not the name that signal_name() of ktap gives */
static void bt_signal_name(struct bt_script *s, const struct bt_node *n)
{
	int64_t value;

	if (bt_constant_value(n->a, &value)) {
		bt_put(s, n->pos, "\"%s\"", value > 0 && value < 65 ? strsignal(value) :
					     value ? "N/A" : "Unknown signal 0");
		return;
	}
	bt_put(s, n->pos, "bt_signal_name(");
	bt_number(s, n->a, LEVEL_ANY);
	bt_put(s, n->pos, ")");
	s->helpers |= BT_HELP_SIGNALS;
}

/* sizeof(TYPE), sizeof(EXPRESSION) */
static void bt_sizeof(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n->a);
	uint64_t size = bt_type_size(t);

	if (t->kind == BT_STRING && !size)
		size = bt_default_strlen(s);
	if (size > KTAP_MAX_TYPE_SIZE)
		bt_error(s, n->a->pos, NULL, "a type is larger than %u bytes", KTAP_MAX_TYPE_SIZE);
	else if (t->kind == BT_POINTER)
		bt_put(s, n->pos, n->a->kind == BN_TYPE ? "sizeof(\"void *\")" : "8");
	else if (n->a->kind == BN_TYPE && t->kind != BT_INTEGER)
		bt_put(s, n->pos, "sizeof(\"%s\")", n->a->text);
	else if (t->kind == BT_STRUCT && t->name)
		bt_put(s, n->pos, "sizeof(\"%s\")", t->name);
	else if (size)
		bt_put(s, n->pos, "%u", (unsigned int)size);
	else if (n->a->kind == BN_NAME && !bt_is_builtin(n->a->text))
		/* an enumerator of the kernel; it is an error if there is none */
		bt_put(s, n->pos, "(`%s` * 0 + 8)", n->a->text);
	else
		bt_error(s, n->a->pos, "sizeof(struct NAME)",
			 "the size of this value is not known");
}

/* container_of(POINTER, TYPE, MEMBER) */
static void bt_container(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *type = n->a->next, *member = type->next;

	/* a member may have the name of a function */
	if (type->kind != BN_TYPE || (member->kind != BN_NAME &&
				      (member->kind != BN_CALL || member->a))) {
		bt_error(s, type->pos, NULL,
			 "write container_of(POINTER, typeof(struct NAME), MEMBER)");
		return;
	}
	bt_put(s, n->pos, "cast(\"%s\", ipof(", type->text);
	bt_value(s, n->a);
	bt_put(s, n->pos, ") - offsetof(\"%s\", \"%s\"))", type->text, member->text);
}

/* assert(CONDITION, TEXT), fail(FORMAT, ...): a message, and the end with an exit code */
static void bt_fail_call(struct bt_script *s, const struct bt_node *n)
{
	bool assert = strcmp(n->text, "fail");

	if (assert) {
		bt_put(s, n->pos, "if (!(");
		bt_truth(s, n->a);
		bt_put(s, n->pos, ")) { ");
	}
	bt_message(s, n);
	bt_put(s, n->pos, assert ? "; exit(1) }" : "; exit(1)");
}

static void bt_time(struct bt_script *s, const struct bt_node *n)
{
	if (s->json)
		bt_put(s, n->pos, "print(\"bt\", '{\"type\": \"time\", \"data\": %%}', strftime(%s",
		       n->a ? "" : "\"%H:%M:%S\\n\"");
	else
		bt_put(s, n->pos, "%s", n->a ? "printf(\"%s\", strftime(" :
		       "print(strftime(\"%H:%M:%S\"");
	bt_leaves(s, n->a, false);
	bt_put(s, n->pos, ", nsecs + utc_offset))");
}

static void bt_strftime(struct bt_script *s, const struct bt_node *n)
{
	bt_put(s, n->pos, "strftime(");
	bt_value(s, n->a);
	bt_put(s, n->pos, ", ");
	bt_number(s, n->a->next, LEVEL_SUM);
	bt_put(s, n->pos, " + utc_offset)");
}

static void bt_cat(struct bt_script *s, const struct bt_node *n)
{
	bt_put(s, n->pos, "cat(");
	if (n->a->next)
		bt_printf(s, n, "format");
	else
		bt_value(s, n->a);
	bt_put(s, n->pos, ")");
}

static void bt_len(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map = bt_map_of(s, n->a);

	if (map && map->keys > 0 && !n->a->a)
		bt_put(s, n->pos, "len(%s)", map->ours);
	else if (map && !n->a->a && map->type->kind != BT_STRING && map->type->kind != BT_STACK)
		bt_error(s, n->a->pos, NULL,
			 "call to len() expects a map with explicit keys (non-scalar map)");
	else
		bt_call_template(s, n, "len(%1)");
}

static void bt_nsecs(struct bt_script *s, const struct bt_node *n)
{
	static const char * const clocks[][2] = {
		{ "monotonic", "nsecs" }, { "boot", "ffi.C.ktime_get_boottime_ns()" },
		{ "tai", "ffi.C.ktime_get_clocktai_ns()" },
		{ "sw_tai", "ffi.C.ktime_get_clocktai_ns()" },
	};
	const char *name = !n->a ? "monotonic" : n->a->kind == BN_NAME ? n->a->text : "";

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (!strcmp(clocks[i][0], name)) {
			bt_put(s, n->pos, "%s", clocks[i][1]);
			return;
		}
	}
	bt_error(s, n->a->pos, NULL, "the clocks are monotonic, boot, tai and sw_tai");
}

static void bt_ntop(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *address = n->a->next ? n->a->next : n->a;
	const struct bt_type *t = bt_type_of(s, address);
	unsigned char bytes[16] = { 0 };
	unsigned int count;

	if (t->kind == BT_ARRAY && !bt_is_stored(s, address) && bt_type_size(t)) {
		/* the size is that of the family */
		bt_put(s, n->pos, "ntop(buf(");
		bt_expr(s, address, LEVEL_ANY);
		bt_put(s, n->pos, ", %u) || 0)", (unsigned int)bt_type_size(t));
		return;
	}
	if (address->kind != BN_CALL || strcmp(address->text, "pton")) {
		bt_call_template(s, n, "ntop(%*)");
		return;
	}
	count = bt_pton(s, address, bytes);
	bt_put(s, n->pos, "ntop(\"");
	for (unsigned int i = 0; i < count; i++)
		bt_put(s, n->pos, "\\x%02x", bytes[i]);
	bt_put(s, n->pos, "\")");
}

/* The name without an offset */
static void bt_ksym(struct bt_script *s, const struct bt_node *n)
{
	bt_call_template(s, n, "bt_ksym(%1)");
	s->helpers |= BT_HELP_KSYM;
}

static void bt_is_err(struct bt_script *s, const struct bt_node *n)
{
	bt_put(s, n->pos, "(ptr_err(");
	bt_value(s, n->a);
	bt_put(s, n->pos, ") != nil)");
}

/* pid(init), pid(curr_ns) */
static void bt_pid(struct bt_script *s, const struct bt_node *n)
{
	const char *space = n->a->kind == BN_NAME ? n->a->text : "";
	bool own = !strcmp(space, "curr_ns");

	if (!own && strcmp(space, "init"))
		bt_error(s, n->a->pos, NULL, "%s() takes curr_ns or init", n->text);
	bt_process(s, n, own);
}

/* bpftrace looks at it after all elements of an iterator, and its script ends then in any case. */
static void bt_exit(struct bt_script *s, const struct bt_node *n)
{
	if (!s->iter)
		bt_call_template(s, n, "exit(%*)");
	else if (n->a && (n->a->kind != BN_INT || n->a->value))
		bt_error(s, n->a->pos, "exit(), or exit(N) in END",
			 "exit() of an iterator takes no number");
	else
		bt_put(s, n->pos, "return");
}

static void bt_print_format(struct bt_script *s, const struct bt_node *n)
{
	bt_printf(s, n, "printf");
}

static void bt_offsetof(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n->a);
	const char *name = n->a->kind == BN_TYPE ? n->a->text : NULL;

	if (t->kind == BT_POINTER)
		t = t->of;
	if (!name && t->kind == BT_STRUCT)
		name = t->name;
	if (!name)
		bt_error(s, n->a->pos, "offsetof(struct NAME, MEMBER)",
			 "expected a structure that has a name");
	else
		bt_put(s, n->pos, "offsetof(\"%s\", %s)", name, n->a->next->text);
}

static const struct {
	const char *name;
	void (*put)(struct bt_script *s, const struct bt_node *n);
} bt_calls[] = {
	{ "printf", bt_print_format }, { "errorf", bt_message }, { "warnf", bt_message },
	{ "print", bt_print }, { "exit", bt_exit }, { "clear", bt_clear }, { "zero", bt_clear },
	{ "has_key", bt_has_key }, { "str", bt_str }, { "buf", bt_buf },
	{ "path", bt_path },
	{ "kstack", bt_stack_call }, { "ustack", bt_stack_call }, { "kaddr", bt_kaddr },
	{ "time", bt_time }, { "strftime", bt_strftime }, { "nsecs", bt_nsecs },
	{ "join", bt_join }, { "cat", bt_cat },
	{ "len", bt_len }, { "ntop", bt_ntop }, { "sizeof", bt_sizeof },
	{ "offsetof", bt_offsetof }, { "getopt", bt_option }, { "bswap", bt_bswap },
	{ "strerror", bt_strerror }, { "signal_name", bt_signal_name },
	{ "container_of", bt_container }, { "percpu_kaddr", bt_percpu },
	{ "assert", bt_fail_call }, { "static_assert", bt_fail_call }, { "fail", bt_fail_call },
	{ "is_err", bt_is_err },
	{ "pid", bt_pid }, { "tid", bt_pid }, { "usym", bt_stack_usym }, { "ksym", bt_ksym },
	{ "cgroupid", bt_cgroup_id }, { "cgroup_path", bt_cgroup_path },
	{ "is_str", bt_is_of_type }, { "is_ptr", bt_is_of_type }, { "is_array", bt_is_of_type },
	{ "is_integer", bt_is_of_type }, { "is_unsigned_integer", bt_is_of_type },
	{ "is_literal", bt_is_of_type }, { "unwatch", bt_unwatch }, { "strstr", bt_strstr },
	{ "comm", bt_comm },
};

static void bt_other_call(struct bt_script *s, const struct bt_node *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(bt_calls); i++)
		if (!strcmp(bt_calls[i].name, n->text))
			bt_calls[i].put(s, n);
}

/* A macro with another number of arguments was not expanded. */
static void bt_unknown_call(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_macro *macro = s->macros;

	while (macro && strcmp(macro->name, n->text))
		macro = macro->next;
	if (macro)
		bt_error(s, n->pos, NULL, "the macro %s() takes %u argument%s, %u given", n->text,
			 bt_list_length(macro->params), macro->params && !macro->params->next ?
			 "" : "s", bt_list_length(n->a));
	else
		bt_error(s, n->pos, NULL, "'%s' is no function of bpftrace that is supported",
			 n->text);
}

bool bt_call_has_value(const struct bt_script *s, const struct bt_node *n)
{
	const struct bt_function *f = bt_function(n->text);

	return f && !f->statement && !f->advice && strcmp(n->text, "delete") &&
	       !bt_fn_find(s, n->text);
}

void bt_call(struct bt_script *s, const struct bt_node *n, bool statement)
{
	const struct bt_function *f = bt_function(n->text);
	const struct bt_fn *fn = bt_fn_find(s, n->text);
	unsigned int count = bt_list_length(n->a);
	enum bt_map_kind kind;

	if (fn) {
		bt_fn_call(s, n, fn, statement);
	} else if (bt_map_function(n->text, &kind)) {
		bt_error(s, n->pos, NULL, "%s() is assigned to a map: @NAME = %s(...)", n->text,
			 n->text);
	} else if (!f) {
		bt_unknown_call(s, n);
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
	} else if (!strcmp(n->text, "delete")) {
		bt_delete(s, n, statement);
	} else if (f->text) {
		bt_call_template(s, n, f->text);
	} else {
		bt_other_call(s, n);
	}
}
