// SPDX-License-Identifier: GPL-2.0
/*
 * Output of a session: from handlers and from process context to the reader, which
 * is in session_reader.c.
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>

#include "output/json.h"
#include "session.h"
#include "session_output.h"
#include "vm/output_ops.h"

/**
 * DOC: Output
 *
 * The reader merges two streams.  Handlers write binary records into the ring buffer of
 * their CPU; records that do not fit are lost, because handlers cannot wait, or they
 * overwrite the oldest ones (@keeps_newest).  Code in
 * process context makes its text at once, adds it to a list, and waits for the reader if
 * the list gets long.  Both have time stamps, by which the reader merges them; a record
 * that is committed late may be out of order.
 *
 * The reader makes text of as many records and texts of one channel as fit a buffer (a
 * batch, which is a frame if the session wants frames), and returns it by as many read(2)
 * as needed.
 *
 * Tasks wait for output in &ktap_output.wait.  It exists from the open of the session on,
 * unlike the ring buffer: poll() may be called before the chunk is written.  If the session
 * does not stream, text that is output during loading becomes readable when the session
 * leaves LOADING: then these tasks are woken once more.  Tasks that wait for the reader
 * wait in &ktap_output.room.
 *
 * Records come in bursts, and a wake-up costs much more than a record.  So the first record
 * starts a timer, and the timer wakes the tasks; if a sub-buffer gets full before, they are
 * woken at once.  Text of process context wakes them at once, too.  The steps, in
 * &ktap_output.waiting::
 *
 *   NO_TASK_WAITS -> TASK_WAITS	a task sets it, before it looks for output once more
 *   TASK_WAITS -> TASK_IS_DUE		a handler has seen it after its commit: an irq_work
 *					starts the timer
 *   TASK_IS_DUE -> NO_TASK_WAITS	the timer, or the irq_work of a handler that finds its
 *					sub-buffer full, wakes the tasks
 *
 * A task that is woken and waits again begins anew.
 *
 * Locks: &ktap_output.read_lock, then &ktap_output.text_lock.  The holder of the latter
 * does not wait.  The holder of the former waits only for the name of a file
 * (ustack_name.c), which is found without either lock.
 */

/* A sub-buffer has room for a record with one string of any length. */
#define SUBBUF		SZ_16K

/* Milliseconds from the first record to the wake-up of the reader: a person sees no delay. */
#define WAKE_DELAY	10

/* Bytes at the beginning of each page of the ring buffer that records cannot use */
#define SUBBUF_HEADER	16

static struct ktap_output *output_of(const struct ktap_vm *vm)
{
	return &ktap_session_of(vm)->output;
}

/*
 * Return the memory of a ring buffer of @size bytes.  Its pages are replaced by sub-buffers
 * with the same total, but at least two, and one more for the reader.
 */
static size_t output_ring_memory(size_t size)
{
	size_t subbuf = PAGE_SIZE << get_order(SUBBUF);
	size_t n;

	size = roundup(size, PAGE_SIZE - SUBBUF_HEADER);
	n = DIV_ROUND_UP(size, subbuf - SUBBUF_HEADER);
	return (max(n, 2) + 1) * subbuf;
}

#ifdef CONFIG_MEMCG
/*
 * The kernel does not charge the pages of a ring buffer.  If the memory cgroup is at its
 * limit, the session is refused, and no task is killed.
 */
static int output_charge(struct ktap_output *out, size_t size)
{
	struct obj_cgroup *objcg;
	int err;

	objcg = memcg_kmem_online() ? get_obj_cgroup_from_current() : NULL;
	if (!objcg)
		return 0;
	err = obj_cgroup_charge(objcg, KTAP_GFP, size);
	if (err) {
		obj_cgroup_put(objcg);
		return err;
	}
	out->objcg = objcg;
	out->charged = size;
	return 0;
}

static void output_uncharge(struct ktap_output *out)
{
	if (!out->objcg)
		return;
	obj_cgroup_uncharge(out->objcg, out->charged);
	obj_cgroup_put(out->objcg);
	out->objcg = NULL;
}
#else
static int output_charge(struct ktap_output *out, size_t size)
{
	return 0;
}

static void output_uncharge(struct ktap_output *out)
{
}
#endif

/**
 * ktap_output_init() - Allocate the ring buffer
 * @out: zeroed, except its locks, lists and queues
 * @memory: the session's limit; a quarter of it is for the ring buffer
 *
 * The memory is charged to the active memory cgroup.  Context: process, may sleep.
 * Return: 0 or a negative errno; ktap_output_destroy() cleans up in any case.
 */
int ktap_output_init(struct ktap_output *out, size_t memory)
{
	size_t size = memory / 4 / num_online_cpus(), taken;
	struct trace_buffer *rb;
	int err;

	out->heads = kvcalloc(nr_cpu_ids, sizeof(*out->heads), KTAP_GFP);
	if (!out->heads)
		return -ENOMEM;
	size = clamp(size, KTAP_MIN_RING, KTAP_MAX_RING);
	taken = output_ring_memory(size) * num_online_cpus();
	if (si_mem_available() < (long)(taken >> PAGE_SHIFT))
		return -ENOMEM;
	err = output_charge(out, taken);
	if (err)
		return err;
	rb = ring_buffer_alloc(size, out->keeps_newest ? RB_FL_OVERWRITE : 0);
	if (!rb)
		return -ENOMEM;
	err = ring_buffer_subbuf_order_set(rb, get_order(SUBBUF));
	if (err) {
		ring_buffer_free(rb);
		return err;
	}
	ring_buffer_set_clock(rb, ktime_get_mono_fast_ns);
	/* Pairs with reader_has_output(): a task may poll before the chunk is loaded. */
	smp_store_release(&out->rb, rb);
	return 0;
}

void ktap_output_destroy(struct ktap_output *out)
{
	struct output_text *text, *next;

	if (out->rb)
		ring_buffer_free(out->rb);
	output_uncharge(out);
	list_for_each_entry_safe(text, next, &out->texts, list)
		kvfree(text);
	kvfree(out->buf);
	kvfree(out->plain);
	kvfree(out->heads);
}

size_t ktap_output_memory(struct ktap_output *out)
{
	/* Pairs with ktap_output_init(). */
	struct trace_buffer *rb = smp_load_acquire(&out->rb);
	size_t bytes = READ_ONCE(out->text_bytes);
	int cpu;

	if (rb) {
		for_each_online_cpu(cpu)
			bytes += ring_buffer_size(rb, cpu);
	}
	return bytes;
}

/* Return the number of records that newer ones have overwritten. */
unsigned long ktap_output_overwritten(struct ktap_output *out)
{
	/* as above */
	struct trace_buffer *rb = smp_load_acquire(&out->rb);

	return rb ? ring_buffer_overruns(rb) : 0;
}

static void output_wake_reader(struct ktap_output *out)
{
	wake_up_all(&out->wait);
}

static void output_end_waiting(struct ktap_output *out)
{
	/* A task that continues to wait sets it again. */
	WRITE_ONCE(out->waiting, KTAP_NO_TASK_WAITS);
	output_wake_reader(out);
}

void ktap_output_wake_irq(struct irq_work *work)
{
	struct ktap_output *out = container_of(work, struct ktap_output, wake_irq);

	if (cmpxchg(&out->waiting, KTAP_TASK_WAITS, KTAP_TASK_IS_DUE) == KTAP_TASK_WAITS)
		timer_reduce(&out->wake_timer, jiffies + msecs_to_jiffies(WAKE_DELAY));
	else
		output_end_waiting(out);
}

void ktap_output_wake_timer(struct timer_list *timer)
{
	output_end_waiting(container_of(timer, struct ktap_output, wake_timer));
}

/* Records of handlers */

void *ktap_out_reserve(struct ktap_vm *vm, size_t size)
{
	struct ktap_output *out = output_of(vm);
	struct ring_buffer_event *event;

	event = ring_buffer_lock_reserve(out->rb, size);
	if (!event) {
		atomic_long_inc(&vm->env->counters.lost_records);
		return NULL;
	}
	if (!READ_ONCE(out->printed))
		WRITE_ONCE(out->printed, true);
	return ring_buffer_event_data(event);
}

/*
 * Is it the first record of its sub-buffer, whose address is a multiple of its size?  An
 * event has at most 16 bytes before its data.
 */
static bool output_begins_subbuf(const void *record)
{
	const unsigned long size = PAGE_SIZE << get_order(SUBBUF);

	return ((unsigned long)record & (size - 1)) <= SUBBUF_HEADER + 16;
}

/*
 * Must the irq_work run?  If the timer does already, only for a full sub-buffer: then this
 * record is in the next one.
 */
static bool output_wants_wakeup(struct ktap_output *out, const void *record)
{
	switch (READ_ONCE(out->waiting)) {
	case KTAP_TASK_WAITS:
		return true;
	case KTAP_TASK_IS_DUE:
		return output_begins_subbuf(record) &&
		       ring_buffer_nr_dirty_pages(out->rb, raw_smp_processor_id());
	default:
		return false;
	}
}

void ktap_out_commit(struct ktap_vm *vm, void *rec)
{
	struct ktap_output *out = output_of(vm);

	ring_buffer_unlock_commit(out->rb);
	smp_mb();	/* pairs with that in reader_begin_waiting() */
	if (unlikely(output_wants_wakeup(out, rec)))
		irq_work_queue(&out->wake_irq);
}

/* Text of process context */

static struct output_text *output_make_text(enum ktap_channel channel, u64 ts, size_t size,
					    gfp_t gfp)
{
	struct output_text *text = kvmalloc_flex(*text, data, size, gfp);

	if (!text)
		return NULL;
	text->ts = ts;
	text->channel = channel;
	text->pos = 0;
	text->len = 0;
	return text;
}

static void output_add_text_locked(struct ktap_output *out, struct output_text *text)
{
	struct output_text *before;

	lockdep_assert_held(&out->text_lock);
	/* A message about an error may have an earlier time than the last text. */
	list_for_each_entry_reverse(before, &out->texts, list) {
		if (before->ts <= text->ts)
			break;
	}
	list_add(&text->list, &before->list);
	out->text_bytes += sizeof(*text) + text->len;
}

static bool output_has_room(struct ktap_output *out, size_t len)
{
	size_t bytes = READ_ONCE(out->text_bytes);

	return !bytes || bytes + len <= KTAP_MAX_TEXT;
}

static bool output_try_add(struct ktap_output *out, struct output_text *text)
{
	guard(mutex)(&out->text_lock);
	if (!output_has_room(out, text->len))
		return false;
	output_add_text_locked(out, text);
	return true;
}

static int output_wait_for_room(struct ktap_vm *vm, size_t len)
{
	struct ktap_session *s = ktap_session_of(vm);
	struct ktap_output *out = &s->output;

	/*
	 * Waiting may never end: most likely the task that loads the script is also the
	 * reader; or the reader runs no command before it knows that the script is accepted.
	 */
	if (READ_ONCE(s->filter.state) == KTAP_LOADING && (!s->streams || out->commands))
		return ktap_vm_error(vm, -ENOSPC,
				     "printed more than %d KiB before the session could be read",
				     KTAP_MAX_TEXT / SZ_1K);
	WRITE_ONCE(out->blocked, true);
	wake_up_all(&s->wait);
	/* The session's thread gets no signals; the loader can only be killed. */
	wait_event_state(out->room, READ_ONCE(*vm->abort) || output_has_room(out, len),
			 (TASK_KILLABLE | TASK_NOLOAD));
	WRITE_ONCE(out->blocked, false);
	if (READ_ONCE(*vm->abort) || fatal_signal_pending(current))
		return ktap_vm_error(vm, -EINTR, "the session ends");
	return 0;
}

int ktap_out_text(struct ktap_vm *vm, enum ktap_channel channel, const char *data, size_t len)
{
	struct ktap_session *s = ktap_session_of(vm);
	struct ktap_output *out = &s->output;
	struct output_text *text;
	int err;

	if (!len)
		return 0;
	text = output_make_text(channel, ktime_get_mono_fast_ns(), len, KTAP_GFP);
	if (!text)
		return ktap_vm_error(vm, -ENOMEM, "no memory for output");
	memcpy(text->data, data, len);
	text->len = len;
	WRITE_ONCE(out->printed, true);
	out->commands |= channel == KTAP_CH_SYSTEM;

	while (!output_try_add(out, text)) {
		err = output_wait_for_room(vm, len);
		if (err) {
			kvfree(text);
			return err;
		}
	}
	output_wake_reader(out);
	return 0;
}

/* Make a text of the kernel itself. */
static struct output_text *output_make_own_text(enum ktap_channel channel, u64 ts, size_t size)
{
	struct output_text *t = output_make_text(channel, ts, size, KTAP_GFP);

	/* Report the lack of memory even if the memory cgroup is at its limit. */
	return t ?: output_make_text(channel, ts, size, GFP_KERNEL | __GFP_NOWARN);
}

static void output_add_text(struct ktap_output *out, struct output_text *t)
{
	scoped_guard(mutex, &out->text_lock)
		output_add_text_locked(out, t);
	output_wake_reader(out);
}

/* Output an object of JSON with a text.  @n: number of what is lost; 0: none */
static void output_say_json(struct ktap_output *out, const char *type, u64 ts, u64 n,
			    const char *text, size_t len)
{
	size_t size = KTAP_JSON_HEAD + KTAP_JSON_ESCAPE * len;
	struct output_text *t = output_make_own_text(KTAP_CH_OUTPUT, ts, size);
	struct seq_buf s;
	struct ktap_json j = { .s = &s };

	if (!t)
		return;
	if (len && text[len - 1] == '\n')
		len--;
	seq_buf_init(&s, t->data, size);
	ktap_json_begin(&j, ts, type);
	if (n)
		ktap_json_number(&j, "count", n);
	ktap_json_text(&j, text, len, false);
	ktap_json_end(&j);
	t->len = seq_buf_used(&s);
	output_add_text(out, t);
}

static void output_say_text(struct ktap_output *out, enum ktap_channel channel, u64 ts,
			    const char *prefix, const char *text, size_t len)
{
	size_t prefix_len = out->frames ? 0 : strlen(prefix);
	struct output_text *t;
	size_t i, lines = 1;

	for (i = 0; i < len; i++)
		lines += text[i] == '\n';
	t = output_make_own_text(channel, ts, len + lines * prefix_len);
	if (!t)
		return;
	for (i = 0; i < len; i++) {
		if (!i || text[i - 1] == '\n') {
			memcpy(t->data + t->len, prefix, prefix_len);
			t->len += prefix_len;
		}
		t->data[t->len++] = text[i];
	}
	output_add_text(out, t);
}

/**
 * ktap_output_say() - Output lines of the kernel itself
 * @out: output
 * @channel: their channel
 * @ts: their time
 * @prefix: added before each line if there are no frames
 * @text: lines
 * @len: bytes of @text
 *
 * If the reader wants JSON, the lines become an object in the output of the script.  With
 * frames, they are also in those of @channel, for messages on a terminal.
 * Context: process.  Does not wait for the reader.
 */
void ktap_output_say(struct ktap_output *out, enum ktap_channel channel, u64 ts,
		     const char *prefix, const char *text, size_t len)
{
	if (out->json)
		output_say_json(out, channel == KTAP_CH_ERROR ? "error" : "note", ts, 0, text,
				len);
	if (!out->json || out->frames)
		output_say_text(out, channel, ts, prefix, text, len);
}

/**
 * ktap_output_loss() - Output a line about lost data
 * @out: output
 * @n: number of what is lost
 * @line: the line, without newline, cut to 254 bytes
 *
 * As ktap_output_note(), except that the object of JSON has the number, too.
 * Context: process.  Does not wait for the reader.
 */
void ktap_output_loss(struct ktap_output *out, u64 n, const char *line)
{
	u64 ts = ktime_get_mono_fast_ns();
	char text[256];
	int len;

	len = scnprintf(text, sizeof(text), "%.254s\n", line);
	if (out->json)
		output_say_json(out, "loss", ts, n, text, len);
	if (!out->json || out->frames)
		output_say_text(out, KTAP_CH_NOTE, ts, "ktap: ", text, len);
}

/**
 * ktap_output_note() - Output a line for the user, cut to 254 bytes
 * @out: output
 * @fmt: the line, without newline; ``ktap: `` is added before it if there are no frames
 *
 * Context: process.  Does not wait for the reader.
 */
void ktap_output_note(struct ktap_output *out, const char *fmt, ...)
{
	char line[256];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vscnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	line[len++] = '\n';
	ktap_output_say(out, KTAP_CH_NOTE, ktime_get_mono_fast_ns(), "ktap: ", line, len);
}

/* No output follows.  After the rest of the output the reader gets end of file. */
void ktap_output_end(struct ktap_output *out, int exit_code)
{
	scoped_guard(mutex, &out->text_lock) {
		out->exit_code = exit_code;
		smp_store_release(&out->ended, true);	/* pairs with reader_make_batch() */
	}
	output_wake_reader(out);
}

/* The session's thread must not wait for the reader any more. */
void ktap_output_abort(struct ktap_output *out)
{
	wake_up_all(&out->room);
}
