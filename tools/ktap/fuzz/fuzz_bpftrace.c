// SPDX-License-Identifier: GPL-2.0
/* Any bytes as a script of bpftrace: translate and compile it, and run its chunk. */
#include <stdint.h>

#include "script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ktap_script src = { .name = "script", .text = (const char *)data, .len = size };

	try_bpftrace(&src);
	return 0;
}
