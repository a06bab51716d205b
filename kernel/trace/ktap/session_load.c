// SPDX-License-Identifier: GPL-2.0
/*
 * From a complete chunk to attached events, or to a refusal.
 */
#include <linux/bpf.h>
#include <linux/cpu.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "jit/jit.h"
#include "lib/getopt.h"
#include "load/rewrite.h"
#include "owner.h"
#include "policy.h"
#include "probe.h"
#include "session.h"
#include "session_output.h"
#include "session_priv.h"
#include "vm/builtin.h"
#include "vm/kernel_function.h"
#include "vm/task_fields.h"

/* The chunk or a line is refused; the reason is in @diag. */
static int load_refuse(struct ktap_session *s, int err)
{
	lockdep_assert_held(&s->lock);
	/* These add nothing if @diag has a text already. */
	if (err == -ENOMEM)
		ktap_diag(&s->diag,
			  "no memory for the session: the system or its memory cgroup has none left");
	ktap_diag(&s->diag, "refused without a reason (error %d): this is a bug of ktap", err);
	/* A task that writes and never reads gets no more than the errno. */
	if (READ_ONCE(s->output.text_bytes) < KTAP_MAX_TEXT)
		ktap_output_say(&s->output, KTAP_CH_ERROR, ktime_get_mono_fast_ns(), "",
				s->diag.text, s->diag.len);
	s->diag.len = 0;
	/* A concurrent "stop" may have ended the session already. */
	if (session_change_state(s, KTAP_LOADING, KTAP_FAILED) ||
	    session_change_state(s, KTAP_OPEN, KTAP_FAILED)) {
		ktap_output_end(&s->output, KTAP_EXIT_REFUSED);
		wake_up_all(&s->output.wait);
		ktap_session_say_begun(s);
	}
	return err;
}

/**
 * ktap_session_refuse() - Refuse the chunk, or a line
 * @s: the session
 * @err: negative errno
 * @fmt: the reason, for the reader
 *
 * The session fails, unless its script is loaded already.
 * Context: process, &ktap_session.lock held.
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
	return load_refuse(s, err);
}

static int load_program(struct ktap_session *s)
{
	struct ktap_program *prog = ktap_program_load(s->chunk, s->chunk_size, &s->diag);

	if (IS_ERR(prog))
		return PTR_ERR(prog);
	/* The program owns these bytes now. */
	s->chunk = NULL;
	s->env.prog = prog;
	return 0;
}

static void load_free_program(struct ktap_session *s)
{
	ktap_program_free(s->env.prog);
	s->env.prog = NULL;
}

static int load_check_permissions(struct ktap_session *s)
{
	int err = ktap_owner_check(s) ?: ktap_permissions_check(s, s->env.prog) ?:
		  ktap_check_unsafe(s->env.prog, s->unsafe, &s->diag);

	/* Readers of ktap/sessions cannot look into the program, which may be freed. */
	WRITE_ONCE(s->acts, s->env.prog->acts);
	return err;
}

static int load_find_functions(struct ktap_session *s)
{
	int err = ktap_kernel_functions_find(s->env.prog, &s->diag);

	WRITE_ONCE(s->ncalls, s->env.prog->nfunctions);
	return err;
}

/*
 * Native code of users without rights is a choice of the administrator, as for BPF: mitigations
 * of speculative execution that the interpreter has may be missing there.
 */
static bool load_users_may_have_code(void)
{
#ifdef CONFIG_BPF_SYSCALL
	return !READ_ONCE(sysctl_unprivileged_bpf_disabled);
#else
	return false;
#endif
}

static int load_init_env(struct ktap_session *s)
{
	struct ktap_program *prog = s->env.prog;
	int err;

	/* The limit may have been lowered since the line "memory" was checked. */
	s->memory = min(s->memory, READ_ONCE(ktap_max_memory));
	s->probe_max = max(s->memory, KTAP_PROBE_MEMORY);
	WRITE_ONCE(s->probe_bytes, prog->bytes + s->arg_bytes + s->user_places.bytes);
	err = ktap_env_init(&s->env, prog, s->memory, ktap_session_low);
	s->env.condition_changed = ktap_conditions_changed;
	s->env.json = s->output.json;
	s->env.utc_offset = (s64)s->utc_offset * NSEC_PER_SEC;
	/* @opener is a reference to it. */
	s->env.pid_ns = ns_of_pid(s->opener);
	if (err == -E2BIG)
		ktap_diag(&s->diag, "more than %u fields of threads: names after 'self'",
			  KTAP_SELF_FIELDS);
	s->env.jit_forbidden = s->filter.owner && !load_users_may_have_code();
	/* BPF has its barriers for the same users. */
	s->env.fenced = IS_ENABLED(CONFIG_X86) && !s->perfmon && !cpu_mitigations_off();
	s->env.max_insns = READ_ONCE(ktap_max_insns);
	/* Preemption is disabled during a run; whoever has no rights delays others less. */
	if (s->filter.owner)
		s->env.max_insns = min(s->env.max_insns, KTAP_RT_BUDGET);
	return err;
}

static void load_destroy_env(struct ktap_session *s)
{
	ktap_env_destroy(&s->env);
}

/* Move options from the arguments to where getopt() finds them. */
static int load_take_options(struct ktap_session *s)
{
	int kept = ktap_options_take(&s->env, s->args, s->nargs, &s->diag);

	if (kept < 0)
		return kept;
	while (s->nargs > kept)
		kfree(s->args[--s->nargs].blob);
	return 0;
}

static int load_init_vm(struct ktap_session *s)
{
	int err = ktap_vm_init(&s->vm, &s->env, KTAP_LEVEL_PROCESS);

	s->vm.abort = &s->unload;
	return err;
}

static void load_destroy_vm(struct ktap_session *s)
{
	ktap_vm_destroy(&s->vm);
}

static int load_get_activations(struct ktap_session *s)
{
	return ktap_activation_get(s->env.prog->uses & KTAP_USES_ARGSTR);
}

static void load_put_activations(struct ktap_session *s)
{
	ktap_activation_put();
}

static void load_free_overheads(struct ktap_session *s)
{
	free_percpu(s->overheads);
}

struct load_output_work {
	struct kthread_work work;
	struct ktap_session *session;
	int err;
};

static void load_output_work(struct kthread_work *work)
{
	struct load_output_work *w = container_of(work, struct load_output_work, work);
	struct mem_cgroup *old;

	old = set_active_memcg(w->session->memcg);
	w->err = ktap_output_init(&w->session->output, w->session->memory);
	set_active_memcg(old);
}

/*
 * The session's thread allocates the ring buffer: for a task that was killed the
 * allocation fails, and a failed allocation is a warning in the log.
 */
static int load_init_output(struct ktap_session *s, struct kthread_worker *worker)
{
	struct load_output_work w = { .session = s };

	kthread_init_work(&w.work, load_output_work);
	kthread_queue_work(worker, &w.work);
	kthread_flush_work(&w.work);
	return w.err;
}

static int load_start_thread(struct ktap_session *s)
{
	struct kthread_worker *worker = kthread_run_worker(0, "ktap/%llu", s->id);
	int err;

	/* -EAGAIN can mean that there is no memory, too. */
	if (worker == ERR_PTR(-EAGAIN)) {
		ktap_diag(&s->diag,
			  "no thread for the session: the system has no memory or no room for one");
		return -ENOMEM;
	}
	if (IS_ERR(worker))
		return PTR_ERR(worker);
	/* The thread is in no cgroup of the user, and no limit of the user applies to it. */
	set_user_nice(worker->task, s->filter.owner ? MAX_NICE : task_nice(current));
	err = load_init_output(s, worker) ?: ktap_threads_watch(s);
	if (err) {
		kthread_destroy_worker(worker);
		return err;
	}
	ktap_session_let_stop(s, worker);
	return 0;
}

/*
 * The stages that prepare a session, in this order.  If one fails, those before it are
 * undone in reverse order, as they are when the session is closed.  The last one
 * publishes the thread: no stage may follow it.
 */
static const struct {
	int (*do_stage)(struct ktap_session *s);
	void (*undo)(struct ktap_session *s);
} load_stages[] = {
	{ ktap_policy_check },
	{ load_program,			load_free_program },	/* verified and linked */
	{ load_check_permissions },
	{ load_find_functions },	/* ktap_program_free() releases them */
	{ load_init_env,		load_destroy_env },
	{ load_take_options },
	{ load_init_vm,			load_destroy_vm },
	{ ktap_ustack_init,		ktap_ustack_destroy },
	{ load_get_activations,		load_put_activations },
	{ ktap_overhead_alloc,		load_free_overheads },
	{ load_start_thread },		/* session_quiesce() stops it */
};

static void load_undo(struct ktap_session *s, unsigned int done)
{
	while (done--) {
		if (load_stages[done].undo)
			load_stages[done].undo(s);
	}
}

static int load_prepare(struct ktap_session *s)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(load_stages); i++) {
		err = load_stages[i].do_stage(s);
		if (err) {
			load_undo(s, i);
			return err;
		}
	}
	return 0;
}

/* Nothing of the session runs any more: free all that load_prepare() has made. */
void ktap_session_unprepare(struct ktap_session *s)
{
	load_undo(s, ARRAY_SIZE(load_stages));
}

/*
 * A run-time error of the top level ends the session like any other run-time error.
 * Only the use of an event or an argument that does not exist is a refusal.
 */
static int load_run_top_level(struct ktap_session *s)
{
	int err;

	s->start = ktime_get_mono_fast_ns();
	err = ktap_jit_compile_main(&s->env, &s->diag) ?:
	      ktap_jit_compile_values(&s->env, &s->diag);
	if (err)
		return err;
	err = ktap_vm_run(&s->vm, s->env.prog->main, NULL, 0, NULL);
	/* From here on the activation belongs to the session's thread. */
	s->vm.abort = &s->abort;
	if (err == -EINTR && READ_ONCE(s->unload))
		return 0;
	/* If the script has caught the error of that instruction, it can do without. */
	if (err && s->refused == s->vm.fault.pc + 1) {
		ktap_diag_at(&s->diag, s->env.prog, s->refused_at, "%s", s->vm.message);
		return err;
	}
	s->broken = err && err != -ECANCELED;
	if (s->broken)
		ktap_session_error(s, &s->vm);
	return 0;
}

/* No handler runs yet, and the top level has ended: its native code has no more use. */
static int load_rewrite(struct ktap_session *s)
{
	ktap_jit_free(&s->env);
	ktap_field_check_skip(s);
	return ktap_rewrite_events(s->env.prog);
}

/* Report what would be attached, and end. */
static int load_dry(struct ktap_session *s)
{
	int err = ktap_field_check_rest(s) ?: load_rewrite(s);

	if (err)
		return err;
	ktap_session_report_dry(s);
	ktap_session_stop(s, 0);
	return 0;
}

static int load_attach(struct ktap_session *s)
{
	int err = ktap_field_check_rest(s) ?: load_rewrite(s) ?: ktap_process_watch(s) ?:
		  ktap_sources_attach(s);

	if (err)
		ktap_sources_detach(s);
	if (err && READ_ONCE(s->unload)) {
		/* "stop" interrupted it: no error. */
		s->diag.len = 0;
		return 0;
	}
	if (err)
		return err;
	if (s->nattached > 1 && !READ_ONCE(s->unload))
		ktap_output_note(&s->output, "total enabled %u events", s->nattached);
	return 0;
}

/* Has nothing ended the session: its top level, or a "stop" of others? */
static bool load_goes_on(struct ktap_session *s)
{
	/* The writer of "stop" may have interrupted the loader, but not have come further. */
	if (READ_ONCE(s->unload))
		ktap_session_stop(s, 0);
	return READ_ONCE(s->filter.state) == KTAP_LOADING;
}

/**
 * ktap_session_load() - Load the chunk, run its top level, attach its events
 * @s: the session, with a complete chunk
 *
 * Context: process, &ktap_session.lock held.
 * Return: 0, or a negative errno if the chunk was refused.
 */
int ktap_session_load(struct ktap_session *s)
{
	int err;

	lockdep_assert_held(&s->lock);
	s->filter.narrow = s->filter.self || ktap_filter_excludes(&s->filter);
	s->filter.thorough = *s->filter.comm || s->filter.owner;
	WRITE_ONCE(s->filter.state, KTAP_LOADING);
	ktap_set_reader(s);
	err = load_prepare(s);
	if (!err && load_goes_on(s))
		err = load_run_top_level(s);
	if (!err && load_goes_on(s))
		err = s->dry ? load_dry(s) : load_attach(s);
	if (err)
		return load_refuse(s, err);
	if (load_goes_on(s) && session_change_state(s, KTAP_LOADING, KTAP_BEGINNING)) {
		kthread_queue_work(s->filter.worker, &s->begin_work);
		ktap_process_check(s);
	}
	/* Output of the top level becomes readable only now. */
	wake_up_all(&s->output.wait);
	return 0;
}

static bool load_wait_is_over(struct ktap_session *s)
{
	return READ_ONCE(s->begun) || (READ_ONCE(s->output.blocked) && !s->streams);
}

/* After a write: wait until trace_begin has returned, or waits for the reader. */
int ktap_session_wait_begun(struct ktap_session *s)
{
	if (!s->loaded)
		return 0;
	return wait_event_interruptible(s->wait, load_wait_is_over(s));
}

/* Is there output to read, or will there be some? */
bool ktap_session_can_read(struct ktap_session *s)
{
	/* Pairs with the cmpxchg() of load_refuse(), after which that ends the output. */
	int state = smp_load_acquire(&s->filter.state);

	return state > KTAP_LOADING || (state == KTAP_LOADING && s->streams);
}

/**
 * ktap_session_before_read() - Wait until the session has been loaded or refused
 * @s: the session
 * @nonblock: do not wait
 *
 * Output of a session that streams can be read while its top level runs.
 *
 * If the chunk is incomplete, it was most likely truncated, and a read could wait for
 * ever: the read makes the session fail, and then finds the reason in the output.
 *
 * Return: 0, -EAGAIN, -ERESTARTSYS.
 */
int ktap_session_before_read(struct ktap_session *s, bool nonblock)
{
	if (ktap_session_can_read(s))
		return 0;
	if (nonblock)
		return -EAGAIN;
	if (mutex_lock_interruptible(&s->lock))
		return -ERESTARTSYS;
	if (READ_ONCE(s->filter.state) != KTAP_OPEN)
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
