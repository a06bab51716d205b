// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel functions as events: fields, arguments and stack of an entry or a return,
 * from fprobes, kprobes, the function tracer and raw tracepoints.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../trace.h"
#include "../../trace_output.h"
#include "btf/btf_read.h"
#include "data/suggest.h"
#include "event/func_event.h"
#include "event/registers.h"
#include "session.h"

/* Number of arguments that ftrace_regs_get_argument() can read; others read as 0. */
#if defined(CONFIG_ARM64) || defined(CONFIG_RISCV) || defined(CONFIG_PPC)
#define GIVEN_ARGS	8
#else
#define GIVEN_ARGS	U8_MAX
#endif

/* Does ftrace save the frame pointer that a walk can begin with? */
#if KTAP_WALKS_FROM_HERE && !defined(CONFIG_X86_64) && defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#define FUNC_SAVES_FRAME	1
#else
#define FUNC_SAVES_FRAME	0
#endif

/* Estimate of the memory that ftrace, fprobe or kprobes allocate for a function */
#define KFN_KERNEL_BYTES	128

enum fn_field {
	FIELD_NONE,
	FIELD_NAME,
	FIELD_IP,
	FIELD_CALLER,
	FIELD_PARAM,	/* see &ktap_kfn_point.params */
};

static const char * const field_names[] = {
	[FIELD_NAME]	= "name",
	[FIELD_IP]	= "ip",
	[FIELD_CALLER]	= "parent_ip",
};

static const struct ktap_kfn_hit *func_fn_hit_of(const struct ktap_event *ev)
{
	return container_of(ev, struct ktap_kfn_hit, hit.ev);
}

static const struct ktap_kfn_point *func_fn_point_of(const struct ktap_kfn_hit *h)
{
	return container_of(h->hit.point, struct ktap_kfn_point, point);
}

/* Return the function at @ip, or NULL.  Context: any. */
const struct ktap_kfn *ktap_kfn_find(const struct ktap_kfns *fns, unsigned long ip)
{
	unsigned int low = 0, high = fns->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (fns->fn[mid].ip == ip)
			return &fns->fn[mid];
		if (fns->fn[mid].ip < ip)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static void func_fn_name(const struct ktap_event *ev, struct ktap_value *v)
{
	const struct ktap_kfn_hit *h = func_fn_hit_of(ev);
	const struct ktap_kfns *fns = &func_fn_point_of(h)->fns;
	const struct ktap_kfn *fn = ktap_kfn_find(fns, h->ip);

	*v = fn ? KTAP_VALUE_STR(fns->names + fn->name, fn->len) : KTAP_VALUE_NIL;
}

static void func_get_field(const struct ktap_kfn_hit *h, enum fn_field field, struct ktap_value *v)
{
	*v = KTAP_VALUE_NIL;
	switch (field) {
	case FIELD_NONE:
	case FIELD_PARAM:
		break;
	case FIELD_NAME:
		func_fn_name(&h->hit.ev, v);
		break;
	case FIELD_IP:
		*v = KTAP_VALUE_INT(h->ip);
		break;
	case FIELD_CALLER:
		*v = KTAP_VALUE_INT(h->caller);
		break;
	}
}

static unsigned long func_get_argument(struct ftrace_regs *fregs, unsigned int n)
{
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
	return ftrace_regs_get_argument(fregs, n);
#else
	return 0;
#endif
}

static unsigned long func_get_return_value(struct ftrace_regs *fregs)
{
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
	return ftrace_regs_get_return_value(fregs);
#else
	return 0;
#endif
}

/* False if the argument is not available at this event. */
static bool func_read_argument(const struct ktap_kfn_hit *h, u32 n, unsigned long *value)
{
	const struct ktap_kfn_point *f = func_fn_point_of(h);

	if (!ktap_index(&n, f->nargs))
		return false;
	if (h->args)
		*value = h->args[n];
	else if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) && h->fregs && !f->ret)
		*value = func_get_argument(h->fregs, n);
	else
		return false;
	return true;
}

/* Return the type of a parameter or of the return value, NULL if it has no slot. */
static const struct ktap_load *func_fn_load(const struct ktap_kfn_hit *h, u16 slot)
{
	const struct ktap_kfn_point *f = func_fn_point_of(h);
	const struct ktap_kfn *fn;

	if (slot == KTAP_KFN_NO_SLOT)
		return NULL;
	fn = f->fns.n == 1 ? f->fns.fn : ktap_kfn_find(&f->fns, h->ip);
	return fn ? &f->slots[(fn - f->fns.fn) * f->nslots + slot] : NULL;
}

/* An argument without a name is an integer, even if it is a pointer. */
static void func_get_number(const struct ktap_load *load, unsigned long value, struct ktap_value *v)
{
	*v = KTAP_VALUE_INT(value);
	if (load && (load->kind == KTAP_LOAD_SIGNED || load->kind == KTAP_LOAD_UNSIGNED))
		ktap_load_register(v, value, load);
}

static void func_fn_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	const struct ktap_kfn_hit *h = func_fn_hit_of(vm->event);
	const struct ktap_kfn_point *f = func_fn_point_of(h);
	unsigned long value;

	*v = KTAP_VALUE_NIL;
	if (ktap_index(&n, KTAP_KFN_ARGS) && func_read_argument(h, n + f->hidden, &value))
		func_get_number(func_fn_load(h, f->args[n]), value, v);
}

static void func_get_param(const struct ktap_kfn_hit *h, u16 slot, struct ktap_value *v)
{
	const struct ktap_load *param = func_fn_load(h, slot);
	unsigned long value;

	*v = KTAP_VALUE_NIL;
	if (param && param->size && func_read_argument(h, param->offset, &value))
		ktap_load_register(v, value, param);
}

static void func_fn_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct ktap_kfn_hit *h = func_fn_hit_of(vm->event);
	const struct ktap_kfn_point *f = func_fn_point_of(h);

	if (f->fields[index] == FIELD_PARAM)
		func_get_param(h, f->params[index], v);
	else
		func_get_field(h, f->fields[index], v);
}

/* In the order of the format of ftrace:function */
static void func_fn_nth(struct ktap_vm *vm, s64 n, struct ktap_value *v)
{
	func_get_field(func_fn_hit_of(vm->event),
		       n == 1 ? FIELD_IP :
		       n == 2 ? FIELD_CALLER :
				FIELD_NONE,
		       v);
}

static void func_fn_retval(const struct ktap_event *ev, struct ktap_value *v)
{
	const struct ktap_kfn_hit *h = func_fn_hit_of(ev);
	const struct ktap_kfn_point *f = func_fn_point_of(h);
	const struct ktap_load *load;
	unsigned long value;

	*v = KTAP_VALUE_NIL;
	if (f->ret && h->fregs)
		value = func_get_return_value(h->fregs);
	else if (f->ret && h->regs)
		value = ktap_returned(h->regs);
	else
		return;
	load = func_fn_load(h, f->result);
	if (load && load->size && f->fns.n == 1)
		ktap_load_register(v, value, load);
	else
		func_get_number(load, value, v);
}

/* The stack begins with the function at its entry, with the caller at its return. */
static void func_fn_top(const struct ktap_event *ev, unsigned long *start, unsigned long *size)
{
	const struct ktap_kfn_hit *h = func_fn_hit_of(ev);
	unsigned long offset;

	*start = h->caller;
	*size = 1;
	if (func_fn_point_of(h)->ret)
		return;
	*size = 0;
	if (kallsyms_lookup_size_offset(h->ip, size, &offset))
		*start = h->ip - offset;
}

/*
 * Begin with the caller: its frame pointer is there at an entry and at a return, and ftrace
 * saves it.
 *
 * On arm64 and riscv a walk through return_to_handler(), which has no frame record, misses the
 * function that it returns to.  On powerpc the walk shows return_to_handler() instead: begin with
 * the frame above it.
 */
static bool func_begin_at_caller(const struct ktap_kfn_hit *h, struct ktap_here *here)
{
#if FUNC_SAVES_FRAME
	unsigned long frame = ftrace_regs_get_frame_pointer(h->fregs);

	here->ip = h->caller;
	/* riscv only tests that frames are above it. */
	here->sp = IS_ENABLED(CONFIG_PPC) ? READ_ONCE(*(unsigned long *)frame) :
					    (unsigned long)h->fregs;
	here->bp = frame;
	return true;
#else
	return false;
#endif
}

/*
 * A function that is entered has no frame yet.  On riscv ftrace makes none for it: a walk through
 * ftrace misses the function and its caller.  On powerpc ftrace makes one.
 */
static bool __maybe_unused func_begin_above_entry(const struct ktap_kfn_hit *h,
						  struct ktap_here *here)
{
	return !IS_ENABLED(CONFIG_PPC) && func_begin_at_caller(h, here);
}

/* An unwinder by tables begins in the function; ftrace saves the registers that it needs. */
static bool func_begin_at_entry(const struct ktap_kfn_hit *h, struct ktap_here *here,
				unsigned long *first)
{
#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC) && \
	defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
	const struct pt_regs *regs = &arch_ftrace_regs(h->fregs)->regs;

	/* Another user may have changed regs->ip to replace the function. */
	here->ip = h->ip + MCOUNT_INSN_SIZE;
	here->sp = regs->sp;
	here->bp = regs->bp;
	return true;
#elif FUNC_SAVES_FRAME
	*first = h->ip + MCOUNT_INSN_SIZE;
	return func_begin_above_entry(h, here);
#else
	return false;
#endif
}

static bool func_fn_begin(const struct ktap_event *ev, struct ktap_here *here, unsigned long *first)
{
	const struct ktap_kfn_hit *h = func_fn_hit_of(ev);

	if (!h->fregs)
		return false;
	return func_fn_point_of(h)->ret ? func_begin_at_caller(h, here) :
					  func_begin_at_entry(h, here, first);
}

static struct pt_regs *func_fn_regs(const struct ktap_event *ev)
{
	const struct ktap_kfn_hit *h = func_fn_hit_of(ev);

	return func_fn_point_of(h)->ret ? NULL : h->regs;
}

/* The record of the function tracer, without arguments */
#define RECORD_LEN	offsetof(struct ftrace_entry, args)

static struct trace_event *fn_event;

static size_t func_fn_save(const struct ktap_event *ev, void *buf, size_t size)
{
	const struct ktap_kfn_hit *h = func_fn_hit_of(ev);
	struct ftrace_entry *rec = buf;

	if (size < RECORD_LEN)
		return RECORD_LEN;
	tracing_generic_entry_update(&rec->ent, TRACE_FN, tracing_gen_ctx());
	rec->ip = h->ip;
	rec->parent_ip = h->caller;
	return RECORD_LEN;
}

static int func_fn_text(struct ktap_vm *vm, struct ktap_value *v)
{
	struct trace_iterator *iter = ktap_activation_iter(vm->level);
	struct ftrace_entry rec;

	*v = KTAP_VALUE_NIL;
	if (!iter || !fn_event)
		return 0;
	func_fn_save(vm->event, &rec, sizeof(rec));
	ktap_record_text(iter, fn_event, &rec, RECORD_LEN);
	return ktap_make_string(vm, iter->seq.buffer, trace_seq_used(&iter->seq), v);
}

const struct ktap_event_ops ktap_kfn_ops = {
	.name = func_fn_name,
	.field = func_fn_field,
	.nth = func_fn_nth,
	.arg = func_fn_arg,
	.retval = func_fn_retval,
	.func = func_fn_name,
	.regs = func_fn_regs,
	.top = func_fn_top,
	.begin = func_fn_begin,
	.text = func_fn_text,
	.save = func_fn_save,
	.set_retval = ktap_kfn_inject,
};

/* The stack begins with the function that contains the tracepoint. */
static void func_rawtp_top(const struct ktap_event *ev, unsigned long *start, unsigned long *size)
{
	*start = func_fn_hit_of(ev)->caller;
	*size = 1;
}

/* The function that is entered is the stub of the tracepoint. */
static bool func_rawtp_begin(const struct ktap_event *ev, struct ktap_here *here,
			     unsigned long *first)
{
	const struct ktap_kfn_hit *h = func_fn_hit_of(ev);

	return h->fregs && func_begin_above_entry(h, here);
}

/* Without .text and .save: a raw tracepoint has no record. */
const struct ktap_event_ops ktap_rawtp_ops = {
	.name = func_fn_name,
	.field = func_fn_field,
	.nth = func_fn_nth,
	.arg = func_fn_arg,
	.top = func_rawtp_top,
	.begin = func_rawtp_begin,
};

static void func_find_fields(struct ktap_kfn_point *f, const struct ktap_program *prog)
{
	enum fn_field field;
	u32 i;

	for (i = 0; i < prog->nfields; i++) {
		for (field = FIELD_NAME; field < ARRAY_SIZE(field_names); field++) {
			if (!strcmp(prog->fields[i]->blob, field_names[field]))
				f->fields[i] = field;
		}
	}
}

/* e.name is the event's own name, args.name a parameter. */
static bool func_fn_may_be_param(const struct ktap_kfn_point *f, const struct ktap_program *prog,
				 u32 i)
{
	return i < prog->nown_fields || !f->fields[i] || f->fields[i] == FIELD_PARAM;
}

/* Give a slot to each part that the probe may read, and allocate those of all functions. */
static int func_fn_take_slots(struct ktap_kfn_point *f, const struct ktap_program *prog)
{
	const struct ktap_plan *plan = &f->point.probe->plan;
	size_t size;
	u32 i;

	f->params = kcalloc(max(prog->nfields, 1), sizeof(*f->params), KTAP_GFP);
	if (!f->params)
		return -ENOMEM;
	for (i = 0; i < prog->nfields; i++) {
		f->params[i] = KTAP_KFN_NO_SLOT;
		if (test_bit(i, plan->fields) && func_fn_may_be_param(f, prog, i))
			f->params[i] = f->nslots++;
	}
	for (i = 0; i < KTAP_KFN_ARGS; i++) {
		if (plan->args & BIT(i))
			f->args[i] = f->nslots++;
	}
	if (plan->retval && f->ret)
		f->result = f->nslots++;
	if (!f->nslots)
		return 0;
	size = array_size(f->nslots, sizeof(*f->slots));
	if (ktap_probe_charge(f->point.probe, array_size(f->fns.n, size)))
		return -ENOMEM;
	f->slots = kvcalloc(f->fns.n, size, KTAP_GFP);
	return f->slots ? 0 : -ENOMEM;
}

/* Set the slots of one function to the types of its prototype. */
static void func_fn_fill_slots(struct ktap_kfn_point *f, const struct ktap_program *prog, u32 proto,
			       struct ktap_load *slots)
{
	struct ktap_load load;
	u32 i;
	int n;

	for (i = 0; i < prog->nfields; i++) {
		if (f->params[i] == KTAP_KFN_NO_SLOT)
			continue;
		n = ktap_btf_param(proto, prog->fields[i]->blob, &load);
		if (n < f->hidden || n >= KTAP_KFN_ARGS + f->hidden)
			continue;
		load.offset = n;
		slots[f->params[i]] = load;
		f->fields[i] = FIELD_PARAM;
		f->nargs = max_t(u8, f->nargs, n + 1);
	}
	for (i = 0; i < KTAP_KFN_ARGS; i++) {
		if (f->args[i] != KTAP_KFN_NO_SLOT)
			ktap_btf_param_at(proto, i + f->hidden, &slots[f->args[i]]);
	}
	if (f->result == KTAP_KFN_NO_SLOT)
		return;
	/* The result is void: set a size, so that it differs from a type that is not known. */
	if (ktap_btf_result(proto, &slots[f->result]) && !slots[f->result].size)
		slots[f->result].size = 1;
}

static u32 func_fn_proto(const struct ktap_kfn_point *f, const struct ktap_kfn *fn,
			 struct ktap_btf_set *types)
{
	char name[KSYM_NAME_LEN];

	snprintf(name, sizeof(name), "%s%.*s", f->hidden ? "__probestub_" : "", fn->len,
		 f->fns.names + fn->name);
	return ktap_btf_function(fn->mod ? module_name(fn->mod) : "", name, types);
}

static bool func_fn_is_narrow(const struct ktap_load *load)
{
	return (load->kind == KTAP_LOAD_SIGNED || load->kind == KTAP_LOAD_UNSIGNED) &&
	       load->size < sizeof(u64);
}

/*
 * Drop a slot if none of the functions needs a conversion of the value: then events
 * do not have to look up their function.
 */
static void func_fn_drop_wide(struct ktap_kfn_point *f, u16 *slot)
{
	unsigned int i;

	if (*slot == KTAP_KFN_NO_SLOT)
		return;
	for (i = 0; i < f->fns.n; i++) {
		if (func_fn_is_narrow(&f->slots[(size_t)i * f->nslots + *slot]))
			return;
	}
	*slot = KTAP_KFN_NO_SLOT;
}

/* Looking up thousands of names takes a while: -EINTR if the session ends meanwhile. */
static int func_fn_find_protos(struct ktap_kfn_point *f, struct ktap_program *prog)
{
	unsigned int i;
	u32 proto;

	for (i = 0; i < f->fns.n; i++) {
		cond_resched();
		if (ktap_unloads(f->point.probe->session))
			return -EINTR;
		proto = func_fn_proto(f, &f->fns.fn[i], &prog->types);
		if (proto)
			func_fn_fill_slots(f, prog, proto, f->slots + (size_t)i * f->nslots);
	}
	if (f->fns.n == 1)
		return 0;
	for (i = 0; i < KTAP_KFN_ARGS; i++)
		func_fn_drop_wide(f, &f->args[i]);
	func_fn_drop_wide(f, &f->result);
	return 0;
}

/*
 * Find the types of parameters and return values.  Without CAP_PERFMON a script may
 * not follow pointers (permissions.c): it gets integers.
 */
static int func_find_types(struct ktap_kfn_point *f, struct ktap_env *env, bool perfmon)
{
	struct ktap_program *prog = env->prog;

	if (!perfmon || ktap_btf_begin())
		return 0;
	if (func_fn_take_slots(f, prog))
		return -ENOMEM;
	if (!f->nslots)
		return 0;
	return ktap_members_init(env) ?: func_fn_find_protos(f, prog);
}

static size_t func_kfn_memory(const struct ktap_kfn_point *f, const struct ktap_program *prog)
{
	return sizeof(*f) + f->fns.size * sizeof(*f->fns.fn) + f->fns.names_size +
	       (size_t)f->fns.n * KFN_KERNEL_BYTES +
	       prog->nfields * (sizeof(*f->fields) + sizeof(*f->params));
}

/**
 * ktap_kfn_init() - Initialize a point of functions and add it to the probe
 * @vm: for errors
 * @f: the point; from now on @source->release() frees it
 * @probe: the probe
 * @source: the source of the events
 * @fns: the functions; moved to the point, unless they are there
 *
 * Return: 0, or a negative errno with the error set in @vm.
 */
int ktap_kfn_init(struct ktap_vm *vm, struct ktap_kfn_point *f, struct ktap_probe *probe,
		  const struct ktap_source *source, struct ktap_kfns *fns)
{
	const struct ktap_program *prog = vm->env->prog;
	int err;

	swap(f->fns, *fns);
	ktap_point_init(&f->point, probe, source, probe->event);
	ktap_point_events(&f->point, f->fns.n);
	if (ktap_probe_charge(probe, func_kfn_memory(f, prog)))
		return -ENOMEM;
	/* Only these are kept until the return; func_fn_fill_slots() adds those with names. */
	f->nargs = min(fls(probe->plan.args), KTAP_KFN_ARGS) + f->hidden;
	if (!fn_event) {
		trace_event_read_lock();
		fn_event = ftrace_find_event(TRACE_FN);
		trace_event_read_unlock();
	}
	memset(f->args, 0xff, sizeof(f->args));
	f->result = KTAP_KFN_NO_SLOT;
	f->fields = kzalloc(max(prog->nfields, 1), KTAP_GFP);
	if (!f->fields)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	func_find_fields(f, prog);
	err = func_find_types(f, vm->env, probe->session->perfmon);
	if (err)
		return ktap_vm_error(vm, err, err == -EINTR ? "the session ends" : "no memory");
	f->nargs = min(f->nargs, GIVEN_ARGS);
	return 0;
}

/* May the probe read an argument or the registers, by name, by number or by the event? */
bool ktap_kfn_reads_args(const struct ktap_kfn_point *f, u32 nfields)
{
	return f->point.probe->plan.event || memchr(f->fields, FIELD_PARAM, nfields);
}

/* ktap_source.release() of functions: free the point, which begins with its functions. */
void ktap_kfn_release(struct ktap_point *point)
{
	struct ktap_kfn_point *f = container_of(point, struct ktap_kfn_point, point);

	ktap_kfns_free(&f->fns);
	kfree(f->fields);
	kfree(f->params);
	kvfree(f->slots);
	kvfree(f);
}

bool ktap_kfn_has(const struct ktap_point *point, enum ktap_part part, u32 n)
{
	const struct ktap_kfn_point *f = container_of(point, struct ktap_kfn_point, point);

	switch (part) {
	case KTAP_PART_FIELD:
		return f->fields[n] != FIELD_NONE;
	case KTAP_PART_ARG:
		/* nargs is what the probe may read, limited by the machine. */
		return n < KTAP_KFN_ARGS && n + f->hidden < f->nargs;
	case KTAP_PART_RETVAL:
		return f->ret;
	case KTAP_PART_REGISTERS:
		/* Others have no more registers than they need. */
		return IS_ENABLED(CONFIG_KPROBES) && point->source == &ktap_kprobe_source &&
		       !f->ret;
	}
	return false;
}

/* Suggest names of parameters only for a single function. */
void ktap_kfn_near(const struct ktap_point *point, struct ktap_suggest *near)
{
	const struct ktap_kfn_point *f = container_of(point, struct ktap_kfn_point, point);
	enum fn_field field;
	u32 proto;

	for (field = FIELD_NAME; field < ARRAY_SIZE(field_names); field++)
		ktap_suggest_look(near, field_names[field]);
	if (f->fns.n != 1 || ktap_btf_begin())
		return;
	proto = func_fn_proto(f, f->fns.fn, &point->probe->session->env.prog->types);
	if (proto)
		ktap_btf_near_param(proto, f->hidden, near);
}

const char *ktap_kfn_advice(const struct ktap_point *point)
{
	static const char no_types[] =
		"this kernel has no types (CONFIG_DEBUG_INFO_BTF), arg0 is the first argument";
	int err = ktap_btf_begin();

	if (err == -EPERM)
		return "the kernel is locked down, its types cannot be read";
	return err ? no_types : NULL;
}

/* ktap_source.why() of the function tracer and of fprobes */
const char *ktap_kfn_why(int err)
{
	switch (err) {
	case -ENODEV:
		return "the function tracer has switched itself off, since it found a fault";
	case -ENOENT:
	case -EINVAL:
		return "a function has been removed";
	case -ENOSPC:
		return "too many others wait for functions to return";
	}
	return NULL;
}
