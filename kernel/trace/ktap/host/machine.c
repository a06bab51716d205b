// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in values: the time of the day, the machine, and the names of its system calls.
 */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/utsname.h>

#include "../../trace.h"
#include "vm/builtin.h"

static int machine_give_time(struct ktap_value *r, s64 unit)
{
	r[0] = KTAP_VALUE_INT(div64_s64(ktime_get_real_fast_ns(), unit));
	return 0;
}

int ktap_fn_gettimeofday_ns(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(ktime_get_real_fast_ns());
	return 0;
}

int ktap_fn_gettimeofday_us(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return machine_give_time(r, NSEC_PER_USEC);
}

int ktap_fn_gettimeofday_ms(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return machine_give_time(r, NSEC_PER_MSEC);
}

int ktap_fn_gettimeofday_s(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return machine_give_time(r, NSEC_PER_SEC);
}

int ktap_fn_num_cpus(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(num_online_cpus());
	return 0;
}

/* They do not change. */
static int machine_give_name(struct ktap_value *r, const char *name)
{
	r[0] = KTAP_VALUE_STR(name, strlen(name));
	return 0;
}

int ktap_fn_arch(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return machine_give_name(r, init_uts_ns.name.machine);
}

int ktap_fn_kernel_v(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return machine_give_name(r, init_uts_ns.name.release);
}

/* Return NULL without CONFIG_FTRACE_SYSCALLS, or if no system call has this number. */
static const char *machine_syscall_name(u64 nr)
{
#ifdef CONFIG_FTRACE_SYSCALLS
	if (nr < NR_syscalls)
		return get_syscall_name(array_index_nospec((unsigned long)nr, NR_syscalls));
#endif
	return NULL;
}

/* The name that the events of the call have, too */
int ktap_fn_syscall_name(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const char *name = machine_syscall_name(r[0].u);

	r[0] = KTAP_VALUE_NIL;
	if (!name)
		return 0;
	return machine_give_name(r, name + (strstarts(name, "sys_") ? strlen("sys_") : 0));
}

int ktap_fn_in_interrupt(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_BOOL(vm->level != KTAP_LEVEL_TASK && vm->level != KTAP_LEVEL_PROCESS);
	return 0;
}

int ktap_fn_in_iowait(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_BOOL(current->in_iowait);
	return 0;
}
