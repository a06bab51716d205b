// SPDX-License-Identifier: GPL-2.0
/*
 * Events of user space: probes are registered as in the kernel, and all of them get the
 * same invented event, with a field of each kind.
 */
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/string.h>

#include "host.h"
#include "output/text.h"
#include "vm/builtin.h"
#include "vm/env.h"

static char long_text[KTAP_MAX_STRLEN];
static const s64 numbers[] = { 1, -2, S64_MAX };
static const char event_name[] = "made_up";
static const char event_text[] = "number=-5 text=some text\n";

static const struct {
	const char *name;
	struct ktap_value value;
} fields[] = {
	{ "number",	KTAP_VALUE_INT(-5) },
	{ "text",	KTAP_VALUE_STR("some text", 9) },
	{ "zero",	KTAP_VALUE_INT(0) },
	{ "empty",	KTAP_VALUE_STR("", 0) },
	{ "address",	KTAP_VALUE_PTR(0xffffffff81000000ULL) },
	{ "long",	KTAP_VALUE_STR(long_text, sizeof(long_text)) },
	{ "numbers",	KTAP_VALUE_ARRAY(numbers, ARRAY_SIZE(numbers)) },
	{ "none",	KTAP_VALUE_ARRAY(numbers, 0) },
};

static void get_nth(s64 n, struct ktap_value *v)
{
	*v = KTAP_VALUE_NIL;
	if (n >= 0 && n < ARRAY_SIZE(fields))
		*v = fields[n].value;
}

static void get_name(const struct ktap_event *ev, struct ktap_value *v)
{
	*v = KTAP_VALUE_STR(event_name, strlen(event_name));
}

static void get_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct ktap_program *prog = vm->env->prog;
	const char *name = prog->fields[index]->blob;
	unsigned int i;

	/* e.name is the name of the event, args.name a field. */
	if (index >= prog->nown_fields && !strcmp(name, "name")) {
		get_name(vm->event, v);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(fields) && strcmp(fields[i].name, name); i++)
		;
	get_nth(i, v);
}

static void get_nth_field(struct ktap_vm *vm, s64 n, struct ktap_value *v)
{
	get_nth(n > 0 ? n - 1 : -1, v);
}

static void get_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	get_nth(n, v);
}

static void get_retval(const struct ktap_event *ev, struct ktap_value *v)
{
	*v = KTAP_VALUE_INT(-ENOENT);
}

static void get_func(const struct ktap_event *ev, struct ktap_value *v)
{
	*v = KTAP_VALUE_STR("some_function", 13);
}

/* No text in NMI, as in the kernel. */
static int get_text(struct ktap_vm *vm, struct ktap_value *v)
{
	*v = KTAP_VALUE_NIL;
	if (vm->level == KTAP_LEVEL_NMI)
		return 0;
	return ktap_make_string(vm, event_text, strlen(event_text), v);
}

/* Save the text without its newline. */
static size_t save(const struct ktap_event *ev, void *buf, size_t size)
{
	size_t len = strlen(event_text) - 1;

	if (len <= size)
		memcpy(buf, event_text, len);
	return len;
}

void ktap_event_format(struct seq_buf *s, const void *saved, size_t len)
{
	if (!len)
		return;
	seq_buf_putmem(s, saved, len);
	seq_buf_putmem(s, "\n", 1);
}

/* The event is invented, and so is the set return value of its function. */
static int set_retval(struct ktap_vm *vm, s64 value)
{
	struct host *h = host_of(vm);

	if (value >= 0)
		return ktap_vm_error(vm, -EINVAL, "set_retval: %lld is no error",
				     (long long)value);
	if (h->out)
		fprintf(h->out, "returns %lld\n", (long long)value);
	return 0;
}

static int verdict(struct ktap_vm *vm, int verdict)
{
	struct host *h = host_of(vm);

	if (h->out && verdict >= 0)
		fprintf(h->out, "queues %d\n", verdict);
	else if (h->out)
		fprintf(h->out, verdict == KTAP_PACKET_DROP ? "drops\n" : "accepts\n");
	return 0;
}

static const struct ktap_event_ops event_ops = {
	.name = get_name,
	.field = get_field,
	.nth = get_nth_field,
	.arg = get_arg,
	.retval = get_retval,
	.func = get_func,
	.text = get_text,
	.save = save,
	.set_retval = set_retval,
	.verdict = verdict,
};

const struct ktap_event host_event = { .ops = &event_ops };

/* Registration */

static int kind_of(const char *event)
{
	if (!strcmp(event, "trace_begin"))
		return HOST_ON_BEGIN;
	if (!strcmp(event, "trace_end"))
		return HOST_ON_END;
	if (!strncmp(event, "tick-", 5))
		return HOST_ON_TICK;
	/* Every event of every system exists. */
	return strchr(event, ':') ? HOST_ON_EVENT : -ENOENT;
}

static int add_probe(struct ktap_vm *vm, const struct ktap_value *event, u32 filter, u32 handler)
{
	struct host *h = host_of(vm);
	char name[KTAP_MAX_STRLEN + 1];
	struct host_probe *probe;
	int kind;

	memcpy(name, event->blob, event->len);
	name[event->len] = '\0';
	kind = kind_of(name);
	if (kind < 0) {
		h->refused = vm->pc + 1;
		return ktap_vm_error(vm, kind, "no event '%s'", name);
	}
	if (h->nprobes == (h->max_probes ?: KTAP_MAX_PROBES))
		return ktap_vm_error(vm, -E2BIG, "more than %u probes", h->nprobes);
	if (!h->probes)
		h->probes = calloc(KTAP_MAX_PROBES, sizeof(*h->probes));

	probe = malloc(sizeof(*probe));
	*probe = (struct host_probe){ .kind = kind, .filter = filter, .handler = handler };
	h->probes[h->nprobes++] = probe;
	return 0;
}

int ktap_fn_trace(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_probe_def *def;

	if (r[0].i < 0 || r[0].i >= prog->nprobe_defs)
		return ktap_vm_error(vm, -EINVAL, "there is no probe %lld", r[0].i);
	def = &prog->probe_defs[r[0].i];
	r[0] = KTAP_VALUE_NIL;
	return add_probe(vm, def->event, def->filter, def->handler);
}

int ktap_fn_probe(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err = add_probe(vm, &r[0], KTAP_NONE, r[1].u);

	r[0] = KTAP_VALUE_NIL;
	return err;
}

void host_probes_free(struct host *h)
{
	while (h->nprobes)
		free(h->probes[--h->nprobes]);
	free(h->probes);
	h->probes = NULL;
}

__attribute__((constructor)) static void fill_long_text(void)
{
	memset(long_text, 'x', sizeof(long_text));
}
