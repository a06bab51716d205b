/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One execution of a fuzzer: a chunk is loaded and, if that is accepted, run, and
 * all is looked at that must hold then.  What does not ends the process.
 */
#ifndef _KTAP_FUZZ_EXEC_H
#define _KTAP_FUZZ_EXEC_H

#include <linux/types.h>

#include "vm/vm.h"

/**
 * struct fuzz_settings - what is around the chunk
 * @level: the context in which events happen
 * @locked: handlers find this CPU inside a lock of ktap
 * @unsafe: the script may act on the system
 * @nmi_every: see struct host
 * @fail_at: the allocation that fails, from 1; 0: none does
 * @memory: bytes of the session's heap; 0: little
 * @args: arguments of the script, the first is its name
 * @nargs: number of them
 */
struct fuzz_settings {
	enum ktap_level level;
	bool locked;
	bool unsafe;
	unsigned int nmi_every;
	unsigned int fail_at;
	size_t memory;
	char **args;
	unsigned int nargs;
};

/* Bytes of settings in front of a chunk, or of the choices for one. */
#define FUZZ_SETTINGS	4

/* What these bytes say: all zero is nothing special. */
struct fuzz_settings fuzz_settings_of(const u8 *bytes);

/* True: the chunk was accepted. */
bool fuzz_chunk(const void *chunk, size_t len, const struct fuzz_settings *set);

/* Something does not hold: says so and aborts. */
__printf(1, 2) void fuzz_fail(const char *fmt, ...);

/*
 * steps.c: how much the virtual machine has done, in basic blocks; at the limit,
 * the process ends.
 */
extern u64 fuzz_steps;
extern u64 fuzz_steps_limit;

/* messages.c: is it one of those that the documentation has, or of a lack of memory? */
bool fuzz_is_documented(const char *message, bool lacks_memory);

/* The entry of a fuzzer, and of libFuzzer. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const u8 *data1, size_t size1, const u8 *data2, size_t size2,
				 u8 *out, size_t max_size, unsigned int seed);

#endif /* _KTAP_FUZZ_EXEC_H */
