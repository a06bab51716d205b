/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One execution of a fuzzer: load a chunk, run it if it is accepted, and check the
 * result.  The process is aborted if a check fails.
 */
#ifndef _KTAP_FUZZ_EXEC_H
#define _KTAP_FUZZ_EXEC_H

#include <linux/types.h>

#include "vm/env.h"
#include "vm/vm.h"

struct host;

/**
 * struct fuzz_settings - the session and the events of an execution
 * @level: the context in which events happen
 * @locked: handlers find this CPU inside a lock of ktap
 * @unsafe: the script may act on the system
 * @nmi_every: see struct host
 * @fail_at: the allocation that fails, from 1; 0: none does
 * @memory: bytes of the session's heap; 0: MEMORY of exec.c
 * @args: arguments of the script, the first is its name
 * @nargs: number of them
 * @said: if set, called with all output
 * @ended: if set, called after each run
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
	void (*said)(const char *text, size_t size);
	void (*ended)(const struct host *h, const struct ktap_vm *vm);
};

/* Bytes of settings before a chunk, or before the bytes that generate() uses. */
#define FUZZ_SETTINGS	4

/* Decode FUZZ_SETTINGS bytes. All bytes 0 mean the default settings. */
struct fuzz_settings fuzz_settings_of(const u8 *bytes);

/*
 * Execute a chunk once. Returns a hash of the output and the exit code; 0 if the chunk was
 * refused.
 */
u64 fuzz_execute(const void *chunk, size_t len, const struct fuzz_settings *set);

/*
 * A run of the last execution lacked budget or memory.  Such a run may end at another point
 * the next time, because the cost of finding unused objects depends on their addresses.
 */
extern bool fuzz_lacked;

/*
 * twice.c or compare.c: execute a chunk and check the results. Returns true if it was
 * accepted.
 */
bool fuzz_chunk(const void *chunk, size_t len, const struct fuzz_settings *set);

/* Print a failure of a check, and abort. */
__printf(1, 2) void fuzz_fail(const char *fmt, ...);

/*
 * steps.c: number of basic blocks that the virtual machine has executed.  The process is
 * aborted at the limit.
 */
extern u64 fuzz_steps;
extern u64 fuzz_steps_limit;

/* messages.c: is this message documented, or, if @lacks_memory, about a lack of memory? */
bool fuzz_is_documented(const char *message, bool lacks_memory);

/* The functions of a target that libFuzzer or driver.c calls. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const u8 *data1, size_t size1, const u8 *data2, size_t size2,
				 u8 *out, size_t max_size, unsigned int seed);

#endif /* _KTAP_FUZZ_EXEC_H */
