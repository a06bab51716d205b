/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: one open file of ktap/session, and what it owns.
 * The life of a session is described in session.c.
 */
#ifndef _KTAP_SESSION_H
#define _KTAP_SESSION_H

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "answers.h"
#include "session_limits.h"
#include "vm.h"

struct cred;
struct ktap_event;
struct ktap_meter;
struct ktap_probe;
struct ktap_source;
struct ktap_syscalls;
struct mem_cgroup;
struct obj_cgroup;
struct seq_file;
struct trace_iterator;

/* Output: text that waits for the reader, and the ring buffer of one CPU. */
#define KTAP_MAX_TEXT		SZ_1M
#define KTAP_MIN_RING		SZ_64K
#define KTAP_MAX_RING		SZ_256K

/* Exit codes, as ktap(1) has them. */
#define KTAP_EXIT_ERROR		1	/* run-time error */
#define KTAP_EXIT_REFUSED	2	/* the chunk or a line was refused */

/**
 * enum ktap_state - state of a session
 * @KTAP_OPEN: lines and the chunk arrive
 * @KTAP_LOADING: the writer of the chunk loads it and runs its top level
 * @KTAP_BEGINNING: all is attached, trace_begin runs in the session's thread
 * @KTAP_RUNNING: events are delivered
 * @KTAP_STOPPING: no event is delivered any more, trace_end is due or runs
 * @KTAP_ENDED: nothing of the session runs, and nothing will
 * @KTAP_FAILED: the same, but the chunk was never run
 */
enum ktap_state {
	KTAP_OPEN,
	KTAP_LOADING,
	KTAP_BEGINNING,
	KTAP_RUNNING,
	KTAP_STOPPING,
	KTAP_ENDED,
	KTAP_FAILED,
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
 * @waiting: somebody may be in @wait
 * @wake_irq: wakes him
 * @room: who waits for @text_bytes to shrink
 * @blocked: somebody does
 * @printed: the script has printed something
 * @ended: nothing more will come
 * @frames: the reader wants struct ktap_frame
 * @exit_code: for the last frame
 * @read_lock: one reader at a time; protects what follows
 * @buf: formatted, not yet read
 * @size: bytes of @buf
 * @pos: first byte not yet read
 * @len: bytes formatted
 * @exit_given: the last frame was put into @buf
 */
struct ktap_output {
	struct trace_buffer *rb;
	struct obj_cgroup *objcg;
	size_t charged;
	struct mutex text_lock;		/* between writers and reader */
	struct list_head texts;
	size_t text_bytes;
	wait_queue_head_t wait;
	bool waiting;
	struct irq_work wake_irq;
	wait_queue_head_t room;
	bool blocked;
	bool printed;
	bool ended;
	bool frames;
	int exit_code;

	struct mutex read_lock;		/* between readers */
	char *buf;
	size_t size;
	size_t pos;
	size_t len;
	bool exit_given;
};

/**
 * struct ktap_session - a session
 * @env: what the virtual machine shares between the session's activations
 * @id: its number
 * @list: in the list of all sessions
 * @state: enum ktap_state, changed by cmpxchg() (see session.c)
 * @abort: the file is being closed: whatever runs in process context ends
 * @lock: protects the set-up, loading and detaching
 *
 * @perfmon: who opened the file has CAP_PERFMON
 * @admin: and CAP_SYS_ADMIN
 * @addresses: and /proc/kallsyms has addresses for them
 * @opener: process that opened the file, for display
 * @comm: its name
 * @memcg: pays for all the session allocates
 *
 * @line: text that has arrived and lacks its newline
 * @line_len: bytes of it
 * @header: the chunk's header, while @chunk is NULL
 * @chunk: the chunk as far as it has arrived
 * @chunk_len: bytes of it, or of @header
 * @chunk_size: bytes it will have
 * @loaded: the chunk is complete
 * @args: arguments of the script
 * @nargs: number of them
 * @memory: the script may take that many bytes; cut to max_memory when it is loaded
 * @ceiling: percent of each CPU that its handlers may take; 0: nobody has said
 * @pid: deliver events of this process only; 0: of all
 * @follow: and of its descendants
 * @followed: by process id: is it one of them?  NULL without @follow
 * @following: who is born is told to @followed
 * @cpus: deliver events of these CPUs only; NULL: of all
 * @self: deliver events of the reader as well
 * @unsafe: the script may act on the system
 * @reader: process that read last, or wrote
 * @mark_key: the reader finds the symbols of user code, and knows marks of it by
 *	this word; empty: it does not
 * @answers: what the program ktap has found in the user's programs
 *
 * @vm: the activation of process context: top level, then the session's thread
 * @vm_ready: @vm and @env have their memory
 * @meters: what its handlers take of each CPU (meter.c)
 * @start: ktime_get_mono_fast_ns() when the top level began
 * @begin: the same when events began to be delivered; 0: they are not
 * @end: and when they no longer were; 0: they are
 * @refused: the instruction that asked for an event that there is not, from 1; 0:
 *	none has
 * @worker: the session's thread
 * @begin_work: runs trace_begin
 * @stop_work: detaches, runs trace_end
 * @reap_work: frees dead objects
 * @stop_irq: queues @stop_work
 * @low_irq: queues @reap_work and @refill_work
 * @umap_irq: queues @umap_work
 * @umap_work: finds out the names of files (umap.c)
 * @refill_work: refills the heap, even if the script keeps the thread busy
 * @begun: @begin_work is done, or never will be
 * @wait: who waits for @begun, for loading, or for the output to block
 * @exit_code: what the script asked for
 *
 * @probes: clauses that have come to life; grows only, under @lock
 * @nprobes: number of them
 * @points: the events they wait for; grows only, under @lock
 * @npoints: number of them
 * @nevents: number of events they stand for
 * @attached: ktap_sources_attach() was called, ktap_sources_detach() was not
 * @syscalls: see src_syscall.c
 * @stand_ins: see stand_in.c, while all tracepoints are left
 * @trace_buffered: trace_buffered_event_enable() was called
 * @activated: ktap_activation_get() was called
 *
 * @diag: why something was refused; under @lock
 *
 * @error_claim: somebody describes the first run-time error
 * @error_time: when it happened
 * @error_len: bytes of @error
 * @error: its description
 * @output: see there
 */
struct ktap_session {
	struct ktap_env env;
	u64 id;
	struct list_head list;
	int state;
	bool abort;
	struct mutex lock;		/* see session.c */

	bool perfmon;
	bool admin;
	bool addresses;
	pid_t opener;
	char comm[TASK_COMM_LEN];
	struct mem_cgroup *memcg;

	char *line;
	unsigned int line_len;
	struct ktap_header header;
	void *chunk;
	size_t chunk_len;
	size_t chunk_size;
	bool loaded;
	struct ktap_value *args;
	unsigned int nargs;
	size_t memory;
	unsigned int ceiling;
	pid_t pid;
	bool follow;
	unsigned long *followed;
	bool following;
	struct cpumask *cpus;
	bool self;
	bool unsafe;
	pid_t reader;
	char mark_key[KTAP_MAX_MARK_KEY + 1];
	struct ktap_answers answers;

	struct ktap_vm vm;
	bool vm_ready;
	struct ktap_meter __percpu *meters;
	u64 start;
	u64 begin;
	u64 end;
	u32 refused;
	struct kthread_worker *worker;
	struct kthread_work begin_work;
	struct kthread_work stop_work;
	struct kthread_work reap_work;
	struct irq_work stop_irq;
	struct irq_work low_irq;
	struct irq_work umap_irq;
	struct work_struct umap_work;
	struct work_struct refill_work;
	bool begun;
	wait_queue_head_t wait;
	int exit_code;

	struct list_head probes;
	unsigned int nprobes;
	struct list_head points;
	unsigned int npoints;
	unsigned int nevents;
	bool attached;
	struct ktap_syscalls *syscalls;
	struct ktap_stand_in *stand_ins;
	bool trace_buffered;
	bool activated;

	struct ktap_diag diag;

	int error_claim;
	u64 error_time;
	size_t error_len;
	char error[1024];
	struct ktap_output output;
};

static inline struct ktap_session *ktap_session_of(const struct ktap_vm *vm)
{
	return container_of(vm->env, struct ktap_session, env);
}

/* Does the session want to hear of what happens on a CPU? */
static inline bool ktap_wants_cpu(const struct ktap_session *s, unsigned int cpu)
{
	return likely(!s->cpus) || cpumask_test_cpu(cpu, s->cpus);
}

/* session.c */
struct ktap_session *ktap_session_open(const struct cred *cred);
void ktap_session_close(struct ktap_session *s);
int ktap_session_load(struct ktap_session *s);
void ktap_session_unlock(struct ktap_session *s);
__printf(3, 4)
int ktap_session_refuse(struct ktap_session *s, int err, const char *fmt, ...);
int ktap_session_wait_begun(struct ktap_session *s);
int ktap_session_before_read(struct ktap_session *s, bool nonblock);
void ktap_session_stop(struct ktap_session *s, int exit_code);
void ktap_session_error(struct ktap_session *s, const struct ktap_vm *vm);
void ktap_session_tick(struct ktap_probe *probe);
void ktap_sessions_show(struct seq_file *m);

extern unsigned long ktap_max_memory;
extern unsigned long ktap_max_insns;

/* rights.c */
int ktap_rights_open(void);
void ktap_rights_init(struct ktap_session *s, const struct cred *cred);
int ktap_rights_check(struct ktap_session *s, const struct ktap_program *prog);

/* feed.c */
int ktap_session_feed(struct ktap_session *s, const char *data, size_t len);

/* output.c */
int ktap_output_init(struct ktap_output *out, size_t memory);
void ktap_output_destroy(struct ktap_output *out);
void ktap_output_say(struct ktap_output *out, enum ktap_channel channel, u64 ts,
		     const char *prefix, const char *text, size_t len);
__printf(2, 3) void ktap_output_note(struct ktap_output *out, const char *fmt, ...);
void ktap_output_end(struct ktap_output *out, int exit_code);
void ktap_output_abort(struct ktap_output *out);
void ktap_output_wake_irq(struct irq_work *work);
size_t ktap_output_memory(struct ktap_output *out);
ssize_t ktap_output_read(struct ktap_output *out, char __user *ubuf, size_t count, bool nonblock);
__poll_t ktap_output_poll(struct ktap_output *out, struct file *file, poll_table *table);

/* activation.c */
int ktap_activation_get(bool texts);
void ktap_activation_put(void);
int ktap_meters_alloc(struct ktap_session *s);
struct trace_iterator *ktap_activation_iter(enum ktap_level level);
bool ktap_delivers(const struct ktap_session *s);
int ktap_run_clause(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_event *ev);
u32 ktap_random(void);

/* thread.c */
int ktap_threads_watch(struct ktap_session *s);
void ktap_threads_unwatch(struct ktap_session *s);

#endif /* _KTAP_SESSION_H */
