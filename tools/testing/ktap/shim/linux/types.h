/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_TYPES_H
#define _SHIM_LINUX_TYPES_H

/* The configuration, the same for all users of the headers of the virtual machine. */
#define CONFIG_SMP		1
#define CONFIG_KTAP_BTF		1
#define CONFIG_KALLSYMS		1
#define CONFIG_KALLSYMS_ALL	1
#define CONFIG_CGROUPS		1
#define CONFIG_FTRACE_SYSCALLS	1
#define CONFIG_MODULES		1
#define CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE	1
#define CONFIG_KTAP_PACKET_VERDICT	1
#define CONFIG_KTAP_SET_RETVAL	1
#define CONFIG_KTAP_FENCED	1
#define CONFIG_HAVE_REGS_AND_STACK_ACCESS_API	1
#ifdef __LP64__
#define CONFIG_64BIT		1
#endif
#if defined(__x86_64__)
#define CONFIG_X86_64		1
#elif defined(__aarch64__)
#define CONFIG_ARM64		1
#endif

/* 1 if the option is defined to be 1; 0 if it is not defined. */
#define IS_ENABLED(option)	is_one_(option)
#define is_one_(value)		second_if_one_(one_is_##value)
#define one_is_1		0,
#define second_if_one_(junk)	second_(junk 1, 0)
#define second_(unused, value, ...)	value

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 u128;
#endif
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
typedef unsigned int gfp_t;

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	long counter;
} atomic_long_t;

#endif /* _SHIM_LINUX_TYPES_H */
