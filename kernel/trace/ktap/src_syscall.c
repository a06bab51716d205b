// SPDX-License-Identifier: GPL-2.0
/*
 * System calls.
 *
 * The events of trace_syscalls.c have one slot per instance and system call,
 * which is the user's.  So a session has its own probes on sys_enter and
 * sys_exit, with a table by number, and makes of the registers what the event
 * would have recorded, but only if the script asks for it.
 *
 * 32-bit programs may have numbers of their own for the same system calls: then
 * the event is that of the name (see compat.c), and what has none is counted.
 */
#include <linux/cleanup.h>
#include <linux/ctype.h>
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

#include "../trace.h"
#include "compat.h"
#include "source.h"
#include "syscall_user.h"

#define MAX_ARGS	KTAP_SYSCALL_ARGS

/* Bytes of a string in the record, as in trace_syscalls.c; then it is cut. */
#define RECORD_USER	SYSCALL_FAULT_USER_MAX
#define RECORD_CUT	"..."
#define MAX_RECORD	(sizeof(struct syscall_trace_enter) + MAX_ARGS * sizeof(long) + \
			 KTAP_MAX_USER * (sizeof(u32) + RECORD_USER + sizeof(RECORD_CUT)))

/**
 * enum sc_field - what a field of a system call's event is
 * @SC_NONE: there is no such field
 * @SC_NAME: the event's name
 * @SC_NR: number of the system call
 * @SC_IS_ENTER: true at entry
 * @SC_ARG: argument, as it stands in the register
 * @SC_INT: argument, an int
 * @SC_UINT: argument, an unsigned int
 * @SC_LONG: argument, a long
 * @SC_USER: what an argument points to
 * @SC_RETVAL: the return value
 * @SC_PID: thread id
 * @SC_COMPAT: it is a 32-bit program's
 */
enum sc_field {
	SC_NONE,
	SC_NAME,
	SC_NR,
	SC_IS_ENTER,
	SC_ARG,
	SC_INT,
	SC_UINT,
	SC_LONG,
	SC_USER,
	SC_RETVAL,
	SC_PID,
	SC_COMPAT,
};

/* @n: which argument, or which user data */
struct sc_ref {
	u8 kind;
	u8 n;
};

/**
 * struct ktap_syscall - entry or exit of a system call that a clause waits for
 * @point: see there
 * @next: another one of the same
 * @call: the trace event
 * @meta: the system call
 * @nargs: its arguments that are known
 * @user: arguments that point to user data
 * @enter: entry
 * @reads_user: the clause wants user data
 * @follows: it may read what arguments point to by itself
 * @refs: by field of the program
 */
struct ktap_syscall {
	struct ktap_point point;
	struct ktap_syscall *next;
	struct trace_event_call *call;
	const struct syscall_metadata *meta;
	int nargs;
	struct ktap_user_args user;
	bool enter;
	bool reads_user;
	bool follows;
	struct sc_ref refs[];
};

/**
 * struct ktap_syscalls - the system calls of a session
 * @session: whose they are
 * @enter: by number: the clauses that wait for the entry
 * @exit: same for the exit
 * @nenter: number of clauses in @enter
 * @nexit: same for @exit
 * @reads_user: some clause wants user data
 * @probe: the clause that was looked at last
 * @follows: what was found: see &ktap_syscall.follows
 * @marked: the clause whose unknown calls were marked last
 * @unknown: calls of 32-bit programs that clauses would get if there were events
 *	of them: by exit or entry, by number
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

/* @args is NULL if they are not those that the event has. */
struct sc_event {
	struct ktap_hit hit;
	const struct ktap_syscall *sc;
	bool compat;
	const unsigned long *args;
	const struct ktap_user_data *user;
	long ret;
};

static const struct sc_event *event_of(const struct ktap_event *ev)
{
	return container_of(ev, struct sc_event, hit.ev);
}

/* Addresses of 32-bit machines are no negative numbers. */
static s64 returned(long ret)
{
	return IS_ERR_VALUE(ret) ? ret : (s64)(unsigned long)ret;
}

static void get_value(const struct sc_event *e, struct sc_ref ref, struct ktap_value *v)
{
	const struct ktap_syscall *sc = e->sc;
	u32 n;

	*v = KTAP_VALUE_NIL;
	if (!e->args && ref.kind >= SC_ARG && ref.kind <= SC_LONG)
		return;
	switch ((enum sc_field)ref.kind) {
	case SC_NONE:
		break;
	case SC_NAME:
		*v = KTAP_VALUE_STR(sc->point.name, sc->point.name_len);
		break;
	case SC_NR:
		*v = KTAP_VALUE_INT(sc->meta->syscall_nr);
		break;
	case SC_IS_ENTER:
		*v = KTAP_VALUE_BOOL(sc->enter);
		break;
	case SC_ARG:
		*v = KTAP_VALUE_INT(e->args[ref.n]);
		break;
	case SC_INT:
		*v = KTAP_VALUE_INT((int)e->args[ref.n]);
		break;
	case SC_UINT:
		*v = KTAP_VALUE_INT((unsigned int)e->args[ref.n]);
		break;
	case SC_LONG:
		*v = KTAP_VALUE_INT((long)e->args[ref.n]);
		break;
	case SC_USER:
		n = ref.n;
		if (ktap_index(&n, e->user->n) && e->user->len[n] >= 0)
			*v = KTAP_VALUE_STR(e->user->data[n], e->user->len[n]);
		break;
	case SC_RETVAL:
		*v = KTAP_VALUE_INT(returned(e->ret));
		break;
	case SC_PID:
		*v = KTAP_VALUE_INT(current->pid);
		break;
	case SC_COMPAT:
		*v = KTAP_VALUE_BOOL(e->compat);
		break;
	}
}

static void sc_name(const struct ktap_event *ev, struct ktap_value *v)
{
	get_value(event_of(ev), (struct sc_ref){ SC_NAME }, v);
}

static void sc_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct sc_event *e = event_of(vm->event);

	get_value(e, e->sc->refs[index], v);
}

static const struct {
	const char *type;
	enum sc_field kind;
} narrow_types[] = {
	{ "int", SC_INT },
	{ "pid_t", SC_INT },
	{ "const clockid_t", SC_INT },
	{ "clockid_t", SC_INT },
	{ "key_serial_t", SC_INT },
	{ "long", SC_LONG },
	{ "off_t", SC_LONG },
	{ "mqd_t", SC_INT },
	{ "unsigned int", SC_UINT },
	{ "unsigned", SC_UINT },
	{ "u32", SC_UINT },
	{ "__u32", SC_UINT },
	{ "uid_t", SC_UINT },
	{ "gid_t", SC_UINT },
	{ "umode_t", SC_UINT },
};

/* What argument @n is to the script: what it points to, if that is a string. */
static struct sc_ref arg_ref(const struct ktap_syscall *sc, int n)
{
	const struct syscall_metadata *meta = sc->meta;
	int rank = ktap_user_rank(sc->user.mask, n);
	unsigned int i;

	if (n >= sc->nargs)
		return (struct sc_ref){ SC_NONE };
	if (rank >= 0 && !ktap_user_is_bytes(&sc->user))
		return (struct sc_ref){ SC_USER, rank };
	for (i = 0; i < ARRAY_SIZE(narrow_types); i++) {
		if (!strcmp(meta->types[n], narrow_types[i].type))
			return (struct sc_ref){ narrow_types[i].kind, n };
	}
	return (struct sc_ref){ SC_ARG, n };
}

/* Fields in the order of the event's format: number, arguments, user data. */
static void sc_nth(struct ktap_vm *vm, s64 n, struct ktap_value *v)
{
	const struct sc_event *e = event_of(vm->event);
	const struct syscall_metadata *meta = e->sc->meta;
	struct sc_ref ref = { SC_NONE };

	if (n == 1)
		ref.kind = SC_NR;
	else if (!e->sc->enter && n == 2)
		ref.kind = SC_RETVAL;
	else if (e->sc->enter && n >= 2 && n <= meta->nb_args + 1)
		ref = arg_ref(e->sc, array_index_nospec((u32)n - 2, (u32)meta->nb_args));
	else if (e->sc->enter && n > 1 && n <= meta->nb_args + 1 + hweight8(e->sc->user.recorded))
		ref = (struct sc_ref){ SC_USER, n - meta->nb_args - 2 };
	get_value(e, ref, v);
}

static void sc_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	const struct sc_event *e = event_of(vm->event);
	struct sc_ref ref = { SC_NONE };

	if (!e->sc->enter && !n)
		ref.kind = SC_RETVAL;
	else if (e->sc->enter && ktap_index(&n, e->sc->nargs))
		ref = (struct sc_ref){ SC_ARG, n };
	get_value(e, ref, v);
}

static void sc_retval(const struct ktap_event *ev, struct ktap_value *v)
{
	const struct sc_event *e = event_of(ev);

	get_value(e, (struct sc_ref){ e->sc->enter ? SC_NONE : SC_RETVAL }, v);
}

/* Bytes of user data @i in the record; @cut tells if it is cut short there. */
static unsigned int user_len(const struct ktap_user_data *user, int i, bool *cut)
{
	*cut = false;
	if (user->len[i] < 0)
		return 0;
	*cut = !user->bytes && user->len[i] > RECORD_USER;
	if (*cut)
		return RECORD_USER + sizeof(RECORD_CUT);
	return user->bytes ? min(user->len[i], RECORD_USER) : user->len[i] + 1;
}

static void put_user_data(char *to, const struct ktap_user_data *user, int i, unsigned int len,
			  bool cut)
{
	unsigned int n = cut ? RECORD_USER : len;
	unsigned int x;

	memcpy(to, user->data[i], n);
	if (user->bytes || !len)
		return;
	if (cut)
		memcpy(to + RECORD_USER, RECORD_CUT, sizeof(RECORD_CUT));
	else
		to[--n] = '\0';
	for (x = 0; x < n; x++) {
		if (!isprint(to[x]))
			to[x] = '.';
	}
}

static size_t enter_size(const struct sc_event *e)
{
	const struct syscall_metadata *meta = e->sc->meta;
	size_t size = sizeof(struct syscall_trace_enter) + meta->nb_args * sizeof(long);
	unsigned int i;
	bool cut;

	for (i = 0; i < hweight8(e->sc->user.recorded); i++)
		size += sizeof(u32) + (i < e->user->n ? user_len(e->user, i, &cut) : 0);
	return size;
}

/* The record of trace_syscalls.c: arguments, offsets of user data, user data. */
static void put_enter(const struct sc_event *e, struct syscall_trace_enter *rec)
{
	const struct syscall_metadata *meta = e->sc->meta;
	unsigned int n = hweight8(e->sc->user.recorded);
	u32 *loc = (u32 *)(rec->args + meta->nb_args);
	char *data = (char *)(loc + n);
	unsigned int i, len;
	bool cut = false;

	rec->nr = meta->syscall_nr;
	memcpy(rec->args, e->args, meta->nb_args * sizeof(long));
	for (i = 0; i < n; i++) {
		len = i < e->user->n ? user_len(e->user, i, &cut) : 0;
		loc[i] = (data - (char *)rec) | len << 16;
		if (len)
			put_user_data(data, e->user, i, len, cut);
		data += len;
	}
}

static size_t sc_save(const struct ktap_event *ev, void *buf, size_t size)
{
	const struct sc_event *e = event_of(ev);
	struct syscall_trace_exit *exit = buf;
	size_t len;

	/* Without arguments there is no text. */
	if (e->sc->enter && !e->args)
		return 0;
	len = e->sc->enter ? enter_size(e) : sizeof(*exit);
	if (len > size)
		return len;
	tracing_generic_entry_update(buf, e->sc->call->event.type, tracing_gen_ctx());
	if (e->sc->enter) {
		put_enter(e, buf);
	} else {
		exit->nr = e->sc->meta->syscall_nr;
		exit->ret = e->ret;
	}
	return len;
}

static int sc_text(struct ktap_vm *vm, struct ktap_value *v)
{
	const struct sc_event *e = event_of(vm->event);
	struct trace_iterator *iter = ktap_activation_iter(vm->level);
	char rec[MAX_RECORD] __aligned(8);
	size_t len;

	*v = KTAP_VALUE_NIL;
	len = sc_save(vm->event, rec, sizeof(rec));
	if (!iter || !len || WARN_ON_ONCE(len > sizeof(rec)))
		return 0;
	ktap_record_text(iter, &e->sc->call->event, rec, len);
	return ktap_make_string(vm, iter->seq.buffer, trace_seq_used(&iter->seq), v);
}

static const struct ktap_event_ops sc_ops = {
	.name = sc_name,
	.field = sc_field,
	.nth = sc_nth,
	.arg = sc_arg,
	.retval = sc_retval,
	.text = sc_text,
	.save = sc_save,
};

/* A system call under way; @nr is that of the event, negative if there is none. */
struct sc_call {
	int nr;
	bool compat;
	bool args_differ;
};

static void count_unknown(struct ktap_syscalls *scs, unsigned int nr, bool enter)
{
	if (nr < KTAP_NR_COMPAT && test_bit(nr, scs->unknown[enter]) &&
	    ktap_delivers(scs->session))
		atomic_long_inc(&scs->session->env.counters.unknown_calls);
}

#ifdef CONFIG_X86_X32_ABI
#define FIRST_X32	__NR_x32_rt_sigaction
#define X32(name) \
	[__NR_x32_##name - FIRST_X32] = __NR_##name

/* What x32 programs have other numbers for than 64-bit programs. */
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

static u32 nr_of_x32(u32 nr)
{
	u32 n = nr - FIRST_X32;

	return ktap_index(&n, ARRAY_SIZE(x32_calls)) ? x32_calls[n] : nr;
}
#else
static u32 nr_of_x32(u32 nr)
{
	return nr;
}
#endif

static void count_x32(struct ktap_syscalls *scs, u32 x32, bool enter)
{
	struct ktap_syscall **waiting = enter ? scs->enter : scs->exit;
	u32 nr = nr_of_x32(x32);

	if (ktap_index(&nr, NR_syscalls) && waiting[nr] && ktap_delivers(scs->session))
		atomic_long_inc(&scs->session->env.counters.unknown_calls);
}

static __always_inline struct sc_call get_call(struct ktap_syscalls *scs, struct pt_regs *regs,
					       bool enter)
{
	struct sc_call call = { .nr = syscall_get_nr(current, regs) };
	struct ktap_compat_call compat;
	int x32 = ktap_x32_call(call.nr);

	/* What asks whether it is a 32-bit program's says yes to these, too. */
	if (x32 >= 0) {
		count_x32(scs, x32, enter);
	} else if (ktap_is_compat(regs)) {
		compat = ktap_compat_call(call.nr);
		if (compat.nr < 0)
			count_unknown(scs, call.nr, enter);
		call = (struct sc_call){ compat.nr, true, compat.args_differ };
	}
	if (call.nr < 0 || call.nr >= NR_syscalls)
		call.nr = -1;
	else
		call.nr = array_index_nospec(call.nr, NR_syscalls);
	return call;
}

static void get_args(const struct sc_call *call, struct pt_regs *regs, unsigned long *args)
{
	unsigned int i;

	syscall_get_arguments(current, regs, args);
	/* The upper halves of the registers are anything. */
	for (i = 0; i < MAX_ARGS && call->compat; i++)
		args[i] = (u32)args[i];
}

/* The event may come to nothing, or wants user data: it is not yet that far. */
static bool prepare_enter(struct ktap_syscalls *scs, const struct ktap_syscall *first,
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
	const struct sc_call call = get_call(scs, regs, true);
	struct ktap_user_data user = { .n = 0 };
	unsigned long regs_args[MAX_ARGS], *args = NULL;
	struct ktap_syscall *first, *sc;
	bool reads_user;

	first = call.nr < 0 ? NULL : scs->enter[call.nr];
	if (!first)
		return;

	if (!call.args_differ) {
		get_args(&call, regs, regs_args);
		args = regs_args;
	}
	if (!prepare_enter(scs, first, args, &reads_user))
		return;

	guard(preempt_notrace)();
	if (reads_user)
		ktap_user_read(&scs->buffers, &scs->session->env.counters, first->meta,
			       &first->user, args, &user);
	for (sc = first; sc; sc = sc->next) {
		const struct sc_event e = {
			.hit.ev.ops = &sc_ops,
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
	const struct sc_call call = get_call(scs, regs, false);
	struct ktap_syscall *sc;

	if (call.nr < 0)
		return;

	guard(preempt_notrace)();
	for (sc = scs->exit[call.nr]; sc; sc = sc->next) {
		const struct sc_event e = {
			.hit.ev.ops = &sc_ops,
			.hit.point = &sc->point,
			.sc = sc,
			.compat = call.compat,
			.ret = ret,
		};

		ktap_fire(&e.hit);
	}
}

NOKPROBE_SYMBOL(ktap_sys_exit);

/* What e.NAME is besides the fields of the event, whatever these are called. */
static const struct {
	const char *name;
	bool enter;
	bool exit;
	struct sc_ref ref;
} specials[] = {
	{ "name",	 true,	true,	{ SC_NAME } },
	{ "sc_nr",	 true,	true,	{ SC_NR } },
	{ "sc_is_enter", true,	true,	{ SC_IS_ENTER } },
	{ "sc_compat",	 true,	true,	{ SC_COMPAT } },
	{ "sc_arg1",	 true,	false,	{ SC_ARG, 0 } },
	{ "sc_arg2",	 true,	false,	{ SC_ARG, 1 } },
	{ "sc_arg3",	 true,	false,	{ SC_ARG, 2 } },
	{ "sc_arg4",	 true,	false,	{ SC_ARG, 3 } },
	{ "sc_arg5",	 true,	false,	{ SC_ARG, 4 } },
	{ "sc_arg6",	 true,	false,	{ SC_ARG, 5 } },
	{ "retval",	 false,	true,	{ SC_RETVAL } },
};

static struct sc_ref special_ref(const struct ktap_syscall *sc, const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(specials); i++) {
		if (!strcmp(name, specials[i].name) &&
		    (sc->enter ? specials[i].enter : specials[i].exit))
			return specials[i].ref;
	}
	return (struct sc_ref){ SC_NONE };
}

/* "__NAME_val", as trace_syscalls.c calls what argument NAME points to */
static bool is_user_name(const char *field, const char *arg)
{
	size_t len = strlen(arg);

	return !strncmp(field, "__", 2) && !strncmp(field + 2, arg, len) &&
	       !strcmp(field + 2 + len, "_val");
}

static struct sc_ref field_ref(const struct ktap_syscall *sc, const char *name)
{
	const struct syscall_metadata *meta = sc->meta;
	int i, rank;

	if (!strcmp(name, "__syscall_nr") || !strcmp(name, "nr"))
		return (struct sc_ref){ SC_NR };
	if (!strcmp(name, "common_pid"))
		return (struct sc_ref){ SC_PID };
	if (!sc->enter)
		return (struct sc_ref){ strcmp(name, "ret") ? SC_NONE : SC_RETVAL };
	for (i = 0; i < meta->nb_args; i++) {
		if (!strcmp(name, meta->args[i]))
			return arg_ref(sc, i);
		rank = ktap_user_rank(sc->user.mask, i);
		if (rank >= 0 && is_user_name(name, meta->args[i]))
			return (struct sc_ref){ SC_USER, rank };
	}
	return (struct sc_ref){ SC_NONE };
}

static void find_refs(struct ktap_syscall *sc, const struct ktap_program *prog)
{
	u32 i;

	sc->reads_user = sc->enter && sc->user.recorded && (prog->uses & KTAP_USES_ARGSTR);
	for (i = 0; i < prog->nfields; i++) {
		const char *name = prog->fields[i]->blob;

		if (i >= prog->nown_fields)
			sc->refs[i] = special_ref(sc, name);
		if (sc->refs[i].kind == SC_NONE)
			sc->refs[i] = field_ref(sc, name);
		sc->reads_user |= sc->refs[i].kind == SC_USER;
	}
}

/* Points of a clause come one after the other: one look is enough. */
static bool clause_follows(struct ktap_syscalls *scs, const struct ktap_probe *probe)
{
	if (scs->probe != probe)
		scs->follows = ktap_clause_reaches(probe, ktap_follows_addresses, NULL);
	scs->probe = probe;
	return scs->follows;
}

static struct ktap_syscalls *alloc_syscalls(struct ktap_session *s)
{
	struct ktap_syscalls *scs = kzalloc_obj(*scs, GFP_KERNEL_ACCOUNT);

	if (!scs)
		return NULL;
	scs->session = s;
	scs->enter = kvcalloc(NR_syscalls, sizeof(*scs->enter), GFP_KERNEL_ACCOUNT);
	scs->exit = kvcalloc(NR_syscalls, sizeof(*scs->exit), GFP_KERNEL_ACCOUNT);
	if (scs->enter && scs->exit)
		return scs;
	kvfree(scs->enter);
	kvfree(scs->exit);
	kfree(scs);
	return NULL;
}

/*
 * A 32-bit machine gives two registers to some arguments, of which the event does not
 * know: it has a wrong one then, and wrong ones behind it.
 */
static int known_args(const struct syscall_metadata *meta)
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

/* Who may not read the memory of programs gets no more of it than by perf. */
static struct ktap_user_args user_args(const struct ktap_session *s,
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
		s->syscalls = alloc_syscalls(s);
	if (!s->syscalls)
		return -ENOMEM;
	sc = kzalloc_flex(*sc, refs, prog->nfields, GFP_KERNEL_ACCOUNT);
	if (!sc)
		return -ENOMEM;

	sc->call = call;
	sc->meta = call->data;
	sc->nargs = known_args(sc->meta);
	sc->user = user_args(s, sc->meta);
	sc->user.mask &= BIT(sc->nargs) - 1;
	sc->enter = call->class == &event_class_syscall_enter;
	ktap_point_init(&sc->point, probe, &ktap_syscall_source, trace_event_name(call));
	find_refs(sc, prog);
	sc->follows = sc->enter && clause_follows(s->syscalls, probe);
	return 0;
}

/* "sys_enter_*" of "tp:syscalls:sys_enter_*" */
static const char *event_pattern(const char *event)
{
	const char *colon;

	if (strstarts(event, "tp:") || strstarts(event, "tracepoint:"))
		event = strchr(event, ':') + 1;
	colon = strchr(event, ':');
	return colon && colon[1] ? colon + 1 : "*";
}

/* What a pattern would match if 64-bit programs had it, too, is counted. */
static void mark_unknown(struct ktap_syscalls *scs, const struct ktap_probe *probe)
{
	static const char * const prefixes[] = { "sys_exit_", "sys_enter_" };
	const char *pattern = event_pattern(probe->event), *name;
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
 * Clauses of the same system call run in the order of the script.  No event
 * comes before attach_all().
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
		mark_unknown(scs, point->probe);
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

static void syscall_release(struct ktap_point *point)
{
	struct ktap_syscalls *scs = point->probe->session->syscalls;

	/* The clause goes: another one may get its memory. */
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
	.attach_all = syscall_attach_all,
	.detach_all = syscall_detach_all,
	.release = syscall_release,
	.release_all = syscall_release_all,
};
