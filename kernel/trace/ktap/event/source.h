/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where events come from, and the clauses of a script that wait for them.
 */
#ifndef _KTAP_SOURCE_H
#define _KTAP_SOURCE_H

#include <linux/list.h>
#include <linux/percpu.h>

#include "session.h"

struct trace_event;
struct trace_event_call;
struct tracepoint;

/* Events of all clauses of a session: `*:*` in a few clauses, and then some. */
#define KTAP_MAX_POINTS		16384

/* A tick more often than that would keep a CPU busy with nothing else. */
#define KTAP_MIN_PERIOD		10000	/* ns */

/**
 * enum ktap_clause_kind - when a clause runs
 * @KTAP_ON_BEGIN: trace_begin
 * @KTAP_ON_END: trace_end
 * @KTAP_ON_EVENT: when one of its points says so
 */
enum ktap_clause_kind {
	KTAP_ON_BEGIN,
	KTAP_ON_END,
	KTAP_ON_EVENT,
};

/**
 * struct ktap_probe_stats - what became of the events of a clause, on one CPU
 * @hits: the handler ran
 * @filtered: the filter said no
 * @missed: the event came out of a handler or interrupted an update of a table;
 *	or, a tick, came before the last was done; or no handler may run in its place
 * @skipped: the session had taken more of the CPU than its ceiling allows
 * @errors: filter or handler ended with a run-time error
 * @time: nanoseconds of filter and handler, and of what has interrupted them; an
 *	estimate (see meter.c)
 */
struct ktap_probe_stats {
	unsigned long hits;
	unsigned long filtered;
	unsigned long missed;
	unsigned long skipped;
	unsigned long errors;
	u64 time;
};

/**
 * struct ktap_probe - a clause that has come to life
 * @list: in &ktap_session.probes
 * @session: whose it is
 * @kind: when it runs
 * @pc: the call that brought it to life, for messages
 * @filter: function, or KTAP_NONE
 * @handler: function
 * @stats: counters
 * @injects: a function may be replaced for it (inject.c)
 * @counting: a point that counts some misses itself, or NULL
 * @mod: stays as long as the clause does, though no point holds it; or NULL
 * @event: the event as the script has it
 */
struct ktap_probe {
	struct list_head list;
	struct ktap_session *session;
	enum ktap_clause_kind kind;
	u32 pc;
	u32 filter;
	u32 handler;
	struct ktap_probe_stats __percpu *stats;
	bool injects;
	struct ktap_point *counting;
	struct module *mod;
	char event[];
};

/**
 * struct ktap_point - an event that a clause waits for, or some; sources embed it
 * @list: in &ktap_session.points
 * @probe: the clause
 * @source: whose point it is
 * @attached: the source has done its part
 * @name: the event's name
 * @name_len: bytes of it
 * @nevents: number of events
 * @entry: function through which the event enters the tracing code: stacks
 *	begin above it
 * @entry_size: bytes of that function
 */
struct ktap_point {
	struct list_head list;
	struct ktap_probe *probe;
	const struct ktap_source *source;
	bool attached;
	const char *name;
	u32 name_len;
	u32 nevents;
	unsigned long entry;
	unsigned long entry_size;
};

/**
 * struct ktap_hit - an event at a point; sources embed it
 * @ev: what the virtual machine sees of it
 * @point: where
 */
struct ktap_hit {
	struct ktap_event ev;
	struct ktap_point *point;
};

static inline const struct ktap_hit *ktap_hit_of(const struct ktap_event *ev)
{
	return container_of(ev, struct ktap_hit, ev);
}

/**
 * struct ktap_source - a kind of events
 * @name: as ktap/features lists it
 * @attach: lets the point's events come; NULL if start() does it all
 * @refused: what is wrong if @attach or @attach_all fails, memory aside
 * @why: says it better; NULL for an error of which it knows no more
 * @missed: events that did not get as far as to ktap_fire()
 * @start: the session has begun to run
 * @detach: no new event, but some may still be under way
 * @release: none is any more: frees the point
 * @attach_all: called once, after all @attach
 * @detach_all: called once, after all @detach
 * @sync: called once, after all @detach_all: waits for events that are under way
 * @release_all: called once, after all @release
 *
 * All but @missed are called in process context, under &ktap_session.lock; but
 * @release and @release_all without it, too, when the session is closed.  Any but
 * @release may be NULL.
 */
struct ktap_source {
	const char *name;
	int (*attach)(struct ktap_point *point);
	const char *refused;
	const char *(*why)(int err);
	unsigned long (*missed)(const struct ktap_point *point);
	void (*start)(struct ktap_point *point);
	void (*detach)(struct ktap_point *point);
	void (*release)(struct ktap_point *point);
	int (*attach_all)(struct ktap_session *s);
	void (*detach_all)(struct ktap_session *s);
	void (*sync)(struct ktap_session *s);
	void (*release_all)(struct ktap_session *s);
};

extern const struct ktap_source ktap_tracepoint_source;
extern const struct ktap_source ktap_syscall_source;
extern const struct ktap_source ktap_timer_source;
extern const struct ktap_source ktap_perf_source;
extern const struct ktap_source ktap_fprobe_source;
extern const struct ktap_source ktap_kprobe_source;
extern const struct ktap_source ktap_ftrace_source;
extern const struct ktap_source ktap_rawtp_source;
extern const struct ktap_source ktap_uprobe_source;

/* source.c */
extern const struct ktap_source * const ktap_sources[];
extern const unsigned int ktap_nsources;

void ktap_point_init(struct ktap_point *point, struct ktap_probe *probe,
		     const struct ktap_source *source, const char *name);
void ktap_point_events(struct ktap_point *point, u32 n);
int ktap_event_error(struct ktap_vm *vm, const char *event, int err);
typedef bool (*ktap_wanted_fn)(const struct ktap_code *insn, void *data);
bool ktap_clause_reaches(const struct ktap_probe *probe, ktap_wanted_fn wanted, void *data);
bool ktap_clause_calls(const struct ktap_probe *probe, ktap_wanted_fn wanted, void *data);
int ktap_attach_error(const struct ktap_point *point, const char *event, int err);
int ktap_sources_attach(struct ktap_session *s);
void ktap_sources_start(struct ktap_session *s);
void ktap_sources_detach(struct ktap_session *s);
void ktap_sources_release(struct ktap_session *s);
void ktap_probe_stats(const struct ktap_probe *probe, struct ktap_probe_stats *sum);

/* stand_in.c */
void ktap_stand_in_put(struct ktap_session *s, struct tracepoint *tp);
void ktap_stand_ins_remove(struct ktap_session *s);

/* src_tracepoint.c, src_syscall.c: add @call to the clause; event_mutex is held */
int ktap_tracepoint_add(struct ktap_probe *probe, struct trace_event_call *call);
int ktap_tracepoint_add_own(struct ktap_probe *probe, struct trace_event_call *call,
			    const char *func, bool ret);
#ifdef CONFIG_FTRACE_SYSCALLS
bool ktap_is_syscall(const struct trace_event_call *call);
int ktap_syscall_add(struct ktap_probe *probe, struct trace_event_call *call);
#else
static inline bool ktap_is_syscall(const struct trace_event_call *call)
{
	return false;
}

static inline int ktap_syscall_add(struct ktap_probe *probe, struct trace_event_call *call)
{
	return -EOPNOTSUPP;
}
#endif

/* src_timer.c: adds a tick; 0, -EINVAL: no such period, -ERANGE: too short */
int ktap_tick_add(struct ktap_probe *probe, const char *period);
u64 ktap_parse_period(const char *period);

/*
 * What adds the events of a clause: @rest is its event without the prefix.
 * 0, or an error that is set.
 */
int ktap_parse_profile(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_software(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_hardware(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_probe(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_kretprobe(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_ftrace(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_rawtp(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_user(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);

/* inject.c */
#ifdef CONFIG_KTAP_SET_RETVAL
int ktap_inject_check(struct ktap_vm *vm, const struct ktap_probe *probe);
#else
static inline int ktap_inject_check(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	return 0;
}
#endif

/* src_dynevent.c: probes with fetch arguments */
#ifdef CONFIG_KPROBE_EVENTS
int ktap_dynevent_add(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest, bool ret);
void ktap_dynevent_delete(const char *name);
#else
static inline int ktap_dynevent_add(struct ktap_vm *vm, struct ktap_probe *probe,
				    const char *rest, bool ret)
{
	return ktap_vm_error(vm, -EOPNOTSUPP, "'%s': this kernel has no kprobe events",
			     probe->event);
}

static inline void ktap_dynevent_delete(const char *name)
{
}
#endif

/* resident.c: context: current's, may fault */
bool ktap_follows_addresses(const struct ktap_code *insn, void *unused);
void ktap_bring_in_bytes(const char __user *from, size_t size);
bool ktap_bring_in_string(const char __user *from);
void ktap_bring_in_strings(const void __user *from);

/* src_tracepoint.c: the text of a raw record, newline included */
void ktap_record_text(struct trace_iterator *iter, struct trace_event *event, const void *rec,
		      size_t len);
void ktap_event_format_free(void);

/* activation.c: see there */
void ktap_fire(const struct ktap_hit *hit);

#endif /* _KTAP_SOURCE_H */
