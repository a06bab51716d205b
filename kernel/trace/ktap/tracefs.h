/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The folder ktap/ in tracefs, and what the files of sessions have in common.
 */
#ifndef _KTAP_TRACEFS_H
#define _KTAP_TRACEFS_H

#include <linux/poll.h>
#include <linux/types.h>

struct dentry;
struct file;

/* NULL if the files could not be made. */
extern struct dentry *ktap_tracefs_dir;

/* &file.private_data is the session. */
ssize_t ktap_tracefs_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos);
ssize_t ktap_tracefs_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos);
__poll_t ktap_tracefs_poll(struct file *file, poll_table *table);

#endif /* _KTAP_TRACEFS_H */
