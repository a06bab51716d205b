// SPDX-License-Identifier: GPL-2.0
/*
 * ktap -l: the events that a pattern matches.  Those of user space are looked
 * up as for a script; those of the kernel stand in files of tracefs.
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "resolve.h"
#include "session.h"
#include "util.h"

/* Lists of the kernel: what their names follow in the spelling of an event. */
static const struct list {
	const char *file;
	const char *prefix;	/* the one that is printed */
	const char * const *spellings;
} lists[] = {
	{ "available_events", "",
	  (const char * const []){ "tracepoint:", "tp:", "", NULL } },
	{ "available_filter_functions", "probe:",
	  (const char * const []){ "probe:", "kprobe:", "kretprobe:", "fentry:", "fexit:",
				   NULL } },
};

static unsigned int list_kernel(const char *dir, const struct list *list, const char *pattern)
{
	char path[4096], *line = NULL;
	unsigned int count = 0;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, list->file);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (getline(&line, &size, f) > 0) {
		/* a function of a module has its name behind it */
		line[strcspn(line, " \t\n")] = '\0';
		if (fnmatch(pattern, line, 0))
			continue;
		printf("%s%s\n", list->prefix, line);
		count++;
	}
	free(line);
	fclose(f);
	return count;
}

static unsigned int list_kernels(const char *pattern)
{
	const char *dir = session_tracefs();
	unsigned int count = 0;

	for (size_t i = 0; dir && i < ARRAY_SIZE(lists); i++) {
		for (const char * const *s = lists[i].spellings; *s; s++) {
			if (strncmp(pattern, *s, strlen(*s)))
				continue;
			count += list_kernel(dir, &lists[i], pattern + strlen(*s));
			break;
		}
	}
	return count;
}

static const char *prefix_of(const struct user_event *e)
{
	if (e->kind == USER_MARKER)
		return "usdt";
	return e->ret ? "uretprobe" : "uprobe";
}

/* Several places of one marker are one event. */
static bool was_listed(const struct answer *a, unsigned int i)
{
	const struct place *p = &a->places[i];

	for (unsigned int j = 0; j < i; j++) {
		if (a->places[j].file == p->file && !strcmp(a->places[j].name, p->name))
			return true;
	}
	return false;
}

bool list_events(const char *pattern, uint64_t pid)
{
	struct target target;
	struct resolver r;
	struct answer a;
	bool found;

	target_init(&target, pid);
	resolver_init(&r, &target);
	resolve(&r, pattern, &a);
	if (a.kernels) {
		found = list_kernels(pattern);
		if (!found)
			fprintf(stderr, "ktap: no event matches '%s'\n", pattern);
	} else {
		found = !a.message;
		if (!found)
			fprintf(stderr, "ktap: error: %s\n", a.message);
		for (unsigned int i = 0; found && i < a.nplaces; i++) {
			const struct place *p = &a.places[i];

			if (a.event.kind == USER_MARKER && was_listed(&a, i))
				continue;
			printf("%s:%s:%s\n", prefix_of(&a.event),
			       a.files.files[p->file].shown, p->name);
		}
	}
	resolver_free(&r);
	return found;
}
