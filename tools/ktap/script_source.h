/* SPDX-License-Identifier: GPL-2.0 */
/* Read the script that the command line names. */
#ifndef KTAP_SCRIPT_SOURCE_H
#define KTAP_SCRIPT_SOURCE_H

#include "cmdline.h"
#include "compiler/compile.h"
#include "options.h"

/*
 * Read the script into @source, also from -e.  @tool becomes the path of an installed
 * tool, to be freed, or NULL.  Returns 0, or a negative errno after a message.
 */
int source_read(const struct options *opts, struct sources *sources, char **tool,
		struct ktap_script *source);

/* Is it a script of bpftrace? */
bool source_is_bpftrace(const struct options *opts);

/* Is this program in a namespace of processes that is not the first one? */
bool source_is_inner(void);

/* --to-ktap: print it in ktap's language; false after a message. */
bool source_show_translation(const struct options *opts);

#endif
