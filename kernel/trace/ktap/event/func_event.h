/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel functions as events: the common part of fprobes, kprobes, the function
 * tracer and raw tracepoints.
 */
#ifndef _KTAP_FUNC_EVENT_H
#define _KTAP_FUNC_EVENT_H

#include <linux/cleanup.h>
#include <linux/context_tracking.h>
#include <linux/rcupdate.h>

#include "btf/btf.h"
#include "event/source.h"

struct ftrace_regs;
struct module;
struct pt_regs;

/* arg0 to arg9 */
#define KTAP_KFN_ARGS	10

#define KTAP_KFN_NO_SLOT	U16_MAX

/**
 * struct ktap_kfn - a function
 * @ip: its ftrace location, or the address of the kprobe
 * @mod: its module, pinned; NULL: the kernel
 * @name: offset of its name in &ktap_kfns.names
 * @len: bytes of its name
 */
struct ktap_kfn {
	unsigned long ip;
	struct module *mod;
	u32 name;
	u32 len;
};

/**
 * struct ktap_kfns - functions, sorted by address after ktap_kfns_tidy()
 * @fn: the functions
 * @n: number of functions
 * @size: allocated elements of @fn
 * @names: their names
 * @names_len: bytes of the names
 * @names_size: allocated bytes of @names
 * @skipped: number of functions that match but cannot be traced
 */
struct ktap_kfns {
	struct ktap_kfn *fn;
	unsigned int n;
	size_t size;
	char *names;
	size_t names_len;
	size_t names_size;
	unsigned int skipped;
};

/**
 * struct ktap_kfn_point - entry or return of one or more functions; sources begin with it
 * @point: the point
 * @fns: the functions
 * @ops: operations of its events, if they come from a hook
 * @ret: the event is the return
 * @hidden: number of first arguments that handlers cannot see
 * @nargs: number of arguments that handlers may read, including the hidden ones
 * @fields: by field of the program: enum fn_field
 * @params: by field of the program: the slot of the parameter of this name, or
 *	KTAP_KFN_NO_SLOT
 * @args: by argument: its slot, or KTAP_KFN_NO_SLOT
 * @result: the slot of the return value, or KTAP_KFN_NO_SLOT
 * @nslots: slots of each function
 * @slots: by function and slot: the type of a parameter, with the number of the
 *	argument as its @offset, or of the return value; its @size is 0 if the
 *	function has no such parameter.  NULL: there are no slots
 */
struct ktap_kfn_point {
	struct ktap_point point;
	struct ktap_kfns fns;
	const struct ktap_event_ops *ops;
	bool ret;
	u8 hidden;
	u8 nargs;
	u8 *fields;
	u16 *params;
	u16 args[KTAP_KFN_ARGS];
	u16 result;
	u16 nslots;
	struct ktap_load *slots;
};

/**
 * struct ktap_injection - a return value that replaces the call of a function
 * @type: values that are allowed: EI_ETYPE_*
 * @wanted: the handler has called set_retval()
 * @value: the argument of set_retval()
 */
struct ktap_injection {
	int type;
	bool wanted;
	s64 value;
};

/**
 * struct ktap_kfn_hit - entry to, or return from a function
 * @hit: the event, at the point of a &struct ktap_kfn_point
 * @ip: &ktap_kfn.ip
 * @caller: the return address; 0: not known
 * @args: the arguments, if they were copied
 * @fregs: registers, from fprobe and the function tracer
 * @regs: registers, from kprobes
 * @injection: for set_retval(); NULL: the function cannot be replaced
 */
struct ktap_kfn_hit {
	struct ktap_hit hit;
	unsigned long ip;
	unsigned long caller;
	const unsigned long *args;
	struct ftrace_regs *fregs;
	struct pt_regs *regs;
	struct ktap_injection *injection;
};

extern const struct ktap_event_ops ktap_kfn_ops;
extern const struct ktap_event_ops ktap_rawtp_ops;

/* Preemption is disabled: rcu_is_watching() would disable it once more, and is not inline. */
static __always_inline bool ktap_kfn_rcu_watches(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return rcu_is_watching_curr_cpu();
#else
	return rcu_is_watching();
#endif
}

/* Always inline: no function that could be probed is called before ktap_fire(). */
static __always_inline void ktap_kfn_fire(struct ktap_kfn_point *f,
					  const struct ktap_event_ops *ops,
					  struct ktap_kfn_hit from)
{
	/* All members that are read are set: @from.hit is empty. */
	struct ktap_kfn_hit h __uninitialized;

	h.hit.ev.ops = ops;
	h.hit.point = &f->point;
	ktap_note_nowhere(&h.hit.here);
	h.ip = from.ip;
	h.caller = from.caller;
	h.args = from.args;
	h.fregs = from.fregs;
	h.regs = from.regs;
	h.injection = from.injection;
	ktap_fire(&h.hit);
}

/**
 * struct ktap_kfn_spec - "[MODULE:]FUNCTION[+OFFSET][%return]", or words of ftrace:function
 * @module: NULL: the kernel, and all modules unless @no_modules
 * @no_modules: the module is "vmlinux": only the kernel
 * @function: name or pattern; the text of @words
 * @words: NULL, or names must match each "PATTERN" and no "!PATTERN" of these
 * @offset: offset of an instruction in the function
 * @ret: the event is the return
 * @exact: @function is a name
 */
struct ktap_kfn_spec {
	const char *module;
	bool no_modules;
	const char *function;
	char **words;
	unsigned long offset;
	bool ret;
	bool exact;
};

struct ktap_kfn_hook;
struct ktap_kfn_return;

/* func_event.c */
const struct ktap_kfn *ktap_kfn_find(const struct ktap_kfns *fns, unsigned long ip);
int ktap_kfn_init(struct ktap_vm *vm, struct ktap_kfn_point *f, struct ktap_probe *probe,
		  const struct ktap_source *source, struct ktap_kfns *fns);
bool ktap_kfn_reads_args(const struct ktap_kfn_point *f, u32 nfields);
void ktap_kfn_release(struct ktap_point *point);
const char *ktap_kfn_why(int err);
bool ktap_kfn_has(const struct ktap_point *point, enum ktap_part part, u32 n);
void ktap_kfn_near(const struct ktap_point *point, struct ktap_suggest *near);
const char *ktap_kfn_advice(const struct ktap_point *point);

/* Return the functions of a point, or NULL.  All sources of functions have this @has. */
static inline const struct ktap_kfn_point *ktap_kfn_of(const struct ktap_point *point)
{
	if (point->source->has != ktap_kfn_has)
		return NULL;
	return container_of(point, struct ktap_kfn_point, point);
}

/* func_find.c */
int ktap_kfns_find(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_kfn_spec *spec,
		   struct ktap_kfns *fns);
void ktap_kfns_free(struct ktap_kfns *fns);
DEFINE_FREE(ktap_kfns, struct ktap_kfns, ktap_kfns_free(&_T))
int ktap_kfns_check_allowed(struct ktap_vm *vm, const struct ktap_probe *probe);
void *ktap_kfns_grow(void *array, size_t *size, size_t need, size_t bytes);
int ktap_kfns_add(struct ktap_kfns *fns, const char *name, unsigned long ip);
void ktap_kfns_tidy(struct ktap_kfns *fns);
unsigned long *ktap_kfns_ips(const struct ktap_kfns *fns);

/* func_hook.c */
struct ktap_kfn_hook *ktap_kfn_hook_take(const struct ktap_kfn_point *f);
int ktap_kfn_hook_attach(struct ktap_kfn_hook *hook, struct ktap_kfn_point *f,
			 const struct ktap_event_ops *ops);
void ktap_kfn_hook_detach(struct ktap_kfn_hook *hook);
void ktap_kfn_hook_put(struct ktap_kfn_hook *hook);

/* return_hook.c: ftrace_graph_func() has to pass the registers to fgraph */
#if defined(CONFIG_FPROBE) && defined(CONFIG_HAVE_FTRACE_GRAPH_FUNC)
bool ktap_kfn_return_fits(const struct ktap_kfn_point *f);
struct ktap_kfn_return *ktap_kfn_return_take(const struct ktap_kfn_point *f);
int ktap_kfn_return_attach(struct ktap_kfn_return *hook, struct ktap_kfn_point *f,
			   unsigned long id);
void ktap_kfn_return_detach(struct ktap_kfn_return *hook);
void ktap_kfn_return_put(struct ktap_kfn_return *hook);
#else
static inline bool ktap_kfn_return_fits(const struct ktap_kfn_point *f)
{
	return false;
}

static inline struct ktap_kfn_return *ktap_kfn_return_take(const struct ktap_kfn_point *f)
{
	return NULL;
}

static inline int ktap_kfn_return_attach(struct ktap_kfn_return *hook, struct ktap_kfn_point *f,
					 unsigned long id)
{
	return -EOPNOTSUPP;
}

static inline void ktap_kfn_return_detach(struct ktap_kfn_return *hook)
{
}

static inline void ktap_kfn_return_put(struct ktap_kfn_return *hook)
{
}
#endif

/* func_parse.c */
const char *ktap_kfn_parse(char *text, struct ktap_kfn_spec *spec);

/* fprobe.c */
#ifdef CONFIG_FPROBE
int ktap_fprobe_add(struct ktap_vm *vm, struct ktap_probe *probe, struct ktap_kfns *fns,
		    const struct ktap_kfn_spec *spec);
#endif

/* kprobe.c */
#ifdef CONFIG_KPROBES
int ktap_kprobe_add(struct ktap_vm *vm, struct ktap_probe *probe, struct ktap_kfns *fns,
		    const struct ktap_kfn_spec *spec);
#else
static inline int ktap_kprobe_add(struct ktap_vm *vm, struct ktap_probe *probe,
				  struct ktap_kfns *fns, const struct ktap_kfn_spec *spec)
{
	return ktap_vm_error(vm, -EOPNOTSUPP, "'%s': this kernel has no kprobes", probe->event);
}
#endif

#ifndef CONFIG_FPROBE
/* A kprobe replaces the fprobe if there is only one function. */
static inline int ktap_fprobe_add(struct ktap_vm *vm, struct ktap_probe *probe,
				  struct ktap_kfns *fns, const struct ktap_kfn_spec *spec)
{
	if (!spec->exact)
		return ktap_vm_error(vm, -EOPNOTSUPP,
				     "'%s': without fprobes this kernel needs the function's name",
				     probe->event);
	return ktap_kprobe_add(vm, probe, fns, spec);
}
#endif

/* inject.c */
#ifdef CONFIG_KTAP_SET_RETVAL
int ktap_inject_wanted(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_kfns *fns,
		       const struct ktap_kfn_spec *spec, bool fetch);
int ktap_kfn_inject(struct ktap_vm *vm, s64 value);
int ktap_inject(const struct ktap_injection *injection, struct pt_regs *regs);
#else
static inline int ktap_inject_wanted(struct ktap_vm *vm, struct ktap_probe *probe,
				     const struct ktap_kfns *fns,
				     const struct ktap_kfn_spec *spec, bool fetch)
{
	return 0;
}

#define ktap_kfn_inject	NULL

static inline int ktap_inject(const struct ktap_injection *injection, struct pt_regs *regs)
{
	return 0;
}
#endif

#endif /* _KTAP_FUNC_EVENT_H */
