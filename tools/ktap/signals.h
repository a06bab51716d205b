/* SPDX-License-Identifier: GPL-2.0 */
/* Signals that stop ktap, and those of its children. */
#ifndef KTAP_SIGNALS_H
#define KTAP_SIGNALS_H

#include <poll.h>
#include <signal.h>
#include <time.h>

extern volatile sig_atomic_t signals_to_stop;	/* number of signals to stop so far */
extern volatile sig_atomic_t signals_last;	/* the last one of them */
extern volatile sig_atomic_t signals_child;	/* SIGCHLD, or 0 */

/*
 * From here on, signals arrive only in ppoll(). Before, Control-C just ends
 * ktap: the script has not run, and has printed nothing. @ignored gets those
 * that were ignored.
 */
void signals_catch(sigset_t *ignored);

/* SIGUSR1 is an event of the script, and does not end ktap. */
void signals_pass_user(void);

/* Let all signals in, for a child. */
void signals_unblock(void);

/* No handler of the keeper remains in a child. */
void signals_reset(void);

/* Poll with all signals let in; @timeout NULL: without an end. */
int signals_poll(struct pollfd *fds, nfds_t count, const struct timespec *timeout);

/* Receive pending signals even if ppoll() never has to wait. */
void signals_hear(void);

#endif
