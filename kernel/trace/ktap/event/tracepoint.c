// SPDX-License-Identifier: GPL-2.0
/*
 * Trace events, and the text that an event has in the trace file.
 *
 * A point is a consumer of the event (see struct trace_event_consumer).  So the point does
 * not depend on the event's enable, filter and set_event_pid files, users of these do not
 * see it, and nothing gets into the trace.  If the probe reads no field, the event makes
 * no record, and the tracepoint calls a function of ktap directly, if it can: small
 * handlers are cheaper then.  This is also done for the numbers of system calls and their
 * results, which the tracepoints of all system calls have as arguments.
 */
#include <linux/cleanup.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/panic.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>

#ifdef CONFIG_HAVE_SYSCALL_TRACEPOINTS
#include <asm/syscall.h>
#include <trace/events/syscalls.h>
#endif

#include "../../trace.h"
#include "../../trace_output.h"
#include "../../trace_probe.h"
#include "data/suggest.h"
#include "event/field.h"
#include "event/fire.h"
#include "event/source.h"
#include "host/module.h"
#include "output/text.h"
#include "session.h"

/**
 * struct ktap_tracepoint - a trace event that a probe waits for
 * @point: the point
 * @ops: operations of the event's records
 * @call: the event, pinned
 * @direct: the tracepoint of @call calls this function, and @consumer is not used; or NULL
 * @consumer: gets the records of @call, or none
 * @func: the function of an event that dynevent.c has created, or NULL
 * @top: its field with the address where stacks begin
 * @own: the function around this address, if @own_ip is set
 * @own_size: its size
 * @own_ip: that address, which is the same in all records
 * @ret: it is of a return of the function
 * @lock: the field of lock_release with the name of the lock
 * @fields: by field of the program
 */
struct ktap_tracepoint {
	struct ktap_point point;
	const struct ktap_event_ops *ops;
	struct trace_event_call *call;
	void *direct;
	struct trace_event_consumer consumer;
	char *func;
	struct ktap_field top;
	unsigned long own;
	unsigned long own_size;
	unsigned long own_ip;
	bool ret;
	struct ktap_field lock;
	struct ktap_field fields[];
};

/* A record of a trace event, of @len bytes */
struct record_event {
	struct ktap_hit hit;
	struct ktap_tracepoint *tp;
	void *rec;
	unsigned int len;
};

static const struct record_event *tracepoint_record_of(const struct ktap_event *ev)
{
	return container_of(ev, struct record_event, hit.ev);
}

static void tracepoint_record_name(const struct ktap_event *ev, struct ktap_value *v)
{
	const struct ktap_point *point = ktap_hit_of(ev)->point;

	*v = KTAP_VALUE_STR(point->name, point->name_len);
}

static bool tracepoint_record_field_quickly(const struct ktap_event *ev, u32 index,
					    struct ktap_value *v)
{
	const struct record_event *r = tracepoint_record_of(ev);

	return ktap_field_get_quickly(&r->tp->fields[index], r->rec, v);
}

static void tracepoint_record_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct record_event *r = tracepoint_record_of(vm->event);
	const struct ktap_field *f = &r->tp->fields[index];

	if (ktap_field_get_quickly(f, r->rec, v))
		return;
	if (f->kind == KTAP_FIELD_NAME)
		tracepoint_record_name(vm->event, v);
	else
		ktap_field_get(vm, f, r->rec, v);
}

/* Units of finding out how to read a field, and fields that are visited for a unit */
#define RECORD_NTH_COST	2
#define FIELDS_A_UNIT	16

static void tracepoint_record_nth(struct ktap_vm *vm, s64 n, struct ktap_value *v)
{
	const struct record_event *r = tracepoint_record_of(vm->event);
	struct list_head *head = trace_get_fields(r->tp->call);
	const struct ftrace_event_field *field;
	unsigned int visited = 0;
	struct ktap_field f;

	*v = KTAP_VALUE_NIL;
	/* The list has the last field first. */
	list_for_each_entry_reverse(field, head, link) {
		if (++visited == n)
			break;
	}
	if (ktap_vm_charge(vm, RECORD_NTH_COST + visited / FIELDS_A_UNIT) ||
	    list_entry_is_head(field, head, link))
		return;
	ktap_field_init(&f, field);
	ktap_field_get(vm, &f, r->rec, v);
}

static void tracepoint_record_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	tracepoint_record_nth(vm, (s64)n + 1, v);
}

/*
 * The instance for texts that handlers make: some events read its options.  With
 * HASH_PTR, trace_event_format() does not allocate memory.
 */
static struct trace_array text_array = {
	.trace_flags = TRACE_ITER(HASH_PTR) | TRACE_ITER(PRINT_PARENT),
};

/**
 * ktap_record_text() - Make the text of a record
 * @iter: gets the text, including the newline, in its @seq
 * @event: the event of the record, pinned
 * @rec: the record, which begins with struct trace_entry
 * @len: bytes of the record
 *
 * Context: any except NMI, like tp_printk.
 */
void ktap_record_text(struct trace_iterator *iter, struct trace_event *event, const void *rec,
		      size_t len)
{
	trace_seq_init(&iter->seq);
	if (!iter->tr)
		iter->tr = &text_array;
	iter->ent = (struct trace_entry *)rec;
	iter->ent_size = len;
	iter->cpu = raw_smp_processor_id();
	event->funcs->trace(iter, iter->tr->trace_flags & TRACE_ITER_SYM_MASK, event);
}

static int tracepoint_record_text(struct ktap_vm *vm, struct ktap_value *v)
{
	const struct record_event *r = tracepoint_record_of(vm->event);
	struct trace_iterator *iter = ktap_activation_iter(vm->level);

	*v = KTAP_VALUE_NIL;
	if (!iter)
		return 0;
	ktap_record_text(iter, &r->tp->call->event, r->rec, r->len);
	return ktap_make_string(vm, iter->seq.buffer, trace_seq_used(&iter->seq), v);
}

static size_t tracepoint_record_save(const struct ktap_event *ev, void *buf, size_t size)
{
	const struct record_event *r = tracepoint_record_of(ev);

	if (r->len <= size)
		memcpy(buf, r->rec, r->len);
	return r->len;
}

static const struct ktap_event_ops record_ops = {
	.name = tracepoint_record_name,
	.field = tracepoint_record_field,
	.field_quickly = tracepoint_record_field_quickly,
	.nth = tracepoint_record_nth,
	.arg = tracepoint_record_arg,
	.text = tracepoint_record_text,
	.save = tracepoint_record_save,
};

static void tracepoint_own_top(const struct ktap_event *ev, unsigned long *start,
			       unsigned long *size)
{
	const struct record_event *r = tracepoint_record_of(ev);
	struct ktap_tracepoint *tp = r->tp;
	unsigned long ip, offset;

	ip = get_unaligned((const unsigned long *)(r->rec + tp->top.offset));
	*start = ip;
	*size = 1;
	if (tp->ret)
		return;
	/* The search may be long.  Pairs with the release below: the two are set before. */
	if (smp_load_acquire(&tp->own_ip) == ip) {
		*start = READ_ONCE(tp->own);
		*size = READ_ONCE(tp->own_size);
		return;
	}
	if (kallsyms_lookup_size_offset(ip, size, &offset))
		*start = ip - offset;
	/* Other CPUs may do the same at the same time: they write the same values. */
	WRITE_ONCE(tp->own, *start);
	WRITE_ONCE(tp->own_size, *size);
	/* Pairs with the acquire above. */
	smp_store_release(&tp->own_ip, ip);
}

static void tracepoint_plain_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct ktap_tracepoint *tp =
		container_of(ktap_hit_of(vm->event)->point, struct ktap_tracepoint, point);

	*v = KTAP_VALUE_NIL;
	if (tp->fields[index].kind == KTAP_FIELD_NAME)
		tracepoint_record_name(vm->event, v);
}

/* For events without a record, which are a struct ktap_hit: the probe reads nothing else. */
static const struct ktap_event_ops plain_ops = {
	.name = tracepoint_record_name,
	.field = tracepoint_plain_field,
};

/* For events that dynevent.c has created; their points have the function's name. */
static const struct ktap_event_ops own_ops = {
	.name = tracepoint_record_name,
	.field = tracepoint_record_field,
	.field_quickly = tracepoint_record_field_quickly,
	.nth = tracepoint_record_nth,
	.arg = tracepoint_record_arg,
	.func = tracepoint_record_name,
	.top = tracepoint_own_top,
	.text = tracepoint_record_text,
	.save = tracepoint_record_save,
};

static struct ktap_tracepoint *tracepoint_of(struct trace_event_consumer *c)
{
	return container_of(c, struct ktap_tracepoint, consumer);
}

static __always_inline void tracepoint_fire_record(struct ktap_tracepoint *tp, void *rec,
						   unsigned int len)
{
	/* All members are set below. */
	struct record_event r __uninitialized;

	r.hit.ev.ops = tp->ops;
	r.hit.point = &tp->point;
	ktap_note_here(&r.hit.here);
	r.tp = tp;
	r.rec = rec;
	r.len = len;
	ktap_fire_inline(&r.hit, tp->point.probe);
}

static void tracepoint_hit(struct trace_event_consumer *c, void *rec, unsigned int len)
{
	tracepoint_fire_record(tracepoint_of(c), rec, len);
}
NOKPROBE_SYMBOL(tracepoint_hit);

/*
 * Without a record.  The tracepoint does not disable preemption.  @run: an event of a task needs
 * a run, since the way of the probe is KTAP_FIRE_PLAIN, or its filter is true.
 */
static __always_inline void tracepoint_fire_bare(struct ktap_tracepoint *tp, bool run)
{
	struct ktap_probe *probe = tp->point.probe;
	/* All members are set below. */
	struct ktap_hit hit __uninitialized;

	hit.ev.ops = &plain_ops;
	hit.point = &tp->point;
	ktap_note_here(&hit.here);
	guard(preempt_notrace)();
	if (run && fire_is_task())
		fire_run(&hit, probe, true);
	else
		ktap_fire(&hit);
}

static void tracepoint_bare_hit(struct trace_event_consumer *c, void *rec, unsigned int len)
{
	tracepoint_fire_bare(tracepoint_of(c), false);
}
NOKPROBE_SYMBOL(tracepoint_bare_hit);

/* A tracepoint of any type calls these: see KTAP_SHORT_PROBES. */
static noinline void tracepoint_passed(void *tp)
{
	tracepoint_fire_bare(tp, false);
}
NOKPROBE_SYMBOL(tracepoint_passed);

/* The way of the probe is KTAP_FIRE_PLAIN, or its filter is true. */
static noinline void tracepoint_passed_run(void *tp)
{
	tracepoint_fire_bare(tp, true);
}
NOKPROBE_SYMBOL(tracepoint_passed_run);

/* Do what fire_count(), ktap_fire_act() or fire_test() has left to do; FIRE_FALSE: anything. */
static __always_inline void tracepoint_passed_rest(void *tp, enum fire_rest rest)
{
	if (rest == FIRE_RUN)
		tracepoint_passed_run(tp);
	else if (unlikely(rest))
		tracepoint_passed(tp);
}

/* The way of the probe is KTAP_FIRE_COUNT. */
static void tracepoint_passed_count(void *data)
{
	struct ktap_tracepoint *tp = data;
	enum fire_rest rest = FIRE_FALSE;

	scoped_guard(preempt_notrace) {
		if (fire_is_task())
			rest = fire_count(tp->point.probe);
	}
	tracepoint_passed_rest(tp, rest);
}
NOKPROBE_SYMBOL(tracepoint_passed_count);

/* The way of the probe is KTAP_FIRE_ACT. */
static void tracepoint_passed_act(void *data)
{
	struct ktap_tracepoint *tp = data;
	enum fire_rest rest = FIRE_FALSE;

	scoped_guard(preempt_notrace) {
		if (fire_is_task())
			rest = ktap_fire_act(tp->point.probe, NULL);
	}
	tracepoint_passed_rest(tp, rest);
}
NOKPROBE_SYMBOL(tracepoint_passed_act);

/* The way of the probe is KTAP_FIRE_TEST. */
static void tracepoint_passed_test(void *data)
{
	struct ktap_tracepoint *tp = data;
	enum fire_rest rest = FIRE_FALSE;

	/* The handler runs on the CPU that the filter has compared. */
	guard(preempt_notrace)();
	if (fire_is_task())
		rest = fire_test(tp->point.probe, NULL);
	tracepoint_passed_rest(tp, rest);
	/* The stack of the event begins above this function: make no tail call. */
	barrier();
}
NOKPROBE_SYMBOL(tracepoint_passed_test);

/* The same function, for a probe with this way */
static void *tracepoint_passed_by(enum ktap_fire_way way)
{
	switch (way) {
	case KTAP_FIRE_PLAIN:
		return tracepoint_passed_run;
	case KTAP_FIRE_COUNT:
		return tracepoint_passed_count;
	case KTAP_FIRE_ACT:
		return tracepoint_passed_act;
	case KTAP_FIRE_TEST:
		return tracepoint_passed_test;
	default:
		return tracepoint_passed;
	}
}

#ifdef CONFIG_HAVE_SYSCALL_TRACEPOINTS
/* The records of sys_enter and sys_exit, or their beginning */
struct sys_record {
	struct trace_entry ent;
	long id;
	long ret;
};

/* The handler reads no other field than those that are set. */
static void tracepoint_sys_enter(void *tp, struct pt_regs *regs, long id)
{
	struct sys_record rec __uninitialized;

	rec.id = id;
	guard(preempt_notrace)();
	tracepoint_fire_record(tp, &rec, sizeof(rec));
}
NOKPROBE_SYMBOL(tracepoint_sys_enter);

static void tracepoint_sys_exit(void *tp, struct pt_regs *regs, long ret)
{
	struct sys_record rec __uninitialized;

	rec.id = syscall_get_nr(current, regs);
	rec.ret = ret;
	guard(preempt_notrace)();
	tracepoint_fire_record(tp, &rec, sizeof(rec));
}
NOKPROBE_SYMBOL(tracepoint_sys_exit);
#endif

/* The record is too long, or the CPU has no room for one more. */
static void tracepoint_missed(struct trace_event_consumer *c)
{
	struct ktap_probe *probe = tracepoint_of(c)->point.probe;

	if (ktap_delivers(probe->session))
		ktap_tally_inc(&probe->stats->missed);
}
NOKPROBE_SYMBOL(tracepoint_missed);

/* Name of the lockdep map of all bucket locks in lib/rhashtable.c */
#define BUCKET_LOCK	"rhashtable_bucket"

static bool tracepoint_is_of_bucket(const struct ktap_tracepoint *tp, const void *rec)
{
	u32 loc = *(const u32 *)(rec + tp->lock.offset);

	return !strcmp(rec + (loc & 0xffff), BUCKET_LOCK);
}

/*
 * The hit function of lock_release.  A lookup in fprobe.c must not happen while its
 * table releases a bucket (see func_find_moves_probes()): run no handler then, only
 * notrace functions.  No other lock is released at that point.
 */
static void tracepoint_lock_release_hit(struct trace_event_consumer *c, void *rec,
					unsigned int len)
{
	if (tracepoint_is_of_bucket(tracepoint_of(c), rec))
		tracepoint_missed(c);
	else
		tracepoint_hit(c, rec, len);
}
NOKPROBE_SYMBOL(tracepoint_lock_release_hit);

/* Dynamic events of users may have this name, but cannot be in this system. */
static bool tracepoint_is_lock_release(struct trace_event_call *call)
{
	return IS_ENABLED(CONFIG_FPROBE) && !strcmp(call->class->system, "lock") &&
	       !strcmp(trace_event_name(call), "lock_release");
}

/* May the probe read a field of the record with an offset from @first up to @end? */
static bool tracepoint_reads(const struct ktap_tracepoint *tp, size_t first, size_t end)
{
	const struct ktap_plan *plan = &tp->point.probe->plan;
	const struct ktap_field *f;
	u32 i;

	if (plan->event)
		return true;
	for_each_set_bit(i, plan->fields, tp->point.probe->session->env.prog->nfields) {
		f = &tp->fields[i];
		if (f->kind != KTAP_FIELD_NONE && f->kind != KTAP_FIELD_NAME &&
		    f->offset >= first && f->offset < end)
			return true;
	}
	return false;
}

/*
 * Does the event's function do nothing but to make a record, each time that the tracepoint
 * calls it?  Dynamic, synthetic and user events have a ->reg() of their own.
 */
static bool tracepoint_is_plain(const struct trace_event_call *call)
{
	return call->flags & TRACE_EVENT_FL_TRACEPOINT && call->class->reg == trace_event_reg;
}

#ifdef CONFIG_HAVE_SYSCALL_TRACEPOINTS
static bool tracepoint_records_at(struct trace_event_call *call, char *name, int offset)
{
	const struct ftrace_event_field *field = trace_find_event_field(call, name);

	return field && field->offset == offset && field->size == sizeof(long);
}
#endif

/*
 * The function that the event's tracepoint can call for the probe, or NULL.  All events have
 * the fields of struct trace_entry: they are set for records only.
 */
static void *tracepoint_direct(const struct ktap_tracepoint *tp)
{
	if (!tracepoint_is_plain(tp->call))
		return NULL;
	if (tp->consumer.no_record)
		return KTAP_SHORT_PROBES ? tracepoint_passed : NULL;
#ifdef CONFIG_HAVE_SYSCALL_TRACEPOINTS
	if (tracepoint_reads(tp, 0, offsetof(struct sys_record, id)) ||
	    !tracepoint_records_at(tp->call, "id", offsetof(struct sys_record, id)))
		return NULL;
	if (tp->call->tp == &__tracepoint_sys_enter &&
	    !tracepoint_reads(tp, offsetof(struct sys_record, ret), SIZE_MAX))
		return tracepoint_sys_enter;
	if (tp->call->tp == &__tracepoint_sys_exit &&
	    tracepoint_records_at(tp->call, "ret", offsetof(struct sys_record, ret)))
		return tracepoint_sys_exit;
#endif
	return NULL;
}

/* @own: the stack of the event begins at an address in the record */
static void tracepoint_init_consumer(struct ktap_tracepoint *tp, bool own)
{
	struct ftrace_event_field *field = NULL;

	if (tracepoint_is_lock_release(tp->call))
		field = trace_find_event_field(tp->call, "name");
	if (field)
		ktap_field_init(&tp->lock, field);
	tp->consumer.call = tp->call;
	tp->consumer.missed = tracepoint_missed;
	tp->consumer.no_record = !own && !field && !tracepoint_reads(tp, 0, SIZE_MAX);
	tp->consumer.no_common = !tracepoint_reads(tp, 0, sizeof(struct trace_entry));
	tp->consumer.fn = field			 ? tracepoint_lock_release_hit :
			  tp->consumer.no_record ? tracepoint_bare_hit :
						   tracepoint_hit;
	tp->direct = own || field ? NULL : tracepoint_direct(tp);
}

static void tracepoint_find_field(struct ktap_tracepoint *tp, u32 index)
{
	const struct ktap_program *prog = tp->point.probe->session->env.prog;
	const struct ktap_value *name = prog->fields[index];
	struct ktap_field *f = &tp->fields[index];
	struct ftrace_event_field *field;

	/* e.name is the event's own name, args.name a field. */
	if (index >= prog->nown_fields && !strcmp(name->blob, "name")) {
		f->kind = KTAP_FIELD_NAME;
		goto out;
	}
	field = trace_find_event_field(tp->call, (char *)name->blob);
	if (field)
		ktap_field_init(f, field);
out:
	tp->point.probe->slow_fields |= f->quick == KTAP_FIELD_OTHER;
}

/* Pin an event; false: it goes away, or its module is still being loaded (host/module.h). */
static bool tracepoint_get(struct trace_event_call *call)
{
	if (!trace_event_try_get_ref(call))
		return false;
	if ((call->flags & TRACE_EVENT_FL_DYNAMIC) || !ktap_module_is_coming(call->module))
		return true;
	trace_event_put_ref(call);
	return false;
}

static struct ktap_tracepoint *tracepoint_add(struct ktap_probe *probe,
					      struct trace_event_call *call, bool own)
{
	u32 i, nfields = probe->session->env.prog->nfields;
	struct ktap_tracepoint *tp;

	lockdep_assert_held(&event_mutex);
	/* Before the charge: a pattern goes on without this event. */
	if (!tracepoint_get(call))
		return ERR_PTR(-EBUSY);
	tp = ktap_probe_charge(probe, struct_size(tp, fields, nfields)) ? NULL :
	     kzalloc_flex(*tp, fields, nfields, KTAP_GFP);
	if (!tp) {
		trace_event_put_ref(call);
		return ERR_PTR(-ENOMEM);
	}

	tp->ops = &record_ops;
	tp->call = call;
	ktap_point_init(&tp->point, probe, &ktap_tracepoint_source, trace_event_name(call));
	for_each_set_bit(i, probe->plan.fields, nfields)
		tracepoint_find_field(tp, i);

	tracepoint_init_consumer(tp, own);
	return tp;
}

int ktap_tracepoint_add(struct ktap_probe *probe, struct trace_event_call *call)
{
	return PTR_ERR_OR_ZERO(tracepoint_add(probe, call, false));
}

#ifdef CONFIG_KPROBE_EVENTS
/**
 * ktap_tracepoint_add_own() - Add an event that was created for the probe
 * @probe: the probe
 * @call: the event; it is deleted with the point
 * @func: the function of the event
 * @ret: the event is the function's return
 *
 * Context: process, event_mutex held.
 * Return: 0, or a negative errno: then no point was added.
 */
int ktap_tracepoint_add_own(struct ktap_probe *probe, struct trace_event_call *call,
			    const char *func, bool ret)
{
	const struct ftrace_event_field *field;
	char *name = kstrdup(func, KTAP_GFP);
	struct ktap_tracepoint *tp;

	if (!name)
		return -ENOMEM;
	tp = tracepoint_add(probe, call, true);
	if (IS_ERR(tp)) {
		kfree(name);
		return PTR_ERR(tp);
	}
	tp->ops = &own_ops;
	tp->func = name;
	tp->ret = ret;
	tp->point.name = name;
	tp->point.name_len = strlen(name);
	field = trace_find_event_field(call, ret ? FIELD_STRING_RETIP : FIELD_STRING_IP);
	if (field)
		ktap_field_init(&tp->top, field);
	return 0;
}
#endif

static int tracepoint_attach(struct ktap_point *point)
{
	struct ktap_tracepoint *tp = container_of(point, struct ktap_tracepoint, point);
	unsigned long entry;
	int err;

	/* The way was not known when the point was added. */
	if (tp->direct == tracepoint_passed)
		tp->direct = tracepoint_passed_by(point->probe->quick.way);
	entry = (unsigned long)(tp->direct ?: tp->call->class->probe);
	if (kallsyms_lookup_size_offset(entry, &point->entry_size, NULL))
		point->entry = entry;
	if (tp->direct)
		return tracepoint_probe_register(tp->call->tp, tp->direct, tp);
	err = trace_event_consumer_register(&tp->consumer);
	/* Perf uses a uprobe event: for the caller, -EINTR is the end of the session. */
	return err == -EINTR ? -EBUSY : err;
}

static const char *tracepoint_why(int err)
{
	return err == -EBUSY ? "perf uses it" : NULL;
}

static void tracepoint_detach(struct ktap_point *point)
{
	struct ktap_tracepoint *tp = container_of(point, struct ktap_tracepoint, point);

	if (tp->call->flags & TRACE_EVENT_FL_TRACEPOINT)
		ktap_stand_in_put(point->probe->session, tp->call->tp);
	if (tp->direct)
		tracepoint_probe_unregister(tp->call->tp, tp->direct, tp);
	else
		trace_event_consumer_unregister(&tp->consumer);
}

/* Is @name a field of the record?  Fields that exist only for filters are not. */
static bool tracepoint_records(const struct ktap_tracepoint *tp, const char *name)
{
	const struct ftrace_event_field *field;

	list_for_each_entry(field, trace_get_fields(tp->call), link) {
		if (!strcmp(field->name, name))
			return true;
	}
	return false;
}

static bool tracepoint_has(const struct ktap_point *point, enum ktap_part part, u32 n)
{
	const struct ktap_tracepoint *tp = container_of(point, struct ktap_tracepoint, point);
	const struct ktap_program *prog = point->probe->session->env.prog;

	switch (part) {
	case KTAP_PART_FIELD:
		/* A field of a type that scripts cannot hold exists, and is nil. */
		return tp->fields[n].kind != KTAP_FIELD_NONE ||
		       tracepoint_records(tp, prog->fields[n]->blob);
	case KTAP_PART_ARG:
		return n < list_count_nodes(trace_get_fields(tp->call));
	default:
		return false;
	}
}

static void tracepoint_near(const struct ktap_point *point, struct ktap_suggest *near)
{
	const struct ktap_tracepoint *tp = container_of(point, struct ktap_tracepoint, point);
	const struct ftrace_event_field *field;

	list_for_each_entry(field, trace_get_fields(tp->call), link)
		ktap_suggest_look(near, field->name);
}

static void tracepoint_release(struct ktap_point *point)
{
	struct ktap_tracepoint *tp = container_of(point, struct ktap_tracepoint, point);

	if (tp->func)
		ktap_dynevent_release(point->probe, tp->call);
	else
		trace_event_put_ref(tp->call);
	kfree(tp->func);
	kfree(tp);
}

const struct ktap_source ktap_tracepoint_source = {
	.name = "tracepoint",
	.switches = true,
	.quick_fields = true,
	.attach = tracepoint_attach,
	.refused = "its tracepoint cannot be switched on",
	.why = tracepoint_why,
	.has = tracepoint_has,
	.near = tracepoint_near,
	.detach = tracepoint_detach,
	.release = tracepoint_release,
};

/*
 * Shared by the readers of all sessions.  The first event that is read allocates it,
 * ktap_activation_put() frees it with the activations.
 */
static DEFINE_MUTEX(format_lock);
static struct trace_iterator *format_iter;

void ktap_event_format_free(void)
{
	guard(mutex)(&format_lock);
	kvfree(format_iter);
	format_iter = NULL;
}

/* Append what fits, as other text of a record: all of the buffer is text if it overflows. */
static void event_format_put(struct seq_buf *s, const char *text, size_t len)
{
	size_t room = seq_buf_buffer_left(s);

	seq_buf_putmem(s, text, min(len, room));
	if (len > room)
		seq_buf_set_overflow(s);
}

/*
 * A session pins its events until it is closed, so the type number of a saved record
 * cannot be reused for another event.
 */
void ktap_event_format(struct seq_buf *s, const void *saved, size_t len)
{
	const struct trace_entry *ent = saved;
	struct trace_iterator *iter;
	struct trace_event *event;

	if (len < sizeof(*ent))
		return;
	/* session_dump.c shows the output: locks and memory may not be had. */
	if (panic_in_progress()) {
		event_format_put(s, "(text of an event)\n", strlen("(text of an event)\n"));
		return;
	}

	guard(mutex)(&format_lock);
	if (!format_iter)
		format_iter = kvzalloc_obj(*format_iter, KTAP_GFP);
	iter = format_iter;
	if (!iter) {
		event_format_put(s, "(no memory)\n", strlen("(no memory)\n"));
		return;
	}

	iter->tr = top_trace_array();
	trace_event_read_lock();
	event = ftrace_find_event(ent->type);
	if (event) {
		ktap_record_text(iter, event, saved, len);
		event_format_put(s, iter->seq.buffer, trace_seq_used(&iter->seq));
	}
	trace_event_read_unlock();
	/* trace_event_format() may have allocated it. */
	kfree(iter->fmt);
	iter->fmt = NULL;
	iter->fmt_size = 0;
}
