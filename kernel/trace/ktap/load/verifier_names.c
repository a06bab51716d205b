// SPDX-License-Identifier: GPL-2.0
/*
 * Cache of the names that the verifier has looked up in the kernel's types.
 */
#include <linux/errno.h>
#include <linux/jhash.h>
#include <linux/slab.h>

#include "data/heap.h"
#include "load/verifier_names.h"
#include "vm/vm.h"

static_assert(KTAP_MAX_NAMES <= U16_MAX);

int ktap_names_begin(struct ktap_names *names)
{
	*names = (struct ktap_names){};
	names->names = kvcalloc(KTAP_MAX_NAMES, sizeof(*names->names), KTAP_GFP);
	return names->names ? 0 : -ENOMEM;
}

void ktap_names_end(struct ktap_names *names)
{
	kvfree(names->names);
}

struct ktap_name *ktap_name_find(struct ktap_names *names, enum ktap_name_kind kind,
				 const struct ktap_value *text, bool *new)
{
	u16 *first = &names->first[jhash(text->blob, text->len, kind) % KTAP_NAME_BUCKETS], i;
	struct ktap_name *name;

	*new = false;
	for (i = *first; i; i = name->next) {
		name = &names->names[i - 1];
		if (name->kind == kind && ktap_equal(name->text, text))
			return name;
	}
	if (names->n == KTAP_MAX_NAMES)
		return NULL;
	*new = true;
	name = &names->names[names->n++];
	*name = (struct ktap_name){ .text = text, .kind = kind, .next = *first };
	*first = names->n;
	return name;
}
