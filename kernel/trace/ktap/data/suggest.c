// SPDX-License-Identifier: GPL-2.0
/*
 * How much alike two names are.
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "data/suggest.h"

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

void ktap_suggest_begin(struct ktap_suggest *n, const char *name)
{
	n->name = name;
	n->len = strlen(name);
	n->limit = n->len < 3 ? 2 : n->len < 6 ? 3 : 4;
	n->best = NULL;
}

bool ktap_suggest_look(struct ktap_suggest *n, const char *name)
{
	size_t len = strlen(name);
	u32 steps;

	if (len >= n->len + n->limit || n->len >= len + n->limit)
		return false;
	steps = ktap_distance(n->name, name);
	if (steps >= n->limit)
		return false;
	n->limit = steps;
	n->best = name;
	return true;
}
