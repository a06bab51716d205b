// SPDX-License-Identifier: GPL-2.0
/*
 * Execute each program twice, by the interpreter and as native code, and compare all that
 * the two leave: after each run the result, the error with its place, the calls, the
 * budget, the registers, the losses and the output; and at the end all memory.
 *
 * The executions have the same memory at the same addresses, because the cost of finding
 * unused objects depends on addresses.  So they also end at the same instruction if they
 * lack budget.  The native code itself is elsewhere.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "exec.h"
#include "host.h"
#include "jit/jit.h"
#include "vm/opcode.h"
#include "vm/program.h"

#define SECONDS		60		/* limit of both executions */
#define AREA		(1UL << 30)	/* address space for the memory of an execution */
#define STACK		(1UL << 20)	/* bytes before and after the running function */
#define BLOCK		16		/* bytes before each block, which begin with its size */
#define CONTEXT		12		/* lines of a report before the difference */

/* Memory.  The linker makes all calls of malloc() and free() calls of these. */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

static struct {
	char *begin;
	size_t used;
	size_t most;	/* so far of @used */
	bool active;
} area;

static bool compare_is_in_area(const void *p)
{
	return (char *)p - area.begin < AREA;
}

static void *compare_take(size_t size)
{
	char *block = area.begin + area.used;

	size = ALIGN(size, BLOCK);
	if (size > AREA - area.used - BLOCK)
		fuzz_fail("an execution needs more than %lu bytes", AREA);
	*(size_t *)block = size;
	area.used += BLOCK + size;
	area.most = max(area.most, area.used);
	return memset(block + BLOCK, 0xa5, size);
}

void *__wrap_malloc(size_t size)
{
	return area.active ? compare_take(size) : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return area.active ? memset(compare_take(n * size), 0, n * size) :
			     __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	void *to;

	if (!area.active && !compare_is_in_area(p))
		return __real_realloc(p, size);
	to = __wrap_malloc(size);
	if (p)
		memcpy(to, p, min(size, ((size_t *)p)[-BLOCK / sizeof(size_t)]));
	return to;
}

/* Only the last block is used again. */
void __wrap_free(void *p)
{
	char *block = (char *)p - BLOCK;

	if (!compare_is_in_area(p))
		__real_free(p);
	else if (block + BLOCK + *(size_t *)block == area.begin + area.used)
		area.used = block - area.begin;
}

/* Native code is not in that memory, has no limit there, and is always made. */

struct ktap_native *__real_ktap_jit_compile(struct ktap_env *env, const struct ktap_func *filter,
					    const struct ktap_func *handler, const char *name);
struct ktap_native *__wrap_ktap_jit_compile(struct ktap_env *env, const struct ktap_func *filter,
					    const struct ktap_func *handler, const char *name);
int __wrap_ktap_jit_compile_main(struct ktap_env *env, struct ktap_diag *diag);
int __wrap_ktap_jit_compile_values(struct ktap_env *env, struct ktap_diag *diag);
bool __wrap_ktap_jit_pays(const struct ktap_env *env, const struct ktap_func *f, bool once);

struct compile {
	bool active;
	size_t max;
	unsigned long fail_at;
};

static struct compile compare_begin_compile(struct ktap_env *env)
{
	struct compile c = {
		.active = area.active,
		.max = env->heap.max,
		.fail_at = shim_fail_at,
	};

	area.active = false;
	env->heap.max = SIZE_MAX;
	shim_fail_at = 0;
	return c;
}

static void compare_end_compile(struct ktap_env *env, const struct compile *c)
{
	area.active = c->active;
	env->heap.max = c->max;
	shim_fail_at = c->fail_at;
}

struct ktap_native *__wrap_ktap_jit_compile(struct ktap_env *env, const struct ktap_func *filter,
					    const struct ktap_func *handler, const char *name)
{
	struct compile c = compare_begin_compile(env);
	struct ktap_native *native = __real_ktap_jit_compile(env, filter, handler, name);

	compare_end_compile(env, &c);
	if (ktap_jit_enabled && !native)
		fuzz_fail("a handler was not compiled");
	return native;
}

bool __wrap_ktap_jit_pays(const struct ktap_env *env, const struct ktap_func *f, bool once)
{
	return true;
}

int __wrap_ktap_jit_compile_main(struct ktap_env *env, struct ktap_diag *diag)
{
	struct ktap_func *main = &env->prog->funcs[env->prog->main];

	main->native = __wrap_ktap_jit_compile(env, NULL, main, "ktap_main");
	return 0;
}

int __wrap_ktap_jit_compile_values(struct ktap_env *env, struct ktap_diag *diag)
{
	struct ktap_func *f;
	u32 i;

	for (i = 0; i < env->prog->nfuncs; i++) {
		f = &env->prog->funcs[i];
		if (f->is_value)
			f->native = __wrap_ktap_jit_compile(env, NULL, f, "ktap_sort");
	}
	return 0;
}

/* Transcripts of an execution, by ktap_jit_enabled */

static struct transcript {
	char *text;
	size_t size;
	size_t room;
	char *memory;	/* copy of the area */
	size_t used;
	size_t memory_room;
} transcripts[2];

static void *compare_grow(void *p, size_t *room, size_t size)
{
	if (size <= *room)
		return p;
	*room = 2 * size;
	return __real_realloc(p, *room);
}

static void compare_said(const char *text, size_t size)
{
	struct transcript *t = &transcripts[ktap_jit_enabled];

	t->text = compare_grow(t->text, &t->room, t->size + size + 1);
	memcpy(t->text + t->size, text, size);
	t->size += size;
	t->text[t->size] = '\0';
}

static __printf(1, 2) void compare_note(const char *fmt, ...)
{
	char line[512];
	va_list args;

	va_start(args, fmt);
	compare_said(line, vscnprintf(line, sizeof(line), fmt, args));
	va_end(args);
}

static u64 compare_hash(const void *p, size_t size)
{
	const u64 *words = p;
	u64 sum = size;
	size_t i;

	for (i = 0; i < size / sizeof(*words); i++)
		sum = (sum ^ words[i]) * 0x9e3779b97f4a7c15ULL >> 1 ^ sum << 63;
	return sum;
}

static void compare_note_calls(const struct ktap_vm *vm)
{
	const struct ktap_call *call;
	u32 i;

	for (i = 0; vm->error && i < vm->fault.ncalls; i++) {
		call = &vm->calls[i];
		compare_note("call %u: at %td, base %u, arguments %u, tail %u\n", i,
			     call->insn - vm->env->prog->code, call->base, call->nvarargs,
			     call->tail);
	}
}

static void compare_note_losses(const struct ktap_counters *counters)
{
	const atomic_long_t *c = (const void *)counters;
	unsigned int i;

	compare_note("losses:");
	for (i = 0; i < sizeof(*counters) / sizeof(*c); i++)
		compare_note(" %ld", atomic_long_read(&c[i]));
	compare_note("\n");
}

static void compare_run_ended(const struct host *h, const struct ktap_vm *vm)
{
	const struct ktap_func *funcs = vm->env->prog->funcs;

	compare_note("a run at level %u ends with %d: \"%s\"\n", vm->level, vm->error,
		vm->error ? vm->message : "");
	if (vm->error)
		compare_note("error: function %td, pc %u, calls %u; at last pc %u\n",
			vm->fault.func ? vm->fault.func - funcs : -1, vm->fault.pc,
			vm->fault.ncalls, vm->pc);
	compare_note_calls(vm);
	compare_note("budget %llu, rest %llu\n", (unsigned long long)vm->budget,
		(unsigned long long)vm->rest);
	compare_note("calls %u, registers from %u to %u, arguments %u, function %td\n",
		vm->ncalls, vm->base, vm->top, vm->nvarargs, vm->func - funcs);
	compare_note("filtered %u\n", !vm->handler);
	compare_note("result %u %u %llx, execname %u, speculation %lld\n",
		vm->result.tag, vm->result.len, (unsigned long long)vm->result.u,
		vm->execname_len, (long long)vm->speculation);
	compare_note("registers %llx, strings %u %llx, heap %zu\n",
		(unsigned long long)compare_hash(vm->stack, vm->stack_size * sizeof(*vm->stack)),
		vm->arena.used,
		(unsigned long long)compare_hash(vm->arena.half[vm->arena.cur], vm->arena.used),
		h->env.heap.bytes);
	compare_note_losses(&h->env.counters);
	/* The strings of the next run have the same bytes between them. */
	memset(vm->arena.half[0], 0, vm->arena.size);
	memset(vm->arena.half[1], 0, vm->arena.size);
}

static u64 compare_word(const struct transcript *t, size_t at)
{
	return *(u64 *)(t->memory + at);
}

/* Does it look like an address on the stack of C?  These need not be the same. */
static bool compare_is_on_stack(u64 word)
{
	return word - (unsigned long)&word + STACK < 2 * STACK;
}

/* Find the first difference of the memory from *@at on. */
static bool compare_find_difference(const struct transcript *t, size_t *at)
{
	u64 words[2];

	for (; *at < min(t[0].used, t[1].used); *at += sizeof(u64)) {
		words[0] = compare_word(&t[0], *at);
		words[1] = compare_word(&t[1], *at);
		if (words[0] != words[1] &&
		    !(compare_is_on_stack(words[0]) && compare_is_on_stack(words[1])))
			return true;
	}
	return false;
}

static bool compare_is_same(const struct transcript *t)
{
	size_t at = 0;

	if (t[0].size != t[1].size || memcmp(t[0].text, t[1].text, t[0].size) ||
	    t[0].used != t[1].used)
		return false;
	return !memcmp(t[0].memory, t[1].memory, t[0].used) || !compare_find_difference(t, &at);
}

/* Report */

static const char * const names[256] = {
#define OP(op, ...)	[KTAP_OP_##op] = #op,
#define MADE		OP
#include "vm/opcode_list.h"
#undef OP
#undef MADE
};

static void compare_list_function(const struct ktap_program *prog, u32 i)
{
	const struct ktap_func *f = &prog->funcs[i];
	const struct ktap_catch *catch;
	const struct ktap_code *insn;
	u32 pc;

	fprintf(stderr, "function %u: %u parameters%s, %u registers\n", i, f->nparams,
		f->variadic ? " and more" : "", f->nregs);
	for (pc = f->first; pc < f->first + f->ninsns; pc++) {
		insn = &prog->code[pc];
		fprintf(stderr, "%5u  %-8s a=%u b=%u c=%u d=%d  not proven: %x", pc,
			names[insn->op], insn->a, insn->b, insn->c, insn->d, prog->others[pc]);
		catch = ktap_catch_at(prog, pc);
		if (catch)
			fprintf(stderr, "; errors: to %u, a=%u", catch->handler, catch->reg);
		fputc('\n', stderr);
	}
}

static void compare_list(const void *chunk, size_t len)
{
	void *copy = kvmalloc(len, GFP_KERNEL);
	struct ktap_diag diag = { 0 };
	struct ktap_program *prog;
	u32 i;

	memcpy(copy, chunk, len);
	prog = ktap_program_load(copy, len, &diag);
	if (IS_ERR(prog))
		return;
	for (i = 0; i < prog->nprobe_defs; i++)
		fprintf(stderr, "probe %u: %s, filter %d, handler %u\n", i,
			(const char *)prog->probe_defs[i].event->blob,
			(int)prog->probe_defs[i].filter, prog->probe_defs[i].handler);
	for (i = 0; i < prog->nfuncs; i++)
		compare_list_function(prog, i);
	ktap_program_free(prog);
}

static const char *compare_lines_before(const char *text, const char *at)
{
	unsigned int n = CONTEXT;

	while (at > text && n) {
		at--;
		if (at == text || at[-1] == '\n')
			n--;
	}
	return at;
}

static void compare_show(const char *what, const struct transcript *t, size_t at)
{
	const char *from = compare_lines_before(t->text, t->text + at);
	const char *end = strchr(t->text + at, '\n') ?: t->text + t->size;

	fprintf(stderr, "--- %s:\n%.*s\n", what, (int)(end - from), from);
}

static void compare_show_memory(const struct transcript *t)
{
	size_t at = 0;
	unsigned int n;

	fprintf(stderr, "memory: %zu and %zu bytes\n", t[0].used, t[1].used);
	for (n = 0; n < CONTEXT && compare_find_difference(t, &at); n++, at += sizeof(u64))
		fprintf(stderr, "at %#zx: %#llx, native %#llx\n", at,
			(unsigned long long)compare_word(&t[0], at),
			(unsigned long long)compare_word(&t[1], at));
}

static void compare_fail(const void *chunk, size_t len, const struct fuzz_settings *set)
{
	struct transcript *t = transcripts;
	size_t at = 0;

	area.active = false;
	while (at < t[0].size && at < t[1].size && t[0].text[at] == t[1].text[at])
		at++;
	if (at < max(t[0].size, t[1].size)) {
		compare_show("interpreted", &t[0], at);
		compare_show("native", &t[1], at);
	}
	compare_show_memory(t);
	compare_list(chunk, len);
	fuzz_fail("native code differs; level %u, locked %u, unsafe %u, fail_at %u, memory %zu",
		  set->level, set->locked, set->unsafe, set->fail_at, set->memory);
}

/* Executions */

static void compare_keep_memory(struct transcript *t)
{
	t->used = area.most;
	t->memory = compare_grow(t->memory, &t->memory_room, t->used);
	memcpy(t->memory, area.begin, t->used);
}

static u64 compare_execute(const void *chunk, size_t len, const struct fuzz_settings *set)
{
	struct transcript *t = &transcripts[ktap_jit_enabled];
	u64 sum;

	area.used = 0;
	area.most = 0;
	t->size = 0;
	area.active = true;
	sum = fuzz_execute(chunk, len, set);
	area.active = false;
	compare_note("end: %llx\n", (unsigned long long)sum);
	compare_keep_memory(t);
	return sum;
}

static struct {
	u64 *hashes;	/* of the chunks that ran in both ways */
	size_t room;	/* bytes */
	size_t n;
} accepted;

static void compare_accept(const void *chunk, size_t len)
{
	accepted.hashes = compare_grow(accepted.hashes, &accepted.room,
				       (accepted.n + 1) * sizeof(*accepted.hashes));
	accepted.hashes[accepted.n++] = compare_hash(chunk, len);
}

static int compare_order(const void *x, const void *y)
{
	const u64 *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* Other bytes of the fuzzer may make the same chunk: say how many chunks there were. */
static void compare_say_accepted(void)
{
	size_t i, different = 0;

	qsort(accepted.hashes, accepted.n, sizeof(*accepted.hashes), compare_order);
	for (i = 0; i < accepted.n; i++)
		different += !i || accepted.hashes[i] != accepted.hashes[i - 1];
	printf("%zu accepted\n%zu different\n", accepted.n, different);
}

/* The first execution allocates what later ones use again. */
static void compare_init(const void *chunk, size_t len, const struct fuzz_settings *set)
{
	if (area.begin)
		return;
	area.begin = mmap(NULL, AREA, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area.begin == MAP_FAILED)
		fuzz_fail("no address space");
	bpf_get_btf_vmlinux();
	fuzz_execute(chunk, len, set);
	atexit(compare_say_accepted);
}

bool fuzz_chunk(const void *chunk, size_t len, const struct fuzz_settings *set)
{
	struct fuzz_settings both = *set;

	compare_init(chunk, len, set);
	both.said = compare_said;
	both.ended = compare_run_ended;
	/* Native code and the interpreter have their critical places elsewhere. */
	both.nmi_every = 0;
	alarm(SECONDS);
	for (ktap_jit_enabled = 0; ktap_jit_enabled < 2; ktap_jit_enabled++) {
		if (!compare_execute(chunk, len, &both))
			return false;
	}
	alarm(0);
	if (!compare_is_same(transcripts))
		compare_fail(chunk, len, &both);
	compare_accept(chunk, len);
	return true;
}
