// SPDX-License-Identifier: GPL-2.0
/* Functions of bpftrace for text, and the flags of allocations as text. */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

/* The bytes that str(ADDRESS, N) reads: one less than N, for the NUL */
static void bt_put_strlen(struct bt_script *s, const struct bt_node *n)
{
	int64_t value;

	if (bt_constant_value(n, &value)) {
		bt_put(s, n->pos, "%lld", (long long)(value > 0 ? value - 1 : 0));
		return;
	}
	bt_put(s, n->pos, "max(");
	bt_number(s, n, LEVEL_SUM);
	bt_put(s, n->pos, " - 1, 0)");
}

/* str($1), str($1 + 1): it is text even if it looks like a number */
static bool bt_str_of_param(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *param = n->a->kind == BN_BINARY && *n->a->op == '+' ? n->a->a : n->a;

	if (param->kind != BN_PARAM || param->value <= 0)
		return false;
	if (n->a->next || param != n->a)
		bt_put(s, n->pos, "substr(");
	bt_put(s, n->pos, "($%d == nil ? \"\" : tostring($%d))", (int)param->value,
	       (int)param->value);
	if (!n->a->next && param == n->a)
		return true;
	bt_put(s, n->pos, ", ");
	if (param == n->a)
		bt_put(s, n->pos, "0");
	else
		bt_number(s, n->a->b, LEVEL_ANY);
	if (n->a->next) {
		bt_put(s, n->pos, ", ");
		bt_put_strlen(s, n->a->next);
	}
	bt_put(s, n->pos, ")");
	return true;
}

void bt_str(struct bt_script *s, const struct bt_node *n)
{
	if (bt_str_of_param(s, n))
		return;
	bt_put(s, n->pos, s->strlen && !n->a->next ? "bt_str(" : "str(");
	bt_value(s, n->a);
	if (n->a->next) {
		bt_put(s, n->pos, ", ");
		bt_put_strlen(s, n->a->next);
	}
	bt_put(s, n->pos, ")");
	if (s->strlen && !n->a->next)
		s->helpers |= BT_HELP_STR;
}

/* path(POINTER, SIZE): the last bytes of it, as many as fit with the NUL */
void bt_path(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *size = n->a->next;
	int64_t value = 0;

	if (size && (!bt_constant_value(size, &value) || value < 2)) {
		bt_error(s, size->pos, "path(args.file.f_path, 128)",
			 "the size of path() is a constant, 2 or more");
		return;
	}
	bt_put(s, n->pos, size ? "substr(path(" : "path(");
	bt_value(s, n->a);
	if (size)
		bt_put(s, n->pos, ") || \"\", %lld", (long long)(1 - value));
	bt_put(s, n->pos, ")");
}

/* buf("text", 7): bytes of a string, with the NUL that C adds; buf(array) */
void bt_buf(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n->a);
	const struct bt_node *count = n->a->next;

	if (t->kind == BT_STRING) {
		bt_put(s, n->pos, "substr(");
		if (n->a->kind == BN_STR)
			bt_put(s, n->a->pos, "%s", n->a->text);
		else
			bt_expr(s, n->a, LEVEL_CONCAT);
		bt_put(s, n->pos, count ? " .. \"\\0\", 0, " : ", 0, %u", t->size);
	} else {
		if (!count && (t->kind != BT_ARRAY || !bt_type_size(t)))
			bt_error(s, n->pos, "buf(ADDRESS, SIZE)",
				 "buf() needs the number of bytes");
		bt_put(s, n->pos, "buf(");
		bt_value(s, n->a);
		bt_put(s, n->pos, count ? ", " : ", %u", (unsigned int)bt_type_size(t));
	}
	if (count)
		bt_number(s, count, LEVEL_ANY);
	bt_put(s, n->pos, ")");
}

/* join(ADDRESS, BETWEEN): join() of ktap has blanks between. */
static void bt_join_text(struct bt_script *s, const struct bt_node *n)
{
	if (!n->a->next) {
		bt_call_template(s, n, "join(%1) || \"\"");
		return;
	}
	bt_call_template(s, n, "bt_join(%1, %2)");
	s->helpers |= BT_HELP_JOIN;
}

void bt_join(struct bt_script *s, const struct bt_node *n)
{
	if (n->a->next && bt_type_of(s, n->a->next)->kind != BT_STRING) {
		bt_error(s, n->a->next->pos, "join(args.argv, \",\")",
			 "the text between the strings of join() is a string");
		return;
	}
	bt_put(s, n->pos, s->json ?
	       "print(\"bt\", '{\"type\": \"join\", \"data\": ' .. \"\\x25}\", " : "print(");
	bt_join_text(s, n);
	bt_put(s, n->pos, ")");
}

/* strstr(TEXT, PART): where it is, or -1 */
void bt_strstr(struct bt_script *s, const struct bt_node *n)
{
	enum bt_type_kind kind;

	for (const struct bt_node *arg = n->a; arg; arg = arg->next) {
		kind = bt_type_of(s, arg)->kind;
		if (kind != BT_STRING && kind != BT_BYTES && kind != BT_ANY)
			bt_error(s, arg->pos, "strstr(comm, \"bash\")", "strstr() takes strings");
	}
	bt_call_template(s, n, "bt_strstr(%1, %2)");
	s->helpers |= BT_HELP_STRSTR;
}

/* comm(tid) is that of the thread, comm(pid) that of its process. */
void bt_comm(struct bt_script *s, const struct bt_node *n)
{
	const char *name = n->a->kind == BN_NAME ? n->a->text : "";

	if (strcmp(name, "pid") && strcmp(name, "tid"))
		bt_error(s, n->a->pos, "comm(pid), comm(tid)",
			 "comm() knows the names of this thread and of its process only");
	else if (s->edge && s->cc->opts->tool)
		bt_put(s, n->pos, "\"%s\"", s->cc->opts->tool);
	else
		bt_put(s, n->pos, *name == 't' ? "comm%s" : "curtask.group_leader.comm",
		       s->filter ? "()" : "");
}

/* The width or the precision that an argument gives, "*", as a number */
const struct bt_node *bt_fixed_format(struct bt_script *s, const struct bt_node *format)
{
	struct bt_node *fixed = pool_alloc(&s->cc->pool, sizeof(*fixed)), **link = &fixed->next;
	const struct bt_node *arg = format->next;
	const char *text = "", *p = format->text, *at;
	int64_t value = 0;

	*fixed = *format;
	for (; (at = strchr(p, '%')); p = at) {
		at++;
		at += strspn(at, "-+ 0#123456789.");
		for (; *at == '*'; at += strspn(at, "0123456789.")) {
			if (at[1] == '*') {
				bt_error(s, format->pos, "%*d, %.*s, %*.*s",
					 "a format has two widths: '%%**'");
				return NULL;
			}
			if (!arg || !bt_constant_value(arg, &value)) {
				bt_error(s, arg ? arg->pos : format->pos, "a constant",
					 "the width of '%%*' is no number that is known");
				return NULL;
			}
			/* C ignores a precision that is negative */
			if (at[-1] == '.' && value < 0)
				text = pool_printf(&s->cc->pool, "%s%.*s", text,
						   (int)(at - 1 - p), p);
			else
				text = pool_printf(&s->cc->pool, "%s%.*s%lld", text,
						   (int)(at - p), p, (long long)value);
			p = ++at;
			arg = arg->next;
		}
		at += strspn(at, "hlzjt");
		if (*at && *at != '%' && arg) {
			*link = pool_alloc(&s->cc->pool, sizeof(**link));
			**link = *arg;
			(*link)->next = NULL;
			link = &(*link)->next;
			arg = arg->next;
		}
		at += !!*at;
		text = pool_printf(&s->cc->pool, "%s%.*s", text, (int)(at - p), p);
	}
	*link = (struct bt_node *)arg;
	fixed->text = pool_printf(&s->cc->pool, "%s%s", text, p);
	return fixed;
}

/* Bits of gfp_t that are the same in all kernels since Linux 6.10; NULL: among the sums below */
static const char * const bt_gfp_bits[] = {
	NULL, "__GFP_HIGHMEM", NULL, "__GFP_MOVABLE", "__GFP_RECLAIMABLE",
	"__GFP_HIGH", "__GFP_IO", "__GFP_FS", "__GFP_ZERO", NULL, "__GFP_DIRECT_RECLAIM",
	"__GFP_KSWAPD_RECLAIM", "__GFP_WRITE", "__GFP_NOWARN", "__GFP_RETRY_MAYFAIL",
	"__GFP_NOFAIL", "__GFP_NORETRY", "__GFP_MEMALLOC", "__GFP_COMP", "__GFP_NOMEMALLOC",
	"__GFP_HARDWALL", "__GFP_THISNODE", "__GFP_ACCOUNT", "__GFP_ZEROTAGS",
};

#define BT_GFP_RECLAIM	(1u << 10 | 1u << 11)
#define BT_GFP_NOFS	(BT_GFP_RECLAIM | 1u << 6)
#define BT_GFP_KERNEL	(BT_GFP_NOFS | 1u << 7)
#define BT_GFP_USER	(BT_GFP_KERNEL | 1u << 20)
#define BT_GFP_HIGHUSER	(BT_GFP_USER | 1u << 1)
#define BT_GFP_MOVABLE	(BT_GFP_HIGHUSER | 1u << 3)
#define BT_GFP_LIGHT	((BT_GFP_MOVABLE & ~BT_GFP_RECLAIM) | 1u << 13 | 1u << 18 | 1u << 19)

/* Their usual sums, in the order in which the kernel looks for them when it prints flags */
static const struct {
	const char *name;
	unsigned int mask;
} bt_gfp_sums[] = {
	{ "GFP_TRANSHUGE", BT_GFP_LIGHT | 1u << 10 },
	{ "GFP_TRANSHUGE_LIGHT", BT_GFP_LIGHT },
	{ "GFP_HIGHUSER_MOVABLE", BT_GFP_MOVABLE },
	{ "GFP_HIGHUSER", BT_GFP_HIGHUSER },
	{ "GFP_USER", BT_GFP_USER },
	{ "GFP_KERNEL_ACCOUNT", BT_GFP_KERNEL | 1u << 22 },
	{ "GFP_KERNEL", BT_GFP_KERNEL },
	{ "GFP_NOFS", BT_GFP_NOFS },
	{ "GFP_ATOMIC", 1u << 5 | 1u << 11 },
	{ "GFP_NOIO", BT_GFP_RECLAIM },
	{ "GFP_NOWAIT", 1u << 11 | 1u << 13 },
	{ "GFP_DMA", 1u << 0 },
	{ "GFP_DMA32", 1u << 2 },
};

void bt_put_gfp(struct bt_script *s, struct pos pos)
{
	unsigned int n = 0;

	bt_put(s, pos, "\nbt_gfp_masks, bt_gfp_names = {}, {}\n");
	for (; n < ARRAY_SIZE(bt_gfp_sums); n++)
		bt_put(s, pos, "bt_gfp_masks[%u], bt_gfp_names[%u] = %#x, \"%s\"\n", n, n,
		       bt_gfp_sums[n].mask, bt_gfp_sums[n].name);
	for (unsigned int i = 0; i < ARRAY_SIZE(bt_gfp_bits); i++) {
		if (!bt_gfp_bits[i])
			continue;
		bt_put(s, pos, "bt_gfp_masks[%u], bt_gfp_names[%u] = %#x, \"%s\"\n", n, n,
		       1u << i, bt_gfp_bits[i]);
		n++;
	}
	bt_put(s, pos, "\nfunction bt_gfp(flags) {\n"
	       "\tvar text = \"\"\n"
	       "\tfor (i = 0, %u) {\n", n - 1);
	bt_put(s, pos, "\t\tvar mask = bt_gfp_masks[i]\n"
	       "\t\tif ((flags & mask) == mask) {\n"
	       "\t\t\ttext = text .. \"|\" .. bt_gfp_names[i]\n"
	       "\t\t\tflags &= ~mask\n"
	       "\t\t}\n"
	       "\t}\n"
	       "\tif (flags || text == \"\") {\n"
	       "\t\ttext = text .. format(flags ? \"|%%#x\" : \"|%%d\", flags)\n"
	       "\t}\n"
	       "\treturn substr(text, 1)\n"
	       "}\n");
}
