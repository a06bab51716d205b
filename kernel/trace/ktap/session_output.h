/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output of a session, and its reader.
 */
#ifndef _KTAP_SESSION_OUTPUT_H
#define _KTAP_SESSION_OUTPUT_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sizes.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <uapi/linux/ktap.h>

struct ktap_record;
struct obj_cgroup;
struct seq_buf;
struct trace_buffer;

/* Text that waits for the reader, and the ring buffer of one CPU. */
#define KTAP_MAX_TEXT		SZ_1M
#define KTAP_MIN_RING		SZ_64K
#define KTAP_MAX_RING		SZ_256K

/**
 * struct output_text - text from process context
 * @list: in &ktap_output.texts
 * @ts: its time
 * @channel: enum ktap_channel, or KTAP_CH_RECORD
 * @pos: bytes that were already read
 * @len: bytes of @data
 * @data: text
 */
struct output_text {
	struct list_head list;
	u64 ts;
	u8 channel;
	size_t pos;
	size_t len;
	char data[];
};

/**
 * struct reader_head - the first record of a CPU that has no text yet
 * @record: the record; NULL if none is known.  It is no longer among those that the ring
 *	buffer counts, but stays in its page until the next one is consumed
 * @size: bytes of it
 * @ts: its time
 */
struct reader_head {
	const struct ktap_record *record;
	size_t size;
	u64 ts;
};

/**
 * enum ktap_output_waiting - does a task wait for output?
 * @KTAP_NO_TASK_WAITS: no
 * @KTAP_TASK_WAITS: a task may be in &ktap_output.wait, and there is no record for it
 * @KTAP_TASK_IS_DUE: the timer will wake it, because there is a record
 */
enum ktap_output_waiting {
	KTAP_NO_TASK_WAITS,
	KTAP_TASK_WAITS,
	KTAP_TASK_IS_DUE,
};

/**
 * struct ktap_output - what a session has to say
 * @rb: records of handlers; they never wait
 * @objcg: memory cgroup that pays for @rb, or NULL
 * @charged: bytes that it pays
 * @text_lock: protects @texts, @text_bytes and @ended
 * @texts: text of process context, by time
 * @text_bytes: bytes of @texts
 * @wait: who waits for output
 * @waiting: enum ktap_output_waiting
 * @wake_irq: starts @wake_timer, or wakes who is in @wait
 * @wake_timer: wakes who is in @wait
 * @room: who waits for @text_bytes to shrink
 * @blocked: somebody does
 * @printed: the script has printed something
 * @commands: a command is among the texts, or was; of process context
 * @ended: nothing more will come
 * @frames: the reader wants struct ktap_frame
 * @times: and the time of each record and text
 * @json: the reader wants lines of JSON
 * @keeps_newest: if @rb is full, overwrite the oldest records instead of losing new ones
 * @exit_code: for the last frame
 * @read_lock: one reader at a time; protects what follows
 * @buf: formatted, not yet read
 * @plain: with @json: memory for the text of a record
 * @size: bytes of @buf
 * @pos: first byte not yet read
 * @len: bytes formatted
 * @begun: a text of which a part was read, or NULL
 * @exit_given: the last frame was put into @buf
 * @all_read: a read has returned the end of the output
 * @heads: the first record of each CPU
 * @first: that of these with the first time
 * @looked: time of the last look at CPUs without a record
 * @limit: records of the CPU of @first with a time before it precede all others
 * @holds_record: a record is among @heads
 */
struct ktap_output {
	struct trace_buffer *rb;
	struct obj_cgroup *objcg;
	size_t charged;
	struct mutex text_lock;		/* between writers and reader */
	struct list_head texts;
	size_t text_bytes;
	wait_queue_head_t wait;
	int waiting;
	struct irq_work wake_irq;
	struct timer_list wake_timer;
	wait_queue_head_t room;
	bool blocked;
	bool printed;
	bool commands;
	bool ended;
	bool frames;
	bool times;
	bool json;
	bool keeps_newest;
	int exit_code;

	struct mutex read_lock;		/* between readers */
	char *buf;
	char *plain;
	size_t size;
	size_t pos;
	size_t len;
	struct output_text *begun;
	bool exit_given;
	bool all_read;
	struct reader_head *heads;
	struct reader_head *first;
	u64 looked;
	u64 limit;
	bool holds_record;
};

int ktap_output_init(struct ktap_output *out, size_t memory);
void ktap_output_destroy(struct ktap_output *out);
void ktap_output_say(struct ktap_output *out, enum ktap_channel channel, u64 ts,
		     const char *prefix, const char *text, size_t len);
void ktap_output_loss(struct ktap_output *out, u64 n, const char *line);
__printf(2, 3) void ktap_output_note(struct ktap_output *out, const char *fmt, ...);
void ktap_output_end(struct ktap_output *out, int exit_code);
void ktap_output_abort(struct ktap_output *out);
void ktap_output_wake_irq(struct irq_work *work);
void ktap_output_wake_timer(struct timer_list *timer);
size_t ktap_output_memory(struct ktap_output *out);
unsigned long ktap_output_overwritten(struct ktap_output *out);

/* session_reader.c */
ssize_t ktap_output_read(struct ktap_output *out, char __user *ubuf, size_t count, bool nonblock);
__poll_t ktap_output_poll(struct ktap_output *out, struct file *file, poll_table *table);
typedef void ktap_dump_fn(const char *text, size_t len);
long ktap_output_dump(struct ktap_output *out, size_t limit, struct seq_buf *s, ktap_dump_fn *put);

#endif /* _KTAP_SESSION_OUTPUT_H */
