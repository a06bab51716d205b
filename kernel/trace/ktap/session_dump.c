// SPDX-License-Identifier: GPL-2.0
/*
 * The output of sessions at a panic.
 */
#include <linux/atomic.h>
#include <linux/ctype.h>
#include <linux/init.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/printk.h>
#include <linux/ring_buffer.h>
#include <linux/seq_buf.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "session.h"
#include "session_dump.h"
#include "session_output.h"
#include "session_priv.h"

/**
 * DOC: The output of sessions at a panic
 *
 * A session that nobody reads is a flight recorder.  With ktap_panic_dump=SIZE, or a size in
 * ktap/panic_dump, the newest output of each session goes to the kernel's log at a panic, as
 * ftrace_dump_on_oops does it for the kernel's own trace buffers.
 *
 * panic() calls this when it has stopped all other CPUs, as far as they could be, anywhere in
 * their work.  So no lock of ktap is taken: a session, or the list of sessions, whose lock
 * somebody holds is left out, with a message.  The ring buffer has locks of its own, which are
 * not waited for in an NMI; elsewhere another CPU may have been stopped with one, or in the
 * middle of a change, as for ftrace_dump_on_oops.  Sessions end, so that their handlers take no
 * locks either.  Nothing is freed, and no memory is allocated.  The texts of events (argstr) and
 * names of files that are not known yet need both, and are left out.
 *
 * If the kernel fails here, it calls panic() again, which must not begin anew.
 *
 * An oops that does not end in a panic does not stop the session: its output can still be read.
 */

/* A line of the log has some 1000 bytes, with what printk() adds. */
#define DUMP_LINE	800
/* Longer texts of records are cut. */
#define DUMP_TEXT	SZ_4K

unsigned long ktap_panic_dump;

static char dump_text[DUMP_TEXT];
static char dump_line[DUMP_LINE];
static size_t dump_len;

static void dump_end_line(void)
{
	pr_emerg("ktap: | %.*s\n", (int)dump_len, dump_line);
	dump_len = 0;
}

/* Strings of events may contain anything, and a terminal may obey it. */
static char dump_char(char c)
{
	return (isascii(c) && isprint(c)) || c == '\t' ? c : '?';
}

static void dump_put(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] == '\n' || dump_len == sizeof(dump_line))
			dump_end_line();
		if (text[i] != '\n')
			dump_line[dump_len++] = dump_char(text[i]);
	}
}

static void dump_session(struct ktap_session *s, size_t limit)
{
	struct seq_buf text;
	long left_out;

	seq_buf_init(&text, dump_text, sizeof(dump_text));
	/* No reader will replace the marks of user code. */
	s->env.mark_key = NULL;
	pr_emerg("ktap: output of session %llu (%*pE%s%s), the newest %zu bytes:\n", s->id,
		 (int)strnlen(s->comm, sizeof(s->comm)), s->comm, s->boot_name ? ", " : "",
		 s->boot_name ?: "", limit);
	left_out = ktap_output_dump(&s->output, limit, &text, dump_put);
	if (dump_len)
		dump_end_line();
	if (left_out < 0)
		pr_emerg("ktap: it was just being read or written, and is not shown\n");
	else
		pr_emerg("ktap: end of session %llu, %ld earlier lines or records are not shown\n",
			 s->id, left_out);
}

static int dump_at_panic(struct notifier_block *nb, unsigned long action, void *data)
{
	size_t limit = READ_ONCE(ktap_panic_dump);
	static atomic_t begun;
	struct ktap_session *s;

	if (!limit || atomic_xchg(&begun, 1))
		return NOTIFY_DONE;
	if (mutex_is_locked(&ktap_sessions_lock)) {
		pr_emerg("ktap: a session was just being opened, closed or listed: nothing is shown\n");
		return NOTIFY_DONE;
	}
	/* Printing may cause events, whose records would be printed. */
	list_for_each_entry(s, &ktap_sessions, list) {
		WRITE_ONCE(s->filter.state, KTAP_ENDED);
		if (s->output.rb)
			ring_buffer_record_off(s->output.rb);
	}
	list_for_each_entry(s, &ktap_sessions, list)
		dump_session(s, limit);
	return NOTIFY_DONE;
}

static struct notifier_block dump_notifier = {
	.notifier_call = dump_at_panic,
	.priority = INT_MAX - 1,	/* as that of ftrace_dump_on_oops */
};

static int __init dump_setup(char *size)
{
	char *end;
	unsigned long long bytes = memparse(size, &end);

	if (end == size || *end || bytes > KTAP_MAX_PANIC_DUMP)
		pr_warn("ktap: ktap_panic_dump=%s: give at most 16M, for example 64K\n", size);
	else
		ktap_panic_dump = bytes;
	return 1;
}
__setup("ktap_panic_dump=", dump_setup);

/* Before scripts that are built in begin */
static int __init dump_init(void)
{
	return atomic_notifier_chain_register(&panic_notifier_list, &dump_notifier);
}
core_initcall(dump_init);
