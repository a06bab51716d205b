// SPDX-License-Identifier: GPL-2.0
/* The commands of workload.c that touch memory */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workload.h"

int do_brink(char **args)
{
	size_t page = sysconf(_SC_PAGESIZE), bytes = atol(args[0]);
	int fd = open("/dev/null", O_RDONLY);
	unsigned char there;
	char *p;

	p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || p == MAP_FAILED || bytes > page)
		return 1;
	memset(p, 'x', page);
	for (long n = atol(args[1]); n > 0; n--)
		syscall(SYS_read, fd, p + page - bytes, bytes);
	if (mincore(p + page, page, &there))
		return 1;
	printf("%d\n", there & 1);
	return 0;
}

/* At an unused address: tests recognize it by its upper half. */
#define UPPER_HALF(x)	((x) << (sizeof(long) * CHAR_BIT / 2))
#define FAULT_BASE	UPPER_HALF(0x2000UL)

int do_fault(char **args)
{
	long page = sysconf(_SC_PAGESIZE), n = atol(args[0]);
	char *p = mmap((void *)FAULT_BASE, n * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (p == MAP_FAILED)
		return 1;
	/* each page by a fault of its own; an error: this kernel has no huge pages */
	madvise(p, n * page, MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++)
		p[i * page] = 1;
	return 0;
}

int do_store(char **args)
{
	volatile long *p = mmap((void *)FAULT_BASE, sizeof(*p), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	long sum = 0;

	if (p == MAP_FAILED)
		return 1;
	for (long n = atol(args[0]); n > 0; n--) {
		*p = n;
		sum += *p;
	}
	return sum < 0;
}

int do_major(char **args)
{
	long page = sysconf(_SC_PAGESIZE), n = atol(args[1]), sum = 0;
	int fd = open(args[0], O_RDONLY);
	char *p;

	if (fd < 0 || fdatasync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		return 1;
	p = mmap(NULL, n * page, PROT_READ, MAP_SHARED, fd, 0);
	/* no page is read ahead */
	if (p == MAP_FAILED || madvise(p, n * page, MADV_RANDOM))
		return 1;
	for (long i = 0; i < n; i++)
		sum += *(volatile char *)&p[i * page];
	return sum < 0;
}

int do_map(char **args)
{
	size_t len = sysconf(_SC_PAGESIZE) * atol(args[0]);

	for (long n = atol(args[0]); n > 0; n--) {
		void *p = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED || munmap(p, len))
			return 1;
	}
	return 0;
}

/* An argv, and strings across the end of a page. */
struct cold {
	char *argv[4096 / sizeof(char *)];
	char before[4096 - 8 - 5];
	char word[8];
	char file[5 + 4096];
};

#define COLD_BASE	UPPER_HALF(0x3000UL)

/* A file with this layout, mapped at the addresses of its pointers. */
static struct cold *make_cold(const char *file)
{
	static struct cold image;
	struct cold *cold = (void *)COLD_BASE;
	FILE *f = tmpfile();

	image.argv[0] = cold->word;
	image.argv[1] = cold->file;
	strcpy(image.word, "cold");
	strncpy(image.file, file, sizeof(image.file) - 1);
	if (!f || fwrite(&image, sizeof(image), 1, f) != 1 || fflush(f))
		return NULL;
	cold = mmap(cold, sizeof(image), PROT_READ, MAP_PRIVATE | MAP_FIXED, fileno(f), 0);
	return cold == MAP_FAILED ? NULL : cold;
}

int do_cold(char **args)
{
	struct cold *cold = make_cold(args[1]);
	struct stat st __attribute__((unused));

	if (!cold)
		return 1;
	for (long n = atol(args[2]); n > 0; n--) {
		madvise(cold, sizeof(*cold), n % 2 ? MADV_PAGEOUT : MADV_COLD);
		if (madvise(cold, sizeof(*cold), MADV_DONTNEED))
			return 1;
		if (!strcmp(args[0], "exec"))
			syscall(SYS_execve, cold->file, cold->argv, NULL);
#ifdef SYS_stat
		else if (!strcmp(args[0], "stat"))
			syscall(SYS_stat, cold->file, &st);
#endif
		else
			syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, cold->file, O_RDONLY, 0));
	}
	return 0;
}
