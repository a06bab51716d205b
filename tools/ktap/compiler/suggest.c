// SPDX-License-Identifier: GPL-2.0
/* How near names are to each other. */
#include <string.h>

#include "near.h"

#define MAX_NAME	64	/* longer names are not compared */

static unsigned int min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

unsigned int edit_distance(const char *a, const char *b)
{
	unsigned int rows[3][MAX_NAME + 1];
	unsigned int *before = rows[0], *prev = rows[1], *cur = rows[2], *tmp;
	size_t la = strlen(a), lb = strlen(b), i, j;

	if (la > MAX_NAME || lb > MAX_NAME)
		return MAX_NAME;
	memset(rows, 0, sizeof(rows));
	for (j = 0; j <= lb; j++)
		prev[j] = j;
	for (i = 1; i <= la; i++) {
		cur[0] = i;
		for (j = 1; j <= lb; j++) {
			cur[j] = min(min(prev[j], cur[j - 1]) + 1,
				     prev[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				cur[j] = min(cur[j], before[j - 2] + 1);
		}
		tmp = before;
		before = prev;
		prev = cur;
		cur = tmp;
	}
	return prev[lb];
}

unsigned int edit_limit(const char *name)
{
	size_t len = strlen(name);

	return len < 3 ? 0 : len < 6 ? 1 : len < 12 ? 2 : 3;
}
