// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints as the kernel's code calls them: with their arguments, and without
 * the record that trace events make of them.
 *
 * A tracepoint has a function of its exact type that does nothing, its stub.  It
 * becomes a probe of the tracepoint, and an fprobe sees it being called.  Others,
 * like the tracepoint events of dynamic_events, do the same with the same stub: the
 * first argument tells whose call it is.
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

#include "function.h"
#include "output.h"

/**
 * struct rawtp_point - tracepoints that a clause waits for
 * @f: their stubs; names are those of the tracepoints
 * @fp: sees the stubs being called
 * @tps: the tracepoints
 * @ntps: number of them
 * @max_tps: there is room for
 * @nregistered: how many of them call their stub for us
 */
struct rawtp_point {
	struct ktap_kfn_point f;
	struct fprobe fp;
	struct tracepoint **tps;
	unsigned int ntps;
	unsigned int max_tps;
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

static void unregister_all(struct rawtp_point *p)
{
	while (p->nregistered) {
		struct tracepoint *tp = p->tps[--p->nregistered];

		ktap_stand_in_put(p->f.point.probe->session, tp);
		tracepoint_probe_unregister(tp, tp->probestub, p);
	}
}

static int rawtp_attach(struct ktap_point *point)
{
	unsigned long *ips __free(kvfree) = NULL;
	struct rawtp_point *p = rawtp_point_of(point);
	struct tracepoint *tp;
	int err;

	ips = ktap_kfns_ips(&p->f.fns);
	if (!ips)
		return -ENOMEM;
	err = register_fprobe_ips(&p->fp, ips, p->f.fns.n);
	if (err)
		return err;
	while (p->nregistered < p->ntps) {
		tp = p->tps[p->nregistered];
		err = fatal_signal_pending(current) ? -EINTR :
		      tracepoint_probe_register(tp, tp->probestub, p);
		if (err) {
			unregister_all(p);
			unregister_fprobe(&p->fp);
			return err;
		}
		p->nregistered++;
	}
	return 0;
}

static void rawtp_detach(struct ktap_point *point)
{
	struct rawtp_point *p = rawtp_point_of(point);

	unregister_all(p);
	unregister_fprobe_async(&p->fp);
}

static unsigned long rawtp_missed(const struct ktap_point *point)
{
	return READ_ONCE(rawtp_point_of(point)->fp.nmissed);
}

static void rawtp_release(struct ktap_point *point)
{
	struct rawtp_point *p = rawtp_point_of(point);

	ktap_kfn_destroy(&p->f);
	kvfree(p->tps);
	kfree(p);
}

const struct ktap_source ktap_rawtp_source = {
	.name = "rawtp",
	.attach = rawtp_attach,
	.refused = "its tracepoint cannot be switched on",
	.why = ktap_kfn_why,
	.missed = rawtp_missed,
	.detach = rawtp_detach,
	.release = rawtp_release,
};

/**
 * struct finder - what is looked for
 * @p: gets the tracepoints
 * @fns: gets their stubs
 * @pattern: names match it
 * @why: the last one that does cannot be seen
 * @err: 0 or a negative errno
 */
struct finder {
	struct rawtp_point *p;
	struct ktap_kfns *fns;
	const char *pattern;
	const char *why;
	int err;
};

static int make_room(struct rawtp_point *p)
{
	unsigned int n = max(2 * p->max_tps, 8);
	void *tps;

	if (p->ntps < p->max_tps)
		return 0;
	tps = kvrealloc(p->tps, array_size(n, sizeof(*p->tps)), GFP_KERNEL_ACCOUNT);
	if (!tps)
		return -ENOMEM;
	p->tps = tps;
	p->max_tps = n;
	return 0;
}

/* moves_probes() in function_find.c says why its stub must not be probed. */
static bool moves_probes(const char *name)
{
	return !strcmp(name, "lock_release");
}

static void find_tracepoint(struct tracepoint *tp, void *priv)
{
	unsigned long stub = ftrace_location((unsigned long)tp->probestub);
	struct finder *f = priv;

	if (f->err || !glob_match(f->pattern, tp->name))
		return;
	if (!stub || moves_probes(tp->name)) {
		f->why = stub ? "fprobe itself calls it" : "ftrace does not know its stub";
		f->fns->skipped++;
		return;
	}
	f->err = make_room(f->p) ?: ktap_kfns_add(f->fns, tp->name, stub);
	/* Its module may be on its way out. */
	if (!f->err && f->fns->n > f->p->ntps)
		f->p->tps[f->p->ntps++] = tp;
}

#ifdef CONFIG_MODULES
static void find_in_module(struct tracepoint *tp, struct module *mod, void *priv)
{
	find_tracepoint(tp, priv);
}
#endif

static int find_tracepoints(struct finder *f)
{
	for_each_kernel_tracepoint(find_tracepoint, f);
#ifdef CONFIG_MODULES
	if (!f->err)
		for_each_module_tracepoint(find_in_module, f);
#endif
	ktap_kfns_tidy(f->fns);
	return f->err;
}

static int look_up(struct ktap_vm *vm, const char *rest, struct rawtp_point *p,
		   struct ktap_kfns *fns)
{
	struct finder f = { .p = p, .fns = fns, .pattern = rest };
	bool exact = !strpbrk(rest, "*?[");

	if (find_tracepoints(&f))
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
	struct ktap_kfns fns = {};
	struct rawtp_point *p;
	int err;

	err = ktap_kfns_check_allowed(vm, probe);
	if (err)
		return err;
	p = kzalloc_obj(*p, GFP_KERNEL_ACCOUNT);
	if (!p)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	err = look_up(vm, rest, p, &fns);
	if (err) {
		ktap_kfns_free(&fns);
		kvfree(p->tps);
		kfree(p);
		return err;
	}
	p->fp.entry_handler = ktap_rawtp_hit;
	p->f.hidden = 1;
	return ktap_kfn_init(vm, &p->f, probe, &ktap_rawtp_source, &fns);
}
