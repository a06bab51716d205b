// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: the life of a script from the moment its chunk is complete to the
 * last line it prints, and its end.
 */
#include <linux/cleanup.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "builtin.h"
#include "loss.h"
#include "object.h"
#include "option.h"
#include "output.h"
#include "self.h"
#include "session.h"
#include "source.h"
#include "umap.h"

/**
 * DOC: The life of a session
 *
 * A session is an open file.  Its state only moves forward::
 *
 *   OPEN -> LOADING -> BEGINNING -> RUNNING -> STOPPING -> ENDED
 *
 *   OPEN, LOADING -> FAILED         the chunk or a line was refused
 *   LOADING, BEGINNING -> STOPPING  exit(), a run-time error, "stop"
 *
 * - OPEN to LOADING, and LOADING to BEGINNING or FAILED: the writer whose
 *   write(2) completes the chunk, with &ktap_session.lock held.  This task
 *   loads the program, runs its top level itself, and attaches its events.
 * - BEGINNING to RUNNING: the session's thread, after trace_begin.
 * - To STOPPING: whoever comes first, in any context, by cmpxchg() in
 *   ktap_session_stop().  The winner sets the exit code and queues an irq_work
 *   that queues @stop_work; a run-time error, and exit() in trace_end, replace
 *   the code later.  From then on no event is delivered.
 * - STOPPING to ENDED: the session's thread, in @stop_work: it detaches all
 *   events, waits once for those under way, runs trace_end, and says what was
 *   lost.
 * - To ENDED from anywhere: the last close, see below.
 *
 * What runs where: handlers run where their events happen, only while the
 * state is RUNNING.  There is one activation of process context, @vm; top level
 * has it while LOADING, the session's thread afterwards, so that trace_begin,
 * ticks, trace_end and the freeing of dead objects never overlap.
 *
 * Close: there is no other user of the file any more.  It sets @abort, which
 * ends whatever runs or waits in process context, takes the state away so that
 * nobody can win it any more, detaches, and then flushes in the order in which
 * work can cause other work: the session's thread, the irq_works, the thread
 * for good, the refill and the names of files.  After that, nothing refers to the session.
 *
 * Order of locks: sessions_lock, then &ktap_session.lock, then event_mutex and
 * what the tracing code takes below it; &ktap_session.lock, then
 * &ktap_output.text_lock.  Nothing of these is taken in a handler.  The
 * session's thread holds none of them while it runs the script or waits for
 * the reader.
 */

unsigned long ktap_max_memory = KTAP_DEFAULT_MEMORY;
unsigned long ktap_max_insns =
	IS_ENABLED(CONFIG_PREEMPT_RT) ? KTAP_RT_BUDGET : KTAP_DEFAULT_BUDGET;

static DEFINE_MUTEX(sessions_lock);
static LIST_HEAD(sessions);		/* protected by sessions_lock */
static u64 last_id;			/* same */

static bool change_state(struct ktap_session *s, enum ktap_state from, enum ktap_state to)
{
	return cmpxchg(&s->state, from, to) == from;
}

/**
 * ktap_session_stop() - Ends a session
 * @s: the session
 * @exit_code: for the last frame, unless an error or trace_end says another
 *
 * Context: any.  Does nothing if the session stops already, or was not loaded.
 */
void ktap_session_stop(struct ktap_session *s, int exit_code)
{
	if (!change_state(s, KTAP_RUNNING, KTAP_STOPPING) &&
	    !change_state(s, KTAP_BEGINNING, KTAP_STOPPING) &&
	    !change_state(s, KTAP_LOADING, KTAP_STOPPING))
		return;
	s->exit_code = exit_code;
	WRITE_ONCE(s->end, ktime_get_mono_fast_ns());
	irq_work_queue(&s->stop_irq);
}

/**
 * ktap_session_error() - A run ended with an error: the session ends
 * @s: the session
 * @vm: the activation, as ktap_vm_run() left it
 *
 * Keeps the description of the first error, for say_error().
 * Context: any.
 */
void ktap_session_error(struct ktap_session *s, const struct ktap_vm *vm)
{
	atomic_long_inc(&s->env.counters.errors);
	if (READ_ONCE(s->abort) || xchg(&s->error_claim, 1))
		return;
	s->error_time = ktime_get_mono_fast_ns();
	s->error_len = ktap_vm_backtrace(vm, s->error, sizeof(s->error));
	ktap_session_stop(s, KTAP_EXIT_ERROR);
}

/* Nobody is describing an error any more. */
static void say_error(struct ktap_session *s)
{
	if (!s->error_len)
		return;
	ktap_output_say(&s->output, KTAP_CH_ERROR, s->error_time, "", s->error, s->error_len);
	s->exit_code = KTAP_EXIT_ERROR;
	s->error_len = 0;
}

/* The session's thread */

static void run_clause(struct ktap_session *s, struct ktap_probe *probe)
{
	struct mem_cgroup *old = set_active_memcg(s->memcg);

	ktap_run_clause(&s->vm, probe, NULL);
	set_active_memcg(old);
}

/* All clauses of a kind, as long as the session stays in a state. */
static void run_clauses(struct ktap_session *s, enum ktap_clause_kind kind, enum ktap_state state)
{
	struct ktap_probe *probe;

	list_for_each_entry(probe, &s->probes, list) {
		if (READ_ONCE(s->state) != state || READ_ONCE(s->abort))
			return;
		if (probe->kind == kind)
			run_clause(s, probe);
	}
}

/**
 * ktap_session_tick() - Runs the handler of a tick, if the session is RUNNING
 * @probe: the clause
 *
 * Context: the session's thread.
 */
void ktap_session_tick(struct ktap_probe *probe)
{
	struct ktap_session *s = probe->session;

	if (READ_ONCE(s->state) == KTAP_RUNNING)
		run_clause(s, probe);
}

static void say_begun(struct ktap_session *s)
{
	WRITE_ONCE(s->begun, true);
	wake_up_all(&s->wait);
}

static void begin_work(struct kthread_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, begin_work);

	run_clauses(s, KTAP_ON_BEGIN, KTAP_BEGINNING);

	scoped_guard(mutex, &s->lock) {
		/* Without events there is nothing to wait for. */
		WRITE_ONCE(s->begin, ktime_get_mono_fast_ns());
		if (!s->npoints)
			ktap_session_stop(s, 0);
		else if (change_state(s, KTAP_BEGINNING, KTAP_RUNNING))
			ktap_sources_start(s);
	}
	say_begun(s);
}

static bool has_end(const struct ktap_session *s)
{
	const struct ktap_probe *probe;

	list_for_each_entry(probe, &s->probes, list) {
		if (probe->kind == KTAP_ON_END)
			return true;
	}
	return false;
}

static void print_globals(struct ktap_session *s)
{
	struct mem_cgroup *old = set_active_memcg(s->memcg);

	if (ktap_print_globals(&s->vm))
		ktap_session_error(s, &s->vm);
	set_active_memcg(old);
}

static void note_events(struct ktap_session *s)
{
	struct ktap_probe_stats stats;
	const struct ktap_probe *probe;

	list_for_each_entry(probe, &s->probes, list) {
		ktap_probe_stats(probe, &stats);
		if (stats.missed)
			ktap_output_note(&s->output, "'%s' missed %lu events", probe->event,
					 stats.missed);
		if (stats.skipped)
			ktap_output_note(&s->output,
					 "'%s' skipped %lu events to stay below --max-overhead (%u%%): %s",
					 probe->event, stats.skipped, s->ceiling,
					 "a filter or a shorter handler costs less");
	}
}

static void note(void *s, const char *line)
{
	ktap_output_note(&((struct ktap_session *)s)->output, "%s", line);
}

static void note_losses(struct ktap_session *s)
{
	ktap_tell_losses(&s->env, note, s);
	note_events(s);
}

static void end(struct ktap_session *s)
{
	bool ending = has_end(s);

	scoped_guard(mutex, &s->lock)
		ktap_sources_detach(s);
	if (READ_ONCE(s->abort))
		return;

	say_error(s);
	run_clauses(s, KTAP_ON_END, KTAP_STOPPING);
	if (!ending && !READ_ONCE(s->output.printed))
		print_globals(s);
	if (READ_ONCE(s->abort))
		return;
	say_error(s);
	note_losses(s);
	if (change_state(s, KTAP_STOPPING, KTAP_ENDED))
		ktap_output_end(&s->output, s->exit_code);
}

static void stop_work(struct kthread_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, stop_work);

	end(s);
	say_begun(s);
}

static void stop_irq(struct irq_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, stop_irq);

	kthread_queue_work(s->worker, &s->stop_work);
}

/* Memory of the script */

static void reap_work(struct kthread_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, reap_work);

	/*
	 * While loading, the activation of process context is the writer's.  Who
	 * releases the lock asks again: see ktap_session_unlock().
	 */
	if (!mutex_trylock(&s->lock))
		return;
	ktap_objects_reap(&s->env);
	mutex_unlock(&s->lock);
}

static void refill_work(struct work_struct *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, refill_work);
	struct mem_cgroup *old = set_active_memcg(s->memcg);

	/* What is missing then is missed, and counted. */
	ktap_heap_refill(&s->env.heap);
	set_active_memcg(old);
}

static void low_irq(struct irq_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, low_irq);

	kthread_queue_work(s->worker, &s->reap_work);
	queue_work(system_dfl_wq, &s->refill_work);
}

static void low(struct ktap_heap *heap)
{
	struct ktap_session *s = container_of(heap, struct ktap_session, env.heap);

	/* quiesce() waits for @low_irq, and destroys the worker then. */
	if (!READ_ONCE(s->abort))
		irq_work_queue(&s->low_irq);
}

/**
 * ktap_session_unlock() - Releases the lock of a session outside of its worker
 * @s: the session
 *
 * A reaper that has found the lock taken is gone, and the next one is asked for when
 * the list of the dead is no longer empty: now, or never.
 */
void ktap_session_unlock(struct ktap_session *s)
{
	bool reaped = s->worker;

	mutex_unlock(&s->lock);
	/* Whose lock a reaper saw, sees what it came for; pairs with llist_add() in bury() */
	smp_mb();
	if (reaped && !llist_empty(&s->env.dead))
		low(&s->env.heap);
}

/* Loading */

/*
 * The chunk or a line was refused: why is in @diag.  Before there is a script
 * to run, that is all there is to read.
 */
static int refuse_diag(struct ktap_session *s, int err)
{
	lockdep_assert_held(&s->lock);
	/* Unless somebody else has said more. */
	if (err == -ENOMEM)
		ktap_diag(&s->diag,
			  "no memory for the session: the system or its memory cgroup has none left");
	ktap_diag(&s->diag, "refused without a reason (error %d): this is a bug of ktap", err);
	/* Who writes and never reads gets the errno only. */
	if (READ_ONCE(s->output.text_bytes) < KTAP_MAX_TEXT)
		ktap_output_say(&s->output, KTAP_CH_ERROR, ktime_get_mono_fast_ns(), "",
				s->diag.text, s->diag.len);
	s->diag.len = 0;
	if (READ_ONCE(s->state) <= KTAP_LOADING) {
		ktap_output_end(&s->output, KTAP_EXIT_REFUSED);
		/* A reader may have no ring buffer to wait in: it sees the end with this. */
		smp_store_release(&s->state, KTAP_FAILED);
		wake_up_all(&s->output.wait);
		say_begun(s);
	}
	return err;
}

/**
 * ktap_session_refuse() - Refuses the chunk, or a line
 * @s: the session
 * @err: negative errno
 * @fmt: why, for the reader
 *
 * The session has failed then, unless its script is loaded already.
 * Context: process, @s->lock held.
 * Return: @err.
 */
int ktap_session_refuse(struct ktap_session *s, int err, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list ap;

	va_start(ap, fmt);
	vaf.va = &ap;
	ktap_diag(&s->diag, "%pV", &vaf);
	va_end(ap);
	return refuse_diag(s, err);
}

struct output_work {
	struct kthread_work work;
	struct ktap_session *session;
	int err;
};

static void output_work(struct kthread_work *work)
{
	struct output_work *w = container_of(work, struct output_work, work);
	struct mem_cgroup *old;

	old = set_active_memcg(w->session->memcg);
	w->err = ktap_output_init(&w->session->output, w->session->memory);
	set_active_memcg(old);
}

/*
 * A ring buffer that cannot be allocated is a warning in the log, and one is
 * not allocated to a task that was killed: let the session's thread do it.
 */
static int init_output(struct ktap_session *s, struct kthread_worker *worker)
{
	struct output_work w = { .session = s };

	kthread_init_work(&w.work, output_work);
	kthread_queue_work(worker, &w.work);
	kthread_flush_work(&w.work);
	return w.err;
}

/* Of the arguments, options go to where getopt() finds them. */
static int take_options(struct ktap_session *s)
{
	int kept = ktap_options_take(&s->env, s->args, s->nargs, &s->diag);

	if (kept < 0)
		return kept;
	while (s->nargs > kept)
		kfree(s->args[--s->nargs].blob);
	return 0;
}

static int prepare(struct ktap_session *s)
{
	struct ktap_program *prog;
	struct kthread_worker *worker;
	int err;

	prog = ktap_program_load(s->chunk, s->chunk_size, &s->diag);
	if (IS_ERR(prog))
		return PTR_ERR(prog);
	/* The bytes are the program's now. */
	s->chunk = NULL;
	s->env.prog = prog;

	err = ktap_rights_check(s, prog) ?: ktap_check_unsafe(prog, s->unsafe, &s->diag);
	if (err)
		goto free_prog;
	/* What a line said was looked at when it came, and may be too much by now. */
	s->memory = min(s->memory, READ_ONCE(ktap_max_memory));
	err = ktap_env_init(&s->env, prog, s->memory, low);
	if (err == -E2BIG)
		ktap_diag(&s->diag, "more than %u fields of threads: names behind 'self'",
			  KTAP_SELF_FIELDS);
	if (err)
		goto free_prog;
	s->env.max_insns = READ_ONCE(ktap_max_insns);
	err = take_options(s) ?: ktap_vm_init(&s->vm, &s->env, KTAP_LEVEL_PROCESS);
	if (err)
		goto destroy_env;
	s->vm.abort = &s->abort;
	err = ktap_umap_init(s);
	if (err)
		goto destroy_vm;
	err = ktap_activation_get(prog->uses & KTAP_USES_ARGSTR);
	if (err)
		goto destroy_umap;
	err = ktap_meters_alloc(s);
	if (err)
		goto put_activation;
	worker = kthread_run_worker(0, "ktap/%llu", s->id);
	if (IS_ERR(worker)) {
		err = PTR_ERR(worker);
		/* Making a thread says so for want of memory, too. */
		if (err == -EAGAIN) {
			ktap_diag(&s->diag,
				  "no thread for the session: the system has no memory or no room for one");
			err = -ENOMEM;
		}
		goto free_meters;
	}
	set_user_nice(worker->task, task_nice(current));
	err = init_output(s, worker);
	if (!err)
		err = ktap_threads_watch(s);
	if (err)
		goto destroy_worker;
	s->worker = worker;
	return 0;

destroy_worker:
	kthread_destroy_worker(worker);
free_meters:
	free_percpu(s->meters);
put_activation:
	ktap_activation_put();
destroy_umap:
	ktap_umap_destroy(s);
destroy_vm:
	ktap_vm_destroy(&s->vm);
destroy_env:
	ktap_env_destroy(&s->env);
free_prog:
	ktap_program_free(prog);
	s->env.prog = NULL;
	return err;
}

/*
 * An error of the script ends the session like any other error of the script;
 * it is refused only if it wants an event that there is not.
 */
static int run_top_level(struct ktap_session *s)
{
	int err;

	s->start = ktime_get_mono_fast_ns();
	err = ktap_vm_run(&s->vm, s->env.prog->main, NULL, 0, NULL);
	/* Unless the script has caught that: then it can do without. */
	if (err && s->refused == s->vm.fault.pc + 1) {
		ktap_vm_backtrace(&s->vm, s->diag.text, sizeof(s->diag.text));
		/* The place says all: no trace. */
		s->diag.len = strchrnul(s->diag.text, '\n') - s->diag.text + 1;
		return err;
	}
	if (err && err != -ECANCELED)
		ktap_session_error(s, &s->vm);
	return 0;
}

static int attach(struct ktap_session *s)
{
	int err = ktap_sources_attach(s);

	if (err) {
		ktap_sources_detach(s);
		return err;
	}
	if (s->nevents > 1)
		ktap_output_note(&s->output, "total enabled %u events", s->nevents);
	return 0;
}

/* The chunk is complete.  When it returns 0, all is attached. */
int ktap_session_load(struct ktap_session *s)
{
	int err;

	lockdep_assert_held(&s->lock);
	WRITE_ONCE(s->state, KTAP_LOADING);
	WRITE_ONCE(s->reader, current->tgid);
	err = prepare(s);
	if (!err)
		err = run_top_level(s);
	/* The top level may have ended the session. */
	if (!err && READ_ONCE(s->state) == KTAP_LOADING)
		err = attach(s);
	if (err)
		return refuse_diag(s, err);
	if (change_state(s, KTAP_LOADING, KTAP_BEGINNING))
		kthread_queue_work(s->worker, &s->begin_work);
	/* Not before now can be read what the top level has printed. */
	wake_up_all(&s->output.wait);
	return 0;
}

static bool need_not_wait(struct ktap_session *s)
{
	return READ_ONCE(s->begun) || READ_ONCE(s->output.blocked);
}

/* After a write: until trace_begin is done or waits for the reader. */
int ktap_session_wait_begun(struct ktap_session *s)
{
	if (!s->loaded)
		return 0;
	return wait_event_interruptible(s->wait, need_not_wait(s));
}

/**
 * ktap_session_before_read() - Is there anything to read, or will there be?
 * @s: the session
 * @nonblock: do not wait for a writer who is loading
 *
 * Who waits for a chunk to become complete would wait for ever: most likely it
 * was truncated.  Reading fails the session then, and tells why.
 * Return: 0, -EAGAIN, -ERESTARTSYS.
 */
int ktap_session_before_read(struct ktap_session *s, bool nonblock)
{
	/* Pairs with that in refuse_diag(). */
	if (smp_load_acquire(&s->state) > KTAP_LOADING)
		return 0;
	if (nonblock)
		return -EAGAIN;
	if (mutex_lock_interruptible(&s->lock))
		return -ERESTARTSYS;
	if (READ_ONCE(s->state) != KTAP_OPEN)
		goto unlock;
	if (s->chunk_size)
		ktap_session_refuse(s, -EINVAL, "the chunk is incomplete: %zu of %zu bytes",
				    s->chunk_len, s->chunk_size);
	else
		ktap_session_refuse(s, -EINVAL, "nothing was loaded");
unlock:
	ktap_session_unlock(s);
	return 0;
}

/* Open and close */

/* For who has these credentials, and may: see ktap_rights_open(). */
struct ktap_session *ktap_session_open(const struct cred *cred)
{
	struct ktap_session *s = kzalloc_obj(*s, GFP_KERNEL_ACCOUNT);

	if (!s)
		return ERR_PTR(-ENOMEM);

	s->state = KTAP_OPEN;
	ktap_rights_init(s, cred);
	mutex_init(&s->lock);
	init_waitqueue_head(&s->wait);
	INIT_LIST_HEAD(&s->probes);
	INIT_LIST_HEAD(&s->points);
	kthread_init_work(&s->begin_work, begin_work);
	kthread_init_work(&s->stop_work, stop_work);
	kthread_init_work(&s->reap_work, reap_work);
	init_irq_work(&s->stop_irq, stop_irq);
	init_irq_work(&s->low_irq, low_irq);
	INIT_WORK(&s->refill_work, refill_work);

	mutex_init(&s->output.text_lock);
	mutex_init(&s->output.read_lock);
	INIT_LIST_HEAD(&s->output.texts);
	init_waitqueue_head(&s->output.wait);
	init_waitqueue_head(&s->output.room);
	init_irq_work(&s->output.wake_irq, ktap_output_wake_irq);

	s->opener = current->tgid;
	get_task_comm(s->comm, current);
	s->memcg = get_mem_cgroup_from_mm(current->mm);
	s->memory = SIZE_MAX;
	s->reader = current->tgid;

	guard(mutex)(&sessions_lock);
	s->id = ++last_id;
	list_add_tail(&s->list, &sessions);
	return s;
}

/* Nothing of the session runs after this. */
static void quiesce(struct ktap_session *s)
{
	(void)xchg(&s->state, KTAP_ENDED);
	WRITE_ONCE(s->abort, true);
	ktap_output_abort(&s->output);

	scoped_guard(mutex, &s->lock)
		ktap_sources_detach(s);
	/* A thread that exits may ask for the reaper, too. */
	ktap_threads_unwatch(s);
	kthread_flush_worker(s->worker);
	irq_work_sync(&s->stop_irq);
	irq_work_sync(&s->low_irq);
	irq_work_sync(&s->output.wake_irq);
	kthread_destroy_worker(s->worker);
	cancel_work_sync(&s->refill_work);
}

/* Of a session that was prepared. */
static void release(struct ktap_session *s)
{
	ktap_sources_release(s);
	free_percpu(s->meters);
	ktap_activation_put();
	ktap_umap_destroy(s);
	ktap_vm_destroy(&s->vm);
	ktap_env_destroy(&s->env);
	ktap_program_free(s->env.prog);
}

/**
 * ktap_session_close() - The last reference to the file is gone
 * @s: the session, which is freed
 *
 * Context: process, sleeps: waits for handlers, the thread and its works.
 */
void ktap_session_close(struct ktap_session *s)
{
	unsigned int i;

	scoped_guard(mutex, &sessions_lock)
		list_del(&s->list);
	if (s->worker) {
		quiesce(s);
		release(s);
	}

	ktap_output_destroy(&s->output);
	for (i = 0; i < s->nargs; i++) {
		if (s->args[i].tag == KTAP_STR)
			kfree(s->args[i].blob);
	}
	kvfree(s->args);
	ktap_answers_free(&s->answers);
	kvfree(s->followed);
	kfree(s->cpus);
	kvfree(s->chunk);
	kfree(s->line);
	mem_cgroup_put(s->memcg);
	kfree(s);
}

/* ktap/sessions */

static const char * const state_names[] = {
	[KTAP_OPEN]	 = "open",
	[KTAP_LOADING]	 = "loading",
	[KTAP_BEGINNING] = "loading",
	[KTAP_RUNNING]	 = "running",
	[KTAP_STOPPING]	 = "stopping",
	[KTAP_ENDED]	 = "ended",
	[KTAP_FAILED]	 = "failed",
};

static u64 time_on(const struct ktap_session *s, int cpu)
{
	const struct ktap_probe *probe;
	u64 time = 0;

	list_for_each_entry_rcu(probe, &s->probes, list, lockdep_is_held(&sessions_lock))
		time += READ_ONCE(per_cpu_ptr(probe->stats, cpu)->time);
	return time;
}

/* Hundredths of a percent: what handlers take of the CPU of which they take most. */
static unsigned int overhead(const struct ktap_session *s)
{
	u64 begin = READ_ONCE(s->begin), end = READ_ONCE(s->end), most = 0;
	int cpu;

	if (!end)
		end = ktime_get_mono_fast_ns();
	if (!begin || end <= begin)
		return 0;
	for_each_possible_cpu(cpu)
		most = max(most, time_on(s, cpu));
	return min(div64_u64(most * 100, div_u64(end - begin, 100) + 1), 10000ULL);
}

static void show_session(struct seq_file *m, struct ktap_session *s)
{
	struct ktap_probe_stats stats;
	const struct ktap_probe *probe;
	unsigned int share = overhead(s);
	unsigned long events = 0;

	list_for_each_entry_rcu(probe, &s->probes, list, lockdep_is_held(&sessions_lock)) {
		ktap_probe_stats(probe, &stats);
		events += stats.hits;
	}

	seq_printf(m, "%llu %d ", s->id, s->opener);
	seq_escape(m, s->comm, " \t\n\\");
	seq_putc(m, ' ');
	/* Before that, the arguments change; pairs with whatever changes the state. */
	if (smp_load_acquire(&s->state) > KTAP_LOADING && s->nargs)
		seq_escape(m, s->args[0].blob, " \t\n\\");
	else
		seq_putc(m, '-');
	seq_printf(m, " %s events=%lu lost=%ld memory=%zu overhead=%u.%02u%%\n",
		   state_names[READ_ONCE(s->state)], events,
		   atomic_long_read(&s->env.counters.lost_records),
		   READ_ONCE(s->env.heap.bytes) + ktap_output_memory(&s->output),
		   share / 100, share % 100);

	list_for_each_entry_rcu(probe, &s->probes, list, lockdep_is_held(&sessions_lock)) {
		ktap_probe_stats(probe, &stats);
		seq_puts(m, "  ");
		seq_escape(m, probe->event, "\n\\");
		seq_printf(m, " hits=%lu filtered=%lu missed=%lu skipped=%lu ", stats.hits,
			   stats.filtered, stats.missed, stats.skipped);
		seq_printf(m, "errors=%lu time=%llu\n", stats.errors, stats.time);
	}
}

void ktap_sessions_show(struct seq_file *m)
{
	struct ktap_session *s;

	guard(mutex)(&sessions_lock);
	list_for_each_entry(s, &sessions, list)
		show_session(m, s);
}

/* Built-in functions that are about the session */

int ktap_fn_elapsed(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(ktime_get_mono_fast_ns() - ktap_session_of(vm)->start);
	return 0;
}

int ktap_fn_scriptarg(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_session *s = ktap_session_of(vm);
	s64 i = r[0].i;

	if (i < 0 || i >= s->nargs)
		r[0] = KTAP_VALUE_NIL;
	else
		r[0] = s->args[array_index_nospec((unsigned long)i, (unsigned long)s->nargs)];
	return 0;
}

int ktap_fn_exit(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_session *s = ktap_session_of(vm);
	int code = n ? r[0].i : 0;

	/* Besides handlers under way only trace_end runs then: it has the last word. */
	if (vm->level == KTAP_LEVEL_PROCESS && READ_ONCE(s->state) == KTAP_STOPPING)
		s->exit_code = code;
	else
		ktap_session_stop(s, code);
	return -ECANCELED;
}

/* As if the user had asked for it: the handler goes on.  The top level has nothing to go on for. */
int ktap_fn_stop(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_session *s = ktap_session_of(vm);
	bool loading = READ_ONCE(s->state) == KTAP_LOADING;

	ktap_session_stop(s, 0);
	r[0] = KTAP_VALUE_NIL;
	return loading ? -ECANCELED : 0;
}
