// SPDX-License-Identifier: GPL-2.0
/*
 * Loading a chunk while the process is killed, or without memory, and signatures of every
 * kind.  Only in user space a test can choose them.  Members of known types, too: these are
 * in types.c.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/verification.h>
#include <asm/byteorder.h>

#include "symbols.h"
#include "types.h"

#include "btf/btf.h"
#include "btf/btf_read.h"
#include "jit/jit.h"
#include "load/rewrite.h"
#include "load/signature.h"
#include "tests/build.h"
#include "vm/env.h"
#include "vm/vm.h"

/* Load the chunk.  The process is @killed before. */
static int load(struct test_chunk *c, bool killed)
{
	struct ktap_diag *diag = test_diag(c->test);
	struct ktap_program *prog;
	size_t len;
	void *bytes = test_bytes(c, &len);

	shim_killed = killed;
	prog = ktap_program_load(bytes, len, diag);
	shim_killed = false;
	if (!IS_ERR(prog)) {
		ktap_program_free(prog);
		return 0;
	}
	kvfree(bytes);
	/* Nobody reads the message of a killed process. */
	if (killed)
		KUNIT_EXPECT_STREQ(c->test, diag->text, "");
	return PTR_ERR(prog);
}

static void verifying_ends_when_the_process_is_killed(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	KUNIT_EXPECT_EQ(test, 0, load(c, false));
	KUNIT_EXPECT_EQ(test, -EINTR, load(c, true));
}

/* The code of the top level is wrong, but is verified after all searches. */
static struct test_chunk *wrong_chunk(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 0);
	TEST_RET(c);
	return c;
}

static void a_search_for_functions_ends_when_the_process_is_killed(struct kunit *test)
{
	struct test_chunk *c = wrong_chunk(test);

	test_field(c, "sample");
	test_probe(c, "probe:sample_next", KTAP_NONE, test_func(c, "f", 0, 1));
	test_insn(c, KTAP_OP_FIELD, 0, 0, 0, 0);
	TEST_RET(c);
	KUNIT_EXPECT_EQ(test, -EINVAL, load(c, false));
	KUNIT_EXPECT_EQ(test, -EINTR, load(c, true));
}

static void a_search_for_types_ends_when_the_process_is_killed(struct kunit *test)
{
	struct test_chunk *c = wrong_chunk(test);

	test_type(c, "struct task_struct", KTAP_TYPE_STRUCT, 0, KTAP_TYPE_INCOMPLETE, 0, 0);
	KUNIT_EXPECT_EQ(test, -EINVAL, load(c, false));
	KUNIT_EXPECT_EQ(test, -EINTR, load(c, true));
}

static void a_search_for_symbols_ends_when_the_process_is_killed(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_diag *diag = test_diag(test);
	struct ktap_program *prog;

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_SYMBOL, 0, 0, 0, test_string(c, "jiffies"));
	TEST_RET(c);
	prog = test_load(c);
	KUNIT_EXPECT_EQ(test, 0, ktap_program_link(prog, diag));
	shim_killed = true;
	KUNIT_EXPECT_EQ(test, -EINTR, ktap_program_link(prog, diag));
	shim_killed = false;
}

static void a_search_for_an_enumerator_ends_when_the_process_is_killed(struct kunit *test)
{
	s64 value = 0;

	KUNIT_EXPECT_EQ(test, 0, ktap_btf_enumerator("POLICY_FIFO", &value));
	KUNIT_EXPECT_EQ(test, 2, value);
	shim_killed = true;
	KUNIT_EXPECT_EQ(test, -ENOENT, ktap_btf_enumerator("POLICY_FIFO", &value));
	shim_killed = false;
}

static void a_run_ends_when_the_process_is_killed(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -1);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_PROCESS);
	shim_killed = true;
	test_expect_error(test, vm, -EINTR, "the session ends");
	shim_killed = false;
}

/* Load the chunk, and free the program.  Allocation @fail_at fails, if there is one. */
static bool load_without_memory(struct test_chunk *c, unsigned long fail_at)
{
	struct ktap_diag *diag = test_diag(c->test);
	long allocated = shim_allocated;
	struct ktap_program *prog;
	size_t len;
	void *bytes = test_bytes(c, &len);
	bool failed;

	shim_fail_at = fail_at;
	prog = ktap_program_load(bytes, len, diag);
	failed = fail_at && !shim_fail_at;
	shim_fail_at = 0;
	if (IS_ERR(prog)) {
		KUNIT_EXPECT_EQ(c->test, -ENOMEM, PTR_ERR(prog));
		KUNIT_EXPECT_STREQ(c->test, diag->text,
				   "ktap: error: no memory for the program\n");
		kvfree(bytes);
	} else {
		KUNIT_EXPECT_FALSE(c->test, failed);
		ktap_program_free(prog);
	}
	KUNIT_EXPECT_EQ(c->test, allocated, shim_allocated);
	return failed;
}

static void expect_no_leak(struct test_chunk *c, unsigned long at_least)
{
	unsigned long n = 1;

	while (load_without_memory(c, n))
		n++;
	KUNIT_EXPECT_GE(c->test, n, at_least);
}

static void each_allocation_may_fail(struct kunit *test)
{
	expect_no_leak(test_full_chunk(test), 20);
}

/* A variable and a type of a module, a member that is known before the program runs */
static void each_allocation_for_types_may_fail(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	int pins = symbols_pins(), users = types_users();

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_SYMBOL, 0, 0, 0, test_string(c, "module:sample_first"));
	TEST_RET(c);
	test_field(c, "sample");
	test_probe(c, "probe:sample_next", KTAP_NONE, test_func(c, "f", 0, 1));
	test_insn(c, KTAP_OP_FIELD, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_TGETS, 0, 0, 0, test_string(c, "number"));
	TEST_RET(c);
	expect_no_leak(c, 20);
	KUNIT_EXPECT_EQ(test, pins, symbols_pins());
	KUNIT_EXPECT_EQ(test, users, types_users());
}

/* The loader expects a structure of the module; at run time another value may come. */
static void a_member_is_that_of_the_value_at_run_time(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	const struct ktap_access *access;
	struct ktap_value object, v;
	struct ktap_vm *vm;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_field(c, "sample");
	test_probe(c, "probe:sample_next", KTAP_NONE, test_func(c, "f", 0, 1));
	test_insn(c, KTAP_OP_FIELD, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_TGETS, 0, 0, 0, test_string(c, "number"));
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	vm->budget = 1000;
	access = &vm->env->prog->accesses[0];
	object = KTAP_VALUE_TYPED(types_sample(), access->of);
	KUNIT_EXPECT_EQ(test, 0, ktap_op_member(vm, &v, &object, 0));
	/* machine.c takes addresses of 32 bits for those of a process. */
	if (IS_ENABLED(CONFIG_64BIT))
		test_expect_int(test, -7, v);
	object = KTAP_VALUE_NIL;
	KUNIT_EXPECT_EQ(test, 0, ktap_op_member(vm, &v, &object, 0));
	KUNIT_EXPECT_EQ(test, KTAP_NIL, v.tag);
	object = KTAP_VALUE_TYPED(types_sample(), ktap_btf_task());
	KUNIT_EXPECT_EQ(test, -ENOENT, ktap_op_member(vm, &v, &object, 0));
	KUNIT_EXPECT_STREQ(test, vm->message, "struct task_struct has no member 'number'");
	/* The length of a string is where a pointer has its type. */
	vm->error = 0;
	object = KTAP_VALUE_STR((void *)(unsigned long)types_sample(), access->of);
	KUNIT_EXPECT_TRUE(test, ktap_op_member(vm, &v, &object, 0) < 0);
}

static void replacing_instructions_needs_memory(struct kunit *test)
{
	struct ktap_program *prog = test_load(test_full_chunk(test));
	long allocated = shim_allocated;

	shim_fail_at = 1;
	KUNIT_EXPECT_EQ(test, -ENOMEM, ktap_rewrite_events(prog));
	shim_fail_at = 0;
	KUNIT_EXPECT_EQ(test, 0, ktap_rewrite_events(prog));
	KUNIT_EXPECT_EQ(test, allocated, shim_allocated);
}

#ifdef CONFIG_KTAP_JIT
static void native_code_needs_memory(struct kunit *test)
{
	enum ktap_jit_outcome outcome = KTAP_JIT_MEMORY;
	const struct ktap_native *native;
	struct ktap_env *env;
	unsigned long n;
	long allocated;

	test_enable_jit(test, 1);
	env = test_vm(test, test_load(test_full_chunk(test)), KTAP_LEVEL_TASK)->env;
	ktap_jit_free(env);
	allocated = shim_allocated;
	for (n = 1;; n++) {
		shim_fail_at = n;
		native = ktap_jit_compile(env, NULL, &env->prog->funcs[0], "ktap_test");
		if (shim_fail_at)
			break;
		/* The last one is that of the BPF JIT. */
		KUNIT_EXPECT_EQ(test, KTAP_JIT_MEMORY, outcome);
		outcome = env->jit_outcome;
		KUNIT_EXPECT_NULL(test, native);
		KUNIT_EXPECT_EQ(test, 0, env->native_bytes);
		KUNIT_EXPECT_EQ(test, allocated, shim_allocated);
	}
	shim_fail_at = 0;
	KUNIT_EXPECT_EQ(test, KTAP_JIT_REFUSED, outcome);
	KUNIT_EXPECT_NOT_NULL(test, native);
	KUNIT_EXPECT_EQ(test, KTAP_JIT_NATIVE, env->jit_outcome);
	ktap_jit_free(env);
	KUNIT_EXPECT_EQ(test, allocated, shim_allocated);
}
#endif

/* A chunk of a table with one entry, 24 bytes, and a signature of 8 */
static struct signed_chunk {
	struct ktap_header header;
	struct ktap_section section;
	char content[24];
	char signature[8];
} chunk;

/* @result: that of the verification */
static int check_signature(int result, const char **why)
{
	int err;

	chunk.header.nsections = cpu_to_le32(1);
	chunk.section.type = cpu_to_le32(KTAP_SEC_SIGNATURE);
	chunk.section.offset = cpu_to_le32(offsetof(struct signed_chunk, signature));
	chunk.section.size = cpu_to_le32(sizeof(chunk.signature));
	shim_verified.result = result;
	err = ktap_signature_check(&chunk, sizeof(chunk), why);
	shim_verified.result = -ENOKEY;
	return err;
}

static void a_signature_is_that_of_all_bytes_before_it(struct kunit *test)
{
	const char *why = "";

	KUNIT_EXPECT_EQ(test, 0, check_signature(0, &why));
	KUNIT_EXPECT_STREQ(test, why, "");
	KUNIT_EXPECT_PTR_EQ(test, &chunk, shim_verified.data);
	KUNIT_EXPECT_EQ(test, offsetof(struct signed_chunk, signature), shim_verified.len);
	KUNIT_EXPECT_PTR_EQ(test, chunk.signature, shim_verified.signature);
	KUNIT_EXPECT_EQ(test, sizeof(chunk.signature), shim_verified.size);
	KUNIT_EXPECT_PTR_EQ(test, VERIFY_USE_SECONDARY_KEYRING, shim_verified.keys);
}

static void a_refused_signature_is_explained(struct kunit *test)
{
	static const struct {
		int err;
		const char *why;
	} cases[] = {
		{ -ENOKEY, "no key that this kernel trusts" },
		{ -EKEYREJECTED, "its signature does not match" },
		{ -ENOPKG, "this kernel lacks the algorithm" },
		{ -EKEYEXPIRED, "the key that has signed it has expired" },
		{ -ENOMEM, "no memory to verify its signature" },
		{ -EBADMSG, "its signature is malformed" },
	};
	const char *why;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		why = "";
		KUNIT_EXPECT_EQ(test, cases[i].err, check_signature(cases[i].err, &why));
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(why, cases[i].why), "%s", why);
	}
}

static struct kunit_case load_cases[] = {
	KUNIT_CASE(verifying_ends_when_the_process_is_killed),
	KUNIT_CASE(a_search_for_functions_ends_when_the_process_is_killed),
	KUNIT_CASE(a_search_for_types_ends_when_the_process_is_killed),
	KUNIT_CASE(a_search_for_symbols_ends_when_the_process_is_killed),
	KUNIT_CASE(a_search_for_an_enumerator_ends_when_the_process_is_killed),
	KUNIT_CASE(a_run_ends_when_the_process_is_killed),
	KUNIT_CASE(each_allocation_may_fail),
	KUNIT_CASE(each_allocation_for_types_may_fail),
	KUNIT_CASE(a_member_is_that_of_the_value_at_run_time),
	KUNIT_CASE(replacing_instructions_needs_memory),
#ifdef CONFIG_KTAP_JIT
	KUNIT_CASE(native_code_needs_memory),
#endif
	KUNIT_CASE(a_signature_is_that_of_all_bytes_before_it),
	KUNIT_CASE(a_refused_signature_is_explained),
	{}
};

static struct kunit_suite load_suite = {
	.name = "ktap_load",
	.test_cases = load_cases,
};

kunit_test_suite(load_suite);
