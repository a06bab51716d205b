/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results of tests in scripts, as lines of the Test Anything Protocol.
 */
#ifndef _KTAP_TAP_H
#define _KTAP_TAP_H

#include <linux/types.h>

struct ktap_diag;
struct ktap_env;
struct ktap_text;
struct ktap_value;
struct ktap_vm;

/*
 * The first argument of a KTAP_REC_TAP is one of these.  Then follow: the name, or nil; of a
 * skipped test a reason, or nothing; of one that compared values those that are wrong, and
 * what test.is() expected.  A plan has its number, then a reason or nothing.
 */
enum ktap_tap_kind {
	KTAP_TAP_PLAN,
	KTAP_TAP_DIAG,
	KTAP_TAP_OK,
	KTAP_TAP_SKIP,
	KTAP_TAP_FAILED,
	KTAP_TAP_IS,
	KTAP_TAP_SAME,
};

/*
 * Write the lines of a record with these arguments; @pc is the instruction of the test.  The
 * number of a result is the next one of &ktap_env.tap.
 */
void ktap_tap_format(struct ktap_text *t, u32 pc, const struct ktap_value *args,
		     unsigned int nargs);
/* The reader has these lines: count the result. */
void ktap_tap_taken(struct ktap_env *env, const struct ktap_value *args, unsigned int nargs);

/**
 * ktap_tap_end() - Judge the tests of a session at its end
 * @vm: an activation of process context, idle; no handler runs any more
 * @code: exit code of the session
 * @diag: empty; set to the reason if results are missing
 *
 * If the script had no plan, this outputs the number of results.
 * Context: process, sleeps.
 * Return: @code, or if it is 0 and the script has tests: 1 if a test failed, or the number of
 * results is wrong; 4 if all tests were skipped, as in kselftest.
 */
int ktap_tap_end(struct ktap_vm *vm, int code, struct ktap_diag *diag);

#endif /* _KTAP_TAP_H */
