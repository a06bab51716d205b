/* SPDX-License-Identifier: GPL-2.0 */
/* Files that are sent over a socket. */
#ifndef _KTAP_SEND_FD_H
#define _KTAP_SEND_FD_H

/* With @flags of sendmsg(); 0, or -1 if it was not sent. */
int send_fd(int to, int fd, int flags);

/* With @flags of recvmsg(); -1 if none was sent. */
int receive_fd(int from, int flags);

#endif /* _KTAP_SEND_FD_H */
