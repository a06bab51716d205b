// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier's rules about types, one by one, by their names in
 * Documentation/trace/ktap-bytecode.rst: code that is accepted, a change that
 * breaks this rule and no other, and the message for it.  The types are those of the
 * running kernel.  A few types exist only in the user space build of the tests; and only
 * there a test can choose whether the kernel is locked down.
 */
#include <linux/kernel.h>
#include <linux/security.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "btf/btf.h"
#include "load/rewrite.h"
#include "load/verifier_types.h"
#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/opcode.h"

#define NREGS	10
#define STRINGS	4

/* The first instructions of the code. */
enum start {
	NOTHING,
	CAST,
	OFFSET,
	SIZE,
	TASK,
	PARAM,
	ITERATOR,
};

/**
 * struct rule - a case of a rule about types
 * @name: as in the documentation; after a dot, the case of the rule
 * @message: the error message, without "ktap: error: "
 * @strings: constants 0 and so on
 * @start: enum start
 * @right: code after @start, in the handler of a function that does not exist, or of an
 *	iterator.  Instruction 0 has written the registers before; RET follows
 * @wrong: replaces an instruction of @start or @right
 * @at: which one
 * @locked: the kernel is locked down for @wrong
 * @declares: the chunk declares types
 */
struct rule {
	const char *name;
	const char *message;
	const char *strings[STRINGS];
	u8 start;
	struct ktap_code right[6];
	struct ktap_code wrong;
	u8 at;
	bool locked;
	bool declares;
};

#define I(_op, _a, _b, _c, _d)	\
	{ .op = KTAP_OP_##_op, .a = _a, .b = _b, .c = _c, .d = _d }

/* The typed values, by enum start: of string 0, and of 1 or string 1. */
static const struct ktap_code starts[][3] = {
	[CAST] = { I(STR, 0, 0, 0, 0), I(INT, 1, 0, 0, 1), I(CALLB, 0, 2, 0, KTAP_FN_CAST) },
	[OFFSET] = { I(STR, 0, 0, 0, 0), I(STR, 1, 0, 0, 1),
		     I(CALLB, 0, 2, 0, KTAP_FN_OFFSETOF) },
	[SIZE] = { I(STR, 0, 0, 0, 0), I(CALLB, 0, 1, 0, KTAP_FN_SIZEOF) },
	[TASK] = { I(CALLB, 0, 0, 0, KTAP_FN_CURTASK) },
	[PARAM] = { I(FIELD, 0, 0, 0, 0), I(GETG, 1, 0, 0, 0) },
	[ITERATOR] = { I(FIELD, 0, 0, 0, 1), I(GETG, 1, 0, 0, 0) },
};

static const struct rule rules[] = {
	{ "declared-complete",
	  "struct ktap_secret is declared without members, so it has no 'x'",
	  { "struct ktap_known", "x", "struct ktap_secret" },
	  CAST, { I(TGETS, 0, 0, 0, 1) }, I(STR, 0, 0, 0, 2), .declares = true },
	{ "declared-complete.sizeof", "sizeof: 'struct ktap_secret' is declared without members",
	  { "struct ktap_known", "struct ktap_secret" },
	  SIZE, { }, I(STR, 0, 0, 0, 1), .declares = true },
	{ "member.declared", "struct ktap_known has no member 'xx'; did you mean 'x'?",
	  { "struct ktap_known", "x", "xx" },
	  CAST, { I(TGETS, 0, 0, 0, 1) }, I(TGETS, 0, 0, 0, 2), .at = 3, .declares = true },
#ifdef CONFIG_KTAP_BTF
	{ "member", "struct list_head has no member 'nothing like it'",
	  { "struct list_head", "next", "nothing like it" },
	  CAST, { I(TGETS, 0, 0, 0, 1) }, I(TGETS, 0, 0, 0, 2), .at = 3 },
	{ "member.near", "struct list_head has no member 'nex'; did you mean 'next'?",
	  { "struct list_head", "next", "nex" },
	  CAST, { I(TGETS, 0, 0, 0, 1) }, I(TGETS, 0, 0, 0, 2), .at = 3 },
	{ "member.of_a_path", "struct list_head has no member 'nothing like it'",
	  { "struct task_struct", "children.next", "children.nothing like it" },
	  OFFSET, { }, I(STR, 1, 0, 0, 2), .at = 1 },
	{ "member.of_an_iterator", "struct task_struct has no member 'nothing like it'",
	  { "parent", "nothing like it" },
	  ITERATOR, { I(TGETS, 2, 0, 0, 0) }, I(TGETS, 2, 0, 0, 1), .at = 2 },
	{ "structure", "int has no members, so no 'next'",
	  { "struct list_head", "next", "int" },
	  CAST, { I(TGETS, 0, 0, 0, 1) }, I(STR, 0, 0, 0, 2) },

	{ "type-constant.cast", "cast: the name of a type is a constant string",
	  { "struct list_head" }, CAST, { }, I(GETG, 0, 0, 0, 0) },
	{ "type-constant.sizeof", "sizeof: the name of a type is a constant string",
	  { "struct list_head" }, SIZE, { }, I(GETG, 0, 0, 0, 0) },
	{ "type-constant.path", "offsetof: the name of a type is a constant string",
	  { "struct list_head", "next" }, OFFSET, { }, I(GETG, 1, 0, 0, 0), .at = 1 },
	/* A string whose value depends on the path. */
	{ "type-constant.two_ways", "cast: the name of a type is a constant string",
	  { "struct list_head", "int" },
	  NOTHING, { I(STR, 0, 0, 0, 0), I(JT, 2, 0, 0, 1), I(STR, 0, 0, 0, 0),
	    I(CALLB, 0, 2, 0, KTAP_FN_CAST) }, I(STR, 0, 0, 0, 1), .at = 2 },
	{ "type-constant.or_nil", "cast: the name of a type is a constant string",
	  { "struct list_head" },
	  NOTHING, { I(STR, 0, 0, 0, 0), I(JT, 2, 0, 0, 1), I(STR, 0, 0, 0, 0),
	    I(CALLB, 0, 2, 0, KTAP_FN_CAST) }, I(NIL, 0, 0, 0, 0), .at = 2 },
	/* Only the string changes at the end of the loop, no type of a register. */
	{ "type-constant.loop", "sizeof: the name of a type is a constant string",
	  { "struct list_head", "int" },
	  NOTHING, { I(STR, 0, 0, 0, 0), I(MOV, 1, 0, 0, 0), I(CALLB, 1, 1, 0, KTAP_FN_SIZEOF),
	    I(STR, 0, 0, 0, 0), I(NIL, 1, 1, 0, 0), I(JT, 2, 0, 0, -5) },
	  I(STR, 0, 0, 0, 1), .at = 3 },
	{ "type-constant.open", "sizeof: the name of a type is a constant string",
	  { "struct list_head" }, NOTHING, { I(STR, 0, 0, 0, 0), I(CALL, 1, 0, KTAP_MULTI, 0),
	    I(CALLB, 0, KTAP_MULTI, 0, KTAP_FN_PRINT) },
	  I(CALLB, 0, KTAP_MULTI, 0, KTAP_FN_SIZEOF), .at = 2 },
	{ "type-pointer", "cast: 'struct list_head *' names a pointer: name its target",
	  { "struct list_head", "struct list_head *" }, CAST, { }, I(STR, 0, 0, 0, 1) },
	{ "type-known", "sizeof: this kernel has no type 'struct nothing like it at all'",
	  { "struct list_head", "struct nothing like it at all" }, SIZE, { },
	  I(STR, 0, 0, 0, 1) },
	{ "type-known.near",
	  "sizeof: this kernel has no type 'struct lisd_head'; did you mean 'struct list_head'?",
	  { "struct list_head", "struct lisd_head" }, SIZE, { }, I(STR, 0, 0, 0, 1) },

	{ "offset-path",
	  "offsetof: 'pid' lies elsewhere: the part before it is no structure",
	  { "struct task_struct", "parent", "parent.pid" }, OFFSET, { }, I(STR, 1, 0, 0, 2),
	  .at = 1 },
	{ "offset-bits", "offsetof: 'in_execve' is a bit-field",
	  { "struct task_struct", "parent", "in_execve" }, OFFSET, { }, I(STR, 1, 0, 0, 2),
	  .at = 1 },

	{ "parameter", "nil has no members: this function has no such parameter",
	  { "next" }, PARAM, { I(TGETS, 2, 1, 0, 0) },
	  I(TGETS, 2, 0, 0, 0), .at = 2 },
#else
	{ "declared-known",
	  "cast: the script does not declare 'struct other', and this kernel has no types (CONFIG_DEBUG_INFO_BTF)",
	  { "struct ktap_known", "struct other" }, CAST, { }, I(STR, 0, 0, 0, 1),
	  .declares = true },
	{ "types.cast", "cast: this kernel has no types (CONFIG_DEBUG_INFO_BTF)",
	  { "struct list_head" },
	  NOTHING, { I(STR, 0, 0, 0, 0), I(INT, 1, 0, 0, 1), I(CALLB, 0, 2, 0, KTAP_FN_PRINT) },
	  I(CALLB, 0, 2, 0, KTAP_FN_CAST), .at = 2 },
	{ "types.parameter",
	  "member of a parameter: this kernel has no types (CONFIG_DEBUG_INFO_BTF)",
	  { "next" }, PARAM, { I(TGETS, 2, 1, 0, 0) },
	  I(TGETS, 2, 0, 0, 0), .at = 2 },
	{ "types.pointer",
	  "member of a pointer: this kernel has no types (CONFIG_DEBUG_INFO_BTF)",
	  { "next" }, TASK, { I(GETG, 1, 0, 0, 0), I(TGETS, 2, 1, 0, 0) },
	  I(TGETS, 2, 0, 0, 0), .at = 2 },
	{ "types.iterator",
	  "member of a pointer: this kernel has no types (CONFIG_DEBUG_INFO_BTF)",
	  { "next" }, ITERATOR, { I(TGETS, 2, 1, 0, 0) },
	  I(TGETS, 2, 0, 0, 0), .at = 2 },
#endif
#if defined(CONFIG_KTAP_BTF) && !defined(__KERNEL__)
	{ "type-size", "sizeof: 'huge_t' has 2 GiB or more",
	  { "numbers_t", "huge_t" }, SIZE, { }, I(STR, 0, 0, 0, 1) },
	{ "member-value", "member 'big' has a type without values in scripts",
	  { "pid", "big" },
	  TASK, { I(TGETS, 0, 0, 0, 0) }, I(TGETS, 0, 0, 0, 1),
	  .at = 1 },
	{ "element", "element 4 of an array of 4", { "numbers" },
	  TASK, { I(TGETS, 0, 0, 0, 0), I(TGETI, 0, 0, 0, 3) },
	  I(TGETI, 0, 0, 0, 4), .at = 2 },
	{ "element.below_0", "element -1 of an array of 4", { "numbers" },
	  TASK, { I(TGETS, 0, 0, 0, 0), I(TGETI, 0, 0, 0, 0) },
	  I(TGETI, 0, 0, 0, -1), .at = 2 },
	{ "elements", "struct missing has no elements", { "numbers", "missing" },
	  TASK, { I(TGETS, 0, 0, 0, 0), I(TGETI, 0, 0, 0, 0) },
	  I(TGETS, 0, 0, 0, 1), .at = 1 },
	{ "element-value", "an element has a type without values in scripts",
	  { "int", "__int128" }, CAST, { I(TGETI, 0, 0, 0, 0) }, I(STR, 0, 0, 0, 1) },
	{ "typeless",
	  "this pointer has no type: cast(\"struct NAME\", p) gives it one",
	  { "parent", "pid", "opaque" },
	  TASK, { I(TGETS, 0, 0, 0, 0), I(TGETS, 0, 0, 0, 1) },
	  I(TGETS, 0, 0, 0, 2), .at = 1 },

	{ "types.locked", "cast: the kernel is locked down, so its memory cannot be read",
	  { "struct list_head" }, CAST, { }, I(STR, 0, 0, 0, 0), .locked = true },
	{ "types.locked_parameter",
	  "member of a parameter: the kernel is locked down, so its memory cannot be read",
	  { "next" }, PARAM, { I(TGETS, 2, 1, 0, 0) },
	  I(TGETS, 2, 0, 0, 0), .at = 2, .locked = true },
	{ "types.locked_pointer",
	  "member of a pointer: the kernel is locked down, so its memory cannot be read",
	  { "pid" }, TASK, { I(TGETS, 0, 0, 0, 0) }, I(TGETS, 0, 0, 0, 0), .at = 1,
	  .locked = true },
#endif
};

#ifndef __KERNEL__
static void lock_down(bool locked)
{
	shim_locked_down = locked;
}
#else
static void lock_down(bool locked)
{
}
#endif

/* The maximum number. */
static void add_insns(struct test_chunk *c, const struct ktap_code *insn, size_t max)
{
	for (; max && insn->op; insn++, max--)
		test_insn(c, insn->op, insn->a, insn->b, insn->c, insn->d);
}

static void a_rule_is_kept(struct kunit *test)
{
	const struct rule *rule = test->param_value;
	struct test_chunk *c = test_chunk(test);
	char message[160];
	int i;

	for (i = 0; i < STRINGS; i++)
		test_string(c, rule->strings[i] ?: "");
	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_global(c, "g");
	test_field(c, "p");
	test_field(c, "task");
	if (rule->declares) {
		test_type(c, NULL, KTAP_TYPE_INT, 4, 0, 0, 0);
		test_type(c, "struct ktap_known", KTAP_TYPE_STRUCT, 0, 0, 0, 0);
		test_member(c, "x", 0, -1);
		test_type(c, "struct ktap_secret", KTAP_TYPE_STRUCT, 0, KTAP_TYPE_INCOMPLETE, 1,
			  0);
	}
	test_probe(c, rule->start == ITERATOR ? "iter:task" : "probe:no_such_function", KTAP_NONE,
		   test_func(c, "f", 0, NREGS));
	test_insn(c, KTAP_OP_NIL, 0, NREGS - 1, 0, 0);
	add_insns(c, starts[rule->start], ARRAY_SIZE(starts[0]));
	add_insns(c, rule->right, ARRAY_SIZE(rule->right));
	TEST_RET(c);
	KUNIT_ASSERT_NOT_NULL(test, test_load(c));
	c->insns[2 + rule->at] = rule->wrong;
	snprintf(message, sizeof(message), "ktap: error: %s", rule->message);
	lock_down(rule->locked);
	test_refused_as(c, -EINVAL, message);
	lock_down(false);
}

/* Looked-up members are kept, but programs that read none need no memory for it. */
static void programs_with_types_keep_what_was_found(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 2);
	TEST_RET(c);
	KUNIT_EXPECT_NULL(test, test_vm(test, test_load(c), KTAP_LEVEL_PROCESS)->env->found);

	c = test_chunk(test);
	test_type(c, NULL, KTAP_TYPE_INT, 4, 0, 0, 0);
	test_type(c, "struct ktap_known", KTAP_TYPE_STRUCT, 0, 0, 0, 0);
	test_member(c, "x", 0, -1);
	test_string(c, "struct ktap_known");
	test_func(c, "main", 0, 2);
	add_insns(c, starts[CAST], ARRAY_SIZE(starts[0]));
	TEST_RET(c);
	KUNIT_EXPECT_NOT_NULL(test, test_vm(test, test_load(c), KTAP_LEVEL_PROCESS)->env->found);
}

KUNIT_ARRAY_PARAM_DESC(rules, rules, name);

/* These fields are not parameters: the loader does not know what they are. */
static void each_call_has_a_name_and_addresses(struct kunit *test)
{
	static const char * const fields[] = { "name", "ip", "parent_ip" };
	struct test_chunk *c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		c = test_chunk(test);
		test_func(c, "main", 0, 1);
		TEST_RET(c);
		test_field(c, fields[i]);
		test_probe(c, "probe:no_such_function", KTAP_NONE, test_func(c, "f", 0, 1));
		test_insn(c, KTAP_OP_FIELD, 0, 0, 0, 0);
		test_insn(c, KTAP_OP_TGETS, 0, 0, 0, test_string(c, "x"));
		TEST_RET(c);
		KUNIT_EXPECT_NOT_NULL(test, test_load(c));
		c->fields[0] = cpu_to_le32(test_string(c, "named"));
		test_refused(c, -EINVAL, IS_ENABLED(CONFIG_KTAP_BTF) ?
			     "nil has no members" : "member of a parameter");
	}
}

/* A function that runs an iterator looks them up; nothing else of its program has types. */
static void fields_of_iterators_have_types(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	u32 task = ktap_btf_begin() ? 0 : ktap_btf_task();
	struct ktap_env *env;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	env = test_vm(test, test_load(c), KTAP_LEVEL_PROCESS)->env;
	lock_down(true);
	KUNIT_EXPECT_EQ(test, 0, ktap_iter_find_types(env));
	lock_down(false);
#ifndef __KERNEL__
	KUNIT_EXPECT_EQ(test, 0, env->prog->iter_types[KTAP_ITER_TASK]);
	KUNIT_EXPECT_NULL(test, env->found);
#endif
	KUNIT_EXPECT_EQ(test, 0, ktap_iter_find_types(env));
	KUNIT_EXPECT_EQ(test, task, env->prog->iter_types[KTAP_ITER_TASK]);
	KUNIT_EXPECT_EQ(test, 0, env->prog->iter_types[KTAP_ITER_FD]);
	KUNIT_EXPECT_EQ(test, !!task, !!env->found);
}

/* R[2] = what @insn gives, self.x = R[2], in a handler of "probe:btf_kunit_plain"; the opcode */
static u32 stored_by(struct kunit *test, const struct ktap_code *insn, u32 n)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_program *prog;
	u32 x;

	test_string(c, "struct ktap_known");
	x = test_string(c, "x");
	test_type(c, NULL, KTAP_TYPE_INT, 4, 0, 0, 0);
	test_type(c, "struct ktap_known", KTAP_TYPE_STRUCT, 0, 0, 0, 0);
	test_member(c, "x", 0, -1);
	test_field(c, "first");
	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_probe(c, "probe:btf_kunit_plain", KTAP_NONE, test_func(c, "f", 0, NREGS));
	add_insns(c, insn, n);
	test_insn(c, KTAP_OP_SETSELF, 2, 0, 0, x);
	TEST_RET(c);
	prog = test_load(c);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	return prog->code[1 + n].op;
}

/*
 * Another handler may call this one for another event, in which the field is a string.  So
 * what types say is no proof: then the string would be stored as an integer is.
 */
static void a_type_is_no_proof_of_an_integer(struct kunit *test)
{
	static const struct ktap_code integer[] = { I(INT, 2, 0, 0, 1) };
	static const struct ktap_code field[] = { I(FIELD, 2, 0, 0, 0) };
	static const struct ktap_code first[] = {
		I(INT, 0, 0, 0, 1), I(INT, 2, 0, 0, 1), I(JNEI, 0, 7, 0, 1), I(FIELD, 2, 0, 0, 0),
	};
	static const struct ktap_code second[] = {
		I(INT, 0, 0, 0, 1), I(FIELD, 2, 0, 0, 0), I(JNEI, 0, 7, 0, 1), I(INT, 2, 0, 0, 1),
	};
	static const struct ktap_code copy[] = { I(FIELD, 0, 0, 0, 0), I(MOV, 2, 0, 0, 0) };
	static const struct ktap_code result[] = { I(CALLB, 2, 0, 0, KTAP_FN_RETVAL) };
	static const struct ktap_code member[] = {
		I(STR, 0, 0, 0, 0), I(INT, 1, 0, 0, 1), I(CALLB, 0, 2, 0, KTAP_FN_CAST),
		I(TGETS, 2, 0, 0, 1),
	};

	KUNIT_EXPECT_EQ(test, stored_by(test, integer, 1),
			IS_ENABLED(CONFIG_64BIT) ? KTAP_OP_SETSELFN : KTAP_OP_SETSELF);
	KUNIT_EXPECT_EQ(test, stored_by(test, field, 1), KTAP_OP_SETSELF);
	KUNIT_EXPECT_EQ(test, stored_by(test, result, 1), KTAP_OP_SETSELF);
	KUNIT_EXPECT_EQ(test, stored_by(test, member, ARRAY_SIZE(member)), KTAP_OP_SETSELF);
	/* R[2] = 1, or the field, in either order, or another register's */
	KUNIT_EXPECT_EQ(test, stored_by(test, first, ARRAY_SIZE(first)), KTAP_OP_SETSELF);
	KUNIT_EXPECT_EQ(test, stored_by(test, second, ARRAY_SIZE(second)), KTAP_OP_SETSELF);
	KUNIT_EXPECT_EQ(test, stored_by(test, copy, ARRAY_SIZE(copy)), KTAP_OP_SETSELF);
}

static struct kunit_case typing_rules_cases[] = {
	KUNIT_CASE_PARAM(a_rule_is_kept, rules_gen_params),
	KUNIT_CASE(programs_with_types_keep_what_was_found),
	KUNIT_CASE(each_call_has_a_name_and_addresses),
	KUNIT_CASE(fields_of_iterators_have_types),
	KUNIT_CASE(a_type_is_no_proof_of_an_integer),
	{}
};

static struct kunit_suite typing_rules_suite = {
	.name = "ktap_typing_rules",
	.test_cases = typing_rules_cases,
};

kunit_test_suite(typing_rules_suite);
