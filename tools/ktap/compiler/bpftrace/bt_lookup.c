// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of bpftrace that look names up: symbols of the kernel, and cgroups.
 *
 * The top level of the script in ktap's language looks up those in quotes, once.
 */
#include <fnmatch.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/cdef.h"
#include "compiler/util.h"

static void bt_kaddr_of_value(struct bt_script *s, const struct bt_node *n)
{
	bt_put(s, n->pos, "kaddr(");
	bt_value(s, n->a);
	bt_put(s, n->pos, ")");
}

void bt_kaddr(struct bt_script *s, const struct bt_node *n)
{
	if (n->a->kind == BN_STR)
		bt_put(s, n->pos, "kaddr_%.*s", (int)strcspn(n->a->text + 1, "\""),
		       n->a->text + 1);
	else if (s->place != BT_IN_PROCESS)
		bt_error(s, n->a->pos, "or put it into BEGIN", "kaddr() takes a name in quotes");
	else
		bt_kaddr_of_value(s, n);
}

const char *bt_call_of_number(const struct bt_script *s, const char *name)
{
	static const char * const prefixes[] = { "__NR_", "SYS_" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])) && name[strlen(prefixes[i])] &&
		    !cdef_find_name(s->cc, name))
			return name + strlen(prefixes[i]);
	return NULL;
}

void bt_put_calls(struct bt_script *s)
{
	for (const struct bt_node *n = s->calls; n; n = n->next)
		bt_put(s, n->pos, "bt_number_of_%s = bt_call_number(\"%s\")\n", n->text,
		       bt_call_of_number(s, n->text));
	if (!s->calls)
		return;
	bt_put(s, s->calls->pos, "\ntrace_begin {\n");
	for (const struct bt_node *n = s->calls; n; n = n->next)
		bt_put(s, n->pos, "\tif (bt_number_of_%s == nil) {\n"
		       "\t\tprintf(\"%s:%u:%u: ERROR: there is no system call '%s'\\n\")\n"
		       "\t\texit(1)\n\t}\n", n->text, bt_escaped_name(s, n->pos), n->pos.line,
		       n->pos.col, bt_call_of_number(s, n->text));
	bt_put(s, s->calls->pos, "}\n");
	s->helpers |= BT_HELP_CALLS;
}

/* The variable of a CPU: its address, from that of the first CPU on */
void bt_percpu(struct bt_script *s, const struct bt_node *n)
{
	const char *text = n->a->text;

	if (n->a->kind != BN_STR) {
		bt_error(s, n->a->pos, NULL, "percpu_kaddr() takes a name in quotes");
		return;
	}
	bt_put(s, n->pos, "(kaddr_%.*s + read(kaddr___per_cpu_offset + 8 * ",
	       (int)strcspn(text + 1, "\""), text + 1);
	if (n->a->next)
		bt_number(s, n->a->next, LEVEL_PRODUCT);
	else
		bt_put(s, n->pos, "cpu");
	bt_put(s, n->pos, ", 8))");
}

/* The top level looks the path up. */
void bt_cgroup_id(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *cgroup = s->cgroups;

	if (n->a->kind != BN_STR) {
		bt_error(s, n->a->pos, "cgroupid(\"/system.slice\")",
			 "cgroupid() takes a path in quotes");
		return;
	}
	while (cgroup && strcmp(cgroup->text, n->a->text))
		cgroup = cgroup->next;
	bt_put(s, n->pos, "cgroup_id_%d", cgroup ? (int)cgroup->value : 0);
}

/* cgroup_path(ID, FILTER): the only hierarchy is that of v2, which bpftrace calls "unified" */
void bt_cgroup_path(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *filter = n->a->next;

	if (bt_type_of(s, n->a)->kind == BT_STRING) {
		bt_error(s, n->a->pos, "cgroup_path(cgroup)", "cgroup_path() takes a number");
	} else if (filter && filter->kind != BN_STR) {
		bt_error(s, filter->pos, "cgroup_path(cgroup, \"unified\")",
			 "the filter of cgroup_path() is a string in quotes");
	} else if (filter && fnmatch(pool_strndup(&s->cc->pool, filter->text + 1,
						  strlen(filter->text) - 2), "unified", 0)) {
		bt_put(s, n->pos, "\"\"");
	} else {
		bt_put(s, n->pos, "bt_cgroup_path(");
		bt_number(s, n->a, LEVEL_ANY);
		bt_put(s, n->pos, ")");
		s->helpers |= BT_HELP_CGROUP;
	}
}
