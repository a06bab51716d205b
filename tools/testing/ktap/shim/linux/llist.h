/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_LLIST_H
#define _SHIM_LINUX_LLIST_H

#include <linux/container_of.h>
#include <linux/types.h>

struct llist_head {
	struct llist_node *first;
};

struct llist_node {
	struct llist_node *next;
};

#define llist_entry(node, type, member)	container_of(node, type, member)

static inline void init_llist_head(struct llist_head *list)
{
	list->first = NULL;
}

/* Return true if the list was empty. */
static inline bool llist_add(struct llist_node *new, struct llist_head *head)
{
	struct llist_node *first = __atomic_load_n(&head->first, __ATOMIC_RELAXED);

	do
		new->next = first;
	while (!__atomic_compare_exchange_n(&head->first, &first, new, true,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	return !first;
}

static inline struct llist_node *llist_del_all(struct llist_head *head)
{
	return __atomic_exchange_n(&head->first, NULL, __ATOMIC_SEQ_CST);
}

#define llist_next_entry_(node, type, member)	\
	((node) ? container_of(node, type, member) : NULL)

#define llist_for_each_entry_safe(pos, n, node, member)				\
	for (pos = llist_next_entry_(node, __typeof__(*pos), member);		\
	     pos && (n = llist_next_entry_(pos->member.next, __typeof__(*n), member), true); \
	     pos = n)

#endif /* _SHIM_LINUX_LLIST_H */
