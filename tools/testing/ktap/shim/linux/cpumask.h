/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_CPUMASK_H
#define _SHIM_LINUX_CPUMASK_H

#define NR_CPUS			10

/* CPU 0 is the thread that runs the tests; the others do not see it as online. */
extern int shim_online;

#define nr_cpu_ids		NR_CPUS
#define num_possible_cpus()	NR_CPUS
#define num_online_cpus()	shim_online
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < NR_CPUS; (cpu)++)
#define for_each_online_cpu(cpu)	for ((cpu) = 1; (cpu) <= shim_online; (cpu)++)

/* A set of CPUs, as in a session. */
struct cpumask {
	unsigned long bits;
};

#define cpu_possible_mask	(&(const struct cpumask){ (1UL << NR_CPUS) - 1 })
#define cpumask_size()		sizeof(struct cpumask)
#define cpumask_clear(m)	((void)((m)->bits = 0))
#define cpumask_empty(m)	(!(m)->bits)
#define cpumask_subset(m, of)	(!((m)->bits & ~(of)->bits))
#define cpumask_pr_args(m)	NR_CPUS, (m)

/* Parse "0,2-3". Returns 0, -EINVAL, or -ERANGE for a CPU that does not exist. */
int cpulist_parse(const char *list, struct cpumask *m);

#define cpus_read_lock()	do { } while (0)
#define cpus_read_unlock()	do { } while (0)

#endif /* _SHIM_LINUX_CPUMASK_H */
