// SPDX-License-Identifier: GPL-2.0
/* Events of user space, as a script writes them. */
#define _GNU_SOURCE
#include <string.h>

#include "compiler/util.h"
#include "elf/user_event.h"

static const struct prefix {
	const char *text;
	enum user_event_kind kind;
	bool ret;
	bool maybe;
} prefixes[] = {
	{ "uprobe:", USER_FUNCTION, false, false },
	{ "uretprobe:", USER_FUNCTION, true, false },
	{ "probe:", USER_FUNCTION, false, true },
	{ "sdt:", USER_MARKER, false, false },
	{ "usdt:", USER_MARKER, false, false },
};

static const char returns[] = "%return";

/*
 * After "probe:", only a path, or a library name and a colon, is an event of
 * user space.
 */
static bool names_a_file(const char *rest, bool *maybe)
{
	size_t len = strcspn(rest, ":");

	*maybe = false;
	if (*rest == '/' || *rest == '.')
		return true;
	*maybe = true;
	return rest[len] && (!strncmp(rest, "lib", 3) || memmem(rest, len, ".so", 3));
}

struct user_event user_event_parse(struct pool *pool, const char *text)
{
	struct user_event e = { .kind = USER_NONE };
	size_t len = strlen(text);

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		const struct prefix *p = &prefixes[i];
		size_t n = strlen(p->text);

		if (strncmp(text, p->text, n))
			continue;
		if (p->maybe && !names_a_file(text + n, &e.maybe))
			continue;
		e.kind = p->kind;
		e.ret = p->ret;
		if (e.kind == USER_FUNCTION && len > n + strlen(returns) &&
		    !strcmp(text + len - strlen(returns), returns)) {
			e.ret = true;
			len -= strlen(returns);
		}
		e.rest = pool_strndup(pool, text + n, len - n);
		break;
	}
	return e;
}

bool is_pattern(const char *name)
{
	return strpbrk(name, "*?[");
}
