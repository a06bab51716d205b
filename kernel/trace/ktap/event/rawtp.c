// SPDX-License-Identifier: GPL-2.0
/*
 * Raw tracepoints: the arguments of a tracepoint, without the record that its trace
 * event makes of them.
 *
 * Each tracepoint has a stub: a function of its exact type that does nothing.  A point
 * registers the stub with the tracepoint, and an fprobe is called when the stub is
 * called, or a hook if there is one tracepoint (func_hook.c).  Others use the same stub in
 * the same way, like the tracepoint events of dynamic_events: the first argument tells for
 * which user the stub is called.
 *
 * A point that reads no argument needs no stub: the tracepoints call rawtp_passed().
 */
#include <linux/cleanup.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "event/func_event.h"
#include "session.h"
#include "session_output.h"

struct rawtp_point;

/**
 * struct rawtp_use - a tracepoint that a point waits for
 * @tp: the tracepoint
 * @p: the point
 * @stub: the address of the stub: &ktap_kfn.ip of the tracepoint's name
 */
struct rawtp_use {
	struct tracepoint *tp;
	struct rawtp_point *p;
	unsigned long stub;
};

/**
 * struct rawtp_point - tracepoints that a probe waits for
 * @f: their stubs, under the names of the tracepoints
 * @fp: called when the stubs are called
 * @missed: events that @fp missed before it was registered anew
 * @hook: of a single tracepoint: used instead of @fp, if not NULL
 * @direct: the tracepoints call rawtp_passed(); neither @fp nor @hook is used
 * @uses: the tracepoints
 * @nuses: number of tracepoints
 * @max_uses: allocated elements of @uses
 * @nregistered: number of tracepoints that call a function for this point
 */
struct rawtp_point {
	struct ktap_kfn_point f;
	struct fprobe fp;
	unsigned long missed;
	struct ktap_kfn_hook *hook;
	bool direct;
	struct rawtp_use *uses;
	unsigned int nuses;
	size_t max_uses;
	unsigned int nregistered;
};

static struct rawtp_point *rawtp_point_of(const struct ktap_point *point)
{
	return container_of(point, struct rawtp_point, f.point);
}

static int ktap_rawtp_hit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			  struct ftrace_regs *fregs, void *data)
{
	struct rawtp_point *p = container_of(fp, struct rawtp_point, fp);

	if (ftrace_regs_get_argument(fregs, 0) == (unsigned long)p)
		ktap_kfn_fire(&p->f, &ktap_rawtp_ops, (struct ktap_kfn_hit){
			.ip = ip,
			.caller = ret_ip,
			.fregs = fregs,
		});
	return 0;
}
NOKPROBE_SYMBOL(ktap_rawtp_hit);

/* A tracepoint of any type calls it: see KTAP_SHORT_PROBES. */
static void rawtp_passed(void *data)
{
	/* All members that ktap_rawtp_ops reads are set below. */
	struct ktap_kfn_hit h __uninitialized;
	struct rawtp_use *use = data;

	h.hit.ev.ops = &ktap_rawtp_ops;
	h.hit.point = &use->p->f.point;
	ktap_note_here(&h.hit.here);
	h.ip = use->stub;
	h.caller = _RET_IP_;
	h.args = NULL;
	h.fregs = NULL;
	guard(preempt_notrace)();
	ktap_fire(&h.hit);
}
NOKPROBE_SYMBOL(rawtp_passed);

/* The function that the tracepoint calls, and its first argument */
static struct tracepoint_func rawtp_func(struct rawtp_use *use)
{
	if (use->p->direct)
		return (struct tracepoint_func){ .func = rawtp_passed, .data = use };
	return (struct tracepoint_func){ .func = use->tp->probestub, .data = use->p };
}

/* In reverse order of rawtp_attach() */
static void rawtp_detach(struct ktap_point *point)
{
	struct rawtp_point *p = rawtp_point_of(point);
	struct tracepoint_func func;
	struct tracepoint *tp;

	while (p->nregistered) {
		func = rawtp_func(&p->uses[--p->nregistered]);
		tp = p->uses[p->nregistered].tp;
		ktap_stand_in_put(point->probe->session, tp);
		tracepoint_probe_unregister(tp, func.func, func.data);
	}
	if (p->direct)
		return;
	if (p->hook)
		ktap_kfn_hook_detach(p->hook);
	else
		unregister_fprobe_async(&p->fp);
}

/* Get the calls of the stubs. */
static int rawtp_attach_stubs(struct rawtp_point *p)
{
	unsigned long *ips __free(kvfree) = NULL;

	if (p->direct)
		return 0;
	p->hook = ktap_kfn_hook_take(&p->f);
	if (p->hook)
		return ktap_kfn_hook_attach(p->hook, &p->f, &ktap_rawtp_ops);
	ips = ktap_kfns_ips(&p->f.fns);
	return ips ? register_fprobe_ips(&p->fp, ips, p->f.fns.n) : -ENOMEM;
}

static int rawtp_attach(struct ktap_point *point)
{
	struct rawtp_point *p = rawtp_point_of(point);
	struct tracepoint_func func;
	struct tracepoint *tp;
	int err;

	err = rawtp_attach_stubs(p);
	if (err)
		return err;
	while (p->nregistered < p->nuses) {
		func = rawtp_func(&p->uses[p->nregistered]);
		tp = p->uses[p->nregistered].tp;
		err = ktap_unloads(point->probe->session) ? -EINTR :
		      tracepoint_probe_register(tp, func.func, func.data);
		if (err) {
			rawtp_detach(point);
			return err;
		}
		p->nregistered++;
	}
	return 0;
}

static unsigned long rawtp_missed(const struct ktap_point *point)
{
	const struct rawtp_point *p = rawtp_point_of(point);

	return READ_ONCE(p->missed) + READ_ONCE(p->fp.nmissed);
}

static void rawtp_left(struct ktap_point *point)
{
	struct rawtp_point *p = rawtp_point_of(point);

	/* A reader of ktap/sessions may see less for a moment. */
	WRITE_ONCE(p->missed, p->missed + xchg(&p->fp.nmissed, 0));
	ktap_kfn_hook_put(p->hook);
	p->hook = NULL;
}

static void rawtp_release(struct ktap_point *point)
{
	struct rawtp_point *p = rawtp_point_of(point);

	rawtp_left(point);
	kvfree(p->uses);
	ktap_kfn_release(point);
}

const struct ktap_source ktap_rawtp_source = {
	.name = "rawtp",
	.switches = true,
	.attach = rawtp_attach,
	.refused = "its tracepoint cannot be switched on",
	.why = ktap_kfn_why,
	.has = ktap_kfn_has,
	.near = ktap_kfn_near,
	.advice = ktap_kfn_advice,
	.missed = rawtp_missed,
	.detach = rawtp_detach,
	.left = rawtp_left,
	.release = rawtp_release,
};

/**
 * struct rawtp_finder - the tracepoints to find
 * @p: gets the tracepoints and their stubs
 * @pattern: names must match it
 * @why: why the last one that was skipped cannot be traced
 * @err: 0 or a negative errno
 */
struct rawtp_finder {
	struct rawtp_point *p;
	const char *pattern;
	const char *why;
	int err;
};

static int rawtp_add(struct rawtp_point *p, struct tracepoint *tp, unsigned long stub)
{
	struct rawtp_use *uses;
	int err;

	uses = ktap_kfns_grow(p->uses, &p->max_uses, p->nuses + 1, sizeof(*uses));
	if (!uses)
		return -ENOMEM;
	p->uses = uses;
	err = ktap_kfns_add(&p->f.fns, tp->name, stub);
	/* ktap_kfns_add() skips modules that are being loaded or unloaded. */
	if (!err && p->f.fns.n > p->nuses)
		p->uses[p->nuses++] = (struct rawtp_use){ .tp = tp, .p = p, .stub = stub };
	return err;
}

/* See func_find_moves_probes(): fprobe must not look up the stub of lock_release. */
static bool rawtp_moves_probes(const char *name)
{
	return !strcmp(name, "lock_release");
}

static void rawtp_find_tracepoint(struct tracepoint *tp, void *priv)
{
	unsigned long stub = ftrace_location((unsigned long)tp->probestub);
	struct rawtp_finder *f = priv;

	if (f->err || !glob_match(f->pattern, tp->name))
		return;
	if (!stub || rawtp_moves_probes(tp->name)) {
		f->why = stub ? "fprobe itself calls it" : "ftrace does not know its stub";
		f->p->f.fns.skipped++;
		return;
	}
	f->err = rawtp_add(f->p, tp, stub);
}

#ifdef CONFIG_MODULES
static void rawtp_find_in_module(struct tracepoint *tp, struct module *mod, void *priv)
{
	rawtp_find_tracepoint(tp, priv);
}
#endif

static int rawtp_find_tracepoints(struct rawtp_finder *f)
{
	for_each_kernel_tracepoint(rawtp_find_tracepoint, f);
#ifdef CONFIG_MODULES
	if (!f->err)
		for_each_module_tracepoint(rawtp_find_in_module, f);
#endif
	ktap_kfns_tidy(&f->p->f.fns);
	return f->err;
}

static int rawtp_look_up(struct ktap_vm *vm, const char *rest, struct rawtp_point *p)
{
	struct rawtp_finder f = { .p = p, .pattern = rest };
	const struct ktap_kfns *fns = &p->f.fns;
	bool exact = !strpbrk(rest, "*?[");

	if (rawtp_find_tracepoints(&f))
		return ktap_vm_error(vm, f.err, "no memory");
	if (!fns->n && fns->skipped)
		return ktap_vm_error(vm, -EINVAL,
				     "%s '%s' cannot be seen: %s; its trace event, without 'rawtp:', can",
				     exact ? "tracepoint" : "what matches", rest, f.why);
	if (!fns->n)
		return ktap_vm_error(vm, -ENOENT, exact ? "no tracepoint '%s'" :
				     "no tracepoint matches '%s'", rest);
	if (fns->skipped)
		ktap_output_note(&ktap_session_of(vm)->output,
				 "skipped %u tracepoints of 'rawtp:%s' that cannot be seen",
				 fns->skipped, rest);
	return 0;
}

int ktap_parse_rawtp(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	const struct ktap_program *prog = vm->env->prog;
	struct rawtp_point *p;
	int err;

	err = ktap_kfns_check_allowed(vm, probe);
	if (err)
		return err;
	p = kzalloc_obj(*p, KTAP_GFP);
	if (!p)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	err = rawtp_look_up(vm, rest, p);
	if (err) {
		rawtp_release(&p->f.point);
		return err;
	}
	p->fp.entry_handler = ktap_rawtp_hit;
	p->f.hidden = 1;
	err = ktap_kfn_init(vm, &p->f, probe, &ktap_rawtp_source, &p->f.fns);
	p->direct = KTAP_SHORT_PROBES && !err && !ktap_kfn_reads_args(&p->f, prog->nfields);
	return err;
}
