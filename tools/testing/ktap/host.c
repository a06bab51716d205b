// SPDX-License-Identifier: GPL-2.0
/*
 * A session in user space: the life of a script without events, in the order
 * of kernel/trace/ktap/session_load.c and session.c.
 */
#include <stdlib.h>
#include <time.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "data/lock.h"
#include "data/object.h"
#include "data/table.h"
#include "host.h"
#include "jit/jit.h"
#include "lib/getopt.h"
#include "load/rewrite.h"
#include "output/losses.h"
#include "output/record.h"
#include "output/tap.h"
#include "symbols.h"
#include "types.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/output_ops.h"
#include "vm/run.h"

#define MEMORY		(16UL << 20)

/* The running one: cond_resched() has no argument for it. */
static struct host *running;

static u64 now(void)
{
	return shim_clock(CLOCK_MONOTONIC);
}

static void heap_is_low(struct ktap_heap *heap)
{
	container_of(heap, struct host, env.heap)->low = true;
}

/* In the kernel a worker does this. */
static void refill(struct host *h)
{
	if (h->low)
		ktap_heap_refill(&h->env.heap);
	h->low = false;
}

void cond_resched(void)
{
	struct host *h = running;

	if (!h)
		return;
	refill(h);
	if (h->max_slices && !h->slices--) {
		h->abort = true;
		h->slices = 0;
	}
}

/* Output */

/* Longest line of JSON, as in session_reader.c */
#define MAX_LINE	(1 << 20)

/**
 * struct host_record - a record of a handler that is not yet read
 * @next: the one that was committed after it
 * @size: bytes of @data
 * @data: the record, in memory of exactly its size
 */
struct host_record {
	struct host_record *next;
	size_t size;
	struct ktap_record *data;
};

void *ktap_out_reserve(struct ktap_vm *vm, size_t size)
{
	struct host *h = host_of(vm);
	struct host_record *rec = malloc(sizeof(*rec));

	if (size > KTAP_RECORD_MAX)
		abort();
	rec->next = NULL;
	rec->size = size;
	rec->data = malloc(size);
	*h->last_record = rec;
	h->last_record = &rec->next;
	h->printed = true;
	return rec->data;
}

void ktap_out_commit(struct ktap_vm *vm, void *place)
{
}

static void put_text(FILE *to, const char *text, size_t len)
{
	if (to)
		fwrite(text, 1, len, to);
}

/* The kernel's text for a reader of text instead of frames. */
static void put_request(struct host *h, const struct ktap_request *r, const char *text, size_t len)
{
	if (h->out)
		fprintf(h->out, "ktap: %s: %.*s: only the ktap tool can %s\n", r->name, (int)len,
			text, r->deed);
}

/* @text has KTAP_RECORD_TEXT bytes, and @line MAX_LINE. */
static void put_json(struct host *h, const struct host_record *rec, char *text, char *line)
{
	struct seq_buf s;

	seq_buf_init(&s, line, MAX_LINE);
	ktap_record_json(&s, text, &h->env, rec->data, rec->size, now());
	ktap_record_taken(&h->env, rec->data);
	put_text(h->out, line, seq_buf_used(&s));
}

static void put_record(struct host *h, const struct host_record *rec, char *text)
{
	const struct ktap_request *r = ktap_request_of(ktap_record_channel(rec->data));
	struct seq_buf s;

	seq_buf_init(&s, text, KTAP_RECORD_TEXT);
	ktap_record_format(&s, &h->env, rec->data, rec->size);
	ktap_record_taken(&h->env, rec->data);
	if (r)
		put_request(h, r, text, seq_buf_used(&s));
	else
		put_text(rec->data->type == KTAP_REC_ERROR ? h->err : h->out, text,
			 seq_buf_used(&s));
}

static void put_records(struct host *h, const struct host_record *rec)
{
	char *text = malloc(KTAP_RECORD_TEXT), *line = malloc(MAX_LINE);

	for (; rec; rec = rec->next) {
		if (h->json && ktap_record_channel(rec->data) == KTAP_CH_OUTPUT)
			put_json(h, rec, text, line);
		else
			put_record(h, rec, text);
	}
	free(text);
	free(line);
}

/* No handler runs any more, as in the kernel when a record is read. */
static void format_records(struct host *h)
{
	struct host_record *rec, *next;

	if (!h->records)
		return;
	put_records(h, h->records);
	for (rec = h->records; rec; rec = next) {
		next = rec->next;
		free(rec->data);
		free(rec);
	}
	h->records = NULL;
	h->last_record = &h->records;
}

int ktap_out_text(struct ktap_vm *vm, enum ktap_channel channel, const char *text, size_t len)
{
	struct host *h = host_of(vm);

	if (!len)
		return 0;
	h->text += len;
	if (h->max_text && h->text > h->max_text)
		return ktap_vm_error(vm, -ENOSPC, "printed more than %zu bytes", h->max_text);
	h->printed = true;
	if (ktap_request_of(channel))
		put_request(h, ktap_request_of(channel), text, len);
	else if (channel == KTAP_CH_RECORD)
		put_records(h, &(struct host_record){ .size = len, .data = (void *)text });
	else
		put_text(h->out, text, len);
	return 0;
}

static void tell(void *err, u64 n, const char *line)
{
	fprintf(err, "ktap: %s\n", line);
}

static void say_losses(struct host *h)
{
	if (h->err)
		ktap_tell_losses(&h->env, tell, h->err);
}

/* Running */

static void say_error(struct host *h, const struct ktap_vm *vm)
{
	char text[1024];
	size_t len = ktap_vm_backtrace(vm, text, sizeof(text));

	/* After a refusal the position is sufficient. */
	if (h->refused)
		len = strchr(text, '\n') - text + 1;
	put_text(h->err, text, len);
}

/* Fill the registers with garbage, so that reading an unset one is noticed. */
static void poison_stack(struct ktap_vm *vm)
{
	static struct ktap_value poison[256];
	u32 i, n;

	for (i = 0; !poison[0].u && i < ARRAY_SIZE(poison); i++)
		poison[ARRAY_SIZE(poison) - 1 - i] = (struct ktap_value){
			.u = 8,
			.tag = i % 2 ? KTAP_TABLE : KTAP_STR,
			.len = 64,
		};
	for (i = 0; i < vm->stack_size; i += n) {
		n = min_t(u32, vm->stack_size - i, ARRAY_SIZE(poison));
		memcpy(vm->stack + i, poison, n * sizeof(*poison));
	}
}

static const struct host_probe *first_event(const struct host *h)
{
	unsigned int i;

	for (i = 0; i < h->nprobes; i++) {
		if (h->probes[i]->kind == HOST_ON_EVENT)
			return h->probes[i];
	}
	return NULL;
}

/* Its errors are not counted, and its output follows that of the interrupted run. */
static void nmi(void *host)
{
	struct ktap_value arg = { .blob = &host_event, .tag = KTAP_EVENT };
	const struct host_probe *probe = first_event(host);
	struct host *h = host;
	struct ktap_vm *vm = &h->nmi_vm;

	if (!probe)
		return;
	vm->event = &host_event;
	poison_stack(vm);
	if (h->begun)
		h->begun(h, vm);
	ktap_vm_run(vm, probe->handler, &arg, 1, NULL);
	vm->event = NULL;
	if (h->ended)
		h->ended(h, vm);
}

static void begin_run(struct host *h, struct ktap_vm *vm)
{
	poison_stack(vm);
	refill(h);
	h->slices = h->max_slices;
	h->abort = false;
	running = h;
	if (h->locked)
		this_cpu_inc(ktap_inside.locks);
	if (h->begun)
		h->begun(h, vm);
	if (h->nmi_every && vm->level != KTAP_LEVEL_NMI)
		shim_set_nmi(nmi, h, h->nmi_every);
}

static void end_run(struct host *h, struct ktap_vm *vm)
{
	if (h->nmi_every)
		shim_set_nmi(NULL, NULL, 0);
	if (h->locked)
		this_cpu_dec(ktap_inside.locks);
	running = NULL;
	if (h->ended)
		h->ended(h, vm);
}

/* Handle the result of a run. */
static int finish(struct host *h, struct ktap_vm *vm, int err)
{
	end_run(h, vm);
	if (!err || h->refused != vm->fault.pc + 1)
		h->refused = 0;
	if (!err)
		return 0;
	h->ending = true;
	if (err == -ECANCELED)
		return err;
	h->exit_code = h->refused ? HOST_EXIT_REFUSED : HOST_EXIT_ERROR;
	say_error(h, vm);
	return err;
}

/* As ktap_fire() does. */
static int run_event(struct ktap_vm *vm, const struct ktap_func *filter,
		     const struct ktap_func *handler, const struct ktap_native *native)
{
	u64 slice = ktap_vm_slice(vm);
	struct ktap_start start;
	int err;

	ktap_start_init(&start, filter, handler, native, vm->env->max_insns, slice);
	if (!start.plain)
		return ktap_vm_handle(vm, filter, handler, native, &host_event, slice);
	if (vm->error)
		ktap_vm_forget_error(vm);
	err = ktap_vm_start(vm, &start, &host_event);
	vm->error = err;
	if (vm->after & KTAP_AFTER_OBJECTS)
		ktap_objects_end_run(vm);
	return err;
}

static void run_probe(struct host *h, const struct host_probe *probe)
{
	bool event = probe->kind == HOST_ON_EVENT;
	struct ktap_vm *vm = event ? &h->event_vm : &h->vm;
	const struct ktap_func *funcs = h->env.prog->funcs, *handler = &funcs[probe->handler];
	const struct ktap_func *filter = NULL;
	const struct ktap_native *native;

	if (probe->filter != KTAP_NONE)
		filter = &funcs[probe->filter];
	native = ktap_jit_compile(&h->env, filter, handler, "ktap_probe");
	begin_run(h, vm);
	finish(h, vm, event ? run_event(vm, filter, handler, native) :
			      ktap_vm_handle(vm, filter, handler, native, NULL,
					     ktap_vm_slice(vm)));
	vm->event = NULL;
	format_records(h);
	/* The session's thread frees the objects that handlers have released. */
	ktap_objects_reap(&h->env);
}

static void run_probes(struct host *h, enum host_kind kind)
{
	unsigned int i;

	for (i = 0; i < h->nprobes; i++) {
		/* An exit or error ends everything, but within trace_end only that probe. */
		if (kind == HOST_ON_END)
			h->ending = false;
		if (h->ending)
			return;
		if (h->probes[i]->kind == kind)
			run_probe(h, h->probes[i]);
	}
}

static bool has_end(const struct host *h)
{
	unsigned int i;

	for (i = 0; i < h->nprobes; i++) {
		if (h->probes[i]->kind == HOST_ON_END)
			return true;
	}
	return false;
}

static void print_globals(struct host *h)
{
	int err;

	begin_run(h, &h->vm);
	err = ktap_print_globals(&h->vm);
	end_run(h, &h->vm);
	if (!err)
		return;
	h->exit_code = HOST_EXIT_ERROR;
	say_error(h, &h->vm);
}

static void judge_tests(struct host *h)
{
	struct ktap_diag diag = { 0 };

	h->exit_code = ktap_tap_end(&h->vm, h->exit_code, &diag);
	put_text(h->err, diag.text, diag.len);
}

static void live(struct host *h)
{
	struct ktap_diag diag = { 0 };
	int err;

	h->start = now();
	h->loading = true;
	ktap_jit_compile_main(&h->env, &diag);
	ktap_jit_compile_values(&h->env, &diag);
	begin_run(h, &h->vm);
	err = finish(h, &h->vm, ktap_vm_run(&h->vm, h->env.prog->main, NULL, 0, NULL));
	h->loading = false;
	format_records(h);
	ktap_jit_free(&h->env);
	if (h->refused || ktap_rewrite_events(h->env.prog))
		return;
	ktap_jit_compile_values(&h->env, &diag);
	run_probes(h, HOST_ON_BEGIN);
	if (h->fire) {
		run_probes(h, HOST_ON_EVENT);
		run_probes(h, HOST_ON_TICK);
	}
	run_probes(h, HOST_ON_END);
	if (!has_end(h) && !h->printed && (!err || err == -ECANCELED))
		print_globals(h);
	/* of NMIs */
	format_records(h);
	judge_tests(h);
	say_losses(h);
}

static void compile_func(struct host *h, const struct ktap_func *f)
{
	const struct ktap_native *native = ktap_jit_compile(&h->env, NULL, f, "ktap_func");

	h->ninsns += native ? native->ninsns : f->ninsns;
	h->ncompiled += native ? native->ninsns : 0;
}

/* In the order of a session: the code of handlers changes when the top level has ended. */
static void compile(struct host *h)
{
	struct ktap_program *prog = h->env.prog;
	u32 i;

	compile_func(h, &prog->funcs[prog->main]);
	if (ktap_rewrite_events(prog))
		return;
	for (i = 0; i < prog->nfuncs; i++) {
		if (prog->funcs[i].is_value)
			compile_func(h, &prog->funcs[i]);
	}
}

static void use_kept(struct host *h)
{
	h->vm = h->kept->vm;
	h->event_vm = h->kept->event_vm;
	h->nmi_vm = h->kept->nmi_vm;
	h->vm.env = &h->env;
	h->event_vm.env = &h->env;
	h->nmi_vm.env = &h->env;
	h->event_vm.level = h->level;
	h->nmi_vm.level = KTAP_LEVEL_NMI;
}

static int init_vms(struct host *h)
{
	int err;

	if (h->kept) {
		use_kept(h);
		return 0;
	}
	err = ktap_vm_init(&h->vm, &h->env, KTAP_LEVEL_PROCESS);
	if (err)
		return err;
	err = ktap_vm_init(&h->event_vm, &h->env, h->level);
	if (err)
		ktap_vm_destroy(&h->vm);
	return err;
}

static void destroy_vms(struct host *h)
{
	if (h->kept)
		return;
	ktap_vm_destroy(&h->event_vm);
	ktap_vm_destroy(&h->vm);
}

static int refuse(struct host *h, const char *text)
{
	if (h->err)
		fputs(text, h->err);
	return HOST_EXIT_REFUSED;
}

static int take_options(struct host *h, struct ktap_diag *diag)
{
	unsigned int i;
	int kept;

	for (i = 0; i < h->nargs; i++)
		h->values[i] = KTAP_VALUE_STR(h->args[i], strlen(h->args[i]));
	kept = ktap_options_take(&h->env, h->values, h->nargs, diag);
	h->nvalues = max(kept, 0);
	return min(kept, 0);
}

static int run_program(struct host *h, struct ktap_program *prog)
{
	struct ktap_value values[h->nargs + 1];
	struct ktap_diag diag = { 0 };
	int err;

	err = ktap_env_init(&h->env, prog, h->memory ?: MEMORY, heap_is_low);
	h->env.json = h->json;
	if (err)
		return refuse(h, "ktap: error: no memory\n");
	h->values = values;
	if (take_options(h, &diag)) {
		ktap_env_destroy(&h->env);
		return refuse(h, diag.text);
	}
	if (h->max_insns)
		h->env.max_insns = h->max_insns;
	err = init_vms(h);
	if (!err) {
		h->vm.abort = &h->abort;
		if (h->compile)
			compile(h);
		else
			live(h);
		host_probes_free(h);
		destroy_vms(h);
	}
	ktap_env_destroy(&h->env);
	return err ? refuse(h, "ktap: error: no memory\n") : h->exit_code;
}

static int load_and_run(struct host *h, void *chunk, size_t len)
{
	struct ktap_program *prog;
	struct ktap_diag diag = { 0 };
	int code;

	h->last_record = &h->records;
	prog = ktap_program_load(chunk, len, &diag);
	if (IS_ERR(prog)) {
		kvfree(chunk);
		return refuse(h, diag.text);
	}
	if (ktap_check_unsafe(prog, h->unsafe, &diag))
		code = refuse(h, diag.text);
	else
		code = run_program(h, prog);
	ktap_program_free(prog);
	return code;
}

int host_run(struct host *h, void *chunk, size_t len)
{
	int code = load_and_run(h, chunk, len);

	/* Release the module and its types, whether the program succeeded or not. */
	if (symbols_pins() || types_users())
		abort();
	return code;
}

/* Built-in functions about the session */

int ktap_fn_exit(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct host *h = host_of(vm);
	int code = ktap_exit_code(vm, r, n);

	if (code < 0)
		return code;
	/* Only the first exit code counts. */
	if (!h->ending)
		h->exit_code = code;
	h->ending = true;
	return -ECANCELED;
}

int ktap_fn_stop(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct host *h = host_of(vm);

	h->ending = true;
	r[0] = KTAP_VALUE_NIL;
	return h->loading ? -ECANCELED : 0;
}

int ktap_fn_elapsed(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(now() - host_of(vm)->start);
	return 0;
}

int ktap_fn_scriptarg(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct host *h = host_of(vm);
	s64 i = r[0].i;
	const char *arg;
	long long number;
	char *end;

	r[0] = KTAP_VALUE_NIL;
	if (i < 0 || i >= h->nvalues)
		return 0;
	arg = h->values[i].blob;
	number = strtoll(arg, &end, 0);
	if (i && *arg && !*end)
		r[0] = KTAP_VALUE_INT(number);
	else
		r[0] = KTAP_VALUE_STR(arg, strlen(arg));
	return 0;
}
