// SPDX-License-Identifier: GPL-2.0
/*
 * A counter of steps, which does not depend on the speed of the machine.  Each basic
 * block of the virtual machine counts as one step, and so does each one of the loader,
 * the verifier and the formatter.  The compiler inserts the calls, as for the kernel's
 * KCOV.
 */
#include <linux/kernel.h>

#include "exec.h"

u64 fuzz_steps;
u64 fuzz_steps_limit = U64_MAX;

/* libFuzzer has a function of its own with this name, without __wrap_. */
void __wrap___sanitizer_cov_trace_pc(void);
void __wrap___sanitizer_cov_trace_pc(void)
{
	if (++fuzz_steps <= fuzz_steps_limit)
		return;
	fuzz_steps_limit = U64_MAX;
	fuzz_fail("it takes too long: more than %llu steps", (unsigned long long)fuzz_steps - 1);
}
