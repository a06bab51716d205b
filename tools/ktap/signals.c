// SPDX-License-Identifier: GPL-2.0
/* Signals that stop ktap, and those of its children. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler/util.h"
#include "signals.h"

volatile sig_atomic_t signals_to_stop;
volatile sig_atomic_t signals_last;
volatile sig_atomic_t signals_child;

static bool deaf;	/* ignores Control-C, as background jobs of a script do */

static void signals_on_stop(int sig, siginfo_t *info, void *context)
{
	(void)context;
	/* ignore SIGINT from the terminal, but not one from kill() */
	if (deaf && sig == SIGINT && info->si_code == SI_KERNEL)
		return;
	signals_to_stop++;
	signals_last = sig;
}

static void signals_on_child(int sig)
{
	signals_child = sig;
}

void signals_catch(sigset_t *ignored)
{
	static const int stop[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction stop_action = {
		.sa_sigaction = signals_on_stop, .sa_flags = SA_SIGINFO,
	};
	struct sigaction child_action = { .sa_handler = signals_on_child };
	struct sigaction old;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(stop); i++)
		sigaddset(&set, stop[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);

	sigemptyset(ignored);
	for (size_t i = 0; i < ARRAY_SIZE(stop); i++) {
		sigaction(stop[i], &stop_action, &old);
		if (old.sa_handler != SIG_IGN)
			continue;
		sigaddset(ignored, stop[i]);
		if (stop[i] == SIGINT)
			deaf = true;
		else
			sigaction(stop[i], &old, NULL);	/* keep it ignored, as nohup does */
	}
	sigaction(SIGCHLD, &child_action, NULL);
	if (signal(SIGPIPE, SIG_IGN) == SIG_IGN)
		sigaddset(ignored, SIGPIPE);
}

static void signals_on_user(int sig)
{
	(void)sig;
}

void signals_pass_user(void)
{
	/* the default is back in commands that are run */
	struct sigaction action = { .sa_handler = signals_on_user, .sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &action, NULL);
}

void signals_unblock(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void signals_reset(void)
{
	static const unsigned char handled[] = { SIGTERM, SIGINT, SIGUSR1, SIGCHLD };

	for (size_t i = 0; i < sizeof(handled); i++)
		signal(handled[i], SIG_DFL);
}

int signals_poll(struct pollfd *fds, nfds_t count, const struct timespec *timeout)
{
	sigset_t none;

	sigemptyset(&none);
	return ppoll(fds, count, timeout, &none);
}

void signals_hear(void)
{
	sigset_t none, old;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
}
