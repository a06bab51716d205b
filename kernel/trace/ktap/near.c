// SPDX-License-Identifier: GPL-2.0
/*
 * How much alike two names are.
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "near.h"

u32 ktap_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), i, j;
	u8 row[KTAP_MAX_NEAR + 1], diagonal, above;

	if (la > KTAP_MAX_NEAR || lb > KTAP_MAX_NEAR)
		return KTAP_MAX_NEAR + 1;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			above = row[j];
			row[j] = min3(above + 1, row[j - 1] + 1,
				      diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[lb];
}
