// SPDX-License-Identifier: GPL-2.0
/*
 * The data of a system call that handlers read: fields, arguments, return value, and the
 * record and text that the event of trace_syscalls.c has.
 */
#include <linux/ctype.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include <trace/syscall.h>

#include "../../trace.h"
#include "event/syscall.h"
#include "session.h"

/* Longer strings are cut in the record, as in trace_syscalls.c. */
#define RECORD_USER	SYSCALL_FAULT_USER_MAX
#define RECORD_CUT	"..."
#define MAX_RECORD	(sizeof(struct syscall_trace_enter) + KTAP_SYSCALL_ARGS * sizeof(long) + \
			 KTAP_MAX_USER * (sizeof(u32) + RECORD_USER + sizeof(RECORD_CUT)))

static const struct sc_event *syscall_event_of(const struct ktap_event *ev)
{
	return container_of(ev, struct sc_event, hit.ev);
}

static const struct ktap_syscall *syscall_point_of(const struct ktap_event *ev)
{
	return container_of(ktap_hit_of(ev)->point, struct ktap_syscall, point);
}

/* Read what entries and exits have.  Everything else is nil. */
static void syscall_get_common(const struct ktap_syscall *sc, bool compat, enum sc_field kind,
			       struct ktap_value *v)
{
	switch (kind) {
	case SC_NAME:
		*v = KTAP_VALUE_STR(sc->point.name, sc->point.name_len);
		break;
	case SC_NR:
		*v = KTAP_VALUE_INT(sc->meta->syscall_nr);
		break;
	case SC_IS_ENTER:
		*v = KTAP_VALUE_BOOL(sc->enter);
		break;
	case SC_PID:
		*v = KTAP_VALUE_INT(current->pid);
		break;
	case SC_COMPAT:
		*v = KTAP_VALUE_BOOL(compat);
		break;
	default:
		*v = KTAP_VALUE_NIL;
	}
}

/* Read an argument that is a number. */
static __always_inline void syscall_get_number(const struct sc_event *e, struct sc_ref ref,
					       struct ktap_value *v)
{
	unsigned long x;

	if (unlikely(!e->args)) {
		*v = KTAP_VALUE_NIL;
		return;
	}
	x = e->args[ref.n];
	if (ref.kind == SC_ARG)
		*v = KTAP_VALUE_INT(x);
	else if (ref.kind == SC_UINT)
		*v = KTAP_VALUE_INT((unsigned int)x);
	else if (ref.kind == SC_INT)
		*v = KTAP_VALUE_INT((int)x);
	else if (ref.kind == SC_LONG)
		*v = KTAP_VALUE_INT(e->compat ? (int)x : (long)x);
	else
		*v = KTAP_VALUE_INT((unsigned short)x);
}

static void syscall_get_user(const struct sc_event *e, u32 n, struct ktap_value *v)
{
	if (ktap_index(&n, e->user->n) && e->user->len[n] >= 0)
		*v = KTAP_VALUE_STR(e->user->data[n], e->user->len[n]);
	else
		*v = KTAP_VALUE_NIL;
}

static bool syscall_is_number(struct sc_ref ref)
{
	return ref.kind >= SC_ARG && ref.kind <= SC_LONG;
}

static void syscall_get_entry(const struct sc_event *e, struct sc_ref ref, struct ktap_value *v)
{
	if (syscall_is_number(ref))
		syscall_get_number(e, ref, v);
	else if (ref.kind == SC_USER)
		syscall_get_user(e, ref.n, v);
	else
		syscall_get_common(syscall_point_of(&e->hit.ev), e->compat, ref.kind, v);
}

/* Return addresses of 32-bit machines as positive numbers. */
static s64 syscall_returned(long ret)
{
	return IS_ERR_VALUE(ret) ? ret : (s64)(unsigned long)ret;
}

static void syscall_get_exit(const struct sc_event *e, enum sc_field kind, struct ktap_value *v)
{
	if (likely(kind == SC_RETVAL))
		*v = KTAP_VALUE_INT(syscall_returned(e->ret));
	else
		syscall_get_common(syscall_point_of(&e->hit.ev), e->compat, kind, v);
}

static void syscall_name(const struct ktap_event *ev, struct ktap_value *v)
{
	const struct ktap_syscall *sc = syscall_point_of(ev);

	*v = KTAP_VALUE_STR(sc->point.name, sc->point.name_len);
}

static void syscall_entry_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct ktap_syscall *sc = syscall_point_of(vm->event);

	syscall_get_entry(syscall_event_of(vm->event), sc->refs[index], v);
}

static void syscall_exit_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct ktap_syscall *sc = syscall_point_of(vm->event);

	syscall_get_exit(syscall_event_of(vm->event), sc->refs[index].kind, v);
}

static void syscall_plain_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct ktap_syscall *sc = syscall_point_of(vm->event);

	syscall_get_common(sc, false, sc->refs[index].kind, v);
}

/* Types that use only the lower half of a register, or that are signed */
static const struct {
	const char *type;
	enum sc_field kind;
} narrow_types[] = {
	{ "int", SC_INT },
	{ "pid_t", SC_INT },
	{ "clockid_t", SC_INT },
	{ "key_serial_t", SC_INT },
	{ "key_t", SC_INT },
	{ "mqd_t", SC_INT },
	{ "rwf_t", SC_INT },
	{ "timer_t", SC_INT },
	{ "__s32", SC_INT },
	{ "long", SC_LONG },
	{ "off_t", SC_LONG },
	{ "unsigned int", SC_UINT },
	{ "unsigned", SC_UINT },
	{ "uint", SC_UINT },
	{ "u32", SC_UINT },
	{ "__u32", SC_UINT },
	{ "uid_t", SC_UINT },
	{ "gid_t", SC_UINT },
	{ "qid_t", SC_UINT },
	{ "enum landlock_rule_type", SC_UINT },
	{ "umode_t", SC_USHORT },
	{ "old_uid_t", SC_USHORT },
	{ "old_gid_t", SC_USHORT },
};

/* Argument @n as a number of its type */
static struct sc_ref syscall_number_ref(const struct ktap_syscall *sc, int n)
{
	const char *type = sc->meta->types[n];
	unsigned int i;

	type += str_has_prefix(type, "const ");
	for (i = 0; i < ARRAY_SIZE(narrow_types); i++) {
		if (!strcmp(type, narrow_types[i].type))
			return (struct sc_ref){ narrow_types[i].kind, n };
	}
	return (struct sc_ref){ SC_ARG, n };
}

/* Argument @n as a script reads it: the string that it points to, or a number. */
static struct sc_ref syscall_arg_ref(const struct ktap_syscall *sc, int n)
{
	int rank = ktap_user_rank(sc->user.mask, n);

	if (n >= sc->nargs)
		return (struct sc_ref){ SC_NONE };
	if (rank >= 0 && !ktap_user_is_bytes(&sc->user))
		return (struct sc_ref){ SC_USER, rank };
	return syscall_number_ref(sc, n);
}

/* Units of finding out how to read an argument: its type is compared with narrow_types[]. */
#define SC_NTH_COST	1

/* Fields in the order of the event's format: number, arguments, user data. */
static void syscall_entry_nth(struct ktap_vm *vm, s64 n, struct ktap_value *v)
{
	const struct ktap_syscall *sc = syscall_point_of(vm->event);
	const struct syscall_metadata *meta = sc->meta;
	struct sc_ref ref = { SC_NONE };

	*v = KTAP_VALUE_NIL;
	if (ktap_vm_charge(vm, SC_NTH_COST))
		return;
	if (n == 1)
		ref.kind = SC_NR;
	else if (n >= 2 && n <= meta->nb_args + 1)
		ref = syscall_arg_ref(sc, array_index_nospec((u32)n - 2, (u32)meta->nb_args));
	else if (n > 1 && n <= meta->nb_args + 1 + hweight8(sc->user.recorded))
		ref = (struct sc_ref){ SC_USER, n - meta->nb_args - 2 };
	syscall_get_entry(syscall_event_of(vm->event), ref, v);
}

/* Number and return value */
static void syscall_exit_nth(struct ktap_vm *vm, s64 n, struct ktap_value *v)
{
	*v = KTAP_VALUE_NIL;
	if (!ktap_vm_charge(vm, SC_NTH_COST))
		syscall_get_exit(syscall_event_of(vm->event),
				 n == 1 ? SC_NR :
				 n == 2 ? SC_RETVAL :
					  SC_NONE,
				 v);
}

static void syscall_entry_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	const struct ktap_syscall *sc = syscall_point_of(vm->event);
	struct sc_ref ref = { SC_NONE };

	if (ktap_index(&n, sc->nargs))
		ref = sc->args[n];
	syscall_get_entry(syscall_event_of(vm->event), ref, v);
}

static void syscall_exit_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	syscall_get_exit(syscall_event_of(vm->event), n ? SC_NONE : SC_RETVAL, v);
}

static void syscall_retval(const struct ktap_event *ev, struct ktap_value *v)
{
	syscall_get_exit(syscall_event_of(ev), SC_RETVAL, v);
}

/* Return the bytes of user data @i in the record; set @cut if it is cut there. */
static unsigned int syscall_user_len(const struct ktap_user_data *user, int i, bool *cut)
{
	*cut = false;
	if (user->len[i] < 0)
		return 0;
	*cut = !user->bytes && user->len[i] > RECORD_USER;
	if (*cut)
		return RECORD_USER + sizeof(RECORD_CUT);
	return user->bytes ? min(user->len[i], RECORD_USER) : user->len[i] + 1;
}

static void syscall_put_user_data(char *to, const struct ktap_user_data *user, int i,
				  unsigned int len, bool cut)
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

static size_t syscall_enter_size(const struct sc_event *e)
{
	const struct ktap_syscall *sc = syscall_point_of(&e->hit.ev);
	size_t size = sizeof(struct syscall_trace_enter) + sc->meta->nb_args * sizeof(long);
	unsigned int i;
	bool cut;

	for (i = 0; i < hweight8(sc->user.recorded); i++)
		size += sizeof(u32) + (i < e->user->n ? syscall_user_len(e->user, i, &cut) : 0);
	return size;
}

/* The record of trace_syscalls.c: arguments, offsets of user data, user data. */
static void syscall_put_enter(const struct sc_event *e, struct syscall_trace_enter *rec)
{
	const struct ktap_syscall *sc = syscall_point_of(&e->hit.ev);
	const struct syscall_metadata *meta = sc->meta;
	unsigned int n = hweight8(sc->user.recorded);
	u32 *loc = (u32 *)(rec->args + meta->nb_args);
	char *data = (char *)(loc + n);
	unsigned int i, len;
	bool cut = false;

	rec->nr = meta->syscall_nr;
	memcpy(rec->args, e->args, meta->nb_args * sizeof(long));
	for (i = 0; i < n; i++) {
		len = i < e->user->n ? syscall_user_len(e->user, i, &cut) : 0;
		loc[i] = (data - (char *)rec) | len << 16;
		if (len)
			syscall_put_user_data(data, e->user, i, len, cut);
		data += len;
	}
}

static void syscall_begin_record(const struct ktap_syscall *sc, void *buf)
{
	tracing_generic_entry_update(buf, sc->call->event.type, tracing_gen_ctx());
}

static size_t syscall_entry_save(const struct ktap_event *ev, void *buf, size_t size)
{
	const struct sc_event *e = syscall_event_of(ev);
	size_t len;

	/* Without arguments there is no record. */
	if (!e->args)
		return 0;
	len = syscall_enter_size(e);
	if (len > size)
		return len;
	syscall_begin_record(syscall_point_of(ev), buf);
	syscall_put_enter(e, buf);
	return len;
}

static size_t syscall_exit_save(const struct ktap_event *ev, void *buf, size_t size)
{
	const struct ktap_syscall *sc = syscall_point_of(ev);
	struct syscall_trace_exit *exit = buf;

	if (sizeof(*exit) > size)
		return sizeof(*exit);
	syscall_begin_record(sc, buf);
	exit->nr = sc->meta->syscall_nr;
	exit->ret = syscall_event_of(ev)->ret;
	return sizeof(*exit);
}

static int syscall_text(struct ktap_vm *vm, struct ktap_value *v)
{
	struct trace_iterator *iter = ktap_activation_iter(vm->level);
	/* ->save() sets all that the event's text is made of. */
	char rec[MAX_RECORD] __aligned(8) __uninitialized;
	size_t len;

	*v = KTAP_VALUE_NIL;
	len = vm->event->ops->save(vm->event, rec, sizeof(rec));
	if (!iter || !len || WARN_ON_ONCE(len > sizeof(rec)))
		return 0;
	ktap_record_text(iter, &syscall_point_of(vm->event)->call->event, rec, len);
	return ktap_make_string(vm, iter->seq.buffer, trace_seq_used(&iter->seq), v);
}

/* For events whose user data no probe reads */
const struct ktap_user_data ktap_syscall_no_user;

const struct ktap_event_ops ktap_syscall_entry_ops = {
	.name = syscall_name,
	.field = syscall_entry_field,
	.nth = syscall_entry_nth,
	.arg = syscall_entry_arg,
	.text = syscall_text,
	.save = syscall_entry_save,
};

const struct ktap_event_ops ktap_syscall_exit_ops = {
	.name = syscall_name,
	.field = syscall_exit_field,
	.nth = syscall_exit_nth,
	.arg = syscall_exit_arg,
	.retval = syscall_retval,
	.text = syscall_text,
	.save = syscall_exit_save,
};

const struct ktap_event_ops ktap_syscall_plain_ops = {
	.name = syscall_name,
	.field = syscall_plain_field,
};

/* Values of e.NAME that take precedence over fields of the event. */
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

static struct sc_ref syscall_special_ref(const struct ktap_syscall *sc, const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(specials); i++) {
		if (!strcmp(name, specials[i].name) &&
		    (sc->enter ? specials[i].enter : specials[i].exit))
			return specials[i].ref;
	}
	return (struct sc_ref){ SC_NONE };
}

/* Is @field "__ARG_val", the name of user data in trace_syscalls.c? */
static bool syscall_is_user_name(const char *field, const char *arg)
{
	size_t len = strlen(arg);

	return !strncmp(field, "__", 2) && !strncmp(field + 2, arg, len) &&
	       !strcmp(field + 2 + len, "_val");
}

static struct sc_ref syscall_field_ref(const struct ktap_syscall *sc, const char *name)
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
			return syscall_arg_ref(sc, i);
		rank = ktap_user_rank(sc->user.mask, i);
		if (rank >= 0 && syscall_is_user_name(name, meta->args[i]))
			return (struct sc_ref){ SC_USER, rank };
	}
	return (struct sc_ref){ SC_NONE };
}

/* Preparations (SC_NEEDS_*) for a probe of an entry that reads @ref */
static u8 syscall_ref_needs(struct sc_ref ref)
{
	if (ref.kind == SC_USER)
		return SC_NEEDS_USER;
	return syscall_is_number(ref) ? SC_NEEDS_ARGS : 0;
}

void ktap_syscall_find_refs(struct ktap_syscall *sc, const struct ktap_program *prog)
{
	const struct ktap_plan *plan = &sc->point.probe->plan;
	u32 i;

	for (i = 0; i < sc->nargs; i++)
		sc->args[i] = syscall_number_ref(sc, i);
	if (sc->enter && plan->event)
		sc->needs |= SC_NEEDS_ARGS;
	if (sc->enter && plan->event && sc->user.recorded && (prog->uses & KTAP_USES_ARGSTR))
		sc->needs |= SC_NEEDS_USER;
	if (sc->enter && plan->nth && sc->user.mask)
		sc->needs |= SC_NEEDS_USER;
	for (i = 0; i < prog->nfields; i++) {
		const char *name = prog->fields[i]->blob;

		if (i >= prog->nown_fields)
			sc->refs[i] = syscall_special_ref(sc, name);
		if (sc->refs[i].kind == SC_NONE)
			sc->refs[i] = syscall_field_ref(sc, name);
		if (plan->event || test_bit(i, plan->fields))
			sc->needs |= syscall_ref_needs(sc->refs[i]);
	}
}
