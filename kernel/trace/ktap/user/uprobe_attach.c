// SPDX-License-Identifier: GPL-2.0
/*
 * Places in the user's programs: functions, their returns, instructions, markers.
 */
#include <linux/cleanup.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "session.h"
#include "session_output.h"
#include "user/uprobe_args.h"

/**
 * DOC: Places in programs
 *
 * A place is an instruction in a file, and one uprobe.  It is also in later mappings of
 * the file: of libraries loaded later, and of processes started later.  If a session is
 * for one process only (pid, follow), the filter of its uprobes excludes the others, and
 * their memory is not changed.  A child has its parent's breakpoints: they
 * are removed when it reaches the first, unless it is followed.
 *
 * The kernel watches the return of a function by taking the place of its return
 * address.  Between entry and return it keeps 64 bits for each consumer of the
 * uprobe, and forgets them with a frame that is left by longjmp(), by exit or by
 * exec, and copies them when the process forks.  So an argument that a handler of
 * the return asks for has a consumer of its own: nothing can leak, run out, or be
 * mistaken for that of another call.  At the return these consumers are called
 * one after the other, by the thread that returns; what they bring is collected in
 * &ktap_upoint.returning until the last of them runs the handler.  The kernel calls
 * the youngest first.  So the one that runs handlers is registered first, and
 * probes of the same place run in the order of the script, if the last of them
 * is registered first.
 *
 * All of it is called in the context of the thread, which may sleep: see uprobe_args.c.
 * Its end is waited for by uprobe_unregister_sync().
 */

/* Approximate memory that uprobes use for a place. */
#define UPROBE_KERNEL_BYTES	512

/* Threads that return at the same time, and are not done with it, for each CPU. */
#define RETURNS_PER_CPU		8
#define MIN_RETURNS		64

/* How far from where it should be a return is looked for. */
#define MAX_STEPS		16

/* Who wants to know? */

static bool uprobe_attach_wants_process(const struct ktap_session *s, struct task_struct *p)
{
	return task_tgid(p) == s->filter.pid ||
	       (s->filter.followed && test_bit(p->tgid, s->filter.followed));
}

/* The session is for one process.  May accept too many: activation.c filters again. */
static noinline bool uprobe_attach_wants_mm(const struct ktap_session *s,
					    const struct mm_struct *mm)
{
	struct task_struct *p;

	if (mm == current->mm && uprobe_attach_wants_process(s, current))
		return true;
	guard(rcu)();
#ifdef CONFIG_MEMCG
	p = rcu_dereference(mm->owner);
	if (p && uprobe_attach_wants_process(s, p))
		return true;
#else
	if (s->filter.followed)
		return true;
#endif
	p = pid_task(s->filter.pid, PIDTYPE_TGID);
	return p && READ_ONCE(p->mm) == mm;
}

static __always_inline bool uprobe_attach_place_filter(const struct ktap_uplace *p,
						       const struct mm_struct *mm)
{
	const struct ktap_session *s = p->u->point.probe->session;

	return likely(!s->filter.pid) || uprobe_attach_wants_mm(s, mm);
}

static bool ktap_uprobe_filter(struct uprobe_consumer *uc, struct mm_struct *mm)
{
	return uprobe_attach_place_filter(container_of(uc, struct ktap_uplace, uc), mm);
}

static bool ktap_ukeep_filter(struct uprobe_consumer *uc, struct mm_struct *mm)
{
	return uprobe_attach_place_filter(container_of(uc, struct ktap_ukeep, uc)->at, mm);
}

/* Entries, instructions, markers */

/* The arguments are not initialized: see ktap_uhit.have. */
static __always_inline void uprobe_attach_init_hit(struct ktap_uhit *h, struct ktap_uplace *p,
						   struct pt_regs *regs, unsigned long ip)
{
	h->hit = (struct ktap_hit){
		.ev.ops = &ktap_user_ops,
		.point = &p->u->point,
	};
	h->at = p;
	h->regs = regs;
	h->ip = ip;
	h->have = 0;
	h->late = 0;
}

static __always_inline void uprobe_attach_fire(const struct ktap_uhit *h)
{
	guard(preempt_notrace)();
	ktap_fire(&h->hit);
}

static int ktap_uprobe_hit(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *data)
{
	struct ktap_uplace *p = container_of(uc, struct ktap_uplace, uc);
	struct ktap_uhit h __uninitialized;

	if (!uprobe_attach_place_filter(p, current->mm))
		return UPROBE_HANDLER_REMOVE;
	uprobe_attach_init_hit(&h, p, regs, instruction_pointer(regs));
	if (!p->u->wanted || ktap_user_arguments(&h))
		uprobe_attach_fire(&h);
	return 0;
}
NOKPROBE_SYMBOL(ktap_uprobe_hit);

/* Returns */

/* The kernel watches no more returns of a thread than this; further ones are missed. */
static bool uprobe_attach_is_too_deep(void)
{
	return current->utask->depth >= MAX_URETPROBE_DEPTH;
}

static __always_inline int uprobe_attach_keep(const struct ktap_uplace *p, unsigned int n,
					      struct pt_regs *regs, __u64 *data)
{
	const struct ktap_upoint *u = p->u;
	u64 value = 0;

	if (!uprobe_attach_place_filter(p, current->mm))
		return UPROBE_HANDLER_REMOVE;
	if (unlikely(uprobe_attach_is_too_deep()))
		return UPROBE_HANDLER_IGNORE;
	/* Each of the 64 bits may be part of an argument: none is left to say "not read". */
	if (n < u->nkept && !ktap_user_argument(regs, u->kept[n], &value))
		atomic_long_inc(&u->point.probe->session->env.counters.bad_reads);
	*data = value;
	return 0;
}

static int ktap_uretprobe_enter(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *data)
{
	struct ktap_uplace *p = container_of(uc, struct ktap_uplace, uc);

	if (unlikely(uprobe_attach_is_too_deep()) && ktap_delivers(p->u->point.probe->session))
		atomic_long_inc(&p->u->missed);
	return uprobe_attach_keep(p, 0, regs, data);
}
NOKPROBE_SYMBOL(ktap_uretprobe_enter);

static int ktap_ukeep_enter(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *data)
{
	struct ktap_ukeep *k = container_of(uc, struct ktap_ukeep, uc);

	return uprobe_attach_keep(k->at, k->n, regs, data);
}
NOKPROBE_SYMBOL(ktap_ukeep_enter);

/*
 * Where the current thread collects its arguments; a free place for it if @claim
 * and it has none.  NULL: there is none.
 */
static struct ktap_ureturn *uprobe_attach_find_return(struct ktap_upoint *u, bool claim)
{
	unsigned int first = hash_ptr(current, 32), i;
	struct ktap_ureturn *r;

	for (i = 0; i < MAX_STEPS; i++) {
		r = &u->returning[(first + i) % u->nreturning];
		if (READ_ONCE(r->owner) == current)
			return r;
	}
	for (i = 0; claim && i < MAX_STEPS; i++) {
		r = &u->returning[(first + i) % u->nreturning];
		/* Pairs with that of uprobe_attach_end_return(). */
		if (!cmpxchg_acquire(&r->owner, NULL, current))
			return r;
	}
	return NULL;
}

static void uprobe_attach_end_return(struct ktap_ureturn *r)
{
	r->at = NULL;
	/* Orders our accesses before those of the next owner. */
	smp_store_release(&r->owner, NULL);
}

static int ktap_ukeep_return(struct uprobe_consumer *uc, unsigned long func,
			     struct pt_regs *regs, __u64 *data)
{
	struct ktap_ukeep *k = container_of(uc, struct ktap_ukeep, uc);
	struct ktap_ureturn *r = uprobe_attach_find_return(k->at->u, true);

	if (!r || !data)
		return 0;
	/* Something may be left if others were unregistered in between. */
	if (r->at != k->at)
		r->have = 0;
	r->at = k->at;
	r->args[k->n] = *data;
	r->have |= BIT(k->n);
	return 0;
}
NOKPROBE_SYMBOL(ktap_ukeep_return);

/* False: not all of them are known. */
static bool uprobe_attach_collect(struct ktap_uplace *p, struct ktap_uhit *h, const __u64 *first)
{
	struct ktap_upoint *u = p->u;
	struct ktap_ureturn *r;
	bool complete = true;
	unsigned int n;

	if (!u->nkept)
		return true;
	if (!first)
		return false;
	h->args[u->kept[0]] = *first;
	h->have = u->wanted;
	if (u->nkept == 1)
		return true;

	r = uprobe_attach_find_return(u, false);
	if (!r)
		return false;
	for (n = 1; n < u->nkept; n++) {
		complete &= r->at == p && r->have & BIT(n);
		h->args[u->kept[n]] = r->args[n];
	}
	uprobe_attach_end_return(r);
	return complete;
}

static int ktap_uretprobe_return(struct uprobe_consumer *uc, unsigned long func,
				 struct pt_regs *regs, __u64 *data)
{
	struct ktap_uplace *p = container_of(uc, struct ktap_uplace, uc);
	struct ktap_uhit h __uninitialized;

	uprobe_attach_init_hit(&h, p, regs, func);
	if (unlikely(!uprobe_attach_collect(p, &h, data))) {
		if (ktap_delivers(p->u->point.probe->session))
			atomic_long_inc(&p->u->missed);
		return 0;
	}
	if (!p->u->follows || ktap_uprobe_bring_in(&h))
		uprobe_attach_fire(&h);
	return 0;
}
NOKPROBE_SYMBOL(ktap_uretprobe_return);

/* Attaching */

static int uprobe_attach_register_one(const struct ktap_uplace *p, struct uprobe_consumer *uc,
				      struct uprobe **uprobe)
{
	struct uprobe *up;

	up = uprobe_register(p->inode, p->place->offset, p->place->semaphore, uc);
	if (IS_ERR(up))
		return PTR_ERR(up);
	*uprobe = up;
	p->u->touched = true;
	return 0;
}

static void uprobe_attach_unregister_one(struct uprobe_consumer *uc, struct uprobe **uprobe)
{
	if (*uprobe)
		uprobe_unregister_nosync(*uprobe, uc);
	*uprobe = NULL;
}

static void uprobe_attach_unregister_place(struct ktap_uplace *p)
{
	unsigned int n;

	for (n = 1; n < p->u->nkept; n++)
		uprobe_attach_unregister_one(&p->keeps[n - 1].uc, &p->keeps[n - 1].uprobe);
	uprobe_attach_unregister_one(&p->uc, &p->uprobe);
}

static int uprobe_attach_register_place(struct ktap_uplace *p)
{
	unsigned int n;
	int err;

	err = uprobe_attach_register_one(p, &p->uc, &p->uprobe);
	for (n = 1; !err && n < p->u->nkept; n++)
		err = uprobe_attach_register_one(p, &p->keeps[n - 1].uc, &p->keeps[n - 1].uprobe);
	if (err)
		uprobe_attach_unregister_place(p);
	return err;
}

static void uprobe_attach_init_place(struct ktap_uplace *p, struct ktap_ukeep *keeps)
{
	const struct ktap_session *s = p->u->point.probe->session;
	unsigned int n;

	p->keeps = keeps;
	p->uc.handler = p->u->ret ? ktap_uretprobe_enter : ktap_uprobe_hit;
	p->uc.ret_handler = p->u->ret ? ktap_uretprobe_return : NULL;
	p->uc.filter = s->filter.pid ? ktap_uprobe_filter : NULL;
	for (n = 1; n < p->u->nkept; n++) {
		keeps[n - 1] = (struct ktap_ukeep){
			.uc.handler = ktap_ukeep_enter,
			.uc.ret_handler = ktap_ukeep_return,
			.uc.filter = s->filter.pid ? ktap_ukeep_filter : NULL,
			.at = p,
			.n = n,
		};
	}
}

/* The place is the fault, and not that there is no memory or no patience. */
static const char *uprobe_attach_why_not(int err)
{
	switch (err) {
	case -ENOTSUPP:
	case -EOPNOTSUPP:
	case -ENOEXEC:
		return "the instruction there cannot be probed";
	case -EINVAL:
		return "no instruction begins there, or another tracer uses another semaphore";
	case -EIO:
		return "the file system cannot be probed";
	}
	return NULL;
}

static int uprobe_attach_refuse(const struct ktap_upoint *u, int err)
{
	return ktap_attach_error(&u->point, err);
}

static int uprobe_attach_attach_places(struct ktap_upoint *u)
{
	unsigned int i, attached = 0;
	int err, last = 0;

	for (i = 0; i < u->nplaces; i++) {
		err = ktap_unloads(u->point.probe->session) ? -EINTR :
		      uprobe_attach_register_place(&u->places[i]);
		if (err && (u->exact || !uprobe_attach_why_not(err)))
			return uprobe_attach_refuse(u, err);
		if (err)
			last = err;
		else
			attached++;
		cond_resched();
	}
	if (!attached)
		return uprobe_attach_refuse(u, last);
	u->skipped += u->nplaces - attached;
	/* All places were counted when the point was attached; the difference may be negative. */
	ktap_session_attached(u->point.probe->session, attached - u->point.nevents);
	ktap_point_events(&u->point, attached);
	if (u->skipped)
		ktap_output_note(&u->point.probe->session->output,
				 "skipped %u places of '%s' that cannot be probed", u->skipped,
				 u->point.probe->event);
	return 0;
}

static struct ktap_upoint *uprobe_attach_upoint_of(const struct ktap_point *point)
{
	return container_of(point, struct ktap_upoint, point);
}

/* The last probe first: see DOC above. */
static int uprobe_attach_all(struct ktap_session *s)
{
	struct ktap_point *point;
	int err;

	list_for_each_entry_reverse(point, &s->points, list) {
		if (point->source != &ktap_uprobe_source)
			continue;
		err = uprobe_attach_attach_places(uprobe_attach_upoint_of(point));
		if (err)
			return err;
	}
	return 0;
}

static void uprobe_detach_all(struct ktap_session *s)
{
	struct ktap_point *point;
	struct ktap_upoint *u;
	unsigned int i;

	list_for_each_entry(point, &s->points, list) {
		if (point->source != &ktap_uprobe_source)
			continue;
		u = uprobe_attach_upoint_of(point);
		for (i = 0; i < u->nplaces; i++) {
			uprobe_attach_unregister_place(&u->places[i]);
			cond_resched();
		}
	}
}

/* Wait once for all of them. */
static void uprobe_sync(struct ktap_session *s)
{
	struct ktap_point *point;
	bool touched = false;

	list_for_each_entry(point, &s->points, list) {
		if (point->source != &ktap_uprobe_source)
			continue;
		touched |= uprobe_attach_upoint_of(point)->touched;
		uprobe_attach_upoint_of(point)->touched = false;
	}
	if (touched)
		uprobe_unregister_sync();
}

static unsigned long uprobe_missed(const struct ktap_point *point)
{
	return atomic_long_read(&uprobe_attach_upoint_of(point)->missed);
}

static void uprobe_release(struct ktap_point *point)
{
	struct ktap_upoint *u = uprobe_attach_upoint_of(point);
	unsigned int i;

	for (i = 0; i < u->nfiles; i++)
		path_put(&u->files[i]);
	kvfree(u->files);
	kvfree(u->places);
	kvfree(u->keeps);
	kvfree(u->returning);
	kfree(u->own);
	kfree(u->fields);
	kfree(u);
}

static const char *uprobe_advice(const struct ktap_point *point)
{
	if (uprobe_attach_upoint_of(point)->marker)
		return "arguments of a marker have no names, arg0 is the first one";
	return "no debug information has an argument of this name, arg0 is the first argument";
}

const struct ktap_source ktap_uprobe_source = {
	.name = "uprobe",
	.attach_all = uprobe_attach_all,
	.refused = "no breakpoint can be set there",
	.why = uprobe_attach_why_not,
	.has = ktap_user_has,
	.advice = uprobe_advice,
	.missed = uprobe_missed,
	.detach_all = uprobe_detach_all,
	.sync = uprobe_sync,
	.release = uprobe_release,
};

/* Memory for arguments that are kept. */
static bool uprobe_attach_init_places(struct ktap_upoint *u)
{
	unsigned int each = u->nkept ? u->nkept - 1 : 0, i;
	size_t bytes = sizeof(*u->places) + each * sizeof(*u->keeps) + UPROBE_KERNEL_BYTES;

	if (each)
		u->nreturning = max(MIN_RETURNS, nr_cpu_ids * RETURNS_PER_CPU);
	if (ktap_probe_charge(u->point.probe, u->nplaces * bytes +
			      u->nreturning * sizeof(*u->returning)))
		return false;
	if (each) {
		u->returning = kvcalloc(u->nreturning, sizeof(*u->returning), KTAP_GFP);
		u->keeps = kvcalloc(u->nplaces, array_size(each, sizeof(*u->keeps)),
				    KTAP_GFP);
		if (!u->returning || !u->keeps)
			return false;
	}
	for (i = 0; i < u->nplaces; i++)
		uprobe_attach_init_place(&u->places[i], each ? u->keeps + i * each : NULL);
	return true;
}

/* The whole event is known: see ktap_user_find(). */
int ktap_parse_user(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	struct ktap_upoint *u;
	int err;

	/* As perf has it. */
	if (!probe->session->programs)
		return ktap_vm_error(vm, -EPERM,
				     "'%s': CAP_PERFMON is needed to trace programs%s",
				     probe->event,
				     probe->session->perfmon ? ", by signed scripts, too" : "");
	u = kzalloc_obj(*u, KTAP_GFP);
	if (!u)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	ktap_point_init(&u->point, probe, &ktap_uprobe_source, probe->event);
	err = ktap_user_find(vm, u);
	if (err)
		return err;
	if (ktap_user_init(u, vm->env->prog) || !uprobe_attach_init_places(u))
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	ktap_point_events(&u->point, u->nplaces);
	return 0;
}
