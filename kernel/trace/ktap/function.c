// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the kernel as events: what a handler sees of an entry or a return,
 * whoever noticed it.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../trace.h"
#include "../trace_output.h"
#include "function.h"
#include "member.h"
#include "registers.h"

/* How many arguments the machine's functions give, which have 0 for all others. */
#if defined(CONFIG_ARM64) || defined(CONFIG_RISCV) || defined(CONFIG_PPC)
#define GIVEN_ARGS	8
#else
#define GIVEN_ARGS	U8_MAX
#endif

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

static const struct ktap_kfn_hit *fn_hit_of(const struct ktap_event *ev)
{
	return container_of(ev, struct ktap_kfn_hit, hit.ev);
}

static const struct ktap_kfn *find_fn(const struct ktap_kfns *fns, unsigned long ip)
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

static void fn_name(const struct ktap_event *ev, struct ktap_value *v)
{
	const struct ktap_kfn_hit *h = fn_hit_of(ev);
	const struct ktap_kfns *fns = &h->f->fns;
	const struct ktap_kfn *fn = find_fn(fns, h->ip);

	*v = fn ? KTAP_VALUE_STR(fns->names + fn->name, fn->len) : KTAP_VALUE_NIL;
}

static void get_field(const struct ktap_kfn_hit *h, enum fn_field field, struct ktap_value *v)
{
	*v = KTAP_VALUE_NIL;
	switch (field) {
	case FIELD_NONE:
	case FIELD_PARAM:
		break;
	case FIELD_NAME:
		fn_name(&h->hit.ev, v);
		break;
	case FIELD_IP:
		*v = KTAP_VALUE_INT(h->ip);
		break;
	case FIELD_CALLER:
		*v = KTAP_VALUE_INT(h->caller);
		break;
	}
}

static unsigned long get_argument(struct ftrace_regs *fregs, unsigned int n)
{
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
	return ftrace_regs_get_argument(fregs, n);
#else
	return 0;
#endif
}

static unsigned long get_return_value(struct ftrace_regs *fregs)
{
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
	return ftrace_regs_get_return_value(fregs);
#else
	return 0;
#endif
}

/* False: it is not known here. */
static bool read_argument(const struct ktap_kfn_hit *h, u32 n, unsigned long *value)
{
	if (!ktap_index(&n, h->f->nargs))
		return false;
	if (h->args)
		*value = h->args[n];
	else if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) && h->fregs && !h->f->ret)
		*value = get_argument(h->fregs, n);
	else
		return false;
	return true;
}

static void fn_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	const struct ktap_kfn_hit *h = fn_hit_of(vm->event);
	unsigned long value;

	*v = KTAP_VALUE_NIL;
	if (n < KTAP_KFN_ARGS && read_argument(h, n + h->f->hidden, &value))
		*v = KTAP_VALUE_INT(value);
}

static void get_param(const struct ktap_kfn_hit *h, const struct ktap_load *param,
		      struct ktap_value *v)
{
	unsigned long value;

	*v = KTAP_VALUE_NIL;
	if (read_argument(h, param->offset, &value))
		ktap_load_register(v, value, param);
}

static void fn_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct ktap_kfn_hit *h = fn_hit_of(vm->event);

	if (h->f->fields[index] == FIELD_PARAM)
		get_param(h, &h->f->params[index], v);
	else
		get_field(h, h->f->fields[index], v);
}

/* As in the format of ftrace:function */
static void fn_nth(struct ktap_vm *vm, s64 n, struct ktap_value *v)
{
	get_field(fn_hit_of(vm->event), n == 1 ? FIELD_IP : n == 2 ? FIELD_CALLER : FIELD_NONE, v);
}

static void fn_retval(const struct ktap_event *ev, struct ktap_value *v)
{
	const struct ktap_kfn_hit *h = fn_hit_of(ev);

	unsigned long value;

	*v = KTAP_VALUE_NIL;
	if (h->f->ret && h->fregs)
		value = get_return_value(h->fregs);
	else if (h->f->ret && h->regs)
		value = ktap_returned(h->regs);
	else
		return;
	if (h->f->typed)
		ktap_load_register(v, value, &h->f->result);
	else
		*v = KTAP_VALUE_INT(value);
}

/* At the entry the stack begins with the function, at its return with the caller. */
static void fn_top(const struct ktap_event *ev, unsigned long *start, unsigned long *size)
{
	const struct ktap_kfn_hit *h = fn_hit_of(ev);
	unsigned long offset;

	*start = h->caller;
	*size = 1;
	if (h->f->ret)
		return;
	*size = 0;
	if (kallsyms_lookup_size_offset(h->ip, size, &offset))
		*start = h->ip - offset;
}

static struct pt_regs *fn_regs(const struct ktap_event *ev)
{
	const struct ktap_kfn_hit *h = fn_hit_of(ev);

	return h->f->ret ? NULL : h->regs;
}

/* The record of the function tracer, without arguments, and what makes its text. */
#define RECORD_LEN	offsetof(struct ftrace_entry, args)

static struct trace_event *fn_event;

static size_t fn_save(const struct ktap_event *ev, void *buf, size_t size)
{
	const struct ktap_kfn_hit *h = fn_hit_of(ev);
	struct ftrace_entry *rec = buf;

	if (size < RECORD_LEN)
		return RECORD_LEN;
	tracing_generic_entry_update(&rec->ent, TRACE_FN, tracing_gen_ctx());
	rec->ip = h->ip;
	rec->parent_ip = h->caller;
	return RECORD_LEN;
}

static int fn_text(struct ktap_vm *vm, struct ktap_value *v)
{
	struct trace_iterator *iter = ktap_activation_iter(vm->level);
	struct ftrace_entry rec;

	*v = KTAP_VALUE_NIL;
	if (!iter || !fn_event)
		return 0;
	fn_save(vm->event, &rec, sizeof(rec));
	ktap_record_text(iter, fn_event, &rec, RECORD_LEN);
	return ktap_make_string(vm, iter->seq.buffer, trace_seq_used(&iter->seq), v);
}

const struct ktap_event_ops ktap_kfn_ops = {
	.name = fn_name,
	.field = fn_field,
	.nth = fn_nth,
	.arg = fn_arg,
	.retval = fn_retval,
	.func = fn_name,
	.regs = fn_regs,
	.top = fn_top,
	.text = fn_text,
	.save = fn_save,
	.set_retval = ktap_kfn_inject,
};

/* A tracepoint's stack begins with the function that it stands in. */
static void rawtp_top(const struct ktap_event *ev, unsigned long *start, unsigned long *size)
{
	*start = fn_hit_of(ev)->caller;
	*size = 1;
}

/* There is no record that could be printed. */
const struct ktap_event_ops ktap_rawtp_ops = {
	.name = fn_name,
	.field = fn_field,
	.nth = fn_nth,
	.arg = fn_arg,
	.top = rawtp_top,
};

static void find_fields(struct ktap_kfn_point *f, const struct ktap_program *prog)
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

/* How many arguments handlers may ask for: only these are kept until the return. */
static unsigned int wanted_args(const struct ktap_program *prog)
{
	unsigned int n = 0;
	u32 i;

	for (i = 0; i < prog->ninsns; i++) {
		if (prog->code[i].op == KTAP_OP_ARG)
			n = max_t(unsigned int, n, prog->code[i].d + 1);
	}
	return min(n, KTAP_KFN_ARGS);
}

/* Fields that are parameters of the function. */
static int find_params(struct ktap_kfn_point *f, const struct ktap_program *prog, u32 proto)
{
	struct ktap_load load;
	u32 i;
	int n;

	f->params = kcalloc(max(prog->nfields, 1), sizeof(*f->params), GFP_KERNEL_ACCOUNT);
	if (!f->params)
		return -ENOMEM;

	/* e.name is the event's own name, args.name a parameter. */
	for (i = 0; i < prog->nfields; i++) {
		n = ktap_btf_param(proto, prog->fields[i]->blob, &load);
		if (n < f->hidden || n >= KTAP_KFN_ARGS + f->hidden ||
		    (i >= prog->nown_fields && f->fields[i]))
			continue;
		f->params[i] = load;
		f->params[i].offset = n;
		f->fields[i] = FIELD_PARAM;
		f->nargs = max_t(u8, f->nargs, n + 1);
	}
	return 0;
}

/*
 * What is known of the function, if there is but one.  What pointers point to is
 * not for everybody (session.c): who may not read it gets integers.
 */
static int find_types(struct ktap_kfn_point *f, struct ktap_env *env, bool perfmon)
{
	const struct ktap_kfn *fn = f->fns.fn;
	struct ktap_program *prog = env->prog;
	char name[KSYM_NAME_LEN];
	u32 proto;

	if (f->fns.n != 1 || !perfmon || ktap_btf_begin())
		return 0;
	snprintf(name, sizeof(name), "%s%.*s", f->hidden ? "__probestub_" : "", fn->len,
		 f->fns.names + fn->name);
	proto = ktap_btf_function(fn->mod ? module_name(fn->mod) : "", name, &prog->types);
	if (!proto)
		return 0;
	f->typed = f->ret && ktap_btf_result(proto, &f->result);
	return ktap_members_init(env) ?: find_params(f, prog, proto);
}

/**
 * ktap_kfn_init() - Makes a point of functions
 * @vm: for errors
 * @f: zeroed; freed by @source->release() from now on
 * @probe: the clause
 * @source: kind of probe
 * @fns: the functions, which become the point's
 *
 * Return: 0, or an error that is set.
 */
int ktap_kfn_init(struct ktap_vm *vm, struct ktap_kfn_point *f, struct ktap_probe *probe,
		  const struct ktap_source *source, struct ktap_kfns *fns)
{
	const struct ktap_program *prog = vm->env->prog;

	f->fns = *fns;
	*fns = (struct ktap_kfns){};
	ktap_point_init(&f->point, probe, source, probe->event);
	ktap_point_events(&f->point, f->fns.n);
	f->nargs = wanted_args(prog) + f->hidden;
	if (!fn_event) {
		trace_event_read_lock();
		fn_event = ftrace_find_event(TRACE_FN);
		trace_event_read_unlock();
	}
	f->fields = kzalloc(max(prog->nfields, 1), GFP_KERNEL_ACCOUNT);
	if (!f->fields)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	find_fields(f, prog);
	if (find_types(f, vm->env, probe->session->perfmon))
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	f->nargs = min(f->nargs, GIVEN_ARGS);
	return 0;
}

void ktap_kfn_destroy(struct ktap_kfn_point *f)
{
	ktap_kfns_free(&f->fns);
	kfree(f->fields);
	kfree(f->params);
}

/* What errors of the function tracer and of fprobes mean. */
const char *ktap_kfn_why(int err)
{
	switch (err) {
	case -ENODEV:
		return "the function tracer has switched itself off, since it found a fault";
	case -ENOENT:
	case -EINVAL:
		return "a function is not there any more";
	case -ENOSPC:
		return "too many others wait for functions to return";
	}
	return NULL;
}
