// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that see only their user's own processes: which ones these are.
 */
#include <kunit/test.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "own.h"

/* Return the credentials of a user without capabilities. */
static struct cred *own_user(struct kunit *test)
{
	kuid_t uid = KUIDT_INIT(1000);
	kgid_t gid = KGIDT_INIT(100);
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cred->uid = uid;
	cred->euid = uid;
	cred->suid = uid;
	cred->fsuid = uid;
	cred->gid = gid;
	cred->egid = gid;
	cred->sgid = gid;
	cred->fsgid = gid;
	cap_clear(cred->cap_permitted);
	cap_clear(cred->cap_effective);
	return cred;
}

/* Change one credential at a time. */
static void each_credential_counts(struct kunit *test)
{
	struct cred *owner = own_user(test), *cred = own_user(test);
	kuid_t *uids[] = { &cred->uid, &cred->euid, &cred->suid };
	kgid_t *gids[] = { &cred->gid, &cred->egid, &cred->sgid };
	kuid_t uid = cred->uid;
	kgid_t gid = cred->gid;
	int i;

	KUNIT_EXPECT_TRUE(test, ktap_own_cred(owner, cred));
	for (i = 0; i < ARRAY_SIZE(uids); i++) {
		*uids[i] = GLOBAL_ROOT_UID;
		KUNIT_EXPECT_FALSE(test, ktap_own_cred(owner, cred));
		*uids[i] = uid;
	}
	for (i = 0; i < ARRAY_SIZE(gids); i++) {
		*gids[i] = GLOBAL_ROOT_GID;
		KUNIT_EXPECT_FALSE(test, ktap_own_cred(owner, cred));
		*gids[i] = gid;
	}
	KUNIT_EXPECT_TRUE(test, ktap_own_cred(owner, cred));
	abort_creds(cred);
	abort_creds(owner);
}

static void the_task_has_no_more_capabilities(struct kunit *test)
{
	struct cred *owner = own_user(test), *cred = own_user(test);

	cap_raise(cred->cap_permitted, CAP_NET_RAW);
	KUNIT_EXPECT_FALSE(test, ktap_own_cred(owner, cred));
	cap_raise(owner->cap_effective, CAP_NET_RAW);
	KUNIT_EXPECT_TRUE(test, ktap_own_cred(owner, cred));
	cap_clear(cred->cap_permitted);
	KUNIT_EXPECT_TRUE(test, ktap_own_cred(owner, cred));
	abort_creds(cred);
	abort_creds(owner);
}

static void the_namespace_of_users_is_the_same(struct kunit *test)
{
	struct cred *owner = own_user(test), *cred = own_user(test);
	struct user_namespace *ns = cred->user_ns;

	/* It is only compared. */
	cred->user_ns = (void *)test;
	KUNIT_EXPECT_FALSE(test, ktap_own_cred(owner, cred));
	cred->user_ns = ns;
	KUNIT_EXPECT_TRUE(test, ktap_own_cred(owner, cred));
	abort_creds(cred);
	abort_creds(owner);
}

/* The owner has all of their capabilities, too. */
static void threads_of_the_kernel_have_no_owner(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, current->flags & PF_KTHREAD);
	KUNIT_EXPECT_TRUE(test, ktap_own_cred(current_cred(), current_cred()));
	KUNIT_EXPECT_FALSE(test, ktap_own_task(current_cred(), current));
}

static struct kunit_case own_cases[] = {
	KUNIT_CASE(each_credential_counts),
	KUNIT_CASE(the_task_has_no_more_capabilities),
	KUNIT_CASE(the_namespace_of_users_is_the_same),
	KUNIT_CASE(threads_of_the_kernel_have_no_owner),
	{}
};

static struct kunit_suite own_suite = {
	.name = "ktap_own",
	.test_cases = own_cases,
};

kunit_test_suite(own_suite);
