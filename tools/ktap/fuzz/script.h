/* SPDX-License-Identifier: GPL-2.0 */
/* What a script must survive. */
#ifndef KTAP_FUZZ_SCRIPT_H
#define KTAP_FUZZ_SCRIPT_H

#include "compiler/compile.h"

/*
 * Compiles a script.  If there is a chunk, it is listed, and must be accepted
 * by the virtual machine; it is run for a short time.
 */
void try_script(const struct ktap_script *src);

/* A ktap_read_fn: there are two files, "a" and "b", which include each other. */
int read_fake(void *ctx, const char *path, struct ktap_script *file);

#endif
