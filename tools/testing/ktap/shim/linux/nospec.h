/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_NOSPEC_H
#define _SHIM_LINUX_NOSPEC_H

/* The number of barriers so far; threads that run at once may miss some. */
extern unsigned long shim_barriers;
#define barrier_nospec()	((void)shim_barriers++)

/* Speculative execution is not a concern here, but a wrong mask is found. */
#define array_index_mask_nospec(index, size)	((index) < (size) ? ~0UL : 0UL)

#define array_index_nospec(index, size)						\
({										\
	__typeof__(index) _index = (index);					\
	/* as the kernel's */							\
	_Static_assert(sizeof(_index) <= sizeof(long), "the index is too wide");	\
	(__typeof__(_index))(_index & array_index_mask_nospec(_index, size));	\
})

#endif /* _SHIM_LINUX_NOSPEC_H */
