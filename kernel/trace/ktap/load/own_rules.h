/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules of scripts that see only their user's own processes.
 */
#ifndef _KTAP_OWN_RULES_H
#define _KTAP_OWN_RULES_H

#include <linux/types.h>

struct ktap_diag;
struct ktap_program;

bool ktap_own_may_call(u32 fn);
int ktap_own_check(const struct ktap_program *prog, struct ktap_diag *diag);

#endif
