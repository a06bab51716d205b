// SPDX-License-Identifier: GPL-2.0
/* The tokens of a script in order, and how the parser interpreted them. */
#include "compiler/layout.h"

static void layout_add_token(struct layout *l, struct layout_token t)
{
	/* the parser reads these tokens again */
	while (l->count && l->tokens[l->count - 1].start >= t.start) {
		const struct layout_token *old = &l->tokens[--l->count];

		if (old->start == t.start) {
			t.flags |= old->flags;
			t.bodies = old->bodies;
		}
	}
	l->tokens = pool_grow(l->pool, l->tokens, l->count, &l->max, sizeof(*l->tokens));
	l->tokens[l->count++] = t;
}

void layout_add(struct layout *l, const struct token *t)
{
	layout_add_token(l, (struct layout_token) {
		.kind = t->kind, .start = t->start, .end = t->end
	});
}

void layout_add_event(struct layout *l, size_t start, size_t end)
{
	layout_add_token(l, (struct layout_token) {
		.kind = T_NAME, .flags = LAYOUT_EVENT, .start = start, .end = end,
	});
}

void layout_mark(struct layout *l, enum layout_flag flag)
{
	struct layout_token *t = &l->tokens[l->count - 1];

	t->flags |= flag;
	t->bodies += flag == LAYOUT_BODY_END;
}
