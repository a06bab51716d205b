/* SPDX-License-Identifier: GPL-2.0 */
/* --dump-jit: the native code of a session. */
#ifndef KTAP_NATIVE_CODE_H
#define KTAP_NATIVE_CODE_H

#include <stdbool.h>

#include "session_file.h"

/*
 * Print what code each probe of the loaded session has, and the native code, to standard
 * output.  Returns false after a message on stderr.
 */
bool native_code_print(const struct session *s);

#endif
