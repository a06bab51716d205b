/* SPDX-License-Identifier: GPL-2.0 */
/* The library of scripts, and the installed tools in it. */
#ifndef KTAP_LIBRARY_H
#define KTAP_LIBRARY_H

#include <stdio.h>

/*
 * The folders of the library: that of the environment, then the installed one,
 * then NULL.
 */
const char *ktap_library(unsigned int i);

/*
 * The path of an installed tool, "NAME" or "NAME.kp", to be freed with free(); NULL
 * if there is none.
 */
char *ktap_find_tool(const char *name);

/* The same for the path of the file of an installed tool; NULL for any other file. */
char *ktap_tool_at(const char *path);

/* Warn about folders of -I that are missing; @folders ends with NULL. */
void ktap_warn_no_folders(FILE *out, const char *program, const char * const *folders);

/* Say where a tool was searched for, and suggest one with a similar name. */
void ktap_suggest_tool(FILE *out, const char *name);

#endif
