/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions that run without a terminal: ktap --detach NAME. */
#ifndef KTAP_KEEPER_H
#define KTAP_KEEPER_H

#include "options.h"

#define KEEPER_DEFAULT_SIZE	(16 << 20)	/* bytes of output */
#define KEEPER_MIN_SIZE		(64 << 10)

/*
 * Start a keeper, which keeps the output of the session for those who attach, and a runner,
 * which runs the script. In the runner it returns -1, and @opts says where its output goes.
 * In the process that was called it returns the exit code, when the session is armed or has
 * failed. In the keeper it does not return.
 */
int keeper_detach(struct options *opts);

/* In the runner: the session is armed. Messages are in the output from here on. */
void keeper_armed(const struct options *opts);

#endif
