/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the kernel as events: what fprobes, kprobes and the function
 * tracer have in common.
 */
#ifndef _KTAP_FUNCTION_H
#define _KTAP_FUNCTION_H

#include "btf.h"
#include "source.h"

struct ftrace_regs;
struct module;
struct pt_regs;

/* arg0 to arg9 */
#define KTAP_KFN_ARGS	10

/**
 * struct ktap_kfn - a function
 * @ip: where ftrace enters it, or where a kprobe is
 * @mod: its module, pinned; NULL: the kernel
 * @name: where its name begins in &ktap_kfns.names
 * @len: bytes of it
 */
struct ktap_kfn {
	unsigned long ip;
	struct module *mod;
	u32 name;
	u32 len;
};

/**
 * struct ktap_kfns - functions, by address
 * @fn: the functions
 * @n: number of them
 * @size: there is room for
 * @names: their names
 * @names_len: bytes of them
 * @names_size: there is room for
 * @skipped: functions that match, but cannot be traced
 */
struct ktap_kfns {
	struct ktap_kfn *fn;
	unsigned int n;
	unsigned int size;
	char *names;
	size_t names_len;
	size_t names_size;
	unsigned int skipped;
};

/**
 * struct ktap_kfn_point - the functions that a clause waits for
 * @point: see there
 * @fns: the functions
 * @ret: for their return
 * @hidden: arguments in front of those that handlers know of
 * @nargs: arguments that handlers may ask for and get, hidden ones included
 * @fields: by field of the program
 * @params: by field of the program: a parameter, whose place is its @offset; NULL
 *	if their names are not known
 * @typed: the type of what it returns is known: @result
 * @result: how to read that
 */
struct ktap_kfn_point {
	struct ktap_point point;
	struct ktap_kfns fns;
	bool ret;
	u8 hidden;
	u8 nargs;
	u8 *fields;
	struct ktap_load *params;
	bool typed;
	struct ktap_load result;
};

/**
 * struct ktap_injection - what a function shall return, instead of being run
 * @type: what it may return: of EI_ETYPE_*
 * @wanted: the script has said so
 * @value: that
 */
struct ktap_injection {
	int type;
	bool wanted;
	s64 value;
};

/**
 * struct ktap_kfn_hit - a function is entered, or has returned
 * @hit: see there
 * @f: which clause waits for it
 * @ip: &ktap_kfn.ip
 * @caller: where it returns to; 0: not known
 * @args: arguments, if they were copied
 * @fregs: registers, of fprobes and the function tracer
 * @regs: registers, of kprobes
 * @injection: where set_retval() says what it wants; NULL: it cannot
 */
struct ktap_kfn_hit {
	struct ktap_hit hit;
	const struct ktap_kfn_point *f;
	unsigned long ip;
	unsigned long caller;
	const unsigned long *args;
	struct ftrace_regs *fregs;
	struct pt_regs *regs;
	struct ktap_injection *injection;
};

extern const struct ktap_event_ops ktap_kfn_ops;
extern const struct ktap_event_ops ktap_rawtp_ops;

/* Nothing that could be probed lies between the event and ktap_fire(). */
static __always_inline void ktap_kfn_fire(struct ktap_kfn_point *f,
					  const struct ktap_event_ops *ops, struct ktap_kfn_hit h)
{
	h.hit.ev.ops = ops;
	h.hit.point = &f->point;
	h.f = f;
	ktap_fire(&h.hit);
}

/**
 * struct ktap_kfn_spec - "probe:[MODULE:]FUNCTION[+OFFSET][%return]"
 * @module: NULL: the kernel or any module
 * @function: name or pattern
 * @offset: from its first byte
 * @ret: its return
 * @exact: no pattern
 */
struct ktap_kfn_spec {
	const char *module;
	const char *function;
	unsigned long offset;
	bool ret;
	bool exact;
};

/* function.c */
int ktap_kfn_init(struct ktap_vm *vm, struct ktap_kfn_point *f, struct ktap_probe *probe,
		  const struct ktap_source *source, struct ktap_kfns *fns);
void ktap_kfn_destroy(struct ktap_kfn_point *f);
const char *ktap_kfn_why(int err);

/* function_find.c */
int ktap_kfns_find(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_kfn_spec *spec,
		   struct ktap_kfns *fns);
int ktap_kfns_find_words(struct ktap_vm *vm, struct ktap_probe *probe, const char *words,
			 struct ktap_kfns *fns);
void ktap_kfns_free(struct ktap_kfns *fns);
int ktap_kfns_check_allowed(struct ktap_vm *vm, const struct ktap_probe *probe);
int ktap_kfns_add(struct ktap_kfns *fns, const char *name, unsigned long ip);
void ktap_kfns_tidy(struct ktap_kfns *fns);
unsigned long *ktap_kfns_ips(const struct ktap_kfns *fns);

/* src_function.c */
const char *ktap_kfn_parse(char *text, struct ktap_kfn_spec *spec);

/* src_fprobe.c */
#ifdef CONFIG_FPROBE
int ktap_fprobe_add(struct ktap_vm *vm, struct ktap_probe *probe, struct ktap_kfns *fns,
		    const struct ktap_kfn_spec *spec);
#endif

/* src_kprobe.c */
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
/* What an fprobe could do for any number, kprobes do for one. */
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
int ktap_inject_type(unsigned long addr);
int ktap_kfn_inject(struct ktap_vm *vm, s64 value);
int ktap_inject(const struct ktap_injection *injection, struct pt_regs *regs);
#else
static inline int ktap_inject_wanted(struct ktap_vm *vm, struct ktap_probe *probe,
				     const struct ktap_kfns *fns,
				     const struct ktap_kfn_spec *spec, bool fetch)
{
	return 0;
}

static inline int ktap_inject_type(unsigned long addr)
{
	return -EOPNOTSUPP;
}

#define ktap_kfn_inject	NULL

static inline int ktap_inject(const struct ktap_injection *injection, struct pt_regs *regs)
{
	return 0;
}
#endif

#endif /* _KTAP_FUNCTION_H */
