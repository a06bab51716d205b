// SPDX-License-Identifier: GPL-2.0
/*
 * ftrace:function: entries of functions, by the function tracer.  A point has one
 * ftrace_ops for all its functions, or a hook for a single one (func_hook.c).
 */
#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/heap.h"
#include "event/func_event.h"

/**
 * struct ftrace_point - entry of functions, by the function tracer
 * @f: the functions
 * @hook: of a single function: used instead of @ops, if not NULL
 * @ops: called at each entry
 */
struct ftrace_point {
	struct ktap_kfn_point f;
	struct ktap_kfn_hook *hook;
	struct ftrace_ops ops;
};

static void ktap_ftrace_hit(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	struct ftrace_point *p = container_of(ops, struct ftrace_point, ops);

	guard(preempt_notrace)();
	ktap_kfn_fire(&p->f, &ktap_kfn_ops, (struct ktap_kfn_hit){
		.ip = ip,
		.caller = parent_ip,
		.fregs = fregs,
	});
}
NOKPROBE_SYMBOL(ktap_ftrace_hit);

static int ftrace_attach(struct ktap_point *point)
{
	unsigned long *ips __free(kvfree) = NULL;
	struct ftrace_point *p;

	p = container_of(point, struct ftrace_point, f.point);
	p->hook = ktap_kfn_hook_take(&p->f);
	if (p->hook)
		return ktap_kfn_hook_attach(p->hook, &p->f, &ktap_kfn_ops);
	ips = ktap_kfns_ips(&p->f.fns);
	if (!ips)
		return -ENOMEM;
	return ftrace_set_filter_ips(&p->ops, ips, p->f.fns.n, 0, 1) ?:
	       register_ftrace_function(&p->ops);
}

/*
 * This waits until no task executes a trampoline, with event_mutex held, as perf does when its
 * event ftrace:function is closed.  A condition does so at most half of the time (condition.c).
 */
static void ftrace_detach(struct ktap_point *point)
{
	struct ftrace_point *p = container_of(point, struct ftrace_point, f.point);

	if (p->hook)
		ktap_kfn_hook_detach(p->hook);
	else
		unregister_ftrace_function(&p->ops);
}

static void ftrace_left(struct ktap_point *point)
{
	struct ftrace_point *p = container_of(point, struct ftrace_point, f.point);

	ktap_kfn_hook_put(p->hook);
	p->hook = NULL;
}

static void ftrace_release(struct ktap_point *point)
{
	struct ftrace_point *p = container_of(point, struct ftrace_point, f.point);

	ftrace_left(point);
	ftrace_free_filter(&p->ops);
	ktap_kfn_release(point);
}

const struct ktap_source ktap_ftrace_source = {
	.name = "ftrace",
	.switches = true,
	.attach = ftrace_attach,
	.refused = "the function tracer cannot follow it",
	.why = ktap_kfn_why,
	.has = ktap_kfn_has,
	.near = ktap_kfn_near,
	.advice = ktap_kfn_advice,
	.detach = ftrace_detach,
	.left = ftrace_left,
	.release = ftrace_release,
};

static int ftrace_add(struct ktap_vm *vm, struct ktap_probe *probe, struct ktap_kfns *fns)
{
	struct ftrace_point *p = kzalloc_obj(*p, KTAP_GFP);

	if (!p)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	p->f.point.newest_first = true;
	p->ops.func = ktap_ftrace_hit;
	p->ops.flags = FTRACE_OPS_FL_SAVE_ARGS | FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU;
	return ktap_kfn_init(vm, &p->f, probe, &ktap_ftrace_source, fns);
}

/*
 * Parse "function" or "function PATTERN...".  The compiler makes the latter from a
 * filter on ip or probefunc: each "PATTERN" and "!PATTERN" must be true.
 */
int ktap_parse_ftrace(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	static const char function[] = "function";
	char end = rest[strlen(function)];
	struct ktap_kfns fns __free(ktap_kfns) = {};
	struct ktap_kfn_spec spec = {};
	int err;

	if (!strstarts(rest, function) || (end && end != ' '))
		return ktap_vm_error(vm, -ENOENT, "no event '%s': there is ftrace:function",
				     probe->event);
	err = ktap_kfns_check_allowed(vm, probe);
	if (err)
		return err;
	spec.function = skip_spaces(rest + strlen(function));
	spec.words = argv_split(KTAP_GFP, spec.function, NULL);
	if (!spec.words)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	err = ktap_kfns_find(vm, probe, &spec, &fns) ?: ftrace_add(vm, probe, &fns);
	argv_free(spec.words);
	return err;
}
