// SPDX-License-Identifier: GPL-2.0
/* Any bytes select the parts of a script that follows the grammar; see generate.c. */
#include <stdio.h>
#include <stdlib.h>

#include "fmt_properties.h"
#include "generate.h"
#include "script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ktap_script src = { .name = "script" };
	char *script = generate_script(data, size, &src.len), *formatted;
	const char *what;

	src.text = script;
	what = fmt_broken(&src, read_fake, &formatted);

	if (!formatted)
		what = "exists: the parser refuses the script";
	if (what) {
		fprintf(stderr, "the layout is not one that %s:\n%s", what,
			formatted ? formatted : script);
		abort();
	}
	free(formatted);
	try_script(&src);
	free(script);
	return 0;
}
