/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of the current process and of the kernel, as handlers read it.
 */
#ifndef _KTAP_READ_MEMORY_H
#define _KTAP_READ_MEMORY_H

#include <linux/types.h>

struct ktap_value;
struct ktap_vm;

/* Maximum number of strings of an argv that join() reads */
#define KTAP_MAX_JOINED		32

/* Bytes of a string of the kernel that are read for a unit: it is read byte by byte. */
#define KTAP_KERNEL_CHARS	32

/*
 * Read memory of the current process, or of the kernel, without waiting for it.  Return 0
 * or a negative errno.  Strings are cut to @size bytes, NUL included: return the length
 * without the NUL, or a negative errno.
 */
int ktap_read_user(void *to, u64 from, size_t size);
int ktap_read_user_string(char *to, u64 from, size_t size);
int ktap_read_kernel(void *to, u64 from, size_t size);
int ktap_read_kernel_string(char *to, u64 from, size_t size);
/* Is it an address of the process?  It may be unmapped. */
bool ktap_is_user_address(u64 address);

/*
 * Read memory whose address decides whether it is of the current process or of the kernel.
 * Where it does not tell, it is of the kernel.
 */
static inline bool ktap_reads_process(u64 address)
{
	return IS_ENABLED(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE) &&
	       ktap_is_user_address(address);
}

static inline int ktap_read_memory(void *to, u64 from, size_t size)
{
	return ktap_reads_process(from) ? ktap_read_user(to, from, size) :
					  ktap_read_kernel(to, from, size);
}

static inline int ktap_read_string(char *to, u64 from, size_t size)
{
	return ktap_reads_process(from) ? ktap_read_user_string(to, from, size) :
					  ktap_read_kernel_string(to, from, size);
}

/*
 * Size of a register of the current process, and of a pointer in its memory, in bytes:
 * x32 and n32 programs have short pointers and long registers.
 */
unsigned int ktap_user_word_size(void);
unsigned int ktap_user_pointer_size(void);

/*
 * lib/mem.c: a read has failed: set nil, count the failure and charge its cost.  Return 0
 * or a negative errno.
 */
int ktap_bad_read(struct ktap_vm *vm, struct ktap_value *v);

#endif /* _KTAP_READ_MEMORY_H */
