/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_CPUMASK_H
#define _SHIM_LINUX_CPUMASK_H

#define NR_CPUS			8

#define num_possible_cpus()	NR_CPUS
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < NR_CPUS; (cpu)++)

#endif /* _SHIM_LINUX_CPUMASK_H */
