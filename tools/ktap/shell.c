// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that the script runs with system(): the session names them, one runs
 * at a time, and what it prints goes into the output in the place of the name.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clean.h"
#include "shell.h"
#include "util.h"

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

/* Of what became of the command; what a script puts together may come from anybody. */
static void __attribute__((format(printf, 2, 3))) tell(const struct shell *sh,
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
	tell(sh, "%s", why);
	sh->len = 0;
}

/*
 * The child's part: it hears signals as any program that was started as we were, from
 * us alone, so that the whole of a command can be told to end.
 */
static void become(const struct shell *sh, int fd)
{
	static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE };
	sigset_t none;
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		signal(ours[i], sigismember(&sh->ignored, ours[i]) ? SIG_IGN : SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
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
		setpgid(sh->pid, sh->pid);	/* who is first */
		return;
	}
	if (!sh->pid)
		become(sh, fd);
	sh->pid = 0;
	shell_refuse(sh, strerror(errno));
}

/* Most often it wants the terminal, which is ours.  Who does not listen is not asked again. */
static void end_stopped(struct shell *sh, int sig)
{
	if (sh->stopped) {
		kill(-sh->pid, SIGKILL);
		return;
	}
	sh->stopped = true;
	if (sig == SIGTTIN || sig == SIGTTOU)
		tell(sh, "told to end, as it wants the terminal");
	else
		tell(sh, "told to end, as signal %d stopped it", sig);
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
	/* of who was told to end that is told */
	if (WIFSIGNALED(status) && !sh->stopped)
		tell(sh, "ended by signal %d", WTERMSIG(status));
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		tell(sh, "exit code %d", WEXITSTATUS(status));
}

void shell_signal(struct shell *sh, int sig)
{
	if (!sh->pid)
		return;
	kill(-sh->pid, sigismember(&sh->ignored, sig) ? SIGTERM : sig);
	kill(-sh->pid, SIGCONT);	/* what is stopped hears nothing */
}
