// SPDX-License-Identifier: GPL-2.0
/* Detached sessions, seen from outside: --attach, --stop, --sessions. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "attach.h"
#include "boot_session.h"
#include "compiler/clean_text.h"
#include "keeper_socket.h"
#include "replay.h"
#include "session_file.h"

#define SYSTEM_FOLDER	"/run/ktap"	/* of root */
#define ATTACH_PATIENCE	5		/* seconds */

/*
 * The name of the user that owns the file of a session, or the number. Unlike getpwuid(), this
 * also works in a program that is linked statically.
 */
static const char *attach_owner(const char *folder, const char *name)
{
	static char owner[33];
	struct sockaddr_un address;
	struct passwd *user;
	struct stat st;
	FILE *f;

	if (!keeper_address(&address, folder, name) || stat(address.sun_path, &st))
		return "?";
	snprintf(owner, sizeof(owner), "%u", (unsigned int)st.st_uid);
	f = fopen("/etc/passwd", "re");
	while (f && (user = fgetpwent(f))) {
		if (user->pw_uid != st.st_uid)
			continue;
		snprintf(owner, sizeof(owner), "%s", user->pw_name);
		break;
	}
	if (f)
		fclose(f);
	return owner;
}

/* Connect to the keeper, or open a session that began at boot (@boot); -1 after a message. */
static int attach_connect(const char *name, bool *boot)
{
	const char *folder = keeper_folder();
	int fd = -ENOENT;

	if (!folder || !keeper_check_name(name))
		return -1;
	fd = keeper_connect(folder, name);
	/* root's session may have the name, too */
	if (fd == -ENOENT && strcmp(folder, SYSTEM_FOLDER) && !getenv("KTAP_RUN")) {
		folder = SYSTEM_FOLDER;
		fd = keeper_connect(folder, name);
	}
	*boot = fd == -ENOENT || fd == -ENOTDIR;
	if (*boot)
		fd = boot_session_open(name);
	if (fd >= 0)
		return fd;
	/* EACCES: of tracefs, which has none for this user */
	if (*boot && fd != -ENOENT && fd != -EACCES)
		fprintf(stderr,
			"ktap: error: cannot open the session '%s', which began at boot: %s\n",
			name, strerror(-fd));
	else if (*boot)
		fprintf(stderr, "ktap: error: there is no session '%s': ktap --sessions lists them\n",
			name);
	else if (fd == -EACCES || fd == -EPERM)
		fprintf(stderr, "ktap: error: the session '%s' belongs to %s\n", name,
			attach_owner(folder, name));
	else
		fprintf(stderr, "ktap: error: cannot connect to the session '%s': %s\n", name,
			strerror(-fd));
	return -1;
}

static bool attach_send(int fd, const char *word)
{
	return send(fd, word, strlen(word), MSG_NOSIGNAL) == (ssize_t)strlen(word);
}

/*
 * All was received, and written: the keeper may end. Wait until the session's name is free, so
 * that the next command can use it.
 */
static void attach_done(int fd)
{
	struct pollfd hangup = { .fd = fd };

	if (attach_send(fd, "done\n"))
		poll(&hangup, 1, ATTACH_PATIENCE * 1000);
}

int attach_session(struct options *opts)
{
	const char *name = opts->stop ? opts->stop : opts->attach;
	bool boot;
	int fd = attach_connect(name, &boot), answer, code;

	if (fd < 0)
		return 2;
	if (boot)
		return boot_session_show(opts, fd, name);
	answer = dup(fd);
	if (answer < 0 || !attach_send(fd, opts->stop ? "stop\n" : "attach\n")) {
		fprintf(stderr, "ktap: error: the session '%s' has ended\n", name);
		return 2;
	}
	code = replay_stream(opts, fd, name);
	if (opts->received)
		attach_done(answer);
	close(answer);
	return code;
}

/* Memory of the kernel's part of the session that @pid has opened; -1 if unknown */
static long long attach_kernel_memory(long pid)
{
	const char *tracefs = session_tracefs(), *found;
	char path[4096], *line = NULL;
	long long memory = -1;
	size_t size = 0;
	long opener;
	FILE *f;

	if (!tracefs)
		return -1;
	snprintf(path, sizeof(path), "%s/ktap/sessions", tracefs);
	f = fopen(path, "re");
	while (f && memory < 0 && getline(&line, &size, f) > 0) {
		if (line[0] == ' ' || sscanf(line, "%*s %ld", &opener) != 1 || opener != pid)
			continue;
		found = strstr(line, " memory=");
		memory = found ? strtoll(found + strlen(" memory="), NULL, 10) : -1;
	}
	if (f)
		fclose(f);
	free(line);
	return memory;
}

static void attach_put_age(int64_t began)
{
	struct timespec now;
	long long s;

	clock_gettime(CLOCK_MONOTONIC, &now);
	s = now.tv_sec - began / 1000000000;
	if (s < 0)
		s = 0;
	printf(" %6lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}

static void attach_list_line(const char *name, const char *owner, const char *line)
{
	unsigned long long bytes, lines, lost;
	long long memory;
	int64_t began;
	char state[16];
	int keeper, runner, at = 0;

	if (sscanf(line, "%d %d %" SCNd64 " %llu %llu %llu %15s %n", &keeper, &runner, &began,
		   &bytes, &lines, &lost, state, &at) < 7 || !at)
		return;
	memory = attach_kernel_memory(runner);
	printf("%-16s %-8s %7d %-7s", name, owner, keeper, state);
	attach_put_age(began);
	printf(" %9llu %11llu %8lluk", lines, lost, (bytes + 1023) / 1024);
	if (memory < 0)
		printf("         -");
	else
		printf(" %8lldk", (memory + 1023) / 1024);
	putchar(' ');
	put_clean(stdout, line + at, strcspn(line + at, "\n"));
	putchar('\n');
}

static void attach_list_one(const char *folder, const char *name)
{
	const struct timeval patience = { .tv_sec = ATTACH_PATIENCE };
	const char *owner = attach_owner(folder, name);
	int fd = keeper_connect(folder, name);
	char line[512];
	FILE *f;

	if (fd == -EACCES)
		printf("%-16s %-8s\n", name, owner);
	if (fd < 0)
		return;
	/* the keeper may have been stopped */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	f = attach_send(fd, "list\n") ? fdopen(fd, "r") : NULL;
	if (!f) {
		close(fd);
		return;
	}
	if (fgets(line, sizeof(line), f))
		attach_list_line(name, owner, line);
	fclose(f);
}

static bool attach_list_folder(const char *folder)
{
	struct dirent **names = NULL;
	int n = scandir(folder, &names, NULL, alphasort);
	int err = errno;

	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.' && is_clean(names[i]->d_name))
			attach_list_one(folder, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	if (n >= 0 || err == ENOENT)
		return true;
	fprintf(stderr, "ktap: error: cannot open %s: %s\n", folder, strerror(err));
	return false;
}

bool attach_list(void)
{
	const char *folder = keeper_folder();

	if (!folder)
		return false;
	printf("%-16s %-8s %7s %-7s %12s %9s %11s %9s %9s %s\n", "NAME", "OWNER", "PID", "STATE",
	       "AGE", "LINES", "OVERWRITTEN", "KEPT", "KERNEL", "SCRIPT");
	if (strcmp(folder, SYSTEM_FOLDER) && !getenv("KTAP_RUN") &&
	    !attach_list_folder(SYSTEM_FOLDER))
		return false;
	if (!attach_list_folder(folder))
		return false;
	boot_session_list();
	return true;
}
