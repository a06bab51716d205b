/* SPDX-License-Identifier: GPL-2.0 */
/* Commands that the script runs with system(). */
#ifndef KTAP_SHELL_H
#define KTAP_SHELL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <linux/ktap.h>

/**
 * struct shell - the command that runs, or is on its way
 * @command: its text, as far as it has come
 * @len: bytes of @command
 * @pid: the shell that runs it, 0 if none does
 * @stopped: a signal has stopped it, so it was told to end
 * @ignored: signals that were ignored when ktap began, and are in a command
 */
struct shell {
	char command[KTAP_MAX_STRLEN + 1];
	size_t len;
	pid_t pid;
	bool stopped;
	sigset_t ignored;
};

/* Take a part of a command. */
void shell_add(struct shell *sh, const char *data, size_t len);

/* Can the session have cut the command off?  It says only that some string was cut. */
bool shell_is_cut(const struct shell *sh);

/* The command is whole, and is not run: a message on stderr says why. */
void shell_refuse(struct shell *sh, const char *why);

/* The command is whole: run it, its output going to @fd; a message on stderr if that fails. */
void shell_start(struct shell *sh, int fd);

/*
 * A child has ended, or was stopped.  A message on stderr if the command failed; one that
 * was stopped is told to end, as nobody is there to let it go on.
 */
void shell_exited(struct shell *sh);

/* Tell the command that runs, if one does, with all that it has started. */
void shell_signal(struct shell *sh, int sig);

#endif
