// SPDX-License-Identifier: GPL-2.0
/*
 * Types for scripts of bpftrace: those of members of structures, from BTF, and those of fields
 * of tracepoints, from their files in tracefs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf_file.h"
#include "member_type.h"
#include "session_file.h"

/* "\tfield:const struct NAME * FIELD;\toffset:...", "\tfield:enum NAME FIELD;" */
static bool member_type_of_line(char *line, const char *field, struct ktap_member_type *type)
{
	char *text = strstr(line, "field:"), *star;

	if (!text)
		return false;
	text += strlen("field:");
	text[strcspn(text, ";\n")] = '\0';
	if (!strncmp(text, "enum ", 5)) {
		star = strrchr(text, ' ');
		if (strcmp(star + 1, field))
			return false;
		*star = '\0';
		*type = (struct ktap_member_type) { 0 };
		snprintf(type->name, sizeof(type->name), "%s", text);
		return true;
	}
	star = strchr(text, '*');
	if (!star || strcmp(star + 1 + strspn(star + 1, " "), field))
		return false;
	if (!strncmp(text, "const ", 6))
		text += 6;
	if (strncmp(text, "struct ", 7))
		return false;
	text[7 + strcspn(text + 7, " *")] = '\0';
	*type = (struct ktap_member_type) { .stars = 1 };
	snprintf(type->name, sizeof(type->name), "%s", text);
	return true;
}

static FILE *member_type_open_format(const char *event)
{
	const char *dir = session_tracefs();
	char path[4096];

	snprintf(path, sizeof(path), "%s/events/%s/format", dir ? dir : "", event);
	return fopen(path, "re");
}

static bool member_type_of_field(const char *event, const char *field,
				 struct ktap_member_type *type)
{
	FILE *f = member_type_open_format(event);
	char *line = NULL;
	bool found = false;
	size_t size = 0;

	while (f && !found && getline(&line, &size, f) > 0)
		found = member_type_of_line(line, field, type);
	free(line);
	if (f)
		fclose(f);
	return found;
}

/*
 * "\tfield:TYPE NAME;", "\tfield:char NAME[16];", "\tfield:__data_loc char[] NAME;": its name, ""
 * of other arrays; false: it is no field, or one that all events have
 */
static bool member_type_name_field(char *line, struct ktap_member_type *type)
{
	char *text = strstr(line, "field:"), *name, *end;
	bool is_char;

	if (!text)
		return false;
	text += strlen("field:");
	text[strcspn(text, ";\n")] = '\0';
	end = strchr(text, '[');
	is_char = !end || (end - text >= 4 && !strncmp(end - 4, "char", 4)) ||
		  !strncmp(text, "char ", 5);
	name = strrchr(text, ' ');
	if (!name || !strncmp(name + 1, "common_", 7))
		return false;
	name++;
	name += strspn(name, "*");
	name[strcspn(name, "[")] = '\0';
	*type = (struct ktap_member_type) { .stars = !!strchr(text, '*') };
	snprintf(type->name, sizeof(type->name), "%s", is_char ? name : "");
	return true;
}

/* The name of a field of a tracepoint, counted from 0, which is then in type->name */
static bool member_type_field(const char *event, unsigned int number,
			      struct ktap_member_type *type)
{
	char *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *f = member_type_open_format(event);

	while (f && !found && getline(&line, &size, f) > 0)
		found = member_type_name_field(line, type) && !number--;
	free(line);
	if (f)
		fclose(f);
	return found;
}

bool member_type_parameter(void *files, const char *function, unsigned int number,
			   const char **name, struct ktap_member_type *type)
{
	const char *colon = strchr(function, ':');
	const struct btf_file *f;
	char module[128];
	uint32_t id;

	if (strchr(function, '/')) {
		*name = type->name;
		return member_type_field(function, number, type);
	}
	snprintf(module, sizeof(module), "%.*s", colon ? (int)(colon - function) : 7,
		 colon ? function : "vmlinux");
	f = btf_open(files, module);
	id = f ? btf_function(f, colon ? colon + 1 : function) : 0;
	return id && btf_parameter_type(f, id, number, name, type);
}

/* A parameter of a function, by its name */
static bool member_type_of_parameter(void *files, const char *function, const char *parameter,
				     struct ktap_member_type *type)
{
	const char *name;

	for (unsigned int i = 0; member_type_parameter(files, function, i, &name, type); i++)
		if (!strcmp(name, parameter))
			return *type->name;
	return false;
}

bool member_type_find(void *files, const char *name, uint32_t number, const char *member,
		      struct ktap_member_type *type)
{
	size_t len = number ? 0 : strlen(name);
	const struct btf_file *f;
	char function[128];

	if (!number && strchr(name, '/'))
		return member_type_of_field(name, member, type);
	if (len > 2 && !strcmp(name + len - 2, "()")) {
		snprintf(function, sizeof(function), "%.*s", (int)len - 2, name);
		return member_type_of_parameter(files, function, member, type);
	}
	f = btf_open(files, "vmlinux");
	return f && btf_member_type(f, name, number, member, type);
}

bool member_type_part(void *files, const char *name, uint32_t number, unsigned int i,
		      struct ktap_type_part *part)
{
	const struct btf_file *f = btf_open(files, "vmlinux");

	return f && btf_part(f, name, number, i, part);
}
