/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_BUILD_BUG_H
#define _SHIM_LINUX_BUILD_BUG_H

#undef static_assert
#define static_assert(expr)	_Static_assert(expr, #expr)

#endif /* _SHIM_LINUX_BUILD_BUG_H */
