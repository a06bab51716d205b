// SPDX-License-Identifier: GPL-2.0
/*
 * Iterators: an event for each thread, for each open file of each process, or for each of its
 * mappings.
 *
 * The session's thread goes through them once, after trace_begin, and runs the handlers
 * itself.  A work makes one event and queues itself again, so that ticks and the end of the
 * session come in between.  A script that has only iterators ends after the last one.
 *
 * A handler may wait for the reader, or never end until the session is closed.  So no lock is
 * held while it runs, and nothing is referenced whose release others wait for: neither the
 * file, which may be that of the session, nor the address space.  A handler reads copies of
 * the file and of the mapping.  The thread, the path of the file, and the mm_struct are
 * referenced.
 */
#include <linux/delay.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/overflow.h>
#include <linux/path.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/suggest.h"
#include "event/source.h"
#include "load/verifier_types.h"
#include "session.h"
#include "vm/program.h"

/* How long to wait for the lock of the mappings of a process, in jiffies */
#define ITER_PATIENCE	HZ

/* More values of enum ktap_iter_field: the name of the event, as e.name; no field */
#define ITER_NAME	KTAP_ITER_FIELDS
#define ITER_NONE	(KTAP_ITER_FIELDS + 1)

struct iter_point;

/**
 * struct iter_kind - a kind of iterator
 * @name: after "iter:"
 * @has: the fields of its events, a bit each
 * @visit: makes the next event of &iter_point.task; false if there is none
 */
struct iter_kind {
	const char *name;
	u8 has;
	bool (*visit)(struct iter_point *p);
};

/**
 * struct iter_point - an iterator
 * @point: the point
 * @work: makes the next event
 * @kind: its kind
 * @next: least number of the next thread, in the namespace of the session's opener
 * @done: all threads have been visited
 * @task: the thread that is visited; NULL: the next one is due
 * @begun: @task has had an event
 * @fd: least number of its next file
 * @mm: its mm_struct
 * @address: where its next mapping ends at the earliest
 * @file: copy of a file
 * @vma: copy of a mapping
 * @fields: by field of the program: enum ktap_iter_field, ITER_NAME or ITER_NONE
 *
 * All but the first three are of the session's thread alone.
 */
struct iter_point {
	struct ktap_point point;
	struct kthread_work work;
	const struct iter_kind *kind;
	int next;
	bool done;
	struct task_struct *task;
	bool begun;
	unsigned int fd;
	struct mm_struct *mm;
	unsigned long address;
	union {
		struct file file;
		struct vm_area_struct vma;
	};
	u8 fields[];
};

/**
 * struct iter_hit - an event
 * @hit: the event
 * @values: by enum ktap_iter_field: an address, or the number of a file descriptor
 */
struct iter_hit {
	struct ktap_hit hit;
	u64 values[KTAP_ITER_FIELDS];
};

static struct iter_point *iter_point_of(const struct ktap_point *point)
{
	return container_of(point, struct iter_point, point);
}

static struct ktap_session *iter_session_of(const struct iter_point *p)
{
	return p->point.probe->session;
}

/* Must the rest be left out?  If the session is closed, it is no longer RUNNING. */
static bool iter_ends(const struct iter_point *p)
{
	return READ_ONCE(iter_session_of(p)->filter.state) != KTAP_RUNNING;
}

/* Values that handlers read */

static void iter_get_name(const struct ktap_event *ev, struct ktap_value *v)
{
	const struct ktap_point *point = ktap_hit_of(ev)->point;

	*v = KTAP_VALUE_STR(point->name, point->name_len);
}

static void iter_get_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct iter_hit *h = container_of(ktap_hit_of(vm->event), struct iter_hit, hit);
	const struct iter_point *p = iter_point_of(h->hit.point);
	unsigned int field = p->fields[index];

	*v = KTAP_VALUE_NIL;
	if (field == ITER_NAME)
		iter_get_name(vm->event, v);
	else if (field == KTAP_ITER_FD)
		*v = KTAP_VALUE_INT(h->values[KTAP_ITER_FD]);
	else if (field != ITER_NONE)
		*v = KTAP_VALUE_TYPED(h->values[field], vm->env->prog->iter_types[field]);
}

static const struct ktap_event_ops iter_ops = {
	.name = iter_get_name,
	.field = iter_get_field,
};

static void iter_run(struct iter_point *p, unsigned int fd, const struct file *file,
		     const struct vm_area_struct *vma)
{
	struct iter_hit h = {
		.hit.ev.ops = &iter_ops,
		.hit.point = &p->point,
		.values[KTAP_ITER_TASK] = (unsigned long)p->task,
		.values[KTAP_ITER_FD] = fd,
		.values[KTAP_ITER_FILE] = (unsigned long)file,
		.values[KTAP_ITER_VMA] = (unsigned long)vma,
	};

	p->begun = true;
	ktap_session_run_event(p->point.probe, &h.hit.ev);
}

/* Threads */

static bool iter_visit_task(struct iter_point *p)
{
	if (p->begun)
		return false;
	iter_run(p, 0, NULL, NULL);
	return true;
}

/*
 * Files and mappings that threads share are visited with the one that has the least number, of
 * those that are visited: a filter may leave out the others (comm, cgroup).
 */

static const void *iter_files_of(const struct task_struct *task)
{
	return READ_ONCE(task->files);
}

static const void *iter_mm_of(const struct task_struct *task)
{
	return READ_ONCE(task->mm);
}

static bool iter_is_first(const struct iter_point *p,
			  const void *(*get)(const struct task_struct *task))
{
	const struct ktap_session *s = iter_session_of(p);
	const void *shared = get(p->task);
	struct task_struct *thread;
	pid_t nr;

	if (!shared)
		return false;
	guard(rcu)();
	for_each_thread(p->task, thread) {
		nr = task_pid_nr_ns(thread, s->env.pid_ns);
		if (nr && nr < p->next - 1 && get(thread) == shared &&
		    ktap_wants_task(&s->filter, thread))
			return false;
	}
	return true;
}

/* Files */

/* Copy the next file of the thread, and reference its path.  Return false if there is none. */
static bool iter_copy_file(struct iter_point *p)
{
	struct file *file = fget_task_next(p->task, &p->fd);

	if (!file)
		return false;
	/* Some members change meanwhile, such as the position. */
	data_race(memcpy(&p->file, file, sizeof(p->file)));
	path_get(&p->file.f_path);
	fput(file);
	return true;
}

static bool iter_visit_file(struct iter_point *p)
{
	if (!p->begun && !iter_is_first(p, iter_files_of))
		return false;
	if (!iter_copy_file(p))
		return false;
	iter_run(p, p->fd++, &p->file, NULL);
	path_put(&p->file.f_path);
	return true;
}

/* Mappings */

static struct mm_struct *iter_grab_mm(struct task_struct *task)
{
	struct mm_struct *mm;

	if (task->flags & PF_KTHREAD)
		return NULL;
	task_lock(task);
	mm = task->mm;
	if (mm)
		mmgrab(mm);
	task_unlock(task);
	return mm;
}

/* Its holder may wait for long, as for a file system of a user: do not wait for that. */
static bool iter_lock_mappings(struct iter_point *p)
{
	unsigned long end = jiffies + ITER_PATIENCE;

	while (!mmap_read_trylock(p->mm)) {
		if (iter_ends(p))
			return false;
		if (time_after(jiffies, end)) {
			ktap_tally_inc(&p->point.probe->stats->missed);
			return false;
		}
		usleep_range(50, 200);
	}
	return true;
}

/* Copy the next mapping.  Return false if there is none. */
static bool iter_copy_mapping(struct iter_point *p)
{
	const struct vm_area_struct *vma;

	if (!iter_lock_mappings(p))
		return false;
	vma = find_vma(p->mm, p->address);
	if (vma) {
		/* Some members change without the lock, such as counts of references. */
		data_race(memcpy(&p->vma, vma, sizeof(p->vma)));
		p->address = p->vma.vm_end;
	}
	mmap_read_unlock(p->mm);
	return vma;
}

/* The last user of an address space waits for its asynchronous I/O: let others do that. */
static void iter_put_address_space(struct mm_struct *mm)
{
#ifdef CONFIG_MMU
	mmput_async(mm);
#else
	mmput(mm);
#endif
}

static bool iter_visit_mapping(struct iter_point *p)
{
	bool found;

	if (!p->begun) {
		if (!iter_is_first(p, iter_mm_of))
			return false;
		p->mm = iter_grab_mm(p->task);
		p->address = 0;
	} else if (!p->address) {
		/* The last mapping has ended where the address space does. */
		return false;
	}
	if (!p->mm || !mmget_not_zero(p->mm))
		return false;
	found = iter_copy_mapping(p);
	iter_put_address_space(p->mm);
	if (found)
		iter_run(p, 0, NULL, &p->vma);
	return found;
}

static const struct iter_kind iter_kinds[] = {
	{ "task", BIT(KTAP_ITER_TASK), iter_visit_task },
	{ "task_file", BIT(KTAP_ITER_TASK) | BIT(KTAP_ITER_FD) | BIT(KTAP_ITER_FILE),
	  iter_visit_file },
	{ "task_vma", BIT(KTAP_ITER_TASK) | BIT(KTAP_ITER_VMA), iter_visit_mapping },
};

/* All threads */

static void iter_leave_task(struct iter_point *p)
{
	if (p->mm)
		mmdrop(p->mm);
	if (p->task)
		put_task_struct(p->task);
	p->mm = NULL;
	p->task = NULL;
}

static bool iter_wants_task(const struct ktap_session *s, struct task_struct *task)
{
	guard(rcu)();
	return ktap_wants_task(&s->filter, task);
}

/* Take the next thread, if it is wanted.  Return false if there is none. */
static bool iter_take_next(struct iter_point *p)
{
	struct ktap_session *s = iter_session_of(p);
	struct pid *pid;

	scoped_guard(rcu) {
		pid = find_ge_pid(p->next, s->env.pid_ns);
		if (!pid)
			return false;
		p->next = pid_nr_ns(pid, s->env.pid_ns) + 1;
		p->task = get_pid_task(pid, PIDTYPE_PID);
	}
	p->begun = false;
	p->fd = 0;
	if (p->task && !iter_wants_task(s, p->task))
		iter_leave_task(p);
	return true;
}

/*
 * Points are only added before the session runs, and freed by the session's thread, which
 * is here, or when nothing of the session runs any more.
 */
static void iter_finish(struct iter_point *p)
{
	struct ktap_session *s = iter_session_of(p);
	const struct ktap_point *point;

	p->done = true;
	list_for_each_entry(point, &s->points, list) {
		if (point->source != &ktap_iter_source || !iter_point_of(point)->done)
			return;
	}
	ktap_session_stop(s, 0);
}

static void iter_work(struct kthread_work *work)
{
	struct iter_point *p = container_of(work, struct iter_point, work);

	if (iter_ends(p)) {
		iter_leave_task(p);
		return;
	}
	if (p->task) {
		if (!p->kind->visit(p))
			iter_leave_task(p);
	} else if (!iter_take_next(p)) {
		iter_finish(p);
		return;
	}
	kthread_queue_work(iter_session_of(p)->filter.worker, &p->work);
}

/* The source */

static void iter_start(struct ktap_point *point)
{
	struct iter_point *p = iter_point_of(point);

	kthread_queue_work(iter_session_of(p)->filter.worker, &p->work);
}

static bool iter_has(const struct ktap_point *point, enum ktap_part part, u32 n)
{
	return part == KTAP_PART_FIELD && iter_point_of(point)->fields[n] != ITER_NONE;
}

static void iter_near(const struct ktap_point *point, struct ktap_suggest *near)
{
	const struct iter_point *p = iter_point_of(point);
	unsigned int i;

	for (i = 0; i < KTAP_ITER_FIELDS; i++) {
		if (p->kind->has & BIT(i))
			ktap_suggest_look(near, ktap_iter_fields[i].name);
	}
}

static void iter_release(struct ktap_point *point)
{
	struct iter_point *p = iter_point_of(point);

	iter_leave_task(p);
	kfree(p);
}

const struct ktap_source ktap_iter_source = {
	.name = "iter",
	.in_process = true,
	.has = iter_has,
	.near = iter_near,
	.start = iter_start,
	.release = iter_release,
};

static u8 iter_find_field(const struct iter_kind *kind, const char *name)
{
	unsigned int i;

	for (i = 0; i < KTAP_ITER_FIELDS; i++) {
		if (kind->has & BIT(i) && !strcmp(ktap_iter_fields[i].name, name))
			return i;
	}
	return ITER_NONE;
}

static void iter_find_fields(struct iter_point *p, const struct ktap_program *prog)
{
	const char *name;
	u32 i;

	for (i = 0; i < prog->nfields; i++) {
		name = prog->fields[i]->blob;
		if (i >= prog->nown_fields && !strcmp(name, "name"))
			p->fields[i] = ITER_NAME;
		else
			p->fields[i] = iter_find_field(p->kind, name);
	}
}

static const struct iter_kind *iter_find_kind(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(iter_kinds); i++) {
		if (!strcmp(iter_kinds[i].name, name))
			return &iter_kinds[i];
	}
	return NULL;
}

/* "task", "task_file", "task_vma" */
int ktap_parse_iter(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	const struct ktap_program *prog = vm->env->prog;
	const struct iter_kind *kind = iter_find_kind(rest);
	struct iter_point *p;

	if (!kind)
		return ktap_vm_error(vm, -ENOENT,
				     "no iterator '%s': there are iter:task, iter:task_file and iter:task_vma",
				     probe->event);
	/* Fields are addresses, and the handler sees what others have open and mapped. */
	if (!probe->session->perfmon)
		return ktap_vm_error(vm, -EPERM, "'%s': CAP_PERFMON is needed for iterators",
				     probe->event);
	if (ktap_iter_find_types(vm->env))
		return ktap_event_error(vm, probe->event, -ENOMEM);
	if (ktap_probe_charge(probe, struct_size(p, fields, prog->nfields)))
		return ktap_event_error(vm, probe->event, -ENOMEM);
	p = kzalloc_flex(*p, fields, prog->nfields, KTAP_GFP);
	if (!p)
		return ktap_event_error(vm, probe->event, -ENOMEM);
	kthread_init_work(&p->work, iter_work);
	p->kind = kind;
	p->next = 1;
	iter_find_fields(p, prog);
	ktap_point_init(&p->point, probe, &ktap_iter_source, probe->event);
	return 0;
}
