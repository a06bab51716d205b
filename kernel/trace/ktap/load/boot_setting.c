// SPDX-License-Identifier: GPL-2.0
/*
 * Names and settings of sessions that begin at boot.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "load/boot_setting.h"

/* A setting of the bootconfig, and the line of the session that it is */
struct boot_setting {
	const char *key;
	const char *word;
	int min;		/* number of values */
	int max;
};

static const struct boot_setting boot_settings[] __initconst = {
	{ "chunk",	"",		1, 1 },
	{ "args",	"arg",		1, INT_MAX },
	{ "cpus",	"cpus",		1, 1 },
	{ "format",	"format",	1, 1 },
	{ "keep",	"keep",		1, 1 },
	{ "memory",	"memory",	1, 1 },
	{ "overhead",	"overhead",	1, 1 },
	{ "unsafe",	"unsafe",	0, 0 },
};

char * __init ktap_boot_next_file(char **list)
{
	char *file;

	do {
		file = strsep(list, ",");
	} while (file && !*file);
	return file;
}

bool __init ktap_boot_name(char *name, const char *path, const char *given)
{
	const char *base = given ?: kbasename(path);
	const char *dot = given ? NULL : strrchr(base, '.');
	size_t i, len = dot && !strcmp(dot, ".ktap") ? dot - base : strlen(base);

	if (!len || len > KTAP_MAX_BOOT_NAME || *base == '.')
		return false;
	for (i = 0; i < len; i++) {
		if (!isalnum(base[i]) && !strchr("._-", base[i]))
			return false;
	}
	memcpy(name, base, len);
	name[len] = '\0';
	return true;
}

const char * __init ktap_boot_setting(const char *key, int nvalues, char *error)
{
	const struct boot_setting *s, *end = boot_settings + ARRAY_SIZE(boot_settings);

	if (nvalues > 1 && strcmp(key, "args")) {
		snprintf(error, KTAP_BOOT_ERROR,
			 "%s has more than one value: put a text with commas into quotes", key);
		return NULL;
	}
	for (s = boot_settings; s < end; s++) {
		if (!strcmp(key, s->key) && nvalues >= s->min && nvalues <= s->max)
			return s->word;
	}
	snprintf(error, KTAP_BOOT_ERROR,
		 "'%s' is no setting: there are chunk, args, cpus, format, keep, memory and overhead, which have values, and unsafe, which has none",
		 key);
	return NULL;
}

bool __init ktap_boot_value(const char *key, const char *value, char *error)
{
	if (!strchr(value, '\n'))
		return true;
	snprintf(error, KTAP_BOOT_ERROR, "%s has a value of more than one line", key);
	return false;
}
