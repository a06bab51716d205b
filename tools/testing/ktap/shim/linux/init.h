/* SPDX-License-Identifier: GPL-2.0 */
/* <linux/init.h> for user space: nothing is freed after the start */
#ifndef _SHIM_LINUX_INIT_H
#define _SHIM_LINUX_INIT_H

#define __init
#define __initconst
#define __refdata

#endif /* _SHIM_LINUX_INIT_H */
