/* SPDX-License-Identifier: GPL-2.0 */
/* The number of arguments that a script takes. */
#ifndef KTAP_SCRIPT_ARGS_H
#define KTAP_SCRIPT_ARGS_H

#include <stddef.h>
#include <stdint.h>

/* Maximum number of arguments without options; -1: any number. */
int64_t ktap_max_args(const void *chunk, size_t len);

#endif
