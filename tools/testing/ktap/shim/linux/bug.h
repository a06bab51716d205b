/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_BUG_H
#define _SHIM_LINUX_BUG_H

#include <stdio.h>
#include <stdlib.h>

/* Warnings of the kernel end the test. */
#define WARN_ON_ONCE(cond)						\
	do {								\
		if (!(cond))						\
			break;						\
		fprintf(stderr, "%s:%d: WARN_ON_ONCE(%s)\n", __FILE__, __LINE__, #cond);	\
		abort();						\
	} while (0)

#endif /* _SHIM_LINUX_BUG_H */
