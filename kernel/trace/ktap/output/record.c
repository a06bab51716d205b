// SPDX-License-Identifier: GPL-2.0
/*
 * Records: output of print and printf in the ring buffer.
 */
#include <linux/align.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "output/format.h"
#include "output/json.h"
#include "output/record.h"
#include "output/tap.h"
#include "output/text.h"
#include "vm/env.h"
#include "vm/vm.h"

static size_t record_save_event(struct ktap_vm *vm, void *buf, size_t size)
{
	if (!vm->event || !vm->event->ops->save)
		return 0;
	return vm->event->ops->save(vm->event, buf, size);
}

/* Return the value that is stored in a record in place of @v. */
static struct ktap_value record_placeholder(struct ktap_vm *vm, const struct ktap_value *v,
					    size_t room)
{
	switch (v->tag) {
	case KTAP_EVENT:
	case KTAP_ARGSTR:
		/* A part of its bytes is of no use. */
		if (record_save_event(vm, NULL, 0) > room)
			return KTAP_VALUE_STR("...", 3);
		return (struct ktap_value){ .tag = KTAP_ARGSTR };
	case KTAP_TUPLE:
		/* Each of its parts has a length: it cannot be cut. */
		if (v->len > room)
			return KTAP_VALUE_STR("...", 3);
		return *v;
	default:
		return *v;
	}
}

/* Does the record have "..." instead of the value? */
static bool record_is_replaced(const struct ktap_value *v, const struct ktap_value *placeholder)
{
	return placeholder->tag == KTAP_STR && v->tag != KTAP_STR;
}

/* Return the size of the payload; a blob is cut to @room. */
static u32 record_payload(struct ktap_vm *vm, const struct ktap_value *v, size_t room)
{
	if (v->tag == KTAP_NIL)
		return 0;
	if (v->tag == KTAP_ARGSTR)
		return record_save_event(vm, NULL, 0);
	if (ktap_is_blob(v))
		return min_t(size_t, v->len, ALIGN_DOWN(room, 8));
	return sizeof(u64);
}

static_assert(sizeof(struct ktap_record) +
	      KTAP_MAX_ARGS * (sizeof(struct ktap_record_arg) + sizeof(u64)) < KTAP_RECORD_MAX / 2);

size_t ktap_record_size(struct ktap_vm *vm, const struct ktap_value *args, unsigned int nargs)
{
	size_t left = ktap_record_room(nargs), size = sizeof(struct ktap_record);
	struct ktap_value v;
	unsigned int i;
	u32 len;

	for (i = 0; i < nargs; i++) {
		v = record_placeholder(vm, &args[i], left);
		len = record_payload(vm, &v, left);
		if (v.tag >= KTAP_ARGSTR)
			left -= min(left, ALIGN((size_t)len, 8));
		size += sizeof(struct ktap_record_arg) + ALIGN((size_t)len, 8);
	}
	return size;
}

static void record_write_arg(struct ktap_vm *vm, struct ktap_record_arg *arg,
			     const struct ktap_value *v, u32 len)
{
	arg->tag = v->tag;
	arg->len = len;
	memset(arg->data + ALIGN_DOWN(len, 8), 0, ALIGN((size_t)len, 8) - ALIGN_DOWN(len, 8));
	if (v->tag == KTAP_ARGSTR) {
		record_save_event(vm, arg->data, len);
	} else if (ktap_is_blob(v)) {
		memcpy(arg->data, ktap_blob_of(v), len);
		if (len == v->len)
			return;
		if (v->tag == KTAP_STR && len >= 3)
			memcpy(arg->data + len - 3, "...", 3);
		atomic_long_inc(&vm->env->counters.cut_strings);
	} else if (len) {
		memcpy(arg->data, &v->u, sizeof(v->u));
	}
}

void ktap_record_write(struct ktap_vm *vm, struct ktap_record *rec, size_t size,
		       enum ktap_record_type type, const struct ktap_value *args,
		       unsigned int nargs)
{
	void *p = rec + 1;
	size_t left = ktap_record_room(nargs);
	struct ktap_value v;
	unsigned int i;
	u32 len;

	*rec = (struct ktap_record){ .type = type, .nargs = nargs, .len = size };
	for (i = 0; i < nargs; i++) {
		v = record_placeholder(vm, &args[i], left);
		len = record_payload(vm, &v, left);
		if (v.tag >= KTAP_ARGSTR)
			left -= min(left, ALIGN((size_t)len, 8));
		record_write_arg(vm, p, &v, len);
		/* If even the dots are cut, record_write_arg() has counted that. */
		if (record_is_replaced(&args[i], &v) && len == v.len)
			atomic_long_inc(&vm->env->counters.cut_strings);
		p += sizeof(struct ktap_record_arg) + ALIGN((size_t)len, 8);
	}
}

/* Make the arguments values that point into the record; false if it is malformed. */
static bool record_read_args(const struct ktap_record *rec, size_t size, struct ktap_value *args)
{
	const void *p = rec + 1, *end = (const void *)rec + size;
	const struct ktap_record_arg *arg;
	unsigned int i;

	if (size < sizeof(*rec) || rec->len > size || rec->nargs > KTAP_MAX_ARGS)
		return false;
	for (i = 0; i < rec->nargs; i++) {
		arg = p;
		if (end - p < sizeof(*arg) || end - p - sizeof(*arg) < ALIGN((size_t)arg->len, 8))
			return false;
		args[i] = (struct ktap_value){ .tag = arg->tag };
		if (arg->tag >= KTAP_ARGSTR) {
			args[i].blob = arg->data;
			args[i].len = arg->len;
		} else if (arg->len == sizeof(u64)) {
			args[i].u = get_unaligned((const u64 *)arg->data) &
				    ~ktap_blob_mask(&args[i]);
		}
		p = arg->data + ALIGN((size_t)arg->len, 8);
	}
	return true;
}

static const struct ktap_request record_requests[] = {
	{ KTAP_CH_CAT, KTAP_REC_CAT, "cat", "show files" },
	{ KTAP_CH_SYSTEM, KTAP_REC_SYSTEM, "system", "run commands" },
	{ KTAP_CH_DUMP, KTAP_REC_DUMP, "dump", "write dumps" },
};

const struct ktap_request *ktap_request_of(enum ktap_channel channel)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(record_requests); i++) {
		if (record_requests[i].channel == channel)
			return &record_requests[i];
	}
	return NULL;
}

enum ktap_channel ktap_record_channel(const struct ktap_record *rec)
{
	size_t i;

	if (rec->type == KTAP_REC_ERROR)
		return KTAP_CH_ERROR;
	for (i = 0; i < ARRAY_SIZE(record_requests); i++) {
		if (record_requests[i].type == rec->type)
			return record_requests[i].channel;
	}
	return KTAP_CH_OUTPUT;
}

static const struct ktap_format *record_format_of(const struct ktap_env *env,
						  const struct ktap_record *rec)
{
	u32 n = rec->format;

	if (!env || !ktap_index(&n, env->prog->nformats))
		return NULL;
	return env->prog->formats[n];
}

/* Records of these types have a first argument, which is a string. */
static bool record_begins_with_string(const struct ktap_record *rec)
{
	return rec->type != KTAP_REC_PRINT && rec->type != KTAP_REC_FORMAT &&
	       rec->type != KTAP_REC_TAP;
}

void ktap_record_format(struct seq_buf *s, const struct ktap_env *env,
			const struct ktap_record *rec, size_t size)
{
	struct ktap_value args[KTAP_MAX_ARGS] __uninitialized;
	const struct ktap_format *f;
	struct ktap_text text = { .s = s, .env = env };

	if (!record_read_args(rec, size, args))
		return;
	if (record_begins_with_string(rec) && !(rec->nargs && ktap_is_blob(&args[0])))
		return;
	switch (rec->type) {
	case KTAP_REC_PRINT:
		ktap_text_print(&text, args, rec->nargs);
		break;
	case KTAP_REC_FORMAT:
		f = record_format_of(env, rec);
		if (f)
			ktap_text_format(&text, f, args, rec->nargs);
		break;
	case KTAP_REC_PRINTF:
		ktap_text_printf_args(&text, args, rec->nargs);
		break;
	case KTAP_REC_TEXT:
	case KTAP_REC_ERROR:
	case KTAP_REC_CAT:
	case KTAP_REC_SYSTEM:
	case KTAP_REC_DUMP:
		ktap_text_put(&text, ktap_blob_of(&args[0]), args[0].len);
		break;
	case KTAP_REC_TAP:
		ktap_tap_format(&text, rec->format, args, rec->nargs);
		break;
	}
}

void ktap_record_taken(struct ktap_env *env, const struct ktap_record *rec)
{
	struct ktap_value args[KTAP_MAX_ARGS] __uninitialized;

	if (rec->type == KTAP_REC_TAP && record_read_args(rec, rec->len, args))
		ktap_tap_taken(env, args, rec->nargs);
}

/* The line of a print, and, after its text is made, of a printf */
static void record_put_json(struct ktap_json *j, const struct ktap_record *rec,
			    const struct ktap_value *args, u64 ts)
{
	bool print = rec->type == KTAP_REC_PRINT;

	ktap_json_begin(j, ts, print ? "print" : "text");
	if (print)
		ktap_json_values(j, args, rec->nargs);
	else
		ktap_json_text(j, j->plain->buffer, seq_buf_used(j->plain),
			       seq_buf_has_overflowed(j->plain));
	ktap_json_end(j);
}

void ktap_record_json(struct seq_buf *s, char *plain, const struct ktap_env *env,
		      const struct ktap_record *rec, size_t size, u64 ts)
{
	struct ktap_value args[KTAP_MAX_ARGS] __uninitialized;
	struct seq_buf text;
	struct ktap_json j = { .s = s, .plain = &text, .env = env };

	if (!record_read_args(rec, size, args))
		return;
	seq_buf_init(&text, plain, KTAP_RECORD_TEXT);
	switch (rec->type) {
	case KTAP_REC_TEXT:
		/* It was made by json_print.c. */
		ktap_record_format(s, env, rec, size);
		break;
	case KTAP_REC_PRINTF:
	case KTAP_REC_FORMAT:
	case KTAP_REC_TAP:
		ktap_record_format(&text, env, rec, size);
		if (seq_buf_used(&text))
			record_put_json(&j, rec, args, ts);
		break;
	case KTAP_REC_PRINT:
		record_put_json(&j, rec, args, ts);
		break;
	}
}
