/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of bpftrace, for ktap under that name. */
#ifndef KTAP_BPFTRACE_OPTIONS_H
#define KTAP_BPFTRACE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "options.h"

#define BPFTRACE_VERSION	"0.27"	/* of the language that scripts have, and of the options */

/* Was the program started under the name bpftrace? */
bool bpftrace_is_name(void);

/*
 * As options_parse(), but the options are those of bpftrace (0.27), which may come after the
 * script, too. Sets &options.as_bpftrace.
 */
bool bpftrace_parse(struct options *opts, int argc, char **argv);

void bpftrace_usage(FILE *out);

#endif
