/* SPDX-License-Identifier: GPL-2.0 */
/* Events that a test causes. */
#ifndef _KTAP_EVENTS_H
#define _KTAP_EVENTS_H

#include <stdbool.h>
#include <sys/types.h>

/* A system call that no other program makes */
#define GETPPID		"syscalls:sys_enter_getppid"

/* Whether this kernel has events of system calls */
bool has_getppid(void);

/* The event of start_load(): GETPPID, or else one that other programs also cause */
const char *event(void);

/* A child that causes events until it is killed */
pid_t start_load(void);

void end_load(pid_t pid);

#endif /* _KTAP_EVENTS_H */
