/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages about data that a session has lost.
 */
#ifndef _KTAP_LOSSES_H
#define _KTAP_LOSSES_H

#include <linux/types.h>

struct ktap_env;

typedef void (*ktap_tell_fn)(void *priv, u64 n, const char *line);

/**
 * ktap_tell_losses() - Report each kind of loss
 * @env: the environment; no handler runs in it any more
 * @fn: called for each kind of loss, with the number of what is lost and a line without newline
 * @priv: for @fn
 *
 * Full tables are reported by the names of the globals that hold them.
 * Context: process.
 */
void ktap_tell_losses(struct ktap_env *env, ktap_tell_fn fn, void *priv);

#endif /* _KTAP_LOSSES_H */
