// SPDX-License-Identifier: GPL-2.0
/*
 * fprobes: entries and returns of one or thousands of functions.
 *
 * Patching the entry of a function takes up to some hundred microseconds, and a
 * registration cannot be interrupted.  So a point has one fprobe for each
 * FPROBE_PIECE functions.
 *
 * The entry of a single function gets a hook instead, if one is free (func_hook.c), and so
 * does the return of a single one (return_hook.c).
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "event/func_event.h"
#include "session.h"

/* Larger pieces are hardly faster. */
#define FPROBE_PIECE	1024

struct fprobe_piece {
	struct fprobe fp;
	struct fprobe_point *point;
};

/**
 * struct fprobe_point - entry or return of functions
 * @f: the functions
 * @hook: of a single entry: used instead of @pieces, if not NULL
 * @return_hook: of a single return: used instead of @pieces, if there are none; or NULL
 * @id: of a return: a number that no other point has or had
 * @npieces: number of registered @pieces
 * @missed: events that @pieces missed before they were registered anew
 * @pieces: the fprobes, each of at most FPROBE_PIECE functions
 */
struct fprobe_point {
	struct ktap_kfn_point f;
	struct ktap_kfn_hook *hook;
	struct ktap_kfn_return *return_hook;
	unsigned long id;
	unsigned int npieces;
	unsigned long missed;
	struct fprobe_piece pieces[];
};

/**
 * struct fprobe_kept - data that a task keeps from the entry of a function to its return
 * @id: &fprobe_point.id
 * @args: &ktap_kfn_point.nargs arguments
 *
 * kernel/trace/fprobe.c keeps the address of the fprobe, and calls the fprobe that is
 * registered at this address when the function returns.  If the task sleeps meanwhile,
 * the session may be freed, and its memory reused for a point of another session.  That
 * point must not take the event or these arguments: it has another @id.
 */
struct fprobe_kept {
	unsigned long id;
	unsigned long args[];
};

static_assert(sizeof(struct fprobe_kept) + KTAP_KFN_ARGS * sizeof(long) <= MAX_FPROBE_DATA_SIZE);

static atomic_long_t last_id;

static struct fprobe_point *fprobe_point_of(struct fprobe *fp)
{
	return container_of(fp, struct fprobe_piece, fp)->point;
}

static int ktap_fprobe_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			     struct ftrace_regs *fregs, void *data)
{
	struct fprobe_point *p = fprobe_point_of(fp);

	ktap_kfn_fire(&p->f, &ktap_kfn_ops, (struct ktap_kfn_hit){
		.ip = ip,
		.caller = ret_ip,
		.fregs = fregs,
	});
	return 0;
}
NOKPROBE_SYMBOL(ktap_fprobe_entry);

/* Keep the arguments for the handler of the return, where their registers are reused. */
static int ktap_fprobe_keep(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			    struct ftrace_regs *fregs, void *data)
{
	struct fprobe_point *p = fprobe_point_of(fp);
	struct fprobe_kept *kept = data;
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
	struct fprobe_point *p = fprobe_point_of(fp);
	const struct fprobe_kept *kept = data;

	/* Was the data kept by this point? */
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

static void fprobe_piece_init(struct fprobe_piece *piece, struct fprobe_point *p)
{
	piece->point = p;
	if (!p->f.ret) {
		piece->fp.entry_handler = ktap_fprobe_entry;
		return;
	}
	piece->fp.entry_handler = ktap_fprobe_keep;
	piece->fp.exit_handler = ktap_fprobe_exit;
	piece->fp.entry_data_size = struct_size_t(struct fprobe_kept, args, p->f.nargs);
}

/* In reverse order of fprobe_attach_pieces() */
static void fprobe_detach(struct ktap_point *point)
{
	struct fprobe_point *p = container_of(point, struct fprobe_point, f.point);
	unsigned int i;

	if (p->hook)
		ktap_kfn_hook_detach(p->hook);
	if (p->return_hook)
		ktap_kfn_return_detach(p->return_hook);
	for (i = p->npieces; i; i--) {
		unregister_fprobe_async(&p->pieces[i - 1].fp);
		cond_resched();
	}
}

/*
 * Return the number of functions from @ips, of @n, that become one piece.  An address of
 * init memory that was freed makes ftrace keep all addresses of the piece, so it must not be
 * together with others.
 */
static unsigned int fprobe_piece_size(const unsigned long *ips, unsigned int n)
{
	unsigned int i;

	n = min(n, FPROBE_PIECE);
	for (i = 1; i < n && is_kernel_inittext(ips[i]) == is_kernel_inittext(ips[0]); i++)
		;
	return i;
}

/* @ips: the addresses of all functions, sorted */
static int fprobe_attach_pieces(struct fprobe_point *p, unsigned long *ips)
{
	struct ktap_session *s = p->f.point.probe->session;
	unsigned int first, n;
	int err;

	for (first = 0; first < p->f.fns.n; first += n) {
		n = fprobe_piece_size(ips + first, p->f.fns.n - first);
		if (ktap_unloads(s))
			return -EINTR;
		/* A probe with a condition is attached again after the machine has booted. */
		if (is_kernel_inittext(ips[first]) && system_state >= SYSTEM_FREEING_INITMEM)
			continue;
		fprobe_piece_init(&p->pieces[p->npieces], p);
		err = register_fprobe_ips(&p->pieces[p->npieces].fp, ips + first, n);
		if (err)
			return err;
		/* Pairs with smp_load_acquire() in fprobe_missed(). */
		smp_store_release(&p->npieces, p->npieces + 1);
		ktap_session_attached(s, n);
		cond_resched();
	}
	return 0;
}

static int fprobe_attach(struct ktap_point *point)
{
	unsigned long *ips __free(kvfree) = NULL;
	struct fprobe_point *p;
	int err;

	p = container_of(point, struct fprobe_point, f.point);
	p->hook = ktap_kfn_hook_take(&p->f);
	if (p->hook)
		return ktap_kfn_hook_attach(p->hook, &p->f, &ktap_kfn_ops);
	/* If fgraph has no slot for another user, fprobe may have one. */
	p->return_hook = ktap_kfn_return_take(&p->f);
	if (p->return_hook && !ktap_kfn_return_attach(p->return_hook, &p->f, p->id))
		return 0;
	ips = ktap_kfns_ips(&p->f.fns);
	if (!ips)
		return -ENOMEM;
	err = fprobe_attach_pieces(p, ips);
	if (err)
		fprobe_detach(point);
	return err;
}

static unsigned long fprobe_missed(const struct ktap_point *point)
{
	const struct fprobe_point *p = container_of(point, struct fprobe_point, f.point);
	unsigned long missed = READ_ONCE(p->missed);
	unsigned int i, n;

	/* Pairs with smp_store_release() in fprobe_attach_pieces(). */
	n = smp_load_acquire(&p->npieces);
	for (i = 0; i < n; i++)
		missed += READ_ONCE(p->pieces[i].fp.nmissed);
	return missed;
}

static void fprobe_left(struct ktap_point *point)
{
	struct fprobe_point *p = container_of(point, struct fprobe_point, f.point);
	unsigned long missed = fprobe_missed(point);

	/* A reader of ktap/sessions may see less for a moment. */
	WRITE_ONCE(p->npieces, 0);
	WRITE_ONCE(p->missed, missed);
	ktap_kfn_hook_put(p->hook);
	p->hook = NULL;
	ktap_kfn_return_put(p->return_hook);
	p->return_hook = NULL;
}

static void fprobe_release(struct ktap_point *point)
{
	fprobe_left(point);
	ktap_kfn_release(point);
}

const struct ktap_source ktap_fprobe_source = {
	.name = "fprobe",
	.switches = true,
	.attach = fprobe_attach,
	.refused = "the function tracer cannot follow it",
	.why = ktap_kfn_why,
	.has = ktap_kfn_has,
	.near = ktap_kfn_near,
	.advice = ktap_kfn_advice,
	.missed = fprobe_missed,
	.detach = fprobe_detach,
	.left = fprobe_left,
	.release = fprobe_release,
};

/**
 * ktap_fprobe_add() - Add the entry or the return of functions to a probe
 * @vm: for errors
 * @probe: the probe
 * @fns: the functions; moved to the point
 * @spec: the event as the script names it
 *
 * Return: 0, or a negative errno with the error set in @vm.
 */
int ktap_fprobe_add(struct ktap_vm *vm, struct ktap_probe *probe, struct ktap_kfns *fns,
		    const struct ktap_kfn_spec *spec)
{
	struct fprobe_point *p;

	/* One more for those of init memory, and one more after them */
	p = kvzalloc_flex(*p, pieces, DIV_ROUND_UP(fns->n, FPROBE_PIECE) + 2, KTAP_GFP);
	if (!p)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	/* The table of kernel/trace/fprobe.c has the newest first, for entries and returns. */
	p->f.point.newest_first = true;
	p->f.ret = spec->ret;
	if (p->f.ret)
		p->id = atomic_long_inc_return(&last_id);
	return ktap_kfn_init(vm, &p->f, probe, &ktap_fprobe_source, fns);
}
