// SPDX-License-Identifier: GPL-2.0
/*
 * The command that ktap starts and traces.
 *
 * Its process must exist before the session is loaded, which needs its id, and
 * must not run before everything is attached. So it waits on a pipe between
 * fork and exec. If ktap dies first, the pipe closes and the process exits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

/* Runs in the child; exec closes the pipes. */
static void command_exec(char **argv, int go, int failed)
{
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)
		_exit(EXIT_FAILURE);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(EXIT_FAILURE);
	_exit(127);
}

int command_fork(struct command *c, char **argv)
{
	int go[2], failed[2], err;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failed, O_CLOEXEC)) {
		err = -errno;
		goto close_go;
	}
	c->pid = fork();
	if (c->pid < 0) {
		err = -errno;
		goto close_failed;
	}
	if (!c->pid) {
		close(go[1]);
		command_exec(argv, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	return 0;

close_failed:
	close(failed[0]);
	close(failed[1]);
close_go:
	close(go[0]);
	close(go[1]);
	c->pid = 0;
	return err;
}

int command_start(struct command *c)
{
	int err = 0;

	if (write(c->go, "", 1) != 1)
		return -errno;
	close(c->go);
	if (read(c->failed, &err, sizeof(err)) != sizeof(err))
		err = 0;
	close(c->failed);
	return -err;
}

bool command_exited(struct command *c)
{
	if (!c->pid || waitpid(c->pid, NULL, WNOHANG) != c->pid)
		return false;
	c->pid = 0;
	return true;
}

void command_end(struct command *c)
{
	if (c->pid)
		kill(c->pid, SIGTERM);
	c->pid = 0;
}
