/* SPDX-License-Identifier: GPL-2.0 */
/* Compile a script, and list and run its chunk. */
#ifndef KTAP_FUZZ_SCRIPT_H
#define KTAP_FUZZ_SCRIPT_H

#include "compiler/compile.h"

/*
 * Compile a script.  If it has no errors, list the chunk and run it for a short time.
 * Aborts if the virtual machine refuses it for a reason that the compiler could know.
 */
void try_script(const struct ktap_script *src);

/*
 * The same with a script of bpftrace.  If it has no errors, its translation must have none,
 * either.
 */
void try_bpftrace(const struct ktap_script *src);

/* A ktap_read_fn with two files, "a" and "b", which include each other. */
int read_fake(void *ctx, const char *path, struct ktap_script *file);

#endif
