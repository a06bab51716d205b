// SPDX-License-Identifier: GPL-2.0
/*
 * Samples: a counter of perf on each CPU, and the clause runs each time it has
 * counted so many.  A profile is one that counts the time of its CPU.
 *
 * The counters are made when the clause comes to life, so that what is wrong
 * is told with its place in the script; they count from start on.
 *
 * A CPU that comes later gets its counter from a work item, a moment after it
 * has come: making one, as releasing one, may switch a static key, which takes
 * the lock that is held for writing while callbacks of CPU hotplug run.
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
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "output.h"
#include "source.h"

/**
 * struct ktap_counter - the counter of a CPU
 * @event: of perf; NULL if there is none
 * @made: what @turns was before it was made
 * @turns: how often the CPU has come or gone; perf takes its events from a CPU
 *	that goes and does not give them back
 */
struct ktap_counter {
	struct perf_event *event;
	unsigned int made;
	unsigned int turns;
};

/**
 * struct ktap_perf - what a clause waits for
 * @point: see there
 * @node: among those that hear of CPUs that come and go
 * @counters: by CPU; @event and @made are for who holds @lock
 * @attr: what is counted
 * @lock: before that of CPU hotplug
 * @work: makes the counters of CPUs that have come
 * @added: @node is
 * @started: counters that are made count at once
 * @throttled: how often perf has stopped one until the next tick
 * @fields: by field of the program
 */
struct ktap_perf {
	struct ktap_point point;
	struct hlist_node node;
	struct ktap_counter __percpu *counters;
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

/* A counter has counted enough. */
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
		/* perf leaves it as it was on its stack where it is 0. */
		*v = KTAP_VALUE_INT(h->data->sample_flags & PERF_SAMPLE_ADDR ? h->data->addr : 0);
		break;
	}
}

/* As in DTrace: where the kernel was, or else where the program was. */
static void perf_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	const struct perf_hit *h = perf_hit_of(vm->event);

	*v = KTAP_VALUE_NIL;
	if (n < 2 && h->regs)
		*v = KTAP_VALUE_INT(user_mode(h->regs) == n ? instruction_pointer(h->regs) : 0);
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

/* As in perf's own code: the value of &hw_perf_event.interrupts of one that is stopped. */
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
	/* This one still comes. */
	if (unlikely(counter->hw.interrupts == MAX_INTERRUPTS))
		atomic_long_inc(&p->throttled);
	ktap_fire(&h.hit);
}

NOKPROBE_SYMBOL(ktap_perf_overflow);

static void release_counter(struct ktap_counter *c)
{
	if (c->event)
		perf_event_release_kernel(c->event);
	c->event = NULL;
}

/* The counter of @cpu, which is not there or from before it went. */
static int make_counter(struct ktap_perf *p, unsigned int cpu)
{
	struct ktap_counter *c = per_cpu_ptr(p->counters, cpu);
	unsigned int turns = READ_ONCE(c->turns);
	struct perf_event *event;

	lockdep_assert_held(&p->lock);
	if (c->event && c->made == turns)
		return 0;
	release_counter(c);
	if (!cpu_online(cpu) || !ktap_wants_cpu(p->point.probe->session, cpu))
		return 0;
	event = perf_event_create_kernel_counter(&p->attr, cpu, NULL, ktap_perf_overflow, p);
	if (IS_ERR(event)) {
		/* If it has gone meanwhile, the work comes when it does. */
		return cpu_online(cpu) && READ_ONCE(c->turns) == turns ? PTR_ERR(event) : 0;
	}
	c->event = event;
	c->made = turns;
	if (p->started)
		perf_event_enable(event);
	return 0;
}

static void counter_work(struct work_struct *work)
{
	struct ktap_perf *p = container_of(work, struct ktap_perf, work);
	unsigned int cpu;
	int err;

	guard(mutex)(&p->lock);
	for_each_possible_cpu(cpu) {
		err = make_counter(p, cpu);
		/* A CPU that comes later does so without us rather than not at all. */
		if (err)
			ktap_output_note(&p->point.probe->session->output,
					 "CPU %u has come without '%s': error %pe", cpu,
					 p->point.name, ERR_PTR(err));
	}
}

/*
 * Counts both ways: a counter made between this callback and perf's, on a CPU
 * that goes, is replaced when the CPU comes back.
 */
static void count_turn(struct ktap_perf *p, unsigned int cpu)
{
	struct ktap_counter *c = per_cpu_ptr(p->counters, cpu);

	WRITE_ONCE(c->turns, c->turns + 1);
}

static int counter_online(unsigned int cpu, struct hlist_node *node)
{
	struct ktap_perf *p = hlist_entry(node, struct ktap_perf, node);

	count_turn(p, cpu);
	schedule_work(&p->work);
	return 0;
}

static int counter_offline(unsigned int cpu, struct hlist_node *node)
{
	count_turn(hlist_entry(node, struct ktap_perf, node), cpu);
	return 0;
}

struct counter_name {
	const char *name;
	u32 config;
};

/* What perf counts, under the names that perf(1) has for it. */
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

/* Does each of its events happen at an address? */
static bool has_address(const struct perf_event_attr *attr)
{
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

static void find_fields(struct ktap_perf *p, const struct ktap_program *prog)
{
	const char *name;
	u32 i;

	for (i = 0; i < prog->nfields; i++) {
		name = prog->fields[i]->blob;
		if (i >= prog->nown_fields && !strcmp(name, "name"))
			p->fields[i] = FIELD_NAME;
		else if (!strcmp(name, "ip"))
			p->fields[i] = FIELD_IP;
		else if (!strcmp(name, "addr") && has_address(&p->attr))
			p->fields[i] = FIELD_ADDR;
	}
}

/* Says why the counters could not be made. */
static int counter_error(struct ktap_vm *vm, const struct ktap_perf *p, int err)
{
	const char *event = p->point.name;

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

static int add_counter(struct ktap_vm *vm, struct ktap_probe *probe, u32 type, u32 config,
		       u64 period)
{
	const struct ktap_program *prog = vm->env->prog;
	struct ktap_perf *p;
	unsigned int cpu;
	int err;

	p = kzalloc_flex(*p, fields, prog->nfields, GFP_KERNEL_ACCOUNT);
	if (!p)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	p->counters = alloc_percpu_gfp(struct ktap_counter, GFP_KERNEL_ACCOUNT);
	if (!p->counters) {
		kfree(p);
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	}
	p->attr = (struct perf_event_attr){
		.size = sizeof(p->attr),
		.type = type,
		.config = config,
		.sample_period = period,
		.disabled = 1,
	};
	find_fields(p, prog);
	mutex_init(&p->lock);
	INIT_WORK(&p->work, counter_work);

	/* From here on ktap_perf_source.release() frees it. */
	ktap_point_init(&p->point, probe, &ktap_perf_source, probe->event);
	err = cpuhp_state_add_instance_nocalls(hotplug_state, &p->node);
	if (err)
		return ktap_event_error(vm, probe->event, err);
	p->added = true;
	guard(mutex)(&p->lock);
	for_each_possible_cpu(cpu) {
		err = make_counter(p, cpu);
		if (err)
			return counter_error(vm, p, err);
	}
	return 0;
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
	return add_counter(vm, probe, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, period);
}

static const struct counter_name *find_counter(const struct counter_name *names,
					       const char *name, size_t len)
{
	for (; names->name; names++) {
		if (strlen(names->name) == len && !strncmp(names->name, name, len))
			return names;
	}
	return NULL;
}

/* "NAME:PERIOD" */
static int parse_counter(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest, u32 type,
			 const struct counter_name *names)
{
	const char *colon = strchrnul(rest, ':');
	const struct counter_name *counter = find_counter(names, rest, colon - rest);
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
		return ktap_vm_error(vm, -ERANGE, "'%s' is too often: it counts ns, at least %u",
				     probe->event, KTAP_MIN_PERIOD);
	return add_counter(vm, probe, type, counter->config, period);
}

int ktap_parse_software(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	return parse_counter(vm, probe, rest, PERF_TYPE_SOFTWARE, software);
}

int ktap_parse_hardware(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	return parse_counter(vm, probe, rest, PERF_TYPE_HARDWARE, hardware);
}

static void call_counters(struct ktap_perf *p, void (*fn)(struct perf_event *event))
{
	unsigned int cpu;

	lockdep_assert_held(&p->lock);
	for_each_possible_cpu(cpu) {
		struct perf_event *event = per_cpu_ptr(p->counters, cpu)->event;

		if (event)
			fn(event);
	}
}

static void perf_start(struct ktap_point *point)
{
	struct ktap_perf *p = container_of(point, struct ktap_perf, point);

	guard(mutex)(&p->lock);
	p->started = true;
	call_counters(p, perf_event_enable);
}

/* How many events that has cost perf does not know. */
static void note_throttled(const struct ktap_perf *p)
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
		call_counters(p, perf_event_disable);
	}
	note_throttled(p);
}

static void perf_release(struct ktap_point *point)
{
	struct ktap_perf *p = container_of(point, struct ktap_perf, point);
	unsigned int cpu;

	if (p->added)
		cpuhp_state_remove_instance_nocalls(hotplug_state, &p->node);
	cancel_work_sync(&p->work);
	for_each_possible_cpu(cpu)
		release_counter(per_cpu_ptr(p->counters, cpu));
	mutex_destroy(&p->lock);
	free_percpu(p->counters);
	kfree(p);
}

const struct ktap_source ktap_perf_source = {
	.name = "perf",
	.start = perf_start,
	.detach = perf_detach,
	.release = perf_release,
};

/* Before the files are there. */
static int __init ktap_perf_init(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "trace/ktap:online",
					    counter_online, counter_offline);

	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}
subsys_initcall(ktap_perf_init);
