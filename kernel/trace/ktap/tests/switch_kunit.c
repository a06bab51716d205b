// SPDX-License-Identifier: GPL-2.0
/*
 * Switched probes: their state, and when the session is asked to look at it.
 */
#include <linux/bitops.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/env.h"
#include "vm/switch.h"
#include "vm/vm.h"

/* Functions of the chunk: each calls one built-in function with its argument. */
enum { ON, OFF, DELETE, IS_ON, HANDLER };

/* Probes, and the numbers by which the script knows them */
enum { PLAIN, FIRST, SECOND };
#define NUMBER(probe)	((probe) + 1)

static unsigned int switch_reports;

static void switch_count(struct ktap_env *env)
{
	switch_reports++;
}

struct switch_fixture {
	struct kunit *test;
	struct ktap_vm *vm;
	struct ktap_env *env;
};

static struct switch_fixture with_probes(struct kunit *test, enum ktap_level level)
{
	static const u32 calls[] = { KTAP_FN_PROBE_ON, KTAP_FN_PROBE_OFF, KTAP_FN_PROBE_DELETE,
				     KTAP_FN_PROBE_IS_ON };
	struct switch_fixture f = { .test = test };
	struct test_chunk *c = test_chunk(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		test_func(c, "f", 1, 1);
		test_insn(c, KTAP_OP_CALLB, 0, 1, 0, calls[i]);
		test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	}
	test_func(c, "handler", 1, 1);
	TEST_RET(c);
	test_probe(c, "sched:sched_wakeup", KTAP_NONE, HANDLER);
	for (i = FIRST; i <= SECOND; i++) {
		test_probe(c, "sched:sched_switch", KTAP_NONE, HANDLER);
		c->probes[i].condition = cpu_to_le32(KTAP_PROBE_SWITCHED);
	}
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 1));
	TEST_RET(c);
	f.vm = test_vm(test, test_load(c), level);
	f.env = f.vm->env;
	f.env->condition_changed = switch_count;
	switch_reports = 0;
	return f;
}

static struct ktap_value run(struct switch_fixture *f, u32 func, u32 probe)
{
	struct ktap_value arg = KTAP_VALUE_INT(NUMBER(probe)), v = KTAP_VALUE_NIL;

	KUNIT_EXPECT_EQ(f->test, 0, ktap_vm_run(f->vm, func, &arg, 1, &v));
	return v;
}

/* Call one of the functions; expect that it gives the number of the probe. */
static void call(struct switch_fixture *f, u32 func, u32 probe)
{
	test_expect_int(f->test, NUMBER(probe), run(f, func, probe));
}

static void expect_state(struct switch_fixture *f, u32 probe, bool on, unsigned int reports)
{
	struct ktap_value v = run(f, IS_ON, probe);

	KUNIT_EXPECT_EQ(f->test, KTAP_BOOL, v.tag);
	KUNIT_EXPECT_EQ(f->test, on, v.i);
	KUNIT_EXPECT_EQ(f->test, on, ktap_switch_is_on(f->env, probe));
	KUNIT_EXPECT_EQ(f->test, reports, switch_reports);
}

static void a_definition_says_that_it_is_switched(struct kunit *test)
{
	struct switch_fixture f = with_probes(test, KTAP_LEVEL_PROCESS);
	const struct ktap_probe_def *defs = f.env->prog->probe_defs;

	KUNIT_EXPECT_FALSE(test, defs[PLAIN].switched);
	KUNIT_EXPECT_TRUE(test, defs[FIRST].switched);
	KUNIT_EXPECT_EQ(test, defs[FIRST].condition, KTAP_NONE);
}

static void a_change_is_reported_once(struct kunit *test)
{
	struct switch_fixture f = with_probes(test, KTAP_LEVEL_TASK);

	expect_state(&f, FIRST, false, 0);
	call(&f, OFF, FIRST);
	expect_state(&f, FIRST, false, 0);
	call(&f, ON, FIRST);
	call(&f, ON, FIRST);
	expect_state(&f, FIRST, true, 1);
	expect_state(&f, SECOND, false, 1);
	call(&f, OFF, FIRST);
	call(&f, OFF, FIRST);
	expect_state(&f, FIRST, false, 2);
}

static void a_switch_works_in_an_nmi(struct kunit *test)
{
	struct switch_fixture f = with_probes(test, KTAP_LEVEL_NMI);

	call(&f, ON, SECOND);
	expect_state(&f, SECOND, true, 1);
	call(&f, DELETE, SECOND);
	expect_state(&f, SECOND, false, 2);
}

static void a_deleted_probe_stays_off(struct kunit *test)
{
	struct switch_fixture f = with_probes(test, KTAP_LEVEL_PROCESS);
	struct ktap_value arg = KTAP_VALUE_INT(NUMBER(FIRST));

	call(&f, ON, FIRST);
	call(&f, DELETE, FIRST);
	call(&f, DELETE, FIRST);
	expect_state(&f, FIRST, false, 2);
	KUNIT_EXPECT_EQ(test, -ENOENT, ktap_vm_run(f.vm, ON, &arg, 1, NULL));
	KUNIT_EXPECT_STREQ(test, f.vm->message,
			   "on: the probe of 'sched:sched_switch' was deleted");
	/* as if another CPU had turned it on at the same time */
	test_and_set_bit(FIRST, f.env->switched_on);
	expect_state(&f, FIRST, false, 2);
	call(&f, OFF, FIRST);
	expect_state(&f, SECOND, false, 3);
}

static void only_a_switched_probe_can_be_switched(struct kunit *test)
{
	static const s64 none[] = { 0, NUMBER(PLAIN), NUMBER(SECOND) + 1, -1, (1LL << 32) + 2,
				    S64_MIN, S64_MAX };
	struct switch_fixture f = with_probes(test, KTAP_LEVEL_PROCESS);
	struct ktap_value arg;
	u32 func;
	int i;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		arg = KTAP_VALUE_INT(none[i]);
		for (func = ON; func <= IS_ON; func++)
			KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(f.vm, func, &arg, 1, NULL));
		KUNIT_EXPECT_NOT_NULL(test, strstr(f.vm->message, "is no probe of trace_on()"));
	}
	KUNIT_EXPECT_EQ(test, 0, switch_reports);
}

static struct kunit_case switch_cases[] = {
	KUNIT_CASE(a_definition_says_that_it_is_switched),
	KUNIT_CASE(a_change_is_reported_once),
	KUNIT_CASE(a_switch_works_in_an_nmi),
	KUNIT_CASE(a_deleted_probe_stays_off),
	KUNIT_CASE(only_a_switched_probe_can_be_switched),
	{}
};

static struct kunit_suite switch_suite = {
	.name = "ktap_switch",
	.test_cases = switch_cases,
};

kunit_test_suite(switch_suite);
