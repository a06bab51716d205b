// SPDX-License-Identifier: GPL-2.0
/*
 * fprobes: entries and returns, one or thousands of them in a clause, which has
 * one fprobe for all its functions.
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "function.h"

/**
 * struct fprobe_point - entry or return of functions
 * @f: see there
 * @fp: the fprobe
 * @id: of a return: its number, no other point has or had the same
 */
struct fprobe_point {
	struct ktap_kfn_point f;
	struct fprobe fp;
	unsigned long id;
};

/**
 * struct kept - what a task keeps from the entry of a function to its return
 * @id: &fprobe_point.id
 * @args: &ktap_kfn_point.nargs arguments
 *
 * fprobe.c keeps the address of the fprobe, and calls it if one is registered
 * there when the function returns.  The task may have slept so long that the
 * session is gone, and the memory is that of another session's point: that one
 * must neither take the event nor these arguments.
 */
struct kept {
	unsigned long id;
	unsigned long args[];
};

static_assert(sizeof(struct kept) + KTAP_KFN_ARGS * sizeof(long) <= MAX_FPROBE_DATA_SIZE);

/* What an array of register_fprobe_ips() has room for. */
#define MAX_FUNCTIONS	((KMALLOC_MAX_SIZE - sizeof(struct fprobe_hlist)) / \
			 sizeof(struct fprobe_hlist_node))

static atomic_long_t last_id;

static int ktap_fprobe_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			     struct ftrace_regs *fregs, void *data)
{
	struct fprobe_point *p = container_of(fp, struct fprobe_point, fp);

	ktap_kfn_fire(&p->f, &ktap_kfn_ops, (struct ktap_kfn_hit){
		.ip = ip,
		.caller = ret_ip,
		.fregs = fregs,
	});
	return 0;
}

NOKPROBE_SYMBOL(ktap_fprobe_entry);

/* For the handler of the return, which has other registers. */
static int ktap_fprobe_keep(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			    struct ftrace_regs *fregs, void *data)
{
	struct fprobe_point *p = container_of(fp, struct fprobe_point, fp);
	struct kept *kept = data;
	unsigned int i;

	kept->id = p->id;
	for (i = 0; i < p->f.nargs; i++)
		kept->args[i] = ftrace_regs_get_argument(fregs, i);
	return 0;
}

NOKPROBE_SYMBOL(ktap_fprobe_keep);

static void ktap_fprobe_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			     struct ftrace_regs *fregs, void *data)
{
	struct fprobe_point *p = container_of(fp, struct fprobe_point, fp);
	const struct kept *kept = data;

	/* Others may have kept nothing. */
	if (!kept || kept->id != p->id)
		return;
	ktap_kfn_fire(&p->f, &ktap_kfn_ops, (struct ktap_kfn_hit){
		.ip = ip,
		.caller = ret_ip,
		.args = kept->args,
		.fregs = fregs,
	});
}

NOKPROBE_SYMBOL(ktap_fprobe_exit);

static int fprobe_attach(struct ktap_point *point)
{
	unsigned long *ips __free(kvfree) = NULL;
	struct fprobe_point *p;

	p = container_of(point, struct fprobe_point, f.point);
	ips = ktap_kfns_ips(&p->f.fns);
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

	ktap_kfn_destroy(&p->f);
	kfree(p);
}

const struct ktap_source ktap_fprobe_source = {
	.name = "fprobe",
	.attach = fprobe_attach,
	.refused = "the function tracer cannot follow it",
	.why = ktap_kfn_why,
	.missed = fprobe_missed,
	.detach = fprobe_detach,
	.release = fprobe_release,
};

/**
 * ktap_fprobe_add() - Adds the entry or the return of functions to a clause
 * @vm: for errors
 * @probe: the clause
 * @fns: the functions, which become the point's
 * @spec: what the script says
 *
 * Return: 0, or an error that is set.
 */
int ktap_fprobe_add(struct ktap_vm *vm, struct ktap_probe *probe, struct ktap_kfns *fns,
		    const struct ktap_kfn_spec *spec)
{
	struct fprobe_point *p;
	int err;

	/* register_fprobe_ips() has all of them in one array, and warns. */
	if (fns->n > MAX_FUNCTIONS)
		return ktap_vm_error(vm, -E2BIG,
				     "'%s' is %u functions: at most %lu can be traced by one clause",
				     probe->event, fns->n, MAX_FUNCTIONS);
	p = kzalloc_obj(*p, GFP_KERNEL_ACCOUNT);
	if (!p)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	p->f.ret = spec->ret;
	err = ktap_kfn_init(vm, &p->f, probe, &ktap_fprobe_source, fns);
	if (err)
		return err;

	if (!spec->ret) {
		p->fp.entry_handler = ktap_fprobe_entry;
	} else {
		p->id = atomic_long_inc_return(&last_id);
		p->fp.entry_handler = ktap_fprobe_keep;
		p->fp.exit_handler = ktap_fprobe_exit;
		p->fp.entry_data_size = struct_size_t(struct kept, args, p->f.nargs);
	}
	return 0;
}
