/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of workload.c.  @args are the words after the name; each returns an exit code. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

/* Run the command whose name is @args[0]. */
int do_rest(char **args);

/* workload_memory.c */
int do_brink(char **args);
int do_fault(char **args);
int do_store(char **args);
int do_major(char **args);
int do_map(char **args);
int do_cold(char **args);

/* workload_net.c */
int do_message(char **args);
int do_connect(char **args);
int do_local(char **args);
int do_attach(char **args);
int do_datagram(char **args);

/* workload_run.c */
int do_as(char **args);
int do_without(char **args);
int do_with(char **args);
int do_userns(char **args);
int do_dump(char **args);
int do_wait(char **args);
int do_second(char **args);
int do_cpus(char **args);
int do_daemon(char **args);
int do_pin(char **args);
int do_counter(char **args);
int do_timed(char **args);

#endif
