// SPDX-License-Identifier: GPL-2.0
/*
 * The rules about types that a script declares, one by one, by their names in
 * Documentation/trace/ktap-bytecode.rst: a chunk that is accepted, a change that breaks
 * this rule and no other, and the message for it.
 */
#include <linux/string.h>
#include <asm/byteorder.h>

#include "btf/type.h"
#include "tests/build.h"
#include "vm/program.h"

#define MALFORMED	"malformed chunk: "

/* Types of the chunk, by index */
enum {
	INT, LONG, POINTER, ARRAY, INNER, OUTER, SECRET, NAME,
};

#define SET(_member, _size, _value)	\
	.offset = offsetof(struct test_chunk, _member), .size = _size, .value = _value

/**
 * struct rule - a case of a rule
 * @name: as in the documentation; after a dot, the case of the rule
 * @err: result of loading
 * @message: the error message
 * @offset: the number in struct test_chunk that is changed
 * @size: its bytes
 * @value: the new value
 */
struct rule {
	const char *name;
	int err;
	const char *message;
	u32 offset;
	u8 size;
	u32 value;
};

static const struct rule rules[] = {
	{ "type-name.type", -EINVAL, MALFORMED "type 5: its name is string 99 of 10",
	  SET(types[OUTER].name, 4, 99) },
	{ "type-name.member", -EINVAL, MALFORMED "member 1: its name is string 99 of 10",
	  SET(members[1].name, 4, 99) },
	{ "type-kind", -EINVAL, MALFORMED "type 0 has the unknown kind 7",
	  SET(types[INT].kind, 1, 7) },
	{ "type-kind.none", -EINVAL, MALFORMED "type 0 has the unknown kind 0",
	  SET(types[INT].kind, 1, 0) },
	{ "type-flags", -EINVAL, MALFORMED "type 3 has unknown flags",
	  SET(types[ARRAY].flags, 2, KTAP_TYPE_PACKED) },
	{ "type-size.int", -EINVAL, MALFORMED "type 0 has a wrong size or count",
	  SET(types[INT].size, 1, 3) },
	{ "type-size.long", -EINVAL, MALFORMED "type 1 has a wrong size or count",
	  SET(types[LONG].size, 1, 8) },
	{ "type-size.char", -EINVAL, MALFORMED "type 0 has a wrong size or count",
	  SET(types[INT].flags, 2, KTAP_TYPE_CHAR) },
	{ "type-size.align", -EINVAL, MALFORMED "type 5 has a wrong size or count",
	  SET(types[OUTER].size, 1, 24) },
	{ "type-size.array", -EINVAL, MALFORMED "type 3 has a wrong size or count",
	  SET(types[ARRAY].size, 1, 4) },
	{ "type-size.count", -EINVAL, MALFORMED "type 2 has a wrong size or count",
	  SET(types[POINTER].count, 4, 1) },
	{ "type-size.incomplete", -EINVAL, MALFORMED "type 5 has a wrong size or count",
	  SET(types[OUTER].flags, 2, KTAP_TYPE_INCOMPLETE) },
	{ "type-target", -EINVAL, MALFORMED "type 2 points to type 8 of 8",
	  SET(types[POINTER].type, 4, 8) },
	{ "type-order.array", -EINVAL, MALFORMED "type 3 contains type 3, which is not before it",
	  SET(types[ARRAY].type, 4, ARRAY) },
	{ "type-order.typedef", -EINVAL,
	  MALFORMED "type 7 contains type 7, which is not before it",
	  SET(types[NAME].type, 4, NAME) },
	{ "type-order.member", -EINVAL,
	  MALFORMED "type 5 contains type 6, which is not before it",
	  SET(members[2].type, 4, SECRET) },
	{ "type-members", -EINVAL,
	  MALFORMED "type 5 has members 1 to 3 of 4, not from 2 on",
	  SET(types[OUTER].type, 4, 1) },
	{ "type-members.many", -EINVAL,
	  MALFORMED "type 5 has members 2 to 7 of 4, not from 2 on",
	  SET(types[OUTER].count, 4, 5) },
	{ "type-members.rest", -EINVAL,
	  MALFORMED "type 6 has members 4 to 4 of 4, not from 3 on",
	  SET(types[OUTER].count, 4, 1) },
	{ "member-flags", -EINVAL, MALFORMED "member 0 has unknown flags",
	  SET(members[0].flags, 2, 4) },
	{ "member-flags.align", -EINVAL, MALFORMED "member 0 has unknown flags",
	  SET(members[0].align, 1, 3) },
	{ "member-width", -EINVAL, MALFORMED "member 0 has a wrong width",
	  SET(members[0].bits, 1, 3) },
	{ "member-width.named", -EINVAL, MALFORMED "member 1 has a wrong width",
	  SET(members[1].bits, 1, 0) },
	{ "member-width.array", -EINVAL, MALFORMED "member 1 has a wrong width",
	  SET(members[1].type, 4, ARRAY) },
	{ "member-width.machine", -EINVAL,
	  "struct inner: bit-field 'b' has 33 bits, its type has 32 on this machine",
	  SET(members[1].bits, 1, 33) },
	{ "declared-size.array", -E2BIG, "a declared type is larger than 268435456 bytes",
	  SET(types[ARRAY].count, 4, 0x4000001) },
	{ "declared-size.struct", -E2BIG, "struct outer is larger than 268435456 bytes",
	  SET(types[ARRAY].count, 4, 0x4000000) },
};

static struct test_chunk *chunk_with_types(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_type(c, NULL, KTAP_TYPE_INT, 4, 0, 0, 0);
	test_type(c, NULL, KTAP_TYPE_INT, 0, KTAP_TYPE_LONG, 0, 0);
	test_type(c, NULL, KTAP_TYPE_POINTER, 0, 0, OUTER, 0);
	test_type(c, NULL, KTAP_TYPE_ARRAY, 0, 0, INT, 4);
	test_type(c, "struct inner", KTAP_TYPE_STRUCT, 0, 0, 0, 0);
	test_member(c, "a", INT, -1);
	test_member(c, "b", INT, 3);
	test_type(c, "struct outer", KTAP_TYPE_STRUCT, 8, 0, 2, 0);
	test_member(c, "c", ARRAY, -1);
	test_member(c, NULL, INNER, -1);
	test_type(c, "struct secret", KTAP_TYPE_STRUCT, 0, KTAP_TYPE_INCOMPLETE, 4, 0);
	test_type(c, "outer_t", KTAP_TYPE_TYPEDEF, 0, 0, OUTER, 0);
	test_func(c, "main", 0, 1);
	TEST_RET(c);
	return c;
}

static void a_rule_is_kept(struct kunit *test)
{
	const struct rule *rule = test->param_value;
	struct test_chunk *c = chunk_with_types(test);
	char message[160];
	u32 i;

	while (c->nstrings < 10)
		test_string(c, "");
	KUNIT_ASSERT_NOT_NULL(test, test_load(c));
	for (i = 0; i < rule->size; i++)
		((u8 *)c)[rule->offset + i] = rule->value >> 8 * i;
	snprintf(message, sizeof(message), "ktap: error: %s", rule->message);
	test_refused_as(c, rule->err, message);
}

/* An unnamed structure contains the one before it several times: 4 ^ 7 members. */
static void declared_members_are_limited(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	u32 i, j;

	test_type(c, NULL, KTAP_TYPE_INT, 4, 0, 0, 0);
	test_type(c, NULL, KTAP_TYPE_STRUCT, 0, 0, 0, 0);
	test_member(c, "x", 0, -1);
	test_func(c, "main", 0, 1);
	TEST_RET(c);
	for (i = 1; i <= 7; i++) {
		KUNIT_ASSERT_NOT_NULL(test, test_load(c));
		test_type(c, NULL, KTAP_TYPE_STRUCT, 0, 0, c->nmembers, 0);
		for (j = 0; j < 4; j++)
			test_member(c, NULL, i, -1);
	}
	test_refused_as(c, -E2BIG,
			"ktap: error: too many members, those of unnamed structures included; 4096 is the most");
}

/* Fifteen structures of 4096 members, and those that are in each of them. */
static void all_declared_members_are_limited(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	u32 i, j;

	test_type(c, NULL, KTAP_TYPE_INT, 4, 0, 0, 0);
	test_type(c, NULL, KTAP_TYPE_STRUCT, 0, 0, 0, 0);
	test_member(c, "x", 0, -1);
	test_func(c, "main", 0, 1);
	TEST_RET(c);
	for (i = 1; i <= 21; i++) {
		if (i > 5)
			KUNIT_ASSERT_NOT_NULL(test, test_load(c));
		test_type(c, NULL, KTAP_TYPE_STRUCT, 0, 0, c->nmembers, 0);
		for (j = 0; j < (i <= 6 ? 4 : 1); j++)
			test_member(c, NULL, min(i, 7), -1);
	}
	test_refused_as(c, -E2BIG,
			"ktap: error: too many members, those of unnamed structures included; 65536 is the most");
}

/* A typedef of a structure is a structure: its members count, too. */
static void members_of_unnamed_typedefs_are_counted(struct kunit *test)
{
	struct test_chunk *c = chunk_with_types(test);
	const struct ktap_declared_type *t;
	struct ktap_program *prog;

	test_type(c, "struct last", KTAP_TYPE_STRUCT, 0, 0, 4, 0);
	test_member(c, NULL, NAME, -1);
	test_member(c, "end", INT, -1);
	test_type(c, "struct next", KTAP_TYPE_STRUCT, 0, 0, 6, 0);
	test_member(c, "n", INT, -1);
	prog = test_load(c);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	t = &prog->declared->types[NAME + 1];
	KUNIT_ASSERT_EQ(test, 4, t->count);
	KUNIT_EXPECT_STREQ(test, "c", t->members[0].name);
	KUNIT_EXPECT_STREQ(test, "b", t->members[2].name);
	KUNIT_EXPECT_STREQ(test, "end", t->members[3].name);
	KUNIT_EXPECT_PTR_EQ(test, t->members + t->count, t[1].members);
	KUNIT_EXPECT_STREQ(test, "n", t[1].members[0].name);
}

static void declared_names_are_limited(struct kunit *test)
{
	struct test_chunk *c = chunk_with_types(test);
	char name[KTAP_MAX_TYPE_NAME + 2];

	memset(name, 'x', sizeof(name));
	name[KTAP_MAX_TYPE_NAME + 1] = '\0';
	c->members[0].name = cpu_to_le32(test_string(c, name + 1));
	KUNIT_ASSERT_NOT_NULL(test, test_load(c));
	c->members[0].name = cpu_to_le32(test_string(c, name));
	test_refused_as(c, -EINVAL,
			"ktap: error: malformed chunk: member 0: its name has 128 bytes");
}

/* The last structure has fewer members than there are. */
static void member_owner_is_a_type(struct kunit *test)
{
	struct test_chunk *c = chunk_with_types(test);

	c->types[SECRET] = c->types[NAME];
	c->ntypes--;
	KUNIT_ASSERT_NOT_NULL(test, test_load(c));
	c->types[OUTER].count = cpu_to_le32(1);
	test_refused_as(c, -EINVAL, "ktap: error: malformed chunk: member 3 belongs to no type");
}

static void type_complete_in_others(struct kunit *test)
{
	struct test_chunk *c = chunk_with_types(test);

	test_type(c, NULL, KTAP_TYPE_ARRAY, 0, 0, OUTER, 2);
	test_type(c, "struct last", KTAP_TYPE_STRUCT, 0, 0, 4, 0);
	test_member(c, "s", OUTER, -1);
	KUNIT_ASSERT_NOT_NULL(test, test_load(c));
	c->members[4].type = cpu_to_le32(SECRET);
	test_refused_as(c, -EINVAL,
			"ktap: error: malformed chunk: type 9 contains an incomplete type");
	c->types[8].type = cpu_to_le32(SECRET);
	test_refused_as(c, -EINVAL,
			"ktap: error: malformed chunk: type 8 contains an incomplete type");
}

KUNIT_ARRAY_PARAM_DESC(rules, rules, name);

static struct kunit_case declare_rules_cases[] = {
	KUNIT_CASE_PARAM(a_rule_is_kept, rules_gen_params),
	KUNIT_CASE(declared_members_are_limited),
	KUNIT_CASE(all_declared_members_are_limited),
	KUNIT_CASE(members_of_unnamed_typedefs_are_counted),
	KUNIT_CASE(declared_names_are_limited),
	KUNIT_CASE(member_owner_is_a_type),
	KUNIT_CASE(type_complete_in_others),
	{}
};

static struct kunit_suite declare_rules_suite = {
	.name = "ktap_declare_rules",
	.test_cases = declare_rules_cases,
};

kunit_test_suite(declare_rules_suite);
