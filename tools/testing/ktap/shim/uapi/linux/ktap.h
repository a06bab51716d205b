/* SPDX-License-Identifier: GPL-2.0 */
/* Include only this header of the kernel. */
#include "../../../../../../include/uapi/linux/ktap.h"
