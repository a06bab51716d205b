/* SPDX-License-Identifier: GPL-2.0 */
/* Show recordings, as a session would be shown. */
#ifndef KTAP_REPLAY_H
#define KTAP_REPLAY_H

#include "options.h"

/* ktap --replay: show the files of &options.replay and the next ones. Returns the exit code. */
int replay_files(struct options *opts);

/*
 * Show the recording that comes through @fd, which is closed; @name is for messages. Output
 * is shown before each wait for more. Returns the exit code.
 */
int replay_stream(struct options *opts, int fd, const char *name);

#endif
