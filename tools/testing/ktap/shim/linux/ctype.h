/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_CTYPE_H
#define _SHIM_LINUX_CTYPE_H

/* Any char may be given, also a negative one. */
#define isdigit(c)	((unsigned char)((c) - '0') < 10)

#endif /* _SHIM_LINUX_CTYPE_H */
