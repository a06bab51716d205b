// SPDX-License-Identifier: GPL-2.0
/*
 * Meters: what is measured, what is skipped and when it is too much, by a clock
 * that the tests move on; and what some instructions cost.
 */
#include <linux/time64.h>
#include <linux/trace_clock.h>

#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/overhead.h"

#define US	((u64)NSEC_PER_USEC)
#define MS	((u64)NSEC_PER_MSEC)
#define S	((u64)NSEC_PER_SEC)

/**
 * struct cpu - what happens on a CPU
 * @overhead: a session's
 * @now: time
 * @time: of the runs, as the overhead has it
 * @real: of the runs
 * @runs: that were not skipped
 * @measured: of these, wholly or in part
 * @skipped: events
 * @held_at: when the session was to end; 0: it was not
 */
struct cpu {
	struct ktap_overhead overhead;
	u64 now;
	u64 time;
	u64 real;
	unsigned long runs;
	unsigned long measured;
	unsigned long skipped;
	u64 held_at;
};

static struct cpu cpu_with(unsigned int limit)
{
	struct cpu cpu = { .now = 1000 * S };

	ktap_overhead_init(&cpu.overhead, limit);
	return cpu;
}

static void take_note(struct cpu *cpu, bool held)
{
	if (held && !cpu->held_at)
		cpu->held_at = cpu->now;
}

/* An event whose handler runs @slices slices of @slice ns, and ends after @rest ns. */
static void event(struct cpu *cpu, unsigned int slices, u64 slice, u64 rest)
{
	if (ktap_overhead_is_due(&cpu->overhead) &&
	    !ktap_overhead_start(&cpu->overhead, cpu->now)) {
		cpu->skipped++;
		return;
	}
	cpu->runs++;
	cpu->real += slices * slice + rest;
	for (; slices; slices--) {
		cpu->now += slice;
		take_note(cpu, ktap_overhead_slice(&cpu->overhead, cpu->now));
	}
	cpu->now += rest;
	if (!ktap_overhead_is_running(&cpu->overhead))
		return;
	cpu->measured++;
	take_note(cpu, ktap_overhead_finish(&cpu->overhead, cpu->now));
	cpu->time += cpu->overhead.run;
}

/* Short handlers and the time between them, until @end. */
static void events_until(struct cpu *cpu, u64 end, u64 run, u64 pause)
{
	while (cpu->now < end && !cpu->held_at) {
		event(cpu, 0, 0, run);
		cpu->now += pause;
	}
}

static void expect_about(struct kunit *test, u64 got, u64 expected)
{
	KUNIT_EXPECT_GE(test, got, expected - expected / 20);
	KUNIT_EXPECT_LE(test, got, expected + expected / 20);
}

static void sampled_runs_represent_all(struct kunit *test)
{
	struct cpu cpu = cpu_with(0);

	events_until(&cpu, cpu.now + S, 4 * US, 6 * US);
	KUNIT_EXPECT_EQ(test, cpu.runs, 100000);
	KUNIT_EXPECT_EQ(test, cpu.skipped, 0);
	KUNIT_EXPECT_LT(test, cpu.measured, 100000 / 14);
	KUNIT_EXPECT_GT(test, cpu.measured, 100000 / 17);
	/* Except those after the last measured run. */
	expect_about(test, cpu.time, 400 * MS);
}

static void fewer_of_fast_runs_are_sampled(struct kunit *test)
{
	struct cpu cpu = cpu_with(0);
	unsigned long measured;

	events_until(&cpu, cpu.now + S, 2 * US, 3 * US);
	KUNIT_EXPECT_EQ(test, cpu.runs, 200000);
	KUNIT_EXPECT_LT(test, cpu.measured, 200000 / 60);
	KUNIT_EXPECT_GT(test, cpu.measured, 200000 / 68);
	expect_about(test, cpu.time, 400 * MS);

	/* The next ones are slower. */
	measured = cpu.measured;
	events_until(&cpu, cpu.now + S, 4 * US, 96 * US);
	KUNIT_EXPECT_GT(test, cpu.measured - measured, 10000 / 18);
}

/* @n events, of which each one in @period takes longer */
static void expect_unbiased(struct kunit *test, unsigned int period, unsigned int n, u64 pause)
{
	struct cpu cpu = cpu_with(0);
	unsigned int i;

	for (i = 0; i < n; i++) {
		event(&cpu, 0, 0, i % period ? US : 5 * US);
		cpu.now += pause;
	}
	KUNIT_EXPECT_LT(test, cpu.measured, n / 14);
	expect_about(test, cpu.time, n * US + n / period * 4 * US);
}

/* Patterns as of entries and exits, with every period that an interval can have. */
static void patterns_of_events_do_not_bias_the_samples(struct kunit *test)
{
	static const unsigned int fast[] = { 2, 3, 4, 8, 16, 32, 47, 64, 95 };
	unsigned int i;

	for (i = 2; i < 32; i++)
		expect_unbiased(test, i, 50000, 10 * US);
	for (i = 0; i < ARRAY_SIZE(fast); i++)
		expect_unbiased(test, fast[i], 200000, US);
}

static void long_runs_are_all_measured(struct kunit *test)
{
	struct cpu cpu = cpu_with(0);

	events_until(&cpu, cpu.now + S, 20 * US, 20 * US);
	KUNIT_EXPECT_EQ(test, cpu.measured, cpu.runs);
	KUNIT_EXPECT_EQ(test, cpu.time, 500 * MS);
}

static void a_rare_looping_run_is_measured(struct kunit *test)
{
	struct cpu cpu = cpu_with(0);
	int i;

	for (i = 0; i < 1000000; i++) {
		event(&cpu, i % 1000 ? 0 : 50, 100 * US, US);
		cpu.now += US;
	}
	/* Except their first slices: any run may be the sample. */
	KUNIT_EXPECT_GE(test, cpu.time, 1000 * 49 * 100 * US + 900 * MS);
	KUNIT_EXPECT_LE(test, cpu.time, 1000 * 51 * 100 * US + 1100 * MS);
	KUNIT_EXPECT_LT(test, cpu.measured, 1000000 / 14 + 1000);
}

static void an_overhead_limit_is_kept(struct kunit *test)
{
	static const unsigned int limits[] = { 1, 2, 5, 10, 33, 50, 90, 99 };
	struct cpu cpu;
	u64 begin;
	int i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		cpu = cpu_with(limits[i]);
		begin = cpu.now;
		while (cpu.now < begin + S) {
			event(&cpu, 0, 0, 14 * US);
			/* The more runs are skipped, the longer the test takes. */
			cpu.now += cpu.overhead.over ? 2 * US : US / 50;
		}
		KUNIT_EXPECT_EQ(test, cpu.measured, cpu.runs);
		KUNIT_EXPECT_EQ(test, cpu.time, cpu.runs * 14 * US);
		KUNIT_EXPECT_NE(test, cpu.skipped, 0);
		KUNIT_EXPECT_EQ(test, cpu.held_at, 0);
		/* The last window may have used its share, and started one more run. */
		KUNIT_EXPECT_LE(test, cpu.time,
				(S + 10 * MS) * limits[i] / 100 + 14 * US);
		KUNIT_EXPECT_GE(test, cpu.time, S * limits[i] / 100 * 95 / 100);
	}
}

static void far_below_the_limit_runs_are_sampled(struct kunit *test)
{
	struct cpu cpu = cpu_with(50);
	unsigned long runs, measured;

	/* All of the first window are measured. */
	events_until(&cpu, cpu.now + 11 * MS, US, 9 * US);
	KUNIT_EXPECT_GE(test, cpu.measured, 1000);
	runs = cpu.runs;
	measured = cpu.measured;
	events_until(&cpu, cpu.now + S, US, 9 * US);
	KUNIT_EXPECT_EQ(test, cpu.skipped, 0);
	KUNIT_EXPECT_LT(test, cpu.measured - measured, (cpu.runs - runs) / 14);
	expect_about(test, cpu.time, cpu.real);

	/* At 30 of 50 percent, all are measured from the next window on. */
	events_until(&cpu, cpu.now + 20 * MS, 3 * US, 7 * US);
	runs = cpu.runs;
	measured = cpu.measured;
	events_until(&cpu, cpu.now + S, 3 * US, 7 * US);
	KUNIT_EXPECT_EQ(test, cpu.skipped, 0);
	KUNIT_EXPECT_EQ(test, cpu.measured - measured, cpu.runs - runs);
}

/* A run that takes longer than others, or contains an interrupt, may be the sample. */
static void a_rare_long_run_makes_no_other_be_skipped(struct kunit *test)
{
	struct cpu cpu = cpu_with(1);
	int i;

	for (i = 0; i < 1000000; i++) {
		event(&cpu, 0, 0, i % 1000 ? 20 : 20 * US);
		cpu.now += 10 * US;
	}
	KUNIT_EXPECT_EQ(test, cpu.skipped, 0);
	KUNIT_EXPECT_LT(test, cpu.measured, cpu.runs / 5);
}

/* Only the first window after a quiet time may be exceeded, by runs that were not measured. */
static void a_limit_is_kept_after_a_quiet_time(struct kunit *test)
{
	static const unsigned int limits[] = { 1, 5, 20, 90 };
	struct cpu cpu;
	u64 begin;
	int i, period;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		for (period = 1; period < 8; period++) {
			int n = 0;

			cpu = cpu_with(limits[i]);
			events_until(&cpu, cpu.now + S, 50, 100 * US);
			KUNIT_EXPECT_EQ(test, cpu.skipped, 0);
			begin = cpu.now;
			cpu.real = 0;
			/* One of several short runs takes longer. */
			while (cpu.now < begin + S) {
				event(&cpu, 0, 0, n++ % period ? 500 : 9 * US);
				cpu.now += cpu.overhead.over ? 2 * US : US / 50;
			}
			KUNIT_EXPECT_NE(test, cpu.skipped, 0);
			KUNIT_EXPECT_LE(test, cpu.real,
					(S + 20 * MS) * limits[i] / 100 + 24 * 9 * US);
		}
	}
}

/* Bursts, whose first runs are not measured, with pauses that make their windows quiet ones. */
static void bursts_exceed_a_limit_by_little(struct kunit *test)
{
	static const unsigned int limits[] = { 1, 2, 5, 10 };
	struct cpu cpu;
	u64 begin, end;
	int i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		cpu = cpu_with(limits[i]);
		events_until(&cpu, cpu.now + S, 50, 100 * US);
		begin = cpu.now;
		cpu.real = 0;
		while (cpu.now < begin + S) {
			end = cpu.now + 9 * MS;
			while (cpu.now < end) {
				event(&cpu, 0, 0, 9 * US);
				cpu.now += cpu.overhead.over ? 2 * US : US / 50;
			}
			events_until(&cpu, cpu.now + 11 * MS, 50, 100 * US);
		}
		KUNIT_EXPECT_NE(test, cpu.skipped, 0);
		KUNIT_EXPECT_LE(test, cpu.real, (S + 20 * MS) * limits[i] / 100 + 24 * 9 * US);
	}
}

static void below_the_limit_nothing_is_skipped(struct kunit *test)
{
	struct cpu cpu = cpu_with(50);

	events_until(&cpu, cpu.now + 5 * S, 4 * US, 5 * US);
	KUNIT_EXPECT_EQ(test, cpu.skipped, 0);
	/* A burst that is shorter than a window, too. */
	cpu.now += S;
	events_until(&cpu, cpu.now + 4 * MS, 4 * US, 0);
	KUNIT_EXPECT_EQ(test, cpu.skipped, 0);
}

/* A run that took a whole second. */
static void overuse_is_carried_to_the_next_window(struct kunit *test)
{
	struct cpu cpu = cpu_with(1);
	u64 end;

	event(&cpu, 0, 0, US);
	end = cpu.now + S;
	event(&cpu, 9, MS, MS);
	KUNIT_EXPECT_EQ(test, cpu.runs, 2);
	events_until(&cpu, end - 20 * MS, US, 100 * US);
	KUNIT_EXPECT_EQ(test, cpu.runs, 2);
	events_until(&cpu, end + 20 * MS, US, 100 * US);
	KUNIT_EXPECT_GT(test, cpu.runs, 2);
}

static void holding_a_cpu_for_three_seconds_ends_the_session(struct kunit *test)
{
	struct cpu cpu;
	u64 begin;
	int i;

	/* Long and short handlers, at 95 percent each. */
	for (i = 0; i < 2; i++) {
		cpu = cpu_with(0);
		begin = cpu.now;
		events_until(&cpu, begin + 10 * S, i ? 1900 * US : 1900, i ? 100 * US : 100);
		KUNIT_EXPECT_GE(test, cpu.held_at, begin + 3 * S);
		KUNIT_EXPECT_LE(test, cpu.held_at, begin + 3500 * MS);
	}

	/* One handler that does not end. */
	cpu = cpu_with(0);
	begin = cpu.now;
	event(&cpu, 40000, 100 * US, 0);
	KUNIT_EXPECT_GE(test, cpu.held_at, begin + 3 * S);
	KUNIT_EXPECT_LE(test, cpu.held_at, begin + 3500 * MS);

	/* Short runs between looping ones make no difference. */
	cpu = cpu_with(0);
	begin = cpu.now;
	for (i = 0; i < 1000000 && !cpu.held_at; i++) {
		event(&cpu, i % 50 ? 0 : 10, 100 * US, US);
		cpu.now += US;
	}
	KUNIT_EXPECT_GE(test, cpu.held_at, begin + 3 * S);
	KUNIT_EXPECT_LE(test, cpu.held_at, begin + 3500 * MS);

	/* Nor do the pauses of 100 ms between timer interrupts that take long. */
	cpu = cpu_with(0);
	begin = cpu.now;
	for (i = 0; i < 10 && !cpu.held_at; i++) {
		event(&cpu, 15000, 100 * US, 0);
		cpu.now += 100 * MS;
	}
	KUNIT_EXPECT_GE(test, cpu.held_at, begin + 3 * S);
	KUNIT_EXPECT_LE(test, cpu.held_at, begin + 3500 * MS);
}

static void using_less_than_90_percent_does_not_end_it(struct kunit *test)
{
	struct cpu cpu = cpu_with(0);
	int i;

	events_until(&cpu, cpu.now + 10 * S, 8500, 1500);
	KUNIT_EXPECT_EQ(test, cpu.held_at, 0);

	/* With a pause of a fifth of a second in between. */
	cpu = cpu_with(0);
	for (i = 0; i < 10; i++) {
		events_until(&cpu, cpu.now + 2700 * MS, 9500, 500);
		cpu.now += 200 * MS;
	}
	KUNIT_EXPECT_EQ(test, cpu.held_at, 0);

	/* With the pauses between timer interrupts that take less long. */
	cpu = cpu_with(0);
	for (i = 0; i < 30; i++) {
		event(&cpu, 8000, 100 * US, 0);
		cpu.now += 100 * MS;
	}
	KUNIT_EXPECT_EQ(test, cpu.held_at, 0);
}

static void a_session_with_a_limit_is_not_ended(struct kunit *test)
{
	struct cpu cpu = cpu_with(99);

	events_until(&cpu, cpu.now + 5 * S, 9990, 10);
	KUNIT_EXPECT_EQ(test, cpu.held_at, 0);

	/* The maximum limit, 100%, skips nothing and ends nothing. */
	cpu = cpu_with(KTAP_MAX_OVERHEAD_LIMIT);
	events_until(&cpu, cpu.now + 5 * S, 9990, 10);
	KUNIT_EXPECT_EQ(test, cpu.held_at, 0);
	KUNIT_EXPECT_EQ(test, cpu.skipped, 0);
	KUNIT_EXPECT_LT(test, cpu.measured, cpu.runs / 14);
}

/* The host takes the CPU away for much longer than it lets it run. */
static void stolen_time_is_not_counted(struct kunit *test)
{
	struct cpu cpu = cpu_with(0);
	u64 begin = cpu.now;
	int i;

	for (i = 0; i < 100; i++) {
		events_until(&cpu, cpu.now + 100 * MS, 20 * US, 20 * US);
		/* always in a handler */
		event(&cpu, 0, 0, 300 * MS);
	}
	KUNIT_EXPECT_EQ(test, cpu.held_at, 0);
	KUNIT_EXPECT_GE(test, cpu.time, 100 * 50 * MS);
	KUNIT_EXPECT_LE(test, cpu.time, 100 * 61 * MS);
	KUNIT_EXPECT_GE(test, cpu.now, begin + 40 * S);

	/* A limit does not count it, either. */
	cpu = cpu_with(50);
	for (i = 0; i < 100; i++) {
		events_until(&cpu, cpu.now + 100 * MS, 20 * US, 60 * US);
		event(&cpu, 0, 0, 300 * MS);
	}
	KUNIT_EXPECT_LT(test, cpu.skipped, cpu.runs / 10);
}

static void a_jumping_clock_does_no_harm(struct kunit *test)
{
	struct cpu cpu = cpu_with(0);
	unsigned long runs;
	int i;

	for (i = 0; i < 100; i++) {
		events_until(&cpu, cpu.now + 95 * MS, 9800, 200);
		cpu.now += i % 2 ? S : -S;
	}
	KUNIT_EXPECT_EQ(test, cpu.held_at, 0);

	cpu = cpu_with(1);
	events_until(&cpu, cpu.now + MS, US, US);
	KUNIT_EXPECT_NE(test, cpu.skipped, 0);
	runs = cpu.runs;
	cpu.now -= 500 * S;
	events_until(&cpu, cpu.now + MS, US, US);
	KUNIT_EXPECT_GT(test, cpu.runs, runs);
}

/* Runs of the virtual machine */

static struct ktap_vm *looping_vm(struct kunit *test, struct ktap_overhead *overhead)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -1);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	vm->overhead = overhead;
	return vm;
}

static void slices_do_not_change_the_budget(struct kunit *test)
{
	struct ktap_overhead overhead;
	struct ktap_vm *vm = looping_vm(test, &overhead);

	ktap_overhead_init(&overhead, 0);
	vm->env->max_insns = 10000;
	KUNIT_EXPECT_EQ(test, -ETIME, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_STREQ(test, vm->message, "the handler used up its budget: max_insns is 10000");
	KUNIT_EXPECT_EQ(test, vm->budget, 1);
	KUNIT_EXPECT_EQ(test, vm->rest, 0);
	/* It was not sampled, but it took long. */
	KUNIT_EXPECT_TRUE(test, ktap_overhead_is_running(&overhead));

	ktap_overhead_init(&overhead, 0);
	vm->env->max_insns = 100;
	KUNIT_EXPECT_EQ(test, -ETIME, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_EQ(test, vm->budget, 1);
	KUNIT_EXPECT_FALSE(test, ktap_overhead_is_running(&overhead));
}

static void a_run_ends_when_handlers_hold_the_cpu_too_long(struct kunit *test)
{
	struct ktap_overhead overhead;
	struct ktap_vm *vm = looping_vm(test, &overhead);

	ktap_overhead_init(&overhead, 0);
	/* The last of many windows that the session used completely ends. */
	overhead.since = trace_clock_local() - S;
	overhead.used = 3600 * S;
	overhead.held = 3 * S - 1;
	overhead.held_used = overhead.held;
	KUNIT_EXPECT_EQ(test, -ETIME, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_NOT_NULL(test, strstr(vm->message, "the handlers held more than 90% of CPU "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(vm->message, "--max-overhead PCT"));
	KUNIT_EXPECT_GT(test, vm->budget + vm->rest, vm->env->max_insns / 2);
	KUNIT_EXPECT_PTR_EQ(test, vm->fault.func, &vm->env->prog->funcs[0]);
}

/* Charges of instructions */

#define REPEATED	100

/* Units of @n instructions, REPEATED times; R[0] is a table, R[1] and R[2] have @len bytes. */
static u64 cost_of(struct kunit *test, const struct ktap_code *code, int n, size_t len)
{
	struct test_chunk *c = test_large_chunk(test, 1000);
	char *bytes = kunit_kzalloc(test, len, GFP_KERNEL);
	struct ktap_vm *vm;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	test_string_of(c, bytes, len);
	test_string_of(c, bytes, len);
	test_global(c, "g");
	test_func(c, "main", 0, 8);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_STR, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_STR, 2, 0, 0, 1);
	for (i = 0; i < REPEATED * n; i++)
		c->insns[test_insn(c, 0, 0, 0, 0, 0)] = code[i % n];
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
	return vm->env->max_insns - vm->budget;
}

#define INSN(o, x, y, z, n)	{ KTAP_OP_##o, x, y, z, n }

/* Instructions that compare, hash or copy them have no loop that would be charged. */
static void instructions_on_long_values_cost_more(struct kunit *test)
{
	static const struct {
		int n, paid_for;
		struct ktap_code code[3];
	} cases[] = {
		{ 1, 1, { INSN(EQ, 3, 1, 2, 0) } },
		{ 1, 1, { INSN(LT, 3, 1, 2, 0) } },
		{ 1, 1, { INSN(JEQ, 1, 2, 0, 0) } },
		{ 1, 1, { INSN(JNLE, 1, 2, 0, 0) } },
		{ 1, 1, { INSN(SETG, 1, 0, 0, 0) } },
		{ 2, 2, { INSN(SETG, 1, 0, 0, 0), INSN(GETG, 3, 0, 0, 0) } },
		{ 1, 1, { INSN(SETSELF, 1, 0, 0, 0) } },
		{ 2, 2, { INSN(SETSELF, 1, 0, 0, 0), INSN(GETSELF, 3, 0, 0, 0) } },
		{ 1, 1, { INSN(TSETI, 0, 0, 1, 5) } },
		{ 2, 2, { INSN(TSETI, 0, 0, 1, 5), INSN(TGETI, 3, 0, 0, 5) } },
		{ 1, 1, { INSN(TGETS, 3, 0, 0, 1) } },
		{ 3, 1, { INSN(MOV, 4, 0, 0, 0), INSN(MOV, 5, 1, 0, 0),
			  INSN(CALLB, 4, 2, 0, KTAP_FN_COUNT) } },
	};
	u64 bytes, paid;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bytes = 4000 / 64 * REPEATED * cases[i].paid_for;
		paid = cost_of(test, cases[i].code, cases[i].n, 4000);
		KUNIT_EXPECT_TRUE_MSG(test, paid >= bytes && paid < bytes * 3 / 2,
				      "case %d: %llu", i, paid);
		/* For short strings, only the instructions are charged. */
		paid = cost_of(test, cases[i].code, cases[i].n, 40);
		KUNIT_EXPECT_TRUE_MSG(test, paid < REPEATED * 5 / 2, "case %d: %llu", i, paid);
	}
}

/* Units of an instruction on @n registers that hold @v. */
static u64 cost_of_parts(struct kunit *test, u8 op, u8 n, struct ktap_code v)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	int i;

	test_string(c, "");
	test_func(c, "main", 0, 250);
	for (i = 0; i < n; i++) {
		v.a = i;
		c->insns[test_insn(c, 0, 0, 0, 0, 0)] = v;
	}
	test_insn(c, op, 249, 0, n, 0);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
	return vm->env->max_insns - vm->budget;
}

static void many_parts_cost_more(struct kunit *test)
{
	const struct ktap_code empty = INSN(STR, 0, 0, 0, 0), number = INSN(INT, 0, 0, 0, 123);
	/* the instructions of the function */
	const u32 straight = (240 + 16) / 32;

	KUNIT_EXPECT_EQ(test, cost_of_parts(test, KTAP_OP_CONCAT, 240, empty), straight + 240 / 16);
	KUNIT_EXPECT_EQ(test, cost_of_parts(test, KTAP_OP_CONCAT, 240, number),
			straight + 240 / 16 + 2 * 240 + 720 / 64);
	KUNIT_EXPECT_EQ(test, cost_of_parts(test, KTAP_OP_TUPLE, 240, number), straight + 240 / 8);
	KUNIT_EXPECT_EQ(test, cost_of_parts(test, KTAP_OP_CONCAT, 3, number), 2 * 3);
	KUNIT_EXPECT_EQ(test, cost_of_parts(test, KTAP_OP_TUPLE, 3, number), 0);
}

/* Units of a handler that is this instruction 160 times, and nothing else. */
static u64 cost_of_handler(struct kunit *test, struct ktap_code code)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	int i;

	test_func(c, "main", 0, 250);
	for (i = 0; i < 160; i++)
		c->insns[test_insn(c, 0, 0, 0, 0, 0)] = code;
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
	return vm->env->max_insns - vm->budget;
}

static void code_without_loops_is_charged(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, cost_of_handler(test, (struct ktap_code)INSN(INT, 0, 0, 0, 1)), 5);
	KUNIT_EXPECT_EQ(test, cost_of_handler(test, (struct ktap_code)INSN(NIL, 0, 7, 0, 0)), 5);
	KUNIT_EXPECT_EQ(test, cost_of_handler(test, (struct ktap_code)INSN(NIL, 0, 248, 0, 0)),
			160);
}

static void a_handler_larger_than_its_budget_does_not_start(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	int i;

	test_func(c, "main", 0, 250);
	for (i = 0; i < 160; i++)
		test_insn(c, KTAP_OP_NIL, 0, 248, 0, 0);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	vm->env->max_insns = 160;
	KUNIT_EXPECT_EQ(test, -ETIME, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_STREQ(test, vm->message, "the handler used up its budget: max_insns is 160");
	KUNIT_EXPECT_PTR_EQ(test, vm->fault.func, &vm->env->prog->funcs[0]);
	vm->env->max_insns = 161;
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(sampled_runs_represent_all),
	KUNIT_CASE(fewer_of_fast_runs_are_sampled),
	KUNIT_CASE(patterns_of_events_do_not_bias_the_samples),
	KUNIT_CASE(long_runs_are_all_measured),
	KUNIT_CASE(a_rare_looping_run_is_measured),
	KUNIT_CASE(an_overhead_limit_is_kept),
	KUNIT_CASE(far_below_the_limit_runs_are_sampled),
	KUNIT_CASE(a_rare_long_run_makes_no_other_be_skipped),
	KUNIT_CASE(a_limit_is_kept_after_a_quiet_time),
	KUNIT_CASE(bursts_exceed_a_limit_by_little),
	KUNIT_CASE(below_the_limit_nothing_is_skipped),
	KUNIT_CASE(overuse_is_carried_to_the_next_window),
	KUNIT_CASE(holding_a_cpu_for_three_seconds_ends_the_session),
	KUNIT_CASE(using_less_than_90_percent_does_not_end_it),
	KUNIT_CASE(a_session_with_a_limit_is_not_ended),
	KUNIT_CASE(stolen_time_is_not_counted),
	KUNIT_CASE(a_jumping_clock_does_no_harm),
	KUNIT_CASE(slices_do_not_change_the_budget),
	KUNIT_CASE(a_run_ends_when_handlers_hold_the_cpu_too_long),
	KUNIT_CASE(instructions_on_long_values_cost_more),
	KUNIT_CASE(many_parts_cost_more),
	KUNIT_CASE(code_without_loops_is_charged),
	KUNIT_CASE(a_handler_larger_than_its_budget_does_not_start),
	{ }
};

static struct kunit_suite suite = {
	.name = "ktap_overhead",
	.test_cases = cases,
};

kunit_test_suite(suite);
