// SPDX-License-Identifier: GPL-2.0
/* A library to be traced: a function, and a marker with a semaphore. */
#include "marker.h"

MARKER_BASE();
__attribute__((visibility("hidden"))) MARKER_SEMAPHORE(called_semaphore);

__attribute__((noinline)) long shared_twice(long n)
{
	if (called_semaphore)
		MARKER("library", "called", "called_semaphore", MARKER_LONG "@%0",
		       MARKER_ANYWHERE (n));
	return n * 2;
}
