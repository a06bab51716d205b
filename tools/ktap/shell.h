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
 * struct shell - the command that runs, or that is being received
 * @command: its text, as received so far
 * @len: bytes of @command
 * @pid: process id of the shell that runs it, or 0
 * @stopped: it was stopped by a signal, and then ended by ktap
 * @ignored: signals that were ignored at the start of ktap; commands ignore them, too
 */
struct shell {
	char command[KTAP_MAX_STRLEN + 1];
	size_t len;
	pid_t pid;
	bool stopped;
	sigset_t ignored;
};

/* Add a part of the command. */
void shell_add(struct shell *sh, const char *data, size_t len);

/*
 * May the session have truncated the command? The session only reports that
 * some string was truncated.
 */
bool shell_is_cut(const struct shell *sh);

/* The command is complete, but is not run: print why on stderr. */
void shell_refuse(struct shell *sh, const char *why);

/*
 * The command is complete: run it with its output to @fd; prints a message on
 * stderr on failure.
 */
void shell_start(struct shell *sh, int fd);

/*
 * A child has exited or stopped. Prints a message on stderr if the command
 * failed. A stopped command is ended, as nothing would continue it.
 */
void shell_exited(struct shell *sh);

/* Send a signal to the running command and its children, if any. */
void shell_signal(struct shell *sh, int sig);

#endif
