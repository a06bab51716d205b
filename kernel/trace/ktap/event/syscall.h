/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls: between the entry and exit hooks (syscall.c) and the values that a
 * handler sees (syscall_event.c).
 */
#ifndef _KTAP_SYSCALL_H
#define _KTAP_SYSCALL_H

#include "event/source.h"
#include "event/syscall_user.h"

struct ktap_program;
struct syscall_metadata;
struct trace_event_call;

/**
 * enum sc_field - a field of a system call's event
 * @SC_NONE: there is no such field
 * @SC_NAME: the event's name
 * @SC_NR: number of the system call
 * @SC_IS_ENTER: true at the entry
 * @SC_ARG: argument, as it is in the register
 * @SC_INT: argument, an int
 * @SC_UINT: argument, an unsigned int
 * @SC_USHORT: argument, an unsigned short
 * @SC_LONG: argument, a long
 * @SC_USER: user data that an argument points to
 * @SC_RETVAL: the return value
 * @SC_PID: thread id
 * @SC_COMPAT: true for a 32-bit program
 */
enum sc_field {
	SC_NONE,
	SC_NAME,
	SC_NR,
	SC_IS_ENTER,
	SC_ARG,
	SC_INT,
	SC_UINT,
	SC_USHORT,
	SC_LONG,
	SC_USER,
	SC_RETVAL,
	SC_PID,
	SC_COMPAT,
};

/* @n: number of the argument, or of the user data */
struct sc_ref {
	u8 kind;
	u8 n;
};

/*
 * Work to deliver an event.  If none of it is needed, there is a short way.  The first three
 * are for entries; each begins with fetching arguments.
 */
#define SC_NEEDS_ARGS	BIT(0)	/* the arguments alone */
#define SC_NEEDS_USER	BIT(1)	/* a copy of the user data that they point to */
#define SC_NEEDS_MEMORY	BIT(2)	/* the memory that they point to, which is faulted in */
#define SC_NEEDS_LOOP	BIT(3)	/* there is another point; only in @needs_all */
#define SC_NEEDS_FIRST	BIT(4)	/* there is a point; only while points are added */

/**
 * struct ktap_syscall - entry or exit of a system call that a probe waits for
 * @point: the point
 * @next: the next point of the same event
 * @call: the trace event
 * @meta: the system call
 * @nargs: number of arguments whose registers are known
 * @user: arguments that point to user data
 * @enter: the event is the entry
 * @needs: SC_NEEDS_*: what the probe may read
 * @nth: number of the point among those of system calls, in the order of the script
 * @unknown: of the first point of a probe: calls of 32-bit programs that match it, but have no
 *	trace event (syscall_unknown_bit()); or NULL
 * @needs_all: SC_NEEDS_* of all points of the event, whether they are attached or not
 * @args: by argument: the value of argN
 * @refs: by field of the program
 */
struct ktap_syscall {
	struct ktap_point point;
	struct ktap_syscall *next;
	struct trace_event_call *call;
	const struct syscall_metadata *meta;
	int nargs;
	struct ktap_user_args user;
	bool enter;
	unsigned int nth;
	unsigned long *unknown;
	u8 needs;
	u8 needs_all;
	struct sc_ref args[KTAP_SYSCALL_ARGS];
	struct sc_ref refs[];
};

/**
 * struct sc_event - an entry or an exit
 * @hit: the event; its operations tell which of the other members are set
 * @compat: a 32-bit program has made the call
 * @args: of an entry: the arguments; NULL: no probe reads them, or those of a 32-bit
 *	program are not those of the event
 * @user: of an entry: the user data that they point to
 * @ret: of an exit: the return value
 */
struct sc_event {
	struct ktap_hit hit;
	bool compat;
	const unsigned long *args;
	const struct ktap_user_data *user;
	long ret;
};

/*
 * Operations of entries, of exits, and of entries by 64-bit programs whose only probe reads
 * neither arguments nor their record: these are a struct ktap_hit.
 */
extern const struct ktap_event_ops ktap_syscall_entry_ops;
extern const struct ktap_event_ops ktap_syscall_exit_ops;
extern const struct ktap_event_ops ktap_syscall_plain_ops;
extern const struct ktap_user_data ktap_syscall_no_user;

void ktap_syscall_find_refs(struct ktap_syscall *sc, const struct ktap_program *prog);

#endif /* _KTAP_SYSCALL_H */
