// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit program with a known stack, for the tests of ustack: getppid() ten times with
 * the stack inner, outer, _start. It prints the addresses of its frames, the innermost
 * first, in hex. It needs only the compiler, no C library.
 */
#define NR_exit		1
#define NR_write	4
#define NR_getppid	64

#define __alone __attribute__((noinline, noclone))

static unsigned long frames[3];

static long system_call(long nr, long a, long b, long c)
{
	long res;

	__asm__ volatile("int $0x80" : "=a"(res) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return res;
}

static __alone void inner(void)
{
	/* as the kernel sees it: the return address */
	__asm__ volatile("movl $1f, %0\n\tmovl $64, %%eax\n\tint $0x80\n1:"
			 : "=m"(frames[0]) : : "eax", "memory");
	frames[1] = (unsigned long)__builtin_return_address(0);
}

static __alone void outer(void)
{
	inner();
	frames[2] = (unsigned long)__builtin_return_address(0);
	__asm__ volatile("" : : : "memory");
}

static void print(unsigned long n)
{
	char line[9];
	int i;

	for (i = 0; i < 8; i++)
		line[i] = "0123456789abcdef"[n >> (28 - 4 * i) & 15];
	line[8] = '\n';
	system_call(NR_write, 1, (long)line, 9);
}

void _start(void)
{
	int i;

	for (i = 0; i < 10; i++)
		outer();
	for (i = 0; i < 3; i++)
		print(frames[i]);
	system_call(NR_exit, 0, 0, 0);
}
