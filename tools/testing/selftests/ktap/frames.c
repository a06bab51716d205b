// SPDX-License-Identifier: GPL-2.0
/*
 * A program with a known stack, for the tests of ustack. It is position independent, and
 * has frame pointers.
 *
 *	frames tell		where the frames are that `frames chain` has, first
 *				one first: offsets in this file, "FIRST LAST" of the
 *				innermost function, then one a line; then the build id
 *	frames chain N		writes to N new pages, from PAGES on: page faults with
 *				the stack inner, middle, outer
 *	frames wait chain N	reads a line from stdin before
 *	frames burn MS		computes in inner for MS milliseconds
 *	frames jit		runs code without a file, and prints its address
 *	frames jit shared	the same in shared memory
 *	frames many DIR N	the same code in N files of DIR, one by one, each deleted
 *				after it has run
 *	frames swap DIR N	the code in two files of DIR, which are mapped in turn at the
 *				same address; N times each
 *	frames churn TIMES N	N threads that map such a file, run it and unmap it, TIMES
 *				times each
 *	frames vdso N		reads the time N times
 *
 * The code calls getppid().
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "local_entry.h"

/* recognized by its upper half */
#define PAGES		(0x3000UL << (sizeof(long) * CHAR_BIT / 2))
#define CODE_SIZE	4096

#define __alone __attribute__((noinline, noclone))

static uintptr_t returns[2];
static char *to_write;
static long burn_ms;

/* Return the offset in the file of an address of this program. */
static unsigned long offset_of(uintptr_t address)
{
	unsigned long start, end, offset = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    address >= start && address < end)
			return address - start + offset;
	}
	exit(3);
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static __alone void inner(void)
{
	returns[0] = (uintptr_t)__builtin_return_address(0);
	if (to_write)
		*(volatile char *)to_write = 1;
	for (volatile long i = 0; burn_ms && i < 100000; i++)
		;
}

static __alone void middle(void)
{
	inner();
	returns[1] = (uintptr_t)__builtin_return_address(0);
	__asm__ volatile("" : : : "memory");
}

static __alone void outer(void)
{
	middle();
	__asm__ volatile("" : : : "memory");
}

static int print_build_id(struct dl_phdr_info *info, size_t size, void *data)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const char *p = (const char *)info->dlpi_addr + ph->p_vaddr, *end = p + ph->p_memsz;

		while (ph->p_type == PT_NOTE && p < end) {
			const ElfW(Nhdr) *note = (const void *)p;
			const unsigned char *id;

			id = (const void *)(p + sizeof(*note) + ((note->n_namesz + 3) & ~3U));
			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4) {
				for (unsigned int b = 0; b < note->n_descsz; b++)
					printf("%02x", id[b]);
				printf("\n");
				return 1;
			}
			p = (const char *)id + ((note->n_descsz + 3) & ~3U);
		}
	}
	return 0;
}

static int do_tell(char **args)
{
	unsigned long first = offset_of(local_entry((uintptr_t)inner));

	outer();
	/* inner() has at most 256 bytes. */
	printf("%lx %lx\n%lx\n%lx\n", first, first + 256, offset_of(returns[0]),
	       offset_of(returns[1]));
	dl_iterate_phdr(print_build_id, NULL);
	return 0;
}

static int do_chain(char **args)
{
	long n = atol(args[0]), size = sysconf(_SC_PAGESIZE);
	char *pages = mmap((void *)PAGES, n * size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	/* Fails if the kernel has no huge pages. */
	madvise(pages, n * size, MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++) {
		to_write = pages + i * size;
		outer();
	}
	return 0;
}

static int do_burn(char **args)
{
	long end = now_ms() + atol(args[0]);

	burn_ms = 1;
	while (now_ms() < end)
		outer();
	return 0;
}

static int do_vdso(char **args)
{
	struct timespec ts;

	for (long n = atol(args[0]); n > 0; n--)
		clock_gettime(CLOCK_MONOTONIC, &ts);
	return 0;
}

#ifdef __x86_64__
/* push %rbp; mov %rsp,%rbp; mov $SYS_getppid,%eax; syscall; pop %rbp; ret */
static const unsigned char code[] = {
	0x55, 0x48, 0x89, 0xe5, 0xb8, SYS_getppid, 0, 0, 0, 0x0f, 0x05, 0x5d, 0xc3,
};

static __alone void run_code(void *page)
{
	((void (*)(void))page)();
	__asm__ volatile("" : : : "memory");
}

static int do_jit(char **args)
{
	int flags = args[0] ? MAP_SHARED : MAP_PRIVATE;
	char *page = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  flags | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return 1;
	memcpy(page, code, sizeof(code));
	printf("%lx\n", (unsigned long)page);
	run_code(page);
	return 0;
}

/* Return a new file with the code, which is deleted; -1 if that fails. */
static int open_code(const char *dir)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/code-XXXXXX", dir);
	fd = mkstemp(path);
	if (fd < 0 || write(fd, code, sizeof(code)) != sizeof(code))
		return -1;
	unlink(path);
	return fd;
}

/* Map a new file with the code, delete it, and run the code. */
static int run_file(const char *dir)
{
	int fd = open_code(dir);
	void *page;

	if (fd < 0)
		return 1;
	page = mmap(NULL, CODE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		return 1;
	run_code(page);
	munmap(page, CODE_SIZE);
	return 0;
}

static int do_many(char **args)
{
	int err = 0;

	for (long n = atol(args[1]); n > 0 && !err; n--)
		err = run_file(args[0]);
	return err;
}

static int do_swap(char **args)
{
	int files[] = { open_code(args[0]), open_code(args[0]) };
	void *page = NULL;

	for (long n = atol(args[1]), i = 0; i < 2 * n; i++) {
		/* The kernel finds the names after the first events. */
		if (i == 2)
			usleep(100000);
		page = mmap(page, CODE_SIZE, PROT_READ | PROT_EXEC,
			    MAP_PRIVATE | (page ? MAP_FIXED : 0), files[i % 2], 0);
		if (page == MAP_FAILED)
			return 1;
		run_code(page);
	}
	return 0;
}

static void *churn(void *times)
{
	for (long i = *(long *)times; i > 0 && !run_file("/tmp"); i--)
		;
	return NULL;
}

static int do_churn(char **args)
{
	long times = atol(args[0]), n = atol(args[1]), i;
	pthread_t threads[64];

	for (i = 0; i < n && i < 64; i++) {
		if (pthread_create(&threads[i], NULL, churn, &times))
			return 1;
	}
	while (i--)
		pthread_join(threads[i], NULL);
	return 0;
}
#else
/* This program has no code for the machine. */
static int do_jit(char **args)
{
	return 4;
}

#define do_many do_jit
#define do_swap do_jit
#define do_churn do_jit
#endif

static int do_command(char **args);

static int do_wait(char **args)
{
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		return 1;
	return do_command(args);
}

static const struct {
	const char *name;
	int nargs;
	int (*fn)(char **args);
} commands[] = {
	{ "tell", 0, do_tell },
	{ "chain", 1, do_chain },
	{ "wait", 1, do_wait },
	{ "burn", 1, do_burn },
	{ "jit", 0, do_jit },
	{ "many", 2, do_many },
	{ "swap", 2, do_swap },
	{ "churn", 2, do_churn },
	{ "vdso", 1, do_vdso },
};

/* args: up to NULL */
static int do_command(char **args)
{
	int n = 0;

	while (args[n])
		n++;
	for (size_t i = 0; n && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(args[0], commands[i].name) && n > commands[i].nargs)
			return commands[i].fn(args + 1);
	}
	fprintf(stderr, "frames: see the top of frames.c\n");
	return 2;
}

int main(int argc, char **argv)
{
	return do_command(argv + 1);
}
