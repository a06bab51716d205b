/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_NOSPEC_H
#define _SHIM_LINUX_NOSPEC_H

/* Nobody speculates here. */
#define array_index_nospec(index, size)	(index)

#endif /* _SHIM_LINUX_NOSPEC_H */
