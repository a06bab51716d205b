/* SPDX-License-Identifier: GPL-2.0 */
/* A command that ktap starts to trace it. */
#ifndef KTAP_COMMAND_H
#define KTAP_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct command - a child process that waits to become the command
 * @pid: its process id; 0 when there is none, or it was waited for
 * @go: pipe on which it waits
 * @failed: pipe on which it says why it could not become the command
 */
struct command {
	pid_t pid;
	int go;
	int failed;
};

/* Make the process, which waits for command_start(); 0 or a negative errno. */
int command_fork(struct command *c, char **argv);

/* Let it run; 0, or the negative errno with which exec failed. */
int command_start(struct command *c);

/* Wait for it if it has exited; returns whether it has. */
bool command_exited(struct command *c);

/* End what is left of it. */
void command_end(struct command *c);

#endif
