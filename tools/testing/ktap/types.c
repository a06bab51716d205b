// SPDX-License-Identifier: GPL-2.0
/*
 * The BTF of a small kernel that has one task and its parent, and of a module.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/kernel.h>

#include "types.h"

#define MAX_TYPES	256
#define MAX_STRINGS	4096
#define MAX_WORDS	64

bool types_missing;

/* Types and values that scripts see */

#ifdef __SIZEOF_INT128__
#define WIDE_INT	__int128
#else
#define WIDE_INT	struct wide_int

struct wide_int {
	u64 lo, hi;
} __aligned(16);
#endif

struct mm {
	unsigned long total_vm;
	unsigned long owner;
};

struct list {
	unsigned long next;
	unsigned long prev;
};

struct task {
	int pid;
	unsigned int flags;
	unsigned long parent;
	unsigned long mm;
	char comm[16];
	char full[4];
	signed char nice;
	unsigned char bytes[3];
	unsigned int in_execve : 1, : 2, sign : 5;
	u64 : 0;
	u64 low : 10, wide : 40;
	union {
		int both;
		struct {
			short lo;
			unsigned short hi;
		};
	};
	struct list children;
	int numbers[4];
	short matrix[2][3];
	struct list lists[2];
	int state;
	unsigned char ok;
	unsigned long opaque;
	unsigned long name;
	unsigned long fn;
	WIDE_INT big;
	unsigned long missing;
	unsigned long bad;
	unsigned long mms[2];
	int policy;
	unsigned int ntail;
	char tail[8];
};

struct sample {
	unsigned long next;
	unsigned long task;
	char name[8];
	int number;
};

static struct {
	struct task task;
	struct task parent;
	struct mm mm;
	char name[8];
	struct sample sample;
} area;

#define ADDRESS(what)	(TYPES_ADDRESS + ((char *)&area.what - (char *)&area))

static void fill_area(void)
{
	area.task = (struct task){
		.pid = 42,
		.flags = 0xffffffff,
		.parent = ADDRESS(parent),
		.mm = ADDRESS(mm),
		.comm = "some program",
		.full = { 'f', 'u', 'l', 'l' },
		.nice = -5,
		.bytes = { 1, 200, 3 },
		.in_execve = 1,
		.sign = 3,
		.low = 0x3ff,
		.wide = 0xa5a5a5a5a5,
		.lo = -2,
		.hi = 0xfffe,
		.children = { ADDRESS(task), ADDRESS(parent) },
		.numbers = { 10, -20, 30, 40 },
		.matrix = { { 1, 2, 3 }, { 4, 5, -6 } },
		.lists = { { 0, 0 }, { 0, ADDRESS(task.children) } },
		.state = -1,
		.ok = 1,
		.opaque = ADDRESS(mm),
		.name = ADDRESS(name),
		.fn = KERNEL(0x81000000),
		.missing = ADDRESS(mm),
		.bad = TYPES_ADDRESS + 0x6665f000,
		.mms = { 0, ADDRESS(mm) },
		.policy = 2,
		.ntail = 3,
		.tail = "tail",
	};
	area.parent = (struct task){ .pid = 1, .comm = "init" };
	area.mm = (struct mm){ .total_vm = 123456, .owner = ADDRESS(task) };
	strcpy(area.name, "a name");
	area.sample = (struct sample){
		.next = ADDRESS(sample), .task = ADDRESS(parent), .name = "sample", .number = -7,
	};
}

const void *types_memory(size_t *size)
{
	*size = sizeof(area);
	return &area;
}

/* The BTF */

struct btf {
	const struct btf *base;		/* in the module: numbers of the kernel's BTF */
	const char *module;
	u32 first;			/* the first type and string byte of the module */
	u32 first_string;
	const struct btf_type *types[MAX_TYPES];
	u32 ntypes;
	char strings[MAX_STRINGS];
	u32 nstrings;
	int users;
};

static struct btf kernel_btf, module_btf;

/* The BTF under construction. */
static struct btf *btf = &kernel_btf;

static u32 add_name(const char *name)
{
	u32 offset = btf->nstrings;

	if (!name)
		return 0;
	strcpy(btf->strings + offset, name);
	btf->nstrings += strlen(name) + 1;
	return btf->first_string + offset;
}

static u32 add_type(u8 kind, const char *name, u32 n, bool flag, u32 size, const void *data,
		    size_t len)
{
	struct btf_type *t = calloc(1, sizeof(*t) + len);

	t->name_off = add_name(name);
	t->info = (u32)flag << 31 | (u32)kind << 24 | n;
	t->size = size;
	if (len)
		memcpy(t + 1, data, len);
	btf->types[btf->ntypes] = t;
	return btf->first + btf->ntypes++;
}

static u32 add_int(const char *name, u32 size, u32 encoding)
{
	u32 data = encoding << 24 | size * 8;

	return add_type(BTF_KIND_INT, name, 0, false, size, &data, sizeof(data));
}

static u32 add_ref(u8 kind, const char *name, u32 type)
{
	return add_type(kind, name, 0, false, type, NULL, 0);
}

static u32 add_var(const char *name, u32 type)
{
	u32 linkage = BTF_VAR_GLOBAL_ALLOCATED;

	return add_type(BTF_KIND_VAR, name, 0, false, type, &linkage, sizeof(linkage));
}

static u32 add_array(u32 type, u32 n)
{
	struct btf_array data = { .type = type, .nelems = n };

	return add_type(BTF_KIND_ARRAY, NULL, 0, false, 0, &data, sizeof(data));
}

struct field {
	const char *name;
	u32 type;
	u32 offset;		/* bytes */
	u32 bits;		/* of a bit-field: size and offset */
	u32 shift;
};

static u32 add_struct(u8 kind, const char *name, u32 size, const struct field *fields, u32 n)
{
	struct btf_member *members = calloc(n, sizeof(*members));
	u32 id, i;

	for (i = 0; i < n; i++)
		members[i] = (struct btf_member){
			.name_off = add_name(fields[i].name),
			.type = fields[i].type,
			.offset = fields[i].bits << 24 | (fields[i].offset * 8 + fields[i].shift),
		};
	id = add_type(kind, name, n, true, size, members, n * sizeof(*members));
	free(members);
	return id;
}

#define STRUCT(type, size, ...)						\
	add_struct(BTF_KIND_STRUCT, type, size, (struct field[]){ __VA_ARGS__ },	\
		   sizeof((struct field[]){ __VA_ARGS__ }) / sizeof(struct field))

#define FIELD(m, t)		{ .name = #m, .type = t, .offset = offsetof(struct task, m) }
#define BITS(m, t, o, s, n)	{ .name = #m, .type = t, .offset = o, .shift = s, .bits = n }

/* The only type that is referenced before it is defined. */
static void set_struct(u32 id, u32 other)
{
	free((void *)btf->types[id]);
	btf->types[id] = btf->types[other];
}

struct param {
	const char *name;
	u32 type;
};

static u32 add_proto(u32 result, const struct param *list, u32 n)
{
	struct btf_param *params = calloc(n, sizeof(*params));
	u32 id, i;

	for (i = 0; i < n; i++)
		params[i] = (struct btf_param){
			.name_off = add_name(list[i].name), .type = list[i].type,
		};
	id = add_type(BTF_KIND_FUNC_PROTO, NULL, n, false, result, params, n * sizeof(*params));
	free(params);
	return id;
}

#define FUNCTION(function, result, ...)						\
	add_ref(BTF_KIND_FUNC, function, add_proto(result, (struct param[]){ __VA_ARGS__ },	\
		sizeof((struct param[]){ __VA_ARGS__ }) / sizeof(struct param)))

/* The functions of btf_kunit.c, and their types */
static void make_functions(u32 s32_, u32 u32_, u32 u64_, u32 uch, u32 boolean, u32 void_ptr,
			   u32 char_ptr)
{
	u32 memory, pair, packed, names, compare, word = add_ref(BTF_KIND_TYPEDEF, "u64", u64_);
	u32 half = btf_find_by_name_kind(btf, "u32", BTF_KIND_TYPEDEF);
	u32 flag = add_ref(BTF_KIND_TYPEDEF, "bool", boolean);

	memory = STRUCT("in_memory", 24, { "words", add_array(word, 3), 0 });
	pair = STRUCT("two_registers", 2 * sizeof(long), { "pointer", void_ptr, 0 },
		      { "flag", flag, sizeof(long), 1 });
	packed = STRUCT("not_aligned", 9, { "first", uch, 0 }, { "second", word, 1 });
	names = add_ref(BTF_KIND_PTR, NULL, add_ref(BTF_KIND_CONST, NULL, char_ptr));
	compare = add_ref(BTF_KIND_PTR, NULL, add_proto(s32_, &(struct param){ NULL, s32_ }, 1));
	FUNCTION("btf_kunit_by_value", word, { "first", s32_ }, { "pair", pair },
		 { "fourth", half });
	FUNCTION("btf_kunit_on_stack", word, { "a", word }, { "b", word }, { "c", word },
		 { "d", word }, { "e", word }, { "pair", pair }, { "sixth", word },
		 { "last", word });
	FUNCTION("btf_kunit_packed", word, { "packed", packed }, { "second", s32_ });
	FUNCTION("btf_kunit_plain", s32_, { "first", s32_ }, { "second", char_ptr });
	FUNCTION("btf_kunit_in_memory", memory, { "first", word });
	FUNCTION("btf_kunit_small", STRUCT("small", 4, { "number", s32_, 0 }),
		 { "first", s32_ });
	FUNCTION("btf_kunit_wide", word, { "first", s32_ });
	FUNCTION("btf_kunit_variadic", u32_, { "first", s32_ }, { NULL, 0 });
	FUNCTION("btf_kunit_pointers", flag, { "flag", flag }, { "names", names },
		 { "compare", compare });
	FUNCTION("btf_kunit_structure", s32_, { "pair", pair });
	FUNCTION("btf_kunit_seven", s32_, { "a", s32_ }, { "b", s32_ }, { "c", s32_ },
		 { "d", s32_ }, { "e", s32_ }, { "f", s32_ }, { "g", s32_ });
	add_ref(BTF_KIND_FUNC, "btf_kunit_void", add_proto(0, NULL, 0));
}

static void make_btf(void)
{
	const struct btf_enum states[] = {
		{ add_name("STATE_DEAD"), -1 }, { add_name("STATE_ALIVE"), 1 },
	};
	const struct btf_enum64 sizes[] = {
		{ add_name("SIZE_LARGE"), 5, 1 }, { add_name("SIZE_NONE"), ~0u, ~0u },
	};
	const struct btf_enum policies[] = { { add_name("POLICY_FIFO"), 2 } };
	u32 s32_, u32_, ulong, ch, sch, uch, sh, ush, u64_, boolean, wide, task, mm, list, state;
	u32 policy, task_ptr, mm_ptr, void_ptr, char_ptr, missing, fn_ptr, half, both, alias, pid;
	u32 bits = offsetof(struct task, bytes) + 3, wide_bits = ALIGN(bits + 1, 8);

	/* 0 is void, and the empty name. */
	btf->ntypes = 1;
	s32_ = add_int("int", 4, BTF_INT_SIGNED);
	u32_ = add_int("unsigned int", 4, 0);
	ulong = add_int("long unsigned int", sizeof(long), 0);
	ch = add_int("char", 1, BTF_INT_SIGNED);
	sch = add_int("signed char", 1, BTF_INT_SIGNED);
	uch = add_int("unsigned char", 1, 0);
	sh = add_int("short int", 2, BTF_INT_SIGNED);
	ush = add_int("short unsigned int", 2, 0);
	u64_ = add_int("long long unsigned int", 8, 0);
	boolean = add_int("_Bool", 1, BTF_INT_BOOL);
	wide = add_int("__int128", 16, BTF_INT_SIGNED);
	add_ref(BTF_KIND_TYPEDEF, "u32", u32_);
	pid = add_ref(BTF_KIND_TYPEDEF, "pid_t", add_ref(BTF_KIND_CONST, NULL, s32_));
	state = add_type(BTF_KIND_ENUM, "state", 2, true, 4, states, sizeof(states));
	add_type(BTF_KIND_ENUM64, "size", 2, true, 8, sizes, sizeof(sizes));
	policy = add_type(BTF_KIND_ENUM, "policy", 1, false, 4, policies, sizeof(policies));

	task = add_ref(BTF_KIND_FWD, "task_struct", 0);
	task_ptr = add_ref(BTF_KIND_PTR, NULL, add_ref(BTF_KIND_CONST, NULL, task));
	mm = STRUCT("mm_struct", sizeof(struct mm), { "total_vm", ulong, 0 },
		    { "owner", task_ptr, offsetof(struct mm, owner) });
	mm_ptr = add_ref(BTF_KIND_PTR, NULL, mm);
	void_ptr = add_ref(BTF_KIND_PTR, NULL, 0);
	char_ptr = add_ref(BTF_KIND_PTR, NULL, add_ref(BTF_KIND_CONST, NULL, ch));
	missing = add_ref(BTF_KIND_PTR, NULL, add_ref(BTF_KIND_FWD, "missing", 0));
	fn_ptr = add_ref(BTF_KIND_PTR, NULL,
			 add_type(BTF_KIND_FUNC_PROTO, NULL, 0, false, 0, NULL, 0));
	list = add_ref(BTF_KIND_FWD, "list_head", 0);
	add_ref(BTF_KIND_PTR, NULL, list);
	set_struct(list, STRUCT("list_head", sizeof(struct list), { "next", list + 1, 0 },
				{ "prev", list + 1, offsetof(struct list, prev) }));
	half = STRUCT(NULL, 4, { "lo", sh, 0 }, { "hi", ush, 2 });
	both = add_struct(BTF_KIND_UNION, NULL, 4,
			  (struct field[]){ { "both", s32_, 0 }, { NULL, half, 0 } }, 2);
	alias = add_ref(BTF_KIND_TYPEDEF, "numbers_t", add_array(s32_, 4));
	/* 4 GiB and 8 bytes: more than a size can be */
	add_ref(BTF_KIND_TYPEDEF, "huge_t", add_array(u64_, (1u << 29) + 1));

	add_var("current_task", task_ptr);
	add_var("cpu_number", s32_);
	add_var("wide_number", wide);
	set_struct(task, STRUCT("task_struct", sizeof(struct task),
		FIELD(pid, pid), FIELD(flags, u32_), FIELD(parent, task_ptr), FIELD(mm, mm_ptr),
		FIELD(comm, add_array(ch, 16)), FIELD(full, add_array(ch, 4)), FIELD(nice, sch),
		FIELD(bytes, add_array(uch, 3)),
		BITS(in_execve, u32_, bits, 0, 1), BITS(sign, s32_, bits, 3, 5),
		BITS(low, u64_, wide_bits, 0, 10), BITS(wide, u64_, wide_bits, 10, 40),
		{ NULL, both, offsetof(struct task, both) },
		FIELD(children, list), FIELD(numbers, alias),
		FIELD(matrix, add_array(add_array(sh, 3), 2)),
		FIELD(lists, add_array(list, 2)), FIELD(state, state), FIELD(ok, boolean),
		FIELD(opaque, void_ptr), FIELD(name, char_ptr), FIELD(fn, fn_ptr),
		FIELD(big, wide), FIELD(missing, missing), FIELD(bad, task_ptr),
		FIELD(mms, add_array(mm_ptr, 2)), FIELD(policy, policy), FIELD(ntail, u32_),
		FIELD(tail, add_array(ch, 0))));
	make_functions(s32_, u32_, u64_, uch, boolean, void_ptr, char_ptr);
}

/* The module: a structure that points to the kernel's, a function, and variables. */
static void make_module_btf(void)
{
	s32 int_ = btf_find_by_name_kind(&kernel_btf, "int", BTF_KIND_INT);
	s32 task = btf_find_by_name_kind(&kernel_btf, "task_struct", BTF_KIND_STRUCT);
	s32 ch = btf_find_by_name_kind(&kernel_btf, "char", BTF_KIND_INT);
	struct btf_param params[2];
	u32 sample, sample_ptr, proto;

	btf = &module_btf;
	module_btf.base = &kernel_btf;
	module_btf.module = "module";
	module_btf.first = kernel_btf.ntypes;
	module_btf.first_string = kernel_btf.nstrings;
	sample = STRUCT("sample", sizeof(struct sample),
			{ "number", int_, offsetof(struct sample, number) },
			{ "next", module_btf.first + 2, offsetof(struct sample, next) },
			{ "task", module_btf.first + 3, offsetof(struct sample, task) },
			{ "name", module_btf.first + 4, offsetof(struct sample, name) });
	add_ref(BTF_KIND_TYPEDEF, "sample_t", sample);
	sample_ptr = add_ref(BTF_KIND_PTR, NULL, module_btf.first + 1);
	add_ref(BTF_KIND_PTR, NULL, task);
	add_array(ch, 8);
	add_var("sample_first", sample);
	add_var("sample_percpu", int_);
	params[0] = (struct btf_param){ .name_off = add_name("sample"), .type = sample_ptr };
	params[1] = (struct btf_param){ .name_off = add_name("task"),
					.type = module_btf.first + 3 };
	proto = add_type(BTF_KIND_FUNC_PROTO, NULL, 2, false, sample_ptr, params, sizeof(params));
	add_ref(BTF_KIND_FUNC, "sample_next", proto);
	add_ref(BTF_KIND_FUNC, "sample_number",
		add_type(BTF_KIND_FUNC_PROTO, NULL, 1, false, int_, params, sizeof(params[0])));
}

struct btf *bpf_get_btf_vmlinux(void)
{
	if (!kernel_btf.ntypes) {
		kernel_btf.nstrings = 1;
		fill_area();
		make_btf();
		make_module_btf();
	}
	return types_missing ? NULL : &kernel_btf;
}

const struct btf_type *btf_type_by_id(const struct btf *b, u32 id)
{
	static const struct btf_type nothing;

	if (!id)
		return &nothing;
	if (id < b->first)
		return btf_type_by_id(b->base, id);
	return id - b->first < b->ntypes ? b->types[id - b->first] : NULL;
}

const char *btf_name_by_offset(const struct btf *b, u32 offset)
{
	if (offset < b->first_string)
		return btf_name_by_offset(b->base, offset);
	return b->strings + offset - b->first_string;
}

u32 btf_nr_types(const struct btf *b)
{
	return b->first + b->ntypes;
}

s32 btf_find_by_name_kind(const struct btf *b, const char *name, u8 kind)
{
	const struct btf_type *t;
	u32 id;

	for (id = 1; id < btf_nr_types(b); id++) {
		t = btf_type_by_id(b, id);
		if (btf_kind(t) == kind && !strcmp(btf_name_by_offset(b, t->name_off), name))
			return id;
	}
	return -ENOENT;
}

s32 bpf_find_btf_id(const char *name, u32 kind, struct btf **b)
{
	s32 id = btf_find_by_name_kind(&kernel_btf, name, kind);

	*b = &kernel_btf;
	if (id < 0) {
		*b = &module_btf;
		id = btf_find_by_name_kind(&module_btf, name, kind);
	}
	if (id > 0)
		btf_get(*b);
	return id;
}

bool btf_is_module(const struct btf *b)
{
	return b->module;
}

const char *btf_get_name(const struct btf *b)
{
	return b->module;
}

void btf_get(struct btf *b)
{
	b->users++;
}

void btf_put(struct btf *b)
{
	b->users--;
}

int types_users(void)
{
	return module_btf.users;
}

u64 types_sample(void)
{
	return ADDRESS(sample);
}
