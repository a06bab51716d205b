/* SPDX-License-Identifier: GPL-2.0 */
/* The place where a tool puts the probe of a function */
#ifndef _KTAP_LOCAL_ENTRY_H
#define _KTAP_LOCAL_ENTRY_H

#include <stdint.h>

/*
 * On 64-bit little-endian PowerPC a function may begin with two instructions that set the
 * pointer to its data (r2). Calls from the same file pass over them. On big-endian PowerPC the
 * pointer to a function is that to three words, the first of which is the address of its code.
 */
static inline uintptr_t local_entry(uintptr_t function)
{
#if defined(__powerpc64__) && _CALL_ELF == 2
	const uint32_t *code = (const uint32_t *)function;

	/* addis r2,r12,... or lis r2,...; addi r2,r2,... */
	if ((code[0] >> 16 == 0x3c4c || code[0] >> 16 == 0x3c40) && code[1] >> 16 == 0x3842)
		return function + 8;
#elif defined(__powerpc64__)
	return *(const uintptr_t *)function;
#endif
	return function;
}

/*
 * Return a pointer to the function whose code is at @code, which needs no data of its program. It
 * is valid as long as @room.
 */
static inline void *function_at(const void *code, uintptr_t room[3])
{
#if defined(__powerpc64__) && _CALL_ELF != 2
	room[0] = (uintptr_t)code;
	room[1] = 0;
	room[2] = 0;
	/* The compiler does not know that a call reads them. */
	__asm__ volatile("" : : "r"(room) : "memory");
	return room;
#else
	(void)room;
	return (void *)code;
#endif
}

#endif /* _KTAP_LOCAL_ENTRY_H */
