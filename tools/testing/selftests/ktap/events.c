// SPDX-License-Identifier: GPL-2.0
/* Events that a test causes. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events.h"
#include "ktapfs.h"

bool has_getppid(void)
{
	return !access(DIR "../events/syscalls/sys_enter_getppid", F_OK);
}

const char *event(void)
{
	return has_getppid() ? GETPPID : "task:task_rename";
}

static void cause_event(void)
{
	syscall(SYS_getppid);
	if (!has_getppid())
		prctl(PR_SET_NAME, "renamed");
}

pid_t start_load(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			cause_event();
			usleep(100);
		}
	}
	return pid;
}

void end_load(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
