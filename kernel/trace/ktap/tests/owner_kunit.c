// SPDX-License-Identifier: GPL-2.0
/*
 * Credentials that belong to the opener of a session of own processes.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <kunit/test.h>

#include "owner.h"

/* Two users of the first namespace, without capabilities */
struct users {
	struct cred owner;
	struct cred task;
};

static struct users *users_make(struct kunit *test)
{
	struct users *u = kunit_kzalloc(test, sizeof(*u), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, u);
	u->owner.user_ns = &init_user_ns;
	u->owner.uid = KUIDT_INIT(1000);
	u->owner.euid = KUIDT_INIT(1000);
	u->owner.suid = KUIDT_INIT(1000);
	u->owner.gid = KGIDT_INIT(100);
	u->owner.egid = KGIDT_INIT(100);
	u->owner.sgid = KGIDT_INIT(100);
	u->task = u->owner;
	return u;
}

static void the_same_credentials_belong(struct kunit *test)
{
	struct users *u = users_make(test);

	KUNIT_EXPECT_TRUE(test, ktap_owner_is(&u->owner, &u->task));
}

static void each_id_must_be_the_real_one_of_the_owner(struct kunit *test)
{
	struct users *u = users_make(test);
	kuid_t *uids[] = { &u->task.uid, &u->task.euid, &u->task.suid };
	kgid_t *gids[] = { &u->task.gid, &u->task.egid, &u->task.sgid };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(uids); i++) {
		*uids[i] = KUIDT_INIT(0);
		KUNIT_EXPECT_FALSE(test, ktap_owner_is(&u->owner, &u->task));
		*uids[i] = u->owner.uid;
		*gids[i] = KGIDT_INIT(0);
		KUNIT_EXPECT_FALSE(test, ktap_owner_is(&u->owner, &u->task));
		*gids[i] = u->owner.gid;
	}
	/* An opener with the effective id of another user does not get that one's processes. */
	u->owner.euid = KUIDT_INIT(0);
	u->owner.suid = KUIDT_INIT(0);
	KUNIT_EXPECT_TRUE(test, ktap_owner_is(&u->owner, &u->task));
	u->task.uid = KUIDT_INIT(0);
	u->task.euid = KUIDT_INIT(0);
	u->task.suid = KUIDT_INIT(0);
	KUNIT_EXPECT_FALSE(test, ktap_owner_is(&u->owner, &u->task));
}

static void no_capability_may_be_added(struct kunit *test)
{
	struct users *u = users_make(test);

	cap_raise(u->owner.cap_permitted, CAP_NET_RAW);
	KUNIT_EXPECT_TRUE(test, ktap_owner_is(&u->owner, &u->task));
	cap_raise(u->task.cap_permitted, CAP_NET_RAW);
	KUNIT_EXPECT_TRUE(test, ktap_owner_is(&u->owner, &u->task));
	cap_raise(u->task.cap_permitted, CAP_SETUID);
	KUNIT_EXPECT_FALSE(test, ktap_owner_is(&u->owner, &u->task));
	/* An effective one does not count: it is dropped and raised at will. */
	cap_raise(u->owner.cap_effective, CAP_SETUID);
	KUNIT_EXPECT_FALSE(test, ktap_owner_is(&u->owner, &u->task));
}

/* Capabilities there are those of another root. */
static void the_namespace_must_be_the_same(struct kunit *test)
{
	struct users *u = users_make(test);

	u->task.user_ns = kunit_kzalloc(test, sizeof(*u->task.user_ns), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, u->task.user_ns);
	KUNIT_EXPECT_FALSE(test, ktap_owner_is(&u->owner, &u->task));
}

/* The thread of the test has the same credentials, but no memory of a program. */
static void kernel_threads_belong_to_nobody(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, current->flags & PF_KTHREAD);
	KUNIT_EXPECT_TRUE(test, ktap_owner_is(current_real_cred(), current_real_cred()));
	KUNIT_EXPECT_FALSE(test, ktap_owner_has(current_real_cred(), current));
}

static struct kunit_case owner_cases[] = {
	KUNIT_CASE(the_same_credentials_belong),
	KUNIT_CASE(each_id_must_be_the_real_one_of_the_owner),
	KUNIT_CASE(no_capability_may_be_added),
	KUNIT_CASE(the_namespace_must_be_the_same),
	KUNIT_CASE(kernel_threads_belong_to_nobody),
	{}
};

static struct kunit_suite owner_suite = {
	.name = "ktap_owner",
	.test_cases = owner_cases,
};

kunit_test_suite(owner_suite);
