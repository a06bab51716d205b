/* SPDX-License-Identifier: GPL-2.0 */
/* Of the kernel's headers only this one is meant. */
#include "../../../../../../include/uapi/linux/ktap.h"
