// SPDX-License-Identifier: GPL-2.0
/*
 * The interpreter with a barrier before each instruction, for scripts of users who may not read
 * the memory of the kernel.  The same source defines what an instruction does.
 *
 * A load that the CPU executes before an earlier store to the same address (speculative store
 * bypass, Spectre v4) finds in a register what was there before: for a moment, a value can have
 * the tag of a string, and the integer that the script had put there.
 */
#define KTAP_FENCED
#include "vm/vm.c"
