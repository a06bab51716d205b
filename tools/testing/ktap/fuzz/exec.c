// SPDX-License-Identifier: GPL-2.0
/*
 * One execution.  The process continues after it.  The next execution reuses the
 * activations; everything else must be freed at the end of the execution.
 */
#include <stdarg.h>
#include <stdlib.h>

#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "data/lock.h"
#include "vm/env.h"
#include "exec.h"
#include "host.h"

/* Limits of a run. They are small, so that programs often reach them. */
#define BUDGET		400
#define SLICES		12	/* of process context: a sort of some entries takes most of them */
#define PROCESS_BUDGET	1024	/* a slice, see budget.c */
#define MAX_TEXT	(8 << 10)
#define MAX_PROBES	6
#define PROCESS_STACK	2048
#define PROCESS_CALLS	128
#define PROCESS_ARENA	(32 << 10)
#define MEMORY		(256 << 10)

/*
 * Limits of steps (steps.c).  The first is the maximum work of the verifier for any
 * chunk.  A run may take a fixed number of steps, and a number of steps for each unit of
 * its budget.  Real programs take a tenth of these.
 */
#define STEPS_OF_LOADING	400000000ULL
#define STEPS_OF_RUN		1000000ULL
#define STEPS_OF_UNIT		500ULL

void fuzz_fail(const char *fmt, ...)
{
	va_list args;

	fputs("FUZZ: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

struct fuzz_settings fuzz_settings_of(const u8 *bytes)
{
	static char name[] = "fuzz", arg[] = "17", option[] = "--option=5";
	static char *args[] = { name, arg, option };

	return (struct fuzz_settings){
		.level = bytes[0] % KTAP_NR_EVENT_LEVELS,
		.locked = bytes[0] >> 4 == 15,
		.unsafe = !(bytes[3] & 1),
		.nmi_every = bytes[1] >= 192 ? bytes[1] - 191 : 0,
		.fail_at = bytes[2] >= 192 ? bytes[2] - 191 : 0,
		.memory = bytes[3] >= 192 ? 2 << 20 : 0,
		.args = args,
		.nargs = bytes[3] & 2 ? 3 : 2,
	};
}

/* The settings of this execution */
static const struct fuzz_settings *settings;

/* The output of the script and of the host: a hash of all of it, and its beginning. */

static struct {
	u64 sum;
	size_t len;
	char text[sizeof(((struct ktap_diag *)NULL)->text)];
} said;

static ssize_t say(void *cookie, const char *text, size_t size)
{
	size_t n = min(size, sizeof(said.text) - 1 - said.len), i;

	memcpy(said.text + said.len, text, n);
	said.len += n;
	said.text[said.len] = '\0';
	if (settings->said)
		settings->said(text, size);
	for (i = 0; i < size; i++)
		said.sum = (said.sum ^ (u8)text[i]) * 0x100000001b3ULL;
	return size;
}

static FILE *said_file(void)
{
	static const cookie_io_functions_t io = { .write = say };
	static char buffer[16 << 10];
	static FILE *f;

	if (!f) {
		f = fopencookie(NULL, "w", io);
		setvbuf(f, buffer, _IOFBF, sizeof(buffer));
	}
	return f;
}

/* Activations */

static void make_vm(struct ktap_vm *vm, u32 stack, u32 calls, u32 arena)
{
	*vm = (struct ktap_vm){
		.level = KTAP_LEVEL_PROCESS,
		.stack = calloc(stack, sizeof(*vm->stack)),
		.stack_size = stack,
		.calls = calloc(calls, sizeof(*vm->calls)),
		.max_calls = calls,
		.arena.size = arena,
		.arena.half = { malloc(arena), malloc(arena) },
	};
}

static const struct host_kept *kept_vms(void)
{
	static struct host_kept kept;

	if (kept.vm.stack)
		return &kept;
	make_vm(&kept.vm, PROCESS_STACK, PROCESS_CALLS, PROCESS_ARENA);
	make_vm(&kept.event_vm, KTAP_EVENT_STACK, KTAP_EVENT_CALLS, KTAP_EVENT_ARENA);
	make_vm(&kept.nmi_vm, KTAP_EVENT_STACK, KTAP_EVENT_CALLS, KTAP_EVENT_ARENA);
	return &kept;
}

/* Checks at the beginning and the end of a run */

static bool interrupted_atomic;

bool fuzz_lacked;

static void run_begins(struct host *h, struct ktap_vm *vm)
{
	bool process = vm->level == KTAP_LEVEL_PROCESS;
	u64 units = process ? (SLICES + 1) * PROCESS_BUDGET : BUDGET;
	u64 steps = STEPS_OF_RUN + STEPS_OF_UNIT * units;

	if (vm == &h->nmi_vm) {
		interrupted_atomic = shim_atomic;
		fuzz_steps_limit += steps;
	} else {
		fuzz_steps_limit = fuzz_steps + steps;
	}
	shim_atomic = !process;
	/* Printing of globals does not reset this: discard the calls of the run before it. */
	vm->ncalls = 0;
}

/* Did the script call error()? Such an error may have an empty message. */
static bool is_raised(const struct ktap_vm *vm)
{
	const struct ktap_code *insn;

	if (!vm->fault.func)
		return false;
	insn = &vm->env->prog->code[vm->fault.pc];
	return insn->op == KTAP_OP_CALLB && insn->d == KTAP_FN_ERROR;
}

static void run_ended(struct host *h, struct ktap_vm *vm)
{
	const struct ktap_heap *heap = &h->env.heap;

	fuzz_lacked |= vm->error == -ETIME || vm->error == -EINTR ||
		       atomic_long_read(&h->env.counters.no_memory);
	if (settings->ended) {
		fflush(h->out);
		settings->ended(h, vm);
	}
	if (vm->level != KTAP_LEVEL_PROCESS && vm->budget > h->env.max_insns)
		fuzz_fail("the budget of a run has grown to %llu",
			  (unsigned long long)vm->budget);
	if (vm->fresh.first || vm->fresh.n)
		fuzz_fail("%u objects of a run are left", vm->fresh.n);
	if (vm->nested)
		fuzz_fail("%u nested functions of a run are left", vm->nested);
	if (!vm->error && vm->ncalls)
		fuzz_fail("%u calls of a run are left", vm->ncalls);
	if (vm->error && !vm->message[0] && vm->error != -ECANCELED && !is_raised(vm))
		fuzz_fail("error %d has no message", vm->error);
	if (vm->top > vm->stack_size || vm->base > vm->stack_size)
		fuzz_fail("registers from %u to %u of %u", vm->base, vm->top, vm->stack_size);
	if (heap->bytes > heap->max || heap->outside > heap->bytes)
		fuzz_fail("%zu bytes of memory, %zu outside; %zu is the most", heap->bytes,
			  heap->outside, heap->max);
	if (vm == &h->nmi_vm) {
		shim_atomic = interrupted_atomic;
		return;
	}
	if (this_cpu_read(ktap_inside.locks))
		fuzz_fail("%u locks are held after a run", this_cpu_read(ktap_inside.locks));
	if (shim_irqs_off)
		fuzz_fail("interrupts are off after a run");
	if (shim_preempt_count)
		fuzz_fail("preemption is disabled %u times after a run", shim_preempt_count);
	shim_atomic = false;
	fuzz_steps_limit = U64_MAX;
}

static void check_refusal(const struct fuzz_settings *set)
{
	if (!said.len)
		fuzz_fail("the chunk is refused without a word");
	if (!fuzz_is_documented(said.text, set->fail_at))
		fuzz_fail("this message is not documented: %s", said.text);
}

u64 fuzz_execute(const void *chunk, size_t len, const struct fuzz_settings *set)
{
	struct host h = {
		.out = said_file(),
		.err = said_file(),
		.args = set->args,
		.nargs = set->nargs,
		.fire = true,
		.level = set->level,
		.max_insns = BUDGET,
		.max_slices = SLICES,
		.max_text = MAX_TEXT,
		.max_probes = MAX_PROBES,
		.unsafe = set->unsafe,
		.locked = set->locked,
		.memory = set->memory ?: MEMORY,
		.kept = kept_vms(),
		.nmi_every = set->nmi_every,
		.begun = run_begins,
		.ended = run_ended,
	};
	long allocated = shim_allocated;
	void *copy = kvmalloc(len, GFP_KERNEL);
	int code;

	said.sum = 0xcbf29ce484222325ULL;
	said.len = 0;
	fuzz_lacked = false;
	settings = set;
	memcpy(copy, chunk, len);
	srand(1);
	shim_time = 1353542400ULL * NSEC_PER_SEC;
	shim_fail_at = set->fail_at;
	fuzz_steps_limit = fuzz_steps + STEPS_OF_LOADING;
	code = host_run(&h, copy, len);
	fuzz_steps_limit = U64_MAX;
	shim_fail_at = 0;
	shim_time = 0;
	fflush(h.out);

	if (shim_allocated != allocated)
		fuzz_fail("%ld allocations are left", shim_allocated - allocated);
	if (!h.start) {
		check_refusal(set);
		return 0;
	}
	return (said.sum ^ code) ?: 1;
}
