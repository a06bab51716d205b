/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_UNALIGNED_H
#define _SHIM_LINUX_UNALIGNED_H

#define get_unaligned(p)						\
({									\
	const struct { __typeof__(*(p)) x; } __attribute__((packed)) *p_ = (const void *)(p); \
	p_->x;								\
})

#define put_unaligned(value, p)						\
	(((struct { __typeof__(*(p)) x; } __attribute__((packed)) *)(p))->x = (value))

#endif /* _SHIM_LINUX_UNALIGNED_H */
