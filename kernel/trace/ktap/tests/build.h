/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Chunks and activations for the KUnit tests.
 */
#ifndef _KTAP_TESTS_BUILD_H
#define _KTAP_TESTS_BUILD_H

#include <kunit/test.h>

#include "data/table.h"
#include "vm/event.h"
#include "vm/program.h"
#include "vm/value.h"

#define TEST_MAX	64	/* entries of a section, code, lines and fields aside */
#define TEST_BYTES	8192	/* of strings and of source text */

/*
 * A chunk being built; all of it may be edited until then.  @header has all but
 * length and number of sections; @insns are in host order, as these are easier
 * to edit, and there is room for @max_insns of them.
 */
struct test_chunk {
	struct kunit *test;
	struct ktap_header header;

	u32 nstrings;
	u32 nints;
	u32 nfuncs;
	u32 ninsns;
	u32 nprobes;
	u32 nglobals;
	u32 nfields;
	u32 nlines;
	u32 nfiles;
	u32 ntries;
	u32 noptions;
	u32 ntypes;
	u32 nmembers;
	u32 string_bytes;
	u32 max_insns;

	struct ktap_string strings[TEST_MAX];
	char bytes[TEST_BYTES];
	__le64 ints[TEST_MAX];
	struct ktap_function funcs[TEST_MAX];
	struct ktap_code *insns;
	struct ktap_probe_desc probes[TEST_MAX];
	__le32 globals[TEST_MAX];
	__le32 fields[KTAP_MAX_FIELDS];
	struct ktap_line *lines;
	struct ktap_file files[TEST_MAX];
	struct ktap_try tries[TEST_MAX];
	struct ktap_option options[TEST_MAX];
	struct ktap_type types[TEST_MAX];
	struct ktap_member members[TEST_MAX];
};

struct test_chunk *test_chunk(struct kunit *test);

/* An empty diagnosis: it is too large for the stack. */
struct ktap_diag *test_diag(struct kunit *test);
struct test_chunk *test_large_chunk(struct kunit *test, u32 max_insns);
u32 test_string(struct test_chunk *c, const char *s);
u32 test_string_of(struct test_chunk *c, const void *bytes, size_t len);
u32 test_int(struct test_chunk *c, s64 i);
u32 test_global(struct test_chunk *c, const char *name);
u32 test_field(struct test_chunk *c, const char *name);
/* Start a function; the following instructions belong to it. */
u32 test_func(struct test_chunk *c, const char *name, u8 nparams, u8 nregs);
/* Start a function with variable arguments. */
u32 test_variadic(struct test_chunk *c, const char *name, u8 nparams, u8 nregs);
/* Append an instruction to the last function.  Returns its index. */
u32 test_insn(struct test_chunk *c, u8 op, u8 a, u8 b, u8 cc, s32 d);
u32 test_probe(struct test_chunk *c, const char *event, u32 filter, u32 handler);
/* Errors of the instructions from @first up to @end continue at @handler. */
void test_try(struct test_chunk *c, u32 first, u32 end, u32 handler, u8 reg);
/* An option that the script takes. */
u32 test_option(struct test_chunk *c, const char *name);
/* Declare a type.  @name: or NULL.  Its fields may be edited: they are little-endian. */
struct ktap_type *test_type(struct test_chunk *c, const char *name, u8 kind, u8 size, u16 flags,
			    u32 type, u32 count);
/* Add a member to the last type, a structure or union.  @bits: -1, or those of a bit-field. */
struct ktap_member *test_member(struct test_chunk *c, const char *name, u32 type, int bits);
/* Give each instruction a line in "test.kp": its number, from 1. */
void test_lines(struct test_chunk *c);
/* A valid chunk with every section. */
struct test_chunk *test_full_chunk(struct kunit *test);
/* The bytes of the chunk, kvmalloc'ed. */
void *test_bytes(struct test_chunk *c, size_t *len);
/* Offset of a section's entry in the section table of a chunk. */
struct ktap_section *test_section(void *bytes, u32 type);

/* Load the chunk; the test frees it.  On refusal, end the test, which has failed. */
struct ktap_program *test_load(struct test_chunk *c);
/* Load the chunk; expect this errno, and these words in the message. */
void test_refused(struct test_chunk *c, int err, const char *words);
void test_bytes_refused(struct kunit *test, void *bytes, size_t len, int err, const char *words);
/* Load the chunk; expect this errno and exactly this message. */
void test_refused_as(struct test_chunk *c, int err, const char *message);
void test_bytes_refused_as(struct kunit *test, void *bytes, size_t len, int err,
			   const char *message);

/*
 * An activation for the program, and its environment; they end with the test.
 * Its stack is full of what looks like nothing good.
 */
struct ktap_vm *test_vm(struct kunit *test, struct ktap_program *prog, enum ktap_level level);
/*
 * Switch native code on or off, until the end of the test.  If it is off for all tests, those
 * that switch it on are skipped.
 */
void test_enable_jit(struct kunit *test, bool enabled);
/*
 * Compile all functions, as they are now, for ktap_vm_run().  While native code is off, none of
 * them may be native.
 */
void test_compile(struct kunit *test, struct ktap_env *env);
/* Another activation in the same environment; all can be used at once. */
struct ktap_vm *test_vm_of(struct kunit *test, struct ktap_env *env, enum ktap_level level);

/* One whose program has two globals; registers 0 to 7 are in use, as in a built-in, and nil. */
struct ktap_vm *test_vm_at_work(struct kunit *test, enum ktap_level level);
/* A table in the next register, where the sweep finds it. */
struct ktap_table *test_table(struct kunit *test, struct ktap_vm *vm, u32 max);

/*
 * Begin what a run of a handler is on another CPU, which ends after a while: a grace
 * period waits for it.  test_long_run_has_ended() also stops the thread.
 */
struct test_long_run;
struct test_long_run *test_begin_long_run(struct kunit *test);
bool test_long_run_has_ended(struct test_long_run *run);

/* Run function 0, which must succeed; return its result. */
struct ktap_value test_run(struct kunit *test, struct ktap_vm *vm, const struct ktap_value *args,
			   unsigned int nargs);
/* Run function 0; expect this error and this message. */
void test_expect_error(struct kunit *test, struct ktap_vm *vm, int err, const char *message);
void test_expect_int(struct kunit *test, s64 want, struct ktap_value v);
void test_expect_str(struct kunit *test, const char *want, struct ktap_value v);

/* Load the chunk, and run it at @level.  The last one returns the activation. */
struct ktap_value test_chunk_run(struct test_chunk *c, enum ktap_level level);
void test_chunk_int(struct test_chunk *c, enum ktap_level level, s64 want);
void test_chunk_str(struct test_chunk *c, enum ktap_level level, const char *want);
struct ktap_vm *test_chunk_error(struct test_chunk *c, enum ktap_level level, int err,
				 const char *message);

/* R[@reg] = R[@reg] * 10 + R[@digit]: the digits of the result show the order. */
void test_digit(struct test_chunk *c, u8 reg, u8 digit);

/* Return from a function. */
#define TEST_RET(c)	test_insn(c, KTAP_OP_RET, 0, 0, 0, 0)

#endif /* _KTAP_TESTS_BUILD_H */
