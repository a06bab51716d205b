// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of struct trace_event_consumer, with an event that only they cause.
 */
#include <kunit/test.h>
#include <linux/cleanup.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/trace_events.h>

#include "trace.h"

#define CREATE_TRACE_POINTS
#include "trace_events_consumer_kunit.h"

#define GROUP	"consumer_kunit"
#define EVENT	"consumer_kunit"
#define PROBE	"consumer_kunit_probe"
#define COUNT	10
#define LEN	24
#define FIXED	sizeof(struct trace_event_raw_consumer_kunit)

/**
 * struct tested - a consumer, and what it has got
 * @c: the consumer
 * @recurses: the consumer causes the event again
 * @calls: number of calls with a record
 * @plain_calls: number of calls without one
 * @missed: number of missed events
 * @wrong: number of calls with something else than what the event has written
 * @len: bytes of the last record
 * @entry: the beginning of the last record
 * @id: field of the last record
 */
struct tested {
	struct trace_event_consumer c;
	bool recurses;
	unsigned int calls;
	unsigned int plain_calls;
	unsigned int missed;
	unsigned int wrong;
	unsigned int len;
	struct trace_entry entry;
	u32 id;
};

static bool bytes_are(const struct trace_event_raw_consumer_kunit *rec, u8 byte)
{
	const u8 *bytes = (const u8 *)rec + (rec->__data_loc_bytes & 0xffff);

	return !memchr_inv(bytes, byte, rec->__data_loc_bytes >> 16);
}

static void consume(struct trace_event_consumer *c, void *rec, unsigned int len)
{
	struct tested *t = container_of(c, struct tested, c);
	struct trace_event_raw_consumer_kunit *r = rec;
	u32 id;

	if (!rec) {
		t->plain_calls++;
		t->wrong += !!len;
		return;
	}
	t->calls++;
	t->len = len;
	t->entry = r->ent;
	id = r->id;
	t->id = id;
	if (t->recurses)
		trace_consumer_kunit(id + 1, LEN);
	/* Has another record been written over it? */
	t->wrong += r->id != id || !bytes_are(r, id);
}

static void miss(struct trace_event_consumer *c)
{
	container_of(c, struct tested, c)->missed++;
}

static struct trace_event_call *find_call(const char *system, const char *name)
{
	struct trace_event_call *call;

	lockdep_assert_held(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list) {
		if (!strcmp(call->class->system, system) && !strcmp(trace_event_name(call), name))
			return call;
	}
	return NULL;
}

static int start(struct tested *t, const char *system, const char *name)
{
	guard(mutex)(&event_mutex);
	t->c.call = find_call(system, name);
	if (!t->c.call)
		return -ENOENT;
	return trace_event_consumer_register(&t->c);
}

static void stop(struct kunit *test, struct tested *t)
{
	scoped_guard(mutex, &event_mutex)
		trace_event_consumer_unregister(&t->c);
	tracepoint_synchronize_unregister();
	synchronize_rcu();
	KUNIT_EXPECT_EQ(test, 0, t->wrong);
}

static struct tested *new_consumer(struct kunit *test)
{
	struct tested *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->c.fn = consume;
	t->c.missed = miss;
	return t;
}

static void record_is_passed(struct kunit *test)
{
	struct tested *t = new_consumer(test);

	KUNIT_ASSERT_EQ(test, 0, start(t, GROUP, EVENT));
	trace_consumer_kunit(5, LEN);
	stop(test, t);

	KUNIT_EXPECT_EQ(test, 1, t->calls);
	KUNIT_EXPECT_EQ(test, 5, t->id);
	KUNIT_EXPECT_EQ(test, FIXED + LEN, t->len);
	KUNIT_EXPECT_EQ(test, t->c.call->event.type, t->entry.type);
	KUNIT_EXPECT_EQ(test, current->pid, t->entry.pid);
	/* The event happened with preemption enabled, and in no interrupt. */
	if (IS_ENABLED(CONFIG_PREEMPTION))
		KUNIT_EXPECT_EQ(test, 0, t->entry.preempt_count & 0xf);
	KUNIT_EXPECT_EQ(test, 0, t->entry.flags & (TRACE_FLAG_HARDIRQ | TRACE_FLAG_SOFTIRQ));
	KUNIT_EXPECT_EQ(test, 0, t->missed);
}

static void record_without_common_fields_is_passed(struct kunit *test)
{
	struct tested *t = new_consumer(test);

	t->c.no_common = true;
	KUNIT_ASSERT_EQ(test, 0, start(t, GROUP, EVENT));
	trace_consumer_kunit(5, LEN);
	KUNIT_EXPECT_EQ(test, 5, t->id);
	KUNIT_EXPECT_EQ(test, FIXED + LEN, t->len);

	/* No room is lost: another record, one that is too long, and nested ones. */
	trace_consumer_kunit(6, TRACE_EVENT_CONSUMER_MAX);
	KUNIT_EXPECT_EQ(test, 1, t->calls);
	KUNIT_EXPECT_EQ(test, 1, t->missed);
	t->recurses = true;
	trace_consumer_kunit(7, LEN);
	stop(test, t);
	KUNIT_EXPECT_EQ(test, 1 + TRACE_EVENT_CONSUMER_NESTED, t->calls);
	KUNIT_EXPECT_EQ(test, 2, t->missed);
}

static void no_record_is_made(struct kunit *test)
{
	struct tested *t = new_consumer(test);

	t->c.no_record = true;
	KUNIT_ASSERT_EQ(test, 0, start(t, GROUP, EVENT));
	trace_consumer_kunit(1, LEN);
	trace_consumer_kunit(2, TRACE_EVENT_CONSUMER_MAX);
	stop(test, t);

	KUNIT_EXPECT_EQ(test, 0, t->calls);
	KUNIT_EXPECT_EQ(test, 2, t->plain_calls);
	KUNIT_EXPECT_EQ(test, 0, t->missed);
}

static void nested_events_have_their_own_records(struct kunit *test)
{
	struct tested *t = new_consumer(test);

	t->recurses = true;
	KUNIT_ASSERT_EQ(test, 0, start(t, GROUP, EVENT));
	trace_consumer_kunit(1, LEN);
	KUNIT_EXPECT_EQ(test, TRACE_EVENT_CONSUMER_NESTED, t->calls);
	KUNIT_EXPECT_EQ(test, 1, t->missed);

	/* All records were released. */
	trace_consumer_kunit(1, LEN);
	stop(test, t);
	KUNIT_EXPECT_EQ(test, 2 * TRACE_EVENT_CONSUMER_NESTED, t->calls);
	KUNIT_EXPECT_EQ(test, 2, t->missed);
}

static void long_record_is_missed(struct kunit *test)
{
	unsigned int most = TRACE_EVENT_CONSUMER_MAX - FIXED;
	struct tested *t = new_consumer(test);

	KUNIT_ASSERT_EQ(test, 0, start(t, GROUP, EVENT));
	trace_consumer_kunit(1, most);
	KUNIT_EXPECT_EQ(test, 1, t->calls);
	KUNIT_EXPECT_EQ(test, TRACE_EVENT_CONSUMER_MAX, t->len);
	KUNIT_EXPECT_EQ(test, 0, t->missed);

	trace_consumer_kunit(2, most + 1);
	KUNIT_EXPECT_EQ(test, 1, t->calls);
	KUNIT_EXPECT_EQ(test, 1, t->missed);

	/* A consumer need not count. */
	t->c.missed = NULL;
	trace_consumer_kunit(3, most + 1);
	trace_consumer_kunit(4, 0);
	stop(test, t);
	KUNIT_EXPECT_EQ(test, 2, t->calls);
	KUNIT_EXPECT_EQ(test, 1, t->missed);
}

static void event_may_have_many_consumers(struct kunit *test)
{
	struct tested *first = new_consumer(test), *second = new_consumer(test);
	struct tested *plain = new_consumer(test);

	plain->c.no_record = true;
	KUNIT_ASSERT_EQ(test, 0, start(first, GROUP, EVENT));
	KUNIT_ASSERT_EQ(test, 0, start(second, GROUP, EVENT));
	KUNIT_ASSERT_EQ(test, 0, start(plain, GROUP, EVENT));
	trace_consumer_kunit(1, LEN);
	stop(test, first);
	trace_consumer_kunit(2, LEN);
	stop(test, plain);
	trace_consumer_kunit(3, LEN);
	stop(test, second);
	trace_consumer_kunit(4, LEN);

	KUNIT_EXPECT_EQ(test, 1, first->calls);
	KUNIT_EXPECT_EQ(test, 3, second->calls);
	KUNIT_EXPECT_EQ(test, 2, plain->plain_calls);

	/* The memory of the records was freed: it is allocated again. */
	KUNIT_ASSERT_EQ(test, 0, start(first, GROUP, EVENT));
	trace_consumer_kunit(5, LEN);
	stop(test, first);
	KUNIT_EXPECT_EQ(test, 2, first->calls);
}

static void cause_events(void)
{
	for (int i = 0; i < COUNT; i++)
		trace_consumer_kunit(i, LEN);
}

static unsigned long records(struct trace_array *tr)
{
	return ring_buffer_entries(tr->array_buffer.buffer);
}

static void tracefs_does_not_matter(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name(GROUP, GROUP);
	struct tested *t = new_consumer(test);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, 0, start(t, GROUP, EVENT));
	cause_events();
	KUNIT_EXPECT_EQ(test, COUNT, t->calls);
	KUNIT_EXPECT_EQ(test, 0, records(tr));

	/* The event is enabled in an instance ... */
	KUNIT_EXPECT_EQ(test, 0, trace_array_set_clr_event(tr, GROUP, EVENT, true));
	cause_events();
	KUNIT_EXPECT_EQ(test, 2 * COUNT, t->calls);
	KUNIT_EXPECT_EQ(test, COUNT, records(tr));

	/* ... which does not trace ... */
	tracer_tracing_off(tr);
	cause_events();
	KUNIT_EXPECT_EQ(test, 3 * COUNT, t->calls);
	KUNIT_EXPECT_EQ(test, COUNT, records(tr));
	tracer_tracing_on(tr);

	/* ... and stays so without the consumer. */
	stop(test, t);
	cause_events();
	KUNIT_EXPECT_EQ(test, 3 * COUNT, t->calls);
	KUNIT_EXPECT_EQ(test, 2 * COUNT, records(tr));

	KUNIT_EXPECT_EQ(test, 0, trace_array_set_clr_event(tr, GROUP, EVENT, false));
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(tr));
}

static void dynamic_event_is_pinned(struct kunit *test)
{
	struct tested *t = new_consumer(test);
	struct dynevent_cmd cmd;
	char buf[128];

	if (!IS_ENABLED(CONFIG_KPROBE_EVENTS))
		kunit_skip(test, "this kernel has no kprobe events");
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf));
	KUNIT_ASSERT_EQ(test, 0, kprobe_event_gen_cmd_start(&cmd, PROBE, "vfs_read"));
	KUNIT_ASSERT_EQ(test, 0, kprobe_event_gen_cmd_end(&cmd));

	KUNIT_EXPECT_EQ(test, 0, start(t, "kprobes", PROBE));
	KUNIT_EXPECT_EQ(test, -EBUSY, kprobe_event_delete(PROBE));
	stop(test, t);
	KUNIT_EXPECT_EQ(test, 0, kprobe_event_delete(PROBE));
}

static void events_without_files_are_refused(struct kunit *test)
{
	struct tested *t = new_consumer(test);

	if (IS_ENABLED(CONFIG_FUNCTION_TRACER))
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, start(t, "ftrace", "function"));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, start(t, "ftrace", "print"));
	if (IS_ENABLED(CONFIG_FTRACE_SYSCALLS)) {
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, start(t, "syscalls", "sys_enter_read"));
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, start(t, "syscalls", "sys_exit_read"));
	}
}

static struct kunit_case consumer_cases[] = {
	KUNIT_CASE(record_is_passed),
	KUNIT_CASE(record_without_common_fields_is_passed),
	KUNIT_CASE(no_record_is_made),
	KUNIT_CASE(nested_events_have_their_own_records),
	KUNIT_CASE(long_record_is_missed),
	KUNIT_CASE(event_may_have_many_consumers),
	KUNIT_CASE(tracefs_does_not_matter),
	KUNIT_CASE(dynamic_event_is_pinned),
	KUNIT_CASE(events_without_files_are_refused),
	{}
};

static struct kunit_suite consumer_suite = {
	.name = "trace_event_consumer",
	.test_cases = consumer_cases,
};

kunit_test_suite(consumer_suite);
