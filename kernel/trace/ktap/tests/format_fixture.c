// SPDX-License-Identifier: GPL-2.0
/*
 * Formats, texts and records for the KUnit tests.
 */
#include <linux/kernel.h>

#include "tests/format_fixture.h"
#include "vm/env.h"

struct ktap_vm *test_text_vm(struct kunit *test, enum ktap_level level)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), level);
	vm->budget = 10000;
	return vm;
}

void test_text_begin(struct ktap_text *t, struct seq_buf *s, char *buf, struct ktap_vm *vm)
{
	seq_buf_init(s, buf, TEST_TEXT);
	*t = (struct ktap_text){ .s = s, .vm = vm };
}

const char *test_text_end(struct ktap_text *t)
{
	t->s->buffer[min(t->s->len, t->s->size - 1)] = '\0';
	return t->s->buffer;
}

const struct test_printf_case test_printf_cases[] = {
	{ "%d", I(5), "5" },
	{ "%i|", I(-5), "-5|" },
	{ "%d", I(S64_MIN), "-9223372036854775808" },
	{ "%u", I(-1), "18446744073709551615" },
	{ "%x", I(-1), "ffffffffffffffff" },
	{ "%X", I(0xabc), "ABC" },
	{ "%#x %%", I(0xabc), "0xabc %" },
	{ "%#X", I(0xabc), "0XABC" },
	{ "%#x", I(0), "0" },
	{ "%o", I(8), "10" },
	{ "%#o", I(8), "010" },
	{ "%#o", I(0), "0" },
	{ "%#.3o", I(8), "010" },
	{ "%#.0o", I(0), "0" },
	{ "%#06o", I(8), "000010" },
	{ "%p", I(0x1000), "0x1000" },
	{ "%5d|", I(42), "   42|" },
	{ "%-5d|", I(42), "42   |" },
	{ "%05d", I(-42), "-0042" },
	{ "%+d", I(42), "+42" },
	{ "% d", I(42), " 42" },
	{ "%+5d", I(42), "  +42" },
	{ "%.4d", I(42), "0042" },
	{ "%7.4d|", I(-42), "  -0042|" },
	{ "%-7.4d|", I(42), "0042   |" },
	{ "%.0d|", I(0), "|" },
	{ "%#010x", I(0xff), "0x000000ff" },
	{ "%lld %", I(1), "1 %" },
	{ "%ld", I(1), "1" },
	{ "%c", I('x'), "x" },
	{ "%3c|", I('x'), "  x|" },
	{ "%-3c|", I('x'), "x  |" },
	{ "%d", { .tag = KTAP_NIL }, "0" },
	{ "%d", { .tag = KTAP_BOOL, .i = 1 }, "1" },
	{ "%x", { .tag = KTAP_PTR, .u = 0xff }, "ff" },
	{ "%s", S("text"), "text" },
	{ "%6s|", S("text"), "  text|" },
	{ "%-6s|", S("text"), "text  |" },
	{ "%.2s|", S("text"), "te|" },
	{ "%5.2s|", S("text"), "   te|" },
	{ "%s", I(7), "7" },
	{ "%4s|", I(7), "   7|" },
	{ "%-4s|", I(7), "7   |" },
	{ "%s", { .tag = KTAP_NIL }, "nil" },
	{ "%6s", { .tag = KTAP_BOOL }, " false" },
	{ "%.3s", { .tag = KTAP_BOOL }, "fal" },
	{ "%s", { .tag = KTAP_PTR, .u = 0xff }, "0xff" },
	{ "no directive", I(1), "no directive" },
	{ "", I(1), "" },
};

const unsigned int test_nprintf_cases = ARRAY_SIZE(test_printf_cases);

const char *test_record_text(struct kunit *test, struct ktap_vm *vm, enum ktap_record_type type,
			     const struct ktap_value *args, unsigned int n, struct seq_buf *s)
{
	size_t size = ktap_record_size(vm, args, n);
	struct ktap_record *rec;

	KUNIT_EXPECT_LE(test, size, KTAP_RECORD_MAX);
	KUNIT_EXPECT_EQ(test, size % 8, 0);
	rec = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	ktap_record_write(vm, rec, size, type, args, n);
	KUNIT_EXPECT_EQ(test, rec->len, size);
	ktap_record_format(s, vm->env, rec, size);
	s->buffer[min(s->len, s->size - 1)] = '\0';
	return s->buffer;
}
