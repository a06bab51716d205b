// SPDX-License-Identifier: GPL-2.0
/* fmtcheck: check the properties of layouts (fuzz/fmt_properties.h) for the given scripts. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fmt_properties.h"

int main(int argc, char **argv)
{
	int failed = 0, i;

	for (i = 1; i < argc; i++) {
		struct ktap_script src = { .name = argv[i] };
		const char *what;
		char *formatted;

		if (ktap_read_file(NULL, argv[i], &src)) {
			perror(argv[i]);
			return 2;
		}
		what = fmt_broken(&src, NULL, &formatted);
		if (what) {
			printf("FAIL %s: its layout is not one that %s:\n%s", argv[i], what,
			       formatted);
			failed++;
		}
		free(formatted);
		free((void *)src.text);
	}
	printf("%d passed, %d failed\n", argc - 1 - failed, failed);
	return failed != 0;
}
