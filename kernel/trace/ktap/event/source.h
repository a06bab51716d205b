/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sources of events.
 */
#ifndef _KTAP_SOURCE_H
#define _KTAP_SOURCE_H

#include <linux/errno.h>
#include <linux/kconfig.h>
#include <linux/types.h>

#include "probe.h"
#include "vm/vm.h"

/*
 * Can memory be watched?  On arm and arm64 a breakpoint is hit before the access, and the kernel
 * steps over the instruction only if the handler is that of perf itself: it would be hit for
 * ever.  Others send a signal to the program for each hit (sh), turn breakpoints off until the
 * next context switch (loongarch), or ignore those in the kernel (xtensa).
 */
#define KTAP_CAN_WATCH \
	(IS_ENABLED(CONFIG_HAVE_HW_BREAKPOINT) && IS_ENABLED(CONFIG_X86))

struct ktap_code;
struct trace_event;
struct trace_event_call;
struct trace_iterator;
struct tracepoint;

/* Shorter periods would keep a CPU busy with ticks alone. */
#define KTAP_MIN_PERIOD		10000	/* ns */

/* Ticks interrupt also processes of others: those of a session of own processes are few. */
#define KTAP_MIN_OWN_PERIOD	NSEC_PER_MSEC
#define KTAP_MAX_OWN_TICKS	16

/**
 * enum ktap_part - a part of an event that a script reads
 * @KTAP_PART_FIELD: a field, by its index in the program's fields
 * @KTAP_PART_ARG: an argument, by number
 * @KTAP_PART_RETVAL: the return value
 * @KTAP_PART_REGISTERS: the registers, &ktap_event_ops.regs
 */
enum ktap_part {
	KTAP_PART_FIELD,
	KTAP_PART_ARG,
	KTAP_PART_RETVAL,
	KTAP_PART_REGISTERS,
};

/*
 * May a tracepoint call a function that has only its first parameter, the data that it was
 * registered with?  The calling conventions of all architectures of Linux allow it: the
 * first argument is where it always is, the callee does not look at the others, and the
 * caller removes those that are on the stack.  tracepoint.c calls tp_stub_func() likewise.
 * But kCFI compares the type of the function with that of the call.
 */
#define KTAP_SHORT_PROBES	(!IS_ENABLED(CONFIG_CFI))

struct ktap_suggest;
struct super_block;

/**
 * struct ktap_source - a kind of events
 * @name: as ktap/features lists it
 * @attach: enables the point's events; NULL if @start does it
 * @switches: a point can be attached and detached while the session runs
 * @in_process: handlers run in process context: they may sleep
 * @quick_fields: its events have &ktap_event_ops.field_quickly
 * @refused: message for errors of @attach and @attach_all, except -ENOMEM and -EINTR
 * @why: returns a better message for an error, or NULL
 * @has: may an event of the point have this part?  NULL: it has none
 * @near: offers the names of the point's fields as suggestions
 * @advice: returns what to do if a field is missing, or NULL
 * @missed: returns the number of events that did not reach ktap_fire()
 * @start: called when the session starts to run
 * @left: undoes the rest of @attach, so that the point can be attached again; no handler
 *	runs any more.  Only of sources with @switches
 * @detach: disables the point's events; handlers may still run
 * @release: frees the point; no handler runs any more
 * @attach_all: called after all @attach
 * @detach_all: called after all @detach
 * @sync: called once, after the last @detach_all; waits until no handler runs
 * @release_all: called once, after all @release
 *
 * All except @missed are called in process context, with &ktap_session.lock held;
 * @release and @release_all also without it, when the session is closed.  All except
 * @release may be NULL.
 */
struct ktap_source {
	const char *name;
	bool switches;
	bool in_process;
	bool quick_fields;
	int (*attach)(struct ktap_point *point);
	const char *refused;
	const char *(*why)(int err);
	bool (*has)(const struct ktap_point *point, enum ktap_part part, u32 n);
	void (*near)(const struct ktap_point *point, struct ktap_suggest *near);
	const char *(*advice)(const struct ktap_point *point);
	unsigned long (*missed)(const struct ktap_point *point);
	void (*start)(struct ktap_point *point);
	void (*detach)(struct ktap_point *point);
	void (*left)(struct ktap_point *point);
	void (*release)(struct ktap_point *point);
	int (*attach_all)(struct ktap_session *s);
	void (*detach_all)(struct ktap_session *s);
	void (*sync)(struct ktap_session *s);
	void (*release_all)(struct ktap_session *s);
};

extern const struct ktap_source ktap_tracepoint_source;
extern const struct ktap_source ktap_syscall_source;
extern const struct ktap_source ktap_perf_source;
extern const struct ktap_source ktap_fprobe_source;
extern const struct ktap_source ktap_kprobe_source;
extern const struct ktap_source ktap_ftrace_source;
extern const struct ktap_source ktap_rawtp_source;
extern const struct ktap_source ktap_uprobe_source;
extern const struct ktap_source ktap_packet_source;
extern const struct ktap_source ktap_iter_source;

/* source.c */
extern const struct ktap_source * const ktap_sources[];
extern const unsigned int ktap_nsources;

int ktap_probe_charge(struct ktap_probe *probe, size_t bytes);
void ktap_point_init(struct ktap_point *point, struct ktap_probe *probe,
		     const struct ktap_source *source, const char *name);
void ktap_point_events(struct ktap_point *point, u32 n);
int ktap_event_error(struct ktap_vm *vm, const char *event, int err);
void ktap_probe_release(struct ktap_probe *probe);

/* attach.c */
int ktap_attach_error(const struct ktap_point *point, int err);
const char *ktap_attach_name(const struct ktap_point *point);
const char *ktap_attach_why(const struct ktap_source *source, int err);
const struct ktap_point *ktap_attach_wanted(struct ktap_session *s, int *err);
bool ktap_detach_unwanted(struct ktap_session *s);
void ktap_detach_wait(void);

/* condition.c */
int ktap_condition_check(struct ktap_vm *vm, const struct ktap_probe *probe);
void ktap_conditions_read(struct ktap_session *s);
void ktap_conditions_done(struct ktap_session *s);

/* plan.c */
typedef bool (*ktap_wanted_fn)(const struct ktap_code *insn, void *data);
bool ktap_probe_reaches(const struct ktap_probe *probe, ktap_wanted_fn wanted, void *data);
bool ktap_probe_calls(const struct ktap_probe *probe, ktap_wanted_fn wanted, void *data);
int ktap_plan_make(struct ktap_probe *probe);

/* field_check.c */
int ktap_field_check_probe(struct ktap_vm *vm, struct ktap_probe *probe, u32 def);

/* stand_in.c */
void ktap_stand_in_put(struct ktap_session *s, struct tracepoint *tp);
void ktap_stand_ins_remove(struct ktap_session *s);

/* tracepoint.c, syscall.c: add @call to the probe; the caller holds event_mutex */
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

/* timer.c */
int ktap_tick_add(struct ktap_probe *probe, const char *period);
u64 ktap_parse_period(const char *period);

/*
 * Parsers: each adds to the probe the events that @rest names, which is the probe's
 * event without the prefix.  Return 0, or an error that is set in @vm.
 */
int ktap_parse_profile(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_software(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_hardware(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_watch(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_probe(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_kretprobe(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_ftrace(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_rawtp(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_user(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_packet(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
int ktap_parse_iter(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);

/* inject.c */
#ifdef CONFIG_KTAP_SET_RETVAL
int ktap_inject_check(struct ktap_vm *vm, const struct ktap_probe *probe);
#else
static inline int ktap_inject_check(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	return 0;
}
#endif

/* packet.c */
#ifdef CONFIG_KTAP_PACKET_VERDICT
int ktap_packet_check(struct ktap_vm *vm, const struct ktap_probe *probe);
#else
static inline int ktap_packet_check(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	return 0;
}
#endif

/* dynevent.c: probes with fetch arguments */
#ifdef CONFIG_KPROBE_EVENTS
int ktap_dynevent_add(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest, bool ret);
void ktap_dynevent_release(struct ktap_probe *probe, struct trace_event_call *call);
u64 ktap_dynevent_missed(const struct ktap_probe *probe);
#else
static inline int ktap_dynevent_add(struct ktap_vm *vm, struct ktap_probe *probe,
				    const char *rest, bool ret)
{
	return ktap_vm_error(vm, -EOPNOTSUPP, "'%s': this kernel has no kprobe events",
			     probe->event);
}

static inline void ktap_dynevent_release(struct ktap_probe *probe, struct trace_event_call *call)
{
}

static inline u64 ktap_dynevent_missed(const struct ktap_probe *probe)
{
	return 0;
}
#endif

/* fault_in.c */
bool ktap_follows_addresses(const struct ktap_code *insn, void *unused);
bool ktap_is_on_disk(const struct super_block *sb);
bool ktap_bring_in_bytes(const void __user *from, size_t size, unsigned long began);
bool ktap_bring_in_string(const char __user *from, size_t size, unsigned long began);
void ktap_bring_in_strings(const void __user *from, unsigned long began);
int ktap_copy_user(void *to, const void __user *from, size_t size, unsigned long began);

/* tracepoint.c */
void ktap_record_text(struct trace_iterator *iter, struct trace_event *event, const void *rec,
		      size_t len);
void ktap_event_format_free(void);

/* activation.c */
void ktap_fire(const struct ktap_hit *hit);

#endif /* _KTAP_SOURCE_H */
