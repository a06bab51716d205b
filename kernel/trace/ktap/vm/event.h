/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events as handlers see them.  The sources of events implement this.
 */
#ifndef _KTAP_EVENT_H
#define _KTAP_EVENT_H

#include <linux/types.h>

#include "vm/value.h"

struct ktap_event;
struct ktap_here;
struct ktap_vm;
struct pt_regs;

/* Context of an activation.  The first four are interrupt_context_level(). */
enum ktap_level {
	KTAP_LEVEL_TASK,
	KTAP_LEVEL_SOFTIRQ,
	KTAP_LEVEL_HARDIRQ,
	KTAP_LEVEL_NMI,
	KTAP_LEVEL_PROCESS,	/* the session's thread, or its loader: may sleep */
	KTAP_NR_LEVELS
};

#define KTAP_NR_EVENT_LEVELS	KTAP_LEVEL_PROCESS

/* Verdicts about a packet; 0 to KTAP_MAX_QUEUE is the number of a queue. */
#define KTAP_PACKET_ACCEPT	(-1)
#define KTAP_PACKET_DROP	(-2)
#define KTAP_MAX_QUEUE		65535

/**
 * struct ktap_event_ops - how handlers read the events of a source
 *
 * All of them are called in the context of the event, with preemption disabled,
 * and must neither sleep nor take a lock.  A value that is a blob must live as
 * long as the activation: in session memory, in the event, or in vm's arena.
 * Those with @v always set it, but @field_quickly.  All but @field may be NULL.
 *
 * @name: the event's name as KTAP_STR
 * @field: field @index of &ktap_program.fields, nil if the event lacks it
 * @field_quickly: the same without an activation, where @field needs no memory: an integer or
 *	a short string.  Return false, and set nothing, if the value is none.  Sources with
 *	&ktap_source.quick_fields have it
 * @nth: field @n in the order of the event's format, from 1; nil if none
 * @arg: positional argument @n, from 0; nil if none
 * @retval: return value of the syscall or function; nil if it does not return
 * @func: name of the function that contains the event, nil if none
 * @regs: interrupted registers, NULL if unknown
 * @top: code range of the first interesting frame of a kernel stack: frames
 *	below it belong to the tracing code
 * @begin: get the instruction where a kernel stack begins, with nothing of the tracing code
 *	below; false if its registers are not known.  Set @first if the stack begins with a
 *	function that has no frame: an address in it
 * @text: make the event's text in the arena, as ->trace() prints it, with the
 *	newline; 0 or a negative errno with the error set
 * @save: write to @buf, of @size bytes, the data from which ktap_event_format()
 *	makes that text later.  Return the bytes needed; write nothing if @size
 *	is smaller
 * @set_retval: make the entered function return @value at once; 0 or a
 *	negative errno with the error set
 * @verdict: what becomes of the packet: KTAP_PACKET_DROP, KTAP_PACKET_ACCEPT, or the number
 *	of the queue that it waits in; 0 or a negative errno with the error set
 */
struct ktap_event_ops {
	void (*name)(const struct ktap_event *ev, struct ktap_value *v);
	void (*field)(struct ktap_vm *vm, u32 index, struct ktap_value *v);
	bool (*field_quickly)(const struct ktap_event *ev, u32 index, struct ktap_value *v);
	void (*nth)(struct ktap_vm *vm, s64 n, struct ktap_value *v);
	void (*arg)(struct ktap_vm *vm, u32 n, struct ktap_value *v);
	void (*retval)(const struct ktap_event *ev, struct ktap_value *v);
	void (*func)(const struct ktap_event *ev, struct ktap_value *v);
	struct pt_regs *(*regs)(const struct ktap_event *ev);
	void (*top)(const struct ktap_event *ev, unsigned long *start, unsigned long *size);
	bool (*begin)(const struct ktap_event *ev, struct ktap_here *here, unsigned long *first);
	int (*text)(struct ktap_vm *vm, struct ktap_value *v);
	size_t (*save)(const struct ktap_event *ev, void *buf, size_t size);
	int (*set_retval)(struct ktap_vm *vm, s64 value);
	int (*verdict)(struct ktap_vm *vm, int verdict);
};

/* One event; a source embeds it.  NULL in process context, except for iterators. */
struct ktap_event {
	const struct ktap_event_ops *ops;
};

/* The value of the event, as the parameter of a handler. */
static inline struct ktap_value ktap_event_value(const struct ktap_event *ev)
{
	return (struct ktap_value){ .blob = ev, .tag = ev ? KTAP_EVENT : KTAP_NIL };
}

#define KTAP_TEXT_COST		32	/* units of an event's text */

/* Text of the event with its newline; empty if there is none. */
int ktap_event_text(struct ktap_vm *vm, struct ktap_value *v);

#endif /* _KTAP_EVENT_H */
