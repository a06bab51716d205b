// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of the loader, one by one, by their names in
 * Documentation/trace/ktap-bytecode.rst: a chunk that is accepted, a change that
 * breaks this rule and no other, and the message for it.
 */
#include <linux/align.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "tests/build.h"

/* The place where a number of a chunk is changed. */
enum where {
	NOWHERE,
	IN_CHUNK,	/* at an offset of struct test_chunk */
	IN_HEADER,	/* of struct ktap_header, in the bytes */
	IN_SECTION,	/* plus its type: of its struct ktap_section, in the bytes */
};

struct edit {
	u8 where;
	u8 size;
	u32 offset;
	u32 value;
};

#define EDIT(_where, _offset, _size, _value)	\
	{ .where = _where, .offset = _offset, .size = _size, .value = _value }
/* A number of 4, 2 or 1 bytes */
#define SET(member, value)	\
	EDIT(IN_CHUNK, offsetof(struct test_chunk, member), 4, value)
#define SET16(member, value)	\
	EDIT(IN_CHUNK, offsetof(struct test_chunk, member), 2, value)
#define SET8(member, value)	\
	EDIT(IN_CHUNK, offsetof(struct test_chunk, member), 1, value)
#define HEADER(member, value)	\
	EDIT(IN_HEADER, offsetof(struct ktap_header, member), 4, value)
#define SECTION(type, member, value)	\
	EDIT((u8)IN_SECTION + KTAP_SEC_##type, offsetof(struct ktap_section, member), 4, value)

/* The bytes of a chunk, kvmalloc'ed. */
struct bytes {
	u8 *data;
	size_t len;
};

/**
 * struct rule - a case of a rule of the loader
 * @name: as in the documentation; after a dot, the case of the rule
 * @err: result of loading
 * @message: the error message
 * @make: adds to the chunk, which must then be accepted
 * @edits: numbers to change, to break the rule
 * @spoil: breaks the rule, if changed numbers cannot
 */
struct rule {
	const char *name;
	int err;
	const char *message;
	void (*make)(struct test_chunk *c);
	struct edit edits[2];
	void (*spoil)(struct kunit *test, struct bytes *b);
};

/* Reallocate the bytes, with a gap of @more bytes after @at. */
static void make_room(struct kunit *test, struct bytes *b, size_t at, size_t more)
{
	u8 *data = kvzalloc(b->len + more, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, data);
	memcpy(data, b->data, at);
	memcpy(data + at + more, b->data + at, b->len - at);
	kvfree(b->data);
	b->data = data;
	b->len += more;
	((struct ktap_header *)data)->length = cpu_to_le32(b->len);
}

static void cut_header(struct kunit *test, struct bytes *b)
{
	size_t len = sizeof(struct ktap_header) - 1;
	u8 *data = kvmalloc(len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, data);
	memcpy(data, b->data, len);
	kvfree(b->data);
	b->data = data;
	b->len = len;
}

static void grow_to(struct kunit *test, struct bytes *b, size_t len)
{
	make_room(test, b, b->len, len - b->len);
}

static void grow_too_large(struct kunit *test, struct bytes *b)
{
	grow_to(test, b, KTAP_MAX_CHUNK + 1);
}

static void add_sections(struct kunit *test, struct bytes *b, u32 n)
{
	u32 old = le32_to_cpu(((struct ktap_header *)b->data)->nsections), i;
	size_t more = (n - old) * sizeof(struct ktap_section);
	struct ktap_section *s;

	make_room(test, b, sizeof(struct ktap_header) + old * sizeof(*s), more);
	((struct ktap_header *)b->data)->nsections = cpu_to_le32(n);
	s = (struct ktap_section *)(b->data + sizeof(struct ktap_header));
	for (i = 0; i < old; i++)
		le32_add_cpu(&s[i].offset, more);
	for (; i < n; i++)
		s[i] = (struct ktap_section){
			.type = cpu_to_le32(1000 + i),
			.flags = cpu_to_le32(KTAP_SEC_OPTIONAL),
			.offset = cpu_to_le32(ALIGN_DOWN(b->len, 8)),
		};
}

static void add_too_many_sections(struct kunit *test, struct bytes *b)
{
	add_sections(test, b, 33);
}

static void add_section_twice(struct kunit *test, struct bytes *b)
{
	struct ktap_section *s;

	add_sections(test, b, 13);
	s = (struct ktap_section *)(b->data + sizeof(struct ktap_header));
	s[11].type = cpu_to_le32(1000);
	s[12].type = cpu_to_le32(1000);
}

/* With the key of TGETS, the maximum number of names. */
static void fill_fields(struct test_chunk *c)
{
	for (; c->nfields < KTAP_MAX_FIELDS - 1; c->nfields++)
		c->fields[c->nfields] = c->fields[0];
}

/* Longer than allowed, with no data after it. */
static void add_integers(struct kunit *test, struct bytes *b)
{
	size_t len = (KTAP_MAX_INTS + 1) * sizeof(__le64), at = b->len;
	struct ktap_section *s;

	make_room(test, b, at, len);
	s = test_section(b->data, KTAP_SEC_INTS);
	s->offset = cpu_to_le32(at);
	s->size = cpu_to_le32(len);
	s->count = cpu_to_le32(KTAP_MAX_INTS + 1);
}

/* String 10 has the maximum length, and two NULs follow. */
static void add_long_string(struct test_chunk *c)
{
	char *s = kunit_kzalloc(c->test, KTAP_MAX_STRLEN, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(c->test, s);
	memset(s, 'x', KTAP_MAX_STRLEN);
	test_string_of(c, s, KTAP_MAX_STRLEN);
	test_string(c, "");
}

/* Function 3 has two unneeded instructions. */
static void add_unused(struct test_chunk *c, u8 op, u8 a, s32 d)
{
	test_func(c, "g", 0, 1);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -1);
	test_insn(c, op, a, 0, 0, d);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -1);
	test_lines(c);
}

static void add_jump(struct test_chunk *c)
{
	add_unused(c, KTAP_OP_JMP, 0, -1);
}

/* Functions 3 and 4 use no register and are not called. */
static void add_functions(struct test_chunk *c)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		test_func(c, "g", 0, 1);
		test_insn(c, KTAP_OP_JMP, 0, 0, 0, -1);
	}
	c->funcs[4].nparams = KTAP_MAX_ARGS;
	c->funcs[4].nregs = KTAP_MAX_ARGS + 1;
	test_lines(c);
}

static void one_more_field(struct kunit *test, struct bytes *b)
{
	struct ktap_section *s = test_section(b->data, KTAP_SEC_FIELDS), *others;
	struct ktap_header *h = (void *)b->data;
	u32 end = le32_to_cpu(s->offset) + le32_to_cpu(s->size), i;

	/* It replaces the padding, and adds new padding. */
	le32_add_cpu(&s->count, 1);
	le32_add_cpu(&s->size, sizeof(__le32));
	memcpy(b->data + end, b->data + end - sizeof(__le32), sizeof(__le32));
	others = (struct ktap_section *)(h + 1);
	for (i = 0; i < le32_to_cpu(h->nsections); i++)
		KUNIT_ASSERT_TRUE(test, &others[i] == s ||
				  le32_to_cpu(others[i].offset) < end ||
				  le32_to_cpu(others[i].offset) >= end + sizeof(__le32));
}

static void wrong_file_of_a_line(struct kunit *test, struct bytes *b)
{
	const struct ktap_section *s = test_section(b->data, KTAP_SEC_LINES);
	struct ktap_line *lines = (void *)(b->data + le32_to_cpu(s->offset));

	lines[7].file = cpu_to_le16(1);
}

#define MALFORMED	"ktap: error: malformed chunk: "

static const struct rule rules[] = {
	{ "header-size", -EINVAL, MALFORMED "23 bytes hold no header", .spoil = cut_header },
	{ "header-magic", -EINVAL, MALFORMED "this is no chunk (wrong magic)",
	  .edits = { SET8(header.magic[3], 'q') } },
	{ "header-abi.major", -EPROTONOSUPPORT,
	  "ktap: error: the chunk needs ABI 2.0, this kernel has 1.0",
	  .edits = { SET16(header.major, 2) } },
	{ "header-abi.minor", -EPROTONOSUPPORT,
	  "ktap: error: the chunk needs ABI 1.1, this kernel has 1.0",
	  .edits = { SET16(header.minor, 1) } },
	{ "chunk-size", -E2BIG, "ktap: error: a chunk of 4194305 bytes; 4194304 is the most",
	  .spoil = grow_too_large },
	{ "header-length.less", -EINVAL, MALFORMED "length 727 in the header, 728 bytes came",
	  .edits = { HEADER(length, 727) } },
	{ "header-length.more", -EINVAL, MALFORMED "length 729 in the header, 728 bytes came",
	  .edits = { HEADER(length, 729) } },
	{ "header-flags", -EINVAL, MALFORMED "unknown flags 0x2",
	  .edits = { SET(header.flags, 2) } },
	{ "section-number", -EINVAL, MALFORMED "33 sections; 32 is the most",
	  .spoil = add_too_many_sections },
	{ "section-room", -EINVAL, MALFORMED "no room for 30 sections",
	  .edits = { HEADER(nsections, 30) } },

	{ "section-flags", -EINVAL, MALFORMED "section 2 has unknown flags",
	  .edits = { SECTION(INTS, flags, 2) } },
	{ "section-flags.reserved", -EINVAL, MALFORMED "section 2 has unknown flags",
	  .edits = { SECTION(INTS, reserved, 1) } },
	{ "section-alignment", -EINVAL, MALFORMED "section 2 is not aligned",
	  .edits = { SECTION(INTS, offset, 444) } },
	{ "section-place.in_the_table", -EINVAL, MALFORMED "section 2 lies outside",
	  .edits = { SECTION(INTS, offset, 280) } },
	{ "section-place.behind", -EINVAL, MALFORMED "section 2 lies outside",
	  .edits = { SECTION(INTS, offset, 736) } },
	{ "section-place.far_behind", -EINVAL, MALFORMED "section 2 lies outside",
	  .edits = { SECTION(INTS, offset, 0xfffffff8) } },
	{ "section-place.too_long", -EINVAL, MALFORMED "section 4 lies outside",
	  .edits = { SECTION(CODE, size, 72), SECTION(CODE, count, 9) } },
	{ "section-place.much_too_long", -EINVAL, MALFORMED "section 4 lies outside",
	  .edits = { SECTION(CODE, size, 0xfffffff8) } },
	{ "section-once", -EINVAL, MALFORMED "section 1000 exists twice",
	  .spoil = add_section_twice },
	{ "section-overlap", -EINVAL, MALFORMED "sections 6 and 7 overlap",
	  .edits = { SECTION(FIELDS, offset, 520) } },
	{ "section-overlap.inside", -EINVAL, MALFORMED "sections 1 and 7 overlap",
	  .edits = { SECTION(FIELDS, offset, 376) } },
	{ "section-known", -EINVAL, MALFORMED "unknown section 15",
	  .edits = { SECTION(INTS, type, 15) } },
	{ "section-known.0", -EINVAL, MALFORMED "unknown section 0",
	  .edits = { SECTION(INTS, type, 0) } },
	{ "section-count", -E2BIG, "ktap: error: too many integers: 65537; 65536 is the most",
	  .spoil = add_integers },
	{ "section-count.wraps", -E2BIG,
	  "ktap: error: too many integers: 536870913; 65536 is the most",
	  .edits = { SECTION(INTS, count, 0x20000001) } },
	{ "section-entries.more", -EINVAL, MALFORMED "integers: 2 entries in 8 bytes",
	  .edits = { SECTION(INTS, count, 2) } },
	{ "section-entries.fewer", -EINVAL, MALFORMED "integers: 0 entries in 8 bytes",
	  .edits = { SECTION(INTS, count, 0) } },
	{ "section-entries.and_bytes", -EINVAL, MALFORMED "strings: 20 entries in 155 bytes",
	  .edits = { SECTION(STRINGS, count, 20) } },
	{ "section-required.functions", -EINVAL, MALFORMED "there is no functions",
	  .edits = { SECTION(FUNCS, count, 0), SECTION(FUNCS, size, 0) } },
	{ "section-required.code", -EINVAL, MALFORMED "there is no code",
	  .edits = { SECTION(CODE, count, 0), SECTION(CODE, size, 0) } },

	{ "string-length", -E2BIG, "ktap: error: a string of 4097 bytes; 4096 is the most",
	  .make = add_long_string, .edits = { SET(strings[10].len, 4097) } },
	{ "string-place.in_the_entries", -EINVAL, MALFORMED "string 0 lies outside",
	  .edits = { SET(strings[0].offset, -1), SET(strings[0].len, 0) } },
	{ "string-place.behind", -EINVAL, MALFORMED "string 0 lies outside",
	  .edits = { SET(strings[0].offset, 76) } },
	{ "string-place.no_room_for_the_nul", -EINVAL, MALFORMED "string 9 lies outside",
	  .edits = { SET(strings[9].len, 8) } },
	{ "string-end", -EINVAL, MALFORMED "string 0 has no end",
	  .edits = { SET(strings[0].len, 3) } },

	{ "function-name", -EINVAL, MALFORMED "function 0: its name is string 10 of 10",
	  .edits = { SET(funcs[0].name, 10) } },
	{ "function-flags", -EINVAL, MALFORMED "function 0 has unknown flags",
	  .edits = { SET16(funcs[0].flags, 2) } },
	{ "function-registers.none", -EINVAL, MALFORMED "function 3: 0 parameters, 0 registers",
	  .make = add_functions, .edits = { SET8(funcs[3].nregs, 0) } },
	{ "function-registers.too_many", -EINVAL,
	  MALFORMED "function 0: 0 parameters, 251 registers",
	  .edits = { SET8(funcs[0].nregs, 251) } },
	{ "function-registers.fewer_than_parameters", -EINVAL,
	  MALFORMED "function 3: 2 parameters, 1 registers",
	  .make = add_functions, .edits = { SET8(funcs[3].nparams, 2) } },
	{ "function-registers.parameters", -EINVAL,
	  MALFORMED "function 4: 33 parameters, 33 registers",
	  .make = add_functions, .edits = { SET8(funcs[4].nparams, 33) } },
	{ "function-code.empty", -EINVAL, MALFORMED "function 0 lies outside the code",
	  .edits = { SET(funcs[0].ninsns, 0) } },
	{ "function-code.too_long", -EINVAL, MALFORMED "function 2 lies outside the code",
	  .edits = { SET(funcs[2].ninsns, 3) } },
	{ "function-code.behind", -EINVAL, MALFORMED "function 2 lies outside the code",
	  .edits = { SET(funcs[2].first, 9) } },
	{ "function-overlap", -EINVAL, MALFORMED "function 4 overlaps another",
	  .make = add_functions, .edits = { SET(funcs[3].ninsns, 2) } },
	{ "function-all", -EINVAL, MALFORMED "instruction 10 belongs to no function",
	  .make = add_jump, .edits = { SET(funcs[3].ninsns, 2) } },
	{ "function-all.first", -EINVAL, MALFORMED "instruction 0 belongs to no function",
	  .edits = { SET(funcs[0].first, 1), SET(funcs[0].ninsns, 2) } },
	{ "main-exists", -EINVAL, MALFORMED "the top level is function 3 of 3",
	  .edits = { SET(header.main, 3) } },
	{ "main-parameters", -EINVAL, MALFORMED "the top level takes parameters",
	  .edits = { SET(header.main, 1) } },

	{ "probe-event", -EINVAL, MALFORMED "probe 0: its event is string 10 of 10",
	  .edits = { SET(probes[0].event, 10) } },
	{ "probe-handler", -EINVAL, MALFORMED "probe 0: function 3 is no handler",
	  .edits = { SET(probes[0].handler, 3) } },
	{ "probe-handler.parameters", -EINVAL, MALFORMED "probe 0: function 1 is no handler",
	  .edits = { SET8(funcs[1].nparams, 2) } },
	{ "probe-filter", -EINVAL, MALFORMED "probe 0: function 3 is no filter",
	  .edits = { SET(probes[0].filter, 3) } },
	{ "probe-filter.parameters", -EINVAL, MALFORMED "probe 0: function 2 is no filter",
	  .edits = { SET8(funcs[2].nparams, 1) } },
	{ "probe-condition", -EINVAL, MALFORMED "probe 0: its condition is global 1 of 1",
	  .edits = { SET(probes[0].condition, 2) } },
	{ "probe-condition.none", -EINVAL,
	  MALFORMED "probe 0: its condition is global 4294967294 of 1",
	  .edits = { SET(probes[0].condition, KTAP_NONE) } },

	{ "global-name", -EINVAL, MALFORMED "global 0: its name is string 10 of 10",
	  .edits = { SET(globals[0], 10) } },
	{ "field-name", -EINVAL, MALFORMED "field 0: its name is string 10 of 10",
	  .edits = { SET(fields[0], 10) } },
	{ "field-number", -E2BIG,
	  "ktap: error: too many names of fields: 1025; 1024 is the most",
	  .make = fill_fields, .spoil = one_more_field },

	{ "file-name", -EINVAL, MALFORMED "file 0: its name is string 10 of 10",
	  .edits = { SET(files[0].name, 10) } },
	{ "file-flags", -EINVAL, MALFORMED "file 0 has unknown flags",
	  .edits = { SET(files[0].reserved, 1) } },
	{ "file-text.in_the_entries", -EINVAL, MALFORMED "the text of file 0 lies outside",
	  .edits = { SET(files[0].text, 8), SET(files[0].len, 8) } },
	{ "file-text.too_long", -EINVAL, MALFORMED "the text of file 0 lies outside",
	  .edits = { SET(files[0].text, 16), SET(files[0].len, 1) } },
	{ "file-text.behind", -EINVAL, MALFORMED "the text of file 0 lies outside",
	  .edits = { SET(files[0].text, 17), SET(files[0].len, U32_MAX) } },
	{ "line-number", -EINVAL, MALFORMED "7 lines for 8 instructions",
	  .edits = { SECTION(LINES, count, 7), SECTION(LINES, size, 56) } },
	{ "line-file", -EINVAL, MALFORMED "line of instruction 7: file 1 of 1",
	  .spoil = wrong_file_of_a_line },

	{ "try-flags", -EINVAL, MALFORMED "try 0 has unknown flags",
	  .edits = { SET8(tries[0].reserved[2], 1) } },
	{ "try-place.backward", -EINVAL, MALFORMED "try 0 lies outside the code",
	  .edits = { SET(tries[0].first, 3) } },
	{ "try-place.too_long", -EINVAL, MALFORMED "try 0 lies outside the code",
	  .edits = { SET(tries[0].end, 9) } },
	{ "try-place.handler", -EINVAL, MALFORMED "try 0 lies outside the code",
	  .edits = { SET(tries[0].handler, 8) } },

	{ "option-name", -EINVAL, MALFORMED "option 1: its name is string 10 of 10",
	  .edits = { SET(options[1].name, 10) } },
	{ "option-flags", -EINVAL, MALFORMED "option 0 has unknown flags",
	  .edits = { SET(options[0].flags, 1) } },
	{ "option-text.help", -EINVAL, MALFORMED "option 0 has no such text",
	  .edits = { SET(options[0].help, 10) } },
	{ "option-text.value", -EINVAL, MALFORMED "option 0 has no such text",
	  .edits = { SET(options[0].value, KTAP_NONE - 1) } },
	{ "option-once", -EINVAL, MALFORMED "option 1 exists twice",
	  .edits = { SET(options[1].name, 7) } },
};

/* Little endian, as in chunks. */
static void put(void *p, const struct edit *e)
{
	u8 *to = p + e->offset;
	unsigned int i;

	for (i = 0; i < e->size; i++)
		to[i] = e->value >> 8 * i;
}

static void edit_chunk(const struct rule *rule, struct test_chunk *c)
{
	const struct edit *e;

	for (e = rule->edits; e < rule->edits + ARRAY_SIZE(rule->edits); e++) {
		if (e->where == IN_CHUNK)
			put(c, e);
	}
}

static void edit_bytes(struct kunit *test, const struct rule *rule, void *p)
{
	const struct edit *e;
	void *to;

	for (e = rule->edits; e < rule->edits + ARRAY_SIZE(rule->edits); e++) {
		if (e->where == NOWHERE || e->where == IN_CHUNK)
			continue;
		to = e->where == IN_HEADER ? p : test_section(p, e->where - IN_SECTION);
		KUNIT_ASSERT_NOT_NULL(test, to);
		put(to, e);
	}
}

static void a_rule_is_kept(struct kunit *test)
{
	const struct rule *rule = test->param_value;
	struct test_chunk *c = test_full_chunk(test);
	struct bytes b;

	if (rule->make)
		rule->make(c);
	KUNIT_ASSERT_NOT_NULL(test, test_load(c));
	edit_chunk(rule, c);
	b.data = test_bytes(c, &b.len);
	edit_bytes(test, rule, b.data);
	if (rule->spoil)
		rule->spoil(test, &b);
	test_bytes_refused_as(test, b.data, b.len, rule->err, rule->message);
}

KUNIT_ARRAY_PARAM_DESC(rules, rules, name);

/* One more than this is refused. */
static void a_chunk_may_be_as_large_as_the_limits(struct kunit *test)
{
	struct ktap_program *prog;
	struct ktap_diag *diag;
	struct bytes b;

	diag = test_diag(test);
	b.data = test_bytes(test_full_chunk(test), &b.len);
	add_sections(test, &b, 32);
	grow_to(test, &b, KTAP_MAX_CHUNK);
	prog = ktap_program_load(b.data, b.len, diag);
	if (IS_ERR(prog))
		kvfree(b.data);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(prog), "%s", diag->text);
	ktap_program_free(prog);
}

/* They would not be verified, but much of the loader reads all instructions. */
static void instructions_outside_functions_are_ignored(struct kunit *test)
{
	static const struct ktap_code wild[] = {
		{ .op = KTAP_OP_CALLB, .d = S32_MAX },
		{ .op = KTAP_OP_SYMBOL, .d = S32_MAX },
		{ .op = KTAP_OP_FIELD, .d = S32_MAX },
		{ .op = 255, .d = S32_MIN },
	};
	struct test_chunk *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(wild); i++) {
		c = test_full_chunk(test);
		add_unused(c, wild[i].op, wild[i].a, wild[i].d);
		c->funcs[3].ninsns = cpu_to_le32(1);
		test_refused_as(c, -EINVAL, MALFORMED "instruction 9 belongs to no function");
	}
}

static struct kunit_case chunk_rules_cases[] = {
	KUNIT_CASE_PARAM(a_rule_is_kept, rules_gen_params),
	KUNIT_CASE(instructions_outside_functions_are_ignored),
	KUNIT_CASE(a_chunk_may_be_as_large_as_the_limits),
	{}
};

static struct kunit_suite chunk_rules_suite = {
	.name = "ktap_chunk_rules",
	.test_cases = chunk_rules_cases,
};

kunit_test_suite(chunk_rules_suite);
