/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SECURITY_H
#define _SHIM_LINUX_SECURITY_H

#include <errno.h>
#include <linux/types.h>

#define LOCKDOWN_BPF_READ_KERNEL	0
#define LOCKDOWN_DBG_WRITE_KERNEL	1

/* for each reason */
extern bool shim_locked_down;

static inline int security_locked_down(int what)
{
	return shim_locked_down ? -EPERM : 0;
}

#endif /* _SHIM_LINUX_SECURITY_H */
