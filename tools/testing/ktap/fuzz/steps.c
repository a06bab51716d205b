// SPDX-License-Identifier: GPL-2.0
/*
 * A counter that no clock drives: each basic block of the virtual machine, loader,
 * verifier and formatter included, counts one.  The compiler puts the call there, as
 * it does for the kernel's KCOV.
 */
#include <linux/kernel.h>

#include "exec.h"

u64 fuzz_steps;
u64 fuzz_steps_limit = U64_MAX;

/* libFuzzer has a function of the name without __wrap_, for another purpose. */
void __wrap___sanitizer_cov_trace_pc(void);
void __wrap___sanitizer_cov_trace_pc(void)
{
	if (++fuzz_steps <= fuzz_steps_limit)
		return;
	fuzz_steps_limit = U64_MAX;
	fuzz_fail("it takes too long: more than %llu steps", (unsigned long long)fuzz_steps - 1);
}
