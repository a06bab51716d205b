// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the kernel: their entry and their return, one or thousands of
 * them in a clause.
 *
 * A clause has one fprobe for all its functions, or, for ftrace:function, one
 * ftrace_ops.  Names are looked up when the clause comes to life and kept by
 * address.  What is not to be traced at all (notrace, noinstr, ktap itself)
 * ftrace does not know: the handlers are never entered from there.
 */
#include <linux/cleanup.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../trace.h"
#include "../trace_output.h"
#include "function.h"
#include "member.h"
#include "output.h"

/* The events of the clause */

enum fn_field {
	FIELD_NONE,
	FIELD_NAME,
	FIELD_IP,
	FIELD_CALLER,
	FIELD_PARAM,	/* see &ktap_fn_point.params */
};

static const char * const field_names[] = {
	[FIELD_NAME]	= "name",
	[FIELD_IP]	= "ip",
	[FIELD_CALLER]	= "parent_ip",
};

static const struct ktap_fn_hit *fn_hit_of(const struct ktap_event *ev)
{
	return container_of(ev, struct ktap_fn_hit, hit.ev);
}

static const struct ktap_fn *find_fn(const struct ktap_fns *fns, unsigned long ip)
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
	const struct ktap_fn_hit *h = fn_hit_of(ev);
	const struct ktap_fns *fns = &h->f->fns;
	const struct ktap_fn *fn = find_fn(fns, h->ip);

	*v = fn ? KTAP_VALUE_STR(fns->names + fn->name, fn->len) : KTAP_VALUE_NIL;
}

static void get_field(const struct ktap_fn_hit *h, enum fn_field field, struct ktap_value *v)
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
static bool read_argument(const struct ktap_fn_hit *h, u32 n, unsigned long *value)
{
	if (n >= h->f->nargs)
		return false;
	if (h->args)
		*value = h->args[n];
	else if (h->fregs && !h->f->ret)
		*value = get_argument(h->fregs, n);
	else
		return false;
	return true;
}

static void fn_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	const struct ktap_fn_hit *h = fn_hit_of(vm->event);
	unsigned long value;

	*v = KTAP_VALUE_NIL;
	if (n < KTAP_FN_ARGS && read_argument(h, n + h->f->hidden, &value))
		*v = KTAP_VALUE_INT(value);
}

static void get_param(const struct ktap_fn_hit *h, const struct ktap_load *param,
		      struct ktap_value *v)
{
	unsigned long value;

	*v = KTAP_VALUE_NIL;
	if (read_argument(h, param->offset, &value))
		ktap_load_register(v, value, param);
}

static void fn_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct ktap_fn_hit *h = fn_hit_of(vm->event);

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
	const struct ktap_fn_hit *h = fn_hit_of(ev);

	*v = KTAP_VALUE_NIL;
	if (h->f->ret && h->fregs)
		*v = KTAP_VALUE_INT(get_return_value(h->fregs));
	else if (h->f->ret && h->regs)
		*v = KTAP_VALUE_INT(regs_return_value(h->regs));
}

/* At the entry the stack begins with the function, at its return with the caller. */
static void fn_top(const struct ktap_event *ev, unsigned long *start, unsigned long *size)
{
	const struct ktap_fn_hit *h = fn_hit_of(ev);
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
	const struct ktap_fn_hit *h = fn_hit_of(ev);

	return h->f->ret ? NULL : h->regs;
}

/* The record of the function tracer, without arguments, and what makes its text. */
#define RECORD_LEN	offsetof(struct ftrace_entry, args)

static struct trace_event *fn_event;

static size_t fn_save(const struct ktap_event *ev, void *buf, size_t size)
{
	const struct ktap_fn_hit *h = fn_hit_of(ev);
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

const struct ktap_event_ops ktap_fn_ops = {
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

static void find_fields(struct ktap_fn_point *f, const struct ktap_program *prog)
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
	return min(n, KTAP_FN_ARGS);
}

/*
 * Fields that are parameters of the function, if there is but one.  Of modules'
 * functions the types are not known.
 */
static int find_params(struct ktap_fn_point *f, struct ktap_env *env)
{
	const struct ktap_program *prog = env->prog;
	char name[KSYM_NAME_LEN];
	struct ktap_load load;
	u32 i, proto;
	int n;

	if (!prog->nfields || f->fns.n != 1 || f->fns.fn[0].mod || ktap_btf_begin())
		return 0;
	snprintf(name, sizeof(name), "%s%.*s", f->hidden ? "__probestub_" : "",
		 f->fns.fn[0].len, f->fns.names + f->fns.fn[0].name);
	proto = ktap_btf_function(name);
	if (!proto)
		return 0;
	f->params = kcalloc(max(prog->nfields, 1), sizeof(*f->params), GFP_KERNEL_ACCOUNT);
	if (!f->params || ktap_members_init(env))
		return -ENOMEM;

	/* e.name is the event's own name, args.name a parameter. */
	for (i = 0; i < prog->nfields; i++) {
		n = ktap_btf_param(proto, prog->fields[i]->blob, &load);
		if (n < f->hidden || n >= KTAP_FN_ARGS + f->hidden ||
		    (i >= prog->nown_fields && f->fields[i]))
			continue;
		f->params[i] = load;
		f->params[i].offset = n;
		f->fields[i] = FIELD_PARAM;
		f->nargs = max_t(u8, f->nargs, n + 1);
	}
	return 0;
}

/**
 * ktap_fn_init() - Makes a point of functions
 * @vm: for errors
 * @f: zeroed; freed by @source->release() from now on
 * @probe: the clause
 * @source: kind of probe
 * @fns: the functions, which become the point's
 *
 * Return: 0, or an error that is set.
 */
int ktap_fn_init(struct ktap_vm *vm, struct ktap_fn_point *f, struct ktap_probe *probe,
		 const struct ktap_source *source, struct ktap_fns *fns)
{
	const struct ktap_program *prog = vm->env->prog;

	f->fns = *fns;
	*fns = (struct ktap_fns){};
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
	if (find_params(f, vm->env))
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	return 0;
}

void ktap_fn_destroy(struct ktap_fn_point *f)
{
	ktap_fns_free(&f->fns);
	kfree(f->fields);
	kfree(f->params);
}

/* Which functions? */

void ktap_fns_free(struct ktap_fns *fns)
{
	unsigned int i;

	for (i = 0; i < fns->n; i++)
		module_put(fns->fn[i].mod);
	kvfree(fns->fn);
	kvfree(fns->names);
	*fns = (struct ktap_fns){};
}

static int make_room(struct ktap_fns *fns, size_t len)
{
	size_t size = max(2 * fns->names_size, 64);
	unsigned int n = max(2 * fns->size, 1);
	void *p;

	if (fns->n == fns->size) {
		p = kvrealloc(fns->fn, array_size(n, sizeof(*fns->fn)), GFP_KERNEL_ACCOUNT);
		if (!p)
			return -ENOMEM;
		fns->fn = p;
		fns->size = n;
	}
	size = max(size, fns->names_len + len);
	if (fns->names_len + len > fns->names_size) {
		p = kvrealloc(fns->names, size, GFP_KERNEL_ACCOUNT);
		if (!p)
			return -ENOMEM;
		fns->names = p;
		fns->names_size = size;
	}
	return 0;
}

/**
 * ktap_fns_add() - Adds a function
 * @fns: what it is added to
 * @name: its name
 * @ip: where a probe enters it
 *
 * One whose module is on its way out is left away.
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int ktap_fns_add(struct ktap_fns *fns, const char *name, unsigned long ip)
{
	struct module *mod = NULL;
	size_t len = strlen(name);
	int err = make_room(fns, len);

	if (err)
		return err;
	guard(rcu)();
	if (!core_kernel_text(ip)) {
		mod = __module_text_address(ip);
		if (!mod)
			return 0;
	}
	/* It goes away. */
	if (!try_module_get(mod))
		return 0;
	memcpy(fns->names + fns->names_len, name, len);
	fns->fn[fns->n++] = (struct ktap_fn){
		.ip = ip,
		.mod = mod,
		.name = fns->names_len,
		.len = len,
	};
	fns->names_len += len;
	return 0;
}

/**
 * struct finder - what is looked for
 * @fns: what is found
 * @pattern: names match it,
 * @words: or each of these; "!PATTERN": they do not
 */
struct finder {
	struct ktap_fns *fns;
	const char *pattern;
	char **words;
};

static bool is_wanted(const struct finder *f, const char *name)
{
	char **word;

	if (f->pattern)
		return glob_match(f->pattern, name);
	for (word = f->words; *word; word++) {
		bool not = **word == '!';

		if (glob_match(*word + not, name) == not)
			return false;
	}
	return true;
}

/* Where a probe enters the function at @addr; 0: it cannot. */
static unsigned long entry_of(unsigned long addr)
{
	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
		return ftrace_location(addr);
	/* Without kprobes, too, nothing can: that is told later, and better. */
	return IS_ENABLED(CONFIG_KPROBES) && within_kprobe_blacklist(addr) ? 0 : addr;
}

static int check_symbol(struct finder *f, const char *name, unsigned long addr)
{
	unsigned long ip;

	if (!kernel_text_address(addr))
		return 0;
	ip = entry_of(addr);
	if (ip)
		return ktap_fns_add(f->fns, name, ip);
	/* The padding in front of a function has a name, too. */
	if (!strstarts(name, "__pfx_"))
		f->fns->skipped++;
	return 0;
}

static int find_symbol(void *data, const char *name, unsigned long addr)
{
	struct finder *f = data;

	return is_wanted(f, name) ? check_symbol(f, name, addr) : 0;
}

static int find_exact(void *data, unsigned long addr)
{
	struct finder *f = data;

	return check_symbol(f, f->pattern, addr);
}

static int by_ip(const void *a, const void *b)
{
	const struct ktap_fn *x = a, *y = b;

	return x->ip < y->ip ? -1 : x->ip > y->ip;
}

/* By address, each one once. */
void ktap_fns_tidy(struct ktap_fns *fns)
{
	unsigned int i, n = 0;

	sort(fns->fn, fns->n, sizeof(*fns->fn), by_ip, NULL);
	for (i = 0; i < fns->n; i++) {
		if (n && fns->fn[n - 1].ip == fns->fn[i].ip)
			module_put(fns->fn[i].mod);
		else
			fns->fn[n++] = fns->fn[i];
	}
	fns->n = n;
}

static int find_functions(struct finder *f, const char *module, bool exact)
{
	int err = 0;

	if (!module && exact)
		err = kallsyms_on_each_match_symbol(find_exact, f->pattern, f);
	else if (!module)
		err = kallsyms_on_each_symbol(find_symbol, f);
	if (!err && IS_ENABLED(CONFIG_MODULES))
		err = module_kallsyms_on_each_symbol(module, find_symbol, f);
	ktap_fns_tidy(f->fns);
	return err;
}

static int check_found(struct ktap_vm *vm, const struct ktap_fns *fns, const char *module,
		       const char *name, bool exact)
{
	if (exact && fns->n > 1)
		return ktap_vm_error(vm, -EADDRNOTAVAIL,
				     "%u functions are called '%s': none of them is meant alone",
				     fns->n, name);
	if (fns->n)
		return 0;
	if (fns->skipped)
		return ktap_vm_error(vm, -EINVAL,
				     "%s '%s' cannot be traced: notrace, or not a function",
				     exact ? "function" : "what matches", name);
	if (module)
		return ktap_vm_error(vm, -ENOENT, "no function '%s' in a module '%s'", name,
				     module);
	return ktap_vm_error(vm, -ENOENT, exact ? "no function '%s'" : "no function matches '%s'",
			     name);
}

static void note_skipped(const struct ktap_probe *probe, const struct ktap_fns *fns)
{
	if (fns->skipped)
		ktap_output_note(&probe->session->output,
				 "skipped %u functions of '%s' that cannot be traced",
				 fns->skipped, probe->event);
}

static int look_up(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_fn_spec *spec,
		   struct ktap_fns *fns)
{
	struct finder f = { .fns = fns, .pattern = spec->function };
	int err = find_functions(&f, spec->module, spec->exact);

	if (err)
		return ktap_vm_error(vm, err, "'%s': error %d", probe->event, err);
	err = check_found(vm, fns, spec->module, spec->function, spec->exact);
	if (!err && !spec->exact)
		note_skipped(probe, fns);
	return err;
}

/* 0, or a negative errno with the error set: nobody may, or nothing would come. */
int ktap_fns_check_allowed(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	int err = security_locked_down(LOCKDOWN_KPROBES);

	if (err)
		return ktap_vm_error(vm, err, "'%s': the kernel is locked down", probe->event);
#ifdef CONFIG_FUNCTION_TRACER
	if (!ftrace_enabled)
		return ktap_vm_error(vm, -EBUSY, "'%s': sysctl kernel.ftrace_enabled is 0",
				     probe->event);
#endif
	return 0;
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/* Their addresses, to be freed by kvfree(); NULL if there is no memory. */
unsigned long *ktap_fns_ips(const struct ktap_fns *fns)
{
	unsigned long *ips = kvmalloc_array(fns->n, sizeof(*ips), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	if (!ips)
		return NULL;
	for (i = 0; i < fns->n; i++)
		ips[i] = fns->fn[i].ip;
	return ips;
}
#endif

/* fprobes */

#ifdef CONFIG_FPROBE
/**
 * struct fprobe_point - entry or return of functions
 * @f: see there
 * @fp: the fprobe
 */
struct fprobe_point {
	struct ktap_fn_point f;
	struct fprobe fp;
};

static int ktap_fprobe_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			     struct ftrace_regs *fregs, void *data)
{
	struct fprobe_point *p = container_of(fp, struct fprobe_point, fp);
	const struct ktap_fn_hit h = {
		.hit.ev.ops = &ktap_fn_ops,
		.hit.point = &p->f.point,
		.f = &p->f,
		.ip = ip,
		.caller = ret_ip,
		.fregs = fregs,
	};

	ktap_fire(&h.hit);
	return 0;
}

NOKPROBE_SYMBOL(ktap_fprobe_entry);

/* For the handler of the return, which has other registers. */
static int ktap_fprobe_keep(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			    struct ftrace_regs *fregs, void *data)
{
	struct fprobe_point *p = container_of(fp, struct fprobe_point, fp);
	unsigned long *args = data;
	unsigned int i;

	for (i = 0; i < p->f.nargs; i++)
		args[i] = get_argument(fregs, i);
	return 0;
}

NOKPROBE_SYMBOL(ktap_fprobe_keep);

static void ktap_fprobe_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			     struct ftrace_regs *fregs, void *data)
{
	struct fprobe_point *p = container_of(fp, struct fprobe_point, fp);
	const struct ktap_fn_hit h = {
		.hit.ev.ops = &ktap_fn_ops,
		.hit.point = &p->f.point,
		.f = &p->f,
		.ip = ip,
		.caller = ret_ip,
		.args = data,
		.fregs = fregs,
	};

	ktap_fire(&h.hit);
}

NOKPROBE_SYMBOL(ktap_fprobe_exit);

static int fprobe_add(struct ktap_vm *vm, struct ktap_probe *probe, struct ktap_fns *fns,
		      const struct ktap_fn_spec *spec)
{
	struct fprobe_point *p = kzalloc_obj(*p, GFP_KERNEL_ACCOUNT);
	int err;

	if (!p)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	p->f.ret = spec->ret;
	err = ktap_fn_init(vm, &p->f, probe, &ktap_fprobe_source, fns);
	if (err)
		return err;

	if (!spec->ret) {
		p->fp.entry_handler = ktap_fprobe_entry;
	} else {
		p->fp.exit_handler = ktap_fprobe_exit;
		p->fp.entry_data_size = p->f.nargs * sizeof(long);
		if (p->f.nargs)
			p->fp.entry_handler = ktap_fprobe_keep;
	}
	return 0;
}

static int fprobe_attach(struct ktap_point *point)
{
	unsigned long *ips __free(kvfree) = NULL;
	struct fprobe_point *p;

	p = container_of(point, struct fprobe_point, f.point);
	ips = ktap_fns_ips(&p->f.fns);
	if (!ips)
		return -ENOMEM;
	return register_fprobe_ips(&p->fp, ips, p->f.fns.n);
}

static void fprobe_detach(struct ktap_point *point)
{
	unregister_fprobe_async(&container_of(point, struct fprobe_point, f.point)->fp);
}

static unsigned long fprobe_missed(const struct ktap_point *point)
{
	return READ_ONCE(container_of(point, struct fprobe_point, f.point)->fp.nmissed);
}

static void fprobe_release(struct ktap_point *point)
{
	struct fprobe_point *p = container_of(point, struct fprobe_point, f.point);

	ktap_fn_destroy(&p->f);
	kfree(p);
}

const struct ktap_source ktap_fprobe_source = {
	.name = "fprobe",
	.attach = fprobe_attach,
	.missed = fprobe_missed,
	.detach = fprobe_detach,
	.release = fprobe_release,
};
#else
/* What an fprobe could do for any number, kprobes do for one. */
static int fprobe_add(struct ktap_vm *vm, struct ktap_probe *probe, struct ktap_fns *fns,
		      const struct ktap_fn_spec *spec)
{
	if (!spec->exact)
		return ktap_vm_error(vm, -EOPNOTSUPP,
				     "'%s': without fprobes this kernel needs the function's name",
				     probe->event);
	return ktap_kprobe_add(vm, probe, fns, spec);
}
#endif

/**
 * ktap_fn_parse() - "[MODULE:]FUNCTION[+OFFSET][%return]"
 * @text: is cut to pieces, which @spec points to
 * @spec: gets what it says; @spec->ret, if true, stays so
 *
 * Return: NULL, or what is wrong with it.
 */
const char *ktap_fn_parse(char *text, struct ktap_fn_spec *spec)
{
	char *percent = strchr(text, '%');
	char *plus, *colon;

	if (percent && strcmp(percent, "%return"))
		return "only %return may stand behind a function";
	if (percent)
		*percent = '\0';
	spec->ret |= !!percent;

	plus = strchr(text, '+');
	if (plus)
		*plus = '\0';
	if (plus && kstrtoul(plus + 1, 0, &spec->offset))
		return "the offset is no number";

	colon = strchr(text, ':');
	if (colon)
		*colon = '\0';
	spec->module = colon ? text : NULL;
	spec->function = colon ? colon + 1 : text;
	spec->exact = !strpbrk(spec->function, "*?[");
	if (!*spec->function)
		return "it names no function";
	if (spec->offset && spec->ret)
		return "a return has no offset";
	if (spec->offset && !spec->exact)
		return "an offset needs the name of one function";
	return NULL;
}

/* Cuts off what stands behind the first blank; true if that is something. */
static bool split_fetch(char *text)
{
	char *blank = strchr(text, ' ');

	if (!blank)
		return false;
	*blank = '\0';
	return *skip_spaces(blank + 1);
}

static int parse_function(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest, bool ret)
{
	struct ktap_fn_spec spec = { .ret = ret };
	struct ktap_fns fns = {};
	const char *why;
	char *text;
	bool fetch;
	int err;

	err = ktap_fns_check_allowed(vm, probe);
	if (err)
		return err;
	text = kstrdup(rest, GFP_KERNEL_ACCOUNT);
	if (!text)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	fetch = split_fetch(text);

	why = ktap_fn_parse(text, &spec);
	if (!why && fetch && !spec.exact)
		why = "fetch arguments need the name of one function";
	if (why)
		err = ktap_vm_error(vm, -EINVAL, "'%s': %s", probe->event, why);
	if (!err)
		err = look_up(vm, probe, &spec, &fns);
	if (!err && fetch)
		err = ktap_dynevent_add(vm, probe, rest, spec.ret);
	else if (!err && spec.offset)
		err = ktap_kprobe_add(vm, probe, &fns, &spec);
	else if (!err)
		err = fprobe_add(vm, probe, &fns, &spec);
	ktap_fns_free(&fns);
	kfree(text);
	return err;
}

int ktap_parse_probe(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	return parse_function(vm, probe, rest, false);
}

int ktap_parse_kretprobe(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	return parse_function(vm, probe, rest, true);
}

/* ftrace:function */

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/**
 * struct ftrace_point - functions, as the function tracer sees them
 * @f: see there
 * @ops: ftrace's part
 */
struct ftrace_point {
	struct ktap_fn_point f;
	struct ftrace_ops ops;
};

static void ktap_ftrace_hit(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	struct ftrace_point *p = container_of(ops, struct ftrace_point, ops);
	const struct ktap_fn_hit h = {
		.hit.ev.ops = &ktap_fn_ops,
		.hit.point = &p->f.point,
		.f = &p->f,
		.ip = ip,
		.caller = parent_ip,
		.fregs = fregs,
	};

	guard(preempt_notrace)();
	ktap_fire(&h.hit);
}

NOKPROBE_SYMBOL(ktap_ftrace_hit);

static int ftrace_attach(struct ktap_point *point)
{
	unsigned long *ips __free(kvfree) = NULL;
	struct ftrace_point *p;
	int err;

	p = container_of(point, struct ftrace_point, f.point);
	ips = ktap_fns_ips(&p->f.fns);
	if (!ips)
		return -ENOMEM;
	err = ftrace_set_filter_ips(&p->ops, ips, p->f.fns.n, 0, 1);
	if (err)
		return err;
	err = register_ftrace_function(&p->ops);
	if (err)
		ftrace_free_filter(&p->ops);
	return err;
}

static void ftrace_detach(struct ktap_point *point)
{
	unregister_ftrace_function(&container_of(point, struct ftrace_point, f.point)->ops);
}

static void ftrace_release(struct ktap_point *point)
{
	struct ftrace_point *p = container_of(point, struct ftrace_point, f.point);

	ftrace_free_filter(&p->ops);
	ktap_fn_destroy(&p->f);
	kfree(p);
}

const struct ktap_source ktap_ftrace_source = {
	.name = "ftrace",
	.attach = ftrace_attach,
	.detach = ftrace_detach,
	.release = ftrace_release,
};

static int ftrace_add(struct ktap_vm *vm, struct ktap_probe *probe, struct ktap_fns *fns)
{
	struct ftrace_point *p = kzalloc_obj(*p, GFP_KERNEL_ACCOUNT);

	if (!p)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	p->ops.func = ktap_ftrace_hit;
	p->ops.flags = FTRACE_OPS_FL_SAVE_ARGS | FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU;
	return ktap_fn_init(vm, &p->f, probe, &ktap_ftrace_source, fns);
}

/*
 * "function", or "function PATTERN...", which is what the compiler makes of
 * a filter on ip or probefunc; all of "PATTERN" and "!PATTERN" must be true.
 */
int ktap_parse_ftrace(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	static const char function[] = "function";
	struct ktap_fns fns = {};
	struct finder f = { .fns = &fns };
	char end = rest[strlen(function)];
	int err;

	if (!strstarts(rest, function) || (end && end != ' '))
		return ktap_vm_error(vm, -ENOENT, "no event '%s': there is ftrace:function",
				     probe->event);
	err = ktap_fns_check_allowed(vm, probe);
	if (err)
		return err;
	f.words = argv_split(GFP_KERNEL_ACCOUNT, rest + strlen(function), NULL);
	if (!f.words)
		return ktap_vm_error(vm, -ENOMEM, "no memory");

	err = find_functions(&f, NULL, false);
	if (err)
		ktap_vm_error(vm, err, "'%s': error %d", probe->event, err);
	else
		err = check_found(vm, &fns, NULL, rest, false);
	if (!err)
		err = ftrace_add(vm, probe, &fns);
	ktap_fns_free(&fns);
	argv_free(f.words);
	return err;
}
#endif
