// SPDX-License-Identifier: GPL-2.0
/*
 * Chunks and activations for the KUnit tests.
 */
#include <linux/align.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <asm/byteorder.h>

#include "jit/jit.h"
#include "tests/build.h"
#include "vm/env.h"
#include "vm/vm.h"

/* With build.test_fenced=1 on the command line of the kernel, activations of tests are fenced. */
static bool test_fenced;
module_param(test_fenced, bool, 0400);

static void free_chunk(void *p)
{
	struct test_chunk *c = p;

	kvfree(c->insns);
	kvfree(c->lines);
	kvfree(c);
}

struct test_chunk *test_large_chunk(struct kunit *test, u32 max_insns)
{
	struct test_chunk *c = kvcalloc(1, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_chunk, c));
	c->test = test;
	c->max_insns = max_insns;
	c->insns = kvcalloc(max_insns, sizeof(*c->insns), GFP_KERNEL);
	c->lines = kvcalloc(max_insns, sizeof(*c->lines), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c->insns);
	KUNIT_ASSERT_NOT_NULL(test, c->lines);
	memcpy(c->header.magic, KTAP_MAGIC, KTAP_MAGIC_LEN);
	c->header.major = cpu_to_le16(KTAP_ABI_MAJOR);
	c->header.minor = cpu_to_le16(KTAP_ABI_MINOR);
	return c;
}

struct test_chunk *test_chunk(struct kunit *test)
{
	return test_large_chunk(test, 256);
}

struct ktap_diag *test_diag(struct kunit *test)
{
	struct ktap_diag *diag = kunit_kzalloc(test, sizeof(*diag), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, diag);
	return diag;
}

u32 test_string_of(struct test_chunk *c, const void *bytes, size_t len)
{
	KUNIT_ASSERT_LT(c->test, c->nstrings, TEST_MAX);
	KUNIT_ASSERT_LT(c->test, c->string_bytes + len, TEST_BYTES);
	memcpy(c->bytes + c->string_bytes, bytes, len);
	/* The offset is relative to the bytes here, and to the section in the chunk. */
	c->strings[c->nstrings].offset = cpu_to_le32(c->string_bytes);
	c->strings[c->nstrings].len = cpu_to_le32(len);
	c->string_bytes += len + 1;
	return c->nstrings++;
}

u32 test_string(struct test_chunk *c, const char *s)
{
	return test_string_of(c, s, strlen(s));
}

u32 test_int(struct test_chunk *c, s64 i)
{
	c->ints[c->nints] = cpu_to_le64(i);
	return c->nints++;
}

u32 test_global(struct test_chunk *c, const char *name)
{
	c->globals[c->nglobals] = cpu_to_le32(test_string(c, name));
	return c->nglobals++;
}

u32 test_field(struct test_chunk *c, const char *name)
{
	c->fields[c->nfields] = cpu_to_le32(test_string(c, name));
	return c->nfields++;
}

u32 test_func(struct test_chunk *c, const char *name, u8 nparams, u8 nregs)
{
	c->funcs[c->nfuncs] = (struct ktap_function){
		.name = cpu_to_le32(test_string(c, name)),
		.first = cpu_to_le32(c->ninsns),
		.nparams = nparams,
		.nregs = nregs,
	};
	return c->nfuncs++;
}

u32 test_variadic(struct test_chunk *c, const char *name, u8 nparams, u8 nregs)
{
	u32 func = test_func(c, name, nparams, nregs);

	c->funcs[func].flags = cpu_to_le16(KTAP_FUNC_VARIADIC);
	return func;
}

u32 test_insn(struct test_chunk *c, u8 op, u8 a, u8 b, u8 cc, s32 d)
{
	struct ktap_function *f = &c->funcs[c->nfuncs - 1];

	KUNIT_ASSERT_LT(c->test, c->ninsns, c->max_insns);
	c->insns[c->ninsns] = (struct ktap_code){
		.op = op, .a = a, .b = b, .c = cc, .d = d,
	};
	f->ninsns = cpu_to_le32(le32_to_cpu(f->ninsns) + 1);
	return c->ninsns++;
}

u32 test_probe(struct test_chunk *c, const char *event, u32 filter, u32 handler)
{
	c->probes[c->nprobes] = (struct ktap_probe_desc){
		.event = cpu_to_le32(test_string(c, event)),
		.filter = cpu_to_le32(filter),
		.handler = cpu_to_le32(handler),
	};
	return c->nprobes++;
}

void test_try(struct test_chunk *c, u32 first, u32 end, u32 handler, u8 reg)
{
	KUNIT_ASSERT_LT(c->test, c->ntries, TEST_MAX);
	c->tries[c->ntries++] = (struct ktap_try){
		.first = cpu_to_le32(first),
		.end = cpu_to_le32(end),
		.handler = cpu_to_le32(handler),
		.reg = reg,
	};
}

u32 test_option(struct test_chunk *c, const char *name)
{
	KUNIT_ASSERT_LT(c->test, c->noptions, TEST_MAX);
	c->options[c->noptions] = (struct ktap_option){
		.name = cpu_to_le32(test_string(c, name)),
		.help = cpu_to_le32(KTAP_NONE),
		.value = cpu_to_le32(KTAP_NONE),
	};
	return c->noptions++;
}

struct ktap_type *test_type(struct test_chunk *c, const char *name, u8 kind, u8 size, u16 flags,
			    u32 type, u32 count)
{
	struct ktap_type *t = &c->types[c->ntypes];

	KUNIT_ASSERT_LT(c->test, c->ntypes, TEST_MAX);
	c->ntypes++;
	*t = (struct ktap_type){
		.name = cpu_to_le32(name ? test_string(c, name) : KTAP_NONE),
		.kind = kind,
		.size = size,
		.flags = cpu_to_le16(flags),
		.type = cpu_to_le32(type),
		.count = cpu_to_le32(count),
	};
	return t;
}

struct ktap_member *test_member(struct test_chunk *c, const char *name, u32 type, int bits)
{
	struct ktap_member *m = &c->members[c->nmembers];

	KUNIT_ASSERT_LT(c->test, c->nmembers, TEST_MAX);
	c->nmembers++;
	le32_add_cpu(&c->types[c->ntypes - 1].count, 1);
	*m = (struct ktap_member){
		.name = cpu_to_le32(name ? test_string(c, name) : KTAP_NONE),
		.type = cpu_to_le32(type),
		.bits = max(bits, 0),
		.flags = cpu_to_le16(bits < 0 ? 0 : KTAP_MEMBER_BITS),
	};
	return m;
}

void test_lines(struct test_chunk *c)
{
	u32 i;

	c->files[0].name = cpu_to_le32(test_string(c, "test.kp"));
	c->nfiles = 1;
	for (i = 0; i < c->ninsns; i++)
		c->lines[i].line = cpu_to_le32(i + 1);
	c->nlines = c->ninsns;
}

struct test_chunk *test_full_chunk(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	u32 handler, filter;

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_INTK, 0, 0, 0, test_int(c, S64_MIN));
	test_insn(c, KTAP_OP_SETG, 0, 0, 0, test_global(c, "g"));
	TEST_RET(c);
	handler = test_func(c, "handler", 1, 2);
	test_insn(c, KTAP_OP_FIELD, 1, 0, 0, test_field(c, "prev_pid"));
	test_insn(c, KTAP_OP_TGETS, 1, 0, 0, test_string(c, "next_pid"));
	TEST_RET(c);
	filter = test_func(c, "filter", 0, 1);
	test_insn(c, KTAP_OP_BOOL, 0, 1, 0, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_probe(c, "sched:sched_switch", filter, handler);
	test_try(c, 1, 2, 2, 1);
	test_option(c, "pid");
	test_option(c, "min");
	test_lines(c);
	return c;
}

/* Append a section: entries, and the bytes after them, if any. */
static size_t put_section(void *chunk, size_t len, u32 *nsections, u32 type, u32 count,
			  const void *entries, size_t size, const void *bytes, size_t nbytes)
{
	struct ktap_section *s = chunk + sizeof(struct ktap_header);

	if (!count)
		return len;
	s[(*nsections)++] = (struct ktap_section){
		.type = cpu_to_le32(type),
		.offset = cpu_to_le32(len),
		.size = cpu_to_le32(count * size + nbytes),
		.count = cpu_to_le32(count),
	};
	memcpy(chunk + len, entries, count * size);
	len += count * size;
	if (nbytes)
		memcpy(chunk + len, bytes, nbytes);
	return ALIGN(len + nbytes, 8);
}

void *test_bytes(struct test_chunk *c, size_t *len)
{
	u32 room = KTAP_SEC_OPTIONS + (c->ntypes || c->nmembers ? 2 : 0);
	size_t size = sizeof(*c) + room * sizeof(struct ktap_section) +
		      (size_t)c->ninsns * (sizeof(struct ktap_insn) + sizeof(*c->lines));
	size_t n = sizeof(struct ktap_header) + room * sizeof(struct ktap_section);
	struct ktap_string strings[TEST_MAX];
	struct ktap_insn *insns;
	void *p = kvzalloc(size, GFP_KERNEL);
	struct ktap_header *h = p;
	u32 i, nsections = 0;

	KUNIT_ASSERT_NOT_NULL(c->test, p);
	for (i = 0; i < c->nstrings; i++) {
		strings[i] = c->strings[i];
		le32_add_cpu(&strings[i].offset, c->nstrings * sizeof(*strings));
	}
	n = put_section(p, n, &nsections, KTAP_SEC_STRINGS, c->nstrings, strings,
			sizeof(*strings), c->bytes, c->string_bytes);
	n = put_section(p, n, &nsections, KTAP_SEC_INTS, c->nints, c->ints,
			sizeof(*c->ints), NULL, 0);
	n = put_section(p, n, &nsections, KTAP_SEC_FUNCS, c->nfuncs, c->funcs,
			sizeof(*c->funcs), NULL, 0);
	n = put_section(p, n, &nsections, KTAP_SEC_PROBES, c->nprobes, c->probes,
			sizeof(*c->probes), NULL, 0);
	n = put_section(p, n, &nsections, KTAP_SEC_GLOBALS, c->nglobals, c->globals,
			sizeof(*c->globals), NULL, 0);
	n = put_section(p, n, &nsections, KTAP_SEC_FIELDS, c->nfields, c->fields,
			sizeof(*c->fields), NULL, 0);
	n = put_section(p, n, &nsections, KTAP_SEC_LINES, c->nlines, c->lines,
			sizeof(*c->lines), NULL, 0);
	n = put_section(p, n, &nsections, KTAP_SEC_FILES, c->nfiles, c->files,
			sizeof(*c->files), NULL, 0);
	n = put_section(p, n, &nsections, KTAP_SEC_TRIES, c->ntries, c->tries,
			sizeof(*c->tries), NULL, 0);
	n = put_section(p, n, &nsections, KTAP_SEC_OPTIONS, c->noptions, c->options,
			sizeof(*c->options), NULL, 0);
	n = put_section(p, n, &nsections, KTAP_SEC_TYPES, c->ntypes, c->types,
			sizeof(*c->types), NULL, 0);
	n = put_section(p, n, &nsections, KTAP_SEC_MEMBERS, c->nmembers, c->members,
			sizeof(*c->members), NULL, 0);
	/* This section is last and has no padding: cutting a chunk anywhere removes data. */
	n = put_section(p, n, &nsections, KTAP_SEC_CODE, c->ninsns, c->insns,
			sizeof(*insns), NULL, 0);
	insns = p + n - c->ninsns * sizeof(*insns);
	for (i = 0; i < c->ninsns; i++)
		insns[i].d = cpu_to_le32(c->insns[i].d);
	*h = c->header;
	h->length = cpu_to_le32(n);
	h->nsections = cpu_to_le32(nsections);
	*len = n;
	return p;
}

struct ktap_section *test_section(void *bytes, u32 type)
{
	struct ktap_header *h = bytes;
	struct ktap_section *s = bytes + sizeof(*h);
	u32 i;

	for (i = 0; i < le32_to_cpu(h->nsections); i++) {
		if (le32_to_cpu(s[i].type) == type)
			return &s[i];
	}
	return NULL;
}

KUNIT_DEFINE_ACTION_WRAPPER(free_program, ktap_program_free, struct ktap_program *);

struct ktap_program *test_load(struct test_chunk *c)
{
	struct ktap_diag *diag = test_diag(c->test);
	struct ktap_program *prog;
	size_t len;
	void *p;

	p = test_bytes(c, &len);
	prog = ktap_program_load(p, len, diag);
	if (IS_ERR(prog)) {
		kvfree(p);
		KUNIT_ASSERT_FALSE_MSG(c->test, true, "refused: %s", diag->text);
	}
	KUNIT_ASSERT_EQ(c->test, 0, kunit_add_action_or_reset(c->test, free_program, prog));
	return prog;
}

/* Return the message, or fail the test and return NULL if it is accepted.  Frees @bytes. */
static const struct ktap_diag *refuse(struct kunit *test, void *bytes, size_t len, int err,
				      const char *for_what)
{
	struct ktap_diag *diag = test_diag(test);
	struct ktap_program *prog;

	prog = ktap_program_load(bytes, len, diag);
	if (!IS_ERR(prog)) {
		ktap_program_free(prog);
		KUNIT_FAIL(test, "accepted, not refused for \"%s\"", for_what);
		return NULL;
	}
	kvfree(bytes);
	KUNIT_EXPECT_EQ_MSG(test, err, PTR_ERR(prog), "%s", diag->text);
	KUNIT_EXPECT_EQ(test, diag->len, strlen(diag->text));
	return diag;
}

void test_bytes_refused(struct kunit *test, void *bytes, size_t len, int err, const char *words)
{
	const struct ktap_diag *diag = refuse(test, bytes, len, err, words);

	if (diag)
		KUNIT_EXPECT_TRUE_MSG(test, strstr(diag->text, words), "\"%s\" is not in: %s",
				      words, diag->text);
}

void test_bytes_refused_as(struct kunit *test, void *bytes, size_t len, int err,
			   const char *message)
{
	const struct ktap_diag *diag = refuse(test, bytes, len, err, message);
	size_t n = strlen(message);

	if (diag)
		KUNIT_EXPECT_TRUE_MSG(test, diag->len == n + 1 && diag->text[n] == '\n' &&
				      !memcmp(diag->text, message, n), "not \"%s\" but: %s",
				      message, diag->text);
}

void test_refused(struct test_chunk *c, int err, const char *words)
{
	size_t len;
	void *p = test_bytes(c, &len);

	test_bytes_refused(c->test, p, len, err, words);
}

void test_refused_as(struct test_chunk *c, int err, const char *message)
{
	size_t len;
	void *p = test_bytes(c, &len);

	test_bytes_refused_as(c->test, p, len, err, message);
}

struct vm_and_env {
	struct ktap_env env;
	struct ktap_vm vm;
};

static void free_env(void *p)
{
	struct vm_and_env *both = p;

	ktap_env_destroy(&both->env);
	kvfree(both);
}

KUNIT_DEFINE_ACTION_WRAPPER(free_vm, ktap_vm_destroy, struct ktap_vm *);

static void init_vm(struct kunit *test, struct ktap_vm *vm, struct ktap_env *env,
		    enum ktap_level level)
{
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_init(vm, env, level));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_vm, vm));
	memset(vm->stack, 0x5a, vm->stack_size * sizeof(*vm->stack));
}

#ifdef CONFIG_KTAP_JIT

/* How often the test has switched native code, and whether it was on before */
static unsigned int jit_switches;
static unsigned long jit_before;

static void restore_jit(void *unused)
{
	if (!--jit_switches)
		ktap_jit_enabled = jit_before;
}

void test_enable_jit(struct kunit *test, bool enabled)
{
	if (!jit_switches)
		jit_before = ktap_jit_enabled;
	if (enabled && !jit_before)
		kunit_skip(test, "no native code");
	jit_switches++;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, restore_jit, NULL));
	ktap_jit_enabled = enabled;
}

static bool jit_is_enabled(void)
{
	return ktap_jit_enabled;
}

#else

void test_enable_jit(struct kunit *test, bool enabled)
{
	if (enabled)
		kunit_skip(test, "no native code");
}

static bool jit_is_enabled(void)
{
	return false;
}

#endif

void test_compile(struct kunit *test, struct ktap_env *env)
{
	struct ktap_program *prog = env->prog;
	struct ktap_func *f, *end = prog->funcs + prog->nfuncs;

	ktap_jit_free(env);
	for (f = prog->funcs; f < end; f++) {
		f->native = ktap_jit_compile(env, NULL, f, "ktap_test");
		if (!jit_is_enabled())
			KUNIT_EXPECT_NULL(test, f->native);
	}
}

struct ktap_vm *test_vm(struct kunit *test, struct ktap_program *prog, enum ktap_level level)
{
	struct vm_and_env *both = kvcalloc(1, sizeof(*both), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, both);
	KUNIT_ASSERT_EQ(test, 0, ktap_env_init(&both->env, prog, 4 << 20, NULL));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_env, both));
	/* Tests compare native code with the interpreter. */
	both->env.jit_always = false;
	both->env.fenced = test_fenced;
	test_compile(test, &both->env);
	init_vm(test, &both->vm, &both->env, level);
	return &both->vm;
}

struct ktap_vm *test_vm_of(struct kunit *test, struct ktap_env *env, enum ktap_level level)
{
	struct ktap_vm *vm = kunit_kzalloc(test, sizeof(*vm), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, vm);
	init_vm(test, vm, env, level);
	return vm;
}

struct ktap_vm *test_vm_at_work(struct kunit *test, enum ktap_level level)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 8);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	TEST_RET(c);
	test_global(c, "a");
	test_global(c, "b");
	vm = test_vm(test, test_load(c), level);
	/* A test does more with a table than this program. */
	vm->env->steady = false;
	vm->top = 8;
	vm->budget = U32_MAX;
	memset(vm->stack, 0, vm->top * sizeof(*vm->stack));
	return vm;
}

#define LONG_RUN	20000000	/* nanoseconds */

struct test_long_run {
	struct task_struct *task;
	bool begun;
	bool ended;
};

static int run_for_long(void *data)
{
	struct test_long_run *run = data;
	u64 begin;

	preempt_disable();
	WRITE_ONCE(run->begun, true);
	begin = ktime_get_mono_fast_ns();
	while (ktime_get_mono_fast_ns() - begin < LONG_RUN)
		cpu_relax();
	WRITE_ONCE(run->ended, true);
	preempt_enable();
	while (!kthread_should_stop())
		cond_resched();
	return 0;
}

struct test_long_run *test_begin_long_run(struct kunit *test)
{
	struct test_long_run *run = kunit_kzalloc(test, sizeof(*run), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, run);
	run->task = kthread_run(run_for_long, run, "ktap-test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(run->task));
	while (!READ_ONCE(run->begun))
		cond_resched();
	return run;
}

bool test_long_run_has_ended(struct test_long_run *run)
{
	bool ended = READ_ONCE(run->ended);

	kthread_stop(run->task);
	return ended;
}

struct ktap_table *test_table(struct kunit *test, struct ktap_vm *vm, u32 max)
{
	struct ktap_value *v = &vm->stack[vm->top++];

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, max, v));
	KUNIT_ASSERT_EQ(test, v->tag, KTAP_TABLE);
	return v->table;
}

struct ktap_value test_run(struct kunit *test, struct ktap_vm *vm, const struct ktap_value *args,
			   unsigned int nargs)
{
	struct ktap_value result = KTAP_VALUE_NIL;
	int err = ktap_vm_run(vm, 0, args, nargs, &result);

	if (err)
		KUNIT_FAIL(test, "error %d: %s", err, vm->message);
	return result;
}

void test_expect_int(struct kunit *test, s64 want, struct ktap_value v)
{
	KUNIT_EXPECT_EQ(test, v.tag, KTAP_INT);
	KUNIT_EXPECT_EQ(test, v.i, want);
}

void test_expect_str(struct kunit *test, const char *want, struct ktap_value v)
{
	char buf[300] = "";

	KUNIT_EXPECT_EQ(test, v.tag, KTAP_STR);
	KUNIT_EXPECT_EQ(test, v.len, strlen(want));
	if (v.tag == KTAP_STR && v.len < sizeof(buf))
		memcpy(buf, v.blob, v.len);
	KUNIT_EXPECT_STREQ(test, buf, want);
}

void test_expect_error(struct kunit *test, struct ktap_vm *vm, int err, const char *message)
{
	KUNIT_EXPECT_EQ(test, err, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_STREQ(test, vm->message, message);
}

struct ktap_value test_chunk_run(struct test_chunk *c, enum ktap_level level)
{
	return test_run(c->test, test_vm(c->test, test_load(c), level), NULL, 0);
}

void test_chunk_int(struct test_chunk *c, enum ktap_level level, s64 want)
{
	test_expect_int(c->test, want, test_chunk_run(c, level));
}

void test_chunk_str(struct test_chunk *c, enum ktap_level level, const char *want)
{
	test_expect_str(c->test, want, test_chunk_run(c, level));
}

struct ktap_vm *test_chunk_error(struct test_chunk *c, enum ktap_level level, int err,
				 const char *message)
{
	struct ktap_vm *vm = test_vm(c->test, test_load(c), level);

	test_expect_error(c->test, vm, err, message);
	return vm;
}

void test_digit(struct test_chunk *c, u8 reg, u8 digit)
{
	test_insn(c, KTAP_OP_MULI, reg, reg, 0, 10);
	test_insn(c, KTAP_OP_ADD, reg, reg, digit, 0);
}
