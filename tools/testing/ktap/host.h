/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stands in for the session, its sources and its output when the virtual
 * machine runs in user space.
 */
#ifndef _KTAP_HOST_H
#define _KTAP_HOST_H

#include <stdio.h>

#include "vm.h"

/* Exit codes, as ktap(1) has them. */
#define HOST_EXIT_ERROR		1	/* run-time error */
#define HOST_EXIT_REFUSED	2	/* the chunk was refused */

/* When a clause runs. */
enum host_kind {
	HOST_ON_BEGIN,
	HOST_ON_END,
	HOST_ON_TICK,
	HOST_ON_EVENT,
};

/* A clause that has come to life. */
struct host_probe {
	enum host_kind kind;
	u32 filter;		/* function or KTAP_NONE */
	u32 handler;		/* function */
};

struct host_record;

/**
 * struct host_kept - what serves one run after another
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
 * @out: where output goes; NULL: nowhere
 * @err: the same for errors and losses
 * @args: arguments of the script, the first is its name
 * @nargs: number of them
 * @values: those that are no options, for arg()
 * @nvalues: number of them
 * @fire: let each handler of an event run once, with an event made up
 * @level: the context it runs in
 * @max_insns: budget of a run in event context, in units; 0: the default
 * @max_slices: how often a run in process context may look around before it is
 *	told to end; 0: as often as it likes
 * @max_text: bytes that may be printed in process context; 0: any number.  The
 *	kernel has such a limit, too, for what nobody can read yet
 * @max_probes: clauses that may come to life; 0: as many as in the kernel
 * @unsafe: the script may act on the system
 * @locked: handlers find this CPU inside a lock of ktap
 * @memory: bytes of its heap; 0: as many as a test may need
 * @kept: activations whose memory is used, and stays; NULL: they are made
 * @nmi_every: every so many points where an NMI may come, one does, and runs the
 *	first handler of an event; 0: none does.  It needs @kept
 * @begun: if set, called before each run
 * @ended: if set, called after each run
 *
 * @env: the environment
 * @vm: the activation of process context
 * @event_vm: that of event context
 * @nmi_vm: that of NMIs that interrupt one of the others
 * @probes: clauses that have come to life
 * @nprobes: number of them
 * @records: what handlers have printed, oldest first
 * @last_record: where the next one goes
 * @start: when the top level began
 * @slices: left of @max_slices
 * @text: bytes printed in process context
 * @abort: process context is told to end
 * @low: the heap asked for more
 * @refused: the instruction that asked for an event that there is not, from 1; 0:
 *	none has, or the script has caught that
 * @loading: the top level runs
 * @ending: exit() or stop() was called, or an error has happened
 * @printed: the script has printed something
 * @exit_code: what host_run() will return
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
	int exit_code;
};

static inline struct host *host_of(const struct ktap_vm *vm)
{
	return container_of(vm->env, struct host, env);
}

/*
 * Loads a chunk and runs it to its end.  @chunk is kvmalloc'ed, and is freed.
 * Gives the exit code.  @h can be looked at afterwards, and is not used again.
 */
int host_run(struct host *h, void *chunk, size_t len);

/* event.c */
extern const struct ktap_event host_event;
void host_probes_free(struct host *h);

#endif /* _KTAP_HOST_H */
