/* SPDX-License-Identifier: GPL-2.0 */
/* Run a chunk in the virtual machine that is built for user space. */
#ifndef KTAP_FUZZ_RUN_CHUNK_H
#define KTAP_FUZZ_RUN_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Load a chunk and run it for a short time.  Returns false if it is refused.  *@said
 * gets the messages of the virtual machine, to be freed with free().
 */
bool run_chunk(const void *chunk, size_t len, char **said);

/* Returns /dev/null, opened for writing. */
FILE *null_file(void);

#endif
