/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switched probes: a script turns them on and off, and deletes them, while it runs.
 */
#ifndef _KTAP_SWITCH_H
#define _KTAP_SWITCH_H

#include <linux/bitops.h>

#include "vm/env.h"

/**
 * DOC: Switched probes
 *
 * A switched probe has two bits in the environment, @switched_on and @deleted.  Any context
 * sets and clears them by atomic operations, so no call can fail because a lock is held.
 * @deleted is never cleared, and counts before @switched_on: if one CPU deletes a probe while
 * another one turns it on, it stays off.
 *
 * The filter of the probe reads the bits, so no handler begins to run after off() or delete().
 * event/condition.c attaches and detaches the probe later, and frees what a deleted probe has.
 */

static __always_inline bool ktap_switch_is_on(const struct ktap_env *env, u32 def)
{
	return test_bit(def, env->switched_on) && !test_bit(def, env->deleted);
}

#endif /* _KTAP_SWITCH_H */
