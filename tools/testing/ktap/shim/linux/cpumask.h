/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_CPUMASK_H
#define _SHIM_LINUX_CPUMASK_H

#define NR_CPUS			10

/* CPU 0 is the thread that runs the tests, and is not online to others. */
extern int shim_online;

#define nr_cpu_ids		NR_CPUS
#define num_possible_cpus()	NR_CPUS
#define num_online_cpus()	shim_online
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < NR_CPUS; (cpu)++)
#define for_each_online_cpu(cpu)	for ((cpu) = 1; (cpu) <= shim_online; (cpu)++)

#define cpus_read_lock()	do { } while (0)
#define cpus_read_unlock()	do { } while (0)

#endif /* _SHIM_LINUX_CPUMASK_H */
