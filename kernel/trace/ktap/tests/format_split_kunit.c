// SPDX-License-Identifier: GPL-2.0
/*
 * Formats that are split when a program is loaded, and their records.
 */
#include <linux/string.h>

#include "output/format.h"
#include "output/record.h"
#include "output/text.h"
#include "tests/format_fixture.h"
#include "vm/arena.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/opcode.h"
#include "vm/ops.h"
#include "vm/vm.h"

/* Add "printf(FMT)" or "format(FMT)", with @nargs - 1 arguments, to the running function. */
static u32 call_with(struct test_chunk *c, u8 reg, u32 function, const char *fmt, u8 nargs)
{
	u8 i;

	test_insn(c, KTAP_OP_STR, reg, 0, 0, test_string(c, fmt));
	for (i = 1; i < nargs; i++)
		test_insn(c, KTAP_OP_INT, reg + i, 0, 0, i);
	return test_insn(c, KTAP_OP_CALLB, reg, nargs, 0, function);
}

/* Return an activation of a program that calls printf with this format at *@pc. */
static struct ktap_vm *vm_with_format(struct kunit *test, const char *fmt, u32 *pc)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 4);
	*pc = call_with(c, 0, KTAP_FN_PRINTF, fmt, 2);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	vm->budget = 10000;
	return vm;
}

/* Find the split form of the constant that the instruction before the call loads. */
static const struct ktap_format *split_of(struct ktap_vm *vm, u32 pc, struct ktap_value *fmt)
{
	const struct ktap_program *prog = vm->env->prog;
	u32 n = 0;

	while (prog->code[pc].op != KTAP_OP_STR)
		pc--;
	*fmt = prog->strings[prog->code[pc].d];
	while (prog->code[pc].op != KTAP_OP_CALLB && prog->code[pc].op != KTAP_OP_PRINTF)
		pc++;
	return ktap_format_at(prog, pc, fmt, &n);
}

static void constant_formats_are_split(struct kunit *test)
{
	const struct ktap_format *f;
	const struct test_printf_case *p;
	struct ktap_value args[2];
	char buf[TEST_TEXT + 1];
	struct ktap_text t;
	struct ktap_vm *vm;
	struct seq_buf s;
	u64 budget;
	u32 pc;
	int i;

	for (i = 0; i < test_nprintf_cases; i++) {
		p = &test_printf_cases[i];
		vm = vm_with_format(test, p->fmt, &pc);
		f = split_of(vm, pc, &args[0]);
		args[1] = p->arg;
		/* An empty format, and one with an error */
		if (!p->fmt[0] || !strcmp(p->fmt, "%lld %")) {
			KUNIT_EXPECT_NULL(test, f);
			continue;
		}
		KUNIT_ASSERT_NOT_NULL(test, f);
		KUNIT_EXPECT_TRUE(test, ktap_format_accepts(f, args, 2));
		budget = vm->budget;
		KUNIT_EXPECT_EQ(test, 0, ktap_check_format(vm, "printf", args, 2));
		KUNIT_EXPECT_EQ(test, budget - vm->budget, f->cost);
		test_text_begin(&t, &s, buf, NULL);
		ktap_text_format(&t, f, args + 1, 1);
		KUNIT_EXPECT_STREQ_MSG(test, test_text_end(&t), p->want, "of \"%s\"", p->fmt);
	}
}

static void wrong_formats_are_not_split(struct kunit *test)
{
	static const char * const wrong[] = {
		"", "%y", "100%", "%5", "%n", "%*d", "%513d", "%.513d", "%d %.99999999999999s",
	};
	struct ktap_value fmt;
	struct ktap_vm *vm;
	char *long_one;
	u32 pc;
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		vm = vm_with_format(test, wrong[i], &pc);
		KUNIT_EXPECT_NULL(test, split_of(vm, pc, &fmt));
		KUNIT_EXPECT_EQ(test, vm->env->prog->nformats, 0);
	}
	/* As many pieces as are split, and one more. */
	long_one = kunit_kzalloc(test, 2 * 65 + 1, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, long_one);
	for (i = 0; i < 64; i++)
		memcpy(long_one + 2 * i, "%%", 2);
	vm = vm_with_format(test, long_one, &pc);
	KUNIT_ASSERT_NOT_NULL(test, split_of(vm, pc, &fmt));
	KUNIT_EXPECT_EQ(test, split_of(vm, pc, &fmt)->npieces, 64);
	long_one[2 * 64] = '.';
	vm = vm_with_format(test, long_one, &pc);
	KUNIT_EXPECT_NULL(test, split_of(vm, pc, &fmt));
}

/* The split form is only used for the very constant. */
static void other_formats_have_no_split_form(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	const struct ktap_program *prog;
	struct ktap_value fmt, other;
	u32 first, second, n;
	struct ktap_vm *vm;
	char copy[] = "%d";

	test_func(c, "main", 0, 4);
	first = call_with(c, 0, KTAP_FN_PRINTF, "%d", 2);
	/* A format in another register, and one that is computed. */
	test_insn(c, KTAP_OP_STR, 2, 0, 0, test_string(c, "%x"));
	test_insn(c, KTAP_OP_STR, 3, 0, 0, test_string(c, "%o"));
	test_insn(c, KTAP_OP_CONCAT, 1, 2, 2, 0);
	second = test_insn(c, KTAP_OP_CALLB, 1, 1, 0, KTAP_FN_PRINTF);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	prog = vm->env->prog;
	KUNIT_EXPECT_NOT_NULL(test, split_of(vm, first, &fmt));
	KUNIT_EXPECT_NULL(test, ktap_format_at(prog, second, &fmt, &n));
	KUNIT_EXPECT_NULL(test, ktap_format_at(prog, 0, &fmt, &n));
	other = fmt;
	other.blob = copy;
	KUNIT_EXPECT_NULL(test, ktap_format_at(prog, first, &other, &n));
	other = fmt;
	other.len--;
	KUNIT_EXPECT_NULL(test, ktap_format_at(prog, first, &other, &n));
	other = fmt;
	other.tag = KTAP_TUPLE;
	KUNIT_EXPECT_NULL(test, ktap_format_at(prog, first, &other, &n));
}

static void a_split_format_checks_its_arguments(struct kunit *test)
{
	struct ktap_value args[5];
	const struct ktap_format *f;
	struct ktap_vm *vm;
	u32 pc, tag, n;
	bool ok;

	vm = vm_with_format(test, "%s=%d%%%-5c", &pc);
	f = split_of(vm, pc, &args[0]);
	KUNIT_ASSERT_NOT_NULL(test, f);
	for (n = 1; n < ARRAY_SIZE(args); n++)
		args[n] = KTAP_VALUE_INT(n);
	for (n = 1; n <= ARRAY_SIZE(args); n++)
		KUNIT_EXPECT_EQ(test, ktap_format_accepts(f, args, n), n >= 4);
	/* The same types as otherwise, in each place. */
	for (n = 1; n < ARRAY_SIZE(args); n++) {
		for (tag = 0; tag < KTAP_NR_TAGS; tag++) {
			args[n].tag = tag;
			vm->error = 0;
			ok = !ktap_check_format(vm, "printf", args, ARRAY_SIZE(args));
			KUNIT_EXPECT_EQ(test, ktap_format_accepts(f, args, ARRAY_SIZE(args)), ok);
		}
		args[n] = KTAP_VALUE_INT(n);
	}
}

/* Write a record with the number of the format, and format it. */
static const char *through_split(struct kunit *test, struct ktap_vm *vm,
				 const struct ktap_format *f, const struct ktap_value *args,
				 unsigned int n, struct seq_buf *s)
{
	size_t size = ktap_record_plain_size(args, n, f->len);
	struct ktap_record *rec;

	KUNIT_ASSERT_LT(test, 0, size);
	KUNIT_EXPECT_EQ(test, size % 8, 0);
	rec = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	ktap_record_write_plain(rec, size, KTAP_REC_FORMAT, 0, args, n);
	KUNIT_EXPECT_EQ(test, rec->len, size);
	ktap_record_format(s, vm->env, rec, size);
	s->buffer[min(s->len, s->size - 1)] = '\0';
	/* A number that no format has */
	rec->format = 1;
	ktap_record_format(s, vm->env, rec, size);
	return s->buffer;
}

static void records_of_split_formats_have_the_same_text(struct kunit *test)
{
	u64 bytes[8], frames[] = { 0x10 };
	struct ktap_value part = KTAP_VALUE_INT(-7);
	struct ktap_value args[] = {
		KTAP_VALUE_NIL, KTAP_VALUE_NIL, KTAP_VALUE_BOOL(false), KTAP_VALUE_INT(S64_MIN),
		KTAP_VALUE_PTR(1), test_str("eight by"), test_str(""), test_str("not 8"),
		{ .blob = bytes, .tag = KTAP_TUPLE, .len = ktap_tuple_put(bytes, &part) -
							   (void *)bytes },
		{ .blob = frames, .tag = KTAP_USTACK, .len = sizeof(frames) },
	};
	const struct ktap_format *f;
	char *want, buf[TEST_TEXT];
	struct ktap_vm *vm;
	struct seq_buf s;
	u32 pc;

	vm = vm_with_format(test, "%s|%s|%d|%p|%s|%s|%8s|%s|%s\n", &pc);
	f = split_of(vm, pc, &args[0]);
	KUNIT_ASSERT_NOT_NULL(test, f);
	want = kunit_kzalloc(test, TEST_TEXT, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, want);
	seq_buf_init(&s, want, TEST_TEXT);
	test_record_text(test, vm, KTAP_REC_PRINTF, args, ARRAY_SIZE(args), &s);
	seq_buf_init(&s, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, want,
			   through_split(test, vm, f, args + 1, ARRAY_SIZE(args) - 1, &s));
	KUNIT_EXPECT_STREQ(test, want,
			   "nil|false|-9223372036854775808|0x1|eight by||   not 8|-7|\n        0x10\n");
	/* Further arguments are ignored. */
	args[1] = test_str("a");
	vm = vm_with_format(test, "%s", &pc);
	f = split_of(vm, pc, &args[0]);
	KUNIT_ASSERT_NOT_NULL(test, f);
	seq_buf_init(&s, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, "a", through_split(test, vm, f, args + 1, 3, &s));
}

/* A record is copied in the quick way if, and only if, nothing in it is cut. */
static void plain_records_are_those_that_are_not_cut(struct kunit *test)
{
	struct ktap_value args[4];
	const struct ktap_format *f;
	struct ktap_vm *vm;
	unsigned int cut;
	struct seq_buf s;
	char *x, *buf;
	u32 pc, len;

	vm = vm_with_format(test, "%d %s %s", &pc);
	f = split_of(vm, pc, &args[0]);
	x = kunit_kzalloc(test, KTAP_RECORD_MAX, GFP_KERNEL);
	buf = kunit_kzalloc(test, 8192, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_NOT_NULL(test, x);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	args[1] = KTAP_VALUE_INT(1);
	args[2] = test_str("a part");
	for (len = KTAP_RECORD_MAX - 150; len < KTAP_RECORD_MAX; len++) {
		args[3] = KTAP_VALUE_STR(x, len);
		atomic_long_set(&vm->env->counters.cut_strings, 0);
		seq_buf_init(&s, buf, 8192);
		test_record_text(test, vm, KTAP_REC_PRINTF, args, 4, &s);
		cut = atomic_long_read(&vm->env->counters.cut_strings);
		KUNIT_EXPECT_EQ(test, !ktap_record_plain_size(args + 1, 3, f->len), cut);
		KUNIT_EXPECT_EQ(test, !ktap_record_plain_size(args, 4, 0), cut);
	}
	KUNIT_EXPECT_EQ(test, cut, 1);
	/* These need the other way, of any length. */
	for (args[1].tag = 0; args[1].tag < KTAP_STR; args[1].tag++)
		KUNIT_EXPECT_EQ(test, !!ktap_record_plain_size(args + 1, 1, f->len),
				args[1].tag <= KTAP_PTR && args[1].tag != KTAP_FUNC);
}

/* Load "printf" with @nargs arguments, among them the format; return its instruction. */
static const struct ktap_code *loaded_call(struct kunit *test, u32 function, const char *fmt,
					   u8 nargs)
{
	struct test_chunk *c = test_chunk(test);
	u32 pc;

	test_func(c, "main", 0, 8);
	pc = call_with(c, 0, function, fmt, nargs);
	TEST_RET(c);
	return &test_load(c)->code[pc];
}

static void calls_with_all_arguments_are_replaced(struct kunit *test)
{
	static const struct {
		u32 function;
		const char *fmt;
		u8 nargs;
		u8 op;
	} calls[] = {
		{ KTAP_FN_PRINTF, "text", 1, KTAP_OP_PRINTF },
		{ KTAP_FN_PRINTF, "%d %s", 3, KTAP_OP_PRINTF },
		{ KTAP_FN_PRINTF, "%d %s", 4, KTAP_OP_PRINTF },
		{ KTAP_FN_PRINTF, "%d %s", 2, KTAP_OP_CALLB },
		{ KTAP_FN_PRINTF, "%d %y", 3, KTAP_OP_CALLB },
		{ KTAP_FN_FORMAT, "%d %s", 3, KTAP_OP_CALLB },
	};
	const struct ktap_code *insn;
	int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		insn = loaded_call(test, calls[i].function, calls[i].fmt, calls[i].nargs);
		KUNIT_EXPECT_EQ(test, insn->op, calls[i].op);
		KUNIT_EXPECT_EQ(test, insn->b, calls[i].nargs);
		KUNIT_EXPECT_EQ(test, insn->d,
				insn->op == KTAP_OP_PRINTF ? 0 : calls[i].function);
	}
}

static void a_constant_is_split_once(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	const struct ktap_program *prog;
	u32 pc[4], i;

	test_func(c, "main", 0, 8);
	pc[0] = call_with(c, 0, KTAP_FN_PRINTF, "%d", 2);
	pc[1] = call_with(c, 0, KTAP_FN_PRINTF, "%x", 2);
	pc[2] = call_with(c, 0, KTAP_FN_PRINTF, "%d", 2);
	pc[3] = call_with(c, 0, KTAP_FN_FORMAT, "%d", 2);
	/* The second call of each kind has the string constant of the first. */
	c->insns[pc[2] - 2].d = c->insns[pc[0] - 2].d;
	c->insns[pc[3] - 2].d = c->insns[pc[0] - 2].d;
	TEST_RET(c);
	prog = test_load(c);
	KUNIT_EXPECT_EQ(test, prog->nformats, 2);
	for (i = 0; i < ARRAY_SIZE(pc); i++)
		KUNIT_EXPECT_EQ(test, prog->format_at[pc[i]], i == 1 ? 2 : 1);
}

/* With @v in place of argument @i of a good call, printf is called; nothing is charged. */
static void expect_left(struct kunit *test, struct ktap_vm *vm, const struct ktap_value *good,
			unsigned int i, struct ktap_value v)
{
	struct ktap_value args[3] = { good[0], good[1], good[2] };
	u64 budget = vm->budget;

	args[i] = v;
	KUNIT_EXPECT_FALSE(test, ktap_print_split(vm, vm->env->prog->formats[0], 0, args, 3));
	KUNIT_EXPECT_EQ(test, vm->budget, budget);
}

static void uncommon_calls_are_left_to_the_built_in(struct kunit *test)
{
	struct ktap_value good[3], v;
	struct ktap_vm *vm;
	u32 pc;

	vm = vm_with_format(test, "%d %s", &pc);
	KUNIT_ASSERT_NOT_NULL(test, split_of(vm, pc, &good[0]));
	good[1] = KTAP_VALUE_INT(1);
	good[2] = test_str("text");

	expect_left(test, vm, good, 0, test_str("%d %s"));
	expect_left(test, vm, good, 1, test_str("no number"));
	for (v = good[2], v.tag = KTAP_PTR + 1; v.tag < KTAP_STR; v.tag++)
		expect_left(test, vm, good, 2, v);
	v.len = KTAP_RECORD_MAX - 256;
	expect_left(test, vm, good, 2, v);
	vm->level = KTAP_LEVEL_PROCESS;
	expect_left(test, vm, good, 1, good[1]);
	vm->level = KTAP_LEVEL_TASK;
	vm->speculation = 1;
	expect_left(test, vm, good, 1, good[1]);
	vm->speculation = 0;
	vm->budget = vm->env->prog->formats[0]->cost + 2 + 3;
	expect_left(test, vm, good, 1, good[1]);
}

/* format() of @fmt, the constant of the call or not, and of two arguments; return the charge. */
static u64 expect_formatted(struct kunit *test, struct ktap_vm *vm, struct ktap_value fmt,
			    struct ktap_value arg, const char *want)
{
	struct ktap_value *r = vm->stack;

	vm->budget = 10000;
	r[0] = fmt;
	r[1] = arg;
	r[2] = KTAP_VALUE_NIL;
	KUNIT_ASSERT_EQ(test, 0, ktap_fn_format(vm, r, 3));
	KUNIT_ASSERT_EQ(test, r[0].tag, KTAP_STR);
	KUNIT_ASSERT_EQ(test, r[0].len, strlen(want));
	KUNIT_EXPECT_EQ(test, 0, memcmp(r[0].blob, want, r[0].len));
	return 10000 - vm->budget;
}

/* The price of the constant is that of another one, even if the arena has little room. */
static void expect_same_text(struct kunit *test, const struct test_printf_case *p)
{
	struct ktap_value fmt;
	struct ktap_vm *vm;
	u64 price;
	u32 pc;

	vm = vm_with_format(test, p->fmt, &pc);
	split_of(vm, pc, &fmt);
	vm->pc = pc;
	vm->top = 3;
	price = expect_formatted(test, vm, test_str(p->fmt), p->arg, p->want);
	KUNIT_EXPECT_EQ(test, price, expect_formatted(test, vm, fmt, p->arg, p->want));
	while (ktap_arena_has_room(&vm->arena, 256))
		KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, 8));
	/* Moving the blocks is charged. */
	KUNIT_EXPECT_LT(test, price, expect_formatted(test, vm, fmt, p->arg, p->want));
}

/* A constant format of integers and strings may be written at once. */
static void format_writes_the_same_text_in_two_ways(struct kunit *test)
{
	static const struct test_printf_case plain[] = {
		{ "%s", S(""), "" },
		{ "a %d b", I(-77), "a -77 b" },
		{ "%s%%", S("50"), "50%" },
		{ "nothing", I(1), "nothing" },
	};
	char text[300], want[302];
	unsigned int i;

	for (i = 0; i < test_nprintf_cases; i++) {
		/* The format has an error. */
		if (strcmp(test_printf_cases[i].fmt, "%lld %"))
			expect_same_text(test, &test_printf_cases[i]);
	}
	for (i = 0; i < ARRAY_SIZE(plain); i++)
		expect_same_text(test, &plain[i]);
	memset(text, 'x', sizeof(text));
	for (i = 0; i < sizeof(text); i++) {
		snprintf(want, sizeof(want), "%.*s.", i, text);
		expect_same_text(test, &(struct test_printf_case){
			"%s.", KTAP_VALUE_STR(text, i), want });
	}
}

/* Room for 256 bytes is enough for them: no blocks move. */
static void short_texts_need_little_of_the_arena(struct kunit *test)
{
	char text[260], want[280];
	struct ktap_value fmt;
	struct ktap_vm *vm;
	u32 pc, len;
	u64 price;

	for (len = 230; len <= 236; len++) {
		snprintf(text, sizeof(text), "%0*d%%d", (int)len, 0);
		snprintf(want, sizeof(want), "%0*d-9223372036854775808", (int)len, 0);
		vm = vm_with_format(test, text, &pc);
		split_of(vm, pc, &fmt);
		vm->pc = pc;
		vm->top = 3;
		price = expect_formatted(test, vm, fmt, KTAP_VALUE_INT(S64_MIN), want);
		while (ktap_arena_has_room(&vm->arena, 256 + 16))
			KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, 8));
		KUNIT_EXPECT_EQ(test, price, expect_formatted(test, vm, fmt,
							      KTAP_VALUE_INT(S64_MIN), want));
	}
}

static struct kunit_case format_split_cases[] = {
	KUNIT_CASE(constant_formats_are_split),
	KUNIT_CASE(wrong_formats_are_not_split),
	KUNIT_CASE(other_formats_have_no_split_form),
	KUNIT_CASE(a_split_format_checks_its_arguments),
	KUNIT_CASE(records_of_split_formats_have_the_same_text),
	KUNIT_CASE(plain_records_are_those_that_are_not_cut),
	KUNIT_CASE(calls_with_all_arguments_are_replaced),
	KUNIT_CASE(a_constant_is_split_once),
	KUNIT_CASE(uncommon_calls_are_left_to_the_built_in),
	KUNIT_CASE(format_writes_the_same_text_in_two_ways),
	KUNIT_CASE(short_texts_need_little_of_the_arena),
	{}
};

static struct kunit_suite format_split_suite = {
	.name = "ktap_format_split",
	.test_cases = format_split_cases,
};

kunit_test_suite(format_split_suite);
