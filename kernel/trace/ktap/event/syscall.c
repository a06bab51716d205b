// SPDX-License-Identifier: GPL-2.0
/*
 * System calls.
 *
 * trace_syscalls.c has one slot for each trace instance and system call, which
 * belongs to the users of tracefs.  So a session registers its own functions with
 * sys_enter and sys_exit, and finds its points in a table by number.  It makes the
 * values that the event records from the registers, but only those that a script
 * reads (syscall_event.c).
 *
 * 32-bit programs may have their own numbers for the same system calls.  These are
 * mapped to the event of the same name (syscall_compat.c); calls without an event
 * are counted.
 */
#include <linux/bitmap.h>
#include <linux/cleanup.h>
#include <linux/glob.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>

#include <asm/syscall.h>
#include <trace/events/syscalls.h>
#include <trace/syscall.h>

#include "../../trace.h"
#include "data/suggest.h"
#include "event/fire.h"
#include "event/source.h"
#include "event/syscall.h"
#include "event/syscall_compat.h"
#include "event/syscall_user.h"
#include "session.h"

/* Entries of the table by number: a power of two, so that a mask bounds an index */
#define SC_CALLS	(1U << (const_ilog2(NR_syscalls - 1) + 1))

/* Entries and exits of system calls of 32-bit programs */
#define SYSCALL_UNKNOWN	(2 * KTAP_NR_COMPAT)

/**
 * struct ktap_syscalls - the system calls of a session
 * @session: the session
 * @npoints: number of points in @points, of exits (0) and entries (1)
 * @nadded: number of points that the session has
 * @reads_user: any of these has SC_NEEDS_USER
 * @has_buffers: it uses syscall_buffers
 * @probe: the probe for which @follows was computed last
 * @follows: its handlers may read the memory that arguments point to
 * @unknown: calls of 32-bit programs that match the events of attached probes, but have no
 *	trace event, see syscall_unknown_bit()
 * @entering: ktap_sys_enter() is registered
 * @exiting: ktap_sys_exit() is registered
 * @needs: by exit (0) or entry (1), by number: &ktap_syscall.needs_all
 * @points: likewise: the first attached point of the event
 *
 * Points are attached and detached while events happen.  Handlers find a list that has the
 * point or not.  A point that has been detached still leads to those after it, and is
 * attached again after a grace period only.
 */
struct ktap_syscalls {
	struct ktap_session *session;
	unsigned int npoints[2];
	unsigned int nadded;
	bool reads_user;
	bool has_buffers;
	const struct ktap_probe *probe;
	bool follows;
	DECLARE_BITMAP(unknown, SYSCALL_UNKNOWN);
	bool entering;
	bool exiting;
	u8 needs[2][SC_CALLS];
	struct ktap_syscall *points[2][SC_CALLS];
};

/**
 * struct sc_abi - how a 32-bit program has made the current system call
 * @compat: it has the number of a 32-bit program
 * @args_differ: its arguments are not those of the event
 */
struct sc_abi {
	bool compat;
	bool args_differ;
};

/*
 * User data, for each CPU.  All sessions share them: one that another task has overwritten
 * is read again (trace_user_fault_read()).
 */
static struct trace_user_buf_info syscall_buffers;

/* Number of sessions that use them: &trace_user_buf_info.ref is 1 after a failed init, too. */
static unsigned int syscall_buffers_users;
static DEFINE_MUTEX(syscall_buffers_lock);

/* The bit of an unknown call in &ktap_syscalls.unknown and &ktap_syscall.unknown */
static unsigned int syscall_unknown_bit(bool enter, unsigned int nr)
{
	return enter * KTAP_NR_COMPAT + nr;
}

static void syscall_count_unknown(struct ktap_syscalls *scs, unsigned int nr, bool enter)
{
	if (nr < KTAP_NR_COMPAT && test_bit(syscall_unknown_bit(enter, nr), scs->unknown) &&
	    ktap_delivers(scs->session))
		atomic_long_inc(&scs->session->env.counters.unknown_calls);
}

#ifdef CONFIG_X86_X32_ABI
#define FIRST_X32	__NR_x32_rt_sigaction
#define X32(name) \
	[__NR_x32_##name - FIRST_X32] = __NR_##name

/* System calls that have another number in x32 programs than in 64-bit programs */
static const u16 x32_calls[] = {
	X32(rt_sigaction), X32(rt_sigreturn), X32(ioctl), X32(readv), X32(writev),
	X32(recvfrom), X32(sendmsg), X32(recvmsg), X32(execve), X32(ptrace),
	X32(rt_sigpending), X32(rt_sigtimedwait), X32(rt_sigqueueinfo), X32(sigaltstack),
	X32(timer_create), X32(mq_notify), X32(kexec_load), X32(waitid),
	X32(set_robust_list), X32(get_robust_list), X32(vmsplice), X32(move_pages),
	X32(preadv), X32(pwritev), X32(rt_tgsigqueueinfo), X32(recvmmsg), X32(sendmmsg),
	X32(process_vm_readv), X32(process_vm_writev), X32(setsockopt), X32(getsockopt),
	X32(io_setup), X32(io_submit), X32(execveat), X32(preadv2), X32(pwritev2),
};

static_assert(FIRST_X32 + ARRAY_SIZE(x32_calls) == X32_NR_syscalls);

static u32 syscall_nr_of_x32(u32 nr)
{
	u32 n = nr - FIRST_X32;

	return ktap_index(&n, ARRAY_SIZE(x32_calls)) ? x32_calls[n] : nr;
}
#else
static u32 syscall_nr_of_x32(u32 nr)
{
	return nr;
}
#endif

static void syscall_count_x32(struct ktap_syscalls *scs, u32 x32, bool enter)
{
	u32 nr = syscall_nr_of_x32(x32);

	if (ktap_index(&nr, NR_syscalls) && READ_ONCE(scs->points[enter][nr]) &&
	    ktap_delivers(scs->session))
		atomic_long_inc(&scs->session->env.counters.unknown_calls);
}

/* The first point that waits for a call by its 64-bit number, or NULL */
static __always_inline struct ktap_syscall *syscall_first(const struct ktap_syscalls *scs, u32 nr,
							  bool enter)
{
	return ktap_index(&nr, NR_syscalls) ? READ_ONCE(scs->points[enter][nr]) : NULL;
}

/* The same for a number below SC_CALLS, with fewer instructions than ktap_index() */
static __always_inline struct ktap_syscall *syscall_first_low(const struct ktap_syscalls *scs,
							      u32 nr, bool enter)
{
	/* The CPU may speculate that another number is below SC_CALLS. */
	OPTIMIZER_HIDE_VAR(nr);
	return READ_ONCE(scs->points[enter][nr & (SC_CALLS - 1)]);
}

/* May an event of the table be the one of the current call? */
static __always_inline bool syscall_is_native(struct pt_regs *regs, u32 nr)
{
	return likely(nr < SC_CALLS && !ktap_is_compat_low(regs));
}

/* Does the current call have a number of another ABI than that of the events? */
static bool syscall_is_foreign(struct pt_regs *regs, int nr)
{
	return ktap_x32_call(nr) >= 0 || ktap_is_compat(regs);
}

/* Translate a foreign number.  Count the call if it has no event. */
static struct ktap_syscall *syscall_first_foreign(struct ktap_syscalls *scs, struct pt_regs *regs,
						  int nr, bool enter, struct sc_abi *abi)
{
	struct ktap_compat_call call;
	int x32 = ktap_x32_call(nr);

	/* No system call has this number: there is no event either. */
	if (!syscall_is_foreign(regs, nr))
		return NULL;
	/* First x32: ktap_is_compat() is true for these, too. */
	if (x32 >= 0) {
		syscall_count_x32(scs, x32, enter);
		return NULL;
	}
	call = ktap_compat_call(nr);
	if (call.nr < 0) {
		syscall_count_unknown(scs, nr, enter);
		return NULL;
	}
	*abi = (struct sc_abi){ true, call.args_differ };
	return syscall_first(scs, call.nr, enter);
}

static void syscall_get_args(struct pt_regs *regs, bool compat, unsigned long *args)
{
	unsigned int i;

	syscall_get_arguments(current, regs, args);
	/* The upper halves of the registers are undefined. */
	for (i = 0; i < KTAP_SYSCALL_ARGS && unlikely(compat); i++)
		args[i] = (u32)args[i];
}

/* Deliver an event to @sc and all points after it.  The rest of @e is set. */
static __always_inline void syscall_fire(struct sc_event *e, struct ktap_syscall *sc)
{
	ktap_note_here(&e->hit.here);
	guard(preempt_notrace)();
	do {
		e->hit.point = &sc->point;
		ktap_fire(&e->hit);
		sc = READ_ONCE(sc->next);
	} while (sc);
}

/* Deliver an event to its only point. */
static __always_inline void syscall_fire_alone(struct ktap_hit *hit, struct ktap_syscall *sc)
{
	struct ktap_probe *probe = sc->point.probe;

	ktap_note_here(&hit->here);
	hit->point = &sc->point;
	guard(preempt_notrace)();
	ktap_fire_inline(hit, probe);
}

static noinline void syscall_enter_plain(struct ktap_syscall *sc)
{
	/* All members are set. */
	struct ktap_hit hit __uninitialized;

	hit.ev.ops = &ktap_syscall_plain_ops;
	syscall_fire_alone(&hit, sc);
}
NOKPROBE_SYMBOL(syscall_enter_plain);

static noinline void syscall_fire_entry(struct ktap_syscall *first, bool compat,
					const unsigned long *args,
					const struct ktap_user_data *user)
{
	/* All members that ktap_syscall_entry_ops reads are set. */
	struct sc_event e __uninitialized;

	e.hit.ev.ops = &ktap_syscall_entry_ops;
	e.compat = compat;
	e.args = args;
	e.user = user;
	syscall_fire(&e, first);
}
NOKPROBE_SYMBOL(syscall_fire_entry);

static noinline void syscall_exit_plain(struct ktap_syscall *sc, long ret)
{
	/* All members that ktap_syscall_exit_ops reads are set. */
	struct sc_event e __uninitialized;

	e.hit.ev.ops = &ktap_syscall_exit_ops;
	e.compat = false;
	e.ret = ret;
	syscall_fire_alone(&e.hit, sc);
}
NOKPROBE_SYMBOL(syscall_exit_plain);

static noinline void syscall_exit(struct ktap_syscall *first, bool compat, long ret)
{
	/* The same as in syscall_exit_plain() */
	struct sc_event e __uninitialized;

	e.hit.ev.ops = &ktap_syscall_exit_ops;
	e.compat = compat;
	e.ret = ret;
	syscall_fire(&e, first);
}
NOKPROBE_SYMBOL(syscall_exit);

/*
 * For points that read user data: copy it, or fault in the memory that handlers may read,
 * unless no handler would run.
 */
static noinline void syscall_fire_reading(struct ktap_syscalls *scs, struct ktap_syscall *first,
					  bool compat, const unsigned long *args)
{
	/* Large; ktap_user_read() sets most, and members of the first @n arguments only. */
	struct ktap_user_data user __uninitialized;

	user.n = 0;
	if (!ktap_delivers(scs->session))
		return;
	user.began = jiffies;
	if (first->needs_all & SC_NEEDS_MEMORY)
		ktap_user_bring_in(first->meta, &first->user, args, user.began);

	guard(preempt_notrace)();
	if (first->needs_all & SC_NEEDS_USER)
		ktap_user_read(&syscall_buffers, &scs->session->env.counters, first->meta,
			       &first->user, args, &user);
	syscall_fire_entry(first, compat, args, &user);
}
NOKPROBE_SYMBOL(syscall_fire_reading);

static noinline void syscall_enter(struct ktap_syscalls *scs, struct pt_regs *regs,
				   struct ktap_syscall *first, bool compat)
{
	/* syscall_get_args() sets all of them. */
	unsigned long args[KTAP_SYSCALL_ARGS] __uninitialized;

	if (!(first->needs_all & ~SC_NEEDS_LOOP)) {
		syscall_fire_entry(first, compat, NULL, &ktap_syscall_no_user);
		return;
	}
	syscall_get_args(regs, compat, args);
	if (first->needs_all & (SC_NEEDS_USER | SC_NEEDS_MEMORY))
		syscall_fire_reading(scs, first, compat, args);
	else
		syscall_fire_entry(first, compat, args, &ktap_syscall_no_user);
}
NOKPROBE_SYMBOL(syscall_enter);

static noinline void syscall_enter_foreign(struct ktap_syscalls *scs, struct pt_regs *regs, int nr)
{
	struct ktap_syscall *first;
	struct sc_abi abi;

	first = syscall_first_foreign(scs, regs, nr, true, &abi);
	if (first && abi.args_differ)
		syscall_fire_entry(first, abi.compat, NULL, &ktap_syscall_no_user);
	else if (first)
		syscall_enter(scs, regs, first, abi.compat);
}
NOKPROBE_SYMBOL(syscall_enter_foreign);

static noinline void syscall_exit_foreign(struct ktap_syscalls *scs, struct pt_regs *regs,
					  long ret, int nr)
{
	struct ktap_syscall *first;
	struct sc_abi abi;

	first = syscall_first_foreign(scs, regs, nr, false, &abi);
	if (first)
		syscall_exit(first, abi.compat, ret);
}
NOKPROBE_SYMBOL(syscall_exit_foreign);

/*
 * Called at each system call of all processes, most of which nobody waits for: so the
 * look-up is inline and needs no stack.  Most of the others have one point, which reads no
 * argument.
 */
static void ktap_sys_enter(void *data, struct pt_regs *regs, long id)
{
	int nr = syscall_get_nr(current, regs);
	struct ktap_syscalls *scs = data;
	struct ktap_syscall *first;

	if (syscall_is_native(regs, nr)) {
		first = syscall_first_low(scs, nr, true);
		if (first && likely(!first->needs_all))
			syscall_enter_plain(first);
		else if (first)
			syscall_enter(scs, regs, first, false);
	} else {
		syscall_enter_foreign(scs, regs, nr);
	}
	/* The stack of the event begins above this function: make no tail call. */
	barrier();
}
NOKPROBE_SYMBOL(ktap_sys_enter);

static void ktap_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	int nr = syscall_get_nr(current, regs);
	struct ktap_syscalls *scs = data;
	struct ktap_syscall *first;

	if (syscall_is_native(regs, nr)) {
		first = syscall_first_low(scs, nr, false);
		if (first && likely(!first->needs_all))
			syscall_exit_plain(first, ret);
		else if (first)
			syscall_exit(first, false, ret);
	} else {
		syscall_exit_foreign(scs, regs, ret, nr);
	}
	barrier();
}
NOKPROBE_SYMBOL(ktap_sys_exit);

/* "sys_enter_*" of "tp:syscalls:sys_enter_*" */
static const char *syscall_event_pattern(const char *event)
{
	const char *colon;

	if (strstarts(event, "tp:") || strstarts(event, "tracepoint:"))
		event = strchr(event, ':') + 1;
	colon = strchr(event, ':');
	return colon && colon[1] ? colon + 1 : "*";
}

/* Mark calls of 32-bit programs that would match the probe if they had an event. */
static void syscall_match_unknown(const struct ktap_probe *probe, unsigned long *unknown)
{
	static const char * const prefixes[] = { "sys_exit_", "sys_enter_" };
	const char *pattern = syscall_event_pattern(probe->event), *name;
	char event[KSYM_NAME_LEN];
	unsigned int nr, i;

	for (nr = 0; nr < KTAP_NR_COMPAT; nr++) {
		name = ktap_compat_call(nr).nr < 0 ? ktap_compat_name(nr) : NULL;
		for (i = 0; i < ARRAY_SIZE(prefixes) && name; i++) {
			snprintf(event, sizeof(event), "%s%s", prefixes[i], name);
			if (glob_match(pattern, event))
				__set_bit(syscall_unknown_bit(i, nr), unknown);
		}
	}
}

/*
 * All points of a probe are added in a row: compute once for each probe what they share.  The
 * first of them has &ktap_syscall.unknown.
 */
static int syscall_look_at(struct ktap_syscalls *scs, struct ktap_probe *probe,
			   struct ktap_syscall *sc)
{
	if (scs->probe == probe)
		return 0;
	if (SYSCALL_UNKNOWN) {
		if (ktap_probe_charge(probe, BITS_TO_BYTES(SYSCALL_UNKNOWN)))
			return -ENOMEM;
		sc->unknown = bitmap_zalloc(SYSCALL_UNKNOWN, KTAP_GFP);
		if (!sc->unknown)
			return -ENOMEM;
		syscall_match_unknown(probe, sc->unknown);
	}
	scs->follows = ktap_probe_reaches(probe, ktap_follows_addresses, NULL);
	scs->probe = probe;
	return 0;
}

/*
 * Return the number of arguments before the first 64-bit one on a 32-bit machine.
 * It takes two registers, but trace_syscalls.c assumes one: this argument and all
 * after it are wrong in the event.
 */
static int syscall_known_args(const struct syscall_metadata *meta)
{
	static const char * const wide[] = { "loff_t", "u64", "__u64" };
	int n;

	for (n = 0; n < meta->nb_args; n++) {
		if (!IS_ENABLED(CONFIG_64BIT) &&
		    match_string(wide, ARRAY_SIZE(wide), meta->types[n]) >= 0)
			break;
	}
	return n;
}

/* Without CAP_PERFMON a script gets no more user data than perf gets. */
static struct ktap_user_args syscall_user_args(const struct ktap_session *s,
					       const struct syscall_metadata *meta)
{
	struct ktap_user_args user = ktap_user_args(meta);

	user.size = KTAP_USER_SIZE;
	if (!s->perfmon) {
		user.mask = user.recorded;
		user.size = CONFIG_TRACE_SYSCALL_BUF_SIZE_DEFAULT;
	}
	return user;
}

bool ktap_is_syscall(const struct trace_event_call *call)
{
	return call->class == &event_class_syscall_enter ||
	       call->class == &event_class_syscall_exit;
}

/* Handlers of the points that are attached must find what the others need, too. */
static void syscall_add_needs(struct ktap_syscalls *scs, struct ktap_syscall *sc)
{
	u8 *needs = &scs->needs[sc->enter][sc->meta->syscall_nr];

	sc->nth = scs->nadded++;
	/* SC_NEEDS_FIRST has no effect, except that the next point finds it. */
	*needs |= sc->needs | (*needs ? SC_NEEDS_LOOP : SC_NEEDS_FIRST);
	scs->reads_user |= sc->needs & SC_NEEDS_USER;
}

int ktap_syscall_add(struct ktap_probe *probe, struct trace_event_call *call)
{
	struct ktap_session *s = probe->session;
	const struct ktap_program *prog = s->env.prog;
	struct ktap_syscall *sc;

	if (!s->syscalls)
		s->syscalls = kvzalloc_obj(*s->syscalls, KTAP_GFP);
	if (!s->syscalls)
		return -ENOMEM;
	s->syscalls->session = s;
	if (ktap_probe_charge(probe, struct_size(sc, refs, prog->nfields)))
		return -ENOMEM;
	sc = kzalloc_flex(*sc, refs, prog->nfields, KTAP_GFP);
	if (!sc || syscall_look_at(s->syscalls, probe, sc)) {
		kfree(sc);
		return -ENOMEM;
	}

	sc->call = call;
	sc->meta = call->data;
	sc->nargs = syscall_known_args(sc->meta);
	sc->user = syscall_user_args(s, sc->meta);
	sc->user.mask &= BIT(sc->nargs) - 1;
	sc->enter = call->class == &event_class_syscall_enter;
	ktap_point_init(&sc->point, probe, &ktap_syscall_source, trace_event_name(call));
	ktap_syscall_find_refs(sc, prog);
	if (sc->enter && s->syscalls->follows)
		sc->needs |= SC_NEEDS_MEMORY;
	syscall_add_needs(s->syscalls, sc);
	return 0;
}

/* The link of the event's list that leads to the point, or would if it were attached */
static struct ktap_syscall **syscall_link_of(struct ktap_syscalls *scs,
					     const struct ktap_syscall *sc)
{
	struct ktap_syscall **p = &scs->points[sc->enter][sc->meta->syscall_nr];

	while (*p && (*p)->nth < sc->nth)
		p = &(*p)->next;
	return p;
}

/*
 * Probes of one system call run in the order of the script.  If none was attached, no event
 * is delivered before attach_all().
 */
static int syscall_attach(struct ktap_point *point)
{
	struct ktap_syscall *sc = container_of(point, struct ktap_syscall, point);
	struct ktap_syscalls *scs = point->probe->session->syscalls;
	struct ktap_syscall **p = syscall_link_of(scs, sc);
	unsigned long entry;

	lockdep_assert_held(&point->probe->session->lock);
	sc->needs_all = scs->needs[sc->enter][sc->meta->syscall_nr] & ~SC_NEEDS_FIRST;
	WRITE_ONCE(sc->next, *p);
	entry = sc->enter ? (unsigned long)ktap_sys_enter : (unsigned long)ktap_sys_exit;
	if (kallsyms_lookup_size_offset(entry, &point->entry_size, NULL))
		point->entry = entry;
	/* Handlers that find the point see its members. */
	smp_store_release(p, sc);
	scs->npoints[sc->enter]++;
	return 0;
}

/* Handlers that run later still go from the point to those after it. */
static void syscall_detach(struct ktap_point *point)
{
	struct ktap_syscall *sc = container_of(point, struct ktap_syscall, point);
	struct ktap_syscalls *scs = point->probe->session->syscalls;

	lockdep_assert_held(&point->probe->session->lock);
	WRITE_ONCE(*syscall_link_of(scs, sc), sc->next);
	scs->npoints[sc->enter]--;
}

/*
 * After points were attached or detached.  All points of a probe are attached, or none, so the
 * one that has the bits of its probe tells whether they count.
 */
static void syscall_mark_unknown(struct ktap_session *s)
{
	DECLARE_BITMAP(all, SYSCALL_UNKNOWN) = { };
	const struct ktap_syscall *sc;
	const struct ktap_point *point;
	unsigned int i;

	list_for_each_entry(point, &s->points, list) {
		if (point->source != &ktap_syscall_source || !point->attached)
			continue;
		sc = container_of(point, struct ktap_syscall, point);
		if (sc->unknown)
			bitmap_or(all, all, sc->unknown, SYSCALL_UNKNOWN);
	}
	/* Handlers of other probes read them meanwhile. */
	for (i = 0; i < ARRAY_SIZE(all); i++)
		WRITE_ONCE(s->syscalls->unknown[i], all[i]);
}

static int syscall_buffers_get(void)
{
	int err;

	guard(mutex)(&syscall_buffers_lock);
	if (!syscall_buffers_users) {
		err = trace_user_fault_init(&syscall_buffers, KTAP_MAX_USER * KTAP_USER_SIZE);
		if (err)
			return err;
	}
	syscall_buffers_users++;
	return 0;
}

/* No handler of the session runs any more. */
static void syscall_buffers_put(void)
{
	guard(mutex)(&syscall_buffers_lock);
	if (!--syscall_buffers_users)
		trace_user_fault_destroy(&syscall_buffers);
}

static int syscall_attach_all(struct ktap_session *s)
{
	struct ktap_syscalls *scs = s->syscalls;
	int err;

	if (!scs)
		return 0;
	/* Points that are attached later find the buffers. */
	if (scs->reads_user && !scs->has_buffers) {
		err = syscall_buffers_get();
		if (err)
			return err;
		scs->has_buffers = true;
	}

	syscall_mark_unknown(s);
	if (scs->npoints[true] && !scs->entering) {
		err = register_trace_sys_enter(ktap_sys_enter, scs);
		if (err)
			return err;
		scs->entering = true;
	}
	if (scs->npoints[false] && !scs->exiting) {
		err = register_trace_sys_exit(ktap_sys_exit, scs);
		if (err)
			return err;
		scs->exiting = true;
	}
	return 0;
}

static void syscall_detach_all(struct ktap_session *s)
{
	struct ktap_syscalls *scs = s->syscalls;

	if (!scs)
		return;
	if (scs->entering && !scs->npoints[true]) {
		unregister_trace_sys_enter(ktap_sys_enter, scs);
		scs->entering = false;
	}
	if (scs->exiting && !scs->npoints[false]) {
		unregister_trace_sys_exit(ktap_sys_exit, scs);
		scs->exiting = false;
	}
}

static const struct ktap_syscall *syscall_of(const struct ktap_point *point)
{
	return container_of(point, struct ktap_syscall, point);
}

static bool syscall_has(const struct ktap_point *point, enum ktap_part part, u32 n)
{
	const struct ktap_program *prog = point->probe->session->env.prog;
	const struct ktap_syscall *sc = syscall_of(point);

	switch (part) {
	case KTAP_PART_FIELD:
		/* On 32-bit machines some arguments of the event are nil, but exist. */
		return sc->refs[n].kind != SC_NONE ||
		       (sc->enter && match_string(sc->meta->args, sc->meta->nb_args,
						  prog->fields[n]->blob) >= 0);
	case KTAP_PART_ARG:
		return n < (sc->enter ? sc->meta->nb_args : 1);
	case KTAP_PART_RETVAL:
		return !sc->enter;
	case KTAP_PART_REGISTERS:
		break;
	}
	return false;
}

static void syscall_near(const struct ktap_point *point, struct ktap_suggest *near)
{
	const struct ktap_syscall *sc = syscall_of(point);
	int i;

	for (i = 0; i < sc->meta->nb_args && sc->enter; i++)
		ktap_suggest_look(near, sc->meta->args[i]);
	if (!sc->enter)
		ktap_suggest_look(near, "ret");
}

static void syscall_release(struct ktap_point *point)
{
	struct ktap_syscall *sc = container_of(point, struct ktap_syscall, point);
	struct ktap_syscalls *scs = point->probe->session->syscalls;

	/* The probe is freed: another one may get its address. */
	if (scs->probe == point->probe)
		scs->probe = NULL;
	bitmap_free(sc->unknown);
	kfree(sc);
}

static void syscall_release_all(struct ktap_session *s)
{
	struct ktap_syscalls *scs = s->syscalls;

	if (!scs)
		return;
	if (scs->has_buffers)
		syscall_buffers_put();
	kvfree(scs);
	s->syscalls = NULL;
}

const struct ktap_source ktap_syscall_source = {
	.name = "syscall",
	.switches = true,
	.attach = syscall_attach,
	.refused = "tracing of system calls cannot be switched on",
	.has = syscall_has,
	.near = syscall_near,
	.detach = syscall_detach,
	.attach_all = syscall_attach_all,
	.detach_all = syscall_detach_all,
	.release = syscall_release,
	.release_all = syscall_release_all,
};
