/* SPDX-License-Identifier: GPL-2.0 */
/* What the compiler's files need of everyday C. */
#ifndef KTAP_UTIL_H
#define KTAP_UTIL_H

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif
