/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User data that the arguments of system calls point to.
 */
#ifndef _KTAP_SYSCALL_USER_H
#define _KTAP_SYSCALL_USER_H

#include <linux/bitops.h>

#include <trace/syscall.h>

#include <uapi/linux/ktap.h>

struct ktap_counters;
struct trace_user_buf_info;

#define KTAP_SYSCALL_ARGS	6

/* Number of arguments of a system call whose user data is read, and bytes of each */
#define KTAP_MAX_USER		3
#define KTAP_USER_SIZE		KTAP_MAX_STRLEN

/**
 * struct ktap_user_args - arguments of a system call that point to user data
 * @mask: the arguments, a bit each
 * @recorded: those of @mask whose data is in the record of the event
 * @size: bytes of each that are read at most
 * @size_arg: number of the argument with the length of the data; -1: strings
 * @is_str: the data is a string, although it has a length
 */
struct ktap_user_args {
	u8 mask;
	u8 recorded;
	u16 size;
	s8 size_arg;
	bool is_str;
};

/**
 * struct ktap_user_data - user data of a system call
 * @n: number of arguments with data
 * @tries: number of attempts to read it
 * @began: when the call began, in jiffies
 * @absent: the arguments whose data cannot be brought in, a bit each
 * @bytes: the data is not a string
 * @from: its user address
 * @size: bytes to read at most
 * @data: a copy of it
 * @len: bytes of @data, negative if it could not be read
 */
struct ktap_user_data {
	unsigned int n;
	unsigned int tries;
	unsigned long began;
	u8 absent;
	bool bytes;
	const char __user *from[KTAP_MAX_USER];
	size_t size[KTAP_MAX_USER];
	char *data[KTAP_MAX_USER];
	long len[KTAP_MAX_USER];
};

/* Rank of argument @n among the bits of @mask, -1 if it is not set. */
static inline int ktap_user_rank(unsigned int mask, int n)
{
	return mask & BIT(n) ? hweight32(mask & (BIT(n) - 1)) : -1;
}

/* Is the data not a string? */
static inline bool ktap_user_is_bytes(const struct ktap_user_args *which)
{
	return which->size_arg >= 0 && !which->is_str;
}

struct ktap_user_args ktap_user_args(const struct syscall_metadata *meta);
void ktap_user_read(struct trace_user_buf_info *buffers, struct ktap_counters *counters,
		    const struct syscall_metadata *meta, const struct ktap_user_args *which,
		    const unsigned long *args, struct ktap_user_data *user);
void ktap_user_bring_in(const struct syscall_metadata *meta, const struct ktap_user_args *which,
			const unsigned long *args, unsigned long began);

#endif /* _KTAP_SYSCALL_USER_H */
