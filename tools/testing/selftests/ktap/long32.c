// SPDX-License-Identifier: GPL-2.0
/*
 * An x32 program, with 64-bit registers and 32-bit pointers, for the tests of uprobes:
 * take() ten times, with arguments in registers and on the stack, one of them an array of
 * strings; it returns 64 bits. It needs only the compiler, no C library.
 */
#define NR_exit		(0x40000000 | 60)

#define __alone __attribute__((noinline, noclone))

static const char *const words[] = { "two", "words", (const char *)0 };

__alone long long take(const char *const *argv, long long b, int c, int d, int e, int f,
		       long long g)
{
	__asm__ volatile("" : : "r"(argv), "r"(c), "r"(d), "r"(e), "r"(f) : "memory");
	return b + g;
}

static void leave(long status)
{
	__asm__ volatile("syscall" : : "a"((long long)NR_exit), "D"((long long)status)
			 : "rcx", "r11", "memory");
	for (;;)
		;
}

void _start(void)
{
	int i;

	for (i = 0; i < 10; i++) {
		if (take(words, 0x1122334455667788, 3, 4, 5, 6, 0x1000000000) !=
		    0x1122335455667788)
			leave(1);
	}
	leave(0);
}
