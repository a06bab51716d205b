/* SPDX-License-Identifier: GPL-2.0 */
/* ktap --info: what the kernel has, and what this user may do with it. */
#ifndef KTAP_INFO_H
#define KTAP_INFO_H

/* Print it; needs neither root nor a kernel with ktap. */
void info_show(void);

#endif
