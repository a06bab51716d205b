// SPDX-License-Identifier: GPL-2.0
/*
 * getopt(): options of the script. Those that the user gives are known when ktap compiles the
 * script, so that their mistakes are reported in the words of bpftrace.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/clean_text.h"

/* @name, @help: literals in quotes; @help may be NULL */
struct bt_option {
	const char *name;
	const char *help;
	struct bt_option *next;
};

/* Print an error that has no place in the script, up to the user's text. */
static FILE *bt_option_error(struct bt_script *s, const char *message)
{
	FILE *out = s->cc->opts->diag;

	diag_flush(&s->cc->diag);
	s->cc->diag.nerrors++;
	fprintf(out, "ERROR: %s", message);
	return out;
}

/* The value of --NAME=VALUE among the arguments, or NULL */
static const char *bt_option_given(const struct bt_script *s, const char *name)
{
	size_t len = strlen(name) - 2;

	for (char *const *arg = s->cc->opts->bpftrace_args; arg && *arg; arg++)
		if (!strncmp(*arg, "--", 2) && !strncmp(*arg + 2, name + 1, len) &&
		    (*arg)[len + 2] == '=')
			return *arg + len + 3;
	return NULL;
}

static void bt_option_check_integer(struct bt_script *s, const char *name)
{
	const char *given = bt_option_given(s, name);
	char *end;
	FILE *out;

	if (!given)
		return;
	errno = 0;
	if (*given == '-')
		strtoll(given, &end, 0);
	else
		strtoull(given, &end, 0);
	if (*given && !*end && !errno)
		return;
	out = bt_option_error(s, "program command line option --");
	fprintf(out, "%.*s invalid integer (value: ", (int)strlen(name) - 2, name + 1);
	put_clean(out, given, strlen(given));
	fputs(")\n", out);
}

static struct bt_option *bt_option_find(const struct bt_script *s, const char *name, size_t len)
{
	struct bt_option *o = s->options;

	while (o && (strlen(o->name) != len + 2 || strncmp(o->name + 1, name, len)))
		o = o->next;
	return o;
}

void bt_option(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *value = n->a->next, *help = value ? value->next : NULL;
	struct bt_option **last = &s->options;

	if (n->a->kind == BN_STR && !bt_option_find(s, n->a->text + 1, strlen(n->a->text) - 2)) {
		while (*last)
			last = &(*last)->next;
		*last = pool_alloc(&s->cc->pool, sizeof(**last));
		(*last)->name = n->a->text;
		(*last)->help = help && help->kind == BN_STR ? help->text : NULL;
		if (value && bt_type_of(s, value)->kind == BT_INTEGER)
			bt_option_check_integer(s, n->a->text);
	}
	bt_put(s, n->pos, "getopt(");
	bt_value(s, n->a);
	bt_put(s, n->pos, value ? ", " : ", false");
	bt_leaves(s, value, false);
	bt_put(s, n->pos, ")");
}

static void bt_list_options(const struct bt_script *s, FILE *out)
{
	for (const struct bt_option *o = s->options; o; o = o->next)
		fprintf(out, "%s--%.*s", o == s->options ? " " : ", ", (int)strlen(o->name) - 2,
			o->name + 1);
	fputc('\n', out);
}

/* --help: the options, each on a line */
static void bt_describe_options(struct bt_script *s, FILE *out)
{
	diag_flush(&s->cc->diag);
	s->cc->diag.nerrors++;
	fputs("HINT: expected program options:\n", out);
	for (const struct bt_option *o = s->options; o; o = o->next)
		fprintf(out, o->help ? "    --%.*s: %.*s\n" : "    --%.*s\n",
			(int)strlen(o->name) - 2, o->name + 1,
			o->help ? (int)strlen(o->help) - 2 : 0, o->help ? o->help + 1 : "");
}

/* A script without options takes such words as arguments. */
void bt_check_options(struct bt_script *s)
{
	char *const *args = s->options ? s->cc->opts->bpftrace_args : NULL;
	FILE *out = s->cc->opts->diag;
	bool found = false;

	for (char *const *arg = args; arg && *arg && strcmp(*arg, "--"); arg++) {
		if (!strcmp(*arg, "--help")) {
			bt_describe_options(s, out);
			return;
		}
		if (strncmp(*arg, "--", 2) ||
		    bt_option_find(s, *arg + 2, strcspn(*arg + 2, "=")))
			continue;
		out = found ? out : bt_option_error(s, "unexpected program command line options:");
		fputs(found ? ", " : " ", out);
		put_clean(out, *arg, strcspn(*arg, "="));
		found = true;
	}
	if (!found)
		return;
	fputs("\nHINT: expected program options:", out);
	bt_list_options(s, out);
}
