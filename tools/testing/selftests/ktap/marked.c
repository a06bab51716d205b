// SPDX-License-Identifier: GPL-2.0
/*
 * A program with functions and markers, for tests that count them.
 *
 *	marked where NAME	prints the offset of a function in the file, 0x...
 *	marked call NAME N	calls it with the arguments 1 to N, one by one
 *	marked fire N		passes the markers demo:plain (in two places), demo:args and
 *				demo:guarded (if its semaphore is not 0), each
 *				N times
 *	marked wait N		waits for a listener of demo:guarded, and for a line; then fire N
 *	marked stack N		N times main -> outer -> middle -> inner
 *	marked jit MS		runs code in anonymous memory for MS milliseconds, named
 *				hot_loop in /tmp/perf-PID.map
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "local_entry.h"
#include "marker.h"

#define NOINLINE	__attribute__((noinline, noclone, used))

/* The byte of a register, and a constant, as the assembler has them */
#if defined(__x86_64__) || defined(__i386)
#define BYTE_REGISTER	"q"
#define BYTE_4		"%b4"
#else
#define BYTE_REGISTER	"r"
#define BYTE_4		"%4"
#endif
#ifdef __powerpc__
#define CONSTANT_2	"%I2%2"
#else
#define CONSTANT_2	"%2"
#endif

MARKER_BASE();
MARKER_SEMAPHORE(guarded_semaphore);

volatile long sink;
int counter = 100;
const char text[] = "a string of the program";

NOINLINE long alpha(long n)
{
	sink += n;
	return n * 2;
}

NOINLINE long alphabet(long n)
{
	sink += n;
	return n * 3;
}

/* a second name */
long alpha_again(long n) __attribute__((alias("alpha")));

/* names by other compilers: ns::add(int), ns::add(long), core::fmt::write, mycrate::foo */
NOINLINE long add_int(long n) __asm__("_ZN2ns3addEi");
NOINLINE long add_long(long n) __asm__("_ZN2ns3addEl");
NOINLINE long rust_legacy(long n) __asm__("_ZN4core3fmt5write17h0123456789abcdefE");
NOINLINE long rust_new(long n) __asm__("_RNvC7mycrate3foo");

NOINLINE long add_int(long n)
{
	sink += n;
	return n + 1;
}

NOINLINE long add_long(long n)
{
	sink += n;
	return n + 2;
}

NOINLINE long rust_legacy(long n)
{
	sink += n;
	return n + 3;
}

NOINLINE long rust_new(long n)
{
	sink += n;
	return n + 4;
}

NOINLINE long inner(long n)
{
	usleep(1);
	return n + sink;
}

NOINLINE long middle(long n)
{
	return inner(n + 1) * 3;
}

NOINLINE long outer(long n)
{
	return middle(n + 1) * 5;
}

static const struct function {
	const char *name;
	long (*call)(long n);
} functions[] = {
	{ "alpha", alpha },
	{ "alphabet", alphabet },
	{ "add_int", add_int },
	{ "add_long", add_long },
	{ "rust_legacy", rust_legacy },
	{ "rust_new", rust_new },
	{ "inner", inner },
};

static const struct function *find(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	}
	fprintf(stderr, "marked: no function %s\n", name);
	exit(2);
}

/* /proc/self/maps has the mapped parts of the file. */
static int do_where(char **args)
{
	uintptr_t addr = local_entry((uintptr_t)find(args[0])->call);
	unsigned long begin, end, offset;
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) != 3)
			continue;
		if (addr < begin || addr >= end)
			continue;
		printf("0x%lx\n", addr - begin + offset);
		return 0;
	}
	return 1;
}

static int do_call(char **args)
{
	const struct function *f = find(args[0]);

	for (long i = 1; i <= atol(args[1]); i++)
		f->call(i);
	return 0;
}

NOINLINE void fire(long i)
{
	/* in memory, negative, of four bytes */
	volatile int local = -(int)i;
	/* one byte of a larger word */
	long byte = i << 8 | 0xf0;

	MARKER("demo", "plain", "0", "");
	MARKER("demo", "args", "0",
	       MARKER_LONG "@%0 -4@%1 " MARKER_LONG "@" CONSTANT_2 " " MARKER_LONG "@%3 1@" BYTE_4,
	       MARKER_ANYWHERE (i * 3), "m" (local), "n" (42), MARKER_ANYWHERE (text),
	       BYTE_REGISTER (byte));
	MARKER("demo", "plain", "0", "");
	if (guarded_semaphore)
		MARKER("demo", "guarded", "guarded_semaphore", MARKER_LONG "@%0",
		       MARKER_ANYWHERE (i));
#ifdef __x86_64__
	MARKER("demo", "far", "0", "-4@counter(%%rip)", "m" (counter));
#endif
}

static int do_fire(char **args)
{
	for (long i = 1; i <= atol(args[0]); i++)
		fire(i);
	return 0;
}

static int do_wait(char **args)
{
	while (!guarded_semaphore)
		usleep(10000);
	/*
	 * the semaphore is set before the listener is ready: the test writes a line when
	 * it is
	 */
	getchar();
	return do_fire(args);
}

static int do_stack(char **args)
{
	for (long i = 0; i < atol(args[0]); i++)
		sink += outer(i);
	return 0;
}

static int do_jit(char **args)
{
#ifdef __x86_64__
	/* mov %rdi, %rax; 1: dec %rax; jne 1b; ret */
	static const unsigned char code[] = {
		0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3,
	};
	struct timespec now, end;
	char path[64];
	void *p;
	FILE *f;

	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return 1;
	memcpy(p, code, sizeof(code));
	mprotect(p, 4096, PROT_READ | PROT_EXEC);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	if (!f)
		return 1;
	fprintf(f, "%lx %zx hot_loop\n", (unsigned long)p, sizeof(code));
	fclose(f);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += atol(args[0]) / 1000;
	end.tv_nsec += atol(args[0]) % 1000 * 1000000;
	do {
		((long (*)(long))p)(1000000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec ||
		 (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
	return 0;
#else
	return !args[0];
#endif
}

static const struct {
	const char *name;
	int nargs;
	int (*run)(char **args);
} commands[] = {
	{ "where", 1, do_where },
	{ "call", 2, do_call },
	{ "fire", 1, do_fire },
	{ "wait", 1, do_wait },
	{ "stack", 1, do_stack },
	{ "jit", 1, do_jit },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(argv[1], commands[i].name) && argc - 2 == commands[i].nargs)
			return commands[i].run(argv + 2);
	}
	fprintf(stderr, "usage: marked where|call|fire|wait|stack|jit ...\n");
	return 2;
}
