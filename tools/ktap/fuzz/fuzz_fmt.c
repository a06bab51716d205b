// SPDX-License-Identifier: GPL-2.0
/* Any bytes as a script: format it, and print its tree. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmt_properties.h"
#include "script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ktap_script src = { .name = "script", .text = (const char *)data, .len = size };
	char *formatted;
	const char *what = fmt_broken(&src, read_fake, &formatted);

	if (what) {
		fprintf(stderr, "the layout is not one that %s:\n%s", what, formatted);
		abort();
	}
	free(formatted);
	return 0;
}
