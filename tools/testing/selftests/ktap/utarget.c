// SPDX-License-Identifier: GPL-2.0
/*
 * A program with functions to be traced, called exactly N times.
 *
 *	utarget offset FUNCTION		prints the offset of a function in its file
 *	utarget add N			add(1, ..., 10), which gives 55, N times
 *	utarget say TEXT N		say(TEXT), which gives its length, N times
 *	utarget cold FILE N		the same with the text in FILE, on a page that is not
 *					resident
 *	utarget fill N			fill(buffer), which writes a text, N times
 *	utarget depth D N		depth(D, 7), which calls itself D times, N times
 *	utarget leap N			leap(1), which never returns, but jumps out, N times
 *	utarget unwind N		throws(1), which searches its stack for its caller,
 *					like exceptions, N times; the exit code is 3 if
 *					it is not found
 *	utarget context N		N switches to another context by swapcontext(), and
 *					N returns to a place by setcontext()
 *	utarget spawn N			vfork(), in which the child ends, N times
 *	utarget twice N			twice(3, 4), in which it forks: two return, N times
 *	utarget both N			add() and twice(), N times
 *	utarget fork N			N children, which call add() once
 *	utarget exec N			add(), then execve() of itself, N times in all
 *	utarget become N		become(), which does execve() of itself and so never
 *					returns, N times in all
 *	utarget threads N M		N threads at once, which call add() M times
 *	utarget quit N			N threads, which exit within quit(5)
 *	utarget map FILE OFFSET N	calls the code at OFFSET of FILE, like a library,
 *					N times, reads a line, and calls it N times more
 *	utarget remap FILE OFFSET N	maps FILE, calls the code at OFFSET, and unmaps it,
 *					N times
 *	utarget many N			calls each of 1500 functions, 16 bytes apart from
 *					many on, N times
 *	utarget intact			its exit code is 0 if add() has the same code in
 *					memory and in the file
 *	utarget watched			its exit code is 0 if the semaphore is not 0
 *	utarget device N		depth(0, address) and read(address) from /dev/null,
 *					four times each, of memory mapped like a device, and
 *					of a string that extends into it from the memory before, N
 *					times; then reads it, and does the same N times more
 *	utarget busy N			N processes, each of which does all of the above
 *					until it is killed
 *	utarget wait COMMAND...		reads a line from stdin, then runs COMMAND
 *	utarget idle			does nothing until it is killed
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "local_entry.h"

/*
 * A function that is really called. On s390 it begins with a nop: emulators lose the
 * result of a comparison that they execute as a single step.
 */
#define PROBED_FUNCTION __attribute__((noinline, noclone, aligned(16), used))
#ifdef __s390__
#define PROBED PROBED_FUNCTION __attribute__((patchable_function_entry(1)))
#else
#define PROBED PROBED_FUNCTION
#endif

static const char *self;
static jmp_buf back;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

PROBED long add(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	asm volatile("" : : : "memory");
	return a + b + c + d + e + f + g + h + i + j;
}

PROBED long say(const char *text)
{
	asm volatile("" : : : "memory");
	return *text ? 1 : 0;
}

PROBED long fill(char *to)
{
	strcpy(to, "filled");
	asm volatile("" : : : "memory");
	return 6;
}

PROBED long depth(long n, long x)
{
	long below = n ? depth(n - 1, x) : 0;

	asm volatile("" : "+r" (below) : : "memory");
	return below + 1;
}

PROBED void leap(int value)
{
	asm volatile("" : : : "memory");
	longjmp(back, value);
}

#ifdef __arm__
PROBED void throws(int value)
{
	exit(4);
}
#else
/* Jump to @back with 1 at the frame of the caller, with 2 at the end of the stack. */
static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				struct _Unwind_Exception *exception,
				struct _Unwind_Context *context, void *wanted)
{
	if (_Unwind_GetRegionStart(context) == (_Unwind_Word)wanted)
		longjmp(back, 1);
	if (actions & _UA_END_OF_STACK)
		longjmp(back, 2);
	return _URC_NO_REASON;
}

static void catches(void);

PROBED void throws(int value)
{
	static struct _Unwind_Exception exception;

	_Unwind_ForcedUnwind(&exception, stop, (void *)catches);
	asm volatile("" : : : "memory");
}
#endif

PROBED_FUNCTION static void catches(void)
{
	throws(1);
	asm volatile("" : : : "memory");
}

PROBED long twice(long a, long b)
{
	pid_t child = fork();

	if (child < 0)
		die("fork");
	asm volatile("" : : : "memory");
	return child ? a : b;
}

PROBED void quit(long value)
{
	asm volatile("" : : : "memory");
	pthread_exit((void *)value);
}

PROBED long become(long n)
{
	char rest[32];

	snprintf(rest, sizeof(rest), "%ld", n - 1);
	execl(self, self, "become", rest, NULL);
	die(self);
	return 0;
}

/* Position independent code, for programs that map this file. */
PROBED long leaf(long n)
{
	asm volatile("" : "+r" (n));
	return n + 1;
}

extern char _start[], many[];

#define MANY 1500

#if defined(__s390__)
#define RETURN "br %r14"
#elif defined(__powerpc__)
#define RETURN "blr"
#elif defined(__arm__)
#define RETURN "bx lr"
#else
#define RETURN "ret"
#endif

#ifdef __arm__
#define MODE	"\t.arm\n"
#else
#define MODE	""
#endif

/* Functions that do nothing */
#define MANY_BEGIN	".text\n" MODE ".balign 16\n.globl many\n.type many, %function\nmany:\n"
#define MANY_EACH	".balign 16\nnop\n" RETURN "\n"

asm(MANY_BEGIN ".rept 1500\n" MANY_EACH ".endr");

#if defined(__x86_64__) || defined(__i386__)
/* An instruction that uprobes refuse, as no program may execute it */
asm(".text\n.globl privileged\n.type privileged, %function\nprivileged:\nhlt\n" RETURN "\n");
extern char privileged[];
#endif

/* Shows a program that a marker is traced */
static volatile unsigned short semaphore __attribute__((section(".data")));

static const struct {
	const char *name;
	void *address;
	int is_label;		/* no function of C */
} functions[] = {
	{ "add", add }, { "say", say }, { "fill", fill }, { "depth", depth }, { "leap", leap },
	{ "twice", twice }, { "quit", quit }, { "become", become }, { "leaf", leaf },
	{ "throws", throws }, { "_start", _start }, { "many", many, 1 },
	{ "semaphore", (void *)&semaphore, 1 },
#if defined(__x86_64__) || defined(__i386__)
	{ "privileged", privileged, 1 },
#endif
};

/* Mapped with VM_IO, but harmless to read; the page is present after an access. */
static long *find_device(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "[vvar]\n") || sscanf(line, "%lx-", &start) != 1)
			continue;
		fclose(maps);
		return (long *)start;
	}
	die("[vvar]");
	return NULL;
}

/* From the mapping that it is in; 0: unknown. */
static unsigned long offset_of(const void *address)
{
	unsigned long start, end, offset, at = (unsigned long)address;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) != 3 ||
		    at < start || at >= end)
			continue;
		fclose(maps);
		return at - start + offset;
	}
	die("/proc/self/maps");
	return 0;
}

static int do_offset(char **args)
{
	uintptr_t code;
	unsigned int i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strcmp(functions[i].name, args[0]))
			continue;
		code = (uintptr_t)functions[i].address;
		if (!functions[i].is_label)
			code = local_entry(code);
		printf("0x%lx\n", offset_of((void *)code));
		return 0;
	}
	return 1;
}

static void add_all(long n)
{
	while (n--) {
		if (add(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) != 55)
			abort();
	}
}

static int do_add(char **args)
{
	add_all(atol(args[0]));
	return 0;
}

static int do_say(char **args)
{
	long n = atol(args[1]);

	while (n--)
		say(args[0]);
	return 0;
}

static int do_cold(char **args)
{
	long n = atol(args[1]);
	int fd = open(args[0], O_RDONLY);
	char *text;

	text = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		die(args[0]);
	while (n--) {
		if (madvise(text, 4096, MADV_DONTNEED))
			die("madvise");
		say(text);
	}
	return 0;
}

static int do_fill(char **args)
{
	static char buffer[64];
	long n = atol(args[0]);

	while (n--)
		fill(buffer);
	return 0;
}

static int do_depth(char **args)
{
	long d = atol(args[0]), n = atol(args[1]);

	while (n--) {
		if (depth(d, 7) != d + 1)
			abort();
	}
	return 0;
}

static int do_unwind(char **args)
{
	volatile long n = atol(args[0]);

	while (n-- > 0) {
		switch (setjmp(back)) {
		case 0:
			catches();
			break;
		case 2:
			return 3;
		}
	}
	return 0;
}

static ucontext_t outside, inside;
static volatile long entered;

static void switch_back(void)
{
	for (;;) {
		entered++;
		swapcontext(&inside, &outside);
	}
}

static int do_context(char **args)
{
	static char stack[65536] __attribute__((aligned(16)));
	long n = atol(args[0]);
	volatile long left = n;

	if (getcontext(&inside))
		die("getcontext");
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = NULL;
	makecontext(&inside, switch_back, 0);
	while (left-- > 0) {
		if (swapcontext(&outside, &inside))
			die("swapcontext");
	}
	if (entered != n)
		abort();

	left = n;
	/* returns once more after each setcontext() */
	if (getcontext(&outside))
		die("getcontext");
	if (left-- > 0)
		setcontext(&outside);
	return 0;
}

static int do_spawn(char **args)
{
	volatile long n = atol(args[0]);
	int status;
	pid_t child;

	while (n-- > 0) {
		child = vfork();
		if (!child)
			_exit(5);
		if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 5)
			die("vfork");
	}
	return 0;
}

static int do_leap(char **args)
{
	volatile long n = atol(args[0]);

	while (n--) {
		if (!setjmp(back))
			leap(1);
	}
	return 0;
}

static int do_twice(char **args)
{
	long n = atol(args[0]);

	while (n--) {
		if (twice(3, 4) == 4)
			_exit(0);
		if (wait(NULL) < 0)
			die("wait");
	}
	return 0;
}

static int do_both(char **args)
{
	char *once[] = { "1", NULL };
	long n = atol(args[0]);

	while (n--) {
		add_all(1);
		do_twice(once);
	}
	return 0;
}

static int do_fork(char **args)
{
	long n = atol(args[0]);
	int status;

	while (n--) {
		switch (fork()) {
		case -1:
			die("fork");
			break;
		case 0:
			add_all(1);
			_exit(0);
		}
		if (wait(&status) < 0 || status)
			return 1;
	}
	return 0;
}

static int do_exec(char **args)
{
	long n = atol(args[0]);
	char rest[32];

	if (!n)
		return 0;
	add_all(1);
	snprintf(rest, sizeof(rest), "%ld", n - 1);
	execl(self, self, "exec", rest, NULL);
	die(self);
	return 1;
}

static int do_become(char **args)
{
	long n = atol(args[0]);

	return n ? become(n) : 0;
}

static void *add_thread(void *n)
{
	add_all((long)n);
	return NULL;
}

static void *quit_thread(void *unused)
{
	quit(5);
	return NULL;
}

static int run_threads(long n, void *(*fn)(void *), long arg)
{
	pthread_t *threads = calloc(n, sizeof(*threads));
	long i;

	for (i = 0; i < n; i++) {
		if (pthread_create(&threads[i], NULL, fn, (void *)arg))
			return 1;
	}
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}

static int do_threads(char **args)
{
	return run_threads(atol(args[0]), add_thread, atol(args[1]));
}

static int do_quit(char **args)
{
	return run_threads(atol(args[0]), quit_thread, 0);
}

static void call(const char *code, long n)
{
	uintptr_t room[3];
	long (*fn)(long n);

	fn = function_at(code, room);
	while (n--) {
		if (fn(n) != n + 1)
			abort();
	}
}

/* The code at @offset of a file, with the page that it begins on and the next one */
static char *map_code(const char *file, unsigned long offset)
{
	unsigned long size = sysconf(_SC_PAGESIZE), page = offset & -size;
	int fd = open(file, O_RDONLY);
	char *code;

	if (fd < 0)
		die(file);
	code = mmap(NULL, 2 * size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, page);
	if (code == MAP_FAILED)
		die(file);
	close(fd);
	return code + (offset - page);
}

static int unmap_code(char *code)
{
	unsigned long size = sysconf(_SC_PAGESIZE);

	return munmap((void *)((unsigned long)code & -size), 2 * size);
}

static int do_map(char **args)
{
	char *code = map_code(args[0], strtoul(args[1], NULL, 0));
	char line[16];

	call(code, atol(args[2]));
	if (!fgets(line, sizeof(line), stdin))
		return unmap_code(code);
	call(code, atol(args[2]));
	return unmap_code(code);
}

static int do_remap(char **args)
{
	long n = atol(args[2]);

	while (n--) {
		char *code = map_code(args[0], strtoul(args[1], NULL, 0));

		call(code, 1);
		if (unmap_code(code))
			die("munmap");
	}
	return 0;
}

static int do_many(char **args)
{
	long n = atol(args[0]);
	uintptr_t room[3];
	unsigned int i;

	while (n--) {
		for (i = 0; i < MANY; i++)
			((void (*)(void))function_at(many + 16 * i, room))();
	}
	return 0;
}

static int do_intact(char **args)
{
	const void *code = (void *)local_entry((uintptr_t)add);
	int fd = open(self, O_RDONLY);
	char there[8];

	if (pread(fd, there, sizeof(there), offset_of(code)) != sizeof(there))
		die(self);
	return !!memcmp(there, code, sizeof(there));
}

static int do_watched(char **args)
{
	return !semaphore;
}

static void show(int null, long *address)
{
	depth(0, (long)address);
	if (read(null, address, 16))
		die("read");
}

static void show_all(int null, long *device, long n)
{
	long *front = device - 4;

	front[0] = (long)&front[3];
	front[1] = 0;
	while (n--) {
		show(null, device);
		memset(&front[3], 'x', sizeof(*front));
		/* a string, and an array with that string */
		show(null, &front[3]);
		show(null, front);
		/* an array, without a NULL at its end either */
		front[3] = (long)"text";
		show(null, &front[3]);
	}
}

static int do_device(char **args)
{
	long n = atol(args[0]), page = sysconf(_SC_PAGESIZE), *device = find_device();
	int null = open("/dev/null", O_RDONLY);
	char *front = (char *)device - page;

	if (null < 0 || mmap(front, page, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != front)
		die("no memory before a device");
	show_all(null, device, n);
	asm volatile("" : : "r" (*device) : "memory");
	show_all(null, device, n);
	return 0;
}

static int do_idle(char **args)
{
	pause();
	return 0;
}

static void everything(void)
{
	char *ten[] = { "10", NULL }, *deep[] = { "70", "1", NULL }, *once[] = { "1", NULL };
	char *threads[] = { "4", "20", NULL };
	int status;
	pid_t child;

	do_add(ten);
	do_depth(deep);
	do_leap(ten);
	do_threads(threads);
	do_quit(once);
	do_fill(ten);
	do_twice(once);
	child = fork();
	if (!child)
		exit(do_exec(once));
	if (child < 0 || waitpid(child, &status, 0) < 0 || status)
		abort();
}

static int do_busy(char **args)
{
	long n = atol(args[0]);

	while (n--) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			everything();
	}
	while (wait(NULL) > 0)
		return 1;
	return 0;
}

static int command(char **args);

static int do_wait(char **args)
{
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		return 1;
	return command(args);
}

static const struct {
	const char *name;
	int nargs;
	int (*fn)(char **args);
} commands[] = {
	{ "offset", 1, do_offset }, { "add", 1, do_add }, { "say", 2, do_say },
	{ "cold", 2, do_cold }, { "fill", 1, do_fill }, { "depth", 2, do_depth },
	{ "both", 1, do_both }, { "leap", 1, do_leap },
	{ "unwind", 1, do_unwind }, { "context", 1, do_context }, { "spawn", 1, do_spawn },
	{ "twice", 1, do_twice },
	{ "fork", 1, do_fork }, { "exec", 1, do_exec }, { "become", 1, do_become },
	{ "threads", 2, do_threads }, { "quit", 1, do_quit }, { "map", 3, do_map },
	{ "remap", 3, do_remap }, { "many", 1, do_many }, { "intact", 0, do_intact },
	{ "watched", 0, do_watched }, { "busy", 1, do_busy }, { "wait", 1, do_wait },
	{ "device", 1, do_device }, { "idle", 0, do_idle },
};

static int command(char **args)
{
	unsigned int i;
	int n;

	for (n = 0; args[0] && args[1 + n];)
		n++;
	for (i = 0; args[0] && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(commands[i].name, args[0]) && n >= commands[i].nargs)
			return commands[i].fn(args + 1);
	}
	fprintf(stderr, "utarget: no such command, or too few arguments; see its source\n");
	return 2;
}

int main(int argc, char **argv)
{
	self = argv[0];
	return command(argv + 1);
}
