// SPDX-License-Identifier: GPL-2.0
/*
 * Fork inside of a function.
 */

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t __attribute__((noinline)) f(void)
{
	return getpid();
}

static pid_t __attribute__((noinline)) g(void)
{
	return fork();
}

/* By pointers, so that the places of the probes are called. */
static pid_t (*volatile call_f)(void) = f;
static pid_t (*volatile call_g)(void) = g;

/* Where a function is in the file of this program, -1 if that is not known. */
static long file_offset(void *function)
{
	unsigned long addr = (unsigned long)function, start, end, offset;
	long result = -1;
	char line[512];
	FILE *maps;

	maps = fopen("/proc/self/maps", "r");
	if (!maps)
		return -1;

	while (result < 0 && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    addr >= start && addr < end)
			result = addr - start + offset;
	}
	fclose(maps);
	return result;
}

/*
 * Usage:
 *  uretprobe_fork -o	Print the offsets of f() and g()
 *  uretprobe_fork	Call f() and then g(), from which two processes
 *			return; print the pids of the parent and the child
 */
int main(int argc, char *argv[])
{
	int status;
	pid_t pid;

	if (argc == 2 && !strcmp(argv[1], "-o")) {
		long f_offset = file_offset(f), g_offset = file_offset(g);

		if (f_offset < 0 || g_offset < 0)
			return 1;
		printf("0x%lx 0x%lx\n", f_offset, g_offset);
		return 0;
	}
	if (argc != 1) {
		fprintf(stderr, "Usage: %s [-o]\n", argv[0]);
		return 1;
	}

	call_f();
	pid = call_g();
	if (pid < 0) {
		perror("fork");
		return 1;
	}
	if (pid == 0)
		return 0;

	if (waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "the child ended with status %x\n", status);
		return 1;
	}
	printf("%d %d\n", getpid(), pid);
	return 0;
}
