/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Built-in functions and values.
 */
#ifndef _KTAP_BUILTIN_H
#define _KTAP_BUILTIN_H

#include <linux/bits.h>
#include <linux/build_bug.h>

#include "record.h"
#include "vm.h"

/* Largest enum ktap_function_id, plus one. */
#define KTAP_NR_FUNCTIONS	192

#define KTAP_IN(level)		BIT(KTAP_LEVEL_##level)
#define KTAP_IN_PROCESS		KTAP_IN(PROCESS)
#define KTAP_IN_EVENT		(KTAP_IN(TASK) | KTAP_IN(SOFTIRQ) | KTAP_IN(HARDIRQ) | KTAP_IN(NMI))
#define KTAP_ANYWHERE		(KTAP_IN_EVENT | KTAP_IN_PROCESS)

/* Beside these: it acts on the system. */
#define KTAP_UNSAFE		BIT(7)
#define KTAP_UNSAFE_IN_EVENT	(KTAP_UNSAFE | KTAP_IN_EVENT)
#define KTAP_UNSAFE_ANYWHERE	(KTAP_UNSAFE | KTAP_ANYWHERE)

static_assert(KTAP_NR_LEVELS < 7);

#ifdef CONFIG_KTAP_SET_RETVAL
#define KTAP_CAN_SET_RETVAL	1
#else
#define KTAP_CAN_SET_RETVAL	0
#endif

/**
 * struct ktap_builtin - a built-in
 * @name: as the script writes it
 * @fn: does it: @r[0] to @r[@n - 1] are the arguments, @r[0] gets the result.
 *	@r lies on @vm's stack.  Returns 0 or what ktap_vm_error() returned
 * @min: least arguments
 * @max: most arguments
 * @levels: where it may run, BIT(enum ktap_level); and KTAP_UNSAFE
 * @args: tags each argument may have, a bit mask; 0 is any.  Checked before
 *	@fn is called, by the verifier where it can tell
 * @result: tags the result may have, a bit mask
 */
struct ktap_builtin {
	const char *name;
	int (*fn)(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
	u8 min;
	u8 max;
	u8 levels;
	u16 args[3];
	u16 result;
};

extern const struct ktap_builtin ktap_builtins[KTAP_NR_FUNCTIONS];

/* builtin_output.c */
int ktap_fn_print(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_printf(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_print_hist(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_printa(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_cat(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
/* Puts out the string in @r, as a record of @type or text of @channel. */
int ktap_put_string(struct ktap_vm *vm, enum ktap_record_type type, enum ktap_channel channel,
		    struct ktap_value *r);
/* Makes text of events and their unmade text, in the registers. */
int ktap_make_texts(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* builtin_agg.c */
int ktap_fn_new_count(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_new_stats(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_new_hist(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_new_lhist(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_count_of(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_sum(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_min(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_max(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_avg(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_quantile(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_stddev(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_snapshot(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_trunc(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_normalize(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* builtin_mem.c */
int ktap_fn_join(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_str(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_user_string(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_kernel_string(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_buf(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_read(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
/* The value of the kernel's variable @sym, nil if it cannot be read. */
int ktap_symbol_get(struct ktap_vm *vm, const struct ktap_symbol *sym, struct ktap_value *v);

/* builtin_symbol.c */
int ktap_fn_ksym(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_kaddr(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_stringof(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_ipof(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* builtin_machine.c */
int ktap_fn_gettimeofday_ns(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_gettimeofday_us(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_gettimeofday_ms(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_gettimeofday_s(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_num_cpus(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_arch(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_kernel_v(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_in_interrupt(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_in_iowait(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* member.c */
int ktap_fn_cast(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_sizeof(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_offsetof(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* builtin_table.c */
int ktap_fn_count(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_len(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_clear(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_table_new(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_sort(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* builtin_string.c */
int ktap_fn_strlen(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_substr(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_strstr(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_strcmp(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_toupper(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_tolower(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_error(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* builtin_convert.c */
int ktap_fn_tostring(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_format(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_tonumber(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_ntop(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_macaddr(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_strftime(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_walltime(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* builtin_event.c */
int ktap_fn_argstr(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_probename(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_probefunc(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_retval(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_event_field(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* builtin_task.c: the machine and the thread */
int ktap_fn_pid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_tid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_ppid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_uid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_gid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_cpu(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_numa_node(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_execname(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_nsecs(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_cgroup(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_rand(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_curtask(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_kstack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* umap.c: code that the current process runs */
int ktap_fn_ustack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_usym(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* option.c */
int ktap_fn_getopt(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* speculation.c */
int ktap_fn_speculation(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_speculate(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_commit(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_discard(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

/* builtin_act.c */
int ktap_fn_set_retval(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_signal(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_system(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_check_unsafe(const struct ktap_program *prog, bool allowed, struct ktap_diag *diag);

/* session.c, source.c: the session */
int ktap_fn_elapsed(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_scriptarg(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_trace(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_probe(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_exit(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);
int ktap_fn_stop(struct ktap_vm *vm, struct ktap_value *r, unsigned int n);

#endif /* _KTAP_BUILTIN_H */
