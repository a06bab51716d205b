/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: one open file of ktap/session, and what it owns.
 * session.c describes the life of a session.
 */
#ifndef _KTAP_SESSION_H
#define _KTAP_SESSION_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "filter.h"
#include "limits.h"
#include "load/user_places.h"
#include "session_output.h"
#include "vm/env.h"
#include "vm/vm.h"

struct cred;
struct ktap_event;
struct ktap_overhead;
struct ktap_probe;
struct ktap_source;
struct ktap_syscalls;
struct ktap_ustack;
struct mem_cgroup;
struct pid;
struct seq_file;
struct trace_iterator;

/* Exit codes of ktap(1) */
#define KTAP_EXIT_ERROR		1	/* run-time error */
#define KTAP_EXIT_REFUSED	2	/* the chunk or a line was refused */

/**
 * struct ktap_refill - a work that refills the heap
 * @work: the work
 * @session: the session that has the heap
 * @urgent: it only begins, see ktap_heap_refill_urgently()
 */
struct ktap_refill {
	struct work_struct work;
	struct ktap_session *session;
	bool urgent;
};

/**
 * struct ktap_session - a session
 * @env: state that all runs of the session share
 * @id: number of the session
 * @list: in the list of all sessions
 * @lock: protects the set-up, loading and detaching
 *
 * @filter: events that are delivered
 *
 * @may_profile: the opener may profile the kernel by perf
 * @perfmon: the opener had CAP_PERFMON, or the script is signed
 * @programs: the opener may trace programs, whatever the script is
 * @admin: the opener had CAP_SYS_ADMIN
 * @addresses: the opener may see kernel addresses (kallsyms_show_value())
 * @net_admin: the opener had CAP_NET_ADMIN
 * @opener: process that opened the file, for display
 * @comm: its name
 * @boot_name: name of a session that began at boot (boot.c); otherwise NULL
 * @cred: credentials of the opener
 * @memcg: all memory of the session is charged to it
 *
 * @line: text that has arrived and lacks its newline
 * @line_len: bytes of @line
 * @header: the chunk's header, while @chunk is NULL
 * @chunk: the chunk as far as it has arrived
 * @chunk_len: bytes of @chunk, or of @header
 * @chunk_size: bytes that @chunk will have
 * @loaded: the chunk is complete
 * @args: arguments of the script
 * @nargs: number of @args
 * @arg_bytes: bytes of the texts of @args
 * @memory: bytes that the script may take; limited by max_memory when it is loaded
 * @utc_offset: local time minus UTC, in seconds
 * @max_overhead: percent of each CPU that handlers may take; 0: the default
 * @follow: deliver events of the descendants of &ktap_filter.pid, too
 * @unsafe: the script may act on the system
 * @acts: how the script can act on the system (&ktap_program.acts)
 * @ncalls: functions that the script calls by prototype (btf/kernel_function.c)
 * @is_signed: the policy asked for a signature, and the script has one
 * @dry: attach nothing, and run only the top level
 * @streams: output can be read while the top level runs
 * @mark_key: key of the marks that the reader replaces by symbols of user code; empty:
 *	the reader does not replace them
 * @user_places: what the tool has found in executables
 *
 * @counted: bitmap by process id: the process is counted in @alive
 * @alive: processes of the tree that have not ended
 * @following: sched_process_fork and sched_process_exit update &ktap_filter.followed
 *	and @counted
 * @last: the session ends with this process; NULL: it is not known yet
 * @last_wait: entry in the wait queue of @last
 * @last_work: begins to wait for @last
 *
 * @vm: the activation of process context: of the top level, then of the session's thread
 * @overheads: overhead of the handlers by CPU (overhead.c)
 * @start: ktime_get_mono_fast_ns() when the top level began
 * @begin: time when the delivery of events began; 0: not yet
 * @end: time when the session stopped; 0: not yet
 * @refused: the instruction that named an event that does not exist, plus 1; 0: none
 * @refused_at: the instruction whose position the message of @refused shows
 * @broken: the top level has failed: do not print globals
 * @exit_code: for the last frame
 * @in_end: the session's thread has begun to run trace_end
 *
 * @abort: the file is being closed: runs in process context end
 * @unload: "stop" came while LOADING: the top level and the attaching end
 * @begin_work: runs trace_begin
 * @stop_work: detaches, runs trace_end
 * @reap_work: frees dead objects
 * @stop_irq: queues @stop_work
 * @low_irq: queues @reap_work and, if the heap is low, @refill and one of @urgent
 * @conditions_work: attaches and detaches probes with a condition (event/condition.c)
 * @conditions_irq: queues @conditions_work
 * @conditions_asked: @conditions_irq or @conditions_work is queued
 * @conditions_began: jiffies when @conditions_work began last
 * @conditions_pause: jiffies from then on in which it must not run; 0: it has not run
 * @ustack: looks up names of mapped files (ustack.c); NULL if the program does not refer
 *	to user code
 * @refill: refills the heap, also while the script keeps the thread busy
 * @urgent: begin to refill it, on the CPU of the request
 * @nurgent: number of uses of @urgent so far
 * @begun: @begin_work is done, or will not run
 * @wait: waits for @begun, and for @output to block
 *
 * @probes: probes with an event; grows only, under @lock
 * @nprobes: number of @probes
 * @points: the single events of @probes; under @lock, grows while the script is loaded, and
 *	shrinks when the session's thread releases deleted probes
 * @npoints: number of @points
 * @probe_bytes: memory of @probes, @points, the program, @args and @user_places, and an
 *	estimate of what other parts of the kernel allocate for them
 * @probe_max: limit of @probe_bytes
 * @ndynevents: number of dynamic events made so far, used in their names
 * @nevents: number of events that @points stand for
 * @nattached: number of @nevents that are attached
 * @attached: ktap_sources_attach() was called, ktap_sources_detach() was not
 * @syscalls: state of system call events (syscall.c)
 * @stand_ins: stand-ins (stand_in.c), while all tracepoints are left
 *
 * @diag: reason of a refusal; protected by @lock
 * @thread_diag: the same, of the session's thread
 *
 * @error_claim: a context has claimed the right to describe the first run-time error
 * @error_time: when the error happened
 * @error_len: bytes of @error
 * @error: description of the first run-time error
 * @output: ring buffer, texts and readers
 */
struct ktap_session {
	struct ktap_env env;
	u64 id;
	struct list_head list;
	struct mutex lock;		/* see session.c */

	struct ktap_filter filter;

	/* permissions and the opener */
	bool may_profile;
	bool perfmon;
	bool programs;
	bool admin;
	bool addresses;
	bool net_admin;
	struct pid *opener;
	char comm[TASK_COMM_LEN];
	const char *boot_name;
	const struct cred *cred;
	struct mem_cgroup *memcg;

	/* input and set-up, see session_input.c */
	char *line;
	unsigned int line_len;
	struct ktap_header header;
	void *chunk;
	size_t chunk_len;
	size_t chunk_size;
	bool loaded;
	struct ktap_value *args;
	unsigned int nargs;
	size_t arg_bytes;
	size_t memory;
	int utc_offset;
	unsigned int max_overhead;
	bool follow;
	bool unsafe;
	u32 acts;
	unsigned int ncalls;
	bool is_signed;
	bool dry;
	bool streams;
	char mark_key[KTAP_MAX_MARK_KEY + 1];
	struct ktap_user_places user_places;

	/* the process with which the session ends, see follow.c */
	unsigned long *counted;
	atomic_t alive;
	bool following;
	struct pid *last;
	struct wait_queue_entry last_wait;
	struct kthread_work last_work;

	/* runs */
	struct ktap_vm vm;
	struct ktap_overhead __percpu *overheads;
	u64 start;
	u64 begin;
	u64 end;
	u32 refused;
	u32 refused_at;
	bool broken;
	int exit_code;
	bool in_end;

	/* stop, and work of the session's thread */
	bool abort;
	bool unload;
	struct kthread_work begin_work;
	struct kthread_work stop_work;
	struct kthread_work reap_work;
	struct irq_work stop_irq;
	struct irq_work low_irq;
	struct kthread_delayed_work conditions_work;
	struct irq_work conditions_irq;
	atomic_t conditions_asked;
	unsigned long conditions_began;
	unsigned long conditions_pause;
	struct ktap_ustack *ustack;
	struct ktap_refill refill;
	struct ktap_refill urgent[KTAP_HEAP_REQUESTS];
	atomic_t nurgent;
	bool begun;
	wait_queue_head_t wait;

	/* probes and attachments */
	struct list_head probes;
	unsigned int nprobes;
	struct list_head points;
	unsigned int npoints;
	size_t probe_bytes;
	size_t probe_max;
	unsigned int ndynevents;
	unsigned int nevents;
	unsigned int nattached;
	bool attached;
	struct ktap_syscalls *syscalls;
	struct ktap_stand_in *stand_ins;

	struct ktap_diag diag;
	struct ktap_diag thread_diag;

	/* the first run-time error */
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

/* Must the task that attaches events, or loads the script, give up? */
static inline bool ktap_unloads(const struct ktap_session *s)
{
	return READ_ONCE(s->unload) || fatal_signal_pending(current) ||
	       (READ_ONCE(s->begin) && READ_ONCE(s->filter.state) >= KTAP_STOPPING);
}

/* @n more events are attached; ktap/sessions shows the progress. */
static inline void ktap_session_attached(struct ktap_session *s, unsigned int n)
{
	WRITE_ONCE(s->nattached, s->nattached + n);
}

/* session.c */
struct ktap_session *ktap_session_open(const struct cred *cred);
void ktap_session_close(struct ktap_session *s);
void ktap_session_unlock(struct ktap_session *s);
void ktap_session_stop(struct ktap_session *s, int exit_code);
bool ktap_session_unload(struct ktap_session *s);
void ktap_session_run_event(struct ktap_probe *probe, const struct ktap_event *ev);

extern unsigned long ktap_max_memory;
extern unsigned long ktap_max_insns;

/* session_load.c */
int ktap_session_load(struct ktap_session *s);
__printf(3, 4)
int ktap_session_refuse(struct ktap_session *s, int err, const char *fmt, ...);
int ktap_session_wait_begun(struct ktap_session *s);
bool ktap_session_can_read(struct ktap_session *s);
int ktap_session_before_read(struct ktap_session *s, bool nonblock);

/* session_list.c */
void ktap_sessions_show(struct seq_file *m);

/* session_native.c */
extern const struct seq_operations ktap_native_ops;

/* session_report.c */
void ktap_session_error(struct ktap_session *s, const struct ktap_vm *vm);

/* permissions.c */
int ktap_permissions_open(void);
int ktap_permissions_init(struct ktap_session *s, const struct cred *cred);
int ktap_permissions_check(struct ktap_session *s, const struct ktap_program *prog);

/* session_input.c */
int ktap_session_feed(struct ktap_session *s, const char *data, size_t len);

/* event/activation.c */
int ktap_activation_get(bool texts);
void ktap_activation_put(void);
int ktap_overhead_alloc(struct ktap_session *s);
struct trace_iterator *ktap_activation_iter(enum ktap_level level);
bool ktap_delivers(const struct ktap_session *s);
int ktap_run_probe(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_event *ev);

/* user/ustack.c */
int ktap_ustack_init(struct ktap_session *s);
void ktap_ustack_destroy(struct ktap_session *s);

/* follow.c */
int ktap_set_process(struct ktap_session *s, pid_t nr);
void ktap_set_reader(struct ktap_session *s);
void ktap_clear_reader(struct ktap_session *s);
void ktap_last_work(struct kthread_work *work);
int ktap_threads_watch(struct ktap_session *s);
int ktap_process_watch(struct ktap_session *s);
void ktap_process_check(struct ktap_session *s);
void ktap_threads_unwatch(struct ktap_session *s);

#endif /* _KTAP_SESSION_H */
