// SPDX-License-Identifier: GPL-2.0
/* The commands of workload.c that send something, or mount */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workload.h"

int do_message(char **args)
{
	static struct {
		long type;
		char text[8192];
	} message = { .type = 1 };
	size_t bytes = atol(args[0]);
	int id = msgget(IPC_PRIVATE, 0600);

	if (id < 0 || bytes > sizeof(message.text))
		return 1;
	for (long n = atol(args[1]); n > 0; n--) {
		if (msgsnd(id, &message, bytes, 0) || msgrcv(id, &message, bytes, 0, 0) < 0)
			return 1;
	}
	return msgctl(id, IPC_RMID, NULL);
}

static int connect_once(int server, const struct sockaddr_in *addr, size_t bytes)
{
	static char buf[65536];
	int client = socket(AF_INET, SOCK_STREAM, 0), peer;

	if (client < 0 || connect(client, (void *)addr, sizeof(*addr)))
		return 1;
	peer = accept(server, NULL, NULL);
	if (peer < 0 || write(client, buf, bytes) != (ssize_t)bytes ||
	    recv(peer, buf, bytes, MSG_WAITALL) != (ssize_t)bytes)
		return 1;
	close(client);
	/* its end is resident */
	if (read(peer, buf, 1))
		return 1;
	return close(peer);
}

int do_connect(char **args)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	int server = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(addr);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (server < 0 || bind(server, (void *)&addr, len) || listen(server, 1) ||
	    getsockname(server, (void *)&addr, &len) || atol(args[0]) > 65536)
		return 1;
	printf("%d\n", ntohs(addr.sin_port));
	for (long n = atol(args[1]); n > 0; n--) {
		if (connect_once(server, &addr, atol(args[0])))
			return 1;
	}
	return 0;
}

int do_local(char **args)
{
	ssize_t len = strlen(args[0]);
	char text[256];
	int ends[2];

	if (len > (ssize_t)sizeof(text) || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	for (long n = atol(args[1]); n > 0; n--) {
		if (write(ends[0], args[0], len) != len || read(ends[1], text, len) != len)
			return 1;
	}
	return 0;
}

int do_attach(char **args)
{
	int fs = syscall(SYS_fsopen, "tmpfs", 0), at;

	if (fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return 1;
	at = syscall(SYS_fsmount, fs, 0, 0);
	return at < 0 ||
	       syscall(SYS_move_mount, at, "", AT_FDCWD, args[0], MOVE_MOUNT_F_EMPTY_PATH);
}

int do_datagram(char **args)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(9) };
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	static char data[65507];
	long size = atol(args[1]);

	if (s < 0 || inet_pton(AF_INET, args[0], &addr.sin_addr) != 1 ||
	    size > (long)sizeof(data))
		return 1;
	memset(data, 'x', sizeof(data));
	for (long n = atol(args[2]); n > 0; n--) {
		if (sendto(s, data, size, 0, (void *)&addr, sizeof(addr)) != size)
			return 1;
	}
	return 0;
}
