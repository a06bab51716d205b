/* SPDX-License-Identifier: GPL-2.0 */
/* Sockets of detached sessions: a file for each, with the name of the session. */
#ifndef KTAP_KEEPER_SOCKET_H
#define KTAP_KEEPER_SOCKET_H

#include <stdbool.h>
#include <sys/un.h>

#define KEEPER_MAX_NAME	64

/* The folder of this user's sockets; NULL, after a message, if there is none. */
const char *keeper_folder(void);

/* Is it a name for a session? False after a message. */
bool keeper_check_name(const char *name);

/* Fill in the address of the session @name in @folder; false if it is too long. */
bool keeper_address(struct sockaddr_un *address, const char *folder, const char *name);

/*
 * Connect to the session @name in @folder. Returns a file descriptor, or a negative errno;
 * -ENOENT if there is no session: the file of one that was killed is removed.
 */
int keeper_connect(const char *folder, const char *name);

/* Listen as session @name. Returns a file descriptor, or -1 after a message. */
int keeper_listen(const char *name);

#endif
