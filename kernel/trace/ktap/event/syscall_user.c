// SPDX-License-Identifier: GPL-2.0
/*
 * What the arguments of system calls point to.
 *
 * Memory of the process need not be there, and handlers cannot wait for it.  The
 * probe on sys_enter can: fields that are strings are copied before handlers
 * run.  For what handlers read by address, what arguments point to is brought in.
 */
#include <linux/bits.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../trace.h"
#include "source.h"
#include "syscall_user.h"

/* Is argument @n a path, by its type and its name? */
static bool is_path(const struct syscall_metadata *meta, int n)
{
	const char *type = meta->types[n], *star = strchr(type, '*');

	/* There may be an attribute in between. */
	return strstarts(type, "const char ") && star && !star[1] &&
	       (!strcmp(meta->args[n], "filename") || !strcmp(meta->args[n], "pathname") ||
		!strcmp(meta->args[n], "path"));
}

/**
 * ktap_user_args() - Which arguments point to user data?
 * @meta: the system call
 *
 * trace_syscalls.c has no data of some system calls in its records, like newstat:
 * they have their paths all the same.
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
		if (is_path(meta, i))
			user.mask |= BIT(i);
	}
	return user;
}

/* Far more than are needed, but for a program that wants it so. */
#define MAX_TRIES	50

/*
 * May fault, and be called again if others had the CPU meanwhile.  A program can see to
 * it that they always have: trace_user_fault_read() warns when it gives up, so we do before.
 */
static int copy_user(char *buf, const char __user *ptr, size_t size, void *data)
{
	struct ktap_user_data *user = data;
	unsigned int i;
	long ret;

	if (user->tries++ == MAX_TRIES)
		return -EAGAIN;
	for (i = 0; i < user->n; i++, buf += KTAP_USER_SIZE) {
		if (user->bytes) {
			ret = user->size[i];
			if (copy_from_user(buf, user->from[i], ret))
				ret = -EFAULT;
		} else {
			ret = strncpy_from_user(buf, user->from[i], user->size[i]);
		}
		user->data[i] = buf;
		user->len[i] = ret;
	}
	return 0;
}

/**
 * ktap_user_read() - Reads what the arguments point to
 * @buffers: where to
 * @counters: of what was cut or could not be read
 * @meta: the system call
 * @which: ktap_user_args() of it
 * @args: its arguments
 * @user: gets what was read
 *
 * Context: a fault is allowed but for preemption, which is disabled by the caller,
 * is enabled in between, and must stay disabled as long as the data is used.
 */
void ktap_user_read(struct trace_user_buf_info *buffers, struct ktap_counters *counters,
		    const struct syscall_metadata *meta, const struct ktap_user_args *which,
		    const unsigned long *args, struct ktap_user_data *user)
{
	unsigned int i, n = 0;

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
	if (!trace_user_fault_read(buffers, NULL, KTAP_MAX_USER * KTAP_USER_SIZE, copy_user,
				   user)) {
		atomic_long_add(n, &counters->bad_reads);
		user->n = 0;
	}
	for (i = 0; i < user->n; i++) {
		if (!user->bytes && user->len[i] == which->size)
			atomic_long_inc(&counters->cut_strings);
		/* It is common to pass NULL where there is nothing to be said. */
		if (user->len[i] < 0 && user->from[i])
			atomic_long_inc(&counters->bad_reads);
	}
}

/* What is no string is read for its first members mostly. */
#define STRUCT_SIZE	16

/*
 * Makes what an argument points to present, but for a device's registers.  No more is
 * touched than what the system call may well touch itself.  So what it may write, and
 * trace_syscalls.c does not know, is a buffer and no string.
 */
static void bring_in(const struct syscall_metadata *meta, const struct ktap_user_args *which,
		     const unsigned long *args, int i)
{
	const char __user *from = (const char __user *)args[i];
	const char *type = meta->types[i];
	bool known = which->recorded & BIT(i);
	size_t len = strlen(type);

	if (!from || !len || type[len - 1] != '*')
		return;
	if (known && which->size_arg >= 0)
		ktap_bring_in_bytes(from, min(args[which->size_arg], KTAP_USER_SIZE));
	else if (!strstr(type, "char") || !(known || strstarts(type, "const ")))
		ktap_bring_in_bytes(from, STRUCT_SIZE);
	else if (strchr(type, '*') == type + len - 1)
		ktap_bring_in_string(from);
	else
		ktap_bring_in_strings(from);
}

/**
 * ktap_user_bring_in() - Makes what the arguments point to present
 * @meta: the system call
 * @which: ktap_user_args() of it
 * @args: its arguments
 *
 * For handlers, which cannot wait for it: it is there then, unless it is taken away
 * again within microseconds.
 * Context: may fault.
 */
void ktap_user_bring_in(const struct syscall_metadata *meta, const struct ktap_user_args *which,
			const unsigned long *args)
{
	int i;

	for (i = 0; i < meta->nb_args; i++)
		bring_in(meta, which, args, i);
}
