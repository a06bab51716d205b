/* SPDX-License-Identifier: GPL-2.0 */
/* The command that ktap starts and traces. */
#ifndef KTAP_COMMAND_H
#define KTAP_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct command - a child process that waits to become the command
 * @pid: its process id; 0 if there is none, or after it was waited for
 * @go: pipe on which the child waits
 * @failed: pipe for the error of a failed exec
 */
struct command {
	pid_t pid;
	int go;
	int failed;
};

/* Fork the process, which waits for command_start(); 0 or a negative errno. */
int command_fork(struct command *c, char **argv);

/* Start the command; 0, or the negative errno of a failed exec. */
int command_start(struct command *c);

/* Reap it if it has exited; returns whether it has. */
bool command_exited(struct command *c);

/* Send SIGTERM to the command if it still exists. */
void command_end(struct command *c);

#endif
