/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of the current process and of the kernel, as handlers read it.
 */
#ifndef _KTAP_READ_MEMORY_H
#define _KTAP_READ_MEMORY_H

#include <linux/types.h>

struct ktap_value;
struct ktap_vm;

/* Strings of an argv that join() looks at. */
#define KTAP_MAX_JOINED		32

/*
 * Of the current process, or the kernel; nothing is waited for.  0 or a negative
 * errno; bytes of the string, which is cut to @size, NUL included, or a negative
 * errno.
 */
int ktap_read_user(void *to, u64 from, size_t size);
int ktap_read_user_string(char *to, u64 from, size_t size);
int ktap_read_kernel(void *to, u64 from, size_t size);
int ktap_read_kernel_string(char *to, u64 from, size_t size);
/* Does the address belong to the process, if it belongs to anybody? */
bool ktap_is_user_address(u64 address);
/*
 * Bytes of a register of the current process, and of a pointer in its memory: x32 and n32
 * programs have short pointers and long registers.
 */
unsigned int ktap_user_word_size(void);
unsigned int ktap_user_pointer_size(void);

/*
 * builtin_mem.c: a read that has failed: nil, counted and paid for.  0 or a
 * negative errno.
 */
int ktap_bad_read(struct ktap_vm *vm, struct ktap_value *v);

#endif /* _KTAP_READ_MEMORY_H */
