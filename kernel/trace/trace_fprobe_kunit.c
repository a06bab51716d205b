// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of tracepoint probe events whose stub is called for others,
 * too.
 */
#include <kunit/test.h>
#include <linux/trace.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include <trace/events/initcall.h>

#include "trace.h"
#include "trace_dynevent.h"

#define GROUP	"fprobe_events_kunit"
#define EVENT	"level"
#define COUNT	10

/* When the tests run, nothing else passes this tracepoint any more. */
static struct tracepoint *const tp = &__tracepoint_initcall_level;

static void pass_tracepoint(void)
{
	for (int i = 0; i < COUNT; i++)
		trace_initcall_level("kunit");
}

static unsigned long records(struct trace_array *tr)
{
	return ring_buffer_entries(tr->array_buffer.buffer);
}

static void stub_for_others_is_not_recorded(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	int others_data;

	KUNIT_ASSERT_EQ(test, 0, trace_array_set_clr_event(tr, GROUP, EVENT, true));
	pass_tracepoint();
	KUNIT_EXPECT_EQ(test, COUNT, records(tr));

	KUNIT_ASSERT_EQ(test, 0, tracepoint_probe_register(tp, tp->probestub, &others_data));
	pass_tracepoint();
	KUNIT_EXPECT_EQ(test, 2 * COUNT, records(tr));

	KUNIT_EXPECT_EQ(test, 0, tracepoint_probe_unregister(tp, tp->probestub, &others_data));
	pass_tracepoint();
	KUNIT_EXPECT_EQ(test, 3 * COUNT, records(tr));
}

static void others_may_be_first_and_last(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	int others_data;

	KUNIT_ASSERT_EQ(test, 0, tracepoint_probe_register(tp, tp->probestub, &others_data));
	pass_tracepoint();
	KUNIT_EXPECT_EQ(test, 0, records(tr));

	KUNIT_EXPECT_EQ(test, 0, trace_array_set_clr_event(tr, GROUP, EVENT, true));
	pass_tracepoint();
	KUNIT_EXPECT_EQ(test, COUNT, records(tr));

	KUNIT_EXPECT_EQ(test, 0, trace_array_set_clr_event(tr, GROUP, EVENT, false));
	pass_tracepoint();
	KUNIT_EXPECT_EQ(test, COUNT, records(tr));

	KUNIT_EXPECT_EQ(test, 0, tracepoint_probe_unregister(tp, tp->probestub, &others_data));
}

/* The event, and an instance that has no other ones. */
static int fprobe_events_init(struct kunit *test)
{
	struct trace_array *tr;

	KUNIT_ASSERT_EQ(test, 0, dyn_event_command("t:" GROUP "/" EVENT " initcall_level", NULL));
	tr = trace_array_get_by_name(GROUP, GROUP);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	test->priv = tr;
	return 0;
}

static void fprobe_events_exit(struct kunit *test)
{
	struct trace_array *tr = test->priv;

	if (tr) {
		trace_array_put(tr);
		KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(tr));
	}
	KUNIT_EXPECT_EQ(test, 0, dyn_event_command("-:" GROUP "/" EVENT, NULL));
}

static struct kunit_case fprobe_events_cases[] = {
	KUNIT_CASE(stub_for_others_is_not_recorded),
	KUNIT_CASE(others_may_be_first_and_last),
	{}
};

static struct kunit_suite fprobe_events_suite = {
	.name = "fprobe_events",
	.init = fprobe_events_init,
	.exit = fprobe_events_exit,
	.test_cases = fprobe_events_cases,
};

kunit_test_suite(fprobe_events_suite);
