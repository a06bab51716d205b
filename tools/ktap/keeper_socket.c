// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets of detached sessions. Their folder belongs to the user, and so do they: the mode
 * of the file says who may connect. Nobody listens at the file of a keeper that was killed.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/clean_text.h"
#include "keeper_socket.h"

#define KEEPER_WAITING	16	/* clients */

const char *keeper_folder(void)
{
	static char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	const char *own = getenv("KTAP_RUN"), *user = getenv("XDG_RUNTIME_DIR");

	if (own && *own)
		return own;
	if (!geteuid())
		return "/run/ktap";
	if (!user || !*user) {
		fprintf(stderr, "ktap: error: XDG_RUNTIME_DIR is not set: KTAP_RUN=DIR names a folder for sessions\n");
		return NULL;
	}
	snprintf(path, sizeof(path), "%s/ktap", user);
	return path;
}

bool keeper_check_name(const char *name)
{
	size_t len = strlen(name);
	bool good = len && len <= KEEPER_MAX_NAME && *name != '.';

	for (size_t i = 0; i < len; i++)
		good &= isalnum((unsigned char)name[i]) || strchr("._-", name[i]);
	if (good)
		return true;
	fputs("ktap: error: '", stderr);
	put_clean(stderr, name, len);
	fprintf(stderr, "': a name of a session has 1 to %d letters, digits, '_', '-' and '.'\n",
		KEEPER_MAX_NAME);
	return false;
}

bool keeper_address(struct sockaddr_un *address, const char *folder, const char *name)
{
	int n;

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	n = snprintf(address->sun_path, sizeof(address->sun_path), "%s/%s", folder, name);
	return n > 0 && (size_t)n < sizeof(address->sun_path);
}

/* Returns the socket; -ECONNREFUSED: nobody listens there. */
static int keeper_try_connect(const char *folder, const char *name)
{
	struct sockaddr_un address;
	int fd, err;

	if (!keeper_address(&address, folder, name))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	err = errno;
	close(fd);
	return -err;
}

/*
 * Nobody else makes or removes a socket until the file is closed. Others cannot open it, so
 * that they cannot make the owner wait. Returns -1 with errno set.
 */
static int keeper_lock(const char *folder)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/.lock", folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && flock(fd, LOCK_EX)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Remove the socket of a keeper that was killed; but a new one may be there by now. */
static void keeper_remove_locked(const char *folder, const char *name)
{
	struct sockaddr_un address;
	int fd = keeper_try_connect(folder, name);

	if (fd >= 0)
		close(fd);
	else if (fd == -ECONNREFUSED && keeper_address(&address, folder, name))
		unlink(address.sun_path);
}

int keeper_connect(const char *folder, const char *name)
{
	int fd = keeper_try_connect(folder, name), lock;

	if (fd != -ECONNREFUSED)
		return fd;
	lock = keeper_lock(folder);
	if (lock >= 0) {
		keeper_remove_locked(folder, name);
		close(lock);
	}
	return -ENOENT;
}

/* Returns -1. */
static int keeper_failed(const char *what, const char *path)
{
	fprintf(stderr, "ktap: error: cannot %s ", what);
	put_clean(stderr, path, strlen(path));
	fprintf(stderr, ": %s\n", strerror(errno));
	return -1;
}

static int keeper_listen_locked(const char *folder, const char *name)
{
	struct sockaddr_un address;
	mode_t mask;
	int fd, err;

	keeper_remove_locked(folder, name);
	fd = keeper_try_connect(folder, name);
	if (fd >= 0 || fd == -EACCES) {
		if (fd >= 0)
			close(fd);
		fprintf(stderr, "ktap: error: there is a session '%s': ktap --attach %s shows it, ktap --stop %s ends it\n",
			name, name, name);
		return -1;
	}
	if (!keeper_address(&address, folder, name)) {
		errno = ENAMETOOLONG;
		return keeper_failed("make a socket in", folder);
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return keeper_failed("make a socket in", folder);
	mask = umask(0177);
	err = bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, KEEPER_WAITING);
	umask(mask);
	if (!err)
		return fd;
	keeper_failed("make the socket", address.sun_path);
	close(fd);
	return -1;
}

int keeper_listen(const char *name)
{
	const char *folder = keeper_folder();
	int lock, fd;

	if (!folder)
		return -1;
	if (mkdir(folder, 0755) && errno != EEXIST)
		return keeper_failed("make the folder", folder);
	lock = keeper_lock(folder);
	if (lock < 0)
		return keeper_failed("lock the folder", folder);
	fd = keeper_listen_locked(folder, name);
	close(lock);
	return fd;
}
