/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SIGNAL_H
#define SHIM_LINUX_SIGNAL_H

#include <signal.h>

/* the C library counts one more */
#undef _NSIG
#define _NSIG	64

#endif
