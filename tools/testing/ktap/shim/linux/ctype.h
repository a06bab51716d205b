/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_CTYPE_H
#define _SHIM_LINUX_CTYPE_H

/* The argument may be any char, also a negative one. */
#define isdigit(c)	((unsigned char)((c) - '0') < 10)
#define isalpha(c)	((unsigned char)(((c) | 32) - 'a') < 26)
#define isalnum(c)	(isdigit(c) || isalpha(c))
#define isxdigit(c)	(isdigit(c) || (unsigned char)(((c) | 32) - 'a') < 6)
#define tolower(c)	((c) | 32 * isalpha(c))

#endif /* _SHIM_LINUX_CTYPE_H */
