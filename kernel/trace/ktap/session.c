// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: states, the session's thread, open and close.
 */
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "data/object.h"
#include "host/cgroup.h"
#include "probe.h"
#include "session.h"
#include "session_output.h"
#include "session_priv.h"
#include "vm/builtin.h"

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
 * These contexts change the state:
 *
 * - OPEN to LOADING, and LOADING to BEGINNING or FAILED: the task whose
 *   write(2) completes the chunk, with &ktap_session.lock held.  This task
 *   loads the program, runs its top level, and attaches its events
 *   (session_load.c).
 * - BEGINNING to RUNNING: the session's thread, after trace_begin.
 * - LOADING to STOPPING by "stop": a task other than the loader.  The loader
 *   holds the lock, sees @unload and gives up.  @stop_work waits for the lock.
 * - To STOPPING: any context.  ktap_session_stop() decides races by cmpxchg().
 *   The winner sets the exit code and queues an irq_work that queues
 *   @stop_work.  No event is delivered from then on.  A run-time error, or
 *   exit() in trace_end, may replace the exit code later.
 * - STOPPING to ENDED: the session's thread, in @stop_work.  It detaches all
 *   events, waits once for running handlers, runs trace_end, and reports
 *   losses.
 * - To ENDED from any state: the last close, see below.
 *
 * Handlers run where their events happen, only while the state is RUNNING.
 * There is one activation of process context, @vm.  While LOADING, the top
 * level uses it; later, only the session's thread does.  So trace_begin, ticks,
 * trace_end and the freeing of dead objects never overlap.
 *
 * When the session is closed, the file has no other user.  The close
 *
 * 1. sets the state to ENDED, so that no other transition can succeed;
 * 2. sets @abort, which ends all runs and waits in process context;
 * 3. detaches all events;
 * 4. flushes all work, in the order in which one kind can queue another: the
 *    session's thread, the irq_works, the thread once more as it is destroyed,
 *    the refills of the heap, and the search for names of files.
 *
 * After that, nothing refers to the session.
 *
 * Lock order: ktap_sessions_lock, &ktap_session.lock, event_mutex and the locks that
 * the tracing code takes below it; &ktap_session.lock, &ktap_output.text_lock.
 * Handlers take none of these.  The session's thread holds none of them while
 * it runs the script or waits for the reader.
 */

unsigned long ktap_max_memory = KTAP_DEFAULT_MEMORY;
unsigned long ktap_max_insns =
	IS_ENABLED(CONFIG_PREEMPT_RT) ? KTAP_RT_BUDGET : KTAP_DEFAULT_BUDGET;

/**
 * ktap_session_stop() - Stop a session
 * @s: the session
 * @exit_code: for the last frame; an error or trace_end may replace it
 *
 * Does nothing if the session is not loaded yet, or stops already.
 * Context: any.
 */
void ktap_session_stop(struct ktap_session *s, int exit_code)
{
	/* In the order in which the state moves on meanwhile */
	if (!session_change_state(s, KTAP_LOADING, KTAP_STOPPING) &&
	    !session_change_state(s, KTAP_BEGINNING, KTAP_STOPPING) &&
	    !session_change_state(s, KTAP_RUNNING, KTAP_STOPPING))
		return;
	s->exit_code = exit_code;
	WRITE_ONCE(s->end, ktime_get_mono_fast_ns());
	irq_work_queue(&s->stop_irq);
}

/**
 * ktap_session_unload() - Stop a session that is being loaded
 * @s: the session
 *
 * Context: process; the loader holds &ktap_session.lock.
 * Return: false if the session is not being loaded.
 */
bool ktap_session_unload(struct ktap_session *s)
{
	if (READ_ONCE(s->filter.state) != KTAP_LOADING)
		return false;
	WRITE_ONCE(s->unload, true);
	smp_mb();	/* pairs with that in ktap_session_let_stop() */
	/* If there is no thread yet, ktap_session_let_stop() stops the session. */
	if (READ_ONCE(s->filter.worker))
		ktap_session_stop(s, 0);
	return true;
}

/* Publish the session's thread: from here on the session can be stopped. */
void ktap_session_let_stop(struct ktap_session *s, struct kthread_worker *worker)
{
	s->filter.thread = worker->task;
	WRITE_ONCE(s->filter.worker, worker);
	smp_mb();	/* pairs with that in ktap_session_unload() */
	if (READ_ONCE(s->unload))
		ktap_session_stop(s, 0);
}

/* The session's thread */

static void session_run_probe(struct ktap_session *s, struct ktap_probe *probe,
			      const struct ktap_event *ev)
{
	struct mem_cgroup *old = set_active_memcg(s->memcg);

	/* The top level has ended the session: nothing was attached, so nothing was compiled. */
	if (s->env.jit_always && !probe->native) {
		/* The rights of the opener decide how the BPF JIT works, not this thread's. */
		const struct cred *old_cred = override_creds(s->cred);

		ktap_probe_compile(s, probe, 0, &s->thread_diag);
		revert_creds(old_cred);
	}
	ktap_run_probe(&s->vm, probe, ev);
	s->vm.event = NULL;
	set_active_memcg(old);
}

/* Run all probes of @kind while the session is in @state. */
static void session_run_probes(struct ktap_session *s, enum ktap_probe_kind kind,
			       enum ktap_state state)
{
	struct ktap_probe *probe;

	list_for_each_entry(probe, &s->probes, list) {
		if (READ_ONCE(s->filter.state) != state || READ_ONCE(s->abort))
			return;
		if (probe->kind == kind)
			session_run_probe(s, probe, NULL);
	}
}

/**
 * ktap_session_run_event() - Run the handler of a probe, if the session is RUNNING
 * @probe: the probe
 * @ev: the event; NULL if it has no parts, like a tick
 *
 * Context: the session's thread.
 */
void ktap_session_run_event(struct ktap_probe *probe, const struct ktap_event *ev)
{
	struct ktap_session *s = probe->session;

	if (READ_ONCE(s->filter.state) == KTAP_RUNNING)
		session_run_probe(s, probe, ev);
}

void ktap_session_say_begun(struct ktap_session *s)
{
	WRITE_ONCE(s->begun, true);
	wake_up_all(&s->wait);
}

static void session_begin_work(struct kthread_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, begin_work);

	session_run_probes(s, KTAP_ON_BEGIN, KTAP_BEGINNING);

	scoped_guard(mutex, &s->lock) {
		WRITE_ONCE(s->begin, ktime_get_mono_fast_ns());
		if (READ_ONCE(s->filter.state) == KTAP_BEGINNING && s->attached)
			ktap_conditions_begin(s);
		/* A session without events ends at once. */
		if (!s->npoints)
			ktap_session_stop(s, 0);
		else if (session_change_state(s, KTAP_BEGINNING, KTAP_RUNNING))
			ktap_sources_start(s);
	}
	ktap_session_say_begun(s);
}

static bool session_has_end(const struct ktap_session *s)
{
	const struct ktap_probe *probe;

	list_for_each_entry(probe, &s->probes, list) {
		if (probe->kind == KTAP_ON_END)
			return true;
	}
	return false;
}

static void session_print_globals(struct ktap_session *s)
{
	struct mem_cgroup *old = set_active_memcg(s->memcg);

	if (ktap_print_globals(&s->vm))
		ktap_session_error(s, &s->vm);
	set_active_memcg(old);
}

static void session_end(struct ktap_session *s)
{
	bool ending;

	scoped_guard(mutex, &s->lock) {
		ktap_sources_detach(s);
		ending = session_has_end(s);
	}
	if (READ_ONCE(s->abort))
		return;

	ktap_session_report_error(s);
	s->in_end = true;
	if (!s->dry)
		session_run_probes(s, KTAP_ON_END, KTAP_STOPPING);
	if (!s->dry && !ending && !s->broken && !READ_ONCE(s->output.printed))
		session_print_globals(s);
	if (READ_ONCE(s->abort))
		return;
	ktap_session_report_error(s);
	if (!s->dry)
		ktap_session_report_tests(s);
	ktap_session_report_losses(s);
	ktap_session_report_idle(s);
	if (session_change_state(s, KTAP_STOPPING, KTAP_ENDED))
		ktap_output_end(&s->output, s->exit_code);
}

static void session_stop_work(struct kthread_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, stop_work);

	session_end(s);
	ktap_session_say_begun(s);
}

static void session_stop_irq(struct irq_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, stop_irq);

	kthread_queue_work(s->filter.worker, &s->stop_work);
	/* The top level may wait for the reader. */
	wake_up_all(&s->output.room);
}

/* Memory of the script */

static void session_reap_work(struct kthread_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, reap_work);

	/*
	 * The loader holds the lock and uses the activation of process context.
	 * ktap_session_unlock() queues this work again.
	 */
	if (!mutex_trylock(&s->lock))
		return;
	ktap_objects_reap(&s->env);
	mutex_unlock(&s->lock);
}

static void session_refill_work(struct work_struct *work)
{
	struct ktap_refill *refill = container_of(work, struct ktap_refill, work);
	struct ktap_session *s = refill->session;
	struct mem_cgroup *old = set_active_memcg(s->memcg);

	/* On failure, later inserts are dropped and counted. */
	if (refill->urgent)
		ktap_heap_refill_urgently(&s->env.heap);
	else
		ktap_heap_refill(&s->env.heap);
	set_active_memcg(old);
}

static void session_init_refill(struct ktap_session *s, struct ktap_refill *refill, bool urgent)
{
	INIT_WORK(&refill->work, session_refill_work);
	refill->session = s;
	refill->urgent = urgent;
}

/*
 * Refill the heap on any CPU that is free, and begin on this one, before the tasks whose
 * events use the memory: in a virtual machine the other CPUs may not run for long.  For the
 * same reason each request has an urgent work of its own, which does not wait for that of
 * another CPU.  Context: irq_work.
 */
static void session_queue_refill(struct ktap_session *s)
{
	unsigned int n = atomic_inc_return(&s->nurgent);

	queue_work(system_dfl_wq, &s->refill.work);
	queue_work_on(smp_processor_id(), system_highpri_wq,
		      &s->urgent[n % ARRAY_SIZE(s->urgent)].work);
}

static void session_low_irq(struct irq_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, low_irq);

	kthread_queue_work(s->filter.worker, &s->reap_work);
	if (ktap_heap_is_low(&s->env.heap))
		session_queue_refill(s);
}

void ktap_session_low(struct ktap_heap *heap)
{
	struct ktap_session *s = container_of(heap, struct ktap_session, env.heap);

	/* session_quiesce() sets @abort, waits for @low_irq, and then destroys the worker. */
	if (!READ_ONCE(s->abort))
		irq_work_queue(&s->low_irq);
}

/**
 * ktap_session_unlock() - Release the lock of a session
 * @s: the session
 *
 * Queues @reap_work again if it found the lock taken.  Otherwise the dead objects
 * would stay: the next one to die queues the work only if the list was empty.
 * Context: any task except the session's thread.
 */
void ktap_session_unlock(struct ktap_session *s)
{
	bool reaped = s->filter.worker;

	mutex_unlock(&s->lock);
	/*
	 * If the trylock of session_reap_work() failed because of this task, this task
	 * must see the objects to reap.  Pairs with llist_add() in object_bury().
	 */
	smp_mb();
	if (reaped && !llist_empty(&s->env.dead))
		ktap_session_low(&s->env.heap);
}

/* Open and close */

/* Nothing of the session runs. */
static void session_free(struct ktap_session *s)
{
	unsigned int i;

	ktap_output_destroy(&s->output);
	for (i = 0; i < s->nargs; i++) {
		if (s->args[i].tag == KTAP_STR)
			kfree(s->args[i].blob);
	}
	kvfree(s->args);
	ktap_user_places_free(&s->user_places);
	kvfree(s->filter.followed);
	ktap_cgroup_put(s->filter.cgroup);
	kfree(s->filter.cpus);
	kvfree(s->chunk);
	kfree(s->line);
	put_pid(s->filter.pid);
	put_cred(s->filter.owner);
	put_cred(s->cred);
	put_pid(s->filter.reader);
	put_pid(s->opener);
	mem_cgroup_put(s->memcg);
	kfree(s);
}

/*
 * @cred are those of the opener.  The caller has called ktap_permissions_open().
 * Return an error pointer: -EUSERS: the user has too many sessions of own processes; -EPERM,
 * -ENOMEM.
 */
struct ktap_session *ktap_session_open(const struct cred *cred)
{
	struct ktap_session *s = kzalloc_obj(*s, KTAP_GFP);
	unsigned int i;
	int err;

	if (!s)
		return ERR_PTR(-ENOMEM);

	s->filter.state = KTAP_OPEN;
	err = ktap_permissions_init(s, cred);
	if (err) {
		kfree(s);
		return ERR_PTR(err);
	}
	s->cred = get_cred(cred);
	mutex_init(&s->lock);
	init_waitqueue_head(&s->wait);
	INIT_LIST_HEAD(&s->probes);
	INIT_LIST_HEAD(&s->points);
	kthread_init_work(&s->begin_work, session_begin_work);
	kthread_init_work(&s->stop_work, session_stop_work);
	kthread_init_work(&s->reap_work, session_reap_work);
	kthread_init_work(&s->last_work, ktap_last_work);
	init_irq_work(&s->stop_irq, session_stop_irq);
	init_irq_work(&s->low_irq, session_low_irq);
	kthread_init_delayed_work(&s->conditions_work, ktap_conditions_work);
	init_irq_work(&s->conditions_irq, ktap_conditions_irq);
	session_init_refill(s, &s->refill, false);
	for (i = 0; i < ARRAY_SIZE(s->urgent); i++)
		session_init_refill(s, &s->urgent[i], true);

	mutex_init(&s->output.text_lock);
	mutex_init(&s->output.read_lock);
	INIT_LIST_HEAD(&s->output.texts);
	init_waitqueue_head(&s->output.wait);
	init_waitqueue_head(&s->output.room);
	init_irq_work(&s->output.wake_irq, ktap_output_wake_irq);
	timer_setup(&s->output.wake_timer, ktap_output_wake_timer, 0);

	s->opener = get_pid(task_tgid(current));
	get_task_comm(s->comm, current);
	s->memcg = get_mem_cgroup_from_mm(current->mm);
	s->memory = SIZE_MAX;
	s->filter.reader = get_pid(task_tgid(current));

	err = ktap_sessions_add(s);
	if (err) {
		session_free(s);
		return ERR_PTR(err);
	}
	return s;
}

/* When this returns, nothing of the session runs any more. */
static void session_quiesce(struct ktap_session *s)
{
	unsigned int i;

	(void)xchg(&s->filter.state, KTAP_ENDED);
	WRITE_ONCE(s->abort, true);
	ktap_output_abort(&s->output);

	scoped_guard(mutex, &s->lock)
		ktap_sources_detach(s);
	/* The exit of a thread may queue @reap_work, too: before the flush. */
	ktap_threads_unwatch(s);
	kthread_flush_worker(s->filter.worker);
	irq_work_sync(&s->stop_irq);
	irq_work_sync(&s->low_irq);
	irq_work_sync(&s->conditions_irq);
	kthread_cancel_delayed_work_sync(&s->conditions_work);
	irq_work_sync(&s->output.wake_irq);
	/* Only @wake_irq starts it. */
	timer_delete_sync(&s->output.wake_timer);
	kthread_destroy_worker(s->filter.worker);
	cancel_work_sync(&s->refill.work);
	for (i = 0; i < ARRAY_SIZE(s->urgent); i++)
		cancel_work_sync(&s->urgent[i].work);
}

/**
 * ktap_session_close() - Free a session when its file is closed
 * @s: the session
 *
 * Context: process, sleeps: waits for handlers, the session's thread and its works.
 */
void ktap_session_close(struct ktap_session *s)
{
	ktap_sessions_remove(s);
	if (s->filter.worker) {
		session_quiesce(s);
		ktap_sources_release(s);
		ktap_session_unprepare(s);
	}
	session_free(s);
}

/* Built-in functions */

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
	int code = ktap_exit_code(vm, r, n);

	if (code < 0)
		return code;
	/* trace_end may replace the exit code; a tick that runs while the session stops may not. */
	if (vm->level == KTAP_LEVEL_PROCESS && s->in_end)
		s->exit_code = code;
	else
		ktap_session_stop(s, code);
	return -ECANCELED;
}

/* Like a "stop" of the user: a handler continues.  Only the top level ends here. */
int ktap_fn_stop(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_session *s = ktap_session_of(vm);
	bool loading = READ_ONCE(s->filter.state) == KTAP_LOADING;

	ktap_session_stop(s, 0);
	r[0] = KTAP_VALUE_NIL;
	return loading ? -ECANCELED : 0;
}
