// SPDX-License-Identifier: GPL-2.0
/*
 * The part of the kernel's library that the headers in shim/ only declare.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <stdlib.h>

unsigned long shim_fail_at;

/* A finding is no exit code of a script's. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "abort_on_error=1:detect_stack_use_after_return=1";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

static bool fails(void)
{
	return shim_fail_at && !--shim_fail_at;
}

void *kvmalloc_array(size_t n, size_t size, gfp_t flags)
{
	size_t bytes;

	if (fails() || __builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return malloc(bytes);
}

void *kvcalloc(size_t n, size_t size, gfp_t flags)
{
	return fails() ? NULL : calloc(n, size);
}

void kvfree(const void *p)
{
	free((void *)p);
}

int vscnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	int len = vsnprintf(buf, size, fmt, args);

	if (!size)
		return 0;
	return min_t(size_t, len, size - 1);
}

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vscnprintf(buf, size, fmt, args);
	va_end(args);
	return len;
}
