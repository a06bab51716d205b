/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probes of a script.  A session owns them; event/ and user/ make them and
 * deliver their events.
 */
#ifndef _KTAP_PROBE_H
#define _KTAP_PROBE_H

#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "vm/event.h"
#include "vm/quick.h"
#include "vm/run.h"
#include "vm/tally.h"

struct irq_work;
struct kthread_work;
struct ktap_env;
struct ktap_func;
struct ktap_point;
struct ktap_session;
struct ktap_source;
struct module;
struct seq_file;
struct trace_event_call;

/**
 * enum ktap_probe_kind - when a probe runs
 * @KTAP_ON_BEGIN: trace_begin
 * @KTAP_ON_END: trace_end
 * @KTAP_ON_EVENT: at each event of its points
 */
enum ktap_probe_kind {
	KTAP_ON_BEGIN,
	KTAP_ON_END,
	KTAP_ON_EVENT,
};

/**
 * struct ktap_probe_stats - outcomes of the events of a probe, on one CPU
 * @hits: the handler ran
 * @filtered: the filter was false
 * @missed: the event happened inside of a handler, or interrupted an update of a
 *	table, or no handler may run in that context; of ticks: the previous one was
 *	not finished
 * @skipped: the session had exceeded its overhead limit on the CPU
 * @errors: the filter or the handler ended with a run-time error
 * @time: nanoseconds that filter and handler took, with the interrupts that came
 *	meanwhile; an estimate (see vm/overhead.c)
 */
struct ktap_probe_stats {
	struct ktap_tally hits;
	struct ktap_tally filtered;
	struct ktap_tally missed;
	struct ktap_tally skipped;
	struct ktap_tally errors;
	u64 time;
};

/* Where a long has 32 bits, it may be half written when it is read. */
static inline u64 ktap_probe_time(const struct ktap_probe_stats *stats)
{
	u64 time, again = READ_ONCE(stats->time);

	do {
		time = again;
		again = READ_ONCE(stats->time);
	} while (!IS_ENABLED(CONFIG_64BIT) && time != again);
	return time;
}

/* Sums of &struct ktap_probe_stats over all CPUs */
struct ktap_probe_totals {
	u64 hits;
	u64 filtered;
	u64 missed;
	u64 skipped;
	u64 errors;
	u64 time;
};

/**
 * struct ktap_plan - the parts of its events that a probe may read
 * @event: any part: it takes the event as a parameter, or reads its text or an
 *	argument by number
 * @nth: fields by numbers that are not known before
 * @retval: the return value
 * @args: the arguments that it may read by number, a bit each
 * @fields: the fields of the program that it may read, a bit each
 *
 * Sources use it to leave out what no handler needs.
 */
struct ktap_plan {
	bool event;
	bool nth;
	bool retval;
	u32 args;
	unsigned long *fields;
};

/**
 * struct ktap_probe - a live probe, made of a &struct ktap_probe_def or by probe()
 * @list: in &ktap_session.probes
 * @session: the session that owns it
 * @kind: when it runs
 * @pc: the instruction that registered it, for messages
 * @filter: index of the filter's function, or KTAP_NONE
 * @handler: index of the handler's function
 * @filter_func: the filter's function, or NULL; if @quick tests what it does, NULL
 * @handler_func: the handler's function
 * @native: native code of both; NULL if they are interpreted
 * @jit_outcome: why they are
 * @start: how its runs begin; set when it is attached
 * @quick: how it handles events of tasks; set when it is attached, and KTAP_FIRE_ANY if
 *	the filter of the session narrows its events
 * @stats: counters
 * @plan: the parts of its events that it may read
 * @injects: a function may be replaced for it (inject.c)
 * @slow_fields: an event of it has a field of @plan that &ktap_event_ops.field_quickly never
 *	reads; set while points are added
 * @checked: field_check.c has checked what its functions read of the event
 * @bytes: memory charged for it and its points
 * @too_large: it exceeded the memory limit of the session
 * @fetches: it has fetch arguments, and is not of a return (dynevent.c)
 * @fetch_event: its event with fetch arguments, or NULL; protected by event_mutex
 * @condition: global; the probe is attached only while it is true.  KTAP_NONE: always
 * @switched: its definition; the probe is attached only while that is switched on.
 *	KTAP_NONE: always
 * @wanted: it should be attached; protected by &ktap_session.lock
 * @on: it is attached, and its session runs or stops; for display
 * @times: how often it has been attached
 * @hidden: it was deleted, and its points are about to be freed
 * @released: they have been freed
 * @missed: events that its points had missed by then
 * @counting: a point whose source counts some misses itself, or NULL; protected by RCU
 * @mod: a module that the probe pins because no point does, or NULL
 * @event: the event as the script spells it
 */
struct ktap_probe {
	struct list_head list;
	struct ktap_session *session;
	enum ktap_probe_kind kind;
	u32 pc;
	u32 filter;
	u32 handler;
	const struct ktap_func *filter_func;
	const struct ktap_func *handler_func;
	const struct ktap_native *native;
	enum ktap_jit_outcome jit_outcome;
	struct ktap_start start;
	struct ktap_quick quick;
	struct ktap_probe_stats __percpu *stats;
	struct ktap_plan plan;
	bool injects;
	bool slow_fields;
	bool checked;
	size_t bytes;
	bool too_large;
	bool fetches;
	struct trace_event_call *fetch_event;
	u32 condition;
	u32 switched;
	bool wanted;
	bool on;
	unsigned long times;
	bool hidden;
	bool released;
	unsigned long missed;
	struct ktap_point *counting;
	struct module *mod;
	char event[];
};

/**
 * struct ktap_point - one or more events that a probe waits for; sources embed it
 * @list: in &ktap_session.points
 * @probe: the probe
 * @source: the source of the events
 * @attached: ktap_source.attach() has succeeded
 * @leaving: it has been detached, but handlers may still run
 * @newest_first: the kernel calls the points of one event in reverse order of
 *	attaching; the source sets it
 * @name: the event's name
 * @name_len: bytes of @name
 * @nevents: number of events
 * @entry: function by which the event enters the tracing code: stacks begin above it
 * @entry_size: bytes of that function
 */
struct ktap_point {
	struct list_head list;
	struct ktap_probe *probe;
	const struct ktap_source *source;
	bool attached;
	bool leaving;
	bool newest_first;
	const char *name;
	u32 name_len;
	u32 nevents;
	unsigned long entry;
	unsigned long entry_size;
};

/* Can the walk of a stack begin at an instruction? */
#if defined(CONFIG_X86_64) || defined(CONFIG_ARM64) || defined(CONFIG_RISCV) || defined(CONFIG_PPC)
#define KTAP_WALKS_FROM_HERE	1
#else
#define KTAP_WALKS_FROM_HERE	0
#endif

/**
 * struct ktap_here - an instruction in a function of a source, where the walk of a stack begins
 * @ip: instruction; 0: not known, the walk begins where it is made
 * @sp: stack pointer there
 * @bp: base pointer there
 *
 * It saves the frames from ktap_fire() to the built-in function, which are more than
 * most stacks have.  Only x86-64 notes it: unwinders of other machines are cheap, or need
 * more registers.  On some others &ktap_event_ops.begin may find it.
 */
struct ktap_here {
#if KTAP_WALKS_FROM_HERE
	unsigned long ip;
	unsigned long sp;
	unsigned long bp;
#endif
};

/**
 * struct ktap_hit - an event that happened at a point; sources embed it
 * @ev: the part that the virtual machine sees
 * @point: the point
 * @here: the function of the source that calls ktap_fire()
 */
struct ktap_hit {
	struct ktap_event ev;
	struct ktap_point *point;
	struct ktap_here here;
};

/* Note the registers of the caller, whose frame must exist while the handler runs. */
static __always_inline void ktap_note_here(struct ktap_here *here)
{
#ifdef CONFIG_X86_64
	/*
	 * The kernel is in the uppermost 2 GiB: its addresses fit into an instruction.  objtool
	 * takes a store of the base pointer for one that is undone before the function returns.
	 */
	asm volatile("movq $1f, %0\n"
		     "1:\tmovq %%rsp, %1\n\t"
		     "movq %%rbp, %2"
		     : "=m" (here->ip), "=m" (here->sp), "=r" (here->bp));
#endif
}

/* They are not known. */
static __always_inline void ktap_note_nowhere(struct ktap_here *here)
{
#ifdef CONFIG_X86_64
	here->ip = 0;
#endif
}

static inline const struct ktap_hit *ktap_hit_of(const struct ktap_event *ev)
{
	return container_of(ev, struct ktap_hit, ev);
}

/* event/timer.c */
extern const struct ktap_source ktap_timer_source;

/* event/attach.c */
int ktap_sources_attach(struct ktap_session *s);
int ktap_probe_compile(struct ktap_session *s, struct ktap_probe *probe, unsigned int n,
		       struct ktap_diag *diag);
void ktap_sources_start(struct ktap_session *s);
void ktap_sources_detach(struct ktap_session *s);

/* event/condition.c */
void ktap_conditions_changed(struct ktap_env *env);
void ktap_conditions_irq(struct irq_work *work);
void ktap_conditions_work(struct kthread_work *work);
void ktap_conditions_begin(struct ktap_session *s);

/* event/source.c */
void ktap_sources_release(struct ktap_session *s);
void ktap_sources_show(struct seq_file *m);
void ktap_probe_stats(const struct ktap_probe *probe, struct ktap_probe_totals *sum);

/* event/field_check.c */
int ktap_field_check_rest(struct ktap_session *s);
void ktap_field_check_skip(struct ktap_session *s);

#endif /* _KTAP_PROBE_H */
