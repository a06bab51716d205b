// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that the script runs with system(): the session sends their texts,
 * one command runs at a time, and its output replaces the text.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/clean_text.h"
#include "compiler/util.h"
#include "shell.h"
#include "signals.h"

void shell_add(struct shell *sh, const char *data, size_t len)
{
	size_t room = sizeof(sh->command) - 1 - sh->len;

	if (len > room)
		len = room;
	memcpy(sh->command + sh->len, data, len);
	sh->len += len;
	sh->command[sh->len] = '\0';
}

bool shell_is_cut(const struct shell *sh)
{
	return sh->len >= KTAP_MAX_STRLEN;
}

/* Report the result of the command; its text is untrusted. */
static void __attribute__((format(printf, 2, 3))) shell_report(const struct shell *sh,
							       const char *what, ...)
{
	va_list args;

	fputs("ktap: system: ", stderr);
	va_start(args, what);
	vfprintf(stderr, what, args);
	va_end(args);
	fputs(": ", stderr);
	put_clean(stderr, sh->command, strlen(sh->command));
	fputc('\n', stderr);
}

void shell_refuse(struct shell *sh, const char *why)
{
	shell_report(sh, "%s", why);
	sh->len = 0;
}

/*
 * Runs in the child. The command gets the signals that were set at the start of
 * ktap, in a process group of its own, so that the whole command can be
 * signalled.
 */
static void shell_exec_child(const struct shell *sh, int fd)
{
	static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE };
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		signal(ours[i], sigismember(&sh->ignored, ours[i]) ? SIG_IGN : SIG_DFL);
	signals_unblock();
	if (dup2(null, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0)
		_exit(126);
	if (null > STDERR_FILENO)
		close(null);
	execl("/bin/sh", "sh", "-c", sh->command, (char *)NULL);
	_exit(127);
}

void shell_start(struct shell *sh, int fd)
{
	sh->len = 0;
	sh->stopped = false;
	sh->pid = fork();
	if (sh->pid > 0) {
		setpgid(sh->pid, sh->pid);	/* in both processes, as either may run first */
		return;
	}
	if (!sh->pid)
		shell_exec_child(sh, fd);
	sh->pid = 0;
	shell_refuse(sh, strerror(errno));
}

/*
 * The command stopped, usually to use the terminal, which belongs to ktap. End
 * it; if it ignores that, do nothing more.
 */
static void end_stopped(struct shell *sh, int sig)
{
	if (sh->stopped) {
		kill(-sh->pid, SIGKILL);
		return;
	}
	sh->stopped = true;
	if (sig == SIGTTIN || sig == SIGTTOU)
		shell_report(sh, "ended because it tried to use the terminal");
	else
		shell_report(sh, "ended because it was stopped by signal %d", sig);
	shell_signal(sh, SIGTERM);
}

void shell_exited(struct shell *sh)
{
	int status;

	if (!sh->pid || waitpid(sh->pid, &status, WNOHANG | WUNTRACED) != sh->pid)
		return;
	if (WIFSTOPPED(status)) {
		end_stopped(sh, WSTOPSIG(status));
		return;
	}
	sh->pid = 0;
	/* the end of a stopped command was reported before */
	if (WIFSIGNALED(status) && !sh->stopped)
		shell_report(sh, "ended by signal %d", WTERMSIG(status));
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		shell_report(sh, "exit code %d", WEXITSTATUS(status));
}

void shell_signal(struct shell *sh, int sig)
{
	if (!sh->pid)
		return;
	kill(-sh->pid, sigismember(&sh->ignored, sig) ? SIGTERM : sig);
	kill(-sh->pid, SIGCONT);	/* stopped processes do not handle signals */
}
