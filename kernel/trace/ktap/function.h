/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the kernel as events: what fprobes, kprobes and the function
 * tracer have in common.
 */
#ifndef _KTAP_FUNCTION_H
#define _KTAP_FUNCTION_H

#include "source.h"

struct ftrace_regs;
struct ktap_load;
struct module;
struct pt_regs;

/* arg0 to arg9 */
#define KTAP_FN_ARGS	10

/**
 * struct ktap_fn - a function
 * @ip: where ftrace enters it, or where a kprobe is
 * @mod: its module, pinned; NULL: the kernel
 * @name: where its name begins in &ktap_fns.names
 * @len: bytes of it
 */
struct ktap_fn {
	unsigned long ip;
	struct module *mod;
	u32 name;
	u32 len;
};

/**
 * struct ktap_fns - functions, by address
 * @fn: the functions
 * @n: number of them
 * @size: there is room for
 * @names: their names
 * @names_len: bytes of them
 * @names_size: there is room for
 * @skipped: functions that match, but cannot be traced
 */
struct ktap_fns {
	struct ktap_fn *fn;
	unsigned int n;
	unsigned int size;
	char *names;
	size_t names_len;
	size_t names_size;
	unsigned int skipped;
};

/**
 * struct ktap_fn_point - the functions that a clause waits for
 * @point: see there
 * @fns: the functions
 * @ret: for their return
 * @hidden: arguments in front of those that handlers know of
 * @nargs: arguments that handlers may ask for, hidden ones included
 * @fields: by field of the program
 * @params: by field of the program: a parameter, whose place is its @offset; NULL
 *	if their names are not known
 */
struct ktap_fn_point {
	struct ktap_point point;
	struct ktap_fns fns;
	bool ret;
	u8 hidden;
	u8 nargs;
	u8 *fields;
	struct ktap_load *params;
};

/**
 * struct ktap_fn_hit - a function is entered, or has returned
 * @hit: see there
 * @f: which clause waits for it
 * @ip: &ktap_fn.ip
 * @caller: where it returns to; 0: not known
 * @args: arguments, if they were copied
 * @fregs: registers, of fprobes and the function tracer
 * @regs: registers, of kprobes
 */
struct ktap_fn_hit {
	struct ktap_hit hit;
	const struct ktap_fn_point *f;
	unsigned long ip;
	unsigned long caller;
	const unsigned long *args;
	struct ftrace_regs *fregs;
	struct pt_regs *regs;
};

extern const struct ktap_event_ops ktap_fn_ops;
extern const struct ktap_event_ops ktap_rawtp_ops;

/**
 * struct ktap_fn_spec - "probe:[MODULE:]FUNCTION[+OFFSET][%return]"
 * @module: NULL: the kernel or any module
 * @function: name or pattern
 * @offset: from its first byte
 * @ret: its return
 * @exact: no pattern
 */
struct ktap_fn_spec {
	const char *module;
	const char *function;
	unsigned long offset;
	bool ret;
	bool exact;
};

const char *ktap_fn_parse(char *text, struct ktap_fn_spec *spec);
int ktap_fn_init(struct ktap_vm *vm, struct ktap_fn_point *f, struct ktap_probe *probe,
		 const struct ktap_source *source, struct ktap_fns *fns);
void ktap_fn_destroy(struct ktap_fn_point *f);
void ktap_fns_free(struct ktap_fns *fns);
int ktap_fns_check_allowed(struct ktap_vm *vm, const struct ktap_probe *probe);
int ktap_fns_add(struct ktap_fns *fns, const char *name, unsigned long ip);
void ktap_fns_tidy(struct ktap_fns *fns);
unsigned long *ktap_fns_ips(const struct ktap_fns *fns);

/* src_kprobe.c */
#ifdef CONFIG_KPROBES
int ktap_kprobe_add(struct ktap_vm *vm, struct ktap_probe *probe, struct ktap_fns *fns,
		    const struct ktap_fn_spec *spec);
#else
static inline int ktap_kprobe_add(struct ktap_vm *vm, struct ktap_probe *probe,
				  struct ktap_fns *fns, const struct ktap_fn_spec *spec)
{
	return ktap_vm_error(vm, -EOPNOTSUPP, "'%s': this kernel has no kprobes", probe->event);
}
#endif

#endif /* _KTAP_FUNCTION_H */
