/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replacement for the session, its sources and its output when the virtual machine runs
 * in user space.
 */
#ifndef _KTAP_HOST_H
#define _KTAP_HOST_H

#include <stdio.h>

#include "vm/env.h"
#include "vm/vm.h"

/* Exit codes, as ktap(1) has them. */
#define HOST_EXIT_ERROR		1	/* run-time error */
#define HOST_EXIT_REFUSED	2	/* the chunk was refused */

/* The kind of a probe. */
enum host_kind {
	HOST_ON_BEGIN,
	HOST_ON_END,
	HOST_ON_TICK,
	HOST_ON_EVENT,
};

/* A registered probe. */
struct host_probe {
	enum host_kind kind;
	u32 filter;		/* function or KTAP_NONE */
	u32 handler;		/* function */
};

struct host_record;

/**
 * struct host_kept - activations that are reused by later runs
 * @vm: the activation of process context
 * @event_vm: that of event context
 * @nmi_vm: that of NMIs
 */
struct host_kept {
	struct ktap_vm vm;
	struct ktap_vm event_vm;
	struct ktap_vm nmi_vm;
};

/**
 * struct host - one run of a chunk
 *
 * Set by the caller, all else zero:
 * @out: file for output; NULL: none
 * @err: the same for errors and losses
 * @args: arguments of the script, the first is its name
 * @nargs: number of them
 * @values: arguments that are not options, for arg()
 * @nvalues: number of them
 * @fire: run each handler of an event once, with an invented event
 * @level: the level at which it runs
 * @max_insns: budget of a run in event context, in units; 0: the default
 * @max_slices: number of budget slices of a run in process context; 0: no limit
 * @max_text: bytes that may be printed in process context; 0: no limit. The kernel has
 *	such a limit for output that cannot be read yet
 * @max_probes: limit of registered probes; 0: that of the kernel
 * @unsafe: the script may act on the system
 * @compile: run nothing; compile the top level, and each function that is a value, as
 *	handlers are
 * @json: output is JSON
 * @locked: handlers run as if this CPU held a lock of ktap
 * @memory: bytes of its heap; 0: enough for all tests
 * @kept: activations whose memory is reused; NULL: make new ones
 * @nmi_every: interval, in points where an NMI is possible, of NMIs that run the first
 *	handler of an event; 0: no NMIs. It needs @kept
 * @begun: if set, called before each run
 * @ended: if set, called after each run
 *
 * @env: the environment
 * @vm: the activation of process context
 * @event_vm: that of event context
 * @nmi_vm: that of NMIs that interrupt one of the others
 * @probes: registered probes
 * @nprobes: number of them
 * @records: output of handlers, oldest first
 * @last_record: link for the next one
 * @start: when the top level began
 * @slices: left of @max_slices
 * @text: bytes printed in process context
 * @abort: process context must end
 * @low: the heap has requested more memory
 * @refused: the instruction that registered an unknown event, from 1; 0: none, or the
 *	script has caught the error
 * @loading: the top level runs
 * @ending: exit() or stop() was called, or an error has happened
 * @printed: the script has printed something
 * @ninsns: with @compile: instructions of the functions, each with those that it may call
 * @ncompiled: those of them that native code replaces
 * @exit_code: return value of host_run()
 */
struct host {
	FILE *out;
	FILE *err;
	char **args;
	unsigned int nargs;
	struct ktap_value *values;
	unsigned int nvalues;
	bool fire;
	enum ktap_level level;
	u64 max_insns;
	u64 max_slices;
	size_t max_text;
	unsigned int max_probes;
	bool unsafe;
	bool compile;
	bool json;
	bool locked;
	size_t memory;
	const struct host_kept *kept;
	unsigned int nmi_every;
	void (*begun)(struct host *h, struct ktap_vm *vm);
	void (*ended)(struct host *h, struct ktap_vm *vm);

	struct ktap_env env;
	struct ktap_vm vm;
	struct ktap_vm event_vm;
	struct ktap_vm nmi_vm;
	struct host_probe **probes;
	unsigned int nprobes;
	struct host_record *records;
	struct host_record **last_record;
	u64 start;
	u64 slices;
	size_t text;
	bool abort;
	bool low;
	u32 refused;
	bool loading;
	bool ending;
	bool printed;
	u32 ninsns;
	u32 ncompiled;
	int exit_code;
};

static inline struct host *host_of(const struct ktap_vm *vm)
{
	return container_of(vm->env, struct host, env);
}

/*
 * Load a chunk and run it to its end. @chunk is kvmalloc'ed, and is freed. Returns the
 * exit code. @h can be read afterwards, but not be reused.
 */
int host_run(struct host *h, void *chunk, size_t len);

/* event.c */
extern const struct ktap_event host_event;
void host_probes_free(struct host *h);

#endif /* _KTAP_HOST_H */
