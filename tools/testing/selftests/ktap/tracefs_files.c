// SPDX-License-Identifier: GPL-2.0
/*
 * The files below ktap/ in tracefs: valid input, its size, and that a writer can be
 * killed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "ktapfs.h"

#define LINE	"memory 10485760\n"	/* PIECE is a multiple of it */

/* The kernel reads this much at once, see tracefs.c */
#define PIECE	65536
/* A mapping that repeats the same lines: 1 GiB of them */
#define WINDOW	(16 << 20)
#define WINDOWS	64

/* read_number: return the number in the file */
static unsigned long read_number(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return 0;
	close(fd);
	return strtoul(text, NULL, 10);
}

/* map_lines: map SIZE bytes of set-up lines, and as many unmapped bytes after them */
static char *map_lines(size_t size)
{
	const size_t len = strlen(LINE);
	char *p = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || munmap(p + size, size))
		return NULL;
	for (size_t i = 0; i < size; i++)
		p[i] = LINE[i % len];
	return p;
}

FIXTURE(limit)
{
	unsigned long before;
};

FIXTURE_VARIANT(limit)
{
	const char *path;
	const char *least, *most, *too_little, *too_much;
};

FIXTURE_VARIANT_ADD(limit, max_insns)
{
	.path = DIR "max_insns", .least = "1", .most = "100000000",
	.too_little = "0", .too_much = "100000001",
};

FIXTURE_VARIANT_ADD(limit, max_memory)
{
	.path = DIR "max_memory", .least = "1048576", .most = "1073741824",
	.too_little = "0", .too_much = "99999999999999999999999",
};

FIXTURE_SETUP(limit)
{
	self->before = read_number(variant->path);
	ASSERT_NE(0, self->before);
}

FIXTURE_TEARDOWN(limit)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", self->before);
	EXPECT_EQ(0, write_text(variant->path, text));
	EXPECT_EQ(self->before, read_number(variant->path));
}

TEST_F(limit, accepts_values_in_its_range)
{
	EXPECT_EQ(0, write_text(variant->path, variant->least));
	EXPECT_EQ(strtoul(variant->least, NULL, 10), read_number(variant->path));
	EXPECT_EQ(0, write_text(variant->path, variant->most));
	EXPECT_EQ(strtoul(variant->most, NULL, 10), read_number(variant->path));
}

TEST_F(limit, refuses_the_rest)
{
	static const char * const no_numbers[] = { "x", "1x", "-1" };
	int err;

	EXPECT_EQ(-EINVAL, write_text(variant->path, variant->too_little));
	err = write_text(variant->path, variant->too_much);
	EXPECT_TRUE(err == -EINVAL || err == -ERANGE);
	for (size_t i = 0; i < sizeof(no_numbers) / sizeof(*no_numbers); i++)
		EXPECT_EQ(-EINVAL, write_text(variant->path, no_numbers[i]));
	EXPECT_EQ(self->before, read_number(variant->path));
}

FIXTURE(writer)
{
	int fd;
};

FIXTURE_SETUP(writer)
{
	self->fd = open(SESSION, O_RDWR);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(writer)
{
	close(self->fd);
}

/*
 * A write that fails after some lines returns their size, so that they are not written
 * again.
 */
TEST_F(writer, gets_the_size_written_before_a_fault)
{
	char *lines = map_lines(2 * PIECE);

	ASSERT_TRUE(!!lines);
	EXPECT_EQ(2 * PIECE, write(self->fd, lines, 2 * PIECE + 1));
	/* and a later write continues there */
	EXPECT_EQ(-1, write(self->fd, lines + 2 * PIECE, 1));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(strlen(LINE), write(self->fd, lines, strlen(LINE)));
}

/* Endless lines: the kernel must check for signals between them. */
TEST_F_TIMEOUT(writer, can_be_killed, 60)
{
	int memory = memfd_create("lines", 0), status;
	const size_t len = strlen(LINE);
	pid_t pid;
	char *p;

	ASSERT_LE(0, memory);
	ASSERT_EQ(0, ftruncate(memory, WINDOW));
	p = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	ASSERT_TRUE(p != MAP_FAILED);
	for (size_t i = 0; i < WINDOW; i += len)
		memcpy(p + i, LINE, len);

	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		char *all = mmap(NULL, (size_t)WINDOWS * WINDOW, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (all == MAP_FAILED)
			_exit(1);
		for (int i = 0; i < WINDOWS; i++) {
			if (mmap(all + (size_t)i * WINDOW, WINDOW, PROT_READ,
				 MAP_SHARED | MAP_FIXED, memory, 0) == MAP_FAILED)
				_exit(1);
		}
		for (;;) {
			if (write(self->fd, all, (size_t)WINDOWS * WINDOW) < 0)
				_exit(2);
		}
	}
	usleep(300000);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	EXPECT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(others_can_do_no_more_than_the_group)
{
	static const struct {
		const char *path;
		mode_t mode;
	} files[] = {
		{ SESSION, 0600 },
		{ DIR "sessions", 0440 },
		{ DIR "features", 0440 },
		{ DIR "max_memory", 0640 },
		{ DIR "max_insns", 0640 },
	};
	struct stat st;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		ASSERT_EQ(0, stat(files[i].path, &st));
		EXPECT_EQ(files[i].mode, st.st_mode & 07777);
	}
}

int main(int argc, char **argv)
{
	return run_tests_of_files(argc, argv);
}
