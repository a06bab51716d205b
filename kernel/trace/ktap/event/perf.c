// SPDX-License-Identifier: GPL-2.0
/*
 * Samples: each CPU has a counter of perf, and the probe runs each time the counter
 * has counted a period.  A profile counts the time of its CPU.  A watch on memory (watch.c)
 * counts accesses, each of them is a period; if the memory is that of a process, each of its
 * threads has the counter, not each CPU.
 *
 * The counters are created when the probe is registered, so that errors are reported
 * with their position in the script.  They are enabled when the session starts.
 *
 * A CPU that comes online later gets its counter shortly afterwards from a work item:
 * to create or release a counter may switch a static key.  This takes cpu_hotplug_lock
 * for reading, while callbacks of CPU hotplug run with it held for writing.
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "event/perf.h"
#include "event/source.h"
#include "session.h"
#include "session_output.h"

/**
 * struct ktap_counter - the counter of a CPU
 * @event: perf's event, or NULL
 * @made: value of @turns before @event was created
 * @turns: how often the CPU went online or offline; perf removes its events from a CPU
 *	that goes offline, and does not restore them
 */
struct ktap_counter {
	struct perf_event *event;
	unsigned int made;
	unsigned int turns;
};

/**
 * struct ktap_perf - a counter that a probe waits for
 * @point: the point
 * @node: instance for CPU hotplug
 * @counters: by CPU; @lock protects @event and @made
 * @of_threads: counters of the threads of a process
 * @nthreads: number of elements of @of_threads
 * @attr: the kind of counter and its period
 * @lock: taken before cpu_hotplug_lock
 * @work: creates the counters of CPUs that have come online
 * @added: @node was added
 * @started: new counters are enabled at once
 * @throttled: how often perf has stopped a counter until the next tick
 * @fields: by field of the program: enum perf_field
 */
struct ktap_perf {
	struct ktap_point point;
	struct hlist_node node;
	struct ktap_counter __percpu *counters;
	struct perf_event **of_threads;
	unsigned int nthreads;
	struct perf_event_attr attr;
	struct mutex lock;	/* of the counters */
	struct work_struct work;
	bool added;
	bool started;
	atomic_long_t throttled;
	u8 fields[];
};

enum perf_field {
	FIELD_NONE,
	FIELD_NAME,
	FIELD_IP,
	FIELD_ADDR,
};

/* A counter has counted a period. */
struct perf_hit {
	struct ktap_hit hit;
	const struct ktap_perf *perf;
	const struct perf_sample_data *data;
	struct pt_regs *regs;
};

static enum cpuhp_state hotplug_state __ro_after_init;

static const struct perf_hit *perf_hit_of(const struct ktap_event *ev)
{
	return container_of(ev, struct perf_hit, hit.ev);
}

static void perf_name(const struct ktap_event *ev, struct ktap_value *v)
{
	const struct ktap_point *point = ktap_hit_of(ev)->point;

	*v = KTAP_VALUE_STR(point->name, point->name_len);
}

static void perf_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct perf_hit *h = perf_hit_of(vm->event);

	*v = KTAP_VALUE_NIL;
	switch ((enum perf_field)h->perf->fields[index]) {
	case FIELD_NONE:
		break;
	case FIELD_NAME:
		perf_name(vm->event, v);
		break;
	case FIELD_IP:
		if (h->regs)
			*v = KTAP_VALUE_INT(instruction_pointer(h->regs));
		break;
	case FIELD_ADDR:
		/* perf does not initialize @addr if it is 0. */
		*v = KTAP_VALUE_INT(h->data->sample_flags & PERF_SAMPLE_ADDR ? h->data->addr : 0);
		break;
	}
}

/* As in DTrace: arg0 is the address in the kernel, arg1 in the program; one is 0. */
static void perf_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	const struct perf_hit *h = perf_hit_of(vm->event);

	*v = KTAP_VALUE_NIL;
	if (n < 2 && h->regs)
		*v = KTAP_VALUE_INT(!!user_mode(h->regs) == n ? instruction_pointer(h->regs) : 0);
}

/* Switches have those of their caller, and of these only what a stack needs. */
static bool perf_has_registers(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_SOFTWARE)
		return true;
	switch (attr->config) {
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
	case PERF_COUNT_SW_CPU_MIGRATIONS:
	case PERF_COUNT_SW_CGROUP_SWITCHES:
		return false;
	}
	return true;
}

static struct pt_regs *perf_regs(const struct ktap_event *ev)
{
	return perf_hit_of(ev)->regs;
}

static const struct ktap_event_ops perf_ops = {
	.name = perf_name,
	.field = perf_field,
	.arg = perf_arg,
	.regs = perf_regs,
};

/* Copied from kernel/events/core.c: &hw_perf_event.interrupts of a throttled event */
#define MAX_INTERRUPTS	(~0ULL)

static void ktap_perf_overflow(struct perf_event *counter, struct perf_sample_data *data,
			       struct pt_regs *regs)
{
	struct ktap_perf *p = counter->overflow_handler_context;
	const struct perf_hit h = {
		.hit.ev.ops = &perf_ops,
		.hit.point = &p->point,
		.perf = p,
		.data = data,
		.regs = regs,
	};

	guard(preempt_notrace)();
	/* perf has throttled the counter, but still delivers this event. */
	if (unlikely(counter->hw.interrupts == MAX_INTERRUPTS))
		atomic_long_inc(&p->throttled);
	ktap_fire(&h.hit);
}
NOKPROBE_SYMBOL(ktap_perf_overflow);

static void perf_release_counter(struct ktap_counter *c)
{
	if (c->event)
		perf_event_release_kernel(c->event);
	c->event = NULL;
}

/* Create the counter of @cpu, unless it has one that was created since it came online. */
static int perf_make_counter(struct ktap_perf *p, unsigned int cpu)
{
	struct ktap_counter *c = per_cpu_ptr(p->counters, cpu);
	unsigned int turns = READ_ONCE(c->turns);
	struct perf_event *event;

	lockdep_assert_held(&p->lock);
	if (c->event && c->made == turns)
		return 0;
	perf_release_counter(c);
	if (!cpu_online(cpu) || !ktap_wants_cpu(&p->point.probe->session->filter, cpu))
		return 0;
	event = perf_event_create_kernel_counter(&p->attr, cpu, NULL, ktap_perf_overflow, p);
	if (IS_ERR(event)) {
		/*
		 * perf refuses a CPU that is online while it goes offline, and before it has
		 * come online: wait for the end of that.
		 */
		cpus_read_lock();
		cpus_read_unlock();
		/* If the CPU went offline meanwhile, @work runs when it is back. */
		return cpu_online(cpu) && READ_ONCE(c->turns) == turns ? PTR_ERR(event) : 0;
	}
	c->event = event;
	c->made = turns;
	if (p->started)
		perf_event_enable(event);
	return 0;
}

static void perf_counter_work(struct work_struct *work)
{
	struct ktap_perf *p = container_of(work, struct ktap_perf, work);
	unsigned int cpu;
	int err;

	guard(mutex)(&p->lock);
	for_each_possible_cpu(cpu) {
		err = perf_make_counter(p, cpu);
		/* An error must not keep the CPU offline: only report it. */
		if (err)
			ktap_output_note(&p->point.probe->session->output,
					 "CPU %u came online without '%s': error %pe", cpu,
					 p->point.name, ERR_PTR(err));
	}
}

/*
 * Called online and offline.  A counter that is created between this callback and
 * perf's, on a CPU that goes offline, is replaced when the CPU comes back.
 */
static void perf_count_turn(struct ktap_perf *p, unsigned int cpu)
{
	struct ktap_counter *c = per_cpu_ptr(p->counters, cpu);

	WRITE_ONCE(c->turns, c->turns + 1);
}

static int perf_counter_online(unsigned int cpu, struct hlist_node *node)
{
	struct ktap_perf *p = hlist_entry(node, struct ktap_perf, node);

	perf_count_turn(p, cpu);
	schedule_work(&p->work);
	return 0;
}

static int perf_counter_offline(unsigned int cpu, struct hlist_node *node)
{
	perf_count_turn(hlist_entry(node, struct ktap_perf, node), cpu);
	return 0;
}

struct counter_name {
	const char *name;
	u32 config;
};

/* Counters, with the names of perf(1) */
static const struct counter_name software[] = {
	{ "cpu-clock",		PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock",		PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults",	PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults",		PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults",	PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults",	PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches",	PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs",			PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations",	PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations",		PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults",	PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults",	PERF_COUNT_SW_EMULATION_FAULTS },
	{ "cgroup-switches",	PERF_COUNT_SW_CGROUP_SWITCHES },
	{ }
};

static const struct counter_name hardware[] = {
	{ "cpu-cycles",		PERF_COUNT_HW_CPU_CYCLES },
	{ "cycles",		PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions",	PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references",	PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses",	PERF_COUNT_HW_CACHE_MISSES },
	{ "branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branches",		PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses",	PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles",		PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles",		PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ }
};

/* Do the events of the counter have an address? */
static bool perf_has_address(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_BREAKPOINT)
		return true;
	if (attr->type != PERF_TYPE_SOFTWARE)
		return false;
	switch (attr->config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
	case PERF_COUNT_SW_ALIGNMENT_FAULTS:
	case PERF_COUNT_SW_EMULATION_FAULTS:
		return true;
	}
	return false;
}

static void perf_find_fields(struct ktap_perf *p, const struct ktap_program *prog)
{
	const char *name;
	u32 i;

	for (i = 0; i < prog->nfields; i++) {
		name = prog->fields[i]->blob;
		if (i >= prog->nown_fields && !strcmp(name, "name"))
			p->fields[i] = FIELD_NAME;
		else if (!strcmp(name, "ip"))
			p->fields[i] = FIELD_IP;
		else if (!strcmp(name, "addr") && perf_has_address(&p->attr))
			p->fields[i] = FIELD_ADDR;
	}
}

/* Set the message that counters cannot be created; return @err. */
static int perf_counter_error(struct ktap_vm *vm, const struct ktap_perf *p, int err)
{
	const char *event = p->point.name;

	if (KTAP_CAN_WATCH && p->attr.type == PERF_TYPE_BREAKPOINT)
		return ktap_watch_error(vm, event, &p->attr, err);
	switch (err) {
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
		return ktap_vm_error(vm, err,
				     "event '%s': this machine has no such counter that interrupts",
				     event);
	case -EBUSY:
		return ktap_vm_error(vm, err, "event '%s': all counters of this machine are in use",
				     event);
	}
	return ktap_event_error(vm, event, err);
}

/* Threads that may start while those of a process are counted */
#define PERF_MORE_THREADS	8

/*
 * Take a reference to each thread of the process of the session, in *@threads, which the
 * caller frees.  Return their number, 0 if the process has ended, or -ENOMEM.
 */
static int perf_get_threads(const struct ktap_probe *probe, struct task_struct ***threads)
{
	struct pid *process = probe->session->filter.pid;
	struct task_struct *leader, *thread;
	int n = 0, room = PERF_MORE_THREADS;

	scoped_guard(rcu) {
		leader = pid_task(process, PIDTYPE_TGID);
		room += leader ? get_nr_threads(leader) : 0;
	}
	*threads = kvcalloc(room, sizeof(**threads), KTAP_GFP);
	if (!*threads)
		return -ENOMEM;
	guard(rcu)();
	leader = pid_task(process, PIDTYPE_TGID);
	if (!leader)
		return 0;
	for_each_thread(leader, thread) {
		if (n < room)
			(*threads)[n++] = get_task_struct(thread);
	}
	return n;
}

/* Create the counter of a thread; one that is ending needs none. */
static int perf_make_of_thread(struct ktap_perf *p, struct task_struct *thread)
{
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&p->attr, -1, thread, ktap_perf_overflow, p);
	if (!IS_ERR(event))
		p->of_threads[p->nthreads++] = event;
	return IS_ERR(event) && PTR_ERR(event) != -ESRCH ? PTR_ERR(event) : 0;
}

/*
 * Create the counters of the threads of a process.  Threads that these start inherit a
 * counter in its state at that time.  So it is enabled at once: ktap_fire() delivers nothing
 * until the session runs.
 */
static int perf_make_of_threads(struct ktap_perf *p)
{
	struct ktap_probe *probe = p->point.probe;
	struct task_struct **threads;
	int i, n, err;

	p->attr.disabled = 0;
	p->attr.inherit = 1;
	p->attr.inherit_thread = !probe->session->follow;
	n = perf_get_threads(probe, &threads);
	if (n < 0)
		return n;
	err = ktap_probe_charge(probe, n * (sizeof(*p->of_threads) + sizeof(struct perf_event)));
	if (!err) {
		p->of_threads = kvcalloc(n, sizeof(*p->of_threads), KTAP_GFP);
		err = p->of_threads ? 0 : -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		err = err ?: perf_make_of_thread(p, threads[i]);
		put_task_struct(threads[i]);
	}
	kvfree(threads);
	return err;
}

static void perf_release_of_threads(struct ktap_perf *p)
{
	while (p->nthreads)
		perf_event_release_kernel(p->of_threads[--p->nthreads]);
}

static int perf_make_of_cpus(struct ktap_perf *p)
{
	unsigned int cpu;
	int err;

	err = cpuhp_state_add_instance_nocalls(hotplug_state, &p->node);
	if (err)
		return err;
	p->added = true;
	guard(mutex)(&p->lock);
	for_each_possible_cpu(cpu) {
		err = perf_make_counter(p, cpu);
		if (err)
			return err;
	}
	return 0;
}

/**
 * ktap_perf_add() - Add a counter to a probe
 * @vm: for errors
 * @probe: the probe
 * @attr: the kind of counter and its period, disabled
 * @of_process: the threads of the process of the session have it; otherwise the CPUs
 *
 * Return: 0, or a negative errno with the error set in @vm.
 */
int ktap_perf_add(struct ktap_vm *vm, struct ktap_probe *probe,
		  const struct perf_event_attr *attr, bool of_process)
{
	const struct ktap_program *prog = vm->env->prog;
	struct ktap_perf *p;
	size_t bytes;
	int err;

	bytes = struct_size(p, fields, prog->nfields) +
		num_possible_cpus() * (sizeof(struct ktap_counter) + sizeof(struct perf_event));
	err = ktap_probe_charge(probe, bytes);
	if (err)
		return err;
	p = kzalloc_flex(*p, fields, prog->nfields, KTAP_GFP);
	if (!p)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	p->counters = alloc_percpu_gfp(struct ktap_counter, KTAP_GFP);
	if (!p->counters) {
		kfree(p);
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	}
	p->attr = *attr;
	p->point.newest_first = true;
	perf_find_fields(p, prog);
	mutex_init(&p->lock);
	INIT_WORK(&p->work, perf_counter_work);

	/* From here on, perf_release() frees it. */
	ktap_point_init(&p->point, probe, &ktap_perf_source, probe->event);
	err = of_process ? perf_make_of_threads(p) : perf_make_of_cpus(p);
	return err ? perf_counter_error(vm, p, err) : 0;
}

static int perf_add_counter(struct ktap_vm *vm, struct ktap_probe *probe, u32 type, u32 config,
			    u64 period)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
		.sample_period = period,
		.disabled = 1,
	};

	return ktap_perf_add(vm, probe, &attr, false);
}

/* "99hz", "1ms" */
int ktap_parse_profile(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	u64 period = ktap_parse_period(rest);

	if (!period)
		return ktap_vm_error(vm, -EINVAL,
				     "'%s': a profile is like profile-99hz (s, ms, us, hz)",
				     probe->event);
	if (period < KTAP_MIN_PERIOD)
		return ktap_vm_error(vm, -ERANGE, "'%s' is too often: at most every 10us",
				     probe->event);
	return perf_add_counter(vm, probe, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, period);
}

static const struct counter_name *perf_find_counter(const struct counter_name *names,
						    const char *name, size_t len)
{
	for (; names->name; names++) {
		if (strlen(names->name) == len && !strncmp(names->name, name, len))
			return names;
	}
	return NULL;
}

/* "NAME:PERIOD" */
static int perf_parse_counter(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest,
			      u32 type, const struct counter_name *names)
{
	const char *colon = strchrnul(rest, ':');
	const struct counter_name *counter = perf_find_counter(names, rest, colon - rest);
	bool clock = type == PERF_TYPE_SOFTWARE && counter &&
		     (counter->config == PERF_COUNT_SW_CPU_CLOCK ||
		      counter->config == PERF_COUNT_SW_TASK_CLOCK);
	u64 period;

	if (!counter)
		return ktap_vm_error(vm, -ENOENT, "no event '%s'", probe->event);
	if (!*colon)
		return ktap_vm_error(vm, -EINVAL,
				     "'%s' needs a period: with :1000 it is every 1000th",
				     probe->event);
	if (kstrtou64(colon + 1, 10, &period) || !period || period > S64_MAX)
		return ktap_vm_error(vm, -EINVAL, "'%s': a period is a number from 1 on",
				     probe->event);
	if (clock && period < KTAP_MIN_PERIOD)
		return ktap_vm_error(vm, -ERANGE,
				     "'%s' is too often: the period is in ns, at least %u",
				     probe->event, KTAP_MIN_PERIOD);
	return perf_add_counter(vm, probe, type, counter->config, period);
}

int ktap_parse_software(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	return perf_parse_counter(vm, probe, rest, PERF_TYPE_SOFTWARE, software);
}

int ktap_parse_hardware(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	return perf_parse_counter(vm, probe, rest, PERF_TYPE_HARDWARE, hardware);
}

static void perf_call_counters(struct ktap_perf *p, void (*fn)(struct perf_event *event))
{
	unsigned int cpu;

	lockdep_assert_held(&p->lock);
	for_each_possible_cpu(cpu) {
		struct perf_event *event = per_cpu_ptr(p->counters, cpu)->event;

		if (event)
			fn(event);
	}
}

/* Does a later probe use the same counter?  Not for clocks: each has its own timer. */
static bool perf_is_shared(const struct ktap_perf *p)
{
	const struct ktap_point *point = &p->point;
	const struct ktap_perf *later;

	if (p->attr.type != PERF_TYPE_SOFTWARE || p->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
	    p->attr.config == PERF_COUNT_SW_TASK_CLOCK)
		return false;
	list_for_each_entry_continue(point, &p->point.probe->session->points, list) {
		if (point->source != &ktap_perf_source)
			continue;
		later = container_of(point, struct ktap_perf, point);
		if (later->attr.type == p->attr.type && later->attr.config == p->attr.config)
			return true;
	}
	return false;
}

/*
 * perf calls the newest event first.  The events of a probe were created when it was
 * registered, to report errors with its line: create them again, after those of later
 * probes.
 */
static int perf_attach(struct ktap_point *point)
{
	struct ktap_perf *p = container_of(point, struct ktap_perf, point);
	unsigned int cpu;
	int err = 0;

	if (!perf_is_shared(p))
		return 0;
	guard(mutex)(&p->lock);
	for_each_possible_cpu(cpu) {
		perf_release_counter(per_cpu_ptr(p->counters, cpu));
		err = err ?: perf_make_counter(p, cpu);
	}
	return err;
}

static void perf_start(struct ktap_point *point)
{
	struct ktap_perf *p = container_of(point, struct ktap_perf, point);

	guard(mutex)(&p->lock);
	p->started = true;
	perf_call_counters(p, perf_event_enable);
}

/* Report throttling.  perf does not know how many events were lost. */
static void perf_note_throttled(const struct ktap_perf *p)
{
	long n = atomic_long_read(&p->throttled);

	if (n)
		ktap_output_note(&p->point.probe->session->output,
				 "missed events of '%s': it was stopped until the next tick, %ld times; sysctl kernel.perf_event_max_sample_rate allows no more",
				 p->point.name, n);
}

static void perf_detach(struct ktap_point *point)
{
	struct ktap_perf *p = container_of(point, struct ktap_perf, point);

	scoped_guard(mutex, &p->lock) {
		p->started = false;
		perf_call_counters(p, perf_event_disable);
	}
	perf_note_throttled(p);
}

/*
 * A fork holds the mutex of the counters of its task, and perf may take event_mutex in it, to
 * let the child inherit a tracepoint.  So counters of threads are not released in perf_detach(),
 * where event_mutex is held.
 */
static void perf_sync(struct ktap_session *s)
{
	struct ktap_point *point;

	list_for_each_entry(point, &s->points, list) {
		if (point->source == &ktap_perf_source)
			perf_release_of_threads(container_of(point, struct ktap_perf, point));
	}
}

static void perf_release(struct ktap_point *point)
{
	struct ktap_perf *p = container_of(point, struct ktap_perf, point);
	unsigned int cpu;

	if (p->added)
		cpuhp_state_remove_instance_nocalls(hotplug_state, &p->node);
	cancel_work_sync(&p->work);
	for_each_possible_cpu(cpu)
		perf_release_counter(per_cpu_ptr(p->counters, cpu));
	perf_release_of_threads(p);
	kvfree(p->of_threads);
	mutex_destroy(&p->lock);
	free_percpu(p->counters);
	kfree(p);
}

static bool perf_has(const struct ktap_point *point, enum ktap_part part, u32 n)
{
	const struct ktap_perf *p = container_of(point, struct ktap_perf, point);

	switch (part) {
	case KTAP_PART_FIELD:
		return p->fields[n];
	case KTAP_PART_ARG:
		return n < 2;
	case KTAP_PART_REGISTERS:
		return perf_has_registers(&p->attr);
	default:
		return false;
	}
}

const struct ktap_source ktap_perf_source = {
	.name = "perf",
	.has = perf_has,
	.attach = perf_attach,
	.refused = "perf cannot create its counters again",
	.start = perf_start,
	.detach = perf_detach,
	.sync = perf_sync,
	.release = perf_release,
};

/* Must run before tracefs.c creates the files. */
static int __init ktap_perf_init(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "trace/ktap:online",
					    perf_counter_online, perf_counter_offline);

	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}
subsys_initcall(ktap_perf_init);
