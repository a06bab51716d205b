// SPDX-License-Identifier: GPL-2.0
/*
 * Types that a script declares have the layout that the C compiler gives them.
 */
#include <linux/bitops.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "btf/type.h"
#include "host/read_memory.h"
#include "tests/build.h"

/* The types that the structures below contain, by index */
enum part {
	U8, U16, U32, S32, U64, BOOL, LONG, CHAR, POINTER, NAME, PAIR, MATRIX,
};

struct pair {
	u8 x;
	u64 y;
};

static void add_parts(struct test_chunk *c)
{
	test_type(c, NULL, KTAP_TYPE_INT, 1, 0, 0, 0);
	test_type(c, NULL, KTAP_TYPE_INT, 2, 0, 0, 0);
	test_type(c, NULL, KTAP_TYPE_INT, 4, 0, 0, 0);
	test_type(c, "int", KTAP_TYPE_INT, 4, KTAP_TYPE_SIGNED, 0, 0);
	test_type(c, NULL, KTAP_TYPE_INT, 8, 0, 0, 0);
	test_type(c, NULL, KTAP_TYPE_INT, 1, 0, 0, 0);
	test_type(c, NULL, KTAP_TYPE_INT, 0, KTAP_TYPE_LONG | KTAP_TYPE_SIGNED, 0, 0);
	test_type(c, NULL, KTAP_TYPE_INT, 1, KTAP_TYPE_CHAR, 0, 0);
	test_type(c, NULL, KTAP_TYPE_POINTER, 0, 0, PAIR, 0);
	test_type(c, NULL, KTAP_TYPE_ARRAY, 0, 0, CHAR, 13);
	test_type(c, "struct pair", KTAP_TYPE_STRUCT, 0, 0, c->nmembers, 0);
	test_member(c, "x", U8, -1);
	test_member(c, "y", U64, -1);
	test_type(c, NULL, KTAP_TYPE_ARRAY, 0, 0, PAIR, 3);
}

static const struct ktap_declared *load_types(struct kunit *test, struct test_chunk *c)
{
	struct ktap_program *prog;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	prog = test_load(c);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_ASSERT_NOT_NULL(test, prog->declared);
	return prog->declared;
}

/* Where a member is, as the C compiler says */
struct place {
	const char *name;
	size_t offset;
	size_t size;
	u8 kind;
};

static void expect_places(struct kunit *test, const struct ktap_declared *d, const char *name,
			  size_t size, const struct place *places, size_t n)
{
	u32 type = ktap_type_declared(d, name), cost;
	struct ktap_load load;
	size_t i;

	KUNIT_ASSERT_TRUE(test, type);
	KUNIT_EXPECT_EQ_MSG(test, size, ktap_type_size(d, type), "%s", name);
	for (i = 0; i < n; i++) {
		KUNIT_ASSERT_EQ(test, 0, ktap_type_member(d, type, places[i].name, &load, &cost));
		KUNIT_EXPECT_EQ_MSG(test, places[i].offset, load.offset, "%s", places[i].name);
		KUNIT_EXPECT_EQ_MSG(test, places[i].size, load.size, "%s", places[i].name);
		KUNIT_EXPECT_EQ_MSG(test, places[i].kind, load.kind, "%s", places[i].name);
	}
	KUNIT_EXPECT_EQ(test, -ENOENT, ktap_type_member(d, type, "none", &load, &cost));
}

#define MEMBER(_struct, _member, _kind)						\
	{ #_member, offsetof(struct _struct, _member),				\
	  sizeof(((struct _struct *)NULL)->_member), KTAP_LOAD_##_kind }

struct plain {
	u8 a;
	u64 b;
	u16 c;
	long d;
	char e[13];
	void *f;
	bool g;
	struct pair h;
	struct pair i[3];
	s32 j;
};

struct tight {
	u8 a;
	u64 b;
	u16 c;
	struct pair h;
	u32 aligned __aligned(8);
	u8 last;
} __packed;

struct outer {
	u8 a;
	union {
		u64 b;
		struct {
			u16 c;
			u32 d;
		};
	};
	u8 e;
} __aligned(32);

static void members_are_where_the_c_compiler_has_them(struct kunit *test)
{
	static const struct place plain[] = {
		MEMBER(plain, a, UNSIGNED), MEMBER(plain, b, UNSIGNED), MEMBER(plain, c, UNSIGNED),
		MEMBER(plain, d, SIGNED), MEMBER(plain, e, CHARS), MEMBER(plain, f, POINTER),
		MEMBER(plain, g, UNSIGNED), MEMBER(plain, h, ADDRESS), MEMBER(plain, i, ADDRESS),
		MEMBER(plain, j, SIGNED),
	};
	static const struct place tight[] = {
		MEMBER(tight, a, UNSIGNED), MEMBER(tight, b, UNSIGNED), MEMBER(tight, c, UNSIGNED),
		MEMBER(tight, h, ADDRESS), MEMBER(tight, aligned, UNSIGNED),
		MEMBER(tight, last, UNSIGNED),
	};
	static const struct place outer[] = {
		MEMBER(outer, a, UNSIGNED), MEMBER(outer, b, UNSIGNED), MEMBER(outer, c, UNSIGNED),
		MEMBER(outer, d, UNSIGNED), MEMBER(outer, e, UNSIGNED),
	};
	static const u8 plain_types[] = {
		U8, U64, U16, LONG, NAME, POINTER, BOOL, PAIR, MATRIX, S32,
	};
	static const u8 tight_types[] = { U8, U64, U16, PAIR, U32, U8 };
	struct test_chunk *c = test_chunk(test);
	const struct ktap_declared *d;
	size_t i;

	add_parts(c);
	test_type(c, "struct plain", KTAP_TYPE_STRUCT, 0, 0, c->nmembers, 0);
	for (i = 0; i < ARRAY_SIZE(plain); i++)
		test_member(c, plain[i].name, plain_types[i], -1);
	test_type(c, "struct tight", KTAP_TYPE_STRUCT, 0, KTAP_TYPE_PACKED, c->nmembers, 0);
	for (i = 0; i < ARRAY_SIZE(tight); i++)
		test_member(c, tight[i].name, tight_types[i], -1)->align =
			tight_types[i] == U32 ? 8 : 0;
	test_type(c, NULL, KTAP_TYPE_STRUCT, 0, 0, c->nmembers, 0);
	test_member(c, "c", U16, -1);
	test_member(c, "d", U32, -1);
	test_type(c, NULL, KTAP_TYPE_UNION, 0, 0, c->nmembers, 0);
	test_member(c, "b", U64, -1);
	test_member(c, NULL, c->ntypes - 2, -1);
	test_type(c, "struct outer", KTAP_TYPE_STRUCT, 32, 0, c->nmembers, 0);
	test_member(c, "a", U8, -1);
	test_member(c, NULL, c->ntypes - 2, -1);
	test_member(c, "e", U8, -1);
	d = load_types(test, c);
	expect_places(test, d, "struct plain", sizeof(struct plain), plain, ARRAY_SIZE(plain));
	expect_places(test, d, "struct tight", sizeof(struct tight), tight, ARRAY_SIZE(tight));
	expect_places(test, d, "struct outer", sizeof(struct outer), outer, ARRAY_SIZE(outer));
}

/* Bit-fields: X(name, index of the type, its type in C, width), Y(...): without a name */
#define BITS(X, Y)						\
	X(a, U32, u32, 3) X(b, U32, u32, 7) X(c, S32, s32, 20) Y(U32, u32, 5)	\
	X(d, U64, u64, 40) X(e, U16, u16, 9) X(f, BOOL, bool, 1) Y(U32, u32, 0)	\
	X(g, U8, u8, 4) X(h, U16, u16, 5) X(i, U64, u64, 64) X(j, U32, u32, 31)	\
	X(k, U16, u16, 1) X(l, LONG, long, 30) X(m, U16, u16, 8)

#define IN_C(_name, _index, _type, _bits)	_type _name : _bits;
#define NO_NAME_IN_C(_index, _type, _bits)	_type : _bits;

struct bits {
	u8 first;
	BITS(IN_C, NO_NAME_IN_C)
};

struct packed_bits {
	u8 first;
	BITS(IN_C, NO_NAME_IN_C)
} __packed;

union union_bits {
	u8 first;
	BITS(IN_C, NO_NAME_IN_C)
};

/* A structure in which all bits of one bit-field are set, and no other ones */
#define SETTER(_name, _index, _type, _bits)				\
	static void set_##_name(struct bits *p, struct packed_bits *q, union union_bits *u) \
	{								\
		p->_name = -1;						\
		q->_name = -1;						\
		u->_name = -1;						\
	}
#define NO_SETTER(_index, _type, _bits)
BITS(SETTER, NO_SETTER)

static const struct bit_field {
	const char *name;
	void (*set)(struct bits *p, struct packed_bits *q, union union_bits *u);
	u8 type;
	u8 bits;
} bit_fields[] = {
#define ROW(_name, _index, _type, _bits)	{ #_name, set_##_name, _index, _bits },
#define NO_NAME_ROW(_index, _type, _bits)	{ NULL, NULL, _index, _bits },
	BITS(ROW, NO_NAME_ROW)
};

static u64 get_bits(const u8 *memory, const struct ktap_load *load)
{
	u64 x = 0;
	u32 i;

	/* Bits count from the same end as bytes. */
	for (i = 0; i < load->size; i++) {
		if (KTAP_BIG_END_FIRST)
			x = x << 8 | memory[load->offset + i];
		else
			x |= (u64)memory[load->offset + i] << 8 * i;
	}
	x >>= KTAP_BIG_END_FIRST ? 8 * load->size - load->shift - load->bits : load->shift;
	return load->bits < 64 ? x & (BIT_ULL(load->bits) - 1) : x;
}

static void expect_bits(struct kunit *test, const struct ktap_declared *d, const char *type,
			const struct bit_field *f, const void *memory, size_t size)
{
	struct ktap_load load;
	u32 cost, set = 0;
	size_t i;

	KUNIT_ASSERT_EQ(test, 0, ktap_type_member(d, ktap_type_declared(d, type), f->name, &load,
						  &cost));
	for (i = 0; i < size; i++)
		set += hweight8(((const u8 *)memory)[i]);
	KUNIT_EXPECT_EQ(test, f->bits, set);
	KUNIT_EXPECT_EQ_MSG(test, f->bits, load.bits, "%s %s", type, f->name);
	/* In a packed structure it may lie in 9 bytes: then it has no value. */
	if (load.kind != KTAP_LOAD_NONE)
		KUNIT_EXPECT_EQ_MSG(test, f->bits, hweight64(get_bits(memory, &load)), "%s %s",
				    type, f->name);
	else
		KUNIT_EXPECT_GT(test, load.shift + load.bits, 64);
}

static void add_bits(struct test_chunk *c, const char *name, u8 kind, u16 flags)
{
	size_t i;

	test_type(c, name, kind, 0, flags, c->nmembers, 0);
	test_member(c, "first", U8, -1);
	for (i = 0; i < ARRAY_SIZE(bit_fields); i++)
		test_member(c, bit_fields[i].name, bit_fields[i].type, bit_fields[i].bits);
}

static void bit_fields_are_where_the_c_compiler_has_them(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	const struct ktap_declared *d;
	struct packed_bits packed;
	union union_bits united;
	struct bits bits;
	size_t i;

	add_parts(c);
	add_bits(c, "struct bits", KTAP_TYPE_STRUCT, 0);
	add_bits(c, "struct packed", KTAP_TYPE_STRUCT, KTAP_TYPE_PACKED);
	add_bits(c, "union bits", KTAP_TYPE_UNION, 0);
	d = load_types(test, c);
	KUNIT_EXPECT_EQ(test, sizeof(bits),
			ktap_type_size(d, ktap_type_declared(d, "struct bits")));
	KUNIT_EXPECT_EQ(test, sizeof(packed),
			ktap_type_size(d, ktap_type_declared(d, "struct packed")));
	KUNIT_EXPECT_EQ(test, sizeof(united),
			ktap_type_size(d, ktap_type_declared(d, "union bits")));
	for (i = 0; i < ARRAY_SIZE(bit_fields); i++) {
		if (!bit_fields[i].name)
			continue;
		memset(&bits, 0, sizeof(bits));
		memset(&packed, 0, sizeof(packed));
		memset(&united, 0, sizeof(united));
		bit_fields[i].set(&bits, &packed, &united);
		expect_bits(test, d, "struct bits", &bit_fields[i], &bits, sizeof(bits));
		expect_bits(test, d, "struct packed", &bit_fields[i], &packed, sizeof(packed));
		expect_bits(test, d, "union bits", &bit_fields[i], &united, sizeof(united));
	}
}

static void pointers_lead_to_the_declared_type(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	const struct ktap_declared *d;
	char text[KTAP_TYPE_TEXT];
	struct ktap_load load;
	u32 type, cost, step;

	/* A pointer to a structure after it, which contains the pointer */
	test_type(c, NULL, KTAP_TYPE_POINTER, 0, 0, 1, 0);
	test_type(c, "struct node", KTAP_TYPE_STRUCT, 0, 0, 0, 0);
	test_member(c, "next", 0, -1);
	test_type(c, "node_t", KTAP_TYPE_TYPEDEF, 0, 0, 1, 0);
	test_type(c, "struct secret", KTAP_TYPE_STRUCT, 0, KTAP_TYPE_INCOMPLETE, 1, 0);
	test_type(c, "node_t[3]", KTAP_TYPE_ARRAY, 0, 0, 2, 3);
	d = load_types(test, c);
	type = ktap_type_declared(d, "node_t");
	KUNIT_EXPECT_EQ(test, ktap_type_declared(d, "struct node"), type);
	KUNIT_ASSERT_EQ(test, 0, ktap_type_member(d, type, "next", &load, &cost));
	KUNIT_EXPECT_EQ(test, type, load.type);
	KUNIT_EXPECT_STREQ(test, "struct node", ktap_type_text(d, type, text));
	KUNIT_EXPECT_STREQ(test, "next", ktap_type_near_member(d, type, "nxt"));
	KUNIT_EXPECT_EQ(test, 3, ktap_type_element(d, ktap_type_declared(d, "node_t[3]"), &load,
						   &step));
	KUNIT_EXPECT_EQ(test, sizeof(void *), step);
	KUNIT_EXPECT_EQ(test, type, load.type);
	type = ktap_type_declared(d, "struct secret");
	KUNIT_EXPECT_TRUE(test, ktap_type_incomplete(d, type));
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_type_member(d, type, "x", &load, &cost));
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_type_element(d, type, &load, &step));
	KUNIT_EXPECT_EQ(test, 0, ktap_type_declared(d, "struct other"));
}

static void a_type_of_the_kernel_is_not_declared(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	const struct ktap_declared *d;

	test_type(c, NULL, KTAP_TYPE_INT, 4, 0, 0, 0);
	test_type(c, "struct secret", KTAP_TYPE_STRUCT, 0, KTAP_TYPE_INCOMPLETE, 0, 0);
	d = load_types(test, c);
	KUNIT_EXPECT_TRUE(test, ktap_type_incomplete(d, KTAP_DECLARED | 1));
	/* The same index, but a number of BTF */
	KUNIT_EXPECT_FALSE(test, ktap_type_incomplete(d, 1));
	KUNIT_EXPECT_FALSE(test, ktap_type_incomplete(d, KTAP_DECLARED | 2));
	KUNIT_EXPECT_FALSE(test, ktap_type_incomplete(NULL, KTAP_DECLARED | 1));
	KUNIT_EXPECT_EQ(test, 0, ktap_type_declared(NULL, "struct secret"));
}

static struct kunit_case declare_cases[] = {
	KUNIT_CASE(members_are_where_the_c_compiler_has_them),
	KUNIT_CASE(bit_fields_are_where_the_c_compiler_has_them),
	KUNIT_CASE(pointers_lead_to_the_declared_type),
	KUNIT_CASE(a_type_of_the_kernel_is_not_declared),
	{}
};

static struct kunit_suite declare_suite = {
	.name = "ktap_declare",
	.test_cases = declare_cases,
};

kunit_test_suite(declare_suite);
