// SPDX-License-Identifier: GPL-2.0
/*
 * User data that the arguments of system calls point to.
 *
 * User memory may be absent, and handlers cannot fault it in.  The function on
 * sys_enter can (fault_in.c): it copies the strings of fields before handlers run.
 * For handlers that read by address, it faults in the memory that arguments point to.
 */
#include <linux/bits.h>
#include <linux/lockdep.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../../trace.h"
#include "event/source.h"
#include "event/syscall_user.h"
#include "vm/env.h"

/* Is argument @n a path, by its type and its name? */
static bool syscall_user_is_path(const struct syscall_metadata *meta, int n)
{
	const char *type = meta->types[n], *star = strchr(type, '*');

	/* The type may have an attribute such as __user in the middle. */
	return strstarts(type, "const char ") && star && !star[1] &&
	       (!strcmp(meta->args[n], "filename") || !strcmp(meta->args[n], "pathname") ||
		!strcmp(meta->args[n], "path"));
}

/**
 * ktap_user_args() - Find the arguments that point to user data
 * @meta: the system call
 *
 * The records of trace_syscalls.c have no user data for some system calls, like
 * newstat.  Scripts can read their paths anyway.
 */
struct ktap_user_args ktap_user_args(const struct syscall_metadata *meta)
{
	struct ktap_user_args user = {
		.mask = meta->user_mask,
		.recorded = meta->user_mask,
		.size_arg = meta->user_arg_size,
		.is_str = meta->user_arg_is_str,
	};
	int i;

	for (i = 0; i < meta->nb_args && !user.recorded; i++) {
		if (syscall_user_is_path(meta, i))
			user.mask |= BIT(i);
	}
	return user;
}

/* Far more than needed, unless a program provokes retries. */
#define MAX_TRIES	50

static long syscall_user_copy_one(char *buf, const struct ktap_user_data *user, unsigned int i)
{
	long ret = user->size[i];

	pagefault_disable();
	if (!user->bytes)
		ret = strncpy_from_user(buf, user->from[i], user->size[i]);
	else if (copy_from_user(buf, user->from[i], user->size[i]))
		ret = -EFAULT;
	pagefault_enable();
	return ret;
}

/* Bring in the data of an argument.  Return false if that has failed, also earlier. */
static bool syscall_user_fetch(struct ktap_user_data *user, unsigned int i)
{
	/* NULL is a common argument. */
	bool got = user->from[i] && !(user->absent & BIT(i));

	if (got && user->bytes)
		got = ktap_bring_in_bytes(user->from[i], user->size[i], user->began);
	else if (got)
		got = ktap_bring_in_string(user->from[i], user->size[i], user->began);
	if (!got)
		user->absent |= BIT(i);
	return got;
}

/*
 * May sleep.  trace_user_fault_read() calls it again if another task ran on the CPU
 * meanwhile.  A program can make that happen every time: give up before
 * trace_user_fault_read() does so with a warning.
 */
static int syscall_user_copy(char *buf, const char __user *ptr, size_t size, void *data)
{
	struct ktap_user_data *user = data;
	unsigned int i;
	long ret;

	if (user->tries++ == MAX_TRIES)
		return -EAGAIN;
	for (i = 0; i < user->n; i++, buf += KTAP_USER_SIZE) {
		ret = syscall_user_copy_one(buf, user, i);
		if (ret < 0 && syscall_user_fetch(user, i))
			ret = syscall_user_copy_one(buf, user, i);
		user->data[i] = buf;
		user->len[i] = ret;
	}
	return 0;
}

/**
 * ktap_user_read() - Read the user data that the arguments point to
 * @buffers: for the data
 * @counters: count data that was cut or could not be read
 * @meta: the system call
 * @which: ktap_user_args() of it
 * @args: its arguments
 * @user: gets the data; &ktap_user_data.began is set
 *
 * Context: preemption disabled, but the caller could fault without that: preemption
 * is enabled for the copy.  It must stay disabled as long as the data is used.
 */
void ktap_user_read(struct trace_user_buf_info *buffers, struct ktap_counters *counters,
		    const struct syscall_metadata *meta, const struct ktap_user_args *which,
		    const unsigned long *args, struct ktap_user_data *user)
{
	unsigned int i, n = 0;

	lockdep_assert_preemption_disabled();
	user->bytes = ktap_user_is_bytes(which);
	for (i = 0; i < meta->nb_args && n < KTAP_MAX_USER; i++) {
		if (ktap_user_rank(which->mask, i) < 0)
			continue;
		user->from[n] = (const char __user *)args[i];
		user->size[n] = which->size;
		if (which->size_arg >= 0)
			user->size[n] = min(args[which->size_arg], which->size);
		n++;
	}
	user->n = n;
	user->tries = 0;
	user->absent = 0;
	if (!trace_user_fault_read(buffers, NULL, KTAP_MAX_USER * KTAP_USER_SIZE,
				   syscall_user_copy, user)) {
		atomic_long_add(n, &counters->bad_reads);
		user->n = 0;
	}
	for (i = 0; i < user->n; i++) {
		if (!user->bytes && user->len[i] == which->size)
			atomic_long_inc(&counters->cut_strings);
		/* NULL is a common argument, and no error. */
		if (user->len[i] < 0 && user->from[i])
			atomic_long_inc(&counters->bad_reads);
	}
}

/* Scripts mostly read the first members of a structure. */
#define STRUCT_SIZE	16

/*
 * Fault in the memory that an argument points to, except registers of devices.  Touch
 * only memory that the system call itself is likely to touch.  So a "char *" that is
 * not const and unknown to trace_syscalls.c is treated as a buffer, not as a string.
 */
static void syscall_user_bring_in(const struct syscall_metadata *meta,
				  const struct ktap_user_args *which, const unsigned long *args,
				  int i, unsigned long began)
{
	const char __user *from = (const char __user *)args[i];
	const char *type = meta->types[i];
	bool known = which->recorded & BIT(i);
	size_t len = strlen(type);

	if (!from || !len || type[len - 1] != '*')
		return;
	if (known && which->size_arg >= 0)
		ktap_bring_in_bytes(from, min(args[which->size_arg], KTAP_USER_SIZE), began);
	else if (!strstr(type, "char") || !(known || strstarts(type, "const ")))
		ktap_bring_in_bytes(from, STRUCT_SIZE, began);
	else if (strchr(type, '*') == type + len - 1)
		ktap_bring_in_string(from, KTAP_MAX_STRLEN, began);
	else
		ktap_bring_in_strings(from, began);
}

/**
 * ktap_user_bring_in() - Fault in the memory that the arguments point to
 * @meta: the system call
 * @which: ktap_user_args() of it
 * @args: its arguments
 * @began: when it began, in jiffies
 *
 * Handlers cannot fault.  The memory is present when they run, unless it is reclaimed
 * within microseconds.
 * Context: sleeps for a bounded time.
 */
void ktap_user_bring_in(const struct syscall_metadata *meta, const struct ktap_user_args *which,
			const unsigned long *args, unsigned long began)
{
	int i;

	for (i = 0; i < meta->nb_args; i++)
		syscall_user_bring_in(meta, which, args, i, began);
}
