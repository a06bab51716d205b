/* SPDX-License-Identifier: GPL-2.0 */
/* Modes of ktap that run no script. */
#ifndef KTAP_MODES_H
#define KTAP_MODES_H

#include "options.h"

/* Do what the options say and return the exit code; -1 if they want a script to run. */
int mode_without_script(struct options *opts);

#endif
