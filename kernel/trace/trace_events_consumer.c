// SPDX-License-Identifier: GPL-2.0
/*
 * Consumers of trace events: functions that get the records of an event without a
 * trace buffer.  See struct trace_event_consumer.
 */
#include <linux/container_of.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/syscalls.h>
#include <linux/trace_events.h>

#include "trace.h"

/**
 * DOC: Records of consumers
 *
 * A consumer has a &struct trace_event_file, which is in no instance and no directory.
 * The flag EVENT_FILE_FL_CONSUMER in it makes trace_event_buffer_reserve() and
 * trace_event_buffer_commit() use the slots of the CPU instead of a ring buffer.
 *
 * The records of a CPU nest: what interrupts or is called by an event is complete
 * before that event goes on.  So the slots are a stack, of &consumer_depth records.
 * Only code of the CPU itself accesses both, with preemption disabled from reserve to
 * commit.  An interrupt between reading and writing &consumer_depth leaves it as it was:
 * compiler barriers are enough.
 *
 * The first consumer that needs records allocates the slots, the last one frees them.
 * An event that a consumer caused shortly before it was unregistered may come later.
 * It reads &consumer_slots once, with preemption disabled: the slots are freed after a
 * grace period, or it finds none.
 */

/*
 * A slot is laid out as a ring_buffer_event whose length is in array[0], so that
 * ring_buffer_event_data() works: the code of some events calls it.
 */
#define SLOT_HEADER	struct_size_t(struct ring_buffer_event, array, 1)

struct consumer_slot {
	char bytes[SLOT_HEADER + TRACE_EVENT_CONSUMER_MAX] __aligned(8);
};

struct consumer_slots {
	struct consumer_slot slot[TRACE_EVENT_CONSUMER_NESTED];
};

static struct consumer_slots __percpu *consumer_slots;
static unsigned int consumer_users;	/* of consumer_slots; protected by event_mutex */
static DEFINE_PER_CPU(unsigned int, consumer_depth);

static int consumer_slots_get(void)
{
	struct consumer_slots __percpu *slots;

	lockdep_assert_held(&event_mutex);
	if (!consumer_users) {
		slots = alloc_percpu_gfp(struct consumer_slots, GFP_KERNEL | __GFP_NOWARN);
		if (!slots)
			return -ENOMEM;
		/* Pairs with READ_ONCE() in consumer_take_slot(). */
		smp_store_release(&consumer_slots, slots);
	}
	consumer_users++;
	return 0;
}

static void consumer_slots_put(void)
{
	struct consumer_slots __percpu *slots = consumer_slots;

	lockdep_assert_held(&event_mutex);
	if (--consumer_users)
		return;
	WRITE_ONCE(consumer_slots, NULL);
	/* Wait for events between reserve and commit. */
	synchronize_rcu();
	free_percpu(slots);
}

static struct trace_event_consumer *consumer_of(struct trace_event_file *file)
{
	return container_of(file, struct trace_event_consumer, file);
}

static noinline void *consumer_miss(struct trace_event_file *file, bool registered)
{
	struct trace_event_consumer *c = consumer_of(file);

	if (registered && c->missed)
		c->missed(c);
	preempt_enable_notrace();
	return NULL;
}

static __always_inline void *consumer_take_slot(struct trace_event_buffer *fbuffer,
						struct trace_event_file *file, unsigned long len)
{
	struct consumer_slots __percpu *slots;
	struct ring_buffer_event *event;
	unsigned int depth;

	preempt_disable_notrace();
	slots = READ_ONCE(consumer_slots);
	if (unlikely(!slots))
		return consumer_miss(file, false);
	depth = __this_cpu_read(consumer_depth);
	if (unlikely(depth >= TRACE_EVENT_CONSUMER_NESTED || len > TRACE_EVENT_CONSUMER_MAX))
		return consumer_miss(file, true);
	__this_cpu_write(consumer_depth, depth + 1);
	/* The slot is owned before it is written.  An interrupt takes the next one. */
	barrier();

	/* The slot was zeroed when it was allocated: type_len is 0. */
	event = (struct ring_buffer_event *)this_cpu_ptr(slots)->slot[depth].bytes;
	event->array[0] = len;
	/* The code of events reads no other members, and may set some of them. */
	fbuffer->event = event;
	fbuffer->trace_file = file;
	return &event->array[1];
}

static noinline void *consumer_reserve_common(struct trace_event_buffer *fbuffer,
					      struct trace_event_file *file, unsigned long len)
{
	unsigned int trace_ctx = tracing_gen_ctx_dec();
	struct trace_entry *ent;

	ent = consumer_take_slot(fbuffer, file, len);
	if (ent)
		tracing_generic_entry_update(ent, file->event_call->event.type, trace_ctx);
	return ent;
}

/**
 * trace_event_consumer_reserve() - Reserve a slot for the record of an event
 * @fbuffer: as for trace_event_buffer_reserve(); only @event and @trace_file are set
 * @file: the file of the consumer
 * @len: bytes of the record
 *
 * Return: the record, with preemption disabled, or NULL: then the event was missed.
 */
void *trace_event_consumer_reserve(struct trace_event_buffer *fbuffer,
				   struct trace_event_file *file, unsigned long len)
{
	if (likely(consumer_of(file)->no_common))
		return consumer_take_slot(fbuffer, file, len);
	return consumer_reserve_common(fbuffer, file, len);
}

/**
 * trace_event_consumer_discard() - Release the slot that was reserved last
 */
void trace_event_consumer_discard(void)
{
	/* All accesses to the record come before another event can own the slot. */
	barrier();
	__this_cpu_dec(consumer_depth);
	preempt_enable_notrace();
}

/**
 * trace_event_consumer_commit() - Pass a record to its consumer, and release its slot
 * @file: the file of the consumer
 * @event: what trace_event_consumer_reserve() has reserved
 */
void trace_event_consumer_commit(struct trace_event_file *file, struct ring_buffer_event *event)
{
	struct trace_event_consumer *c = consumer_of(file);

	c->fn(c, &event->array[1], event->array[0]);
	trace_event_consumer_discard();
}

/**
 * trace_event_consumer_call() - Call a consumer that needs no record
 * @file: the file of the consumer
 */
void trace_event_consumer_call(struct trace_event_file *file)
{
	struct trace_event_consumer *c = consumer_of(file);

	c->fn(c, NULL, 0);
}

static bool consumer_fits(struct trace_event_call *call)
{
	/* Tracers write these records, and do not use files. */
	if (!call->class->reg || call->flags & TRACE_EVENT_FL_IGNORE_ENABLE)
		return false;
	/* Only the first file of an event probe gets records, and it keeps the address of that. */
	if (call->flags & TRACE_EVENT_FL_EPROBE)
		return false;
	/* An instance has one file for each of these; users of tracefs have that of the top one. */
	return !is_syscall_trace_event(call);
}

/**
 * trace_event_consumer_register() - Start to call a consumer
 * @c: the consumer, with all but &trace_event_consumer.file set
 *
 * An event may have any number of consumers.  The event is pinned, as a module or as a
 * dynamic event, until the consumer is unregistered.  The caller must find the event and
 * register the consumer without releasing event_mutex meanwhile, or pin the event itself.
 *
 * Context: process, event_mutex held.
 * Return: 0; -EOPNOTSUPP for events of system calls, for event probes, and for events that a
 * tracer writes; -EBUSY if the event goes away; or another negative errno.
 */
int trace_event_consumer_register(struct trace_event_consumer *c)
{
	struct trace_event_call *call = c->call;
	int err;

	lockdep_assert_held(&event_mutex);
	if (!consumer_fits(call))
		return -EOPNOTSUPP;
	if (!trace_event_try_get_ref(call))
		return -EBUSY;
	err = c->no_record ? 0 : consumer_slots_get();
	if (err)
		goto put_ref;

	/* The code of synthetic events uses the instance of the file. */
	c->file = (struct trace_event_file){
		.event_call = call,
		.tr = top_trace_array(),
		/* The code of user events tests ENABLED. */
		.flags = EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_CONSUMER,
		.triggers = LIST_HEAD_INIT(c->file.triggers),
	};
	/* The code of all events tests SOFT_DISABLED before it makes a record. */
	if (c->no_record)
		c->file.flags |= EVENT_FILE_FL_SOFT_DISABLED;
	err = call->class->reg(call, TRACE_REG_REGISTER, &c->file);
	if (err)
		goto put_slots;
	return 0;

put_slots:
	if (!c->no_record)
		consumer_slots_put();
put_ref:
	trace_event_put_ref(call);
	return err;
}

/**
 * trace_event_consumer_unregister() - Stop to call a consumer
 * @c: the consumer
 *
 * &trace_event_consumer.fn may still run, and may be called by events that have begun.
 * Before @c is freed, the caller must wait as for any probe of the event:
 * tracepoint_synchronize_unregister() for tracepoints, and synchronize_rcu() for dynamic
 * events and user events.  So one wait is enough for many consumers.
 *
 * Context: process, event_mutex held.  Waits for a grace period of RCU if no consumer of
 * records is left.
 */
void trace_event_consumer_unregister(struct trace_event_consumer *c)
{
	struct trace_event_call *call = c->call;

	lockdep_assert_held(&event_mutex);
	call->class->reg(call, TRACE_REG_UNREGISTER, &c->file);
	if (!c->no_record)
		consumer_slots_put();
	trace_event_put_ref(call);
}
