/* SPDX-License-Identifier: GPL-2.0 */
/* A chunk in the virtual machine, built for user space. */
#ifndef KTAP_FUZZ_RUN_CHUNK_H
#define KTAP_FUZZ_RUN_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Loads it, and runs it for a short time; false if it is refused.  What the
 * virtual machine had to say, to be freed, is left in @said.
 */
bool run_chunk(const void *chunk, size_t len, char **said);

/* For what nobody wants to read. */
FILE *null_file(void);

#endif
