/* SPDX-License-Identifier: GPL-2.0 */
/* Pass file descriptors over a socket. */
#ifndef _KTAP_SEND_FD_H
#define _KTAP_SEND_FD_H

/* @flags are those of sendmsg(). Returns 0, or -1 if it was not sent. */
int send_fd(int to, int fd, int flags);

/* @flags are those of recvmsg(). Returns -1 if none was sent. */
int receive_fd(int from, int flags);

#endif /* _KTAP_SEND_FD_H */
