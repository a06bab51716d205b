/* SPDX-License-Identifier: GPL-2.0 */
/* Where the files of ktap are. */
#ifndef _KTAPFS_H
#define _KTAPFS_H

#define DIR		"/sys/kernel/tracing/ktap/"
#define SESSION		DIR "session"

#ifdef __KSELFTEST_HARNESS_H
/*
 * Runs the tests of this program, or skips them all where they cannot run: the harness
 * by itself says that all is well when each test was skipped.
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
