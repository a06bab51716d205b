// SPDX-License-Identifier: GPL-2.0
/*
 * The reader of a session: read(2) and poll(2) of its output, which session_output.c
 * describes.
 */
#include <linux/cleanup.h>
#include <linux/minmax.h>
#include <linux/nmi.h>
#include <linux/poll.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_buf.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "output/json.h"
#include "output/record.h"
#include "session.h"
#include "session_output.h"
#include "vm/output_ops.h"

/* Size of a batch, and the limit of a batch with a single record */
#define BATCH		SZ_16K
#define MAX_BATCH	SZ_1M
/* Records and texts in a batch: some are empty, and these may be endless. */
#define BATCH_PIECES	1024
#define HEADER		sizeof(struct ktap_frame)

/* A batch begins with room for a frame that has its time, and for its own header. */
#define TIME_FRAME	(HEADER + sizeof(__le64))
#define BATCH_TEXT	(TIME_FRAME + HEADER)

/* The next piece of output: a record, or a text */
struct reader_piece {
	struct reader_head *head;
	struct output_text *text;
	enum ktap_channel channel;
};

/* Find the next record of a CPU.  Most CPUs of a large machine are idle. */
static void reader_look_at(struct ktap_output *out, struct reader_head *head)
{
	int cpu = head - out->heads;
	struct ring_buffer_event *event;

	head->record = NULL;
	if (!ring_buffer_entries_cpu(out->rb, cpu))
		return;
	/* For reader_has_output(): a record that is consumed is no longer in the buffer. */
	WRITE_ONCE(out->holds_record, true);
	event = ring_buffer_consume(out->rb, cpu, &head->ts, NULL);
	if (!event)
		return;
	head->record = ring_buffer_event_data(event);
	head->size = ring_buffer_event_length(event);
}

static void reader_look(struct ktap_output *out)
{
	int cpu;

	/* A record that is written after this look has a later time. */
	out->looked = ktime_get_mono_fast_ns();
	for_each_possible_cpu(cpu) {
		if (!out->heads[cpu].record)
			reader_look_at(out, &out->heads[cpu]);
	}
}

/* Records of the CPU of @first with a time before @limit precede those of the others. */
static void reader_find_first(struct ktap_output *out)
{
	struct reader_head *head, *first = NULL;
	int cpu;

	out->limit = out->looked;
	for_each_possible_cpu(cpu) {
		head = &out->heads[cpu];
		if (!head->record)
			continue;
		if (!first) {
			first = head;
		} else if (head->ts < first->ts) {
			out->limit = min(out->limit, first->ts);
			first = head;
		} else {
			out->limit = min(out->limit, head->ts);
		}
	}
	out->first = first;
}

/*
 * The first records of CPUs stay where they are until the reader takes them: it need not
 * look for them again.  CPUs that had none can be ignored up to the time of that look.
 */
static struct reader_head *reader_first_record(struct ktap_output *out)
{
	struct reader_head *first = out->first;

	if (first && first->record && first->ts < out->limit)
		return first;
	reader_find_first(out);
	if (out->first && out->first->ts <= out->looked)
		return out->first;
	reader_look(out);
	reader_find_first(out);
	return out->first;
}

static struct output_text *reader_first_text(struct ktap_output *out)
{
	/* A text with an earlier time may have come before it: that is not put into its middle. */
	if (out->begun)
		return out->begun;
	/* After the end of the output, the lock makes all texts visible. */
	if (!READ_ONCE(out->ended) && list_empty(&out->texts))
		return NULL;
	guard(mutex)(&out->text_lock);
	/* Only the reader removes texts: this one stays without the lock. */
	return list_first_entry_or_null(&out->texts, struct output_text, list);
}

/* Choose the next piece; @text: the first text.  Return false if there is no output. */
static bool reader_choose(struct ktap_output *out, struct output_text *text,
			  struct reader_piece *next)
{
	/* As in reader_has_output() */
	next->head = smp_load_acquire(&out->rb) ? reader_first_record(out) : NULL;
	next->text = NULL;
	/* A text that was begun is continued, even if an older record has arrived. */
	if (text && (!next->head || text->pos || text->ts <= next->head->ts)) {
		next->text = text;
		next->channel = text->channel == KTAP_CH_RECORD ?
				ktap_record_channel((void *)text->data) : text->channel;
		return true;
	}
	if (!next->head)
		return false;
	next->channel = ktap_record_channel(next->head->record);
	return true;
}

static bool reader_peek(struct ktap_output *out, struct reader_piece *next)
{
	lockdep_assert_held(&out->read_lock);
	return reader_choose(out, reader_first_text(out), next);
}

/*
 * A request has a frame of its own.  Readers of plain text cannot recognize a request: so
 * text is added before and after it.  It is short enough for any batch that is begun.
 */
static void reader_begin_request(struct ktap_output *out, struct seq_buf *batch,
				 enum ktap_channel channel)
{
	const struct ktap_request *r = ktap_request_of(channel);

	if (r && !out->frames)
		seq_buf_printf(batch, "ktap: %s: ", r->name);
}

static void reader_end_request(struct ktap_output *out, struct seq_buf *batch,
			       enum ktap_channel channel)
{
	const struct ktap_request *r = ktap_request_of(channel);

	if (r && !out->frames)
		seq_buf_printf(batch, ": only the ktap tool can %s\n", r->deed);
}

/*
 * In JSON without frames, a note replaces a request; false if it is none.  It is shorter than
 * the text of the request in other formats.
 */
static bool reader_replace_request(struct ktap_output *out, struct seq_buf *batch,
				   enum ktap_channel channel, u64 ts)
{
	const struct ktap_request *r = ktap_request_of(channel);
	struct ktap_json j = { .s = batch };
	char text[64];

	if (!out->json || out->frames || !r)
		return false;
	snprintf(text, sizeof(text), "%s: only the ktap tool can %s", r->name, r->deed);
	ktap_json_begin(&j, ts, "note");
	ktap_json_text(&j, text, strlen(text), false);
	ktap_json_end(&j);
	return true;
}

/* Double the size of the batch, and empty it. */
static bool reader_grow(struct ktap_output *out, struct seq_buf *batch)
{
	char *buf;

	if (out->size >= MAX_BATCH)
		return false;
	buf = kvmalloc(out->size * 2, KTAP_GFP);
	if (!buf)
		return false;
	kvfree(out->buf);
	out->buf = buf;
	out->size *= 2;
	seq_buf_init(batch, out->buf + BATCH_TEXT, out->size - BATCH_TEXT);
	return true;
}

/* A record: of the ring buffer, or one that is a text of KTAP_CH_RECORD */
struct reader_record {
	const struct ktap_record *rec;
	size_t size;
	u64 ts;
	enum ktap_channel channel;
};

/* Write the text of the record, or the line in JSON. */
static void reader_format_record(struct ktap_output *out, struct seq_buf *batch,
				 const struct reader_record *r)
{
	const struct ktap_env *env = &container_of(out, struct ktap_session, output)->env;

	if (reader_replace_request(out, batch, r->channel, r->ts))
		return;
	if (out->json && r->channel == KTAP_CH_OUTPUT) {
		ktap_record_json(batch, out->plain, env, r->rec, r->size, r->ts);
		return;
	}
	reader_begin_request(out, batch, r->channel);
	ktap_record_format(batch, env, r->rec, r->size);
	reader_end_request(out, batch, r->channel);
}

/* Format the record, if it fits; a record that fits no batch is cut, and in JSON left out. */
static bool reader_put_record(struct ktap_output *out, struct seq_buf *batch,
			      const struct reader_record *r)
{
	struct ktap_env *env = &container_of(out, struct ktap_session, output)->env;
	size_t before = batch->len;

	do {
		reader_format_record(out, batch, r);
		if (seq_buf_has_overflowed(batch) && before) {
			batch->len = before;
			return false;
		}
	} while (seq_buf_has_overflowed(batch) && reader_grow(out, batch));

	if (seq_buf_has_overflowed(batch) && out->json) {
		batch->len = before;
		atomic_long_inc(&env->counters.cut_strings);
		return true;
	}
	if (seq_buf_has_overflowed(batch)) {
		batch->len = batch->size;
		atomic_long_inc(&env->counters.cut_strings);
	}
	ktap_record_taken(env, r->rec);
	return true;
}

static bool reader_take_record(struct ktap_output *out, struct seq_buf *batch,
			       const struct reader_piece *next)
{
	struct reader_head *head = next->head;
	struct reader_record r = { head->record, head->size, head->ts, next->channel };

	if (!reader_put_record(out, batch, &r))
		return false;
	reader_look_at(out, head);
	return true;
}

/* Put the text that fits; false if some of it is left. */
static bool reader_put_text(struct ktap_output *out, struct seq_buf *batch,
			    struct output_text *text)
{
	struct reader_record r = { (void *)text->data, text->len, text->ts, KTAP_CH_OUTPUT };
	size_t n = min(text->len - text->pos, batch->size - batch->len);

	if (text->channel == KTAP_CH_RECORD)
		return reader_put_record(out, batch, &r);
	if (reader_replace_request(out, batch, text->channel, text->ts)) {
		n = text->len - text->pos;
	} else {
		reader_begin_request(out, batch, text->channel);
		seq_buf_putmem(batch, text->data + text->pos, n);
		reader_end_request(out, batch, text->channel);
	}
	text->pos += n;
	return text->pos == text->len;
}

/* Take the text that fits; false if some of it is left. */
static bool reader_take_text(struct ktap_output *out, struct seq_buf *batch,
			     struct output_text *text)
{
	if (!reader_put_text(out, batch, text)) {
		out->begun = text->pos ? text : NULL;
		return false;
	}

	out->begun = NULL;
	scoped_guard(mutex, &out->text_lock) {
		list_del(&text->list);
		out->text_bytes -= sizeof(*text) + text->len;
	}
	kvfree(text);
	wake_up_all(&out->room);
	return true;
}

static void reader_put_header(struct ktap_output *out, size_t pos, enum ktap_channel channel,
			      size_t len)
{
	struct ktap_frame *frame = (struct ktap_frame *)(out->buf + pos);

	*frame = (struct ktap_frame){
		.len = cpu_to_le32(len),
		.channel = channel,
	};
}

static void reader_finish_batch(struct ktap_output *out, enum ktap_channel channel, size_t len)
{
	reader_put_header(out, TIME_FRAME, channel, len);
	out->pos = out->frames ? TIME_FRAME : BATCH_TEXT;
	out->len = BATCH_TEXT + len;
}

/* Put a frame with its time before the batch. */
static void reader_add_time(struct ktap_output *out, u64 ts)
{
	const __le64 time = cpu_to_le64(ts);

	if (!out->frames || !out->times)
		return;
	reader_put_header(out, 0, KTAP_CH_TIME, sizeof(time));
	memcpy(out->buf + HEADER, &time, sizeof(time));
	out->pos = 0;
}

/* Make the last frame; false if there is none, or if it was already made. */
static bool reader_make_exit(struct ktap_output *out)
{
	__le32 code = cpu_to_le32(out->exit_code);

	if (!out->frames || out->exit_given)
		return false;
	memcpy(out->buf + BATCH_TEXT, &code, sizeof(code));
	reader_finish_batch(out, KTAP_CH_EXIT, sizeof(code));
	out->exit_given = true;
	return true;
}

static bool reader_has_memory(struct ktap_output *out)
{
	if (!out->buf) {
		out->buf = kvmalloc(BATCH, GFP_KERNEL | __GFP_NOWARN);
		out->size = BATCH;
	}
	if (out->json && !out->plain)
		out->plain = kvmalloc(KTAP_RECORD_TEXT, GFP_KERNEL | __GFP_NOWARN);
	return out->buf && (out->plain || !out->json);
}

/* Make the next batch.  0: there is no output yet; -ENODATA: nor will there be any. */
static int reader_make_batch(struct ktap_output *out)
{
	enum ktap_channel channel = KTAP_CH_OUTPUT;
	/*
	 * Read this first: then all output before the end is seen below.  Pairs with
	 * ktap_output_end().
	 */
	bool ended = smp_load_acquire(&out->ended);
	struct reader_piece next;
	struct seq_buf batch;
	unsigned int n;
	u64 ts = 0;

	if (!reader_has_memory(out))
		return -ENOMEM;
	/* Look at all CPUs once more, but not for each record. */
	if (!out->times) {
		out->looked = 0;
		out->limit = 0;
	}
	seq_buf_init(&batch, out->buf + BATCH_TEXT, out->size - BATCH_TEXT);
	for (n = 0; n < BATCH_PIECES; n++) {
		if (batch.len >= batch.size / 2 || !reader_peek(out, &next))
			break;
		if (batch.len && (out->times || ktap_request_of(channel) ||
				  next.channel != channel))
			break;
		channel = next.channel;
		ts = next.text ? next.text->ts : next.head->ts;
		if (next.text ? !reader_take_text(out, &batch, next.text) :
				!reader_take_record(out, &batch, &next))
			break;
	}
	/* As in reader_has_output(): @out->heads is older than the ring buffer. */
	if (smp_load_acquire(&out->rb))
		reader_find_first(out);
	WRITE_ONCE(out->holds_record, !!out->first);

	if (batch.len) {
		reader_finish_batch(out, channel, batch.len);
		reader_add_time(out, ts);
		return 1;
	}
	if (!ended || n == BATCH_PIECES)
		return 0;
	if (reader_make_exit(out))
		return 1;
	WRITE_ONCE(out->all_read, true);
	return -ENODATA;
}

/* Call before the last look for output, and the wait for it. */
static void reader_begin_waiting(struct ktap_output *out)
{
	WRITE_ONCE(out->waiting, KTAP_TASK_WAITS);
	smp_mb();	/* pairs with that in ktap_out_commit() */
}

static bool reader_has_output(struct ktap_output *out)
{
	/*
	 * Pairs with ktap_output_init(): poll() may be called before that.  As reader_look_at(),
	 * ask for records: in some kernels a buffer that has none is not empty.
	 */
	struct trace_buffer *rb = smp_load_acquire(&out->rb);

	return READ_ONCE(out->ended) || READ_ONCE(out->text_bytes) ||
	       READ_ONCE(out->holds_record) || (rb && ring_buffer_entries(rb));
}

static bool reader_has_output_now(struct ktap_output *out)
{
	/* A task that does not wait needs no wake-up. */
	if (reader_has_output(out))
		return true;
	reader_begin_waiting(out);
	return reader_has_output(out);
}

/**
 * ktap_output_read() - read(2) of a session that has its chunk
 * @out: output
 * @ubuf: user's buffer
 * @count: bytes of it
 * @nonblock: do not wait
 *
 * Return: bytes read, 0 when all was read and nothing will come, -EAGAIN,
 * -ERESTARTSYS, -EFAULT, -ENOMEM.
 */
ssize_t ktap_output_read(struct ktap_output *out, char __user *ubuf, size_t count, bool nonblock)
{
	size_t n, done = 0;
	int ret = 0;

	if (mutex_lock_interruptible(&out->read_lock))
		return -ERESTARTSYS;

	while (done < count) {
		if (out->pos < out->len) {
			n = min(out->len - out->pos, count - done);
			n -= copy_to_user(ubuf + done, out->buf + out->pos, n);
			ret = n ? 0 : -EFAULT;
			out->pos += n;
			done += n;
			if (!n)
				break;
			continue;
		}

		/* The output may be endless. */
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}
		cond_resched();
		ret = reader_make_batch(out);
		if (ret > 0)
			continue;
		if (ret < 0 || done)
			break;
		ret = -EAGAIN;
		if (nonblock)
			break;

		mutex_unlock(&out->read_lock);
		if (wait_event_interruptible(out->wait, reader_has_output_now(out)) ||
		    mutex_lock_interruptible(&out->read_lock))
			return -ERESTARTSYS;
	}

	mutex_unlock(&out->read_lock);
	if (done || ret == -ENODATA)
		return done;
	return ret;
}

static bool reader_is_over(const struct ktap_output *out)
{
	return READ_ONCE(out->ended) && (!out->frames || READ_ONCE(out->exit_given)) &&
	       !READ_ONCE(out->text_bytes) && READ_ONCE(out->pos) >= READ_ONCE(out->len);
}

__poll_t ktap_output_poll(struct ktap_output *out, struct file *file, poll_table *table)
{
	poll_wait(file, &out->wait, table);
	reader_begin_waiting(out);
	if (reader_is_over(out))
		return EPOLLHUP | EPOLLIN | EPOLLRDNORM;
	if (reader_has_output(out) || READ_ONCE(out->pos) < READ_ONCE(out->len))
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}

/* At a panic */

/**
 * struct reader_rest - what is left of the output
 * @nrecords: number of records
 * @record: bytes of a record on average, with what the ring buffer adds
 * @bytes: of texts
 */
struct reader_rest {
	unsigned long nrecords;
	size_t record;
	size_t bytes;
};

static void reader_count_rest(struct ktap_output *out, struct reader_rest *rest)
{
	size_t bytes = 0;
	int cpu;

	*rest = (struct reader_rest){ .bytes = out->text_bytes };
	if (!out->rb)
		return;
	for_each_possible_cpu(cpu) {
		rest->nrecords += ring_buffer_entries_cpu(out->rb, cpu);
		bytes += ring_buffer_bytes_cpu(out->rb, cpu);
		if (out->heads[cpu].record) {
			rest->nrecords++;
			bytes += out->heads[cpu].size;
		}
	}
	rest->record = bytes / max(rest->nrecords, 1);
}

static size_t reader_rest_bytes(const struct reader_rest *rest)
{
	return rest->nrecords * rest->record + rest->bytes;
}

/*
 * Hand over the end of a text that was made for a reader who did not take it.  Return the number
 * of lines that are left out.
 */
static long reader_dump_batch(struct ktap_output *out, size_t most, ktap_dump_fn *put)
{
	const struct ktap_frame *frame = (struct ktap_frame *)(out->buf + TIME_FRAME);
	size_t i, from = max(out->pos, BATCH_TEXT);
	long left_out = 0;

	if (from >= out->len || frame->channel == KTAP_CH_EXIT)
		return 0;
	for (i = from; out->len - i > most; i++)
		left_out += out->buf[i] == '\n';
	put(out->buf + i, out->len - i);
	return left_out;
}

/* Hand over the text of a piece. */
static void reader_dump_piece(struct ktap_output *out, const struct reader_piece *piece,
			      struct seq_buf *s, ktap_dump_fn *put)
{
	struct ktap_env *env = &container_of(out, struct ktap_session, output)->env;
	const struct output_text *text = piece->text;
	const struct ktap_record *rec = text ? (void *)text->data : piece->head->record;

	if (text && text->channel != KTAP_CH_RECORD && !ktap_request_of(text->channel)) {
		put(text->data + text->pos, text->len - text->pos);
		return;
	}
	seq_buf_clear(s);
	reader_begin_request(out, s, piece->channel);
	if (text && text->channel != KTAP_CH_RECORD) {
		seq_buf_putmem(s, text->data, min(text->len, s->size / 2));
	} else {
		ktap_record_format(s, env, rec, text ? text->len : piece->head->size);
		ktap_record_taken(env, rec);
	}
	reader_end_request(out, s, piece->channel);
	put(s->buffer, seq_buf_used(s));
	if (seq_buf_has_overflowed(s))
		put("...\n", strlen("...\n"));
}

/* Take a piece, and count it. */
static void reader_drop_piece(struct ktap_output *out, const struct reader_piece *piece,
			      struct reader_rest *rest)
{
	if (piece->text) {
		out->begun = NULL;
		rest->bytes -= min(rest->bytes, sizeof(*piece->text) + piece->text->len);
		list_del(&piece->text->list);
		return;
	}
	rest->nrecords -= min(rest->nrecords, 1);
	reader_look_at(out, piece->head);
}

/**
 * ktap_output_dump() - Hand over what was not read, at a panic
 * @out: output
 * @limit: about as many bytes of records and texts; earlier ones are left out
 * @s: memory for the text of a record, which is cut if it is longer
 * @put: gets one text after the other
 *
 * Nothing is freed, and no lock is taken but those of the ring buffer.
 *
 * Context: any.  All other CPUs were stopped, and @out->rb does not record.
 * Return: number of records, texts and lines of formatted text that were left out; -EBUSY if a
 * task holds a lock of @out.
 */
long ktap_output_dump(struct ktap_output *out, size_t limit, struct seq_buf *s, ktap_dump_fn *put)
{
	struct reader_piece next;
	struct reader_rest rest;
	long left_out;
	size_t left;

	if (mutex_is_locked(&out->read_lock) || mutex_is_locked(&out->text_lock))
		return -EBUSY;
	reader_count_rest(out, &rest);
	left = reader_rest_bytes(&rest);
	left_out = reader_dump_batch(out, limit - min(left, limit), put);
	out->looked = 0;
	out->limit = 0;
	while (reader_choose(out, out->begun ?: list_first_entry_or_null(&out->texts,
									 struct output_text, list),
			     &next)) {
		if (reader_rest_bytes(&rest) > limit)
			left_out++;
		else
			reader_dump_piece(out, &next, s, put);
		reader_drop_piece(out, &next, &rest);
		touch_nmi_watchdog();
	}
	return left_out;
}
