// SPDX-License-Identifier: GPL-2.0
/*
 * What the rest of ktap gives to the virtual machine, without a kernel: no
 * event ever happens, and output goes to stdout.
 */
#include <time.h>
#include <unistd.h>

#include "stubs.h"

struct stub_session stub;

/* One record at a time, made text at once. */
static _Thread_local char record[KTAP_RECORD_MAX + 64];
static _Thread_local size_t record_size;

static void put(const char *text, size_t len)
{
	stub.printed = true;
	if (!stub.out) {
		fwrite(text, 1, len, stdout);
		return;
	}
	len = min(len, stub.out_size - 1 - stub.out_len);
	memcpy(stub.out + stub.out_len, text, len);
	stub.out_len += len;
	stub.out[stub.out_len] = '\0';
}

void *ktap_out_reserve(struct ktap_vm *vm, size_t size)
{
	WARN_ON(size > KTAP_RECORD_MAX);
	record_size = size;
	return record;
}

void ktap_out_commit(struct ktap_vm *vm, void *place)
{
	static _Thread_local char text[KTAP_RECORD_TEXT];
	struct seq_buf s;

	seq_buf_init(&s, text, sizeof(text));
	ktap_record_format(&s, place, record_size);
	put(text, seq_buf_used(&s));
}

int ktap_out_text(struct ktap_vm *vm, const char *text, size_t len)
{
	put(text, len);
	return 0;
}

void ktap_event_format(struct seq_buf *s, const void *saved, size_t len)
{
	len = min(len, (size_t)seq_buf_buffer_left(s));
	memcpy(s->buffer + s->len, saved, len);
	s->len += len;
}

static int give_int(struct ktap_value *r, s64 i)
{
	*r = KTAP_VALUE_INT(i);
	return 0;
}

int ktap_fn_pid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_int(r, getpid());
}

int ktap_fn_tid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_int(r, getpid());
}

int ktap_fn_ppid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_int(r, getppid());
}

int ktap_fn_uid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_int(r, getuid());
}

int ktap_fn_gid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_int(r, getgid());
}

int ktap_fn_cpu(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_int(r, 0);
}

int ktap_fn_numa_node(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_int(r, 0);
}

int ktap_fn_execname(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	*r = KTAP_VALUE_STR("ktapvm", 6);
	return 0;
}

static s64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int ktap_fn_nsecs(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_int(r, now());
}

int ktap_fn_elapsed(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	static s64 start;

	if (!start)
		start = now();
	return give_int(r, now() - start);
}

int ktap_fn_cgroup(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_int(r, 1);
}

int ktap_fn_rand(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_int(r, random());
}

int ktap_fn_curtask(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	*r = KTAP_VALUE_PTR(0x1000);
	return 0;
}

static int give_stack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n, u32 tag)
{
	s64 depth = n ? clamp_t(s64, r[0].i, 1, 127) : 3;
	unsigned long *frames;
	s64 i;

	frames = ktap_arena_alloc(vm, depth * sizeof(*frames));
	if (!frames)
		return vm->error;
	for (i = 0; i < depth; i++)
		frames[i] = 0x1000 + 16 * i;
	*r = (struct ktap_value){ .blob = frames, .tag = tag, .len = depth * sizeof(*frames) };
	return 0;
}

int ktap_fn_kstack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_stack(vm, r, n, KTAP_KSTACK);
}

int ktap_fn_ustack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_stack(vm, r, n, KTAP_USTACK);
}

/* An integer if it looks like one. */
int ktap_fn_scriptarg(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	s64 i = r[0].i, number;
	char *end;

	*r = KTAP_VALUE_NIL;
	if (i < 0 || i >= stub.nargs)
		return 0;
	errno = 0;
	number = strtoll(stub.args[i], &end, 0);
	if (i && !*end && end != stub.args[i] && !errno)
		return give_int(r, number);
	return ktap_make_string(vm, stub.args[i], strlen(stub.args[i]), r);
}

static int add_probe(struct ktap_vm *vm, const struct ktap_value *event, u32 handler)
{
	struct stub_probe *p = &stub.probes[stub.nprobes];

	if (stub.nprobes == ARRAY_SIZE(stub.probes))
		return ktap_vm_error(vm, -E2BIG, "too many probes");
	snprintf(p->event, sizeof(p->event), "%.*s", (int)event->len, (const char *)event->blob);
	p->handler = handler;
	stub.nprobes++;
	return 0;
}

int ktap_fn_trace(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_program *prog = vm->env->prog;
	u64 i = r[0].u;

	*r = KTAP_VALUE_NIL;
	if (i >= prog->nclauses)
		return ktap_vm_error(vm, -EINVAL, "there is no probe %lld", (s64)i);
	return add_probe(vm, prog->clauses[i].event, prog->clauses[i].handler);
}

int ktap_fn_probe(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err = add_probe(vm, &r[0], r[1].u);

	*r = KTAP_VALUE_NIL;
	return err;
}

int ktap_fn_exit(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	stub.exited = true;
	stub.exit_code = n ? r[0].i & 0xff : 0;
	return -ECANCELED;
}
