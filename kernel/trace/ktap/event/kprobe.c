// SPDX-License-Identifier: GPL-2.0
/*
 * kprobes: instructions inside of functions, functions that set_retval() may replace,
 * and, without CONFIG_FPROBE, the entry and the return of one function.
 */
#include <linux/cleanup.h>
#include <linux/error-injection.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/slab.h>

#include "event/fire.h"
#include "event/func_event.h"
#include "event/registers.h"
#include "session.h"

/**
 * struct kprobe_point - an instruction, or the return of a function
 * @f: the function; its @ip does not change if kernel/kprobes.c moves the kprobe
 *	past instructions at the beginning of the function, such as endbr
 * @registered: the kprobe or kretprobe is registered
 * @leaving: it must be unregistered
 * @missed: events that it missed before it was registered anew
 * @inject_type: &ktap_injection.type
 * @rp: the kretprobe; only @rp.kp is used if the event is not a return
 */
struct kprobe_point {
	struct ktap_kfn_point f;
	bool registered;
	bool leaving;
	unsigned long missed;
	int inject_type;
	struct kretprobe rp;
};

static struct kprobe_point *kprobe_point_of(const struct ktap_point *point)
{
	return container_of(point, struct kprobe_point, f.point);
}

static void kprobe_keep_args(const struct ktap_kfn_point *f, struct pt_regs *regs,
			     unsigned long *args)
{
	unsigned int i;

	for (i = 0; i < f->nargs; i++)
		args[i] = ktap_argument(regs, i);
}
NOKPROBE_SYMBOL(kprobe_keep_args);

/*
 * Is it an event of the session's own reader or thread, which is not delivered?  On some
 * machines, such as x86 and riscv, a breakpoint comes as an NMI, whose level tells activation.c
 * nothing about the task.
 */
static bool kprobe_is_own(struct kprobe_point *p)
{
	const unsigned int interrupts = NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET;
	const struct ktap_filter *filter = &p->f.point.probe->session->filter;

	return (preempt_count() & interrupts) == NMI_OFFSET + HARDIRQ_OFFSET &&
	       !kprobe_ftrace(&p->rp.kp) && !filter->self && fire_is_own(filter);
}
NOKPROBE_SYMBOL(kprobe_is_own);

/*
 * Run the handlers.  On x86 and s390 the kernel calls a kprobe with the address after the
 * breakpoint.  A stack begins with the instruction itself, and is unwound from there: after a
 * push the frame is another one.  So @regs has its address meanwhile, as at a uprobe.
 */
static __always_inline void kprobe_fire(struct kprobe_point *p, struct pt_regs *regs,
					struct ktap_injection *injection)
{
	/* Only the first @nargs are set, and read. */
	unsigned long args[KTAP_KFN_ARGS] __uninitialized;
	unsigned long ip = instruction_pointer(regs);

	if (unlikely(kprobe_is_own(p)))
		return;
	kprobe_keep_args(&p->f, regs, args);
	guard(preempt_notrace)();
	instruction_pointer_set(regs, (unsigned long)p->rp.kp.addr);
	ktap_kfn_fire(&p->f, &ktap_kfn_ops, (struct ktap_kfn_hit){
		.ip = p->f.fns.fn[0].ip,
		.args = args,
		.regs = regs,
		.injection = injection,
	});
	instruction_pointer_set(regs, ip);
}

static int ktap_kprobe_hit(struct kprobe *kp, struct pt_regs *regs)
{
	kprobe_fire(container_of(kp, struct kprobe_point, rp.kp), regs, NULL);
	return 0;
}
NOKPROBE_SYMBOL(ktap_kprobe_hit);

/* Like ktap_kprobe_hit(), for a function that the script may replace. */
static int ktap_kprobe_inject(struct kprobe *kp, struct pt_regs *regs)
{
	struct kprobe_point *p = container_of(kp, struct kprobe_point, rp.kp);
	struct ktap_injection injection = { .type = p->inject_type };
	unsigned long errors = __this_cpu_read(p->f.point.probe->stats->errors.low);

	kprobe_fire(p, regs, &injection);
	/* A run that failed after set_retval() changes nothing. */
	if (errors != __this_cpu_read(p->f.point.probe->stats->errors.low))
		return 0;
	return ktap_inject(&injection, regs);
}
NOKPROBE_SYMBOL(ktap_kprobe_inject);

/*
 * Empty: a kprobe with a post handler is never optimized to a jump, from which it could
 * not change the instruction pointer.  A kprobe at an ftrace location is never optimized,
 * and must not have a post handler: there kernel/kprobes.c does not support kprobes with
 * and without one at the same time.
 */
static void ktap_kprobe_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}
NOKPROBE_SYMBOL(ktap_kprobe_post);

static void kprobe_detach(struct ktap_point *point)
{
	struct kprobe_point *p = kprobe_point_of(point);

	p->leaving = p->registered;
}

/*
 * Unregister all with one call, since each call waits for a grace period.  Hence
 * GFP_KERNEL, which rarely fails: without memory, unregister them one by one.
 */
static void kprobe_unregister_all(struct ktap_session *s, bool ret)
{
	void **probes __free(kvfree) = kvmalloc_array(s->npoints, sizeof(*probes), GFP_KERNEL);
	struct ktap_point *point;
	struct kprobe_point *p;
	unsigned int n = 0;
	void *one;

	list_for_each_entry(point, &s->points, list) {
		p = kprobe_point_of(point);
		if (point->source != &ktap_kprobe_source || !p->leaving || p->f.ret != ret)
			continue;
		p->leaving = false;
		p->registered = false;
		one = ret ? (void *)&p->rp : &p->rp.kp;
		if (probes)
			probes[n++] = one;
		else if (ret)
			unregister_kretprobe(one);
		else
			unregister_kprobe(one);
	}
	if (n && ret)
		unregister_kretprobes((struct kretprobe **)probes, n);
	else if (n)
		unregister_kprobes((struct kprobe **)probes, n);
}

static void kprobe_detach_all(struct ktap_session *s)
{
	kprobe_unregister_all(s, false);
	if (IS_ENABLED(CONFIG_KRETPROBES))
		kprobe_unregister_all(s, true);
}

static unsigned long kprobe_missed(const struct ktap_point *point)
{
	const struct kprobe_point *p = kprobe_point_of(point);

	return READ_ONCE(p->missed) + READ_ONCE(p->rp.kp.nmissed) + READ_ONCE(p->rp.nmissed);
}

static int kprobe_attach(struct ktap_point *point)
{
	struct kprobe_point *p = kprobe_point_of(point);
	int err;

	/* Registering sets it to 0.  A reader of ktap/sessions may see more for a moment. */
	WRITE_ONCE(p->missed, kprobe_missed(point));
	/* Unregistering leaves KPROBE_FLAG_DISABLED, with which it would not be armed again. */
	p->rp.kp.flags = 0;
	err = p->f.ret ? register_kretprobe(&p->rp) : register_kprobe(&p->rp.kp);
	p->registered = !err;
	return err;
}

static const char *kprobe_why(int err)
{
	switch (err) {
	case -EILSEQ:
		return "no instruction begins there";
	case -EINVAL:
		return "kprobes are not allowed there, or no instruction begins there";
	}
	return NULL;
}

const struct ktap_source ktap_kprobe_source = {
	.name = "kprobe",
	.switches = true,
	.attach = kprobe_attach,
	.refused = "no probe can be set there",
	.why = kprobe_why,
	.has = ktap_kfn_has,
	.near = ktap_kfn_near,
	.advice = ktap_kfn_advice,
	.missed = kprobe_missed,
	.detach = kprobe_detach,
	.detach_all = kprobe_detach_all,
	.release = ktap_kfn_release,
};

#if defined(CONFIG_KRETPROBES) && !defined(CONFIG_FPROBE)
static int ktap_kretprobe_keep(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	if (!rp)
		return 1;
	kprobe_keep_args(&container_of(rp, struct kprobe_point, rp)->f, regs,
			 (unsigned long *)ri->data);
	return 0;
}
NOKPROBE_SYMBOL(ktap_kretprobe_keep);

static int ktap_kretprobe_hit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct kprobe_point *p;

	/* The kretprobe was unregistered while the function ran. */
	if (!rp)
		return 0;
	p = container_of(rp, struct kprobe_point, rp);
	guard(preempt_notrace)();
	ktap_kfn_fire(&p->f, &ktap_kfn_ops, (struct ktap_kfn_hit){
		.ip = p->f.fns.fn[0].ip,
		.caller = get_kretprobe_retaddr(ri),
		.args = (unsigned long *)ri->data,
		.regs = regs,
	});
	return 0;
}
NOKPROBE_SYMBOL(ktap_kretprobe_hit);

static int kprobe_init_return(struct kprobe_point *p)
{
	p->rp.handler = ktap_kretprobe_hit;
	p->rp.entry_handler = ktap_kretprobe_keep;
	p->rp.data_size = p->f.nargs * sizeof(long);
	return 0;
}
#else
static int kprobe_init_return(struct kprobe_point *p)
{
	return -EOPNOTSUPP;
}
#endif

/**
 * ktap_kprobe_add() - Add an instruction or a return to a probe
 * @vm: for errors
 * @probe: the probe
 * @fns: the function; moved to the point
 * @spec: the event as the script names it
 *
 * Return: 0, or a negative errno with the error set in @vm.
 */
int ktap_kprobe_add(struct ktap_vm *vm, struct ktap_probe *probe, struct ktap_kfns *fns,
		    const struct ktap_kfn_spec *spec)
{
	unsigned long size, offset, addr = fns->fn[0].ip;
	struct kprobe_point *p;
	int err;

	if (!kallsyms_lookup_size_offset(addr, &size, &offset))
		return ktap_vm_error(vm, -EINVAL, "'%s' cannot be probed", probe->event);
	/*
	 * @ip is the ftrace location, which need not be the first byte: calls from the same
	 * object skip the first instructions on powerpc.  Without KPROBES_ON_FTRACE, no
	 * kprobe may be there.
	 */
	if (spec->offset || !IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		addr += spec->offset - offset;
	if (spec->offset >= size)
		return ktap_vm_error(vm, -EINVAL, "'%s': the function has %lu bytes",
				     probe->event, size);
	p = kzalloc_obj(*p, KTAP_GFP);
	if (!p)
		return ktap_vm_error(vm, -ENOMEM, "no memory");

	fns->fn[0].ip = addr;
	p->f.ret = spec->ret;
	/* Kretprobes are called in the reverse order of kprobes: the last pushed is first. */
	p->f.point.newest_first = !spec->ret;
	p->rp.kp.addr = (kprobe_opcode_t *)addr;
	p->rp.kp.pre_handler = spec->ret ? NULL : ktap_kprobe_hit;
	if (probe->injects) {
		p->rp.kp.pre_handler = ktap_kprobe_inject;
		/* ftrace_location() also finds that of a function whose first byte is @addr. */
		if (ftrace_location(addr) != addr)
			p->rp.kp.post_handler = ktap_kprobe_post;
		p->inject_type = get_injectable_error_type(addr);
	}
	err = ktap_kfn_init(vm, &p->f, probe, &ktap_kprobe_source, fns);
	if (err)
		return err;
	/* In the middle of a function the registers do not hold the arguments. */
	if (spec->offset || !KTAP_HAS_ARGUMENTS)
		p->f.nargs = 0;
	if (spec->ret && kprobe_init_return(p))
		return ktap_vm_error(vm, -EOPNOTSUPP, "'%s': this kernel cannot probe returns",
				     probe->event);
	return 0;
}
