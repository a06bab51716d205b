/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_LIST_H
#define _SHIM_LINUX_LIST_H

#include <linux/container_of.h>

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

struct hlist_head {
	struct hlist_node *first;
};

struct hlist_node {
	struct hlist_node *next;
	struct hlist_node **pprev;
};

#define INIT_HLIST_HEAD(head)	((void)((head)->first = NULL))

static inline void hlist_add_head(struct hlist_node *n, struct hlist_head *h)
{
	n->next = h->first;
	n->pprev = &h->first;
	if (n->next)
		n->next->pprev = &n->next;
	h->first = n;
}

static inline void hlist_del(struct hlist_node *n)
{
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
}

#define hlist_entry_safe(ptr, type, member)	\
	((ptr) ? container_of(ptr, type, member) : NULL)

#define hlist_for_each_entry(pos, head, member)						\
	for (pos = hlist_entry_safe((head)->first, __typeof__(*(pos)), member); pos;	\
	     pos = hlist_entry_safe((pos)->member.next, __typeof__(*(pos)), member))

#endif /* _SHIM_LINUX_LIST_H */
