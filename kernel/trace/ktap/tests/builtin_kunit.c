// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions: strings, conversions, and new tables.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/env.h"

#define EVENT	KTAP_LEVEL_TASK
#define PROCESS	KTAP_LEVEL_PROCESS

#define I(x)	{ .i = (x), .tag = KTAP_INT }
#define S(x)	{ .blob = (x), .tag = KTAP_STR, .len = sizeof(x) - 1 }
#define B(x)	{ .i = (x), .tag = KTAP_BOOL }
#define NIL	{ .tag = KTAP_NIL }

#define MAX_ARGS	3

struct builtin_case {
	u32 id;
	unsigned int n;
	struct ktap_value args[MAX_ARGS];
	struct ktap_value want;
};

static void load(struct test_chunk *c, u8 reg, const struct ktap_value *v)
{
	switch (v->tag) {
	case KTAP_STR:
		test_insn(c, KTAP_OP_STR, reg, 0, 0, test_string_of(c, v->blob, v->len));
		break;
	case KTAP_INT:
		test_insn(c, KTAP_OP_INTK, reg, 0, 0, test_int(c, v->i));
		break;
	case KTAP_BOOL:
		test_insn(c, KTAP_OP_BOOL, reg, v->i, 0, 0);
		break;
	default:
		test_insn(c, KTAP_OP_NIL, reg, reg, 0, 0);
	}
}

/* Load the arguments separately, so that the verifier does not refuse their types. */
static struct test_chunk *calls_builtin(struct kunit *test, u32 id, unsigned int n,
					const struct ktap_value *args)
{
	struct test_chunk *c = test_chunk(test);
	unsigned int i;

	test_func(c, "main", 0, MAX_ARGS);
	test_insn(c, KTAP_OP_CALL, 0, 0, n, 1);
	test_insn(c, KTAP_OP_CALLB, 0, n, 0, id);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "args", 0, MAX_ARGS);
	for (i = 0; i < n; i++)
		load(c, i, &args[i]);
	test_insn(c, KTAP_OP_RET, 0, n, 0, 0);
	return c;
}

static void expect_value(struct kunit *test, struct ktap_value v, const struct ktap_value *want,
			 int i)
{
	KUNIT_EXPECT_EQ_MSG(test, v.tag, want->tag, "case %d", i);
	if (v.tag != want->tag)
		return;
	if (v.tag != KTAP_STR) {
		KUNIT_EXPECT_EQ_MSG(test, v.i, want->i, "case %d", i);
		return;
	}
	KUNIT_EXPECT_EQ_MSG(test, v.len, want->len, "case %d", i);
	KUNIT_EXPECT_TRUE_MSG(test, v.len == want->len && !memcmp(v.blob, want->blob, v.len),
			      "case %d: %.*s, not %.*s", i, (int)v.len, (const char *)v.blob,
			      (int)want->len, (const char *)want->blob);
}

static void check_case(struct kunit *test, const struct builtin_case *b, int i)
{
	struct test_chunk *c = calls_builtin(test, b->id, b->n, b->args);
	struct ktap_vm *vm = test_vm(test, test_load(c), EVENT);
	struct ktap_value v;
	int err;

	err = ktap_vm_run(vm, 0, NULL, 0, &v);
	KUNIT_EXPECT_EQ_MSG(test, 0, err, "case %d: %s", i, vm->message);
	if (!err)
		expect_value(test, v, &b->want, i);
}

static void check_cases(struct kunit *test, const struct builtin_case *cases, int n)
{
	int i;

	for (i = 0; i < n; i++)
		check_case(test, &cases[i], i);
}

static void expect_refused(struct kunit *test, u32 id, struct ktap_value x, struct ktap_value y,
			   struct ktap_value z, const char *message)
{
	const struct ktap_value args[MAX_ARGS] = { x, y, z };
	struct test_chunk *c;
	struct ktap_vm *vm;
	unsigned int n = min_t(u32, ktap_builtins[id].max, MAX_ARGS);

	while (n > 1 && args[n - 1].tag == KTAP_NIL)
		n--;
	c = calls_builtin(test, id, n, args);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_STREQ(test, vm->message, message);
}

static struct ktap_value str(const char *s)
{
	return KTAP_VALUE_STR(s, strlen(s));
}

static void substr_is_limited_to_the_string(struct kunit *test)
{
	static const struct builtin_case cases[] = {
		{ KTAP_FN_SUBSTR, 2, { S("ktap"), I(0) }, S("ktap") },
		{ KTAP_FN_SUBSTR, 2, { S("ktap"), I(1) }, S("tap") },
		{ KTAP_FN_SUBSTR, 2, { S("ktap"), I(4) }, S("") },
		{ KTAP_FN_SUBSTR, 2, { S("ktap"), I(5) }, S("") },
		{ KTAP_FN_SUBSTR, 2, { S("ktap"), I(S64_MAX) }, S("") },
		{ KTAP_FN_SUBSTR, 2, { S("ktap"), I(-1) }, S("p") },
		{ KTAP_FN_SUBSTR, 2, { S("ktap"), I(-4) }, S("ktap") },
		{ KTAP_FN_SUBSTR, 2, { S("ktap"), I(-9) }, S("ktap") },
		{ KTAP_FN_SUBSTR, 2, { S("ktap"), I(S64_MIN) }, S("ktap") },
		{ KTAP_FN_SUBSTR, 2, { S(""), I(0) }, S("") },
		{ KTAP_FN_SUBSTR, 3, { S("ktap"), I(1), I(2) }, S("ta") },
		{ KTAP_FN_SUBSTR, 3, { S("ktap"), I(1), I(0) }, S("") },
		{ KTAP_FN_SUBSTR, 3, { S("ktap"), I(1), I(3) }, S("tap") },
		{ KTAP_FN_SUBSTR, 3, { S("ktap"), I(1), I(4) }, S("tap") },
		{ KTAP_FN_SUBSTR, 3, { S("ktap"), I(1), I(S64_MAX) }, S("tap") },
		{ KTAP_FN_SUBSTR, 3, { S("ktap"), I(S64_MAX), I(S64_MAX) }, S("") },
		{ KTAP_FN_SUBSTR, 3, { S("ktap"), I(-2), I(1) }, S("a") },
		/* It begins two in front. */
		{ KTAP_FN_SUBSTR, 3, { S("ktap"), I(-6), I(3) }, S("k") },
		{ KTAP_FN_SUBSTR, 3, { S("ktap"), I(-6), I(2) }, S("") },
		{ KTAP_FN_SUBSTR, 3, { S("ktap"), I(S64_MIN), I(S64_MAX) }, S("kta") },
		{ KTAP_FN_SUBSTR, 3, { S("a\0b"), I(1), I(2) }, S("\0b") },
	};

	check_cases(test, cases, ARRAY_SIZE(cases));
	expect_refused(test, KTAP_FN_SUBSTR, str("ktap"), KTAP_VALUE_INT(0), KTAP_VALUE_INT(-1),
		       "substr: a part of -1 bytes");
}

static void strings_are_searched_and_compared(struct kunit *test)
{
	static const struct builtin_case cases[] = {
		{ KTAP_FN_STRSTR, 2, { S("banana"), S("an") }, S("anana") },
		{ KTAP_FN_STRSTR, 2, { S("banana"), S("ana") }, S("anana") },
		{ KTAP_FN_STRSTR, 2, { S("banana"), S("nab") }, NIL },
		{ KTAP_FN_STRSTR, 2, { S("banana"), S("banana") }, S("banana") },
		{ KTAP_FN_STRSTR, 2, { S("banana"), S("bananas") }, NIL },
		{ KTAP_FN_STRSTR, 2, { S("banana"), S("na") }, S("nana") },
		{ KTAP_FN_STRSTR, 2, { S("banana"), S("") }, S("banana") },
		{ KTAP_FN_STRSTR, 2, { S(""), S("") }, S("") },
		{ KTAP_FN_STRSTR, 2, { S(""), S("a") }, NIL },
		{ KTAP_FN_STRSTR, 2, { S("aaab"), S("ab") }, S("ab") },
		{ KTAP_FN_STRSTR, 2, { S("a\0b"), S("\0") }, S("\0b") },
		{ KTAP_FN_STRCMP, 2, { S("a"), S("b") }, I(-1) },
		{ KTAP_FN_STRCMP, 2, { S("b"), S("a") }, I(1) },
		{ KTAP_FN_STRCMP, 2, { S("a"), S("a") }, I(0) },
		{ KTAP_FN_STRCMP, 2, { S("a"), S("ab") }, I(-1) },
		{ KTAP_FN_STRCMP, 2, { S("\xff"), S("a") }, I(1) },
		{ KTAP_FN_STRLEN, 1, { S("") }, I(0) },
		{ KTAP_FN_STRLEN, 1, { S("a\0b") }, I(3) },
	};

	check_cases(test, cases, ARRAY_SIZE(cases));
}

static void case_is_changed_in_ascii_only(struct kunit *test)
{
	static const struct builtin_case cases[] = {
		{ KTAP_FN_TOUPPER, 1, { S("azAZ`{@[\xe4 09") }, S("AZAZ`{@[\xe4 09") },
		{ KTAP_FN_TOLOWER, 1, { S("azAZ`{@[\xc4 09") }, S("azaz`{@[\xc4 09") },
		{ KTAP_FN_TOLOWER, 1, { S("") }, S("") },
	};

	check_cases(test, cases, ARRAY_SIZE(cases));
}

static void numbers_are_read_as_the_compiler_does(struct kunit *test)
{
	static const struct builtin_case cases[] = {
		{ KTAP_FN_TONUMBER, 1, { I(S64_MIN) }, I(S64_MIN) },
		{ KTAP_FN_TONUMBER, 1, { B(1) }, NIL },
		{ KTAP_FN_TONUMBER, 1, { NIL }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("0") }, I(0) },
		{ KTAP_FN_TONUMBER, 1, { S("17") }, I(17) },
		{ KTAP_FN_TONUMBER, 1, { S(" \t-17\n") }, I(-17) },
		{ KTAP_FN_TONUMBER, 1, { S("+1_000_000") }, I(1000000) },
		{ KTAP_FN_TONUMBER, 1, { S("0x1F") }, I(31) },
		{ KTAP_FN_TONUMBER, 1, { S("0X1f_ff") }, I(0x1fff) },
		{ KTAP_FN_TONUMBER, 1, { S("-0x10") }, I(-16) },
		{ KTAP_FN_TONUMBER, 1, { S("0b101") }, I(5) },
		{ KTAP_FN_TONUMBER, 1, { S("017") }, I(15) },
		{ KTAP_FN_TONUMBER, 1, { S("9223372036854775807") }, I(S64_MAX) },
		{ KTAP_FN_TONUMBER, 1, { S("-9223372036854775808") }, I(S64_MIN) },
		{ KTAP_FN_TONUMBER, 1, { S("9223372036854775808") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("-9223372036854775809") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("18446744073709551616") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("0xffffffffffffffff") }, I(-1) },
		{ KTAP_FN_TONUMBER, 1, { S("0x10000000000000000") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("01777777777777777777777") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S(" ") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("-") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("- 1") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("--1") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("0x") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("0b") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("0b2") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("08") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("_1") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("0x_1") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("1 2") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("1ms") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("1.5") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("5\0") }, NIL },
		{ KTAP_FN_TONUMBER, 1, { S("five") }, NIL },
	};

	check_cases(test, cases, ARRAY_SIZE(cases));
}

static void addresses_are_shown(struct kunit *test)
{
	static const u8 loopback[] = { 127, 0, 0, 1 };
	static const struct builtin_case cases[] = {
		{ KTAP_FN_NTOP, 1, { S("\x7f\0\0\x01") }, S("127.0.0.1") },
		{ KTAP_FN_NTOP, 2, { I(2), S("\xff\xff\xff\xff") }, S("255.255.255.255") },
		{ KTAP_FN_NTOP, 1, { I(0) }, S("0.0.0.0") },
		{ KTAP_FN_NTOP, 2, { I(2), I(-1) }, S("255.255.255.255") },
		{ KTAP_FN_NTOP, 1, { S("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01") }, S("::1") },
		{ KTAP_FN_NTOP, 2, { I(10), S("\x20\x01\x0d\xb8\0\0\0\0\0\x01\0\0\0\0\0\x01") },
		  S("2001:db8::1:0:0:1") },
		{ KTAP_FN_MACADDR, 1, { S("\x01\x02\xab\xcd\xef\xff") }, S("01:02:ab:cd:ef:ff") },
		{ KTAP_FN_STRINGOF, 1, { NIL }, NIL },
	};
	struct builtin_case integer = {
		KTAP_FN_NTOP, 1, { I(0) }, S("127.0.0.1"),
	};
	u32 u;

	check_cases(test, cases, ARRAY_SIZE(cases));
	memcpy(&u, loopback, sizeof(u));
	integer.args[0].i = u;
	check_case(test, &integer, 0);

	expect_refused(test, KTAP_FN_NTOP, str("12345"), KTAP_VALUE_NIL, KTAP_VALUE_NIL,
		       "ntop: an address is an integer of 32 bits, or a string of 4 or 16 bytes");
	expect_refused(test, KTAP_FN_NTOP, KTAP_VALUE_INT(1LL << 32), KTAP_VALUE_NIL,
		       KTAP_VALUE_NIL,
		       "ntop: an address is an integer of 32 bits, or a string of 4 or 16 bytes");
	expect_refused(test, KTAP_FN_NTOP, KTAP_VALUE_INT(10), str("1234"), KTAP_VALUE_NIL,
		       "ntop: an address of 4 bytes is not of that family");
	expect_refused(test, KTAP_FN_NTOP, KTAP_VALUE_INT(2), str("0123456789abcdef"),
		       KTAP_VALUE_NIL, "ntop: an address of 16 bytes is not of that family");
	expect_refused(test, KTAP_FN_MACADDR, str("12345"), KTAP_VALUE_NIL, KTAP_VALUE_NIL,
		       "macaddr: a string of 5 bytes, not of 6");
}

/* The value of nsecs() at which the wall clock is @secs and a half. */
static s64 monotonic(s64 secs)
{
	return secs * NSEC_PER_SEC + NSEC_PER_SEC / 2 - ktime_mono_to_real(0);
}

static void times_are_shown(struct kunit *test)
{
	static const struct {
		s64 secs;
		const char *format;
		struct ktap_value want;
	} times[] = {
		/* 2023-11-14, a Tuesday; 2024 has a February 29; before 1970 too */
		{ 1700000000, "%Y-%m-%d %H:%M:%S", S("2023-11-14 22:13:20") },
		{ 1700000000, "%F %T %s %%", S("2023-11-14 22:13:20 1700000000 %") },
		{ 1700000000, "%a %A %b %B", S("Tue Tuesday Nov November") },
		{ 1700000000, "%j %y %Z %z", S("318 23 UTC +0000") },
		{ 1709164800, "%F %e %j", S("2024-02-29 29 060") },
		{ 0, "%F %T [%e] %a", S("1970-01-01 00:00:00 [ 1] Thu") },
		{ -1, "%F %T %s", S("1969-12-31 23:59:59 -1") },
		{ 1700000000, "", S("") },
		{ 1700000000, "no directive", S("no directive") },
	};
	struct builtin_case b = { KTAP_FN_STRFTIME, 2, { }, { } };
	struct ktap_value v;
	struct ktap_vm *vm;
	int i;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		b.args[0] = str(times[i].format);
		b.args[1] = KTAP_VALUE_INT(monotonic(times[i].secs));
		b.want = times[i].want;
		check_case(test, &b, i);
	}
	b.args[0] = str("%f %N");
	vm = test_vm(test, test_load(calls_builtin(test, b.id, 2, b.args)), EVENT);
	vm->env->wall_offset = 123456789 - b.args[1].i;
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
	expect_value(test, v, &(struct ktap_value)S("123456 123456789"), 0);
	/* Without an argument, format the current time. */
	b.args[0] = str("%Y");
	vm = test_vm(test, test_load(calls_builtin(test, b.id, 1, b.args)), EVENT);
	vm->env->wall_offset = -ktime_get_mono_fast_ns();
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
	expect_value(test, v, &(struct ktap_value)S("1970"), 0);

	expect_refused(test, KTAP_FN_STRFTIME, str("%Q"), KTAP_VALUE_NIL, KTAP_VALUE_NIL,
		       "strftime: there is no directive %Q");
	expect_refused(test, KTAP_FN_STRFTIME, str("%Y %"), KTAP_VALUE_NIL, KTAP_VALUE_NIL,
		       "strftime: there is no directive %");

	b.args[0] = str("%Y");
	b.args[1] = KTAP_VALUE_INT(S64_MAX);
	vm = test_vm(test, test_load(calls_builtin(test, b.id, 2, b.args)), EVENT);
	vm->env->wall_offset = 0;
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
	expect_value(test, v, &(struct ktap_value)S("2262"), 0);
	vm->env->wall_offset = 1;
	KUNIT_EXPECT_EQ(test, -ERANGE, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_STREQ(test, vm->message,
			   "strftime: there is no time 9223372036854775807");
}

static void local_time_is_ahead_of_utc(struct kunit *test)
{
	struct ktap_value v;
	struct ktap_vm *vm = test_vm(test, test_load(calls_builtin(test, KTAP_FN_UTC_OFFSET, 0,
								   NULL)), EVENT);

	vm->env->utc_offset = -3600LL * NSEC_PER_SEC;
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
	expect_value(test, v, &KTAP_VALUE_INT(-3600LL * NSEC_PER_SEC), 0);
}

static void format_returns_what_printf_prints(struct kunit *test)
{
	static const struct builtin_case cases[] = {
		{ KTAP_FN_FORMAT, 1, { S("") }, S("") },
		{ KTAP_FN_FORMAT, 1, { S("100%%") }, S("100%") },
		{ KTAP_FN_FORMAT, 3, { S("%5d|%-5s|"), I(-17), S("ab") }, S("  -17|ab   |") },
		{ KTAP_FN_FORMAT, 3, { S("%08x %s"), I(255), NIL }, S("000000ff nil") },
		{ KTAP_FN_FORMAT, 3, { S("%c%.2s"), I('k'), S("tap") }, S("kta") },
	};

	check_cases(test, cases, ARRAY_SIZE(cases));
	expect_refused(test, KTAP_FN_FORMAT, str("%d"), str("a"), KTAP_VALUE_NIL,
		       "format: %d (argument 2) takes an integer, got a string");
}

/* main() returns format("%s", @v) for a value that cannot be a constant. */
static struct test_chunk *formats_parameter(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "f", 1, 3);
	test_insn(c, KTAP_OP_STR, 1, 0, 0, test_string(c, "%s"));
	test_insn(c, KTAP_OP_MOV, 2, 0, 0, 0);
	test_insn(c, KTAP_OP_CALLB, 1, 2, 0, KTAP_FN_FORMAT);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	test_func(c, "main", 0, 1);
	TEST_RET(c);
	c->header.main = cpu_to_le32(1);
	return c;
}

static void format_of_symbols_and_tables_needs_process_context(struct kunit *test)
{
	u64 frame = 0x10;
	struct ktap_value stack = { .blob = &frame, .tag = KTAP_USTACK, .len = sizeof(frame) };
	struct ktap_program *prog = test_load(formats_parameter(test));
	struct test_chunk *c = test_chunk(test);
	struct ktap_value v;
	struct ktap_vm *vm;

	vm = test_vm(test, prog, EVENT);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, &stack, 1, NULL));
	KUNIT_EXPECT_STREQ(test, vm->message,
			   "format of a stack works in trace_begin, trace_end, tick and at the top level");
	vm = test_vm(test, prog, PROCESS);
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, &stack, 1, &v));
	expect_value(test, v, &(struct ktap_value)S("        0x10"), 0);

	/* A table, with each entry on its own line. */
	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, test_string(c, "[%s]"));
	test_insn(c, KTAP_OP_NEWT, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 5);
	test_insn(c, KTAP_OP_TSETI, 1, 0, 2, 1);
	test_insn(c, KTAP_OP_TSETI, 1, 0, 2, 2);
	test_insn(c, KTAP_OP_CALLB, 0, 2, 0, KTAP_FN_FORMAT);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	vm = test_vm(test, test_load(c), PROCESS);
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
	expect_value(test, v, &(struct ktap_value)S("[1: 5\n2: 5]"), 0);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_STREQ(test, vm->message,
			   "format of a table works in trace_begin, trace_end, tick and at the top level");
}

static void long_formatted_strings_are_cut_and_counted(struct kunit *test)
{
	const struct ktap_value args[] = { S("%512d%512d"), I(1), I(2) };
	struct test_chunk *c = test_chunk(test);
	struct ktap_value v;
	struct ktap_vm *vm;
	int i;

	/* 8 * 512 bytes fit, one more does not. */
	test_func(c, "main", 0, 10);
	test_insn(c, KTAP_OP_STR, 0, 0, 0,
		  test_string(c, "%512d%512d%512d%512d%512d%512d%512d%512d"));
	for (i = 1; i < 9; i++)
		test_insn(c, KTAP_OP_INT, i, 0, 0, i);
	test_insn(c, KTAP_OP_CALLB, 0, 9, 0, KTAP_FN_FORMAT);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
	KUNIT_EXPECT_EQ(test, v.len, KTAP_MAX_STRLEN);
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&vm->env->counters.cut_strings));
	c->insns[0].d = test_string(c, "%512d%512d%512d%512d%512d%512d%512d%512d.");
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
	KUNIT_EXPECT_EQ(test, v.len, KTAP_MAX_STRLEN);
	KUNIT_EXPECT_EQ(test, 1, atomic_long_read(&vm->env->counters.cut_strings));
	/* Unused space is returned. */
	vm = test_vm(test, test_load(calls_builtin(test, KTAP_FN_FORMAT, 3, args)), EVENT);
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
	KUNIT_EXPECT_EQ(test, v.len, 1024);
	KUNIT_EXPECT_LT(test, vm->arena.used, 1024 + 64);
}

static void unknown_registers_are_refused(struct kunit *test)
{
	expect_refused(test, KTAP_FN_REG, str("nope"), KTAP_VALUE_NIL, KTAP_VALUE_NIL,
		       "this machine has no register 'nope'");
	expect_refused(test, KTAP_FN_REG, str(""), KTAP_VALUE_NIL, KTAP_VALUE_NIL,
		       "this machine has no register ''");
	expect_refused(test, KTAP_FN_REG, str("a name of more than thirty-two bytes"),
		       KTAP_VALUE_NIL, KTAP_VALUE_NIL,
		       "this machine has no register 'a name of more than thirty-two b'");
}

static void error_reports_its_argument(struct kunit *test)
{
	expect_refused(test, KTAP_FN_ERROR, str("no such thing"), KTAP_VALUE_NIL, KTAP_VALUE_NIL,
		       "no such thing");
	expect_refused(test, KTAP_FN_ERROR, KTAP_VALUE_INT(-5), KTAP_VALUE_NIL, KTAP_VALUE_NIL,
		       "-5");
	expect_refused(test, KTAP_FN_ERROR, KTAP_VALUE_BOOL(true), KTAP_VALUE_NIL,
		       KTAP_VALUE_NIL, "true");
	expect_refused(test, KTAP_FN_ERROR, KTAP_VALUE_NIL, KTAP_VALUE_NIL, KTAP_VALUE_NIL, "nil");
	expect_refused(test, KTAP_FN_ERROR, str("%s %n"), KTAP_VALUE_NIL, KTAP_VALUE_NIL,
		       "%s %n");
}

/* The text of the event as the argument of each function that takes a string. */
static int event_text(struct ktap_vm *vm, struct ktap_value *v)
{
	return ktap_make_string(vm, "0xab\n", 5, v);
}

static const struct ktap_event_ops event_ops = { .text = event_text };
static const struct ktap_event event = { .ops = &event_ops };

static void the_text_of_an_event_is_a_string_argument(struct kunit *test)
{
	static const struct {
		u32 id;
		unsigned int n;
		struct ktap_value more[2];
		struct ktap_value want;
	} cases[] = {
		{ KTAP_FN_STRLEN, 1, { }, I(4) },
		{ KTAP_FN_SUBSTR, 2, { I(1) }, S("xab") },
		{ KTAP_FN_STRSTR, 2, { S("a") }, S("ab") },
		{ KTAP_FN_STRCMP, 2, { S("0xab") }, I(0) },
		{ KTAP_FN_GLOB, 2, { S("0*b") }, B(true) },
		{ KTAP_FN_TOUPPER, 1, { }, S("0XAB") },
		{ KTAP_FN_TOLOWER, 1, { }, S("0xab") },
		{ KTAP_FN_TONUMBER, 1, { }, I(0xab) },
		{ KTAP_FN_NTOP, 1, { }, S("48.120.97.98") },
		{ KTAP_FN_STRFTIME, 1, { }, S("0xab") },
		{ KTAP_FN_FORMAT, 1, { }, S("0xab") },
	};
	struct ktap_program *prog;
	struct test_chunk *c;
	struct ktap_value v;
	struct ktap_vm *vm;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c = test_chunk(test);
		test_func(c, "main", 0, 3);
		test_insn(c, KTAP_OP_CALLB, 0, 0, 0, KTAP_FN_ARGSTR);
		for (j = 1; j < cases[i].n; j++)
			load(c, j, &cases[i].more[j - 1]);
		test_insn(c, KTAP_OP_CALLB, 0, cases[i].n, 0, cases[i].id);
		test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
		prog = test_load(c);
		vm = test_vm(test, prog, EVENT);
		vm->event = &event;
		KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
		expect_value(test, v, &cases[i].want, i);
	}
	/* format(event) gives the text as well: the verifier requests it in time. */
	prog = test_load(formats_parameter(test));
	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_EXPECT_TRUE(test, prog->uses & KTAP_USES_ARGSTR);
	vm = test_vm(test, prog, EVENT);
	vm->event = &event;
	v = (struct ktap_value){ .blob = &event, .tag = KTAP_EVENT };
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, &v, 1, &v));
	expect_value(test, v, &(struct ktap_value)S("0xab"), 0);
}

static int no_text(struct ktap_vm *vm, struct ktap_value *v)
{
	*v = KTAP_VALUE_NIL;
	return 0;
}

/* It would run another command, such as `rm -r /tmp/`. */
static void system_fails_if_the_event_has_no_text(struct kunit *test)
{
	static const struct ktap_event_ops ops = { .text = no_text };
	static const struct ktap_event silent = { .ops = &ops };
	const struct ktap_value arg = { .blob = &silent, .tag = KTAP_EVENT };
	struct test_chunk *c = formats_parameter(test);
	struct ktap_vm *vm;
	int round;

	c->insns[2].d = KTAP_FN_SYSTEM;
	for (round = 0; round < 2; round++) {
		vm = test_vm(test, test_load(c), EVENT);
		vm->event = &silent;
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, ktap_vm_run(vm, 0, &arg, 1, NULL));
		KUNIT_EXPECT_STREQ(test, vm->message,
				   "system: the event has no text here, as in NMI");
		/* The same with argstr. */
		c->insns[1] = (struct ktap_code){ .op = KTAP_OP_CALLB, .a = 2,
						  .d = KTAP_FN_ARGSTR };
	}
}

/* Each operation on a long string costs more than on a short one. */
static void long_strings_cost_more(struct kunit *test)
{
	static const struct {
		u32 id;
		unsigned int n;
		struct ktap_value more;
	} cases[] = {
		{ KTAP_FN_SUBSTR, 2, I(0) },
		{ KTAP_FN_STRSTR, 2, S("b") },
		{ KTAP_FN_TOUPPER, 1, NIL },
		{ KTAP_FN_TOLOWER, 1, NIL },
		{ KTAP_FN_TONUMBER, 1, NIL },
		{ KTAP_FN_STRFTIME, 1, NIL },
		{ KTAP_FN_FORMAT, 1, NIL },
	};
	struct ktap_value args[2];
	struct ktap_vm *vm;
	char *text;
	int i;

	text = kunit_kzalloc(test, 4000, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, '1', 4000);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		args[0] = KTAP_VALUE_STR(text, 4000);
		args[1] = cases[i].more;
		vm = test_vm(test, test_load(calls_builtin(test, cases[i].id, cases[i].n, args)),
			     EVENT);
		KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
		KUNIT_EXPECT_TRUE_MSG(test, vm->env->max_insns - vm->budget >= 4000 / 64,
				      "case %d", i);
	}
	/* A search that may match at each byte costs still more. */
	text[1999] = '2';
	args[0] = KTAP_VALUE_STR(text + 2000, 2000);
	args[1] = KTAP_VALUE_STR(text + 1000, 1000);
	vm = test_vm(test, test_load(calls_builtin(test, KTAP_FN_STRSTR, 2, args)), EVENT);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_GE(test, vm->env->max_insns - vm->budget, 1000 * (1000 / 64));
}

static void strings_match_patterns(struct kunit *test)
{
	static const struct builtin_case cases[] = {
		{ KTAP_FN_GLOB, 2, { S("/etc/passwd"), S("/etc/*") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("/etc"), S("/etc/*") }, B(false) },
		{ KTAP_FN_GLOB, 2, { S("/etc/"), S("/etc/*") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("/etc/passwd"), S("/etc/") }, B(false) },
		{ KTAP_FN_GLOB, 2, { S("a.b.c.conf"), S("*.conf") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("a.conf.c"), S("*.conf") }, B(false) },
		{ KTAP_FN_GLOB, 2, { S("aXbXXc"), S("a*b*c") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("abab"), S("*ab") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("aab"), S("*ab?") }, B(false) },
		{ KTAP_FN_GLOB, 2, { S("abc"), S("a?c") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("ac"), S("a?c") }, B(false) },
		{ KTAP_FN_GLOB, 2, { S(""), S("") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S(""), S("**") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S(""), S("?") }, B(false) },
		{ KTAP_FN_GLOB, 2, { S("a"), S("") }, B(false) },
		{ KTAP_FN_GLOB, 2, { S("sda1"), S("sd[a-c][0-9]") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("sdd1"), S("sd[a-c][0-9]") }, B(false) },
		{ KTAP_FN_GLOB, 2, { S("sdd1"), S("sd[!a-c]1") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("]"), S("[]]") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("-"), S("[a-]") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("!"), S("[!]]") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("[ab"), S("[ab") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("a"), S("[ab") }, B(false) },
		{ KTAP_FN_GLOB, 2, { S("[!"), S("*[!") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("[a-"), S("[a-") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("a*b"), S("a\\*b") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("axb"), S("a\\*b") }, B(false) },
		{ KTAP_FN_GLOB, 2, { S("a\\"), S("a\\") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("\xff"), S("[\x80-\xff]") }, B(true) },
		/* A NUL is an ordinary byte. */
		{ KTAP_FN_GLOB, 2, { S("a\0b"), S("a?b") }, B(true) },
		{ KTAP_FN_GLOB, 2, { S("a\0b"), S("a") }, B(false) },
		{ KTAP_FN_GLOB, 2, { S("a"), S("a\0b") }, B(false) },
		{ KTAP_FN_GLOB, 2, { S("xa\0b"), S("*\0b") }, B(true) },
		{ KTAP_FN_GLOB, 2, { NIL, S("*") }, B(false) },
	};

	check_cases(test, cases, ARRAY_SIZE(cases));
}

/* Each byte of the string is compared with the whole pattern. */
static void patterns_are_charged_by_comparisons(struct kunit *test)
{
	/* the latter: classes without an end */
	static const char fills[] = { 'a', '[' };
	struct ktap_value args[2];
	struct ktap_vm *vm;
	char *text, *pattern;
	int i;

	text = kunit_kzalloc(test, 2000, GFP_KERNEL);
	pattern = kunit_kzalloc(test, 1000, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_NOT_NULL(test, pattern);
	for (i = 0; i < ARRAY_SIZE(fills); i++) {
		memset(text, fills[i], 2000);
		memset(pattern, fills[i], 999);
		pattern[0] = '*';
		pattern[999] = 'b';
		args[0] = KTAP_VALUE_STR(text, 2000);
		args[1] = KTAP_VALUE_STR(pattern, 1000);
		vm = test_vm(test, test_load(calls_builtin(test, KTAP_FN_GLOB, 2, args)), EVENT);
		KUNIT_EXPECT_EQ(test, -ETIME, ktap_vm_run(vm, 0, NULL, 0, NULL));
		/* A shorter string costs less than the budget. */
		args[0].len = 20;
		args[1].len = 10;
		vm = test_vm(test, test_load(calls_builtin(test, KTAP_FN_GLOB, 2, args)), EVENT);
		KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
		KUNIT_EXPECT_LT(test, vm->env->max_insns - vm->budget, 100 + 20 * 10);
		KUNIT_EXPECT_GT(test, vm->env->max_insns - vm->budget, 10);
	}
}

static void a_new_table_has_the_requested_size(struct kunit *test)
{
	static const struct {
		unsigned int n;
		struct ktap_value args[2];
		u32 max;
	} cases[] = {
		{ 1, { I(3) }, 3 },
		{ 2, { I(1), I(2) }, 3 },
		{ 2, { I(0), I(2) }, 2 },
	};
	struct test_chunk *c;
	struct ktap_value v;
	struct ktap_vm *vm;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c = test_chunk(test);
		test_func(c, "main", 0, 3);
		load(c, 0, &cases[i].args[0]);
		load(c, 1, &cases[i].args[1]);
		test_insn(c, KTAP_OP_CALLB, 0, cases[i].n, 0, KTAP_FN_TABLE_NEW);
		/* One entry more than its maximum. */
		test_insn(c, KTAP_OP_INT, 1, 0, 0, cases[i].max);
		test_insn(c, KTAP_OP_TSET, 0, 1, 1, 0);
		test_insn(c, KTAP_OP_SUBI, 1, 1, 0, 1);
		test_insn(c, KTAP_OP_JGEI, 1, 0, 0, -3);
		test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_LEN);
		test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
		vm = test_vm(test, test_load(c), EVENT);
		KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
		KUNIT_EXPECT_EQ(test, v.i, cases[i].max);
		KUNIT_EXPECT_EQ(test, 1, atomic_long_read(&vm->env->counters.full_table));
	}
	expect_refused(test, KTAP_FN_TABLE_NEW, KTAP_VALUE_INT(-1), KTAP_VALUE_NIL,
		       KTAP_VALUE_NIL, "table.new: a table has 0 to 1048576 entries");
	expect_refused(test, KTAP_FN_TABLE_NEW, KTAP_VALUE_INT(1048576), KTAP_VALUE_INT(1),
		       KTAP_VALUE_NIL, "table.new: a table has 0 to 1048576 entries");
	expect_refused(test, KTAP_FN_TABLE_NEW, KTAP_VALUE_INT(S64_MAX),
		       KTAP_VALUE_INT(S64_MAX), KTAP_VALUE_NIL,
		       "table.new: a table has 0 to 1048576 entries");
}

/* Runs of all contexts share the numbers. */
static void first_is_true_once_per_number(struct kunit *test)
{
	static const s64 none[] = { -1, KTAP_MAX_PROBES, 1LL << 32 };
	struct test_chunk *c = test_chunk(test);
	struct ktap_value arg, v;
	struct ktap_vm *vm, *nmi;
	int i, j;

	test_func(c, "f", 1, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_FIRST);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 1));
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	nmi = test_vm_of(test, vm->env, KTAP_LEVEL_NMI);
	for (i = 0; i < KTAP_MAX_PROBES; i += 93) {
		arg = KTAP_VALUE_INT(i);
		for (j = 0; j < 4; j++) {
			v = test_run(test, j & 1 ? nmi : vm, &arg, 1);
			KUNIT_EXPECT_EQ(test, KTAP_BOOL, v.tag);
			KUNIT_EXPECT_EQ(test, !j, v.i);
		}
	}
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		arg = KTAP_VALUE_INT(none[i]);
		KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, &arg, 1, NULL));
	}
}

/* The address of frame 4, which is a return address, is of a function that is in the stack. */
static void called_from_finds_functions_of_the_stack(struct kunit *test)
{
	const s64 others[] = { 0, -1, 1LL << 40, (s64)(unsigned long)ktap_fn_ntop };
	struct test_chunk *c = test_chunk(test);
	struct ktap_value arg, v;
	struct ktap_vm *vm;
	unsigned int i;

	test_func(c, "f", 1, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_CALLED_FROM);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 2));
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 4);
	test_insn(c, KTAP_OP_CALLB, 0, 2, 0, KTAP_FN_KSTACK);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_IPOF);
	test_insn(c, KTAP_OP_SUBI, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_CALLED_FROM);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 1, NULL, 0, &v));
	KUNIT_EXPECT_EQ(test, KTAP_BOOL, v.tag);
	KUNIT_EXPECT_EQ(test, IS_ENABLED(CONFIG_KALLSYMS), v.i);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		arg = KTAP_VALUE_INT(others[i]);
		v = test_run(test, vm, &arg, 1);
		KUNIT_EXPECT_EQ(test, KTAP_BOOL, v.tag);
		KUNIT_EXPECT_EQ(test, 0, v.i);
	}
}

/* Numbers without a system call have no name, and no number is used as an index. */
static void system_calls_have_names(struct kunit *test)
{
	const s64 others[] = { -1, S64_MIN, S64_MAX, 1LL << 32, 1LL << 40 };
	struct test_chunk *c = test_chunk(test);
	unsigned int i, named = 0, reads = 0;
	struct ktap_value arg, v;
	struct ktap_vm *vm;

	test_func(c, "f", 1, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_SYSCALL_NAME);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 1));
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		arg = KTAP_VALUE_INT(others[i]);
		KUNIT_EXPECT_EQ(test, KTAP_NIL, test_run(test, vm, &arg, 1).tag);
	}
	for (i = 0; i < 1000; i++) {
		arg = KTAP_VALUE_INT(i);
		v = test_run(test, vm, &arg, 1);
		named += v.tag == KTAP_STR;
		reads += v.tag == KTAP_STR && v.len == 4 && !memcmp(v.blob, "read", 4);
	}
	KUNIT_EXPECT_EQ(test, IS_ENABLED(CONFIG_FTRACE_SYSCALLS), named > 1);
	KUNIT_EXPECT_EQ(test, IS_ENABLED(CONFIG_FTRACE_SYSCALLS), reads == 1);
}

static struct kunit_case builtin_cases[] = {
	KUNIT_CASE(system_calls_have_names),
	KUNIT_CASE(called_from_finds_functions_of_the_stack),
	KUNIT_CASE(first_is_true_once_per_number),
	KUNIT_CASE(substr_is_limited_to_the_string),
	KUNIT_CASE(strings_are_searched_and_compared),
	KUNIT_CASE(case_is_changed_in_ascii_only),
	KUNIT_CASE(numbers_are_read_as_the_compiler_does),
	KUNIT_CASE(addresses_are_shown),
	KUNIT_CASE(times_are_shown),
	KUNIT_CASE(local_time_is_ahead_of_utc),
	KUNIT_CASE(format_returns_what_printf_prints),
	KUNIT_CASE(format_of_symbols_and_tables_needs_process_context),
	KUNIT_CASE(long_formatted_strings_are_cut_and_counted),
	KUNIT_CASE(unknown_registers_are_refused),
	KUNIT_CASE(error_reports_its_argument),
	KUNIT_CASE(the_text_of_an_event_is_a_string_argument),
	KUNIT_CASE(system_fails_if_the_event_has_no_text),
	KUNIT_CASE(long_strings_cost_more),
	KUNIT_CASE(strings_match_patterns),
	KUNIT_CASE(patterns_are_charged_by_comparisons),
	KUNIT_CASE(a_new_table_has_the_requested_size),
	{}
};

static struct kunit_suite builtin_suite = {
	.name = "ktap_builtin",
	.test_cases = builtin_cases,
};

kunit_test_suite(builtin_suite);
