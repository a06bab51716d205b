/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The name of the current task.
 */
#ifndef _KTAP_TASK_NAME_H
#define _KTAP_TASK_NAME_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

#include "host/word.h"

/* Return the length of the copied name, whose first word has no NUL. */
static __always_inline u32 ktap_long_name_len(char *name)
{
	unsigned long word;
	u32 i, n;

	/* Somebody may have been changing it. */
	name[TASK_COMM_LEN - 1] = '\0';
	for (i = sizeof(word);; i += sizeof(word)) {
		memcpy(&word, name + i, sizeof(word));
		if (ktap_find_nul(word, &n))
			return i + n;
	}
}

/* Copy the name of the current task to @name, of TASK_COMM_LEN bytes, and return its length. */
static __always_inline u32 ktap_copy_task_name(char *name)
{
	unsigned long first;
	u32 n;

	memcpy(&first, current->comm, sizeof(first));
	/* Look at the copy: do not read it again. */
	OPTIMIZER_HIDE_VAR(first);
	memcpy(name, &first, sizeof(first));
	memcpy(name + sizeof(first), current->comm + sizeof(first), TASK_COMM_LEN - sizeof(first));
	return likely(ktap_find_nul(first, &n)) ? n : ktap_long_name_len(name);
}

#endif /* _KTAP_TASK_NAME_H */
