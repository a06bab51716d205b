// SPDX-License-Identifier: GPL-2.0
/*
 * References to modules that are being loaded.
 */
#include <linux/slab.h>

#include <kunit/test.h>

#include "host/module.h"

#ifdef CONFIG_MODULES

static struct module *module_in(struct kunit *test, enum module_state state)
{
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mod);
	mod->state = state;
#if defined(CONFIG_MODULE_UNLOAD) && defined(__KERNEL__)
	/* that of a module which nobody uses */
	atomic_set(&mod->refcnt, 1);
#endif
	return mod;
}

static int users(struct module *mod)
{
#ifndef __KERNEL__
	return mod->users;
#elif defined(CONFIG_MODULE_UNLOAD)
	return atomic_read(&mod->refcnt) - 1;
#else
	return 0;
#endif
}

/* If its init function fails, it is freed, whoever holds a reference. */
static void a_module_is_not_pinned_while_it_is_loaded(struct kunit *test)
{
	struct module *mod = module_in(test, MODULE_STATE_COMING);

	KUNIT_EXPECT_FALSE(test, ktap_module_get(mod));
	KUNIT_EXPECT_EQ(test, users(mod), 0);
}

static void a_whole_module_is_pinned(struct kunit *test)
{
	struct module *mod = module_in(test, MODULE_STATE_LIVE);

	KUNIT_EXPECT_TRUE(test, ktap_module_get(mod));
#if defined(CONFIG_MODULE_UNLOAD) || !defined(__KERNEL__)
	KUNIT_EXPECT_EQ(test, users(mod), 1);
#endif
	module_put(mod);
	KUNIT_EXPECT_EQ(test, users(mod), 0);
}

static struct kunit_case module_cases[] = {
	KUNIT_CASE(a_module_is_not_pinned_while_it_is_loaded),
	KUNIT_CASE(a_whole_module_is_pinned),
	{}
};

static struct kunit_suite module_suite = {
	.name = "ktap_module",
	.test_cases = module_cases,
};

kunit_test_suite(module_suite);

#endif
