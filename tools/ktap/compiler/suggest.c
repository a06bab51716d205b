// SPDX-License-Identifier: GPL-2.0
/* Edit distance of names. */
#include <string.h>

#include "compiler/suggest.h"

#define MAX_COMPARED	64	/* longer names are not compared */

static unsigned int min_distance(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

unsigned int edit_distance(const char *a, const char *b)
{
	unsigned int rows[3][MAX_COMPARED + 1];
	unsigned int *before = rows[0], *prev = rows[1], *cur = rows[2], *tmp;
	size_t la = strlen(a), lb = strlen(b), i, j;

	if (la > MAX_COMPARED || lb > MAX_COMPARED)
		return MAX_COMPARED;
	memset(rows, 0, sizeof(rows));
	for (j = 0; j <= lb; j++)
		prev[j] = j;
	for (i = 1; i <= la; i++) {
		cur[0] = i;
		for (j = 1; j <= lb; j++) {
			cur[j] = min_distance(min_distance(prev[j], cur[j - 1]) + 1,
					      prev[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				cur[j] = min_distance(cur[j], before[j - 2] + 1);
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
