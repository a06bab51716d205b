/* SPDX-License-Identifier: GPL-2.0 */
/* The files of ktap: their paths, and functions to write and read them. */
#ifndef _KTAPFS_H
#define _KTAPFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define DIR		"/sys/kernel/tracing/ktap/"
#define SESSION		DIR "session"

/* 0 or a negative error number. */
int write_line(int fd, const char *line);

/* Write to a file by its name. */
int write_text(const char *path, const char *text);

/*
 * Read until the end of the file, @enough bytes, or five seconds of silence.
 * Returns the number of bytes, or a negative error number: -ETIME for the silence.
 */
ssize_t read_text(int fd, char *buf, size_t size, size_t enough);

/* Read until the end, or until @buf is full. */
ssize_t read_all(int fd, char *buf, size_t size);

bool begins(const char *text, const char *with);

#ifdef __KSELFTEST_HARNESS_H
/*
 * Run the tests of this program, or skip all if they cannot run: the harness alone would
 * report success if each test was skipped.
 */
static inline int run_tests_of_files(int argc, char **argv)
{
	if (access(SESSION, F_OK))
		ksft_exit_skip("this kernel has no ktap\n");
	if (access(SESSION, W_OK))
		ksft_exit_skip("only root may run this\n");
	return test_harness_run(argc, argv);
}
#endif

#endif /* _KTAPFS_H */
