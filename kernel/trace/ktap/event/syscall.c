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
#include <linux/cleanup.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>

#include <asm/syscall.h>
#include <trace/events/syscalls.h>
#include <trace/syscall.h>

#include "../../trace.h"
#include "data/suggest.h"
#include "event/source.h"
#include "event/syscall.h"
#include "event/syscall_compat.h"
#include "event/syscall_user.h"
#include "session.h"

/**
 * struct ktap_syscalls - the system calls of a session
 * @session: the session
 * @enter: by number: the points of the entry
 * @exit: by number: the points of the exit
 * @nenter: number of points in @enter
 * @nexit: number of points in @exit
 * @reads_user: &ktap_syscall.reads_user of any point
 * @probe: the probe for which @follows was computed last
 * @follows: &ktap_syscall.follows of that probe
 * @marked: the probe whose unknown calls were marked last
 * @unknown: calls of 32-bit programs that match the events of probes, but have no
 *	trace event: by exit (0) or entry (1), by number
 * @entering: ktap_sys_enter() is registered
 * @exiting: ktap_sys_exit() is registered
 * @buffers: per CPU, for user data
 */
struct ktap_syscalls {
	struct ktap_session *session;
	struct ktap_syscall **enter;
	struct ktap_syscall **exit;
	unsigned int nenter;
	unsigned int nexit;
	bool reads_user;
	const struct ktap_probe *probe;
	bool follows;
	const struct ktap_probe *marked;
	DECLARE_BITMAP(unknown[2], KTAP_NR_COMPAT);
	bool entering;
	bool exiting;
	struct trace_user_buf_info buffers;
};

/* The current system call; @nr is that of the event, negative if it has no event. */
struct sc_call {
	int nr;
	bool compat;
	bool args_differ;
};

static void syscall_count_unknown(struct ktap_syscalls *scs, unsigned int nr, bool enter)
{
	if (nr < KTAP_NR_COMPAT && test_bit(nr, scs->unknown[enter]) &&
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
	struct ktap_syscall **waiting = enter ? scs->enter : scs->exit;
	u32 nr = syscall_nr_of_x32(x32);

	if (ktap_index(&nr, NR_syscalls) && waiting[nr] && ktap_delivers(scs->session))
		atomic_long_inc(&scs->session->env.counters.unknown_calls);
}

static __always_inline struct sc_call syscall_get_call(struct ktap_syscalls *scs,
						       struct pt_regs *regs, bool enter)
{
	struct sc_call call = { .nr = syscall_get_nr(current, regs) };
	struct ktap_compat_call compat;
	int x32 = ktap_x32_call(call.nr);

	/* First x32: ktap_is_compat() is true for these, too. */
	if (x32 >= 0) {
		syscall_count_x32(scs, x32, enter);
	} else if (ktap_is_compat(regs)) {
		compat = ktap_compat_call(call.nr);
		if (compat.nr < 0)
			syscall_count_unknown(scs, call.nr, enter);
		call = (struct sc_call){ compat.nr, true, compat.args_differ };
	}
	if (call.nr < 0 || call.nr >= NR_syscalls)
		call.nr = -1;
	else
		call.nr = array_index_nospec(call.nr, NR_syscalls);
	return call;
}

static void syscall_get_args(const struct sc_call *call, struct pt_regs *regs, unsigned long *args)
{
	unsigned int i;

	syscall_get_arguments(current, regs, args);
	/* The upper halves of the registers are undefined. */
	for (i = 0; i < KTAP_SYSCALL_ARGS && call->compat; i++)
		args[i] = (u32)args[i];
}

/*
 * If a point needs user data: return false if no handler would run, or else fault in
 * the memory that handlers may read.
 */
static bool syscall_prepare_enter(struct ktap_syscalls *scs, const struct ktap_syscall *first,
				  const unsigned long *args, bool *reads_user)
{
	const struct ktap_syscall *sc;
	bool follows = false;

	*reads_user = false;
	for (sc = first; sc && args; sc = sc->next) {
		*reads_user |= sc->reads_user;
		follows |= sc->follows;
	}
	if ((*reads_user || follows) && !ktap_delivers(scs->session))
		return false;
	if (follows)
		ktap_user_bring_in(first->meta, &first->user, args);
	return true;
}

static void ktap_sys_enter(void *data, struct pt_regs *regs, long id)
{
	struct ktap_syscalls *scs = data;
	const struct sc_call call = syscall_get_call(scs, regs, true);
	struct ktap_user_data user = { .n = 0 };
	unsigned long regs_args[KTAP_SYSCALL_ARGS], *args = NULL;
	struct ktap_syscall *first, *sc;
	bool reads_user;

	first = call.nr < 0 ? NULL : scs->enter[call.nr];
	if (!first)
		return;

	if (!call.args_differ) {
		syscall_get_args(&call, regs, regs_args);
		args = regs_args;
	}
	if (!syscall_prepare_enter(scs, first, args, &reads_user))
		return;

	guard(preempt_notrace)();
	if (reads_user)
		ktap_user_read(&scs->buffers, &scs->session->env.counters, first->meta,
			       &first->user, args, &user);
	for (sc = first; sc; sc = sc->next) {
		const struct sc_event e = {
			.hit.ev.ops = &ktap_syscall_ops,
			.hit.point = &sc->point,
			.sc = sc,
			.compat = call.compat,
			.args = args,
			.user = &user,
		};

		ktap_fire(&e.hit);
	}
}
NOKPROBE_SYMBOL(ktap_sys_enter);

static void ktap_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	struct ktap_syscalls *scs = data;
	const struct sc_call call = syscall_get_call(scs, regs, false);
	struct ktap_syscall *sc;

	if (call.nr < 0)
		return;

	guard(preempt_notrace)();
	for (sc = scs->exit[call.nr]; sc; sc = sc->next) {
		const struct sc_event e = {
			.hit.ev.ops = &ktap_syscall_ops,
			.hit.point = &sc->point,
			.sc = sc,
			.compat = call.compat,
			.ret = ret,
		};

		ktap_fire(&e.hit);
	}
}
NOKPROBE_SYMBOL(ktap_sys_exit);

/* All points of a probe are added in a row: compute it once for each probe. */
static bool syscall_probe_follows(struct ktap_syscalls *scs, const struct ktap_probe *probe)
{
	if (scs->probe != probe)
		scs->follows = ktap_probe_reaches(probe, ktap_follows_addresses, NULL);
	scs->probe = probe;
	return scs->follows;
}

static struct ktap_syscalls *syscall_alloc(struct ktap_session *s)
{
	struct ktap_syscalls *scs = kzalloc_obj(*scs, KTAP_GFP);

	if (!scs)
		return NULL;
	scs->session = s;
	scs->enter = kvcalloc(NR_syscalls, sizeof(*scs->enter), KTAP_GFP);
	scs->exit = kvcalloc(NR_syscalls, sizeof(*scs->exit), KTAP_GFP);
	if (scs->enter && scs->exit)
		return scs;
	kvfree(scs->enter);
	kvfree(scs->exit);
	kfree(scs);
	return NULL;
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

int ktap_syscall_add(struct ktap_probe *probe, struct trace_event_call *call)
{
	struct ktap_session *s = probe->session;
	const struct ktap_program *prog = s->env.prog;
	struct ktap_syscall *sc;

	if (!s->syscalls)
		s->syscalls = syscall_alloc(s);
	if (!s->syscalls)
		return -ENOMEM;
	if (ktap_probe_charge(probe, struct_size(sc, refs, prog->nfields)))
		return -ENOMEM;
	sc = kzalloc_flex(*sc, refs, prog->nfields, KTAP_GFP);
	if (!sc)
		return -ENOMEM;

	sc->call = call;
	sc->meta = call->data;
	sc->nargs = syscall_known_args(sc->meta);
	sc->user = syscall_user_args(s, sc->meta);
	sc->user.mask &= BIT(sc->nargs) - 1;
	sc->enter = call->class == &event_class_syscall_enter;
	ktap_point_init(&sc->point, probe, &ktap_syscall_source, trace_event_name(call));
	ktap_syscall_find_refs(sc, prog);
	sc->follows = sc->enter && syscall_probe_follows(s->syscalls, probe);
	return 0;
}

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
static void syscall_mark_unknown(struct ktap_syscalls *scs, const struct ktap_probe *probe)
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
				__set_bit(nr, scs->unknown[i]);
		}
	}
	scs->marked = probe;
}

/*
 * Append the point: probes of one system call run in the order of the script.  No
 * event is delivered before attach_all().
 */
static int syscall_attach(struct ktap_point *point)
{
	struct ktap_syscall *sc = container_of(point, struct ktap_syscall, point);
	struct ktap_syscalls *scs = point->probe->session->syscalls;
	unsigned long entry;
	struct ktap_syscall **p;

	p = sc->enter ? &scs->enter[sc->meta->syscall_nr] : &scs->exit[sc->meta->syscall_nr];
	while (*p)
		p = &(*p)->next;
	*p = sc;

	entry = sc->enter ? (unsigned long)ktap_sys_enter : (unsigned long)ktap_sys_exit;
	if (kallsyms_lookup_size_offset(entry, &point->entry_size, NULL))
		point->entry = entry;
	if (sc->enter)
		scs->nenter++;
	else
		scs->nexit++;
	scs->reads_user |= sc->reads_user;
	if (scs->marked != point->probe)
		syscall_mark_unknown(scs, point->probe);
	return 0;
}

static int syscall_attach_all(struct ktap_session *s)
{
	struct ktap_syscalls *scs = s->syscalls;
	int err = 0;

	if (!scs)
		return 0;
	if (scs->reads_user)
		err = trace_user_fault_init(&scs->buffers, KTAP_MAX_USER * KTAP_USER_SIZE);
	if (err) {
		scs->reads_user = false;
		return err;
	}

	if (scs->nenter) {
		err = register_trace_sys_enter(ktap_sys_enter, scs);
		if (err)
			return err;
		scs->entering = true;
	}
	if (scs->nexit) {
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
	if (scs->entering)
		unregister_trace_sys_enter(ktap_sys_enter, scs);
	if (scs->exiting)
		unregister_trace_sys_exit(ktap_sys_exit, scs);
	scs->entering = false;
	scs->exiting = false;
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
	struct ktap_syscalls *scs = point->probe->session->syscalls;

	/* The probe is freed: another one may get its address. */
	if (scs->probe == point->probe)
		scs->probe = NULL;
	kfree(container_of(point, struct ktap_syscall, point));
}

static void syscall_release_all(struct ktap_session *s)
{
	struct ktap_syscalls *scs = s->syscalls;

	if (!scs)
		return;
	if (scs->reads_user)
		trace_user_fault_destroy(&scs->buffers);
	kvfree(scs->enter);
	kvfree(scs->exit);
	kfree(scs);
	s->syscalls = NULL;
}

const struct ktap_source ktap_syscall_source = {
	.name = "syscall",
	.attach = syscall_attach,
	.refused = "tracing of system calls cannot be switched on",
	.has = syscall_has,
	.near = syscall_near,
	.attach_all = syscall_attach_all,
	.detach_all = syscall_detach_all,
	.release = syscall_release,
	.release_all = syscall_release_all,
};
