// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the kernel that scripts can call, and that need only their arguments and the
 * activation.
 */
#include <linux/bitops.h>
#include <linux/math.h>
#include <linux/swab.h>

#include <asm/byteorder.h>

#include "vm/kernel_call.h"

/*
 * The context of the event, not of the handler: a breakpoint of kprobes, for example, is an
 * NMI for the kernel.
 */
KTAP_KERNEL_CALL(in_hardirq, BOOL, vm->level == KTAP_LEVEL_HARDIRQ)
KTAP_KERNEL_CALL(in_nmi, BOOL, vm->level == KTAP_LEVEL_NMI)
KTAP_KERNEL_CALL(in_serving_softirq, BOOL, vm->level == KTAP_LEVEL_SOFTIRQ)
KTAP_KERNEL_CALL(in_task, BOOL, vm->level == KTAP_LEVEL_TASK || vm->level == KTAP_LEVEL_PROCESS)

KTAP_KERNEL_CALL(fls64, INT, fls64(r[0].u))
KTAP_KERNEL_CALL(hweight64, INT, hweight64(r[0].u))
KTAP_KERNEL_CALL(int_sqrt64, INT, int_sqrt64(r[0].u))
KTAP_KERNEL_CALL(swab16, INT, swab16((u16)r[0].u))
KTAP_KERNEL_CALL(swab32, INT, swab32((u32)r[0].u))
KTAP_KERNEL_CALL(swab64, INT, swab64(r[0].u))
KTAP_KERNEL_CALL(ntohs, INT, be16_to_cpu((__force __be16)r[0].u))
KTAP_KERNEL_CALL(ntohl, INT, be32_to_cpu((__force __be32)r[0].u))
