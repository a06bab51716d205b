// SPDX-License-Identifier: GPL-2.0
/* Any bytes as a chunk: list it, show a line of its source, and run it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ktap.h>

#include "compiler/compile.h"
#include "run_chunk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Correct the magic and the length: random bytes rarely have both. */
static void mend_header(uint8_t *chunk, size_t size)
{
	struct ktap_header h;

	if (size < sizeof(h))
		return;
	memcpy(&h, chunk, sizeof(h));
	memcpy(h.magic, KTAP_MAGIC, KTAP_MAGIC_LEN);
	h.length = size;
	memcpy(chunk, &h, sizeof(h));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *chunk = malloc(size ? size : 1);
	FILE *real = stderr;
	char *said;

	if (!chunk)
		return 0;
	memcpy(chunk, data, size);
	mend_header(chunk, size);
	/* most inputs cause messages */
	stderr = null_file();
	ktap_disassemble(null_file(), chunk, size);
	ktap_show_position(null_file(), chunk, size, "script", 1, 3);
	stderr = real;
	run_chunk(chunk, size, &said);
	free(said);
	free(chunk);
	return 0;
}
