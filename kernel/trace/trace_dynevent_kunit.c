// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of dyn_event_command(): the errors that a caller in the kernel gets
 * for a command that creates or deletes a dynamic event.
 */
#include <kunit/test.h>

#include "trace.h"
#include "trace_dynevent.h"

#define GROUP	"dyn_event_kunit"
#define RIGHT	"p:" GROUP "/right vfs_read"
#define WRONG	"p:" GROUP "/wrong "

static bool event_exists(const char *name)
{
	struct trace_event_file *file = trace_get_event_file(NULL, GROUP, name);

	if (IS_ERR(file))
		return false;

	trace_put_event_file(file);
	return true;
}

/* The entries are private to trace.c, but each error is a new last one. */
static struct list_head *last_logged(void)
{
	return top_trace_array()->err_log.prev;
}

static void right_command_creates_and_deletes(struct kunit *test)
{
	struct dyn_event_error error = {};
	struct list_head *last = last_logged();

	KUNIT_EXPECT_FALSE(test, event_exists("right"));

	KUNIT_EXPECT_EQ(test, 0, dyn_event_command(RIGHT, &error));
	KUNIT_EXPECT_TRUE(test, event_exists("right"));

	KUNIT_EXPECT_EQ(test, 0, dyn_event_command("-:" GROUP "/right", &error));
	KUNIT_EXPECT_FALSE(test, event_exists("right"));

	KUNIT_EXPECT_NULL(test, error.text);
	KUNIT_EXPECT_PTR_EQ(test, last, last_logged());
}

static const struct wrong_command {
	const char *name;
	const char *command;
	const char *at;		/* the error is at the first place like this */
	const char *text;
} wrong_commands[] = {
	{
		.name = "type",
		.command = "x:" GROUP "/wrong vfs_read",
		.at = "x:",
		.text = "No matching dynamic event type",
	}, {
		.name = "event",
		.command = "p:" GROUP "/wro.ng vfs_read",
		.at = "wro.ng",
		.text = "Event name must follow the same rules as C identifiers",
	}, {
		.name = "symbol",
		.command = WRONG "there_is_no_such_function",
		.at = "there_is",
		.text = "Invalid probed address or symbol",
	}, {
		.name = "register",
		.command = WRONG "vfs_read first=$stack second=%no_register",
		.at = "%no_register",
		.text = "Invalid register name",
	},
};

KUNIT_ARRAY_PARAM_DESC(wrong_commands, wrong_commands, name);

static void wrong_command_is_explained(struct kunit *test)
{
	const struct wrong_command *wrong = test->param_value;
	struct dyn_event_error error = {};
	struct list_head *last = last_logged();

	KUNIT_EXPECT_GT(test, 0, dyn_event_command(wrong->command, &error));
	KUNIT_EXPECT_STREQ(test, wrong->text, error.text);
	KUNIT_EXPECT_EQ(test, strstr(wrong->command, wrong->at) - wrong->command,
			error.pos);
	KUNIT_EXPECT_FALSE(test, event_exists("wrong"));
	/* error_log has it as well */
	KUNIT_EXPECT_PTR_NE(test, last, last_logged());
}

static void first_error_is_kept(struct kunit *test)
{
	struct dyn_event_error error = {}, first;

	KUNIT_EXPECT_GT(test, 0, dyn_event_command(WRONG "there_is_no_such_function", &error));
	first = error;
	KUNIT_ASSERT_NOT_NULL(test, first.text);

	KUNIT_EXPECT_GT(test, 0, dyn_event_command(WRONG "vfs_read %no_register", &error));
	KUNIT_EXPECT_GT(test, 0, dyn_event_command("x:" GROUP "/wrong vfs_read", &error));
	KUNIT_EXPECT_STREQ(test, first.text, error.text);
	KUNIT_EXPECT_EQ(test, first.pos, error.pos);
}

static void error_is_told_to_nobody_else(struct kunit *test)
{
	struct dyn_event_error error = {};

	KUNIT_EXPECT_EQ(test, 0, dyn_event_command(RIGHT, &error));
	KUNIT_EXPECT_EQ(test, 0, dyn_event_command("-:" GROUP "/right", &error));

	/* neither the next command nor another way to create an event */
	KUNIT_EXPECT_GT(test, 0, dyn_event_command(WRONG "vfs_read %no_register", NULL));
	KUNIT_EXPECT_NULL(test, error.text);
}

static void caller_may_want_no_error(struct kunit *test)
{
	struct list_head *last = last_logged();

	KUNIT_EXPECT_EQ(test, 0, dyn_event_command(RIGHT, NULL));
	KUNIT_EXPECT_TRUE(test, event_exists("right"));
	KUNIT_EXPECT_EQ(test, 0, dyn_event_command("-:" GROUP "/right", NULL));
	KUNIT_EXPECT_PTR_EQ(test, last, last_logged());

	KUNIT_EXPECT_GT(test, 0, dyn_event_command(WRONG "vfs_read %no_register", NULL));
	KUNIT_EXPECT_FALSE(test, event_exists("wrong"));
	KUNIT_EXPECT_PTR_NE(test, last, last_logged());
}

static void event_that_is_not_there_is_not_deleted(struct kunit *test)
{
	struct dyn_event_error error = {};

	KUNIT_EXPECT_EQ(test, -ENOENT, dyn_event_command("-:" GROUP "/none", &error));
	KUNIT_EXPECT_NULL(test, error.text);
}

/* Delete the events that a failed test has left. */
static void dyn_event_exit(struct kunit *test)
{
	dyn_event_command("-:" GROUP "/", NULL);
}

static struct kunit_case dyn_event_cases[] = {
	KUNIT_CASE(right_command_creates_and_deletes),
	KUNIT_CASE_PARAM(wrong_command_is_explained, wrong_commands_gen_params),
	KUNIT_CASE(first_error_is_kept),
	KUNIT_CASE(error_is_told_to_nobody_else),
	KUNIT_CASE(caller_may_want_no_error),
	KUNIT_CASE(event_that_is_not_there_is_not_deleted),
	{}
};

static struct kunit_suite dyn_event_suite = {
	.name = "dyn_event",
	.exit = dyn_event_exit,
	.test_cases = dyn_event_cases,
};

kunit_test_suite(dyn_event_suite);
