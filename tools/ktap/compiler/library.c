// SPDX-License-Identifier: GPL-2.0
/*
 * Installed tools, in tools/ of the library, and suggestions for unknown names.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/clean_text.h"
#include "compiler/library.h"
#include "compiler/suggest.h"

static const char ending[] = ".kp";

#ifndef KTAP_LIBRARY
#define KTAP_LIBRARY	"/usr/local/share/ktap"
#endif

const char *ktap_library(unsigned int i)
{
	const char *first = getenv("KTAP_LIBRARY");

	if (!first || !*first)
		i++;
	return i == 0 ? first : i == 1 ? KTAP_LIBRARY : NULL;
}

static char *tool_in(const char *folder, const char *name)
{
	static const char * const endings[] = { "", ending };
	struct stat st;
	char *path;

	for (int i = 0; i < 2; i++) {
		if (asprintf(&path, "%s/tools/%s%s", folder, name, endings[i]) < 0)
			return NULL;
		if (!stat(path, &st) && !S_ISDIR(st.st_mode) && !access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

char *ktap_find_tool(const char *name)
{
	char *path = NULL;

	if (!*name || strchr(name, '/'))
		return NULL;
	for (unsigned int i = 0; ktap_library(i) && !path; i++)
		path = tool_in(ktap_library(i), name);
	return path;
}

char *ktap_tool_at(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *tool = ktap_find_tool(slash ? slash + 1 : path);
	struct stat a, b;

	if (tool && !stat(tool, &a) && !stat(path, &b) && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino)
		return tool;
	free(tool);
	return NULL;
}

/*
 * Copy the name of a tool of @folder to @near, of @size bytes, if it is nearer
 * than *@best.
 */
static void find_near(const char *folder, const char *name, char *near, size_t size,
		      unsigned int *best)
{
	struct dirent *entry;
	char *path;
	DIR *dir;

	if (asprintf(&path, "%s/tools", folder) < 0)
		return;
	dir = opendir(path);
	free(path);
	while (dir && (entry = readdir(dir))) {
		char *dot = strstr(entry->d_name, ending);
		unsigned int distance;

		if (!dot || dot[strlen(ending)])
			continue;
		*dot = '\0';
		distance = edit_distance(name, entry->d_name);
		if (distance >= *best)
			continue;
		*best = distance;
		snprintf(near, size, "%s", entry->d_name);
	}
	if (dir)
		closedir(dir);
}

void ktap_suggest_tool(FILE *out, const char *name)
{
	size_t len = strlen(name), tail = strlen(ending);
	char near[256], *base = strdup(name);
	const char *library;
	unsigned int best;

	if (!base || !*name || strchr(name, '/')) {
		free(base);
		return;
	}
	if (len > tail && !strcmp(base + len - tail, ending))
		base[len - tail] = '\0';
	best = edit_limit(base) + 1;
	fputs("note: there is no such tool in ", out);
	for (unsigned int i = 0; (library = ktap_library(i)); i++) {
		fprintf(out, "%s%s/tools", i ? ", " : "", library);
		find_near(library, base, near, sizeof(near), &best);
	}
	fputc('\n', out);
	if (best <= edit_limit(base))
		fprintf(out, "note: did you mean '%s'?\n", near);
	free(base);
}

void ktap_warn_no_folders(FILE *out, const char *program, const char * const *folders)
{
	struct stat st;

	for (; *folders; folders++) {
		if (!stat(*folders, &st) && S_ISDIR(st.st_mode))
			continue;
		fprintf(out, "%s: warning: -I '", program);
		put_clean(out, *folders, strlen(*folders));
		fputs("': there is no such folder\n", out);
	}
}
